//! A directory whose files appear whole or not at all.
mod placing;

use crate::unfinished::Unfinished;
use placing::Placing;
use std::{
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

/// A directory that is being filled.
///
/// Files are written under hidden names and take their places together in [`Folder::commit`]; until then what was
/// there before stays. A folder that is dropped before leaves nothing behind, unless there is something to
/// [go on with](Folder::keep).
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Every file that may stand here.
    known: &'static [&'static str],
    /// Written and waiting for their places.
    ready: Vec<&'static str>,
    /// Directories that did not exist before, outermost first.
    made: Vec<PathBuf>,
    /// Whether hidden files stay when it is dropped.
    kept: AtomicBool,
    /// Held against another program that fills the same directory.
    _lock: Option<File>,
}

/// What may be replaced in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// Nothing.
    Nothing,
    /// Files that this program put there.
    Ours,
    /// All files of the names in question.
    Any,
}

/// The files that a run writes, in the order in which they take their places: the summary last, so that where there
/// is a summary there is a whole run.
pub const RUN_FILES: &[&str] = &[
    "model.toml",
    "trajectory.parquet",
    "trajectory.csv",
    "trajectory.npz",
    "outputs.svg",
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
    CHECKPOINT,
    "report.html",
    "summary.json",
];

/// Where a long run can go on after its end.
pub(crate) const CHECKPOINT: &str = "checkpoint.bin";

/// Where a run can go on that has not ended, or was interrupted. It has a hidden name only.
pub(crate) const UNFINISHED: &str = "unfinished";

/// Files of a run that goes on, which have hidden names only: somebody asks for its film, and the film.
pub(crate) const LIVE_FILES: [&str; 2] = ["film-wanted", "film-so-far.json"];

/// The files that a sweep writes, its table last: where there is a table, the sweep is whole.
pub(crate) const SWEEP_FILES: &[&str] = &["model.toml", "sweep.json", "sweep.html", TABLE];

/// The table of a sweep.
pub(crate) const TABLE: &str = "cases.parquet";

/// What a sweep is of that has not ended. It has a hidden name only.
pub(crate) const BEGUN: &str = "unfinished-sweep";

