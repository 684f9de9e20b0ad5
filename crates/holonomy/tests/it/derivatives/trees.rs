//! Steps of trees with every kind of joint, force and constraint.
use super::{errors_near, some};
use holonomy::{
    Vec3,
    derivative::{Change, slope},
    geometry::{Pose, RigidInertia},
    integrator::{Composition, Forcing, Integrator, Rule, TreeOptions, TreeVariational},
    potential::{Potential, Spring},
    system::{State, System},
    tree::{
        Along, AppliedWrench, Attitude, Beam, Blade, Closing, ClosingJoint, Constraint, ElasticString, Joint,
        JointForce, Length, Link, Motion, OneSided, RigidBody, Rolling, Site, Stop, Tree, TreeParts,
        WrenchFrame, assemble, turning_by,
    },
};
use nalgebra::UnitQuaternion;
use std::sync::Arc;

fn body(name: &str, parent: Option<usize>, joint: Joint, at: Vec3, inertia: RigidInertia) -> RigidBody {
    RigidBody {
        name: name.to_owned(),
        parent,
        joint,
        parent_from_joint: Pose::translation(at) * Pose::turn(Vec3::new(0.3, 1.0, -0.2), 0.4),
        joint_from_body: Pose::turn(Vec3::x(), 0.2),
        inertia,
    }
}

/// Two arms in a row, one beside them and a free body, each with a site, and a site in the world.
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
        (
            Some(2),
            Joint::Screw {
                axis: Vec3::new(0.2, -0.4, 1.0),
                pitch: 0.3,
            },
        ),
    ];
    let mut parts = TreeParts {
        gravity: Vec3::z() * -9.81,
        armature: vec![(0, 0.003), (1, 0.002), (4, 0.001)],
        ..TreeParts::default()
    };
    for (k, (parent, joint)) in joints.into_iter().enumerate() {
        let x = k as f64;
        let inertia = RigidInertia::cuboid(
            1.0 + 0.3 * x,
            Vec3::new(0.3, 0.1 * x, -0.4),
            Vec3::new(0.4, 0.5, 0.7),
        );
        let at = Vec3::new(0.4 * x, 0.2, 0.3 * x);
        parts
            .bodies
            .push(body(&format!("body-{k}"), parent, joint, at, inertia));
        let position = Vec3::new(0.2, -0.3 + 0.1 * x, 0.5);
        parts.sites.push(Site {
            name: format!("s{k}"),
            body: Some(k),
            position,
        });
    }
    let position = Vec3::new(-0.4, 0.9, 0.2);
    parts.sites.push(Site {
        name: "world".to_owned(),
        body: None,
        position,
    });
    parts
}

/// A joint that moves as it is told, with an arm on it.
fn driven(parts: &mut TreeParts) {
    let motion = |t: f64| {
        (
            (2.0 * t + 0.3).sin(),
            2.0 * (2.0 * t + 0.3).cos(),
            -4.0 * (2.0 * t + 0.3).sin(),
        )
    };
    let joint = Joint::Driven {
        axis: Vec3::new(1.0, 0.2, 0.5),
        along: Along::Turn,
        motion: Box::new(motion),
    };
    let inertia = RigidInertia::cuboid(0.8, Vec3::new(0.1, 0.3, 0.2), Vec3::new(0.3, 0.2, 0.5));
    parts
        .bodies
        .push(body("driven", Some(3), joint, Vec3::new(0.1, 0.2, 0.3), inertia));
    parts.bodies.push(body(
        "behind",
        Some(5),
        Joint::Spherical,
        Vec3::new(0.3, -0.2, 0.1),
        inertia,
    ));
    let position = Vec3::new(0.3, 0.1, -0.2);
    parts.sites.push(Site {
        name: "s6".to_owned(),
        body: Some(6),
        position,
    });
}

