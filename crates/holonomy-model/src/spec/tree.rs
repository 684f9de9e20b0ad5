//! `space = "tree"`: jointed rigid bodies.
use super::entry::{Entry, Named};
use super::joint::{Joint, JointSpring, Motion, Rotation};
use super::key::Bound::{Finite, NotNegative, Positive};
use super::quantity::{Formula, Matrix, OneOrMore, Quantity, Target, Vector};
use super::section::{choice, kinds, section};
use super::{Key, Keys, Kind, ParameterValue};
use crate::units::Unit;
use crate::{Path, Problems, Value};

section! {
    /// A tree of jointed rigid bodies.
    Tree {
        /// The way things fall, such as `[0, 0, -9.81]`; none if left out.
        gravity: Option<Vector>, optional Kind::Vector(Unit::METRE_PER_SECOND_SQUARED);
        /// Where it starts: as `given`, or `settled` into equilibrium.
        start: Option<TreeStart>, optional Kind::Choice(TreeStart::WORDS);
        /// Numbers by name, for formulas.
        parameters: Named<ParameterValue>, optional Kind::Named(&Kind::Value);
        /// Bodies, parents before their children.
        bodies = "body": Vec<TreeBody>, optional Kind::Sections(&TreeBody::SECTION);
        /// Named points on bodies and in the world.
        sites = "site": Vec<SitePoint>, optional Kind::Sections(&SitePoint::SECTION);
        /// Cables of many segments.
        cables = "cable": Vec<Cable>, optional Kind::Sections(&Cable::SECTION);
        /// What the motion satisfies.
        constraints = "constraint": Vec<TreeConstraint>, optional Kind::Sections(&TreeConstraint::SECTION);
        /// Potential energies of sites.
        potentials = "potential": Vec<TreePotential>, optional Kind::Sections(&TreePotential::SECTION);
        /// Dampers between sites.
        dampers = "damper": Vec<Damper>, optional Kind::Sections(&Damper::SECTION);
        /// Elastic beams between sites.
        beams = "beam": Vec<ElasticBeam>, optional Kind::Sections(&ElasticBeam::SECTION);
        /// Forces and moments on bodies.
        wrenches = "wrench": Vec<BodyWrench>, optional Kind::Sections(&BodyWrench::SECTION);
    }
}

choice! {
    /// Where a tree starts.
    TreeStart {
        /// Where its bodies say.
        Given = "given",
        /// In the equilibrium near there.
        Settled = "settled",
    }
}

choice! {
    /// How the mass of a body lies.
    TreeShape {
        /// At its centre.
        Point = "point",
        /// Along a thin rod from the origin of the body.
        Rod = "rod",
        /// In a box about its centre.
        Box = "box",
    }
}

section! {
    /// A rigid body and its joint.
    TreeBody {
        /// What it is called.
        name: String, required Kind::Name;
        /// The body that its joint is on; the world if left out.
        parent: Option<Target>, optional Kind::Reference("body");
        /// How it moves against its parent.
        joint: Joint, required Kind::Section(&Joint::SECTION);
        /// Its mass.
        mass: Quantity, required Kind::Number(Unit::KILOGRAM, NotNegative);
        /// How its mass lies, in place of `inertia`.
        shape: Option<TreeShape>, optional Kind::Choice(TreeShape::WORDS);
        /// Its centre of mass; its origin if left out.
        centre: Option<Vector>, optional Kind::Vector(Unit::METRE);
        /// Its inertia about the centre: three principal moments, or a symmetric matrix.
        inertia: Option<RigidMoments>, optional Kind::Matrix(Unit::KILOGRAM_METRE_SQUARED);
        /// The far end of a rod.
        to: Option<Vector>, optional Kind::Vector(Unit::METRE);
        /// The edges of a box.
        size: Option<Vector>, optional Kind::Vector(Unit::METRE);
        /// Takes the inertia as it is, even if no body has it.
        as_given: Option<bool>, optional Kind::Boolean;
        /// Where its joint starts: one number (rad, or m for a prismatic joint), two, or a place; zero if left out.
        position: Option<OneOrMore<Quantity>>, optional Kind::Numbers(Unit::ANY, Finite);
        /// How fast its joint starts; zero if left out.
        velocity: Option<OneOrMore<Quantity>>, optional Kind::Numbers(Unit::ANY, Finite);
        /// How a spherical or free joint is turned at the start.
        orientation: Option<Rotation>, optional Kind::Rotation;
        /// How a spherical or free joint turns at the start.
        angular_velocity: Option<Vector>, optional Kind::Vector(Unit::RADIAN_PER_SECOND);
        /// The motion of the joint, which is then no unknown.
        driven: Option<Motion>, optional Kind::Motion(Unit::ANY);
        /// A spring in the joint.
        spring: Option<JointSpring>, optional Kind::Section(&JointSpring::SECTION);
        /// A damper in the joint: its effort per velocity.
        damping: Option<Quantity>, optional Kind::Number(Unit::ANY, NotNegative);
        /// The effort of a motor in the joint: a formula of `t`, `q` and `v`.
        effort: Option<Formula>, optional Kind::Formula;
        /// Points of the body by name.
        sites: Named<Vector>, optional Kind::Named(&Kind::Vector(Unit::METRE));
        /// Leaves its coordinates as they are where constraints are met at the start.
        keep: Option<bool>, optional Kind::Boolean;
    }
}

