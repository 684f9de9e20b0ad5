//! What was measured: a table of times and outputs, each number with its place.
use super::FitError;
use crate::sweep::{AxisValues, axes_of_table, fields, is_parquet};
use holonomy::output::Output;
use holonomy_model::{Model, output_suggestion};
use nalgebra::DVector;
use std::{f64::consts::TAU, fs, path::Path};

/// What was measured.
#[derive(Clone, Debug)]
pub struct Data {
    pub(super) times: Vec<f64>,
    pub(super) outputs: Vec<Output>,
    /// For each time the numbers of all outputs.
    pub(super) rows: Vec<Vec<f64>>,
    /// What residuals of each column are divided by.
    pub(super) sizes: Vec<f64>,
    /// Columns that are angles, told within ±π.
    turning: Vec<bool>,
}

/// A column of a table: its name and its numbers.
struct Column {
    name: String,
    numbers: Vec<f64>,
}

/// Where the numbers of a table stand.
enum Places {
    /// The line of each row of a text.
    Lines(Vec<usize>),
    /// In a file that has rows alone.
    Rows,
}

impl Places {
    fn of(&self, row: usize) -> String {
        match self {
            Self::Lines(lines) => format!("line {}", lines.get(row).copied().unwrap_or(row + 2)),
            Self::Rows => format!("row {}", row + 1),
        }
    }
}

/// The columns of a table.
fn columns(path: &Path) -> Result<(Vec<Column>, Places), FitError> {
    let shown = path.display().to_string();
    let open = |error: std::io::Error| FitError::Unreadable {
        path: shown.clone(),
        reason: error.to_string(),
    };
    let name = |text: &str| -> String {
        let text = text.trim();
        let bare = text.strip_suffix(']').and_then(|text| text.split_once('['));
        bare.map_or(text, |(name, _)| name.trim()).to_owned()
    };
    if is_parquet(path).map_err(open)? {
        let each = axes_of_table(path)?.into_iter().map(|axis| match axis.values {
            AxisValues::Numbers(numbers) => Ok(Column {
                name: axis.key,
                numbers,
            }),
            _ => Err(FitError::Words {
                path: shown.clone(),
                place: "row 1".to_owned(),
                column: 0,
                name: axis.key,
                text: "words".to_owned(),
            }),
        });
        return Ok((each.collect::<Result<_, _>>()?, Places::Rows));
    }
    let text = fs::read(path).map_err(open)?;
    let text = String::from_utf8(text).map_err(|_| FitError::Unreadable {
        path: shown.clone(),
        reason: "it is neither Parquet nor text in UTF-8".to_owned(),
    })?;
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    let mut lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let Some((_, head)) = lines.next() else {
        return Err(FitError::NoData { path: shown });
    };
    let mut columns: Vec<Column> = (fields(head).iter())
        .map(|field| Column {
            name: name(field),
            numbers: Vec::new(),
        })
        .collect();
    let mut places = Vec::new();
    for (number, line) in lines {
        let found = fields(line);
        let place = format!("line {}", number + 1);
        if found.len() != columns.len() {
            return Err(FitError::Fields {
                path: shown,
                place,
                found: found.len(),
                wanted: columns.len(),
            });
        }
        places.push(number + 1);
        for (k, (column, field)) in columns.iter_mut().zip(&found).enumerate() {
            let at = (place.clone(), k + 1, column.name.clone());
            let (place, at_column, name) = at;
            let path = shown.clone();
            match field.parse::<f64>() {
                Ok(value) if value.is_finite() => column.numbers.push(value),
                _ if field.is_empty() => {
                    return Err(FitError::Gap {
                        path,
                        place,
                        column: at_column,
                        name,
                    });
                }
                _ => {
                    return Err(FitError::Words {
                        path,
                        place,
                        column: at_column,
                        name,
                        text: field.clone(),
                    });
                }
            }
        }
    }
    Ok((columns, Places::Lines(places)))
}

