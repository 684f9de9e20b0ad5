//! Molecules on the unit sphere, Lennard-Jones between all pairs, explicit variational step.
//!
//! ```text
//! ∂ᵢV = Σⱼ 24ε (s⁶ − 2 s¹²)/r² (qᵢ − qⱼ),   s² = σ²/r²
//! ```
//! Every pair once, coordinates apart: plain loops that the compiler makes vectors of, compiled for AVX-512, AVX2 or
//! neither and chosen when the program runs. One division per pair, no fused or approximate operations.
use super::{advanced, cross, dot, plus, scaled};

/// Partial sums of a force.
const LANES: usize = 8;

/// Coordinates apart.
#[derive(Clone, Debug)]
struct Columns {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
}

impl Columns {
    fn new(n: usize) -> Self {
        let column = vec![0.0; n];
        Self {
            x: column.clone(),
            y: column.clone(),
            z: column,
        }
    }

    fn get(&self, i: usize) -> [f64; 3] {
        [self.x[i], self.y[i], self.z[i]]
    }

    fn set(&mut self, i: usize, [x, y, z]: [f64; 3]) {
        (self.x[i], self.y[i], self.z[i]) = (x, y, z);
    }
}

/// Molecules with their momenta and the gradient where they are.
#[derive(Clone, Debug)]
pub struct Molecules {
    count: usize,
    q: Columns,
    p: Columns,
    gradient: Columns,
    scratch: Scratch,
    inertia: f64,
    law: Law,
}

/// What the loops write on the way.
#[derive(Clone, Debug)]
struct Scratch {
    force: Columns,
    #[cfg(target_arch = "x86_64")]
    blocks: Vec<avx2::Block>,
}

#[derive(Clone, Copy, Debug)]
struct Law {
    /// 24 ε.
    slope: f64,
    /// σ².
    square: f64,
}

impl Molecules {
    /// Positions and momenta as the engine has them, x y z in turn.
    pub fn new(q: &[f64], p: &[f64], mass: f64, epsilon: f64, sigma: f64) -> Self {
        let count = q.len() / 3;
        let mut molecules = Self {
            count,
            q: Columns::new(count),
            p: Columns::new(count),
            gradient: Columns::new(count),
            scratch: Scratch {
                force: Columns::new(count),
                #[cfg(target_arch = "x86_64")]
                blocks: Vec::new(),
            },
            inertia: mass,
            law: Law {
                slope: 24.0 * epsilon,
                square: sigma * sigma,
            },
        };
        for i in 0..count {
            molecules.q.set(i, [q[3 * i], q[3 * i + 1], q[3 * i + 2]]);
            molecules.p.set(i, [p[3 * i], p[3 * i + 1], p[3 * i + 2]]);
        }
        molecules.pull();
        molecules
    }

    /// Direction of a molecule.
    pub fn direction(&self, i: usize) -> [f64; 3] {
        self.q.get(i)
    }

    /// Takes steps of `h`.
    pub fn run(&mut self, h: f64, steps: u64) {
        let turn = h / self.inertia;
        for _ in 0..steps {
            for i in 0..self.count {
                let (q, p) = (self.q.get(i), self.p.get(i));
                let kicked = plus(p, -0.5 * h, cross(q, self.gradient.get(i)));
                self.q.set(i, advanced(q, scaled(kicked, turn)));
                self.p.set(i, plus(kicked, -dot(q, p), q));
            }
            self.pull();
            for i in 0..self.count {
                let q = self.q.get(i);
                self.p
                    .set(i, plus(self.p.get(i), -0.5 * h, cross(q, self.gradient.get(i))));
            }
        }
    }

    fn pull(&mut self) {
        for column in [&mut self.gradient.x, &mut self.gradient.y, &mut self.gradient.z] {
            column.fill(0.0);
        }
        dispatch(
            self.law,
            self.count,
            &self.q,
            &mut self.gradient,
            &mut self.scratch,
        );
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the processor is asked first")]
fn dispatch(law: Law, count: usize, q: &Columns, out: &mut Columns, scratch: &mut Scratch) {
    #[target_feature(enable = "avx512f,avx512vl,avx512dq")]
    fn avx512(law: Law, count: usize, q: &Columns, out: &mut Columns, force: &mut Columns) {
        pairs(law, count, q, out, force);
    }
    let has_512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq");
    if has_512 {
        // SAFETY: the processor has these instructions.
        return unsafe { avx512(law, count, q, out, &mut scratch.force) };
    }
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has these instructions.
        return unsafe { avx2::pairs(law, count, q, out, &mut scratch.blocks) };
    }
    pairs(law, count, q, out, &mut scratch.force);
}

#[cfg(not(target_arch = "x86_64"))]
fn dispatch(law: Law, count: usize, q: &Columns, out: &mut Columns, scratch: &mut Scratch) {
    pairs(law, count, q, out, &mut scratch.force);
}

/// The same by hand, four molecules side by side, place and gradient next to each other: what is read is then never in
/// the way of what was just written, and sums of a row stay in registers.
#[cfg(target_arch = "x86_64")]
#[expect(
    unsafe_code,
    reason = "vectors are read from and written to memory by address"
)]
mod avx2 {
    use super::{Columns, Law};
    use std::arch::x86_64::{
        __m256d, _CMP_LE_OQ, _mm256_add_pd, _mm256_blendv_pd, _mm256_cmp_pd, _mm256_div_pd, _mm256_load_pd,
        _mm256_mul_pd, _mm256_set1_pd, _mm256_setr_pd, _mm256_setzero_pd, _mm256_store_pd, _mm256_sub_pd,
    };

