//! `space = "tree"`: jointed rigid bodies.
use super::entry::{Entry, Named};
use super::joint::{Drive, Joint, JointSpring, Motion, Rotation};
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
        /// Names for formulas of forces, of what they see: `w = "drone.angular_velocity"`.
        names: Named<String>, optional Kind::Named(&Kind::Text);
        /// Formulas by name, for efforts, wrenches and forces.
        definitions: Named<Formula>, optional Kind::Named(&Kind::Formula);
        /// Bodies, in any order.
        bodies = "body": Vec<TreeBody>, optional Kind::Sections(&TreeBody::SECTION);
        /// Named points on bodies and in the world.
        sites = "site": Vec<SitePoint>, optional Kind::Sections(&SitePoint::SECTION);
        /// Cables of many segments.
        cables = "cable": Vec<Cable>, optional Kind::Sections(&Cable::SECTION);
        /// Pulleys for cables to run over.
        pulleys = "pulley": Vec<RopePulley>, optional Kind::Sections(&RopePulley::SECTION);
        /// What the motion satisfies.
        constraints = "constraint": Vec<TreeConstraint>, optional Kind::Sections(&TreeConstraint::SECTION);
        /// Potential energies of sites.
        potentials = "potential": Vec<TreePotential>, optional Kind::Sections(&TreePotential::SECTION);
        /// Dampers between sites.
        dampers = "damper": Vec<Damper>, optional Kind::Sections(&Damper::SECTION);
        /// Elastic beams between sites.
        beams = "beam": Vec<ElasticBeam>, optional Kind::Sections(&ElasticBeam::SECTION);
        /// Strings through sites, which go slack.
        strings = "string": Vec<SlackString>, optional Kind::Sections(&SlackString::SECTION);
        /// Forces and moments on bodies.
        wrenches = "wrench": Vec<BodyWrench>, optional Kind::Sections(&BodyWrench::SECTION);
        /// Forces at sites, or between two, that may see the state.
        forces = "force": Vec<SiteForce>, optional Kind::Sections(&SiteForce::SECTION);
        /// Quadratic drag on bodies and cables, in wind.
        drags = "drag": Vec<QuadraticDrag>, optional Kind::Sections(&QuadraticDrag::SECTION);
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
        /// The motion of the joint, which is then no unknown: of a universal one a list of two, of a spherical or free one
        /// a section with `position` and `rotation`.
        driven: Option<Drive>, optional Kind::Motion(Unit::ANY);
        /// A spring in the joint.
        spring: Option<JointSpring>, optional Kind::Section(&JointSpring::SECTION);
        /// A damper in the joint: its effort per velocity; one number, or one for each of its velocities (of a free joint also
        /// two, for position and rotation).
        damping: Option<OneOrMore<Quantity>>, optional Kind::Numbers(Unit::ANY, NotNegative);
        /// The inertia of a rotor that is geared to the joint, as the joint feels it; none if left out.
        armature: Option<Quantity>, optional Kind::Number(Unit::ANY, NotNegative);
        /// The effort of a motor in the joint: a formula of `t`, `q`, `v`, other joints and sites, or a table.
        effort: Option<Motion>, optional Kind::Law(Unit::ANY);
        /// The largest effort of that motor, either way; what the formula has beyond is cut off.
        effort_limit: Option<Quantity>, optional Kind::Number(Unit::ANY, Positive);
        /// Dry friction in the joint: its effort f, in −f tanh(v/v₀).
        friction: Option<Quantity>, optional Kind::Number(Unit::ANY, NotNegative);
        /// The speed v₀ below which friction is viscous; 0.01 rad/s or m/s if left out.
        friction_velocity: Option<Quantity>, optional Kind::Number(Unit::ANY, Positive);
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

choice! {
    /// On which side of a pulley a cable runs.
    PulleySide {
        /// Over it, against gravity.
        Over = "over",
        /// Under it.
        Under = "under",
        /// It turns to the left there, seen with the axis towards the eye.
        Left = "left",
        /// It turns to the right.
        Right = "right",
    }
}

