//! Time of a step against the number of links, of chains on spheres and of trees, and the exponents fitted through it.
use super::{Finding, Published, Study, exponent};
use crate::ReproduceError;
use holonomy::{diagnostics::observed_order, integrator::Integrator, system::State};
use holonomy_report::figure::{Axis, Chart, Curve, CurveStyle, Guide};
use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

const LINKS: [usize; 6] = [32, 64, 128, 256, 512, 1024];
/// Times that all sizes take turns, so that what else the machine does slows all of them alike.
const LAPS: usize = 12;
/// Steps from the same start in each lap. The fastest time of each counts: it is short, so that it has had the
/// machine for itself in some lap.
const STEPS: usize = 6;
const STEP: f64 = 1e-3;

struct Chain {
    links: f64,
    integrator: Box<dyn Integrator>,
    start: State,
    fastest: [f64; STEPS],
    /// Of the same steps.
    evaluations: u32,
}

impl Chain {
    /// Mean time of a step, s.
    fn time(&self) -> f64 {
        self.fastest.iter().sum::<f64>() / STEPS as f64
    }
}

pub(super) fn compute(stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    let mut finding = Finding {
        parameters: format!(
            "Links of 0.1 m and 0.1 kg; chains of spherical pendula start in a quarter of a helix, chains of hinged rods level; at rest; \
             {STEPS} steps of {STEP} s, each the fastest of {LAPS} tries. Fitted over 32 to 1024 links."
        ),
        remark: "Evaluations and solutions of the equations are sweeps along the chain; no matrix is stored. A step of an implicit method \
                 costs as many of them as Newton's method needs, and where a longer chain, with the same step, needs more of them, the \
                 time of a step grows faster than the chain. That the whole step grows as the links was what we first expected, and for \
                 hinges it does not hold; what is compared here is an evaluation. Times are those of this machine, and of what else it did."
            .to_owned(),
        ..Finding::default()
    };
    let mut series = Vec::new();
    for (name, scenario, method) in [
        ("spheres, implicit", "pendulum-chain", "sphere-implicit"),
        ("spheres, RK4", "pendulum-chain", "rk4"),
        ("hinges, variational", "ten-link-cable", "tree-variational"),
        ("hinges, RK4", "ten-link-cable", "rk4"),
    ] {
        let mut chains = Vec::new();
        for links in LINKS {
            let study = sized(scenario, links)?.schedule(STEP, 1.0).method(method);
            let model = study.model()?;
            chains.push(Chain {
                links: links as f64,
                integrator: model.integrator(),
                start: model.state,
                fastest: [f64::INFINITY; STEPS],
                evaluations: 0,
            });
            if method == "tree-variational" {
                finding.command = study.command();
            }
        }
        measure(&mut chains, stop)?;
        let (links, times): (Vec<f64>, Vec<f64>) =
            chains.iter().map(|chain| (chain.links, chain.time())).unzip();
        let evaluations = |chain: &Chain| f64::from(chain.evaluations) / STEPS as f64;
        let each: Vec<f64> = chains
            .iter()
            .map(|chain| chain.time() / evaluations(chain))
            .collect();
        finding
            .compare(
                &format!("exponent of the time of an evaluation, {name}"),
                // Short chains have overhead, long ones leave the caches: a fifth either way.
                exponent(1.0, 0.2),
                observed_order(&links, &each),
                "",
            )
            .compare(
                &format!("exponent of the time of a step, {name}"),
                Published::Nothing,
                observed_order(&links, &times),
                "",
            );
        for chain in [chains.first(), chains.last()].into_iter().flatten() {
            let words = format!("evaluations in a step, {name}, {} links", chain.links);
            finding.compare(&words, Published::Nothing, evaluations(chain), "");
        }
        finding.compare(
            &format!("time of a step per link, {name}, 1024 links"),
            Published::Nothing,
            1e6 * times.last().copied().unwrap_or(f64::NAN) / 1024.0,
            "µs",
        );
        series.push(Curve {
            name: name.to_owned(),
            points: links.into_iter().zip(times).collect(),
            style: CurveStyle::LineAndPoints,
        });
    }
    let chart = Chart {
        title: String::new(),
        x: Axis::log("links"),
        y: Axis::log("time of a step (s)"),
        series,
        guides: vec![Guide::Slope {
            slope: 1.0,
            beside: 0,
            label: "slope 1".to_owned(),
        }],
    };
    finding.figure(chart.render(), "Time of a step against the number of links.");
    Ok(finding)
}

fn sized(scenario: &str, links: usize) -> Result<Study, ReproduceError> {
    let study = Study::scenario(scenario)?;
    Ok(match scenario {
        "pendulum-chain" => study.set("chain.links", links),
        _ => study
            .set("cable.cable.segments", links)
            .set("cable.cable.length", 0.1 * links as f64)
            .set("cable.cable.mass", 0.1 * links as f64),
    })
}

fn measure(chains: &mut [Chain], stop: &AtomicBool) -> Result<(), ReproduceError> {
    for lap in 0..LAPS {
        for chain in chains.iter_mut() {
            if stop.load(Ordering::Relaxed) {
                return Err(ReproduceError::Stopped);
            }
            let mut state = chain.start.clone();
            // The first step finds its work space.
            for k in 0..=STEPS {
                let began = Instant::now();
                let stepped = chain.integrator.step(&mut state, STEP);
                let seconds = began.elapsed().as_secs_f64();
                let info = stepped?;
                if let Some(fastest) = k.checked_sub(1).and_then(|k| chain.fastest.get_mut(k)) {
                    *fastest = fastest.min(seconds);
                    chain.evaluations += if lap == 0 { info.evaluations } else { 0 };
                }
            }
        }
    }
    Ok(())
}
