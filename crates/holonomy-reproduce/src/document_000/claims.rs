//! What Zenkov, Leok & Bloch say of their method, turned into numbers.
//!
//! Nutation and precession are measured between the lowest points of a long run. Between samples the motion is the
//! polynomial through the ten nearest of them; the first and the last of many lowest points give the mean period and
//! precession, so that the error of the polynomial is divided by their number.
use super::{
    super::{
        Finding, Published,
        watch::{chart, largest, line, marked, watch},
    },
    PARAMETERS, pendulum,
};
use crate::ReproduceError;
use holonomy::{
    Vec3,
    diagnostics::{observed_order, symplecticity_defect},
    exact::SphericalPendulum,
    spheres::view,
};
use holonomy_report::figure::{Axis, Guide};
use std::sync::atomic::AtomicBool;

const STEPS: [f64; 4] = [0.2, 0.1, 0.05, 0.025];

/// A step of (22)–(24) in (Ω, Γ) with g/r = 1, by iteration until nothing changes by more than `tolerance`.
fn iterated((omega, up): (Vec3, Vec3), h: f64, tolerance: f64) -> (Vec3, Vec3) {
    let torque = |up: &Vec3| Vec3::new(up.y, -up.x, 0.0);
    let (mut next_omega, mut next_up) = (omega, up);
    for _ in 0..200 {
        let turned = omega + (torque(&up) + torque(&next_up)) * (0.5 * h);
        let moved = up + (up + next_up).cross(&(omega + turned)) * (0.25 * h);
        let change = (turned - next_omega).amax().max((moved - next_up).amax());
        (next_omega, next_up) = (turned, moved);
        if change <= tolerance {
            break;
        }
    }
    (next_omega, next_up)
}

pub(super) fn round_off(stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    let lengths = |tolerance: f64| -> Vec<(f64, f64)> {
        let mut state = (Vec3::x() * 0.6, Vec3::new(0.3, 0.2, -f64::sqrt(0.87)));
        let start = state.1.norm();
        let steps = (1..=10_000).map(|k| {
            state = iterated(state, 0.2, tolerance);
            (0.2 * f64::from(k), (state.1.norm() - start).abs())
        });
        steps.collect()
    };
    let study = pendulum("sphere-hamel")?;
    let ours = study.run(stop)?;
    let most = |points: &[(f64, f64)]| points.iter().map(|point| point.1).fold(0.0, f64::max);
    // To 1e-16 the iteration stands still: only rounding is left.
    let [standing, loose] = [1e-16, 1e-12].map(lengths);
    let mut finding = Finding {
        parameters: format!(
            "{PARAMETERS} The document's own equations, iterated to a fixed point, and `sphere-hamel`."
        ),
        remark: "Rounding alone leaves the length about four orders of magnitude better than printed. \
                 Stopping the iteration at 1e-12 gives an error of the printed size, so a tolerance near \
                 that is the likely cause; the document does not describe its solver. Its advice, \
                 compensated summation, does help against what rounding there is: `sphere-hamel` does \
                 it."
        .to_owned(),
        command: study.command(),
        ..Finding::default()
    };
    // “About 10⁻¹⁰”: half a decade to each side.
    finding
        .compare(
            "length error from rounding alone",
            Published::Band {
                from: 3e-11,
                to: 3e-10,
            },
            most(&standing),
            "",
        )
        .compare(
            "the same equations, iteration stopped at 1e-12",
            Published::Nothing,
            most(&loose),
            "",
        )
        .compare(
            "`sphere-hamel`, a cubic in closed form and compensated sums",
            Published::Nothing,
            super::errors(&ours)[0],
            "",
        );
    let figure = chart(
        Axis::linear("time (s)"),
        Axis::log("| |Γ| − |Γ₀| |"),
        vec![
            line("iterated to 1e-12", largest(&loose, 250)),
            line("iterated until it stands", largest(&standing, 250)),
            line("sphere-hamel", {
                let points = ours.series.manifold.magnitudes(250);
                points.into_iter().map(|(t, x)| (t, 0.5 * x)).collect()
            }),
        ],
    );
    finding.figure(
        figure.render(),
        "Error of the length, by how well a step is solved.",
    );
    Ok(finding)
}

