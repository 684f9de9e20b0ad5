//! A number that tells a model from others.
//!
//! ```text
//! SHA-256 of the model, written as
//!   table    't', number of keys, then for each in the order of their bytes: 'k', length, key, value
//!   list     'l', number of elements, then each
//!   text     's', length, bytes              date     'd', length, bytes
//!   number   'n', bits of the double         boolean  'b', 0 or 1
//! ```
//!
//! Numbers of keys and elements, lengths and bits have eight bytes, the least significant first. What does not change the
//! motion is left out: `title`, `[output]`, each `[[input]]` that does nothing by itself, `[control]` with
//! `[[goal]]` and `[[bound]]`, what is only drawn (`[points]`, `[[line]]`, `up`), and `duration`, `steps`
//! and `every` of `[run]`.
mod sha256;

use crate::value::{Table, Value};
use holonomy::{order, simulation::Fingerprint};
use sha256::Sha256;

/// Keys that do not change the motion.
const LEFT_OUT: [&str; 8] = [
    "title", "output", "control", "goal", "bound", "points", "line", "up",
];
/// The same of `[run]`.
const LEFT_OUT_OF_RUN: [&str; 3] = ["duration", "steps", "every"];

pub(crate) fn fingerprint(model: &Table) -> Fingerprint {
    let mut model = model.clone();
    for key in LEFT_OUT {
        model.remove(key);
    }
    let acts = |input: &Value| {
        let input = input.as_table();
        input.is_some_and(|input| ["value", "feedback"].iter().any(|key| input.contains_key(key)))
    };
    if let Some(Value::List(inputs)) = model.get_mut("input") {
        inputs.retain(acts);
        if inputs.is_empty() {
            model.remove("input");
        }
    }
    if let Some(Value::Table(run)) = model.get_mut("run") {
        for key in LEFT_OUT_OF_RUN {
            run.remove(key);
        }
    }
    let mut hash = Sha256::new();
    add_table(&mut hash, &model);
    Fingerprint(hash.finish())
}

fn add_table(hash: &mut Sha256, table: &Table) {
    let mut entries: Vec<(&str, &Value)> = table.iter().collect();
    order::sort_by(&mut entries, |(a, _), (b, _)| a.cmp(b));
    add_size(hash, b't', entries.len());
    for (key, value) in entries {
        add_size(hash, b'k', key.len());
        hash.add(key.as_bytes());
        add(hash, value);
    }
}

fn add(hash: &mut Sha256, value: &Value) {
    match value {
        Value::Table(table) => add_table(hash, table),
        Value::List(list) => {
            add_size(hash, b'l', list.len());
            list.iter().for_each(|value| add(hash, value));
        }
        Value::Text(text) => {
            add_size(hash, b's', text.len());
            hash.add(text.as_bytes());
        }
        Value::Date(date) => {
            add_size(hash, b'd', date.len());
            hash.add(date.as_bytes());
        }
        Value::Number(number) => {
            hash.add(b"n");
            hash.add(&number.value().to_bits().to_le_bytes());
        }
        Value::Boolean(answer) => hash.add(&[b'b', u8::from(*answer)]),
    }
}

fn add_size(hash: &mut Sha256, tag: u8, size: usize) {
    hash.add(&[tag]);
    hash.add(&(size as u64).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Problems, Source, parse};

    fn print(text: &str) -> String {
        let document = parse(&Source::new("test", text), &Problems::new()).expect("good TOML");
        fingerprint(document.table()).to_string()
    }

    const MODEL: &str =
        "title = 'a'\nx = [1, 2.5]\n[run]\nstep = 0.01\nduration = 10\n[method]\nname = 'rk4'\n";

    #[test]
    fn what_does_not_change_the_motion_does_not_count() {
        let same = "# comment\n[method]\nname = \"rk4\"\n[run]\nsteps = 3\nevery = 2\nstep = 1e-2\n[output]\nformat = 'csv'\n\
                    [points]\na = [0, 0, 'x']\nb = [0, 0, 1]\n[[line]]\nthrough = ['a', 'b']\n";
        assert_eq!(
            print(MODEL),
            print(&format!("x = [1.0, 2.5]\nup = [0, 1, 0]\n{same}"))
        );
    }

    #[test]
    fn everything_else_does() {
        for (from, to) in [
            ("0.01", "0.02"),
            ("rk4", "rk2"),
            ("1, 2.5", "1, 2.5, 0"),
            ("[1, 2.5]", "'[1, 2.5]'"),
            ("x =", "y ="),
        ] {
            assert_ne!(print(MODEL), print(&MODEL.replace(from, to)), "{from} → {to}");
        }
    }

    #[test]
    fn it_is_the_same_on_every_machine_and_in_every_version() {
        let text = "a = 1\n";
        // By Python: hashlib.sha256(b't'+q(1)+b'k'+q(1)+b'a'+b'n'+struct.pack('<d', 1.0)).hexdigest(), q of '<Q'.
        assert_eq!(
            print(text),
            "2f98fd07a50f8b7e16c217297a697bf389b4848bc69f3e6b4a7bf4e0e7512b17"
        );
    }
}
