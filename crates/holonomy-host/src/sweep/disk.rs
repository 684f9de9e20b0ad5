//! A sweep on the disk: finished cases in parts, then the table in their place.
use super::{
    CaseRow, Description, Plan, Setting, SweepError, Swept,
    case::finite,
    page,
    part::{self, Part},
    table::{Field, TableWriter},
};
use rayon::prelude::*;
use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

/// Parts in which the cases are computed and kept.
const PARTS: u64 = 256;
/// Cases of a part at most.
const MOST_IN_A_PART: u64 = 1000;

impl Plan {
    /// Runs the cases that are not finished, on all threads, and writes the table and the page when all are; the page says
    /// that it was made by this command.
    pub fn sweep(
        &self,
        folder: &Path,
        replace: bool,
        command: &str,
        stop: &AtomicBool,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Swept, SweepError> {
        let cases = self.cases().unwrap_or(0);
        let parts = folder.join("parts");
        self.open(folder, &parts, replace)?;
        let size = cases.div_ceil(PARTS).clamp(1, MOST_IN_A_PART);
        let (done, before, failed) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let count = |rows: &[CaseRow]| {
            let lost = rows
                .iter()
                .filter(|row| matches!(row.words[0].as_str(), "failed" | "refused"));
            failed.fetch_add(lost.count() as u64, Ordering::Relaxed);
            let now = done.fetch_add(rows.len() as u64, Ordering::Relaxed) + rows.len() as u64;
            progress(now, cases);
        };
        let disk = |action: &'static str, path: PathBuf| {
            move |source: io::Error| SweepError::Disk { action, path, source }
        };
        (0..cases.div_ceil(size)).into_par_iter().try_for_each(|part| {
            let (first, end) = (part * size, ((part + 1) * size).min(cases));
            let path = part::path(&parts, part);
            let whole = part::read(&parts, part, first).map_err(disk("read", path.clone()))?;
            before.fetch_add(whole.len() as u64, Ordering::Relaxed);
            count(&whole);
            if whole.len() as u64 == end - first {
                return Ok(());
            }
            let mut file = Part::open(&parts, part, &whole).map_err(disk("write", path.clone()))?;
            self.run_some(first + whole.len() as u64..end, stop, &mut |row| {
                count(std::slice::from_ref(&row));
                file.push(&row)
            })
            .map_err(disk("write", path.clone()))?;
            file.close().map_err(disk("write", path))
        })?;
        let mut swept = Swept {
            cases,
            done: done.into_inner(),
            before: before.into_inner(),
            failed: failed.into_inner(),
            whole: false,
        };
        if swept.done == cases {
            self.write_table(folder, &parts, [cases, size], command)
                .map_err(disk("write", folder.join("cases.parquet")))?;
            swept.whole = true;
        }
        Ok(swept)
    }

    /// Makes the folder, or finds that it holds this sweep.
    fn open(&self, folder: &Path, parts: &Path, replace: bool) -> Result<(), SweepError> {
        let disk = |action: &'static str, path: &Path| {
            let path = path.to_owned();
            move |source: io::Error| SweepError::Disk { action, path, source }
        };
        let description = self.describe();
        let stands = folder.join("sweep.json");
        match fs::read(&stands) {
            Ok(text) if !replace => {
                let found: Option<Description> = serde_json::from_slice(&text).ok();
                let what = match &found {
                    None => Some("sweep.json"),
                    Some(found) => found.difference(&description),
                };
                if let Some(what) = what {
                    let path = folder.to_owned();
                    return Err(SweepError::Another { path, what });
                }
                if folder.join("cases.parquet").exists() {
                    return Err(SweepError::Finished {
                        path: folder.to_owned(),
                    });
                }
                return Ok(());
            }
            Ok(_) => {
                // The parts are ours: `sweep.json` stands beside them.
                for path in [
                    folder.join("cases.parquet"),
                    folder.join("sweep.html"),
                    stands.clone(),
                ] {
                    match fs::remove_file(&path) {
                        Err(error) if error.kind() != io::ErrorKind::NotFound => {
                            return Err(disk("replace", &path)(error));
                        }
                        _ => {}
                    }
                }
                remove_parts(parts).map_err(disk("replace", parts))?;
            }
            Err(_) => {
                let others = fs::read_dir(folder).ok().and_then(|mut entries| entries.next());
                if others.is_some() {
                    let path = folder.to_owned();
                    let what = "contents";
                    return Err(SweepError::Another { path, what });
                }
            }
        }
        fs::create_dir_all(parts).map_err(disk("make", parts))?;
        let header = "Made by `holonomy sweep`: the model of all cases, before their keys are set.";
        place(&folder.join("model.toml"), self.model_text(header).as_bytes())
            .map_err(disk("write", folder))?;
        let text = serde_json::to_vec_pretty(&description).map_err(io::Error::from);
        text.and_then(|text| place(&stands, &text))
            .map_err(disk("write", &stands))
    }

    fn model_text(&self, header: &str) -> String {
        format!("# {header}\n{}", self.model.to_toml())
    }

    /// The table, from the parts in their order.
    fn write_table(
        &self,
        folder: &Path,
        parts: &Path,
        [cases, size]: [u64; 2],
        command: &str,
    ) -> io::Result<()> {
        let hidden = folder.join(".cases.parquet.part");
        let mut table = TableWriter::new(File::create(&hidden)?, self.columns())?;
        let mut page = (cases <= page::MOST).then(|| self.page(command));
        self.rows(parts, cases, size, &mut |settings, row| {
            if let Some(page) = &mut page {
                page.cases.push(self.on_the_page(settings, row));
            }
            let set = settings.iter().map(|setting| match setting {
                Setting::Number(number) => Field::Number(finite(*number)),
                Setting::Word(word) => Field::Word(word.clone()),
            });
            let case = std::iter::once(Field::Whole(row.case as i64));
            let numbers = row.numbers.iter().map(|number| Field::Number(*number));
            let words = row.words.iter().map(|word| Field::Word(word.clone()));
            table.push(case.chain(set).chain(numbers).chain(words))
        })?;
        let mut file = table.finish()?;
        file.flush()?;
        file.sync_all()?;
        if let Some(page) = page {
            place(&folder.join("sweep.html"), page.render().as_bytes())?;
        }
        // The table comes last: where it is, the sweep is whole.
        fs::rename(&hidden, folder.join("cases.parquet"))?;
        remove_parts(parts)
    }

    fn rows(
        &self,
        parts: &Path,
        cases: u64,
        size: u64,
        take: &mut dyn FnMut(&[Setting], &CaseRow) -> io::Result<()>,
    ) -> io::Result<()> {
        for part in 0..cases.div_ceil(size) {
            for row in part::read(parts, part, part * size)? {
                take(&self.settings(row.case), &row)?;
            }
        }
        Ok(())
    }
}

/// Writes a file whole or not at all.
fn place(path: &Path, text: &[u8]) -> io::Result<()> {
    let hidden = path.with_extension("part");
    let mut file = File::create(&hidden)?;
    file.write_all(text)?;
    file.sync_all()?;
    fs::rename(hidden, path)
}

/// Removes parts, and the directory if nothing else is in it.
fn remove_parts(parts: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(parts) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("part-") && name.ends_with(".jsonl") {
            fs::remove_file(&path)?;
        }
    }
    // Something of somebody else's stays.
    let _ = fs::remove_dir(parts);
    Ok(())
}
