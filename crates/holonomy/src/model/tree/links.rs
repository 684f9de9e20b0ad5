//! `[[damper]]` and `[[beam]]` between sites.
use super::{bodies::Bodies, joint, rotation, sites::Sites};
use crate::{
    Vec3,
    model::{Section, Unit},
    tree::{Beam, Link},
};
use nalgebra::UnitQuaternion;
use std::ops::Range;

/// A link, its kind, and where it is written.
pub(super) struct Entry {
    pub(super) link: Link,
    pub(super) kind: &'static str,
    pub(super) span: Range<usize>,
}

pub(super) fn read(root: &Section<'_>, bodies: &Bodies, sites: &Sites) -> Vec<Entry> {
    let mut all = Vec::new();
    for section in root.optional("damper").tables() {
        let coefficient = section
            .required("coefficient")
            .positive(Unit::NEWTON_SECOND_PER_METRE);
        let between = sites.between(&section, bodies);
        let span = section.span();
        section.finish();
        if let (Some(between), Some(coefficient)) = (between, coefficient) {
            let link = Link::Damper {
                between,
                coefficient: coefficient.value,
            };
            all.push(Entry {
                link,
                kind: "damper",
                span,
            });
        }
    }
    for section in root.optional("beam").tables() {
        let link = beam(&section, bodies, sites).map(Link::Beam);
        let span = section.span();
        section.finish();
        all.extend(link.map(|link| Entry {
            link,
            kind: "beam",
            span,
        }));
    }
    all
}

fn beam(section: &Section<'_>, bodies: &Bodies, sites: &Sites) -> Option<Beam> {
    let between = sites.between(section, bodies);
    let length = section.required("length").positive(Unit::METRE);
    let tension = section.required("EA").positive(Unit::NEWTON);
    let bending = bending(section);
    let torsion = section.optional("GJ").non_negative(Unit::NEWTON_METRE_SQUARED);
    let torsion = match torsion {
        Some(torsion) => Some(torsion.value),
        None => (!section.has("GJ")).then_some(0.0),
    };
    let start = axes(section);
    let end = match section.has("end_turned") {
        true => rotation::read(section, "end_turned"),
        false => start,
    };
    Some(Beam {
        between: between?,
        turned: [start?, end?],
        length: length?.value,
        tension: tension?.value,
        bending: bending?,
        torsion: torsion?,
    })
}

/// `EI`: one number, or two, about y and about z.
fn bending(section: &Section<'_>) -> Option<[f64; 2]> {
    let unit = Unit::NEWTON_METRE_SQUARED;
    if !section.is_array("EI") {
        let both = section.required("EI").non_negative(unit)?.value;
        return Some([both, both]);
    }
    let given = section.required("EI").numbers(unit)?;
    let problems = section.problems();
    if let Some(negative) = given.value.iter().find(|k| !(k.value >= 0.0)) {
        let message = format!("`EI` must be zero or positive, got {}", negative.value);
        return problems.error(negative.span.clone(), message).none();
    }
    match &given.value[..] {
        [y, z] => Some([y.value, z.value]),
        other => problems
            .error(
                given.span,
                format!("`EI` is one number, or two, got {}", other.len()),
            )
            .help("write `EI = 5.0`, or `EI = [5.0, 8.0]` for bending about the y and the z of the beam")
            .none(),
    }
}

/// The axes of a beam against its first body: `turned`, or the shortest way from x to `axis`.
fn axes(section: &Section<'_>) -> Option<UnitQuaternion<f64>> {
    if !section.has("axis") {
        return rotation::read(section, "turned");
    }
    if section.has("turned") {
        let span = section.value_span("axis").unwrap_or_else(|| section.span());
        let problems = section.problems();
        return problems
            .error(span, "a beam has `axis` or `turned`, not both")
            .help("with `turned`, the beam is along the x that it turns; leave out `axis`")
            .none();
    }
    let axis = joint::axis(section, "axis")?;
    let half_turn = UnitQuaternion::from_axis_angle(&Vec3::z_axis(), std::f64::consts::PI);
    Some(UnitQuaternion::rotation_between(&Vec3::x(), &axis).unwrap_or(half_turn))
}
