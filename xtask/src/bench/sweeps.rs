//! Many pendula from different starts: `bench/peers/sweeps.py` asks everybody for the accuracy that ours has.
use super::{Asked, Effort, Environment, Findings, digits, program};
use crate::Outcome;

/// System, how many, our method, step and steps.
const ENSEMBLES: [[&str; 5]; 5] = [
    ["pendulum", "100000", "sphere-explicit", "0.01", "1000"],
    ["pendulum", "100000", "sphere-split-6", "0.1", "100"],
    ["double", "10000", "sphere-implicit", "0.01", "1000"],
    ["double", "10000", "sphere-implicit-4", "0.1", "100"],
    ["double", "10000", "sphere-gauss-8", "0.3125", "32"],
];

pub(super) fn hold(environment: &Environment, effort: Effort, findings: &mut Findings) -> Outcome {
    for [system, count, method, step, steps] in ENSEMBLES {
        let count = if effort.quick { "2000" } else { count };
        let mut alone = None;
        for threads in ["1", "2"] {
            let mut script = environment.script("sweeps.py")?;
            script
                .arg(program()?)
                .args([system, count, method, step, steps, threads]);
            let output = script.output().map_err(|e| format!("sweeps.py: {e}"))?;
            let said = String::from_utf8_lossy(&output.stdout);
            println!("{said}");
            if !output.status.success() {
                return Err(String::from_utf8_lossy(&output.stderr).into_owned());
            }
            findings.asked.extend(ratios(system, method, threads, &said));
            let ours = first_seconds(&said);
            if let (Some(one), Some(two)) = (alone, ours) {
                let factor: f64 = one / two;
                findings.asked.push(Asked {
                    row: "sweeps".to_owned(),
                    words: format!("{count} × {system} by {method}: two cores ≥ 1.9× one"),
                    measured: format!("{}×", digits(factor)),
                    met: Some(factor >= 1.9),
                });
            }
            alone = ours;
        }
    }
    Ok(())
}

fn first_seconds(said: &str) -> Option<f64> {
    let line = said.lines().find(|line| line.starts_with("ours"))?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().rposition(|word| *word == "s")?;
    words.get(at.checked_sub(1)?)?.parse().ok()
}

/// How many times as long as ours each peer takes; the kernel must not be much faster.
fn ratios(system: &str, method: &str, threads: &str, said: &str) -> Vec<Asked> {
    let ratio = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let found = words
            .iter()
            .find_map(|word| word.strip_suffix('x')?.parse::<f64>().ok());
        found.map(|found| (words.first().copied().unwrap_or("").to_owned(), found))
    };
    let peers = said.lines().skip(1).filter(|line| !line.starts_with("ours"));
    peers
        .filter_map(ratio)
        .map(|(who, ratio)| {
            let kernel = who == "straight-line";
            Asked {
                row: "sweeps".to_owned(),
                words: match kernel {
                    true => {
                        format!("{system} by {method}, {threads} thread(s): ours ≤ 1.3× a kernel in lanes")
                    }
                    false => format!("{system} by {method}, {threads} thread(s): {who} takes ≥ 2× as long"),
                },
                measured: match kernel {
                    true => format!("{}×", digits(1.0 / ratio)),
                    false => format!("{}×", digits(ratio)),
                },
                met: Some(match kernel {
                    true => 1.0 / ratio <= 1.3,
                    false => ratio >= 2.0,
                }),
            }
        })
        .collect()
}
