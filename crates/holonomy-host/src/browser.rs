//! The browser of the person at this machine.
use std::{
    process::{Command, Stdio},
    thread,
};

/// Opens an address in the browser, by the program that the system has for it; whether that could be started. Where
/// there is no screen it is not even tried.
pub fn open(address: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        // `start` is a word of the shell, and a shell reads more into an address than there is.
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        let screen = ["WAYLAND_DISPLAY", "DISPLAY"];
        if !screen
            .iter()
            .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
        {
            return false;
        }
        ("xdg-open", &[])
    };
    let begun = Command::new(program)
        .args(arguments)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = begun else {
        return false;
    };
    // Somebody has to take note of its end.
    thread::spawn(move || child.wait());
    true
}
