use super::{loaded, tree};
use holonomy::{system::System, tree::JointForce};
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

/// Stored with 15 digits, to which both programs agree; the last of them are rounding of sums.
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
                let error = largest(ours.iter().zip(&theirs).map(|(a, b)| a - b));
                let size = largest(theirs.iter().copied());
                assert!(error <= TOLERANCE * size, "{name}: {error:.1e} of {size:.1e}");
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
      <equality><connect name="pin" body1="upper" anchor="0 0 0"/></equality>
      <tendon><spatial name="rope"><site site="tip"/><site site="anchor"/></spatial></tendon>
      <actuator><muscle name="drive" joint="turn" gear="3"/></actuator>
      <contact><pair geom1="a" geom2="b"/></contact>
      <sensor><gyro site="tip"/></sensor>
      <keyframe><key name="home"/></keyframe>
    </mujoco>"#;
    let import = imported(&EVERY.replace("</mujoco>", more)).expect("a model");
    for (owner, name) in [
        ("connect", "pin"),
        ("spatial", "rope"),
        ("muscle", "drive"),
        ("contact", ""),
        ("sensor", ""),
        ("keyframe", ""),
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
    let armature = import.ignored.iter().find(|r| r.what == "joint armature");
    assert!(armature.is_some_and(|r| r.why.contains("lighter")));
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
    refused(
        "<mujoco>\n<include file=\"¶none.xml\"/></mujoco>",
        "cannot be included",
    );
    refused("<mujoco><default>¶<default/></default></mujoco>", "has no name");
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
