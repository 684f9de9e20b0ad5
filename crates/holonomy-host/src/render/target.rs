//! Where frames go: into a picture, into numbered pictures, or through `ffmpeg` into a film. What is written appears
//! under its name when all of it is there.
use super::ffmpeg::Ffmpeg;
use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};
use tiny_skia::Pixmap;

/// What to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    path: PathBuf,
    kind: TargetKind,
    replace: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TargetKind {
    Picture,
    /// What stands before and after the number in the file's name, and its digits.
    Pictures {
        before: String,
        digits: usize,
        after: String,
    },
    Film(FilmFormat),
}

/// A film in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilmFormat {
    Mp4,
    Gif,
}

/// Why a film cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// A name that does not say what to write.
    #[error("{} is none of the names that a film can have", path.display())]
    Name {
        /// The name.
        path: PathBuf,
    },
    /// There is such a file already.
    #[error("{} exists already", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// `ffmpeg` is not installed.
    #[error("{} needs the program `ffmpeg`, which is not there", path.display())]
    NoFfmpeg {
        /// The film.
        path: PathBuf,
    },
    /// `ffmpeg` did not do it.
    #[error("`ffmpeg` failed: {message}")]
    Ffmpeg {
        /// What it said.
        message: String,
    },
    /// The disk refused.
    #[error("cannot write {}: {source}", path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Target {
    /// What a file's name asks for: `.png`, `.png` with a number as in `frames-%05d.png`, `.mp4` or `.gif`. Files that
    /// are there already are replaced only if that is wanted.
    pub fn new(path: &Path, replace: bool) -> Result<Self, TargetError> {
        let wrong = || TargetError::Name {
            path: path.to_owned(),
        };
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .ok_or_else(wrong)?;
        let end = path
            .extension()
            .and_then(|end| end.to_str())
            .unwrap_or_default()
            .to_ascii_lowercase();
        let kind = match (end.as_str(), name.split_once('%')) {
            ("png", None) => TargetKind::Picture,
            ("png", Some((before, rest))) => {
                let (digits, after) = rest.split_once('d').ok_or_else(wrong)?;
                let digits = match digits {
                    "" => 1,
                    some => some
                        .parse()
                        .ok()
                        .filter(|digits| (1..=9).contains(digits))
                        .ok_or_else(wrong)?,
                };
                if after.contains('%') {
                    return Err(wrong());
                }
                TargetKind::Pictures {
                    before: before.to_owned(),
                    digits,
                    after: after.to_owned(),
                }
            }
            ("mp4", None) => TargetKind::Film(FilmFormat::Mp4),
            ("gif", None) => TargetKind::Film(FilmFormat::Gif),
            _ => return Err(wrong()),
        };
        let path = path.to_owned();
        Ok(Self { path, kind, replace })
    }

    /// Whether it is one picture.
    pub fn is_single(&self) -> bool {
        self.kind == TargetKind::Picture
    }

    pub(super) fn open(self, size: [u32; 2], fps: f64) -> Result<Out, TargetError> {
        let mut staged = Staged {
            replace: self.replace,
            files: Vec::new(),
        };
        let to = match self.kind {
            TargetKind::Picture => To::Picture(self.path),
            TargetKind::Pictures {
                before,
                digits,
                after,
            } => {
                let folder = self.path.parent().map_or_else(PathBuf::new, Path::to_owned);
                To::Pictures {
                    folder,
                    before,
                    digits,
                    after,
                    written: 0,
                }
            }
            TargetKind::Film(format) => {
                let part = staged.add(&self.path)?;
                To::Film(Ffmpeg::start(format, &self.path, &part, size, fps)?)
            }
        };
        Ok(Out { to, staged })
    }
}

/// Takes frames.
pub(super) struct Out {
    to: To,
    staged: Staged,
}

enum To {
    Picture(PathBuf),
    Pictures {
        folder: PathBuf,
        before: String,
        digits: usize,
        after: String,
        written: usize,
    },
    Film(Ffmpeg),
}

