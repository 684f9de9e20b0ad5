//! `space = "spheres"`: bodies whose directions are points of the unit sphere.
use super::entry::Named;
use super::key::Bound::{Finite, NotNegative, Positive};
use super::quantity::{Formula, Matrix, Quantity, Target, Vector};
use super::section::{choice, kinds, section};
use super::{Key, Keys, Kind, ParameterValue};
use crate::units::Unit;

/// Bodies that one section can make.
const MOST_BODIES: usize = 1_000_000;

section! {
    /// A model on spheres. Its bodies come from one of `[[body]]`, `[chain]`, `[grid]`, `[icosphere]` and `[spiral]`.
    Spheres {
        /// The inertia matrix of all bodies, in place of the one that follows from their shapes.
        inertia: Option<Matrix>, optional Kind::Matrix(Unit::KILOGRAM_METRE_SQUARED);
        /// Bodies one by one.
        bodies = "body": Vec<SphereBody>, optional Kind::Sections(&SphereBody::SECTION);
        /// Equal links, each on the end of the one before.
        chain: Option<Chain>, optional Kind::Section(&Chain::SECTION);
        /// Equal bodies on a rectangular grid in the plane of x and y.
        grid: Option<Grid>, optional Kind::Section(&Grid::SECTION);
        /// Equal point masses on the vertices of a subdivided icosahedron.
        icosphere: Option<IcosphereBodies>, optional Kind::Section(&IcosphereBodies::SECTION);
        /// Equal point masses on a spiral from pole to pole.
        spiral: Option<Spiral>, optional Kind::Section(&Spiral::SECTION);
        /// How single bodies start, where that is not said with them.
        starts = "start": Vec<SphereStart>, optional Kind::Sections(&SphereStart::SECTION);
        /// Whirls that are added to the velocities of all bodies.
        swirls = "swirl": Vec<Swirl>, optional Kind::Sections(&Swirl::SECTION);
        /// Potential energies.
        potentials = "potential": Vec<SpherePotential>, optional Kind::Sections(&SpherePotential::SECTION);
        /// Dampers of bodies, against the world or each other.
        dampers = "damper": Vec<BodyDamper>, optional Kind::Sections(&BodyDamper::SECTION);
        /// Forces and torques that are formulas of time, and of where bodies are and how they move.
        forces = "force": Vec<BodyForce>, optional Kind::Sections(&BodyForce::SECTION);
    }
}

choice! {
    /// Which way the mass of a body lies on it.
    SphereShape {
        /// At its end.
        Point = "point",
        /// Along it, from its base to its end.
        Rod = "rod",
        /// Along it, about its centre.
        Needle = "needle",
    }
}

section! {
    /// A body that turns about a fixed pivot, or about the end of another.
    SphereBody {
        /// What it is called; `body-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// The body on whose end it hangs; without it, it hangs on its `pivot`.
        parent: Option<Target>, optional Kind::Reference("body");
        /// Where it is held, if it has no `parent`; the origin if left out.
        pivot: Option<Vector>, optional Kind::Vector(Unit::METRE);
        /// Its mass.
        mass: Quantity, required Kind::Number(Unit::KILOGRAM, Positive);
        /// Its length; 1 m if left out.
        length: Option<Quantity>, optional Kind::Number(Unit::METRE, Positive);
        /// How its mass lies on it; `point` if left out.
        shape: Option<SphereShape>, optional Kind::Choice(SphereShape::WORDS);
        /// Its moment of inertia about its base, in place of that of its shape.
        moment: Option<Quantity>, optional Kind::Number(Unit::KILOGRAM_METRE_SQUARED, Positive);
        /// Where it points at the start: a unit vector.
        direction: Vector, required Kind::Vector(Unit::NONE);
        /// How it turns at the start; none if left out.
        angular_velocity: Option<Vector>, optional Kind::Vector(Unit::RADIAN_PER_SECOND);
    }
}

