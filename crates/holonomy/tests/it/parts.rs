//! Parts that make no system are refused by name, in every family alike; none of them panics.
use holonomy::{
    Vec3,
    geometry::{Pose, RigidInertia},
    potential::{
        Autodiff, Bending, BendingLaw, Dipoles, LennardJones, Pairs, Potential, Scalar, SmoothPotential,
        Spring,
    },
    spheres::{Body, Inertia, InertiaError, Point, Spheres, SpheresError, SpheresParts},
    system::{NameError, Named, StateError},
    tree::{
        self, Constraint, ConstraintFault, Joint, Length, Link, LinkFault, Site, Tree, TreeError, TreePart,
        TreeParts,
    },
};

fn two() -> SpheresParts {
    SpheresParts::chain([Body::point("upper", 1.0, 1.0), Body::rod("lower", 2.0, 0.5)])
}

fn refused(change: impl FnOnce(&mut SpheresParts)) -> SpheresError {
    let mut parts = two();
    change(&mut parts);
    match Spheres::new(parts) {
        Ok(_) => panic!("accepted"),
        Err(error) => error,
    }
}

#[test]
fn bodies_on_spheres_are_checked() {
    assert!(Spheres::new(two()).is_ok());
    let name = |name: &str| name.to_owned();
    assert_eq!(
        refused(|parts| parts.bodies[1].name = String::new()),
        SpheresError::Name(NameError::Empty {
            what: Named::Body,
            number: 1
        })
    );
    assert_eq!(
        refused(|parts| parts.bodies[1].name = name("upper")),
        SpheresError::Name(NameError::Twice {
            what: Named::Body,
            name: name("upper")
        })
    );
    for on in [1, 7] {
        let error = refused(|parts| parts.bodies[1] = Body::rod("lower", 2.0, 0.5).on(on));
        assert_eq!(
            error,
            SpheresError::Order {
                body: name("lower"),
                on
            }
        );
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        for (k, quantity) in ["length", "mass", "moment of inertia"].into_iter().enumerate() {
            let error = refused(|parts| {
                let body = &mut parts.bodies[1];
                *[&mut body.length, &mut body.mass, &mut body.moment][k] = bad;
            });
            assert!(
                matches!(&error, SpheresError::NotPositive { body, quantity: found, .. } if body == "lower" && *found == quantity),
                "{error:?}"
            );
        }
    }
    // All mass at the centre, 0.25 m away, has 2·0.25² kg m².
    let error = refused(|parts| parts.bodies[1].moment = 0.12);
    assert_eq!(
        error,
        SpheresError::Moment {
            body: name("lower"),
            moment: 0.12,
            least: 0.125
        }
    );
    assert!(matches!(
        refused(|parts| parts.bodies[1].centre = f64::NAN),
        SpheresError::Centre { .. }
    ));
    let nowhere = Vec3::new(0.0, f64::NAN, 0.0);
    let error = refused(|parts| parts.bodies[0] = Body::point("upper", 1.0, 1.0).at(nowhere));
    assert_eq!(error, SpheresError::Pivot { body: name("upper") });
    assert_eq!(refused(|parts| parts.gravity = nowhere), SpheresError::Gravity);
    assert!(matches!(
        refused(|parts| parts.held = Some((2, Vec3::zeros()))),
        SpheresError::HeldNoBody { body: 2, bodies: 2 }
    ));
    assert!(matches!(
        refused(|parts| parts.held = Some((1, Vec3::x() * 1.6))),
        SpheresError::OutOfReach { reach: 1.5, .. }
    ));
}

#[test]
fn matrices_and_points_on_spheres_are_checked() {
    let matrix =
        |rows: &[&[f64]]| Inertia::from_matrix(&rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>());
    assert_eq!(
        matrix(&[&[1.0, 0.1], &[0.1]]).err(),
        Some(InertiaError::NotSquare {
            row: 2,
            entries: 1,
            rows: 2
        })
    );
    assert!(matches!(
        matrix(&[&[1.0, f64::NAN], &[f64::NAN, 1.0]]),
        Err(InertiaError::NotSymmetric { .. })
    ));
    let one = Inertia::diagonal_matrix([1.0].into_iter());
    assert_eq!(
        refused(|parts| parts.inertia = Some(one)),
        SpheresError::InertiaSize { rows: 1, bodies: 2 }
    );
    let dense = Inertia::Dense {
        size: 2,
        matrix: vec![1.0, 2.0, 2.0, 1.0],
    };
    assert_eq!(
        refused(|parts| parts.inertia = Some(dense)),
        SpheresError::Inertia(InertiaError::NotPositiveDefinite { rows: 2 })
    );
    let short = Inertia::Dense {
        size: 2,
        matrix: vec![1.0, 0.0, 0.0],
    };
    assert!(matches!(
        refused(|parts| parts.inertia = Some(short)),
        SpheresError::Inertia(InertiaError::NotSquare {
            row: 2,
            entries: 1,
            rows: 2
        })
    ));
    let none = Inertia::diagonal_matrix([1.0, 0.0].into_iter());
    assert!(matches!(
        refused(|parts| parts.inertia = Some(none)),
        SpheresError::Inertia(InertiaError::NotPositiveDefinite { rows: 2 })
    ));
    assert_eq!(
        refused(|parts| parts.points.push(Point::On {
            body: 2,
            distance: 0.0
        })),
        SpheresError::PointOnNoBody {
            number: 0,
            body: 2,
            bodies: 2
        }
    );
    for point in [
        Point::Fixed(Vec3::repeat(f64::NAN)),
        Point::On {
            body: 0,
            distance: f64::NAN,
        },
    ] {
        assert_eq!(
            refused(|parts| parts.points.push(point)),
            SpheresError::PointNotFinite { number: 0 }
        );
    }
}

