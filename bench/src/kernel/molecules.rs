//! Molecules on the unit sphere, Lennard-Jones between all pairs, explicit variational step.
//!
//! ```text
//! ∂ᵢV = Σⱼ 24ε (s⁶ − 2 s¹²)/r² (qᵢ − qⱼ),   s² = σ²/r²
//! ```
//! Every pair once, coordinates apart: plain loops that the compiler makes vectors of, compiled for AVX-512, AVX2 or
//! neither and chosen when the program runs. One division per pair, no fused or approximate operations.
use super::{cross, dot, plus, scaled, unit};

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
    force: Columns,
    inertia: f64,
    law: Law,
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
            force: Columns::new(count),
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
                let q = self.q.get(i);
                let kicked = plus(self.p.get(i), -0.5 * h, cross(q, self.gradient.get(i)));
                let d = scaled(kicked, turn);
                let cosine = (1.0 - dot(d, d)).sqrt();
                self.q.set(i, unit(plus(cross(d, q), cosine, q)));
                self.p.set(i, kicked);
            }
            self.pull();
            for i in 0..self.count {
                let q = self.q.get(i);
                let p = plus(self.p.get(i), -0.5 * h, cross(q, self.gradient.get(i)));
                self.p.set(i, plus(p, -dot(q, p), q));
            }
        }
    }

    fn pull(&mut self) {
        for column in [&mut self.gradient.x, &mut self.gradient.y, &mut self.gradient.z] {
            column.fill(0.0);
        }
        dispatch(self.law, self.count, &self.q, &mut self.gradient, &mut self.force);
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the processor is asked first")]
fn dispatch(law: Law, count: usize, q: &Columns, out: &mut Columns, force: &mut Columns) {
    #[target_feature(enable = "avx512f,avx512vl,avx512dq")]
    fn avx512(law: Law, count: usize, q: &Columns, out: &mut Columns, force: &mut Columns) {
        pairs(law, count, q, out, force);
    }
    #[target_feature(enable = "avx2")]
    fn avx2(law: Law, count: usize, q: &Columns, out: &mut Columns, force: &mut Columns) {
        pairs(law, count, q, out, force);
    }
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
    {
        // SAFETY: the processor has these instructions.
        return unsafe { avx512(law, count, q, out, force) };
    }
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has these instructions.
        return unsafe { avx2(law, count, q, out, force) };
    }
    pairs(law, count, q, out, force);
}

#[cfg(not(target_arch = "x86_64"))]
fn dispatch(law: Law, count: usize, q: &Columns, out: &mut Columns, force: &mut Columns) {
    pairs(law, count, q, out, force);
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
