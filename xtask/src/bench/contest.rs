//! A row: everybody is started, then asked in turn for one repetition after the other.
use super::{
    environment::{Environment, pinned},
    program,
    rows::{Row, Source},
};
use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

/// Time of a step, ns.
#[derive(Clone, Debug)]
pub(super) struct Times {
    pub(super) least: f64,
    /// A quarter of the repetitions is faster than the first, three quarters than the second.
    pub(super) quartiles: [f64; 2],
    pub(super) repetitions: usize,
    pub(super) version: String,
}

/// Repetitions that everybody gets, but for those that take very long.
const MOST: usize = 400;
const FEWEST: usize = 3;

/// Times of all entrants, or why there are none; takes about `seconds`.
pub(super) fn hold(
    row: &Row,
    environment: &Environment,
    seconds: f64,
) -> Result<Vec<Result<Times, String>>, String> {
    let mut all: Vec<Result<Player, String>> = Vec::new();
    for entrant in row.entrants {
        let player = match &entrant.source {
            Source::Quoted(nanoseconds) => Ok(Player::Quoted(*nanoseconds)),
            Source::Here {
                row: name,
                who,
                threads,
                steps,
            } => {
                let threads = threads.to_string();
                let mut words = vec!["serve", name, who];
                let mut command = match threads.as_str() {
                    "0" => pinned(&program()?),
                    _ => Command::new(program()?),
                };
                if threads != "0" {
                    words.push(&threads);
                }
                Player::start(command.args(words), *steps)
            }
            Source::Peer {
                row: name,
                who,
                steps,
            } => prepare(name, environment)
                .and_then(|()| environment.peer(&[name, who, &environment.folder.display().to_string()]))
                .and_then(|mut command| Player::start(&mut command, *steps)),
        };
        if let Err(why) = &player {
            println!("   {}: not available: {why}", entrant.label);
        }
        all.push(player);
    }
    // The first round warms everybody up, and tells how long a repetition takes.
    for player in all.iter_mut() {
        round(player, row.wall);
    }
    for player in all.iter_mut().filter_map(|player| player.as_mut().ok()) {
        player.forget();
    }
    let share = seconds / all.len() as f64;
    for turn in 0..MOST {
        let mut asked = false;
        for player in all.iter_mut() {
            if player.as_ref().is_ok_and(|player| player.wants(turn, share)) {
                round(player, row.wall);
                asked = true;
            }
        }
        if !asked {
            break;
        }
    }
    Ok(all
        .into_iter()
        .map(|player| player.and_then(Player::finish))
        .collect())
}

/// The start of the molecules, for peers that do not make it themselves.
fn prepare(row: &str, environment: &Environment) -> Result<(), String> {
    if !row.starts_with("molecules") {
        return Ok(());
    }
    let file = environment.folder.join(format!("{row}.bin"));
    let mut export = Command::new(program()?);
    let output = export
        .arg("export")
        .arg(row)
        .arg(&file)
        .output()
        .map_err(|e| e.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}

fn round(player: &mut Result<Player, String>, wall: bool) {
    if let Ok(inner) = player
        && let Err(why) = inner.repeat(wall)
    {
        *player = Err(why);
    }
}

/// Somebody who takes part.
enum Player {
    Quoted(f64),
    Process(Box<Process>),
}

struct Process {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    steps: u64,
    version: String,
    /// ns per step, and how long all repetitions took.
    times: Vec<f64>,
    spent: Duration,
}

impl Player {
    fn start(command: &mut Command, steps: u64) -> Result<Self, String> {
        let child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = child.spawn().map_err(|e| e.to_string())?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("it has no pipes".to_owned());
        };
        let mut process = Process {
            child,
            to,
            from: BufReader::new(from),
            steps,
            version: String::new(),
            times: Vec::new(),
            spent: Duration::ZERO,
        };
        process.version = process
            .listen()?
            .strip_prefix("ready")
            .unwrap_or("")
            .trim()
            .to_owned();
        Ok(Self::Process(Box::new(process)))
    }

    fn repeat(&mut self, wall: bool) -> Result<(), String> {
        match self {
            Self::Quoted(_) => Ok(()),
            Self::Process(process) => process.repeat(wall),
        }
    }

    fn forget(&mut self) {
        if let Self::Process(process) = self {
            process.times.clear();
        }
    }

    fn wants(&self, turn: usize, share: f64) -> bool {
        match self {
            Self::Quoted(_) => false,
            Self::Process(process) => turn < FEWEST || process.spent.as_secs_f64() < share,
        }
    }

    fn finish(self) -> Result<Times, String> {
        match self {
            Self::Quoted(nanoseconds) => Ok(Times {
                least: nanoseconds,
                quartiles: [nanoseconds; 2],
                repetitions: 0,
                version: "quoted".to_owned(),
            }),
            Self::Process(process) => {
                let Process {
                    mut times,
                    version,
                    to,
                    mut child,
                    ..
                } = *process;
                drop(to);
                let _ = child.wait();
                times.sort_by(f64::total_cmp);
                let quartile = |k: usize| times[k * (times.len() - 1) / 4];
                Ok(Times {
                    least: quartile(0),
                    quartiles: [quartile(1), quartile(3)],
                    repetitions: times.len(),
                    version,
                })
            }
        }
    }
}

impl Process {
    /// The next line; `unavailable …` and a closed pipe are errors.
    fn listen(&mut self) -> Result<String, String> {
        let mut line = String::new();
        let count = self.from.read_line(&mut line).map_err(|e| e.to_string())?;
        let line = line.trim().to_owned();
        match line.strip_prefix("unavailable") {
            _ if count == 0 => Err("it ended without an answer".to_owned()),
            Some(why) => Err(why.trim().to_owned()),
            None => Ok(line),
        }
    }

    fn repeat(&mut self, wall: bool) -> Result<(), String> {
        let before = Instant::now();
        writeln!(self.to, "{}", self.steps).map_err(|e| e.to_string())?;
        let line = self.listen()?;
        self.spent += before.elapsed();
        let mut words = line.split_whitespace().skip(usize::from(wall));
        let nanoseconds: f64 = words
            .next()
            .and_then(|word| word.parse().ok())
            .ok_or_else(|| format!("it said `{line}`"))?;
        self.times.push(nanoseconds / self.steps as f64);
        Ok(())
    }
}
