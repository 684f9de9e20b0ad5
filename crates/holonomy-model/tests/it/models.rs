use holonomy::{
    integrator::catalog::{METHODS, Options},
    scene::Poses,
    system::{Family, Mechanism},
};
use holonomy_model::{self as model, Model, Problem, Severity, Source};
use std::{
    fs,
    path::{Path, PathBuf},
};

#[test]
fn every_bad_model_is_refused_in_the_words_of_its_snapshot() {
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    let mut wrong = Vec::new();
    for file in files("bad", "toml") {
        let source = file.source();
        let Err(problems) = model::load(&source) else {
            wrong.push(format!("{}: it loads", file.name));
            continue;
        };
        assert!(
            problems.iter().any(|p| p.severity == Severity::Error),
            "{}",
            file.name
        );
        let said = model::render(&source, &problems, false, 50);
        let snapshot = file.path.with_extension("stderr");
        if update {
            fs::write(&snapshot, said).unwrap();
            continue;
        }
        match fs::read_to_string(&snapshot) {
            Ok(expected) if expected == said => {}
            Ok(expected) => wrong.push(format!("{}: expected\n{expected}\ngot\n{said}", file.name)),
            Err(_) => wrong.push(format!("{}: no snapshot", file.name)),
        }
    }
    let hint = "set UPDATE_SNAPSHOTS=1 to rewrite the snapshots, and read every change";
    assert!(wrong.is_empty(), "{}\n{hint}", wrong.join("\n"));
}

#[test]
fn every_snapshot_belongs_to_a_bad_model() {
    let snapshots = files("bad", "stderr");
    assert!(snapshots.len() >= 40);
    for snapshot in snapshots {
        assert!(snapshot.path.with_extension("toml").exists(), "{}", snapshot.name);
    }
}

#[test]
fn errors_point_at_the_text_they_are_about() {
    let whole = [
        "empty",
        "only-comments",
        "missing-method",
        "missing-run",
        "no-bodies",
        "kinetic-energy-infinite",
        "lagrangian-coordinates-missing",
        "lagrangian-method-missing",
        "lagrangian-missing",
        "lagrangian-space-missing",
        "lagrangian-start-missing",
    ];
    for file in files("bad", "toml") {
        let source = file.source();
        for problem in model::load(&source).err().unwrap() {
            check_place(&source, &problem);
            let stem = file.name.trim_end_matches(".toml");
            let place = source.locate(problem.span.clone());
            let rest = &place.text[place.local.start..];
            let at_the_end = rest.is_empty() || rest.starts_with('\n');
            assert!(
                !problem.span.is_empty() || at_the_end || whole.contains(&stem),
                "{stem}: {problem:?}"
            );
        }
    }
}

#[test]
fn good_models_load_with_just_the_notes_they_announce() {
    for file in files("good", "toml") {
        let announced: Vec<&str> = file
            .text
            .lines()
            .filter_map(|line| line.strip_prefix("# note: "))
            .collect();
        let model = file.load();
        let notes: Vec<&str> = model.notes.iter().map(|note| note.message.as_str()).collect();
        assert_eq!(notes, announced, "{}", file.name);
    }
}

#[test]
fn scenarios_load_without_notes() {
    for file in scenarios() {
        assert_eq!(file.load().notes, [], "{}", file.name);
    }
}

#[test]
fn resolved_models_load_to_the_same_model() {
    for file in good_and_scenarios() {
        let model = file.load();
        let again = load(&Source::new(&file.name, model.to_toml()));
        assert_same(&model, &again, &file.name);
        assert_eq!(again.to_toml(), model.to_toml(), "{}", file.name);
        assert_eq!(messages(&again), messages(&model), "{}", file.name);
    }
}

#[test]
fn line_endings_do_not_matter() {
    for file in good_and_scenarios() {
        let carriage = Source::new(&file.name, file.text.replace('\n', "\r\n"));
        assert_same(&file.load(), &load(&carriage), &file.name);
    }
}

#[test]
fn a_diagonal_inertia_matrix_is_recognised() {
    let file = files("good", "toml")
        .into_iter()
        .find(|file| file.name == "diagonal-inertia.toml")
        .unwrap();
    let model = file.load();
    let Mechanism::Spheres(spheres) = &model.mechanism else {
        panic!("on spheres")
    };
    assert!(spheres.inertia().is_diagonal());
    assert_eq!(
        [0, 1, 2].map(|i| spheres.inertia().diagonal(i)),
        [0.5, 0.75, 1.25]
    );
    assert_eq!(model.method.name, "sphere-explicit");
}

