//! Every figure and table of four publications, computed again: the published number beside ours. They are
//! [`Document`]s; each has a number for the command line, a citation and a short name.
//!
//! An [`Item`] is one figure or table, or a few that belong together. It is computed on its own and leaves a
//! [`Finding`]; findings are stored in the folder, so that a run that is interrupted goes on where it was. Verdicts are
//! computed from what is compared, never written by hand.
mod finding;
mod pages;
mod study;
mod watch;

mod beyond;
mod document_000;
mod document_001;
mod document_002;
mod document_003;

pub use finding::{Compared, Figure, Finding, Published, Reading};
pub use study::Study;

use holonomy::{
    integrator::{Fault, StepError},
    simulation::RunError,
};
use holonomy_host::folder::{Folder, FolderError, Replace};
use holonomy_report::converge::ConvergeError;
use std::{
    fs,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

/// Where an item comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Document {
    /// Zenkov–Leok–Bloch.
    Hamel,
    /// Lee–Leok–McClamroch.
    Spheres,
    /// Beckman's notebook.
    Notebook,
    /// The cable report.
    Cables,
    /// What none of them shows.
    Beyond,
}

impl Document {
    /// All of them, in the order of the page.
    pub const ALL: [Self; 5] = [
        Self::Hamel,
        Self::Spheres,
        Self::Notebook,
        Self::Cables,
        Self::Beyond,
    ];

    /// `000` … `003`, or `beyond`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hamel => "000",
            Self::Spheres => "001",
            Self::Notebook => "002",
            Self::Cables => "003",
            Self::Beyond => "beyond",
        }
    }

    /// What people call it.
    pub fn short_name(self) -> &'static str {
        match self {
            Self::Hamel => "Zenkov–Leok–Bloch",
            Self::Spheres => "Lee–Leok–McClamroch",
            Self::Notebook => "Beckman's notebook",
            Self::Cables => "The cable report",
            Self::Beyond => "Beyond the publications",
        }
    }

    /// Author and title.
    pub fn citation(self) -> &'static str {
        match self {
            Self::Hamel => {
                "Zenkov, Leok & Bloch, “Hamel's formalism and variational integrators on a sphere” (2012)"
            }
            Self::Spheres => {
                "Lee, Leok & McClamroch, “Lagrangian mechanics and variational integrators on two-spheres” (2009)"
            }
            Self::Notebook => {
                "Beckman, a notebook on the integration of rotations: intermediate axis, inverted pendulum, early and \
                 late discretization"
            }
            Self::Cables => {
                "A report on a variational integrator for cables, after trep: pendulum, chain of ten links, elastic cable"
            }
            Self::Beyond => "What they do not show, beside what theory says",
        }
    }
}

/// Why an item could not be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReproduceError {
    /// A scenario that it needs is not built in.
    #[error("there is no scenario `{name}`")]
    NoScenario {
        /// Its name.
        name: String,
    },
    /// Its model does not load.
    #[error("{text}")]
    BadModel {
        /// The problems with their places, as they are shown.
        text: String,
    },
    /// It was stopped.
    #[error("stopped")]
    Stopped,
    /// A run failed.
    #[error(transparent)]
    Run(#[from] Box<RunError>),
    /// A single step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The symplectic form cannot be measured.
    #[error("a step beside the start cannot be taken: {fault:?}")]
    Defect {
        /// Why not.
        fault: Fault,
    },
    /// Work and precision could not be measured.
    #[error(transparent)]
    Precision(#[from] ConvergeError),
    /// What was recorded is too little to compare anything.
    #[error("too few {what}")]
    TooShort {
        /// What there was too little of.
        what: &'static str,
    },
}

/// A figure or table of a document.
pub struct Item {
    /// What it is called on the command line: `000-fig-1`.
    pub name: &'static str,
    /// Where it comes from.
    pub document: Document,
    /// What it shows.
    pub title: &'static str,
    /// What the document prints or claims.
    pub claim: &'static str,
    /// Computes it. The reason is told where it cannot be.
    pub compute: fn(&AtomicBool) -> Result<Finding, ReproduceError>,
}

impl Item {
    /// How it reads, in words: beyond the documents there is nothing to reproduce.
    pub fn words(&self, reading: Reading) -> &'static str {
        match (self.document, reading) {
            (Document::Beyond, Reading::Reproduced) => "as expected",
            (Document::Beyond, Reading::NotSupported) => "not as expected",
            _ => reading.words(),
        }
    }
}

/// All items, by document.
pub fn items() -> impl Iterator<Item = &'static Item> {
    let all: [&'static [Item]; 5] = [
        document_000::ITEMS,
        document_001::ITEMS,
        document_002::ITEMS,
        document_003::ITEMS,
        beyond::ITEMS,
    ];
    all.into_iter().flatten()
}

/// How far the work is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The item that has just ended.
    pub item: &'a str,
    /// Whether the folder held it already.
    pub stored: bool,
    /// Items that have ended.
    pub done: usize,
    /// All items.
    pub all: usize,
}

/// How the work is controlled from outside.
pub struct Control<'a> {
    /// Ends the work when it becomes true; what has been found is stored.
    pub stop: &'a AtomicBool,
    /// Items worked on at once.
    pub threads: usize,
    /// Called when an item ends.
    pub progress: &'a (dyn Fn(&Progress<'_>) + Sync),
}

/// What became of an item.
pub type ItemResult = Result<Finding, ReproduceError>;

