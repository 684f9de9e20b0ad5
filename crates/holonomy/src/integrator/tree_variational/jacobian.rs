//! The Jacobian of a step's residual, factorised.
//!
//! A change x of the velocities moves and speeds up the bodies. Seen from the bodies themselves,
//!
//! ```text
//! η_i = η_p + ½h S_i B x_i                                pose
//! δV_i = δV_p + S_i x_i + ½h (V_p × S_i B) x_i            twist
//! δP_p += δP_i + (½h S_i B x_i) ×* P_i                    momentum, and the same for forces F
//! ```
//! Changes seen from the body have no term that couples neighbours but those with x, so that it is a matrix as in
//! `tree/factors`: `z = (η, δV)`, `y = (δF, δP)`, `A = (turning forces, 0; 0, I)` for a body alone; Γ, Λ, Ψ, σ and κ see
//! `column.rs`. Small trees without forces between bodies have it written out: see `written.rs`.
use super::{
    balance::Balance,
    column::{Seen, prepare},
    written::EntryWriter,
};
use crate::tree::{Column, Curvatures, Factors, Foresight, Frame, Looking, Node, Square, Terms, Tree};
use nalgebra::Matrix3;

/// The factorised Jacobian.
#[derive(Clone, Debug)]
pub(super) struct StepJacobian {
    pub(super) factors: Factors<12>,
    /// What entries are written with.
    written: EntryWriter,
    curvatures: Curvatures,
    looking: Looking,
}

impl StepJacobian {
    /// Work space for a tree.
    pub(super) fn new(tree: &Tree) -> Self {
        Self {
            factors: Factors::new(EntryWriter::entries(tree)),
            written: EntryWriter::new(tree),
            curvatures: Curvatures::default(),
            looking: Looking::default(),
        }
    }

    /// Factorises the Jacobian where the balance was last evaluated. The node whose pivot is singular is the error.
    pub(super) fn factorise(&mut self, tree: &Tree, balance: &Balance) -> Result<(), usize> {
        if let Some(matrix) = &mut self.factors.written {
            return self.written.factorise(tree, balance, matrix);
        }
        if tree.has_links() || tree.has_feedback() {
            let terms = &mut self.factors.low_rank;
            terms.clear();
            tree.couple(&balance.kinematics, balance.forcing, &mut self.curvatures, terms);
            let weights = (balance.reach, balance.weight, balance.forcing);
            let mixing = balance.foresight.as_deref().map(Foresight::mixing);
            tree.couple_feedback(&balance.sight(), weights, mixing, &mut self.looking, terms);
            terms.finish();
        }
        self.factors.sweep(tree, &StepTerms(balance))
    }

    /// What a new factorisation costs, in corrections.
    pub(super) fn cost(&self) -> f64 {
        match self.factors.low_rank.rank() {
            0 if self.factors.written.is_some() => 2.5,
            0 => 6.0,
            _ => 3.0,
        }
    }
}

struct StepTerms<'a>(&'a Balance);

