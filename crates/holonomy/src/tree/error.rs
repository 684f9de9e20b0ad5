use crate::{geometry::RigidInertiaError, system::NameError};
use std::fmt;

/// Why parts make no tree. Numbers of bodies, sites, links and potentials count from zero here, and from one in the
/// sentences.
#[derive(Clone, Debug, PartialEq)]
pub enum TreeError {
    /// A body, site or constraint without a name of its own.
    Name(NameError),
    /// A body does not come after its parent.
    Order {
        /// Its name.
        body: String,
    },
    /// An axis is zero or not finite.
    Axis {
        /// The body whose joint it is.
        body: String,
    },
    /// The two axes of a universal joint are parallel.
    Parallel {
        /// The body whose joint it is.
        body: String,
    },
    /// An inertia that no body has.
    Inertia {
        /// The name of the body.
        body: String,
        /// What is wrong with it.
        fault: RigidInertiaError,
    },
    /// A joint that carries nothing.
    Massless {
        /// The body whose joint it is.
        body: String,
    },
    /// Something is placed on a body that is not there.
    NoBody {
        /// What is placed there.
        part: TreePart,
        /// The number of the body.
        number: usize,
    },
    /// A number that is not finite.
    NotFinite {
        /// Where it is.
        part: TreePart,
    },
    /// A constraint that cannot be.
    Constraint {
        /// Its name.
        name: String,
        /// What is wrong with it.
        fault: ConstraintFault,
    },
    /// A link that cannot be.
    Link {
        /// Its number.
        number: usize,
        /// What is wrong with it.
        fault: LinkFault,
    },
    /// A potential of sites that do not exist.
    Potential {
        /// Its number.
        number: usize,
        /// How many sites it needs.
        needed: usize,
        /// How many there are.
        sites: usize,
    },
    /// A force that does not fit its joint.
    Force {
        /// The body whose joint it is.
        body: String,
        /// Why not.
        fault: ForceFault,
    },
}

/// A part of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreePart {
    /// The acceleration of gravity.
    Gravity,
    /// The joint of a body, by its name: poses before and behind it, or its pitch.
    Joint(String),
    /// A site, by its name.
    Site(String),
    /// A force in a joint, by its number.
    JointForce(usize),
    /// A wrench, by its number.
    Wrench(usize),
}

/// What is wrong with a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintFault {
    /// No direction, or more than three.
    Directions,
    /// The normal of a plane is zero, or not finite.
    Normal,
    /// A cable through less than two sites.
    Short,
    /// A coupling of nothing.
    NoTerms,
    /// It names a site that does not exist.
    NoSite,
    /// It names a body that does not exist.
    NoBody,
    /// It couples what is not an angle or a length that moves.
    Coordinate,
    /// A number that is not finite, or a length that is negative.
    Number,
}

/// What is wrong with a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkFault {
    /// It names a site that does not exist.
    NoSite,
    /// Both ends are on one body.
    OneBody,
    /// A damper's coefficient is negative or not finite.
    Coefficient,
    /// A stiffness is negative or not finite.
    Stiffness,
    /// A beam's length is not positive.
    Length,
}

/// Why a force does not fit a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForceFault {
    /// The joint does not move by itself.
    Unmoved,
    /// A spring in a ball joint that does not rest at zero.
    BallRest,
    /// A force of one coordinate, in a joint that turns every way.
    Rotation,
}

impl TreeError {
    /// What is wrong, and where.
    pub fn problem(&self) -> String {
        match self {
            Self::Name(error) => error.to_string(),
            Self::Order { body } => format!("body `{body}` does not come after its parent"),
            Self::Axis { body } => format!("the joint of body `{body}` has no axis"),
            Self::Parallel { body } => {
                format!("the axes of the universal joint of body `{body}` are parallel")
            }
            Self::Inertia { body, fault } => format!("body `{body}`: {fault}"),
            Self::Massless { body } => {
                format!("the joint of body `{body}` moves nothing that has inertia")
            }
            Self::NoBody { part, number } => {
                format!("{part} is on body number {}, which does not exist", number + 1)
            }
            Self::NotFinite { part } => format!("{part} has a number that is not finite"),
            Self::Constraint { name, fault } => format!("constraint `{name}`: {fault}"),
            Self::Link { number, fault } => format!("link number {}: {fault}", number + 1),
            Self::Potential {
                number,
                needed,
                sites,
            } => format!(
                "potential number {} acts on {needed} sites, and there are {sites}",
                number + 1
            ),
            Self::Force { body, fault } => {
                format!("a force in the joint of body `{body}` does not fit: {fault}")
            }
        }
    }

    /// What to do, where `problem` does not say it.
    pub fn remedy(&self) -> Option<&'static str> {
        Some(match self {
            Self::Order { .. } => "list parents first, without cycles",
            Self::Axis { .. } => "give a vector that is not zero",
            Self::Parallel { .. } => "use a revolute joint",
            Self::Massless { .. } => "give the body, or a body behind it, mass",
            Self::NoBody { .. } => "name one of the bodies",
            Self::NotFinite { .. } => "check how it was computed",
            Self::Potential { .. } => "add the missing ones",
            Self::Name(_) | Self::Inertia { .. } | Self::Constraint { .. } => return None,
            Self::Link { .. } | Self::Force { .. } => return None,
        })
    }
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.remedy() {
            Some(remedy) => write!(f, "{}; {remedy}", self.problem()),
            None => f.write_str(&self.problem()),
        }
    }
}

impl std::error::Error for TreeError {}

impl From<NameError> for TreeError {
    fn from(error: NameError) -> Self {
        Self::Name(error)
    }
}

impl fmt::Display for TreePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gravity => f.write_str("the acceleration of gravity"),
            Self::Joint(body) => write!(f, "the joint of body `{body}`"),
            Self::Site(name) => write!(f, "site `{name}`"),
            Self::JointForce(number) => write!(f, "joint force number {}", number + 1),
            Self::Wrench(number) => write!(f, "wrench number {}", number + 1),
        }
    }
}

impl fmt::Display for ConstraintFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Directions => "give one to three directions",
            Self::Normal => "the normal of a plane is not zero",
            Self::Short => "a cable runs through two sites or more",
            Self::NoTerms => "a coupling has one term or more",
            Self::NoSite => "it names a site that does not exist",
            Self::NoBody => "it names a body that does not exist",
            Self::Coordinate => "it couples a coordinate that is not an angle or a length that moves",
            Self::Number => "its numbers are finite, and lengths are not negative",
        })
    }
}

impl fmt::Display for LinkFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSite => "there is no such site",
            Self::OneBody => "both ends are on one body",
            Self::Coefficient => "its coefficient is negative or not finite",
            Self::Stiffness => "a stiffness is negative or not finite",
            Self::Length => "its length is not positive",
        })
    }
}

impl fmt::Display for ForceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unmoved => "the joint does not move, or is driven",
            Self::BallRest => "the spring of a ball joint rests at zero",
            Self::Rotation => "a rotation is not one number",
        })
    }
}
