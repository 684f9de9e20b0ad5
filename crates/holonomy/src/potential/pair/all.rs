//! All pairs, each once.
//!
//! ```text
//! row i       against strips of points j > i, side by side
//! task        some rows, with sums of its own: ∂V/∂rᵢ gathers along the row, ∂V/∂rⱼ down the strip
//! gradient    the sums of the tasks, added in their order
//! ```
//! Which rows a task has depends on the number of points alone, and so does the order of every sum.
use super::{
    super::{Potential, Symmetry},
    Argument, PairLaw, strip,
};
use crate::{
    Vec3,
    formula::SubExpression,
    simd::{Kernel, LANES, Level, Vector},
    system::Undefined,
    threads,
};
use std::{ops::Range, sync::Mutex};

/// The same law between all pairs of the first `count` points: `V = Σ_{i<j} f(rᵢ, rⱼ)`.
pub struct Pairs<L> {
    law: L,
    count: usize,
    level: Level,
    /// Memory, used again. A second thread that finds it taken makes its own.
    memory: Mutex<Memory>,
}

/// Fewer points are summed one pair after the other.
const FEW: usize = 16;

/// From as many points on there are several tasks.
const MANY: usize = 256;
const TASKS: usize = 8;

/// Points of a strip: what the loops over it read and write fits the first cache.
const LENGTH: usize = 512;
type PointStrip = strip::Strip<LENGTH>;

/// Neighbouring rows that stay together.
const ROWS: usize = 16;

#[derive(Default)]
struct Memory {
    /// The points, in strips; zero beyond the last.
    points: Vec<[PointStrip; 3]>,
    sums: Vec<Sums>,
}

/// What a task found.
#[derive(Clone, Default)]
struct Sums {
    energy: f64,
    gradient: Vec<[PointStrip; 3]>,
}

/// The rows of one task.
struct Rows<'a, L> {
    law: &'a L,
    points: &'a [[PointStrip; 3]],
    count: usize,
    task: usize,
    tasks: usize,
    with_gradient: bool,
    sums: &'a mut Sums,
}

impl<L: PairLaw> Pairs<L> {
    /// The law between all pairs of the first `count` points.
    pub fn new(law: L, count: usize) -> Self {
        Self::at_level(law, count, Level::best())
    }

    /// The same, with given instructions: the bits are the same too.
    pub fn at_level(law: L, count: usize, level: Level) -> Self {
        Self {
            law,
            count,
            level,
            memory: Mutex::default(),
        }
    }

    /// ∂f/∂a without its factor; 2 for functions of s.
    fn factor(&self) -> f64 {
        match self.law.argument() {
            Argument::SquaredDistance => 2.0,
            Argument::Cosine => 1.0,
        }
    }

    fn arguments<'a>(&self, points: &'a [Vec3]) -> impl Iterator<Item = f64> + use<'a, L> {
        let (argument, points) = (self.law.argument(), &points[..self.count]);
        let rows = points.iter().enumerate();
        rows.flat_map(move |(i, a)| points[i + 1..].iter().map(move |b| argument.of(a, b)))
    }

    fn with_sums<R>(&self, points: &[Vec3], with_gradient: bool, act: impl FnOnce(&[Sums]) -> R) -> R {
        match self.memory.try_lock() {
            Ok(mut memory) => act(self.sum(points, with_gradient, &mut memory)),
            Err(_) => act(self.sum(points, with_gradient, &mut Memory::default())),
        }
    }

    fn sum<'a>(&self, points: &[Vec3], with_gradient: bool, memory: &'a mut Memory) -> &'a [Sums] {
        let strips = self.count.div_ceil(LENGTH);
        memory.points.resize(strips, [PointStrip::ZERO; 3]);
        for (points, strip) in points[..self.count].chunks(LENGTH).zip(&mut memory.points) {
            for (k, point) in points.iter().enumerate() {
                for axis in 0..3 {
                    strip[axis][k] = point[axis];
                }
            }
        }
        let tasks = if self.count < MANY { 1 } else { TASKS };
        memory.sums.resize(tasks, Sums::default());
        let nanoseconds = self.count * self.count / 2;
        let each = threads::pieces(1, &mut memory.sums);
        threads::run(nanoseconds, each, |task, sums| {
            self.level.run(Rows {
                law: &self.law,
                points: &memory.points,
                count: self.count,
                task,
                tasks,
                with_gradient,
                sums: &mut sums[0],
            });
        });
        &memory.sums
    }
}

