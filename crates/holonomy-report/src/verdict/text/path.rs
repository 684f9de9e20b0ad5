//! The words of a path: how far it is off, how fast errors grow, what was tried instead.
use super::super::{Accuracy, Companion, Growth, PathError, Quantity, Trial, WatchedSteps};
use crate::number::{rough, uncertain};
use holonomy::math;
use std::fmt;

impl PathError {
    /// Its size in metres and radians, or in the unit of a coordinate.
    pub(super) fn size(&self) -> String {
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
    pub(super) fn number(&self) -> String {
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
            None if self.exponent.value > 2.0 * self.error.value => {
                write!(
                    f,
                    "largest Lyapunov exponent {number} along {time}: what is beside this equilibrium leaves it"
                )
            }
            None => write!(
                f,
                "largest Lyapunov exponent {number} along {time}: not told from zero; one above {} would have shown",
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
