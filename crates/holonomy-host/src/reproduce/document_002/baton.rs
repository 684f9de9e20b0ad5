//! The baton on a quaternion, by the notebook's scheme and by RK4 on attitude and spin together.
//!
//! ```text
//! τ = m|g| e₃ × c_s,   c_s = R c_b          ∫ dE: Σ (ω_k − ω_{k−1}) · L_k, as the notebook adds it up
//! ```
//! The notebook's torque of step k is that of c_s two attitudes before the one it is drawn with.
use super::super::{
    Finding, Published, Study,
    watch::{chart, largest, line, marked, thinned, watch},
};
use crate::figure::{Axis, Chart, Grid, Guide, Series};
use holonomy::{
    Vec3,
    diagnostics::observed_order,
    geometry::{EulerOrder, so3},
};
use std::{f64::consts::TAU, sync::atomic::AtomicBool};

/// m|g| for 1 kg at 1.2 m, N, and where it acts in the body, m.
const WEIGHT: f64 = 9.81;
const ARM: f64 = 1.2;
const MOMENTS: [f64; 3] = [0.4801, 0.4801, 2e-4];
/// Points of a drawn curve.
const DRAWN: usize = 350;

fn study(method: &str, step: f64, duration: f64) -> Result<Study, String> {
    let study = Study::scenario("baton-quaternion")?.method(method);
    Ok(study.schedule(step, duration).set("run.every=1"))
}

#[derive(Default)]
pub(super) struct Swing {
    pub(super) times: Vec<f64>,
    /// From the upright, without jumps, rad.
    pub(super) angle: Vec<f64>,
    torque: Vec<f64>,
    /// Yaw, pitch, roll, degrees.
    euler: Vec<[f64; 3]>,
    kinetic: Vec<f64>,
    /// The notebook's sum for it.
    summed: Vec<f64>,
    error: Vec<f64>,
}

pub(super) fn swing(method: &str, step: f64, duration: f64, stop: &AtomicBool) -> Result<Swing, String> {
    let mut seen = Swing::default();
    let (mut before, mut start) = (Vec3::zeros(), None);
    watch(&study(method, step, duration)?.model()?, stop, |sample| {
        let (q, p) = (&sample.state.q, &sample.state.p);
        let momentum = Vec3::new(p[0], p[1], p[2]);
        let spin = momentum.component_div(&Vec3::from(MOMENTS));
        let energy = sample.measured.energy;
        let raw = 2.0 * q[2].atan2(q[0]);
        let angle = seen
            .angle
            .last()
            .map_or(raw, |last| raw + TAU * ((last - raw) / TAU).round());
        seen.times.push(sample.state.t);
        seen.angle.push(angle);
        seen.torque.push(WEIGHT * ARM * so3::matrix(q)[(0, 2)]);
        seen.euler.push(EulerOrder::ZYX.angles(q).map(f64::to_degrees));
        seen.kinetic.push(energy.kinetic);
        let sum = seen
            .summed
            .last()
            .map_or(0.0, |sum| sum + (spin - before).dot(&momentum));
        seen.summed.push(sum);
        seen.error
            .push(energy.total() - *start.get_or_insert(energy.total()));
        before = spin;
    })?;
    Ok(seen)
}

impl Swing {
    /// How often the baton goes over the top, and when first.
    fn passages(&self) -> (f64, Option<f64>) {
        let turn = |k: usize| (self.angle[k] / TAU).floor();
        let passed: Vec<f64> = (1..self.angle.len())
            .filter(|&k| turn(k) != turn(k - 1))
            .map(|k| self.times[k])
            .collect();
        (passed.len() as f64, passed.first().copied())
    }

    fn worst(&self) -> f64 {
        self.error.iter().map(|error| error.abs()).fold(0.0, f64::max)
    }

    fn gained(&self) -> f64 {
        self.error.last().copied().unwrap_or(f64::NAN)
    }

    fn mismatch(&self) -> f64 {
        let pairs = self.kinetic.iter().zip(&self.summed);
        pairs
            .map(|(kinetic, summed)| (kinetic - summed).abs())
            .fold(0.0, f64::max)
    }

    fn against_time(&self, values: &[f64]) -> Vec<(f64, f64)> {
        self.times.iter().copied().zip(values.iter().copied()).collect()
    }

    /// The torque beside the pitch, `lag` steps late.
    fn torques(&self, lag: usize) -> Vec<(f64, f64)> {
        let pitches = self.euler.iter().map(|angles| angles[1]).enumerate();
        pitches
            .map(|(k, pitch)| (pitch, self.torque[k.saturating_sub(lag)]))
            .collect()
    }