struct Third;

impl SmoothPotential for Third {
    fn points(&self) -> &[usize] {
        &[2, 0]
    }
    fn energy<S: Scalar>(&self, points: &[nalgebra::Vector3<S>]) -> S {
        points[0].dot(&points[1])
    }
}

/// Potentials of three points, one of each kind, and how they are refused where there are two.
#[test]
fn every_potential_tells_how_many_points_it_needs() {
    let spring = |between| Spring {
        between,
        stiffness: 1.0,
        length: 0.1,
    };
    let bending = |joints, clamps| Bending {
        joints,
        clamps,
        stiffness: 1.0,
        law: BendingLaw::Cosine,
    };
    let make: [&dyn Fn() -> Box<dyn Potential>; 6] = [
        &|| Box::new(spring([2, 0])),
        &|| Box::new(bending(vec![[0, 1], [1, 2]], vec![])),
        &|| Box::new(bending(vec![], vec![(Vec3::z(), 2)])),
        &|| {
            Box::new(Dipoles::new(
                &[Vec3::zeros(), Vec3::x(), Vec3::y()],
                &[1.0; 3],
                1.0,
            ))
        },
        &|| Box::new(Pairs::new(LennardJones::new(1.0, 1.0, 1.0), 3)),
        &|| Box::new(Autodiff::new(Third)),
    ];
    for (k, make) in make.into_iter().enumerate() {
        assert_eq!(make().points_needed(), 3, "{k}");
        // With gravity, which is put before them: the number is that of the list.
        let error = refused(|parts| {
            parts.gravity = Vec3::z();
            parts.potentials.push(Box::new(spring([0, 1])));
            parts.potentials.push(make());
        });
        assert_eq!(
            error,
            SpheresError::Potential {
                number: 1,
                needed: 3,
                count: 2
            },
            "{k}"
        );
        let mut parts = two();
        parts.add_point(Point::Fixed(Vec3::x()));
        parts.potentials.push(make());
        assert!(Spheres::new(parts).is_ok(), "{k}");
    }
}

#[test]
fn states_are_checked() {
    let spheres = Spheres::new(two()).unwrap();
    let (q, still) = ([Vec3::x(), Vec3::z()], [Vec3::zeros(); 2]);
    let state = |q: &[Vec3], omega: &[Vec3]| spheres.state(q, omega).err();
    assert_eq!(state(&q, &still), None);
    assert_eq!(
        state(&q[..1], &still),
        Some(StateError::Count {
            part: "directions",
            given: 1,
            wanted: 2
        })
    );
    assert_eq!(
        state(&q, &[Vec3::zeros(); 3]),
        Some(StateError::Count {
            part: "angular velocities",
            given: 3,
            wanted: 2
        })
    );
    let name = || "lower".to_owned();
    assert_eq!(
        state(&[Vec3::x(), Vec3::z() * 1.1], &still),
        Some(StateError::NotUnit {
            name: name(),
            length: 1.1
        })
    );
    assert_eq!(
        state(&[Vec3::x(), Vec3::repeat(f64::NAN)], &still),
        Some(StateError::NotFinite { name: name() })
    );
    assert_eq!(
        state(&q, &[Vec3::zeros(), Vec3::new(1.0, 0.0, 2.0)]),
        Some(StateError::Along {
            name: name(),
            along: 2.0
        })
    );
    let tree = Tree::new(jointed()).unwrap();
    let state = |q: &[f64], v: &[f64]| tree.state(0.0, q, v).err();
    assert_eq!(state(&[1.0, 0.0, 0.0, 0.0, 0.1], &[0.0; 4]), None);
    assert!(matches!(
        state(&[1.0, 0.0], &[0.0; 4]),
        Some(StateError::Count {
            part: "coordinates",
            ..
        })
    ));
    assert!(matches!(
        state(&[1.0, 0.0, 0.0, 0.0, 0.1], &[]),
        Some(StateError::Count {
            part: "velocities",
            ..
        })
    ));
    assert_eq!(
        state(&[1.0, 0.0, 0.0, 0.0, f64::NAN], &[0.0; 4]),
        Some(StateError::NotFinite {
            name: "theta.arm".to_owned()
        })
    );
    assert_eq!(
        state(&[2.0, 0.0, 0.0, 0.0, 0.1], &[0.0; 4]),
        Some(StateError::NotUnit {
            name: "ball".to_owned(),
            length: 2.0
        })
    );
}

