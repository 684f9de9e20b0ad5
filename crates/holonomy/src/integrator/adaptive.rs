//! Embedded Runge–Kutta pairs with error control and dense output, on the equations in `(q, v)`.
//!
//! ```text
//! err = h maxᵢ |Σⱼ eⱼ kⱼᵢ| / (rtol · max(|yᵢ|, |yᵢ⁺|, atol/rtol))           accepted when ≤ 1
//! first failure   h ← max(h/10, 0.8 h err^{−1/r})       later failures   h ← h/2
//! success         h ← h / max(1/5, 1.25 err^{1/r})      (h is kept after a step with failures)
//! last step       if 1.1 h reaches `end`, where that is given, go there exactly
//! first step      h = min(sampling step, 0.8 rtol^{1/r} / maxᵢ |f₀ᵢ| / max(|y₀ᵢ|, atol/rtol))
//! ```
//! These are the rules of MATLAB's `ode45`, so that published comparisons reproduce; `r` is 5, and
//! 8 for DOP853, which has its own error measure. The step asked for is a sampling interval: the
//! method walks on its own mesh and reads the samples off its dense output. Unlike that of `ode45`, the mesh ends with a
//! run only where it is told to: a run that is continued later has the bits of one that was long from the start.
//!
//! The work of the sources is integrated with the motion, `y = (q, v, W)`, and does not take part in the control of the
//! error. Between mesh points it has the order of the dense output, as the motion itself.
//!
//! The mesh is in `State::carry`, so a restart is exact. If the state was changed by hand since the
//! last step, or the direction of time turned, the method starts afresh from it.
use super::{
    Cause, Fault, Integrator, StepInfo,
    runge_kutta::add_scaled,
    tableaux::{EmbeddedPair, Estimate},
};
use crate::{
    math,
    system::{Scratch, State, System},
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// An adaptive Runge–Kutta method.
pub struct Adaptive {
    system: Arc<dyn System>,
    pair: EmbeddedPair,
    tolerance: Tolerance,
    scratch: Scratch,
    mesh: Mesh,
    slopes: Vec<Vec<f64>>,
    stage: Vec<f64>,
    candidate: Vec<f64>,
    parts: Parts,
    next_q: Vec<f64>,
    next_p: Vec<f64>,
    halt: Option<Arc<AtomicBool>>,
}

/// What error an adaptive method accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tolerance {
    /// Relative tolerance.
    pub(super) relative: f64,
    /// Absolute tolerance.
    pub(super) absolute: f64,
    /// No step is longer than this, s.
    pub(super) max_step: f64,
    /// A time that the mesh is to contain, s.
    pub(super) end: Option<f64>,
}

/// How many numbers of y are q, v and W.
#[derive(Clone, Copy, Debug, Default)]
struct Parts {
    q: usize,
    v: usize,
    work: usize,
}

impl Parts {
    /// Numbers of the motion.
    fn motion(self) -> usize {
        self.q + self.v
    }

    fn total(self) -> usize {
        self.motion() + self.work
    }

    /// q and v.
    fn of(self, y: &[f64]) -> (&[f64], &[f64]) {
        y[..self.motion()].split_at(self.q)
    }
}

/// The last accepted mesh interval and what comes next.
#[derive(Default)]
struct Mesh {
    /// Start and length of the interval, s.
    start: f64,
    length: f64,
    /// The next step to try, s.
    next: f64,
    /// y at both ends, the slope at the far end.
    y_start: Vec<f64>,
    y_end: Vec<f64>,
    f_end: Vec<f64>,
    /// F₁, F₂, … of the dense output.
    dense: Vec<Vec<f64>>,
}

impl Adaptive {
    pub(super) fn new(system: Arc<dyn System>, pair: EmbeddedPair, tolerance: Tolerance) -> Self {
        let scratch = system.scratch();
        let layout = system.layout();
        let parts = Parts {
            q: layout.coordinates.len(),
            v: layout.velocities.len(),
            work: layout.conserved.sources.len(),
        };
        let slopes = vec![Vec::new(); pair.a.len()];
        let mesh = Mesh {
            dense: vec![Vec::new(); 3 + pair.dense.len()],
            ..Mesh::default()
        };
        let empty = Vec::new;
        Self {
            system,
            pair,
            tolerance,
            scratch,
            mesh,
            slopes,
            stage: empty(),
            candidate: empty(),
            parts,
            next_q: empty(),
            next_p: empty(),
            halt: None,
        }
    }

