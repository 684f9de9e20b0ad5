use super::{
    SpheresError,
    links::{Block, LinkWork, Links, Segment},
};
use crate::{Vec3, solve::Lu};
use nalgebra::Matrix3;

/// The constant inertia matrix M of a system on (S²)ⁿ, by its structure.
#[derive(Clone, Debug)]
pub enum Inertia {
    /// Links joined end to end, or separate bodies (then M is diagonal). Never stored as a matrix.
    Links(Links),
    /// Any symmetric positive definite matrix, row by row.
    Dense {
        /// Number of rows.
        size: usize,
        /// Entries, row-major.
        matrix: Vec<f64>,
    },
}

/// Why a matrix is not an inertia matrix.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InertiaError {
    /// A row is longer or shorter than there are rows.
    #[error("the inertia matrix is not square: row {row} has {entries} entries, and there are {rows} rows")]
    NotSquare {
        /// Row, from 1.
        row: usize,
        /// Its entries.
        entries: usize,
        /// Rows.
        rows: usize,
    },
    /// `M[i][j] ≠ M[j][i]`.
    #[error(
        "the inertia matrix is not symmetric: entry ({row}, {column}) is {value}, ({column}, {row}) is {mirror}"
    )]
    NotSymmetric {
        /// Row, from 1.
        row: usize,
        /// Column, from 1.
        column: usize,
        /// Its value.
        value: f64,
        /// The value across the diagonal.
        mirror: f64,
    },
    /// A combination of velocities has no or negative kinetic energy.
    #[error(
        "the inertia matrix is not positive definite: its leading {rows} × {rows} block has no positive determinant"
    )]
    NotPositiveDefinite {
        /// Size of the first leading block that fails.
        rows: usize,
    },
}

/// Work space for the solutions below.
#[derive(Clone, Default)]
pub struct InertiaWork {
    joints: Vec<LinkWork>,
    sums: Vec<Vec3>,
    lu: Lu,
}

impl Inertia {
    /// A general matrix, checked; diagonal ones are recognised.
    pub fn from_matrix(rows: &[Vec<f64>]) -> Result<Self, InertiaError> {
        let size = rows.len();
        if let Some(row) = rows.iter().position(|row| row.len() != size) {
            let (rows, entries, row) = (size, rows[row].len(), row + 1);
            return Err(InertiaError::NotSquare { row, entries, rows });
        }
        let matrix: Vec<f64> = rows.iter().flatten().copied().collect();
        check_matrix(size, &matrix)?;
        let off_diagonal = |k: usize| k / size != k % size;
        if matrix
            .iter()
            .enumerate()
            .all(|(k, x)| *x == 0.0 || !off_diagonal(k))
        {
            return Ok(Self::diagonal_matrix(
                rows.iter().enumerate().map(|(i, row)| row[i]),
            ));
        }
        Ok(Self::Dense { size, matrix })
    }

    /// A diagonal matrix: bodies that are not joined.
    pub fn diagonal_matrix(moments: impl Iterator<Item = f64>) -> Self {
        let body = |moment| Segment {
            parent: None,
            length: 1.0,
            mass: moment,
            centre: 1.0,
            moment,
        };
        Self::Links(Links::of(moments.map(body).collect()))
    }

    /// Whether it is one of so many bodies.
    pub(super) fn check(&self, bodies: usize) -> Result<(), SpheresError> {
        if self.len() != bodies {
            let rows = self.len();
            return Err(SpheresError::InertiaSize { rows, bodies });
        }
        match self {
            // As its moments were given.
            Self::Links(links) => match links.diagonal().iter().position(|m| !(*m > 0.0 && m.is_finite())) {
                Some(k) => Err(InertiaError::NotPositiveDefinite { rows: k + 1 }.into()),
                None => Ok(()),
            },
            Self::Dense { size, matrix } => Ok(check_matrix(*size, matrix)?),
        }
    }

    /// Number of bodies.
    pub fn len(&self) -> usize {
        match self {
            Self::Links(links) => links.len(),
            Self::Dense { size, .. } => *size,
        }
    }

    /// Whether there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `Mᵢᵢ`.
    pub fn diagonal(&self, i: usize) -> f64 {
        match self {
            Self::Links(links) => links.diagonal()[i],
            Self::Dense { size, matrix } => matrix[i * size + i],
        }
    }

