//! `[points]`, `[[line]]` and `up`: how a mechanism in generalized coordinates looks.
use super::{
    names::{Name, Names},
    texts::{self, Components, Written, depends},
};
use crate::{FormulaText, Located, Problems, Section, Unit, parse_quantity, problem::excerpt};
use holonomy::{
    Vec3,
    formula::{Formula, Kind},
    lagrangian::{Lagrangian, LagrangianError, Picture, PictureLine, Slots},
};

/// A picture whose text was understood.
pub(super) struct Pictured {
    slots: Slots,
    points: Vec<(String, Vec<Formula>)>,
    lines: Vec<PictureLine>,
    up: Option<Vec3>,
}

/// The variable that goes along a curve, from 0 to 2π.
const ALONG: &str = "u";

impl Pictured {
    /// The same system, to be seen.
    pub(super) fn show(&self, system: Lagrangian, q: &[f64]) -> Result<Lagrangian, LagrangianError> {
        let picture = Picture {
            slots: self.slots,
            points: &self.points,
            lines: &self.lines,
            up: self.up,
        };
        system.with_picture(&picture, 0.0, q)
    }
}

pub(super) fn read(root: &Section<'_>, names: &Names) -> Option<Pictured> {
    let points = read_points(root, names);
    let known: Vec<&str> = root
        .keys_within(&["points"])
        .iter()
        .map(|key| key.value)
        .collect();
    let lines = read_lines(root, &known, names);
    let up = match root.optional("up").vector_in(Unit::NONE) {
        Some(up) => crate::tree::direction(&up, "up", root).map(Some),
        None => (!root.holds("up")).then_some(None),
    };
    Some(Pictured {
        slots: names.slots,
        points: points?,
        lines: lines?,
        up: up?,
    })
}

/// `[points]`: places by name.
fn read_points(root: &Section<'_>, names: &Names) -> Option<Vec<(String, Vec<Formula>)>> {
    let Some(section) = root.optional("points").table() else {
        return (!root.has("points")).then(Vec::new);
    };
    let each: Vec<Option<_>> = section
        .keys()
        .map(|key| {
            let named = is_name(&key, section.problems());
            let formulas = read_place(&section, key.value, "a point", names);
            Some((key.value.to_owned(), formulas.filter(|_| named)?))
        })
        .collect();
    section.finish();
    each.into_iter().collect()
}

/// Whether a name can be told from a number, and be part of a path.
fn is_name(key: &Located<&str>, problems: &Problems) -> bool {
    let allowed = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    let digits = key.value.chars().all(|letter| letter.is_ascii_digit());
    let good = key.value.chars().all(allowed) && !digits;
    if !good {
        let message = format!("`{}` cannot be used as a name", excerpt(key.value));
        problems
            .error(key.place.clone(), message)
            .help("use letters, digits, `-` and `_`, and not digits alone");
    }
    good
}

/// `[[line]]`: through points, or along a curve.
fn read_lines(root: &Section<'_>, known: &[&str], names: &Names) -> Option<Vec<PictureLine>> {
    let list = root.optional("line").tables();
    let absent = !root.holds("line");
    let mut lines: Vec<Option<PictureLine>> = Vec::new();
    for section in list {
        lines.push(match (section.has("through"), section.has("curve")) {
            (false, true) => {
                if let Some(place) = section.key_place("closed") {
                    let message = "a curve is closed where its formulas are";
                    section.problems().error(place, message).help("remove it");
                }
                let _ = section.has("closed");
                read_curve(&section, names)
            }
            (true, true) => {
                let _ = section.has("closed");
                let place = section.key_place("curve").unwrap_or_else(|| section.place());
                section
                    .problems()
                    .error(place, "a line goes `through` points or along a `curve`, not both")
                    .help("remove one of them, or write two `[[line]]`")
                    .none()
            }
            _ => read_through(&section, known),
        });
        section.finish();
    }
    let lines: Option<Vec<PictureLine>> = lines.into_iter().collect();
    lines.filter(|lines| absent || !lines.is_empty())
}

