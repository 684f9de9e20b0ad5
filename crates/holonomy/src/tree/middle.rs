//! How momenta and forces in the joints change as the joints move, at one placement; and the transpose.
//!
//! ```text
//! z_i = z_p + Γ_i ζ_i + Δ_i ν_i             ζ how joints are displaced, ν how their velocities change
//! y_i = A_i z_i + (terms of low rank)       z = (η, δV), y = (δF, δP): see
//!                                          `column.rs` of the integrator
//! y_p += y_i + Λ_i ζ_i
//! π_i = Sᵀ δP                               of the momentum SᵀP
//! γ_i = Sᵀ δF + (V_p × S)ᵀ δP + (S ×* P)ᵀ (δV − S ν) + τ_q ζ + τ_v ν        of Sᵀ(F − V_p ×* P) + τ
//!
//! Γ = (S, V_p × S),   Δ = (0, S),   Λ = (S ×* F, S ×* P)
//! ```
//! Without what is not there, it is also how momenta change as bodies are moved, and how the forces of constraints do.
use super::{Effort, Frame, JointKind, Load, LowRank, Tree, Vector12, stack};
use crate::{
    Vec3,
    geometry::{
        RigidInertia,
        se3::{Twist, Wrench, angular, cross, cross_wrench, join, linear, twist_at, wrench_from},
    },
};
use nalgebra::Matrix3;

/// What there is at a placement; an empty list is all zeros.
pub(crate) struct Placement<'a> {
    pub(crate) frames: &'a [Frame],
    /// P and F of what each node carries.
    pub(crate) momenta: &'a [Wrench],
    pub(crate) forces: &'a [Wrench],
    pub(crate) loads: &'a [Load],
    pub(crate) efforts: &'a [Effort],
}

/// The linear map from (ζ, ν) to (π, γ).
#[derive(Clone, Debug, Default)]
pub(crate) struct Middle {
    pub(crate) columns: Vec<Column>,
    pub(crate) nodes: Vec<Body>,
    pub(crate) efforts: Vec<Effort>,
    /// Links, feedback and constraints. Coordinates and velocities are seen as they are.
    pub(crate) terms: LowRank<12>,
    /// Whether there are momenta.
    massive: bool,
    z: Vec<Vector12>,
    y: Vec<Vector12>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Column {
    pub(crate) screw: Twist,
    /// `V_p × S`, `S ×* F` and `S ×* P`.
    pub(crate) carried: Twist,
    pub(crate) forced: Wrench,
    pub(crate) pulled: Wrench,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    pub(crate) offset: Vec3,
    pub(crate) inertia: RigidInertia,
    pub(crate) fixed: Vec3,
    pub(crate) placed: Vec3,
    pub(crate) turning: Matrix3<f64>,
}

impl Middle {
    /// Stands at a placement. Terms of low rank are left as they are.
    pub(crate) fn prepare(&mut self, tree: &Tree, at: &Placement<'_>) {
        self.columns.clear();
        self.nodes.clear();
        self.efforts.clear();
        self.efforts.extend_from_slice(at.efforts);
        let massive = !at.momenta.is_empty();
        self.massive = massive;
        let of = |list: &[Wrench], i: usize| list.get(i).copied().unwrap_or_default();
        for (i, (node, frame)) in tree.nodes.iter().zip(at.frames).enumerate() {
            let (momentum, force) = (of(at.momenta, i), of(at.forces, i));
            for k in 0..node.dofs {
                let screw = frame.screw(node.kind, k);
                self.columns.push(Column {
                    screw,
                    carried: if massive {
                        cross(&frame.carried, &screw)
                    } else {
                        Twist::zeros()
                    },
                    forced: cross_wrench(&screw, &force),
                    pulled: cross_wrench(&screw, &momentum),
                });
            }
            let load = at.loads.get(i).copied().unwrap_or_default();
            self.nodes.push(Body {
                offset: frame.offset,
                inertia: if massive {
                    frame.inertia
                } else {
                    RigidInertia::zero()
                },
                fixed: load.fixed,
                placed: load.placed,
                turning: load.turning,
            });
        }
        self.z.resize(tree.nodes.len(), Vector12::zeros());
        self.y.resize(tree.nodes.len(), Vector12::zeros());
    }