impl Out {
    pub(super) fn frame(&mut self, pixels: &Pixmap) -> Result<(), TargetError> {
        match &mut self.to {
            To::Picture(path) => {
                let part = self.staged.add(path)?;
                write_png(&part, path, pixels)
            }
            To::Pictures {
                folder,
                before,
                digits,
                after,
                written,
            } => {
                *written += 1;
                let path = folder.join(format!("{before}{written:0digits$}{after}"));
                let part = self.staged.add(&path)?;
                write_png(&part, &path, pixels)
            }
            To::Film(ffmpeg) => ffmpeg.frame(pixels.data()),
        }
    }

    pub(super) fn finish(self) -> Result<(), TargetError> {
        if let To::Film(ffmpeg) = self.to {
            ffmpeg.finish()?;
        }
        self.staged.commit()
    }
}

fn write_png(part: &Path, path: &Path, pixels: &Pixmap) -> Result<(), TargetError> {
    let disk = |source| TargetError::Disk {
        path: path.to_owned(),
        source,
    };
    let bytes = pixels
        .encode_png()
        .map_err(|error| disk(io::Error::other(error)))?;
    let mut file = File::create(part).map_err(disk)?;
    file.write_all(&bytes)
        .and_then(|()| file.sync_all())
        .map_err(disk)
}

/// Files under hidden names, which take their places together; those that do not are removed.
struct Staged {
    replace: bool,
    /// Hidden and final names.
    files: Vec<(PathBuf, PathBuf)>,
}

impl Staged {
    /// The hidden name for a file.
    fn add(&mut self, path: &Path) -> Result<PathBuf, TargetError> {
        if !self.replace && fs::symlink_metadata(path).is_ok() {
            return Err(TargetError::Exists {
                path: path.to_owned(),
            });
        }
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(".part");
        let part = path.with_file_name(name);
        self.files.push((part.clone(), path.to_owned()));
        Ok(part)
    }

    fn commit(mut self) -> Result<(), TargetError> {
        while let Some((part, path)) = self.files.pop() {
            if let Err(source) = fs::rename(&part, &path) {
                self.files.push((part, path.clone()));
                return Err(TargetError::Disk { path, source });
            }
        }
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        for (part, _) in &self.files {
            let _ = fs::remove_file(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_to_write() {
        let kind = |name: &str| Target::new(Path::new(name), false).map(|target| target.kind).ok();
        let pictures = |before: &str, digits, after: &str| TargetKind::Pictures {
            before: before.into(),
            digits,
            after: after.into(),
        };
        assert_eq!(kind("a/frame.png"), Some(TargetKind::Picture));
        assert_eq!(kind("a%d/frame.PNG"), Some(TargetKind::Picture));
        assert_eq!(kind("f-%05d.png"), Some(pictures("f-", 5, ".png")));
        assert_eq!(kind("%d.png"), Some(pictures("", 1, ".png")));
        assert_eq!(kind("film.mp4"), Some(TargetKind::Film(FilmFormat::Mp4)));
        assert_eq!(kind("film.gif"), Some(TargetKind::Film(FilmFormat::Gif)));
        for wrong in [
            "film",
            "film.avi",
            "f-%x.png",
            "f-%d%d.png",
            "f-%99d.png",
            "f%d.mp4",
            "",
            "f-%0d.png",
            "..",
        ] {
            assert_eq!(kind(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_not_finished_leaves_nothing() {
        let folder = std::env::temp_dir().join(format!("holonomy-target-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let pixels = Pixmap::new(4, 3).expect("pixels");
        let open = |replace| {
            let target = Target::new(&folder.join("f-%02d.png"), replace).expect("a target");
            target.open([4, 3], 30.0).expect("it opens")
        };
        let names = || {
            let entries = fs::read_dir(&folder).expect("a folder");
            let mut names: Vec<_> = entries
                .map(|entry| entry.expect("an entry").file_name())
                .collect();
            names.sort();
            names
        };
        let mut out = open(false);
        out.frame(&pixels).expect("a frame");
        drop(out);
        assert!(names().is_empty());
        let mut out = open(false);
        (0..2).for_each(|_| out.frame(&pixels).expect("a frame"));
        out.finish().expect("it ends");
        assert_eq!(names(), ["f-01.png", "f-02.png"]);
        assert!(matches!(
            open(false).frame(&pixels),
            Err(TargetError::Exists { .. })
        ));
        assert!(open(true).frame(&pixels).is_ok());
        assert_eq!(names(), ["f-01.png", "f-02.png"]);
        fs::remove_dir_all(&folder).expect("it is ours");
    }
}
