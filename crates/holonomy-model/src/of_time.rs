//! Numbers that may change with time: a number, a quantity, a formula of `t`, or a table of times and values.
use crate::{Field, FormulaText, Located, Problems, Section, Unit, parse_quantity};
use holonomy::{
    formula::{self, Formula, Program, Registers},
    tree::Spline,
};
use std::sync::{Arc, Mutex, PoisonError};

/// A number that may change with time.
#[derive(Clone, Debug)]
pub struct OfTime(Value);

#[derive(Clone, Debug)]
enum Value {
    Number(f64),
    Formula(Arc<(Program, Mutex<Registers>)>),
    Table(Arc<Spline>),
}

impl OfTime {
    /// The same number at all times.
    pub fn number(number: f64) -> Self {
        Self(Value::Number(number))
    }

    /// Its value at a time; not a number where it has none.
    pub fn at(&self, t: f64) -> f64 {
        match &self.0 {
            Value::Number(number) => *number,
            Value::Table(spline) => spline.at(t).0,
            Value::Formula(formula) => {
                let (program, registers) = &**formula;
                let mut registers = registers.lock().unwrap_or_else(PoisonError::into_inner);
                let mut out = [f64::NAN];
                let known = program.evaluate(&[t], &mut registers, &mut out);
                if known.is_ok() { out[0] } else { f64::NAN }
            }
        }
    }
}

/// What stands at a key, as a number that may change with time.
pub(crate) fn of_time(section: &Section<'_>, key: &str, field: Field<'_, '_>) -> Option<OfTime> {
    if section.is_table(key) {
        let table = field.table()?;
        let (times, values) = (
            table.required("times").numbers_in(Unit::SECOND),
            table.required("values").numbers_in(Unit::ANY),
        );
        let place = table.place();
        table.finish();
        let plain = |list: Located<Vec<Located<f64>>>| -> Vec<f64> {
            list.value.into_iter().map(|number| number.value).collect()
        };
        return match Spline::new(&plain(times?), &plain(values?)) {
            Ok(spline) => Some(OfTime(Value::Table(Arc::new(spline)))),
            Err(error) => section.problems().error(place, error.to_string()).none(),
        };
    }
    let text = section.text(key);
    let quantity = text.and_then(|text| parse_quantity(text, Unit::ANY).ok());
    if text.is_none() || quantity.is_some() {
        let number = field.number()?;
        return Some(OfTime::number(number.value));
    }
    let text = field.formula()?;
    let formula = understood(&text, section.problems())?;
    let program = Program::values(&[&formula]);
    let registers = Mutex::new(program.workspace());
    Some(OfTime(Value::Formula(Arc::new((program, registers)))))
}

fn understood(text: &FormulaText<'_>, problems: &Problems) -> Option<Formula> {
    let mut scope = problems.constants().clone();
    scope.time(0);
    match Formula::parse_as(formula::Kind::Scalar, text.value, &scope) {
        Ok(formula) => Some(formula),
        Err(errors) => {
            for error in errors {
                let report = problems.error(text.locate(error.span), error.message);
                if let Some(help) = error.help {
                    report.help(help);
                }
            }
            None
        }
    }
}
