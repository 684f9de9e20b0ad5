use super::{Fault, Flaw, Samples};
use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
};
use zip::{CompressionMethod, ZipArchive};

/// NumPy arrays, one after the other in a file.
pub(super) struct NpzSamples {
    file: File,
    arrays: Vec<StoredArray>,
    rows: usize,
    bytes: Vec<u8>,
}

struct StoredArray {
    /// Where its numbers begin.
    offset: u64,
    /// Numbers in a row.
    width: usize,
}

impl NpzSamples {
    pub(super) fn open(file: File, columns: &[String]) -> Result<Self, Fault> {
        let mut again = file.try_clone()?;
        let damaged = |_| Flaw::Damaged;
        let mut archive = ZipArchive::new(file).map_err(damaged)?;
        let mut arrays = Vec::new();
        let (mut rows, mut width) = (0, 0);
        for index in 0..archive.len() {
            let (start, size) = {
                let entry = archive.by_index_raw(index).map_err(damaged)?;
                if entry.compression() != CompressionMethod::Stored {
                    return Err(Flaw::Packing.into());
                }
                let name = entry.name().strip_suffix(".npy").ok_or(Flaw::Columns)?;
                // Vectors of all bodies stand in one array; every other column has its own name.
                if columns.get(width).is_none_or(|column| column != name) && !matches!(name, "q" | "omega") {
                    return Err(Flaw::Columns.into());
                }
                (entry.data_start().ok_or(Flaw::Damaged)?, entry.size())
            };
            let mut head = [0; 10];
            again.seek(SeekFrom::Start(start))?;
            again.read_exact(&mut head)?;
            if &head[..8] != b"\x93NUMPY\x01\x00" {
                return Err(Flaw::Packing.into());
            }
            let head = 10 + u64::from(u16::from_le_bytes([head[8], head[9]]));
            let count = (size.checked_sub(head).ok_or(Flaw::Damaged)? / 8) as usize;
            if index == 0 {
                rows = count;
            }
            if rows == 0 || !count.is_multiple_of(rows) {
                return Err(Flaw::Damaged.into());
            }
            arrays.push(StoredArray {
                offset: start + head,
                width: count / rows,
            });
            width += count / rows;
        }
        match width == columns.len() {
            true => Ok(Self {
                file: again,
                arrays,
                rows,
                bytes: Vec::new(),
            }),
            false => Err(Flaw::Columns.into()),
        }
    }

    fn numbers(&mut self, at: u64, count: usize, out: &mut Vec<f64>) -> Result<(), Fault> {
        self.file.seek(SeekFrom::Start(at))?;
        self.bytes.resize(8 * count, 0);
        self.file.read_exact(&mut self.bytes)?;
        let (eights, _) = self.bytes.as_chunks::<8>();
        out.extend(eights.iter().map(|eight| f64::from_le_bytes(*eight)));
        Ok(())
    }
}

impl Samples for NpzSamples {
    fn times(&mut self) -> Result<Vec<f64>, Fault> {
        let at = self.arrays.first().ok_or(Flaw::Damaged)?.offset;
        let mut times = Vec::new();
        self.numbers(at, self.rows, &mut times)?;
        Ok(times)
    }

    fn row(&mut self, index: usize, out: &mut Vec<f64>) -> Result<(), Fault> {
        for array in 0..self.arrays.len() {
            let StoredArray { offset, width } = self.arrays[array];
            self.numbers(offset + 8 * (index * width) as u64, width, out)?;
        }
        Ok(())
    }
}
