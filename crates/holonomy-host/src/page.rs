//! Pages: one self-contained HTML file each, with its style and its figures in it. No network, no scripts.
//!
//! A page is written from top to bottom; every text is escaped, every figure is an SVG that [`crate::figure`] made.
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A page under construction.
pub struct Page {
    title: String,
    body: String,
    figures: usize,
    in_section: bool,
}

/// How something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it should be.
    Good,
    /// To be looked at.
    Doubtful,
    /// Not as it should be.
    Bad,
    /// Neither: nothing was promised, or nothing could be measured.
    Neutral,
}

impl Verdict {
    fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Doubtful => "doubtful",
            Self::Bad => "bad",
            Self::Neutral => "neutral",
        }
    }

    /// A sign that differs in shape too.
    fn sign(self) -> &'static str {
        match self {
            Self::Good => "✓",
            Self::Doubtful => "!",
            Self::Bad => "✗",
            Self::Neutral => "–",
        }
    }
}

/// What stands in a cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A number, set to the right.
    Number(String),
    /// Words in the type of programs.
    Code(String),
    /// A verdict in a word or two.
    Verdict(Verdict, String),
    /// Words that lead to a part of this page or to a file beside it.
    Link {
        /// The words.
        text: String,
        /// `#part` or a relative path.
        to: String,
    },
}

impl Cell {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A number, already written.
    pub fn number(text: impl Into<String>) -> Self {
        Self::Number(text.into())
    }

    fn html(&self) -> String {
        match self {
            Self::Text(text) => format!("<td>{}</td>", escape(text)),
            Self::Number(text) => format!("<td class=\"number\">{}</td>", escape(text)),
            Self::Code(text) => format!("<td><code>{}</code></td>", escape(text)),
            Self::Verdict(verdict, text) => format!("<td>{}</td>", badge(*verdict, text)),
            Self::Link { text, to } => {
                format!("<td><a href=\"{}\">{}</a></td>", escape(to), escape(text))
            }
        }
    }
}

impl Page {
    /// A page with its title, and a line under it.
    pub fn new(title: &str, subtitle: &str) -> Self {
        let mut page = Self {
            title: title.to_owned(),
            body: String::new(),
            figures: 0,
            in_section: false,
        };
        let subtitle = match subtitle {
            "" => String::new(),
            text => format!("\n<p class=\"subtitle\">{}</p>", escape(text)),
        };
        page.add(&format!(
            "<header>\n<h1>{}</h1>{subtitle}\n</header>",
            escape(title)
        ));
        page
    }

    fn add(&mut self, html: &str) {
        self.body.push_str(html);
        self.body.push('\n');
    }

    /// Begins a part; `id` is what links lead to.
    pub fn section(&mut self, id: &str, heading: &str) {
        if std::mem::replace(&mut self.in_section, true) {
            self.add("</section>");
        }
        self.add(&format!(
            "<section id=\"{}\">\n<h2>{}</h2>",
            escape(id),
            escape(heading)
        ));
    }

    /// A heading within a part.
    pub fn heading(&mut self, heading: &str) {
        self.add(&format!("<h3>{}</h3>", escape(heading)));
    }

    /// A paragraph; text between back-quotes is set as code.
    pub fn paragraph(&mut self, text: &str) {
        self.add(&format!("<p>{}</p>", with_code(text)));
    }

    /// A sentence that must not be missed, with what it says of the whole.
    pub fn conclusion(&mut self, verdict: Verdict, text: &str) {
        self.add(&format!(
            "<p class=\"conclusion {}\"><span class=\"sign\" aria-hidden=\"true\">{}</span> {}</p>",
            verdict.class(),
            verdict.sign(),
            with_code(text)
        ));
    }

    /// Text as it is, such as a model or a command.
    pub fn code(&mut self, text: &str) {
        self.add(&format!(
            "<pre tabindex=\"0\"><code>{}</code></pre>",
            escape(text)
        ));
    }

    /// A table; columns of numbers have their heads to the right as well.
    pub fn table(&mut self, head: &[&str], rows: &[Vec<Cell>]) {
        let right = |k: usize| rows.iter().any(|row| matches!(row.get(k), Some(Cell::Number(_))));
        let head: String = head
            .iter()
            .enumerate()
            .map(|(k, name)| {
                let class = if right(k) { " class=\"number\"" } else { "" };
                format!("<th scope=\"col\"{class}>{}</th>", escape(name))
            })
            .collect();
        let mut table = format!("<div class=\"table\">\n<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n");
        for row in rows {
            let cells: String = row.iter().map(Cell::html).collect();
            let _ = writeln!(table, "<tr>{cells}</tr>");
        }
        table.push_str("</tbody>\n</table>\n</div>");
        self.add(&table);
    }

