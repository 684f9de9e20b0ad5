//! The page of a sweep: what varies, maps or curves of what came out, and the cases to look at.
use crate::{
    figure::{Axis, Chart, Curve, CurveStyle, HeatMap},
    number::rough,
    page::{Cell, Page},
};

/// An axis of a sweep, as a page shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepAxis {
    /// The key.
    pub key: String,
    /// The unit of its numbers; empty where there is none.
    pub unit: String,
    /// What it takes, as it was written.
    pub written: String,
    /// Its values, where it is a list of numbers that is not drawn at random.
    pub grid: Option<Vec<f64>>,
}

/// A case: what was set, in words and where they are numbers, and what came out.
#[derive(Clone, Debug, PartialEq)]
pub struct SweptCase {
    /// Its number.
    pub case: u64,
    /// What each axis took, in words.
    pub settings: Vec<String>,
    /// The same as numbers.
    pub numbers: Vec<Option<f64>>,
    /// A value for each of the quantities of the page.
    pub values: Vec<Option<f64>>,
    /// What its certificate says of the structure, or that it failed.
    pub structure: String,
    /// Why it failed, or a warning.
    pub message: String,
}

/// What a page shows.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepPage {
    /// The title of the model.
    pub title: String,
    /// The command that made it.
    pub command: String,
    /// What varies.
    pub axes: Vec<SweepAxis>,
    /// Whether the cases are all points of the axes, the last turning fastest.
    pub product: bool,
    /// Names of the quantities, and whether they are errors, which are shown by their logarithm.
    pub quantities: Vec<(String, bool)>,
    /// The cases, in their order.
    pub cases: Vec<SweptCase>,
}

/// Cases to look at, at most.
const MOST_LISTED: usize = 12;
/// Bins of a histogram.
const BINS: usize = 30;

impl SweepAxis {
    fn label(&self) -> String {
        match self.unit.as_str() {
            "" => self.key.clone(),
            unit => format!("{}, {unit}", self.key),
        }
    }
}

impl SweepPage {
    /// The page, as one file.
    pub fn render(&self) -> String {
        let count = self.cases.len();
        let failed = |case: &&SweptCase| matches!(case.structure.as_str(), "failed" | "refused");
        let lost = self.cases.iter().filter(failed).count();
        let mut page = Page::new(
            &self.title,
            &format!("A sweep of {count} cases, {lost} of which failed"),
        );
        page.code(&self.command);
        let rows: Vec<Vec<Cell>> = self
            .axes
            .iter()
            .map(|axis| {
                vec![
                    Cell::text(&axis.key),
                    Cell::text(&axis.written),
                    Cell::text(&axis.unit),
                ]
            })
            .collect();
        page.table(&["key", "values", "unit"], &rows);
        page.section("results", "What came out");
        for (k, (name, is_error)) in self.quantities.iter().enumerate() {
            if self.cases.iter().any(|case| case.values[k].is_some()) {
                let (svg, caption) = self.figure(k, name, *is_error);
                page.figure(&svg, &caption);
            }
        }
        self.verdicts(&mut page);
        self.worst(&mut page);
        page.finish()
    }

    /// A map, curves, or a histogram of a quantity.
    fn figure(&self, k: usize, name: &str, is_error: bool) -> (String, String) {
        let grids: Vec<&SweepAxis> = self.axes.iter().filter(|axis| axis.grid.is_some()).collect();
        match (self.axes.as_slice(), grids.as_slice()) {
            ([upwards, across], [_, _]) if self.product => (
                self.map(k, name, is_error, upwards, across),
                format!("{name} at every point of the two axes; grey where there is none."),
            ),
            ([_], [axis]) => (
                self.curves(k, name, is_error, axis, 0),
                format!("{name} against {}.", axis.key),
            ),
            ([_, _], [axis]) if self.product && self.words().is_some() => {
                let place = self.axes.iter().position(|own| own.grid.is_some()).unwrap_or(0);
                (
                    self.curves(k, name, is_error, axis, place),
                    format!("{name} against {}.", axis.key),
                )
            }
            _ => (
                self.histogram(k, name),
                format!("How often {name} has which value."),
            ),
        }
    }

    fn map(&self, k: usize, name: &str, is_error: bool, upwards: &SweepAxis, across: &SweepAxis) -> String {
        let columns = across.grid.as_ref().map_or(1, Vec::len).max(1);
        HeatMap {
            title: name.to_owned(),
            across: (across.label(), across.grid.clone().unwrap_or_default()),
            upwards: (upwards.label(), upwards.grid.clone().unwrap_or_default()),
            values: self
                .cases
                .chunks(columns)
                .map(|row| row.iter().map(|case| case.values[k]).collect())
                .collect(),
            logarithmic: is_error,
        }
        .render()
    }

