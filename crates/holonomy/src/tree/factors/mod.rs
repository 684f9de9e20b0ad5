//! Matrices of a tree, given joint by joint, and factorised `J = L U`.
//!
//! ```text
//! z_i = z_p + Γ_i x_i                      outward: how node i moves, p its parent
//! y_i = A_i z_i + Σ_j (y_j + Λ_j x_j)      inward: what acts on i and all that it carries, j the next ones
//! r_i = Ψ_iᵀ y_i + σ_iᵀ z_i + κ_i x_i      r = J x
//! ```
//! z and y have N numbers. The mass matrix has N = 6, z the twist and y the momentum, `Γ = Ψ = S`, and Λ, σ and κ are
//! zero; the Jacobian of a step has N = 12 and is not symmetric.
//!
//! Small trees have their entries written out and factorised ([`Branched`]). Others are eliminated joint by joint, in
//! O(n) ([`Sweeps`]), with terms of low rank for forces between bodies ([`LowRank`]); then `L⁻¹` is all of `J⁻¹` and
//! `U = 1`. A solution with the transposed matrix needs no other factors: Γ ↔ Ψ, ρ ↔ A Γ + Λ, D⁻¹ and R, C transposed.
mod branched;
mod low_rank;
mod sweeps;
#[cfg(not(target_arch = "wasm32"))]
mod transposed;

pub(crate) use branched::Branched;
pub(crate) use low_rank::LowRank;
pub(crate) use sweeps::{Sweeps, Terms, shift};

use super::{Node, Tree};
use nalgebra::{SMatrix, SVector};

/// z or y of a node.
pub(crate) type Spatial<const N: usize> = SVector<f64, N>;
/// From z to y.
pub(crate) type Square<const N: usize> = SMatrix<f64, N, N>;
pub(crate) type Vector12 = Spatial<12>;

/// What belongs to one velocity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column<const N: usize> {
    pub(crate) gamma: Spatial<N>,
    pub(crate) psi: Spatial<N>,
    /// σ, and then ρ = Aᵀ Ψ + σ.
    pub(crate) rho: Spatial<N>,
    /// Λ, and then A Γ + Λ.
    pub(crate) load: Spatial<N>,
}

impl<const N: usize> Default for Column<N> {
    fn default() -> Self {
        let zero = Spatial::zeros();
        Self {
            gamma: zero,
            psi: zero,
            rho: zero,
            load: zero,
        }
    }
}

/// A factorised matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct Factors<const N: usize> {
    /// In place of the sweeps.
    pub(crate) written: Option<Branched>,
    pub(crate) sweeps: Sweeps<N>,
    pub(crate) low_rank: LowRank<N>,
    column: Vec<f64>,
}

impl<const N: usize> Factors<N> {
    /// By entries that have been written out, if they are given.
    pub(crate) fn new(written: Option<Branched>) -> Self {
        Self {
            written,
            ..Self::default()
        }
    }

    /// Factorises in sweeps. The node whose pivot is singular is the error.
    pub(crate) fn sweep(&mut self, tree: &Tree, terms: &impl Terms<N>) -> Result<(), usize> {
        self.sweeps.factorise(tree, terms, self.low_rank.on_one_node())?;
        self.low_rank.factorise(tree, &mut self.sweeps)
    }

    /// `L⁻¹ r` in place.
    pub(crate) fn inward(&mut self, tree: &Tree, r: &mut [f64]) {
        match &self.written {
            Some(written) => written.inward(r),
            None => self.low_rank.solve(tree, &mut self.sweeps, r),
        }
    }

    /// `U⁻¹ r` in place.
    pub(crate) fn outward(&self, r: &mut [f64]) {
        if let Some(written) = &self.written {
            written.outward(r);
        }
    }

    /// From `Rᵀ` and C, with `count` numbers for each velocity, to `U⁻ᵀ Rᵀ` and `L⁻¹ C`; both are zero but for some
    /// velocities, in order, with all that carry them. For a symmetric matrix C is `Rᵀ`.
    pub(crate) fn split(
        &mut self,
        tree: &Tree,
        among: &[usize],
        rows: &mut [f64],
        columns: &mut [f64],
        count: usize,
    ) {
        if let Some(written) = &self.written {
            return written.split(among, rows, columns, count);
        }
        for k in 0..count {
            self.column.clear();
            self.column.extend(columns.iter().skip(k).step_by(count));
            self.low_rank.solve(tree, &mut self.sweeps, &mut self.column);
            for (x, solved) in columns.iter_mut().skip(k).step_by(count).zip(&self.column) {
                *x = *solved;
            }
        }
    }
}

/// The product of two vectors; of twelve numbers in four sums, so that additions need not wait for each other.
#[inline]
pub(crate) fn dot<const N: usize>(a: &Spatial<N>, b: &Spatial<N>) -> f64 {
    dot_of(&a.data.0[0], &b.data.0[0])
}

/// The same of plain numbers.
#[inline]
pub(crate) fn dot_of<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    if N == 12 {
        let each: [f64; 4] = std::array::from_fn(|k| a[k] * b[k] + a[k + 4] * b[k + 4] + a[k + 8] * b[k + 8]);
        return (each[0] + each[2]) + (each[1] + each[3]);
    }
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}

/// One six above the other.
#[inline]
pub(crate) fn stack(a: &Spatial<6>, b: &Spatial<6>) -> Vector12 {
    Vector12::from([
        a[0], a[1], a[2], a[3], a[4], a[5], b[0], b[1], b[2], b[3], b[4], b[5],
    ])
}
