//! A model linearised: matrices in minimal coordinates, poles, modes.
//!
//! ```text
//! z⁺ = A z + B u,   y = C z + D u              of a step, inputs held over it
//! ż = A z + B u,    y = C z + D u              of the equations of motion
//! s: eigenvalues of the second A,  μ: of the first
//! μ = (1 + hs/2)/(1 − hs/2)                    of midpoint rules at an equilibrium, exactly
//! ```
//! z = (ξ, η): coordinates that were chosen, as many as there are degrees of freedom, and their momenta. Outputs are read
//! where a step begins, under its input.
mod modes;
mod page;
mod spectrum;
#[cfg(test)]
mod tests;
mod through;

pub(crate) use page::circled;
pub use page::{derivatives, equations, excess, shown, symplectic};
pub use spectrum::Spectrum;

use crate::{number, summary::json};
use holonomy::{
    derivative::{Flow, Lost, Minimal, OFFSET, Unreduced, least_within, modes as eigen, slope},
    math,
    output::{Output, Readings},
    system::{Layout, Measurement, Mechanism, State, System},
    tree::{SettleError, Settling},
};
use holonomy_model::Model;
use nalgebra::{Complex, DMatrix, DVector};
use serde::Serialize;
use std::f64::consts::TAU;

/// Where a model is linearised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// Where it starts.
    Start,
    /// At the equilibrium that is found from there.
    Settled,
    /// Where its motion is at this time, s.
    At(f64),
}

/// A linear system.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Matrices {
    /// A, row by row.
    pub a: Vec<Vec<f64>>,
    /// B.
    pub b: Vec<Vec<f64>>,
    /// C.
    pub c: Vec<Vec<f64>>,
    /// D.
    pub d: Vec<Vec<f64>>,
}

/// A pole of the equations of motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pole {
    /// Its real part, 1/s.
    pub re: f64,
    /// Its imaginary part, rad/s.
    pub im: f64,
    /// How far rounding and differences may have moved it, 1/s.
    pub error: f64,
    /// Hz.
    pub frequency: f64,
    /// −Re s/|s|; none of a pole at zero.
    #[serde(with = "number::nullable")]
    pub damping: f64,
    /// How many poles are equal to it within rounding.
    pub equal: usize,
    /// Displacements of the coordinates, real and imaginary parts, its largest entry one.
    pub shape: Vec<[f64; 2]>,
}

/// A multiplier of the step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Multiplier {
    /// Its real part.
    pub re: f64,
    /// Its imaginary part.
    pub im: f64,
    /// |μ|.
    pub modulus: f64,
    /// How far rounding may have moved it.
    pub error: f64,
    /// s with μ = (1 + hs/2)/(1 − hs/2): its real part, 1/s.
    pub cayley_re: f64,
    /// Its imaginary part, rad/s.
    pub cayley_im: f64,
}

/// A model linearised at a state.
#[derive(Clone, Debug, Serialize)]
pub struct Linearization {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the method.
    pub method: String,
    /// Its step, s.
    pub step: f64,
    /// Whether the matrix of the step is exact, and not by differences.
    pub exact: bool,
    /// Whether that of the equations of motion is.
    pub continuous_exact: bool,
    /// The time, s.
    pub t: f64,
    /// The configuration.
    pub q: Vec<f64>,
    /// Whether it is an equilibrium.
    pub equilibrium: bool,
    /// Whether the equations change with time: then they are frozen at this one.
    pub timed: bool,
    /// The largest change of a coordinate to the equilibrium that Newton's method sees from here; `null` if it sees none.
    #[serde(with = "number::nullable")]
    pub distance: f64,
    /// Equations of constraint that depend on the others.
    pub redundant: usize,
    /// Names of z: the coordinates, then their momenta.
    pub states: Vec<String>,
    /// Names of u.
    pub inputs: Vec<String>,
    /// Names of y.
    pub outputs: Vec<String>,
    /// Of a step.
    pub discrete: Matrices,
    /// Of the equations of motion.
    pub continuous: Matrices,
    /// How far the matrix of the step is from symplectic, momenta in units that suit; `null` where forces do work, or
    /// velocities are constrained as such.
    pub symplectic_defect: Option<f64>,
    /// Eigenvalues of the second A.
    pub poles: Vec<Pole>,
    /// Eigenvalues of the first A.
    pub multipliers: Vec<Multiplier>,
    /// Whether the multipliers are the Cayley images of the poles, as those of midpoint rules are.
    pub cayley: bool,
    /// Rates at which neighbouring motions part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lyapunov: Option<Spectrum>,
    #[serde(skip)]
    state: State,
    #[serde(skip)]
    minimal: Minimal,
}

