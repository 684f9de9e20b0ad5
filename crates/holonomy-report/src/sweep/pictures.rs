//! What came out, as pictures: a map over two axes, curves over one, histograms and points for random ones.
use super::{SweepAxis, SweepPage, SweepQuantity, SweptCase};
use crate::{
    figure::{Axis, Chart, Curve, CurveStyle, HeatMap, is_even},
    number::rough,
    page::{Cell, Page},
};
use holonomy::math;

/// Bins of a histogram at most, and at least.
const BINS: [usize; 2] = [8, 40];
/// Curves in a chart at most.
const MOST_CURVES: usize = 8;
/// Points up to which each has a mark.
const MARKED: usize = 40;
/// Axes against which points are shown, at most.
const MOST_AXES: usize = 4;
/// Rows of a table of words.
const MOST_WORDS: usize = 40;

impl SweptCase {
    /// The value that a picture shows: none of a run that failed, whose last numbers are those of its failure.
    fn shown(&self, k: usize) -> Option<f64> {
        match self.structure.is_lost() {
            true => None,
            false => self.values[k],
        }
    }
}

impl SweepPage {
    pub(super) fn pictures(&self, page: &mut Page) {
        let mut shown = false;
        for (k, quantity) in self.quantities.iter().enumerate() {
            if self.cases.iter().any(|case| case.shown(k).is_some()) {
                self.pictures_of(page, k, quantity);
                shown = true;
            }
        }
        if !shown {
            page.paragraph("No case has a number to show.");
        }
    }

    fn pictures_of(&self, page: &mut Page, k: usize, quantity: &SweepQuantity) {
        let name = &quantity.name;
        let numeric: Vec<usize> = (0..self.axes.len())
            .filter(|axis| self.axes[*axis].numbers().is_some())
            .collect();
        let words: Vec<usize> = (0..self.axes.len())
            .filter(|axis| self.axes[*axis].words().is_some())
            .collect();
        let few = |axis: &usize| {
            self.axes[*axis]
                .words()
                .is_some_and(|words| words.len() <= MOST_CURVES)
        };
        match (self.axes.len(), numeric.as_slice(), words.as_slice()) {
            (2, [upwards, across], []) if self.product => {
                let svg = self.map(k, quantity, &self.axes[*upwards], &self.axes[*across]);
                let missing = self.cases.iter().any(|case| case.shown(k).is_none());
                let grey = if missing {
                    " Grey where there is none: the case failed, or has no such number."
                } else {
                    ""
                };
                page.figure(&svg, &format!("`{name}` at every point of the two axes.{grey}"));
            }
            (1, [axis], []) => {
                let svg = self.curves(k, quantity, *axis, None);
                page.figure(&svg, &self.against(name, *axis, k));
            }
            (2, [axis], [word]) if self.product && few(word) => {
                let svg = self.curves(k, quantity, *axis, Some(*word));
                page.figure(&svg, &self.against(name, *axis, k));
            }
            (1, [], [word]) => self.table_of_words(page, k, quantity, *word),
            _ => {
                page.figure(
                    &self.histogram(k, quantity),
                    &format!("How many cases have which `{name}`.{}", self.left_out(k)),
                );
                let axes = (0..self.axes.len()).filter(|axis| self.axes[*axis].words().is_none());
                for axis in axes.take(MOST_AXES) {
                    let svg = self.points(k, quantity, axis);
                    let key = &self.axes[axis].key;
                    page.figure(&svg, &format!("`{name}` against `{key}`: a point for each case."));
                }
            }
        }
    }

