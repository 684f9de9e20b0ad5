//! Model files: text → a mechanism, a state, a method and a schedule; or a list of problems, each
//! with the place it points at. Rendering them is the caller's business.
//!
//! `source`, `parse` and `reader` deal with text; `spheres` (with `bodies` and `potentials`), `lagrangian`, `tree`
//! and `run` know the words of the language.
mod bodies;
mod catenary;
mod description;
mod lagrangian;
mod overrides;
mod parse;
mod potentials;
mod problem;
mod reader;
mod render;
mod resolved;
mod run;
mod source;
mod spheres;
mod tree;
mod units;

pub use description::Description;
pub use parse::{Document, parse};
pub use problem::{Problem, Problems, Report, Severity, nearest};
pub use reader::{Field, FormulaText, Reference, Section, Spanned};
pub use render::render;
pub use run::Format;
pub use source::{Location, Override, Source};
pub use units::{QuantityError, Unit, parse_quantity};

use crate::{
    geometry::EulerOrder,
    integrator::{
        Integrator,
        catalog::{Family, Mechanism, Method, Options},
    },
    simulation::{Schedule, Simulation},
    system::State,
};

/// Sections of which there may be several.
const LISTS: [&str; 8] = [
    "body",
    "potential",
    "start",
    "swirl",
    "site",
    "constraint",
    "cable",
    "wrench",
];

/// A model, ready to run.
pub struct Model {
    /// What it is called, for people.
    pub title: String,
    /// What moves.
    pub mechanism: Mechanism,
    /// Where it starts.
    pub state: State,
    /// How it is stepped.
    pub method: &'static Method,
    /// Options of the method.
    pub options: Options,
    /// How far it runs.
    pub schedule: Schedule,
    /// How the trajectory is written.
    pub format: Format,
    /// Euler angles that the trajectory has beside its quaternions, if it is to have any.
    pub attitude: Option<EulerOrder>,
    /// What was understood of the text, in words.
    pub description: Description,
    /// The model with all overrides in it, as text that loads to the same model.
    pub resolved: String,
    /// Things worth knowing that are not errors.
    pub notes: Vec<Problem>,
}

impl Model {
    /// A simulation that starts where the model does.
    pub fn simulation(&self) -> Simulation {
        Simulation {
            system: self.mechanism.system(),
            integrator: self.integrator(),
            state: self.state.clone(),
        }
    }

    /// The method, made for the mechanism.
    pub fn integrator(&self) -> Box<dyn Integrator> {
        match (self.method.build)(&self.mechanism, &self.options) {
            Ok(integrator) => integrator,
            Err(_) => unreachable!("the loader has built it once"),
        }
    }
}

/// Reads a model. All errors of a text are reported at once, in the order of the text.
pub fn load(source: &Source) -> Result<Model, Vec<Problem>> {
    let problems = Problems::new();
    let model = parse(source, &problems).and_then(|document| read(&document, &problems));
    let failed = problems.has_errors();
    let list = problems.into_sorted();
    match model {
        Some(model) if !failed => Ok(Model { notes: list, ..model }),
        _ => Err(list),
    }
}

fn read(document: &Document<'_>, problems: &Problems) -> Option<Model> {
    let root = document.root(problems);
    if root.keys().next().is_none() {
        return root
            .error("the model is empty")
            .help("it needs bodies (`[[body]]` or `[chain]`) or a `lagrangian`, a `[method]` and a `[run]`")
            .none();
    }
    let title = root.optional("title").string();
    let family = read_family(&root);
    let drafted = match family {
        Family::Spheres => spheres::read(&root).map(Draft::Spheres),
        Family::Tree => tree::read(&root).map(Draft::Tree),
        Family::Lagrangian | Family::Framed => lagrangian::read(&root).map(Draft::Lagrangian),
    };
    let run = run::read(&root, family);
    root.refuse(run::IN_RUN);
    root.finish();

    let (drafted, run) = (drafted?, run?);
    if problems.has_errors() {
        return None;
    }
    let description = match &drafted {
        Draft::Spheres(draft) => draft.description(),
        Draft::Lagrangian(draft) => draft.description(),
        Draft::Tree(draft) => draft.description(),
    };
    let (mechanism, state) = match drafted {
        Draft::Spheres(draft) => draft.build(problems),
        Draft::Lagrangian(draft) => draft.build(problems)?,
        Draft::Tree(draft) => draft.build(problems)?,
    };
    if let Err(unsupported) = (run.method.build)(&mechanism, &run.options) {
        problems
            .error(
                run.method_span,
                format!("`{}` needs {}", unsupported.method, unsupported.needs),
            )
            .help(format!("use `{}`", unsupported.instead));
    }
    Some(Model {
        title: title.map_or_else(String::new, |title| title.value.to_owned()),
        mechanism,
        state,
        method: run.method,
        options: run.options,
        schedule: run.schedule,
        format: run.format,
        attitude: run.attitude,
        description,
        resolved: document.to_toml(""),
        notes: Vec::new(),
    })
}

/// The families of systems.
const SPACES: &[&str] = &["spheres", "lagrangian", "tree"];

/// The family that `space` names, or else the one whose keys there are.
fn read_family(root: &Section<'_>) -> Family {
    let space = root.optional("space").choice(SPACES);
    let any = |keys: &[&str]| keys.iter().any(|key| root.holds(key));
    let typed =
        any(&["lagrangian", "coordinates"]) && !any(&["body", "chain", "grid", "icosphere", "spiral"]);
    let lagrangian = match &space {
        Some(space) if space.value == "spheres" && typed => {
            root.problems()
                .error(
                    space.span.clone(),
                    "a model with `coordinates` and a `lagrangian` is not on spheres",
                )
                .help("write `space = \"lagrangian\"`");
            true
        }
        Some(space) => space.value == "lagrangian",
        None => typed,
    };
    if space.as_ref().is_some_and(|space| space.value == "tree") {
        return Family::Tree;
    }
    match (lagrangian, root.holds("frame")) {
        (false, _) => Family::Spheres,
        (true, false) => Family::Lagrangian,
        (true, true) => Family::Framed,
    }
}

/// A mechanism whose text was understood.
enum Draft {
    Spheres(spheres::Draft),
    Lagrangian(lagrangian::Draft),
    Tree(tree::Draft),
}
