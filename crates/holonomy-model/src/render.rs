use super::{Problem, Severity, Source};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// Problems as text for people: what, where with line and column, the place underlined, what to do.
///
/// At most `most` of them are written out; a last line counts the rest.
pub fn render(source: &Source, problems: &[Problem], colour: bool, most: usize) -> String {
    let renderer = if colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut text = String::new();
    for problem in problems.iter().take(most) {
        let place = source.locate(problem.span.clone());
        let level = match problem.severity {
            Severity::Error => Level::ERROR,
            Severity::Note => Level::NOTE,
        };
        let title = level.primary_title(problem.message.as_str());
        // A problem with the model as a whole has no place worth showing.
        let mut group = if problem.span.is_empty() && problem.span.start == 0 {
            title.element(annotate_snippets::Origin::path(place.origin))
        } else {
            let annotation = AnnotationKind::Primary.span(place.local.clone());
            title.element(
                Snippet::source(place.text)
                    .path(place.origin)
                    .annotation(annotation),
            )
        };
        if let Some(help) = &problem.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        text.push_str(&renderer.render(&[group]));
        text.push_str("\n\n");
    }
    if let Some(rest) = problems.len().checked_sub(most).filter(|rest| *rest > 0) {
        text.push_str(&format!("… and {rest} more\n"));
    }
    text
}
