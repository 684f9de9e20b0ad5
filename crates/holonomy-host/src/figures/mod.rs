//! The figures of a run, a comparison and a convergence study.
mod coordinates;
mod space;
mod warmth;

pub use coordinates::{constraint, coordinates, path, phase};
pub use space::{attitude, configurations, trajectory, views};
pub(crate) use warmth::globes;
pub use warmth::warmth;

use crate::{
    compare::Comparison,
    converge::Convergence,
    figure::{Axis, Chart, Guide, Panels, Series as Curve, SeriesStyle},
    series::Series,
    summary::Summary,
};

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
        x: Axis::linear("time (s)"),
        y: Axis::linear(label),
        series: vec![line("energy", points)],
        guides: vec![],
    }];
    let kept = kept(summary, series);
    if !kept.is_empty() {
        charts.push(Chart {
            title: String::new(),
            x: Axis::linear("time (s)"),
            y: Axis::log(match &kept[..] {
                [only] => only.name.as_str(),
                _ => "error",
            }),
            series: kept,
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
fn kept(summary: &Summary, series: &Series) -> Vec<Curve> {
    let mut kept = Vec::new();
    let unit = if summary.manifold.is_some() {
        kept.push(line("unit length, |1 − q·q|", series.manifold.magnitudes(CURVE)));
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
        kept.push(line(name, series.momentum.magnitudes(CURVE)));
    }
    kept
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
            x: Axis::linear("time (s)"),
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
        summary.step
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
            "E = {} J at the start, {} J at the end. It is not conserved: forces act or the formulas depend on time.{}",
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
    if let (Some(drift), Some(error)) = (energy.drift_per_second, energy.drift_standard_error) {
        text += &format!("; drift {} J/s", uncertain(drift, error));
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
    // Below it what the family keeps besides: unit length, constraints, or a momentum.
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
        x: Axis::linear("time (s)"),
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
        subtitle: ran().next().map(|(_, outcome)| {
            let Summary { step, .. } = outcome.summary;
            format!("Several methods, steps of {step} s")
        }),
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
            convergence.t_end,
            convergence.reference,
            power(accuracy),
        )),
        charts: vec![Chart {
            title: String::new(),
            x: Axis::log("step (s)"),
            y: Axis::log("error at the end"),
            series: vec![Curve {
                name: convergence.method.to_owned(),
                points,
                style: SeriesStyle::LineAndPoints,
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
        style: SeriesStyle::Line,
    }
}

/// A number for people: six digits, no trailing zeros.
fn short(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
        format!("{rounded}").replace('-', "−")
    } else {
        power(value)
    }
}

/// A number for people: three digits, with a power of ten where it is very large or small.
pub fn rough(value: f64) -> String {
    match value.abs() {
        1e-3..1e5 => {
            let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
            rounded.to_string().replace('-', "−")
        }
        _ => power(value),
    }
}

/// A number to so many digits, or whole if it is; with a power of ten where it is very large or small.
pub fn digits(value: f64, count: usize) -> String {
    match value.abs() {
        1e-3..1e5 => {
            let before = value.abs().log10().floor() as i64 + 1;
            let decimals = match value.fract() == 0.0 {
                true => 0,
                false => (count as i64 - before).max(0) as usize,
            };
            format!("{value:.decimals$}").replace('-', "−")
        }
        _ => power_to(value, count),
    }
}

/// A number with its power of ten, such as `2.16×10⁻⁵`.
fn power(value: f64) -> String {
    power_to(value, 3)
}

fn power_to(value: f64, count: usize) -> String {
    let text = format!("{value:.*e}", count.saturating_sub(1));
    let Some((digits, exponent)) = text.split_once('e').filter(|_| value != 0.0) else {
        return if value == 0.0 { "0".to_owned() } else { text };
    };
    let digits = digits.replace('-', "−");
    let exponent: String = exponent.chars().map(superscript).collect();
    match exponent.as_str() {
        "⁰" => digits,
        _ => format!("{digits}×10{exponent}"),
    }
}

/// A number with its standard error in the same power of ten, such as `(−1.1 ± 0.1)×10⁻³`: digits as far as the
/// error leaves them.
pub fn uncertain(value: f64, error: f64) -> String {
    let largest = value.abs().max(error.abs());
    if !(largest > 0.0 && largest.is_finite()) {
        return format!("{} ± {}", power(value), power(error));
    }
    let exponent = largest.log10().floor();
    let unit = 10_f64.powf(exponent);
    let (value, error) = (value / unit, error.abs() / unit);
    // Below a thousandth of the value the error would ask for digits that nobody reads.
    let digits = (-error.log10().floor()).clamp(1.0, 3.0) as usize;
    let text = format!("{value:.digits$} ± {error:.digits$}").replace('-', "−");
    match exponent as i32 {
        0 => text,
        exponent => {
            let exponent: String = exponent.to_string().chars().map(superscript).collect();
            format!("({text})×10{exponent}")
        }
    }
}

fn superscript(character: char) -> char {
    match character {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        // The other superscript digits are consecutive in Unicode, from U+2070.
        digit => char::from_u32(0x2070 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
    }
}

/// A count with thousands apart.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && digits.len() > 4 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(power(2.164e-5), "2.16×10⁻⁵");
        assert_eq!(power(-3.0), "−3.00");
        assert_eq!((power(0.0), power(f64::NAN)), ("0".into(), "NaN".into()));
        assert_eq!(short(-0.75), "−0.75");
        assert_eq!(uncertain(-1.12e-3, 9e-5), "(−1.12 ± 0.09)×10⁻³");
        assert_eq!(uncertain(2.1e-7, 1.04e-6), "(0.2 ± 1.0)×10⁻⁶");
        assert_eq!(uncertain(3.25, 0.1), "3.2 ± 0.1");
        assert_eq!(
            (uncertain(0.0, 0.0), uncertain(1e-5, 0.0)),
            ("0 ± 0".into(), "(1.000 ± 0.000)×10⁻⁵".into())
        );
        assert_eq!(
            (digits(11.54904, 6), digits(500.0, 9)),
            ("11.5490".into(), "500".into())
        );
        assert_eq!(
            (digits(-2.16409e-5, 5), digits(0.0, 5)),
            ("−2.1641×10⁻⁵".into(), "0".into())
        );
        assert_eq!(rough(-0.25199), "−0.252");
        assert_eq!(
            (rough(12_345.0), rough(1e-9)),
            ("12300".into(), "1.00×10⁻⁹".into())
        );
        assert_eq!(short(9.81 * 9.81), "96.2361");
        assert_eq!(grouped(1_000_000), "1\u{2009}000\u{2009}000");
        assert_eq!(grouped(1000), "1000");
    }
}
