//! Functions that a program hands over, for models that name them: `[[potential]] kind = "given"`.
use crate::{Files, Located, Section};
use holonomy::potential::PointEnergy;
use std::{collections::BTreeMap, fmt, sync::Arc};

/// Functions by the names that a model has for them.
#[derive(Clone, Default)]
pub struct Functions {
    energies: Arc<BTreeMap<String, Arc<dyn PointEnergy>>>,
    files: Files,
}

impl Functions {
    /// The same with one more, or another in place of one of this name.
    pub fn with(&self, name: impl Into<String>, energy: Arc<dyn PointEnergy>) -> Self {
        let mut energies = (*self.energies).clone();
        energies.insert(name.into(), energy);
        Self {
            energies: Arc::new(energies),
            files: self.files.clone(),
        }
    }

    /// The same for a model that may name these files.
    #[must_use]
    pub fn beside(&self, files: &Files) -> Self {
        Self {
            energies: self.energies.clone(),
            files: files.or(&self.files),
        }
    }

    /// The files that a model may name.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn files(&self) -> &Files {
        &self.files
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.energies.is_empty()
    }

    /// The function of a name.
    pub fn find(&self, name: &str) -> Option<&Arc<dyn PointEnergy>> {
        self.energies.get(name)
    }
}

impl fmt::Debug for Functions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.energies.keys()).finish()
    }
}

/// The function that the key `function` names.
pub(crate) fn named(section: &Section<'_>) -> Option<Arc<dyn PointEnergy>> {
    let Located { value, place } = section.required("function").string()?;
    let functions = section.problems().functions();
    if let Some(energy) = functions.find(value) {
        return Some(energy.clone());
    }
    let known = functions.energies.keys().map(String::as_str);
    let message = format!("the function `{value}` is not given");
    let report = section.problems().error(place, message);
    match functions.is_empty() {
        true => {
            report.help("a program hands it over: `model.with_potential(…)` in Python, `build_with` in Rust")
        }
        false => report.suggest(value, known),
    }
    .none()
}
