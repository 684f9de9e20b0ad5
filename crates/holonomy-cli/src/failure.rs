//! What can go wrong, how it is reported, and how the program then ends.
use crate::{
    files::quoted,
    output::{self, note},
    reading,
};
use holonomy::{system::TransferError, tree::SettleError};
use holonomy_host::{
    control::ControlError,
    export::ExportError,
    fit::FitError,
    folder::FolderError,
    inverse::InverseError,
    render::{RenderError, TargetError},
    report::ReportError,
    resume::GoOnError,
    serve::ServeError,
    start::StartError,
    sweep::SweepError,
    trajectory::read::TrajectoryError,
};
use holonomy_model::{self as model, Problem, Source};
use holonomy_report::{
    converge::ConvergeError, gradient::GradientError, linearize::LinearizeError, orbit::OrbitError,
};
use std::{io, path::PathBuf};

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
    /// A formula without a schedule.
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
    /// A file that is no text.
    #[error("{} is not a text: its byte {} is not UTF-8", path.display(), at + 1)]
    NotText { path: PathBuf, at: usize },
    /// A file that is too large to be a model.
    #[error("{} is too large: a model or a robot has at most {} MB of text", path.display(), reading::MOST >> 20)]
    TooLarge { path: PathBuf },
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
    /// The files of a run, which may go on from its folder.
    #[error("{error}")]
    Kept {
        error: FolderError,
        kept: Option<PathBuf>,
    },
    /// A run cannot go on.
    #[error(transparent)]
    GoOn(#[from] GoOnError),
    /// A run cannot start from another.
    #[error(transparent)]
    Start(#[from] StartError),
    /// No inputs can be sought.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// Numbers cannot be fitted.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// No inputs of a motion can be computed.
    #[error(transparent)]
    Inverse(#[from] InverseError),
    /// Goals that were not reached; what was found was shown.
    #[error("what was asked for was not found")]
    NotReached {
        /// Whether there are files of it.
        kept: bool,
    },
    /// Convergence cannot be measured.
    #[error(transparent)]
    Converge(#[from] ConvergeError),
    /// A model cannot be linearised.
    #[error(transparent)]
    Linearize(#[from] LinearizeError),
    /// There is no gradient.
    #[error(transparent)]
    Gradient(#[from] GradientError),
    /// There is no periodic orbit.
    #[error(transparent)]
    Orbit(#[from] OrbitError),
    /// A sweep cannot be made.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// A report cannot be made again.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A page cannot be served.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// A film cannot be made.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A folder that holds neither a run nor a model.
    #[error("{} holds neither the report of a run nor a model", path.display())]
    NotARun { path: PathBuf },
    /// Something that was reported when it happened.
    #[error("reported")]
    Reported,
    /// A run that could not go on; its results were shown.
    #[error("the run failed {message}")]
    Run {
        message: String,
        /// The method of choice, if that is another one and was seen to go on there.
        better: Option<&'static str>,
    },
    /// Items that could not be computed again.
    #[error("{failed} of {items} items could not be computed")]
    Reproduction { failed: usize, items: usize },
    /// Items that were not computed because the user stopped it.
    #[error("stopped before all items were computed")]
    ReproductionStopped,
    /// Something else than a tree.
    #[error("only trees settle: the model has no `space = \"tree\"`")]
    NotATree,
    /// A model that another format cannot say.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// There is no equilibrium.
    #[error("{0}")]
    Settle(SettleError),
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
    /// Shows it to the user.
    pub(crate) fn report(&self) {
        if self.is_closed_pipe() || matches!(self, Self::Reported) {
            return;
        }
        if let Self::BadModel { text, problems }
        | Self::GoOn(GoOnError::BadModel { text, problems })
        | Self::Start(StartError::BadModel { text, problems })
        | Self::Render(RenderError::BadModel { text, problems, .. }) = self
        {
            let colour = output::colour_on_stderr();
            note(&model::render(text, problems, colour, MOST_PROBLEMS));
        }
        let mut text = format!("{}: {self}\n", output::red("error"));
        if let Some(help) = self.help() {
            text += &format!("{}: {help}\n", output::cyan("help"));
        }
        note(&text);
    }

    /// It and what helps, without colours.
    pub(crate) fn sentence(&self) -> String {
        match self.help() {
            Some(help) => format!("{self}; {help}"),
            None => self.to_string(),
        }
    }

    /// 1 where the work failed, 2 where the input was wrong.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            _ if self.is_closed_pipe() => 0,
            Self::UnknownModel { .. }
            | Self::UnknownScenario { .. }
            | Self::TwoModels { .. }
            | Self::NoStart
            | Self::NoSchedule { .. }
            | Self::Saved { .. }
            | Self::Unreadable { .. }
            | Self::NotText { .. }
            | Self::TooLarge { .. }
            | Self::NotATree
            | Self::Export(_)
            | Self::BadModel { .. }
            | Self::UnknownMethod { .. }
            | Self::BadValue { .. }
            | Self::Folder(
                FolderError::Exists { .. }
                | FolderError::Foreign { .. }
                | FolderError::Input { .. }
                | FolderError::Interrupted { .. },
            )
            | Self::GoOn(
                GoOnError::Nothing { .. }
                | GoOnError::Kept { .. }
                | GoOnError::Unreadable { .. }
                | GoOnError::Over { .. }
                | GoOnError::Shorter { .. }
                | GoOnError::Changed { .. }
                | GoOnError::Refused { .. }
                | GoOnError::BadModel { .. }
                | GoOnError::Trajectory(_),
            )
            | Self::Report(
                ReportError::Unreadable { .. }
                | ReportError::NotASummary { .. }
                | ReportError::NotAFilm { .. }
                | ReportError::NotAFigure { .. },
            )
            | Self::Start(
                StartError::Nothing { .. }
                | StartError::Unreadable { .. }
                | StartError::NoState { .. }
                | StartError::BadModel { .. }
                | StartError::Changed { .. }
                | StartError::Outside { .. }
                | StartError::TooLarge { .. }
                | StartError::Fit(_)
                | StartError::Trajectory(_),
            )
            | Self::NotARun { .. }
            | Self::Inverse(
                InverseError::Table(_)
                | InverseError::NoMotion(_)
                | InverseError::Column { .. }
                | InverseError::Words { .. }
                | InverseError::Times { .. }
                | InverseError::Short { .. }
                | InverseError::NoInputs
                | InverseError::Adaptive { .. },
            )
            | Self::Fit(
                FitError::Table(_)
                | FitError::Unreadable { .. }
                | FitError::NoTime { .. }
                | FitError::Fields { .. }
                | FitError::Gap { .. }
                | FitError::Times { .. }
                | FitError::Early { .. }
                | FitError::Late { .. }
                | FitError::Column { .. }
                | FitError::Words { .. }
                | FitError::NoData { .. }
                | FitError::NothingFree
                | FitError::Key { .. }
                | FitError::Free { .. }
                | FitError::Whole { .. }
                | FitError::Beyond { .. }
                | FitError::Manner { .. }
                | FitError::Twice { .. }
                | FitError::Alike { .. }
                | FitError::TooFew { .. }
                | FitError::Constrained
                | FitError::Stretches { .. }
                | FitError::Adaptive { .. },
            )
            | Self::Control(
                ControlError::NoInputs
                | ControlError::NoTask
                | ControlError::NoWeights
                | ControlError::Adaptive { .. }
                | ControlError::NotCanonical
                | ControlError::TooLong { .. }
                | ControlError::Undefined { .. },
            )
            | Self::Sweep(
                SweepError::Axis { .. }
                | SweepError::Measure { .. }
                | SweepError::NoAxis
                | SweepError::Twice { .. }
                | SweepError::Uneven { .. }
                | SweepError::Samples(_)
                | SweepError::TooMany
                | SweepError::Key { .. }
                | SweepError::Table { .. }
                | SweepError::Another { .. }
                | SweepError::Finished { .. }
                | SweepError::TooLarge { .. }
                | SweepError::NoFiles
                | SweepError::Endless
                | SweepError::Folder(FolderError::Foreign { .. } | FolderError::Busy { .. }),
            )
            | Self::Render(
                RenderError::NoModel { .. }
                | RenderError::BadModel { .. }
                | RenderError::Invisible
                | RenderError::Trajectory(_)
                | RenderError::Times { .. }
                | RenderError::TooLong { .. }
                | RenderError::Size { .. }
                | RenderError::Target(TargetError::Name { .. } | TargetError::Exists { .. }),
            )
            | Self::Linearize(
                LinearizeError::Adaptive { .. }
                | LinearizeError::Large { .. }
                | LinearizeError::Unreduced(_)
                | LinearizeError::Before(_)
                | LinearizeError::Far(_)
                | LinearizeError::NoFreedom,
            )
            | Self::Gradient(
                GradientError::NoDerivatives { .. }
                | GradientError::Output { .. }
                | GradientError::Several { .. }
                | GradientError::OfTheWay(_)
                | GradientError::Before(_)
                | GradientError::Far(_)
                | GradientError::By { .. }
                | GradientError::NoInputs
                | GradientError::Unreduced(_),
            )
            | Self::Orbit(
                OrbitError::Period(_)
                | OrbitError::Long { .. }
                | OrbitError::Drive(_)
                | OrbitError::Key { .. }
                | OrbitError::NotConserved
                | OrbitError::Linearize(
                    LinearizeError::Adaptive { .. }
                    | LinearizeError::Large { .. }
                    | LinearizeError::Unreduced(_)
                    | LinearizeError::NoFreedom,
                ),
            )
            | Self::Converge(ConvergeError::Adaptive { .. } | ConvergeError::Uneven { .. }) => 2,
            Self::Folder(_)
            | Self::Sweep(_)
            | Self::Kept { .. }
            | Self::GoOn(_)
            | Self::Start(_)
            | Self::Unwritable { .. }
            | Self::Converge(_)
            | Self::Control(_)
            | Self::Fit(_)
            | Self::Inverse(_)
            | Self::NotReached { .. }
            | Self::Linearize(_)
            | Self::Orbit(_)
            | Self::Report(_)
            | Self::Serve(_)
            | Self::Reported
            | Self::Render(_)
            | Self::Run { .. }
            | Self::Reproduction { .. }
            | Self::ReproductionStopped
            | Self::Settle(_)
            | Self::NothingRan
            | Self::Gradient(_)
            | Self::Output(_) => 1,
        }
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
            Self::Linearize(error) | Self::Orbit(OrbitError::Linearize(error)) => linearize_help(error).map(str::to_owned),
            Self::Gradient(error) => gradient_help(error),
            Self::Orbit(error) => orbit_help(error).map(str::to_owned),
            Self::NotText { .. } => {
                Some("models are TOML and robots are URDF, both in UTF-8; save the file in that encoding".to_owned())
            }
            Self::TooLarge { .. } => Some(
                "is it a model? Many bodies are made by `[chain]`, `[grid]`, `[icosphere]` or `[spiral]`".to_owned(),
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
            Self::Export(error) => error.remedy().map(str::to_owned),
            Self::NotATree => Some("run it with damping until it rests".to_owned()),
            Self::Settle(error) => Some(
                match error {
                    SettleError::NotHeld { .. } => "hold it by a spring or a constraint",
                    SettleError::Violated { .. } => "change lengths or positions so that the loop closes",
                    SettleError::NotConverged { .. } => "start closer to the equilibrium",
                    SettleError::Seen => "let those forces see the state alone for this",
                    SettleError::Undefined => "start elsewhere",
                }
                .to_owned(),
            ),
            Self::Saved { .. } => Some("save to another file, or remove it first".to_owned()),
            Self::Folder(FolderError::Exists { .. }) => {
                Some("add `--force` to replace it, or `--out DIR` to write elsewhere".to_owned())
            }
            Self::Folder(FolderError::Foreign { .. }) => Some(
                "move it away, or write elsewhere with `--out DIR`; `--force` replaces only what a run has put there"
                    .to_owned(),
            ),
            Self::Folder(FolderError::Input { .. }) => Some("write elsewhere with `--out DIR`".to_owned()),
            Self::Folder(FolderError::Interrupted { path }) => Some(format!(
                "`holonomy resume {}` goes on with it; `--force` begins anew",
                quoted(&path.to_string_lossy())
            )),
            Self::Kept { kept: Some(path), .. } => Some(format!(
                "nothing that was kept is lost: make room, or see why the disk refuses, and `holonomy resume {}` goes on",
                quoted(&path.to_string_lossy())
            )),
            Self::GoOn(error) => go_on_help(error).map(str::to_owned),
            Self::Start(error) => start_help(error).map(str::to_owned),
            Self::Folder(FolderError::Busy { .. }) => {
                Some("wait for it, or write elsewhere with `--out DIR`".to_owned())
            }
            Self::Folder(FolderError::Disk { .. }) | Self::Kept { .. } => {
                Some("write elsewhere with `--out DIR`; `run` and its like also take `--no-files`".to_owned())
            }
            Self::Render(error) => film_help(error).map(str::to_owned),
            Self::NotARun { .. }
            | Self::Report(ReportError::Unreadable { .. } | ReportError::NotASummary { .. }) => {
                Some("give the folder of a run, such as `runs/NAME`; `holonomy run` makes one".to_owned())
            }
            Self::Report(ReportError::NotAFigure { .. }) => {
                Some("move it away: the report is then made without it".to_owned())
            }
            Self::Report(ReportError::NotAFilm { .. }) => {
                Some("run it again, or remove that file: the report is then made without a player".to_owned())
            }
            Self::Fit(error) => fit_help(error),
            Self::Inverse(error) => inverse_help(error),
            Self::Control(error) => Some(control_help(error).to_owned()),
            Self::NotReached { kept: true } => {
                Some("the result says what is missing; the files hold the best so far".to_owned())
            }
            Self::NotReached { kept: false } => {
                Some("the result says what is missing; without `--no-files` it is kept nevertheless".to_owned())
            }
            Self::Converge(ConvergeError::Adaptive { .. }) => Some(
                "its error follows `method.rtol`: compare runs with different `--set method.rtol=…`"
                    .to_owned(),
            ),
            Self::Run {
                better: Some(better), ..
            } => Some(format!(
                "take a smaller step, or `--method {better}`: it was tried with this step, and goes on there"
            )),
            Self::Run { better: None, .. } => Some("take a smaller step".to_owned()),
            Self::Sweep(error) => sweep_help(error).map(str::to_owned),
            Self::Converge(ConvergeError::Uneven { .. }) => {
                Some("choose steps of which a whole number fits, or another `--duration`".to_owned())
            }
            _ => None,
        }
    }
}

/// What to do where numbers cannot be fitted.
fn fit_help(error: &FitError) -> Option<String> {
    Some(match error {
        FitError::Table(SweepError::Table { .. }) => {
            "leave out rows in which something was not measured".to_owned()
        }
        FitError::Table(error) => return sweep_help(error).map(str::to_owned),
        FitError::NoTime { .. } => "call the column of times `t`, in s".to_owned(),
        FitError::Unreadable { .. } => "give a table in CSV or Parquet".to_owned(),
        FitError::Fields { .. } => {
            "give each line one field for each column, and quote those that hold commas".to_owned()
        }
        FitError::Gap { .. } => "leave out lines in which something was not measured".to_owned(),
        FitError::Late { .. } => {
            "let the run be longer, `--duration`, or leave out what is beyond it".to_owned()
        }
        FitError::Constrained => "leave `--segments` away, or give 1".to_owned(),
        FitError::Stretches { most: 0 | 1, .. } => "write `--segments 1`, or take more data".to_owned(),
        FitError::Stretches { most, .. } => format!("write `--segments {most}` or less, or take more data"),
        FitError::Stopped => "let it take a step or two before stopping it".to_owned(),
        FitError::Times { .. } => "sort the rows by time, and keep one of each".to_owned(),
        FitError::Early { .. } => {
            "shift the times, or let the model start earlier: `[state]` with `t = …`".to_owned()
        }
        FitError::Column { help, .. } => format!("{help}; remove the column, or rename it"),
        FitError::Words { .. } => {
            "write numbers, without units; leave out lines in which something was not measured".to_owned()
        }
        FitError::NoData { .. } => "add a column for each output that was measured".to_owned(),
        FitError::NothingFree => "name what is sought: `--free parameters.k`".to_owned(),
        FitError::Key { near: Some(near), .. } => format!("did you mean `{near}`?"),
        FitError::Key { .. } => "`holonomy show NAME` prints the model with all its keys".to_owned(),
        FitError::Free { .. } => "write such as `--free body.arm.mass=0.5:2`, the smaller first".to_owned(),
        FitError::Beyond { .. } => "give bounds between which it can be, or none".to_owned(),
        FitError::Manner { .. } => "free numbers of bodies, forces, `[parameters]` and the start".to_owned(),
        FitError::Twice { .. } => "name each number once".to_owned(),
        FitError::Alike { .. } => "keep one of them".to_owned(),
        FitError::Whole { .. } => "compare values of it with `holonomy sweep`".to_owned(),
        FitError::TooFew { .. } => "free fewer numbers, or take more data".to_owned(),
        FitError::Adaptive { .. } => "choose a method with a fixed step".to_owned(),
        FitError::Run(_) => {
            "begin with other numbers, `--set KEY=VALUE`, or take a smaller `--step`".to_owned()
        }
    })
}

/// What to do where the inputs of a motion cannot be computed.
fn inverse_help(error: &InverseError) -> Option<String> {
    Some(match error {
        InverseError::Table(error) => return sweep_help(error).map(str::to_owned),
        InverseError::NoMotion(_) => {
            "give a table, or the folder of a run; `--format csv` writes one".to_owned()
        }
        InverseError::Column { .. } => "the motion has a column for each coordinate of the model".to_owned(),
        InverseError::Words { .. } => {
            "write finite numbers; a motion has all coordinates after each step".to_owned()
        }
        InverseError::Times { .. } => {
            "record every step, or set the step of the model to that of the table: `--set run.step=…`"
                .to_owned()
        }
        InverseError::Short { .. } => "give the coordinates before the first step and after each".to_owned(),
        InverseError::NoInputs => {
            "declare what can be chosen: `[[input]]` with `name = …` and `on = …`".to_owned()
        }
        InverseError::Adaptive { .. } => "choose a method with a fixed step, such as `midpoint`".to_owned(),
        InverseError::Unreachable { .. } => {
            "check that the rows keep the constraints of the model, and that its step is theirs".to_owned()
        }
    })
}

/// What to do where no inputs can be sought.
fn control_help(error: &ControlError) -> &'static str {
    match error {
        ControlError::NoInputs => "declare what can be chosen: `[[input]]` with `name = …` and `on = …`",
        ControlError::NoTask => "say what is wanted: `[[goal]]` with `of = …` and `value = …`",
        ControlError::NoWeights => {
            "add goals with `weight = …` for the outputs that are to stay near the motion"
        }
        ControlError::Adaptive { .. } => "choose a method with a fixed step, such as `midpoint`",
        ControlError::NotCanonical => "write the model in coordinates of its own, or with constraints",
        ControlError::TooLong { .. } => "take larger steps with `--step`, or a shorter `--duration`",
        ControlError::Undefined { .. } => "change the formula, so that it has a value until the end",
        ControlError::Step(_) => "take a smaller step, or begin with another `[control.guess]`",
    }
}

/// What to do where a sweep cannot be made.
fn sweep_help(error: &SweepError) -> Option<&'static str> {
    match error {
        SweepError::NoAxis => {
            Some("give an axis, such as `--vary start.theta=0:1:50`, or `--vary-table cases.csv`")
        }
        SweepError::Samples(_) => Some("`--vary body.bob.mass=normal:1:0.05 --samples 1000`"),
        SweepError::TooMany => Some("take fewer values on an axis"),
        SweepError::Key { .. } => Some("`holonomy show NAME` prints the model with all its keys"),
        SweepError::Another { .. } => {
            Some("write elsewhere with `--out DIR`, or add `--force` to replace a sweep by this one")
        }
        SweepError::Finished { .. } => Some("add `--force` to compute it again"),
        SweepError::Disk { .. } | SweepError::Folder(FolderError::Disk { .. }) => Some(
            "what is finished stays: make room, or see why the disk refuses, and the same command goes on",
        ),
        SweepError::TooLarge { .. } => {
            Some("record fewer samples with `--every N`, or allow more gigabytes with `--most-gigabytes N`")
        }
        SweepError::Endless => Some("give them an end with `--duration T` or `--steps N`"),
        SweepError::NoFiles => Some("leave `--no-files` out; `--out DIR` says where they go"),
        SweepError::Folder(FolderError::Foreign { .. }) => {
            Some("move it away, or write elsewhere with `--out DIR`")
        }
        SweepError::Folder(FolderError::Busy { .. }) => {
            Some("wait for it, or write elsewhere with `--out DIR`")
        }
        _ => None,
    }
}

/// What to do where a run cannot go on.
fn go_on_help(error: &GoOnError) -> Option<&'static str> {
    Some(match error {
        GoOnError::Nothing { .. } => {
            "give the folder of a run, such as `runs/NAME`; `holonomy run` makes one"
        }
        GoOnError::Over { .. } => "give it a later end with `--duration T` or `--steps N`",
        GoOnError::Shorter { .. } => "ask for more steps, or run it anew with `holonomy run`",
        GoOnError::Changed { .. } => {
            "undo that, or run the changed model with `holonomy run` to another folder"
        }
        GoOnError::Kept { .. } => "run the model anew with `holonomy run`",
        GoOnError::Folder(FolderError::Busy { .. }) => "wait for it",
        GoOnError::Folder(_) => "make room there, and try again",
        GoOnError::Trajectory(_) => "run the model anew with `holonomy run`",
        _ => return None,
    })
}

/// What to do where a run cannot start from another.
fn start_help(error: &StartError) -> Option<&'static str> {
    Some(match error {
        StartError::Nothing { .. } => {
            "give the folder of a run, such as `runs/NAME`; one that was interrupted is ended by `holonomy resume`"
        }
        StartError::NoState { .. } | StartError::Changed { .. } => {
            "run the earlier model anew with `holonomy run`"
        }
        StartError::Outside { .. } => "choose a time within the run; without `@T` it is its end",
        StartError::Fit(TransferError::Names { .. }) => {
            "a state fits models with the same coordinates; masses, lengths, forces and the method may differ"
        }
        StartError::Fit(TransferError::NotFinite) => "undo the change of the model",
        StartError::TooLarge { .. } => "`holonomy resume` makes a run longer, however large it is",
        StartError::Trajectory(_) => {
            "run the earlier model anew with `holonomy run`; its end needs no trajectory: leave out `@T`"
        }
        StartError::Folder(FolderError::Busy { .. }) => "wait for it",
        _ => return None,
    })
}

