//! The cable report (003): variational integrators for a pendulum, a chain of links and an elastic cable.
mod cables;
mod pendulum;

use super::{Document, Finding, Item, Published, Study};
use crate::watch::EachSample;
use holonomy::simulation::{RunError, RunReport, Sample};
use holonomy_model::Model;
use std::sync::atomic::AtomicBool;

pub(super) const ITEMS: &[Item] = &[
    Item {
        name: "003-fig-1",
        document: Document::Cables,
        title: "Fig. 1: a pendulum with Euler's method and the variational integrator",
        claim: "at t_s = 0.01 s the two do not agree: Euler's method diverges significantly even before the first period is over.",
        compute: pendulum::motion,
    },
    Item {
        name: "003-fig-2",
        document: Document::Cables,
        title: "Fig. 2: the error of Euler's method",
        claim: "the root mean square error of Euler's method against a benchmark solution, for t in [0, 10] s.",
        compute: pendulum::error,
    },
    Item {
        name: "003-fig-3",
        document: Document::Cables,
        title: "Fig. 3: low resolution",
        claim: "at t_s = 0.2 s the variational solution has not diverged from the expected oscillation; its phase is shifted. \
                Still larger steps remain plausible.",
        compute: pendulum::low_resolution,
    },
    Item {
        name: "003-fig-4",
        document: Document::Cables,
        title: "Figs. 4a–c: ten links at 0, 2 and 4 s",
        claim: "three configurations of a cable of ten links, initially at rest.",
        compute: cables::ten_links,
    },
    Item {
        name: "003-fig-5",
        document: Document::Cables,
        title: "Figs. 5a–c: an elastic cable at 0, 1.5 and 3 s",
        claim: "three configurations of an elastic cable that is held at both ends.",
        compute: cables::elastic,
    },
    Item {
        name: "003-fig-6",
        document: Document::Cables,
        title: "Fig. 6: constraint error",
        claim: "the constraint holds perfectly: over 500 points its error is of the order of 1e-15.",
        compute: cables::constraint,
    },
    Item {
        name: "003-drift",
        document: Document::Cables,
        title: "Section VI: constraints on accelerations drift",
        claim: "equations that satisfy only a derivative of the constraint undergo numerical drift, and the solution fails to be \
                plausible; the variational integrator satisfies the constraint itself.",
        compute: cables::drift,
    },
    Item {
        name: "003-backward-difference",
        document: Document::Cables,
        title: "Section V: the backward difference as discrete Lagrangian of the cable",
        claim: "with velocities as backward differences, and two configurations to start from, the discrete equations are solved \
                from step to step by root finding; the cable of ten links runs to 4 s.",
        compute: cables::backward_difference,
    },
    Item {
        name: "003-efficiency",
        document: Document::Cables,
        title: "Section VII and Fig. 7: efficiency",
        claim: "34 configuration variables, 2 constraints and t_s = 0.02 s: 30 s of motion take 79.91 s. Free bodies would have 204 \
                degrees of freedom and 172 constraints.",
        compute: cables::efficiency,
    },
];

/// Runs a model and looks at every sample.
fn each(model: &Model, stop: &AtomicBool, look: impl FnMut(&Sample<'_>)) -> Result<RunReport, Box<RunError>> {
    let mut simulation = model.simulation();
    let report = simulation.run(&model.schedule, &mut [&mut EachSample { stop, see: look }]);
    report.map_err(Box::new)
}

/// A claim in words, as the range of a number that shows it.
fn band(from: f64, to: f64) -> Published {
    Published::Band { from, to }
}

fn exactly(value: f64) -> Published {
    Published::Value { value, within: 1e-12 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reading, assert_readings};

    #[test]
    #[ignore = "long: every figure of a document"]
    fn the_items_read_as_they_should() {
        let expected = [
            ("003-fig-1", Some(Reading::BandOnly)),
            ("003-fig-2", Some(Reading::BandOnly)),
            ("003-fig-3", Some(Reading::BandOnly)),
            ("003-fig-4", Some(Reading::NotSpecified)),
            ("003-fig-5", Some(Reading::NotSpecified)),
            ("003-fig-6", Some(Reading::Corrected)),
            ("003-drift", Some(Reading::BandOnly)),
            ("003-backward-difference", Some(Reading::NotSupported)),
            // A time: the machine may be busy.
            ("003-efficiency", None),
        ];
        assert_readings(ITEMS, &expected);
    }
}
