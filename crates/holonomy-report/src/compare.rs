//! Several methods on one model, side by side.
mod page;

use crate::{
    converge::ConvergeError,
    run::Outcome,
    summary::{Summary, json},
    verdict::{Quantity, Verdict},
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Methods side by side.
pub struct Comparison {
    /// Name of the scenario.
    pub scenario: String,
    /// What it is called, for people.
    pub title: String,
    /// The methods, in the order in which they were asked for.
    pub entries: Vec<Entry>,
}

/// One method of a comparison.
pub struct Entry {
    /// Its name.
    pub method: String,
    /// What it did, or why it did not run. A run that failed on its way has an `error` in its summary.
    pub result: Result<Outcome, NotRun>,
}

/// Why a method did not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRun {
    /// There is no model with this method.
    #[error("{message}{}", help.as_ref().map_or_else(String::new, |help| format!("; {help}")))]
    Refused {
        /// Why not.
        message: String,
        /// What to do about it.
        help: Option<String>,
    },
    /// The comparison was stopped before.
    #[error("not run: stopped before")]
    Stopped,
}

/// Why there is no diagram of work and precision.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoPrecision {
    /// No method ran.
    #[error("no method ran")]
    NothingRan,
    /// The measurement failed.
    #[error(transparent)]
    Measurement(#[from] ConvergeError),
}

/// What a comparison comes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonVerdict {
    /// How the runs stand, together.
    pub verdict: Verdict,
    /// Methods that were asked for.
    pub methods: usize,
    /// Those whose runs can be trusted.
    pub trusted: Vec<String>,
    /// Those whose runs cannot.
    pub untrusted: Vec<String>,
    /// Of several runs to the end, the method with the smallest energy error, and that error.
    pub most_exact: Option<(String, Quantity)>,
    /// And the one that took the least time, and that time.
    pub fastest: Option<(String, Quantity)>,
}

impl Comparison {
    /// The methods that ran.
    pub fn ran(&self) -> impl Iterator<Item = (&str, &Outcome)> {
        let each = self.entries.iter();
        each.filter_map(|entry| Some((entry.method.as_str(), entry.result.as_ref().ok()?)))
    }

    /// What the certificates of the runs come to.
    pub fn verdict(&self) -> ComparisonVerdict {
        let of = |wanted: Verdict| -> Vec<String> {
            let those = self
                .ran()
                .filter(|(_, outcome)| outcome.summary.certificate.conclusion.structure == wanted);
            those.map(|(method, _)| method.to_owned()).collect()
        };
        let trusted = of(Verdict::Good);
        let finished: Vec<(&str, &Summary)> = self
            .ran()
            .map(|(method, outcome)| (method, &outcome.summary))
            .filter(|(_, summary)| summary.error.is_none() && !summary.driven)
            .collect();
        let least = |of: fn(&Summary) -> f64, unit: &'static str| {
            let best = finished.iter().min_by(|a, b| of(a.1).total_cmp(&of(b.1)))?;
            (finished.len() > 1).then(|| (best.0.to_owned(), Quantity::new(of(best.1), unit)))
        };
        ComparisonVerdict {
            verdict: match trusted.len() {
                0 => Verdict::Bad,
                all if all == self.entries.len() => Verdict::Good,
                _ => Verdict::Neutral,
            },
            methods: self.entries.len(),
            untrusted: of(Verdict::Bad),
            most_exact: least(|summary| summary.energy.max_abs_error, "J"),
            fastest: least(|summary| summary.wall_seconds, "s"),
            trusted,
        }
    }

    /// Whether a method ran to the end of what it was asked for.
    pub fn any_succeeded(&self) -> bool {
        let finished = |outcome: &Outcome| outcome.summary.error.is_none();
        self.entries
            .iter()
            .any(|entry| entry.result.as_ref().is_ok_and(finished))
    }

    /// The comparison as JSON text: the summary of every method, or the reason why there is none.
    pub fn to_json(&self) -> String {
        #[derive(Serialize)]
        #[serde(untagged)]
        enum Row<'a> {
            Ran(&'a Summary),
            NotRun { method: &'a str, error: String },
        }
        #[derive(Serialize)]
        struct Table<'a> {
            scenario: &'a str,
            methods: Vec<Row<'a>>,
        }
        let methods = self.entries.iter().map(|entry| match &entry.result {
            Ok(outcome) => Row::Ran(&outcome.summary),
            Err(reason) => Row::NotRun {
                method: &entry.method,
                error: reason.to_string(),
            },
        });
        json(&Table {
            scenario: &self.scenario,
            methods: methods.collect(),
        })
    }
}

impl fmt::Display for ComparisonVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |names: &[String]| -> String {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            names.join(", ")
        };
        match self.trusted.len() {
            0 => write!(f, "None of these runs can be trusted without care.")?,
            all if all == self.methods => write!(f, "All of these runs can be trusted.")?,
            _ => write!(f, "Runs to trust: {}.", quoted(&self.trusted))?,
        }
        if !self.untrusted.is_empty() {
            write!(f, " Not to be trusted: {}.", quoted(&self.untrusted))?;
        }
        if let (Some((exact, error)), Some((fast, time))) = (&self.most_exact, &self.fastest) {
            write!(
                f,
                " With this step `{exact}` has the smallest energy error ({error}) and `{fast}` takes the least time ({time})."
            )?;
        }
        Ok(())
    }
}
