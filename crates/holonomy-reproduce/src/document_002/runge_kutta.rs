//! Whether Runge–Kutta fails on the baton, or the way in which the notebook puts its parts together.
use super::{
    super::{
        Finding, Published,
        watch::{chart, largest, line, marked},
    },
    baton::{BatonSwing, swing},
};
use crate::ReproduceError;
use holonomy::diagnostics::observed_order;
use holonomy_report::figure::{Axis, Guide};
use std::sync::atomic::AtomicBool;

pub(super) fn conclusion(stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    const STEPS: [f64; 6] = [8e-3, 4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4];
    const METHODS: [&str; 3] = ["notebook-rk4", "rk4", "tree-variational"];
    let swings = |method: &str| -> Result<Vec<BatonSwing>, ReproduceError> {
        STEPS
            .into_iter()
            .map(|step| swing(method, step, 1.2, stop))
            .collect()
    };
    let mut finding = Finding {
        parameters: "The baton of 002-baton-10ms: 10 s at 10 ms and 1 ms; for the order 1.2 s at 8 … \
                     0.25 ms."
            .to_owned(),
        remark: "The numbers the notebook sees are right, and so is its wish for an integrator that \
                 conserves energy. But RK4 does not fail, nor does late discretization: what fails is that \
                 torque, attitude and spin are each held while another moves, and the torque is a step \
                 late. That makes a first-order method that feeds energy in, whatever steps each part. \
                 RK4 on all of them together never goes over the top. Its weakness is a slow drift, \
                 which a variational method does not have."
            .to_owned(),
        command: "holonomy compare baton-quaternion --methods notebook-rk4,rk4,tree-variational --step \
                  0.01"
            .to_owned(),
        ..Finding::default()
    };
    for (step, name) in [(0.01, "10 ms"), (0.001, "1 ms")] {
        // If RK4 were guilty, it would go over the top as the notebook's scheme does.
        finding.compare(
            &format!("times over the top in 10 s with RK4, {name}"),
            Published::Band { from: 1.0, to: 100.0 },
            swing("rk4", step, 10.0, stop)?.passages().0,
            "",
        );
    }
    finding.compare(
        "times over the top in 10 s with RKF45, 1 ms",
        Published::Band { from: 1.0, to: 100.0 },
        swing("rkf45", 0.001, 10.0, stop)?.passages().0,
        "",
    );
    let gained: Vec<f64> = swings(METHODS[0])?
        .iter()
        .map(|swing| swing.gained().abs())
        .collect();
    // Half an order is what an estimate from few steps may be off.
    let fourth = Published::Value {
        value: 4.0,
        within: 0.125,
    };
    finding.compare(
        "order of the notebook's “fourth-order Runge–Kutta”",
        fourth,
        observed_order(&STEPS[2..], &gained[2..]),
        "",
    );
    let long = swing("rk4", 0.01, 100.0, stop)?;
    finding
        .compare(
            "energy gained in 100 s, rk4, 10 ms",
            Published::Nothing,
            long.gained(),
            "J",
        )
        .compare(
            "largest energy error in 100 s, tree-variational, 10 ms",
            Published::Nothing,
            swing("tree-variational", 0.01, 100.0, stop)?.worst(),
            "J",
        );
    let mut curves = Vec::new();
    for method in METHODS {
        let worst = swings(method)?
            .iter()
            .map(BatonSwing::worst)
            .collect::<Vec<f64>>();
        curves.push(marked(method, STEPS.into_iter().zip(worst).collect()));
    }
    let mut figure = chart(
        Axis::log("step (s)"),
        Axis::log("largest |E − E₀| in 1.2 s (J)"),
        curves,
    );
    for (slope, beside) in [(1.0, 0), (5.0, 1), (2.0, 2)] {
        let label = format!("slope {slope}");
        figure.guides.push(Guide::Slope { slope, beside, label });
    }
    finding.figure(
        figure.render(),
        "Energy error of the first swing against the step.",
    );
    let mut series = Vec::new();
    for method in METHODS {
        let run = swing(method, 0.001, 10.0, stop)?;
        series.push(line(method, largest(&run.against_time(&run.error)[1..], 200)));
    }
    let time = chart(Axis::linear("time (s)"), Axis::log("|E − E₀| (J)"), series);
    finding.figure(time.render(), "Energy error against time at 1 ms.");
    Ok(finding)
}