section! {
    /// Equal links, each on the end of the one before.
    Chain {
        /// How many there are.
        links: u64, required Kind::Count(1, MOST_BODIES);
        /// What their names begin with: `link` gives `link-1` and so on.
        name: Option<String>, optional Kind::Name;
        /// The mass of each.
        mass: Quantity, required Kind::Number(Unit::KILOGRAM, Positive);
        /// The length of each; 1 m if left out.
        length: Option<Quantity>, optional Kind::Number(Unit::METRE, Positive);
        /// How the mass of each lies on it; `point` if left out.
        shape: Option<SphereShape>, optional Kind::Choice(SphereShape::WORDS);
        /// The moment of inertia of each about its base, in place of that of its shape.
        moment: Option<Quantity>, optional Kind::Number(Unit::KILOGRAM_METRE_SQUARED, Positive);
        /// Where the first is held; the origin if left out.
        pivot: Option<Vector>, optional Kind::Vector(Unit::METRE);
        /// Where the last one ends, if it is held there. Without `direction` the chain then starts as it hangs at rest.
        end: Option<Vector>, optional Kind::Vector(Unit::METRE);
        /// Where all, or the first, point at the start: a unit vector. Required without `end`.
        direction: Option<Vector>, optional Kind::Vector(Unit::NONE);
        /// Where the last points at the start; the others lie evenly between.
        end_direction: Option<Vector>, optional Kind::Vector(Unit::NONE);
        /// How all turn at the start; none if left out.
        angular_velocity: Option<Vector>, optional Kind::Vector(Unit::RADIAN_PER_SECOND);
    }
}

section! {
    /// Equal bodies on a rectangular grid in the plane of x and y.
    Grid {
        /// How many there are along y.
        rows: u64, required Kind::Count(1, 1000);
        /// How many there are along x.
        columns: u64, required Kind::Count(1, 1000);
        /// How far their pivots are apart.
        spacing: Quantity, required Kind::Number(Unit::METRE, Positive);
        /// What their names begin with: `body` gives `body-1` and so on.
        name: Option<String>, optional Kind::Name;
        /// The mass of each.
        mass: Quantity, required Kind::Number(Unit::KILOGRAM, Positive);
        /// The length of each; 1 m if left out.
        length: Option<Quantity>, optional Kind::Number(Unit::METRE, Positive);
        /// How the mass of each lies on it; `point` if left out.
        shape: Option<SphereShape>, optional Kind::Choice(SphereShape::WORDS);
        /// The moment of inertia of each about its base, in place of that of its shape.
        moment: Option<Quantity>, optional Kind::Number(Unit::KILOGRAM_METRE_SQUARED, Positive);
        /// Where all point at the start: a unit vector.
        direction: Vector, required Kind::Vector(Unit::NONE);
    }
}

section! {
    /// Equal point masses on the vertices of a subdivided icosahedron.
    IcosphereBodies {
        /// How often it is subdivided: n gives 10·4ⁿ + 2 bodies.
        subdivisions: u64, required Kind::Count(0, 8);
        /// The mass of each.
        mass: Quantity, required Kind::Number(Unit::KILOGRAM, Positive);
        /// The radius of the sphere; 1 m if left out.
        radius: Option<Quantity>, optional Kind::Number(Unit::METRE, Positive);
        /// What their names begin with: `body` gives `body-1` and so on.
        name: Option<String>, optional Kind::Name;
    }
}

section! {
    /// Equal point masses on a spiral from pole to pole, with equal areas between them.
    Spiral {
        /// How many there are.
        count: u64, required Kind::Count(1, MOST_BODIES);
        /// The mass of each.
        mass: Quantity, required Kind::Number(Unit::KILOGRAM, Positive);
        /// The radius of the sphere; 1 m if left out.
        radius: Option<Quantity>, optional Kind::Number(Unit::METRE, Positive);
        /// What their names begin with: `body` gives `body-1` and so on.
        name: Option<String>, optional Kind::Name;
    }
}

section! {
    /// How one body starts.
    SphereStart {
        /// Which body.
        body: Target, required Kind::Reference("body");
        /// Where it points: a unit vector.
        direction: Option<Vector>, optional Kind::Vector(Unit::NONE);
        /// How it turns.
        angular_velocity: Option<Vector>, optional Kind::Vector(Unit::RADIAN_PER_SECOND);
    }
}

section! {
    /// A whirl about a centre, added to the velocities of all bodies; it fades as a Gaussian.
    Swirl {
        /// Its centre on the unit sphere.
        centre: Vector, required Kind::Vector(Unit::NONE);
        /// How fast it turns at its centre.
        rate: Quantity, required Kind::Number(Unit::RADIAN_PER_SECOND, Finite);
        /// The angle over which it fades.
        width: Quantity, required Kind::Number(Unit::RADIAN, Positive);
    }
}

