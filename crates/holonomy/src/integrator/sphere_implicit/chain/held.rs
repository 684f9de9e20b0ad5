//! Chains of point masses whose end is held.
//!
//! ```text
//! Σ ℓᵢ qᵢ = d,     yₙ = d − Σ ℓᵢ qᵢ                          what rounding opened is closed by the next step
//! Pᵢ = πᵢ × qᵢ/ℓᵢ + τᵢ qᵢ,   ẏᵢ = (Pᵢ − Pᵢ₊₁)/mᵢ,   ẏₙ = 0
//! qᵢ·(ẏᵢ − ẏᵢ₋₁) = 0                                         the same matrix as for the tensions, for τ
//! πᵢ → πᵢ − ℓᵢ qᵢ × Pₙ                                       the momenta of velocities that keep the end
//! ```
//! Pᵢ is the momentum of all masses from i on, and what the held point gave to it. That is Pₙ, as the last mass has
//! none. This is RATTLE's second half: positions do not depend on it.
use super::{
    lanes::{Lanes, Vectors},
    links::LinkGroup,
    tension,
    tridiagonal::Tridiagonal,
};
use crate::Vec3;

pub(super) struct HeldTip<const W: usize> {
    /// Lane of the last link, in the last group.
    lane: usize,
    /// d.
    span: Vectors<W>,
    /// What the held point gave in the last step: λ, as a force over the step, and μ, besides it at its end.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) given: [f64; 6],
}

impl<const W: usize> HeldTip<W> {
    pub(super) fn new(n: usize, span: Vec3) -> Self {
        Self {
            lane: (n - 1) % W,
            span: of_one(0, [span.x, span.y, span.z]),
            #[cfg(not(target_arch = "wasm32"))]
            given: [0.0; 6],
        }
    }

    /// yₙ/ℓₙ, in the lane of the last link.
    pub(super) fn gap(&self, links: &[LinkGroup<W>], now: usize) -> Vectors<W> {
        let each = links.iter();
        let open = each.fold(self.span, |open, group| open - group.motion[now].q * group.length);
        let last = &links[links.len() - 2];
        let sum = |lanes: Lanes<W>| lanes.0.iter().sum::<f64>() * last.inverse_length.0[self.lane];
        of_one(self.lane, [sum(open.x), sum(open.y), sum(open.z)])
    }

    /// Takes over the tension of the last link over a step of h, which is what the held point pulled with: Tₙ/h.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn note(&mut self, links: &[LinkGroup<W>], now: usize, h: f64) {
        let pull = links[links.len() - 2].pull(now);
        for (given, pull) in self.given.iter_mut().zip([pull.x, pull.y, pull.z]) {
            *given = pull.0[self.lane] / h;
        }
    }

    /// Takes from the momenta what the held point gives; whether all is finite.
    pub(super) fn stop(&mut self, links: &mut [LinkGroup<W>], now: usize, newton: &mut Tridiagonal) -> bool {
        for group in links.iter_mut() {
            let motion = &group.motion[now];
            group.driven = motion.p.cross(motion.q) * group.inverse_length;
        }
        tension::start(links, now, Vectors::zero(), newton);
        let pull = links[links.len() - 2].pull(now);
        let given = [pull.x, pull.y, pull.z].map(|lanes| lanes.0[self.lane]);
        #[cfg(not(target_arch = "wasm32"))]
        for k in 0..3 {
            self.given[3 + k] = given[k] - self.given[k];
        }
        let all = Vectors {
            x: Lanes::all(given[0]),
            y: Lanes::all(given[1]),
            z: Lanes::all(given[2]),
        };
        for group in links.iter_mut() {
            let motion = &mut group.motion[now];
            motion.p = motion.p - motion.q.cross(all) * group.length;
            motion.along = motion.along - motion.q.dot(all);
        }
        given.iter().all(|x| x.is_finite())
    }
}

/// A vector in one lane, and zero in the others.
fn of_one<const W: usize>(lane: usize, vector: [f64; 3]) -> Vectors<W> {
    let mut all = Vectors::zero();
    (all.x.0[lane], all.y.0[lane], all.z.0[lane]) = vector.into();
    all
}
