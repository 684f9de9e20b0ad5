//! The discrete Euler–Lagrange equations of a tree, by one outward and one inward sweep.
use super::turn::Turn;
use crate::{
    Vec3,
    geometry::{
        se3::{Twist, Wrench, angular, cross_wrench, join, linear, twist_at, wrench_from},
        so3,
    },
    system::State,
    tree::{Dynamics, Foresight, JointKind, Kinematics, Loads, Sight, Tree},
};
use nalgebra::Matrix3;

/// The middle of a step, for a guess of the discrete velocities v, and the residual there.
#[derive(Clone, Debug, Default)]
pub(super) struct Balance {
    pub(super) h: f64,
    /// How far a velocity of one carries to where L is evaluated, `c h`, and the weight `(1 − c) h` of forces
    /// in the balance; both are ½ h for the midpoint rule.
    pub(super) reach: f64,
    pub(super) weight: f64,
    /// The time at the end.
    pub(super) end: f64,
    /// Discrete velocities v, the unknowns.
    pub(super) v: Vec<f64>,
    /// Momenta at the start, less the impulse of the constraints, and the sizes of the terms of that difference.
    pub(super) p: Vec<f64>,
    pub(super) sizes: Vec<f64>,
    pub(super) kinematics: Kinematics,
    pub(super) loads: Loads,
    /// The rotation of each ball joint, by node.
    pub(super) turns: Vec<Option<Turn>>,
    /// P and F by node.
    pub(super) momenta: Vec<Wrench>,
    pub(super) forces: Vec<Wrench>,
    /// g + τ by velocity.
    pub(super) pushes: Vec<f64>,
    pub(super) residual: Vec<f64>,
    /// The largest residual, as a fraction of the terms it is made of.
    pub(super) relative_residual: f64,
    /// How far what each joint carries reaches from it.
    extents: Vec<f64>,
    /// Rates of driven joints over the step.
    driven: Vec<f64>,
    pub(super) middle: Vec<f64>,
    /// Weight of forces that have no potential: 1, or 2 if all of them act at the start.
    pub(super) forcing: f64,
    /// What finds multipliers in the middle of the step for forces that see them, and these.
    pub(super) foresight: Option<Box<Foresight>>,
    pub(super) multipliers: Vec<f64>,
}

impl Balance {
    /// Work space for a tree.
    pub(super) fn new(tree: &Tree) -> Self {
        Self {
            foresight: tree.sees_multipliers().then(Box::default),
            ..Self::default()
        }
    }

    /// Prepares for a step from a state, with L evaluated at a fraction c of it.
    pub(super) fn begin(&mut self, tree: &Tree, state: &State, h: f64, c: f64) {
        (self.h, self.end) = (h, state.t + h);
        (self.reach, self.weight) = (c * h, (1.0 - c) * h);
        self.p.clone_from(&state.p);
        self.sizes.clear();
        self.sizes.extend(state.p.iter().map(|p| p.abs()));
        self.middle.clone_from(&state.q);
        self.turns.resize(tree.nodes.len(), None);
        if self.extents.len() != tree.nodes.len() {
            self.extents = extents(tree);
        }
        self.driven.clear();
        self.driven.extend(tree.motions.iter().map(|motion| {
            let (before, after) = (motion(state.t).0, motion(state.t + h).0);
            (after - before) / h
        }));
        for node in &tree.nodes {
            if let JointKind::Driven { motion, .. } = node.kind {
                let value = &tree.motions[motion];
                self.middle[node.q] = (1.0 - c) * value(state.t).0 + c * value(state.t + h).0;
            }
        }
    }

