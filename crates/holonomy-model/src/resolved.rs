use std::fmt::{self, Write};

use crate::path::is_bare;
use crate::value::{Table, Value};

/// Writes a table as TOML text that parses to the same values, bit for bit.
///
/// Keys keep their order (plain values before sections, as TOML wants it), numbers keep their digits, tables become
/// sections unless they fit into one line within a section. The depth of the table has been checked.
pub(super) fn write(table: &Table, header: &str) -> String {
    let mut out = String::new();
    for line in header.lines() {
        let line: String = line
            .chars()
            .map(|letter| if letter.is_control() { ' ' } else { letter })
            .collect();
        let comment = line.strip_prefix('#').unwrap_or(&line).trim();
        out.push_str(if comment.is_empty() { "#" } else { "# " });
        out.push_str(comment);
        out.push('\n');
    }
    write_section(&mut out, "", table, None);
    out
}

/// Longest value that is put on one line, unless it is a row of numbers.
const WIDTH: usize = 100;

/// A table under its header (the root has none), then the sections within it.
fn write_section(out: &mut String, path: &str, table: &Table, header: Option<String>) {
    let plain: Vec<_> = table
        .iter()
        .filter(|(_, value)| !is_section(value, path))
        .collect();
    let sections: Vec<_> = table
        .iter()
        .filter(|(_, value)| is_section(value, path))
        .collect();
    // The header of a table that holds nothing but sections goes without saying; that of an element does not.
    let header = header.filter(|text| !plain.is_empty() || sections.is_empty() || text.starts_with("[["));
    if !out.is_empty() && (header.is_some() || (path.is_empty() && !plain.is_empty())) {
        out.push('\n');
    }
    if let Some(header) = header {
        out.push_str(&header);
        out.push('\n');
    }
    for (name, value) in plain {
        out.push_str(&key(name));
        out.push_str(" = ");
        write_value(out, value);
        out.push('\n');
    }
    for (name, value) in sections {
        let mut inner = path.to_owned();
        if !inner.is_empty() {
            inner.push('.');
        }
        inner.push_str(&key(name));
        match value {
            Value::Table(table) => write_section(out, &inner, table, Some(format!("[{inner}]"))),
            Value::List(array) => {
                for table in array.iter().filter_map(|element| element.as_table()) {
                    write_section(out, &inner, table, Some(format!("[[{inner}]]")));
                }
            }
            _ => {}
        }
    }
}

/// Whether a value is written under a header of its own.
fn is_section(value: &Value, path: &str) -> bool {
    match value {
        Value::Table(_) if path.is_empty() => true,
        Value::Table(_) => one_line(value).len() > WIDTH,
        _ => value.is_list_of_tables(),
    }
}

/// A value after `key = `; arrays of arrays and long arrays of text take several lines.
fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Text(text) if text.contains('\n') => {
            out.push_str("\"\"\"\n");
            let lines: Vec<String> = text.split('\n').map(escaped).collect();
            out.push_str(&lines.join("\n"));
            out.push_str("\"\"\"");
        }
        Value::List(array) if !array.iter().all(is_number) => {
            let line = one_line(value);
            if line.len() <= WIDTH {
                return out.push_str(&line);
            }
            out.push_str("[\n");
            for element in array.iter() {
                out.push_str("    ");
                out.push_str(&one_line(element));
                out.push_str(",\n");
            }
            out.push(']');
        }
        _ => out.push_str(&one_line(value)),
    }
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Number(_))
}

fn one_line(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("\"{}\"", escaped(text)),
        Value::Number(number) => number.to_string(),
        Value::Boolean(answer) => answer.to_string(),
        Value::Date(date) => date.clone(),
        Value::List(array) => {
            let elements: Vec<String> = array.iter().map(one_line).collect();
            format!("[{}]", elements.join(", "))
        }
        Value::Table(table) if table.is_empty() => "{}".to_owned(),
        Value::Table(table) => {
            let entries = table
                .iter()
                .map(|(name, value)| format!("{} = {}", key(name), one_line(value)));
            let entries: Vec<String> = entries.collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}

/// In one line, as in a model file.
impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&one_line(self))
    }
}

