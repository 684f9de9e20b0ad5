//! `assemble`: the configuration nearest to the one given that meets the constraints.
//!
//! ```text
//! δ = −M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁺ g        Gauss–Newton; each coordinate that is held is one more constraint
//! ```
use super::{ConstraintRows, Dynamics, JointKind, Kinematics, MinNorm, Moving, Tree};
use crate::{geometry::so3, solve};
use nalgebra::{DMatrix, DVector};

/// What assembling a tree came to, at time zero.
pub struct Assembly {
    /// The configuration.
    pub q: Vec<f64>,
    /// The velocity that the constraints allow.
    pub v: Vec<f64>,
    /// Constraint violation before, row by row.
    pub before: Vec<f64>,
    /// The same after.
    pub after: Vec<f64>,
    /// How much of the velocity was taken away, as a fraction.
    pub slowed: f64,
    /// Whether the constraints are met.
    pub closed: bool,
    /// The size of the tree, m.
    pub length: f64,
}

/// Rounding, as a fraction of the numbers a constraint is a difference of.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
const MOST_STEPS: usize = 100;

/// Moves `(q, v)` to the nearest state that the constraints allow at time zero, leaving alone the coordinates in `held`.
pub fn assemble(tree: &Tree, q: &[f64], v: &[f64], held: &[bool]) -> Assembly {
    assemble_at(tree, 0.0, q, v, held)
}

/// The same at a time.
pub fn assemble_at(tree: &Tree, t: f64, q: &[f64], v: &[f64], held: &[bool]) -> Assembly {
    let mut q = q.to_vec();
    let mut rows = ConstraintRows::default();
    evaluate(tree, t, &q, &mut rows);
    let before = rows.value.clone();
    let closed = close(tree, t, &mut q, held, &mut rows);
    let (v, slowed) = slowed(tree, &q, v, held, &mut rows);
    Assembly {
        q,
        v,
        before,
        after: rows.value.clone(),
        slowed,
        closed,
        length: tree.length(),
    }
}

/// Moves q to where the constraints hold at time t; whether they do, and what they are there.
pub(crate) fn close(tree: &Tree, t: f64, q: &mut Vec<f64>, held: &[bool], rows: &mut ConstraintRows) -> bool {
    close_by(tree, t, q, held, rows, &|q, rows| evaluate(tree, t, q, rows))
}

/// The same with rows that somebody else evaluates.
pub(super) fn close_by(
    tree: &Tree,
    t: f64,
    q: &mut Vec<f64>,
    held: &[bool],
    rows: &mut ConstraintRows,
    evaluate: &dyn Fn(&[f64], &mut ConstraintRows),
) -> bool {
    evaluate(q, rows);
    tree.release_slip(rows);
    for _ in 0..MOST_STEPS {
        if is_closed(rows, ROUNDING) {
            break;
        }
        let g = DVector::from_column_slice(&rows.value);
        let Some(step) = correction(tree, q, held, rows, &g) else {
            break;
        };
        let before = g.norm();
        let mut fraction = 1.0;
        let mut moved = None;
        while fraction > 1e-4 {
            let trial = displaced(tree, q, &step, fraction);
            evaluate(&trial, rows);
            tree.release_slip(rows);
            let now = rows.value.iter().map(|g| g * g).sum::<f64>().sqrt();
            if now < before * (1.0 - 0.1 * fraction) {
                moved = Some(trial);
                break;
            }
            fraction *= 0.5;
        }
        match moved {
            Some(trial) => *q = trial,
            None => break,
        }
    }
    tree.drive(t, q);
    evaluate(q, rows);
    let length = tree.length();
    is_closed(rows, 1e-12) || rows.value.iter().all(|g| g.abs() <= 1e-13 * length)
}

impl Tree {
    /// The constraints at a configuration, at time t, without strings that are slack.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn evaluate_constraints(&self, t: f64, q: &[f64], slack: &[usize], rows: &mut ConstraintRows) {
        evaluate_all(self, t, q, rows);
        slack.iter().for_each(|row| rows.release(*row));
    }
}

fn is_closed(rows: &ConstraintRows, tolerance: f64) -> bool {
    (rows.value.iter().zip(&rows.scale)).all(|(g, scale)| g.abs() <= tolerance * scale)
}

pub(crate) fn evaluate(tree: &Tree, t: f64, q: &[f64], rows: &mut ConstraintRows) {
    evaluate_all(tree, t, q, rows);
    tree.release_slack(rows);
}

