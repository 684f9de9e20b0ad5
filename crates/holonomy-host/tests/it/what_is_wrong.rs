use super::{EVERY, joint, link, robot};
use holonomy_host::import::{self, Options};
use holonomy_model::Source;

/// The text must be refused, with one error that begins at the marked place and has these words; `¶` marks the place.
fn refused(marked: &str, words: &str, help: &str) {
    let at = marked.find('¶').expect("a mark");
    let text = marked.replace('¶', "");
    let source = Source::new("robot.urdf", text.as_str());
    let problems = match import::urdf(&source, Options::default()) {
        Err(problems) => problems,
        Ok(import) => import.refused,
    };
    assert!(!problems.is_empty(), "{marked} is taken");
    let problem = &problems[0];
    assert!(problem.message.contains(words), "{}\n{marked}", problem.message);
    let advice = problem.help.as_deref().unwrap_or_default();
    assert!(advice.contains(help), "{advice}\n{marked}");
    let (found, expected) = (source.locate(problem.span.clone()), source.locate(at..at));
    assert_eq!(
        (found.line, found.column),
        (expected.line, expected.column),
        "{}\n{marked}",
        problem.message
    );
}

/// Two links and a joint, with a piece of the text replaced.
fn arm(old: &str, new: &str) -> String {
    let text = robot(&(link("a") + &link("b") + &joint("j", "revolute", "a", "b", "<axis xyz=\"0 0 1\"/>")));
    assert!(text.contains(old), "{old}");
    text.replacen(old, new, 1)
}

#[test]
fn what_is_no_urdf_is_said() {
    refused(
        "<robot><link name=\"a\">\n¶</robot>",
        "not XML",
        "every element is closed",
    );
    refused(
        "<robot name=\"a\">\n  <link name=¶a/></robot>",
        "not XML",
        "quotes",
    );
    refused(
        "¶<sdf version=\"1.6\"/>",
        "the outermost element is `sdf`",
        "convert it to URDF",
    );
    refused("¶<robot name=\"r\"/>", "no links", "is it the right file?");
    refused(
        "<robot xmlns:xacro=\"http://www.ros.org/wiki/xacro\">\n¶<xacro:include filename=\"a\"/></robot>",
        "xacro:include",
        "expand it first",
    );
    refused(
        "<robot>\n  <¶xacro:include filename=\"a\"/></robot>",
        "xacro",
        "expand it first",
    );
    refused(
        &arm("xyz=\"0.1 0.2 0.3\"", "xyz=\"¶${length} 0 0\""),
        "`xyz` of link `a` is an expression",
        "expand it first",
    );
    refused("¶", "not XML", "");
}

#[test]
fn what_does_not_hang_together_is_said() {
    let two = robot(&(link("a") + &link("b")).replace("name=\"b\"", "name=\"¶b\""));
    refused(&two, "there are several roots", "`fixed` joint");
    let double = robot(&(link("a") + &link("a").replace("name=\"a\"", "name=\"¶a\"")));
    refused(&double, "two links named `a`", "another name");
    let joints = joint("j", "revolute", "a", "b", "") + &joint("¶j", "revolute", "b", "c", "");
    refused(
        &robot(&(link("a") + &link("b") + &link("c") + &joints)),
        "two joints named `j`",
        "another name",
    );
    refused(
        &arm("<parent link=\"a\"/>", "<parent link=\"¶A\"/>"),
        "the parent of joint `j` is `A`, and there is no such link",
        "did you mean `a`?",
    );
    refused(
        &arm("<child link=\"b\"/>", "<child link=\"¶elbow\"/>"),
        "no such link",
        "known here",
    );
    refused(
        &arm("<child link=\"b\"/>", "").replace("<joint", "¶<joint"),
        "joint `j` has no `child`",
        "add `<child",
    );
    refused(
        &arm("name=\"j\" ", "").replace("<joint", "¶<joint"),
        "a joint has no `name`",
        "name=",
    );
    let closed = joint("j", "revolute", "a", "b", "") + &joint("¶k", "revolute", "a", "b", "");
    refused(
        &robot(&(link("a") + &link("b") + &closed)),
        "both joints `j` and `k` lead to the link `b`",
        "close the loop in the model by a `[[constraint]]`",
    );
    let circle = joint("¶j", "revolute", "b", "c", "") + &joint("k", "revolute", "c", "b", "");
    refused(
        &robot(&(link("a") + &link("b") + &link("c") + &circle)),
        "round in a circle",
        "[[constraint]]",
    );
    let own = joint("¶j", "revolute", "a", "a", "");
    refused(&robot(&(link("a") + &own)), "round in a circle", "[[constraint]]");
    refused(
        &robot("<link name=\"¶a\"/>"),
        "nothing in this robot can move",
        "--floating",
    );
}

