//! Figs. 1–3: θ̈ = −g sin θ by Euler's method and by θ₊ = 2θ − θ₋ − t_s² g sin θ.
use super::{Finding, Study, band, each};
use crate::{
    ReproduceError,
    watch::{chart, line},
};
use holonomy::exact::PlanePendulum;
use holonomy_report::figure::{Axis, CurveStyle, Panels};
use std::sync::atomic::AtomicBool;

const GRAVITY: f64 = 9.81;
/// Angles at which the pendulum may have started; the second is the scenario's.
const ANGLES: [(&str, &str); 4] = [
    ("pi/6", "π/6"),
    ("pi/4", "π/4"),
    ("pi/2", "π/2"),
    ("3*pi/4", "3π/4"),
];
const OURS: (&str, &str) = ANGLES[1];
const MISSING: &str = "The document gives neither the start nor g; π/4, at rest, and 9.81 m/s² are ours.";
const CORRECTION: &str = "θ is measured from the downward vertical, as the potential has it, and (5) with its two derivatives exchanged.";

/// A run and the true motion at the same times.
struct PendulumSwing {
    study: Study,
    start: f64,
    period: f64,
    times: Vec<f64>,
    angles: Vec<f64>,
    exact: Vec<f64>,
    energies: Vec<f64>,
}

impl PendulumSwing {
    fn new(method: &str, angle: &str, step: f64, stop: &AtomicBool) -> Result<Self, ReproduceError> {
        let study = Study::scenario("plane-pendulum")?
            .set("start.theta", angle)
            .schedule(step, 10.0)
            .method(method);
        let model = study.model()?;
        let start = model.state.q[0];
        let closed = PlanePendulum::new(GRAVITY, start, 0.0);
        let mut swing = Self {
            study,
            start,
            period: closed.period(),
            times: Vec::new(),
            angles: Vec::new(),
            exact: Vec::new(),
            energies: Vec::new(),
        };
        let ended = each(&model, stop, |sample| {
            swing.times.push(sample.state.t);
            swing.angles.push(sample.state.q[0]);
            swing.exact.push(closed.at(sample.state.t).angle);
            swing.energies.push(sample.measured.energy.total());
        });
        ended?;
        Ok(swing)
    }

    fn points(&self) -> Vec<(f64, f64)> {
        self.times
            .iter()
            .copied()
            .zip(self.angles.iter().copied())
            .collect()
    }

    fn errors(&self) -> impl Iterator<Item = f64> {
        self.angles
            .iter()
            .zip(&self.exact)
            .map(|(angle, exact)| angle - exact)
    }

    /// Root mean square of the errors up to each time.
    fn running(&self) -> Vec<(f64, f64)> {
        let mut sum = 0.0;
        let errors = self.errors().enumerate().map(|(k, error)| {
            sum += error * error;
            (self.times[k], f64::sqrt(sum / (k + 1) as f64))
        });
        errors.collect()
    }

    fn root_mean_square(&self) -> f64 {
        self.running().last().map_or(f64::NAN, |last| last.1)
    }

    fn largest(&self) -> f64 {
        self.angles
            .iter()
            .fold(0.0, |most: f64, angle| most.max(angle.abs()))
            / self.start
    }

    /// The first time at which the error is a tenth of the amplitude.
    fn diverged(&self) -> f64 {
        let far = self.errors().position(|error| error.abs() > 0.1 * self.start);
        far.map_or(f64::NAN, |k| self.times[k])
    }

    fn growth(&self) -> f64 {
        match &self.energies[..] {
            [first, .., last] => last / first,
            _ => f64::NAN,
        }
    }
}

