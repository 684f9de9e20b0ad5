use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{
    fmt,
    ops::Deref,
    sync::{Arc, OnceLock},
};

/// A list of names, made when it is first looked at: those of a million bodies and their coordinates take more memory
/// than all else, and most runs never print them. Serialised, it is the list.
#[derive(Clone, Default)]
pub struct Names {
    count: usize,
    make: Option<Arc<dyn Fn(usize) -> String + Send + Sync>>,
    list: OnceLock<Vec<String>>,
}

impl Names {
    /// `count` names, the k-th of which is `make(k)`.
    pub fn made(count: usize, make: impl Fn(usize) -> String + Send + Sync + 'static) -> Self {
        Self {
            count,
            make: Some(Arc::new(make)),
            list: OnceLock::new(),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// One of them, without making the others.
    pub fn one(&self, k: usize) -> Option<String> {
        match (self.list.get(), &self.make) {
            (None, Some(make)) => (k < self.count).then(|| make(k)),
            (list, _) => list?.get(k).cloned(),
        }
    }
}

impl From<Vec<String>> for Names {
    fn from(list: Vec<String>) -> Self {
        Self {
            count: list.len(),
            make: None,
            list: OnceLock::from(list),
        }
    }
}

impl FromIterator<String> for Names {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        names.into_iter().collect::<Vec<String>>().into()
    }
}

impl Deref for Names {
    type Target = [String];
    fn deref(&self) -> &[String] {
        self.list.get_or_init(|| match &self.make {
            Some(make) => (0..self.count).map(|k| make(k)).collect(),
            None => Vec::new(),
        })
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Serialize for Names {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<String>::deserialize(deserializer).map(Self::from)
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_when_they_are_looked_at() {
        let names = Names::made(3, |k| format!("body-{}", k + 1));
        assert_eq!(
            (names.len(), names.one(1), names.one(3)),
            (3, Some("body-2".to_owned()), None)
        );
        assert!(names.list.get().is_none());
        assert_eq!(*names, ["body-1", "body-2", "body-3"]);
        assert_eq!(names, Names::from(names.to_vec()));
        assert!(Names::default().is_empty() && Names::default().iter().next().is_none());
    }
}
