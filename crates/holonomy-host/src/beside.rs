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

#[cfg(test)]
mod tests {
    use super::*;
    use holonomy_model::{Source, load};

    /// What is said of a model whose effort is in a file of this name, beside it.
    fn said(folder: &Path, file: &str) -> String {
        let text = format!(
            "space = \"tree\"\n[[body]]\nname = \"a\"\nmass = 1\n\
             joint = {{ kind = \"prismatic\", axis = [0, 0, 1] }}\neffort = {{ file = \"{file}\" }}\n\
             [method]\nname = \"tree-variational\"\n[run]\nstep = 0.01\nsteps = 10\n"
        );
        let source = Source::new("model.toml", text).beside(beside(&folder.join("model.toml")));
        match load(&source) {
            Ok(model) => model.to_toml(),
            Err(problems) => problems[0].message.clone(),
        }
    }

    #[test]
    fn files_are_found_beside_the_model_and_what_is_none_is_refused() {
        let folder = std::env::temp_dir().join(format!("holonomy-beside-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("loads")).expect("a folder");
        let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("written");
        write("loads/push.csv", b"t,f\n0,1\n0.5,2\n");
        write("binary.csv", b"t,f\n\xff\xfe");
        let good = said(&folder, "loads/push.csv");
        assert!(good.contains("0.5") && !good.contains("file"), "{good}");
        for (file, expected) in [
            ("pull.csv", "there is no file"),
            ("loads", "is no file"),
            ("binary.csv", "it is no text in UTF-8, at byte 4"),
        ] {
            let found = said(&folder, file);
            assert!(
                found.starts_with(&format!("`{file}` cannot be read: ")) && found.contains(expected),
                "{found}"
            );
        }
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
