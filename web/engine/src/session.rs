//! A model and runs of it, on one clock.
use crate::{
    drag,
    live::Words,
    loading::{self, Draft, Loaded},
    places::Problem,
    run::{Run, RunSpec, Sizes},
    settings::Setting,
    swarm::{Swarm, SwarmSizes},
};
use holonomy_model::{Model, load};
use serde::Serialize;

/// What a page works with. Made empty; [`load`](Self::load) and [`open`](Self::open) fill it.
#[derive(Default)]
pub struct Session {
    draft: Option<Draft>,
    model: Option<Model>,
    runs: Vec<Run>,
    swarm: Option<Swarm>,
    /// The time that all runs have reached, and that they are to reach, s.
    time: f64,
    target: f64,
    /// Seconds between two rows for plots.
    rows_apart: f64,
    floats: Vec<f32>,
    doubles: Vec<f64>,
}

/// Rows for plots between two frames, at most; fewer where these have more numbers altogether.
const ROWS: usize = 64;
const NUMBERS: usize = 4096;

/// What became of opening runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Opened {
    /// What the frames of each run hold.
    pub sizes: Vec<Sizes>,
    /// Why they started afresh although they were to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restarted: Option<String>,
}

/// A model as a run has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Described {
    /// As text, with all settings, method and step.
    pub text: String,
    /// The command line that repeats it.
    pub command: String,
    /// A number that tells it from models that move differently.
    pub fingerprint: String,
    /// Why the run cannot go on, if it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

impl Session {
    /// Reads a model. Where it cannot be used, the one before stays.
    pub fn load(&mut self, text: &str, settings: &[Setting]) -> Result<Loaded, Vec<Problem>> {
        let draft = Draft::new(text, settings);
        let source = draft.source(&RunSpec::default());
        let model = load(&source).map_err(|problems| Problem::list(&source, &problems))?;
        let shown = loading::shown(&draft, &source, &model);
        (self.draft, self.model) = (Some(draft), Some(model));
        Ok(shown)
    }

    /// Opens runs of the model from its start, or from where the present ones are: each from the one of its number, or
    /// else from the first. Where one cannot be opened, the present ones stay.
    pub fn open(&mut self, specs: &[RunSpec], carry_over: bool) -> Result<Opened, Vec<Problem>> {
        let Some(draft) = &self.draft else {
            return Err(vec![Problem::plain("no model is loaded")]);
        };
        let mut models = Vec::with_capacity(specs.len());
        for spec in specs {
            let source = draft.source(spec);
            models.push(load(&source).map_err(|problems| Problem::list(&source, &problems))?);
        }
        let mut restarted = None;
        let mut runs = Vec::with_capacity(specs.len());
        for (k, (spec, model)) in specs.iter().zip(models).enumerate() {
            let from = self.runs.get(k).or(self.runs.first()).filter(|_| carry_over);
            match Run::new(spec.clone(), model, from) {
                Ok(run) => runs.push(run),
                Err(why) => {
                    restarted = Some(why.to_string());
                    break;
                }
            }
        }
        if restarted.is_some() {
            return Ok(Opened {
                restarted,
                ..self.open(specs, false)?
            });
        }
        self.runs = runs;
        self.swarm = None;
        self.time = self.runs.iter().map(Run::t).fold(f64::NEG_INFINITY, f64::max);
        self.target = self.time;
        Ok(Opened {
            sizes: self.runs.iter().map(Run::sizes).collect(),
            restarted: None,
        })
    }

    /// How many runs there are.
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    /// The time that all runs have reached, s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Sets the time to reach, by so many seconds from now.
    pub fn begin(&mut self, seconds: f64) {
        let seconds = if seconds > 0.0 && seconds.is_finite() {
            seconds
        } else {
            0.0
        };
        self.target = self.time + seconds;
        let largest = self.runs.iter().map(|run| run.model.state.q.len()).max();
        let rows = (NUMBERS / largest.unwrap_or(1).max(1)).clamp(1, ROWS);
        self.rows_apart = seconds / rows as f64;
    }

