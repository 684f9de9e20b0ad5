//! A second look at a run: its steps are taken again, watched one by one, beside what shows how errors grow and a companion
//! that is more exact.
//!
//! ```text
//! run         qₖ, the same bits                       every step is watched
//! beside it   a tangent, or a copy                    λ, the largest Lyapunov exponent: see `beside`
//! companion   half the step, or tighter tolerances    |q − q(exact)| ≈ |q − q(companion)| · 2ᵖ/(2ᵖ − 1)
//! ```
//! A short run is looked at as a whole. Of a long one it is the beginning, by less than a twentieth of its steps, unless
//! more is asked for; the certificate says how far that reaches.
#[cfg(not(target_arch = "wasm32"))]
use super::kinks;
use super::{
    ROUNDING, SEEN,
    beside::{Beside, Growing},
    energy,
    trial::Tried,
};
use crate::{
    summary::Summary,
    verdict::{
        Accuracy, Companion, Grower, Judgement, Missed, PathError, Quantity, Unmeasured, WatchedSteps,
    },
};
use holonomy::{
    diagnostics::{Exponent, Parts, Record},
    integrator::Integrator,
    math,
    simulation::{Observer, Sample},
    system::{Measurement, Scratch, State, System},
};
use holonomy_model::Model;
use std::sync::Arc;

/// How much work a certificate is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// No further steps.
    None,
    /// A moment, while a run goes on.
    Live,
    /// All steps of a short run, and less than a twentieth of those of a long one.
    #[default]
    Usual,
    /// All steps, however many.
    Full,
}

impl Effort {
    /// How many steps of a run are looked at again: numbers of the state times steps are limited, or else the part.
    pub(super) fn reach(self, steps: u64, entries: usize) -> u64 {
        let cheap = |work: u64| steps.min(work / (entries as u64 + 10));
        match self {
            Self::None => 0,
            Self::Live => cheap(30_000),
            // Copy and companion take five steps for one of the run, each measured: less than a twentieth in all.
            Self::Usual => match cheap(240_000) {
                whole if whole == steps => steps,
                _ => cheap(60_000).max(steps / 400),
            },
            Self::Full => steps,
        }
    }
}

/// Fewer steps show nothing.
const FEWEST: u64 = 25;
/// Entries of q up to which a run is looked at again without being asked: several states stand beside each other.
const LARGEST: usize = 200_000;
/// Numbers that are kept of the run, to be compared with: 16 megabytes.
const KEPT: u64 = 2_000_000;
/// Steps from the start that are divided otherwise, too: n of them into 3n + 1, which have no time in common with halves.
const PROBED: u64 = 10;
/// The error that these show is at most so many times what the companion tells, or the companion tells too little.
const TOLD: f64 = 2.0;
/// Errors of a tenth of what a part moves are another path.
pub(super) const LOST: f64 = 0.1;

/// What a second look found.
#[derive(Default)]
pub struct Review {
    /// What was seen at every step; `None` where none were taken again.
    pub(super) record: Option<Record>,
    pub(super) watch: WatchedSteps,
    /// The largest coordinate, and the range of each.
    pub(super) magnitude: f64,
    pub(super) ranges: Vec<f64>,
    /// The mean of the kinetic energy over these steps, J.
    pub(super) kinetic: Option<f64>,
    /// How many times as far from its start the second half of these steps goes as the first.
    pub(super) flown: f64,
    pub(super) path: Option<Result<Accuracy, Unmeasured>>,
    pub(super) growth: Option<Result<Growing, Unmeasured>>,
    /// What kinks cost; `None` where there are none.
    pub(super) kinks: Option<Judgement>,
    /// What other methods are compared with.
    pub(super) reference: Option<Reference>,
}

/// The run and its companion, at the same times.
pub(super) struct Reference {
    pub(super) run: Vec<Kept>,
    pub(super) companion: Vec<Kept>,
    pub(super) scales: Vec<f64>,
    pub(super) parts: Parts,
    /// Steps between two that are kept.
    pub(super) stride: u64,
    /// The error of the run over its distance from the companion.
    pub(super) richardson: f64,
    /// How many of those kept come before the path of the run is lost: later ones say nothing about other methods.
    pub(super) known: usize,
}

