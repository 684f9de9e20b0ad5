//! Sections that stand for many, against the same model written out.
use holonomy::system::Mechanism;
use holonomy_model::{self as model, Source};
use std::{fs, path::Path};

fn text(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/models/good");
    fs::read_to_string(folder.join(name)).unwrap()
}

fn load(text: &str, overrides: &[&str]) -> model::Model {
    let mut source = Source::new("bridge", text);
    for text in overrides {
        source.with_override(*text);
    }
    model::load(&source)
        .map_err(|problems| model::render(&source, &problems, false, 50))
        .unwrap()
}

#[test]
fn a_bridge_of_fifty_planks_is_the_one_written_out() {
    let short = load(&text("tree-repeat.toml"), &[]);
    let long = load(&text("tree-repeat-written-out.toml"), &[]);
    assert_eq!(short.fingerprint(), long.fingerprint());
    assert_eq!(short.state, long.state);
    assert_eq!(short.knobs(), long.knobs());
    let Mechanism::Tree(tree) = &short.mechanism else {
        panic!("a tree")
    };
    assert_eq!(tree.len(), 50);
    // As data, and written back.
    let source = Source::new("bridge", text("tree-repeat.toml"));
    let spec = model::spec::Spec::from_text(&source).unwrap();
    assert_eq!(spec.build().unwrap().state, long.state);
    assert_eq!(load(&short.to_toml(), &[]).fingerprint(), long.fingerprint());
}

#[test]
fn what_was_made_can_be_changed_and_how_often() {
    let text = text("tree-repeat.toml");
    let set = |path: &str, value: f64| {
        let model = load(&text, &[]);
        model.with(path, value).unwrap().fingerprint()
    };
    let heavier = load(&text, &["body.plank-7.mass=9.5"]);
    assert_eq!(heavier.fingerprint(), set("body.plank-7.mass", 9.5));
    let longer = load(&text, &["body.plank-{i}.repeat=50", "site.far.at=[19, 0, 0]"]);
    let Mechanism::Tree(tree) = &longer.mechanism else {
        panic!("a tree")
    };
    assert_eq!(tree.len(), 51);
}

#[test]
fn parameters_are_in_every_number() {
    let text = text("tree-repeat.toml");
    let wide = load(&text, &["parameters.l=0.5"]);
    let same = load(&text, &[]).with("parameters.l", 0.5).unwrap();
    assert_eq!(wide.state, same.state);
    let narrow = load(&text, &[]);
    let [wide, narrow] = [&wide, &narrow].map(|model| {
        let Mechanism::Tree(tree) = &model.mechanism else {
            panic!("a tree")
        };
        tree.length()
    });
    assert!(wide > 1.2 * narrow, "{wide} {narrow}");
}
