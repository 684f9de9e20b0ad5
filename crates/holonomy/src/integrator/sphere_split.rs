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
use super::{Fault, Integrator, StepInfo, force::Force};
use crate::{
    geometry::s2,
    spheres::{Spheres, view_mut},
    system::State,
};
use std::sync::Arc;

/// Kick–drift splitting with exact great-circle drifts.
pub struct SphereSplit {
    system: Arc<Spheres>,
    force: Force,
    /// b₁ … and a₁ …, written out for the whole step; one kick more than drifts.
    kicks: Vec<f64>,
    drifts: Vec<f64>,
    next_q: Vec<f64>,
    next_p: Vec<f64>,
}

impl SphereSplit {
    /// Order 2, 4 or 6; `None` for other orders and when the inertia matrix couples the spheres.
    pub fn new(system: Arc<Spheres>, order: u32) -> Option<Self> {
        let (kicks, drifts) = match order {
            2 => (vec![0.5, 0.5], vec![1.0]),
            4 => (odd(&[B4[0], B4[1], B4[2]], 1.0), even(&A4, 1.0)),
            6 => (even(&B6, 1.0), odd(&A6, 1.0)),
            _ => return None,
        };
        system.inertia().is_diagonal().then(|| Self {
            force: Force::new(system.clone()),
            system,
            kicks,
            drifts,
            next_q: Vec::new(),
            next_p: Vec::new(),
        })
    }
}

impl Integrator for SphereSplit {
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        self.next_q.clone_from(&state.q);
        self.next_p.clone_from(&state.p);
        let (q, pi) = (view_mut(&mut self.next_q), view_mut(&mut self.next_p));
        let inertia = self.system.inertia();
        let before = self.force.evaluations;

        for (stage, b) in self.kicks.iter().enumerate() {
            let gradient = self.force.at(q)?;
            for i in 0..q.len() {
                pi[i] = s2::tangent(&q[i], &(pi[i] - q[i].cross(&gradient[i]) * (b * h)));
            }
            if let Some(a) = self.drifts.get(stage) {
                for i in 0..q.len() {
                    q[i] = s2::great_circle(&q[i], &(pi[i] * (a * h / inertia.diagonal(i))));
                }
            }
        }
        super::check_finite(&self.next_q, &self.next_p, self.system.len())?;

        std::mem::swap(&mut state.q, &mut self.next_q);
        std::mem::swap(&mut state.p, &mut self.next_p);
        state.t += h;
        Ok(StepInfo {
            evaluations: self.force.evaluations - before,
            ..StepInfo::default()
        })
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
