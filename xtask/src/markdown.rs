//! As much of Markdown as the checks need.
use std::path::PathBuf;

/// A fenced block.
#[derive(Debug, PartialEq)]
pub(crate) struct Block {
    /// What follows the opening fence: `sh no-run`, `toml file=pendulum.toml`.
    pub(crate) info: String,
    /// Its lines, each with its number in the document, from 1.
    pub(crate) lines: Vec<(usize, String)>,
}

impl Block {
    /// The first word of the info string.
    pub(crate) fn language(&self) -> &str {
        self.words().next().unwrap_or_default()
    }

    /// Whether the info string has the word.
    pub(crate) fn says(&self, word: &str) -> bool {
        self.words().any(|w| w == word)
    }

    /// The value of `key=value` in the info string.
    pub(crate) fn value(&self, key: &str) -> Option<&str> {
        self.words()
            .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.info.split_whitespace()
    }
}

/// The fenced blocks of a text, and its other lines with their numbers.
pub(crate) fn split(text: &str) -> (Vec<Block>, Vec<(usize, &str)>) {
    let (mut blocks, mut prose) = (Vec::new(), Vec::new());
    let mut open: Option<Block> = None;
    for (index, line) in text.lines().enumerate() {
        let fence = line.trim_start().strip_prefix("```");
        open = match (open, fence) {
            (None, None) => {
                prose.push((index + 1, line));
                None
            }
            (None, Some(info)) => Some(Block {
                info: info.trim().to_owned(),
                lines: Vec::new(),
            }),
            (Some(block), Some(_)) => {
                blocks.push(block);
                None
            }
            (Some(mut block), None) => {
                block.lines.push((index + 1, line.to_owned()));
                Some(block)
            }
        };
    }
    blocks.extend(open);
    (blocks, prose)
}

/// The pieces of a line between backticks, and the line without them.
pub(crate) fn code_spans(line: &str) -> (Vec<&str>, String) {
    let (mut spans, mut rest) = (Vec::new(), String::new());
    for (index, piece) in line.split('`').enumerate() {
        if index % 2 == 1 {
            spans.push(piece);
        } else {
            rest.push_str(piece);
        }
    }
    (spans, rest)
}

/// Targets of `[text](target)`; code spans have been taken out of the line.
pub(crate) fn links(line: &str) -> Vec<&str> {
    let parts = line.split("](").skip(1);
    parts
        .filter_map(|part| Some(part.split_once(')')?.0.trim()))
        .collect()
}

/// The anchor that a heading gets on a rendered page.
pub(crate) fn anchor(heading: &str) -> String {
    let title = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = title
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Whether a code span is written as a path of the repository: `crates/holonomy/src`, `Cargo.toml`.
pub(crate) fn as_path(span: &str) -> Option<PathBuf> {
    const ENDINGS: [&str; 6] = [".rs", ".toml", ".md", ".svg", ".py", ".json"];
    let plain = span
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    let looks = span.contains('/') || ENDINGS.iter().any(|ending| span.ends_with(ending));
    (plain && looks && span.len() > 1).then(|| PathBuf::from(span))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_know_their_info_and_lines() {
        let (blocks, prose) = split("a\n```sh no-run\nx\n```\nb\n```toml file=m.toml\ny\nz\n```\n");
        assert_eq!(prose, [(1, "a"), (5, "b")]);
        assert_eq!((blocks[0].language(), blocks[0].says("no-run")), ("sh", true));
        assert_eq!(blocks[0].lines, [(3, "x".to_owned())]);
        assert_eq!(blocks[1].value("file"), Some("m.toml"));
        assert_eq!(blocks[1].lines.len(), 2);
    }

    #[test]
    fn links_and_code_are_told_apart() {
        let (spans, rest) = code_spans("see [a](b.md#c) and `[x](y)`, ![i](f.svg)");
        assert_eq!(spans, ["[x](y)"]);
        assert_eq!(links(&rest), ["b.md#c", "f.svg"]);
    }

    #[test]
    fn anchors_are_those_of_rendered_pages() {
        assert_eq!(
            anchor("## Files of a run: `model.toml`"),
            "files-of-a-run-modeltoml"
        );
        assert_eq!(anchor("# |E − E₀|"), "e--e₀");
    }

    #[test]
    fn paths_are_recognised() {
        for path in ["crates/holonomy/src", "Cargo.toml", ".ci/run", "scenarios/"] {
            assert!(as_path(path).is_some(), "{path}");
        }
        for other in ["sphere-explicit", "E − E₀ / x", "State", "cargo xtask test", "/"] {
            assert_eq!(as_path(other), None);
        }
    }
}
