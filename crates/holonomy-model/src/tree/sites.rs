//! `[[site]]`: named points on bodies and in the world.
//!
//! A site is called by its path `body/site`, or by its own name where no other site has it.
use super::bodies::{TreeBodies, WORLD};
use crate::{Located, Problems, Reference, Section};
use holonomy::{Vec3, tree::Site};

/// All sites; their bodies by number.
#[derive(Default)]
pub(super) struct Sites {
    pub(super) list: Vec<Site>,
}

impl Sites {
    pub(super) fn push(
        &mut self,
        name: &Located<&str>,
        body: Option<usize>,
        position: Vec3,
        problems: &Problems,
    ) {
        let twin = |site: &Site| site.body == body && site.name == name.value;
        if self.list.iter().any(twin) {
            problems
                .error(
                    name.place.clone(),
                    format!("there are two sites named `{}` on one body", name.value),
                )
                .help("give one of them another name");
        }
        self.list.push(Site {
            name: name.value.to_owned(),
            body,
            position,
        });
    }

    pub(super) fn path(&self, site: usize, bodies: &[&str]) -> String {
        let Site { name, body, .. } = &self.list[site];
        let body = body.and_then(|body| bodies.get(body).copied());
        format!("{}/{name}", body.unwrap_or(WORLD))
    }

    /// The number of a site.
    pub(super) fn resolve(
        &self,
        reference: &Located<Reference<'_>>,
        bodies: &TreeBodies,
        problems: &Problems,
    ) -> Option<usize> {
        let Reference::Name(given) = reference.value else {
            let names: Vec<&str> = self.list.iter().map(|site| site.name.as_str()).collect();
            return reference.resolve("site", &names, problems);
        };
        let names = bodies.names();
        let paths: Vec<String> = (0..self.list.len()).map(|k| self.path(k, &names)).collect();
        if let Some(found) = paths.iter().position(|path| path == given) {
            return Some(found);
        }
        let alike: Vec<usize> = (0..self.list.len())
            .filter(|k| self.list[*k].name == given)
            .collect();
        match alike[..] {
            [found] => Some(found),
            [a, b, ..] => problems
                .error(
                    reference.place.clone(),
                    format!("there are {} sites named `{given}`", alike.len()),
                )
                .help(format!("name the body too: `{}` or `{}`", paths[a], paths[b]))
                .none(),
            [] => {
                let own = self.list.iter().map(|site| site.name.as_str());
                let known: Vec<&str> = paths
                    .iter()
                    .map(String::as_str)
                    .chain(own)
                    .filter(|known| known.contains('/') == given.contains('/'))
                    .collect();
                let report = problems.error(
                    reference.place.clone(),
                    format!("there is no site named `{given}`"),
                );
                if self.list.is_empty() {
                    report.help("add a `[[site]]` with a `name`, a `body` and `at = [x, y, z]`")
                } else {
                    report.suggest(given, known)
                }
                .none()
            }
        }
    }

    /// Several sites at once, all of which are looked up.
    pub(super) fn resolve_all(
        &self,
        references: &[Located<Reference<'_>>],
        bodies: &TreeBodies,
        problems: &Problems,
    ) -> Option<Vec<usize>> {
        let found: Vec<Option<usize>> = references
            .iter()
            .map(|reference| self.resolve(reference, bodies, problems))
            .collect();
        found.into_iter().collect()
    }

    /// Two different sites under `between`.
    pub(super) fn between(&self, section: &Section<'_>, bodies: &TreeBodies) -> Option<[usize; 2]> {
        let problems = section.problems();
        let given = section.required("between").references()?;
        let found = self.resolve_all(&given.value, bodies, problems);
        let count = given.value.len();
        if count != 2 {
            return problems
                .error(given.place, format!("`between` names 2 sites, got {count}"))
                .help("write `between = [\"a/tip\", \"b/tip\"]`")
                .none();
        }
        let [a, b] = found?.try_into().ok()?;
        let (first, second): (&Site, &Site) = (&self.list[a], &self.list[b]);
        if a == b {
            return problems
                .error(given.place, "both ends are the same site")
                .help("name sites of two bodies, or of a body and the world")
                .none();
        }
        if first.body == second.body {
            let place = match first.body {
                Some(body) => format!("body `{}`", bodies.list[body].name),
                None => "the world".to_owned(),
            };
            return problems
                .error(
                    given.place,
                    format!("both sites are on {place}, and never move against each other"),
                )
                .help("name sites of two bodies, or of a body and the world")
                .none();
        }
        Some([a, b])
    }
}

/// Reads `[[site]]`; bodies are those of the model, with the segments of cables.
pub(super) fn read(root: &Section<'_>, bodies: &[&str], sites: &mut Sites) {
    for section in root.optional("site").tables() {
        let problems = section.problems();
        let name = section.required("name").name();
        let body = section.optional("body").reference();
        let at = section.required("at").vector();
        let has_body = section.has("body");
        section.finish();
        let body = match &body {
            Some(body) if body.value == Reference::Name(WORLD) => Some(None),
            Some(body) => body.resolve("body", bodies, problems).map(Some),
            None if has_body => None,
            None => Some(None),
        };
        // A site that was not understood still has a name.
        if let Some(name) = name {
            let at = at.map_or_else(Vec3::zeros, |at| at.value.into());
            sites.push(&name, body.unwrap_or_default(), at, problems);
        }
    }
}