/// A state that is kept.
pub(super) struct Kept {
    pub(super) t: f64,
    pub(super) q: Vec<f64>,
    pub(super) energy: f64,
}

impl Review {
    /// Looks at a run again, with its integrator; not beyond the moment at which `go_on` is false.
    pub fn new(
        model: &Model,
        method: &mut dyn Integrator,
        summary: &Summary,
        effort: Effort,
        go_on: &dyn Fn() -> bool,
    ) -> Self {
        let entries = model.state.q.len();
        let steps = match effort {
            Effort::Full => summary.steps,
            _ if entries > LARGEST => 0,
            _ => effort.reach(summary.steps, entries),
        };
        let watch = WatchedSteps {
            recorded: model.schedule.every.max(1),
            all: model.schedule.every <= 1,
            ..WatchedSteps::default()
        };
        let why = match effort {
            Effort::None => Unmeasured::NotAsked,
            _ => Unmeasured::TooFewSteps,
        };
        if steps == 0 || (steps < FEWEST && steps < summary.steps) {
            return Self {
                watch,
                path: Some(Err(why)),
                growth: Some(Err(why)),
                kinks: unmeasured_kinks(model, why),
                magnitude: largest(&model.state.q),
                ..Self::default()
            };
        }
        let mut walk = Walk::new(model, summary, go_on);
        #[cfg(not(target_arch = "wasm32"))]
        let mut crossings = kinks::Crossings::new(model, &*walk.system, &mut walk.scratch, 2 * steps);
        let run = walk.run(method, steps, |state, system, scratch| {
            #[cfg(not(target_arch = "wasm32"))]
            if let Some(crossings) = &mut crossings {
                crossings.see(state, system, scratch);
            }
            #[cfg(target_arch = "wasm32")]
            let _ = (state, system, scratch);
        });
        let steps = run.steps;
        let lasted = steps as f64 * model.schedule.step;
        let covered = Quantity::new(lasted, "s");
        let whole = steps == summary.steps;
        let chaotic = matches!(&run.growth, Ok(exponent) if exponent.is_chaotic());
        let companion = walk.companion(method, steps, run.stride, chaotic);
        let mut work = steps + if chaotic || run.growth.is_ok() { steps } else { 0 };
        work += companion.work;
        #[cfg(not(target_arch = "wasm32"))]
        let kinks = match crossings {
            Some(crossings) => {
                let (line, taken) = crossings.judged(&mut walk, method, covered.clone());
                work += taken;
                Some(line)
            }
            None => unmeasured_kinks(model, Unmeasured::OwnSteps),
        };
        #[cfg(target_arch = "wasm32")]
        let kinks = None;
        // What rests moves by rounding, and is compared with what a step would make of it.
        let rest = match energy::is_at_rest(model, summary) {
            true => energy::way_of_a_step(model),
            false => 0.0,
        };
        let mut reference = Reference {
            richardson: companion.richardson,
            known: run.kept.len(),
            // What runs away moves far: it is the less of the two that says how far there is to move.
            scales: (run.parts.scales().into_iter().zip(companion.parts.scales()))
                .map(|(run, companion)| run.min(companion).max(rest))
                .collect(),
            run: run.kept,
            companion: companion.kept,
            parts: run.parts,
            stride: run.stride,
        };
        let mut path = match companion.complete {
            true => reference.accuracy(companion.kind, covered.clone(), whole, &run.ranges),
            false => None,
        };
        if let Some(path) = path.as_mut().filter(|_| !model.method.adaptive) {
            let at = PROBED.div_ceil(reference.stride) as usize;
            let probe = walk.probe(method, at as u64 * reference.stride);
            path.missed = probe.and_then(|probe| reference.missed(at, &probe, path.largest.share));
        }
        let path = path.ok_or(Unmeasured::CompanionFails);
        let growth = match (run.growth, companion.growth) {
            // What a step makes of it shows in the companion; what the motion makes of it is the same in both.
            (Ok(one), Some(two)) if chaotic && !agree(&one, &two) => Err(Unmeasured::NotResolved),
            (Ok(one), Some(two)) if chaotic && !two.is_chaotic() => Ok(together(&one, &two)),
            (growth, _) => growth,
        };
        Self {
            record: run.record,
            watch: WatchedSteps {
                all: watch.all || whole,
                all_for: covered,
                cost: work as f64 / summary.steps.max(1) as f64,
                ..watch
            },
            magnitude: run.magnitude,
            ranges: run.ranges,
            kinetic: run.kinetic,
            flown: reference.flown(),
            path: Some(path),
            growth: Some(growth.map(|exponent| Growing {
                exponent,
                covered: lasted,
                by: run.grower,
            })),
            kinks,
            reference: Some(reference),
        }
    }

