//! What the verdicts on a run come to, as data.
use super::{
    Evidence, Judgement, Promise, Quantity, Reason, Subject, Trial, Unmeasured, Verdict,
    written::WrittenConclusion,
};
use serde::{Deserialize, Serialize};

/// What all of it comes to. Written with its words beside the data; read back from the data alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "WrittenConclusion", from = "WrittenConclusion")]
pub struct Conclusion {
    /// How the run stands: the worse of its structure and its path.
    pub verdict: Verdict,
    /// The method that ran.
    pub method: String,
    /// How long the run lasted.
    pub lasted: Quantity,
    /// When it was stopped, if it was.
    pub stopped: Option<Quantity>,
    /// Was the structure conserved?
    pub structure: Verdict,
    /// What decided that.
    pub grounds: Grounds,
    /// How far is the path from the true one, and until when?
    pub path: Judgement,
    /// How far ahead can any path be known?
    pub outlook: Judgement,
    /// What was tried on this model and was better; nothing is tried where nothing is wrong.
    pub better: Vec<Trial>,
}

/// What decided a conclusion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Grounds {
    /// The run failed.
    Failed {
        /// Where and why.
        message: String,
    },
    /// The energy is off by as much as there is in motion.
    WrongEnergy {
        /// The error.
        error: Quantity,
        /// What is in motion.
        in_motion: Quantity,
    },
    /// The energy changes by something else than the work that was done.
    Unbalanced {
        /// Largest |E − E₀ − W|.
        error: Quantity,
        /// Energy that went in or out.
        throughput: Quantity,
    },
    /// Promises were broken.
    BrokenPromises {
        /// Which.
        subjects: Vec<Subject>,
    },
    /// An energy that nothing was promised of drifts far.
    Drift {
        /// How far.
        total: Quantity,
        /// The part of what is in motion.
        share: Quantity,
    },
    /// Other things that nothing was promised of changed much.
    Lost {
        /// Which.
        subjects: Vec<Subject>,
    },
    /// What was promised shows a coarse step.
    Coarse {
        /// Where.
        subjects: Vec<Subject>,
    },
    /// What was not promised is lost slowly.
    Slow {
        /// What.
        subjects: Vec<Subject>,
    },
    /// A conventional method, small errors.
    SmallErrors,
    /// Nothing that was promised could be checked.
    NothingToCheck,
    /// Promises hold.
    Held {
        /// Those that were given.
        promised: Vec<Subject>,
        /// What holds without one.
        besides: Vec<Subject>,
    },
}

impl Default for Conclusion {
    fn default() -> Self {
        let unknown = |subject: Subject| Judgement {
            subject,
            promise: Promise::Inapplicable,
            evidence: Evidence::Missing {
                why: Unmeasured::NotAsked,
            },
            verdict: Verdict::Neutral,
            reason: Reason::Unknown,
        };
        Self {
            verdict: Verdict::Neutral,
            method: String::new(),
            lasted: Quantity::new(0.0, "s"),
            stopped: None,
            structure: Verdict::Neutral,
            grounds: Grounds::NothingToCheck,
            path: unknown(Subject::Path),
            outlook: unknown(Subject::Predictability),
            better: Vec::new(),
        }
    }
}
