//! How bodies start, where it is not said with them: `[[start]]`, `[[swirl]]`.
use super::{Bodies, tangent, unit};
use crate::Section;
use holonomy::{geometry::s2, math};

pub(super) fn read_start(section: Section<'_>, all: &mut Bodies, named: bool) -> Option<()> {
    let problems = section.problems();
    let body = section.required("body").reference();
    let body = body.filter(|_| named);
    let body = body.and_then(|b| b.resolve("body", &all.names(), problems));
    let direction = section.optional("direction").vector();
    let direction = direction.map(|direction| unit(&direction, "direction", problems));
    let angular = section.optional("angular_velocity").vector();
    let changes = ["direction", "angular_velocity"];
    if !changes.iter().any(|key| section.has(key)) {
        section
            .lacks(&changes, section.place(), "this start changes nothing")
            .help("give a `direction`, an `angular_velocity` or both");
    }
    let hangs = all.end.as_ref().is_some_and(|end| !end.directed);
    if let Some(place) = section.value_place("direction").filter(|_| hangs) {
        problems
            .error(
                place,
                "the chain starts as it hangs between its ends, and this would turn one link",
            )
            .help("give `[chain]` a `direction` too; the shape nearest to all directions that reaches `end` is taken");
    }
    section.finish();
    let body = body?;
    if let Some(direction) = direction {
        all.directions[body] = direction?;
        // The angular velocity of the section before stays as perpendicular as it was asked to be.
        all.angular_velocities[body] = s2::tangent(&all.directions[body], &all.angular_velocities[body]);
    }
    if let Some(angular) = angular.filter(|_| all.sound) {
        let name = all.bodies[body].name.clone();
        all.angular_velocities[body] = tangent(&angular, &all.directions[body], &name, problems);
    }
    Some(())
}

/// A whirl about a centre: `v = U (c × q) exp(−(∠(q, c)/w)²)`, added to the velocities of all bodies.
pub(super) fn read_swirl(section: Section<'_>, all: &mut Bodies) -> Option<()> {
    let problems = section.problems();
    let centre = section
        .required("centre")
        .vector()
        .and_then(|c| unit(&c, "centre", problems));
    let rate = section.required("rate").number();
    let width = section.required("width").number();
    section.finish();
    let (centre, rate, width) = (centre?, rate?.value, width?.value);
    for (q, omega) in all.directions.iter().zip(&mut all.angular_velocities) {
        let angle = math::atan2(q.cross(&centre).norm(), q.dot(&centre));
        let velocity = centre.cross(q) * (rate * math::exp(-math::powi(angle / width, 2)));
        *omega += q.cross(&velocity);
    }
    Some(())
}
