//! How far a step is from preserving the symplectic form.
//!
//! ```text
//! J = ∂z⁺/∂z,  z = (x, y) canonical,     defect = max |JᵀΩJ − Ω|
//! ```
//! J by central differences of order 6, so the defect of a symplectic map comes out near 1e-12.
use crate::{
    derivative::{Differences, Momenta, OFFSET},
    integrator::{Fault, Integrator},
    math,
    system::{State, System},
};

/// `max |JᵀΩJ − Ω|` of one step of size h, in canonical coordinates; momenta are measured in units
/// of the largest one, or at rest of what a displacement makes of it, which does not change the meaning of zero. Not a
/// number where there are no canonical coordinates.
pub fn symplecticity_defect(
    system: &dyn System,
    integrator: &mut dyn Integrator,
    state: &State,
    h: f64,
) -> Result<f64, Fault> {
    symplecticity_defect_within(system, integrator, state, h, OFFSET, 1.0, Momenta::Together)
}

/// The same, by differences within another offset, and with coordinates in units of `unit`: in a stiff system the usual
/// offset is far, and an orbit is not measured in metres. What does not depend on them is a defect of the step.
pub fn symplecticity_defect_within(
    system: &dyn System,
    integrator: &mut dyn Integrator,
    state: &State,
    h: f64,
    offset: f64,
    unit: f64,
    momenta: Momenta,
) -> Result<f64, Fault> {
    if !system.is_canonical() {
        return Ok(f64::NAN);
    }
    let found = Differences::of_step(system, integrator, state, h, (offset, unit, momenta))?;
    let (columns, scales) = (found.columns, found.momenta);
    let half = scales.len();

    // An area of a pair of its own is one; that of two pairs is the mean of theirs.
    let area = |i: usize, j: usize| (scales[i % half].sqrt()) * (scales[j % half].sqrt());
    let form = |a: &[f64], b: &[f64]| -> f64 {
        (0..half)
            .map(|i| scales[i] * (a[i] * b[i + half] - a[i + half] * b[i]))
            .sum()
    };
    let mut defect = 0.0_f64;
    for i in 0..2 * half {
        for j in 0..i {
            let exact = if i == j + half { -1.0 } else { 0.0 };
            defect = math::larger(
                defect,
                (form(&columns[i], &columns[j]) / area(i, j) - exact).abs(),
            );
        }
    }
    Ok(defect)
}
