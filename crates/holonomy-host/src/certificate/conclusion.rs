//! The sum of a certificate in a sentence or two, for those who read nothing else.
use super::{WRONG, drifted, line, spot::Ahead};
use crate::{certificate::Line, figures::rough, page::Verdict, summary::Summary};
use holonomy::{
    integrator::catalog::{self, Kept},
    model::Model,
};

/// The worst that was found decides.
pub(super) fn conclusion(model: &Model, summary: &Summary, lines: &[Line], ahead: Ahead) -> Line {
    let (verdict, mut text) = judged(model, summary, lines);
    let lasted = summary.t_end - model.state.t;
    if let Ahead::Chaotic { here, at_best } = ahead
        && verdict != Verdict::Bad
        && lasted > here
    {
        let kept = match summary.driven {
            true => "Averages can be trusted; positions",
            false => "Energies, momenta and averages can be trusted; positions",
        };
        text += &format!(
            " The motion is chaotic. {kept} beyond about {} s are one motion among many that are possible",
            rough(here)
        );
        text += match lasted > at_best {
            true => ", whatever the method.",
            false => ".",
        };
    }
    if summary.stopped && summary.error.is_none() {
        text = format!(
            "The run was stopped at {} s. Until then: {text}",
            rough(summary.t_end)
        );
    }
    line("whole", "", text, verdict, "")
}

fn judged(model: &Model, summary: &Summary, lines: &[Line]) -> (Verdict, String) {
    let method = model.method.name;
    let better = catalog::of_choice(&model.mechanism);
    let named = |wanted: Verdict, promised: bool| -> Vec<&str> {
        let those = lines
            .iter()
            .filter(|line| line.verdict == wanted && line.is_promised() == promised);
        those.map(|line| line.subject.as_str()).collect()
    };
    let energy = &summary.energy;
    let lasted = rough(summary.t_end - model.state.t);
    if let Some(error) = &summary.error {
        let text = format!("This run failed {error}. What it recorded until then is below.");
        return (Verdict::Bad, text);
    }
    let conserved = !summary.driven
        && lines
            .iter()
            .any(|line| line.subject == "energy" && line.verdict == Verdict::Bad);
    if conserved && !(energy.max_abs_error < WRONG * energy.in_motion) {
        let text = format!(
            "Do not trust this run: the energy is off by {} J, and no more than {} J are in motion. Take a smaller step.",
            rough(energy.max_abs_error),
            rough(energy.in_motion)
        );
        return (Verdict::Bad, text);
    }
    let broken = named(Verdict::Bad, true);
    if !broken.is_empty() {
        let text = format!(
            "Do not trust this run: `{method}` promises to keep {}, and did not. Take a smaller step; if that does not \
             help, the model or the program is at fault.",
            listed(&broken)
        );
        return (Verdict::Bad, text);
    }
    let lost = named(Verdict::Bad, false);
    if let (Some(total), true) = (drifted(model, summary), lost.contains(&"energy")) {
        let text = format!(
            "Do not trust this run: the energy drifts by {} J in {lasted} s, {} of what is in motion. `{method}` does \
             not promise to keep it; take a smaller step, or `--method {better}`.",
            rough(total),
            rough(total / energy.in_motion)
        );
        return (Verdict::Bad, text);
    }
    if !lost.is_empty() {
        let text = format!(
            "Do not trust this run: {} changed by more than a hundredth of what there is. `{method}` does not promise to \
             keep it; take a smaller step, or `--method {better}`.",
            listed(&lost)
        );
        return (Verdict::Bad, text);
    }
    let coarse = named(Verdict::Doubtful, true);
    if !coarse.is_empty() {
        let text = format!(
            "Take this run with care: it is stable, but its step is coarse; look at {}. Half the step tells how much it \
             matters.",
            listed(&coarse)
        );
        return (Verdict::Doubtful, text);
    }
    let slowly = named(Verdict::Doubtful, false);
    if !slowly.is_empty() {
        let text = format!(
            "Take this run with care: over its {lasted} s the errors are too small to be seen in a figure, but `{method}` \
             does not promise to keep {}. For longer runs take `--method {better}`.",
            listed(&slowly)
        );
        return (Verdict::Doubtful, text);
    }
    let kept = named(Verdict::Good, true);
    if is_conventional(model) && !summary.driven {
        let text = format!(
            "Trust this run for its {lasted} s: all errors stayed below a millionth. `{method}` promises nothing for \
             longer ones; for these take `--method {better}`."
        );
        return (Verdict::Good, text);
    }
    if kept.is_empty() {
        let text = format!("`{method}` promises nothing that could be checked in this run.");
        return (Verdict::Neutral, text);
    }
    let mut text = format!(
        "Trust this run: `{method}` kept what it promises ({})",
        listed(&kept)
    );
    let besides = named(Verdict::Good, false);
    match besides.is_empty() {
        true => text.push('.'),
        false => text += &format!(", and {} without a promise.", listed(&besides)),
    }
    if summary.driven {
        text += " Forces act, or something depends on time, so that the energy cannot tell whether it is right: half the step does.";
    }
    (Verdict::Good, text)
}

/// Whether a method keeps nothing but its order.
fn is_conventional(model: &Model) -> bool {
    let method = model.method;
    !(method.symplectic || method.bounded_energy || method.symmetric) && method.momentum == Kept::No
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
