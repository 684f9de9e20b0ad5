//! Kicks and great circles.
use super::{Near, Place, pairs, pairs_mut};
use crate::{Vec3, geometry::s2, integrator::separate::Stage, math};
use nalgebra::{Matrix4, Vector4};

/// The derivatives of a kick, an arc and a kick.
pub(super) struct Arc {
    stage: Stage,
    /// Of each body, by (x, y).
    arcs: Vec<Matrix4<f64>>,
}

impl Arc {
    /// Of a stage over its time; the momenta π go to its end.
    pub(super) fn new(near: &Near<'_>, stage: Stage, p: &mut [Vec3]) -> Self {
        let inertia = near.system.inertia();
        kick(p, near.from, stage.before);
        let each = p.iter().enumerate();
        let arcs = each
            .map(|(i, p)| great_circle(near.from, near.to, i, p, inertia.diagonal(i), stage.motion))
            .collect();
        kick(p, near.to, stage.after);
        Self { stage, arcs }
    }

    /// A change goes through, with one of the equations.
    pub(super) fn push(&self, near: &mut Near<'_>, own: Option<&[f64]>, x: &mut [f64], y: &mut [f64]) {
        let (from, to) = (near.from, near.to);
        add_kick(near, from, self.stage.before, x, y);
        for (i, arc) in self.arcs.iter().enumerate() {
            turn(arc, i, x, y);
            if let Some(own) = own {
                pairs_mut(x)[i] += pairs(own)[i];
            }
        }
        add_kick(near, to, self.stage.after, x, y);
    }

    /// A gradient goes back, and leaves that with respect to the equations. A kick moves y with x: transposed, x with y,
    /// by the same symmetric matrix.
    pub(super) fn pull(&self, near: &mut Near<'_>, own: &mut [f64], x: &mut [f64], y: &mut [f64]) {
        let (from, to) = (near.from, near.to);
        add_kick(near, to, self.stage.after, y, x);
        own.copy_from_slice(x);
        for (i, arc) in self.arcs.iter().enumerate() {
            turn(&arc.transpose(), i, x, y);
        }
        add_kick(near, from, self.stage.before, y, x);
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

/// Takes `b (H − q·g) x` from y.
fn add_kick(near: &mut Near<'_>, at: &Place, weight: f64, x: &[f64], y: &mut [f64]) {
    if weight == 0.0 {
        return;
    }
    let curved: Vec<f64> = (at.q.iter().zip(&at.gradient))
        .map(|(q, gradient)| weight * q.dot(gradient))
        .collect();
    let change = near.bend(at, 2.0 * weight, &curved, pairs(x));
    for (y, change) in pairs_mut(y).iter_mut().zip(&change) {
        *y += change;
    }
}

/// The derivative of the arc of one body with momentum π, of moment M, for a time.
fn great_circle(from: &Place, to: &Place, i: usize, pi: &Vec3, mass: f64, time: f64) -> Matrix4<f64> {
    let (q, end) = (from.q[i], to.q[i]);
    let angle = pi.norm() * time / mass;
    // The axis of the circle, and the way along it; any will do where nothing moves.
    let axis = match pi.try_normalize(0.0) {
        Some(axis) => axis,
        None => from.basis[i].column(1).into(),
    };
    let (sine, cosine) = math::sin_cos(angle);
    let answer = time / mass;
    let sinc = if angle == 0.0 { 1.0 } else { sine / angle };
    let along = Matrix4::new(
        1.0,
        0.0,
        answer,
        0.0, //
        0.0,
        cosine,
        0.0,
        answer * sinc, //
        0.0,
        0.0,
        1.0,
        0.0, //
        0.0,
        -angle * sine / answer,
        0.0,
        cosine,
    );
    let frame = |place: &Place, q: &Vec3| {
        let (e, n) = (axis.cross(q), axis);
        let (first, second) = (place.basis[i].tr_mul(&e), place.basis[i].tr_mul(&n));
        let mut frame = Matrix4::zeros();
        for half in [0, 2] {
            for k in 0..2 {
                frame[(half, half + k)] = first[k];
                frame[(half + 1, half + k)] = second[k];
            }
        }
        frame
    };
    frame(to, &end).transpose() * along * frame(from, &q)
}

/// Puts a body's change through a matrix.
fn turn(matrix: &Matrix4<f64>, i: usize, x: &mut [f64], y: &mut [f64]) {
    let k = 2 * i;
    let z = matrix * Vector4::new(x[k], x[k + 1], y[k], y[k + 1]);
    (x[k], x[k + 1], y[k], y[k + 1]) = (z[0], z[1], z[2], z[3]);
}
