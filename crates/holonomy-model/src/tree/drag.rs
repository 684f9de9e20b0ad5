//! `[[drag]]`: what air and water do to bodies and cables.
//!
//! ```text
//! f = −k |u| u,   u = ṙ − w(t)                 at a point r of a body, in wind w
//! k/n for each of the n segments of a cable
//! ```
//! The speed is √(u² + ε²), which has a derivative also at rest; ε is so small that no other speed feels it.
use super::{bodies::TreeBodies, forces::three, laws::Laws};
use crate::{Place, Section, Unit};
use holonomy::{
    Vec3,
    formula::{Formula, Kind, Scope},
    tree::{Act, Motion, Point, Seen, StateForce, StateLaw},
};
use std::sync::Arc;

/// ε², m²/s²: above 1e-7 m/s the speed is |u| to rounding.
const STILL: f64 = 1e-30;

/// Cables by name, and the bodies of each.
pub(super) type Cables = Vec<(String, Vec<String>)>;

/// Where drag acts: on these bodies, at a point of each or its centre of mass, and their name.
struct Dragged {
    name: String,
    points: Vec<(usize, Vec3)>,
}

pub(super) fn read<'a>(
    root: &Section<'a>,
    bodies: &TreeBodies,
    cables: &Cables,
    laws: &Laws<'a>,
) -> Vec<(StateForce, Place)> {
    let mut all = Vec::new();
    for section in root.optional("drag").tables() {
        let coefficient = laws.positive(&section, "coefficient", Unit::KILOGRAM_PER_METRE);
        let wind = three(&section, "wind", Unit::METRE_PER_SECOND, laws);
        let dragged = match section.holds("cable") {
            true => cable(&section, bodies, cables),
            false => body(&section, bodies),
        };
        let place = section.place();
        section.finish();
        let (Some(k), Some(wind), Some(dragged)) = (coefficient, wind, dragged) else {
            continue;
        };
        let k = k.value / dragged.points.len() as f64;
        let wind = wind.map(|component: Motion| -> Arc<dyn Fn(f64) -> f64 + Send + Sync> {
            Arc::new(move |t| component(t).0)
        });
        for (body, position) in dragged.points {
            let rate = (0..3).map(|axis| Seen::PlaceRate(Point::On(body, position), axis));
            let seen = rate.chain(wind.iter().cloned().map(Seen::Given)).collect();
            let force = law(k, seen).map(|law| StateForce {
                name: format!("drag {}", dragged.name),
                law,
                act: Act::Push { body, position },
            });
            all.extend(force.map(|force| (force, place.clone())));
        }
    }
    all
}

/// −k |v − w| (v − w), v in the slots 1 to 3 and w in 4 to 6.
fn law(k: f64, seen: Vec<Seen>) -> Option<StateLaw> {
    let mut scope = Scope::new();
    scope.variable("v", Kind::Vector, 1).ok()?;
    scope.variable("w", Kind::Vector, 4).ok()?;
    let text = format!("-{k:e}*sqrt(dot(v - w, v - w) + {STILL:e})*(v - w)");
    let formula = Formula::parse_as(Kind::Vector, &text, &scope).ok()?;
    Some(StateLaw::new(&[&formula], seen))
}

fn body(section: &Section<'_>, bodies: &TreeBodies) -> Option<Dragged> {
    let at = section.optional("at").vector();
    if !section.has("body") {
        let _ = section.has("cable");
        return section
            .lacks(
                &["body", "cable"],
                section.place(),
                "drag without a `body` or a `cable`",
            )
            .help("add `body = \"…\"`, or `cable = \"…\"` for all its segments")
            .none();
    }
    let body = section.required("body").reference()?;
    let body = body.resolve("body", &bodies.names(), section.problems())?;
    let entry = &bodies.list[body];
    let centre = || (entry.inertia.mass > 0.0).then_some(entry.inertia.centre);
    let position = match section.has("at") {
        true => at?.value.into(),
        false => centre().unwrap_or_default(),
    };
    Some(Dragged {
        name: entry.name.clone(),
        points: vec![(body, position)],
    })
}

fn cable(section: &Section<'_>, bodies: &TreeBodies, cables: &Cables) -> Option<Dragged> {
    section.refuse(&[
        ("body", "to drag without `cable`; write a `[[drag]]` for each"),
        (
            "at",
            "to drag on a `body`; on a cable it acts at the centre of mass of each segment",
        ),
    ]);
    let given = section.required("cable").reference()?;
    let names: Vec<&str> = cables.iter().map(|(name, _)| name.as_str()).collect();
    let (name, segments) = &cables[given.resolve("cable", &names, section.problems())?];
    let of = |segment: &String| bodies.list.iter().position(|body| body.name == *segment);
    let with_mass = |body: &usize| bodies.list[*body].inertia.mass > 0.0;
    let points = segments.iter().filter_map(of).filter(with_mass);
    Some(Dragged {
        name: name.clone(),
        points: points
            .map(|body| (body, bodies.list[body].inertia.centre))
            .collect(),
    })
}
