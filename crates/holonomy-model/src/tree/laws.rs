//! Formulas and tables as functions of time, or of a joint's position and velocity; numbers made of parameters.
use super::tables;
use crate::{FormulaText, Located, Problems, Section, Unit, lagrangian::values, parse_quantity};
use holonomy::{
    formula::{Expressions, Formula, FormulaError, Kind, Program, Registers, Scope},
    tree::{Law, Motion, Spline, limited_law},
};
use std::cell::RefCell;
use std::sync::{Mutex, PoisonError};

/// A program and its memory, to be called from anywhere.
struct Callable {
    program: Program,
    workspace: Mutex<Registers>,
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

/// What formulas may be made of: the parameters of the model.
pub(super) struct Laws<'a> {
    parameters: Vec<values::Parameter<'a>>,
    names: Vec<&'a str>,
    /// The time at the start, s.
    pub(super) start: f64,
    /// Efforts that see more than their own joint, with the bodies; understood once all names are known.
    later: RefCell<Vec<PutOff<'a>>>,
    /// Efforts that see their own joint alone, to know their kinks.
    own: RefCell<Vec<PutOff<'a>>>,
}

/// An effort that sees more than its own joint.
pub(super) struct PutOff<'a> {
    pub(super) body: String,
    pub(super) text: FormulaText<'a>,
    /// The largest effort, if it has one.
    pub(super) limit: Option<f64>,
}

/// Names that formulas of trees know already, and their slots: time, position and velocity of a joint.
const VARIABLES: [(&str, usize); 2] = [("q", 1), ("v", 2)];

impl<'a> Laws<'a> {
    /// Reads `[parameters]`.
    pub(super) fn read(root: &Section<'a>) -> Self {
        let parameters = values::parameters_of(root, &[]);
        let names = root.keys_within(&["parameters"]);
        let mut known = Scope::new();
        known.time(0);
        for (name, slot) in VARIABLES {
            known.variable(name, Kind::Scalar, slot).ok();
        }
        // What is wrong with a name is said once, not with every formula.
        values::enter(&parameters, &mut known, Some(root.problems()));
        root.problems().set_constants(values::scope_of(&parameters));
        Self {
            parameters,
            names: names.iter().map(|name| name.value).collect(),
            start: root
                .number_within("run", "start_time", Unit::SECOND)
                .unwrap_or(0.0),
            later: RefCell::default(),
            own: RefCell::default(),
        }
    }

    /// Parameters by name, for people.
    pub(super) fn described(&self) -> Vec<(String, Vec<f64>)> {
        self.parameters
            .iter()
            .filter_map(values::Parameter::described)
            .collect()
    }

    /// A scope of the parameters, of these variables with their slots, and of `t` in slot 0 if that is wanted.
    pub(super) fn scope(&self, time: bool, variables: &[(&str, usize)]) -> Scope {
        let mut scope = Scope::new();
        if time {
            scope.time(0);
        }
        for (name, slot) in variables {
            scope.variable(name, Kind::Scalar, *slot).ok();
        }
        values::enter(&self.parameters, &mut scope, None);
        scope
    }

    /// A function of `t`, with its rate and acceleration.
    pub(super) fn motion(&self, text: &FormulaText<'_>, problems: &Problems) -> Option<Motion> {
        let formula = understood(text, &self.scope(true, &[]), problems)?;
        let mut expressions = Expressions::new();
        let value = expressions.scalar(&formula);
        let rate = expressions.gradient(value, &[0])[0];
        let second = expressions.gradient(rate, &[0])[0];
        let callable = Callable::new(expressions.compile(&[value, rate, second]));
        finite(&callable.call(&[self.start]), self.start, text, problems)?;
        Some(Box::new(move |t| callable.call(&[t]).into()))
    }

    /// An effort: a function of `t`, `q` and `v`, with its derivatives by `q` and `v`. One that is more than that is put
    /// off until all names are known.
    pub(super) fn effort(
        &self,
        body: &str,
        text: FormulaText<'a>,
        limit: Option<f64>,
    ) -> Option<Law<(f64, f64, f64)>> {
        let scope = self.scope(true, &VARIABLES);
        let Ok(formula) = Formula::parse_as(Kind::Scalar, text.value, &scope) else {
            self.later.borrow_mut().push(PutOff {
                body: body.to_owned(),
                text,
                limit,
            });
            return None;
        };
        self.own.borrow_mut().push(PutOff {
            body: body.to_owned(),
            text,
            limit,
        });
        let callable = Callable::new(Program::with_jacobian(&[&formula], &[1, 2]));
        let law: Law<(f64, f64, f64)> = Box::new(move |(t, q, v)| callable.call(&[t, q, v]));
        Some(match limit {
            Some(limit) => limited_law(law, limit),
            None => law,
        })
    }

    /// An effort that a table gives.
    pub(super) fn effort_table(spline: Spline, limit: Option<f64>) -> Law<(f64, f64, f64)> {
        let law: Law<(f64, f64, f64)> = Box::new(move |(t, ..)| [spline.at(t).0, 0.0, 0.0]);
        match limit {
            Some(limit) => limited_law(law, limit),
            None => law,
        }
    }

