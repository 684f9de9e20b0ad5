//! Sliders: for every number of a model a range that is worth trying.
use holonomy_model::Knob;
use serde::Serialize;
use std::f64::consts::PI;

/// A number of a model with a range for a slider.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Slider {
    /// Where it stands in the model.
    pub path: String,
    /// What it is, for people.
    pub label: String,
    /// What it is now, in SI.
    pub value: f64,
    /// The symbol of its unit; empty for a plain number.
    pub unit: &'static str,
    /// The least that the slider shows.
    pub low: f64,
    /// The most that the slider shows.
    pub high: f64,
    /// It must not be less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
    /// It must not be more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<f64>,
    /// Nor equal to `least`.
    pub above: bool,
    /// Whether it is a whole number.
    pub whole: bool,
    /// `model`, `start`, `method` or `run`.
    pub group: &'static str,
}

/// Keys of what is so at the start only.
const OF_START: [&str; 9] = [
    "start",
    "velocity",
    "momentum",
    "swirl",
    "direction",
    "end_direction",
    "angular_velocity",
    "position",
    "rotation",
];

impl From<Knob> for Slider {
    fn from(knob: Knob) -> Self {
        let path = knob.path.to_string();
        let keys: Vec<&str> = path.split('.').collect();
        let group = match keys.first() {
            Some(&"method") => "method",
            Some(&"run" | &"output") => "run",
            _ if keys.iter().any(|key| OF_START.contains(key)) => "start",
            _ => "model",
        };
        let unit_vector = keys.iter().rev().nth(1).is_some_and(|key| {
            matches!(*key, "direction" | "end_direction" | "clamp") || *key == "centre" && keys[0] == "swirl"
        });
        let (low, high) = match unit_vector {
            true => (-1.0, 1.0),
            false => range(&knob, group),
        };
        Self {
            low,
            high,
            path,
            label: knob.label,
            value: knob.value,
            unit: if knob.unit == "1" { "" } else { knob.unit },
            least: knob.least,
            most: knob.most,
            above: knob.above,
            whole: knob.whole,
            group,
        }
    }
}

fn range(knob: &Knob, group: &str) -> (f64, f64) {
    let (value, size) = (knob.value, knob.value.abs());
    let (low, high) = match (knob.unit, knob.least) {
        _ if !value.is_finite() => (0.0, 1.0),
        (_, least) if knob.whole => {
            let low = least.unwrap_or(0.0);
            (low, (2.0 * value).max(low + 8.0))
        }
        // Tolerances, steps and lengths of runs are chosen by their order of magnitude.
        _ if (group == "method" || group == "run") && value > 0.0 => (0.1 * value, 10.0 * value),
        (_, Some(_)) if value > 0.0 => (if knob.above { 0.1 * value } else { 0.0 }, 3.0 * value),
        (_, Some(least)) => (least, least + 1.0),
        ("rad", None) => (value.min(-PI), value.max(PI)),
        ("rad/s" | "m/s", None) => (-(2.0 * size).max(5.0), (2.0 * size).max(5.0)),
        (_, None) if size > 0.0 => (-2.0 * size, 2.0 * size),
        (_, None) => (-1.0, 1.0),
    };
    let most = knob.most.unwrap_or(f64::INFINITY);
    (low.min(value), high.min(most).max(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use holonomy_model::scenario::SCENARIOS;

    #[test]
    fn every_slider_of_every_scenario_holds_its_value_and_allowed_ones() {
        let mut count = 0;
        for scenario in SCENARIOS {
            let model = holonomy_model::load(&scenario.source()).expect("it loads");
            for slider in model.knobs().into_iter().map(Slider::from) {
                count += 1;
                let shown = slider.low..=slider.high;
                assert!(shown.contains(&slider.value), "{}: {slider:?}", scenario.name);
                assert!(slider.low < slider.high, "{}: {slider:?}", scenario.name);
                assert!(slider.least.is_none_or(|least| slider.low >= least), "{slider:?}");
                assert!(!slider.above || slider.low > 0.0, "{slider:?}");
                assert!(slider.most.is_none_or(|most| slider.high <= most), "{slider:?}");
            }
        }
        assert!(count > 200, "{count}");
    }

    #[test]
    fn starts_are_told_from_the_model() {
        let scenario = holonomy_model::scenario::find("four-bar").expect("there");
        let model = holonomy_model::load(&scenario.source()).expect("it loads");
        let group = |path: &str| {
            let sliders = model.knobs().into_iter().map(Slider::from);
            let mut found = sliders.filter(|slider| slider.path == path);
            found.next().map(|slider| slider.group)
        };
        assert_eq!(group("body.1.position"), Some("start"));
        assert_eq!(group("body.1.mass"), Some("model"));
        assert_eq!(group("run.step"), Some("run"));
    }
}
