//! Energy error against cost: long runs of every method with shorter and shorter steps, or tighter tolerances.
//!
//! The error is the largest |E − E₀| on the way over the largest kinetic energy; a period is 2π√(l/g). Every run is a
//! process of its own, `bench/src/precision.rs` or `bench/peers/precision.py`.
use super::{Asked, Effort, Environment, Findings, digits, environment::pinned, program};
use crate::Outcome;
use std::{f64::consts::TAU, process::Command};

/// One system with all its curves.
pub(super) struct Study {
    pub(super) title: &'static str,
    pub(super) periods: f64,
    pub(super) curves: Vec<Curve>,
}

/// One solver: seconds and error of every run that succeeded.
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) points: Vec<(f64, f64)>,
}

/// What the issue compares.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// Ours, structure-preserving.
    Ours,
    /// Fixed steps or Runge–Kutta, ours and others'.
    Conventional,
    /// heyoka.
    Taylor,
}

pub(super) const ACCURACIES: [f64; 8] = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10];

struct System {
    id: &'static str,
    title: &'static str,
    /// Length of a link over g, s².
    square: f64,
    ours: &'static [&'static str],
}

const SYSTEMS: [System; 2] = [
    System {
        id: "pendulum",
        title: "spherical pendulum (A)",
        square: 1.0 / 9.81,
        ours: &[
            "sphere-explicit",
            "sphere-explicit-4",
            "sphere-explicit-6",
            "sphere-explicit-8",
            "sphere-split",
            "sphere-split-4",
            "sphere-split-6",
            "sphere-gauss-8",
            "sphere-gauss-16",
        ],
    },
    System {
        id: "double",
        title: "double spherical pendulum (B)",
        square: 1.0,
        ours: &[
            "sphere-implicit",
            "sphere-implicit-4",
            "sphere-implicit-6",
            "sphere-implicit-8",
            "sphere-gauss-8",
            "sphere-gauss-16",
        ],
    },
];

/// Steps per period, from coarse to fine; a run beyond the patience ends the ladder. RK4 loses the energy with fewer
/// than those of the second ladder.
const LADDER: [f64; 15] = [
    6.0, 8.0, 11.0, 16.0, 23.0, 32.0, 45.0, 64.0, 90.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0,
];
const FINE: [f64; 9] = [64.0, 128.0, 181.0, 256.0, 362.0, 512.0, 1024.0, 2048.0, 4096.0];
const TOLERANCES: [f64; 9] = [1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12, 1e-14];
const TAYLOR: [f64; 10] = [1e-2, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12, 1e-16];
/// SciPy is so slow that it runs a part of the time; its cost and its drift, which is linear, are scaled up.
const SCIPY_PART: f64 = 0.05;
const SCIPY_TOLERANCES: [f64; 4] = [1e-6, 1e-8, 1e-10, 1e-12];
/// Nobody asks for less.
const ENOUGH: f64 = 2e-11;

pub(super) fn study(environment: &Environment, effort: Effort, findings: &mut Findings) -> Outcome {
    for system in &SYSTEMS {
        println!("   {}, {} periods", system.title, effort.periods);
        let study = system.study(environment, effort)?;
        findings.asked.push(study.asked(system.id));
        findings.studies.push(study);
    }
    Ok(())
}