    /// Momenta, forces and residual at v; the node that turns by half a turn or more is the error.
    pub(super) fn evaluate(&mut self, tree: &Tree, state: &State) -> Result<(), usize> {
        self.outward(tree, state)?;
        let time = state.t + self.reach;
        if !tree.only_falls() {
            tree.load_weighted(time, &self.kinematics, self.forcing, &mut self.loads);
        }
        tree.efforts(time, &self.middle, &self.v, self.forcing, &mut self.loads);
        if !tree.only_falls() {
            if let Some(foresight) = &mut self.foresight {
                self.multipliers.clear();
                let found = foresight.look(tree, time, &self.middle, &self.v);
                self.multipliers.extend_from_slice(found);
            }
            let sight = Sight {
                t: time,
                q: &self.middle,
                v: &self.v,
                kinematics: &self.kinematics,
                multipliers: &self.multipliers,
            };
            tree.feed_back(&sight, self.forcing, &mut self.loads);
            let wrenches = self.loads.loads.iter().map(|load| load.wrench);
            self.forces.clear();
            self.forces.extend(wrenches);
        }
        self.inward(tree);
        Ok(())
    }

    /// The outward sweep: where the bodies are, how they move, their momenta and weights.
    fn outward(&mut self, tree: &Tree, state: &State) -> Result<(), usize> {
        let (reach, gravity) = (self.reach, tree.gravity());
        self.kinematics.fit(tree);
        self.momenta.resize(tree.nodes.len(), Wrench::zeros());
        self.forces.resize(tree.nodes.len(), Wrench::zeros());
        // Roots and quotients of one joint need not wait for those of another.
        for (i, node) in tree.nodes.iter().enumerate() {
            let (q, v) = (&state.q[node.q..], &self.v[node.v..node.v + node.dofs]);
            let middle = &mut self.middle[node.q..];
            match node.kind {
                JointKind::Screw { .. } => middle[0] = q[0] + reach * v[0],
                JointKind::Translation => {
                    for k in 0..3 {
                        middle[k] = q[k] + reach * v[k];
                    }
                }
                JointKind::Ball => {
                    let turn = Turn::new(Vec3::new(v[0], v[1], v[2]) * reach).ok_or(i)?;
                    middle[..4].copy_from_slice(&so3::product(&q[..4], &turn.half()));
                    self.turns[i] = Some(turn);
                }
                JointKind::Fixed | JointKind::Driven { .. } => {}
            }
        }
        for (i, node) in tree.nodes.iter().enumerate() {
            let (v, middle) = (&self.v[node.v..node.v + node.dofs], &self.middle[node.q..]);
            let (before, frame) = self.kinematics.frames.split_at_mut(i);
            let (parent, frame) = (node.parent.map(|parent| &before[parent]), &mut frame[0]);
            frame.pose(parent, node, middle);
            frame.carried = parent.map_or_else(Twist::zeros, |p| twist_at(&p.twist, &frame.offset));
            frame.twist = frame.carried + frame.joint_twist(node.kind, v, &self.driven);
            let body = &node.inertia;
            if body.mass > 0.0 {
                let (rotation, w) = (&frame.rotation, angular(&frame.twist));
                let centre = rotation * body.centre;
                let push = (linear(&frame.twist) + w.cross(&centre)) * body.mass;
                let spin = rotation * (body.moment * rotation.tr_mul(&w));
                self.momenta[i] = join(&push, &(spin + centre.cross(&push)));
                let weight = gravity * body.mass;
                self.forces[i] = join(&weight, &centre.cross(&weight));
                (frame.inertia.mass, frame.inertia.centre) = (body.mass, centre);
            } else {
                self.momenta[i] = Wrench::zeros();
                self.forces[i] = Wrench::zeros();
            }
        }
        Ok(())
    }

