//! The inverted pendulum in pitch δ and cone roll η: its motion by late and by early discretization.
//!
//! ```text
//! δ̈ = sin δ (g/c cos η − cos δ η̇²),     η̈ = g/c sin η / cos δ + 2 tan δ δ̇ η̇
//! L_d = h L((q_k + q_{k+1})/2, (q_{k+1} − q_k)/h)
//! ```
use super::{
    super::{
        Finding, Published, Study,
        watch::{chart, largest, line, thinned, watch},
    },
    baton,
    coordinates::direction,
};
use crate::ReproduceError;
use holonomy_report::figure::{Axis, Chart, Curve, Grid, Panels};
use std::{f64::consts::PI, sync::atomic::AtomicBool};

pub(super) const PARAMETERS: &str = "m = 1 kg, c = 1.2 m, g = 9.81 m/s², from rest at δ = 10°, η = 5°.";
pub(super) const STEP: f64 = 1e-3;

/// Late discretization with a relative and absolute tolerance; the notebook's NDSolve aims at 1e-8 by default.
pub(super) fn late(tolerance: f64, step: f64, duration: f64) -> Result<Study, ReproduceError> {
    let study = Study::scenario("pitch-cone-roll")?.adaptive("dop853", tolerance, tolerance);
    Ok(study.schedule(step, duration).set("run.every", 1_u64))
}

/// Early discretization: the discrete Lagrangian of the midpoint rule.
pub(super) fn early(duration: f64) -> Result<Study, ReproduceError> {
    let study = Study::scenario("pitch-cone-roll")?.schedule(STEP, duration);
    Ok(study.set("run.every", 1_u64))
}

/// One sample: time, angles, rates, energy.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) t: f64,
    pub(super) q: [f64; 2],
    pub(super) v: [f64; 2],
    pub(super) energy: f64,
    pub(super) momentum: f64,
}

pub(super) fn seen(study: &Study, stop: &AtomicBool) -> Result<Vec<Seen>, ReproduceError> {
    let mut all = Vec::new();
    watch(&study.model()?, stop, |sample| {
        let (q, v) = (&sample.state.q, &sample.measured.velocity);
        all.push(Seen {
            t: sample.state.t,
            q: [q[0], q[1]],
            v: [v[0], v[1]],
            energy: sample.measured.energy.total(),
            momentum: sample.measured.invariants.first().copied().unwrap_or(f64::NAN),
        });
    })?;
    Ok(all)
}

/// One value of every sample against time, degrees.
fn degrees(seen: &[Seen], value: impl Fn(&Seen) -> f64) -> Vec<(f64, f64)> {
    let points: Vec<(f64, f64)> = seen
        .iter()
        .map(|seen| (seen.t, value(seen).to_degrees()))
        .collect();
    thinned(&points, 500)
}

fn against_time(label: &str, series: Vec<Curve>) -> Chart {
    chart(Axis::linear("time (s)"), Axis::linear(label), series)
}

fn stacked(charts: Vec<Chart>) -> String {
    Panels {
        title: String::new(),
        subtitle: None,
        caption: None,
        charts,
    }
    .render_with(170.0)
}

pub(super) fn angles(stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    let study = late(1e-8, STEP, 25.0)?;
    let seen = seen(&study, stop)?;
    let mean = seen.iter().map(|seen| seen.energy).sum::<f64>() / seen.len() as f64;
    let mut finding = Finding {
        parameters: format!(
            "{PARAMETERS} dop853 with tolerances 1e-8, what NDSolve aims at by default; 25 s."
        ),
        remark: "The pendulum falls from near the top, swings through the lowest point, and comes back: \
                 η runs from 5° to 355° and back, δ reaches 64° on either side."
            .to_owned(),
        command: study.command(),
        ..Finding::default()
    };
    // Four decimals.
    let printed = Published::Value {
        value: 11.5490,
        within: 5e-5 / 11.5490,
    };
    let most = seen.iter().map(|seen| seen.q[0]).fold(0.0, f64::max);
    finding.compare("mean energy", printed, mean, "J").compare(
        "largest pitch",
        Published::Nothing,
        most.to_degrees(),
        "°",
    );
    let panel =
        |label: &str, value: fn(&Seen) -> f64| against_time(label, vec![line(label, degrees(&seen, value))]);
    finding.figure(
        stacked(vec![
            panel("δ (°)", |seen| seen.q[0]),
            panel("η (°)", |seen| seen.q[1]),
            panel("rate of δ (°/s)", |seen| seen.v[0]),
            panel("rate of η (°/s)", |seen| seen.v[1]),
        ]),
        "Angles and their rates.",
    );
    Ok(finding)
}

