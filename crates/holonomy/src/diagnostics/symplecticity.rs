//! How far a step is from preserving the symplectic form.
//!
//! ```text
//! J = ∂z⁺/∂z,  z = (x, y) canonical,     defect = max |JᵀΩJ − Ω|
//! ```
//! J by central differences of order 6, so the defect of a symplectic map comes out near 1e-12.
use crate::{
    integrator::{Fault, Integrator},
    math,
    system::{State, System},
};

/// Offset of the differences: its sixth power and the rounding ε divided by it are both about 1e-14.
const OFFSET: f64 = 5e-3;
const WEIGHTS: [(f64, f64); 3] = [(1.0, 3.0 / 4.0), (2.0, -3.0 / 20.0), (3.0, 1.0 / 60.0)];

/// A momentum below this part of what a displacement of one unit makes in a step is rest, and no unit.
const REST: f64 = 1e-6;

/// `max |JᵀΩJ − Ω|` of one step of size h, in canonical coordinates; momenta are measured in units
/// of the largest one, or at rest of what a displacement makes of it, which does not change the meaning of zero. Not a
/// number where there are no canonical coordinates.
pub fn symplecticity_defect(
    system: &dyn System,
    integrator: &mut dyn Integrator,
    state: &State,
    h: f64,
) -> Result<f64, Fault> {
    symplecticity_defect_within(system, integrator, state, h, OFFSET, 1.0, Momenta::Together)
}

/// What momenta are measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Momenta {
    /// The largest of them.
    Together,
    /// Each by itself: beside a flywheel a pendulum has little.
    Each,
}

/// The same, by differences within another offset, and with coordinates in units of `unit`: in a stiff system the usual
/// offset is far, and an orbit is not measured in metres. What does not depend on them is a defect of the step.
pub fn symplecticity_defect_within(
    system: &dyn System,
    integrator: &mut dyn Integrator,
    state: &State,
    h: f64,
    offset: f64,
    unit: f64,
    momenta: Momenta,
) -> Result<f64, Fault> {
    if !system.is_canonical() {
        return Ok(f64::NAN);
    }
    let mut image = state.clone();
    image.carry.clear();
    integrator.attempt(&mut image, h)?;
    let (x0, y0) = system.canonical(&state.q, &state.q, &state.p);
    let half = x0.len();
    let largest = |y: &[f64]| y.iter().fold(0.0_f64, |m, y| m.max(y.abs()));
    let mut given = vec![0.0_f64; half];
    for k in 0..half {
        let mut x = x0.clone();
        x[k] += offset * unit;
        let (q, p) = system.state_from_canonical(&state.q, &x, &y0);
        let mut moved = State::new(state.t, q, p);
        integrator.attempt(&mut moved, h)?;
        let (_, y) = system.canonical(&image.q, &moved.q, &moved.p);
        for (given, y) in given.iter_mut().zip(&y) {
            *given = given.max(y.abs() / offset);
        }
    }
    let moving = |y: f64, given: f64| if y < REST * given { given } else { y };
    let mut scales = vec![moving(largest(&y0), largest(&given)); half];
    for (k, scale) in scales.iter_mut().enumerate() {
        if momenta == Momenta::Each {
            *scale = moving(y0[k].abs(), given[k]);
        }
        *scale = scale.max(f64::MIN_POSITIVE);
    }

    let mut columns = Vec::with_capacity(2 * half);
    for k in 0..2 * half {
        let mut column = vec![0.0; 2 * half];
        for (multiple, weight) in WEIGHTS {
            for sign in [1.0, -1.0] {
                let (mut x, mut y) = (x0.clone(), y0.clone());
                let shift = sign * multiple * offset;
                if k < half {
                    x[k] += shift * unit
                } else {
                    y[k - half] += shift * scales[k - half]
                }
                let (q, p) = system.state_from_canonical(&state.q, &x, &y);
                let mut moved = State::new(state.t, q, p);
                integrator.attempt(&mut moved, h)?;
                let (x, y) = system.canonical(&image.q, &moved.q, &moved.p);
                let z = (x.into_iter().map(|x| x / unit))
                    .chain(y.iter().zip(&scales).map(|(y, scale)| y / scale));
                for (out, z) in column.iter_mut().zip(z) {
                    *out += sign * weight * z / offset;
                }
            }
        }
        columns.push(column);
    }

    // An area of a pair of its own is one; that of two pairs is the mean of theirs.
    let area = |i: usize, j: usize| (scales[i % half].sqrt()) * (scales[j % half].sqrt());
    let form = |a: &[f64], b: &[f64]| -> f64 {
        (0..half)
            .map(|i| scales[i] * (a[i] * b[i + half] - a[i + half] * b[i]))
            .sum()
    };
    let mut defect = 0.0_f64;
    for i in 0..2 * half {
        for j in 0..i {
            let exact = if i == j + half { -1.0 } else { 0.0 };
            defect = math::larger(
                defect,
                (form(&columns[i], &columns[j]) / area(i, j) - exact).abs(),
            );
        }
    }
    Ok(defect)
}
