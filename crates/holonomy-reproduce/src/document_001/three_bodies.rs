//! Example 2, Fig. 3.2: three bodies on a sphere, errors against step size.
//!
//! The document integrates (3.21) with RK2, that is, in q and q̇:
//!
//! q̈ᵢ = −|q̇ᵢ|² qᵢ + qᵢ × (qᵢ × ∂V/∂qᵢ),  ∂V/∂qᵢ = −Σ_{j≠i} qⱼ (1 − (qᵢ·qⱼ)²)^(−3/2).
//!
//! The Runge–Kutta methods of this program work in q and ω, and are better: both are shown.
use super::{
    Document, Finding, Item, Published, RK2, RK45, Ran, Study, VARIATIONAL, against_time, motion, printed,
    projected, rk2, rk45,
};
use crate::ReproduceError;
use holonomy::Vec3;
use holonomy_report::figure::{Axis, Chart, Curve, CurveStyle, Guide, Panels};
use std::sync::atomic::AtomicBool;

pub(super) const ITEM: Item = Item {
    name: "001-fig-3-2",
    document: Document::Spheres,
    title: "Example 2, Fig. 3.2: three bodies on a sphere, errors against step size",
    claim: "errors of the variational integrator are several orders of magnitude below those of RK2 at the same step; \
            its energy error falls from 1.1717e-4 to 1.1986e-6 when the step becomes ten times smaller: order 2.",
    compute,
};

/// With the first step that the printed numbers belong to.
pub(super) fn study() -> Result<Study, ReproduceError> {
    Study::scenario("three-bodies-on-a-sphere-as-published")
}

/// With another step, s.
pub(super) fn with_step(study: &Study, step: f64) -> Study {
    study.clone().set("run.step", step)
}

/// Steps, s: all divide 10 s.
const STEPS: [f64; 6] = [5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4];

