//! The names of the series beside a sample of each.

use super::style::{BASE, LEADING, Look, Mark, SMALL, marker};
use super::svg::{Face, Svg};
use super::text::{shorten, width};

const SAMPLE: f64 = 42.0;
const GAP: f64 = 9.0;
const BETWEEN: f64 = 26.0;
const ROW: f64 = BASE * LEADING + 2.0;

/// Names and samples in rows and columns.
pub(super) struct Legend {
    entries: Vec<(Look, String)>,
    /// The longest name that there is room for.
    room: f64,
    /// Where each entry starts.
    starts: Vec<[f64; 2]>,
    pub(super) size: [f64; 2],
}

impl Legend {
    /// All entries below each other.
    pub(super) fn column(entries: Vec<(Look, String)>, available: f64) -> Self {
        Self::grid(entries, available, 1)
    }

    /// As many columns as the width allows.
    pub(super) fn rows(entries: Vec<(Look, String)>, available: f64) -> Self {
        let total: f64 = entries.iter().map(|(_, name)| entry_width(name)).sum();
        let count = entries.len();
        if total + BETWEEN * count.saturating_sub(1) as f64 > available {
            let widest = entries
                .iter()
                .map(|(_, name)| entry_width(name))
                .fold(0.0, f64::max);
            let columns = ((available + BETWEEN) / (widest + BETWEEN)).floor().max(1.0) as usize;
            // The same number of rows in as few columns as it needs.
            let rows = count.div_ceil(columns);
            return Self::grid(entries, available, count.div_ceil(rows));
        }
        let mut x = 0.0;
        let mut starts = Vec::new();
        for (_, name) in &entries {
            starts.push([x, 0.0]);
            x += entry_width(name) + BETWEEN;
        }
        Self {
            entries,
            room: available,
            starts,
            size: [x - BETWEEN, ROW],
        }
    }

    /// The same entries, in as many columns as this width allows.
    pub(super) fn spread(self, available: f64) -> Self {
        Self::rows(self.entries, available)
    }

    fn grid(entries: Vec<(Look, String)>, available: f64, columns: usize) -> Self {
        let room = available - SAMPLE - GAP;
        let widest = entries
            .iter()
            .map(|(_, name)| entry_width(&shorten(name, SMALL, room)))
            .fold(0.0, f64::max);
        let rows = entries.len().div_ceil(columns);
        let place = |index: usize| {
            [
                (index / rows) as f64 * (widest + BETWEEN),
                (index % rows) as f64 * ROW,
            ]
        };
        let size = [columns as f64 * (widest + BETWEEN) - BETWEEN, rows as f64 * ROW];
        Self {
            starts: (0..entries.len()).map(place).collect(),
            entries,
            room,
            size,
        }
    }

    pub(super) fn draw(&self, svg: &mut Svg, [x, y]: [f64; 2]) {
        for ((look, name), [dx, dy]) in self.entries.iter().zip(&self.starts) {
            let (left, middle) = (x + dx, y + dy + 0.5 * ROW);
            sample(svg, look, [left, middle]);
            svg.text(
                [left + SAMPLE + GAP, middle + 0.35 * SMALL],
                &shorten(name, SMALL, self.room),
                Face::new(SMALL),
            );
        }
    }
}

/// The names of curves with none twice: the second of a name gets a number.
pub(super) fn distinct<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    for name in names {
        let name = if name.trim().is_empty() { "nameless" } else { name };
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let mut tried = std::iter::once(name.to_owned()).chain(numbered);
        taken.extend(tried.find(|name| !taken.contains(name)));
    }
    taken
}

/// A filled circle with a number in it.
pub(super) fn numbered(svg: &mut Svg, [x, y]: [f64; 2], number: usize, colour: &str) {
    svg.circle(
        [x, y],
        10.5,
        &format!("fill=\"{colour}\" stroke=\"#fff\" stroke-width=\"1.5\""),
    );
    let face = Face::new(SMALL).anchored("middle").coloured("#fff").bold();
    svg.text([x, y + 5.3], &number.to_string(), face);
}

fn sample(svg: &mut Svg, look: &Look, [left, middle]: [f64; 2]) {
    if let Some(width) = look.line {
        svg.line(
            [left, middle],
            [left + SAMPLE, middle],
            &look.stroke(width.max(1.2)),
        );
    }
    let centre = [left + 0.5 * SAMPLE, middle];
    match look.mark {
        Mark::Nothing => {}
        Mark::Shape(shape, radius) => {
            let outline = format!("fill=\"{}\" stroke=\"#fff\"", look.colour);
            svg.path(&marker(shape, centre, radius.max(3.5)), &outline);
        }
        Mark::Number(number) => numbered(svg, [left + SAMPLE - 10.5, middle], number, look.colour),
    }
}

fn entry_width(name: &str) -> f64 {
    SAMPLE + GAP + width(name, SMALL)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(count: usize, name: &str) -> Vec<(Look, String)> {
        let look = Look {
            colour: "#000",
            line: Some(2.0),
            dash: "",
            mark: Mark::Nothing,
        };
        vec![(look, name.into()); count]
    }

    #[test]
    fn entries_stay_within_the_width() {
        for (count, name) in [
            (2, "short"),
            (16, "implicit midpoint rule"),
            (3, &"very long ".repeat(20)),
        ] {
            let legend = Legend::rows(entries(count, name), 780.0);
            assert!(legend.size[0] <= 780.0, "{count} of {name}: {:?}", legend.size);
        }
    }

    #[test]
    fn no_name_stands_for_two() {
        let names = distinct(["arm", "leg", "arm", "arm (2)", "arm", "", " "]);
        let unique: std::collections::BTreeSet<&String> = names.iter().collect();
        assert_eq!(unique.len(), names.len(), "{names:?}");
        assert_eq!(names[..3], ["arm", "leg", "arm (2)"]);
    }

    #[test]
    fn short_names_share_a_row() {
        assert_eq!(Legend::rows(entries(3, "short"), 780.0).size[1], ROW);
        assert_eq!(Legend::column(entries(3, "short"), 780.0).size[1], 3.0 * ROW);
    }
}
