//! What one joint adds to the Jacobian of the residual.
//!
//! ```text
//! z_i = z_p + Γ_i x_i                  z = (η, δV): how pose and twist change, seen from the body
//! y_p += y_i + Λ_i x_i                 y = (δF, δP): what acts on all that the joint carries, and its momentum
//! δr_i = Ψ_iᵀ y_i + σ_iᵀ z_i + κ_i x_i
//!
//! Γ = (½h S B, S + ½h V_p × S B),   Λ = (½h (S B) ×* F, ½h (S B) ×* P)
//! Ψ = (½h S Bᵀ, −S + ½h (V_p × S) Bᵀ),   σ = (0, ½h (S ×* P) Bᵀ)
//! κ = ½h [∂(Y p)/∂u + ½h ∂(B g)/∂u + B Sᵀ(S ×* P) + B (½h τ_q B + τ_v)] − a
//! ```
//! with ½h the reach of x in all that moves, Γ and Λ, and the weight of forces in Ψ, σ and κ: they differ for the
//! backward difference. S, V, P and F may be taken about any point, the same for all.
use super::balance::{Balance, three};
use crate::{
    Vec3,
    geometry::se3::{Twist, Wrench, cross, cross_wrench, twist_at, wrench_from},
    tree::{Column, JointKind, Node, stack},
};
use nalgebra::{Matrix3, Vector6};

/// S, V_p, P and F of a joint about some point.
pub(super) struct Seen {
    screws: [Twist; 3],
    carried: Twist,
    momentum: Wrench,
    force: Wrench,
}

impl Seen {
    /// About the origin of the joint.
    #[inline]
    pub(super) fn from_joint(balance: &Balance, node: &Node, i: usize) -> Self {
        let frame = &balance.kinematics.frames[i];
        Self {
            screws: std::array::from_fn(|k| {
                if k < node.dofs {
                    frame.screw(node.kind, k)
                } else {
                    Twist::zeros()
                }
            }),
            carried: frame.carried,
            momentum: balance.momenta[i],
            force: balance.forces[i],
        }
    }

    /// About a point `d` before it.
    pub(super) fn from(mut self, d: &Vec3, dofs: usize) -> Self {
        let back = -d;
        for screw in &mut self.screws[..dofs] {
            *screw = twist_at(screw, &back);
        }
        self.carried = twist_at(&self.carried, &back);
        self.momentum = wrench_from(&self.momentum, d);
        self.force = wrench_from(&self.force, d);
        self
    }
}

/// Γ, Ψ, and σ in place of ρ, Λ in place of A Γ + Λ; κ is returned.
pub(super) fn prepare(
    columns: &mut [Column<12>],
    balance: &Balance,
    node: &Node,
    i: usize,
    seen: &Seen,
) -> Matrix3<f64> {
    let (reach, weight) = (balance.reach, balance.weight);
    let Seen {
        screws,
        carried,
        momentum,
        force,
    } = seen;
    let efforts = &balance.loads.efforts[node.v..node.v + node.dofs];
    let Some(turn) = balance.turns[i].filter(|_| node.kind == JointKind::Ball) else {
        let mut kappa = Matrix3::zeros();
        for (k, column) in columns.iter_mut().enumerate() {
            let s = &screws[k];
            let carried = cross(carried, s);
            let pulled = cross_wrench(s, momentum);
            column.gamma = stack(&(s * reach), &(s + carried * reach));
            column.psi = stack(&(s * weight), &(carried * weight - s));
            column.load = stack(&(cross_wrench(s, force) * reach), &(pulled * reach));
            column.rho = stack(&Vector6::zeros(), &(pulled * weight));
            kappa[(k, k)] = weight * (reach * efforts[k].q[0] + efforts[k].v) - node.armature;
        }
        return kappa;
    };
    // Ball joints have the midpoint rule only: `reach` is `weight`.
    let (b, half) = (turn.middle(), reach);
    let mix = |weights: [f64; 3]| -> Twist {
        screws[0] * weights[0] + screws[1] * weights[1] + screws[2] * weights[2]
    };
    let mut own = Matrix3::zeros();
    for k in 0..3 {
        let moved = mix([b[(0, k)], b[(1, k)], b[(2, k)]]) * half;
        // Row k of B: column k of S Bᵀ.
        let against = mix([b[(k, 0)], b[(k, 1)], b[(k, 2)]]) * half;
        columns[k].gamma = stack(&moved, &(screws[k] + cross(carried, &moved)));
        columns[k].psi = stack(&against, &(cross(carried, &against) - screws[k]));
        columns[k].load = stack(&cross_wrench(&moved, force), &cross_wrench(&moved, momentum));
        columns[k].rho = stack(&Vector6::zeros(), &cross_wrench(&against, momentum));
        let pulled: Wrench = cross_wrench(&screws[k], momentum);
        for l in 0..3 {
            own[(l, k)] = screws[l].dot(&pulled);
        }
    }
    let by_q = Matrix3::from_fn(|k, l| efforts[k].q[l]);
    let by_v = Matrix3::from_diagonal(&Vec3::from_fn(|k, _| efforts[k].v));
    let (p, g) = (three(&balance.p, node.v), three(&balance.pushes, node.v));
    let slope = turn.start_slope(&p) + turn.middle_slope(&g) * half + b * (own + by_q * b * half + by_v);
    slope * half - Matrix3::from_diagonal_element(node.armature)
}
