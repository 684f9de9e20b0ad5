//! A sweep on the disk: finished cases in parts, then the table in their place.
use super::{
    CaseRow, Description, Plan, Setting, SweepError, Swept,
    case::finite,
    page,
    part::{self, Part},
    table::{Field, TableWriter},
    trajectory::{self, Trajectories},
};
use crate::folder::{BEGUN, Folder, FolderError, SWEEP_FILES, TABLE};
use holonomy_report::sweep::quoted;
use rayon::prelude::*;
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

/// Parts in which the cases are computed and kept.
const PARTS: u64 = 256;
/// Cases of a part at most.
const MOST_IN_A_PART: u64 = 1000;

/// Cases of a part, of so many in all.
pub(super) fn part_size(cases: u64) -> u64 {
    cases.div_ceil(PARTS).clamp(1, MOST_IN_A_PART)
}

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
        let disk = |action: &'static str, path: PathBuf| {
            move |source: io::Error| SweepError::Disk { action, path, source }
        };
        let opened = self.open(folder, &parts, replace)?;
        let kept = self
            .trajectories
            .then(|| Trajectories::open(folder, self.model.format));
        let kept = kept
            .transpose()
            .map_err(disk("make", trajectory::directory(folder)))?;
        let size = part_size(cases);
        let (done, before, failed) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let count = |rows: &[CaseRow]| {
            let lost = rows
                .iter()
                .filter(|row| row.is_refused() || row.words[0] == "failed");
            failed.fetch_add(lost.count() as u64, Ordering::Relaxed);
            let now = done.fetch_add(rows.len() as u64, Ordering::Relaxed) + rows.len() as u64;
            progress(now, cases);
        };
        // What goes wrong in one part ends the others.
        let lost = AtomicBool::new(false);
        let ended = || stop.load(Ordering::Relaxed) || lost.load(Ordering::Relaxed);
        let work = |part: u64| {
            let (first, end) = (part * size, ((part + 1) * size).min(cases));
            let path = part::path(&parts, part);
            let mut whole = part::read(&parts, part, first).map_err(disk("read", path.clone()))?;
            if let Some(kept) = &kept {
                let has = |row: &&CaseRow| row.is_refused() || kept.has(row.case);
                whole.truncate(whole.iter().take_while(has).count());
            }
            before.fetch_add(whole.len() as u64, Ordering::Relaxed);
            count(&whole);
            if whole.len() as u64 == end - first {
                return Ok(());
            }
            let mut file = Part::open(&parts, part, &whole).map_err(disk("write", path.clone()))?;
            let rest = first + whole.len() as u64..end;
            for some in self.batches(rest, kept.is_some()) {
                if ended() {
                    break;
                }
                let rows = self.run_together(some, kept.as_ref(), stop);
                for row in rows.map_err(disk("write", trajectory::directory(folder)))? {
                    count(std::slice::from_ref(&row));
                    file.push(&row).map_err(disk("write", path.clone()))?;
                }
            }
            file.close().map_err(disk("write", path))
        };
        (0..cases.div_ceil(size))
            .into_par_iter()
            .try_for_each(|part| work(part).inspect_err(|_| lost.store(true, Ordering::Relaxed)))?;
        let mut swept = Swept {
            cases,
            done: done.into_inner(),
            before: before.into_inner(),
            failed: failed.into_inner(),
            whole: false,
        };
        if swept.done == cases {
            self.finish(opened, &parts, [cases, size], command)?;
            // The sweep is whole: what is left of the way there is in nobody's way.
            let _ = remove_parts(&parts);
            let _ = trajectory::remove(folder, true);
            swept.whole = true;
        }
        Ok(swept)
    }

    /// Makes the folder, or finds that it holds this sweep.
    pub(super) fn open(&self, path: &Path, parts: &Path, replace: bool) -> Result<Folder, SweepError> {
        let disk = |action: &'static str, path: &Path| {
            let path = path.to_owned();
            move |source: io::Error| SweepError::Disk { action, path, source }
        };
        let folder = Folder::enter(path, SWEEP_FILES)?;
        let description = self.describe();
        let differs = |text: &[u8]| match serde_json::from_slice::<Description>(text) {
            Err(_) => Some("sweep.json"),
            Ok(found) => found.difference(&description),
        };
        let another = |what| SweepError::Another {
            path: path.to_owned(),
            what,
        };
        if let Ok(begun) = folder.read_hidden(BEGUN) {
            match differs(&begun) {
                // It goes on, also by force: it would come to the same.
                None => {
                    return part::own_directory(parts)
                        .map_err(disk("make", parts))
                        .map(|()| folder);
                }
                Some(what) if !replace => return Err(another(what)),
                Some(_) => {}
            }
        } else if let Ok(text) = fs::read(path.join("sweep.json")) {
            match differs(&text) {
                _ if replace => {}
                Some(what) => return Err(another(what)),
                None if path.join(TABLE).exists() => {
                    let _ = remove_parts(parts);
                    return Err(SweepError::Finished {
                        path: path.to_owned(),
                    });
                }
                None => {}
            }
        } else if !folder.is_empty() {
            return Err(another("contents"));
        }
        folder.remove_ours()?;
        remove_parts(parts).map_err(disk("replace", parts))?;
        trajectory::remove(path, false).map_err(disk("replace", &trajectory::directory(path)))?;
        let text = serde_json::to_vec_pretty(&description).map_err(io::Error::from);
        let text = text.map_err(disk("write", path))?;
        folder.put(BEGUN, &text)?;
        part::own_directory(parts).map_err(disk("make", parts))?;
        Ok(folder)
    }

    fn model_text(&self, header: &str) -> String {
        format!("# {header}\n{}", self.model.to_toml())
    }

    /// Writes the table and the page, which take their places together.
    fn finish(
        &self,
        mut folder: Folder,
        parts: &Path,
        size: [u64; 2],
        command: &str,
    ) -> Result<(), SweepError> {
        let written = self.write(&mut folder, parts, size, command);
        if written.is_err() {
            // It may be that the disk is full: the parts are enough to go on with.
            folder.drop_parts(&[BEGUN]);
        }
        written?;
        Ok(folder.commit()?)
    }

    fn write(
        &self,
        folder: &mut Folder,
        parts: &Path,
        [cases, size]: [u64; 2],
        command: &str,
    ) -> Result<(), FolderError> {
        let model = folder.path().join("model.toml");
        let alone = format!("holonomy run {}", quoted(&model.to_string_lossy()));
        let mut page = (cases <= page::MOST).then(|| self.page(command, &alone));
        let file = folder.stream(TABLE)?;
        let table = self.write_table(file, parts, [cases, size], &mut |settings, row| {
            if let Some(page) = &mut page {
                page.push(settings, row);
            }
        });
        let table = table.map_err(|error| folder.failure(TABLE, error))?;
        folder.take(TABLE, &table)?;
        if let Some(filled) = page {
            folder.add("sweep.html", &filled.page.render())?;
        }
        let header = "Made by `holonomy sweep`: the model of all cases, before their keys are set.";
        folder.add("model.toml", &self.model_text(header))?;
        let text = serde_json::to_vec_pretty(&self.describe()).map_err(io::Error::from);
        let text = text.map_err(|error| folder.failure("sweep.json", error))?;
        folder.add("sweep.json", &text)
    }

    /// The table, from the parts in their order; each row is shown on its way.
    fn write_table(
        &self,
        file: File,
        parts: &Path,
        [cases, size]: [u64; 2],
        show: &mut dyn FnMut(&[Setting], &CaseRow),
    ) -> io::Result<File> {
        let mut table = TableWriter::new(file, self.columns())?;
        let mut rows = 0;
        self.rows(parts, cases, size, &mut |settings, row| {
            rows += 1;
            show(settings, row);
            let set = settings.iter().map(|setting| match setting {
                Setting::Number(number) => Field::Number(finite(*number)),
                Setting::Word(word) => Field::Word(word.clone()),
            });
            let case = std::iter::once(Field::Whole(row.case as i64));
            let numbers = row.numbers.iter().map(|number| Field::Number(*number));
            let words = row.words.iter().map(|word| Field::Word(word.clone()));
            table.push(case.chain(set).chain(numbers).chain(words))
        })?;
        match rows == cases {
            true => table.finish(),
            false => Err(io::Error::other(
                "a part of it was changed by somebody else; try again",
            )),
        }
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

/// Removes parts, and the directory if nothing else is in it.
fn remove_parts(parts: &Path) -> io::Result<()> {
    match fs::symlink_metadata(parts) {
        Ok(found) if found.is_dir() => {}
        _ => return Ok(()),
    }
    for entry in fs::read_dir(parts)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let whole = name.starts_with("part-") && name.ends_with(".jsonl");
        // Of programs that were killed while they made one.
        let hidden = name.starts_with(".part-") && name.ends_with(".part");
        if whole || hidden {
            fs::remove_file(&path)?;
        }
    }
    // Something of somebody else's stays.
    let _ = fs::remove_dir(parts);
    Ok(())
}
