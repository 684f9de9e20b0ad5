//! `[[potential]]` between sites, `[[wrench]]` on bodies, `[[force]]` at sites, and efforts that see the state.
use super::{
    bodies::TreeBodies,
    drives, formula,
    laws::{Laws, PutOff},
    parts::{PartName, part_name},
    seen::{Sightings, Text},
    sites::Sites,
    tables,
};
use crate::{FormulaOrTable, Place, Problems, Section, Unit, given_functions};
use holonomy::{
    Vec3,
    potential::{GivenPotential, Potential, Spring},
    tree::{Act, AppliedWrench, Joint, Motion, StateForce, WrenchFrame},
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
            .choice_of("kind of potential", &["spring", "formula", "given"]);
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
        if kind.value == "given" {
            let function = given_functions::named(&section);
            let points = section.required("points").references();
            let place = section.place();
            let members = points.and_then(|points| {
                let each = points.value.iter();
                let found: Vec<Option<usize>> =
                    each.map(|site| sites.resolve(site, bodies, problems)).collect();
                found.into_iter().collect::<Option<Vec<usize>>>()
            });
            section.finish();
            if let (Some(function), Some(members)) = (function, members) {
                all.push(PotentialEntry {
                    name,
                    potential: Box::new(GivenPotential::new(function, members)),
                    kind: "given",
                    place,
                    apart: None,
                });
            }
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

/// Wrenches as functions of time, those that see the state, and those of time whose kinks are watched.
type Wrenches = (
    Vec<(AppliedWrench, Place)>,
    Vec<(StateForce, Place)>,
    Vec<StateForce>,
);

/// Reads the wrenches of a model.
pub(super) fn read_wrenches<'a>(
    root: &Section<'a>,
    bodies: &TreeBodies,
    laws: &Laws<'a>,
    sightings: &Sightings,
) -> Wrenches {
    let (mut all, mut seeing, mut watched) = (Vec::new(), Vec::new(), Vec::new());
    for section in root.optional("wrench").tables() {
        let places = ["force", "moment"]
            .into_iter()
            .find_map(|key| section.value_place(key));
        let place = places.unwrap_or_else(|| section.place());
        let body = section.required("body").reference();
        let at = section.optional("at").vector();
        let frame = section.optional("frame").choice();
        let frame = match frame.map(|frame| frame.value) {
            Some("body") => WrenchFrame::Body,
            Some("world") => WrenchFrame::World,
            _ => WrenchFrame::Mixed,
        };
        let position = at.map_or_else(Vec3::zeros, |at| at.value.into());
        if sees_state(&section, laws) {
            let found = body.and_then(|body| body.resolve("body", &bodies.names(), section.problems()));
            let force = components(&section, "force", Unit::NEWTON);
            let moment = components(&section, "moment", Unit::NEWTON_METRE);
            let act = Act::Wrench {
                body: found.unwrap_or_default(),
                position,
                frame,
            };
            let problems = section.problems();
            if let (Some(force), Some(moment)) = (&force, &moment) {
                let texts: Vec<Text<'_>> = [texts_of(force), texts_of(moment)].concat();
                let read = sightings.force("wrench".to_owned(), act, &texts, problems);
                seeing.extend(read.filter(|_| found.is_some()).map(|force| (force, place)));
            }
            section.finish();
            continue;
        }
        let force = three(&section, "force", Unit::NEWTON, laws);
        let moment = three(&section, "moment", Unit::NEWTON_METRE, laws);
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
        if let (Some(body), true, true) = (body, force.is_some(), moment.is_some()) {
            let parts = [("force", Unit::NEWTON), ("moment", Unit::NEWTON_METRE)];
            let texts = parts.map(|(key, unit)| components(&section, key, unit).map(|list| texts_of(&list)));
            let act = Act::Wrench {
                body,
                position,
                frame,
            };
            if let [Some(force), Some(moment)] = texts {
                // What is wrong with it has been said.
                let told = Problems::default();
                watched.extend(sightings.force("wrench".to_owned(), act, &[force, moment].concat(), &told));
            }
        }
        section.finish();
        let (Some(body), Some(force), Some(moment)) = (body, force, moment) else {
            continue;
        };
        let vector = |parts: &[Motion; 3], t: f64| Vec3::from([0, 1, 2].map(|k| parts[k](t).0));
        let wrench = AppliedWrench {
            body,
            position,
            frame,
            value: Box::new(move |t| (vector(&force, t), vector(&moment, t))),
        };
        all.push((wrench, place));
    }
    (all, seeing, watched)
}

/// `[[force]]` at a site, or between two.
pub(super) struct ForceEntry {
    pub(super) name: PartName,
    pub(super) force: StateForce,
    pub(super) place: Place,
    pub(super) between: Option<[usize; 2]>,
}

pub(super) fn read_forces<'a>(
    root: &Section<'a>,
    bodies: &TreeBodies,
    sites: &Sites,
    sightings: &Sightings,
) -> Vec<ForceEntry> {
    let mut all = Vec::new();
    for (index, section) in root.optional("force").tables().into_iter().enumerate() {
        let problems = section.problems();
        let (name, place) = (part_name(&section, "force", index), section.place());
        let (force, between) = if section.holds("between") || section.holds("tension") {
            section.refuse(&[
                ("site", "to forces with `force`; `between` names two sites"),
                (
                    "force",
                    "to forces at a `site`; between two sites there is a `tension`",
                ),
            ]);
            let between = sites.between(&section, bodies);
            let text = match section.is_table("tension") {
                true => {
                    let table = section.optional("tension").table();
                    let spline = table.and_then(|table| tables::spline(table, Unit::NEWTON));
                    spline.map(|spline| Text::Given(spline.into()))
                }
                false => section.required("tension").formula().map(Text::Written),
            };
            let force = match (text, between) {
                (Some(text), Some(between)) => {
                    let act = Act::Tension { between };
                    sightings.force(name.text.clone(), act, &[text], problems)
                }
                _ => None,
            };
            (force, between)
        } else {
            let site = section.required("site").reference();
            let site = site.and_then(|site| sites.resolve(&site, bodies, problems));
            let parts = match section.holds("force") {
                true => components(&section, "force", Unit::NEWTON),
                false => {
                    let _ = section.has("force");
                    section
                        .lacks(&["force"], section.place(), "a force without `force`")
                        .help("add `force = [\"…\", \"…\", \"…\"]` in N at a `site`, or `between` two sites a `tension`")
                        .none()
                }
            };
            let force = match (&parts, site) {
                (Some(parts), Some(site)) => {
                    sightings.force(name.text.clone(), Act::Force { site }, &texts_of(parts), problems)
                }
                _ => None,
            };
            (force, None)
        };
        section.finish();
        all.extend(force.map(|force| ForceEntry {
            name,
            force,
            place,
            between,
        }));
    }
    all
}

