//! Steps of ropes over pulleys of every kind, and of rigid strings that are taut or slack.
use super::{curve, errors, measured_at, some};
use crate::common::load;
use holonomy::{
    Vec3,
    derivative::{Change, Differentiable},
    geometry::{Pose, RigidInertia},
    integrator::{Cause, Fault, Integrator, TreeOptions, TreeVariational},
    system::{Mechanism, State},
    tree::{Constraint, Joint, Length, RigidBody, Site, Tree, TreeParts},
};
use std::sync::Arc;

const HEAD: &str = "space = \"tree\"\ngravity = [1, 0, -9.81]\n";
const RUN: &str = "\n[method]\nname = \"tree-variational\"\n[run]\nstep = 0.01\nsteps = 10\n";

fn loaded(text: &str) -> (Arc<Tree>, State) {
    let model = load("rope", &format!("{HEAD}{text}{RUN}"), &[]);
    match &model.mechanism {
        Mechanism::Tree(tree) => (tree.clone(), model.state.clone()),
        _ => panic!("a tree"),
    }
}

/// A weight on three slides, a little off the plane.
fn weight(name: &str, at: [f64; 3]) -> String {
    let slide = |axis: [i32; 3]| format!("kind = \"prismatic\", axis = {axis:?}");
    format!(
        "[[body]]\nname = \"{name}-x\"\njoint = {{ {}, at = {at:?} }}\nmass = 0\n\
         [[body]]\nname = \"{name}-y\"\nparent = \"{name}-x\"\njoint = {{ {} }}\nmass = 0\n\
         [[body]]\nname = \"{name}\"\nparent = \"{name}-y\"\njoint = {{ {} }}\nmass = 1.5\n\
         sites = {{ hook = [0, 0, 0] }}\n",
        slide([1, 0, 0]),
        slide([0, 1, 0]),
        slide([0, 0, 1])
    )
}

/// Two arms in one plane, with a wheel that turns on the first and a pulley that slides on the second, and a drum beyond
/// that is free, or follows time.
fn arms(drum: &str, side: &str) -> String {
    let wheel = |name: &str, parent: &str, at: [f64; 3], rest: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\n{parent}joint = {{ kind = \"revolute\", axis = [0, 1, 0], at = {at:?} }}\n\
             mass = 0.7\ninertia = [0.03, 0.02, 0.04]\n{rest}\n"
        )
    };
    let arm = "centre = [0.3, 0, -0.2]\n";
    [
        wheel("arm", "", [0.0, 0.0, 1.0], arm),
        wheel("wheel", "parent = \"arm\"\n", [0.5, 0.0, 0.0], ""),
        wheel("other", "", [3.0, 0.0, 1.2], &format!("{arm}sites = {{ c = [0.2, 0, 0.3] }}\n")),
        wheel("drum", "", [5.0, 0.0, -0.5], drum),
        weight("p", [-0.4, 0.05, -1.0]),
        "[[pulley]]\nname = \"turning\"\nbody = \"wheel\"\nradius = 0.3\nside = \"over\"\n".to_owned(),
        "[[pulley]]\nname = \"sliding\"\nsite = \"other/c\"\naxis = [0, 1, 0]\nradius = 0.4\nside = \"over\"\n".to_owned(),
        format!("[[pulley]]\nname = \"end\"\nbody = \"drum\"\nradius = 0.2\nside = \"{side}\"\n"),
        "[[constraint]]\nname = \"rope\"\nkind = \"cable\"\nthrough = [\"p/hook\", \"turning\", \"sliding\", \"end\"]\n"
            .to_owned(),
    ]
    .concat()
}

/// A pulley on a body that turns in every way, between a point of the world and one of another body.
fn in_space(pulley: &str) -> String {
    let ball = |name: &str, at: [f64; 3], sites: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\njoint = {{ kind = \"spherical\", at = {at:?} }}\nmass = 1.3\n\
             centre = [0.1, 0.2, -0.3]\ninertia = [0.3, 0.2, 0.4]\nsites = {{ {sites} }}\n"
        )
    };
    [
        ball("block", [0.0, 0.1, 0.5], "c = [0, -0.1, -0.4]"),
        ball("bob", [1.4, 0.3, -0.4], "hook = [-0.5, -0.27, -0.4]"),
        "[[site]]\nname = \"eye\"\nat = [-1.1, 0.04, -0.6]\n".to_owned(),
        format!("[[pulley]]\nname = \"pulley\"\nsite = \"block/c\"\nradius = 0.15\n{pulley}\n"),
        "[[constraint]]\nname = \"rope\"\nkind = \"cable\"\nthrough = [\"eye\", \"pulley\", \"bob/hook\"]\n"
            .to_owned(),
    ]
    .concat()
}

