//! The report of a run: player, certificate, figures, model, on one page.
//!
//! It is made of what a run leaves in its folder, so that `holonomy report DIR` makes the same page again.
use crate::{
    certificate::Certificate,
    number::{decimal, grouped},
    page::{Cell, Page},
    summary::Summary,
    verdict::{Evidence, Judgement, Subject},
    warning::Warning,
};
use holonomy_model::{self as model, Source};
use serde::Deserialize;

/// The page of a run, but for its figures.
#[derive(Clone, Debug, Deserialize)]
pub struct RunPage {
    scenario: String,
    method: String,
    step: f64,
    steps: u64,
    certificate: Certificate,
    #[serde(default)]
    warnings: Vec<Warning>,
    #[serde(skip)]
    title: String,
    /// The model as it was run, with the command in its first lines.
    #[serde(skip)]
    model: String,
}

/// Figures in the order of the page, the motion before what is lost of it: file, heading, caption.
pub const FIGURES: &[(&str, &str, &str)] = &[
    (
        "trajectory.svg",
        "Motion in space",
        "Paths of the bodies, stronger where they are nearer; an open circle marks the start, a filled one the end.",
    ),
    (
        "views.svg",
        "From the front, from the side, from above",
        "The same paths along the axes, with the mechanism as it is at the end.",
    ),
    (
        "configurations.svg",
        "At several times",
        "The mechanism at several times of the run, pale at the start and dark at the end.",
    ),
    (
        "attitude.svg",
        "Attitude",
        "Where an axis of the body points, against what holds it: of its three axes the one that moves least.",
    ),
    (
        "warmth.svg",
        "Kinetic energy over the sphere",
        "Local means of the kinetic energy at several times, dark where it is slow and light where it is fast, seen from \
         where most of it is at the start.",
    ),
    ("path.svg", "Path", "Two coordinates against each other."),
    ("coordinates.svg", "Coordinates", "Coordinates against time."),
    ("phase.svg", "Phase portraits", "Velocities against coordinates."),
    (
        "outputs.svg",
        "What was recorded",
        "What the model records by name, against time. Curves of long runs are thinned; their extremes stay.",
    ),
    (
        "energy.svg",
        "What should not change",
        "Energy error, and errors of what else is conserved, over the run. Curves of long runs are thinned; their extremes stay.",
    ),
    (
        "momentum.svg",
        "Momenta",
        "The change of each conserved momentum since the start; steps of 10⁻¹⁵ are the last digit.",
    ),
    (
        "constraint.svg",
        "Constraints",
        "The violation of the constraints, on a logarithmic axis, and their forces.",
    ),
];

/// Figures that stand for the motion where nothing moves, the best first.
const STILLS: &[&str] = &[
    "trajectory.svg",
    "attitude.svg",
    "path.svg",
    "coordinates.svg",
    "energy.svg",
];

/// The heading and the caption of the energy where the motion itself changes it.
const CHANGING: (&str, &str) = (
    "Energy",
    "The energy, which the work of what acts changes, and errors of what is conserved, over the run. Curves of long runs are \
     thinned; their extremes stay.",
);

impl RunPage {
    /// Whether the motion itself changes the energy.
    fn changes(&self) -> bool {
        let energy = self.certificate.line(&Subject::Energy);
        energy.is_some_and(|line| {
            matches!(
                line.evidence,
                Evidence::Balance { .. } | Evidence::EnergyChange { .. }
            )
        })
    }

    /// What is said of a run that has just ended.
    pub fn new(title: &str, summary: &Summary, model: &str) -> Self {
        Self {
            scenario: summary.scenario.clone(),
            method: summary.method.clone(),
            step: summary.step,
            steps: summary.steps,
            certificate: summary.certificate.clone(),
            warnings: summary.warnings.clone(),
            title: title.to_owned(),
            model: model.to_owned(),
        }
    }

