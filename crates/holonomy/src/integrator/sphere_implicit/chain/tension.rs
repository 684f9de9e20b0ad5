//! (3.10) for serial chains of point masses, in the tensions of the links.
//!
//! ```text
//! Σⱼ Mᵢⱼ Δⱼ = ℓᵢ Tᵢ,   Tᵢ = cᵢ/ℓᵢ + νᵢ qᵢ,   cᵢ = h π̃ᵢ × qᵢ          (3.10), νᵢ the unknown tension
//! yᵢ = (Tᵢ − Tᵢ₊₁)/mᵢ                                               displacement of mass i
//! Δᵢ = (yᵢ − yᵢ₋₁)/ℓᵢ,   ½(|qᵢ + Δᵢ|² − 1) = qᵢ·Δᵢ + ½|Δᵢ|² = 0
//! ```
//! M⁻¹ is tridiagonal for point masses, so Newton's matrix in ν is:
//!
//! ```text
//! −qᵢ⁺·qᵢ₋₁/mᵢ₋₁ δνᵢ₋₁ + qᵢ⁺·qᵢ (1/mᵢ + 1/mᵢ₋₁) δνᵢ − qᵢ⁺·qᵢ₊₁/mᵢ δνᵢ₊₁ = −ℓᵢ (qᵢ·Δᵢ + ½|Δᵢ|²)
//! ```
//! This is RATTLE on the positions of the masses, one length constraint per link. Where the end of the chain is held,
//! 1/mₙ = 0: Δₙ has what closes the gap that rounding left, and −yₙ₋₁/ℓₙ.
use super::{
    super::not_converged,
    lanes::{Lanes, Vectors},
    links::LinkGroup,
    tridiagonal::Tridiagonal,
};
use crate::integrator::Fault;

/// A residual below this is squared far below rounding by one more Newton step. What is left is always
/// positive, ½|δΔ|², so it must not be near rounding: it would make the energy drift.
pub(super) const LAST_RESIDUAL: f64 = 1e-10;
/// From here on a second correction with the same matrix is the last: its cube is the square of the other.
pub(super) const SMALL_RESIDUAL: f64 = 2e-7;

/// Solves for the tensions of the links, which are `now` in one of their two motions: from those that are there or,
/// without a `guess`, from the linear system `qᵢ·Δᵢ = 0`. From zero tension the weight of a long chain would carry the
/// start far from the solution. The last group moves by `gap` besides. Returns the number of iterations.
pub(super) fn solve<const W: usize>(
    links: &mut [LinkGroup<W>],
    now: usize,
    gap: Vectors<W>,
    newton: &mut Tridiagonal,
    guess: bool,
    max_iterations: u32,
) -> Result<u32, Fault> {
    let mut iteration = 0;
    if !guess {
        start(links, now, gap, newton);
        iteration += 1;
    }
    // The residual at which the matrix was taken, where it is small enough to be used once more.
    let mut of_matrix = None;
    loop {
        let residual = match of_matrix {
            Some(_) => evaluate::<W, true, false>(links, now, gap, newton),
            None => evaluate::<W, true, true>(links, now, gap, newton),
        };
        if !(residual.is_finite() && iteration < max_iterations) {
            return Err(not_converged(iteration, residual, worst(links, newton)));
        }
        // A new matrix leaves the square of its residual, an old one the product of both.
        let left = residual * of_matrix.unwrap_or(residual);
        of_matrix = match of_matrix {
            Some(_) => None,
            None => {
                newton.factor();
                (residual <= SMALL_RESIDUAL).then_some(residual)
            }
        };
        correct(links, newton);
        iteration += 1;
        if left <= LAST_RESIDUAL * LAST_RESIDUAL {
            return Ok(iteration);
        }
    }
}

/// The tensions of the linear system `qᵢ·Δᵢ = 0`.
pub(super) fn start<const W: usize>(
    links: &mut [LinkGroup<W>],
    now: usize,
    gap: Vectors<W>,
    newton: &mut Tridiagonal,
) {
    links.iter_mut().for_each(|group| group.tension = Lanes::all(0.0));
    evaluate::<W, false, true>(links, now, gap, newton);
    newton.factor();
    correct(links, newton);
}

/// Newton's right side for the present tensions and, if asked for, its matrix; returns the largest residual. If not
/// `BENT`, the equations are `qᵢ·Δᵢ = 0`.
fn evaluate<const W: usize, const BENT: bool, const MATRIX: bool>(
    links: &[LinkGroup<W>],
    now: usize,
    gap: Vectors<W>,
    newton: &mut Tridiagonal,
) -> f64 {
    let count = links.len() - 2;
    let [below, own, above, right] = newton.groups::<W>(count);
    let (zero, half) = (Lanes::all(0.0), Lanes::all(0.5));
    let (mut largest, mut undefined) = (zero, zero);
    let (mut before, mut pull) = (links[0].pull(now), links[1].pull(now));
    for k in 0..count {
        let [left, group, beyond] = &links[k..k + 3] else {
            break;
        };
        let next_pull = beyond.pull(now);
        let mut delta = group.displacement(pull.after(before), pull, pull.before(next_pull));
        if k + 1 == count {
            delta = delta + gap;
        }
        (before, pull) = (pull, next_pull);
        let q = group.motion[now].q;
        let (next, residual) = if BENT {
            (q + delta, (q + delta * half).dot(delta))
        } else {
            (q, q.dot(delta))
        };
        largest = largest.larger(residual);
        undefined = undefined + residual.stray();
        if MATRIX {
            let (mass, parent) = (group.inverse_mass, group.inverse_parent);
            let (inner, outer) = (q.after(left.motion[now].q), q.before(beyond.motion[now].q));
            below[k] = (zero - next.dot(inner) * parent).0;
            own[k] = (next.dot(q) * (mass + parent)).0;
            above[k] = (zero - next.dot(outer) * (mass * group.carries_next)).0;
        }
        right[k] = (zero - residual * group.length).0;
    }
    (largest + undefined).largest()
}

/// Solves Newton's system and adds to the tensions.
fn correct<const W: usize>(links: &mut [LinkGroup<W>], newton: &mut Tridiagonal) {
    newton.solve();
    let count = links.len() - 2;
    let [_, _, _, change] = newton.groups::<W>(count);
    for (group, change) in links[1..].iter_mut().zip(change) {
        group.tension = group.tension + Lanes(*change);
    }
}

/// The link with the largest residual.
#[cold]
fn worst<const W: usize>(links: &[LinkGroup<W>], newton: &Tridiagonal) -> usize {
    let lengths = links[1..].iter().flat_map(|group| group.inverse_length.0);
    let sizes = lengths.zip(&newton.x[1..]).map(|(length, x)| (x * length).abs());
    let mut worst = (0, 0.0);
    for (i, size) in sizes.enumerate() {
        // What is not a number is worse than any.
        if !(size <= worst.1) {
            worst = (i, size);
        }
    }
    worst.0
}
