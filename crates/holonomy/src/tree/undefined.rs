//! What has no value in a tree: potentials, forces, drives, with the formula they are.
use super::{
    Act, Attitude, Constraint, JointForce, JointKind, Kinematics, Length, Sight, Tree, feedback::Looking,
    forces::Effort, system::TreeWorkspace,
};
use crate::system::Undefined;

/// Where what has a name begins in the lists of the layout.
#[derive(Clone, Debug, Default)]
pub(super) struct Named {
    /// Expressions of each potential, and of each force that sees the state.
    pub(super) potentials: Vec<u32>,
    pub(super) feedback: Vec<u32>,
}

impl Tree {
    /// Names all that a user may have written as a formula: forces in joints, wrenches, forces that see the state, drives,
    /// and constraints, in this order.
    pub(super) fn name_formulas(&mut self) {
        self.named = Named::default();
        self.layout.words.expressions.clear();
        for potential in &self.potentials {
            let expressions = &mut self.layout.words.expressions;
            self.named.potentials.push(expressions.len() as u32);
            expressions.extend(potential.expressions());
        }
        let body = |number: usize| &self.layout.words.bodies[number];
        let mut names = Vec::new();
        names.extend(self.joint_forces.iter().map(|(number, force)| match force {
            JointForce::Potential(_) => format!("`energy` of the spring of body `{}`", body(*number)),
            _ => format!("`effort` of body `{}`", body(*number)),
        }));
        let wrenches = self.wrenches.iter();
        names.extend(wrenches.map(|wrench| format!("the `[[wrench]]` on body `{}`", body(wrench.body))));
        let feedback = names.len();
        names.extend(self.feedback.iter().map(|force| match force.act {
            Act::Effort { body: number, .. } => format!("`effort` of body `{}`", body(number)),
            Act::Wrench { body: number, .. } => format!("the `[[wrench]]` on body `{}`", body(number)),
            Act::Force { .. } => format!("`force` of `{}`", force.name),
            Act::Tension { .. } => format!("`tension` of `{}`", force.name),
            Act::Push { .. } => format!("`wind` of {}", force.name),
        }));
        let mut drives = vec![String::new(); self.motions.len()];
        for node in &self.nodes {
            if let JointKind::Driven { motion, .. } = node.kind {
                drives[motion] = format!("`driven` of body `{}`", body(node.body));
            }
        }
        names.extend(drives);
        names.extend(
            self.constraints
                .iter()
                .map(|(name, constraint)| match constraint {
                    Constraint::Orientation { to, .. } => format!("`driven` of body `{}`", body(*to)),
                    _ => format!("`length` of `{name}`"),
                }),
        );
        for (number, force) in self.feedback.iter().enumerate() {
            let expressions = &mut self.layout.words.expressions;
            self.named.feedback.push(expressions.len() as u32);
            let whole = &names[feedback + number];
            expressions.extend(force.expressions().map(|part| part.within(whole.clone())));
        }
        self.layout.words.formulas = names;
    }

    /// What has no value in each potential, in their order.
    pub fn undefined_potentials(&self, q: &[f64]) -> Vec<Option<Undefined>> {
        let mut kinematics = Kinematics::default();
        kinematics.place(self, q);
        self.undefined_each(&kinematics).collect()
    }

    fn undefined_each(&self, kinematics: &Kinematics) -> impl Iterator<Item = Option<Undefined>> {
        let mut points = Vec::new();
        self.points(kinematics, &mut points);
        let all = self.potentials.iter().zip(&self.named.potentials);
        all.map(move |(potential, first)| match potential.undefined(&points)? {
            Undefined::Expression { number, argument } => Some(Undefined::Expression {
                number: first + number,
                argument,
            }),
            other => Some(other),
        })
    }

    /// What has no value where the tree is and moves: potentials, then forces.
    pub(crate) fn undefined_at(&self, sight: &Sight<'_>) -> Option<Undefined> {
        let numbers = sight.q.iter().chain(sight.v);
        if !numbers.into_iter().all(|x| x.is_finite()) {
            return None;
        }
        let potential = self.undefined_each(sight.kinematics).flatten().next();
        let force = || self.undefined_force(sight, true).map(|(_, undefined)| undefined);
        potential.or_else(force).or_else(|| self.undefined_drive(sight.t))
    }

