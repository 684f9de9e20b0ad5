//! The variational integrator for trees of rigid bodies: discrete Euler–Lagrange equations with the
//! midpoint rule, in position–momentum form, solved in O(n).
//!
//! ```text
//! Lᵈ(q, q⁺) = h L(q̄, v)        joints: q̄ = (q + q⁺)/2,  v = (q⁺ − q)/h
//!                              ball joints: halfway rotation and hω = 2 sin(θ/2) axis, see `turn.rs`
//! 0 = p + D₁Lᵈ + f⁻:     0 = Y p_i − S_iᵀ P_i + ½h B (g_i + τ_i)                        for v
//! p⁺ = D₂Lᵈ + f⁺:        p⁺ = p + h (g_i + τ_i)                        (ball: H p⁺ = Hᵀp + h (g + τ))
//! g_i = S_iᵀ (F_i − V_p ×* P_i)                    ∂L/∂q̄_i;  B = Y = 1 but for ball joints
//! ```
//! S, V, P and F as in [`crate::tree`], in the middle of the step. Forces act half at each end, which
//! keeps the order; [`Forcing::OneSided`] puts all of them at the start, as trep does. Newton's method has the
//! exact derivative, kept while corrections fall fast, and a step costs O(n): see `elimination.rs`. Forces
//! between bodies add terms of low rank, and O(n) for each of their rows: see `coupled.rs`.
//!
//! The spin of a slender body between ball joints has little inertia, and a long chain behind it pushes it
//! with the error of the step: such chains need small steps. Universal joints do not have it, nor do
//! directions ([`crate::spheres::Spheres`]).
mod balance;
mod closure;
mod coupled;
mod elimination;
mod turn;

use super::{Cause, Fault, Integrator, StepInfo};
use crate::{
    lagrangian::Undefined,
    system::State,
    tree::{Dynamics, Rows, Tree, close},
};
use balance::Balance;
use closure::Closure;
use coupled::Coupled;
use std::sync::Arc;

/// A variational integrator for a [`Tree`].
pub struct TreeVariational {
    tree: Arc<Tree>,
    options: TreeOptions,
    balance: Balance,
    solver: Coupled,
    closure: Closure,
    /// The last correction of the velocities.
    applied: Vec<f64>,
    dynamics: Dynamics,
    /// What a displacement of one counts, by velocity: 1 rad, or the length of the tree.
    units: Vec<f64>,
    next_q: Vec<f64>,
    next_p: Vec<f64>,
    /// What is out of balance, before it becomes a correction.
    unbalanced: Vec<f64>,
    /// When the last step ended, if what it computed there still stands.
    ended: Option<f64>,
}

/// How a step is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeOptions {
    /// Where the Lagrangian is evaluated.
    pub rule: Rule,
    /// Where forces without potential act.
    pub forcing: Forcing,
    /// Newton iterations after which a step is given up.
    pub max_iterations: u32,
}

impl Default for TreeOptions {
    fn default() -> Self {
        Self {
            rule: Rule::Midpoint,
            forcing: Forcing::Symmetric,
            max_iterations: 50,
        }
    }
}

/// Where the Lagrangian is evaluated, with the velocity `(q⁺ − q)/h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// In the middle of the step: second order.
    Midpoint,
    /// At its end: the backward difference of document 003, first order, for joints without rotations in space.
    Backward,
}

/// Where the impulse of forces without potential acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forcing {
    /// Half at the start and half at the end of a step: second order.
    Symmetric,
    /// All at the start, and multipliers too: first order, and what trep does.
    OneSided,
}

/// Corrections below this fraction of the motion in a step end Newton's method: the next would be its square.
const LAST_CORRECTION: f64 = 1e-10;
/// What the next correction would be, when it is foreseen to be below rounding.
const BELOW_ROUNDING: f64 = 1e-17;
/// Corrections that no longer become smaller, below this fraction of the motion, are rounding.
const STALLED: f64 = 1e-6;
/// The derivative of an earlier iteration is kept while corrections fall by this factor,
const KEPT: f64 = 0.1;
/// and while so many more of them are foreseen to reach rounding: one costs a third of a new derivative.
const KEPT_FOR: i32 = 3;
/// Constraints that are open by more than this fraction of the coordinates are not closed.
const CLOSED: f64 = 1e-13;
/// Motion in a step, in radians, below which corrections are not compared with it.
const SMALL_MOTION: f64 = 1e-6;

impl TreeVariational {
    /// A method for a tree.
    pub fn new(tree: Arc<Tree>, options: TreeOptions) -> Self {
        let units = tree.units();
        let zeros = vec![0.0; units.len()];
        Self {
            solver: Coupled::new(&tree),
            tree,
            options,
            balance: Balance::default(),
            closure: Closure::default(),
            applied: zeros.clone(),
            dynamics: Dynamics::default(),
            units,
            next_q: Vec::new(),
            next_p: Vec::new(),
            unbalanced: zeros,
            ended: None,
        }
    }

