//! What of a tree can be recorded by name beside its coordinates: how sites move, efforts and forces of joints, tensions.
//!
//! ```text
//! BODY.effort     τ of springs, dampers and motors in its joint; of a driven joint what drives it
//! BODY.force      what its joint passes on to the body and all it carries: Ṗ − F − C, in axes of the world
//! BODY.moment     the same about the joint
//! NAME.tension    of a distance or a cable λ, of a spring ∂V/∂l, of a damper c l̇, of a force T, of a beam EA/L d_x,
//!                 of a string F + D, of a segment −f·x, where its joint pulls it with f; ROPE.K.tension of each part
//!                 of a rope
//! PULLEY.contact  the force of a rope on a pulley, |T_out n_out − T_in n_in|
//! PULLEY.wrap     the angle of its arc there
//! total.momentum, total.angular_momentum    of all bodies, the second about the origin of the world
//! ```
//! C are the forces of constraints, `−λₖ` times what each equation pulls with.
use super::{
    Act, Constraint, JointKind, Kinematics, Looking, Moving, Sight, Tree,
    links::{BoundLink, rate},
    system::TreeWorkspace,
};
use crate::{
    Vec3,
    geometry::se3::{Wrench, angular, linear, wrench_from},
    output::{Extra, Recordable, SiteMotion, SiteName, XYZ},
    system::{Measurement, State},
};
use nalgebra::{Rotation3, UnitQuaternion};

/// What is called after a part of a tree.
#[derive(Clone, Debug, Default)]
pub struct PartNames {
    /// Names of the potentials, in their order; what has none is called `potential-1` by its number.
    pub potentials: Vec<String>,
    /// Names of the links, in their order; what has none is called `link-1` by its number.
    pub links: Vec<String>,
    /// Bodies that are pulled along their x, as segments of cables are.
    pub segments: Vec<usize>,
    /// Joints that have names of their own, by their bodies; their coordinates and efforts are called after them.
    pub joints: Vec<(usize, String)>,
}

impl PartNames {
    /// The name of a body's joint, if it has one of its own.
    pub(super) fn joint(&self, body: usize) -> Option<&str> {
        let found = self.joints.iter().find(|(number, _)| *number == body);
        found.map(|(_, name)| name.as_str())
    }
}

/// A quantity that can be recorded, in the order of the layout.
#[derive(Clone, Copy, Debug)]
pub(super) enum TreeExtra {
    Effort {
        body: usize,
    },
    Force {
        body: usize,
    },
    Moment {
        body: usize,
    },
    Multiplier {
        row: usize,
    },
    Contact {
        constraint: usize,
        row: usize,
        stop: usize,
    },
    Wrap {
        constraint: usize,
        stop: usize,
    },
    Spring {
        potential: usize,
    },
    Link {
        link: usize,
    },
    Pull {
        force: usize,
    },
    Segment {
        body: usize,
    },
    Momentum,
    AngularMomentum,
}

