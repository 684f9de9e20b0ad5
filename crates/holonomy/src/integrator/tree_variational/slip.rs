//! Equations of velocities in a step: `A v = 0` in the middle, by the discrete Lagrange–d'Alembert principle.
//!
//! ```text
//! 0 = p + D₁Lᵈ + f⁻ − A(q)ᵀλ,   c(q̄, v) = A(q̄) v = 0             for v and λ
//! p⁺ = D₂Lᵈ + f⁺ − A(q⁺)ᵀμ,     A(q⁺) v⁺ = 0                      for μ
//!
//! δc = Σ ∂c/∂z_b δz_b            b the body that rolls, and that of its plane
//! δz_b = Σ Γ_i x_i               over the joints that carry it, Γ as in `column.rs`
//! ```
//! The step is symmetric and of second order, and keeps no symplectic form: there is none.
use super::{balance::Balance, newton::SMALL_MOTION};
use crate::{
    Vec3,
    geometry::se3::{Twist, cross, twist_at},
    tree::{Change, ConstraintRows, JointKind, SlipRow, Tree},
};

/// The equations of velocities of a tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Slip {
    rows: Vec<SlipRow>,
    /// What a velocity of one moves, m.
    worth: Vec<f64>,
    /// Motion that counts as none, m.
    least: f64,
}

impl Slip {
    pub(super) fn new(tree: &Tree) -> Self {
        Self {
            rows: tree.slip_rows().collect(),
            worth: tree.units().iter().map(|unit| tree.length() / unit).collect(),
            least: SMALL_MOTION * tree.length(),
        }
    }

    /// Writes `h c` where the values of constraints stand.
    pub(super) fn evaluate(&self, tree: &Tree, balance: &Balance, out: &mut ConstraintRows) {
        if self.rows.is_empty() {
            return;
        }
        let speeds = balance.v.iter().zip(&self.worth);
        let speed = speeds.fold(0.0_f64, |most, (v, worth)| most.max(v.abs() * worth));
        let motion = balance.h.abs() * speed + self.least;
        for at in &self.rows {
            let (slip, size) = tree.slip(&balance.kinematics, *at);
            out.value[at.row] = balance.h * slip;
            // Rounding of all that moves shows in a body that hardly does.
            out.scale[at.row] = balance.h.abs() * size + motion;
        }
    }

    /// Writes `∂c/∂v` into m numbers for each velocity.
    pub(super) fn slopes(&self, tree: &Tree, balance: &Balance, m: usize, rows: &mut [f64]) {
        for at in &self.rows {
            for entry in rows.chunks_exact_mut(m) {
                entry[at.row] = 0.0;
            }
            climb(
                tree,
                balance,
                *at,
                &|i, k| moved(balance, tree, i, k),
                &mut |j, slope| rows[j * m + at.row] += slope,
            );
        }
    }

    /// `∂(h c)/∂v`, and `∂(h c)/∂ζ` by where the joints stand in the middle: a row of each for every equation in the list
    /// of their numbers.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn linearise(&self, tree: &Tree, balance: &Balance, by_v: &mut Vec<f64>, by_q: &mut Vec<f64>) {
        let n = tree.velocities();
        for list in [&mut *by_v, &mut *by_q] {
            list.clear();
            list.resize(self.rows.len() * n, 0.0);
        }
        let shifted = |i: usize, k: usize| {
            let frame = &balance.kinematics.frames[i];
            let pose = frame.screw(tree.nodes[i].kind, k);
            let twist = cross(&frame.carried, &pose);
            Change { pose, twist }
        };
        for (number, at) in self.rows.iter().enumerate() {
            let first = number * n;
            let (by_v, by_q) = (&mut by_v[first..first + n], &mut by_q[first..first + n]);
            climb(
                tree,
                balance,
                *at,
                &|i, k| moved(balance, tree, i, k),
                &mut |j, slope| {
                    by_v[j] += balance.h * slope;
                },
            );
            climb(tree, balance, *at, &shifted, &mut |j, slope| {
                by_q[j] += balance.h * slope
            });
        }
    }

    /// The numbers of its equations among all.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        self.rows.iter().map(|at| at.row)
    }
}

/// How what slips changes with each joint that carries what it depends on, by how that moves what it carries.
fn climb(
    tree: &Tree,
    balance: &Balance,
    at: SlipRow,
    moved: &dyn Fn(usize, usize) -> Change,
    add: &mut dyn FnMut(usize, f64),
) {
    for (side, end) in tree.slip_nodes(at).into_iter().enumerate() {
        let mut next = end;
        let mut arm = Vec3::zeros();
        while let Some(i) = next {
            let node = &tree.nodes[i];
            for k in 0..node.dofs {
                let Change { pose, twist } = moved(i, k);
                let change = Change {
                    pose: twist_at(&pose, &arm),
                    twist: twist_at(&twist, &arm),
                };
                add(
                    node.v + k,
                    tree.slip_slope(&balance.kinematics, at, side, &change),
                );
            }
            arm += balance.kinematics.frames[i].offset;
            next = node.parent;
        }
    }
}

