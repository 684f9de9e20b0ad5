//! How far a step is from preserving the symplectic form.
//!
//! ```text
//! J = ∂z⁺/∂z,  z = (x, y) canonical,     defect = max |JᵀΩJ − Ω|
//! ```
//! J by what the method's own derivatives make of changes, and the defect of a symplectic map is rounding; where there are
//! none, by central differences of order 6, and it comes out near 1e-12.
use crate::{
    derivative::{Change, Differences, Momenta, OFFSET},
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

/// The same, by differences, where they are needed, within another offset, and with coordinates in units of `unit`: in a stiff system the usual
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
    let found = match exact(system, integrator, state, h, (unit, momenta))? {
        Some(found) => found,
        None => Differences::of_step(system, integrator, state, h, (offset, unit, momenta))?,
    };
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

/// The derivative of a step by those of the method; `None` where it has none.
fn exact(
    system: &dyn System,
    integrator: &mut dyn Integrator,
    state: &State,
    h: f64,
    (unit, momenta): (f64, Momenta),
) -> Result<Option<Differences>, Fault> {
    if integrator.differentiable().is_none() {
        return Ok(None);
    }
    let mut before = state.clone();
    before.carry.clear();
    let mut after = before.clone();
    integrator.attempt(&mut after, h)?;
    let Some(method) = integrator.differentiable() else {
        return Ok(None);
    };
    let mut solution = Vec::new();
    method.solution(&mut solution);
    method.linearise(&before, h, &solution)?;
    let (_, y) = system.canonical(&before.q, &before.q, &before.p);
    let half = y.len();
    let mut pushed: Vec<Change> = Vec::with_capacity(2 * half);
    for k in 0..2 * half {
        let mut z = vec![0.0; 2 * half];
        z[k] = 1.0;
        let y = z.split_off(half);
        pushed.push(Change {
            x: z,
            y,
            ..Change::default()
        });
    }
    method.push_each(&mut pushed);
    let mut given = vec![0.0_f64; half];
    for change in &pushed[..half] {
        for (given, y) in given.iter_mut().zip(&change.y) {
            *given = given.max(y.abs() * unit);
        }
    }
    let scales = momenta.scales(&y, &given);
    let columns = pushed.iter().enumerate().map(|(k, change)| {
        let size = if k < half { unit } else { scales[k - half] };
        let x = change.x.iter().map(|x| x * size / unit);
        let y = change.y.iter().zip(&scales).map(|(y, scale)| y * size / scale);
        x.chain(y).collect()
    });
    Ok(Some(Differences {
        columns: columns.collect(),
        unit,
        momenta: scales,
    }))
}
