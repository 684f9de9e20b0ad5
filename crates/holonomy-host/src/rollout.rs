//! A run as a map that can be differentiated: from a start, numbers of the model and inputs to its end and what is read on
//! the way.
//!
//! ```text
//! (z₀, θ, u) ↦ (z_N, y₀ … y_M)          z = (q, p), θ numbers of the model, u inputs held over each step, y outputs
//! δz_N, δy = Φ′ (δz₀, δθ, δu)           pushed forwards through the steps
//! z̄₀, θ̄, ū = Φ′ᵀ (z̄_N, ȳ)               pulled back through them
//! ```
//! Without a start the run begins where the model with those numbers does, and θ changes that, too. Steps are differentiated
//! by their own equations; formulas beside them, what is read of a state and states in canonical coordinates, by
//! differences of order 6.
mod along;
mod chart;
mod error;
mod given;
mod halting;

pub use error::RolloutError;

use crate::flow::Flow;
use along::{Pulled, Pushed, Reading};
use chart::Chart;
use given::{chosen, knob, offset, started};
use halting::Halting;
use holonomy::{
    derivative::{
        Change, Efforts, GradientCertificate, ParameterError, Parameters, Tape, TapeFault, Variant, certify,
    },
    integrator::{Cause, Integrator},
    output::Output,
    system::{Carry, Mechanism, State},
};
use holonomy_model::{ChangeError, Knob, Model, Value};
use std::sync::{Arc, atomic::AtomicBool};

/// A map of runs of one model.
pub struct Rollout {
    model: Arc<Model>,
    knobs: Vec<Knob>,
    outputs: Vec<Output>,
    steps: usize,
    every: usize,
}

/// What a run is taken from; what is not given is that of the model.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// q, then p.
    pub start: Option<Vec<f64>>,
    /// Numbers of the model.
    pub numbers: Option<Vec<f64>>,
    /// The inputs of one step after the other.
    pub inputs: Option<Vec<f64>>,
}

/// Changes of what goes in, or gradients with respect to it: many of each, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ins {
    /// Of the start.
    pub start: Vec<f64>,
    /// Of the numbers.
    pub numbers: Vec<f64>,
    /// Of the inputs.
    pub inputs: Vec<f64>,
}

/// Changes of what comes out, or gradients with respect to it: many of each, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outs {
    /// Of the end.
    pub end: Vec<f64>,
    /// Of what is read.
    pub outputs: Vec<f64>,
}

impl Rollout {
    /// A map with respect to some numbers of a model, which reads outputs every so many steps and at the end; those that
    /// the model records, or its coordinates, if none are named.
    pub fn new(
        model: &Arc<Model>,
        keys: &[String],
        outputs: Option<&[String]>,
        steps: usize,
        every: usize,
    ) -> Result<Self, RolloutError> {
        if steps == 0 || every == 0 {
            return Err(RolloutError::Steps);
        }
        if model.integrator().differentiable().is_none() {
            return Err(without(model));
        }
        let knobs = keys.iter().map(|key| knob(model, key));
        let chart = Chart::new(model.mechanism.system(), &model.state);
        if let Some(input) = model
            .inputs
            .iter()
            .find(|input| !chart.is_canonical(input.velocity))
        {
            return Err(RolloutError::Place(input.name.clone()));
        }
        Ok(Self {
            knobs: knobs.collect::<Result<_, _>>()?,
            outputs: chosen(model, outputs)?,
            steps,
            every,
            model: model.clone(),
        })
    }

    /// Paths of the numbers, and their values in the model.
    pub fn numbers(&self) -> Vec<(String, f64)> {
        let each = self.knobs.iter();
        each.map(|knob| (knob.path.to_string(), knob.value)).collect()
    }

    /// Where the model starts: q, then p.
    pub fn start(&self) -> Vec<f64> {
        flat(&self.model.state)
    }

    /// Names of the columns of outputs.
    pub fn columns(&self) -> Vec<String> {
        self.outputs.iter().flat_map(Output::columns).collect()
    }

    /// Steps after which outputs are read.
    pub fn samples(&self) -> Vec<usize> {
        let (steps, every) = (self.steps, self.every);
        let regular = (0..steps).step_by(every);
        regular.chain(std::iter::once(steps)).collect()
    }

