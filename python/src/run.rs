//! What a run left: its trajectory in memory, its summary, its certificate, its pages.
use crate::{errors, functions::Raised, model::Model, simulation::Simulation, values, watch::watched};
use holonomy::simulation::{self as engine, Checkpoint, RunError};
use holonomy_cli::words;
use holonomy_host::{
    archive::{self, Archive},
    folder::{Folder, RUN_FILES, Replace},
    resume::Resumable,
    run::{Taken, run_taken},
    trajectory::{self, Mark, Rows, read::Trajectory},
    unfinished::Interval,
    view::Live,
};
use holonomy_model::{self as model, Source};
use holonomy_report::{
    certificate::{Certificate, Effort},
    figures,
    film::film,
    run::{Control, Outcome, Progress},
    series::Series,
    summary::Summary,
};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::{
    exceptions::{PyOSError, PyTypeError, PyValueError},
    prelude::*,
    types::PyDict,
};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// How a run is made.
pub(crate) struct RunOptions {
    out: Option<PathBuf>,
    force: bool,
    effort: Effort,
    threads: usize,
    checkpoint: Interval,
    /// Called with each row.
    callback: Option<Py<PyAny>>,
    /// Called several times a second.
    progress: Option<Py<PyAny>>,
}

impl RunOptions {
    pub(crate) fn read(given: &Bound<'_, PyDict>) -> PyResult<Self> {
        let item = |key: &str| -> PyResult<Option<Bound<'_, PyAny>>> {
            Ok(given.get_item(key)?.filter(|value| !value.is_none()))
        };
        let callable = |key: &str| -> PyResult<Option<Py<PyAny>>> {
            match item(key)? {
                Some(found) if found.is_callable() => Ok(Some(found.unbind())),
                Some(_) => Err(PyTypeError::new_err(format!("`{key}` is a callable"))),
                None => Ok(None),
            }
        };
        let checkpoint = match item("checkpoint")? {
            None => Interval::default(),
            Some(found) => match found.extract::<f64>() {
                Ok(seconds) if seconds > 0.0 && seconds < 1e9 => {
                    Interval::Time(Duration::from_secs_f64(seconds))
                }
                Ok(0.0) => Interval::Never,
                _ => return Err(PyValueError::new_err("`checkpoint` is a time in s, 0 for never")),
            },
        };
        Ok(Self {
            out: item("out")?.map(|path| path.extract()).transpose()?,
            force: item("force")?.map_or(Ok(false), |force| force.extract())?,
            effort: effort(&item("certify")?.map_or(Ok("usual".to_owned()), |word| word.extract())?)?,
            threads: item("threads")?
                .map_or(Ok(0), |count| count.extract())
                .map_err(|_| PyValueError::new_err("`threads` is how many to use, 0 for one on each core"))?,
            checkpoint,
            callback: callable("callback")?,
            progress: callable("progress")?,
        })
    }
}

/// How much work a certificate is worth.
pub(crate) fn effort(word: &str) -> PyResult<Effort> {
    match word {
        "usual" => Ok(Effort::Usual),
        "full" => Ok(Effort::Full),
        "none" => Ok(Effort::None),
        _ => Err(PyValueError::new_err(
            "`certify` is \"usual\", \"full\" or \"none\"",
        )),
    }
}

/// Rows in memory, shown to a callable on their way.
struct Shown<'a> {
    rows: Vec<f64>,
    callback: Option<&'a Py<PyAny>>,
    /// What it raised, or that it wanted the run to end.
    ended: Option<Option<PyErr>>,
}

impl Rows for Shown<'_> {
    fn push(&mut self, numbers: &[f64]) -> io::Result<()> {
        if self.ended.is_some() {
            return Ok(());
        }
        self.rows.extend_from_slice(numbers);
        let Some(callback) = self.callback else {
            return Ok(());
        };
        let wanted = Python::attach(|py| -> PyResult<bool> {
            let row = PyArray1::from_slice(py, numbers);
            let answer = callback.bind(py).call1((row,))?;
            Ok(!answer.is_none() && answer.is_truthy()?)
        });
        self.ended = match wanted {
            Ok(false) => return Ok(()),
            Ok(true) => Some(None),
            Err(error) => Some(Some(error)),
        };
        Err(io::ErrorKind::Interrupted.into())
    }

    fn settle(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn mark(&self) -> Mark {
        Mark::default()
    }
}

