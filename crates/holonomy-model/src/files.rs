//! Files that a model names, which this crate does not read itself.
use std::{fmt, sync::Arc};

/// What reads a file that a model names by a path: its text, or why there is none.
type Reader = dyn Fn(&str) -> Result<String, String> + Send + Sync;

/// The files beside a model. Whoever loads it knows where it stands and what a disk is; without that, a model that names
/// files is refused.
#[derive(Clone, Default)]
pub struct Files(Option<Arc<Reader>>);

impl Files {
    /// Read by a function: of the path as the model has it, to the text or to why there is none, as `it does not exist`.
    pub fn new(read: impl Fn(&str) -> Result<String, String> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(read)))
    }

    /// These, or others where there are none.
    #[must_use]
    pub fn or(&self, others: &Self) -> Self {
        Self(self.0.clone().or_else(|| others.0.clone()))
    }

    /// The text of a file; `None` where no files can be read.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn text(&self, path: &str) -> Option<Result<String, String>> {
        self.0.as_ref().map(|read| read(path))
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_some() {
            "Files(…)"
        } else {
            "Files(none)"
        })
    }
}