#[test]
fn ropes_over_pulleys_of_every_kind_are_linearised() {
    let still = "position = 0.2";
    let follows = "driven = \"0.3*t + t^2\"";
    let swivel = weight("a", [-0.5, 0.1, -1.0])
        + &weight("b", [0.7, -0.2, -0.8])
        + &weight("block", [0.1, 0.0, 0.6])
        + "[[pulley]]\nname = \"pulley\"\nsite = \"block/hook\"\nradius = 0.2\nswivel = true\n\
           [[constraint]]\nname = \"rope\"\nkind = \"cable\"\nthrough = [\"a/hook\", \"pulley\", \"b/hook\"]\n";
    let pulley = "axis = [0, 1, 0]\nradius = 0.4\nside = \"over\"";
    let swivels = |drum: &str| arms(drum, "over").replace(pulley, "radius = 0.4\nswivel = true");
    let hoist = swivels(still).replace(
        "through = [\"p/hook\", \"turning\", \"sliding\", \"end\"]",
        "through = [\"end\", \"sliding\", \"block\", \"p/hook\"]",
    ) + &weight("block", [1.2, 0.3, -0.4])
        + "[[pulley]]\nname = \"block\"\nsite = \"block/hook\"\nradius = 0.2\nswivel = true\n";
    let models = [
        ("swivels between a wheel and a drum", swivels(still)),
        ("swivels between a wheel and a winch", swivels(follows)),
        ("drum, sheave and block", hoist),
        ("free drum", arms(still, "over")),
        ("free drum, crossed", arms(still, "under")),
        ("winch", arms(follows, "over")),
        ("slides", in_space("axis = [0, 1, 0]\nside = \"over\"")),
        ("swivels on a body", in_space("swivel = true")),
        ("swivels", swivel),
    ];
    for (name, text) in models {
        let (tree, state) = loaded(&text);
        // Displaced little enough that the rope stays on its pulleys.
        measured_at(name, &tree, &state, 1e-3);
    }
}

fn body(name: &str, parent: Option<usize>, joint: Joint) -> RigidBody {
    RigidBody {
        name: name.to_owned(),
        parent,
        joint,
        parent_from_joint: Pose::translation(Vec3::new(0.3, 0.1, -0.5)),
        joint_from_body: Pose::identity(),
        inertia: RigidInertia::cuboid(1.2, Vec3::new(0.1, 0.2, -0.3), Vec3::new(0.3, 0.5, 0.4)),
    }
}

/// A body that hangs on a string from another, with a string that is too long to do anything, and one from the world.
fn hung(taut: fn(Vec<usize>, f64) -> Constraint, with_slack: bool) -> Arc<Tree> {
    let site = |name: &str, body, position| Site {
        name: name.to_owned(),
        body,
        position,
    };
    let mut constraints = vec![
        ("from-the-arm".to_owned(), taut(vec![0, 2], 0.62)),
        ("through-both".to_owned(), taut(vec![3, 1, 4], 2.26)),
    ];
    if with_slack {
        let length = Length::Fixed(9.0);
        let through = vec![0, 3];
        constraints.push(("idle".to_owned(), Constraint::Tether { through, length }));
    }
    let parts = TreeParts {
        bodies: vec![
            body("arm", None, Joint::Spherical),
            body("load", None, Joint::Free),
        ],
        gravity: Vec3::z() * -9.81,
        sites: vec![
            site("a", Some(0), Vec3::new(0.4, 0.2, -0.6)),
            site("b", Some(0), Vec3::new(-0.3, 0.1, -0.7)),
            site("c", Some(1), Vec3::new(0.35, 0.2, 0.3)),
            site("w", None, Vec3::new(1.0, 0.3, 0.2)),
            site("e", Some(1), Vec3::new(-0.15, 0.2, 0.3)),
        ],
        constraints,
        ..TreeParts::default()
    };
    Arc::new(Tree::new(parts).unwrap())
}

