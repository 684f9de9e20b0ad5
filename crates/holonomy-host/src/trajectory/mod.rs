//! Trajectories as files, written while the run goes on and read back by [`read`].
//!
//! Columns are the time, the kinetic and the potential energy, then the coordinates, then the velocities, then
//! the multipliers of constraints, then the work of what changes the energy, under the names that the layout of the system gives them, and Euler angles if the
//! model asks for them. Memory does not grow with the length of the run.
mod csv;
mod npz;
mod parquet;
pub mod read;
pub(crate) mod thrift;

use holonomy::{geometry::EulerOrder, system::Layout};
use holonomy_model::Format;
use std::{fs::File, io, path::Path};

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
}

impl Row<'_> {
    /// All numbers, in the order of the columns.
    pub fn numbers(&self) -> impl Iterator<Item = f64> {
        let rest = self.rest();
        self.first()
            .into_iter()
            .chain(rest.into_iter().flatten().copied())
    }

    /// Appends all numbers.
    fn append_to(&self, list: &mut Vec<f64>) {
        list.extend_from_slice(&self.first());
        for part in self.rest() {
            list.extend_from_slice(part);
        }
    }

    fn first(&self) -> [f64; 3] {
        [self.t, self.kinetic, self.potential]
    }

    fn rest(&self) -> [&[f64]; 5] {
        [self.q, self.velocity, self.multipliers, self.work, self.angles]
    }
}

/// Takes the rows of a trajectory one by one.
pub trait Writer: Send {
    /// Takes one more row.
    fn push(&mut self, row: &Row) -> io::Result<()>;
    /// Writes what is left, and gives the file back to be put in its place.
    fn finish(self: Box<Self>) -> io::Result<File>;
}

/// A writer of the given format into `file`, of numbers that the layout names. Work files are made in `folder` and have
/// no name once they are open.
pub fn writer(
    format: Format,
    file: File,
    folder: &Path,
    layout: &Layout,
    attitude: Option<EulerOrder>,
) -> io::Result<Box<dyn Writer>> {
    let columns: Vec<String> = columns(layout, attitude.is_some()).collect();
    Ok(match format {
        Format::Parquet => Box::new(parquet::ParquetWriter::new(file, columns)?),
        Format::Csv => Box::new(csv::CsvWriter::new(file, &columns)?),
        Format::Npz => Box::new(npz::NpzWriter::new(file, folder, layout, columns)?),
    })
}

/// Names of all columns.
fn columns(layout: &Layout, angles: bool) -> impl Iterator<Item = String> {
    let first = ["t", "kinetic", "potential"].map(str::to_owned).into_iter();
    let names = layout.coordinates.iter().chain(layout.velocities.iter()).cloned();
    let multipliers = layout.multipliers.iter().map(|name| format!("lambda.{name}"));
    let work = layout.conserved.sources.iter().map(|name| format!("work.{name}"));
    let turned = layout.rotations.iter().filter(move |_| angles);
    let angles = turned.flat_map(|(_, name)| [1, 2, 3].map(|k| format!("euler.{name}.{k}")));
    first.chain(names).chain(multipliers).chain(work).chain(angles)
}

/// The Euler angles of all quaternions of a configuration.
pub fn euler_angles(layout: &Layout, q: &[f64], order: EulerOrder, out: &mut Vec<f64>) {
    out.clear();
    for (place, _) in &layout.rotations {
        out.extend(order.angles(&q[*place..place + 4]));
    }
}