/// A run that is over.
#[pyclass(frozen, module = "holonomy._engine")]
pub(crate) struct Run {
    name: String,
    model: Arc<model::Model>,
    raised: Raised,
    columns: Vec<String>,
    data: Py<PyArray2<f64>>,
    kept: Mutex<Kept>,
    /// Where it ended; not known of a run that was read from a folder.
    end: Option<Checkpoint>,
    folder: Option<PathBuf>,
    effort: Effort,
}

/// What is known of a run, and what is found out when it is asked for.
struct Kept {
    summary: Summary,
    /// `None` of a run that was read from a folder.
    series: Option<Series>,
    film: Option<String>,
    certified: bool,
}

impl Run {
    pub(crate) fn end(&self) -> Option<&Checkpoint> {
        self.end.as_ref()
    }

    /// Makes a run of a model, with files where they are wanted. An error that ended it comes with what there is.
    pub(crate) fn make(
        py: Python<'_>,
        model: &Model,
        options: RunOptions,
    ) -> PyResult<(Self, Option<Py<PyAny>>)> {
        match &options.out {
            None => {
                let simulation = model.model.simulation();
                Self::taken(py, &model.name, &model.model, simulation, &model.raised, options)
            }
            Some(_) => Self::archived(py, model, options),
        }
    }

    /// A run in memory.
    pub(crate) fn taken(
        py: Python<'_>,
        name: &str,
        model: &Arc<model::Model>,
        simulation: engine::Simulation,
        raised: &Raised,
        options: RunOptions,
    ) -> PyResult<(Self, Option<Py<PyAny>>)> {
        let columns = trajectory::columns(model);
        let samples = model.schedule.steps / model.schedule.every.max(1) + 2;
        let most = samples.saturating_mul(columns.len() as u64);
        if most > MOST_NUMBERS {
            return Err(PyValueError::new_err(format!(
                "{samples} samples of {} numbers are too many for memory: record fewer with `every`, or write files with `out`",
                columns.len()
            )));
        }
        let mut rows = Shown {
            rows: Vec::with_capacity(most.min(ROOM) as usize),
            callback: options.callback.as_ref(),
            ended: None,
        };
        let stop = AtomicBool::new(false);
        let in_step = rows.callback.is_some();
        let (taken, signal) = watched(py, options.threads, &stop, || {
            let mut show = |progress: &Progress| shown(options.progress.as_ref(), progress, &stop, raised);
            let control = Control {
                stop: &stop,
                progress: &mut show,
                effort: options.effort,
            };
            run_taken(model, name, simulation, &mut rows, in_step, control)
        });
        let Taken {
            mut outcome,
            end,
            error,
            ..
        } = taken;
        let ended = rows.ended.take();
        if ended.is_some() {
            outcome.summary.stopped = true;
        }
        let run = Self::of(
            py,
            name,
            model,
            raised,
            (columns, rows.rows),
            outcome,
            Some(end),
            None,
            options.effort,
        )?;
        let failure = match (signal, ended, error) {
            (Some(signal), ..) => Some(signal),
            (_, Some(Some(raised)), _) => Some(raised),
            (_, _, Some(error)) => Some(run.failure(py, &error)),
            _ => raised.take(),
        };
        Ok((run, failure.map(|error| error.into_value(py).into_any())))
    }

    /// A run that leaves files.
    fn archived(py: Python<'_>, model: &Model, options: RunOptions) -> PyResult<(Self, Option<Py<PyAny>>)> {
        if options.callback.is_some() {
            return Err(PyValueError::new_err(
                "a run with `out` takes no `callback`: leave one of them out",
            ));
        }
        if !model.model.functions.is_empty() {
            let words = "a model with functions of this process cannot be run into files, which could not be run again";
            return Err(PyValueError::new_err(words));
        }
        let Some(path) = &options.out else {
            unreachable!("asked for by the caller");
        };
        let replace = if options.force {
            Replace::Ours
        } else {
            Replace::Nothing
        };
        let folder = Folder::open(path, RUN_FILES, replace).map_err(errors::folder_error)?;
        let header = format!(
            "Made by the Python package, holonomy {}; `holonomy run model.toml` gives the same.",
            env!("CARGO_PKG_VERSION")
        );
        let stop = AtomicBool::new(false);
        let (archived, signal) = watched(py, options.threads, &stop, || {
            let mut show =
                |progress: &Progress| shown(options.progress.as_ref(), progress, &stop, &model.raised);
            let control = Control {
                stop: &stop,
                progress: &mut show,
                effort: options.effort,
            };
            let live = Live::new("", Some(path));
            let archive = Archive {
                folder,
                model: &model.model,
                name: &model.name,
                header: &header,
                interval: options.checkpoint,
                live: &live,
            };
            archive.run(control)
        });
        let archived = archived.map_err(errors::folder_error)?;
        Self::filled(
            py,
            &model.name,
            &model.model,
            &model.raised,
            archived,
            signal,
            options.effort,
        )
    }

