//! Terms of low rank: how forces between bodies change as the bodies move.
//!
//! ```text
//! s = Σ_i R_i z_i + Σ_j ρ_j x_j                            z, y and x as in `factors`
//! y_i += C_i s,   r_j += γ_j s                             on nodes, and in joints
//!
//! J x + C s = r,   s = R x                                 J of the tree alone
//! (1 + R J⁻¹ C) s = R J⁻¹ r,   x = J⁻¹ (r − C s)           Woodbury, one sweep for each row of R
//! ```
//! A force between two points takes three rows, a beam six, a force that sees the state one for each number that it has.
//! A term on one node alone is a matrix `C_i R_i` there, and part of J.
use super::{Node, Spatial, Square, Sweeps, Tree};
use crate::solve::Lu;

/// The rows R and columns C of all terms, and `1 + R J⁻¹ C` factorised.
#[derive(Clone, Debug, Default)]
pub(crate) struct LowRank<const N: usize> {
    /// The number of rows.
    pub(super) rank: usize,
    pub(super) rows: Vec<NodeVector<N>>,
    pub(super) columns: Vec<NodeVector<N>>,
    /// ρ and γ, by velocity.
    pub(super) joint_rows: Vec<JointNumber>,
    pub(super) joint_columns: Vec<JointNumber>,
    /// Matrices by node, in order of the nodes.
    pub(super) on_one_node: Vec<(usize, Square<N>)>,
    /// Where the rows and columns of the present term begin.
    first: [usize; 4],
    /// By number, from where to where among columns and joint columns its term stands.
    spans: Vec<[std::ops::Range<usize>; 2]>,
    /// `1 + R J⁻¹ C`.
    pub(super) matrix: Lu,
    /// `−R J⁻¹ C`, column after column.
    products: Vec<f64>,
    pub(super) s: Vec<f64>,
    pub(super) right: Vec<f64>,
}

/// A row or column, on a node.
#[derive(Clone, Debug)]
pub(super) struct NodeVector<const N: usize> {
    pub(super) node: usize,
    pub(super) number: usize,
    pub(super) values: Spatial<N>,
}

/// A number of a row or column, of a velocity.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointNumber {
    pub(super) velocity: usize,
    pub(super) number: usize,
    pub(super) value: f64,
    /// Whether it is the velocity that is seen, not the coordinate.
    pub(super) rate: bool,
}

impl<const N: usize> LowRank<N> {
    /// The number of rows.
    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    /// Matrices of terms on one node alone, by node, in order.
    pub(super) fn on_one_node(&self) -> &[(usize, Square<N>)] {
        &self.on_one_node
    }

    /// Forgets all terms.
    pub(crate) fn clear(&mut self) {
        self.rank = 0;
        self.spans.clear();
        self.rows.clear();
        self.columns.clear();
        self.joint_rows.clear();
        self.joint_columns.clear();
        self.on_one_node.clear();
    }

    /// Begins a term.
    pub(crate) fn begin(&mut self) {
        self.first = [
            self.rows.len(),
            self.columns.len(),
            self.joint_rows.len(),
            self.joint_columns.len(),
        ];
    }

    /// Adds to row `number` of the term.
    pub(crate) fn row(&mut self, node: usize, number: usize, values: &Spatial<N>) {
        self.rows.push(NodeVector {
            node,
            number: self.rank + number,
            values: *values,
        });
    }

    /// Adds to column `number` of the term.
    pub(crate) fn column(&mut self, node: usize, number: usize, values: &Spatial<N>) {
        self.columns.push(NodeVector {
            node,
            number: self.rank + number,
            values: *values,
        });
    }

    /// Adds ρ to row `number` of the term: of a velocity, or of its coordinate.
    pub(crate) fn joint_row(&mut self, velocity: usize, number: usize, value: f64, rate: bool) {
        self.joint_rows.push(JointNumber {
            velocity,
            number: self.rank + number,
            value,
            rate,
        });
    }

    /// Adds γ of a velocity to column `number` of the term.
    pub(crate) fn joint_column(&mut self, velocity: usize, number: usize, value: f64) {
        self.joint_columns.push(JointNumber {
            velocity,
            number: self.rank + number,
            value,
            rate: false,
        });
    }

    /// Ends a term of this many rows.
    pub(crate) fn end(&mut self, rank: usize) {
        let [rows, columns] = [&self.rows[self.first[0]..], &self.columns[self.first[1]..]];
        if self.joint_rows.len() > self.first[2] {
            return self.keep(rank);
        }
        let Some(node) = rows.first().map(|part| part.node) else {
            self.columns.truncate(self.first[1]);
            self.joint_columns.truncate(self.first[3]);
            return;
        };
        if self.joint_columns.len() > self.first[3] {
            return self.keep(rank);
        }
        if rows.iter().chain(columns).any(|part| part.node != node) {
            return self.keep(rank);
        }
        let mut matrix: Square<N> = Square::zeros();
        for row in rows {
            for column in columns.iter().filter(|column| column.number == row.number) {
                matrix.ger(1.0, &column.values, &row.values, 1.0);
            }
        }
        self.rows.truncate(self.first[0]);
        self.columns.truncate(self.first[1]);
        self.on_one_node.push((node, matrix));
    }

