//! `cargo xtask site`: documents, scenarios, reproduced pages and the playground as one static site in `target/site`.
//!
//! ```text
//! README.md                   index.html
//! docs/guide/models.md        guide/models.html        other documents alike, without `docs`
//! scenarios/NAME/README.md    scenarios/NAME.html      with its model, and a link to its playground
//! other files that are linked source/PATH.html         pictures as they are
//! target/reproduction         reproduced               if it is there; --with-reproduce makes it
//! crates/holonomy-host/assets/playground.html   play.html   if it is there
//! ```
//! Every link and every anchor of these pages is checked: a broken one fails the command.
mod layout;
mod links;
mod render;

use crate::{Outcome, documents, gate, read, root, shell};
use layout::{Group, Site};
use render::{Rendered, Target};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

const STYLE: &str = include_str!("site/style.css");
/// Where `holonomy reproduce` writes for the site.
const REPRODUCTION: &str = "target/reproduction";
const PLAYGROUND: &str = "crates/holonomy-host/assets/playground.html";

/// A page of the site.
struct SitePage {
    /// Its place, from the site's folder.
    target: String,
    title: String,
    rendered: Rendered,
}

/// A folder of `scenarios`.
struct Scenario {
    name: String,
    title: String,
    summary: String,
    space: String,
    model: String,
}

/// Builds the site, and checks it.
pub(crate) fn run(options: &[&str]) -> Outcome {
    match options {
        [] => {}
        ["--with-reproduce"] => reproduce()?,
        _ => return Err("usage: cargo xtask site [--with-reproduce]".to_owned()),
    }
    let folder = root().join("target/site");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let playground = root().join(PLAYGROUND);
    let reproduced = root().join(REPRODUCTION);
    let (plays, reproduces) = (playground.exists(), reproduced.join("index.html").exists());
    if plays {
        copy(&playground, &folder.join("play.html"))?;
    } else {
        println!("   there is no `{PLAYGROUND}`: the site has no playground, and no links to it");
    }
    if reproduces {
        copy_folder(&reproduced, &folder.join("reproduced"))?;
    } else {
        println!(
            "   there is no `{REPRODUCTION}`: the site has no reproduced pages; --with-reproduce makes them"
        );
    }

    let scenarios = scenarios()?;
    let mut documents = documents::all()?;
    let mut problems = Vec::new();
    // Files that are linked and are no documents: they become pages when all links are known.
    let mut linked: BTreeMap<PathBuf, String> = BTreeMap::new();
    let mut pages: Vec<SitePage> = Vec::new();
    // Documents elsewhere are found by their links.
    while let Some(path) = documents.get(pages.len()).cloned() {
        let path = &path;
        let target = place(path);
        let text = read(&root().join(path))?;
        let mut lead = |link: &str| lead(path, link, &target, &mut linked);
        let scenario = scenarios
            .iter()
            .find(|scenario| *path == scenario_readme(&scenario.name));
        let (title, rendered) = match scenario {
            Some(scenario) => {
                let text = scenario.page(&text);
                (scenario.title.clone(), render::markdown(&text, &mut lead))
            }
            None => {
                let rendered = render::markdown(&text, &mut lead);
                (rendered.title.clone().unwrap_or_else(|| target.clone()), rendered)
            }
        };
        let wrong = rendered.problems.iter();
        problems.extend(wrong.map(|problem| format!("{}: {problem}", path.display())));
        pages.push(SitePage {
            target,
            title,
            rendered,
        });
        let more = linked.extract_if(.., |path, _| path.extension().is_some_and(|end| end == "md"));
        for (path, _) in more {
            if !documents.contains(&path) {
                documents.push(path);
            }
        }
    }
    pages.push(index_of(&scenarios, plays));
    for (path, target) in &linked {
        let whole = root().join(path);
        if is_picture(path) {
            copy(&whole, &folder.join(target))?;
            continue;
        }
        pages.push(SitePage {
            target: target.clone(),
            title: path.display().to_string(),
            rendered: render::source(&path.display().to_string(), &read(&whole)?),
        });
    }

    let site = Site {
        groups: groups(&documents, &pages),
        plays,
        reproduces,
    };
    let mut made = BTreeMap::new();
    for page in &pages {
        let scenario = scenarios
            .iter()
            .find(|scenario| page.target == scenario_page(&scenario.name));
        let html = site.page(page, scenario.map(|scenario| scenario.name.as_str()));
        store(&folder.join(&page.target), &html)?;
        made.insert(page.target.clone(), html);
    }
    store(&folder.join("style.css"), STYLE)?;
    let names: Vec<&str> = scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    let (checked, broken) = links::check(&folder, &made, &names)?;
    problems.extend(broken);
    if !problems.is_empty() {
        return Err(problems.join("\n"));
    }
    println!("   {} pages, {checked} links lead somewhere", made.len());
    println!("   {}", folder.join("index.html").display());
    Ok(())
}

