//! A model as the page has it: text and settings in, everything that a page shows of it out.
use crate::{
    drag::{self, Dragging},
    knobs::Slider,
    places::Problem,
    run::{RunSpec, TRACE_HEAD},
    settings::{self, Setting},
};
use holonomy::{
    integrator::catalog,
    scene::Scene,
    system::{Family, Mechanism, Names},
};
use holonomy_model::{Model, Source, Table, Value, scenario, to_toml};
use serde::Serialize;

/// Coordinates and velocities of a row for plots.
pub(crate) const MOST_TRACED: usize = 8;
/// Coordinates and velocities of a frame.
pub(crate) const MOST_NUMBERS: usize = 512;

/// What a page shows of a model.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "said in `web/src/engine/types.ts`")]
pub struct Loaded {
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario: Option<&'static str>,
    pub family: &'static str,
    pub scene: Scene,
    pub bodies: Names,
    pub knobs: Vec<Slider>,
    pub methods: Vec<MethodInfo>,
    pub method: &'static str,
    pub step: f64,
    pub duration: f64,
    pub coordinates: Coordinates,
    pub velocities: Velocities,
    pub conserved: Vec<String>,
    pub driven: bool,
    pub has_constraint: bool,
    pub has_unit_length: bool,
    pub trace_columns: Vec<String>,
    pub draggable: Vec<Dragging>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_draggable: Option<&'static str>,
    pub fingerprint: String,
    pub text: String,
    pub command: String,
    pub notes: Vec<Problem>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Coordinates {
    pub names: Vec<String>,
    pub angles: Vec<bool>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Velocities {
    pub names: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct MethodInfo {
    pub name: &'static str,
    pub summary: &'static str,
    pub order: u32,
    pub geometric: bool,
    pub adaptive: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
}

/// A text with what the page set in it.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    text: String,
    /// The scenario whose text it is.
    pub(crate) scenario: Option<&'static str>,
    settings: Vec<Setting>,
}

impl Draft {
    pub(crate) fn new(text: &str, settings: &[Setting]) -> Self {
        let scenario = scenario::SCENARIOS.iter().find(|scenario| scenario.model == text);
        Self {
            settings: settings::whole(text, settings),
            scenario: scenario.map(|scenario| scenario.name),
            text: text.to_owned(),
        }
    }

    /// The model of a run: as the command reads it, flags first and settings after them.
    pub(crate) fn source(&self, spec: &RunSpec) -> Source {
        let mut source = Source::new(self.name(), self.text.as_str());
        if let Some(method) = &spec.method {
            source.without(&["method"]);
            source.with_flag("--method", &["method", "name"], method);
        }
        if let Some(step) = &spec.step {
            source.with_flag("--step", &["run", "step"], &step.to_string());
        }
        for setting in self.settings_for(spec) {
            source.with_override(setting.words());
        }
        source
    }

    /// What the run itself says goes before what is set.
    fn settings_for(&self, spec: &RunSpec) -> impl Iterator<Item = &Setting> {
        let (method, step) = (spec.method.is_some(), spec.step.is_some());
        self.settings.iter().filter(move |setting| {
            let overruled = method && setting.is_in("method") || step && setting.path.trim() == "run.step";
            !overruled
        })
    }

    fn name(&self) -> &'static str {
        self.scenario.unwrap_or("model.toml")
    }

    /// The command line that repeats a run.
    pub(crate) fn command(&self, spec: &RunSpec) -> String {
        let mut words = vec!["holonomy run".to_owned(), self.name().to_owned()];
        if let Some(method) = &spec.method {
            words.push(format!("--method {}", quoted(method)));
        }
        if let Some(step) = spec.step {
            words.push(format!("--step {step}"));
        }
        let settings = self.settings_for(spec);
        words.extend(settings.map(|setting| format!("--set {}", quoted(&setting.words()))));
        words.join(" ")
    }
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-+=/,".contains(letter);
    match word.chars().all(plain) && !word.is_empty() {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// All that a page shows of a model.
pub(crate) fn shown(draft: &Draft, source: &Source, model: &Model) -> Loaded {
    let system = model.mechanism.system();
    let layout = system.layout();
    let first = |names: &Names, most: usize| -> Vec<String> {
        let shown = names.len().min(most);
        (0..shown).filter_map(|k| names.one(k)).collect()
    };
    let (q, v) = (&layout.coordinates, &layout.velocities);
    let traced = |letter: char, names: &Names| -> Vec<String> {
        let names = first(names, MOST_TRACED).into_iter();
        names.map(|name| format!("{letter} {name}")).collect()
    };
    let trace_columns = TRACE_HEAD.iter().map(|name| (*name).to_owned());
    let (draggable, not_draggable) = match drag::draggable(model) {
        Ok(draggable) => (draggable, None),
        Err(why) => (Vec::new(), Some(why)),
    };
    let family = model.mechanism.family();
    let methods = catalog::METHODS.iter().filter(|method| method.serves(family));
    let spec = RunSpec::default();
    Loaded {
        title: model.title.clone(),
        scenario: draft.scenario,
        family: match family {
            Family::Spheres => "spheres",
            Family::Lagrangian | Family::Framed => "lagrangian",
            Family::Tree => "tree",
        },
        scene: system.scene(),
        bodies: layout.words.bodies.clone(),
        knobs: model.knobs().into_iter().map(Slider::from).collect(),
        methods: methods
            .map(|method| MethodInfo {
                name: method.name,
                summary: method.summary,
                order: method.order,
                geometric: method.is_geometric(),
                adaptive: method.adaptive,
                unsupported: (method.build(&model.mechanism).err())
                    .map(|why| format!("needs {}; use `{}`", why.needs, why.instead)),
            })
            .collect(),
        method: model.method.name,
        step: model.schedule.step,
        duration: model.schedule.step * model.schedule.steps as f64,
        coordinates: Coordinates {
            names: first(q, MOST_NUMBERS),
            angles: (0..q.len().min(MOST_NUMBERS))
                .map(|k| layout.periodic.get(k) == Some(&true))
                .collect(),
        },
        velocities: Velocities {
            names: first(v, MOST_NUMBERS),
        },
        conserved: layout.conserved.invariants.clone(),
        driven: layout.conserved.driven,
        has_constraint: !layout.multipliers.is_empty(),
        has_unit_length: matches!(model.mechanism, Mechanism::Spheres(_)),
        trace_columns: trace_columns
            .chain(traced('q', q))
            .chain(traced('v', v))
            .collect(),
        draggable,
        not_draggable,
        fingerprint: model.fingerprint().to_string(),
        text: model.to_toml(),
        command: draft.command(&spec),
        notes: Problem::list(source, &model.notes),
    }
}

/// A scenario, for a list of them.
#[derive(Clone, Debug, Serialize)]
pub struct ScenarioEntry {
    pub name: &'static str,
    pub title: String,
    pub family: &'static str,
    pub text: &'static str,
    pub about: &'static str,
}

/// All scenarios.
pub fn scenarios() -> Vec<ScenarioEntry> {
    let family = |text: &str| {
        let says = |words: &str| text.lines().any(|line| line.trim().starts_with(words));
        match text {
            _ if says("space = \"tree\"") => "tree",
            _ if says("lagrangian") || says("space = \"lagrangian\"") => "lagrangian",
            _ => "spheres",
        }
    };
    let each = scenario::SCENARIOS.iter().map(|scenario| ScenarioEntry {
        name: scenario.name,
        title: scenario.title(),
        family: family(scenario.model),
        text: scenario.model,
        about: scenario.summary(),
    });
    each.collect()
}

/// A Lagrangian that was typed.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "said in `web/src/engine/types.ts`")]
pub struct LagrangianParts {
    pub formula: String,
    pub params: Table,
    pub start: Table,
    pub velocity: Table,
    pub step: String,
    pub duration: String,
}

/// The text of a model that is a Lagrangian, with a start and a length.
pub fn from_lagrangian(parts: &LagrangianParts) -> String {
    let section = |table: &Table| -> Table {
        let each = table.iter();
        each.map(|(name, value)| {
            (
                name.to_owned(),
                value.as_text().map_or_else(|| value.clone(), written),
            )
        })
        .collect()
    };
    let mut model = Table::new();
    model.insert("title", format!("L = {}", parts.formula.trim()));
    let coordinates: Vec<&str> = parts.start.keys().collect();
    model.insert("coordinates", coordinates);
    model.insert("lagrangian", parts.formula.trim());
    for (key, table) in [
        ("parameters", &parts.params),
        ("start", &parts.start),
        ("velocity", &parts.velocity),
    ] {
        if !table.is_empty() {
            model.insert(key, section(table));
        }
    }
    model.insert("method", Table::from_iter([("name", "midpoint")]));
    model.insert(
        "run",
        Table::from_iter([
            ("step", written(&parts.step)),
            ("duration", written(&parts.duration)),
        ]),
    );
    to_toml(&model, "")
}

/// A number where it is one, else the text: a quantity with its unit, or a formula.
fn written(text: &str) -> Value {
    let text = text.trim();
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => number.into(),
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_repeats_what_was_set() {
        let scenario = scenario::find("double-spherical-pendulum").expect("there");
        let settings = [
            Setting::new("body.upper.mass", "2"),
            Setting::new("body.1.direction", "[0, 0, 1]"),
            Setting::new("title", "it's"),
            Setting::new("method.max_iterations", "9"),
        ];
        let draft = Draft::new(scenario.model, &settings);
        assert_eq!(
            draft.command(&RunSpec::default()),
            "holonomy run double-spherical-pendulum --set body.upper.mass=2 --set 'body.1.direction=[0, 0, 1]' \
             --set 'title=it'\\''s' --set method.max_iterations=9"
        );
        let spec = RunSpec {
            method: Some("rk4".to_owned()),
            step: Some(0.002),
        };
        assert_eq!(
            draft.command(&spec),
            "holonomy run double-spherical-pendulum --method rk4 --step 0.002 --set body.upper.mass=2 \
             --set 'body.1.direction=[0, 0, 1]' --set 'title=it'\\''s'"
        );
        let model = holonomy_model::load(&draft.source(&spec)).expect("it loads");
        assert_eq!((model.method.name, model.schedule.step), ("rk4", 0.002));
        assert_eq!(
            Draft::new("x = 1", &[]).command(&RunSpec::default()),
            "holonomy run model.toml"
        );
    }

    #[test]
    fn families_are_those_of_the_models() {
        for entry in scenarios() {
            let draft = Draft::new(entry.text, &[]);
            let source = draft.source(&RunSpec::default());
            let model = holonomy_model::load(&source).expect("it loads");
            let loaded = shown(&draft, &source, &model);
            assert_eq!((loaded.family, loaded.scenario), (entry.family, Some(entry.name)));
            // Its text is the same model.
            let again = holonomy_model::load(&Source::new("again", loaded.text.as_str())).expect("it loads");
            assert_eq!(again.fingerprint(), model.fingerprint(), "{}", entry.name);
        }
    }
}
