//! A run in stretches, each from a state of its own, and how what is measured of it depends on these and on parameters.
//!
//! ```text
//! stretch k    y = Y_k(s_k, θ),   e = Φ_k(s_k, θ)          s₀ = s₀(θ); joined, s_{k+1} = e
//! ∂Y, ∂Φ       changes pushed through the linearised steps; how equations depend on θ from neighbours of the model
//! ```
//! Where steps have no derivatives, or an output is no function of the state alone, all of it is taken by central
//! differences of whole stretches.
use super::{Free, data::Data};
use crate::flow::Flow;
use holonomy::{
    derivative::{Change, OFFSET, Parameters, Step, Variant},
    math,
    system::State,
};
use holonomy_model::{Model, Value};
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use std::{
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

/// Parameters and states are moved by this part of their size for differences of stretches.
const MOVED: f64 = 1e-5;

/// Why a run was not seen to its end.
pub(super) enum Halt {
    /// It was asked to stop.
    Stopped,
    /// A step failed, or a model was refused.
    Failed(String),
}

/// A part of a run.
struct Stretch {
    first: u64,
    steps: u64,
    rows: Range<usize>,
}

/// What a stretch makes of its start.
pub(super) struct Shot {
    pub(super) end: State,
    /// Outputs at the times of the data.
    pub(super) rows: Vec<Vec<f64>>,
}

/// How that changes: of rows in units of their columns, with the start (but for the first stretch, which starts where θ
/// says) and with θ.
pub(super) struct Slopes {
    pub(super) rows_by_start: DMatrix<f64>,
    pub(super) rows: DMatrix<f64>,
    pub(super) end_by_start: DMatrix<f64>,
    pub(super) end: DMatrix<f64>,
}

/// A model with free numbers, data, and the stretches of its run.
pub(super) struct Run<'a> {
    pub(super) model: &'a Model,
    pub(super) data: &'a Data,
    pub(super) free: &'a [Free],
    pub(super) stop: &'a AtomicBool,
    /// For each time the step before it, and how much later it is.
    places: Vec<(u64, f64)>,
    stretches: Vec<Stretch>,
    pub(super) exact: bool,
}

impl<'a> Run<'a> {
    /// In one stretch.
    pub(super) fn new(
        model: &'a Model,
        data: &'a Data,
        free: &'a [Free],
        stop: &'a AtomicBool,
    ) -> Result<Self, String> {
        let (start, h) = (model.state.t, model.schedule.step);
        let places = data.times.iter().map(|time| {
            // Times of tables are decimals, and those of steps multiples of one.
            let steps = ((time - start) / h + 1e-6).floor();
            let beyond = time - (start + steps * h);
            (steps as u64, if beyond > 1e-6 * h { beyond } else { 0.0 })
        });
        let mut run = Self {
            model,
            data,
            free,
            stop,
            places: places.collect(),
            stretches: Vec::new(),
            exact: false,
        };
        run.cut(1);
        let mut flow = Flow::new(model);
        run.exact = flow.differentiable().is_some()
            && (flow.reads_state_alone(&data.outputs, &model.state)).map_err(|fault| flow.describe(fault))?;
        Ok(run)
    }

    /// Into so many stretches, of about as many steps.
    pub(super) fn cut(&mut self, count: usize) {
        let steps = self.places.last().map_or(0, |place| place.0);
        let count = (count as u64).clamp(1, steps.max(1));
        let ends = (0..=count).map(|k| k * steps / count);
        let ends: Vec<u64> = ends.collect();
        let stretches = ends.windows(2).enumerate().map(|(k, pair)| {
            let before = |step: u64| self.places.partition_point(|place| place.0 < step);
            let last = k as u64 + 1 == count;
            Stretch {
                first: pair[0],
                steps: pair[1] - pair[0],
                rows: before(pair[0])..if last { self.places.len() } else { before(pair[1]) },
            }
        });
        self.stretches = stretches.collect();
    }

    /// From now on it stops for nothing.
    pub(super) fn go_on(&mut self) {
        static NEVER: AtomicBool = AtomicBool::new(false);
        self.stop = &NEVER;
    }

