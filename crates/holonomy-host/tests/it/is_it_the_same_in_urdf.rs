use super::{EVERY, imported, joint, link, loaded, robot, tree};
use holonomy::{
    system::System,
    tree::{Joint, JointForce},
};
use holonomy_host::export::{self, Export, ExportError};

/// Angles of origins are written to 1e-15, and mass matrices are sums of some hundred products of sines of them.
const TOLERANCE: f64 = 1e-12;

fn exported(text: &str) -> Export {
    export::urdf(&loaded(text)).expect("a file")
}

/// Numbers in ±1 that are special in no way; quaternions are made unit.
fn anywhere(tree: &holonomy::tree::Tree, round: usize) -> Vec<f64> {
    let mut q: Vec<f64> = (0..tree.coordinates())
        .map(|k| ((1 + 7 * round) as f64 + 2.3 * k as f64).sin())
        .collect();
    for (at, _) in &tree.layout().rotations {
        let part = &mut q[*at..at + 4];
        let length = part.iter().map(|x| x * x).sum::<f64>().sqrt();
        part.iter_mut().for_each(|x| *x /= length);
    }
    q
}

/// Mass matrix, bias and weight of a model, and of what is read again of it.
fn compare(first: &str, floating: bool) {
    let again = imported(&exported(first).text, floating).model;
    let (one, two) = (tree(&loaded(first)), tree(&loaded(&again)));
    assert_eq!(one.layout().velocities, two.layout().velocities);
    for round in 0..5 {
        let q = anywhere(&one, round);
        let v: Vec<f64> = (0..one.velocities())
            .map(|k| (0.7 * k as f64 + round as f64).cos())
            .collect();
        for (a, b) in [
            (one.mass_matrix(&q), two.mass_matrix(&q)),
            (one.coriolis(&q, &v), two.coriolis(&q, &v)),
            (one.weight(&q), two.weight(&q)),
        ] {
            let size = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let error = a.iter().zip(&b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(error <= TOLERANCE * size, "{error:.1e} of {size:.1e}");
        }
    }
}

#[test]
fn a_robot_that_goes_to_a_model_and_back_has_the_same_equations() {
    for floating in [false, true] {
        compare(&imported(EVERY, floating).model, floating);
    }
    // Pitch of a quarter turn, where roll and yaw are one, and near it.
    for pitch in ["1.5707963267948966", "-1.5707963267948966", "1.57", "1.570796"] {
        let origin = format!("<origin xyz=\"1 2 3\" rpy=\"0.3 {pitch} -2.1\"/><axis xyz=\"0 0.6 0.8\"/>");
        let text = [
            link("a"),
            link("b"),
            link("c"),
            joint("j", "continuous", "a", "b", &origin),
            joint("k", "continuous", "b", "c", &origin),
        ];
        compare(&imported(&robot(&text.concat()), false).model, false);
    }
}

#[test]
fn limits_losses_and_followers_are_written() {
    let model = imported(EVERY, false).model;
    // Friction is written, though it is not read by itself.
    let damped = model.replacen("damping = 0.2", "damping = 0.2\nfriction = 0.01", 1);
    assert_ne!(damped, model);
    let written = exported(&damped).text;
    assert!(written.contains("friction=\"0.01\""), "{written}");
    let again = loaded(&imported(&written, false).model);
    let outline = again.outline().expect("a tree");
    let shoulder = outline
        .bodies
        .iter()
        .find(|body| body.name == "shoulder")
        .unwrap();
    assert_eq!(shoulder.limits, Some([-1.0, 1.0]));
    let has = |such: fn(&JointForce) -> bool| shoulder.forces.iter().any(such);
    assert!(has(
        |force| matches!(force, JointForce::Damper { coefficient } if *coefficient == 0.2)
    ));
    let [coupling] = &outline.couplings[..] else {
        panic!("one coupling");
    };
    let follower = outline
        .bodies
        .iter()
        .position(|body| body.name == "follower")
        .unwrap();
    let slide = outline
        .bodies
        .iter()
        .position(|body| body.name == "slide")
        .unwrap();
    assert_eq!(coupling.terms, [(follower, 0, 1.0), (slide, 0, 1.5)]);
    assert_eq!(coupling.constant, 0.01);
}

const HEAD: &str = "space = \"tree\"\ngravity = [0, 0, -9.81]\n";
const TAIL: &str = "[method]\nname = \"tree-variational\"\n[run]\nstep = 0.01\nsteps = 1\n";

fn body(name: &str, joint: &str, more: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\njoint = {{ {joint} }}\nmass = 1\ncentre = [0.1, 0.2, 0.3]\n\
         inertia = [0.1, 0.1, 0.1]\n{more}\n"
    )
}

#[test]
fn a_universal_joint_is_two_revolute_ones() {
    let cross = body(
        "cross",
        "kind = \"universal\", axes = [[1, 0, 0], [0, 1, 1]], at = [0, 0, 1], turned = { euler = [0.1, 0.2, 0.3] }",
        "damping = 0.5",
    );
    let text = [HEAD, &cross, TAIL].concat();
    let again = loaded(&imported(&exported(&text).text, false).model);
    let outline = again.outline().expect("a tree");
    assert_eq!(outline.bodies.len(), 2);
    assert!(
        outline
            .bodies
            .iter()
            .all(|body| matches!(body.joint, Joint::Revolute { .. }))
    );
    assert_eq!(outline.bodies[0].inertia.mass, 0.0);
    let (one, two) = (tree(&loaded(&text)), tree(&again));
    for q in [[0.3, -0.8], [2.0, 1.0]] {
        let (a, b) = (one.mass_matrix(&q), two.mass_matrix(&q));
        assert!(
            a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= TOLERANCE),
            "{a:?} {b:?}"
        );
    }
}

#[test]
fn what_is_not_written_is_listed_and_what_cannot_be_is_refused() {
    let arm = body(
        "arm",
        "kind = \"revolute\", axis = [0, 1, 0]",
        "effort = \"-q\"\neffort_limit = 3\nposition = 0.5\nspring = { stiffness = 2 }\nsites = { tip = [0, 0, 1] }",
    );
    let cart = body("cart", "kind = \"prismatic\", axis = [1, 0, 0]", "");
    let pin = "[[constraint]]\nname = \"pin\"\nkind = \"distance\"\nbetween = [\"arm/tip\", \"world/nail\"]\n\
               length = 3\n[[site]]\nname = \"nail\"\nat = [3, 0, 0]\n";
    let export = exported(&[HEAD, &arm, &cart, pin, TAIL].concat());
    let said: Vec<(&str, &str)> = export
        .left
        .iter()
        .map(|remark| (remark.what.as_str(), remark.name.as_str()))
        .collect();
    for expected in [
        ("effort", "arm"),
        ("position", "arm"),
        ("spring", "arm"),
        ("sites", "arm"),
        ("limits", "cart"),
        ("constraint", "pin"),
        ("site", "nail"),
    ] {
        assert!(said.contains(&expected), "{expected:?} in {said:?}");
    }
    assert_eq!(said.len(), 7, "{said:?}");
    assert!(export.text.contains("<limit effort=\"3\""), "{}", export.text);
    for (kind, more) in [("spherical", ""), ("screw", ", axis = [0, 0, 1], pitch = 0.1")] {
        let text = [HEAD, &body("b", &format!("kind = \"{kind}\"{more}"), ""), TAIL].concat();
        let error = export::urdf(&loaded(&text)).expect_err("refused");
        let expected = ExportError::Joint {
            body: "b".to_owned(),
            kind,
        };
        assert_eq!(error, expected);
    }
}
