//! The table of a sweep as Parquet: whole numbers, numbers that may be missing, and words.
//!
//! A column of one row group is one page, plain and uncompressed. Numbers that may be missing are written as the numbers
//! that are there, after a bit for each row that says which ones (a bit-packed run of Parquet's hybrid encoding).
use crate::trajectory::thrift::{Element, Thrift};
use std::io::{self, BufWriter, Write};

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: ColumnKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnKind {
    Whole,
    Number,
    Word,
}

/// A field of a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Field {
    Whole(i64),
    Number(Option<f64>),
    Word(String),
}

const MAGIC: &[u8; 4] = b"PAR1";
/// Rows of a group.
const GROUP: usize = 65_536;

// Values of the enumerations in `parquet.thrift`.
const INT64: i32 = 2;
const DOUBLE: i32 = 5;
const BYTE_ARRAY: i32 = 6;
const REQUIRED: i32 = 0;
const OPTIONAL: i32 = 1;
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const UTF8: i32 = 0;
const UNCOMPRESSED: i32 = 0;
const DATA_PAGE: i32 = 0;

impl ColumnKind {
    fn physical(self) -> i32 {
        match self {
            Self::Whole => INT64,
            Self::Number => DOUBLE,
            Self::Word => BYTE_ARRAY,
        }
    }
}

/// Values of one column that wait to become a page.
#[derive(Default)]
struct Pending {
    bytes: Vec<u8>,
    /// For each row whether there is a value, bit by bit.
    there: Vec<u8>,
}

struct Chunk {
    offset: u64,
    size: u64,
}

struct Group {
    rows: usize,
    chunks: Vec<Chunk>,
}

/// Takes rows one by one.
pub(super) struct TableWriter<W: Write> {
    out: BufWriter<W>,
    columns: Vec<Column>,
    pending: Vec<Pending>,
    rows: usize,
    groups: Vec<Group>,
    offset: u64,
}

impl<W: Write> TableWriter<W> {
    pub(super) fn new(out: W, columns: Vec<Column>) -> io::Result<Self> {
        let mut out = BufWriter::with_capacity(1 << 16, out);
        out.write_all(MAGIC)?;
        Ok(Self {
            pending: columns.iter().map(|_| Pending::default()).collect(),
            out,
            columns,
            rows: 0,
            groups: Vec::new(),
            offset: MAGIC.len() as u64,
        })
    }

