//! Two models, key by key.
use holonomy_model::{self as model, Source, Table, Value};

/// What differs between two models, but for what may: how long it runs, its title, and how its trajectory is written.
pub(super) fn differences(before: &str, now: &str) -> Vec<String> {
    let table = |text: &str| {
        let parsed = model::parse(&Source::new("model", text), &model::Problems::new());
        let mut table = parsed
            .map(|document| document.table().clone())
            .unwrap_or_default();
        table.remove("title");
        for (section, keys) in [("run", &["duration", "steps"][..]), ("output", &["format"])] {
            if let Some(Value::Table(section)) = table.get_mut(section) {
                keys.iter().for_each(|key| drop(section.remove(key)));
            }
        }
        table
    };
    let mut found = Vec::new();
    compare("", &table(before), &table(now), &mut found);
    found
}

fn compare(path: &str, before: &Table, now: &Table, found: &mut Vec<String>) {
    let added = now.keys().filter(|key| !before.contains_key(key));
    let keys: Vec<&str> = before.keys().chain(added).collect();
    for key in keys {
        let path = match path {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        };
        match (before.get(key), now.get(key)) {
            (Some(before), Some(now)) if before == now => {}
            (Some(Value::Table(before)), Some(Value::Table(now))) => compare(&path, before, now, found),
            (None, Some(Value::Table(now))) if now.is_empty() => {}
            (Some(Value::Table(before)), None) if before.is_empty() => {}
            (before, now) => found.push(format!("`{path}` was {} and is {}", said(before), said(now))),
        }
    }
}

/// A value in a few words.
fn said(value: Option<&Value>) -> String {
    match value {
        None => "not there".to_owned(),
        Some(Value::Text(text)) if text.len() <= 60 => format!("\"{}\"", text.escape_debug()),
        Some(Value::Number(number)) => number.value().to_string(),
        Some(Value::Boolean(answer)) => answer.to_string(),
        Some(_) => "something else".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named_with_both_values_and_lengths_do_not_differ() {
        let before = "title = 'a'\nx = [1, 2]\n[run]\nstep = 0.01\nduration = 1\n[method]\nname = 'rk4'\n";
        let longer = before.replace("duration = 1", "steps = 7").replace("'a'", "'b'");
        assert_eq!(differences(before, &longer), Vec::<String>::new());
        let other = before
            .replace("0.01", "0.02")
            .replace("rk4", "rk2")
            .replace("[1, 2]", "[1, 3]")
            + "rtol = 1e-3\n";
        let expected = [
            "`x` was something else and is something else",
            "`run.step` was 0.01 and is 0.02",
            "`method.name` was \"rk4\" and is \"rk2\"",
            "`method.rtol` was not there and is 0.001",
        ];
        assert_eq!(differences(before, &other), expected);
    }
}
