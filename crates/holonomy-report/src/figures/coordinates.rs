//! Figures of generalized coordinates: against time, in phase space, in the plane, and their constraints.
use super::{CURVE, caption_of_failure, line, subtitle};
use crate::{
    figure::{Axis, Chart, Curve, Grid, Panels},
    number::{grouped, power, short},
    series::{Portrait, Series},
    summary::Summary,
};
use holonomy::system::{Layout, MultiplierUnit};
use std::f64::consts::{PI, TAU};

/// Each coordinate against time, one below the other; `None` where there are none.
pub fn coordinates(title: &str, layout: &Layout, summary: &Summary, portrait: &Portrait) -> Option<String> {
    let panel = |(index, envelope): (usize, &crate::series::Envelope)| {
        let name = layout.coordinates.get(index)?;
        let points = envelope.points();
        let (label, points) = match is_periodic(layout, index) {
            true => (format!("{name} (rad)"), wrapped(&points, |point| &mut point.1)),
            false => (name.clone(), points),
        };
        let axis = Axis::linear(label).of_size(size_of(layout, portrait, index));
        Some(chart(Axis::time(), axis, vec![line(name, points)]))
    };
    let charts: Vec<Chart> = portrait
        .coordinates
        .iter()
        .enumerate()
        .filter_map(panel)
        .collect();
    if charts.is_empty() {
        return None;
    }
    let mut caption = some_of("coordinates", charts.len(), layout.coordinates.len());
    caption += &caption_of_failure(summary);
    let height = match charts.len() {
        1 => 380.0,
        2 | 3 => 210.0,
        _ => 150.0,
    };
    let panels = Panels {
        title: title.to_owned(),
        subtitle: Some(subtitle(summary)),
        caption: Some(caption),
        charts,
    };
    Some(panels.render_with(height))
}

/// Velocities against their coordinates; `None` where velocities do not belong to coordinates.
pub fn phase(title: &str, layout: &Layout, summary: &Summary, portrait: &Portrait) -> Option<String> {
    // A quasi-velocity does not belong to a coordinate.
    if layout.velocities.len() != layout.coordinates.len() || !layout.words.fields.is_empty() {
        return None;
    }
    let velocities = portrait.phases.iter().flatten().map(|pair| pair.1.abs());
    let fastest = velocities.fold(0.0, f64::max);
    // A velocity that takes longer than the run to cover the size of what moves is slow.
    let lasted = (summary.t_end - portrait.times.front().copied().unwrap_or(0.0)).max(f64::MIN_POSITIVE);
    let charts: Vec<Chart> = portrait
        .phases
        .iter()
        .take(MOST_PORTRAITS)
        .enumerate()
        .filter_map(|(index, pairs)| {
            let (q, v) = (layout.coordinates.get(index)?, layout.velocities.get(index)?);
            let pairs: Vec<(f64, f64)> = pairs.iter().copied().collect();
            let (x, y, pairs) = match is_periodic(layout, index) {
                true => (
                    format!("{q} (rad)"),
                    format!("{v} (rad/s)"),
                    wrapped(&pairs, |pair| &mut pair.0),
                ),
                false => (q.clone(), v.clone(), pairs),
            };
            let size = size_of(layout, portrait, index);
            let x = Axis::linear(x).of_size(size);
            let y = Axis::linear(y).of_size(fastest.max(size / lasted));
            Some(chart(x, y, vec![line(q, pairs)]))
        })
        .collect();
    if charts.is_empty() {
        return None;
    }
    let mut caption = stretch(portrait);
    caption += &some_of("coordinates", charts.len(), layout.coordinates.len());
    let grid = Grid {
        title: title.to_owned(),
        subtitle: Some(subtitle(summary)),
        caption: Some(caption),
        charts,
        equal: false,
    };
    Some(grid.render())
}

/// The path in the plane of two coordinates named `x` and `y`, if these come first.
pub fn path(title: &str, layout: &Layout, summary: &Summary, portrait: &Portrait) -> Option<String> {
    let [x, y, ..] = &layout.coordinates[..] else {
        return None;
    };
    let [across, upwards, ..] = &portrait.phases[..] else {
        return None;
    };
    if (x.as_str(), y.as_str()) != ("x", "y") || is_periodic(layout, 0) || is_periodic(layout, 1) {
        return None;
    }
    let points = across.iter().zip(upwards).map(|(x, y)| (x.0, y.0)).collect();
    let size = size_of(layout, portrait, 0).max(size_of(layout, portrait, 1));
    let grid = Grid {
        title: title.to_owned(),
        subtitle: Some(subtitle(summary)),
        caption: Some(stretch(portrait)),
        charts: vec![chart(
            Axis::linear("x").of_size(size),
            Axis::linear("y").of_size(size),
            vec![line("path", points)],
        )],
        equal: true,
    };
    Some(grid.render())
}