fn forces(parts: &mut TreeParts) {
    let law = OneSided {
        stiffness: 20.0,
        damping: 3.0,
        smoothing: 4.0,
    };
    parts.joint_forces = vec![
        (
            1,
            JointForce::Stop(Stop {
                limits: [-2.0, -1.0],
                law,
            }),
        ),
        (
            2,
            JointForce::Spring {
                stiffness: 7.0,
                rest: 0.3,
            },
        ),
        (
            0,
            JointForce::Spring {
                stiffness: 5.0,
                rest: 0.0,
            },
        ),
        (0, JointForce::Damper { coefficient: 2.0 }),
        (
            4,
            JointForce::Effort(Box::new(|(t, q, v)| {
                [(3.0 * q).sin() - q * v + t, 3.0 * (3.0 * q).cos() - v, -q]
            })),
        ),
        (
            2,
            JointForce::Friction {
                effort: 2.0,
                velocity: 0.7,
            },
        ),
    ];
    for (body, frame) in [
        (1, WrenchFrame::Body),
        (2, WrenchFrame::Mixed),
        (3, WrenchFrame::World),
    ] {
        let value = Box::new(|t: f64| (Vec3::new(3.0, t, -2.0), Vec3::new(0.5, -1.0, 2.0)));
        parts.wrenches.push(AppliedWrench {
            body,
            position: Vec3::new(0.4, -0.2, 0.3),
            frame,
            value,
        });
    }
    let spring: Box<dyn Potential> = Box::new(Spring {
        between: [0, 3],
        stiffness: 40.0,
        length: 0.3,
    });
    parts.potentials = vec![spring];
    parts.links = vec![
        Link::Damper {
            between: [1, 3],
            coefficient: 6.0,
        },
        Link::Damper {
            between: [2, 5],
            coefficient: 3.0,
        },
        Link::Beam(Beam {
            between: [1, 4],
            turned: [0.4, 0.9].map(|a| UnitQuaternion::from_euler_angles(a, -0.3, 2.0 * a)),
            length: 0.7,
            tension: 90.0,
            bending: [7.0, 11.0],
            torsion: 5.0,
        }),
        Link::String(ElasticString {
            through: vec![0, 3, 5, 2],
            length: 0.3,
            law,
        }),
    ];
}

