//! Verdicts on the energy.
use super::{
    Further, ROUNDING, SEEN, UNSEEN, by_size,
    further::{MORE, WORTH},
    promise, reported,
    review::{LOST, largest},
};
use crate::{
    summary::{EnergySummary, Summary},
    verdict::{Drift, DriftKind, Evidence, Judgement, Quantity, Reason, SourceWork, Subject, Verdict},
};
use holonomy::system::State;
use holonomy_model::Model;

/// An energy error of this part of what is in motion is another motion.
const WRONG: f64 = 0.5;
/// Slopes that are farther from zero than so many standard errors are drifts: one chance in 16 000.
const SIGNIFICANT: f64 = 4.0;
/// A drift carries the error away, and makes up at least this part of it. Less is the slope of a bounded error whose
/// slow swings the run is too short to average.
const CARRIED: f64 = 0.5;
/// A total energy is rounded to some units in its last place, however little is in motion.
const LAST_PLACES: f64 = 64.0 * f64::EPSILON;

/// What the slope of a line through an energy error is, in a run that lasted so many seconds; `bounded` is what the
/// method promises, `further` what more steps showed. `None` if there is no slope.
pub fn judge_drift(energy: &EnergySummary, lasted: f64, bounded: bool, further: Further) -> Option<Drift> {
    let (slope, error) = (energy.drift_per_second?, energy.drift_standard_error?);
    let total = (slope * lasted).abs();
    let explained = further
        .modified
        .is_some_and(|change| change.abs() <= CARRIED * total);
    // A drift goes on to grow as the time does.
    let grown = (1.0 + CARRIED * MORE as f64) * energy.max_abs_error;
    let returns = further.largest.is_some_and(|largest| largest <= grown);
    let worth = slope.abs() > WORTH * error;
    let kind = if bounded && worth && explained && total > ROUNDING * energy.in_motion {
        DriftKind::Term
    } else if !(slope.abs() > SIGNIFICANT * error) {
        DriftKind::Zero
    } else if !(total > ROUNDING * energy.in_motion) {
        DriftKind::Rounding
    } else if bounded && !(total > CARRIED * energy.max_abs_error) {
        DriftKind::Swing
    } else if bounded && returns {
        DriftKind::Returns
    } else {
        DriftKind::Real
    };
    Some(Drift {
        slope: Quantity::new(slope, "J/s"),
        standard_error: Quantity::new(error, "J/s"),
        total: Quantity::new(total, "J"),
        modified: further.modified.map(|change| Quantity::new(change.abs(), "J")),
        longer: further.largest.map(|largest| Quantity::new(largest, "J")),
        kind,
    })
}

/// An energy that the motion itself changes, by the work of what changes it. Every method errs there by a part of what
/// flows through, of its order: the size of that part is what is judged. Runs of an earlier version measured no work.
pub(super) fn changing(model: &Model, summary: &Summary) -> Judgement {
    let energy = &summary.energy;
    let Some(balance) = &summary.balance else {
        return unmeasured(energy);
    };
    let scale = balance.throughput.max(energy.in_motion);
    let rounding = LAST_PLACES * energy.initial.abs() + ROUNDING * scale;
    let moves = scale > rounding;
    let share = balance.max_abs_error / scale;
    let there = energy.in_motion.max(energy.max_abs_error);
    let imbalance = EnergySummary {
        mean_abs_error: balance.mean_abs_error,
        max_abs_error: balance.max_abs_error,
        in_motion: scale,
        drift_per_second: balance.drift_per_second,
        drift_standard_error: balance.drift_standard_error,
        ..energy.clone()
    };
    let (verdict, reason) = match share {
        _ if balance.max_abs_error <= rounding => (Verdict::Good, Reason::BalancedToRounding),
        // What runs away, or is pushed to and fro, has a large throughput of its own making: it must not excuse more than
        // there is.
        share if share <= SEEN && balance.max_abs_error < WRONG * there => (Verdict::Good, Reason::Balanced),
        share if share < WRONG && balance.max_abs_error < WRONG * there => {
            (Verdict::Doubtful, Reason::BalancedRoughly)
        }
        share if share <= SEEN => (Verdict::Doubtful, Reason::BalancedRoughly),
        // What is not a number is here, too.
        _ => (Verdict::Bad, Reason::Unbalanced),
    };
    let each = balance.sources.iter();
    let evidence = Evidence::Balance {
        initial: Quantity::new(energy.initial, "J"),
        last: Quantity::new(energy.last, "J"),
        sources: each
            .map(|source| SourceWork {
                name: source.name.clone(),
                work: Quantity::new(source.value, "J"),
            })
            .collect(),
        largest: Quantity::new(balance.max_abs_error, "J"),
        throughput: Quantity::new(balance.throughput, "J"),
        in_motion: Quantity::new(energy.in_motion, "J"),
        share: moves.then_some(share),
        drift: judge_drift(
            &imbalance,
            summary.t_end - model.state.t,
            false,
            Further::default(),
        ),
    };
    Judgement {
        promise: promise(false),
        verdict,
        reason,
        ..reported(Subject::Energy, evidence)
    }
}

