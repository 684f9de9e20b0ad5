use super::*;
use toml::de::DeTable;

/// The underlined text, message and help of every error.
fn explained(text: &str) -> Vec<(String, String, String)> {
    let problems = Problems::new();
    report(text, &DeTable::parse_recoverable(text).1, &problems);
    let shown = |span: Range<usize>| text.get(span).expect("a span in range").to_owned();
    problems
        .into_sorted()
        .into_iter()
        .map(|problem| {
            (
                shown(problem.span),
                problem.message,
                problem.help.unwrap_or_default(),
            )
        })
        .collect()
}

/// A text, what is wrong with it and what to do.
const COMMON_SLIPS: &str = r#"
name = rk4 → the text `rk4` must be quoted → write "rk4"
a = 30 deg → `30 deg` must be quoted → write a quantity with its unit as "30 deg"
a = → a value is missing → write one after the `=`
a = “b” → `“b”` has typographic quotes → use straight quotes: "…"
a = −5 → `−5` has a typographic minus → use the minus of the keyboard: `-`
a = 1 // one → `1 // one` is not a value → comments begin with `#`
// one → `//` is not followed by `=` and a value → comments begin with `#`
a = [1 2 3] → `1 2 3` is not a number → put a comma between the elements: `[1, 2, 3]`
a = [1; 2] → `1; 2` is not a number → put a comma between the elements: `[1, 2, 3]`
mass 1.0 → `mass` is not followed by `=` and a value → write `mass = …`
mass: 1.0 → `mass` is not followed by `=` and a value → write `=` instead of `:`
total mass = 1 → `total` is not followed by `=` and a value → a key is one word; write `_` for a blank
g = 9,81 → `9,81` has a decimal comma → write a decimal point: `9.81`
a = [1, 2]] → unexpected `]` after the value → remove the bracket
a = 1⏎a = 2 → `a` is given twice → remove one of the two
[b]⏎[b] → `b` is given twice → merge the two sections into one `[b]`
[body]⏎a = 1⏎[body]⏎a = 2⏎ → `body` is given twice → write `[[body]]` for each of them
a = 2*pi → `2*pi` is not a number → formulas are not evaluated: write the number itself
a = [1/3, 0] → `1/3` is not a number → formulas are not evaluated: write the number itself
a = 1.5; → unexpected `;` after the value → remove it: lines end without a mark
a = [1,, 2] → there is nothing between the commas → remove one of the commas
v = [1, 2⏎x = 3⏎[run]⏎ → the array opened here is not closed → add a `]`
v = [1, 2⏎[run]⏎x = 3⏎ → the array opened here is not closed → add a `]`
v = [1, [2, 3], 4 → the array opened here is not closed → add a `]`
v = {a = 1⏎x = 3⏎ → the inline table opened here is not closed → add a `}`
[run⏎x = 1 → the section header is not closed → write `[run]`
[[body]⏎x = 1 → the section header is not closed → write `[[body]]`
a = "b⏎c = 1 → the string is not closed → add the closing quote
a = 'b⏎c = 1 → the string is not closed → add the closing quote
a = .5 → a number must begin with a digit → write `0.5`
a = 5. → a digit must follow the decimal point → write `5.0` for `5.`
a = 1e → a digit must follow the exponent mark → write `1e3`
a = 007 → a number must not begin with a zero → remove the leading zero
a = True → `True` is not a value → write `true`
name = tree → the text `tree` must be quoted → write "tree"
a = rk4" → the string has no opening quote → add one
a = { b = 1, , c = 2 } → there is nothing between the commas → remove one of the commas
a = { b 1 } → `b` is not followed by `=` and a value → write `b = …`
a = { b = } → a value is missing → write one after the `=`
a = { b = 'x' c = 2 } → a comma is missing → put one between the keys: `{ a = 1, b = 2 }`
a = {⏎ b = 1,⏎ b = 2⏎} → `b` is given twice → remove one of the two
a = [⏎ [1, 0]⏎ [0, 1]⏎] → a comma is missing → put a comma between the elements: `[1, 2, 3]`
a = [1, 2} → unexpected `}` in the array → arrays are closed by `]`
a = ["x]⏎b = 1 → the string is not closed → add the closing quote
a = = 1 → there is an `=` too many → remove one of the two
a = ] → unexpected `]` → remove the bracket
= 1 → a key is missing → write one before the `=`
a. = 1 → a part of the key is missing → write a word on both sides of the dot
a = 1⏎a.b = 2 → `a` is given twice → remove one of the two
aé = 1 → `aé` is not followed by `=` and a value → keys consist of letters, digits, `-` and `_`
[a b] → the name of a section is one word → write `_` for a blank
[a] x → unexpected `x` after the header → put each key on its own line; comments begin with `#`
a = 1.5kg → `1.5kg` must be quoted → write a quantity with its unit as "1.5kg"
a = 1.2.3 → `1.2.3` is not a number → write it as `9.81` or `1e-3`
a = "C:\data" → unknown escape in the string → write `\\` for a backslash, or use single quotes: 'C:\data'
a = "x␁" → there is a control character in the text → remove it
a = 1␍b = 2 → there is a stray carriage return → the file may have been damaged; retype the line
"#;

#[test]
fn common_slips_are_recognised() {
    for line in COMMON_SLIPS.trim().lines() {
        let parts: Vec<&str> = line.split(" → ").collect();
        let text = parts[0]
            .replace('⏎', "\n")
            .replace('␍', "\r")
            .replace('␁', "\u{1}");
        let found = explained(&text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(
            (found[0].1.as_str(), found[0].2.as_str()),
            (parts[1], parts[2]),
            "{text}"
        );
    }
}

#[test]
fn an_open_bracket_is_pointed_at() {
    let text = "w = [1] # [\nv = [1, \"]\",\nx = 3\n";
    let problems = Problems::new();
    report(text, &DeTable::parse_recoverable(text).1, &problems);
    let start = text.find("v = [").expect("there") + 4;
    assert_eq!(problems.into_sorted()[0].span, start..start + 1);
}
