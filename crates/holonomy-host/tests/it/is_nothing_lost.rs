use super::{EVERY, imported, joint, link, loaded, robot, tree};
use holonomy_host::import::{self, Options, Remark};
use holonomy_model::Source;

/// The model without comments: what is simulated.
fn said(text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap().trim_end());
    lines.collect::<Vec<_>>().join("\n")
}

fn has(remarks: &[Remark], owner: &str, name: &str, what: &str) -> bool {
    remarks
        .iter()
        .any(|r| (r.owner.as_str(), r.name.as_str(), r.what.as_str()) == (owner, name, what))
}

/// Places of all attribute values of a text, with the tags around them: `(start, end)` between the quotes.
fn values(text: &str) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut open = None;
    let body = text.find("<robot").unwrap();
    for (at, letter) in text
        .char_indices()
        .skip(body)
        .filter(|(_, letter)| *letter == '"')
    {
        assert_eq!(letter, '"');
        match open.take() {
            None => open = Some(at + 1),
            Some(start) => out.push((start, at)),
        }
    }
    out
}

/// Another value of the same kind.
fn other(value: &str) -> String {
    let numbers: Option<Vec<f64>> = value.split(' ').map(|word| word.parse().ok()).collect();
    match numbers {
        Some(numbers) => {
            let changed: Vec<String> = numbers.iter().map(|x| (x * 1.0625 + 0.001).to_string()).collect();
            changed.join(" ")
        }
        None => format!("{value}x"),
    }
}

/// The property that matters: every attribute of the file is in the model, or in the list. It is checked from outside,
/// by changing each of them: the model becomes another one or is refused, or the list names what was changed.
#[test]
fn every_attribute_is_in_the_model_or_in_the_list() {
    for floating in [false, true] {
        let options = Options {
            floating,
            all: true,
            ..Options::default()
        };
        let import = import::urdf(&Source::new("robot.urdf", EVERY), options).unwrap();
        let (mut carried, mut ignored) = (0, 0);
        for (start, end) in values(EVERY) {
            let changed = [&EVERY[..start], &other(&EVERY[start..end]), &EVERY[end..]].concat();
            let listed = import
                .ignored
                .iter()
                .any(|r| r.span.start <= start && end <= r.span.end);
            let again = import::urdf(&Source::new("robot.urdf", changed.as_str()), options);
            let same = again.is_ok_and(|again| {
                // Names of joints are comments.
                let joints = |text: &str| -> Vec<String> {
                    let comments = text.lines().filter(|line| line.starts_with("joint = "));
                    comments
                        .map(|line| line.split('#').nth(1).unwrap_or_default().to_owned())
                        .collect()
                };
                said(&again.model) == said(&import.model) && joints(&again.model) == joints(&import.model)
            });
            // Limits stop nothing, and are carried for a warning.
            let limit = ["lower=\"", "upper=\""]
                .iter()
                .any(|end| EVERY[..start].ends_with(end));
            assert_eq!(
                same && !limit,
                listed && !limit,
                "{floating} {}",
                &EVERY[start.saturating_sub(60)..end]
            );
            if listed { ignored += 1 } else { carried += 1 }
        }
        assert!(carried > 100 && ignored > 15, "{carried} {ignored}");
    }
}

