//! Derivatives of a step: its equations, linearised at their solution.
//!
//! ```text
//! F₁ = Y (p − Gᵀλ) − SᵀP + ½h B (g + τ)        for v            E = (q⁺, p⁺),   p⁺ = D₂Lᵈ + f⁺ − G⁺ᵀμ
//! F₂ = g(t⁺, q⁺)                               for λ
//! F₃ = G⁺ v⁺ + ∂g/∂t                           for μ
//!
//! push    (π, γ) = T (C δq, 0),   J x = −(Y δp − π + ½h B γ + δF₁) + Y Gᵀδλ,   x = δv
//!         (π, γ) = T (C δq + ½h B x, x),   δq⁺ = A δq + h Y x,   δp⁺ = δp + h γ
//! pull    the transpose of each, from the last to the first
//! ```
//! T is in `middle.rs`, what ball joints do in `balls.rs` (C, A, B and Y are one for all others), constraints in
//! `held.rs`. J is the Jacobian of the step at its solution, factorised once for both ways, so that each costs O(n).
//! Where all forces act at the start the second T is that of forces that count once.
mod balls;
mod held;
mod slips;
mod ties;
mod together;

use super::{Forcing, Rule, TreeOptions, TreeVariational, balance::Balance, jacobian::StepJacobian};
use crate::{
    derivative::{Change, Differentiable},
    integrator::{Cause, Fault},
    system::State,
    tree::{Curvatures, Looking, Middle, Placement, Tree},
};
use balls::{Ball, Balls};
use held::{Held, Unheld};
use together::{MANY, Step, Together};

/// A linearised step, and work space.
pub(super) struct Tangent {
    balance: Balance,
    /// The same where forces count once, if they do not.
    once: Option<Box<(Balance, Middle)>>,
    jacobian: StepJacobian,
    middle: Middle,
    balls: Balls,
    held: Held,
    curvatures: Curvatures,
    looking: Looking,
    /// Whether the multipliers that the step reports are its own. Where all forces act at the start, they are not.
    reports: bool,
    next_q: Vec<f64>,
    next_p: Vec<f64>,
    /// δq⁺, ζ, x, π and γ, and the right side of x.
    dq: Vec<f64>,
    zeta: Vec<f64>,
    x: Vec<f64>,
    pi: Vec<f64>,
    gamma: Vec<f64>,
    right: Vec<f64>,
    zeros: Vec<f64>,
    lambda: Vec<f64>,
    mu: Vec<f64>,
    given: [Vec<f64>; 2],
    together: Together,
}

/// Why a step cannot be linearised.
pub(super) enum Unlinear {
    TooLarge(usize),
    Singular(usize),
    Dependent(usize),
    Snaps(usize),
}

impl From<Unheld> for Unlinear {
    fn from(unheld: Unheld) -> Self {
        match unheld {
            Unheld::Mass(node) => Self::Singular(node),
            Unheld::Singular(equation) => Self::Dependent(equation),
            Unheld::Snaps(equation) => Self::Snaps(equation),
        }
    }
}

impl Tangent {
    pub(super) fn new(tree: &Tree, options: &TreeOptions) -> Self {
        let list = || vec![0.0; tree.velocities()];
        let rows = || vec![0.0; tree.constraints()];
        let counted = options.forcing == Forcing::OneSided;
        Self {
            balance: Balance::default(),
            once: counted.then(Box::default),
            jacobian: StepJacobian::new(tree),
            middle: Middle::default(),
            balls: Balls::default(),
            held: Held::new(tree),
            curvatures: Curvatures::default(),
            looking: Looking::default(),
            reports: options.forcing == Forcing::Symmetric,
            next_q: Vec::new(),
            next_p: Vec::new(),
            dq: list(),
            zeta: list(),
            x: list(),
            pi: list(),
            gamma: list(),
            right: list(),
            zeros: list(),
            lambda: rows(),
            mu: rows(),
            given: [rows(), rows()],
            together: Together::default(),
        }
    }

    /// Evaluates the equations at given unknowns.
    fn evaluate(
        &mut self,
        tree: &Tree,
        options: &TreeOptions,
        (before, h): (&State, f64),
        solution: &[f64],
    ) -> Result<(), Unlinear> {
        let (n, m) = (tree.velocities(), tree.constraints());
        let (v, lambda) = (&solution[..n], &solution[n..n + m]);
        begin(&mut self.balance, options, tree, before, h);
        if m > 0 {
            self.held.begin(tree, before, lambda, &mut self.balance.p);
        }
        self.balance.v.clear();
        self.balance.v.extend_from_slice(v);
        self.balance.evaluate(tree, before).map_err(Unlinear::TooLarge)?;
        self.balance.complete(tree);
        self.balance.end_configuration(tree, before, &mut self.next_q);
        if let Some(once) = &mut self.once {
            let once = &mut once.0;
            begin(once, options, tree, before, h);
            once.forcing = 1.0;
            once.p.clone_from(&self.balance.p);
            once.v.clone_from(&self.balance.v);
            once.evaluate(tree, before).map_err(Unlinear::TooLarge)?;
            once.complete(tree);
        }
        Ok(())
    }

