//! All means that the document prints, in one table.
use super::{
    Document, Finding, Item, Published, RK45, Ran, Study, VARIATIONAL, dipoles, double_pendulum, molecules,
    pendula, printed, rk45, rod, three_bodies,
};
use crate::ReproduceError;
use std::sync::atomic::AtomicBool;

pub(super) const ITEM: Item = Item {
    name: "001-means",
    document: Document::Spheres,
    title: "All printed means: energy and unit length of the six examples",
    claim: "the text gives 18 numbers: mean total energy variations and mean unit length errors.",
    compute,
};

fn compute(stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    let mut finding = Finding {
        parameters: "As in the items of the examples; example 4 is the mean of five runs.".to_owned(),
        correction: Some(
            "Example 1: energies divided by m g l. Example 2: steps of 5e-3 and 5e-4 s. Example 3: κ₁₂, κ₂₃, κ₃₄, κ₄₁. \
             Example 5: moment of inertia m l²."
                .to_owned(),
        ),
        missing: Some(
            "Example 6 is not compared in energy, as its velocities and σ are not printed; its 1.8893e-3 is shown \
             beside the number of our own whirls."
                .to_owned(),
        ),
        remark: "Seven numbers agree to all five digits and two to 0.04 %. Those of example 4, a chaotic motion, \
                 agree in size. Errors in length of the variational integrators are rounding; ours are below the \
                 printed ones throughout."
            .to_owned(),
        ..Finding::default()
    };
    let run = |study: &Study| Ran::of(VARIATIONAL, study, stop);
    let adaptive = |study: &Study, rtol: f64| Ran::of(RK45, &rk45(study, rtol), stop);

    let study = double_pendulum::study()?;
    finding.command = study.command();
    let (ran, other) = (run(&study)?, adaptive(&study, double_pendulum::RTOL)?);
    finding
        .compare(
            "1, variational: energy",
            double_pendulum::ENERGY,
            ran.energy(),
            "",
        )
        .compare(
            "1, variational: length",
            Published::AtMost(8.8893e-15),
            ran.length(),
            "",
        )
        .compare("1, RK45: energy", printed(7.8586e-4, 5), other.energy(), "")
        .compare("1, RK45: length", printed(6.2742e-5, 5), other.length(), "");

    let study = three_bodies::study()?;
    for (step, value) in [(5e-3, 1.1717e-4), (5e-4, 1.1986e-6)] {
        let ran = run(&three_bodies::with_step(&study, step))?;
        let what = format!("2, variational, h = {step:e} s: energy");
        finding.compare(&what, printed(value, 5), ran.energy(), "J");
    }

    let ran = run(&pendula::study()?)?;
    finding
        .compare("3, variational: energy", printed(3.6171e-5, 5), ran.energy(), "J")
        .compare(
            "3, variational: length",
            Published::AtMost(4.2712e-15),
            ran.length(),
            "",
        );

    let study = rod::study()?;
    let five = rod::perturbed(VARIATIONAL, &study, stop)?;
    let others = rod::perturbed(RK45, &rk45(&study, rod::RTOL), stop)?;
    finding
        .compare(
            "4, variational: energy (1.4310e-6, chaotic: ± 30 %)",
            rod::ENERGY,
            rod::mean(&five, Ran::energy),
            "J",
        )
        .compare(
            "4, variational: length",
            Published::AtMost(2.9747e-14),
            rod::mean(&five, Ran::length),
            "",
        )
        .compare(
            "4, RK45: energy (3.5244e-4, chaotic: factor 2)",
            rod::factor_of_two(3.5244e-4),
            rod::mean(&others, Ran::energy),
            "J",
        )
        .compare(
            "4, RK45: length (1.8725e-5, chaotic: factor 2)",
            rod::factor_of_two(1.8725e-5),
            rod::mean(&others, Ran::length),
            "",
        );

    let study = dipoles::study()?;
    let (ran, other) = (run(&study)?, adaptive(&study, dipoles::RTOL)?);
    finding
        .compare("5, variational: energy", dipoles::ENERGY, ran.energy(), "J")
        .compare(
            "5, variational: length",
            Published::AtMost(1.6140e-14),
            ran.length(),
            "",
        )
        .compare("5, RK45: energy", printed(2.9989e-7, 5), other.energy(), "J")
        .compare("5, RK45: length", printed(1.7594e-4, 5), other.length(), "");

    let ran = run(&molecules::study()?)?;
    finding
        .compare(
            "6, variational: energy (printed: 1.8893e-3, with velocities not given)",
            Published::Nothing,
            ran.energy(),
            "",
        )
        .compare(
            "6, variational: length",
            Published::AtMost(5.2623e-15),
            ran.length(),
            "",
        );
    Ok(finding)
}
