//! The block systems of [`Links::solve`] with their factors kept: for many right sides, and for the transposed matrix.
//!
//! ```text
//! Cᵢ xᵢ + Uᵢ Σⱼ Mᵢⱼ Vⱼ xⱼ = bᵢ
//! inward    a = K (b − ℓU Σr),  r = Σr + ℓAV a            outward   x = a + B P,   P' = P + ℓV x
//! ```
//! The transposed system takes the transposed sweeps in the opposite order.
use super::Links;
use crate::Vec3;
use nalgebra::{Matrix2, Matrix2x3, Matrix3, Matrix3x2, Vector2};

/// The factors of a matrix `Cᵢ δᵢⱼ + Uᵢ Mᵢⱼ Vⱼ` of 2 × 2 blocks.
#[derive(Default)]
pub(crate) struct LinkFactors {
    each: Vec<Factor>,
    beyond: Vec<Matrix3<f64>>,
    sums: Vec<Vec3>,
}

struct Factor {
    parent: Option<usize>,
    /// K.
    inverse: Matrix2<f64>,
    /// `ℓ U`, `ℓ V`, `ℓ A V` and B.
    left: Matrix2x3<f64>,
    right: Matrix3x2<f64>,
    pull: Matrix3x2<f64>,
    answer: Matrix2x3<f64>,
}

impl LinkFactors {
    /// Factorises; `false` where a pivot is singular.
    pub(crate) fn factorise(
        &mut self,
        links: &Links,
        left: impl Fn(usize) -> Matrix2x3<f64>,
        right: impl Fn(usize) -> Matrix3x2<f64>,
        own: impl Fn(usize) -> Matrix2<f64>,
    ) -> bool {
        let n = links.len();
        let Self { each, beyond, .. } = self;
        beyond.clear();
        beyond.resize(n, Matrix3::zeros());
        each.clear();
        for i in (0..n).rev() {
            let link = links.links()[i];
            let (left, right) = (left(i), right(i));
            let excess = links.diagonal()[i] - link.length * links.first_moment(i);
            let carried = Matrix3::from_diagonal_element(links.end_mass(i)) + beyond[i];
            let (far_left, far_right) = (left * link.length, right * link.length);
            let pull = carried * far_right;
            let pivot = left * right * excess + far_left * pull + own(i);
            let Some(inverse) = pivot.try_inverse() else {
                return false;
            };
            let answer = -(inverse * (far_left * carried));
            if let Some(parent) = link.parent {
                beyond[parent] += carried + pull * answer;
            }
            each.push(Factor {
                parent: link.parent,
                inverse,
                left: far_left,
                right: far_right,
                pull,
                answer,
            });
        }
        each.reverse();
        true
    }

    /// Solves in place of the right side.
    pub(crate) fn substitute(&mut self, x: &mut [Vector2<f64>]) {
        let Self { each, sums, .. } = self;
        sums.clear();
        sums.resize(each.len(), Vec3::zeros());
        for (i, link) in each.iter().enumerate().rev() {
            let sum = sums[i];
            x[i] = link.inverse * (x[i] - link.left * sum);
            if let Some(parent) = link.parent {
                sums[parent] += sum + link.pull * x[i];
            }
        }
        for (i, link) in each.iter().enumerate() {
            let place = link.parent.map_or_else(Vec3::zeros, |parent| sums[parent]);
            x[i] += link.answer * place;
            sums[i] = place + link.right * x[i];
        }
    }

    /// The same for the transposed matrix.
    pub(crate) fn substitute_transposed(&mut self, x: &mut [Vector2<f64>]) {
        let Self { each, sums, .. } = self;
        sums.clear();
        sums.resize(each.len(), Vec3::zeros());
        for (i, link) in each.iter().enumerate().rev() {
            x[i] += link.right.tr_mul(&sums[i]);
            let place = sums[i] + link.answer.tr_mul(&x[i]);
            if let Some(parent) = link.parent {
                sums[parent] += place;
            }
        }
        for (i, link) in each.iter().enumerate() {
            let sum = link.parent.map_or_else(Vec3::zeros, |parent| sums[parent]);
            x[i] = link.inverse.tr_mul(&(x[i] + link.pull.tr_mul(&sum)));
            sums[i] = sum - link.left.tr_mul(&x[i]);
        }
    }
}
