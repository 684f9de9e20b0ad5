//! Classes of defaults: an attribute that an element does not have is looked for in its class, then in the class around
//! that, up to `main`.
use super::element::{Attribute, Document, Id};
use std::collections::HashMap;

/// Actuators of all kinds share their defaults.
const ACTUATORS: [&str; 13] = [
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "orientation",
    "pid",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
    "plugin",
];

/// What the tag of an element is called among the defaults.
pub(super) fn family(tag: &str) -> &str {
    match tag {
        "spatial" | "fixed" => "tendon",
        "connect" | "weld" => "equality",
        tag if ACTUATORS.contains(&tag) => "general",
        tag => tag,
    }
}

/// A class of defaults, by number; `main` is the first.
pub(super) type Class = usize;

#[derive(Default)]
pub(super) struct Defaults {
    /// The class around each, and the elements in it.
    classes: Vec<(Option<Class>, Vec<Id>)>,
    names: HashMap<String, Class>,
}

impl Defaults {
    pub(super) fn read(document: &Document) -> Self {
        let mut out = Self {
            classes: vec![(None, Vec::new())],
            names: HashMap::from([("main".to_owned(), 0)]),
        };
        for id in document.children(0) {
            if document.tag(*id) == "default" {
                if let Some(name) = document.attribute(*id, "class") {
                    out.names.insert(name.value.clone(), 0);
                }
                out.add(document, *id, 0);
            }
        }
        out
    }

    fn add(&mut self, document: &Document, id: Id, class: Class) {
        document.carry(id, &["class"]);
        for child in document.children(id) {
            if document.tag(*child) != "default" {
                self.classes[class].1.push(*child);
                // Of what is read, each attribute that is not used is listed by itself.
                if matches!(document.tag(*child), "joint" | "geom" | "site") {
                    document.carry(*child, &[]);
                }
                continue;
            }
            let Some(name) = document.attribute(*child, "class") else {
                document
                    .error(*child, "a class of defaults has no name")
                    .help("write `<default class=\"…\">`; only the outermost needs none");
                continue;
            };
            let known = self.names.get(&name.value).copied();
            let inner = known.unwrap_or_else(|| {
                self.classes.push((Some(class), Vec::new()));
                self.names.insert(name.value.clone(), self.classes.len() - 1);
                self.classes.len() - 1
            });
            if known == Some(class) {
                document
                    .error_at(
                        *child,
                        name.value_span.clone(),
                        format!("the class `{}` lies in itself", name.value),
                    )
                    .help("give the inner class another name");
                continue;
            }
            self.add(document, *child, inner);
        }
    }

    /// A class by its name.
    pub(super) fn named(&self, name: &str) -> Option<Class> {
        self.names.get(name).copied()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.names.keys().map(String::as_str)
    }

    /// The default of an attribute, and the element that it stands in.
    pub(super) fn find<'d>(
        &self,
        document: &'d Document,
        class: Class,
        tag: &str,
        attribute: &str,
    ) -> Option<(Id, &'d Attribute)> {
        self.all(document, class, tag, attribute).next()
    }

    /// The same in the class, in those around it and so on: the first one counts.
    pub(super) fn all<'d>(
        &self,
        document: &'d Document,
        class: Class,
        tag: &str,
        attribute: &str,
    ) -> impl Iterator<Item = (Id, &'d Attribute)> {
        let classes = std::iter::successors(Some(class), |class| self.classes[*class].0);
        // The last one in a class that says it counts.
        let elements = classes.flat_map(|class| self.classes[class].1.iter().rev());
        elements.filter_map(move |id| {
            let same = family(document.tag(*id)) == family(tag);
            let found = document.attribute(*id, attribute).filter(|_| same);
            found.map(|found| (*id, found))
        })
    }
}