    /// DOP853 on any system, with the given relative and absolute tolerances.
    pub fn dop853(system: Arc<dyn System>, relative: f64, absolute: f64) -> Self {
        let tolerance = Tolerance {
            relative,
            absolute,
            max_step: f64::INFINITY,
            end: None,
        };
        Self::new(system, super::tableaux::dop853(), tolerance)
    }

    /// Begins a mesh at the state: an interval of length zero.
    fn start(&mut self, state: &State, h: f64, info: &mut StepInfo) {
        let Parts { q, v, .. } = self.parts;
        let size = self.parts.total();
        let mesh = &mut self.mesh;
        mesh.start = state.t;
        mesh.length = 0.0;
        mesh.y_end.clear();
        mesh.y_end.extend_from_slice(&state.q);
        mesh.y_end.resize(size, 0.0);
        self.system.velocity(
            state.t,
            &state.q,
            &state.p,
            &mut mesh.y_end[q..q + v],
            &mut self.scratch,
        );
        let work = mesh.y_end[q + v..].iter_mut();
        work.zip(&state.work).for_each(|(y, work)| *y = *work);
        mesh.y_start.clone_from(&mesh.y_end);
        for slope in self.slopes.iter_mut().chain(&mut mesh.dense) {
            slope.clear();
            slope.resize(size, 0.0);
        }
        mesh.f_end.resize(size, 0.0);
        rate(
            &*self.system,
            state.t,
            &mesh.y_end,
            &mut mesh.f_end,
            self.parts,
            &mut self.scratch,
        );
        info.evaluations += 1;

        let Tolerance {
            relative, max_step, ..
        } = self.tolerance;
        let threshold = self.threshold();
        let steepest = self
            .mesh
            .y_end
            .iter()
            .zip(&self.mesh.f_end)
            .take(self.parts.motion())
            .map(|(y, f)| (f / y.abs().max(threshold)).abs())
            .fold(0.0, f64::max);
        let speed = steepest / (0.8 * math::powf(relative, 1.0 / self.pair.exponent));
        let first = h.abs().min(max_step);
        self.mesh.next = (if first * speed > 1.0 { 1.0 / speed } else { first }).copysign(h);
    }

    fn threshold(&self) -> f64 {
        self.tolerance.absolute / self.tolerance.relative
    }

    /// Takes one accepted step of the mesh.
    fn advance(&mut self, sampling: f64, info: &mut StepInfo) -> Result<(), Fault> {
        let t = self.mesh.start + self.mesh.length;
        let mut h = self
            .mesh
            .next
            .abs()
            .min(self.tolerance.max_step)
            .copysign(self.mesh.next);
        let smallest = 16.0 * f64::EPSILON * t.abs().max(sampling.abs());
        let stages = self.pair.b.len();
        self.slopes[0].clone_from(&self.mesh.f_end);
        let mut failures = 0;
        let mut tried = h;
        loop {
            if let Some(left) = self.tolerance.end.map(|end| end - t)
                && left * h > 0.0
                && 1.1 * h.abs() >= left.abs()
            {
                h = left;
            }
            if h.abs() < smallest {
                return Err(self.undefined(t, tried).unwrap_or(Fault {
                    cause: Cause::ToleranceTooTight { step: h.abs() },
                    body: None,
                }));
            }
            tried = h;
            for i in 1..stages {
                self.stage(i, |mesh| &mesh.y_end, (t, h));
            }
            combine(
                &mut self.candidate,
                &self.mesh.y_end,
                h,
                &self.pair.b,
                &self.slopes,
            );
            // The slope at the end: stage number `stages`.
            rate(
                &*self.system,
                t + h,
                &self.candidate,
                &mut self.slopes[stages],
                self.parts,
                &mut self.scratch,
            );
            info.evaluations += stages as u32;

            let error = self.error(h);
            if error <= 1.0 {
                let root = 1.25 * math::powf(error, 1.0 / self.pair.exponent);
                self.mesh.next = if failures > 0 { h } else { h / root.max(0.2) };
                break;
            }
            info.rejected += 1;
            failures += 1;
            // An error that is not a number is a failure, too.
            let shrink = if failures == 1 && error.is_finite() {
                (0.8 / math::powf(error, 1.0 / self.pair.exponent)).max(0.1)
            } else {
                0.5
            };
            h *= shrink;
        }
        info.substeps += 1;
        let mesh = &mut self.mesh;
        (mesh.start, mesh.length) = (t, h);
        std::mem::swap(&mut mesh.y_start, &mut mesh.y_end);
        std::mem::swap(&mut mesh.y_end, &mut self.candidate);
        mesh.f_end.clone_from(&self.slopes[stages]);
        Ok(())
    }

