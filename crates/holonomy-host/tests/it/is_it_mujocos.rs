use super::{loaded, tree};
use holonomy::{
    system::{Measurement, System},
    tree::{JointForce, Tree},
};
use holonomy_host::import::{self, Import, Options};
use holonomy_model::{Problem, Source};
use serde_json::Value;
use std::{fs, path::Path};

const EVERY: &str = include_str!("../../../../tests/robots/mjcf/every-joint.xml");

fn imported(text: &str) -> Result<Import, (Source, Vec<Problem>)> {
    import::robot(
        &Source::new("robot.xml", text),
        Path::new("no such folder"),
        Options::default(),
    )
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap().iter();
    list.map(|x| x.as_f64().unwrap()).collect()
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |largest, value| largest.max(value.abs()))
}

/// Of the absolute terms that a number is a sum of: `mjcf_compare.py` says why. Stored with 15 digits.
const TOLERANCE: f64 = 1e-12;

#[test]
fn mass_matrix_bias_and_gravity_are_those_that_are_stored() {
    let text = include_str!("../../../../tests/robots/mjcf/reference.json");
    let stored: Value = serde_json::from_str(text).unwrap();
    let cases = stored["cases"].as_array().unwrap();
    assert!(!cases.is_empty());
    for case in cases {
        assert_eq!(case["mjcf"], "every-joint.xml");
        let tree = tree(&loaded(&imported(EVERY).expect("a model").model));
        let velocities = case["velocities"].as_array().unwrap().iter();
        let velocities: Vec<&str> = velocities.map(|x| x.as_str().unwrap()).collect();
        assert_eq!(*tree.layout().velocities, velocities);
        for state in case["states"].as_array().unwrap() {
            let (q, v) = (numbers(&state["q"]), numbers(&state["v"]));
            let ours = [tree.mass_matrix(&q), tree.coriolis(&q, &v), tree.weight(&q)];
            for (ours, name) in ours.iter().zip(["mass", "coriolis", "weight"]) {
                let theirs = numbers(&state[name]);
                assert_eq!(ours.len(), theirs.len());
                let terms = numbers(&state["terms"][name]);
                for ((a, b), term) in ours.iter().zip(&theirs).zip(&terms) {
                    assert!((a - b).abs() <= TOLERANCE * term, "{name}: {a} {b} of {term:.1e}");
                }
            }
        }
    }
}

/// The text between quotes, changed: every one of them is in the model, or in the list.
#[test]
fn every_attribute_is_in_the_model_or_in_the_list() {
    let said = |text: &str| -> String {
        let lines = text
            .lines()
            .map(|line| line.split('#').next().unwrap().trim_end());
        lines.collect::<Vec<_>>().join("\n")
    };
    let import = imported(EVERY).expect("a model");
    let begin = EVERY.find("<mujoco").unwrap();
    let quotes: Vec<usize> = EVERY
        .match_indices('"')
        .map(|(at, _)| at)
        .filter(|at| *at > begin)
        .collect();
    let (mut carried, mut ignored) = (0, 0);
    for pair in quotes.chunks_exact(2) {
        let (start, end) = (pair[0] + 1, pair[1]);
        let value = &EVERY[start..end];
        let numbers: Option<Vec<f64>> = value.split_whitespace().map(|word| word.parse().ok()).collect();
        let other = match numbers {
            // All numbers alike may say the same: a quaternion is not changed by a factor.
            Some(numbers) => {
                let changed = numbers.iter().enumerate();
                let changed: Vec<String> = changed
                    .map(|(k, x)| (x * (1.0625 + 0.03125 * k as f64) + 0.001).to_string())
                    .collect();
                changed.join(" ")
            }
            None => format!("{value}x"),
        };
        let text = [&EVERY[..start], &other, &EVERY[end..]].concat();
        let same = imported(&text).is_ok_and(|again| said(&again.model) == said(&import.model));
        let listed = import
            .ignored
            .iter()
            .any(|r| r.span.start <= start && end <= r.span.end);
        let around = &EVERY[start.saturating_sub(40)..end];
        // Limits are carried for a warning, and listed because nothing stops a joint there.
        if !around.contains("range=\"-1 1") {
            assert_eq!(same, listed, "{around}");
        }
        if listed { ignored += 1 } else { carried += 1 }
    }
    assert!(carried > 70 && ignored >= 4, "{carried} {ignored}");
}

