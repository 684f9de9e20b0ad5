//! Forces on a tree: gravity, potentials of sites, wrenches on bodies, forces in joints. Links between bodies
//! are in `links.rs`.
//!
//! ```text
//! W_i = (Σ f, Σ r × f + Σ n)            wrench on body i at its origin, r from there
//! F_i = Σ_{j ⪰ i} W_j                    pulled back to joint i as S_iᵀ F_i + τ_i
//!
//! δW_i − η_i ×* W_i = (f̂ θ, (Σ r̂ f̂ + n̂) θ)        as the body turns by θ under forces fixed in space
//!                   = (f̂ θ, f̂ d + (r̂ f)^ θ + n̂ θ)   and moves by d, where their place is fixed in space too
//! ```
use super::{ForceFault, JointKind, Kinematics, Stop, Tree, TreeError, feedback::Looking, stops};
use crate::{
    Vec3,
    geometry::se3::{Wrench, join},
};
use nalgebra::Matrix3;

/// A force in a joint. On universal joints it acts on both angles, on ball joints on the rotation.
pub enum JointForce {
    /// `τ = −k (q − q₀)`, with energy `½ k (q − q₀)²`. On a spherical joint (q₀ = 0) the energy is
    /// `2 k sin²(θ/2)`, the same to second order.
    Spring {
        /// Stiffness k, N m/rad or N/m.
        stiffness: f64,
        /// Rest position q₀, rad or m.
        rest: f64,
    },
    /// `V(q)`, `V'(q)`, `V''(q)`: a nonlinear spring.
    Potential(Law<f64>),
    /// `τ = −c v`.
    Damper {
        /// Coefficient c, N m s/rad or N s/m.
        coefficient: f64,
    },
    /// `τ_k = −c_k v_k`, one coefficient for each velocity of the joint.
    Dampers(Vec<f64>),
    /// `τ(t, q, v)`, `∂τ/∂q`, `∂τ/∂v`: a motor, friction, control.
    Effort(Law<(f64, f64, f64)>),
    /// A spring and a damper beyond the ends of its way.
    Stop(Stop),
    /// `τ = −f tanh(v/v₀)`: dry friction, viscous below v₀.
    Friction {
        /// The effort f at speeds well above v₀, N m or N.
        effort: f64,
        /// The speed v₀, rad/s or m/s.
        velocity: f64,
    },
}

/// A function with two of its derivatives.
pub type Law<T> = Box<dyn Fn(T) -> [f64; 3] + Send + Sync>;

/// A force and a moment on a body, as a function of time.
pub struct AppliedWrench {
    /// The body.
    pub body: usize,
    /// Where the force acts.
    pub position: Vec3,
    /// In which frame that place, the force and the moment are given.
    pub frame: WrenchFrame,
    /// Force and moment at a time, N and N m.
    pub value: Box<dyn Fn(f64) -> (Vec3, Vec3) + Send + Sync>,
}

/// The frame in which a wrench is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrenchFrame {
    /// The world's: it acts at a place in the world, however the body moves.
    World,
    /// The body's: it acts at a point of the body and turns with it.
    Body,
    /// At a point of the body, with the axes of the world.
    Mixed,
}

/// The wrench on one node and how it changes as the node turns.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Load {
    pub(crate) wrench: Wrench,
    /// Sum of the forces that are fixed in space.
    pub(crate) fixed: Vec3,
    /// `Σ r̂ f̂ + n̂` of them.
    pub(crate) turning: Matrix3<f64>,
    /// Sum of those that stay where they are while the body moves.
    pub(crate) placed: Vec3,
    /// The part without potential, counted once.
    pub(crate) forced: Wrench,
}

impl Load {
    pub(super) fn add(&mut self, arm: &Vec3, force: &Vec3) {
        self.wrench += join(force, &arm.cross(force));
        self.fixed += force;
        // r̂ f̂ = f rᵀ − (r·f) 1
        self.turning += force * arm.transpose() - Matrix3::from_diagonal_element(arm.dot(force));
    }
}

/// A force in one scalar joint, or in one component of a ball joint.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    pub(crate) value: f64,
    /// With respect to the joint's position: a row for the rotation of a ball joint, one number otherwise.
    pub(crate) q: [f64; 3],
    pub(crate) v: f64,
    /// The part without potential, counted once.
    pub(crate) forced: f64,
}

