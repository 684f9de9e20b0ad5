//! Orbits that close for the equations of motion, as do those beside them, but not for the steps: Kepler's ellipses, which
//! every method turns a little.
//!
//! ```text
//! σ(J_h), σ(J_{h/2})            singular values of the equations of the orbit, with steps h and h/2
//! those that fall with h        are zero but for the error of the method
//! δu = −J_h⁺ r                  the least step in what is left; what no step changes stays open
//! r_{h/2} < r_h                 and must fall with the step
//! ```
//! Singular values are compared each at the guess that is nearest to closing with its step.
use super::{
    OrbitError, Shot,
    newton::{Corrected, Guess, Kept, corrected},
};
use crate::linearize::LinearizeError;
use holonomy::{
    derivative::{Minimal, OFFSET, Unreduced, singular, slope},
    system::{Measurement, State},
};
use nalgebra::{DMatrix, DVector};
use serde::Serialize;

/// Directions in which an orbit has neighbours that close as well, for the equations of motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Free {
    /// How many there are, beside that along the orbit.
    pub directions: usize,
    /// The conserved quantities that differ along them.
    pub changes: Vec<String>,
    /// How far the orbit is from closing with half the step.
    pub finer: f64,
}

/// Corrections in one direction: so many at most, the largest, and the last.
const MOST: usize = 20;
const FAR: f64 = 0.1;
const NEAR: f64 = 1e-9;
/// What is left open must fall by this factor with half the step: with an order of one it halves.
const FALLS: f64 = 0.75;
/// A quantity whose slope along free directions is below this part of its slope is the same along them: directions are
/// known to the error of the method.
const CHANGES: f64 = 1e-2;

