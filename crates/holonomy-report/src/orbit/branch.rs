//! A branch of periodic orbits: pseudo-arclength, with steps that adapt.
//!
//! ```text
//! J τ = 0,  τ·τ_before > 0,  |τ| = 1           the direction of the branch
//! u + s τ, corrected perpendicular to τ        the next orbit; s grows where that was easy
//! ```
//! Where τ turns back in what is varied there is a fold, and the branch goes on behind it.
use super::{
    Orbit, OrbitError, Request, Shot, degenerate,
    newton::{Beside, Corrected, Guess, Kept, Remake, SYMMETRY, corrected},
};
use crate::number::decimal;
use holonomy::{derivative::least_within, system::State};
use holonomy_model::{Model, Value};
use nalgebra::DVector;
use serde::Serialize;

/// What is varied, from where to where, in so many points.
#[derive(Clone, Debug, PartialEq)]
pub enum Along {
    /// A number of the model.
    Key {
        /// Its path.
        key: String,
        /// From where to where.
        range: Range,
    },
    /// The energy.
    Energy(Range),
}

/// From where to where, in so many points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The first value.
    pub from: f64,
    /// The last.
    pub to: f64,
    /// Points that are wanted.
    pub count: usize,
}

/// What happened on a branch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// `fold`, `stable` or `unstable`: what it is from there on.
    pub what: &'static str,
    /// After which orbit, counted from zero.
    pub after: usize,
    /// The value of what is varied there.
    pub parameter: f64,
}

impl Along {
    /// What it is called.
    pub fn name(&self) -> String {
        match self {
            Self::Key { key, .. } => key.clone(),
            Self::Energy(_) => "energy".to_owned(),
        }
    }

    fn range(&self) -> &Range {
        match self {
            Self::Key { range, .. } | Self::Energy(range) => range,
        }
    }
}

/// A branch under way.
pub(super) struct Branch<'a> {
    model: &'a Model,
    request: &'a Request,
    ahead: &'a mut dyn FnMut(u64, u64) -> bool,
    pub(super) exact: bool,
    pub(super) stopped: bool,
    pub(super) found: Vec<Orbit>,
    pub(super) events: Vec<Event>,
    pub(super) ended: String,
    /// Segments of every orbit, where it is not chosen by their size.
    segments: usize,
}

/// Unknowns of an orbit that are solved with dense matrices, at most.
const MOST_UNKNOWNS: usize = 96;
const MOST_SEGMENTS: usize = 4;
/// An orbit that closes better closes to rounding.
const OPEN: f64 = 1e-11;
/// Steps shorter than this fraction of the pace end a branch; after one that was easy the next is longer by this factor.
const SHORTEST: f64 = 1e-4;
const FASTER: f64 = 1.4;
/// What is varied goes on by so many times the pace at most.
const FARTHEST: f64 = 2.0;

impl<'a> Branch<'a> {
    pub(super) fn new(
        model: &'a Model,
        request: &'a Request,
        ahead: &'a mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Self, OrbitError> {
        Ok(Self {
            model,
            request,
            ahead,
            exact: false,
            stopped: false,
            found: Vec::new(),
            events: Vec::new(),
            ended: String::new(),
            segments: request.segments,
        })
    }

