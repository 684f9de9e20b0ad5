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
    Mark, Rows, Writer,
    blocks::{Blocks, Group},
    thrift::{Element, Thrift},
};
use std::{
    fs::File,
    io::{self, BufWriter, Seek, SeekFrom, Write},
};

const MAGIC: &[u8; 4] = b"PAR1";

// Values of the enumerations in `parquet.thrift`.
const DOUBLE: i32 = 5;
const REQUIRED: i32 = 0;
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const UNCOMPRESSED: i32 = 0;
const DATA_PAGE: i32 = 0;

pub(super) struct ParquetWriter {
    columns: Vec<String>,
    rows: Blocks,
}

impl ParquetWriter {
    pub(super) fn new(file: File, columns: Vec<String>, mark: Option<Mark>) -> io::Result<Self> {
        let rows = Blocks::new(file, columns.len(), MAGIC, mark)?;
        Ok(Self { columns, rows })
    }

    /// The description of the file.
    fn write_metadata(&self, out: impl Write) -> io::Result<u64> {
        let mut thrift = Thrift::new(out);
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
        thrift.i64(3, self.rows.groups.iter().map(|group| group.rows as u64).sum())?;
        thrift.list(4, Element::Struct, self.rows.groups.len())?;
        for group in &self.rows.groups {
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

pub(super) fn page_header(rows: usize) -> io::Result<Vec<u8>> {
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

impl Rows for ParquetWriter {
    fn push(&mut self, numbers: &[f64]) -> io::Result<()> {
        self.rows.push(numbers)
    }

    fn settle(&mut self) -> io::Result<()> {
        self.rows.file.sync_data()
    }

    fn mark(&self) -> Mark {
        self.rows.mark()
    }
}

impl Writer for ParquetWriter {
    fn finish(mut self: Box<Self>) -> io::Result<File> {
        self.rows.flush_all()?;
        let mut out = BufWriter::with_capacity(1 << 16, &self.rows.file);
        out.seek(SeekFrom::Start(self.rows.offset))?;
        let length = self.write_metadata(&mut out)?;
        let length = u32::try_from(length).map_err(|_| {
            io::Error::other("the description of the file is too long; record fewer samples or use `npz`")
        })?;
        out.write_all(&length.to_le_bytes())?;
        out.write_all(MAGIC)?;
        out.flush()?;
        drop(out);
        Ok(self.rows.file)
    }
}