    /// The inward sweep.
    fn inward(&mut self, tree: &Tree) {
        let (weight, frames) = (self.weight, &self.kinematics.frames);
        let mut relative_residual = 0.0_f64;
        self.residual.resize(tree.velocities(), 0.0);
        self.pushes.resize(tree.velocities(), 0.0);
        for (i, node) in tree.nodes.iter().enumerate().rev() {
            let (momentum, force, frame) = (self.momenta[i], self.forces[i], &frames[i]);
            let push = force - cross_wrench(&frame.carried, &momentum);
            // Moments are sums of arms times forces, and have the rounding of those.
            let size =
                |of: fn(&Wrench) -> Vec3| one_norm(&of(&momentum)) + weight.abs() * one_norm(&of(&push));
            let forces = size(linear);
            let moments = size(angular) + self.extents[i] * forces;
            let efforts = &self.loads.efforts[node.v..node.v + node.dofs];
            match (node.kind, &self.turns[i]) {
                (JointKind::Ball, Some(turn)) => {
                    let turned = |x: &Wrench| frame.rotation.tr_mul(&angular(x));
                    let effort = Vec3::from_fn(|k, _| efforts[k].value);
                    let g = turned(&push) + effort;
                    let rotor = three(&self.v, node.v) * node.armature;
                    let residual = turn.start_of(&three(&self.p, node.v)) - turned(&momentum) - rotor
                        + turn.middle_of(&g) * weight;
                    let terms = one_norm(&three(&self.sizes, node.v))
                        + moments
                        + weight.abs() * one_norm(&effort)
                        + one_norm(&rotor);
                    relative_residual = worse(relative_residual, one_norm(&residual), terms);
                    self.pushes[node.v..node.v + 3].copy_from_slice(g.as_slice());
                    self.residual[node.v..node.v + 3].copy_from_slice(residual.as_slice());
                }
                (kind, _) => {
                    let size = match kind {
                        JointKind::Screw { turn, advance } => turn.abs() * moments + advance.abs() * forces,
                        _ => forces,
                    };
                    for (k, effort) in efforts.iter().enumerate() {
                        let j = node.v + k;
                        let g = frame.along(kind, k, &push) + effort.value;
                        let rotor = node.armature * self.v[j];
                        let residual = self.p[j] - frame.along(kind, k, &momentum) - rotor + weight * g;
                        let terms = self.sizes[j] + size + weight.abs() * effort.value.abs() + rotor.abs();
                        relative_residual = worse(relative_residual, residual.abs(), terms);
                        (self.pushes[j], self.residual[j]) = (g, residual);
                    }
                }
            }
            if let Some(parent) = node.parent {
                self.momenta[parent] += wrench_from(&momentum, &frame.offset);
                self.forces[parent] += wrench_from(&force, &frame.offset);
            }
        }
        self.relative_residual = relative_residual;
    }

