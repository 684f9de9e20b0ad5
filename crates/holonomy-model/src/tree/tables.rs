//! Tables of times and values, with a smooth curve through them, in the model or in a file beside it.
//!
//! ```text
//! { times = [0, 1, 2], values = [0, 0.5, 0] }
//! { file = "gust.csv", times = "t", values = "speed" }       columns by name, or by number from 1
//! ```
//! What a file holds is put into the model as it is loaded, so that it runs again without the file.
#[cfg(not(target_arch = "wasm32"))]
use super::csv::{Csv, MOST_ROWS};
use crate::{Located, Place, Problems, Section, Unit};
#[cfg(not(target_arch = "wasm32"))]
use crate::{Table, Value};
use holonomy::tree::{Spline, SplineError, Turning, turning_through};
use nalgebra::{Quaternion, UnitQuaternion};

const NO_FILES: &str = "no file can be read where this model is loaded";
const INLINE: &str =
    "write the numbers into the model, as `times` and `values`; the `model.toml` of a run has them";

/// Times, and numbers at them, row by row.
struct Rows {
    times: Vec<f64>,
    values: Vec<Vec<f64>>,
    place: Place,
    times_place: Place,
    values_place: Place,
    /// Where each time is written, or the line of the file it is in.
    each: Vec<Where>,
}

enum Where {
    Place(Place),
    #[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "a page reads no files"))]
    Line(String),
}

/// A table of numbers.
pub(super) fn spline(section: Section<'_>, unit: Unit) -> Option<Spline> {
    let rows = match section.holds("file") {
        true => from_file(&section, "values", 1),
        false => in_model(&section, unit),
    };
    let problems = section.problems();
    section.finish();
    let rows = rows?;
    let values: Vec<f64> = rows.values.iter().map(|row| row[0]).collect();
    rows.checked(
        problems,
        "write `{ times = [0, 1, 2], values = [0.5, 0.8, 0.5] }`",
    )?;
    Spline::new(&rows.times, &values).ok()
}

/// A table of rotations.
pub(super) fn turning(section: Section<'_>) -> Option<Turning> {
    let rows = match section.holds("file") {
        true => from_file(&section, "quaternions", 4),
        false => rotations_in_model(&section),
    };
    let problems = section.problems();
    section.finish();
    let rows = rows?;
    rows.checked(
        problems,
        "write `{ times = [0, 1], quaternions = [[1, 0, 0, 0], [0, 0, 0, 1]] }`",
    )?;
    let mut rotations: Vec<UnitQuaternion<f64>> = Vec::new();
    for (k, row) in rows.values.iter().enumerate() {
        let given = Quaternion::new(row[0], row[1], row[2], row[3]);
        // Digits of printed numbers; those of instruments have fewer.
        if !((given.norm() - 1.0).abs() <= 1e-3) {
            return problems
                .error(
                    rows.values_place.clone(),
                    format!(
                        "quaternion {} of the table has the length {}, not 1",
                        k + 1,
                        given.norm()
                    ),
                )
                .help("write unit quaternions `[w, x, y, z]`, one for each time")
                .none();
        }
        let rotation = UnitQuaternion::new_normalize(given);
        if let Some(before) = rotations.last()
            && before.coords.dot(&rotation.coords).abs() < 0.1
        {
            return problems
                .error(
                    rows.values_place.clone(),
                    format!(
                        "rotations {k} and {} of the table are nearly half a turn apart, so that the way between them is not known",
                        k + 1
                    ),
                )
                .help("give more of them, or `rotation = [\"…\", \"…\", \"…\"]`, a rotation vector")
                .none();
        }
        rotations.push(rotation);
    }
    turning_through(&rows.times, &rotations).ok()
}

fn in_model(section: &Section<'_>, unit: Unit) -> Option<Rows> {
    let times = section.required("times").numbers_in(Unit::SECOND);
    let values = section.required("values").numbers_in(unit);
    let (times, values) = (times?, values?);
    let rows = values.value.iter().map(|x| vec![x.value]).collect();
    Some(of_model(section, times, rows, values.place))
}

fn rotations_in_model(section: &Section<'_>) -> Option<Rows> {
    let times = section.required("times").numbers_in(Unit::SECOND);
    let values = section.required("quaternions").rows_in(4, Unit::NONE);
    let (times, values) = (times?, values?);
    Some(of_model(section, times, values.value, values.place))
}

fn of_model(
    section: &Section<'_>,
    times: Located<Vec<Located<f64>>>,
    values: Vec<Vec<f64>>,
    values_place: Place,
) -> Rows {
    Rows {
        times: times.value.iter().map(|t| t.value).collect(),
        values,
        place: section.place(),
        times_place: times.place,
        values_place,
        each: times.value.into_iter().map(|t| Where::Place(t.place)).collect(),
    }
}

/// A page has no files.
#[cfg(target_arch = "wasm32")]
fn from_file<'a>(section: &Section<'a>, key: &'a str, _: usize) -> Option<Rows> {
    let (_, _) = (section.has("times"), section.has(key));
    let file = section.required("file").string()?;
    section.problems().error(file.place, NO_FILES).help(INLINE).none()
}