    /// Whether a step begins where the last one ended: then the mass matrix and the constraints there are
    /// known, and computing them again would give the same.
    fn follows(&mut self, state: &State) -> bool {
        let then = self.ended.take();
        then.is_some_and(|t| (t == state.t || !self.tree.depends_on_time()) && self.next_q == state.q)
    }

    fn singular(&self, node: usize) -> Fault {
        Fault {
            cause: Cause::Undefined(Undefined::SingularMass),
            body: Some(self.tree.nodes[node].body),
        }
    }

    fn body_of(&self, velocity: usize) -> Option<usize> {
        let nodes = &self.tree.nodes;
        nodes
            .iter()
            .rev()
            .find(|node| node.v <= velocity && node.dofs > 0)
            .map(|node| node.body)
    }

    /// Constraint equations that depended on others in the last step: redundant ones, or a configuration
    /// where the mechanism is singular.
    pub fn dependent_constraints(&self) -> usize {
        self.closure.dependent
    }

    /// Forces that are no numbers, and why if that is known.
    fn not_finite(&self, body: Option<usize>) -> Fault {
        match self.tree.undefined_in(&self.balance.kinematics) {
            Some(undefined) => undefined.into(),
            None => Fault {
                cause: Cause::NotFinite,
                body,
            },
        }
    }

    fn too_large(&self, node: usize) -> Fault {
        Fault {
            cause: Cause::HalfTurn,
            body: Some(self.tree.nodes[node].body),
        }
    }

    /// A step fails because of its constraints if nothing meets them at its end.
    fn diagnosed(&self, state: &State, fault: Fault) -> Fault {
        let (mut q, mut rows) = (state.q.clone(), Rows::default());
        let free = vec![false; self.tree.velocities()];
        let t = state.t + self.balance.h;
        if self.tree.constraints() == 0 || close(&self.tree, t, &mut q, &free, &mut rows) {
            return fault;
        }
        let each = rows.value.iter().map(|g| g.abs()).enumerate();
        match each.max_by(|a, b| a.1.total_cmp(&b.1)) {
            Some((equation, open)) if open.is_finite() => Fault {
                cause: Cause::Unmet { equation, open },
                body: None,
            },
            _ => fault,
        }
    }

    /// What is out of balance at the present velocities and multipliers.
    fn evaluate(&mut self, state: &State) -> Result<f64, usize> {
        let constrained = self.tree.constraints() > 0;
        if constrained {
            self.closure.push(&state.p, &mut self.balance.p);
        }
        self.balance.evaluate(&self.tree, state)?;
        self.balance
            .end_configuration(&self.tree, state, &mut self.next_q);
        if !constrained || !self.balance.unbalance.is_finite() {
            return Ok(self.balance.unbalance);
        }
        let open = self.closure.evaluate(&self.tree, self.balance.end, &self.next_q);
        Ok(self.balance.unbalance.max(open))
    }

    /// Solves for the discrete velocities and multipliers.
    fn solve(&mut self, state: &State) -> Result<u32, Fault> {
        // Sums over n bodies, rounded at random.
        let rounding = f64::EPSILON * (self.tree.nodes.len() as f64).sqrt();
        let (mut iterations, mut retreats, mut idle) = (0, 0, 0);
        let (mut last, mut best) = (f64::INFINITY, f64::INFINITY);
        // Whether the derivative of an earlier iteration will do.
        let mut keep = false;
        loop {
            let outcome = self.evaluate(state);
            // Nothing left but the rounding of its own terms.
            if iterations > 0 && outcome.is_ok_and(|unbalance| unbalance <= rounding) {
                return Ok(iterations);
            }
            let (mut change, mut worst) = (f64::INFINITY, 0);
            let hopeless = iterations == 0 || iterations + 1 >= self.options.max_iterations;
            match outcome {
                Ok(unbalance) if unbalance.is_finite() => {
                    if keep {
                        self.unbalanced.clone_from(&self.balance.residual);
                        (change, worst) = self.correct();
                        if !(change <= KEPT * last) {
                            keep = false;
                            self.balance.residual.clone_from(&self.unbalanced);
                        }
                    }
                    if !keep {
                        self.factorise()?;
                        (change, worst) = self.correct();
                    }
                }
                Ok(_) if hopeless => return Err(self.not_finite(None)),
                // Half a turn in one step.
                Err(node) if hopeless => return Err(self.too_large(node)),
                _ => {}
            }
            iterations += 1;
            if change.is_nan() || iterations >= self.options.max_iterations {
                let cause = match change.is_nan() {
                    true => Cause::NotFinite,
                    false => Cause::NotConverged {
                        iterations,
                        correction: change,
                    },
                };
                return Err(Fault {
                    cause,
                    body: self.body_of(worst),
                });
            }
            let scale = self.motion() + SMALL_MOTION;
            // Two corrections foretell the next.
            let rate = if last.is_finite() { change / last } else { 1.0 };
            if change < 0.5 * best {
                (best, idle) = (change, 0);
            } else {
                idle += 1;
            }
            // Corrections of rounding do not become smaller.
            let stalled = change <= STALLED * scale && idle >= 2;
            if !(rate <= 2.0) && (!change.is_finite() || retreats < 2) && !stalled {
                retreats += 1;
                // Farther from a solution than before: back by half of the last correction.
                for (v, x) in self.balance.v.iter_mut().zip(&mut self.applied) {
                    *x *= 0.5;
                    *v -= *x;
                }
                self.closure.halve();
                last *= 0.5;
                continue;
            }
            for (v, x) in self.balance.v.iter_mut().zip(&self.balance.residual) {
                *v += x;
            }
            self.applied.clone_from(&self.balance.residual);
            self.closure.apply();
            retreats = 0;
            let next = change * if keep { rate } else { rate * rate };
            let last_one = if keep { f64::EPSILON } else { LAST_CORRECTION };
            if change <= last_one * scale || next <= BELOW_ROUNDING * scale || stalled {
                let ended = self.evaluate(state);
                ended.map_err(|node| self.too_large(node))?;
                if self.closure.open <= CLOSED {
                    return Ok(iterations);
                }
            }
            // The first correction tells nothing of the next.
            let foreseen = if iterations == 1 {
                0.0
            } else {
                change * rate.powi(KEPT_FOR)
            };
            keep = foreseen <= BELOW_ROUNDING * scale;
            last = change;
        }
    }

