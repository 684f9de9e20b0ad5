use super::{Carriers, Potential, Symmetry};
use crate::{
    Vec3,
    spheres::{Body, Links},
    system::Base,
};

/// Uniform gravity, `V = V₀ − Σₖ wₖ g·rₖ`.
///
/// On links `rₖ` is a direction and `wₖ` the first moment of everything the link carries (kg m).
#[derive(Clone, Debug)]
pub struct Gravity {
    /// Acceleration g, m/s², the way things fall.
    pub acceleration: Vec3,
    /// Weight `wₖ` of point k; points beyond the list weigh nothing.
    pub weights: Vec<f64>,
    /// Energy `V₀` of the parts that do not move, J.
    pub offset: f64,
}

impl Gravity {
    /// On the bodies of [`crate::spheres::Spheres`], which they weigh by their mass.
    pub fn on(acceleration: Vec3, bodies: &[Body]) -> Self {
        let links = Links::unchecked(bodies);
        let mut carried: Vec<f64> = bodies.iter().map(|body| body.mass).collect();
        let mut anchored = Vec3::zeros();
        for i in (0..bodies.len()).rev() {
            match bodies[i].base {
                Base::Site(parent) if parent < i => carried[parent] += carried[i],
                Base::Site(_) => {}
                Base::Fixed(r) => anchored += r * carried[i],
            }
        }
        Self {
            acceleration,
            weights: (0..bodies.len()).map(|i| links.first_moment(i)).collect(),
            offset: -acceleration.dot(&anchored),
        }
    }
}

impl Potential for Gravity {
    fn energy(&self, points: &[Vec3]) -> f64 {
        let fall: f64 = self
            .weights
            .iter()
            .zip(points)
            .map(|(w, r)| w * self.acceleration.dot(r))
            .sum();
        self.offset - fall
    }

    fn add_gradient(&self, _: &[Vec3], gradient: &mut [Vec3]) {
        for (w, out) in self.weights.iter().zip(gradient) {
            *out -= *w * self.acceleration;
        }
    }

    fn points_needed(&self) -> usize {
        self.weights.len()
    }

    fn is_uniform(&self) -> bool {
        true
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::fixing([&self.acceleration])
    }

    /// Of directions alone, wherever bodies are anchored.
    fn symmetry_on(&self, _: &Carriers<'_>) -> Symmetry {
        self.symmetry()
    }

    fn down(&self) -> Option<Vec3> {
        self.acceleration.try_normalize(0.0)
    }
}
