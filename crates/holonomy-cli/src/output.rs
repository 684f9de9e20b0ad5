//! Text for people and programs: results to the standard output, everything else to the standard error.
use console::{Style, Term};
use holonomy_report::verdict::Verdict;
use std::{
    borrow::Cow,
    io::{self, IsTerminal, Write},
};

/// Writes results.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(harmless(text).as_bytes())?;
    out.flush()
}

/// Writes to the standard error what is not a result. If that fails there is nothing to be done.
pub(crate) fn note(text: &str) {
    draw(&harmless(text));
}

/// The same, with all that moves the cursor.
pub(crate) fn draw(text: &str) {
    let mut out = io::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// A text without what would make a terminal do something else than show it: names and titles come from files of others.
/// Colours and the ends of lines stay.
fn harmless(text: &str) -> Cow<'_, str> {
    let dangerous = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
    if !text.contains(dangerous) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let colour = colour(rest);
        let (this, others) = rest.split_at(colour.unwrap_or(letter.len_utf8()));
        match colour.is_some() || !dangerous(letter) {
            true => out.push_str(this),
            false => out.push('\u{fffd}'),
        }
        rest = others;
    }
    Cow::Owned(out)
}

/// The length of a sequence that a text begins with and that changes colours only.
fn colour(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix("\u{1b}[")?;
    let end = numbers.find(|letter: char| !letter.is_ascii_digit() && letter != ';')?;
    numbers[end..].starts_with('m').then_some(2 + end + 1)
}

/// The width of the terminal that results are shown on; `None` if they go elsewhere.
pub(crate) fn terminal_width() -> Option<usize> {
    let wide = |(_, columns): (u16, u16)| usize::from(columns);
    io::stdout()
        .is_terminal()
        .then(|| Term::stdout().size_checked().map_or(80, wide))
}

pub(crate) fn colour_on_stderr() -> bool {
    console::colors_enabled_stderr() && !console::is_dumb()
}

pub(crate) fn red(text: &str) -> String {
    Style::new().for_stderr().red().bold().apply_to(text).to_string()
}

pub(crate) fn cyan(text: &str) -> String {
    Style::new().for_stderr().cyan().bold().apply_to(text).to_string()
}

pub(crate) fn bold(text: &str) -> String {
    Style::new().bold().apply_to(text).to_string()
}

pub(crate) fn dim(text: &str) -> String {
    Style::new().dim().apply_to(text).to_string()
}

/// A verdict in a word or two, with its sign, in its colour.
pub(crate) fn verdict(verdict: Verdict, words: &str) -> String {
    let style = match verdict {
        Verdict::Good => Style::new().green(),
        Verdict::Doubtful => Style::new().yellow(),
        Verdict::Bad => Style::new().red().bold(),
        Verdict::Neutral => Style::new().dim(),
    };
    style.apply_to(format!("{} {words}", verdict.sign())).to_string()
}

/// A sentence with the sign of its verdict, broken into lines that a terminal holds.
pub(crate) fn conclusion(verdict: Verdict, sentence: &str) -> String {
    let sign = self::verdict(verdict, "");
    let width = terminal_width().unwrap_or(WIDTH).clamp(40, WIDTH);
    let lines = wrapped(sentence, 2, width);
    format!("{} {}", sign.trim_end(), lines.trim_start_matches(' '))
}

/// Advice below a conclusion.
pub(crate) fn wrapped_advice(text: &str) -> String {
    let width = terminal_width().unwrap_or(WIDTH).clamp(40, WIDTH);
    let lines = wrapped(text, 2, width);
    format!("{} {}", dim("→"), lines.trim_start_matches(' '))
}

/// Columns that are comfortable to read.
const WIDTH: usize = 100;

/// Text broken between words into lines of at most `width`, each after the indent.
pub(crate) fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let length = console::measure_text_width(word);
        if used > 0 && indent + used + 1 + length > width {
            out.push('\n');
            used = 0;
        }
        if used == 0 {
            out.push_str(&" ".repeat(indent));
        } else {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += length;
    }
    out.push('\n');
    out
}

/// A line of at most `width` columns: what does not fit is cut off behind an ellipsis.
pub(crate) fn shortened(line: &str, width: usize) -> String {
    console::truncate_str(line, width, "…").into_owned()
}

/// A number of four digits, with an exponent where it is very large or small.
pub(crate) fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        magnitude if (1e-2..1e5).contains(&magnitude) => {
            let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
            rounded.to_string()
        }
        _ => scientific(value),
    }
}

