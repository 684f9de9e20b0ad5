//! Where the forces of a tree have kinks: strings that tighten, rigid ones that snap or go slack, stops that are reached,
//! joints that turn back under dry friction, efforts that reach their limit, and `abs`, `min` and `max` in formulas of forces.
use super::{
    Act, JointForce, JointKind, Looking, StateLaw, Tree,
    links::BoundLink,
    seen::{BoundSeen, Sight},
    system::TreeWorkspace,
    tether::Tether,
};
use crate::{formula::Program, system::State};

/// Formulas of a force that have kinks, or whose first number has a limit.
pub(super) struct Kinked {
    what: String,
    sees: Vec<BoundSeen>,
    /// The first number, and then what changes its sign at each kink.
    sides: Program,
    limit: f64,
}

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
        for Kinked {
            what, sides, limit, ..
        } in &self.kinked
        {
            names.extend(limit.is_finite().then(|| format!("limit of {what}")));
            names.extend(vec![format!("formula of {what}"); sides.outputs() - 1]);
        }
        let name = |tether: Tether| format!("rigid string {}", self.constraints[tether.constraint].0);
        names.extend(self.tethers().map(name));
        names
    }

    /// Remembers a law that has kinks.
    pub(super) fn watch(&mut self, name: &str, act: Act, law: &StateLaw) {
        let Some((sees, sides, limit)) = law.kinked() else {
            return;
        };
        let body = |body: usize| self.layout.words.bodies.one(body).unwrap_or_default();
        let what = match act {
            Act::Effort { body: own, .. } => format!("effort {}", body(own)),
            Act::Wrench { body: own, .. } => format!("wrench on {}", body(own)),
            Act::Force { .. } | Act::Push { .. } | Act::Tension { .. } => name.to_owned(),
        };
        let sees = sees.iter().map(|seen| self.bind_seen(seen.clone()));
        // What sees nothing that there is is refused where it acts; multipliers are known to steps alone.
        match sees.collect::<Option<Vec<_>>>() {
            Some(sees) if sees.iter().any(BoundSeen::is_multiplier) => self.unwatched.push(what),
            Some(sees) => self.kinked.push(Kinked {
                what,
                sees,
                sides: sides.clone(),
                limit,
            }),
            None => {}
        }
    }

    /// Forces whose formulas have kinks that are not watched, because they see multipliers.
    pub fn unwatched_kinks(&self) -> &[String] {
        &self.unwatched
    }

    /// How far each is beyond its kink.
    pub(super) fn kink_sides(&self, state: &State, v: &[f64], out: &mut Vec<f64>, work: &mut TreeWorkspace) {
        out.clear();
        if self.slack_strings().next().is_some() || !self.kinked.is_empty() {
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
        let sight = Sight {
            t: state.t,
            q: &work.q,
            v,
            kinematics: &work.dynamics.kinematics,
            multipliers: &[],
        };
        let mut looking = Looking::default();
        for kinked in &self.kinked {
            let sides = looking.at(&kinked.sides, &kinked.sees, self, &sight);
            out.extend(kinked.limit.is_finite().then(|| sides[0].abs() - kinked.limit));
            out.extend_from_slice(&sides[1..]);
        }
        let slack = self.slack_rows(state.t, &state.q);
        let side = |row: usize| if slack.contains(&row) { -1.0 } else { 1.0 };
        out.extend(self.tethers().map(|tether| side(tether.row)));
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
