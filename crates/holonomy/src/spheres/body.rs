use crate::{Vec3, system::Base};

/// A body of [`super::Spheres`]: a link from its base to its tip, whose direction is its configuration.
///
/// ```
/// use holonomy::spheres::Body;
///
/// let upper = Body::point("upper", 1.0, 0.5); // 1 kg at the end of a massless rod of 0.5 m
/// let lower = Body::rod("lower", 2.0, 0.8).on(0); // hangs on the tip of the first body
/// assert_eq!(lower.moment, 2.0 * 0.8 * 0.8 / 3.0);
/// # let _ = upper;
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Unique name.
    pub name: String,
    /// Where it begins.
    pub base: Base,
    /// From its base to its tip, m.
    pub length: f64,
    /// Mass, kg.
    pub mass: f64,
    /// Where the centre of mass is, as a fraction of the length.
    pub centre: f64,
    /// Moment of inertia about the base, kg m².
    pub moment: f64,
}

impl Body {
    /// A point mass at the end of a massless rod, on a pivot at the origin.
    pub fn point(name: impl Into<String>, mass: f64, length: f64) -> Self {
        Self::new(name, mass, length, 1.0, mass * length * length)
    }

    /// A thin uniform rod that turns about one end, on a pivot at the origin.
    pub fn rod(name: impl Into<String>, mass: f64, length: f64) -> Self {
        Self::new(name, mass, length, 0.5, mass * length * length / 3.0)
    }

    /// A thin uniform rod of `length` that turns about its centre, at the origin. Its tip is half as far.
    pub fn needle(name: impl Into<String>, mass: f64, length: f64) -> Self {
        Self::new(name, mass, 0.5 * length, 0.0, mass * length * length / 12.0)
    }

    fn new(name: impl Into<String>, mass: f64, length: f64, centre: f64, moment: f64) -> Self {
        Self {
            name: name.into(),
            base: Base::Fixed(Vec3::zeros()),
            length,
            mass,
            centre,
            moment,
        }
    }

    /// The same body on a pivot elsewhere.
    pub fn at(self, pivot: Vec3) -> Self {
        let base = Base::Fixed(pivot);
        Self { base, ..self }
    }

    /// The same body on the tip of another, given by its number; that one comes before it in the list.
    pub fn on(self, body: usize) -> Self {
        let base = Base::Site(body);
        Self { base, ..self }
    }

    /// The body on whose tip it hangs.
    pub fn parent(&self) -> Option<usize> {
        match self.base {
            Base::Fixed(_) => None,
            Base::Site(parent) => Some(parent),
        }
    }
}

/// A point on a body, at a distance from its base along its direction; or a fixed point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Point {
    /// Fixed in space.
    Fixed(Vec3),
    /// Carried by a body.
    On {
        /// The body.
        body: usize,
        /// Distance from the body's base, m.
        distance: f64,
    },
}
