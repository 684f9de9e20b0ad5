//! Ball joints in a linearised step, in the terms of `turn.rs`.
//!
//! ```text
//! ζ  = Hᵀ a + ½h B x                          of the middle, a that of the start, x = δv
//! ζ⁺ = (H²)ᵀ a + h Y x                        of the end
//! δr = Y δp + … + ½h B γ                      what is besides is in the Jacobian
//! H p⁺ = Hᵀ p + h g:   δp⁺ = Hᵀ (Hᵀ δp + h γ − β × Hᵀp) − β × p⁺,   β = ½h B x
//! δy = δp + ½ δx × p                          canonical
//! ```
//! Other joints have one for H, B and Y, and β nothing to turn.
use super::super::balance::{Balance, three};
use crate::{
    Vec3,
    geometry::so3,
    tree::{JointKind, Tree},
};
use nalgebra::Matrix3;

/// A ball joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    /// Its first velocity.
    pub(super) v: usize,
    /// H, H², B and Y.
    half: Matrix3<f64>,
    whole: Matrix3<f64>,
    middle: Matrix3<f64>,
    start: Matrix3<f64>,
    /// `Hᵀp`, and p⁺ before the constraints act at the end.
    turned: Vec3,
    end: Vec3,
    /// The momenta of the states at both ends.
    pub(super) momenta: [Vec3; 2],
}

/// Those of a tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Balls(Vec<Ball>);

impl Balls {
    /// From a solved step, with the momenta of its start and of its end before constraints act there.
    pub(super) fn prepare(&mut self, tree: &Tree, balance: &Balance, p: &[f64], end: &[f64]) {
        self.0.clear();
        for (node, turn) in tree.nodes.iter().zip(&balance.turns) {
            let (JointKind::Ball, Some(turn)) = (node.kind, turn) else {
                continue;
            };
            let half: Matrix3<f64> = so3::matrix(&turn.half());
            let end = three(end, node.v);
            self.0.push(Ball {
                v: node.v,
                half,
                whole: so3::matrix(&turn.whole()),
                middle: turn.middle(),
                start: turn.start(),
                turned: half.tr_mul(&three(&balance.p, node.v)),
                end,
                momenta: [three(p, node.v), end],
            });
        }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The momenta of the state at the end.
    pub(super) fn end_with(&mut self, p: &[f64]) {
        for ball in &mut self.0 {
            ball.momenta[1] = three(p, ball.v);
        }
    }

    /// Changes what a list has of each ball joint, by a function of that.
    pub(super) fn each(&self, x: &mut [f64], change: impl Fn(&Ball, Vec3) -> Vec3) {
        for ball in &self.0 {
            let changed = change(ball, three(x, ball.v));
            x[ball.v..ball.v + 3].copy_from_slice(changed.as_slice());
        }
    }

    /// δp⁺ of ball joints, from δp, γ and β.
    pub(super) fn momenta(&self, out: &mut [f64], p: &[f64], (h, gamma): (f64, &[f64]), beta: &[f64]) {
        self.each(out, |ball, _| {
            let at = |x: &[f64]| three(x, ball.v);
            ball.momentum(at(p), at(gamma) * h, at(beta))
        });
    }

    /// The transpose: δp⁺ becomes δp, and gives h γ and β.
    pub(super) fn momenta_back(&self, p: &mut [f64], impulse: &mut [f64], beta: &mut [f64]) {
        for ball in &self.0 {
            let parts = ball.momentum_back(three(p, ball.v));
            let range = ball.v..ball.v + 3;
            p[range.clone()].copy_from_slice(parts.0.as_slice());
            impulse[range.clone()].copy_from_slice(parts.1.as_slice());
            beta[range].copy_from_slice(parts.2.as_slice());
        }
    }

    /// From a momentum to that in canonical coordinates about the start or the end, with what x has to do with it.
    pub(super) fn canonical(&self, at: usize, sign: f64, x: &[f64], p: &mut [f64]) {
        self.each(p, |ball, p| {
            p + three(x, ball.v).cross(&ball.momenta[at]) * (0.5 * sign)
        });
    }

    /// The transpose.
    pub(super) fn canonical_back(&self, at: usize, sign: f64, x: &mut [f64], p: &[f64]) {
        self.each(x, |ball, x| {
            x + ball.momenta[at].cross(&three(p, ball.v)) * (0.5 * sign)
        });
    }
}

impl Ball {
    pub(super) fn at_middle(&self, a: Vec3) -> Vec3 {
        self.half.tr_mul(&a)
    }

    pub(super) fn at_middle_back(&self, zeta: Vec3) -> Vec3 {
        self.half * zeta
    }

    pub(super) fn at_end(&self, a: Vec3) -> Vec3 {
        self.whole.tr_mul(&a)
    }

    pub(super) fn at_end_back(&self, a: Vec3) -> Vec3 {
        self.whole * a
    }

    /// B, and its transpose.
    pub(super) fn middle(&self, x: Vec3) -> Vec3 {
        self.middle * x
    }

    pub(super) fn middle_back(&self, x: Vec3) -> Vec3 {
        self.middle.tr_mul(&x)
    }

    /// Y, and its transpose.
    pub(super) fn start(&self, x: Vec3) -> Vec3 {
        self.start * x
    }

    pub(super) fn start_back(&self, x: Vec3) -> Vec3 {
        self.start.tr_mul(&x)
    }

    /// δp⁺ from δp, h γ and β.
    fn momentum(&self, p: Vec3, impulse: Vec3, beta: Vec3) -> Vec3 {
        let inner = self.half.tr_mul(&p) + impulse - beta.cross(&self.turned);
        self.half.tr_mul(&inner) - beta.cross(&self.end)
    }

    /// The transpose: for δp, for h γ and for β.
    fn momentum_back(&self, p: Vec3) -> (Vec3, Vec3, Vec3) {
        let inner = self.half * p;
        let beta = -self.turned.cross(&inner) - self.end.cross(&p);
        (self.half * inner, inner, beta)
    }
}
