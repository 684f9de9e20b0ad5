//! Trajectories read back, a sample at a time.
//!
//! Only files that this program wrote are read: of Parquet one plain page per chunk, of NumPy archives what is stored
//! and not compressed. Memory holds the times and a piece of the file.
mod csv;
mod npz;
mod parquet;
mod thrift;

use holonomy::system::Layout;
use holonomy_model::Model;
use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

/// The trajectory of a run, open for reading.
pub struct Trajectory {
    path: PathBuf,
    times: Vec<f64>,
    samples: Box<dyn Samples>,
}

/// Why a trajectory cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TrajectoryError {
    /// A folder without one.
    #[error("{} holds no trajectory", folder.display())]
    None {
        /// The folder.
        folder: PathBuf,
    },
    /// The disk refused.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is damaged, or another program wrote it.
    #[error("{} is not a trajectory as holonomy writes it: {}", path.display(), flaw.as_str())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        flaw: Flaw,
    },
}

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// It ends too early, or its parts do not fit together.
    Damaged,
    /// Its columns are not those of the model.
    Columns,
    /// It is packed in another way.
    Packing,
    /// Its times do not grow.
    Times,
}

impl Flaw {
    fn as_str(self) -> &'static str {
        match self {
            Self::Damaged => "it is damaged",
            Self::Columns => "its columns are not those of the model",
            Self::Packing => "it is compressed or packed in another way",
            Self::Times => "its times do not grow",
        }
    }
}

/// What goes wrong in a file.
enum Fault {
    Disk(io::Error),
    Flaw(Flaw),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Flaw(Flaw::Damaged),
            _ => Self::Disk(error),
        }
    }
}

impl From<Flaw> for Fault {
    fn from(flaw: Flaw) -> Self {
        Self::Flaw(flaw)
    }
}

/// Rows of numbers, in the order of the columns.
trait Samples {
    /// The first column.
    fn times(&mut self) -> Result<Vec<f64>, Fault>;
    /// One row. It is fastest if rows are asked for in their order.
    fn row(&mut self, index: usize, out: &mut Vec<f64>) -> Result<(), Fault>;
}

/// A sample of a trajectory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedSample {
    /// Time, s.
    pub t: f64,
    /// Coordinates, angles within ±π.
    pub q: Vec<f64>,
    /// Velocities.
    pub velocity: Vec<f64>,
}

impl Trajectory {
    /// Opens the trajectory in the folder of a run of a model.
    pub fn open(folder: &Path, model: &Model) -> Result<Self, TrajectoryError> {
        let files = ["trajectory.parquet", "trajectory.csv", "trajectory.npz"];
        let paths = files.map(|file| folder.join(file));
        let Some(path) = paths.into_iter().find(|path| path.is_file()) else {
            return Err(TrajectoryError::None {
                folder: folder.to_owned(),
            });
        };
        let columns = super::columns(model);
        let open = || -> Result<(Vec<f64>, Box<dyn Samples>), Fault> {
            let file = File::open(&path)?;
            let mut samples: Box<dyn Samples> = match path.extension().and_then(|end| end.to_str()) {
                Some("parquet") => Box::new(parquet::ParquetSamples::open(file, &columns)?),
                Some("csv") => Box::new(csv::CsvSamples::open(file, &columns)?),
                _ => Box::new(npz::NpzSamples::open(file, &columns)?),
            };
            let times = samples.times()?;
            match times.is_empty() || times.windows(2).any(|pair| !(pair[0] < pair[1])) {
                true => Err(Flaw::Times.into()),
                false => Ok((times, samples)),
            }
        };
        match open() {
            Ok((times, samples)) => Ok(Self { path, times, samples }),
            Err(fault) => Err(failed(&path, fault)),
        }
    }

    /// The times of all samples, s, growing; at least one.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Reads all numbers of the sample with this number, in the order of the columns.
    pub(crate) fn row(&mut self, index: usize, out: &mut Vec<f64>) -> Result<(), TrajectoryError> {
        out.clear();
        self.samples
            .row(index, out)
            .map_err(|fault| failed(&self.path, fault))
    }

    /// All numbers of all samples, one after the other.
    pub fn rows(&mut self) -> Result<Vec<f64>, TrajectoryError> {
        let (mut all, mut row) = (Vec::new(), Vec::new());
        for index in 0..self.times.len() {
            self.row(index, &mut row)?;
            all.extend_from_slice(&row);
        }
        Ok(all)
    }

    /// Reads the sample with this number.
    pub fn sample(
        &mut self,
        index: usize,
        layout: &Layout,
        out: &mut SavedSample,
    ) -> Result<(), TrajectoryError> {
        let mut row = std::mem::take(&mut out.q);
        self.row(index, &mut row)?;
        out.t = self.times[index];
        let (q, v) = (layout.coordinates.len(), layout.velocities.len());
        out.velocity.clear();
        out.velocity.extend_from_slice(&row[3 + q..3 + q + v]);
        row.truncate(3 + q);
        row.drain(..3);
        out.q = row;
        Ok(())
    }
}

fn failed(path: &Path, fault: Fault) -> TrajectoryError {
    let path = path.to_owned();
    match fault {
        Fault::Disk(source) => TrajectoryError::Unreadable { path, source },
        Fault::Flaw(flaw) => TrajectoryError::Foreign { path, flaw },
    }
}