pub(super) fn motion(stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    let mut finding = Finding {
        parameters: "m = 1 kg, l = 1 m, g = 9.81 m/s², from rest; t_s = 0.01 s, 10 s; `euler` and `trapezoid`, which for this \
                     Lagrangian is the document's (6). The true motion is known in elliptic functions."
            .to_owned(),
        correction: Some(CORRECTION.to_owned()),
        missing: Some(MISSING.to_owned()),
        remark: "What is significant is for the reader to say; we take a tenth of the amplitude. It is reached at the end of the \
                 first period, for some angles just before, for others just after it. Euler's method gains energy without end; \
                 the variational integrator does not. That is Euler's method alone: other conventional methods do far better."
            .to_owned(),
        ..Finding::default()
    };
    for (angle, name) in ANGLES {
        let euler = PendulumSwing::new("euler", angle, 0.01, stop)?;
        let shown = (angle, name) == OURS;
        let nothing = super::Published::Nothing;
        finding
            .compare(
                &format!("Euler's error is a tenth of θ₀ = {name} after this part of a period"),
                if shown { band(0.0, 1.0) } else { nothing },
                euler.diverged() / euler.period,
                "",
            )
            .compare(
                &format!("Euler's energy after 10 s / that of the start, θ₀ = {name}"),
                nothing,
                euler.growth(),
                "",
            );
        if shown {
            let variational = PendulumSwing::new("trapezoid", angle, 0.01, stop)?;
            finding.compare(
                "the same of the variational integrator",
                nothing,
                variational.growth(),
                "",
            );
            finding.command = variational.study.command();
            // Few enough to leave the curve below them in sight.
            let exact = euler.times.iter().copied().zip(euler.exact.iter().copied());
            let mut exact = line("true", exact.step_by(20).collect());
            exact.style = CurveStyle::Points;
            let series = vec![
                line("variational", variational.points()),
                line("Euler", euler.points()),
                exact,
            ];
            let figure = chart(Axis::linear("time (s)"), Axis::linear("angle θ (rad)"), series).render();
            finding.figure(
                figure,
                "Fig. 1: the variational solution lies on the true one; Euler's grows.",
            );
        }
    }
    Ok(finding)
}

pub(super) fn error(stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    let mut finding = Finding {
        parameters: "m = 1 kg, l = 1 m, g = 9.81 m/s², from rest; t_s = 0.01 s, 10 s. Errors against the true motion in elliptic \
                     functions; the figure is for θ₀ = π/4."
            .to_owned(),
        missing: Some(MISSING.to_owned()),
        remark: "The figure has no numbers that we could read. What can be said is that the error of the variational integrator is \
                 hundreds of times smaller, at the same number of force evaluations."
            .to_owned(),
        ..Finding::default()
    };
    let nothing = super::Published::Nothing;
    for (angle, name) in ANGLES {
        let euler = PendulumSwing::new("euler", angle, 0.01, stop)?;
        let variational = PendulumSwing::new("trapezoid", angle, 0.01, stop)?;
        let errors = [euler.root_mean_square(), variational.root_mean_square()];
        let words = format!("root mean square error of Euler's method, θ₀ = {name}");
        finding.compare(&words, nothing, errors[0], "rad");
        let words = format!("that of the variational integrator, θ₀ = {name}");
        finding.compare(&words, nothing, errors[1], "rad");
        if (angle, name) == OURS {
            // A method that were no better would be at 1.
            finding.compare(
                "variational error / Euler's error",
                band(0.0, 1.0),
                errors[1] / errors[0],
                "",
            );
            finding.command = euler.study.command();
            // The first error is zero.
            let running = |swing: &PendulumSwing| swing.running().split_off(1);
            let series = vec![
                line("Euler", running(&euler)),
                line("variational", running(&variational)),
            ];
            let label = "root mean square error so far (rad)";
            let figure = chart(Axis::linear("time (s)"), Axis::log(label), series).render();
            finding.figure(
                figure,
                "Fig. 2: the error of Euler's method, and the other one beside it.",
            );
        }
    }
    Ok(finding)
}