    /// What other methods do with the same step, and the same one with half of it: those that were better.
    pub(super) fn tried(&self, model: &Model, conserved: bool, go_on: &dyn Fn() -> bool) -> Tried {
        match &self.reference {
            Some(reference) => Tried::new(model, reference, conserved, go_on),
            None => Tried::default(),
        }
    }
}

/// What is said of kinks that were not looked for; a page says nothing of them.
fn unmeasured_kinks(model: &Model, why: Unmeasured) -> Option<Judgement> {
    #[cfg(not(target_arch = "wasm32"))]
    return kinks::unmeasured(model, why);
    #[cfg(target_arch = "wasm32")]
    {
        let _ = (model, why);
        None
    }
}

/// Whether two exponents of one motion are the same, as far as their errors tell. A factor of four is left to chance: run
/// and companion part, and each may stick to what is regular for a part of its time.
fn agree(one: &Exponent, two: &Exponent) -> bool {
    let error = math::hypot(one.error, two.error);
    (one.value - two.value).abs() <= 2.0 * error || (0.25..4.0).contains(&(one.value / two.value))
}

/// What two exponents of one motion say of it, where only one of them is told from zero.
fn together(one: &Exponent, two: &Exponent) -> Exponent {
    let apart = 0.5 * (one.value - two.value).abs();
    Exponent {
        value: 0.5 * (one.value + two.value),
        error: one.error.max(two.error).max(apart),
    }
}

pub(super) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// Steps that are taken again from the start of a model.
pub(super) struct Walk<'a> {
    pub(super) model: &'a Model,
    pub(super) system: Arc<dyn System>,
    pub(super) constrained: bool,
    /// The largest coordinate of the run, and its largest momentum or what would lead through that coordinate.
    pub(super) scales: [f64; 2],
    pub(super) go_on: &'a dyn Fn() -> bool,
    measured: Measurement,
    pub(super) scratch: Scratch,
}

struct Run {
    steps: u64,
    stride: u64,
    kept: Vec<Kept>,
    parts: Parts,
    record: Option<Record>,
    growth: Result<Exponent, Unmeasured>,
    grower: Grower,
    magnitude: f64,
    ranges: Vec<f64>,
    kinetic: Option<f64>,
}

struct Exact {
    kind: Companion,
    richardson: f64,
    kept: Vec<Kept>,
    parts: Parts,
    /// Whether it went as far as the run.
    complete: bool,
    growth: Option<Exponent>,
    work: u64,
}

impl<'a> Walk<'a> {
    pub(super) fn new(model: &'a Model, summary: &Summary, go_on: &'a dyn Fn() -> bool) -> Self {
        let system = model.mechanism.system();
        let (start, last) = (&model.state, &summary.final_state);
        let q = largest(&start.q).max(largest(&last.q));
        // What starts and ends at rest has momenta between: those that lead through its coordinates in the time of the run.
        let across = vec![q / (summary.t_end - start.t).max(model.schedule.step); start.p.len()];
        let (mut least, mut scratch) = (across.clone(), system.scratch());
        system.momentum(start.t, &start.q, &across, &mut least, &mut scratch);
        let p = largest(&start.p).max(largest(&last.p)).max(largest(&least));
        Self {
            constrained: summary.constraints.is_some(),
            scales: [q, p],
            measured: Measurement::default(),
            scratch,
            system,
            model,
            go_on,
        }
    }

