//! Tables in Parquet that other programs wrote: columns of numbers, words or truth values, as pandas, polars, DuckDB and
//! R write them by default.
use super::{AxisValues, list::Column};
use parquet::{
    errors::ParquetError,
    file::reader::{FileReader, SerializedFileReader},
    record::Field,
};
use std::{fs::File, io, path::Path};

/// Why a table cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum TableFault {
    #[error("{0}")]
    Disk(#[from] io::Error),
    #[error("it cannot be read as Parquet: {0}")]
    Parquet(#[from] ParquetError),
    #[error("it has no rows")]
    Empty,
    #[error("its column `{name}` is neither numbers nor words")]
    Kind { name: String },
    #[error("row {row}: there is no `{name}`")]
    Missing { row: usize, name: String },
    #[error("row {row}: `{name}` is not a finite number")]
    Infinite { row: usize, name: String },
}

/// All columns, but for those that pandas makes of the labels of its rows.
pub(super) fn columns(path: &Path) -> Result<Vec<Column>, TableFault> {
    let reader = SerializedFileReader::new(File::open(path)?)?;
    let schema = reader.metadata().file_metadata().schema();
    let names: Vec<String> = schema
        .get_fields()
        .iter()
        .map(|field| field.name().to_owned())
        .collect();
    let is_index = |name: &str| name.starts_with("__index_level_") && name.ends_with("__");
    let mut found: Vec<Option<AxisValues>> = vec![None; names.len()];
    for (row, fields) in reader.get_row_iter(None)?.enumerate() {
        let fields = fields?;
        for (place, (name, field)) in fields.get_column_iter().enumerate() {
            if is_index(name) {
                continue;
            }
            take(&mut found[place], field).map_err(|slip| slip.at(row + 1, name))?;
        }
    }
    let taken = names.into_iter().zip(found);
    let columns: Vec<Column> = taken.filter_map(|(name, values)| Some((name, values?))).collect();
    match columns.is_empty() {
        true => Err(TableFault::Empty),
        false => Ok(columns),
    }
}

/// What is wrong with a field.
enum Slip {
    Kind,
    Missing,
    Infinite,
}

impl Slip {
    fn at(self, row: usize, name: &str) -> TableFault {
        let name = name.to_owned();
        match self {
            Self::Kind => TableFault::Kind { name },
            Self::Missing => TableFault::Missing { row, name },
            Self::Infinite => TableFault::Infinite { row, name },
        }
    }
}

/// Adds a field to its column.
fn take(column: &mut Option<AxisValues>, field: &Field) -> Result<(), Slip> {
    let number = match field {
        Field::Byte(number) => Some(f64::from(*number)),
        Field::Short(number) => Some(f64::from(*number)),
        Field::Int(number) => Some(f64::from(*number)),
        Field::Long(number) => Some(*number as f64),
        Field::UByte(number) => Some(f64::from(*number)),
        Field::UShort(number) => Some(f64::from(*number)),
        Field::UInt(number) => Some(f64::from(*number)),
        Field::ULong(number) => Some(*number as f64),
        Field::Float16(number) => Some(f64::from(*number)),
        Field::Float(number) => Some(f64::from(*number)),
        Field::Double(number) => Some(*number),
        _ => None,
    };
    let word = match field {
        Field::Str(word) => Some(word.clone()),
        Field::Bool(truth) => Some(truth.to_string()),
        _ => None,
    };
    match (number, word, column) {
        (Some(number), _, _) if !number.is_finite() => return Err(Slip::Infinite),
        (Some(number), _, Some(AxisValues::Numbers(numbers))) => numbers.push(number),
        (Some(number), _, column @ None) => *column = Some(AxisValues::Numbers(vec![number])),
        (_, Some(word), Some(AxisValues::Words(words))) => words.push(word),
        (_, Some(word), column @ None) => *column = Some(AxisValues::Words(vec![word])),
        _ if matches!(field, Field::Null) => return Err(Slip::Missing),
        _ => return Err(Slip::Kind),
    }
    Ok(())
}
