//! The words of verdicts. Nobody reads them but people.
mod conclusion;
mod path;

pub use conclusion::Answer;

use super::{
    Drift, DriftKind, Evidence, ForceRange, Judgement, Promise, Quantity, Reason, Subject, Unmeasured,
    Verdict,
};
use crate::number::{rough, uncertain};
use std::fmt;

/// Why an energy is not conserved.
pub const NOT_CONSERVED: &str = "forces act, or something depends on time";

/// Sources that a sentence can hold.
const MOST_SOURCES: usize = 8;

impl Verdict {
    /// A name without blanks.
    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Doubtful => "doubtful",
            Self::Bad => "bad",
            Self::Neutral => "neutral",
        }
    }

    /// A sign that differs in shape too.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Good => "✓",
            Self::Doubtful => "!",
            Self::Bad => "✗",
            Self::Neutral => "–",
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&rough(self.value))?;
        match self.unit.as_ref() {
            "" => Ok(()),
            unit => write!(f, " {unit}"),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::End => "end of the run",
            Self::Energy => "energy",
            Self::Momentum { name } => name,
            Self::UnitLength => "unit length",
            Self::Constraints => "constraints",
            Self::ConstraintForces => "constraint forces",
            Self::Form => "symplectic form",
            Self::Order => "order",
            Self::Reversal => "reversal",
            Self::Kinks => "kinks",
            Self::Path => "path",
            Self::Predictability => "predictability",
            Self::Cost => "cost",
        })
    }
}

impl Drift {
    /// What it is in words, where it is no drift.
    pub fn words(&self) -> &'static str {
        match self.kind {
            // One chance in twenty is nothing to point at; more is said, and is not enough for a drift.
            DriftKind::Zero if self.slope.value.abs() > 2.0 * self.standard_error.value => {
                "not told from zero: within four of its errors"
            }
            DriftKind::Zero => "zero within its error",
            DriftKind::Rounding => "below rounding",
            DriftKind::Swing => "told from zero, and less than half the error over this run",
            DriftKind::Returns => "a slow swing: it does not go on in five times the time",
            DriftKind::Term => "the growing h² term of what the steps conserve",
            DriftKind::Real => "",
        }
    }

    /// The slope with its standard error and unit.
    pub fn number(&self) -> String {
        let slope = uncertain(self.slope.value, self.standard_error.value);
        format!("{slope} {}", self.slope.unit)
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.number())?;
        match self.words() {
            "" => Ok(()),
            words => write!(f, ", {words}"),
        }?;
        if let Some(change) = &self.modified {
            write!(f, "; E + h²H₂ changed by {change}, E by {}", self.total)?;
        }
        match &self.longer {
            Some(longer) => write!(f, "; largest error in five times the time {longer}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for ForceRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} … {}", self.name, rough(self.least.value), self.largest)
    }
}

/// How a quantity changes: what is printed of its two ends may be the same.
fn change(initial: &Quantity, last: &Quantity) -> String {
    let by = Quantity {
        value: last.value - initial.value,
        ..initial.clone()
    };
    format!("changed by {by}, {initial} at the start")
}

impl Judgement {
    /// What the method promises; empty where it could promise nothing.
    pub fn promised(&self) -> String {
        let text = match (self.promise, &self.subject) {
            (Promise::Inapplicable, _) => "",
            (Promise::Withheld, _) => "nothing",
            (Promise::Given, subject) => match subject {
                Subject::Energy => "bounded",
                Subject::Momentum { .. } => "conserved",
                Subject::UnitLength => "stays on the sphere",
                Subject::Constraints => "satisfied to rounding",
                Subject::Form => "preserved",
                Subject::Reversal => "a step back undoes a step",
                Subject::Order => match &self.evidence {
                    Evidence::Order { declared, .. } => return declared.to_string(),
                    _ => "",
                },
                Subject::End
                | Subject::ConstraintForces
                | Subject::Kinks
                | Subject::Path
                | Subject::Predictability
                | Subject::Cost => "",
            },
        };
        text.to_owned()
    }

