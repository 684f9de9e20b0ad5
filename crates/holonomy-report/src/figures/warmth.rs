//! Kinetic energy on a sphere, as a map.
use crate::{
    figure::Globes,
    warmth::{Moment, Warmth},
};
use holonomy::{Vec3, geometry::Icosphere, math};

/// The map of a run; `None` where no sphere is shared by many bodies.
pub fn warmth(title: &str, warmth: &Warmth) -> Option<String> {
    let shown = warmth.shown();
    let first = shown.first()?;
    // Seen from where it is warmest at the start.
    let warm: Vec3 = first.places.iter().zip(&first.kinetic).map(|(r, k)| r * *k).sum();
    let toward = if warm.norm() > 0.0 {
        warm.normalize()
    } else {
        Vec3::z()
    };
    let largest = shown
        .iter()
        .flat_map(|moment| &moment.kinetic)
        .fold(0.0_f64, |m, k| m.max(*k));
    // Each shade is twice the one before; the largest of the means is about half of the largest energy.
    let levels = (1..=7).map(|k| two_digits(0.5 * largest / f64::from(1 << (7 - k))));
    let levels: Vec<f64> = levels.collect();
    Some(globes(title, &shown, levels, toward.into()))
}

/// The nearest number of two digits.
fn two_digits(value: f64) -> f64 {
    format!("{value:.1e}").parse().unwrap_or(value)
}

/// Local means of the kinetic energy at several moments.
pub fn globes(title: &str, moments: &[&Moment], levels: Vec<f64>, toward: [f64; 3]) -> String {
    let mesh = Icosphere::new(4);
    let corners = |face: &[usize; 3]| face.map(|vertex| mesh.vertices[vertex]);
    let faces: Vec<[Vec3; 3]> = mesh.faces.iter().map(corners).collect();
    let values = |moment: &Moment| {
        let centre = |face: &[Vec3; 3]| (face[0] + face[1] + face[2]).normalize();
        faces.iter().map(|face| local(&centre(face), moment)).collect()
    };
    Globes {
        title: title.to_owned(),
        caption: String::new(),
        moments: moments
            .iter()
            .map(|moment| {
                (
                    format!("t = {} s", crate::number::rough(moment.t)),
                    values(moment),
                )
            })
            .collect(),
        faces: faces
            .iter()
            .map(|face| face.map(|corner| corner.into()))
            .collect(),
        label: "mean kinetic energy of a body (J)".to_owned(),
        levels,
        toward,
    }
    .render()
}

/// The mean over the bodies near a point, or the value of the nearest.
fn local(centre: &Vec3, moment: &Moment) -> f64 {
    const NEAR: f64 = 0.15;
    let (mut sum, mut count) = (0.0, 0.0);
    let mut nearest = (f64::NEG_INFINITY, 0.0);
    for (place, &energy) in moment.places.iter().zip(&moment.kinetic) {
        let cosine = place.dot(centre);
        if cosine > nearest.0 {
            nearest = (cosine, energy);
        }
        if cosine > math::cos(NEAR) {
            sum += energy;
            count += 1.0;
        }
    }
    if count > 0.0 { sum / count } else { nearest.1 }
}
