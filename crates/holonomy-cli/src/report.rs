use crate::{failure::Failure, output};
use std::path::PathBuf;

/// Makes the report of a run again from the files in its folder
#[derive(clap::Args)]
pub(crate) struct Report {
    /// The folder of the run, such as `runs/NAME`
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Report {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let page = holonomy_host::report::remake(&self.folder)?;
        Ok(output::print(&format!("{}\n", page.display()))?)
    }
}