impl<L: PairLaw> Potential for Pairs<L> {
    fn energy(&self, points: &[Vec3]) -> f64 {
        if self.count < FEW {
            return self.arguments(points).map(|x| self.law.at(x).0).sum();
        }
        self.with_sums(points, false, |sums| sums.iter().map(|sums| sums.energy).sum())
    }

    fn add_gradient(&self, points: &[Vec3], gradient: &mut [Vec3]) {
        let factor = self.factor();
        if self.count < FEW {
            let argument = self.law.argument();
            for i in 0..self.count {
                let mut sum = Vec3::zeros();
                for j in i + 1..self.count {
                    let (a, b) = (&points[i], &points[j]);
                    let slope = factor * self.law.at(argument.of(a, b)).1;
                    let (on_a, on_b) = argument.directions(a, b);
                    sum += on_a * slope;
                    gradient[j] += on_b * slope;
                }
                gradient[i] += sum;
            }
            return;
        }
        self.with_sums(points, true, |sums| {
            for (strip, gradient) in gradient[..self.count].chunks_mut(LENGTH).enumerate() {
                let mut sum = [PointStrip::ZERO; 3];
                for of_task in sums {
                    for axis in 0..3 {
                        add(&*of_task.gradient[strip][axis], &mut *sum[axis]);
                    }
                }
                for (k, gradient) in gradient.iter_mut().enumerate() {
                    *gradient += Vec3::new(sum[0][k], sum[1][k], sum[2][k]) * factor;
                }
            }
        });
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn add_hessian(&self, points: &[Vec3], direction: &[Vec3], change: &mut [Vec3]) -> bool {
        let all = |_: f64| true;
        super::add_hessian(&self.law, &points[..self.count], direction, change, all)
    }

    fn points_needed(&self) -> usize {
        self.count
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::All
    }

    fn undefined(&self, points: &[Vec3]) -> Option<Undefined> {
        self.arguments(points).find_map(|x| self.law.undefined(x))
    }

    fn expressions(&self) -> Vec<SubExpression> {
        self.law.expressions()
    }
}

impl Argument {
    pub(super) fn of(self, a: &Vec3, b: &Vec3) -> f64 {
        match self {
            Self::SquaredDistance => (a - b).norm_squared(),
            Self::Cosine => a.dot(b),
        }
    }

    /// Of the derivatives by a and by b.
    fn directions(self, a: &Vec3, b: &Vec3) -> (Vec3, Vec3) {
        match self {
            Self::SquaredDistance => (a - b, b - a),
            Self::Cosine => (*b, *a),
        }
    }
}

impl<L: PairLaw> Kernel for Rows<'_, L> {
    #[inline(always)]
    fn run<V: Vector>(self, token: V::Token) {
        let gradient = &mut self.sums.gradient;
        if self.with_gradient {
            gradient.resize(self.points.len(), [PointStrip::ZERO; 3]);
            gradient.fill([PointStrip::ZERO; 3]);
        }
        let mut energy = V::all(token, 0.0);
        let mut batch = PointStrip::ZERO;
        for (strip, others) in self.points.iter().enumerate() {
            let first = strip * LENGTH;
            let end = (self.count - first).min(LENGTH);
            let blocks = self.count.div_ceil(ROWS);
            for block in 0..(first + end).div_ceil(ROWS) {
                // The first rows are the longest: one of them and one of the last make two of the middle.
                if block.min(blocks - 1 - block) % self.tasks != self.task {
                    continue;
                }
                for i in block * ROWS..(first + end).min((block + 1) * ROWS) {
                    let place = [i / LENGTH, i % LENGTH];
                    let row = Row::<V, L> {
                        law: self.law,
                        token,
                        point: [
                            V::all(token, self.points[place[0]][0][place[1]]),
                            V::all(token, self.points[place[0]][1][place[1]]),
                            V::all(token, self.points[place[0]][2][place[1]]),
                        ],
                        others,
                        pairs: (i + 1).saturating_sub(first)..end,
                    };
                    if self.with_gradient {
                        let along = row.gradient(&mut batch, &mut gradient[strip]);
                        for axis in 0..3 {
                            gradient[place[0]][axis][place[1]] += along[axis];
                        }
                    } else {
                        energy = energy + row.energy(&mut batch);
                    }
                }
            }
        }
        self.sums.energy = total(energy);
    }
}

