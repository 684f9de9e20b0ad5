//! `holonomy reproduce`.
use crate::{
    failure::Failure,
    interrupt,
    output::{self, note},
    table::{Align, Table},
};
use holonomy_model::nearest;
use holonomy_report::verdict::Verdict;
use holonomy_reproduce::{Control, Item, Progress, items, reproduce};
use std::{io::IsTerminal, path::PathBuf, sync::atomic::Ordering};

/// Computes every figure and table of four publications again, published numbers beside ours
///
/// 000  Zenkov, Leok & Bloch, Hamel's formalism and variational integrators on a sphere (2012)
/// 001  Lee, Leok & McClamroch, Lagrangian mechanics and variational integrators on two-spheres (2009)
/// 002  Beckman, a notebook on the integration of rotations
/// 003  a report on a variational integrator for cables, after trep
/// beyond  what none of them shows: very long runs, work against precision, cost against size
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Reproduce {
    /// Only one publication: 000 (Zenkov–Leok–Bloch), 001 (Lee–Leok–McClamroch), 002 (Beckman's notebook),
    /// 003 (the cable report), or beyond
    #[arg(long, value_name = "D", value_parser = ["000", "001", "002", "003", "beyond"])]
    document: Option<String>,
    /// Only these items, separated by commas, such as 000-fig-1; see `--list`
    #[arg(long, value_name = "ITEM", value_delimiter = ',')]
    only: Vec<String>,
    /// Show the items and end
    #[arg(long)]
    list: bool,
    /// Write the pages there
    #[arg(long, value_name = "DIR", default_value = "reproduction")]
    out: PathBuf,
    /// Compute again what the folder holds already
    #[arg(long)]
    again: bool,
    /// Items computed at once; as many as there are cores
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Show no progress
    #[arg(long)]
    quiet: bool,
}

impl Reproduce {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let wanted = self.wanted()?;
        if self.list {
            return Ok(output::print(&listed(&wanted))?);
        }
        let stop = interrupt::flag();
        let shown = !self.quiet && std::io::stderr().is_terminal();
        let progress = |progress: &Progress<'_>| {
            if shown {
                let stored = if progress.stored { ", there already" } else { "" };
                note(&format!(
                    "{:>3} of {}  {}{stored}\n",
                    progress.done, progress.all, progress.item
                ));
            }
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let control = Control {
            stop,
            threads: self.threads.unwrap_or(cores),
            progress: &progress,
        };
        let found = reproduce(&wanted, &self.out, self.again, &control)?;
        let mut table = Table::new(&[Align::Left, Align::Left, Align::Left]);
        let mut failed = 0;
        for (item, result) in &found {
            let reading = match result {
                Ok(finding) => {
                    let reading = finding.reading();
                    match reading.verdict() {
                        Verdict::Bad => output::red(item.words(reading)),
                        _ => item.words(reading).to_owned(),
                    }
                }
                Err(error) => {
                    failed += 1;
                    let text = error.to_string();
                    output::red(&format!("failed: {}", text.lines().next().unwrap_or_default()))
                }
            };
            table.row(vec![item.name.to_owned(), reading, item.title.to_owned()]);
        }
        let page = self.out.join("index.html");
        output::print(&format!("{}\n{}\n", table.render(), page.display()))?;
        match (failed, stop.load(Ordering::Relaxed)) {
            (0, false) => Ok(()),
            (0, true) => Err(Failure::ReproductionStopped),
            (failed, _) => Err(Failure::Reproduction {
                failed,
                items: found.len(),
            }),
        }
    }

    fn wanted(&self) -> Result<Vec<&'static Item>, Failure> {
        for name in &self.only {
            if !items().any(|item| item.name == name) {
                let near = nearest(name, items().map(|item| item.name));
                return Err(Failure::BadValue {
                    flag: "--only",
                    value: name.clone(),
                    reason: "there is no such item".to_owned(),
                    help: Some(match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "`holonomy reproduce --list` shows the items".to_owned(),
                    }),
                });
            }
        }
        let of = |item: &&Item| {
            let document = self.document.as_ref();
            document.is_none_or(|name| name == item.document.name())
                && (self.only.is_empty() || self.only.iter().any(|name| name == item.name))
        };
        Ok(items().filter(of).collect())
    }
}

fn listed(items: &[&Item]) -> String {
    let mut table = Table::new(&[Align::Left, Align::Left]);
    for item in items {
        table.row(vec![item.name.to_owned(), item.title.to_owned()]);
    }
    table.render()
}
