//! Robots described elsewhere, as model files: text → text, and a list of what the model does not say.
//!
//! A URDF file holds links and joints. The root link is the world, or a body that moves freely; every other link is a
//! `[[body]]` with the joint that leads to it; a mimic joint is a coupling. An MJCF file holds bodies in each other, and
//! joints in them. Everything else is listed.
mod couple;
mod ledger;
mod mjcf;
mod order;
mod plan;
mod read;
mod robot;
mod write;

pub use ledger::{Remark, lines};

use holonomy_model::{self as model, Path, Problem, Problems, Severity, Source, Step};
use std::{
    fs::File,
    io::Read,
    path::{Path as FilePath, PathBuf},
};

/// What the user may choose.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// The root link moves freely instead of being the world.
    pub floating: bool,
    /// Every remark is written into the model, not groups of them.
    pub all: bool,
    /// The keyframe of an MJCF file that the machine starts in, by its name.
    pub keyframe: Option<&'a str>,
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

/// Bytes of an included file at most.
const MOST: u64 = 16 << 20;

/// Translates a file in URDF or MJCF, whichever its outermost element says. Files that it includes are looked for in a
/// folder. What is wrong comes with the file that it is wrong in.
pub fn robot(
    source: &Source,
    folder: &FilePath,
    options: Options<'_>,
) -> Result<Import, (Source, Vec<Problem>)> {
    match mjcf::is_mjcf(source.text()) {
        true => mjcf(source, folder, options),
        false => urdf(source, options).map_err(|problems| (source.clone(), problems)),
    }
}

/// Translates an MJCF file.
pub fn mjcf(
    source: &Source,
    folder: &FilePath,
    options: Options<'_>,
) -> Result<Import, (Source, Vec<Problem>)> {
    mjcf::import(source, &|name| included(&folder.join(name)), options)
}

fn included(path: &PathBuf) -> Result<String, String> {
    let said = |error: std::io::Error| error.to_string();
    // A pipe or a device has no end.
    if !path.metadata().map_err(said)?.is_file() {
        return Err("it is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(said)?;
    file.take(MOST + 1).read_to_end(&mut bytes).map_err(said)?;
    if bytes.len() as u64 > MOST {
        return Err("it is larger than 16 MB".to_owned());
    }
    String::from_utf8(bytes).map_err(|_| "it is not text in UTF-8".to_owned())
}

/// Translates a URDF file. Problems are in the spans of the source.
pub fn urdf(source: &Source, options: Options<'_>) -> Result<Import, Vec<Problem>> {
    let problems = Problems::new();
    let import = translate(source, options, &problems);
    match import {
        Some(import) if !problems.has_errors() => Ok(import),
        _ => Err(problems.into_sorted()),
    }
}

fn translate(source: &Source, options: Options<'_>, problems: &Problems) -> Option<Import> {
    let document = read::parse(source.text(), problems)?;
    if let Some(name) = options.keyframe {
        return problems
            .error(
                0..0,
                format!("there is no keyframe `{name}`: a file in URDF has none"),
            )
            .help("leave `--keyframe` out, and set `position` and `velocity` of bodies in the model")
            .none();
    }
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