#[test]
fn an_override_with_the_value_of_the_file_changes_nothing() {
    for file in scenarios() {
        let model = file.load();
        let mut leaves = Vec::new();
        numbers(
            "",
            &toml::Value::Table(model.to_toml().parse().unwrap()),
            &mut leaves,
        );
        assert!(leaves.len() >= 2, "{}", file.name);
        for leaf in leaves {
            let mut source = Source::new(&file.name, &file.text);
            source.with_override(&leaf);
            assert_same(&model, &load(&source), &format!("{} --set {leaf}", file.name));
        }
    }
}

#[test]
fn an_override_with_another_value_is_seen() {
    for (scenario, given) in [
        ("pendulum-chain", "chain.links=3"),
        ("double-spherical-pendulum", "body.upper.direction=[0, 0.6, 0.8]"),
        ("double-spherical-pendulum", "body.2.angular_velocity.1=0.5"),
        ("elastic-rod-as-published", "inertia.5.5=3e-4"),
        ("three-bodies-on-a-sphere", "body.third.mass=2 kg"),
    ] {
        let file = scenarios()
            .into_iter()
            .find(|file| file.name == scenario)
            .unwrap();
        let mut source = Source::new(&file.name, &file.text);
        source.with_override(given);
        let (plain, set) = (file.load(), load(&source));
        assert_ne!(
            (plain.state.q, plain.state.p),
            (set.state.q, set.state.p),
            "{scenario} --set {given}"
        );
    }
}

#[test]
#[ignore = "long: thousands of models"]
fn mutated_models_load_to_finite_energy_or_are_refused_with_places() {
    let files = good_and_scenarios();
    let mut random = Random(20_090_728);
    let (mut loaded, mut refused) = (0, 0);
    for round in 0..5000 {
        let file = &files[round % files.len()];
        let mut text = file.text.clone();
        for _ in 0..=random.below(2) {
            text = mutated(&text, &mut random);
        }
        let source = Source::new("mutated", text);
        match model::load(&source) {
            Ok(model) => {
                loaded += 1;
                let energy = model.mechanism.system().energy(&model.state);
                assert!(energy.total().is_finite(), "{energy:?}\n{}", source.text());
                model.notes.iter().for_each(|note| check_place(&source, note));
            }
            Err(problems) => {
                refused += 1;
                assert!(
                    problems.iter().any(|p| p.severity == Severity::Error),
                    "{}",
                    source.text()
                );
                problems.iter().for_each(|problem| check_place(&source, problem));
                let said = model::render(&source, &problems, refused % 2 == 0, 50);
                let message = problems[0].message.replace('\t', "    ");
                assert!(said.contains(&message), "{said}\n{}", source.text());
            }
        }
    }
    // Otherwise the mutations are too wild or too tame to say anything.
    assert!(
        loaded > 300 && refused > 300,
        "{loaded} loaded, {refused} refused"
    );
}

#[test]
fn methods_are_suggested_to_the_families_they_serve() {
    let models: Vec<Model> = good_and_scenarios().iter().map(File::load).collect();
    for method in METHODS {
        for family in [Family::Spheres, Family::Lagrangian, Family::Framed] {
            let mut fits = models
                .iter()
                .filter(|model| model.mechanism.family() == family)
                .map(|model| method.build_with(&model.mechanism, &Options::default()).is_ok());
            let fits = fits.any(|fits| fits);
            assert_eq!(method.serves(family), fits, "{} for {family:?}", method.name);
        }
    }
}

#[test]
fn a_momentum_may_need_a_velocity_near_a_bound() {
    // p = v/√(1 − v²); Newton's first correction is beyond 1.
    let text = "coordinates = [\"x\"]\nlagrangian = \"-sqrt(1 - x'^2)\"\n[start]\nx = 0\n[momentum]\nx = 1000\n\
        [method]\nname = \"midpoint\"\n[run]\nstep = 0.1\nsteps = 10";
    let mut simulation = load(&Source::new("fast", text)).simulation();
    for _ in 0..10 {
        simulation.step_by(0.1).unwrap();
    }
    let far = 1000.0 / 1_000_001.0_f64.sqrt();
    // The derivative of v by p is p⁻³ there: rounding of the momentum is not seen.
    assert!(
        (simulation.state.q[0] - far).abs() < 1e-14,
        "{:?}",
        simulation.state
    );
}

