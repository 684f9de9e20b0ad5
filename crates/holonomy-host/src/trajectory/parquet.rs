//! Apache Parquet, one required column of doubles per number, plain and uncompressed.
//!
//! ```text
//! "PAR1"  row group …  FileMetaData  length of it (4 bytes)  "PAR1"
//! row group      a chunk per column, all of the same size
//! chunk          PageHeader, then the numbers, little-endian
//! ```
//! Written here and not by a library, because a library keeps a description of every chunk in memory, and a long run
//! of thousands of bodies has very many; here they follow from the offset and the rows of each group.
use super::{
    Row, Writer,
    thrift::{Element, Thrift},
};
use std::{
    fs::File,
    io::{self, BufWriter, Write},
};

/// Bytes of the rows that are held back until they make a row group; more if there are few of them, since every
/// column of every group is described.
const ROW_GROUP: usize = 4 << 20;
const FEW_ROWS: usize = 1000;
const LARGEST_GROUP: usize = 48 << 20;
const MAGIC: &[u8; 4] = b"PAR1";
/// Columns that are taken out of the rows together: those of a line of the cache.
const TOGETHER: usize = 8;

// Values of the enumerations in `parquet.thrift`.
const DOUBLE: i32 = 5;
const REQUIRED: i32 = 0;
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const UNCOMPRESSED: i32 = 0;
const DATA_PAGE: i32 = 0;

pub(super) struct ParquetWriter {
    file: BufWriter<File>,
    columns: Vec<String>,
    /// Rows of the group that is being filled, one after the other.
    pending: Vec<f64>,
    /// Some of its columns.
    taken: [Vec<u8>; TOGETHER],
    rows_per_group: usize,
    groups: Vec<Group>,
    /// Where the next group begins.
    offset: u64,
}

/// What is remembered of a row group.
struct Group {
    offset: u64,
    rows: usize,
    /// Size of each of its chunks.
    chunk: u64,
}

impl ParquetWriter {
    pub(super) fn new(file: File, columns: Vec<String>) -> io::Result<Self> {
        let mut file = BufWriter::with_capacity(1 << 16, file);
        file.write_all(MAGIC)?;
        let row = 8 * columns.len();
        let rows_per_group = (ROW_GROUP / row).max(FEW_ROWS).min(LARGEST_GROUP / row).max(1);
        Ok(Self {
            file,
            pending: Vec::with_capacity(rows_per_group * columns.len()),
            taken: Default::default(),
            rows_per_group,
            columns,
            groups: Vec::new(),
            offset: MAGIC.len() as u64,
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        let count = self.columns.len();
        let rows = self.pending.len() / count;
        let header = page_header(rows)?;
        for first in (0..count).step_by(TOGETHER) {
            let last = (first + TOGETHER).min(count);
            for row in self.pending.chunks_exact(count) {
                for (column, number) in self.taken.iter_mut().zip(&row[first..last]) {
                    column.extend(number.to_le_bytes());
                }
            }
            for column in &mut self.taken[..last - first] {
                self.file.write_all(&header)?;
                self.file.write_all(column)?;
                column.clear();
            }
        }
        let chunk = (header.len() + 8 * rows) as u64;
        self.groups.push(Group {
            offset: self.offset,
            rows,
            chunk,
        });
        self.offset += chunk * count as u64;
        self.pending.clear();
        Ok(())
    }

    /// The description of the file.
    fn write_metadata(&mut self) -> io::Result<u64> {
        let mut thrift = Thrift::new(&mut self.file);
        thrift.begin();
        thrift.i32(1, 1)?;
        thrift.list(2, Element::Struct, self.columns.len() + 1)?;
        thrift.begin();
        thrift.text(4, "trajectory")?;
        // A trajectory has far fewer columns than that.
        thrift.i32(5, self.columns.len() as i32)?;
        thrift.end()?;
        for column in &self.columns {
            thrift.begin();
            thrift.i32(1, DOUBLE)?;
            thrift.i32(3, REQUIRED)?;
            thrift.text(4, column)?;
            thrift.end()?;
        }
        thrift.i64(3, self.groups.iter().map(|group| group.rows as u64).sum())?;
        thrift.list(4, Element::Struct, self.groups.len())?;
        for group in &self.groups {
            group.describe(&self.columns, &mut thrift)?;
        }
        thrift.text(6, concat!("holonomy ", env!("CARGO_PKG_VERSION")))?;
        thrift.end()?;
        Ok(thrift.written)
    }
}

impl Group {
    fn describe(&self, columns: &[String], thrift: &mut Thrift<impl Write>) -> io::Result<()> {
        thrift.begin();
        thrift.list(1, Element::Struct, columns.len())?;
        for (index, column) in columns.iter().enumerate() {
            let offset = self.offset + index as u64 * self.chunk;
            thrift.begin();
            thrift.i64(2, offset)?;
            thrift.begin_field(3)?;
            thrift.i32(1, DOUBLE)?;
            thrift.list(2, Element::Integer, 1)?;
            thrift.integer(i64::from(PLAIN))?;
            thrift.list(3, Element::Text, 1)?;
            thrift.text_element(column)?;
            thrift.i32(4, UNCOMPRESSED)?;
            thrift.i64(5, self.rows as u64)?;
            thrift.i64(6, self.chunk)?;
            thrift.i64(7, self.chunk)?;
            thrift.i64(9, offset)?;
            thrift.end()?;
            thrift.end()?;
        }
        thrift.i64(2, self.chunk * columns.len() as u64)?;
        thrift.i64(3, self.rows as u64)?;
        thrift.end()
    }
}

fn page_header(rows: usize) -> io::Result<Vec<u8>> {
    let mut thrift = Thrift::new(Vec::new());
    // No group has a page that is too large for 32 bits.
    let (values, size) = (rows as i32, 8 * rows as i32);
    thrift.begin();
    thrift.i32(1, DATA_PAGE)?;
    thrift.i32(2, size)?;
    thrift.i32(3, size)?;
    thrift.begin_field(5)?;
    thrift.i32(1, values)?;
    thrift.i32(2, PLAIN)?;
    thrift.i32(3, RLE)?;
    thrift.i32(4, RLE)?;
    thrift.end()?;
    thrift.end()?;
    Ok(thrift.into_inner())
}

impl Writer for ParquetWriter {
    fn push(&mut self, row: &Row) -> io::Result<()> {
        row.append_to(&mut self.pending);
        if self.pending.len() >= self.rows_per_group * self.columns.len() {
            self.flush()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<File> {
        if !self.pending.is_empty() {
            self.flush()?;
        }
        let length = self.write_metadata()?;
        let length = u32::try_from(length).map_err(|_| {
            io::Error::other("the description of the file is too long; record fewer samples or use `npz`")
        })?;
        self.file.write_all(&length.to_le_bytes())?;
        self.file.write_all(MAGIC)?;
        self.file.into_inner().map_err(io::IntoInnerError::into_error)
    }
}
