//! Example 6, Figs. 3.6 and 3.7: 642 molecules on a sphere, stirred by two whirls.
use super::{Document, Finding, Item, Moment, Published, Ran, Study, VARIATIONAL, curve, moments, printed};
use crate::ReproduceError;
use holonomy_report::{
    figure::{Axis, Chart, Panels, Path, Space},
    figures, warmth,
};
use std::sync::atomic::AtomicBool;

pub(super) const MOTION: Item = Item {
    name: "001-fig-3-6",
    document: Document::Spheres,
    title: "Example 6, Fig. 3.6: molecules on a sphere",
    claim: "642 molecules start as two vortices 30° apart; energy is conserved to 1.8893e-3 and unit length to \
            5.2623e-15 in the mean over 5 s.",
    compute: motion,
};

pub(super) const MAPS: Item = Item {
    name: "001-fig-3-7",
    document: Document::Spheres,
    title: "Example 6, Fig. 3.7: maps of kinetic energy",
    claim: "coloured spheres show how the local mean of kinetic energy, a temperature, changes with time.",
    compute: maps,
};

/// Two whirls that turn the same way, measured at every step.
pub(super) fn study() -> Result<Study, ReproduceError> {
    Ok(Study::scenario("molecules-on-a-sphere")?.set("run.every", 1_u64))
}

pub(super) const MISSING: &str = "The velocities of the vortices and σ are not printed, so the number cannot be \
    computed.";

const PARAMETERS: &str = "642 vertices of an icosphere, m = 1, ε = 0.01, σ = mean edge / 2^(1/6) = 0.1342849; \
    velocities v = Σ U (c × q) exp(−(angle to c / 0.3)²) about c = (± sin 15°, 0, cos 15°), U = 5 rad/s; h = 0.005 \
    s, 5 s.";

fn motion(stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    let study = study()?;
    let same = Ran::of(VARIATIONAL, &study, stop)?;
    let opposite = Ran::of(VARIATIONAL, &study.clone().set("swirl.2.rate", -5.0), stop)?;
    let mut finding = Finding {
        parameters: format!("{PARAMETERS} Opposite: the second whirl turns the other way."),
        missing: Some(MISSING.to_owned()),
        remark: "With whirls of our own that turn the same way the mean is 12 % below the printed one, with \
                 opposite ones 10 % above: the same size, but their strength was chosen with the printed size in \
                 sight. That is no reproduction, and none is possible. The error in length is below the printed \
                 one."
            .to_owned(),
        command: study.command(),
        ..Finding::default()
    };
    finding
        .compare(
            "our whirls, same sense: mean |E − E₀|",
            printed(1.8893e-3, 5),
            same.energy(),
            "",
        )
        .compare(
            "our whirls, opposite sense: mean |E − E₀|",
            printed(1.8893e-3, 5),
            opposite.energy(),
            "",
        )
        .compare("mean |1 − q·q|", Published::AtMost(5.2623e-15), same.length(), "");
    let momenta = same.summary.momentum.iter().map(|momentum| momentum.max_error);
    finding.compare(
        "largest change of angular momentum",
        Published::Nothing,
        momenta.fold(0.0, f64::max),
        "",
    );
    finding.figure(
        paths(&study, stop)?,
        "Fig. 3.6a: the first second of the sixty molecules that move fastest at the start, seen from above the \
         whirls.",
    );
    let chart = |y: Axis, of: fn(&Ran) -> Vec<(f64, f64)>| Chart {
        title: String::new(),
        x: Axis::linear("time (s)"),
        y,
        series: vec![curve("same sense", of(&same)), curve("opposite", of(&opposite))],
        guides: vec![],
    };
    let panels = Panels {
        title: String::new(),
        subtitle: None,
        caption: None,
        charts: vec![
            chart(Axis::linear("energy error E − E₀ (J)"), |ran| {
                super::extremes(&ran.series.energy.points())
            }),
            chart(Axis::log("unit length, |1 − q·q|"), |ran| {
                ran.series.manifold.magnitudes(super::CURVE)
            }),
        ],
    };
    finding.figure(
        panels.render(),
        "Fig. 3.6b: error of the total energy, and unit length, with both pairs of whirls.",
    );
    Ok(finding)
}