    /// What has no value in a step of length h from t that was tried, if the equations end in it.
    fn undefined(&mut self, t: f64, h: f64) -> Option<Fault> {
        let stages = self.pair.b.len();
        let bad = |slope: &Vec<f64>| !slope.iter().all(|f| f.is_finite());
        let first = self.slopes[..=stages].iter().position(bad)?;
        // Where it was computed, from the slopes before it.
        let (weights, node) = match first < stages {
            true => (&self.pair.a[first], self.pair.c[first]),
            false => (&self.pair.b, 1.0),
        };
        let before = &self.slopes[..first];
        combine(&mut self.stage, &self.mesh.y_end, h, weights, before);
        let (q, v) = self.parts.of(&self.stage);
        let undefined = self.system.undefined(t + node * h, q, v, &mut self.scratch)?;
        Some(undefined.into())
    }

    /// Slope of stage i of an interval of length h that begins at t, where y is `from`.
    fn stage(&mut self, i: usize, from: fn(&Mesh) -> &[f64], (t, h): (f64, f64)) {
        combine(
            &mut self.stage,
            from(&self.mesh),
            h,
            &self.pair.a[i],
            &self.slopes,
        );
        let time = t + self.pair.c[i] * h;
        rate(
            &*self.system,
            time,
            &self.stage,
            &mut self.slopes[i],
            self.parts,
            &mut self.scratch,
        );
    }

    /// Estimated error of the candidate in units of the tolerance.
    fn error(&self, h: f64) -> f64 {
        let Tolerance {
            relative, absolute, ..
        } = self.tolerance;
        let sum = |weights: &[f64], k: usize| -> f64 {
            weights
                .iter()
                .zip(&self.slopes)
                .map(|(e, slope)| e * slope[k])
                .sum()
        };
        let motion = self.parts.motion();
        let pairs = self
            .mesh
            .y_end
            .iter()
            .zip(&self.candidate)
            .take(motion)
            .enumerate();
        match &self.pair.error {
            Estimate::Single(weights) => {
                let threshold = self.threshold();
                let relative_error = pairs
                    .map(|(k, (y, next))| sum(weights, k).abs() / y.abs().max(next.abs()).max(threshold))
                    // `f64::max` would lose a NaN.
                    .fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a });
                h.abs() * relative_error / relative
            }
            Estimate::Double { fifth, third } => {
                let (mut five, mut three) = (0.0, 0.0);
                for (k, (y, next)) in pairs {
                    let scale = absolute + relative * y.abs().max(next.abs());
                    five += math::powi(sum(fifth, k) / scale, 2);
                    three += math::powi(sum(third, k) / scale, 2);
                }
                if five == 0.0 && three == 0.0 {
                    return 0.0;
                }
                h.abs() * five / ((five + 0.01 * three) * motion as f64).sqrt()
            }
        }
    }

    /// Fills in the dense output of the last interval, with the stages only it needs.
    fn prepare_dense(&mut self, info: &mut StepInfo) {
        let (t, h, stages) = (self.mesh.start, self.mesh.length, self.pair.b.len());
        for i in stages + 1..self.pair.a.len() {
            self.stage(i, |mesh| &mesh.y_start, (t, h));
            info.evaluations += 1;
        }
        let Mesh {
            y_start,
            y_end,
            f_end,
            dense,
            ..
        } = &mut self.mesh;
        for k in 0..y_start.len() {
            let delta = y_end[k] - y_start[k];
            dense[0][k] = delta;
            dense[1][k] = h * self.slopes[0][k] - delta;
            dense[2][k] = 2.0 * delta - h * (self.slopes[0][k] + f_end[k]);
        }
        for (row, out) in self.pair.dense.iter().zip(&mut dense[3..]) {
            out.fill(0.0);
            for (d, slope) in row.iter().zip(&self.slopes) {
                add_scaled(out, h * d, slope);
            }
        }
    }

    /// Reads y at time t off the dense output.
    fn interpolate(&mut self, t: f64) {
        let mesh = &self.mesh;
        let x = (t - mesh.start) / mesh.length;
        self.stage.clear();
        self.stage.resize(mesh.y_start.len(), 0.0);
        for (r, row) in mesh.dense.iter().enumerate().rev() {
            let factor = if r % 2 == 0 { x } else { 1.0 - x };
            for (out, f) in self.stage.iter_mut().zip(row) {
                *out = (*out + f) * factor;
            }
        }
        for (out, y) in self.stage.iter_mut().zip(&mesh.y_start) {
            *out += y;
        }
    }

    /// Takes the mesh out of the state. `false` when there is none that leads on from it.
    fn restore(&mut self, state: &State, h: f64) -> bool {
        let size = self.parts.total();
        let mesh = &mut self.mesh;
        let Some((&[start, length, next], blocks)) = state
            .carried(self.pair.tag)
            .and_then(|carried| carried.split_first_chunk())
        else {
            return false;
        };
        if blocks.len() != (3 + mesh.dense.len()) * size || !(next * h > 0.0) {
            return false;
        }
        (mesh.start, mesh.length, mesh.next) = (start, length, next);
        let targets = [&mut mesh.y_start, &mut mesh.y_end, &mut mesh.f_end];
        let blocks = blocks.chunks_exact(size);
        for (target, block) in targets.into_iter().chain(&mut mesh.dense).zip(blocks) {
            target.clear();
            target.extend_from_slice(block);
        }
        for slope in &mut self.slopes {
            slope.resize(size, 0.0);
        }
        true
    }

    /// Puts the mesh into the state.
    fn store(&self, state: &mut State) {
        let mesh = &self.mesh;
        let carry = state.carry_for(self.pair.tag);
        carry.clear();
        carry.extend([mesh.start, mesh.length, mesh.next]);
        let ends = [&mesh.y_start, &mesh.y_end, &mesh.f_end];
        for block in ends.into_iter().chain(&mesh.dense) {
            carry.extend_from_slice(block);
        }
    }
}