    fn linearise(
        &mut self,
        tree: &Tree,
        options: &TreeOptions,
        (before, h): (&State, f64),
        solution: &[f64],
    ) -> Result<(), Unlinear> {
        self.evaluate(tree, options, (before, h), solution)?;
        let m = tree.constraints();
        self.jacobian
            .factorise(tree, &self.balance)
            .map_err(Unlinear::Singular)?;
        let work = (&mut self.curvatures, &mut self.looking);
        stand(tree, &self.balance, work, &mut self.middle);
        if let Some(once) = &mut self.once {
            let (balance, middle) = &mut **once;
            let work = (&mut self.curvatures, &mut self.looking);
            stand(tree, balance, work, middle);
        }
        self.balance.end_momentum(tree, &mut self.next_p);
        self.balls.prepare(tree, &self.balance, &before.p, &self.next_p);
        if m > 0 {
            let end = (self.balance.end, &self.next_q[..]);
            let (lambda, mu) = solution[tree.velocities()..].split_at(m);
            self.held.tie(lambda, mu)?;
            self.held.slip(tree, &self.balance, &self.balls);
            self.held.finish(tree, end, mu, &mut self.next_p)?;
            self.balls.end_with(&self.next_p);
            let place = (&self.balance, &self.next_q[..]);
            self.held
                .close(tree, place, &self.balls, &mut self.jacobian.factors)?;
        }
        Ok(())
    }

    fn push(&mut self, tree: &Tree, change: &mut Change) {
        let (n, m, balls) = (tree.velocities(), tree.constraints(), &self.balls);
        let (h, reach, weight) = (self.balance.h, self.balance.reach, self.balance.weight);
        let Change {
            x: dq,
            y: dp,
            lambda,
            equations,
        } = change;
        let (first, rest) = equations.split_at(n.min(equations.len()));
        balls.canonical(0, -1.0, dq, dp);
        if m > 0 {
            self.held.push_start(tree, dq, dp);
        }
        // J x = −(Y δp − π + weight B γ + δF₁)
        self.zeta.copy_from_slice(dq);
        balls.each(&mut self.zeta, Ball::at_middle);
        let still = (&self.zeta[..], &self.zeros[..]);
        self.middle.push(tree, still, &mut self.pi, &mut self.gamma);
        balls.each(&mut self.gamma, Ball::middle);
        self.right.copy_from_slice(dp);
        balls.each(&mut self.right, Ball::start);
        for j in 0..n {
            self.x[j] = self.pi[j] - self.right[j] - weight * self.gamma[j];
        }
        for (x, given) in self.x.iter_mut().zip(first) {
            *x -= given;
        }
        self.jacobian.factors.solve(tree, &mut self.x);
        if m > 0 {
            advanced(balls, h, dq, &self.x, &mut self.dq, &mut self.right);
            let given = &rest[..m.min(rest.len())];
            let moves = (&self.dq[..], &dq[..], &self.x[..]);
            self.held.push_lambda(moves, given, &mut self.lambda);
            self.held.pull_along(&self.lambda, &mut self.x, dp);
        }
        advanced(balls, h, dq, &self.x, &mut self.dq, &mut self.right);
        // δp⁺ = δp + h γ
        self.right.copy_from_slice(&self.x);
        balls.each(&mut self.right, Ball::middle);
        for j in 0..n {
            self.right[j] *= reach;
            self.zeta[j] += self.right[j];
        }
        let middle = match &mut self.once {
            Some(once) => &mut once.1,
            None => &mut self.middle,
        };
        let moving = (&self.zeta[..], &self.x[..]);
        middle.push(tree, moving, &mut self.pi, &mut self.gamma);
        self.pi.copy_from_slice(dp);
        for j in 0..n {
            dp[j] += h * self.gamma[j];
        }
        balls.momenta(dp, &self.pi, (h, &self.gamma), &self.right);
        lambda.clear();
        if m > 0 {
            let given = rest.get(m..2 * m).unwrap_or_default();
            self.held.push_end(tree, &self.dq, dp, given, &mut self.mu);
            if self.reports {
                let impulses = self.lambda.iter().zip(&self.mu);
                lambda.extend(impulses.map(|(start, end)| (start + end) / h));
            }
        }
        dq.copy_from_slice(&self.dq);
        balls.canonical(1, 1.0, dq, dp);
        if let Some(made) = rest.get(2 * m..) {
            for (z, made) in dq.iter_mut().chain(dp).zip(made) {
                *z += made;
            }
        }
    }

