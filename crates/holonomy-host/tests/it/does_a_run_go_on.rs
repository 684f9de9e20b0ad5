use holonomy::{integrator::catalog, system::Mechanism};
use holonomy_host::{
    archive::Archive,
    folder::{Folder, RUN_FILES, Replace},
    resume::Resumable,
    unfinished::Interval,
    view::Live,
};
use holonomy_model::{self as model, Model, Source, scenario};
use holonomy_report::{
    certificate::Effort,
    run::{Control, Progress},
};
use std::{fs, path::Path, sync::atomic::AtomicBool};
use tempfile::TempDir;

fn control(stop: &AtomicBool) -> Control<'_> {
    Control {
        stop,
        progress: Box::leak(Box::new(|_: &Progress| {})),
        effort: Effort::None,
    }
}

/// Runs a model of so many steps into a folder.
fn run(source: &Source, steps: u64, interval: Interval, path: &Path) -> Model {
    let mut source = source.clone();
    source.with_value(&["run", "steps"], steps);
    let model = model::load(&source).unwrap_or_else(|problems| panic!("{problems:?}"));
    let archive = Archive {
        folder: Folder::open(path, RUN_FILES, Replace::Nothing).expect("a folder"),
        model: &model,
        name: "run",
        header: "",
        interval,
        live: &Live::new("", None),
    };
    let stop = AtomicBool::new(false);
    let archived = archive.run(control(&stop)).expect("a run");
    archived.files.expect("files");
    model
}

fn go_on(path: &Path, steps: u64) {
    let resumable = Resumable::open(path).expect("a run");
    let longer = |source: &mut Source| {
        source.with_value(&["run", "steps"], steps);
    };
    let model = resumable.model(Some(&longer)).expect("a model");
    let (stop, live) = (AtomicBool::new(false), Live::new("", None));
    let interval = Interval::Steps(3);
    let archived = resumable.go_on(&model, "", interval, &live, control(&stop));
    archived.expect("it goes on").files.expect("files");
}

/// What a run left, but for what it cost: where a run goes on, forces and lists of neighbours are computed once more.
fn left(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<String> = fs::read_dir(path)
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| !matches!(name.as_str(), "report.html" | "checkpoint.bin" | ".holonomy"))
        .collect();
    files.sort();
    let read = |name: String| {
        let bytes = fs::read(path.join(&name)).expect("a file");
        match name.as_str() {
            "summary.json" => {
                let mut summary: serde_json::Value = serde_json::from_slice(&bytes).expect("a summary");
                for key in ["wall_seconds", "steps_per_second", "certificate"] {
                    summary[key] = serde_json::Value::Null;
                }
                for key in ["rebuilds", "evaluations"] {
                    summary["solver"][key] = serde_json::Value::Null;
                }
                (name, summary.to_string().into_bytes())
            }
            _ => (name, bytes),
        }
    };
    files.into_iter().map(read).collect()
}

/// Whether a run in three pieces, kept on the disk every few steps, leaves what one without a break does.
fn goes_on(source: &Source, about: &str, steps: [u64; 3]) {
    let place = TempDir::new().expect("a directory");
    let (whole, pieces) = (place.path().join("whole"), place.path().join("pieces"));
    run(source, steps[0], Interval::Steps(2), &pieces);
    go_on(&pieces, steps[1]);
    go_on(&pieces, steps[2]);
    run(source, steps[2], Interval::Never, &whole);
    let [expected, found] = [left(&whole), left(&pieces)];
    for ((name, expected), (other, found)) in expected.iter().zip(&found) {
        assert_eq!(name, other, "{about}");
        assert!(expected == found, "{about}: {name} differs");
    }
    assert_eq!(expected.len(), found.len(), "{about}");
}

fn source(scenario: &scenario::Scenario) -> Source {
    let mut source = scenario.source();
    source.without(&["run", "duration"]);
    source.with_value(&["run", "every"], 3_u64);
    source
}

