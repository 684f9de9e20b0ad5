//! Where the forces of a tree have kinks: strings that tighten, stops that are reached, joints that turn back under dry
//! friction. Formulas of efforts are not looked into.
use super::{JointForce, JointKind, Tree, links::BoundLink, system::TreeWorkspace};
use crate::system::State;

impl Tree {
    /// A name for each number of [`Tree::kink_sides`].
    pub(super) fn kink_names(&self) -> Vec<String> {
        let strings = self.slack_strings().map(|string| self.string_name(string));
        let mut names: Vec<String> = strings.collect();
        for (body, force) in &self.joint_forces {
            let (what, each) = match force {
                JointForce::Stop(_) => ("stop", 2),
                JointForce::Friction { .. } => ("friction", 1),
                _ => continue,
            };
            let count = each * self.kinked_entries(*body).count();
            names.extend(vec![format!("{what} {}", self.layout.words.bodies[*body]); count]);
        }
        names
    }

    /// How far each is beyond its kink.
    pub(super) fn kink_sides(&self, state: &State, v: &[f64], out: &mut Vec<f64>, work: &mut TreeWorkspace) {
        out.clear();
        if self.slack_strings().next().is_some() {
            work.place(self, state.t, &state.q);
            work.set_moving(self, v);
            let kinematics = &work.dynamics.kinematics;
            out.extend(self.slack_strings().map(|string| string.stretch(kinematics).0));
        }
        for (body, force) in &self.joint_forces {
            for (q, rate) in self.kinked_entries(*body) {
                match force {
                    JointForce::Stop(stop) => {
                        let [least, most] = stop.limits;
                        out.extend([state.q[q] - most, least - state.q[q]]);
                    }
                    JointForce::Friction { .. } => out.push(v[rate]),
                    _ => {}
                }
            }
        }
    }

    fn slack_strings(&self) -> impl Iterator<Item = &super::string::BoundString> {
        self.links.iter().filter_map(|link| match link {
            BoundLink::String(string) => Some(string),
            _ => None,
        })
    }

    /// Entries of q and of the velocity of a joint whose coordinates are numbers of their own.
    fn kinked_entries(&self, body: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let nodes = &self.nodes[self.first_node(body)..=self.body_nodes[body]];
        let nodes = nodes.iter().filter(|node| node.kind != JointKind::Ball);
        nodes.flat_map(|node| (0..node.dofs).map(|k| (node.q + k, node.v + k)))
    }
}
