//! The structure functions of a frame.
//!
//! ```text
//! [uᵢ, uⱼ]ᵃ = uᵢᵇ ∂uⱼᵃ/∂qᵇ − uⱼᵇ ∂uᵢᵃ/∂qᵇ = cᵢⱼᵐ uₘᵃ                    (4)
//! ```
//! At one point the equations for c are solved by least squares, u = QR by Gram and Schmidt; that needs
//! independent fields. Fields that depend on each other at every point, like the three rotations of one
//! vector, can still be those of a Lie algebra: then c is constant, and unique as such. Constants are
//! looked for once, over several points together, and used wherever they satisfy (4).
use super::mechanics::{FrameFields, Mechanics};
use crate::{math, system::Undefined};

/// What is known of the structure functions before a point is.
#[derive(Clone, Debug)]
pub(super) struct Structure {
    n: usize,
    k: usize,
    /// Fields along which there is motion; the brackets of others are of no use.
    free: Vec<usize>,
    constants: Option<Vec<f64>>,
    /// Whether no field depends on the others.
    independent: bool,
}

/// Structure functions at one point.
#[derive(Clone, Debug, Default)]
pub struct Brackets {
    /// `cᵢⱼᵐ` in place (i·k + j)·k + m; zero for constrained i or j.
    pub c: Vec<f64>,
    /// Whether they do not change from point to point.
    pub constant: bool,
    bracket: Vec<f64>,
    /// Q, field by field, and R.
    basis: Vec<f64>,
    triangle: Vec<f64>,
    solution: Vec<f64>,
}

/// Constants must satisfy (4) to rounding, of so many terms at most.
const CONSTANT: f64 = 1e-11;
/// A bracket that leaves the span of the frame does so by much; conventional methods leave the manifold
/// on which it is closed by little.
const CLOSED: f64 = 1e-6;
/// What is left of a field without its parts along the others; below, c would have fewer than six digits.
const INDEPENDENT: f64 = 1e-10;

impl Structure {
    pub(super) fn new(mechanics: &dyn Mechanics, k: usize, free: Vec<usize>) -> Self {
        let n = mechanics.coordinates();
        let mut structure = Self {
            n,
            k,
            free,
            constants: None,
            independent: false,
        };
        let frames = structure.frames(mechanics);
        let mut work = Brackets::default();
        let independent = |frame: &FrameFields| work.factor(&frame.fields, n, k).is_ok();
        structure.independent = frames.is_empty() || frames.iter().any(independent);
        structure.constants = structure.find_constants(&frames);
        structure
    }

    /// Whether no field depends on the others, but for single points.
    pub(super) fn is_independent(&self) -> bool {
        self.independent
    }

    /// Whether `cᵢⱼᵐ` is zero everywhere for all i and m.
    pub(super) fn commutes(&self, j: usize) -> bool {
        let k = self.k;
        self.constants.as_ref().is_some_and(|c| {
            let row = |i: &usize| &c[(i * k + j) * k..(i * k + j + 1) * k];
            self.free.iter().all(|i| row(i).iter().all(|c| *c == 0.0))
        })
    }

    /// The frame at several points where the fields have values.
    fn frames(&self, mechanics: &dyn Mechanics) -> Vec<FrameFields> {
        let (n, k) = (self.n, self.k);
        let mut frames: Vec<FrameFields> = Vec::new();
        let mut scatter = Scatter(1);
        for _ in 0..16 * (k + 2) {
            let q: Vec<f64> = (0..n).map(|_| scatter.next()).collect();
            let mut frame = FrameFields::default();
            if mechanics.frame(&q, &mut frame).is_ok() {
                frames.push(frame);
            }
            if frames.len() == k + 2 {
                break;
            }
        }
        frames
    }

    /// Constants for which (4) holds at all of these.
    fn find_constants(&self, frames: &[FrameFields]) -> Option<Vec<f64>> {
        let (n, k) = (self.n, self.k);
        if frames.len() < k + 2 {
            return None;
        }
        let rows = n * frames.len();
        let mut stacked = vec![0.0; k * rows];
        for (s, frame) in frames.iter().enumerate() {
            for i in 0..k {
                stacked[i * rows + s * n..i * rows + (s + 1) * n]
                    .copy_from_slice(&frame.fields[i * n..(i + 1) * n]);
            }
        }
        let mut work = Brackets::default();
        work.factor(&stacked, rows, k).ok()?;
        let mut constants = vec![0.0; k * k * k];
        let mut right = vec![0.0; rows];
        for (i, j) in pairs(&self.free) {
            for (s, frame) in frames.iter().enumerate() {
                work.bracket(frame, n, i, j);
                right[s * n..(s + 1) * n].copy_from_slice(&work.bracket);
            }
            work.solve(&right, rows, k);
            for m in 0..k {
                let whole = work.solution[m].round();
                let near = (work.solution[m] - whole).abs() < 1e-12 * whole.abs().max(1.0);
                let c = if near { whole } else { work.solution[m] };
                constants[(i * k + j) * k + m] = c;
                constants[(j * k + i) * k + m] = -c;
            }
        }
        let hold = |frame: &FrameFields| self.satisfied(frame, &constants, &mut work);
        frames.iter().all(hold).then_some(constants)
    }

