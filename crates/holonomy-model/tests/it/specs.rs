use crate::models::{assert_same, files, good_and_scenarios, scenarios};
use holonomy_model::spec::{Gravity, Spec, System};
use holonomy_model::{self as model, ChangeError, Knob, Model, Place, Severity, Value};

#[test]
fn text_and_typed_data_give_the_same_model() {
    for file in good_and_scenarios() {
        let spec =
            Spec::from_text(&file.source()).unwrap_or_else(|problems| panic!("{}: {problems:?}", file.name));
        let loaded = file.load();
        let built = spec
            .build()
            .unwrap_or_else(|problems| panic!("{}: {problems:?}", file.name));
        assert_same(&loaded, &built, &file.name);
        assert_eq!(built.state.lambda, loaded.state.lambda, "{}", file.name);
        let again = Spec::from_table(&spec.to_table());
        assert_eq!(again.as_ref(), Ok(&spec), "{}", file.name);
        let text = model::Source::new(&file.name, spec.to_toml());
        assert_same(&loaded, &model::load(&text).unwrap(), &file.name);
    }
}

#[test]
fn typed_data_survives_json() {
    for file in good_and_scenarios() {
        let spec = Spec::from_text(&file.source()).unwrap();
        let json = serde_json::to_string(&spec).unwrap();
        let again: Spec = serde_json::from_str(&json).unwrap();
        assert_eq!(again, spec, "{}", file.name);
    }
}

#[test]
fn a_table_of_values_builds_the_model_of_its_text() {
    for file in good_and_scenarios() {
        let loaded = file.load();
        let built = model::build(&loaded.table).unwrap();
        assert_same(&loaded, &built, &file.name);
        let messages = |model: &model::Model| -> Vec<String> {
            let mut list: Vec<String> = model.notes.iter().map(|note| note.message.clone()).collect();
            list.sort();
            list
        };
        assert_eq!(messages(&loaded), messages(&built), "{}", file.name);
    }
}

/// `cargo xtask docs` rewrites it.
#[test]
fn the_reference_in_the_guide_is_that_of_the_tables() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/reference.md");
    let text = model::spec::reference();
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap();
    assert!(
        stored == text,
        "{} differs from the tables of keys: run `cargo xtask docs`",
        path.display()
    );
}

/// What is wrong with a text is wrong with its values too, and the path leads to the same place.
#[test]
fn problems_of_data_are_those_of_its_text() {
    let mut compared = 0;
    for file in files("bad", "toml") {
        let source = file.source();
        let problems = model::Problems::new();
        let Some(document) = model::parse(&source, &problems).filter(|_| !problems.has_errors()) else {
            continue;
        };
        let of_text = model::load(&source).err().unwrap();
        let of_data = model::build(document.table()).err().unwrap();
        let shown = |list: &[model::Problem]| {
            let each = list.iter().map(|problem| {
                (
                    problem.message.clone(),
                    problem.help.clone(),
                    problem.severity == Severity::Error,
                )
            });
            let mut list: Vec<_> = each.collect();
            list.sort();
            list
        };
        assert_eq!(shown(&of_text), shown(&of_data), "{}", file.name);
        for problem in &of_text {
            assert_eq!(
                document.find(&problem.place),
                problem.span,
                "{}: {problem:?}",
                file.name
            );
            assert!(
                !matches!(problem.place, Place::Text(_)),
                "{}: {problem:?}",
                file.name
            );
        }
        compared += 1;
    }
    assert!(compared > 300, "{compared}");
}

#[test]
fn a_program_is_told_the_path_of_what_is_wrong() {
    let file = scenarios()
        .into_iter()
        .find(|file| file.name == "double-spherical-pendulum")
        .unwrap();
    let mut spec = Spec::from_text(&file.source()).unwrap();
    let System::Spheres(spheres) = &mut spec.system else {
        panic!("on spheres")
    };
    spheres.bodies[1].mass = (-1.0).into();
    spheres.bodies[1].parent = Some("uper".into());
    spheres.potentials.push(Gravity::default().into());
    let problems = spec.build().err().unwrap();
    let shown: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "body.2.parent: there is no earlier body named `uper` (did you mean `upper`?)",
            "body.2.mass: `mass` must be positive, got -1.0",
        ]
    );
}

