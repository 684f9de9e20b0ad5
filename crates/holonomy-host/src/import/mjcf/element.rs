//! The elements of an MJCF file and of the files it includes, with a mark on every attribute that the model says.
//!
//! What has no mark in the end is what was ignored: nothing can be forgotten.
use super::super::read;
use holonomy_model::{Problem, Problems, Report, Source};
use roxmltree::Node;
use std::{cell::Cell, collections::HashSet, ops::Range};

/// Elements in each other at most.
const DEEPEST: usize = 200;

/// An element, by number.
pub(super) type Id = usize;

pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) value: String,
    /// All of it, and its value alone.
    pub(super) span: Range<usize>,
    pub(super) value_span: Range<usize>,
    pub(super) carried: Cell<bool>,
}

pub(super) struct Element {
    pub(super) tag: String,
    pub(super) file: usize,
    pub(super) span: Range<usize>,
    pub(super) opening: Range<usize>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) children: Vec<Id>,
    pub(super) carried: Cell<bool>,
}

/// All files together: included elements stand where they are included. The first element is the outermost.
pub(super) struct Document {
    elements: Vec<Element>,
    files: Vec<(Source, Problems)>,
}

/// Reads a file that is included: its text, or why there is none.
pub(super) type Include<'a> = &'a dyn Fn(&str) -> Result<String, String>;

impl Document {
    /// Reads a file and all that it includes. What is wrong is in `problems`.
    pub(super) fn read(source: &Source, include: Include<'_>) -> Self {
        let mut document = Self {
            elements: Vec::new(),
            files: vec![(source.clone(), Problems::new())],
        };
        let mut open = HashSet::new();
        document.add_file(0, None, include, &mut open, 0);
        document
    }

    /// Adds the elements of a file below an element, or as the first.
    fn add_file(
        &mut self,
        file: usize,
        below: Option<Id>,
        include: Include<'_>,
        seen: &mut HashSet<String>,
        depth: usize,
    ) {
        let source = self.files[file].0.clone();
        let Some(xml) = read::parse_xml(source.text(), &self.files[file].1) else {
            return;
        };
        let root = xml.root_element();
        let tag = root.tag_name().name();
        let expected: &[&str] = match below {
            None => &["mujoco"],
            Some(_) => &["mujoco", "mujocoinclude"],
        };
        if !expected.contains(&tag) {
            self.files[file]
                .1
                .error(
                    read::opening(root),
                    format!("the outermost element is `{tag}`, not `mujoco`"),
                )
                .help("an MJCF file holds one element `mujoco`, one that is included `mujocoinclude`");
            return;
        }
        match below {
            None => self.add(file, root, None, include, seen, depth),
            Some(_) => self.add_children(file, root, below, include, seen, depth),
        }
    }

    fn add(
        &mut self,
        file: usize,
        node: Node<'_, '_>,
        below: Option<Id>,
        include: Include<'_>,
        seen: &mut HashSet<String>,
        depth: usize,
    ) {
        if depth > DEEPEST {
            // Once is enough.
            if !self.files[file].1.has_errors() {
                let message = format!("more than {DEEPEST} elements lie in each other");
                self.files[file]
                    .1
                    .error(read::opening(node), message)
                    .help("no machine has such a long chain of bodies; is it the right file?");
            }
            return;
        }
        let tag = node.tag_name().name();
        if tag == "include" {
            self.include(file, node, below, include, seen, depth);
            return;
        }
        let attributes = node.attributes().map(|attribute| Attribute {
            name: attribute.name().to_owned(),
            value: attribute.value().to_owned(),
            span: attribute.range(),
            value_span: attribute.range_value(),
            carried: Cell::new(false),
        });
        let id = self.elements.len();
        self.elements.push(Element {
            tag: tag.to_owned(),
            file,
            span: node.range(),
            opening: read::opening(node),
            attributes: attributes.collect(),
            children: Vec::new(),
            carried: Cell::new(false),
        });
        if let Some(below) = below {
            self.elements[below].children.push(id);
        }
        self.add_children(file, node, Some(id), include, seen, depth);
    }

