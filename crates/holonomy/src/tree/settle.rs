//! Static equilibrium: where the forces at rest are balanced by those of the constraints.
//!
//! ```text
//! r = F(q) − G(q)ᵀλ = 0,   g(q) = 0          F: gravity, springs, wrenches and efforts, at v = 0
//! H = −∂r/∂q                                 λ fixed: see `settle/stiffness.rs`
//! M = L Lᵀ,   x = Lᵀ δ                       displacements are measured with the masses
//! A = P L⁻¹ H L⁻ᵀ P + σ Q Qᵀ                 Q spans the rows of G L⁻ᵀ, P = 1 − Q Qᵀ
//! x = A⁻¹ P L⁻¹ F                            Newton; eigenvalues of A by their size where one is negative
//! ```
//! Steps go along the constraints, which are then closed again, and are as long as the forces at both ends
//! agree with what was foreseen. The eigenvalues of A along the constraints are the squares of the
//! frequencies of small motions: all positive at a minimum of the energy. O(n³) for each step.
//!
//! Rigid strings that go slack are constraints where they are taut (`settle/taut.rs`).
mod local;
mod sizes;
mod stiffness;
mod taut;

use super::{ConstraintRows, Dynamics, JointKind, Loads, Tree, assemble::displaced, middle::Middle};
use crate::{math, order, system::System};
use local::{Forces, Local, residual_of};
use nalgebra::{Cholesky, DVector, SymmetricEigen};
use taut::Taut;

/// What is sought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seek {
    /// A minimum of the energy, downhill from the start; equilibria that are unstable are left.
    #[default]
    Minimum,
    /// The equilibrium that Newton's method finds from the start, stable or not.
    Nearest,
}

/// How to settle.
#[derive(Clone, Debug, Default)]
pub struct Settling {
    /// The time at which driven joints, driven lengths and forces are taken, s.
    pub t: f64,
    /// Velocities whose coordinates are held where they are; empty if none is.
    pub fixed: Vec<bool>,
    /// What is sought.
    pub seek: Seek,
}

/// A configuration in which nothing moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Equilibrium {
    /// The configuration.
    pub q: Vec<f64>,
    /// Multipliers of the constraints: tensions of distances and cables, N.
    pub lambda: Vec<f64>,
    /// Potential energy, J.
    pub energy: f64,
    /// Squares of the frequencies of small motions about it, 1/s², from the lowest; one per degree of freedom.
    pub squares: Vec<f64>,
    /// What the squares say.
    pub stability: Stability,
    /// The largest force that is not balanced beyond rounding, as a fraction of those that act on the same joint.
    pub residual: f64,
    /// Steps taken.
    pub steps: usize,
}

/// What becomes of a small push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stability {
    /// It swings: the energy is least here.
    Stable,
    /// Some motions meet no resistance.
    Neutral,
    /// Some motions grow: a saddle.
    Unstable,
}

/// Why there is no equilibrium, or why it was not found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SettleError {
    /// Constraints that cannot be met.
    #[error(
        "constraint `{constraint}` cannot be met: at the nearest place it is violated by {violation:.3e}"
    )]
    Violated {
        /// Its name.
        constraint: String,
        /// By how much.
        violation: f64,
    },
    /// Something goes on for ever.
    #[error("nothing holds `{coordinate}`: the forces push it on and on")]
    NotHeld {
        /// The coordinate that goes farthest.
        coordinate: String,
    },
    /// The search ended elsewhere.
    #[error(
        "no equilibrium was found in {steps} steps; `{coordinate}` is still pushed by {force:.3e} of what acts on it"
    )]
    NotConverged {
        /// Steps taken.
        steps: usize,
        /// Where the balance is worst.
        coordinate: String,
        /// The largest force that is not balanced, as a fraction of those that act there.
        force: f64,
    },
    /// Forces see what constraints answer, which is not known before.
    #[error("forces see multipliers, and an equilibrium is not sought with that")]
    Seen,
    /// Forces or inertias that have no value.
    #[error("the forces have no value on the way, or a joint moves nothing that has inertia")]
    Undefined,
}