/// All files of a run that have hidden names only.
const WORK_FILES: [&str; 6] = [
    UNFINISHED,
    "unfinished.new",
    "trajectory.rows",
    "film-so-far.json.new",
    LIVE_FILES[0],
    LIVE_FILES[1],
];

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
    /// It has a file that would be replaced, and that this program did not put there.
    #[error("{} holds {file}, which holonomy did not put there", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// The file.
        file: &'static str,
    },
    /// It has the model that is to be run.
    #[error("{} is the model itself: its run would replace it", path.display())]
    Input {
        /// The model.
        path: PathBuf,
    },
    /// It has a run that was interrupted.
    #[error("{} holds a run that was interrupted", path.display())]
    Interrupted {
        /// The folder.
        path: PathBuf,
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
    /// Opens a directory, and makes it if need be. If it already holds one of the `known` files that may not be replaced,
    /// or a run that was interrupted, it is refused.
    pub fn open(path: &Path, known: &'static [&'static str], replace: Replace) -> Result<Self, FolderError> {
        let folder = Self::enter(path, known)?;
        let ours = Placing::read(path).files;
        for &file in known {
            let exists = fs::symlink_metadata(path.join(file)).is_ok();
            let path = path.to_owned();
            match replace {
                Replace::Nothing if exists => return Err(FolderError::Exists { path, file }),
                Replace::Ours if exists && !ours.iter().any(|name| name == file) => {
                    return Err(FolderError::Foreign { path, file });
                }
                _ => {}
            }
        }
        if replace == Replace::Nothing && folder.is_interrupted() {
            return Err(FolderError::Interrupted {
                path: path.to_owned(),
            });
        }
        folder.clear();
        folder.kept.store(false, Ordering::Relaxed);
        Ok(folder)
    }

    /// Opens the directory of a run to go on with it: its files may be replaced, and stay if nothing comes of it.
    pub fn reopen(path: &Path, known: &'static [&'static str]) -> Result<Self, FolderError> {
        if !path.is_dir() {
            return Err(disk("open", path)(io::ErrorKind::NotFound.into()));
        }
        Self::enter(path, known)
    }

    /// Finishes what another program had decided when it was killed: its files take their places. One that still runs
    /// does that itself.
    pub fn settle(path: &Path) -> Result<(), FolderError> {
        match Self::is_decided(path) {
            false => Ok(()),
            true => match Self::enter(path, &[]) {
                Err(FolderError::Busy { .. }) => Ok(()),
                entered => entered.map(drop),
            },
        }
    }

    /// Opens a directory, and makes it if need be, whatever it holds. Hidden files that are there are not ours yet.
    pub(crate) fn enter(path: &Path, known: &'static [&'static str]) -> Result<Self, FolderError> {
        let mut folder = Self {
            path: path.to_owned(),
            known,
            ready: Vec::new(),
            made: Vec::new(),
            kept: AtomicBool::new(true),
            _lock: None,
        };
        folder.make_directories()?;
        folder.lock()?;
        Placing::read(path).finish(path)?;
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a run was interrupted here. One that said nothing before power failed was not.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.known.contains(&CHECKPOINT) && Unfinished::is_begun(&self.hidden(UNFINISHED))
    }

    /// From now on hidden files stay when it is dropped: a run can go on with them.
    pub fn keep(&self) {
        self.kept.store(true, Ordering::Relaxed);
    }

    /// Whether they do.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept.load(Ordering::Relaxed)
    }

    /// Whether nothing is there but what a program leaves that is killed before it says what it does.
    pub(crate) fn is_empty(&self) -> bool {
        let new = |name: &str| format!(".{name}.new.part");
        let left = [".holonomy".to_owned(), new("holonomy"), new(BEGUN)];
        let is_left = |entry: fs::DirEntry| left.iter().any(|name| entry.file_name() == name.as_str());
        fs::read_dir(&self.path).is_ok_and(|mut entries| entries.all(|entry| entry.is_ok_and(is_left)))
    }

    /// Removes the files that are ours, the last first; refuses if one has its name that is not.
    pub(crate) fn remove_ours(&self) -> Result<(), FolderError> {
        let mut list = Placing::read(&self.path);
        let there = |name: &str| fs::symlink_metadata(self.path.join(name)).is_ok();
        let path = || self.path.clone();
        for &file in self.known.iter().filter(|name| there(name)) {
            if !list.files.iter().any(|name| name == file) {
                return Err(FolderError::Foreign { path: path(), file });
            }
        }
        for name in self.known.iter().rev().filter(|name| there(name)) {
            let path = self.path.join(name);
            fs::remove_file(&path).map_err(disk("remove", &path))?;
        }
        list.files.retain(|name| !self.known.contains(&name.as_str()));
        list.write(&self.path)
    }

    /// Begins a file that is filled while a run goes on; [`Folder::take`] ends it.
    pub fn stream(&self, name: &'static str) -> Result<File, FolderError> {
        fresh(&self.hidden(name)).map_err(disk("create", &self.path.join(name)))
    }

    /// Goes on with a file begun by [`Folder::stream`], of which so many bytes count.
    pub(crate) fn stream_on(&self, name: &'static str, length: u64) -> Result<File, FolderError> {
        let path = self.hidden(name);
        let open = || {
            let found = fs::symlink_metadata(&path)?;
            if !found.is_file() || found.len() < length {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let file = File::options().read(true).write(true).open(&path)?;
            file.set_len(length)?;
            Ok(file)
        };
        open().map_err(disk("go on with", &path))
    }

    /// Writes a hidden file in one piece, over one that was there before: after power fails there is the one or the
    /// other.
    pub(crate) fn put(&self, name: &'static str, bytes: &[u8]) -> Result<(), FolderError> {
        let place = self.hidden(name);
        write_whole(&self.path, name, &place, bytes).map_err(disk("write", &place))
    }

    /// Writes a hidden file that is of no use after power failed.
    pub(crate) fn note(&self, name: &'static str, bytes: &[u8]) -> Result<(), FolderError> {
        let (new, place) = (self.hidden(&format!("{name}.new")), self.hidden(name));
        let written = fresh(&new)
            .and_then(|mut file| file.write_all(bytes))
            .and_then(|()| fs::rename(&new, &place));
        written.map_err(disk("write", &place))
    }

    /// Cuts a hidden file off, as far as that can be done, and sees to it that what is left of it is on the disk.
    pub(crate) fn shorten(&self, name: &'static str, length: u64) -> io::Result<()> {
        let file = File::options().write(true).open(self.hidden(name))?;
        let _ = file.set_len(length);
        file.sync_all()
    }

    /// Removes hidden files but for some, and those that say where a run is.
    pub(crate) fn drop_parts(&self, but: &[&str]) {
        let names = self.hidden_names().filter(|name| !but.contains(name));
        for name in names.filter(|name| *name != UNFINISHED) {
            let _ = fs::remove_file(self.hidden(name));
        }
    }

    /// The bytes of a hidden file.
    pub(crate) fn read_hidden(&self, name: &'static str) -> Result<Vec<u8>, FolderError> {
        let path = self.hidden(name);
        fs::read(&path).map_err(disk("read", &path))
    }

    /// Ends a file begun by [`Folder::stream`].
    pub fn take(&mut self, name: &'static str, file: &File) -> Result<(), FolderError> {
        file.sync_all().map_err(disk("write", &self.path.join(name)))?;
        self.ready.push(name);
        Ok(())
    }

    /// Adds a whole file.
    pub fn add(
        &mut self,
        name: &'static str,
        contents: &(impl AsRef<[u8]> + ?Sized),
    ) -> Result<(), FolderError> {
        let mut file = self.stream(name)?;
        file.write_all(contents.as_ref())
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
        let placed = self.known.iter().filter(|name| ready.contains(name));
        let placing: Vec<String> = placed.map(|name| (*name).to_owned()).collect();
        let before = Placing::read(&self.path).files.into_iter();
        let (leaving, staying): (Vec<String>, Vec<String>) = before
            .filter(|name| !placing.contains(name))
            .partition(|name| self.known.contains(&name.as_str()));
        let hidden = self.hidden_names().filter(|name| !ready.contains(name));
        let decided = Placing {
            files: staying.into_iter().chain(placing.iter().cloned()).collect(),
            parts: hidden.map(str::to_owned).collect(),
            placing,
            leaving,
        };
        let written = decided.write(&self.path);
        if Placing::read(&self.path) != decided {
            return written;
        }
        // From here on hidden files are needed, whatever fails: who looks next gives them their places.
        self.keep();
        self.made.clear();
        written?;
        decided.finish(&self.path)
    }

    /// Whether files in a directory are to take their places, and have not yet.
    pub(crate) fn is_decided(path: &Path) -> bool {
        !Placing::read(path).placing.is_empty()
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
        hidden(&self.path, name)
    }

    /// Everything that may have a hidden name.
    fn hidden_names(&self) -> impl Iterator<Item = &'static str> {
        let of_a_run = self.known.contains(&CHECKPOINT);
        let work = WORK_FILES.into_iter().filter(move |_| of_a_run);
        let of_a_sweep = self.known.contains(&TABLE);
        let begun = [BEGUN, "unfinished-sweep.new"]
            .into_iter()
            .filter(move |_| of_a_sweep);
        self.known.iter().copied().chain(work).chain(begun)
    }

    /// Removes hidden files.
    fn clear(&self) {
        for name in self.hidden_names() {
            let _ = fs::remove_file(self.hidden(name));
        }
    }

    fn make_directories(&mut self) -> Result<(), FolderError> {
        let missing = self
            .path
            .ancestors()
            .take_while(|path| !path.as_os_str().is_empty() && !path.exists());
        let missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        if missing.is_empty() && !self.path.is_dir() {
            let error = io::ErrorKind::NotADirectory.into();
            return Err(disk("create the directory", &self.path)(error));
        }
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
        if self._lock.is_some() && !self.kept.load(Ordering::Relaxed) {
            self.clear();
        }
        // Only directories that are empty can be removed.
        for path in self.made.iter().rev() {
            let _ = fs::remove_dir(path);
        }
    }
}

