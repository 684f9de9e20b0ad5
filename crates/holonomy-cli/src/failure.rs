//! What can go wrong, how it is told, and how the program then ends.
use crate::output::{self, complain};
use holonomy::{
    model::{self, Problem, Source},
    tree::SettleError,
};
use holonomy_host::{converge::ConvergeError, folder::FolderError, report::ReportError};
use std::{io, path::PathBuf, process::ExitCode};

/// The reason why a command ends before it is done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Neither a scenario nor a file.
    #[error("there is no scenario and no file named `{name}`")]
    UnknownModel {
        name: String,
        suggestion: Option<&'static str>,
    },
    /// Not a scenario.
    #[error("there is no scenario named `{name}`")]
    UnknownScenario {
        name: String,
        suggestion: Option<&'static str>,
    },
    /// A model and a formula.
    #[error("both the model `{name}` and a formula (`-e`) are given")]
    TwoModels { name: String },
    /// A formula without coordinates.
    #[error("the formula has no coordinates: nothing has a start")]
    NoStart,
    /// A formula that is not told how far to run.
    #[error("a formula does not say how far to run: {} missing", flags.join(" and "))]
    NoSchedule { flags: Vec<&'static str> },
    /// A file that would be replaced by the model of a formula.
    #[error("{} exists already", path.display())]
    Saved { path: PathBuf },
    /// A model file that cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable { path: PathBuf, source: io::Error },
    /// A model file that cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    /// A model that cannot be used.
    #[error("{} in {}", counted(problems), text.name())]
    BadModel {
        text: Box<Source>,
        problems: Vec<Problem>,
    },
    /// A method that is not in the catalog.
    #[error("there is no method named `{name}`")]
    UnknownMethod {
        name: String,
        suggestion: Option<&'static str>,
    },
    /// A value of a flag that cannot be used.
    #[error("`{flag} {value}`: {reason}")]
    BadValue {
        flag: &'static str,
        value: String,
        reason: String,
        help: Option<String>,
    },
    /// The directory for the files.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Convergence cannot be measured.
    #[error(transparent)]
    Converge(#[from] ConvergeError),
    /// A report cannot be made again.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A run that could not go on; its results were shown.
    #[error("the run failed {0}")]
    Run(String),
    /// Something else than a tree.
    #[error("only trees settle: the model has no `space = \"tree\"`")]
    NotATree,
    /// There is no equilibrium.
    #[error("{0}")]
    Settle(SettleError),
    /// The same, with a method that is not the one of choice.
    #[error("the run failed {error}")]
    RunWith { error: String, better: &'static str },
    /// No method of a comparison ran.
    #[error("none of the methods ran to the end")]
    NothingRan,
    /// Results that cannot be shown.
    #[error("cannot write to the standard output: {0}")]
    Output(#[from] io::Error),
}

/// Problems of a model that are written out.
const MOST_PROBLEMS: usize = 50;

impl Failure {
    /// Tells the user.
    pub(crate) fn report(&self) {
        if self.is_closed_pipe() {
            return;
        }
        if let Self::BadModel { text, problems } = self {
            let colour = output::colour_on_stderr();
            complain(&model::render(text, problems, colour, MOST_PROBLEMS));
        }
        let mut text = format!("{}: {self}\n", output::red("error"));
        if let Some(help) = self.help() {
            text += &format!("{}: {help}\n", output::cyan("help"));
        }
        complain(&text);
    }

    /// 1 where the work failed, 2 where the input was wrong.
    pub(crate) fn exit_code(&self) -> ExitCode {
        let code = match self {
            _ if self.is_closed_pipe() => 0,
            Self::UnknownModel { .. }
            | Self::UnknownScenario { .. }
            | Self::TwoModels { .. }
            | Self::NoStart
            | Self::NoSchedule { .. }
            | Self::Saved { .. }
            | Self::Unreadable { .. }
            | Self::NotATree
            | Self::BadModel { .. }
            | Self::UnknownMethod { .. }
            | Self::BadValue { .. }
            | Self::Folder(FolderError::Exists { .. })
            | Self::Report(ReportError::Unreadable { .. } | ReportError::NotASummary { .. })
            | Self::Converge(ConvergeError::Adaptive { .. } | ConvergeError::Uneven { .. }) => 2,
            Self::Folder(_)
            | Self::Unwritable { .. }
            | Self::Converge(_)
            | Self::Report(_)
            | Self::Run(_)
            | Self::RunWith { .. }
            | Self::Settle(_)
            | Self::NothingRan
            | Self::Output(_) => 1,
        };
        ExitCode::from(code)
    }

    /// Whether nobody listens any more, as after `| head`.
    fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::UnknownModel {
                suggestion: Some(near),
                ..
            }
            | Self::UnknownScenario {
                suggestion: Some(near),
                ..
            }
            | Self::UnknownMethod {
                suggestion: Some(near),
                ..
            } => Some(format!("did you mean `{near}`?")),
            Self::UnknownModel { .. } | Self::UnknownScenario { .. } => {
                Some("`holonomy list` shows the scenarios".to_owned())
            }
            Self::Unreadable { path, .. } if path.extension().is_some_and(|end| end == "urdf") => {
                Some("check the path of the robot; `-` reads the standard input".to_owned())
            }
            Self::Unreadable { .. } => Some(
                "check the path of the model; `holonomy list` shows the scenarios that need none".to_owned(),
            ),
            Self::UnknownMethod { .. } => Some("`holonomy methods` shows the methods".to_owned()),
            Self::BadValue { help, .. } => help.clone(),
            Self::TwoModels { name } if name.contains('=') => Some(format!(
                "generalized forces are given by `--force-on {name}`; `--force` replaces files"
            )),
            Self::TwoModels { .. } => Some("keep one of them".to_owned()),
            Self::NoStart => Some("give every coordinate a start, such as `--start theta=1`".to_owned()),
            Self::NoSchedule { flags } => {
                let example = |flag: &&str| match *flag {
                    "--step" => "--step 0.01",
                    _ => "--duration 10",
                };
                let examples: Vec<&str> = flags.iter().map(example).collect();
                Some(format!("add `{}` (in s)", examples.join(" ")))
            }
            Self::NotATree => Some("run it with damping until it rests".to_owned()),
            Self::Settle(error) => Some(
                match error {
                    SettleError::NotHeld { .. } => "hold it by a spring or a constraint",
                    SettleError::Open { .. } => "change lengths or positions so that the loop closes",
                    SettleError::NotConverged { .. } => "start closer to the equilibrium",
                    SettleError::Undefined => "start elsewhere",
                }
                .to_owned(),
            ),
            Self::Saved { .. } => Some("save to another file, or remove it first".to_owned()),
            Self::Folder(FolderError::Exists { .. }) => {
                Some("add `--force` to replace it, or `--out DIR` to write elsewhere".to_owned())
            }
            Self::Folder(FolderError::Busy { .. }) => {
                Some("wait for it, or write elsewhere with `--out DIR`".to_owned())
            }
            Self::Folder(FolderError::Disk { .. }) => {
                Some("write elsewhere with `--out DIR`; `run` and its like also take `--no-files`".to_owned())
            }
            Self::Report(ReportError::Unreadable { .. } | ReportError::NotASummary { .. }) => {
                Some("give the folder of a run, such as `runs/NAME`; `holonomy run` makes one".to_owned())
            }
            Self::Converge(ConvergeError::Adaptive { .. }) => Some(
                "its error follows `method.rtol`: compare runs with different `--set method.rtol=…`"
                    .to_owned(),
            ),
            Self::RunWith { better, .. } => Some(format!(
                "take a smaller step, or `--method {better}`, which is made for this mechanism"
            )),
            Self::Converge(ConvergeError::Uneven { .. }) => {
                Some("choose steps of which a whole number fits, or another `--duration`".to_owned())
            }
            _ => None,
        }
    }
}

fn counted(problems: &[Problem]) -> String {
    let errors = problems
        .iter()
        .filter(|problem| problem.severity == model::Severity::Error)
        .count();
    match errors {
        1 => "1 error".to_owned(),
        count => format!("{count} errors"),
    }
}
