//! What the page sets in a model, as `--set path=value` does.
use holonomy_model::{Problems, Source, Table, Value, parse};
use serde::Serialize;

/// A value by the path of its key; an empty one takes the key away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// The path, such as `body.upper.mass`.
    pub path: String,
    /// The value as it is written in TOML; what does not look like that is text.
    pub value: String,
}

impl Setting {
    pub(crate) fn new(path: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            value: value.into(),
        }
    }

    /// As the command takes it.
    pub(crate) fn words(&self) -> String {
        format!("{}={}", self.path, self.value)
    }

    /// Whether it is about the section of this name.
    pub(crate) fn is_in(&self, section: &str) -> bool {
        let rest = self.path.trim_start().strip_prefix(section);
        rest.is_some_and(|rest| rest.trim_start().starts_with('.'))
    }
}

/// The settings with whole vectors in place of single components of unit vectors. A slider moves one component; the
/// other two then follow, so that the length stays 1.
pub(crate) fn whole(text: &str, settings: &[Setting]) -> Vec<Setting> {
    let mut done: Vec<Setting> = Vec::with_capacity(settings.len());
    for setting in settings {
        let whole = component(&setting.path).and_then(|(vector, index)| {
            let mut source = Source::new("", text);
            for earlier in &done {
                source.with_override(earlier.words());
            }
            let document = parse(&source, &Problems::new())?;
            let mut numbers = numbers_at(document.table(), vector)?;
            turn(&mut numbers, index, setting.value.trim().parse().ok()?)?;
            Some(Setting::new(vector, list(&numbers)))
        });
        done.push(whole.unwrap_or_else(|| setting.clone()));
    }
    done
}

/// A vector as it is written in TOML.
pub(crate) fn list(vector: &[f64; 3]) -> String {
    let [x, y, z] = vector;
    format!("[{x:?}, {y:?}, {z:?}]")
}

/// The path of the unit vector whose component a path is, and which one.
fn component(path: &str) -> Option<(&str, usize)> {
    let (vector, index) = path.rsplit_once('.')?;
    let index = index
        .trim()
        .parse::<usize>()
        .ok()?
        .checked_sub(1)
        .filter(|k| *k < 3)?;
    let key = vector.rsplit('.').next()?.trim();
    let whirl = key == "centre" && vector.trim_start().starts_with("swirl");
    (matches!(key, "direction" | "end_direction" | "clamp") || whirl).then_some((vector, index))
}

/// The three numbers at a path; elements of lists by their number, name or kind.
pub(crate) fn numbers_at(table: &Table, path: &str) -> Option<[f64; 3]> {
    let list = value_at(table, path)?.as_list()?;
    let each: Vec<f64> = list.iter().filter_map(|x| Some(x.as_number()?.value())).collect();
    each.try_into().ok()
}

pub(crate) fn value_at<'t>(table: &'t Table, path: &str) -> Option<&'t Value> {
    let mut keys = path.split('.').map(str::trim);
    let first = table.get(keys.next()?)?;
    keys.try_fold(first, |value, key| match value {
        Value::Table(table) => table.get(key),
        Value::List(list) => match key.parse::<usize>() {
            Ok(number) => list.get(number.checked_sub(1)?),
            Err(_) => list.iter().find(|element| {
                let named = |word: &str| element.as_table().and_then(|t| t.get(word)?.as_text());
                named("name") == Some(key) || named("kind") == Some(key)
            }),
        },
        _ => None,
    })
}

/// Gives a component of a unit vector its value; the others keep their proportion.
fn turn(vector: &mut [f64; 3], index: usize, value: f64) -> Option<()> {
    let value = Some(value).filter(|x| x.is_finite())?.clamp(-1.0, 1.0);
    let [a, b] = [(index + 1) % 3, (index + 2) % 3];
    let rest = (vector[a] * vector[a] + vector[b] * vector[b]).sqrt();
    let length = (1.0 - value * value).sqrt();
    let factor = length / rest;
    vector[index] = value;
    // From a pole there is no way that is better than another.
    (vector[a], vector[b]) = match rest > 1e-12 {
        true => (vector[a] * factor, vector[b] * factor),
        false => (length, 0.0),
    };
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "[[body]]\nname = \"a\"\ndirection = [0.6, 0, 0.8]\nmass = 1\n";

    #[test]
    fn a_component_of_a_direction_takes_the_others_along() {
        for path in ["body.1.direction.1", "body.a.direction.1"] {
            let settings = [Setting::new(path, "-0.28"), Setting::new("body.1.mass", "2")];
            let whole = whole(MODEL, &settings);
            assert_eq!(whole[1], settings[1]);
            let mut source = Source::new("", MODEL);
            source.with_override(whole[0].words());
            let document = parse(&source, &Problems::new()).expect("good TOML");
            let [x, y, z] = numbers_at(document.table(), "body.1.direction").expect("a vector");
            assert!(x == -0.28 && y == 0.0 && (z - 0.96).abs() < 1e-15, "{x} {y} {z}");
        }
    }

    #[test]
    fn later_components_see_earlier_ones_and_poles_are_left() {
        let set = |k: usize, value: &str| Setting::new(format!("body.1.direction.{k}"), value);
        let whole = whole(MODEL, &[set(3, "1"), set(3, "0"), set(2, "7"), set(1, "x")]);
        assert_eq!(whole[0].value, "[0.0, 0.0, 1.0]");
        assert_eq!(whole[1].value, "[1.0, 0.0, 0.0]");
        assert_eq!(whole[2].value, "[0.0, 1.0, 0.0]");
        // Not a number: left to the loader, which says so.
        assert_eq!(whole[3], set(1, "x"));
    }
}
