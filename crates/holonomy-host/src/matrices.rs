//! Matrices as NumPy reads them.
use crate::trajectory::npz::shaped;
use std::io::{self, Cursor, Write};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// An archive `.npz` of named matrices, given row by row; a matrix without rows has `columns` all the same.
pub fn npz<'m>(matrices: impl IntoIterator<Item = (&'m str, &'m [Vec<f64>], usize)>) -> io::Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, rows, columns) in matrices {
        archive
            .start_file(format!("{name}.npy"), options)
            .map_err(io::Error::other)?;
        archive.write_all(&shaped(&format!("({}, {columns})", rows.len())))?;
        for number in rows.iter().flatten() {
            archive.write_all(&number.to_le_bytes())?;
        }
    }
    Ok(archive.finish().map_err(io::Error::other)?.into_inner())
}
