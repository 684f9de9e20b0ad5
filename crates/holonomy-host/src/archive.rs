//! A run with everything it leaves on the disk.
use crate::{
    figures,
    folder::{Folder, FolderError},
    report::Told,
    run::{Control, Outcome, run},
    trajectory,
};
use holonomy::model::{Format, Model};
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
/// `header` says where the model came from; it becomes a comment in `model.toml`.
pub fn run_into(
    folder: Folder,
    model: &Model,
    name: &str,
    header: &str,
    control: Control,
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
    let mut outcome = run(model, name, Some(&mut *writer), control);
    let written = match outcome.disk.take() {
        Some(error) => Err(error),
        None => writer.finish(),
    };
    let files = match written {
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
    let Outcome { summary, series, .. } = outcome;
    let system = model.mechanism.system();
    let title = match model.title.as_str() {
        "" => &summary.scenario,
        title => title,
    };
    let text = format!("{}\n{}", comment(header), model.resolved);
    folder.add("model.toml", &text)?;
    let (layout, portrait) = (system.layout(), &series.portrait);
    let paths = &series.paths;
    let attitude = figures::attitude(title, layout, summary, paths);
    // Where only directions change, there are no paths to see.
    let seen = !layout.bases.is_empty() && (paths.moved || attitude.is_none());
    let space = seen.then(|| figures::trajectory(title, layout, summary, paths));
    let figures = [
        ("energy.svg", Some(figures::energy(title, summary, series))),
        ("momentum.svg", figures::momentum(title, summary, series)),
        ("trajectory.svg", space),
        ("views.svg", figures::views(title, layout, summary, paths)),
        (
            "configurations.svg",
            figures::configurations(title, layout, summary, paths),
        ),
        ("warmth.svg", figures::warmth(title, &series.warmth)),
        ("attitude.svg", attitude),
        (
            "coordinates.svg",
            figures::coordinates(title, layout, summary, portrait),
        ),
        ("phase.svg", figures::phase(title, layout, summary, portrait)),
        ("path.svg", figures::path(title, layout, summary, portrait)),
        (
            "constraint.svg",
            figures::constraint(title, layout, summary, series),
        ),
    ];
    let figures: Vec<(&'static str, String)> = figures
        .into_iter()
        .filter_map(|(name, figure)| Some((name, figure?)))
        .collect();
    for (name, figure) in &figures {
        folder.add(name, figure)?;
    }
    folder.add("report.html", &Told::new(title, summary, &text).page(&figures))?;
    folder.add("summary.json", &summary.to_json())?;
    let path = folder.path().to_owned();
    folder.commit()?;
    Ok(path)
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
