//! A run that can be gone along again: forwards with changes, backwards with gradients.
//!
//! ```text
//! zₖ,  kept at every L-th k        of one stretch of L steps all states, with the unknowns of their steps
//! u    p ← p + ½h u,  step,  p ← p + ½h u       efforts, constant over a step; one-sided: p ← p + h u,  step
//! ```
//! A stretch is stepped again when it is needed, with the same bits. L is √N, or more as long as little memory holds it:
//! a gradient costs at most one more run, and memory grows as √N.
use super::{Change, Differentiable};
use crate::{integrator::Fault, system::State};

/// Numbers that a stretch may always take: 16 MB.
const ROOM: usize = 1 << 21;

/// Generalized forces from outside, as impulses at the ends of each step. They act on momenta that are canonical: those of
/// a [`Lagrangian`](crate::lagrangian::Lagrangian), or of joints with one number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Efforts {
    /// The places of the momenta.
    pub on: Vec<usize>,
    /// One after the other, of one step after the other.
    pub values: Vec<f64>,
    /// All of the impulse at the start of a step.
    pub one_sided: bool,
}

/// Why a run ended before its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TapeFault {
    /// The step that failed, counted from 0.
    pub step: usize,
    /// Why.
    pub fault: Fault,
}

/// One step of a run.
pub struct Step<'a> {
    /// Counted from 0.
    pub number: usize,
    /// The state from which it was taken, after the impulse at its start.
    pub before: &'a State,
    /// Its size, s.
    pub h: f64,
    /// Its unknowns.
    pub solution: &'a [f64],
}

/// What goes along with changes or gradients.
///
/// With changes it says what else changes; with gradients it adds to them what a number has at some states, and takes
/// those with respect to equations and efforts.
pub trait Along {
    /// At the state after `k` steps.
    fn at(&mut self, k: usize, state: &State, changes: &mut [Change]) -> Result<(), Fault> {
        let _ = (k, state, changes);
        Ok(())
    }

    /// At a step, before changes go through it and after gradients did: their `equations`.
    fn equations(&mut self, step: &Step<'_>, changes: &mut [Change]) -> Result<(), Fault> {
        let _ = (step, changes);
        Ok(())
    }

    /// The same of the efforts of step `k`, of each change one after the other: zero with changes if left alone.
    fn efforts(&mut self, k: usize, efforts: &mut [f64]) -> Result<(), Fault> {
        let _ = (k, efforts);
        Ok(())
    }
}

/// Nothing goes along.
impl Along for () {}

/// A run of N steps.
///
/// How the last angle of a pendulum depends on where it starts, and on a torque that is constant from step to step:
///
/// ```
/// use holonomy::derivative::{Along, Change, Efforts, Tape};
/// use holonomy::formula::{Formula, Kind};
/// use holonomy::integrator::{DiscreteLagrangian, Fault, MIDPOINT};
/// use holonomy::lagrangian::{FormulaMechanics, Formulas, Lagrangian, Slots};
/// use std::sync::Arc;
///
/// let (slots, scope) = Slots::scope(&[("theta", Kind::Scalar)], &[]).map_err(|(_, error)| error)?;
/// let lagrangian = Formula::parse("0.5*theta'^2 + 9.81*cos(theta)", &scope).map_err(|e| format!("{e:?}"))?;
/// let lagrangian = &lagrangian;
/// let formulas = Formulas { slots, lagrangian, fields: &[], forces: &[], constraints: &[], invariants: &[] };
/// let pendulum = Lagrangian::new(Box::new(FormulaMechanics::new(&formulas)?), &["theta".to_owned()])?;
/// let start = pendulum.state(0.0, &[1.0], &[0.0])?;
/// let mut method = DiscreteLagrangian::new(Arc::new(pendulum), MIDPOINT, 30).ok_or("it has no frame")?;
///
/// let torque = Efforts { on: vec![0], values: vec![0.3; 100], ..Efforts::default() };
/// let mut tape = Tape::record(&mut method, &start, 0.01, 100, torque).map_err(|e| format!("{e:?}"))?;
/// let mut gradient = [Change { x: vec![1.0], y: vec![0.0], ..Change::default() }];
/// struct ByTorque(Vec<f64>);
/// impl Along for ByTorque {
///     fn efforts(&mut self, step: usize, gradient: &mut [f64]) -> Result<(), Fault> {
///         self.0[step] = gradient[0];
///         Ok(())
///     }
/// }
/// let mut by_torque = ByTorque(vec![0.0; 100]);
/// tape.pull(&mut method, &mut gradient, &mut by_torque).map_err(|e| format!("{e:?}"))?;
/// // By the start it is ∂θ/∂θ₀; a torque early on does more than one at the end.
/// assert!(gradient[0].x[0] < 0.0 && by_torque.0[50] > by_torque.0[99]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Tape {
    h: f64,
    steps: usize,
    efforts: Efforts,
    /// The steps of a stretch, and the states where stretches start; the last is the end of the run.
    stretch: usize,
    starts: Vec<State>,
    end: State,
    /// The stretch that is known step by step.
    known: usize,
    row: Row,
    state: State,
    before: State,
    solution: Vec<f64>,
}