/// Why a model cannot be linearised.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LinearizeError {
    /// The method has a mesh of its own.
    #[error("`{method}` chooses its own steps: a step of it has no matrix")]
    Adaptive {
        /// The method.
        method: &'static str,
    },
    /// More than memory holds.
    #[error("{velocities} velocities are too many: their matrices would take {gigabytes:.0} GB")]
    Large {
        /// How many there are.
        velocities: usize,
        /// What their matrices would take.
        gigabytes: f64,
    },
    /// There are no minimal coordinates.
    #[error("it cannot be linearised: {0}")]
    Unreduced(#[from] Unreduced),
    /// A step could not be taken.
    #[error("a step could not be taken: {0}")]
    Step(String),
    /// There is no equilibrium.
    #[error("{0}")]
    Settle(SettleError),
    /// Newton's method found none.
    #[error("no equilibrium was found from the start: the forces that are left move it by {0:.1e} still")]
    NoEquilibrium(f64),
    /// The time is not ahead of the start.
    #[error("t = {0} s is before the start of the model")]
    Before(f64),
    /// The time is beyond what can be counted in steps.
    #[error("t = {0:e} s is more than 10¹⁵ steps after the start of the model")]
    Far(f64),
    /// A number that is not finite.
    #[error("the matrix of the step holds what is not a number")]
    NotFinite,
    /// Nothing can move.
    #[error("nothing can move: there is no degree of freedom")]
    NoFreedom,
    /// The user stopped it.
    #[error("stopped before there was a result")]
    Stopped,
}

/// A state nearer to an equilibrium than this is one.
const NEAR: f64 = 1e-6;
/// What remains of the rates there, 1/s and 1/s².
const REST: f64 = 1e-8;
const MOST_CORRECTIONS: usize = 60;
/// What differences of order 6 are off by, 1e-12 of the largest, in units of rounding.
const DIFFERENCES: f64 = 1e-12 / f64::EPSILON;

