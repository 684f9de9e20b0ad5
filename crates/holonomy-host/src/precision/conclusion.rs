//! Who wins: the least work for an error, read off the curves.
use super::{Curve, Point, Precision};
use crate::figures::rough;
use serde::Serialize;

/// Which error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Error {
    /// Of the state at the end.
    State,
    /// Of the energy on the way.
    Energy,
}

/// Which work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cost {
    /// Force evaluations.
    Evaluations,
    /// Wall time, s.
    Seconds,
}

/// The method that needs the least work for an error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Winner {
    /// Its name.
    pub method: &'static str,
    /// Whether it keeps structure.
    pub geometric: bool,
    /// Its work.
    pub work: f64,
    /// The best method of the other kind, and its work.
    pub other: Option<(&'static str, f64)>,
}

/// Errors that a conclusion is drawn for, the most exact first.
const TARGETS: [f64; 6] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1];

impl Point {
    fn error_of(&self, error: Error) -> Option<f64> {
        let value = match error {
            Error::State => self.error,
            Error::Energy => self.energy_error,
        };
        value.filter(|value| value.is_finite())
    }

    fn cost(&self, cost: Cost) -> f64 {
        match cost {
            Cost::Evaluations => self.evaluations as f64,
            Cost::Seconds => self.seconds,
        }
    }
}

impl Curve {
    /// Points of a diagram: work and error, of the runs that reached the end.
    pub fn diagram(&self, error: Error, cost: Cost) -> Vec<(f64, f64)> {
        let point = |point: &Point| Some((point.cost(cost), point.error_of(error)?));
        self.points.iter().filter_map(point).collect()
    }

    /// The work after which the error stays at or below the target, by interpolation on logarithmic axes; `None` if
    /// the last point is above it. One that is below it from its first point on counts with that point.
    pub fn work_for(&self, target: f64, error: Error, cost: Cost) -> Option<f64> {
        let points = self.diagram(error, cost);
        let below = points
            .iter()
            .rev()
            .take_while(|(_, error)| *error <= target)
            .count();
        let first = *points.get(points.len().checked_sub(below)?)?;
        let Some(&(work, above)) = points.len().checked_sub(below + 1).and_then(|k| points.get(k)) else {
            return Some(first.0);
        };
        // An error of zero has no logarithm.
        let fall = above.ln() - first.1.max(f64::MIN_POSITIVE).ln();
        let share = (above.ln() - target.ln()) / fall;
        Some((work.ln() + share * (first.0.ln() - work.ln())).exp())
    }
}

impl Precision {
    /// The method that needs the least work for an error; `None` if no method is so exact.
    pub fn winner(&self, target: f64, error: Error, cost: Cost) -> Option<Winner> {
        let best = |geometric: Option<bool>| {
            let of_kind = |curve: &&Curve| geometric.is_none_or(|kind| curve.geometric == kind);
            let worked = |curve: &'_ Curve| {
                let work = curve.work_for(target, error, cost)?;
                Some((curve.method, curve.geometric, work))
            };
            let all = self.curves.iter().filter(of_kind).filter_map(worked);
            all.min_by(|a, b| a.2.total_cmp(&b.2))
        };
        let (method, geometric, work) = best(None)?;
        let other = best(Some(!geometric)).map(|(method, _, work)| (method, work));
        Some(Winner {
            method,
            geometric,
            work,
            other,
        })
    }

    /// The smallest error of a state or energy, by decades from 1e-6 up, that methods of both kinds reach; if one
    /// kind never does, the smallest that any reaches.
    pub fn target(&self, error: Error) -> Option<f64> {
        let reached = |both: bool| {
            let good = |target: &&f64| {
                let winner = self.winner(**target, error, Cost::Evaluations);
                winner.is_some_and(|winner| !both || winner.other.is_some())
            };
            TARGETS.iter().find(good).copied()
        };
        reached(true).or_else(|| reached(false))
    }

    /// What the diagrams say, in a sentence.
    pub fn conclusion(&self) -> String {
        let Some(state) = self.clauses(Error::State) else {
            return "No method comes near the true state with the steps tried.".to_owned();
        };
        let energy = self.conservative.then(|| self.clauses(Error::Energy)).flatten();
        match energy {
            Some(energy) => format!("{state}; {energy}."),
            None => format!("{state}."),
        }
    }

    fn clauses(&self, error: Error) -> Option<String> {
        let target = self.target(error)?;
        let effort = self.winner(target, error, Cost::Evaluations)?;
        let time = self.winner(target, error, Cost::Seconds)?;
        let aim = match error {
            Error::State => format!(
                "For an error of {} in the state at t = {} s",
                rough(target),
                rough(self.t_end)
            ),
            Error::Energy => format!("for an energy error of {} of the energy in motion", rough(target)),
        };
        let tied = effort.method == time.method;
        let mut text = format!(
            "{aim} `{}` needs the fewest force evaluations ({}",
            effort.method,
            rough(effort.work.round())
        );
        text += &match effort.other {
            Some((other, work)) => format!("; {} {}", times(work / effort.work, other), kind(effort)),
            None => format!("; {}", kind(effort)),
        };
        let duration = milliseconds(time.work);
        text += &match (tied, time.other) {
            (true, _) => format!(") and the least time ({duration})"),
            (false, Some((other, work))) => format!(
                ") and `{}` the least time ({duration}; {} {})",
                time.method,
                times(work / time.work, other),
                kind(time)
            ),
            (false, None) => format!(") and `{}` the least time ({duration})", time.method),
        };
        Some(text)
    }
}

/// `1.7 times as many as …`.
fn times(ratio: f64, other: &str) -> String {
    format!("`{other}` {} times as much, the best", rough(ratio))
}

/// What the loser is.
fn kind(winner: Winner) -> &'static str {
    match (winner.geometric, winner.other) {
        (true, Some(_)) => "of the conventional ones",
        (false, Some(_)) => "of those that keep structure",
        (true, None) => "no conventional one is so exact",
        (false, None) => "none that keeps structure is so exact",
    }
}

fn milliseconds(seconds: f64) -> String {
    format!("{} ms", rough(1e3 * seconds))
}
