use holonomy_host::{
    control,
    inverse::{Motion, inverse},
};
use holonomy_model::{Model, Source, load};
use std::{fmt::Write, sync::atomic::AtomicBool};

fn loaded(text: &str) -> Model {
    load(&Source::new("test", text.to_owned())).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// The motion of a model as a table on the disk.
fn table(model: &Model, path: &std::path::Path) {
    let mut simulation = model.simulation();
    let layout = simulation.system().layout().clone();
    let mut text = format!("t,{}\n", layout.coordinates.join(","));
    for k in 0..=model.schedule.steps {
        if k > 0 {
            simulation.advance(1).expect("a step");
        }
        let _ = write!(text, "{:?}", simulation.state.t);
        for q in &simulation.state.q {
            let _ = write!(text, ",{q:?}");
        }
        text.push('\n');
    }
    std::fs::write(path, text).expect("a file");
}

/// A four-bar linkage driven by a motor: the engine's own effort, a formula, against the input that is found.
#[test]
fn the_effort_of_a_motor_in_a_loop_is_found_again() {
    let text = include_str!("../../../../scenarios/four-bar/model.toml");
    let text = text.replace("duration = 100.0\nevery = 10", "duration = 0.4");
    let driven = text.replacen("keep = true", "keep = true\neffort = \"0.5*sin(30*t)\"", 1);
    let free = format!("{text}\n[[input]]\nname = \"motor\"\non = \"crank\"\n");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("motion.csv");
    table(&loaded(&driven), &path);
    let model = loaded(&free);
    let motion = Motion::read(&path, &model).expect("a motion");
    let stop = AtomicBool::new(false);
    let (found, start) = inverse(&model, "test", &motion, &stop, &mut |_, _| ()).expect("inputs");
    assert!(start.is_none() && found.possible, "{:?}", found.conclusion());
    for (k, effort) in found.efforts.iter().enumerate() {
        let t = 0.005 * (k as f64 + 0.5);
        // A coordinate in its last digit is an effort of 2e-16 · 0.1 kg m² / h² = 1e-12; the recursion adds up 80 of them.
        assert!(
            (effort[0] - 0.5 * (30.0 * t).sin()).abs() < 1e-9,
            "{k}: {} ",
            effort[0]
        );
    }
    assert!(found.forward < 1e-11, "{}", found.forward);
}

/// Two pendula beside each other, with a motor in one of them, upright.
const TWO: &str = r#"
    coordinates = ["a", "b"]
    lagrangian = "0.5*a'^2 + 0.5*b'^2 - 9.81*cos(a) + 9.81*cos(b)*WAY"
    [start]
    a = 0
    b = 0
    [[input]]
    name = "motor"
    on = "a"
    [[goal]]
    of = "a"
    value = 0
    when = "always"
    weight = 10
    [[goal]]
    of = "b"
    value = 0
    when = "always"
    weight = 10
    [method]
    name = "midpoint"
    [run]
    step = 0.02
    duration = 4
"#;

#[test]
fn a_motion_is_held_where_the_inputs_reach_what_is_unstable() {
    // b hangs: what the motor does not reach swings, and does not grow.
    let (held, _) = control::hold(&loaded(&TWO.replace("WAY", "1")), "test").expect("gains");
    assert!(
        held.open_growth > 1e4 && held.closed_growth < 10.0,
        "{} {}",
        held.open_growth,
        held.closed_growth
    );
    assert!(held.warnings().is_empty(), "{:?}", held.warnings());
    // b stands upright: nothing holds it.
    let (lost, _) = control::hold(&loaded(&TWO.replace("WAY", "(-1)")), "test").expect("gains");
    assert!(lost.closed_growth > 1e4, "{}", lost.closed_growth);
    assert!(lost.warnings().iter().any(|said| said.contains("does not hold")));
    // The gain of the first step is that of the matrices of a pendulum by themselves: iterated Riccati in two dimensions.
    let (h, g) = (0.02_f64, 9.81);
    let (c, s) = {
        // The midpoint rule of the linear pendulum: the Cayley transform of a hyperbolic turn.
        let square = g * h * h / 4.0;
        ((1.0 + square) / (1.0 - square), h / (1.0 - square))
    };
    let a = nalgebra::Matrix2::new(c, s, g * s, c);
    let half = nalgebra::Vector2::new(0.0, 0.5 * h);
    let b = a * half + half;
    let weights = nalgebra::Matrix2::new(10.0 * h, 0.0, 0.0, 0.0);
    let mut value = weights * 0.5;
    let mut gain = nalgebra::RowVector2::zeros();
    for k in 0..200 {
        let curve = h + (b.transpose() * value * b)[0];
        gain = -(b.transpose() * value * a) / curve;
        value = (if k < 199 {
            weights
        } else {
            nalgebra::Matrix2::zeros()
        }) + a.transpose() * value * (a + b * gain);
    }
    let found = &held.gains[0];
    assert!(
        (found[0] - gain[0]).abs() < 1e-8 && (found[2] - gain[1]).abs() < 1e-8,
        "{found:?} {gain}"
    );
}

/// What is wrong with a table is said with its row.
#[test]
fn a_motion_with_a_hole_is_refused_where_it_is() {
    let model = loaded(&TWO.replace("WAY", "1"));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("motion.csv");
    let said = |text: &str| {
        std::fs::write(&path, text).expect("a file");
        let error = Motion::read(&path, &model).err().expect("no motion");
        error.to_string().replace(&path.display().to_string(), "FILE")
    };
    assert_eq!(
        said("t,a,b\n0,0,0\n0.02,nan,0\n"),
        "FILE: in row 2 `nan` of `a` is not a finite number"
    );
    assert_eq!(said("t,a\n0,0\n0.02,0\n"), "FILE has no column `b`");
    assert!(said("t,a,b\n").contains("no rows below its first line"));
}

/// A load between two winches: the start that is found moves along the cables, as their velocities say; the smallest
/// tensions keep to their limit.
#[test]
fn a_start_that_is_found_moves_along_the_constraints() {
    let winch = |k: usize, x: f64, way: f64| {
        format!(
            "[[site]]\nname = \"post-{k}\"\nat = [{x}, 0, 2]\n\
             [[body]]\nname = \"winch-{k}\"\njoint = {{ kind = \"prismatic\", axis = [{way}, 0, 0], at = [{x}, 0, 2] }}\n\
             mass = 0.01\nposition = 1\nsites = {{ end-{k} = [0, 0, 0] }}\n\
             [[constraint]]\nname = \"cable-{k}\"\nkind = \"cable\"\nthrough = [\"end-{k}\", \"post-{k}\", \"eye\"]\nlength = 3\n\
             [[input]]\nname = \"pull-{k}\"\non = \"winch-{k}\"\nmin = 5\n"
        )
    };
    let model = loaded(&format!(
        "space = \"tree\"\ngravity = [0, 0, -9.81]\n\
         [[body]]\nname = \"load\"\njoint = {{ kind = \"prismatic\", axis = [1, 0, 0], at = [0, 0, 1] }}\nmass = 5\n\
         position = -0.3\nkeep = true\nsites = {{ eye = [0, 0, 0] }}\n{}{}\
         [method]\nname = \"tree-variational\"\n[run]\nstep = 0.01\nduration = 1\n",
        winch(1, -2.0, -1.0),
        winch(2, 2.0, 1.0)
    ));
    let mut text = "t,slide.load,slide.winch-1,slide.winch-2\n".to_owned();
    for k in 0..=50 {
        let t = 0.01 * f64::from(k);
        let x = -0.2 + 0.3 * t + 0.2 * t * t;
        let length = |post: f64| (x - post).hypot(1.0);
        let _ = writeln!(
            text,
            "{t:?},{x:?},{:?},{:?}",
            3.0 - length(-2.0),
            3.0 - length(2.0)
        );
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("motion.csv");
    std::fs::write(&path, text).expect("a file");
    let motion = Motion::read(&path, &model).expect("a motion");
    let stop = AtomicBool::new(false);
    let (found, start) = inverse(&model, "test", &motion, &stop, &mut |_, _| ()).expect("inputs");
    assert!(
        found.possible && found.forward < 1e-11,
        "{:?}",
        found.conclusion()
    );
    let each = found.efforts.iter().flatten();
    assert!(each.clone().all(|pull| *pull >= 5.0 - 1e-9));
    let start = start.expect("not that of the model");
    let system = model.mechanism.system();
    let mut v = vec![0.0; 3];
    system.velocity(start.t, &start.q, &start.p, &mut v, &mut system.scratch());
    for (k, post) in [(1, -2.0), (2, 2.0)] {
        let along = -(start.q[0] - post) / (start.q[0] - post).hypot(1.0) * v[0];
        assert!((v[k] - along).abs() < 1e-12, "{v:?} {along}");
    }
    // A parabola, and velocities of a midpoint rule are those of its chords.
    assert!((v[0] - 0.3).abs() < 0.01, "{v:?}");
}
