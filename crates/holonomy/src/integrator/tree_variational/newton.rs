//! Newton's method for one step.
//!
//! ```text
//! x ← x − Ĵ⁻¹ r(x)                     x = (v, λ);  Ĵ the derivative at hand, made here or in an earlier step
//! u = max |r_i| / (terms of r_i)       u ← ρ u,   ρ ≈ |1 − Ĵ⁻¹ J|
//! ```
//! It ends when nothing is left but rounding. A new derivative is made when the one at hand would take more
//! corrections than a new one costs.
use super::TreeVariational;
use crate::{
    integrator::{Cause, Fault},
    system::State,
};

/// A next correction that is foreseen to be below this fraction of the motion is below its rounding.
const BELOW_ROUNDING: f64 = f64::EPSILON;
/// A correction by a new derivative below this fraction of the motion is the last: the next would be its square.
const LAST_CORRECTION: f64 = 1e-10;
/// Corrections below this fraction of the motion are far below the rounding of the coordinates.
const NEGLIGIBLE: f64 = 1e-14;
/// Corrections that no longer become smaller, below this fraction of the motion, are rounding.
const STALLED: f64 = 1e-6;
/// A derivative is kept while corrections fall by this factor.
const KEPT: f64 = 0.1;
/// A new derivative is wrong by this multiple of the correction it makes, as a fraction of the motion.
const CURVATURE: f64 = 10.0;
/// What is left may be so many times the rounding of its terms, if no more than rounding was foreseen.
const ROUNDED: f64 = 16.0;
/// Constraints that are open by more than this fraction of the coordinates are not closed.
const CLOSED: f64 = 1e-13;
/// Motion in a step, in radians, below which corrections are not compared with it.
const SMALL_MOTION: f64 = 1e-6;

/// How a step was solved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solved {
    pub(super) iterations: u32,
    /// By how much a derivative of an earlier step reduced what was out of balance, if one was used.
    pub(super) kept: Option<f64>,
    /// Derivatives made.
    pub(super) made: u32,
}