    /// The axis whose values are words.
    fn words(&self) -> Option<usize> {
        let is_word = |k: &usize| self.cases.iter().all(|case| case.numbers[*k].is_none());
        (0..self.axes.len()).find(is_word)
    }

    fn curves(&self, k: usize, name: &str, is_error: bool, axis: &SweepAxis, place: usize) -> String {
        let word = self.words().filter(|word| *word != place);
        let mut series: Vec<Curve> = Vec::new();
        for case in &self.cases {
            let (Some(x), Some(y)) = (case.numbers[place], case.values[k]) else {
                continue;
            };
            let of = word.map_or(name, |word| case.settings[word].as_str());
            match series.iter_mut().find(|curve| curve.name == of) {
                Some(curve) => curve.points.push((x, y)),
                None => series.push(Curve {
                    name: of.to_owned(),
                    points: vec![(x, y)],
                    style: CurveStyle::Line,
                }),
            }
        }
        Chart {
            title: name.to_owned(),
            x: Axis::linear(axis.label()),
            y: if is_error {
                Axis::log(name)
            } else {
                Axis::linear(name)
            },
            series,
            guides: Vec::new(),
        }
        .render()
    }

    fn histogram(&self, k: usize, name: &str) -> String {
        let values: Vec<f64> = self.cases.iter().filter_map(|case| case.values[k]).collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let width = if most > least {
            (most - least) / BINS as f64
        } else {
            1.0
        };
        let mut counts = [0_u32; BINS];
        for value in &values {
            counts[(((value - least) / width) as usize).min(BINS - 1)] += 1;
        }
        let corner = |bin: usize| least + bin as f64 * width;
        let mut points = vec![(corner(0), 0.0)];
        for (bin, count) in counts.iter().enumerate() {
            points.push((corner(bin), f64::from(*count)));
            points.push((corner(bin + 1), f64::from(*count)));
        }
        points.push((corner(BINS), 0.0));
        Chart {
            title: name.to_owned(),
            x: Axis::linear(name),
            y: Axis::linear("cases"),
            series: vec![Curve {
                name: "cases".to_owned(),
                points,
                style: CurveStyle::Line,
            }],
            guides: Vec::new(),
        }
        .render()
    }

    /// How many cases are good, doubtful, bad, failed.
    fn verdicts(&self, page: &mut Page) {
        page.section("verdicts", "Was the structure conserved?");
        let words = ["good", "doubtful", "bad", "neutral", "failed", "refused"];
        let rows: Vec<Vec<Cell>> = words
            .iter()
            .filter_map(|word| {
                let count = self.cases.iter().filter(|case| case.structure == *word).count();
                (count > 0).then(|| vec![Cell::text(*word), Cell::number(count.to_string())])
            })
            .collect();
        page.table(&["structure", "cases"], &rows);
    }

    /// Cases that failed, and those with the largest first quantity that is an error.
    fn worst(&self, page: &mut Page) {
        let error = self.quantities.iter().position(|(_, is_error)| *is_error);
        let rank = |case: &SweptCase| match case.structure.as_str() {
            "failed" | "refused" => f64::INFINITY,
            _ => error.and_then(|k| case.values[k]).unwrap_or(f64::NEG_INFINITY),
        };
        let mut order: Vec<&SweptCase> = self.cases.iter().collect();
        order.sort_by(|a, b| rank(b).total_cmp(&rank(a)).then(a.case.cmp(&b.case)));
        page.section("worst", "Cases to look at");
        let mut head = vec!["case"];
        head.extend(self.axes.iter().map(|axis| axis.key.as_str()));
        if let Some(k) = error {
            head.push(&self.quantities[k].0);
        }
        head.extend(["structure", "message"]);
        let rows: Vec<Vec<Cell>> = order
            .into_iter()
            .take(MOST_LISTED)
            .map(|case| {
                let mut row = vec![Cell::number(case.case.to_string())];
                row.extend(case.settings.iter().map(Cell::text));
                row.extend(error.map(|k| Cell::number(case.values[k].map_or_else(String::new, rough))));
                row.extend([Cell::text(&case.structure), Cell::text(&case.message)]);
                row
            })
            .collect();
        page.table(&head, &rows);
    }
}
