//! Columns of numbers in a text: one row per line, cells between commas, semicolons or tabs.
//!
//! The first line names the columns, unless all its cells are numbers. Empty lines and lines that begin with `#` are left
//! out. Line numbers are those of the text, from 1.

/// Rows of a table, beyond which a file is refused.
pub(super) const MOST_ROWS: usize = 100_000;

/// A table of cells.
pub(super) struct Csv<'t> {
    /// Names of the columns; empty where there are none.
    pub(super) names: Vec<&'t str>,
    /// How many columns there are.
    pub(super) columns: usize,
    rows: Vec<(usize, &'t str)>,
    separator: char,
}

impl<'t> Csv<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = text.lines().enumerate();
        let filled = lines.filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
        let mut rows: Vec<(usize, &str)> = filled.map(|(k, line)| (k + 1, line)).collect();
        let first = rows.first().map_or("", |(_, line)| line);
        let separators = [';', '\t'].into_iter();
        let separator = separators
            .into_iter()
            .find(|mark| first.contains(*mark))
            .unwrap_or(',');
        let head: Vec<&str> = cells(first, separator).collect();
        let columns = head.len();
        let named = head.iter().any(|cell| cell.parse::<f64>().is_err());
        let names = if named { head } else { Vec::new() };
        if named && !rows.is_empty() {
            rows.remove(0);
        }
        Self {
            names,
            columns,
            rows,
            separator,
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// What a column is called, for people.
    pub(super) fn name(&self, column: usize) -> String {
        match self.names.get(column) {
            Some(name) => format!("column `{name}`"),
            None => format!("column {}", column + 1),
        }
    }

    /// The line of a row.
    pub(super) fn line(&self, row: usize) -> usize {
        self.rows[row].0
    }

    /// The numbers of a column, or what is wrong with the first that is none.
    pub(super) fn numbers(&self, column: usize) -> Result<Vec<f64>, String> {
        let each = self.rows.iter().map(|(line, text)| {
            let cell = cells(text, self.separator).nth(column);
            let name = || self.name(column);
            match cell {
                None | Some("") => Err(format!("line {line} has no number in {}", name())),
                Some(cell) => match cell.parse::<f64>() {
                    Ok(number) if number.is_finite() => Ok(number),
                    _ => Err(format!(
                        "line {line} has `{}` in {}, which is no number",
                        short(cell),
                        name()
                    )),
                },
            }
        });
        each.collect()
    }
}

fn cells(line: &str, separator: char) -> impl Iterator<Item = &str> {
    line.split(separator).map(unquoted)
}

fn unquoted(cell: &str) -> &str {
    let cell = cell.trim();
    let inner = cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"'));
    inner.unwrap_or(cell).trim()
}

fn short(cell: &str) -> String {
    let mut letters = cell.chars();
    let start: String = letters
        .by_ref()
        .take(20)
        .filter(|letter| !letter.is_control())
        .collect();
    match letters.next() {
        Some(_) => format!("{start}…"),
        None => start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_whatever_separates_them() {
        for text in [
            "t,f\n0,1\n\n# half\n0.5,2e3\n",
            "\u{feff}t;f\r\n0;1\r\n;;\r\n0.5;2e3",
            "\"t\"\t\"f\"\n0\t1\n\n\n0.5\t\"2e3\"\n",
        ] {
            let csv = Csv::new(text);
            assert_eq!(csv.names, ["t", "f"]);
            if text.contains(";;") {
                assert_eq!(
                    csv.numbers(0),
                    Err("line 3 has no number in column `t`".to_owned())
                );
                continue;
            }
            assert_eq!(csv.numbers(0), Ok(vec![0.0, 0.5]));
            assert_eq!(csv.numbers(1), Ok(vec![1.0, 2e3]));
            assert_eq!(csv.line(1), 5);
        }
        let plain = Csv::new("0 , 1\n1, x\n");
        assert!(plain.names.is_empty());
        assert_eq!(plain.numbers(0), Ok(vec![0.0, 1.0]));
        assert_eq!(
            plain.numbers(1),
            Err("line 2 has `x` in column 2, which is no number".to_owned())
        );
        assert_eq!(
            plain.numbers(2),
            Err("line 1 has no number in column 3".to_owned())
        );
    }
}