/// Pairs of a name and what it adds.
fn constraints() -> Vec<(&'static str, Vec<Constraint>)> {
    let closing = |joint, second| {
        let axes = [Vec3::new(0.3, 1.0, 0.2), second];
        vec![Constraint::Closing(Closing::new(joint, [1, 3], axes))]
    };
    let same = Vec3::new(0.1, 0.8, -0.5);
    let fixed = |between, length| Constraint::Distance {
        between,
        length: Length::Fixed(length),
    };
    let pulled = |t: f64| (1.5 + 0.3 * t.sin(), 0.3 * t.cos(), -0.3 * t.sin());
    let plane = |site, on| Constraint::Plane {
        site,
        on,
        normal: Vec3::new(0.3, -0.2, 1.0),
    };
    let turned = UnitQuaternion::from_euler_angles(0.3, -0.6, 0.9);
    let turning = || {
        let linear = |at: f64, rate: f64| -> Motion { Box::new(move |t| (at + rate * t, rate, 0.0)) };
        turning_by([linear(0.4, 2.0), linear(-0.3, 1.0), linear(0.2, -3.0)])
    };
    let disk = |on| Rolling::disk(3, Vec3::new(0.3, 1.0, 0.1), 0.4, on, Vec3::new(0.1, 0.2, 1.0));
    let blade = |site| {
        Constraint::Blade(Blade {
            site,
            across: Vec3::new(0.5, 0.1, 1.0),
        })
    };
    vec![
        (
            "coincidence",
            vec![Constraint::Coincidence {
                between: [1, 3],
                directions: vec![Vec3::x(), Vec3::y(), Vec3::z()],
            }],
        ),
        (
            "along one direction",
            vec![Constraint::Coincidence {
                between: [3, 5],
                directions: vec![Vec3::new(1.0, 0.4, -0.3)],
            }],
        ),
        ("distances", vec![fixed([1, 3], 1.2), fixed([2, 5], 0.9)]),
        (
            "driven length",
            vec![Constraint::Distance {
                between: [1, 3],
                length: Length::Driven(Box::new(pulled)),
            }],
        ),
        ("planes", vec![plane(1, 3), plane(3, 5), plane(5, 2)]),
        (
            "orientation",
            vec![Constraint::Orientation {
                from: Some(1),
                to: 3,
                relative: Attitude::Fixed(turned),
            }],
        ),
        (
            "orientation in the world",
            vec![Constraint::Orientation {
                from: None,
                to: 3,
                relative: Attitude::Fixed(turned),
            }],
        ),
        (
            "driven orientation",
            vec![Constraint::Orientation {
                from: Some(1),
                to: 3,
                relative: Attitude::Driven(turning()),
            }],
        ),
        (
            "driven orientation in the world",
            vec![Constraint::Orientation {
                from: None,
                to: 3,
                relative: Attitude::Driven(turning()),
            }],
        ),
        (
            "coupling",
            vec![Constraint::Coupling {
                terms: vec![(1, 0, 2.0), (2, 0, -1.0), (2, 1, 0.5), (4, 0, 1.0)],
                constant: 0.1,
            }],
        ),
        (
            "cable",
            vec![Constraint::Cable {
                through: vec![1, 3, 5, 0],
                length: Length::Fixed(4.0),
            }],
        ),
        ("hinge", closing(ClosingJoint::Hinge, same)),
        ("universal", closing(ClosingJoint::Universal, same)),
        ("cylindrical", closing(ClosingJoint::Cylindrical, same)),
        ("line", closing(ClosingJoint::Line, same)),
        ("redundant", vec![fixed([1, 3], 1.2), fixed([1, 3], 1.2)]),
        ("disk", vec![Constraint::Rolling(disk(5))]),
        (
            "disk on a body, and a blade",
            vec![Constraint::Rolling(disk(0)), blade(2)],
        ),
        (
            "sphere on a body",
            vec![Constraint::Rolling(Rolling::sphere(
                3,
                0.3,
                1,
                Vec3::new(0.2, 0.1, 1.0),
            ))],
        ),
        ("blades", vec![blade(0), blade(3), fixed([2, 5], 0.9)]),
    ]
}

fn built(mut parts: TreeParts, constraints: Vec<Constraint>) -> Arc<Tree> {
    let named = constraints.into_iter().enumerate();
    parts.constraints = named.map(|(k, c)| (format!("constraint-{k}"), c)).collect();
    Arc::new(Tree::new(parts).unwrap())
}

/// A state near which curves of states can be made.
fn start(tree: &Tree) -> State {
    let mut q = tree.zero(0.0);
    for (k, x) in q.iter_mut().enumerate() {
        *x += 0.2 * (1.0 + 1.3 * k as f64).sin();
    }
    tree.project(&mut q, &mut []);
    let n = tree.velocities();
    let met = assemble(tree, &q, &some(3, n), &vec![false; n]);
    assert!(met.closed, "{:?}", met.after);
    tree.state(0.0, &met.q, &met.v).unwrap()
}

fn method(tree: &Arc<Tree>, rule: Rule, forcing: Forcing) -> TreeVariational {
    let options = TreeOptions {
        rule,
        forcing,
        ..TreeOptions::default()
    };
    TreeVariational::new(tree.clone(), options)
}

/// Rounding, 1e-15 of terms of order ten, over an offset of 5e-4, and as much again for what curves are off.
const FLOOR: f64 = 1e-9;

