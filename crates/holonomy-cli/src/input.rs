//! From the words of the command line to a model.
use crate::{
    ModelArguments, ScheduleArguments,
    failure::Failure,
    output::{colour_on_stderr, note},
    reading,
};
use holonomy_host::beside;
use holonomy_model::scenario;
use holonomy_model::{self as model, Marked, Model, Source};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// A model before it is read.
pub(crate) struct Input {
    /// What its run is called: the name of the scenario, or of the file without its ending.
    pub(crate) name: String,
    /// Its text and what the command line changes in it.
    pub(crate) source: Source,
    /// Where the model of a formula is saved, if the user wants that.
    save: Option<PathBuf>,
    /// Whether it is a formula, which does not say how far to run.
    is_formula: bool,
}

impl Input {
    /// What the command line names: a scenario, a file or a formula.
    pub(crate) fn open(arguments: &ModelArguments) -> Result<Self, Failure> {
        match (&arguments.formula.lagrangian, &arguments.model) {
            (Some(_), Some(name)) => Err(Failure::TwoModels { name: name.clone() }),
            (Some(lagrangian), None) => Ok(Self {
                name: "formula".to_owned(),
                source: arguments.formula.source(lagrangian)?,
                save: arguments.formula.save.clone(),
                is_formula: true,
            }),
            (None, name) => Self::find(name.as_deref().unwrap_or_default()),
        }
    }

    /// The scenario or the file of this name; a directory stands for the `model.toml` in it.
    pub(crate) fn find(name: &str) -> Result<Self, Failure> {
        if let Some(scenario) = scenario::find(name) {
            return Ok(Self {
                name: scenario.name.to_owned(),
                source: scenario.source(),
                save: None,
                is_formula: false,
            });
        }
        let path = Path::new(name);
        let path = if path.is_dir() {
            path.join("model.toml")
        } else {
            path.to_owned()
        };
        let text = match reading::text(&path) {
            Err(Failure::Unreadable { source, .. })
                if source.kind() == io::ErrorKind::NotFound && !looks_like_a_path(name) =>
            {
                return Err(Failure::UnknownModel {
                    name: name.to_owned(),
                    suggestion: scenario::suggestion(name),
                });
            }
            read => read?,
        };
        Ok(Self {
            name: run_name(&path),
            source: Source::new(path.display().to_string(), text).beside(beside::beside(&path)),
            save: None,
            is_formula: false,
        })
    }

    /// The model as it is, with the keys that the user sets. A formula is not run, so its schedule does not matter.
    pub(crate) fn with_keys(arguments: &ModelArguments) -> Result<Self, Failure> {
        let mut input = Self::open(arguments)?;
        if input.is_formula {
            input
                .source
                .with_value(&["run", "step"], 0.01)
                .with_value(&["run", "steps"], 1_u64);
        }
        input.set(&arguments.set);
        Ok(input)
    }

    /// Whether the model says how far to run.
    pub(crate) fn is_formula(&self) -> bool {
        self.is_formula
    }

    /// Another input of the same text.
    pub(crate) fn again(&self) -> Self {
        Self {
            name: self.name.clone(),
            source: self.source.clone(),
            save: None,
            is_formula: self.is_formula,
        }
    }