/// Γ of a velocity: how it moves what its joint carries.
fn moved(balance: &Balance, tree: &Tree, i: usize, k: usize) -> Change {
    let (frame, kind) = (&balance.kinematics.frames[i], tree.nodes[i].kind);
    let screw = frame.screw(kind, k);
    let pose: Twist = match (kind, &balance.turns[i]) {
        (JointKind::Ball, Some(turn)) => {
            let b = turn.middle();
            (0..3).map(|l| frame.screw(kind, l) * b[(l, k)]).sum::<Twist>() * balance.reach
        }
        _ => screw * balance.reach,
    };
    Change {
        pose,
        twist: screw + cross(&frame.carried, &pose),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        geometry::RigidInertia,
        system::State,
        tree::{Blade, Constraint, Joint, RigidBody, Rolling, Site, TreeParts},
    };

    /// A disk, a sphere and a blade on a tray that moves freely on a cart, the disk by a ball joint of its own.
    fn on_a_tray() -> Tree {
        let inertia = RigidInertia::diagonal(1.0, Vec3::new(0.02, 0.01, 0.03), [0.1, 0.2, 0.25]);
        let body = |name: &str, joint| RigidBody::new(name, joint, inertia);
        Tree::new(TreeParts {
            bodies: vec![
                body(
                    "cart",
                    Joint::Prismatic {
                        axis: Vec3::new(1.0, 0.3, 0.0),
                    },
                ),
                body("tray", Joint::Free).on(0),
                body("disk", Joint::Free).on(0),
                body(
                    "arm",
                    Joint::Revolute {
                        axis: Vec3::new(0.2, 1.0, 0.4),
                    },
                )
                .on(1),
                body("sphere", Joint::Spherical)
                    .on(3)
                    .at(Vec3::new(0.3, 0.1, 0.2)),
            ],
            sites: vec![
                Site::on(2, "centre", Vec3::new(0.1, 0.0, -0.1)),
                Site::on(1, "top", Vec3::new(0.0, 0.1, 0.2)),
                Site::on(4, "middle", Vec3::new(0.0, 0.1, 0.0)),
                Site::fixed("floor", Vec3::zeros()),
            ],
            constraints: vec![
                (
                    "disk".to_owned(),
                    Constraint::Rolling(Rolling::disk(
                        0,
                        Vec3::new(0.3, 1.0, 0.1),
                        0.4,
                        1,
                        Vec3::new(0.1, 0.2, 1.0),
                    )),
                ),
                (
                    "sphere".to_owned(),
                    Constraint::Rolling(Rolling::sphere(2, 0.3, 1, Vec3::z())),
                ),
                (
                    "ball".to_owned(),
                    Constraint::Rolling(Rolling::sphere(2, 0.3, 3, Vec3::z())),
                ),
                (
                    "blade".to_owned(),
                    Constraint::Blade(Blade {
                        site: 0,
                        across: Vec3::new(0.5, 0.1, 1.0),
                    }),
                ),
            ],
            ..TreeParts::default()
        })
        .expect("a tree")
    }

    #[test]
    fn slopes_of_what_slips_are_differences() {
        let tree = on_a_tray();
        let n = tree.velocities();
        let mut q = tree.zero(0.0);
        for (k, x) in q.iter_mut().enumerate() {
            *x += 0.4 * (1.0 + 1.3 * k as f64).sin();
        }
        crate::system::System::project(&tree, &mut q, &mut []);
        let v: Vec<f64> = (0..n).map(|k| 2.0 * (0.7 + 2.1 * k as f64).cos()).collect();
        let state = State::new(0.0, q, vec![0.0; n]);
        let (slip, m, h) = (Slip::new(&tree), tree.constraints(), 0.3);
        assert_eq!((slip.rows.len(), m), (7, 10));
        let at = |v: &[f64]| {
            let mut balance = Balance::default();
            balance.begin(&tree, &state, h, 0.5);
            (balance.v, balance.forcing) = (v.to_vec(), 1.0);
            balance.evaluate(&tree, &state).expect("less than half a turn");
            let mut out = ConstraintRows::default();
            (out.value, out.scale) = (vec![0.0; m], vec![0.0; m]);
            slip.evaluate(&tree, &balance, &mut out);
            (balance, out.value)
        };
        let mut rows = vec![0.0; n * m];
        slip.slopes(&tree, &at(&v).0, m, &mut rows);
        let moved = |j: usize, by: f64| {
            let mut v = v.clone();
            v[j] += by;
            at(&v).1
        };
        let e = 1e-3;
        for j in 0..n {
            let [a, b, c, d] = [moved(j, e), moved(j, -e), moved(j, 2.0 * e), moved(j, -2.0 * e)];
            for row in &slip.rows {
                let k = row.row;
                let slope = ((a[k] - b[k]) * 8.0 - (c[k] - d[k])) / (12.0 * e * h);
                // e⁴ times fifth derivatives, and rounding over e.
                assert!(
                    (rows[j * m + k] - slope).abs() < 1e-9,
                    "{j} {k}: {} {slope}",
                    rows[j * m + k]
                );
            }
        }
    }
}