fn key(text: &str) -> String {
    if is_bare(text) {
        text.to_owned()
    } else {
        format!("\"{}\"", escaped(text))
    }
}

/// The inside of a string between double quotes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            control if control.is_control() => {
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{:04X}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Problems, Source, parse};

    fn table(text: &str) -> Table {
        parse(&Source::new("test", text), &Problems::new())
            .expect("good TOML")
            .table
    }

    fn rewritten(text: &str) -> String {
        let table = table(text);
        let written = write(&table, "");
        let again = self::table(&written);
        assert_eq!(table, again, "{text}\n---\n{written}");
        assert_eq!(write(&again, ""), written);
        written
    }

    #[test]
    fn a_model_in_the_house_style_stays_as_it_is() {
        let text = "title = \"Double spherical pendulum\"\nspace = \"spheres\"\n\n[[body]]\nname = \"upper\"\nmass = 1.0\n\
                    direction = [0.8660254037844386, 0, 0.5]\njoint = { kind = \"revolute\", axis = [0, 1, 0] }\n\n\
                    [[body]]\nname = \"lower\"\nmass = 1e-3\n\n[method]\nname = \"sphere-implicit\"\n";
        assert_eq!(rewritten(text), text);
    }

    #[test]
    fn every_value_comes_back() {
        for text in [
            "",
            "a = 1\nb = 1.0\nc = -0.0\nd = 1e22\ne = +1_000.5e+3\nf = 0xFF\ng = 0o17\nh = 0b11\ni = -nan\nj = inf\nk = -0\n",
            "a = 0.1\nb = 5e-324\nc = 1.7976931348623157e308\nd = 123456789012345678901234567890\n",
            "a = \"\\\"\\\\ \\t\\u0007\\u007f é\"\nb = '''x\n\"\"\"\n\\ '''\nc = \"\"\nd = \"\\n\"\ne = \"\"\"\n\na\r\nb\\u000d\"\"\"\n",
            "a = [[1, 2], [3, 4]]\nb = []\nc = [{}, { x = 1 }]\nd = [1, { x = 1 }, \"s\", [true]]\ne = {}\n",
            "a = 1979-05-27T07:32:00Z\nb = 07:32:00\nc = 1979-05-27\n",
            "[a.b.c]\nx = 1\n[a]\ny = 2\n[[a.d]]\n[[a.d]]\n[a.d.e]\nz = 3\n[\"\"]\n[\"odd key.\"]\n\"\\u0001\" = 1\n",
            "[a]\nx = 1\n[a.b]\n[[c]]\n[[c.d]]\ne = [{ f = 1 }, { f = 2 }]\n",
        ] {
            rewritten(text);
        }
    }

    #[test]
    fn long_values_are_broken_into_lines_but_rows_of_numbers_are_not() {
        let row = vec!["0.123456789"; 40].join(", ");
        let text = format!("[system]\ninertia = [[{row}], [{row}]]\nnumbers = [{row}]\n");
        let written = rewritten(&text);
        assert_eq!(written.lines().count(), 6, "{written}");
        let table = format!("[[body]]\njoint = {{ kind = \"{}\" }}\n", "x".repeat(WIDTH));
        assert!(rewritten(&table).contains("[body.joint]"));
    }

    #[test]
    fn the_header_becomes_a_comment() {
        let table = self::table("a = 1");
        assert_eq!(
            write(&table, "made by x\n\n# y\u{7}\n"),
            "# made by x\n#\n# y\n\na = 1\n"
        );
        let sections = self::table("[a]");
        assert_eq!(write(&sections, "x"), "# x\n\n[a]\n");
    }
}
