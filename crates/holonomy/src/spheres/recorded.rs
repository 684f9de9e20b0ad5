//! What links offer to be recorded: the tension T of each massless link with a point mass at its tip, positive where it
//! pulls. It is what keeps the length, and follows from the motion:
//!
//! ```text
//! Σⱼ Mᵢⱼ q̈ⱼ + ∂ᵢV = −lᵢ Tᵢ qᵢ,      q̈ⱼ = ω̇ⱼ × qⱼ + ωⱼ × (ωⱼ × qⱼ)
//! ```
//! The part of ∂V along q counts here. It is that of a force where V is a function of places; of one that is a function of
//! directions it would be an accident of how it is written, and no tension is offered.
use super::{Spheres, Workspace, view};
use crate::{
    Vec3,
    output::{Extra, Recordable},
    system::{Measurement, Scratch, State, System, workspace},
};

/// Moments of inertia that differ less are those of point masses: digits of printed numbers.
const PRINTED: f64 = 1e-9;

impl Spheres {
    /// Offers tensions where links have them; the inertia must be that of the bodies.
    pub(super) fn offer_tensions(&mut self) {
        if !cfg!(feature = "outputs") || !self.has_tensions() {
            return;
        }
        let extras = self.bodies.iter().map(|body| Extra {
            name: format!("{}.tension", body.name),
            unit: "N",
            components: &[],
        });
        self.layout.recordable = Recordable {
            extras: extras.collect(),
            ..Recordable::default()
        };
    }

    /// Whether links are massless, with point masses, and forces those of places: gravity, and springs between points.
    fn has_tensions(&self) -> bool {
        let n = self.len();
        let points = self.bodies.iter().all(|body| {
            let moment = body.mass * body.length * body.length;
            body.centre == 1.0 && (body.moment - moment).abs() <= PRINTED * moment
        });
        let places = self.potentials.iter().all(|potential| {
            let spring = potential.drawn_as_spring();
            potential.is_uniform() || spring.is_some_and(|ends| ends.iter().all(|point| *point >= n))
        });
        points && places && self.held.is_none() && self.forces.is_empty()
    }

    /// The tensions, where they are offered.
    pub(super) fn record_tensions(
        &self,
        state: &State,
        measured: &Measurement,
        out: &mut Vec<f64>,
        scratch: &mut Scratch,
    ) {
        out.clear();
        if self.layout.recordable.extras.is_empty() {
            return;
        }
        let n = self.len();
        let mut rates = std::mem::take(&mut workspace::<Workspace>(scratch).rates);
        rates.iter_mut().for_each(|rate| rate.resize(3 * n, 0.0));
        let [dq, dv] = &mut rates;
        self.rate(state.t, &state.q, &measured.velocity, dq, dv, scratch);
        let (q, omega) = (view(&state.q), view(&measured.velocity));
        let turning = q.iter().zip(omega).zip(view(dv));
        let accelerations: Vec<Vec3> = turning
            .map(|((q, omega), rate)| rate.cross(q) + omega.cross(&omega.cross(q)))
            .collect();
        let work = workspace::<Workspace>(scratch);
        work.rates = rates;
        let mut flow = vec![Vec3::zeros(); n];
        self.inertia.apply(&accelerations, &mut flow, &mut work.inertia);
        let mut gradient = vec![Vec3::zeros(); n];
        self.gradient(q, &mut gradient, work);
        let each = q.iter().zip(flow.iter().zip(&gradient)).zip(self.bodies.iter());
        out.extend(each.map(|((q, (flow, gradient)), body)| -q.dot(&(flow + gradient)) / body.length));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        integrator::catalog,
        potential::Spring,
        spheres::{Body, Inertia, Point, SpheresParts},
        system::Mechanism,
    };
    use std::sync::Arc;

    const GRAVITY: Vec3 = Vec3::new(0.3, 0.0, -9.81);

    fn tensions(spheres: &Spheres, state: &State) -> Vec<f64> {
        let (mut measured, mut out, mut scratch) = (Measurement::default(), Vec::new(), spheres.scratch());
        spheres.measure(state, &mut measured, &mut scratch);
        spheres.extras(state, &measured, &mut out, &mut scratch);
        out
    }

