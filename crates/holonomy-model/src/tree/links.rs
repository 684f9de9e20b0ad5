//! `[[damper]]` and `[[beam]]` between sites.
use super::{
    bodies::TreeBodies,
    joint,
    parts::{PartName, part_name},
    rotation,
    sites::Sites,
};
use crate::{Place, Section};
use holonomy::{
    Vec3,
    geometry::so3,
    tree::{Beam, Link},
};
use nalgebra::UnitQuaternion;

/// A link, its kind, and where it is written.
pub(super) struct LinkEntry {
    pub(super) name: PartName,
    pub(super) link: Link,
    pub(super) kind: &'static str,
    pub(super) place: Place,
}

pub(super) fn read(root: &Section<'_>, bodies: &TreeBodies, sites: &Sites) -> Vec<LinkEntry> {
    let mut all = Vec::new();
    for (index, section) in root.optional("damper").tables().into_iter().enumerate() {
        let name = part_name(&section, "damper", index);
        let coefficient = section.required("coefficient").number();
        let between = sites.between(&section, bodies);
        let place = section.place();
        section.finish();
        if let (Some(between), Some(coefficient)) = (between, coefficient) {
            let link = Link::Damper {
                between,
                coefficient: coefficient.value,
            };
            all.push(LinkEntry {
                name,
                link,
                kind: "damper",
                place,
            });
        }
    }
    for (index, section) in root.optional("beam").tables().into_iter().enumerate() {
        let name = part_name(&section, "beam", index);
        let link = beam(&section, bodies, sites).map(Link::Beam);
        let place = section.place();
        section.finish();
        all.extend(link.map(|link| LinkEntry {
            name,
            link,
            kind: "beam",
            place,
        }));
    }
    all
}

fn beam(section: &Section<'_>, bodies: &TreeBodies, sites: &Sites) -> Option<Beam> {
    let between = sites.between(section, bodies);
    let length = section.required("length").number();
    let tension = section.required("EA").number();
    let bending = bending(section);
    let torsion = section.optional("GJ").number();
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
    if !section.is_array("EI") {
        let both = section.required("EI").number()?.value;
        return Some([both, both]);
    }
    let given = section.required("EI").numbers()?;
    let problems = section.problems();
    if let Some(negative) = given.value.iter().find(|k| !(k.value >= 0.0)) {
        let message = format!("`EI` must be zero or positive, got {}", negative.value);
        return problems.error(negative.place.clone(), message).none();
    }
    match &given.value[..] {
        [y, z] => Some([y.value, z.value]),
        other => problems
            .error(
                given.place,
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
        let place = section.value_place("axis").unwrap_or_else(|| section.place());
        let problems = section.problems();
        return problems
            .error(place, "a beam has `axis` or `turned`, not both")
            .help("with `turned`, the beam is along the x that it turns; leave out `axis`")
            .none();
    }
    let axis = joint::axis(section, "axis")?;
    let half_turn = so3::about(&Vec3::z(), std::f64::consts::PI);
    Some(so3::shortest(&Vec3::x(), &axis).unwrap_or(half_turn))
}