/// Removes the hidden files of a run in a folder that is left in a hurry, unless the run can go on with them.
pub fn abandon(path: &Path) {
    let kept = fs::read(hidden(path, UNFINISHED)).ok();
    let kept = kept.and_then(|bytes| Unfinished::from_bytes(&bytes).ok());
    if kept.is_some_and(|run| run.place.is_some()) || !Placing::read(path).placing.is_empty() {
        return;
    }
    for name in RUN_FILES.iter().copied().chain(WORK_FILES) {
        let _ = fs::remove_file(hidden(path, name));
    }
    // Only one that is empty is removed.
    let _ = fs::remove_dir(path);
}

fn hidden(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!(".{name}.part"))
}

/// Whether a name is one in a folder, and leads nowhere else.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(std::path::is_separator)
}

/// A new file, whatever had its name: a link is not followed but replaced.
pub(crate) fn fresh(path: &Path) -> io::Result<File> {
    let new = || File::options().read(true).write(true).create_new(true).open(path);
    match new() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            new()
        }
        opened => opened,
    }
}

/// Writes a file in one piece: under another name first, to the disk, and then to its place.
fn write_whole(folder: &Path, name: &str, place: &Path, bytes: &[u8]) -> io::Result<()> {
    let before = hidden(folder, &format!("{name}.new"));
    let write = || {
        let mut file = fresh(&before)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&before, place)
    };
    if let Err(error) = write() {
        let _ = fs::remove_file(&before);
        return Err(error);
    }
    sync(folder)
}

/// Names reach the disk too; where directories cannot be synced there is nothing to do.
fn sync(folder: &Path) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    let Ok(directory) = File::open(folder) else {
        return Ok(());
    };
    match directory.sync_all() {
        Err(error) if matches!(error.kind(), InvalidInput | PermissionDenied | Unsupported) => Ok(()),
        synced => synced,
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
