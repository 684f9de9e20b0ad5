//! The page of a linearised model: what it says of the state, poles, modes that move, matrices.
use super::{Linearization, Multiplier};
use crate::{
    figure::{Axis, Chart, Curve, CurveStyle, Grid},
    film::film,
    number::{decimal, rough},
    page::{Cell, Page},
    verdict::Verdict,
};
use holonomy_model::Model;

/// Numbers of a matrix that are written out.
const MOST_ENTRIES: usize = 20;

impl Linearization {
    /// What it says of the state, in a sentence.
    pub fn conclusion(&self) -> (Verdict, String) {
        let growing = self
            .poles
            .iter()
            .filter(|pole| pole.re > pole.error.max(super::REST));
        let fastest = growing.clone().map(|pole| pole.re).fold(0.0, f64::max);
        if !self.equilibrium {
            let nearest = match self.distance.is_finite() {
                true => format!(
                    "; the nearest that Newton's method sees is {} away",
                    rough(self.distance)
                ),
                false => String::new(),
            };
            return (
                Verdict::Neutral,
                format!(
                    "The state is no equilibrium{nearest}: the matrices are those of one step of a motion, and their poles say \
                     how neighbouring motions part here, not whether anything is stable."
                ),
            );
        }
        if self.timed {
            return (
                Verdict::Neutral,
                "Nothing moves yet, but the equations depend on time: poles are those of the equations frozen here, and say \
                 nothing of stability; `holonomy orbit` does."
                    .to_owned(),
            );
        }
        match growing.count() {
            0 => (
                Verdict::Good,
                "An equilibrium: no small motion grows as an exponential.".to_owned(),
            ),
            count => (
                Verdict::Doubtful,
                format!(
                    "An unstable equilibrium: {count} of {} small motions grow, the fastest by e in {} s.",
                    self.poles.len(),
                    rough(1.0 / fastest)
                ),
            ),
        }
    }

    /// Poles in the plane of s, and multipliers with the unit circle.
    pub fn figure(&self, title: &str) -> String {
        let poles = Chart {
            title: String::new(),
            x: Axis::linear("Re s (1/s)"),
            y: Axis::linear("Im s (rad/s)"),
            series: vec![Curve {
                name: "poles".to_owned(),
                points: self.poles.iter().map(|pole| (pole.re, pole.im)).collect(),
                style: CurveStyle::Points,
            }],
            guides: Vec::new(),
        };
        let multipliers = self.multipliers.iter().map(|found| (found.re, found.im));
        Grid {
            title: title.to_owned(),
            subtitle: None,
            caption: None,
            charts: vec![poles, circled("multipliers", multipliers.collect())],
            equal: true,
        }
        .render()
    }

    /// The page; `command` made it.
    pub fn page(&self, model: &Model, title: &str, command: &str) -> String {
        let subtitle = format!(
            "{}, step {} s, linearised at t = {} s",
            self.method,
            decimal(self.step),
            decimal(self.t)
        );
        let mut page = Page::new(title, &subtitle);
        page.section("poles", "What do small motions do?");
        let (verdict, text) = self.conclusion();
        page.conclusion(verdict, &text);
        let figure = self.figure("");
        if let Some(film) = film(&self.clips(model)) {
            page.player(
                &film,
                Some(("poles", &figure)),
                "The first modes, each as large as can be seen and with its period drawn out to three seconds.",
            );
        }
        page.named_figure(
            "poles",
            &figure,
            "Left: poles s of the equations of motion. Right: multipliers μ of one step.",
        );
        let rows: Vec<Vec<Cell>> = self.shown().map(|(k, pole)| self.row(k, pole)).collect();
        page.table(
            &[
                "mode",
                "Re s (1/s)",
                "Im s (rad/s)",
                "frequency (Hz)",
                "damping ratio",
                "± (1/s)",
                "moves most",
            ],
            &rows,
        );
        page.paragraph(&format!("{} {}", self.map(), equations(self.continuous_exact)));
        page.heading("Multipliers of the step");
        let rows: Vec<Vec<Cell>> = (self.multipliers.iter())
            .filter(|found| found.im >= 0.0)
            .map(|found| {
                vec![
                    Cell::number(format!("{:.12}", found.re).replace('-', "−")),
                    Cell::number(format!("{:.12}", found.im).replace('-', "−")),
                    Cell::number(excess(found)),
                    Cell::number(rough(found.error)),
                ]
            })
            .collect();
        page.table(&["Re μ", "Im μ", "|μ| − 1", "±"], &rows);
        page.paragraph(&format!(
            "{}{}",
            derivatives(self.exact),
            symplectic(self.symplectic_defect)
        ));
        if let Some(spectrum) = &self.lyapunov {
            page.section("lyapunov", "How fast do neighbouring motions part?");
            let each = spectrum.exponents.iter().zip(&spectrum.half).enumerate();
            let rows: Vec<Vec<Cell>> = each
                .map(|(k, (value, half))| {
                    vec![
                        Cell::number((k + 1).to_string()),
                        Cell::number(rough(*value)),
                        Cell::number(rough(*half)),
                    ]
                })
                .collect();
            page.table(&["exponent", "1/s", "over the first half"], &rows);
            page.paragraph(&format!(
                "Averaged over {} s; their sum is {} 1/s.",
                decimal(spectrum.duration),
                rough(spectrum.sum)
            ));
        }
        page.section("matrices", "Matrices in minimal coordinates");
        page.paragraph(&format!(
            "z: {}. Inputs: {}. Outputs: {}. Momenta are those of the coordinates that were chosen, with the constraints kept.",
            listed(&self.states),
            listed(&self.inputs),
            listed(&self.outputs)
        ));
        let unknown = self.unknown();
        if !unknown.is_empty() {
            page.paragraph(&format!(
                "D is not known of {}: such an input does nothing by itself in a run.",
                unknown.join(", ")
            ));
        }
        for (name, matrix) in self.named() {
            let entries = matrix.len() * matrix.first().map_or(0, Vec::len);
            if entries == 0 || matrix.len() > MOST_ENTRIES || entries > MOST_ENTRIES * MOST_ENTRIES {
                continue;
            }
            page.folded_code(
                &format!("{name}, {} × {}", matrix.len(), entries / matrix.len()),
                &super::csv(matrix),
            );
        }
        page.section("command", "The command");
        page.code(command);
        page.finish()
    }

