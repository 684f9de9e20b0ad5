//! One case: a run, and what the table has of it.
use super::{CaseRow, Plan, measure::Measuring};
use holonomy::simulation::{Observer, Sample, Simulation, run_together};
use holonomy_model::Model;
use holonomy_report::{
    run::{Recording, SecondLook, conclude},
    summary::Summary,
    verdict::{Evidence, Subject, Verdict},
};
use std::{
    io,
    ops::{ControlFlow, Range},
    sync::atomic::{AtomicBool, Ordering},
};

/// Figures that every case has.
pub(super) const FIGURES: [&str; 12] = [
    "steps",
    "t_end",
    "energy.initial",
    "energy.final",
    "energy.max_error",
    "energy.drift",
    "momentum.max_error",
    "manifold.max_error",
    "constraint.max_error",
    "path.max_share",
    "lyapunov",
    "lyapunov.error",
];

/// Cases that are run side by side, where they differ in their start alone: several groups of lanes, or one where cases
/// are long, since what is cut off in the middle is lost.
const BATCH: u64 = 64;
const LONG_BATCH: u64 = 8;
/// Steps from which a case is long.
const LONG: u64 = 100_000;

/// A case on its way.
struct Started<'m> {
    case: u64,
    model: Model,
    recording: Recording,
    measuring: Measuring<'m>,
}

impl Plan {
    /// Runs some cases, and gives them to `take` in their order; fewer if it is stopped.
    pub(super) fn run_some(
        &self,
        cases: Range<u64>,
        stop: &AtomicBool,
        take: &mut dyn FnMut(CaseRow) -> io::Result<()>,
    ) -> io::Result<()> {
        let width = match self.share_a_mechanism() {
            true if self.model.schedule.steps < LONG => BATCH,
            true => LONG_BATCH,
            false => 1,
        };
        let mut first = cases.start;
        while first < cases.end && !stop.load(Ordering::Relaxed) {
            let end = cases.end.min(first + width);
            for row in self.run_together(first..end, stop) {
                take(row)?;
            }
            first = end;
        }
        Ok(())
    }

    /// Runs one case; `None` if it is stopped.
    pub fn run(&self, case: u64, stop: &AtomicBool) -> Option<CaseRow> {
        self.run_together(case..case + 1, stop).pop()
    }

    /// Whether all cases differ in their start alone.
    fn share_a_mechanism(&self) -> bool {
        self.axes.iter().all(|axis| self.model.only_starts(&axis.key))
    }

    /// Runs cases side by side; none of them if it is stopped.
    fn run_together(&self, cases: Range<u64>, stop: &AtomicBool) -> Vec<CaseRow> {
        let mut rows: Vec<Option<CaseRow>> = Vec::new();
        let mut started = Vec::new();
        for case in cases {
            match self.at(&self.settings(case)) {
                Ok(model) => {
                    started.push(Started {
                        case,
                        model,
                        recording: Recording::default(),
                        measuring: Measuring::new(&self.measures),
                    });
                    rows.push(None);
                }
                Err(error) => rows.push(Some(self.refused(case, error.to_string()))),
            }
        }
        let mut simulations: Vec<Simulation> = started.iter().map(|case| case.model.simulation()).collect();
        let mut stopping: Vec<Stopping> = started.iter().map(|_| Stopping(stop)).collect();
        let results = match started.first() {
            None => Vec::new(),
            Some(first) => {
                let schedule = first.model.schedule;
                let mut observers: Vec<[&mut dyn Observer; 3]> = started
                    .iter_mut()
                    .zip(&mut stopping)
                    .map(|(case, stopping)| -> [&mut dyn Observer; 3] {
                        [&mut case.recording, &mut case.measuring, stopping]
                    })
                    .collect();
                let observers = observers.iter_mut().map(|three| &mut three[..]);
                run_together(&mut simulations, &schedule, observers)
            }
        };
        if stop.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let mut ended = started.into_iter().zip(simulations).zip(results);
        let second = SecondLook {
            effort: self.effort,
            go_on: &|| !stop.load(Ordering::Relaxed),
        };
        let rows = rows.into_iter().filter_map(|row| {
            row.or_else(|| {
                let ((case, simulation), result) = ended.next()?;
                let Started {
                    case,
                    model,
                    recording,
                    measuring,
                } = case;
                let outcome = conclude(&model, "", simulation, recording, result, f64::NAN, &second);
                Some(self.row(case, &model, outcome.summary, measuring))
            })
        });
        rows.collect()
    }