/// The states of a stretch with the unknowns of the steps from them, one after the other: q, p, λ and the unknowns.
#[derive(Default)]
struct Row {
    numbers: Vec<f64>,
    /// Where each begins, and where its unknowns do.
    begins: Vec<[usize; 2]>,
}

impl Row {
    fn clear(&mut self) {
        self.numbers.clear();
        self.begins.clear();
    }

    /// Notes a state; unknowns follow.
    fn push(&mut self, state: &State) {
        let begin = self.numbers.len();
        for part in [&state.q, &state.p, &state.lambda] {
            self.numbers.extend_from_slice(part);
        }
        self.begins.push([begin, self.numbers.len()]);
    }

    /// Puts a state where it is wanted, and shows the unknowns of the step from it.
    fn show(&self, k: usize, state: &mut State) -> &[f64] {
        let [begin, unknowns] = self.begins[k];
        let end = self.begins.get(k + 1).map_or(self.numbers.len(), |next| next[0]);
        let (q, rest) = self.numbers[begin..unknowns].split_at(state.q.len());
        let (p, lambda) = rest.split_at(state.p.len());
        state.q.copy_from_slice(q);
        state.p.copy_from_slice(p);
        state.lambda.clear();
        state.lambda.extend_from_slice(lambda);
        &self.numbers[unknowns..end]
    }
}

impl Tape {
    /// Takes N steps of h seconds from a state.
    pub fn record(
        method: &mut dyn Differentiable,
        start: &State,
        h: f64,
        steps: usize,
        efforts: Efforts,
    ) -> Result<Self, TapeFault> {
        Self::record_with(method, start, (h, steps), efforts, &mut ())
    }

    /// The same, seen by what goes along: at each state, with no change at all.
    pub fn record_with(
        method: &mut dyn Differentiable,
        start: &State,
        (h, steps): (f64, usize),
        efforts: Efforts,
        along: &mut dyn Along,
    ) -> Result<Self, TapeFault> {
        let mut bare = start.clone();
        bare.work.clear();
        bare.carry.clear();
        let mut tape = Self {
            h,
            steps,
            efforts,
            stretch: 1,
            starts: vec![start.clone()],
            end: start.clone(),
            known: usize::MAX,
            row: Row::default(),
            state: bare.clone(),
            before: bare,
            solution: Vec::new(),
        };
        if steps > 0 {
            tape.stretch = tape.length(method)?;
            tape.take(method, along)?;
        }
        Ok(tape)
    }

    /// As many steps of the same size from another state of the same mechanism, in the memory of those before. After a
    /// fault the tape is that of no run.
    pub fn again(
        &mut self,
        method: &mut dyn Differentiable,
        start: &State,
        efforts: Efforts,
    ) -> Result<(), TapeFault> {
        self.efforts = efforts;
        self.starts.truncate(1);
        self.starts[0].copy_from(start);
        self.end.copy_from(start);
        self.known = usize::MAX;
        match self.steps {
            0 => Ok(()),
            _ => self.take(method, &mut ()),
        }
    }