/// What to do where a model cannot be linearised.
fn linearize_help(error: &LinearizeError) -> Option<&'static str> {
    Some(match error {
        LinearizeError::Adaptive { .. } => "choose a method with a fixed step, `--method M`",
        LinearizeError::Large { .. } => "take fewer bodies: `holonomy gradient` needs no matrices",
        LinearizeError::Before(_) | LinearizeError::Far(_) => "choose a time of the motion",
        LinearizeError::NoEquilibrium(_) => {
            "start nearer to it, or leave out `--settled` and linearise the motion at its start"
        }
        LinearizeError::NoFreedom => "take a constraint away, or free a joint",
        _ => return None,
    })
}

/// What to do where there is no gradient.
fn gradient_help(error: &GradientError) -> Option<String> {
    Some(match error {
        GradientError::NoDerivatives { others, .. } if !others.is_empty() => {
            format!("take one that has them, `--method M`: {}", others.join(", "))
        }
        GradientError::NoDerivatives { .. } => {
            "`holonomy sweep` shows what a number changes, by runs beside each other".to_owned()
        }
        GradientError::Output { help, .. } => help.clone(),
        GradientError::Several { columns, .. } => {
            let first = columns.first().map_or("", String::as_str);
            format!("take one of them: `--of {first}`")
        }
        GradientError::OfTheWay(_) => {
            "take a function of coordinates and velocities, such as `energy`, a site or a definition of the model"
                .to_owned()
        }
        GradientError::Flat(_) => "ask for another output, or another time with `--at`".to_owned(),
        GradientError::Undefined(_) => "ask for another time with `--at`".to_owned(),
        GradientError::Far(_) => "ask for an earlier time with `--at`".to_owned(),
        GradientError::Before(_) => "ask for a time of the motion, such as `--at 1`".to_owned(),
        GradientError::By { near: Some(near), .. } => format!("did you mean `{near}`?"),
        GradientError::By { .. } => {
            "`--by` takes `start`, `parameters`, `inputs`, and keys as `--set` takes them".to_owned()
        }
        GradientError::NoInputs => {
            "declare what can be pushed: `[[input]]` with `name = …` and `on = …`".to_owned()
        }
        GradientError::Step { .. } => "take a smaller step, or ask for an earlier time with `--at`".to_owned(),
        GradientError::Overflow { .. } => "ask for an earlier time with `--at`".to_owned(),
        GradientError::Unreduced(_) | GradientError::Stopped => return None,
    })
}

