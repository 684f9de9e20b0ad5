//! A cable of 200 segments, dropped from the shape of a V, as a tree and on spheres.
use holonomy::{Vec3, simulation::Simulation};
use holonomy_model::{Model, Source, load};
use std::fmt::Write;

const SEGMENTS: usize = 200;
/// How steep the V is, rad: 60°.
const STEEP: f64 = std::f64::consts::FRAC_PI_3;

fn model(text: &str) -> Model {
    load(&Source::new("dropped", text)).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn tree(step: f64) -> Model {
    let (length, mass) = (2.0 / SEGMENTS as f64, 1.0 / SEGMENTS as f64);
    let mut text = format!(
        "space = \"tree\"\ngravity = [0, 0, -9.81]\nmethod = {{ name = \"tree-variational\" }}\nrun = {{ step = {step}, duration = 1 }}\n"
    );
    for k in 1..=SEGMENTS {
        let turn = match k {
            1 => STEEP,
            k if k == SEGMENTS / 2 + 1 => -2.0 * STEEP,
            _ => 0.0,
        };
        let (parent, at) = match k {
            1 => (String::new(), 0.0),
            k => (format!("parent = \"s{}\"\n", k - 1), length),
        };
        let _ = write!(
            text,
            "[[body]]\nname = \"s{k}\"\n{parent}joint = {{ kind = \"universal\", axes = [[0, 1, 0], [0, 0, 1]], at = [{at:?}, 0, 0] }}\nmass = {mass:?}\ncentre = [{length:?}, 0, 0]\nposition = [{turn:?}, 0]\nsites = {{ e = [{length:?}, 0, 0] }}\n"
        );
    }
    let _ = write!(
        text,
        "[[site]]\nname = \"w\"\nat = [{:?}, 0, 0]\n[[constraint]]\nname = \"end\"\nkind = \"coincide\"\nbetween = [\"s{SEGMENTS}/e\", \"w\"]\n",
        2.0 * STEEP.cos()
    );
    model(&text)
}

fn spheres(step: f64) -> Model {
    let (length, mass) = (2.0 / SEGMENTS as f64, 1.0 / SEGMENTS as f64);
    let (sin, cos) = STEEP.sin_cos();
    let mut text = format!(
        "method = {{ name = \"sphere-implicit\" }}\nrun = {{ step = {step}, duration = 1 }}\npotential = [{{ kind = \"gravity\", acceleration = [0, 0, -9.81] }}]\n[chain]\nlinks = {SEGMENTS}\nmass = {mass:?}\nlength = {length:?}\ndirection = [{cos:?}, 0, {:?}]\nend = [{:?}, 0, 0]\n",
        -sin,
        2.0 * cos
    );
    for k in SEGMENTS / 2 + 1..=SEGMENTS {
        let _ = write!(
            text,
            "[[start]]\nbody = \"link-{k}\"\ndirection = [{cos:?}, 0, {sin:?}]\n"
        );
    }
    model(&text)
}

/// Where the ends of the segments are.
fn places(simulation: &Simulation) -> Vec<Vec3> {
    let system = simulation.system();
    let mut places = vec![Vec3::zeros(); system.layout().drawing.bases.len()];
    system.sites(simulation.state.t, &simulation.state.q, &mut places);
    places.truncate(SEGMENTS);
    places
}

#[test]
#[ignore = "long: 200 segments, and their shorter steps"]
fn a_cable_dropped_as_a_v_falls_as_on_spheres() {
    println!(
        "claim: what Newton's method gave up at step 103 goes on, and lies where the chain on spheres does"
    );
    let (step, steps) = (1e-3, 200);
    let run = |model: &Model, steps: u64| {
        let mut simulation = model.simulation();
        let ended = simulation.advance(steps);
        assert!(ended.is_ok(), "{}", ended.unwrap_err());
        simulation
    };
    let (on_tree, on_spheres) = (run(&tree(step), steps), run(&spheres(step), steps));
    let fine = run(&spheres(0.25 * step), 4 * steps);
    let apart = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    let [a, b, c] = [&on_tree, &on_spheres, &fine].map(places);
    println!(
        "apart {:.1e} m, error of the spheres {:.1e} m, {} iterations at most",
        apart(&a, &b),
        apart(&b, &c),
        on_tree.work().max_iterations
    );
    // Both are of order 2 in the same motion of the same masses: their errors are alike.
    assert!(
        apart(&a, &c) < 10.0 * apart(&b, &c),
        "{:e} {:e}",
        apart(&a, &c),
        apart(&b, &c)
    );
}
