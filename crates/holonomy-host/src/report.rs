//! The report of a run: certificate, figures, model, on one page.
//!
//! It is made of what a run leaves in its folder, so that `holonomy report DIR` makes the same page again.
use crate::{
    certificate::{Certificate, Line},
    figures::grouped,
    folder::{Folder, FolderError},
    page::{Cell, Page},
    summary::Summary,
};
use holonomy::model::{self, Source};
use serde::Deserialize;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// What a report says, besides its figures.
#[derive(Clone, Debug, Deserialize)]
pub struct Told {
    scenario: String,
    method: String,
    step: f64,
    steps: u64,
    certificate: Certificate,
    #[serde(skip)]
    title: String,
    /// The model as it was run, with the command in its first lines.
    #[serde(skip)]
    model: String,
}

/// Figures in the order of the page: file, heading, caption.
const FIGURES: &[(&str, &str, &str)] = &[
    (
        "energy.svg",
        "What should not change",
        "Energy error, and errors of what else is kept, over the run. Curves of long runs are thinned; their extremes stay.",
    ),
    (
        "momentum.svg",
        "Momenta",
        "The change of each conserved momentum since the start; steps of 10⁻¹⁵ are the last digit.",
    ),
    (
        "constraint.svg",
        "Constraints",
        "How far the constraints are open, on a logarithmic axis, and what they pull.",
    ),
    (
        "trajectory.svg",
        "Motion in space",
        "Paths of the bodies, stronger where they are nearer; an open circle marks the start, a filled one the end.",
    ),
    (
        "views.svg",
        "From the front, from the side, from above",
        "The same paths along the axes, with the mechanism as it is at the end.",
    ),
    (
        "configurations.svg",
        "At several times",
        "The mechanism at several times of the run, pale at the start and dark at the end.",
    ),
    (
        "warmth.svg",
        "Kinetic energy over the sphere",
        "Local means of the kinetic energy at several times, dark where it is slow and light where it is fast, seen from \
         where most of it is at the start.",
    ),
    (
        "attitude.svg",
        "Attitude",
        "Where an axis of the body points, against what holds it: of its three axes the one that moves least.",
    ),
    ("coordinates.svg", "Coordinates", "Coordinates against time."),
    ("phase.svg", "Phase portraits", "Velocities against coordinates."),
    ("path.svg", "Path", "Two coordinates against each other."),
];

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
    /// The page cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

impl Told {
    /// What is told of a run that has just ended.
    pub fn new(title: &str, summary: &Summary, model: &str) -> Self {
        Self {
            scenario: summary.scenario.clone(),
            method: summary.method.to_owned(),
            step: summary.step,
            steps: summary.steps,
            certificate: summary.certificate.clone(),
            title: title.to_owned(),
            model: model.to_owned(),
        }
    }

    /// The page, with the figures that there are: file and text of each.
    pub fn page(&self, figures: &[(&str, String)]) -> String {
        let title = match self.title.as_str() {
            "" => &self.scenario,
            title => title,
        };
        let subtitle = format!(
            "{}, {} steps of {} s",
            self.method,
            grouped(self.steps),
            self.step
        );
        let mut page = Page::new(title, &subtitle);
        page.section("certificate", "Can this run be trusted?");
        page.conclusion(
            self.certificate.conclusion.verdict,
            &self.certificate.conclusion.measured,
        );
        let rows: Vec<Vec<Cell>> = self.certificate.lines.iter().map(row).collect();
        page.table(&["what", "promised", "measured", "verdict"], &rows);
        page.paragraph(
            "Promises are those of the method, see `holonomy methods`. Energy, momenta, unit length and constraints were \
             watched over the whole run; form, order, reversal and predictability were measured by a few more steps from its \
             start. A symplectic form that is preserved is why the energy of a long run does not drift; the order says by how \
             much a smaller step is better; reversal, that the method has no direction of time, as the motion has none. See \
             the guide, “Reading a certificate”.",
        );
        for (file, heading, caption) in FIGURES {
            if let Some((_, svg)) = figures.iter().find(|(name, _)| name == file) {
                page.section(file.trim_end_matches(".svg"), heading);
                page.figure(svg, caption);
            }
        }
        page.section("model", "The model");
        let command = self.model.lines().take_while(|line| line.starts_with('#'));
        let command: Vec<&str> = command.map(|line| line.trim_start_matches(['#', ' '])).collect();
        page.paragraph(&command.join(" "));
        page.code(&self.model);
        page.finish()
    }
}

fn row(line: &Line) -> Vec<Cell> {
    let text = |text: &str| Cell::text(text);
    vec![
        text(&line.subject),
        text(&line.promised),
        text(&line.measured),
        match line.word.as_str() {
            "" => text(""),
            word => Cell::Verdict(line.verdict, word.to_owned()),
        },
    ]
}

/// Makes the report of a run again from its folder; where it is.
pub fn remake(folder: &Path) -> Result<PathBuf, ReportError> {
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).map_err(|source| ReportError::Unreadable { path, source })
    };
    let summary = read("summary.json")?;
    let mut told: Told = serde_json::from_str(&summary).map_err(|error| ReportError::NotASummary {
        path: folder.join("summary.json"),
        reason: error.to_string(),
    })?;
    told.model = read("model.toml")?;
    // A model that an older or newer program wrote need not load here; it is shown all the same.
    if let Ok(model) = model::load(&Source::new("model.toml", &told.model)) {
        told.title = model.title;
    }
    let mut figures = Vec::new();
    for (file, ..) in FIGURES {
        match fs::read_to_string(folder.join(file)) {
            Ok(svg) => figures.push((*file, svg)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => {
                let path = folder.join(file);
                return Err(ReportError::Unreadable { path, source });
            }
        }
    }
    let mut place = Folder::open(folder, &["report.html"], true)?;
    place.add("report.html", &told.page(&figures))?;
    place.commit()?;
    Ok(folder.join("report.html"))
}
