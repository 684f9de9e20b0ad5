//! Rows of numbers on the disk, in groups of columns: what a Parquet file consists of, and what a NumPy archive is made
//! from.
//!
//! ```text
//! group    a chunk per column, all of the same size
//! chunk    PageHeader of Parquet, then the numbers, little-endian
//! ```
//! A group is written once and never changed. What is not yet a group is in memory, and in the [`Mark`]: so the rows
//! survive the program up to its last mark, and go on behind it with the same bytes.
use super::{Mark, parquet::page_header};
use serde::{Deserialize, Serialize};
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
};

/// Bytes of the rows that are held back until they make a row group; more if there are few of them, since every
/// column of every group is described.
const ROW_GROUP: usize = 4 << 20;
const FEW_ROWS: usize = 1000;
const LARGEST_GROUP: usize = 48 << 20;
/// Columns that are taken out of the rows together: those of a line of the cache.
const TOGETHER: usize = 8;

pub(super) struct Blocks {
    pub(super) file: File,
    columns: usize,
    /// Rows that are not on the disk, one after the other.
    pending: Vec<f64>,
    /// Some columns of a group, on their way to the disk.
    taken: Vec<u8>,
    rows_per_group: usize,
    pub(super) groups: Vec<Group>,
    /// Where the next group begins.
    pub(super) offset: u64,
    rows: u64,
}

/// What is remembered of a group.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Group {
    pub(super) offset: u64,
    pub(super) rows: usize,
    /// Size of each of its chunks.
    pub(super) chunk: u64,
}

impl Blocks {
    /// Rows of so many numbers, behind these first bytes of the file; or behind what a mark says.
    pub(super) fn new(mut file: File, columns: usize, begin: &[u8], mark: Option<Mark>) -> io::Result<Self> {
        let size = 8 * columns;
        let rows_per_group = (ROW_GROUP / size).max(FEW_ROWS).min(LARGEST_GROUP / size).max(1);
        let (rows, offset, groups, mut pending) = match mark {
            Some(mark) => (mark.rows, mark.length, mark.groups, mark.pending),
            None => {
                file.write_all(begin)?;
                (0, begin.len() as u64, Vec::new(), Vec::new())
            }
        };
        pending.reserve((rows_per_group * columns).saturating_sub(pending.len()));
        Ok(Self {
            file,
            columns,
            pending,
            taken: Vec::new(),
            rows_per_group,
            groups,
            offset,
            rows,
        })
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Takes one more row. It is kept even where the disk refuses.
    pub(super) fn push(&mut self, numbers: &[f64]) -> io::Result<()> {
        self.pending.extend_from_slice(numbers);
        self.rows += 1;
        while self.pending.len() >= self.rows_per_group * self.columns {
            self.flush(self.rows_per_group)?;
        }
        Ok(())
    }

    /// Writes what is left as a group.
    pub(super) fn flush_all(&mut self) -> io::Result<()> {
        while !self.pending.is_empty() {
            let rows = (self.pending.len() / self.columns).min(self.rows_per_group);
            self.flush(rows)?;
        }
        Ok(())
    }

    /// Writes so many rows as a group.
    fn flush(&mut self, rows: usize) -> io::Result<()> {
        let header = page_header(rows)?;
        let numbers = &self.pending[..rows * self.columns];
        self.file.seek(SeekFrom::Start(self.offset))?;
        for first in (0..self.columns).step_by(TOGETHER) {
            let last = (first + TOGETHER).min(self.columns);
            let chunk = header.len() + 8 * rows;
            self.taken.clear();
            self.taken.resize(chunk * (last - first), 0);
            for column in self.taken.chunks_exact_mut(chunk) {
                column[..header.len()].copy_from_slice(&header);
            }
            for (at, row) in numbers.chunks_exact(self.columns).enumerate() {
                let place = header.len() + 8 * at;
                for (k, number) in row[first..last].iter().enumerate() {
                    let start = k * chunk + place;
                    self.taken[start..start + 8].copy_from_slice(&number.to_le_bytes());
                }
            }
            self.file.write_all(&self.taken)?;
        }
        let chunk = (header.len() + 8 * rows) as u64;
        self.groups.push(Group {
            offset: self.offset,
            rows,
            chunk,
        });
        self.offset += chunk * self.columns as u64;
        self.pending.drain(..rows * self.columns);
        Ok(())
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            rows: self.rows,
            length: self.offset,
            groups: self.groups.clone(),
            pending: self.pending.clone(),
            text: String::new(),
        }
    }

    /// Reads the chunks of some columns of a group, one after the other, without their headers.
    pub(super) fn read(
        &mut self,
        group: &Group,
        first: usize,
        count: usize,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let header = group.chunk - 8 * group.rows as u64;
        out.clear();
        for column in first..first + count {
            let at = group.offset + column as u64 * group.chunk + header;
            self.file.seek(SeekFrom::Start(at))?;
            (&mut self.file).take(8 * group.rows as u64).read_to_end(out)?;
        }
        match out.len() == 8 * group.rows * count {
            true => Ok(()),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}
