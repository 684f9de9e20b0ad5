//! How files take their places together.
//!
//! ```text
//! 1  all new files are on the disk under hidden names
//! 2  .holonomy says which they are: from here on it is decided
//! 3  the seal of what was there goes, new names are given, the seal last; what has no successor goes
//! 4  .holonomy says that it is done, and stays: the list of files that are ours
//! ```
//! Who finds a folder between 2 and 4 begins with 3 again, so that a program that is killed there leaves nothing mixed;
//! and without a seal, its last file, a folder holds no whole result.
use super::{FolderError, disk, hidden, is_plain, sync, write_whole};
use serde::{Deserialize, Serialize};
use std::{fs, io, path::Path};

/// The list of our files in a folder.
const LIST: &str = ".holonomy";

/// What is ours in a folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Placing {
    /// Files that were put there, also those that are taking their places now.
    pub(super) files: Vec<String>,
    /// Files that are taking their places, the seal last; none once it is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) placing: Vec<String>,
    /// Files that then go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) leaving: Vec<String>,
    /// Hidden files that go with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<String>,
}

impl Placing {
    /// What is said of a folder; nothing where nothing is.
    pub(super) fn read(folder: &Path) -> Self {
        let text = fs::read_to_string(folder.join(LIST)).unwrap_or_default();
        let list: Self = serde_json::from_str(&text).unwrap_or_default();
        let lists = [&list.files, &list.placing, &list.leaving, &list.parts];
        let plain = lists.into_iter().flatten().all(|name| is_plain(name));
        if plain { list } else { Self::default() }
    }

    /// Decides that files take their places.
    pub(super) fn write(&self, folder: &Path) -> Result<(), FolderError> {
        let text = serde_json::to_string(self).unwrap_or_default();
        let place = folder.join(LIST);
        write_whole(folder, "holonomy", &place, text.as_bytes()).map_err(disk("write", &place))
    }

    /// Gives files their places, or goes on with that.
    pub(super) fn finish(mut self, folder: &Path) -> Result<(), FolderError> {
        let Some(seal) = self.placing.last() else {
            return Ok(());
        };
        let gone = |path: &Path| match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(disk("remove", path)(error)),
            _ => Ok(()),
        };
        if hidden(folder, seal).exists() {
            gone(&folder.join(seal))?;
            sync(folder).map_err(disk("replace", &folder.join(seal)))?;
        }
        for name in &self.placing {
            let path = folder.join(name);
            match fs::rename(hidden(folder, name), &path) {
                // It has its place already.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                done => done.map_err(disk("replace", &path))?,
            }
        }
        for name in &self.leaving {
            gone(&folder.join(name))?;
        }
        for name in &self.parts {
            gone(&hidden(folder, name))?;
        }
        sync(folder).map_err(disk("write", folder))?;
        (self.placing, self.leaving, self.parts) = Default::default();
        self.write(folder)
    }
}
