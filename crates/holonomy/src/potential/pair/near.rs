//! Pairs within a cut-off, V = Σ_{i<j} f(s)S(s), from neighbour lists.
//!
//! ```text
//! ∂V/∂rᵢ = 2 Σⱼ (fS)′(sᵢⱼ)(rᵢ − rⱼ)      j over the list of i, by number: every pair is computed twice
//! V = ½ Σᵢ Σⱼ (fS)(sᵢⱼ)
//! ```
//! Eight points are side by side, each with its own sum. A sum begins with +0 and never becomes −0, so what is out of
//! range and adds ±0 leaves no trace: the bits depend neither on the lists' age nor on which points share a vector.
use super::{
    super::{ListWork, Potential, Symmetry},
    PairLaw,
    lists::{CLUSTERS, ListBlock, Lists, Update},
    strip,
    switch::{Cutoff, Switched},
};
use crate::{
    Vec3,
    formula::SubExpression,
    simd::{Kernel, LANES, Level, Vector},
    system::Undefined,
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
    memory: Mutex<ListMemory>,
    evaluations: AtomicU64,
    /// Made so far.
    lists: AtomicU64,
}

#[derive(Default)]
struct ListMemory {
    lists: Lists,
    /// For each eight slots three sums, or in the place of the first one energies.
    sums: Vec<[[f64; LANES]; 3]>,
}

/// Cost of the sum over a list, ns.
const NANOSECONDS: usize = 40;

/// Entries of the lists that are summed at a time: mostly all of them.
const ROWS: usize = 32;
type EntryStrip = strip::Strip<{ ROWS * LANES }>;

