use crate::{ModelArguments, failure::Failure, input::Input, output};
use holonomy_host::{export, import};
use std::{fs, path::PathBuf};

/// Writes a tree as a file of another program: links and joints in URDF
///
/// Everything in the model is either in the file or listed as not written.
#[derive(clap::Args)]
pub(crate) struct Export {
    #[command(flatten)]
    model: ModelArguments,
    /// The format of the file
    #[arg(long, value_name = "urdf", value_enum)]
    to: Target,
    /// Write the file there instead of to the standard output
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace an earlier file
    #[arg(long, requires = "out")]
    force: bool,
    /// List everything that is not written one by one
    #[arg(long)]
    all: bool,
    /// List nothing
    #[arg(long)]
    quiet: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Target {
    Urdf,
}

impl Export {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let model = Input::with_keys(&self.model)?.load(self.quiet)?;
        let Target::Urdf = self.to;
        let export = export::urdf(&model)?;
        match &self.out {
            Some(path) if path.exists() && !self.force => {
                return Err(Failure::Saved { path: path.clone() });
            }
            Some(path) => fs::write(path, &export.text).map_err(|source| Failure::Unwritable {
                path: path.clone(),
                source,
            })?,
            None => output::print(&export.text)?,
        }
        if !self.quiet {
            let mut text = format!("written      {}\n", export.written);
            for (k, line) in import::lines(&export.left, self.all).iter().enumerate() {
                let heading = if k == 0 { "not written" } else { "" };
                text += &format!("{heading:<13}{line}\n");
            }
            output::note(&text);
        }
        Ok(())
    }
}
