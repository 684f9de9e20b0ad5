//! When an iteration by corrections has come to its end.
//!
//! ```text
//! δ ≤ small                                    the next correction would be below rounding
//! δ ≤ rounding  and  δ ≥ contraction · δ₋      what is left is rounding: corrections no longer contract
//! ```
//! δ₋ is the correction before δ. With an exact Jacobian a correction leaves its square, so [`QUADRATIC`] of the unknowns
//! is small; with a stale or approximate one it leaves a fraction, and small is near rounding itself.

/// The fraction of the unknowns whose square is far below rounding.
pub const QUADRATIC: f64 = 1e-10;

/// Which correction is the last one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// A correction of at most this size.
    pub small: f64,
    /// Or one of at most this size, if it is no smaller than this part of the one before.
    pub rounding: f64,
    /// That part.
    pub contraction: f64,
}

impl Stop {
    /// For an exact Jacobian and unknowns of the given size.
    pub fn quadratic(size: f64) -> Self {
        Self {
            small: QUADRATIC * size,
            rounding: 0.0,
            contraction: f64::INFINITY,
        }
    }
}

/// The corrections of an iteration so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corrections {
    /// How many there were.
    pub iterations: u32,
    max_iterations: u32,
    previous: f64,
}

/// Why there will be no last correction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unsolved {
    /// The correction is infinite or not a number.
    NotFinite,
    /// There were too many.
    NotConverged {
        /// How many.
        iterations: u32,
        /// The size of the last.
        correction: f64,
    },
}

impl Corrections {
    /// None yet.
    pub fn new(max_iterations: u32) -> Self {
        Self {
            iterations: 0,
            max_iterations,
            previous: f64::INFINITY,
        }
    }

    /// Counts a correction of the given size; whether it is the last.
    #[inline]
    pub fn is_last(&mut self, correction: f64, stop: Stop) -> Result<bool, Unsolved> {
        self.iterations += 1;
        if !correction.is_finite() {
            return Err(Unsolved::NotFinite);
        }
        let stalled = correction <= stop.rounding && correction >= stop.contraction * self.previous;
        if correction <= stop.small || stalled {
            return Ok(true);
        }
        if self.iterations >= self.max_iterations {
            return Err(Unsolved::NotConverged {
                iterations: self.iterations,
                correction,
            });
        }
        self.previous = correction;
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How an iteration whose corrections have the given sizes ends, and after how many.
    fn ended(sizes: &[f64], stop: Stop, max_iterations: u32) -> (Option<Result<bool, Unsolved>>, u32) {
        let mut corrections = Corrections::new(max_iterations);
        let each = sizes.iter().map(|size| corrections.is_last(*size, stop));
        let end = each.into_iter().find(|end| *end != Ok(false));
        (end, corrections.iterations)
    }

    #[test]
    fn a_square_below_rounding_is_the_last() {
        let stop = Stop::quadratic(2.0);
        assert_eq!(
            ended(&[1e-1, 1e-3, 2.1e-10, 1.9e-10, 0.0], stop, 9),
            (Some(Ok(true)), 4)
        );
        // Corrections that do not contract are no reason to stop.
        assert_eq!(ended(&[1e-3, 1e-3, 1e-3], stop, 9), (None, 3));
        assert_eq!(ended(&[0.0], Stop::quadratic(0.0), 9), (Some(Ok(true)), 1));
    }

    #[test]
    fn rounding_does_not_contract() {
        let stop = Stop {
            small: 1e-16,
            rounding: 1e-13,
            contraction: 0.5,
        };
        // Still contracting below the rounding; then no more.
        assert_eq!(
            ended(&[1e-8, 1e-13, 4e-14, 3e-14, 1.0], stop, 9),
            (Some(Ok(true)), 4)
        );
        assert_eq!(ended(&[1e-12, 1e-12, 1e-12], stop, 9), (None, 3));
    }

    #[test]
    fn an_iteration_without_end_says_why() {
        let stop = Stop::quadratic(1.0);
        let (iterations, correction) = (3, 1e-2);
        let end = Unsolved::NotConverged {
            iterations,
            correction,
        };
        assert_eq!(ended(&[1.0, 1e-1, 1e-2, 1e-12], stop, 3), (Some(Err(end)), 3));
        for size in [f64::NAN, f64::INFINITY] {
            assert_eq!(ended(&[1.0, size], stop, 9), (Some(Err(Unsolved::NotFinite)), 2));
        }
    }
}
