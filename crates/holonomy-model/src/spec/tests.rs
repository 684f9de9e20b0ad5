//! The tables of keys against what the readers ask for, in every scenario and every good model.
#![expect(clippy::disallowed_methods, reason = "a test may read files")]

use super::*;
use crate::Unit;
use crate::knob::{Knob, Reading};
use crate::scenario::SCENARIOS;
use std::collections::BTreeSet;

/// Names and tables of all good models.
fn models() -> Vec<(String, Table)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/models/good");
    let files = std::fs::read_dir(folder).expect("a folder").map(|entry| {
        let path = entry.expect("a file").path();
        (
            path.display().to_string(),
            std::fs::read_to_string(path).expect("text"),
        )
    });
    let scenarios = SCENARIOS
        .iter()
        .map(|scenario| (scenario.name.to_owned(), scenario.model.to_owned()));
    let each = files.chain(scenarios).map(|(name, text)| {
        let mut source = Source::new(&name, &text);
        for given in text.lines().map_while(|line| line.strip_prefix("# --set ")) {
            source.with_override(given);
        }
        let document = crate::parse(&source, &Problems::new()).expect("good TOML");
        (name, document.table().clone())
    });
    each.collect()
}

fn readings(table: &Table) -> Vec<Reading> {
    let problems = Problems::recording();
    assert!(crate::draft(table, &problems).is_some());
    problems.into_readings()
}

#[test]
fn every_key_that_is_asked_for_is_in_the_tables() {
    let mut asked = BTreeSet::new();
    for (name, table) in models() {
        for reading in readings(&table) {
            if let Reading::Key(path) = reading {
                assert!(key_at(&table, &path).is_some(), "{name}: {path}");
                asked.insert(path.to_string());
            }
        }
    }
    assert!(asked.len() > 150, "{}", asked.len());
}

#[test]
fn the_tables_have_the_units_and_bounds_of_the_readers() {
    let mut numbers = 0;
    for (name, table) in models() {
        for reading in readings(&table) {
            let Reading::Number(knob) = reading else { continue };
            let Knob {
                path,
                unit,
                least,
                above,
                whole,
                most,
                ..
            } = knob;
            let Some(key) = key_at(&table, &path) else {
                panic!("{name}: {path}")
            };
            let (of, bound) = match key.kind {
                Kind::Count(from, to) => {
                    let to = (to != usize::MAX).then_some(to as f64);
                    assert_eq!(
                        (whole, least, most),
                        (true, Some(from as f64), to),
                        "{name}: {path}"
                    );
                    continue;
                }
                Kind::Number(unit, bound) | Kind::Numbers(unit, bound) => (unit, bound),
                Kind::Vector(unit)
                | Kind::Vectors(unit)
                | Kind::Matrix(unit)
                | Kind::Motion(unit)
                | Kind::Motions(unit)
                | Kind::Law(unit)
                | Kind::Laws(unit) => (unit, Bound::Finite),
                // They say themselves what is in them.
                Kind::Value | Kind::Named(_) | Kind::Rotation => continue,
                kind => panic!("{name}: {path} is a number, not {kind:?}"),
            };
            assert!(!whole, "{name}: {path}");
            // Motions are lengths or angles, and their tables have times; lengths that are numbers are positive.
            let moves = matches!(
                key.kind,
                Kind::Motion(_) | Kind::Motions(_) | Kind::Law(_) | Kind::Laws(_)
            );
            let listed = moves || matches!(key.kind, Kind::Numbers(..));
            if of != Unit::ANY && !moves {
                assert_eq!(unit, of.symbol(), "{name}: {path}");
            }
            if !listed {
                let expected = (bound != Bound::Finite, bound == Bound::Positive);
                assert_eq!((least.is_some(), above), expected, "{name}: {path}");
            }
            numbers += 1;
        }
    }
    assert!(numbers > 500, "{numbers}");
}

