//! Example 3, Fig. 3.3: four pendula joined by springs.
use super::{
    Document, Finding, Item, PROJECTED, Published, RK2, RK45, Ran, Study, VARIATIONAL, against_time, motion,
    printed, projected, rk2, rk45,
};
use crate::ReproduceError;
use std::sync::atomic::AtomicBool;

pub(super) const ITEM: Item = Item {
    name: "001-fig-3-3",
    document: Document::Spheres,
    title: "Example 3, Fig. 3.3: four pendula joined by springs",
    claim: "the variational integrator conserves energy to 3.6171e-5 N m and unit length to 4.2712e-15 in the mean; both \
            RK2 and RK2 with projection gain energy, and projection makes it worse.",
    compute,
};

pub(super) fn study() -> Result<Study, ReproduceError> {
    Study::scenario("spring-coupled-pendula")
}

fn compute(stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    let study = study()?;
    let variational = Ran::of(VARIATIONAL, &study, stop)?;
    let plain = Ran::of(RK2, &rk2(&study), stop)?;
    let put_back = Ran::of(PROJECTED, &projected(&study), stop)?;
    let ode45 = Ran::of(RK45, &rk45(&study, 1e-4), stop)?;
    let mut finding = Finding {
        parameters: "m = 0.1 kg, l = 0.1 m, g = 9.81 m/s²; pivots 0, l e₁, l e₁ − l e₂, −l e₂; springs between the \
                     middles of neighbours, κ = 10, 20, 30, 40 N/m, at rest at 0.1 m; q₁ = q₂ = q₄ = e₃ (down), q₃ \
                     = (½ cos 20°, ½ sin 20°, √3/2), ω₁ = (−10, 4, 0) rad/s; h = 0.005 s, 30 s. RK2: midpoint \
                     rule, same step. RK45: rtol 1e-4, atol 1e-6."
            .to_owned(),
        correction: Some(
            "The four stiffnesses, all printed as κ₁₂, are κ₁₂, κ₂₃, κ₃₄ and κ₄₁; e₁ is (1, 0, 0).".to_owned(),
        ),
        missing: Some(
            "Neither step nor duration is printed: 0.005 s and 30 s give the printed number, and so would 26 \
             s.".to_owned(),
        ),
        remark: "All five digits agree. Projection after each step does make the energy of RK2 worse, by about a \
                 quarter over these 30 s."
            .to_owned(),
        command: study.command(),
        ..Finding::default()
    };
    finding
        .compare(
            "variational: mean |E − E₀|",
            printed(3.6171e-5, 5),
            variational.energy(),
            "J",
        )
        .compare(
            "variational: mean |1 − q·q|",
            Published::AtMost(4.2712e-15),
            variational.length(),
            "",
        )
        // "A notable increase", of both: they end with more energy than they had.
        .compare(
            "RK2: energy lost (a gain is negative)",
            Published::AtMost(0.0),
            -plain.gain(),
            "J",
        )
        .compare(
            "RK2 with projection: energy lost (a gain is negative)",
            Published::AtMost(0.0),
            -put_back.gain(),
            "J",
        )
        // "Makes the total energy error worse": without it, the error is smaller.
        .compare(
            "mean |E − E₀| of RK2 without projection over that with it",
            Published::AtMost(1.0),
            plain.energy() / put_back.energy(),
            "",
        )
        .compare("RK2: mean |E − E₀|", Published::Nothing, plain.energy(), "J")
        .compare("RK2: mean |1 − q·q|", Published::Nothing, plain.length(), "")
        .compare(
            "RK2 with projection: mean |E − E₀|",
            Published::Nothing,
            put_back.energy(),
            "J",
        )
        .compare("RK45: mean |E − E₀|", Published::Nothing, ode45.energy(), "J");
    let begun = study.clone().set("run.duration", 4.0);
    finding.figure(
        motion(&begun, &Ran::of(VARIATIONAL, &begun, stop)?, 400)?,
        "Fig. 3.3a: the paths of the four masses in the first 4 s, and the pendula then.",
    );
    finding.figure(
        against_time(&[&variational, &plain, &put_back], &[&ode45], "J"),
        "Figs. 3.3b and 3.3c: total energy and unit length. The document compares the first three methods.",
    );
    Ok(finding)
}
