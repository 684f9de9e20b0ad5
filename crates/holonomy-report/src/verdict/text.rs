//! The words of verdicts. Nobody reads them but people.
use super::{
    Chaos, Conclusion, Drift, DriftKind, Evidence, ForceRange, Grounds, Judgement, Promise, Quantity, Reason,
    Subject, Unmeasured, Verdict,
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
            Self::Predictability => "predictability",
            Self::Cost => "cost",
        })
    }
}

impl DriftKind {
    /// In words, where it is no drift.
    pub fn words(self) -> &'static str {
        match self {
            Self::Zero => "zero within its error",
            Self::Rounding => "below rounding",
            Self::Swing => "a part of the error's slow swings",
            Self::Real => "",
        }
    }
}

impl Drift {
    /// The slope with its standard error and unit.
    pub fn number(&self) -> String {
        let slope = uncertain(self.slope.value, self.standard_error.value);
        format!("{slope} {}", self.slope.unit)
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.number())?;
        match self.kind.words() {
            "" => Ok(()),
            words => write!(f, ", {words}"),
        }
    }
}

impl fmt::Display for ForceRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} … {}", self.name, rough(self.least.value), self.largest)
    }
}

impl Judgement {
    /// What the method promises; empty where it could promise nothing.
    pub fn promised(&self) -> String {
        let text = match (self.promise, &self.subject) {
            (Promise::Inapplicable, _) => "",
            (Promise::Withheld, _) => "nothing",
            (Promise::Given, subject) => match subject {
                Subject::Energy => "bounded, no drift",
                Subject::Momentum { .. } => "conserved",
                Subject::UnitLength => "stays on the sphere",
                Subject::Constraints => "satisfied to rounding",
                Subject::Form => "preserved",
                Subject::Reversal => "a step back undoes a step",
                Subject::Order => match &self.evidence {
                    Evidence::Order { declared, .. } => return declared.to_string(),
                    _ => "",
                },
                Subject::End | Subject::ConstraintForces | Subject::Predictability | Subject::Cost => "",
            },
        };
        text.to_owned()
    }

    /// What was measured.
    pub fn measured(&self) -> String {
        match &self.evidence {
            Evidence::Failure { message } => format!("failed {message}"),
            Evidence::Stop { at } => format!("stopped at {at}"),
            Evidence::EnergyChange { initial, last } => format!("from {initial} to {last}; {NOT_CONSERVED}"),
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
                let mut text = format!("from {initial} to {last}; work of {}", work.join(", "));
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
            Evidence::Separation { distance, after } => format!(
                "two runs that start 10⁻⁹ apart are {distance} apart after {after}: no sign of chaos in that time"
            ),
            Evidence::Divergence(Chaos {
                growth_per_second,
                known_until,
                known_at_best,
            }) => format!(
                "two runs that start 10⁻⁹ apart diverge by a factor of {} per second: positions are known until about \
                 {known_until} with this step, and until about {known_at_best} with any",
                rough(*growth_per_second)
            ),
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
                "not measured: a run that starts beside this one cannot go as far"
            }
            (Unmeasured::ApartAtOnce, _) => {
                "not measured: two runs that start 10⁻⁹ apart are far apart within a few steps"
            }
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
            Self::NoChaosSeen => "no chaos seen",
            Self::Chaotic => "chaotic",
            Self::ChaoticLater => "chaotic later",
            Self::Unknown => "unknown",
            Self::Reported => "",
        }
    }
}

impl Conclusion {
    /// In a word or two.
    pub fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::Good => "trust it",
            Verdict::Doubtful => "with care",
            Verdict::Bad => "do not trust it",
            Verdict::Neutral => "nothing to check",
        }
    }

    fn sentence(&self) -> String {
        let Self {
            method,
            better,
            lasted,
            ..
        } = self;
        match &self.grounds {
            Grounds::Failed { message } => {
                format!("This run failed {message}. What it recorded until then is below.")
            }
            Grounds::WrongEnergy { error, in_motion } => format!(
                "Do not trust this run: the energy is off by {error}, and no more than {in_motion} are in motion. Take a \
                 smaller step."
            ),
            Grounds::BrokenPromises { subjects } => format!(
                "Do not trust this run: `{method}` breaks what it promises of {}. Take a smaller step; if that does not \
                 help, the model or the program is at fault.",
                listed(subjects)
            ),
            Grounds::Drift { total, share } => format!(
                "Do not trust this run: the energy drifts by {total} in {lasted}, {share} of what is in motion. \
                 `{method}` does not promise to conserve it; take a smaller step, or `--method {better}`."
            ),
            Grounds::Lost { subjects } => format!(
                "Do not trust this run: {} changed by more than a hundredth of what there is. `{method}` does not promise \
                 to conserve it; take a smaller step, or `--method {better}`.",
                listed(subjects)
            ),
            Grounds::Coarse { subjects } => format!(
                "Take this run with care: it is stable, but its step is coarse; look at {}. Half the step shows how much it \
                 matters.",
                listed(subjects)
            ),
            Grounds::Slow { subjects } => format!(
                "Take this run with care: over its {lasted} the errors are too small to be seen in a figure, but \
                 `{method}` promises nothing of {}. For longer runs take `--method {better}`.",
                listed(subjects)
            ),
            Grounds::SmallErrors => format!(
                "Trust this run for its {lasted}: all errors stayed below a millionth. `{method}` promises nothing for \
                 longer ones; for these take `--method {better}`."
            ),
            Grounds::NothingToCheck => {
                format!("`{method}` promises nothing that could be checked in this run.")
            }
            Grounds::Held { promised, besides } => {
                let mut text = format!(
                    "Trust this run: `{method}` does what it promises ({})",
                    listed(promised)
                );
                match besides.is_empty() {
                    true => text.push('.'),
                    false => text += &format!(", and more without a promise ({}).", listed(besides)),
                }
                if self.driven {
                    text += " Forces act, or something depends on time, so that the energy cannot tell whether it is \
                             right: half the step does.";
                }
                text
            }
        }
    }
}

impl fmt::Display for Conclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = &self.stopped {
            write!(f, "The run was stopped at {at}. Until then: ")?;
        }
        f.write_str(&self.sentence())?;
        let Some(chaos) = &self.chaos else {
            return Ok(());
        };
        let trusted = match self.driven {
            true => "Averages",
            false => "Energies, momenta and averages",
        };
        write!(
            f,
            " The motion is chaotic. {trusted} can be trusted; positions beyond about {} are one motion among many that \
             are possible",
            chaos.known_until
        )?;
        f.write_str(match self.lasted.value > chaos.known_at_best.value {
            true => ", whatever the method.",
            false => ".",
        })
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(subjects: &[Subject]) -> String {
    let names: Vec<String> = subjects.iter().map(Subject::to_string).collect();
    match &names[..] {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
