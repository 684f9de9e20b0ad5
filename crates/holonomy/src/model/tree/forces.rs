//! `[[potential]]` between sites and `[[wrench]]` on bodies.
use super::{bodies::Bodies, formula, laws::Laws, sites::Sites};
use crate::{
    Vec3,
    model::{Section, Unit},
    potential::{Potential, Spring},
    tree::{Motion, Wrench, WrenchFrame},
};
use std::ops::Range;

/// A potential, its kind, and where it is written.
pub(super) struct Entry {
    pub(super) potential: Box<dyn Potential>,
    pub(super) kind: &'static str,
    pub(super) span: Range<usize>,
    /// Sites that must not lie on each other.
    pub(super) apart: Option<[usize; 2]>,
}

pub(super) fn read_potentials<'a>(
    root: &Section<'a>,
    bodies: &Bodies,
    sites: &Sites,
    laws: &Laws<'a>,
) -> Vec<Entry> {
    let mut all = Vec::new();
    for section in root.optional("potential").tables() {
        let problems = section.problems();
        if section.text("kind") == Some("gravity") {
            let span = section.value_span("kind").unwrap_or_else(|| section.span());
            problems
                .error(
                    span,
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
            let span = section.value_span("energy").unwrap_or_else(|| section.span());
            section.finish();
            all.extend(potential.map(|potential| Entry {
                potential: Box::new(potential),
                kind: "formula",
                span,
                apart: None,
            }));
            continue;
        }
        let stiffness = laws.positive(&section, "stiffness", Unit::NEWTON_PER_METRE);
        let length = laws.non_negative(&section, "rest_length", Unit::METRE);
        let between = sites.between(&section, bodies);
        let span = section.span();
        section.finish();
        if let (Some(stiffness), Some(length), Some(between)) = (stiffness, length, between) {
            let potential = Box::new(Spring {
                between,
                stiffness: stiffness.value,
                length: length.value,
            });
            all.push(Entry {
                potential,
                kind: "spring",
                span,
                apart: (length.value > 0.0).then_some(between),
            });
        }
    }
    all
}

pub(super) fn read_wrenches<'a>(root: &Section<'a>, bodies: &Bodies, laws: &Laws<'a>) -> Vec<Wrench> {
    let mut all = Vec::new();
    for section in root.optional("wrench").tables() {
        let body = section.required("body").reference();
        let at = section.optional("at").vector(Unit::METRE);
        let frame = section.optional("frame").choice(&["world", "body", "mixed"]);
        let (force, moment) = (three(&section, "force", laws), three(&section, "moment", laws));
        if !section.holds("force") && !section.holds("moment") {
            section
                .lacks(
                    &["force", "moment"],
                    section.span(),
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
        all.push(Wrench {
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
            .error(texts.span, format!("`{key}`: expected 3 components, got {count}"))
            .help(format!("write `{key} = [\"…\", \"…\", \"…\"]`"))
            .none();
    }
    parts
        .into_iter()
        .collect::<Option<Vec<Motion>>>()?
        .try_into()
        .ok()
}
