//! The steps of [`super`] from eight states side by side, a lane for each, for Lagrangians and forces that are formulas.
//!
//! Lanes that need more corrections than others go on alone, and those that are done keep what they have. A group in
//! which something has no value, does not converge or is not finite is left to single steps, which know what to say.
#![expect(
    clippy::needless_range_loop,
    reason = "closures of iterators are not inlined into a kernel"
)]
use super::{DiscreteLagrangian, Quadrature, ROUNDING};
use crate::{
    integrator::{Member, together::lanes},
    lagrangian::{FormulaMechanics, TogetherMechanics},
    simd::{Eight as Numbers, Kernel, LANES, Level, Vector},
    solve::{CorrectionsTogether, solve_together},
};

/// Iterations that velocities are given, as in [`crate::solve::Newton`].
const MAX_VELOCITY_ITERATIONS: u32 = crate::solve::MAX_ITERATIONS;

/// Eight states on their way, and memory for their steps.
pub(super) struct Group {
    at: TogetherMechanics,
    t: Numbers,
    q: Vec<Numbers>,
    p: Vec<Numbers>,
    /// The work of each source.
    work: Vec<Numbers>,
    /// d; before that, v.
    unknown: Vec<Numbers>,
    next_q: Vec<Numbers>,
    next_p: Vec<Numbers>,
    matrix: Vec<Numbers>,
    residual: Vec<Numbers>,
    /// The work of each source in this step.
    done: Vec<Numbers>,
    /// Iterations of each lane, altogether and in one step at most.
    iterations: [u64; LANES],
    most: [u32; LANES],
    good: bool,
}

impl DiscreteLagrangian {
    /// Whether states can be taken side by side.
    pub(super) fn goes_together(&mut self) -> bool {
        if self.group.is_none()
            && let Some(at) = self
                .system
                .mechanics()
                .formulas()
                .and_then(FormulaMechanics::together)
        {
            let n = self.system.mechanics().coordinates();
            let list = |length: usize| vec![Numbers::all(0.0); length];
            let sources = self.system.sources().len();
            self.group = Some(Box::new(Group {
                at,
                t: Numbers::all(0.0),
                q: list(n),
                p: list(n),
                work: list(sources),
                unknown: list(n),
                next_q: list(n),
                next_p: list(n),
                matrix: list(n * n),
                residual: list(n),
                done: list(sources),
                iterations: [0; LANES],
                most: [0; LANES],
                good: false,
            }));
        }
        self.group.is_some()
    }

    /// Takes steps of a group of states; whether all could be taken.
    pub(super) fn together(&mut self, members: &mut [&mut Member], h: f64, steps: u64) -> bool {
        let (Some(group), Some(formulas)) = (&mut self.group, self.system.mechanics().formulas()) else {
            return false;
        };
        group.gather(members);
        Level::best().run(Row {
            formulas,
            quadrature: self.quadrature,
            substeps: self.substeps,
            max_iterations: self.max_iterations,
            h,
            steps,
            group,
        });
        if group.good {
            let evaluations = self.quadrature.len() as u64;
            group.scatter(members, steps, steps * self.substeps.len() as u64, evaluations);
        }
        group.good
    }
}

impl Group {
    fn gather(&mut self, members: &[&mut Member]) {
        for (i, (q, p)) in self.q.iter_mut().zip(&mut self.p).enumerate() {
            *q = Numbers(lanes(members, |member| member.state.q[i]));
            *p = Numbers(lanes(members, |member| member.state.p[i]));
        }
        for (k, work) in self.work.iter_mut().enumerate() {
            *work = Numbers(lanes(members, |member| {
                member.state.work.get(k).copied().unwrap_or(0.0)
            }));
        }
        self.t = Numbers(lanes(members, |member| member.state.t));
        self.iterations = [0; LANES];
        self.most = [0; LANES];
        self.good = false;
    }