    /// From (ζ, ν) to (π, γ).
    pub(crate) fn push(
        &mut self,
        tree: &Tree,
        (zeta, nu): (&[f64], &[f64]),
        pi: &mut [f64],
        gamma: &mut [f64],
    ) {
        let nothing = |list: &[f64]| list.iter().all(|x| *x == 0.0);
        let stays = nothing(nu);
        gamma.fill(0.0);
        if stays && nothing(zeta) {
            pi.fill(0.0);
            return;
        }
        // Without momenta and changes of velocities only forces are left.
        let flows = self.massive || !stays;
        for (i, node) in tree.nodes.iter().enumerate() {
            let body = &self.nodes[i];
            let (mut pose, mut twist) = (Twist::zeros(), Twist::zeros());
            if let Some(parent) = node.parent {
                let (before, turning) = halves(&self.z[parent]);
                pose = twist_at(&before, &body.offset);
                if flows {
                    twist = twist_at(&turning, &body.offset);
                }
            }
            for j in node.v..node.v + node.dofs {
                let column = &self.columns[j];
                pose += column.screw * zeta[j];
                if flows {
                    twist += column.carried * zeta[j] + column.screw * nu[j];
                }
            }
            let momentum = match flows {
                true => body.inertia.momentum(&twist),
                false => Wrench::zeros(),
            };
            self.z[i] = stack(&pose, &twist);
            self.y[i] = stack(&body.pushed(&pose), &momentum);
        }
        self.terms.apply(&self.z, (zeta, nu), &mut self.y, gamma);
        for (i, node) in tree.nodes.iter().enumerate().rev() {
            let (mut force, mut momentum) = halves(&self.y[i]);
            let range = node.v..node.v + node.dofs;
            let columns = &self.columns[range.clone()];
            let (_, mut twist) = halves(&self.z[i]);
            if flows {
                for (column, j) in columns.iter().zip(range.clone()) {
                    twist -= column.screw * nu[j];
                }
            }
            for (column, j) in columns.iter().zip(range.clone()) {
                pi[j] = column.screw.dot(&momentum);
                let mut answer = column.screw.dot(&force);
                if flows {
                    answer = answer + column.carried.dot(&momentum) + column.pulled.dot(&twist);
                }
                gamma[j] += answer;
            }
            if let Some(efforts) = self.efforts.get(range.clone()) {
                for (effort, j) in efforts.iter().zip(range.clone()) {
                    let slopes = effort.q.iter().zip(own(node.kind, &range, j));
                    gamma[j] += effort.v * nu[j] + slopes.map(|(slope, k)| slope * zeta[k]).sum::<f64>();
                }
            }
            for (column, j) in columns.iter().zip(range) {
                force += column.forced * zeta[j];
                if flows {
                    momentum += column.pulled * zeta[j];
                }
            }
            if let Some(parent) = node.parent {
                let d = &self.nodes[i].offset;
                let momentum = match flows {
                    true => wrench_from(&momentum, d),
                    false => momentum,
                };
                self.y[parent] += stack(&wrench_from(&force, d), &momentum);
            }
        }
    }

    /// The transpose: from (a, b), for π and γ, to what they make of ζ and ν. Where b is a velocity, driven joints have
    /// theirs too.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn pull(
        &mut self,
        tree: &Tree,
        (a, b): (&[f64], &[f64]),
        (zeta, nu): (&mut [f64], &mut [f64]),
        driving: Option<(&[f64], &[Frame])>,
    ) {
        for (i, node) in tree.nodes.iter().enumerate() {
            let body = &self.nodes[i];
            let (mut force, mut momentum) = match node.parent {
                None => (Twist::zeros(), Twist::zeros()),
                Some(parent) => {
                    let (force, momentum) = halves(&self.y[parent]);
                    (twist_at(&force, &body.offset), twist_at(&momentum, &body.offset))
                }
            };
            let range = node.v..node.v + node.dofs;
            let columns = &self.columns[range.clone()];
            let mut swept = Wrench::zeros();
            for (column, j) in columns.iter().zip(range.clone()) {
                zeta[j] = column.forced.dot(&force) + column.pulled.dot(&momentum);
                swept += column.pulled * b[j];
            }
            for (column, j) in columns.iter().zip(range.clone()) {
                force += column.screw * b[j];
                momentum += column.screw * a[j] + column.carried * b[j];
                nu[j] = -column.screw.dot(&swept);
            }
            if let (JointKind::Driven { motion, .. }, Some((rates, frames))) = (node.kind, driving) {
                force += frames[i].screw(node.kind, 0) * rates[motion];
            }
            if let Some(efforts) = self.efforts.get(range.clone()) {
                for (effort, j) in efforts.iter().zip(range.clone()) {
                    nu[j] += effort.v * b[j];
                    for (slope, k) in effort.q.iter().zip(own(node.kind, &range, j)) {
                        zeta[k] += slope * b[j];
                    }
                }
            }
            self.y[i] = stack(&force, &momentum);
            self.z[i] = stack(
                &body.pushed_back(&force),
                &(body.inertia.momentum(&momentum) + swept),
            );
        }
        self.terms
            .apply_transposed(&self.y, b, &mut self.z, (&mut *zeta, &mut *nu));
        for (i, node) in tree.nodes.iter().enumerate().rev() {
            let (pose, twist) = halves(&self.z[i]);
            for j in node.v..node.v + node.dofs {
                let column = &self.columns[j];
                zeta[j] += column.screw.dot(&pose) + column.carried.dot(&twist);
                nu[j] += column.screw.dot(&twist);
            }
            if let Some(parent) = node.parent {
                let d = &self.nodes[i].offset;
                self.z[parent] += stack(&wrench_from(&pose, d), &wrench_from(&twist, d));
            }
        }
    }
}

impl Body {
    /// `(f̂ θ, p̂ d + T θ)`, how forces change as the body moves.
    fn pushed(&self, pose: &Twist) -> Wrench {
        let (d, theta) = (linear(pose), angular(pose));
        join(
            &self.fixed.cross(&theta),
            &(self.placed.cross(&d) + self.turning * theta),
        )
    }

    /// The transpose.
    #[cfg(not(target_arch = "wasm32"))]
    fn pushed_back(&self, force: &Twist) -> Wrench {
        let (f, n) = (linear(force), angular(force));
        join(
            &n.cross(&self.placed),
            &(f.cross(&self.fixed) + self.turning.tr_mul(&n)),
        )
    }
}

/// The velocities whose coordinates the effort of number j depends on: its own, or all of a rotation.
fn own(kind: JointKind, range: &std::ops::Range<usize>, j: usize) -> std::ops::Range<usize> {
    if kind == JointKind::Ball {
        range.clone()
    } else {
        j..j + 1
    }
}

fn halves(x: &Vector12) -> (Twist, Twist) {
    (x.fixed_rows::<6>(0).into(), x.fixed_rows::<6>(6).into())
}
