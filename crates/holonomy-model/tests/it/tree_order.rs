//! Trees whose sections are written in any order, and cables between ends above each other.
use holonomy::system::Mechanism;
use holonomy_model::{self as model, Source};
use std::{fs, path::Path};

fn text(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/models/good");
    fs::read_to_string(folder.join(name)).unwrap()
}

fn load(text: &str) -> model::Model {
    let source = Source::new("tree", text);
    model::load(&source)
        .map_err(|problems| model::render(&source, &problems, false, 50))
        .unwrap()
}

/// Energies at the start and after some steps.
fn energies(model: &model::Model, steps: u64) -> [f64; 2] {
    let mut simulation = model.simulation();
    let before = simulation.system().energy(&simulation.state).total();
    simulation.advance(steps).unwrap();
    [before, simulation.system().energy(&simulation.state).potential]
}

#[test]
fn bodies_and_cables_come_in_any_order() {
    let shuffled = text("tree-any-order.toml");
    let mut parts: Vec<&str> = shuffled.split("\n[[").collect();
    // The mast, the arm, the rope, the lamp, its site, the tail, and what follows them.
    let end = parts[6].split_once("\n[method]").unwrap();
    parts[6] = end.0;
    let order = [6, 5, 3, 1, 4, 2];
    let sections: Vec<String> = order.iter().map(|part| format!("\n[[{}", parts[*part])).collect();
    let sorted = format!("{}{}\n[method]{}", parts[0], sections.join(""), end.1);
    let (shuffled, sorted) = (load(&shuffled), load(&sorted));
    let Mechanism::Tree(tree) = &shuffled.mechanism else {
        panic!("a tree")
    };
    assert_eq!(tree.len(), 12);
    let (a, b) = (energies(&shuffled, 50), energies(&sorted, 50));
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() < 1e-10 * b.abs(), "{a} {b}");
    }
}

#[test]
fn a_cable_between_ends_above_each_other_starts_as_a_loop_that_hangs() {
    let even = text("tree-cable-folded.toml");
    let odd = even.replace("segments = 10", "segments = 7");
    let closed = even.replace("at = [0, 0, 2]", "at = [0, 0, 3]");
    // A rope of 2 m folded without width has its centre at the mean of its parts: 2 m to 3 m once, 1.5 m to 2 m twice;
    // closed, 2 m to 3 m twice. A loop with width hangs no lower, and by a link of 2 m / 7 no more than that higher.
    for (text, folded) in [(&even, 2.125), (&odd, 2.125), (&closed, 2.5)] {
        let model = load(text);
        assert_eq!(model.notes, [], "the loop is closed as it starts");
        let [start, later] = energies(&model, 100);
        let height = start / 9.81;
        assert!((folded..folded + 2.0 / 7.0).contains(&height), "{height}");
        assert!(later < start, "{start} {later}");
    }
}