fn measured(name: &str, tree: &Arc<Tree>, method: &mut dyn Integrator, conservative: bool) {
    let found = errors_near(tree, method, &start(tree), 0.01, 1e-2);
    let found = found.unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
    println!("{name}: {found}");
    assert!(
        found.push < FLOOR && found.lambda < 10.0 * FLOOR,
        "{name}: {found}"
    );
    assert!(found.pull < 1e-13, "{name}: {found}");
    assert!(!conservative || found.area < 1e-13, "{name}: {found}");
}

#[test]
fn joints_forces_and_drives_of_every_kind_are_linearised() {
    for forcing in [Forcing::Symmetric, Forcing::OneSided] {
        let alone = built(bodies(), vec![]);
        measured(
            "bodies",
            &alone,
            &mut method(&alone, Rule::Midpoint, forcing),
            true,
        );
        let mut parts = bodies();
        driven(&mut parts);
        let tree = built(parts, vec![]);
        measured("driven", &tree, &mut method(&tree, Rule::Midpoint, forcing), true);
        let mut parts = bodies();
        driven(&mut parts);
        forces(&mut parts);
        let tree = built(parts, vec![]);
        measured(
            "forces",
            &tree,
            &mut method(&tree, Rule::Midpoint, forcing),
            false,
        );
    }
}

#[test]
fn constraints_of_every_kind_are_linearised() {
    for (name, list) in constraints() {
        let tree = built(bodies(), list);
        let symmetric = &mut method(&tree, Rule::Midpoint, Forcing::Symmetric);
        // What rolls has no symplectic form.
        measured(name, &tree, symmetric, !tree.is_nonholonomic());
    }
    // With all that acts, and joints that are driven, among them and in the loops.
    for forcing in [Forcing::Symmetric, Forcing::OneSided] {
        for (name, list) in constraints() {
            let mut parts = bodies();
            driven(&mut parts);
            forces(&mut parts);
            let mut list = list;
            list.push(Constraint::Distance {
                between: [6, 2],
                length: Length::Fixed(1.7),
            });
            let tree = built(parts, list);
            let name = format!("{name}, {forcing:?}");
            measured(&name, &tree, &mut method(&tree, Rule::Midpoint, forcing), false);
        }
    }
}

#[test]
fn the_backward_difference_is_linearised() {
    let distance = || Constraint::Distance {
        between: [1, 3],
        length: Length::Fixed(1.2),
    };
    for list in [vec![], vec![distance()]] {
        let mut parts = bodies();
        parts.bodies[0].joint = Joint::Universal {
            axes: [Vec3::x(), Vec3::z()],
        };
        parts.bodies[3].joint = Joint::Prismatic {
            axis: Vec3::new(0.2, 1.0, 0.1),
        };
        parts.joint_forces = vec![
            (1, JointForce::Damper { coefficient: 0.3 }),
            (
                2,
                JointForce::Spring {
                    stiffness: 7.0,
                    rest: 0.3,
                },
            ),
        ];
        let tree = built(parts, list);
        measured(
            "backward",
            &tree,
            &mut method(&tree, Rule::Backward, Forcing::Symmetric),
            false,
        );
    }
}

