//! What the model does not say: every element and every attribute without a mark.
use super::element::{Document, Id};
use crate::import::ledger::{Remark, flat};
use std::ops::Range;

pub(super) fn list(document: &Document) -> Vec<Remark> {
    let mut out = Vec::new();
    let model = document.element(0);
    for attribute in model.attributes.iter().filter(|a| !a.carried.get()) {
        let detail = format!("{}=\"{}\"", attribute.name, flat(&attribute.value));
        out.push(remark(
            ("mujoco", ""),
            attribute.name.clone(),
            detail,
            attribute.span.clone(),
        ));
    }
    for id in document.children(0) {
        walk(document, *id, None, &mut out);
    }
    out
}

/// An element that others belong to: its tag and its name.
type Owner<'a> = (&'a str, &'a str);

fn remark((owner, name): Owner<'_>, what: String, detail: String, span: Range<usize>) -> Remark {
    Remark {
        why: why(owner, &what).to_owned(),
        owner: owner.to_owned(),
        name: flat(name),
        what,
        detail,
        span,
    }
}

/// `around` is the element that this one belongs to; sections themselves belong to none.
fn walk(document: &Document, id: Id, around: Option<Owner<'_>>, out: &mut Vec<Remark>) {
    let element = document.element(id);
    let tag = element.tag.as_str();
    let name = ["name", "class", "joint", "site"]
        .iter()
        .find_map(|key| document.attribute(id, key))
        .map_or("", |name| name.value.as_str());
    let own = (tag, name);
    // Parts of a body are named after it, and so are those of a class of defaults.
    let part = matches!(around, Some(("body" | "worldbody" | "default", _)));
    let owner = match around {
        Some(around) if part && !matches!(tag, "body" | "default" | "joint" | "freejoint") => around,
        Some(around) if around.0 == "default" && tag != "default" => around,
        _ => own,
    };
    if !element.carried.get() {
        let text = flat(document.text(id));
        let what = tag.to_owned();
        out.push(remark(owner, what, text, element.span.clone()));
        return;
    }
    for attribute in element.attributes.iter().filter(|a| !a.carried.get()) {
        let what = match owner == own {
            true => attribute.name.clone(),
            false => match (tag, attribute.name.as_str()) {
                ("geom", name) if TOUCH.contains(&name) => "geom contact".to_owned(),
                ("geom" | "site", name) if LOOK.contains(&name) => format!("{tag} look"),
                (tag, name) => format!("{tag} {name}"),
            },
        };
        let detail = format!("{}=\"{}\"", attribute.name, flat(&attribute.value));
        out.push(remark(owner, what, detail, attribute.span.clone()));
    }
    // What stands in a frame belongs to its body.
    let around = match tag {
        "frame" => around.unwrap_or(own),
        tag if LISTED.contains(&tag) => {
            for child in &element.children {
                walk(document, *child, None, out);
            }
            return;
        }
        _ => own,
    };
    for child in &element.children {
        walk(document, *child, Some(around), out);
    }
}

/// Sections whose elements are told one by one.
pub(super) const LISTED: [&str; 4] = ["actuator", "equality", "keyframe", "tendon"];

/// How a geom touches others.
const TOUCH: [&str; 13] = [
    "adhesion",
    "conaffinity",
    "condim",
    "contype",
    "fluidcoef",
    "fluidshape",
    "friction",
    "gap",
    "margin",
    "priority",
    "solimp",
    "solmix",
    "solref",
];

/// How a shape looks, and what it is called.
const LOOK: [&str; 9] = [
    "castshadow",
    "group",
    "material",
    "name",
    "rgba",
    "size",
    "surfacevel",
    "type",
    "user",
];

/// Why something is ignored.
fn why(owner: &str, what: &str) -> &'static str {
    match (owner, what) {
        (_, "geom") => "shapes are not simulated",
        (_, "geom contact") | ("contact", _) => "bodies do not touch each other",
        (_, "geom look" | "site look" | "camera" | "light" | "site") => "how it looks",
        ("asset" | "visual" | "statistic", _) => "how it looks",
        ("spatial" | "fixed", "range" | "limited" | "margin") => {
            "nothing holds a tendon there: add a `[[string]]` with a stiffness"
        }
        ("spatial" | "fixed", "frictionloss") => "dry friction of tendons",
        (_, "joint range" | "range") => "nothing stops a joint; a run warns of those that go beyond",
        (_, "joint limited" | "limited" | "joint margin" | "margin") => "nothing stops a joint",
        (_, "joint frictionloss" | "frictionloss") => "dry friction of such a joint, or below zero",
        (_, "joint springdamper" | "springdamper") => "stiffness and damping that MuJoCo finds from masses",
        ("joint", "stiffness" | "springref") => "such a spring is not known",
        ("spatial" | "fixed", "armature") => "inertia of tendons: the machine is lighter here",
        ("joint", "damping") => "only where it is linear",
        ("joint", name) if name.starts_with("sol") => "nothing stops a joint",
        ("body", "inertial") => "inertias come from geoms, as `inertiafromgeom` says",
        ("sensor", _) => "outputs of a model are named in `[output]`",
        ("key", "key") => "a state to start in: `--keyframe NAME` takes one",
        ("key", _) => "not in a start",
        ("option", "density" | "viscosity" | "wind") => "nothing flows around the bodies",
        ("option" | "flag" | "size", _) => "how MuJoCo computes",
        ("compiler", _) => "how MuJoCo reads files",
        ("connect" | "weld" | "joint" | "tendon" | "equality", "solref" | "solimp") => {
            "MuJoCo gives way there; here it holds exactly"
        }
        ("joint" | "tendon", "joint" | "tendon") => {
            "not active, or no linear relation of hinges, slides or tendons along them"
        }
        ("connect" | "weld", "connect" | "weld") => "not active, or no equality holds",
        ("flex" | "flexvert" | "flexstrain" | "equality", _) => {
            "not read: close loops in the model by `[[constraint]]`"
        }
        ("spatial" | "fixed", "damping") => "only between two sites, and linear",
        ("spatial" | "fixed", "stiffness" | "springlength") => "such a spring is not known",
        ("spatial" | "fixed", name) if name.starts_with("sol") => "nothing holds a tendon",
        ("spatial" | "fixed", "width" | "material" | "rgba") => "how it looks",
        ("spatial", "spatial") => {
            "it wraps around shapes, divides, or lies on one body: lay a cable over `[[pulley]]`"
        }
        ("fixed", "fixed") => "it is along a joint that has no single coordinate",
        ("motor" | "position" | "velocity" | "general" | "muscle" | "damper", _) => {
            "such an actuator is not read: give joints an `effort` in the model"
        }
        ("extension" | "custom" | "deformable", _) => "for other programs",
        (_, "class" | "user" | "group") => "for other programs",
        _ => "",
    }
}
