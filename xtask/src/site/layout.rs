//! The template of all pages: navigation beside or above the text, and what is on the page.
use super::{SitePage, render::escaped};
use std::fmt::Write;

/// Pages under one heading of the navigation: their places and titles.
pub(super) struct Group {
    pub(super) title: &'static str,
    pub(super) pages: Vec<(String, String)>,
}

/// What is common to all pages.
pub(super) struct Site {
    pub(super) groups: Vec<Group>,
    /// Whether there is a playground.
    pub(super) plays: bool,
    /// Whether there are reproduced pages.
    pub(super) reproduces: bool,
}

/// The way from a page to the site's folder.
pub(super) fn to_top(page: &str) -> String {
    "../".repeat(page.matches('/').count())
}

impl Site {
    /// A whole page; that of a scenario has a link to its playground.
    pub(super) fn page(&self, page: &SitePage, scenario: Option<&str>) -> String {
        let up = to_top(&page.target);
        let navigation = self.navigation(&page.target, &up);
        let title = match page.target.as_str() {
            "index.html" => "holonomy".to_owned(),
            _ => format!("{} · holonomy", escaped(&page.title)),
        };
        let body = match scenario.filter(|_| self.plays) {
            Some(name) => {
                let play = format!(
                    "<p><a class=\"play\" href=\"{up}play.html#scenario={name}\">▶ Open in the playground</a></p>"
                );
                after_title(&page.rendered.html, &play)
            }
            None => page.rendered.html.clone(),
        };
        let mut contents = String::new();
        if page.rendered.sections.len() > 2 {
            contents += "<nav class=\"contents\" aria-label=\"On this page\">\n<h2>On this page</h2>\n<ul>\n";
            for (id, text) in &page.rendered.sections {
                let _ = writeln!(
                    contents,
                    "<li><a href=\"#{}\">{}</a></li>",
                    escaped(id),
                    escaped(text)
                );
            }
            contents += "</ul>\n</nav>\n";
        }
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self'\">\n\
             <title>{title}</title>\n<link rel=\"stylesheet\" href=\"{up}style.css\">\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#content\">Skip to the text</a>\n\
             <header>\n<a class=\"name\" href=\"{up}index.html\">holonomy</a>\n\
             <details class=\"menu\">\n<summary>Menu</summary>\n<nav aria-label=\"Menu\">\n{navigation}</nav>\n</details>\n</header>\n\
             <div class=\"columns\">\n<nav class=\"side\" aria-label=\"Pages\">\n{navigation}</nav>\n\
             <main id=\"content\">\n{body}</main>\n{contents}</div>\n</body>\n</html>\n"
        )
    }

    /// Links to all pages but scenarios, which have a page of their own.
    fn navigation(&self, here: &str, up: &str) -> String {
        let mut out = String::from("<ul class=\"top\">\n");
        let entry = |target: &str, title: &str| {
            let within = target == "scenarios/index.html" && here.starts_with("scenarios/");
            let current = match (target == here, within) {
                (true, _) => " aria-current=\"page\"",
                (_, true) => " aria-current=\"true\"",
                _ => "",
            };
            format!(
                "<li><a href=\"{up}{target}\"{current}>{}</a></li>\n",
                escaped(title)
            )
        };
        out += &entry("index.html", "Overview");
        if self.plays {
            out += &entry("play.html", "Playground");
        }
        out += &entry("scenarios/index.html", "Scenarios");
        if self.reproduces {
            out += &entry("reproduced/index.html", "Reproduced results");
        }
        out += "</ul>\n";
        for group in &self.groups {
            let _ = write!(out, "<h2>{}</h2>\n<ul>\n", group.title);
            for (target, title) in &group.pages {
                out += &entry(target, title);
            }
            out += "</ul>\n";
        }
        out
    }
}

/// Puts something below the title of a page.
fn after_title(html: &str, inserted: &str) -> String {
    match html.split_once("</h1>") {
        Some((title, rest)) => format!("{title}</h1>\n{inserted}{rest}"),
        None => format!("{inserted}{html}"),
    }
}
