//! Whether links and anchors of pages lead somewhere.
use crate::read;
use std::{
    collections::{BTreeMap, HashSet},
    path::{Component, Path, PathBuf},
};

/// How many links there are in the pages, and those that lead nowhere. Links to the playground name a scenario.
pub(super) fn check(
    folder: &Path,
    pages: &BTreeMap<String, String>,
    scenarios: &[&str],
) -> Result<(usize, Vec<String>), String> {
    let mut ids: BTreeMap<PathBuf, HashSet<String>> = BTreeMap::new();
    for (page, html) in pages {
        ids.insert(PathBuf::from(page), attributes(html, "id"));
    }
    let (mut count, mut broken) = (0, Vec::new());
    for (page, html) in pages {
        let links = ["href", "src"]
            .into_iter()
            .flat_map(|name| attributes(html, name));
        for link in links.filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
            count += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let here = Path::new(page);
            let target = match file {
                "" => here.to_owned(),
                file => normal(&here.parent().unwrap_or(Path::new("")).join(file)),
            };
            let anchor = decoded(anchor);
            let found = match () {
                () if target == Path::new("play.html") => {
                    let scenario = anchor.strip_prefix("scenario=");
                    folder.join(&target).exists()
                        && (anchor.is_empty() || scenario.is_some_and(|name| scenarios.contains(&name)))
                }
                () if anchor.is_empty() => folder.join(&target).is_file(),
                () => {
                    if !ids.contains_key(&target) && folder.join(&target).is_file() {
                        ids.insert(target.clone(), attributes(&read(&folder.join(&target))?, "id"));
                    }
                    ids.get(&target).is_some_and(|ids| ids.contains(&anchor))
                }
            };
            if !found {
                broken.push(format!("{page}: the link `{link}` leads nowhere"));
            }
        }
    }
    Ok((count, broken))
}

/// A path without `.` and `..`.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// The values of an attribute in a page. In text, quotes are escaped.
fn attributes(html: &str, name: &str) -> HashSet<String> {
    let start = format!(" {name}=\"");
    let parts = html.split(&start).skip(1);
    let values = parts.filter_map(|part| Some(part.split_once('"')?.0));
    values.map(|value| value.replace("&amp;", "&")).collect()
}

/// An anchor as its heading spells it: `%E2%82%80` is `₀`.
fn decoded(anchor: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), anchor.as_bytes());
    while let Some((first, others)) = rest.split_first() {
        let hex = others.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &others[2..];
            }
            _ => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_links_and_anchors_are_found() {
        let page = |text: &str| text.to_owned();
        let pages = BTreeMap::from([
            (
                "a/b.html".to_owned(),
                page(
                    "<h1 id=\"x₀\"></h1><a href=\"#x%E2%82%80\"></a><a href=\"#y\"></a><a href=\"../c.html#z\"></a>\
                     <a href=\"../c.html#w\"></a><a href=\"no.html\"></a><img src=\"no.svg\"><a href=\"https://x.y\"></a>\
                     <a href=\"../play.html#scenario=kepler\"></a>",
                ),
            ),
            ("c.html".to_owned(), page("<p id=\"z\"></p>")),
        ]);
        let nowhere = Path::new("/nonexistent");
        let (count, mut broken) = check(nowhere, &pages, &["kepler"]).expect("a check");
        broken.sort();
        assert_eq!(count, 7);
        let wrong = [
            "#y",
            "../c.html#w",
            "../play.html#scenario=kepler",
            "no.html",
            "no.svg",
        ];
        let expected = wrong.map(|link| format!("a/b.html: the link `{link}` leads nowhere"));
        assert_eq!(broken, expected);
    }
}
