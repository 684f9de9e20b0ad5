//! Gauss' nodes and what is made of them. With Legendre's polynomials P, `t = 2c − 1`:
//!
//! ```text
//! P_s(tᵢ) = 0,    bᵢ = 1 / ((1 − tᵢ²) P_s′(tᵢ)²)
//! aᵢⱼ/bⱼ = bⱼ⁻¹ ∫₀ᶜ ℓⱼ = ½ (1 + tᵢ) + ½ Σ_{0<k<s} Pₖ(tⱼ) (Pₖ₊₁(tᵢ) − Pₖ₋₁(tᵢ))
//! ```
//! with ℓⱼ the polynomial that is one at node j and zero at the others. With `t + 2` for tᵢ, the integral is that from 1
//! to `1 + cᵢ`: the polynomial of a step, continued into the next.
//!
//! The method is symplectic if `aᵢⱼ/bⱼ + aⱼᵢ/bᵢ = 1`, which holds here to the last bit (Antoñana, Makazaga & Murua 2017).
use crate::{math, simd::LANES};
use std::f64::consts::PI;

/// The most stages that there are lanes for.
pub(super) const MOST: usize = LANES;

/// One column for each stage j, of a number for each stage i.
pub(super) type Columns = [[f64; LANES]; MOST];

/// A method of Gauss. What belongs to lanes without a stage is zero.
pub(super) struct Rule {
    pub(super) stages: usize,
    /// bᵢ.
    pub(super) weights: [f64; LANES],
    /// `aᵢⱼ/bⱼ`.
    pub(super) within: Columns,
    /// The same in the step after.
    pub(super) beyond: Columns,
}

impl Rule {
    pub(super) fn new(stages: usize) -> Self {
        let mut rule = Self {
            stages,
            weights: [0.0; LANES],
            within: [[0.0; LANES]; MOST],
            beyond: [[0.0; LANES]; MOST],
        };
        let mut nodes = [0.0; MOST];
        for i in 0..stages {
            let mut t = -math::cos(PI * (i as f64 + 0.75) / (stages as f64 + 0.5));
            let mut slope = 1.0;
            // Newton's method doubles the digits, of which the guess has two.
            for _ in 0..6 {
                let p = legendre(t);
                slope = stages as f64 * (t * p[stages] - p[stages - 1]) / (t * t - 1.0);
                t -= p[stages] / slope;
            }
            nodes[i] = t;
            rule.weights[i] = 1.0 / ((1.0 - t * t) * slope * slope);
        }
        for i in 0..stages {
            for j in 0..stages {
                rule.beyond[j][i] = share(stages, nodes[i] + 2.0, nodes[j]) - 1.0;
                if i > j {
                    // Between ½ and 2, where 1 − x is exact.
                    rule.within[j][i] = share(stages, nodes[i], nodes[j]);
                    rule.within[i][j] = 1.0 - rule.within[j][i];
                }
            }
            rule.within[i][i] = 0.5;
        }
        rule
    }
}

/// `bⱼ⁻¹ ∫ ℓⱼ` from the beginning of the step to t.
fn share(stages: usize, t: f64, node: f64) -> f64 {
    let (at, of) = (legendre(t), legendre(node));
    let terms = (1..stages).map(|k| of[k] * (at[k + 1] - at[k - 1]));
    0.5 * (1.0 + t + terms.sum::<f64>())
}

/// P₀ … at t.
fn legendre(t: f64) -> [f64; MOST + 1] {
    let mut p = [1.0; MOST + 1];
    p[1] = t;
    for k in 1..MOST {
        p[k + 1] = ((2 * k + 1) as f64 * t * p[k] - k as f64 * p[k - 1]) / (k + 1) as f64;
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known in closed form: 1/2 ± √3/6, and a₁₂ = 1/4 − √3/6.
    #[test]
    fn two_stages_are_those_of_the_textbook() {
        let rule = Rule::new(2);
        let root = 3.0_f64.sqrt() / 6.0;
        // A few roundings of numbers below one.
        let near = |x: f64, y: f64| (x - y).abs() < 4e-16;
        assert!(near(rule.weights[0], 0.5) && near(rule.weights[1], 0.5));
        assert!(near(0.5 * rule.within[1][0], 0.25 - root));
        assert!(near(0.5 * rule.within[0][1], 0.25 + root));
    }

    /// `Σ bⱼ (aᵢⱼ/bⱼ) (cⱼ)^k = cᵢ^(k+1)/(k+1)` for all polynomials that s stages integrate, and over the next step.
    #[test]
    fn polynomials_are_integrated_exactly() {
        for stages in [2, 4, 8] {
            let rule = Rule::new(stages);
            let moment = |columns: &Columns, i: usize, f: &dyn Fn(f64) -> f64| -> f64 {
                (0..stages)
                    .map(|j| rule.weights[j] * columns[j][i] * f(node(&rule, j)))
                    .sum()
            };
            for i in 0..stages {
                let c = node(&rule, i);
                for k in 0..stages as i32 {
                    let (power, next) = (|x: f64| x.powi(k), f64::from(k + 1));
                    let within = moment(&rule.within, i, &power) - c.powi(k + 1) / next;
                    let beyond = moment(&rule.beyond, i, &power) - ((1.0 + c).powi(k + 1) - 1.0) / next;
                    // Weights up to 1e5 are added up with signs beyond the step.
                    assert!(
                        within.abs() < 4e-16 && beyond.abs() < 1e-10,
                        "{stages} {i} {k}: {within:e} {beyond:e}"
                    );
                }
            }
        }
    }

    /// `cᵢ = Σ aᵢⱼ`.
    fn node(rule: &Rule, i: usize) -> f64 {
        (0..rule.stages)
            .map(|j| rule.weights[j] * rule.within[j][i])
            .sum()
    }

    #[test]
    fn it_is_symplectic_to_the_last_bit() {
        for stages in [4, 8] {
            let rule = Rule::new(stages);
            for i in 0..stages {
                for j in 0..stages {
                    assert_eq!(rule.within[i][j] + rule.within[j][i], 1.0);
                }
            }
        }
    }
}
