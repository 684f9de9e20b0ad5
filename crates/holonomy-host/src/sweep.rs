//! Many runs of one model, whose keys take the values of axes: one table of cases.
//!
//! The k-th case is a function of the plan and of k alone, so that neither the number of threads nor the order in which
//! cases are finished shows. What is finished is on the disk, and is not computed again.
mod axis;
mod case;
mod disk;
mod draw;
mod foreign;
mod list;
mod measure;
mod page;
mod part;
mod pieces;
mod plan;
mod sobol;
mod table;
mod trajectory;

pub use axis::{Axis, AxisValues, Setting};
pub use list::axes_of_table;
pub(crate) use list::{fields, is_parquet};
pub use measure::Measure;
pub use page::MOST as MOST_ON_A_PAGE;
pub use part::CaseRow;
pub use pieces::{CaseColumn, read_cases};
pub use plan::{Plan, Samples, Spread};

use crate::folder::FolderError;
use holonomy_model::ChangeError;
use holonomy_report::number::rough;
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
    /// Files are not wanted.
    #[error("a sweep is its files: the table, and what it goes on with after a break")]
    NoFiles,
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
    /// Cases that do not end.
    #[error("the cases would never end: each has 10¹² steps or more")]
    Endless,
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
    /// Trajectories that take more room than they may.
    #[error("the trajectories would take about {}, and may take {}", size(*bytes), size(*most))]
    TooLarge {
        /// About how many bytes they would take.
        bytes: f64,
        /// How many they may take.
        most: f64,
    },
    /// The folder cannot be filled.
    #[error(transparent)]
    Folder(#[from] FolderError),
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
    /// How evenly they lie.
    pub spread: Spread,
    /// Where random numbers come from.
    pub seed: u64,
    /// What is measured besides.
    pub measures: Vec<String>,
    /// How much work certificates are worth: `none`, `usual` or `full`.
    pub certify: String,
    /// Whether the trajectory of each case is kept.
    pub trajectories: bool,
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
                (self.samples, self.spread, self.seed) == (other.samples, other.spread, other.seed),
            ),
            ("list of measures", self.measures == other.measures),
            ("`--certify`", self.certify == other.certify),
            ("`--trajectories`", self.trajectories == other.trajectories),
        ];
        pairs.into_iter().find(|(_, same)| !same).map(|(what, _)| what)
    }
}

/// Bytes for people.
fn size(bytes: f64) -> String {
    match bytes {
        ..1e6 => format!("{} kB", rough(bytes / 1e3)),
        ..1e9 => format!("{} MB", rough(bytes / 1e6)),
        _ => format!("{} GB", rough(bytes / 1e9)),
    }
}