impl Tree {
    /// What can be recorded by name; sites with their names and bodies.
    pub(super) fn describe_recorded(&mut self, sites: &[(String, Option<usize>)], names: &PartNames) {
        let mut all: Vec<(TreeExtra, Extra)> = Vec::new();
        let mut add = |extra, name: String, unit, components| {
            let described = Extra {
                name,
                unit,
                components,
            };
            all.push((extra, described));
        };
        for body in 0..self.len() {
            let name = &self.layout.words.bodies[body];
            let nodes = &self.nodes[self.first_node(body)..=self.body_nodes[body]];
            if nodes[0].kind == JointKind::Translation {
                continue;
            }
            let along = |turn: f64| if turn != 0.0 { "N m" } else { "N" };
            let effort: Option<(&str, &[&str])> = match (nodes[0].kind, nodes.len()) {
                (JointKind::Screw { .. } | JointKind::Driven { .. }, 2) => Some(("N m", &["1", "2"])),
                (JointKind::Screw { turn, .. } | JointKind::Driven { turn, .. }, 1) => {
                    Some((along(turn), &[]))
                }
                (JointKind::Ball, _) => Some(("N m", XYZ)),
                _ => None,
            };
            if let Some((unit, components)) = effort {
                let joint = names.joint(body).unwrap_or(name);
                add(
                    TreeExtra::Effort { body },
                    format!("{joint}.effort"),
                    unit,
                    components,
                );
            }
            add(TreeExtra::Force { body }, format!("{name}.force"), "N", XYZ);
            add(TreeExtra::Moment { body }, format!("{name}.moment"), "N m", XYZ);
        }
        let none: &[&str] = &[];
        let mut row = 0;
        for (number, (name, constraint)) in self.constraints.iter().enumerate() {
            if let Constraint::Route(route) = constraint {
                for (k, suffix) in constraint.suffixes().iter().enumerate() {
                    let name = format!("{name}{suffix}.tension");
                    add(TreeExtra::Multiplier { row: row + k }, name, "N", none);
                }
                for (stop, pulley) in route.pulleys() {
                    let (constraint, ends) = (number, [0, route.stops.len() - 1]);
                    let contact = TreeExtra::Contact {
                        constraint,
                        row,
                        stop,
                    };
                    add(contact, format!("{}.contact", pulley.name), "N", none);
                    if !ends.contains(&stop) {
                        let wrap = TreeExtra::Wrap { constraint, stop };
                        add(wrap, format!("{}.wrap", pulley.name), "rad", none);
                    }
                }
            }
            if let Constraint::Distance { .. } | Constraint::Cable { .. } | Constraint::Tether { .. } =
                constraint
            {
                add(
                    TreeExtra::Multiplier { row },
                    format!("{name}.tension"),
                    "N",
                    none,
                );
            }
            row += constraint.rows();
        }
        let given = |list: &[String], kind: &str, k: usize| {
            let name = list.get(k).filter(|name| !name.is_empty()).cloned();
            name.unwrap_or_else(|| format!("{kind}-{}", k + 1))
        };
        for (potential, law) in self.potentials.iter().enumerate() {
            if law.drawn_as_spring().is_some() {
                let name = given(&names.potentials, "potential", potential);
                add(
                    TreeExtra::Spring { potential },
                    format!("{name}.tension"),
                    "N",
                    none,
                );
            }
        }
        for link in 0..self.links.len() {
            let name = given(&names.links, "link", link);
            add(TreeExtra::Link { link }, format!("{name}.tension"), "N", none);
        }
        for (force, pull) in self.feedback.iter().enumerate() {
            if let Act::Tension { .. } = pull.act {
                let name = format!("{}.tension", pull.name);
                add(TreeExtra::Pull { force }, name, "N", none);
            }
        }
        for body in names.segments.iter().copied().filter(|body| *body < self.len()) {
            let name = &self.layout.words.bodies[body];
            add(TreeExtra::Segment { body }, format!("{name}.tension"), "N", none);
        }
        let total = |what: &str| format!("total.{what}");
        add(TreeExtra::Momentum, total("momentum"), "kg m/s", XYZ);
        add(
            TreeExtra::AngularMomentum,
            total("angular_momentum"),
            "kg m²/s",
            XYZ,
        );
        let (kinds, extras) = all.into_iter().unzip();
        self.extras = kinds;
        self.layout.recordable = Recordable {
            sites: self.site_names(sites),
            turning: true,
            extras,
        };
    }

    /// A site is called by its own name where no other and no body has it.
    fn site_names(&self, sites: &[(String, Option<usize>)]) -> Vec<SiteName> {
        let bodies = &self.layout.words.bodies;
        let mut taken = std::collections::HashMap::new();
        for name in bodies.iter().chain(sites.iter().map(|(name, _)| name)) {
            *taken.entry(name.as_str()).or_insert(0) += 1;
        }
        let named = sites.iter().map(|(name, body)| {
            let on = body.map_or("world", |body| bodies[body].as_str());
            let path = format!("{on}/{name}");
            let alone = taken.get(name.as_str()) == Some(&1);
            SiteName {
                name: if alone { name.clone() } else { path.clone() },
                path,
                carried: body.is_some(),
            }
        });
        let origins = bodies.iter().map(|body| SiteName {
            name: body.clone(),
            path: body.clone(),
            carried: false,
        });
        named.chain(origins).collect()
    }

