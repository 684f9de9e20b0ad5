//! What was found of an item, and what it says of the document.
use holonomy_report::verdict::Verdict;
use serde::{Deserialize, Serialize};

/// What was found of an item.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Parameters, methods and steps, in a sentence.
    pub parameters: String,
    /// Figures with their captions.
    pub figures: Vec<Figure>,
    /// Numbers and claims, theirs and ours.
    pub compared: Vec<Compared>,
    /// Whether a printed parameter or equation had to be corrected first; how.
    pub correction: Option<String>,
    /// Whether the document leaves open what is needed to compute the item; what.
    pub missing: Option<String>,
    /// What there is to say besides.
    pub remark: String,
    /// A command that shows the same in a run.
    pub command: String,
}

/// A figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// SVG text.
    pub svg: String,
    /// What it shows.
    pub caption: String,
}

/// Something the document says, and what we find.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// What.
    pub what: String,
    /// What the document prints.
    pub published: Published,
    /// What we measure.
    pub ours: f64,
    /// Its unit, or nothing.
    pub unit: String,
}

/// What a document prints of a number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Published {
    /// A value; ours agrees if it is as close, relative to it, as its printed digits.
    Value {
        /// The value.
        value: f64,
        /// Largest relative difference of two values that agree.
        within: f64,
    },
    /// Values that it lies between, as read from a figure or said in words.
    Band {
        /// The smallest.
        from: f64,
        /// The largest.
        to: f64,
    },
    /// Not more than this.
    AtMost(f64),
    /// Nothing: our number alone.
    Nothing,
}

/// How an item reads in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// All that is printed was found.
    Reproduced,
    /// So it was, with a corrected parameter or equation.
    Corrected,
    /// Values are in the printed range; digits are not to be had.
    BandOnly,
    /// The document does not say enough to compute it.
    NotSpecified,
    /// What is printed does not hold.
    NotSupported,
}

impl Reading {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Corrected => "reproduced with a correction",
            Self::BandOnly => "band only",
            Self::NotSpecified => "not specified",
            Self::NotSupported => "not supported",
        }
    }

    /// How it stands.
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Reproduced | Self::Corrected => Verdict::Good,
            Self::BandOnly => Verdict::Doubtful,
            Self::NotSpecified => Verdict::Neutral,
            Self::NotSupported => Verdict::Bad,
        }
    }
}

impl Compared {
    /// Whether ours is what is printed; `None` where nothing is.
    pub fn agrees(&self) -> Option<bool> {
        match self.published {
            Published::Value { value, within } => {
                Some((self.ours - value).abs() <= within * value.abs().max(f64::MIN_POSITIVE))
            }
            Published::Band { from, to } => Some((from..=to).contains(&self.ours)),
            Published::AtMost(bound) => Some(self.ours <= bound),
            Published::Nothing => None,
        }
    }
}

impl Finding {
    /// A number that the document prints, beside ours.
    pub fn compare(&mut self, what: &str, published: Published, ours: f64, unit: &str) -> &mut Self {
        self.compared.push(Compared {
            what: what.to_owned(),
            published,
            ours,
            unit: unit.to_owned(),
        });
        self
    }

    /// A figure.
    pub fn figure(&mut self, svg: String, caption: &str) -> &mut Self {
        self.figures.push(Figure {
            svg,
            caption: caption.to_owned(),
        });
        self
    }

    /// What it all says: one thing that does not hold is enough.
    pub fn reading(&self) -> Reading {
        let said = |compared: &&Compared| compared.published != Published::Nothing;
        let mut said = self.compared.iter().filter(said).peekable();
        if said.peek().is_none() {
            return Reading::NotSpecified;
        }
        let (mut digits, mut holds) = (false, true);
        for compared in said {
            holds &= compared.agrees() == Some(true);
            digits |= !matches!(compared.published, Published::Band { .. });
        }
        match (holds, digits) {
            (false, _) if self.missing.is_some() => Reading::NotSpecified,
            (false, _) => Reading::NotSupported,
            (true, false) => Reading::BandOnly,
            (true, true) if self.correction.is_some() => Reading::Corrected,
            (true, true) => Reading::Reproduced,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(published: Published, ours: f64) -> Finding {
        let mut finding = Finding::default();
        finding.compare("x", published, ours, "");
        finding
    }

    #[test]
    fn readings_follow_from_the_numbers() {
        let value = Published::Value {
            value: 2.0,
            within: 0.01,
        };
        assert_eq!(finding(value, 2.01).reading(), Reading::Reproduced);
        assert_eq!(finding(value, 2.1).reading(), Reading::NotSupported);
        assert_eq!(finding(value, f64::NAN).reading(), Reading::NotSupported);
        assert_eq!(finding(Published::Nothing, 2.0).reading(), Reading::NotSpecified);
        let band = Published::Band { from: 1.0, to: 3.0 };
        assert_eq!(finding(band, 2.0).reading(), Reading::BandOnly);
        assert_eq!(finding(band, 4.0).reading(), Reading::NotSupported);
        let mut corrected = finding(Published::AtMost(1e-15), 1e-16);
        corrected.correction = Some("Γ₃".to_owned());
        assert_eq!(corrected.reading(), Reading::Corrected);
        let mut open = finding(value, 5.0);
        open.missing = Some("the start".to_owned());
        assert_eq!(open.reading(), Reading::NotSpecified);
    }
}
