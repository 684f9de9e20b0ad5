use super::*;
use crate::parse::parse;
use crate::source::Source;
use crate::units::Unit;

/// Reads a text by the given function and renders what was reported, one problem per line.
fn problems(text: &str, read: impl FnOnce(&Section<'_>)) -> Vec<String> {
    let source = Source::new("test", text);
    let problems = Problems::new();
    let document = parse(&source, &problems).expect("good TOML");
    let root = Section::root(document.table(), &problems);
    read(&root);
    root.finish();
    let render = |problem: crate::problem::Problem| {
        let help = problem.help.map(|help| format!(" ({help})")).unwrap_or_default();
        format!("{} <{}>{help}", problem.message, &text[problem.span])
    };
    document.located(problems).into_iter().map(render).collect()
}

fn path(place: &Place) -> String {
    place.path().map(ToString::to_string).unwrap_or_default()
}

#[test]
fn a_good_body_is_read() {
    let text = "[[body]]\nname = \"upper\"\nmass = 2\nlength = \"50 cm\"\ndirection = [0, \"1\", 0.0]\nparent = 1\non = true\n\
                links = 1e3\ninertia = [[1, 0], [0, 2]]\nkind = \"rod\"\nlabels = ['a', 'b']\nends = ['top', 2]\n\
                points = [[0, 0, 1], [0, 1, 0]]\nspin = '-90 deg/s'\nsite = { at = [] }\n";
    let told = problems(text, |root| {
        let bodies = root.required("body").tables();
        let body = &bodies[0];
        assert_eq!(body.label(), "body `upper`");
        assert_eq!(body.required("name").name().map(|name| name.value), Some("upper"));
        let mass = body.required("mass").positive(Unit::KILOGRAM).expect("a mass");
        assert_eq!((mass.value, path(&mass.place)), (2.0, "body.1.mass".to_owned()));
        assert_eq!(
            body.required("length")
                .positive(Unit::METRE)
                .map(|length| length.value),
            Some(0.5)
        );
        let direction = body
            .required("direction")
            .vector_in(Unit::NONE)
            .expect("a vector");
        assert_eq!(
            (direction.value, path(&direction.place)),
            ([0.0, 1.0, 0.0], "body.1.direction".to_owned())
        );
        assert_eq!(
            body.optional("parent").reference().map(|parent| parent.value),
            Some(Reference::Index(1))
        );
        assert_eq!(body.optional("on").boolean().map(|on| on.value), Some(true));
        assert_eq!(
            body.optional("links").count_in(1..=1000).map(|links| links.value),
            Some(1000)
        );
        let inertia = body.optional("inertia").matrix_in(Unit::KILOGRAM_METRE_SQUARED);
        let entries = inertia.expect("a matrix").value.into_iter().flatten();
        assert_eq!(
            entries.map(|entry| entry.value).collect::<Vec<_>>(),
            [1.0, 0.0, 0.0, 2.0]
        );
        assert_eq!(
            body.optional("kind")
                .choice_in(&["rod", "bob"])
                .map(|kind| kind.value),
            Some("rod")
        );
        assert_eq!(
            body.optional("labels").strings().map(|labels| labels.value.len()),
            Some(2)
        );
        let ends = body.optional("ends").references().expect("references").value;
        assert_eq!(
            (&ends[0].value, &ends[1].value),
            (&Reference::Name("top"), &Reference::Index(2))
        );
        assert_eq!(
            body.optional("points")
                .vectors_in(Unit::METRE)
                .map(|points| points.value.len()),
            Some(2)
        );
        let spin = body
            .optional("spin")
            .number_in(Unit::RADIAN_PER_SECOND)
            .map(|spin| spin.value);
        assert_eq!(spin, Some(-std::f64::consts::FRAC_PI_2));
        let site = body.optional("site").table().expect("a table");
        assert_eq!(site.label(), "`site` of body `upper`");
        assert_eq!(
            site.required("at").numbers_in(Unit::METRE).map(|at| at.value),
            Some(vec![])
        );
        assert!(body.optional("absent").number_in(Unit::NONE).is_none());
        assert!(!body.has("absent") && body.has("mass"));
        bodies.into_iter().for_each(Section::finish);
    });
    assert_eq!(told, [""; 0]);
}

#[test]
fn all_errors_of_a_section_are_reported_at_once() {
    let text = "[[body]]\nmases = 1\nlength = -1\ndirection = [0, 1]\nspin = [0, nan, '3 kg']\nparent = 0\n[[body]]\nmass = 'x'\n";
    let told = problems(text, |root| {
        for body in root.required("body").tables() {
            body.required("mass").positive(Unit::KILOGRAM);
            body.optional("length").positive(Unit::METRE);
            body.optional("direction").vector_in(Unit::NONE);
            body.optional("spin").vector_in(Unit::RADIAN_PER_SECOND);
            body.optional("parent").reference();
            body.finish();
        }
    });
    assert_eq!(
        told,
        [
            "unknown key `mases` in body 1 <mases> (did you mean `mass`?)",
            "`length` must be positive, got -1 <-1>",
            "`direction`: expected 3 components, got 2 <[0, 1]> (write `direction = [x, y, z]`)",
            "component 2 of `spin` must be finite, got nan <nan> \
             (write a number that is not too large, and not `nan` or `inf`)",
            "component 3 of `spin`: expected an angular velocity in rad/s, got a mass in `kg` <'3 kg'> \
             (for example `20 deg/s`)",
            "`parent` cannot be 0 <0> (give a name, or a number counted from 1)",
            "`mass`: there is no number in `x` <'x'> (write a number, such as `2.5 kg`)",
        ]
    );
}

/// A text, how it is read (whether that gives nothing), and what is reported.
type Mistake = (&'static str, fn(&Section<'_>) -> bool, &'static str);

fn check(mistakes: &[Mistake]) {
    for (text, read, expected) in mistakes {
        assert_eq!(
            problems(text, |section| assert!(read(section), "{text}")),
            [*expected],
            "{text}"
        );
    }
}

#[test]
fn wrong_numbers_are_named() {
    check(&[
        (
            "a = '-1 g'",
            |s| s.required("a").positive(Unit::KILOGRAM).is_none(),
            "`a` must be positive, got \"-1 g\" <'-1 g'>",
        ),
        (
            "a = -1",
            |s| s.required("a").non_negative(Unit::NONE).is_none(),
            "`a` must be zero or positive, got -1 <-1>",
        ),
        (
            "a = 1e999",
            |s| s.required("a").number_in(Unit::NONE).is_none(),
            "`a` must be finite, got 1e999 <1e999> (write a number that is not too large, and not `nan` or `inf`)",
        ),
        (
            "a = true",
            |s| s.required("a").number_in(Unit::NONE).is_none(),
            "`a` must be a number, got a boolean <true>",
        ),
        (
            "a = 0",
            |s| s.required("a").count_in(1..=9).is_none(),
            "`a` must be between 1 and 9, got 0 <0>",
        ),
        (
            "a = -3",
            |s| s.required("a").count_in(1..=usize::MAX).is_none(),
            "`a` must be at least 1, got -3 <-3>",
        ),
        (
            "a = 1e300",
            |s| s.required("a").count_in(1..=9).is_none(),
            "`a` must be between 1 and 9, got 1e300 <1e300>",
        ),
        (
            "a = 2.5",
            |s| s.required("a").count_in(1..=9).is_none(),
            "`a` must be a whole number, got 2.5 <2.5>",
        ),
        (
            "a = '2'",
            |s| s.required("a").count_in(1..=9).is_none(),
            "`a` must be a whole number, got a string <'2'>",
        ),
        (
            "a = 1",
            |s| s.required("a").vector_in(Unit::NONE).is_none(),
            "`a` must be 3 numbers, got one <1> (write `a = [x, y, z]`)",
        ),
        (
            "a = [[1, 2], [3]]",
            |s| s.required("a").matrix_in(Unit::NONE).is_none(),
            "`a` must be square: row 2 has length 1, but there are 2 rows <[3]> (give every row 2 numbers)",
        ),
        (
            "a = []",
            |s| s.required("a").matrix_in(Unit::NONE).is_none(),
            "`a` is empty <[]> (write `a = [[1, 0], [0, 1]]`)",
        ),
    ]);
}

#[test]
fn wrong_words_are_named() {
    check(&[
        (
            "",
            |s| s.required("title").string().is_none(),
            "missing `title` <> (add `title = \"…\"`)",
        ),
        (
            "a = 1",
            |s| s.required("a").string().is_none(),
            "`a` must be a string, got a number <1> (write it between quotes)",
        ),
        (
            "a = ['b', 1]",
            |s| s.required("a").strings().is_none(),
            "`a` must be an array of strings, got a number <1> (write it between quotes)",
        ),
        (
            "a = 'true'",
            |s| s.required("a").boolean().is_none(),
            "`a` must be `true` or `false`, got a string <'true'> (write `true` or `false` without quotes)",
        ),
        (
            "kind = 'gravty'",
            |s| s.required("kind").choice_in(&["gravity", "spring"]).is_none(),
            "`gravty` is not a known `kind` <'gravty'> (did you mean `gravity`?)",
        ),
        (
            "kind = 'x'",
            |s| s.required("kind").choice_in(&["gravity", "spring"]).is_none(),
            "`x` is not a known `kind` <'x'> (known here: `gravity`, `spring`)",
        ),
    ]);
    for name in ["a.b", "a/b", "", "7", "a b", "a\\tb"] {
        let told = problems(&format!("name = \"{name}\""), |s| {
            assert_eq!(s.required("name").name(), None)
        });
        assert_eq!(told.len(), 1, "{name}");
    }
}

#[test]
fn wrong_tables_are_named() {
    check(&[
        (
            "",
            |s| s.required("run").table().is_none(),
            "missing `[run]` <> (add a section `[run]`)",
        ),
        (
            "",
            |s| s.required("body").tables().is_empty(),
            "missing `[[body]]` <> (add `[[body]]`)",
        ),
        (
            "[[run]]",
            |s| s.required("run").table().is_none(),
            "there can be only one `run` <[[run]]> (write `[run]`)",
        ),
        (
            "run = 1",
            |s| s.required("run").table().is_none(),
            "`run` must be a table, got a number <1> (write a section `[run]`)",
        ),
        (
            "[body]",
            |s| s.required("body").tables().is_empty(),
            "`body` must be a list, got a single one <[body]> (write `[[body]]`, with double brackets)",
        ),
        (
            "body = [1]",
            |s| s.required("body").tables().is_empty(),
            "`body` must be a list of tables, got a number <1> (write `[[body]]`)",
        ),
    ]);
}

#[test]
fn references_are_resolved() {
    let names = ["upper", "lower", ""];
    let told = problems("a = 'lower'\nb = 3\nc = 4\nd = 'uper'\ne = ''\n", |root| {
        let resolve = |key| {
            root.required(key)
                .reference()
                .and_then(|it| it.resolve("body", &names, root.problems()))
        };
        assert_eq!((resolve("a"), resolve("b")), (Some(1), Some(2)));
        assert_eq!((resolve("c"), resolve("d"), resolve("e")), (None, None, None));
    });
    assert_eq!(
        told,
        [
            "there is no body 4 <4> (there are 3, counted from 1)",
            "there is no body named `uper` <'uper'> (did you mean `upper`?)",
            "there is no body named `` <''> (known here: `upper`, `lower`)",
        ]
    );
}

#[test]
fn a_misspelt_key_is_not_missing_as_well() {
    let told = problems(
        "[[body]]\nmasss = 1\n[methods]\n[run]\nsteps = 1\nstepp = 2\ncolour = 3\n",
        |root| {
            for body in root.required("body").tables() {
                body.required("mass").positive(Unit::KILOGRAM);
                body.finish();
            }
            root.required("method").table();
            if let Some(run) = root.required("run").table() {
                run.optional("steps").count_in(1..=9);
                run.lacks(&["step", "speed"], run.place(), "no step");
                run.has("step");
                run.finish();
            }
        },
    );
    assert_eq!(
        told,
        [
            "unknown key `masss` in body 1 <masss> (did you mean `mass`?)",
            "unknown section `[methods]` <methods> (did you mean `[method]`?)",
            "unknown key `stepp` in `run` <stepp> (did you mean `step` or `steps`?)",
            "unknown key `colour` in `run` <colour> (known here: `steps`, `step`)",
        ]
    );
}

#[test]
fn without_knowing_the_keys_only_slips_of_missed_ones_are_refused() {
    let told = problems("[[force]]\nknd = 'x'\ncolour = 3\n", |root| {
        for force in root.required("force").tables() {
            force.required("kind").choice_in(&["x", "y"]);
            force.finish_unread();
        }
    });
    assert_eq!(
        told,
        ["unknown key `knd` in force 1 <knd> (did you mean `kind`?)"]
    );
}

#[test]
fn numbered_names_are_told_from_first_to_last() {
    let told = problems("a = 'link-9'\n", |root| {
        let names = ["link-1", "link-2", "link-3"];
        let link = root.required("a").reference().expect("a name");
        assert_eq!(link.resolve("body", &names, root.problems()), None);
    });
    assert_eq!(
        told,
        ["there is no body named `link-9` <'link-9'> (they are numbered from `link-1` to `link-3`)"]
    );
}