#[test]
fn every_element_is_in_the_model_or_in_the_list() {
    let import = imported(EVERY, false);
    let names = |tag: &str| {
        import
            .ignored
            .iter()
            .any(|r| r.detail.contains(&format!("<{tag}")))
    };
    for tag in [
        "visual",
        "collision",
        "geometry",
        "box",
        "material",
        "color",
        "limit",
        "transmission",
        "gazebo",
        "mu1",
    ] {
        assert!(names(tag), "{tag}");
    }
    for (owner, name, what) in [
        ("link", "base", "inertial"),
        ("link", "shoulder", "visual"),
        ("joint", "turn", "limit"),
        ("joint", "turn", "dynamics friction"),
        ("joint", "turn", "safety_controller"),
        ("joint", "look", "axis"),
        ("material", "grey", "material"),
        ("gazebo", "shoulder", "gazebo"),
        ("transmission", "motor", "transmission"),
        ("robot", "every joint", "version"),
    ] {
        assert!(
            has(&import.ignored, owner, name, what),
            "{owner} {name} {what}\n{:#?}",
            import.ignored
        );
    }
    // What the model says is not in the list.
    for (owner, name, what) in [
        ("joint", "turn", "axis"),
        ("joint", "pull", "mimic"),
        ("link", "puck", "inertial"),
    ] {
        assert!(!has(&import.ignored, owner, name, what), "{owner} {name} {what}");
    }
    // The head of the model has the same lines as the standard error.
    for line in import::lines(&import.ignored, false) {
        assert!(import.model.contains(&format!("#   {line}\n")), "{line}");
    }
    assert!(has(&import.changed, "link", "wheel.1", "renamed"));
    assert!(has(&import.changed, "joint", "spin", "axis"));
    assert!(has(&import.changed, "joint", "glide", "planar"));
    assert!(import.refused.is_empty());
}

#[test]
fn alike_things_are_counted_on_one_line() {
    let links: String = (0..300)
        .map(|k| link(&format!("l{k}")).replace("</link>", "<visual><geometry/></visual></link>"))
        .collect();
    let joints: String = (1..300)
        .map(|k| {
            joint(
                &format!("j{k}"),
                "revolute",
                &format!("l{}", k - 1),
                &format!("l{k}"),
                "",
            )
        })
        .collect();
    let import = imported(&robot(&(links + &joints)), false);
    let lines = import::lines(&import.ignored, false);
    assert_eq!(
        lines[1], "visual of 300 links (shapes are not simulated): `l0`, `l1`, `l2`, …",
        "{lines:?}"
    );
    assert_eq!(import::lines(&import.ignored, true).len(), 301);
    assert_eq!(tree(&loaded(&import.model)).velocities(), 299);
}

#[test]
fn joints_become_joints_and_mimics_become_couplings() {
    let import = imported(EVERY, false);
    let model = loaded(&import.model);
    let system = model.mechanism.system();
    let coordinates: Vec<&str> = system.layout().coordinates.iter().map(String::as_str).collect();
    for name in [
        "theta.turn",
        "theta.spin",
        "slide.push",
        "slide.pull",
        "slide.glide-x",
        "theta.glide",
        "quaternion.fly.w",
    ] {
        assert!(coordinates.contains(&name), "{name} {coordinates:?}");
    }
    // q = −1.5 q' + 0.01, and the start is moved to where that holds.
    let at = |name: &str| model.state.q[coordinates.iter().position(|c| *c == name).unwrap()];
    assert!((at("slide.pull") + 1.5 * at("slide.push") - 0.01).abs() < 1e-15);
    assert!(import.model.contains("damping = 0.2\n"));
    // 17 digits in, 17 digits out.
    assert!(import.model.contains("euler = [0, 0, 1.5707963267948966]"));
}

#[test]
fn a_joint_that_moves_nothing_is_held_and_named() {
    let links = link("a") + &link("b") + "<link name=\"c\"/><link name=\"d\"/>";
    let axis = "<axis xyz=\"0 0 1\"/>";
    let joints = joint("j", "revolute", "a", "b", axis)
        + &joint("k", "revolute", "b", "c", axis)
        + &joint("l", "continuous", "c", "d", axis);
    let import = imported(&robot(&(links + &joints)), false);
    assert_eq!(tree(&loaded(&import.model)).velocities(), 1);
    for name in ["k", "l"] {
        assert!(
            has(&import.ignored, "joint", name, "axis"),
            "{:?}",
            import.ignored
        );
    }
    assert!(has(&import.changed, "joint", "k", "revolute held at zero"));
    assert!(has(&import.changed, "joint", "l", "continuous held at zero"));
}

