//! Kicks and great circles.
use super::{Near, Place, pairs, pairs_mut};
use crate::{Vec3, geometry::s2, integrator::separate::Stage, math};
use nalgebra::{Matrix2, Vector2};

/// The derivatives of a kick, an arc and a kick.
#[derive(Default)]
pub(super) struct Arc {
    before: Kick,
    after: Kick,
    arcs: Vec<GreatCircle>,
    bent: Vec<Vector2<f64>>,
}

/// What a kick curves by.
#[derive(Default)]
struct Kick {
    weight: f64,
    /// `b q·g` of each body.
    curved: Vec<f64>,
}

/// The derivative of the arc of one body, in frames (e, n) along it and across it.
struct GreatCircle {
    /// From the tangent bases to these frames, at both ends.
    from: Matrix2<f64>,
    to: Matrix2<f64>,
    /// `xₑ⁺ = xₑ + a yₑ`.
    answer: f64,
    /// `(xₙ, yₙ)⁺ = [c, s; −m, c] (xₙ, yₙ)`.
    cosine: f64,
    across: f64,
    back: f64,
}

impl Arc {
    /// Goes to a stage over its time; the momenta π go to its end.
    pub(super) fn stand(&mut self, near: &Near<'_>, stage: Stage, p: &mut [Vec3]) {
        let inertia = near.system.inertia();
        self.before.stand(near.from, stage.before);
        self.after.stand(near.to, stage.after);
        kick(p, near.from, stage.before);
        let each = p.iter().enumerate();
        self.arcs.clear();
        self.arcs.extend(
            each.map(|(i, p)| GreatCircle::new(near.from, near.to, i, p, stage.motion / inertia.diagonal(i))),
        );
        kick(p, near.to, stage.after);
    }

    /// A change goes through, with one of the equations.
    pub(super) fn push(&mut self, near: &mut Near<'_>, own: Option<&[f64]>, x: &mut [f64], y: &mut [f64]) {
        let (from, to) = (near.from, near.to);
        self.before.add(near, from, &mut self.bent, x, y);
        for (i, arc) in self.arcs.iter().enumerate() {
            arc.push(&mut pairs_mut(x)[i], &mut pairs_mut(y)[i]);
            if let Some(own) = own {
                pairs_mut(x)[i] += pairs(own)[i];
            }
        }
        self.after.add(near, to, &mut self.bent, x, y);
    }

    /// A gradient goes back, and leaves that with respect to the equations. A kick moves y with x: transposed, x with y,
    /// by the same symmetric matrix.
    pub(super) fn pull(&mut self, near: &mut Near<'_>, own: &mut [f64], x: &mut [f64], y: &mut [f64]) {
        let (from, to) = (near.from, near.to);
        self.after.add(near, to, &mut self.bent, y, x);
        own.copy_from_slice(x);
        for (i, arc) in self.arcs.iter().enumerate() {
            arc.pull(&mut pairs_mut(x)[i], &mut pairs_mut(y)[i]);
        }
        self.before.add(near, from, &mut self.bent, y, x);
    }
}

impl Kick {
    fn stand(&mut self, at: &Place, weight: f64) {
        self.weight = weight;
        self.curved.clear();
        if weight != 0.0 {
            let each = at.q.iter().zip(&at.gradient);
            self.curved
                .extend(each.map(|(q, gradient)| weight * q.dot(gradient)));
        }
    }

    /// Takes `b (H − q·g) x` from y.
    fn add(&self, near: &mut Near<'_>, at: &Place, bent: &mut Vec<Vector2<f64>>, x: &[f64], y: &mut [f64]) {
        if self.weight == 0.0 {
            return;
        }
        near.bend(at, 2.0 * self.weight, &self.curved, pairs(x), bent);
        for (y, change) in pairs_mut(y).iter_mut().zip(bent) {
            *y += *change;
        }
    }
}

impl GreatCircle {
    /// Of a body with momentum π; `answer` is the time over its moment.
    fn new(from: &Place, to: &Place, i: usize, pi: &Vec3, answer: f64) -> Self {
        let (q, end) = (from.q[i], to.q[i]);
        let size = pi.norm();
        let angle = size * answer;
        // The axis of the circle, and the way along it; any will do where nothing moves.
        let axis = match size > 0.0 {
            true => pi / size,
            false => from.basis[i].column(1).into(),
        };
        let (sine, cosine) = math::sin_cos(angle);
        let sinc = if angle == 0.0 { 1.0 } else { sine / angle };
        let frame = |place: &Place, q: &Vec3| {
            let (e, n) = (
                place.basis[i].tr_mul(&axis.cross(q)),
                place.basis[i].tr_mul(&axis),
            );
            Matrix2::new(e.x, e.y, n.x, n.y)
        };
        Self {
            from: frame(from, &q),
            to: frame(to, &end),
            answer,
            cosine,
            across: answer * sinc,
            back: angle * sine / answer,
        }
    }

    fn push(&self, x: &mut Vector2<f64>, y: &mut Vector2<f64>) {
        let (a, b) = (self.from * *x, self.from * *y);
        let along = Vector2::new(a.x + self.answer * b.x, self.cosine * a.y + self.across * b.y);
        let turned = Vector2::new(b.x, self.cosine * b.y - self.back * a.y);
        (*x, *y) = (self.to.tr_mul(&along), self.to.tr_mul(&turned));
    }

    fn pull(&self, x: &mut Vector2<f64>, y: &mut Vector2<f64>) {
        let (a, b) = (self.to * *x, self.to * *y);
        let along = Vector2::new(a.x, self.cosine * a.y - self.back * b.y);
        let turned = Vector2::new(b.x + self.answer * a.x, self.cosine * b.y + self.across * a.y);
        (*x, *y) = (self.from.tr_mul(&along), self.from.tr_mul(&turned));
    }
}

/// Where bodies end in the chart about where they end by the unknowns, and their momenta p there.
pub(super) fn residual(near: &Near<'_>, stage: Stage, p: &mut [Vec3], out: &mut Vec<f64>) {
    let (from, to) = (near.from, near.to);
    for (i, p) in p.iter_mut().enumerate() {
        let q = from.q[i];
        let pi = q.cross(&(*p - from.gradient[i] * stage.before));
        let time = stage.motion / near.system.inertia().diagonal(i);
        let end = s2::great_circle(&q, &(pi * time));
        let length = to.q[i].dot(&end);
        out.extend((to.basis[i].tr_mul(&end) / length).iter());
        let along = to.basis[i] * (to.basis[i].tr_mul(&pi.cross(&end)) * length);
        *p = along - s2::tangent(&to.q[i], &to.gradient[i]) * stage.after;
    }
}

/// `π − b q × g`.
fn kick(p: &mut [Vec3], at: &Place, weight: f64) {
    for (p, (q, gradient)) in p.iter_mut().zip(at.q.iter().zip(&at.gradient)) {
        *p -= q.cross(gradient) * weight;
    }
}
