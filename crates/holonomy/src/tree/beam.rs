//! An elastic beam between two frames, Euler–Bernoulli, in axes that turn with its start.
//!
//! ```text
//! d = Eₐᵀ(p_b − p_a) − (L, 0, 0),   (c, u) = EₐᵀE_b,   ψ = 2u          the end, seen from the start
//! V = ½ xᵀ K x,   x = (d, ψ)                                           K: `docs/reading.md` 5.4 with the start at rest
//! δψ = T ε,   T = c − û                                                ε = Eₐᵀ(θ_b − θ_a)
//! F = K x (first half),   m = Tᵀ K x (second half)                     force and moment, in axes of the start
//! δm = Tᵀ δM + ½ (Tε) × M − ½ (u·ε) M                                  M = K x (second half)
//! ```
//! Only the relative pose is in it: rigid motions change nothing, and forces are equal and opposite at p_b.
//! Turns of half a turn and more are none that a beam can tell apart.
use super::{
    Kinematics, SitePlace,
    factors::{LowRank, Vector12, stack},
    forces::Load,
    links::at,
};
use crate::{Vec3, geometry::se3::join};
use nalgebra::{Matrix3, Matrix6, Rotation3, UnitQuaternion, Vector6};

/// An elastic beam between two sites.
#[derive(Clone, Debug)]
pub struct Beam {
    /// Sites at its start and its end.
    pub between: [usize; 2],
    /// Its axes at both ends against those of the bodies there; x is along the beam.
    pub turned: [UnitQuaternion<f64>; 2],
    /// Length L at rest, m.
    pub length: f64,
    /// Stiffness in tension EA, N.
    pub tension: f64,
    /// Stiffness in bending `[EI_y, EI_z]`, N m²: about its y (in its plane of x and z), and about its z.
    pub bending: [f64; 2],
    /// Stiffness in torsion GJ, N m².
    pub torsion: f64,
}

impl Beam {
    /// K of the displacements and turns of the end, against a start at rest.
    pub fn stiffness(&self) -> Matrix6<f64> {
        let (l, [y, z]) = (self.length, self.bending);
        let mut k = Matrix6::zeros();
        k[(0, 0)] = self.tension / l;
        k[(3, 3)] = self.torsion / l;
        // A turn about z raises the end along y; one about y lowers it along z.
        for (shift, turn, stiffness, sign) in [(1, 5, z, -1.0), (2, 4, y, 1.0)] {
            k[(shift, shift)] = 12.0 * stiffness / (l * l * l);
            k[(turn, turn)] = 4.0 * stiffness / l;
            k[(shift, turn)] = sign * 6.0 * stiffness / (l * l);
            k[(turn, shift)] = k[(shift, turn)];
        }
        k
    }
}

/// A beam between nodes.
#[derive(Clone, Debug)]
pub(super) struct BoundBeam {
    pub(super) ends: [SitePlace; 2],
    /// Its axes at both ends in those of the nodes.
    pub(super) axes: [Matrix3<f64>; 2],
    pub(super) length: f64,
    pub(super) stiffness: Matrix6<f64>,
}

/// A beam as it is bent.
struct Bent {
    /// Eₐ, c, u, x.
    axes: Matrix3<f64>,
    c: f64,
    u: Vec3,
    x: Vector6<f64>,
    /// p_b from the origins of both nodes.
    arms: [Vec3; 2],
}

impl BoundBeam {
    fn bend(&self, kinematics: &Kinematics) -> Bent {
        let [a, b] = &self.ends;
        let rotation = |site: &SitePlace| {
            site.node
                .map_or_else(Matrix3::identity, |k| kinematics.frames[k].rotation)
        };
        let origin = |site: &SitePlace| {
            site.node
                .map_or_else(Vec3::zeros, |k| kinematics.frames[k].origin)
        };
        let (start, end) = (rotation(a) * self.axes[0], rotation(b) * self.axes[1]);
        let place = kinematics.site(b);
        let relative = Rotation3::from_matrix_unchecked(start.tr_mul(&end));
        let turn = UnitQuaternion::from_rotation_matrix(&relative);
        // Both signs are the same rotation.
        let sign = 1.0_f64.copysign(turn.w);
        let (c, u) = (sign * turn.w, turn.imag() * sign);
        let d = start.tr_mul(&(place - kinematics.site(a))) - Vec3::x() * self.length;
        Bent {
            axes: start,
            c,
            u,
            x: join(&d, &(u * 2.0)),
            arms: [place - origin(a), place - origin(b)],
        }
    }

