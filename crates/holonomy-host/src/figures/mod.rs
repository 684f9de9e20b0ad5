//! The figures of a run, a comparison and a convergence study.
mod space;

pub use space::trajectory;

use crate::{
    compare::Comparison,
    converge::Convergence,
    figure::{Axis, Chart, Guide, Panels, Series as Curve, SeriesStyle},
    series::Series,
    summary::Summary,
};

/// Points of a curve on a logarithmic axis: one per pixel or two.
const CURVE: usize = 500;

/// Energy error against time, and below it what else should not change.
pub fn energy(title: &str, summary: &Summary, series: &Series) -> String {
    let error = Chart {
        title: String::new(),
        x: Axis::linear("time (s)"),
        y: Axis::linear("energy error E − E₀ (J)"),
        series: vec![line("energy error", series.energy.points())],
        guides: vec![],
    };
    let mut kept = vec![line("unit length, |1 − q·q|", series.manifold.magnitudes(CURVE))];
    if !series.momentum.is_empty() {
        let name = match &summary.momentum[..] {
            [only] => format!("{} (kg m²/s)", only.name),
            _ => "largest change of a momentum (kg m²/s)".to_owned(),
        };
        kept.push(line(name, series.momentum.magnitudes(CURVE)));
    }
    let others = Chart {
        title: String::new(),
        x: Axis::linear("time (s)"),
        y: Axis::log("error"),
        series: kept,
        guides: vec![],
    };
    Panels {
        title: title.to_owned(),
        subtitle: Some(format!(
            "{}, {} steps of {} s",
            summary.method,
            grouped(summary.steps),
            summary.step
        )),
        caption: Some(caption(summary)),
        charts: vec![error, others],
    }
    .render()
}

fn caption(summary: &Summary) -> String {
    let energy = &summary.energy;
    let mut text = format!(
        "E₀ = {} J; mean |E − E₀| = {} J, largest {} J",
        short(energy.initial),
        power(energy.mean_abs_error),
        power(energy.max_abs_error)
    );
    if let (Some(drift), Some(error)) = (energy.drift_per_second, energy.drift_standard_error) {
        text += &format!("; drift {} ± {} J/s", power(drift), power(error));
    }
    match &summary.error {
        Some(error) => text += &format!(". The run failed {error}."),
        None if summary.stopped => text += ". The run was stopped before its end.",
        None => text.push('.'),
    }
    text
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
    let length = ran().map(|(method, outcome)| {
        let points = outcome.series.manifold.magnitudes(CURVE);
        line(method, below(points, 1.0))
    });
    let chart = |label: &str, series: Vec<Curve>| Chart {
        title: String::new(),
        x: Axis::linear("time (s)"),
        y: Axis::log(label),
        series,
        guides: vec![],
    };
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
        charts: vec![
            chart("|E − E₀| (J)", energy.collect()),
            chart("unit length, |1 − q·q|", length.collect()),
        ],
    }
    .render()
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

/// A number with its power of ten, such as `2.16×10⁻⁵`.
fn power(value: f64) -> String {
    let text = format!("{value:.2e}");
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
        assert_eq!(short(9.81 * 9.81), "96.2361");
        assert_eq!(grouped(1_000_000), "1\u{2009}000\u{2009}000");
        assert_eq!(grouped(1000), "1000");
    }
}
