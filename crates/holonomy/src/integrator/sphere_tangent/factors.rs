//! The inertia between two tangent planes of every body, and what else couples their motions, factorised.
//!
//! ```text
//! Tᵢᵀ Mᵢⱼ T′ⱼ + Cᵢⱼ
//! ```
//! In O(n) for links, where C couples no two of them; else it is eliminated as a whole.
use crate::{
    solve::Lu,
    spheres::{Inertia, LinkFactors},
};
use nalgebra::{Matrix2, Matrix3x2, Vector2};

/// The factors.
#[derive(Default)]
pub(in crate::integrator) struct Factors {
    links: LinkFactors,
    lu: Lu,
    dense: bool,
    own: Vec<Matrix2<f64>>,
}

/// A block of C, to be added up: the row, the column, and what stands there.
pub(in crate::integrator) type Coupling = (usize, usize, Matrix2<f64>);

impl Factors {
    /// Factorises the matrix of two lists of tangent bases; `false` where it is singular.
    pub(in crate::integrator) fn factorise(
        &mut self,
        inertia: &Inertia,
        [left, right]: [&Vec<Matrix3x2<f64>>; 2],
        couplings: &[Coupling],
    ) -> bool {
        let n = left.len();
        if let Inertia::Links(links) = inertia
            && couplings.iter().all(|(i, j, _)| i == j)
        {
            self.dense = false;
            self.own.clear();
            self.own.resize(n, Matrix2::zeros());
            for (i, _, block) in couplings {
                self.own[*i] += block;
            }
            let own = &self.own;
            let factors = &mut self.links;
            return factors.factorise(links, |i| left[i].transpose(), |i| right[i], |i| own[i]);
        }
        self.dense = true;
        let a = self.lu.reset(2 * n);
        let mut add = |i: usize, j: usize, block: Matrix2<f64>| {
            for (k, value) in block.iter().enumerate() {
                a[(2 * i + k % 2) * 2 * n + 2 * j + k / 2] += *value;
            }
        };
        for i in 0..n {
            for j in 0..n {
                add(i, j, left[i].tr_mul(&right[j]) * inertia.entry(i, j));
            }
        }
        for (i, j, block) in couplings {
            add(*i, *j, *block);
        }
        self.lu.factorise()
    }

    /// Solves in place of the right side, with this matrix or with its transpose.
    pub(in crate::integrator) fn solve(&mut self, x: &mut [Vector2<f64>], transposed: bool) {
        match (self.dense, transposed) {
            (false, false) => self.links.substitute(x),
            (false, true) => self.links.substitute_transposed(x),
            (true, false) => self.lu.substitute(bytemuck::cast_slice_mut(x)),
            (true, true) => self.lu.substitute_transposed(bytemuck::cast_slice_mut(x)),
        }
    }
}