    pub(super) fn stretches(&self) -> usize {
        self.stretches.len()
    }

    /// The most stretches of which each has something to be seen.
    pub(super) fn most(&self) -> usize {
        self.data.times.len() / 2
    }

    /// The most stretches of which each has twice as many data as its start has numbers.
    pub(super) fn telling(&self) -> usize {
        let numbers = Flow::new(self.model).directions(&self.model.state);
        (self.data.count() / (2 * numbers)).clamp(1, self.most().max(1))
    }

    /// The first row of a stretch.
    pub(super) fn first_row(&self, k: usize) -> usize {
        self.stretches[k].rows.start
    }

    /// The model with other numbers.
    pub(super) fn with(&self, theta: &[f64]) -> Result<Model, Halt> {
        let paths: Vec<String> = self.free.iter().map(|free| free.knob.path.to_string()).collect();
        let values = paths.iter().zip(theta);
        let values = values.map(|(path, value)| (path.as_str(), Value::from(*value)));
        let made = self.model.with_all(values);
        made.map_err(|error| Halt::Failed(error.to_string()))
    }

    /// What a number is compared with where it is moved.
    pub(super) fn size(&self, theta: &[f64], k: usize) -> f64 {
        // Of something that is zero one does not know the size.
        let own = theta[k].abs().max(self.free[k].knob.value.abs());
        if own > 0.0 { own } else { 1.0 }
    }

    fn look_up(&self, step: u64) -> Result<(), Halt> {
        match step.is_multiple_of(64) && self.stop.load(Ordering::Relaxed) {
            true => Err(Halt::Stopped),
            false => Ok(()),
        }
    }

    /// Goes through a stretch; `show` sees the states of the rows, with the step and what is beyond it.
    pub(super) fn shot(&self, flow: &mut Flow, k: usize, start: &State) -> Result<Shot, Halt> {
        let (stretch, h) = (&self.stretches[k], self.model.schedule.step);
        let mut state = start.clone();
        let mut rows = Vec::with_capacity(stretch.rows.len());
        let mut seen = self.places[stretch.rows.clone()].iter().peekable();
        for number in stretch.first..=stretch.first + stretch.steps {
            self.look_up(number)?;
            while let Some((_, beyond)) = seen.next_if(|(step, _)| *step == number) {
                if *beyond > 0.0 {
                    let mut part = state.clone();
                    let gone = flow.go(&mut part, *beyond);
                    gone.map_err(|fault| Halt::Failed(flow.describe(fault)))?;
                    rows.push(flow.read(&self.data.outputs, &part));
                } else {
                    rows.push(flow.read(&self.data.outputs, &state));
                }
            }
            if number < stretch.first + stretch.steps {
                let gone = flow.go(&mut state, h);
                gone.map_err(|fault| Halt::Failed(flow.describe(fault)))?;
                state.t = self.model.state.t + (number + 1) as f64 * h;
            }
        }
        Ok(Shot { end: state, rows })
    }

    /// Outputs along the run, at no more than about a thousand times, as curves through the data.
    pub(super) fn curves(&self, theta: &[f64], starts: &[State]) -> Result<Vec<Vec<(f64, f64)>>, Halt> {
        const TIMES: u64 = 1000;
        let (model, h) = (self.with(theta)?, self.model.schedule.step);
        let mut flow = Flow::new(&model);
        let every = self.places.last().map_or(0, |place| place.0) / TIMES + 1;
        let mut curves = vec![Vec::new(); self.data.outputs.len()];
        for (stretch, start) in self
            .stretches
            .iter()
            .zip(std::iter::once(&model.state).chain(starts))
        {
            let mut state = start.clone();
            let end = stretch.first + stretch.steps;
            for number in stretch.first..=end {
                if number.is_multiple_of(every) || number == end {
                    let values = flow.read(&self.data.outputs, &state);
                    for (column, value) in values.into_iter().enumerate() {
                        let shown = self.data.beside(value, state.t, column);
                        curves[column].push((state.t, shown));
                    }
                }
                if number < end {
                    let gone = flow.go(&mut state, h);
                    gone.map_err(|fault| Halt::Failed(flow.describe(fault)))?;
                    state.t = self.model.state.t + (number + 1) as f64 * h;
                }
            }
        }
        Ok(curves)
    }

