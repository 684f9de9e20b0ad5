//! Markdown to HTML: headings get anchors, code its language, tables room to scroll, formulas MathML.
use crate::markdown::anchor;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use pulldown_latex::{Storage, config::DisplayMode};
use std::collections::HashMap;

/// A document as HTML.
#[derive(Default)]
pub(super) struct Rendered {
    pub(super) html: String,
    /// Its first heading.
    pub(super) title: Option<String>,
    /// Anchors and texts of the headings of the second level.
    pub(super) sections: Vec<(String, String)>,
    /// What is wrong with it.
    pub(super) problems: Vec<String>,
}

/// What becomes of a link.
pub(super) enum Target {
    Kept,
    Changed(String),
    Broken,
}

/// A document in Markdown; `lead` is asked about every link.
pub(super) fn markdown(text: &str, lead: &mut dyn FnMut(&str) -> Target) -> Rendered {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_MATH;
    let mut out = Rendered::default();
    let mut anchors: HashMap<String, usize> = HashMap::new();
    let mut events: Vec<Event> = Vec::new();
    let mut source = Parser::new_ext(text, options);
    while let Some(event) = source.next() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let inner: Vec<Event> = source
                    .by_ref()
                    .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))))
                    .collect();
                let title = plain(&inner);
                let id = unique(anchor(&title), &mut anchors);
                match level {
                    HeadingLevel::H1 => out.title = out.title.or(Some(title)),
                    HeadingLevel::H2 => out.sections.push((id.clone(), title)),
                    _ => {}
                }
                events.push(Event::Html(format!("<{level} id=\"{}\">", escaped(&id)).into()));
                events.extend(inner.into_iter().map(|event| led(event, lead, &mut out.problems)));
                // A mark to link to, which the heading itself names.
                events.push(Event::Html(
                    format!(
                        " <a class=\"anchor\" href=\"#{}\" aria-label=\"Link to this section\">#</a></{level}>\n",
                        escaped(&id)
                    )
                    .into(),
                ));
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                let inner: Vec<Event> = source
                    .by_ref()
                    .take_while(|event| !matches!(event, Event::End(TagEnd::CodeBlock)))
                    .collect();
                let info = match &kind {
                    CodeBlockKind::Fenced(info) => info.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                events.push(Event::Html(code(&info, &plain(&inner)).into()));
            }
            Event::Start(Tag::Table(columns)) => {
                events.push(Event::Html("<div class=\"scroll\">".into()));
                events.push(Event::Start(Tag::Table(columns)));
            }
            Event::End(TagEnd::Table) => {
                events.push(Event::End(TagEnd::Table));
                events.push(Event::Html("</div>\n".into()));
            }
            Event::InlineMath(latex) => events.push(math(&latex, false, &mut out.problems)),
            Event::DisplayMath(latex) => events.push(math(&latex, true, &mut out.problems)),
            // Comments that tell who wrote a document.
            Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => {}
            Event::Html(text) if text.trim_start().starts_with("<!--") => {}
            other => events.push(led(other, lead, &mut out.problems)),
        }
    }
    html::push_html(&mut out.html, events.into_iter());
    out
}

/// A file that is no document, as it is.
pub(super) fn source(path: &str, text: &str) -> Rendered {
    let language = path.rsplit_once('.').map_or("", |(_, end)| end);
    Rendered {
        html: format!(
            "<h1><code>{}</code></h1>\n{}",
            escaped(path),
            code(language, text)
        ),
        ..Rendered::default()
    }
}

/// Text in HTML.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// The text of events, without marks.
fn plain(events: &[Event]) -> String {
    let text = events.iter().map(|event| match event {
        Event::Text(text) | Event::Code(text) | Event::InlineMath(text) => text,
        Event::SoftBreak | Event::HardBreak => " ",
        _ => "",
    });
    text.collect()
}

/// An anchor that no heading before has.
fn unique(id: String, known: &mut HashMap<String, usize>) -> String {
    let count = known.entry(id.clone()).or_insert(0);
    *count += 1;
    match *count {
        1 => id,
        again => format!("{id}-{}", again - 1),
    }
}

/// The event, with its link led to where it goes in the site.
fn led<'e>(event: Event<'e>, lead: &mut dyn FnMut(&str) -> Target, problems: &mut Vec<String>) -> Event<'e> {
    let mut change = |url: &mut CowStr<'e>| match lead(url) {
        Target::Kept => {}
        Target::Changed(other) => *url = other.into(),
        Target::Broken => problems.push(format!("the link `{url}` leads nowhere")),
    };
    match event {
        Event::Start(Tag::Link {
            link_type,
            mut dest_url,
            title,
            id,
        }) => {
            change(&mut dest_url);
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            })
        }
        Event::Start(Tag::Image {
            link_type,
            mut dest_url,
            title,
            id,
        }) => {
            change(&mut dest_url);
            Event::Start(Tag::Image {
                link_type,
                dest_url,
                title,
                id,
            })
        }
        other => other,
    }
}

