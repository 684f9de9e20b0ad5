//! Pages that the command serves to the browser.
use crate::{failure::Failure, output};
use holonomy_host::browser;
use std::io::{self, IsTerminal};

/// Whether the browser is opened.
#[derive(clap::Args)]
pub(crate) struct BrowserArguments {
    /// Only print the address of the page
    #[arg(long)]
    no_browser: bool,
}

/// Prints the address of a page, and opens it for a person at a terminal.
pub(crate) fn announce(address: &str, arguments: &BrowserArguments) -> Result<(), Failure> {
    output::print(&format!("{address}\n"))?;
    let opened = !arguments.no_browser && io::stdout().is_terminal() && browser::open(address);
    let words = if opened {
        "it opens in the browser"
    } else {
        "open it in a browser of this machine"
    };
    output::note(&format!("{words}; Ctrl-C closes it\n"));
    Ok(())
}
