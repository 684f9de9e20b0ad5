//! Goes on with a run that was interrupted or stopped, or makes one that has ended longer: with the bits of a run without a
//! break.
//!
//! ```text
//! .unfinished.part    interrupted: the model, and where it was kept last, if it was
//! checkpoint.bin      ended, and long: where it can go on; the rows of its trajectory are read back
//! model.toml          ended, and short: it is made again from its start, which gives the same bits
//! ```
mod differences;

use crate::{
    archive::{Archive, Archived},
    binary,
    folder::{CHECKPOINT, Folder, FolderError, RUN_FILES, UNFINISHED},
    trajectory::{
        self, Files, Mark,
        read::{Trajectory, TrajectoryError},
    },
    unfinished::{Interval, Standing, Unfinished, UnfinishedError},
    view::Live,
};
use differences::differences;
use holonomy::simulation::{Checkpoint, Label, ResumeError, Simulation};
use holonomy_model::{self as model, Model, Problem, Source};
use holonomy_report::run::{Control, Recording};
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

/// A folder with a run that can go on.
pub struct Resumable {
    folder: Folder,
    run: Unfinished,
    /// Whether it ended, and its files are in their places.
    ended: Option<Ended>,
}

/// What its summary says of a run that ended.
#[derive(serde::Deserialize)]
struct Ended {
    scenario: String,
    steps: u64,
    t_end: f64,
    #[serde(default)]
    stopped: bool,
    #[serde(default)]
    error: Option<String>,
}

