//! Trees from files: the numbers of the documents, and the same trees built in code.
use holonomy::{
    Vec3,
    diagnostics::observed_order,
    geometry::{Pose, RigidInertia},
    integrator::Cause,
    system::{Measurement, Mechanism, State, System},
    tree::{Constraint, Joint, JointForce, RigidBody, Site, Spline, Tree, TreeParts},
};
use holonomy_model::{self as model, Model, Source};
use std::{fs, path::Path, sync::Arc};

fn load(text: &str, overrides: &[&str]) -> Model {
    let mut source = Source::new("model", text);
    for given in overrides {
        source.with_override(*given);
    }
    model::load(&source).unwrap_or_else(|problems| panic!("{}", model::render(&source, &problems, false, 50)))
}

fn scenario(name: &str, overrides: &[&str]) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../scenarios")
        .join(name)
        .join("model.toml");
    load(&fs::read_to_string(path).unwrap(), overrides)
}

fn tree(model: &Model) -> Arc<Tree> {
    match &model.mechanism {
        Mechanism::Tree(tree) => tree.clone(),
        _ => panic!("not a tree"),
    }
}

fn measure(tree: &Tree, state: &State) -> Measurement {
    let mut out = Measurement::default();
    tree.measure(state, &mut out, &mut tree.scratch());
    out
}

/// Energy in the middle of a step, of joints whose velocities are the rates of their coordinates.
fn middle(tree: &Tree, before: &[f64], after: &[f64], h: f64) -> f64 {
    let pairs = || before.iter().zip(after);
    let v: Vec<f64> = pairs().map(|(a, b)| (b - a) / h).collect();
    let q: Vec<f64> = pairs().map(|(a, b)| 0.5 * (a + b)).collect();
    tree.energy(&tree.state(0.0, &q, &v).unwrap()).total()
}

/// What energies are compared with.
#[derive(Clone, Copy, PartialEq)]
enum Since {
    Start,
    FirstMiddle,
}

/// Mean and largest energy error in the middles of the steps, and the largest constraint error.
fn energy_errors(model: &Model, since: Since) -> (f64, f64, f64) {
    let tree = tree(model);
    let mut simulation = model.simulation();
    let h = model.schedule.step;
    let mut start = measure(&tree, &simulation.state).energy.total();
    let (mut sum, mut worst, mut open) = (0.0, 0.0_f64, 0.0_f64);
    for k in 0..model.schedule.steps {
        let before = simulation.state.q.clone();
        simulation.step_by(h).unwrap();
        let energy = middle(&tree, &before, &simulation.state.q, h);
        if k == 0 && since == Since::FirstMiddle {
            start = energy;
        }
        let error = (energy - start).abs();
        sum += error;
        worst = worst.max(error);
        open = open.max(measure(&tree, &simulation.state).constraint.unwrap_or(0.0));
    }
    (sum / model.schedule.steps as f64, worst, open)
}

#[test]
fn ten_link_cable_has_the_energies_of_the_table() {
    // docs/reading.md 5.3, in units of 50 m g l.
    let scale = 50.0 * 0.1 * 9.81;
    for (h, mean, max) in [
        ("0.01", 1.26e-4, 1.21e-3),
        ("0.005", 3.2e-5, 3.1e-4),
        ("0.002", 5.2e-6, 5.0e-5),
    ] {
        let model = scenario("ten-link-cable", &[&format!("run.step={h}")]);
        let (average, worst, _) = energy_errors(&model, Since::Start);
        println!(
            "ten links, h = {h}: mean {:.3e}, max {:.3e}",
            average / scale,
            worst / scale
        );
        assert!((average / scale / mean - 1.0).abs() < 0.03, "{h}: {average:e}");
        assert!((worst / scale / max - 1.0).abs() < 0.05, "{h}: {worst:e}");
    }
}

