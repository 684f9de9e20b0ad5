//! What a tree is made of, and how it is put together.
use super::{
    Node, SitePlace, Tree, TreeError,
    check::check,
    constraint::Constraint,
    feedback::StateForce,
    forces::{AppliedWrench, JointForce},
    invariants,
    joint::Joint,
    links::{BoundLink, Link, PotentialSites},
    recorded::PartNames,
    skeleton::Skeleton,
};
use crate::{
    Vec3,
    geometry::{Pose, RigidInertia},
    math,
    potential::Potential,
    system::{Drawing, Layout, Rope, Words},
};

/// A body and the joint that carries it.
pub struct RigidBody {
    /// Unique name.
    pub name: String,
    /// The body it is joined to, one before it in the list; `None` for the world.
    pub parent: Option<usize>,
    /// The joint.
    pub joint: Joint,
    /// Where the joint is on the parent.
    pub parent_from_joint: Pose,
    /// Where the body is behind the joint.
    pub joint_from_body: Pose,
    /// Inertia in the body's frame.
    pub inertia: RigidInertia,
}

impl RigidBody {
    /// A body whose joint is at the origin of the world, where its own frame is, too.
    pub fn new(name: impl Into<String>, joint: Joint, inertia: RigidInertia) -> Self {
        Self {
            name: name.into(),
            parent: None,
            joint,
            parent_from_joint: Pose::identity(),
            joint_from_body: Pose::identity(),
            inertia,
        }
    }

    /// The same body with its joint elsewhere on its parent, or in the world.
    pub fn at(self, place: Vec3) -> Self {
        Self {
            parent_from_joint: Pose::translation(place),
            ..self
        }
    }

    /// The same body joined to another, given by its number, one before it in the list.
    pub fn on(self, parent: usize) -> Self {
        let parent = Some(parent);
        Self { parent, ..self }
    }
}

/// A named point on a body or in the world; potentials see the sites as points, in their order.
#[derive(Clone, Debug)]
pub struct Site {
    /// Name, unique on its body.
    pub name: String,
    /// The body; `None` for the world.
    pub body: Option<usize>,
    /// Where, in the body's frame.
    pub position: Vec3,
}

impl Site {
    /// A point on a body, in its frame.
    pub fn on(body: usize, name: impl Into<String>, position: Vec3) -> Self {
        Self {
            name: name.into(),
            body: Some(body),
            position,
        }
    }

    /// A point fixed in the world.
    pub fn fixed(name: impl Into<String>, position: Vec3) -> Self {
        Self {
            name: name.into(),
            body: None,
            position,
        }
    }
}

/// What a [`Tree`] is made of.
#[derive(Default)]
pub struct TreeParts {
    /// Bodies, each after its parent.
    pub bodies: Vec<RigidBody>,
    /// Bodies whose inertia is taken as it is, even if no distribution of mass has it.
    pub as_given: Vec<usize>,
    /// Inertia of rotors that are geared to joints, with the body whose joint it is: a adds `½ a v²` for every velocity of
    /// that joint, kg m² or kg, and nothing else.
    pub armature: Vec<(usize, f64)>,
    /// Sites.
    pub sites: Vec<Site>,
    /// Acceleration of gravity, m/s², the way things fall.
    pub gravity: Vec3,
    /// Potentials that depend on sites.
    pub potentials: Vec<Box<dyn Potential>>,
    /// Links between sites.
    pub links: Vec<Link>,
    /// Forces in joints, with the body whose joint it is.
    pub joint_forces: Vec<(usize, JointForce)>,
    /// Wrenches on bodies.
    pub wrenches: Vec<AppliedWrench>,
    /// Forces that see the state.
    pub feedback: Vec<StateForce>,
    /// The same of formulas that act by [`JointForce::Effort`] or by a wrench: they do nothing more, but their kinks are known.
    pub watched: Vec<StateForce>,
    /// Constraints, with names.
    pub constraints: Vec<(String, Constraint)>,
    /// Bodies on joints with one coordinate, and the least and largest that it should be. Nothing stops the joint there: a
    /// run can say that it went beyond.
    pub limits: Vec<(usize, [f64; 2])>,
    /// For what is recorded by name.
    pub names: PartNames,
    /// Elastic cables between sites: a run can say that one is shorter than the distance of its ends.
    pub ropes: Vec<Rope>,
}

