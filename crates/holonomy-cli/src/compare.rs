use crate::{
    CertifyArguments, ModelArguments, OutputArguments, ScheduleArguments,
    failure::Failure,
    files::{command_line, shown},
    input::Input,
    interrupt,
    output::{self, bold, dim, lasting, number, rough, rounded, scientific},
    progress::Bar,
    table::{Align, Table},
    threads::ThreadArguments,
};
use holonomy::integrator::catalog;
use holonomy_host::compare::{compare, precision};
use holonomy_model::{self as model, Model, Severity};
use holonomy_report::{
    certificate::Effort,
    compare::{Comparison, Entry, NoPrecision, NotRun},
    figures,
    run::{Control, Progress},
    summary::Summary,
};
use std::cell::RefCell;

/// Runs several methods on one model and sets them side by side, on a page too
#[derive(clap::Args)]
pub(crate) struct Compare {
    #[command(flatten)]
    model: ModelArguments,
    /// Methods, separated by commas, see `holonomy methods`
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', required = true)]
    methods: Vec<String>,
    #[command(flatten)]
    schedule: ScheduleArguments,
    #[command(flatten)]
    pub(crate) threads: ThreadArguments,
    #[command(flatten)]
    certify: CertifyArguments,
    #[command(flatten)]
    output: OutputArguments,
}

/// A method and its model, or the reason why there is none.
type Candidate = (String, Result<Model, NotRun>);

const FILES: &[&str] = &["compare.svg", "compare.html", "compare.json"];

impl Compare {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let names: Vec<&str> = catalog::METHODS.iter().map(|method| method.name).collect();
        for name in &self.methods {
            if catalog::find(name).is_err() {
                return Err(Failure::UnknownMethod {
                    name: name.clone(),
                    suggestion: model::nearest(name, names.iter().copied()),
                });
            }
        }
        let input = Input::open(&self.model)?;
        let length = self.schedule.duration.is_some() || self.schedule.steps.is_some();
        input.require(
            &[("--step", self.schedule.step.is_some()), ("--duration", length)],
            &self.model.set,
        )?;
        let candidates = self.candidates(&input)?;
        if let Some(model) = candidates.iter().find_map(|(_, model)| model.as_ref().ok()) {
            input.save(model, self.output.force)?;
        }
        let stop = interrupt::flag();
        let name = format!("{}-compare", input.name);
        let folder = self.output.folder(&name, &input.source, FILES)?;

        let bar = RefCell::new(Bar::new(self.output.quiet));
        let control = Control {
            stop,
            progress: &mut |progress: &Progress| bar.borrow_mut().update(progress),
            effort: self.certify.effort(),
        };
        let mut begin = |method: &str| bar.borrow_mut().begin(method);
        let (comparison, first) = compare(&input.name, candidates, &mut begin, control);
        let mut files = None;
        if let Some(mut folder) = folder {
            let control = Control {
                stop,
                progress: &mut |progress: &Progress| bar.borrow_mut().update(progress),
                effort: Effort::None,
            };
            let mut begin = |what: &str| bar.borrow_mut().begin(&format!("work and precision: {what}"));
            let precision = match first {
                Some(model) => precision(&comparison, model, &mut begin, control).map_err(NoPrecision::from),
                None => Err(NoPrecision::NothingRan),
            };
            bar.borrow_mut().clear();
            folder.add("compare.svg", &figures::compare(&comparison))?;
            folder.add("compare.html", &comparison.page(&precision, &command_line()))?;
            folder.add("compare.json", &comparison.to_json())?;
            files = Some(shown(folder.path()));
            folder.commit()?;
        }
        bar.borrow_mut().clear();
        if self.output.json {
            output::print(&comparison.to_json())?;
        } else {
            output::print(&describe(&comparison, files.as_deref()))?;
        }
        if comparison.any_succeeded() {
            Ok(())
        } else {
            Err(Failure::NothingRan)
        }
    }

    /// A model for every method, or the reason why there is none. If there is none for any method, the model itself is
    /// wrong.
    fn candidates(&self, input: &Input) -> Result<Vec<Candidate>, Failure> {
        let own = model::load(&input.source).ok().map(|model| model.method.name);
        let mut candidates = Vec::new();
        let mut first = None;
        for method in &self.methods {
            let mut input = input.again();
            // The model's own method keeps its options.
            if own != Some(method.as_str()) {
                input.set_method("--methods", method);
            }
            input.set_schedule(&self.schedule);
            input.set(&self.keys_for(method));
            let quiet = self.output.quiet || !candidates.is_empty();
            let model = input.load(quiet).map_err(|failure| {
                let reason = reason(&failure);
                first.get_or_insert(failure);
                reason
            });
            candidates.push((method.clone(), model));
        }
        match first {
            Some(failure) if candidates.iter().all(|(_, model)| model.is_err()) => Err(failure),
            _ => Ok(candidates),
        }
    }

    /// The keys to set for a method: options that only other methods of the comparison take are left out.
    fn keys_for(&self, method: &str) -> Vec<String> {
        let takes = |method: &str, option: &str| {
            catalog::find(method).is_ok_and(|method| method.options.contains(&option))
        };
        let wanted = |key: &&String| {
            let path = key.split('=').next().unwrap_or_default().trim();
            let Some(option) = path.strip_prefix("method.") else {
                return true;
            };
            takes(method, option) || !self.methods.iter().any(|other| takes(other, option))
        };
        self.model.set.iter().filter(wanted).cloned().collect()
    }
}

