//! How forces between bodies change as the bodies move: terms of low rank.
//!
//! ```text
//! s = Σ_i R_i z_i,   y_i += C_i s              z = (η, δV): pose and twist, seen from the node
//!                                              y = (δF, δP): what acts on it, seen from the node
//! ```
//! A force between two points takes three rows, a beam six. A term on one node alone is a matrix `C_i R_i`
//! there.
use nalgebra::{SMatrix, SVector, Vector6};

use crate::{Vec3, geometry::se3::join};

pub(crate) type Vector12 = SVector<f64, 12>;
pub(crate) type Matrix12 = SMatrix<f64, 12, 12>;

/// The rows R and columns C of all terms, and the matrices of those that are on one node alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Couplings {
    /// The number of rows.
    pub(crate) rank: usize,
    rows: Vec<Part>,
    columns: Vec<Part>,
    /// Matrices by node, in order of the nodes.
    pub(crate) grounded: Vec<(usize, Matrix12)>,
    /// Where the rows and columns of the present term begin.
    first: [usize; 2],
    pub(super) points: Vec<Vec3>,
    pub(super) gradients: [Vec<Vec3>; 2],
    pub(super) hessian: Vec<f64>,
}

/// A row or column, on a node.
#[derive(Clone, Debug)]
struct Part {
    node: usize,
    number: usize,
    values: Vector12,
}

impl Couplings {
    pub(super) fn clear(&mut self) {
        self.rank = 0;
        self.rows.clear();
        self.columns.clear();
        self.grounded.clear();
    }

    /// A new term.
    pub(super) fn begin(&mut self) {
        self.first = [self.rows.len(), self.columns.len()];
    }

    /// Adds to row `number` of the term.
    pub(super) fn row(&mut self, node: usize, number: usize, values: &Vector12) {
        self.rows.push(Part {
            node,
            number: self.rank + number,
            values: *values,
        });
    }

    /// Adds to column `number` of the term.
    pub(super) fn column(&mut self, node: usize, number: usize, values: &Vector12) {
        self.columns.push(Part {
            node,
            number: self.rank + number,
            values: *values,
        });
    }

    /// The term had this many rows.
    pub(super) fn end(&mut self, rank: usize) {
        let [rows, columns] = [&self.rows[self.first[0]..], &self.columns[self.first[1]..]];
        let Some(node) = rows.first().map(|part| part.node) else {
            self.columns.truncate(self.first[1]);
            return;
        };
        if rows.iter().chain(columns).any(|part| part.node != node) {
            self.rank += rank;
            return;
        }
        let mut matrix = Matrix12::zeros();
        for row in rows {
            for column in columns.iter().filter(|column| column.number == row.number) {
                matrix.ger(1.0, &column.values, &row.values, 1.0);
            }
        }
        self.rows.truncate(self.first[0]);
        self.columns.truncate(self.first[1]);
        self.grounded.push((node, matrix));
    }

    pub(super) fn finish(&mut self) {
        self.grounded.sort_unstable_by_key(|(node, _)| *node);
    }

    /// s from the changes of the nodes.
    pub(crate) fn measure(&self, z: &[Vector12], s: &mut [f64]) {
        s.fill(0.0);
        for row in &self.rows {
            s[row.number] += row.values.dot(&z[row.node]);
        }
    }

    /// `y += C s`.
    pub(crate) fn act(&self, s: &[f64], y: &mut [Vector12]) {
        for column in &self.columns {
            y[column.node].axpy(s[column.number], &column.values, 1.0);
        }
    }

    /// A node in the first term that is not on one alone.
    pub(crate) fn first_node(&self) -> usize {
        self.rows.first().map_or(0, |row| row.node)
    }
}

/// A force at an arm, or the displacement there along it: `(e, r × e)` on pose or force.
pub(super) fn at(arm: &Vec3, e: &Vec3) -> Vector12 {
    stack(&join(e, &arm.cross(e)), &Vector6::zeros())
}

pub(super) fn stack(a: &Vector6<f64>, b: &Vector6<f64>) -> Vector12 {
    let mut out = Vector12::zeros();
    out.fixed_rows_mut::<6>(0).copy_from(a);
    out.fixed_rows_mut::<6>(6).copy_from(b);
    out
}
