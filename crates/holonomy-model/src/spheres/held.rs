//! How a chain with both ends held starts.
use crate::{
    Problems,
    bodies::{Bodies, End},
    catenary,
};
use holonomy::{Vec3, geometry::s2, math, spheres::Spheres, system::System};

/// Turns of links, rad, and changes of their angular velocities, relative, that are not worth a word.
const UNNOTICED: f64 = 1e-6;

/// Makes the directions reach the end, and the velocities leave it where it is.
pub(super) fn start(spheres: &Spheres, end: &End, bodies: &mut Bodies, problems: &Problems) {
    let Some(held) = spheres.held() else { return };
    let length = spheres.bodies().first().map_or(1.0, |body| body.length);
    if !end.directed {
        let down = spheres.layout().drawing.down.unwrap_or_else(|| -Vec3::z());
        match hanging(spheres.len(), length, held.span(), &down) {
            Some(directions) => bodies.directions = directions,
            None => {
                problems
                    .error(
                        end.place.clone(),
                        "the ends of the chain are above each other, and it would hang folded between them",
                    )
                    .help("move one end sideways, or give `direction` and `end_direction` to start from another shape");
                return;
            }
        }
        for (q, omega) in bodies.directions.iter().zip(&mut bodies.angular_velocities) {
            *omega = s2::tangent(q, omega);
        }
    }
    let (mut q, mut omega) = (bodies.directions.clone(), bodies.angular_velocities.clone());
    spheres.project(
        bytemuck::cast_slice_mut(&mut q),
        bytemuck::cast_slice_mut(&mut omega),
    );
    let violation = spheres.violation(&q).unwrap_or_default();
    // Rounding of the sum over the links is far below.
    if !(violation <= 1e-12 * length * q.len() as f64) {
        problems
            .error(
                end.place.clone(),
                format!("no shape near these directions ends here: the nearest that was found is {violation:.1e} m away"),
            )
            .help("give other directions, or none: then the chain starts as it hangs at rest");
        return;
    }
    let far = |a: &[Vec3], b: &[Vec3]| {
        let each = a.iter().zip(b).map(|(a, b)| (a - b).norm());
        each.fold(0.0, f64::max)
    };
    let turned = far(&q, &bodies.directions);
    if turned > UNNOTICED {
        let message = format!("the links are turned by up to {turned:.2e} rad, so that the last ends here");
        problems.note(end.place.clone(), message);
    }
    let (changed, fastest) = (
        far(&omega, &bodies.angular_velocities),
        omega.iter().map(Vec3::norm).fold(0.0, f64::max),
    );
    if changed > UNNOTICED * fastest {
        let message = format!(
            "the angular velocities are changed by up to {changed:.2e} rad/s, so that the end stays here"
        );
        problems.note(end.place.clone(), message);
    }
    (bodies.directions, bodies.angular_velocities) = (q, omega);
}

/// The directions of equal links that hang at rest over a span; `None` where its ends are above each other.
fn hanging(links: usize, length: f64, span: Vec3, down: &Vec3) -> Option<Vec<Vec3>> {
    let level = span - down * span.dot(down);
    let side = level.try_normalize(1e-6 * length * links as f64)?;
    let angles = catenary::angles(links, length, span.dot(&side), -span.dot(down));
    Some(
        angles
            .iter()
            .map(|psi| {
                let (sine, cosine) = math::sin_cos(*psi);
                side * cosine - down * sine
            })
            .collect(),
    )
}