/// Forces of a whole tree, and work space.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loads {
    pub(crate) loads: Vec<Load>,
    pub(crate) efforts: Vec<Effort>,
    pub(crate) looking: Looking,
    pub(super) points: Vec<Vec3>,
    pub(super) gradient: Vec<Vec3>,
}

impl Tree {
    /// Whether nothing acts on its bodies but gravity.
    pub(crate) fn only_falls(&self) -> bool {
        !self.has_links() && self.wrenches.is_empty() && !self.has_feedback()
    }

    /// Acceleration of gravity.
    pub(crate) fn gravity(&self) -> Vec3 {
        self.gravity
    }

    /// Wrenches of gravity, potentials, links and wrenches at a placement.
    pub(crate) fn load(&self, t: f64, kinematics: &Kinematics, out: &mut Loads) {
        self.load_weighted(t, kinematics, 1.0, out);
    }

    /// The same; what has no potential is counted `weight` times.
    pub(crate) fn load_weighted(&self, t: f64, kinematics: &Kinematics, weight: f64, out: &mut Loads) {
        out.loads.clear();
        out.loads.resize(self.nodes.len(), Load::default());
        if self.gravity != Vec3::zeros() {
            for (load, frame) in out.loads.iter_mut().zip(&kinematics.frames) {
                if frame.inertia.mass > 0.0 {
                    load.add(&frame.inertia.centre, &(self.gravity * frame.inertia.mass));
                }
            }
        }
        if !self.potentials.is_empty() {
            self.points(kinematics, &mut out.points);
            out.gradient.clear();
            out.gradient.resize(out.points.len(), Vec3::zeros());
            for potential in &self.potentials {
                potential.add_gradient(&out.points, &mut out.gradient);
            }
            for (site, gradient) in self.sites.iter().zip(&out.gradient) {
                if let Some(node) = site.node {
                    let arm = kinematics.frames[node].rotation * site.position;
                    out.loads[node].add(&arm, &-gradient);
                }
            }
        }
        self.load_links(kinematics, weight, out);
        for wrench in &self.wrenches {
            let whole = wrench_at(self, wrench, t, kinematics);
            let load = &mut out.loads[self.body_nodes[wrench.body]];
            add_wrench(wrench.frame, whole, weight, load);
        }
    }

    /// Forces in the joints; those without potential are counted `weight` times.
    pub(crate) fn efforts(&self, t: f64, q: &[f64], v: &[f64], weight: f64, out: &mut Loads) {
        if self.joint_forces.is_empty() && !self.has_feedback() && out.efforts.len() == self.velocities {
            return;
        }
        out.efforts.clear();
        out.efforts.resize(self.velocities, Effort::default());
        for (body, force) in &self.joint_forces {
            for k in self.first_node(*body)..=self.body_nodes[*body] {
                let node = &self.nodes[k];
                if let JointForce::Dampers(each) = force {
                    let each = &each[node.v - self.nodes[self.first_node(*body)].v..];
                    for (k, coefficient) in each[..node.dofs].iter().enumerate() {
                        let damped = -coefficient * v[node.v + k];
                        out.efforts[node.v + k].add(weight, damped, 0.0, -coefficient);
                    }
                    continue;
                }
                match node.kind {
                    JointKind::Screw { .. } => {
                        force.scalar((t, q[node.q], v[node.v]), weight, &mut out.efforts[node.v])
                    }
                    JointKind::Ball => force.ball(
                        &q[node.q..],
                        &v[node.v..],
                        weight,
                        &mut out.efforts[node.v..node.v + 3],
                    ),
                    JointKind::Translation => {
                        for k in 0..3 {
                            let at = (t, q[node.q + k], v[node.v + k]);
                            force.scalar(at, weight, &mut out.efforts[node.v + k]);
                        }
                    }
                    JointKind::Fixed | JointKind::Driven { .. } => {}
                }
            }
        }
    }