    fn left_out(&self, k: usize) -> &'static str {
        match self.cases.iter().any(|case| case.shown(k).is_none()) {
            true => " Those that failed, or have no such number, are left out.",
            false => "",
        }
    }

    fn against(&self, name: &str, axis: usize, k: usize) -> String {
        let missing = self.cases.iter().any(|case| case.shown(k).is_none());
        let gaps = if missing {
            " Gaps where there is none: the case failed, or has no such number."
        } else {
            ""
        };
        format!("`{name}` against `{}`.{gaps}", self.axes[axis].key)
    }

    fn map(&self, k: usize, quantity: &SweepQuantity, upwards: &SweepAxis, across: &SweepAxis) -> String {
        let columns = across.numbers().map_or(1, <[f64]>::len).max(1);
        let values = |axis: &SweepAxis| axis.numbers().unwrap_or_default().to_vec();
        HeatMap {
            title: quantity.label.clone(),
            across: (across.label(), values(across)),
            upwards: (upwards.label(), values(upwards)),
            values: self
                .cases
                .chunks(columns)
                .map(|row| row.iter().map(|case| case.shown(k)).collect())
                .collect(),
            logarithmic: quantity.is_error,
        }
        .render()
    }

    /// How an axis is spaced: by its logarithm if it was taken so.
    fn horizontal(&self, axis: usize) -> Axis {
        let label = self.axes[axis].label();
        let logarithmic = self.axes[axis].numbers().is_some_and(|numbers| {
            numbers.len() > 2
                && numbers.iter().all(|number| *number > 0.0)
                && !is_even(numbers.iter().copied())
                && is_even(numbers.iter().map(|number| math::log10(*number)))
        });
        match logarithmic {
            true => Axis::log(label),
            false => Axis::linear(label),
        }
    }

    fn vertical(&self, k: usize, quantity: &SweepQuantity) -> Axis {
        let positive = |case: &SweptCase| case.shown(k).is_some_and(|value| value > 0.0);
        match quantity.is_error && self.cases.iter().any(positive) {
            true => Axis::log(&quantity.label),
            false => Axis::linear(&quantity.label),
        }
    }

    /// A curve, or one for each word of another axis.
    fn curves(&self, k: usize, quantity: &SweepQuantity, axis: usize, word: Option<usize>) -> String {
        let names = word.and_then(|word| self.axes[word].words());
        let names = names.map_or_else(|| vec![quantity.name.clone()], <[String]>::to_vec);
        let mut points: Vec<Vec<(f64, f64)>> = vec![Vec::new(); names.len()];
        for case in &self.cases {
            let curve = word.map_or(0, |word| case.settings[word] as usize);
            points[curve].push((case.settings[axis], case.shown(k).unwrap_or(f64::NAN)));
        }
        let series = names.into_iter().zip(points).map(|(name, mut points)| {
            points.sort_by(|one, other| one.0.total_cmp(&other.0));
            let style = match points.len() <= MARKED {
                true => CurveStyle::LineAndPoints,
                false => CurveStyle::Line,
            };
            Curve { name, points, style }
        });
        Chart {
            title: quantity.label.clone(),
            x: self.horizontal(axis),
            y: self.vertical(k, quantity),
            series: series.collect(),
            guides: Vec::new(),
        }
        .render()
    }

    /// A point for each case.
    fn points(&self, k: usize, quantity: &SweepQuantity, axis: usize) -> String {
        let points = self
            .cases
            .iter()
            .filter_map(|case| Some((case.settings[axis], case.shown(k)?)));
        Chart {
            title: format!("{} against {}", quantity.label, self.axes[axis].key),
            x: self.horizontal(axis),
            y: self.vertical(k, quantity),
            series: vec![Curve {
                name: quantity.name.clone(),
                points: points.collect(),
                style: CurveStyle::Points,
            }],
            guides: Vec::new(),
        }
        .render()
    }

    /// A row for each word.
    fn table_of_words(&self, page: &mut Page, k: usize, quantity: &SweepQuantity, axis: usize) {
        let rows: Vec<Vec<Cell>> = self
            .cases
            .iter()
            .take(MOST_WORDS)
            .map(|case| {
                let value = case.shown(k).map_or_else(String::new, rough);
                vec![
                    Cell::text(self.word(case, axis).unwrap_or_default()),
                    Cell::number(value),
                ]
            })
            .collect();
        page.table(&[&self.axes[axis].key, &quantity.label], &rows);
    }

    /// How often which values come out: of errors by their logarithm.
    fn histogram(&self, k: usize, quantity: &SweepQuantity) -> String {
        let y = self.vertical(k, quantity);
        let logarithmic = y.scale == crate::figure::Scale::Log;
        let values: Vec<f64> = self
            .cases
            .iter()
            .filter_map(|case| case.shown(k))
            .map(|value| if logarithmic { math::log10(value) } else { value })
            .filter(|value| value.is_finite())
            .collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // As many bins as the root of the number of cases.
        let bins = ((values.len() as f64).sqrt() as usize).clamp(BINS[0], BINS[1]);
        let (first, width) = match most > least {
            true => (least, (most - least) / bins as f64),
            // All the same: one bin in the middle has them.
            false => {
                let width = if least == 0.0 { 0.1 } else { 0.02 * least.abs() };
                (least - (bins / 2) as f64 * width - 0.5 * width, width)
            }
        };
        let mut counts = vec![0_u32; bins];
        for value in &values {
            counts[(((value - first) / width) as usize).min(bins - 1)] += 1;
        }
        let corner = |bin: usize| {
            let corner = first + bin as f64 * width;
            if logarithmic {
                math::powf(10.0, corner)
            } else {
                corner
            }
        };
        let mut points = vec![(corner(0), 0.0)];
        for (bin, count) in counts.iter().enumerate() {
            points.push((corner(bin), f64::from(*count)));
            points.push((corner(bin + 1), f64::from(*count)));
        }
        points.push((corner(bins), 0.0));
        Chart {
            title: quantity.label.clone(),
            x: Axis {
                label: quantity.label.clone(),
                ..y
            },
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
}
