//! How often a run is kept on its way.
use holonomy_host::unfinished::Interval;
use holonomy_model::{Unit, parse_quantity};
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct CheckpointArguments {
    /// How often to keep what was computed: a time (30s, 5min), steps (`100000 steps`), or none; a minute if not given
    #[arg(long, value_name = "30s|N steps|none", value_parser = interval, hide_default_value = true)]
    checkpoint: Option<Interval>,
}

impl CheckpointArguments {
    pub(crate) fn interval(&self) -> Interval {
        self.checkpoint.unwrap_or_default()
    }
}

fn interval(text: &str) -> Result<Interval, NoInterval> {
    let text = text.trim();
    if text == "none" {
        return Ok(Interval::Never);
    }
    let count = text.strip_suffix("steps").or(text.strip_suffix("step"));
    let digits: String = count.unwrap_or(text).trim().replace(['_', ' '], "");
    if digits.bytes().all(|letter| letter.is_ascii_digit()) {
        return match digits.parse() {
            Ok(0) | Err(_) => Err(NoInterval),
            Ok(steps) => Ok(Interval::Steps(steps)),
        };
    }
    let seconds = parse_quantity(text, Unit::SECOND).map_err(|_| NoInterval)?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(Interval::Time(time)),
        _ => Err(NoInterval),
    }
}

#[derive(Debug, thiserror::Error)]
#[error("write a time such as `30s` or `5min`, a number of steps such as `100000 steps`, or `none`")]
struct NoInterval;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_steps_are_told_apart() {
        let seconds = |s: f64| Interval::Time(Duration::from_secs_f64(s));
        for (text, expected) in [
            ("30s", seconds(30.0)),
            ("30 s", seconds(30.0)),
            ("0.5 s", seconds(0.5)),
            ("2 min", seconds(120.0)),
            ("100 ms", seconds(0.1)),
            ("100000", Interval::Steps(100_000)),
            ("100_000 steps", Interval::Steps(100_000)),
            ("1 step", Interval::Steps(1)),
            ("none", Interval::Never),
        ] {
            assert_eq!(interval(text).expect(text), expected, "{text}");
        }
        for wrong in [
            "",
            "0",
            "0 s",
            "-3 s",
            "steps",
            "often",
            "3 m",
            "1e400 s",
            "99999999999999999999",
        ] {
            assert!(interval(wrong).is_err(), "{wrong}");
        }
    }
}