/// Paths of the fastest molecules in the first second.
fn paths(study: &Study, stop: &AtomicBool) -> Result<String, ReproduceError> {
    const SHOWN: usize = 60;
    let first = study.clone().schedule(0.005, 1.0);
    let kept = moments(&first, 5, stop)?;
    let Some(start) = kept.first() else {
        return Err(ReproduceError::TooShort { what: "samples" });
    };
    let kinetic = kinetic(start);
    let mut fastest: Vec<usize> = (0..kinetic.len()).collect();
    fastest.sort_by(|a, b| kinetic[*b].total_cmp(&kinetic[*a]));
    let path = |(rank, &molecule): (usize, &usize)| Path {
        name: match rank {
            0 => "fastest".to_owned(),
            _ => format!("number {}", rank + 1),
        },
        points: kept.iter().map(|moment| moment.sites[molecule].into()).collect(),
    };
    Ok(Space {
        title: String::new(),
        caption: "variational, steps of 0.005 s; t = 0 … 1 s.".to_owned(),
        spheres: true,
        paths: fastest.iter().take(SHOWN).enumerate().map(path).collect(),
        links: vec![],
        strings: vec![],
        // So that the whirls about the z axis face the reader.
        down: [0.55, 0.59, -0.6],
    }
    .render())
}

/// Kinetic energies; the molecules have unit mass and distance.
fn kinetic(moment: &Moment) -> Vec<f64> {
    let squares = moment.velocity.chunks(3);
    squares
        .map(|omega| 0.5 * omega.iter().map(|part| part * part).sum::<f64>())
        .collect()
}

fn maps(stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    let study = Study::scenario("molecules-on-a-sphere")?;
    // Every 200 steps: 0, 1, … 5 s.
    let kept = moments(&study, 200, stop)?;
    let mut finding = Finding {
        parameters: format!(
            "{PARAMETERS} 5120 faces; each shows the mean over molecules within 0.15 rad of its centre, the mean \
             distance of neighbours, or the nearest one if there is none. The document has 5120 faces and takes \
             the means over neighbouring faces."
        ),
        missing: Some(MISSING.to_owned()),
        remark:
            "No number is printed with these maps. With whirls of our own the kinetic energy, all of it near \
                 the whirls at first, runs over the sphere in waves and spreads."
                .to_owned(),
        command: study.command(),
        ..Finding::default()
    };
    for (k, moment) in kept.iter().enumerate() {
        if k == 0 || k + 1 == kept.len() {
            let kinetic = kinetic(moment);
            let near = kinetic.iter().zip(&moment.sites);
            let near: f64 = near
                .filter(|(_, site)| site.z > CAP.cos())
                .map(|(energy, _)| energy)
                .sum();
            finding
                .compare(
                    &format!(
                        "share of kinetic energy within 45° of the z axis, t = {:.0} s",
                        moment.t
                    ),
                    Published::Nothing,
                    near / kinetic.iter().sum::<f64>(),
                    "",
                )
                .compare(
                    &format!(
                        "molecules that share the kinetic energy, (Σ K)²/Σ K², t = {:.0} s",
                        moment.t
                    ),
                    Published::Nothing,
                    kinetic.iter().sum::<f64>().powi(2)
                        / kinetic.iter().map(|energy| energy * energy).sum::<f64>(),
                    "",
                );
        }
    }
    finding.figure(
        globes(&kept),
        "Local mean of the kinetic energy, the half of the sphere with the whirls. Dark is slow, light is fast.",
    );
    Ok(finding)
}

/// Half the angle of a cap about both whirls.
const CAP: f64 = std::f64::consts::FRAC_PI_4;

fn globes(kept: &[Moment]) -> String {
    let warm: Vec<warmth::Moment> = kept
        .iter()
        .map(|moment| warmth::Moment {
            t: moment.t,
            places: moment.sites.clone(),
            kinetic: kinetic(moment),
        })
        .collect();
    let levels = vec![0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128];
    let warm: Vec<&warmth::Moment> = warm.iter().collect();
    figures::globes("", &warm, levels, [0.0, -0.5, 0.866])
}