    pub(super) fn energy(&self, kinematics: &Kinematics) -> f64 {
        let x = self.bend(kinematics).x;
        0.5 * x.dot(&(self.stiffness * x))
    }

    /// The force along it, N.
    pub(super) fn tension(&self, kinematics: &Kinematics) -> f64 {
        (self.stiffness * self.bend(kinematics).x)[0]
    }

    /// Adds the wrenches on both nodes.
    pub(super) fn load(&self, kinematics: &Kinematics, loads: &mut [Load]) {
        let bent = self.bend(kinematics);
        let (force, moment) = bent.wrench(&(self.stiffness * bent.x));
        for (end, (site, arm)) in self.ends.iter().zip(&bent.arms).enumerate() {
            let Some(node) = site.node else { continue };
            let wrench = join(&force, &(arm.cross(&force) + moment));
            loads[node].wrench += if end == 0 { wrench } else { -wrench };
        }
    }

    /// Adds the Jacobian: six rows, the change (δd, ε) of the end seen from the start.
    pub(super) fn couple(&self, kinematics: &Kinematics, out: &mut LowRank<12>) {
        let bent = self.bend(kinematics);
        let kx = self.stiffness * bent.x;
        let (force, moment) = bent.wrench(&kx);
        let (axes, inner) = (&bent.axes, Vec3::new(kx[3], kx[4], kx[5]));
        let [a, b] = [self.ends[0].node, self.ends[1].node];
        out.begin();
        for j in 0..6 {
            let axis: Vec3 = axes.column(j % 3).into();
            let row = |arm: &Vec3| -> Vector12 {
                match j < 3 {
                    true => at(arm, &axis),
                    false => stack(&join(&Vec3::zeros(), &axis), &Vector6::zeros()),
                }
            };
            let unit = Vec3::ith(j % 3, 1.0);
            let (shift, turn) = match j < 3 {
                true => (unit, Vec3::zeros()),
                false => (Vec3::zeros(), unit),
            };
            let spin = turn * bent.c - bent.u.cross(&turn);
            let change = self.stiffness * join(&shift, &spin);
            let (df, mut dm) = bent.wrench(&change);
            dm += axes * (spin.cross(&inner) * 0.5 - inner * (0.5 * bent.u.dot(&turn)));
            let (shift, turn) = (axes * shift, axes * turn);
            if let Some(a) = a {
                let arm = &bent.arms[0];
                out.row(a, j, &-row(arm));
                let n = arm.cross(&df) + dm + shift.cross(&force);
                out.column(a, j, &stack(&join(&df, &n), &Vector6::zeros()));
            }
            if let Some(b) = b {
                let arm = &bent.arms[1];
                out.row(b, j, &row(arm));
                // Seen from the end, what is fixed at the start turns back.
                let f = turn.cross(&force) - df;
                let n = arm.cross(&f) + turn.cross(&moment) - dm;
                out.column(b, j, &stack(&join(&f, &n), &Vector6::zeros()));
            }
        }
        out.end(6);
    }
}

impl Bent {
    /// Force and moment on the start, at p_b in axes of the world, from `K x`.
    fn wrench(&self, kx: &Vector6<f64>) -> (Vec3, Vec3) {
        let (force, inner) = (Vec3::new(kx[0], kx[1], kx[2]), Vec3::new(kx[3], kx[4], kx[5]));
        (
            self.axes * force,
            self.axes * (inner * self.c + self.u.cross(&inner)),
        )
    }
}