#[test]
fn what_acts_and_is_not_read_is_listed_by_name() {
    let more = r#"
      <equality>
        <connect name="pin" body1="upper" anchor="0 0 0" active="false"/>
        <joint name="bent" joint1="turn" joint2="other" polycoef="0 1 0.5"/>
        <tendon name="tied" tendon1="rope"/>
      </equality>
      <tendon>
        <spatial name="rope"><site site="tip"/><pulley divisor="2"/><site site="anchor"/></spatial>
        <spatial name="held" limited="true" range="0 1" armature="0.1"><site site="tip"/><site site="anchor"/></spatial>
      </tendon>
      <actuator><muscle name="drive" joint="turn" gear="3"/><motor name="haul" tendon="rope"/></actuator>
      <contact><pair geom1="a" geom2="b"/></contact>
      <sensor><gyro site="tip"/></sensor>
      <keyframe><key name="home"/></keyframe>
    </mujoco>"#;
    let import = imported(&EVERY.replace("</mujoco>", more)).expect("a model");
    for (owner, name) in [
        ("connect", "pin"),
        ("joint", "bent"),
        ("tendon", "tied"),
        ("motor", "haul"),
        ("spatial", "rope"),
        ("spatial", "held"),
        ("muscle", "drive"),
        ("contact", ""),
        ("sensor", ""),
        ("key", "home"),
    ] {
        let found = import
            .ignored
            .iter()
            .find(|r| (r.owner.as_str(), r.name.as_str()) == (owner, name));
        assert!(
            found.is_some_and(|r| !r.why.is_empty()),
            "{owner} `{name}`: {:?}",
            import.ignored
        );
    }
    let armature = import.ignored.iter().find(|r| r.what == "armature");
    assert!(armature.is_some_and(|r| r.owner == "spatial" && r.why.contains("lighter")));
    assert!(!import.ignored.iter().any(|r| r.what == "joint armature"));
}

/// The text must be refused at the marked place, with these words; `¶` marks the place.
fn refused(marked: &str, words: &str) {
    let at = marked.find('¶').expect("a mark");
    let (source, problems) = match imported(&marked.replace('¶', "")) {
        Err(refused) => refused,
        Ok(import) => (Source::new("robot.xml", marked.replace('¶', "")), import.refused),
    };
    let problem = problems.first().unwrap_or_else(|| panic!("{marked} is taken"));
    assert!(problem.message.contains(words), "{}\n{marked}", problem.message);
    assert!(problem.help.is_some(), "{}", problem.message);
    let (found, expected) = (source.locate(problem.span.clone()), source.locate(at..at));
    assert_eq!(
        (found.line, found.column),
        (expected.line, expected.column),
        "{}\n{marked}",
        problem.message
    );
}

/// A file with these elements in one body on a hinge.
fn pendulum(inside: &str) -> String {
    let body = format!("<body name=\"a\"><joint name=\"j\"/>{inside}</body>");
    format!("<mujoco>\n<worldbody>{body}</worldbody></mujoco>")
}

/// The same with sections behind it.
fn more(sections: &str) -> String {
    pendulum("<geom size=\"1\"/>").replace("</mujoco>", &format!("\n{sections}</mujoco>"))
}

