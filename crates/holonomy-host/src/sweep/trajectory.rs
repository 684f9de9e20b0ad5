//! Whole trajectories of the cases, each in a file of its own: `cases/000123.parquet`. A file that is there is whole.
use super::{Plan, SweepError, part::own_directory};
use crate::{
    folder::fresh,
    recorder::Recorder,
    trajectory::{self, Writer},
};
use holonomy_model::{Format, Model};
use holonomy_report::run::Recording;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The directory of the trajectories of a sweep.
pub(super) struct Trajectories {
    folder: PathBuf,
    format: Format,
}

/// The trajectory of a case, which has a hidden name until it is whole.
pub(super) struct CaseFile {
    writer: Box<dyn Writer>,
    hidden: PathBuf,
    work: Option<PathBuf>,
    place: PathBuf,
}

/// Bytes of a number as text, about.
const TEXT: f64 = 21.0;
/// Bytes that say what a column of a file is, about.
const COLUMN: f64 = 150.0;

impl Plan {
    /// Keeps the trajectory of each case, unless that takes more bytes than so many.
    pub fn keep_trajectories(&mut self, most: f64) -> Result<(), SweepError> {
        let bytes = self.bytes_of_trajectories();
        if bytes > most {
            return Err(SweepError::TooLarge { bytes, most });
        }
        self.trajectories = true;
        Ok(())
    }

    /// About how many bytes the trajectories take: those of a few cases, times all of them.
    fn bytes_of_trajectories(&self) -> f64 {
        let cases: Vec<u64> = self.some_cases().collect();
        let models = cases
            .iter()
            .filter_map(|case| self.at(&self.settings(*case)).ok());
        let bytes: f64 = models.map(|model| bytes_of(&model)).sum();
        bytes / cases.len().max(1) as f64 * self.cases().unwrap_or(u64::MAX) as f64
    }
}

fn bytes_of(model: &Model) -> f64 {
    let columns = trajectory::columns(model).len() as f64;
    let samples = (model.schedule.steps / model.schedule.every.max(1)) as f64 + 2.0;
    let number = match model.format {
        Format::Csv => TEXT,
        Format::Parquet | Format::Npz => 8.0,
    };
    columns * (samples * number + COLUMN)
}

impl Trajectories {
    /// The directory in the folder of a sweep; it is made if need be.
    pub(super) fn open(folder: &Path, format: Format) -> io::Result<Self> {
        let folder = directory(folder);
        own_directory(&folder)?;
        Ok(Self { folder, format })
    }

    fn name(&self, case: u64) -> String {
        file_name(case, self.format)
    }

    /// Whether the trajectory of a case is there.
    pub(super) fn has(&self, case: u64) -> bool {
        let found = fs::symlink_metadata(self.folder.join(self.name(case)));
        found.is_ok_and(|found| found.is_file())
    }

    /// Begins the trajectory of a case.
    pub(super) fn begin(&self, case: u64, model: &Model) -> io::Result<CaseFile> {
        let name = self.name(case);
        let hidden = self.folder.join(format!(".{name}.part"));
        let work = trajectory::work_file(self.format).map(|_| self.folder.join(format!(".{name}.rows.part")));
        let files = (fresh(&hidden)?, work.as_deref().map(fresh).transpose()?);
        let writer = trajectory::writer(model, files, None)?;
        Ok(CaseFile {
            writer,
            hidden,
            work,
            place: self.folder.join(name),
        })
    }
}

impl CaseFile {
    /// Who writes it, while a run goes on.
    pub(super) fn recorder(&mut self, model: &Model) -> Recorder<'_> {
        Recorder::new(model, Recording::of(model), Some(&mut *self.writer))
    }

    /// Gives it its name.
    pub(super) fn finish(self) -> io::Result<()> {
        self.writer.finish()?.sync_all()?;
        if let Some(work) = self.work {
            fs::remove_file(work)?;
        }
        fs::rename(self.hidden, self.place)
    }
}

pub(super) fn directory(folder: &Path) -> PathBuf {
    folder.join("cases")
}

/// The file of a case.
pub(super) fn file_name(case: u64, format: Format) -> String {
    let end = match format {
        Format::Parquet => "parquet",
        Format::Csv => "csv",
        Format::Npz => "npz",
    };
    format!("{case:06}.{end}")
}

/// Removes what a sweep put into its directory, or only what has a hidden name; and the directory if nothing else is
/// there.
pub(super) fn remove(folder: &Path, only_hidden: bool) -> io::Result<()> {
    let directory = directory(folder);
    match fs::symlink_metadata(&directory) {
        Ok(found) if found.is_dir() => {}
        _ => return Ok(()),
    }
    for entry in fs::read_dir(&directory)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let part = name.strip_prefix('.').and_then(|name| name.strip_suffix(".part"));
        let ours = match part {
            Some(name) => is_a_case(name.strip_suffix(".rows").unwrap_or(name)),
            None => !only_hidden && is_a_case(&name),
        };
        if ours {
            fs::remove_file(&path)?;
        }
    }
    let _ = fs::remove_dir(&directory);
    Ok(())
}

fn is_a_case(name: &str) -> bool {
    let number = |digits: &str| digits.len() >= 6 && digits.bytes().all(|byte| byte.is_ascii_digit());
    name.split_once('.')
        .is_some_and(|(digits, end)| number(digits) && matches!(end, "parquet" | "csv" | "npz"))
}
