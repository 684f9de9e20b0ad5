use crate::{failure::Failure, output, reading};
use holonomy_host::import::{self, Options};
use holonomy_model::Source;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Translates a robot in URDF or MJCF to a model file
///
/// Everything in the file is either in the model or listed as ignored: here, and at the head of the model.
#[derive(clap::Args)]
pub(crate) struct Import {
    /// The URDF or MJCF file; `-` for the standard input
    file: PathBuf,
    /// Write the model there instead of to the standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace an earlier file
    #[arg(long, requires = "output")]
    force: bool,
    /// The root link moves freely; without this it is the world. In MJCF: bodies of the world without a joint
    #[arg(long)]
    floating: bool,
    /// Start in this keyframe of an MJCF file, by its name, or its number if it has none
    #[arg(long, value_name = "NAME")]
    keyframe: Option<String>,
    /// List everything that is ignored one by one, with its text
    #[arg(long)]
    all: bool,
    /// List nothing here, only at the head of the model
    #[arg(long)]
    quiet: bool,
}

impl Import {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let source = self.source()?;
        let options = Options {
            floating: self.floating,
            all: self.all,
            keyframe: self.keyframe.as_deref(),
        };
        let folder = self.file.parent().unwrap_or(Path::new(""));
        let import =
            import::robot(&source, folder, options).map_err(|(source, problems)| Failure::BadModel {
                text: Box::new(source),
                problems,
            })?;
        match &self.output {
            Some(path) => self.save(path, &import.model)?,
            None => output::print(&import.model)?,
        }
        if !self.quiet {
            let mut text = format!("carried  {}\n", import.carried);
            for (heading, remarks) in [("ignored", &import.ignored), ("changed", &import.changed)] {
                for (k, line) in import::lines(remarks, self.all).iter().enumerate() {
                    let heading = if k == 0 { heading } else { "" };
                    text += &format!("{heading:<9}{line}\n");
                }
            }
            output::note(&text);
        }
        match import.refused.is_empty() {
            true => Ok(()),
            // The model is written all the same: it may be easier to mend than the robot.
            false => Err(Failure::BadModel {
                text: Box::new(source),
                problems: import.refused,
            }),
        }
    }

    fn source(&self) -> Result<Source, Failure> {
        let text = match self.file == Path::new("-") {
            true => reading::text_of(io::stdin().lock(), &self.file)?,
            false => reading::text(&self.file)?,
        };
        let name = match self.file == Path::new("-") {
            true => "the standard input".to_owned(),
            false => self.file.display().to_string(),
        };
        Ok(Source::new(name, text))
    }

    fn save(&self, path: &Path, model: &str) -> Result<(), Failure> {
        if path.exists() && !self.force {
            return Err(Failure::Saved {
                path: path.to_owned(),
            });
        }
        fs::write(path, model).map_err(|source| Failure::Unwritable {
            path: path.to_owned(),
            source,
        })
    }
}