    fn add_children(
        &mut self,
        file: usize,
        node: Node<'_, '_>,
        below: Option<Id>,
        include: Include<'_>,
        seen: &mut HashSet<String>,
        depth: usize,
    ) {
        for child in node.children().filter(Node::is_element) {
            self.add(file, child, below, include, seen, depth + 1);
        }
    }

    fn include(
        &mut self,
        file: usize,
        node: Node<'_, '_>,
        below: Option<Id>,
        include: Include<'_>,
        seen: &mut HashSet<String>,
        depth: usize,
    ) {
        let problems = &self.files[file].1;
        let Some((name, span)) = read::required(node, "file", "an include", problems) else {
            return;
        };
        if !seen.insert(name.to_owned()) {
            problems
                .error(span, format!("`{name}` is included twice"))
                .help("a file is included once, and not in itself: MuJoCo says the same");
            return;
        }
        match include(name) {
            Ok(text) => {
                self.files.push((Source::new(name, text), Problems::new()));
                let added = self.files.len() - 1;
                self.add_file(added, below, include, seen, depth);
            }
            Err(why) => {
                problems
                    .error(span, format!("the file `{name}` cannot be included: {why}"))
                    .help("included files are looked for beside the file that is imported");
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.elements.len()
    }

    pub(super) fn element(&self, id: Id) -> &Element {
        &self.elements[id]
    }

    pub(super) fn tag(&self, id: Id) -> &str {
        &self.elements[id].tag
    }

    pub(super) fn children(&self, id: Id) -> &[Id] {
        &self.elements[id].children
    }

    /// An attribute that is written in the element itself.
    pub(super) fn attribute(&self, id: Id, name: &str) -> Option<&Attribute> {
        self.elements[id]
            .attributes
            .iter()
            .find(|attribute| attribute.name == name)
    }

    /// Marks an element, and some of its attributes, as said by the model.
    pub(super) fn carry(&self, id: Id, attributes: &[&str]) {
        self.elements[id].carried.set(true);
        for attribute in &self.elements[id].attributes {
            if attributes.contains(&attribute.name.as_str()) {
                attribute.carried.set(true);
            }
        }
    }

    /// Reports an error at the opening tag of an element.
    pub(super) fn error(&self, id: Id, message: impl Into<String>) -> Report<'_> {
        self.error_at(id, self.elements[id].opening.clone(), message)
    }

    /// Reports an error somewhere in the file of an element.
    pub(super) fn error_at(&self, id: Id, span: Range<usize>, message: impl Into<String>) -> Report<'_> {
        self.files[self.elements[id].file].1.error(span, message)
    }

    pub(super) fn has_errors(&self) -> bool {
        self.files.iter().any(|(_, problems)| problems.has_errors())
    }

    /// The first file that something is wrong with, and what.
    pub(super) fn into_problems(self) -> (Source, Vec<Problem>) {
        let mut files = self.files;
        let wrong = files.iter().position(|(_, problems)| problems.has_errors());
        let (source, problems) = files.swap_remove(wrong.unwrap_or(0));
        (source, problems.into_sorted())
    }

    /// What stands in the file at an element.
    pub(super) fn text(&self, id: Id) -> &str {
        let element = &self.elements[id];
        &self.files[element.file].0.text()[element.span.clone()]
    }
}

/// Whether a text is MJCF: by its outermost element.
pub(in super::super) fn is_mjcf(text: &str) -> bool {
    // Only the beginning is looked at: a file that is broken further down is broken MJCF.
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let end = if rest.starts_with("<?") {
            "?>"
        } else if rest.starts_with("<!--") {
            "-->"
        } else if rest.starts_with("<!") {
            ">"
        } else {
            break;
        };
        let Some(at) = rest.find(end) else { break };
        rest = rest[at + end.len()..].trim_start();
    }
    let name = rest.strip_prefix('<').unwrap_or_default();
    let end = name
        .find(|letter: char| !(letter.is_alphanumeric() || "_-:.".contains(letter)))
        .unwrap_or(name.len());
    matches!(&name[..end], "mujoco" | "mujocoinclude")
}
