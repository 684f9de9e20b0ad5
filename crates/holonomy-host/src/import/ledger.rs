//! What of a document was carried over. The rest is what was ignored: nothing can be forgotten.
use roxmltree::{Attribute, Document, Node, NodeId};
use std::{cell::RefCell, collections::HashSet, ops::Range};

/// Marks of the elements and attributes that are in the model.
#[derive(Default)]
pub(super) struct Ledger {
    elements: RefCell<HashSet<NodeId>>,
    /// Attributes by where they begin.
    attributes: RefCell<HashSet<usize>>,
}

/// Something that the model does not say, or says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What it is about: `link`, `joint`, or the element itself.
    pub owner: String,
    /// The name of the owner; empty if it has none.
    pub name: String,
    /// What it is: an element, an attribute, or what was changed.
    pub what: String,
    /// All that stands there, on one line.
    pub detail: String,
    /// Why, or what was done.
    pub why: String,
    /// Where it stands.
    pub span: Range<usize>,
}

impl Ledger {
    pub(super) fn carry(&self, node: Node<'_, '_>, attributes: &[&str]) {
        self.elements.borrow_mut().insert(node.id());
        for name in attributes {
            if let Some(attribute) = node.attribute_node(*name) {
                self.attributes.borrow_mut().insert(attribute.range().start);
            }
        }
    }

    fn has(&self, node: Node<'_, '_>) -> bool {
        self.elements.borrow().contains(&node.id())
    }

    fn has_attribute(&self, attribute: &Attribute<'_, '_>) -> bool {
        self.attributes.borrow().contains(&attribute.range().start)
    }

    /// All that was not carried, in the order of the text.
    pub(super) fn ignored(&self, document: &Document<'_>) -> Vec<Remark> {
        let mut out = Vec::new();
        let root = document.root_element();
        self.walk(root, root, &mut out);
        out
    }

    /// `owner` is the link or joint that the node is or lies in; the robot itself owns what lies in neither.
    fn walk(&self, node: Node<'_, '_>, owner: Node<'_, '_>, out: &mut Vec<Remark>) {
        let path = path(node, owner);
        for attribute in node.attributes().filter(|a| !self.has_attribute(a)) {
            let what = [path.as_str(), attribute.name()].join(" ").trim().to_owned();
            let detail = format!("{}=\"{}\"", attribute.name(), flat(attribute.value()));
            out.push(remark(owner, what, detail, attribute.range()));
        }
        for child in node.children() {
            if child.is_text() && !child.text().unwrap_or_default().trim().is_empty() {
                let what = [path.as_str(), "text"].join(" ").trim().to_owned();
                out.push(remark(
                    owner,
                    what,
                    flat(child.text().unwrap_or_default()),
                    child.range(),
                ));
            }
            if !child.is_element() {
                continue;
            }
            let inner = match child.tag_name().name() {
                "link" | "joint" if owner.parent_element().is_none() => child,
                _ => owner,
            };
            if self.has(child) {
                self.walk(child, inner, out);
                continue;
            }
            let text = flat(&child.document().input_text()[child.range()]);
            let tag = child.tag_name().name().to_owned();
            let at_top = owner.parent_element().is_none();
            let (by, what) = match at_top {
                true => (child, tag),
                false => (owner, [path.as_str(), &tag].join(" ").trim().to_owned()),
            };
            out.push(remark(by, what, text, child.range()));
        }
    }
}

/// The tags between a node and its owner.
fn path(node: Node<'_, '_>, owner: Node<'_, '_>) -> String {
    let mut tags: Vec<&str> = node
        .ancestors()
        .take_while(|above| *above != owner)
        .map(|above| above.tag_name().name())
        .collect();
    tags.reverse();
    tags.join(" ")
}

fn remark(owner: Node<'_, '_>, what: String, detail: String, span: Range<usize>) -> Remark {
    let name = owner.attribute("name").or_else(|| owner.attribute("reference"));
    let tag = owner.tag_name().name().to_owned();
    Remark {
        why: why(&tag, &what).to_owned(),
        name: flat(name.unwrap_or_default()),
        owner: tag,
        what,
        detail,
        span,
    }
}

/// Why something is ignored.
fn why(owner: &str, what: &str) -> &'static str {
    match (owner, what) {
        ("link", "visual" | "collision") => "shapes are not simulated",
        ("link", inertial) if inertial.starts_with("inertial") => {
            "the root link is the world and does not move"
        }
        ("joint", "limit") => "nothing stops a joint; a run warns of those that go beyond",
        ("joint", "dynamics friction") => {
            "dry friction: add `friction` to the body, and take a step that resolves it"
        }
        ("joint", "safety_controller" | "calibration") => "there is no controller",
        ("joint", "axis" | "mimic" | "dynamics" | "dynamics damping") => "of no use to such a joint",
        ("transmission" | "gazebo" | "ros2_control", _) => "for other programs",
        ("material", _) => "colours",
        _ => "",
    }
}

/// A text on one line, without anything that a comment cannot hold.
pub(super) fn flat(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace(|letter: char| letter.is_control(), "?")
}

/// Names that a line shows of a group.
const SHOWN: usize = 3;

/// Remarks as lines for people: alike ones counted together, or every one with what stands there.
pub fn lines(remarks: &[Remark], all: bool) -> Vec<String> {
    let mut out = Vec::new();
    let mut done: HashSet<(&str, &str, &str)> = HashSet::new();
    for remark in remarks {
        if all {
            out.push(format!("{}{}", remark.whole(), because(&remark.why)));
            continue;
        }
        if done.insert(remark.key()) {
            let group: Vec<&Remark> = remarks
                .iter()
                .filter(|other| other.key() == remark.key())
                .collect();
            out.push(grouped(&group));
        }
    }
    out
}

fn because(why: &str) -> String {
    match why {
        "" => String::new(),
        why => format!(" ({why})"),
    }
}

impl Remark {
    /// Alike remarks have the same.
    fn key(&self) -> (&str, &str, &str) {
        (&self.owner, &self.what, &self.why)
    }

    /// It alone, with all that stands there.
    fn whole(&self) -> String {
        let name = match self.name.as_str() {
            "" => self.owner.clone(),
            name => format!("{} `{name}`", self.owner),
        };
        match self.detail.as_str() {
            "" => format!("{name}: {}", self.what),
            detail if self.what == self.owner => format!("{name}: {detail}"),
            detail => format!("{name}: {}: {detail}", self.what),
        }
    }
}

fn grouped(group: &[&Remark]) -> String {
    let first = group[0];
    let mut seen: HashSet<&str> = HashSet::new();
    let names: Vec<&str> = group
        .iter()
        .map(|remark| remark.name.as_str())
        .filter(|name| !name.is_empty() && seen.insert(name))
        .collect();
    let mut shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    if names.len() > SHOWN {
        shown.push("…".to_owned());
    }
    let shown = match shown.is_empty() {
        true => String::new(),
        false => format!(": {}", shown.join(", ")),
    };
    let of = match (first.owner == first.what, first.owner.as_str()) {
        (true, _) => format!("{} × {}", group.len(), first.what),
        (false, "robot") => format!("{} of the robot", first.what),
        (false, owner) if names.len() == 1 => format!("{} of 1 {owner}", first.what),
        (false, "body") => format!("{} of {} bodies", first.what, names.len()),
        (false, owner) if names.is_empty() => format!("{} of {owner}", first.what),
        (false, owner) => format!("{} of {} {owner}s", first.what, names.len()),
    };
    format!("{of}{}{shown}", because(&first.why))
}
