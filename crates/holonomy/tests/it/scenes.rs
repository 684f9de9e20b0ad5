//! Scenes of all scenarios: poses against sites, kinematics, lengths of rods and closed loops.
use crate::common;
use holonomy::{
    Vec3,
    scene::{FramePose, JointShape, Poses, Scene, Shape},
    spheres::Spheres,
    system::{Mechanism, State, System},
    tree::{Constraint, Length, Tree},
};
use holonomy_model::scenario::SCENARIOS;
use nalgebra::{Quaternion, UnitQuaternion};
use std::sync::Arc;

/// Steps between the states that are looked at.
const STEPS: u64 = 40;

/// A scenario with few bodies, at the start and after some steps.
fn states(name: &str) -> (Mechanism, Vec<State>) {
    let few: &[&str] = match name {
        "ten-thousand-molecules" => &["icosphere.subdivisions=2"],
        _ => &[],
    };
    let steps = match name {
        // Nothing slews before 2 s.
        "tower-crane" => 1000,
        _ => STEPS,
    };
    let model = common::scenario(name, few);
    let mut simulation = model.simulation();
    let mut states = vec![simulation.state.clone()];
    simulation
        .advance(steps)
        .unwrap_or_else(|e| panic!("{name}: {e}"));
    states.push(simulation.state.clone());
    (model.mechanism, states)
}

fn poses(system: &dyn System, state: &State) -> Poses {
    let mut out = Poses::default();
    system.poses(state, &mut out, &mut system.scratch());
    out
}

fn place(poses: &Poses, point: usize) -> Vec3 {
    poses.points[point].into()
}

fn turn(pose: &FramePose) -> UnitQuaternion<f64> {
    let [w, x, y, z] = pose.rotation;
    UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z))
}

/// The numbers of points and frames that a shape names.
fn named(shape: &Shape) -> (Vec<usize>, Vec<usize>) {
    match shape {
        Shape::Rod { from, to, .. } => (vec![*from, *to], vec![]),
        Shape::Mass { at, .. } | Shape::Pivot { at } | Shape::Point { at } => (vec![*at], vec![]),
        Shape::Inertia { body, .. } => (vec![], vec![*body]),
        Shape::Joint { from, to, axes, .. } => (
            vec![*from, *to],
            axes.iter().filter_map(|axis| axis.frame).collect(),
        ),
        Shape::Cable { through, .. } | Shape::Line { through } => (through.clone(), vec![]),
        Shape::Plane { at, on, normal, .. } => (vec![*at, *on], normal.frame.into_iter().collect()),
        Shape::Pin { between, .. } | Shape::Spring { between } | Shape::Damper { between } => {
            (between.to_vec(), vec![])
        }
        Shape::Beam { between, axes, .. } => (
            between.to_vec(),
            axes.iter().filter_map(|axis| axis.frame).collect(),
        ),
        Shape::Sphere { centre, .. } => (vec![*centre], vec![]),
    }
}

#[test]
fn every_scenario_has_a_scene_that_is_where_its_sites_are() {
    for scenario in SCENARIOS {
        let (mechanism, states) = states(scenario.name);
        let system = mechanism.system();
        let scene = system.scene();
        assert!(!scene.shapes.is_empty() && scene.size > 0.0, "{}", scenario.name);
        for state in &states {
            let poses = poses(&*system, state);
            assert_eq!(poses.points.len(), scene.points.len(), "{}", scenario.name);
            assert_eq!(poses.frames.len(), scene.frames.len(), "{}", scenario.name);
            let mut sites = vec![Vec3::zeros(); system.layout().drawing.bases.len()];
            system.sites(state.t, &state.q, &mut sites);
            for (k, site) in sites.iter().enumerate() {
                assert_eq!(place(&poses, k), *site, "{} {k}", scenario.name);
            }
            for shape in &scene.shapes {
                let (points, frames) = named(shape);
                assert!(
                    points.iter().all(|k| *k < poses.points.len()),
                    "{}: {shape:?}",
                    scenario.name
                );
                assert!(
                    frames.iter().all(|k| *k < poses.frames.len()),
                    "{}: {shape:?}",
                    scenario.name
                );
            }
        }
        // As data, and back.
        let text = serde_json::to_string(&scene).unwrap();
        assert_eq!(
            serde_json::from_str::<Scene>(&text).unwrap(),
            scene,
            "{}",
            scenario.name
        );
    }
}

