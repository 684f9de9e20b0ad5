//! How far the path of a run is from the true one, and how far ahead any path can be known.
use super::{SEEN, beside::Growing, reported, review::LOST};
use crate::verdict::{Accuracy, Evidence, Growth, Judgement, Quantity, Reason, Subject, Unmeasured, Verdict};
use holonomy::math;

/// A path that is lost within so many steps was never found.
const AT_ONCE: f64 = 10.0;

/// What could not be measured, and why.
fn missing(subject: Subject, why: Unmeasured) -> Judgement {
    let evidence = Evidence::Missing { why };
    Judgement {
        reason: Reason::Unknown,
        ..reported(subject, evidence)
    }
}

/// The line on the path.
pub(super) fn path(found: Option<&Result<Accuracy, Unmeasured>>, step: f64) -> Judgement {
    let accuracy = match found {
        Some(Ok(accuracy)) => accuracy,
        Some(Err(why)) => return missing(Subject::Path, *why),
        None => return missing(Subject::Path, Unmeasured::NotAsked),
    };
    let (verdict, reason) = match &accuracy.lost_from {
        _ if accuracy.missed.is_some() => (Verdict::Bad, Reason::NotSeen),
        Some(lost) if lost.value <= AT_ONCE * step => (Verdict::Bad, Reason::LostAtOnce),
        Some(_) => (Verdict::Doubtful, Reason::LostLater),
        None if !(accuracy.largest.share <= SEEN) => (Verdict::Doubtful, Reason::Visible),
        None if accuracy.whole => (Verdict::Good, Reason::Close),
        None => (Verdict::Neutral, Reason::CloseSoFar),
    };
    Judgement {
        verdict,
        reason,
        ..reported(Subject::Path, Evidence::Path(Box::new(accuracy.clone())))
    }
}

/// The same of a run whose energy is wrong: a companion that comes to the same path has seen no more of the motion.
pub(super) fn path_beside_a_wrong_energy(path: Judgement) -> Judgement {
    match path.verdict {
        Verdict::Good | Verdict::Neutral if matches!(path.evidence, Evidence::Path(_)) => Judgement {
            verdict: Verdict::Bad,
            reason: Reason::NotSeen,
            ..path
        },
        _ => path,
    }
}

/// The line on how far ahead any path can be known, of a run that lasted so long, and whose second half goes so many times
/// as far as the first, or that rests: what leaves an equilibrium is no chaos. What is chaotic comes back; e^(λt) takes what
/// flies off from the first half e^(λt/2) times as far, of which half the exponent is asked, and ten times at least.
pub(super) fn predictability(
    found: Option<Result<Growing, Unmeasured>>,
    lasted: f64,
    whole: bool,
    flown: f64,
    rests: bool,
) -> Judgement {
    let Growing {
        exponent,
        covered,
        by,
    } = match found {
        Some(Ok(found)) => found,
        Some(Err(why)) => return missing(Subject::Predictability, why),
        None => return missing(Subject::Predictability, Unmeasured::NotAsked),
    };
    let chaotic = exponent.is_chaotic();
    // An error of one rounding grows until it is a tenth of what moves.
    let at_best = math::ln(LOST / f64::EPSILON) / exponent.value;
    let growth = Growth {
        exponent: Quantity::new(exponent.value, "1/s"),
        error: Quantity::new(exponent.error, "1/s"),
        by,
        covered: Quantity::new(covered, "s"),
        whole,
        known_at_best: (chaotic && !rests).then(|| Quantity::new(at_best, "s")),
    };
    let reason = match chaotic {
        true if rests => Reason::Unstable,
        true if math::ln(flown) > (0.25 * exponent.value * covered).max(math::ln(10.0)) => Reason::FliesOff,
        true if at_best < lasted => Reason::Chaotic,
        true => Reason::ChaoticLater,
        false if exponent.value < -2.0 * exponent.error => Reason::Contracting,
        false => Reason::Regular,
    };
    Judgement {
        reason,
        ..reported(Subject::Predictability, Evidence::Growth(growth))
    }
}
