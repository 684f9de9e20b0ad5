//! The words of verdicts. Nobody reads them but people.
use super::{
    Accuracy, Companion, Conclusion, Drift, DriftKind, Evidence, ForceRange, Grounds, Growth, Judgement,
    Missed, PathError, Promise, Quantity, Reason, Subject, Trial, Unmeasured, Verdict, WatchedSteps,
};
use crate::number::{rough, uncertain};
use holonomy::math;
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
                "not measured: a run that starts beside this one cannot go as far"
            }
            (Unmeasured::CompanionFails, _) => {
                "not measured: the more exact run to compare it with cannot go as far"
            }
            (Unmeasured::NotResolved, _) => {
                "not told: errors grow otherwise with half the step, so that this step does not resolve the motion"
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
            Self::Regular => "regular",
            Self::Contracting => "errors die out",
            Self::Chaotic => "chaotic",
            Self::ChaoticLater => "chaotic later",
            Self::FliesOff => "flies off",
            Self::Unknown => "unknown",
            Self::Reported => "",
        }
    }
}

impl PathError {
    /// Its size in metres and radians, or in the unit of a coordinate.
    fn size(&self) -> String {
        let both: Vec<String> = [&self.metres, &self.radians]
            .into_iter()
            .flatten()
            .filter(|size| size.value != 0.0)
            .map(Quantity::to_string)
            .collect();
        match both.is_empty() {
            true => format!("{} of how far {} moves", rough(self.share), self.part),
            false => both.join(" and "),
        }
    }
}

impl fmt::Display for Accuracy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let beside = match self.companion {
            Companion::HalfStep => "half the step",
            Companion::TighterTolerances => "a hundredth of the tolerances",
        };
        let time = match self.whole {
            true => "over the whole run".to_owned(),
            false => format!("over the first {}", self.covered),
        };
        write!(
            f,
            "by a run with {beside}, {time}: off by at most {}; {} is off by {}, {} of how far it moves",
            self.largest.size(),
            self.largest.part,
            self.largest.distance,
            rough(self.largest.share)
        )?;
        match (&self.seen_from, &self.lost_from) {
            (_, Some(lost)) => write!(f, "; another path from {lost} on")?,
            (Some(seen), None) => write!(f, "; visible from {seen} on")?,
            (None, None) => {}
        }
        match &self.ahead {
            Some(ahead) if ahead.value >= 0.0 => write!(f, "; most of it is {ahead} of lead"),
            Some(ahead) => write!(f, "; most of it is {} of lag", Quantity::new(-ahead.value, "s")),
            None => Ok(()),
        }
    }
}

impl Growth {
    /// The exponent with its error and unit.
    fn number(&self) -> String {
        format!(
            "{} {}",
            uncertain(self.exponent.value, self.error.value),
            self.exponent.unit
        )
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.number();
        let time = match self.whole {
            true => "the whole run".to_owned(),
            false => format!("its first {}", self.covered),
        };
        match &self.known_at_best {
            Some(known) => write!(
                f,
                "largest Lyapunov exponent {number} along {time}: errors grow by a factor of {} per second, and no method \
                 in double precision knows positions beyond about {known}",
                rough(math::exp(self.exponent.value))
            ),
            None if self.exponent.value < -2.0 * self.error.value => {
                write!(
                    f,
                    "largest Lyapunov exponent {number} along {time}: errors die out"
                )
            }
            None => write!(
                f,
                "largest Lyapunov exponent {number} along {time}: within two of its errors of zero; one above {} would have \
                 shown",
                Quantity::new(2.0 * self.error.value, "1/s")
            ),
        }
    }
}

impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.method {
            Some(method) => write!(f, "`--method {method}` with the same step")?,
            None => f.write_str("Half the step")?,
        }
        let (ours, other) = self.share;
        write!(
            f,
            " was tried for {}: path off by {}{} of what moves instead of {}",
            self.covered,
            // The error of the path that it was compared with is in it.
            if self.method.is_some() { "at most " } else { "" },
            rough(other),
            rough(ours)
        )?;
        match &self.energy {
            Some((ours, other)) => write!(f, ", largest |E − E₀| {other} instead of {ours}."),
            None => f.write_str("."),
        }
    }
}

