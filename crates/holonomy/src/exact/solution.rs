//! Which mechanisms have their motion in closed form, and that motion as states.
//!
//! Separate bodies in uniform gravity are spherical pendula, each on its own: `Mᵢ ω̇ᵢ = −qᵢ × ∂ᵢV` with constant
//! `∂ᵢV` is the pendulum with `γ = −∂ᵢV/Mᵢ`. A Lagrangian `½ a θ'² + b cos θ + c` is a plane pendulum with `γ = b/a`.
//! A tree that is one body on a ball joint, or free, turns as a free rigid body if gravity has no moment about the
//! joint; the centre of a free one follows a parabola, `x = X − Rc`.
use super::{FreeBody, PlanePendulum, SphericalPendulum};
use crate::{
    Vec3,
    geometry::{s2, so3},
    lagrangian::{Derivatives, Lagrangian},
    math,
    spheres::{Spheres, view, view_mut},
    system::{Mechanism, State, System},
    tree::Tree,
};
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

/// A motion in closed form.
#[derive(Clone)]
pub struct Solution {
    /// Time of the start, s.
    start: f64,
    motion: ClosedForm,
}

#[derive(Clone)]
enum ClosedForm {
    /// Mᵢᵢ and the motion of every body.
    Spherical(Vec<(f64, SphericalPendulum)>),
    /// The inertia and the motion.
    Plane(f64, PlanePendulum),
    /// One body of a tree.
    Rigid(Box<Rigid>),
}

/// One rigid body.
#[derive(Clone)]
struct Rigid {
    tree: Arc<Tree>,
    rotation: FreeBody,
    flight: Option<Flight>,
}

/// The centre of mass of a body in free flight, in the axes of its joint.
#[derive(Clone, Copy)]
struct Flight {
    /// The centre in the body, m.
    centre: Vec3,
    position: Vec3,
    velocity: Vec3,
    gravity: Vec3,
}

/// The motion of a mechanism from a state on, if it is known in closed form.
pub fn solution(mechanism: &Mechanism, state: &State) -> Option<Solution> {
    match mechanism {
        Mechanism::Spheres(spheres) => pendula(spheres, state),
        Mechanism::Lagrangian(lagrangian) => plane(lagrangian, state),
        Mechanism::Tree(tree) => rigid(tree, state),
    }
}

fn pendula(spheres: &Spheres, state: &State) -> Option<Solution> {
    let gradient = spheres.uniform_gradient()?;
    if !spheres.are_separate() || !spheres.forces().is_empty() || !state.is_finite() {
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
        motion: ClosedForm::Spherical((0..spheres.len()).map(pendulum).collect()),
    })
}

/// Whether a Lagrangian is that of a plane pendulum is seen from its derivatives at a few points.
fn plane(lagrangian: &Lagrangian, state: &State) -> Option<Solution> {
    let mechanics = lagrangian.mechanics();
    if lagrangian.is_framed()
        || mechanics.coordinates() != 1
        || mechanics.constraints() > 0
        || !mechanics.sources().is_empty()
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
        let off = (force + strength * math::sin(q)).abs() / strength.abs();
        let off = off.max((momentum - inertia * v).abs() / (inertia * v).abs());
        // A few roundings; any other Lagrangian is off by more somewhere.
        if mass != inertia || off.is_nan() || off > 8.0 * f64::EPSILON {
            return None;
        }
    }
    let pendulum = PlanePendulum::new(strength / inertia, state.q[0], state.p[0] / inertia);
    Some(Solution {
        start: state.t,
        motion: ClosedForm::Plane(inertia, pendulum),
    })
}

const POINTS: u32 = 12;

fn rigid(tree: &Arc<Tree>, state: &State) -> Option<Solution> {
    let lone = tree.lone_body().filter(|lone| !lone.forced)?;
    if !state.is_finite() {
        return None;
    }
    let mut v = vec![0.0; tree.velocities()];
    tree.velocity(state.t, &state.q, &state.p, &mut v, &mut tree.scratch());
    let three = |list: &[f64]| Vec3::new(list[0], list[1], list[2]);
    let body = &lone.inertia;
    let (at, moving) = if lone.free { (3, 3) } else { (0, 0) };
    let mut orientation = [0.0; 4];
    orientation.copy_from_slice(&state.q[at..at + 4]);
    if so3::length_defect(&orientation).abs() > 1e-12 {
        return None;
    }
    let omega = three(&v[moving..]);
    let turn = so3::matrix(&orientation);
    let (inertia, flight) = if lone.free {
        let flight = Flight {
            centre: body.centre,
            position: three(&state.q) + turn * body.centre,
            velocity: three(&v) + turn * omega.cross(&body.centre),
            gravity: lone.gravity,
        };
        (body.moment, Some(flight))
    } else {
        if body.mass * body.centre != Vec3::zeros() && lone.gravity != Vec3::zeros() {
            return None;
        }
        // About the joint.
        let matrix = body.matrix();
        (matrix.fixed_view::<3, 3>(3, 3).into_owned(), None)
    };
    Some(Solution {
        start: state.t,
        motion: ClosedForm::Rigid(Box::new(Rigid {
            tree: tree.clone(),
            rotation: FreeBody::new(&inertia, orientation, omega),
            flight,
        })),
    })
}

impl Rigid {
    fn at(&self, t: f64, elapsed: f64) -> State {
        let motion = self.rotation.at(elapsed);
        let (turn, omega) = (motion.orientation, motion.angular_velocity);
        let Some(flight) = &self.flight else {
            return self.tree.state_at(t, &turn, omega.as_slice());
        };
        let matrix = so3::matrix(&turn);
        let fallen = flight.velocity + flight.gravity * (0.5 * elapsed);
        let place = flight.position + fallen * elapsed - matrix * flight.centre;
        let velocity = flight.velocity + flight.gravity * elapsed - matrix * omega.cross(&flight.centre);
        let q = [place.as_slice(), &turn].concat();
        self.tree
            .state_at(t, &q, &[velocity.as_slice(), omega.as_slice()].concat())
    }
}

impl Solution {
    /// The state at a time, s.
    pub fn at(&self, t: f64) -> State {
        match &self.motion {
            ClosedForm::Spherical(pendula) => {
                let size = 3 * pendula.len();
                let mut state = State::new(t, vec![0.0; size], vec![0.0; size]);
                for (i, (mass, pendulum)) in pendula.iter().enumerate() {
                    let motion = pendulum.at(t - self.start);
                    view_mut(&mut state.q)[i] = motion.direction;
                    view_mut(&mut state.p)[i] = motion.angular_velocity * *mass;
                }
                state
            }
            ClosedForm::Plane(inertia, pendulum) => {
                let motion = pendulum.at(t - self.start);
                State::new(t, vec![motion.angle], vec![inertia * motion.rate])
            }
            ClosedForm::Rigid(rigid) => rigid.at(t, t - self.start),
        }
    }
}