    /// The steps of a run.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Takes a run. `stop` ends it.
    pub fn take(&self, given: Given, stop: &AtomicBool) -> Result<Taken, RolloutError> {
        let theta = given
            .numbers
            .unwrap_or_else(|| self.knobs.iter().map(|knob| knob.value).collect());
        check("parameters", &theta, self.knobs.len())?;
        let wide = self.model.inputs.len();
        let inputs = given.inputs.unwrap_or_else(|| vec![0.0; self.steps * wide]);
        check("inputs", &inputs, self.steps * wide)?;
        let model = self.with(&theta)?;
        let start = match &given.start {
            Some(numbers) => started(&model, numbers)?,
            None => model.state.clone(),
        };
        let scales: Vec<f64> = model.inputs.iter().map(|input| input.scale).collect();
        let efforts = Efforts {
            on: model.inputs.iter().map(|input| input.velocity).collect(),
            values: inputs
                .iter()
                .zip(scales.iter().cycle())
                .map(|(u, scale)| scale * u)
                .collect(),
            one_sided: model.options.one_sided,
        };
        let mut flow = Flow::new(&model);
        let mut integrator = model.integrator();
        let mut method = halting(&model, &mut *integrator, stop)?;
        let h = model.schedule.step;
        let failed = |flow: &Flow, fault| explained(flow, start.t, h, fault);
        let mut tape = Tape::record(&mut method, &start, h, self.steps, efforts)
            .map_err(|fault| failed(&flow, fault))?;
        let samples = self.samples();
        let mut read = Vec::new();
        for k in &samples {
            let state = tape
                .state(&mut method, *k)
                .map_err(|fault| failed(&flow, fault))?;
            read.extend(flow.read(&self.outputs, &bare(state)));
        }
        Ok(Taken {
            end: flat(tape.end()),
            read,
            chart: Chart::new(model.mechanism.system(), &start),
            knobs: self.knobs.clone(),
            outputs: self.outputs.clone(),
            fixed: given.start.is_some(),
            model,
            flow,
            integrator,
            tape,
            samples,
            scales,
            theta,
            known: None,
        })
    }

    fn with(&self, theta: &[f64]) -> Result<Model, ChangeError> {
        match self.knobs.is_empty() {
            true => Ok(self.model.started(self.model.state.clone(), self.model.schedule)),
            false => changed(&self.model, &self.knobs, theta),
        }
    }
}

/// A run that was taken.
pub struct Taken {
    /// Where it ended: q, then p.
    pub end: Vec<f64>,
    /// What was read, sample by sample.
    pub read: Vec<f64>,
    model: Model,
    flow: Flow,
    integrator: Box<dyn Integrator>,
    tape: Tape,
    chart: Chart,
    knobs: Vec<Knob>,
    outputs: Vec<Output>,
    samples: Vec<usize>,
    /// Whether the start was given, and does not change with the numbers.
    fixed: bool,
    scales: Vec<f64>,
    theta: Vec<f64>,
    /// The models next to this one, once they were asked for.
    known: Option<Family>,
}

/// The models next to a model.
struct Family {
    parameters: Parameters,
    /// For each number as many as differences ask for, in their order.
    neighbours: Vec<Vec<Flow>>,
    offsets: Vec<f64>,
}

impl Taken {
    /// What some changes of what goes in make of what comes out.
    pub fn push(&mut self, ins: &Ins, count: usize, stop: &AtomicBool) -> Result<Outs, RolloutError> {
        let (z, steps) = (self.end.len(), self.tape.steps());
        check("start", &ins.start, count * z)?;
        check("parameters", &ins.numbers, count * self.knobs.len())?;
        check("inputs", &ins.inputs, count * steps * self.scales.len())?;
        let mut family = self.family()?;
        let start = self.tape.start().clone();
        let mut changes: Vec<Change> = (0..count)
            .map(|c| {
                let mut change = self.chart.change(&start, &ins.start[c * z..(c + 1) * z]);
                for (i, by) in own(&ins.numbers, count, c).iter().enumerate() {
                    add(&mut change, *by, family.parameters.start(i));
                }
                change
            })
            .collect();
        let mut pushed = Pushed {
            reading: Reading::new(&mut self.flow, &self.outputs, &self.samples, self.chart.plain()),
            family: &mut family,
            ins,
            count,
            scales: &self.scales,
            steps,
            found: vec![Vec::new(); count],
        };
        let mut method = halting(&self.model, &mut *self.integrator, stop)?;
        let done = self.tape.push(&mut method, &mut changes, &mut pushed);
        let outputs = pushed.found.concat();
        self.known = Some(family);
        done.map_err(|fault| explained(&self.flow, start.t, self.tape.step_size(), fault))?;
        let end = self.tape.end();
        let each = changes.iter().map(|change| self.chart.ambient(end, change));
        Ok(Outs {
            end: each.collect::<Vec<_>>().concat(),
            outputs,
        })
    }

    /// What some gradients with respect to what comes out are with respect to what goes in, and by how much the largest grew
    /// on its way back: coordinates and momenta in units of the largest.
    pub fn pull(&mut self, outs: &Outs, count: usize, stop: &AtomicBool) -> Result<(Ins, f64), RolloutError> {
        let (z, steps) = (self.end.len(), self.tape.steps());
        check("end", &outs.end, count * z)?;
        check("outputs", &outs.outputs, count * self.read.len())?;
        let mut family = self.family()?;
        let (start, end) = (self.tape.start().clone(), self.tape.end().clone());
        let sizes = self.flow.sizes(&start);
        let mut gradients = self.chart.gradients_at_end(&end, &outs.end, sizes);
        let mut pulled = Pulled {
            reading: Reading::new(&mut self.flow, &self.outputs, &self.samples, self.chart.plain()),
            outs,
            count,
            scales: &self.scales,
            units: chart::units(&start, &end),
            seeds: vec![0.0; count],
            numbers: vec![vec![0.0; self.knobs.len()]; count],
            inputs: vec![vec![0.0; steps * self.scales.len()]; count],
            family: &mut family,
        };
        pulled.seed(&gradients);
        let mut method = halting(&self.model, &mut *self.integrator, stop)?;
        let done = self.tape.pull(&mut method, &mut gradients, &mut pulled);
        let growth = pulled.growth(&gradients);
        let (numbers, inputs) = (pulled.numbers.concat(), pulled.inputs.concat());
        self.known = Some(family);
        done.map_err(|fault| explained(&self.flow, start.t, self.tape.step_size(), fault))?;
        let start = self.chart.gradients_at_start(&start, &gradients);
        Ok((
            Ins {
                start,
                numbers,
                inputs,
            },
            growth,
        ))
    }