    /// Largest torque where the pitch changes its sign: there it should be zero.
    fn torque_at_rest(&self, lag: usize) -> f64 {
        let crossed = self.torques(lag);
        let pairs = crossed.windows(2).filter(|pair| pair[0].0 * pair[1].0 < 0.0);
        let between = pairs.map(|pair| {
            let share = pair[0].0 / (pair[0].0 - pair[1].0);
            (pair[0].1 + share * (pair[1].1 - pair[0].1)).abs()
        });
        between.fold(0.0, f64::max)
    }
}

/// A line with gaps where an angle jumps from one branch to another.
fn broken(name: &str, points: &[(f64, f64)]) -> Series {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for point in thinned(points, DRAWN) {
        if kept.last().is_some_and(|last| (last.1 - point.1).abs() > 100.0) {
            kept.push((point.0, f64::NAN));
        }
        kept.push(point);
    }
    line(name, kept)
}

fn panel(x: &str, y: String, series: Vec<Series>) -> Chart {
    chart(Axis::linear(x), Axis::linear(y), series)
}

fn beside(charts: Vec<Chart>) -> String {
    Grid {
        title: String::new(),
        subtitle: None,
        caption: None,
        charts,
        equal: false,
    }
    .render()
}

/// The notebook's four plots, with RK4 on the right.
fn draw(finding: &mut Finding, notebook: &Swing, coupled: &Swing) {
    let runs = [("notebook", notebook, 2), ("RK4", coupled, 0)];
    let charts = |one: &dyn Fn(&str, &Swing, usize) -> Chart| {
        beside(runs.iter().map(|(name, run, lag)| one(name, run, *lag)).collect())
    };
    let torque = charts(&|name, run, lag| {
        let late: Vec<f64> = (0..run.torque.len())
            .map(|k| run.torque[k.saturating_sub(lag)])
            .collect();
        let points = thinned(&run.against_time(&late), DRAWN);
        panel(
            "time (s)",
            format!("torque (N m), {name}"),
            vec![line("torque", points)],
        )
    });
    let angles = charts(&|name, run, _| {
        let curve = |(name, which): (&str, usize)| {
            let values: Vec<f64> = run.euler.iter().map(|angles| angles[which]).collect();
            broken(name, &run.against_time(&values))
        };
        let curves = [("pitch", 1), ("yaw", 0), ("roll", 2)].map(curve);
        panel("time (s)", format!("Euler angle (°), {name}"), curves.into())
    });
    let pitch = charts(&|name, run, lag| {
        let points = thinned(&run.torques(lag), 2 * DRAWN);
        panel(
            "pitch (°)",
            format!("torque (N m), {name}"),
            vec![line("torque", points)],
        )
    });
    let energies = charts(&|name, run, _| {
        let total: Vec<f64> = run.error.to_vec();
        let curves = [
            ("kinetic", &run.kinetic),
            ("its summed rate", &run.summed),
            ("E − E₀", &total),
        ];
        let curve = |(name, values): (&str, &Vec<f64>)| line(name, thinned(&run.against_time(values), DRAWN));
        panel(
            "time (s)",
            format!("energy (J), {name}"),
            curves.map(curve).into(),
        )
    });
    finding
        .figure(
            torque,
            "Torque of gravity against time: the notebook's scheme, and RK4 on attitude and spin together.",
        )
        .figure(
            angles,
            "Euler angles against time. They jump from branch to branch; the attitude does not.",
        )
        .figure(
            pitch,
            "Torque against pitch. It should be zero where the pitch is.",
        )
        .figure(
            energies,
            "Kinetic energy, the notebook's sum of its rate, and the change of the whole energy.",
        );
}

