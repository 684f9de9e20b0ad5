//! Keys that are missing, unknown, or in the wrong place.
use std::collections::HashSet;

use holonomy::formula::nearest;

use super::Section;
use crate::path::{Place, Step};
use crate::problem::{Report, excerpt, listed};
use crate::repeat;
use crate::value::Value;

impl<'a> Section<'a> {
    /// Reports an error that comes from the absence of these keys: if one of them turns out to be misspelt, that is
    /// reported instead.
    pub fn lacks(&self, keys: &[&'a str], place: Place, message: impl Into<String>) -> Report<'a> {
        let report = self.problems.error(place, message);
        let missed = keys.iter().map(|key| (*key, report.index()));
        self.missed.borrow_mut().extend(missed);
        report
    }

    /// Refuses keys that belong to another place, given as pairs of a key and that place, and were not asked for.
    pub fn refuse(&self, homes: &[(&'a str, &str)]) {
        for (key, home) in homes {
            let Some(at) = self.key_place(key).filter(|_| !self.asked.borrow().contains(key)) else {
                continue;
            };
            let shown = self.shown(key);
            let place = if self.label.is_empty() && shown.starts_with("key") {
                " at the top of the model"
            } else {
                &self.within()
            };
            self.problems
                .error(at, format!("unknown {shown}{place}"))
                .help(format!("it belongs {home}"));
            self.asked.borrow_mut().push(key);
        }
    }

    /// Refuses every key that was not asked for.
    pub fn finish(self) {
        self.judge_keys(true);
    }

    /// As [`finish`](Self::finish) where it is not known which keys there may be: refuses only those that seem to be
    /// one that was missed.
    pub fn finish_unread(self) {
        self.judge_keys(false);
    }

    fn judge_keys(self, all: bool) {
        let mut known = HashSet::new();
        let mut asked = self.asked.borrow().clone();
        asked.retain(|key| known.insert(*key));
        // A key that is there was hardly meant a second time, unless an override sets it.
        let (present, absent): (Vec<&str>, Vec<&str>) =
            asked.iter().partition(|key| self.table.contains_key(key));
        let repeatable = matches!(self.path.steps()[..], [Step::Key(_), Step::Element(_)]);
        let repeat: &[&str] = if repeatable { &repeat::KEYS } else { &[] };
        for key in self.keys().filter(|key| !known.contains(key.value)) {
            let near = nearest(key.value, absent.iter().copied());
            let near = near.or_else(|| nearest(key.value, repeat.iter().copied()));
            let present = nearest(key.value, present.iter().copied());
            let message = format!("unknown {}{}", self.shown(key.value), self.within());
            let mut missed = self.missed.borrow_mut();
            let slot = missed.iter().position(|(missed, _)| near == Some(*missed));
            let report = match slot.map(|slot| missed.swap_remove(slot).1) {
                Some(index) => {
                    missed.retain(|(_, other)| *other != index);
                    self.problems.instead_of(index, key.place, message)
                }
                None if all => self.problems.error(key.place, message),
                None => continue,
            };
            let near: Vec<String> = [near, present]
                .into_iter()
                .flatten()
                .map(|near| self.bracketed(near))
                .collect();
            match (near.as_slice(), listed(asked.iter().copied())) {
                _ if repeat.contains(&key.value) => {
                    report.help("it belongs to sections with `repeat = …`, which stand for many")
                }
                ([near], _) => report.help(format!("did you mean `{near}`?")),
                ([near, other], _) => report.help(format!("did you mean `{near}` or `{other}`?")),
                (_, Some(list)) => report.help(format!("known here: {list}")),
                (_, None) => report,
            };
        }
    }

    /// A key that is asked for, with the brackets of its header if it is that of a section.
    fn bracketed(&self, key: &str) -> String {
        let sections = self.sections.borrow();
        let section = sections.iter().find(|(name, _)| *name == key);
        match section.filter(|_| self.label.is_empty()) {
            Some((_, true)) => format!("[[{key}]]"),
            Some((_, false)) => format!("[{key}]"),
            None => key.to_owned(),
        }
    }

    /// A key as messages show it, or the section of that name.
    fn shown(&self, key: &str) -> String {
        let name = excerpt(key);
        match self.table.get(key) {
            Some(Value::Table(_)) if self.label.is_empty() => format!("section `[{name}]`"),
            Some(value) if self.label.is_empty() && value.is_list_of_tables() => {
                format!("section `[[{name}]]`")
            }
            _ => format!("key `{name}`"),
        }
    }

    /// ` in body 2`, to be put at the end of a message.
    pub(super) fn within(&self) -> String {
        if self.label.is_empty() {
            String::new()
        } else {
            format!(" in {}", self.label)
        }
    }
}
