//! The report of a run, made again from what it left in its folder.
use crate::folder::{Folder, FolderError, Replace};
use holonomy_report::{
    film,
    report::{FIGURES, RunPage},
};
use roxmltree::Document;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Makes the report of a run again from its folder; where it is.
pub fn remake(folder: &Path) -> Result<PathBuf, ReportError> {
    Folder::settle(folder)?;
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
        let Some(svg) = read_if_there(file)? else { continue };
        if let Some(found) = foreign(&svg) {
            return Err(ReportError::NotAFigure {
                path: folder.join(file),
                found,
            });
        }
        figures.push((*file, svg));
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
    let mut place = Folder::open(folder, &["report.html"], Replace::Any)?;
    place.add("report.html", &page.html(&figures, film.as_deref()))?;
    place.commit()?;
    Ok(folder.join("report.html"))
}

/// What a figure has that ours have not: it becomes a part of the page, where a script would run.
fn foreign(svg: &str) -> Option<String> {
    const ELEMENTS: [&str; 12] = [
        "svg",
        "title",
        "desc",
        "defs",
        "g",
        "path",
        "rect",
        "circle",
        "text",
        "radialGradient",
        "stop",
        "tspan",
    ];
    // Comments, declarations and sections of plain text mean other things in a page.
    if let Some(at) = svg.find("<!").or_else(|| svg.find("<?")) {
        return Some(format!("`{}`", &svg[at..at + 2]));
    }
    let Ok(document) = Document::parse(svg) else {
        return Some("no XML in it".to_owned());
    };
    let elements = document.descendants().filter(|node| node.is_element());
    for node in elements {
        let tag = node.tag_name().name();
        let ours =
            ELEMENTS.contains(&tag) && node.tag_name().namespace() == Some("http://www.w3.org/2000/svg");
        if !ours {
            return Some(format!("an element `{}`", tag.escape_debug()));
        }
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            let points = value.contains("url(") && !value.starts_with("url(#");
            if attribute.namespace().is_some()
                || name.starts_with("on")
                || name == "href"
                || name == "style"
                || points
            {
                return Some(format!("an attribute `{}`", name.escape_debug()));
            }
        }
    }
    None
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
    /// A figure is none of ours, and could do more than be looked at.
    #[error("{} is not a figure as holonomy draws it: it has {found}", path.display())]
    NotAFigure {
        /// The file.
        path: PathBuf,
        /// What it has.
        found: String,
    },
    /// The page cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
}