    pub(super) fn record_motions(
        &self,
        state: &State,
        v: &[f64],
        out: &mut Vec<SiteMotion>,
        work: &mut TreeWorkspace,
    ) {
        work.place(self, state.t, &state.q);
        work.set_moving(self, v);
        let kinematics = &work.dynamics.kinematics;
        out.clear();
        for site in &self.sites {
            let velocity = kinematics.site_velocity(site);
            out.push(self.motion_on(site.node, velocity, kinematics));
        }
        for node in &self.body_nodes {
            let velocity = linear(&kinematics.frames[*node].twist);
            out.push(self.motion_on(Some(*node), velocity, kinematics));
        }
    }

    fn motion_on(&self, node: Option<usize>, velocity: Vec3, kinematics: &Kinematics) -> SiteMotion {
        let Some(node) = node else {
            return SiteMotion {
                velocity,
                orientation: [1.0, 0.0, 0.0, 0.0],
                angular_velocity: Vec3::zeros(),
            };
        };
        let frame = &kinematics.frames[node];
        let rotation = Rotation3::from_matrix_unchecked(frame.rotation);
        let body = &self.node_from_body[self.nodes[node].body];
        let turn = UnitQuaternion::from_rotation_matrix(&rotation) * body.rotation;
        SiteMotion {
            velocity,
            orientation: super::scene::numbers(&turn),
            angular_velocity: angular(&frame.twist),
        }
    }

    pub(super) fn record_extras(
        &self,
        state: &State,
        measured: &Measurement,
        out: &mut Vec<f64>,
        work: &mut TreeWorkspace,
    ) {
        out.clear();
        let reactions = self.reactions(state, measured, work);
        let kinematics = &work.dynamics.kinematics;
        let mut points = Vec::new();
        self.points(kinematics, &mut points);
        let mut gradient = vec![Vec3::zeros(); points.len()];
        let total = self.total_momentum(kinematics);
        for extra in &self.extras {
            match *extra {
                TreeExtra::Effort { body } => {
                    for k in self.first_node(body)..=self.body_nodes[body] {
                        let node = &self.nodes[k];
                        if let JointKind::Driven { .. } = node.kind {
                            out.push(kinematics.frames[k].along(node.kind, 0, &reactions[k]));
                        }
                        let efforts = &work.dynamics.loads.efforts[node.v..node.v + node.dofs];
                        out.extend(efforts.iter().map(|effort| effort.value));
                    }
                    // What drives a rotation is a constraint.
                    let drive = self.driven_constraints().find(
                        |(_, constraint)| matches!(constraint, Constraint::Orientation { to, .. } if *to == body),
                    );
                    let multipliers = drive.and_then(|(row, _)| measured.multipliers.get(row..row + 3));
                    let last = out.len().saturating_sub(3);
                    for (effort, lambda) in out[last..].iter_mut().zip(multipliers.unwrap_or_default()) {
                        *effort -= lambda;
                    }
                }
                TreeExtra::Force { body } => {
                    out.extend(linear(&reactions[self.first_node(body)]).iter());
                }
                TreeExtra::Moment { body } => {
                    out.extend(angular(&reactions[self.first_node(body)]).iter());
                }
                TreeExtra::Multiplier { row } => {
                    out.push(measured.multipliers.get(row).copied().unwrap_or(f64::NAN));
                }
                TreeExtra::Contact {
                    constraint,
                    row,
                    stop,
                } => {
                    let tensions = measured.multipliers.get(row..).unwrap_or_default();
                    let at = at_rest(state, &work.q, kinematics);
                    let route = self.constraints[constraint].1.as_route();
                    let tension = |part: usize| tensions.get(part).copied().unwrap_or(f64::NAN);
                    let force = route.map(|route| self.contact_at(&at, route, stop, tension).norm());
                    out.push(force.unwrap_or(f64::NAN));
                }
                TreeExtra::Wrap { constraint, stop } => {
                    let at = at_rest(state, &work.q, kinematics);
                    let route = self.constraints[constraint].1.as_route();
                    out.push(route.map_or(f64::NAN, |route| self.wrap_at(&at, route, stop)));
                }
                TreeExtra::Spring { potential } => {
                    let law = &self.potentials[potential];
                    gradient.fill(Vec3::zeros());
                    law.add_gradient(&points, &mut gradient);
                    let along = law.drawn_as_spring().map(|[a, b]| {
                        let d = points[a] - points[b];
                        // Where its ends meet it pulls in no direction.
                        d.try_normalize(0.0).map_or(0.0, |n| gradient[a].dot(&n))
                    });
                    out.push(along.unwrap_or(f64::NAN));
                }
                TreeExtra::Link { link } => out.push(self.links[link].tension(kinematics)),
                TreeExtra::Pull { force } => {
                    let sight = Sight {
                        t: state.t,
                        q: &work.q,
                        v: &measured.velocity,
                        kinematics,
                        multipliers: &measured.multipliers,
                    };
                    out.push(self.feedback_tension(force, &sight, &mut Looking::default()));
                }
                TreeExtra::Segment { body } => {
                    let node = self.body_nodes[body];
                    let x = self.node_from_body[body].direction(&Vec3::x());
                    let along = kinematics.frames[node].rotation * x;
                    out.push(-linear(&reactions[self.first_node(body)]).dot(&along));
                }
                TreeExtra::Momentum => out.extend(linear(&total).iter()),
                TreeExtra::AngularMomentum => out.extend(angular(&total).iter()),
            }
        }
    }