    pub(super) fn push(&mut self, fields: impl IntoIterator<Item = Field>) -> io::Result<()> {
        for (pending, field) in self.pending.iter_mut().zip(fields) {
            if self.rows.is_multiple_of(8) {
                pending.there.push(0);
            }
            let there = match field {
                Field::Whole(number) => {
                    pending.bytes.extend(number.to_le_bytes());
                    true
                }
                Field::Number(Some(number)) => {
                    pending.bytes.extend(number.to_le_bytes());
                    true
                }
                Field::Number(None) => false,
                Field::Word(word) => {
                    pending.bytes.extend((word.len() as u32).to_le_bytes());
                    pending.bytes.extend(word.as_bytes());
                    true
                }
            };
            if let (true, Some(last)) = (there, pending.there.last_mut()) {
                *last |= 1 << (self.rows % 8);
            }
        }
        self.rows += 1;
        if self.rows == GROUP {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut chunks = Vec::with_capacity(self.columns.len());
        for (column, pending) in self.columns.iter().zip(&mut self.pending) {
            let mut levels = Vec::new();
            if column.kind == ColumnKind::Number {
                // One bit-packed run: its length in groups of eight, shifted, with the lowest bit set.
                let mut run = varint((pending.there.len() as u64) << 1 | 1);
                run.extend(&pending.there);
                levels.extend((run.len() as u32).to_le_bytes());
                levels.extend(run);
            }
            let size = levels.len() + pending.bytes.len();
            let header = page_header(self.rows, size)?;
            self.out.write_all(&header)?;
            self.out.write_all(&levels)?;
            self.out.write_all(&pending.bytes)?;
            let size = (header.len() + size) as u64;
            chunks.push(Chunk {
                offset: self.offset,
                size,
            });
            self.offset += size;
            *pending = Pending::default();
        }
        self.groups.push(Group {
            rows: self.rows,
            chunks,
        });
        self.rows = 0;
        Ok(())
    }

    /// Writes what is left, and the description of the table.
    pub(super) fn finish(mut self) -> io::Result<W> {
        if self.rows > 0 {
            self.flush()?;
        }
        let mut thrift = Thrift::new(&mut self.out);
        thrift.begin();
        thrift.i32(1, 1)?;
        thrift.list(2, Element::Struct, self.columns.len() + 1)?;
        thrift.begin();
        thrift.text(4, "cases")?;
        // Far fewer columns than that.
        thrift.i32(5, self.columns.len() as i32)?;
        thrift.end()?;
        for column in &self.columns {
            thrift.begin();
            thrift.i32(1, column.kind.physical())?;
            thrift.i32(
                3,
                if column.kind == ColumnKind::Number {
                    OPTIONAL
                } else {
                    REQUIRED
                },
            )?;
            thrift.text(4, &column.name)?;
            if column.kind == ColumnKind::Word {
                thrift.i32(6, UTF8)?;
            }
            thrift.end()?;
        }
        thrift.i64(3, self.groups.iter().map(|group| group.rows as u64).sum())?;
        thrift.list(4, Element::Struct, self.groups.len())?;
        for group in &self.groups {
            group.describe(&self.columns, &mut thrift)?;
        }
        thrift.text(6, concat!("holonomy ", env!("CARGO_PKG_VERSION")))?;
        thrift.end()?;
        let length = thrift.written as u32;
        self.out.write_all(&length.to_le_bytes())?;
        self.out.write_all(MAGIC)?;
        self.out.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

impl Group {
    fn describe(&self, columns: &[Column], thrift: &mut Thrift<impl Write>) -> io::Result<()> {
        thrift.begin();
        thrift.list(1, Element::Struct, columns.len())?;
        for (column, chunk) in columns.iter().zip(&self.chunks) {
            thrift.begin();
            thrift.i64(2, chunk.offset)?;
            thrift.begin_field(3)?;
            thrift.i32(1, column.kind.physical())?;
            thrift.list(2, Element::Integer, 2)?;
            thrift.integer(i64::from(PLAIN))?;
            thrift.integer(i64::from(RLE))?;
            thrift.list(3, Element::Text, 1)?;
            thrift.text_element(&column.name)?;
            thrift.i32(4, UNCOMPRESSED)?;
            thrift.i64(5, self.rows as u64)?;
            thrift.i64(6, chunk.size)?;
            thrift.i64(7, chunk.size)?;
            thrift.i64(9, chunk.offset)?;
            thrift.end()?;
            thrift.end()?;
        }
        thrift.i64(2, self.chunks.iter().map(|chunk| chunk.size).sum())?;
        thrift.i64(3, self.rows as u64)?;
        thrift.end()
    }
}

fn page_header(rows: usize, size: usize) -> io::Result<Vec<u8>> {
    let size = i32::try_from(size).map_err(|_| io::Error::other("a column of the table is too long"))?;
    let mut thrift = Thrift::new(Vec::new());
    thrift.begin();
    thrift.i32(1, DATA_PAGE)?;
    thrift.i32(2, size)?;
    thrift.i32(3, size)?;
    thrift.begin_field(5)?;
    thrift.i32(1, rows as i32)?;
    thrift.i32(2, PLAIN)?;
    thrift.i32(3, RLE)?;
    thrift.i32(4, RLE)?;
    thrift.end()?;
    thrift.end()?;
    Ok(thrift.into_inner())
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (number & 0x7f) as u8;
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}
