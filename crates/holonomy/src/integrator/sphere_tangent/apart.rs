//! A variational step of bodies that are not joined, each for itself but for potentials.
//!
//! ```text
//! C = T⁺ᵀT,  a = Tᵀ Δ/h,  b = Tᵀ q⁺           B = M Cᵀ, two by two
//! push    M Cᵀ ξ = y − (½h H − σ) x + M b (a·x)       x⁺ = C x + h ξ,   y⁺ = M ξ − (½h H⁺ + τ) x⁺
//! pull    z = x̄ − (½h H⁺ + τ) ȳ,   M C w = M ȳ + h z
//!         x̄ = Cᵀ z − (½h H − σ) w + M a (b·w),   ȳ = w
//! ```
use super::{Fault, Near, pairs, pairs_mut};
use crate::system::Undefined;
use nalgebra::{Matrix2, Vector2};

/// Its derivatives.
#[derive(Default)]
pub(super) struct Apart {
    h: f64,
    bodies: Vec<Body>,
    /// σ and −τ.
    start: Vec<f64>,
    end: Vec<f64>,
    /// Work space.
    bent: Vec<Vector2<f64>>,
    moved: Vec<Vector2<f64>>,
}

struct Body {
    mass: f64,
    /// C and its inverse.
    turn: Matrix2<f64>,
    inverse: Matrix2<f64>,
    along: Vector2<f64>,
    beside: Vector2<f64>,
}

impl Apart {
    /// Goes to a step of h seconds.
    pub(super) fn stand(&mut self, near: &Near<'_>, h: f64) -> Result<(), Fault> {
        let (from, to, inertia) = (near.from, near.to, near.system.inertia());
        self.h = h;
        self.bodies.clear();
        self.start.clear();
        self.end.clear();
        for i in 0..from.q.len() {
            let (q, next, mass) = (from.q[i], to.q[i], inertia.diagonal(i));
            let velocity = (next - q) / h;
            let turn = to.basis[i].tr_mul(&from.basis[i]);
            let Some(inverse) = turn.try_inverse() else {
                return Err(Undefined::SingularMass.into());
            };
            self.start
                .push(mass * q.dot(&velocity) + 0.5 * h * q.dot(&from.gradient[i]));
            self.end
                .push(0.5 * h * next.dot(&to.gradient[i]) - mass * next.dot(&velocity));
            self.bodies.push(Body {
                mass,
                turn,
                inverse,
                along: from.basis[i].tr_mul(&velocity),
                beside: from.basis[i].tr_mul(&next),
            });
        }
        Ok(())
    }

    /// A change goes through, with one of the equations.
    pub(super) fn push(&mut self, near: &mut Near<'_>, own: Option<&[f64]>, x: &mut [f64], y: &mut [f64]) {
        let h = self.h;
        near.bend(near.from, h, &self.start, pairs(x), &mut self.bent);
        for (i, body) in self.bodies.iter().enumerate() {
            let (x, y) = (&mut pairs_mut(x)[i], &mut pairs_mut(y)[i]);
            let mut right = self.bent[i] + *y + body.beside * (body.mass * body.along.dot(x));
            if let Some(own) = own {
                right -= pairs(own)[i] / h;
            }
            let flow = body.inverse.tr_mul(&right);
            *x = body.turn * *x + flow * (h / body.mass);
            *y = flow;
        }
        near.bend(near.to, h, &self.end, pairs(x), &mut self.bent);
        for (y, bent) in pairs_mut(y).iter_mut().zip(&self.bent) {
            *y += bent;
        }
    }

    /// A gradient goes back, and leaves that with respect to the equations.
    pub(super) fn pull(&mut self, near: &mut Near<'_>, own: &mut [f64], x: &mut [f64], y: &mut [f64]) {
        let h = self.h;
        near.bend(near.to, h, &self.end, pairs(y), &mut self.moved);
        for (i, body) in self.bodies.iter().enumerate() {
            let (moved, y) = (&mut self.moved[i], &mut pairs_mut(y)[i]);
            *moved += pairs(x)[i];
            *y = body.inverse * (*y + *moved * (h / body.mass));
            pairs_mut(own)[i] = *y / -h;
        }
        near.bend(near.from, h, &self.start, pairs(y), &mut self.bent);
        for (i, body) in self.bodies.iter().enumerate() {
            let aside = body.mass * body.beside.dot(&pairs(y)[i]);
            pairs_mut(x)[i] = self.bent[i] + body.turn.tr_mul(&self.moved[i]) + body.along * aside;
        }
    }
}