/// The gate's stage.
pub(crate) fn check() -> Outcome {
    run(&[])
}

/// The pages of `holonomy reproduce`. What the folder holds already is not computed again.
fn reproduce() -> Outcome {
    gate::build()?;
    let mut command = Command::new(shell::binary()?);
    command
        .args(["reproduce", "--out"])
        .arg(root().join(REPRODUCTION));
    gate::finish(&mut command)
}

fn scenario_readme(name: &str) -> PathBuf {
    Path::new("scenarios").join(name).join("README.md")
}

fn scenario_page(name: &str) -> String {
    format!("scenarios/{name}.html")
}

/// Where a document is in the site.
fn place(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    if text == "README.md" {
        return "index.html".to_owned();
    }
    if let Some(name) = text
        .strip_prefix("scenarios/")
        .and_then(|rest| rest.strip_suffix("/README.md"))
    {
        return scenario_page(name);
    }
    let stem = text.strip_suffix(".md").unwrap_or(&text);
    match stem.strip_prefix("docs/") {
        Some(rest) => format!("{rest}.html"),
        None => format!("{}.html", stem.to_lowercase()),
    }
}

fn is_picture(path: &Path) -> bool {
    path.extension()
        .is_some_and(|end| ["svg", "png", "jpg", "gif"].iter().any(|known| end == *known))
}

/// What becomes of a link in a document.
fn lead(from: &Path, link: &str, page: &str, linked: &mut BTreeMap<PathBuf, String>) -> Target {
    if link.contains("://") || link.starts_with("mailto:") || link.starts_with('#') {
        return Target::Kept;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let folder = from.parent().unwrap_or(Path::new(""));
    let path = links::normal(&folder.join(file));
    let whole = root().join(&path);
    let target = match () {
        () if !whole.exists() => return Target::Broken,
        () if path == Path::new("scenarios") => "scenarios/index.html".to_owned(),
        () if whole.is_dir() => return Target::Broken,
        () if path.extension().is_some_and(|end| end == "md") => {
            let target = place(&path);
            linked.insert(path, target.clone());
            target
        }
        () => {
            let text = path.to_string_lossy().replace('\\', "/");
            let target = match is_picture(&path) {
                true => format!("source/{text}"),
                false => format!("source/{text}.html"),
            };
            linked.entry(path).or_insert(target).clone()
        }
    };
    let hash = if anchor.is_empty() { "" } else { "#" };
    Target::Changed(format!("{}{target}{hash}{anchor}", layout::to_top(page)))
}

/// All scenarios, in the order of their names.
fn scenarios() -> Result<Vec<Scenario>, String> {
    let folder = root().join("scenarios");
    let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.path().join("model.toml").exists())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let each = names.into_iter().map(|name| {
        let model = read(&folder.join(&name).join("model.toml"))?;
        let text = read(&folder.join(&name).join("README.md"))?;
        let value = |key: &str| {
            let lines = model.lines().take_while(|line| !line.starts_with('['));
            let line = lines.filter_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='));
            line.map(|value| value.trim().trim_matches('"').to_owned()).next()
        };
        Ok(Scenario {
            title: value("title").unwrap_or_else(|| name.clone()),
            space: value("space").unwrap_or_else(|| "spheres".to_owned()),
            summary: text.lines().next().unwrap_or_default().to_owned(),
            name,
            model,
        })
    });
    each.collect()
}