/// Columns of a file, which are also put into the model.
#[cfg(not(target_arch = "wasm32"))]
fn from_file<'a>(section: &Section<'a>, key: &'a str, count: usize) -> Option<Rows> {
    let problems = section.problems();
    let file = section.required("file").string();
    let times = section.optional("times").reference();
    let columns = match count {
        1 => {
            let one = section.optional(key).reference();
            if one.is_none() && section.holds(key) {
                None
            } else {
                Some(one.into_iter().collect())
            }
        }
        _ if section.has(key) => section.optional(key).references().map(|list| list.value),
        _ => Some(Vec::new()),
    };
    let file = file?;
    let refuse = |message: String, help: &str| problems.error(file.place.clone(), message).help(help).none();
    let text = match problems.functions().files().text(file.value) {
        None => {
            return refuse(NO_FILES.to_owned(), INLINE);
        }
        Some(Err(why)) => {
            return refuse(
                format!("`{}` cannot be read: {why}", file.value),
                "a path starts at the folder of the model",
            );
        }
        Some(Ok(text)) => text,
    };
    let csv = Csv::new(&text);
    let wrong = |what: String| -> Option<Rows> {
        refuse(
            format!("`{}`: {what}", file.value),
            "a table has a number in each of its columns on every line, and times in order",
        )
    };
    if csv.rows() > MOST_ROWS {
        return wrong(format!(
            "it has {} rows, more than the {MOST_ROWS} allowed",
            csv.rows()
        ));
    }
    let names: Vec<String> = match csv.names.is_empty() {
        true => vec![String::new(); csv.columns],
        false => csv.names.iter().map(|name| (*name).to_owned()).collect(),
    };
    let find = |given: &Located<crate::Reference<'_>>| given.resolve("column", &names, problems);
    let time = match (&times, section.holds("times")) {
        (Some(given), _) => find(given),
        (None, given) => (!given).then_some(0),
    };
    let mut columns: Vec<Option<usize>> = columns?.iter().map(find).collect();
    if columns.is_empty() {
        columns = (1..=count).map(Some).collect();
    }
    let (time, columns) = (time?, columns.into_iter().collect::<Option<Vec<usize>>>()?);
    if columns.len() != count {
        let place = section.value_place(key).unwrap_or_else(|| section.place());
        return problems
            .error(
                place,
                format!("`{key}` names {} columns, not {count}", columns.len()),
            )
            .help(format!("write `{key} = [\"w\", \"x\", \"y\", \"z\"]`"))
            .none();
    }
    let numbers = |column: usize| match csv.numbers(column) {
        Ok(numbers) => Some(numbers),
        Err(what) => {
            wrong(what);
            None
        }
    };
    let times = numbers(time)?;
    if times.len() < 2 {
        let count = match times.len() {
            0 => "no rows",
            _ => "one row",
        };
        return refuse(
            format!(
                "`{}` has {count} of numbers; a table needs two or more",
                file.value
            ),
            "each row is a time, and what there is at that time",
        );
    }
    let each = columns
        .into_iter()
        .map(numbers)
        .collect::<Option<Vec<Vec<f64>>>>()?;
    let values: Vec<Vec<f64>> = (0..times.len())
        .map(|k| each.iter().map(|list| list[k]).collect())
        .collect();
    let mut table = Table::new();
    let list = |numbers: &[f64]| Value::List(numbers.iter().map(|x| Value::from(*x)).collect());
    table.insert("times", list(&times));
    table.insert(
        key,
        match count {
            1 => list(&each[0]),
            _ => Value::List(values.iter().map(|row| list(row)).collect()),
        },
    );
    problems.inline(section.path(), table);
    Some(Rows {
        each: (0..times.len())
            .map(|k| Where::Line(format!("`{}`: line {}", file.value, csv.line(k))))
            .collect(),
        times,
        values,
        place: file.place.clone(),
        times_place: file.place.clone(),
        values_place: file.place.clone(),
    })
}

impl Rows {
    /// Times in order, two or more, with values.
    fn checked(&self, problems: &Problems, example: &str) -> Option<()> {
        let zeros = vec![0.0; self.values.len()];
        match Spline::new(&self.times, &zeros) {
            Ok(_) => Some(()),
            Err(SplineError::Sizes) => {
                let (count, expected) = (self.values.len(), self.times.len());
                problems
                    .error(
                        self.values_place.clone(),
                        format!("there are {count} values for {expected} times"),
                    )
                    .help("give one value for each time")
                    .none()
            }
            Err(SplineError::NotIncreasing(k)) => {
                let (late, before) = (self.times[k - 1], self.times[k - 2]);
                let report = match &self.each[k - 1] {
                    Where::Place(place) => problems.error(
                        place.clone(),
                        format!(
                            "time {k} of the table, {late} s, is not later than the one before it, {before} s"
                        ),
                    ),
                    Where::Line(line) => problems.error(
                        self.times_place.clone(),
                        format!("{line}: the time {late} s is not later than the one before it, {before} s"),
                    ),
                };
                report.help("give the times in order, each once").none()
            }
            Err(error) => problems
                .error(self.place.clone(), error.to_string())
                .help(example)
                .none(),
        }
    }
}
