//! The variational integrator for trees of rigid bodies: discrete Euler–Lagrange equations with the
//! midpoint rule, in position–momentum form, solved in O(n).
//!
//! ```text
//! Lᵈ(q, q⁺) = h L(q̄, v)        joints: q̄ = (q + q⁺)/2,  v = (q⁺ − q)/h
//!                              ball joints: halfway rotation and hω = 2 sin(θ/2) axis, see `turn.rs`
//! 0 = p + D₁Lᵈ + f⁻:     0 = Y p_i − S_iᵀ P_i + ½h B (g_i + τ_i)                        for v
//!                        less a v for a joint with armature a, whose energy ½ a v² knows no place
//! p⁺ = D₂Lᵈ + f⁺:        p⁺ = p + h (g_i + τ_i)                        (ball: H p⁺ = Hᵀp + h (g + τ))
//! g_i = S_iᵀ (F_i − V_p ×* P_i)                    ∂L/∂q̄_i;  B = Y = 1 but for ball joints
//! ```
//! S, V, P and F as in [`crate::tree`], in the middle of the step. Forces act half at each end, which
//! keeps the order; [`Forcing::OneSided`] puts all of them at the start, as trep does. Newton's method has the
//! exact Jacobian, used while that costs less than a new one, over several steps too (`newton.rs`, `past.rs`), and
//! a step costs O(n): see `jacobian.rs`, and `written.rs` for small trees. Forces between bodies add terms of low
//! rank, and O(n) for each of their rows.
//!
//! The spin of a slender body between ball joints has little inertia, and a long chain behind it pushes it
//! with the error of the step: such chains need small steps. Universal joints do not have it, nor do
//! directions ([`crate::spheres::Spheres`]).
mod balance;
mod closure;
mod column;
mod delivered;
mod jacobian;
mod newton;
mod past;
mod slack;
mod slip;
#[cfg(not(target_arch = "wasm32"))]
mod tangent;
mod turn;
mod written;

use super::{Cause, Fault, Integrator, StepInfo};
#[cfg(not(target_arch = "wasm32"))]
use crate::derivative::Differentiable;
use crate::{
    math,
    system::{State, System, Undefined},
    tree::{Mass, Tree},
};
use balance::Balance;
use closure::Closure;
use delivered::Delivered;
use jacobian::StepJacobian;
use newton::Solved;
use past::PastUnknowns;
use std::sync::Arc;

/// A variational integrator for a [`Tree`].
pub struct TreeVariational {
    tree: Arc<Tree>,
    options: TreeOptions,
    balance: Balance,
    jacobian: StepJacobian,
    closure: Closure,
    delivered: Delivered,
    /// The last correction of the velocities.
    applied: Vec<f64>,
    mass: Mass,
    /// What a displacement of one is worth, by velocity: one, or one by the length of the tree.
    worth: Vec<f64>,
    /// A violation of this size is none, whatever its terms are: where all of them are zero, they are rounding.
    nothing: f64,
    next_q: Vec<f64>,
    next_p: Vec<f64>,
    /// The residual, before it becomes a correction.
    residual: Vec<f64>,
    /// When the last step ended, if what it computed there still stands.
    ended: Option<f64>,
    past: PastUnknowns,
    /// The place of the Jacobian at hand, as in `past.rs`; empty if there is none.
    place: Vec<f64>,
    /// A state at which the Jacobian was made before.
    before: State,
    #[cfg(not(target_arch = "wasm32"))]
    has_derivatives: bool,
    #[cfg(not(target_arch = "wasm32"))]
    tangent: Option<Box<tangent::Tangent>>,
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
    /// At its end: the backward difference of the cable report, first order, for joints without rotations in space.
    Backward,
}

/// Where the impulse of forces without potential acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forcing {
    /// Half at the start and half at the end of a step: second order.
    Symmetric,
    /// All at the start: first order, and what trep does. Places and multipliers are trep's; momenta are those after
    /// the constraints have acted at the end of a step, so that velocities keep them.
    OneSided,
}

