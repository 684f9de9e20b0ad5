//! The cases to look at, each with the command that runs it alone.
use super::{Standing, SweepPage, SweptCase};
use crate::{
    number::{rough, short},
    page::{Cell, Page},
};

/// Cases to look at, at most.
const MOST_LISTED: usize = 12;

impl SweepPage {
    /// Cases that failed, those whose verdict is worst, and those with the largest error.
    pub(super) fn worst(&self, page: &mut Page) {
        let error = self.quantities.iter().position(|quantity| quantity.is_error);
        let rank = |case: &SweptCase| {
            let standing = match case.structure {
                Standing::Failed | Standing::Refused => 3,
                Standing::Bad => 2,
                Standing::Doubtful => 1,
                _ => 0,
            };
            let size = error.and_then(|k| case.values[k]).unwrap_or(f64::NEG_INFINITY);
            (standing, size)
        };
        let before = |one: &&SweptCase, other: &&SweptCase| {
            let ((one_stands, one_size), (other_stands, other_size)) = (rank(one), rank(other));
            other_stands
                .cmp(&one_stands)
                .then(other_size.total_cmp(&one_size))
                .then(one.case.cmp(&other.case))
        };
        let mut order: Vec<&SweptCase> = self.cases.iter().collect();
        if order.len() > MOST_LISTED {
            order.select_nth_unstable_by(MOST_LISTED, before);
            order.truncate(MOST_LISTED);
        }
        order.sort_by(before);
        page.section("worst", "Cases to look at");
        let by = error.map_or_else(String::new, |k| {
            format!(", then the largest `{}`", self.quantities[k].name)
        });
        page.paragraph(&format!(
            "The worst first: those that failed or were refused, then by the verdict on their structure{by}. \
             `cases.parquet` has them all."
        ));
        self.list(page, &order, error);
        page.paragraph("One of them alone, with its film and its certificate:");
        let commands: Vec<String> = order.iter().map(|case| self.alone(case)).collect();
        page.code(&commands.join("\n"));
    }

    fn list(&self, page: &mut Page, cases: &[&SweptCase], error: Option<usize>) {
        let labels: Vec<String> = self.axes.iter().map(super::SweepAxis::label).collect();
        let mut head = vec!["case"];
        head.extend(labels.iter().map(String::as_str));
        head.extend(error.map(|k| self.quantities[k].name.as_str()));
        head.push("structure");
        let says = cases.iter().any(|case| !case.message.is_empty());
        head.extend(says.then_some("message"));
        let rows: Vec<Vec<Cell>> = cases
            .iter()
            .map(|case| {
                let number = case.case.to_string();
                let mut row = vec![match self.trajectories {
                    Some(end) if case.structure != Standing::Refused => Cell::Link {
                        to: format!("cases/{:06}.{end}", case.case),
                        text: number,
                    },
                    _ => Cell::number(number),
                }];
                row.extend((0..self.axes.len()).map(|k| match self.word(case, k) {
                    Some(word) => Cell::text(word),
                    None => Cell::number(short(case.settings[k])),
                }));
                row.extend(error.map(|k| Cell::number(case.values[k].map_or_else(String::new, rough))));
                row.push(case.structure.cell());
                row.extend(says.then(|| Cell::text(&case.message)));
                row
            })
            .collect();
        page.table(&head, &rows);
    }

    /// The word that an axis takes in a case, if it takes words.
    pub(super) fn word(&self, case: &SweptCase, axis: usize) -> Option<&str> {
        let words = self.axes[axis].words()?;
        words.get(case.settings[axis] as usize).map(String::as_str)
    }

    /// The command that runs a case alone.
    fn alone(&self, case: &SweptCase) -> String {
        let settings = self.axes.iter().enumerate().map(|(k, axis)| {
            let number = case.settings[k];
            let value = match (self.word(case, k), axis.unit.as_str()) {
                (Some(word), _) => word.to_owned(),
                // Counts are whole numbers.
                (None, "") if number == number.trunc() && number.abs() < 1e15 => format!("{number}"),
                (None, "") => format!("{number:?}"),
                (None, unit) => format!("{number:?} {unit}"),
            };
            let setting = format!("{}={value}", axis.key);
            format!(" --set {}", quoted(&setting))
        });
        let settings: String = settings.collect();
        format!("{}{settings} --out case-{:06}", self.alone, case.case)
    }
}

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./=,:+@%".contains(letter);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
