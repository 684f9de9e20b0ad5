//! What documents say about the repository is true: paths exist, links lead somewhere, crates are drawn as they are.
use crate::{Outcome, drawing, markdown, read, root};
use std::{
    collections::HashSet,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// Longest line outside tables and fenced blocks, in characters. The first line of a scenario is its summary, and is
/// as long as it is.
const WIDTH: usize = 120;

pub(crate) fn check() -> Outcome {
    let mut problems = Vec::new();
    let all = all()?;
    let mut names = HashSet::new();
    collect_names(&root(), &mut names)?;
    for path in &all {
        let text = read(&root().join(path))?;
        let (_, prose) = markdown::split(&text);
        for (number, line) in prose {
            let mut tell = |what: String| problems.push(format!("{}:{number}: {what}", path.display()));
            let (spans, rest) = markdown::code_spans(line);
            if is_map(path) {
                for span in spans {
                    if let Some(named) = markdown::as_path(span)
                        && !exists(&named, &names)
                    {
                        tell(format!("there is no `{span}`"));
                    }
                }
            }
            for link in markdown::links(&rest) {
                if let Err(why) = follow(path, link) {
                    tell(why);
                }
            }
            let width = line.chars().count();
            if width > WIDTH && !line.starts_with('|') && !path.starts_with("scenarios") {
                tell(format!("the line has {width} characters, more than {WIDTH}"));
            }
        }
    }
    println!("   {} documents", all.len());
    problems.extend(drawing::check().err());
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems.join("\n"))
    }
}

/// Every document, relative to the repository's folder: those at its top, and all below `docs` and `scenarios`.
pub(crate) fn all() -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    collect(Path::new(""), false, &mut found)?;
    for folder in ["docs", "scenarios"] {
        collect(Path::new(folder), true, &mut found)?;
    }
    found.sort();
    Ok(found)
}

fn collect(folder: &Path, deep: bool, found: &mut Vec<PathBuf>) -> Outcome {
    let place = root().join(folder);
    let entries = std::fs::read_dir(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    for entry in entries {
        let entry = entry.map_err(|e| format!("{}: {e}", place.display()))?;
        let path = folder.join(entry.file_name());
        if deep && entry.path().is_dir() {
            collect(&path, deep, found)?;
        } else if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
    Ok(())
}

/// The documents in which every path between backticks must exist.
fn is_map(path: &Path) -> bool {
    path == Path::new("ARCHITECTURE.md") || path == Path::new("CONTRIBUTING.md")
}

/// A path counts from the repository's folder; a bare name may be that of any file.
fn exists(named: &Path, names: &HashSet<OsString>) -> bool {
    let bare = named.components().count() == 1;
    root().join(named).exists() || (bare && names.contains(named.as_os_str()))
}

/// The names of all files of the repository, without those that are made.
fn collect_names(folder: &Path, names: &mut HashSet<OsString>) -> Outcome {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        if !entry.path().is_dir() {
            names.insert(name);
        } else if !["target", "runs", ".git", "node_modules"]
            .iter()
            .any(|made| name == *made)
        {
            collect_names(&entry.path(), names)?;
        }
    }
    Ok(())
}

/// Whether a link leads to a file, and to a heading of it.
fn follow(from: &Path, link: &str) -> Outcome {
    if link.contains("://") {
        return Ok(());
    }
    let (file, anchor) = link
        .split_once('#')
        .map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let folder = from.parent().unwrap_or(Path::new(""));
    let target = if file.is_empty() {
        root().join(from)
    } else {
        root().join(folder).join(file)
    };
    if !target.exists() {
        return Err(format!("the link `{link}` leads nowhere"));
    }
    if let Some(anchor) = anchor {
        let text = read(&target)?;
        let (_, prose) = markdown::split(&text);
        let mut headings = prose.iter().filter(|(_, line)| line.starts_with('#'));
        if !headings.any(|(_, heading)| markdown::anchor(heading) == anchor) {
            return Err(format!("the link `{link}` leads to no heading"));
        }
    }
    Ok(())
}