    /// The first force that has no value at a state, or that jams, by its number: forces in joints, wrenches and forces
    /// that see the state, each in their order. Derivatives need not have one there.
    pub fn undefined_forces(&self, t: f64, q: &[f64], v: &[f64]) -> Option<(usize, Undefined)> {
        let mut work = TreeWorkspace::default();
        work.place(self, t, q);
        work.set_moving(self, v);
        let jammed = work.answer(self, t, v).err();
        let sight = Sight {
            t,
            q: &work.q,
            v,
            kinematics: &work.dynamics.kinematics,
            multipliers: &work.answers.multipliers,
        };
        let jam = |force| {
            let number = self.joint_forces.len() + self.wrenches.len() + force;
            (number, self.jammed(t, force))
        };
        self.undefined_force(&sight, false).or_else(|| jammed.map(jam))
    }

    /// The first force without a value, or with `slopes` without a derivative, and its number among formulas.
    fn undefined_force(&self, sight: &Sight<'_>, slopes: bool) -> Option<(usize, Undefined)> {
        let Sight { t, q, v, .. } = *sight;
        let undefined = |number: usize, joint: Option<[f64; 2]>| {
            let formula = number as u32;
            (number, Undefined::Formula { formula, t, joint })
        };
        for (formula, (body, force)) in self.joint_forces.iter().enumerate() {
            for k in self.first_node(*body)..=self.body_nodes[*body] {
                let node = &self.nodes[k];
                if node.kind == JointKind::Ball {
                    continue;
                }
                for k in 0..node.dofs {
                    let (place, speed) = (q[node.q + k], v[node.v + k]);
                    let mut effort = Effort::default();
                    force.scalar((t, place, speed), 1.0, &mut effort);
                    let slope = if slopes { effort.q[0] + effort.v } else { 0.0 };
                    if !(effort.value + slope).is_finite() {
                        return Some(undefined(formula, Some([place, speed])));
                    }
                }
            }
        }
        let mut next = self.joint_forces.len();
        for (k, wrench) in self.wrenches.iter().enumerate() {
            let (force, moment) = (wrench.value)(t);
            if !force.iter().chain(&moment).all(|x| x.is_finite()) {
                return Some(undefined(next + k, None));
            }
        }
        next += self.wrenches.len();
        let mut looking = Looking::default();
        for (k, force) in self.feedback.iter().enumerate() {
            // What they would see is not known.
            if force.sees_multipliers && sight.multipliers.is_empty() {
                continue;
            }
            if !slopes && force.has_value(self, sight, &mut looking) {
                continue;
            }
            match force.undefined(self, sight, &mut looking) {
                None => {}
                Some((number, argument)) if argument.is_finite() => {
                    let number = self.named.feedback[k] + number;
                    return Some((next + k, Undefined::Expression { number, argument }));
                }
                Some(_) => return Some(undefined(next + k, None)),
            }
        }
        None
    }

    /// A force that sees multipliers and has no solution with them, by its number.
    pub(crate) fn jammed(&self, t: f64, force: usize) -> Undefined {
        let formula = self.joint_forces.len() + self.wrenches.len() + force;
        let formula = formula as u32;
        Undefined::Jammed { formula, t }
    }

    /// What is driven, and has no value at a time.
    pub(crate) fn undefined_drive(&self, t: f64) -> Option<Undefined> {
        let first = self.joint_forces.len() + self.wrenches.len() + self.feedback.len();
        let motions = self.motions.iter().map(|motion| finite(motion(t)));
        let constraints = self.constraints.iter().map(|(_, constraint)| {
            let length = match constraint {
                Constraint::Distance { length, .. } | Constraint::Cable { length, .. } => Some(length),
                Constraint::Route(route) => route.length.as_ref(),
                Constraint::Orientation {
                    relative: Attitude::Driven(turning),
                    ..
                } => {
                    let (rotation, omega, change) = turning(t);
                    let numbers = rotation.coords.iter().chain(&omega).chain(&change);
                    return numbers.into_iter().all(|x| x.is_finite());
                }
                _ => None,
            };
            length.is_none_or(|length: &Length| finite(length.at(t)))
        });
        let formula = motions.chain(constraints).position(|sound| !sound)?;
        Some(Undefined::Formula {
            formula: (first + formula) as u32,
            t,
            joint: None,
        })
    }
}

fn finite((x, rate, second): (f64, f64, f64)) -> bool {
    x.is_finite() && rate.is_finite() && second.is_finite()
}