#[test]
fn ten_link_cable_passes_its_checkpoint() {
    let model = scenario("ten-link-cable", &["run.duration=0.5"]);
    let mut simulation = model.simulation();
    for _ in 0..50 {
        simulation.step_by(0.01).unwrap();
    }
    let printed = [
        0.9315600072652774,
        1.0959035448024248,
        1.353392108861662,
        1.609215867078025,
    ];
    let mut angle = std::f64::consts::FRAC_PI_2;
    for (q, printed) in simulation.state.q.iter().zip(printed) {
        angle += q;
        assert!((angle - printed).abs() < 1e-10, "{angle} {printed}");
    }
}

#[test]
fn elastic_cable_stays_pinned_with_the_energies_of_the_table() {
    // docs/reading.md 5.5, whose energies are those in the middles of the steps, compared with the first of them.
    let table = [
        ("0.01", 500, 2.2e-4, 1.0e-3),
        ("0.006", 500, 7.5e-5, 3.7e-4),
        ("0.003", 1000, 1.5e-5, 8.5e-5),
        ("0.001", 3000, 1.9e-6, 1.1e-5),
    ];
    let measured = table.map(|(h, steps, mean, max)| {
        let model = scenario(
            "elastic-cable",
            &[&format!("run.step={h}"), &format!("run.steps={steps}")],
        );
        let (average, worst, open) = energy_errors(&model, Since::FirstMiddle);
        println!(
            "elastic, h = {h}: mean {average:.2e} ({mean:e}), max {worst:.2e} ({max:e}), open {open:.1e}"
        );
        (average / mean, worst / max, open)
    });
    for (mean, max, open) in measured {
        assert!(open <= 1e-15, "{open:e}");
        // Half a unit of the last of two printed digits is up to 5 %.
        assert!(
            (mean - 1.0).abs() < 0.05 && (max - 1.0).abs() < 0.05,
            "{mean} {max}"
        );
    }
}

#[test]
fn elastic_cable_passes_its_checkpoint() {
    let model = scenario("elastic-cable", &[]);
    let mut simulation = model.simulation();
    simulation.step_by(0.006).unwrap();
    let theta = [
        -0.0017656405927093102,
        0.0017654139813973414,
        3.244032768695944e-07,
        -1.050899861200192e-07,
    ];
    let length = [
        0.10000130181222278,
        0.09999900866510862,
        0.09999986617817534,
        0.09999998202956265,
    ];
    for k in 0..4 {
        let (turn, stretch) = (simulation.state.q[2 * k], simulation.state.q[2 * k + 1]);
        assert!((turn - theta[k]).abs() < 1e-12, "{k}: {turn} {}", theta[k]);
        assert!(
            (0.1 + stretch - length[k]).abs() < 1e-12,
            "{k}: {stretch} {}",
            length[k]
        );
    }
}

#[test]
fn tumbling_racket_keeps_energy_and_momentum() {
    for h in ["0.03", "0.01"] {
        let model = scenario("tumbling-racket", &[&format!("run.step={h}")]);
        let tree = tree(&model);
        let mut simulation = model.simulation();
        let before = measure(&tree, &simulation.state);
        let (mut energy, mut momentum) = (0.0_f64, 0.0_f64);
        for _ in 0..model.schedule.steps {
            simulation.step_by(model.schedule.step).unwrap();
            let now = measure(&tree, &simulation.state);
            energy = energy.max((now.energy.total() / before.energy.total() - 1.0).abs());
            for (a, b) in now.invariants.iter().zip(&before.invariants) {
                momentum = momentum.max((a - b).abs() / 0.4809522);
            }
        }
        println!("racket, h = {h}: energy {energy:.1e}, momentum {momentum:.1e}");
        assert!(energy <= 1e-13 && momentum <= 1e-13, "{energy:e} {momentum:e}");
    }
}