    /// Eight side by side where that is possible.
    fn push_each(&mut self, tree: &Tree, changes: &mut [Change]) {
        let held = tree.constraints() > 0 || self.once.is_some() || !self.middle.terms.is_empty();
        let bare = |changes: &[Change]| changes.iter().all(|change| change.equations.is_empty());
        match &self.jacobian.factors.written {
            Some(matrix) if !held && self.balls.is_empty() && bare(changes) => {
                let step = Step {
                    tree,
                    middle: &self.middle,
                    matrix,
                    h: self.balance.h,
                    reach: self.balance.reach,
                    weight: self.balance.weight,
                };
                for some in changes.chunks_mut(MANY) {
                    self.together.push(&step, some);
                }
            }
            _ => {
                for change in changes {
                    self.push(tree, change);
                }
            }
        }
    }

    fn pull(&mut self, tree: &Tree, gradient: &mut Change) {
        let (n, m, balls) = (tree.velocities(), tree.constraints(), &self.balls);
        let (h, reach, weight) = (self.balance.h, self.balance.reach, self.balance.weight);
        let Change {
            x: dq,
            y: dp,
            lambda,
            equations,
        } = gradient;
        equations.clear();
        equations.resize(n + 2 * m, 0.0);
        equations.extend_from_slice(dq);
        equations.extend_from_slice(dp);
        balls.canonical_back(1, 1.0, dq, dp);
        if m > 0 {
            let of = |k: usize| lambda.get(k).filter(|_| self.reports).map_or(0.0, |x| x / h);
            for k in 0..m {
                (self.lambda[k], self.mu[k]) = (of(k), of(k));
            }
            self.held.pull_end(tree, dq, dp, &mut self.given[1], &mut self.mu);
            equations[n + m..n + 2 * m].copy_from_slice(&self.given[1]);
        }
        lambda.iter_mut().for_each(|x| *x = 0.0);
        // Of δp⁺: for δp, h γ and β.
        self.gamma.copy_from_slice(dp);
        self.right.fill(0.0);
        balls.momenta_back(dp, &mut self.gamma, &mut self.right);
        self.gamma.iter_mut().for_each(|x| *x *= h);
        let middle = match &mut self.once {
            Some(once) => &mut once.1,
            None => &mut self.middle,
        };
        let acting = (&self.zeros[..], &self.gamma[..]);
        let to = (&mut self.zeta[..], &mut self.x[..]);
        middle.pull(tree, acting, to, None);
        // Of x, by ζ and β, and by δq⁺.
        for j in 0..n {
            self.right[j] = reach * (self.right[j] + self.zeta[j]);
        }
        balls.each(&mut self.right, Ball::middle_back);
        self.pi.copy_from_slice(dq);
        balls.each(&mut self.pi, Ball::start_back);
        for j in 0..n {
            self.x[j] += self.right[j] + h * self.pi[j];
        }
        balls.each(dq, Ball::at_end_back);
        balls.each(&mut self.zeta, Ball::at_middle_back);
        for j in 0..n {
            dq[j] += self.zeta[j];
        }
        if m > 0 {
            self.held.pull_along_back(&mut self.lambda, &self.x, dp);
            self.dq.fill(0.0);
            let moves = (&mut self.dq[..], &mut dq[..], &mut self.x[..]);
            self.held.pull_lambda(&self.lambda, &mut self.given[0], moves);
            equations[n..n + m].copy_from_slice(&self.given[0]);
            self.pi.copy_from_slice(&self.dq);
            balls.each(&mut self.pi, Ball::start_back);
            balls.each(&mut self.dq, Ball::at_end_back);
            for j in 0..n {
                dq[j] += self.dq[j];
                self.x[j] += h * self.pi[j];
            }
        }
        // μ = −J⁻ᵀ x̄
        self.jacobian.factors.solve_transposed(tree, &mut self.x);
        for j in 0..n {
            self.pi[j] = self.x[j];
            self.x[j] = -self.x[j];
        }
        equations[..n].copy_from_slice(&self.x);
        self.gamma.copy_from_slice(&self.x);
        balls.each(&mut self.gamma, Ball::middle_back);
        self.gamma.iter_mut().for_each(|x| *x *= weight);
        balls.each(&mut self.x, Ball::start_back);
        for j in 0..n {
            dp[j] += self.x[j];
        }
        let acting = (&self.pi[..], &self.gamma[..]);
        let to = (&mut self.zeta[..], &mut self.right[..]);
        self.middle.pull(tree, acting, to, None);
        balls.each(&mut self.zeta, Ball::at_middle_back);
        for j in 0..n {
            dq[j] += self.zeta[j];
        }
        if m > 0 {
            self.held.pull_start(tree, dq, dp);
        }
        balls.canonical_back(0, -1.0, dq, dp);
    }
}