    /// Energy of gravity, potentials, links and joint springs.
    pub(crate) fn potential_energy(&self, q: &[f64], kinematics: &Kinematics, work: &mut Loads) -> f64 {
        let falls = |frame: &super::Frame| {
            frame.inertia.mass * self.gravity.dot(&(frame.origin + frame.inertia.centre))
        };
        let mut energy = -kinematics.frames.iter().map(falls).sum::<f64>();
        if !self.potentials.is_empty() {
            self.points(kinematics, &mut work.points);
            energy += self
                .potentials
                .iter()
                .map(|v| v.energy(&work.points))
                .sum::<f64>();
        }
        energy += self.links.iter().map(|link| link.energy(kinematics)).sum::<f64>();
        for (body, force) in &self.joint_forces {
            for k in self.first_node(*body)..=self.body_nodes[*body] {
                let node = &self.nodes[k];
                energy += match (node.kind, force) {
                    (JointKind::Ball, JointForce::Spring { stiffness, .. }) => {
                        let v = &q[node.q + 1..node.q + 4];
                        2.0 * stiffness * v.iter().map(|x| x * x).sum::<f64>()
                    }
                    (JointKind::Screw { .. } | JointKind::Translation, force) => {
                        (0..node.dofs).map(|k| force.energy(q[node.q + k])).sum()
                    }
                    _ => 0.0,
                };
            }
        }
        energy
    }

    /// Positions of the sites.
    pub(crate) fn points(&self, kinematics: &Kinematics, points: &mut Vec<Vec3>) {
        points.clear();
        points.extend(self.sites.iter().map(|site| kinematics.site(site)));
    }

    pub(super) fn check_armature(&self, armature: &[(usize, f64)]) -> Result<(), TreeError> {
        for (body, armature) in armature {
            let nodes = &self.nodes[self.first_node(*body)..=self.body_nodes[*body]];
            let moves = nodes.iter().any(|node| node.dofs > 0);
            if !(moves && *armature >= 0.0 && armature.is_finite()) {
                let body = self.layout.words.bodies[*body].clone();
                return Err(TreeError::Armature { body, moves });
            }
        }
        Ok(())
    }

    pub(super) fn check_joint_forces(&self) -> Result<(), TreeError> {
        for (body, force) in &self.joint_forces {
            let refuse = |fault| {
                Err(TreeError::Force {
                    body: self.layout.words.bodies[*body].clone(),
                    fault,
                })
            };
            let sound = match force {
                JointForce::Stop(stop) => stop.is_sound(),
                JointForce::Friction { effort, velocity } => {
                    *effort >= 0.0 && *velocity > 0.0 && (effort + velocity).is_finite()
                }
                JointForce::Dampers(each) => {
                    let kinds = (self.first_node(*body)..=self.body_nodes[*body]).map(|k| self.nodes[k].dofs);
                    each.len() == kinds.sum::<usize>() && each.iter().all(|c| *c >= 0.0 && c.is_finite())
                }
                _ => true,
            };
            if !sound {
                return refuse(ForceFault::Number);
            }
            let kinds = || (self.first_node(*body)..=self.body_nodes[*body]).map(|k| self.nodes[k].kind);
            if kinds().all(|kind| kind.sizes().1 == 0) {
                return refuse(ForceFault::Unmoved);
            }
            if kinds().any(|kind| kind == JointKind::Ball) {
                match force {
                    JointForce::Spring { rest, .. } if *rest == 0.0 => {}
                    JointForce::Damper { .. } | JointForce::Dampers(_) => {}
                    JointForce::Spring { .. } => return refuse(ForceFault::BallRest),
                    _ => return refuse(ForceFault::Rotation),
                }
            }
        }
        Ok(())
    }
}

/// The arm of a wrench from the origin of its node, its force and its moment, in the axes of the world.
pub(super) fn wrench_at(
    tree: &Tree,
    wrench: &AppliedWrench,
    t: f64,
    kinematics: &Kinematics,
) -> (Vec3, Vec3, Vec3) {
    let given = (wrench.value)(t);
    wrench_axes(
        tree,
        wrench.body,
        &wrench.position,
        wrench.frame,
        given,
        kinematics,
    )
}

/// The same of a force and a moment that are given in a frame.
pub(super) fn wrench_axes(
    tree: &Tree,
    body: usize,
    position: &Vec3,
    frame: WrenchFrame,
    (force, moment): (Vec3, Vec3),
    kinematics: &Kinematics,
) -> (Vec3, Vec3, Vec3) {
    let node = tree.body_nodes[body];
    let (rotation, pose) = (&kinematics.frames[node].rotation, &tree.node_from_body[body]);
    let arm = match frame {
        WrenchFrame::World => position - kinematics.frames[node].origin,
        _ => rotation * pose.point(position),
    };
    match frame {
        WrenchFrame::World | WrenchFrame::Mixed => (arm, force, moment),
        WrenchFrame::Body => {
            let turn = |x: &Vec3| rotation * pose.direction(x);
            (arm, turn(&force), turn(&moment))
        }
    }
}