kinds! {
    /// A potential energy of bodies on spheres.
    SpherePotential {
        /// Uniform gravity.
        Gravity(Gravity) = "gravity",
        /// A spring between two points of bodies, or of a body and space.
        Spring(BodySpring) = "spring",
        /// Stiffness of the joints between bodies.
        Bending(Bending) = "bending",
        /// Magnetic dipoles at fixed pivots.
        Dipoles(Dipoles) = "dipoles",
        /// 4ε((σ/r)¹² − (σ/r)⁶) between all pairs.
        LennardJones(LennardJones) = "lennard-jones",
        /// −γ cot θ between all pairs.
        Cotangent(Cotangent) = "cotangent",
        /// A formula between all pairs.
        Pairs(PairEnergy) = "pairs",
        /// A formula of places and directions.
        Formula(BodyEnergy) = "formula",
        /// A function that a program hands over.
        Given(GivenBodyEnergy) = "given",
    }
}

section! {
    /// Uniform gravity.
    Gravity {
        /// The way things fall, such as `[0, 0, -9.81]`.
        acceleration: Vector, required Kind::Vector(Unit::METRE_PER_SECOND_SQUARED);
    }
}

section! {
    /// A spring between two bodies, or between a body and a fixed point.
    BodySpring {
        /// Its stiffness.
        stiffness: Quantity, required Kind::Number(Unit::NEWTON_PER_METRE, Positive);
        /// The length at which it does not pull.
        rest_length: Quantity, required Kind::Number(Unit::METRE, NotNegative);
        /// Two bodies; one with `anchor`.
        between: Vec<Target>, required Kind::References("body");
        /// How far from the bases of the bodies it is attached; at their ends if left out.
        at: Vec<Quantity>, optional Kind::Numbers(Unit::METRE, Finite);
        /// A fixed point in place of the second body.
        anchor: Option<Vector>, optional Kind::Vector(Unit::METRE);
    }
}

choice! {
    /// How a bent joint resists.
    BendingLaw {
        /// k (1 − cos θ).
        Cosine = "cosine",
        /// k (1 − cos θ)²/2.
        Quartic = "quartic",
    }
}

section! {
    /// Stiffness of the joints between bodies and their parents.
    Bending {
        /// Of every joint.
        stiffness: Quantity, required Kind::Number(Unit::NEWTON_METRE, Positive);
        /// How a bent joint resists; `cosine` if left out.
        law: Option<BendingLaw>, optional Kind::Choice(BendingLaw::WORDS);
        /// The direction of a wall in which bodies with a `pivot` are clamped.
        clamp: Option<Vector>, optional Kind::Vector(Unit::NONE);
    }
}

section! {
    /// Magnetic dipoles, one in each body, at fixed pivots.
    Dipoles {
        /// The magnetic moment of each.
        moment: Quantity, required Kind::Number(Unit::AMPERE_METRE_SQUARED, Finite);
    }
}

section! {
    /// 4ε((σ/r)¹² − (σ/r)⁶) between all pairs of bodies on one sphere.
    LennardJones {
        /// The depth ε of the well.
        epsilon: Quantity, required Kind::Number(Unit::JOULE, Positive);
        /// The distance σ at which it is zero.
        sigma: Quantity, required Kind::Number(Unit::METRE, Positive);
        /// The distance beyond which there is nothing; everywhere if left out.
        cutoff: Option<Quantity>, optional Kind::Number(Unit::METRE, Positive);
        /// Where it begins to fade out; 0.8 of `cutoff` if left out.
        switch: Option<Quantity>, optional Kind::Number(Unit::METRE, Positive);
        /// How much further neighbour lists reach; 0.12 of `cutoff` if left out.
        skin: Option<Quantity>, optional Kind::Number(Unit::METRE, Positive);
    }
}

section! {
    /// −γ cot θ between all pairs of bodies on one sphere.
    Cotangent {
        /// The strength γ.
        strength: Quantity, required Kind::Number(Unit::JOULE, Finite);
    }
}