section! {
    /// A pulley for a cable to run over.
    RopePulley {
        /// What it is called.
        name: String, required Kind::Name;
        /// Radius of the circle of the cable.
        radius: Quantity, required Kind::Number(Unit::METRE, Positive);
        /// The body that is the pulley, on a revolute joint: the cable does not slip, and turns it.
        body: Option<Target>, optional Kind::Reference("body");
        /// Its centre, in place of `body`: the cable slides on it without friction.
        site: Option<Target>, optional Kind::Reference("site");
        /// Its axis, in the frame of the body of the site.
        axis: Option<Vector>, optional Kind::Vector(Unit::NONE);
        /// Turns its plane into that of what is before and after it, in place of `axis`.
        swivel: Option<bool>, optional Kind::Boolean;
        /// On which side of it the cable runs; not where it swivels.
        side: Option<PulleySide>, optional Kind::Choice(PulleySide::WORDS);
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
        /// A hinge that closes a loop.
        Hinge(ClosingHinge) = "hinge",
        /// A universal joint that closes a loop.
        Universal(ClosingUniversal) = "universal",
        /// A joint that closes a loop, and turns about an axis and slides along it.
        Cylindrical(ClosingCylinder) = "cylindrical",
        /// A disk or a sphere that rolls on a plane without slipping.
        Rolling(RollingBody) = "rolling",
        /// A site that does not move across a blade.
        Blade(BladeSite) = "blade",
    }
}

section! {
    /// A hinge that closes a loop.
    ClosingHinge {
        /// What it is called; `constraint-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// The sites, at one place on the axis.
        between: Vec<Target>, required Kind::References("site");
        /// The axis, in the axes of the first body.
        axis: Vector, required Kind::Vector(Unit::NONE);
        /// The axis in those of the second body; the same numbers if left out.
        end_axis: Option<Vector>, optional Kind::Vector(Unit::NONE);
    }
}

section! {
    /// A universal joint that closes a loop.
    ClosingUniversal {
        /// What it is called; `constraint-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// The sites, at one place.
        between: Vec<Target>, required Kind::References("site");
        /// The axis on the first body.
        axis: Vector, required Kind::Vector(Unit::NONE);
        /// The axis on the second body, at right angles to it.
        end_axis: Vector, required Kind::Vector(Unit::NONE);
    }
}

section! {
    /// A joint that closes a loop, and turns about an axis and slides along it.
    ClosingCylinder {
        /// What it is called; `constraint-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// The sites, both on the axis.
        between: Vec<Target>, required Kind::References("site");
        /// The axis, in the axes of the first body.
        axis: Vector, required Kind::Vector(Unit::NONE);
        /// The axis in those of the second body; the same numbers if left out.
        end_axis: Option<Vector>, optional Kind::Vector(Unit::NONE);
    }
}

section! {
    /// A disk or a sphere that rolls on a plane without slipping.
    RollingBody {
        /// What it is called; `constraint-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// The centre, a site of the body that rolls.
        site: Target, required Kind::Reference("site");
        /// The axis of a disk, in the axes of its body; a sphere if left out.
        axis: Option<Vector>, optional Kind::Vector(Unit::NONE);
        /// Its radius.
        radius: Quantity, required Kind::Number(Unit::METRE, Positive);
        /// A site through which the plane goes, and with whose body it turns.
        on: Target, required Kind::Reference("site");
        /// The normal of the plane, towards the body that rolls, in the axes of the body of the plane.
        normal: Vector, required Kind::Vector(Unit::NONE);
    }
}

