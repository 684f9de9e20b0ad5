//! Axes from a table of cases: a column for each key, a line for each case.
use super::{Axis, AxisValues, SweepError};
use std::{fs, hash::Hasher, path::Path};

/// Reads a table in CSV. Its first line has the keys; `KEY [UNIT]` gives the unit of a column.
pub fn axes_of_csv(path: &Path) -> Result<Vec<Axis>, SweepError> {
    let bad = |reason: String| SweepError::Table {
        path: path.to_owned(),
        reason,
    };
    let text = fs::read(path).map_err(|error| bad(error.to_string()))?;
    let text = String::from_utf8(text)
        .map_err(|_| bad("it is not text in UTF-8; write the cases as CSV".to_owned()))?;
    let mut lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    let mut lines = lines.by_ref().filter(|(_, line)| !line.trim().is_empty());
    let (_, head) = lines.next().ok_or_else(|| bad("it is empty".to_owned()))?;
    let head = fields(head);
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); head.len()];
    for (number, line) in lines {
        let found = fields(line);
        if found.len() != head.len() {
            return Err(bad(format!(
                "line {} has {} fields, and the first line {}",
                number + 1,
                found.len(),
                head.len()
            )));
        }
        if let Some(k) = found.iter().position(String::is_empty) {
            return Err(bad(format!("line {}: there is no `{}`", number + 1, head[k])));
        }
        for (column, field) in columns.iter_mut().zip(found) {
            column.push(field);
        }
    }
    if columns.first().is_none_or(Vec::is_empty) {
        return Err(bad("it has no cases below its first line".to_owned()));
    }
    Ok(head
        .into_iter()
        .zip(columns)
        .map(|(head, column)| axis(&head, column))
        .collect())
}

fn axis(head: &str, column: Vec<String>) -> Axis {
    let (key, unit) = match head.strip_suffix(']').and_then(|head| head.split_once('[')) {
        Some((key, unit)) => (key.trim(), unit.trim()),
        None => (head, ""),
    };
    // Tells one table from another, not one attack from another.
    let mut hash = std::hash::DefaultHasher::new();
    column.iter().for_each(|field| hash.write(field.as_bytes()));
    let text = format!("{} values of a table, {:016x}", column.len(), hash.finish());
    let numbers: Option<Vec<f64>> = column
        .iter()
        .map(|field| field.parse().ok().filter(|number: &f64| number.is_finite()))
        .collect();
    Axis {
        key: key.to_owned(),
        text,
        unit: unit.to_owned(),
        values: match numbers {
            Some(numbers) => AxisValues::Numbers(numbers),
            None => AxisValues::Words(column),
        },
    }
}

/// Fields between commas; those in quotes may hold some, and quotes twice.
fn fields(line: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                if let Some(field) = found.last_mut() {
                    field.push('"');
                }
            }
            '"' => quoted = !quoted,
            ',' if !quoted => found.push(String::new()),
            letter => {
                if let Some(field) = found.last_mut() {
                    field.push(letter);
                }
            }
        }
    }
    found.into_iter().map(|field| field.trim().to_owned()).collect()
}
