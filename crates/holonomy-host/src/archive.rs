//! A run with everything it leaves on the disk.
use crate::{
    folder::{CHECKPOINT, Folder, FolderError, UNFINISHED},
    recorder::Keeper,
    resume::Continued,
    run::{Course, Ran},
    trajectory,
    unfinished::{Interval, Unfinished},
    view::Live,
};
use holonomy_model::Model;
use holonomy_report::{
    figures,
    film::film,
    report::RunPage,
    run::{Control, Outcome, Recording},
};
use std::{fs::File, path::PathBuf, time::Instant};

/// A run and what became of its files.
pub struct Archived {
    /// The run. If its files could not be written, its summary has that as its `error`.
    pub outcome: Outcome,
    /// Where the files are.
    pub files: Result<PathBuf, FolderError>,
    /// The folder of a run that did not get its files, if it can go on from there.
    pub kept: Option<PathBuf>,
    /// Why it could not be kept on its way, the last time that was tried.
    pub refused: Option<FolderError>,
}

/// A run that is to leave files.
pub struct Archive<'a> {
    /// Where to.
    pub folder: Folder,
    /// What runs.
    pub model: &'a Model,
    /// What it is called.
    pub name: &'a str,
    /// Where the model came from; it becomes a comment in `model.toml`.
    pub header: &'a str,
    /// How often it is kept on its way.
    pub interval: Interval,
    /// For who looks on.
    pub live: &'a Live,
}

impl Archive<'_> {
    /// Runs the model and fills the folder with its files. A run that is stopped or fails on its way leaves its files too;
    /// one whose disk fails can go on from its folder, if that much could be written. If the trajectory cannot even be
    /// begun, nothing is run.
    pub fn run(self, control: Control) -> Result<Archived, FolderError> {
        let begun = Unfinished {
            name: self.name.to_owned(),
            header: self.header.to_owned(),
            model: self.model.to_toml(),
            place: None,
        };
        let format = self.model.format;
        let file = self.folder.stream(trajectory::file_name(format))?;
        let work = trajectory::work_file(format).map(|name| self.folder.stream(name));
        // Nothing is lost with it: it need not survive that power fails.
        self.folder.note(UNFINISHED, &begun.to_bytes())?;
        let continued = Continued {
            run: begun,
            simulation: self.model.simulation(),
            recording: Recording::filmed(self.model),
            seen: None,
            wall_seconds: 0.0,
            files: (file, work.transpose()?),
            mark: None,
        };
        self.go_on(continued, control)
    }

    /// The same from where a run is.
    pub(crate) fn go_on(self, from: Continued, control: Control) -> Result<Archived, FolderError> {
        let Self {
            mut folder,
            model,
            name,
            header,
            interval,
            live,
        } = self;
        let file = trajectory::file_name(model.format);
        let writer = trajectory::writer(model, from.files, from.mark);
        let mut writer = writer.map_err(|error| folder.failure(file, error))?;
        let mut course = Course::new(model, name);
        (course.simulation, course.recording, course.seen) = (from.simulation, from.recording, from.seen);
        course.trajectory = Some(&mut *writer);
        course.live = Some(live);
        course.wall_seconds = from.wall_seconds;
        course.keeper = Some(Keeper {
            folder: &folder,
            interval,
            run: from.run,
            wall_seconds: from.wall_seconds,
            start: Instant::now(),
            refused: None,
        });
        let Ran {
            mut outcome,
            written,
            end,
            mut lost,
            refused,
        } = course.run(control);
        let on_the_disk = |stream: File| match stream.sync_all() {
            Ok(()) => Ok(stream),
            Err(error) => {
                lost |= trajectory::work_file(model.format).is_none();
                Err(error)
            }
        };
        let files = match written.and_then(|()| writer.finish()).and_then(on_the_disk) {
            Ok(stream) => {
                let long = end.as_ref().filter(|(_, long)| *long).map(|(run, _)| run);
                fill(&mut folder, model, header, &outcome, (file, stream), long)
            }
            Err(error) => Err(folder.failure(file, error)),
        };
        let path = folder.path().to_owned();
        let (files, kept) = match files {
            Ok(()) => {
                let safe = folder.is_kept();
                let placed = folder.commit();
                let kept = placed.is_err() && (safe || Folder::is_decided(&path));
                (placed.map(|()| path.clone()), kept.then_some(path))
            }
            Err(error) => {
                if let Some((run, _)) = end
                    && !lost
                    && make_room(&folder, model, &run)
                    && folder.put(UNFINISHED, &run.to_bytes()).is_ok()
                {
                    folder.keep();
                }
                (Err(error), folder.is_kept().then_some(path))
            }
        };
        if let Err(error) = &files {
            outcome.summary.error.get_or_insert_with(|| error.to_string());
        }
        Ok(Archived {
            outcome,
            files,
            kept,
            refused,
        })
    }
}

/// Leaves of hidden files only what a run goes on with: on a full disk that makes room to say where it is. Whether that is
/// on the disk.
fn make_room(folder: &Folder, model: &Model, run: &Unfinished) -> bool {
    let Some(place) = &run.place else { return false };
    let file = trajectory::file_name(model.format);
    let rows = trajectory::work_file(model.format).unwrap_or(file);
    folder.drop_parts(&[file, rows]);
    if rows != file {
        let _ = folder.shorten(file, 0);
    }
    folder.shorten(rows, place.mark.length).is_ok()
}

fn fill(
    folder: &mut Folder,
    model: &Model,
    header: &str,
    outcome: &Outcome,
    (name, trajectory): (&'static str, File),
    end: Option<&Unfinished>,
) -> Result<(), FolderError> {
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
    if let Some(end) = end {
        folder.add(CHECKPOINT, &end.without_rows().to_bytes())?;
    }
    folder.add("report.html", &report)?;
    folder.add("summary.json", &outcome.summary.to_json())
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
