//! The derivative of the balance with forces between bodies: the tree's own, eliminated in O(n), and terms of
//! low rank.
//!
//! ```text
//! J x + C s = −r,   s = R x                                J of the tree alone
//! (1 + R J⁻¹ C) s = −R J⁻¹ r,   x = −J⁻¹ (r + C s)         Woodbury
//! ```
//! One sweep for each row of R; terms on one node alone are in J. All of it is `L U`: written out for small trees, in
//! sweeps with `U = 1` for others.
use super::{balance::Balance, elimination::Elimination, written::Written};
use crate::{
    solve::Lu,
    tree::{Couplings, Tree},
};

/// The eliminated matrix, with links.
#[derive(Clone, Debug)]
pub(super) struct Coupled {
    /// In place of the elimination, for small trees without forces between bodies.
    written: Option<Written>,
    elimination: Elimination,
    couplings: Couplings,
    /// `1 + R J⁻¹ C`.
    matrix: Lu,
    s: Vec<f64>,
    right: Vec<f64>,
    columns: Vec<f64>,
    column: Vec<f64>,
}

impl Coupled {
    /// Work space for a tree.
    pub(super) fn new(tree: &Tree) -> Self {
        Self {
            written: Written::new(tree),
            elimination: Elimination::new(tree),
            couplings: Couplings::default(),
            matrix: Lu::default(),
            s: Vec::new(),
            right: Vec::new(),
            columns: Vec::new(),
            column: Vec::new(),
        }
    }

    /// Eliminates the derivative at the present balance. The node whose pivot is singular is the error.
    pub(super) fn factorise(&mut self, tree: &Tree, balance: &Balance) -> Result<(), usize> {
        if let Some(written) = &mut self.written {
            return written.factorise(tree, balance);
        }
        if tree.has_links() {
            tree.couple(&balance.kinematics, balance.forcing, &mut self.couplings);
        }
        let couplings = &self.couplings;
        self.elimination.factorise(tree, balance, &couplings.grounded)?;
        let rank = couplings.rank;
        if rank == 0 {
            return Ok(());
        }
        self.right.resize(tree.velocities(), 0.0);
        self.columns.resize(rank * rank, 0.0);
        self.s.resize(rank, 0.0);
        for (j, column) in self.columns.chunks_exact_mut(rank).enumerate() {
            self.s.fill(0.0);
            self.s[j] = 1.0;
            couplings.act(&self.s, self.elimination.unload());
            self.right.fill(0.0);
            self.elimination.solve_loaded(tree, &mut self.right);
            couplings.measure(self.elimination.changes(), column);
        }
        let matrix = self.matrix.reset(rank);
        for i in 0..rank {
            for j in 0..rank {
                matrix[i * rank + j] = f64::from(u8::from(i == j)) - self.columns[j * rank + i];
            }
        }
        match self.matrix.factorise() {
            true => Ok(()),
            false => Err(couplings.first_node()),
        }
    }

    /// `L⁻¹ r` in place.
    pub(super) fn inward(&mut self, tree: &Tree, r: &mut [f64]) {
        match &self.written {
            Some(written) => written.factors().inward(r),
            None => self.solve(tree, r),
        }
    }

    /// `U⁻¹ r` in place.
    pub(super) fn outward(&self, r: &mut [f64]) {
        if let Some(written) = &self.written {
            written.factors().outward(r);
        }
    }

    /// From `Rᵀ` and C, with `count` numbers for each velocity, to `U⁻ᵀ Rᵀ` and `L⁻¹ C`; both depend on some
    /// velocities only.
    pub(super) fn split(
        &mut self,
        tree: &Tree,
        among: &[usize],
        rows: &mut [f64],
        columns: &mut [f64],
        count: usize,
    ) {
        if let Some(written) = &self.written {
            written.factors().transposed_many(among, rows, count);
            return written.factors().inward_many(among, columns, count);
        }
        let mut column = std::mem::take(&mut self.column);
        for k in 0..count {
            column.clear();
            column.extend(columns[k..].iter().step_by(count));
            self.solve(tree, &mut column);
            for (r, x) in columns[k..].iter_mut().step_by(count).zip(&column) {
                *r = *x;
            }
        }
        self.column = column;
    }

    /// `J⁻¹ r` in place, in sweeps.
    fn solve(&mut self, tree: &Tree, r: &mut [f64]) {
        if self.couplings.rank == 0 {
            self.elimination.solve(tree, r);
        } else {
            self.right.copy_from_slice(r);
            self.elimination.solve(tree, &mut self.right);
            self.couplings.measure(self.elimination.changes(), &mut self.s);
            self.matrix.substitute(&mut self.s);
            self.couplings.act(&self.s, self.elimination.unload());
            self.elimination.solve_loaded(tree, r);
        }
        // Sweeps solve `δr = −r`.
        for x in r {
            *x = -*x;
        }
    }

