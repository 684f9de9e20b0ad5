//! Optimal control over a horizon: differential dynamic programming of Gauss and Newton.
//!
//! ```text
//! minimise    Σₖ rᵢₖ uᵢₖ² + Σₖ wⱼₖ cⱼ(zₖ)²      zₖ₊₁ = Φ(zₖ, uₖ),   low ≤ uₖ ≤ high
//! subject to  cⱼ(zₖ) = 0 or ≤ 0                  by multipliers λ and a growing weight μ: λ c + ½ μ c²
//!
//! backward    Qᵤ = ℓᵤ + Bᵀ V',   Qᵤᵤ = ℓᵤᵤ + Bᵀ V'' B + ρ,   Qᵤₓ = Bᵀ V'' A
//!             δu minimises ½ δuᵀ Qᵤᵤ δu + Qᵤᵀ δu within the bounds;   K = −Qᵤᵤ⁻¹ Qᵤₓ where they do not hold
//! forward     u = ū + α δu + K (z ⊖ z̄), cut off at the bounds; α = 1, ½, … until the cost falls
//! ```
//! Far from the best, second derivatives of Φ and c are left out (Gauss and Newton); near it they are taken in, where the
//! sweep then still has a minimum (Newton). Points may lie on a manifold: `z ⊖ z̄` is what [`Stages::apart`] says.
//! The bounds as in Tassa, Mansard & Todorov (2014), the multipliers as in Howell, Jackson & Manchester (2019).
mod curvature;
mod guess;
mod hold;
mod merit;
mod reach;
mod search;
mod sweep;

pub use hold::feedback;
use search::{Held, Parts, Search, Tried};
pub use search::{UNREACHED, plan};
use sweep::Direction;

use nalgebra::{DMatrix, DVector};

/// A motion in stages that inputs change.
pub trait Stages {
    /// Where it is.
    type Point: Clone;
    /// Why a stage cannot be passed.
    type Fault;

    /// The point after stage k.
    fn next(&mut self, k: usize, from: &Self::Point, input: &[f64]) -> Result<Self::Point, Self::Fault>;
    /// How that changes with the point, and with the inputs.
    fn linearised(
        &mut self,
        k: usize,
        from: &Self::Point,
        input: &[f64],
        to: &Self::Point,
    ) -> Result<(DMatrix<f64>, DMatrix<f64>), Self::Fault>;
    /// The way from one point to another near it.
    fn apart(&mut self, from: &Self::Point, to: &Self::Point) -> DVector<f64>;
    /// The values of all terms after k stages.
    fn values(&mut self, k: usize, at: &Self::Point) -> Vec<f64>;
    /// Their derivatives, a row for each.
    fn slopes(&mut self, k: usize, at: &Self::Point) -> DMatrix<f64>;
    /// The point that lies in a direction of another.
    fn moved(&mut self, from: &Self::Point, by: &DVector<f64>) -> Self::Point;
    /// The change of each direction that is small enough for second differences, and not too small.
    fn unit(&mut self, at: &Self::Point) -> DVector<f64>;
}

/// What a value that depends on the point is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    /// Its square, times a weight, is a part of the cost.
    Small,
    /// It is to be zero.
    Zero,
    /// It is not to be above zero.
    AtMostZero,
}

/// A value that depends on the point, and where along the horizon it counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// What it is for.
    pub aim: Aim,
    /// Its weight after 1 … N stages: zero where it does not count; of a constraint, its size in units of its tolerance.
    pub weights: Vec<f64>,
}

/// What is to be minimised, and within what.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The weight of each squared input, in every stage.
    pub effort: Vec<f64>,
    /// The least that each may be, and the most.
    pub bounds: Vec<(f64, f64)>,
    /// What the values of [`Stages::values`] are for.
    pub terms: Vec<Term>,
    /// How far constraints may be from what they say.
    pub tolerance: f64,
    /// After how many sweeps to give up.
    pub most: usize,
}

/// Where a search begins.
#[derive(Clone, Debug)]
pub enum Guess<P> {
    /// The motion from a point under inputs.
    Inputs(P, Vec<Vec<f64>>),
    /// The motion that stays near these points, which need not be one, from the first of them: by feedback of the weights
    /// of the task.
    Near(Vec<P>),
}

/// A motion that was found.
#[derive(Clone, Debug)]
pub struct Plan<P> {
    /// The points, one more than there are stages.
    pub points: Vec<P>,
    /// The inputs of each stage.
    pub inputs: Vec<Vec<f64>>,
    /// How the inputs are to answer to a point beside the planned one: a row for each input.
    pub gains: Vec<DMatrix<f64>>,
    /// What is minimised, without constraints.
    pub cost: f64,
    /// The largest violation of a constraint: its term and stage.
    pub violation: f64,
    /// The term of that violation.
    pub worst: Option<usize>,
    /// The part of the violations that inputs take away, to first order: see [`UNREACHED`].
    pub reached: f64,
    /// Every sweep.
    pub history: Vec<Sweep>,
    /// How it ended.
    pub ending: Ending,
}

/// What a sweep brought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweep {
    /// The cost after it.
    pub cost: f64,
    /// The largest violation after it.
    pub violation: f64,
    /// The part of the step that was taken; zero if none made it better.
    pub share: f64,
    /// The weight of violations.
    pub weight: f64,
    /// Whether second derivatives were taken in.
    pub newton: bool,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing near is better, and all constraints are met.
    Best,
    /// Nothing near is better, but some constraints are not met: they cannot be, or not from this guess.
    Unmet,
    /// It was stopped.
    Stopped,
    /// So many sweeps were not enough.
    Unfinished,
}