    /// Factorises the derivative at the present velocities and multipliers.
    fn factorise(&mut self) -> Result<(), Fault> {
        let factored = self.solver.factorise(&self.tree, &self.balance);
        factored.map_err(|node| self.singular(node))?;
        if self.tree.constraints() > 0 {
            let end = (self.balance.end, &self.next_q[..]);
            self.closure
                .factorise(&self.tree, &self.balance, end, &mut self.solver);
        }
        Ok(())
    }

    /// The correction of the velocities, in place of the residual, and of the multipliers. Its size, and where
    /// it is largest.
    fn correct(&mut self) -> (f64, usize) {
        let x = &mut self.balance.residual;
        self.solver.solve(&self.tree, x);
        self.closure.correct(self.balance.h, x);
        let h = self.balance.h.abs();
        let (mut change, mut worst) = (0.0_f64, 0);
        for (j, x) in self.balance.residual.iter().enumerate() {
            let moved = h * x.abs() / self.units[j];
            if !(moved <= change) {
                (change, worst) = (moved, j);
            }
        }
        (change, worst)
    }

    /// Size of the motion in the step.
    fn motion(&self) -> f64 {
        let parts = self.balance.v.iter().zip(&self.units);
        self.balance.h.abs() * parts.fold(0.0_f64, |m, (v, unit)| m.max(v.abs() / unit))
    }
}

impl Integrator for TreeVariational {
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        let constrained = self.tree.constraints() > 0;
        let one_sided = self.options.forcing == Forcing::OneSided;
        self.balance.forcing = if one_sided { 2.0 } else { 1.0 };
        let fraction = match self.options.rule {
            Rule::Midpoint => 0.5,
            Rule::Backward => 1.0,
        };
        self.balance.begin(&self.tree, state, h, fraction);
        let follows = self.follows(state);
        if !follows {
            self.dynamics.kinematics.place(&self.tree, &state.q);
            let factored = self.dynamics.factorise(&self.tree);
            factored.map_err(|node| self.singular(node))?;
        }
        // Half of the impulse of the constraints at each end.
        let impulse = if one_sided { h } else { 0.5 * h };
        if constrained {
            let placed = (!follows).then_some(&self.dynamics.kinematics);
            self.closure.begin(&self.tree, state, placed, impulse);
        }
        self.balance.guess(&self.tree, state, &mut self.dynamics);
        let iterations = self.solve(state).map_err(|fault| self.diagnosed(state, fault))?;
        self.balance.end_momentum(&self.tree, &mut self.next_p);
        if constrained && !one_sided {
            let end = (self.balance.end, &self.next_q[..]);
            let projected = self
                .closure
                .project(&self.tree, end, &mut self.next_p, &mut self.dynamics);
            projected.map_err(|node| self.singular(node))?;
            self.ended = Some(end.0);
        }
        let bad = |x: &f64| !x.is_finite();
        if let Some(j) = self.next_p.iter().position(bad) {
            return Err(Fault {
                cause: Cause::NotFinite,
                body: self.body_of(j),
            });
        }
        // Impulses at both ends; over the step they act as one force.
        state.lambda.clear();
        let impulses = self.closure.lambda.iter().zip(&self.closure.mu);
        state
            .lambda
            .extend(impulses.map(|(start, end)| (start + end) / h));
        state.q.copy_from_slice(&self.next_q);
        state.p.copy_from_slice(&self.next_p);
        state.t += h;
        Ok(StepInfo {
            iterations,
            evaluations: iterations + 2,
            dependent: if constrained { self.closure.depending } else { 0 },
            ..StepInfo::default()
        })
    }
}