/// Why a model was refused: its first error.
fn reason(failure: &Failure) -> NotRun {
    let first = match failure {
        Failure::BadModel { problems, .. } => problems
            .iter()
            .find(|problem| problem.severity == Severity::Error),
        _ => None,
    };
    match first {
        Some(problem) => NotRun::Refused {
            message: problem.message.clone(),
            help: problem.help.clone(),
        },
        None => NotRun::Refused {
            message: failure.to_string(),
            help: None,
        },
    }
}

fn describe(comparison: &Comparison, files: Option<&str>) -> String {
    let mut ran = comparison
        .entries
        .iter()
        .filter_map(|entry| entry.result.as_ref().ok());
    let columns = Columns::of(ran.next().map(|outcome| &outcome.summary));
    let heads = columns.heads();
    let mut align = vec![Align::Right; heads.len()];
    align[0] = Align::Left;
    if let Some(verdict) = align.last_mut() {
        *verdict = Align::Left;
    }
    let mut table = Table::new(&align);
    table.row(heads.into_iter().map(dim));
    for Entry { method, result } in &comparison.entries {
        match result {
            Err(reason) => table.row([method.clone(), reason.to_string()]),
            Ok(outcome) => table.row(columns.cells(&outcome.summary)),
        }
        if let Ok(outcome) = result
            && let Some(error) = &outcome.summary.error
        {
            table.row(["".to_owned(), format!("failed {error}")]);
        }
    }
    let title = match comparison.title.as_str() {
        "" => &comparison.scenario,
        title => title,
    };
    let whole = comparison.verdict();
    let mut text = format!(
        "{}\n\n{}\n{}",
        bold(title),
        table.render(),
        output::conclusion(whole.verdict, &whole.to_string())
    );
    if let Some(files) = files {
        text += &format!("\n{} {files}\n", dim("files"));
    }
    text
}

/// Which numbers a table of this family shows.
struct Columns {
    /// Energy is conserved.
    energy: bool,
    length: bool,
    constraint: bool,
}

impl Columns {
    fn of(summary: Option<&Summary>) -> Self {
        Self {
            energy: summary.is_none_or(|summary| !summary.driven),
            length: summary.is_none_or(|summary| summary.manifold.is_some()),
            constraint: summary.is_some_and(|summary| summary.constraints.is_some()),
        }
    }

    fn heads(&self) -> Vec<&'static str> {
        let mut heads = vec!["method"];
        heads.extend_from_slice(match self.energy {
            true => &["mean |ΔE|", "max |ΔE|", "drift (J/s)"],
            false => &["E at the start", "E at the end"],
        });
        if self.length {
            heads.push("length");
        }
        if self.constraint {
            heads.push("constraint");
        }
        heads.extend(["momentum", "time", "ns/step", "verdict"]);
        heads
    }

    fn cells(&self, summary: &Summary) -> Vec<String> {
        let absent = || "-".to_owned();
        let (energy, conclusion) = (&summary.energy, &summary.certificate.conclusion);
        let mut cells = vec![summary.method.clone()];
        if self.energy {
            let drift = energy.drift_per_second.zip(energy.drift_standard_error);
            cells.extend([
                scientific(energy.mean_abs_error),
                scientific(energy.max_abs_error),
                drift.map_or_else(absent, |(drift, error)| format!("{drift:.1e} ± {error:.0e}")),
            ]);
        } else {
            cells.extend([energy.initial, energy.last].map(|energy| format!("{} J", number(energy))));
        }
        if self.length {
            let manifold = summary.manifold.as_ref();
            cells.push(manifold.map_or_else(absent, |manifold| rough(manifold.max_error)));
        }
        if self.constraint {
            let constraints = summary.constraints.as_ref();
            cells.push(constraints.map_or_else(absent, |constraints| rough(constraints.max_error)));
        }
        cells.extend([
            summary.momentum_error().map_or_else(absent, rough),
            lasting(summary.wall_seconds),
            rounded(1e9 / summary.steps_per_second),
            output::verdict(conclusion.verdict, conclusion.word()),
        ]);
        cells
    }
}