/// Prepares the equations of a step.
fn begin(balance: &mut Balance, options: &TreeOptions, tree: &Tree, before: &State, h: f64) {
    balance.forcing = if options.forcing == Forcing::OneSided {
        2.0
    } else {
        1.0
    };
    let fraction = match options.rule {
        Rule::Midpoint => 0.5,
        Rule::Backward => 1.0,
    };
    balance.begin(tree, before, h, fraction);
}

/// T where the balance was evaluated.
fn stand(
    tree: &Tree,
    balance: &Balance,
    (curvatures, looking): (&mut Curvatures, &mut Looking),
    out: &mut Middle,
) {
    out.terms.clear();
    if tree.has_links() || tree.has_feedback() {
        let (kinematics, forcing) = (&balance.kinematics, balance.forcing);
        tree.couple(kinematics, forcing, curvatures, &mut out.terms);
        tree.couple_feedback(
            &balance.sight(),
            (1.0, 1.0, forcing),
            None,
            looking,
            &mut out.terms,
        );
        out.terms.finish();
    }
    let loads = &balance.loads;
    out.prepare(
        tree,
        &Placement {
            frames: &balance.kinematics.frames,
            momenta: &balance.momenta,
            forces: &balance.forces,
            loads: &loads.loads,
            efforts: &loads.efforts,
        },
    );
}

/// `δq⁺ = A δq + h Y x`.
fn advanced(balls: &Balls, h: f64, dq: &[f64], x: &[f64], out: &mut [f64], work: &mut [f64]) {
    out.copy_from_slice(dq);
    balls.each(out, Ball::at_end);
    work.copy_from_slice(x);
    balls.each(work, Ball::start);
    for (out, x) in out.iter_mut().zip(work) {
        *out += h * *x;
    }
}

impl TreeVariational {
    /// Calls with the work space of derivatives, made at the first call.
    fn with_tangent<T>(
        &mut self,
        act: impl FnOnce(&mut Tangent, &Tree, &TreeOptions) -> Result<T, Unlinear>,
    ) -> Result<T, Fault> {
        let tangent = self
            .tangent
            .get_or_insert_with(|| Box::new(Tangent::new(&self.tree, &self.options)));
        act(tangent, &self.tree, &self.options).map_err(|unlinear| match unlinear {
            Unlinear::TooLarge(node) => self.too_large(node),
            Unlinear::Singular(node) => self.singular(node),
            Unlinear::Dependent(equation) => Fault {
                cause: Cause::Branching { equation },
                body: None,
            },
            Unlinear::Snaps(equation) => Fault {
                cause: Cause::Snaps { equation },
                body: None,
            },
        })
    }
}

impl Differentiable for TreeVariational {
    fn another(&mut self) -> Box<dyn Differentiable> {
        Box::new(Self::new(self.tree.clone(), self.options))
    }

    fn solution(&self, out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(&self.balance.v);
        out.extend_from_slice(&self.closure.lambda);
        out.extend_from_slice(&self.closure.mu);
    }

    fn linearise(&mut self, before: &State, h: f64, solution: &[f64]) -> Result<(), Fault> {
        self.with_tangent(|tangent, tree, options| tangent.linearise(tree, options, (before, h), solution))
    }

    fn push(&mut self, change: &mut Change) {
        if let Some(tangent) = &mut self.tangent {
            tangent.push(&self.tree, change);
        }
    }

    fn push_each(&mut self, changes: &mut [Change]) {
        if let Some(tangent) = &mut self.tangent {
            tangent.push_each(&self.tree, changes);
        }
    }

    fn pull(&mut self, gradient: &mut Change) {
        if let Some(tangent) = &mut self.tangent {
            tangent.pull(&self.tree, gradient);
        }
    }

    fn equations(
        &mut self,
        before: &State,
        h: f64,
        solution: &[f64],
        out: &mut Vec<f64>,
    ) -> Result<(), Fault> {
        self.with_tangent(|tangent, tree, options| {
            tangent.evaluate(tree, options, (before, h), solution)?;
            let (n, m) = (tree.velocities(), tree.constraints());
            out.clear();
            out.extend_from_slice(&tangent.balance.residual);
            tangent.balance.end_momentum(tree, &mut tangent.next_p);
            if m > 0 {
                let end = (tangent.balance.end, &tangent.next_q[..]);
                let (lambda, mu) = solution[n..].split_at(m);
                tangent.held.tie(lambda, mu)?;
                let made = (&tangent.balance, &mut tangent.next_p[..]);
                tangent.held.values(tree, end, mu, made, out)?;
            }
            // The configuration at the end depends on the unknowns alone.
            out.resize(2 * n + 2 * m, 0.0);
            out.extend_from_slice(&tangent.next_p);
            Ok(())
        })
    }
}
