use super::{Spheres, parts::is_finite};
use crate::{
    Vec3,
    system::{State, StateError, System},
};

/// Directions and angular velocities may be off by digits of printed numbers.
const PRINTED: f64 = 1e-9;

impl Spheres {
    /// A state with the given directions, unit vectors, and angular velocities across them, at time zero.
    pub fn state(&self, directions: &[Vec3], angular_velocities: &[Vec3]) -> Result<State, StateError> {
        let n = self.len();
        for (part, given) in [
            ("directions", directions.len()),
            ("angular velocities", angular_velocities.len()),
        ] {
            if given != n {
                let wanted = n;
                return Err(StateError::Count { part, given, wanted });
            }
        }
        for (i, (q, omega)) in directions.iter().zip(angular_velocities).enumerate() {
            let name = || self.bodies[i].name.clone();
            let (length, along) = (q.norm(), omega.dot(q));
            if !(is_finite(q) && is_finite(omega)) {
                return Err(StateError::NotFinite { name: name() });
            }
            if (length - 1.0).abs() > PRINTED {
                let name = name();
                return Err(StateError::NotUnit { name, length });
            }
            if along.abs() > PRINTED * omega.norm() {
                let name = name();
                return Err(StateError::Along { name, along });
            }
        }
        let q: &[f64] = bytemuck::cast_slice(directions);
        let mut p = vec![0.0; 3 * n];
        let omega = bytemuck::cast_slice(angular_velocities);
        self.momentum(0.0, q, omega, &mut p, &mut self.scratch());
        let mut state = State::new(0.0, q.to_vec(), p);
        state.work = vec![0.0; self.forces.len()];
        Ok(state)
    }
}