section! {
    /// A site that does not move across a blade.
    BladeSite {
        /// What it is called; `constraint-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// The site.
        site: Target, required Kind::Reference("site");
        /// Across the blade, in the axes of its body.
        across: Vector, required Kind::Vector(Unit::NONE);
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
        /// Whether it is only the largest distance: a rigid string, which goes slack.
        slack: Option<bool>, optional Kind::Boolean;
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
    /// A linear relation of joint coordinates: Σ factor·q = constant.
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
        /// The sites and pulleys, in their order.
        through: Vec<Target>, required Kind::References("site");
        /// Its length: a number, a formula of `t`, or a table; over pulleys as it is at the start if left out.
        length: Option<Motion>, optional Kind::Motion(Unit::METRE);
        /// Whether it goes slack where it is longer than its way; it turns no pulley between its ends then.
        slack: Option<bool>, optional Kind::Boolean;
    }
}

kinds! {
    /// A potential energy of sites.
    TreePotential {
        /// A spring.
        Spring(SiteSpring) = "spring",
        /// A formula of places.
        Formula(SiteEnergy) = "formula",
        /// A function that a program hands over.
        Given(GivenSiteEnergy) = "given",
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
    /// A function of the places of sites, which a program hands over.
    GivenSiteEnergy {
        /// What it is called; `potential-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// What the program calls it.
        function: String, required Kind::Text;
        /// The sites, in its order.
        points: Vec<Target>, required Kind::References("site");
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

section! {
    /// A string through sites that pulls where it is stretched, and is slack otherwise.
    SlackString {
        /// What it is called; `string-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// The sites, in their order; it slides over those between its ends.
        through: Vec<Target>, required Kind::References("site");
        /// The length up to which it is slack.
        length: Quantity, required Kind::Number(Unit::METRE, Positive);
        /// Its stiffness: a number, or a formula of parameters.
        stiffness: Quantity, required Kind::Number(Unit::NEWTON_PER_METRE, Positive);
        /// Force per velocity while it pulls; none if left out. It never pushes.
        damping: Option<Quantity>, optional Kind::Number(Unit::NEWTON_SECOND_PER_METRE, NotNegative);
        /// The way over which both set in; a thousandth of the length if left out.
        smoothing: Option<Quantity>, optional Kind::Number(Unit::METRE, NotNegative);
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
        /// The force, in N: three formulas of `t`, joints and sites, or tables.
        force: Vec<Motion>, optional Kind::Laws(Unit::NEWTON);
        /// The moment, in N m: three formulas of `t`, joints and sites, or tables.
        moment: Vec<Motion>, optional Kind::Laws(Unit::NEWTON_METRE);
    }
}

section! {
    /// A force at a site, in axes of the world, or a tension between two.
    SiteForce {
        /// What it is called.
        name: Option<String>, optional Kind::Name;
        /// Where it acts.
        site: Option<Target>, optional Kind::Reference("site");
        /// The force, in N: three formulas of `t`, joints and sites, or tables.
        force: Vec<Motion>, optional Kind::Laws(Unit::NEWTON);
        /// The two sites that it pulls together, in place of `site`.
        between: Vec<Target>, optional Kind::References("site");
        /// What it pulls with, in N: a formula of `t`, joints, sites, `length` and `rate`.
        tension: Option<Motion>, optional Kind::Law(Unit::NEWTON);
    }
}

section! {
    /// Quadratic drag on a body, or on all segments of a cable: −k |u| u, u the velocity against the wind.
    QuadraticDrag {
        /// Which body.
        body: Option<Target>, optional Kind::Reference("body");
        /// Which cable, in place of `body`.
        cable: Option<Target>, optional Kind::Reference("cable");
        /// k = ½ ρ c A, N s²/m²; of a cable, that of the whole, of which each segment has its part.
        coefficient: Quantity, required Kind::Number(Unit::KILOGRAM_PER_METRE, Positive);
        /// Where it acts, in the axes of the body; its centre of mass if left out.
        at: Option<Vector>, optional Kind::Vector(Unit::METRE);
        /// The velocity of the wind, in m/s: three formulas of `t`; none if left out.
        wind: Vec<Motion>, optional Kind::Motions(Unit::METRE_PER_SECOND);
    }
}
