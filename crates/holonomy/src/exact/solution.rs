//! Which mechanisms have their motion in closed form, and that motion as states.
//!
//! Separate bodies in uniform gravity are spherical pendula, each on its own: `Mᵢ ω̇ᵢ = −qᵢ × ∂ᵢV` with constant
//! `∂ᵢV` is the pendulum with `γ = −∂ᵢV/Mᵢ`.
use super::SphericalPendulum;
use crate::{
    geometry::s2,
    integrator::catalog::Mechanism,
    spheres::{Spheres, view, view_mut},
    system::State,
};

/// A motion in closed form.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Time of the start, s.
    start: f64,
    /// Mᵢᵢ and the motion of every body.
    pendula: Vec<(f64, SphericalPendulum)>,
}

/// The motion of a mechanism from a state on, if it is known in closed form.
pub fn solution(mechanism: &Mechanism, state: &State) -> Option<Solution> {
    match mechanism {
        Mechanism::Spheres(spheres) => pendula(spheres, state),
        Mechanism::Lagrangian(_) | Mechanism::Hamel(_) => None,
    }
}

fn pendula(spheres: &Spheres, state: &State) -> Option<Solution> {
    let gradient = spheres.uniform_gradient()?;
    if !spheres.inertia().is_diagonal() || !state.is_finite() {
        return None;
    }
    let (q, pi) = (view(&state.q), view(&state.p));
    // The closed form is that of a state on the manifold.
    let on_sphere =
        |i: usize| s2::length_defect(&q[i]).abs() < 1e-12 && q[i].dot(&pi[i]).abs() <= 1e-12 * pi[i].norm();
    let pendulum = |i: usize| {
        let mass = spheres.inertia().diagonal(i);
        (
            mass,
            SphericalPendulum::new(-gradient[i] / mass, q[i], pi[i] / mass),
        )
    };
    (0..spheres.len()).all(on_sphere).then(|| Solution {
        start: state.t,
        pendula: (0..spheres.len()).map(pendulum).collect(),
    })
}

impl Solution {
    /// The state at a time, s.
    pub fn at(&self, t: f64) -> State {
        let size = 3 * self.pendula.len();
        let mut state = State::new(t, vec![0.0; size], vec![0.0; size]);
        for (i, (mass, pendulum)) in self.pendula.iter().enumerate() {
            let motion = pendulum.at(t - self.start);
            view_mut(&mut state.q)[i] = motion.direction;
            view_mut(&mut state.p)[i] = motion.angular_velocity * *mass;
        }
        state
    }
}
