//! One long run of one method: its cost, and the largest energy error on the way.
//!
//! The run is cut into many pieces; between them the energy is looked at, and the clock stands still. The first ten
//! periods are looked at in every step, also off the clock, so that the oscillation of the error is not missed.
use crate::{cpu_ns, work::load};
use holonomy::{
    simulation::{Observer, Sample, Schedule},
    system::Measurement,
};
use holonomy_model::Model;
use std::ops::ControlFlow;

/// What is run.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// `pendulum` or `double`.
    pub system: &'a str,
    /// A method of the catalog.
    pub method: &'a str,
    /// Its step; for a method that chooses its own, the time between two samples.
    pub step: f64,
    /// Relative tolerance of a method that chooses its own steps.
    pub tolerance: Option<f64>,
    /// How long, s.
    pub duration: f64,
}

/// What came of it.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Processor time of the steps, s.
    pub seconds: f64,
    /// Largest |E − E₀|, over the largest kinetic energy.
    pub error: f64,
}

/// Pieces of a run.
const PIECES: u64 = 1000;
/// Beyond this the energy is lost and the run not worth its time.
const HOPELESS: f64 = 0.1;

struct Largest {
    start: f64,
    error: f64,
    kinetic: f64,
}

impl Largest {
    fn see(&mut self, measured: &Measurement) {
        let energy = measured.energy;
        let error = (energy.total() - self.start).abs();
        self.error = if error.is_nan() {
            f64::INFINITY
        } else {
            self.error.max(error)
        };
        self.kinetic = self.kinetic.max(energy.kinetic);
    }

    fn relative(&self) -> f64 {
        self.error / self.kinetic
    }
}

impl Observer for Largest {
    fn observe(&mut self, sample: &Sample) -> ControlFlow<()> {
        self.see(sample.measured);
        ControlFlow::Continue(())
    }
}

/// The model of a system; its period is that of small oscillations of one of its links, 2π√(l/g).
pub fn model(plan: &Plan) -> Result<Model, String> {
    let text = match plan.system {
        "pendulum" => include_str!("../models/pendulum.toml"),
        "double" => include_str!("../models/double-pendulum.toml"),
        other => return Err(format!("there is no system `{other}`")),
    };
    let mut overrides = vec!["method=".to_owned(), format!("method.name={}", plan.method)];
    if let Some(tolerance) = plan.tolerance {
        overrides.push(format!("method.rtol={tolerance:e}"));
        overrides.push(format!("method.atol={tolerance:e}"));
    }
    overrides.push(format!("run.step={:e}", plan.step));
    load(text, &overrides)
}

/// Runs it; an error is a step that failed, or energy that is lost.
pub fn run(plan: &Plan) -> Result<Outcome, String> {
    let model = model(plan)?;
    let step = plan.step;
    let steps = (plan.duration / step).round().max(1.0) as u64;
    let mut simulation = model.simulation();
    let mut scratch = simulation.system().scratch();
    let mut measured = Measurement::default();
    simulation
        .system()
        .measure(&simulation.state, &mut measured, &mut scratch);
    let mut largest = Largest {
        start: measured.energy.total(),
        error: 0.0,
        kinetic: measured.energy.kinetic,
    };
    let early = Schedule {
        step,
        steps: (steps / 1000).clamp(200.min(steps), 20_000),
        every: 1,
    };
    let said = |error: holonomy::simulation::RunError| error.to_string();
    simulation.run(&early, &mut [&mut largest]).map_err(said)?;
    simulation.state = model.state.clone();

    let (mut taken, mut spent) = (0, 0);
    for piece in 1..=PIECES.min(steps) {
        let until = steps * piece / PIECES.min(steps);
        let schedule = Schedule {
            step,
            steps: until - taken,
            every: u64::MAX,
        };
        let before = cpu_ns();
        simulation.run(&schedule, &mut []).map_err(said)?;
        spent += cpu_ns() - before;
        taken = until;
        simulation
            .system()
            .measure(&simulation.state, &mut measured, &mut scratch);
        largest.see(&measured);
        if largest.relative() > HOPELESS {
            return Err(format!("the energy is lost after {taken} steps"));
        }
    }
    Ok(Outcome {
        seconds: spent as f64 * 1e-9,
        error: largest.relative(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_step_costs_twice_and_is_four_times_as_exact() {
        let outcome = |step: f64| {
            let plan = Plan {
                system: "pendulum",
                method: "sphere-explicit",
                step,
                tolerance: None,
                duration: 100.0,
            };
            run(&plan).expect("it runs")
        };
        let ratio = outcome(0.02).error / outcome(0.01).error;
        assert!((ratio - 4.0).abs() < 0.1, "{ratio}");
    }
}