    /// What was measured.
    pub fn measured(&self) -> String {
        match &self.evidence {
            Evidence::Failure { message } => format!("failed {message}"),
            Evidence::Stop { at } => format!("stopped at {at}"),
            Evidence::EnergyChange { initial, last } => {
                format!("{}; {NOT_CONSERVED}", change(initial, last))
            }
            Evidence::Balance {
                initial,
                last,
                sources,
                largest,
                throughput,
                in_motion,
                share,
                drift,
            } => {
                let shown = sources.iter().take(MOST_SOURCES);
                let mut work: Vec<String> = shown
                    .map(|source| format!("{} {}", source.name, source.work))
                    .collect();
                if sources.len() > MOST_SOURCES {
                    work.push(format!("{} more", sources.len() - MOST_SOURCES));
                }
                let mut text = format!("{}; work of {}", change(initial, last), work.join(", "));
                text += &format!("; largest |E − E₀ − W| {largest}");
                if let Some(share) = share {
                    text += &match throughput.value >= in_motion.value {
                        true => format!(", {} of the {throughput} that went in and out", rough(*share)),
                        false => format!(", {} of the {in_motion} in motion", rough(*share)),
                    };
                }
                if let Some(drift) = drift.as_ref().filter(|drift| drift.kind == DriftKind::Real) {
                    text += &format!("; drift {drift}");
                }
                text
            }
            Evidence::EnergyError {
                largest,
                in_motion,
                share,
                drift,
            } => {
                let mut text = format!("largest error {largest}");
                if let Some(share) = share {
                    text += &format!(", {} of the {in_motion} in motion", rough(*share));
                }
                text += &match (self.reason, drift) {
                    (Reason::AtRest, _) => "; nothing moves".to_owned(),
                    (_, Some(drift)) => format!("; drift {drift}"),
                    (_, None) => "; too short a run to measure a drift".to_owned(),
                };
                text
            }
            Evidence::MomentumChange { initial, largest, .. } => {
                format!("{initial} at the start, changed by at most {largest}")
            }
            Evidence::Deviation { largest } => match self.subject {
                Subject::UnitLength => format!("largest |1 − q·q| {largest}"),
                Subject::Constraints => format!("largest violation {largest}"),
                Subject::Form => format!("defect of one step {largest}"),
                _ => format!("off by {largest}"),
            },
            Evidence::Forces { ranges, more } => {
                let ranges: Vec<String> = ranges.iter().map(ForceRange::to_string).collect();
                match more {
                    0 => ranges.join("; "),
                    more => format!("{}; and {more} more", ranges.join("; ")),
                }
            }
            Evidence::Order {
                measured: Some(measured),
                ..
            } => format!("{:.2} with steps of {}", measured.order, measured.step),
            Evidence::Order { measured: None, .. } => "not measurable where the run starts".to_owned(),
            Evidence::Kinks(kinks) => kinks.to_string(),
            Evidence::Path(accuracy) => accuracy.to_string(),
            Evidence::Growth(growth) => growth.to_string(),
            Evidence::Cost {
                wall,
                rate,
                iterations,
                adaptive,
            } => {
                let mut text = format!("{wall}, {} steps per second", rough(rate.value));
                if let Some((mean, most)) = iterations {
                    text += &format!("; {mean:.2} iterations per step, at most {most}");
                }
                if let Some((substeps, rejected)) = adaptive {
                    text += &format!("; {substeps} steps of its own, {rejected} rejected");
                }
                text
            }
            Evidence::Missing { why } => self.missing(*why).to_owned(),
        }
    }

    fn missing(&self, why: Unmeasured) -> &'static str {
        match (why, &self.subject) {
            (Unmeasured::AtTheStart, Subject::Reversal) => {
                "the step cannot be taken back where the run starts"
            }
            (Unmeasured::AtTheStart, _) => "could not be measured where the run starts",
            (Unmeasured::TooFewSteps, _) => "not measured: too few steps, or too expensive ones",
            (Unmeasured::NeighbourFails, _) => {
                "not measured: a run that starts beside this one cannot go as far, or becomes the same"
            }
            (Unmeasured::CompanionFails, _) => {
                "not measured: the more exact run to compare it with cannot go as far"
            }
            (Unmeasured::NotResolved, _) => {
                "not told: the step does not resolve the motion, and what grows may be its error"
            }
            (Unmeasured::InFormulas, _) => "not measured: kinks of these formulas are not followed",
            (Unmeasured::NothingMoves, _) => {
                "not measured: where the run starts, and where it ends, nothing moves but by rounding"
            }
            (Unmeasured::OwnSteps, Subject::Kinks) => {
                "there are some; not measured: the method chooses its own steps"
            }
            (Unmeasured::OwnSteps, _) => {
                "not measured: the method chooses its own steps, and takes others beside this path"
            }
            (Unmeasured::NotAsked, _) => "not measured: it was not asked for",
        }
    }

    /// How it stands, in a word or two; empty where it is only reported.
    pub fn word(&self) -> &'static str {
        self.reason.words()
    }
}

impl Reason {
    /// In a word or two; empty for what is only reported.
    pub fn words(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Stopped => "stopped",
            Self::ChangesRightly => "changes, rightly",
            Self::BalancedToRounding => "balanced to rounding",
            Self::Balanced => "balanced",
            Self::BalancedRoughly => "balanced roughly",
            Self::Unbalanced => "not balanced",
            Self::AtRest => "at rest",
            Self::Wrong => "wrong",
            Self::ToRounding => "conserved to rounding",
            Self::BoundedButLarge => "bounded, but large",
            Self::Bounded => "bounded",
            Self::Drifts => "drifts",
            Self::Large => "large",
            Self::NoDriftSeen => "no drift seen",
            Self::Conserved => "conserved",
            Self::NearlyConserved => "nearly conserved",
            Self::Lost => "not conserved",
            Self::OnTheSphere => "on the sphere",
            Self::CloseToTheSphere => "close to the sphere",
            Self::LeavesTheSphere => "leaves the sphere",
            Self::Satisfied => "satisfied",
            Self::NearlySatisfied => "nearly satisfied",
            Self::Violated => "violated",
            Self::Preserved => "preserved",
            Self::PreservedHere => "preserved here",
            Self::Broken => "broken",
            Self::NotPreserved => "not preserved",
            Self::AsDeclared => "as declared",
            Self::HigherHere => "higher here",
            Self::StepTooLarge => "step too large to show it",
            Self::Undone => "undone",
            Self::UndoneHere => "undone here",
            Self::NotUndone => "not undone",
            Self::Resolved => "resolved",
            Self::NotResolved => "not resolved",
            Self::NotCrossed => "not crossed",
            Self::BoundedHere => "bounded in this run",
            Self::FollowsTheMotion => "its mean follows the motion",
            Self::Close => "close to the true one",
            Self::Visible => "visibly off",
            Self::LostLater => "another path in the end",
            Self::LostAtOnce | Self::NotSeen => "not resolved",
            Self::CloseSoFar => "close so far",
            Self::Regular => "no chaos seen",
            Self::Contracting => "errors die out",
            Self::Chaotic => "unpredictable in this run",
            Self::ChaoticLater => "unpredictable later",
            Self::FliesOff => "flies off",
            Self::Unstable => "unstable equilibrium",
            Self::Unknown => "unknown",
            Self::Reported => "",
        }
    }
}