    /// A run whose folder is filled.
    fn filled(
        py: Python<'_>,
        name: &str,
        model: &Arc<model::Model>,
        raised: &Raised,
        archived: archive::Archived,
        signal: Option<PyErr>,
        effort: Effort,
    ) -> PyResult<(Self, Option<Py<PyAny>>)> {
        let archive::Archived {
            outcome, files, kept, ..
        } = archived;
        let folder = files.map_err(|error| {
            let words = words::Sentence::sentence(error);
            PyOSError::new_err(match kept {
                Some(path) => format!("{words}; `holonomy.resume({:?})` goes on", path.display()),
                None => words,
            })
        })?;
        let rows = read_rows(&folder, model)?;
        let message = outcome.summary.error.clone();
        let run = Self::of(py, name, model, raised, rows, outcome, None, Some(folder), effort)?;
        if let Ok(mut kept) = run.kept.lock() {
            kept.certified = true;
        }
        let failure = match (signal, raised.take(), message) {
            (Some(signal), ..) => Some(signal),
            (_, Some(raised), _) => Some(raised),
            (_, _, Some(message)) => Some(errors::plain(
                py,
                "StepError",
                &format!("the run failed {message}"),
            )),
            _ => None,
        };
        Ok((run, failure.map(|error| error.into_value(py).into_any())))
    }

    #[expect(clippy::too_many_arguments, reason = "all that a run is")]
    fn of(
        py: Python<'_>,
        name: &str,
        model: &Arc<model::Model>,
        raised: &Raised,
        (columns, rows): (Vec<String>, Vec<f64>),
        outcome: Outcome,
        end: Option<Checkpoint>,
        folder: Option<PathBuf>,
        effort: Effort,
    ) -> PyResult<Self> {
        let Outcome {
            summary,
            series,
            clip,
        } = outcome;
        let count = rows.len() / columns.len();
        // The array takes the rows over, without a copy.
        let data = PyArray1::from_vec(py, rows).reshape([count, columns.len()])?;
        Ok(Self {
            name: name.to_owned(),
            model: model.clone(),
            raised: raised.clone(),
            columns,
            data: data.unbind(),
            kept: Mutex::new(Kept {
                summary,
                series: Some(series),
                film: film(&clip),
                certified: false,
            }),
            end,
            folder,
            effort,
        })
    }