    /// How all stretches change: `starts` are those of all but the first.
    pub(super) fn slopes(&self, theta: &[f64], starts: &[State]) -> Result<Vec<Slopes>, Halt> {
        if !self.exact {
            let all = 0..self.stretches.len();
            return all.map(|k| self.differences(theta, starts, k)).collect();
        }
        let mut family = Family::new(self, theta, theta.len())?;
        (0..self.stretches.len())
            .map(|k| {
                let start = match k {
                    0 => family.model.state.clone(),
                    _ => starts[k - 1].clone(),
                };
                family.slopes(self, k, &start)
            })
            .collect()
    }

    /// How one stretch but the first changes with its start, which is the last of those given; its other slopes mean
    /// nothing.
    pub(super) fn slopes_of(&self, theta: &[f64], starts: &[State], k: usize) -> Result<Slopes, Halt> {
        match self.exact {
            true => Family::new(self, theta, 0)?.slopes(self, k, &starts[k - 1]),
            false => self.differences(theta, starts, k),
        }
    }

    /// How much a small change grows along the run, as a logarithm: from two runs that are brought together again and
    /// again.
    pub(super) fn growth(&self) -> Result<f64, Halt> {
        let (model, h) = (self.model, self.model.schedule.step);
        let mut flow = Flow::new(model);
        let failed = |flow: &Flow, fault| Halt::Failed(flow.describe(fault));
        let unit = flow.unit(&model.state);
        let off = |apart: &DVector<f64>| apart.component_div(&unit).norm();
        // A thousandth of what second differences take: 1e-7 of the size.
        let mut by = unit.map(|unit| 1e-3 * unit);
        let small = off(&by);
        let (mut state, mut growth) = (model.state.clone(), 0.0);
        let mut beside = flow.moved(&state, &by);
        for number in 0..self.places.last().map_or(0, |place| place.0) {
            self.look_up(number)?;
            flow.go(&mut state, h).map_err(|fault| failed(&flow, fault))?;
            flow.go(&mut beside, h).map_err(|fault| failed(&flow, fault))?;
            state.t = model.state.t + (number + 1) as f64 * h;
            beside.t = state.t;
            by = flow.apart(&state, &beside);
            let grown = off(&by) / small;
            if !(0.01..100.0).contains(&grown) {
                growth += math::ln(grown);
                beside = flow.moved(&state, &(by.clone() / grown));
            }
        }
        Ok(growth + math::ln((off(&by) / small).max(f64::MIN_POSITIVE)).clamp(-5.0, 5.0))
    }

