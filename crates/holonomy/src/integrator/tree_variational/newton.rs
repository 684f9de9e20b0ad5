//! Newton's method for one step.
//!
//! ```text
//! x ← x − Ĵ⁻¹ r(x)                     x = (v, λ);  Ĵ the Jacobian at hand, made here or in an earlier step
//! u = max |r_i| / (terms of r_i)       u ← ρ u,   ρ ≈ |1 − Ĵ⁻¹ J| the contraction rate
//! ```
//! It ends when nothing is left but rounding. The Jacobian is refactorised when the stale one would take more
//! corrections than that costs.
use super::TreeVariational;
use crate::{
    integrator::{Cause, Fault},
    math,
    solve::QUADRATIC,
    system::State,
};

/// A next correction that is foreseen to be below this fraction of the motion is below its rounding.
const BELOW_ROUNDING: f64 = f64::EPSILON;
/// Corrections below this fraction of the motion are far below the rounding of the coordinates.
const NEGLIGIBLE: f64 = 1e-14;
/// Corrections that no longer become smaller, below this fraction of the motion, are rounding.
const STALLED: f64 = 1e-6;
/// A stale Jacobian is used while corrections fall by this factor.
const FAST_ENOUGH: f64 = 0.1;
/// A new Jacobian is wrong by this multiple of the correction it makes, as a fraction of the motion.
const CURVATURE: f64 = 10.0;
/// The residual may be so many times the rounding of its terms, if no more than rounding was foreseen.
const ROUNDED: f64 = 16.0;
/// Constraints that are violated by more than this fraction of the coordinates are not met.
pub(super) const MET: f64 = 1e-13;
/// Motion in a step, in radians, below which corrections are not compared with it.
pub(super) const SMALL_MOTION: f64 = 1e-6;

/// How a step was solved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solved {
    pub(super) iterations: u32,
    /// By how much a Jacobian of an earlier step reduced the residual, if one was used.
    pub(super) stale_rate: Option<f64>,
    /// Jacobians made.
    pub(super) made: u32,
}

/// A correction that has been computed and not yet been made.
#[derive(Clone, Copy)]
struct Proposal {
    /// Its size, in radians or lengths of the tree, and the velocity where it is largest.
    size: f64,
    worst: usize,
    /// Whether the Jacobian was not made for it, or is not exact.
    stale: bool,
}

/// How the iteration goes: what it has seen, and what it foresees from that.
struct Progress {
    solved: Solved,
    /// The rounding of a residual, as a fraction of its terms.
    rounding: f64,
    /// Whether there was a Jacobian of an earlier step to start with.
    from_stale: bool,
    first_residual: f64,
    last_residual: f64,
    /// The last correction that was made, and the least; corrections that were not less than half of that since.
    last: f64,
    least: f64,
    idle: u32,
    /// Retreats since the last correction.
    retreats: u32,
    /// The contraction rate ρ, infinite if it is not known.
    rate: f64,
    /// Whether the next residual is foreseen to be rounding, and the next correction.
    ends: bool,
    next: f64,
}

impl TreeVariational {
    /// Solves for the discrete velocities and multipliers, from an initial guess. A stale Jacobian at hand is expected
    /// to have the given contraction rate.
    pub(super) fn solve(&mut self, state: &State, stale: Option<f64>) -> Result<Solved, Fault> {
        self.closure.add_sizes(&mut self.balance.sizes);
        let mut progress = Progress::new(self.tree.nodes.len(), stale);
        loop {
            let outcome = self.evaluate(state);
            let residual = outcome.unwrap_or(f64::INFINITY);
            if progress.is_solved(residual) {
                return Ok(progress.solved);
            }
            let correction = match outcome {
                Ok(residual) if residual.is_finite() => self.propose(state, residual, &mut progress)?,
                failed => self.beyond(state, failed, &progress)?,
            };
            progress.solved.iterations += 1;
            self.check(state, &correction, progress.solved.iterations)?;
            let scale = self.motion() + SMALL_MOTION;
            let stalled = progress.is_stalled(correction.size, scale);
            if progress.leads_away(correction.size) && !stalled {
                self.retreat();
                progress.retreated();
                continue;
            }
            self.apply();
            let converged = progress.foresee(&correction, residual, scale);
            if stalled || converged {
                let ended = self.evaluate(state);
                ended.map_err(|node| self.too_large(node))?;
                let closure = &self.closure;
                let met = closure.violation <= MET || closure.worst().1 <= self.nothing;
                if met || closure.is_rounded(&self.tree, &self.next_q) {
                    return Ok(progress.solved);
                }
            }
            (progress.last, progress.last_residual) = (correction.size, residual);
        }
    }

