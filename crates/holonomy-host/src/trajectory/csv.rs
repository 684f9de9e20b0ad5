use super::{Mark, Rows, Writer};
use std::{
    fs::File,
    io::{self, Seek, SeekFrom, Write},
};

/// Comma-separated text; every number reads back as it was.
pub(super) struct CsvWriter {
    file: File,
    /// Lines that are not on the disk.
    text: String,
    /// Bytes that are.
    length: u64,
    rows: u64,
}

/// Text that is held back until it is written.
const BUFFER: usize = 1 << 16;

impl CsvWriter {
    pub(super) fn new(file: File, columns: &[String], mark: Option<Mark>) -> Self {
        let (text, length, rows) = match mark {
            Some(mark) => (mark.text, mark.length, mark.rows),
            None => {
                let names: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
                (names.join(",") + "\n", 0, 0)
            }
        };
        Self {
            file,
            text,
            length,
            rows,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.length))?;
        self.file.write_all(self.text.as_bytes())?;
        self.length += self.text.len() as u64;
        self.text.clear();
        Ok(())
    }
}

impl Rows for CsvWriter {
    fn push(&mut self, numbers: &[f64]) -> io::Result<()> {
        use std::fmt::Write;
        for (index, number) in numbers.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            // The shortest digits that read back to the same number, with an exponent where that is shorter. Writing to
            // memory does not fail.
            let _ = write!(self.text, "{comma}{number:?}");
        }
        self.text.push('\n');
        self.rows += 1;
        match self.text.len() >= BUFFER {
            true => self.flush(),
            false => Ok(()),
        }
    }

    fn settle(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn mark(&self) -> Mark {
        Mark {
            rows: self.rows,
            length: self.length,
            text: self.text.clone(),
            ..Mark::default()
        }
    }
}

impl Writer for CsvWriter {
    fn finish(mut self: Box<Self>) -> io::Result<File> {
        self.flush()?;
        Ok(self.file)
    }
}

pub(super) fn quoted(name: &str) -> String {
    if name.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
