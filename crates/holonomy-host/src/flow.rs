//! The steps of a model as a map, with inputs and derivatives: what control, fits and efforts are made with.
//!
//! ```text
//! p + ½ h F u,   a step of the method,   p⁺ + ½ h F u          F: a column for each input, its scale along its velocity
//! A = ∂z⁺/∂z,    B = A b + b,            b = (0, ½ h F)        in canonical coordinates about z and about z⁺
//! ```
//! With one-sided forcing all of it acts before the step. A method with exact derivatives gives A; of the others it is
//! taken by differences.
use holonomy::{
    derivative::{Change, Differentiable, OFFSET, slope},
    integrator::{Fault, Integrator, StepError},
    output::{Output, Readings},
    system::{Measurement, Scratch, State, System},
};
use holonomy_model::{Input, Model};
use nalgebra::{DMatrix, DVector};
use std::{convert::Infallible, ops::Range, sync::Arc};

/// A model that is stepped from any state under any inputs.
pub struct Flow {
    system: Arc<dyn System>,
    integrator: Box<dyn Integrator>,
    inputs: Vec<Input>,
    step: f64,
    one_sided: bool,
    measured: Measurement,
    scratch: Scratch,
    readings: Readings,
}

/// Where second differences of order 2 are taken: their error and that of rounding are about the root of rounding.
const SECOND: f64 = 3e-4;

impl Flow {
    /// Of a model, with its step, its method and its inputs.
    pub fn new(model: &Model) -> Self {
        let system = model.mechanism.system();
        Self {
            scratch: system.scratch(),
            system,
            integrator: model.integrator(),
            inputs: model.inputs.clone(),
            step: model.schedule.step,
            one_sided: model.options.one_sided,
            measured: Measurement::default(),
            readings: Readings::default(),
        }
    }

    /// The system that moves.
    pub fn system(&self) -> &dyn System {
        &*self.system
    }

    /// How many numbers a change of state has: of its configuration, and of its momentum.
    pub fn sizes(&self, at: &State) -> [usize; 2] {
        let (x, y) = self.system.canonical(&at.q, &at.q, &at.p);
        [x.len(), y.len()]
    }

    /// Both together.
    pub fn directions(&self, at: &State) -> usize {
        self.sizes(at).iter().sum()
    }

    /// The state after a step; its time is that before and a step. Impulses are of inputs held over the step.
    pub fn next(&mut self, from: &State, input: &[f64]) -> Result<State, Fault> {
        let mut state = from.clone();
        self.push(&mut state, input, self.before());
        self.integrator.attempt(&mut state, self.step)?;
        self.push(&mut state, input, 1.0 - self.before());
        match state.is_finite() {
            true => Ok(state),
            false => Err(Fault {
                cause: holonomy::integrator::Cause::NotFinite,
                body: None,
            }),
        }
    }

    /// The state after a step of another size, without inputs.
    pub fn part(&mut self, from: &State, step: f64) -> Result<State, Fault> {
        let mut state = from.clone();
        self.integrator.attempt(&mut state, step)?;
        Ok(state)
    }

    /// Moves a state by a step of any size, without inputs.
    pub fn go(&mut self, state: &mut State, step: f64) -> Result<(), Fault> {
        self.integrator.attempt(state, step)?;
        match state.is_finite() {
            true => Ok(()),
            false => Err(Fault {
                cause: holonomy::integrator::Cause::NotFinite,
                body: None,
            }),
        }
    }

    /// The method, if its steps have exact derivatives.
    pub fn differentiable(&mut self) -> Option<&mut dyn Differentiable> {
        self.integrator.differentiable()
    }

    /// Whether outputs are functions of the configuration and the momentum alone, as seen after a first step.
    pub fn reads_state_alone(&mut self, outputs: &[Output], from: &State) -> Result<bool, Fault> {
        let mut state = from.clone();
        self.go(&mut state, self.step)?;
        let all = self.read(outputs, &state);
        let bare = State::new(state.t, state.q, state.p);
        Ok(all == self.read(outputs, &bare))
    }

    /// A sentence about a step that failed.
    pub fn describe(&self, fault: Fault) -> String {
        let error = StepError {
            fault,
            limit: None,
            goes_back: false,
        };
        error.describe(self.system.layout())
    }

