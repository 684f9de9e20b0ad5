//! One case: a run, and what the table has of it.
use super::{CaseRow, Plan, measure::Measuring, trajectory::Trajectories};
use holonomy::simulation::{Observer, Sample};
use holonomy_model::Model;
use holonomy_report::{
    run::{Recording, SecondLook, conclude},
    summary::Summary,
    verdict::{Evidence, Subject, Verdict},
};
use std::{
    io,
    ops::ControlFlow,
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

impl Plan {
    /// Runs one case, and writes its trajectory if that is wanted; nothing if it was stopped.
    pub(super) fn run(
        &self,
        case: u64,
        kept: Option<&Trajectories>,
        stop: &AtomicBool,
    ) -> io::Result<Option<CaseRow>> {
        let settings = self.settings(case);
        let results = FIGURES.len() + self.measures.len() + self.ends().len();
        let refused = |message: String| CaseRow {
            case,
            numbers: vec![None; results],
            words: vec!["refused".to_owned(), "not tested".to_owned(), message],
        };
        let model = match self.at(&settings) {
            Ok(model) => model,
            Err(error) => return Ok(Some(refused(error.to_string()))),
        };
        let mut simulation = model.simulation();
        let mut recording = Recording::default();
        let mut measuring = Measuring::new(&self.measures);
        let mut file = kept.map(|kept| kept.begin(case, &model)).transpose()?;
        let mut recorder = file.as_mut().map(|file| file.recorder(&model));
        let mut stopping = Stopping(stop);
        let mut observers: Vec<&mut dyn Observer> = vec![&mut recording, &mut measuring, &mut stopping];
        observers.extend(recorder.as_mut().map(|recorder| recorder as &mut dyn Observer));
        let result = simulation.run(&model.schedule, &mut observers);
        recorder.map_or(Ok(()), |recorder| recorder.end(&simulation))?;
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        file.map_or(Ok(()), |file| file.finish())?;
        let second = SecondLook {
            effort: self.effort,
            go_on: &|| !stop.load(Ordering::Relaxed),
        };
        let summary = conclude(&model, "", simulation, recording, result, f64::NAN, &second).summary;
        let mut numbers = figures(&summary);
        numbers.extend(measuring.values());
        numbers.extend(self.end_of(&model, &summary));
        let certificate = &summary.certificate;
        let path = certificate.line(&Subject::Path).map(|line| line.verdict);
        let path = match path {
            Some(verdict) if verdict != Verdict::Neutral => word(verdict),
            _ => "not tested",
        };
        let warnings = summary.warnings.first().map(|warning| warning.describe());
        Ok(Some(CaseRow {
            case,
            numbers,
            words: vec![
                match &summary.error {
                    Some(_) => "failed",
                    None => word(certificate.conclusion.structure),
                }
                .to_owned(),
                path.to_owned(),
                summary.error.or(warnings).unwrap_or_default(),
            ],
        }))
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
