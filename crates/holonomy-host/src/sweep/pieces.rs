//! A sweep in pieces: in memory, or one part of its folder at a time, for programs that share the work in their own way.
use super::{
    CaseRow, Plan, SweepError,
    disk::part_size,
    part,
    trajectory::{self, Trajectories},
};
use crate::folder::TABLE;
use parquet::{
    errors::ParquetError,
    file::reader::{FileReader, SerializedFileReader},
    record::Field,
};
use rayon::prelude::*;
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

impl Plan {
    /// How many cases there are.
    pub fn count(&self) -> u64 {
        self.cases().unwrap_or(0)
    }

    /// How many parts a folder of this sweep has.
    pub fn parts(&self) -> u64 {
        let cases = self.count();
        cases.div_ceil(part_size(cases))
    }

    /// Runs all cases on all threads, and keeps their rows in memory, in order; fewer if it was stopped.
    pub fn collect(&self, stop: &AtomicBool, progress: &(dyn Fn(u64, u64) + Sync)) -> Vec<CaseRow> {
        let cases = self.count();
        let size = part_size(cases);
        let done = AtomicU64::new(0);
        let rows: Vec<Vec<CaseRow>> = (0..self.parts())
            .into_par_iter()
            .map(|part| {
                let mut rows = Vec::new();
                for some in self.batches(part * size..((part + 1) * size).min(cases), false) {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    // Without trajectories no file is touched.
                    let made = self.run_together(some, None, stop).unwrap_or_default();
                    let count = made.len() as u64;
                    rows.extend(made);
                    progress(done.fetch_add(count, Ordering::Relaxed) + count, cases);
                }
                rows
            })
            .collect();
        rows.into_iter().flatten().collect()
    }

    /// Makes the folder, or finds that it holds this sweep: what others then fill part by part.
    pub fn begin(&self, folder: &Path, replace: bool) -> Result<(), SweepError> {
        self.open(folder, &folder.join("parts"), replace).map(drop)
    }

    /// Computes the cases of one part that are not finished, and puts it in its place, whole. Two programs that make the
    /// same part do not disturb each other. How many cases were computed, or nothing if it was stopped.
    pub fn make_part(
        &self,
        folder: &Path,
        number: u64,
        stop: &AtomicBool,
    ) -> Result<Option<u64>, SweepError> {
        let cases = self.count();
        let size = part_size(cases);
        let parts = folder.join("parts");
        let path = part::path(&parts, number);
        let disk = |action: &'static str, path: &PathBuf| {
            let path = path.clone();
            move |source: io::Error| SweepError::Disk { action, path, source }
        };
        let (first, end) = (number * size, ((number + 1) * size).min(cases));
        let kept = self
            .trajectories
            .then(|| Trajectories::open(folder, self.model.format))
            .transpose()
            .map_err(disk("make", &trajectory::directory(folder)))?;
        let mut rows = part::read(&parts, number, first).map_err(disk("read", &path))?;
        if let Some(kept) = &kept {
            let has = |row: &&CaseRow| row.is_refused() || kept.has(row.case);
            rows.truncate(rows.iter().take_while(has).count());
        }
        let before = rows.len() as u64;
        for some in self.batches(first + before..end, kept.is_some()) {
            let wanted = some.end - some.start;
            let made = self
                .run_together(some, kept.as_ref(), stop)
                .map_err(disk("write", &trajectory::directory(folder)))?;
            if stop.load(Ordering::Relaxed) || (made.len() as u64) < wanted {
                return Ok(None);
            }
            rows.extend(made);
        }
        let made = rows.len() as u64 - before;
        if made > 0 {
            // Programs on two machines may have the same number.
            let hidden = parts.join(format!(".part-{number:06}.{:016x}.part", random()));
            part::write(&hidden, &rows)
                .and_then(|()| fs::rename(&hidden, &path))
                .map_err(disk("write", &path))?;
        }
        Ok(Some(made))
    }
}

/// A number that no other program has.
fn random() -> u64 {
    getrandom::u64().unwrap_or_else(|_| u64::from(std::process::id()))
}

/// A column of a table of cases.
pub enum CaseColumn {
    /// Numbers; not a number where there is none.
    Numbers(Vec<f64>),
    /// Words.
    Words(Vec<String>),
}

/// The table in the folder of a sweep that is whole, column by column.
pub fn read_cases(folder: &Path) -> Result<Vec<(String, CaseColumn)>, SweepError> {
    let path = folder.join(TABLE);
    let refused = |error: ParquetError| SweepError::Table {
        path: path.clone(),
        reason: format!("it cannot be read: {error}"),
    };
    let file = File::open(&path).map_err(|source| SweepError::Disk {
        action: "read",
        path: path.clone(),
        source,
    })?;
    let reader = SerializedFileReader::new(file).map_err(refused)?;
    let schema = reader.metadata().file_metadata().schema();
    let mut columns: Vec<(String, CaseColumn)> = (schema.get_fields().iter())
        .map(|field| {
            let words = field.get_physical_type() == parquet::basic::Type::BYTE_ARRAY;
            let column = match words {
                true => CaseColumn::Words(Vec::new()),
                false => CaseColumn::Numbers(Vec::new()),
            };
            (field.name().to_owned(), column)
        })
        .collect();
    for row in reader.get_row_iter(None).map_err(refused)? {
        let row = row.map_err(refused)?;
        for ((_, column), (_, field)) in columns.iter_mut().zip(row.get_column_iter()) {
            match (column, field) {
                (CaseColumn::Numbers(numbers), Field::Double(number)) => numbers.push(*number),
                (CaseColumn::Numbers(numbers), Field::Long(number)) => numbers.push(*number as f64),
                (CaseColumn::Numbers(numbers), _) => numbers.push(f64::NAN),
                (CaseColumn::Words(words), Field::Str(word)) => words.push(word.clone()),
                (CaseColumn::Words(words), _) => words.push(String::new()),
            }
        }
    }
    Ok(columns)
}
