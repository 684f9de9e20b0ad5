//! Mimic joints as couplings.
//!
//! ```text
//! q = m x + b, q' = m' x + b'      so that      q − (m/m') q' = b − (m/m') b'
//! ```
use super::{
    plan::{Coupling, ImportPlan, usable},
    robot::{Kind, Robot},
};
use holonomy_model::Problems;
use std::collections::HashSet;

impl ImportPlan {
    /// Mimic joints. Chains of them are followed to the joint that follows none; if that one is held because it moves
    /// nothing, its first follower leads the others.
    pub(super) fn couple(&mut self, robot: &Robot<'_, '_>, problems: &Problems) -> Option<()> {
        let mut names: HashSet<String> = HashSet::new();
        // By leader: the body that leads in its place, and its relation to it.
        let mut standing: Vec<Option<(usize, f64, f64)>> = vec![None; robot.joints.len()];
        for k in 0..self.bodies.len() {
            let Some(joint) = self.bodies[k].joint.filter(|_| !self.bodies[k].held) else {
                continue;
            };
            if robot.joints[joint].mimic.is_none() {
                continue;
            }
            let Some((leader, multiplier, offset)) = followed(robot, joint) else {
                return problems
                    .error(
                        robot.joints[joint].span.clone(),
                        format!(
                            "joint `{}` follows itself, by way of others",
                            robot.joints[joint].name
                        ),
                    )
                    .help("remove one `mimic` of the circle")
                    .none();
            };
            let body = self.bodies.iter().position(|body| body.joint == Some(leader));
            let alive = body.filter(|body| !self.bodies[*body].held);
            let moves = robot.joints[leader].kind != Kind::Fixed;
            let (terms, constant) = match (alive.filter(|_| moves), moves) {
                (Some(body), _) => (vec![(k, 1.0), (body, -multiplier)], offset),
                (None, false) => (vec![(k, 1.0)], offset),
                (None, true) => match standing[leader] {
                    None if multiplier != 0.0 => {
                        standing[leader] = Some((k, multiplier, offset));
                        let why = format!("`{}`, which it follows, moves nothing", robot.joints[leader].name);
                        let joint = &robot.joints[joint];
                        self.remark(
                            "joint",
                            &joint.name,
                            "leads instead of following",
                            "",
                            &why,
                            &joint.span,
                        );
                        continue;
                    }
                    None => (vec![(k, 1.0)], offset),
                    Some((first, m, b)) => {
                        let ratio = multiplier / m;
                        (vec![(k, 1.0), (first, -ratio)], offset - ratio * b)
                    }
                },
            };
            self.couplings.push(Coupling {
                name: usable(&robot.joints[joint].name, "joint", &mut names),
                joint,
                terms: terms.into_iter().filter(|(_, factor)| *factor != 0.0).collect(),
                constant,
            });
        }
        Some(())
    }
}

/// The joint at the end of a chain of mimics: `q = multiplier · q_leader + offset`; `None` for a circle.
fn followed(robot: &Robot<'_, '_>, joint: usize) -> Option<(usize, f64, f64)> {
    let (mut leader, mut multiplier, mut offset) = (joint, 1.0, 0.0);
    for _ in 0..=robot.joints.len() {
        let Some(mimic) = &robot.joints[leader].mimic else {
            return Some((leader, multiplier, offset));
        };
        offset += multiplier * mimic.offset;
        multiplier *= mimic.multiplier;
        leader = mimic.joint;
    }
    None
}
