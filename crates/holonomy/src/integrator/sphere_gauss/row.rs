//! A row of steps of one state: its stages side by side.
#![expect(
    clippy::needless_range_loop,
    reason = "closures of iterators are not inlined into a kernel"
)]
use super::{
    SphereGauss, Way,
    chain::PER_LINK,
    general,
    motion::settle,
    rule::{Columns, MOST},
};
use crate::{
    integrator::{Cause, Fault, StepInfo, Work},
    simd::{Kernel, LANES, Vector},
};

/// When an iteration has come to its end.
///
/// ```text
/// δ · δ/δ₋ ≤ ε          what the next correction would be
/// δ ≥ δ₋,  δ ≤ 1e-12    what is left is rounding
/// ```
/// in the root of the sum of squares over stages and bodies; δ₋ is the correction before δ.
#[derive(Clone, Copy)]
pub(super) struct Stop {
    max_iterations: u32,
    /// ε² and 1e-12².
    square: f64,
    rounding: f64,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Verdict {
    GoesOn,
    Done,
    Failed,
}

impl Stop {
    /// Of a system of so many bodies, each of which may be wrong by the tolerance.
    pub(super) fn new(bodies: usize, tolerance: f64, max_iterations: u32) -> Self {
        Self {
            max_iterations,
            square: bodies as f64 * tolerance * tolerance,
            rounding: bodies as f64 * 1e-24,
        }
    }

    /// Of squares of the corrections.
    #[inline(always)]
    pub(super) fn judge(&self, iterations: u32, change: f64, before: f64) -> Verdict {
        let last = iterations > 1 && change * change <= self.square * before;
        if last || change == 0.0 || (change >= before && change <= self.rounding) {
            return Verdict::Done;
        }
        match change.is_finite() && iterations < self.max_iterations {
            true => Verdict::GoesOn,
            false => Verdict::Failed,
        }
    }
}

/// Steps of the motion of a method. With N bodies and S stages, where these are not zero.
pub(super) struct Row<'a, const N: usize, const S: usize> {
    pub(super) method: &'a mut SphereGauss,
    pub(super) h: f64,
    pub(super) count: u64,
    pub(super) t: &'a mut f64,
    pub(super) work: &'a mut Work,
    pub(super) result: &'a mut Result<(), Fault>,
}

impl<const N: usize, const S: usize> Kernel for Row<'_, N, S> {
    #[inline(always)]
    fn run<V: Vector>(self, token: V::Token) {
        let rule = &self.method.rule;
        let mut weights = rule.weights;
        for i in 0..LANES {
            weights[i] *= self.h;
        }
        let lanes = Stages::<V, N, S> {
            token,
            stages: rule.stages,
            weights,
            within: in_lanes(token, &rule.within),
            beyond: in_lanes(token, &rule.beyond),
        };
        for _ in 0..self.count {
            match lanes.step(self.method, self.h) {
                Ok(info) => self.work.count(info),
                Err(fault) => {
                    *self.result = Err(fault);
                    return;
                }
            }
            *self.t += self.h;
        }
    }
}

struct Stages<V: Vector, const N: usize, const S: usize> {
    token: V::Token,
    stages: usize,
    /// h bᵢ.
    weights: [f64; LANES],
    within: [V; MOST],
    beyond: [V; MOST],
}

