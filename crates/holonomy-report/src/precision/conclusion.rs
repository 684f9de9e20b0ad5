//! Who wins: the least work for an error, read off the curves.
use super::{MethodCurve, Precision, PrecisionRun};
use crate::number::rough;
use holonomy::math;
use serde::Serialize;

/// Which error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
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
pub struct Winner<'a> {
    /// Its name.
    pub method: &'a str,
    /// Whether it preserves structure.
    pub geometric: bool,
    /// Its work.
    pub work: f64,
    /// The best method of the other kind, and its work.
    pub other: Option<(&'a str, f64)>,
}

/// Errors that a conclusion is drawn for, the most exact first.
const TARGETS: [f64; 6] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1];

impl PrecisionRun {
    fn error_of(&self, error: ErrorKind) -> Option<f64> {
        let value = match error {
            ErrorKind::State => self.error,
            ErrorKind::Energy => self.energy_error,
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

impl MethodCurve {
    /// Points of a diagram: work and error, of the runs that reached the end.
    pub fn diagram(&self, error: ErrorKind, cost: Cost) -> Vec<(f64, f64)> {
        let point = |point: &PrecisionRun| Some((point.cost(cost), point.error_of(error)?));
        self.points.iter().filter_map(point).collect()
    }

    /// The work after which the error stays at or below the target, by interpolation on logarithmic axes; `None` if
    /// the last point is above it. One that is below it from its first point on counts with that point.
    pub fn work_for(&self, target: f64, error: ErrorKind, cost: Cost) -> Option<f64> {
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
        let fall = math::ln(above) - math::ln(first.1.max(f64::MIN_POSITIVE));
        let share = (math::ln(above) - math::ln(target)) / fall;
        Some(math::exp(
            math::ln(work) + share * (math::ln(first.0) - math::ln(work)),
        ))
    }
}

impl Precision {
    /// The method that needs the least work for an error; `None` if no method is so exact.
    pub fn winner(&self, target: f64, error: ErrorKind, cost: Cost) -> Option<Winner<'_>> {
        let best = |geometric: Option<bool>| {
            let of_kind = |curve: &&MethodCurve| geometric.is_none_or(|kind| curve.geometric == kind);
            let all = self.curves.iter().filter(of_kind).filter_map(|curve| {
                let work = curve.work_for(target, error, cost)?;
                Some((curve.method.as_str(), curve.geometric, work))
            });
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
    pub fn target(&self, error: ErrorKind) -> Option<f64> {
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
        let Some(state) = self.clauses(ErrorKind::State) else {
            return "No method comes near the true state with the steps tried.".to_owned();
        };
        let energy = self
            .conservative
            .then(|| self.clauses(ErrorKind::Energy))
            .flatten();
        match energy {
            Some(energy) => format!("{state}; {energy}."),
            None => format!("{state}."),
        }
    }

    fn clauses(&self, error: ErrorKind) -> Option<String> {
        let target = self.target(error)?;
        let effort = self.winner(target, error, Cost::Evaluations)?;
        let time = self.winner(target, error, Cost::Seconds)?;
        let aim = match error {
            ErrorKind::State => format!(
                "For an error of {} in the state at t = {} s",
                decade(target),
                rough(self.t_end)
            ),
            ErrorKind::Energy => format!("for one of {} in the energy", decade(target)),
        };
        let evaluations = format!("{}{}", rough(effort.work.round()), second(effort, "many"));
        let milliseconds = format!("{} ms{}", rough(1e3 * time.work), second(time, "much"));
        let [first, other] = [effort, time].map(kind);
        Some(if effort.method == time.method {
            format!(
                "{aim} {first} needs the fewest force evaluations ({evaluations}) and the least time ({milliseconds})"
            )
        } else {
            format!(
                "{aim} {first} needs the fewest force evaluations ({evaluations}), {other} the least time ({milliseconds})"
            )
        })
    }
}

/// A power of ten.
fn decade(value: f64) -> String {
    rough(value).replace("1.00×", "")
}

/// The winner, and of what kind it is.
fn kind(winner: Winner<'_>) -> String {
    let kind = if winner.geometric {
        "geometric"
    } else {
        "conventional"
    };
    format!("the {kind} `{}`", winner.method)
}

/// The best of the other kind.
fn second(winner: Winner<'_>, word: &str) -> String {
    let kind = if winner.geometric {
        "conventional"
    } else {
        "geometric"
    };
    match winner.other {
        Some((other, work)) => {
            let ratio = rough(work / winner.work);
            format!("; the best {kind} one, `{other}`, {ratio} times as {word}")
        }
        None => format!("; no {kind} one is so exact"),
    }
}
