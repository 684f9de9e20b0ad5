//! No text makes formulas panic. `cargo xtask fuzz` goes on for a minute.
use super::random::{Numbers, Shape};
use super::{POINT, scope};
use holonomy::formula::{Formula, Kind, Program, Scope};
use std::time::{Duration, Instant};

const TEXTS: u64 = 20_000;

/// Pieces of formulas, of other languages, and of nonsense.
const PIECES: [&str; 64] = [
    "x",
    "y",
    "θ",
    "x'",
    "u",
    "v'",
    "u.x",
    "t",
    "m",
    "pi",
    "π",
    "e",
    "0",
    "1",
    "2.5",
    "1e-3",
    "1e400",
    ".5",
    "5.",
    "1_0",
    "+",
    "-",
    "*",
    "/",
    "^",
    "**",
    "(",
    ")",
    "[",
    "]",
    ",",
    ".",
    "'",
    "''",
    "sin",
    "sin(",
    "cos(x)",
    "log(",
    "norm(u)",
    "cross(u, v)",
    "dot(",
    "atan2(",
    "min(x, y)",
    "[1, 2, 3]",
    "np.sin(",
    "x_dot",
    "ln(",
    "|",
    "=",
    "²",
    "·",
    "−",
    "\u{307}",
    "\u{0}",
    "\n",
    " ",
    "💥",
    "é",
    "₁",
    "_",
    "^-",
    "--",
    "1/0",
    "0*",
];

#[test]
fn no_text_panics() {
    let seconds = std::env::var("HOLONOMY_FUZZ_SECONDS").ok();
    let seconds = seconds
        .and_then(|seconds| seconds.parse::<u64>().ok())
        .map(Duration::from_secs);
    let start = Instant::now();
    let scope = scope();
    let (mut tried, mut understood) = (0_u64, 0_u64);
    while seconds.map_or(tried < TEXTS, |seconds| start.elapsed() < seconds) {
        let mut numbers = Numbers::new(1000 + tried);
        let text = text(&mut numbers);
        understood += u64::from(check(&text, &scope));
        tried += 1;
    }
    println!("{tried} texts, {understood} of them formulas");
    // Else it tries errors or formulas alone.
    assert!(
        understood > tried / 20 && understood < tried * 19 / 20,
        "{understood} of {tried}"
    );
}

/// A formula with some pieces put in, taken out or doubled.
fn text(numbers: &mut Numbers) -> String {
    let mut text = String::new();
    if numbers.below(4) > 0 {
        let depth = numbers.below(5);
        Shape::any(numbers, depth).write(numbers, &mut text);
    }
    for _ in 0..numbers.below(4) {
        let place = |numbers: &mut Numbers| {
            let letters: Vec<usize> = text
                .char_indices()
                .map(|(at, _)| at)
                .chain([text.len()])
                .collect();
            numbers.choice(&letters)
        };
        let (from, to) = (place(numbers), place(numbers));
        let (from, to) = (from.min(to), from.max(to));
        match numbers.below(4) {
            0 => text.replace_range(from..to, ""),
            1 => {
                let piece = text[from..to].to_owned();
                text.insert_str(from, &piece);
            }
            _ => text.insert_str(from, numbers.choice(&PIECES)),
        }
        if text.len() > 2000 {
            break;
        }
    }
    text
}

/// Whether the text is a formula; whatever it is, nothing may panic and places must be in the text.
fn check(text: &str, scope: &Scope) -> bool {
    let mut scope = scope.clone();
    let defined = scope.define(&[("first", text), ("other", "2*first")]);
    let formula = match Formula::parse(text, &scope) {
        Ok(formula) => formula,
        Err(errors) => {
            assert!(!errors.is_empty(), "{text:?}");
            for error in errors {
                assert!(text.get(error.span.clone()).is_some(), "{text:?} {error:?}");
                assert!(!error.message.is_empty());
            }
            return false;
        }
    };
    assert!(
        defined.is_ok() || formula.text().contains("first"),
        "{text:?} {defined:?}"
    );
    assert_eq!(
        Formula::parse(&formula.to_string(), &scope).as_ref(),
        Ok(&formula),
        "{text:?}"
    );
    let program = match formula.kind() {
        Kind::Scalar => Program::with_hessian(&formula, &[0, 1, 2, 18]),
        Kind::Vector => Program::with_jacobian(&[&formula], &[0, 1, 2, 18]),
    };
    let mut out = vec![0.0; program.outputs()];
    for point in [POINT, [0.0; 19], [1e200; 19], [f64::NAN; 19]] {
        match program.evaluate(&point, &mut program.workspace(), &mut out) {
            Ok(()) => assert!(out.iter().all(|value| value.is_finite()), "{text:?}"),
            Err(error) => assert!(text.contains(&error.expression), "{text:?} {error}"),
        }
    }
    true
}
