use super::{Layout, Measurement};

/// A number that is measured on a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measured {
    /// The kinetic energy.
    KineticEnergy,
    /// The potential energy.
    PotentialEnergy,
    /// A velocity, by its number in the layout.
    Velocity(usize),
    /// A conserved quantity, by its number in the layout.
    Invariant(usize),
    /// The departure from the configuration manifold.
    Manifold,
    /// The largest constraint violation.
    Violation,
    /// The multiplier of a constraint, by its number in the layout.
    Multiplier(usize),
}

impl Measured {
    /// What it is called.
    pub fn describe(self, layout: &Layout) -> String {
        let named = |kind: &str, name: Option<String>| {
            name.map_or_else(|| kind.to_owned(), |name| format!("{kind} `{name}`"))
        };
        let one = |list: &[String], k: usize| list.get(k).cloned();
        match self {
            Self::KineticEnergy => "the kinetic energy".to_owned(),
            Self::PotentialEnergy => "the potential energy".to_owned(),
            Self::Velocity(k) => named("the velocity", layout.velocities.one(k)),
            Self::Invariant(k) => named("the conserved quantity", one(&layout.conserved.invariants, k)),
            Self::Manifold => "the departure from the manifold".to_owned(),
            Self::Violation => "the constraint violation".to_owned(),
            Self::Multiplier(k) => named("the multiplier of constraint", one(&layout.multipliers, k)),
        }
    }
}

impl Measurement {
    /// The first number that is not finite, and its value.
    pub fn not_finite(&self) -> Option<(Measured, f64)> {
        let list = |values: &[f64], which: fn(usize) -> Measured| {
            let place = values.iter().position(|x| !x.is_finite())?;
            Some((which(place), values[place]))
        };
        let one = |value: f64, which: Measured| (!value.is_finite()).then_some((which, value));
        // A velocity that is not finite is why the kinetic energy is not.
        list(&self.velocity, Measured::Velocity)
            .or_else(|| one(self.energy.potential, Measured::PotentialEnergy))
            .or_else(|| one(self.energy.kinetic, Measured::KineticEnergy))
            .or_else(|| list(&self.invariants, Measured::Invariant))
            .or_else(|| one(self.manifold.max, Measured::Manifold))
            .or_else(|| one(self.constraint?, Measured::Violation))
            .or_else(|| list(&self.multipliers, Measured::Multiplier))
    }
}
