use super::{Fault, Flaw, Samples};
use std::{
    fs::File,
    io::{BufRead, BufReader, Seek, SeekFrom},
};

/// Lines of text.
pub(super) struct CsvSamples {
    file: BufReader<File>,
    columns: usize,
    /// Where the lines begin.
    lines: Vec<u64>,
    line: String,
}

impl CsvSamples {
    pub(super) fn open(file: File, columns: &[String]) -> Result<Self, Fault> {
        let mut file = BufReader::with_capacity(1 << 16, file);
        let mut line = String::new();
        let mut at = file.read_line(&mut line)? as u64;
        let names: Vec<String> = columns
            .iter()
            .map(|name| super::super::csv::quoted(name))
            .collect();
        if line.trim_end_matches('\n') != names.join(",") {
            return Err(Flaw::Columns.into());
        }
        let mut lines = Vec::new();
        loop {
            line.clear();
            match file.read_line(&mut line)? {
                0 => break,
                count => {
                    lines.push(at);
                    at += count as u64;
                }
            }
        }
        Ok(Self {
            file,
            columns: columns.len(),
            lines,
            line,
        })
    }

    fn read(&mut self, index: usize) -> Result<&str, Fault> {
        let at = self.lines.get(index).ok_or(Flaw::Damaged)?;
        self.file.seek(SeekFrom::Start(*at))?;
        self.line.clear();
        self.file.read_line(&mut self.line)?;
        Ok(self.line.trim_end_matches('\n'))
    }
}

impl Samples for CsvSamples {
    fn times(&mut self) -> Result<Vec<f64>, Fault> {
        let first = |line: &str| line.split(',').next().and_then(|number| number.parse().ok());
        (0..self.lines.len())
            .map(|index| first(self.read(index)?).ok_or(Flaw::Damaged.into()))
            .collect()
    }

    fn row(&mut self, index: usize, out: &mut Vec<f64>) -> Result<(), Fault> {
        let columns = self.columns;
        for number in self.read(index)?.split(',') {
            out.push(number.parse().map_err(|_| Flaw::Damaged)?);
        }
        match out.len() == columns {
            true => Ok(()),
            false => Err(Flaw::Damaged.into()),
        }
    }
}