    /// The run itself, watched at every step.
    fn run(
        &mut self,
        method: &mut dyn Integrator,
        steps: u64,
        mut seen: impl FnMut(&State, &dyn System, &mut Scratch),
    ) -> Run {
        let h = self.model.schedule.step;
        let mut state = self.model.state.clone();
        let mut parts = Parts::new(&self.model.mechanism);
        let mut least = state.q.clone();
        let mut most = state.q.clone();
        let mut magnitude = largest(&state.q);
        let stride = (steps * (state.q.len() as u64 + 2)).div_ceil(KEPT).max(1);
        let mut kept = vec![self.keep(&state)];
        let mut kinetic = 0.0;
        let mut record = (self.model.schedule.every > 1).then(Record::default);
        if let Some(record) = &mut record {
            self.watch(0, &state, record);
        }
        parts.see(state.t, &state.q);
        let mut beside = Beside::new(steps);
        let mut taken = 0;
        for k in 1..=steps {
            if !stepped(method, &mut state, self.model.state.t, k, h) || (k % 64 == 0 && !(self.go_on)()) {
                break;
            }
            taken = k;
            beside.follow(self, method, &state, k, h);
            seen(&state, &*self.system, &mut self.scratch);
            parts.see(state.t, &state.q);
            for (q, (least, most)) in state.q.iter().zip(least.iter_mut().zip(&mut most)) {
                *least = least.min(*q);
                *most = most.max(*q);
                magnitude = magnitude.max(q.abs());
            }
            if let Some(record) = &mut record {
                self.watch(k, &state, record);
            }
            if k % stride == 0 {
                kept.push(self.keep(&state));
                kinetic += self.measured.energy.kinetic;
            }
        }
        let count = kept.len() - 1;
        Run {
            kinetic: (count > 0).then(|| kinetic / count as f64),
            steps: taken,
            stride,
            kept,
            parts,
            record,
            grower: beside.grower(),
            growth: match self.model.method.adaptive {
                true => Err(Unmeasured::OwnSteps),
                false => beside.exponent(),
            },
            magnitude,
            ranges: least
                .iter()
                .zip(&most)
                .map(|(least, most)| most - least)
                .collect(),
        }
    }

