//! Where a mechanism is between two steps, and how a step ends.
//!
//! ```text
//! (q, p)⁺ = (q, p) + Σⱼ Lⱼ                       to twice the digits: what rounding leaves is kept
//! q⁺ + ½ (1 − |q⁺|²) q⁺                          rounding again: the sum keeps |q|
//! p⁺ − (q⁺·p⁺) q⁺,  L_p − (q⁺·p⁺) L_q            the same motion: all depends on q × p alone
//! ```
use super::chain::PER_LINK;
use crate::{
    geometry::s2,
    simd::{LANES, Real, Triple},
    spheres::view,
    system::{State, Tag},
};

/// Names what is carried, by the number of stages.
const fn tag(stages: usize) -> Tag {
    Tag::new([b'g', b'a', b'u', b'0' + stages as u8], 1)
}

/// A mechanism on its way through a row of steps. Link after link, q and p.
#[derive(Default)]
pub(super) struct Motion {
    pub(super) place: Vec<f64>,
    /// The digits that rounding left of it.
    pub(super) low: Vec<f64>,
    /// Lⱼ of the last step in a lane for each stage, and how long that step was; zero if there was none.
    pub(super) last: Vec<[f64; LANES]>,
    pub(super) step: f64,
}

/// Numbers of a link in the carry besides the L of each stage: what rounding left of q, p, and what it left of p.
const KEPT: usize = 9;

impl Motion {
    /// Takes over a state and what it carries.
    pub(super) fn enter(&mut self, state: &State, stages: usize) {
        let n = state.q.len() / 3;
        self.place.resize(PER_LINK * n, 0.0);
        self.low.resize(PER_LINK * n, 0.0);
        self.last.resize(PER_LINK * n, [0.0; LANES]);
        let each = KEPT + PER_LINK * stages;
        let carried = state.carried(tag(stages)).and_then(<[f64]>::split_first);
        let carried = carried.filter(|(_, links)| links.len() == n * each);
        let (q, pi) = (view(&state.q), view(&state.p));
        self.step = carried.map_or(0.0, |(step, _)| *step);
        for i in 0..n {
            let own = PER_LINK * i..PER_LINK * (i + 1);
            let (place, low) = (&mut self.place[own.clone()], &mut self.low[own.clone()]);
            place[..3].copy_from_slice(q[i].as_slice());
            let Some((_, links)) = carried else {
                place[3..].copy_from_slice(pi[i].cross(&q[i]).as_slice());
                low.fill(0.0);
                continue;
            };
            let (kept, stages_of) = links[i * each..(i + 1) * each].split_at(KEPT);
            low[..3].copy_from_slice(&kept[..3]);
            place[3..].copy_from_slice(&kept[3..6]);
            low[3..].copy_from_slice(&kept[6..]);
            for (last, of) in self.last[own].iter_mut().zip(stages_of.chunks_exact(stages)) {
                last[..stages].copy_from_slice(of);
            }
        }
    }

    /// Puts what steps led to into the state.
    pub(super) fn leave(&self, state: &mut State, stages: usize) {
        for (i, link) in self.place.chunks_exact(PER_LINK).enumerate() {
            let (q, p) = (&view(link)[0], &view(link)[1]);
            state.q[3 * i..3 * i + 3].copy_from_slice(q.as_slice());
            state.p[3 * i..3 * i + 3].copy_from_slice(q.cross(p).as_slice());
        }
        let n = state.q.len() / 3;
        let carry = state.carry_for(tag(stages));
        carry.clear();
        carry.reserve_exact(1 + n * (KEPT + PER_LINK * stages));
        carry.push(self.step);
        for i in 0..n {
            let own = PER_LINK * i..PER_LINK * (i + 1);
            let (place, low) = (&self.place[own.clone()], &self.low[own.clone()]);
            carry.extend_from_slice(&low[..3]);
            carry.extend_from_slice(&place[3..]);
            carry.extend_from_slice(&low[3..]);
            for last in &self.last[own] {
                carry.extend_from_slice(&last[..stages]);
            }
        }
    }
}

/// The end of a step of one link, given Σ L; how much of q was taken from p.
#[inline(always)]
pub(super) fn settle<T: Real>(place: &mut [T; PER_LINK], low: &mut [T; PER_LINK], sums: [T; PER_LINK]) -> T {
    for k in 0..PER_LINK {
        (place[k], low[k]) = added(place[k], low[k] + sums[k]);
    }
    let [x, y, z, px, py, pz] = *place;
    let (q, p) = (Triple { x, y, z }, Triple { x: px, y: py, z: pz });
    let rest = Triple {
        x: low[0],
        y: low[1],
        z: low[2],
    };
    let lacking = s2::lacking(q) * 0.5 - q.dot(rest);
    let along = q.dot(p);
    let (q, rest) = ([q.x, q.y, q.z], [rest.x, rest.y, rest.z]);
    for k in 0..3 {
        (place[k], low[k]) = added(q[k], rest[k] + q[k] * lacking);
        let taken = q[k] * along + rest[k] * along;
        (place[k + 3], low[k + 3]) = added(place[k + 3], low[k + 3] - taken);
    }
    along
}

/// `a + b`, rounded, and what is lost by that (Knuth).
#[inline(always)]
fn added<T: Real>(a: T, b: T) -> (T, T) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}