pub(super) fn same_pitch(stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    let study = late(1e-8, STEP, 10.0)?;
    let seen = seen(&study, stop)?;
    let baton = baton::swing("notebook-rk4", 1e-4, 10.0, stop)?;
    let changes = seen
        .windows(2)
        .flat_map(|pair| (0..2).map(|i| (pair[1].q[i] - pair[0].q[i]).abs()));
    let jump = changes.fold(0.0, f64::max).to_degrees();
    let bottom = seen
        .iter()
        .find(|seen| seen.q[1] >= PI)
        .map_or(f64::NAN, |seen| seen.t);
    let pairs = baton.times.iter().zip(&baton.angle);
    let other = pairs
        .into_iter()
        .find(|(_, angle)| **angle >= PI)
        .map_or(f64::NAN, |(t, _)| *t);
    let mut finding = Finding {
        parameters: format!(
            "{PARAMETERS} dop853, tolerances 1e-8, sampled every 1 ms; the baton by notebook-rk4 at 100 \
             µs."
        ),
        remark: "In these coordinates the solution is smooth: there are sharp bends, but no jumps. And \
                 the two models are different pendulums: the baton has its moment of inertia about the \
                 centre, 0.48 kg m², but the moment of gravity about its end (Ω² = 24.5 s⁻²); the other \
                 is a point mass, 1.44 kg m² (8.2 s⁻²). The shapes are alike, the times are not."
            .to_owned(),
        command: study.command(),
        ..Finding::default()
    };
    // A jump from one branch to another is of 90° or more. Two curves of a plot are identical to the eye within 2 %.
    finding
        .compare(
            "largest change of an angle in 1 ms",
            Published::Band {
                from: 90.0,
                to: 360.0,
            },
            jump,
            "°",
        )
        .compare(
            "time to the lowest point over that of the baton",
            Published::Value {
                value: 1.0,
                within: 0.02,
            },
            bottom / other,
            "",
        )
        .compare("time to the lowest point", Published::Nothing, bottom, "s")
        .compare(
            "time of the baton to the lowest point",
            Published::Nothing,
            other,
            "s",
        );
    let height: Vec<(f64, f64)> = seen.iter().map(|seen| (seen.t, direction(seen.q).z)).collect();
    let heights = baton
        .times
        .iter()
        .zip(&baton.angle)
        .map(|(t, angle)| (*t, angle.cos()));
    let figure = against_time(
        "height of the centre of mass / c",
        vec![
            line("pitch and cone roll", thinned(&height, 400)),
            line("baton, 100 µs", thinned(&heights.collect::<Vec<_>>(), 400)),
        ],
    );
    finding.figure(
        figure.render(),
        "Two pendulums: they fall from about the same height, in different times.",
    );
    Ok(finding)
}

/// Highest less lowest of the pitches at which it turns back, degrees: zero for a closed curve.
fn thickness(seen: &[Seen]) -> f64 {
    let turns = seen
        .windows(2)
        .filter(|pair| pair[0].v[0] > 0.0 && pair[1].v[0] <= 0.0 && pair[0].q[0] > 0.5);
    let tops = turns.map(|pair| {
        let share = pair[0].v[0] / (pair[0].v[0] - pair[1].v[0]);
        pair[0].q[0] + 0.5 * pair[0].v[0] * share * (pair[1].t - pair[0].t)
    });
    let (low, high) = tops.fold((f64::MAX, f64::MIN), |(low, high), top| {
        (low.min(top), high.max(top))
    });
    (high - low).to_degrees()
}