    /// How multipliers and poles belong together.
    pub fn map(&self) -> &'static str {
        match (self.equilibrium, self.cayley) {
            (false, _) => "Poles are those of the equations of motion, frozen at this state.",
            (true, true) => {
                "Poles are those of the equations of motion. The multipliers of the step are their Cayley images, μ = (1 + hs/2)/(1 − hs/2)."
            }
            (true, false) => {
                "Poles are those of the equations of motion. The multipliers of the step are exp(hs) to the order of the method, and not their Cayley images."
            }
        }
    }

    /// The multiplier whose Cayley image a pole is, or the nearest.
    pub fn image(&self, pole: &super::Pole) -> Option<&Multiplier> {
        let apart =
            |found: &&Multiplier| holonomy::math::hypot(found.cayley_re - pole.re, found.cayley_im - pole.im);
        self.multipliers
            .iter()
            .min_by(|a, b| apart(a).total_cmp(&apart(b)))
    }

    /// The coordinate that a mode moves most.
    pub fn largest(&self, pole: &super::Pole) -> &str {
        let size = |z: &[f64; 2]| holonomy::math::hypot(z[0], z[1]);
        let place = (pole.shape.iter().enumerate())
            .max_by(|a, b| size(a.1).total_cmp(&size(b.1)))
            .map_or(0, |(place, _)| place);
        self.states.get(place).map_or("", String::as_str)
    }

    fn row(&self, number: usize, pole: &super::Pole) -> Vec<Cell> {
        let damping = match pole.damping.is_finite() {
            true => rough(pole.damping),
            false => "–".to_owned(),
        };
        vec![
            Cell::number((number + 1).to_string()),
            Cell::number(shown(pole.re, pole.error)),
            Cell::number(shown(pole.im, pole.error)),
            Cell::number(shown(pole.frequency, pole.error)),
            Cell::number(damping),
            Cell::number(rough(pole.error)),
            Cell::Code(self.largest(pole).to_owned()),
        ]
    }
}

/// Multipliers and the unit circle; a unit is to be as long upwards as sideways.
pub(crate) fn circled(name: &str, points: Vec<(f64, f64)>) -> Chart {
    let circle = (0..=180).map(|k| {
        let angle = f64::from(k) * std::f64::consts::TAU / 180.0;
        (holonomy::math::cos(angle), holonomy::math::sin(angle))
    });
    let curve = |name: &str, points: Vec<(f64, f64)>, style: CurveStyle| Curve {
        name: name.to_owned(),
        points,
        style,
    };
    Chart {
        title: String::new(),
        x: Axis::linear("Re μ"),
        y: Axis::linear("Im μ"),
        series: vec![
            curve(name, points, CurveStyle::Points),
            curve("unit circle", circle.collect(), CurveStyle::Strings),
        ],
        guides: Vec::new(),
    }
}

/// |μ| − 1 in words; zero where it is less than its error, or than rounding.
pub fn excess(found: &Multiplier) -> String {
    let over = found.modulus - 1.0;
    match over.abs() <= found.error.max(4.0 * f64::EPSILON) {
        true => "0".to_owned(),
        false => rough(over),
    }
}

/// How matrices were taken, in a sentence.
pub fn derivatives(exact: bool) -> &'static str {
    match exact {
        true => "Derivatives of the steps are exact.",
        false => "The method has no exact derivatives: they are taken by differences of order 6.",
    }
}

/// How the matrix of the equations of motion was taken, in a sentence.
pub fn equations(exact: bool) -> &'static str {
    match exact {
        true => "The matrix of the equations of motion is exact.",
        false => "The matrix of the equations of motion is taken by differences of order 6.",
    }
}

/// How symplectic a matrix is, in a sentence; nothing where forces do work.
pub fn symplectic(defect: Option<f64>) -> String {
    defect.map_or_else(String::new, |defect| {
        format!(" The matrix is symplectic to {}.", rough(defect))
    })
}

/// A number to ten digits; zero where it is less than its error.
pub fn shown(value: f64, error: f64) -> String {
    match value.abs() <= error {
        true => "0".to_owned(),
        false => {
            let rounded: f64 = format!("{value:.9e}").parse().unwrap_or(value);
            decimal(rounded).replace('-', "−")
        }
    }
}

fn listed(names: &[String]) -> String {
    match names.is_empty() {
        true => "none".to_owned(),
        false => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            names.join(", ")
        }
    }
}
