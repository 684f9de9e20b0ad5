//! Advice that was tried: what other methods do on this model with the same step, over the time of the second look.
use super::review::{Kept, Reference, stepped};
use crate::verdict::{Quantity, Trial};
use holonomy::{integrator::catalog, system::Measurement};
use holonomy_model::Model;
use std::collections::BTreeSet;

/// What was tried and was better.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tried(pub(super) Vec<Trial>);

/// Better means at least so much.
const BETTER: f64 = 2.0;
/// Fewer states of a path that is known say nothing.
const FEWEST: usize = 10;

impl Tried {
    pub(super) fn new(
        model: &Model,
        reference: &Reference,
        conserved: bool,
        go_on: &dyn Fn() -> bool,
    ) -> Self {
        let mut better = Vec::new();
        if reference.known < FEWEST {
            return Self(better);
        }
        if let Some(trial) = half(reference, conserved, model.method.adaptive) {
            better.push(trial);
        }
        let mut best: Option<Trial> = None;
        for name in candidates(model) {
            let Some(trial) = method(model, reference, name, conserved, go_on) else {
                continue;
            };
            if !best.as_ref().is_some_and(|best| best.share.1 <= trial.share.1) {
                best = Some(trial);
            }
        }
        better.extend(best);
        Self(better)
    }
}

/// Methods that are worth a try: the geometric one to begin with, its fourth order, and a conventional one.
fn candidates(model: &Model) -> BTreeSet<&'static str> {
    let first = catalog::of_choice(&model.mechanism);
    let raised = format!("{first}-4");
    let known = catalog::METHODS.iter().map(|method| method.name);
    known
        .filter(|name| *name == first || *name == raised || *name == "rk4")
        .filter(|name| *name != model.method.name)
        .collect()
}

/// The same method with half the step, which has been run.
fn half(reference: &Reference, conserved: bool, adaptive: bool) -> Option<Trial> {
    if adaptive {
        return None;
    }
    let share = off(reference, &reference.run)?;
    let trial = Trial {
        method: None,
        covered: covered(reference)?,
        energy: energies(reference, &reference.companion, conserved),
        // What Richardson's rule leaves of it.
        share: (share * reference.richardson, share * (reference.richardson - 1.0)),
    };
    is_better(&trial).then_some(trial)
}

/// A method, if it goes as far and is better; `None` also once `go_on` is false.
fn method(
    model: &Model,
    reference: &Reference,
    name: &str,
    conserved: bool,
    go_on: &dyn Fn() -> bool,
) -> Option<Trial> {
    let mut method = catalog::find(name).ok()?.build(&model.mechanism).ok()?;
    let system = model.mechanism.system();
    let mut state = model.state.clone();
    state.carry.clear();
    let (mut measured, mut scratch) = (Measurement::default(), system.scratch());
    let mut kept = Vec::with_capacity(reference.known);
    let steps = (reference.known as u64 - 1) * reference.stride;
    for k in 0..=steps {
        if k % 64 == 0 && !go_on() {
            return None;
        }
        if k > 0 && !stepped(&mut *method, &mut state, model.state.t, k, model.schedule.step) {
            return None;
        }
        if k % reference.stride == 0 {
            system.measure(&state, &mut measured, &mut scratch);
            kept.push(Kept {
                t: state.t,
                q: state.q.clone(),
                energy: measured.energy.total(),
            });
        }
    }
    let trial = Trial {
        method: Some(name.to_owned()),
        covered: covered(reference)?,
        energy: energies(reference, &kept, conserved),
        share: (
            off(reference, &reference.run)? * reference.richardson,
            off_from(reference, &kept, |k| reference.extrapolated(k))?,
        ),
    };
    is_better(&trial).then_some(trial)
}

/// Better in the path, and no worse in the energy.
fn is_better(trial: &Trial) -> bool {
    let (ours, other) = trial.share;
    let keeps = match &trial.energy {
        Some((ours, other)) => other.value <= ours.value,
        None => true,
    };
    keeps && BETTER * other <= ours
}

/// For how long two were compared.
fn covered(reference: &Reference) -> Option<Quantity> {
    let (first, last) = (reference.run.first()?, reference.run.get(reference.known - 1)?);
    Some(Quantity::new(last.t - first.t, "s"))
}

/// The largest distance from the companion, as a share of what moves.
fn off(reference: &Reference, kept: &[Kept]) -> Option<f64> {
    off_from(reference, kept, |k| reference.companion[k].q.clone())
}

/// The largest distance from where the motion should be, as a share of what moves.
fn off_from(reference: &Reference, kept: &[Kept], exact: impl Fn(usize) -> Vec<f64>) -> Option<f64> {
    let mut distances = Vec::new();
    let mut worst = 0.0_f64;
    // Places are found without changing what was seen of the parts.
    let mut parts = reference.parts.again();
    let known = reference.known.min(reference.companion.len());
    for (k, one) in kept.iter().enumerate().take(known) {
        parts.distances(one.t, &one.q, &exact(k), &mut distances);
        let shares = distances.iter().zip(&reference.scales);
        worst = shares
            .map(|(distance, scale)| distance / scale)
            .fold(worst, f64::max);
    }
    worst.is_finite().then_some(worst)
}

/// Largest |E − E₀| of the run and of another, over the same samples.
fn energies(reference: &Reference, kept: &[Kept], conserved: bool) -> Option<(Quantity, Quantity)> {
    let largest = |kept: &[Kept]| {
        let first = kept.first().map_or(0.0, |kept| kept.energy);
        let errors = kept
            .iter()
            .take(reference.known)
            .map(|kept| (kept.energy - first).abs());
        let most = errors.fold(0.0, f64::max);
        Quantity::new(most, "J")
    };
    conserved.then(|| (largest(&reference.run), largest(kept)))
}