const MOST_STEPS: usize = 400;
/// Displacements, in radians or lengths of the tree, of one step at first, and beyond which nothing holds.
const FIRST_RADIUS: f64 = 0.5;
const FAR: f64 = 1e5;
/// Corrections below this no longer say anything but rounding, those below the second are close enough for Newton.
const ROUNDING: f64 = 1e-14;
const CLOSE: f64 = 1e-7;
/// Eigenvalues below this fraction of the largest are zero: rounding of sums of a hundred terms, or so, tells no better.
const FLAT: f64 = 1e-12;
/// Forces below this fraction of those that act are none, along motions that meet no resistance.
const NO_FORCE: f64 = 1e-10;
/// Times a saddle is left.
const MOST_KICKS: usize = 8;
const KICK: f64 = 0.05;

impl Tree {
    /// The equilibrium that is found from a configuration.
    pub fn settle(&self, q: &[f64], settling: &Settling) -> Result<Equilibrium, SettleError> {
        SettleSearch::new(self, q, settling)?.run()
    }
}

/// The worst of the constraints.
fn violated(tree: &Tree, rows: &ConstraintRows) -> SettleError {
    let each = rows.value.iter().map(|g| g.abs()).enumerate();
    let (row, violation) = each.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default();
    SettleError::Violated {
        constraint: tree.constraint_name(row).unwrap_or_default().to_owned(),
        violation,
    }
}

struct SettleSearch<'a> {
    tree: &'a Tree,
    settling: &'a Settling,
    fixed: Vec<bool>,
    /// What a displacement of one counts, by velocity: 1 rad, or the length of the tree.
    units: Vec<f64>,
    q: Vec<f64>,
    start: Vec<f64>,
    dynamics: Dynamics,
    loads: Loads,
    still: Vec<f64>,
    middle: Middle,
    taut: Taut,
}

impl<'a> SettleSearch<'a> {
    fn new(tree: &'a Tree, q: &[f64], settling: &'a Settling) -> Result<Self, SettleError> {
        if tree.sees_multipliers() {
            return Err(SettleError::Seen);
        }
        let n = tree.velocities;
        let mut fixed = settling.fixed.clone();
        fixed.resize(n, false);
        let mut q = q.to_vec();
        tree.drive(settling.t, &mut q);
        let mut rows = ConstraintRows::default();
        let taut = Taut::at(tree, settling.t, &q);
        if !taut.close(tree, settling.t, &mut q, &fixed, &mut rows) {
            return Err(violated(tree, &rows));
        }
        Ok(Self {
            tree,
            settling,
            fixed,
            units: tree.units(),
            start: q.clone(),
            q,
            dynamics: Dynamics::default(),
            loads: Loads::default(),
            still: vec![0.0; n],
            middle: Middle::default(),
            taut,
        })
    }

    fn run(mut self) -> Result<Equilibrium, SettleError> {
        if self.still.is_empty() {
            return Ok(self.nothing_moves());
        }
        let seek_minimum = self.settling.seek == Seek::Minimum;
        let (mut radius, mut last, mut kicks) = (FIRST_RADIUS, f64::INFINITY, 0);
        for steps in 0..MOST_STEPS {
            if self.tighten()? {
                (last, radius) = (f64::INFINITY, FIRST_RADIUS);
            }
            let forces = self.forces(&self.q.clone())?;
            let local = self.local(&forces)?;
            let x = self.step(&local);
            let delta = local.inverse.tr_mul(&x);
            let size = self.size(&delta);
            if !size.is_finite() {
                return Err(SettleError::Undefined);
            }
            let settled = size <= ROUNDING || (size <= CLOSE && size > 0.5 * last);
            if settled {
                let found = self.finish(&local, &forces, steps);
                if seek_minimum && found.stability == Stability::Unstable && kicks < MOST_KICKS {
                    kicks += 1;
                    (last, radius) = (f64::INFINITY, FIRST_RADIUS);
                    self.leave_saddle(&local);
                    continue;
                }
                if self.taut.loosen(self.tree, &local.lambda) {
                    (last, radius) = (f64::INFINITY, FIRST_RADIUS);
                    continue;
                }
                return Ok(found);
            }
            let fraction = (radius / size).min(1.0);
            let (delta, x) = (delta * fraction, x * fraction);
            let mut trial = displaced(self.tree, &self.q, &delta, 1.0);
            let mut rows = ConstraintRows::default();
            let closed = self.close(&mut trial, &mut rows);
            let worth = match closed {
                true => self.worth(&trial, &local, &delta, &x, seek_minimum)?,
                false => 0.0,
            };
            // So close to the end that rounding decides, Newton is trusted.
            if closed && (worth > 0.05 || size <= CLOSE) {
                self.q = trial;
                last = size;
                if worth > 0.7 && fraction < 1.0 {
                    radius *= 2.0;
                }
                self.check_held()?;
            } else {
                radius = 0.25 * radius.min(size);
                if radius < 1e-13 {
                    return Err(self.not_converged(&local, &forces, steps));
                }
            }
        }
        let forces = self.forces(&self.q.clone())?;
        let local = self.local(&forces)?;
        Err(self.not_converged(&local, &forces, MOST_STEPS))
    }

