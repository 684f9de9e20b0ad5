//! Constraints g(t, q) = 0 of a discrete Hamel step.
//!
//! ```text
//! the unknowns are q⁺, ξ⁺, and ξ and λ:      ∂l/∂ξ(t, q, ξ) + Gᵀ(q) λ − p = 0,     g(t+h, q⁺) = 0,     Gₖⱼ = uⱼ[gₖ]
//! ```
use crate::{
    lagrangian::{Evaluation, HolonomicConstraint, Lagrangian},
    system::{State, Undefined},
};

/// What a step knows of its constraints; nothing where there are none.
#[derive(Default)]
pub(super) struct Held {
    /// At the start.
    pub(super) start: HolonomicConstraint,
    /// G at the start.
    pub(super) across: Vec<f64>,
    /// At the end.
    pub(super) end: HolonomicConstraint,
    /// λ and μ.
    pub(super) first: Vec<f64>,
    pub(super) last: Vec<f64>,
}

impl Held {
    /// How many unknowns there are beside those of a step without constraints.
    pub(super) fn unknowns(system: &Lagrangian) -> usize {
        match system.mechanics().constraints() {
            0 => 0,
            m => system.free().len() + m,
        }
    }

    /// G at the start of a step, where the frame was evaluated; the first guess of what is unknown.
    pub(super) fn begin(
        &mut self,
        system: &Lagrangian,
        state: &State,
        start: &Evaluation,
        v: &[f64],
        unknown: &mut Vec<f64>,
    ) -> Result<(), Undefined> {
        let m = system.mechanics().constraints();
        self.first.clear();
        self.last.clear();
        if m == 0 {
            return Ok(());
        }
        let (mechanics, still) = (system.mechanics(), &start.lagrangian.v);
        // Only values and slopes are of interest: any velocity will do.
        mechanics.constraint(state.t, &state.q, still, &mut self.start)?;
        system.slopes_along(&start.frame, &self.start, &mut self.across);
        unknown.extend_from_slice(v);
        unknown.resize(unknown.len() + m, 0.0);
        Ok(())
    }

    /// `p − Gᵀλ`, and g at the end.
    pub(super) fn evaluate(
        &mut self,
        system: &Lagrangian,
        (t, q, xi): (f64, &[f64], &[f64]),
        lambda: &[f64],
        p: &mut [f64],
    ) -> Result<(), Undefined> {
        self.first.clear();
        self.first.extend_from_slice(lambda);
        for (row, lambda) in self.across.chunks_exact(p.len()).zip(lambda) {
            p.iter_mut().zip(row).for_each(|(p, g)| *p -= g * lambda);
        }
        system.mechanics().constraint(t, q, xi, &mut self.end)
    }

    /// The rows of the equations above, behind the others, and λ in the others.
    pub(super) fn add(
        &self,
        system: &Lagrangian,
        (start, launched): (&Evaluation, &[f64]),
        (a, size): (&mut [f64], usize),
        residual: &mut Vec<f64>,
    ) {
        let (free, m) = (system.free(), self.first.len());
        let (n, f, k) = (
            system.mechanics().coordinates(),
            free.len(),
            start.lagrangian.v.len(),
        );
        let (velocity, impulse) = (n + f, n + 2 * f);
        for (place, j) in free.iter().enumerate() {
            let row = velocity + place;
            residual.push(start.lagrangian.v[*j] - launched[place]);
            for (column, i) in free.iter().enumerate() {
                a[row * size + velocity + column] = start.lagrangian.vv[j * k + i];
            }
            for row in [n + place, row] {
                for c in 0..m {
                    a[row * size + impulse + c] = self.across[c * f + place];
                }
            }
        }
        for c in 0..m {
            residual.push(self.end.value[c]);
            let row = (impulse + c) * size;
            a[row..row + n].copy_from_slice(&self.end.jacobian[c * n..(c + 1) * n]);
        }
    }

    /// Work of constraints that move: `λ·∂g/∂t` at both ends.
    pub(super) fn add_work(&self, system: &Lagrangian, end_rate: &[f64], done: &mut [f64]) {
        if !self.first.is_empty() {
            let sources = system.sources();
            sources.add_constraints(&self.first, &self.start.rate, done);
            sources.add_constraints(&self.last, end_rate, done);
        }
    }
}