    /// The correction at a finite residual: by the stale Jacobian while that costs less, or else by a new one.
    fn propose(&mut self, state: &State, residual: f64, progress: &mut Progress) -> Result<Proposal, Fault> {
        if progress.corrections_left(residual) <= self.jacobian.cost() {
            self.residual.clone_from(&self.balance.residual);
            let (size, worst) = self.correct();
            if size <= FAST_ENOUGH * progress.last {
                return Ok(Proposal {
                    size,
                    worst,
                    stale: true,
                });
            }
            self.balance.residual.clone_from(&self.residual);
        }
        self.factorise(state)?;
        progress.solved.made += 1;
        let (size, worst) = self.correct();
        Ok(Proposal {
            size,
            worst,
            // Of multipliers that forces see not all changes are in it.
            stale: self.balance.foresight.is_some(),
        })
    }

    /// No correction, where there is no residual: the last one went too far. An error if there was none, or it was
    /// the last that is allowed.
    fn beyond(
        &self,
        state: &State,
        failed: Result<f64, usize>,
        progress: &Progress,
    ) -> Result<Proposal, Fault> {
        let iterations = progress.solved.iterations;
        let hopeless = iterations == 0 || iterations + 1 >= self.options.max_iterations;
        match failed {
            Ok(_) if hopeless => Err(self.not_finite(state, None)),
            // Half a turn in one step.
            Err(node) if hopeless => Err(self.too_large(node)),
            _ => Ok(Proposal {
                size: f64::INFINITY,
                worst: 0,
                stale: false,
            }),
        }
    }

    /// Corrections must be numbers, and come to an end.
    fn check(&self, state: &State, correction: &Proposal, iterations: u32) -> Result<(), Fault> {
        let cause = match correction.size {
            size if size.is_nan() => return Err(self.not_finite(state, self.body_of(correction.worst))),
            size if iterations >= self.options.max_iterations => Cause::NotConverged {
                iterations,
                correction: size,
            },
            _ => return Ok(()),
        };
        Err(Fault {
            cause,
            body: self.body_of(correction.worst),
        })
    }

    /// Makes the correction: `x ← x + δx`.
    fn apply(&mut self) {
        for (v, x) in self.balance.v.iter_mut().zip(&self.balance.residual) {
            *v += x;
        }
        self.applied.clone_from(&self.balance.residual);
        self.closure.apply();
    }

    /// Back by half of the last correction: `δx ← δx/2, x ← x − δx`.
    fn retreat(&mut self) {
        for (v, x) in self.balance.v.iter_mut().zip(&mut self.applied) {
            *x *= 0.5;
            *v -= *x;
        }
        self.closure.halve();
    }

    /// Factorises the Jacobian at the present velocities and multipliers.
    pub(super) fn factorise(&mut self, state: &State) -> Result<(), Fault> {
        self.place.clear();
        self.balance.complete(&self.tree);
        let factored = self.jacobian.factorise(&self.tree, &self.balance);
        factored.map_err(|node| self.singular(node))?;
        if self.tree.constraints() > 0 {
            let factors = &mut self.jacobian.factors;
            self.closure
                .factorise(&self.tree, &self.balance, &self.next_q, factors);
        }
        self.place.push(state.t);
        for part in [&state.q, &state.p, &self.balance.v, &self.closure.lambda] {
            self.place.extend_from_slice(part);
        }
        Ok(())
    }

