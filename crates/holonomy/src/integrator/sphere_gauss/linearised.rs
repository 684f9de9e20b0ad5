//! Derivatives of the steps.
//!
//! ```text
//! unknowns     Lⱼ                                    from (q, p − α q), where it ends with q⁺·p⁺ = 0
//! equations    Lⱼ − h bⱼ f(Yⱼ),   (x⁺, y⁺)
//! push         δLⱼ = h bⱼ f′(Yⱼ) (δz + Σₖ (aⱼₖ/bₖ) δLₖ) − δFⱼ
//! pull         Λⱼ = z̄ + Σᵢ (aᵢⱼ/bⱼ) h bᵢ f′(Yᵢ)ᵀ Λᵢ
//! ```
//! They are solved as the steps are: by corrections until rounding is left, which shrink as fast as theirs. For links each
//! takes O(s² n), and there is no matrix.
use super::{
    SphereGauss, Way,
    chain::{Chain, PER_LINK},
    rule::Rule,
    slopes::{Pair, Slopes, SlopesWork},
};
use crate::{
    Vec3,
    derivative::{Change, Differentiable},
    geometry::s2,
    integrator::{
        Fault,
        sphere_tangent::{pairs, pairs_mut},
    },
    math,
    spheres::view,
    system::{State, Undefined},
};
use nalgebra::Matrix3x2;

/// What is known of a step beside its scratch, once derivatives were asked for.
#[derive(Default)]
pub(super) struct Taken {
    looked: bool,
    known: bool,
    h: f64,
    /// p and α at the start, and the tangent bases of both ends.
    start: Vec<(Vec3, f64)>,
    bases: [Vec<Matrix3x2<f64>>; 2],
    q: Vec<Vec3>,
    stages: Vec<Slopes>,
    work: SlopesWork,
    /// Of each stage, a change of L or a gradient, and of Y.
    pulses: Vec<Pair>,
    values: Vec<Pair>,
    /// What is added up, and what a step or a change begins with and leads to.
    whole: Pair,
    next: Pair,
    end: Pair,
}

/// Corrections of a change, which shrink as fast as those of the step: more are not needed.
const MOST: u32 = 200;
/// The part of a change below which no correction is worth another.
const ROUNDING: f64 = 1e-17;

impl Pair {
    fn reset(&mut self, n: usize) {
        for list in [&mut self.q, &mut self.p] {
            list.clear();
            list.resize(n, Vec3::zeros());
        }
    }

    fn copy_from(&mut self, other: &Self) {
        self.q.clone_from(&other.q);
        self.p.clone_from(&other.p);
    }

    fn add(&mut self, other: &Self, factor: f64) {
        let each = self.q.iter_mut().chain(&mut self.p);
        for (own, other) in each.zip(other.q.iter().chain(&other.p)) {
            *own += other * factor;
        }
    }

    fn read(&mut self, list: &[f64]) {
        let each = list.as_chunks::<PER_LINK>().0;
        self.q.clear();
        self.q.extend(each.iter().map(|of| view(of)[0]));
        self.p.clear();
        self.p.extend(each.iter().map(|of| view(of)[1]));
    }

    /// Adds this times a factor to a list.
    fn add_to(&self, list: &mut [f64], factor: f64) {
        for (i, of) in list.chunks_exact_mut(PER_LINK).enumerate() {
            for k in 0..3 {
                of[k] += self.q[i][k] * factor;
                of[3 + k] += self.p[i][k] * factor;
            }
        }
    }

    fn size(&self) -> f64 {
        let each = self.q.iter().chain(&self.p);
        each.fold(0.0, |m, x| math::larger(m, x.amax()))
    }
}

impl SphereGauss {
    pub(super) fn has_derivatives(&mut self) -> bool {
        if !self.taken.looked {
            self.taken.looked = true;
            self.taken.known = self.force.system.without_derivatives().is_none();
        }
        self.taken.known
    }

