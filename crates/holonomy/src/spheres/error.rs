use super::InertiaError;
use crate::system::NameError;

/// Why parts make no system on spheres. Numbers of bodies, points and potentials count from zero here, and from one in
/// the sentences.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpheresError {
    /// A body without a name of its own.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A body hangs on one that does not come before it.
    #[error(
        "body `{body}` hangs on body number {}, which does not come before it; list bodies after what they hang on",
        on + 1
    )]
    Order {
        /// Its name.
        body: String,
        /// The number of what it hangs on.
        on: usize,
    },
    /// A pivot that is not a place.
    #[error("the pivot of body `{body}` is not finite; give three finite numbers")]
    Pivot {
        /// Its name.
        body: String,
    },
    /// A length, mass or moment of inertia that is not positive and finite.
    #[error("the {quantity} of body `{body}` is {value} {unit}; give a positive number")]
    NotPositive {
        /// The name of the body.
        body: String,
        /// What it is.
        quantity: &'static str,
        /// How large it is.
        value: f64,
        /// In which unit.
        unit: &'static str,
    },
    /// A centre of mass that is not a place.
    #[error("the centre of mass of body `{body}` is not finite; give a fraction of its length")]
    Centre {
        /// Its name.
        body: String,
    },
    /// A moment of inertia that no distribution of mass has.
    #[error(
        "the moment of inertia of body `{body}` is {moment} kg m²; with its mass and centre it is at least {least}"
    )]
    Moment {
        /// Its name.
        body: String,
        /// As given, kg m².
        moment: f64,
        /// That of all mass at the centre.
        least: f64,
    },
    /// A force that cannot be.
    #[error("the force `{name}` acts on or sees a body that there is not, or a number of it is not finite")]
    Force {
        /// Its name.
        name: String,
    },
    /// A matrix that is not an inertia matrix.
    #[error(transparent)]
    Inertia(#[from] InertiaError),
    /// An inertia matrix of another size.
    #[error("the inertia matrix has {rows} rows for {bodies} bodies; give one row and one column per body")]
    InertiaSize {
        /// Its rows.
        rows: usize,
        /// Bodies.
        bodies: usize,
    },
    /// A point on a body that is not there.
    #[error(
        "point number {} is on body number {}, and there are {bodies}; put it on one of them",
        number + 1,
        body + 1
    )]
    PointOnNoBody {
        /// The point.
        number: usize,
        /// The body.
        body: usize,
        /// How many there are.
        bodies: usize,
    },
    /// A point that is not a place.
    #[error("point number {} is not finite; give finite numbers", number + 1)]
    PointNotFinite {
        /// The point.
        number: usize,
    },
    /// An acceleration of gravity that is none.
    #[error("the acceleration of gravity is not finite; give three finite numbers, in m/s²")]
    Gravity,
    /// A potential of points that are not there.
    #[error(
        "potential number {} acts on {needed} points, and there are {count}: bodies, then points; add the missing ones",
        number + 1
    )]
    Potential {
        /// Which one.
        number: usize,
        /// How many points it needs.
        needed: usize,
        /// Directions of bodies and points.
        count: usize,
    },
    /// The tip of a body that is not there is held.
    #[error("the tip of body number {} is held, and there are {bodies}; name one of them", body + 1)]
    HeldNoBody {
        /// The body.
        body: usize,
        /// How many there are.
        bodies: usize,
    },
    /// A tip is held where it cannot be.
    #[error(
        "the tip of body `{body}` is held {apart} m from the pivot, and the links reach {reach} m; move it nearer"
    )]
    OutOfReach {
        /// Its name.
        body: String,
        /// From the pivot to the held tip, m.
        apart: f64,
        /// How long the links are together, m.
        reach: f64,
    },
}
