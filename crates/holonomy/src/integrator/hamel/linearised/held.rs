//! Constraints g(t, q) = 0 of a linearised step: with them the unknowns go on, and so do the equations.
//!
//! ```text
//! u = (q⁺, ξ⁺, ξ, λ, v⁺, μ)
//! F₃ = … + Gᵀ(q) λ                                       Gₖⱼ = uⱼ[gₖ],   ∂Gₖⱼ = ∂uⱼᵃ ∂gₖ/∂qᵃ + uⱼᵃ ∂²gₖ/∂qᵃ∂q
//! F₄ = g(t+h, q⁺)
//! F₅ = ∂l/∂ξ(t+h, q⁺, v⁺) − ∂l/∂ξ⁺ + Gᵀ(q⁺) μ
//! F₆ = G(q⁺) v⁺ + ∂g/∂t⁺
//! E  = (q⁺, ∂l/∂ξ(t+h, q⁺, v⁺)),    (λ + μ)/h is reported
//! ```
use crate::{
    lagrangian::{Curved, Evaluation, HolonomicConstraint, Lagrangian},
    system::{State, Undefined},
};

/// Where a step arrives on its constraints.
#[derive(Default)]
pub(super) struct Led {
    /// At v⁺.
    pub(super) at: Evaluation,
    /// λ and μ, v⁺, and that with constrained ones.
    lambda: Vec<f64>,
    mu: Vec<f64>,
    v: Vec<f64>,
    all: Vec<f64>,
    /// G there.
    across: Vec<f64>,
    constraint: HolonomicConstraint,
    curved: Curved,
    /// 1/h.
    per: f64,
}

/// The part of `∂Gₖⱼ/∂q_b` for constraint k.
fn turned(
    (at, g, curved): (&Evaluation, &HolonomicConstraint, &Curved),
    n: usize,
    (k, j, b): (usize, usize, usize),
) -> f64 {
    let u = &at.frame;
    let each = (0..n).map(|a| {
        u.slopes[(j * n + a) * n + b] * g.jacobian[k * n + a] + u.fields[j * n + a] * curved.second(k, a, b)
    });
    each.sum()
}

impl Led {
    /// How many unknowns there are beside those of a step without constraints.
    pub(super) fn unknowns(free: usize, constraints: usize) -> usize {
        match constraints {
            0 => 0,
            m => free + 2 * m,
        }
    }

    /// The places of λ and μ among the unknowns, and what their sum is multiplied by where it is reported.
    pub(super) fn impulses(
        &self,
        n: usize,
        f: usize,
        m: usize,
    ) -> impl Iterator<Item = (usize, usize, f64)> + use<> {
        let (first, last, per) = (n + 2 * f, n + 3 * f + m, self.per);
        (0..m).map(move |c| (first + c, last + c, per))
    }

    /// Evaluates the end at unknowns that are known: λ, v⁺ and μ.
    pub(super) fn arrive(
        &mut self,
        system: &Lagrangian,
        t: f64,
        (q, known): (&[f64], &[f64]),
    ) -> Result<(), Undefined> {
        let (f, m) = (system.free().len(), system.mechanics().constraints());
        let (lambda, rest) = known.split_at(m);
        let (v, mu) = rest.split_at(f);
        for (own, given) in [(&mut self.lambda, lambda), (&mut self.v, v), (&mut self.mu, mu)] {
            own.clear();
            own.extend_from_slice(given);
        }
        system.spread(v, &mut self.all);
        system.evaluate(t, q, &self.all, &mut self.at)?;
        system
            .mechanics()
            .constraint(t, q, &self.all, &mut self.constraint)?;
        system.slopes_along(&self.at.frame, &self.constraint, &mut self.across);
        Ok(())
    }

    /// F₄, F₅ and F₆.
    pub(super) fn values(
        &self,
        free: &[usize],
        (end, momentum): (&HolonomicConstraint, &[f64]),
        out: &mut Vec<f64>,
    ) {
        let f = free.len();
        out.extend_from_slice(&end.value);
        for (place, j) in free.iter().enumerate() {
            let push = self.mu.iter().enumerate();
            let push: f64 = push.map(|(c, mu)| self.across[c * f + place] * mu).sum();
            out.push(self.at.lagrangian.v[*j] - momentum[*j] + push);
        }
        for (row, rate) in self.across.chunks_exact(f).zip(&self.constraint.rate) {
            out.push(super::dot(row, &self.v) + rate);
        }
    }

    /// Their rows, and what constraints do in those above: F_u, F_z and E_u.
    pub(super) fn add(
        &mut self,
        system: &Lagrangian,
        (before, h, next): (&State, f64, &[f64]),
        ([(start, held), (end, closed)], across): ([(&Evaluation, &HolonomicConstraint); 2], &[f64]),
        (f_u, f_z, e_u): (&mut [f64], &mut [f64], &mut [f64]),
    ) -> Result<(), Undefined> {
        let (free, n, m) = (system.free(), next.len(), self.mu.len());
        let (f, k) = (free.len(), end.lagrangian.v.len());
        let (wide, impulse) = (n + f, n + 2 * f);
        let (velocity, last) = (impulse + m, impulse + m + f);
        let size = last + m;
        let (l, ended) = (&self.at.lagrangian, &end.lagrangian);
        self.per = 1.0 / h;
        self.curved.find(system, before.t, &before.q)?;
        for (place, j) in free.iter().copied().enumerate() {
            let row = n + f + place;
            for b in 0..n {
                let at = (start, held, &self.curved);
                let each = self.lambda.iter().enumerate();
                f_z[row * wide + b] += each
                    .map(|(c, lambda)| lambda * turned(at, n, (c, j, b)))
                    .sum::<f64>();
            }
            for c in 0..m {
                f_u[row * size + impulse + c] = across[c * f + place];
            }
        }
        self.curved.find(system, before.t + h, next)?;
        let at = (&self.at, &self.constraint, &self.curved);
        for c in 0..m {
            let (closes, slips) = (impulse + c, last + c);
            let (closes, slips) = (closes * size, slips * size);
            for b in 0..n {
                f_u[closes + b] = closed.jacobian[c * n + b];
                let each = free.iter().zip(&self.v);
                let slip: f64 = each.map(|(j, v)| v * turned(at, n, (c, *j, b))).sum();
                f_u[slips + b] = slip + self.curved.timed(c, b);
            }
            f_u[slips + velocity..slips + velocity + f].copy_from_slice(&self.across[c * f..(c + 1) * f]);
        }
        for (place, j) in free.iter().copied().enumerate() {
            let (row, made) = ((velocity + place) * size, (n + place) * size);
            for b in 0..n {
                let each = self.mu.iter().enumerate();
                let push: f64 = each.map(|(c, mu)| mu * turned(at, n, (c, j, b))).sum();
                f_u[row + b] = l.vq[j * n + b] - ended.vq[j * n + b] + push;
                e_u[made + b] = l.vq[j * n + b];
            }
            for (column, i) in free.iter().copied().enumerate() {
                f_u[row + n + column] = -ended.vv[j * k + i];
                f_u[row + velocity + column] = l.vv[j * k + i];
                e_u[made + n + column] = 0.0;
                e_u[made + velocity + column] = l.vv[j * k + i];
            }
            for c in 0..m {
                f_u[row + last + c] = self.across[c * f + place];
            }
        }
        Ok(())
    }
}
