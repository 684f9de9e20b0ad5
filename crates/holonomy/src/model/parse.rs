use toml::de::DeTable;

use super::overrides;
use super::problem::Problems;
use super::reader::Section;
use super::resolved;
use super::source::Source;

pub(super) mod nesting;
mod syntax;

#[cfg(test)]
mod fuzz;

/// A model as a table of values, with all overrides merged into it; nothing in it has been checked yet.
#[derive(Debug)]
pub struct Document<'a> {
    table: DeTable<'a>,
}

/// Parses the text of a model and merges the overrides into it.
///
/// Gives `None` if the text is not TOML. A wrong override is reported and left out, so that the rest can still be
/// checked: ask [`Problems::has_errors`] before using what was read.
pub fn parse<'a>(source: &'a Source, problems: &Problems) -> Option<Document<'a>> {
    let size = source.text().len();
    if size > LARGEST {
        let message = format!(
            "the model has {} MB, more than the {} MB allowed",
            size >> 20,
            LARGEST >> 20
        );
        return problems
            .error(0..0, message)
            .help("make many bodies by a `[chain]`")
            .none();
    }
    let (root, errors) = DeTable::parse_recoverable(source.text());
    let mut table = root.into_inner();
    if !errors.is_empty() {
        syntax::report(source.text(), &errors, problems);
        nesting::dismantle(table);
        return None;
    }
    if let Some(span) = nesting::too_deep(&table) {
        nesting::dismantle(table);
        return problems
            .error(span, "tables and arrays are nested too deeply")
            .none();
    }
    overrides::merge(&mut table, source, problems);
    Some(Document { table })
}

impl Document<'_> {
    /// The whole model, to be read.
    pub fn root<'d>(&'d self, problems: &'d Problems) -> Section<'d> {
        Section::new(&self.table, 0..0, String::new(), problems)
    }

    /// The model as TOML text that parses to the same values, headed by a comment.
    pub fn to_toml(&self, header: &str) -> String {
        resolved::write(&self.table, header)
    }
}

/// Longest text of a model, in bytes.
const LARGEST: usize = 64 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::problem::Problem;

    fn problems_of(text: &str) -> Vec<Problem> {
        let problems = Problems::new();
        let source = Source::new("test", text);
        let document = parse(&source, &problems);
        assert_eq!(document.is_none(), problems.has_errors(), "{text}");
        problems.into_sorted()
    }

    #[test]
    fn a_good_text_has_no_problems() {
        for text in [
            "",
            "# nothing",
            "a = 1\r\n[[body]]\nb = { c = 2 }\n",
            "\u{feff}a = 1",
        ] {
            assert_eq!(problems_of(text), [], "{text}");
        }
    }

    #[test]
    fn a_text_that_is_too_large_is_refused() {
        let problems = problems_of(&"#".repeat(LARGEST + 1));
        assert_eq!(
            problems[0].message,
            "the model has 64 MB, more than the 64 MB allowed"
        );
    }

    #[test]
    fn deep_nesting_is_refused_on_a_small_stack() {
        let dotted = vec!["a"; 79].join(".");
        let inline = |levels: usize| {
            format!(
                "{}1{}",
                format!("{{{dotted} = ").repeat(levels),
                "}".repeat(levels)
            )
        };
        let texts = [
            format!("x = {}{}", "[".repeat(1_000_000), "]".repeat(1_000_000)),
            format!("x = {}1{}", "{a=".repeat(100_000), "}".repeat(100_000)),
            format!("[{dotted}]\n{dotted} = {}", inline(75)),
            format!("[{dotted}]\n{dotted} = {} oops", inline(75)),
            format!("{}a = 1", "a.".repeat(100_000)),
            format!("x = {}1", "[".repeat(70)),
            format!("x = {}1{}", "[".repeat(70), "]".repeat(70)),
        ];
        let check = move || {
            texts
                .iter()
                .for_each(|text| assert!(!problems_of(text).is_empty()))
        };
        let thread = std::thread::Builder::new()
            .stack_size(1 << 20)
            .spawn(check)
            .expect("a thread");
        assert!(thread.join().is_ok());
    }

    #[test]
    fn all_syntax_errors_are_reported_at_once() {
        let problems = problems_of("a = rk4\nb = 1\nc = 9,81\nd = 2\nmass 1.0\n");
        let lines: Vec<usize> = problems.iter().map(|problem| problem.span.start).collect();
        assert_eq!(lines.len(), 3, "{problems:?}");
    }

    #[test]
    fn wrong_overrides_do_not_hide_the_model() {
        let mut source = Source::new("test", "a = 1");
        source.with_override("nonsense").with_override("b=2");
        let problems = Problems::new();
        let document = parse(&source, &problems).expect("a table");
        assert_eq!(document.table.len(), 2);
        assert!(problems.has_errors());
    }
}
