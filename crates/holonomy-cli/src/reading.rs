//! Files of users, read as far as makes sense.
use crate::failure::Failure;
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// Bytes of a text at most: a hundred thousand bodies take six million.
pub(crate) const MOST: u64 = 16 << 20;

/// Reads a text file.
pub(crate) fn text(path: &Path) -> Result<String, Failure> {
    let open = || {
        let file = File::open(path)?;
        match file.metadata()?.is_dir() {
            true => Err(io::ErrorKind::IsADirectory.into()),
            false => Ok(file),
        }
    };
    let file = open().map_err(|source| Failure::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    text_of(file, path)
}

/// Reads text from something that has this name.
pub(crate) fn text_of(from: impl Read, path: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = from.take(MOST + 1).read_to_end(&mut bytes);
    read.map_err(|source| Failure::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    if bytes.len() as u64 > MOST {
        return Err(Failure::TooLarge {
            path: path.to_owned(),
        });
    }
    String::from_utf8(bytes).map_err(|error| Failure::NotText {
        path: path.to_owned(),
        at: error.utf8_error().valid_up_to(),
    })
}
