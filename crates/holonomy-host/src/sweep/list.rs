//! Axes from a table of cases: a column for each key, a row for each case.
use super::{Axis, AxisValues, SweepError, foreign};
use std::{
    fs::{self, File},
    hash::Hasher,
    io::{self, Read},
    path::Path,
};

/// Reads a table in Parquet or CSV, whatever it is called. Names of columns are keys; `KEY [UNIT]` gives the unit of a
/// column.
pub fn axes_of_table(path: &Path) -> Result<Vec<Axis>, SweepError> {
    let bad = |reason: String| SweepError::Table {
        path: path.to_owned(),
        reason,
    };
    let columns = match is_parquet(path) {
        Err(error) => return Err(bad(error.to_string())),
        Ok(true) => foreign::columns(path).map_err(|fault| bad(fault.to_string()))?,
        Ok(false) => columns_of_csv(path)?,
    };
    if let Some(k) = columns.iter().position(|(head, _)| head.trim().is_empty()) {
        return Err(bad(format!("its column {} has no name", k + 1)));
    }
    Ok(columns
        .into_iter()
        .map(|(head, values)| axis(&head, values))
        .collect())
}

/// A column: its name, and what it holds.
pub(super) type Column = (String, AxisValues);

pub(crate) fn is_parquet(path: &Path) -> io::Result<bool> {
    let mut first = Vec::new();
    File::open(path)?.take(4).read_to_end(&mut first)?;
    Ok(first == b"PAR1")
}

fn columns_of_csv(path: &Path) -> Result<Vec<Column>, SweepError> {
    let bad = |reason: String| SweepError::Table {
        path: path.to_owned(),
        reason,
    };
    let text = fs::read(path).map_err(|error| bad(error.to_string()))?;
    let text =
        String::from_utf8(text).map_err(|_| bad("it is neither Parquet nor text in UTF-8".to_owned()))?;
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
        return Err(bad("it has no rows below its first line".to_owned()));
    }
    let values = columns.into_iter().map(|column| {
        let numbers: Option<Vec<f64>> = column
            .iter()
            .map(|field| field.parse().ok().filter(|number: &f64| number.is_finite()))
            .collect();
        match numbers {
            Some(numbers) => AxisValues::Numbers(numbers),
            None => AxisValues::Words(column),
        }
    });
    Ok(head.into_iter().zip(values).collect())
}

fn axis(head: &str, values: AxisValues) -> Axis {
    let (key, unit) = match head
        .trim()
        .strip_suffix(']')
        .and_then(|head| head.split_once('['))
    {
        Some((key, unit)) => (key.trim(), unit.trim()),
        None => (head.trim(), ""),
    };
    // Tells one table from another, not one attack from another.
    let mut hash = std::hash::DefaultHasher::new();
    let count = match &values {
        AxisValues::Numbers(numbers) => {
            numbers.iter().for_each(|number| hash.write_u64(number.to_bits()));
            numbers.len()
        }
        AxisValues::Words(words) => {
            words.iter().for_each(|word| hash.write(word.as_bytes()));
            words.len()
        }
        AxisValues::Normal { .. } | AxisValues::Uniform { .. } => 0,
    };
    Axis {
        key: key.to_owned(),
        text: format!("{count} values of a table, {:016x}", hash.finish()),
        unit: unit.to_owned(),
        values,
    }
}

/// Fields between commas; those in quotes may hold some, and quotes twice.
pub(crate) fn fields(line: &str) -> Vec<String> {
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