#[test]
fn every_rod_has_its_length_in_every_pose() {
    for scenario in SCENARIOS {
        let (mechanism, states) = states(scenario.name);
        let system = mechanism.system();
        let scene = system.scene();
        let poses = [poses(&*system, &states[0]), poses(&*system, &states[1])];
        let mut moved = false;
        for shape in &scene.shapes {
            let Shape::Rod { from, to, body, .. } = shape else {
                continue;
            };
            let lengths = [0, 1].map(|k| (place(&poses[k], *to) - place(&poses[k], *from)).norm());
            // Rounding of places, which are sums over the chain up to here.
            let rounding = 1e-12 * scene.size * scene.points.len() as f64;
            assert!(
                lengths[0] > 0.0 && (lengths[1] - lengths[0]).abs() < rounding,
                "{}: {lengths:?}",
                scenario.name
            );
            if let Mechanism::Spheres(spheres) = &mechanism {
                let Some(part) = spheres.bodies().get(*body) else {
                    panic!("a body")
                };
                // A needle reaches as far on both sides.
                let whole = part.length * if part.centre == 0.0 { 2.0 } else { 1.0 };
                assert!(
                    (lengths[0] - whole).abs() < rounding,
                    "{}: {lengths:?} {whole}",
                    scenario.name
                );
            }
            moved |= place(&poses[0], *to) != place(&poses[1], *to);
        }
        let rods = scene
            .shapes
            .iter()
            .any(|shape| matches!(shape, Shape::Rod { .. }));
        assert!(moved || !rods, "{} stands still", scenario.name);
    }
}

fn trees() -> impl Iterator<Item = (&'static str, Arc<Tree>, Vec<State>)> {
    SCENARIOS
        .iter()
        .filter_map(|scenario| match states(scenario.name) {
            (Mechanism::Tree(tree), states) => Some((scenario.name, tree, states)),
            _ => None,
        })
}

#[test]
fn frames_carry_what_is_fixed_on_their_bodies() {
    for (name, tree, states) in trees() {
        let scene = tree.scene();
        let at = [poses(&*tree, &states[0]), poses(&*tree, &states[1])];
        for shape in &scene.shapes {
            let (body, points) = match shape {
                Shape::Rod { body, from, to, .. } => (*body, [*from, *to]),
                _ => continue,
            };
            for point in points {
                let seen = [0, 1].map(|k| {
                    let pose = &at[k].frames[body];
                    assert!((Quaternion::from(pose.rotation).norm() - 1.0).abs() < 1e-14);
                    turn(pose).inverse() * (place(&at[k], point) - Vec3::from(pose.position))
                });
                // Rounding of places and of rotations, which are products along the tree.
                let rounding = 1e-13 * scene.size * tree.len() as f64;
                assert!((seen[0] - seen[1]).norm() < rounding, "{name}: {seen:?}");
            }
        }
    }
}

#[test]
fn joints_are_where_two_bodies_meet() {
    for (name, tree, states) in trees() {
        let scene = tree.scene();
        for state in &states {
            let poses = poses(&*tree, state);
            for shape in &scene.shapes {
                let Shape::Joint {
                    body,
                    joint,
                    from,
                    to,
                    axes,
                    ..
                } = shape
                else {
                    continue;
                };
                let offset = place(&poses, *to) - place(&poses, *from);
                let world = |k: usize| -> Vec3 {
                    let axis = axes[k];
                    let direction = Vec3::from(axis.direction);
                    assert!((direction.norm() - 1.0).abs() < 1e-14);
                    axis.frame
                        .map_or(direction, |frame| turn(&poses.frames[frame]) * direction)
                };
                let rounding = 1e-13 * scene.size * tree.len() as f64;
                match joint {
                    JointShape::Free => {}
                    // Along the axis alone.
                    JointShape::Prismatic | JointShape::Screw => {
                        assert!(offset.cross(&world(0)).norm() < rounding, "{name}: {shape:?}");
                    }
                    _ => assert!(offset.norm() < rounding, "{name}: {shape:?}"),
                }
                // An axis is fixed on both bodies: seen from the one behind, it is the same at all times.
                if *joint == JointShape::Revolute {
                    let start = self::poses(&*tree, &states[0]);
                    let on_body = |poses: &Poses, axis: Vec3| turn(&poses.frames[*body]).inverse() * axis;
                    let direction = Vec3::from(axes[0].direction);
                    let before = axes[0]
                        .frame
                        .map_or(direction, |frame| turn(&start.frames[frame]) * direction);
                    let difference = on_body(&poses, world(0)) - on_body(&start, before);
                    assert!(
                        difference.norm() < 1e-13 * tree.len() as f64,
                        "{name}: {difference}"
                    );
                }
            }
        }
    }
}