    pub(super) fn follow(&mut self) -> Result<(), OrbitError> {
        let along = self.request.along.clone();
        let first = along.as_ref().map(|along| along.range().from);
        let varies_key = matches!(along, Some(Along::Key { .. }));
        let mut shot = match &along {
            Some(along) => remade(self.model, along, along.range().from)?,
            None => Shot::new(self.model),
        };
        self.exact = shot.flow.is_exact();
        let by_energy = matches!(along, Some(Along::Energy(_)));
        if by_energy && !shot.conserves {
            return Err(OrbitError::NotConserved);
        }
        let start = match (varies_key, first, &along) {
            (true, Some(value), Some(Along::Key { key, .. })) => {
                let model = self.model.with(key, Value::from(value));
                model.map_or_else(|_| self.model.state.clone(), |model| model.state.clone())
            }
            _ => self.model.state.clone(),
        };
        if shot.timed && !shot.repeats(&start, self.request.period) {
            return Err(OrbitError::Drive(self.request.period));
        }
        let hold = self.request.hold || shot.timed;
        let energy = shot.flow.system.energy(&start).total();
        let kept = |fixed: bool| Kept {
            period: hold,
            energy: match (by_energy, shot.conserves && !hold) {
                (true, _) if fixed => first,
                (false, true) => Some(energy),
                _ => None,
            },
            energy_varies: by_energy && !fixed,
            scale: 1.0,
            symmetry: SYMMETRY,
            loose: false,
        };
        let mut alone = kept(true);
        let mut moving = kept(false);
        let mut steps = self.count(self.request.period);
        let guess = self.guess(&mut shot, &start, steps, first.unwrap_or(0.0))?;
        let tried = corrected(&mut shot, guess, steps, &alone, None, None, self.ahead);
        // What does not close may be the method's doing.
        let open = match &tried {
            Ok(at) => at.equations.open > OPEN,
            Err(error) => matches!(error, OrbitError::Open { .. }),
        };
        let loose = match open {
            true => self.loosened(&mut shot, &start, steps, &alone, first)?,
            false => None,
        };
        let mut at = match loose {
            Some((at, loose)) => {
                (moving.symmetry, moving.loose) = (loose.symmetry, true);
                alone = loose;
                self.segments = 1;
                at
            }
            None => tried?,
        };
        self.push(&mut shot, &at, steps, first, &alone)?;
        let Some(along) = along else { return Ok(()) };
        let range = *along.range();
        let width = range.to - range.from;
        if width == 0.0 || range.count < 2 {
            return Ok(());
        }
        moving.scale = width.abs();
        let pace = 1.0 / (range.count - 1) as f64;
        let (mut length, mut before): (Option<f64>, Option<DVector<f64>>) = (None, None);
        while self.found.len() < self.request.most {
            let from = at.guess.clone();
            let tangent = {
                let model = self.model;
                let along = along.clone();
                let remake = |value: f64| remade(model, &along, value);
                let remake: Option<&Remake<'_>> = if varies_key { Some(&remake) } else { None };
                let here = from.equations(&mut shot, steps, &moving, remake, self.ahead);
                match self.unless_stopped(here)? {
                    None => return Ok(()),
                    Some(here) => {
                        let sign = width.signum();
                        let tangent = direction(&here.jacobian, before.as_ref(), sign, moving.symmetry);
                        at.equations = here;
                        tangent
                    }
                }
            };
            let Some(tangent) = tangent else {
                self.ended = "the direction of the branch was lost".to_owned();
                return Ok(());
            };
            let speed = tangent[tangent.len() - 1];
            if let Some(before) = &before
                && before[before.len() - 1] * speed < 0.0
            {
                self.event("fold", from.parameter);
            }
            // As far as was asked for, but not much farther along the arc than the last time: at a fold nothing varies.
            let wanted = pace / speed.abs().max(1e-9);
            let mut s = length.map_or(pace / speed.abs().max(1e-3), |length: f64| length.min(wanted));
            let next = loop {
                let model = self.model;
                let remake = |value: f64| remade(model, &along, value);
                let remake: Option<&Remake<'_>> = if varies_key { Some(&remake) } else { None };
                let mut other = remade(model, &along, from.parameter)?;
                let left = (range.to - from.parameter) / moving.scale;
                // The last orbit is at the end itself, if the branch leads there.
                let over = speed * left > 0.0 && (s * speed).abs() >= left.abs();
                let step = if over { left / speed } else { s };
                let beside = match over {
                    true => Beside::At(range.to),
                    false => Beside::Across(&tangent),
                };
                let tried = from
                    .moved(&at.equations, &(&tangent * step), &moving, &mut other, remake)
                    .and_then(|guess| {
                        corrected(
                            &mut other,
                            guess,
                            steps,
                            &moving,
                            remake,
                            Some(beside),
                            self.ahead,
                        )
                    });
                match tried {
                    Err(OrbitError::Stopped) => {
                        self.stopped = true;
                        return Ok(());
                    }
                    // An orbit far from where it was sought is another branch.
                    // One that varies by much more than was asked for leaves out what lies between.
                    Ok(found)
                        if jump(&from, &found.guess) <= 6.0 * step.abs() + 1e-6
                            && (found.guess.parameter - from.parameter).abs()
                                <= FARTHEST * pace * moving.scale =>
                    {
                        let easy = found.iterations <= 4;
                        length = Some(if easy { FASTER * s } else { s });
                        break Some((found, other, over));
                    }
                    _ => {
                        s *= 0.5;
                        if s < SHORTEST * pace {
                            break None;
                        }
                    }
                }
            };
            let Some((found, other, over)) = next else {
                self.ended = format!(
                    "beyond {} = {} no orbit was found that goes on",
                    along.name(),
                    decimal(from.parameter)
                );
                return Ok(());
            };
            (at, shot) = (found, other);
            before = Some(tangent);
            let parameter = at.guess.parameter;
            match self.push(&mut shot, &at, steps, Some(parameter), &moving) {
                Ok(()) => {}
                Err(OrbitError::Stopped) => {
                    self.stopped = true;
                    return Ok(());
                }
                Err(OrbitError::Shrank) => {
                    self.ended = "the orbit shrinks to an equilibrium".to_owned();
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
            if over {
                return Ok(());
            }
            let wanted = self.count(at.guess.period);
            if wanted.abs_diff(steps) * 5 > steps {
                steps = wanted;
                let start = at.guess.states[0].clone();
                let mut guess = self.guess_of(&mut shot, &start, steps, at.guess.period)?;
                guess.parameter = parameter;
                let model = self.model;
                let remake = |value: f64| remade(model, &along, value);
                let remake: Option<&Remake<'_>> = if varies_key { Some(&remake) } else { None };
                at = corrected(
                    &mut shot,
                    guess,
                    steps,
                    &moving,
                    remake,
                    Some(Beside::At(parameter)),
                    self.ahead,
                )?;
            }
        }
        self.ended = format!("{} orbits were found before the end", self.found.len());
        Ok(())
    }

    fn unless_stopped<T>(&mut self, result: Result<T, OrbitError>) -> Result<Option<T>, OrbitError> {
        match result {
            Err(OrbitError::Stopped) => {
                self.stopped = true;
                Ok(None)
            }
            result => result.map(Some),
        }
    }

    /// Steps of a period, near the step of the model.
    fn count(&self, period: f64) -> u64 {
        ((period / self.model.schedule.step).round() as u64).max(4)
    }

    fn guess(
        &mut self,
        shot: &mut Shot,
        start: &State,
        steps: u64,
        parameter: f64,
    ) -> Result<Guess, OrbitError> {
        let mut guess = self.guess_of(shot, start, steps, self.request.period)?;
        guess.parameter = parameter;
        Ok(guess)
    }

    /// An orbit in one segment, and what is kept of it, where its equations are degenerate but for the error of the method.
    fn loosened(
        &mut self,
        shot: &mut Shot,
        start: &State,
        steps: u64,
        kept: &Kept,
        parameter: Option<f64>,
    ) -> Result<Option<(Corrected, Kept)>, OrbitError> {
        let segments = std::mem::replace(&mut self.segments, 1);
        let guess = self.guess(shot, start, steps, parameter.unwrap_or(0.0));
        self.segments = segments;
        let guess = degenerate::nearer(shot, guess?, steps, kept, self.ahead)?;
        let Some(loose) = degenerate::loosened(shot, &guess, steps, kept, self.ahead)? else {
            return Ok(None);
        };
        let at = match corrected(shot, guess, steps, &loose, None, None, self.ahead) {
            Err(OrbitError::Open { .. }) => return Ok(None),
            at => at?,
        };
        let free = degenerate::free(shot, &at, steps, &loose, self.ahead)?;
        Ok(free.map(|_| (at, loose)))
    }

    /// States along the motion from a start.
    fn guess_of(&self, shot: &mut Shot, start: &State, steps: u64, period: f64) -> Result<Guess, OrbitError> {
        let freedom = holonomy::derivative::Minimal::at(&shot.flow.mechanism, start)
            .map_err(crate::linearize::LinearizeError::from)?
            .freedom();
        if freedom == 0 {
            return Err(crate::linearize::LinearizeError::NoFreedom.into());
        }
        let segments = match self.segments {
            0 => (MOST_UNKNOWNS / (2 * freedom)).clamp(1, MOST_SEGMENTS),
            wanted => wanted,
        };
        let segments = segments.min(steps as usize);
        shot.flow.h = period / steps as f64;
        let mut guess = Guess {
            states: vec![start.clone(); segments],
            period,
            parameter: 0.0,
        };
        guess.states[0].carry.clear();
        let shares = guess.shares(steps);
        for i in 1..segments {
            let next = shot.flow.steps(&guess.states[i - 1], shares[i - 1]);
            let mut next = next.map_err(|fault| shot.lost(fault.into()))?;
            next.carry.clear();
            guess.states[i] = next;
        }
        Ok(guess)
    }

    /// Keeps an orbit.
    fn push(
        &mut self,
        shot: &mut Shot,
        at: &Corrected,
        steps: u64,
        parameter: Option<f64>,
        kept: &Kept,
    ) -> Result<(), OrbitError> {
        shot.flow.h = at.guess.period / steps as f64;
        let closed = (at.equations.open, at.iterations);
        let mut orbit = shot.orbit(&at.guess.states[0], steps, closed, parameter, self.ahead)?;
        if kept.loose {
            let (residual, iterations) = closed;
            let free = degenerate::free(shot, at, steps, kept, self.ahead)?;
            orbit.free = Some(free.ok_or(OrbitError::Open { iterations, residual })?);
        }
        if orbit.extent < 1e-7 {
            return Err(OrbitError::Shrank);
        }
        if let Some(last) = self.found.last()
            && last.stable != orbit.stable
            && orbit.free.is_none()
        {
            let what = if orbit.stable { "stable" } else { "unstable" };
            self.event(what, orbit.parameter.unwrap_or_default());
        }
        self.found.push(orbit);
        Ok(())
    }

    fn event(&mut self, what: &'static str, parameter: f64) {
        self.events.push(Event {
            what,
            after: self.found.len().saturating_sub(1),
            parameter,
        });
    }
}

fn remade(model: &Model, along: &Along, value: f64) -> Result<Shot, OrbitError> {
    match along {
        Along::Key { key, .. } => {
            let model = model.with(key, Value::from(value));
            Ok(Shot::new(&model.map_err(|error| OrbitError::Key {
                key: key.clone(),
                reason: error.to_string(),
            })?))
        }
        Along::Energy(_) => Ok(Shot::new(model)),
    }
}

/// The unit vector along a branch.
fn direction(
    jacobian: &nalgebra::DMatrix<f64>,
    before: Option<&DVector<f64>>,
    sign: f64,
    symmetry: f64,
) -> Option<DVector<f64>> {
    let (m, n) = jacobian.shape();
    let mut rows = jacobian.clone().insert_row(m, 0.0);
    match before {
        Some(before) => rows.row_mut(m).copy_from(&before.transpose()),
        None => rows[(m, n - 1)] = sign,
    }
    let mut right = DVector::zeros(m + 1);
    right[m] = 1.0;
    let tangent = least_within(&rows, &right, symmetry)?;
    let length = tangent.norm();
    (length > 0.0 && length.is_finite()).then(|| tangent / length)
}

/// How far two guesses are apart, in coordinates and in the period as a fraction.
fn jump(from: &Guess, to: &Guess) -> f64 {
    let apart = |a: &State, b: &State| {
        let each = a.q.iter().zip(&b.q).map(|(a, b)| (a - b).abs());
        each.fold(0.0, f64::max)
    };
    let states = from.states.iter().zip(&to.states).map(|(a, b)| apart(a, b));
    states.fold((to.period / from.period - 1.0).abs(), f64::max)
}