pub(crate) struct File {
    pub(crate) name: String,
    path: PathBuf,
    text: String,
}

impl File {
    /// The text with the overrides that its first lines ask for: `# --set run.step=0`.
    pub(crate) fn source(&self) -> Source {
        let mut source = Source::new(&self.name, &self.text);
        for given in self.text.lines().map_while(|line| line.strip_prefix("# --set ")) {
            source.with_override(given);
        }
        source
    }

    pub(crate) fn load(&self) -> Model {
        load(&self.source())
    }
}

fn load(source: &Source) -> Model {
    model::load(source).unwrap_or_else(|problems| panic!("{}", model::render(source, &problems, false, 50)))
}

/// The files of a folder of `models`, in the order of their names.
pub(crate) fn files(folder: &str, extension: &str) -> Vec<File> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/models")
        .join(folder);
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    paths.sort();
    let file = |path: PathBuf| File {
        name: path.file_name().unwrap().to_str().unwrap().to_owned(),
        text: fs::read_to_string(&path).unwrap(),
        path,
    };
    let files: Vec<File> = paths.into_iter().map(file).collect();
    assert!(!files.is_empty());
    files
}

pub(crate) fn scenarios() -> Vec<File> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut folders: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    let file = |folder: PathBuf| {
        let path = folder.join("model.toml");
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        fs::read_to_string(&path)
            .ok()
            .map(|text| File { name, path, text })
    };
    let files: Vec<File> = folders.into_iter().filter_map(file).collect();
    assert!(files.len() >= 12);
    files
}

pub(crate) fn good_and_scenarios() -> Vec<File> {
    let mut files = files("good", "toml");
    files.extend(scenarios());
    files
}

fn messages(model: &Model) -> Vec<&str> {
    model.notes.iter().map(|note| note.message.as_str()).collect()
}

/// What is drawn, and where; as text, in which what is not a number is equal to itself.
fn scene(model: &Model) -> String {
    let system = model.mechanism.system();
    let mut poses = Poses::default();
    system.poses(&model.state, &mut poses, &mut system.scratch());
    format!("{:?} {poses:?}", system.scene())
}

pub(crate) fn assert_same(a: &Model, b: &Model, what: &str) {
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
    assert_eq!(bits(&a.state.q), bits(&b.state.q), "{what}: q");
    assert_eq!(bits(&a.state.p), bits(&b.state.p), "{what}: p");
    assert_eq!(a.state.t.to_bits(), b.state.t.to_bits(), "{what}: t");
    let energy = |model: &Model| model.mechanism.system().energy(&model.state);
    assert_eq!(energy(a), energy(b), "{what}: energy");
    assert_eq!(
        a.mechanism.system().layout().words.bodies,
        b.mechanism.system().layout().words.bodies,
        "{what}"
    );
    assert_eq!(scene(a), scene(b), "{what}: scene");
    assert_eq!(a.method.name, b.method.name, "{what}");
    assert_eq!(a.options, b.options, "{what}");
    assert_eq!(a.schedule, b.schedule, "{what}");
    assert_eq!(a.format, b.format, "{what}");
    assert_eq!(a.title, b.title, "{what}");
}

/// The span lies within one of the texts, on the boundaries of characters.
fn check_place(source: &Source, problem: &Problem) {
    let span = problem.span.clone();
    let place = source.locate(span.clone());
    assert!(span.start <= span.end, "{problem:?}");
    assert_eq!(place.local.len(), span.len(), "{problem:?}\n{}", source.text());
    assert!(
        place.local.end <= place.text.len(),
        "{problem:?}\n{}",
        source.text()
    );
    assert!(
        !problem.message.is_empty() && !problem.message.contains('\n'),
        "{problem:?}"
    );
}

