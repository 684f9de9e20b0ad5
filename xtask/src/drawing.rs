//! The drawing of the crates in ARCHITECTURE.md is what cargo builds.
//!
//! ```text
//! engine ← model (a remark)
//!        ← report ← command
//! ```
//! An arrow leads from a crate to one that it needs. A line that begins with an arrow goes on from the end of the line
//! above. A crate may also need what it needs through others; but an arrow that is drawn is there.
use crate::{Outcome, markdown, packages::Workspace, read, root};
use std::collections::BTreeSet;

const FILE: &str = "ARCHITECTURE.md";
const ARROW: char = '←';

pub(crate) fn check() -> Outcome {
    let text = read(&root().join(FILE))?;
    let drawn = arrows(&text);
    if drawn.is_empty() {
        return Err(format!(
            "{FILE} has no drawing of the crates: a `text` block with `a {ARROW} b`"
        ));
    }
    let workspace = Workspace::read()?;
    let problems = compare(&drawn, &workspace.arrows());
    problems
        .is_empty()
        .then_some(())
        .ok_or_else(|| problems.join("\n"))
}

type Arrow<'t> = (&'t str, &'t str);

/// The arrows of all `text` blocks: the needed crate first.
fn arrows(text: &str) -> Vec<(String, String)> {
    let (blocks, _) = markdown::split(text);
    let lines = blocks
        .iter()
        .filter(|block| block.language() == "text")
        .flat_map(|block| &block.lines);
    let mut all = Vec::new();
    let mut last: Option<String> = None;
    for (_, line) in lines.filter(|(_, line)| line.contains(ARROW)) {
        for (place, piece) in line.split(ARROW).enumerate() {
            let Some(name) = name(piece) else { continue };
            if let Some(before) = last.take().filter(|_| place > 0) {
                all.push((before, name.to_owned()));
            }
            last = Some(name.to_owned());
        }
    }
    all
}

/// The first word, if it can be the name of a crate.
fn name(piece: &str) -> Option<&str> {
    let word = piece.split_whitespace().next()?.trim_end_matches([';', ',']);
    let fits = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    (word.starts_with(|letter: char| letter.is_ascii_lowercase()) && word.chars().all(fits)).then_some(word)
}

/// What is drawn and not there, and what is there and not drawn.
fn compare(drawn: &[(String, String)], real: &[Arrow]) -> Vec<String> {
    let drawn: BTreeSet<Arrow> = drawn
        .iter()
        .map(|(needed, user)| (needed.as_str(), user.as_str()))
        .collect();
    let real: BTreeSet<Arrow> = real.iter().copied().collect();
    let missing = drawn.difference(&real);
    let mut problems: Vec<String> = missing
        .map(|(needed, user)| {
            format!("{FILE} draws {needed} {ARROW} {user}, but `{user}` does not need `{needed}`")
        })
        .collect();
    let hidden = real.iter().filter(|(needed, user)| !leads(&drawn, needed, user));
    problems.extend(hidden.map(|(needed, user)| {
        format!("`{user}` needs `{needed}`, and no arrows of {FILE} lead from one to the other")
    }));
    problems
}

/// Whether arrows lead from the needed crate to its user, through any number of others.
fn leads(drawn: &BTreeSet<Arrow>, needed: &str, user: &str) -> bool {
    let mut reached = BTreeSet::from([needed]);
    loop {
        let next = drawn
            .iter()
            .filter(|(from, to)| reached.contains(from) && !reached.contains(to));
        let next: Vec<&str> = next.map(|(_, to)| *to).collect();
        if next.is_empty() {
            return reached.contains(user);
        }
        reached.extend(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWING: &str =
        "```text\nengine (knows, no files)  ← model\n   ← host, with disk ← command\nmodel ← other\n```\n";

    fn drawn() -> Vec<(String, String)> {
        arrows(DRAWING)
    }

    #[test]
    fn lines_and_remarks_are_read() {
        let pairs = [
            ("engine", "model"),
            ("model", "host"),
            ("host", "command"),
            ("model", "other"),
        ];
        assert_eq!(drawn(), pairs.map(|(a, b)| (a.to_owned(), b.to_owned())));
        assert_eq!(arrows("```sh\na ← b\n```\n a ← b\n"), []);
    }

    #[test]
    fn what_others_bring_may_be_used_and_nothing_else() {
        let real = [
            ("engine", "model"),
            ("model", "host"),
            ("host", "command"),
            ("model", "other"),
        ];
        assert_eq!(compare(&drawn(), &real), [""; 0]);
        let through = [&real[..], &[("engine", "command")]].concat();
        assert_eq!(compare(&drawn(), &through), [""; 0]);
        let back = [&real[..], &[("command", "engine")]].concat();
        assert_eq!(compare(&drawn(), &back).len(), 1);
        let aside = [&real[..], &[("other", "command")]].concat();
        assert_eq!(compare(&drawn(), &aside).len(), 1);
        assert_eq!(compare(&drawn(), &real[1..]).len(), 1);
    }
}
