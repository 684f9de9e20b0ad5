//! Forces at rest, and the linear problem at one configuration: see `settle.rs`.
use super::{SettleError, SettleSearch};
use crate::{
    geometry::se3::{Wrench, angular, linear, wrench_from},
    solve::{SingularValues, product},
    tree::{ConstraintRows, Sight, min_norm::is_independent},
};
use nalgebra::{Cholesky, DMatrix, DVector};

/// Places are sums of a few terms, each rounded.
const STIFF_ROUNDING: f64 = 16.0;
/// Rows below this fraction of the longest are rounding.
const ROUNDED_ROW: f64 = 1e-10;

/// Forces at a configuration and what there is to compare them with.
pub(super) struct Forces {
    /// F, and the sum of the sizes of its terms.
    pub(super) value: DVector<f64>,
    pub(super) terms: DVector<f64>,
    pub(super) rows: ConstraintRows,
}

/// The linear problem at one configuration.
pub(super) struct Local {
    /// L⁻¹.
    pub(super) inverse: DMatrix<f64>,
    /// Q, one column per independent row.
    pub(super) normal: DMatrix<f64>,
    /// λ, and r.
    pub(super) lambda: DVector<f64>,
    pub(super) residual: DVector<f64>,
    /// P L⁻¹ F.
    pub(super) push: DVector<f64>,
    /// Size of what `push` is a sum of.
    pub(super) terms: f64,
    /// The rounding of r where stiff parts are deformed by the rounding of their places.
    pub(super) rounding: DVector<f64>,
    /// A, its symmetric part, and σ.
    pub(super) matrix: DMatrix<f64>,
    pub(super) symmetric: DMatrix<f64>,
}