/// Efforts as forces that see the state.
pub(super) fn read_efforts(
    bodies: &TreeBodies,
    efforts: Vec<PutOff<'_>>,
    sightings: &Sightings,
    problems: &Problems,
) -> Vec<(StateForce, Place)> {
    let mut all = Vec::new();
    for PutOff { body, text, limit } in efforts {
        let Some(body) = bodies.list.iter().position(|entry| entry.name == body) else {
            continue;
        };
        let joint = bodies.list[body].placed.as_ref().map(|placed| &placed.joint);
        let angles = match joint {
            Some(Joint::Universal { .. }) => 2,
            _ => 1,
        };
        for number in 0..angles {
            let texts = [Text::Written(text.clone())];
            let act = Act::Effort { body, number };
            let Some(force) = sightings.force("effort".to_owned(), act, &texts, problems) else {
                break;
            };
            let force = match limit {
                Some(limit) => StateForce {
                    law: force.law.within(limit),
                    ..force
                },
                None => force,
            };
            all.push((force, text.place.clone()));
        }
    }
    all
}

/// Whether `force` or `moment` of a wrench is more than functions of time.
fn sees_state<'a>(section: &Section<'a>, laws: &Laws<'a>) -> bool {
    ["force", "moment"].into_iter().any(|key| {
        let texts: Vec<&str> = section.texts_within(key).into_iter().flatten().collect();
        !laws.only_of_time(&texts)
    })
}

/// Three formulas or tables; none if they are not given.
fn components<'a>(section: &Section<'a>, key: &'a str, unit: Unit) -> Option<Vec<Text<'a>>> {
    if !section.has(key) {
        return Some(Vec::new());
    }
    let list = section.optional(key).formulas_or_tables()?;
    let count = list.value.len();
    let parts = list.value.into_iter().map(|part| match part {
        FormulaOrTable::Formula(text) => Some(Text::Written(text)),
        FormulaOrTable::Table(table) => tables::spline(table, unit).map(|spline| Text::Given(spline.into())),
    });
    let parts: Vec<Option<Text<'_>>> = parts.collect();
    if count == 3 {
        return parts.into_iter().collect();
    }
    section
        .problems()
        .error(list.place, format!("`{key}`: expected 3 components, got {count}"))
        .help(format!("write `{key} = [\"…\", \"…\", \"…\"]`"))
        .none()
}

/// Three numbers: formulas and tables, or zero.
fn texts_of<'a>(parts: &[Text<'a>]) -> Vec<Text<'a>> {
    match parts {
        [] => vec![Text::Zero; 3],
        parts => parts.to_vec(),
    }
}

/// Three formulas of `t` or tables; zero if they are not given.
pub(super) fn three<'a>(
    section: &Section<'a>,
    key: &'a str,
    unit: Unit,
    laws: &Laws<'a>,
) -> Option<[Motion; 3]> {
    if !section.has(key) {
        let zero = || -> Motion { Box::new(|_| (0.0, 0.0, 0.0)) };
        return Some([zero(), zero(), zero()]);
    }
    drives::several(section, key, unit, 3, laws)?.try_into().ok()
}