impl System {
    fn study(&self, environment: &Environment, effort: Effort) -> Result<Study, String> {
        let period = TAU * self.square.sqrt();
        let duration = period * effort.periods;
        let mut curves = Vec::new();
        let mut add = |name: String, kind: Kind, points: Vec<(f64, f64)>| {
            match points.is_empty() {
                true => println!("   {name}: not available"),
                false => println!("   {name}: {} runs", points.len()),
            }
            curves.push(Curve { name, kind, points });
        };
        let own = program()?;
        let ours = |method: &str, step: f64, tolerance: &str| {
            let numbers = [&format!("{step:e}"), tolerance, &format!("{duration:e}")];
            let mut command = pinned(&own);
            run(command.args(["precision", self.id, method]).args(numbers))
        };
        for method in self.ours {
            let points = climb(&LADDER, effort, |count| ours(method, period / count, "-"));
            add((*method).to_owned(), Kind::Ours, points);
        }
        let points = climb(&FINE, effort, |count| ours("rk4", period / count, "-"));
        add("rk4".to_owned(), Kind::Conventional, points);
        // A method that chooses its steps is sampled ten times a period, by its own interpolation.
        let points = climb(&TOLERANCES, effort, |tolerance| {
            ours("dop853", period / 10.0, &format!("{tolerance:e}"))
        });
        add("dop853".to_owned(), Kind::Conventional, points);

        let peer = |who: &str, setting: f64, duration: f64| {
            let [setting, duration] = [setting, duration].map(|x| format!("{x:e}"));
            environment
                .peer(&["precision", self.id, who, &setting, &duration])
                .ok()
                .and_then(|mut command| run(&mut command))
        };
        let points = climb(&FINE, effort, |count| peer("numba-rk4", period / count, duration));
        add("numba RK4".to_owned(), Kind::Conventional, points);
        let points = climb(&TAYLOR, effort, |tolerance| peer("heyoka", tolerance, duration));
        add("heyoka".to_owned(), Kind::Taylor, points);
        let part = |(seconds, error)| (seconds / SCIPY_PART, error / SCIPY_PART);
        let patient = Effort {
            patience: f64::INFINITY,
            ..effort
        };
        let points = climb(&SCIPY_TOLERANCES, patient, |tolerance| {
            peer("scipy-dop853", tolerance, duration * SCIPY_PART).map(part)
        });
        add("SciPy DOP853".to_owned(), Kind::Conventional, points);
        Ok(Study {
            title: self.title,
            periods: effort.periods,
            curves,
        })
    }
}

/// Runs one setting after the other until one takes too long or is exact enough. Settings that fail at the
/// coarse end are passed over.
fn climb(
    settings: &[f64],
    effort: Effort,
    mut run: impl FnMut(f64) -> Option<(f64, f64)>,
) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for setting in settings.iter().step_by(effort.stride) {
        let Some(point) = run(*setting) else { continue };
        points.push(point);
        if point.0 > effort.patience || point.1 < ENOUGH {
            break;
        }
    }
    points
}

/// `SECONDS ERROR`, if that is what the process says.
fn run(command: &mut Command) -> Option<(f64, f64)> {
    let output = command.output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut numbers = text.split_whitespace().map(|word| word.parse::<f64>());
    match (numbers.next(), numbers.next()) {
        (Some(Ok(seconds)), Some(Ok(error))) => Some((seconds, error)),
        _ => None,
    }
}

impl Curve {
    /// The least cost of an accuracy: of a run that has it, or between one that has it and one that has not.
    pub(super) fn cost(&self, accuracy: f64) -> Option<f64> {
        let enough = |point: &&(f64, f64)| point.1 <= accuracy;
        let mut best = self
            .points
            .iter()
            .filter(enough)
            .map(|point| point.0)
            .reduce(f64::min);
        for pair in self.points.windows(2) {
            let [(c1, e1), (c2, e2)] = [pair[0], pair[1]];
            if e1 > accuracy && e2 < accuracy && c2 > c1 {
                let part = (e1 / accuracy).ln() / (e1 / e2).ln();
                let cost = c1 * (c2 / c1).powf(part);
                best = Some(best.map_or(cost, |best| best.min(cost)));
            }
        }
        best
    }
}

