//! `[[input]]`: generalized forces that a program sets while it takes steps. A run of the command leaves them at zero.
use crate::{Located, Problems, Section, problem::excerpt, problem::suggestion};
use holonomy::system::Layout;

/// A generalized force with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// What it is called.
    pub name: String,
    /// The velocity that it acts along, by its place among them.
    pub velocity: usize,
    /// The force for an input of one.
    pub scale: f64,
    /// The least that a search may choose, and the most; infinite where nothing is said.
    pub limits: (f64, f64),
}

/// An input as it was read.
pub(crate) struct Named {
    name: Located<String>,
    on: Located<String>,
    scale: f64,
    limits: (f64, f64),
}

/// Reads all inputs.
pub(crate) fn read(root: &Section<'_>) -> Vec<Named> {
    let mut all: Vec<Named> = Vec::new();
    for section in root.optional("input").tables() {
        let name = section.required("name").name();
        let on = section.required("on").string();
        let scale = section.optional("scale").number();
        let (min, max) = (section.optional("min").number(), section.optional("max").number());
        let problems = section.problems();
        section.finish();
        let limits = (
            min.map_or(f64::NEG_INFINITY, |min| min.value),
            max.as_ref().map_or(f64::INFINITY, |max| max.value),
        );
        if let Some(max) = max.filter(|_| limits.0 > limits.1) {
            problems
                .error(max.place, "`max` is less than `min`")
                .help("exchange them");
        }
        let (Some(name), Some(on)) = (name, on) else {
            continue;
        };
        if all.iter().any(|other| other.name.value == name.value) {
            let message = format!("there are two inputs named `{}`", excerpt(name.value));
            problems.error(name.place, message).help("give one another name");
            continue;
        }
        all.push(Named {
            name: Located::new(name.value.to_owned(), name.place),
            on: Located::new(on.value.to_owned(), on.place),
            scale: scale.map_or(1.0, |scale| scale.value),
            limits,
        });
    }
    all
}

/// Finds what they act on.
pub(crate) fn find(named: Vec<Named>, layout: &Layout, problems: &Problems) -> Vec<Input> {
    let mut inputs = Vec::with_capacity(named.len());
    for Named {
        name,
        on,
        scale,
        limits,
    } in named
    {
        match velocity_named(&on.value, layout) {
            Some(velocity) => inputs.push(Input {
                name: name.value,
                velocity,
                scale,
                limits,
            }),
            None => {
                let message = format!("nothing moves that is called `{}`", excerpt(&on.value));
                let report = problems.error(on.place, message);
                let names = layout.coordinates.iter().chain(layout.velocities.iter());
                let names: Vec<&str> = names.map(String::as_str).collect();
                if let Some(help) = suggestion(&on.value, names.iter().copied()) {
                    report.help(help);
                }
            }
        }
    }
    inputs
}

/// The place of a velocity among all: by its own name, by that of its coordinate where each has one, or by that of the
/// joint that has no other (`elbow` for `omega.elbow`).
pub fn velocity_named(name: &str, layout: &Layout) -> Option<usize> {
    let own = layout.velocities.iter().position(|velocity| velocity == name);
    let paired = layout.coordinates.len() == layout.velocities.len();
    let coordinate = || {
        layout
            .coordinates
            .iter()
            .position(|coordinate| coordinate == name)
    };
    let of_joint = |velocity: &&String| velocity.split_once('.').is_some_and(|(_, joint)| joint == name);
    let joint = || match layout.velocities.iter().filter(of_joint).count() {
        1 => layout.velocities.iter().position(|velocity| of_joint(&velocity)),
        _ => None,
    };
    own.or_else(|| coordinate().filter(|_| paired)).or_else(joint)
}
