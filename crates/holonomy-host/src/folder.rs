//! A directory whose files appear whole or not at all.
use std::{
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// A directory that is being filled.
///
/// Files are written under hidden names and take their places together in [`Folder::commit`]; until then what was
/// there before stays. A folder that is dropped before leaves nothing behind.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Every file that may stand here.
    known: &'static [&'static str],
    /// Written and waiting for their places.
    ready: Vec<&'static str>,
    /// Directories that did not exist before, outermost first.
    made: Vec<PathBuf>,
    /// Held against another program that fills the same directory.
    _lock: Option<File>,
}

/// The files that a run writes, in the order in which they take their places: the summary last, so that where there
/// is a summary there is a whole run.
pub const RUN_FILES: &[&str] = &[
    "model.toml",
    "trajectory.parquet",
    "trajectory.csv",
    "trajectory.npz",
    "energy.svg",
    "momentum.svg",
    "trajectory.svg",
    "views.svg",
    "configurations.svg",
    "warmth.svg",
    "attitude.svg",
    "coordinates.svg",
    "phase.svg",
    "path.svg",
    "constraint.svg",
    "film.json",
    "report.html",
    "summary.json",
];

/// Files of a run that goes on, which have hidden names only: somebody asks for its film, and the film.
pub(crate) const LIVE_FILES: [&str; 2] = ["film-wanted", "film-so-far.json"];

/// Why a folder cannot be filled.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It has files that would be replaced.
    #[error("{} already holds {file}", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
        /// One of the files.
        file: &'static str,
    },
    /// Another program is filling it.
    #[error("another run is writing to {}", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// The disk refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Disk {
        /// What was tried.
        action: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
}

impl Folder {
    /// Opens a directory, and makes it if need be. If it already holds one of the `known` files it is refused, unless
    /// they may be replaced.
    pub fn open(path: &Path, known: &'static [&'static str], replace: bool) -> Result<Self, FolderError> {
        let mut folder = Self {
            path: path.to_owned(),
            known,
            ready: Vec::new(),
            made: Vec::new(),
            _lock: None,
        };
        folder.make_directories()?;
        folder.lock()?;
        let existing = known
            .iter()
            .find(|file| fs::symlink_metadata(path.join(file)).is_ok());
        match existing {
            Some(&file) if !replace => Err(FolderError::Exists {
                path: path.to_owned(),
                file,
            }),
            _ => Ok(folder),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins a file that is filled while a run goes on; [`Folder::take`] ends it.
    pub fn stream(&self, name: &'static str) -> Result<File, FolderError> {
        let path = self.hidden(name);
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path);
        file.map_err(disk("create", &self.path.join(name)))
    }

    /// Ends a file begun by [`Folder::stream`].
    pub fn take(&mut self, name: &'static str, file: &File) -> Result<(), FolderError> {
        file.sync_all().map_err(disk("write", &self.path.join(name)))?;
        self.ready.push(name);
        Ok(())
    }

    /// Adds a whole file.
    pub fn add(&mut self, name: &'static str, text: &str) -> Result<(), FolderError> {
        let mut file = self.stream(name)?;
        file.write_all(text.as_bytes())
            .map_err(disk("write", &self.path.join(name)))?;
        self.take(name, &file)
    }

    /// An error of a file begun by [`Folder::stream`].
    pub fn failure(&self, name: &'static str, source: io::Error) -> FolderError {
        disk("write", &self.path.join(name))(source)
    }

    /// Puts all files in their places, and removes those of an earlier run that have no successor.
    pub fn commit(mut self) -> Result<(), FolderError> {
        let ready = std::mem::take(&mut self.ready);
        let (placed, left): (Vec<&str>, Vec<&str>) = self.known.iter().partition(|name| ready.contains(name));
        for name in placed {
            let path = self.path.join(name);
            fs::rename(self.hidden(name), &path).map_err(disk("replace", &path))?;
        }
        for name in left {
            let path = self.path.join(name);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(disk("remove", &path)(error));
                }
                _ => {}
            }
        }
        self.made.clear();
        if let Ok(directory) = File::open(&self.path) {
            // The names reach the disk too; where directories cannot be synced there is nothing to do.
            let _ = directory.sync_all();
        }
        Ok(())
    }

    /// Whether another program is filling a directory. After one that was killed it is not.
    pub fn is_being_filled(path: &Path) -> bool {
        // Only where there are files of a run is it tried to take the lock, which might be in the way of one that begins.
        let begun = ["parquet", "csv", "npz"]
            .iter()
            .any(|end| path.join(format!(".trajectory.{end}.part")).exists());
        let locked = |directory: File| matches!(directory.try_lock(), Err(TryLockError::WouldBlock));
        begun && File::open(path).is_ok_and(locked)
    }

    fn hidden(&self, name: &str) -> PathBuf {
        self.path.join(format!(".{name}.part"))
    }

    fn make_directories(&mut self) -> Result<(), FolderError> {
        let missing = self
            .path
            .ancestors()
            .take_while(|path| !path.as_os_str().is_empty() && !path.exists());
        let missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        for path in missing.into_iter().rev() {
            match fs::create_dir(&path) {
                Ok(()) => self.made.push(path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
                Err(error) => return Err(disk("create the directory", &path)(error)),
            }
        }
        Ok(())
    }

    /// Locks the directory itself, so that no lock file can be left behind. Where directories cannot be locked, two
    /// runs in one directory are the user's affair.
    fn lock(&mut self) -> Result<(), FolderError> {
        let Ok(directory) = File::open(&self.path) else {
            return Ok(());
        };
        match directory.try_lock() {
            Err(TryLockError::WouldBlock) => Err(FolderError::Busy {
                path: self.path.clone(),
            }),
            _ => {
                self._lock = Some(directory);
                Ok(())
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self._lock.is_some() {
            for name in self.known.iter().chain(&LIVE_FILES) {
                let _ = fs::remove_file(self.hidden(name));
            }
        }
        // Only directories that are empty can be removed.
        for path in self.made.iter().rev() {
            let _ = fs::remove_dir(path);
        }
    }
}

fn disk(action: &'static str, path: &Path) -> impl Fn(io::Error) -> FolderError {
    let path = path.to_owned();
    move |source| FolderError::Disk {
        action,
        path: path.clone(),
        source,
    }
}