section! {
    /// A formula of the distance `r`, the angle `theta`, `c` = cos θ or `s` = (r/R)² between all pairs of bodies on one
    /// sphere.
    PairEnergy {
        /// The energy of a pair.
        energy: Formula, required Kind::Formula;
        /// Numbers by name.
        parameters: Named<ParameterValue>, optional Kind::Named(&Kind::Value);
        /// Parts of the formula by name.
        definitions: Named<Formula>, optional Kind::Named(&Kind::Formula);
        /// The distance beyond which there is nothing; everywhere if left out.
        cutoff: Option<Quantity>, optional Kind::Number(Unit::METRE, Positive);
        /// Where it begins to fade out; 0.8 of `cutoff` if left out.
        switch: Option<Quantity>, optional Kind::Number(Unit::METRE, Positive);
        /// How much further neighbour lists reach; 0.12 of `cutoff` if left out.
        skin: Option<Quantity>, optional Kind::Number(Unit::METRE, Positive);
    }
}

section! {
    /// A formula of places and directions; names of bodies are the places of their ends.
    BodyEnergy {
        /// The energy.
        energy: Formula, required Kind::Formula;
        /// Numbers by name.
        parameters: Named<ParameterValue>, optional Kind::Named(&Kind::Value);
        /// Parts of the formula by name.
        definitions: Named<Formula>, optional Kind::Named(&Kind::Formula);
        /// Other names for places: a body, for its end, or `{ body = …, at = … }`.
        points: Named<BodyPoint>, optional Kind::Named(&Kind::Reference("body"));
        /// Names for directions: a body each.
        directions: Named<Target>, optional Kind::Named(&Kind::Reference("body"));
    }
}

section! {
    /// A damper: the torque −c ω on a body, or −c times the difference of two angular velocities on both.
    BodyDamper {
        /// Which body; all of them if left out.
        body: Option<Target>, optional Kind::Reference("body");
        /// Whether it is against what the body hangs on, as in a joint, and not against the world.
        relative: Option<bool>, optional Kind::Boolean;
        /// The torque per angular velocity.
        damping: Quantity, required Kind::Number(Unit::NEWTON_METRE_SECOND_PER_RADIAN, NotNegative);
    }
}

section! {
    /// A force on a point of a body, or a torque on it, without potential.
    BodyForce {
        /// What it is called; `force-1` and so on if it has no name.
        name: Option<String>, optional Kind::Name;
        /// Which body it acts on.
        body: Target, required Kind::Reference("body");
        /// How far from the base of the body `force` acts; at its end if left out.
        at: Option<Quantity>, optional Kind::Number(Unit::METRE, Finite);
        /// The force, in N: three formulas of `t` and of names of bodies, which are the places of their ends.
        force: Vec<Formula>, optional Kind::Formulas;
        /// The torque, in N m, in place of `force`.
        torque: Vec<Formula>, optional Kind::Formulas;
        /// Numbers by name.
        parameters: Named<ParameterValue>, optional Kind::Named(&Kind::Value);
        /// Parts of the formulas by name.
        definitions: Named<Formula>, optional Kind::Named(&Kind::Formula);
        /// Other names for places: a body, for its end, or `{ body = …, at = … }`.
        points: Named<BodyPoint>, optional Kind::Named(&Kind::Reference("body"));
        /// Names for directions: a body each.
        directions: Named<Target>, optional Kind::Named(&Kind::Reference("body"));
    }
}

section! {
    /// A function of the places of bodies' ends, which a program hands over.
    GivenBodyEnergy {
        /// What the program calls it.
        function: String, required Kind::Text;
        /// The bodies whose ends it is a function of, in its order.
        points: Vec<Target>, required Kind::References("body");
    }
}

section! {
    /// A point of a body.
    PointOnBody {
        /// Which body.
        body: Target, required Kind::Reference("body");
        /// How far from its base; its end if left out.
        at: Option<Quantity>, optional Kind::Number(Unit::METRE, Finite);
    }
}

/// The end of a body, or another point of it.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyPoint {
    /// Its end.
    End(Target),
    /// Another point.
    Point(PointOnBody),
}

impl super::entry::Entry for BodyPoint {
    fn read(value: &crate::Value, path: &crate::Path, problems: &crate::Problems) -> Option<Self> {
        match value {
            crate::Value::Table(_) => PointOnBody::read(value, path, problems).map(Self::Point),
            _ => Target::read(value, path, problems).map(Self::End),
        }
    }

    fn write(&self) -> crate::Value {
        match self {
            Self::End(body) => body.write(),
            Self::Point(point) => point.write(),
        }
    }
}