    /// The efforts that were put off.
    pub(super) fn put_off(&self) -> Vec<PutOff<'a>> {
        self.later.take()
    }

    /// The efforts that see their own joint alone.
    pub(super) fn of_own_joints(&self) -> Vec<PutOff<'a>> {
        self.own.take()
    }

    /// Whether formulas are functions of time alone.
    pub(super) fn only_of_time(&self, texts: &[&str]) -> bool {
        let scope = self.scope(true, &[]);
        let plain = |text: &&str| Formula::parse_as(Kind::Scalar, text, &scope).is_ok();
        texts.iter().all(plain)
    }

    /// The energy of a spring: a function of `q`, with two derivatives.
    pub(super) fn energy(&self, text: &FormulaText<'_>, problems: &Problems) -> Option<Law<f64>> {
        let formula = understood(text, &self.scope(false, &[("q", 0)]), problems)?;
        let callable = Callable::new(Program::with_hessian(&formula, &[0]));
        Some(Box::new(move |q| callable.call(&[q])))
    }

    /// A motion: a formula of `t`, or a table of times and values.
    pub(super) fn driven(&self, section: &Section<'a>, key: &'a str, unit: Unit) -> Option<Motion> {
        if section.is_table(key) {
            return tables::spline(section.optional(key).table()?, unit).map(Spline::into_motion);
        }
        let text = section.optional(key).formula()?;
        let mut scope = self.scope(true, &[]);
        for name in ["q", "v"] {
            scope.hint(name, OF_TIME);
        }
        match Formula::parse_as(Kind::Scalar, text.value, &scope) {
            Ok(_) => self.motion(&text, section.problems()),
            Err(errors) => {
                for mut error in errors {
                    // Names of joints and sites, as far as can be told: there is no parameter like them.
                    if error
                        .help
                        .as_ref()
                        .is_some_and(|help| help.starts_with("known here"))
                    {
                        error.help = Some(OF_TIME.to_owned());
                    }
                    report(error, &text, section.problems());
                }
                None
            }
        }
    }

    /// Whether a text that is no quantity names a parameter.
    pub(super) fn is_formula(&self, text: &str, unit: Unit) -> bool {
        let mut words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        parse_quantity(text, unit).is_err() && words.any(|word| self.names.contains(&word))
    }

    /// A number that is there and at least zero: a number, a quantity, or a formula of parameters.
    pub(super) fn non_negative(
        &self,
        section: &Section<'a>,
        key: &'a str,
        unit: Unit,
    ) -> Option<Located<f64>> {
        match section.text(key) {
            Some(text) if self.is_formula(text, unit) => {
                self.constant_that(section, key, "at least zero", |x| x >= 0.0)
            }
            _ => section.required(key).non_negative(unit),
        }
    }

    /// A positive number that is there.
    pub(super) fn positive(&self, section: &Section<'a>, key: &'a str, unit: Unit) -> Option<Located<f64>> {
        match section.text(key) {
            Some(text) if self.is_formula(text, unit) => {
                self.constant_that(section, key, "positive", |x| x > 0.0)
            }
            _ => section.required(key).positive(unit),
        }
    }

    /// A number that may be there: a number, a quantity, or a formula of parameters.
    pub(super) fn number(&self, section: &Section<'a>, key: &'a str, unit: Unit) -> Option<Located<f64>> {
        match section.text(key) {
            Some(text) if self.is_formula(text, unit) => self.constant(section, key),
            _ => section.optional(key).number_in(unit),
        }
    }

    fn constant_that(
        &self,
        section: &Section<'a>,
        key: &'a str,
        sign: &str,
        holds: impl Fn(f64) -> bool,
    ) -> Option<Located<f64>> {
        let number = self.constant(section, key)?;
        if holds(number.value) {
            return Some(number);
        }
        let message = format!(
            "`{key}` must be {sign}, but with these parameters it is {}",
            number.value
        );
        section
            .problems()
            .error(number.place, message)
            .help("change it, or the parameters it is made of")
            .none()
    }

    /// The value of a formula of parameters.
    fn constant(&self, section: &Section<'a>, key: &'a str) -> Option<Located<f64>> {
        let text = section.optional(key).formula()?;
        let formula = understood(&text, &self.scope(false, &[]), section.problems())?;
        let program = Program::values(&[&formula]);
        let mut value = [0.0];
        let known = program.evaluate(&[], &mut program.workspace(), &mut value);
        let [value] = value;
        if known.is_ok() && value.is_finite() {
            return Some(Located::new(value, text.place));
        }
        section
            .problems()
            .error(text.place, format!("`{key}` has no value"))
            .help("change it, or the parameters it is made of")
            .none()
    }
}

const OF_TIME: &str = "what is driven is a function of `t` and of parameters; a force that sees the state is an `effort` of the joint";

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

fn finite(values: &[f64; 3], t: f64, text: &FormulaText<'_>, problems: &Problems) -> Option<()> {
    if values.iter().all(|x| x.is_finite()) {
        return Some(());
    }
    let [value, rate, second] = values;
    problems
        .error(
            text.place.clone(),
            format!("at the start, t = {t}, this is {value}, its rate {rate} and its acceleration {second}"),
        )
        .help("motions have a finite acceleration at all times")
        .none()
}
