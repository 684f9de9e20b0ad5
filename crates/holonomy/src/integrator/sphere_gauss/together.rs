//! Short chains in a uniform field, in eight states side by side: the arithmetic of [`super::row`], a lane for each state.
//!
//! A lane whose iteration has ended keeps what it had then, while others go on. Steps that fail in one lane are left to
//! single states, which know how to begin them anew.
#![expect(
    clippy::needless_range_loop,
    reason = "closures of iterators are not inlined into a kernel"
)]
use super::{
    SphereGauss, Way,
    chain::{Chain, Joint, PER_LINK},
    motion::settle,
    row::{Stop, Verdict},
    rule::{Columns, Rule},
};
use crate::{
    integrator::Member,
    simd::{Kernel, LANES, Vector},
};

/// Numbers of a link or stage in eight states, one after the other.
type Numbers = Vec<[f64; LANES]>;

/// What a group of states works with.
#[derive(Default)]
pub(super) struct Group {
    place: Numbers,
    low: Numbers,
    /// Stage by stage: Lⱼ of the last step, of this one, what lanes that are done had of it, and Yⱼ.
    last: Numbers,
    pulses: Numbers,
    kept: Numbers,
    values: Numbers,
    joints: Vec<Joint>,
    good: bool,
    evaluations: [u64; LANES],
    iterations: [u64; LANES],
    most: [u32; LANES],
}

impl SphereGauss {
    /// Takes steps of a group of states, all or none; whether it did.
    pub(super) fn together(&mut self, group: &mut [&mut Member], h: f64, steps: u64) -> bool {
        if self.force.uniform().is_none() || !self.gather(group, h) {
            return false;
        }
        match (self.scratch.joints.len(), self.rule.stages) {
            (1, 4) => self.together_row::<1, 4>(h, steps),
            (2, 4) => self.together_row::<2, 4>(h, steps),
            (3, 4) => self.together_row::<3, 4>(h, steps),
            (1, 8) => self.together_row::<1, 8>(h, steps),
            (2, 8) => self.together_row::<2, 8>(h, steps),
            (3, 8) => self.together_row::<3, 8>(h, steps),
            _ => return false,
        }
        if self.group.good {
            self.scatter(group, h, steps);
        }
        self.group.good
    }

    fn together_row<const N: usize, const S: usize>(&mut self, h: f64, steps: u64) {
        if let Way::Chain(chain) = &self.way {
            self.level.run(Row::<N, S> {
                rule: &self.rule,
                chain,
                forces: &self.scratch.forces,
                stop: self.stop,
                group: &mut self.group,
                guessed: self.motion.step == h,
                h,
                steps,
            });
        }
    }

    /// The states of a group; `false` where the steps before were not alike.
    fn gather(&mut self, group: &[&mut Member], h: f64) -> bool {
        let stages = self.rule.stages;
        let mut guessed = None;
        for l in 0..LANES {
            let member = group.get(l).unwrap_or(&group[0]);
            self.motion.enter(&member.state, stages);
            if *guessed.get_or_insert(self.motion.step == h) != (self.motion.step == h) {
                return false;
            }
            let size = self.motion.place.len();
            let own = &mut self.group;
            own.place.resize(size, [0.0; LANES]);
            own.low.resize(size, [0.0; LANES]);
            for numbers in [&mut own.last, &mut own.pulses, &mut own.kept, &mut own.values] {
                numbers.resize(size * stages, [0.0; LANES]);
            }
            own.joints.resize(size / PER_LINK, Joint::default());
            for k in 0..size {
                own.place[k][l] = self.motion.place[k];
                own.low[k][l] = self.motion.low[k];
                for j in 0..stages {
                    own.last[j * size + k][l] = self.motion.last[k][j];
                }
            }
        }
        (self.group.good, self.group.most) = (false, [0; LANES]);
        (self.group.evaluations, self.group.iterations) = ([0; LANES], [0; LANES]);
        true
    }

    fn scatter(&mut self, group: &mut [&mut Member], h: f64, steps: u64) {
        let stages = self.rule.stages;
        self.motion.step = h;
        for (l, member) in group.iter_mut().enumerate() {
            let (own, size) = (&self.group, self.motion.place.len());
            for k in 0..size {
                self.motion.place[k] = own.place[k][l];
                self.motion.low[k] = own.low[k][l];
                for j in 0..stages {
                    self.motion.last[k][j] = own.last[j * size + k][l];
                }
            }
            self.motion.leave(&mut member.state, stages);
            (0..steps).for_each(|_| member.state.t += h);
            let work = &mut member.work;
            work.count_explicit(steps, 0);
            work.evaluations += own.evaluations[l];
            work.iterations += own.iterations[l];
            work.max_iterations = work.max_iterations.max(own.most[l]);
        }
    }
}

struct Row<'a, const N: usize, const S: usize> {
    rule: &'a Rule,
    chain: &'a Chain,
    forces: &'a [[f64; LANES]],
    stop: Stop,
    group: &'a mut Group,
    guessed: bool,
    h: f64,
    steps: u64,
}

impl<const N: usize, const S: usize> Kernel for Row<'_, N, S> {
    #[inline(always)]
    fn run<V: Vector>(mut self, token: V::Token) {
        for _ in 0..self.steps {
            if !self.step::<V>(token) {
                return;
            }
            self.guessed = true;
        }
        self.group.good = true;
    }
}

