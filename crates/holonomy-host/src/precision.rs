//! Work and precision: how exact the methods are for what they cost.
//!
//! Every method runs the same motion several times, with shorter and shorter steps or, where it chooses its own, with
//! tighter and tighter tolerances. Errors are those of the state at the end, against a reference, and the largest of
//! the energy on the way, against the energy in motion; work is force evaluations and wall time. On logarithmic axes
//! a method of order r is a line of slope −r.

use holonomy::{
    diagnostics::{Record, distance, observed_order},
    integrator::{
        Integrator,
        catalog::{self, Method, Options},
    },
    simulation::{Observer, Schedule, Simulation},
    system::State,
};
use holonomy_model::Model;
use holonomy_report::{
    converge::{self, ConvergeError, Reference},
    precision::{MethodCurve, Precision, PrecisionRun},
    run::Control,
};
use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

/// What is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Numbers of steps for methods that are told their step, from few to many.
    pub counts: Vec<u64>,
    /// Relative tolerances for methods that choose their own, from loose to tight.
    pub tolerances: Vec<f64>,
    /// A method whose run has taken so long is not tried with shorter steps, s.
    pub seconds: f64,
}

/// Samples in which the largest energy error is looked for.
const SAMPLES: u64 = 256;
/// A time is the least of several runs, which together take about this long, s.
const TIMED: f64 = 12e-3;
const FEWEST_RUNS: u32 = 3;
const MOST_RUNS: u32 = 40;

impl Plan {
    /// From a sixteenth of the model's steps to four times as many.
    pub fn around(model: &Model) -> Self {
        let steps = model.schedule.steps;
        let mut counts: Vec<u64> = (0..=6).map(|k| ((4 * steps) >> k).max(1)).collect();
        counts.reverse();
        counts.dedup();
        Self {
            counts,
            tolerances: vec![1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12],
            seconds: 0.5,
        }
    }
}

/// The methods of the catalog that can be built for a model, but for those that are there for comparison with a
/// notebook alone.
pub fn methods(model: &Model) -> Vec<&'static Method> {
    let fits = |method: &&Method| method.build_with(&model.mechanism, &Options::default()).is_ok();
    let methods = catalog::METHODS.iter().filter(|method| !method.for_comparison);
    methods.filter(fits).collect()
}

/// Runs every method of the list along the plan. `begin` is told what is computed next. Methods that do not fit the
/// mechanism are left out.
pub fn measure(
    model: &Model,
    scenario: &str,
    methods: &[&'static Method],
    plan: &Plan,
    begin: &mut dyn FnMut(&str),
    mut control: Control,
) -> Result<Precision, ConvergeError> {
    let duration = model.schedule.step * model.schedule.steps as f64;
    begin("reference");
    let (end, reference) = converge::reference(model, duration, &mut control)?;
    let bench = PrecisionBench {
        model,
        duration,
        end,
        reference: &reference,
        stop: control.stop,
    };
    let energy_in_motion = bench.energy_in_motion()?;
    let mut curves = Vec::with_capacity(methods.len());
    for method in methods {
        begin(method.name);
        curves.extend(bench.curve(method, plan, energy_in_motion)?);
    }
    Ok(Precision {
        scenario: scenario.to_owned(),
        t_end: duration,
        reference,
        energy_in_motion,
        conservative: !model.mechanism.system().layout().conserved.driven,
        curves,
    })
}

/// What all runs share.
struct PrecisionBench<'a> {
    model: &'a Model,
    duration: f64,
    end: State,
    reference: &'a Reference,
    stop: &'a AtomicBool,
}

/// Ends a run that is to stop.
struct Brake<'a>(&'a AtomicBool);