/// The files of one item.
const ITEM_FILES: &[&str] = &["finding.json"];

/// Computes the wanted items that the folder does not hold yet, and writes its pages. Gives every wanted item with
/// what became of it; one that was not begun because the work was stopped is left out.
pub fn reproduce(
    wanted: &[&'static Item],
    folder: &Path,
    again: bool,
    control: &Control<'_>,
) -> Result<Vec<(&'static Item, ItemResult)>, FolderError> {
    // The folder must take files before hours are spent.
    drop(Folder::open(&folder.join("items"), &[], Replace::Any)?);
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    let disk = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..control.threads.max(1) {
            scope.spawn(|| {
                while let Some(item) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if control.stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let stored = if again { None } else { read(folder, item) };
                    let was_stored = stored.is_some();
                    let result = stored.map_or_else(|| (item.compute)(control.stop), Ok);
                    if control.stop.load(Ordering::Relaxed) && !was_stored {
                        return;
                    }
                    if let (Ok(finding), false) = (&result, was_stored)
                        && let Err(error) = write(folder, item, finding)
                    {
                        set(&disk, Some(error));
                        return;
                    }
                    let done = push(&found, (*item, result));
                    (control.progress)(&Progress {
                        item: item.name,
                        stored: was_stored,
                        done,
                        all: wanted.len(),
                    });
                }
            });
        }
    });
    if let Some(error) = disk.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        return Err(error);
    }
    let mut found = found
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let place = |item: &Item| items().position(|other| other.name == item.name);
    found.sort_by_key(|(item, _)| place(item));
    // What was found before stays on the pages.
    let mut shown = found.clone();
    let others = items().filter(|item| !wanted.iter().any(|other| other.name == item.name));
    shown.extend(others.filter_map(|item| Some((item, Ok(read(folder, item)?)))));
    shown.sort_by_key(|(item, _)| place(item));
    pages::write(folder, &shown)?;
    Ok(found)
}

fn push<T>(list: &Mutex<Vec<T>>, entry: T) -> usize {
    let mut list = list.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    list.push(entry);
    list.len()
}

fn set<T>(place: &Mutex<T>, value: T) {
    *place.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = value;
}

/// A finding that this version of the program has left in the folder.
fn read(folder: &Path, item: &Item) -> Option<Finding> {
    let text = fs::read_to_string(folder.join("items").join(item.name).join("finding.json")).ok()?;
    let stored: Stored = serde_json::from_str(&text).ok()?;
    (stored.version == VERSION).then_some(stored.finding)
}

fn write(folder: &Path, item: &Item, finding: &Finding) -> Result<(), FolderError> {
    let mut folder = Folder::open(&folder.join("items").join(item.name), ITEM_FILES, Replace::Any)?;
    let stored = Stored {
        version: VERSION.to_owned(),
        finding: finding.clone(),
    };
    folder.add("finding.json", &holonomy_report::summary::json(&stored))?;
    folder.commit()
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A finding on the disk.
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored {
    version: String,
    finding: Finding,
}

/// Computes items and compares how they read. `None` is for what is too expensive, or timed, to be tested: it is only
/// named.
#[cfg(test)]
fn assert_readings(items: &[Item], expected: &[(&str, Option<Reading>)]) {
    let names = |list: &[(&str, Option<Reading>)]| {
        list.iter()
            .map(|(name, _)| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        items.iter().map(|item| item.name.to_owned()).collect::<Vec<_>>(),
        names(expected)
    );
    for (item, (name, reading)) in items.iter().zip(expected) {
        let Some(reading) = reading else { continue };
        let finding =
            (item.compute)(&AtomicBool::new(false)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(finding.reading(), *reading, "{name}: {:#?}", finding.compared);
        assert!(
            !finding.figures.is_empty() && !finding.parameters.is_empty(),
            "{name}"
        );
        for figure in &finding.figures {
            assert!(roxmltree::Document::parse(&figure.svg).is_ok(), "{}", figure.svg);
            assert!(!figure.svg.contains("no data"), "{name}");
            // A page holds some twenty of them.
            assert!(figure.svg.len() < 64_000, "{name}: {} bytes", figure.svg.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_before_stays_on_the_pages() {
        let folder = std::env::temp_dir().join(format!("holonomy-reproduce-{}", std::process::id()));
        let stop = AtomicBool::new(false);
        let control = Control {
            stop: &stop,
            threads: 1,
            progress: &|_| {},
        };
        for name in ["000-fig-1", "003-fig-3"] {
            let wanted: Vec<&'static Item> = items().filter(|item| item.name == name).collect();
            let found =
                reproduce(&wanted, &folder, false, &control).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(found.len(), 1);
        }
        let index = fs::read_to_string(folder.join("index.html")).unwrap_or_default();
        assert!(index.contains("000.html#000-fig-1") && index.contains("003.html#003-fig-3"));
        assert!(folder.join("000.html").exists() && folder.join("003.html").exists());
        let _ = fs::remove_dir_all(&folder);
    }

    #[test]
    fn names_are_unique_and_say_their_document() {
        let names: Vec<&str> = items().map(|item| item.name).collect();
        for (k, item) in items().enumerate() {
            assert!(!names[..k].contains(&item.name), "{}", item.name);
            assert!(item.name.starts_with(item.document.name()), "{}", item.name);
            assert!(!item.title.is_empty() && !item.claim.is_empty());
        }
    }
}