pub(super) fn low_resolution(stop: &AtomicBool) -> Result<Finding, ReproduceError> {
    let swing = PendulumSwing::new("trapezoid", OURS.0, 0.2, stop)?;
    let mut finding = Finding {
        parameters: "m = 1 kg, l = 1 m, g = 9.81 m/s², θ₀ = π/4 at rest; t_s = 0.2 s, a tenth of a period. The last step is \
                     sought in steps of 0.01 s, over 2000 steps each."
            .to_owned(),
        correction: Some(CORRECTION.to_owned()),
        missing: Some(MISSING.to_owned()),
        remark: "So it is: no swing is higher than the first, and the motion is ahead of the true one, by more with every swing. For \
                 very small swings theory gives the last stable step, 2/√(g/l) = 0.6386 s; with this amplitude it is less."
            .to_owned(),
        command: swing.study.command(),
        ..Finding::default()
    };
    let closed = PlanePendulum::new(GRAVITY, swing.start, 0.0);
    let shift = phase_shift(&swing);
    finding
        // "Has not diverged": a swing that is one percent higher could still not be seen in the figure.
        .compare("largest |θ| / θ₀ in 10 s", band(0.99, 1.01), swing.largest(), "")
        // "Phase shifted": more than nothing, and less than half a period, beyond which a shift has no meaning.
        .compare(
            "how far the motion is ahead after 10 s / period",
            band(0.01, 0.5),
            shift / swing.period,
            "",
        )
        .compare(
            "root mean square error",
            super::Published::Nothing,
            swing.root_mean_square(),
            "rad",
        );
    let largest = largest_plausible(stop)?;
    // "Even greater amounts": 0.2 s is less than what still works.
    finding.compare(
        "0.2 s / largest step whose swings stay within 5 % of θ₀",
        band(0.0, 1.0),
        0.2 / largest,
        "",
    );
    let exact = (0..=1000).map(|k| 0.01 * f64::from(k));
    let exact = exact.map(|t| (t, closed.at(t).angle)).collect();
    let angle = chart(
        Axis::linear("time (s)"),
        Axis::linear("angle θ (rad)"),
        vec![line("true", exact), {
            let mut series = line("variational, 0.2 s", swing.points());
            series.style = CurveStyle::LineAndPoints;
            series
        }],
    );
    let figure = Panels {
        title: String::new(),
        subtitle: None,
        caption: None,
        charts: vec![angle],
    };
    finding.figure(
        figure.render_with(340.0),
        "Fig. 3: amplitude preserved, phase shifted.",
    );
    Ok(finding)
}

/// How much earlier than the true one the last zero crossing of the computed motion is, s.
fn phase_shift(swing: &PendulumSwing) -> f64 {
    let points = swing.points();
    let crossing = points.windows(2).rev().find(|pair| pair[0].1 * pair[1].1 < 0.0);
    let Some([before, after]) = crossing else {
        return f64::NAN;
    };
    let t = before.0 + (after.0 - before.0) * before.1 / (before.1 - after.1);
    // True crossings are at odd quarters of the period, in the same order.
    let number = points
        .windows(2)
        .filter(|pair| pair[0].1 * pair[1].1 < 0.0)
        .count();
    (number as f64 - 0.5) * 0.5 * swing.period - t
}

/// The largest step up to which no swing is five percent higher than the first.
fn largest_plausible(stop: &AtomicBool) -> Result<f64, ReproduceError> {
    let mut last = f64::NAN;
    for hundredths in 20..100 {
        let step = 0.01 * f64::from(hundredths);
        let study = Study::scenario("plane-pendulum")?.schedule(step, 2000.0 * step);
        let model = study.model()?;
        let mut most = 0.0_f64;
        let ended = each(&model, stop, |sample| most = most.max(sample.state.q[0].abs()));
        if ended.is_err() || most > 1.05 * model.state.q[0] {
            return Ok(last);
        }
        last = step;
    }
    Ok(last)
}