/// Parameters enter as differences of the equations at a known solution.
#[test]
fn a_parameter_is_one_of_the_equations() {
    let of = |theta: f64| {
        let mut parts = bodies();
        driven(&mut parts);
        forces(&mut parts);
        let heavy = RigidInertia::cuboid(
            1.3 + theta,
            Vec3::new(0.3, 0.1 + theta, -0.4),
            Vec3::new(0.4, 0.5, 0.7),
        );
        parts.bodies[1].inertia = heavy;
        parts.sites[3].position.x += 0.4 * theta;
        parts.links.push(Link::Damper {
            between: [0, 5],
            coefficient: 2.0 + theta,
        });
        let length = Length::Fixed(1.2 + 0.2 * theta);
        let list = vec![
            Constraint::Distance {
                between: [1, 3],
                length,
            },
            Constraint::Plane {
                site: 2,
                on: 3,
                normal: Vec3::new(0.3, -0.2, 1.0),
            },
        ];
        built(parts, list)
    };
    let h = 0.01;
    let tree = of(0.0);
    let before = start(&tree);
    for forcing in [Forcing::Symmetric, Forcing::OneSided] {
        for order in [2, 4] {
            let make = |tree: &Arc<Tree>| -> Box<dyn Integrator> {
                let base = Box::new(method(tree, Rule::Midpoint, forcing));
                if order == 2 {
                    base
                } else {
                    Box::new(Composition::new(base, order).unwrap())
                }
            };
            let mut built = make(&tree);
            let mut after = before.clone();
            built.attempt(&mut after, h).unwrap();
            let known = built.differentiable().unwrap();
            let (mut solution, mut zero) = (Vec::new(), Vec::new());
            known.solution(&mut solution);
            known.linearise(&before, h, &solution).unwrap();
            known.equations(&before, h, &solution, &mut zero).unwrap();
            let n = tree.velocities();
            let stepped = slope(1e-3, |theta| {
                let tree = of(theta);
                let mut state = before.clone();
                state.lambda.clear();
                make(&tree).attempt(&mut state, h)?;
                let (mut z, y) = tree.canonical(&after.q, &state.q, &state.p);
                z.extend(y);
                z.extend(&state.lambda);
                Ok::<_, holonomy::integrator::Fault>(z)
            })
            .unwrap();
            let equations = slope(1e-3, |theta| {
                let (tree, mut out) = (of(theta), Vec::new());
                let mut method = make(&tree);
                method
                    .differentiable()
                    .unwrap()
                    .equations(&before, h, &solution, &mut out)?;
                Ok::<_, holonomy::integrator::Fault>(out)
            })
            .unwrap();
            let mut change = Change {
                x: vec![0.0; n],
                y: vec![0.0; n],
                lambda: vec![],
                equations,
            };
            let known = built.differentiable().unwrap();
            known.push(&mut change);
            let pushed = [&change.x[..], &change.y, &change.lambda].concat();
            let off = |range: std::ops::Range<usize>| super::apart(&pushed[range.clone()], &stepped[range]);
            // Where all forces act at the start, the multipliers reported are not those of the step alone.
            let own = if change.lambda.is_empty() {
                0.0
            } else {
                off(2 * n..stepped.len())
            };
            let errors = [off(0..n), off(n..2 * n), own];
            println!("{forcing:?}, order {order}: {errors:?}");
            // Rounding, 1e-15 of terms, over 1e-3; multipliers divide by the step once more.
            assert!(errors[0].max(errors[1]) < 1e-9 && errors[2] < 1e-7);
            // The equations are solved, but for the state that they end with, which is that of the step.
            if order == 2 {
                let end = tree.canonical(&after.q, &after.q, &after.p);
                let (solved, made) = zero.split_at(zero.len() - 2 * n);
                assert!(solved.iter().all(|r| r.abs() < 1e-12), "{solved:?}");
                assert!(super::apart(made, &[end.0, end.1].concat()) < 1e-13);
            }
            // And pulled back, a gradient of the end by the equations is what the change was pushed by.
            let mut gradient = Change {
                x: some(1, n),
                y: some(2, n),
                lambda: some(3, change.lambda.len()),
                equations: vec![],
            };
            let end = [
                (&gradient.x, &change.x),
                (&gradient.y, &change.y),
                (&gradient.lambda, &change.lambda),
            ];
            let end = end
                .map(|(a, b)| super::dot(a, b))
                .iter()
                .fold((0.0, 0.0), |s, t| (s.0 + t.0, s.1 + t.1));
            known.pull(&mut gradient);
            let by = super::dot(&gradient.equations, &change.equations);
            assert!((by.0 - end.0).abs() < 1e-13 * end.1.max(by.1), "{by:?} {end:?}");
        }
    }
}