/// A method, and how it is put in the place of the variational one.
type Method = (&'static str, fn(&Study) -> Study);
const METHODS: [Method; 3] = [
    (VARIATIONAL, Study::clone),
    ("RK2 in ω", rk2),
    ("RK2 in ω with projection", projected),
];

fn compute(stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    let study = study()?;
    let mut energy: Vec<Curve> = Vec::new();
    let mut length: Vec<Curve> = Vec::new();
    let mut first: Vec<Ran> = Vec::new();
    for (name, method) in METHODS {
        let (mut energies, mut lengths) = (Vec::new(), Vec::new());
        for step in STEPS {
            let ran = Ran::of(name, &method(&with_step(&study, step)), stop)?;
            energies.push((step, ran.energy()));
            lengths.push((step, ran.length()));
            if step == STEPS[0] {
                first.push(ran);
            }
        }
        energy.push(points(name, energies));
        length.push(points(name, lengths));
    }
    // The document's own, as the second.
    let own: Vec<(f64, [f64; 2])> = STEPS.map(|step| (step, second_order(step))).into();
    energy.insert(
        1,
        points(RK2, own.iter().map(|(step, means)| (*step, means[0])).collect()),
    );
    length.insert(
        1,
        points(RK2, own.iter().map(|(step, means)| (*step, means[1])).collect()),
    );
    let ode45 = Ran::of(RK45, &rk45(&study, 1e-4), stop)?;
    let at = |curves: &[Curve], method: usize, step: f64| {
        let found = curves[method].points.iter().find(|point| point.0 == step);
        found.map_or(f64::NAN, |point| point.1)
    };
    let orders = |curves: &[Curve], step: f64| (at(curves, 1, step) / at(curves, 0, step)).log10();
    let mut finding = Finding {
        parameters: "m = 1 each, γ = 1; q = (0, −1, 0), (0, 0, 1), (−1, 0, 0); ω = (0, 0, −1.1), (1, 0, 0), (0, 1, \
                     0) rad/s; 10 s. RK2: midpoint rule for (3.21), in q and q̇; in ω: the same rule in q and ω. \
                     RK45: in q and ω, rtol 1e-4, atol 1e-6."
            .to_owned(),
        correction: Some(
            "The printed steps are 1e-3 and 1e-4 s; the printed numbers belong to 5e-3 and 5e-4 s, with which both \
             agree to five digits."
                .to_owned(),
        ),
        remark: "Energy errors of RK2 are about two orders of magnitude above those of the variational integrator, \
                 errors in length more than ten. The same rule in q and ω, which the document does not try here, loses \
                 much less energy. Near t = 10.7 s two bodies almost collide, and no fixed step survives."
            .to_owned(),
        command: study.command(),
        ..Finding::default()
    };
    // "Several orders of magnitude": at least two, rounded.
    let several = Published::Band { from: 1.5, to: 16.0 };
    finding
        .compare(
            "variational, h = 5e-3 s: mean |E − E₀|",
            printed(1.1717e-4, 5),
            at(&energy, 0, 5e-3),
            "J",
        )
        .compare(
            "variational, h = 5e-4 s: mean |E − E₀|",
            printed(1.1986e-6, 5),
            at(&energy, 0, 5e-4),
            "J",
        )
        .compare(
            "variational, h = 1e-3 s, as printed: mean |E − E₀|",
            Published::Nothing,
            at(&energy, 0, 1e-3),
            "J",
        )
        .compare(
            "order of the variational integrator, 1e-3 to 1e-4 s",
            // As close as the printed pair of errors is to a factor of 100: log₁₀ 97.76 = 1.99.
            Published::Value {
                value: 2.0,
                within: 0.01,
            },
            (at(&energy, 0, 1e-3) / at(&energy, 0, 1e-4)).log10(),
            "",
        )
        .compare(
            "orders of magnitude between RK2 and it in energy, h = 5e-4 s",
            several,
            orders(&energy, 5e-4),
            "",
        )
        .compare(
            "orders of magnitude between RK2 and it in length, h = 5e-4 s",
            several,
            orders(&length, 5e-4),
            "",
        )
        .compare(
            "orders of magnitude between RK2 in q and ω and it in energy, h = 5e-4 s",
            Published::Nothing,
            (at(&energy, 2, 5e-4) / at(&energy, 0, 5e-4)).log10(),
            "",
        );
    finding.figure(
        motion(&study, &first[0], 1000)?,
        "Fig. 3.2a: the paths of the three bodies.",
    );
    finding.figure(
        against_step(energy, length),
        "Figs. 3.2b and 3.2c: mean errors against step size.",
    );
    let [variational, plain, put_back] = &first[..] else {
        return Err(ReproduceError::TooShort { what: "methods" });
    };
    finding.figure(
        against_time(&[variational, plain], &[put_back, &ode45], "J"),
        "Total energy and unit length against time, h = 5e-3 s; the document has no such figure.",
    );
    Ok(finding)
}

/// Mean |E − E₀| and mean |1 − q·q| of the midpoint rule for (3.21) over 10 s.
fn second_order(step: f64) -> [f64; 2] {
    type Three = [Vec3; 3];
    let pull = |q: &Three, i: usize, j: usize| (1.0 - q[i].dot(&q[j]).powi(2)).powf(-1.5);
    let rate = |q: &Three, v: &Three| {
        [0, 1, 2].map(|i| {
            let [j, k] = [(i + 1) % 3, (i + 2) % 3];
            let gradient = -(q[j] * pull(q, i, j) + q[k] * pull(q, i, k));
            -v[i].norm_squared() * q[i] + q[i].cross(&q[i].cross(&gradient))
        })
    };
    let energy = |q: &Three, v: &Three| {
        let cotangent = |c: f64| c / (1.0 - c * c).sqrt();
        let potential = |i: usize| -cotangent(q[i].dot(&q[(i + 1) % 3]));
        (0..3)
            .map(|i| 0.5 * v[i].norm_squared() + potential(i))
            .sum::<f64>()
    };
    let moved = |x: &Three, by: &Three, h: f64| [0, 1, 2].map(|i| x[i] + h * by[i]);
    let mut q = [-Vec3::y(), Vec3::z(), -Vec3::x()];
    let omega = [-1.1 * Vec3::z(), Vec3::x(), Vec3::y()];
    let mut v = [0, 1, 2].map(|i: usize| omega[i].cross(&q[i]));
    let (start, steps) = (energy(&q, &v), (10.0 / step).round() as u32);
    let mut sums = [0.0; 2];
    for _ in 0..steps {
        let middle = (moved(&q, &v, 0.5 * step), moved(&v, &rate(&q, &v), 0.5 * step));
        (q, v) = (
            moved(&q, &middle.1, step),
            moved(&v, &rate(&middle.0, &middle.1), step),
        );
        sums[0] += (energy(&q, &v) - start).abs();
        sums[1] += q.iter().map(|q| (1.0 - q.norm_squared()).abs()).sum::<f64>() / 3.0;
    }
    // The start is a sample too.
    sums.map(|sum| sum / f64::from(steps + 1))
}

fn points(name: &str, points: Vec<(f64, f64)>) -> Curve {
    Curve {
        name: name.to_owned(),
        points,
        style: CurveStyle::LineAndPoints,
    }
}

fn against_step(energy: Vec<Curve>, length: Vec<Curve>) -> String {
    let chart = |label: &str, series: Vec<Curve>, slopes: &[usize]| Chart {
        title: String::new(),
        x: Axis::log("step (s)"),
        y: Axis::log(label),
        series,
        guides: slopes
            .iter()
            .map(|&beside| Guide::Slope {
                slope: 2.0,
                beside,
                label: "slope 2".to_owned(),
            })
            .collect(),
    };
    Panels {
        title: String::new(),
        subtitle: None,
        caption: None,
        charts: vec![
            chart("mean |E − E₀| (J)", energy, &[0]),
            chart("mean |1 − q·q|", length, &[1]),
        ],
    }
    .render_with(300.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the same equation in NumPy. Sums in another order differ in the last digits.
    #[test]
    fn the_midpoint_rule_in_velocities_is_that_of_another_program() {
        let [energy, length] = second_order(5e-3);
        assert!((energy / 0.011_872_586_426_152 - 1.0).abs() < 1e-9, "{energy:e}");
        assert!((length / 1.991_520_898_704e-4 - 1.0).abs() < 1e-9, "{length:e}");
    }
}
