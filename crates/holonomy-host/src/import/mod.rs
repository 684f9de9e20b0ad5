//! Robots described elsewhere, as model files: text → text, and a list of what the model does not say.
//!
//! A URDF file holds links and joints. The root link is the world, or a body that moves freely; every other link is a
//! `[[body]]` with the joint that leads to it; a mimic joint is a coupling. Everything else is listed.
mod couple;
mod ledger;
mod order;
mod plan;
mod read;
mod robot;
mod write;

pub use ledger::{Remark, lines};

use holonomy_model::{self as model, Path, Problem, Problems, Severity, Source, Step};

/// What the user may choose.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The root link moves freely instead of being the world.
    pub floating: bool,
    /// Every remark is written into the model, not groups of them.
    pub all: bool,
}

/// A robot as a model.
#[derive(Clone, Debug)]
pub struct Import {
    /// The text of the model.
    pub model: String,
    /// What was carried over, in words.
    pub carried: String,
    /// What the file says and the model does not.
    pub ignored: Vec<Remark>,
    /// What the model says in another way than the file.
    pub changed: Vec<Remark>,
    /// Why the engine does not run this model, at the links it is about; mostly there is no reason.
    pub refused: Vec<Problem>,
}

/// Translates a URDF file. Problems are in the spans of the source.
pub fn urdf(source: &Source, options: Options) -> Result<Import, Vec<Problem>> {
    let problems = Problems::new();
    let import = translate(source, options, &problems);
    match import {
        Some(import) if !problems.has_errors() => Ok(import),
        _ => Err(problems.into_sorted()),
    }
}

fn translate(source: &Source, options: Options, problems: &Problems) -> Option<Import> {
    let document = read::parse(source.text(), problems)?;
    let ledger = ledger::Ledger::default();
    let robot = robot::read(document.root_element(), problems)?;
    let plan = plan::plan(&robot, options.floating, problems)?;
    plan.mark(&robot, &ledger);
    let ignored = ledger.ignored(&document);
    let written = write::write(source.name(), &robot, &plan, &ignored, options);
    let refused = refusals(&written, &robot, &plan);
    Some(Import {
        model: written.text,
        carried: written.carried,
        ignored,
        changed: plan.changed,
        refused,
    })
}

/// What the engine says against the model, at the links it came from.
fn refusals(written: &write::Written, robot: &robot::Robot<'_, '_>, plan: &plan::ImportPlan) -> Vec<Problem> {
    let Err(refused) = model::load(&Source::new("model", &written.text)) else {
        return Vec::new();
    };
    let problems = Problems::new();
    for problem in refused
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
    {
        let steps = problem.place.path().map_or_else(Vec::new, Path::steps);
        let body = match steps[..] {
            [Step::Key(key), Step::Element(body), ..] if &**key == "body" => plan.bodies.get(*body),
            _ => None,
        };
        let link = body.map(|body| &robot.links[body.link]);
        let (span, name) = link.map_or((0..0, &robot.name), |link| (link.span.clone(), &link.name));
        let report = problems.error(span, format!("`{name}` cannot be simulated: {}", problem.message));
        if let Some(help) = &problem.help {
            report.help(help.as_str());
        }
    }
    problems.into_sorted()
}
