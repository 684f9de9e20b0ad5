//! Runs seen sample by sample, and the small figures made of them.
use crate::ReproduceError;
use holonomy::simulation::{Observer, Sample};
use holonomy_model::Model;
use holonomy_report::figure::{Axis, Chart, Curve, CurveStyle};
use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicBool, Ordering},
};

/// Calls a function with every sample, until it is to stop.
pub(super) struct EachSample<'a, F> {
    pub(super) stop: &'a AtomicBool,
    pub(super) see: F,
}

impl<F: FnMut(&Sample<'_>)> Observer for EachSample<'_, F> {
    fn observe(&mut self, sample: &Sample<'_>) -> ControlFlow<()> {
        (self.see)(sample);
        ControlFlow::Continue(())
    }

    fn pulse(&mut self, _: u64) -> ControlFlow<()> {
        match self.stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

/// Runs a model to its end and shows every recorded sample.
pub(super) fn watch(
    model: &Model,
    stop: &AtomicBool,
    see: impl FnMut(&Sample<'_>),
) -> Result<(), ReproduceError> {
    let mut each = EachSample { stop, see };
    match model.simulation().run(&model.schedule, &mut [&mut each]) {
        Ok(report) if report.stopped => Err(ReproduceError::Stopped),
        Ok(_) => Ok(()),
        Err(error) => Err(Box::new(error).into()),
    }
}

/// A line of a chart.
pub(super) fn line(name: impl Into<String>, points: Vec<(f64, f64)>) -> Curve {
    Curve {
        name: name.into(),
        points,
        style: CurveStyle::Line,
    }
}

/// A line with a marker at every point.
pub(super) fn marked(name: &str, points: Vec<(f64, f64)>) -> Curve {
    Curve {
        style: CurveStyle::LineAndPoints,
        ..line(name, points)
    }
}

/// A chart without a heading: the page has one.
pub(super) fn chart(x: Axis, y: Axis, series: Vec<Curve>) -> Chart {
    Chart {
        title: String::new(),
        x,
        y,
        series,
        guides: vec![],
    }
}

/// Every so manieth point, so that at most `count` and the last are left.
pub(super) fn thinned(points: &[(f64, f64)], count: usize) -> Vec<(f64, f64)> {
    let every = points.len().div_ceil(count.max(1)).max(1);
    let mut kept: Vec<(f64, f64)> = points.iter().copied().step_by(every).collect();
    if !points.len().saturating_sub(1).is_multiple_of(every) {
        kept.extend(points.last());
    }
    kept
}

/// The largest magnitude of each of at most `count` stretches, for a logarithmic axis.
pub(super) fn largest(points: &[(f64, f64)], count: usize) -> Vec<(f64, f64)> {
    let every = points.len().div_ceil(count.max(1)).max(1);
    let most = |part: &[(f64, f64)]| {
        let magnitudes = part.iter().map(|&(t, x)| (t, x.abs()));
        magnitudes.reduce(|a, b| if b.1 > a.1 { b } else { a })
    };
    points.chunks(every).filter_map(most).collect()
}