/// The sums of one block.
struct Sum<'a, L> {
    law: &'a L,
    lists: &'a Lists,
    block: &'a ListBlock,
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
            lists: AtomicU64::new(0),
        }
    }

    /// Acts on the sums; `None` if a point is not at a place.
    fn with_sums<R>(
        &self,
        points: &[Vec3],
        with_gradient: bool,
        act: impl FnOnce(Option<&ListMemory>) -> R,
    ) -> R {
        match self.memory.try_lock() {
            Ok(mut memory) => act(self.sum(&points[..self.count], with_gradient, &mut memory)),
            Err(_) => act(self.sum(&points[..self.count], with_gradient, &mut ListMemory::default())),
        }
    }

    fn sum<'a>(
        &self,
        points: &[Vec3],
        with_gradient: bool,
        memory: &'a mut ListMemory,
    ) -> Option<&'a ListMemory> {
        let ListMemory { lists, sums } = memory;
        self.evaluations.fetch_add(1, Ordering::Relaxed);
        match lists.update(points, self.cutoff.outer(), self.cutoff.skin(), self.level) {
            Update::NotFinite => return None,
            Update::Made(lists) => _ = self.lists.fetch_add(lists as u64, Ordering::Relaxed),
        }
        sums.resize(self.count.div_ceil(LANES), [[0.0; LANES]; 3]);
        let nanoseconds = self.count * if lists.everybody { self.count } else { NANOSECONDS };
        let tasks = (threads::parts(1, &lists.blocks), threads::pieces(CLUSTERS, sums));
        threads::run(nanoseconds, tasks, |k, (block, sums)| {
            self.level.run(Sum {
                law: &self.law,
                lists,
                block: &block[0],
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
            let Some(ListMemory { lists, sums }) = memory else {
                return f64::NAN;
            };
            let of = |slot: &u32| sums[*slot as usize / LANES][0][*slot as usize % LANES];
            0.5 * lists.slots.iter().map(of).sum::<f64>()
        })
    }

    fn add_gradient(&self, points: &[Vec3], gradient: &mut [Vec3]) {
        let gradient = &mut gradient[..self.count];
        self.with_sums(points, true, |memory| {
            let Some(ListMemory { lists, sums }) = memory else {
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

    /// Over all pairs: the lists are those of the gradient, and none are needed to look at a distance.
    #[cfg(not(target_arch = "wasm32"))]
    fn add_hessian(&self, points: &[Vec3], direction: &[Vec3], change: &mut [Vec3]) -> bool {
        let near = |s: f64| self.law.reaches(s);
        super::add_hessian(&self.law, &points[..self.count], direction, change, near)
    }

    fn points_needed(&self) -> usize {
        self.count
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

    fn expressions(&self) -> Vec<SubExpression> {
        self.law.expressions()
    }

    fn list_work(&self) -> Option<ListWork> {
        Some(ListWork {
            evaluations: self.evaluations.load(Ordering::Relaxed),
            rebuilds: self
                .lists
                .load(Ordering::Relaxed)
                .div_ceil(self.count.max(1) as u64),
        })
    }
}

impl<L: PairLaw> Kernel for Sum<'_, L> {
    #[inline(always)]
    fn run<V: Vector>(self, token: V::Token) {
        let positions = &self.lists.positions;
        let mut batch = Entries {
            apart: [EntryStrip::ZERO; 3],
            x: EntryStrip::ZERO,
        };
        for (k, sums) in self.sums.iter_mut().enumerate() {
            let first = (self.first + k) * LANES;
            let slots = std::array::from_fn(|lane| (first + lane) as u32);
            let mut lanes = Points::<V, L> {
                law: self.law,
                positions,
                token,
                own: V::gather(token, positions, &slots),
                with_gradient: self.with_gradient,
                sum: [V::all(token, 0.0); 3],
            };
            if self.lists.everybody {
                let count = self.lists.slots.len();
                let sentinel = positions.len() as u32 - 1;
                let entry = |slot: usize, lane| {
                    if slot == first + lane {
                        sentinel
                    } else {
                        slot as u32
                    }
                };
                for slots in (0..count).step_by(ROWS) {
                    let row = |k: usize| std::array::from_fn(|lane| entry(slots + k, lane));
                    let rows: [[u32; LANES]; ROWS] = std::array::from_fn(row);
                    lanes.add(&rows[..ROWS.min(count - slots)], &mut batch);
                }
            } else {
                for rows in self.block.rows(k).chunks(ROWS) {
                    lanes.add(rows, &mut batch);
                }
            }
            let [a, b, c] = lanes.sum;
            a.store(&mut sums[0]);
            b.store(&mut sums[1]);
            c.store(&mut sums[2]);
        }
    }
}

/// rᵢ − rⱼ for some entries of the lists, and s, then (fS)(s) or (fS)′(s).
struct Entries {
    apart: [EntryStrip; 3],
    x: EntryStrip,
}

/// Eight points side by side, and what they have summed.
struct Points<'a, V: Vector, L> {
    law: &'a L,
    positions: &'a [[f64; 4]],
    token: V::Token,
    own: [V; 3],
    with_gradient: bool,
    sum: [V; 3],
}

impl<V: Vector, L: PairLaw> Points<'_, V, L> {
    /// Adds what some entries of the lists contribute, in their order. In three sweeps: a processor cannot look far
    /// enough ahead to do the divisions of one entry while it adds what comes of another.
    #[inline(always)]
    fn add(&mut self, rows: &[[u32; LANES]], batch: &mut Entries) {
        let (token, length) = (self.token, rows.len() * LANES);
        let [dx, dy, dz] = &mut batch.apart;
        let dx = dx[..length].as_chunks_mut().0;
        let dy = dy[..length].as_chunks_mut().0;
        let dz = dz[..length].as_chunks_mut().0;
        let x = batch.x[..length].as_chunks_mut().0;
        for ((((row, dx), dy), dz), x) in rows.iter().zip(&mut *dx).zip(&mut *dy).zip(&mut *dz).zip(&mut *x) {
            let [a, b, c] = V::gather(token, self.positions, row);
            let [p, q, r] = self.own;
            let (a, b, c) = (p - a, q - b, r - c);
            a.store(dx);
            b.store(dy);
            c.store(dz);
            (a * a + b * b + c * c).store(x);
        }
        if L::BATCHED {
            match self.with_gradient {
                true => self.law.slopes(x.as_flattened_mut()),
                false => self.law.energies(x.as_flattened_mut()),
            }
        } else if self.with_gradient {
            for x in &mut *x {
                self.law.at(V::load(token, x)).1.store(x);
            }
        } else {
            for x in &mut *x {
                self.law.at(V::load(token, x)).0.store(x);
            }
        }
        let [mut a, mut b, mut c] = self.sum;
        if self.with_gradient {
            for (((x, dx), dy), dz) in x.iter().zip(dx).zip(dy).zip(dz) {
                let x = V::load(token, x);
                a = a + x * V::load(token, dx);
                b = b + x * V::load(token, dy);
                c = c + x * V::load(token, dz);
            }
        } else {
            for x in x {
                a = a + V::load(token, x);
            }
        }
        self.sum = [a, b, c];
    }
}