    /// What gradients through this run are worth, as measured on it.
    pub fn certificate(&mut self, stop: &AtomicBool) -> Result<GradientCertificate, RolloutError> {
        let system = self.model.mechanism.system();
        let mut method = halting(&self.model, &mut *self.integrator, stop)?;
        certify(&*system, &mut method, &mut self.tape)
            .map_err(|fault| explained(&self.flow, self.tape.start().t, self.tape.step_size(), fault))
    }

    /// The models next to this one: made once.
    fn family(&mut self) -> Result<Family, RolloutError> {
        if let Some(known) = self.known.take() {
            return Ok(known);
        }
        let offsets: Vec<f64> = (self.knobs.iter().zip(&self.theta))
            .map(|(knob, value)| offset(knob, *value))
            .collect::<Result<_, _>>()?;
        let mut neighbours = Vec::new();
        let (fixed, start) = (self.fixed, self.tape.start());
        let made = Parameters::new(self.flow.system(), start, &self.theta, &offsets, |theta| {
            let model = changed(&self.model, &self.knobs, theta)?;
            let integrator = model.integrator();
            neighbours.push(Flow::new(&model));
            let start = if fixed { start.clone() } else { model.state };
            Ok::<_, ChangeError>(Variant { integrator, start })
        });
        let parameters = made.map_err(|error| match error {
            ParameterError::Refused(error) => RolloutError::Model(error),
            ParameterError::NotDifferentiable => without(&self.model),
        })?;
        let each = neighbours.len() / offsets.len().max(1);
        let mut all = neighbours.into_iter();
        let neighbours = offsets
            .iter()
            .map(|_| all.by_ref().take(each).collect())
            .collect();
        Ok(Family {
            parameters,
            neighbours,
            offsets,
        })
    }
}

/// A method that can be stopped.
fn halting<'a>(
    model: &Model,
    integrator: &'a mut dyn Integrator,
    stop: &'a AtomicBool,
) -> Result<Halting<'a>, RolloutError> {
    let method = integrator.differentiable().ok_or_else(|| without(model))?;
    Ok(Halting::new(method, stop))
}

/// Its method has no derivatives.
fn without(model: &Model) -> RolloutError {
    RolloutError::NotDifferentiable {
        method: model.method.name,
        instead: match &model.mechanism {
            Mechanism::Spheres(_) => "sphere-implicit",
            Mechanism::Lagrangian(_) => "midpoint",
            Mechanism::Tree(_) => "tree-variational",
        },
    }
}

/// The model with other values.
fn changed(model: &Model, knobs: &[Knob], theta: &[f64]) -> Result<Model, ChangeError> {
    let paths: Vec<String> = knobs.iter().map(|knob| knob.path.to_string()).collect();
    let values = paths.iter().zip(theta);
    model.with_all(values.map(|(path, value)| (path.as_str(), Value::from(*value))))
}

/// What is said of a step that failed.
fn explained(flow: &Flow, start: f64, h: f64, TapeFault { step, fault }: TapeFault) -> RolloutError {
    match fault.cause {
        Cause::Halted => RolloutError::Stopped,
        _ => RolloutError::Step {
            step: step + 1,
            t: start + step as f64 * h,
            reason: flow.describe(fault),
        },
    }
}

fn check(what: &'static str, numbers: &[f64], wanted: usize) -> Result<(), RolloutError> {
    if numbers.len() != wanted {
        return Err(RolloutError::Count {
            what,
            wanted,
            got: numbers.len(),
        });
    }
    match numbers.iter().all(|number| number.is_finite()) {
        true => Ok(()),
        false => Err(RolloutError::NotFinite(what)),
    }
}

fn flat(state: &State) -> Vec<f64> {
    state.q.iter().chain(&state.p).copied().collect()
}

/// A state without what a step left in it: what is read is a function of t, q and p.
fn bare(state: &State) -> State {
    State {
        lambda: Vec::new(),
        carry: Carry::default(),
        ..state.clone()
    }
}

/// The part of one of many.
fn own(all: &[f64], count: usize, number: usize) -> &[f64] {
    let size = all.len() / count.max(1);
    &all[number * size..(number + 1) * size]
}

fn add(change: &mut Change, by: f64, other: &Change) {
    for (own, other) in [(&mut change.x, &other.x), (&mut change.y, &other.y)] {
        for (own, other) in own.iter_mut().zip(other) {
            *own += by * other;
        }
    }
}
