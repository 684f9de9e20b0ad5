//! What a run did that its author may not have meant: strings that push, joints beyond their stops, cables that are
//! shorter than the distance of their ends. Nothing in the
//! equations forbids it, so it is no error, and no verdict on the method.
use crate::number::{self, rough};
use holonomy::{
    Vec3, decimal,
    simulation::Sample,
    system::{Expected, Layout, Rope},
};
use serde::{Deserialize, Serialize};

/// Something to look at, where it was worst.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// What it is about.
    pub kind: WarningKind,
    /// The constraint, the coordinate or the cable.
    pub name: String,
    /// How much: the force it pushes with, the way beyond the limit, or the length that is missing.
    #[serde(with = "number::nullable")]
    pub value: f64,
    /// The unit of the value, where it is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// When, s.
    #[serde(with = "number::nullable")]
    pub t: f64,
}

/// Kinds of warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// A string, which can only pull, pushes.
    StringPushes,
    /// A distance pushes: a rod can, a string cannot.
    DistancePushes,
    /// A joint is beyond a limit that nothing enforces.
    BeyondLimit,
    /// An elastic cable is shorter than the distance of its ends: it is tight, and cannot hang.
    ShorterThanItsChord,
}

impl Warning {
    /// A sentence for people.
    pub fn describe(&self) -> String {
        let (name, unit) = (&self.name, &self.unit);
        let value = format!("{} {unit}", rough(self.value));
        let (value, t) = (value.trim_end(), decimal(self.t));
        match self.kind {
            WarningKind::StringPushes => {
                format!(
                    "string `{name}` pushes with up to {value}, at t = {t} s: it would be slack, and the motion another"
                )
            }
            WarningKind::DistancePushes => {
                format!(
                    "distance `{name}` pushes with up to {value}, at t = {t} s: a rod does, a string would be slack"
                )
            }
            WarningKind::ShorterThanItsChord => {
                format!(
                    "cable `{name}` is shorter than the distance of its ends by up to {value}, at t = {t} s: it is tight, \
                     and does not hang"
                )
            }
            WarningKind::BeyondLimit => {
                format!("`{name}` is beyond its limit by up to {value}, at t = {t} s: nothing stops it there")
            }
        }
    }
}

/// The worst so far of all that is expected of a motion.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct WarningWatch {
    /// The least of each multiplier that should pull, and when.
    least: Vec<(f64, f64)>,
    /// The largest excess of each limited coordinate, and when.
    beyond: Vec<(f64, f64)>,
    /// How much the length of each elastic cable falls short of the distance of its ends, and when.
    short: Vec<(f64, f64)>,
    /// The largest multiplier of any, in size.
    largest: f64,
}

/// Forces below this part of the largest are rounding.
const ROUNDING: f64 = 1e-9;

impl WarningWatch {
    /// Looks at a sample.
    pub fn push(&mut self, sample: &Sample) {
        let expected = &sample.system.layout().expected;
        let Expected {
            pulling,
            perhaps_pulling,
            limits,
            ropes,
        } = expected;
        let t = sample.state.t;
        self.least.resize(pulling.len() + perhaps_pulling.len(), (0.0, t));
        self.beyond.resize(limits.len(), (0.0, t));
        self.measure(sample, ropes);
        let multipliers = &sample.measured.multipliers;
        for (worst, k) in self.least.iter_mut().zip(pulling.iter().chain(perhaps_pulling)) {
            if let Some(force) = multipliers.get(*k)
                && *force < worst.0
            {
                *worst = (*force, t);
            }
        }
        for force in multipliers {
            self.largest = self.largest.max(force.abs());
        }
        for (worst, (k, [least, most])) in self.beyond.iter_mut().zip(limits) {
            let Some(q) = sample.state.q.get(*k) else { continue };
            let excess = (least - q).max(q - most);
            if excess > worst.0 {
                *worst = (excess, t);
            }
        }
    }

    /// Looks at the ends of elastic cables.
    fn measure(&mut self, sample: &Sample, ropes: &[Rope]) {
        let (t, sites) = (sample.state.t, sample.system.layout().drawing.bases.len());
        self.short.resize(ropes.len(), (0.0, t));
        if ropes.is_empty() {
            return;
        }
        let mut places = vec![Vec3::zeros(); sites];
        sample.system.sites(t, &sample.state.q, &mut places);
        for (worst, rope) in self.short.iter_mut().zip(ropes) {
            let [from, to] = rope.between.map(|site| places.get(site));
            let Some((from, to)) = from.zip(to) else { continue };
            let short = (to - from).norm() - rope.length;
            if short > worst.0 {
                *worst = (short, t);
            }
        }
    }