impl Data {
    /// Reads a table of a model's outputs: a column `t`, and one for each output, called as it is recorded.
    pub fn read(path: &Path, model: &Model) -> Result<Self, FitError> {
        let shown = path.display().to_string();
        let layout = model.mechanism.system().layout().clone();
        let (table, places) = columns(path)?;
        let mut times = None;
        let (mut outputs, mut columns): (Vec<Output>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        for (k, column) in table.iter().enumerate() {
            if table[..k].iter().any(|other| other.name == column.name) {
                return Err(FitError::Alike {
                    path: shown,
                    name: column.name.clone(),
                });
            }
        }
        for (k, column) in table.into_iter().enumerate() {
            if column.name == "t" {
                times = Some((k + 1, column.numbers));
                continue;
            }
            match Output::find(&column.name, &layout).filter(|output| output.width() == 1) {
                Some(output) => {
                    outputs.push(output);
                    columns.push(column.numbers);
                }
                None => {
                    return Err(FitError::Column {
                        path: shown,
                        column: k + 1,
                        help: output_suggestion(&column.name, &layout),
                        name: column.name,
                    });
                }
            }
        }
        let Some((of_times, times)) = times else {
            return Err(FitError::NoTime { path: shown });
        };
        if outputs.is_empty() || times.is_empty() {
            return Err(FitError::NoData { path: shown });
        }
        if let Some(k) = times.windows(2).position(|pair| pair[1] <= pair[0]) {
            return Err(FitError::Times {
                path: shown,
                place: places.of(k + 1),
                column: of_times,
                t: times[k + 1],
                before: times[k],
            });
        }
        let (start, h) = (model.state.t, model.schedule.step);
        if let Some(t) = times.first().filter(|t| **t < start) {
            return Err(FitError::Early {
                path: shown,
                place: places.of(0),
                column: of_times,
                t: *t,
                start,
            });
        }
        // Times of tables are decimals, and the end a multiple of a step.
        let end = start + model.schedule.steps as f64 * h;
        if let Some(k) = times.iter().position(|t| *t > end + 1e-6 * h) {
            return Err(FitError::Late {
                path: shown,
                place: places.of(k),
                column: of_times,
                t: times[k],
                end,
            });
        }
        let sizes = columns.iter().map(|column| {
            let mean = column.iter().sum::<f64>() / column.len() as f64;
            let square: f64 = column.iter().map(|value| (value - mean) * (value - mean)).sum();
            let spread = (square / column.len() as f64).sqrt();
            let largest = column.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
            match (spread > 1e-9 * largest, largest > 0.0) {
                (true, _) => spread,
                (false, true) => largest,
                (false, false) => 1.0,
            }
        });
        let turning = outputs.iter().map(|output: &Output| {
            let place = layout.coordinates.iter().position(|name| *name == output.name);
            place.is_some_and(|k| layout.periodic.get(k) == Some(&true))
        });
        Ok(Self {
            sizes: sizes.collect(),
            turning: turning.collect(),
            rows: (0..times.len())
                .map(|row| columns.iter().map(|column| column[row]).collect())
                .collect(),
            times,
            outputs,
        })
    }

    /// How many numbers were measured.
    pub(super) fn count(&self) -> usize {
        self.times.len() * self.outputs.len()
    }

    /// The residuals of some rows, from a first one on, in units of their columns.
    pub(super) fn residuals(&self, first: usize, rows: &[Vec<f64>]) -> DVector<f64> {
        let width = self.outputs.len();
        DVector::from_fn(rows.len() * width, |i, _| {
            let (row, column) = (i / width, i % width);
            self.off(rows[row][column], first + row, column) / self.sizes[column]
        })
    }

    /// How far a value is from what was measured.
    pub(super) fn off(&self, value: f64, row: usize, column: usize) -> f64 {
        let off = value - self.rows[row][column];
        match self.turning[column] {
            true => off - (off / TAU).round() * TAU,
            false => off,
        }
    }

    /// A value of a column as it lies beside the data: angles by whole turns closer.
    pub(super) fn beside(&self, value: f64, t: f64, column: usize) -> f64 {
        if !self.turning[column] {
            return value;
        }
        let after = self.times.partition_point(|time| *time < t);
        let near = match after.checked_sub(1) {
            Some(before) if after == self.times.len() || t - self.times[before] < self.times[after] - t => {
                before
            }
            _ => after,
        };
        self.rows[near][column] + self.off(value, near, column)
    }
}
