//! Random trees, and their mechanics computed the slow way: positions from products of poses,
//! velocities by differences along a path, equations of motion by differences of energies.
use holonomy::{
    Vec3,
    geometry::{Pose, RigidInertia, so3},
    potential::{Potential, Spring},
    tree::{Along, Joint, JointForce, RigidBody, Site, Tree, TreeParts},
};
use nalgebra::{Matrix3, Matrix4, UnitQuaternion};

/// Numbers between −1 and 1 (Lehmer).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(
            seed.wrapping_mul(2_862_933_555_777_941_757)
                .wrapping_add(3_037_000_493)
                | 1,
        )
    }
    pub(super) fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
    pub(super) fn below(&mut self, n: usize) -> usize {
        (((self.next() + 1.0) * 0.5 * n as f64) as usize).min(n - 1)
    }
    pub(super) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
    fn pose(&mut self) -> Pose {
        Pose::translation(self.vector()) * Pose::turn(self.vector(), 3.0 * self.next())
    }
}

/// What is needed to compute the slow way.
pub(super) struct Slow {
    joints: Vec<(Option<usize>, Pose, Pose, Kind)>,
    inertias: Vec<RigidInertia>,
    sites: Vec<(Option<usize>, Vec3)>,
    springs: Vec<Spring>,
    joint_springs: Vec<(usize, f64, f64)>,
    /// By joint.
    armature: Vec<f64>,
    gravity: Vec3,
}

#[derive(Clone, Copy)]
enum Kind {
    Fixed,
    Screw(Vec3, f64, f64),
    Universal(Vec3, Vec3),
    Ball,
    Free,
    Driven(Vec3),
}

pub(super) fn driven(t: f64) -> (f64, f64, f64) {
    ((1.3 * t).sin(), 1.3 * (1.3 * t).cos(), -1.69 * (1.3 * t).sin())
}

/// A tree of up to `most` bodies with every kind of joint, springs between sites and in joints, some with armature.
pub(super) fn tree(seed: u64, most: usize) -> (Tree, Slow) {
    let mut random = Random::new(seed);
    let count = 1 + random.below(most);
    let mut parts = TreeParts {
        gravity: random.vector() * 5.0,
        ..TreeParts::default()
    };
    let mut slow = Slow {
        joints: Vec::new(),
        inertias: Vec::new(),
        sites: Vec::new(),
        springs: Vec::new(),
        joint_springs: Vec::new(),
        armature: Vec::new(),
        gravity: parts.gravity,
    };
    let mut offset = 0;
    for i in 0..count {
        let parent = (i > 0 && random.next() > -0.8).then(|| random.below(i));
        let axis = random.vector();
        let unit = axis.normalize();
        let (joint, kind, in_q) = match random.below(8) {
            0 if i > 0 => (Joint::Fixed, Kind::Fixed, 0),
            1 => (Joint::Prismatic { axis }, Kind::Screw(unit, 0.0, 1.0), 1),
            2 => {
                let pitch = random.next();
                (Joint::Screw { axis, pitch }, Kind::Screw(unit, 1.0, pitch), 1)
            }
            3 => {
                let other = random.vector();
                (
                    Joint::Universal { axes: [axis, other] },
                    Kind::Universal(unit, other.normalize()),
                    2,
                )
            }
            4 => (Joint::Spherical, Kind::Ball, 4),
            5 => (Joint::Free, Kind::Free, 7),
            6 if i > 0 => (
                Joint::Driven {
                    axis,
                    along: Along::Turn,
                    motion: Box::new(driven),
                },
                Kind::Driven(unit),
                1,
            ),
            _ => (Joint::Revolute { axis }, Kind::Screw(unit, 1.0, 0.0), 1),
        };
        if let Kind::Screw(..) = kind
            && random.next() > 0.0
        {
            let (stiffness, rest) = (3.0 + random.next(), random.next());
            parts
                .joint_forces
                .push((i, JointForce::Spring { stiffness, rest }));
            slow.joint_springs.push((offset, stiffness, rest));
        }
        offset += in_q;
        let armed = i % 3 != 1 && !matches!(kind, Kind::Fixed | Kind::Driven(_));
        let armature = if armed { 0.7 + 0.2 * i as f64 } else { 0.0 };
        parts.armature.extend(armed.then_some((i, armature)));
        slow.armature.push(armature);
        let (before, behind) = (random.pose(), random.pose());
        // Point masses at random places: every inertia they make is possible.
        let inertia = (0..4).fold(RigidInertia::zero(), |sum, _| {
            sum.and(&RigidInertia::point(1.1 + random.next(), random.vector()))
        });
        slow.joints.push((parent, before, behind, kind));
        slow.inertias.push(inertia);
        parts.bodies.push(RigidBody {
            name: format!("b{i}"),
            parent,
            joint,
            parent_from_joint: before,
            joint_from_body: behind,
            inertia,
        });
    }
    for k in 0..3 {
        let body = (k > 0).then(|| random.below(count));
        let position = random.vector();
        slow.sites.push((body, position));
        parts.sites.push(Site {
            name: format!("s{k}"),
            body,
            position,
        });
    }
    for between in [[0, 1], [1, 2]] {
        let spring = Spring {
            between,
            stiffness: 4.0,
            length: 0.3,
        };
        parts
            .potentials
            .push(Box::new(spring.clone()) as Box<dyn Potential>);
        slow.springs.push(spring);
    }
    (Tree::new(parts).unwrap(), slow)
}

