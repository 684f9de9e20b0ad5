//! The reference of the language, from the tables of keys.
use super::key::{Bound, Key, Keys, Kind};
use super::{Common, Lagrangian, Spheres, Tree};
use crate::repeat;
use crate::units::Unit;
use std::fmt::Write;

/// All keys of models as a page in Markdown.
pub fn reference() -> String {
    let mut page = Page::default();
    page.text += "<!-- Written by `cargo xtask docs` from crates/holonomy-model/src/spec. -->\n\
        # Reference of model files\n\n\
        Every key of every section: what it takes, whether it must be there, and what it means. Numbers are in SI; a\n\
        text may have another unit, such as `\"30 deg\"` or `\"5 ms\"`. [models.md](models.md) and [trees.md](trees.md)\n\
        explain them with examples.\n";
    page.section("Every model", &Common::SECTION);
    page.section(
        "Repeated sections: any `[[section]]` at the top of a model",
        &REPEATED,
    );
    page.section("Spheres: `space = \"spheres\"`", &Spheres::SECTION);
    page.section(
        "Generalized coordinates: `space = \"lagrangian\"`",
        &Lagrangian::SECTION,
    );
    page.section("Trees: `space = \"tree\"`", &Tree::SECTION);
    page.text
}

/// What a section has beside its own keys if it stands for many.
const REPEATED: Keys = Keys {
    about: "It then stands for many: `{…}` in its texts is a formula of the index, and a text that is nothing but\n\
        braces is the number itself.",
    kinds: &[(
        "",
        &[
            Key {
                name: repeat::KEYS[0],
                kind: Kind::Count(1, repeat::MOST),
                required: true,
                about: "How many sections it stands for.",
            },
            Key {
                name: repeat::KEYS[1],
                kind: Kind::Count(0, repeat::FARTHEST),
                required: false,
                about: "The index of the first; 1 if left out.",
            },
            Key {
                name: repeat::KEYS[2],
                kind: Kind::Name,
                required: false,
                about: "What formulas call the index; `i` if left out.",
            },
        ],
    )],
};

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    /// A chapter, and the sections within it.
    fn section(&mut self, title: &str, keys: &Keys) {
        // Writing to a string does not fail.
        let _ = write!(self.text, "\n## {title}\n\n{}\n", keys.about.trim());
        for (_, list) in keys.kinds {
            self.table(list);
            self.within("", list);
        }
    }

    /// The sections that keys lead to.
    fn within(&mut self, path: &str, keys: &[Key]) {
        for key in keys {
            let name = match path {
                "" => key.name.to_owned(),
                path => format!("{path}.{}", key.name),
            };
            let (heading, within) = match key.kind {
                Kind::Section(within) => (format!("[{name}]"), within),
                Kind::Sections(within) => (format!("[[{name}]]"), within),
                _ => continue,
            };
            for (kind, list) in within.kinds {
                let title = match *kind {
                    "" => format!("`{heading}`"),
                    kind => format!("`{heading}` with `kind = \"{kind}\"`"),
                };
                let _ = write!(self.text, "\n### {title}\n\n");
                if kind.is_empty() {
                    let _ = writeln!(self.text, "{}", within.about.trim());
                }
                self.table(list);
                self.within(&name, list);
            }
        }
    }

    fn table(&mut self, keys: &[Key]) {
        self.text += "\n| key | takes | | meaning |\n|---|---|---|---|\n";
        for key in keys {
            let need = if key.required { "required" } else { "" };
            let _ = writeln!(
                self.text,
                "| `{}` | {} | {need} | {} |",
                key.name,
                takes(&key.kind),
                key.about.trim().replace('\n', " ")
            );
        }
    }
}

/// What a key takes, in words.
fn takes(kind: &Kind) -> String {
    let words = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
        words.join(", ")
    };
    match kind {
        Kind::Text => "text".to_owned(),
        Kind::Name => "a name".to_owned(),
        Kind::Boolean => "`true` or `false`".to_owned(),
        Kind::Choice(choices) => words(choices),
        Kind::Count(least, usize::MAX) => format!("a whole number, at least {least}"),
        Kind::Count(least, most) => format!("a whole number, {least} to {most}"),
        Kind::Number(unit, bound) => format!("{}{}", quantity(*unit), sign(*bound)),
        Kind::Numbers(unit, bound) => format!("numbers, each {}{}", quantity(*unit), sign(*bound)),
        Kind::Vector(unit) => format!("`[x, y, z]`, each {}", quantity(*unit)),
        Kind::Vectors(unit) => format!("`[[x, y, z], …]`, each {}", quantity(*unit)),
        Kind::Matrix(unit) => format!("rows of numbers, each {}", quantity(*unit)),
        Kind::Value => "a number, a vector, or a formula of parameters".to_owned(),
        Kind::Formula => "a formula".to_owned(),
        Kind::Formulas => "a list of formulas".to_owned(),
        Kind::Reference(what) => format!("a {what}, by name or number"),
        Kind::References("body") => "a list of bodies, by name or number".to_owned(),
        Kind::References(what) => format!("a list of {what}s, by name or number"),
        Kind::Names => "a list of names".to_owned(),
        Kind::Rotation => {
            "a rotation: `[w, x, y, z]`, `{ axis, angle }`, `{ euler, order }` or `{ rpy }`".to_owned()
        }
        Kind::Motion(unit) => format!("{}, a formula of `t`, or `{{ times, values }}`", quantity(*unit)),
        Kind::Motions(unit) => format!(
            "a list, each {}, a formula of `t`, or `{{ times, values }}`",
            quantity(*unit)
        ),
        Kind::Law(_) => "a formula, or `{ times, values }`".to_owned(),
        Kind::Laws(_) => "a list, each a formula or `{ times, values }`".to_owned(),
        Kind::Section(_) => "a section".to_owned(),
        Kind::Sections(_) => "sections".to_owned(),
        Kind::Named(each) => format!("names of your own, each {}", takes(each)),
    }
}

fn quantity(unit: Unit) -> String {
    match unit.symbol() {
        "1" => "a number".to_owned(),
        symbol => format!("{} in {symbol}", unit.quantity()),
    }
}

fn sign(bound: Bound) -> &'static str {
    match bound {
        Bound::Finite => "",
        Bound::Positive => ", positive",
        Bound::NotNegative => ", zero or positive",
    }
}
