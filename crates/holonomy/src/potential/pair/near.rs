//! Pairs within a cut-off, V = Σ_{i<j} f(s)S(s), from lists of neighbours.
//!
//! ```text
//! ∂V/∂rᵢ = 2 Σⱼ (fS)′(sᵢⱼ)(rᵢ − rⱼ)      j over the list of i, by number: every pair is computed twice
//! V = ½ Σᵢ Σⱼ (fS)(sᵢⱼ)
//! ```
//! Eight points are side by side, each with its own sum. A sum begins with +0 and never becomes −0, so what is out of
//! range and adds ±0 leaves no trace: the bits depend neither on the lists' age nor on who is beside whom.
use super::{
    super::{ListWork, Potential, Symmetry},
    PairLaw,
    lists::{CLUSTERS, Group, Lists, Update},
    strip,
    switch::{Cutoff, Switched},
};
use crate::{
    Vec3,
    lagrangian::Undefined,
    simd::{LANES, Level, Vector, Work},
    threads,
};
use std::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering},
};

/// The same law between all pairs of the first `count` points that are near: it fades out at a [`Cutoff`].
pub struct NearPairs<L> {
    law: Switched<L>,
    cutoff: Cutoff,
    count: usize,
    level: Level,
    /// Lists, used again. A second thread that finds them taken makes its own.
    memory: Mutex<Memory>,
    evaluations: AtomicU64,
    rebuilds: AtomicU64,
}

#[derive(Default)]
struct Memory {
    lists: Lists,
    /// For each eight slots three sums, or in the place of the first one energies.
    sums: Vec<[[f64; LANES]; 3]>,
}

/// Cost of the sum over a list, ns.
const NANOSECONDS: usize = 40;

/// Entries of the lists that are summed at a time: mostly all of them.
const ROWS: usize = 32;
type Strip = strip::Strip<{ ROWS * LANES }>;

/// The sums of one group.
struct Sum<'a, L> {
    law: &'a L,
    lists: &'a Lists,
    group: &'a Group,
    first: usize,
    with_gradient: bool,
    sums: &'a mut [[[f64; LANES]; 3]],
}

impl<L: PairLaw> NearPairs<L> {
    /// The law between the first `count` points, with a cut-off.
    pub fn new(law: L, count: usize, cutoff: Cutoff) -> Self {
        Self::at_level(law, count, cutoff, Level::best())
    }

    /// The same, with given instructions: the bits are the same too.
    pub fn at_level(law: L, count: usize, cutoff: Cutoff, level: Level) -> Self {
        Self {
            law: Switched::new(law, &cutoff),
            cutoff,
            count,
            level,
            memory: Mutex::default(),
            evaluations: AtomicU64::new(0),
            rebuilds: AtomicU64::new(0),
        }
    }

    /// Acts on the sums; `None` if a point is not at a place.
    fn with_sums<R>(
        &self,
        points: &[Vec3],
        with_gradient: bool,
        act: impl FnOnce(Option<&Memory>) -> R,
    ) -> R {
        match self.memory.try_lock() {
            Ok(mut memory) => act(self.sum(&points[..self.count], with_gradient, &mut memory)),
            Err(_) => act(self.sum(&points[..self.count], with_gradient, &mut Memory::default())),
        }
    }

    fn sum<'a>(&self, points: &[Vec3], with_gradient: bool, memory: &'a mut Memory) -> Option<&'a Memory> {
        let Memory { lists, sums } = memory;
        self.evaluations.fetch_add(1, Ordering::Relaxed);
        match lists.update(points, self.cutoff.outer(), self.cutoff.skin()) {
            Update::NotFinite => return None,
            Update::Made => _ = self.rebuilds.fetch_add(1, Ordering::Relaxed),
            Update::Kept => {}
        }
        sums.resize(self.count.div_ceil(LANES), [[0.0; LANES]; 3]);
        let nanoseconds = self.count * if lists.everybody { self.count } else { NANOSECONDS };
        let tasks = (threads::parts(1, &lists.groups), threads::pieces(CLUSTERS, sums));
        threads::run(nanoseconds, tasks, |k, (group, sums)| {
            self.level.run(Sum {
                law: &self.law,
                lists,
                group: &group[0],
                first: k * CLUSTERS,
                with_gradient,
                sums,
            });
        });
        Some(memory)
    }
}

impl<L: PairLaw> Potential for NearPairs<L> {
    fn energy(&self, points: &[Vec3]) -> f64 {
        self.with_sums(points, false, |memory| {
            let Some(Memory { lists, sums }) = memory else {
                return f64::NAN;
            };
            let of = |slot: &u32| sums[*slot as usize / LANES][0][*slot as usize % LANES];
            0.5 * lists.slots.iter().map(of).sum::<f64>()
        })
    }

