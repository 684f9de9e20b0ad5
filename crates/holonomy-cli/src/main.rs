//! The `holonomy` command.
use std::process::ExitCode;

fn main() -> ExitCode {
    holonomy_cli::main_with(std::env::args_os().collect()).into()
}