    /// The structure functions where the frame was evaluated.
    pub(super) fn at(&self, frame: &FrameFields, out: &mut Brackets) -> Result<(), Undefined> {
        let (n, k) = (self.n, self.k);
        if let Some(constants) = &self.constants
            && self.satisfied(frame, constants, out)
        {
            out.c.clone_from(constants);
            out.constant = true;
            return Ok(());
        }
        out.constant = false;
        out.c.clear();
        out.c.resize(k * k * k, 0.0);
        out.factor(&frame.fields, n, k)
            .map_err(|field| Undefined::DependentField { field: field as u32 })?;
        for (i, j) in pairs(&self.free) {
            let scale = out.bracket(frame, n, i, j);
            let right = std::mem::take(&mut out.bracket);
            out.solve(&right, n, k);
            out.bracket = right;
            let place = (i * k + j) * k;
            for m in 0..k {
                out.c[place + m] = out.solution[m];
                out.c[(j * k + i) * k + m] = -out.solution[m];
            }
            if !(defect(frame, &out.bracket, &out.c[place..place + k], n) <= CLOSED * scale) {
                return Err(Undefined::OpenBracket {
                    fields: [i as u32, j as u32],
                });
            }
        }
        Ok(())
    }

    fn satisfied(&self, frame: &FrameFields, c: &[f64], work: &mut Brackets) -> bool {
        let (n, k) = (self.n, self.k);
        pairs(&self.free).all(|(i, j)| {
            let scale = work.bracket(frame, n, i, j);
            let place = (i * k + j) * k;
            defect(frame, &work.bracket, &c[place..place + k], n) <= CONSTANT * scale
        })
    }
}

/// Numbers between −2 and 2 without a pattern, always the same (Knuth's linear congruence).
struct Scatter(u64);

impl Scatter {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / math::powi(2.0, 51) - 2.0
    }
}

impl Brackets {
    /// `cᵢⱼᵐ pₘ ξⁱ`.
    pub fn term(&self, p: &[f64], xi: &[f64], j: usize) -> f64 {
        let k = p.len();
        let of = |i: usize| -> f64 {
            let row = &self.c[(i * k + j) * k..(i * k + j + 1) * k];
            row.iter().zip(p).map(|(c, p)| c * p).sum()
        };
        (0..k).map(|i| xi[i] * of(i)).sum()
    }

    /// Those of k fields that commute.
    pub(super) fn vanish(&mut self, k: usize) {
        self.c.clear();
        self.c.resize(k * k * k, 0.0);
        self.constant = true;
    }

    /// `[uᵢ, uⱼ]`, and the size of the largest sum of terms.
    fn bracket(&mut self, frame: &FrameFields, n: usize, i: usize, j: usize) -> f64 {
        let (u, slopes) = (&frame.fields, &frame.slopes);
        let mut scale = 0.0_f64;
        self.bracket.clear();
        for a in 0..n {
            let (mut sum, mut size) = (0.0, 0.0);
            for b in 0..n {
                let forth = u[i * n + b] * slopes[(j * n + a) * n + b];
                let back = u[j * n + b] * slopes[(i * n + a) * n + b];
                sum += forth - back;
                size += forth.abs() + back.abs();
            }
            self.bracket.push(sum);
            scale = scale.max(size);
        }
        scale
    }

    /// QR of the matrix whose columns are k fields of n entries; the number of a dependent one otherwise.
    fn factor(&mut self, fields: &[f64], n: usize, k: usize) -> Result<(), usize> {
        let Self { basis, triangle, .. } = self;
        basis.clear();
        basis.extend_from_slice(fields);
        triangle.clear();
        triangle.resize(k * k, 0.0);
        for i in 0..k {
            let (before, rest) = basis.split_at_mut(i * n);
            let column = &mut rest[..n];
            let whole = norm(column);
            // Twice is enough for orthogonality to rounding.
            for _ in 0..2 {
                for (m, other) in before.chunks_exact(n).enumerate() {
                    let part: f64 = other.iter().zip(&*column).map(|(x, y)| x * y).sum();
                    triangle[m * k + i] += part;
                    column.iter_mut().zip(other).for_each(|(y, x)| *y -= part * x);
                }
            }
            let left = norm(column);
            if !(left > INDEPENDENT * whole) {
                return Err(i);
            }
            triangle[i * k + i] = left;
            column.iter_mut().for_each(|x| *x /= left);
        }
        Ok(())
    }

    /// Least squares with the matrix that was factored last.
    fn solve(&mut self, right: &[f64], n: usize, k: usize) {
        self.solution.clear();
        self.solution.resize(k, 0.0);
        for i in (0..k).rev() {
            let column = &self.basis[i * n..(i + 1) * n];
            let mut sum: f64 = column.iter().zip(right).map(|(x, y)| x * y).sum();
            for m in i + 1..k {
                sum -= self.triangle[i * k + m] * self.solution[m];
            }
            self.solution[i] = sum / self.triangle[i * k + i];
        }
    }
}

/// `max |[uᵢ, uⱼ] − cᵐ uₘ|`.
fn defect(frame: &FrameFields, bracket: &[f64], c: &[f64], n: usize) -> f64 {
    let along = |a: usize| -> f64 {
        c.iter()
            .enumerate()
            .map(|(m, c)| c * frame.fields[m * n + a])
            .sum()
    };
    (0..n).map(|a| (bracket[a] - along(a)).abs()).fold(0.0, f64::max)
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// i before j.
fn pairs(free: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    let after = move |(place, i): (usize, &usize)| {
        let i = *i;
        free[place + 1..].iter().map(move |j| (i, *j))
    };
    free.iter().enumerate().flat_map(after)
}