    fn add_gradient(&self, points: &[Vec3], gradient: &mut [Vec3]) {
        let gradient = &mut gradient[..self.count];
        self.with_sums(points, true, |memory| {
            let Some(Memory { lists, sums }) = memory else {
                return gradient.fill(Vec3::repeat(f64::NAN));
            };
            let size = 1024;
            let tasks = (
                threads::parts(size, &lists.slots),
                threads::pieces(size, gradient),
            );
            threads::run(2 * self.count, tasks, |_, (slots, gradient)| {
                for (slot, gradient) in slots.iter().zip(gradient) {
                    let (cluster, lane) = (*slot as usize / LANES, *slot as usize % LANES);
                    *gradient += Vec3::from_fn(|axis, _| 2.0 * sums[cluster][axis][lane]);
                }
            });
        });
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::All
    }

    fn undefined(&self, points: &[Vec3]) -> Option<Undefined> {
        let points = &points[..self.count];
        let pairs = points.iter().enumerate().flat_map(|(i, a)| {
            let others = points[i + 1..].iter();
            others.map(move |b| (a - b).norm_squared())
        });
        pairs.into_iter().find_map(|s| self.law.undefined(s))
    }

    fn expressions(&self) -> Vec<String> {
        self.law.expressions()
    }

    fn list_work(&self) -> Option<ListWork> {
        Some(ListWork {
            evaluations: self.evaluations.load(Ordering::Relaxed),
            rebuilds: self.rebuilds.load(Ordering::Relaxed),
        })
    }
}

impl<L: PairLaw> Work for Sum<'_, L> {
    #[inline(always)]
    fn run<V: Vector>(self, token: V::Token) {
        let positions = &self.lists.positions;
        let mut batch = Strip::ZERO;
        let mut start = 0;
        for (k, sums) in self.sums.iter_mut().enumerate() {
            let first = (self.first + k) * LANES;
            let slots = std::array::from_fn(|lane| (first + lane) as u32);
            let mut lanes = Lanes::<V, L> {
                law: self.law,
                positions,
                token,
                own: V::gather(token, positions, &slots),
                with_gradient: self.with_gradient,
                sum: [V::all(token, 0.0); 3],
            };
            if self.lists.everybody {
                let count = self.lists.slots.len();
                let nobody = positions.len() as u32 - 1;
                let entry = |slot: usize, lane| if slot == first + lane { nobody } else { slot as u32 };
                for slots in (0..count).step_by(ROWS) {
                    let row = |k: usize| std::array::from_fn(|lane| entry(slots + k, lane));
                    let rows: [[u32; LANES]; ROWS] = std::array::from_fn(row);
                    lanes.add(&rows[..ROWS.min(count - slots)], &mut batch);
                }
            } else {
                let end = self.group.ends[k] as usize;
                lanes.add(&self.group.rows[start..end], &mut batch);
                start = end;
            }
            for (sum, lanes) in sums.iter_mut().zip(lanes.sum) {
                lanes.store(sum);
            }
        }
    }
}

/// Eight points side by side, and what they have summed.
struct Lanes<'a, V: Vector, L> {
    law: &'a L,
    positions: &'a [[f64; 4]],
    token: V::Token,
    own: [V; 3],
    with_gradient: bool,
    sum: [V; 3],
}

impl<V: Vector, L: PairLaw> Lanes<'_, V, L> {
    /// Adds what some entries of the lists contribute, in their order.
    #[inline(always)]
    fn add(&mut self, rows: &[[u32; LANES]], batch: &mut Strip) {
        if !L::BATCHED {
            for row in rows {
                let (apart, s) = self.apart(row);
                let (energy, slope) = self.law.at(s);
                self.add_one(apart, energy, slope);
            }
            return;
        }
        for rows in rows.chunks(ROWS) {
            let x = &mut batch[..rows.len() * LANES];
            for (row, x) in rows.iter().zip(x.as_chunks_mut().0) {
                self.apart(row).1.store(x);
            }
            match self.with_gradient {
                true => self.law.slopes(x),
                false => self.law.energies(x),
            }
            for (row, x) in rows.iter().zip(x.as_chunks().0) {
                let x = V::load(self.token, x);
                self.add_one(self.apart(row).0, x, x);
            }
        }
    }

    /// rᵢ − rⱼ and s.
    #[inline(always)]
    fn apart(&self, row: &[u32; LANES]) -> ([V; 3], V) {
        let others = V::gather(self.token, self.positions, row);
        let [a, b, c] = self.own;
        let (x, y, z) = (a - others[0], b - others[1], c - others[2]);
        ([x, y, z], x * x + y * y + z * z)
    }

    #[inline(always)]
    fn add_one(&mut self, apart: [V; 3], energy: V, slope: V) {
        if self.with_gradient {
            for axis in 0..3 {
                self.sum[axis] = self.sum[axis] + slope * apart[axis];
            }
        } else {
            self.sum[0] = self.sum[0] + energy;
        }
    }
}
