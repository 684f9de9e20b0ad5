//! The page of a sweep: what varies, maps, curves or histograms of what came out, what the verdicts say, and the cases to
//! look at.
mod pictures;
mod worst;

pub use worst::quoted;

use crate::{
    number::grouped,
    page::{Cell, Page},
    verdict::Verdict,
};

/// An axis of a sweep, as a page shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepAxis {
    /// The key.
    pub key: String,
    /// The unit of its numbers; empty where there is none.
    pub unit: String,
    /// What it takes, as it was written.
    pub written: String,
    /// What it takes.
    pub values: SweepValues,
}

/// What an axis takes.
#[derive(Clone, Debug, PartialEq)]
pub enum SweepValues {
    /// Numbers, in their order.
    Numbers(Vec<f64>),
    /// Words, each once.
    Words(Vec<String>),
    /// Random numbers.
    Random,
}

/// A number that each case has.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepQuantity {
    /// The name of its column.
    pub name: String,
    /// What it is, with its unit.
    pub label: String,
    /// Whether it is an error, which is shown by its logarithm.
    pub is_error: bool,
}

/// A case: what was set, and what came out.
#[derive(Clone, Debug, PartialEq)]
pub struct SweptCase {
    /// Its number.
    pub case: u64,
    /// What each axis took: the number, or the place of the word in the list of the axis.
    pub settings: Vec<f64>,
    /// A value for each of the quantities of the page.
    pub values: Vec<Option<f64>>,
    /// How it ended.
    pub structure: Standing,
    /// What is known of its path.
    pub path: Standing,
    /// Why it failed, or a warning.
    pub message: String,
}

/// What is known of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It was tested and is right.
    Good,
    /// It was tested and is in doubt.
    Doubtful,
    /// It was tested and is wrong.
    Bad,
    /// There was nothing to test.
    Neutral,
    /// It was not tested.
    NotTested,
    /// The run could not go on.
    Failed,
    /// The model refused its settings.
    Refused,
}

impl Standing {
    /// All of them, with the words that tables have for them.
    pub const ALL: [(Self, &'static str); 7] = [
        (Self::Failed, "failed"),
        (Self::Refused, "refused"),
        (Self::Bad, "bad"),
        (Self::Doubtful, "doubtful"),
        (Self::Good, "good"),
        (Self::Neutral, "neutral"),
        (Self::NotTested, "not tested"),
    ];

    /// The one with this word; what nobody knows was not tested.
    pub fn of(word: &str) -> Self {
        let found = Self::ALL.into_iter().find(|(_, own)| *own == word);
        found.map_or(Self::NotTested, |(standing, _)| standing)
    }

    fn word(self) -> &'static str {
        let found = Self::ALL.into_iter().find(|(own, _)| *own == self);
        found.map_or("", |(_, word)| word)
    }

    fn cell(self) -> Cell {
        let verdict = match self {
            Self::Good => Verdict::Good,
            Self::Doubtful => Verdict::Doubtful,
            Self::Bad | Self::Failed | Self::Refused => Verdict::Bad,
            Self::Neutral | Self::NotTested => Verdict::Neutral,
        };
        Cell::Verdict(verdict, self.word().to_owned())
    }

    /// Whether there is no whole run.
    fn is_lost(self) -> bool {
        matches!(self, Self::Failed | Self::Refused)
    }

    fn of_structure(self) -> &'static str {
        match self {
            Self::Failed => "the run could not go on, and ends there; its message says why",
            Self::Refused => "the model refuses these settings, and nothing ran; its message says why",
            Self::Bad => "something that the method or the physics conserves was lost",
            Self::Doubtful => "errors are larger than they should be, or grow",
            Self::Good => {
                "everything that was measured is conserved as the method promises, or as well as its errors allow"
            }
            Self::Neutral => "nothing is conserved here that could be measured",
            Self::NotTested => "it was not tested",
        }
    }

    fn of_path(self) -> &'static str {
        match self {
            Self::Bad => "the motion is not that of the model: with smaller steps it goes elsewhere",
            Self::Doubtful => "with smaller steps the motion is noticeably another",
            Self::Good => "with smaller steps the motion is the same, to a small part of its size",
            Self::NotTested => {
                "nothing is said of the path: nobody looked, or could; the flag --certify usual looks"
            }
            Self::Neutral | Self::Failed | Self::Refused => "it could not be tested",
        }
    }
}

