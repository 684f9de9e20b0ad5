//! Judgements and conclusions as they are written: words for people first, and the data that they come from.
use super::{Chaos, Conclusion, Evidence, Grounds, Judgement, Promise, Quantity, Reason, Subject, Verdict};
use serde::{Deserialize, Serialize};

/// A judgement as it is written: its words first, for people and for programs that only show them.
#[derive(Serialize, Deserialize)]
pub(super) struct WrittenJudgement {
    #[serde(skip_deserializing)]
    subject: String,
    #[serde(skip_deserializing)]
    promised: String,
    #[serde(skip_deserializing)]
    measured: String,
    verdict: Verdict,
    #[serde(skip_deserializing)]
    word: String,
    about: Subject,
    promise: Promise,
    evidence: Evidence,
    reason: Reason,
}

impl From<Judgement> for WrittenJudgement {
    fn from(judgement: Judgement) -> Self {
        Self {
            subject: judgement.subject.to_string(),
            promised: judgement.promised(),
            measured: judgement.measured(),
            verdict: judgement.verdict,
            word: judgement.word().to_owned(),
            about: judgement.subject,
            promise: judgement.promise,
            evidence: judgement.evidence,
            reason: judgement.reason,
        }
    }
}

impl From<WrittenJudgement> for Judgement {
    fn from(written: WrittenJudgement) -> Self {
        Self {
            subject: written.about,
            promise: written.promise,
            evidence: written.evidence,
            verdict: written.verdict,
            reason: written.reason,
        }
    }
}

/// A conclusion as it is written, with the keys of a judgement.
#[derive(Serialize, Deserialize)]
pub(super) struct WrittenConclusion {
    #[serde(skip_deserializing)]
    subject: &'static str,
    #[serde(skip_deserializing)]
    promised: &'static str,
    #[serde(skip_deserializing)]
    measured: String,
    verdict: Verdict,
    #[serde(skip_deserializing)]
    word: &'static str,
    method: String,
    better: String,
    lasted: Quantity,
    driven: bool,
    stopped: Option<Quantity>,
    grounds: Grounds,
    chaos: Option<Chaos>,
}

impl From<Conclusion> for WrittenConclusion {
    fn from(conclusion: Conclusion) -> Self {
        Self {
            subject: "whole",
            promised: "",
            measured: conclusion.to_string(),
            word: conclusion.word(),
            verdict: conclusion.verdict,
            method: conclusion.method,
            better: conclusion.better,
            lasted: conclusion.lasted,
            driven: conclusion.driven,
            stopped: conclusion.stopped,
            grounds: conclusion.grounds,
            chaos: conclusion.chaos,
        }
    }
}

impl From<WrittenConclusion> for Conclusion {
    fn from(written: WrittenConclusion) -> Self {
        Self {
            verdict: written.verdict,
            method: written.method,
            better: written.better,
            lasted: written.lasted,
            driven: written.driven,
            stopped: written.stopped,
            grounds: written.grounds,
            chaos: written.chaos,
        }
    }
}
