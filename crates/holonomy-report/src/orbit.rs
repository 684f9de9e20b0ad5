//! Periodic orbits: shooting with the tangents of the steps, and branches of them.
//!
//! ```text
//! Φ_i(z_i) − z_{i+1} = 0        segments of N steps h = T/N together; the last ends where the first begins
//! f(z₀)·δz₀ = 0                 the phase: no shift along the orbit
//! H(z₀) = E                     of what conserves energy, where T is not held
//! τ·δu = 0                      on a branch: perpendicular to its direction τ (pseudo-arclength)
//! ```
//! Where neighbours close, too, a method may close none of them: then what is left open is that of the method, and said.
//! Unknown are the z_i, T, and a parameter or E. The equations depend on each other where momenta are conserved, and
//! solutions are not unique where a symmetry moves them: the least step in the sense of least squares is taken. Momenta are
//! measured in a unit.
mod branch;
mod degenerate;
mod newton;
mod page;
#[cfg(test)]
mod tests;

use branch::Branch;
pub use branch::{Along, Event, Range};
pub use degenerate::Free;
pub use page::stability;

use crate::{
    linearize::{LinearizeError, Multiplier, bounded, multipliers, symplectic_defect},
    summary::json,
};
use holonomy::{
    derivative::{Flow, Lost, Minimal},
    math,
    system::State,
};
use holonomy_model::{ChangeError, Model, Table, Value};
use serde::Serialize;

/// What is sought.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The period to begin with, s.
    pub period: f64,
    /// Whether it is held; else it is found with the orbit.
    pub hold: bool,
    /// Parts of the orbit that are solved side by side; chosen if zero.
    pub segments: usize,
    /// The branch that is followed, if one is.
    pub along: Option<Along>,
    /// Points of a branch at most.
    pub most: usize,
}

/// A periodic orbit.
#[derive(Clone, Debug, Serialize)]
pub struct Orbit {
    /// The parameter of the branch, or the energy; `null` of an orbit alone.
    pub parameter: Option<f64>,
    /// T, s.
    pub period: f64,
    /// Steps that it takes.
    pub steps: u64,
    /// Energy at its start, J.
    pub energy: f64,
    /// Where it starts: coordinates.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// How far it is from closing, in coordinates and in units of momenta.
    pub residual: f64,
    /// Where that is the error of the method: the directions in which neighbours close as well; `null` elsewhere.
    pub free: Option<Free>,
    /// Corrections that it took.
    pub iterations: usize,
    /// How far it goes, in coordinates, from its start.
    pub extent: f64,
    /// Eigenvalues of the matrix of the whole period.
    pub multipliers: Vec<Multiplier>,
    /// The largest |μ|.
    pub largest: f64,
    /// Whether no multiplier is outside the unit circle by more than its error.
    pub stable: bool,
    /// How far the matrix of the period is from symplectic, momenta in units that suit; `null` where forces do work.
    pub symplectic_defect: Option<f64>,
    /// The same matrix, row by row, in minimal coordinates.
    pub monodromy: Vec<Vec<f64>>,
    #[serde(skip)]
    pub(crate) state: State,
}

/// Orbits that were found.
#[derive(Clone, Debug, Serialize)]
pub struct Orbits {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the method.
    pub method: String,
    /// Whether the matrices are exact, and not by differences.
    pub exact: bool,
    /// What was varied; empty of one orbit.
    pub varied: String,
    /// Whether the user ended it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// In the order of the branch.
    pub orbits: Vec<Orbit>,
    /// What happened on the branch.
    pub events: Vec<Event>,
    /// Why the branch ends where it does; empty if it ends where it was to.
    pub ended: String,
}

