use crate::system::NameError;

/// Why a system in generalized coordinates cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LagrangianError {
    /// A coordinate or a quasi-velocity without a name of its own.
    #[error(transparent)]
    Name(#[from] NameError),
    /// There is not one name for every coordinate.
    #[error("there are {given} names for {wanted} coordinates; each coordinate needs its name")]
    CoordinateNames {
        /// Names.
        given: usize,
        /// Coordinates.
        wanted: usize,
    },
    /// There is not one name for every quasi-velocity.
    #[error("there are {given} names for {wanted} quasi-velocities; each quasi-velocity needs its name")]
    QuasiVelocityNames {
        /// Names.
        given: usize,
        /// Fields.
        wanted: usize,
    },
    /// A quasi-velocity that is to be constrained does not exist.
    #[error("quasi-velocity {} is constrained; there are {count}", number + 1)]
    NoSuchQuasiVelocity {
        /// Its number, from zero.
        number: usize,
        /// Quasi-velocities.
        count: usize,
    },
    /// The Lagrangian, a constraint or a first integral is a vector.
    #[error("the Lagrangian, constraints and first integrals are numbers; one of them is a vector")]
    NotANumber,
    /// There is not one field for every quasi-velocity.
    #[error("there are {given} fields for {wanted} quasi-velocities; each quasi-velocity needs its field")]
    FieldCount {
        /// Lists of formulas.
        given: usize,
        /// Quasi-velocities.
        wanted: usize,
    },
    /// A field does not have one component for every coordinate.
    #[error("field {} has {given} components; there are {wanted} coordinates, and it needs one for each", field + 1)]
    FieldComponents {
        /// The field.
        field: usize,
        /// Its components.
        given: usize,
        /// Coordinates.
        wanted: usize,
    },
    /// A field changes with time, velocities or quasi-velocities.
    #[error("field {} depends on time or on velocities; fields are functions of the coordinates", field + 1)]
    FieldMoves {
        /// The field.
        field: usize,
    },
    /// The forces do not have one component for every coordinate.
    #[error("the forces have {given} components; there are {wanted} coordinates, and each needs one")]
    ForceComponents {
        /// Their components.
        given: usize,
        /// Coordinates.
        wanted: usize,
    },
    /// A picture is not one of this mechanism.
    #[error(
        "the picture is of {given} coordinates; there are {wanted}, and its slots must be the mechanism's"
    )]
    PictureCoordinates {
        /// Coordinates of the picture.
        given: usize,
        /// Coordinates.
        wanted: usize,
    },
    /// A point or a curve of a picture does not have three components.
    #[error("`{point}` has {given} components; a place in space has three, x, y and z")]
    PointComponents {
        /// The point or the curve.
        point: String,
        /// Its components.
        given: usize,
    },
    /// A point or a curve of a picture depends on velocities.
    #[error("`{point}` depends on velocities; places are functions of the coordinates and time")]
    PointMoves {
        /// The point or the curve.
        point: String,
    },
    /// A line of a picture goes through a point that there is not.
    #[error("line {} goes through point {}; there are {count}", line + 1, point + 1)]
    NoSuchPoint {
        /// The line, from zero.
        line: usize,
        /// The point, from zero.
        point: usize,
        /// Points.
        count: usize,
    },
    /// A line of a picture has fewer than two points.
    #[error("line {} has fewer than two points; it needs two to go through", line + 1)]
    ShortLine {
        /// The line, from zero.
        line: usize,
    },
}