/// The same with strings that are slack.
pub(super) fn evaluate_all(tree: &Tree, t: f64, q: &[f64], rows: &mut ConstraintRows) {
    let mut q = q.to_vec();
    tree.drive(t, &mut q);
    let mut kinematics = Kinematics::default();
    kinematics.place(tree, &q);
    let at = Moving {
        t,
        q: &q,
        kinematics: &kinematics,
        accelerations: None,
    };
    tree.constrain(&at, rows);
}

/// `−M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁺ g`, where G and g have a row more for each coordinate that is held. O(n) for each row.
fn correction(
    tree: &Tree,
    q: &[f64],
    held: &[bool],
    rows: &ConstraintRows,
    g: &DVector<f64>,
) -> Option<DVector<f64>> {
    let n = held.len();
    let mut dynamics = Dynamics::default();
    dynamics.kinematics.place(tree, q);
    dynamics.factorise(tree).ok()?;
    let fixed: Vec<usize> = (0..n).filter(|k| held[*k]).collect();
    let m = g.len() + fixed.len();
    let mut jacobian = DMatrix::from_row_slice(g.len(), n, &rows.jacobian).resize_vertically(m, 0.0);
    for (row, k) in fixed.iter().enumerate() {
        jacobian[(g.len() + row, *k)] = 1.0;
    }
    let mut columns = DMatrix::zeros(n, m);
    let (mut row, mut column) = (vec![0.0; n], vec![0.0; n]);
    for k in 0..m {
        row.iter_mut()
            .zip(jacobian.row(k).iter())
            .for_each(|(a, b)| *a = *b);
        dynamics.solve_mass(tree, &row, &mut column);
        columns.column_mut(k).copy_from_slice(&column);
    }
    let schur = solve::product(&jacobian, &columns);
    let mut system = MinNorm::default();
    for (entry, x) in system.reset(m).iter_mut().zip(schur.transpose().iter()) {
        *entry = *x;
    }
    system.factorise();
    let mut multipliers = g.clone().resize_vertically(m, 0.0);
    system.solve(multipliers.as_mut_slice());
    let mut step = -(columns * multipliers);
    fixed.iter().for_each(|k| step[*k] = 0.0);
    step.iter().all(|x| x.is_finite()).then_some(step)
}

pub(crate) fn displaced(tree: &Tree, q: &[f64], step: &DVector<f64>, fraction: f64) -> Vec<f64> {
    let mut q = q.to_vec();
    for node in &tree.nodes {
        if node.kind == JointKind::Ball {
            let half = [0, 1, 2].map(|k| 0.5 * fraction * step[node.v + k]);
            let turned = so3::product(&q[node.q..node.q + 4], &[1.0, half[0], half[1], half[2]]);
            let norm = turned.iter().map(|x| x * x).sum::<f64>().sqrt();
            q[node.q..node.q + 4].copy_from_slice(&so3::normalised(turned.map(|x| x / norm)));
        } else {
            for k in 0..node.dofs {
                q[node.q + k] += fraction * step[node.v + k];
            }
        }
    }
    q
}

/// The velocities that keep the constraints, nearest in kinetic energy; and the fraction that was taken away.
fn slowed(tree: &Tree, q: &[f64], v: &[f64], held: &[bool], rows: &mut ConstraintRows) -> (Vec<f64>, f64) {
    let m = rows.value.len();
    if m == 0 || !rows.value.iter().all(|g| g.is_finite()) {
        return (v.to_vec(), 0.0);
    }
    // ∂g/∂t: driven lengths and joints have their own derivatives.
    let rate = DVector::from_column_slice(&rows.rate);
    let given = DVector::from_column_slice(v);
    let jacobian = |rows: &ConstraintRows| DMatrix::from_row_slice(m, v.len(), &rows.jacobian);
    let mut violation = jacobian(rows) * &given + &rate;
    if tree.release_slackening(&mut violation, rows) {
        violation = jacobian(rows) * &given + DVector::from_column_slice(&rows.rate);
    }
    let size = given.amax().max(violation.amax());
    if violation.amax() <= 1e-13 * size {
        return (v.to_vec(), 0.0);
    }
    match correction(tree, q, held, rows, &violation) {
        Some(change) => {
            // Zero is also what is not given at all.
            let touched = change.iter().zip(given.iter()).filter(|(_, v)| **v != 0.0);
            let largest = touched.map(|(change, _)| change.abs()).fold(0.0, f64::max);
            let fraction = if largest > 0.0 {
                largest / given.amax()
            } else {
                0.0
            };
            ((given + change).iter().copied().collect(), fraction)
        }
        None => (v.to_vec(), 0.0),
    }
}
