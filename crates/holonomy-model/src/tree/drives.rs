//! `driven` of a body: what its joint does as a function of time.
//!
//! ```text
//! revolute, prismatic, screw    "0.2*sin(3*t)", { times, values }, { file, times, values }
//! universal                     two of these
//! spherical                     { rotation = [three of these, a rotation vector] }, { times, quaternions }
//! free                          { position = [three], … and a rotation, or none }
//! ```
use super::{laws::Laws, tables};
use crate::{FormulaOrTable, Section, Unit};
use holonomy::{
    Vec3,
    tree::{Along, Joint, Motion, Turning, turning_by},
};
use nalgebra::UnitQuaternion;

/// What a driven joint does.
pub(super) enum Drive {
    One(Motion),
    Two([Motion; 2]),
    Turn(Turning),
    Move([Motion; 3], Turning),
}

/// Where and how fast it starts, as a state has it.
pub(super) struct Start {
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
}

pub(super) fn read<'a>(body: &Section<'a>, kind: &str, laws: &Laws<'a>) -> Option<Drive> {
    let problems = body.problems();
    let place = || body.value_place("driven").unwrap_or_else(|| body.place());
    match kind {
        "revolute" | "screw" => laws.driven(body, "driven", Unit::RADIAN).map(Drive::One),
        "prismatic" => laws.driven(body, "driven", Unit::METRE).map(Drive::One),
        "universal" if body.is_array("driven") => {
            let angles = several(body, "driven", Unit::RADIAN, 2, laws)?;
            Some(Drive::Two(angles.try_into().ok()?))
        }
        "universal" => problems
            .error(place(), "a universal joint is driven by two formulas or tables, one for each angle")
            .help("write `driven = [\"0.2*sin(t)\", \"0.1*t\"]`")
            .none(),
        "spherical" | "free" if body.is_table("driven") => {
            let table = body.optional("driven").table()?;
            let position = match kind {
                "free" => {
                    let help = "add `position = [\"…\", \"…\", \"…\"]`, three formulas or tables";
                    if !table.has("position") {
                        table
                            .lacks(&["position"], table.place(), "a free joint is driven without `position`")
                            .help(help);
                    }
                    several(&table, "position", Unit::METRE, 3, laws)
                }
                _ => None,
            };
            let turning = turning(table, kind, laws);
            match kind {
                "free" => Some(Drive::Move(position?.try_into().ok()?, turning?)),
                _ => turning.map(Drive::Turn),
            }
        }
        "spherical" => problems
            .error(place(), "a spherical joint is driven by a rotation, not by one formula")
            .help("write `driven = { rotation = [\"0\", \"0\", \"0.5*t\"] }`, a rotation vector, or `{ times = […], quaternions = […] }`")
            .none(),
        "free" => problems
            .error(place(), "a free joint is driven by a position and a rotation, not by one formula")
            .help("write `driven = { position = [\"0\", \"0\", \"t\"], rotation = [\"0\", \"0\", \"0\"] }`")
            .none(),
        _ => problems
            .error(place(), format!("a {kind} joint cannot be driven"))
            .help("remove `driven`, or give the joint another `kind`")
            .none(),
    }
}

/// A rotation vector, or quaternions at times; a free joint that has neither does not turn.
fn turning<'a>(table: Section<'a>, kind: &str, laws: &Laws<'a>) -> Option<Turning> {
    if !table.has("rotation") {
        if kind == "free"
            && !["times", "quaternions", "file"]
                .iter()
                .any(|key| table.holds(key))
        {
            table.finish();
            return Some(Box::new(|_| {
                (UnitQuaternion::identity(), Vec3::zeros(), Vec3::zeros())
            }));
        }
        return tables::turning(table);
    }
    let vector = several(&table, "rotation", Unit::RADIAN, 3, laws);
    table.finish();
    Some(turning_by(vector?.try_into().ok()?))
}

/// As many formulas of time, or tables, as there must be.
pub(super) fn several<'a>(
    section: &Section<'a>,
    key: &'a str,
    unit: Unit,
    count: usize,
    laws: &Laws<'a>,
) -> Option<Vec<Motion>> {
    let list = section.optional(key).formulas_or_tables()?;
    let problems = section.problems();
    let given = list.value.len();
    let parts: Vec<Option<Motion>> = (list.value.into_iter())
        .map(|part| match part {
            FormulaOrTable::Formula(text) => laws.motion(&text, problems),
            FormulaOrTable::Table(table) => tables::spline(table, unit).map(|spline| spline.into_motion()),
        })
        .collect();
    if given != count {
        let each = vec!["\"…\""; count].join(", ");
        return problems
            .error(
                list.place,
                format!("`{key}`: expected {count} components, got {given}"),
            )
            .help(format!("write `{key} = [{each}]`"))
            .none();
    }
    parts.into_iter().collect()
}

impl Drive {
    /// Where the joint starts, at that time.
    pub(super) fn start(&self, t: f64) -> Start {
        let turned = |turning: &Turning| {
            let (rotation, omega, _) = turning(t);
            let [w, x, y, z] = [rotation.w, rotation.i, rotation.j, rotation.k];
            (vec![w, x, y, z], omega.iter().copied().collect())
        };
        match self {
            Self::One(motion) => Start {
                q: vec![motion(t).0],
                v: Vec::new(),
            },
            Self::Two(motions) => Start {
                q: motions.iter().map(|motion| motion(t).0).collect(),
                v: Vec::new(),
            },
            Self::Turn(turning) => {
                let (q, v) = turned(turning);
                Start { q, v }
            }
            Self::Move(position, turning) => {
                let (rotation, v) = turned(turning);
                let q = position.iter().map(|motion| motion(t).0).chain(rotation);
                Start { q: q.collect(), v }
            }
        }
    }

    /// The joint that does it, and the rotation that a constraint gives it besides.
    pub(super) fn joint(self, joint: Joint) -> (Joint, Option<Turning>) {
        match (self, joint) {
            (Self::One(motion), Joint::Revolute { axis }) => (of(axis, Along::Turn, motion), None),
            (Self::One(motion), Joint::Prismatic { axis }) => (of(axis, Along::Shift, motion), None),
            (Self::One(motion), Joint::Screw { axis, pitch }) => {
                (of(axis, Along::Screw(pitch), motion), None)
            }
            (Self::Two(motions), Joint::Universal { axes }) => {
                (Joint::DrivenUniversal { axes, motions }, None)
            }
            (Self::Turn(turning), joint) => (joint, Some(turning)),
            (Self::Move(position, turning), _) => (Joint::DrivenFree { position }, Some(turning)),
            (_, joint) => (joint, None),
        }
    }
}

fn of(axis: Vec3, along: Along, motion: Motion) -> Joint {
    Joint::Driven { axis, along, motion }
}
