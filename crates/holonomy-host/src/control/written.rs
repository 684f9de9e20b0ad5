//! A model with the inputs that were found: as efforts that `holonomy run` takes.
//!
//! ```text
//! u(t) = a + b t + Σ cₖ |t − tₖ|        through uₖ at the middle of step k
//! ```
//! A midpoint rule asks for forces in the middle of steps: a run with the same step is then the motion that was found.
use holonomy::decimal;
use holonomy_model::{Model, Path, Table, Value};
use std::fmt::Write;

/// The model with efforts; `None` where an input acts on something that has no effort of its own in a model.
pub fn with_efforts(model: &Model, efforts: &[Vec<f64>]) -> Option<Table> {
    let mut table = model.table.clone();
    let layout = model.mechanism.system().layout().clone();
    let (h, start) = (model.schedule.step, model.state.t);
    let times: Vec<f64> = (0..efforts.len()).map(|k| start + (k as f64 + 0.5) * h).collect();
    for (k, input) in model.inputs.iter().enumerate() {
        let values: Vec<f64> = efforts.iter().map(|step| input.scale * step[k]).collect();
        let text = broken_line(&times, &values);
        let velocity = layout.velocities.get(input.velocity)?;
        let place = match table.get("body").and_then(Value::as_list) {
            None => {
                let paired = layout.coordinates.len() == layout.velocities.len();
                let coordinate = layout.coordinates.get(input.velocity).filter(|_| paired)?;
                Path::root().key("force").key(coordinate)
            }
            Some(bodies) => {
                // `omega.elbow` is of the joint `elbow`, and its only one.
                let joint = |name: &str| name.split_once('.').map(|(_, joint)| joint.to_owned());
                let own = joint(velocity)?;
                let alike = layout
                    .velocities
                    .iter()
                    .filter(|name| joint(name).as_ref() == Some(&own));
                if alike.count() != 1 {
                    return None;
                }
                let name_of = |body: &Value| -> Option<String> {
                    let body = body.as_table()?;
                    let joint = body.get("joint").and_then(Value::as_table);
                    let name = joint
                        .and_then(|joint| joint.get("name"))
                        .or_else(|| body.get("name"));
                    name.and_then(Value::as_text).map(str::to_owned)
                };
                let found = bodies
                    .iter()
                    .position(|body| name_of(body).as_ref() == Some(&own))?;
                Path::root().key("body").element(found).key("effort")
            }
        };
        let known = table.at(&place).and_then(Value::as_text).map(str::to_owned);
        let whole = match known {
            Some(known) => format!("({known}) + ({text})"),
            None => text,
        };
        table.set(&place.to_string(), whole).ok()?;
    }
    for key in ["input", "control", "goal", "bound"] {
        table.remove(key);
    }
    Some(table)
}

/// A formula of the broken line through points, the same before the first and after the last as between those next to it.
fn broken_line(times: &[f64], values: &[f64]) -> String {
    let Some(first) = times.first() else {
        return "0".to_owned();
    };
    if times.len() == 1 {
        return decimal(values[0]);
    }
    let slopes: Vec<f64> = (times.windows(2).zip(values.windows(2)))
        .map(|(t, u)| (u[1] - u[0]) / (t[1] - t[0]))
        .collect();
    let (head, tail) = (slopes[0], slopes[slopes.len() - 1]);
    // Far away on both sides the line is straight: its mean slope there, and its value.
    let mean = 0.5 * (head + tail);
    let mut text = String::new();
    let mut offset = values[0] - mean * first;
    for (k, pair) in slopes.windows(2).enumerate() {
        let bend = 0.5 * (pair[1] - pair[0]);
        offset -= bend * (first - times[k + 1]).abs();
        if bend != 0.0 {
            let _ = write!(text, " + ({})*abs(t - {})", exact(bend), exact(times[k + 1]));
        }
    }
    format!("{} + ({})*t{text}", exact(offset), exact(mean))
}

/// A number with all its digits, as formulas read it.
fn exact(number: f64) -> String {
    format!("{number:e}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use holonomy::formula::{Formula, Program, Scope};

    #[test]
    fn a_broken_line_goes_through_its_points() {
        let times: Vec<f64> = (0..40).map(|k| 0.05 * (f64::from(k) + 0.5)).collect();
        let values: Vec<f64> = times.iter().map(|t| 20.0 * (7.0 * t * t).sin()).collect();
        let mut scope = Scope::new();
        scope.time(0);
        let formula = Formula::parse(&broken_line(&times, &values), &scope).expect("a formula");
        let program = Program::values(&[&formula]);
        for (t, value) in times.iter().zip(&values) {
            let mut out = [0.0];
            program
                .evaluate(&[*t], &mut program.workspace(), &mut out)
                .expect("a value");
            // Forty terms of a few hundred, each rounded.
            assert!((out[0] - value).abs() < 1e-11, "{t}: {} {value}", out[0]);
        }
    }
}
