//! Lyapunov exponents, as many as there are directions: tangents that are pushed and kept orthogonal.
//!
//! ```text
//! V ← DΦ V,   V = Q R,   gᵢ += ln Rᵢᵢ,   V ← Q            gᵢ(t) ≈ λᵢ t, the largest first
//! ```
//! In lengths where the largest coordinate and the largest momentum of the run are one. λ and its error are found from
//! gᵢ(t) as in [`Exponent`].
use super::{Change, Differentiable};
use crate::{
    diagnostics::Exponent,
    integrator::Fault,
    math,
    potential::scattered,
    system::{State, System},
};

/// What tangents grew by along a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrum {
    /// `(t, g₁ … gₖ)` at the end of each stretch of steps.
    pub samples: Vec<(f64, Vec<f64>)>,
    /// The exponents, if the run was long enough to tell them.
    pub exponents: Option<Vec<Exponent>>,
}

/// How a spectrum is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpectrumRun {
    /// The size of a step, s.
    pub h: f64,
    /// Steps.
    pub steps: usize,
    /// Steps after which tangents are made orthogonal again: a stretch.
    pub every: usize,
    /// How many exponents; no more than there are directions that constraints allow.
    pub count: usize,
    /// What coordinates and momenta are measured in.
    pub scales: [f64; 2],
}

/// Steps from a state, and what tangents grow by on the way; the state goes to the end.
pub fn spectrum(
    system: &dyn System,
    method: &mut dyn Differentiable,
    state: &mut State,
    run: SpectrumRun,
) -> Result<Spectrum, Fault> {
    let (x, y) = system.canonical(&state.q, &state.q, &state.p);
    let sizes = [x.len(), y.len()];
    let mut tangents: Vec<Change> = (0..run.count.min(x.len() + y.len()))
        .map(|number| start(number, sizes, run.scales))
        .collect();
    let mut growth = vec![0.0; tangents.len()];
    let (mut samples, mut solution, mut before) = (Vec::new(), Vec::new(), state.clone());
    let origin = state.t;
    for k in 1..=run.steps {
        before.copy_from(state);
        method.attempt(state, run.h)?;
        state.t = origin + k as f64 * run.h;
        method.solution(&mut solution);
        method.linearise(&before, run.h, &solution)?;
        method.push_each(&mut tangents);
        if k % run.every == 0 || k == run.steps {
            orthonormal(&mut tangents, run.scales, &mut growth);
            // The first stretch turns any directions into such as constraints allow.
            if k <= run.every {
                growth.fill(0.0);
            }
            samples.push((state.t - origin, growth.clone()));
        }
    }
    let of = |i: usize| {
        let samples: Vec<(f64, f64)> = samples.iter().map(|(t, growth)| (*t, growth[i])).collect();
        Exponent::of(&samples)
    };
    let exponents = (0..growth.len()).map(of).collect();
    Ok(Spectrum { samples, exponents })
}

/// One tangent along a run: what the largest exponent grows by, without the rounding and the curvature that a copy beside
/// the run has.
pub struct Tangent {
    change: Change,
    scales: [f64; 2],
    log: Option<f64>,
    solution: Vec<f64>,
}

impl Tangent {
    /// In a direction as if at random; `scales` are what coordinates and momenta are measured in.
    pub fn new(system: &dyn System, state: &State, scales: [f64; 2]) -> Self {
        let (x, y) = system.canonical(&state.q, &state.q, &state.p);
        let scales = scales.map(|scale| if scale > 0.0 { scale } else { 1.0 });
        Self {
            change: start(0, [x.len(), y.len()], scales),
            scales,
            log: None,
            solution: Vec::new(),
        }
    }

    /// `ln |δ(t)|/|δ(0)|` after the step that the method has just taken from `before`; `None` where that is not a number. The
    /// first step turns any direction into one that constraints allow, and counts for nothing.
    pub fn growth(
        &mut self,
        method: &mut dyn Differentiable,
        before: &State,
        h: f64,
    ) -> Result<Option<f64>, Fault> {
        method.solution(&mut self.solution);
        method.linearise(before, h, &self.solution)?;
        method.push(&mut self.change);
        let size = inner(&self.change, &self.change, self.scales).sqrt();
        if !(size > 0.0 && size.is_finite()) {
            return Ok(None);
        }
        let Change { x, y, .. } = &mut self.change;
        x.iter_mut().chain(y).for_each(|z| *z /= size);
        self.log = Some(self.log.map_or(0.0, |log| log + math::ln(size)));
        Ok(self.log)
    }
}

/// A direction as if at random, of any length.
pub(super) fn start(number: usize, sizes: [usize; 2], scales: [f64; 2]) -> Change {
    let list = |kind: usize| -> Vec<f64> {
        (0..sizes[kind])
            .map(|k| scales[kind] * scattered((7 + 2 * number + kind) as u64, k).x)
            .collect()
    };
    Change {
        x: list(0),
        y: list(1),
        ..Change::default()
    }
}

/// `a·b` in units of the scales.
pub(super) fn inner(a: &Change, b: &Change, [of_x, of_y]: [f64; 2]) -> f64 {
    let sum = |a: &[f64], b: &[f64], scale: f64| -> f64 {
        let each = a.iter().zip(b).map(|(a, b)| (a / scale) * (b / scale));
        each.sum()
    };
    sum(&a.x, &b.x, of_x) + sum(&a.y, &b.y, of_y)
}

/// Gram and Schmidt, each direction twice for the sake of rounding; adds the logarithms of what was left of each.
fn orthonormal(tangents: &mut [Change], scales: [f64; 2], growth: &mut [f64]) {
    for i in 0..tangents.len() {
        let (done, rest) = tangents.split_at_mut(i);
        let own = &mut rest[0];
        let mut length = 1.0;
        for _ in 0..2 {
            for other in &*done {
                let along = inner(own, other, scales);
                let less = |own: &mut [f64], other: &[f64]| {
                    let each = own.iter_mut().zip(other);
                    each.for_each(|(own, other)| *own -= along * other);
                };
                less(&mut own.x, &other.x);
                less(&mut own.y, &other.y);
            }
            let size = inner(own, own, scales).sqrt();
            length *= size;
            let each = own.x.iter_mut().chain(&mut own.y);
            each.for_each(|z| *z /= size);
        }
        growth[i] += math::ln(length);
    }
}
