//! The figures of a run, a comparison and a convergence study.
mod coordinates;
mod mechanism;
mod outputs;
mod space;
#[cfg(test)]
mod tests;
mod warmth;

pub use coordinates::{constraint, coordinates, path, phase};
pub use outputs::outputs;
pub use space::{attitude, configurations, trajectory, views};
pub use warmth::globes;
pub use warmth::warmth;

use holonomy::system::Layout;

use crate::{
    compare::Comparison,
    converge::Convergence,
    figure::{Axis, Chart, Curve, CurveStyle, Guide, Panels},
    number::{decimal, grouped, power, short},
    series::Series,
    summary::Summary,
    verdict::NOT_CONSERVED,
};

/// The figures of a run that there are: the file and the text of each.
pub fn of_run(
    title: &str,
    layout: &Layout,
    summary: &Summary,
    series: &Series,
) -> Vec<(&'static str, String)> {
    let (portrait, paths) = (&series.portrait, &series.paths);
    let attitude = attitude(title, layout, summary, paths);
    // Where only directions change, there are no paths to see.
    let seen = !layout.drawing.bases.is_empty() && (paths.moved || attitude.is_none());
    let space = seen.then(|| trajectory(title, layout, summary, paths));
    let figures = [
        ("trajectory.svg", space),
        ("views.svg", views(title, layout, summary, paths)),
        (
            "configurations.svg",
            configurations(title, layout, summary, paths),
        ),
        ("attitude.svg", attitude),
        ("warmth.svg", warmth(title, &series.warmth)),
        ("path.svg", path(title, layout, summary, portrait)),
        ("coordinates.svg", coordinates(title, layout, summary, portrait)),
        ("phase.svg", phase(title, layout, summary, portrait)),
        ("outputs.svg", outputs(title, summary, series)),
        ("energy.svg", Some(energy(title, summary, series))),
        ("momentum.svg", momentum(title, summary, series)),
        ("constraint.svg", constraint(title, layout, summary, series)),
    ];
    let there = figures
        .into_iter()
        .filter_map(|(name, figure)| Some((name, figure?)));
    there.collect()
}

/// Points of a curve on a logarithmic axis: one per pixel or two.
const CURVE: usize = 500;

/// Energy error against time, and below it what else should not change. Where the motion itself changes the energy,
/// the energy is shown instead.
pub fn energy(title: &str, summary: &Summary, series: &Series) -> String {
    let mut points = series.energy.points();
    let label = if summary.driven {
        points
            .iter_mut()
            .for_each(|point| point.1 += summary.energy.initial);
        "energy E (J)"
    } else {
        "energy error E − E₀ (J)"
    };
    let mut charts = vec![Chart {
        title: String::new(),
        x: Axis::time(),
        y: Axis::linear(label),
        series: vec![line("energy", points)],
        guides: vec![],
    }];
    let conserved = conserved(summary, series);
    if !conserved.is_empty() {
        charts.push(Chart {
            title: String::new(),
            x: Axis::time(),
            y: Axis::log(match &conserved[..] {
                [only] => only.name.as_str(),
                _ => "error",
            }),
            series: conserved,
            guides: vec![],
        });
    }
    let height = if charts.len() == 1 { 380.0 } else { 210.0 };
    Panels {
        title: title.to_owned(),
        subtitle: Some(subtitle(summary)),
        caption: Some(caption(summary)),
        charts,
    }
    .render_with(height)
}

/// What should not change besides the energy.
fn conserved(summary: &Summary, series: &Series) -> Vec<Curve> {
    let mut conserved = Vec::new();
    let unit = if summary.manifold.is_some() {
        conserved.push(line("unit length, |1 − q·q|", series.manifold.magnitudes(CURVE)));
        " (kg m²/s)"
    } else {
        ""
    };
    if !series.momentum.is_empty() {
        let name = match &summary.momentum[..] {
            [only] if summary.manifold.is_some() => format!("{}{unit}", only.name),
            [only] => format!("change of {}", only.name),
            _ => format!("largest change of a momentum{unit}"),
        };
        conserved.push(line(name, series.momentum.magnitudes(CURVE)));
    }
    conserved
}

/// The change of each conserved momentum against time, one below the other; `None` below two of them, as the energy's
/// figure has one already.
pub fn momentum(title: &str, summary: &Summary, series: &Series) -> Option<String> {
    if series.momenta.len() < 2 {
        return None;
    }
    let curves = summary.momentum.iter().zip(&series.momenta);
    let charts: Vec<Chart> = curves
        .map(|(momentum, envelope)| Chart {
            title: String::new(),
            x: Axis::time(),
            y: Axis::linear(format!("Δ {}", momentum.name)),
            series: vec![line(&momentum.name, envelope.points())],
            guides: vec![],
        })
        .collect();
    let more = summary.momentum.len() - charts.len();
    let panels = Panels {
        title: title.to_owned(),
        subtitle: Some(subtitle(summary)),
        caption: Some(match more {
            0 => caption_of_failure(summary),
            more => format!("{more} more are not shown.{}", caption_of_failure(summary)),
        }),
        charts,
    };
    Some(panels.render_with(150.0))
}

fn subtitle(summary: &Summary) -> String {
    format!(
        "{}, {} steps of {} s",
        summary.method,
        grouped(summary.steps),
        decimal(summary.step)
    )
}

/// What a caption adds if a run did not reach its end; otherwise nothing.
fn caption_of_failure(summary: &Summary) -> String {
    match &summary.error {
        Some(error) => format!(" The run failed {error}."),
        None if summary.stopped => " The run was stopped before its end.".to_owned(),
        None => String::new(),
    }
}