/// Strings are as long as they can be along curves of states that cables of the same length allow.
#[test]
fn rigid_strings_are_linearised_as_what_they_are() {
    let cables = hung(
        |through, length| Constraint::Cable {
            through,
            length: Length::Fixed(length),
        },
        false,
    );
    let strings = hung(
        |through, length| Constraint::Tether {
            through,
            length: Length::Fixed(length),
        },
        true,
    );
    let n = cables.velocities();
    let mut q = cables.zero(0.0);
    let free = &mut q[4..7];
    free.copy_from_slice(&[-0.05, 0.0, -1.5]);
    let v: Vec<f64> = some(3, n).iter().map(|v| 0.3 * v).collect();
    let curves: Vec<_> = (0..3).map(|k| curve(&cables, &q, &v, k, 1e-2)).collect();
    let curves: Vec<&dyn Fn(f64) -> State> = curves.iter().map(|c| c as &dyn Fn(f64) -> State).collect();
    let mut method = TreeVariational::new(strings.clone(), TreeOptions::default());
    let mut state = curves[0](0.0);
    method.attempt(&mut state, 0.01).unwrap();
    assert!(
        state.lambda[0] > 1.0 && state.lambda[1] > 1.0 && state.lambda[2] == 0.0,
        "{:?}",
        state.lambda
    );
    let found = errors(&*strings, &mut method, 0.01, &[5e-4, 5e-5], &curves).unwrap();
    println!("strings: {found}");
    // As in `trees.rs`.
    assert!(found.push < 1e-9 && found.lambda < 1e-8, "{found}");
    assert!(found.pull < 1e-13 && found.area < 1e-13, "{found}");
}

/// A weight falls, is caught by its string, and swings: the steps of the fall and those after it have derivatives, that in
/// which it is caught says why it has none.
#[test]
fn a_string_that_snaps_has_no_derivative_and_says_so() {
    let tether = |through, length| Constraint::Tether {
        through,
        length: Length::Fixed(length),
    };
    let parts = || TreeParts {
        bodies: vec![body("load", None, Joint::Free)],
        gravity: Vec3::z() * -9.81,
        sites: vec![
            Site {
                name: "w".to_owned(),
                body: None,
                position: Vec3::new(0.3, 0.4, 0.5),
            },
            Site {
                name: "c".to_owned(),
                body: Some(0),
                position: Vec3::zeros(),
            },
        ],
        constraints: vec![("string".to_owned(), tether(vec![0, 1], 1.5))],
        ..TreeParts::default()
    };
    let tree = Arc::new(Tree::new(parts()).unwrap());
    let mut without = parts();
    without.constraints.clear();
    let mut falling = TreeVariational::new(Arc::new(Tree::new(without).unwrap()), TreeOptions::default());
    let mut method = TreeVariational::new(tree.clone(), TreeOptions::default());
    let mut state = tree.state(0.0, &tree.zero(0.0), &[0.0; 6]).unwrap();
    let (mut solution, mut said) = (Vec::new(), Vec::new());
    for _ in 0..100 {
        let before = state.clone();
        method.attempt(&mut state, 0.01).unwrap();
        let (was, is) = (before.lambda.first().copied().unwrap_or(0.0), state.lambda[0]);
        let known = method.differentiable().unwrap();
        known.solution(&mut solution);
        let refused = known.linearise(&before, 0.01, &solution);
        match refused {
            Ok(()) => said.push(if is == 0.0 { "slack" } else { "taut" }),
            Err(Fault {
                cause: Cause::Snaps { equation: 0 },
                ..
            }) => said.push("snaps"),
            Err(other) => panic!("{other:?}"),
        }
        if was == 0.0 && is == 0.0 {
            // It falls as without the string.
            let mut change = Change {
                x: some(1, 6),
                y: some(2, 6),
                ..Change::default()
            };
            let mut free = change.clone();
            known.push(&mut change);
            falling.linearise(&before, 0.01, &solution[..6]).unwrap();
            falling.push(&mut free);
            assert_eq!((change.x, change.y, change.lambda), (free.x, free.y, vec![0.0]));
        }
    }
    said.dedup();
    assert_eq!(said, ["slack", "snaps", "taut"]);
}
