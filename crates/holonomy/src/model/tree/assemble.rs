//! `assemble`: the configuration nearest to the one given that meets the constraints.
//!
//! ```text
//! δ = −W Gᵀ (G W Gᵀ)⁺ g        Gauss–Newton; W = M⁻¹ without the coordinates that are kept
//! ```
use crate::{
    geometry::so3,
    tree::{Kind, Kinematics, Moving, Rows, Tree},
};
use nalgebra::{DMatrix, DVector};

/// What came of it.
pub(super) struct Assembly {
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    /// Constraint errors before and after, row by row.
    pub(super) before: Vec<f64>,
    pub(super) after: Vec<f64>,
    /// How much of the velocity was taken away, as a fraction.
    pub(super) slowed: f64,
    pub(super) closed: bool,
    /// The size of the tree, m.
    pub(super) length: f64,
}

/// Rounding, as a fraction of the numbers a constraint is a difference of.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
const MOST_STEPS: usize = 100;

pub(super) fn assemble(tree: &Tree, q: &[f64], v: &[f64], kept: &[bool]) -> Assembly {
    let mut q = q.to_vec();
    let mut rows = Rows::default();
    evaluate(tree, 0.0, &q, &mut rows);
    let before = rows.value.clone();
    let length = tree.length();
    for _ in 0..MOST_STEPS {
        if is_closed(&rows, ROUNDING) {
            break;
        }
        let g = DVector::from_column_slice(&rows.value);
        let Some(step) = metric(tree, &q, kept).and_then(|w| correction(&w, &rows, &g, v.len())) else {
            break;
        };
        let open = g.norm();
        let mut fraction = 1.0;
        let mut moved = None;
        while fraction > 1e-4 {
            let trial = displaced(tree, &q, &step, fraction);
            evaluate(tree, 0.0, &trial, &mut rows);
            let now = rows.value.iter().map(|g| g * g).sum::<f64>().sqrt();
            if now < open * (1.0 - 0.1 * fraction) {
                moved = Some(trial);
                break;
            }
            fraction *= 0.5;
        }
        match moved {
            Some(trial) => q = trial,
            None => break,
        }
    }
    evaluate(tree, 0.0, &q, &mut rows);
    let closed = is_closed(&rows, 1e-12) || rows.value.iter().all(|g| g.abs() <= 1e-13 * length);
    let (v, slowed) = slowed(tree, &q, v, kept, &mut rows);
    Assembly {
        q,
        v,
        before,
        after: rows.value.clone(),
        slowed,
        closed,
        length,
    }
}

fn is_closed(rows: &Rows, tolerance: f64) -> bool {
    (rows.value.iter().zip(&rows.scale)).all(|(g, scale)| g.abs() <= tolerance * scale)
}

fn evaluate(tree: &Tree, t: f64, q: &[f64], rows: &mut Rows) {
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

/// The inverse of the mass matrix, zero in the rows and columns of what is kept.
fn metric(tree: &Tree, q: &[f64], kept: &[bool]) -> Option<DMatrix<f64>> {
    let n = kept.len();
    let mass = DMatrix::from_row_slice(n, n, &tree.mass_matrix(q));
    let free: Vec<usize> = (0..n).filter(|k| !kept[*k]).collect();
    let mut block = mass.select_rows(&free).select_columns(&free);
    // Directions without inertia at this very place are still ways to move.
    let ridge = 1e-12 * block.diagonal().amax();
    (0..free.len()).for_each(|k| block[(k, k)] += ridge);
    let inverse = block.cholesky()?.inverse();
    let mut out = DMatrix::zeros(n, n);
    for (a, i) in free.iter().enumerate() {
        for (b, j) in free.iter().enumerate() {
            out[(*i, *j)] = inverse[(a, b)];
        }
    }
    Some(out)
}

/// `−W Gᵀ (G W Gᵀ)⁺ g`.
fn correction(w: &DMatrix<f64>, rows: &Rows, g: &DVector<f64>, n: usize) -> Option<DVector<f64>> {
    let jacobian = DMatrix::from_row_slice(g.len(), n, &rows.jacobian);
    let wg = w * jacobian.transpose();
    let schur = &jacobian * &wg;
    let largest = schur.diagonal().amax();
    let multipliers = schur.svd(true, true).solve(g, 1e-11 * largest).ok()?;
    let step = -(wg * multipliers);
    step.iter().all(|x| x.is_finite()).then_some(step)
}

fn displaced(tree: &Tree, q: &[f64], step: &DVector<f64>, fraction: f64) -> Vec<f64> {
    let mut q = q.to_vec();
    for node in &tree.nodes {
        if node.kind == Kind::Ball {
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
fn slowed(tree: &Tree, q: &[f64], v: &[f64], kept: &[bool], rows: &mut Rows) -> (Vec<f64>, f64) {
    let m = rows.value.len();
    if m == 0 || !rows.value.iter().all(|g| g.is_finite()) {
        return (v.to_vec(), 0.0);
    }
    // What time does to the constraints, through driven lengths and joints.
    const DT: f64 = 1e-5;
    let mut rate = DVector::from_iterator(m, rows.value.iter().map(|g| -3.0 * g));
    for (k, weight) in [(1.0, 4.0), (2.0, -1.0)] {
        evaluate(tree, k * DT, q, rows);
        for (rate, g) in rate.iter_mut().zip(&rows.value) {
            *rate += weight * g;
        }
    }
    rate /= 2.0 * DT;
    // Differences of numbers that do not depend on time.
    rate.iter_mut().filter(|x| x.abs() < 1e-9).for_each(|x| *x = 0.0);
    evaluate(tree, 0.0, q, rows);
    let jacobian = DMatrix::from_row_slice(m, v.len(), &rows.jacobian);
    let given = DVector::from_column_slice(v);
    let opening = jacobian * &given + rate;
    let size = given.amax().max(opening.amax());
    if opening.amax() <= 1e-13 * size {
        return (v.to_vec(), 0.0);
    }
    match metric(tree, q, kept).and_then(|w| correction(&w, rows, &opening, v.len())) {
        Some(change) => {
            let fraction = if given.amax() > 0.0 {
                change.amax() / given.amax()
            } else {
                0.0
            };
            ((given + change).iter().copied().collect(), fraction)
        }
        None => (v.to_vec(), 0.0),
    }
}