#[test]
fn numbers_that_are_wrong_are_said_with_their_place() {
    refused(
        &arm("xyz=\"0 0 1\"", "xyz=\"¶0 0 one\""),
        "`one` in `xyz` of joint `j` is not a number",
        "blanks",
    );
    refused(
        &arm("xyz=\"0 0 1\"", "xyz=\"¶0 1\""),
        "`xyz` of joint `j` has 2 numbers instead of 3",
        "blanks",
    );
    refused(&arm("xyz=\"0 0 1\"", "xyz=\"¶0, 0, 1\""), "`0,`", "blanks");
    refused(
        &arm("xyz=\"0 0 1\"", "xyz=\"¶0 0 0\""),
        "is zero and has no direction",
        "or make the joint `fixed`",
    );
    refused(
        &arm("mass value=\"1\"", "mass value=\"¶-1\""),
        "the mass of link `a` is negative: -1 kg",
        "zero or more",
    );
    refused(
        &arm("mass value=\"1\"", "mass value=\"¶nan\""),
        "`nan`",
        "decimal point",
    );
    refused(
        &arm("mass value=\"1\"", "mass value=\"¶1 2\""),
        "has 2 numbers instead of 1",
        "blanks",
    );
    refused(&arm("ixx=\"0.1\"", "ixx=\"¶1e999\""), "`1e999`", "decimal point");
    refused(
        &arm("<inertia ixx=\"0.1\"", "¶<inertia"),
        "link `a` has no `ixx`",
        "ixx=",
    );
    refused(
        &arm("<mass value=\"1\"/>", "").replacen("<inertial", "¶<inertial", 1),
        "has no `mass`",
        "add `<mass",
    );
    refused(
        &arm("type=\"revolute\"", "type=\"¶revolut\""),
        "of the type `revolut`",
        "did you mean `revolute`?",
    );
    let damped = "<dynamics damping=\"-1\"/>";
    refused(
        &arm("<axis", &format!("¶{damped}<axis")),
        "damping of joint `j` is negative",
        "zero or more",
    );
    let limited = |limit: &str| arm("<axis", &format!("{limit}<axis"));
    refused(
        &limited("¶<limit lower=\"2\" upper=\"-2\"/>"),
        "limits of joint `j` are in the wrong order: from 2 to -2",
        "smaller one",
    );
    refused(
        &limited("<limit lower=\"¶nan\" upper=\"2\"/>"),
        "`nan` in `lower` of joint `j` is not a number",
        "decimal point",
    );
}

#[test]
fn mimics_that_lead_nowhere_are_said() {
    let mimic = |of: &str| format!("<mimic joint=\"{of}\"/>");
    let text = |first: &str, second: &str| {
        robot(
            &(link("a")
                + &link("b")
                + &link("c")
                + &joint("j", "revolute", "a", "b", first)
                + &joint("k", "revolute", "a", "c", second)),
        )
    };
    refused(
        &text("", &mimic("¶jj")),
        "follows `jj`, and there is no such joint",
        "known here: `j`, `k`",
    );
    refused(&text("", &mimic("¶k")), "follows itself", "name another");
    let both = text(&mimic("k"), &mimic("j")).replace("name=\"j\"", "name=\"¶j\"");
    refused(&both, "follows itself, by way of others", "remove one `mimic`");
    let free = text("", &mimic("¶j")).replace("name=\"j\" type=\"revolute\"", "name=\"j\" type=\"floating\"");
    refused(&free, "whose position is not one number", "only revolute");
}

/// A head without moments of inertia behind two joints whose axes are one at zero: the model is there, and refused.
#[test]
fn a_robot_that_cannot_start_at_zero_is_written_and_refused_at_its_link() {
    let point = "<link name=\"c\"><inertial><origin xyz=\"0.1 0 0\"/><mass value=\"1\"/>\
                 <inertia ixx=\"0\" ixy=\"0\" ixz=\"0\" iyy=\"0\" iyz=\"0\" izz=\"0\"/></inertial></link>\n";
    let neck = |name: &str, parent: &str, child: &str, axis: &str| {
        joint(
            name,
            "revolute",
            parent,
            child,
            &format!("<axis xyz=\"{axis}\"/>"),
        )
    };
    let joints = neck("j", "a", "b", "1 0 0") + &neck("k", "b", "c", "0 0 1");
    refused(
        &robot(&(link("a") + "<link name=\"¶b\"/>\n" + point + &joints)),
        "where it starts, the joint of body `b` moves nothing that has inertia",
        "elsewhere",
    );
}

/// Pieces taken out, doubled and put elsewhere: a model that loads or is refused by name, or problems with places.
#[test]
fn mutilated_files_give_a_model_or_problems_with_places() {
    let mut seed = 1_u64;
    let mut below = |n: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    let (mut taken, mut wrong) = (0, 0);
    for _ in 0..3000 {
        let mut text = EVERY.as_bytes().to_vec();
        for _ in 0..=below(3) {
            let (from, length) = (below(text.len()), 1 + below(40));
            let piece: Vec<u8> = text[from..(from + length).min(text.len())].to_vec();
            let to = below(text.len());
            match below(3) {
                0 => drop(text.drain(from..from + piece.len())),
                1 => drop(text.splice(to..to, piece)),
                _ => text[from] = b"<>\"'/=0-9. &\xc3"[below(13)],
            }
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        let source = Source::new("robot.urdf", text.as_str());
        let floating = below(2) == 0;
        let problems = match import::urdf(
            &source,
            Options {
                floating,
                ..Options::default()
            },
        ) {
            Ok(import) => {
                taken += 1;
                import.refused
            }
            Err(problems) => {
                wrong += 1;
                assert!(!problems.is_empty(), "{text}");
                problems
            }
        };
        for problem in problems {
            let span = problem.span;
            assert!(
                span.start <= span.end && span.end <= text.len(),
                "{}",
                problem.message
            );
            assert!(problem.help.is_some(), "{}", problem.message);
        }
    }
    assert!(taken > 100 && wrong > 500, "{taken} {wrong}");
}
