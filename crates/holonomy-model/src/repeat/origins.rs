//! Which section, as it is written, each section of a model was made from.
use crate::path::{Path, Place, Step};
use crate::problem::Problem;
use std::collections::HashMap;
use std::sync::Arc;

/// Of the lists of a model in which a section was repeated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins {
    lists: HashMap<String, Vec<Origin>>,
}

/// The number of a section as it is written, with the index for which it was made.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    pub(super) entry: usize,
    pub(super) index: Option<(Arc<str>, usize)>,
}

/// The same place in another element of its list.
pub(super) fn moved(place: &Place, element: impl Fn(usize) -> Option<usize>) -> Place {
    let other = |path: &Path| {
        let mut moved = Path::root();
        for (depth, step) in path.steps().into_iter().enumerate() {
            moved = match (depth, step) {
                (_, Step::Key(key)) => moved.key(key),
                (1, Step::Element(number)) => moved.element(element(*number).unwrap_or(*number)),
                (_, Step::Element(number)) => moved.element(*number),
            };
        }
        moved
    };
    match place {
        Place::Text(span) => Place::Text(span.clone()),
        Place::Value(path) | Place::Within(path, _) => Place::Value(other(path)),
        Place::Key(path) => Place::Key(other(path)),
        Place::Missing(path) => Place::Missing(other(path)),
    }
}

impl Origins {
    /// A list was made of what was there before.
    pub(super) fn put(&mut self, list: &str, mut origins: Vec<Origin>) {
        if let Some(before) = self.lists.get(list) {
            for origin in &mut origins {
                if let Some(earlier) = before.get(origin.entry) {
                    origin.entry = earlier.entry;
                    origin.index = origin.index.take().or_else(|| earlier.index.clone());
                }
            }
        }
        self.lists.insert(list.to_owned(), origins);
    }

    /// Where a place was written, and for which index it was made.
    fn find(&self, place: &Place) -> Option<(Place, &(Arc<str>, usize))> {
        let steps = place.path()?.steps();
        let [Step::Key(list), Step::Element(number), ..] = steps[..] else {
            return None;
        };
        let origin = self.lists.get(&**list)?.get(*number)?;
        Some((moved(place, |_| Some(origin.entry)), origin.index.as_ref()?))
    }

    /// Problems of sections that were made from one, told once, with the index.
    pub(crate) fn gather(&self, problems: Vec<Problem>) -> Vec<Problem> {
        if self.lists.is_empty() {
            return problems;
        }
        let mut told: Vec<Problem> = Vec::with_capacity(problems.len());
        // By place and severity: the problems of the first index, which that is, and what others there are.
        let mut groups: HashMap<_, Group> = HashMap::new();
        for mut problem in problems {
            let Some((place, (name, index))) = self.find(&problem.place) else {
                told.push(problem);
                continue;
            };
            let group = groups
                .entry((place.clone(), problem.severity as u8))
                .or_insert(Group {
                    name: name.clone(),
                    index: *index,
                    told: Vec::new(),
                    others: 0,
                    last: *index,
                });
            if group.index == *index {
                group.told.push(told.len());
                problem.place = place;
                told.push(problem);
            } else if group.last != *index {
                (group.others, group.last) = (group.others + 1, *index);
            }
        }
        for group in groups.values() {
            let Group {
                name, index, others, ..
            } = group;
            let words = match others {
                0 => format!(" ({name} = {index})"),
                1 => format!(" ({name} = {index}, and one more)"),
                others => format!(" ({name} = {index}, and {others} more)"),
            };
            for number in &group.told {
                told[*number].message += &words;
            }
        }
        told
    }
}

/// Problems at one place.
struct Group {
    name: Arc<str>,
    index: usize,
    told: Vec<usize>,
    others: usize,
    /// The last index that had one.
    last: usize,
}
