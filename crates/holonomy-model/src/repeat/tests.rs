use crate::resolved::write;
use crate::{Problems, Source, parse};

/// The model with its sections made, and what is wrong with it, with the text that this points at.
fn made(text: &str, overrides: &[&str]) -> (String, Vec<(String, String)>) {
    let mut source = Source::new("test", text);
    for text in overrides {
        source.with_override(*text);
    }
    let problems = Problems::new();
    let document = parse(&source, &problems).expect("good TOML");
    let model = write(document.table(), "");
    let told = document.located(problems).into_iter().map(|problem| {
        let location = source.locate(problem.span);
        (location.text[location.local].to_owned(), problem.message)
    });
    (model, told.collect())
}

#[test]
fn a_section_stands_for_many() {
    let text = "[[body]]\nname = 'a'\n[[body]]\nrepeat = 2\nfirst = 3\nname = 'n{i}'\nparent = 'n{i-1}'\n\
                at = ['{i/2}', 'l*{2*i}', 7]\nsites = { 's{i}' = '{i}' }\n[[body]]\nname = 'z{i}'\n";
    let expected = "[[body]]\nname = \"a\"\n\n[[body]]\nname = \"n3\"\nparent = \"n2\"\nat = [1.5, \"l*6\", 7]\n\
                    sites = { s3 = 3 }\n\n[[body]]\nname = \"n4\"\nparent = \"n3\"\nat = [2, \"l*8\", 7]\n\
                    sites = { s4 = 4 }\n\n[[body]]\nname = \"z{i}\"\n";
    assert_eq!(made(text, &[]), (expected.to_owned(), Vec::new()));
}

#[test]
fn overrides_see_what_was_made_and_how_often() {
    let text = "[[body]]\nrepeat = 2\nindex = 'k'\nname = 'n{k}'\n";
    let (model, problems) = made(text, &["body.n{k}.repeat=3", "body.n3.mass=5", "body.2.mass=4"]);
    assert_eq!(problems, []);
    let expected =
        "[[body]]\nname = \"n1\"\n\n[[body]]\nname = \"n2\"\nmass = 4\n\n[[body]]\nname = \"n3\"\nmass = 5\n";
    assert_eq!(model, expected);
    let (_, problems) = made(text, &["body.n4.mass=5"]);
    assert_eq!(problems[0].1, "`body` has no element called `n4`");
    // A whole list from the command line.
    let (model, problems) = made("", &["body=[{ repeat = 2, name = 'b{i}' }]"]);
    assert_eq!(
        (model.as_str(), problems.len()),
        ("[[body]]\nname = \"b1\"\n\n[[body]]\nname = \"b2\"\n", 0)
    );
}

#[test]
fn mistakes_point_at_what_is_written() {
    for (keys, at, message) in [
        ("repeat = 0", "0", "`repeat` must be between 1 and 100000, got 0"),
        (
            "repeat = -3",
            "-3",
            "`repeat` must be between 1 and 100000, got -3",
        ),
        (
            "repeat = 100001",
            "100001",
            "`repeat` must be between 1 and 100000, got 100001",
        ),
        ("repeat = 2.5", "2.5", "`repeat` must be a whole number, got 2.5"),
        (
            "repeat = 'n'",
            "'n'",
            "`repeat` must be a whole number, got a string",
        ),
        ("repeat = 2\na = 'x{j}'", "j", "`j` has no meaning here"),
        (
            "repeat = 2\na = 'x{i'",
            "{",
            "in a repeated section, braces stand around formulas of the index",
        ),
        (
            "repeat = 2\na = 'x}'",
            "}",
            "in a repeated section, braces stand around formulas of the index",
        ),
        (
            "repeat = 2\na = '{1/(i-2)}'",
            "'{1/(i-2)}'",
            "a formula in braces has no value for 2",
        ),
        ("repeat = 2\nindex = 'sin'", "'sin'", "`sin` is a function"),
        (
            "repeat = 2\na = { b1 = 1, 'b{i}' = 2 }",
            "'b{i}'",
            "the key `b1` is there twice",
        ),
    ] {
        let (_, problems) = made(&format!("[[body]]\n{keys}\n"), &[]);
        let [(shown, said)] = &problems[..] else {
            panic!("{keys}: {problems:?}")
        };
        assert_eq!(shown, at, "{keys}: {said}");
        assert!(said.starts_with(message), "{keys}: {said}");
    }
}

#[test]
fn not_too_much_is_made() {
    let text = "[[a]]\nrepeat = 60000\n[[b]]\nrepeat = 60000\n";
    assert_eq!(
        made(text, &[]).1,
        [(
            "60000".to_owned(),
            "repeated sections make more than the 100000 allowed".to_owned()
        )]
    );
    let long = "x".repeat(1000);
    let text = format!("[[a]]\nrepeat = 100000\nt = '{long}'\n");
    assert_eq!(
        made(&text, &[]).1[0].1,
        "repeated sections make more than the 64 MB allowed"
    );
}