    /// By central differences of a stretch.
    fn differences(&self, theta: &[f64], starts: &[State], k: usize) -> Result<Slopes, Halt> {
        let here = self.with(theta)?;
        let mut flow = Flow::new(&here);
        let start = if k == 0 { &here.state } else { &starts[k - 1] };
        let end = self.shot(&mut flow, k, start)?.end;
        let (n, unit) = (flow.directions(start), flow.unit(start));
        let numbers = |flow: &mut Flow, start: &State| -> Result<DVector<f64>, Halt> {
            let shot = self.shot(flow, k, start)?;
            let rows = self.data.residuals(self.first_row(k), &shot.rows);
            let apart = flow.apart(&end, &shot.end);
            Ok(DVector::from_iterator(
                rows.len() + apart.len(),
                rows.iter().chain(apart.iter()).copied(),
            ))
        };
        let of_states: Vec<usize> = if k == 0 { Vec::new() } else { (0..n).collect() };
        let by_start: Result<Vec<DVector<f64>>, Halt> = of_states
            .into_par_iter()
            .map(|i| {
                let mut flow = Flow::new(&here);
                let mut change = DVector::zeros(n);
                // The unit is that of second differences, about 1e-4 of the size; its tenth serves for these.
                change[i] = 0.1 * unit[i];
                let high = flow.moved(start, &change);
                change[i] = -change[i];
                let low = flow.moved(start, &change);
                Ok((numbers(&mut flow, &high)? - numbers(&mut flow, &low)?) / (0.2 * unit[i]))
            })
            .collect();
        let by_theta: Result<Vec<DVector<f64>>, Halt> = (0..theta.len())
            .into_par_iter()
            .map(|i| {
                let step = MOVED * self.size(theta, i);
                let shifted = |to: f64| -> Result<DVector<f64>, Halt> {
                    let mut theta = theta.to_vec();
                    theta[i] = to;
                    let model = self.with(&theta)?;
                    let start = if k == 0 { &model.state } else { start };
                    numbers(&mut Flow::new(&model), start)
                };
                let (low, high) = self.free[i].bounds;
                let (high, low) = ((theta[i] + step).min(high), (theta[i] - step).max(low));
                Ok((shifted(high)? - shifted(low)?) / (high - low))
            })
            .collect();
        let rows = self.stretches[k].rows.len() * self.data.outputs.len();
        let cut = |columns: Vec<DVector<f64>>| {
            let (seen, moved) = (
                DMatrix::from_fn(rows, columns.len(), |i, j| columns[j][i]),
                DMatrix::from_fn(n, columns.len(), |i, j| columns[j][rows + i]),
            );
            (seen, moved)
        };
        let ((rows_by_start, end_by_start), (rows, end)) = (cut(by_start?), cut(by_theta?));
        Ok(Slopes {
            rows_by_start,
            rows,
            end_by_start,
            end,
        })
    }
}

/// A model with its neighbours.
struct Family {
    model: Model,
    flow: Flow,
    parameters: Parameters,
    /// For each number the neighbours, and whether they are other mechanisms.
    neighbours: Vec<Vec<Flow>>,
    turns: Vec<bool>,
}

impl Family {
    /// With the neighbours of the first numbers.
    fn new(run: &Run<'_>, theta: &[f64], count: usize) -> Result<Self, Halt> {
        let model = run.with(theta)?;
        let offsets: Vec<f64> = (0..count).map(|k| OFFSET * run.size(theta, k)).collect();
        let bounds: Vec<(f64, f64)> = run.free.iter().map(|free| free.exists).collect();
        let mut made = Vec::new();
        let system = model.mechanism.system();
        let parameters = Parameters::within(&*system, &model.state, theta, &offsets, &bounds, |theta| {
            let model = run.with(theta)?;
            made.push(Flow::new(&model));
            Ok(Variant {
                integrator: model.integrator(),
                start: model.state,
            })
        });
        let parameters = parameters.map_err(|error| match error {
            holonomy::derivative::ParameterError::Refused(halt) => halt,
            holonomy::derivative::ParameterError::NotDifferentiable => {
                Halt::Failed("a neighbour of the model has steps without derivatives".to_owned())
            }
        })?;
        let mut made = made.into_iter();
        let neighbours = (0..count).map(|i| {
            let mut count = 0;
            let counted = parameters.by(i, |_| {
                count += 1;
                Ok::<_, std::convert::Infallible>(Vec::new())
            });
            let Ok(_) = counted;
            made.by_ref().take(count).collect()
        });
        let turns = run.free[..count].iter().map(|free| {
            let path = free.knob.path.to_string();
            !run.model.only_starts(&path)
        });
        Ok(Self {
            neighbours: neighbours.collect(),
            turns: turns.collect(),
            flow: Flow::new(&model),
            parameters,
            model,
        })
    }

