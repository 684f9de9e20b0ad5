//! Rates of serial chains of point masses and of separate bodies, whose M has a tridiagonal inverse W:
//!
//! ```text
//! T = ½ min_μ Σᵢⱼ Wᵢⱼ zᵢ·zⱼ,   zᵢ = pᵢ + μᵢ qᵢ        so that   v = W z,   vᵢ·qᵢ = 0
//! q̇ᵢ = vᵢ,   ṗᵢ = −μᵢ vᵢ − ∂ᵢV
//! ```
//! T is that of the mechanism on the sphere, and depends on `q × p` alone: `p + sq` has the same z. The condition is a
//! tridiagonal system for μ, with the matrix `Wᵢⱼ qᵢ·qⱼ` and the right side `−Σⱼ Wᵢⱼ qᵢ·pⱼ`.
use crate::{
    simd::{LANES, Triple, Vector},
    spheres::Links,
};

/// Numbers of a link: q and p.
pub(super) const PER_LINK: usize = 6;

/// W.
pub(super) struct Chain {
    /// Wᵢᵢ.
    pub(super) own: Vec<f64>,
    /// Wᵢ,ᵢ₊₁, and a zero at the end.
    pub(super) next: Vec<f64>,
}

/// Work space for eight states or stages: the solution of the tridiagonal system.
#[derive(Clone, Copy, Default)]
pub(super) struct Joint {
    inverse: [f64; LANES],
    coupling: [f64; LANES],
    multiplier: [f64; LANES],
}

impl Chain {
    /// `None` unless all links carry a point mass at their end and at most the next link, or are by themselves.
    pub(super) fn new(links: &Links) -> Option<Self> {
        let all = links.links();
        let hangs = |i: usize| all.get(i).is_some_and(|link| link.parent.is_some());
        let mut chain = Self {
            own: Vec::new(),
            next: Vec::new(),
        };
        for (i, link) in all.iter().enumerate() {
            let alone = link.parent.is_none() && !hangs(i + 1);
            let point = link.centre == 1.0 && link.moment == link.mass * link.length * link.length;
            if !(alone || point) || link.parent.is_some_and(|parent| parent + 1 != i) {
                return None;
            }
            let parent = link.parent.map_or(0.0, |parent| 1.0 / all[parent].mass);
            chain.own.push(match alone {
                true => 1.0 / links.diagonal()[i],
                false => (1.0 / link.mass + parent) / (link.length * link.length),
            });
            chain.next.push(match hangs(i + 1) {
                true => -1.0 / (link.mass * link.length * all[i + 1].length),
                false => 0.0,
            });
        }
        Some(chain)
    }

    /// The rates of all links times the weight; forces are −∂V.
    #[inline(always)]
    pub(super) fn rates<V: Vector, const N: usize>(
        &self,
        token: V::Token,
        weight: V,
        forces: &[[f64; LANES]],
        values: &[[f64; LANES]],
        rates: &mut [[f64; LANES]],
        joints: &mut [Joint],
    ) {
        let n = if N > 0 { N } else { joints.len() };
        if n == 0 {
            return;
        }
        let (own, next) = (&self.own[..n], &self.next[..n]);
        let (forces, values, rates, joints) = (
            &forces[..3 * n],
            &values[..PER_LINK * n],
            &mut rates[..PER_LINK * n],
            &mut joints[..n],
        );
        let zero = V::all(token, 0.0);
        let one = V::all(token, 1.0);
        for i in 0..n {
            let (q, p) = link::<V>(token, values, i);
            let mut pivot = q.norm_squared() * own[i];
            let mut side = q.dot(p) * own[i];
            let mut eliminated = zero;
            if i > 0 {
                let (before, push) = link::<V>(token, values, i - 1);
                let coupling = before.dot(q) * next[i - 1];
                let factor = coupling * V::load(token, &joints[i - 1].inverse);
                pivot = pivot - factor * coupling;
                side = side + q.dot(push) * next[i - 1];
                eliminated = factor * V::load(token, &joints[i - 1].multiplier);
                coupling.store(&mut joints[i].coupling);
            }
            if i + 1 < n {
                let (_, push) = link::<V>(token, values, i + 1);
                side = side + q.dot(push) * next[i];
            }
            (one / pivot).store(&mut joints[i].inverse);
            (zero - side - eliminated).store(&mut joints[i].multiplier);
        }
        for i in (0..n).rev() {
            let mut side = V::load(token, &joints[i].multiplier);
            if i + 1 < n {
                let beyond = V::load(token, &joints[i + 1].multiplier);
                side = side - V::load(token, &joints[i + 1].coupling) * beyond;
            }
            (side * V::load(token, &joints[i].inverse)).store(&mut joints[i].multiplier);
        }
        let mut before = Triple {
            x: zero,
            y: zero,
            z: zero,
        };
        let mut here = pull::<V>(token, values, joints, 0);
        for i in 0..n {
            let mut v = here.scaled(own[i]);
            if i > 0 {
                v = v + before.scaled(next[i - 1]);
            }
            if i + 1 < n {
                let beyond = pull::<V>(token, values, joints, i + 1);
                v = v + beyond.scaled(next[i]);
                (before, here) = (here, beyond);
            }
            let moved = v * weight;
            let pushed =
                vectors::<V>(token, forces, 3 * i) * weight - moved * V::load(token, &joints[i].multiplier);
            store(moved, rates, PER_LINK * i);
            store(pushed, rates, PER_LINK * i + 3);
        }
    }
}

/// qᵢ and pᵢ.
#[inline(always)]
fn link<V: Vector>(token: V::Token, values: &[[f64; LANES]], i: usize) -> (Triple<V>, Triple<V>) {
    (
        vectors(token, values, PER_LINK * i),
        vectors(token, values, PER_LINK * i + 3),
    )
}

/// zᵢ.
#[inline(always)]
fn pull<V: Vector>(token: V::Token, values: &[[f64; LANES]], joints: &[Joint], i: usize) -> Triple<V> {
    let (q, p) = link::<V>(token, values, i);
    p + q * V::load(token, &joints[i].multiplier)
}

#[inline(always)]
pub(super) fn vectors<V: Vector>(token: V::Token, from: &[[f64; LANES]], at: usize) -> Triple<V> {
    Triple {
        x: V::load(token, &from[at]),
        y: V::load(token, &from[at + 1]),
        z: V::load(token, &from[at + 2]),
    }
}

#[inline(always)]
pub(super) fn store<V: Vector>(vectors: Triple<V>, to: &mut [[f64; LANES]], at: usize) {
    vectors.x.store(&mut to[at]);
    vectors.y.store(&mut to[at + 1]);
    vectors.z.store(&mut to[at + 2]);
}
