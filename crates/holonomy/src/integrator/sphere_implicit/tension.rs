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
//! This is RATTLE on the positions of the masses, one length constraint per link.
use super::{Motion, not_converged};
use crate::{
    Vec3,
    integrator::{Cause, Fault},
    spheres::Links,
};

pub(super) struct Tension {
    max_iterations: u32,
    links: Vec<Constants>,
    work: Vec<Unknowns>,
    /// Per link: the entry above the diagonal and the right side, both over the pivot.
    eliminated: Vec<[f64; 2]>,
}

#[derive(Clone, Copy)]
struct Constants {
    length: f64,
    inverse_length: f64,
    /// 1/mᵢ, and 1/mᵢ₋₁ or zero at a fixed pivot.
    inverse_mass: f64,
    inverse_parent_mass: f64,
    /// Whether the next link hangs on this one: 1 or 0.
    carries_next: f64,
}

#[derive(Clone, Copy)]
struct Unknowns {
    /// cᵢ/ℓᵢ and νᵢ.
    driven: Vec3,
    tension: f64,
}

/// A residual below this is squared far below rounding by one more Newton step. What is left is always
/// positive, ½|δΔ|², so it must not be near rounding: it would make the energy drift.
const LAST_RESIDUAL: f64 = 1e-10;

impl Tension {
    /// `None` unless every link carries a point mass at its end and at most the next link.
    pub(super) fn new(links: &Links, max_iterations: u32) -> Option<Self> {
        let all = links.links();
        let serial = |i: usize| all[i].parent.is_none_or(|parent| parent + 1 == i);
        let point =
            |i: usize| all[i].centre == 1.0 && all[i].moment == all[i].mass * all[i].length * all[i].length;
        if !(0..all.len()).all(|i| serial(i) && point(i)) {
            return None;
        }
        let constants = |i: usize| Constants {
            length: all[i].length,
            inverse_length: 1.0 / all[i].length,
            inverse_mass: 1.0 / all[i].mass,
            inverse_parent_mass: all[i].parent.map_or(0.0, |parent| 1.0 / all[parent].mass),
            carries_next: f64::from(all.get(i + 1).is_some_and(|next| next.parent.is_some())),
        };
        let links = (0..all.len()).map(constants).collect();
        Some(Self {
            max_iterations,
            links,
            work: Vec::with_capacity(all.len()),
            eliminated: Vec::with_capacity(all.len()),
        })
    }

    /// Leaves the solution in `motion`; returns the number of iterations.
    pub(super) fn solve(
        &mut self,
        q: &[Vec3],
        kicked: &[Vec3],
        h: f64,
        motion: &mut Motion,
    ) -> Result<u32, Fault> {
        self.work.clear();
        self.work.extend((0..q.len()).map(|i| Unknowns {
            driven: kicked[i].cross(&q[i]) * (h * self.links[i].inverse_length),
            tension: 0.0,
        }));
        let mut iteration = 0;
        loop {
            let (residual, body) = self.eliminate(q, iteration == 0);
            if !(residual.is_finite() && iteration < self.max_iterations) {
                return Err(not_converged(iteration, residual, body));
            }
            self.substitute();
            iteration += 1;
            if iteration > 1 && residual <= LAST_RESIDUAL {
                break;
            }
        }
        let mut fault = None;
        self.displace(q, |i, displacement, pull| {
            motion.displacement[i] = displacement;
            motion.flow[i] = pull * self.links[i].length;
            // Beyond 90° the solution is on the wrong branch.
            if q[i].dot(&displacement) < -1.0 {
                fault.get_or_insert(i);
            }
        });
        match fault {
            None => Ok(iteration),
            Some(i) => Err(Fault {
                cause: Cause::TooLarge,
                body: Some(i),
            }),
        }
    }

    /// Tᵢ.
    fn pull(&self, q: &[Vec3], i: usize) -> Vec3 {
        self.work[i].driven + q[i] * self.work[i].tension
    }

    /// Visits the links in order with Δᵢ and Tᵢ for the present tensions.
    fn displace(&self, q: &[Vec3], mut visit: impl FnMut(usize, Vec3, Vec3)) {
        let mut inboard = Vec3::zeros();
        let mut pull = self.pull(q, 0);
        for (i, link) in self.links.iter().enumerate() {
            let next = if i + 1 < q.len() {
                self.pull(q, i + 1)
            } else {
                Vec3::zeros()
            };
            let y = (pull - next * link.carries_next) * link.inverse_mass;
            visit(i, (y - inboard) * link.inverse_length, pull);
            inboard = y * link.carries_next;
            pull = next;
        }
    }

    /// Evaluates Newton's system at the present tensions and eliminates downwards, in one sweep.
    /// Returns the largest residual and its body. The first system is the linear one, `qᵢ·Δᵢ = 0`:
    /// without it the weight of a long chain would carry the start far from the solution.
    fn eliminate(&mut self, q: &[Vec3], linear: bool) -> (f64, usize) {
        let mut largest = (0.0, 0);
        let (mut upper, mut right) = (0.0, 0.0);
        let mut eliminated = std::mem::take(&mut self.eliminated);
        eliminated.clear();
        self.displace(q, |i, delta, _| {
            let link = &self.links[i];
            let (next_q, curved) = if linear {
                (q[i], 0.0)
            } else {
                (q[i] + delta, 0.5 * delta.norm_squared())
            };
            let residual = q[i].dot(&delta) + curved;
            if residual.abs() > largest.0 || residual.is_nan() {
                largest = (residual.abs(), i);
            }
            let below = if i == 0 {
                0.0
            } else {
                -next_q.dot(&q[i - 1]) * link.inverse_parent_mass
            };
            let above = if i + 1 == q.len() {
                0.0
            } else {
                -next_q.dot(&q[i + 1]) * link.inverse_mass * link.carries_next
            };
            let own = next_q.dot(&q[i]) * (link.inverse_mass + link.inverse_parent_mass);
            let pivot = 1.0 / (own - below * upper);
            right = (-residual * link.length - below * right) * pivot;
            upper = above * pivot;
            eliminated.push([upper, right]);
        });
        self.eliminated = eliminated;
        largest
    }

    /// Substitutes upwards and corrects the tensions.
    fn substitute(&mut self) {
        let mut correction = 0.0;
        for (work, [upper, right]) in self.work.iter_mut().zip(&self.eliminated).rev() {
            correction = right - upper * correction;
            work.tension += correction;
        }
    }
}
