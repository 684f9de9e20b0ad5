//! Formulas as functions of time, or of a joint's position and velocity.
use crate::{
    formula::{Expressions, Formula, FormulaError, Kind, Program, Scope, Workspace},
    model::{FormulaText, Problems},
    tree::{Law, Motion},
};
use std::sync::{Mutex, PoisonError};

/// A program and its memory, to be called from anywhere.
struct Callable {
    program: Program,
    workspace: Mutex<Workspace>,
}

impl Callable {
    fn new(program: Program) -> Self {
        let workspace = Mutex::new(program.workspace());
        Self { program, workspace }
    }

    /// Where a formula has no value the outputs are not finite, and the step that wanted them fails.
    fn call(&self, x: &[f64]) -> [f64; 3] {
        let mut out = [0.0; 3];
        let mut workspace = self.workspace.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = self.program.evaluate(x, &mut workspace, &mut out);
        out
    }
}

/// A function of `t`, with its rate and acceleration.
pub(super) fn motion(text: &FormulaText<'_>, problems: &Problems) -> Option<Motion> {
    let mut scope = Scope::new();
    scope.time(0);
    let formula = understood(text, &scope, problems)?;
    let mut expressions = Expressions::new();
    let value = expressions.scalar(&formula);
    let rate = expressions.gradient(value, &[0])[0];
    let second = expressions.gradient(rate, &[0])[0];
    let callable = Callable::new(expressions.compile(&[value, rate, second]));
    finite(&callable.call(&[0.0]), text, problems)?;
    Some(Box::new(move |t| callable.call(&[t]).into()))
}

/// An effort: a function of `t`, `q` and `v`, with its derivatives by `q` and `v`.
pub(super) fn effort(text: &FormulaText<'_>, problems: &Problems) -> Option<Law<(f64, f64, f64)>> {
    let mut scope = Scope::new();
    scope.time(0);
    scope.variable("q", Kind::Scalar, 1).ok()?;
    scope.variable("v", Kind::Scalar, 2).ok()?;
    let formula = understood(text, &scope, problems)?;
    let callable = Callable::new(Program::with_jacobian(&[&formula], &[1, 2]));
    Some(Box::new(move |(t, q, v)| callable.call(&[t, q, v])))
}

/// The energy of a spring: a function of `q`, with two derivatives.
pub(super) fn energy(text: &FormulaText<'_>, problems: &Problems) -> Option<Law<f64>> {
    let mut scope = Scope::new();
    scope.variable("q", Kind::Scalar, 0).ok()?;
    let formula = understood(text, &scope, problems)?;
    let callable = Callable::new(Program::with_hessian(&formula, &[0]));
    Some(Box::new(move |q| callable.call(&[q])))
}

fn understood(text: &FormulaText<'_>, scope: &Scope, problems: &Problems) -> Option<Formula> {
    match Formula::parse_as(Kind::Scalar, text.value, scope) {
        Ok(formula) => Some(formula),
        Err(errors) => {
            for error in errors {
                report(error, text, problems);
            }
            None
        }
    }
}

fn report(error: FormulaError, text: &FormulaText<'_>, problems: &Problems) {
    let report = problems.error(text.locate(error.span), error.message);
    if let Some(help) = error.help {
        report.help(help);
    }
}

fn finite(values: &[f64; 3], text: &FormulaText<'_>, problems: &Problems) -> Option<()> {
    if values.iter().all(|x| x.is_finite()) {
        return Some(());
    }
    let [value, rate, second] = values;
    problems
        .error(
            text.span.clone(),
            format!("at the start, t = 0, this is {value}, its rate {rate} and its acceleration {second}"),
        )
        .help("motions have a finite acceleration at all times")
        .none()
}