#[test]
fn scissor_lift_follows_its_exact_motion() {
    // peers.md 3a: the angle of the lowest link, from rest.
    let exact = [(0.5, 0.2514328766), (1.0, 0.5514258725), (2.0, 2.4082810987)];
    let error = |method: &str, h: f64| {
        let model = scenario("scissor-lift", &[&format!("method.name={method}")]);
        let mut simulation = model.simulation();
        let mut worst = 0.0_f64;
        let mut steps = 0;
        for (t, theta) in exact {
            while f64::from(steps) * h < t - 1e-9 {
                simulation.step_by(h).unwrap();
                steps += 1;
            }
            worst = worst.max((simulation.state.q[1] - theta).abs());
        }
        worst
    };
    let (coarse, fine) = (error("tree-variational", 0.01), error("tree-variational", 0.005));
    let fourth = error("tree-variational-4", 0.01);
    println!("scissor: {coarse:.2e}, {fine:.2e}, order 4: {fourth:.2e}");
    assert!((coarse / fine - 4.0).abs() < 0.3, "{coarse:e} {fine:e}");
    assert!(fourth < 1e-6, "{fourth:e}");
}

#[test]
fn catenary_comes_to_rest_in_its_shape() {
    let model = scenario("catenary", &["run.duration=60"]);
    let mut simulation = model.simulation();
    for _ in 0..model.schedule.steps {
        simulation.step_by(model.schedule.step).unwrap();
    }
    let tree = tree(&model);
    let speed = measure(&tree, &simulation.state)
        .velocity
        .iter()
        .fold(0.0_f64, |m, v| m.max(v.abs()));
    let mut points = vec![Vec3::zeros(); tree.layout().drawing.bases.len()];
    tree.sites(simulation.state.t, &simulation.state.q, &mut points);
    // Origins of the twenty segments, then the end: tangents of the links grow evenly.
    let sites = points.len() - 20;
    let mut line: Vec<Vec3> = points[sites..].to_vec();
    line.push(Vec3::new(1.5, 0.0, 0.5));
    let tangents: Vec<f64> = line
        .windows(2)
        .map(|p| (p[1].z - p[0].z) / (p[1].x - p[0].x))
        .collect();
    let step = (tangents[19] - tangents[0]) / 19.0;
    let worst = (0..20)
        .map(|k| (tangents[k] - tangents[0] - step * k as f64).abs())
        .fold(0.0, f64::max);
    println!("catenary: speed {speed:.1e}, tangents {worst:.1e}");
    assert!(speed < 1e-6 && worst < 1e-6, "{speed:e} {worst:e}");
}

#[test]
fn a_file_is_the_tree_built_in_code() {
    let text = r#"
        space = "tree"
        gravity = [0, 0, -9.81]
        [[body]]
        name = "upper"
        joint = { kind = "revolute", axis = [0, 1, 0], at = [0, 0, 1] }
        mass = 1.0
        centre = [0, 0, -0.5]
        inertia = [0.1, 0.1, 0.01]
        position = "30 deg"
        velocity = 0.1
        spring = { stiffness = 2.0, rest = 0.3 }
        sites = { tip = [0, 0, -1] }
        [[body]]
        name = "lower"
        parent = "upper"
        joint = { kind = "spherical", at = [0, 0, -1] }
        mass = 0.5
        shape = "box"
        size = [0.1, 0.2, 0.7]
        centre = [0, 0, -0.35]
        orientation = { axis = [1, 0, 0], angle = 0.4 }
        angular_velocity = [0.1, 0.2, 0.3]
        [method]
        name = "tree-variational"
        [run]
        step = 0.01
        steps = 200
    "#;
    let model = load(text, &[]);
    let body = |name: &str, parent, joint, at, inertia| RigidBody {
        name: name.to_owned(),
        parent,
        joint,
        parent_from_joint: Pose::translation(at),
        joint_from_body: Pose::identity(),
        inertia,
    };
    let upper = RigidInertia::diagonal(1.0, Vec3::new(0.0, 0.0, -0.5), [0.1, 0.1, 0.01]);
    let lower = RigidInertia::cuboid(0.5, Vec3::new(0.0, 0.0, -0.35), Vec3::new(0.1, 0.2, 0.7));
    let made = Tree::new(TreeParts {
        bodies: vec![
            body(
                "upper",
                None,
                Joint::Revolute { axis: Vec3::y() },
                Vec3::z(),
                upper,
            ),
            body("lower", Some(0), Joint::Spherical, -Vec3::z(), lower),
        ],
        gravity: Vec3::new(0.0, 0.0, -9.81),
        joint_forces: vec![(
            0,
            JointForce::Spring {
                stiffness: 2.0,
                rest: 0.3,
            },
        )],
        ..TreeParts::default()
    })
    .unwrap();
    let q = [std::f64::consts::PI / 6.0, 0.2_f64.cos(), 0.2_f64.sin(), 0.0, 0.0];
    let state = made.state(0.0, &q, &[0.1, 0.1, 0.2, 0.3]).unwrap();
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-15);
    assert!(near(&model.state.q, &state.q) && near(&model.state.p, &state.p));
    let difference =
        measure(&made, &state).energy.total() - measure(&tree(&model), &model.state).energy.total();
    assert!(difference.abs() < 1e-14, "{difference:e}");
}

