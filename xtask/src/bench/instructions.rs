//! Instructions per step, counted by callgrind: the same in every run on the same compiler.
use super::{
    program,
    rows::{ROWS, Source},
};
use crate::Outcome;
use std::process::Command;

/// By the difference of two runs, so that reading the model does not count.
pub(super) fn print(wanted: &[&str]) -> Outcome {
    if Command::new("valgrind").arg("--version").output().is_err() {
        return Err("`valgrind` is needed to count instructions, and is not here".to_owned());
    }
    println!("{:<18} {:<14} {:>14}", "row", "who", "instructions per step");
    for row in ROWS
        .iter()
        .filter(|row| wanted.is_empty() || wanted.contains(&row.id))
    {
        for entrant in row.entrants {
            let Source::Here {
                row: name,
                who,
                threads: 0,
                steps,
            } = &entrant.source
            else {
                continue;
            };
            let few = (steps / 10).clamp(2, 100);
            let counted = count(name, who, few).and_then(|first| Ok((first, count(name, who, 2 * few)?)));
            match counted {
                Ok((first, second)) => {
                    println!("{:<18} {who:<14} {:>14.0}", row.id, (second - first) / few as f64)
                }
                Err(why) => println!("{:<18} {who:<14} {:>14}  {why}", row.id, "–"),
            }
        }
    }
    Ok(())
}

fn count(row: &str, who: &str, steps: u64) -> Result<f64, String> {
    let mut valgrind = Command::new("valgrind");
    valgrind
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program()?);
    let output = valgrind
        .args(["steps", row, who, &steps.to_string()])
        .output()
        .map_err(|e| e.to_string())?;
    let said = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&said).into_owned();
    if let Some(why) = text.lines().find_map(|line| line.strip_prefix("unavailable ")) {
        return Err(why.to_owned());
    }
    let line = text.lines().find_map(|line| line.split_once("Collected :"));
    let number = line.and_then(|(_, number)| number.trim().parse().ok());
    number.ok_or_else(|| "callgrind counted nothing".to_owned())
}
