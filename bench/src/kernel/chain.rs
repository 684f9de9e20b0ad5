//! A chain of point masses: RATTLE in the vectors of the links, Newton with a tridiagonal matrix.
//!
//! ```text
//! rᵢ⁺ = rᵢ + h uᵢ + δᵢ₁ ½h² g + (Tᵢ − Tᵢ₊₁)/m − (Tᵢ₋₁ − Tᵢ)/m,   Tᵢ = νᵢ rᵢ,   |rᵢ⁺| = ℓ
//! uᵢ⁺ = (rᵢ⁺ − rᵢ)/h + δᵢ₁ ½h g + (Sᵢ − Sᵢ₊₁)/m − (Sᵢ₋₁ − Sᵢ)/m,   Sᵢ = μᵢ rᵢ⁺,   rᵢ⁺·uᵢ⁺ = 0
//! ```
//! Uniform gravity drops out of all links but the first. ν starts from its last two values, extrapolated.
use super::{V, dot, plus, scaled};

/// Equal links: vectors, rates, tensions of the last two steps.
#[derive(Clone, Debug)]
pub struct Chain {
    /// rᵢ, m.
    pub r: Vec<V>,
    /// uᵢ = ṙᵢ, m/s.
    pub u: Vec<V>,
    length: f64,
    inverse_mass: f64,
    gravity: V,
    tension: Vec<f64>,
    before: Vec<f64>,
    free: Vec<V>,
    next: Vec<V>,
    upper: Vec<f64>,
    right: Vec<f64>,
    /// Newton iterations so far.
    pub iterations: u64,
}

/// One more Newton step squares it below rounding.
const LAST_RESIDUAL: f64 = 1e-10;

impl Chain {
    /// Links along the given directions, at rest.
    pub fn new(directions: &[V], length: f64, mass: f64, gravity: V) -> Self {
        let n = directions.len();
        Self {
            r: directions.iter().map(|d| scaled(*d, length)).collect(),
            u: vec![[0.0; 3]; n],
            length,
            inverse_mass: 1.0 / mass,
            gravity,
            tension: vec![0.0; n],
            before: vec![0.0; n],
            free: vec![[0.0; 3]; n],
            next: vec![[0.0; 3]; n],
            upper: vec![0.0; n],
            right: vec![0.0; n],
            iterations: 0,
        }
    }

    /// Takes steps of `h`.
    pub fn run(&mut self, h: f64, steps: u64) {
        for _ in 0..steps {
            self.step(h);
        }
    }

    fn step(&mut self, h: f64) {
        let n = self.r.len();
        for i in 0..n {
            self.free[i] = plus(self.r[i], h, self.u[i]);
            let last = self.tension[i];
            self.tension[i] = 2.0 * last - self.before[i];
            self.before[i] = last;
        }
        self.free[0] = plus(self.free[0], 0.5 * h * h, self.gravity);
        while self.newton() > LAST_RESIDUAL {}
        self.displace();
        self.project(h);
        std::mem::swap(&mut self.r, &mut self.next);
    }

    /// rᵢ⁺ for the present tensions.
    #[inline(always)]
    fn moved(&self, i: usize, below: V, own: V, above: V) -> V {
        let pull = |k: usize| 2.0 * own[k] - below[k] - above[k];
        let own_end = |k: usize| own[k] - above[k];
        let force = match i {
            0 => [own_end(0), own_end(1), own_end(2)],
            _ => [pull(0), pull(1), pull(2)],
        };
        plus(self.free[i], self.inverse_mass, force)
    }

    #[inline(always)]
    fn pull(&self, i: usize) -> V {
        match i < self.r.len() {
            true => scaled(self.r[i], self.tension[i]),
            false => [0.0; 3],
        }
    }

    /// One Newton iteration: residuals, matrix and elimination in one sweep, substitution in another. Returns the
    /// largest residual before it, over ℓ².
    fn newton(&mut self) -> f64 {
        let n = self.r.len();
        let w = self.inverse_mass;
        let square = self.length * self.length;
        let (mut below, mut own) = ([0.0; 3], self.pull(0));
        let (mut upper, mut right, mut largest) = (0.0, 0.0, 0.0_f64);
        for i in 0..n {
            let above = self.pull(i + 1);
            let next = self.moved(i, below, own, above);
            let residual = 0.5 * (dot(next, next) - square);
            largest = largest.max(residual.abs());
            let (diagonal, left) = match i {
                0 => (w * dot(next, self.r[0]), 0.0),
                _ => (2.0 * w * dot(next, self.r[i]), -w * dot(next, self.r[i - 1])),
            };
            let outer = if i + 1 < n {
                -w * dot(next, self.r[i + 1])
            } else {
                0.0
            };
            let pivot = 1.0 / (diagonal - left * upper);
            right = (-residual - left * right) * pivot;
            upper = outer * pivot;
            (self.upper[i], self.right[i]) = (upper, right);
            (below, own) = (own, above);
        }
        let mut correction = 0.0;
        for i in (0..n).rev() {
            correction = self.right[i] - self.upper[i] * correction;
            self.tension[i] += correction;
        }
        self.iterations += 1;
        largest / square
    }

    fn displace(&mut self) {
        let (mut below, mut own) = ([0.0; 3], self.pull(0));
        for i in 0..self.r.len() {
            let above = self.pull(i + 1);
            self.next[i] = self.moved(i, below, own, above);
            (below, own) = (own, above);
        }
    }

    /// The rates at the end, without their part along the links.
    fn project(&mut self, h: f64) {
        let n = self.r.len();
        let (w, rate) = (self.inverse_mass, 1.0 / h);
        for i in 0..n {
            self.u[i] = scaled(plus(self.next[i], -1.0, self.r[i]), rate);
        }
        self.u[0] = plus(self.u[0], 0.5 * h, self.gravity);
        let (mut upper, mut right) = (0.0, 0.0);
        for i in 0..n {
            let next = self.next[i];
            let residual = dot(next, self.u[i]);
            let (diagonal, left) = match i {
                0 => (w * dot(next, next), 0.0),
                _ => (2.0 * w * dot(next, next), -w * dot(next, self.next[i - 1])),
            };
            let outer = if i + 1 < n {
                -w * dot(next, self.next[i + 1])
            } else {
                0.0
            };
            let pivot = 1.0 / (diagonal - left * upper);
            right = (-residual - left * right) * pivot;
            upper = outer * pivot;
            (self.upper[i], self.right[i]) = (upper, right);
        }
        let mut above = [0.0; 3];
        let mut correction = 0.0;
        for i in (0..n).rev() {
            correction = self.right[i] - self.upper[i] * correction;
            let pull = scaled(self.next[i], correction);
            let ends = if i == 0 { 1.0 } else { 2.0 };
            self.u[i] = plus(self.u[i], w * ends, pull);
            self.u[i] = plus(self.u[i], -w, above);
            if i + 1 < n {
                self.u[i + 1] = plus(self.u[i + 1], -w, pull);
            }
            above = pull;
        }
    }
}