impl Observer for Brake<'_> {
    fn pulse(&mut self, _: u64) -> ControlFlow<()> {
        match self.0.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

impl PrecisionBench<'_> {
    fn schedule(&self, steps: u64, samples: u64) -> Schedule {
        Schedule {
            step: self.duration / steps as f64,
            steps,
            every: (steps / samples).max(1),
        }
    }

    fn simulation(&self, integrator: Box<dyn Integrator>) -> Simulation {
        let (system, state) = (self.model.mechanism.system(), self.model.state.clone());
        Simulation::new(system, integrator, state, self.model.schedule.step)
    }

    /// By a method that is exact enough for a scale.
    fn energy_in_motion(&self) -> Result<f64, ConvergeError> {
        let options = Options {
            rtol: Some(1e-8),
            atol: Some(1e-10),
            end: Some(self.model.state.t + self.duration),
            ..Options::default()
        };
        let built = catalog::find("dop853")
            .ok()
            .map(|method| method.build_with(&self.model.mechanism, &options));
        let Some(Ok(integrator)) = built else {
            unreachable!("dop853 fits every mechanism");
        };
        let mut record = Record::default();
        let mut brake = Brake(self.stop);
        let schedule = self.schedule(SAMPLES, SAMPLES);
        let report = self
            .simulation(integrator)
            .run(&schedule, &mut [&mut record, &mut brake])
            .map_err(|error| ConvergeError::Reference(Box::new(error)))?;
        match report.stopped {
            true => Err(ConvergeError::Stopped),
            false => Ok(record.energy.in_motion()),
        }
    }

    /// A method along the plan; nothing if it does not fit.
    fn curve(
        &self,
        method: &'static Method,
        plan: &Plan,
        scale: f64,
    ) -> Result<Option<MethodCurve>, ConvergeError> {
        let runs: Vec<(u64, Option<f64>)> = match method.adaptive {
            true => plan.tolerances.iter().map(|&rtol| (1, Some(rtol))).collect(),
            false => plan.counts.iter().map(|&count| (count, None)).collect(),
        };
        let mut points: Vec<PrecisionRun> = Vec::with_capacity(runs.len());
        for (steps, tolerance) in runs {
            let options = Options {
                rtol: tolerance,
                atol: tolerance.map(|rtol| 1e-2 * rtol),
                end: method.adaptive.then_some(self.model.state.t + self.duration),
                ..Options::default()
            };
            let build = || method.build_with(&self.model.mechanism, &options);
            let Ok(integrator) = build() else {
                return Ok(None);
            };
            let mut point = self.observed(integrator, method, steps, tolerance, scale)?;
            // The first run also warmed the caches.
            let began = Instant::now();
            let mut runs = 0;
            while point.problem.is_none()
                && (runs < FEWEST_RUNS || (runs < MOST_RUNS && began.elapsed().as_secs_f64() < TIMED))
            {
                let Ok(integrator) = build() else { break };
                let (seconds, evaluations) = self.timed(integrator, steps)?;
                point.seconds = point.seconds.min(seconds);
                point.evaluations = evaluations;
                runs += 1;
            }
            let enough = point.error.is_some() && !point.above_floor || point.seconds > plan.seconds;
            points.push(point);
            if enough {
                break;
            }
        }
        let (work, errors): (Vec<f64>, Vec<f64>) = points
            .iter()
            .filter(|point| point.above_floor && point.error.is_some_and(|error| error < 0.1))
            .filter_map(|point| Some((1.0 / point.evaluations as f64, point.error?)))
            .unzip();
        Ok(Some(MethodCurve {
            method: method.name.to_owned(),
            order: method.order,
            geometric: method.symplectic || method.bounded_energy,
            slope: (work.len() > 1).then(|| observed_order(&work, &errors)),
            points,
        }))
    }

    /// A run under watch: its errors and evaluations.
    fn observed(
        &self,
        integrator: Box<dyn Integrator>,
        method: &Method,
        steps: u64,
        tolerance: Option<f64>,
        scale: f64,
    ) -> Result<PrecisionRun, ConvergeError> {
        let mut simulation = self.simulation(integrator);
        // What an adaptive method is asked on the way is read from its dense output and changes no step of it.
        let samples = if method.adaptive { SAMPLES } else { steps };
        let mut record = Record::default();
        let mut brake = Brake(self.stop);
        let schedule = self.schedule(samples, SAMPLES);
        let began = Instant::now();
        let result = simulation.run(&schedule, &mut [&mut record, &mut brake]);
        let seconds = began.elapsed().as_secs_f64();
        let (work, problem) = match result {
            Ok(report) if report.stopped => return Err(ConvergeError::Stopped),
            Ok(report) if simulation.state.is_finite() => (report.work, None),
            Ok(report) => (report.work, Some("the state is not finite".to_owned())),
            Err(error) => (error.work, Some(error.to_string())),
        };
        let error = problem.is_none().then(|| distance(&simulation.state, &self.end));
        let taken = if method.adaptive { work.substeps } else { steps }.max(1);
        let floor = self.reference.floor(taken);
        Ok(PrecisionRun {
            step: self.duration / taken as f64,
            tolerance,
            error,
            energy_error: problem.is_none().then_some(record.energy.max_error / scale),
            evaluations: work.evaluations,
            seconds,
            above_floor: error.is_some_and(|error| error > floor),
            problem,
        })
    }

    /// Time and force evaluations of a run that nobody watches: dense output is work too.
    fn timed(&self, integrator: Box<dyn Integrator>, steps: u64) -> Result<(f64, u64), ConvergeError> {
        let mut simulation = self.simulation(integrator);
        let mut brake = Brake(self.stop);
        let began = Instant::now();
        let report = simulation.run(&self.schedule(steps, 1), &mut [&mut brake]);
        let seconds = began.elapsed().as_secs_f64();
        match report {
            Ok(report) if report.stopped => Err(ConvergeError::Stopped),
            Ok(report) => Ok((seconds, report.work.evaluations)),
            Err(error) => Ok((seconds, error.work.evaluations)),
        }
    }
}