    /// The page of a run that left its summary, as JSON text, and its model.
    pub fn again(summary: &str, model: String) -> Result<Self, serde_json::Error> {
        let mut page: Self = serde_json::from_str(summary)?;
        // A model that an older or newer program wrote need not load here; it is shown all the same.
        if let Ok(loaded) = model::load(&Source::new("model.toml", &model)) {
            page.title = loaded.title;
        }
        page.model = model;
        Ok(page)
    }

    /// The page, with the figures that there are, file and text of each, and the film of the run.
    pub fn html(&self, figures: &[(&str, String)], film: Option<&str>) -> String {
        let title = match self.title.as_str() {
            "" => &self.scenario,
            title => title,
        };
        let subtitle = format!(
            "{}, {} steps of {} s",
            self.method,
            grouped(self.steps),
            decimal(self.step)
        );
        let mut page = Page::new(title, &subtitle);
        let still = STILLS
            .iter()
            .find_map(|file| figures.iter().find(|(name, _)| name == file));
        if let (Some(film), Some((file, svg))) = (film, still) {
            page.section("motion", "How it moves");
            page.player(
                film,
                Some((file.trim_end_matches(".svg"), svg)),
                "The motion of the run, thinned and rounded for display; the samples themselves are in the trajectory.",
            );
        }
        page.section("certificate", "What can be said of this run?");
        for answer in self.certificate.conclusion.answers() {
            page.conclusion(answer.verdict, &answer.text);
        }
        for advice in self.certificate.conclusion.advice() {
            page.paragraph(&advice);
        }
        let rows: Vec<Vec<Cell>> = self.certificate.lines.iter().map(row).collect();
        page.table(&["what", "promised", "measured", "verdict"], &rows);
        for warning in &self.warnings {
            page.paragraph(&format!("Look at this: {}.", warning.describe()));
        }
        page.paragraph(
            "Promises are those of the method, see `holonomy methods`. Form, order and reversal were measured by a few more \
             steps from the start of the run. A symplectic form that is preserved is why the energy of a long run does not \
             drift; the order says by how much a smaller step is better; reversal, that the method has no direction of time, as \
             the motion has none. See the guide, “Reading a certificate”.",
        );
        page.paragraph(&self.certificate.watch.to_string());
        for (file, heading, caption) in FIGURES {
            if let Some((_, svg)) = figures.iter().find(|(name, _)| name == file) {
                let (heading, caption) = match *file == "energy.svg" && self.changes() {
                    true => CHANGING,
                    false => (*heading, *caption),
                };
                let name = file.trim_end_matches(".svg");
                page.section(name, heading);
                page.named_figure(name, svg, caption);
            }
        }
        page.section("model", "The model");
        let command = self.model.lines().take_while(|line| line.starts_with('#'));
        let command: Vec<&str> = command.map(|line| line.trim_start_matches(['#', ' '])).collect();
        page.paragraph(&command.join(" "));
        page.code(&self.model);
        page.finish()
    }
}

/// The page of a run that goes on: its film so far, and a script that asks for more of it.
pub fn live(title: &str, subtitle: &str, film: &str, script: &str) -> String {
    let mut page = Page::new(title, subtitle);
    page.section("motion", "How it moves");
    page.player(film, None, "The motion so far, thinned and rounded for display.");
    page.live(script);
    page.finish()
}

fn row(line: &Judgement) -> Vec<Cell> {
    vec![
        Cell::text(line.subject.to_string()),
        Cell::text(line.promised()),
        Cell::text(line.measured()),
        match line.word() {
            "" => Cell::text(""),
            word => Cell::Verdict(line.verdict, word.to_owned()),
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motion_comes_before_what_is_lost_of_it() {
        let place = |file: &str| {
            FIGURES
                .iter()
                .position(|(name, ..)| *name == file)
                .expect("a figure")
        };
        let errors = ["energy.svg", "momentum.svg", "constraint.svg"].map(place);
        let first = errors.into_iter().min().expect("three");
        assert_eq!(first + errors.len(), FIGURES.len(), "errors come last");
    }
}
