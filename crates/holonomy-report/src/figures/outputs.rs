//! What a model records by name, against time.
use super::{caption_of_failure, line, subtitle};
use crate::{
    figure::{Axis, Chart, Panels},
    series::Series,
    summary::Summary,
};

/// Each output that was asked for against time, one below the other; `None` where there is none.
pub fn outputs(title: &str, summary: &Summary, series: &Series) -> Option<String> {
    let panel = |shown: &crate::outputs::OutputCurves| {
        let (output, names) = (&shown.output, shown.output.columns());
        let curves = names.iter().zip(&shown.curves);
        let curves = curves.filter(|(_, curve)| !curve.is_empty());
        let label = match output.unit.as_str() {
            "" => output.name.clone(),
            unit => format!("{} ({unit})", output.name),
        };
        let size = shown.curves.iter().filter_map(|curve| curve.range());
        let size = size
            .map(|(low, high)| low.abs().max(high.abs()))
            .fold(0.0, f64::max);
        Chart {
            title: String::new(),
            x: Axis::time(),
            y: Axis::linear(label).of_size(if size > 0.0 { size } else { 1.0 }),
            series: curves.map(|(name, curve)| line(name, curve.points())).collect(),
            guides: vec![],
        }
    };
    let charts: Vec<Chart> = series
        .outputs
        .iter()
        .map(panel)
        .filter(|chart| !chart.series.is_empty())
        .collect();
    if charts.is_empty() {
        return None;
    }
    let shown: usize = series.outputs.iter().map(|output| output.curves.len()).sum();
    let caption = match shown < summary.outputs.len() {
        true => format!(
            "The first {} outputs; the others are in the trajectory.{}",
            charts.len(),
            caption_of_failure(summary)
        ),
        false => caption_of_failure(summary),
    };
    let height = match charts.len() {
        1 => 380.0,
        2 | 3 => 210.0,
        _ => 150.0,
    };
    let panels = Panels {
        title: title.to_owned(),
        subtitle: Some(subtitle(summary)),
        caption: Some(caption.trim().to_owned()),
        charts,
    };
    Some(panels.render_with(height))
}