    /// Why it failed.
    fn failure(&self, py: Python<'_>, error: &RunError) -> PyErr {
        for slot in self.model.mechanism.system().faults() {
            slot.clear();
        }
        if let Some(raised) = self.raised.take() {
            return raised;
        }
        let message = self
            .lock()
            .summary
            .error
            .clone()
            .unwrap_or_else(|| error.to_string());
        errors::step_error(py, error, &format!("the run failed {message}"))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sees to it that there is a certificate.
    fn certify(&self, py: Python<'_>) -> PyResult<()> {
        let (summary, series) = {
            let kept = self.lock();
            match &kept.series {
                Some(series) if !kept.certified => (kept.summary.clone(), series.clone()),
                _ => return Ok(()),
            }
        };
        let stop = AtomicBool::new(false);
        let (certificate, signal) = watched(py, 0, &stop, || {
            let mut integrator = self.model.integrator();
            let go_on = || !stop.load(Ordering::Relaxed);
            Certificate::new(
                &self.model,
                &mut *integrator,
                &summary,
                &series,
                self.effort,
                &go_on,
            )
        });
        if let Some(signal) = signal.or_else(|| self.raised.take()) {
            return Err(signal);
        }
        let mut kept = self.lock();
        kept.summary.certificate = certificate;
        kept.certified = true;
        Ok(())
    }
}

/// Numbers of a trajectory that memory may hold, 16 GB of them, and for which room is made at once.
const MOST_NUMBERS: u64 = 2_000_000_000;
const ROOM: u64 = 4_000_000;

/// Shows how far a run is; an exception ends it.
fn shown(callable: Option<&Py<PyAny>>, progress: &Progress, stop: &AtomicBool, raised: &Raised) {
    let Some(callable) = callable else { return };
    Python::attach(|py| {
        let arguments = (progress.step, progress.steps, progress.t, progress.energy_error);
        if let Err(error) = callable.bind(py).call1(arguments) {
            raised.keep(error);
            stop.store(true, Ordering::Relaxed);
        }
    });
}

/// All rows of the trajectory in a folder.
fn read_rows(folder: &Path, model: &model::Model) -> PyResult<(Vec<String>, Vec<f64>)> {
    let mut saved = Trajectory::open(folder, model).map_err(|error| errors::trajectory_error(&error))?;
    let rows = saved.rows().map_err(|error| errors::trajectory_error(&error))?;
    Ok((trajectory::columns(model), rows))
}

#[pymethods]
impl Run {
    /// The run in a folder.
    #[staticmethod]
    fn open(py: Python<'_>, folder: &str) -> PyResult<Self> {
        let path = Path::new(folder);
        let read = |name: &str| {
            let path = path.join(name);
            fs::read_to_string(&path).map_err(|error| errors::disk(&path.display().to_string(), &error))
        };
        let summary: Summary = serde_json::from_str(&read("summary.json")?)
            .map_err(|error| PyOSError::new_err(format!("{folder}/summary.json is no summary: {error}")))?;
        let source = Source::new(path.join("model.toml").display().to_string(), read("model.toml")?);
        let model = py
            .detach(|| model::load(&source))
            .map_err(|problems| errors::model_error(py, Some(&source), &problems))?;
        let (columns, rows) = read_rows(path, &model)?;
        let count = rows.len() / columns.len();
        let data = PyArray1::from_vec(py, rows).reshape([count, columns.len()])?;
        Ok(Self {
            name: summary.scenario.clone(),
            model: Arc::new(model),
            raised: Raised::default(),
            columns,
            data: data.unbind(),
            kept: Mutex::new(Kept {
                summary,
                series: None,
                film: read("film.json").ok(),
                certified: true,
            }),
            end: None,
            folder: Some(path.to_owned()),
            effort: Effort::Usual,
        })
    }

    /// A run that came from another process.
    #[staticmethod]
    fn restore(
        py: Python<'_>,
        toml: &str,
        name: &str,
        data: Py<PyArray2<f64>>,
        summary: &str,
        film: Option<String>,
    ) -> PyResult<Self> {
        let source = Source::new(name, toml);
        let model = py
            .detach(|| model::load(&source))
            .map_err(|problems| errors::model_error(py, Some(&source), &problems))?;
        let summary = serde_json::from_str(summary).map_err(errors::failed)?;
        Ok(Self {
            name: name.to_owned(),
            columns: trajectory::columns(&model),
            model: Arc::new(model),
            raised: Raised::default(),
            data,
            kept: Mutex::new(Kept {
                summary,
                series: None,
                film,
                certified: true,
            }),
            end: None,
            folder: None,
            effort: Effort::Usual,
        })
    }

