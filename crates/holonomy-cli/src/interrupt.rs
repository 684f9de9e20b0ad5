//! Ctrl-C.
use holonomy_host::folder;
use std::{
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

static STOP: AtomicBool = AtomicBool::new(false);

/// The exit code of a program that was interrupted, as shells know it.
const INTERRUPTED: i32 = 130;

/// The folder that is being filled.
static FILLED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// From now on a second Ctrl-C leaves nothing in a folder but what a run can go on with.
pub(crate) fn at_once(folder: &Path) {
    *FILLED.lock().unwrap_or_else(PoisonError::into_inner) = Some(folder.to_owned());
}

/// From now on Ctrl-C makes this flag true instead of ending the program; a second one ends it at once.
pub(crate) fn flag() -> &'static AtomicBool {
    let handler = || {
        if STOP.swap(true, Ordering::Relaxed) {
            if let Some(folder) = &*FILLED.lock().unwrap_or_else(PoisonError::into_inner) {
                folder::abandon(folder);
            }
            std::process::exit(INTERRUPTED);
        }
    };
    // Without a handler Ctrl-C does what it always did.
    let _ = ctrlc::set_handler(handler);
    &STOP
}