pub(super) fn portraits(stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    const SAMPLE: f64 = 0.01;
    let study = late(1e-8, SAMPLE, 400.0)?;
    let usual = seen(&study, stop)?;
    let mut finding = Finding {
        parameters: format!(
            "{PARAMETERS} dop853 with equal relative and absolute tolerances, sampled every 10 ms; 400 \
             s."
        ),
        missing: Some("Method and tolerance of NDSolve are not given.".to_owned()),
        remark: "They do thicken: the exact motion is periodic in a plane and its portraits are closed \
                 curves, but with the tolerances that NDSolve aims at the plane of the swing turns a \
                 little in 400 s. It does not fall steadily with the tolerance, but with a small one it \
                 is gone: it is no mark of late discretization as such. The early discretization, whose \
                 energy is better bounded, thickens far more, and in 50 s: its plane turns faster."
            .to_owned(),
        command: study.command(),
        ..Finding::default()
    };
    // Seen in a plot of 130° from half a degree on.
    finding.compare(
        "pitch at the turning points, highest less lowest, tolerance 1e-8",
        Published::Band { from: 0.5, to: 30.0 },
        thickness(&usual),
        "°",
    );
    for tolerance in [1e-5, 1e-6, 1e-12] {
        let spread = thickness(&seen(&late(tolerance, SAMPLE, 400.0)?, stop)?);
        let what = format!("the same, tolerance {tolerance:e}");
        finding.compare(&what, Published::Nothing, spread, "°");
    }
    let discrete = thickness(&seen(&early(50.0)?, stop)?);
    finding.compare(
        "the same, early discretization at 1 ms, in 50 s",
        Published::Nothing,
        discrete,
        "°",
    );
    let portrait = |which: usize, name: &str| {
        let part = |name: &str, from: f64, to: f64| {
            let kept = usual
                .iter()
                .filter(|seen| (from..=to).contains(&seen.t))
                .step_by(2);
            let points = kept.map(|seen| (seen.q[which].to_degrees(), seen.v[which].to_degrees()));
            line(name, points.collect())
        };
        chart(
            Axis::linear(format!("{name} (°)")),
            Axis::linear(format!("rate of {name} (°/s)")),
            vec![part("first 10 s", 0.0, 10.0), part("last 10 s", 390.0, 400.0)],
        )
    };
    let grid = Grid {
        title: String::new(),
        subtitle: None,
        caption: None,
        charts: vec![portrait(0, "δ"), portrait(1, "η")],
        equal: false,
    };
    finding.figure(
        grid.render(),
        "Phase portraits at the beginning and at the end of 400 s, tolerance 1e-8.",
    );
    Ok(finding)
}

pub(super) fn early_angles(stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    let study = early(25.0)?;
    let discrete = seen(&study, stop)?;
    let exact = seen(&late(1e-13, STEP, 25.0)?, stop)?;
    let pairs = discrete.iter().zip(&exact);
    let apart: Vec<(f64, f64)> = pairs
        .map(|(a, b)| (a.t, (direction(a.q) - direction(b.q)).norm()))
        .collect();
    let most = apart.iter().map(|point| point.1).fold(0.0, f64::max);
    let mut finding = Finding {
        parameters: format!(
            "{PARAMETERS} `midpoint`, the notebook's discrete Lagrangian, 25 000 steps of 1 ms."
        ),
        correction: Some(
            "Where the printed discrete Lagrangian has “ηk + ηkp1/2”, (ηk + ηkp1)/2 is meant.".to_owned(),
        ),
        remark: "The same swings at the same times. In numbers they part slowly: the plane of the swing \
                 turns, by O(h²), as the coordinates hide the symmetry about the vertical from the \
                 method, and the largest pitch grows with it."
            .to_owned(),
        command: study.command(),
        ..Finding::default()
    };
    let swings = |path: &[Seen]| {
        let through = |pair: &&[Seen]| (pair[0].q[1] < PI) != (pair[1].q[1] < PI);
        path.windows(2).filter(through).count() as f64
    };
    let steepest = |from: f64, to: f64| {
        let kept = discrete.iter().filter(|seen| (from..=to).contains(&seen.t));
        kept.map(|seen| seen.q[0].abs()).fold(0.0, f64::max).to_degrees()
    };
    // “Qualitatively the same”: as many swings, and a tenth of the length apart at most.
    finding
        .compare(
            "swings through the lowest point, early less late",
            Published::AtMost(0.0),
            (swings(&discrete) - swings(&exact)).abs(),
            "",
        )
        .compare(
            "largest distance from the late discretization / c",
            Published::AtMost(0.1),
            most,
            "",
        )
        .compare(
            "largest pitch in the first 5 s",
            Published::Nothing,
            steepest(0.0, 5.0),
            "°",
        )
        .compare(
            "largest pitch in the last 5 s",
            Published::Nothing,
            steepest(20.0, 25.0),
            "°",
        );
    let curve = |name: &str, which: usize| line(name, degrees(&discrete, |seen| seen.q[which]));
    let difference = chart(
        Axis::linear("time (s)"),
        Axis::log("distance from dop853 / c"),
        vec![line("distance", largest(&apart[1..], 300))],
    );
    finding.figure(
        stacked(vec![
            against_time("angle (°)", vec![curve("δ", 0), curve("η", 1)]),
            difference,
        ]),
        "Early-discretized angles, and how far they are from the solution of the equations of motion.",
    );
    Ok(finding)
}