    /// The part of an impulse that acts before a step.
    fn before(&self) -> f64 {
        if self.one_sided { 1.0 } else { 0.5 }
    }

    fn push(&self, state: &mut State, input: &[f64], share: f64) {
        for (input, value) in self.inputs.iter().zip(input) {
            state.p[input.velocity] += share * self.step * input.scale * value;
        }
    }

    /// A and B of a step that was taken.
    pub fn linearised(
        &mut self,
        from: &State,
        input: &[f64],
        to: &State,
    ) -> Result<(DMatrix<f64>, DMatrix<f64>), Fault> {
        let mut pushed = from.clone();
        self.push(&mut pushed, input, self.before());
        let a = self.tangent(&pushed)?;
        let (before, after) = (self.impulses(from), self.impulses(to));
        let share = self.before();
        let b = &a * before * share + after * (1.0 - share);
        Ok((a, b))
    }

    /// What inputs of one change at a state at once, over a whole step.
    fn impulses(&self, at: &State) -> DMatrix<f64> {
        let [first, momenta] = self.sizes(at);
        let mut out = DMatrix::zeros(first + momenta, self.inputs.len());
        let (_, y0) = self.system.canonical(&at.q, &at.q, &vec![0.0; at.p.len()]);
        for (k, input) in self.inputs.iter().enumerate() {
            let mut p = vec![0.0; at.p.len()];
            p[input.velocity] = self.step * input.scale;
            let (_, y) = self.system.canonical(&at.q, &at.q, &p);
            for i in 0..momenta {
                out[(first + i, k)] = y[i] - y0[i];
            }
        }
        out
    }

    /// The state after a step without inputs.
    pub fn free_step(&mut self, from: &State) -> Result<State, Fault> {
        self.part(from, self.step)
    }

    /// ∂z⁺/∂z of a step without inputs.
    fn tangent(&mut self, from: &State) -> Result<DMatrix<f64>, Fault> {
        let n = self.directions(from);
        self.columns(from, 0..n)
    }

    /// ∂x⁺/∂y of a step without inputs: where momenta lead.
    pub fn reach(&mut self, from: &State) -> Result<DMatrix<f64>, Fault> {
        let [first, momenta] = self.sizes(from);
        let columns = self.columns(from, first..first + momenta)?;
        Ok(columns.rows(0, first).into_owned())
    }

    /// Some columns of ∂z⁺/∂z.
    fn columns(&mut self, from: &State, wanted: Range<usize>) -> Result<DMatrix<f64>, Fault> {
        let ([first, momenta], h) = (self.sizes(from), self.step);
        let n = first + momenta;
        let mut end = from.clone();
        self.integrator.attempt(&mut end, h)?;
        let mut out = DMatrix::zeros(n, wanted.len());
        if let Some(method) = self.integrator.differentiable() {
            let mut solution = Vec::new();
            method.solution(&mut solution);
            method.linearise(from, h, &solution)?;
            let unit = |k: usize| {
                let mut change = Change {
                    x: vec![0.0; first],
                    y: vec![0.0; momenta],
                    ..Change::default()
                };
                match k < first {
                    true => change.x[k] = 1.0,
                    false => change.y[k - first] = 1.0,
                }
                change
            };
            let mut changes: Vec<Change> = wanted.map(unit).collect();
            method.push_each(&mut changes);
            for (place, change) in changes.iter().enumerate() {
                for (i, value) in change.x.iter().chain(&change.y).enumerate() {
                    out[(i, place)] = *value;
                }
            }
            return Ok(out);
        }
        let (_, y0) = self.system.canonical(&from.q, &from.q, &from.p);
        let size = y0.iter().fold(0.0_f64, |size, y| size.max(y.abs()));
        // What a unit of velocity makes of momentum, where there is little.
        let unit = self.mass(from);
        for (place, k) in wanted.enumerate() {
            let scale = if k < first { 1.0 } else { size.max(unit) };
            let column = slope(OFFSET, |shift| {
                let mut state = self.along(from, k, shift * scale);
                self.integrator.attempt(&mut state, h)?;
                let (x, y) = self.system.canonical(&end.q, &state.q, &state.p);
                Ok::<_, Fault>(x.into_iter().chain(y).collect())
            })?;
            for (i, value) in column.iter().enumerate() {
                out[(i, place)] = value / scale;
            }
        }
        Ok(out)
    }