    /// Where everything is driven there is nothing to balance.
    fn nothing_moves(self) -> Equilibrium {
        let mut dynamics = Dynamics::default();
        dynamics.kinematics.place(self.tree, &self.q);
        let energy = self
            .tree
            .potential_energy(&self.q, &dynamics.kinematics, &mut Loads::default());
        Equilibrium {
            energy,
            lambda: vec![0.0; self.tree.constraints()],
            q: self.q,
            squares: Vec::new(),
            stability: Stability::Stable,
            residual: 0.0,
            steps: 0,
        }
    }

    /// The step, measured with the masses.
    fn step(&self, local: &Local) -> DVector<f64> {
        let seek_minimum = self.settling.seek == Seek::Minimum;
        if let Some(factor) = Cholesky::new(local.symmetric.clone()) {
            let pivots = factor.l_dirty().diagonal();
            if pivots.min() > FLAT.sqrt() * pivots.max() {
                let exact = local.matrix.clone().lu().solve(&local.push);
                let x = exact.unwrap_or_else(|| factor.solve(&local.push));
                return &x - &local.normal * local.normal.tr_mul(&x);
            }
        }
        let eigen = SymmetricEigen::new(local.symmetric.clone());
        let floor = FLAT * eigen.eigenvalues.amax();
        let mut x = DVector::zeros(local.push.len());
        for (value, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
            let push = vector.dot(&local.push);
            let size = value.abs().max(floor);
            if size <= floor && push.abs() <= NO_FORCE * local.terms {
                continue;
            }
            // A push that meets no resistance at all goes as far as is allowed.
            let size = if size > 0.0 { size } else { FLAT * push.abs() };
            x += vector * (push / if seek_minimum { size } else { size.copysign(*value) });
        }
        &x - &local.normal * local.normal.tr_mul(&x)
    }

    /// What a step gained, as a fraction of what was foreseen.
    fn worth(
        &mut self,
        trial: &[f64],
        local: &Local,
        delta: &DVector<f64>,
        x: &DVector<f64>,
        seek_minimum: bool,
    ) -> Result<f64, SettleError> {
        let Ok(forces) = self.forces(trial) else {
            return Ok(0.0);
        };
        if !seek_minimum {
            // The residual becomes less.
            let (_, lambda) = self.multipliers(&local.inverse, &forces);
            let after = (&local.inverse * residual_of(&forces, &lambda)).norm();
            let before = (&local.inverse * &local.residual).norm();
            return Ok(1.0 - after / before);
        }
        let after = residual_of(&forces, &local.lambda);
        let work = 0.5 * (&local.residual + after).dot(delta);
        let foreseen = local.push.dot(x) - 0.5 * x.dot(&(&local.symmetric * x));
        Ok(if foreseen > 0.0 { work / foreseen } else { 0.0 })
    }

