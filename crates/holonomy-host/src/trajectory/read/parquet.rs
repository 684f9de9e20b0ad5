use super::{
    Fault, Flaw, Samples,
    thrift::{Kind, ThriftReader},
};
use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
};

/// Row groups, each with a chunk of plain numbers per column.
pub(super) struct ParquetSamples {
    file: File,
    columns: usize,
    groups: Vec<RowGroup>,
    /// The group that is in memory, and its numbers, column by column.
    current: Option<usize>,
    numbers: Vec<f64>,
    bytes: Vec<u8>,
}

#[derive(Default)]
struct RowGroup {
    /// The row it begins with.
    first: usize,
    rows: usize,
    /// Where the numbers of each column begin.
    chunks: Chunks,
}

/// All chunks of a group have the same size.
#[derive(Default)]
struct Chunks {
    offset: u64,
    size: u64,
    count: usize,
}

impl ParquetSamples {
    pub(super) fn open(mut file: File, columns: &[String]) -> Result<Self, Fault> {
        let mut tail = [0; 8];
        let end = file.seek(SeekFrom::End(-8)).map_err(|_| Flaw::Damaged)?;
        file.read_exact(&mut tail)?;
        let length = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
        if &tail[4..] != b"PAR1" || length > end {
            return Err(Flaw::Damaged.into());
        }
        file.seek(SeekFrom::Start(end - length))?;
        let mut description = vec![0; length as usize];
        file.read_exact(&mut description)?;
        let (names, groups) = metadata(&description)?;
        if names != columns {
            return Err(Flaw::Columns.into());
        }
        if groups.iter().any(|group| group.chunks.count != columns.len()) {
            return Err(Flaw::Damaged.into());
        }
        Ok(Self {
            file,
            columns: columns.len(),
            groups,
            current: None,
            numbers: Vec::new(),
            bytes: Vec::new(),
        })
    }

    /// Appends a column of a group to the numbers in memory.
    fn load(&mut self, group: usize, column: usize) -> Result<(), Fault> {
        let RowGroup { rows, chunks, .. } = &self.groups[group];
        let plain = 8 * *rows as u64;
        // The header of the only page stands before the numbers.
        let header = chunks
            .size
            .checked_sub(plain)
            .filter(|header| *header < 64)
            .ok_or(Flaw::Packing)?;
        let at = chunks.offset + column as u64 * chunks.size + header;
        self.file.seek(SeekFrom::Start(at))?;
        self.bytes.clear();
        let count = (&mut self.file).take(plain).read_to_end(&mut self.bytes)?;
        if count as u64 != plain {
            return Err(Flaw::Damaged.into());
        }
        let (eights, _) = self.bytes.as_chunks::<8>();
        self.numbers
            .extend(eights.iter().map(|eight| f64::from_le_bytes(*eight)));
        Ok(())
    }
}

impl Samples for ParquetSamples {
    fn times(&mut self) -> Result<Vec<f64>, Fault> {
        self.numbers.clear();
        for group in 0..self.groups.len() {
            self.load(group, 0)?;
        }
        Ok(std::mem::take(&mut self.numbers))
    }

    fn row(&mut self, index: usize, out: &mut Vec<f64>) -> Result<(), Fault> {
        let group = self.groups.partition_point(|group| group.first <= index);
        let group = group.checked_sub(1).ok_or(Flaw::Damaged)?;
        let (first, rows) = (self.groups[group].first, self.groups[group].rows);
        if index - first >= rows {
            return Err(Flaw::Damaged.into());
        }
        if self.current != Some(group) {
            self.current = None;
            self.numbers.clear();
            for column in 0..self.columns {
                self.load(group, column)?;
            }
            self.current = Some(group);
        }
        out.extend(
            self.numbers
                .chunks_exact(rows)
                .map(|column| column[index - first]),
        );
        Ok(())
    }
}

/// Names of the columns, and the row groups.
fn metadata(bytes: &[u8]) -> Result<(Vec<String>, Vec<RowGroup>), Flaw> {
    let mut thrift = ThriftReader::new(bytes);
    let (mut names, mut groups) = (Vec::new(), Vec::new());
    let mut rows = 0;
    while let Some((field, kind)) = thrift.field()? {
        match (field, kind) {
            (2, Kind::List) => {
                for element in 0..thrift.list()? {
                    let name = schema_element(&mut thrift)?;
                    // The first is the schema itself.
                    if element > 0 {
                        names.push(name);
                    }
                }
            }
            (4, Kind::List) => {
                for _ in 0..thrift.list()? {
                    let mut group = row_group(&mut thrift)?;
                    group.first = rows;
                    rows = rows.checked_add(group.rows).ok_or(Flaw::Damaged)?;
                    groups.push(group);
                }
            }
            _ => thrift.skip(kind)?,
        }
    }
    Ok((names, groups))
}

fn schema_element(thrift: &mut ThriftReader) -> Result<String, Flaw> {
    let mut name = String::new();
    thrift.begin();
    while let Some((field, kind)) = thrift.field()? {
        match (field, kind) {
            (4, Kind::Binary) => name = thrift.text()?,
            _ => thrift.skip(kind)?,
        }
    }
    Ok(name)
}

fn row_group(thrift: &mut ThriftReader) -> Result<RowGroup, Flaw> {
    let mut group = RowGroup::default();
    thrift.begin();
    while let Some((field, kind)) = thrift.field()? {
        match (field, kind) {
            (1, Kind::List) => {
                for index in 0..thrift.list()? {
                    let (offset, size) = chunk(thrift)?;
                    let chunks = &mut group.chunks;
                    if index == 0 {
                        *chunks = Chunks {
                            offset,
                            size,
                            count: 0,
                        };
                    }
                    let expected = size
                        .checked_mul(index as u64)
                        .and_then(|past| chunks.offset.checked_add(past));
                    if size != chunks.size || expected != Some(offset) {
                        return Err(Flaw::Packing);
                    }
                    chunks.count += 1;
                }
            }
            (3, Kind::Integer) => group.rows = thrift.integer()?.try_into().map_err(|_| Flaw::Damaged)?,
            _ => thrift.skip(kind)?,
        }
    }
    Ok(group)
}

/// Where a chunk begins, and how long it is.
fn chunk(thrift: &mut ThriftReader) -> Result<(u64, u64), Flaw> {
    let (mut offset, mut size) = (0, 0);
    let number = |thrift: &mut ThriftReader| thrift.integer()?.try_into().map_err(|_| Flaw::Damaged);
    thrift.begin();
    while let Some((field, kind)) = thrift.field()? {
        if (field, kind) != (3, Kind::Struct) {
            thrift.skip(kind)?;
            continue;
        }
        thrift.begin();
        while let Some((field, kind)) = thrift.field()? {
            match (field, kind) {
                (4, Kind::Integer) if thrift.integer()? != 0 => return Err(Flaw::Packing),
                (4, Kind::Integer) => {}
                (7, Kind::Integer) => size = number(thrift)?,
                (9, Kind::Integer) => offset = number(thrift)?,
                _ => thrift.skip(kind)?,
            }
        }
    }
    Ok((offset, size))
}