    /// What forces see in the middle of a step from time t.
    pub(super) fn sight(&self) -> Sight<'_> {
        Sight {
            t: self.end - self.h + self.reach,
            q: &self.middle,
            v: &self.v,
            kinematics: &self.kinematics,
            multipliers: &self.multipliers,
        }
    }

    /// What the Jacobian needs besides, where it was last evaluated.
    pub(super) fn complete(&mut self, tree: &Tree) {
        self.kinematics.turn_inertia(tree);
        if let Some(foresight) = &mut self.foresight {
            foresight.mix(tree);
        }
        if tree.only_falls() {
            tree.load_weighted(self.end, &self.kinematics, self.forcing, &mut self.loads);
        }
    }

    /// The configuration at the end of the step.
    pub(super) fn end_configuration(&self, tree: &Tree, state: &State, next_q: &mut Vec<f64>) {
        next_q.clone_from(&state.q);
        tree.drive(state.t + self.h, next_q);
        for (i, node) in tree.nodes.iter().enumerate() {
            let range = node.q..node.q + node.kind.sizes().0;
            match (node.kind, &self.turns[i]) {
                (JointKind::Screw { .. } | JointKind::Translation, _) => {
                    for k in 0..node.dofs {
                        next_q[node.q + k] += self.h * self.v[node.v + k];
                    }
                }
                (JointKind::Ball, Some(turn)) => {
                    let turned = so3::product(&state.q[range.clone()], &turn.whole());
                    next_q[range].copy_from_slice(&so3::normalised(turned));
                }
                _ => {}
            }
        }
    }

    /// The momenta at the end: `p⁺ = p + h (g + τ)`, for a ball joint `H p⁺ = Hᵀ p + h (g + τ)`. What
    /// symmetry conserves, g leaves alone: it is conserved however well the equations are solved.
    pub(super) fn end_momentum(&mut self, tree: &Tree, next_p: &mut Vec<f64>) {
        // Forces that all act at the start have been counted twice.
        if self.forcing != 1.0 {
            self.take_back(tree);
        }
        next_p.clear();
        next_p.extend((0..self.p.len()).map(|j| self.p[j] + self.h * self.pushes[j]));
        for (i, node) in tree.nodes.iter().enumerate() {
            if let (JointKind::Ball, Some(turn)) = (node.kind, &self.turns[i]) {
                let half: Matrix3<f64> = so3::matrix(&turn.half());
                let start = three(&self.p, node.v);
                let change = three(next_p, node.v) - start;
                let end = half.tr_mul(&(half.tr_mul(&start) + change));
                next_p[node.v..node.v + 3].copy_from_slice(end.as_slice());
            }
        }
    }

    /// Takes forces without potential from the pushes, but for once.
    fn take_back(&mut self, tree: &Tree) {
        let (extra, frames) = (self.forcing - 1.0, &self.kinematics.frames);
        self.forces.clear();
        self.forces
            .extend(self.loads.loads.iter().map(|load| load.forced));
        for (i, node) in tree.nodes.iter().enumerate().rev() {
            let force = self.forces[i];
            for k in 0..node.dofs {
                let joint = self.loads.efforts[node.v + k].forced;
                let forced = frames[i].along(node.kind, k, &force) + joint;
                self.pushes[node.v + k] -= extra * forced;
            }
            if let Some(parent) = node.parent {
                self.forces[parent] += wrench_from(&force, &frames[i].offset);
            }
        }
    }

    /// Starts from the velocity at the start of the step and half a step of acceleration, in a factorised
    /// tree. With constraints from the velocity alone: it is tangent to them, and close to a singular
    /// configuration, where a mechanism can branch, Newton then stays on the branch the motion is on. With
    /// links from there too: what they do at once says nothing of a step in which they swing.
    pub(super) fn guess(&mut self, tree: &Tree, state: &State, dynamics: &mut Dynamics) {
        let n = tree.velocities();
        self.v.resize(n, 0.0);
        self.residual.resize(n, 0.0);
        tree.drive_rates(state.t, &mut dynamics.driven);
        dynamics.velocity(tree, &state.p, &mut self.v);
        if tree.constraints() > 0 || tree.has_links() {
            return;
        }
        let Dynamics {
            kinematics,
            loads,
            driven,
            ..
        } = dynamics;
        kinematics.set_moving(tree, &self.v, driven);
        tree.load(state.t, kinematics, loads);
        tree.efforts(state.t, &state.q, &self.v, 1.0, loads);
        let sight = Sight {
            t: state.t,
            q: &state.q,
            v: &self.v,
            kinematics,
            multipliers: &[],
        };
        tree.feed_back(&sight, 1.0, loads);
        dynamics.acceleration(tree, state.t, &mut self.residual);
        for (v, a) in self.v.iter_mut().zip(&self.residual) {
            *v += 0.5 * self.h * a;
        }
    }
}

/// How far what each joint carries reaches from it.
fn extents(tree: &Tree) -> Vec<f64> {
    let mut out: Vec<f64> = tree.nodes.iter().map(|node| node.inertia.centre.norm()).collect();
    for (i, node) in tree.nodes.iter().enumerate().rev() {
        if let Some(parent) = node.parent {
            out[parent] = out[parent].max(node.translation.norm() + out[i]);
        }
    }
    out
}

fn one_norm(x: &Vec3) -> f64 {
    x.x.abs() + x.y.abs() + x.z.abs()
}

/// The worse of a fraction and `part/whole`; what is not a number is worst.
fn worse(fraction: f64, part: f64, whole: f64) -> f64 {
    if part <= fraction * whole {
        fraction
    } else if whole > 0.0 {
        part / whole
    } else {
        f64::INFINITY
    }
}

pub(super) fn three(x: &[f64], at: usize) -> Vec3 {
    Vec3::new(x[at], x[at + 1], x[at + 2])
}
