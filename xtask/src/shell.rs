//! Runs the commands that the documents show.
//!
//! A block ```` ```sh ```` holds `cargo holonomy …` or `holonomy …` lines; each must exit with 0, or with N if it ends
//! with `# exit N`. A block ```` ```sh no-run ```` is only shown. A block ```` ```text output ```` is what the command
//! before it says. A block ```` ```toml file=NAME ```` is a complete model: it must pass `holonomy check`, unless it is
//! marked `wrong`, and the commands of its document find it under that name. ```` ```xml file=NAME ```` and
//! ```` ```csv file=NAME ```` are files, too.
use crate::{
    Outcome, documents,
    markdown::{self, Block},
    read, root,
};
use std::{
    fs::File,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// No command of a document should take longer.
const PATIENCE: Duration = Duration::from_secs(120);

/// A command with the status it should end with.
#[derive(Debug, PartialEq)]
struct Line {
    arguments: Vec<String>,
    /// A file that receives the standard output: `> chain.toml`.
    into: Option<String>,
    status: i32,
}

pub(crate) fn run_documents() -> Outcome {
    let scratch = Scratch::new("documents")?;
    let mut count = Count::default();
    for path in documents::all()? {
        let folder = scratch.folder(&path.display().to_string().replace(['/', '\\'], "-"))?;
        let (blocks, _) = markdown::split(&read(&root().join(&path))?);
        let mut said = String::new();
        for block in &blocks {
            run_block(block, &folder, &path, &mut said, &mut count)
                .map_err(|(number, why)| format!("{}:{number}: {why}", path.display()))?;
        }
    }
    println!("   {} commands and {} models", count.commands, count.models);
    Ok(())
}

#[derive(Default)]
struct Count {
    commands: usize,
    models: usize,
}

/// Does what a block asks for; the error comes with its line.
fn run_block(
    block: &Block,
    folder: &Path,
    document: &Path,
    said: &mut String,
    count: &mut Count,
) -> Result<(), (usize, String)> {
    let first = block.lines.first().map_or(0, |(number, _)| *number);
    let lines: Vec<&str> = block.lines.iter().map(|(_, line)| line.as_str()).collect();
    let text = lines.join("\n");
    match (block.language(), block.value("file")) {
        ("toml", Some(name)) => {
            let written = std::fs::write(folder.join(name), text + "\n");
            written.map_err(|e| (first, format!("{name}: {e}")))?;
            if !block.says("wrong") {
                let check = Line::parse(&format!("holonomy check {name}")).map_err(|e| (first, e))?;
                check.run(folder).map_err(|e| (first, e))?;
            }
            count.models += 1;
        }
        ("xml" | "csv", Some(name)) => {
            let written = std::fs::write(folder.join(name), text + "\n");
            written.map_err(|e| (first, format!("{name}: {e}")))?;
        }
        ("sh", _) if !block.says("no-run") => {
            for (number, text) in joined(&block.lines) {
                let line = Line::parse(&text).map_err(|e| (number, e))?;
                let before = Instant::now();
                *said = line.run(folder).map_err(|e| (number, e))?;
                let took = before.elapsed().as_secs_f64();
                println!("   {}:{number} {took:.1} s  {text}", document.display());
                count.commands += 1;
            }
        }
        ("text", _) if block.says("output") && text.trim() != said.trim() => {
            return Err((first, format!("the command before it says\n{said}")));
        }
        _ => {}
    }
    Ok(())
}

/// Runs a command in a folder of its own and returns a file it wrote.
pub(crate) fn file_of(command: &str, file: &str) -> Result<Vec<u8>, String> {
    let scratch = Scratch::new("figure")?;
    let folder = scratch.folder("run")?;
    Line::parse(command)?.run(&folder)?;
    std::fs::read(folder.join(file)).map_err(|e| format!("{file}: {e}"))
}

/// Lines that end with a backslash go on in the next; comments and empty lines are left out.
fn joined(lines: &[(usize, String)]) -> Vec<(usize, String)> {
    let mut all: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for (number, line) in lines {
        let (text, goes_on) = match line.trim_end().strip_suffix('\\') {
            Some(text) => (text.trim(), true),
            None => (line.trim(), false),
        };
        match all.last_mut() {
            Some((_, before)) if open => {
                before.push(' ');
                before.push_str(text);
            }
            _ => all.push((*number, text.to_owned())),
        }
        open = goes_on;
    }
    all.retain(|(_, text)| !text.is_empty() && !text.starts_with('#'));
    all
}

impl Line {
    fn parse(text: &str) -> Result<Self, String> {
        let (command, comment) = cut_comment(text);
        let status = match comment.trim().strip_prefix("exit ") {
            Some(number) => number.trim().parse().map_err(|e| format!("`# {comment}`: {e}"))?,
            None => 0,
        };
        let mut words = words(command)?.into_iter().peekable();
        words.next_if(|word| word == "cargo");
        if words.next().as_deref() != Some("holonomy") {
            return Err(format!(
                "`{text}` is not a `holonomy` command; mark the block `sh no-run` and say why"
            ));
        }
        let mut arguments: Vec<String> = words.collect();
        let mut into = None;
        if let Some(at) = arguments.iter().position(|word| word == ">") {
            into = arguments.get(at + 1).cloned();
            arguments.truncate(at);
        }
        Ok(Self {
            arguments,
            into,
            status,
        })
    }

    /// What it said, if it ended as it should.
    fn run(&self, folder: &Path) -> Result<String, String> {
        let output = folder.join(self.into.as_deref().unwrap_or(".stdout"));
        let errors = folder.join(".stderr");
        let create = |path: &Path| File::create(path).map_err(|e| format!("{}: {e}", path.display()));
        let mut child = Command::new(binary()?)
            .args(&self.arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(create(&output)?)
            .stderr(create(&errors)?)
            .spawn()
            .map_err(|e| format!("the command cannot be started: {e}"))?;
        let start = Instant::now();
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if start.elapsed() > PATIENCE => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(format!("not done after {} s", PATIENCE.as_secs()));
                }
                Ok(None) => std::thread::sleep(Duration::from_millis(5)),
                Err(error) => return Err(error.to_string()),
            }
        };
        let told = [read(&output)?, read(&errors)?].concat();
        if status.code() == Some(self.status) {
            return Ok(told);
        }
        Err(format!("ended with {status} instead of {}\n{told}", self.status))
    }
}

