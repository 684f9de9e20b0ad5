use super::{Body, Held, Inertia, Links, Point, SphereForce, Spheres, SpheresError, scene::Drawn, symmetry};
use crate::{
    Vec3,
    potential::{Gravity, Potential, Symmetry},
    system::{Base, Conserved, Drawing, Layout, MultiplierUnit, Named, Names, Words, check_names},
};

/// What a [`Spheres`] system is made of.
///
/// Potentials see the directions of the n bodies as points `0..n`, and `points[k]` as point `n + k`.
#[derive(Default)]
pub struct SpheresParts {
    /// Bodies, each after the one on whose tip it hangs.
    pub bodies: Vec<Body>,
    /// The inertia matrix, if it is not that of the bodies as links joined end to end.
    pub inertia: Option<Inertia>,
    /// Points on bodies, or fixed in space, that potentials act on; see [`SpheresParts::add_point`].
    pub points: Vec<Point>,
    /// Acceleration of gravity on all bodies, m/s², the way things fall.
    pub gravity: Vec3,
    /// Potentials.
    pub potentials: Vec<Box<dyn Potential>>,
    /// A body, and the fixed point at which its tip is held: a chain with two ends.
    pub held: Option<(usize, Vec3)>,
    /// Forces without potential.
    pub forces: Vec<SphereForce>,
}

impl SpheresParts {
    /// Bodies that hang each on the tip of the one before it; the first is where it says.
    pub fn chain(bodies: impl IntoIterator<Item = Body>) -> Self {
        let bodies = bodies.into_iter().enumerate();
        let bodies = bodies.map(|(i, body)| match i.checked_sub(1) {
            Some(before) => body.on(before),
            None => body,
        });
        Self {
            bodies: bodies.collect(),
            ..Self::default()
        }
    }

    /// Adds a point, and gives the number that potentials call it by; bodies come first.
    pub fn add_point(&mut self, point: Point) -> usize {
        self.points.push(point);
        self.bodies.len() + self.points.len() - 1
    }
}