/// The largest constraint violation against time, and below it the multipliers; `None` where there are none.
pub fn constraint(title: &str, layout: &Layout, summary: &Summary, series: &Series) -> Option<String> {
    if series.constraint.is_empty() {
        return None;
    }
    let time = || Axis::time();
    let violation = line("largest |g|", series.constraint.magnitudes(CURVE));
    let multipliers: Vec<Curve> = layout
        .multipliers
        .iter()
        .zip(&series.multipliers)
        .map(|(name, envelope)| line(format!("λ of {name}"), envelope.points()))
        .collect();
    let label = match &layout.multipliers[..] {
        [only] => format!("multiplier λ of {only}"),
        _ => "multipliers λ".to_owned(),
    };
    let unit = layout.multiplier_units.first().copied().unwrap_or_default();
    let label =
        match layout.multiplier_units.iter().all(|other| *other == unit) && unit != MultiplierUnit::Unknown {
            true => format!("{label} ({})", unit.symbol()),
            false => label,
        };
    let mut caption = match &summary.constraints {
        Some(constraints) => format!("Largest |g| of all samples: {}.", power(constraints.max_error)),
        None => String::new(),
    };
    caption += &some_of("multipliers", multipliers.len(), layout.multipliers.len());
    caption += &caption_of_failure(summary);
    let panels = Panels {
        title: title.to_owned(),
        subtitle: Some(subtitle(summary)),
        caption: Some(caption),
        charts: vec![
            chart(time(), Axis::log("constraint, largest |g|"), vec![violation]),
            chart(time(), Axis::linear(label), multipliers),
        ],
    };
    Some(panels.render())
}

/// Portraits that one page holds.
const MOST_PORTRAITS: usize = 4;

fn chart(x: Axis, y: Axis, series: Vec<Curve>) -> Chart {
    Chart {
        title: String::new(),
        x,
        y,
        series,
        guides: vec![],
    }
}

fn is_periodic(layout: &Layout, index: usize) -> bool {
    layout.periodic.get(index) == Some(&true)
}

/// How large the motion is that a coordinate is a part of: a radian for angles, and for others the largest coordinate of
/// the kind. What is small beside it does not move.
fn size_of(layout: &Layout, portrait: &Portrait, index: usize) -> f64 {
    if is_periodic(layout, index) {
        return 1.0;
    }
    let others = portrait.coordinates.iter().enumerate();
    let others = others.filter(|(other, _)| !is_periodic(layout, *other));
    let ranges = others.filter_map(|(_, envelope)| envelope.range());
    let largest = ranges.map(|(low, high)| low.abs().max(high.abs()));
    match largest.fold(0.0, f64::max) {
        // All of them rest at the origin.
        0.0 => 1.0,
        size => size,
    }
}

/// ` The first 4 of 6 coordinates.`, or nothing if they are all there.
fn some_of(what: &str, shown: usize, all: usize) -> String {
    match shown < all {
        true => format!(" The first {shown} of {all} {what}."),
        false => String::new(),
    }
}

/// The stretch of time that a portrait shows.
fn stretch(portrait: &Portrait) -> String {
    let from = portrait.times.front().copied().unwrap_or(0.0);
    let to = portrait.times.back().copied().unwrap_or(0.0);
    let mut text = format!("t = {} … {} s.", short(from), short(to));
    let kept = portrait.times.len() as u64;
    if kept < portrait.samples {
        text += &format!(
            " The last {} of {} samples.",
            grouped(kept),
            grouped(portrait.samples)
        );
    }
    text
}

