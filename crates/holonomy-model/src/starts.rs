//! Starts of a model that differ from its own in a few numbers, without reading it again.
use crate::{
    Model, Table, Value,
    bodies::{normalised, perpendicular},
};
use holonomy::{
    Vec3,
    spheres::{Spheres, view},
    system::{Measurement, Mechanism, State, System},
};
use std::sync::Arc;

/// Where bodies that stand in a model one by one start, with numbers that change.
pub struct Starts {
    spheres: Arc<Spheres>,
    directions: Vec<[f64; 3]>,
    angular_velocities: Vec<Option<[f64; 3]>>,
    /// Where the numbers of the keys stand.
    places: Vec<Component>,
}

/// A component of a vector of a body.
struct Component {
    body: usize,
    of_velocity: bool,
    index: usize,
}

/// What else says where bodies start; these models are read.
const OTHERS: [&str; 7] = ["chain", "grid", "icosphere", "spiral", "start", "swirl", "state"];

impl Model {
    /// The starts of the model with other numbers at some paths. `None` where they do not follow from these numbers
    /// alone: then [`Model::with_all`] reads the model again.
    pub fn starts<'p>(&self, paths: impl IntoIterator<Item = &'p str>) -> Option<Starts> {
        let Mechanism::Spheres(spheres) = &self.mechanism else {
            return None;
        };
        // These states are at time zero.
        if self.state.t != 0.0 || OTHERS.iter().any(|key| self.table.contains_key(key)) {
            return None;
        }
        let bodies = bodies(&self.table)?;
        let velocity = |body: &&Table| match body.get("angular_velocity") {
            None => Some(None),
            Some(value) => vector(value).map(Some),
        };
        let places = paths.into_iter().map(|path| self.component(path, bodies.len()));
        Some(Starts {
            spheres: spheres.clone(),
            directions: bodies
                .iter()
                .map(|body| vector(body.get("direction")?))
                .collect::<Option<_>>()?,
            angular_velocities: bodies.iter().map(velocity).collect::<Option<_>>()?,
            places: places.collect::<Option<_>>()?,
        })
    }

    /// Which number a path leads to: the one that changes with it.
    fn component(&self, path: &str, bodies_before: usize) -> Option<Component> {
        let with = |number: f64| {
            let mut table = self.table.clone();
            table.set(path, number).ok()?;
            Some(table)
        };
        let tables = [with(0.25)?, with(0.75)?];
        let [one, other] = [bodies(&tables[0])?, bodies(&tables[1])?];
        if one.len() != bodies_before {
            return None;
        }
        for (body, (one, other)) in one.iter().zip(&other).enumerate() {
            for (of_velocity, key) in [(false, "direction"), (true, "angular_velocity")] {
                let [Some(one), Some(other)] = [one.get(key), other.get(key)] else {
                    continue;
                };
                if one != other {
                    let (one, other) = (vector(one)?, vector(other)?);
                    let index = (0..3).find(|k| one[*k].to_bits() != other[*k].to_bits())?;
                    return Some(Component {
                        body,
                        of_velocity,
                        index,
                    });
                }
            }
        }
        None
    }
}

impl Starts {
    /// The start with these values at the paths. `None` where one of them is no number, or the start may be refused: the
    /// model says why when it is read.
    pub fn state(&self, values: impl IntoIterator<Item = Value>) -> Option<State> {
        let mut directions = self.directions.clone();
        let mut velocities = self.angular_velocities.clone();
        for (place, value) in self.places.iter().zip(values) {
            let number = value.as_number()?.value();
            let vector = match place.of_velocity {
                true => velocities[place.body].as_mut()?,
                false => &mut directions[place.body],
            };
            vector[place.index] = number;
        }
        let numbers = directions.iter().chain(velocities.iter().flatten()).flatten();
        if !numbers.clone().all(|number| number.is_finite()) {
            return None;
        }
        let directions: Vec<Vec3> = directions
            .into_iter()
            .map(|vector| normalised(&vector.into()))
            .collect::<Option<_>>()?;
        let velocities: Vec<Vec3> = velocities
            .into_iter()
            .zip(&directions)
            .map(|(omega, direction)| {
                omega.map_or_else(Vec3::zeros, |omega| perpendicular(direction, &omega.into()))
            })
            .collect();
        let spheres = &self.spheres;
        if spheres
            .undefined_potentials(&directions)
            .iter()
            .any(Option::is_some)
        {
            return None;
        }
        let state = spheres.state(&directions, &velocities).ok()?;
        let momenta = view(&state.p).iter().zip(&velocities);
        let kinetic = 0.5 * momenta.map(|(p, omega)| p.dot(omega)).sum::<f64>();
        let mut measured = Measurement::default();
        spheres.measure(&state, &mut measured, &mut spheres.scratch());
        let finite = kinetic.is_finite() && state.is_finite() && measured.not_finite().is_none();
        finite.then_some(state)
    }
}

fn bodies(table: &Table) -> Option<Vec<&Table>> {
    table
        .get("body")?
        .as_list()?
        .iter()
        .map(Value::as_table)
        .collect()
}

/// Three numbers without units.
fn vector(value: &Value) -> Option<[f64; 3]> {
    let numbers = value.as_list()?.iter();
    let numbers: Option<Vec<f64>> = numbers
        .map(|value| value.as_number().map(|number| number.value()))
        .collect();
    numbers?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use crate::{Value, load, scenario};

    #[test]
    fn a_start_has_the_bits_of_the_model_that_is_read() {
        let paths = [
            "body.upper.angular_velocity.2",
            "body.2.direction.1",
            "body.1.angular_velocity.1",
        ];
        let source = scenario::find("double-spherical-pendulum")
            .expect("a scenario")
            .source();
        let model = load(&source).unwrap_or_else(|problems| panic!("{problems:?}"));
        let starts = model.starts(paths).expect("bodies one by one");
        for numbers in [[0.3, 1e-4, -2.0], [1.7, -3e-4, 0.0], [-0.0, 0.0, 1e-9]] {
            let values = numbers.map(Value::from);
            let state = starts.state(values.clone());
            let read = model.with_all(paths.into_iter().zip(values));
            assert_eq!(state, read.ok().map(|model| model.state), "{numbers:?}");
            assert!(state.is_some() || numbers[1] > 1e-3, "{numbers:?}");
        }
        // What may be refused is read.
        for numbers in [[0.3, 0.5, -2.0], [f64::NAN, 0.0, 0.0], [1e200, 0.0, 0.0]] {
            assert_eq!(starts.state(numbers.map(Value::from)), None, "{numbers:?}");
        }
        assert!(
            starts
                .state(["30 deg/s".into(), 0.0.into(), 0.0.into()])
                .is_none()
        );
        for path in ["body.upper.mass", "body.upper.direction", "run.step"] {
            assert!(model.starts([path]).is_none(), "{path}");
        }
    }
}