impl Study {
    /// The cheapest of some curves for an accuracy.
    pub(super) fn best(&self, accuracy: f64, fits: impl Fn(Kind) -> bool) -> Option<(&str, f64)> {
        let curves = self.curves.iter().filter(|curve| fits(curve.kind));
        let costs = curves.filter_map(|curve| Some((curve.name.as_str(), curve.cost(accuracy)?)));
        costs.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn asked(&self, id: &str) -> Asked {
        let mut lost = Vec::new();
        let mut least = f64::INFINITY;
        for accuracy in ACCURACIES {
            let ours = self.best(accuracy, |kind| kind == Kind::Ours);
            let theirs = self.best(accuracy, |kind| kind == Kind::Conventional);
            match (ours, theirs) {
                (Some((_, ours)), Some((_, theirs))) => {
                    least = least.min(theirs / ours);
                    if ours > theirs {
                        lost.push(format!("{accuracy:e}"));
                    }
                }
                (None, Some(_)) => lost.push(format!("{accuracy:e}")),
                _ => {}
            }
        }
        let measured = match lost.is_empty() {
            true => format!("at all eight accuracies, by {}× or more", digits(least)),
            false => format!("not at {}; least ratio {}×", lost.join(", "), digits(least)),
        };
        Asked {
            row: format!("precision, {id}"),
            words: format!(
                "ours cheaper than every fixed-step and Runge–Kutta solver, 1e-3 to 1e-10 over {} periods",
                self.periods
            ),
            measured,
            met: Some(lost.is_empty()),
        }
    }

    /// Where heyoka is cheaper, in a sentence.
    pub(super) fn conclusion(&self) -> String {
        let cheaper = |accuracy: &&f64| {
            let [ours, taylor] =
                [Kind::Ours, Kind::Taylor].map(|kind| self.best(**accuracy, |other| other == kind));
            taylor.is_some_and(|(_, taylor)| ours.is_none_or(|(_, ours)| taylor < ours))
        };
        let all: Vec<String> = ACCURACIES
            .iter()
            .filter(cheaper)
            .map(|accuracy| format!("{accuracy:e}"))
            .collect();
        match all.is_empty() {
            true => "heyoka is cheaper at none of these accuracies.".to_owned(),
            false => format!("heyoka is cheaper at {}.", all.join(", ")),
        }
    }

    /// Who wins at each accuracy.
    pub(super) fn table(&self) -> String {
        let mut text = String::from(
            "| energy error | ours | s | best fixed-step or Runge–Kutta | s | ours ahead | heyoka, s | ours ahead |\n\
             |---|---|---|---|---|---|---|---|\n",
        );
        for accuracy in ACCURACIES {
            let [ours, theirs, taylor] = [Kind::Ours, Kind::Conventional, Kind::Taylor]
                .map(|kind| self.best(accuracy, |other| other == kind));
            let name =
                |best: Option<(&str, f64)>| best.map_or("–".to_owned(), |best| format!("`{}`", best.0));
            let cost = |best: Option<(&str, f64)>| best.map_or("–".to_owned(), |best| digits3(best.1));
            let ahead = |other: Option<(&str, f64)>| match (ours, other) {
                (Some(ours), Some(other)) => format!("{}×", digits(other.1 / ours.1)),
                _ => "–".to_owned(),
            };
            text += &format!(
                "| {accuracy:e} | {} | {} | {} | {} | {} | {} | {} |\n",
                name(ours),
                cost(ours),
                name(theirs),
                cost(theirs),
                ahead(theirs),
                cost(taylor),
                ahead(taylor),
            );
        }
        text
    }
}

fn digits3(seconds: f64) -> String {
    match seconds {
        x if x >= 1.0 => format!("{x:.2}"),
        x if x >= 0.1 => format!("{x:.3}"),
        x => format!("{x:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(kind: Kind, points: &[(f64, f64)]) -> Curve {
        Curve {
            name: "x".to_owned(),
            kind,
            points: points.to_vec(),
        }
    }

    #[test]
    fn costs_lie_between_runs_and_never_beyond_them() {
        // Error ∝ cost⁻²: 1e-5 costs √10 times what 1e-4 does.
        let line = curve(Kind::Ours, &[(1.0, 1e-4), (10.0, 1e-6)]);
        assert!((line.cost(1e-5).expect("it is between") - 10_f64.sqrt()).abs() < 1e-12);
        assert_eq!(line.cost(1e-3), Some(1.0));
        assert_eq!(line.cost(1e-7), None);
    }

    #[test]
    fn the_cheapest_wins_and_heyoka_is_named_where_it_does() {
        let study = Study {
            title: "test",
            periods: 1.0,
            curves: vec![
                curve(Kind::Ours, &[(1.0, 1e-2), (2.0, 1e-11)]),
                curve(Kind::Conventional, &[(3.0, 1e-12)]),
                curve(Kind::Taylor, &[(1.5, 1e-12)]),
            ],
        };
        assert_eq!(study.asked("test").met, Some(true));
        assert!(study.conclusion().contains("1e-10") && !study.conclusion().contains("1e-3"));
    }
}
