use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::value::DEEPEST;

/// Where the table is nested too deeply, if it is.
pub(crate) fn too_deep(table: &DeTable<'_>) -> Option<Range<usize>> {
    first_too_deep(table.values().map(|value| (value, 1)).collect())
}

/// Whether a value nested in `outer` tables is nested too deeply.
pub(crate) fn too_deep_within(value: &toml::Spanned<DeValue<'_>>, outer: usize) -> bool {
    first_too_deep(vec![(value, outer)]).is_some()
}

/// Drops a table of any depth without recursion.
pub(crate) fn dismantle(table: DeTable<'_>) {
    let mut values: Vec<DeValue<'_>> = table.into_iter().map(|(_, value)| value.into_inner()).collect();
    while let Some(value) = values.pop() {
        match value {
            DeValue::Table(table) => values.extend(table.into_iter().map(|(_, value)| value.into_inner())),
            DeValue::Array(array) => values.extend(array.into_iter().map(|value| value.into_inner())),
            _ => {}
        }
    }
}

fn first_too_deep<'t>(mut open: Vec<(&'t toml::Spanned<DeValue<'t>>, usize)>) -> Option<Range<usize>> {
    while let Some((value, depth)) = open.pop() {
        match value.get_ref() {
            DeValue::Table(_) | DeValue::Array(_) if depth > DEEPEST => return Some(value.span()),
            DeValue::Table(table) => open.extend(table.values().map(|value| (value, depth + 1))),
            DeValue::Array(array) => open.extend(array.iter().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    None
}
