//! Beyond the documents: very long runs, work against precision, cost against size. What ours is compared with is theory.
mod diagrams;
mod links;
mod long_run;

use super::{Document, Finding, Item, Published, Study};

pub(super) const ITEMS: &[Item] = &[
    Item {
        name: "beyond-long-run",
        document: Document::Beyond,
        title: "Energy over ten million steps",
        claim: "rounding errors that are independent of each other add up to √N after N steps; the energy error of a symplectic method \
                stays bounded; that of RK4 grows as N.",
        compute: long_run::compute,
    },
    Item {
        name: "beyond-precision-spheres",
        document: Document::Beyond,
        title: "Work and precision: double spherical pendulum",
        claim: "on logarithmic axes a method of order r is a line of slope −r; which line is lowest is what the diagram is for.",
        compute: diagrams::spheres,
    },
    Item {
        name: "beyond-precision-lagrangian",
        document: Document::Beyond,
        title: "Work and precision: plane pendulum",
        claim: "the same for a Lagrangian that is typed in.",
        compute: diagrams::lagrangian,
    },
    Item {
        name: "beyond-precision-tree",
        document: Document::Beyond,
        title: "Work and precision: four-bar linkage",
        claim: "the same for a tree of bodies with a closed loop.",
        compute: diagrams::tree,
    },
    Item {
        name: "beyond-links",
        document: Document::Beyond,
        title: "Cost against the number of links",
        claim: "an evaluation of the equations, with its share of the solution, takes a time in proportion to the number of links: \
                exponent 1. Dense elimination would have 3.",
        compute: links::compute,
    },
];

/// What theory says of an exponent.
fn exponent(value: f64, within: f64) -> Published {
    Published::Value { value, within }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reading;
    use std::sync::atomic::AtomicBool;

    /// Over a tenth of the item's run. Its blocks are then too short to average the slow beat of the bounded error away,
    /// so that its size is looked at in place of its exponent. That of the whole run is left to the command.
    #[test]
    fn energies_of_a_long_run_grow_as_theory_says() {
        let stop = AtomicBool::new(false);
        let finding = match long_run::over(1_000_000, &stop) {
            Ok(finding) => finding,
            Err(error) => panic!("{error}"),
        };
        let find = |what: &str| finding.compared.iter().find(|compared| compared.what == what);
        for name in ["Hamel (rounding alone)", "RK4"] {
            let exponent = find(&format!("exponent of the growth, {name}"));
            assert_eq!(
                exponent.and_then(|found| found.agrees()),
                Some(true),
                "{exponent:?}"
            );
        }
        // The first swings reach 1.212e-3 J already.
        let bounded = find("largest energy error, variational, order 2");
        assert!(
            bounded.is_some_and(|found| (found.ours / 1.212e-3 - 1.0).abs() < 1e-3),
            "{bounded:?}"
        );
    }

    /// Orders do not depend on the machine; who wins in time may.
    #[test]
    fn slopes_are_the_orders() {
        let stop = AtomicBool::new(false);
        match diagrams::spheres(&stop) {
            Ok(finding) => assert_eq!(finding.reading(), Reading::Reproduced, "{:#?}", finding.compared),
            Err(error) => panic!("{error}"),
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(diagrams::spheres(&stop).is_err() && links::compute(&stop).is_err());
    }
}
