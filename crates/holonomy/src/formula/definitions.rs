//! Named sub-expressions. They may use each other in any order, but not in a circle.
use super::error::{DefinitionError, FormulaError};
use super::lexer::{Token, tokens};
use super::parser::parse;
use super::scope::{Definition, Entry, Scope};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

impl Scope {
    /// Gives names to expressions: pairs of a name and a text, in any order.
    ///
    /// All that is wrong is reported at once. Names of definitions with errors stay known, so that formulas that use
    /// them are not blamed for it.
    pub fn define(&mut self, definitions: &[(&str, &str)]) -> Result<(), Vec<DefinitionError>> {
        let mut errors = Vec::new();
        let mut indices: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, (name, _)) in definitions.iter().enumerate() {
            match self.insert(name, Entry::Broken) {
                Ok(()) => {
                    indices.insert(name, index);
                }
                Err(error) => errors.push(DefinitionError {
                    index,
                    in_name: true,
                    error,
                }),
            }
        }
        let uses: Vec<Vec<Use>> = definitions.iter().map(|(_, text)| uses(text, &indices)).collect();
        let order = match order(&uses) {
            Ok(order) => order,
            Err(circle) => {
                errors.push(circular(definitions, &circle));
                Vec::new()
            }
        };
        for index in order {
            let (name, text) = definitions[index];
            match parse(text, self) {
                Ok(tree) if indices.get(name) == Some(&index) => {
                    let place = self.definitions.len();
                    self.names.insert(name.to_owned(), Entry::Definition(place));
                    let name = name.to_owned();
                    Arc::make_mut(&mut self.definitions).push(Definition { name, tree });
                }
                Ok(_) => {}
                Err(list) => errors.extend(list.into_iter().map(|error| DefinitionError {
                    index,
                    in_name: false,
                    error,
                })),
            }
        }
        if errors.is_empty() {
            return Ok(());
        }
        crate::order::sort_by_key(&mut errors, |error| {
            (error.index, !error.in_name, error.error.span.start)
        });
        Err(errors)
    }
}

/// Another definition that a text names, and where.
struct Use {
    index: usize,
    span: Range<usize>,
}

fn uses(text: &str, indices: &BTreeMap<&str, usize>) -> Vec<Use> {
    // What is no text of tokens is reported by the parser.
    let tokens = tokens(text).unwrap_or_default();
    let named = tokens.into_iter().filter_map(|lexeme| match lexeme.token {
        Token::Name(name, _) => indices.get(name).map(|index| Use {
            index: *index,
            span: lexeme.span,
        }),
        _ => None,
    });
    named.collect()
}

/// An order in which each definition comes after those it uses; or else a circle: definitions that each use the next,
/// the last one the first, with the place where it does so.
fn order(uses: &[Vec<Use>]) -> Result<Vec<usize>, Vec<(usize, Range<usize>)>> {
    let mut order = Vec::with_capacity(uses.len());
    let mut done = vec![false; uses.len()];
    let mut begun = vec![false; uses.len()];
    for start in 0..uses.len() {
        if begun[start] {
            continue;
        }
        // Definitions begun, with how many of their uses have been followed. A walk in depth without recursion.
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((index, followed)) = path.last_mut() {
            let index = *index;
            begun[index] = true;
            let Some(next) = uses[index].get(*followed) else {
                done[index] = true;
                order.push(index);
                path.pop();
                continue;
            };
            *followed += 1;
            if !begun[next.index] {
                path.push((next.index, 0));
            } else if !done[next.index] {
                let circle = path.iter().skip_while(|(index, _)| *index != next.index);
                return Err(circle
                    .map(|(index, followed)| (*index, uses[*index][followed - 1].span.clone()))
                    .collect());
            }
        }
    }
    Ok(order)
}

fn circular(definitions: &[(&str, &str)], circle: &[(usize, Range<usize>)]) -> DefinitionError {
    let (index, span) = circle.last().cloned().unwrap_or((0, 0..0));
    let names = circle
        .iter()
        .map(|(index, _)| *index)
        .chain(circle.first().map(|(index, _)| *index));
    let shown: Vec<String> = names.map(|index| format!("`{}`", definitions[index].0)).collect();
    let first = shown.first().cloned().unwrap_or_default();
    let message = if circle.len() > 1 {
        format!("{first} is defined by itself: {}", shown.join(" uses "))
    } else {
        format!("{first} is defined by itself")
    };
    DefinitionError {
        index,
        in_name: false,
        error: FormulaError::new(span, message),
    }
}
