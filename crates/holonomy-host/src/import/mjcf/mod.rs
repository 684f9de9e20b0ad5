//! Machines in MJCF, MuJoCo's format: bodies in each other, with joints, inertias and sites in them.
//!
//! Defaults, angles, inertias of shapes and the order of joints are MuJoCo's, so that mass matrix, bias and gravity are
//! those that MuJoCo computes. What nothing here simulates, contact before all, is listed.
mod actuator;
mod defaults;
mod element;
mod equality;
mod geom;
mod ignored;
mod joint;
mod keyframe;
mod masses;
mod settings;
mod tendon;
mod values;
mod weight;
mod world;
mod write;

pub(super) use element::is_mjcf;

use super::{Import, Options};
use element::{Document, Include};
use holonomy_model::{self as model, Path, Problem, Severity, Source, Step};

/// Translates an MJCF file. What is wrong comes with the file that it is wrong in.
pub(super) fn import(
    source: &Source,
    include: Include<'_>,
    options: Options<'_>,
) -> Result<Import, (Source, Vec<Problem>)> {
    let document = Document::read(source, include);
    match translate(source, &document, options) {
        Some(import) if !document.has_errors() => Ok(import),
        _ => Err(document.into_problems()),
    }
}

fn translate(source: &Source, document: &Document, options: Options<'_>) -> Option<Import> {
    if document.has_errors() || document.len() == 0 {
        return None;
    }
    let defaults = defaults::Defaults::read(document);
    let globals = settings::read(document, &defaults)?;
    let mut world = world::read(document, &defaults, &globals, options.floating)?;
    world.tendons()?;
    world.actuators()?;
    world.equalities()?;
    world.compensations()?;
    if let Some(name) = options.keyframe {
        world.start_in(name)?;
    }
    if document.has_errors() {
        return None;
    }
    document.carry(0, &["model"]);
    // What acts is listed one by one.
    let listed = |id: &&usize| ignored::LISTED.contains(&document.tag(**id));
    for id in document.children(0).iter().filter(listed) {
        document.carry(*id, &[]);
    }
    let title = document
        .attribute(0, "model")
        .map(|model| model.value.trim().to_owned());
    let title = title.filter(|title| !title.is_empty());
    let title = title.unwrap_or_else(|| "MuJoCo model".to_owned());
    let ignored = ignored::list(document);
    let written = write::write(source.name(), &title, &mut world, &ignored, options);
    let refused = refusals(&written, &world, &title);
    Some(Import {
        model: written.text,
        carried: written.carried,
        ignored,
        changed: std::mem::take(&mut world.changed),
        refused,
    })
}

/// What the engine says against the model, at the bodies it came from.
fn refusals(written: &write::Written, world: &world::World<'_>, title: &str) -> Vec<Problem> {
    let Err(refused) = model::load(&Source::new("model", &written.text)) else {
        return Vec::new();
    };
    let problems = model::Problems::new();
    for problem in refused
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
    {
        let steps = problem.place.path().map_or_else(Vec::new, Path::steps);
        let body = match steps[..] {
            [Step::Key(key), Step::Element(body), ..] if &**key == "body" => written.bodies.get(*body),
            _ => None,
        };
        let body = body.map(|body| &world.bodies[*body]);
        // Spans are those of the file itself; of included ones only names can be told.
        let at = body
            .map(|body| world.document.element(body.id))
            .filter(|element| element.file == 0);
        let span = at.map_or(0..0, |element| element.opening.clone());
        let name = body.map_or(title, |body| body.written.as_str());
        let report = problems.error(span, format!("`{name}` cannot be simulated: {}", problem.message));
        if let Some(help) = &problem.help {
            report.help(help.as_str());
        }
    }
    problems.into_sorted()
}
