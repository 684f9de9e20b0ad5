use crate::{
    failure::Failure,
    files::{command_line, open_folder, quoted},
    interrupt,
    output::{self, note},
    page::{BrowserArguments, announce},
    progress::Bar,
    run::{RunArguments, failed, header},
    summary::describe,
};
use holonomy_host::{
    archive::{self, Archive, Archived},
    folder::{Folder, FolderError, RUN_FILES},
    run::run_filmed,
    serve::{Request, Server},
    view::{Live, SavedRun},
};
use holonomy_model::{Model, scenario};
use holonomy_report::run::{Control, Outcome, Progress};
use std::{
    path::{Path, PathBuf},
    thread,
};

/// Shows a run in the browser: the folder of one that is done or goes on, or a model while its run is made
#[derive(clap::Args)]
pub(crate) struct View {
    #[command(flatten)]
    pub(crate) what: RunArguments,
    /// Write the files of the run there; without it a run that is made here leaves none
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace the files of an earlier run
    #[arg(long, requires = "out")]
    force: bool,
    /// Show no progress and no notes
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    browser: BrowserArguments,
}

impl View {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match self.saved()? {
            Some(run) => self.show(&run),
            None => self.make(),
        }
    }

    /// The run in a folder, if that is what the command line names: with flags a folder stands for its model.
    fn saved(&self) -> Result<Option<SavedRun>, Failure> {
        let name = self.what.model.model.as_deref().unwrap_or_default();
        let path = Path::new(name);
        let changed = self.what.is_changed() || self.out.is_some();
        if changed || scenario::find(name).is_some() || !path.is_dir() {
            return Ok(None);
        }
        match SavedRun::find(path) {
            Some(run) => Ok(Some(run)),
            None if path.join("model.toml").is_file() => Ok(None),
            None => Err(Failure::NotARun {
                path: path.to_owned(),
            }),
        }
    }

    fn show(&self, run: &SavedRun) -> Result<(), Failure> {
        let stop = interrupt::flag();
        let server = Server::open()?;
        announce(&server.address(), &self.browser)?;
        if run.is_going_on() && !self.quiet {
            note("the run goes on; the page follows it\n");
        }
        server.serve(stop, &|request: &Request| run.answer(request));
        Ok(())
    }

    /// Makes the run while the page follows it, and then shows its report.
    fn make(&self) -> Result<(), Failure> {
        let (input, model) = self.what.load(self.quiet, self.force)?;
        let folder = self
            .out
            .as_ref()
            .map(|path| open_folder(path, &input.source, RUN_FILES, self.force));
        let folder = folder.transpose()?;
        let title = match model.title.as_str() {
            "" => &input.name,
            title => title,
        };
        let live = Live::new(title, folder.as_ref().map(Folder::path));
        let stop = interrupt::flag();
        let server = Server::open()?;
        announce(&server.address(), &self.browser)?;
        thread::scope(|scope| {
            scope.spawn(|| server.serve(stop, &|request: &Request| live.answer(request)));
            // The page stays until Ctrl-C, whatever became of the run.
            let shown = self.made(&model, &input.name, folder, &live);
            if let Err(failure) = &shown {
                failure.report();
            }
            shown.map_err(|_| Failure::Reported)
        })
    }

    fn made(&self, model: &Model, name: &str, folder: Option<Folder>, live: &Live) -> Result<(), Failure> {
        let mut bar = Bar::new(self.quiet);
        let control = Control {
            stop: interrupt::flag(),
            progress: &mut |progress: &Progress| bar.update(progress),
            effort: self.what.certify.effort(),
        };
        let (outcome, files, header): (Outcome, Result<Option<PathBuf>, FolderError>, String) = match folder {
            None => {
                let header = format!(
                    "Made by `{}`, holonomy {}.",
                    command_line(),
                    env!("CARGO_PKG_VERSION")
                );
                (run_filmed(model, name, control, Some(live)), Ok(None), header)
            }
            Some(folder) => {
                let header = header(&quoted(&folder.path().join("model.toml").to_string_lossy()));
                interrupt::at_once(folder.path());
                let archive = Archive {
                    folder,
                    model,
                    name,
                    header: &header,
                    interval: self.what.checkpoint.interval(),
                    live,
                };
                let Archived { outcome, files, .. } = archive.run(control)?;
                (outcome, files.map(Some), header)
            }
        };
        bar.clear();
        live.finish(archive::report(model, &header, &outcome));
        let folder = files.as_ref().ok().and_then(Option::as_ref);
        output::print(&describe(model, &outcome.summary, folder))?;
        files?;
        match outcome.summary.error {
            Some(message) => Err(failed(model, message, outcome.summary.steps)),
            None => Ok(()),
        }
    }
}
