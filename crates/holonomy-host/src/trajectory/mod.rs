//! Trajectories as files, written while the run goes on and read back by [`read`].
//!
//! Columns are the time, the kinetic and the potential energy, then the coordinates, then the velocities, then
//! the multipliers of constraints, then the work of what changes the energy, under the names that the layout of the system
//! gives them, Euler angles if the model asks for them, and what the model records by name. Memory does not grow with the
//! length of the run.
//!
//! A writer can be [marked](Rows::mark) on its way; another goes on behind the mark, and the file has the same bytes.
mod blocks;
mod csv;
pub(crate) mod npz;
mod parquet;
pub mod read;
pub(crate) mod thrift;

use blocks::Group;
use holonomy::{geometry::EulerOrder, output::Output, system::Layout};
use holonomy_model::{Format, Model};
use serde::{Deserialize, Serialize};
use std::{fs::File, io};

/// One line of a trajectory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'a> {
    /// Time, s.
    pub t: f64,
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Potential energy, J.
    pub potential: f64,
    /// Coordinates, angles within ±π.
    pub q: &'a [f64],
    /// Velocities.
    pub velocity: &'a [f64],
    /// Multipliers of the constraints.
    pub multipliers: &'a [f64],
    /// Work that each source of power has done, J.
    pub work: &'a [f64],
    /// Euler angles, three per quaternion.
    pub angles: &'a [f64],
    /// What the model records by name.
    pub outputs: &'a [f64],
}

impl Row<'_> {
    /// All numbers, in the order of the columns.
    pub fn numbers(&self, out: &mut Vec<f64>) {
        out.clear();
        out.extend([self.t, self.kinetic, self.potential]);
        let state = [self.q, self.velocity, self.multipliers, self.work];
        for part in state.into_iter().chain([self.angles, self.outputs]) {
            out.extend_from_slice(part);
        }
    }
}

/// Where a writer is: how far its file counts, and what is not in it yet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// Rows that were taken.
    pub rows: u64,
    /// Bytes of the file that count.
    pub length: u64,
    /// Where its groups are.
    groups: Vec<Group>,
    /// Rows that are in no group yet.
    pending: Vec<f64>,
    /// Lines that are not in the file yet.
    text: String,
}

impl Mark {
    /// How many rows there are, and nothing of them.
    pub(crate) fn without_rows(&self) -> Self {
        Self {
            rows: self.rows,
            ..Self::default()
        }
    }
}

/// Takes the rows of a trajectory one by one.
pub trait Rows: Send {
    /// Takes one more row, its numbers in the order of the columns. Where the disk refuses it is in memory.
    fn push(&mut self, numbers: &[f64]) -> io::Result<()>;
    /// Sees to it that what has left memory is on the disk, also if power fails now.
    fn settle(&mut self) -> io::Result<()>;
    /// Where it is.
    fn mark(&self) -> Mark;
}

/// In memory, one after the other.
impl Rows for Vec<f64> {
    fn push(&mut self, numbers: &[f64]) -> io::Result<()> {
        self.extend_from_slice(numbers);
        Ok(())
    }

    fn settle(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn mark(&self) -> Mark {
        Mark::default()
    }
}

/// Writes the rows of a trajectory to a file.
pub trait Writer: Rows {
    /// Writes what is left, and gives the file back to be put in its place.
    fn finish(self: Box<Self>) -> io::Result<File>;
}

/// The file of a trajectory.
pub(crate) fn file_name(format: Format) -> &'static str {
    match format {
        Format::Parquet => "trajectory.parquet",
        Format::Csv => "trajectory.csv",
        Format::Npz => "trajectory.npz",
    }
}

/// The work file that its rows grow in, where that is another.
pub(crate) fn work_file(format: Format) -> Option<&'static str> {
    matches!(format, Format::Npz).then_some("trajectory.rows")
}

/// The file of a trajectory, and the work file that its rows grow in, where that is another.
pub(crate) type Files = (File, Option<File>);

/// A writer of the format of a model, of numbers that it names: into `file`, with `work` for those that need a work
/// file. With a mark it goes on behind it, in files that have the length that counts.
pub(crate) fn writer(model: &Model, (file, work): Files, mark: Option<Mark>) -> io::Result<Box<dyn Writer>> {
    let system = model.mechanism.system();
    let columns = columns(model);
    Ok(match (model.format, work) {
        (Format::Npz, Some(work)) => {
            Box::new(npz::NpzWriter::new(file, work, system.layout(), columns, mark)?)
        }
        (Format::Csv, _) => Box::new(csv::CsvWriter::new(file, &columns, mark)),
        (Format::Parquet | Format::Npz, _) => Box::new(parquet::ParquetWriter::new(file, columns, mark)?),
    })
}

/// Names of all columns of the trajectory of a model.
pub fn columns(model: &Model) -> Vec<String> {
    let system = model.mechanism.system();
    let layout = system.layout();
    let first = ["t", "kinetic", "potential"].map(str::to_owned).into_iter();
    let names = layout.coordinates.iter().chain(layout.velocities.iter()).cloned();
    let multipliers = layout.multipliers.iter().map(|name| format!("lambda.{name}"));
    let work = layout.conserved.sources.iter().map(|name| format!("work.{name}"));
    let turned = layout.rotations.iter().filter(|_| model.attitude.is_some());
    let angles = turned.flat_map(|(_, name)| [1, 2, 3].map(|k| format!("euler.{name}.{k}")));
    let recorded = model.outputs.list.iter();
    let recorded = recorded.filter(|output| !output.is_of_the_state());
    let state = first.chain(names).chain(multipliers).chain(work).chain(angles);
    state.chain(recorded.flat_map(Output::columns)).collect()
}

/// The Euler angles of all quaternions of a configuration.
pub fn euler_angles(layout: &Layout, q: &[f64], order: EulerOrder, out: &mut Vec<f64>) {
    out.clear();
    for (place, _) in &layout.rotations {
        out.extend(order.angles(&q[*place..place + 4]));
    }
}