impl Linearization {
    /// Of a model at a place. `ahead` is called between steps and says whether to go on.
    pub fn new(
        model: &Model,
        scenario: &str,
        place: Place,
        ahead: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Self, LinearizeError> {
        if model.method.adaptive {
            return Err(LinearizeError::Adaptive {
                method: model.method.name,
            });
        }
        bounded(model)?;
        let mut flow = Flow::new(model.mechanism.clone(), model.integrator(), model.schedule.step);
        let lost = |flow: &Flow, lost: Lost| lost_as(flow, lost);
        let mut state = match place {
            Place::Start => model.state.clone(),
            Place::Settled => settled(&flow, &model.state)?,
            Place::At(t) => reached(&mut flow, model, t, ahead)?,
        };
        state.carry.clear();
        let minimal = Minimal::at(&model.mechanism, &state)?;
        if minimal.freedom() == 0 {
            return Err(LinearizeError::NoFreedom);
        }
        let a = (flow.transition(&state, &minimal, 1, &mut |_| true)).map_err(|error| lost(&flow, error))?;
        let Some((next, there, a)) = a else {
            return Err(LinearizeError::Stopped);
        };
        let continuous = flow
            .continuous(&state, &minimal)
            .map_err(|error| lost(&flow, error))?;
        let rate = DVector::from_vec(flow.rate(&state, &minimal, &state));
        let inputs: Vec<(usize, f64)> = (model.inputs.iter())
            .map(|input| (input.velocity, input.scale))
            .collect();
        let (here, after) = (
            flow.pushes(&state, &minimal, &inputs),
            flow.pushes(&next, &there, &inputs),
        );
        let first = if model.options.one_sided { 1.0 } else { 0.5 };
        let b = (&a * &here * first + after * (1.0 - first)) * flow.h;
        let outputs = outputs(model);
        let c = slopes(&flow, &state, &minimal, &outputs)?;
        let unit = flow.momentum_unit(&state, &minimal);
        let (distance, equilibrium) = nearest(&continuous, &rate, (minimal.freedom(), unit));
        let poles = eigen(&continuous).ok_or(LinearizeError::NotFinite)?;
        let half = minimal.freedom();
        let exact = flow.is_exact();
        let continuous_exact = flow.continuous_is_exact();
        let poles = poles.iter().map(|mode| pole(mode, half, continuous_exact));
        let poles: Vec<Pole> = poles.collect();
        let multipliers = multipliers(&a, flow.h, exact).ok_or(LinearizeError::NotFinite)?;
        let layout = flow.system.layout();
        let columns: Vec<String> = outputs.iter().flat_map(Output::columns).collect();
        let d = through::through(model, &state, &outputs);
        let matrices = |a: &DMatrix<f64>, b: &DMatrix<f64>| Matrices {
            a: rows(a),
            b: rows(b),
            c: rows(&c),
            d: rows(&d),
        };
        let cayley = equilibrium && are_images(&poles, &multipliers, flow.h);
        Ok(Self {
            scenario: scenario.to_owned(),
            method: model.method.name.to_owned(),
            step: flow.h,
            exact,
            continuous_exact,
            t: state.t,
            q: state.q.clone(),
            equilibrium,
            timed: flow.depends_on_time(&state),
            distance,
            redundant: minimal.redundant,
            states: names(layout, &minimal),
            inputs: model.inputs.iter().map(|input| input.name.clone()).collect(),
            outputs: columns,
            discrete: matrices(&a, &b),
            continuous: matrices(&continuous, &here),
            symplectic_defect: (!layout.conserved.driven && minimal.is_canonical())
                .then(|| symplectic_defect(&a, unit)),
            poles,
            multipliers,
            cayley,
            lyapunov: None,
            state,
            minimal,
        })
    }

    /// Names of the coordinates among the states.
    pub fn coordinates(&self) -> &[String] {
        &self.states[..self.minimal.freedom()]
    }

    /// The result as JSON text.
    pub fn to_json(&self) -> String {
        json(self)
    }

    /// Inputs of which it is not known what they do to outputs at once.
    pub fn unknown(&self) -> Vec<&str> {
        let column = |k: usize| self.discrete.d.iter().any(|row| row[k].is_nan());
        let each = self.inputs.iter().enumerate();
        each.filter(|(k, _)| column(*k))
            .map(|(_, name)| name.as_str())
            .collect()
    }

    /// Each matrix with its name, such as `A` and `Ac`: of the step, and of the equations of motion.
    pub fn named(&self) -> Vec<(&'static str, &[Vec<f64>])> {
        let (one, two) = (&self.discrete, &self.continuous);
        vec![
            ("A", &one.a),
            ("B", &one.b),
            ("C", &one.c),
            ("D", &one.d),
            ("Ac", &two.a),
            ("Bc", &two.b),
        ]
    }

    /// Whether some pole grows by more than its error.
    pub fn is_unstable(&self) -> bool {
        self.poles.iter().any(|pole| pole.re > pole.error.max(REST))
    }
}

/// Some ten square matrices of states may take so much.
const MOST_GIGABYTES: f64 = 4.0;

/// Refuses what has too many states for matrices of them.
pub(crate) fn bounded(model: &Model) -> Result<(), LinearizeError> {
    let velocities = model.state.p.len();
    let states = 2.0 * velocities as f64;
    let gigabytes = 10.0 * 8e-9 * states * states;
    match gigabytes > MOST_GIGABYTES {
        true => Err(LinearizeError::Large {
            velocities,
            gigabytes,
        }),
        false => Ok(()),
    }
}

/// A matrix as rows of numbers with commas between them.
pub fn csv(matrix: &[Vec<f64>]) -> String {
    let row = |row: &Vec<f64>| {
        let numbers: Vec<String> = row.iter().map(f64::to_string).collect();
        numbers.join(",") + "\n"
    };
    matrix.iter().map(row).collect()
}

fn rows(matrix: &DMatrix<f64>) -> Vec<Vec<f64>> {
    matrix
        .row_iter()
        .map(|row| row.iter().copied().collect())
        .collect()
}

pub(crate) fn lost_as(flow: &Flow, lost: Lost) -> LinearizeError {
    match lost {
        Lost::Unreduced(why) => LinearizeError::Unreduced(why),
        Lost::Step(fault) => LinearizeError::Step(described(flow, fault)),
    }
}

/// A sentence about a step that failed.
pub(crate) fn described(flow: &Flow, fault: holonomy::integrator::Fault) -> String {
    described_by(flow.system.layout(), fault)
}

/// The same, with the names of a layout.
pub(crate) fn described_by(layout: &Layout, fault: holonomy::integrator::Fault) -> String {
    let error = holonomy::integrator::StepError {
        fault,
        limit: None,
        goes_back: false,
    };
    error.describe(layout)
}

/// Steps that nobody waits for, and whose number is still exact as a float: at 3 ns each it is over a month.
pub(crate) const FARTHEST: f64 = 1e15;

fn reached(
    flow: &mut Flow,
    model: &Model,
    t: f64,
    ahead: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<State, LinearizeError> {
    let steps = ((t - model.state.t) / flow.h).round();
    if !(steps >= 0.0) {
        return Err(LinearizeError::Before(t));
    }
    if steps > FARTHEST {
        return Err(LinearizeError::Far(t));
    }
    let steps = steps as u64;
    let mut state = model.state.clone();
    for k in 0..steps {
        if !ahead(k, steps) {
            return Err(LinearizeError::Stopped);
        }
        state = flow
            .step(&state)
            .map_err(|fault| LinearizeError::Step(described(flow, fault)))?;
        state.t = model.state.t + (k + 1) as f64 * flow.h;
    }
    Ok(state)
}

/// The state at rest at an equilibrium near the start.
fn settled(flow: &Flow, start: &State) -> Result<State, LinearizeError> {
    let system = &flow.system;
    let mut state = start.clone();
    if let Mechanism::Tree(tree) = &flow.mechanism {
        let settling = Settling {
            t: start.t,
            ..Settling::default()
        };
        state.q = tree
            .settle(&start.q, &settling)
            .map_err(LinearizeError::Settle)?
            .q;
    }
    let still = vec![0.0; start.p.len()];
    system.momentum(start.t, &state.q, &still, &mut state.p, &mut system.scratch());
    let mut last = f64::INFINITY;
    for _ in 0..MOST_CORRECTIONS {
        let minimal = Minimal::at(&flow.mechanism, &state)?;
        let rate = DVector::from_vec(flow.rate(&state, &minimal, &state));
        let slopes = flow
            .continuous(&state, &minimal)
            .map_err(|error| lost_as(flow, error))?;
        let mut way = least_within(&slopes, &rate, 1e-9).ok_or(LinearizeError::NotFinite)?;
        let half = minimal.freedom();
        let size = way.rows(0, half).amax();
        if size <= 1e-13 || (size <= 1e-9 && size >= 0.5 * last) {
            return Ok(state);
        }
        last = size;
        if size > 0.5 {
            way *= 0.5 / size;
        }
        let step: Vec<f64> = way.iter().map(|x| -x).collect();
        state = minimal.moved(&flow.mechanism, &state, &step)?;
    }
    Err(LinearizeError::NoEquilibrium(last))
}

/// How far the equilibrium is that Newton's method sees, and whether the state is one.
fn nearest(slopes: &DMatrix<f64>, rate: &DVector<f64>, (half, unit): (usize, f64)) -> (f64, bool) {
    let Some(way) = least_within(slopes, rate, 1e-9) else {
        return (f64::NAN, false);
    };
    let momenta = rate.len() - half;
    let mut left = rate - slopes * &way;
    left.rows_mut(half, momenta).unscale_mut(unit);
    if left.amax() > REST {
        return (f64::NAN, false);
    }
    let mut way = way;
    way.rows_mut(half, momenta).unscale_mut(unit);
    (way.amax(), way.amax() <= NEAR)
}

fn pole(mode: &holonomy::derivative::Mode, half: usize, exact: bool) -> Pole {
    let Complex { re, im } = mode.value;
    let size = math::hypot(re, im);
    let error = mode.error * if exact { 1.0 } else { DIFFERENCES };
    let largest = (mode.vector.iter().take(half).copied())
        .max_by(|a, b| math::hypot(a.re, a.im).total_cmp(&math::hypot(b.re, b.im)))
        .filter(|z| math::hypot(z.re, z.im) > 0.0)
        .unwrap_or(Complex::new(1.0, 0.0));
    let shape = mode.vector.iter().take(half).map(|z| z / largest);
    Pole {
        re,
        im,
        error,
        frequency: im.abs() / TAU,
        damping: match (size > error, re.abs() > error) {
            (false, _) => f64::NAN,
            (true, false) => 0.0,
            (true, true) => -re / size,
        },
        equal: mode.equal,
        shape: shape.map(|z| [z.re, z.im]).collect(),
    }
}

/// Eigenvalues of A: those of A − 1 and one, so that what is near one keeps its digits.
pub(crate) fn multipliers(a: &DMatrix<f64>, h: f64, exact: bool) -> Option<Vec<Multiplier>> {
    let n = a.nrows();
    let found = eigen(&(a - DMatrix::identity(n, n)))?;
    let each = found.iter().map(|mode| {
        let Complex { re, im } = mode.value;
        let one = 1.0 + re;
        // s = (2/h) (μ − 1)/(μ + 1)
        let pole = mode.value / (mode.value + Complex::new(2.0, 0.0)) * Complex::new(2.0 / h, 0.0);
        Multiplier {
            re: one,
            im,
            modulus: math::hypot(one, im),
            error: mode.error * if exact { 1.0 } else { DIFFERENCES },
            cayley_re: pole.re,
            cayley_im: pole.im,
        }
    });
    Some(each.collect())
}

fn are_images(poles: &[Pole], multipliers: &[Multiplier], h: f64) -> bool {
    let near = |pole: &Pole| {
        multipliers.iter().any(|found| {
            let apart = math::hypot(found.cayley_re - pole.re, found.cayley_im - pole.im);
            let size = math::hypot(pole.re, pole.im);
            apart <= 1e-7 * (size + 1.0 / h * 1e-3) + 10.0 * pole.error.max(found.error / h)
        })
    };
    poles.iter().all(near)
}

/// max |AᵀJA − J|, momenta in a unit.
pub(crate) fn symplectic_defect(a: &DMatrix<f64>, unit: f64) -> f64 {
    let half = a.nrows() / 2;
    let scaled = DMatrix::from_fn(2 * half, 2 * half, |i, k| {
        let of = |k: usize| if k < half { 1.0 } else { unit };
        a[(i, k)] * of(k) / of(i)
    });
    let mut worst = 0.0;
    for i in 0..2 * half {
        for k in 0..i {
            let pair: f64 = (0..half)
                .map(|r| scaled[(r, i)] * scaled[(r + half, k)] - scaled[(r + half, i)] * scaled[(r, k)])
                .sum();
            let exact = if i == k + half { -1.0 } else { 0.0 };
            worst = math::larger(worst, (pair - exact).abs());
        }
    }
    worst
}

/// What `[output] record` names, or else all coordinates.
fn outputs(model: &Model) -> Vec<Output> {
    if model.outputs.asked {
        return model.outputs.list.clone();
    }
    let system = model.mechanism.system();
    let layout = system.layout();
    let names = layout.coordinates.iter();
    names.filter_map(|name| Output::find(name, layout)).collect()
}

/// How outputs change with the minimal coordinates.
fn slopes(
    flow: &Flow,
    at: &State,
    minimal: &Minimal,
    outputs: &[Output],
) -> Result<DMatrix<f64>, LinearizeError> {
    let system: &dyn System = &*flow.system;
    let width: usize = outputs.iter().map(Output::width).sum();
    let (half, size) = (minimal.freedom(), minimal.size());
    let unit = flow.momentum_unit(at, minimal);
    let mut readings = Readings::default();
    let mut measured = Measurement::default();
    let mut scratch = system.scratch();
    let mut read = |state: &State| {
        system.measure(state, &mut measured, &mut scratch);
        readings.take(outputs, system, state, &measured).to_vec()
    };
    let base = read(at);
    // An angle may pass half a turn.
    let turns: Vec<bool> = outputs
        .iter()
        .flat_map(|output| vec![is_angle(output, system.layout()); output.width()])
        .collect();
    let mut out = DMatrix::zeros(width, size);
    for k in 0..size {
        let unit = if k < half { 1.0 } else { unit };
        let column = slope(OFFSET, |s| {
            let mut z = vec![0.0; size];
            z[k] = s * unit;
            let mut values = read(&minimal.moved(&flow.mechanism, at, &z)?);
            for ((value, base), turns) in values.iter_mut().zip(&base).zip(&turns) {
                *value -= base;
                if *turns {
                    *value -= (*value / TAU).round() * TAU;
                }
            }
            Ok::<_, Unreduced>(values)
        })?;
        for (i, value) in column.iter().enumerate() {
            out[(i, k)] = value / unit;
        }
    }
    Ok(out)
}

fn is_angle(output: &Output, layout: &Layout) -> bool {
    let place = layout.coordinates.iter().position(|name| *name == output.name);
    place.is_some_and(|k| layout.periodic.get(k).copied().unwrap_or(false))
}

/// What the minimal coordinates are called: those of a configuration where each has one; turns about axes of a body where a
/// rotation is a quaternion; two directions across each body on a sphere.
pub(crate) fn names(layout: &Layout, minimal: &Minimal) -> Vec<String> {
    let coordinate = |k: usize| -> String {
        if layout.coordinates.len() == layout.velocities.len()
            && layout.drawing.bases.len() * 3 != layout.coordinates.len()
        {
            return layout.coordinates.one(k).unwrap_or_default();
        }
        if layout.drawing.bases.len() * 3 == layout.coordinates.len() && !layout.words.bodies.is_empty() {
            let body = layout.words.bodies.one(k / 2).unwrap_or_default();
            return format!("across.{body}.{}", k % 2 + 1);
        }
        let velocity = layout.velocities.one(k).unwrap_or_default();
        let Some((_, of)) = velocity.split_once('.') else {
            return velocity;
        };
        let own = |name: &&String| name.split_once('.').is_some_and(|(_, rest)| rest == of);
        let mut found = layout.coordinates.iter().filter(own);
        match (found.next(), found.next(), velocity.starts_with("omega")) {
            (Some(name), None, _) if !name.starts_with("quaternion") => name.clone(),
            (_, _, true) => format!("turn.{of}"),
            (Some(name), _, false) => name.clone(),
            (None, _, false) => velocity,
        }
    };
    // In a frame they are those of quasi-velocities, but where they are canonical.
    let own = !layout.words.fields.is_empty() && !minimal.is_canonical();
    let chosen = minimal.independent.iter().map(|k| match own {
        true => layout.coordinates.one(*k).unwrap_or_default(),
        false => coordinate(*k),
    });
    let momenta = minimal.moving.iter().map(|k| match own {
        true => format!("p.{}", layout.velocities.one(*k).unwrap_or_default()),
        false => format!("p.{}", coordinate(*k)),
    });
    chosen.chain(momenta).collect()
}
