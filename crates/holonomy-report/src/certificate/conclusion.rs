//! What a certificate comes to, for those who read nothing else.
use crate::{
    summary::Summary,
    verdict::{
        Conclusion, DriftKind, Evidence, Grounds, Judgement, Promise, Quantity, Reason, Subject, Verdict,
    },
};
use holonomy::integrator::catalog::Guarantee;
use holonomy_model::Model;

/// The worst that was found decides.
pub(super) fn conclusion(
    model: &Model,
    summary: &Summary,
    lines: &[Judgement],
    path: Judgement,
    outlook: Judgement,
) -> Conclusion {
    let of_structure: Vec<&Judgement> = lines
        .iter()
        .filter(|line| {
            !matches!(
                line.subject,
                Subject::Path | Subject::Predictability | Subject::Kinks
            )
        })
        .collect();
    let (structure, grounds) = judged(model, summary, &of_structure);
    Conclusion {
        verdict: worse(structure, path.verdict),
        method: model.method.name.to_owned(),
        lasted: Quantity::new(summary.t_end - model.state.t, "s"),
        stopped: (summary.stopped && summary.error.is_none()).then(|| Quantity::new(summary.t_end, "s")),
        structure,
        grounds,
        path,
        outlook,
        better: Vec::new(),
    }
}

/// The worse of two verdicts; what could not be measured does not count.
fn worse(one: Verdict, other: Verdict) -> Verdict {
    let rank = |verdict: &Verdict| match verdict {
        Verdict::Neutral => 0,
        Verdict::Good => 1,
        Verdict::Doubtful => 2,
        Verdict::Bad => 3,
    };
    std::cmp::max_by_key(one, other, rank)
}

fn judged(model: &Model, summary: &Summary, lines: &[&Judgement]) -> (Verdict, Grounds) {
    let those = |verdict: Verdict, promised: bool| -> Vec<Subject> {
        let those = lines
            .iter()
            .filter(|line| line.verdict == verdict && (line.promise == Promise::Given) == promised);
        those.map(|line| line.subject.clone()).collect()
    };
    if let Some(message) = &summary.error {
        let message = message.clone();
        return (Verdict::Bad, Grounds::Failed { message });
    }
    let energy = lines.iter().find(|line| line.subject == Subject::Energy);
    let energy = energy.filter(|line| line.verdict == Verdict::Bad);
    if energy.is_some_and(|line| line.reason == Reason::Wrong) {
        let grounds = Grounds::WrongEnergy {
            error: Quantity::new(summary.energy.max_abs_error, "J"),
            in_motion: Quantity::new(summary.energy.in_motion, "J"),
        };
        return (Verdict::Bad, grounds);
    }
    if let Some(Evidence::Balance {
        largest, throughput, ..
    }) = energy.map(|line| &line.evidence)
    {
        let (error, throughput) = (largest.clone(), throughput.clone());
        return (Verdict::Bad, Grounds::Unbalanced { error, throughput });
    }
    let broken = those(Verdict::Bad, true);
    if !broken.is_empty() {
        return (Verdict::Bad, Grounds::BrokenPromises { subjects: broken });
    }
    if let Some(Evidence::EnergyError {
        drift: Some(drift), ..
    }) = energy.map(|line| &line.evidence)
        && drift.kind == DriftKind::Real
    {
        let grounds = Grounds::Drift {
            share: Quantity::pure(drift.total.value / summary.energy.in_motion),
            total: drift.total.clone(),
        };
        return (Verdict::Bad, grounds);
    }
    let lost = those(Verdict::Bad, false);
    if !lost.is_empty() {
        return (Verdict::Bad, Grounds::Lost { subjects: lost });
    }
    let coarse = those(Verdict::Doubtful, true);
    if !coarse.is_empty() {
        return (Verdict::Doubtful, Grounds::Coarse { subjects: coarse });
    }
    let slow = those(Verdict::Doubtful, false);
    if !slow.is_empty() {
        return (Verdict::Doubtful, Grounds::Slow { subjects: slow });
    }
    if is_conventional(model) && !summary.driven {
        return (Verdict::Good, Grounds::SmallErrors);
    }
    let promised = those(Verdict::Good, true);
    if promised.is_empty() {
        return (Verdict::Neutral, Grounds::NothingToCheck);
    }
    let besides = those(Verdict::Good, false);
    (Verdict::Good, Grounds::Held { promised, besides })
}

/// Whether a method promises nothing but its order.
fn is_conventional(model: &Model) -> bool {
    let method = model.promises();
    !(method.symplectic || method.bounded_energy || method.symmetric) && method.momentum == Guarantee::No
}