    fn refused(&self, case: u64, message: String) -> CaseRow {
        let results = FIGURES.len() + self.measures.len() + self.ends().len();
        CaseRow {
            case,
            numbers: vec![None; results],
            words: vec!["refused".to_owned(), "not tested".to_owned(), message],
        }
    }

    /// What the table has of a case that was run.
    fn row(&self, case: u64, model: &Model, summary: Summary, measuring: Measuring) -> CaseRow {
        let mut numbers = figures(&summary);
        numbers.extend(measuring.values());
        numbers.extend(self.end_of(model, &summary));
        let certificate = &summary.certificate;
        let path = certificate.line(&Subject::Path).map(|line| line.verdict);
        let path = match path {
            Some(verdict) if verdict != Verdict::Neutral => word(verdict),
            _ => "not tested",
        };
        let warnings = summary.warnings.first().map(|warning| warning.describe());
        let structure = match &summary.error {
            Some(_) => "failed",
            None => word(certificate.conclusion.structure),
        };
        CaseRow {
            case,
            numbers,
            words: vec![
                structure.to_owned(),
                path.to_owned(),
                summary.error.or(warnings).unwrap_or_default(),
            ],
        }
    }

    /// Coordinates and velocities at the end; nothing where a case has others.
    fn end_of(&self, model: &Model, summary: &Summary) -> Vec<Option<f64>> {
        let names = self.ends();
        let system = model.mechanism.system();
        let layout = system.layout();
        let own = layout.coordinates.iter().chain(layout.velocities.iter());
        if !own.map(|name| format!("final.{name}")).eq(names.iter().cloned()) {
            return vec![None; names.len()];
        }
        let last = &summary.final_state;
        let mut velocity = vec![0.0; last.p.len()];
        system.velocity(last.t, &last.q, &last.p, &mut velocity, &mut system.scratch());
        let q = layout.reported(&last.q);
        q.iter().chain(&velocity).map(|value| finite(*value)).collect()
    }
}

/// Ends a run from outside.
struct Stopping<'a>(&'a AtomicBool);

impl Observer for Stopping<'_> {
    fn observe(&mut self, _: &Sample) -> ControlFlow<()> {
        match self.0.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Good => "good",
        Verdict::Doubtful => "doubtful",
        Verdict::Bad => "bad",
        Verdict::Neutral => "neutral",
    }
}

pub(super) fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

/// The figures of [`FIGURES`].
fn figures(summary: &Summary) -> Vec<Option<f64>> {
    let certificate = &summary.certificate;
    let share = match certificate.line(&Subject::Path).map(|line| &line.evidence) {
        Some(Evidence::Path(path)) => finite(path.largest.share),
        _ => None,
    };
    let growth = match certificate
        .line(&Subject::Predictability)
        .map(|line| &line.evidence)
    {
        Some(Evidence::Growth(growth)) => Some((growth.exponent.value, growth.error.value)),
        _ => None,
    };
    let energy = &summary.energy;
    let error = match (&summary.balance, summary.driven) {
        (Some(balance), true) => Some(balance.max_abs_error),
        (None, true) => None,
        _ => Some(
            certificate
                .largest(&Subject::Energy)
                .unwrap_or(energy.max_abs_error),
        ),
    };
    let drift = match (&summary.balance, summary.driven) {
        (Some(balance), true) => balance.drift_per_second,
        _ => energy.drift_per_second,
    };
    vec![
        Some(summary.steps as f64),
        finite(summary.t_end),
        finite(energy.initial),
        finite(energy.last),
        error.and_then(finite),
        drift.and_then(finite),
        summary.momentum_error().and_then(finite),
        summary
            .manifold
            .as_ref()
            .and_then(|manifold| finite(manifold.max_error)),
        summary
            .constraints
            .as_ref()
            .and_then(|constraints| finite(constraints.max_error)),
        share,
        growth.and_then(|(value, _)| finite(value)),
        growth.and_then(|(_, error)| finite(error)),
    ]
}
