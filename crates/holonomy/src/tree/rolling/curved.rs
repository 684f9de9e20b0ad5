//! How the forces of what rolls, and of blades, change as bodies move, the multipliers held.
//!
//! ```text
//! F = Σ λ_k e_k on the body of the plane, fixed there, −F on the body that rolls, at P
//! seen from the plane     δP = δC + S_a φ,     φ = θ_a − θ_b
//! seen from what rolls    δP = −S_b φ          P is swept by both: S_a θ_a + S_b θ_b against C
//! ```
use super::{Blade, Rolling};
use crate::{
    Vec3,
    geometry::se3::join,
    tree::{Kinematics, Tree, curvature::Apart, factors::LowRank, forces::Load},
};
use nalgebra::Matrix3;

impl Tree {
    pub(in crate::tree) fn curve_rolling(
        &self,
        kinematics: &Kinematics,
        rolling: &Rolling,
        multipliers: &[f64],
        loads: &mut [Load],
        terms: &mut LowRank<12>,
    ) {
        let touch = self.touch(kinematics, rolling);
        let kept = (0..3).filter(|k| rolling.kept[*k]);
        let forces = kept.zip(multipliers).map(|(k, nu)| touch.directions[k] * *nu);
        let force: Vec3 = forces.sum();
        let still = Vec3::zeros();
        let swept = |plane: bool| {
            let column = |k: usize| {
                let e = Vec3::ith(k, 1.0);
                if plane {
                    touch.swept(&still, &e)
                } else {
                    touch.swept(&e, &still)
                }
            };
            Matrix3::from_columns(&[column(0), column(1), column(2)])
        };
        let [a, b] = [touch.sides[0].node, touch.sides[1].node];
        let what = Apart {
            nodes: [b, a],
            force: -force,
            moment: still,
            place: touch.centre + touch.arm(),
            seen: touch.centre,
            stiffness: Matrix3::zeros(),
            rolled: [swept(false), -swept(true)],
        };
        self.push_apart(kinematics, &what, loads, terms);
    }

    /// What a blade is held by turns with it.
    pub(in crate::tree) fn curve_blade(
        &self,
        kinematics: &Kinematics,
        blade: &Blade,
        nu: f64,
        loads: &mut [Load],
    ) {
        let (side, across) = self.blade(kinematics, blade);
        if let Some(node) = side.node {
            let force = across * -nu;
            loads[node].wrench += join(&force, &side.arm.cross(&force));
        }
    }
}