    fn slopes(&mut self, run: &Run<'_>, k: usize, start: &State) -> Result<Slopes, Halt> {
        let (stretch, h) = (&run.stretches[k], run.model.schedule.step);
        let ([half, momenta], p) = (self.flow.sizes(start), self.turns.len());
        let n = half + momenta;
        let own = if k == 0 { 0 } else { n };
        // Of the start, and then of θ.
        let mut changes: Vec<Change> = (0..own + p)
            .map(|column| match column.checked_sub(own) {
                Some(i) if k == 0 => self.parameters.start(i).clone(),
                _ => {
                    let one = |at: usize| f64::from(u8::from(column < own && at == column));
                    Change {
                        x: (0..half).map(one).collect(),
                        y: (half..n).map(one).collect(),
                        ..Change::default()
                    }
                }
            })
            .collect();
        let width = run.data.outputs.len();
        let mut rows = DMatrix::zeros(stretch.rows.len() * width, own + p);
        let mut row = 0;
        let mut seen = run.places[stretch.rows.clone()].iter().peekable();
        let mut state = start.clone();
        for number in stretch.first..=stretch.first + stretch.steps {
            run.look_up(number)?;
            while let Some((_, beyond)) = seen.next_if(|(step, _)| *step == number) {
                let (mut at, mut there) = (state.clone(), changes.clone());
                if *beyond > 0.0 {
                    self.step(&mut at, *beyond, own, &mut there)?;
                }
                let found = self.seen(run, &at, own, &there);
                rows.rows_mut(row * width, width).copy_from(&found);
                row += 1;
            }
            if number < stretch.first + stretch.steps {
                self.step(&mut state, h, own, &mut changes)?;
                state.t = run.model.state.t + (number + 1) as f64 * h;
            }
        }
        let end = DMatrix::from_fn(n, own + p, |i, j| match i.checked_sub(half) {
            None => changes[j].x[i],
            Some(i) => changes[j].y[i],
        });
        Ok(Slopes {
            rows_by_start: rows.columns(0, own).into_owned(),
            rows: rows.columns(own, p).into_owned(),
            end_by_start: end.columns(0, own).into_owned(),
            end: end.columns(own, p).into_owned(),
        })
    }

    /// Changes go through a step with the state; the equations change with those of θ.
    fn step(&mut self, state: &mut State, h: f64, own: usize, changes: &mut [Change]) -> Result<(), Halt> {
        let before = state.clone();
        let gone = self.flow.go(state, h).and_then(|()| {
            let Some(method) = self.flow.differentiable() else {
                return Ok(());
            };
            let mut solution = Vec::new();
            method.solution(&mut solution);
            method.linearise(&before, h, &solution)?;
            let step = Step {
                number: 0,
                before: &before,
                h,
                solution: &solution,
            };
            let (of_start, of_theta) = changes.split_at_mut(own);
            method.push_each(of_start);
            for (i, change) in of_theta.iter_mut().enumerate() {
                change.equations.clear();
                if self.turns[i] {
                    change.equations = self.parameters.slope(i, &step)?;
                }
            }
            method.push_each(of_theta);
            Ok(())
        });
        gone.map_err(|fault| Halt::Failed(self.flow.describe(fault)))
    }

    /// How outputs change, in units of their columns: with the state, and with θ beside it.
    fn seen(&mut self, run: &Run<'_>, at: &State, own: usize, changes: &[Change]) -> DMatrix<f64> {
        let outputs = &run.data.outputs;
        let by_state = self.flow.slopes(outputs, at);
        let mut out = DMatrix::zeros(outputs.len(), changes.len());
        for (j, change) in changes.iter().enumerate() {
            let z = DVector::from_iterator(
                change.x.len() + change.y.len(),
                change.x.iter().chain(&change.y).copied(),
            );
            out.set_column(j, &(&by_state * z));
        }
        for (i, neighbours) in self.neighbours.iter_mut().enumerate() {
            if !self.turns[i] {
                continue;
            }
            let beside = self.parameters.by(i, |number| {
                Ok::<_, std::convert::Infallible>(neighbours[number].read(outputs, at))
            });
            let Ok(beside) = beside;
            for (row, beside) in beside.iter().enumerate() {
                out[(row, own + i)] += beside;
            }
        }
        for (row, size) in run.data.sizes.iter().enumerate() {
            out.row_mut(row).scale_mut(1.0 / size);
        }
        out
    }
}