/// Why there is no orbit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OrbitError {
    /// No matrices of steps.
    #[error(transparent)]
    Linearize(#[from] LinearizeError),
    /// The period is no time.
    #[error("a period of {0} s is not positive")]
    Period(f64),
    /// The period is more steps than anybody waits for.
    #[error("a period of {period} s is {steps:.0e} steps of {step} s, more than the {most:.0e} allowed", most = LONGEST)]
    Long {
        /// The period, s.
        period: f64,
        /// Its steps.
        steps: f64,
        /// The step, s.
        step: f64,
    },
    /// What drives it has another period.
    #[error(
        "the equations depend on time, and are not the same again after {0} s: nothing repeats with that period"
    )]
    Drive(f64),
    /// It does not close.
    #[error(
        "no orbit that closes was found near the start: after {iterations} corrections the ends of the best are {residual:.1e} apart"
    )]
    Open {
        /// Corrections.
        iterations: usize,
        /// How far the ends are apart.
        residual: f64,
    },
    /// Nothing moves on it.
    #[error("the orbit shrank to an equilibrium")]
    Shrank,
    /// The key of a branch.
    #[error("`{key}` cannot be varied: {reason}")]
    Key {
        /// The key.
        key: String,
        /// Why not.
        reason: String,
    },
    /// The energy of what does not conserve it.
    #[error("the energy cannot be chosen: forces or drives change it on the way")]
    NotConserved,
    /// The user stopped it.
    #[error("stopped before there was an orbit")]
    Stopped,
}

/// Steps of a period at most: some seconds each time that it is gone along.
const LONGEST: f64 = 1e7;
/// How far equations may be from what they were a period before, in parts of what time changes in them: a period is given in
/// decimals.
const SAME: f64 = 1e-3;
/// What is rounding of rates, in parts of them.
const ROUNDING: f64 = 1e-12;

impl Orbits {
    /// The orbit or the branch that a request asks for. `ahead` is called between steps and says whether to go on.
    pub fn new(
        model: &Model,
        scenario: &str,
        request: &Request,
        ahead: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Self, OrbitError> {
        if model.method.adaptive {
            return Err(LinearizeError::Adaptive {
                method: model.method.name,
            }
            .into());
        }
        if !(request.period > 0.0 && request.period.is_finite()) {
            return Err(OrbitError::Period(request.period));
        }
        let (period, step) = (request.period, model.schedule.step);
        let steps = period / step;
        if steps > LONGEST {
            return Err(OrbitError::Long { period, steps, step });
        }
        if let Some(Along::Key { key, .. }) = &request.along
            && !has(&model.table, key)
        {
            return Err(OrbitError::Key {
                key: key.clone(),
                reason: "the model has no such number".to_owned(),
            });
        }
        bounded(model)?;
        let mut branch = Branch::new(model, request, ahead)?;
        branch.follow()?;
        Ok(Self {
            scenario: scenario.to_owned(),
            method: model.method.name.to_owned(),
            exact: branch.exact,
            varied: request.along.as_ref().map_or_else(String::new, Along::name),
            stopped: branch.stopped,
            orbits: branch.found,
            events: branch.events,
            ended: branch.ended,
        })
    }

    /// The result as JSON text.
    pub fn to_json(&self) -> String {
        json(self)
    }

    /// The model that starts on an orbit and runs once around it.
    pub fn model(&self, model: &Model, along: Option<&Along>, orbit: &Orbit) -> Result<Model, OrbitError> {
        let list = |numbers: &[f64]| Value::List(numbers.iter().copied().map(Value::from).collect());
        let mut state = Table::new();
        state.insert("t", Value::from(orbit.state.t));
        state.insert("q", list(&orbit.q));
        state.insert("v", list(&orbit.v));
        let mut run = Table::new();
        run.insert("step", Value::from(orbit.period / orbit.steps as f64));
        run.insert("steps", Value::from(orbit.steps));
        let mut values = vec![("state", Value::from(state)), ("run", Value::from(run))];
        if let (Some(Along::Key { key, .. }), Some(value)) = (along, orbit.parameter) {
            values.push((key, Value::from(value)));
        }
        let refused = |error: ChangeError| OrbitError::Key {
            key: "state".to_owned(),
            reason: error.to_string(),
        };
        model.with_all(values).map_err(refused)
    }
}

/// Whether a path leads to a value.
fn has(table: &Table, path: &str) -> bool {
    table.find(path).is_ok_and(|path| table.at(&path).is_some())
}

/// A model that is shot.
pub(crate) struct Shot {
    pub(crate) flow: Flow,
    /// Whether energy is conserved, and whether the equations depend on time.
    pub(crate) conserves: bool,
    pub(crate) timed: bool,
}

impl Shot {
    pub(crate) fn new(model: &Model) -> Self {
        let flow = Flow::new(model.mechanism.clone(), model.integrator(), model.schedule.step);
        Self {
            conserves: !flow.system.layout().conserved.driven,
            timed: flow.depends_on_time(&model.state),
            flow,
        }
    }