/// A guess that is nearest to closing in one direction: a change of the period, or, if it is held, of what the equations
/// see most, the energy. Away from there they are degenerate nowhere.
pub(super) fn nearer(
    shot: &mut Shot,
    mut guess: Guess,
    steps: u64,
    kept: &Kept,
    ahead: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Guess, OrbitError> {
    for _ in 0..MOST {
        let at = guess.equations(shot, steps, kept, None, ahead)?;
        let columns = at.jacobian.ncols();
        let (values, right) = singular(&at.jacobian).ok_or(LinearizeError::NotFinite)?;
        let mut way = right.column(values.imax()).into_owned();
        if !kept.period {
            way.fill(0.0);
            way[columns - 2] = 1.0;
        }
        let slope = &at.jacobian * &way;
        let step = -slope.dot(&at.residual) / slope.norm_squared();
        if !step.is_finite() {
            break;
        }
        guess = guess.moved(&at, &(way * step.clamp(-FAR, FAR)), kept, shot, None)?;
        if step.abs() <= NEAR {
            break;
        }
    }
    Ok(guess)
}

/// What is kept where equations at a guess of one segment are degenerate but for the error of the method; `None` where
/// they are not.
pub(super) fn loosened(
    shot: &mut Shot,
    guess: &Guess,
    steps: u64,
    kept: &Kept,
    ahead: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Option<Kept>, OrbitError> {
    let here = values(&guess.equations(shot, steps, kept, None, ahead)?.jacobian)?;
    let finer = nearer(shot, guess.clone(), 2 * steps, kept, ahead)?;
    let finer = values(&finer.equations(shot, 2 * steps, kept, None, ahead)?.jacobian)?;
    let largest = here.last().copied().unwrap_or(0.0);
    let exact = |value: f64| value <= kept.symmetry * largest;
    let zeros = (here.iter().zip(&finer))
        .take_while(|(here, finer)| exact(**here) || **finer <= FALLS * **here)
        .count();
    if zeros == 0 || zeros == here.len() {
        return Ok(None);
    }
    // Between what is zero and what is not.
    let between = (here[zeros - 1] * here[zeros]).sqrt() / largest;
    Ok(Some(Kept {
        symmetry: between.max(kept.symmetry),
        loose: true,
        ..*kept
    }))
}

/// Singular values of the equations in what is not varied, the least first.
fn values(jacobian: &DMatrix<f64>) -> Result<Vec<f64>, OrbitError> {
    let varied = jacobian.ncols() - 1;
    let (values, _) = singular(&jacobian.clone().remove_column(varied)).ok_or(LinearizeError::NotFinite)?;
    let mut values = values.as_slice().to_vec();
    values.sort_by(f64::total_cmp);
    Ok(values)
}

/// What an orbit that was corrected so is free to do; `None` if it does not close better with half the step.
pub(super) fn free(
    shot: &mut Shot,
    at: &Corrected,
    steps: u64,
    kept: &Kept,
    ahead: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Option<Free>, OrbitError> {
    let finer = corrected(shot, at.guess.clone(), 2 * steps, kept, None, None, ahead)?;
    let finer = finer.equations.open;
    shot.flow.h = at.guess.period / steps as f64;
    if !(finer <= FALLS * at.equations.open) {
        return Ok(None);
    }
    let free = directions(&at.equations.jacobian, kept)?;
    Ok(Some(Free {
        directions: free.len(),
        changes: changes(shot, &at.guess.states[0], &free)?,
        finer,
    }))
}

/// Unit vectors that the equations do not see, without what is varied.
fn directions(jacobian: &DMatrix<f64>, kept: &Kept) -> Result<Vec<DVector<f64>>, OrbitError> {
    let varied = jacobian.ncols() - 1;
    let (values, right) =
        singular(&jacobian.clone().remove_column(varied)).ok_or(LinearizeError::NotFinite)?;
    let floor = kept.symmetry * values.amax();
    let each = values.iter().zip(right.column_iter());
    Ok(each
        .filter(|(value, _)| **value <= floor)
        .map(|(_, column)| column.into_owned())
        .collect())
}

/// The conserved quantities that change along directions at the start of an orbit.
fn changes(shot: &Shot, start: &State, free: &[DVector<f64>]) -> Result<Vec<String>, OrbitError> {
    let system = &*shot.flow.system;
    let minimal = Minimal::at(&shot.flow.mechanism, start).map_err(LinearizeError::from)?;
    let (half, size) = (minimal.freedom(), minimal.size());
    let unit = shot.flow.momentum_unit(start, &minimal);
    let mut measured = Measurement::default();
    let mut scratch = system.scratch();
    let mut along = |way: &[f64]| {
        slope(OFFSET, |s| {
            let scale = |k: usize| if k < half { s } else { s * unit };
            let z: Vec<f64> = (0..size).map(|k| way[k] * scale(k)).collect();
            let state = minimal.moved(&shot.flow.mechanism, start, &z)?;
            system.measure(&state, &mut measured, &mut scratch);
            Ok::<_, Unreduced>(measured.invariants.clone())
        })
        .map_err(|why| OrbitError::from(LinearizeError::from(why)))
    };
    let names = &system.layout().conserved.invariants;
    let (mut whole, mut freely) = (vec![0.0_f64; names.len()], vec![0.0_f64; names.len()]);
    for k in 0..size {
        let axis: Vec<f64> = (0..size).map(|i| f64::from(u8::from(i == k))).collect();
        let slopes = along(&axis)?;
        whole
            .iter_mut()
            .zip(slopes)
            .for_each(|(sum, slope)| *sum += slope * slope);
    }
    for way in free {
        let slopes = along(way.as_slice())?;
        freely
            .iter_mut()
            .zip(slopes)
            .for_each(|(sum, slope)| *sum += slope * slope);
    }
    let each = names.iter().zip(freely.iter().zip(&whole));
    Ok(each
        .filter(|(_, (freely, whole))| **freely > CHANGES * CHANGES * **whole)
        .map(|(name, _)| name.clone())
        .collect())
}
