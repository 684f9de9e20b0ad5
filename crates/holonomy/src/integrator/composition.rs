//! Higher order by composing a symmetric second-order method with itself.
//!
//! ```text
//! Φ = φ_{γₛh} ∘ … ∘ φ_{γ₁h},    Σγ = 1,    γᵢ = γₛ₊₁₋ᵢ
//! order 4   5 stages   γ₁ = γ₂ = 1/(4 − 4^{1/3})       Suzuki (1990)
//! order 6   9 stages   order 8   17 stages             Kahan & Li (1997)
//! ```
//! A symmetric composition of a symmetric, symplectic method is symmetric and symplectic.
#[cfg(not(target_arch = "wasm32"))]
mod linearised;

use super::{Fault, Integrator, StepInfo};
#[cfg(not(target_arch = "wasm32"))]
use crate::derivative::Differentiable;
use crate::system::State;

/// A symmetric composition of one method.
pub struct Composition {
    base: Box<dyn Integrator>,
    substeps: &'static [f64],
    before: Option<State>,
    #[cfg(not(target_arch = "wasm32"))]
    substeps_taken: linearised::Substeps,
}

impl Composition {
    /// Raises `base`, symmetric and of order 2, to order 4, 6 or 8; `None` for other orders.
    pub fn new(base: Box<dyn Integrator>, order: u32) -> Option<Self> {
        Some(Self {
            base,
            substeps: substeps(order)?,
            before: None,
            #[cfg(not(target_arch = "wasm32"))]
            substeps_taken: linearised::Substeps::default(),
        })
    }
}

/// γ₁ … γₛ, for methods that take their substeps themselves.
pub(super) fn substeps(order: u32) -> Option<&'static [f64]> {
    match order {
        4 => Some(&SUZUKI_4),
        6 => Some(&KAHAN_LI_6),
        8 => Some(&KAHAN_LI_8),
        _ => None,
    }
}

impl Integrator for Composition {
    fn goes_back(&self) -> bool {
        self.substeps.iter().any(|gamma| *gamma < 0.0)
    }

    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        #[cfg(not(target_arch = "wasm32"))]
        self.substeps_taken.clear();
        compose(self.substeps, &mut self.before, state, h, |state, h| {
            let info = self.base.attempt(state, h)?;
            #[cfg(not(target_arch = "wasm32"))]
            self.substeps_taken.record(&mut *self.base, state);
            Ok(info)
        })
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn differentiable(&mut self) -> Option<&mut dyn Differentiable> {
        let known = self.base.differentiable().is_some();
        known.then_some(self)
    }
}

/// Takes the substeps of one step, all or none.
pub(super) fn compose(
    substeps: &[f64],
    before: &mut Option<State>,
    state: &mut State,
    h: f64,
    mut substep: impl FnMut(&mut State, f64) -> Result<StepInfo, Fault>,
) -> Result<StepInfo, Fault> {
    let before = before.get_or_insert_with(|| state.clone());
    before.copy_from(state);
    let mut total = StepInfo::default();
    for gamma in substeps {
        match substep(state, gamma * h) {
            Ok(info) => total += info,
            Err(fault) => {
                state.copy_from(before);
                return Err(fault);
            }
        }
    }
    state.t = before.t + h;
    Ok(total)
}

/// 1/(4 − 4^{1/3}).
const SUZUKI: f64 = 0.414_490_771_794_375_7;
const SUZUKI_4: [f64; 5] = [SUZUKI, SUZUKI, 1.0 - 4.0 * SUZUKI, SUZUKI, SUZUKI];

const KAHAN_LI_6: [f64; 9] = palindrome([
    0.392_161_444_007_314_1,
    0.332_599_136_789_359_44,
    -0.706_246_172_557_639_4,
    0.082_213_596_293_550_8,
]);

const KAHAN_LI_8: [f64; 17] = palindrome([
    0.130_202_483_088_890_08,
    0.561_162_981_775_108_4,
    -0.389_474_962_644_847_3,
    0.158_841_906_555_155_6,
    -0.395_903_894_133_237_56,
    0.184_539_640_978_315_7,
    0.258_374_387_686_322_05,
    0.295_011_723_609_310_3,
]);

/// `γ₁ … γₖ γ γₖ … γ₁` with the middle one such that the sum is 1.
const fn palindrome<const K: usize, const S: usize>(outer: [f64; K]) -> [f64; S] {
    let mut all = [0.0; S];
    let mut sum = 0.0;
    let mut i = 0;
    while i < K {
        all[i] = outer[i];
        all[S - 1 - i] = outer[i];
        sum += outer[i];
        i += 1;
    }
    all[K] = 1.0 - 2.0 * sum;
    all
}