#[test]
fn an_open_loop_is_assembled_and_kept_coordinates_stay() {
    // The coupler and the rocker are a little off; the crank is kept.
    let model = scenario(
        "four-bar",
        &["body.rocker.position=1.9", "body.rocker.velocity=0"],
    );
    assert_eq!(model.notes.len(), 1, "{:?}", model.notes);
    let open = measure(&tree(&model), &model.state).constraint.unwrap();
    assert!(open < 1e-15, "{open:e}");
    assert_eq!(model.state.q[0], std::f64::consts::PI / 3.0);
}

#[test]
fn a_weld_holds_what_a_fixed_joint_holds() {
    let head = "space = \"tree\"\ngravity = [0, 0, -9.81]\n[method]\nname = \"tree-variational\"\n[run]\nstep = 0.01\nsteps = 100\n";
    let arm = "[[body]]\nname = \"arm\"\njoint = { kind = \"spherical\" }\nmass = 1.0\ninertia = [0.1, 0.2, 0.15]\n\
        centre = [0.5, 0, 0]\nangular_velocity = [1, 2, 3]\nsites = { tip = [1, 0, 0] }\n";
    let hand = "mass = 0.3\ninertia = [0.01, 0.02, 0.02]\ncentre = [0.1, 0, 0]\n";
    let fixed = format!(
        "{head}{arm}[[body]]\nname = \"hand\"\nparent = \"arm\"\njoint = {{ kind = \"fixed\", at = [1, 0, 0] }}\n{hand}"
    );
    let welded = format!(
        "{head}{arm}[[body]]\nname = \"hand\"\njoint = {{ kind = \"free\" }}\nposition = [1, 0, 0]\nvelocity = [0, 3, -2]\n\
         angular_velocity = [1, 2, 3]\nsites = {{ root = [0, 0, 0] }}\n{hand}\
         [[constraint]]\nkind = \"weld\"\nbetween = [\"tip\", \"root\"]\n"
    );
    let end = |text: &str, steps: u32| {
        let model = load(text, &[]);
        assert!(model.notes.is_empty(), "{:?}", model.notes);
        let mut simulation = model.simulation();
        for _ in 0..steps {
            simulation.step_by(1.0 / f64::from(steps)).unwrap();
        }
        simulation.state.q[..4].to_vec()
    };
    // The same motion in other coordinates, by a method of order 2: what differs is its error, and vanishes as h².
    let counts = [100, 200, 400];
    let differences = counts.map(|steps| {
        let (fixed, welded) = (end(&fixed, steps), end(&welded, steps));
        let apart = fixed.iter().zip(&welded).map(|(a, b)| (a - b).abs());
        apart.fold(0.0, f64::max)
    });
    let order = observed_order(&counts.map(|steps| 1.0 / f64::from(steps)), &differences);
    println!("weld: {differences:?}, order {order:.2}");
    assert!((order - 2.0).abs() < 0.1, "{order} {differences:?}");
}