    /// The correction of the velocities, in place of the residual, and of the multipliers. Its size, and where
    /// it is largest.
    fn correct(&mut self) -> (f64, usize) {
        let x = &mut self.balance.residual;
        self.jacobian.factors.inward(&self.tree, x);
        self.closure.correct(self.balance.h, x);
        self.jacobian.factors.outward(x);
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

impl Progress {
    fn new(nodes: usize, stale: Option<f64>) -> Self {
        Self {
            solved: Solved {
                iterations: 0,
                stale_rate: None,
                made: 0,
            },
            // Sums over n bodies, rounded at random, of a few terms each.
            rounding: 2.0 * f64::EPSILON * (nodes as f64).sqrt(),
            from_stale: stale.is_some(),
            first_residual: f64::INFINITY,
            last_residual: f64::INFINITY,
            last: f64::INFINITY,
            least: f64::INFINITY,
            idle: 0,
            retreats: 0,
            rate: stale.unwrap_or(f64::INFINITY),
            ends: false,
            next: f64::INFINITY,
        }
    }

    /// Whether nothing is left after a correction but the rounding of the residual's own terms. Measures the
    /// contraction rate.
    fn is_solved(&mut self, residual: f64) -> bool {
        if self.solved.iterations == 0 {
            self.first_residual = residual;
            return false;
        }
        if self.solved.made == 0 && self.from_stale {
            let each = 1.0 / f64::from(self.solved.iterations);
            self.solved.stale_rate = Some(math::powf(
                residual.max(self.rounding) / self.first_residual,
                each,
            ));
        }
        if residual <= self.rounding || (self.ends && residual <= ROUNDED * self.rounding) {
            return true;
        }
        self.rate = self.rate.max(residual / self.last_residual);
        false
    }

    /// Corrections by the Jacobian at hand until only rounding is left, `ln(u/ε) / −ln ρ`; infinite if it does not
    /// contract.
    fn corrections_left(&self, residual: f64) -> f64 {
        match self.rate < 1.0 {
            true => math::ln(residual / self.rounding) / -math::ln(self.rate),
            false => f64::INFINITY,
        }
    }

    /// A correction as a fraction of the last one.
    fn falls(&self, size: f64) -> f64 {
        if self.last.is_finite() {
            size / self.last
        } else {
            1.0
        }
    }

    /// Whether corrections are rounding: they do not become smaller, or are larger than was foreseen.
    fn is_stalled(&mut self, size: f64, scale: f64) -> bool {
        if size < 0.5 * self.least {
            (self.least, self.idle) = (size, 0);
        } else {
            self.idle += 1;
        }
        size <= STALLED * scale && self.idle >= 2
            || self.next <= 0.1 * size && self.falls(size) * size <= NEGLIGIBLE * scale
    }

    /// Whether the last correction led farther from a solution.
    fn leads_away(&self, size: f64) -> bool {
        !(self.falls(size) <= 2.0) && (!size.is_finite() || self.retreats < 2)
    }

    fn retreated(&mut self) {
        self.retreats += 1;
        self.last *= 0.5;
        (self.rate, self.ends, self.next) = (f64::INFINITY, false, f64::INFINITY);
    }

    /// What is foreseen once a correction has been made; whether the next one is known to be below rounding.
    fn foresee(&mut self, correction: &Proposal, residual: f64, scale: f64) -> bool {
        let (size, falls) = (correction.size, self.falls(correction.size));
        self.retreats = 0;
        let measured = self.last.is_finite() || !correction.stale;
        let converged = match correction.stale {
            true if measured => {
                self.rate = falls;
                falls * size <= BELOW_ROUNDING * scale
            }
            true => false,
            false => {
                self.rate = CURVATURE * size / scale;
                size <= QUADRATIC * scale
            }
        };
        self.ends = measured && self.rate * residual <= self.rounding;
        self.next = if measured { self.rate * size } else { f64::INFINITY };
        converged
    }
}