/// An energy that the motion itself changes, by what is not known.
fn unmeasured(energy: &EnergySummary) -> Judgement {
    let evidence = Evidence::EnergyChange {
        initial: Quantity::new(energy.initial, "J"),
        last: Quantity::new(energy.last, "J"),
    };
    Judgement {
        promise: promise(false),
        reason: Reason::ChangesRightly,
        ..reported(Subject::Energy, evidence)
    }
}

/// Energies up to this are rounding, in a run of a conserved energy.
fn rounding(energy: &EnergySummary) -> f64 {
    LAST_PLACES * energy.initial.abs() + ROUNDING * energy.in_motion
}

/// Whether nothing moves, and nothing acts.
pub(super) fn is_at_rest(model: &Model, summary: &Summary) -> bool {
    let energy = &summary.energy;
    let rests = |rounding: f64| energy.in_motion <= rounding && energy.max_abs_error <= rounding;
    let alike = !(energy.max_abs_error < WRONG * energy.in_motion);
    !summary.driven && (rests(rounding(energy)) || alike && rests(LAST_PLACES * in_a_step(model)))
}

/// The kinetic energy that the forces of the start would give in one step, J, if nothing held against them. What holds
/// does so to rounding of the momenta and of the way of that step, and the energy is rounded by that part of this.
fn in_a_step(model: &Model) -> f64 {
    model
        .mechanism
        .system()
        .energy(&pushed(model, &model.state))
        .kinetic
}

/// How far the largest coordinate would go in that step.
pub(super) fn way_of_a_step(model: &Model) -> f64 {
    let system = model.mechanism.system();
    let State { t, q, p, .. } = &pushed(model, &model.state);
    let mut v = vec![0.0; p.len()];
    system.velocity(*t, q, p, &mut v, &mut system.scratch());
    model.schedule.step * largest(&v)
}

/// The momentum that the forces of a state would give in one step, if nothing held against them.
pub(super) fn momentum_of_a_step(model: &Model, state: &State) -> f64 {
    largest(&pushed(model, state).p)
}

/// Momenta up to this are rounding: of what forces add up in a step, and of coordinates, which a step turns into velocities.
pub(super) fn rounded_momentum(model: &Model, state: &State, unit: f64) -> f64 {
    let system = model.mechanism.system();
    let mut p = vec![0.0; state.p.len()];
    let v = vec![unit / model.schedule.step; state.p.len()];
    system.momentum(state.t, &state.q, &v, &mut p, &mut system.scratch());
    LAST_PLACES * largest(&p).max(momentum_of_a_step(model, state))
}

/// A state with the momenta h ∂V/∂q. Their order of magnitude is enough: that of the largest stands for all, because q
/// and p do not correspond one by one where a rotation has four numbers.
fn pushed(model: &Model, state: &State) -> State {
    let system = model.mechanism.system();
    let State { t, q, p, .. } = state;
    let at_rest = |q: Vec<f64>| State::new(*t, q, vec![0.0; p.len()]);
    let here = system.energy(&at_rest(q.clone())).potential;
    let mut force = 0.0_f64;
    for k in 0..q.len() {
        let mut moved = q.clone();
        let by = 1e-6 * moved[k].abs().max(1.0);
        moved[k] += by;
        let there = system.energy(&at_rest(moved)).potential;
        force = force.max(((there - here) / by).abs());
    }
    State::new(*t, q.clone(), vec![model.schedule.step * force; p.len()])
}