/// A number of four digits with an exponent.
pub(crate) fn scientific(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    format!("{value:.3e}")
}

/// A number of two digits with an exponent.
pub(crate) fn rough(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        _ => format!("{value:.1e}"),
    }
}

/// A slope and its standard error in the same power of ten: `(1.2 ± 0.4)e-9`.
pub(crate) fn with_error(value: f64, error: f64) -> String {
    let largest = value.abs().max(error.abs());
    if largest == 0.0 {
        return "0 ± 0".to_owned();
    }
    if (0.1..100.0).contains(&largest) {
        return format!("{value:.2} ± {error:.2}");
    }
    let exponent = largest.log10().floor();
    let unit = 10_f64.powf(exponent);
    if !exponent.is_finite() || unit == 0.0 {
        return format!("{value:.1e} ± {error:.1e}");
    }
    format!("({:.2} ± {:.2})e{exponent}", value / unit, error / unit)
}

/// A rate or count for people: `812 k`, `1.25 M`.
pub(crate) fn rounded(count: f64) -> String {
    let (value, suffix) = match count.abs() {
        large if large >= 1e9 => (count / 1e9, " G"),
        large if large >= 1e6 => (count / 1e6, " M"),
        large if large >= 1e4 => (count / 1e3, " k"),
        _ => (count, ""),
    };
    let decimals = match value.abs() {
        large if large >= 100.0 => 0,
        large if large >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}{suffix}")
}

/// A length of time for people: `0.42 s`, `3 min 20 s`, `2 h 05 min`.
pub(crate) fn lasting(seconds: f64) -> String {
    // A year is long enough to say no more.
    match seconds {
        s if !s.is_finite() || s > 3.2e7 => "over a year".to_owned(),
        s if s < 1.0 => format!("{s:.2} s"),
        s if s < 10.0 => format!("{s:.1} s"),
        s if s < 60.0 => format!("{s:.0} s"),
        s if s < 3600.0 => format!("{} min {:02} s", s as u64 / 60, s as u64 % 60),
        s if s < 172_800.0 => format!("{} h {:02} min", s as u64 / 3600, s as u64 % 3600 / 60),
        s => format!("{} days", s as u64 / 86_400),
    }
}

/// A length of time on a clock: `0:42`, `2:05:00`.
pub(crate) fn clock(seconds: f64) -> String {
    let whole = seconds as u64;
    match seconds {
        s if !s.is_finite() || s > 3.2e7 => "over a year".to_owned(),
        s if s < 3600.0 => format!("{}:{:02}", whole / 60, whole % 60),
        s if s < 172_800.0 => format!("{}:{:02}:{:02}", whole / 3600, whole % 3600 / 60, whole % 60),
        _ => format!("{} days", whole / 86_400),
    }
}

/// `1 body`, `2 bodies`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{} {many}", grouped(count as u64)),
    }
}

/// A count with thousands apart.
pub(crate) fn grouped(count: u64) -> String {
    holonomy_report::number::grouped(count).replace('\u{2009}', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(-96.23610000000002), "-96.2361");
        assert_eq!(number(1.23456e-9), "1.235e-9");
        assert_eq!((number(0.0), number(f64::NAN)), ("0".into(), "NaN".into()));
        assert_eq!(with_error(1.234e-9, -4e-10), "(1.23 ± -0.40)e-9");
        assert_eq!(with_error(0.0, 0.0), "0 ± 0");
        assert_eq!(rounded(812_345.0), "812 k");
        assert_eq!(lasting(200.4), "3 min 20 s");
        assert_eq!(lasting(7500.0), "2 h 05 min");
        assert_eq!((clock(42.9), clock(7500.0)), ("0:42".into(), "2:05:00".into()));
    }

    #[test]
    fn what_a_terminal_would_obey_is_not_shown() {
        let red = "\u{1b}[31;1mbad\u{1b}[0m\n\tgood";
        assert_eq!(harmless(red), red);
        // The title of a window, the cursor, a bell, and the same in one letter.
        let title = "a\u{1b}]0;x\u{7}b\u{1b}[2Jc\u{9b}31md\r";
        let shown = harmless(title);
        assert_eq!(shown, "a\u{fffd}]0;x\u{fffd}b\u{fffd}[2Jc\u{fffd}31md\u{fffd}");
    }

    #[test]
    fn words_are_wrapped_after_an_indent() {
        assert_eq!(wrapped("aa bb cc", 2, 7), "  aa bb\n  cc\n");
        assert_eq!(wrapped("", 2, 7), "\n");
    }
}
