//! Ctrl-C.
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// The exit code of a program that was interrupted, as shells know it.
const INTERRUPTED: i32 = 130;

/// From now on Ctrl-C makes this flag true instead of ending the program; a second one ends it at once.
pub(crate) fn flag() -> &'static AtomicBool {
    let handler = || {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    };
    // Without a handler Ctrl-C does what it always did.
    let _ = ctrlc::set_handler(handler);
    &STOP
}
