//! What a file does not say of a model: every section and every key that was not written.
use crate::import::Remark;
use holonomy::{Vec3, tree::Joint};
use holonomy_model::{Model, OutlineBody, Table, TreeOutline, Value};
use std::collections::HashSet;

/// Keys of a model that are written, or that say how it is run.
const TOP: [&str; 12] = [
    "body",
    "definitions",
    "gravity",
    "input",
    "method",
    "names",
    "output",
    "parameters",
    "playground",
    "run",
    "space",
    "title",
];

/// Keys of a body that are written.
const BODY: [&str; 13] = [
    "as_given",
    "centre",
    "damping",
    "effort_limit",
    "friction",
    "inertia",
    "joint",
    "mass",
    "name",
    "parent",
    "shape",
    "size",
    "to",
];

pub(super) fn list(model: &Model, outline: &TreeOutline, followed: &HashSet<String>) -> Vec<Remark> {
    let mut out = Vec::new();
    if outline.gravity != Vec3::new(0.0, 0.0, -9.81) {
        let why = "readers of URDF choose their own, mostly 9.81 m/s² down z";
        out.push(remark("model", "", "gravity", why));
    }
    for section in sections(model.table.get("body")) {
        let name = name_of(section);
        let body = outline.bodies.iter().find(|body| body.name == name);
        for key in section.keys().filter(|key| !BODY.contains(key)) {
            out.push(remark("body", name, key, why(key)));
        }
        let kind = body.map(|body| &body.joint);
        for key in ["damping", "friction"] {
            if section.contains_key(key) && matches!(kind, Some(Joint::Free | Joint::Fixed)) {
                out.push(remark("body", name, key, "not in such a joint"));
            }
        }
        let endless = |body: &OutlineBody| {
            matches!(body.joint, Joint::Prismatic { .. }) && super::urdf::ends(body).is_none()
        };
        if body.is_some_and(endless) {
            let why = "it has none, and URDF asks for some: ±1e9 m";
            out.push(remark("body", name, "limits", why));
        }
        let limits = section.get("joint").and_then(Value::as_table);
        let limits = limits.and_then(|joint| joint.get("limits"));
        if limits.is_some_and(|limits| limits.as_table().is_some()) {
            let why = "its ends are written, its stiffness and damping are not";
            out.push(remark("body", name, "limits", why));
        }
        if section
            .get("effort_limit")
            .is_some_and(|limit| limit.as_number().is_none())
        {
            let why = "only a number is written";
            out.push(remark("body", name, "effort_limit", why));
        }
    }
    for (key, value) in model.table.iter().filter(|(key, _)| !TOP.contains(key)) {
        let tables = sections(Some(value));
        for section in tables.iter().filter(|section| {
            let name = section.get("name").and_then(Value::as_text);
            key != "constraint" || name.is_none_or(|name| !followed.contains(name))
        }) {
            out.push(remark(key, name_of(section), key, why(key)));
        }
        if tables.is_empty() {
            out.push(remark("model", "", key, why(key)));
        }
    }
    out
}

/// `effort_limit` of each body, where it is a number.
pub(super) fn efforts(model: &Model, outline: &TreeOutline) -> Vec<Option<f64>> {
    let sections = sections(model.table.get("body"));
    let limit = |name: &str| {
        let section = sections.iter().find(|section| name_of(section) == name)?;
        Some(section.get("effort_limit")?.as_number()?.value())
    };
    outline.bodies.iter().map(|body| limit(&body.name)).collect()
}

fn sections(value: Option<&Value>) -> Vec<&Table> {
    let list = value.and_then(Value::as_list).unwrap_or_default();
    list.iter().filter_map(Value::as_table).collect()
}

fn name_of(section: &Table) -> &str {
    section.get("name").and_then(Value::as_text).unwrap_or_default()
}

fn remark(owner: &str, name: &str, what: &str, why: &str) -> Remark {
    Remark {
        owner: owner.to_owned(),
        name: name.to_owned(),
        what: what.to_owned(),
        detail: String::new(),
        why: why.to_owned(),
        span: 0..0,
    }
}

/// Why something is not written.
fn why(key: &str) -> &'static str {
    match key {
        "position" | "velocity" | "orientation" | "angular_velocity" | "keep" | "start" | "state" => {
            "URDF says nothing of the start"
        }
        "driven" => "the joint moves freely there",
        "constraint" => "URDF has no loops, and couples two joints at most",
        "cable" => "its segments are links; what holds its end, and its elasticity, is not written",
        "site" | "sites" => "points are not written",
        _ => "URDF has none",
    }
}