    fn scatter(&self, members: &mut [&mut Member], steps: u64, substeps: u64, evaluations: u64) {
        for (l, member) in members.iter_mut().enumerate() {
            let state = &mut member.state;
            state.t = self.t[l];
            for (i, (q, p)) in self.q.iter().zip(&self.p).enumerate() {
                state.q[i] = q[l];
                state.p[i] = p[l];
            }
            state.lambda.clear();
            if !self.work.is_empty() {
                state.work.clear();
                state.work.extend(self.work.iter().map(|work| work[l]));
            }
            let work = &mut member.work;
            work.steps += steps;
            work.iterations += self.iterations[l];
            work.max_iterations = work.max_iterations.max(self.most[l]);
            // Each substep evaluates once more than it iterates.
            work.evaluations += (self.iterations[l] + substeps) * evaluations;
        }
    }
}

struct Row<'a> {
    formulas: &'a FormulaMechanics,
    quadrature: Quadrature,
    substeps: &'static [f64],
    max_iterations: u32,
    h: f64,
    steps: u64,
    group: &'a mut Group,
}

impl Kernel for Row<'_> {
    #[inline(always)]
    fn run<V: Vector>(mut self, token: V::Token) {
        if !self.have_values() {
            return;
        }
        for _ in 0..self.steps {
            let before = V::load(token, &self.group.t);
            let mut iterations = [0; LANES];
            for gamma in self.substeps {
                if !self.substep::<V>(token, gamma * self.h, &mut iterations) {
                    return;
                }
            }
            (before + self.h).store(&mut self.group.t);
            for l in 0..LANES {
                self.group.iterations[l] += u64::from(iterations[l]);
                self.group.most[l] = self.group.most[l].max(iterations[l]);
            }
        }
        // What is not finite never becomes so again, so that it is enough to look at the end.
        let mut stray = V::all(token, 0.0);
        for i in 0..self.group.q.len() {
            let (q, p) = (&self.group.q[i], &self.group.p[i]);
            stray = stray + V::load(token, q) * 0.0 + V::load(token, p) * 0.0;
        }
        self.group.good = stray.are_within(0.0);
    }
}