/// The longest step of an adaptive method follows from the length of a run: it is given, so that both are the same.
fn fixed_step(source: &mut Source, adaptive: bool) {
    if adaptive {
        source.with_value(&["method", "max_step"], 1.0);
    }
}

/// Statistics, curves and columns of outputs go on too, also with an adaptive method.
#[test]
fn outputs_go_on_to_the_bit() {
    for (name, method, record) in [
        (
            "slider-crank",
            None,
            &["rod.force", "crank.effort", "piston.velocity.x", "energy"][..],
        ),
        (
            "ten-link-cable",
            None,
            &["cable-1.tension", "cable-1.force", "cable-10.velocity"],
        ),
        // Its ends are held: there are multipliers beside the vectors of its links.
        ("skipping-rope", None, &["link-20.velocity", "link-20.z"]),
        (
            "double-plane-pendulum",
            None,
            &["lower", "lower.velocity", "V", "energy"],
        ),
        (
            "double-plane-pendulum",
            Some("dop853"),
            &["lower.velocity.z", "T", "a"],
        ),
        (
            "double-spherical-pendulum",
            None,
            &["lower.z", "upper.velocity", "angular momentum z"],
        ),
    ] {
        let scenario = scenario::find(name).expect("a scenario");
        for format in ["parquet", "csv", "npz"] {
            let mut source = source(scenario);
            if let Some(method) = method {
                source.without(&["method"]);
                source.with_value(&["method", "name"], method);
                fixed_step(&mut source, true);
            }
            source.with_value(&["output", "format"], format);
            let names = record.iter().map(|name| model::Value::from(*name)).collect();
            source.with_value(&["output", "record"], model::Value::List(names));
            goes_on(&source, &format!("{name} as {format}"), [10, 17, 31]);
        }
    }
}

#[test]
#[ignore = "long: every scenario, five times"]
fn every_scenario_goes_on_to_the_bit() {
    for (k, scenario) in scenario::SCENARIOS.iter().enumerate() {
        let mut source = source(scenario);
        source.with_value(&["run", "steps"], 1_u64);
        let model = model::load(&source).unwrap_or_else(|problems| panic!("{problems:?}"));
        // Ten thousand bodies write a hundred megabytes of text.
        let large = model.state.q.len() > 10_000;
        let format = if large {
            "parquet"
        } else {
            ["parquet", "csv", "npz"][k % 3]
        };
        source.with_value(&["output", "format"], format);
        fixed_step(&mut source, model.method.adaptive);
        let steps = if large { [1, 2, 4] } else { [10, 17, 31] };
        goes_on(&source, &format!("{} as {format}", scenario.name), steps);
    }
}

#[test]
#[ignore = "long: every method on every scenario that it serves"]
fn overnight_every_method_goes_on_to_the_bit() {
    let mut tried = 0;
    for scenario in scenario::SCENARIOS {
        let mut source = source(scenario);
        source.with_value(&["run", "steps"], 1_u64);
        let first = model::load(&source).unwrap_or_else(|problems| panic!("{problems:?}"));
        if first.state.q.len() > 3000 {
            continue;
        }
        for method in catalog::METHODS.iter() {
            if method.build(&first.mechanism).is_err() {
                continue;
            }
            let mut source = source.clone();
            source.without(&["method"]);
            source.with_value(&["method", "name"], method.name);
            fixed_step(&mut source, method.adaptive);
            // Not every method can take the step that another was chosen for.
            source.with_value(&["run", "step"], first.schedule.step / 8.0);
            let Ok(model) = model::load(&source) else { continue };
            let mut simulation = model.simulation();
            if simulation.advance(24).is_err() {
                continue;
            }
            let format = ["parquet", "csv", "npz"][tried % 3];
            source.with_value(&["output", "format"], format);
            let about = format!("{} by {} as {format}", scenario.name, method.name);
            goes_on(&source, &about, [7, 13, 23]);
            tried += 1;
        }
        if let Mechanism::Spheres(_) = first.mechanism {
            assert!(tried > 0, "{}", scenario.name);
        }
    }
    assert!(tried > 300, "{tried}");
}
