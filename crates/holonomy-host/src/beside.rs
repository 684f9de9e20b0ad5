//! Files that stand beside a model and that it names, such as tables of loads.
use holonomy_model::Files;
use std::{
    fs::File,
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
};

/// Bytes of such a file at most.
const MOST: u64 = 16 << 20;

/// Those in the folder of a model's file.
pub fn beside(model: &Path) -> Files {
    within(model.parent().unwrap_or(Path::new("")))
}

/// Those in a folder.
pub fn within(folder: &Path) -> Files {
    let folder: PathBuf = folder.to_owned();
    Files::new(move |path| text(&folder.join(path)))
}

fn text(path: &Path) -> Result<String, String> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => format!("there is no file {shown}"),
        _ => error.to_string(),
    };
    // A pipe or a device would be waited for.
    let kind = std::fs::metadata(path).map_err(unreadable)?;
    if !kind.is_file() {
        return Err(format!("{shown} is no file"));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MOST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST {
        return Err(format!("it has more than the {} MB allowed", MOST >> 20));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("it is no text in UTF-8, at byte {at}")
    })
}