/// A point and those at some places of a strip.
struct Row<'a, V: Vector, L> {
    law: &'a L,
    token: V::Token,
    point: [V; 3],
    others: &'a [PointStrip; 3],
    pairs: Range<usize>,
}

impl<V: Vector, L: PairLaw> Row<'_, V, L> {
    /// The places in whole vectors.
    #[inline(always)]
    fn range(&self) -> Range<usize> {
        self.pairs.start / LANES * LANES..self.pairs.end.next_multiple_of(LANES)
    }

    #[inline(always)]
    fn others(&self) -> impl Iterator<Item = [&[f64; LANES]; 3]> {
        let [x, y, z] = self.others;
        let range = self.range();
        let (x, y) = (x[range.clone()].as_chunks().0, y[range.clone()].as_chunks().0);
        let all = x.iter().zip(y).zip(z[range].as_chunks().0);
        all.map(|((x, y), z)| [x, y, z])
    }

    /// The law's energies, or its slopes: zero for what is no pair.
    #[inline(always)]
    fn of_law<'b>(&self, slopes: bool, batch: &'b mut PointStrip) -> &'b [[f64; LANES]] {
        let (token, range) = (self.token, self.range());
        let x = batch[range.clone()].as_chunks_mut().0;
        for ([d, e, f], x) in self.others().zip(&mut *x) {
            let [a, b, c] = self.point;
            let (d, e, f) = (V::load(token, d), V::load(token, e), V::load(token, f));
            let argument = match self.law.argument() {
                Argument::SquaredDistance => {
                    let (d, e, f) = (a - d, b - e, c - f);
                    d * d + e * e + f * f
                }
                Argument::Cosine => a * d + b * e + c * f,
            };
            argument.store(x);
        }
        if L::BATCHED {
            match slopes {
                true => self.law.slopes(x.as_flattened_mut()),
                false => self.law.energies(x.as_flattened_mut()),
            }
        } else if slopes {
            for x in &mut *x {
                self.law.at(V::load(token, x)).1.store(x);
            }
        } else {
            for x in &mut *x {
                self.law.at(V::load(token, x)).0.store(x);
            }
        }
        for place in (range.start..self.pairs.start).chain(self.pairs.end..range.end) {
            batch[place] = 0.0;
        }
        batch[range].as_chunks().0
    }

    #[inline(always)]
    fn energy(&self, batch: &mut PointStrip) -> V {
        let mut sum = V::all(self.token, 0.0);
        for energy in self.of_law(false, batch) {
            sum = sum + V::load(self.token, energy);
        }
        sum
    }

    /// Adds what the point does to the others; returns what they do to it.
    #[inline(always)]
    fn gradient(&self, batch: &mut PointStrip, down: &mut [PointStrip; 3]) -> [f64; 3] {
        let (token, range) = (self.token, self.range());
        let slopes = self.of_law(true, batch).iter();
        let [down_x, down_y, down_z] = down;
        let down_x = down_x[range.clone()].as_chunks_mut().0;
        let down_y = down_y[range.clone()].as_chunks_mut().0;
        let down_z = down_z[range].as_chunks_mut().0;
        let downs = down_x.iter_mut().zip(down_y).zip(down_z);
        let [mut x, mut y, mut z] = [V::all(token, 0.0); 3];
        for ((slope, [a, b, c]), ((d, e), f)) in slopes.zip(self.others()).zip(downs) {
            let slope = V::load(token, slope);
            x = x + self.push(slope, self.point[0], V::load(token, a), d);
            y = y + self.push(slope, self.point[1], V::load(token, b), e);
            z = z + self.push(slope, self.point[2], V::load(token, c), f);
        }
        [total(x), total(y), total(z)]
    }

    /// Along one axis: adds to what is done to the others, and returns what they do.
    #[inline(always)]
    fn push(&self, slope: V, point: V, other: V, down: &mut [f64; LANES]) -> V {
        let before = V::load(self.token, down);
        match self.law.argument() {
            Argument::SquaredDistance => {
                let part = slope * (point - other);
                (before - part).store(down);
                part
            }
            Argument::Cosine => {
                (before + slope * point).store(down);
                slope * other
            }
        }
    }
}

/// The sum of the lanes, in a fixed order.
#[inline(always)]
fn total<V: Vector>(parts: V) -> f64 {
    let mut x = [0.0; LANES];
    parts.store(&mut x);
    ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]))
}

#[inline(always)]
fn add(x: &[f64], sum: &mut [f64]) {
    for (x, sum) in x.iter().zip(sum) {
        *sum += x;
    }
}