#[test]
fn what_is_wrong_is_said_where_it_is() {
    refused("¶<mujoco/>", "no bodies");
    refused("<mujoco><worldbody>\n¶</mujoco>", "not XML");
    refused(
        "¶<mujoco><worldbody><body><geom size=\"1\"/></body></worldbody></mujoco>",
        "nothing in this file can move",
    );
    refused(
        &pendulum("<geom size=\"¶one\"/>"),
        "`one` in `size` is not a number",
    );
    refused(
        &pendulum("<geom size=\"¶1 2 3 4\"/>"),
        "4 numbers instead of 1 to 3",
    );
    refused(&pendulum("<geom size=\"¶1e999\"/>"), "not a number");
    refused(&pendulum("¶<geom size=\"-1\"/>"), "sizes above zero");
    refused(&pendulum("¶<geom size=\"1e200\"/>"), "the mass inf");
    refused(
        &pendulum("¶<geom type=\"mesh\" mesh=\"m\"/>"),
        "comes from a mesh",
    );
    refused(&pendulum("<geom type=\"¶boxx\" size=\"1\"/>"), "not known");
    refused(
        &pendulum("<geom size=\"1\" class=\"¶none\"/>"),
        "no class of defaults",
    );
    refused(
        &pendulum("¶<replicate count=\"3\"/><geom size=\"1\"/>"),
        "makes bodies",
    );
    refused(
        &pendulum("<geom type=\"box\" size=\"1 1 1\" quat=\"¶0 0 0 0\"/>"),
        "gives no rotation",
    );
    refused(
        &pendulum("¶<geom type=\"box\" size=\"1 1 1\" quat=\"1 0 0 0\" euler=\"0 0 0\"/>"),
        "turned twice",
    );
    refused(
        &pendulum("<geom size=\"1\"/><joint axis=\"¶0 0 0\"/>"),
        "no direction",
    );
    refused(
        &pendulum("<geom size=\"1\"/><joint type=\"¶hing\"/>"),
        "not known",
    );
    refused(&pendulum("¶<inertial pos=\"0 0 0\"/>"), "no `mass`");
    for (attribute, limited) in [("range", "limited"), ("actuatorfrcrange", "actuatorfrclimited")] {
        let joint = format!("<geom size=\"1\"/><joint {attribute}=\"¶2 -1\" {limited}=\"true\"/>");
        refused(&pendulum(&joint), "`2 -1` in");
    }
    refused(
        &more("<actuator><motor joint=\"j\" ctrlrange=\"¶1 -1\"/></actuator>"),
        "is no range",
    );
    refused(
        &more("<worldbody><body name=\"¶a\"/></worldbody>"),
        "another body named `a`",
    );
    refused(
        &more("<worldbody><site name=\"s\"/><site name=\"¶s\"/></worldbody>"),
        "another site named `s`",
    );
    refused(
        &more("<worldbody><body><joint name=\"¶j\"/></body></worldbody>"),
        "another joint named `j`",
    );
    refused(&more("¶<option timestep=\"0\"/>"), "the timestep is 0");
    refused(
        "<mujoco>\n<include file=\"¶none.xml\"/></mujoco>",
        "cannot be included",
    );
    refused("<mujoco><default>¶<default/></default></mujoco>", "has no name");
    refused(
        &pendulum("<geom size=\"1\"/>¶<joint armature=\"-1\"/>"),
        "negative",
    );
    refused(
        &more("<equality><connect body1=\"¶b\" anchor=\"0 0 0\"/></equality>"),
        "no body `b`",
    );
    refused(&more("<equality>¶<joint/></equality>"), "`joint` has no `joint1`");
    refused(
        &more("<equality><weld body1=\"a\" relpose=\"¶0 0 0\"/></equality>"),
        "3 numbers instead of 7",
    );
    refused(
        &more("<tendon><fixed name=\"t\"><joint joint=\"¶k\" coef=\"1\"/></fixed></tendon>"),
        "no joint `k`",
    );
    refused(
        &more("<tendon><fixed name=\"t\">¶<joint joint=\"j\"/></fixed></tendon>"),
        "no `coef`",
    );
    refused(
        &more("<tendon>¶<fixed damping=\"-1\"><joint joint=\"j\" coef=\"1\"/></fixed></tendon>"),
        "negative",
    );
    refused(
        &more("<tendon><spatial><site site=\"¶s\"/></spatial></tendon>"),
        "no site `s`",
    );
    refused(
        &more("<equality><tendon tendon1=\"¶t\"/></equality>"),
        "no tendon `t`",
    );
    refused(
        &more("<actuator><motor tendon=\"¶t\"/></actuator>"),
        "no tendon `t`",
    );
    refused(&more("<actuator><motor site=\"¶s\"/></actuator>"), "no site `s`");
    // A joint that moves nothing is the engine's to refuse.
    refused(
        "<mujoco>\n<worldbody>¶<body name=\"a\"><joint/></body></worldbody></mujoco>",
        "cannot be simulated",
    );
}

