//! The certificate of a run that goes on: the judge of `holonomy-report` over what was seen so far.
//!
//! What is judged over samples is judged every time. What costs steps (form, order, reversal, predictability) is
//! measured when the run has twice as many steps as the last time: a few per cent of its work altogether.
use holonomy::{
    diagnostics::Record,
    simulation::{Observer, RunReport, Sample, Simulation},
};
use holonomy_model::Model;
use holonomy_report::{
    certificate::{Certificate, Effort, Spot},
    series::Series,
    summary::Summary,
    verdict::Subject,
};
use serde::Serialize;

/// What verdicts on a run are made of.
#[derive(Default)]
pub(crate) struct Live {
    record: Record,
    /// Of the curves only those that the judge reads: the multipliers.
    series: Series,
    spot: Spot,
    /// Steps of the run when the spot checks were made.
    spot_at: Option<u64>,
}

/// A certificate in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Words {
    /// In a word or two.
    word: &'static str,
    tone: &'static str,
    answers: Vec<Answered>,
    rows: Vec<Row>,
}

/// One of the three questions.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Answered {
    question: &'static str,
    tone: &'static str,
    text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Row {
    what: String,
    promised: String,
    measured: String,
    verdict: &'static str,
    tone: &'static str,
}

/// Multipliers that are named in a row.
const MOST_FORCES: usize = 6;
/// Entries of q up to which steps are taken to judge by: of larger systems they would hold up the page.
const MOST_ENTRIES: usize = 3000;
/// Fewer steps of a run are too few to take more.
const FEWEST: u64 = 50;

impl Live {
    pub(crate) fn take(&mut self, sample: &Sample) {
        let _ = self.record.observe(sample);
        let multipliers = &sample.measured.multipliers;
        let shown = multipliers.len().min(MOST_FORCES);
        self.series.multipliers.resize_with(shown, Default::default);
        for (envelope, multiplier) in self.series.multipliers.iter_mut().zip(multipliers) {
            envelope.push(sample.state.t, *multiplier);
        }
    }

    pub(crate) fn certificate(
        &mut self,
        model: &Model,
        simulation: &mut Simulation,
        failed: Option<&str>,
    ) -> Words {
        let report = RunReport {
            work: *simulation.work(),
            stopped: false,
        };
        let mut summary = Summary::new("", model, simulation, &self.record, &report, f64::NAN);
        summary.error = failed.map(str::to_owned);
        let steps = report.work.steps;
        let due = self.spot_at.map_or(FEWEST, |steps| 2 * steps) <= steps;
        if due && model.state.q.len() <= MOST_ENTRIES {
            self.spot = Spot::measure(model, simulation.integrator(), &summary, Effort::Live, &|| true);
            self.spot_at = Some(steps);
        }
        let certificate = Certificate::judged(model, &summary, &self.series, &self.spot);
        let conclusion = &certificate.conclusion;
        // There is no clock here.
        let lines = certificate
            .lines
            .iter()
            .filter(|line| line.subject != Subject::Cost);
        Words {
            word: conclusion.word(),
            tone: conclusion.verdict.name(),
            answers: (conclusion.answers().into_iter())
                .map(|answer| Answered {
                    question: answer.question,
                    tone: answer.verdict.name(),
                    text: answer.text,
                })
                .collect(),
            rows: lines
                .map(|line| Row {
                    what: line.subject.to_string(),
                    promised: line.promised(),
                    measured: line.measured(),
                    verdict: line.word(),
                    tone: line.verdict.name(),
                })
                .collect(),
        }
    }
}