/// All keys of a section and of those within it, each with the path of its section.
fn all(path: &str, keys: &Keys, found: &mut BTreeSet<String>) {
    for (kind, list) in keys.kinds {
        for key in *list {
            let name = format!("{path}({kind}).{}", key.name);
            if let Kind::Section(within) | Kind::Sections(within) = key.kind {
                all(&name, within, found);
            }
            found.insert(name);
        }
    }
}

fn used(path: &str, keys: &Keys, table: &Table, found: &mut BTreeSet<String>) {
    let kind = match keys.kinds {
        [_] => "",
        _ => table.get("kind").and_then(Value::as_text).unwrap_or_default(),
    };
    for key in keys.of(table) {
        let Some(value) = table.get(key.name) else {
            continue;
        };
        let name = format!("{path}({kind}).{}", key.name);
        if let Kind::Section(within) | Kind::Sections(within) = key.kind {
            let tables = value
                .as_list()
                .into_iter()
                .flatten()
                .chain([value])
                .filter_map(Value::as_table);
            tables.for_each(|table| used(&name, within, table, found));
        }
        found.insert(name);
    }
}

#[test]
fn every_key_of_the_tables_is_in_a_good_model() {
    let families = [
        (Space::Spheres, Spheres::SECTION),
        (Space::Lagrangian, Lagrangian::SECTION),
        (Space::Tree, Tree::SECTION),
    ];
    let (mut known, mut found) = (BTreeSet::new(), BTreeSet::new());
    all("", &Common::SECTION, &mut known);
    for (space, keys) in &families {
        all(&format!("{space:?}"), keys, &mut known);
    }
    for (_, table) in models() {
        used("", &Common::SECTION, &table, &mut found);
        let space = Space::of(&table);
        for (_, keys) in families.iter().filter(|(family, _)| *family == space) {
            used(&format!("{space:?}"), keys, &table, &mut found);
        }
    }
    // A file alone has no functions; `tests/it/specs.rs` has models with them.
    let unused = known.difference(&found);
    let unused: Vec<&String> = unused.filter(|key| !key.contains("potential(given)")).collect();
    assert!(unused.is_empty(), "no good model has {unused:#?}");
    assert!(known.len() > 150, "{}", known.len());
}

#[test]
fn options_of_methods_are_those_of_the_catalog() {
    let methods = holonomy::integrator::catalog::METHODS.iter();
    let options: BTreeSet<&str> = methods.flat_map(|method| method.options).copied().collect();
    let keys = MethodChoice::KEYS.iter().map(|key| key.name);
    assert_eq!(
        keys.filter(|name| *name != "name").collect::<BTreeSet<_>>(),
        options
    );
}

#[test]
fn what_has_another_shape_is_refused_by_path() {
    for (text, expected) in [
        (
            "[[body]]\nmass = [1]\ndirection = [0, 0, 1]",
            "body.1.mass: it must be a number or a quantity, got an array",
        ),
        (
            "[[body]]\nmass = 1\ndirection = [0, 1]",
            "body.1.direction: expected 3 components, got 2",
        ),
        (
            "[[body]]\nmas = 1\nmass = 1\ndirection = [0, 0, 1]",
            "body.1.mas: unknown key `mas` (did you mean `mass`?)",
        ),
        (
            "[[potential]]\nkind = 'gravty'",
            "potential.1.kind: `gravty` is not known here (did you mean `gravity`?)",
        ),
        ("chain = 3", "chain: it must be a table, got a number"),
        (
            "[chain]\nlinks = 2.5\nmass = 1",
            "chain.links: it must be a whole number, got a number",
        ),
        (
            "[grid]\ncolumns = 1\nspacing = 1\nmass = 1\ndirection = [0, 0, 1]",
            "grid.rows: it is missing",
        ),
    ] {
        let text = format!("{text}\n[method]\nname = 'rk4'\n[run]\nstep = 1\n");
        let problems = Spec::from_text(&Source::new("test", text.as_str())).expect_err("a problem");
        let shown: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(shown, [expected]);
        assert!(
            problems[0].span.end <= text.len() && !problems[0].span.is_empty(),
            "{:?}",
            problems[0]
        );
    }
}
