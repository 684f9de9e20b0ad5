//! All means that the document prints, in one table.
use super::{
    Document, Finding, Item, Published, RK45, Ran, Study, VARIATIONAL, dipoles, double_pendulum, molecules,
    pendula, printed, rk45, rod, three_bodies,
};
use crate::figure::{Axis, Chart, Guide, Series as Curve, SeriesStyle};
use std::sync::atomic::AtomicBool;

pub(super) const ITEM: Item = Item {
    name: "001-means",
    document: Document::Spheres,
    title: "All printed means: energy and unit length of the six examples",
    claim: "the text gives 18 numbers: mean total energy variations and mean unit length errors.",
    compute,
};

/// A number of the document: example, method, what it is of, what is printed and what we get.
struct Row {
    what: String,
    published: Published,
    /// The printed value itself.
    value: f64,
    ours: f64,
    unit: &'static str,
}

fn compute(stop: &AtomicBool) -> Result<Finding, String> {
    let rows = rows(stop)?;
    let mut finding = Finding {
        parameters: "As in the items of the examples.".to_owned(),
        correction: Some(
            "Example 1: energies divided by m g l. Example 2: steps of 5e-3 and 5e-4 s. Example 3: κ₁₂, κ₂₃, κ₃₄, κ₄₁. \
             Example 5: moment of inertia m l²."
                .to_owned(),
        ),
        missing: Some(
            "Example 6 is not compared, as its velocities and σ are not printed; its 1.8893e-3 is shown with whirls of our \
             own."
                .to_owned(),
        ),
        remark: "Seven numbers agree to all five digits and two to 0.04 %. Those of example 4, a chaotic motion, agree in \
                 size. Errors in length of the variational integrators are rounding; ours are below the printed ones \
                 throughout."
            .to_owned(),
        command: "holonomy run double-spherical-pendulum-as-published".to_owned(),
        ..Finding::default()
    };
    for row in &rows {
        finding.compare(&row.what, row.published, row.ours, row.unit);
    }
    finding.figure(
        figure(&rows),
        "Ours over printed, in the order of the table. Errors in length of variational integrators are left out.",
    );
    Ok(finding)
}

fn rows(stop: &AtomicBool) -> Result<Vec<Row>, String> {
    let run = |study: Study| Ran::of(VARIATIONAL, &study, stop);
    let adaptive = |study: &Study, rtol: f64| Ran::of(RK45, &rk45(study, rtol), stop);
    let mut rows = Vec::new();
    let mut add = |what: &str, published: Published, value: f64, ours: f64, unit: &'static str| {
        rows.push(Row {
            what: what.to_owned(),
            published,
            value,
            ours,
            unit,
        });
    };
    let five = |value: f64| (printed(value, 5), value);

    let study = double_pendulum::study()?;
    let (ran, other) = (run(study.clone())?, adaptive(&study, double_pendulum::RTOL)?);
    add(
        "1, variational: energy",
        double_pendulum::ENERGY,
        2.1641e-5,
        ran.energy(),
        "",
    );
    add(
        "1, variational: length",
        Published::AtMost(8.8893e-15),
        f64::NAN,
        ran.length(),
        "",
    );
    let (published, value) = five(7.8586e-4);
    add("1, RK45: energy", published, value, other.energy(), "");
    let (published, value) = five(6.2742e-5);
    add("1, RK45: length", published, value, other.length(), "");

    let study = three_bodies::study()?;
    for (step, value) in [(5e-3, 1.1717e-4), (5e-4, 1.1986e-6)] {
        let ran = run(three_bodies::with_step(&study, step))?;
        let what = format!("2, variational, h = {step:e} s: energy");
        add(&what, printed(value, 5), value, ran.energy(), "J");
    }

    let ran = run(pendula::study()?)?;
    let (published, value) = five(3.6171e-5);
    add("3, variational: energy", published, value, ran.energy(), "J");
    add(
        "3, variational: length",
        Published::AtMost(4.2712e-15),
        f64::NAN,
        ran.length(),
        "",
    );

    let study = rod::study()?;
    let (ran, other) = (run(study.clone())?, adaptive(&study, rod::RTOL)?);
    add(
        "4, variational: energy (1.4310e-6, chaotic: ± 30 %)",
        rod::ENERGY,
        1.4310e-6,
        ran.energy(),
        "J",
    );
    add(
        "4, variational: length",
        Published::AtMost(2.9747e-14),
        f64::NAN,
        ran.length(),
        "",
    );
    let value = 3.5244e-4;
    add(
        "4, RK45: energy (3.5244e-4, chaotic: factor 2)",
        rod::factor_of_two(value),
        value,
        other.energy(),
        "J",
    );
    let value = 1.8725e-5;
    add(
        "4, RK45: length (1.8725e-5, chaotic: factor 2)",
        rod::factor_of_two(value),
        value,
        other.length(),
        "",
    );

    let study = dipoles::study()?;
    let (ran, other) = (run(study.clone())?, adaptive(&study, dipoles::RTOL)?);
    add(
        "5, variational: energy",
        dipoles::ENERGY,
        8.5403e-10,
        ran.energy(),
        "J",
    );
    add(
        "5, variational: length",
        Published::AtMost(1.6140e-14),
        f64::NAN,
        ran.length(),
        "",
    );
    let (published, value) = five(2.9989e-7);
    add("5, RK45: energy", published, value, other.energy(), "J");
    let (published, value) = five(1.7594e-4);
    add("5, RK45: length", published, value, other.length(), "");

    let ran = run(molecules::study()?)?;
    add(
        "6, variational: energy (printed: 1.8893e-3, with other velocities)",
        Published::Nothing,
        1.8893e-3,
        ran.energy(),
        "",
    );
    add(
        "6, variational: length",
        Published::AtMost(5.2623e-15),
        f64::NAN,
        ran.length(),
        "",
    );
    Ok(rows)
}

/// The ratio of ours to theirs, by row.
fn figure(rows: &[Row]) -> String {
    let numbered = rows.iter().filter(|row| row.value.is_finite()).enumerate();
    let points: Vec<(f64, f64, bool)> = numbered
        .map(|(index, row)| {
            let digits = matches!(row.published, Published::Value { .. });
            (index as f64 + 1.0, row.ours / row.value, digits)
        })
        .collect();
    let of = |name: &str, digits: bool| Curve {
        name: name.to_owned(),
        points: points
            .iter()
            .filter(|point| point.2 == digits)
            .map(|point| (point.0, point.1))
            .collect(),
        style: SeriesStyle::Points,
    };
    Chart {
        title: String::new(),
        x: Axis::linear("number, in the order of the table"),
        y: Axis::linear("ours / printed"),
        series: vec![
            of("compared by digits", true),
            of("chaotic, or not specified", false),
        ],
        guides: vec![Guide::Level {
            value: 1.0,
            label: "equal".to_owned(),
        }],
    }
    .render()
}
