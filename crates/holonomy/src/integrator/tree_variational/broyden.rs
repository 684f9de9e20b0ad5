//! Broyden's method on top of a matrix that is close to the derivative.
//!
//! ```text
//! x₀ = −J⁻¹ r₀
//! z = −J⁻¹ rₖ;   z += xⱼ₊₁ (xⱼ·z)/(xⱼ·xⱼ)  for j < k−1;   xₖ = z / (1 − (xₖ₋₁·z)/(xₖ₋₁·xₖ₋₁))
//! ```
//! Kelley (1995), section 7.3. Products are taken in units of a radian or the length of the tree.

/// The corrections so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Broyden {
    /// One after the other, in a list that is reused.
    steps: Vec<f64>,
    squares: Vec<f64>,
    count: usize,
}

impl Broyden {
    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.steps.clear();
        self.squares.clear();
    }

    /// Improves `−J⁻¹r` to the next correction.
    pub(super) fn correct(&mut self, units: &[f64], z: &mut [f64]) {
        let n = z.len();
        let step = |k: usize| k * n..(k + 1) * n;
        let dot = |a: &[f64], b: &[f64]| -> f64 {
            a.iter()
                .zip(b)
                .zip(units)
                .map(|((a, b), u)| a * b / (u * u))
                .sum()
        };
        for j in 0..self.count {
            let along = dot(&self.steps[step(j)], z) / self.squares[j];
            if j + 1 < self.count {
                for (z, x) in z.iter_mut().zip(&self.steps[step(j + 1)]) {
                    *z += x * along;
                }
            } else if along < 0.9 {
                z.iter_mut().for_each(|z| *z /= 1.0 - along);
            }
        }
        let square = dot(z, z);
        if square > 0.0 {
            self.steps.extend_from_slice(z);
            self.squares.push(square);
            self.count += 1;
        }
    }
}
