//! The pages: one per document, and an index.
use super::{Compared, Document, Finding, Item, ItemResult, Published};
use holonomy_host::folder::{Folder, FolderError, Replace};
use holonomy_report::{
    number::{digits, rough},
    page::{Cell, Page},
    verdict::Verdict,
};
use std::path::Path;

const FILES: &[&str] = &[
    "index.html",
    "000.html",
    "001.html",
    "002.html",
    "003.html",
    "beyond.html",
];

/// Writes the pages of what was found. Publications of which nothing was asked have no page.
pub(super) fn write(folder: &Path, found: &[(&'static Item, ItemResult)]) -> Result<(), FolderError> {
    let mut folder = Folder::open(folder, FILES, Replace::Any)?;
    for document in Document::ALL {
        let own = |(item, _): &&(&'static Item, ItemResult)| item.document == document;
        let own: Vec<_> = found.iter().filter(own).collect();
        let file = FILES
            .iter()
            .find(|file| file.trim_end_matches(".html") == document.name());
        if let (Some(file), false) = (file, own.is_empty()) {
            folder.add(file, &page(document, &own))?;
        }
    }
    folder.add("index.html", &index(found))?;
    folder.commit()
}

fn index(found: &[(&'static Item, ItemResult)]) -> String {
    let mut page = Page::new(
        "Four publications, computed again",
        "Published numbers beside ours, with what each of them says",
    );
    for document in Document::ALL {
        let own = found.iter().filter(|(item, _)| item.document == document);
        let rows: Vec<Vec<Cell>> = own.map(|(item, result)| row(item, result)).collect();
        if rows.is_empty() {
            continue;
        }
        page.section(
            &format!("document-{}", document.name()),
            &match document {
                Document::Beyond => document.short_name().to_owned(),
                _ => format!("{}: {}", document.name(), document.short_name()),
            },
        );
        page.paragraph(&format!("{}.", document.citation()));
        page.table(&["item", "what it shows", "reading"], &rows);
    }
    page.section("words", "What the words mean");
    page.paragraph(
        "Every reading is computed from the numbers compared on the page of its publication. Reproduced: all that is printed was \
         found, to its digits or within its bound. With a correction: so it was, after an erratum was mended, which the item \
         names. Band only: values lie in the printed range, but digits cannot be compared, as the motion is chaotic or the \
         publication gives a figure alone. Not specified: the publication leaves out what is needed. Not supported: what is \
         printed does not hold, and the item shows it.",
    );
    page.finish()
}

fn row(item: &Item, result: &ItemResult) -> Vec<Cell> {
    vec![
        Cell::Link {
            text: item.name.to_owned(),
            to: format!("{}.html#{}", item.document.name(), item.name),
        },
        Cell::text(item.title),
        reading(item, result),
    ]
}

fn reading(item: &Item, result: &ItemResult) -> Cell {
    match result {
        Ok(finding) => {
            let reading = finding.reading();
            Cell::Verdict(reading.verdict(), item.words(reading).to_owned())
        }
        Err(_) => Cell::Verdict(Verdict::Bad, "failed".to_owned()),
    }
}

fn page(document: Document, found: &[&(&'static Item, ItemResult)]) -> String {
    let mut page = Page::new(document.short_name(), document.citation());
    page.section("items", "What is here");
    let rows: Vec<Vec<Cell>> = found
        .iter()
        .map(|(item, result)| {
            let mut row = row(item, result);
            row[0] = Cell::Link {
                text: item.name.to_owned(),
                to: format!("#{}", item.name),
            };
            row
        })
        .collect();
    page.table(&["item", "what it shows", "reading"], &rows);
    for (item, result) in found {
        page.section(item.name, item.title);
        let source = match document {
            Document::Beyond => "Expected",
            _ => "Published",
        };
        page.paragraph(&format!("{source}: {}", item.claim));
        match result {
            Ok(finding) => show(&mut page, item, finding),
            Err(error) => page.conclusion(Verdict::Bad, &format!("It could not be computed: {error}")),
        }
    }
    page.finish()
}

fn show(page: &mut Page, item: &Item, finding: &Finding) {
    let reading = finding.reading();
    let mut sentence = format!("{}.", capital(item.words(reading)));
    for more in [&finding.correction, &finding.missing].into_iter().flatten() {
        sentence += &format!(" {more}");
    }
    page.conclusion(reading.verdict(), &sentence);
    if !finding.remark.is_empty() {
        page.paragraph(&finding.remark);
    }
    if !finding.compared.is_empty() {
        let rows: Vec<Vec<Cell>> = finding.compared.iter().map(compared).collect();
        let theirs = match item.document {
            Document::Beyond => "expected",
            _ => "published",
        };
        page.table(&["quantity", theirs, "ours", ""], &rows);
    }
    for figure in &finding.figures {
        page.figure(&figure.svg, &figure.caption);
    }
    page.paragraph(&finding.parameters);
    let mut commands = format!("holonomy reproduce --only {}", item.name);
    if !finding.command.is_empty() {
        commands += &format!("\n{}", finding.command);
    }
    page.code(&commands);
}

fn compared(compared: &Compared) -> Vec<Cell> {
    let unit = match compared.unit.as_str() {
        "" => String::new(),
        unit => format!(" {unit}"),
    };
    let number = |number: f64| match compared.published {
        Published::Value { value, within } => match printed(value, within) {
            ..=3 => rough(number),
            count => digits(number, count),
        },
        _ => rough(number),
    };
    let published = match compared.published {
        Published::Value { value, .. } => format!("{}{unit}", number(value)),
        Published::Band { from, to } => format!("{} … {}{unit}", rough(from), rough(to)),
        Published::AtMost(bound) => format!("≤ {}{unit}", rough(bound)),
        Published::Nothing => "–".to_owned(),
    };
    let verdict = match compared.agrees() {
        Some(true) => Cell::Verdict(Verdict::Good, "agrees".to_owned()),
        Some(false) => Cell::Verdict(Verdict::Bad, "differs".to_owned()),
        None => Cell::text(""),
    };
    vec![
        Cell::text(&compared.what),
        Cell::number(published),
        Cell::number(format!("{}{unit}", number(compared.ours))),
        verdict,
    ]
}

/// Digits that tell two values apart which differ by this much, relatively: as many as are printed where that is half a
/// unit of the last one.
fn printed(value: f64, within: f64) -> usize {
    let mantissa = value.abs() / 10_f64.powf(value.abs().log10().floor());
    // Two tenths are for rounding of the logarithm.
    (0.8 - (2.0 * within * mantissa).log10()).ceil().clamp(1.0, 9.0) as usize
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_to_the_digits_that_are_compared() {
        assert_eq!(printed(11.5490, 5e-5 / 11.5490), 6);
        assert_eq!(printed(2.1641e-5, 5e-10 / 2.1641e-5), 5);
        assert_eq!(printed(0.014, 0.0005 / 0.014), 2);
        assert_eq!(printed(1.0, 1e-15), 9);
    }
}
