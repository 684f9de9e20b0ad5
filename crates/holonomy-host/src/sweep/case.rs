//! One case: a run, and what the table has of it.
use super::{CaseRow, Plan, measure::Measuring, trajectory::Trajectories};
use holonomy::simulation::{Observer, Sample, Schedule, Simulation, run_together};
use holonomy::system::State;
use holonomy_model::{ChangeError, Model};
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

/// What the table has of an output.
pub(super) const STATISTICS: [&str; 4] = ["min", "max", "mean", "final"];

/// Cases that are run side by side, where they differ in their start alone: several groups of lanes, or one where cases
/// are long, since what is cut off in the middle is lost.
const BATCH: u64 = 64;
const LONG_BATCH: u64 = 8;
/// Steps from which a case is long.
const LONG: u64 = 100_000;

impl Plan {
    /// Cases in rows that are run side by side; few of them where each has a file that is open.
    pub(super) fn batches(&self, cases: Range<u64>, with_files: bool) -> impl Iterator<Item = Range<u64>> {
        let shared = self.axes.iter().all(|axis| self.model.only_starts(&axis.key));
        let width = match (shared, with_files || self.model.schedule.steps >= LONG) {
            (false, _) => 1,
            (true, true) => LONG_BATCH,
            (true, false) => BATCH,
        };
        let end = cases.end;
        cases
            .step_by(width as usize)
            .map(move |first| first..end.min(first + width))
    }

    /// Runs cases side by side, and writes their trajectories if that is wanted; nothing if it was stopped.
    pub(super) fn run_together(
        &self,
        cases: Range<u64>,
        kept: Option<&Trajectories>,
        stop: &AtomicBool,
    ) -> io::Result<Vec<CaseRow>> {
        let mut shared = self.shared(cases.start);
        let made: Vec<(u64, Made)> = cases
            .map(|case| (case, self.made(case, shared.as_ref())))
            .collect();
        let model_of = |made| -> Option<&Model> {
            match made {
                &Made::Refused(_) => None,
                Made::Read(model) => Some(model),
                Made::Started(_) => shared.as_ref(),
            }
        };
        let going: Vec<(u64, &Model)> = made
            .iter()
            .filter_map(|(case, made)| Some((*case, model_of(made)?)))
            .collect();
        let mut simulations: Vec<Simulation> = made
            .iter()
            .filter_map(|(_, made)| {
                let model = model_of(made)?;
                Some(match made {
                    Made::Started(state) => model.simulation_from(state.clone()),
                    _ => model.simulation_from(model.state.clone()),
                })
            })
            .collect();
        let mut recordings: Vec<Recording> = going.iter().map(|(_, model)| Recording::of(model)).collect();
        let mut measurings: Vec<Measuring> = going.iter().map(|_| Measuring::new(&self.measures)).collect();
        let mut stopping: Vec<Stopping> = going.iter().map(|_| Stopping(stop)).collect();
        let mut files = Vec::new();
        if let Some(kept) = kept {
            for (case, model) in &going {
                files.push(kept.begin(*case, model)?);
            }
        }
        let mut recorders: Vec<_> = files
            .iter_mut()
            .zip(&going)
            .map(|(file, (_, model))| file.recorder(model))
            .collect();
        let results = {
            let own = recordings.iter_mut().zip(&mut measurings).zip(&mut stopping);
            let mut observers: Vec<Vec<&mut dyn Observer>> = own
                .map(|((recording, measuring), stopping)| -> Vec<&mut dyn Observer> {
                    vec![recording, measuring, stopping]
                })
                .collect();
            for (observers, recorder) in observers.iter_mut().zip(&mut recorders) {
                observers.push(recorder);
            }
            let observers = observers.iter_mut().map(Vec::as_mut_slice);
            run_together(&mut simulations, &self.schedule_of(&going), observers)
        };
        for (recorder, simulation) in recorders.into_iter().zip(&simulations) {
            recorder.end(simulation)?;
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(Vec::new());
        }
        for file in files {
            file.finish()?;
        }
        let second = SecondLook {
            effort: self.effort,
            go_on: &|| !stop.load(Ordering::Relaxed),
        };
        let mut ended = simulations
            .into_iter()
            .zip(recordings)
            .zip(measurings)
            .zip(results);
        let rows = made.into_iter().filter_map(|(case, made)| {
            let model = match made {
                Made::Refused(error) => return Some(self.refused(case, error.to_string())),
                Made::Read(ref model) => model,
                Made::Started(state) => {
                    let model = shared.as_mut()?;
                    model.state = state;
                    model
                }
            };
            let (((simulation, recording), measuring), result) = ended.next()?;
            let outcome = conclude(model, "", simulation, recording, result, f64::NAN, &second);
            Some(self.row(case, model, outcome.summary, measuring))
        });
        Ok(rows.collect())
    }

    /// The model of cases that differ in their start alone, at one of them.
    fn shared(&self, case: u64) -> Option<Model> {
        self.starts.as_ref()?;
        self.at(&self.settings(case)).ok()
    }

    fn made(&self, case: u64, shared: Option<&Model>) -> Made {
        let settings = self.settings(case);
        let values = || {
            self.axes
                .iter()
                .zip(&settings)
                .map(|(axis, setting)| axis.value(setting))
        };
        let starts = self.starts.as_ref().filter(|_| shared.is_some());
        match starts.and_then(|starts| starts.state(values())) {
            Some(state) => Made::Started(state),
            None => self.at(&settings).map_or_else(Made::Refused, Made::Read),
        }
    }

    /// The schedule of cases that are run together: where there are several, they have the same.
    fn schedule_of(&self, going: &[(u64, &Model)]) -> Schedule {
        going
            .first()
            .map_or(self.model.schedule, |(_, model)| model.schedule)
    }

    fn refused(&self, case: u64, message: String) -> CaseRow {
        CaseRow {
            case,
            numbers: vec![None; self.results().len()],
            words: vec!["refused".to_owned(), "not tested".to_owned(), message],
        }
    }

    /// What the table has of a case that was run.
    fn row(&self, case: u64, model: &Model, summary: Summary, measuring: Measuring) -> CaseRow {
        let mut numbers = figures(&summary);
        numbers.extend(measuring.values());
        for name in self.outputs() {
            let found = summary.outputs.iter().find(|output| output.name == name);
            let four = found.map(|output| [output.min, output.max, output.mean, output.last]);
            numbers.extend(four.unwrap_or([f64::NAN; 4]).map(finite));
        }
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

/// What a case is made from.
#[expect(clippy::large_enum_variant, reason = "there are a few at a time")]
enum Made {
    Refused(ChangeError),
    /// A model of its own.
    Read(Model),
    /// A start of the model that several cases share.
    Started(State),
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
