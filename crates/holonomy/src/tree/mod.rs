//! Trees of rigid bodies: each body is joined to its parent, or to the world.
//!
//! ```text
//! V_i = V_p + S_i v_i                      twist of body i, p its parent
//! P_i = Σ_{j ⪰ i} I_j V_j                   momentum of all that joint i carries
//! p_i = S_iᵀ P_i                           momentum of joint i, stored
//! ```
//! Everything is in sweeps, outward and inward. Spatial vectors have the axes of the world and the
//! origin of their own joint as reference point: between neighbours they are only shifted, and
//! bodies far from the origin of the world lose no digits.
mod answers;
mod assemble;
mod beam;
mod build;
mod check;
mod closing;
mod composite;
mod constraint;
mod contradiction;
mod curvature;
mod describe;
mod dynamics;
mod error;
mod eye;
mod factors;
mod feedback;
mod forces;
mod invariants;
mod jet;
mod joint;
mod kinematics;
#[cfg(not(target_arch = "wasm32"))]
mod kinks;
mod links;
mod mass;
mod matrices;
mod middle;
mod min_norm;
mod one_sided;
mod recorded;
mod redundant;
mod rolling;
mod rope_path;
mod route;
mod scene;
mod seen;
mod settle;
mod skeleton;
mod sources;
mod spline;
mod stops;
mod string;
mod support;
mod system;
mod tether;
mod turning;
mod undefined;
mod wrap;

pub use beam::Beam;
pub use build::{RigidBody, Site, TreeParts};
pub use closing::{Closing, ClosingJoint};
pub use constraint::{Attitude, Constraint, Length};
pub use contradiction::Contradiction;
pub use describe::BodyDescription;
pub use error::{ConstraintFault, ForceFault, LinkFault, SeenFault, TreeError, TreePart, WaypointFault};
pub use feedback::{Act, StateForce, StateLaw};
pub use forces::{AppliedWrench, JointForce, Law, WrenchFrame};
pub use joint::{Along, Joint, Motion};
pub use kinematics::{Frame, Kinematics};
pub use links::Link;
pub use one_sided::OneSided;
pub use recorded::PartNames;
pub use redundant::Dependence;
pub use rolling::{Blade, Rolling};
pub use route::{Pulley, Route, Sheave, Side, Waypoint};
pub use seen::{Point, Seen};
pub use settle::{Equilibrium, Seek, SettleError, Settling, Stability};
pub use spline::{Spline, SplineError};
pub use stops::{Stop, limited, limited_law};
pub use string::ElasticString;
pub use turning::{Turning, turning_by, turning_through};

pub(crate) use answers::{Foresight, Mixing};
pub use assemble::{Assembly, assemble, assemble_at};
pub(crate) use composite::Composite;
pub(crate) use constraint::{ConstraintRows, Moving};
pub(crate) use dynamics::Dynamics;
pub(crate) use factors::{Branched, Column, Factors, LowRank, Square, Terms, Vector12, dot, stack};
pub(crate) use feedback::Looking;
pub(crate) use forces::{Effort, Load, Loads};
pub(crate) use joint::JointKind;
pub(crate) use links::Curvatures;
pub(crate) use mass::Mass;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use middle::{Middle, Placement};
pub(crate) use min_norm::MinNorm;
pub(crate) use rolling::{Change, SlipRow};
pub(crate) use seen::Sight;
pub(crate) use skeleton::Node;
pub(crate) use sources::DrivenJoint;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use tether::TOLD as TETHER_TOLD;
pub(crate) use tether::{ROUNDING as TETHER_ROUNDING, most_pushing};

use crate::{
    Vec3,
    potential::Potential,
    system::{Layout, State, StateError, System},
};

/// A tree of rigid bodies.
pub struct Tree {
    pub(crate) nodes: Vec<Node>,
    /// The last node of each body: its frame is the one behind its joint.
    body_nodes: Vec<usize>,
    /// From the frame of the body's node to the body's own.
    node_from_body: Vec<crate::geometry::Pose>,
    sites: Vec<SitePlace>,
    pub(crate) motions: Vec<Motion>,
    gravity: Vec3,
    potentials: Vec<Box<dyn Potential>>,
    potential_sites: Vec<links::PotentialSites>,
    /// Where formulas are in the lists of the layout.
    named: undefined::Named,
    links: Vec<links::BoundLink>,
    joint_forces: Vec<(usize, JointForce)>,
    wrenches: Vec<AppliedWrench>,
    feedback: Vec<feedback::BoundForce>,
    /// Formulas of forces that have kinks or limits.
    #[cfg(not(target_arch = "wasm32"))]
    kinked: Vec<kinks::Kinked>,
    /// Those whose kinks lie where multipliers change, which only steps know.
    #[cfg(not(target_arch = "wasm32"))]
    unwatched: Vec<String>,
    constraints: Vec<(String, Constraint)>,
    constraint_rows: usize,
    conserved: Vec<invariants::Momentum>,
    /// Nodes whose armature counts in them.
    rotors: Vec<usize>,
    /// What can be recorded by name, in the order of the layout.
    extras: Vec<recorded::TreeExtra>,
    /// Nodes without a parent.
    roots: Vec<usize>,
    coordinates: usize,
    velocities: usize,
    /// The size of its parts, m.
    length: f64,
    layout: Layout,
}