#[test]
fn a_written_constraint_is_the_one_built_in_code() {
    let model = scenario("elastic-cable", &[]);
    let mut parts = TreeParts {
        gravity: Vec3::y() * -9.81,
        ..TreeParts::default()
    };
    for i in 0..10 {
        let body = |name: &str, parent, joint, at, inertia| RigidBody {
            name: format!("{name}-{i}"),
            parent,
            joint,
            parent_from_joint: Pose::translation(at),
            joint_from_body: Pose::identity(),
            inertia,
        };
        let turn = Joint::Revolute { axis: Vec3::z() };
        let slide = Joint::Prismatic { axis: Vec3::x() };
        let before = usize::checked_sub(2 * i, 1);
        let point = RigidInertia::point(0.01, Vec3::zeros());
        parts
            .bodies
            .push(body("turn", before, turn, Vec3::zeros(), RigidInertia::zero()));
        parts
            .bodies
            .push(body("node", Some(2 * i), slide, Vec3::x() * 0.1, point));
        let spring = |stiffness| JointForce::Spring { stiffness, rest: 0.0 };
        if i > 0 {
            parts.joint_forces.push((2 * i, spring(1e-3)));
        }
        parts.joint_forces.push((2 * i + 1, spring(200.0)));
    }
    let site = |name: &str, body, position| Site {
        name: name.to_owned(),
        body,
        position,
    };
    parts.sites = vec![site("end", Some(19), Vec3::zeros()), site("pin", None, Vec3::x())];
    let between = [0, 1];
    let directions = vec![Vec3::x(), Vec3::y()];
    parts.constraints = vec![("pin".to_owned(), Constraint::Coincidence { between, directions })];
    let made = Arc::new(Tree::new(parts).unwrap());
    let mut state = made.state(0.0, &[0.0; 20], &[0.0; 20]).unwrap();
    let built = model.method.build_with(&Mechanism::Tree(made), &model.options);
    let mut method = built.unwrap_or_else(|e| panic!("{e}"));
    let mut simulation = model.simulation();
    for _ in 0..200 {
        method.step(&mut state, 0.006).unwrap();
        simulation.step_by(0.006).unwrap();
    }
    let q = state.q.iter().zip(&simulation.state.q);
    let difference = q.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!("elastic cable, file against code: {difference:.1e}");
    assert!(difference < 1e-9, "{difference:e}");
}

const HOIST: &str = r#"
space = "tree"
gravity = [0, 0, -9.81]
[parameters]
speed = "0.5 m/s"
[[body]]
name = "load"
joint = { kind = "prismatic", axis = [0, 0, 1] }
mass = 2.0
position = -1.0
sites = { hook = [0, 0, 0] }
[[site]]
name = "winch"
at = [0.75, 0, 0]
[[constraint]]
name = "hoist"
kind = "distance"
between = ["winch", "hook"]
length = "1.25 - speed*t"
[method]
name = "tree-variational"
[run]
step = 0.01
duration = 5.0
"#;

#[test]
fn a_length_that_cannot_be_met_stops_the_run_with_its_name() {
    // The span is 0.75 m, which the rope is at 1 s; with half the speed at 2 s.
    for (overrides, last) in [(vec![], 0.99), (vec!["parameters.speed=0.25"], 1.99)] {
        let model = load(HOIST, &overrides);
        let mut simulation = model.simulation();
        let error = simulation.run(&model.schedule, &mut []).unwrap_err();
        let said = error.to_string();
        assert!(
            said.contains("constraint `hoist` cannot be met") && said.contains("change its length"),
            "{said}"
        );
        // The last place it reaches is where the rope is level, or a step before.
        assert!((error.t - last).abs() < 0.011, "{said}");
        let Cause::Unmet {
            equation: 0,
            violation,
        } = error.source.step().unwrap().fault.cause
        else {
            panic!("{error:?}")
        };
        assert!(violation > 0.0 && violation < 0.01, "{violation}");
    }
}

