//! The progress line.
use crate::output::{clock, draw, note, number, rounded};
use console::{Style, Term, measure_text_width, truncate_str};
use holonomy_report::run::Progress;
use std::{
    io::{self, IsTerminal},
    time::{Duration, Instant},
};

/// Shows how far a run is: on a terminal by a line that changes, elsewhere by a line a minute.
///
/// The line is never as wide as the terminal: what Ctrl-C echoes would then begin a new line, and the old one stay.
pub(crate) struct Bar {
    shown: Shown,
    name: String,
    counts: &'static str,
    start: Instant,
    drawn: Option<Instant>,
}

/// Who reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Nobody,
    /// A terminal whose lines can be written again.
    Terminal,
    /// A file, or a terminal that knows no more than a file.
    Log,
}

impl Shown {
    fn to(quiet: bool, terminal: bool, dumb: bool) -> Self {
        match (quiet, terminal && !dumb) {
            (true, _) => Self::Nobody,
            (false, true) => Self::Terminal,
            (false, false) => Self::Log,
        }
    }
}

/// Time between two lines of a log.
const MINUTE: Duration = Duration::from_secs(60);
const REDRAW: Duration = Duration::from_millis(80);
/// Columns at the end of the line that stay free.
const FREE: usize = 4;
/// The most columns that the bar takes; it changes by whole notches, so that it does not tremble with the words.
const WIDE: usize = 32;
const NOTCH: usize = 4;

impl Bar {
    /// A line on the standard error, unless quiet is wanted.
    pub(crate) fn new(quiet: bool) -> Self {
        let terminal = io::stderr().is_terminal() && Term::stderr().features().is_attended();
        Self {
            shown: Shown::to(quiet, terminal, console::is_dumb()),
            name: String::new(),
            counts: "steps",
            start: Instant::now(),
            drawn: None,
        }
    }

    /// Begins a new piece of work; its name stands before what is said about it.
    pub(crate) fn begin(&mut self, name: &str) {
        name.clone_into(&mut self.name);
        self.start = Instant::now();
    }

    /// Another name for the same piece of work.
    pub(crate) fn begin_again(&mut self, name: &str) {
        name.clone_into(&mut self.name);
    }

    /// What the work is counted in; steps if nothing is said.
    pub(crate) fn counts(&mut self, what: &'static str) {
        self.counts = what;
    }

    /// Shows how far the work is.
    pub(crate) fn update(&mut self, progress: &Progress) {
        let since = self.drawn.unwrap_or(self.start).elapsed();
        match self.shown {
            Shown::Nobody => return,
            Shown::Log if since < MINUTE => return,
            Shown::Terminal if self.drawn.is_some() && since < REDRAW => return,
            _ => self.drawn = Some(Instant::now()),
        }
        if self.shown == Shown::Log {
            return note(&self.log(progress));
        }
        let columns = usize::from(Term::stderr().size().1).saturating_sub(FREE);
        let line = self.line(progress, columns);
        let line = truncate_str(&line, columns, "…");
        draw(&format!("{CLEAR}{line}"));
    }

    /// Takes the line away.
    pub(crate) fn clear(&mut self) {
        if self.drawn.take().is_some() && self.shown == Shown::Terminal {
            draw(CLEAR);
        }
    }

    fn line(&self, progress: &Progress, columns: usize) -> String {
        let share = progress.step as f64 / progress.steps.max(1) as f64;
        let percent = format!("{:>3.0} % ", (100.0 * share).floor());
        let words = self.words(progress);
        let room = columns.saturating_sub(measure_text_width(&percent) + measure_text_width(&words) + 1);
        let width = room.min(WIDE) / NOTCH * NOTCH;
        let full = (share * width as f64) as usize;
        let style = Style::new().for_stderr();
        let done = style.clone().cyan().apply_to("━".repeat(full));
        let open = style.dim().apply_to("─".repeat(width.saturating_sub(full)));
        format!("{percent}{done}{open} {words}")
    }

    /// A line of a log, without anything that moves a cursor.
    fn log(&self, progress: &Progress) -> String {
        let share = progress.step as f64 / progress.steps.max(1) as f64;
        format!("{:.1} % · {}\n", 100.0 * share, self.words(progress))
    }

    fn words(&self, progress: &Progress) -> String {
        let rate = (progress.step - progress.begun) as f64 / self.start.elapsed().as_secs_f64();
        let left = progress.steps.saturating_sub(progress.step) as f64 / rate;
        let mut text = String::new();
        if !self.name.is_empty() {
            text += &format!("{} · ", self.name);
        }
        if progress.t.is_finite() {
            text += &format!("t = {} s · ", number(progress.t));
        }
        if progress.energy_error.is_finite() {
            text += &format!("|E − E₀| ≤ {:.0e} J · ", progress.energy_error);
        }
        text + &format!("{} {}/s · {} left", rounded(rate), self.counts, clock(left))
    }
}

/// To the beginning of the line, and away with what is on it.
const CLEAR: &str = "\r\u{1b}[2K";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_that_knows_no_escapes_gets_none() {
        assert_eq!(Shown::to(false, true, false), Shown::Terminal);
        assert_eq!(Shown::to(false, true, true), Shown::Log);
        assert_eq!(Shown::to(false, false, false), Shown::Log);
        assert_eq!(Shown::to(true, true, false), Shown::Nobody);
    }

    #[test]
    fn a_line_of_a_log_says_how_far_how_well_how_fast_and_how_long_still() {
        let mut bar = Bar::new(true);
        // 600 of the 1000 steps were there before: the rate is that of the others.
        bar.start -= Duration::from_secs(100);
        let progress = Progress {
            step: 800,
            begun: 600,
            steps: 1000,
            t: 8.0,
            energy_error: 2e-7,
        };
        let line = bar.log(&progress);
        assert_eq!(
            line,
            "80.0 % · t = 8 s · |E − E₀| ≤ 2e-7 J · 2.00 steps/s · 1:40 left\n"
        );
    }
}
