//! The page of a gradient: what changes the output most, how the gradient grows, what it is worth.
use super::{AGREE, Gradient, KEPT, Kind, Slope};
use crate::{
    figure::{Axis, Chart, Curve, CurveStyle, Guide, Panels},
    number::{decimal, power, rough},
    page::{Cell, Page},
    verdict::Verdict,
};
use holonomy::derivative::MEANINGLESS;

/// Inputs whose pushes are drawn.
const MOST: usize = 8;

/// A thing that was measured of a gradient: how it is judged, what it is, what came out, and what should.
pub type Line = (Verdict, String, String, String);

impl Gradient {
    /// What is said of the output in a line.
    pub fn headline(&self) -> String {
        let unit = match self.unit.as_str() {
            "" => String::new(),
            unit => format!(" {unit}"),
        };
        format!(
            "`{}` at t = {} s is {}{unit}",
            self.of,
            decimal(self.t),
            rough(self.value)
        )
    }

    /// The unit of a derivative, as far as it is known.
    pub fn unit_of(&self, slope: &Slope) -> String {
        let above = self.unit.as_str();
        let grouped = match slope.unit.contains([' ', '/', '·']) {
            true => format!("({})", slope.unit),
            false => slope.unit.clone(),
        };
        match (above, slope.unit.as_str()) {
            (above, "") => above.to_owned(),
            ("", _) => format!("1/{grouped}"),
            (above, below) if above == below => String::new(),
            (above, _) => format!("{above}/{grouped}"),
        }
    }

    /// Derivatives that are not zero, what does most first.
    pub fn shown(&self) -> impl Iterator<Item = &Slope> {
        self.slopes.iter().filter(|slope| !self.is_nothing(slope))
    }

    /// Names of what changes nothing.
    pub fn idle(&self) -> Vec<&str> {
        let idle = self.slopes.iter().filter(|slope| self.is_nothing(slope));
        idle.map(|slope| slope.name.as_str()).collect()
    }

    /// Whether a derivative is none but for rounding.
    fn is_nothing(&self, slope: &Slope) -> bool {
        let most = self.slopes.iter().map(|slope| slope.percent.abs());
        slope.percent.abs() <= NOTHING * most.fold(0.0, f64::max)
    }

    /// What was measured of the gradient, line by line.
    pub fn lines(&self) -> Vec<Line> {
        let judged = |value: f64, bound: f64| match value <= bound {
            true => Verdict::Good,
            false => Verdict::Bad,
        };
        let worth = &self.worth;
        let mut out = vec![(
            judged(worth.duality, AGREE),
            "tangent against adjoint".to_owned(),
            power(worth.duality),
            "a product of the same matrices: rounding".to_owned(),
        )];
        out.extend(match worth.symplectic {
            true => Some((
                judged(worth.pairing, KEPT),
                "pairing of two tangents".to_owned(),
                power(worth.pairing),
                "constant: the step is symplectic".to_owned(),
            )),
            // Fewer momenta than coordinates have none.
            false if worth.pairing.is_nan() => None,
            false => Some((
                Verdict::Neutral,
                "pairing of two tangents".to_owned(),
                power(worth.pairing),
                "forces without potential, or the method, change it".to_owned(),
            )),
        });
        for momentum in &worth.momenta {
            let name = format!("gradient of {}", momentum.name);
            out.push(match momentum.kept {
                true => (
                    judged(momentum.error, KEPT),
                    name,
                    power(momentum.error),
                    "comes back as it is: the method keeps it".to_owned(),
                ),
                false => (
                    Verdict::Neutral,
                    name,
                    power(momentum.error),
                    format!("the steps change it by {}", power(momentum.change)),
                ),
            });
        }
        let (verdict, value, said) = match worth.horizon {
            Some(horizon) => (
                Verdict::Bad,
                format!("10⁸ after {} s", rough(horizon)),
                "farther back it means nothing".to_owned(),
            ),
            None => (
                Verdict::Good,
                worth
                    .growth
                    .last()
                    .map_or_else(|| "1".to_owned(), |(_, factor)| rough(*factor)),
                "from the end back to the start; beyond 10⁸ it means nothing".to_owned(),
            ),
        };
        out.push((verdict, "growth".to_owned(), value, said));
        if let Some([rate, error]) = worth.exponent {
            let (verdict, said) = match rate > 2.0 * error {
                true => (Verdict::Doubtful, "an exponential"),
                false => (Verdict::Neutral, "not told from zero"),
            };
            out.push((
                verdict,
                "its rate (1/s)".to_owned(),
                crate::number::uncertain(rate, error),
                said.to_owned(),
            ));
        }
        out
    }

