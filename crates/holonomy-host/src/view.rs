//! The page of a run in the browser: its report, or while it goes on the player with what there is of the film.
//!
//! ```text
//! GET ""                   the report where there is one, else the page that asks on
//! GET film.json?since=N    {"over": true}, {"number": M, "film": …} if M is not N, or nothing
//! ```
//! A film is made only when somebody asks for it: a request sets a flag, the recorder sees it at its next sample. For a
//! run of another process the flag and the film are hidden files in its folder.
use crate::{
    folder::{Folder, LIVE_FILES, fresh},
    serve::{Body, Reply, Request},
};
use holonomy_report::{page::Page, report};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::UNIX_EPOCH,
};

/// What a run that goes on lets others see.
#[derive(Default)]
pub struct Live {
    title: String,
    wanted: AtomicBool,
    film: Mutex<Numbered>,
    report: OnceLock<Arc<[u8]>>,
    mailbox: Option<Mailbox>,
}

/// A film, and the how-manieth it is; the zeroth is none.
#[derive(Clone, Debug, Default)]
struct Numbered {
    number: u64,
    film: Option<Arc<str>>,
}

impl Live {
    /// A run with this title; other processes see it if it fills a folder.
    pub fn new(title: &str, folder: Option<&Path>) -> Self {
        Self {
            title: title.to_owned(),
            mailbox: folder.map(|path| Mailbox::new(path.to_owned())),
            ..Self::default()
        }
    }

    /// The run is over, and this is its report.
    pub fn finish(&self, report: String) {
        let _ = self.report.set(report.into_bytes().into());
    }

    /// Answers a request of a browser.
    pub fn answer(&self, request: &Request) -> Reply {
        let report = self.report.get();
        match (request.page.as_str(), report) {
            ("", Some(report)) => Reply::Page(Body::Made(report.clone())),
            ("", None) => {
                self.wanted.store(true, Ordering::Relaxed);
                waiting(&self.title, "", &self.latest())
            }
            ("film.json", Some(_)) => over(),
            ("film.json", None) => {
                self.wanted.store(true, Ordering::Relaxed);
                news(request, self.latest())
            }
            _ => Reply::Missing,
        }
    }

    fn latest(&self) -> Numbered {
        self.film.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks whether another process asks. Called several times a second.
    pub(crate) fn look(&self) {
        if self.mailbox.as_ref().is_some_and(Mailbox::is_asked) {
            self.wanted.store(true, Ordering::Relaxed);
        }
    }

    /// Makes the film if somebody waits for it. Called at every sample.
    pub(crate) fn offer(&self, make: impl FnOnce() -> Option<String>) {
        if !self.wanted.load(Ordering::Relaxed) || !self.wanted.swap(false, Ordering::Relaxed) {
            return;
        }
        let Some(film) = make() else {
            return;
        };
        if let Some(mailbox) = &self.mailbox {
            mailbox.answer(&film);
        }
        let mut latest = self.film.lock().unwrap_or_else(PoisonError::into_inner);
        latest.number += 1;
        latest.film = Some(film.into());
    }
}

/// The folder of a run, which another process may still be filling.
pub struct SavedRun {
    path: PathBuf,
    mailbox: Mailbox,
}

impl SavedRun {
    /// The run in a folder; `None` if there is no report and nobody makes one.
    pub fn find(path: &Path) -> Option<Self> {
        // Where that fails, what is there is shown.
        let _ = Folder::settle(path);
        let there = path.join("report.html").is_file() || Folder::is_being_filled(path);
        there.then(|| Self {
            path: path.to_owned(),
            mailbox: Mailbox::new(path.to_owned()),
        })
    }

    /// Whether another process is still filling it.
    pub fn is_going_on(&self) -> bool {
        Folder::is_being_filled(&self.path)
    }

    /// Answers a request of a browser. Files are read when they are asked for.
    pub fn answer(&self, request: &Request) -> Reply {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        match (request.page.as_str(), self.is_going_on()) {
            ("", true) => {
                self.mailbox.ask();
                waiting(&name, "made by another command", &self.mailbox.film())
            }
            ("", false) => match fs::read(self.path.join("report.html")) {
                Ok(bytes) => Reply::Page(Body::Made(bytes.into())),
                Err(_) => Reply::Missing,
            },
            ("film.json", true) => {
                self.mailbox.ask();
                news(request, self.mailbox.film())
            }
            ("film.json", false) => {
                // A question that came too late.
                self.mailbox.is_asked();
                over()
            }
            _ => Reply::Missing,
        }
    }
}

/// Two hidden files in the folder of a run: one that asks for its film, and the film.
struct Mailbox {
    wanted: PathBuf,
    film: PathBuf,
}

impl Mailbox {
    fn new(folder: PathBuf) -> Self {
        let [wanted, film] = LIVE_FILES.map(|name| folder.join(format!(".{name}.part")));
        Self { wanted, film }
    }

    /// Asks for a newer film. Where the folder may not be written to, there is none.
    fn ask(&self) {
        let _ = fresh(&self.wanted);
    }

    fn is_asked(&self) -> bool {
        fs::remove_file(&self.wanted).is_ok()
    }

    /// Puts a film there, whole. A disk that refuses is no reason to stop a run.
    fn answer(&self, film: &str) {
        let written = self.film.with_extension("new.part");
        let write = || fresh(&written)?.write_all(film.as_bytes());
        if write().and_then(|()| fs::rename(&written, &self.film)).is_err() {
            let _ = fs::remove_file(&written);
        }
    }

    /// The film that was put there last, numbered by its time.
    fn film(&self) -> Numbered {
        let read = || {
            let time = fs::metadata(&self.film).ok()?.modified().ok()?;
            let number = time.duration_since(UNIX_EPOCH).ok()?.as_micros() as u64;
            let film = fs::read_to_string(&self.film).ok()?;
            Some(Numbered {
                number,
                film: Some(film.into()),
            })
        };
        read().unwrap_or_default()
    }
}

/// The page of a run that goes on.
fn waiting(title: &str, subtitle: &str, Numbered { number, film }: &Numbered) -> Reply {
    let script = format!("const number = {number};\n{SCRIPT}");
    let subtitle = match subtitle {
        "" => "the run goes on".to_owned(),
        words => format!("the run goes on, {words}"),
    };
    let page = match film {
        Some(film) => report::live(title, &subtitle, film, &script),
        None => {
            let mut page = Page::new(title, &subtitle);
            page.section("motion", "How it moves");
            page.paragraph("Nothing to see yet. The page shows the motion as soon as there is some, and the report at the end.");
            page.live(&script);
            page.finish()
        }
    };
    Reply::Page(Body::from(page))
}

/// Asks for what is new: a page without a film loads itself again when there is one, and every page when the run is over.
const SCRIPT: &str = include_str!("view.js");

fn over() -> Reply {
    Reply::Json(Body::Fixed(br#"{"over": true}"#))
}

/// A film that is not the one that the page has.
fn news(request: &Request, Numbered { number, film }: Numbered) -> Reply {
    let shown = request
        .query
        .strip_prefix("since=")
        .and_then(|text| text.parse().ok());
    match film.filter(|_| shown != Some(number)) {
        Some(film) => Reply::Json(Body::from(format!("{{\"number\": {number}, \"film\": {film}}}"))),
        None => Reply::Nothing,
    }
}
