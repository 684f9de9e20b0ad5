//! Text → tokens.
//!
//! ```text
//! number = digits [ "." [ digits ] ] [ exponent ] | "." digits [ exponent ]     digits may hold "_"
//! name   = letter { letter | digit | "_" | "₀" … "₉" } { "'" }                  any script; "_" is a letter
//! symbol = "+" "-" "*" "/" "^" "(" ")" "[" "]" "," "."
//! ```
use super::error::FormulaError;
use std::ops::Range;

/// The longest formula, in bytes.
pub(super) const LONGEST: usize = 64 * 1024;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Number(f64),
    /// The name without its primes, and how many there are.
    Name(&'a str, usize),
    Symbol(char),
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Lexeme<'a> {
    pub(super) token: Token<'a>,
    pub(super) span: Range<usize>,
}

/// All tokens of the text; the last one is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Lexeme<'_>>, FormulaError> {
    if text.len() > LONGEST {
        let mut start = LONGEST;
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let message = format!(
            "the formula is {} bytes long; at most {LONGEST} are read",
            text.len()
        );
        return Err(FormulaError::new(start..text.len(), message).help("name parts of it as definitions"));
    }
    let mut list = Vec::new();
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        let rest = &text[at..];
        let (token, length) = if letter.is_whitespace() {
            at += letter.len_utf8();
            continue;
        } else if starts_number(rest) {
            number(rest, at)?
        } else if starts_name(letter) {
            name(rest)
        } else if "+-*/^()[],.".contains(letter) {
            symbol(rest, letter, at)?
        } else {
            return Err(stray(letter, at, list.last()));
        };
        list.push(Lexeme {
            token,
            span: at..at + length,
        });
        at += length;
    }
    list.push(Lexeme {
        token: Token::End,
        span: text.len()..text.len(),
    });
    Ok(list)
}

/// Whether the text is one name without primes.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(starts_name) && text.chars().all(continues_name)
}

fn starts_name(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_'
}

fn continues_name(letter: char) -> bool {
    starts_name(letter) || letter.is_ascii_digit() || ('₀'..='₉').contains(&letter)
}

fn is_prime(letter: char) -> bool {
    matches!(letter, '\'' | '′' | '’')
}

fn starts_number(rest: &str) -> bool {
    let mut letters = rest.bytes();
    match letters.next() {
        Some(b'0'..=b'9') => true,
        Some(b'.') => letters.next().is_some_and(|next| next.is_ascii_digit()),
        _ => false,
    }
}

fn name(rest: &str) -> (Token<'_>, usize) {
    let end = rest.find(|letter| !continues_name(letter)).unwrap_or(rest.len());
    let primes = rest[end..].chars().take_while(|letter| is_prime(*letter));
    let length = primes.clone().map(char::len_utf8).sum::<usize>();
    (Token::Name(&rest[..end], primes.count()), end + length)
}

fn number(rest: &str, at: usize) -> Result<(Token<'static>, usize), FormulaError> {
    let digits = |from: usize| {
        rest[from..]
            .find(|letter: char| !letter.is_ascii_digit() && letter != '_')
            .map_or(rest.len(), |length| from + length)
    };
    let mut end = digits(0);
    if rest[end..].starts_with('.') {
        end = digits(end + 1);
    }
    // Only with digits after it is `e` an exponent: in `2e` it is a name.
    if let Some(exponent) = rest[end..].strip_prefix(['e', 'E']) {
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if unsigned.starts_with(|letter: char| letter.is_ascii_digit()) {
            end = digits(rest.len() - unsigned.len());
        }
    }
    let written: String = rest[..end].chars().filter(|letter| *letter != '_').collect();
    match written.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((Token::Number(value), end)),
        Ok(_) => Err(FormulaError::new(
            at..at + end,
            "the number is larger than any a computer holds",
        )),
        Err(_) => Err(FormulaError::new(at..at + end, "this is not a number")),
    }
}

fn symbol(rest: &str, letter: char, at: usize) -> Result<(Token<'static>, usize), FormulaError> {
    if rest.starts_with("**") {
        return Err(FormulaError::new(at..at + 2, "`**` is not an operator").help("powers are written `^`"));
    }
    Ok((Token::Symbol(letter), 1))
}

/// A character that no token begins with.
fn stray(letter: char, at: usize, before: Option<&Lexeme<'_>>) -> FormulaError {
    let span = at..at + letter.len_utf8();
    let named = match before.map(|lexeme| lexeme.token) {
        Some(Token::Name(name, _)) => name,
        _ => "theta",
    };
    let error = |message: &str| FormulaError::new(span.clone(), message);
    match letter {
        '·' | '×' | '⋅' | '∗' => error("multiplication is written `*`"),
        '÷' | '∕' => error("division is written `/`"),
        '−' | '–' | '—' => error("this dash is not a minus sign").help("write `-`"),
        '°' => error("angles are in radians").help("write `30*pi/180` for 30°"),
        '√' => error("square roots are written `sqrt(…)`"),
        '²' => error("powers are written `^`").help("write `^2`"),
        '³' => error("powers are written `^`").help("write `^3`"),
        '¹' | '⁰' | '⁴'..='⁹' | '⁻' => error("powers are written `^`"),
        '\u{307}' | '˙' => error("dots are not read as velocities")
            .help(format!("write the velocity of `{named}` as `{named}'`")),
        '\'' | '′' | '’' => {
            error("a prime belongs directly behind the name of a coordinate").help("write `theta'`")
        }
        '"' => error("velocities have one prime; accelerations do not occur in formulas"),
        '|' => error("`|` is not read").help("write `abs(x)` for a number, `norm(v)` for a vector"),
        '=' => error("a formula is one expression; it compares and assigns nothing")
            .help("write what stands on the right; or, if it is to be zero, the difference"),
        '<' | '>' | '!' | '≤' | '≥' | '≠' => {
            error("a formula is one expression; it compares and assigns nothing")
        }
        '{' | '}' => error("parentheses are round").help("write `(` and `)`"),
        '%' => {
            error("there is no remainder or percentage").help("sine and cosine are periodic by themselves")
        }
        '#' => error("formulas have no comments"),
        ';' | ':' | '?' | '&' | '@' | '$' | '~' | '\\' | '`' => {
            FormulaError::new(span, format!("`{letter}` has no meaning in a formula"))
        }
        _ if letter.is_control() => FormulaError::new(
            span,
            format!(
                "the character U+{:04X} cannot stand in a formula",
                u32::from(letter)
            ),
        ),
        _ => FormulaError::new(span, format!("`{letter}` has no meaning in a formula"))
            .help("names are made of letters, digits and `_`"),
    }
}