    /// Goes on with the run in a folder, or makes it longer.
    #[staticmethod]
    fn resume(
        py: Python<'_>,
        folder: &str,
        duration: Option<&Bound<'_, PyAny>>,
        steps: Option<u64>,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<(Self, Option<Py<PyAny>>)> {
        let options = RunOptions::read(options)?;
        let refused = |error| errors::go_on_error(py, error);
        let resumable = Resumable::open(Path::new(folder)).map_err(refused)?;
        let duration = duration.map(values::to_value).transpose()?;
        let longer = |source: &mut Source| {
            if let Some(duration) = &duration {
                source.without(&["run", "steps"]);
                source.with_value(&["run", "duration"], duration.clone());
            }
            if let Some(steps) = steps {
                source.without(&["run", "duration"]);
                source.with_value(&["run", "steps"], steps);
            }
        };
        let is_longer = duration.is_some() || steps.is_some();
        let model = resumable.model(is_longer.then_some(&longer)).map_err(refused)?;
        let header = resumable.header(is_longer.then_some("holonomy.resume"));
        let name = resumable.name().to_owned();
        let path = resumable.path().to_owned();
        let (stop, raised) = (AtomicBool::new(false), Raised::default());
        let (archived, signal) = watched(py, options.threads, &stop, || {
            let mut show = |progress: &Progress| shown(options.progress.as_ref(), progress, &stop, &raised);
            let control = Control {
                stop: &stop,
                progress: &mut show,
                effort: options.effort,
            };
            let live = Live::new("", Some(&path));
            resumable.go_on(&model, &header, options.checkpoint, &live, control)
        });
        let archived = archived.map_err(refused)?;
        Self::filled(
            py,
            &name,
            &Arc::new(model),
            &raised,
            archived,
            signal,
            options.effort,
        )
    }

    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    #[getter]
    fn columns(&self) -> Vec<String> {
        self.columns.clone()
    }

    /// All numbers, a row for each sample.
    #[getter]
    fn data(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.data.clone_ref(py)
    }

    #[getter]
    fn folder(&self) -> Option<PathBuf> {
        self.folder.clone()
    }

    #[getter]
    fn model(&self) -> Model {
        Model::shared(&self.name, &self.model, &self.raised)
    }

    /// The summary as JSON, with the certificate if it is wanted.
    fn summary(&self, py: Python<'_>, certified: bool) -> PyResult<String> {
        if certified {
            self.certify(py)?;
        }
        Ok(self.lock().summary.to_json())
    }

    #[getter]
    fn is_certified(&self) -> bool {
        self.lock().certified
    }

    /// What the command prints of it.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        self.certify(py)?;
        Ok(words::described(&self.model, &self.lock().summary))
    }

    /// The film that a player shows, as JSON.
    fn film(&self) -> Option<String> {
        self.lock().film.clone()
    }

    /// Figures by name, as SVG.
    fn figures(&self) -> Vec<(String, String)> {
        let kept = self.lock();
        let Some(series) = &kept.series else {
            return self.figures_of_the_folder();
        };
        let system = self.model.mechanism.system();
        let figures = figures::of_run(self.title(), system.layout(), &kept.summary, series);
        figures
            .into_iter()
            .map(|(name, svg)| (name.to_owned(), svg))
            .collect()
    }

    /// The report, a page in one file.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        if let Some(folder) = &self.folder {
            let path = folder.join("report.html");
            return fs::read_to_string(&path)
                .map_err(|error| errors::disk(&path.display().to_string(), &error));
        }
        self.certify(py)?;
        let figures = self.figures();
        let figures: Vec<(&str, String)> = figures
            .iter()
            .map(|(name, svg)| (name.as_str(), svg.clone()))
            .collect();
        let kept = self.lock();
        let page = holonomy_report::report::RunPage::new(self.title(), &kept.summary, &self.model.to_toml());
        Ok(page.html(&figures, kept.film.as_deref()))
    }

    /// A simulation that goes on where the run ended.
    fn simulation(&self, py: Python<'_>) -> PyResult<Simulation> {
        let Some(end) = &self.end else {
            let words = "the run was read from files: go on with `holonomy.resume(folder, duration=…)`";
            return Err(errors::plain(py, "ResumeError", words));
        };
        let simulation = self.model.resume(end);
        let simulation = simulation.map_err(|error| errors::plain(py, "ResumeError", &error.to_string()))?;
        Ok(Simulation::new(&self.name, &self.model, simulation, &self.raised))
    }
}

impl Run {
    fn title(&self) -> &str {
        match self.model.title.as_str() {
            "" => &self.name,
            title => title,
        }
    }

    fn figures_of_the_folder(&self) -> Vec<(String, String)> {
        let Some(folder) = &self.folder else {
            return Vec::new();
        };
        let files = RUN_FILES.iter().filter(|name| name.ends_with(".svg"));
        let found =
            files.filter_map(|name| Some(((*name).to_owned(), fs::read_to_string(folder.join(name)).ok()?)));
        found.collect()
    }
}
