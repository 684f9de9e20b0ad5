//! What is known of a group of links, and what one pass after the other finds out.
use super::{
    lanes::{Lanes, Vectors},
    past::MOST,
};
use crate::spheres::Links;

/// W neighbouring links. Lanes beyond the last link are zero.
#[derive(Clone, Copy)]
pub(super) struct LinkGroup<const W: usize> {
    pub(super) length: Lanes<W>,
    pub(super) inverse_length: Lanes<W>,
    /// 1/mᵢ; whether the next link hangs on this one, 1 or 0; and 1/mᵢ₋₁, or zero at a fixed pivot.
    pub(super) inverse_mass: Lanes<W>,
    pub(super) carries_next: Lanes<W>,
    pub(super) inverse_parent: Lanes<W>,
    /// Before and after a step; which is which changes from step to step. Until π⁺ is found, π̃ is in its place.
    pub(super) motion: [LinkMotion<W>; 2],
    /// μᵢ of the last steps, and a place for the next.
    pub(super) rates: [Lanes<W>; MOST + 1],
    /// ∂V, cᵢ/ℓᵢ and νᵢ.
    pub(super) gradient: Vectors<W>,
    pub(super) driven: Vectors<W>,
    pub(super) tension: Lanes<W>,
}

#[derive(Clone, Copy)]
pub(super) struct LinkMotion<const W: usize> {
    pub(super) q: Vectors<W>,
    pub(super) p: Vectors<W>,
    /// aᵢ.
    pub(super) along: Lanes<W>,
}

impl<const W: usize> LinkGroup<W> {
    /// The groups of all links, between two that are empty; `None` unless every link carries a point mass at its end
    /// and at most the next link. A last mass that is `held` moves as little as one without end.
    pub(super) fn all(links: &Links, held: bool) -> Option<Vec<Self>> {
        let all = links.links();
        let n = all.len();
        let serial = |i: usize| all[i].parent.is_none_or(|parent| parent + 1 == i);
        let point =
            |i: usize| all[i].centre == 1.0 && all[i].moment == all[i].mass * all[i].length * all[i].length;
        if n == 0 || !(0..n).all(|i| serial(i) && point(i)) {
            return None;
        }
        let mut groups = vec![Self::empty(); n.div_ceil(W) + 2];
        for (i, link) in all.iter().enumerate() {
            let (group, l) = (&mut groups[i / W + 1], i % W);
            let parent = link.parent.map(|parent| 1.0 / all[parent].mass);
            let carries_next = all.get(i + 1).is_some_and(|next| next.parent.is_some());
            group.length.0[l] = link.length;
            group.inverse_length.0[l] = 1.0 / link.length;
            group.inverse_mass.0[l] = 1.0 / link.mass;
            group.carries_next.0[l] = f64::from(carries_next);
            group.inverse_parent.0[l] = parent.unwrap_or(0.0);
        }
        if held {
            groups[(n - 1) / W + 1].inverse_mass.0[(n - 1) % W] = 0.0;
        }
        Some(groups)
    }

    fn empty() -> Self {
        let (zero, none) = (Lanes::all(0.0), Vectors::zero());
        let still = LinkMotion {
            q: none,
            p: none,
            along: zero,
        };
        Self {
            length: zero,
            inverse_length: zero,
            inverse_mass: zero,
            carries_next: zero,
            inverse_parent: zero,
            motion: [still; 2],
            rates: [zero; MOST + 1],
            gradient: none,
            driven: none,
            tension: zero,
        }
    }

    /// Tᵢ.
    #[inline(always)]
    pub(super) fn pull(&self, now: usize) -> Vectors<W> {
        self.driven + self.motion[now].q * self.tension
    }

    /// Δᵢ, given Tᵢ₋₁, Tᵢ and Tᵢ₊₁.
    #[inline(always)]
    pub(super) fn displacement(
        &self,
        before: Vectors<W>,
        pull: Vectors<W>,
        beyond: Vectors<W>,
    ) -> Vectors<W> {
        let end = (pull - beyond * self.carries_next) * self.inverse_mass;
        let base = (before - pull) * self.inverse_parent;
        (end - base) * self.inverse_length
    }
}