    /// Moves off along the motion that grows fastest.
    fn leave_saddle(&mut self, local: &Local) {
        let eigen = SymmetricEigen::new(local.symmetric.clone());
        let lowest = eigen.eigenvalues.imin();
        let mut delta = local.inverse.tr_mul(&eigen.eigenvectors.column(lowest));
        let largest = delta.icamax();
        delta *= KICK.copysign(delta[largest]) / self.size(&delta);
        let mut trial = displaced(self.tree, &self.q, &delta, 1.0);
        if self.close(&mut trial, &mut ConstraintRows::default()) {
            self.q = trial;
        }
    }

    /// The largest displacement, in radians or lengths of the tree.
    fn size(&self, delta: &DVector<f64>) -> f64 {
        let each = delta.iter().zip(&self.units);
        each.map(|(x, unit)| x.abs() / unit)
            .fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
    }

    fn check_held(&self) -> Result<(), SettleError> {
        for node in self.tree.nodes.iter().filter(|node| node.kind != JointKind::Ball) {
            for k in 0..node.dofs {
                let moved = (self.q[node.q + k] - self.start[node.q + k]).abs();
                if moved > FAR * self.units[node.v + k] {
                    let coordinate = self.tree.layout().coordinates[node.q + k].clone();
                    return Err(SettleError::NotHeld { coordinate });
                }
            }
        }
        Ok(())
    }

    /// The largest residual, as a fraction of the forces, and the velocity it acts on.
    fn residual_fraction(&self, local: &Local, forces: &Forces) -> (f64, usize) {
        let n = self.still.len();
        let mut worst = (0.0, 0);
        // As work along a displacement of one, so that forces and torques compare.
        let mut terms: Vec<f64> = Vec::new();
        for j in 0..n {
            let rows = forces.rows.jacobian.chunks_exact(n).zip(local.lambda.iter());
            let pulled: f64 = rows.map(|(row, lambda)| (row[j] * lambda).abs()).sum();
            terms.push(self.units[j] * (forces.terms[j] + pulled));
        }
        // Where nothing acts there is nothing but rounding of what acts elsewhere.
        let floor = 1e-3 * terms.iter().copied().fold(0.0, math::larger);
        for j in (0..n).filter(|j| !self.fixed[*j]) {
            let left = self.units[j] * (local.residual[j].abs() - local.rounding[j]);
            let fraction = match terms[j].max(floor) {
                _ if left <= 0.0 => 0.0,
                terms => left / terms,
            };
            if fraction > worst.0 {
                worst = (fraction, j);
            }
        }
        worst
    }

    fn not_converged(&self, local: &Local, forces: &Forces, steps: usize) -> SettleError {
        let (force, j) = self.residual_fraction(local, forces);
        let names = &self.tree.layout().velocities;
        SettleError::NotConverged {
            steps,
            coordinate: names.get(j).cloned().unwrap_or_default(),
            force,
        }
    }

    fn finish(&self, local: &Local, forces: &Forces, steps: usize) -> Equilibrium {
        let (tree, m) = (self.tree, self.tree.constraints());
        let eigen = SymmetricEigen::new(local.symmetric.clone());
        let largest = eigen.eigenvalues.amax();
        let mut squares: Vec<f64> = Vec::new();
        for (value, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
            // The others are across the constraints.
            if local.normal.tr_mul(&vector).norm_squared() < 0.5 {
                squares.push(*value);
            }
        }
        order::sort_by(&mut squares, f64::total_cmp);
        let floor = FLAT * largest;
        let stability = match squares.first() {
            Some(lowest) if *lowest < -floor => Stability::Unstable,
            Some(lowest) if *lowest <= floor => Stability::Neutral,
            _ => Stability::Stable,
        };
        let mut dynamics = Dynamics::default();
        dynamics.kinematics.place(tree, &self.q);
        let energy = tree.potential_energy(&self.q, &dynamics.kinematics, &mut Loads::default());
        Equilibrium {
            q: self.q.clone(),
            lambda: local.lambda.iter().take(m).copied().collect(),
            energy,
            squares,
            stability,
            residual: self.residual_fraction(local, forces).0,
            steps,
        }
    }
}
