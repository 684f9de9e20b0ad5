//! A variational step between two places.
use super::{Fault, Near, Place, pairs, pairs_mut};
use crate::{
    Vec3,
    geometry::s2,
    solve::Lu,
    spheres::{Inertia, LinkFactors},
    system::Undefined,
};
use nalgebra::Vector2;

/// Its derivatives.
pub(super) struct Variational {
    h: f64,
    /// Δ/h.
    velocity: Vec<Vec3>,
    /// σ and −τ.
    start: Vec<f64>,
    end: Vec<f64>,
    factors: Factors,
}

/// Of B.
enum Factors {
    Links(LinkFactors),
    Dense(Lu),
}

impl Variational {
    pub(super) fn new(near: &mut Near<'_>, h: f64) -> Result<Self, Fault> {
        let (from, to, system) = (near.from, near.to, near.system);
        let n = from.q.len();
        let velocity: Vec<Vec3> = (to.q.iter().zip(&from.q))
            .map(|(to, from)| (to - from) / h)
            .collect();
        let flow = near.flow(velocity.iter().copied());
        let along = |place: &Place, sign: f64| -> Vec<f64> {
            let each = place.q.iter().zip(&flow).zip(&place.gradient);
            each.map(|((q, flow), gradient)| q.dot(&(flow * sign + gradient * (0.5 * h))))
                .collect()
        };
        let (start, end) = (along(from, 1.0), along(to, -1.0));
        let regular;
        let factors = match system.inertia() {
            Inertia::Links(links) => {
                let mut factors = LinkFactors::default();
                regular = factors.factorise(links, |i| from.basis[i].transpose(), |i| to.basis[i]);
                Factors::Links(factors)
            }
            Inertia::Dense { size, matrix } => {
                let mut lu = Lu::default();
                let a = lu.reset(2 * n);
                for (place, mass) in matrix.iter().enumerate() {
                    let (i, j) = (place / size, place % size);
                    let block = from.basis[i].tr_mul(&to.basis[j]) * *mass;
                    for (k, value) in block.iter().enumerate() {
                        a[(2 * i + k % 2) * 2 * n + 2 * j + k / 2] = *value;
                    }
                }
                regular = lu.factorise();
                Factors::Dense(lu)
            }
        };
        if !regular {
            return Err(Undefined::SingularMass.into());
        }
        Ok(Self {
            h,
            velocity,
            start,
            end,
            factors,
        })
    }

    /// A change goes through, with one of the equations.
    pub(super) fn push(&mut self, near: &mut Near<'_>, own: Option<&[f64]>, x: &mut [f64], y: &mut [f64]) {
        let (h, from, to) = (self.h, near.from, near.to);
        let (old, mut next) = (pairs(x), near.bend(from, h, &self.start, pairs(x)));
        let lifted = |i: usize| from.basis[i] * old[i];
        let aside: Vec<Vec3> = (0..old.len())
            .map(|i| to.q[i] * -self.velocity[i].dot(&lifted(i)))
            .collect();
        let flow = near.flow(aside.iter().copied());
        for (i, next) in next.iter_mut().enumerate() {
            *next += pairs(y)[i] - from.basis[i].tr_mul(&flow[i]);
            if let Some(own) = own {
                *next -= pairs(own)[i] / h;
            }
        }
        self.factors.solve(&mut next, false);
        let moved: Vec<Vector2<f64>> = (0..old.len())
            .map(|i| to.basis[i].tr_mul(&lifted(i)) + next[i] * h)
            .collect();
        let each = next.iter().zip(&to.basis).zip(&aside);
        let flow = near.flow(each.map(|((next, basis), aside)| basis * next + aside));
        let ending = near.bend(to, h, &self.end, &moved);
        for i in 0..moved.len() {
            pairs_mut(x)[i] = moved[i];
            pairs_mut(y)[i] = to.basis[i].tr_mul(&flow[i]) + ending[i];
        }
    }

    /// A gradient goes back, and leaves that with respect to the equations.
    pub(super) fn pull(&mut self, near: &mut Near<'_>, own: &mut [f64], x: &mut [f64], y: &mut [f64]) {
        let (h, from, to) = (self.h, near.from, near.to);
        let mut moved = near.bend(to, h, &self.end, pairs(y));
        moved.iter_mut().zip(pairs(x)).for_each(|(moved, x)| *moved += x);
        let each = to.basis.iter().zip(pairs(y));
        let flow = near.flow(each.map(|(basis, y)| basis * y));
        let each = to.basis.iter().zip(&flow).zip(&moved);
        let mut weights: Vec<Vector2<f64>> = each
            .map(|((basis, flow), moved)| basis.tr_mul(flow) + moved * h)
            .collect();
        self.factors.solve(&mut weights, true);
        let each = from.basis.iter().zip(&weights);
        let back = near.flow(each.map(|(basis, weight)| basis * weight));
        let starting = near.bend(from, h, &self.start, &weights);
        for (i, weight) in weights.iter().enumerate() {
            let aside = to.q[i].dot(&(flow[i] - back[i]));
            let lifted = to.basis[i] * moved[i] - self.velocity[i] * aside;
            pairs_mut(own)[i] = -weight / h;
            pairs_mut(x)[i] = starting[i] + from.basis[i].tr_mul(&lifted);
            pairs_mut(y)[i] = *weight;
        }
    }
}

impl Factors {
    fn solve(&mut self, x: &mut [Vector2<f64>], transposed: bool) {
        match (self, transposed) {
            (Self::Links(links), false) => links.substitute(x),
            (Self::Links(links), true) => links.substitute_transposed(x),
            (Self::Dense(lu), false) => lu.substitute(bytemuck::cast_slice_mut(x)),
            (Self::Dense(lu), true) => lu.substitute_transposed(bytemuck::cast_slice_mut(x)),
        }
    }
}

/// What is left of the equations of a step, and the momentum p after it.
pub(super) fn residual(near: &mut Near<'_>, h: f64, p: &mut [Vec3], out: &mut Vec<f64>) {
    let (from, to) = (near.from, near.to);
    let moved = to.q.iter().zip(&from.q).map(|(to, from)| to - from);
    let flow = near.flow(moved);
    for (i, p) in p.iter_mut().enumerate() {
        let left = flow[i] - *p * h + from.gradient[i] * (0.5 * h * h);
        out.extend(from.basis[i].tr_mul(&left).iter());
        *p = s2::tangent(&to.q[i], &(flow[i] / h - to.gradient[i] * (0.5 * h)));
    }
}