#[test]
fn a_knob_has_its_unit_and_bounds_and_can_be_turned() {
    let file = scenarios()
        .into_iter()
        .find(|file| file.name == "double-spherical-pendulum")
        .unwrap();
    let model = file.load();
    let knobs = model.knobs();
    let knob = |path: &str| knobs.iter().find(|knob| knob.path.to_string() == path).unwrap();
    let mass = knob("body.2.mass");
    assert_eq!(
        (mass.unit, mass.least, mass.most, mass.above, mass.whole),
        ("kg", Some(0.0), None, true, false)
    );
    assert_eq!(mass.label, "`mass` of body `lower`");
    assert_eq!(
        knob("body.1.direction.3").label,
        "component 3 of `direction` of body `upper`"
    );
    let heavier = model.with("body.lower.mass", 2.0 * mass.value).unwrap();
    assert_ne!(heavier.state.p, model.state.p);
    assert_eq!(
        heavier
            .knobs()
            .iter()
            .find(|k| k.path == mass.path)
            .unwrap()
            .value,
        2.0 * mass.value
    );
    let Err(ChangeError::Refused(problems)) = model.with(&mass.path.to_string(), -1.0) else {
        panic!("refused")
    };
    assert_eq!(problems[0].place, Place::Value(mass.path.clone()));
    assert!(matches!(
        model.with("body.3.mass", 1.0),
        Err(ChangeError::Path(_))
    ));
}

#[test]
fn a_knob_that_is_set_to_its_value_changes_nothing() {
    for file in scenarios() {
        let model = file.load();
        let knobs = model.knobs();
        assert!(knobs.len() >= 2, "{}", file.name);
        // A few from all over the model: each rebuilds it.
        for knob in knobs.iter().step_by(knobs.len().div_ceil(6)) {
            let value = match knob.whole {
                true => Value::from(knob.value as u64),
                false => knob.value.into(),
            };
            let what = format!("{}: {}", file.name, knob.path);
            assert_same(&model, &model.with(&knob.path.to_string(), value).unwrap(), &what);
            assert!(
                knob.least.is_none_or(|least| knob.value >= least)
                    && knob.most.is_none_or(|most| knob.value <= most),
                "{what}"
            );
        }
    }
}

#[test]
fn the_fingerprint_tells_models_apart() {
    let mut known = std::collections::HashMap::new();
    for file in scenarios() {
        let model = file.load();
        let print = model.fingerprint();
        if let Some(other) = known.insert(print, file.name.clone()) {
            panic!("{} and {other} have one fingerprint", file.name);
        }
        let longer = model
            .with("run.every", 7_u64)
            .unwrap()
            .with("title", "another")
            .unwrap();
        assert_eq!(longer.fingerprint(), print, "{}", file.name);
        let slower = model.with("run.step", 0.5 * model.schedule.step).unwrap();
        assert_ne!(slower.fingerprint(), print, "{}", file.name);
    }
}