    /// Goes to the stages of a step whose unknowns are known, and puts `Lⱼ − h bⱼ f(Yⱼ)` into `left` if that is asked
    /// for; where it ends is kept.
    fn stand(
        &mut self,
        before: &State,
        h: f64,
        solution: &[f64],
        mut left: Option<&mut Vec<f64>>,
    ) -> Result<(), Fault> {
        let Self {
            rule,
            way,
            force,
            taken,
            ..
        } = self;
        let system = &*force.system;
        let chain = way.chain();
        let (n, q, pi) = (system.len(), view(&before.q), view(&before.p));
        let Taken {
            start,
            stages,
            work,
            pulses,
            values,
            whole,
            next,
            end,
            ..
        } = taken;
        for list in [&mut *pulses, &mut *values] {
            list.resize_with(rule.stages, Pair::default);
        }
        stages.resize_with(rule.stages, Slopes::default);
        whole.reset(n);
        for (pulse, of) in pulses.iter_mut().zip(solution.chunks_exact(PER_LINK * n)) {
            pulse.read(of);
            whole.add(pulse, 1.0);
        }
        start.clear();
        next.reset(n);
        for i in 0..n {
            let p = pi[i].cross(&q[i]);
            let end = s2::normalised(&(q[i] + whole.q[i]));
            let along = end.dot(&(p + whole.p[i])) / q[i].dot(&end);
            start.push((p, along));
            (next.q[i], next.p[i]) = (q[i], p - q[i] * along);
        }
        end.copy_from(next);
        end.add(whole, 1.0);
        end.q.iter_mut().for_each(|q| *q = s2::normalised(q));
        for j in 0..rule.stages {
            values[j].copy_from(next);
            for k in 0..rule.stages {
                values[j].add(&pulses[k], rule.within[k][j]);
            }
        }
        for j in 0..rule.stages {
            if !stages[j].stand(system, (chain, force.uniform()), &values[j], whole, work) {
                return Err(Undefined::SingularMass.into());
            }
            if let Some(left) = &mut left {
                let first = left.len();
                left.extend_from_slice(&solution[j * PER_LINK * n..(j + 1) * PER_LINK * n]);
                whole.add_to(&mut left[first..], -h * rule.weights[j]);
            }
        }
        Ok(())
    }
}

impl Way {
    fn chain(&self) -> Option<&Chain> {
        match self {
            Self::Chain(chain) => Some(chain),
            Self::General(_) => None,
        }
    }
}

impl Taken {
    /// Pulses of all stages that agree with the values to which they lead, `next` and what the others add; then their sum
    /// is added to `next`. `act` makes a pulse of a value, by the number of its stage.
    fn correct(
        &mut self,
        rule: &Rule,
        transposed: bool,
        mut act: impl FnMut(usize, &Slopes, &Pair, &mut Pair, &mut SlopesWork),
    ) {
        let Self {
            stages,
            work,
            pulses,
            values,
            whole,
            next,
            ..
        } = self;
        pulses.iter_mut().for_each(|pulse| pulse.reset(next.q.len()));
        let mut corrections = Corrections::default();
        loop {
            for (j, value) in values.iter_mut().enumerate() {
                value.copy_from(next);
                for (k, pulse) in pulses.iter().enumerate() {
                    value.add(
                        pulse,
                        if transposed {
                            rule.within[j][k]
                        } else {
                            rule.within[k][j]
                        },
                    );
                }
            }
            let (mut most, mut size) = (0.0, next.size());
            for (j, ((stage, value), pulse)) in stages.iter().zip(&*values).zip(&mut *pulses).enumerate() {
                act(j, stage, value, whole, work);
                size = math::larger(size, whole.size());
                std::mem::swap(whole, pulse);
                whole.add(pulse, -1.0);
                most = math::larger(most, whole.size());
            }
            if corrections.are_done(most, size) {
                break;
            }
        }
        // What did not come to its end is no number.
        if !corrections.met {
            scale(next, f64::NAN);
            values.iter_mut().for_each(|value| scale(value, f64::NAN));
        }
        for pulse in &*pulses {
            next.add(pulse, 1.0);
        }
    }
}

impl Differentiable for SphereGauss {
    fn another(&mut self) -> Box<dyn Differentiable> {
        let order = 2 * self.rule.stages as u32;
        let Some(mut other) = Self::new(self.force.system.clone(), order, None, None) else {
            unreachable!("there is one for this system")
        };
        other.stop = self.stop;
        other.has_derivatives();
        Box::new(other)
    }

    fn solution(&self, out: &mut Vec<f64>) {
        out.clear();
        for j in 0..self.rule.stages {
            out.extend(self.motion.last.iter().map(|pulses| pulses[j]));
        }
    }

    fn linearise(&mut self, before: &State, h: f64, solution: &[f64]) -> Result<(), Fault> {
        self.stand(before, h, solution, None)?;
        let taken = &mut self.taken;
        taken.h = h;
        taken.q.clear();
        taken.q.extend_from_slice(view(&before.q));
        for (basis, q) in taken.bases.iter_mut().zip([&taken.q, &taken.end.q]) {
            basis.clear();
            basis.extend(q.iter().map(s2::tangent_basis));
        }
        Ok(())
    }