    /// Goes on towards it, by at most so many of the shortest steps; whether it is reached. Runs that fail stay where
    /// they are, and the others go on.
    pub fn slice(&mut self, most: f64) -> bool {
        let alive = self.runs.iter().filter(|run| run.failed.is_none());
        let Some(step) = alive.map(Run::step).reduce(f64::min) else {
            return true;
        };
        let stretch = (most.max(1.0) * step).min(self.rows_apart.max(step));
        let next = self.time + stretch;
        // What is left is not to be cut into a piece that is shorter than a step.
        let last = next >= self.target - 1e-6 * step;
        self.time = if last { self.target } else { next };
        for run in &mut self.runs {
            run.advance_to(self.time, self.rows_apart);
        }
        if let Some(swarm) = &mut self.swarm {
            swarm.advance_to(self.time);
        }
        last
    }

    /// Goes to a time between the start and the latest, exactly as it was.
    pub fn seek(&mut self, t: f64) {
        let latest = self
            .runs
            .iter()
            .map(Run::latest)
            .fold(f64::NEG_INFINITY, f64::max);
        let t = if t.is_nan() { self.time } else { t.min(latest) };
        for run in &mut self.runs {
            run.seek(t);
        }
        self.swarm = None;
        self.time = self.runs.iter().map(Run::t).fold(f64::NEG_INFINITY, f64::max);
        self.target = self.time;
    }

    /// Takes exactly so many steps with every run.
    pub fn steps(&mut self, count: u64) {
        for run in &mut self.runs {
            let t = run.t() + count as f64 * run.step();
            run.advance_to(t, f64::INFINITY);
        }
        self.time = self.runs.iter().map(Run::t).fold(f64::NEG_INFINITY, f64::max);
        self.target = self.time;
    }

    /// Fills the buffers with a frame of a run; gives the rows of its trace, none where there is no such run.
    pub fn frame(&mut self, run: usize) -> usize {
        match self.runs.get_mut(run) {
            Some(run) => run.frame(&mut self.floats, &mut self.doubles),
            None => 0,
        }
    }

    /// Places of the last frame.
    pub fn floats(&self) -> &[f32] {
        &self.floats
    }

    /// All else of the last frame.
    pub fn doubles(&self) -> &[f64] {
        &self.doubles
    }

    /// Starts a swarm of copies around where the first run is, or ends it.
    pub fn swarm(&mut self, count: usize, spread: f64) {
        let run = self.runs.first().filter(|_| count > 0);
        self.swarm = run.map(|run| Swarm::new(run, count, spread));
    }

    /// Fills the buffer with the swarm: points, coordinates and velocities of all copies, then their spread.
    pub fn swarm_frame(&mut self) -> SwarmSizes {
        match &mut self.swarm {
            Some(swarm) => swarm.frame(&mut self.floats),
            None => {
                self.floats.clear();
                self.floats.push(0.0);
                SwarmSizes::default()
            }
        }
    }

    /// What makes a body start in a direction from its pivot.
    pub fn set_direction(&self, body: &str, direction: [f64; 3]) -> Result<Vec<Setting>, String> {
        match &self.model {
            Some(model) => drag::set_direction(model, body, direction),
            None => Err(NO_MODEL.to_owned()),
        }
    }

    /// What makes a point of formulas start as near as it can to a ray.
    pub fn pull(&self, point: &str, origin: [f64; 3], direction: [f64; 3]) -> Result<Vec<Setting>, String> {
        match &self.model {
            Some(model) => drag::pull(model, point, origin, direction),
            None => Err(NO_MODEL.to_owned()),
        }
    }

    /// What can be said of a run so far.
    pub(crate) fn certificate(&mut self, run: usize) -> Option<Words> {
        let run = self.runs.get_mut(run)?;
        run.look();
        let Run {
            live,
            model,
            simulation,
            failed,
            ..
        } = run;
        Some(live.certificate(model, simulation, failed.as_deref()))
    }

    /// The model of a run.
    pub fn describe(&self, run: usize) -> Option<Described> {
        let (run, draft) = (self.runs.get(run)?, self.draft.as_ref()?);
        Some(Described {
            text: run.model.to_toml(),
            command: draft.command(&run.spec),
            fingerprint: run.model.fingerprint().to_string(),
            failed: run.failed.as_ref().map(|why| format!("the run failed {why}")),
        })
    }

    /// The hash of where a run is.
    pub fn hash(&self, run: usize) -> Option<u64> {
        Some(self.runs.get(run)?.simulation.state.digest())
    }
}

const NO_MODEL: &str = "no model is loaded";
