//! Where the files of a command go.
use crate::OutputArguments;
use holonomy_host::folder::{Folder, FolderError, Replace};
use holonomy_model::Source;
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

impl OutputArguments {
    /// The folder for files of these names, `runs/NAME` unless the user says otherwise; `None` if none are wanted. A
    /// model that lies there already, because it is the model of that run, goes to `runs/NAME-again`.
    pub(crate) fn folder(
        &self,
        name: &str,
        model: &Source,
        files: &'static [&'static str],
    ) -> Result<Option<Folder>, FolderError> {
        if self.no_files {
            return Ok(None);
        }
        let usual = Path::new("runs").join(name);
        let path = match &self.out {
            Some(path) => path.clone(),
            None if lies_in(Path::new(model.name()), &usual) => {
                Path::new("runs").join(format!("{name}-again"))
            }
            None => usual,
        };
        open_folder(&path, model, files, self.force).map(Some)
    }
}

/// Opens a folder for files of these names. What this program put there may be replaced by force, but never the model that
/// is to be run.
pub(crate) fn open_folder(
    path: &Path,
    model: &Source,
    files: &'static [&'static str],
    force: bool,
) -> Result<Folder, FolderError> {
    let model = Path::new(model.name());
    let name = model.file_name().unwrap_or_default();
    if lies_in(model, path) && files.iter().any(|file| *file == name) {
        return Err(FolderError::Input {
            path: model.to_owned(),
        });
    }
    let replace = if force { Replace::Ours } else { Replace::Nothing };
    Folder::open(path, files, replace)
}

fn lies_in(file: &Path, folder: &Path) -> bool {
    let (Ok(file), Ok(folder)) = (file.canonicalize(), folder.canonicalize()) else {
        return false;
    };
    file.parent() == Some(&folder)
}

/// The path of a folder with a slash at its end.
pub(crate) fn shown(path: &Path) -> String {
    let slashed: PathBuf = path.join("");
    slashed.display().to_string()
}

/// The command line as it was typed, quoted where a shell needs it.
pub(crate) fn command_line() -> String {
    let words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    format!("holonomy {words}")
}

/// The words behind the name of the program.
static WORDS: Mutex<String> = Mutex::new(String::new());

/// From now on these are the words of the command line, the name of the program first.
pub(crate) fn remember(words: &[OsString]) {
    let words: Vec<String> = (words.iter().skip(1))
        .map(|word| quoted(&word.to_string_lossy()))
        .collect();
    *WORDS.lock().unwrap_or_else(PoisonError::into_inner) = words.join(" ");
}

pub(crate) fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./=,:+@%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("--set"), "--set");
        assert_eq!(quoted("chain.links=64"), "chain.links=64");
        assert_eq!(quoted("10 ms"), "'10 ms'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