/// `path=value` of every number and every text on one line.
fn numbers(path: &str, value: &toml::Value, found: &mut Vec<String>) {
    let inner = |key: &str| {
        if path.is_empty() {
            key.to_owned()
        } else {
            format!("{path}.{key}")
        }
    };
    match value {
        toml::Value::Table(table) => table
            .iter()
            .for_each(|(key, value)| numbers(&inner(key), value, found)),
        toml::Value::Array(array) => {
            for (index, value) in array.iter().enumerate() {
                numbers(&inner(&(index + 1).to_string()), value, found);
            }
        }
        toml::Value::Integer(number) => found.push(format!("{path}={number}")),
        toml::Value::Float(number) => found.push(format!("{path}={number:?}")),
        toml::Value::String(text) if !text.contains('\n') => found.push(format!("{path}={text}")),
        _ => {}
    }
}

/// Deletes, doubles or swaps lines, changes a digit, puts a letter in, or cuts the end off.
fn mutated(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    if lines.is_empty() {
        return text.to_owned();
    }
    let (line, other) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(6) {
        0 => {
            lines.remove(line);
        }
        1 => lines.insert(line, lines[line]),
        2 => lines.swap(line, other),
        3 => {
            let digits: Vec<usize> = text
                .char_indices()
                .filter(|(_, c)| c.is_ascii_digit())
                .map(|(at, _)| at)
                .collect();
            let Some(&at) = digits.get(random.below(digits.len().max(1))) else {
                return text.to_owned();
            };
            return format!("{}{}{}", &text[..at], random.below(10), &text[at + 1..]);
        }
        4 => {
            let at = text.floor_char_boundary(random.below(text.len()));
            let letters: Vec<char> = "0189.-+*/^()eE_ \t\n\r\"'[]{}=,#:mkgstxy°µé\u{feff}\0"
                .chars()
                .collect();
            return format!(
                "{}{}{}",
                &text[..at],
                letters[random.below(letters.len())],
                &text[at..]
            );
        }
        _ => return text[..text.floor_char_boundary(random.below(text.len()))].to_owned(),
    }
    lines.join("\n")
}

/// Knuth's linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// What inputs do by themselves, against the same written as forces: a Lagrangian and a tree.
#[test]
fn inputs_by_themselves_are_the_forces_that_say_the_same() {
    let held = |name: &str| {
        files("good", "toml")
            .into_iter()
            .find(|file| file.name == name)
            .unwrap()
    };
    let ends = |text: &str| -> (Vec<f64>, Vec<f64>) {
        let model = model::load(&Source::new("m", text)).unwrap();
        let mut simulation = model.simulation();
        simulation.advance(100).unwrap();
        (simulation.state.q, simulation.state.p)
    };
    let whole = |name: &str| fs::read_to_string(held(name).path).unwrap();
    let without = |text: &str| -> String {
        let sections = text.split("\n[");
        let others: Vec<&str> = sections
            .filter(|section| !section.starts_with("[input"))
            .collect();
        others.join("\n[")
    };
    // Tables there and here are the same spline; between 0 and 1 that of two points is a cubic.
    let cubic = |a: f64, b: f64| format!("({a} + ({b} - {a})*t^2*(3 - 2*t))");
    let text = whole("inputs.toml").replace(
        "{ times = [0, 0.5, 1], values = [0, 0.2, 0] }",
        "\"0.2*sin(pi*t)\"",
    );
    let motor = format!("0.1*sin(k*t) + {}*(theta - 0.05*t) - 2*theta'", cubic(-9.0, -8.0));
    let plain = without(&text).replace(
        "[method]",
        &format!("[force]\nx = \"0.4*sin(pi*t)\"\ntheta = \"{motor}\"\n[method]"),
    );
    let tree = whole("tree-inputs.toml");
    let effort = format!("{} - 20*q - 3*v + rail", cubic(6.0, 7.0));
    let shoulder = without(&tree).replacen(
        "mass = 1\nshape",
        &format!("effort = \"{effort}\"\nmass = 1\nshape"),
        1,
    );
    for (inputs, forces) in [(text, plain), (tree, shoulder)] {
        let (inputs, forces) = (ends(&inputs), ends(&forces));
        let all = inputs
            .0
            .iter()
            .chain(&inputs.1)
            .zip(forces.0.iter().chain(&forces.1));
        for (input, force) in all {
            // A hundred steps, each rounded.
            assert!((input - force).abs() < 1e-12, "{input} {force}");
        }
        assert!(inputs.0.iter().any(|q| q.abs() > 1e-2));
    }
}