    /// The present term has so many rows.
    fn keep(&mut self, rank: usize) {
        self.rank += rank;
        let span = [
            self.first[1]..self.columns.len(),
            self.first[3]..self.joint_columns.len(),
        ];
        self.spans.resize(self.rank, span);
    }

    /// After the last term.
    pub(crate) fn finish(&mut self) {
        self.on_one_node.sort_unstable_by_key(|(node, _)| *node);
    }

    /// What the terms do where nodes change by z, and coordinates and velocities of joints by `(q, v)`: added to what acts
    /// on nodes and in joints.
    pub(crate) fn apply(
        &mut self,
        z: &[Spatial<N>],
        (q, v): (&[f64], &[f64]),
        y: &mut [Spatial<N>],
        r: &mut [f64],
    ) {
        for (node, matrix) in &self.on_one_node {
            y[*node] += matrix * z[*node];
        }
        self.s.clear();
        self.s.resize(self.rank, 0.0);
        measure(&self.rows, z, &mut self.s);
        for row in &self.joint_rows {
            let JointNumber { velocity, value, .. } = *row;
            self.s[row.number] += value * if row.rate { v[velocity] } else { q[velocity] };
        }
        act(&self.columns, &self.s, y);
        for column in &self.joint_columns {
            r[column.velocity] += column.value * self.s[column.number];
        }
    }

    /// Factorises `1 + R J⁻¹ C` for an eliminated J. A node of the first term is the error if it is singular.
    pub(super) fn factorise(&mut self, tree: &Tree, sweeps: &mut Sweeps<N>) -> Result<(), usize> {
        let rank = self.rank;
        if rank == 0 {
            return Ok(());
        }
        self.right.resize(tree.velocities, 0.0);
        self.products.resize(rank * rank, 0.0);
        self.s.resize(rank, 0.0);
        for (j, product) in self.products.chunks_exact_mut(rank).enumerate() {
            sweeps.clear_marks();
            self.right.fill(0.0);
            let [nodes, joints] = self.spans[j].clone();
            for column in self.columns[nodes].iter().filter(|column| column.number == j) {
                *sweeps.mark(tree, column.node) += column.values;
            }
            for column in self.joint_columns[joints]
                .iter()
                .filter(|column| column.number == j)
            {
                let holds = |node: &Node| node.dofs > 0 && node.v <= column.velocity;
                if let Some(node) = tree.nodes.iter().rposition(holds) {
                    sweeps.mark(tree, node);
                }
                self.right[column.velocity] -= column.value;
            }
            sweeps.solve_marked(tree, &mut self.right);
            measure(&self.rows, sweeps.changes(), product);
            measure_joints(&self.joint_rows, &self.right, product);
        }
        let matrix = self.matrix.reset(rank);
        for i in 0..rank {
            for j in 0..rank {
                matrix[i * rank + j] = f64::from(u8::from(i == j)) - self.products[j * rank + i];
            }
        }
        match self.matrix.factorise() {
            true => Ok(()),
            false => Err(self.rows.first().map_or(0, |row| row.node)),
        }
    }

    /// Solves `J x + C R x = r` in place.
    pub(super) fn solve(&mut self, tree: &Tree, sweeps: &mut Sweeps<N>, r: &mut [f64]) {
        if self.rank == 0 {
            return sweeps.solve(tree, r);
        }
        self.right.copy_from_slice(r);
        sweeps.solve(tree, &mut self.right);
        measure(&self.rows, sweeps.changes(), &mut self.s);
        measure_joints(&self.joint_rows, &self.right, &mut self.s);
        self.matrix.substitute(&mut self.s);
        act(&self.columns, &self.s, sweeps.unload());
        push(&self.joint_columns, &self.s, r);
        sweeps.solve_loaded(tree, r);
    }
}

/// `s = R z`.
fn measure<const N: usize>(rows: &[NodeVector<N>], z: &[Spatial<N>], s: &mut [f64]) {
    s.fill(0.0);
    for row in rows {
        s[row.number] += row.values.dot(&z[row.node]);
    }
}

/// `y += C s`.
fn act<const N: usize>(columns: &[NodeVector<N>], s: &[f64], y: &mut [Spatial<N>]) {
    for column in columns {
        y[column.node].axpy(s[column.number], &column.values, 1.0);
    }
}

/// `s += ρ x`.
fn measure_joints(rows: &[JointNumber], x: &[f64], s: &mut [f64]) {
    for row in rows {
        s[row.number] += row.value * x[row.velocity];
    }
}

/// `r −= γ s`: what is on the left goes to the right.
fn push(columns: &[JointNumber], s: &[f64], r: &mut [f64]) {
    for column in columns {
        r[column.velocity] -= column.value * s[column.number];
    }
}