fn baton(step: f64, over: bool, remark: &str, stop: &AtomicBool) -> Result<Finding, String> {
    const DURATION: f64 = 10.0;
    let run = |method| swing(method, step, DURATION, stop);
    let (notebook, coupled) = (run("notebook-rk4")?, run("rk4")?);
    let variational = run("tree-variational")?;
    let mut finding = Finding {
        parameters: format!(
            "A baton of 1 kg and 2 × 1.2 m with radius 0.02 m, moments 0.4801, 0.4801 and 2e-4 kg m² about its centre, and \
             the moment of gravity about its end, as in the notebook; from rest at a pitch of 10°, {step} s, {DURATION} s. \
             Methods: notebook-rk4, rk4, tree-variational."
        ),
        remark: remark.to_owned(),
        command: format!(
            "holonomy compare baton-quaternion --methods notebook-rk4,rk4,tree-variational --step {step}"
        ),
        ..Finding::default()
    };
    // “All the way around”, once or more; at 100 µs not at all.
    let printed = match over {
        true => Published::Band { from: 1.0, to: 100.0 },
        false => Published::AtMost(0.0),
    };
    let (count, first) = notebook.passages();
    finding.compare(
        "times over the top in 10 s, notebook's scheme",
        printed,
        count,
        "",
    );
    if let Some(first) = first {
        finding.compare("… for the first time at", Published::Nothing, first, "s");
    }
    finding
        .compare(
            "energy gained, notebook's scheme",
            Published::Nothing,
            notebook.gained(),
            "J",
        )
        .compare(
            "times over the top, rk4",
            Published::Nothing,
            coupled.passages().0,
            "",
        )
        .compare(
            "largest energy error, rk4",
            Published::Nothing,
            coupled.worst(),
            "J",
        )
        .compare(
            "times over the top, tree-variational",
            Published::Nothing,
            variational.passages().0,
            "",
        )
        .compare(
            "largest energy error, tree-variational",
            Published::Nothing,
            variational.worst(),
            "J",
        )
        .compare(
            "torque where the pitch is zero, notebook's scheme",
            Published::Nothing,
            notebook.torque_at_rest(2),
            "N m",
        )
        .compare(
            "torque where the pitch is zero, rk4",
            Published::Nothing,
            coupled.torque_at_rest(0),
            "N m",
        )
        .compare(
            "kinetic energy less its summed rate, notebook's scheme",
            Published::Nothing,
            notebook.mismatch(),
            "J",
        )
        .compare(
            "kinetic energy less its summed rate, rk4",
            Published::Nothing,
            coupled.mismatch(),
            "J",
        );
    draw(&mut finding, &notebook, &coupled);
    Ok(finding)
}

pub(super) fn coarse(stop: &AtomicBool) -> Result<Finding, String> {
    baton(
        0.01,
        true,
        "The scheme does go over the top. The torque is wrong where the pitch is zero because it is that of two attitudes \
         before. The mismatch between kinetic energy and its summed rate is no sign of a bad integrator: the sum takes \
         ω · at the end of each step, and misses as much with RK4, whose energy is right.",
        stop,
    )
}

pub(super) fn middle(stop: &AtomicBool) -> Result<Finding, String> {
    baton(
        0.001,
        true,
        "As the notebook says, its scheme still goes over the top on the first swing. RK4 with the same step, on attitude \
         and spin together, is right to ten digits.",
        stop,
    )
}

pub(super) fn fine(stop: &AtomicBool) -> Result<Finding, String> {
    baton(
        1e-4,
        false,
        "As the notebook says, at 100 µs its scheme stays below the top and still gains energy in ten seconds. RK4 on \
         attitude and spin together is far better with a step a hundred times as long.",
        stop,
    )
}

pub(super) fn guilty(stop: &AtomicBool) -> Result<Finding, String> {
    const STEPS: [f64; 6] = [8e-3, 4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4];
    const METHODS: [&str; 3] = ["notebook-rk4", "rk4", "tree-variational"];
    let errors = |method: &str| -> Result<Vec<f64>, String> {
        let error = |step| Ok(swing(method, step, 1.2, stop)?.gained().abs());
        STEPS.into_iter().map(error).collect()
    };
    let worst = |method: &str| -> Result<Vec<f64>, String> {
        let error = |step| Ok(swing(method, step, 1.2, stop)?.worst());
        STEPS.into_iter().map(error).collect()
    };
    let notebook = errors("notebook-rk4")?;
    let mut finding = Finding {
        parameters: "The baton of 002-baton-10ms: 10 s at 10 ms and 1 ms; for the order 1.2 s at 8 … 0.25 ms.".to_owned(),
        remark: "The numbers the notebook sees are right, and so is its wish for an integrator that keeps energy. But RK4 does \
                 not fail, nor does late discretization: what fails is that torque, attitude and spin are each held while \
                 another moves, and the torque is a step late. That makes a first-order method that feeds energy in, whatever \
                 steps each part. RK4 on all of them together never goes over the top. Its weakness is a slow drift, which a \
                 variational method does not have."
            .to_owned(),
        command: "holonomy compare baton-quaternion --methods notebook-rk4,rk4,tree-variational --step 0.01".to_owned(),
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
    // Half an order is what an estimate from few steps may be off.
    let order = |errors: &[f64]| observed_order(&STEPS[2..], &errors[2..]);
    let fourth = Published::Value {
        value: 4.0,
        within: 0.125,
    };
    finding.compare(
        "order of the notebook's “fourth-order Runge–Kutta”",
        fourth,
        order(&notebook),
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
    let points = |errors: &[f64]| STEPS.iter().copied().zip(errors.iter().copied()).collect();
    let [_, coupled, variational] = METHODS;
    let mut figure = chart(
        Axis::log("step (s)"),
        Axis::log("largest |E − E₀| in 1.2 s (J)"),
        vec![
            marked(METHODS[0], points(&worst(METHODS[0])?)),
            marked(coupled, points(&worst(coupled)?)),
            marked(variational, points(&worst(variational)?)),
        ],
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
