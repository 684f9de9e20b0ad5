//! What is found with the derivatives of a model: linearisation, orbits, inputs, numbers from data, gradients. Each as data,
//! sentence and page of the command.
use crate::{errors, model::Model, watch::watched};
use holonomy::system::State;
use holonomy_cli::words::Sentence;
use holonomy_host::{
    control::{self as host_control, ControlError},
    fit::{self as host_fit, Data, FitError, Free, Segments},
    inverse::{self as host_inverse, InverseError, Motion},
};
use holonomy_model::{self as model, Table, Value};
use holonomy_report::{
    gradient::{self as report_gradient, Gradient, GradientError},
    linearize::{Linearization, LinearizeError, Place, Spectrum},
    orbit::{Along, OrbitError, Orbits, Range, Request},
    verdict::Verdict,
};
use pyo3::{exceptions::PyIndexError, prelude::*, types::PyDict};
use std::{
    num::NonZero,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// What stands on pages where the command would.
const MADE_BY: &str = "the Python package";

/// Rows of numbers by their name.
type Arrays = Vec<(&'static str, Vec<Vec<f64>>)>;
/// A study, and the signal that ended it before it was over.
type Interrupted = (Study, Option<Py<PyAny>>);

/// What was found.
#[pyclass(frozen, module = "holonomy._engine")]
pub(crate) struct Study {
    json: String,
    verdict: &'static str,
    sentence: String,
    /// What the JSON leaves out.
    arrays: Arrays,
    page: Box<dyn Fn() -> String + Send + Sync>,
    /// Models with what was found, by number: as a table, or why there is none.
    models: Box<dyn Fn(usize) -> Option<Result<Table, String>> + Send + Sync>,
    of: Py<Model>,
}

#[pymethods]
impl Study {
    fn to_json(&self) -> &str {
        &self.json
    }

    /// `good`, `doubtful` or `bad`, and a sentence.
    fn conclusion(&self) -> (&'static str, &str) {
        (self.verdict, &self.sentence)
    }

    /// Rows of numbers that the JSON leaves out.
    fn arrays(&self) -> Arrays {
        self.arrays.clone()
    }

    /// The page, in one file.
    fn page(&self, py: Python<'_>) -> String {
        py.detach(|| (self.page)())
    }

    /// The model with what was found; of several by their number.
    #[pyo3(signature = (number=0))]
    fn model(&self, py: Python<'_>, number: usize) -> PyResult<Model> {
        let of = self.of.get();
        let table = (self.models)(number).ok_or_else(|| PyIndexError::new_err("there is no such model"))?;
        let table = table.map_err(|reason| errors::plain(py, "AnalysisError", &reason))?;
        Model::build(py, &of.name, &table, &of.model.functions, &of.raised)
    }
}

impl Study {
    fn new(
        of: Py<Model>,
        json: String,
        (verdict, sentence): (Verdict, String),
        page: impl Fn() -> String + Send + Sync + 'static,
    ) -> Self {
        let verdict = match verdict {
            Verdict::Good => "good",
            Verdict::Doubtful => "doubtful",
            Verdict::Bad => "bad",
            Verdict::Neutral => "neutral",
        };
        Self {
            json,
            verdict,
            sentence,
            arrays: Vec::new(),
            page: Box::new(page),
            models: Box::new(|_| None),
            of,
        }
    }

    /// With the signal that came meanwhile: what was found before is not lost.
    fn with(self, py: Python<'_>, signal: Option<PyErr>) -> Interrupted {
        (self, signal.map(|signal| signal.into_value(py).into_any()))
    }
}

fn title(model: &Model) -> String {
    match model.model.title.as_str() {
        "" => model.name.clone(),
        title => title.to_owned(),
    }
}

/// Linearises a model where it starts, `at` a time, or in equilibrium.
#[pyfunction]
pub(crate) fn linearize(
    py: Python<'_>,
    model: Py<Model>,
    at: Option<f64>,
    settled: bool,
    lyapunov: bool,
) -> PyResult<Study> {
    let own = model.get();
    let place = match (at, settled) {
        (Some(at), _) => Place::At(at),
        (None, true) => Place::Settled,
        (None, false) => Place::Start,
    };
    let stop = AtomicBool::new(false);
    let (found, signal) = watched(py, 0, &stop, || {
        let mut ahead = |_: u64, _: u64| !stop.load(Ordering::Relaxed);
        let mut found = Linearization::new(&own.model, &own.name, place, &mut ahead)?;
        if lyapunov {
            found.lyapunov = Some(Spectrum::new(&own.model, &mut ahead)?);
        }
        Ok(found)
    });
    if let Some(signal) = signal.or_else(|| own.raised.take()) {
        return Err(signal);
    }
    let found = found.map_err(|error: LinearizeError| failed(py, "linearize", error, &[]))?;
    let (title, shown) = (title(own), own.model.clone());
    Ok(Study::new(
        model,
        found.to_json(),
        found.conclusion(),
        move || found.page(&shown, &title, MADE_BY),
    ))
}

/// The gradient of an output, `at` a time or at the end of the run, by all there is or what is named.
#[pyfunction]
pub(crate) fn gradient(
    py: Python<'_>,
    model: Py<Model>,
    of: String,
    at: Option<f64>,
    by: Vec<String>,
) -> PyResult<Study> {
    let own = model.get();
    let request = report_gradient::Request { of, at, by };
    let stop = AtomicBool::new(false);
    let (found, signal) = watched(py, 0, &stop, || {
        let mut ahead = |_: u64, _: u64| !stop.load(Ordering::Relaxed);
        Gradient::new(&own.model, &own.name, &request, &mut ahead)
    });
    if let Some(signal) = signal.or_else(|| own.raised.take()) {
        return Err(signal);
    }
    let found = found.map_err(|error: GradientError| failed(py, "gradient", error, &[]))?;
    let title = title(own);
    let (verdict, sentence) = found.conclusion();
    Ok(Study::new(
        model,
        found.to_json(),
        (verdict, keywords(&sentence)),
        move || found.page(&title, MADE_BY),
    ))
}

/// Finds periodic orbits: `along` is the key that varies, or nothing for the energy, with the first value, the last and
/// their number.
#[pyfunction]
pub(crate) fn orbit(
    py: Python<'_>,
    model: Py<Model>,
    period: f64,
    hold: bool,
    along: Option<(Option<String>, f64, f64, usize)>,
    segments: usize,
    most: usize,
) -> PyResult<Interrupted> {
    let own = model.get();
    let along = along.map(|(key, from, to, count)| {
        let range = Range { from, to, count };
        match key {
            Some(key) => Along::Key { key, range },
            None => Along::Energy(range),
        }
    });
    let request = Request {
        period,
        hold,
        segments,
        along: along.clone(),
        most,
    };
    let stop = AtomicBool::new(false);
    let (found, signal) = watched(py, 0, &stop, || {
        let mut ahead = |_: u64, _: u64| !stop.load(Ordering::Relaxed);
        Orbits::new(&own.model, &own.name, &request, &mut ahead)
    });
    if let Some(raised) = own.raised.take() {
        return Err(raised);
    }
    let found = match (found, signal.as_ref()) {
        (Ok(found), _) => Arc::new(found),
        (Err(_), Some(_)) => return Err(signal.unwrap_or_else(|| errors::failed("it was stopped"))),
        (Err(error), None) => {
            let data = match &error {
                OrbitError::Open { iterations, residual } => {
                    vec![("iterations", *iterations as f64), ("residual", *residual)]
                }
                _ => Vec::new(),
            };
            return Err(failed(py, "orbit", error, &data));
        }
    };
    let (title, shown) = (title(own), own.model.clone());
    let (drawn, path) = (found.clone(), along.clone());
    let mut study = Study::new(
        model.clone_ref(py),
        found.to_json(),
        found.conclusion(),
        move || drawn.page(&shown, path.as_ref(), &title, MADE_BY),
    );
    let own = own.model.clone();
    study.models = Box::new(move |number| {
        let orbit = found.orbits.get(number)?;
        let made = found.model(&own, along.as_ref(), orbit);
        Some(made.map(|model| model.table).map_err(Sentence::sentence))
    });
    Ok(study.with(py, signal))
}

/// Seeks the inputs that a model asks for, or only the feedback that holds its motion.
#[pyfunction]
pub(crate) fn control(py: Python<'_>, model: Py<Model>, hold: bool) -> PyResult<Interrupted> {
    let own = model.get();
    let stop = AtomicBool::new(false);
    let (found, signal) = watched(py, 0, &stop, || match hold {
        true => host_control::hold(&own.model, &own.name),
        false => host_control::seek(&own.model, &own.name, &stop, &mut |_, _| {}),
    });
    if let Some(raised) = own.raised.take() {
        return Err(raised);
    }
    let (found, fed) = found.map_err(|error: ControlError| failed(py, "control", error, &[]))?;
    let title = title(own);
    let (efforts, drawn) = (found.efforts.clone(), found.clone());
    let mut study = Study::new(
        model.clone_ref(py),
        found.to_json(),
        found.conclusion(),
        move || drawn.page(&title, MADE_BY),
    );
    study.arrays = vec![
        ("motion", found.motion),
        ("outputs", found.curves),
        ("gains", found.gains),
    ];
    let own = own.model.clone();
    study.models = Box::new(move |number| {
        let table = host_control::with_inputs(&own, &efforts, fed.as_ref());
        (number == 0).then(|| table.ok_or_else(|| NO_EFFORT.to_owned()))
    });
    Ok(study.with(py, signal))
}

/// What an input may act on and no effort of a model.
const NO_EFFORT: &str =
    "an input acts on something that has no effort of its own in a model; step a simulation with the inputs";

/// Seeks the numbers of a model that come closest to a table, in so many stretches or as many as the motion asks for.
#[pyfunction]
pub(crate) fn fit(
    py: Python<'_>,
    model: Py<Model>,
    data: PathBuf,
    free: Vec<String>,
    segments: Option<NonZero<usize>>,
    threads: usize,
) -> PyResult<Interrupted> {
    let own = model.get();
    let segments = segments.map_or(Segments::Auto, Segments::Count);
    let stop = AtomicBool::new(false);
    let (found, signal) = watched(py, threads, &stop, || {
        let data = Data::read(&data, &own.model)?;
        let free = free.iter().map(|text| Free::parse(text, &own.model));
        let free: Vec<Free> = free.collect::<Result<_, _>>()?;
        let watch: (_, &mut dyn FnMut(usize, f64)) = (&stop, &mut |_, _| {});
        host_fit::fit_in(&own.model, &own.name, &data, &free, segments, watch)
    });
    if let Some(raised) = own.raised.take() {
        return Err(raised);
    }
    let (found, best) = found.map_err(|error: FitError| failed(py, "fit", error, &[]))?;
    let (title, drawn) = (title(own), found.clone());
    let mut study = Study::new(
        model.clone_ref(py),
        found.to_json(),
        found.conclusion(),
        move || drawn.page(&title, MADE_BY),
    );
    study.arrays = vec![
        ("times", vec![found.times]),
        (
            "measured",
            found
                .columns
                .iter()
                .map(|column| column.measured.clone())
                .collect(),
        ),
        (
            "residuals",
            found.columns.into_iter().map(|column| column.residuals).collect(),
        ),
    ];
    study.models = Box::new(move |number| (number == 0).then(|| Ok(best.table.clone())));
    Ok(study.with(py, signal))
}

/// Computes the inputs of a motion that a table tells.
#[pyfunction]
pub(crate) fn inverse(py: Python<'_>, model: Py<Model>, motion: PathBuf) -> PyResult<Interrupted> {
    let own = model.get();
    let stop = AtomicBool::new(false);
    let (found, signal) = watched(py, 0, &stop, || {
        let motion = Motion::read(&motion, &own.model)?;
        host_inverse::inverse(&own.model, &own.name, &motion, &stop, &mut |_, _| {})
    });
    if let Some(raised) = own.raised.take() {
        return Err(raised);
    }
    let (found, start) = found.map_err(|error: InverseError| {
        let data = match &error {
            InverseError::Unreachable { row, .. } => vec![("row", *row as f64)],
            _ => Vec::new(),
        };
        failed(py, "inverse", error, &data)
    })?;
    let (title, drawn) = (title(own), found.clone());
    let mut study = Study::new(
        model.clone_ref(py),
        found.to_json(),
        found.conclusion(),
        move || drawn.page(&title, MADE_BY),
    );
    if let Some(start) = &start {
        study.arrays = vec![("start", vec![start.q.clone(), start.p.clone()])];
    }
    let (own, efforts) = (own.model.clone(), found.efforts);
    study.models = Box::new(move |number| {
        let table = host_control::with_inputs(&own, &efforts, None).map(|mut table| {
            if let Some(start) = &start {
                table.insert("state", started(&own, start));
            }
            table
        });
        (number == 0).then(|| table.ok_or_else(|| NO_EFFORT.to_owned()))
    });
    Ok(study.with(py, signal))
}

/// A state as a section of a model.
fn started(model: &model::Model, start: &State) -> Value {
    let list = |values: &[f64]| Value::List(values.iter().map(|x| Value::from(*x)).collect());
    let system = model.mechanism.system();
    let mut v = vec![0.0; start.p.len()];
    system.velocity(start.t, &start.q, &start.p, &mut v, &mut system.scratch());
    let mut state = Table::new();
    state.insert("t", start.t);
    state.insert("q", list(&start.q));
    state.insert("v", list(&v));
    Value::Table(state)
}

/// Why nothing was found, with its numbers.
fn failed(py: Python<'_>, of: &str, error: impl Sentence, numbers: &[(&str, f64)]) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let data = PyDict::new(py);
        data.set_item("of", of)?;
        for (name, number) in numbers {
            data.set_item(name, number)?;
        }
        Ok(errors::raised(
            py,
            "AnalysisError",
            &keywords(&error.sentence()),
            &data,
        ))
    };
    make().unwrap_or_else(|error| error)
}

/// Flags of the command as the keywords that they are in Python: `--period 2` is `period=2`.
fn keywords(text: &str) -> String {
    let mut parts = text.split("`--");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push('`');
        match part.find([' ', '`']) {
            Some(end) if part[end..].starts_with(' ') => {
                out += &part[..end];
                out.push('=');
                out += &part[end + 1..];
            }
            _ => out += part,
        }
    }
    out
}