fn caption(summary: &Summary) -> String {
    let energy = &summary.energy;
    if summary.driven {
        return format!(
            "E = {} J at the start, {} J at the end. It is not conserved: {NOT_CONSERVED}.{}",
            short(energy.initial),
            short(energy.last),
            caption_of_failure(summary)
        );
    }
    let mut text = format!(
        "E₀ = {} J; mean |E − E₀| = {} J, largest {} J",
        short(energy.initial),
        power(energy.mean_abs_error),
        power(energy.max_abs_error)
    );
    if let Some(drift) = summary.certificate.drift() {
        text += &format!("; drift {drift}");
    }
    text.push('.');
    text + &caption_of_failure(summary)
}

/// Energy errors of several methods against time, and how far they leave the manifold.
pub fn compare(comparison: &Comparison) -> String {
    let ran = || {
        comparison
            .entries
            .iter()
            .filter_map(|entry| Some((&entry.method, entry.result.as_ref().ok()?)))
    };
    // What flies off would leave no room for the others.
    let scale = |summary: &Summary| match summary.error {
        Some(_) => summary.energy.initial.abs(),
        None => summary.energy.initial.abs().max(summary.energy.max_abs_error),
    };
    let roof = 10.0
        * ran()
            .map(|(_, outcome)| scale(&outcome.summary))
            .fold(0.0, f64::max);
    let below = |mut points: Vec<(f64, f64)>, roof: f64| {
        points.retain(|&(_, error)| error <= roof);
        points
    };
    let energy = ran().map(|(method, outcome)| {
        let points = outcome.series.energy.magnitudes(CURVE);
        line(method, below(points, roof))
    });
    // Below it what the family conserves besides: unit length, constraints, or a momentum.
    let on_spheres = ran().any(|(_, outcome)| outcome.summary.manifold.is_some());
    let constrained = ran().any(|(_, outcome)| !outcome.series.constraint.is_empty());
    let second = |series: &Series| match (on_spheres, constrained) {
        (true, _) => series.manifold.magnitudes(CURVE),
        (_, true) => series.constraint.magnitudes(CURVE),
        _ => series.momentum.magnitudes(CURVE),
    };
    let label = match (on_spheres, constrained) {
        (true, _) => "unit length, |1 − q·q|",
        (_, true) => "constraint, largest |g|",
        _ => "largest change of a momentum",
    };
    let second: Vec<Curve> = ran()
        .map(|(method, outcome)| line(method, below(second(&outcome.series), 1.0)))
        .filter(|curve| !curve.points.is_empty())
        .collect();
    let chart = |label: &str, series: Vec<Curve>| Chart {
        title: String::new(),
        x: Axis::time(),
        y: Axis::log(label),
        series,
        guides: vec![],
    };
    let driven = ran().any(|(_, outcome)| outcome.summary.driven);
    let mut charts = vec![match driven {
        true => chart("change of the energy |E − E₀| (J)", energy.collect()),
        false => chart("|E − E₀| (J)", energy.collect()),
    }];
    if !second.is_empty() {
        charts.push(chart(label, second));
    }
    let height = if charts.len() == 1 { 380.0 } else { 210.0 };
    let failed: Vec<&str> = ran()
        .filter(|(_, outcome)| outcome.summary.error.is_some())
        .map(|(method, _)| method.as_str())
        .collect();
    let caption = (!failed.is_empty()).then(|| format!("Could not go on to the end: {}.", failed.join(", ")));
    Panels {
        title: match comparison.title.as_str() {
            "" => comparison.scenario.clone(),
            title => title.to_owned(),
        },
        subtitle: ran()
            .next()
            .map(|(_, outcome)| format!("Several methods, steps of {} s", decimal(outcome.summary.step))),
        caption,
        charts,
    }
    .render_with(height)
}

/// Error against step, with the slope of the declared order and the accuracy of the reference.
pub fn converge(title: &str, convergence: &Convergence) -> String {
    let points = convergence.points.iter();
    let points: Vec<(f64, f64)> = points
        .filter_map(|point| Some((point.step, point.error?)))
        .collect();
    let mut guides = vec![Guide::Slope {
        slope: f64::from(convergence.declared_order),
        beside: 0,
        label: format!("slope {}", convergence.declared_order),
    }];
    let accuracy = convergence.reference.accuracy;
    let smallest = points.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
    // Far below all points it would only squeeze them.
    if accuracy > 0.0 && smallest < 1e4 * accuracy {
        guides.push(Guide::Level {
            value: accuracy,
            label: "accuracy of the reference".to_owned(),
        });
    }
    let order = convergence.order.map_or_else(
        || "order not measurable".to_owned(),
        |order| format!("measured order {order:.2}"),
    );
    Panels {
        title: title.to_owned(),
        subtitle: Some(format!("{}, {order}", convergence.method)),
        caption: Some(format!(
            "Distance from the reference at t = {} s. Reference: {}, accurate to about {}.",
            decimal(convergence.t_end),
            convergence.reference,
            power(accuracy),
        )),
        charts: vec![Chart {
            title: String::new(),
            x: Axis::log("step (s)"),
            y: Axis::log("error at the end"),
            series: vec![Curve {
                name: convergence.method.clone(),
                points,
                style: CurveStyle::LineAndPoints,
            }],
            guides,
        }],
    }
    .render()
}

fn line(name: impl AsRef<str>, points: Vec<(f64, f64)>) -> Curve {
    Curve {
        name: name.as_ref().to_owned(),
        points,
        style: CurveStyle::Line,
    }
}