/// The inertia of a body about its centre of mass.
#[derive(Clone, Debug, PartialEq)]
pub enum RigidMoments {
    /// The principal moments, about x, y and z.
    Principal(Vector),
    /// All of it.
    Full(Matrix),
}

impl Entry for RigidMoments {
    fn read(value: &Value, path: &Path, problems: &Problems) -> Option<Self> {
        let nested = |list: &[Value]| list.iter().any(|row| row.as_list().is_some());
        match value.as_list().is_some_and(nested) {
            true => Matrix::read(value, path, problems).map(Self::Full),
            false => Vector::read(value, path, problems).map(Self::Principal),
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Principal(moments) => moments.write(),
            Self::Full(matrix) => matrix.write(),
        }
    }
}

section! {
    /// A named point of a body, or of the world.
    SitePoint {
        /// What it is called.
        name: String, required Kind::Name;
        /// Its body; the world if left out.
        body: Option<Target>, optional Kind::Reference("body");
        /// Where it is, in the axes of the body.
        at: Vector, required Kind::Vector(Unit::METRE);
    }
}

choice! {
    /// Whether a cable stretches.
    CableKind {
        /// It does not.
        Inextensible = "inextensible",
        /// It does.
        Elastic = "elastic",
    }
}

section! {
    /// A cable of many segments between two sites, or from one.
    Cable {
        /// What it is called; `cable-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// Whether it stretches; `inextensible` if left out.
        kind: Option<CableKind>, optional Kind::Choice(CableKind::WORDS);
        /// How many segments it has.
        segments: u64, required Kind::Count(1, 10_000);
        /// The length of all.
        length: Quantity, required Kind::Number(Unit::METRE, Positive);
        /// The mass of all.
        mass: Quantity, required Kind::Number(Unit::KILOGRAM, Positive);
        /// The site where it begins.
        from: Target, required Kind::Reference("site");
        /// The site where it ends; free if left out.
        to: Option<Target>, optional Kind::Reference("site");
        /// Stretching stiffness, of an elastic one.
        stretching = "EA": Option<Quantity>, optional Kind::Number(Unit::NEWTON, Positive);
        /// Bending stiffness.
        bending = "EI": Option<Quantity>, optional Kind::Number(Unit::NEWTON_METRE_SQUARED, NotNegative);
        /// Damping in each joint.
        damping: Option<Quantity>, optional Kind::Number(Unit::ANY, NotNegative);
        /// The normal of the plane in which it moves; in space if left out.
        plane: Option<Vector>, optional Kind::Vector(Unit::NONE);
        /// Where it points at the start, without `to`.
        direction: Option<Vector>, optional Kind::Vector(Unit::NONE);
    }
}

kinds! {
    /// What the motion of a tree satisfies.
    TreeConstraint {
        /// Two sites at one place.
        Coincide(Coincide) = "coincide",
        /// Two sites at a distance.
        Distance(Distance) = "distance",
        /// A site in a plane.
        Plane(Plane) = "plane",
        /// A body that does not turn against another.
        Orientation(Orientation) = "orientation",
        /// Two bodies joined rigidly.
        Weld(Weld) = "weld",
        /// A linear relation of joint coordinates.
        Coupling(Coupling) = "coupling",
        /// A string of one length through several sites.
        Cable(CableLength) = "cable",
    }
}

section! {
    /// Two sites at one place.
    Coincide {
        /// What it is called; `constraint-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// The sites.
        between: Vec<Target>, required Kind::References("site");
        /// Directions of the world in which they coincide; all if left out.
        directions: Vec<Vector>, optional Kind::Vectors(Unit::NONE);
    }
}

section! {
    /// Two sites at a distance.
    Distance {
        /// What it is called; `constraint-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// The sites.
        between: Vec<Target>, required Kind::References("site");
        /// The distance: a number, a formula of `t`, or a table.
        length: Motion, required Kind::Motion(Unit::METRE);
    }
}

section! {
    /// A site in a plane.
    Plane {
        /// What it is called; `constraint-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// The site that stays in the plane.
        site: Target, required Kind::Reference("site");
        /// A site through which the plane goes, and with whose body it turns.
        on: Target, required Kind::Reference("site");
        /// The normal of the plane, in the axes of that body.
        normal: Vector, required Kind::Vector(Unit::NONE);
    }
}

section! {
    /// A body that does not turn against another.
    Orientation {
        /// What it is called; `constraint-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// The body.
        body: Target, required Kind::Reference("body");
        /// The other; the world if left out.
        against: Option<Target>, optional Kind::Reference("body");
        /// How it is turned against the other; not at all if left out.
        turned: Option<Rotation>, optional Kind::Rotation;
    }
}

