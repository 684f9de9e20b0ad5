//! What acts without potential, and what sets in on one side, as the model says it: dampers, efforts, friction, stops,
//! wrenches, forces, drag and strings, with their formulas.
use super::Page;
use holonomy_model::{Model, Table, Value};

/// Lines that are written out one by one.
const MOST: usize = 24;
/// Keys of a body that are about its joint, and what they say beside it.
const OF_A_BODY: [(&str, &[&str]); 5] = [
    ("damping", &[]),
    ("friction", &["friction_velocity"]),
    ("effort", &["effort_limit"]),
    ("driven", &[]),
    ("spring", &[]),
];
/// Sections of forces, by what they are called.
const SECTIONS: [&str; 5] = ["damper", "wrench", "force", "drag", "string"];

/// Nothing where there is nothing of the kind.
pub(super) fn explain(model: &Model, page: &mut Page) {
    let mut lines: Vec<(String, String)> = Vec::new();
    for (number, body) in sections(&model.table, "body").enumerate() {
        let name = name(body, "body", number);
        for (key, beside) in OF_A_BODY {
            if let Some(value) = body.get(key) {
                let mut text = format!("{name}: {}", said(value));
                for other in beside.iter().filter_map(|key| Some((key, body.get(key)?))) {
                    text += &format!(", {} {}", other.0, said(other.1));
                }
                lines.push((key.to_owned(), text));
            }
        }
        let limits = body
            .get("joint")
            .and_then(Value::as_table)
            .and_then(|joint| joint.get("limits"));
        lines.extend(limits.map(|limits| ("limits".to_owned(), format!("{name}: {}", said(limits)))));
    }
    for kind in SECTIONS {
        for (number, section) in sections(&model.table, kind).enumerate() {
            let keys = section.iter().filter(|(key, _)| *key != "name");
            let keys: Vec<String> = keys
                .map(|(key, value)| format!("{key} {}", said(value)))
                .collect();
            let named = section
                .get("name")
                .map(|_| format!("{}: ", name(section, kind, number)));
            lines.push((kind.to_owned(), named.unwrap_or_default() + &keys.join(", ")));
        }
    }
    if lines.is_empty() {
        return;
    }
    page.section("what acts");
    let mut last = String::new();
    for (what, text) in lines.iter().take(MOST) {
        page.line(if *what == last { "" } else { what }, text);
        last.clone_from(what);
    }
    if lines.len() > MOST {
        page.line("", &format!("… and {} more", lines.len() - MOST));
    }
    if let Some(names) = model.table.get("names").and_then(Value::as_table) {
        for (index, (name, value)) in names.iter().enumerate() {
            let what = if index == 0 { "names" } else { "" };
            page.line(what, &format!("{name} = {}", said(value)));
        }
    }
    if let Some(definitions) = model.table.get("definitions").and_then(Value::as_table) {
        for (index, (name, value)) in definitions.iter().enumerate() {
            let what = if index == 0 { "definitions" } else { "" };
            page.line(what, &format!("{name} = {}", said(value)));
        }
    }
}

fn sections<'a>(table: &'a Table, kind: &str) -> impl Iterator<Item = &'a Table> {
    let list = table.get(kind).and_then(Value::as_list).unwrap_or_default();
    list.iter().filter_map(Value::as_table)
}

fn name(section: &Table, kind: &str, number: usize) -> String {
    let name = section.get("name").and_then(Value::as_text);
    name.map_or_else(|| format!("{kind}-{}", number + 1), str::to_owned)
}

/// A value as it is written, without quotes.
fn said(value: &Value) -> String {
    match value {
        Value::Text(text) | Value::Date(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Boolean(answer) => answer.to_string(),
        Value::List(list) => {
            let each: Vec<String> = list.iter().map(said).collect();
            format!("[{}]", each.join(", "))
        }
        Value::Table(table) => {
            let each: Vec<String> = table
                .iter()
                .map(|(key, value)| format!("{key} {}", said(value)))
                .collect();
            each.join(", ")
        }
    }
}