/// Initial guesses that are wrong by less than this fraction of the motion follow it.
const SMOOTH: f64 = 0.02;

impl TreeVariational {
    /// A method for a tree.
    pub fn new(tree: Arc<Tree>, options: TreeOptions) -> Self {
        let nothing = f64::EPSILON * newton::SMALL_MOTION * tree.length();
        let worth: Vec<f64> = tree.units().iter().map(|unit| 1.0 / unit).collect();
        let zeros = vec![0.0; worth.len()];
        let mass = Mass::new(&tree);
        let closure = Closure::new(&tree);
        let delivered = Delivered::new(&tree, tree.layout().conserved.sources.len());
        let balance = Balance::new(&tree);
        let past = PastUnknowns::new(&tree, options.forcing == Forcing::OneSided);
        Self {
            jacobian: StepJacobian::new(&tree),
            #[cfg(not(target_arch = "wasm32"))]
            has_derivatives: tree.without_derivatives().is_none(),
            tree,
            options,
            balance,
            closure,
            delivered,
            applied: zeros.clone(),
            mass,
            worth,
            nothing,
            next_q: Vec::new(),
            next_p: Vec::new(),
            residual: zeros,
            ended: None,
            past,
            place: Vec::new(),
            before: State::new(0.0, Vec::new(), Vec::new()),
            #[cfg(not(target_arch = "wasm32"))]
            tangent: None,
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

    /// Forces that are no numbers, and why if that is known: what drives has no value in the step, or what acts has none
    /// where it was last evaluated, or where it starts.
    fn not_finite(&self, state: &State, body: Option<usize>) -> Fault {
        let Balance { h, reach, end, .. } = self.balance;
        let times = [state.t, state.t + reach, end].into_iter();
        let driven = times.filter_map(|t| self.tree.undefined_drive(t)).next();
        let acts = || self.tree.undefined_at(&self.balance.sight());
        let at_start = || {
            let (tree, mut scratch) = (&self.tree, self.tree.scratch());
            let mut v = vec![0.0; tree.velocities()];
            tree.velocity(state.t, &state.q, &state.p, &mut v, &mut scratch);
            tree.undefined(state.t, &state.q, &v, &mut scratch)
        };
        let moves = h != 0.0 && self.balance.v.len() == self.tree.velocities();
        let foresight = self.balance.foresight.as_ref();
        let jammed = foresight.and_then(|foresight| foresight.jammed);
        let jammed = jammed.map(|force| self.tree.jammed(state.t + reach, force));
        let found = driven
            .or(jammed)
            .or_else(|| moves.then(acts).flatten())
            .or_else(at_start);
        match found {
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

    /// A step fails because of its constraints if nothing meets them at its end, or they hold back nothing at its start.
    fn diagnosed(&self, state: &State, fault: Fault) -> Fault {
        let end = state.t + self.balance.h;
        if let Some((equation, pulley, lost)) = self.tree.lost_rope(end, &self.next_q) {
            return Fault {
                cause: Cause::Rope {
                    equation,
                    pulley,
                    lost,
                },
                body: None,
            };
        }
        match self.tree.nearest_violation(&state.q, end) {
            Some((equation, violation)) => Fault {
                cause: Cause::Unmet { equation, violation },
                body: None,
            },
            None if matches!(fault.cause, Cause::NotConverged { .. }) && self.closure.is_stretched() => {
                let (equation, violation) = self.closure.worst();
                Fault {
                    cause: Cause::Stretched { equation, violation },
                    body: None,
                }
            }
            None => fault,
        }
    }

    /// The residual at the present velocities and multipliers.
    fn evaluate(&mut self, state: &State) -> Result<f64, usize> {
        let constrained = self.tree.constraints() > 0;
        if constrained {
            self.closure.push(&state.p, &mut self.balance.p);
        }
        self.balance.evaluate(&self.tree, state)?;
        self.balance
            .end_configuration(&self.tree, state, &mut self.next_q);
        if !constrained || !self.balance.relative_residual.is_finite() {
            return Ok(self.balance.relative_residual);
        }
        let violation = self.closure.evaluate(&self.tree, &self.balance, &self.next_q);
        Ok(math::larger(self.balance.relative_residual, violation))
    }

    /// Refactorises the Jacobian of an earlier step, unless it is at hand. `false` where that fails.
    fn refactorise_earlier(&mut self, state: &State, h: f64) -> bool {
        let place = self.past.jacobian_at(state.carry.numbers());
        if self.place == place {
            return true;
        }
        let mut before = std::mem::replace(&mut self.before, State::new(0.0, Vec::new(), Vec::new()));
        let (n, m) = (self.tree.velocities(), self.tree.constraints());
        let (q, p) = (state.q.len(), state.p.len());
        before.t = place[0];
        for (part, at, len) in [(&mut before.q, 1, q), (&mut before.p, 1 + q, p)] {
            part.clear();
            part.extend_from_slice(&place[at..at + len]);
        }
        let (v, lambda) = place[1 + q + p..].split_at(n);
        debug_assert_eq!(lambda.len(), m);
        self.begin(&before, h);
        self.ended = None;
        if m > 0 {
            self.mass.dynamics.kinematics.pose(&self.tree, &before.q);
            self.closure
                .begin(&self.tree, &before, Some(&self.mass.dynamics.kinematics), 0.0);
            self.closure.lambda.copy_from_slice(lambda);
        }
        self.balance.v.clear();
        self.balance.v.extend_from_slice(v);
        let solvable = matches!(self.evaluate(&before), Ok(residual) if residual.is_finite());
        let done = solvable && self.factorise(&before).is_ok();
        self.before = before;
        done
    }
}

impl Integrator for TreeVariational {
    #[cfg(not(target_arch = "wasm32"))]
    fn differentiable(&mut self) -> Option<&mut dyn Differentiable> {
        self.has_derivatives.then_some(self)
    }

    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        let known = self.past.is_known(state, h);
        // What was taut says nothing of where the next step snaps.
        let smooth = known && self.closure.slack.is_none();
        let resumed = smooth.then(|| self.resume(state, h)).flatten();
        let solved = match resumed {
            Some(solved) => solved,
            None => self
                .start(state, h)
                .map_err(|fault| self.diagnosed(state, fault))?,
        };
        let constrained = self.tree.constraints() > 0;
        let measured = !self.delivered.is_none();
        if measured {
            self.delivered.middle(&self.tree, &self.balance, state.t);
        }
        self.balance.end_momentum(&self.tree, &mut self.next_p);
        if constrained {
            let end = (self.balance.end, &self.next_q[..], h.signum());
            let projected = self
                .closure
                .project(&self.tree, end, &mut self.next_p, &mut self.mass);
            projected.map_err(|node| self.singular(node))?;
            self.ended = Some(self.balance.end);
            let (kinematics, slack) = (&self.mass.dynamics.kinematics, &self.closure.slack);
            let strayed = self
                .tree
                .strayed_rope(self.balance.end, &self.next_q, kinematics, |row| {
                    slack.is_taut(row)
                });
            if let Some((equation, pulley, lost)) = strayed {
                let cause = Cause::Rope {
                    equation,
                    pulley,
                    lost,
                };
                return Err(Fault { cause, body: None });
            }
        }
        let bad = |x: &f64| !x.is_finite();
        if let Some(j) = self.next_p.iter().position(bad) {
            return Err(self.not_finite(state, self.body_of(j)));
        }
        if self.next_q.iter().any(bad) {
            return Err(self.not_finite(state, None));
        }
        if measured {
            let end = (self.balance.end, &self.next_q[..], &self.next_p[..]);
            if self.options.forcing == Forcing::OneSided {
                self.delivered.take_back(&self.tree, &self.balance);
            }
            self.delivered.finish(&self.tree, state, end, &self.closure);
            if self.delivered.done.iter().any(bad)
                && let Some(undefined) = self.tree.undefined_drive(self.balance.end)
            {
                return Err(undefined.into());
            }
            state.add_work(&self.delivered.done);
        }
        // Impulses at both ends act over the step as one force; trep's are those that meet at its start.
        let others = match self.options.forcing {
            Forcing::Symmetric => &self.closure.mu[..],
            Forcing::OneSided if known => self.past.ended_with(state.carry.numbers()),
            Forcing::OneSided => &[],
        };
        let others = others.iter().chain(std::iter::repeat(&0.0));
        state.lambda.clear();
        let impulses = self.closure.lambda.iter().zip(others);
        state
            .lambda
            .extend(impulses.map(|(start, other)| (start + other) / h));
        state.q.copy_from_slice(&self.next_q);
        state.p.copy_from_slice(&self.next_p);
        state.t += h;
        self.past.record(
            state.carry_for(past::TAG),
            known,
            (h, solved),
            (&self.balance.v, &self.closure.lambda, &self.closure.mu),
            &self.place,
        );
        Ok(StepInfo {
            iterations: solved.iterations,
            evaluations: solved.iterations + 1,
            dependent: if constrained { self.closure.depending } else { 0 },
            ..StepInfo::default()
        })
    }
}

impl TreeVariational {
    /// Prepares for a step.
    fn begin(&mut self, state: &State, h: f64) {
        let one_sided = self.options.forcing == Forcing::OneSided;
        self.balance.forcing = if one_sided { 2.0 } else { 1.0 };
        let fraction = match self.options.rule {
            Rule::Midpoint => 0.5,
            Rule::Backward => 1.0,
        };
        self.balance.begin(&self.tree, state, h, fraction);
    }

    /// Solves a step from the state alone.
    fn start(&mut self, state: &State, h: f64) -> Result<Solved, Fault> {
        self.begin(state, h);
        self.ended = None;
        let dynamics = &mut self.mass.dynamics;
        dynamics.kinematics.place(&self.tree, &state.q);
        let factored = dynamics.factorise(&self.tree);
        factored.map_err(|node| self.singular(node))?;
        if self.tree.constraints() > 0 {
            // Half of the impulse of the constraints at each end.
            let placed = Some(&self.mass.dynamics.kinematics);
            self.closure.begin(&self.tree, state, placed, 0.5 * h);
        }
        self.balance.guess(&self.tree, state, &mut self.mass.dynamics);
        if !self.closure.slack.is_none() {
            return self.solve_taut(state);
        }
        self.solve(state, None)
    }

    /// Solves a step with what the one before it left; `None` where that does not do.
    fn resume(&mut self, state: &State, h: f64) -> Option<Solved> {
        let rate = self.past.rate(state.carry.numbers());
        let stale = self.refactorise_earlier(state, h).then_some(rate);
        self.begin(state, h);
        if self.tree.constraints() > 0 {
            let follows = self.follows(state);
            if !follows {
                self.mass.dynamics.kinematics.pose(&self.tree, &state.q);
            }
            let placed = (!follows).then_some(&self.mass.dynamics.kinematics);
            self.closure.begin(&self.tree, state, placed, 0.0);
        }
        self.balance.v.resize(self.tree.velocities(), 0.0);
        let determined = self.closure.dependent == 0;
        let unknowns = (&mut self.balance.v[..], &mut self.closure.lambda[..]);
        let error = self
            .past
            .guess(state.carry.numbers(), &self.worth, determined, unknowns);
        // What links do in one step says nothing of the next where they swing.
        if self.tree.has_links() && !(error <= SMOOTH) {
            return None;
        }
        self.solve(state, stale).ok()
    }
}
