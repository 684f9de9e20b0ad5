//! XML and the numbers in it.
use holonomy_model::Problems;
use roxmltree::{Document, Error, Node};
use std::ops::Range;

/// What to do about a file that is not yet expanded.
const EXPAND: &str = "this is xacro: expand it first, with `xacro robot.urdf.xacro > robot.urdf`";

/// Attributes of one element at most: whether two have one name takes the square of their number.
const MOST_ATTRIBUTES: usize = 1000;

/// Where an element begins that has too many attributes. It is looked for before anything is parsed: quotes, and tags
/// outside of them, are all that matters.
fn crowded(text: &str) -> Option<usize> {
    let (mut quote, mut begin, mut quotes) = (None, 0, 0);
    for (at, letter) in text.bytes().enumerate() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => {
                (quote, quotes) = (Some(letter), quotes + 1);
                if quotes > MOST_ATTRIBUTES {
                    return Some(begin);
                }
            }
            (None, b'<' | b'>') => (begin, quotes) = (at, 0),
            _ => {}
        }
    }
    None
}

pub(super) fn parse<'a>(text: &'a str, problems: &Problems) -> Option<Document<'a>> {
    let document = parse_xml(text, problems)?;
    let root = document.root_element();
    let xacro = |node: &Node<'_, '_>| {
        node.tag_name()
            .namespace()
            .is_some_and(|uri| uri.contains("xacro"))
    };
    if let Some(node) = root.descendants().find(xacro) {
        return problems
            .error(
                opening(node),
                format!("the element `xacro:{}`", node.tag_name().name()),
            )
            .help(EXPAND)
            .none();
    }
    if root.tag_name().name() != "robot" {
        let tag = root.tag_name().name();
        return problems
            .error(
                opening(root),
                format!("the outermost element is `{tag}`, not `robot`"),
            )
            .help(match tag {
                "sdf" => "this is another format; convert it to URDF first",
                _ => "a URDF file holds one element `robot` with links and joints in it, an MJCF file one `mujoco`",
            })
            .none();
    }
    Some(document)
}

/// A text as XML, whatever it says.
pub(super) fn parse_xml<'a>(text: &'a str, problems: &Problems) -> Option<Document<'a>> {
    if let Some(at) = crowded(text) {
        let message = format!("an element has more than {MOST_ATTRIBUTES} attributes");
        return problems
            .error(at..at + 1, message)
            .help("elements of robots have a few; is this one?")
            .none();
    }
    match Document::parse(text) {
        Ok(document) => Some(document),
        Err(error) => {
            let at = error.pos();
            let span = offset(text, at.row, at.col);
            let message = error.to_string();
            // The place is shown with the problem.
            let message = message.replace(&format!(" at {}:{}", at.row, at.col), "");
            let report = problems.error(span, format!("the file is not XML: {message}"));
            match error {
                Error::UnknownNamespace(prefix, _) if prefix == "xacro" => report.help(EXPAND),
                Error::UnknownNamespace(prefix, _) => {
                    report.help(format!("add `xmlns:{prefix}=\"…\"` to the element `robot`"))
                }
                _ => report.help("robots are XML: every element is closed, and values stand between quotes"),
            }
            .none()
        }
    }
}

/// Where a row and a column are, both from 1.
fn offset(text: &str, row: u32, column: u32) -> Range<usize> {
    let before: usize = text
        .split_inclusive('\n')
        .take(row.saturating_sub(1) as usize)
        .map(str::len)
        .sum();
    let line = text[before..].lines().next().unwrap_or_default();
    let mut letters = line.char_indices().skip(column.saturating_sub(1) as usize);
    match letters.next() {
        Some((at, letter)) => before + at..before + at + letter.len_utf8(),
        None => before + line.len()..before + line.len(),
    }
}

/// The opening tag of an element.
pub(super) fn opening(node: Node<'_, '_>) -> Range<usize> {
    let range = node.range();
    let text = &node.document().input_text()[range.clone()];
    let end = node.attributes().map(|a| a.range().end).max();
    let end = end.unwrap_or_else(|| range.start + text.find(['>', ' ', '/', '\n']).unwrap_or(text.len()));
    range.start..end
}

/// The first child of this name.
pub(super) fn child<'a, 'i>(node: Node<'a, 'i>, tag: &str) -> Option<Node<'a, 'i>> {
    node.children()
        .find(|child| child.is_element() && child.tag_name().name() == tag)
}

/// An attribute that must be there, and where its value is.
pub(super) fn required<'a>(
    node: Node<'a, '_>,
    attribute: &str,
    of: &str,
    problems: &Problems,
) -> Option<(&'a str, Range<usize>)> {
    if let Some(found) = node.attribute_node(attribute) {
        return Some((found.value(), found.range_value()));
    }
    problems
        .error(opening(node), format!("{of} has no `{attribute}`"))
        .help(format!("write `<{} {attribute}=\"…\">`", node.tag_name().name()))
        .none()
}

/// The numbers of an attribute, as many as there must be; `None` is reported.
pub(super) fn numbers<const N: usize>(
    node: Node<'_, '_>,
    attribute: &str,
    of: &str,
    problems: &Problems,
) -> Option<[f64; N]> {
    let (text, span) = required(node, attribute, of, problems)?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let help = "numbers have a decimal point and are separated by blanks: `xyz=\"0 0 0.5\"`";
    if text.contains("${") || text.contains("$(") {
        let message = format!("`{attribute}` of {of} is an expression, not a number");
        return problems.error(span, message).help(EXPAND).none();
    }
    let mut out = [0.0; N];
    for (k, word) in words.iter().enumerate() {
        let value = word.parse::<f64>().ok().filter(|value| value.is_finite());
        let Some(value) = value else {
            return problems
                .error(span, format!("`{word}` in `{attribute}` of {of} is not a number"))
                .help(help)
                .none();
        };
        if k < N {
            out[k] = value;
        }
    }
    if words.len() != N {
        let message = format!("`{attribute}` of {of} has {} numbers instead of {N}", words.len());
        return problems.error(span, message).help(help).none();
    }
    Some(out)
}

/// A number that need not be there: `None` if it is wrong, `otherwise` if it is absent.
pub(super) fn number_or(
    node: Node<'_, '_>,
    attribute: &str,
    otherwise: f64,
    of: &str,
    problems: &Problems,
) -> Option<f64> {
    match node.has_attribute(attribute) {
        true => numbers::<1>(node, attribute, of, problems).map(|[value]| value),
        false => Some(otherwise),
    }
}