/// An energy that should be conserved.
pub(super) fn conserved(
    model: &Model,
    summary: &Summary,
    further: Further,
    kinetic: Option<f64>,
) -> Judgement {
    let energy = &summary.energy;
    let bounded = model.promises().bounded_energy;
    let rounding = rounding(energy);
    let moves = energy.in_motion > rounding;
    let part = energy.max_abs_error / energy.in_motion;
    // One fast moment, as near the sun, must not excuse an error that lasts.
    let lasting = kinetic.is_some_and(|kinetic| energy.mean_abs_error > LOST * kinetic);
    let drift = judge_drift(energy, summary.t_end - model.state.t, bounded, further);
    let real = drift.as_ref().filter(|drift| drift.kind == DriftKind::Real);
    let (verdict, reason) = match (bounded, real) {
        _ if is_at_rest(model, summary) => (Verdict::Good, Reason::AtRest),
        _ if !(part < WRONG) => (Verdict::Bad, Reason::Wrong),
        (_, None) if energy.max_abs_error <= rounding => (Verdict::Good, Reason::ToRounding),
        (true, None) if part > SEEN || lasting => (Verdict::Doubtful, Reason::BoundedButLarge),
        (true, None) => match drift.as_ref().map(|drift| drift.kind) {
            Some(DriftKind::Swing) => (Verdict::Good, Reason::BoundedHere),
            Some(DriftKind::Term) => (Verdict::Good, Reason::FollowsTheMotion),
            _ => (Verdict::Good, Reason::Bounded),
        },
        (true, Some(drift)) if drift.total.value <= UNSEEN * energy.in_motion => {
            (Verdict::Neutral, Reason::Drifts)
        }
        (true, Some(_)) => (Verdict::Doubtful, Reason::Drifts),
        (false, None) => match by_size(part) {
            _ if lasting => (Verdict::Bad, Reason::Large),
            Verdict::Bad => (Verdict::Bad, Reason::Large),
            other => (other, Reason::NoDriftSeen),
        },
        (false, Some(drift)) => (
            by_size(part.max(drift.total.value / energy.in_motion)),
            Reason::Drifts,
        ),
    };
    Judgement {
        subject: Subject::Energy,
        promise: promise(bounded),
        evidence: Evidence::EnergyError {
            largest: Quantity::new(energy.max_abs_error, "J"),
            in_motion: Quantity::new(energy.in_motion, "J"),
            share: moves.then_some(part),
            drift,
        },
        verdict,
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One slope in each class, told apart by nothing but the numbers.
    #[test]
    fn a_slope_is_a_drift_where_it_is_told_from_zero_and_carries_the_error_away() {
        let with = |slope: f64, error: f64, largest: f64, bounded: bool, further: Further| {
            let energy = EnergySummary {
                initial: -3.0,
                last: -3.0,
                mean_abs_error: 0.5 * largest,
                max_abs_error: largest,
                in_motion: 10.0,
                drift_per_second: Some(slope),
                drift_standard_error: Some(error),
            };
            judge_drift(&energy, 100.0, bounded, further).map(|drift| drift.kind)
        };
        let kind = |slope, error, largest, bounded| with(slope, error, largest, bounded, Further::default());
        let modified = |change: f64| Further {
            modified: Some(change),
            largest: None,
        };
        let longer = |largest: f64| Further {
            modified: None,
            largest: Some(largest),
        };
        // 3.5 standard errors are one chance in two thousand: too many runs are made to call that a drift.
        assert_eq!(kind(3.5e-5, 1e-5, 1e-3, true), Some(DriftKind::Zero));
        assert_eq!(kind(5e-13, 1e-14, 1e-10, true), Some(DriftKind::Rounding));
        assert_eq!(kind(-4e-6, 1e-7, 1e-3, true), Some(DriftKind::Swing));
        assert_eq!(kind(-4e-6, 1e-7, 1e-3, false), Some(DriftKind::Real));
        assert_eq!(kind(-6e-6, 1e-7, 1e-3, true), Some(DriftKind::Real));
        // What is not told from zero has no cause, whatever else was measured.
        assert_eq!(
            with(1.18e-5, 0.56e-5, 1.7e-2, true, modified(0.0)),
            Some(DriftKind::Zero)
        );
        assert_eq!(
            with(1.8e-5, 0.56e-5, 1.7e-2, true, modified(0.0)),
            Some(DriftKind::Term)
        );
        // What the steps conserve has stayed, or has gone the same way.
        assert_eq!(
            with(-6e-6, 1e-7, 1e-3, true, modified(2e-4)),
            Some(DriftKind::Term)
        );
        assert_eq!(
            with(-6e-6, 1e-7, 1e-3, true, modified(-5e-4)),
            Some(DriftKind::Real)
        );
        assert_eq!(
            with(-6e-6, 1e-7, 1e-3, false, modified(0.0)),
            Some(DriftKind::Real)
        );
        // In five times the time a drift makes the error five times as large, and a swing returns.
        assert_eq!(
            with(-6e-6, 1e-7, 1e-3, true, longer(2.0e-3)),
            Some(DriftKind::Returns)
        );
        assert_eq!(
            with(-6e-6, 1e-7, 1e-3, true, longer(4.8e-3)),
            Some(DriftKind::Real)
        );
        // What is not a number is not a drift: the size of the error judges it.
        assert_eq!(kind(f64::NAN, f64::NAN, f64::NAN, false), Some(DriftKind::Zero));
    }
}
