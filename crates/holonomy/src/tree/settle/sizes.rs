//! How large the forces are that may balance each other.
use crate::{
    Vec3,
    geometry::se3::{angular, linear},
    tree::{Loads, Sight, Tree, forces::Load},
};

impl Tree {
    /// The sum of the sizes of the forces, and of their moments, on each node: of gravity, of each potential and link, and
    /// of each wrench by itself. A force through the joint has no moment, but one that is the difference of large ones.
    pub(super) fn force_sizes(&self, sight: &Sight<'_>, work: &mut Loads) -> Vec<(f64, f64)> {
        let (t, kinematics) = (sight.t, sight.kinematics);
        let frames = &kinematics.frames;
        let mut sizes: Vec<(f64, f64)> = work.loads.iter().map(|load| (0.0, load.turning.norm())).collect();
        let mut add = |node: usize, arm: f64, force: f64, moment: f64| {
            sizes[node].0 += force;
            sizes[node].1 += arm * force + moment;
        };
        for (i, frame) in frames.iter().enumerate() {
            let weight = frame.inertia.mass * self.gravity.norm();
            add(i, frame.inertia.centre.norm(), weight, 0.0);
        }
        self.points(kinematics, &mut work.points);
        for potential in &self.potentials {
            work.gradient.clear();
            work.gradient.resize(work.points.len(), Vec3::zeros());
            potential.add_gradient(&work.points, &mut work.gradient);
            for (site, gradient) in self.sites.iter().zip(&work.gradient) {
                if let Some(node) = site.node {
                    add(node, site.position.norm(), gradient.norm(), 0.0);
                }
            }
        }
        let mut loads = vec![Load::default(); self.nodes.len()];
        for link in &self.links {
            link.load(kinematics, 1.0, &mut loads);
            for (i, load) in loads.iter_mut().enumerate() {
                add(i, 0.0, linear(&load.wrench).norm(), angular(&load.wrench).norm());
                *load = Load::default();
            }
        }
        for wrench in &self.wrenches {
            let node = self.body_nodes[wrench.body];
            let (force, moment) = (wrench.value)(t);
            let arm = (wrench.position - frames[node].origin)
                .norm()
                .max(wrench.position.norm());
            add(node, arm, force.norm(), moment.norm());
        }
        if self.has_feedback() {
            let mut fed = Loads {
                loads,
                efforts: work.efforts.clone(),
                ..Loads::default()
            };
            self.feed_back(sight, 1.0, &mut fed);
            for (i, load) in fed.loads.iter().enumerate() {
                add(i, 0.0, linear(&load.wrench).norm(), angular(&load.wrench).norm());
            }
        }
        sizes
    }
}
