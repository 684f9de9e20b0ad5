//! The report of a run, made again from what it left in its folder.
use crate::folder::{Folder, FolderError};
use holonomy_report::{
    film,
    report::{FIGURES, RunPage},
};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Makes the report of a run again from its folder; where it is.
pub fn remake(folder: &Path) -> Result<PathBuf, ReportError> {
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).map_err(|source| ReportError::Unreadable { path, source })
    };
    let summary = read("summary.json")?;
    let page = RunPage::again(&summary, read("model.toml")?).map_err(|error| ReportError::NotASummary {
        path: folder.join("summary.json"),
        reason: error.to_string(),
    })?;
    // Not every run has every figure, and a run of an older program has no film.
    let read_if_there = |name: &str| match read(name) {
        Ok(text) => Ok(Some(text)),
        Err(ReportError::Unreadable { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    };
    let mut figures = Vec::new();
    for (file, ..) in FIGURES {
        figures.extend(read_if_there(file)?.map(|svg| (*file, svg)));
    }
    let film = read_if_there("film.json")?;
    if let Some(film) = &film
        && let Err(error) = film::check(film)
    {
        return Err(ReportError::NotAFilm {
            path: folder.join("film.json"),
            reason: error.to_string(),
        });
    }
    let mut place = Folder::open(folder, &["report.html"], true)?;
    place.add("report.html", &page.html(&figures, film.as_deref()))?;
    place.commit()?;
    Ok(folder.join("report.html"))
}

/// Why a report cannot be made again.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A file of the run cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The summary is not one, or one without a certificate.
    #[error("{} is not the summary of a run with a certificate: {reason}", path.display())]
    NotASummary {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The film is not one that the player can show.
    #[error("{} is not the film of a run: {reason}", path.display())]
    NotAFilm {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The page cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
}
