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
    /// A force that sees multipliers that there are not.
    Seen {
        /// Its name.
        force: String,
        /// What is wrong with that.
        fault: SeenFault,
    },
    /// An armature that its joint cannot have.
    Armature {
        /// The body whose joint it is.
        body: String,
        /// Whether the joint moves by itself; then it is its number that is wrong.
        moves: bool,
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
    /// A force that sees the state, by its name.
    StateForce(String),
    /// The armature of a joint, by its number.
    Armature(usize),
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
    /// A rope cannot run over one of its stops.
    Waypoint {
        /// Its number.
        number: usize,
        /// Why not.
        fault: WaypointFault,
    },
    /// An axis is zero, or not finite.
    Axis,
    /// A radius is not positive.
    Radius,
    /// The direction across a blade is zero, or not finite.
    Across,
    /// What should move is fixed in the world.
    World,
    /// Both sites are on one body.
    OneBody,
}

/// Why a rope cannot run over a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaypointFault {
    /// The radius of a pulley is not positive.
    Radius,
    /// The axis of a pulley is zero, or not finite.
    Axis,
    /// A pulley that should turn is not on a revolute joint through its centre.
    NoAxle,
    /// A rope ends on a pulley that does not turn with it.
    End,
    /// A pulley that swivels is next to one of a fixed plane on which the rope slides.
    Beside,
    /// Too many pulleys that swivel are next to other pulleys.
    Eyes,
    /// A rope that goes slack turns a pulley on its way.
    Slack,
    /// Two points lie on each other.
    Meets,
    /// The next point is inside of the pulley.
    Inside,
    /// The next pulley overlaps it.
    Overlap,
    /// The next pulley does not lie in its plane.
    OtherPlane,
    /// The rope leaves the plane of the pulley.
    LeavesPlane,
    /// The rope passes without touching it.
    Untouched,
    /// Over and under are not told apart.
    Side,
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
    /// A beam's or a string's length is not positive.
    Length,
    /// A string through less than two sites.
    Short,
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
    /// Numbers that make no stop or friction: limits out of order, or something negative or not finite.
    Number,
}

/// Why a force cannot see a multiplier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeenFault {
    /// No equation has this name.
    NoMultiplier(String),
    /// No rope runs over a pulley of this name.
    NoPulley(String),
    /// A rigid string goes slack somewhere in the tree.
    Slack,
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
            Self::Armature { body, moves: false } => {
                format!("the joint of body `{body}` does not move, or is driven, and has no armature")
            }
            Self::Armature { body, moves: true } => {
                format!("the armature of the joint of body `{body}` is negative, or not finite")
            }
            Self::Seen { force, fault } => format!("the force `{force}` sees what is not there: {fault}"),
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
            Self::Constraint {
                fault: ConstraintFault::Waypoint { fault, .. },
                ..
            } => fault.remedy(),
            Self::Seen {
                fault: SeenFault::Slack,
                ..
            } => "make it an elastic string",
            Self::Seen { .. } => {
                "equations that hold wherever the joints are have been left out; name another"
            }
            Self::Name(_) | Self::Inertia { .. } | Self::Constraint { .. } => return None,
            Self::Link { .. } | Self::Force { .. } | Self::Armature { .. } => return None,
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
            Self::Armature(number) => write!(f, "armature number {}", number + 1),
            Self::JointForce(number) => write!(f, "joint force number {}", number + 1),
            Self::Wrench(number) => write!(f, "wrench number {}", number + 1),
            Self::StateForce(name) => write!(f, "the force `{name}`"),
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
            Self::Coordinate => {
                "it couples a coordinate that its joint does not have or that is driven: a revolute, prismatic or screw \
                 joint has one, a universal one two angles, a free one x, y and z"
            }
            Self::Number => "its numbers are finite, and lengths are not negative",
            Self::Waypoint { number, fault } => return write!(f, "stop number {}: {fault}", number + 1),
            Self::Axis => "its axis is not zero",
            Self::Radius => "its radius is positive",
            Self::Across => "the direction across a blade is not zero",
            Self::World => "what rolls or cuts is on a body, not in the world",
            Self::OneBody => "both sites are on one body",
        })
    }
}

impl WaypointFault {
    /// What to do.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Radius => "give a positive radius, or a site in its place",
            Self::Axis => "give a vector that is not zero",
            Self::NoAxle => "give its body a revolute joint, with the centre on the axis",
            Self::End => "end it at a site, or on a pulley whose body turns",
            Self::Beside => {
                "let it swivel, too, or turn with the rope, or put a site between them, a ring that the rope runs through"
            }
            Self::Eyes => "put sites between some of them, rings that the rope runs through",
            Self::Slack => "let it slide there: give the pulley `site` and `axis`, or leave out `slack`",
            Self::Meets => "leave one of them out, or start elsewhere",
            Self::Inside => "start farther away, or make the pulley smaller",
            Self::Overlap => {
                "start farther apart, make them smaller, or let the rope run on one side of both"
            }
            Self::OtherPlane => "move or turn one of them, or put a site between them",
            Self::LeavesPlane => "turn its axis, put a site between, or let it swivel",
            Self::Untouched => "let it run on the other side, or leave the pulley out",
            Self::Side => {
                "say `left` or `right`, as the rope turns there, seen with the axis towards the eye"
            }
        }
    }
}

impl fmt::Display for WaypointFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Radius => "the radius of a pulley is positive",
            Self::Axis => "the axis of a pulley is not zero",
            Self::NoAxle => "a pulley that turns with the rope is on a revolute joint through its centre",
            Self::End => "a rope does not end on a pulley that it slides on",
            Self::Beside => "a pulley that swivels is beside one that the rope slides on and that does not",
            Self::Eyes => "there are more than 8 pulleys that swivel beside other pulleys",
            Self::Slack => "a rope that goes slack turns no pulley between its ends",
            Self::Meets => "it lies on the stop before it",
            Self::Inside => "the rope runs through a point inside of the pulley",
            Self::Overlap => "the pulleys are too near each other for the rope to run between them",
            Self::OtherPlane => "the pulley does not lie in the plane of the one before it",
            Self::LeavesPlane => "the rope leaves the plane of the pulley by more than 5°",
            Self::Untouched => "the rope does not touch the pulley",
            Self::Side => "the rope passes the pulley neither over nor under it",
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
            Self::Short => "a string runs through two sites or more",
        })
    }
}

impl fmt::Display for SeenFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMultiplier(name) => write!(f, "there is no multiplier `{name}`"),
            Self::NoPulley(name) => write!(f, "no rope runs over a pulley `{name}`"),
            Self::Slack => f.write_str("multipliers of a tree in which a rigid string goes slack"),
        }
    }
}

impl fmt::Display for ForceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unmoved => "the joint does not move, or is driven",
            Self::BallRest => "the spring of a ball joint rests at zero",
            Self::Rotation => "a rotation is not one number",
            Self::Number => "its limits are in order, and its numbers finite and not negative",
        })
    }
}