/// Fingers that follow a motor without mass: the first of them leads, and the others follow it as before.
#[test]
fn followers_of_a_joint_that_moves_nothing_follow_each_other() {
    let links = link("a") + "<link name=\"motor\"/>" + &link("b") + &link("c");
    let axis = "<axis xyz=\"0 1 0\"/>";
    let joints = joint("m", "revolute", "a", "motor", axis)
        + &joint(
            "f",
            "revolute",
            "a",
            "b",
            &format!("{axis}<mimic joint=\"m\" multiplier=\"2\" offset=\"0.5\"/>"),
        )
        + &joint(
            "g",
            "revolute",
            "a",
            "c",
            &format!("{axis}<mimic joint=\"m\" multiplier=\"-1\" offset=\"0.25\"/>"),
        );
    let import = imported(&robot(&(links + &joints)), false);
    // q_f = 2x + 0.5 and q_g = −x + 0.25, so that q_g + q_f/2 = 0.5.
    let terms = "terms = [{ body = \"c\", factor = 1 }, { body = \"b\", factor = 0.5 }]\nconstant = 0.5\n";
    assert!(import.model.contains(terms), "{}", import.model);
    assert!(has(&import.changed, "joint", "f", "leads instead of following"));
    assert!(has(&import.ignored, "joint", "f", "mimic"));
}

#[test]
fn inertia_that_no_body_has_is_taken_as_given_and_named() {
    let bad = link("b").replace("izz=\"0.1\"", "izz=\"0.5\"");
    let import = imported(
        &robot(&(link("a") + &bad + &joint("j", "revolute", "a", "b", ""))),
        false,
    );
    assert!(has(&import.changed, "link", "b", "inertia"));
    assert!(
        import
            .model
            .contains("inertia = [0.1, 0.1, 0.5]\nas_given = true")
    );
    let model = loaded(&import.model);
    assert_eq!(model.notes.len(), 1);
    // Ixx + m (y² + z²), about x through the joint.
    let mass = tree(&model).mass_matrix(&[0.3])[0];
    assert!((mass - (0.1 + 0.04 + 0.09)).abs() < 1e-15, "{mass}");
}

/// A moment of inertia without mass adds to that of the link it is fixed to.
#[test]
fn inertia_without_mass_goes_to_the_link_it_is_fixed_to() {
    let foot = link("c").replace("mass value=\"1\"", "mass value=\"0\"");
    let joints =
        joint("j", "revolute", "a", "b", "<axis xyz=\"0 0 1\"/>") + &joint("k", "fixed", "b", "c", "");
    let import = imported(&robot(&(link("a") + &link("b") + &foot + &joints)), false);
    let mass = tree(&loaded(&import.model)).mass_matrix(&[0.0])[0];
    assert!((mass - (0.1 + 0.01 + 0.04 + 0.1)).abs() < 1e-15, "{mass}");
    assert!(has(&import.changed, "link", "c", "inertia without mass"));
}

#[test]
fn names_are_made_usable_and_stay_different() {
    let names = ["a b", "a_b", "world", "12", "\u{e9}t\u{e9}", "a&quot;b"];
    let links: String = names.iter().map(|name| link(name)).collect();
    let joints: String = names[1..]
        .iter()
        .map(|name| joint(&format!("j {name}"), "revolute", names[0], name, ""))
        .collect();
    let text = robot(&(links + &joints)).replace("name=\"r\"", "name='a \"robot\" \\ of # mine'");
    for floating in [false, true] {
        let import = imported(&text, floating);
        let model = loaded(&import.model);
        assert_eq!(model.title, "a \"robot\" \\ of # mine");
        let system = model.mechanism.system();
        let bodies = &system.layout().words.bodies;
        assert_eq!(bodies.len(), if floating { 6 } else { 5 }, "{bodies:?}");
        for name in ["link_world", "link_12", "\u{e9}t\u{e9}"] {
            assert!(bodies.iter().any(|body| body == name), "{name}: {bodies:?}");
        }
    }
}
