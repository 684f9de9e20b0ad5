use super::{Mark, Rows, Writer, blocks::Blocks};
use holonomy::system::Layout;
use std::{
    fs::File,
    io::{self, Seek, SeekFrom, Write},
};
use zip::{CompressionMethod, ZipWriter, result::ZipError, write::SimpleFileOptions};

/// NumPy arrays: of bodies on spheres `t`, `kinetic`, `potential` of K numbers, `q` and `omega` of K × n × 3; of all else
/// one array of K numbers per column, under its name.
///
/// The header of an array states its length, which is known only at the end; until then the rows grow in a work file.
pub(super) struct NpzWriter {
    file: File,
    arrays: Vec<Array>,
    rows: Blocks,
}

struct Array {
    name: String,
    /// Vectors per row; `None` for one number per row.
    vectors: Option<usize>,
}

impl Array {
    /// Numbers in a row.
    fn width(&self) -> usize {
        self.vectors.map_or(1, |vectors| 3 * vectors)
    }
}

impl NpzWriter {
    pub(super) fn new(
        file: File,
        work: File,
        layout: &Layout,
        columns: Vec<String>,
        mark: Option<Mark>,
    ) -> io::Result<Self> {
        let rows = Blocks::new(work, columns.len(), &[], mark)?;
        let n = layout.words.bodies.len();
        let vectors = layout.drawing.bases.len() == n && layout.coordinates.len() == 3 * n;
        let shapes: Vec<(String, Option<usize>)> = if vectors {
            let first = ["t", "kinetic", "potential"].map(|name| (name.to_owned(), None));
            let each = ["q", "omega"].map(|name| (name.to_owned(), Some(n)));
            let others = columns.into_iter().skip(3 + 6 * n).map(|name| (name, None));
            first.into_iter().chain(each).chain(others).collect()
        } else {
            columns.into_iter().map(|name| (name, None)).collect()
        };
        let arrays = shapes.into_iter().map(|(name, vectors)| Array { name, vectors });
        Ok(Self {
            file,
            arrays: arrays.collect(),
            rows,
        })
    }
}

impl Rows for NpzWriter {
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

impl Writer for NpzWriter {
    fn finish(mut self: Box<Self>) -> io::Result<File> {
        self.rows.flush_all()?;
        let mut archive = ZipWriter::new(Steady::new(self.file));
        let groups = self.rows.groups.clone();
        let (mut columns, mut rows) = (Vec::new(), Vec::new());
        let mut first = 0;
        for array in &self.arrays {
            let width = array.width();
            let header = header(self.rows.rows(), array.vectors);
            let size = header.len() as u64 + 8 * width as u64 * self.rows.rows();
            let options = SimpleFileOptions::default()
                .compression_method(CompressionMethod::Stored)
                .large_file(size >= u64::from(u32::MAX));
            archive
                .start_file(format!("{}.npy", array.name), options)
                .map_err(plain)?;
            archive.write_all(&header)?;
            for group in &groups {
                self.rows.read(group, first, width, &mut columns)?;
                if width == 1 {
                    archive.write_all(&columns)?;
                    continue;
                }
                // From columns to rows.
                rows.clear();
                for row in 0..group.rows {
                    for column in columns.chunks_exact(8 * group.rows) {
                        rows.extend_from_slice(&column[8 * row..8 * row + 8]);
                    }
                }
                archive.write_all(&rows)?;
            }
            first += width;
        }
        archive.finish().map_err(plain)?.ended()
    }
}

/// A file that keeps its first error to the end, since an archive that meets one panics when it is dropped.
struct Steady {
    file: File,
    position: u64,
    end: u64,
    failed: Option<io::Error>,
}

impl Steady {
    /// Of a file that is empty.
    fn new(file: File) -> Self {
        Self {
            file,
            position: 0,
            end: 0,
            failed: None,
        }
    }

    fn ended(self) -> io::Result<File> {
        self.failed.map_or(Ok(self.file), Err)
    }

    fn try_to(&mut self, act: impl FnOnce(&mut File) -> io::Result<()>) {
        if self.failed.is_none() {
            self.failed = act(&mut self.file).err();
        }
    }
}

impl Write for Steady {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.try_to(|file| file.write_all(bytes));
        self.position += bytes.len() as u64;
        self.end = self.end.max(self.position);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Steady {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
            SeekFrom::End(by) => self.end.checked_add_signed(by),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        let start = SeekFrom::Start(self.position);
        self.try_to(|file| file.seek(start).map(drop));
        Ok(self.position)
    }
}

/// The header of an `.npy` file of version 1.0, padded so that the data start at a multiple of 64.
fn header(rows: u64, vectors: Option<usize>) -> Vec<u8> {
    shaped(&match vectors {
        None => format!("({rows},)"),
        Some(count) => format!("({rows}, {count}, 3)"),
    })
}

/// The same of any shape.
pub(crate) fn shaped(shape: &str) -> Vec<u8> {
    let mut text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
    let before = 10;
    let padding = 63 - (before + text.len()) % 64;
    text.push_str(&" ".repeat(padding));
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    // The text is well below 64 kB.
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

fn plain(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        other => io::Error::other(other),
    }
}
