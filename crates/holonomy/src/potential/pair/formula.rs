//! A law given as a formula, f(s), f(c), f(r) or f(θ).
//!
//! ```text
//! s = |a − b|²    c = 1 − s/2    r = R√s    θ = 2 asin(√s/2)
//! ```
//! All four become expressions of s before the formula is differentiated.
use super::PairLaw;
use crate::{
    formula::{Batch, Expressions, Formula, Kind, Program, Scope, SubExpression},
    simd::Real,
    system::Undefined,
};
use std::sync::Mutex;

/// A law whose energy is a formula; its slope is exact.
///
/// ```
/// # use holonomy::{formula::{Formula, Kind, Scope}, potential::{PairFormula, PairLaw}};
/// let mut scope = Scope::new();
/// for (slot, name) in PairFormula::VARIABLES.into_iter().enumerate() {
///     scope.variable(name, Kind::Scalar, slot)?;
/// }
/// let energy = Formula::parse_as(Kind::Scalar, "0.5*(r - 1)^2", &scope).map_err(|e| e[0].clone())?;
/// let law = PairFormula::new(&energy, 2.0);
/// // r = 2 √0.25, and dr/ds = 1/√0.25
/// assert_eq!(law.at(0.25), (0.0, 0.0));
/// assert_eq!(law.at(1.0), (0.5, 1.0));
/// # Ok::<(), holonomy::formula::FormulaError>(())
/// ```
pub struct PairFormula {
    /// f(s) and f′(s).
    program: Program,
    /// Memory, used again; as many as there were threads at a time.
    memory: Mutex<Vec<Batch>>,
}

impl PairFormula {
    /// What the formula may be a function of, in the order of their slots: the squared distance of the unit vectors,
    /// the cosine of their angle, the straight distance in space (m), and the angle (rad).
    pub const VARIABLES: [&'static str; 4] = ["s", "c", "r", "theta"];

    /// The energy is a number, read in a scope with these variables; the points are on a sphere of the given radius.
    pub fn new(energy: &Formula, radius: f64) -> Self {
        let mut expressions = Expressions::new();
        let written = expressions.scalar(energy);
        let replacements: Vec<_> = ["s", "1 - 0.5*s", "R*sqrt(s)", "2*asin(0.5*sqrt(s))"]
            .into_iter()
            .enumerate()
            .filter_map(|(slot, text)| Some((slot, expressions.scalar(&of_s(text, radius)?))))
            .collect();
        let value = expressions.substitute(written, &replacements);
        let slope = expressions.gradient(value, &[0])[0];
        Self {
            program: expressions.compile(&[value, slope]),
            memory: Mutex::default(),
        }
    }

    fn with_memory<R>(&self, act: impl FnOnce(&mut Batch) -> R) -> R {
        let pool = || {
            self.memory
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner())
        };
        let mut batch = pool().pop().unwrap_or_default();
        let result = act(&mut batch);
        pool().push(batch);
        result
    }
}

/// A text as a formula of s and R.
fn of_s(text: &str, radius: f64) -> Option<Formula> {
    let mut scope = Scope::new();
    scope.variable("s", Kind::Scalar, 0).ok()?;
    scope.parameter("R", radius).ok()?;
    Formula::parse_as(Kind::Scalar, text, &scope).ok()
}

impl PairLaw for PairFormula {
    const BATCHED: bool = true;

    fn at<R: Real>(&self, s: R) -> (R, R) {
        let one = |s: f64| {
            let (mut energy, mut slope) = ([s], [0.0]);
            self.energies_and_slopes(&mut energy, &mut slope);
            (energy[0], slope[0])
        };
        (s.each(|s| one(s).0), s.each(|s| one(s).1))
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn curvature(&self, s: f64) -> f64 {
        let mut moving = Vec::new();
        match self.program.evaluate_along(&[s], &[1.0], &mut moving) {
            Ok(()) => moving[1][1],
            Err(_) => f64::NAN,
        }
    }

    fn energies(&self, x: &mut [f64]) {
        self.with_memory(|batch| self.program.each(x, batch, |x, [energy, _]| *x = energy));
    }

    fn slopes(&self, x: &mut [f64]) {
        self.with_memory(|batch| self.program.each(x, batch, |x, [_, slope]| *x = slope));
    }

    fn energies_and_slopes(&self, x: &mut [f64], slopes: &mut [f64]) {
        let mut slopes = slopes.iter_mut();
        self.with_memory(|batch| {
            self.program.each(x, batch, |x, [energy, slope]| {
                *x = energy;
                if let Some(place) = slopes.next() {
                    *place = slope;
                }
            });
        });
    }

    fn undefined(&self, s: f64) -> Option<Undefined> {
        let mut out = [0.0; 2];
        let error = self
            .program
            .evaluate(&[s], &mut self.program.workspace(), &mut out)
            .err()?;
        Some(Undefined::Expression {
            number: error.number,
            argument: error.argument,
        })
    }

    fn expressions(&self) -> Vec<SubExpression> {
        self.program.expressions()
    }
}
