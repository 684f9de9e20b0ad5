use crate::{
    CertifyArguments,
    checkpoint::CheckpointArguments,
    failure::Failure,
    files::command_line,
    input, interrupt, not_blank,
    output::{grouped, note},
    progress::Bar,
    run::{self, failed},
    threads::ThreadArguments,
};
use holonomy_host::{archive::Archived, resume::Resumable, view::Live};
use holonomy_model::Source;
use holonomy_report::run::{Control, Progress};
use std::path::PathBuf;

/// Goes on with a run that was interrupted or stopped, or makes one longer: as if it had never had a break
#[derive(clap::Args)]
#[command(
    after_help = "What a run has computed is kept every minute (`--checkpoint`), so that little is lost when the \
                        program is killed, power fails or the disk is full. A run that went on has the bits of one \
                        without a break: trajectory, figures, summary and certificate cover the whole."
)]
pub(crate) struct Resume {
    /// The folder of the run, such as `runs/NAME`
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// How long the whole run is to be, s: later than its end makes it longer; `inf` runs until Ctrl-C
    #[arg(long, value_name = "T", value_parser = not_blank, allow_negative_numbers = true)]
    duration: Option<String>,
    /// How many steps the whole run is to have, instead of a duration
    #[arg(long, value_name = "N", value_parser = not_blank, allow_negative_numbers = true, conflicts_with = "duration")]
    steps: Option<String>,
    #[command(flatten)]
    checkpoint: CheckpointArguments,
    #[command(flatten)]
    pub(crate) threads: ThreadArguments,
    #[command(flatten)]
    certify: CertifyArguments,
    /// Print the result as JSON and nothing else
    #[arg(long)]
    json: bool,
    /// Show no progress and no notes
    #[arg(long)]
    quiet: bool,
}

impl Resume {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let resumable = Resumable::open(&self.folder)?;
        let is_longer = self.duration.is_some() || self.steps.is_some();
        let longer = |source: &mut Source| {
            input::set_length(source, self.duration.as_deref(), self.steps.as_deref());
        };
        let model = resumable.model(is_longer.then_some(&longer))?;
        let header = resumable.header(is_longer.then(command_line).as_deref());
        if !self.quiet {
            let from = match resumable.steps() {
                0 => "goes on from the start: it was not kept on its way".to_owned(),
                steps => format!("goes on behind step {}", grouped(steps)),
            };
            note(&format!("{} {from}\n", resumable.name()));
        }
        let stop = interrupt::flag();
        let path = resumable.path().to_owned();
        interrupt::at_once(&path);
        let live = Live::new("", Some(&path));
        let mut bar = Bar::new(self.quiet);
        let control = Control {
            stop,
            progress: &mut |progress: &Progress| bar.update(progress),
            effort: self.certify.effort(),
        };
        let interval = self.checkpoint.interval();
        let archived = resumable.go_on(&model, &header, interval, &live, control)?;
        bar.clear();
        run::show(&model, &archived, self.json, self.quiet)?;
        let Archived {
            outcome, files, kept, ..
        } = archived;
        match (files, outcome.summary.error) {
            (Err(error), _) => Err(Failure::Kept { error, kept }),
            (_, Some(message)) => Err(failed(&model, message, outcome.summary.steps)),
            (Ok(_), None) => Ok(()),
        }
    }
}