pub(super) fn symplectic(_: &AtomicBool) -> Result<Finding, ReproduceError> {
    let defects = |method: &str| -> Result<Vec<f64>, ReproduceError> {
        let model = pendulum(method)?.model()?;
        let system = model.mechanism.system();
        let defect = |h| {
            let mut integrator = model.integrator();
            symplecticity_defect(&*system, &mut *integrator, &model.state, h)
                .map_err(|fault| ReproduceError::Defect { fault })
        };
        STEPS.into_iter().map(defect).collect()
    };
    let (hamel, rattle) = (defects("sphere-hamel")?, defects("rattle")?);
    let mut finding = Finding {
        parameters: format!(
            "One step from the start of figure 1, in canonical coordinates on T*S², momenta in units of \
             the largest; J by central differences of order 6, good to about 1e-12. {PARAMETERS}"
        ),
        remark: "One step changes the canonical form by an amount that falls as h³: the method is not \
                 symplectic for it. Some other form may be preserved; one point is enough to disprove it for \
                 this one. RATTLE, measured alike, is symplectic."
            .to_owned(),
        command: "holonomy run hamel-pendulum".to_owned(),
        ..Finding::default()
    };
    // What the differences can resolve.
    const RESOLVED: f64 = 1e-10;
    for (h, defect) in STEPS.iter().zip(&hamel) {
        let what = format!("max |JᵀΩJ − Ω| of one step of {h} s");
        finding.compare(&what, Published::AtMost(RESOLVED), *defect, "");
    }
    let worst = rattle.iter().copied().fold(0.0, f64::max);
    finding
        .compare(
            "the same of RATTLE, largest",
            Published::AtMost(RESOLVED),
            worst,
            "",
        )
        .compare(
            "order of the defect in h",
            Published::Nothing,
            observed_order(&STEPS, &hamel),
            "",
        );
    let points = |values: &[f64]| STEPS.iter().copied().zip(values.iter().copied()).collect();
    let mut figure = chart(
        Axis::log("step (s)"),
        Axis::log("max |JᵀΩJ − Ω| of one step"),
        vec![
            marked("sphere-hamel", points(&hamel)),
            marked("rattle", points(&rattle)),
        ],
    );
    figure.guides.push(Guide::Slope {
        slope: 3.0,
        beside: 0,
        label: "slope 3".to_owned(),
    });
    finding.figure(
        figure.render(),
        "How far one step is from preserving the symplectic form.",
    );
    Ok(finding)
}

/// Nutations over which the means are taken.
const NUTATIONS: usize = 500;

/// Per sample: vertical velocity, azimuth without jumps, height.
#[derive(Default)]
struct Path(Vec<[f64; 3]>);

impl Path {
    /// The three at a time in steps.
    fn at(&self, time: f64) -> [f64; 3] {
        let first = (time.floor() as usize).saturating_sub(4);
        let mut sums = [0.0; 3];
        for (j, values) in self.0.iter().skip(first).take(10).enumerate() {
            let others = (0..10).filter(|m| *m != j);
            let weight: f64 = others
                .map(|m| (time - first as f64 - m as f64) / (j as f64 - m as f64))
                .product();
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += weight * value;
            }
        }
        sums
    }

    /// Times, in steps, of the lowest points.
    fn lowest(&self) -> Vec<f64> {
        let inner = 5..self.0.len().saturating_sub(6);
        let turns = inner.filter(|&k| self.0[k][0] < 0.0 && self.0[k + 1][0] >= 0.0);
        let refined = turns.map(|k| {
            let (mut low, mut high) = (k as f64, k as f64 + 1.0);
            for _ in 0..50 {
                let middle = 0.5 * (low + high);
                *(if self.at(middle)[0] < 0.0 {
                    &mut low
                } else {
                    &mut high
                }) = middle;
            }
            high
        });
        refined.collect()
    }
}

