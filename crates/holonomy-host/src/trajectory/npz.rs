use super::{Row, Writer};
use holonomy::system::Layout;
use std::{
    fs::{self, File},
    io::{self, BufWriter, Read, Seek, Write},
    path::Path,
};
use zip::{CompressionMethod, ZipWriter, result::ZipError, write::SimpleFileOptions};

/// NumPy arrays: of bodies on spheres `t`, `kinetic`, `potential` of K numbers, `q` and `omega` of K × n × 3; of other
/// systems one array of K numbers per column, under its name.
///
/// The header of an array states its length, which is known only at the end; until then each array grows in a work
/// file of its own.
pub(super) struct NpzWriter {
    file: File,
    arrays: Vec<Array>,
    rows: u64,
}

struct Array {
    name: String,
    /// Vectors per row; `None` for one number per row.
    vectors: Option<usize>,
    work: BufWriter<File>,
}

impl NpzWriter {
    pub(super) fn new(file: File, folder: &Path, layout: &Layout, columns: Vec<String>) -> io::Result<Self> {
        let n = layout.words.bodies.len();
        let vectors = layout.drawing.bases.len() == n && layout.coordinates.len() == 3 * n;
        let shapes: Vec<(String, Option<usize>)> = if vectors {
            let first = ["t", "kinetic", "potential"].map(|name| (name.to_owned(), None));
            let each = ["q", "omega"].map(|name| (name.to_owned(), Some(n)));
            first.into_iter().chain(each).collect()
        } else {
            columns.into_iter().map(|name| (name, None)).collect()
        };
        let arrays = shapes.into_iter().enumerate().map(|(index, (name, vectors))| {
            let work = BufWriter::with_capacity(1 << 16, nameless(folder, index)?);
            Ok(Array { name, vectors, work })
        });
        Ok(Self {
            file,
            arrays: arrays.collect::<io::Result<_>>()?,
            rows: 0,
        })
    }
}

impl Writer for NpzWriter {
    fn push(&mut self, row: &Row) -> io::Result<()> {
        let mut numbers = row.numbers();
        for array in &mut self.arrays {
            let count = array.vectors.map_or(1, |vectors| 3 * vectors);
            for number in numbers.by_ref().take(count) {
                array.work.write_all(&number.to_le_bytes())?;
            }
        }
        self.rows += 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<File> {
        let mut archive = ZipWriter::new(self.file);
        for array in self.arrays {
            let mut work = array.work.into_inner().map_err(io::IntoInnerError::into_error)?;
            let header = header(self.rows, array.vectors);
            let size = header.len() as u64 + work.stream_position()?;
            let options = SimpleFileOptions::default()
                .compression_method(CompressionMethod::Stored)
                .large_file(size >= u64::from(u32::MAX));
            archive
                .start_file(format!("{}.npy", array.name), options)
                .map_err(plain)?;
            archive.write_all(&header)?;
            work.rewind()?;
            copy(&mut work, &mut archive)?;
        }
        archive.finish().map_err(plain)
    }
}

fn copy(from: &mut File, to: &mut impl Write) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 18];
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok(()),
            count => to.write_all(&buffer[..count])?,
        }
    }
}

/// The header of an `.npy` file of version 1.0, padded so that the data start at a multiple of 64.
fn header(rows: u64, vectors: Option<usize>) -> Vec<u8> {
    let shape = match vectors {
        None => format!("({rows},)"),
        Some(count) => format!("({rows}, {count}, 3)"),
    };
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

/// A work file that vanishes when it is closed.
fn nameless(folder: &Path, index: usize) -> io::Result<File> {
    let path = folder.join(format!(".column-{index}.npy.part"));
    let file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

fn plain(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        other => io::Error::other(other),
    }
}