/// The body of a tree that has only one, on a ball joint or free.
pub(crate) struct Lone {
    /// Behind the joint.
    pub(crate) inertia: crate::geometry::RigidInertia,
    /// Whether it flies.
    pub(crate) free: bool,
    /// In the axes before the joint, m/s².
    pub(crate) gravity: Vec3,
    /// Whether anything acts on it but gravity.
    pub(crate) forced: bool,
    /// Whether forces in the joint or constraints do.
    pub(crate) held: bool,
}

/// A site on a node, in the node's frame, or in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SitePlace {
    pub(crate) node: Option<usize>,
    pub(crate) position: Vec3,
}

impl Tree {
    /// Numbers in q.
    pub fn coordinates(&self) -> usize {
        self.coordinates
    }

    /// Numbers in v and p.
    pub fn velocities(&self) -> usize {
        self.velocities
    }

    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.body_nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.body_nodes.is_empty()
    }

    /// Where the coordinates of a body's joint begin in q, and its velocities in v.
    pub fn offsets(&self, body: usize) -> (usize, usize) {
        let node = &self.nodes[self.first_node(body)];
        (node.q, node.v)
    }

    /// Whether bodies turn in space, on spherical or free joints.
    pub fn has_ball_joints(&self) -> bool {
        self.nodes.iter().any(|node| node.kind == JointKind::Ball)
    }

    /// The configuration in which every joint is at zero (driven joints are where they are at time t).
    pub fn zero(&self, t: f64) -> Vec<f64> {
        let mut q = vec![0.0; self.coordinates];
        for node in &self.nodes {
            if node.kind == JointKind::Ball {
                q[node.q] = 1.0;
            }
        }
        self.drive(t, &mut q);
        q
    }

    /// A state with the given coordinates and velocities; coordinates of driven joints are set.
    pub fn state(&self, t: f64, q: &[f64], v: &[f64]) -> Result<State, StateError> {
        self.check_state(q, v)?;
        Ok(self.state_at(t, q, v))
    }

    /// The same, where the numbers are known to be those of a state.
    pub(crate) fn state_at(&self, t: f64, q: &[f64], v: &[f64]) -> State {
        let mut q = q.to_vec();
        self.drive(t, &mut q);
        let mut p = vec![0.0; self.velocities];
        self.momentum(t, &q, v, &mut p, &mut self.scratch());
        let mut state = State::new(t, q, p);
        state.lambda = vec![0.0; self.constraint_rows];
        state.work = vec![0.0; self.layout.conserved.sources.len()];
        state
    }

    fn check_state(&self, q: &[f64], v: &[f64]) -> Result<(), StateError> {
        StateError::check(&self.layout, q, v)?;
        for node in self.nodes.iter().filter(|node| node.kind == JointKind::Ball) {
            let length = q[node.q..node.q + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
            // Digits of printed numbers.
            if (length - 1.0).abs() > 1e-9 {
                let name = self.layout.words.bodies[node.body].clone();
                return Err(StateError::NotUnit { name, length });
            }
        }
        Ok(())
    }

    /// Its body, if it is one body on a ball joint, or free.
    pub(crate) fn lone_body(&self) -> Option<Lone> {
        let free = match &self.nodes[..] {
            [ball] if ball.kind == JointKind::Ball => false,
            [shift, ball] if shift.kind == JointKind::Translation && ball.kind == JointKind::Ball => true,
            _ => return None,
        };
        if self.nodes.iter().any(|node| node.armature != 0.0) {
            return None;
        }
        let (before, behind) = (self.nodes.first()?, self.nodes.last()?);
        let held = !self.joint_forces.is_empty() || !self.constraints.is_empty() || self.has_feedback();
        Some(Lone {
            inertia: behind.inertia,
            free,
            gravity: before.rotation.tr_mul(&self.gravity),
            forced: held || self.has_links() || !self.wrenches.is_empty(),
            held,
        })
    }

    /// The first of the nodes that make up a body's joint.
    fn first_node(&self, body: usize) -> usize {
        let last = self.body_nodes[body];
        (0..=last)
            .rev()
            .take_while(|k| self.nodes[*k].body == body)
            .last()
            .unwrap_or(last)
    }

    /// The node at the root of what each node belongs to.
    pub(crate) fn root_of_each(&self) -> Vec<usize> {
        let mut roots: Vec<usize> = Vec::new();
        for (i, node) in self.nodes.iter().enumerate() {
            roots.push(node.parent.map_or(i, |parent| roots[parent]));
        }
        roots
    }

    /// The size of its parts, m.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Whether joints or lengths of constraints are driven.
    pub fn depends_on_time(&self) -> bool {
        !self.motions.is_empty()
            || self
                .constraints
                .iter()
                .any(|(_, constraint)| constraint.is_driven())
    }

    /// What a displacement of one counts, by velocity: 1 rad, or the size of the tree.
    pub(crate) fn units(&self) -> Vec<f64> {
        let length = self.length();
        let mut units = vec![1.0; self.velocities];
        for node in &self.nodes {
            if matches!(
                node.kind,
                JointKind::Translation | JointKind::Screw { turn: 0.0, .. }
            ) {
                units[node.v..node.v + node.dofs].fill(length);
            }
        }
        units
    }

    /// Puts driven joints where they are at time t.
    pub(crate) fn drive(&self, t: f64, q: &mut [f64]) {
        for node in &self.nodes {
            if let JointKind::Driven { motion, .. } = node.kind {
                q[node.q] = self.motions[motion](t).0;
            }
        }
    }

    /// Rates of the driven joints at time t.
    pub(crate) fn drive_rates(&self, t: f64, rates: &mut Vec<f64>) {
        rates.clear();
        rates.extend(self.motions.iter().map(|motion| motion(t).1));
    }
}
