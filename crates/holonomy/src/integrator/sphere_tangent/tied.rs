//! Chains that are held at both ends: the inertia between two tangent planes with three forces that close the chain.
//!
//! ```text
//! B x + Uᵀ m = r,   V x = s              U = (ℓᵢ Tᵢ),  V = (ℓᵢ T′ᵢ)
//! m = (V B⁻¹Uᵀ)⁻¹ (V B⁻¹r − s),          x = B⁻¹(r − Uᵀm)
//! ```
//! Without lengths nothing is held: B alone.
use super::Factors;
use crate::{Vec3, spheres::Inertia};
use nalgebra::{Matrix3, Matrix3x2, Vector2};

/// The factors.
#[derive(Default)]
pub(super) struct Tied {
    factors: Factors,
    /// U and V.
    ends: [Vec<Matrix3x2<f64>>; 2],
    /// `(V B⁻¹Uᵀ)⁻¹`.
    give: Matrix3<f64>,
    first: Vec<Vector2<f64>>,
}

impl Tied {
    /// Factorises; `false` where the matrix is singular, as where the links of a chain are in one line.
    pub(super) fn factorise(
        &mut self,
        inertia: &Inertia,
        bases: [&Vec<Matrix3x2<f64>>; 2],
        lengths: &[f64],
    ) -> bool {
        if !self.factors.factorise(inertia, bases, &[]) {
            return false;
        }
        for (end, basis) in self.ends.iter_mut().zip(bases) {
            end.clear();
            end.extend(basis.iter().zip(lengths).map(|(basis, length)| basis * *length));
        }
        if lengths.is_empty() {
            return true;
        }
        let mut moved = Matrix3::zeros();
        for k in 0..3 {
            self.first.clear();
            self.first
                .extend(self.ends[0].iter().map(|end| end.row(k).transpose()));
            self.factors.solve(&mut self.first, false);
            moved.set_column(k, &sum(&self.ends[1], &self.first));
        }
        match moved.try_inverse() {
            Some(give) => {
                self.give = give;
                true
            }
            None => false,
        }
    }

    /// Solves B x = r, in place of r, as if nothing were held.
    pub(super) fn solve_free(&mut self, r: &mut [Vector2<f64>]) {
        self.factors.solve(r, false);
    }

    /// Solves for x in place of r, and gives m; or with the transposed matrix.
    pub(super) fn solve(&mut self, r: &mut [Vector2<f64>], s: &Vec3, transposed: bool) -> Vec3 {
        if self.ends[0].is_empty() {
            self.factors.solve(r, transposed);
            return Vec3::zeros();
        }
        let ([pull, reach], give) = match transposed {
            false => ([0, 1], self.give),
            true => ([1, 0], self.give.transpose()),
        };
        self.first.clear();
        self.first.extend_from_slice(r);
        self.factors.solve(&mut self.first, transposed);
        let force = give * (sum(&self.ends[reach], &self.first) - s);
        for (r, end) in r.iter_mut().zip(&self.ends[pull]) {
            *r -= end.tr_mul(&force);
        }
        self.factors.solve(r, transposed);
        force
    }
}

/// `Σ ℓᵢ Tᵢ xᵢ`.
fn sum(ends: &[Matrix3x2<f64>], x: &[Vector2<f64>]) -> Vec3 {
    ends.iter().zip(x).map(|(end, x)| end * x).sum()
}