    /// Whether the equations at a configuration are the same after some time as before.
    pub(crate) fn repeats(&self, at: &State, period: f64) -> bool {
        let system = &self.flow.system;
        let mut scratch = system.scratch();
        let mut v = vec![0.0; at.p.len()];
        system.velocity(at.t, &at.q, &at.p, &mut v, &mut scratch);
        let mut rate = |later: f64| {
            let (mut dq, mut dv) = (vec![0.0; at.q.len()], vec![0.0; v.len()]);
            system.rate(at.t + later, &at.q, &v, &mut dq, &mut dv, &mut scratch);
            dv
        };
        let apart = |a: &[f64], b: &[f64]| {
            let each = a.iter().zip(b).map(|(a, b)| (a - b).abs());
            each.fold(0.0, math::larger)
        };
        let first = rate(0.0);
        let (mut changed, mut off) = (0.0, 0.0);
        for part in [0.0, 0.137, 0.293, 0.451, 0.607, 0.829] {
            let (now, then) = (rate(part * period), rate((1.0 + part) * period));
            changed = math::larger(changed, apart(&now, &first));
            off = math::larger(off, apart(&now, &then));
        }
        let size = first.iter().fold(1.0_f64, |size, rate| size.max(rate.abs()));
        off <= SAME * changed + ROUNDING * size
    }

    /// The orbit from states that close, with its matrix.
    pub(crate) fn orbit(
        &mut self,
        start: &State,
        steps: u64,
        closed: (f64, usize),
        parameter: Option<f64>,
        ahead: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Orbit, OrbitError> {
        let minimal = Minimal::at(&self.flow.mechanism, start).map_err(LinearizeError::from)?;
        let system = self.flow.system.clone();
        let mut extent = 0.0;
        let mut count = 0;
        let found = self.flow.transition(start, &minimal, steps, &mut |state| {
            let z = minimal.apart(&*system, start, state);
            extent = z[..minimal.freedom()]
                .iter()
                .fold(extent, |m, x| math::larger(m, x.abs()));
            count += 1;
            ahead(count, steps)
        });
        let found = found.map_err(|error| self.lost(error))?;
        let Some((_, _, matrix)) = found else {
            return Err(OrbitError::Stopped);
        };
        let unit = self.flow.momentum_unit(start, &minimal);
        let period = steps as f64 * self.flow.h;
        let multipliers =
            multipliers(&matrix, period, self.flow.is_exact()).ok_or(LinearizeError::NotFinite)?;
        let largest = multipliers.iter().map(|found| found.modulus).fold(0.0, f64::max);
        let outside = |found: &Multiplier| found.modulus > 1.0 + (10.0 * found.error).max(1e-5);
        let mut v = vec![0.0; start.p.len()];
        system.velocity(start.t, &start.q, &start.p, &mut v, &mut system.scratch());
        Ok(Orbit {
            parameter,
            period,
            steps,
            energy: system.energy(start).total(),
            q: start.q.clone(),
            v,
            residual: closed.0,
            free: None,
            iterations: closed.1,
            extent,
            stable: !multipliers.iter().any(outside),
            largest,
            multipliers,
            symplectic_defect: (!system.layout().conserved.driven && minimal.is_canonical())
                .then(|| symplectic_defect(&matrix, unit)),
            monodromy: matrix
                .row_iter()
                .map(|row| row.iter().copied().collect())
                .collect(),
            state: start.clone(),
        })
    }

    pub(crate) fn lost(&self, lost: Lost) -> OrbitError {
        crate::linearize::lost_as(&self.flow, lost).into()
    }
}