impl<V: Vector, const N: usize, const S: usize> Stages<V, N, S> {
    #[inline(always)]
    fn step(&self, method: &mut SphereGauss, h: f64) -> Result<StepInfo, Fault> {
        let SphereGauss {
            way,
            force,
            stop,
            motion,
            scratch,
            ..
        } = method;
        let size = if N > 0 { PER_LINK * N } else { motion.place.len() };
        let stages = if S > 0 { S } else { self.stages };
        let place = &motion.place[..size];
        let (values, pulses) = (&mut scratch.values[..size], &mut scratch.pulses[..size]);
        let mut guessed = motion.step == h;
        if guessed {
            self.spread(&self.beyond, place, &motion.last[..size], values);
        } else {
            at_start(place, values);
        }
        // What is evaluated at the start alone says nothing about corrections.
        let mut fresh = !guessed;
        let mut info = StepInfo::default();
        let (mut corrections, mut before) = (0, f64::INFINITY);
        loop {
            let forces = match force.uniform() {
                Some(_) => Ok(()),
                None => general::forces(force, stages, values, &mut scratch.unit, &mut scratch.forces),
            };
            let found = match (forces, &mut *way) {
                (Ok(()), Way::Chain(chain)) => {
                    let weight = V::load(self.token, &self.weights);
                    let (forces, joints) = (&scratch.forces, &mut scratch.joints);
                    chain.rates::<V, N>(self.token, weight, forces, values, pulses, joints);
                    Ok(())
                }
                (Ok(()), Way::General(general)) => {
                    general.rates(&self.weights[..stages], &scratch.forces, values, pulses)
                }
                (Err(fault), _) => Err(fault),
            };
            info.evaluations += stages as u32;
            let change = self.spread(&self.within, place, pulses, values);
            if fresh && found.is_ok() {
                fresh = false;
                continue;
            }
            info.iterations += 1;
            corrections += 1;
            let verdict = match found {
                Ok(()) => stop.judge(corrections, change, before),
                Err(_) => Verdict::Failed,
            };
            match verdict {
                Verdict::GoesOn => before = change,
                Verdict::Done => break,
                // Long steps lead a polynomial astray that is continued.
                Verdict::Failed if guessed => {
                    (guessed, fresh) = (false, true);
                    (corrections, before) = (0, f64::INFINITY);
                    at_start(place, values);
                }
                Verdict::Failed => {
                    found?;
                    return Err(unsolved(corrections, change, pulses));
                }
            }
        }
        let mut sums = [0.0; PER_LINK];
        for i in 0..size / PER_LINK {
            for k in 0..PER_LINK {
                let pulses = &pulses[PER_LINK * i + k];
                sums[k] = pulses[0];
                for j in 1..stages {
                    sums[k] += pulses[j];
                }
            }
            let at = PER_LINK * i;
            let (place, low) = (&mut motion.place[at..], &mut motion.low[at..]);
            if let (Some(place), Some(low)) = (place.first_chunk_mut(), low.first_chunk_mut()) {
                let along = settle(place, low, sums);
                for k in at..at + 3 {
                    let push = V::load(self.token, &pulses[k + 3]);
                    let moved = V::load(self.token, &pulses[k]);
                    (push - moved * along).store(&mut pulses[k + 3]);
                }
            }
        }
        std::mem::swap(&mut motion.last, &mut scratch.pulses);
        motion.step = h;
        Ok(info)
    }

    /// Yᵢ, of the L of this step or of that before; the sum of squares of what this changes of q.
    #[inline(always)]
    fn spread(
        &self,
        columns: &[V; MOST],
        place: &[f64],
        pulses: &[[f64; LANES]],
        values: &mut [[f64; LANES]],
    ) -> f64 {
        let stages = if S > 0 { S } else { self.stages };
        let mut change = V::all(self.token, 0.0);
        for k in 0..place.len() {
            let mut sum = columns[0] * pulses[k][0];
            for j in 1..stages {
                sum = sum + columns[j] * pulses[k][j];
            }
            let value = sum + place[k];
            if k % PER_LINK < 3 {
                let moved = value - V::load(self.token, &values[k]);
                change = change + moved * moved;
            }
            value.store(&mut values[k]);
        }
        let mut changes = [0.0; LANES];
        change.store(&mut changes);
        let mut sum = changes[0];
        for j in 1..stages {
            sum += changes[j];
        }
        sum
    }
}

#[inline(always)]
fn at_start(place: &[f64], values: &mut [[f64; LANES]]) {
    for k in 0..place.len() {
        values[k] = [place[k]; LANES];
    }
}

#[inline(always)]
fn in_lanes<V: Vector>(token: V::Token, columns: &Columns) -> [V; MOST] {
    let mut all = [V::all(token, 0.0); MOST];
    for j in 0..MOST {
        all[j] = V::load(token, &columns[j]);
    }
    all
}

/// Why the equations were not solved; the body is the one that moves most, or whose motion is not finite.
#[cold]
fn unsolved(iterations: u32, change: f64, pulses: &[[f64; LANES]]) -> Fault {
    let mut most = (0.0, None);
    for (i, link) in pulses.chunks_exact(PER_LINK).enumerate() {
        let moved: f64 = link[..3].iter().flatten().map(|x| x * x).sum();
        if moved > most.0 || !moved.is_finite() {
            most = (moved, Some(i));
        }
        if !moved.is_finite() {
            break;
        }
    }
    let cause = match change.is_finite() {
        true => Cause::NotConverged {
            iterations,
            correction: change.sqrt(),
        },
        false => Cause::NotFinite,
    };
    Fault { cause, body: most.1 }
}
