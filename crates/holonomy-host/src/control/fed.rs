//! The feedback of a plan as a run gives it: in the middle of steps, from what a force sees there.
//!
//! ```text
//! uₖ = ūₖ + K δzₖ,   δzₖ₊₁ = (A + B K) δzₖ                         of a plan: inputs are held, and answer to the beginning
//! δw = (½ (δxₖ + δxₖ₊₁), (δxₖ₊₁ − δxₖ) / h) = W δzₖ                what a force in the middle of the step sees
//! uₖ = ūₖ + K' δw,   K' W = K                                      the same answer to first order
//! ```
//! A midpoint rule takes its forces from there, and all within the step: the run is held as the plan promises, and where it
//! is not disturbed it is the plan. Under constraints W and K are looked at along them, and K' is the smallest that will do.
use super::horizon::Plan;
use crate::flow::Flow;
use holonomy::{
    derivative::Minimal,
    system::{Mechanism, State},
};
use holonomy_model::Model;
use nalgebra::DMatrix;

/// What inputs answer to in a run, and how.
#[derive(Clone, Debug, Default)]
pub struct Fed {
    /// Coordinates, then velocities, by name.
    pub of: Vec<String>,
    /// What they are in the middle of each step.
    pub about: Vec<Vec<f64>>,
    /// How much each input answers to each of them in each step: a row for each input.
    pub gains: Vec<DMatrix<f64>>,
}

/// Singular values of W below this part of the largest are of what a force does not see: far above rounding, far below
/// what the units of a model make of them.
const UNSEEN: f64 = 1e-12;
/// How far K' W may be from K: rounding, as much larger as W is badly conditioned.
const ALIKE: f64 = 1e-6;
/// A text of so many numbers is what a run still reads in a second.
const MOST_NUMBERS: usize = 1_000_000;

/// The places in q of the coordinates that belong to each velocity; `None` where some are parts of rotations.
fn places(mechanism: &Mechanism) -> Option<Vec<usize>> {
    let layout = mechanism.system().layout().clone();
    match mechanism {
        Mechanism::Spheres(_) => None,
        Mechanism::Lagrangian(system) => {
            (!system.is_framed()).then(|| (0..layout.coordinates.len()).collect())
        }
        Mechanism::Tree(tree) => (0..layout.velocities.len())
            .map(|v| {
                let joint = tree.scalar_velocity(v)?;
                (0..layout.coordinates.len()).find(|q| tree.scalar_coordinate(*q) == Some(joint))
            })
            .collect(),
    }
}

/// The feedback of a plan for a run, or why there is none, as a sentence.
pub(super) fn fed(model: &Model, flow: &mut Flow, plan: &Plan<State>) -> Result<Fed, String> {
    let h = model.schedule.step;
    let layout = model.mechanism.system().layout().clone();
    let Some(places) = places(&model.mechanism) else {
        let why = "Gains for ball and free joints are in `gains.csv` alone: a run feeds back angles and lengths of joints.";
        return Err(why.to_owned());
    };
    let n = places.len();
    if 2 * plan.inputs.len() * 2 * n * model.inputs.len() > MOST_NUMBERS {
        let why = "The gains are too many to be read by a run: they are in `gains.csv` alone.";
        return Err(why.to_owned());
    }
    let coordinates = places.iter().map(|q| layout.coordinates[*q].clone());
    let mut fed = Fed {
        of: coordinates.chain(layout.velocities.iter().cloned()).collect(),
        ..Fed::default()
    };
    let unseen = |k: usize| {
        format!(
            "The gains are in `gains.csv` alone: at t = {} s a force in the middle of a step does not see all they answer to.",
            holonomy::decimal(model.state.t + k as f64 * h)
        )
    };
    for (k, gain) in plan.gains.iter().enumerate() {
        let (from, to) = (&plan.points[k], &plan.points[k + 1]);
        let (a, b) = flow
            .linearised(from, &plan.inputs[k], to)
            .map_err(|fault| flow.describe(fault))?;
        let closed = a + b * gain;
        let mut seen = DMatrix::zeros(2 * n, 2 * n);
        for i in 0..n {
            for j in 0..2 * n {
                let (here, next) = (f64::from(u8::from(i == j)), closed[(i, j)]);
                seen[(i, j)] = 0.5 * (here + next);
                // Times h, so that both halves are lengths and angles.
                seen[(n + i, j)] = next - here;
            }
        }
        let basis = Minimal::at(&model.mechanism, from).map_err(|error| error.to_string())?;
        let basis = basis.basis();
        let along = DMatrix::from_fn(2 * n, basis.len(), |i, j| match i < n {
            true => basis[j].x[i],
            false => basis[j].y[i - n],
        });
        let (seen, wanted) = (seen * &along, gain * &along);
        // Momenta and displacements have other units: each direction counts as much as it is seen.
        let size: Vec<f64> = seen.column_iter().map(|column| column.norm()).collect();
        let scaled = |matrix: &DMatrix<f64>| {
            DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[(i, j)] / size[j])
        };
        let (seen, wanted) = (scaled(&seen), scaled(&wanted));
        let inverse = (seen.clone().pseudo_inverse(UNSEEN)).map_err(|_| unseen(k))?;
        let mut found = &wanted * inverse;
        let off = (&found * &seen - &wanted).amax();
        if !(off <= ALIKE * wanted.amax()) {
            return Err(unseen(k));
        }
        found.columns_mut(n, n).scale_mut(h);
        fed.gains.push(found);
        let middle = places.iter().map(|q| 0.5 * (from.q[*q] + to.q[*q]));
        let rate = places.iter().map(|q| (to.q[*q] - from.q[*q]) / h);
        fed.about.push(middle.chain(rate).collect());
    }
    Ok(fed)
}