/// Mean nutation period and precession per nutation.
fn nutation(method: &str, step: f64, stop: &AtomicBool) -> Result<[f64; 2], ReproduceError> {
    let study = pendulum(method)?.schedule(step, (NUTATIONS as f64 + 3.0) * 3.26);
    let mut path = Path::default();
    watch(&study.set("run.every", 1_u64).model()?, stop, |sample| {
        let (q, omega) = (view(&sample.state.q)[0], view(&sample.measured.velocity)[0]);
        let (angle, turn) = (q.y.atan2(q.x), std::f64::consts::TAU);
        let azimuth = path.0.last().map_or(angle, |[_, before, _]| {
            angle + turn * ((before - angle) / turn).round()
        });
        path.0.push([omega.cross(&q).z, azimuth, q.z]);
    })?;
    let times = path.lowest();
    let (Some(&first), Some(&last)) = (times.first(), times.get(NUTATIONS)) else {
        return Err(ReproduceError::TooShort { what: "nutations" });
    };
    let count = NUTATIONS as f64;
    Ok([
        (last - first) * step / count,
        (path.at(last)[1] - path.at(first)[1]) / count,
    ])
}

pub(super) fn exact_trajectory(stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    let study = pendulum("sphere-hamel")?;
    let model = study.model()?;
    let (q, p) = (view(&model.state.q)[0], view(&model.state.p)[0]);
    let pendulum = SphericalPendulum::new(-Vec3::z(), q, p / super::UNIT);
    // About the direction of gravity there, about the vertical here.
    let exact = [pendulum.nutation_period(), -pendulum.precession()];
    let errors = |method: &str| -> Result<Vec<[f64; 2]>, ReproduceError> {
        let error = |step| {
            let found = nutation(method, step, stop)?;
            Ok([found[0] - exact[0], found[1] - exact[1]])
        };
        STEPS.into_iter().map(error).collect()
    };
    let (hamel, rattle) = (errors("sphere-hamel")?, errors("rattle")?);
    let mut finding = Finding {
        parameters: format!(
            "Means over {NUTATIONS} nutations, against the closed form: period {:.9} s, precession {:.9} \
             rad per nutation. {PARAMETERS}",
            exact[0], exact[1]
        ),
        remark: "The theorem asks for a symplectic map, which this is not. The path does stay on the \
                 exact torus of energy and vertical momentum; but precession per nutation, which no \
                 change of the clock alters, is off by O(h⁴). That is much closer than the O(h²) of \
                 RATTLE, and nearly what the document says, but it is not exact. The nutation itself \
                 takes too long by O(h²): that is the reparametrization."
            .to_owned(),
        command: study.command(),
        ..Finding::default()
    };
    // What the measurement resolves; zero is claimed.
    const RESOLVED: f64 = 1e-10;
    for (h, error) in STEPS.iter().zip(&hamel) {
        let what = format!("error of the precession per nutation, h = {h} s");
        finding.compare(&what, Published::AtMost(RESOLVED), error[1].abs(), "rad");
    }
    let sizes =
        |errors: &[[f64; 2]], which: usize| -> Vec<f64> { errors.iter().map(|e| e[which].abs()).collect() };
    let order = |errors: &[[f64; 2]], which| observed_order(&STEPS, &sizes(errors, which));
    finding
        .compare("its order in h", Published::Nothing, order(&hamel, 1), "")
        .compare(
            "order of the nutation period's error",
            Published::Nothing,
            order(&hamel, 0),
            "",
        )
        .compare(
            "order of RATTLE's precession error",
            Published::Nothing,
            order(&rattle, 1),
            "",
        );
    let points = |errors: &[[f64; 2]], which| STEPS.into_iter().zip(sizes(errors, which)).collect();
    let mut figure = chart(
        Axis::log("step (s)"),
        Axis::log("error per nutation (rad or s)"),
        vec![
            marked("precession, sphere-hamel (rad)", points(&hamel, 1)),
            marked("precession, rattle (rad)", points(&rattle, 1)),
            marked("period, sphere-hamel (s)", points(&hamel, 0)),
        ],
    );
    for (slope, beside) in [(4.0, 0), (2.0, 1)] {
        let label = format!("slope {slope}");
        figure.guides.push(Guide::Slope { slope, beside, label });
    }
    finding.figure(
        figure.render(),
        "Errors of precession and period against the step.",
    );
    Ok(finding)
}