/// Models that differ in their start alone share the mechanism, and move as if each had been built by itself.
#[test]
fn another_start_is_another_model() {
    let mut tried = 0;
    for scenario in scenarios() {
        let model = scenario.load();
        let starts = |knob: &&Knob| model.only_starts(&knob.path.to_string());
        // A few: large scenarios have thousands.
        let knobs = model.knobs();
        let mut some: Vec<&Knob> = knobs.iter().filter(starts).collect();
        some.dedup_by_key(|knob| knob.path.parent().cloned());
        some.truncate(4);
        for knob in some {
            let path = knob.path.to_string();
            let value = 0.98 * knob.value + 1e-3;
            let Ok(changed) = model.with(&path, value) else {
                // Directions have unit length.
                assert!(path.contains("direction"), "{}: {path}", scenario.name);
                continue;
            };
            let alone = model::build(&changed.table).unwrap();
            // What turns a link about itself does not move it.
            if model.state == alone.state {
                continue;
            }
            assert_eq!(changed.state, alone.state, "{}: {path}", scenario.name);
            assert_eq!(changed.fingerprint(), alone.fingerprint());
            let end = |model: &Model| {
                let mut simulation = model.simulation();
                simulation.advance(5).unwrap();
                simulation.state
            };
            assert_eq!(end(&changed), end(&alone), "{}: {path}", scenario.name);
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
}

/// `½ k |r|²`, as a program hands it over.
struct Pull(f64);

impl holonomy::potential::PointEnergy for Pull {
    fn evaluate(&self, points: &[holonomy::Vec3], gradient: &mut [holonomy::Vec3]) -> f64 {
        gradient[0] = points[0] * self.0;
        0.5 * self.0 * points[0].norm_squared()
    }
}

/// A function that a program hands over is the spring of the model language: its rest length is zero and its anchor the
/// origin of space, for a body on a sphere and for a site of a tree.
#[test]
fn a_given_potential_is_the_spring_of_the_same_energy() {
    let sphere = "[[body]]\nname = \"bob\"\nmass = 1.0\nlength = 1.0\npivot = [0.3, 0, 0]\n\
                  direction = [0, 0.6, 0.8]\n\n[method]\nname = \"sphere-implicit\"\n\n[run]\nstep = 0.01\nsteps = 200\n";
    let tree = "space = \"tree\"\n\n[[body]]\nname = \"arm\"\njoint = { kind = \"revolute\", axis = [0, 1, 0], at = [0.3, 0, 0] }\n\
                mass = 1.0\nshape = \"rod\"\nto = [0, 0, -1]\nposition = 1.0\nsites = { tip = [0, 0, -1] }\n\n\
                [[site]]\nname = \"origin\"\nat = [0, 0, 0]\n\n\
                [method]\nname = \"tree-variational\"\n\n[run]\nstep = 0.01\nsteps = 200\n";
    let spring_of_a_body = "[[potential]]\nkind = \"spring\"\nbetween = [\"bob\"]\nanchor = [0, 0, 0]\nstiffness = 3.0\nrest_length = 0\n";
    let spring_of_a_site = "[[potential]]\nkind = \"spring\"\nbetween = [\"tip\", \"origin\"]\nstiffness = 3.0\nrest_length = 0\n";
    let given = |point: &str| {
        format!("[[potential]]\nkind = \"given\"\nfunction = \"pull\"\npoints = [\"{point}\"]\n")
    };
    let functions = model::Functions::default().with("pull", std::sync::Arc::new(Pull(3.0)));
    for (text, spring, point) in [(sphere, spring_of_a_body, "bob"), (tree, spring_of_a_site, "tip")] {
        let end = |potential: &str| {
            let source = model::Source::new("model", format!("{text}\n{potential}"));
            let model =
                model::load_with(&source, &functions).unwrap_or_else(|problems| panic!("{problems:?}"));
            let mut simulation = model.simulation();
            simulation.advance(200).unwrap();
            let energy = model.mechanism.system().energy(&simulation.state).total();
            (simulation.state.q, energy)
        };
        let ((one, of_one), (other, of_other)) = (end(spring), end(&given(point)));
        let apart = one
            .iter()
            .zip(&other)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        // The same step by other roundings, 200 of them in a regular motion; a tree takes differences for the curvature.
        assert!(apart < 1e-12, "{point}: {apart:e}");
        assert!((of_one - of_other).abs() < 1e-12, "{point}: {of_one} {of_other}");
    }
    let lone = model::Source::new("model", format!("{sphere}\n{}", given("bob")));
    let problems = model::load(&lone).err().unwrap();
    assert!(
        problems[0].message.contains("`pull` is not given"),
        "{problems:?}"
    );
}
