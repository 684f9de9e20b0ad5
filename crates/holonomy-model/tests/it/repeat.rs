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

/// Every kind of section that is a list: what a repeated one stands for, and the same two written out.
#[test]
fn every_kind_of_section_can_be_repeated() {
    const END: &str = "[method]\nname = 'METHOD'\n[run]\nstep = 0.01\nduration = 0.1\n";
    const TREE: &str = "space = 'tree'\n[[site]]\nname = 'a-1'\nat = [0, 0, 1]\n[[site]]\nname = 'a-2'\nat = [1, 0, 1]\n\
        [[site]]\nname = 'end-1'\nat = [0, 2, 1]\n[[site]]\nname = 'end-2'\nat = [1, 2, 1]\n\
        [[body]]\nname = 'b-1'\njoint = { kind = 'free' }\nmass = 1\ninertia = [1, 1, 1]\nsites = { p = [0, 0, 0.1] }\n\
        [[body]]\nname = 'b-2'\njoint = { kind = 'free' }\nmass = 1\ninertia = [1, 1, 1]\nposition = [1, 0, 0]\n\
        sites = { p = [0, 0, 0.1] }\n";
    const SPHERES: &str = "[[body]]\nname = 'b-1'\nmass = 1\ndirection = [1, 0, 0]\n\
        [[body]]\nname = 'b-2'\npivot = [3, 0, 0]\nmass = 1\ndirection = [0, 1, 0]\n";
    const TYPED: &str = "coordinates = ['x', 'y']\nlagrangian = \"0.5*x'^2 + 0.5*y'^2\"\n\
        [start]\nx = 0\ny = 0\n[points]\np-1 = ['x', 0, 0]\np-2 = ['y', 1, 0]\nq = [0, 0, 0]\n";
    let kinds = [
        (TREE, "tree-variational", "site", "name = 's-#'\nat = [#, 0, 0]"),
        (
            TREE,
            "tree-variational",
            "wrench",
            "body = 'b-#'\nforce = ['#*t', 0, 0]",
        ),
        (
            TREE,
            "tree-variational",
            "force",
            "name = 'f-#'\nsite = 'b-#/p'\nforce = ['#*t', 0, 0]",
        ),
        (
            TREE,
            "tree-variational",
            "damper",
            "between = ['a-#', 'b-#/p']\ncoefficient = 0.1",
        ),
        (
            TREE,
            "tree-variational",
            "string",
            "through = ['a-#', 'b-#/p']\nlength = 2\nstiffness = 10",
        ),
        (
            TREE,
            "tree-variational",
            "drag",
            "body = 'b-#'\ncoefficient = 0.1",
        ),
        (
            TREE,
            "tree-variational",
            "potential",
            "kind = 'spring'\nbetween = ['a-#', 'b-#/p']\nstiffness = 1\nrest_length = 0.1",
        ),
        (
            TREE,
            "tree-variational",
            "constraint",
            "name = 'c-#'\nkind = 'distance'\nbetween = ['a-#', 'b-#/p']\nlength = 0.9",
        ),
        (
            TREE,
            "tree-variational",
            "cable",
            "name = 'rope-#'\nfrom = 'a-#'\nto = 'end-#'\nlength = 2.2\nsegments = 3\nmass = 0.1",
        ),
        (
            SPHERES,
            "sphere-implicit",
            "body",
            "name = 'c-#'\npivot = [0, #, 0]\nmass = 1\ndirection = [1, 0, 0]",
        ),
        (
            SPHERES,
            "sphere-implicit",
            "start",
            "body = 'b-#'\nangular_velocity = [0, 0, 1]",
        ),
        (
            SPHERES,
            "sphere-implicit",
            "potential",
            "kind = 'spring'\nbetween = ['b-#']\nanchor = [0, 0, #]\nstiffness = 1\nrest_length = 1",
        ),
        (
            SPHERES,
            "sphere-implicit",
            "swirl",
            "centre = [0, 0, 1]\nrate = 1\nwidth = 0.#",
        ),
        (
            SPHERES,
            "sphere-implicit",
            "damper",
            "body = 'b-#'\ndamping = 0.#",
        ),
        (
            SPHERES,
            "sphere-implicit",
            "force",
            "name = 'f-#'\nbody = 'b-#'\nforce = ['t', 0, 0]",
        ),
        (TYPED, "midpoint", "line", "through = ['q', 'p-#']"),
        (TYPED, "midpoint", "input", "name = 'u-#'\non = \"{x, y}\""),
    ];
    for (base, method, kind, keys) in kinds {
        let end = END.replace("METHOD", method);
        let keys = keys.replace("\"{x, y}\"", "'x'");
        let written: String = (1..=2)
            .map(|k| format!("[[{kind}]]\n{}\n", keys.replace('#', &k.to_string())))
            .collect();
        let in_text = keys
            .replace("[#, 0, 0]", "['{i}', 0, 0]")
            .replace("[0, #, 0]", "[0, '{i}', 0]");
        let in_text = in_text
            .replace("[0, 0, #]", "[0, 0, '{i}']")
            .replace("0.#", "'{i/10}'")
            .replace('#', "{i}");
        let repeated = format!("[[{kind}]]\nrepeat = 2\n{in_text}\n");
        let [long, short] = [written, repeated].map(|section| load(&format!("{base}{section}{end}"), &[]));
        assert_eq!(short.state, long.state, "{kind}");
        assert_eq!(short.fingerprint(), long.fingerprint(), "{kind}");
    }
}

