//! The inertia of shapes, as MuJoCo has it.
//!
//! ```text
//! sphere      V = 4/3 π r³              I = 2/5 m r²
//! box         V = 8 a b c               I_x = m (b² + c²)/3                  half edges
//! ellipsoid   V = 4/3 π a b c           I_x = m (b² + c²)/5                  half axes
//! cylinder    V = π r² h                I_x = m (3 r² + h²)/12,  I_z = m r²/2
//! capsule     cylinder and two half spheres: I_x += m_s (2/5 r² + 3/8 h r + h²/4),  I_z += 2/5 m_s r²
//! ```
use super::values::{Item, Settings, TURNS, to_z, unit};
use holonomy::{
    Vec3,
    geometry::{Pose, RigidInertia},
};
use std::f64::consts::PI;

/// What a geom adds to its body, in the frame in which it stands; `None` is reported.
pub(super) fn inertia(item: &Item<'_>, settings: &Settings) -> Option<RigidInertia> {
    let kind = item.word("type").unwrap_or("sphere");
    let mass = match item.has("mass") {
        true => Some(item.number("mass", 0.0)?),
        false => None,
    };
    let density = item.number("density", 1000.0)?;
    item.carry(&["type", "mass", "density"]);
    if item.word("type").is_none() && item.has("mesh") {
        return mesh(item, "mesh");
    }
    if mass.is_none_or(|mass| mass == 0.0) && (density == 0.0 || mass.is_some()) {
        return Some(RigidInertia::zero());
    }
    let name = match kind {
        "plane" | "hfield" => return Some(RigidInertia::zero()),
        "sphere" | "capsule" | "cylinder" | "box" | "ellipsoid" => kind,
        "mesh" | "sdf" => return mesh(item, kind),
        other => {
            let (id, found) = item.find("type")?;
            return item
                .document
                .error_at(
                    id,
                    found.value_span.clone(),
                    format!("a geom is of the type `{other}`, which is not known"),
                )
                .suggest(other, KINDS)
                .none();
        }
    };
    if item.has("mesh") {
        return mesh(item, "mesh");
    }
    if item.flag("shellinertia", false)? {
        return item
            .document
            .error(item.id, "the inertia of a geom is that of its shell")
            .help("give its body an `<inertial>`, or remove `shellinertia`")
            .none();
    }
    let (pose, size) = placed(item, name, settings)?;
    item.carry(&["size", "fromto", "pos", "shellinertia"]);
    item.carry(&TURNS);
    let [a, b, c] = size;
    let volume = match name {
        "sphere" => 4.0 / 3.0 * PI * a * a * a,
        "capsule" => PI * (a * a * 2.0 * b + 4.0 / 3.0 * a * a * a),
        "cylinder" => PI * a * a * 2.0 * b,
        "ellipsoid" => 4.0 / 3.0 * PI * a * b * c,
        _ => 8.0 * a * b * c,
    };
    let mass = mass.unwrap_or(density * volume);
    if !(mass >= 0.0 && mass.is_finite()) {
        return item
            .document
            .error(item.id, format!("a geom has the mass {mass}"))
            .help("masses are numbers, zero or more")
            .none();
    }
    let moments = match name {
        "sphere" => [0.4 * mass * a * a; 3],
        "capsule" => capsule(mass, a, 2.0 * b),
        "cylinder" => {
            let across = mass * (3.0 * a * a + 4.0 * b * b) / 12.0;
            [across, across, mass * a * a / 2.0]
        }
        "ellipsoid" => [b * b + c * c, a * a + c * c, a * a + b * b].map(|x| mass * x / 5.0),
        _ => [b * b + c * c, a * a + c * c, a * a + b * b].map(|x| mass * x / 3.0),
    };
    Some(RigidInertia::diagonal(mass, Vec3::zeros(), moments).moved(&pose))
}

const KINDS: [&str; 9] = [
    "plane",
    "hfield",
    "sphere",
    "capsule",
    "ellipsoid",
    "cylinder",
    "box",
    "mesh",
    "sdf",
];

fn mesh(item: &Item<'_>, kind: &str) -> Option<RigidInertia> {
    item.document
        .error(
            item.id,
            format!("the inertia of a body comes from a {kind}, which is not read"),
        )
        .help("give the body an `<inertial>`: MuJoCo writes it with `saveinertial=\"true\"` in `<compiler>`")
        .none()
}

fn capsule(mass: f64, r: f64, h: f64) -> [f64; 3] {
    let (ball, rod) = (4.0 / 3.0 * r, h);
    let sphere = mass * ball / (ball + rod);
    let rod = mass - sphere;
    let round = 0.4 * sphere * r * r;
    let across = rod * (3.0 * r * r + h * h) / 12.0 + round + sphere * h * (3.0 * r + 2.0 * h) / 8.0;
    [across, across, rod * r * r / 2.0 + round]
}

/// Where a geom is, and its sizes.
fn placed(item: &Item<'_>, kind: &str, settings: &Settings) -> Option<(Pose, [f64; 3])> {
    let needed = match kind {
        "sphere" => 1,
        "box" | "ellipsoid" => 3,
        _ => 2,
    };
    let along = item.has("fromto") && kind != "sphere";
    let [a, b, c] = item.numbers("size", 1, [0.0; 3])?;
    let (pose, size) = if along {
        let [x, y, z, u, v, w] = item.numbers("fromto", 6, [0.0; 6])?;
        let (from, to) = (Vec3::new(x, y, z), Vec3::new(u, v, w));
        let Some(axis) = unit(from - to) else {
            return item
                .document
                .error(item.id, "a geom has both of its ends at one place")
                .help("give different points in `fromto`")
                .none();
        };
        let half = (from - to).norm() / 2.0;
        let pose = Pose::translation((from + to) / 2.0) * Pose::rotation(to_z(&axis));
        match kind {
            "box" | "ellipsoid" => (pose, [a, a, half]),
            _ => (pose, [a, half, 0.0]),
        }
    } else {
        let pose = Pose::translation(item.vector("pos", [0.0; 3])?) * Pose::rotation(item.turn(settings)?);
        (pose, [a, b, c])
    };
    if size[..needed].iter().all(|x| *x > 0.0) {
        return Some((pose, size));
    }
    item.document
        .error(item.id, format!("a {kind} needs {needed} sizes above zero"))
        .help("give them in `size`, or some of them by `fromto`")
        .none()
}
