//! Which mechanisms have their motion in closed form, and that motion as states.
//!
//! Separate bodies in uniform gravity are spherical pendula, each on its own: `Mᵢ ω̇ᵢ = −qᵢ × ∂ᵢV` with constant
//! `∂ᵢV` is the pendulum with `γ = −∂ᵢV/Mᵢ`. A Lagrangian `½ a θ'² + b cos θ + c` is a plane pendulum with `γ = b/a`.
use super::{PlanePendulum, SphericalPendulum};
use crate::{
    geometry::s2,
    integrator::catalog::Mechanism,
    lagrangian::{Derivatives, Lagrangian},
    spheres::{Spheres, view, view_mut},
    system::State,
};
use std::f64::consts::FRAC_PI_2;

/// A motion in closed form.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Time of the start, s.
    start: f64,
    motion: Motion,
}

#[derive(Clone, Debug)]
enum Motion {
    /// Mᵢᵢ and the motion of every body.
    Spherical(Vec<(f64, SphericalPendulum)>),
    /// The inertia and the motion.
    Plane(f64, PlanePendulum),
}

/// The motion of a mechanism from a state on, if it is known in closed form.
pub fn solution(mechanism: &Mechanism, state: &State) -> Option<Solution> {
    match mechanism {
        Mechanism::Spheres(spheres) => pendula(spheres, state),
        Mechanism::Lagrangian(lagrangian) => plane(lagrangian, state),
        Mechanism::Hamel(_) | Mechanism::Tree(_) => None,
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
        motion: Motion::Spherical((0..spheres.len()).map(pendulum).collect()),
    })
}

/// Whether a Lagrangian is that of a plane pendulum is seen from its derivatives at a few points.
fn plane(lagrangian: &Lagrangian, state: &State) -> Option<Solution> {
    let mechanics = lagrangian.mechanics();
    if mechanics.coordinates() != 1
        || mechanics.constraints() > 0
        || !mechanics.keeps_energy()
        || !state.is_finite()
    {
        return None;
    }
    let mut at = Derivatives::default();
    let mut derivatives = |q: f64, v: f64| {
        let found = mechanics.lagrangian(state.t, &[q], &[v], &mut at);
        found.ok().map(|()| (at.q[0], at.v[0], at.vv[0]))
    };
    let (turning, _, inertia) = derivatives(FRAC_PI_2, 0.0)?;
    let strength = -turning;
    if strength == 0.0 {
        return None;
    }
    for k in 1..=POINTS {
        // Irregular, and over more than a turn.
        let (q, v) = (0.37 * f64::from(k * k), 1.7 - 0.6 * f64::from(k));
        let (force, momentum, mass) = derivatives(q, v)?;
        let off = (force + strength * q.sin()).abs() / strength.abs();
        let off = off.max((momentum - inertia * v).abs() / (inertia * v).abs());
        // A few roundings; any other Lagrangian is off by more somewhere.
        if mass != inertia || off.is_nan() || off > 8.0 * f64::EPSILON {
            return None;
        }
    }
    let pendulum = PlanePendulum::new(strength / inertia, state.q[0], state.p[0] / inertia);
    Some(Solution {
        start: state.t,
        motion: Motion::Plane(inertia, pendulum),
    })
}

const POINTS: u32 = 12;

impl Solution {
    /// The state at a time, s.
    pub fn at(&self, t: f64) -> State {
        match &self.motion {
            Motion::Spherical(pendula) => {
                let size = 3 * pendula.len();
                let mut state = State::new(t, vec![0.0; size], vec![0.0; size]);
                for (i, (mass, pendulum)) in pendula.iter().enumerate() {
                    let motion = pendulum.at(t - self.start);
                    view_mut(&mut state.q)[i] = motion.direction;
                    view_mut(&mut state.p)[i] = motion.angular_velocity * *mass;
                }
                state
            }
            Motion::Plane(inertia, pendulum) => {
                let motion = pendulum.at(t - self.start);
                State::new(t, vec![motion.angle], vec![inertia * motion.rate])
            }
        }
    }
}