impl fmt::Display for WatchedSteps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.all, self.all_for.value > 0.0) {
            (true, _) => f.write_str("Watched at every step")?,
            (false, false) => write!(
                f,
                "Watched at one step in {}; errors between them were not seen",
                self.recorded
            )?,
            (false, true) => write!(
                f,
                "Watched at one step in {}, and at every step for the first {}",
                self.recorded, self.all_for
            )?,
        }
        match self.cost > 0.0 {
            true => write!(
                f,
                ". The second look took {} times the steps of the run.",
                rough(self.cost)
            ),
            false => f.write_str(". There was no second look."),
        }
    }
}

/// One of the three questions, and its answer in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What is asked.
    pub question: &'static str,
    /// How it stands.
    pub verdict: Verdict,
    /// A sentence.
    pub text: String,
}

impl Conclusion {
    /// In a word or two.
    pub fn word(&self) -> &'static str {
        match (self.verdict, self.structure, self.path.verdict) {
            (_, Verdict::Bad, _) => "do not trust it",
            (Verdict::Bad, ..) => "not resolved",
            (_, Verdict::Doubtful, _) => "with care",
            (Verdict::Doubtful, ..) => match self.path.reason {
                Reason::LostLater => "structure right, path lost",
                _ => "structure right, path off",
            },
            (Verdict::Good, Verdict::Good, Verdict::Good) => "structure and path right",
            (Verdict::Good, _, Verdict::Good) => "path right",
            (Verdict::Good, ..) => "structure right",
            (Verdict::Neutral, ..) => "nothing to check",
        }
    }

    /// The three questions, answered.
    pub fn answers(&self) -> [Answer; 3] {
        [
            Answer {
                question: "structure",
                verdict: self.structure,
                text: self.structure(),
            },
            Answer {
                question: "path",
                verdict: self.path.verdict,
                text: self.path(),
            },
            Answer {
                question: "prediction",
                verdict: self.outlook.verdict,
                text: self.outlook(),
            },
        ]
    }

    /// What was tried and was better, in words.
    pub fn advice(&self) -> Vec<String> {
        self.better.iter().map(Trial::to_string).collect()
    }

    fn path(&self) -> String {
        let Evidence::Path(accuracy) = &self.path.evidence else {
            return format!(
                "How far this path is from the true one was {}.",
                self.path.measured()
            );
        };
        let Accuracy {
            largest,
            covered,
            lost_from,
            seen_from,
            ..
        } = &**accuracy;
        let mut text = match (self.path.reason, lost_from, seen_from) {
            (Reason::NotSeen, ..) => match &accuracy.missed {
                Some(Missed { after, error }) => format!(
                    "The step does not resolve this motion: half of it comes to the same path, but steps of about a third \
                     show that it is off by {} of how far {} moves after {after}. Something is faster than the steps.",
                    rough(error.share),
                    error.part
                ),
                None => "The step does not resolve this motion: half of it comes to the same path, and the energy is wrong \
                         all the same."
                    .to_owned(),
            },
            (Reason::LostAtOnce, Some(lost), _) => format!(
                "The step does not resolve this motion: by {lost} the path is off by {} of how far {} moves.",
                rough(largest.share),
                largest.part
            ),
            (_, Some(lost), _) => format!(
                "The path is known until about {lost} of {}; after that it is off by more than a tenth of how far {} \
                 moves.",
                self.lasted, largest.part
            ),
            (_, None, Some(seen)) => format!(
                "The path is off by up to {}, which a figure shows from {seen} on.",
                largest.size()
            ),
            (Reason::CloseSoFar, ..) => format!(
                "The path is within {} of the true one for the first {covered}; beyond that it was not tested \
                 (`--certify full` does).",
                largest.size()
            ),
            _ => format!(
                "The path is within {} of the true one over the whole run.",
                largest.size()
            ),
        };
        let lost = matches!(self.path.reason, Reason::LostAtOnce | Reason::NotSeen);
        if let (Some(ahead), false) = (&accuracy.ahead, lost) {
            let (time, way) = (
                Quantity::new(ahead.value.abs(), "s"),
                if ahead.value < 0.0 { "lags" } else { "leads" },
            );
            if accuracy.seen_from.is_some() && accuracy.lost_from.is_none() {
                text += &format!(" Most of that is timing: it {way} by {time}.");
            }
        }
        if seen_from.is_some() && lost_from.is_none() && !accuracy.whole && !lost {
            text += &format!(" That is its first {covered}; beyond it was not tested.");
        }
        text
    }

    fn outlook(&self) -> String {
        let Evidence::Growth(growth) = &self.outlook.evidence else {
            return format!(
                "How far ahead this motion can be predicted was {}.",
                self.outlook.measured()
            );
        };
        let number = growth.number();
        let tested = match growth.whole {
            true => String::new(),
            false => format!(", as far as it was tested ({})", growth.covered),
        };
        match &growth.known_at_best {
            Some(known) => {
                let within = match self.lasted.value > known.value {
                    true => "within this run",
                    false => "beyond this run",
                };
                if self.outlook.reason == Reason::FliesOff {
                    return format!(
                        "Errors grow as the motion itself, which flies off{tested}: as e^(λt), λ = {number}. No method in \
                         double precision knows positions beyond about {known}, which is {within}."
                    );
                }
                format!(
                    "The motion is chaotic{tested}: errors grow as e^(λt), λ = {number}. No method in double precision \
                     knows positions beyond about {known}, which is {within}."
                )
            }
            None if self.outlook.reason == Reason::Contracting => {
                format!("Errors die out{tested}: λ = {number}.")
            }
            None => format!(
                "No chaos was seen{tested}: errors grow as e^(λt) with λ = {number}, within two of its errors of zero."
            ),
        }
    }

    fn structure(&self) -> String {
        let Self { method, lasted, .. } = self;
        let text = match &self.grounds {
            Grounds::Failed { message } => {
                format!("This run failed {message}. What it recorded until then is below.")
            }
            Grounds::WrongEnergy { error, in_motion } => format!(
                "Not conserved: the energy is off by {error}, and no more than {in_motion} are in motion."
            ),
            Grounds::Unbalanced { error, throughput } => format!(
                "Not balanced: the energy differs by {error} from the work of what acts, of {throughput} that went in or out."
            ),
            Grounds::BrokenPromises { subjects } => format!(
                "Not conserved: `{method}` breaks what it promises of {}. If a smaller step does not help, the model or \
                 the program is at fault.",
                listed(subjects)
            ),
            Grounds::Drift { total, share } => format!(
                "Not conserved: the energy drifts by {total} in {lasted}, {share} of what is in motion. `{method}` does \
                 not promise to conserve it."
            ),
            Grounds::Lost { subjects } => format!(
                "Not conserved: {} changed by more than a hundredth of what there is. `{method}` does not promise to \
                 conserve it.",
                listed(subjects)
            ),
            Grounds::Coarse { subjects } => {
                format!("Conserved, but the step is coarse: look at {}.", listed(subjects))
            }
            Grounds::Slow { subjects } => format!(
                "Nearly conserved: over its {lasted} the errors are too small to be seen in a figure, but `{method}` \
                 promises nothing of {} for longer runs.",
                listed(subjects)
            ),
            Grounds::SmallErrors => format!(
                "Conserved for these {lasted}: all errors stayed below a millionth. `{method}` promises nothing for \
                 longer runs."
            ),
            Grounds::NothingToCheck => {
                format!("`{method}` promises nothing that could be checked in this run.")
            }
            Grounds::Held { promised, besides } => {
                let mut text = format!(
                    "Conserved: `{method}` does what it promises ({})",
                    listed(promised)
                );
                match besides.is_empty() {
                    true => text.push('.'),
                    false => text += &format!(", and more without a promise ({}).", listed(besides)),
                }
                text
            }
        };
        match &self.stopped {
            Some(at) => format!("The run was stopped at {at}. Until then: {text}"),
            None => text,
        }
    }
}

impl fmt::Display for Conclusion {
    /// The answers one after the other, and what would be better.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answers = self.answers().map(|answer| answer.text);
        f.write_str(&answers.join(" "))?;
        self.advice().iter().try_for_each(|advice| write!(f, " {advice}"))
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