    /// `Mᵢⱼ`.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::Links(links) => links.entry(i, j),
            Self::Dense { size, matrix } => matrix[i * size + j],
        }
    }

    /// Whether no two bodies are coupled through their inertia.
    pub fn is_diagonal(&self) -> bool {
        matches!(self, Self::Links(links) if links.are_separate())
    }

    /// `outᵢ = Σ_{j≠i} Mᵢⱼ xⱼ`.
    pub fn apply_coupling(&self, x: &[Vec3], out: &mut [Vec3], work: &mut InertiaWork) {
        match self {
            Self::Links(links) => links.apply_coupling(x, out, &mut work.sums),
            Self::Dense { size, matrix } => {
                for (i, out) in out.iter_mut().enumerate() {
                    let row = &matrix[i * size..(i + 1) * size];
                    *out = row
                        .iter()
                        .zip(x)
                        .enumerate()
                        .filter(|(j, _)| *j != i)
                        .map(|(_, (m, x))| *x * *m)
                        .sum();
                }
            }
        }
    }

    /// `outᵢ = Σⱼ Mᵢⱼ xⱼ`.
    pub fn apply(&self, x: &[Vec3], out: &mut [Vec3], work: &mut InertiaWork) {
        self.apply_coupling(x, out, work);
        for (i, (out, x)) in out.iter_mut().zip(x).enumerate() {
            *out += *x * self.diagonal(i);
        }
    }

    /// Solves `Mᵢᵢ xᵢ − Σ_{j≠i} Mᵢⱼ q̂ᵢ q̂ⱼ xⱼ = bᵢ`, the matrix of (2.11), in place of b.
    /// `false` when it is singular.
    pub fn solve_angular(&self, q: &[Vec3], b: &mut [Vec3], work: &mut InertiaWork) -> bool {
        match self {
            Self::Links(links) if links.are_separate() => {
                for (b, m) in b.iter_mut().zip(links.diagonal()) {
                    *b /= *m;
                }
                true
            }
            Self::Links(links) => {
                let right = |i: usize| q[i].cross_matrix();
                let block = |i: usize, hat: &Matrix3<f64>| {
                    let coupling = links.links()[i].length * links.first_moment(i);
                    let excess = Matrix3::from_diagonal_element(links.diagonal()[i]) + hat * hat * coupling;
                    Block { excess, left: -hat }
                };
                links.solve(&mut work.joints, right, block, b)
            }
            Self::Dense { size: n, matrix } => {
                let a = work.lu.reset(3 * n);
                for i in 0..*n {
                    for j in 0..*n {
                        let m = matrix[i * n + j];
                        let block = if i == j {
                            Matrix3::from_diagonal_element(m)
                        } else {
                            q[i].cross_matrix() * q[j].cross_matrix() * -m
                        };
                        for r in 0..3 {
                            for c in 0..3 {
                                a[(3 * i + r) * 3 * n + 3 * j + c] = block[(r, c)];
                            }
                        }
                    }
                }
                work.lu.solve(bytemuck::cast_slice_mut(b))
            }
        }
    }
}

/// Whether a matrix, row by row, is symmetric and positive definite.
fn check_matrix(size: usize, matrix: &[f64]) -> Result<(), InertiaError> {
    if matrix.len() != size * size {
        let entries = matrix.len() - matrix.len().min(size * size.saturating_sub(1));
        return Err(InertiaError::NotSquare {
            row: size,
            entries,
            rows: size,
        });
    }
    for i in 0..size {
        for j in 0..i {
            let (value, mirror) = (matrix[i * size + j], matrix[j * size + i]);
            if value != mirror {
                let (row, column) = (i + 1, j + 1);
                return Err(InertiaError::NotSymmetric {
                    row,
                    column,
                    value,
                    mirror,
                });
            }
        }
    }
    check_positive(size, matrix.to_vec())
}

/// Cholesky factorisation, only to see whether it exists.
fn check_positive(n: usize, mut a: Vec<f64>) -> Result<(), InertiaError> {
    for k in 0..n {
        let pivot = a[k * n + k] - (0..k).map(|j| a[k * n + j] * a[k * n + j]).sum::<f64>();
        // Below this, rounding of the entries alone decides the sign.
        if pivot.is_nan() || pivot <= 1e-14 * a[k * n + k].abs() {
            return Err(InertiaError::NotPositiveDefinite { rows: k + 1 });
        }
        let root = pivot.sqrt();
        for i in k + 1..n {
            let inner: f64 = (0..k).map(|j| a[i * n + j] * a[k * n + j]).sum();
            a[i * n + k] = (a[i * n + k] - inner) / root;
        }
        a[k * n + k] = root;
    }
    Ok(())
}