    /// The largest momentum of a velocity of one.
    fn mass(&mut self, at: &State) -> f64 {
        let count = at.p.len();
        let mut largest = f64::MIN_POSITIVE;
        let (mut v, mut p, mut rest) = (vec![0.0; count], vec![0.0; count], vec![0.0; count]);
        self.system
            .momentum(at.t, &at.q, &v, &mut rest, &mut self.scratch);
        for k in 0..count {
            v[k] = 1.0;
            self.system.momentum(at.t, &at.q, &v, &mut p, &mut self.scratch);
            v[k] = 0.0;
            largest = p
                .iter()
                .zip(&rest)
                .map(|(p, rest)| (p - rest).abs())
                .fold(largest, f64::max);
        }
        largest
    }

    /// A state changed in one direction.
    fn along(&self, from: &State, direction: usize, by: f64) -> State {
        let mut change = DVector::zeros(self.directions(from));
        change[direction] = by;
        self.moved(from, &change)
    }

    /// The state that lies in a direction of another.
    pub fn moved(&self, from: &State, by: &DVector<f64>) -> State {
        let (mut x, mut y) = self.system.canonical(&from.q, &from.q, &from.p);
        for (z, by) in x.iter_mut().chain(&mut y).zip(by.iter()) {
            *z += by;
        }
        let (q, p) = self.system.state_from_canonical(&from.q, &x, &y);
        State::new(from.t, q, p)
    }

    /// Changes of each direction that are small, and not too small for second differences.
    pub fn unit(&mut self, at: &State) -> DVector<f64> {
        let [first, momenta] = self.sizes(at);
        let largest = at.p.iter().fold(0.0_f64, |size, p| size.max(p.abs()));
        let momentum = largest.max(self.mass(at));
        DVector::from_fn(first + momenta, |i, _| {
            SECOND * if i < first { 1.0 } else { momentum }
        })
    }

    /// The way from one state to another near it.
    pub fn apart(&self, from: &State, to: &State) -> DVector<f64> {
        let (x0, y0) = self.system.canonical(&from.q, &from.q, &from.p);
        let (x, y) = self.system.canonical(&from.q, &to.q, &to.p);
        let each = x.iter().zip(&x0).chain(y.iter().zip(&y0));
        DVector::from_iterator(x0.len() + y0.len(), each.map(|(to, from)| to - from))
    }

    /// The numbers of outputs at a state; angles as they were turned, and not within ±π.
    pub fn read(&mut self, outputs: &[Output], state: &State) -> Vec<f64> {
        self.system.measure(state, &mut self.measured, &mut self.scratch);
        let mut values = self
            .readings
            .take(outputs, &*self.system, state, &self.measured)
            .to_vec();
        // Angles go on beyond half a turn.
        let layout = self.system.layout();
        let mut place = 0;
        for output in outputs {
            let coordinate = layout.coordinates.iter().position(|name| *name == output.name);
            if let Some(k) = coordinate {
                values[place] = state.q[k];
            }
            place += output.width();
        }
        values
    }

    /// How these change with the state, a row for each.
    pub fn slopes(&mut self, outputs: &[Output], at: &State) -> DMatrix<f64> {
        let [first, momenta] = self.sizes(at);
        let n = first + momenta;
        let rows = outputs.iter().map(Output::width).sum();
        let mut out = DMatrix::zeros(rows, n);
        if rows == 0 {
            return out;
        }
        let (_, y0) = self.system.canonical(&at.q, &at.q, &at.p);
        let size = y0.iter().fold(0.0_f64, |size, y| size.max(y.abs()));
        let unit = size.max(self.mass(at));
        for k in 0..n {
            let scale = if k < first { 1.0 } else { unit };
            let column = slope(OFFSET, |shift| {
                let state = self.along(at, k, shift * scale);
                Ok::<_, Infallible>(self.read(outputs, &state))
            });
            let Ok(column) = column;
            for (i, value) in column.iter().enumerate() {
                out[(i, k)] = value / scale;
            }
        }
        out
    }
}