/// A body on a ball joint, and an arm on a hinge at it.
fn jointed() -> TreeParts {
    let body = |name: &str, parent, joint| tree::RigidBody {
        name: name.to_owned(),
        parent,
        joint,
        parent_from_joint: Pose::translation(Vec3::x()),
        joint_from_body: Pose::identity(),
        inertia: RigidInertia::cuboid(1.0, Vec3::x() * 0.5, Vec3::new(1.0, 0.2, 0.3)),
    };
    let site = |name: &str, body| Site {
        name: name.to_owned(),
        body,
        position: Vec3::x(),
    };
    TreeParts {
        bodies: vec![
            body("ball", None, Joint::Spherical),
            body("arm", Some(0), Joint::Revolute { axis: Vec3::y() }),
        ],
        sites: vec![site("tip", Some(1)), site("wall", None)],
        ..TreeParts::default()
    }
}

#[test]
fn parts_of_trees_are_checked() {
    let refused = |change: &dyn Fn(&mut TreeParts)| {
        let mut parts = jointed();
        change(&mut parts);
        Tree::new(parts).err().unwrap_or_else(|| panic!("accepted"))
    };
    let twice = |what, name: &str| {
        TreeError::Name(NameError::Twice {
            what,
            name: name.to_owned(),
        })
    };
    assert_eq!(
        refused(&|parts| parts.bodies[1].name = "ball".to_owned()),
        twice(Named::Body, "ball")
    );
    assert_eq!(
        refused(&|parts| parts.sites[1] = parts.sites[0].clone()),
        twice(Named::Site, "tip")
    );
    let distance = |length| Constraint::Distance {
        between: [0, 1],
        length: Length::Fixed(length),
    };
    let constrain = |parts: &mut TreeParts, name: &str, length| {
        parts.constraints.push((name.to_owned(), distance(length)))
    };
    assert_eq!(
        refused(&|parts| (0..2).for_each(|_| constrain(parts, "rope", 1.0))),
        twice(Named::Constraint, "rope")
    );
    assert_eq!(
        refused(&|parts| constrain(parts, "", 1.0)),
        TreeError::Name(NameError::Empty {
            what: Named::Constraint,
            number: 0
        })
    );
    for bad in [-1.0, f64::NAN] {
        assert_eq!(
            refused(&|parts| constrain(parts, "rope", bad)),
            TreeError::Constraint {
                name: "rope".to_owned(),
                fault: ConstraintFault::Number
            }
        );
    }
    let nowhere = Vec3::repeat(f64::INFINITY);
    let not_finite = |part| TreeError::NotFinite { part };
    assert_eq!(
        refused(&|parts| parts.gravity = nowhere),
        not_finite(TreePart::Gravity)
    );
    let site = || TreePart::Site("tip".to_owned());
    assert_eq!(
        refused(&|parts| parts.sites[0].position = nowhere),
        not_finite(site())
    );
    assert_eq!(
        refused(&|parts| parts.bodies[1].parent_from_joint.translation = nowhere),
        not_finite(TreePart::Joint("arm".to_owned()))
    );
    assert_eq!(
        refused(&|parts| parts.sites[0].body = Some(2)),
        TreeError::NoBody {
            part: site(),
            number: 2
        }
    );
    let spring = || {
        Box::new(Spring {
            between: [0, 2],
            stiffness: 1.0,
            length: 0.0,
        })
    };
    assert_eq!(
        refused(&|parts| parts.potentials.push(spring())),
        TreeError::Potential {
            number: 0,
            needed: 3,
            sites: 2
        }
    );
    // Without `members`, too.
    assert_eq!(
        refused(&|parts| parts.potentials.push(Box::new(Autodiff::new(Third)))),
        TreeError::Potential {
            number: 0,
            needed: 3,
            sites: 2
        }
    );
    let damper = |between| Link::Damper {
        between,
        coefficient: 1.0,
    };
    assert_eq!(
        refused(&|parts| parts.links.push(damper([0, 5]))),
        TreeError::Link {
            number: 0,
            fault: LinkFault::NoSite
        }
    );
    assert_eq!(
        refused(&|parts| parts.bodies[0].parent = Some(0)),
        TreeError::Order {
            body: "ball".to_owned()
        }
    );
    let error = refused(&|parts| parts.bodies[0].parent = Some(1));
    assert_eq!(
        error.to_string(),
        "body `ball` does not come after its parent; list parents first, without cycles"
    );
}