    /// Refuses a formula without these flags.
    pub(crate) fn require(&self, flags: &[(&'static str, bool)], set: &[String]) -> Result<(), Failure> {
        let given = |flag: &str| {
            let key = format!("run.{}", flag.trim_start_matches('-'));
            set.iter().any(|pair| pair.trim_start().starts_with(&key))
        };
        let missing = flags.iter().filter(|(flag, present)| !present && !given(flag));
        let flags: Vec<&'static str> = missing.map(|(flag, _)| *flag).collect();
        match self.is_formula && !flags.is_empty() {
            true => Err(Failure::NoSchedule { flags }),
            false => Ok(()),
        }
    }

    /// Writes the model of a formula where the user wants it, over an earlier file only if that may be replaced.
    pub(crate) fn save(&self, model: &Model, replace: bool) -> Result<(), Failure> {
        let Some(path) = &self.save else {
            return Ok(());
        };
        let same = fs::read_to_string(path).is_ok_and(|text| text == model.to_toml());
        if !replace && !same && path.exists() {
            return Err(Failure::Saved { path: path.clone() });
        }
        fs::write(path, model.to_toml()).map_err(|source| Failure::Unwritable {
            path: path.clone(),
            source,
        })
    }

    /// Chooses a method. The options of the model's own method go with it.
    pub(crate) fn set_method(&mut self, flag: &str, method: &str) {
        self.source.without(&["method"]);
        self.source.with_flag(flag, &["method", "name"], method);
    }

    pub(crate) fn set_schedule(&mut self, schedule: &ScheduleArguments) {
        if let Some(step) = &schedule.step {
            self.source.with_flag("--step", &["run", "step"], step);
        }
        set_length(
            &mut self.source,
            schedule.duration.as_deref(),
            schedule.steps.as_deref(),
        );
        if let Some(every) = &schedule.every {
            self.source.with_flag("--every", &["run", "every"], every);
        }
    }

    pub(crate) fn set_duration(&mut self, duration: &str) {
        set_length(&mut self.source, Some(duration), None);
    }

    /// Names of outputs, with commas between them.
    pub(crate) fn set_record(&mut self, names: &str) {
        const FLAG: &str = "--record";
        let words = self.source.with_words(format!("{FLAG} {names}"));
        let mut at = words.start + FLAG.len() + 1;
        let mut list = Vec::new();
        for name in names.split(',') {
            let start = at + (name.len() - name.trim_start().len());
            at += name.len() + 1;
            let name = name.trim();
            if !name.is_empty() {
                list.push(Marked::text(name, start..start + name.len()));
            }
        }
        let flag = words.start..words.start + FLAG.len();
        let path = [("output", flag.clone()), ("record", flag)];
        self.source.with_marked(path, Marked::list(list, words));
    }

    pub(crate) fn set(&mut self, keys: &[String]) {
        for key in keys {
            self.source.with_override(key);
        }
    }

    /// Reads the model; notes are shown unless quiet is wanted.
    pub(crate) fn load(&self, quiet: bool) -> Result<Model, Failure> {
        let model = model::load(&self.source).map_err(|problems| Failure::BadModel {
            text: Box::new(self.source.clone()),
            problems,
        })?;
        if !quiet {
            note(&model::render(
                &self.source,
                &model.notes,
                colour_on_stderr(),
                MOST_NOTES,
            ));
        }
        Ok(model)
    }
}

/// How far a model runs, as flags say it.
pub(crate) fn set_length(source: &mut Source, duration: Option<&str>, steps: Option<&str>) {
    match duration {
        Some(duration) if matches!(duration.trim(), "inf" | "+inf" | "infinity" | "forever") => {
            source.without(&["run", "duration"]);
            source.with_value(&["run", "steps"], FOREVER);
        }
        Some(duration) => {
            source.without(&["run", "steps"]);
            source.with_flag("--duration", &["run", "duration"], duration);
        }
        None => {}
    }
    if let Some(steps) = steps {
        source.without(&["run", "duration"]);
        source.with_flag("--steps", &["run", "steps"], steps);
    }
}

/// The most steps that a run may have; nobody waits for its end.
const FOREVER: u64 = 1_000_000_000_000;
const MOST_NOTES: usize = 10;

fn looks_like_a_path(name: &str) -> bool {
    name.contains(std::path::is_separator) || name.ends_with(".toml")
}

/// `pendulum` for `models/pendulum.toml`, and `first` for `runs/first/model.toml`.
fn run_name(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    // A name of dots alone would be another folder.
    if !stem.trim_matches('.').is_empty() && stem != "model" {
        return stem.into_owned();
    }
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = absolute.parent().and_then(Path::file_name);
    folder.map_or_else(|| "model".to_owned(), |name| name.to_string_lossy().into_owned())
}
