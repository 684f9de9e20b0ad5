//! The page of a convergence study: diagram, table, what it says of the order.
use super::{Convergence, ConvergencePoint};
use crate::{
    certificate::judge_order,
    figures,
    number::{decimal, grouped, rough},
    page::{Cell, Page},
    verdict::{Reason, Verdict},
};
use holonomy::math;

impl Convergence {
    /// The page; `command` made it.
    pub fn page(&self, title: &str, command: &str) -> String {
        let subtitle = format!(
            "{}, error at t = {} s against the step",
            self.method,
            decimal(self.t_end)
        );
        let mut page = Page::new(title, &subtitle);
        page.section("order", "How does the error fall with the step?");
        let (verdict, text) = self.conclusion();
        page.conclusion(verdict, &text);
        page.figure(
            &figures::converge("", self),
            "Error against step on logarithmic axes; a method of order r is a line of slope r.",
        );
        let rows: Vec<Vec<Cell>> = self.points.iter().map(row).collect();
        page.table(&["step (s)", "steps", "error", "slope", ""], &rows);
        page.paragraph(&format!(
            "The error is the distance from the reference: the largest component of the configuration, and of the momentum in \
             units of its largest. Reference: {}, accurate to about {}; points at that level say nothing of the method and \
             are left out of the slope.",
            self.reference,
            rough(self.reference.accuracy)
        ));
        page.section("command", "The command");
        page.code(command);
        page.finish()
    }

    /// What the points say, in a sentence.
    pub fn conclusion(&self) -> (Verdict, String) {
        let (method, declared) = (&self.method, self.declared_order);
        let (verdict, reason) = judge_order(declared, self.order);
        let order = self.order.unwrap_or(f64::NAN);
        let mut text = match reason {
            Reason::AsDeclared => format!(
                "`{method}` converges with order {order:.2}, as declared ({declared}): half the step makes the error {} \
                 times smaller.",
                rough(math::powf(2.0, order))
            ),
            Reason::HigherHere => {
                format!("`{method}` shows order {order:.2} here, more than the {declared} that it declares.")
            }
            Reason::StepTooLarge => format!(
                "`{method}` shows order {order:.2} here, less than the {declared} that it declares: the largest steps are \
                 too large, or the motion is chaotic over so long a time."
            ),
            _ => format!(
                "The order of `{method}` does not show: fewer than two errors lie above the accuracy of the reference and \
                 of rounding. Take larger steps or a longer time."
            ),
        };
        let failed = self.points.iter().filter(|point| point.problem.is_some()).count();
        if failed > 0 {
            text += &format!(" {failed} of {} runs failed.", self.points.len());
        }
        (verdict, text)
    }
}

fn row(point: &ConvergencePoint) -> Vec<Cell> {
    let number = |value: Option<f64>| Cell::number(value.map_or_else(|| "–".to_owned(), rough));
    let note = match (&point.problem, point.above_floor) {
        (Some(problem), _) => format!("failed {problem}"),
        (None, false) => "at the accuracy of the reference or of rounding".to_owned(),
        (None, true) => String::new(),
    };
    vec![
        Cell::number(decimal(point.step)),
        Cell::number(grouped(point.steps)),
        number(point.error),
        Cell::number(
            point
                .slope
                .map_or_else(|| "–".to_owned(), |slope| format!("{slope:.2}")),
        ),
        Cell::text(note),
    ]
}
