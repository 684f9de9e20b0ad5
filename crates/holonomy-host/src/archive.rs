//! A run with everything it leaves on the disk.
use crate::run::run_writing;
use crate::{
    folder::{Folder, FolderError},
    trajectory,
    view::Live,
};
use holonomy_model::{Format, Model};
use holonomy_report::{
    figures,
    film::film,
    report::RunPage,
    run::{Control, Outcome, Recording},
};
use std::{fs::File, path::PathBuf};

/// A run and what became of its files.
pub struct Archived {
    /// The run. If its files could not be written, its summary has that as its `error`.
    pub outcome: Outcome,
    /// Where the files are.
    pub files: Result<PathBuf, FolderError>,
}

/// Runs a model and fills the folder with its files. A run that is stopped or fails on its way leaves its files too; a
/// disk that fails leaves none. If the trajectory cannot even be begun, nothing is run.
///
/// `header` says where the model came from; it becomes a comment in `model.toml`. Who looks on does so through `live`.
pub fn run_into(
    folder: Folder,
    model: &Model,
    name: &str,
    header: &str,
    control: Control,
    live: &Live,
) -> Result<Archived, FolderError> {
    let file = match model.format {
        Format::Parquet => "trajectory.parquet",
        Format::Csv => "trajectory.csv",
        Format::Npz => "trajectory.npz",
    };
    let system = model.mechanism.system();
    let stream = folder.stream(file)?;
    let layout = system.layout();
    let writer = trajectory::writer(model.format, stream, folder.path(), layout, model.attitude);
    let mut writer = writer.map_err(|error| folder.failure(file, error))?;
    let (mut outcome, written) = run_writing(
        model,
        name,
        Recording::with_clip(model.method.name),
        Some(&mut *writer),
        control,
        Some(live),
    );
    let files = match written.and_then(|()| writer.finish()) {
        Ok(stream) => fill(folder, model, header, &outcome, (file, stream)),
        Err(error) => Err(folder.failure(file, error)),
    };
    if let Err(error) = &files {
        outcome.summary.error.get_or_insert_with(|| error.to_string());
    }
    Ok(Archived { outcome, files })
}

fn fill(
    mut folder: Folder,
    model: &Model,
    header: &str,
    outcome: &Outcome,
    (name, trajectory): (&'static str, File),
) -> Result<PathBuf, FolderError> {
    folder.take(name, &trajectory)?;
    let Documents {
        model,
        figures,
        film,
        report,
    } = Documents::new(model, header, outcome);
    folder.add("model.toml", &model)?;
    for (name, figure) in &figures {
        folder.add(name, figure)?;
    }
    if let Some(film) = &film {
        folder.add("film.json", film)?;
    }
    folder.add("report.html", &report)?;
    folder.add("summary.json", &outcome.summary.to_json())?;
    let path = folder.path().to_owned();
    folder.commit()?;
    Ok(path)
}

/// What is written of a run that is over.
struct Documents {
    model: String,
    figures: Vec<(&'static str, String)>,
    film: Option<String>,
    report: String,
}

impl Documents {
    fn new(model: &Model, header: &str, outcome: &Outcome) -> Self {
        let Outcome {
            summary,
            series,
            clip,
        } = outcome;
        let title = match model.title.as_str() {
            "" => &summary.scenario,
            title => title,
        };
        let text = format!("{}\n{}", comment(header), model.to_toml());
        let figures = figures::of_run(title, model.mechanism.system().layout(), summary, series);
        let film = film(clip);
        let report = RunPage::new(title, summary, &text).html(&figures, film.as_deref());
        Self {
            model: text,
            figures,
            film,
            report,
        }
    }
}

/// The report of a run that leaves no files.
pub fn report(model: &Model, header: &str, outcome: &Outcome) -> String {
    Documents::new(model, header, outcome).report
}

/// Text as TOML comments, whatever it holds.
fn comment(text: &str) -> String {
    let visible = |line: &str| -> String {
        line.chars()
            .map(|letter| if letter.is_control() { ' ' } else { letter })
            .collect()
    };
    text.lines()
        .map(|line| format!("# {}\n", visible(line)))
        .collect()
}