/// Nodes and weights of the central difference of order 8.
const DIFFERENCE: [(f64, f64); 4] = [
    (1.0, 4.0 / 5.0),
    (2.0, -1.0 / 5.0),
    (3.0, 4.0 / 105.0),
    (4.0, -1.0 / 280.0),
];

pub(super) fn slope(step: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
    let pair = |f: &mut dyn FnMut(f64) -> f64, (k, w): (f64, f64)| w * (f(k * step) - f(-k * step));
    DIFFERENCE.into_iter().map(|d| pair(&mut f, d)).sum::<f64>() / step
}

impl Slow {
    /// Homogeneous matrices of the bodies.
    fn poses(&self, t: f64, q: &[f64]) -> Vec<Matrix4<f64>> {
        let matrix = |p: &Pose| {
            let mut m = p.rotation.to_homogeneous();
            m.fixed_view_mut::<3, 1>(0, 3).copy_from(&p.translation);
            m
        };
        let turn = |axis: &Vec3, angle: f64| Pose::turn(*axis, angle);
        let ball = |q: &[f64]| {
            Pose::rotation(UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(
                q[0], q[1], q[2], q[3],
            )))
        };
        let (mut poses, mut k): (Vec<Matrix4<f64>>, usize) = (Vec::new(), 0);
        for (parent, before, behind, kind) in &self.joints {
            let q = &q[k..];
            let (pose, used) = match kind {
                Kind::Fixed => (Pose::identity(), 0),
                Kind::Screw(axis, angle, advance) => (
                    turn(axis, angle * q[0]) * Pose::translation(axis * (advance * q[0])),
                    1,
                ),
                Kind::Universal(a, b) => (turn(a, q[0]) * turn(b, q[1]), 2),
                Kind::Ball => (ball(q), 4),
                Kind::Free => (Pose::translation(Vec3::new(q[0], q[1], q[2])) * ball(&q[3..]), 7),
                Kind::Driven(axis) => (turn(axis, driven(t).0), 1),
            };
            k += used;
            let from = parent.map_or_else(Matrix4::identity, |p| poses[p]);
            poses.push(from * matrix(&(*before * pose * *behind)));
        }
        poses
    }

    /// The point at x of the chart around q: angles add, rotations are multiplied with (c, x/2).
    fn chart(&self, q: &[f64], x: &[f64]) -> Vec<f64> {
        let (mut out, mut k, mut l) = (q.to_vec(), 0, 0);
        for (_, _, _, kind) in &self.joints {
            let (shifts, ball) = match kind {
                Kind::Fixed => (0, false),
                Kind::Driven(_) => {
                    k += 1;
                    continue;
                }
                Kind::Screw(..) => (1, false),
                Kind::Universal(..) => (2, false),
                Kind::Ball => (0, true),
                Kind::Free => (3, true),
            };
            for _ in 0..shifts {
                out[k] += x[l];
                (k, l) = (k + 1, l + 1);
            }
            if ball {
                let u = Vec3::new(x[l], x[l + 1], x[l + 2]) * 0.5;
                let c = (1.0 - u.norm_squared()).sqrt();
                out[k..k + 4].copy_from_slice(&so3::product(&q[k..k + 4], &[c, u.x, u.y, u.z]));
                (k, l) = (k + 4, l + 3);
            }
        }
        out
    }

    /// `½ Σ tr(Ẋ J Ẋᵀ)` with J the second moments of mass, the velocity by differences.
    pub(super) fn kinetic(&self, t: f64, q: &[f64], x: &[f64], v: &[f64]) -> f64 {
        let at = |s: f64| {
            let x: Vec<f64> = x.iter().zip(v).map(|(x, v)| x + s * v).collect();
            self.poses(t + s, &self.chart(q, &x))
        };
        let step = 0.02 / (1.0 + v.iter().fold(0.0_f64, |m, v| m.max(v.abs())));
        let mut rates = vec![Matrix4::zeros(); self.joints.len()];
        for (k, w) in DIFFERENCE {
            for sign in [1.0, -1.0] {
                for (rate, pose) in rates.iter_mut().zip(at(sign * k * step)) {
                    *rate += pose * (sign * w / step);
                }
            }
        }
        let rotors = self.rotors(&self.chart(q, x), |s| {
            let x: Vec<f64> = x.iter().zip(v).map(|(x, v)| x + s * v).collect();
            self.chart(q, &x)
        });
        let bodies: f64 = rates
            .iter()
            .zip(&self.inertias)
            .map(|(rate, body)| {
                let c = body.centre;
                let second = Matrix3::identity() * (0.5 * body.moment.trace()) - body.moment
                    + c * c.transpose() * body.mass;
                let mut j = Matrix4::zeros();
                j.fixed_view_mut::<3, 3>(0, 0).copy_from(&second);
                j.fixed_view_mut::<3, 1>(0, 3).copy_from(&(c * body.mass));
                j.fixed_view_mut::<1, 3>(3, 0)
                    .copy_from(&(c * body.mass).transpose());
                j[(3, 3)] = body.mass;
                0.5 * (rate * j * rate.transpose()).trace()
            })
            .sum();
        bodies + rotors
    }

    /// `½ Σ a v²` of all velocities of each joint, by differences of coordinates; `ω = 2 q⁻¹ q̇` for quaternions.
    fn rotors(&self, q: &[f64], path: impl Fn(f64) -> Vec<f64>) -> f64 {
        let mut rate = vec![0.0; q.len()];
        let step = 0.02;
        for (k, w) in DIFFERENCE {
            for sign in [1.0, -1.0] {
                for (rate, q) in rate.iter_mut().zip(path(sign * k * step)) {
                    *rate += q * (sign * w / step);
                }
            }
        }
        let (mut sum, mut k) = (0.0, 0);
        for ((.., kind), armature) in self.joints.iter().zip(&self.armature) {
            let (shifts, ball) = match kind {
                Kind::Fixed => (0, false),
                Kind::Screw(..) | Kind::Driven(_) => (1, false),
                Kind::Universal(..) => (2, false),
                Kind::Ball => (0, true),
                Kind::Free => (3, true),
            };
            let mut squares: f64 = rate[k..k + shifts].iter().map(|v| v * v).sum();
            k += shifts;
            if ball {
                let back = [q[k], -q[k + 1], -q[k + 2], -q[k + 3]];
                let turn = so3::product(&back, &rate[k..k + 4]);
                squares += 4.0 * turn[1..].iter().map(|x| x * x).sum::<f64>();
                k += 4;
            }
            sum += 0.5 * armature * squares;
        }
        sum
    }

    pub(super) fn potential(&self, t: f64, q: &[f64], x: &[f64]) -> f64 {
        let q = self.chart(q, x);
        let poses = self.poses(t, &q);
        let point = |pose: &Matrix4<f64>, r: &Vec3| (pose * r.push(1.0)).xyz();
        let weight: f64 = poses
            .iter()
            .zip(&self.inertias)
            .map(|(pose, body)| -body.mass * self.gravity.dot(&point(pose, &body.centre)))
            .sum();
        let points: Vec<Vec3> = self
            .sites
            .iter()
            .map(|(body, r)| body.map_or(*r, |b| point(&poses[b], r)))
            .collect();
        let springs: f64 = self.springs.iter().map(|s| s.energy(&points)).sum();
        let joints: f64 = self
            .joint_springs
            .iter()
            .map(|(k, stiffness, rest)| 0.5 * stiffness * (q[*k] - rest).powi(2))
            .sum();
        weight + springs + joints
    }

    /// `∂T/∂v`: T is quadratic in v, so the difference is exact.
    pub(super) fn momentum(&self, t: f64, q: &[f64], x: &[f64], v: &[f64]) -> Vec<f64> {
        let mut v = v.to_vec();
        (0..v.len())
            .map(|i| {
                let at = v[i];
                v[i] = at + 1.0;
                let up = self.kinetic(t, q, x, &v);
                v[i] = at - 1.0;
                let down = self.kinetic(t, q, x, &v);
                v[i] = at;
                0.5 * (up - down)
            })
            .collect()
    }
}