impl TreeVariational {
    /// Solves for the discrete velocities and multipliers, from a first guess. A derivative at hand is expected
    /// to reduce what is out of balance by the factor `kept`.
    pub(super) fn solve(&mut self, state: &State, kept: Option<f64>) -> Result<Solved, Fault> {
        // Sums over n bodies, rounded at random, of a few terms each.
        let rounding = 2.0 * f64::EPSILON * (self.tree.nodes.len() as f64).sqrt();
        let mut solved = Solved {
            iterations: 0,
            kept: None,
            made: 0,
        };
        self.closure.add_sizes(&mut self.balance.sizes);
        let (mut retreats, mut idle) = (0, 0);
        let (mut last, mut best) = (f64::INFINITY, f64::INFINITY);
        let (mut first_left, mut last_left) = (f64::INFINITY, f64::INFINITY);
        // By how much the derivative at hand reduces what is left, whether that leaves only rounding, and the next
        // correction that is foreseen.
        let (mut rate, mut foreseen, mut next) = (kept.unwrap_or(f64::INFINITY), false, f64::INFINITY);
        loop {
            let outcome = self.evaluate(state);
            let left = outcome.unwrap_or(f64::INFINITY);
            if solved.iterations > 0 {
                if solved.made == 0 && kept.is_some() {
                    let each = 1.0 / f64::from(solved.iterations);
                    solved.kept = Some((left.max(rounding) / first_left).powf(each));
                }
                // Nothing left but the rounding of its own terms.
                if left <= rounding || (foreseen && left <= ROUNDED * rounding) {
                    return Ok(solved);
                }
                rate = rate.max(left / last_left);
            } else {
                first_left = left;
            }
            let needed = (left / rounding).ln() / -rate.ln();
            let mut keep = rate < 1.0 && needed <= self.solver.price();
            let (mut change, mut worst) = (f64::INFINITY, 0);
            let hopeless = solved.iterations == 0 || solved.iterations + 1 >= self.options.max_iterations;
            match outcome {
                Ok(left) if left.is_finite() => {
                    if keep {
                        self.unbalanced.clone_from(&self.balance.residual);
                        (change, worst) = self.correct();
                        if !(change <= KEPT * last) {
                            keep = false;
                            self.balance.residual.clone_from(&self.unbalanced);
                        }
                    }
                    if !keep {
                        self.factorise(state)?;
                        solved.made += 1;
                        (change, worst) = self.correct();
                    }
                }
                Ok(_) if hopeless => return Err(self.not_finite(None)),
                // Half a turn in one step.
                Err(node) if hopeless => return Err(self.too_large(node)),
                _ => {}
            }
            solved.iterations += 1;
            if change.is_nan() || solved.iterations >= self.options.max_iterations {
                let cause = match change.is_nan() {
                    true => Cause::NotFinite,
                    false => Cause::NotConverged {
                        iterations: solved.iterations,
                        correction: change,
                    },
                };
                return Err(Fault {
                    cause,
                    body: self.body_of(worst),
                });
            }
            let scale = self.motion() + SMALL_MOTION;
            let falls = if last.is_finite() { change / last } else { 1.0 };
            if change < 0.5 * best {
                (best, idle) = (change, 0);
            } else {
                idle += 1;
            }
            // Corrections of rounding do not become smaller, or are larger than was foreseen.
            let stalled = change <= STALLED * scale && idle >= 2
                || next <= 0.1 * change && falls * change <= NEGLIGIBLE * scale;
            if !(falls <= 2.0) && (!change.is_finite() || retreats < 2) && !stalled {
                retreats += 1;
                // Farther from a solution than before: back by half of the last correction.
                for (v, x) in self.balance.v.iter_mut().zip(&mut self.applied) {
                    *x *= 0.5;
                    *v -= *x;
                }
                self.closure.halve();
                last *= 0.5;
                (rate, foreseen, next) = (f64::INFINITY, false, f64::INFINITY);
                continue;
            }
            for (v, x) in self.balance.v.iter_mut().zip(&self.balance.residual) {
                *v += x;
            }
            self.applied.clone_from(&self.balance.residual);
            self.closure.apply();
            retreats = 0;
            // What is foreseen of the next one, and whether that is known well enough to end.
            let known = match keep {
                true if last.is_finite() => {
                    rate = falls;
                    falls * change <= BELOW_ROUNDING * scale
                }
                true => false,
                false => {
                    rate = CURVATURE * change / scale;
                    change <= LAST_CORRECTION * scale
                }
            };
            let measured = last.is_finite() || !keep;
            foreseen = measured && rate * left <= rounding;
            next = if measured { rate * change } else { f64::INFINITY };
            if stalled || known {
                let ended = self.evaluate(state);
                ended.map_err(|node| self.too_large(node))?;
                if self.closure.open <= CLOSED {
                    return Ok(solved);
                }
            }
            (last, last_left) = (change, left);
        }
    }

    /// Factorises the derivative at the present velocities and multipliers.
    pub(super) fn factorise(&mut self, state: &State) -> Result<(), Fault> {
        self.place.clear();
        self.balance.complete(&self.tree);
        let factored = self.solver.factorise(&self.tree, &self.balance);
        factored.map_err(|node| self.singular(node))?;
        if self.tree.constraints() > 0 {
            let end = (self.balance.end, &self.next_q[..]);
            self.closure
                .factorise(&self.tree, &self.balance, end, &mut self.solver);
        }
        self.place.push(state.t);
        for part in [&state.q, &state.p, &self.balance.v, &self.closure.lambda] {
            self.place.extend_from_slice(part);
        }
        Ok(())
    }

    /// The correction of the velocities, in place of the residual, and of the multipliers. Its size, and where
    /// it is largest.
    pub(super) fn correct(&mut self) -> (f64, usize) {
        let x = &mut self.balance.residual;
        self.solver.inward(&self.tree, x);
        self.closure.correct(self.balance.h, x);
        self.solver.outward(x);
        let h = self.balance.h.abs();
        let (mut change, mut worst) = (0.0_f64, 0);
        for (j, x) in self.balance.residual.iter().enumerate() {
            let moved = h * x.abs() * self.worth[j];
            if !(moved <= change) {
                (change, worst) = (moved, j);
            }
        }
        (change, worst)
    }

    /// Size of the motion in the step.
    fn motion(&self) -> f64 {
        let parts = self.balance.v.iter().zip(&self.worth);
        self.balance.h.abs() * parts.fold(0.0_f64, |m, (v, worth)| m.max(v.abs() * worth))
    }
}