fn read_through(section: &Section<'_>, known: &[&str]) -> Option<PictureLine> {
    let problems = section.problems();
    let listed = section.required("through").strings();
    let given = section.optional("closed").boolean();
    let closed = given.as_ref().is_some_and(|closed| closed.value);
    let sound = given.is_some() || !section.holds("closed");
    let listed = listed?;
    let mut points: Vec<Option<usize>> = Vec::new();
    for name in &listed.value {
        let found = known.iter().position(|point| *point == name.value);
        if found.is_none() {
            let message = format!("there is no point named `{}`", excerpt(name.value));
            let report = problems.error(name.place.clone(), message);
            match known.is_empty() {
                true => report.help("name points and their places in `[points]`"),
                false => report.suggest(name.value, known.iter().copied()),
            };
        } else if points.last() == Some(&found) {
            problems
                .error(
                    name.place.clone(),
                    format!("the line is at `{}` already", excerpt(name.value)),
                )
                .help("remove one of them");
            return None;
        }
        points.push(found);
    }
    let points: Vec<usize> = points.into_iter().collect::<Option<_>>()?;
    let least = if closed { 3 } else { 2 };
    if points.len() < least {
        let message = match closed {
            true => "a closed line needs at least three points",
            false => "a line needs at least two points",
        };
        return problems
            .error(listed.place, message)
            .help("name those it goes through, in their order")
            .none();
    }
    sound.then_some(PictureLine::Through { points, closed })
}

fn read_curve(section: &Section<'_>, names: &Names) -> Option<PictureLine> {
    let mut scope = names.scope.clone();
    if scope.variable(ALONG, Kind::Scalar, names.slots.along()).is_err() {
        let place = section.value_place("curve").unwrap_or_else(|| section.place());
        let message = format!("`{ALONG}` goes along a curve, and here it is the name of something else");
        return section
            .problems()
            .error(place, message)
            .help(format!("give what is called `{ALONG}` another name"))
            .none();
    }
    let names = Names {
        list: names.list.iter().map(Name::clone).collect(),
        scope,
        ..*names
    };
    read_place(section, "curve", "a curve", &names).map(PictureLine::Curve)
}

/// A place: three formulas, or one that is a vector.
fn read_place<'a>(section: &Section<'a>, key: &'a str, what: &str, names: &Names) -> Option<Vec<Formula>> {
    let problems = section.problems();
    let Components { parts, place, given } =
        texts::components(section, key, |text| read_component(text, key, names, problems))?;
    if given != 3 {
        let message = format!(
            "{what} has three components, x, y and z, but this one has {}",
            match given {
                0 => "none".to_owned(),
                1 => "one".to_owned(),
                2 => "two".to_owned(),
                count => count.to_string(),
            }
        );
        return problems
            .error(place, message)
            .help("write `[\"…\", \"…\", \"…\"]`, in metres, or one formula that is a vector")
            .none();
    }
    let moving = names.slots.moving();
    let mut still = true;
    for part in parts.iter().filter(|part| depends(&part.formula, &moving)) {
        still = false;
        let message =
            format!("{what} is a function of coordinates and time, but this one has a velocity in it");
        problems
            .error(part.place.clone(), message)
            .help("say where it is, not how it moves");
    }
    still.then(|| parts.into_iter().map(|part| part.formula).collect())
}

/// A formula, or a length such as `"20 cm"`.
fn read_component(text: &FormulaText<'_>, key: &str, names: &Names, problems: &Problems) -> Option<Written> {
    let is_formula = Formula::parse(text.value, &names.scope).is_ok();
    if is_formula || parse_quantity(text.value, Unit::ANY).is_err() {
        return texts::understood(text, key, None, names, problems);
    }
    match parse_quantity(text.value, Unit::METRE) {
        Ok(length) => {
            let formula = Formula::parse(&length.to_string(), &names.scope).ok()?;
            Some(Written::new(text, key, formula))
        }
        Err(error) => {
            let report = problems.error(text.place.clone(), format!("a place is in metres: {error}"));
            match error.help() {
                Some(help) => report.help(help).none(),
                None => report.none(),
            }
        }
    }
}