/// What to do where there is no periodic orbit.
fn orbit_help(error: &OrbitError) -> Option<&'static str> {
    Some(match error {
        OrbitError::Period(_) => "give about the time after which the motion repeats, such as `--period 2`",
        OrbitError::Long { .. } => "give a shorter `--period`, or a larger `--step`",
        OrbitError::Drive(_) => "give the period of what drives it, or a multiple of that",
        OrbitError::Open { .. } => {
            "start nearer to one, give its period more exactly, or use more `--segments`; `holonomy view` shows what the start does"
        }
        OrbitError::Shrank => "start farther from the equilibrium, or hold the period with `--hold`",
        OrbitError::Key { .. } => "name a number of the model, as in `--vary parameters.k=1:2:20`",
        OrbitError::NotConserved => "leave `--energy` out, or vary a number of the model with `--vary`",
        _ => return None,
    })
}

/// What to do where a film cannot be made.
fn film_help(error: &RenderError) -> Option<&'static str> {
    Some(match error {
        RenderError::NoModel { .. } | RenderError::Trajectory(TrajectoryError::None { .. }) => {
            "give the folder of a run, such as `runs/NAME`; `holonomy run` makes one"
        }
        RenderError::Trajectory(TrajectoryError::Foreign { .. }) => {
            "run it again: `holonomy run DIR/model.toml --out …`"
        }
        RenderError::Invisible => "name points in the model, see the guide, “Points”",
        RenderError::TooLong { .. } => {
            "let it run faster with `--speed`, or show a part with `--from` and `--to`"
        }
        RenderError::Target(TargetError::Name { .. }) => {
            "write film.mp4, film.gif, frame.png or frames-%05d.png"
        }
        RenderError::Target(TargetError::Exists { .. }) => "add `--force` to replace it",
        RenderError::Target(TargetError::Disk { .. }) => {
            "make room there, or write elsewhere with `--out FILE`"
        }
        RenderError::Target(TargetError::Ffmpeg { .. }) => {
            "nothing is left of the film; make room, write elsewhere with `--out FILE`, or write pictures: \
             `--out frames-%05d.png`"
        }
        RenderError::Times { .. } => "choose `--from` and `--to` within the run, the first before the second",
        RenderError::Target(TargetError::NoFfmpeg { .. }) => {
            "install it (`apt install ffmpeg`, `brew install ffmpeg`, `winget install ffmpeg`), or write pictures, which \
             need nothing: `--out frames-%05d.png`"
        }
        _ => return None,
    })
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
