//! `[[potential]]` between sites and `[[wrench]]` on bodies.
use super::{
    bodies::TreeBodies,
    formula,
    laws::Laws,
    parts::{PartName, part_name},
    sites::Sites,
};
use crate::{Place, Section, Unit};
use holonomy::{
    Vec3,
    potential::{Potential, Spring},
    tree::{AppliedWrench, Motion, WrenchFrame},
};

/// A potential, its kind, and where it is written.
pub(super) struct PotentialEntry {
    pub(super) name: PartName,
    pub(super) potential: Box<dyn Potential>,
    pub(super) kind: &'static str,
    pub(super) place: Place,
    /// Sites that must not lie on each other.
    pub(super) apart: Option<[usize; 2]>,
}

pub(super) fn read_potentials<'a>(
    root: &Section<'a>,
    bodies: &TreeBodies,
    sites: &Sites,
    laws: &Laws<'a>,
) -> Vec<PotentialEntry> {
    let mut all = Vec::new();
    for (index, section) in root.optional("potential").tables().into_iter().enumerate() {
        let problems = section.problems();
        let name = part_name(&section, "potential", index);
        if section.text("kind") == Some("gravity") {
            let place = section.value_place("kind").unwrap_or_else(|| section.place());
            problems
                .error(
                    place,
                    "gravity acts on a whole tree, and is no potential of its sites",
                )
                .help("write `gravity = [0, 0, -9.81]` at the top of the model");
            continue;
        }
        let kind = section
            .required("kind")
            .choice_of("kind of potential", &["spring", "formula"]);
        let Some(kind) = kind else {
            section.finish_unread();
            continue;
        };
        if kind.value == "formula" {
            let potential = formula::read(&section, bodies, sites);
            let place = section.value_place("energy").unwrap_or_else(|| section.place());
            section.finish();
            all.extend(potential.map(|potential| PotentialEntry {
                name,
                potential: Box::new(potential),
                kind: "formula",
                place,
                apart: None,
            }));
            continue;
        }
        let stiffness = laws.positive(&section, "stiffness", Unit::NEWTON_PER_METRE);
        let length = laws.non_negative(&section, "rest_length", Unit::METRE);
        let between = sites.between(&section, bodies);
        let place = section.place();
        section.finish();
        if let (Some(stiffness), Some(length), Some(between)) = (stiffness, length, between) {
            let potential = Box::new(Spring {
                between,
                stiffness: stiffness.value,
                length: length.value,
            });
            all.push(PotentialEntry {
                name,
                potential,
                kind: "spring",
                place,
                apart: (length.value > 0.0).then_some(between),
            });
        }
    }
    all
}

pub(super) fn read_wrenches<'a>(
    root: &Section<'a>,
    bodies: &TreeBodies,
    laws: &Laws<'a>,
) -> Vec<AppliedWrench> {
    let mut all = Vec::new();
    for section in root.optional("wrench").tables() {
        let body = section.required("body").reference();
        let at = section.optional("at").vector();
        let frame = section.optional("frame").choice();
        let (force, moment) = (three(&section, "force", laws), three(&section, "moment", laws));
        if !section.holds("force") && !section.holds("moment") {
            section
                .lacks(
                    &["force", "moment"],
                    section.place(),
                    "a wrench without `force` and `moment`",
                )
                .help("add `force = [\"…\", \"…\", \"…\"]`, formulas of t in N, or `moment` in N m");
        }
        let body = body.and_then(|body| body.resolve("body", &bodies.names(), section.problems()));
        section.finish();
        let (Some(body), Some(force), Some(moment)) = (body, force, moment) else {
            continue;
        };
        let vector = |parts: &[Motion; 3], t: f64| Vec3::from([0, 1, 2].map(|k| parts[k](t).0));
        all.push(AppliedWrench {
            body,
            position: at.map_or_else(Vec3::zeros, |at| at.value.into()),
            frame: match frame.map(|frame| frame.value) {
                Some("body") => WrenchFrame::Body,
                Some("world") => WrenchFrame::World,
                _ => WrenchFrame::Mixed,
            },
            value: Box::new(move |t| (vector(&force, t), vector(&moment, t))),
        });
    }
    all
}

/// Three formulas of `t`; zero if they are not given.
fn three<'a>(section: &Section<'a>, key: &'a str, laws: &Laws<'a>) -> Option<[Motion; 3]> {
    let Some(texts) = section.optional(key).formulas() else {
        let zero = || -> Motion { Box::new(|_| (0.0, 0.0, 0.0)) };
        return (!section.has(key)).then(|| [zero(), zero(), zero()]);
    };
    let problems = section.problems();
    let count = texts.value.len();
    let parts: Vec<Option<Motion>> = texts
        .value
        .iter()
        .map(|text| laws.motion(text, problems))
        .collect();
    if count != 3 {
        return problems
            .error(
                texts.place,
                format!("`{key}`: expected 3 components, got {count}"),
            )
            .help(format!("write `{key} = [\"…\", \"…\", \"…\"]`"))
            .none();
    }
    parts
        .into_iter()
        .collect::<Option<Vec<Motion>>>()?
        .try_into()
        .ok()
}
