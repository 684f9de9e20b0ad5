//! Judgements and conclusions as they are written: words for people first, and the data that they come from.
use super::{
    Answer, Conclusion, Evidence, Grounds, Judgement, Promise, Quantity, Reason, Subject, Trial, Verdict,
};
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

/// An answer in words.
#[derive(Default, Serialize, Deserialize)]
struct WrittenAnswer {
    question: String,
    verdict: Verdict,
    text: String,
}

impl From<Answer> for WrittenAnswer {
    fn from(answer: Answer) -> Self {
        Self {
            question: answer.question.to_owned(),
            verdict: answer.verdict,
            text: answer.text,
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
    #[serde(skip_deserializing)]
    answers: Vec<WrittenAnswer>,
    lasted: Quantity,
    stopped: Option<Quantity>,
    structure: Verdict,
    grounds: Grounds,
    path: Judgement,
    outlook: Judgement,
    better: Vec<Trial>,
}

impl From<Conclusion> for WrittenConclusion {
    fn from(conclusion: Conclusion) -> Self {
        Self {
            subject: "whole",
            promised: "",
            measured: conclusion.to_string(),
            word: conclusion.word(),
            verdict: conclusion.verdict,
            answers: conclusion.answers().map(WrittenAnswer::from).into(),
            method: conclusion.method,
            lasted: conclusion.lasted,
            stopped: conclusion.stopped,
            structure: conclusion.structure,
            grounds: conclusion.grounds,
            path: conclusion.path,
            outlook: conclusion.outlook,
            better: conclusion.better,
        }
    }
}

impl From<WrittenConclusion> for Conclusion {
    fn from(written: WrittenConclusion) -> Self {
        Self {
            verdict: written.verdict,
            method: written.method,
            lasted: written.lasted,
            stopped: written.stopped,
            structure: written.structure,
            grounds: written.grounds,
            path: written.path,
            outlook: written.outlook,
            better: written.better,
        }
    }
}
