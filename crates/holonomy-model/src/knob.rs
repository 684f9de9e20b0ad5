//! The numbers of a model that can be turned, as a page with sliders needs them.
use crate::path::Path;
use crate::spec::Bound;
use crate::units::Unit;
use serde::Serialize;
use std::ops::RangeInclusive;

/// A number of a model: where it is, what it is now, and what it may be.
///
/// The bounds are those of the reader. Within them a model can still be refused, as a chain that does not reach its
/// ends.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Knob {
    /// Where it stands in the model: what `--set` and [`Model::with`](crate::Model::with) take.
    pub path: Path,
    /// What it is, for people: `` `mass` of body `upper` ``.
    pub label: String,
    /// What it is now, in SI.
    pub value: f64,
    /// The symbol of its unit in SI; `1` for a plain number, and for one of which only its author knows the unit.
    pub unit: &'static str,
    /// It must not be less, if there is a bound.
    pub least: Option<f64>,
    /// It must not be more, if there is a bound.
    pub most: Option<f64>,
    /// Whether it may not be equal to `least` either.
    pub above: bool,
    /// Whether it is a whole number.
    pub whole: bool,
}

/// What was read of a model.
#[derive(Clone, Debug)]
pub(crate) enum Reading {
    /// A key was asked for.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "tests compare it with the tables of keys")
    )]
    Key(Path),
    /// A number was read.
    Number(Knob),
}

impl Knob {
    pub(crate) fn new(path: Path, label: String) -> Self {
        Self {
            path,
            label,
            value: 0.0,
            unit: "1",
            least: None,
            most: None,
            above: false,
            whole: false,
        }
    }

    pub(crate) fn number(self, value: f64, unit: Unit, bound: Bound) -> Self {
        Self {
            value,
            unit: unit.symbol(),
            least: (bound != Bound::Finite).then_some(0.0),
            above: bound == Bound::Positive,
            ..self
        }
    }

    pub(crate) fn count(self, value: usize, range: &RangeInclusive<usize>) -> Self {
        let most = (*range.end() != usize::MAX).then_some(*range.end() as f64);
        Self {
            value: value as f64,
            least: Some(*range.start() as f64),
            most,
            whole: true,
            ..self
        }
    }
}