section! {
    /// Two bodies joined rigidly.
    Weld {
        /// What it is called; `constraint-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// The sites that coincide.
        between: Vec<Target>, required Kind::References("site");
        /// How the second body is turned against the first; not at all if left out.
        turned: Option<Rotation>, optional Kind::Rotation;
    }
}

section! {
    /// A linear relation of joint coordinates: Σ factor·q + constant = 0.
    Coupling {
        /// What it is called; `constraint-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// Its terms.
        terms: Vec<CouplingTerm>, required Kind::Sections(&CouplingTerm::SECTION);
        /// Its constant; zero if left out.
        constant: Option<Quantity>, optional Kind::Number(Unit::ANY, Finite);
    }
}

section! {
    /// A term of a coupling.
    CouplingTerm {
        /// The body whose joint it is about.
        body: Target, required Kind::Reference("body");
        /// What the coordinate is multiplied by.
        factor: Quantity, required Kind::Number(Unit::ANY, Finite);
        /// Which of the joint's coordinates; the first if left out.
        coordinate: Option<u64>, optional Kind::Count(1, 3);
    }
}

section! {
    /// A string of one length through several sites.
    CableLength {
        /// What it is called; `constraint-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// The sites, in their order.
        through: Vec<Target>, required Kind::References("site");
        /// Its length: a number, a formula of `t`, or a table.
        length: Motion, required Kind::Motion(Unit::METRE);
    }
}

kinds! {
    /// A potential energy of sites.
    TreePotential {
        /// A spring.
        Spring(SiteSpring) = "spring",
        /// A formula of places.
        Formula(SiteEnergy) = "formula",
    }
}

section! {
    /// A spring between two sites.
    SiteSpring {
        /// What it is called; `potential-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// Its stiffness: a number, or a formula of parameters.
        stiffness: Quantity, required Kind::Number(Unit::NEWTON_PER_METRE, Positive);
        /// The length at which it does not pull.
        rest_length: Quantity, required Kind::Number(Unit::METRE, NotNegative);
        /// The sites.
        between: Vec<Target>, required Kind::References("site");
    }
}

section! {
    /// A formula of the places of sites.
    SiteEnergy {
        /// What it is called; `potential-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// The energy; names of sites are their places.
        energy: Formula, required Kind::Formula;
        /// Numbers by name.
        parameters: Named<ParameterValue>, optional Kind::Named(&Kind::Value);
        /// Parts of the formula by name.
        definitions: Named<Formula>, optional Kind::Named(&Kind::Formula);
        /// Other names for sites.
        points: Named<Target>, optional Kind::Named(&Kind::Reference("site"));
    }
}

section! {
    /// A damper between two sites.
    Damper {
        /// What it is called; `damper-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// Its force per velocity.
        coefficient: Quantity, required Kind::Number(Unit::NEWTON_SECOND_PER_METRE, Positive);
        /// The sites.
        between: Vec<Target>, required Kind::References("site");
    }
}

section! {
    /// An elastic beam between two sites.
    ElasticBeam {
        /// What it is called; `beam-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// The sites.
        between: Vec<Target>, required Kind::References("site");
        /// Its length at rest.
        length: Quantity, required Kind::Number(Unit::METRE, Positive);
        /// Stretching stiffness.
        stretching = "EA": Quantity, required Kind::Number(Unit::NEWTON, Positive);
        /// Bending stiffness: one, or two about its y and its z.
        bending = "EI": OneOrMore<Quantity>, required Kind::Numbers(Unit::NEWTON_METRE_SQUARED, NotNegative);
        /// Torsional stiffness; zero if left out.
        torsion = "GJ": Option<Quantity>, optional Kind::Number(Unit::NEWTON_METRE_SQUARED, NotNegative);
        /// The axis of the beam in its first body; x if left out.
        axis: Option<Vector>, optional Kind::Vector(Unit::NONE);
        /// The axes of the beam in its first body, in place of `axis`.
        turned: Option<Rotation>, optional Kind::Rotation;
        /// The axes of the beam in its second body; those in the first if left out.
        end_turned: Option<Rotation>, optional Kind::Rotation;
    }
}

choice! {
    /// The axes of a wrench.
    WrenchAxes {
        /// The world's: it acts at a place in the world, however the body moves.
        World = "world",
        /// The body's: it acts at a point of the body and turns with it.
        Body = "body",
        /// At a point of the body, with the axes of the world.
        Mixed = "mixed",
    }
}

section! {
    /// A force and a moment on a body, as functions of time.
    BodyWrench {
        /// Which body.
        body: Target, required Kind::Reference("body");
        /// Where it acts, in the axes of the body; its origin if left out.
        at: Option<Vector>, optional Kind::Vector(Unit::METRE);
        /// Whose axes; `mixed` if left out.
        frame: Option<WrenchAxes>, optional Kind::Choice(WrenchAxes::WORDS);
        /// The force, in N: three formulas of `t`.
        force: Vec<Formula>, optional Kind::Formulas;
        /// The moment, in N m: three formulas of `t`.
        moment: Vec<Formula>, optional Kind::Formulas;
    }
}