    /// All steps, from the start.
    fn take(&mut self, method: &mut dyn Differentiable, along: &mut dyn Along) -> Result<(), TapeFault> {
        let count = self.steps.div_ceil(self.stretch);
        for k in 0..count {
            self.fill(method, k, k + 1 == count, along)?;
            if k + 1 < count {
                self.starts.push(self.end.clone());
            }
        }
        Ok(())
    }

    /// How long a stretch is, from what one step takes.
    fn length(&mut self, method: &mut dyn Differentiable) -> Result<usize, TapeFault> {
        self.step(method, 0, true)?;
        let State { q, p, lambda, .. } = &self.end;
        let numbers = q.len() + p.len() + lambda.len() + self.solution.len() + 2;
        self.end.copy_from(&self.starts[0]);
        let root = (self.steps as f64).sqrt().ceil() as usize;
        Ok(root.max(ROOM / numbers).min(self.steps))
    }

    /// Takes a step from the end, which moves; its unknowns are noted if they are wanted.
    fn step(&mut self, method: &mut dyn Differentiable, k: usize, keep: bool) -> Result<(), TapeFault> {
        self.efforts.act(k, self.h, &mut self.end.p, true);
        method
            .attempt(&mut self.end, self.h)
            .map_err(|fault| TapeFault { step: k, fault })?;
        if keep {
            method.solution(&mut self.solution);
        }
        self.efforts.act(k, self.h, &mut self.end.p, false);
        self.end.t = self.starts[0].t + (k + 1) as f64 * self.h;
        Ok(())
    }

    /// Goes through a stretch, and keeps all of it if it is wanted. The end moves there.
    fn fill(
        &mut self,
        method: &mut dyn Differentiable,
        number: usize,
        keep: bool,
        along: &mut dyn Along,
    ) -> Result<(), TapeFault> {
        let first = number * self.stretch;
        self.end.copy_from(&self.starts[number]);
        self.known = usize::MAX;
        self.row.clear();
        let count = self.stretch.min(self.steps - first);
        for k in 0..count {
            let seen = along.at(first + k, &self.end, &mut []);
            seen.map_err(|fault| TapeFault {
                step: first + k,
                fault,
            })?;
            if keep {
                self.row.push(&self.end);
            }
            self.step(method, first + k, keep)?;
            if keep {
                self.row.numbers.extend_from_slice(&self.solution);
            }
        }
        if keep {
            self.known = number;
        }
        Ok(())
    }

    /// Makes step k known; the state at the end of the run stays what it is.
    fn know(&mut self, method: &mut dyn Differentiable, k: usize) -> Result<(), TapeFault> {
        let number = k / self.stretch;
        if self.known != number {
            let end = self.end.clone();
            let filled = self.fill(method, number, true, &mut ());
            self.end = end;
            filled?;
        }
        Ok(())
    }

    /// The steps of the run.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The size of a step, s.
    pub fn step_size(&self) -> f64 {
        self.h
    }

    /// The efforts on it.
    pub fn efforts(&self) -> &Efforts {
        &self.efforts
    }

    /// Where it starts.
    pub fn start(&self) -> &State {
        &self.starts[0]
    }

    /// Where it ends.
    pub fn end(&self) -> &State {
        &self.end
    }

    /// How many states it keeps at most.
    pub fn kept(&self) -> usize {
        self.starts.len() + self.stretch
    }

    /// The state after k steps. What it carries to the next step is left out.
    pub fn state(&mut self, method: &mut dyn Differentiable, k: usize) -> Result<&State, TapeFault> {
        if k >= self.steps {
            return Ok(&self.end);
        }
        self.know(method, k)?;
        self.row.show(k % self.stretch, &mut self.state);
        self.state.t = self.starts[0].t + k as f64 * self.h;
        Ok(&self.state)
    }