#[test]
fn included_files_stand_where_they_are_included_and_never_in_themselves() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    write("shape.xml", "<mujocoinclude><geom size=\"0.1\"/></mujocoinclude>");
    write(
        "round.xml",
        "<mujocoinclude><include file=\"round.xml\"/></mujocoinclude>",
    );
    write("wrong.xml", "<mujocoinclude>\n<geom size=\"x\"/></mujocoinclude>");
    fs::write(folder.path().join("bytes.xml"), [0xff, 0xfe, 0x00]).expect("a file");
    let read = |inside: &str| {
        let source = Source::new("robot.xml", pendulum(inside));
        import::robot(&source, folder.path(), Options::default())
    };
    let import = read("<include file=\"shape.xml\"/>").expect("a model");
    assert!(
        import.model.contains("mass = 4.18879020478639"),
        "{}",
        import.model
    );
    let (source, problems) = read("<include file=\"round.xml\"/>").expect_err("a circle");
    assert!(
        problems[0].message.contains("included twice"),
        "{}",
        problems[0].message
    );
    assert_eq!(source.name(), "round.xml");
    let (source, problems) = read("<include file=\"wrong.xml\"/>").expect_err("wrong");
    assert_eq!(
        (source.name(), source.locate(problems[0].span.clone()).line),
        ("wrong.xml", 2)
    );
    for name in ["bytes.xml", ".", "../../../../../../dev/zero"] {
        let (_, problems) = read(&format!("<include file=\"{name}\"/>")).expect_err("no text");
        assert!(
            problems[0].message.contains("cannot be included"),
            "{}",
            problems[0].message
        );
    }
}

#[test]
fn bodies_in_bodies_without_end_are_refused() {
    let deep = "<body>".repeat(100_000) + &"</body>".repeat(100_000);
    let (_, problems) = imported(&pendulum(&deep)).expect_err("too deep");
    assert!(
        problems[0].message.contains("lie in each other"),
        "{}",
        problems[0].message
    );
    let deep = "<default class=\"a\">".repeat(150) + &"</default>".repeat(150);
    let text = pendulum("<geom size=\"1\"/>").replace("<worldbody>", &format!("{deep}<worldbody>"));
    assert!(imported(&text).is_err());
}

/// Motor, servo, velocity servo and an affine actuator, with gears and ranges of controls and forces; two on one joint.
#[test]
fn actuators_pull_as_those_of_mujoco_do() {
    let text = include_str!("../../../../tests/robots/servo/servo.json");
    let stored: Value = serde_json::from_str(text).unwrap();
    let import = imported(include_str!("../../../../tests/robots/servo/servo.xml")).expect("a model");
    assert!(import.ignored.is_empty(), "{:#?}", import.ignored);
    for state in stored["states"].as_array().unwrap() {
        let mut model = loaded(&import.model);
        for (name, control) in ["servo", "push", "speed", "rail"]
            .iter()
            .zip(numbers(&state["ctrl"]))
        {
            model = model.with(&format!("parameters.ctrl_{name}"), control).unwrap();
        }
        let (q, v) = (numbers(&state["qpos"]), numbers(&state["qvel"]));
        let theirs = numbers(&state["qfrc_actuator"]);
        let outline = model.outline().expect("a tree");
        assert_eq!(outline.bodies.len(), 3);
        for (k, body) in outline.bodies.iter().enumerate() {
            let ours = body.forces.iter().find_map(|force| match force {
                JointForce::Effort(law) => Some(law((0.0, q[k], v[k]))[0]),
                _ => None,
            });
            let ours = ours.expect("an effort");
            // Sums of a few products.
            assert!(
                (ours - theirs[k]).abs() <= TOLERANCE * (1.0 + theirs[k].abs()),
                "{ours} {}",
                theirs[k]
            );
        }
    }
}

const TENDONS: &str = include_str!("../../../../tests/robots/parts/tendons.xml");
const LOOPS: &str = include_str!("../../../../tests/robots/parts/loops.xml");

fn parts(name: &str) -> Vec<Value> {
    let text = include_str!("../../../../tests/robots/parts/parts.json");
    let stored: Value = serde_json::from_str(text).unwrap();
    stored[name].as_array().unwrap().clone()
}

