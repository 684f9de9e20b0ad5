//! Derivatives of a step by central differences of order 6, for any method.
//!
//! ```text
//! ∂z ≈ Σₖ wₖ (z(kε) − z(−kε)) / ε,     w = 3/4, −3/20, 1/60
//! ```
//! With ε = 5·10⁻³ the sixth power of ε and rounding over ε are both about 1e-14 of the size of the terms.
use super::Change;
use crate::{
    integrator::{Fault, Integrator},
    system::{State, System},
};
use nalgebra::DMatrix;

/// Offset of the differences: its sixth power and the rounding ε divided by it are both about 1e-14.
pub const OFFSET: f64 = 5e-3;
const WEIGHTS: [(f64, f64); 3] = [(1.0, 3.0 / 4.0), (2.0, -3.0 / 20.0), (3.0, 1.0 / 60.0)];

/// The same order from points to one side, 0 to 6 offsets away.
const ASIDE: [f64; 7] = [
    -49.0 / 20.0,
    6.0,
    -15.0 / 2.0,
    20.0 / 3.0,
    -15.0 / 4.0,
    6.0 / 5.0,
    -1.0 / 6.0,
];

/// A momentum below this part of what a displacement of one unit makes in a step is rest, and no unit.
const REST: f64 = 1e-6;

/// What momenta are measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Momenta {
    /// The largest of them.
    Together,
    /// Each by itself: beside a flywheel a pendulum has little.
    Each,
}

impl Momenta {
    /// The unit of each momentum, from what they are and what a displacement of one unit makes of them.
    pub(crate) fn scales(self, momenta: &[f64], given: &[f64]) -> Vec<f64> {
        let largest = |y: &[f64]| y.iter().fold(0.0_f64, |m, y| m.max(y.abs()));
        let moving = |y: f64, given: f64| if y < REST * given { given } else { y };
        let together = moving(largest(momenta), largest(given));
        let each = momenta.iter().zip(given).map(|(y, given)| match self {
            Self::Together => together,
            Self::Each => moving(y.abs(), *given),
        });
        each.map(|scale| scale.max(f64::MIN_POSITIVE)).collect()
    }
}

/// The derivative of a list of numbers along a line, at its middle.
pub fn slope<E>(offset: f64, mut at: impl FnMut(f64) -> Result<Vec<f64>, E>) -> Result<Vec<f64>, E> {
    let mut out: Vec<f64> = Vec::new();
    for (multiple, weight) in WEIGHTS {
        for sign in [1.0, -1.0] {
            let z = at(sign * multiple * offset)?;
            out.resize(z.len(), 0.0);
            for (out, z) in out.iter_mut().zip(&z) {
                *out += sign * weight * z / offset;
            }
        }
    }
    Ok(out)
}

/// The same at the end of the line: from the middle and six points to the side of the offset.
pub fn slope_aside<E>(offset: f64, mut at: impl FnMut(f64) -> Result<Vec<f64>, E>) -> Result<Vec<f64>, E> {
    let mut out: Vec<f64> = Vec::new();
    for (multiple, weight) in ASIDE.iter().enumerate() {
        let z = at(multiple as f64 * offset)?;
        out.resize(z.len(), 0.0);
        for (out, z) in out.iter_mut().zip(&z) {
            *out += weight * z / offset;
        }
    }
    Ok(out)
}

/// The derivative of one step.
#[derive(Clone, Debug)]
pub struct Differences {
    /// Columns, by coordinates and then momenta that are changed, in the units below.
    pub columns: Vec<Vec<f64>>,
    /// The unit of coordinates.
    pub unit: f64,
    /// The unit of each momentum.
    pub momenta: Vec<f64>,
}

impl Differences {
    /// Of a step of size h from a state, in the canonical coordinates of both ends, by differences within `offset` of a
    /// unit. Under constraints states off them are stepped too, and the result means nothing: take [`along`].
    pub fn of_step(
        system: &dyn System,
        integrator: &mut dyn Integrator,
        state: &State,
        h: f64,
        (offset, unit, momenta): (f64, f64, Momenta),
    ) -> Result<Self, Fault> {
        let mut image = state.clone();
        image.carry.clear();
        integrator.attempt(&mut image, h)?;
        let (x0, y0) = system.canonical(&state.q, &state.q, &state.p);
        let half = x0.len();
        let mut step = |x: &[f64], y: &[f64]| -> Result<_, Fault> {
            let (q, p) = system.state_from_canonical(&state.q, x, y);
            let mut moved = State::new(state.t, q, p);
            integrator.attempt(&mut moved, h)?;
            Ok(system.canonical(&image.q, &moved.q, &moved.p))
        };
        let mut given = vec![0.0_f64; half];
        for k in 0..half {
            let mut x = x0.clone();
            x[k] += offset * unit;
            let (_, y) = step(&x, &y0)?;
            for (given, y) in given.iter_mut().zip(&y) {
                *given = given.max(y.abs() / offset);
            }
        }
        let scales = momenta.scales(&y0, &given);
        let mut columns = Vec::with_capacity(2 * half);
        for k in 0..2 * half {
            columns.push(slope(offset, |shift| {
                let (mut x, mut y) = (x0.clone(), y0.clone());
                if k < half {
                    x[k] += shift * unit;
                } else {
                    y[k - half] += shift * scales[k - half];
                }
                let (x, y) = step(&x, &y)?;
                let z = (x.into_iter().map(|x| x / unit))
                    .chain(y.iter().zip(&scales).map(|(y, scale)| y / scale));
                Ok::<_, Fault>(z.collect())
            })?);
        }
        Ok(Self {
            columns,
            unit,
            momenta: scales,
        })
    }

    /// The matrix `∂z⁺/∂z` itself, in the units of the system.
    pub fn matrix(&self) -> DMatrix<f64> {
        let half = self.momenta.len();
        let unit = |k: usize| {
            if k < half {
                self.unit
            } else {
                self.momenta[k - half]
            }
        };
        DMatrix::from_fn(2 * half, 2 * half, |i, k| self.columns[k][i] * unit(i) / unit(k))
    }
}

/// Changes of a step's start and end along a curve of states, at its middle: what [`super::Differentiable::push`] makes of
/// the first is the second. Multipliers, of which only the second has any, are those that a step from a state alone reports.
pub fn along(
    system: &dyn System,
    integrator: &mut dyn Integrator,
    h: f64,
    offset: f64,
    mut curve: impl FnMut(f64) -> State,
) -> Result<(Change, Change), Fault> {
    let mut start = curve(0.0);
    start.carry.clear();
    let mut end = start.clone();
    integrator.attempt(&mut end, h)?;
    let (nx, ny) = {
        let (x, y) = system.canonical(&start.q, &start.q, &start.p);
        (x.len(), y.len())
    };
    let all = slope(offset, |s| {
        let mut state = curve(s);
        state.carry.clear();
        let (mut z, y) = system.canonical(&start.q, &state.q, &state.p);
        z.extend(y);
        state.lambda.clear();
        integrator.attempt(&mut state, h)?;
        let (x, y) = system.canonical(&end.q, &state.q, &state.p);
        z.extend(x);
        z.extend(y);
        z.extend(&state.lambda);
        Ok::<_, Fault>(z)
    })?;
    let change = |z: &[f64]| Change {
        x: z[..nx].to_vec(),
        y: z[nx..nx + ny].to_vec(),
        lambda: z[nx + ny..].to_vec(),
        equations: Vec::new(),
    };
    let (before, after) = all.split_at(nx + ny);
    Ok((change(before), change(after)))
}