impl Scenario {
    /// Its document: a title above its text, its command and its model below.
    fn page(&self, text: &str) -> String {
        format!(
            "# {}\n\n{text}\n\n## Run it\n\n```sh\ncargo holonomy run {}\n```\n\n## The model\n\n```toml\n{}\n```\n",
            self.title,
            self.name,
            self.model.trim_end()
        )
    }
}

/// The page that lists the scenarios, by family.
fn index_of(scenarios: &[Scenario], plays: bool) -> SitePage {
    let families = [
        ("spheres", "Directions on spheres"),
        ("lagrangian", "Generalized coordinates"),
        ("tree", "Trees of rigid bodies"),
    ];
    let mut text =
        "# Scenarios\n\nModels that the command has built in: `cargo holonomy run NAME`.\n".to_owned();
    for (space, heading) in families {
        text += &format!("\n## {heading}\n\n");
        for scenario in scenarios.iter().filter(|scenario| scenario.space == space) {
            let Scenario {
                name, title, summary, ..
            } = scenario;
            let play = match plays {
                true => format!(" [Play](../play.html#scenario={name})"),
                false => String::new(),
            };
            text += &format!("- **[{title}]({name}.html)** `{name}`: {summary}{play}\n");
        }
    }
    let rendered = render::markdown(&text, &mut |_| Target::Kept);
    SitePage {
        target: "scenarios/index.html".to_owned(),
        title: "Scenarios".to_owned(),
        rendered,
    }
}

/// The groups of the navigation: documents in the order in which they read best; what is not listed comes last.
fn groups(documents: &[PathBuf], pages: &[SitePage]) -> Vec<Group> {
    const ORDER: &[(&str, &str, &[&str])] = &[
        (
            "Guide",
            "docs/guide",
            &[
                "getting-started",
                "models",
                "formulas",
                "trees",
                "potentials",
                "import",
                "methods",
                "certificate",
                "long-runs",
                "sweeps",
                "commands",
                "troubleshooting",
                "reference",
            ],
        ),
        (
            "Theory",
            "docs/theory",
            &["spheres", "lagrangian", "hamel", "trees", "conventional"],
        ),
        (
            "Reference",
            "docs",
            &["methods", "benchmarks", "errata", "reading", "notation"],
        ),
        ("Project", "", &["CHANGELOG", "ARCHITECTURE", "CONTRIBUTING"]),
    ];
    let group = |(title, folder, order): &(&'static str, &str, &[&str])| {
        let rank = |path: &PathBuf| {
            let stem = path.file_stem().unwrap_or_default();
            order.iter().position(|name| stem == *name).unwrap_or(order.len())
        };
        let mut list: Vec<&PathBuf> = documents
            .iter()
            .filter(|path| path.parent() == Some(Path::new(folder)) && **path != Path::new("README.md"))
            .collect();
        list.sort_by_key(|path| rank(path));
        let entry = |path: &&PathBuf| {
            let page = pages.iter().find(|page| page.target == place(path))?;
            Some((page.target.clone(), page.title.clone()))
        };
        Group {
            title,
            pages: list.iter().filter_map(entry).collect(),
        }
    };
    ORDER.iter().map(group).collect()
}

fn store(path: &Path, text: &str) -> Outcome {
    make_room(path)?;
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

fn copy(from: &Path, to: &Path) -> Outcome {
    make_room(to)?;
    fs::copy(from, to)
        .map(|_| ())
        .map_err(|e| format!("{}: {e}", from.display()))
}

fn copy_folder(from: &Path, to: &Path) -> Outcome {
    let entries = fs::read_dir(from).map_err(|e| format!("{}: {e}", from.display()))?;
    for entry in entries {
        let entry = entry.map_err(|e| format!("{}: {e}", from.display()))?;
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_folder(&entry.path(), &to)?,
            false => copy(&entry.path(), &to)?,
        }
    }
    Ok(())
}

fn make_room(path: &Path) -> Outcome {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))
}