/// Accelerations at a state.
fn accelerations(tree: &Tree, q: &[f64], v: &[f64]) -> Vec<f64> {
    let (mut dq, mut dv) = (vec![0.0; q.len()], vec![0.0; v.len()]);
    tree.rate(0.0, q, v, &mut dq, &mut dv, &mut tree.scratch());
    dv
}

/// At random states with random controls, of the actuators by their names.
fn accelerates_as_in_mujoco(import: &Import, stored: &str, actuators: &[&str]) {
    for state in parts(stored) {
        let mut model = loaded(&import.model);
        for (name, control) in actuators.iter().zip(numbers(&state["ctrl"])) {
            model = model.with(&format!("parameters.ctrl_{name}"), control).unwrap();
        }
        let (q, v, theirs) = (numbers(&state["q"]), numbers(&state["v"]), numbers(&state["a"]));
        let ours = accelerations(&tree(&model), &q, &v);
        let size = largest(theirs.iter().copied());
        let error = largest(ours.iter().zip(&theirs).map(|(a, b)| a - b));
        // M has the condition 1e4: that many of the roundings of 1e-16.
        assert!(
            error <= 1e-11 * size,
            "{error:.1e} of {size:.1e}: {ours:?} {theirs:?}"
        );
    }
}

#[test]
fn tendons_armature_and_their_actuators_accelerate_as_in_mujoco() {
    let import = imported(TENDONS).expect("a model");
    for said in ["6 joints", "7 tendons", "4 actuators"] {
        assert!(import.carried.contains(said), "{}", import.carried);
    }
    let ignored: Vec<&str> = import.ignored.iter().map(|r| r.what.as_str()).collect();
    assert_eq!(ignored, ["key", "key"], "{:#?}", import.ignored);
    accelerates_as_in_mujoco(&import, "tendons", &["belt", "stay", "servo", "turn"]);
}

/// Thrusters, weight that is taken away, bounds of all that pulls in a joint, controls within a part of its range,
/// dampers of a free joint, and numbers of which the defaults have the rest.
#[test]
fn what_acts_on_bodies_accelerates_them_as_in_mujoco() {
    let import = imported(include_str!("../../../../tests/robots/parts/acts.xml")).expect("a model");
    let ignored: Vec<&str> = import.ignored.iter().map(|r| r.what.as_str()).collect();
    assert_eq!(ignored, ["range", "range"], "{:#?}", import.ignored);
    accelerates_as_in_mujoco(
        &import,
        "acts",
        &["thrust", "jet", "pan", "first", "second", "swing"],
    );
}

/// Names that formulas of tendons need are not those of other joints.
#[test]
fn a_joint_may_be_called_as_a_formula_calls_another() {
    let text = r#"<mujoco><worldbody>
        <body name="a"><joint name="j"/><geom size="1"/></body>
        <body name="b"><joint name="joint_a"/><geom size="1"/></body>
        <body name="c"><joint name="joint_c"/><geom size="1"/></body>
      </worldbody><tendon><fixed name="t" stiffness="1">
        <joint joint="j" coef="1"/><joint joint="joint_a" coef="2"/><joint joint="joint_c" coef="3"/>
      </fixed></tendon></mujoco>"#;
    let import = imported(text).expect("a model");
    assert!(import.refused.is_empty(), "{:?}", import.refused);
    for said in ["joint_a_2 = \"a\"", "joint_b = \"b\"", "joint_c = \"c\""] {
        assert!(import.model.contains(said), "{}", import.model);
    }
}

/// Flags that take something away.
#[test]
fn what_the_file_switches_off_is_not_there() {
    let acts = r#"
      <equality><joint joint1="turn" joint2="other"/></equality>
      <actuator><motor name="m" joint="turn" ctrlrange="-1 1"/></actuator>
      <option><flag FLAG="disable"/></option>
    </mujoco>"#;
    let with = |flag: &str| {
        let text = EVERY.replace("</mujoco>", &acts.replace("FLAG", flag));
        imported(&text).expect("a model").model
    };
    for (flag, gone, there) in [
        ("equality", "[[constraint]]", "min(max(ctrl_m"),
        ("constraint", "[[constraint]]", "min(max(ctrl_m"),
        ("clampctrl", "min(max(ctrl_m", "[[constraint]]"),
        ("actuation", "ctrl_m", "[[constraint]]"),
    ] {
        let model = with(flag);
        assert!(!model.contains(gone), "{flag}: {model}");
        assert!(model.contains(there), "{flag}: {model}");
    }
}

