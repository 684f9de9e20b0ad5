//! The page of periodic orbits: the branch, the orbit moving, multipliers.
use super::{Along, Free, Orbit, Orbits};
use crate::{
    figure::{Axis, Chart, Curve, CurveStyle, Grid, Panels},
    film::{Clip, film},
    linearize::{circled, derivatives, symplectic},
    number::{decimal, rough},
    page::{Cell, Page},
    verdict::Verdict,
};
use holonomy::{
    derivative::Flow,
    simulation::Sample,
    system::{Measurement, State},
};
use holonomy_model::Model;

/// Orbits of a branch that move on the page, and frames of each.
const MOVING: usize = 4;
const FRAMES: u64 = 120;
/// Multipliers that are written out.
const MOST: usize = 24;

impl Orbits {
    /// What was found, in a sentence.
    pub fn conclusion(&self) -> (Verdict, String) {
        let Some(last) = self.orbits.last() else {
            return (Verdict::Bad, "No orbit was found.".to_owned());
        };
        if self.varied.is_empty() {
            let mut text = format!(
                "An orbit of period {} s that closes to {}; {}.",
                decimal(last.period),
                rough(last.residual),
                stability(last)
            );
            let verdict = match (&last.free, last.stable) {
                (Some(free), _) => {
                    text += &format!(" {}", freedom(free));
                    Verdict::Neutral
                }
                (None, true) => Verdict::Good,
                (None, false) => Verdict::Doubtful,
            };
            return (verdict, text);
        }
        let folds = self.events.iter().filter(|event| event.what == "fold").count();
        let stable = self.orbits.iter().filter(|orbit| orbit.stable).count();
        let mut text = match last.free {
            Some(_) => format!("{} orbits, {folds} folds.", self.orbits.len()),
            None => format!(
                "{} orbits, {stable} of them stable, {folds} folds.",
                self.orbits.len()
            ),
        };
        if let Some(free) = &last.free {
            text += &format!(" {}", freedom(free));
        }
        if self.stopped {
            text += " Stopped before the end of the branch.";
        }
        if !self.ended.is_empty() {
            text += &format!(" The branch ends early: {}.", self.ended);
        }
        let good = self.ended.is_empty() && !self.stopped;
        (if good { Verdict::Good } else { Verdict::Doubtful }, text)
    }

    /// Period, extent and the largest multiplier along a branch.
    pub fn figure(&self, title: &str) -> String {
        let label = match self.varied.as_str() {
            "energy" => "energy (J)".to_owned(),
            key => key.to_owned(),
        };
        let chart = |name: &str, of: fn(&Orbit) -> f64| {
            let points = |stable: bool| {
                let each = self.orbits.iter().map(|orbit| {
                    let value = if orbit.stable == stable {
                        of(orbit)
                    } else {
                        f64::NAN
                    };
                    (orbit.parameter.unwrap_or_default(), value)
                });
                each.collect::<Vec<_>>()
            };
            let curve = |name: &str, stable: bool, style: CurveStyle| Curve {
                name: name.to_owned(),
                points: points(stable),
                style,
            };
            let mut series = vec![Curve {
                name: "branch".to_owned(),
                points: (self.orbits.iter())
                    .map(|orbit| (orbit.parameter.unwrap_or_default(), of(orbit)))
                    .collect(),
                style: CurveStyle::Line,
            }];
            if self.orbits.iter().any(|orbit| orbit.stable) {
                series.push(curve("stable", true, CurveStyle::Points));
            }
            if self.orbits.iter().any(|orbit| !orbit.stable) {
                series.push(curve("unstable", false, CurveStyle::Points));
            }
            Chart {
                title: String::new(),
                x: Axis::linear(label.clone()),
                y: Axis::linear(name),
                series,
                guides: Vec::new(),
            }
        };
        Panels {
            title: title.to_owned(),
            subtitle: None,
            caption: None,
            charts: vec![
                chart("period (s)", |orbit| orbit.period),
                chart("extent (of coordinates)", |orbit| orbit.extent),
                chart("largest |μ|", |orbit| orbit.largest),
            ],
        }
        .render()
    }

