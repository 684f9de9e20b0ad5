//! Opposite wrenches on two bodies at one place, and how they change as the bodies move.
//!
//! ```text
//! f, m on b and −f, −m on a, at P;    φ = θ_b − θ_a,   δs = δr_b − δr_a   of the points that are at s
//! seen from a:    δf = H δs,          δP = δs + R_a φ
//! seen from b:    δf = H δs − φ × f,  δP = R_b φ,        δm = −φ × m
//! ```
//! A rope that runs to a pulley pulls along a direction that is fixed on the pulley but for where its end is; a body that
//! rolls is held along directions that are fixed on its plane.
use super::super::{Kinematics, Tree, factors::LowRank, forces::Load, links::at};
use super::turn;
use crate::{Vec3, geometry::se3::join};
use nalgebra::Matrix3;

/// Opposite wrenches.
pub(in super::super) struct Apart {
    /// The nodes a and b; none for the world.
    pub(in super::super) nodes: [Option<usize>; 2],
    /// What acts on b, and its moment besides.
    pub(in super::super) force: Vec3,
    pub(in super::super) moment: Vec3,
    /// P and s.
    pub(in super::super) place: Vec3,
    pub(in super::super) seen: Vec3,
    /// H, and R of both bodies.
    pub(in super::super) stiffness: Matrix3<f64>,
    pub(in super::super) rolled: [Matrix3<f64>; 2],
}

impl Tree {
    pub(in super::super) fn push_apart(
        &self,
        kinematics: &Kinematics,
        what: &Apart,
        loads: &mut [Load],
        terms: &mut LowRank<12>,
    ) {
        let Apart {
            nodes,
            force,
            moment,
            place,
            seen,
            stiffness,
            rolled,
        } = what;
        terms.begin();
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let Some(node) = nodes[side] else { continue };
            let origin = kinematics.frames[node].origin;
            let (arm, seen) = (place - origin, seen - origin);
            loads[node].wrench += join(force, &(arm.cross(force) + moment)) * sign;
            for k in 0..3 {
                let e = Vec3::ith(k, 1.0);
                terms.row(node, k, &(at(&seen, &e) * sign));
                terms.row(node, 3 + k, &(turn(&e) * sign));
                let stiff = stiffness * e;
                let rolled = turn(&(rolled[side] * e).cross(force));
                let (by_shift, by_turn) = match side {
                    0 => (at(&arm, &stiff) + turn(&e.cross(force)), rolled),
                    _ => {
                        let turned = e.cross(force);
                        (
                            at(&arm, &stiff),
                            rolled - at(&arm, &turned) - turn(&e.cross(moment)),
                        )
                    }
                };
                terms.column(node, k, &(by_shift * sign));
                terms.column(node, 3 + k, &(by_turn * sign));
            }
        }
        terms.end(6);
    }
}