impl Tree {
    /// Puts a tree together, or says what is wrong with its parts.
    ///
    /// ```
    /// use holonomy::{Vec3, geometry::RigidInertia, system::System, tree::{RigidBody, Joint, Tree, TreeParts}};
    ///
    /// // Two rods of 1 kg and 1 m that hang on hinges.
    /// let rod = |name| {
    ///     let (hinge, end) = (Joint::Revolute { axis: Vec3::y() }, Vec3::new(0.0, 0.0, -1.0));
    ///     RigidBody::new(name, hinge, RigidInertia::rod(1.0, Vec3::zeros(), end))
    /// };
    /// let tree = Tree::new(TreeParts {
    ///     bodies: vec![rod("upper"), rod("lower").on(0).at(Vec3::new(0.0, 0.0, -1.0))],
    ///     gravity: Vec3::new(0.0, 0.0, -9.81),
    ///     ..TreeParts::default()
    /// })?;
    /// // Both straight out, at rest: m g times 0 m.
    /// let state = tree.state(0.0, &[std::f64::consts::FRAC_PI_2, 0.0], &[0.0, 0.0])?;
    /// assert!(tree.energy(&state).total().abs() < 1e-14);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(mut parts: TreeParts) -> Result<Self, TreeError> {
        check(&parts)?;
        let names: Vec<String> = parts.bodies.iter().map(|b| b.name.clone()).collect();
        let mut skeleton = Skeleton::default();
        for (number, body) in std::mem::take(&mut parts.bodies).into_iter().enumerate() {
            let joint = parts.names.joint(number);
            skeleton.join(body, parts.as_given.contains(&number), joint)?;
        }
        let sites = parts.sites.iter().map(|site| skeleton.place(site));
        let sites: Vec<SitePlace> = sites.collect();
        let potential_sites = parts.potentials.iter();
        let potential_sites = potential_sites.map(|v| PotentialSites::of(&**v, sites.len()));
        let potential_sites = potential_sites.collect();
        let site_names = parts.sites.iter().map(|site| site.name.clone());
        let beams = parts.links.iter().filter_map(|link| match link {
            Link::Beam(beam) => Some(beam.between),
            Link::Damper { .. } | Link::String(_) => None,
        });
        let layout = Layout {
            drawing: Drawing {
                beams: beams.collect(),
                sites: site_names.chain(names.iter().cloned()).collect(),
                bases: skeleton.bases(&parts.sites),
                ..Drawing::default()
            },
            words: Words {
                bodies: names.into(),
                ..Words::default()
            },
            coordinates: skeleton.coordinates.into(),
            velocities: skeleton.velocities.into(),
            rotations: skeleton.rotations,
            ..Layout::default()
        };
        let mut nodes = skeleton.nodes;
        for (body, armature) in &parts.armature {
            for node in nodes.iter_mut().filter(|node| node.body == *body) {
                node.armature += armature;
            }
        }
        let mut tree = Self {
            length: size(&nodes),
            roots: (0..nodes.len()).filter(|i| nodes[*i].parent.is_none()).collect(),
            nodes,
            body_nodes: skeleton.body_nodes,
            node_from_body: skeleton.node_from_body,
            sites,
            motions: skeleton.motions,
            gravity: parts.gravity,
            potentials: parts.potentials,
            potential_sites,
            named: super::undefined::Named::default(),
            links: Vec::new(),
            joint_forces: parts.joint_forces,
            wrenches: parts.wrenches,
            feedback: Vec::new(),
            #[cfg(not(target_arch = "wasm32"))]
            kinked: Vec::new(),
            #[cfg(not(target_arch = "wasm32"))]
            unwatched: Vec::new(),
            constraint_rows: parts.constraints.iter().map(|(_, c)| c.rows()).sum(),
            constraints: parts.constraints,
            conserved: Vec::new(),
            rotors: Vec::new(),
            extras: Vec::new(),
            coordinates: skeleton.in_q,
            velocities: skeleton.in_v,
            layout,
        };
        tree.bind_links(parts.links)?;
        tree.check_joint_forces()?;
        tree.check_armature(&parts.armature)?;
        tree.check_constraints()?;
        tree.check_inertia()?;
        tree.drop_idle_rows();
        tree.bind_feedback(parts.feedback)?;
        #[cfg(not(target_arch = "wasm32"))]
        for StateForce { name, law, act } in parts.watched {
            tree.watch(&name, act, &law);
        }
        tree.conserved = invariants::find(&tree);
        tree.rotors = invariants::rotors(&tree);
        tree.describe_laws();
        let sites: Vec<(String, Option<usize>)> = (parts.sites.into_iter())
            .map(|site| (site.name, site.body))
            .collect();
        if cfg!(feature = "outputs") {
            tree.describe_recorded(&sites, &parts.names);
        }
        tree.layout.expected = tree.expected(&parts.limits, parts.ropes);
        Ok(tree)
    }

    /// The same tree with more forces that see the state: those that can only be given once joints have their places in
    /// the state.
    pub fn with_feedback(mut self, forces: Vec<StateForce>) -> Result<Self, TreeError> {
        if !forces.is_empty() {
            self.bind_feedback(forces)?;
            self.conserved = invariants::find(&self);
            self.describe_laws();
        }
        Ok(self)
    }

    /// What the layout says of forces, constraints and conserved quantities.
    fn describe_laws(&mut self) {
        self.name_formulas();
        let along_potentials = || self.potentials.iter().find_map(|v| v.down());
        self.layout.drawing.down = self.gravity.try_normalize(0.0).or_else(along_potentials);
        let sources = self.source_names();
        self.layout.conserved.set_sources(sources);
        self.layout.conserved.invariants = self.conserved.iter().map(invariants::Momentum::name).collect();
        self.layout.multipliers = self.multiplier_names().collect();
        let pulleys = self.routes().flat_map(|(_, route)| route.pulleys());
        self.layout.words.pulleys = pulleys.map(|(_, pulley)| pulley.name.clone()).collect();
        let strings = self.constraints.iter().filter_map(|(_, c)| match c {
            Constraint::Distance { between, .. } => Some(between.to_vec()),
            Constraint::Cable { through, .. } | Constraint::Tether { through, .. } => Some(through.clone()),
            Constraint::Route(route) => Some(route.stops.iter().map(|stop| stop.site).collect()),
            _ => None,
        });
        let slack = self.links.iter().filter_map(|link| match link {
            BoundLink::String(string) => Some(string.through.clone()),
            _ => None,
        });
        self.layout.drawing.strings = strings.chain(slack).collect();
        self.layout.multiplier_units = self.multiplier_units();
    }

    /// What the multipliers are called.
    pub(super) fn multiplier_names(&self) -> impl Iterator<Item = String> + '_ {
        self.constraints.iter().flat_map(|(name, c)| {
            let suffixes = c.suffixes().into_iter();
            suffixes.map(move |suffix| format!("{name}{suffix}"))
        })
    }

    /// Every joint must move some inertia, in some configuration; the articulated inertia tells.
    fn check_inertia(&self) -> Result<(), TreeError> {
        // A configuration that is special in no way.
        let mut q = self.zero(0.0);
        for (k, x) in q.iter_mut().enumerate() {
            *x += 0.3 * math::sin(1.0 + 1.7 * k as f64);
        }
        match self.idle_at(&q) {
            None => Ok(()),
            Some(body) => Err(TreeError::Massless {
                body: self.layout.words.bodies[body].clone(),
            }),
        }
    }
}

/// The size of the parts of a tree: the longest way from a joint to the next, to a centre of mass, or radius of gyration.
fn size(nodes: &[Node]) -> f64 {
    let reach = |node: &Node| {
        let body = &node.inertia;
        let gyration = if body.mass > 0.0 {
            (body.moment.trace() / (2.0 * body.mass)).sqrt()
        } else {
            0.0
        };
        node.translation.norm().max(body.centre.norm()).max(gyration)
    };
    let longest = nodes.iter().map(reach).fold(0.0, f64::max);
    if longest > 0.0 { longest } else { 1.0 }
}