    /// The page; `command` made it.
    pub fn page(&self, model: &Model, along: Option<&Along>, title: &str, command: &str) -> String {
        let mut page = Page::new(title, &format!("{}, periodic orbits", self.method));
        page.section("orbits", "Which motions repeat?");
        let (verdict, text) = self.conclusion();
        page.conclusion(verdict, &text);
        let clips: Vec<Clip> = (self.chosen().into_iter())
            .filter_map(|orbit| self.clip(model, along, orbit))
            .collect();
        let figure = (self.orbits.len() > 1).then(|| self.figure(""));
        if let Some(film) = film(&clips) {
            let still = figure.as_ref().map(|figure| ("branch", figure.as_str()));
            page.player(
                &film,
                still,
                "Each once around; of a branch the first, the last and some between.",
            );
        }
        if let Some(figure) = &figure {
            page.named_figure(
                "branch",
                figure,
                "Along the branch: the period, how far the orbit goes from its start, and the largest multiplier of a period.",
            );
        }
        let rows: Vec<Vec<Cell>> = self.orbits.iter().map(row).collect();
        page.table(
            &[
                if self.varied.is_empty() { "" } else { &self.varied },
                "period (s)",
                "energy (J)",
                "largest |μ|",
                "closes to",
                "corrections",
                "",
            ],
            &rows,
        );
        for event in &self.events {
            page.paragraph(&format!(
                "{} at {} = {}, after orbit {}.",
                event.what,
                self.varied,
                rough(event.parameter),
                event.after + 1
            ));
        }
        if let Some(last) = self.orbits.last() {
            page.heading("Floquet multipliers of the last orbit");
            let points = last.multipliers.iter().map(|found| (found.re, found.im));
            let figure = Grid {
                title: String::new(),
                subtitle: None,
                caption: None,
                charts: vec![circled("Floquet multipliers", points.collect())],
                equal: true,
            };
            page.named_figure(
                "multipliers",
                &figure.render(),
                "Multipliers of a period, and the unit circle.",
            );
            let rows: Vec<Vec<Cell>> = (last.multipliers.iter().take(MOST))
                .map(|found| {
                    vec![
                        Cell::number(format!("{:.10}", found.re).replace('-', "−")),
                        Cell::number(format!("{:.10}", found.im).replace('-', "−")),
                        Cell::number(format!("{:.10}", found.modulus)),
                        Cell::number(rough(found.error)),
                    ]
                })
                .collect();
            page.table(&["Re μ", "Im μ", "|μ|", "±"], &rows);
            page.paragraph(&format!(
                "{}{}",
                derivatives(self.exact),
                symplectic(last.symplectic_defect)
            ));
        }
        page.section("command", "The command");
        page.code(command);
        page.finish()
    }

    /// The orbits that are shown: the first, the last, and some between.
    fn chosen(&self) -> Vec<&Orbit> {
        let last = self.orbits.len().saturating_sub(1);
        let mut places: Vec<usize> = (0..MOVING).map(|k| k * last / (MOVING - 1)).collect();
        places.dedup();
        places
            .into_iter()
            .filter_map(|place| self.orbits.get(place))
            .collect()
    }

    fn clip(&self, model: &Model, along: Option<&Along>, orbit: &Orbit) -> Option<Clip> {
        let model = self.model(model, along, orbit).ok()?;
        let mut flow = Flow::new(
            model.mechanism.clone(),
            model.integrator(),
            orbit.period / orbit.steps as f64,
        );
        let name = match orbit.parameter {
            Some(value) => format!("{} = {}", self.varied, rough(value)),
            None => format!("T = {} s", rough(orbit.period)),
        };
        let mut clip = Clip::new(&name);
        let every = (orbit.steps / FRAMES).max(1);
        let mut state: State = orbit.state.clone();
        for step in 0..=orbit.steps {
            if step % every == 0 || step == orbit.steps {
                let mut measured = Measurement::default();
                let system = &*flow.system;
                system.measure(&state, &mut measured, &mut system.scratch());
                clip.push(&Sample {
                    step,
                    system,
                    state: &state,
                    measured: &measured,
                });
            }
            let t = orbit.state.t + (step + 1) as f64 * flow.h;
            state = flow.step(&state).ok()?;
            state.t = t;
        }
        Some(clip)
    }
}

/// Whether neighbours stay near, in words.
pub fn stability(orbit: &Orbit) -> String {
    if orbit.free.is_some() {
        return "its stability is not judged, as the error of the method moves multipliers of one".to_owned();
    }
    match orbit.stable {
        true => "stable: no multiplier is outside the unit circle".to_owned(),
        false => format!(
            "unstable: neighbours part by {} in a period",
            rough(orbit.largest)
        ),
    }
}

/// That an orbit closes up to the error of the method, as those beside it, in words.
fn freedom(free: &Free) -> String {
    let changes = match &free.changes[..] {
        [] => String::new(),
        [one] => format!(", along which {one} changes"),
        names => format!(", along which {} change", names.join(", ")),
    };
    format!(
        "What is left open is the error of the method, {} with half the step: its neighbours close as well, in {} beside its \
         own{changes}, and the one nearest to the start was taken.",
        rough(free.finer),
        match free.directions {
            1 => "one direction".to_owned(),
            count => format!("{count} directions"),
        },
    )
}

fn row(orbit: &Orbit) -> Vec<Cell> {
    let verdict = match (&orbit.free, orbit.stable) {
        (Some(_), _) => Cell::Verdict(Verdict::Neutral, "one of many".to_owned()),
        (None, true) => Cell::Verdict(Verdict::Good, "stable".to_owned()),
        (None, false) => Cell::Verdict(Verdict::Doubtful, "unstable".to_owned()),
    };
    vec![
        Cell::number(orbit.parameter.map_or_else(String::new, rough)),
        Cell::number(format!("{:.10}", orbit.period)),
        Cell::number(rough(orbit.energy)),
        Cell::number(format!("{:.6}", orbit.largest)),
        Cell::number(rough(orbit.residual)),
        Cell::number(orbit.iterations.to_string()),
        verdict,
    ]
}