impl<const N: usize, const S: usize> Row<'_, N, S> {
    /// One step of all states; whether all could take it.
    #[inline(always)]
    fn step<V: Vector>(&mut self, token: V::Token) -> bool {
        let size = PER_LINK * N;
        let Group {
            place,
            low,
            last,
            pulses,
            kept,
            values,
            joints,
            evaluations,
            iterations,
            most,
            ..
        } = &mut *self.group;
        let (place, low) = (&mut place[..size], &mut low[..size]);
        let values = &mut values[..size * S];
        if self.guessed {
            spread::<V, N, S>(token, &self.rule.beyond, place, last, values);
        } else {
            for j in 0..S {
                for k in 0..size {
                    values[j * size + k] = place[k];
                }
            }
        }
        let mut fresh = !self.guessed;
        let mut active = u8::MAX;
        let mut before = [f64::INFINITY; LANES];
        let mut corrections = 0;
        while active != 0 {
            for j in 0..S {
                let weight = V::all(token, self.rule.weights[j] * self.h);
                let own = j * size..(j + 1) * size;
                let (values, pulses) = (&values[own.clone()], &mut pulses[own]);
                (self.chain).rates::<V, N>(token, weight, self.forces, values, pulses, joints);
            }
            let changes = spread::<V, N, S>(token, &self.rule.within, place, pulses, values);
            for l in 0..LANES {
                evaluations[l] += S as u64 * u64::from(active >> l & 1);
            }
            if fresh {
                fresh = false;
                continue;
            }
            corrections += 1;
            let mut done = 0;
            for l in 0..LANES {
                if active >> l & 1 == 1 {
                    match self.stop.judge(corrections, changes[l], before[l]) {
                        Verdict::GoesOn => before[l] = changes[l],
                        Verdict::Done => done |= 1 << l,
                        Verdict::Failed => return false,
                    }
                }
            }
            if done == u8::MAX {
                std::mem::swap(pulses, kept);
            } else if done != 0 {
                keep(done, &pulses[..size * S], &mut kept[..size * S]);
            }
            for l in 0..LANES {
                if done >> l & 1 == 1 {
                    iterations[l] += u64::from(corrections);
                    most[l] = most[l].max(corrections);
                }
            }
            active &= !done;
        }
        let kept_of = &mut kept[..size * S];
        for i in 0..N {
            let zero = V::all(token, 0.0);
            let (mut own, mut rest, mut sums) = ([zero; PER_LINK], [zero; PER_LINK], [zero; PER_LINK]);
            for k in 0..PER_LINK {
                let at = PER_LINK * i + k;
                own[k] = V::load(token, &place[at]);
                rest[k] = V::load(token, &low[at]);
                sums[k] = V::load(token, &kept_of[at]);
                for j in 1..S {
                    sums[k] = sums[k] + V::load(token, &kept_of[j * size + at]);
                }
            }
            let along = settle(&mut own, &mut rest, sums);
            for k in 0..PER_LINK {
                own[k].store(&mut place[PER_LINK * i + k]);
                rest[k].store(&mut low[PER_LINK * i + k]);
            }
            for j in 0..S {
                for k in 0..3 {
                    let at = j * size + PER_LINK * i + k;
                    let (moved, push) = (V::load(token, &kept_of[at]), V::load(token, &kept_of[at + 3]));
                    (push - moved * along).store(&mut kept_of[at + 3]);
                }
            }
        }
        std::mem::swap(last, kept);
        true
    }
}

/// Yᵢ of every stage; for each state the sum of squares of what this changes of q.
#[inline(always)]
fn spread<V: Vector, const N: usize, const S: usize>(
    token: V::Token,
    columns: &Columns,
    place: &[[f64; LANES]],
    pulses: &[[f64; LANES]],
    values: &mut [[f64; LANES]],
) -> [f64; LANES] {
    let size = PER_LINK * N;
    let (place, pulses, values) = (&place[..size], &pulses[..size * S], &mut values[..size * S]);
    let mut changes = [V::all(token, 0.0); S];
    for k in 0..size {
        let here = V::load(token, &place[k]);
        let mut own = [here; S];
        for j in 0..S {
            own[j] = V::load(token, &pulses[j * size + k]);
        }
        for i in 0..S {
            let mut sum = own[0] * columns[0][i];
            for j in 1..S {
                sum = sum + own[j] * columns[j][i];
            }
            let value = sum + here;
            if k % PER_LINK < 3 {
                let moved = value - V::load(token, &values[i * size + k]);
                changes[i] = changes[i] + moved * moved;
            }
            value.store(&mut values[i * size + k]);
        }
    }
    let mut sum = changes[0];
    for i in 1..S {
        sum = sum + changes[i];
    }
    let mut all = [0.0; LANES];
    sum.store(&mut all);
    all
}

/// The numbers of some lanes.
#[inline(always)]
fn keep(lanes: u8, from: &[[f64; LANES]], to: &mut [[f64; LANES]]) {
    for l in 0..LANES {
        if lanes >> l & 1 == 1 {
            for k in 0..from.len() {
                to[k][l] = from[k][l];
            }
        }
    }
}
