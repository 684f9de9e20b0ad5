//! The words of a conclusion: three questions, their answers, and what would be better.
use super::super::{
    Accuracy, Conclusion, Evidence, Grounds, Missed, Quantity, Reason, Subject, Trial, Verdict,
};
use crate::number::rough;
use std::fmt;

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
            lost_part,
            seen_from,
            ..
        } = &**accuracy;
        let first = lost_part.as_ref().unwrap_or(&largest.part);
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
                "The step does not resolve this motion: by {lost} the path is off by more than a tenth of how far {first} \
                 moves; over the run {} is off by up to {} of how far it moves.",
                largest.part,
                rough(largest.share)
            ),
            (_, Some(lost), _) => format!(
                "The path is known until about {lost} of {}; after that it is off by more than a tenth of how far {first} \
                 moves.",
                self.lasted
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
            _ if largest.share == 0.0 => {
                format!("No error of the path was seen {}: the more exact run comes to the same.", self.until())
            }
            _ => format!(
                "The path is within {} of the true one {}.",
                largest.size(),
                self.until()
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

    /// How long a run is that was looked at as a whole.
    fn until(&self) -> &'static str {
        match (&self.grounds, &self.stopped) {
            (Grounds::Failed { .. }, _) => "until the run failed",
            (_, Some(_)) => "until the run was stopped",
            _ => "over the whole run",
        }
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
                    "Errors grow as e^(λt), as in chaos{tested}: λ = {number}. No method in double precision knows \
                     positions beyond about {known}, which is {within}."
                )
            }
            None if self.outlook.reason == Reason::Contracting => {
                format!("Errors die out{tested}: λ = {number}.")
            }
            None if self.outlook.reason == Reason::Unstable => format!(
                "Nothing moves, and the equilibrium is unstable: what is beside it leaves it as e^(λt), λ = {number}."
            ),
            None => format!(
                "No chaos was seen{tested}: the rate λ at which errors grow is {number}, not told from zero."
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