impl Spheres {
    /// Puts a system together, or says what is wrong with its parts.
    ///
    /// ```
    /// use holonomy::{Vec3, spheres::{Body, Spheres, SpheresParts}};
    ///
    /// let pendulum = Spheres::new(SpheresParts {
    ///     gravity: Vec3::new(0.0, 0.0, -9.81),
    ///     ..SpheresParts::chain([Body::point("upper", 1.0, 1.0), Body::point("lower", 1.0, 1.0)])
    /// })?;
    /// let state = pendulum.state(&[Vec3::x(), -Vec3::z()], &[Vec3::zeros(); 2])?;
    ///
    /// let error = Spheres::new(SpheresParts {
    ///     bodies: vec![Body::point("bob", 1.0, -1.0)],
    ///     ..SpheresParts::default()
    /// });
    /// assert_eq!(
    ///     error.err().map(|e| e.to_string()).as_deref(),
    ///     Some("the length of body `bob` is -1 m; give a positive number"),
    /// );
    /// # let _ = state;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(parts: SpheresParts) -> Result<Self, SpheresError> {
        let SpheresParts {
            bodies,
            inertia,
            points,
            gravity,
            mut potentials,
            held,
            forces,
        } = parts;
        check_names(Named::Body, bodies.iter().map(|body| body.name.as_str()))?;
        let links = Links::new(&bodies)?;
        let of_bodies = inertia.is_none();
        let inertia = match inertia {
            None => Inertia::Links(links),
            Some(inertia) => {
                inertia.check(bodies.len())?;
                inertia
            }
        };
        check_points(&bodies, &points)?;
        if !is_finite(&gravity) {
            return Err(SpheresError::Gravity);
        }
        if gravity != Vec3::zeros() {
            potentials.insert(0, Box::new(Gravity::on(gravity, &bodies)));
        }
        let count = bodies.len() + points.len();
        for (number, potential) in potentials.iter().enumerate() {
            let needed = potential.points_needed();
            if needed > count {
                return Err(SpheresError::Potential {
                    number: number - usize::from(gravity != Vec3::zeros()),
                    needed,
                    count,
                });
            }
        }
        let held = match held {
            None => None,
            Some((body, at)) => Some(Held::new(&bodies, body, at)?),
        };
        let mut spheres = Self {
            drawn: Drawn::new(&bodies),
            bodies: bodies.into(),
            inertia,
            points,
            potentials,
            held,
            forces,
            expressions: Vec::new(),
            axes: Vec::new(),
            layout: Layout::default(),
        };
        spheres.check_forces()?;
        spheres.describe();
        if of_bodies {
            spheres.offer_tensions();
        }
        Ok(spheres)
    }

    /// Finds what is conserved, and names everything.
    fn describe(&mut self) {
        self.axes = match self.symmetry() {
            // What forces leave alone is not looked for.
            _ if !self.forces.is_empty() => Vec::new(),
            Symmetry::All => vec![Vec3::x(), Vec3::y(), Vec3::z()],
            Symmetry::About(axis) => vec![symmetry::towards_positive(axis)],
            Symmetry::None => Vec::new(),
        };
        let bodies = &self.bodies;
        let names = bodies.clone();
        let label = |symbol: &'static str| {
            let bodies = bodies.clone();
            let name = move |k: usize| format!("{symbol}.{}.{}", bodies[k / 3].name, ["x", "y", "z"][k % 3]);
            Names::made(3 * names.len(), name)
        };
        let mut expressions = Vec::new();
        for potential in &self.potentials {
            self.expressions.push(expressions.len() as u32);
            expressions.extend(potential.expressions());
        }
        let axes = self.axes.iter();
        let held = (self.held.iter()).flat_map(|_| ["x", "y", "z"].map(|axis| format!("end.{axis}")));
        self.layout = Layout {
            coordinates: label("q"),
            velocities: label("omega"),
            drawing: Drawing {
                bases: bodies.iter().map(|b| b.base).collect(),
                down: self.potentials.iter().find_map(|v| v.down()),
                ..Drawing::default()
            },
            conserved: Conserved {
                invariants: axes
                    .map(|axis| format!("angular momentum {}", symmetry::axis_name(axis)))
                    .collect(),
                ..Conserved::default()
            },
            words: Words {
                pulleys: Vec::new(),
                bodies: Names::made(bodies.len(), move |k| names[k].name.clone()),
                expressions,
                ..Words::default()
            },
            multipliers: held.collect(),
            multiplier_units: (self.held.iter())
                .flat_map(|_| [MultiplierUnit::Newton; 3])
                .collect(),
            ..Layout::default()
        };
        let sources = self.forces.iter().map(|force| force.name.clone());
        self.layout.conserved.set_sources(sources);
    }
}

pub(super) fn is_finite(v: &Vec3) -> bool {
    v.iter().all(|x| x.is_finite())
}

fn check_points(bodies: &[Body], points: &[Point]) -> Result<(), SpheresError> {
    for (number, point) in points.iter().enumerate() {
        let finite = match point {
            Point::Fixed(r) => is_finite(r),
            Point::On { body, .. } if *body >= bodies.len() => {
                return Err(SpheresError::PointOnNoBody {
                    number,
                    body: *body,
                    bodies: bodies.len(),
                });
            }
            Point::On { distance, .. } => distance.is_finite(),
        };
        if !finite {
            return Err(SpheresError::PointNotFinite { number });
        }
    }
    Ok(())
}

/// Whether a body can be: its base comes before it, and its numbers are those of a body.
pub(super) fn check_body(number: usize, body: &Body) -> Result<(), SpheresError> {
    let name = || body.name.clone();
    match body.base {
        Base::Site(on) if on >= number => return Err(SpheresError::Order { body: name(), on }),
        Base::Fixed(pivot) if !is_finite(&pivot) => return Err(SpheresError::Pivot { body: name() }),
        _ => {}
    }
    for (quantity, unit, value) in [
        ("length", "m", body.length),
        ("mass", "kg", body.mass),
        ("moment of inertia", "kg m²", body.moment),
    ] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(SpheresError::NotPositive {
                body: name(),
                quantity,
                value,
                unit,
            });
        }
    }
    if !body.centre.is_finite() {
        return Err(SpheresError::Centre { body: name() });
    }
    let arm = body.centre * body.length;
    let least = body.mass * arm * arm;
    // Digits of printed numbers.
    if body.moment < least * (1.0 - 1e-9) {
        return Err(SpheresError::Moment {
            body: name(),
            moment: body.moment,
            least,
        });
    }
    Ok(())
}
