//! Text as numbers and widths: superscripts, signs, line breaks.

/// A power of ten such as `10⁻⁵`.
pub(super) fn power_of_ten(exponent: i32) -> String {
    let mut text = String::from("10");
    for character in exponent.to_string().chars() {
        text.push(match character {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            // The other superscript digits are consecutive in Unicode, from U+2070.
            digit => char::from_u32(0x2070 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
        });
    }
    text
}

/// A fixed-point number with a true minus sign and the thousands apart from 10 000 on.
pub(super) fn fixed(value: f64, decimals: usize) -> String {
    let digits = format!("{:.decimals$}", value.abs());
    let negative = value < 0.0 && digits.bytes().any(|digit| (b'1'..=b'9').contains(&digit));
    let (whole, fraction) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut text = String::from(if negative { "−" } else { "" });
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && whole.len() > 4 && (whole.len() - index).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text + fraction
}

/// An estimate, on the generous side, of the width of text in a sans-serif face.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let ems = |character: char| match character {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.32,
        '\u{2009}' => 0.2,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '/' | '-' => 0.41,
        '⁰' | '¹' | '²' | '³' | '⁴'..='⁹' => 0.42,
        'm' | 'M' | 'W' | '%' | '@' | '…' | '—' => 0.98,
        'w' | '−' | '×' | '=' | '+' | '<' | '>' | '±' | '·' | '→' => 0.84,
        'A'..='Z' => 0.72,
        other if u32::from(other) > 0x2e7f => 1.0,
        _ => 0.63,
    };
    size * text.chars().map(ems).sum::<f64>()
}

/// The text broken between words into lines that fit.
pub(super) fn wrap(text: &str, size: f64, available: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(word, size) + width(" ", size) <= available => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines.iter().map(|line| shorten(line, size, available)).collect()
}

/// The text broken into as few lines as fit, of about the same length.
pub(super) fn balanced(text: &str, size: f64, available: f64) -> Vec<String> {
    let mut lines = wrap(text, size, available);
    for share in 1..20 {
        let narrower = wrap(text, size, available * (1.0 - 0.05 * f64::from(share)));
        if narrower.len() > lines.len() || narrower.iter().any(|line| line.ends_with('…')) {
            break;
        }
        lines = narrower;
    }
    lines
}

/// The text cut with an ellipsis if it does not fit.
pub(super) fn shorten(text: &str, size: f64, available: f64) -> String {
    if width(text, size) <= available {
        return text.into();
    }
    let mut kept = String::new();
    for character in text.chars() {
        kept.push(character);
        if width(&kept, size) + width("…", size) > available {
            kept.pop();
            break;
        }
    }
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_superscripts() {
        assert_eq!(power_of_ten(-5), "10⁻⁵");
        assert_eq!(power_of_ten(123), "10¹²³");
        assert_eq!(power_of_ten(40), "10⁴⁰");
    }

    #[test]
    fn fixed_numbers_read_well() {
        assert_eq!(fixed(-0.75, 2), "−0.75");
        assert_eq!(fixed(-0.001, 1), "0.0");
        assert_eq!(fixed(1000.0, 0), "1000");
        assert_eq!(fixed(-1_234_567.5, 1), "−1\u{2009}234\u{2009}567.5");
    }

    #[test]
    fn lines_fit() {
        let lines = wrap("the quick brown fox jumps over the lazy dog", 10.0, 80.0);
        assert!(lines.len() > 2 && lines.iter().all(|line| width(line, 10.0) <= 80.0));
        assert_eq!(shorten("abcdefgh", 10.0, 36.0), "abcd…");
        assert!(wrap("", 10.0, 80.0).is_empty() && balanced("", 10.0, 80.0).is_empty());
        assert_eq!(
            balanced("one two three four five (s)", 10.0, 120.0),
            ["one two three", "four five (s)"]
        );
    }
}