/// What a page shows.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepPage {
    /// The title of the model.
    pub title: String,
    /// The command that made it.
    pub command: String,
    /// The command that runs the model of all cases, to which the settings of one are added.
    pub alone: String,
    /// How the files of trajectories end, in `cases`, where there are some.
    pub trajectories: Option<&'static str>,
    /// What varies.
    pub axes: Vec<SweepAxis>,
    /// Whether the cases are all points of the axes, the last turning fastest.
    pub product: bool,
    /// What is shown.
    pub quantities: Vec<SweepQuantity>,
    /// The cases, in their order.
    pub cases: Vec<SweptCase>,
}

impl SweepAxis {
    fn label(&self) -> String {
        match self.unit.as_str() {
            "" => self.key.clone(),
            unit => format!("{} ({unit})", self.key),
        }
    }

    fn numbers(&self) -> Option<&[f64]> {
        match &self.values {
            SweepValues::Numbers(numbers) => Some(numbers),
            _ => None,
        }
    }

    fn words(&self) -> Option<&[String]> {
        match &self.values {
            SweepValues::Words(words) => Some(words),
            _ => None,
        }
    }
}

impl SweepPage {
    /// The page, as one file.
    pub fn render(&self) -> String {
        let mut page = Page::new(&self.title, &self.subtitle());
        page.code(&self.command);
        let rows: Vec<Vec<Cell>> = self
            .axes
            .iter()
            .map(|axis| {
                vec![
                    Cell::Code(axis.key.clone()),
                    Cell::text(&axis.written),
                    Cell::text(&axis.unit),
                ]
            })
            .collect();
        match self.axes.iter().all(|axis| axis.unit.is_empty()) {
            true => {
                let short: Vec<Vec<Cell>> = rows.into_iter().map(|row| row[..2].to_vec()).collect();
                page.table(&["key", "values"], &short);
            }
            false => page.table(&["key", "values", "unit"], &rows),
        }
        page.section("results", "What came out");
        self.pictures(&mut page);
        self.verdicts(&mut page);
        self.worst(&mut page);
        page.finish()
    }

    fn subtitle(&self) -> String {
        let of = |standing: Standing| {
            let those = self.cases.iter().filter(|case| case.structure == standing);
            those.count()
        };
        let count = self.cases.len();
        let number = |count: usize| grouped(count as u64);
        let cases = match count {
            1 => "A sweep of one case".to_owned(),
            count => format!("A sweep of {} cases", number(count)),
        };
        match (of(Standing::Failed), of(Standing::Refused)) {
            (0, 0) => format!("{cases}; all ran to the end"),
            (failed, 0) => format!("{cases}; {} failed", number(failed)),
            (0, refused) => format!("{cases}; {} refused by the model", number(refused)),
            (failed, refused) => format!(
                "{cases}; {} failed, {} refused by the model",
                number(failed),
                number(refused)
            ),
        }
    }

    /// How many cases are good, doubtful, bad, failed, and what that means.
    fn verdicts(&self, page: &mut Page) {
        page.section("verdicts", "What the verdicts say");
        let mut table =
            |heading: &str, of: &dyn Fn(&SweptCase) -> Standing, means: fn(Standing) -> &'static str| {
                let rows: Vec<Vec<Cell>> = Standing::ALL
                    .into_iter()
                    .filter_map(|(standing, _)| {
                        let count = self.cases.iter().filter(|case| of(case) == standing).count();
                        let row = || {
                            vec![
                                standing.cell(),
                                Cell::number(grouped(count as u64)),
                                Cell::text(means(standing)),
                            ]
                        };
                        (count > 0).then(row)
                    })
                    .collect();
                page.table(&[heading, "cases", "that is"], &rows);
            };
        table("structure", &|case| case.structure, Standing::of_structure);
        table("path", &|case| case.path, Standing::of_path);
    }
}