#[test]
fn loops_are_closed_where_mujoco_closes_them() {
    let import = imported(LOOPS).expect("a model");
    assert!(
        import.carried.contains("2 tendons, 7 equalities"),
        "{}",
        import.carried
    );
    let model = loaded(&import.model);
    let tree = tree(&model);
    // Where all joints are at their reference the file's equalities need not hold; the model starts where they do.
    let mut out = Measurement::default();
    tree.measure(&model.state, &mut out, &mut tree.scratch());
    assert!(
        out.constraint.is_some_and(|worst| worst < 1e-9),
        "{:?}",
        out.constraint
    );
    for state in parts("loops") {
        let (q, v, theirs) = (numbers(&state["q"]), numbers(&state["v"]), numbers(&state["a"]));
        let here = tree.state(0.0, &q, &v).unwrap();
        tree.measure(&here, &mut out, &mut tree.scratch());
        // Both are met to some roundings of lengths of 3 m.
        assert!(
            out.constraint.is_some_and(|worst| worst < 1e-12),
            "{:?}",
            out.constraint
        );
        let ours = accelerations(&tree, &q, &v);
        let size = largest(theirs.iter().copied());
        let error = largest(ours.iter().zip(&theirs).map(|(a, b)| a - b));
        // Their (dJ/dt) v is a difference of order 4 with steps of 1e-3, of which 1e-12 is rounding; the constraints
        // multiply it by what loops are short of.
        assert!(
            error <= 1e-8 * size,
            "{error:.1e} of {size:.1e}: {ours:?} {theirs:?}"
        );
    }
}

#[test]
fn a_machine_starts_in_a_keyframe() {
    let import = |keyframe| {
        let options = Options {
            keyframe: Some(keyframe),
            ..Options::default()
        };
        let source = Source::new("robot.xml", TENDONS);
        import::robot(&source, Path::new("no such folder"), options)
    };
    let model = loaded(&import("home").expect("a model").model);
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let q = [
        0.1, 0.2, 0.3, half, half, 0.0, 0.0, 0.4, 1.0, 2.0, 3.0, half, 0.0, 0.0, half,
    ];
    assert!(largest(model.state.q.iter().zip(q).map(|(a, b)| a - b)) < 1e-15);
    let v: Vec<f64> = (1..=13).map(f64::from).collect();
    let tree = tree(&model);
    let mut velocity = vec![0.0; 13];
    tree.velocity(
        0.0,
        &model.state.q,
        &model.state.p,
        &mut velocity,
        &mut tree.scratch(),
    );
    // Through momenta and back.
    assert!(largest(velocity.iter().zip(v).map(|(a, b)| a - b)) < 1e-12);
    let text = import("home").expect("a model").model;
    for control in [
        "ctrl_belt = 0.1",
        "ctrl_stay = 0.2",
        "ctrl_servo = 0.3",
        "ctrl_turn = 0.4",
    ] {
        assert!(text.contains(control), "{text}");
    }
    // By its number.
    let second = loaded(&import("2").expect("a model").model);
    assert_eq!(second.state.q[7], 0.0);
    let (_, problems) = import("away").expect_err("no such keyframe");
    assert!(problems[0].message.contains("no keyframe `away`"));
    assert!(
        problems[0]
            .help
            .as_deref()
            .is_some_and(|help| help.contains("home"))
    );
    let short = TENDONS.replace("ctrl=\"0.1 0.2 0.3 0.4\"", "ctrl=\"0.1\"");
    let options = Options {
        keyframe: Some("home"),
        ..Options::default()
    };
    let (_, problems) =
        import::robot(&Source::new("robot.xml", short), Path::new(""), options).expect_err("short");
    assert!(problems[0].message.contains("1 numbers, and the machine 4"));
    let (_, problems) = import::robot(
        &Source::new("arm.urdf", "<robot name=\"a\"/>"),
        Path::new(""),
        options,
    )
    .expect_err("URDF has none");
    assert!(problems[0].message.contains("a file in URDF has none"));
}