    /// How the gradient grows backwards, on a logarithmic axis, and pushes along the inputs.
    pub fn figure(&self, title: &str) -> String {
        let mut charts = vec![Chart {
            title: String::new(),
            x: Axis::linear("time at which something changes (s)"),
            y: Axis::log("size of the gradient"),
            series: vec![Curve {
                name: "gradient".to_owned(),
                points: (self.worth.growth.iter().rev())
                    .map(|(back, factor)| (self.t - back, *factor))
                    .chain([(self.t, 1.0)])
                    .collect(),
                style: CurveStyle::Line,
            }],
            guides: match self.worth.horizon {
                Some(_) => vec![Guide::Level {
                    value: MEANINGLESS,
                    label: "means nothing above".to_owned(),
                }],
                None => Vec::new(),
            },
        }];
        charts.extend(self.pushes.iter().take(MOST).map(|push| Chart {
            title: String::new(),
            x: Axis::linear("time at which something changes (s)"),
            y: Axis::linear(format!("effect of {}", push.input)),
            series: vec![Curve {
                name: String::new(),
                points: push.curve.clone(),
                style: CurveStyle::Line,
            }],
            guides: Vec::new(),
        }));
        Panels {
            title: title.to_owned(),
            subtitle: None,
            caption: None,
            charts,
        }
        .render()
    }

    /// The page; `command` made it.
    pub fn page(&self, title: &str, command: &str) -> String {
        let subtitle = format!(
            "{}, step {} s, gradient of `{}`",
            self.method,
            decimal(self.step),
            self.of
        );
        let mut page = Page::new(title, &subtitle.replace('`', ""));
        page.section("gradient", "What does it depend on?");
        let (verdict, text) = self.conclusion();
        page.conclusion(verdict, &text);
        page.paragraph(&format!(
            "{}. What changes it most comes first: one percent of each number, of one that is zero a hundredth of its unit.",
            self.headline()
        ));
        let rows: Vec<Vec<Cell>> = self
            .shown()
            .map(|slope| {
                vec![
                    Cell::Code(slope.name.clone()),
                    Cell::text(kind(slope.kind)),
                    Cell::number(rough(slope.value)),
                    Cell::text(slope.unit.clone()),
                    Cell::number(crate::number::digits(slope.slope, 8)),
                    Cell::text(self.unit_of(slope)),
                    Cell::number(rough(slope.percent)),
                ]
            })
            .collect();
        page.table(
            &["by", "", "value", "", "derivative", "", "1 % changes it by"],
            &rows,
        );
        let idle = self.idle();
        if !idle.is_empty() {
            page.paragraph(&format!("Nothing changes with `{}`.", idle.join("`, `")));
        }
        for left in &self.left_out {
            page.paragraph(&format!("Not by `{}`: {}.", left.key, left.why));
        }
        page.section("growth", "How far back does it mean something?");
        page.figure(
            &self.figure(""),
            match self.pushes.is_empty() {
                true => "How large the gradient is by the state at each time, in units of what it is at the end.",
                false => {
                    "How large the gradient is by the state at each time, in units of what it is at the end; and what a push \
                     of one unit for one second, at that time, changes at the end."
                }
            },
        );
        page.section("certificate", "What is it worth?");
        let rows: Vec<Vec<Cell>> = (self.lines().into_iter())
            .map(|(verdict, what, value, said)| {
                vec![
                    Cell::Verdict(verdict, what),
                    Cell::number(value),
                    Cell::text(said),
                ]
            })
            .collect();
        page.table(&["", "measured", "as it should be"], &rows);
        page.section("command", "The command");
        page.code(command);
        page.finish()
    }
}

/// What is below this part of the largest is rounding of differences of order 6.
const NOTHING: f64 = 1e-13;

/// In a word.
pub fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Start => "start",
        Kind::Parameter => "number",
        Kind::Input => "input, held",
    }
}
