//! Work–precision diagrams.
use super::{Cost, ErrorKind, Precision};
use crate::{
    figure::{Axis, Chart, Curve, CurveStyle, Panels},
    number::rough,
};

impl Precision {
    /// Errors of the state, and of the energy where it is conserved, against one kind of work.
    pub fn figure(&self, title: &str, cost: Cost) -> String {
        let errors: &[ErrorKind] = match self.conservative {
            true => &[ErrorKind::State, ErrorKind::Energy],
            false => &[ErrorKind::State],
        };
        let caption = format!(
            "State at t = {} s against {}, accurate to about {}. Runs that failed are not shown.",
            rough(self.t_end),
            self.reference,
            rough(self.reference.accuracy),
        );
        Panels {
            title: title.to_owned(),
            subtitle: None,
            caption: Some(caption),
            charts: errors.iter().map(|&error| self.chart(error, cost)).collect(),
        }
        .render_with(330.0)
    }

    /// One diagram.
    pub fn chart(&self, error: ErrorKind, cost: Cost) -> Chart {
        let curve = |curve: &super::MethodCurve| Curve {
            name: curve.method.clone(),
            points: curve.diagram(error, cost),
            style: CurveStyle::LineAndPoints,
        };
        Chart {
            title: String::new(),
            x: Axis::log(match cost {
                Cost::Evaluations => "force evaluations",
                Cost::Seconds => "wall time (s)",
            }),
            y: Axis::log(match error {
                ErrorKind::State => "error of the state",
                ErrorKind::Energy => "energy error / energy in motion",
            }),
            series: self
                .curves
                .iter()
                .map(curve)
                .filter(|series| !series.points.is_empty())
                .collect(),
            guides: vec![],
        }
    }
}