impl Integrator for Adaptive {
    fn halt_by(&mut self, halt: Arc<AtomicBool>) -> bool {
        self.halt = Some(halt);
        true
    }

    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        let mut info = StepInfo::default();
        if !self.restore(state, h) {
            self.start(state, h, &mut info);
        }
        let target = state.t + h;
        let mut walked = false;
        while (target - (self.mesh.start + self.mesh.length)) * h.signum() > 0.0 {
            if self
                .halt
                .as_ref()
                .is_some_and(|halt| halt.load(Ordering::Relaxed))
            {
                return Err(Fault {
                    cause: Cause::Halted,
                    body: None,
                });
            }
            self.advance(h, &mut info)?;
            walked = true;
        }
        if walked {
            self.prepare_dense(&mut info);
        }
        self.interpolate(target);
        let (q, v) = self.parts.of(&self.stage);
        self.next_q.clear();
        self.next_q.extend_from_slice(q);
        self.next_p.resize(state.p.len(), 0.0);
        self.system
            .momentum(target, q, v, &mut self.next_p, &mut self.scratch);
        super::check_finite(
            &self.next_q,
            &self.next_p,
            self.system.layout().words.bodies.len(),
        )?;

        state.work.clear();
        state.work.extend_from_slice(&self.stage[self.parts.motion()..]);
        std::mem::swap(&mut state.q, &mut self.next_q);
        std::mem::swap(&mut state.p, &mut self.next_p);
        state.t = target;
        self.store(state);
        Ok(info)
    }
}

fn rate(system: &dyn System, t: f64, y: &[f64], f: &mut [f64], parts: Parts, scratch: &mut Scratch) {
    let (q, v) = parts.of(y);
    let (motion, powers) = f.split_at_mut(parts.motion());
    let (dq, dv) = motion.split_at_mut(parts.q);
    system.rate(t, q, v, dq, dv, scratch);
    if !powers.is_empty() {
        system.powers(t, q, v, dv, powers, scratch);
    }
}

/// `out = y + h Σⱼ aⱼ kⱼ`.
fn combine(out: &mut Vec<f64>, y: &[f64], h: f64, a: &[f64], slopes: &[Vec<f64>]) {
    out.clear();
    out.extend_from_slice(y);
    for (a, slope) in a.iter().zip(slopes) {
        if *a != 0.0 {
            add_scaled(out, a * h, slope);
        }
    }
}