/// A block of code: its file above it if it has one, and comments apart from the rest.
fn code(info: &str, text: &str) -> String {
    let mut words = info.split_whitespace();
    let language = words.next().unwrap_or_default();
    let file = words.find_map(|word| word.strip_prefix("file="));
    let caption = file.map_or_else(String::new, |file| {
        format!("<div class=\"file\">{}</div>", escaped(file))
    });
    let marks = matches!(language, "toml" | "sh");
    let mut body = String::new();
    for line in text.lines() {
        match comment(line).filter(|_| marks) {
            Some(at) => {
                body += &escaped(&line[..at]);
                body += &format!("<span class=\"comment\">{}</span>", escaped(&line[at..]));
            }
            None => body += &escaped(line),
        }
        body.push('\n');
    }
    // The first line break after <pre> is not part of it.
    format!("<div class=\"code\">{caption}<pre tabindex=\"0\"><code>{body}</code></pre></div>\n")
}

/// Where the comment of a line begins: at a `#` outside quotes, with nothing or a blank before it.
fn comment(line: &str) -> Option<usize> {
    let (mut quote, mut before) = (None, ' ');
    for (at, letter) in line.char_indices() {
        match (quote, letter) {
            (None, '#') if before.is_whitespace() => return Some(at),
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if letter == open => quote = None,
            _ => {}
        }
        before = letter;
    }
    None
}

/// A formula in LaTeX as MathML.
fn math(latex: &str, display: bool, problems: &mut Vec<String>) -> Event<'static> {
    let storage = Storage::new();
    let parser = pulldown_latex::Parser::new(latex, &storage);
    let parsed: Vec<_> = parser.collect();
    if let Some(Err(error)) = parsed.iter().find(|event| event.is_err()) {
        problems.push(format!("the formula `{latex}` cannot be read: {error}"));
    }
    let config = pulldown_latex::RenderConfig {
        display_mode: match display {
            true => DisplayMode::Block,
            false => DisplayMode::Inline,
        },
        ..pulldown_latex::RenderConfig::default()
    };
    let mut text = String::new();
    if pulldown_latex::push_mathml(&mut text, parsed.into_iter(), config).is_err() {
        problems.push(format!("the formula `{latex}` cannot be written"));
    }
    Event::InlineHtml(mended(&text).into())
}

/// With a blank between attributes, and relations escaped, where the library leaves that out.
fn mended(html: &str) -> String {
    let (mut out, mut quotes, mut before) = (String::new(), 0, ' ');
    let html = html.replace("><<", ">&lt;<").replace(">&<", ">&amp;<");
    for letter in html.chars() {
        if before == '"' && quotes % 2 == 0 && letter.is_ascii_alphabetic() {
            out.push(' ');
        }
        quotes += u32::from(letter == '"');
        out.push(letter);
        before = letter;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_anchors_and_links_are_led() {
        let text = "# A `b`\n\nsee [c](c.md) and [d](d.md).\n\n## E\n\n## E\n";
        let mut asked = Vec::new();
        let out = markdown(text, &mut |link| {
            asked.push(link.to_owned());
            match link {
                "c.md" => Target::Changed("c.html".to_owned()),
                _ => Target::Broken,
            }
        });
        assert_eq!(asked, ["c.md", "d.md"]);
        assert_eq!(out.problems, ["the link `d.md` leads nowhere"]);
        assert_eq!(out.title.as_deref(), Some("A b"));
        let sections: Vec<&str> = out.sections.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(sections, ["e", "e-1"]);
        assert!(out.html.contains("<h1 id=\"a-b\">") && out.html.contains("href=\"c.html\""));
    }

    #[test]
    fn comments_are_outside_quotes() {
        assert_eq!(comment("a = \"# no\" # yes"), Some(11));
        assert_eq!(comment("a#b"), None);
        assert_eq!(comment("# all"), Some(0));
    }

    #[test]
    fn attributes_are_apart() {
        assert_eq!(
            mended("<mo a=\"b\"c=\"d\" e=\"f\"><</mo>"),
            "<mo a=\"b\" c=\"d\" e=\"f\">&lt;</mo>"
        );
    }

    #[test]
    fn formulas_become_mathml_or_are_told() {
        let out = markdown("$x^2$ and $$\\frac12$$", &mut |_| Target::Kept);
        assert!(
            out.problems.is_empty() && out.html.matches("<math").count() == 2,
            "{}",
            out.html
        );
        let out = markdown("$\\nosuchcommand$", &mut |_| Target::Kept);
        assert_eq!(out.problems.len(), 1);
    }
}