    /// What there is to say.
    pub fn warnings(&self, layout: &Layout) -> Vec<Warning> {
        let expected = &layout.expected;
        let strings = expected.pulling.iter().map(|k| (WarningKind::StringPushes, *k));
        let distances = expected.perhaps_pulling.iter();
        let pulling = strings.chain(distances.map(|k| (WarningKind::DistancePushes, *k)));
        let pushing = pulling.zip(&self.least).filter_map(|((kind, k), (force, t))| {
            let unit = layout.multiplier_units.get(k).copied().unwrap_or_default();
            (*force < -ROUNDING * self.largest).then(|| Warning {
                kind,
                name: layout.multipliers.get(k).cloned().unwrap_or_default(),
                value: -force,
                unit: unit.symbol().to_owned(),
                t: *t,
            })
        });
        let beyond = expected.limits.iter().zip(&self.beyond);
        let beyond = beyond.filter_map(|((k, [least, most]), (excess, t))| {
            // Limits are written with a few digits.
            let size = least.abs().max(most.abs());
            (*excess > ROUNDING * size).then(|| Warning {
                kind: WarningKind::BeyondLimit,
                name: layout.coordinates.one(*k).unwrap_or_default(),
                value: *excess,
                unit: String::new(),
                t: *t,
            })
        });
        let short = expected.ropes.iter().zip(&self.short);
        // Ends are assembled to rounding, and lengths written with a few digits.
        let short = short.filter(|(rope, (short, _))| *short > ROUNDING * rope.length);
        let short = short.map(|(rope, (short, t))| Warning {
            kind: WarningKind::ShorterThanItsChord,
            name: rope.name.clone(),
            value: *short,
            unit: "m".to_owned(),
            t: *t,
        });
        pushing.chain(beyond).chain(short).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run;
    use holonomy_model::{Source, load};

    fn warnings(text: &str) -> Vec<Warning> {
        let model = load(&Source::new("warned", text)).unwrap_or_else(|problems| panic!("{problems:?}"));
        run::run(&model, "warned").summary.warnings
    }

    /// A weight of 2 kg above or below what holds it: by a rod of 1 m along z.
    fn held(kind: &str, height: f64) -> Vec<Warning> {
        let ends = match kind {
            "cable" => "through",
            _ => "between",
        };
        warnings(&format!(
            r#"
            space = "tree"
            gravity = [0, 0, -10]
            site = [{{ name = "w", at = [0, 0, 0] }}]
            body = [{{ name = "load", joint = {{ kind = "prismatic", axis = [0, 0, 1] }}, mass = 2, position = {height}, sites = {{ p = [0, 0, 0] }} }}]
            constraint = [{{ name = "hanger", kind = "{kind}", {ends} = ["load/p", "w"], length = 1 }}]
            method = {{ name = "tree-variational" }}
            run = {{ step = 0.01, duration = 0.1 }}
            "#
        ))
    }

    #[test]
    fn a_string_that_pushes_is_told_with_its_force() {
        // It carries 2 kg · 10 m/s² from below; from above it pulls, and there is nothing to say.
        for (kind, expected) in [
            ("cable", WarningKind::StringPushes),
            ("distance", WarningKind::DistancePushes),
        ] {
            assert_eq!(held(kind, -1.0), []);
            let found = held(kind, 1.0);
            assert_eq!(found.len(), 1, "{found:?}");
            let Warning {
                kind,
                name,
                value,
                unit,
                ..
            } = &found[0];
            assert_eq!((*kind, name.as_str(), unit.as_str()), (expected, "hanger", "N"));
            assert!((value - 20.0).abs() < 1e-9, "{value}");
            assert!(
                found[0].describe().contains("`hanger` pushes"),
                "{}",
                found[0].describe()
            );
        }
    }

    #[test]
    fn a_joint_beyond_its_limits_is_told_with_how_far_and_when() {
        // It slides at 1 m/s from 0, and should stay within ±0.25 m; after 1 s it is 0.75 m too far.
        let model = |limits: &str| {
            warnings(&format!(
                r#"
                space = "tree"
                body = [{{ name = "finger", joint = {{ kind = "prismatic", axis = [0, 0, 1]{limits} }}, mass = 2, velocity = 1 }}]
                method = {{ name = "tree-variational" }}
                run = {{ step = 0.01, duration = 1 }}
                "#
            ))
        };
        assert_eq!(model(""), []);
        assert_eq!(model(", limits = [-1, 2]"), []);
        let found = model(", limits = [\"-25 cm\", 0.25]");
        assert_eq!((found.len(), found[0].kind), (1, WarningKind::BeyondLimit));
        assert!(found[0].name.contains("finger"), "{found:?}");
        assert!(
            (found[0].value - 0.75).abs() < 1e-12 && (found[0].t - 1.0).abs() < 1e-12,
            "{found:?}"
        );
    }

    #[test]
    fn a_cable_that_is_shorter_than_its_chord_is_told_with_how_much_and_when() {
        // Between hooks 1 m apart, one of which is drawn away by sin²(t/2) · 0.2 m: most of it after π seconds.
        let model = |length: f64, drawn: f64| {
            warnings(&format!(
                r#"
                space = "tree"
                gravity = [0, -10, 0]
                site = [{{ name = "left", at = [0, 0, 0] }}]
                body = [{{ name = "end", joint = {{ kind = "prismatic", axis = [1, 0, 0] }}, mass = 1, driven = "1 + {drawn}*sin(t/2)^2", sites = {{ hook = [0, 0, 0] }} }}]
                cable = [{{ name = "rope", kind = "elastic", from = "left", to = "end/hook", plane = [0, 0, 1], segments = 4, length = {length}, mass = 0.1, EA = 20.0 }}]
                method = {{ name = "tree-variational" }}
                run = {{ step = 0.005, duration = 4 }}
                "#
            ))
        };
        assert_eq!(model(1.21, 0.2), []);
        for (length, drawn, short, from, until) in [(1.1, 0.2, 0.1, 3.13, 3.15), (0.9, 0.0, 0.1, 0.0, 4.0)] {
            let found = model(length, drawn);
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].kind, WarningKind::ShorterThanItsChord);
            assert_eq!((found[0].name.as_str(), found[0].unit.as_str()), ("rope", "m"));
            // sin² is flat at its top: 0.2 (0.0025/2)² for half a step beside it.
            assert!((found[0].value - short).abs() < 1e-6, "{found:?}");
            assert!((from..=until).contains(&found[0].t), "{found:?}");
            assert!(
                found[0]
                    .describe()
                    .contains("shorter than the distance of its ends")
            );
        }
    }
}