    /// Momentum of all nodes about the origin of the world, where they are placed and move.
    fn total_momentum(&self, kinematics: &Kinematics) -> Wrench {
        let each = kinematics.frames.iter().map(|frame| {
            let own = frame.inertia.momentum(&frame.twist);
            wrench_from(&own, &frame.origin)
        });
        each.sum()
    }

    /// What each joint passes on to all that it carries, at its origin; efforts of joints are in the work space then.
    fn reactions(&self, state: &State, measured: &Measurement, work: &mut TreeWorkspace) -> Vec<Wrench> {
        let velocity = &measured.velocity;
        work.place(self, state.t, &state.q);
        work.set_moving(self, velocity);
        let mut accelerations = vec![0.0; self.velocities];
        work.accelerate(self, state.t, velocity, &mut accelerations);
        work.dynamics.invert(self, state.t, &accelerations);
        let mut reactions: Vec<Wrench> = work.dynamics.inverse.iter().map(|(_, wrench)| *wrench).collect();
        if self.constraints() == 0 {
            return reactions;
        }
        let mut held = super::ConstraintRows {
            weights: work.lambda.clone(),
            wrenches: vec![Wrench::zeros(); self.nodes.len()],
            ..super::ConstraintRows::default()
        };
        let at = Moving {
            t: state.t,
            q: &work.q,
            kinematics: &work.dynamics.kinematics,
            accelerations: None,
        };
        self.constrain(&at, &mut held);
        for (i, node) in self.nodes.iter().enumerate().rev() {
            reactions[i] -= held.wrenches[i];
            if let Some(parent) = node.parent {
                let offset = &work.dynamics.kinematics.frames[i].offset;
                let flow = wrench_from(&held.wrenches[i], offset);
                held.wrenches[parent] += flow;
            }
        }
        reactions
    }
}

fn at_rest<'a>(state: &State, q: &'a [f64], kinematics: &'a Kinematics) -> Moving<'a> {
    Moving {
        t: state.t,
        q,
        kinematics,
        accelerations: None,
    }
}

impl BoundLink {
    /// What pulls its ends together, N.
    fn tension(&self, kinematics: &Kinematics) -> f64 {
        match self {
            Self::Damper {
                ends, coefficient, ..
            } => coefficient * rate(ends, kinematics),
            Self::Beam(beam) => beam.tension(kinematics),
            Self::String(string) => string.tension(kinematics),
        }
    }
}
