//! A step that Newton's method does not solve from its initial guess, from solutions of shorter steps.
//!
//! ```text
//! F(x, s h) = 0,   s: 0 → 1            x(s) = (v, λ/s);  x(0) = (M⁻¹p, λ of the last step)
//! x(s) ≈ x₂ + (s − s₂)(x₂ − x₁)/(s₂ − s₁)     initial guess, from the last two solutions
//! ```
//! Of all solutions this is the one that short steps lead to. It is taken only where the step would fail otherwise.
use super::{TreeVariational, newton::Solved};
use crate::{integrator::Fault, system::State};

/// The first part of the step, the least by which one is lengthened, and solutions that are tried.
const FIRST: f64 = 0.5;
const LEAST: f64 = 1.0 / 1024.0;
const MOST: u32 = 48;

/// A solution for a part s of the step.
#[derive(Clone, Debug, Default)]
pub(super) struct PartialSolution {
    part: f64,
    v: Vec<f64>,
    /// λ/s.
    lambda: Vec<f64>,
}

impl TreeVariational {
    /// Solves a step after it failed from the state alone, which is the fault where this fails too.
    pub(super) fn continued(&mut self, state: &State, h: f64, fault: Fault) -> Result<Solved, Fault> {
        let [mut before, mut last] = std::mem::take(&mut self.partial);
        self.set_out(state, h);
        self.store(0.0, h, state, &mut last);
        before.clone_from(&last);
        let (mut longer, mut iterations, mut solved) = (FIRST, 0, Err(fault));
        for _ in 0..MOST {
            let part = if last.part + longer > 1.0 - LEAST {
                1.0
            } else {
                last.part + longer
            };
            self.set_out(state, part * h);
            self.guess_from(&before, &last, part);
            match self.solve(state, None) {
                Ok(found) => {
                    iterations += found.iterations;
                    if part == 1.0 {
                        solved = Ok(Solved { iterations, ..found });
                        break;
                    }
                    std::mem::swap(&mut before, &mut last);
                    self.store(part, h, state, &mut last);
                    longer *= 2.0;
                }
                Err(_) => longer *= 0.25,
            }
            if longer < LEAST {
                break;
            }
        }
        self.partial = [before, last];
        solved
    }

    /// The solution at hand, of a part of the step; of no part of it, the initial guess.
    fn store(&self, part: f64, h: f64, state: &State, out: &mut PartialSolution) {
        out.part = part;
        out.v.clone_from(&self.balance.v);
        out.lambda.clear();
        match part > 0.0 {
            true => out.lambda.extend(self.closure.lambda.iter().map(|x| x / part)),
            false => out
                .lambda
                .extend(self.closure.lambda.iter().enumerate().map(|(k, _)| {
                    let force = state.lambda.get(k).copied().unwrap_or(0.0);
                    if force.is_finite() { 0.5 * h * force } else { 0.0 }
                })),
        }
    }

    fn guess_from(&mut self, before: &PartialSolution, last: &PartialSolution, part: f64) {
        let ahead = match last.part - before.part {
            0.0 => 0.0,
            apart => (part - last.part) / apart,
        };
        let line = |(a, b): (&f64, &f64)| b + ahead * (b - a);
        self.balance.v.clear();
        self.balance.v.extend(before.v.iter().zip(&last.v).map(line));
        self.closure.lambda.clear();
        let lambda = before.lambda.iter().zip(&last.lambda).map(line);
        self.closure.lambda.extend(lambda.map(|x| part * x));
    }
}