    /// A figure with a caption.
    pub fn figure(&mut self, svg: &str, caption: &str) {
        let figure = self.placed(svg, caption);
        self.add(&figure);
    }

    /// Figures beside each other, as many as there is room for.
    pub fn figures(&mut self, figures: &[(&str, &str)]) {
        let placed: Vec<String> = figures
            .iter()
            .map(|(svg, caption)| self.placed(svg, caption))
            .collect();
        self.add(&format!(
            "<div class=\"side-by-side\">\n{}\n</div>",
            placed.join("\n")
        ));
    }

    /// Text that is folded away until it is asked for.
    pub fn folded_code(&mut self, summary: &str, text: &str) {
        self.add(&format!(
            "<details>\n<summary>{}</summary>\n<pre tabindex=\"0\"><code>{}</code></pre>\n</details>",
            escape(summary),
            escape(text)
        ));
    }

    /// The figure as a part of the page: what it defines gets names of its own.
    fn placed(&mut self, svg: &str, caption: &str) -> String {
        self.figures += 1;
        let number = self.figures;
        let from = svg.find("<svg").unwrap_or(0);
        let svg = svg[from..]
            .trim_end()
            .replace("id=\"", &format!("id=\"figure-{number}-"))
            .replace("url(#", &format!("url(#figure-{number}-"));
        let caption = match caption {
            "" => String::new(),
            text => format!("\n<figcaption>{}</figcaption>", with_code(text)),
        };
        format!("<figure>\n{svg}{caption}\n</figure>")
    }

    /// The whole page.
    pub fn finish(mut self) -> String {
        if self.in_section {
            self.add("</section>");
        }
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{}</main>\n\
             <footer><p>Made by holonomy {}.</p></footer>\n</body>\n</html>\n",
            escape(&self.title),
            self.body,
            env!("CARGO_PKG_VERSION")
        )
    }
}

const STYLE: &str = include_str!("page.css");

fn badge(verdict: Verdict, text: &str) -> String {
    format!(
        "<span class=\"verdict {}\"><span class=\"sign\" aria-hidden=\"true\">{}</span> {}</span>",
        verdict.class(),
        verdict.sign(),
        escape(text)
    )
}

/// Text that means itself in HTML.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(letter),
            control if control.is_control() => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

/// Escaped text in which what stands between back-quotes is code.
fn with_code(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let paired = parts.len() % 2 == 1;
    let mut out = String::new();
    for (k, part) in parts.iter().enumerate() {
        match (k % 2 == 1, paired) {
            (true, true) => {
                let _ = write!(out, "<code>{}</code>", escape(part));
            }
            (_, true) => out.push_str(&escape(part)),
            (_, false) => {
                out.push_str(if k > 0 { "`" } else { "" });
                out.push_str(&escape(part));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_said_is_text() {
        let mut page = Page::new("<b> & \"c\"", "");
        page.section("a", "x < y");
        page.paragraph("run `a < b` & see, an odd ` stays");
        page.table(&["k"], &[vec![Cell::text("<i>")], vec![Cell::number("1")]]);
        page.code("</code></pre><script>");
        let html = page.finish();
        assert!(!html.contains("<script>") && !html.contains("<i>"));
        assert!(html.contains("<h1>&lt;b&gt; &amp; &quot;c&quot;</h1>"));
        assert_eq!(with_code("a `b<` c"), "a <code>b&lt;</code> c");
        assert_eq!(with_code("a ` c"), "a ` c");
    }

    #[test]
    fn figures_keep_their_definitions_apart() {
        let ball = "<?xml version=\"1.0\"?>\n<svg><circle id=\"ball\"/><path fill=\"url(#ball)\"/></svg>\n";
        let mut page = Page::new("t", "s");
        page.figures(&[(ball, "one"), (ball, "two")]);
        let html = page.finish();
        assert!(!html.contains("<?xml"));
        for k in 1..=2 {
            assert_eq!(html.matches(&format!("id=\"figure-{k}-ball\"")).count(), 1);
            assert_eq!(html.matches(&format!("url(#figure-{k}-ball)")).count(), 1);
        }
    }
}