impl SettleSearch<'_> {
    /// F at rest and G, with what they are compared with.
    pub(super) fn forces(&mut self, q: &[f64]) -> Result<Forces, SettleError> {
        let mut forces = self.bare_forces(q)?;
        let (tree, frames) = (self.tree, &self.dynamics.kinematics.frames);
        let sight = Sight {
            t: self.settling.t,
            q,
            v: &self.still,
            kinematics: &self.dynamics.kinematics,
            multipliers: &[],
        };
        let mut sizes = tree.force_sizes(&sight, &mut self.loads);
        for (i, node) in tree.nodes.iter().enumerate().rev() {
            for k in 0..node.dofs {
                let (screw, effort) = (frames[i].screw(node.kind, k), &self.loads.efforts[node.v + k]);
                forces.terms[node.v + k] = linear(&screw).norm() * sizes[i].0
                    + angular(&screw).norm() * sizes[i].1
                    + effort.value.abs();
            }
            if let Some(parent) = node.parent {
                let (force, moment) = sizes[i];
                sizes[parent].0 += force;
                sizes[parent].1 += moment + frames[i].offset.norm() * force;
            }
        }
        Ok(forces)
    }

    /// What acts at rest.
    pub(super) fn load(&mut self, q: &[f64]) {
        let (tree, t) = (self.tree, self.settling.t);
        self.dynamics.kinematics.place(tree, q);
        tree.load(t, &self.dynamics.kinematics, &mut self.loads);
        tree.efforts(t, q, &self.still, 1.0, &mut self.loads);
        let sight = Sight {
            t,
            q,
            v: &self.still,
            kinematics: &self.dynamics.kinematics,
            multipliers: &[],
        };
        tree.feed_back(&sight, 1.0, &mut self.loads);
    }

    /// F at rest and G alone.
    fn bare_forces(&mut self, q: &[f64]) -> Result<Forces, SettleError> {
        let (tree, t) = (self.tree, self.settling.t);
        self.load(q);
        let frames = &self.dynamics.kinematics.frames;
        let mut flow: Vec<Wrench> = self.loads.loads.iter().map(|load| load.wrench).collect();
        let n = tree.velocities;
        let mut value = DVector::zeros(n);
        for (i, node) in tree.nodes.iter().enumerate().rev() {
            for k in 0..node.dofs {
                let (screw, effort) = (frames[i].screw(node.kind, k), &self.loads.efforts[node.v + k]);
                value[node.v + k] = screw.dot(&flow[i]) + effort.value;
            }
            if let Some(parent) = node.parent {
                let carried = wrench_from(&flow[i], &frames[i].offset);
                flow[parent] += carried;
            }
        }
        let mut rows = ConstraintRows::default();
        self.taut.evaluate(tree, t, q, &mut rows);
        match value.iter().chain(&rows.jacobian).all(|x| x.is_finite()) {
            true => Ok(Forces {
                terms: DVector::zeros(n),
                value,
                rows,
            }),
            false => Err(SettleError::Undefined),
        }
    }

    pub(super) fn local(&mut self, forces: &Forces) -> Result<Local, SettleError> {
        let n = self.still.len();
        self.dynamics.kinematics.place(self.tree, &self.q);
        let mut mass = DMatrix::from_row_slice(n, n, &self.dynamics.mass_matrix(self.tree));
        for j in 0..n {
            mass[(j, j)] *= 1.0 + 1e-14;
        }
        let lower = Cholesky::new(mass).ok_or(SettleError::Undefined)?.l();
        let one = DMatrix::identity(n, n);
        let inverse = lower.solve_lower_triangular(&one).ok_or(SettleError::Undefined)?;

        let (normal, lambda) = self.multipliers(&inverse, forces);
        let residual = residual_of(forces, &lambda);
        let h = self.stiffness(&lambda);
        let units = DVector::from_column_slice(&self.units);
        let rounding = h.abs() * units * (STIFF_ROUNDING * f64::EPSILON);
        let project = |x: DVector<f64>| &x - &normal * normal.tr_mul(&x);
        let push = project(&inverse * &residual);
        let terms = (inverse.abs() * &forces.terms).norm();
        let mut matrix = product(&product(&inverse, &h), &inverse.transpose());
        matrix -= product(&normal, &normal.tr_mul(&matrix));
        matrix -= product(&product(&matrix, &normal), &normal.transpose());
        let scale = matrix.amax();
        let sigma = if scale > 0.0 { scale } else { 1.0 };
        matrix += product(&normal, &normal.transpose()) * sigma;
        let symmetric = (&matrix + matrix.transpose()) * 0.5;
        // Decompositions of what is not finite do not end.
        if !symmetric.iter().chain(push.iter()).all(|x| x.is_finite()) {
            return Err(SettleError::Undefined);
        }
        Ok(Local {
            inverse,
            normal,
            lambda,
            residual,
            push,
            terms,
            rounding,
            matrix,
            symmetric,
        })
    }

    /// Q, and the shortest multipliers that balance the forces across the constraints.
    pub(super) fn multipliers(
        &self,
        inverse: &DMatrix<f64>,
        forces: &Forces,
    ) -> (DMatrix<f64>, DVector<f64>) {
        let (m, n) = (self.tree.constraints(), self.still.len());
        let held: Vec<usize> = (0..n).filter(|j| self.fixed[*j]).collect();
        let mut across = DMatrix::zeros(n, m + held.len());
        if m > 0 {
            let jacobian = DMatrix::from_row_slice(m, n, &forces.rows.jacobian);
            across
                .columns_mut(0, m)
                .copy_from(&product(inverse, &jacobian.transpose()));
        }
        for (k, j) in held.iter().enumerate() {
            across.set_column(m + k, &inverse.column(*j));
        }
        if across.ncols() == 0 {
            return (DMatrix::zeros(n, 0), DVector::zeros(0));
        }
        let norms: Vec<f64> = across.column_iter().map(|column| column.norm()).collect();
        let longest = norms.iter().copied().fold(0.0, f64::max);
        // What is left of a row by rounding holds nothing back.
        let scale = norms.iter().map(|norm| match *norm > ROUNDED_ROW * longest {
            true => 1.0 / norm,
            false => 0.0,
        });
        let scale = DVector::from_iterator(norms.len(), scale);
        for (mut column, scale) in across.column_iter_mut().zip(scale.iter()) {
            column *= *scale;
        }
        let none = || (DMatrix::zeros(n, 0), DVector::zeros(m));
        if !across.iter().all(|x| x.is_finite()) {
            return none();
        }
        let Some(SingularValues {
            scaled,
            values,
            right,
        }) = SingularValues::new(across)
        else {
            return none();
        };
        let square = |value: f64| value * value;
        let largest = square(values.amax());
        let ranked: Vec<usize> = (0..values.len())
            .filter(|k| is_independent(square(values[*k]), largest))
            .collect();
        let mut normal = scaled.select_columns(&ranked);
        for (mut column, rank) in normal.column_iter_mut().zip(&ranked) {
            column /= values[*rank];
        }
        let pull = normal.tr_mul(&(inverse * &forces.value));
        let mut lambda = DVector::zeros(scale.len());
        for (k, rank) in ranked.iter().enumerate() {
            lambda += right.column(*rank) * (pull[k] / values[*rank]);
        }
        lambda.component_mul_assign(&scale);
        // Multipliers that hold coordinates are left out, but their forces are balanced.
        (normal, lambda)
    }
}

/// `F − Gᵀλ`; multipliers beyond those of the constraints hold coordinates.
pub(super) fn residual_of(forces: &Forces, lambda: &DVector<f64>) -> DVector<f64> {
    let n = forces.value.len();
    let mut r = forces.value.clone();
    for (row, lambda) in forces.rows.jacobian.chunks_exact(n.max(1)).zip(lambda.iter()) {
        for (r, g) in r.iter_mut().zip(row) {
            *r -= g * lambda;
        }
    }
    r
}
