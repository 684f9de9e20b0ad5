//! How the forces at rest change as joints are displaced: `H = −∂(F − Gᵀλ)/∂q`, λ fixed, exactly, a column in O(n).
use super::SettleSearch;
use crate::{
    geometry::se3::{Wrench, wrench_from},
    tree::{Curvatures, Looking, Moving, Sight, middle::Placement},
};
use nalgebra::{DMatrix, DVector};

impl SettleSearch<'_> {
    /// H at the present configuration.
    pub(super) fn stiffness(&mut self, lambda: &DVector<f64>) -> DMatrix<f64> {
        let (tree, t, n) = (self.tree, self.settling.t, self.still.len());
        self.load(&self.q.clone());
        let kinematics = &self.dynamics.kinematics;
        let sight = Sight {
            t,
            q: &self.q,
            v: &self.still,
            kinematics,
            multipliers: &[],
        };
        let at = Moving {
            t,
            q: &self.q,
            kinematics,
            accelerations: None,
        };
        let terms = &mut self.middle.terms;
        terms.clear();
        tree.couple(kinematics, 1.0, &mut Curvatures::default(), terms);
        tree.couple_feedback(&sight, (1.0, 1.0, 1.0), None, &mut Looking::default(), terms);
        let held: Vec<f64> = lambda.iter().take(tree.constraints()).map(|nu| -nu).collect();
        tree.curve(&at, &held, &mut self.loads.loads, terms);
        terms.finish();
        let mut forces: Vec<Wrench> = self.loads.loads.iter().map(|load| load.wrench).collect();
        for (i, node) in tree.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                let carried = wrench_from(&forces[i], &kinematics.frames[i].offset);
                forces[parent] += carried;
            }
        }
        self.middle.prepare(
            tree,
            &Placement {
                frames: &kinematics.frames,
                momenta: &[],
                forces: &forces,
                loads: &self.loads.loads,
                efforts: &self.loads.efforts,
            },
        );
        let mut h = DMatrix::zeros(n, n);
        let (mut moved, mut unused) = (vec![0.0; n], vec![0.0; n]);
        for (j, mut column) in h.column_iter_mut().enumerate() {
            moved[j] = 1.0;
            self.middle
                .push(tree, (&moved, &self.still), &mut unused, column.as_mut_slice());
            moved[j] = 0.0;
        }
        -h
    }
}