    /// The companion, at the same times.
    fn companion(&mut self, method: &mut dyn Integrator, steps: u64, stride: u64, chaotic: bool) -> Exact {
        let (model, h) = (self.model, self.model.schedule.step);
        let origin = model.state.t;
        let mut tighter = None;
        if model.method.adaptive {
            let mut options = model.options.clone();
            options.rtol = Some(0.01 * options.rtol.unwrap_or(1e-6));
            options.atol = Some(0.01 * options.atol.unwrap_or(1e-9));
            tighter = model.method.build_with(&model.mechanism, &options).ok();
        }
        let adaptive = tighter.is_some();
        let method = match &mut tighter {
            Some(tighter) => &mut **tighter,
            None => method,
        };
        let (kind, parts) = match adaptive {
            true => (Companion::TighterTolerances, 1),
            false => (Companion::HalfStep, 2),
        };
        let ratio = match adaptive {
            true => 100.0,
            false => math::powi(2.0, model.promises().order as i32),
        };
        let part = h / parts as f64;
        let mut state = model.state.clone();
        state.carry.clear();
        let mut kept = vec![self.keep(&state)];
        let mut seen = Parts::new(&model.mechanism);
        seen.see(state.t, &state.q);
        let mut beside = Beside::new(steps);
        let mut taken = 0;
        'steps: for k in 1..=steps {
            for j in 1..=parts {
                let at = parts * (k - 1) + j;
                if !stepped(method, &mut state, origin, at, part) {
                    break 'steps;
                }
                if chaotic {
                    beside.follow(self, method, &state, at, part);
                }
            }
            if k % 64 == 0 && !(self.go_on)() {
                break;
            }
            // The time of the run, to the bit.
            state.t = origin + k as f64 * h;
            taken = k;
            seen.see(state.t, &state.q);
            if k % stride == 0 {
                kept.push(self.keep(&state));
            }
        }
        Exact {
            kind,
            parts: seen,
            richardson: ratio / (ratio - 1.0),
            complete: taken == steps,
            kept,
            growth: chaotic.then(|| beside.exponent().ok()).flatten(),
            work: parts * taken * if chaotic { 2 } else { 1 },
        }
    }

    /// Where so many steps lead if their time is divided otherwise; `None` where one fails.
    fn probe(&mut self, method: &mut dyn Integrator, steps: u64) -> Option<Kept> {
        let (origin, parts) = (self.model.state.t, 3 * steps + 1);
        let part = steps as f64 * self.model.schedule.step / parts as f64;
        let mut state = self.model.state.clone();
        state.carry.clear();
        for k in 1..=parts {
            if !stepped(method, &mut state, origin, k, part) {
                return None;
            }
        }
        Some(self.keep(&state))
    }

    pub(super) fn keep(&mut self, state: &State) -> Kept {
        self.system.measure(state, &mut self.measured, &mut self.scratch);
        Kept {
            t: state.t,
            q: state.q.clone(),
            energy: self.measured.energy.total(),
        }
    }

    fn watch(&mut self, step: u64, state: &State, record: &mut Record) {
        self.system.measure(state, &mut self.measured, &mut self.scratch);
        let _ = record.observe(&Sample {
            step,
            system: &*self.system,
            state,
            measured: &self.measured,
        });
    }
}

/// Takes the k-th step from the origin of time; whether it could be taken.
pub(super) fn stepped(method: &mut dyn Integrator, state: &mut State, origin: f64, k: u64, h: f64) -> bool {
    let good = method.attempt(state, h).is_ok() && state.is_finite();
    state.t = origin + k as f64 * h;
    good
}

impl Reference {
    /// Where the motion is at the k-th time, as far as run and companion tell: `q₂ + (q₂ − q₁)/(2ᵖ − 1)`. What is as close
    /// as the companion, or closer, is seen to be.
    pub(super) fn extrapolated(&self, k: usize) -> Vec<f64> {
        let (run, exact) = (&self.run[k].q, &self.companion[k].q);
        let more = self.richardson - 1.0;
        exact
            .iter()
            .zip(run)
            .map(|(two, one)| two + more * (two - one))
            .collect()
    }

    /// How far the run is from the companion; `None` where that is not a number.
    fn accuracy(
        &mut self,
        companion: Companion,
        covered: Quantity,
        whole: bool,
        ranges: &[f64],
    ) -> Option<Accuracy> {
        let mut largest: Option<PathError> = None;
        let mut last = None;
        let (mut seen, mut lost, mut lost_part) = (None, None, None);
        let mut distances = Vec::new();
        for k in 1..self.run.len().min(self.companion.len()) {
            let (run, exact) = (&self.run[k], &self.companion[k]);
            self.parts.distances(run.t, &run.q, &exact.q, &mut distances);
            let error = self.worst(&distances);
            if error.share > SEEN {
                seen = seen.or(Some(k));
            }
            if error.share > LOST {
                if lost.is_none() {
                    lost_part = Some(error.part.clone());
                }
                lost = lost.or(Some(k));
            }
            if !largest
                .as_ref()
                .is_some_and(|largest| largest.share >= error.share)
            {
                largest = Some(error.clone());
            }
            last = Some(error);
        }
        self.known = lost.unwrap_or(self.known).min(self.companion.len());
        let since = |k: usize| Quantity::new(self.run[k].t - self.run[0].t, "s");
        Some(Accuracy {
            companion,
            covered,
            whole,
            largest: largest?,
            last: last?,
            seen_from: seen.map(since),
            lost_from: lost.map(since),
            lost_part,
            ahead: self.ahead(lost, ranges).map(|ahead| Quantity::new(ahead, "s")),
            missed: None,
        })
    }

