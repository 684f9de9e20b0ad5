//! A variational step between two places.
use super::{Fault, Near, Place, Stopped, Tied, pairs, pairs_mut, vector, write};
use crate::{Vec3, geometry::s2, system::Undefined};
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
    /// Of B.
    factors: Tied,
    /// Where a chain is held.
    stopped: Stopped,
    /// Work space.
    aside: Vec<Vec3>,
    flow: Vec<Vec3>,
    back: Vec<Vec3>,
    next: Vec<Vector2<f64>>,
    moved: Vec<Vector2<f64>>,
    bent: Vec<Vector2<f64>>,
}

impl Variational {
    /// Goes to a step of h seconds, and where a chain is held its forces λ and μ.
    pub(super) fn stand(&mut self, near: &mut Near<'_>, h: f64, held: &[f64]) -> Result<(), Fault> {
        let (from, to, system, lengths) = (near.from, near.to, near.system, near.lengths);
        let (lambda, mu) = (vector(held, 0), vector(held, 1));
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
        let along = |place: &Place, sign: f64, held: &Vec3, out: &mut Vec<f64>| {
            let each = place.q.iter().zip(&*flow).zip(&place.gradient);
            out.clear();
            out.extend(each.map(|((q, flow), gradient)| q.dot(&(flow * sign + gradient * (0.5 * h)))));
            for ((out, q), length) in out.iter_mut().zip(&place.q).zip(lengths) {
                *out += q.dot(held) * length;
            }
        };
        along(from, 1.0, &lambda, start);
        along(to, -1.0, &mu, end);
        let bases = [&from.basis, &to.basis];
        let mut regular = self.factors.factorise(system.inertia(), bases, lengths);
        if !lengths.is_empty() {
            let p = arrived(flow, to, lengths, (h, &mu));
            regular &= self.stopped.stand(system, to, lengths, p).is_some();
        }
        match regular {
            true => Ok(()),
            false => Err(Undefined::SingularMass.into()),
        }
    }

    /// A change goes through, with one of the equations.
    pub(super) fn push(&mut self, near: &mut Near<'_>, own: Option<&[f64]>, x: &mut [f64], y: &mut [f64]) {
        let (h, from, to, lengths) = (self.h, near.from, near.to, near.lengths);
        let (own, closing) = match own {
            Some(own) => (
                own.get(..x.len()),
                [vector(&own[x.len()..], 0), vector(&own[x.len()..], 1)],
            ),
            None => (None, [Vec3::zeros(); 2]),
        };
        let Self {
            velocity,
            start,
            end,
            factors,
            stopped,
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
        // Σ ℓ (T x + h w) = −δF closes the chain, w = T⁺ξ + what is aside.
        let mut open = closing[0] / -h;
        for (i, length) in lengths.iter().enumerate() {
            open -= (lifted(i) / h + aside[i]) * *length;
        }
        factors.solve(next, &open, false);
        moved.clear();
        moved.extend((0..old.len()).map(|i| to.basis[i].tr_mul(&lifted(i)) + next[i] * h));
        let each = next.iter().zip(&to.basis).zip(&*aside);
        near.flow(each.map(|((next, basis), aside)| basis * next + aside), flow);
        near.bend(to, h, end, moved, bent);
        for i in 0..moved.len() {
            pairs_mut(x)[i] = moved[i];
            pairs_mut(y)[i] = to.basis[i].tr_mul(&flow[i]) + bent[i];
        }
        if !lengths.is_empty() {
            stopped.push(near.system, (lengths, closing[1]), pairs(x), pairs_mut(y));
        }
    }

    /// A gradient goes back, and leaves that with respect to the equations.
    pub(super) fn pull(&mut self, near: &mut Near<'_>, own: &mut [f64], x: &mut [f64], y: &mut [f64]) {
        let (h, from, to, lengths) = (self.h, near.from, near.to, near.lengths);
        let (own, closing) = own.split_at_mut(x.len());
        let Self {
            velocity,
            start,
            end,
            factors,
            stopped,
            flow,
            back,
            next: weights,
            moved,
            bent,
            ..
        } = self;
        if !lengths.is_empty() {
            let stop = stopped.pull(near.system, lengths, pairs_mut(x), pairs_mut(y));
            write(closing, 1, &stop);
        }
        near.bend(to, h, end, pairs(y), moved);
        moved.iter_mut().zip(pairs(x)).for_each(|(moved, x)| *moved += x);
        let each = to.basis.iter().zip(pairs(y));
        near.flow(each.map(|(basis, y)| basis * y), flow);
        let each = to.basis.iter().zip(&*flow).zip(&*moved);
        weights.clear();
        weights.extend(each.map(|((basis, flow), moved)| basis.tr_mul(flow) + moved * h));
        let open = factors.solve(weights, &Vec3::zeros(), true);
        if !lengths.is_empty() {
            write(closing, 0, &(open / -h));
        }
        let each = from.basis.iter().zip(&*weights);
        near.flow(each.map(|(basis, weight)| basis * weight), back);
        near.bend(from, h, start, weights, bent);
        for (i, weight) in weights.iter().enumerate() {
            let pull = open * lengths.get(i).copied().unwrap_or(0.0);
            let aside = to.q[i].dot(&(flow[i] - back[i] - pull));
            let lifted = to.basis[i] * moved[i] - velocity[i] * aside - pull / h;
            pairs_mut(own)[i] = -weight / h;
            pairs_mut(x)[i] = bent[i] + from.basis[i].tr_mul(&lifted);
            pairs_mut(y)[i] = *weight;
        }
    }
}

/// The momenta at the end of a step with `M Δ/h`.
fn arrived<'a>(
    flow: &'a [Vec3],
    to: &'a Place,
    lengths: &'a [f64],
    (h, mu): (f64, &'a Vec3),
) -> impl Iterator<Item = Vec3> + 'a {
    flow.iter().enumerate().map(move |(i, flow)| {
        let held = lengths.get(i).map_or_else(Vec3::zeros, |length| mu * *length);
        s2::tangent(&to.q[i], &(flow - to.gradient[i] * (0.5 * h) - held))
    })
}

/// What is left of the equations of a step, and the momentum p after it.
pub(super) fn residual(near: &mut Near<'_>, h: f64, held: &[f64], p: &mut [Vec3], out: &mut Vec<f64>) {
    let (from, to, system, lengths) = (near.from, near.to, near.system, near.lengths);
    let (lambda, mu) = (vector(held, 0), vector(held, 1));
    let moved = to.q.iter().zip(&from.q).map(|(to, from)| to - from);
    let mut flow = Vec::new();
    near.flow(moved, &mut flow);
    for (i, p) in p.iter_mut().enumerate() {
        let held = lengths.get(i).map_or_else(Vec3::zeros, |length| lambda * *length);
        let left = flow[i] - *p * h + from.gradient[i] * (0.5 * h * h) + held * h;
        out.extend(from.basis[i].tr_mul(&left).iter());
    }
    flow.iter_mut().for_each(|flow| *flow /= h);
    for (p, arrived) in p.iter_mut().zip(arrived(&flow, to, lengths, (h, &mu))) {
        *p = arrived;
    }
    if let Some(held) = system.held() {
        let open = lengths
            .iter()
            .zip(&to.q)
            .map(|(length, q)| q * *length)
            .sum::<Vec3>()
            - held.span();
        out.extend(open.iter());
        let slip = Stopped::default().stand(system, to, lengths, p.iter().copied());
        out.extend(slip.unwrap_or_else(|| Vec3::repeat(f64::NAN)).iter());
    }
}
