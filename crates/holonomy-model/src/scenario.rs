//! The models that come with the program.
use crate::{self as model, Problems, Section, Source};

/// A built-in model and what it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// The name of its folder in `scenarios/`.
    pub name: &'static str,
    /// Its model file.
    pub model: &'static str,
    /// What to see in it; without the feature `documents` up to its first sentence.
    pub readme: &'static str,
}

/// All scenarios, by name.
pub static SCENARIOS: &[Scenario] = include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));

/// The scenario of the given name.
pub fn find(name: &str) -> Option<&'static Scenario> {
    SCENARIOS.iter().find(|scenario| scenario.name == name)
}

/// The name that was most likely meant.
pub fn suggestion(name: &str) -> Option<&'static str> {
    model::nearest(name, SCENARIOS.iter().map(|scenario| scenario.name))
}

impl Scenario {
    /// The title of the model.
    pub fn title(&self) -> String {
        let source = self.source();
        let problems = Problems::new();
        let document = model::parse(&source, &problems);
        let title = document.as_ref().and_then(|document| {
            Section::root(document.table(), &problems)
                .optional("title")
                .string()
        });
        title.map_or_else(|| self.name.to_owned(), |title| title.value.to_owned())
    }

    /// What it shows, in a sentence: the first line of its README that is not a heading.
    pub fn summary(&self) -> &'static str {
        let mut lines = self.readme.lines().map(str::trim);
        lines
            .find(|line| !line.is_empty() && !line.starts_with('#'))
            .unwrap_or("")
    }

    /// Its model, to be loaded.
    pub fn source(&self) -> Source {
        Source::new(self.name, self.model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_loads_without_notes_and_has_a_title_and_a_summary() {
        assert!(!SCENARIOS.is_empty());
        for scenario in SCENARIOS {
            let model = model::load(&scenario.source());
            let model = model.unwrap_or_else(|problems| panic!("{}: {problems:?}", scenario.name));
            assert_eq!(model.notes, [], "{}", scenario.name);
            assert_eq!(scenario.title(), model.title);
            assert!(!model.title.is_empty() && !scenario.summary().is_empty());
        }
    }

    #[test]
    fn a_slip_of_the_pen_is_recognised() {
        assert_eq!(suggestion("sperical-pendulum"), Some("spherical-pendulum"));
        assert_eq!(suggestion("weather"), None);
    }
}
