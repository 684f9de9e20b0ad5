/// What was understood of a text, in words: formulas and numbers by name.
///
/// Numbers at the start (energies, mass matrix, multipliers) are not here: the mechanism and the state give them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    /// Parameters: one number each, or the three of a vector.
    pub parameters: Vec<(String, Vec<f64>)>,
    /// Named sub-expressions, each after those that it uses.
    pub definitions: Vec<(String, String)>,
    /// The Lagrangian, if the model has one.
    pub lagrangian: Option<String>,
    /// Generalized forces, by coordinate.
    pub forces: Vec<(String, String)>,
    /// Constraints, by name.
    pub constraints: Vec<(String, String)>,
    /// Equations of motion, one per coordinate, parameters as numbers; empty if they are too long to be read.
    pub equations: Vec<String>,
    /// Cables by name, in words.
    pub cables: Vec<(String, String)>,
    /// Kinds of the potentials of bodies.
    pub potentials: Vec<&'static str>,
    /// Fields of a frame, by quasi-velocity.
    pub fields: Vec<(String, String)>,
    /// Quasi-velocities that are kept at zero.
    pub constrained: Vec<String>,
    /// What is measured, by name.
    pub invariants: Vec<(String, String)>,
}