    #[derive(Clone, Copy, Debug)]
    #[repr(align(32))]
    struct Four([f64; 4]);

    /// Four molecules: where they are, and the gradient there.
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Block {
        q: [Four; 3],
        gradient: [Four; 3],
    }

    /// Fills the blocks, finds the gradient, and puts it where it belongs.
    #[target_feature(enable = "avx2")]
    pub(super) fn pairs(law: Law, count: usize, q: &Columns, out: &mut Columns, blocks: &mut Vec<Block>) {
        let far = Block {
            q: [Four([1e100; 4]); 3],
            gradient: [Four([0.0; 4]); 3],
        };
        blocks.clear();
        blocks.resize(count.div_ceil(4), far);
        for i in 0..count {
            for (to, x) in blocks[i / 4].q.iter_mut().zip(q.get(i)) {
                to.0[i % 4] = x;
            }
        }
        for i in 0..count {
            row(law, i, blocks);
        }
        for i in 0..count {
            out.set(i, blocks[i / 4].gradient.map(|four| four.0[i % 4]));
        }
    }

    /// One molecule and all behind it.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn row(law: Law, i: usize, blocks: &mut [Block]) {
        let (square, slope) = (_mm256_set1_pd(law.square), _mm256_set1_pd(law.slope));
        let own = blocks[i / 4].q.map(|four| _mm256_set1_pd(four.0[i % 4]));
        let mut sum = [_mm256_setzero_pd(); 3];
        // In its own block a molecule meets those behind it only: the others are infinitely far.
        let lanes = _mm256_setr_pd(0.0, 1.0, 2.0, 3.0);
        let mut beyond = _mm256_cmp_pd::<_CMP_LE_OQ>(lanes, _mm256_set1_pd((i % 4) as f64));
        for block in &mut blocks[i / 4..] {
            let dx = _mm256_sub_pd(own[0], load(&block.q[0]));
            let dy = _mm256_sub_pd(own[1], load(&block.q[1]));
            let dz = _mm256_sub_pd(own[2], load(&block.q[2]));
            let r2 = _mm256_add_pd(_mm256_add_pd(times(dx, dx), times(dy, dy)), times(dz, dz));
            let r2 = _mm256_blendv_pd(r2, _mm256_set1_pd(f64::INFINITY), beyond);
            let inverse = _mm256_div_pd(_mm256_set1_pd(1.0), r2);
            let s2 = times(square, inverse);
            let s6 = times(times(s2, s2), s2);
            let bracket = _mm256_sub_pd(s6, times(_mm256_add_pd(s6, s6), s6));
            let pull = times(times(slope, inverse), bracket);
            for (axis, d) in [dx, dy, dz].into_iter().enumerate() {
                let force = times(d, pull);
                let place = &mut block.gradient[axis];
                store(place, _mm256_sub_pd(load(place), force));
                sum[axis] = _mm256_add_pd(sum[axis], force);
            }
            beyond = _mm256_setzero_pd();
        }
        for (four, sum) in blocks[i / 4].gradient.iter_mut().zip(sum) {
            let mut lanes = Four([0.0; 4]);
            store(&mut lanes, sum);
            let [a, b, c, d] = lanes.0;
            four.0[i % 4] += (a + b) + (c + d);
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn times(a: __m256d, b: __m256d) -> __m256d {
        _mm256_mul_pd(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(four: &Four) -> __m256d {
        // SAFETY: four numbers, aligned.
        unsafe { _mm256_load_pd(four.0.as_ptr()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn store(four: &mut Four, x: __m256d) {
        // SAFETY: four numbers, aligned.
        unsafe { _mm256_store_pd(four.0.as_mut_ptr(), x) }
    }
}

#[inline(always)]
fn pairs(law: Law, count: usize, q: &Columns, out: &mut Columns, force: &mut Columns) {
    for i in 0..count {
        let ([x, y, z], rest) = (q.get(i), count - i - 1);
        let (xs, ys, zs) = (&q.x[i + 1..count], &q.y[i + 1..count], &q.z[i + 1..count]);
        let (fx, fy, fz) = (&mut force.x[..rest], &mut force.y[..rest], &mut force.z[..rest]);
        let (gx, gy, gz) = (
            &mut out.x[i + 1..count],
            &mut out.y[i + 1..count],
            &mut out.z[i + 1..count],
        );
        for j in 0..rest {
            let (dx, dy, dz) = (x - xs[j], y - ys[j], z - zs[j]);
            let inverse = 1.0 / (dx * dx + dy * dy + dz * dz);
            let s2 = law.square * inverse;
            let s6 = s2 * s2 * s2;
            let slope = law.slope * inverse * (s6 - 2.0 * s6 * s6);
            (fx[j], fy[j], fz[j]) = (dx * slope, dy * slope, dz * slope);
            gx[j] -= fx[j];
            gy[j] -= fy[j];
            gz[j] -= fz[j];
        }
        out.x[i] += sum(fx);
        out.y[i] += sum(fy);
        out.z[i] += sum(fz);
    }
}

/// A sum in lanes.
#[inline(always)]
fn sum(column: &[f64]) -> f64 {
    let (rows, rest) = column.as_chunks::<LANES>();
    let mut total = [0.0; LANES];
    for row in rows {
        for (to, x) in total.iter_mut().zip(row) {
            *to += x;
        }
    }
    total.iter().sum::<f64>() + rest.iter().sum::<f64>()
}