    fn near(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found}, not {expected}");
    }

    #[test]
    fn separate_pendula_have_those_of_the_closed_form() {
        let spheres = Spheres::new(SpheresParts {
            bodies: vec![
                Body::point("a", 1.5, 0.7),
                Body::point("b", 2.0, 1.3).at(Vec3::x()),
            ],
            gravity: GRAVITY,
            ..SpheresParts::default()
        });
        let spheres = spheres.expect("a system");
        let q = [Vec3::new(0.6, 0.0, -0.8), Vec3::new(0.0, 0.8, 0.6)];
        let omega = [Vec3::new(1.6, 2.0, 1.2), Vec3::new(0.7, 0.0, 0.0)];
        let state = spheres.state(&q, &omega).expect("a state");
        let found = tensions(&spheres, &state);
        for (i, body) in spheres.bodies().iter().enumerate() {
            let expected = body.mass * (body.length * omega[i].norm_squared() + GRAVITY.dot(&q[i]));
            near(found[i], expected, 1e-13 * expected.abs());
        }
    }

    #[test]
    fn a_hanging_chain_carries_the_weight_below() {
        let masses = [1.0, 0.5, 2.0];
        let spheres = Spheres::new(SpheresParts {
            gravity: Vec3::new(0.0, 0.0, -9.81),
            ..SpheresParts::chain(masses.map(|mass| Body::point(format!("{mass}"), mass, 0.4 + mass)))
        });
        let spheres = spheres.expect("a system");
        let state = spheres.state(&[-Vec3::z(); 3], &[Vec3::zeros(); 3]);
        let found = tensions(&spheres, &state.expect("a state"));
        for i in 0..3 {
            let below: f64 = masses[i..].iter().sum();
            near(found[i], 9.81 * below, 1e-12);
        }
    }

    /// Newton's law for the lower mass and for both, with accelerations from three places along the motion.
    #[test]
    fn forces_move_the_masses_of_a_double_pendulum_with_a_spring() {
        let bodies = [Body::point("upper", 1.0, 0.8), Body::point("lower", 0.6, 1.1)];
        let mut parts = SpheresParts {
            gravity: GRAVITY,
            ..SpheresParts::chain(bodies)
        };
        let tip = parts.add_point(Point::On {
            body: 1,
            distance: 1.1,
        });
        let anchor = Vec3::new(1.0, 2.0, -1.0);
        let fixed = parts.add_point(Point::Fixed(anchor));
        let (stiffness, rest) = (5.0, 0.5);
        parts.potentials.push(Box::new(Spring {
            between: [tip, fixed],
            stiffness,
            length: rest,
        }));
        let spheres = Arc::new(Spheres::new(parts).expect("a system"));
        let q = [Vec3::new(0.6, 0.0, -0.8), Vec3::new(0.0, 0.8, 0.6)];
        let omega = [Vec3::new(1.6, 2.0, 1.2), Vec3::new(0.7, 0.6, -0.8)];
        let state = spheres.state(&q, &omega).expect("a state");
        let [upper, lower] = tensions(&spheres, &state)[..] else {
            panic!("two tensions");
        };
        // Differences of second order: their error is some h² = 1e-6 of accelerations of 30 m/s², rounding 1e-16/h².
        let h = 1e-3;
        let method = catalog::find("sphere-implicit-8").expect("a method");
        let mut method = method
            .build(&Mechanism::Spheres(spheres.clone()))
            .expect("it fits");
        let mut places = |h: f64| {
            let mut state = state.clone();
            if h != 0.0 {
                method.attempt(&mut state, h).expect("a step");
            }
            let mut sites = [Vec3::zeros(); 2];
            spheres.sites(0.0, &state.q, &mut sites);
            sites
        };
        let [before, now, after] = [-h, 0.0, h].map(&mut places);
        let acceleration = |i: usize| (after[i] - 2.0 * now[i] + before[i]) / (h * h);
        let stretch = anchor - now[1];
        let pull = stretch.normalize() * stiffness * (stretch.norm() - rest);
        let of_lower = 0.6 * GRAVITY + pull - 0.6 * acceleration(1);
        let of_both = of_lower + GRAVITY - acceleration(0);
        assert!((of_lower - q[1] * lower).norm() < 1e-3, "{of_lower:?}, {lower}");
        assert!((of_both - q[0] * upper).norm() < 1e-3, "{of_both:?}, {upper}");
        assert!((lower - upper).abs() > 1.0);
    }

    #[test]
    fn others_have_none() {
        let offered = |parts: SpheresParts| {
            let spheres = Spheres::new(parts).expect("a system");
            !spheres.layout().recordable.extras.is_empty()
        };
        let of = |body: Body| SpheresParts {
            bodies: vec![body],
            ..SpheresParts::default()
        };
        assert!(offered(of(Body::point("a", 1.0, 1.0))));
        assert!(!offered(of(Body::rod("a", 1.0, 1.0))));
        assert!(!offered(SpheresParts {
            inertia: Some(Inertia::diagonal_matrix([3.0].into_iter())),
            ..of(Body::point("a", 1.0, 1.0))
        }));
    }
}