    /// What a new derivative costs, in corrections.
    pub(super) fn price(&self) -> f64 {
        match self.couplings.rank {
            0 if self.written.is_some() => 2.5,
            0 => 6.0,
            _ => 3.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Vec3,
        formula::{Formula, Kind, Scope},
        geometry::{Pose, RigidInertia},
        potential::{FormulaPotential, Potential, Spring},
        system::State,
        tree::{Beam, Body, Dynamics, Joint, Link, Site, TreeParts, Wrench, WrenchFrame},
    };
    use nalgebra::UnitQuaternion;

    /// A spring that gives no second derivatives.
    struct Bare(Spring);

    impl Potential for Bare {
        fn energy(&self, points: &[Vec3]) -> f64 {
            self.0.energy(points)
        }
        fn add_gradient(&self, points: &[Vec3], gradient: &mut [Vec3]) {
            self.0.add_gradient(points, gradient);
        }
    }

    /// What acts, by name.
    type Case = (&'static str, Vec<Link>, Vec<Box<dyn Potential>>);

    /// Two arms and a free body, with a site on each and one in the world.
    fn bodies() -> TreeParts {
        let joints = [
            (None, Joint::Spherical),
            (
                Some(0),
                Joint::Revolute {
                    axis: Vec3::new(1.0, 2.0, 0.3),
                },
            ),
            (
                None,
                Joint::Universal {
                    axes: [Vec3::x(), Vec3::y()],
                },
            ),
            (None, Joint::Free),
        ];
        let mut parts = TreeParts {
            gravity: Vec3::z() * -9.81,
            ..TreeParts::default()
        };
        for (k, (parent, joint)) in joints.into_iter().enumerate() {
            let x = k as f64;
            let centre = Vec3::new(0.3, 0.1 * x, -0.4);
            parts.bodies.push(Body {
                name: format!("body-{k}"),
                parent,
                joint,
                parent_from_joint: Pose::translation(Vec3::new(0.4 * x, 0.2, 0.3 * x))
                    * Pose::turn(Vec3::y(), 0.3 * x),
                joint_from_body: Pose::turn(Vec3::x(), 0.2),
                inertia: RigidInertia::cuboid(1.0 + 0.3 * x, centre, Vec3::new(0.4, 0.5, 0.7)),
            });
            parts.sites.push(Site {
                name: format!("s{k}"),
                body: Some(k),
                position: Vec3::new(0.2, -0.3 + 0.1 * x, 0.5),
            });
        }
        parts.sites.push(Site {
            name: "world".to_owned(),
            body: None,
            position: Vec3::new(-0.4, 0.9, 0.2),
        });
        // A wrench in every frame, so that their derivatives are tested with those of all links.
        for (body, frame) in [
            (1, WrenchFrame::Body),
            (2, WrenchFrame::Mixed),
            (3, WrenchFrame::World),
        ] {
            parts.wrenches.push(Wrench {
                body,
                position: Vec3::new(0.4, -0.2, 0.3),
                frame,
                value: Box::new(|t| (Vec3::new(3.0, t, -2.0), Vec3::new(0.5, -1.0, 2.0))),
            });
        }
        parts
    }

    fn beam(between: [usize; 2]) -> Link {
        Link::Beam(Beam {
            between,
            turned: [0.4, 0.9].map(|a| UnitQuaternion::from_euler_angles(a, -0.3, 2.0 * a)),
            length: 0.7,
            tension: 90.0,
            bending: [7.0, 11.0],
            torsion: 5.0,
        })
    }

    fn damper(between: [usize; 2]) -> Link {
        Link::Damper {
            between,
            coefficient: 6.0,
        }
    }

    #[test]
    fn the_derivative_of_every_link_is_that_of_the_balance() {
        let mut scope = Scope::new();
        for (k, name) in ["a", "b", "c"].into_iter().enumerate() {
            scope.variable(name, Kind::Vector, 3 * k).expect("new");
        }
        let text = "3*dot(a - b, cross(b, c)) + 2*norm(a - c)^3 + dot(c, [1, 2, 3])^2";
        let energy = Formula::parse_as(Kind::Scalar, text, &scope).expect("a formula");
        let spring = |between| Spring {
            between,
            stiffness: 40.0,
            length: 0.3,
        };
        let formula = |sites: [usize; 3]| -> Box<dyn Potential> {
            Box::new(FormulaPotential::with_hessian(&energy, |k| sites[k]))
        };
        let cases: Vec<Case> = vec![
            ("nothing", vec![], vec![]),
            ("damper", vec![damper([1, 3])], vec![]),
            ("damper to the world", vec![damper([2, 4])], vec![]),
            ("damper from the world", vec![damper([4, 1])], vec![]),
            ("beam", vec![beam([1, 3])], vec![]),
            ("beam within an arm", vec![beam([1, 0])], vec![]),
            ("beam from the world", vec![beam([4, 1])], vec![]),
            ("beam to the world", vec![beam([3, 4])], vec![]),
            ("spring", vec![], vec![Box::new(spring([1, 2]))]),
            ("spring to the world", vec![], vec![Box::new(spring([4, 3]))]),
            ("formula", vec![], vec![formula([0, 1, 3])]),
            ("formula with the world", vec![], vec![formula([2, 4, 3])]),
            ("by differences", vec![], vec![Box::new(Bare(spring([1, 3])))]),
            (
                "all",
                vec![damper([0, 2]), beam([2, 3]), beam([4, 0])],
                vec![Box::new(spring([1, 3])), formula([3, 0, 4])],
            ),
        ];
        for (name, links, potentials) in cases {
            let tree = Tree::new(TreeParts {
                links,
                potentials,
                ..bodies()
            });
            let tree = tree.expect("a tree");
            let n = tree.velocities();
            let wave = |k: usize, a: f64| (1.0 + a * k as f64).sin();
            let mut x0: Vec<f64> = (0..n).map(|k| 0.4 * wave(k, 1.7)).collect();
            let (q, _) =
                crate::system::System::state_from_canonical(&tree, &tree.zero(0.0), &x0, &vec![0.0; n]);
            let v: Vec<f64> = (0..n).map(|k| 0.8 * wave(k, 2.3)).collect();
            let state: State = tree.state(0.0, &q, &v);
            for forcing in [1.0, 2.0] {
                let mut balance = Balance::default();
                balance.begin(&tree, &state, 0.2, 0.5);
                balance.forcing = forcing;
                balance.guess(&tree, &state, &mut factorised(&tree, &state));
                // Without links the guess falls for half of this long step.
                balance.v.clone_from(&v);
                let middle = balance.v.clone();
                let change: Vec<f64> = (0..n).map(|k| wave(k, 0.9)).collect();
                let mut residual = |s: f64| {
                    balance.v = middle.iter().zip(&change).map(|(v, x)| v + s * x).collect();
                    balance.evaluate(&tree, &state).expect("less than half a turn");
                    balance.residual.clone()
                };
                // Differences of order 4.
                let e = 1e-3;
                let [a, b, c, d] = [e, -e, 2.0 * e, -2.0 * e].map(&mut residual);
                x0 = (0..n)
                    .map(|k| (a[k] - b[k]) * (2.0 / (3.0 * e)) - (c[k] - d[k]) / (12.0 * e))
                    .collect();
                residual(0.0);
                balance.complete(&tree);
                let (mut written, mut swept) = (Coupled::new(&tree), Coupled::new(&tree));
                swept.written = None;
                assert_eq!(written.written.is_some(), name == "nothing");
                for solver in [&mut written, &mut swept] {
                    solver.factorise(&tree, &balance).expect("regular");
                    let mut x = x0.clone();
                    solver.inward(&tree, &mut x);
                    solver.outward(&mut x);
                    let worst = x
                        .iter()
                        .zip(&change)
                        .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
                    // e⁴ times fifth derivatives, and rounding over e; differences of potentials have half the digits.
                    let bound = if name == "by differences" { 1e-7 } else { 2e-9 };
                    assert!(worst < bound, "{name}, {forcing}: {worst:e}");
                    // In halves: `R J⁻¹ C`, for all velocities and for those of one arm, and columns in all widths.
                    for (among, count) in [(0..n, 1), (0..4, 1), (0..n, 3), (0..4, 11)] {
                        let among: Vec<usize> = among.collect();
                        let part = |x: &[f64], c: usize| -> Vec<f64> {
                            let entry = |k: &usize| {
                                if among.contains(k) {
                                    x[*k] * (1.0 + c as f64)
                                } else {
                                    0.0
                                }
                            };
                            (0..n).map(|k| entry(&k)).collect()
                        };
                        let many = |x: &[f64]| -> Vec<f64> {
                            (0..n * count).map(|k| part(x, k % count)[k / count]).collect()
                        };
                        let (mut rows, mut columns) = (many(&v), many(&x0));
                        solver.split(&tree, &among, &mut rows, &mut columns, count);
                        for c in 0..count {
                            let mut whole = part(&x0, c);
                            solver.inward(&tree, &mut whole);
                            solver.outward(&mut whole);
                            let expected: f64 = part(&v, 0).iter().zip(&whole).map(|(a, b)| a * b).sum();
                            let halves: f64 = (0..n).map(|k| rows[k * count] * columns[k * count + c]).sum();
                            // Sums of numbers of order ten to a hundred.
                            assert!((halves - expected).abs() < 1e-11, "{name}: {halves} {expected}");
                        }
                    }
                }
            }
        }
    }

    fn factorised(tree: &Tree, state: &State) -> Dynamics {
        let mut dynamics = Dynamics::default();
        dynamics.kinematics.place(tree, &state.q);
        dynamics.factorise(tree).expect("inertia");
        dynamics
    }
}