#[test]
fn cables_have_their_length_and_pins_their_place() {
    let mut checked = 0;
    for (name, tree, states) in trees() {
        let scene = tree.scene();
        let find = |wanted: &str| {
            tree.constraint_list()
                .find(|(name, _)| *name == wanted)
                .map(|(_, c)| c)
        };
        for state in &states {
            let poses = poses(&*tree, state);
            // What the method leaves open, and rounding.
            let mut measured = holonomy::system::Measurement::default();
            tree.measure(state, &mut measured, &mut tree.scratch());
            let open = measured.constraint.unwrap_or(0.0) + 1e-13 * scene.size * tree.len() as f64;
            for shape in &scene.shapes {
                match shape {
                    Shape::Cable { name: cable, through } => {
                        let length: f64 = (through.windows(2))
                            .map(|pair| (place(&poses, pair[1]) - place(&poses, pair[0])).norm())
                            .sum();
                        let given = match find(cable) {
                            Some(Constraint::Cable { length, .. } | Constraint::Distance { length, .. }) => {
                                match length {
                                    Length::Fixed(length) => *length,
                                    Length::Driven(motion) => motion(state.t).0,
                                }
                            }
                            // What may go slack has no length to keep.
                            None if cable.starts_with("string ") => continue,
                            _ => panic!("{name}: `{cable}` is no cable"),
                        };
                        assert!(
                            (length - given).abs() <= open,
                            "{name}, {cable}: {length} {given}"
                        );
                        checked += 1;
                    }
                    Shape::Pin { name: pin, between } => {
                        let apart = place(&poses, between[1]) - place(&poses, between[0]);
                        let Some(Constraint::Coincidence { directions, .. }) = find(pin) else {
                            panic!("{name}: `{pin}` is no coincidence")
                        };
                        assert!(
                            directions.iter().all(|e| apart.dot(e).abs() <= open),
                            "{name}, {pin}: {apart}"
                        );
                        checked += 1;
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(checked >= 20, "{checked}");
}

#[test]
fn boxes_have_the_inertia_of_their_bodies() {
    use holonomy::geometry::{Pose, RigidInertia};
    use holonomy::tree::{Joint, RigidBody, TreeParts};
    let edges = Vec3::new(0.3, 0.5, 0.8);
    let turned = Pose::turn(Vec3::new(1.0, 2.0, 3.0), 0.7);
    for inertia in [
        RigidInertia::cuboid(2.0, Vec3::x(), edges),
        RigidInertia::cuboid(2.0, Vec3::zeros(), edges).moved(&turned),
    ] {
        let tree = Tree::new(TreeParts {
            bodies: vec![RigidBody {
                name: "box".to_owned(),
                parent: None,
                joint: Joint::Revolute {
                    axis: Vec3::new(1.0, -1.0, 0.4),
                },
                parent_from_joint: Pose::translation(Vec3::y()),
                joint_from_body: Pose::translation(Vec3::z()),
                inertia,
            }],
            ..TreeParts::default()
        })
        .unwrap();
        let scene = tree.scene();
        let found = scene.shapes.iter().find_map(|shape| match shape {
            Shape::Inertia {
                centre,
                rotation,
                edges,
                ..
            } => Some((*centre, *rotation, *edges)),
            _ => None,
        });
        let (centre, [w, x, y, z], found) = found.unwrap();
        assert!((Vec3::from(centre) - inertia.centre).norm() < 1e-14);
        let rotation = UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z));
        let made = RigidInertia::cuboid(2.0, Vec3::zeros(), found.into()).moved(&Pose::rotation(rotation));
        assert!((made.moment - inertia.moment).norm() < 1e-14, "{}", made.moment);
        // The frame of the body is not that of its joint.
        let poses = poses(&tree, &tree.state(0.0, &[0.0], &[0.0]).unwrap());
        assert!((Vec3::from(poses.frames[0].position) - Vec3::new(0.0, 1.0, 1.0)).norm() < 1e-15);
    }
}

#[test]
fn molecules_have_their_sphere_and_pendula_their_rods() {
    let shapes = |name: &str| match states(name).0 {
        Mechanism::Spheres(spheres) => (spheres.scene(), spheres),
        _ => panic!("{name} is not on spheres"),
    };
    let count = |scene: &Scene, which: fn(&Shape) -> bool| scene.shapes.iter().filter(|s| which(s)).count();
    let (scene, spheres): (Scene, Arc<Spheres>) = shapes("molecules-on-a-sphere");
    assert_eq!(count(&scene, |s| matches!(s, Shape::Sphere { .. })), 1);
    assert_eq!(count(&scene, |s| matches!(s, Shape::Rod { .. })), 0);
    assert_eq!(count(&scene, |s| matches!(s, Shape::Mass { .. })), spheres.len());
    let (scene, _) = shapes("spring-coupled-pendula");
    assert!(count(&scene, |s| matches!(s, Shape::Spring { .. })) > 0);
    assert_eq!(count(&scene, |s| matches!(s, Shape::Sphere { .. })), 0);
    let (scene, spheres) = shapes("magnetic-dipoles");
    assert_eq!(count(&scene, |s| matches!(s, Shape::Rod { .. })), spheres.len());
}