/// The command and its comment. A `#` within a word or within quotes begins none.
fn cut_comment(text: &str) -> (&str, &str) {
    let mut quote = None;
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        match quote {
            None if letter == '#' && before == ' ' => return (&text[..at], &text[at + 1..]),
            None if letter == '"' || letter == '\'' => quote = Some(letter),
            Some(open) if letter == open => quote = None,
            _ => {}
        }
        before = letter;
    }
    (text, "")
}

/// Words as a shell splits them; quotes keep blanks, and there is nothing else to know.
fn words(text: &str) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in text.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => word.get_or_insert_default().push(letter),
            None if letter == '"' || letter == '\'' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter.is_whitespace() => all.extend(word.take()),
            None => word.get_or_insert_default().push(letter),
        }
    }
    all.extend(word);
    match quote {
        None => Ok(all),
        Some(open) => Err(format!("`{text}` has an open {open}")),
    }
}

/// The command.
pub(crate) fn binary() -> Result<PathBuf, String> {
    built("holonomy")
}

/// A program of the release profile. This one is in `target/debug`.
pub(crate) fn built(name: &str) -> Result<PathBuf, String> {
    let here = std::env::current_exe().map_err(|e| e.to_string())?;
    let target = here.ancestors().nth(2).unwrap_or(&here);
    let path = target
        .join("release")
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if path.exists() {
        return Ok(path);
    }
    Err(format!(
        "`{name}` is not built: `cargo build --release --workspace --bins`"
    ))
}

/// A temporary folder that goes when it is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Result<Self, String> {
        let path = std::env::temp_dir().join(format!("holonomy-xtask-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Self(path))
    }

    fn folder(&self, name: &str) -> Result<PathBuf, String> {
        let path = self.0.join(name);
        std::fs::create_dir_all(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Line {
        Line::parse(text).expect("a command")
    }

    #[test]
    fn commands_are_split_as_a_shell_does() {
        let line = parsed("cargo holonomy run x --set 'title=a # b' --set run.step=\"5 ms\"  # exit 2");
        assert_eq!(
            line.arguments,
            ["run", "x", "--set", "title=a # b", "--set", "run.step=5 ms"]
        );
        assert_eq!(line.status, 2);
        assert_eq!(parsed("holonomy list # every one of them").status, 0);
    }

    #[test]
    fn output_goes_to_a_file() {
        let line = parsed("holonomy show pendulum-chain > chain.toml");
        assert_eq!(line.arguments, ["show", "pendulum-chain"]);
        assert_eq!(line.into.as_deref(), Some("chain.toml"));
    }

    #[test]
    fn other_commands_are_refused() {
        assert!(Line::parse("cargo xtask test").is_err());
        assert!(Line::parse("holonomy run 'x").is_err());
    }

    #[test]
    fn long_lines_are_joined_and_comments_skipped() {
        let lines = ["# first", "", "holonomy run x \\", "    --quiet", "holonomy list"];
        let lines: Vec<_> = lines
            .iter()
            .enumerate()
            .map(|(k, l)| (k + 1, (*l).to_owned()))
            .collect();
        let expected = [
            (3, "holonomy run x --quiet".to_owned()),
            (5, "holonomy list".to_owned()),
        ];
        assert_eq!(joined(&lines), expected);
    }
}
