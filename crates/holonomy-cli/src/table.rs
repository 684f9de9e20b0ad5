//! Text in columns.
use console::measure_text_width;

/// Which side of a column its texts lean to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Rows of texts, set in columns as wide as need be.
pub(crate) struct Table {
    columns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

/// Blanks between two columns.
const GAP: usize = 2;

impl Table {
    pub(crate) fn new(columns: &[Align]) -> Self {
        Self {
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row. One that has fewer texts than there are columns lets its last one run on.
    pub(crate) fn row<S: Into<String>>(&mut self, texts: impl IntoIterator<Item = S>) {
        self.rows.push(texts.into_iter().map(Into::into).collect());
    }

    /// The rows below each other.
    pub(crate) fn render(&self) -> String {
        let widths = self.widths();
        let mut out = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (index, text) in row.iter().enumerate() {
                let last = index + 1 == row.len();
                let short = last && row.len() < self.columns.len();
                let room = widths[index].saturating_sub(measure_text_width(text));
                let (before, after) = match self.columns[index] {
                    _ if short => (0, 0),
                    Align::Left => (0, room),
                    Align::Right => (room, 0),
                };
                line.push_str(&" ".repeat(before));
                line.push_str(text);
                line.push_str(&" ".repeat(after + GAP));
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    fn widths(&self) -> Vec<usize> {
        let whole = self.rows.iter();
        let mut widths = vec![0; self.columns.len()];
        for row in whole {
            let kept = if row.len() < self.columns.len() {
                row.len().saturating_sub(1)
            } else {
                row.len()
            };
            for (width, text) in widths.iter_mut().zip(&row[..kept]) {
                *width = (*width).max(measure_text_width(text));
            }
        }
        widths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_short_rows_run_on() {
        let mut table = Table::new(&[Align::Left, Align::Right, Align::Left]);
        table.row(["a", "1", "ω"]);
        table.row(["bbb", "a reason that is long"]);
        table.row(["cc", "1000", "x"]);
        let expected = "a       1  ω\nbbb  a reason that is long\ncc   1000  x\n";
        assert_eq!(table.render(), expected);
    }
}