#[test]
fn multipliers_are_the_tensions_of_the_moment() {
    // At rest the rope bears the weight along itself; wound up evenly it also accelerates the load, by hand.
    let model = load(HOIST, &["parameters.speed=0"]);
    let measured = measure(&tree(&model), &model.state);
    let weight = 2.0 * 9.81;
    assert!(
        (measured.multipliers[0] - weight / 0.8).abs() < 1e-12,
        "{measured:?}"
    );
    let layout = tree(&model);
    let layout = layout.layout();
    assert_eq!(
        (&layout.multipliers[0][..], layout.multiplier_units[0].symbol()),
        ("hoist", "N")
    );
    let model = load(HOIST, &[]);
    let tree = tree(&model);
    let measured = measure(&tree, &model.state);
    // z² = ℓ² − w², ℓ = 1.25, ℓ̇ = −0.5, z = −1: ż = ℓ ℓ̇ / z and z̈ = (ℓ̇² − ż²) / z.
    let speed = 0.625;
    let second = speed * speed - 0.25;
    assert!((measured.velocity[0] - speed).abs() < 1e-9, "{measured:?}");
    // The rate of the length is found by differences, to 1e-10.
    let tension = 2.0 * (9.81 + second) / 0.8;
    assert!(
        (measured.multipliers[0] - tension).abs() < 1e-7,
        "{} {tension}",
        measured.multipliers[0]
    );
}

#[test]
fn repeated_constraints_are_named_and_counted() {
    let twice = HOIST.replace(
        "[method]",
        "[[constraint]]\nname = \"copy\"\nkind = \"cable\"\nthrough = [\"winch\", \"hook\"]\n\
         length = \"1.25 - speed*t\"\n[method]",
    );
    let model = load(&twice, &["run.duration=0.5"]);
    let notes: Vec<&str> = model.notes.iter().map(|note| note.message.as_str()).collect();
    assert_eq!(
        notes,
        ["constraint `copy` repeats, at least in part, what `hoist` says"]
    );
    let mut simulation = model.simulation();
    let report = simulation.run(&model.schedule, &mut []).unwrap();
    assert_eq!((report.work.dependent_steps, report.work.dependent), (50, 0b11));
    let shares = &simulation.state.lambda;
    assert!((shares[0] - shares[1]).abs() < 1e-12 * shares[0], "{shares:?}");
    // Nothing is said of constraints that do not repeat each other.
    let model = load(HOIST, &["run.duration=0.5"]);
    let report = model.simulation().run(&model.schedule, &mut []).unwrap();
    assert_eq!((model.notes.len(), report.work.dependent_steps), (0, 0));
}

#[test]
fn a_start_that_is_singular_is_told_from_constraints_that_repeat() {
    // A crank of the length of its rod, stretched out: the pin holds back nothing across.
    let text = "space = \"tree\"\n\
        [[body]]\nname = \"crank\"\njoint = { kind = \"revolute\", axis = [0, -1, 0] }\nmass = 1\nshape = \"rod\"\nto = [1, 0, 0]\n\
        [[body]]\nname = \"rod\"\nparent = \"crank\"\njoint = { kind = \"revolute\", axis = [0, -1, 0], at = [1, 0, 0] }\n\
        mass = 1\nshape = \"rod\"\nto = [1, 0, 0]\nsites = { end = [1, 0, 0] }\n\
        [[body]]\nname = \"rocker\"\njoint = { kind = \"revolute\", axis = [0, -1, 0], at = [4, 0, 0] }\n\
        mass = 1\nshape = \"rod\"\nto = [-2, 0, 0]\nsites = { end = [-2, 0, 0] }\n\
        [[constraint]]\nname = \"pin\"\nkind = \"coincide\"\nbetween = [\"rod/end\", \"rocker/end\"]\n\
        directions = [[1, 0, 0], [0, 0, 1]]\n[method]\nname = \"tree-variational\"\n[run]\nstep = 0.01\nsteps = 10\n";
    let model = load(text, &[]);
    let notes: Vec<&str> = model.notes.iter().map(|note| note.message.as_str()).collect();
    assert_eq!(
        notes,
        ["at the start, constraint `pin` has an equation that holds back no motion"]
    );
}