impl Row<'_> {
    /// Whether L has a value at rest where the states are.
    fn have_values(&mut self) -> bool {
        let Group { at, t, q, .. } = &mut *self.group;
        let n = q.len();
        at.variables[..n].copy_from_slice(q);
        at.variables[n..2 * n].fill(Numbers::all(0.0));
        at.variables[2 * n] = *t;
        self.formulas.lagrangian_together(at)
    }

    /// One step of the method of order 2, or `false` with the group anywhere.
    #[inline(always)]
    fn substep<V: Vector>(&mut self, token: V::Token, h: f64, iterations: &mut [u32; LANES]) -> bool {
        if !self.solve_velocity::<V>(token) {
            return false;
        }
        let n = self.group.q.len();
        for i in 0..n {
            let v = V::load(token, &self.group.unknown[i]);
            (v * h).store(&mut self.group.unknown[i]);
        }
        let mut corrections = CorrectionsTogether::new(self.max_iterations);
        while corrections.go_on() {
            if !self.evaluate::<V>(token, h, true) {
                return false;
            }
            let group = &mut *self.group;
            if !solve_together::<V>(token, &mut group.matrix, &mut group.residual) {
                return false;
            }
            let mut rounding = Numbers::all(0.0);
            for i in 0..n {
                let residual = V::load(token, &group.residual[i]);
                (residual * -1.0).store(&mut group.residual[i]);
                for l in 0..LANES {
                    rounding[l] = f64::max(rounding[l], group.next_q[i][l].abs());
                }
            }
            for l in 0..LANES {
                rounding[l] *= ROUNDING;
            }
            if !corrections.add::<V>(token, &mut group.unknown, &group.residual, &rounding, 0.25) {
                return false;
            }
        }
        for l in 0..LANES {
            iterations[l] += corrections.iterations()[l];
        }
        if !self.evaluate::<V>(token, h, false) {
            return false;
        }
        let group = &mut *self.group;
        let end = V::load(token, &group.t) + h;
        if self.quadrature.iter().all(|(c, _)| *c < 1.0) {
            // The end must have a value, too, although the step does not look there.
            group.at.variables[..n].copy_from_slice(&group.next_q);
            end.store(&mut group.at.variables[2 * n]);
            if !self.formulas.lagrangian_together(&mut group.at) {
                return false;
            }
        }
        end.store(&mut group.t);
        std::mem::swap(&mut group.q, &mut group.next_q);
        std::mem::swap(&mut group.p, &mut group.next_p);
        for k in 0..group.work.len() {
            let sum = V::load(token, &group.work[k]) + V::load(token, &group.done[k]);
            sum.store(&mut group.work[k]);
        }
        true
    }

    /// Solves `∂L/∂v (t, q, v) = p`.
    #[inline(always)]
    fn solve_velocity<V: Vector>(&mut self, token: V::Token) -> bool {
        let Group {
            at,
            t,
            q,
            p,
            unknown,
            matrix,
            residual,
            ..
        } = &mut *self.group;
        let n = q.len();
        unknown.fill(Numbers::all(0.0));
        at.variables[..n].copy_from_slice(q);
        at.variables[2 * n] = *t;
        let mut corrections = CorrectionsTogether::new(MAX_VELOCITY_ITERATIONS);
        while corrections.go_on() {
            at.variables[n..2 * n].copy_from_slice(unknown);
            // A state of a group has been looked at, or is the end of a step, where L has a value.
            if !self.formulas.momentum_together(at) {
                return false;
            }
            for i in 0..n {
                let momentum = V::load(token, self.formulas.momentum(at, i));
                (V::load(token, &p[i]) - momentum).store(&mut residual[i]);
            }
            for place in 0..n * n {
                matrix[place] = *self.formulas.momentum(at, n + place);
            }
            if !solve_together::<V>(token, matrix, residual) {
                return false;
            }
            if !corrections.add::<V>(token, unknown, residual, &Numbers::all(0.0), f64::INFINITY) {
                return false;
            }
        }
        true
    }

    /// The residual, and with it the matrix if it is asked for; `next_q`, `next_p` and `done`.
    #[inline(always)]
    fn evaluate<V: Vector>(&mut self, token: V::Token, h: f64, matrix: bool) -> bool {
        let group = &mut *self.group;
        let n = group.q.len();
        for i in 0..n {
            let (q, d) = (V::load(token, &group.q[i]), V::load(token, &group.unknown[i]));
            (q + d).store(&mut group.next_q[i]);
            (d / d.constant(h)).store(&mut group.at.variables[n + i]);
        }
        group.residual.copy_from_slice(&group.p);
        group.next_p.copy_from_slice(&group.p);
        group.done.fill(Numbers::all(0.0));
        group.matrix.fill(Numbers::all(0.0));
        for (c, w) in self.quadrature {
            for i in 0..n {
                let (q, d) = (V::load(token, &group.q[i]), V::load(token, &group.unknown[i]));
                (q + d * *c).store(&mut group.at.variables[i]);
            }
            let time = V::load(token, &group.t) + c * h;
            time.store(&mut group.at.variables[2 * n]);
            if !(self.formulas.lagrangian_together(&mut group.at)
                && self.formulas.force_together(&mut group.at))
            {
                return false;
            }
            let found = self.formulas.found(&group.at);
            let load = |numbers: &Numbers| V::load(token, numbers);
            let weight = h * w;
            let sources = found.sources();
            for k in 0..sources.forces.len() {
                let a = sources.forces[k];
                let power = load(found.force(a)) * load(&group.at.variables[n + a]);
                (load(&group.done[k]) + power * weight).store(&mut group.done[k]);
            }
            if sources.time {
                let k = sources.forces.len();
                (load(&group.done[k]) - load(found.t()) * weight).store(&mut group.done[k]);
            }
            let before = h * w * (1.0 - c);
            for i in 0..n {
                let pushed = load(found.q(i)) + load(found.force(i));
                (load(&group.residual[i]) + (pushed * before - load(found.v(i)) * *w))
                    .store(&mut group.residual[i]);
                (load(&group.next_p[i]) + pushed * weight).store(&mut group.next_p[i]);
                if !matrix {
                    continue;
                }
                for j in 0..n {
                    let (ij, ji) = (i * n + j, j * n + i);
                    let of_q = load(found.qq(ij)) + load(found.force_q(ij));
                    let of_v = load(found.vq(ji)) + load(found.force_v(ij));
                    let length = of_q.constant(h);
                    let slope_q = of_q * *c + of_v / length;
                    let slope_v = load(found.vq(ij)) * *c + load(found.vv(ij)) / length;
                    (load(&group.matrix[ij]) + (slope_q * before - slope_v * *w))
                        .store(&mut group.matrix[ij]);
                }
            }
        }
        true
    }
}
