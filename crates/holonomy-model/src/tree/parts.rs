//! What springs, dampers and beams are called, so that their tensions can be recorded.
use super::bodies::TreeBodies;
use crate::{Place, Problems, Section};
use holonomy::tree::Joint;
use std::collections::HashSet;

/// The name of a part, and where it is written, if it is.
pub(super) struct PartName {
    pub(super) text: String,
    place: Option<Place>,
}

/// The name that a section gives, or else one with its number.
pub(super) fn part_name(section: &Section<'_>, kind: &str, index: usize) -> PartName {
    match section.optional("name").name() {
        Some(given) => PartName {
            text: given.value.to_owned(),
            place: Some(given.place),
        },
        None => PartName {
            text: format!("{kind}-{}", index + 1),
            place: None,
        },
    }
}

/// Refuses a name that another part or constraint has.
pub(super) fn check<'n>(
    parts: impl Iterator<Item = &'n PartName>,
    constraints: impl Iterator<Item = &'n str>,
    problems: &Problems,
) {
    let mut taken: HashSet<&str> = constraints.collect();
    for PartName { text, place } in parts {
        if !taken.insert(text)
            && let Some(place) = place
        {
            problems
                .error(
                    place.clone(),
                    format!("something else is called `{text}` already"),
                )
                .help("give one of them another name");
        }
    }
}

/// Refuses the name of a joint that another joint has, or a body whose joint has none.
pub(super) fn check_joints(bodies: &TreeBodies, problems: &Problems) {
    let named = |body: &super::bodies::BodyEntry| body.placed.as_ref().and_then(|placed| placed.name.clone());
    let moves = |body: &&super::bodies::BodyEntry| {
        let joint = body.placed.as_ref().map(|placed| &placed.joint);
        !matches!(joint, None | Some(Joint::Fixed))
    };
    let unnamed = bodies.list.iter().filter(moves);
    let unnamed = unnamed.filter(|body| named(body).is_none());
    let mut taken: HashSet<String> = unnamed.map(|body| body.name.clone()).collect();
    for body in &bodies.list {
        if let Some(name) = named(body)
            && !taken.insert(name.value.clone())
        {
            let message = format!(
                "another joint, or the body of one, is called `{}` already",
                name.value
            );
            problems
                .error(name.place, message)
                .help("give one of them another name");
        }
    }
}
