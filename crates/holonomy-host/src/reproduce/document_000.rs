//! Document 000: the discrete Hamel integrator for the spherical pendulum, and what it is compared with.
use super::{Document, Finding, Item, Published, Study};
use crate::figures;
use std::sync::atomic::AtomicBool;

pub(super) const ITEMS: &[Item] = &[Item {
    name: "000-fig-1",
    document: Document::Hamel,
    title: "Fig. 1: path, length and energy with Hamel's integrator",
    claim: "with h = 0.2 s the length is kept to 1e-10 over 10 000 steps, which the text calls round-off; the energy likewise.",
    compute: hamel,
}];

fn hamel(stop: &AtomicBool) -> Result<Finding, String> {
    let study = Study::scenario("hamel-pendulum")?;
    let outcome = study.run(stop)?;
    let summary = &outcome.summary;
    let mut finding = Finding {
        parameters: "m = 1 kg, r = 9.8 m, g = 9.8 m/s², h = 0.2 s, Ω₀ = (0.6, 0), Γ₀ = (0.3, 0.2, −√0.87); 10 000 steps. \
                     Energies are divided by m r² = 96.04 kg m²."
            .to_owned(),
        remark: "A step solved to the end keeps both to rounding. An iteration that stops near 1e-12 gives the printed \
                 1e-10: it is the solver, not rounding."
            .to_owned(),
        command: study.command(),
        ..Finding::default()
    };
    let length = summary
        .manifold
        .as_ref()
        .map_or(f64::NAN, |manifold| manifold.max_error);
    let energy = summary.energy.max_abs_error / 96.04;
    finding
        .compare("largest | |Γ| − 1 |", Published::AtMost(1e-10), 0.5 * length, "")
        .compare(
            "largest energy error / (m r²)",
            Published::AtMost(1e-10),
            energy,
            "s⁻²",
        );
    let model = study.model()?;
    let system = model.mechanism.system();
    finding.figure(
        figures::trajectory("", system.layout(), summary, &outcome.series.paths),
        "Fig. 1a: the path of the bob.",
    );
    finding.figure(
        figures::energy("", summary, &outcome.series),
        "Figs. 1b and 1c: errors of energy and length.",
    );
    Ok(finding)
}