/// Adds a wrench, `(arm, force, moment)` in the axes of the world, to what acts on its node.
pub(super) fn add_wrench(
    frame: WrenchFrame,
    (arm, force, moment): (Vec3, Vec3, Vec3),
    weight: f64,
    load: &mut Load,
) {
    match frame {
        WrenchFrame::World => {
            let whole = join(&force, &(arm.cross(&force) + moment));
            load.wrench += whole * weight;
            load.fixed += force * weight;
            load.placed += force * weight;
            load.turning += (arm.cross(&force) + moment).cross_matrix() * weight;
        }
        WrenchFrame::Mixed => {
            load.add(&arm, &(force * weight));
            load.wrench += join(&Vec3::zeros(), &(moment * weight));
            load.turning += moment.cross_matrix() * weight;
        }
        WrenchFrame::Body => {
            load.wrench += join(&force, &(arm.cross(&force) + moment)) * weight;
        }
    }
    load.forced += join(&force, &(arm.cross(&force) + moment));
}

impl Effort {
    #[inline]
    pub(super) fn add(&mut self, weight: f64, value: f64, by_q: f64, by_v: f64) {
        self.value += weight * value;
        self.q[0] += weight * by_q;
        self.v += weight * by_v;
        self.forced += value;
    }
}

impl JointForce {
    #[inline]
    pub(super) fn scalar(&self, (t, q, v): (f64, f64, f64), weight: f64, out: &mut Effort) {
        match self {
            Self::Spring { stiffness, rest } => {
                out.value -= stiffness * (q - rest);
                out.q[0] -= stiffness;
            }
            Self::Potential(law) => {
                let [_, slope, curvature] = law(q);
                out.value -= slope;
                out.q[0] -= curvature;
            }
            Self::Damper { coefficient } => out.add(weight, -coefficient * v, 0.0, -coefficient),
            Self::Effort(law) => {
                let [value, by_q, by_v] = law((t, q, v));
                out.add(weight, value, by_q, by_v);
            }
            _ => self.seldom((q, v), weight, out),
        }
    }

    /// The kinds of joint forces that are rarer, apart from the others, so that those stay short.
    #[inline(never)]
    fn seldom(&self, (q, v): (f64, f64), weight: f64, out: &mut Effort) {
        match self {
            Self::Stop(stop) => stop.push(q, v, weight, out),
            Self::Friction { effort, velocity } => {
                let [value, by_v] = stops::friction(*effort, *velocity, v);
                out.add(weight, value, 0.0, by_v);
            }
            // `Dampers`: each has its own number, and is added where that is known.
            _ => {}
        }
    }

    /// `V = 2k|u|²` of the quaternion (w, u): `τ = −2k w u`, `∂τ = −k (w² + w û − u uᵀ)`.
    fn ball(&self, q: &[f64], v: &[f64], weight: f64, out: &mut [Effort]) {
        match self {
            Self::Spring { stiffness, .. } => {
                let (w, u) = (q[0], Vec3::new(q[1], q[2], q[3]));
                let slope = (Matrix3::from_diagonal_element(w * w) + u.cross_matrix() * w
                    - u * u.transpose())
                    * *stiffness;
                for k in 0..3 {
                    out[k].value -= 2.0 * stiffness * w * u[k];
                    for l in 0..3 {
                        out[k].q[l] -= slope[(k, l)];
                    }
                }
            }
            Self::Damper { coefficient } => {
                for k in 0..3 {
                    out[k].add(weight, -coefficient * v[k], 0.0, -coefficient);
                }
            }
            Self::Dampers(_)
            | Self::Potential(_)
            | Self::Effort(_)
            | Self::Stop(_)
            | Self::Friction { .. } => {}
        }
    }

    fn energy(&self, q: f64) -> f64 {
        match self {
            Self::Spring { stiffness, rest } => 0.5 * stiffness * (q - rest) * (q - rest),
            Self::Potential(law) => law(q)[0],
            Self::Stop(stop) => stop.energy(q),
            Self::Damper { .. } | Self::Dampers(_) | Self::Effort(_) | Self::Friction { .. } => 0.0,
        }
    }
}
