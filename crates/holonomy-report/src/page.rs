//! Pages: one self-contained HTML file each, with its style and its figures in it, and where something moves the player
//! and its film. A policy in its head forbids the browser everything else: no network, and no script but the player.
//!
//! A page is written from top to bottom; every text is escaped, every figure is an SVG that [`crate::figure`] made.
use crate::verdict::Verdict;
use std::fmt::Write;

/// A page under construction.
pub struct Page {
    title: String,
    body: String,
    figures: usize,
    in_section: bool,
    /// Whether there is a player, and a script of the page's own.
    moving: bool,
    live: Option<String>,
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
            moving: false,
            live: None,
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
            verdict.name(),
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

    /// The same with a name, by which [`Page::player`] finds it.
    pub fn named_figure(&mut self, name: &str, svg: &str, caption: &str) {
        let figure = self.placed(svg, caption);
        let named = format!("<svg id=\"{}\"", escape(&figure_id(name)));
        self.add(&figure.replacen("<svg", &named, 1));
    }

    /// The player of a film (see [`crate::film`]), once on a page. Without scripts, and in print, it is a still picture:
    /// a figure of this page, given with its name.
    pub fn player(&mut self, film: &str, still: Option<(&str, &str)>, caption: &str) {
        self.moving = true;
        let still = still.map_or_else(String::new, |(name, svg)| {
            let view = svg.split_once("viewBox=\"").and_then(|(_, rest)| rest.split_once('"'));
            let view = view.map_or("", |(view, _)| view);
            let id = escape(&figure_id(name));
            format!(
                "<svg viewBox=\"{view}\" role=\"img\" aria-label=\"a still picture\"><use href=\"#{id}\"/></svg>\n"
            )
        });
        self.add(&format!(
            "<figure id=\"player\" class=\"player\">\n{still}<figcaption>{}</figcaption>\n</figure>\n\
             <script type=\"application/json\" id=\"film\">{}</script>",
            with_code(caption),
            // Only texts have this letter, and none of them may end the element.
            film.replace('<', "\\u003c")
        ));
    }

    /// A script of the page's own, which may ask the place that the page came from: for a run that goes on.
    pub fn live(&mut self, script: &str) {
        self.live = Some(script.replace("</", "<\\/"));
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
        let scripts = match (self.moving, &self.live) {
            (_, Some(_)) => "script-src 'unsafe-inline' blob:; connect-src 'self'; ".to_owned(),
            (true, None) => format!("script-src '{LOADER_HASH}' blob:; "),
            (false, None) => String::new(),
        };
        let mut player = match self.moving {
            true => format!(
                "<script type=\"text/plain\" id=\"player-code\">{PLAYER}</script>\n<script>{LOADER}</script>\n"
            ),
            false => String::new(),
        };
        if let Some(script) = &self.live {
            player += &format!("<script>{script}</script>\n");
        }
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; {scripts}style-src \
             'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{}</main>\n\
             <footer><p>Made by holonomy {}.</p></footer>\n{player}</body>\n</html>\n",
            escape(&self.title),
            self.body,
            env!("CARGO_PKG_VERSION")
        )
    }
}

const STYLE: &str = include_str!("page.css");
/// The player, built from `web/` and packed by the build script.
const PLAYER: &str = include_str!(concat!(env!("OUT_DIR"), "/player.txt"));
/// What unpacks and starts it, and the SHA-256 of that, which the policy of a page names:
/// `openssl dgst -sha256 -binary page_loader.js | base64`. A browser refuses the one without the other.
const LOADER: &str = include_str!("page_loader.js");
const LOADER_HASH: &str = "sha256-ZEZGfZpjMGCEb8JvnsZUwyonm5632e8nd7srYNYQeyg=";

fn figure_id(name: &str) -> String {
    format!("figure-{name}")
}

fn badge(verdict: Verdict, text: &str) -> String {
    format!(
        "<span class=\"verdict {}\"><span class=\"sign\" aria-hidden=\"true\">{}</span> {}</span>",
        verdict.name(),
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
    fn a_page_that_moves_has_one_script_and_the_others_have_none() {
        let svg = "<svg viewBox=\"0 0 9 5\"><path id=\"a\"/></svg>";
        let page = |moving: bool| {
            let mut page = Page::new("t", "s");
            if moving {
                page.player("{\"name\":\"</script><b>\"}", Some(("energy", svg)), "it `moves`");
            }
            page.named_figure("energy", svg, "");
            page.finish()
        };
        let (still, moving) = (page(false), page(true));
        assert!(!still.contains("<script") && still.contains("default-src 'none'; style-src"));
        assert!(!moving.contains("<b>") && moving.contains("{\"name\":\"\\u003c/script>\\u003cb>\"}"));
        // The film, the packed player and the loader.
        assert_eq!(moving.matches("<script").count(), 3);
        assert_eq!(moving.matches("</script>").count(), 3);
        assert!(!LOADER.contains("</") && moving.contains(&format!("<script>{LOADER}</script>")));
        assert!(moving.contains("<svg viewBox=\"0 0 9 5\" role=\"img\" aria-label"));
        assert!(
            moving.contains("href=\"#figure-energy\"")
                && moving.contains("<svg id=\"figure-energy\" viewBox")
        );
        assert!(moving.contains("id=\"figure-1-a\""));
    }

    #[test]
    fn letters_of_figures_have_twelve_pixels_on_a_phone() {
        let phone = STYLE.split_once("max-width: 40rem").expect("a rule for phones").1;
        let (_, rule) = phone.split_once("> svg { width: ").expect("a width of figures");
        let width: f64 = rule
            .split_once("px")
            .and_then(|(px, _)| px.parse().ok())
            .expect("pixels");
        let chart = crate::figure::Chart {
            title: "t".into(),
            x: crate::figure::Axis::time(),
            y: crate::figure::Axis::log("y"),
            series: (1..4)
                .map(|k| crate::figure::Curve {
                    name: format!("curve {k}"),
                    points: vec![(0.0, 1e-16), (1.0, f64::from(k))],
                    style: crate::figure::CurveStyle::Line,
                })
                .collect(),
            guides: vec![],
        };
        let svg = chart.render();
        let number = |from: &str| -> f64 {
            let end = from
                .find(|c: char| !(c.is_ascii_digit() || c == '.'))
                .unwrap_or(from.len());
            from[..end].parse().expect("a number")
        };
        let (_, natural) = svg.split_once(" width=\"").expect("a width");
        let sizes = svg.split("font-size=\"").skip(1).map(number);
        let smallest = sizes.fold(f64::MAX, f64::min);
        assert!(
            smallest * width / number(natural) >= 12.0,
            "{smallest} of {}",
            number(natural)
        );
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
