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
#[derive(Default)]
pub(super) struct Variational {
    h: f64,
    /// Δ/h.
    velocity: Vec<Vec3>,
    /// σ and −τ.
    start: Vec<f64>,
    end: Vec<f64>,
    factors: Factors,
    /// Work space.
    aside: Vec<Vec3>,
    flow: Vec<Vec3>,
    back: Vec<Vec3>,
    next: Vec<Vector2<f64>>,
    moved: Vec<Vector2<f64>>,
    bent: Vec<Vector2<f64>>,
}

/// Of B.
enum Factors {
    Links(LinkFactors),
    Dense(Lu),
}

impl Default for Factors {
    fn default() -> Self {
        Self::Dense(Lu::default())
    }
}

impl Variational {
    /// Goes to a step of h seconds.
    pub(super) fn stand(&mut self, near: &mut Near<'_>, h: f64) -> Result<(), Fault> {
        let (from, to, system) = (near.from, near.to, near.system);
        let n = from.q.len();
        self.h = h;
        let Self {
            velocity,
            flow,
            start,
            end,
            ..
        } = self;
        velocity.clear();
        velocity.extend((to.q.iter().zip(&from.q)).map(|(to, from)| (to - from) / h));
        near.flow(velocity.iter().copied(), flow);
        let along = |place: &Place, sign: f64, out: &mut Vec<f64>| {
            let each = place.q.iter().zip(&*flow).zip(&place.gradient);
            out.clear();
            out.extend(each.map(|((q, flow), gradient)| q.dot(&(flow * sign + gradient * (0.5 * h)))));
        };
        along(from, 1.0, start);
        along(to, -1.0, end);
        let regular = match system.inertia() {
            Inertia::Links(links) => {
                if let Factors::Dense(_) = self.factors {
                    self.factors = Factors::Links(LinkFactors::default());
                }
                match &mut self.factors {
                    Factors::Links(factors) => {
                        factors.factorise(links, |i| from.basis[i].transpose(), |i| to.basis[i])
                    }
                    Factors::Dense(_) => false,
                }
            }
            Inertia::Dense { size, matrix } => match &mut self.factors {
                Factors::Dense(lu) => {
                    let a = lu.reset(2 * n);
                    for (place, mass) in matrix.iter().enumerate() {
                        let (i, j) = (place / size, place % size);
                        let block = from.basis[i].tr_mul(&to.basis[j]) * *mass;
                        for (k, value) in block.iter().enumerate() {
                            a[(2 * i + k % 2) * 2 * n + 2 * j + k / 2] = *value;
                        }
                    }
                    lu.factorise()
                }
                Factors::Links(_) => false,
            },
        };
        match regular {
            true => Ok(()),
            false => Err(Undefined::SingularMass.into()),
        }
    }

    /// A change goes through, with one of the equations.
    pub(super) fn push(&mut self, near: &mut Near<'_>, own: Option<&[f64]>, x: &mut [f64], y: &mut [f64]) {
        let (h, from, to) = (self.h, near.from, near.to);
        let Self {
            velocity,
            start,
            end,
            factors,
            aside,
            flow,
            next,
            moved,
            bent,
            ..
        } = self;
        let old = pairs(x);
        near.bend(from, h, start, old, next);
        let lifted = |i: usize| from.basis[i] * old[i];
        aside.clear();
        aside.extend((0..old.len()).map(|i| to.q[i] * -velocity[i].dot(&lifted(i))));
        near.flow(aside.iter().copied(), flow);
        for (i, next) in next.iter_mut().enumerate() {
            *next += pairs(y)[i] - from.basis[i].tr_mul(&flow[i]);
            if let Some(own) = own {
                *next -= pairs(own)[i] / h;
            }
        }
        factors.solve(next, false);
        moved.clear();
        moved.extend((0..old.len()).map(|i| to.basis[i].tr_mul(&lifted(i)) + next[i] * h));
        let each = next.iter().zip(&to.basis).zip(&*aside);
        near.flow(each.map(|((next, basis), aside)| basis * next + aside), flow);
        near.bend(to, h, end, moved, bent);
        for i in 0..moved.len() {
            pairs_mut(x)[i] = moved[i];
            pairs_mut(y)[i] = to.basis[i].tr_mul(&flow[i]) + bent[i];
        }
    }

    /// A gradient goes back, and leaves that with respect to the equations.
    pub(super) fn pull(&mut self, near: &mut Near<'_>, own: &mut [f64], x: &mut [f64], y: &mut [f64]) {
        let (h, from, to) = (self.h, near.from, near.to);
        let Self {
            velocity,
            start,
            end,
            factors,
            flow,
            back,
            next: weights,
            moved,
            bent,
            ..
        } = self;
        near.bend(to, h, end, pairs(y), moved);
        moved.iter_mut().zip(pairs(x)).for_each(|(moved, x)| *moved += x);
        let each = to.basis.iter().zip(pairs(y));
        near.flow(each.map(|(basis, y)| basis * y), flow);
        let each = to.basis.iter().zip(&*flow).zip(&*moved);
        weights.clear();
        weights.extend(each.map(|((basis, flow), moved)| basis.tr_mul(flow) + moved * h));
        factors.solve(weights, true);
        let each = from.basis.iter().zip(&*weights);
        near.flow(each.map(|(basis, weight)| basis * weight), back);
        near.bend(from, h, start, weights, bent);
        for (i, weight) in weights.iter().enumerate() {
            let aside = to.q[i].dot(&(flow[i] - back[i]));
            let lifted = to.basis[i] * moved[i] - velocity[i] * aside;
            pairs_mut(own)[i] = -weight / h;
            pairs_mut(x)[i] = bent[i] + from.basis[i].tr_mul(&lifted);
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
    let mut flow = Vec::new();
    near.flow(moved, &mut flow);
    for (i, p) in p.iter_mut().enumerate() {
        let left = flow[i] - *p * h + from.gradient[i] * (0.5 * h * h);
        out.extend(from.basis[i].tr_mul(&left).iter());
        *p = s2::tangent(&to.q[i], &(flow[i] / h - to.gradient[i] * (0.5 * h)));
    }
}