impl Terms<12> for StepTerms<'_> {
    const SYMMETRIC: bool = false;

    fn frames(&self) -> &[Frame] {
        &self.0.kinematics.frames
    }

    #[inline]
    fn add_body(&self, i: usize, a: &mut Square<12>) {
        let (inertia, load) = (&self.0.kinematics.frames[i].inertia, &self.0.loads.loads[i]);
        let (force, placed) = (load.fixed.cross_matrix(), load.placed.cross_matrix());
        for k in 0..3 {
            for l in 0..3 {
                a[(k, 3 + l)] += force[(k, l)];
                a[(3 + k, l)] += placed[(k, l)];
                a[(3 + k, 3 + l)] += load.turning[(k, l)];
            }
        }
        if inertia.mass > 0.0 {
            let matrix = inertia.matrix();
            for l in 0..6 {
                for k in 0..6 {
                    a[(6 + k, 6 + l)] += matrix[(k, l)];
                }
            }
        }
    }

    #[inline]
    fn prepare(&self, i: usize, node: &Node, columns: &mut [Column<12>]) -> Matrix3<f64> {
        prepare(columns, self.0, node, i, &Seen::from_joint(self.0, node, i))
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
        tree::{
            Act, AppliedWrench, Beam, Dynamics, ElasticString, Joint, JointForce, Link, OneSided, Point,
            RigidBody, Seen, Site, StateForce, StateLaw, Stop, TreeParts, WrenchFrame, limited_law,
        },
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
            parts.bodies.push(RigidBody {
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
        // In joints of every kind.
        parts.armature = vec![(0, 0.3), (1, 0.2), (2, 0.7), (3, 0.5)];
        // Beyond a stop, by damped ways; a motor at its limit and one that is not; friction.
        let stop = Stop {
            limits: [-2.0, -1.0],
            law: OneSided {
                stiffness: 20.0,
                damping: 3.0,
                smoothing: 4.0,
            },
        };
        let motor = |limit| limited_law(Box::new(|(_, q, v)| [4.0 * q - v, 4.0, -1.0]), limit);
        parts.joint_forces = vec![
            (1, JointForce::Stop(stop)),
            (2, JointForce::Stop(stop)),
            (1, JointForce::Effort(motor(0.01))),
            (2, JointForce::Effort(motor(9.0))),
            (
                2,
                JointForce::Friction {
                    effort: 2.0,
                    velocity: 0.7,
                },
            ),
        ];
        // A wrench in every frame, so that their Jacobians are tested with those of all links.
        for (body, frame) in [
            (1, WrenchFrame::Body),
            (2, WrenchFrame::Mixed),
            (3, WrenchFrame::World),
        ] {
            parts.wrenches.push(AppliedWrench {
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

    /// Tight, or just getting so: sites are some 1.5 m apart.
    fn string(through: &[usize], damping: f64, smoothing: f64) -> Link {
        Link::String(ElasticString {
            through: through.to_vec(),
            length: 0.3,
            law: OneSided {
                stiffness: 40.0,
                damping,
                smoothing,
            },
        })
    }

    fn damper(between: [usize; 2]) -> Link {
        Link::Damper {
            between,
            coefficient: 6.0,
        }
    }

    /// What forces see here, by name.
    fn seen() -> (Scope, Vec<Seen>) {
        let (mut scope, mut seen) = (Scope::new(), Vec::new());
        scope.time(0);
        let d = Vec3::new(0.2, 0.7, -0.4);
        let (q, v) = (Seen::Coordinate, Seen::Velocity);
        for (name, pair) in [
            ("elbow", [q(1, 0), v(1, 0)]),
            ("tilt", [q(2, 0), v(2, 0)]),
            ("roll", [q(2, 1), v(2, 1)]),
            ("height", [q(3, 2), v(3, 2)]),
            ("gap", [Seen::Distance([1, 3]), Seen::DistanceRate([1, 3])]),
            ("tie", [Seen::Distance([4, 0]), Seen::DistanceRate([4, 0])]),
        ] {
            seen.extend(pair);
            let slot = seen.len() - 1;
            scope.coordinate(name, Kind::Scalar, slot, slot + 1).expect("new");
        }
        for (name, of, rate) in [
            (
                "s1",
                Box::new(|k| Seen::Place(Point::Site(1), k)) as Box<dyn Fn(usize) -> Seen>,
                Box::new(|k| Seen::PlaceRate(Point::Site(1), k)) as Box<dyn Fn(usize) -> Seen>,
            ),
            (
                "origin",
                Box::new(|k| Seen::Place(Point::Body(3), k)),
                Box::new(|k| Seen::PlaceRate(Point::Body(3), k)),
            ),
            (
                "d",
                Box::new(move |k| Seen::Direction(2, d, k)),
                Box::new(move |k| Seen::DirectionRate(2, d, k)),
            ),
            (
                "w",
                Box::new(|k| Seen::Spin(3, k)),
                Box::new(|k| Seen::OwnSpin(3, Vec3::ith(k, 1.0))),
            ),
        ] {
            let slot = seen.len() + 1;
            seen.extend((0..3).map(of));
            seen.extend((0..3).map(rate));
            scope.coordinate(name, Kind::Vector, slot, slot + 3).expect("new");
        }
        (scope, seen)
    }

    type FeedbackCase = (&'static str, Vec<Link>, Vec<Box<dyn Potential>>, Vec<StateForce>);

    /// Forces of every kind that see everything.
    fn feedback_cases() -> Vec<FeedbackCase> {
        let force = |act: Act, texts: &[&str]| {
            let (scope, seen) = seen();
            let formulas: Vec<Formula> = texts
                .iter()
                .map(|text| Formula::parse(text, &scope).expect("a formula"))
                .collect();
            let formulas: Vec<&Formula> = formulas.iter().collect();
            StateForce {
                name: "feedback".to_owned(),
                law: StateLaw::new(&formulas, seen),
                act,
            }
        };
        let effort = |body, number, text: &str| force(Act::Effort { body, number }, &[text]);
        let wrench = |body, frame| {
            let position = Vec3::new(0.3, 0.1, -0.2);
            let act = Act::Wrench {
                body,
                position,
                frame,
            };
            let push = "[3 - d.x + tilt', -4*dot(s1, d), height*w.y]";
            force(act, &[push, "w' - 2*cross(d, d') + elbow*w"])
        };
        let pull = |between, text: &str| force(Act::Tension { between }, &[text]);
        let at = |site, text: &str| force(Act::Force { site }, &[text]);
        let push = |body, text: &str| {
            let position = Vec3::new(-0.1, 0.2, 0.3);
            force(Act::Push { body, position }, &[text])
        };
        let efforts = || {
            vec![
                effort(1, 0, "-3*tilt - 2*roll' + elbow*elbow'"),
                effort(2, 1, "t*sin(height) - height' + 2*elbow' + dot(w, d)"),
                effort(2, 0, "tie*tie' + norm(s1 - origin)"),
            ]
        };
        let case = |name, forces| (name, vec![], vec![], forces);
        vec![
            case("efforts", efforts()),
            case(
                "force at a site",
                vec![at(1, "[-2*s1'.x, 1, d.y] - 3*norm(s1')*s1'")],
            ),
            case(
                "force far away",
                vec![at(3, "cross(s1, d') + 2*origin' - 5*origin")],
            ),
            case(
                "force at a point",
                vec![push(3, "[t*s1'.x, 1, d.y] - 3*norm(origin')*s1"), push(1, "w")],
            ),
            case("wrench in the body", vec![wrench(3, WrenchFrame::Body)]),
            case("wrench on another", vec![wrench(1, WrenchFrame::Body)]),
            case("wrench, mixed", vec![wrench(2, WrenchFrame::Mixed)]),
            case("wrench in the world", vec![wrench(3, WrenchFrame::World)]),
            case(
                "tension",
                vec![pull([1, 3], "20*(gap - 0.4) + 3*gap' + gap*elbow")],
            ),
            case(
                "tension to the world",
                vec![pull([4, 0], "20*tie^2 + 3*tie' + tilt")],
            ),
            (
                "feedback and links",
                vec![damper([0, 2])],
                vec![],
                efforts()
                    .into_iter()
                    .chain([pull([0, 2], "5 + dot(w', d)"), wrench(0, WrenchFrame::Mixed)])
                    .collect(),
            ),
        ]
    }

    #[test]
    fn the_jacobian_of_every_link_is_that_of_the_residual() {
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
            ("string", vec![string(&[1, 3], 0.0, 0.0)], vec![]),
            ("damped string", vec![string(&[1, 3], 5.0, 0.01)], vec![]),
            ("string getting tight", vec![string(&[0, 2], 5.0, 30.0)], vec![]),
            ("string to the world", vec![string(&[3, 4], 5.0, 0.01)], vec![]),
            (
                "string through all",
                vec![string(&[4, 1, 0, 3, 2, 1], 5.0, 0.01)],
                vec![],
            ),
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
        let cases = cases
            .into_iter()
            .map(|(name, links, potentials)| (name, links, potentials, vec![]));
        for (name, links, potentials, feedback) in cases.chain(feedback_cases()) {
            let tree = Tree::new(TreeParts {
                links,
                potentials,
                feedback,
                ..bodies()
            });
            let tree = tree.expect("a tree");
            let n = tree.velocities();
            let wave = |k: usize, a: f64| (1.0 + a * k as f64).sin();
            let mut x0: Vec<f64> = (0..n).map(|k| 0.4 * wave(k, 1.7)).collect();
            let (q, _) =
                crate::system::System::state_from_canonical(&tree, &tree.zero(0.0), &x0, &vec![0.0; n]);
            let v: Vec<f64> = (0..n).map(|k| 0.8 * wave(k, 2.3)).collect();
            let state: State = tree.state(0.0, &q, &v).unwrap_or_else(|e| panic!("{e}"));
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
                let (mut written, mut swept) = (StepJacobian::new(&tree), StepJacobian::new(&tree));
                swept.factors.written = None;
                assert_eq!(written.factors.written.is_some(), name == "nothing");
                for jacobian in [&mut written, &mut swept] {
                    jacobian.factorise(&tree, &balance).expect("regular");
                    let solver = &mut jacobian.factors;
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
