use super::{Row, Writer};
use std::{
    fs::File,
    io::{self, BufWriter, Write},
};

/// Comma-separated text; every number reads back as it was.
pub(super) struct CsvWriter {
    file: BufWriter<File>,
}

impl CsvWriter {
    pub(super) fn new(file: File, columns: &[String]) -> io::Result<Self> {
        let mut file = BufWriter::with_capacity(1 << 16, file);
        for (index, name) in columns.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(file, "{comma}{}", quoted(name))?;
        }
        writeln!(file)?;
        Ok(Self { file })
    }
}

impl Writer for CsvWriter {
    fn push(&mut self, row: &Row) -> io::Result<()> {
        for (index, number) in row.numbers().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            // The shortest digits that read back to the same number, with an exponent where that is shorter.
            write!(self.file, "{comma}{number:?}")?;
        }
        writeln!(self.file)
    }

    fn finish(self: Box<Self>) -> io::Result<File> {
        self.file.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

pub(super) fn quoted(name: &str) -> String {
    if name.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
