//! Many runs of one model, whose keys take the values of axes: one table of cases.
//!
//! The k-th case is a function of the plan and of k alone, so that neither the number of threads nor the order in which
//! cases are finished shows. What is finished is on the disk, and is not computed again.
mod axis;
mod case;
mod disk;
mod draw;
mod list;
mod measure;
mod page;
mod part;
mod plan;
mod table;

pub use axis::{Axis, AxisValues, Setting};
pub use list::axes_of_csv;
pub use measure::Measure;
pub use page::MOST as MOST_ON_A_PAGE;
pub use part::CaseRow;
pub use plan::{Plan, Samples};

use holonomy_model::ChangeError;
use serde::{Deserialize, Serialize};
use std::{io, path::PathBuf};

/// Why a sweep cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// An axis that cannot be read.
    #[error("`--vary {text}`: {reason}")]
    Axis {
        /// The axis.
        text: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A measure that cannot be read.
    #[error("`--measure {text}`: {reason}")]
    Measure {
        /// The measure.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Nothing varies.
    #[error("nothing varies")]
    NoAxis,
    /// Two axes of one key.
    #[error("`{key}` varies twice")]
    Twice {
        /// The key.
        key: String,
    },
    /// Axes that are taken together and are not equally long.
    #[error(
        "with `--zip` all axes have the same number of values: `{one}` has {of_one} and `{other}` {of_other}"
    )]
    Uneven {
        /// An axis.
        one: String,
        /// Its values.
        of_one: usize,
        /// Another.
        other: String,
        /// Its values.
        of_other: usize,
    },
    /// Random axes without a number of cases, or the other way round.
    #[error("{0}")]
    Samples(&'static str),
    /// Too many cases.
    #[error("that is more than 10⁹ cases")]
    TooMany,
    /// A key that the model does not have, or a first case that it refuses.
    #[error("`{key}` cannot vary: {source}")]
    Key {
        /// The key.
        key: String,
        /// What the model says.
        source: ChangeError,
    },
    /// A table of cases that cannot be read.
    #[error("{}: {reason}", path.display())]
    Table {
        /// The table.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The folder holds another sweep.
    #[error("{} holds another sweep: its {what} is not that of this one", path.display())]
    Another {
        /// The folder.
        path: PathBuf,
        /// What differs.
        what: &'static str,
    },
    /// The folder holds this sweep, finished.
    #[error("{} holds this sweep, and it is finished", path.display())]
    Finished {
        /// The folder.
        path: PathBuf,
    },
    /// The disk refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Disk {
        /// What was tried.
        action: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
}

/// What a sweep is of, as it stands beside its table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// The version of the program.
    pub version: String,
    /// The model that the cases are made from.
    pub model: String,
    /// What varies.
    pub axes: Vec<AxisDescription>,
    /// Whether axes are taken together.
    pub zip: bool,
    /// Random cases for each point of the other axes.
    pub samples: u64,
    /// Whether they are those of a Latin hypercube.
    pub latin: bool,
    /// Where random numbers come from.
    pub seed: u64,
    /// What is measured besides.
    pub measures: Vec<String>,
    /// How much work certificates are worth: `none`, `usual` or `full`.
    pub certify: String,
    /// All cases.
    pub cases: u64,
    /// Columns of the table.
    pub columns: Vec<String>,
}

/// An axis as it stands beside the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AxisDescription {
    /// The key, which is the name of its column.
    pub key: String,
    /// What it takes, as it was written.
    pub values: String,
    /// The unit of its numbers.
    pub unit: String,
}

/// What came of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Swept {
    /// All cases of the plan.
    pub cases: u64,
    /// Those that are finished.
    pub done: u64,
    /// Those that were finished before.
    pub before: u64,
    /// Those that failed or were refused.
    pub failed: u64,
    /// Whether the table was written.
    pub whole: bool,
}

impl Description {
    /// What differs from another, if anything does.
    fn difference(&self, other: &Self) -> Option<&'static str> {
        let pairs = [
            ("version of the program", self.version == other.version),
            ("model", self.model == other.model),
            ("axes", (&self.axes, self.zip) == (&other.axes, other.zip)),
            (
                "sample",
                (self.samples, self.latin, self.seed) == (other.samples, other.latin, other.seed),
            ),
            ("list of measures", self.measures == other.measures),
            ("`--certify`", self.certify == other.certify),
        ];
        pairs.into_iter().find(|(_, same)| !same).map(|(what, _)| what)
    }
}
