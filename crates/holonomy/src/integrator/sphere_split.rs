//! Splitting on (S²)ⁿ for diagonal inertia: exact great-circle motion and exact kicks in turn.
//!
//! ```text
//! kick(b):   πᵢ ← πᵢ − b h qᵢ × ∂ᵢV(q)
//! drift(a):  qᵢ ← exp(a h ω̂ᵢ) qᵢ,   ωᵢ = πᵢ / Mᵢᵢ      (free motion along a great circle)
//! step:      kick(b₁) drift(a₁) kick(b₂) … drift(a₁) kick(b₁)
//! ```
//! Order 2 is the Strang splitting. Because T is quadratic in the momenta, {V,{V,{V,T}}} = 0 and
//! Runge–Kutta–Nyström coefficients apply: order 4 with 6 drifts, order 6 with 11, Blanes & Moan
//! (2002), SRKN₆ᵇ and SRKN₁₁ᵇ. There is no limit on the step from the geometry.
use super::separate::{BodyRule, End, Moved, Separate, Stage};
use crate::{
    geometry::s2,
    simd::{Real, Triple},
};

/// Kick–drift splitting with exact great-circle drifts, of order 2, 4 or 6.
pub type SphereSplit = Separate<KickAndDrift>;

/// What it does to one body.
pub struct KickAndDrift;

impl BodyRule for KickAndDrift {
    const GREAT_CIRCLES: bool = true;

    fn stages(order: u32) -> Option<Vec<Stage>> {
        let (kicks, drifts) = match order {
            2 => (vec![0.5, 0.5], vec![1.0]),
            4 => (odd(&B4, 1.0), even(&A4, 1.0)),
            6 => (even(&B6, 1.0), odd(&A6, 1.0)),
            _ => return None,
        };
        let last = drifts.len() - 1;
        let stage = |(k, drift): (usize, &f64)| Stage {
            before: kicks[k],
            motion: *drift,
            after: if k == last { kicks[k + 1] } else { 0.0 },
        };
        Some(drifts.iter().enumerate().map(stage).collect())
    }

    #[inline(always)]
    fn advance<T: Real>(start: &End<T>, stage: &Stage) -> Moved<T> {
        let kicked = start.kicked(stage.before);
        Moved {
            q: s2::along_great_circle(start.q, kicked.scaled(stage.motion / start.mass)),
            p: kicked - start.stray(),
            room: start.q.x.constant(1.0),
        }
    }

    #[inline(always)]
    fn finish<T: Real>(end: &End<T>, stage: &Stage) -> Triple<T> {
        end.kicked(stage.after)
    }
}

const B4: [f64; 3] = [
    0.082_984_406_417_405_2,
    0.396_309_801_498_368,
    -0.039_056_304_922_348_6,
];
const A4: [f64; 2] = [0.245_298_957_184_271, 0.604_872_665_711_08];

const B6: [f64; 5] = [
    0.041_464_998_518_262_4,
    0.198_128_671_918_067,
    -0.040_006_192_104_153_3,
    0.075_253_984_301_580_7,
    -0.011_511_387_420_687_9,
];
const A6: [f64; 5] = [
    0.123_229_775_946_271,
    0.290_553_797_799_558,
    -0.127_049_212_625_417,
    -0.246_331_761_062_075,
    0.357_208_872_795_928,
];

/// `x₁ … xₖ y xₖ … x₁` with the given sum.
fn odd(outer: &[f64], sum: f64) -> Vec<f64> {
    let middle = sum - 2.0 * outer.iter().sum::<f64>();
    outer
        .iter()
        .copied()
        .chain([middle])
        .chain(outer.iter().rev().copied())
        .collect()
}

/// `x₁ … xₖ y y xₖ … x₁` with the given sum.
fn even(outer: &[f64], sum: f64) -> Vec<f64> {
    let middle = 0.5 * sum - outer.iter().sum::<f64>();
    outer
        .iter()
        .copied()
        .chain([middle, middle])
        .chain(outer.iter().rev().copied())
        .collect()
}
