//! Finished cases on the disk, as soon as they are finished: one line of JSON each, in a file for every few cases. A line
//! that a crash cut off is computed again, and no other.
use crate::folder::fresh;
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// What is known of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseRow {
    /// Its number, from 0.
    pub case: u64,
    /// What was computed, in the order of the columns; nothing where it does not exist or is not finite.
    pub numbers: Vec<Option<f64>>,
    /// The verdict on the structure, on the path, and a message.
    pub words: Vec<String>,
}

impl CaseRow {
    /// Whether the model refused its settings, so that nothing ran.
    pub(super) fn is_refused(&self) -> bool {
        self.words.first().is_some_and(|word| word == "refused")
    }
}

/// How long lines may wait for the disk.
const WAIT: Duration = Duration::from_millis(200);

/// Parts that took less are not waited for.
const SHORT: Duration = Duration::from_secs(1);

/// The part of a sweep that holds some of its cases, in their order.
pub(super) struct Part {
    file: File,
    pending: Vec<u8>,
    opened: Instant,
    written: Instant,
}

pub(super) fn path(folder: &Path, part: u64) -> PathBuf {
    folder.join(format!("part-{part:06}.jsonl"))
}

/// The cases of a part that are whole, in order from its first one.
pub(super) fn read(folder: &Path, part: u64, first: u64) -> io::Result<Vec<CaseRow>> {
    let path = path(folder, part);
    let text = match fs::symlink_metadata(&path) {
        Ok(found) if found.is_file() => fs::read(&path)?,
        // A link is replaced, not followed.
        Ok(_) => return Ok(Vec::new()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut rows = Vec::new();
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let whole = line
            .ends_with(b"\n")
            .then(|| serde_json::from_slice::<CaseRow>(line).ok());
        match whole.flatten() {
            Some(row) if row.case == first + rows.len() as u64 => rows.push(row),
            _ => break,
        }
    }
    Ok(rows)
}

impl Part {
    /// Opens a part behind the rows that are whole.
    pub(super) fn open(folder: &Path, part: u64, whole: &[CaseRow]) -> io::Result<Self> {
        let path = path(folder, part);
        let mut file = match whole.is_empty() {
            true => fresh(&path)?,
            false => OpenOptions::new().write(true).open(path)?,
        };
        let mut length = 0;
        for row in whole {
            length += line(row)?.len() as u64;
        }
        file.set_len(length)?;
        io::Seek::seek(&mut file, io::SeekFrom::Start(length))?;
        Ok(Self {
            file,
            pending: Vec::new(),
            opened: Instant::now(),
            written: Instant::now(),
        })
    }

    /// Adds a finished case.
    pub(super) fn push(&mut self, row: &CaseRow) -> io::Result<()> {
        self.pending.extend(line(row)?);
        if self.written.elapsed() >= WAIT {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.pending)?;
        self.pending.clear();
        self.written = Instant::now();
        Ok(())
    }

    /// Everything is in the file; and on the disk, if it is worth the wait: what took less than a second is computed again
    /// as fast after a power cut.
    pub(super) fn close(mut self) -> io::Result<()> {
        self.flush()?;
        match self.opened.elapsed() > SHORT {
            true => self.file.sync_data(),
            false => Ok(()),
        }
    }
}

/// Writes a part that is whole.
pub(super) fn write(path: &Path, rows: &[CaseRow]) -> io::Result<()> {
    let mut file = fresh(path)?;
    let mut text = Vec::new();
    for row in rows {
        text.extend(line(row)?);
    }
    file.write_all(&text)?;
    file.sync_data()
}

/// A directory of ours: made if it is not there, and no link to another.
pub(super) fn own_directory(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(io::ErrorKind::NotADirectory.into()),
        Err(_) => fs::create_dir(path),
    }
}

fn line(row: &CaseRow) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(row)?;
    line.push(b'\n');
    Ok(line)
}