#[test]
fn a_table_drives_a_joint_and_a_length() {
    let table = "{ times = [0, 0.5, 1], values = [1.25, 1.0, 1.2] }";
    let text = HOIST.replace("\"1.25 - speed*t\"", table);
    let model = load(&text, &["run.duration=2"]);
    let spline = Spline::new(&[0.0, 0.5, 1.0], &[1.25, 1.0, 1.2]).unwrap();
    let mut simulation = model.simulation();
    for k in 1..=200 {
        simulation.step_by(0.01).unwrap();
        let length = simulation.state.q[0].hypot(0.75);
        let expected = spline.at(0.01 * f64::from(k)).0;
        assert!((length - expected).abs() < 1e-14, "{k}: {length} {expected}");
    }
    // It holds its last value, at rest: 2 kg on a rope of 1.2 m over a span of 0.75 m.
    let weight = 2.0 * 9.81 * 1.2 / (1.2_f64.powi(2) - 0.75_f64.powi(2)).sqrt();
    assert!((simulation.state.lambda[0] - weight).abs() < 1e-9 * weight);
    let driven = "space = \"tree\"\n[[body]]\nname = \"cart\"\njoint = { kind = \"prismatic\", axis = [1, 0, 0] }\nmass = 1\n\
        driven = { times = [0, \"500 ms\", 1], values = [\"125 cm\", 1.0, 1.2] }\n[[body]]\nname = \"bob\"\nparent = \"cart\"\n\
        joint = { kind = \"revolute\", axis = [0, 1, 0] }\nmass = 1\ncentre = [0, 0, -1]\n[method]\n\
        name = \"tree-variational\"\n[run]\nstep = 0.01\nsteps = 70\n";
    let model = load(driven, &[]);
    let mut simulation = model.simulation();
    simulation.run(&model.schedule, &mut []).unwrap();
    assert!((simulation.state.q[0] - spline.at(0.7).0).abs() < 1e-14);
}

#[test]
fn parameters_mean_what_they_are() {
    let by_name = "space = \"tree\"\ngravity = [0, 0, -9.81]\n[parameters]\nk = \"3 N m/rad\"\nw = \"2*pi\"\nc = 0.1\n\
        [[body]]\nname = \"arm\"\njoint = { kind = \"revolute\", axis = [0, 1, 0] }\nmass = 1\ncentre = [0, 0, -1]\n\
        spring = { stiffness = \"2*k\", rest = \"c\" }\neffort = \"c*sin(w*t) - c*v\"\n\
        [[wrench]]\nbody = \"arm\"\nforce = [\"k*cos(w*t)\", \"0\", \"0\"]\n\
        [method]\nname = \"tree-variational\"\n[run]\nstep = 0.01\nsteps = 100\n";
    let by_number = "space = \"tree\"\ngravity = [0, 0, -9.81]\n\
        [[body]]\nname = \"arm\"\njoint = { kind = \"revolute\", axis = [0, 1, 0] }\nmass = 1\ncentre = [0, 0, -1]\n\
        spring = { stiffness = 6, rest = 0.1 }\neffort = \"0.1*sin(2*pi*t) - 0.1*v\"\n\
        [[wrench]]\nbody = \"arm\"\nforce = [\"3*cos(2*pi*t)\", \"0\", \"0\"]\n\
        [method]\nname = \"tree-variational\"\n[run]\nstep = 0.01\nsteps = 100\n";
    let end = |text: &str, overrides: &[&str]| {
        let model = load(text, overrides);
        let mut simulation = model.simulation();
        simulation.run(&model.schedule, &mut []).unwrap();
        simulation.state.q[0]
    };
    assert_eq!(end(by_name, &[]), end(by_number, &[]));
    let stiffer = [
        "body.arm.spring.stiffness=10",
        "wrench.1.force=[\"5*cos(2*pi*t)\", \"0\", \"0\"]",
    ];
    assert_eq!(end(by_name, &["parameters.k=5"]), end(by_number, &stiffer));
}