    /// What a probe shows at the time of the k-th that are kept, where it is more than the companion tells, and so much
    /// more that a figure would show the largest error if all of it were: the companion takes its steps from the same
    /// places of a fast drive.
    fn missed(&mut self, k: usize, probe: &Kept, largest: f64) -> Option<Missed> {
        let (run, exact) = (self.run.get(k)?, self.companion.get(k)?);
        let mut distances = Vec::new();
        self.parts.distances(run.t, &run.q, &exact.q, &mut distances);
        let told = self.worst(&distances).share;
        let (run, t) = (&self.run[k], self.run[k].t);
        self.parts.distances(t, &run.q, &probe.q, &mut distances);
        let mut error = self.worst(&distances);
        // The probe's own error is its own, and what Richardson's rule adds is that of half a step.
        error.share /= self.richardson;
        error.distance.value /= self.richardson;
        let times = error.share / (told + ROUNDING);
        let after = Quantity::new(t - self.run[0].t, "s");
        // What is seen already is left at that, unless it is lost at once.
        let enough = if largest > SEEN { LOST / SEEN } else { TOLD };
        (times > enough && times * largest > SEEN).then_some(Missed { after, error })
    }

    /// How many times as far from its start the second half goes as the first: coordinates as they are.
    fn flown(&self) -> f64 {
        let far = |kept: &[Kept]| {
            let each = kept.iter().flat_map(|kept| kept.q.iter().zip(&self.run[0].q));
            each.fold(0.0, |m: f64, (q, first)| m.max((q - first).abs()))
        };
        let (one, two) = self.run.split_at(self.run.len().div_ceil(2));
        far(two) / far(one).max(f64::MIN_POSITIVE)
    }

    /// The part that is farthest off, and the largest distances.
    fn worst(&self, distances: &[f64]) -> PathError {
        let factor = self.richardson;
        let mut worst = (0, 0.0);
        let (mut metres, mut radians) = (None, None);
        for (k, distance) in distances.iter().enumerate() {
            let share = factor * distance / self.scales[k];
            if !(share <= worst.1) {
                worst = (k, share);
            }
            let of_unit = match self.parts.unit(k) {
                "m" => &mut metres,
                "rad" => &mut radians,
                _ => continue,
            };
            *of_unit = Some(of_unit.map_or(factor * distance, |most: f64| most.max(factor * distance)));
        }
        let (part, share) = worst;
        PathError {
            part: self.parts.name(part),
            distance: Quantity::new(factor * distances[part], self.parts.unit(part)),
            share,
            metres: metres.map(|metres| Quantity::new(metres, "m")),
            radians: radians.map(|radians| Quantity::new(radians, "rad")),
        }
    }

    /// `δ = Σ e·v / Σ v·v`: how many seconds the run is ahead of its companion, where that is most of the error.
    fn ahead(&self, lost: Option<usize>, ranges: &[f64]) -> Option<f64> {
        let end = self.run.len().min(self.companion.len());
        let at = lost.unwrap_or(end).checked_sub(1)?;
        if at < 2 {
            return None;
        }
        let (before, here, exact) = (&self.run[at - 1], &self.run[at], &self.companion[at]);
        let dt = here.t - before.t;
        let (mut ev, mut vv, mut ee, mut moved) = (0.0, 0.0, 0.0, 0.0_f64);
        for (k, range) in ranges.iter().enumerate().filter(|(_, range)| **range > 0.0) {
            let step = (here.q[k] - before.q[k]) / range;
            let (v, e) = (step / dt, (here.q[k] - exact.q[k]) / range);
            moved = moved.max(step.abs());
            ev += e * v;
            vv += v * v;
            ee += e * e;
        }
        let ahead = ev / vv;
        let beside = ee - ahead * ev;
        (moved < 0.2 && beside <= 0.1 * ee && ahead.is_finite()).then_some(ahead * self.richardson)
    }
}