/// The points with one of their two numbers wrapped into ±π; where it wraps, the curve ends at one edge and goes on
/// from the other.
fn wrapped(points: &[(f64, f64)], angle: impl Fn(&mut (f64, f64)) -> &mut f64) -> Vec<(f64, f64)> {
    let read = |point: &(f64, f64)| *angle(&mut point.clone());
    let turn = |point: &(f64, f64)| (read(point) / TAU).round();
    let moved = |point: &(f64, f64), by: f64| {
        let mut point = *point;
        *angle(&mut point) -= by * TAU;
        point
    };
    let mut out: Vec<(f64, f64)> = Vec::with_capacity(points.len());
    for (index, point) in points.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &points[before]);
        if let Some(before) = before.filter(|before| turn(before) != turn(point)) {
            let (from, to) = (turn(before), turn(point));
            if (to - from).abs() == 1.0 {
                let edge = (0.5 * (from + to)) * TAU;
                let share = (edge - read(before)) / (read(point) - read(before));
                let mut crossing = (
                    before.0 + share * (point.0 - before.0),
                    before.1 + share * (point.1 - before.1),
                );
                *angle(&mut crossing) = (to - from) * PI;
                out.push(crossing);
                out.push((f64::NAN, f64::NAN));
                *angle(&mut crossing) = (from - to) * PI;
                out.push(crossing);
            } else {
                out.push((f64::NAN, f64::NAN));
            }
        }
        out.push(moved(point, turn(point)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::well_formed::assert_well_formed;
    use crate::run::Outcome;
    use crate::run::run;
    use holonomy_model::{Source, load};

    /// The figures of a model: coordinates, phase, path, constraint, energy.
    fn figures(text: &str) -> [Option<String>; 5] {
        let end = "[method]\nname = 'midpoint'\n[run]\nstep = 0.01\nsteps = 300\n";
        let model = load(&Source::new("test", format!("{text}\n{end}"))).expect("a model");
        let Outcome { summary, series, .. } = run(&model, "test");
        let system = model.mechanism.system();
        let (layout, portrait) = (system.layout(), &series.portrait);
        let figures = [
            coordinates("t", layout, &summary, portrait),
            phase("t", layout, &summary, portrait),
            path("t", layout, &summary, portrait),
            constraint("t", layout, &summary, &series),
            Some(super::super::energy("t", &summary, &series)),
        ];
        for figure in figures.iter().flatten() {
            assert_well_formed(figure);
            assert!(!figure.contains("no data"));
        }
        figures
    }

    #[test]
    fn figures_follow_what_there_is_to_see() {
        let rod = figures(
            "coordinates = ['x', 'y']\nlagrangian = \"0.5*(x'^2 + y'^2) - y\"\n\
             [[constraint]]\nname = 'rod'\nformula = 'x^2 + y^2 - 1'\n[start]\nx = 0.6\ny = 0.8",
        );
        assert!(rod.iter().all(Option::is_some));
        let text = rod[3].as_deref().unwrap_or_default();
        assert!(text.contains("multiplier λ of rod") && text.contains("largest |g|"));
        assert!(!rod[4].as_deref().unwrap_or_default().contains("unit length"));

        let damped = figures(
            "coordinates = ['a']\nperiodic = ['a']\nlagrangian = \"0.5*a'^2 + 9*cos(a)\"\n\
             [force]\na = \"-a'\"\n[start]\na = 3\n[velocity]\na = 12",
        );
        assert_eq!(
            damped.each_ref().map(Option::is_some),
            [true, true, false, false, true]
        );
        let energy = damped[4].as_deref().unwrap_or_default();
        assert!(
            energy.contains(">energy E (J)<")
                && energy.contains("not conserved")
                && !energy.contains("drift")
        );
        assert!(damped[0].as_deref().unwrap_or_default().contains(">a (rad)<"));

        let many: Vec<String> = (1..=8).map(|k| format!("q{k}")).collect();
        let sum: Vec<String> = many.iter().map(|q| format!("{q}'^2 - {q}^2")).collect();
        let starts: Vec<String> = many.iter().map(|q| format!("{q} = 1")).collect();
        let many = figures(&format!(
            "coordinates = {many:?}\nlagrangian = \"{}\"\n[start]\n{}",
            sum.join(" + "),
            starts.join("\n")
        ));
        assert!(
            many[0]
                .as_deref()
                .unwrap_or_default()
                .contains("The first 6 of 8 coordinates.")
        );
        assert!(
            many[1]
                .as_deref()
                .unwrap_or_default()
                .contains("The first 4 of 8 coordinates.")
        );
    }

    #[test]
    fn an_angle_leaves_at_one_edge_and_comes_back_at_the_other() {
        let points = [(0.0, 3.0), (1.0, 3.5), (2.0, 3.0), (3.0, 20.0)];
        let out = wrapped(&points, |point| &mut point.1);
        assert_eq!(out[0], (0.0, 3.0));
        assert_eq!(out[1].1, PI);
        assert!((out[1].0 - (PI - 3.0) / 0.5).abs() < 1e-15);
        assert!(out[2].0.is_nan());
        assert_eq!((out[3].0, out[3].1), (out[1].0, -PI));
        assert_eq!(out[4], (1.0, 3.5 - TAU));
        // Back again, and then by several turns at once, of which nothing is known between.
        assert_eq!((out[5].1, out[7].1), (-PI, PI));
        assert!(out[9].0.is_nan());
        assert!(out.iter().all(|point| point.1.is_nan() || point.1.abs() <= PI));
        assert_eq!(out.len(), 11);
    }
}
