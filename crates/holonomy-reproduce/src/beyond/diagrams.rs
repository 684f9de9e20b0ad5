//! Work–precision diagrams of three motions, with every method that serves them.
use super::{Finding, Published, Study};
use crate::ReproduceError;
use holonomy_host::precision::{self, Plan};
use holonomy_report::{
    certificate::Effort,
    number::decimal,
    precision::{Cost, ErrorKind, Precision},
    run::Control,
};
use std::sync::atomic::AtomicBool;

/// What is run, and for which order the slopes are compared: the highest steps that still show it.
struct Motion {
    scenario: &'static str,
    /// A step in the middle of the plan, and the duration, s.
    step: f64,
    duration: f64,
    parameters: &'static str,
    /// Methods with a fixed step whose slope is compared with their order.
    compared: &'static [&'static str],
}

pub(super) fn spheres(stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    diagram(
        &Motion {
            scenario: "double-spherical-pendulum",
            step: 0.01,
            duration: 10.0,
            parameters: "The double spherical pendulum of Lee–Leok–McClamroch over 10 s, before chaos has made states incomparable.",
            compared: &["sphere-implicit", "sphere-implicit-4", "rk4"],
        },
        stop,
    )
}

pub(super) fn lagrangian(stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    diagram(
        &Motion {
            scenario: "plane-pendulum",
            step: 0.01,
            duration: 10.0,
            parameters: "The pendulum of the cable report over 10 s, about five swings.",
            compared: &["trapezoid", "trapezoid-4", "rk4"],
        },
        stop,
    )
}

pub(super) fn tree(stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    diagram(
        &Motion {
            scenario: "four-bar",
            step: 0.004,
            duration: 2.0,
            parameters: "Crank, coupler and rocker with a pin between them, over 2 s: one and a half turns of the crank.",
            compared: &["tree-variational", "rk4"],
        },
        stop,
    )
}

fn diagram(motion: &Motion, stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    let study = Study::scenario(motion.scenario)?.schedule(motion.step, motion.duration);
    let model = study.model()?;
    let control = Control {
        stop,
        progress: &mut |_| {},
        effort: Effort::None,
    };
    let precision = precision::measure(
        &model,
        motion.scenario,
        &precision::methods(&model),
        &Plan::around(&model),
        &mut |_| {},
        control,
    )?;
    let mut finding = Finding {
        parameters: format!(
            "{} Steps from {} to {} s, relative tolerances from 1e-2 to 1e-12 with absolute ones of a hundredth; times are those of the \
             fastest of several runs.",
            motion.parameters,
            decimal(16.0 * motion.step),
            decimal(0.25 * motion.step)
        ),
        remark: format!(
            "{} This is a short motion, in which there is little to lose: what structure is worth shows in long ones.",
            precision.conclusion()
        ),
        command: format!(
            "holonomy converge {} --duration {} --steps {},{},{}",
            motion.scenario,
            motion.duration,
            decimal(4.0 * motion.step),
            decimal(motion.step),
            decimal(0.25 * motion.step)
        ),
        ..Finding::default()
    };
    for name in motion.compared {
        let curve = precision.curves.iter().find(|curve| curve.method == *name);
        let slope = curve.and_then(|curve| curve.slope).unwrap_or(f64::NAN);
        let order = curve.map_or(f64::NAN, |curve| f64::from(curve.order));
        // The longest steps are not yet in the regime of the order: a slope may be off by a fifth.
        let order = Published::Value {
            value: order,
            within: 0.2,
        };
        finding.compare(&format!("slope of {name}"), order, slope, "");
    }
    least(&mut finding, &precision);
    finding.figure(
        precision.figure("", Cost::Evaluations),
        "Errors of state and energy against force evaluations.",
    );
    finding.figure(precision.figure("", Cost::Seconds), "The same against wall time.");
    Ok(finding)
}

/// The least work of both kinds of methods for some errors.
fn least(finding: &mut Finding, precision: &Precision) {
    for target in [1e-2, 1e-4, 1e-6, 1e-8, 1e-10] {
        if let Some(winner) = precision.winner(target, ErrorKind::State, Cost::Evaluations) {
            let words = |name: &str| format!("force evaluations for an error of {target:e}: {name}");
            finding.compare(&words(winner.method), Published::Nothing, winner.work.round(), "");
            if let Some((other, work)) = winner.other {
                finding.compare(&words(other), Published::Nothing, work.round(), "");
            }
        }
    }
}