/// Why a run cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum GoOnError {
    /// There is no run.
    #[error("{} holds no run", path.display())]
    Nothing {
        /// The folder.
        path: PathBuf,
    },
    /// What is kept of it cannot be used.
    #[error("{} cannot be used: {source}", path.display())]
    Kept {
        /// The file.
        path: PathBuf,
        /// Why.
        source: UnfinishedError,
    },
    /// A file of it cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It went to its end, and nothing is said about a later one.
    #[error("the run in {} is over: it went to its end at t = {t} s, in {steps} steps", path.display())]
    Over {
        /// The folder.
        path: PathBuf,
        /// Its end, s.
        t: f64,
        /// Its steps.
        steps: u64,
    },
    /// The new end is before what there is.
    #[error("the run in {} has {reached} steps, and is to have {wanted}", path.display())]
    Shorter {
        /// The folder.
        path: PathBuf,
        /// What there is.
        reached: u64,
        /// What is wanted.
        wanted: u64,
    },
    /// The model was changed since.
    #[error("{} is no longer the model of the run: {}", path.display(), keys.join(", "))]
    Changed {
        /// The model.
        path: PathBuf,
        /// What differs, with both values.
        keys: Vec<String>,
    },
    /// Method, options or state do not fit.
    #[error("{source}")]
    Refused {
        /// Why.
        source: ResumeError,
    },
    /// The model cannot be read.
    #[error("the model of the run cannot be read")]
    BadModel {
        /// Its text.
        text: Box<Source>,
        /// What is wrong.
        problems: Vec<Problem>,
    },
    /// The trajectory that ended cannot be read back.
    #[error(transparent)]
    Trajectory(#[from] TrajectoryError),
    /// The folder refuses.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// All that a run goes on with.
pub(crate) struct Continued {
    pub(crate) run: Unfinished,
    pub(crate) simulation: Simulation,
    pub(crate) recording: Recording,
    pub(crate) seen: Option<u64>,
    pub(crate) wall_seconds: f64,
    /// The trajectory, and its work file.
    pub(crate) files: Files,
    pub(crate) mark: Option<Mark>,
}

impl Resumable {
    /// Opens a folder, and keeps others from it.
    pub fn open(path: &Path) -> Result<Self, GoOnError> {
        let nothing = || GoOnError::Nothing {
            path: path.to_owned(),
        };
        if !path.is_dir() {
            return Err(nothing());
        }
        let folder = Folder::reopen(path, RUN_FILES)?;
        if folder.is_interrupted() {
            let run = read(
                &path.join(format!(".{UNFINISHED}.part")),
                folder.read_hidden(UNFINISHED)?,
            )?;
            return Ok(Self {
                folder,
                run,
                ended: None,
            });
        }
        let text = |name: &str| {
            let path = path.join(name);
            fs::read_to_string(&path).map_err(|source| match source.kind() {
                io::ErrorKind::NotFound => nothing(),
                _ => GoOnError::Unreadable { path, source },
            })
        };
        let ended: Ended = serde_json::from_str(&text("summary.json")?).map_err(|_| nothing())?;
        let model = text("model.toml")?;
        let checkpoint = path.join(CHECKPOINT);
        let run = match fs::read(&checkpoint) {
            Ok(bytes) => {
                let run = read(&checkpoint, bytes)?;
                let keys = differences(&run.model, &model);
                if !keys.is_empty() {
                    let path = path.join("model.toml");
                    return Err(GoOnError::Changed { path, keys });
                }
                Unfinished { model, ..run }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Unfinished {
                name: ended.scenario.clone(),
                header: comments(&model),
                model,
                place: None,
            },
            Err(source) => {
                return Err(GoOnError::Unreadable {
                    path: checkpoint,
                    source,
                });
            }
        };
        Ok(Self {
            folder,
            run,
            ended: Some(ended),
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.run.name
    }

    /// Steps that were taken and need not be taken again.
    pub fn steps(&self) -> u64 {
        let checkpoint = self.run.place.as_ref().map(|place| &place.simulation);
        let checkpoint = checkpoint.and_then(|bytes| Checkpoint::from_bytes(bytes).ok());
        checkpoint.map_or(0, |checkpoint| checkpoint.steps())
    }

    /// The model as it was, and with another end if `longer` gives it one: as the run is to be.
    pub fn model(&self, longer: Option<&dyn Fn(&mut Source)>) -> Result<Model, GoOnError> {
        let load = |source: Source| {
            model::load(&source).map_err(|problems| GoOnError::BadModel {
                text: Box::new(source),
                problems,
            })
        };
        let path = self.path().to_owned();
        let mut source = Source::new(path.join("model.toml").display().to_string(), &self.run.model);
        let mut model = load(source.clone())?;
        if let Some(longer) = longer {
            let options = model.options.clone();
            longer(&mut source);
            model = load(source.clone())?;
            // The longest step of an adaptive method follows from the length of the run, unless it is given.
            if let Some(max_step) = options.max_step.filter(|_| model.options != options) {
                source.with_value(&["method", "max_step"], max_step);
                model = load(source)?;
            }
        }
        let wanted = model.schedule.steps;
        match &self.ended {
            Some(ended) if wanted < ended.steps => Err(GoOnError::Shorter {
                path,
                reached: ended.steps,
                wanted,
            }),
            Some(ended) if wanted == ended.steps && !ended.stopped && ended.error.is_none() => {
                Err(GoOnError::Over {
                    path,
                    t: ended.t_end,
                    steps: ended.steps,
                })
            }
            None if wanted < self.steps() => Err(GoOnError::Shorter {
                path,
                reached: self.steps(),
                wanted,
            }),
            _ => Ok(model),
        }
    }

    /// What stands above the model: by whom it was made, and if it is made longer, by whom.
    pub fn header(&self, longer: Option<&str>) -> String {
        match longer {
            Some(command) => format!("{}\nMade longer by `{command}`.", self.run.header),
            None => self.run.header.clone(),
        }
    }

    /// Goes on to the end of the model, which is this run's or has a later end.
    pub fn go_on(
        self,
        model: &Model,
        header: &str,
        interval: Interval,
        live: &Live,
        control: Control,
    ) -> Result<Archived, GoOnError> {
        let Self {
            folder,
            mut run,
            ended,
        } = self;
        let name = run.name.clone();
        let place = run.place.take();
        (run.header, run.model) = (header.to_owned(), model.to_toml());
        let (simulation, recording, seen, wall_seconds, mark) = match &place {
            None => (model.simulation(), Recording::filmed(model), None, 0.0, None),
            Some(place) => {
                let damaged = || GoOnError::Kept {
                    path: folder.path().to_owned(),
                    source: UnfinishedError::Damaged,
                };
                let recording = binary::from_bytes(&place.recording).map_err(|_| damaged())?;
                let checkpoint = Checkpoint::from_bytes(&place.simulation).map_err(|_| damaged())?;
                let simulation = resumed(model, &checkpoint)?;
                let mark = place.mark.clone();
                (simulation, recording, place.seen, place.wall_seconds, Some(mark))
            }
        };
        let (files, mark) = match (&ended, mark) {
            (None, Some(mark)) => (continued_files(&folder, model, &mark)?, Some(mark)),
            (Some(_), Some(mark)) => copied_files(&folder, model, mark.rows)?,
            (_, None) => (new_files(&folder, model)?, None),
        };
        run.place = place.map(|place| Standing {
            mark: mark.clone().unwrap_or_default(),
            ..place
        });
        folder.put(UNFINISHED, &run.to_bytes())?;
        let continued = Continued {
            run,
            simulation,
            recording,
            seen,
            wall_seconds,
            files,
            mark,
        };
        let archive = Archive {
            folder,
            model,
            name: &name,
            header,
            interval,
            live,
        };
        Ok(archive.go_on(continued, control)?)
    }
}

fn read(path: &Path, bytes: Vec<u8>) -> Result<Unfinished, GoOnError> {
    Unfinished::from_bytes(&bytes).map_err(|source| GoOnError::Kept {
        path: path.to_owned(),
        source,
    })
}

/// A simulation where a checkpoint was made, with the label of the model as it is now.
fn resumed(model: &Model, checkpoint: &Checkpoint) -> Result<Simulation, GoOnError> {
    let refused = |source| GoOnError::Refused { source };
    let label = Label {
        model: Some(model.fingerprint()),
        ..checkpoint.label().clone()
    };
    // The longest step of an adaptive method may have become a key of the model.
    let same = model.options == checkpoint.label().options;
    let simulation = match same && checkpoint.label().model != label.model {
        true => {
            let mut simulation = model.simulation().labelled(checkpoint.label().clone());
            simulation.resume(checkpoint).map_err(refused)?;
            simulation
        }
        false => model.resume(checkpoint).map_err(refused)?,
    };
    Ok(simulation.labelled(label))
}

fn new_files(folder: &Folder, model: &Model) -> Result<Files, FolderError> {
    let work = trajectory::work_file(model.format).map(|name| folder.stream(name));
    Ok((
        folder.stream(trajectory::file_name(model.format))?,
        work.transpose()?,
    ))
}

/// The files of a run that was interrupted, as far as they count.
fn continued_files(folder: &Folder, model: &Model, mark: &Mark) -> Result<Files, FolderError> {
    let file = trajectory::file_name(model.format);
    match trajectory::work_file(model.format) {
        Some(work) => Ok((folder.stream(file)?, Some(folder.stream_on(work, mark.length)?))),
        None => Ok((folder.stream_on(file, mark.length)?, None)),
    }
}

/// New files with the first rows of a trajectory that ended.
fn copied_files(folder: &Folder, model: &Model, rows: u64) -> Result<(Files, Option<Mark>), GoOnError> {
    let (file, work) = new_files(folder, model)?;
    let twice = |file: &File| file.try_clone();
    let name = trajectory::file_name(model.format);
    let disk = |error| GoOnError::Folder(folder.failure(name, error));
    let again = (
        twice(&file).map_err(disk)?,
        work.as_ref().map(twice).transpose().map_err(disk)?,
    );
    let mut writer = trajectory::writer(model, again, None).map_err(disk)?;
    let mut before = Trajectory::open(folder.path(), model)?;
    let mut row = Vec::new();
    for index in 0..rows as usize {
        before.row(index, &mut row)?;
        writer.push(&row).map_err(disk)?;
    }
    writer.settle().map_err(disk)?;
    Ok(((file, work), Some(writer.mark())))
}

/// The comments that a text begins with.
fn comments(text: &str) -> String {
    let lines = text.lines().take_while(|line| line.starts_with('#'));
    let lines: Vec<&str> = lines.map(|line| line.trim_start_matches('#').trim()).collect();
    lines.join("\n")
}