    /// Linearises a method at step k, and calls back with it.
    fn with_step(
        &mut self,
        method: &mut dyn Differentiable,
        k: usize,
        act: impl FnOnce(&mut dyn Differentiable, &State, &Step<'_>) -> Result<(), Fault>,
    ) -> Result<(), TapeFault> {
        self.know(method, k)?;
        let solution = self.row.show(k % self.stretch, &mut self.state);
        self.state.t = self.starts[0].t + k as f64 * self.h;
        let mut before = &self.state;
        if !self.efforts.on.is_empty() {
            self.before.copy_from(before);
            self.efforts.act(k, self.h, &mut self.before.p, true);
            before = &self.before;
        }
        let step = Step {
            number: k,
            before,
            h: self.h,
            solution,
        };
        let done = method.linearise(step.before, step.h, solution);
        done.and_then(|()| act(method, &self.state, &step))
            .map_err(|fault| TapeFault { step: k, fault })
    }

    /// Changes of the start become those of the end, to the first order.
    pub fn push(
        &mut self,
        method: &mut dyn Differentiable,
        changes: &mut [Change],
        along: &mut dyn Along,
    ) -> Result<(), TapeFault> {
        let (on, [first, last]) = (self.efforts.on.clone(), self.efforts.parts(self.h));
        let mut efforts = Vec::new();
        for k in 0..self.steps {
            self.with_step(method, k, |method, state, step| {
                along.at(k, state, changes)?;
                efforts.clear();
                efforts.resize(on.len() * changes.len(), 0.0);
                along.efforts(k, &mut efforts)?;
                add(&on, first, &efforts, changes);
                along.equations(step, changes)?;
                method.push_each(changes);
                add(&on, last, &efforts, changes);
                Ok(())
            })?;
        }
        let end = along.at(self.steps, &self.end, changes);
        end.map_err(|fault| TapeFault {
            step: self.steps,
            fault,
        })
    }

    /// Gradients with respect to the end become those with respect to the start.
    pub fn pull(
        &mut self,
        method: &mut dyn Differentiable,
        gradients: &mut [Change],
        along: &mut dyn Along,
    ) -> Result<(), TapeFault> {
        let (on, [first, last]) = (self.efforts.on.clone(), self.efforts.parts(self.h));
        let mut efforts = Vec::new();
        let end = along.at(self.steps, &self.end, gradients);
        end.map_err(|fault| TapeFault {
            step: self.steps,
            fault,
        })?;
        for k in (0..self.steps).rev() {
            self.with_step(method, k, |method, state, step| {
                efforts.clear();
                efforts.resize(on.len() * gradients.len(), 0.0);
                gather(&on, last, gradients, &mut efforts);
                method.pull_each(gradients);
                along.equations(step, gradients)?;
                gather(&on, first, gradients, &mut efforts);
                along.efforts(k, &mut efforts)?;
                for gradient in &mut *gradients {
                    gradient.equations.clear();
                }
                along.at(k, state, gradients)
            })?;
        }
        Ok(())
    }
}

impl Efforts {
    /// The parts of an impulse before and after a step.
    fn parts(&self, h: f64) -> [f64; 2] {
        match self.one_sided {
            true => [h, 0.0],
            false => [0.5 * h, 0.5 * h],
        }
    }

    fn act(&self, k: usize, h: f64, p: &mut [f64], first: bool) {
        if self.on.is_empty() {
            return;
        }
        let [before, after] = self.parts(h);
        let part = if first { before } else { after };
        let own = self.values.iter().skip(k * self.on.len());
        for (place, effort) in self.on.iter().zip(own) {
            p[*place] += part * effort;
        }
    }
}

/// Adds impulses to changes.
fn add(on: &[usize], part: f64, efforts: &[f64], changes: &mut [Change]) {
    for (change, efforts) in changes.iter_mut().zip(efforts.chunks(on.len().max(1))) {
        for (place, effort) in on.iter().zip(efforts) {
            change.y[*place] += part * effort;
        }
    }
}

/// The transpose of that.
fn gather(on: &[usize], part: f64, gradients: &[Change], efforts: &mut [f64]) {
    for (gradient, efforts) in gradients.iter().zip(efforts.chunks_mut(on.len().max(1))) {
        for (place, effort) in on.iter().zip(efforts) {
            *effort += part * gradient.y[*place];
        }
    }
}