/// Formulas of time and what is driven go on from `run.start_time`: the motion is that of a model whose formulas are later.
#[test]
fn a_start_time_is_where_formulas_begin() {
    const PUSHED: &str = "coordinates = ['x']\nlagrangian = \"0.5*x'^2 - 0.5*x^2\"\n[force]\nx = 'sin(2*TIME)'\n[start]\nx = 1\n\
        [method]\nname = 'midpoint'\n[run]\nstep = 0.01\nduration = 2\n";
    const DRIVEN: &str = "space = 'tree'\ngravity = [0, 0, -9.81]\n[[body]]\nname = 'cart'\nmass = 1\ninertia = [1, 1, 1]\n\
        driven = '0.3*sin(2*TIME)'\njoint = { kind = 'prismatic', axis = [1, 0, 0] }\n\
        [[body]]\nname = 'bob'\nparent = 'cart'\nmass = 1\nshape = 'rod'\nto = [0, 0, -1]\n\
        joint = { kind = 'revolute', axis = [0, 1, 0] }\n\
        [method]\nname = 'tree-variational'\n[run]\nstep = 0.01\nduration = 2\n";
    const FORCED: &str = "[[body]]\nname = 'bob'\nmass = 1\ndirection = [1, 0, 0]\n\
        [[force]]\nbody = 'bob'\nforce = [0, 'sin(2*TIME)', 'cos(TIME)']\n\
        [method]\nname = 'sphere-explicit'\n[run]\nstep = 0.01\nduration = 2\n";
    for text in [PUSHED, DRIVEN, FORCED] {
        let end = |text: &str, overrides: &[&str]| {
            let model = load(text, overrides);
            let mut simulation = model.simulation();
            simulation.run(&model.schedule, &mut []).unwrap();
            (model, simulation.state.clone())
        };
        // A quarter is exact in binary, and so are the times of steps in it but for a last place.
        let (later, there) = end(&text.replace("TIME", "t"), &["run.start_time=0.25"]);
        let (_, here) = end(&text.replace("TIME", "(t + 0.25)"), &[]);
        assert_eq!((later.state.t, there.t), (0.25, 2.25));
        let each = there.q.iter().chain(&there.p).zip(here.q.iter().chain(&here.p));
        let off = each.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-12, "{off}");
        let (_, other) = end(&text.replace("TIME", "t"), &[]);
        assert!((other.q[0] - there.q[0]).abs() > 1e-3);
        // As data, written back, and given by its numbers without a time.
        assert_eq!(load(&later.to_toml(), &[]).state, later.state);
        assert_ne!(
            later.fingerprint(),
            load(&text.replace("TIME", "t"), &[]).fingerprint()
        );
    }
    let given = format!("{}[state]\nq = [0.5]\nv = [0.1]\n", PUSHED.replace("TIME", "t"));
    assert_eq!(load(&given, &["run.start_time=1.5"]).state.t, 1.5);
    assert_eq!(load(&given, &["run.start_time=1.5", "state.t=3"]).state.t, 3.0);
}

#[test]
fn momenta_and_impulses_are_recorded_by_name() {
    let text = "space = 'tree'\ngravity = [0, 0, -9.81]\n[[site]]\nname = 'hook'\nat = [0, 0, 0]\n\
        [[body]]\nname = 'bob'\njoint = { kind = 'free' }\nmass = 2\ninertia = [1, 1, 1]\nposition = [0, 0, -1]\nvelocity = [3, 0, 0]\n\
        angular_velocity = [0, 0, 0.5]\nsites = { eye = [0, 0, 0] }\n\
        [[constraint]]\nname = 'rope'\nkind = 'distance'\nbetween = ['hook', 'eye']\nlength = 1\n\
        [method]\nname = 'tree-variational'\n[run]\nstep = 0.001\nsteps = 1\n\
        [output]\nrecord = ['total.momentum', 'total.angular_momentum', 'impulse.rope', 'lambda.rope']\n";
    let model = load(text, &[]);
    let system = model.mechanism.system();
    let (mut measured, mut scratch) = (holonomy::system::Measurement::default(), system.scratch());
    let mut simulation = model.simulation();
    simulation.run(&model.schedule, &mut []).unwrap();
    let mut of = |state| {
        system.measure(state, &mut measured, &mut scratch);
        let mut readings = holonomy::output::Readings::default();
        readings
            .take(&model.outputs.list, &*system, state, &measured)
            .to_vec()
    };
    let start = of(&model.state);
    // m v; r × m v + I ω.
    let expected = [6.0, 0.0, 0.0, 0.0, -6.0, 0.5];
    for (found, expected) in start.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-13, "{start:?}");
    }
    // The impulses of a step over its length: m v²/l + m g, as the multiplier of the moment but for a part h of it.
    let force = 2.0 * (9.0 + 9.81);
    let end = of(&simulation.state);
    assert!(
        (end[6].abs() - force).abs() < 0.01 && (end[7].abs() - force).abs() < 0.01,
        "{end:?}"
    );
    let source = Source::new("m", text.replace("tree-variational", "rk4"));
    let problems = model::load(&source).err().unwrap();
    assert!(problems[0].message.contains("impulses"), "{problems:?}");
}