    fn push(&mut self, change: &mut Change) {
        let (rule, taken, system) = (&self.rule, &mut self.taken, &*self.force.system);
        let chain = self.way.chain();
        let n = taken.q.len();
        let (of_f, of_e) = match change.equations.len() {
            0 => (&[] as &[f64], &[] as &[f64]),
            all => change.equations.split_at(all - 2 * change.x.len()),
        };
        taken.next.reset(n);
        for (i, (x, y)) in pairs(&change.x).iter().zip(pairs(&change.y)).enumerate() {
            let (basis, (p, along)) = (&taken.bases[0][i], taken.start[i]);
            let moved = basis * x;
            taken.next.q[i] = moved;
            taken.next.p[i] = basis * y - taken.q[i] * p.dot(&moved) - moved * along;
        }
        let h = taken.h;
        taken.correct(rule, false, |j, stage, value, out, work| {
            stage.push(system, chain, value, out, work);
            scale(out, h * rule.weights[j]);
            if let Some(of) = of_f.get(j * PER_LINK * n..(j + 1) * PER_LINK * n) {
                take(out, of);
            }
        });
        for (i, basis) in taken.bases[1].iter().enumerate() {
            pairs_mut(&mut change.x)[i] = basis.tr_mul(&taken.next.q[i]);
            pairs_mut(&mut change.y)[i] = basis.tr_mul(&taken.next.p[i]);
        }
        for (out, of_e) in change.x.iter_mut().chain(&mut change.y).zip(of_e) {
            *out += of_e;
        }
        change.lambda.clear();
    }

    fn pull(&mut self, gradient: &mut Change) {
        let (rule, taken, system) = (&self.rule, &mut self.taken, &*self.force.system);
        let chain = self.way.chain();
        let n = taken.q.len();
        taken.next.reset(n);
        for (i, (x, y)) in pairs(&gradient.x).iter().zip(pairs(&gradient.y)).enumerate() {
            taken.next.q[i] = taken.bases[1][i] * x;
            taken.next.p[i] = taken.bases[1][i] * y;
        }
        let h = taken.h;
        taken.correct(rule, true, |j, stage, value, out, work| {
            stage.pull(system, chain, value, out, work);
            scale(out, h * rule.weights[j]);
        });
        let equations = &mut gradient.equations;
        equations.clear();
        equations.resize(rule.stages * PER_LINK * n, 0.0);
        for (value, of) in taken.values.iter().zip(equations.chunks_exact_mut(PER_LINK * n)) {
            value.add_to(of, -1.0);
        }
        equations.extend_from_slice(&gradient.x);
        equations.extend_from_slice(&gradient.y);
        for (i, basis) in taken.bases[0].iter().enumerate() {
            let ((p, along), Pair { q: of_q, p: of_p }) = (taken.start[i], &taken.next);
            let lifted = of_q[i] - p * taken.q[i].dot(&of_p[i]) - of_p[i] * along;
            pairs_mut(&mut gradient.x)[i] = basis.tr_mul(&lifted);
            pairs_mut(&mut gradient.y)[i] = basis.tr_mul(&of_p[i]);
        }
        gradient.lambda.clear();
    }

    fn equations(
        &mut self,
        before: &State,
        h: f64,
        solution: &[f64],
        out: &mut Vec<f64>,
    ) -> Result<(), Fault> {
        out.clear();
        // The stages that the derivatives belong to stay.
        let here = std::mem::take(&mut self.taken.stages);
        let start = self.taken.start.clone();
        let done = self.stand(before, h, solution, Some(out));
        (self.taken.stages, self.taken.start) = (here, start);
        done?;
        let Pair { q, p } = &self.taken.end;
        out.resize(out.len() + 2 * q.len(), 0.0);
        for (q, p) in q.iter().zip(p) {
            out.extend(s2::tangent_basis(q).tr_mul(p).iter());
        }
        Ok(())
    }
}

/// When corrections of a change have come to their end.
#[derive(Default)]
struct Corrections {
    count: u32,
    before: f64,
    met: bool,
}

impl Corrections {
    fn are_done(&mut self, change: f64, size: f64) -> bool {
        self.count += 1;
        let stuck = self.count > 2 && change >= self.before && change <= 1e-12 * size;
        self.met = change <= ROUNDING * size || stuck;
        self.before = change;
        self.met || self.count >= MOST || !change.is_finite()
    }
}

fn scale(pair: &mut Pair, factor: f64) {
    for x in pair.q.iter_mut().chain(&mut pair.p) {
        *x *= factor;
    }
}

fn take(pair: &mut Pair, of: &[f64]) {
    for (i, of) in of.as_chunks::<PER_LINK>().0.iter().enumerate() {
        pair.q[i] -= view(of)[0];
        pair.p[i] -= view(of)[1];
    }
}
