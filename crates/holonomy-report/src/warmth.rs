//! The kinetic energy of many bodies on one sphere, at a few moments of a run.
use crate::number;
use holonomy::{
    Vec3,
    simulation::Sample,
    system::{Base, Layout},
};
use serde::{Deserialize, Serialize};

/// Moments of a run, in bounded memory however long it is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Warmth {
    moments: Vec<Moment>,
    /// Samples from one moment to the next, one at first, and samples seen.
    stride: u64,
    seen: u64,
}

/// Where the bodies are, and the kinetic energy of each.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Moment {
    /// Time, s.
    #[serde(with = "number::nullable")]
    pub t: f64,
    /// Places on the unit sphere.
    #[serde(with = "number::nullable")]
    pub places: Vec<Vec3>,
    /// Kinetic energies, J.
    #[serde(with = "number::nullable")]
    pub kinetic: Vec<f64>,
}

/// Fewer bodies make no map.
const FEWEST: usize = 100;
/// More take a gigabyte, and their map shows no more.
const MOST: usize = 200_000;
/// Moments that are kept, and that are shown.
const KEPT: usize = 24;
const SHOWN: usize = 6;

impl Warmth {
    /// Takes one more sample, if there is a sphere that many bodies share.
    pub(crate) fn push(&mut self, sample: &Sample) {
        if !is_shared(sample.system.layout()) {
            return;
        }
        self.stride = self.stride.max(1);
        if self.moments.len() == KEPT && self.seen.is_multiple_of(self.stride) {
            // Every other one makes room.
            let mut keep = false;
            self.moments.retain(|_| {
                keep = !keep;
                keep
            });
            self.stride *= 2;
        }
        if self.seen.is_multiple_of(self.stride) {
            self.moments.push(Moment::new(sample));
        }
        self.seen += 1;
    }

    /// A few of them, as evenly as they come, the first and the last kept one among them.
    pub fn shown(&self) -> Vec<&Moment> {
        let last = self.moments.len().saturating_sub(1);
        let count = SHOWN.min(self.moments.len());
        let place = |k: usize| k * last / (count - 1).max(1);
        (0..count).map(|k| &self.moments[place(k)]).collect()
    }
}

impl Moment {
    fn new(sample: &Sample) -> Self {
        let (q, p, velocity) = (&sample.state.q, &sample.state.p, &sample.measured.velocity);
        let three = |x: &[f64]| Vec3::new(x[0], x[1], x[2]);
        // Momenta of separate bodies are I ω.
        let kinetic = p.chunks_exact(3).zip(velocity.chunks_exact(3));
        Self {
            t: sample.state.t,
            places: q.chunks_exact(3).map(three).collect(),
            kinetic: kinetic.map(|(p, w)| 0.5 * three(p).dot(&three(w))).collect(),
        }
    }
}

/// Whether there are many bodies, each a direction from the same point.
fn is_shared(layout: &Layout) -> bool {
    let many = (FEWEST..=MOST).contains(&layout.drawing.bases.len());
    many && layout.coordinates.len() == 3 * layout.drawing.bases.len()
        && layout
            .drawing
            .bases
            .windows(2)
            .all(|pair| match (&pair[0], &pair[1]) {
                (Base::Fixed(a), Base::Fixed(b)) => a == b,
                _ => false,
            })
}

#[cfg(test)]
mod tests {
    use crate::run::{Outcome, run};
    use holonomy_model::{Source, load, scenario};

    fn ran(name: &str, step: f64, duration: f64) -> Outcome {
        let scenario = scenario::find(name).expect("a scenario");
        let mut source = Source::new(name, scenario.model);
        source.with_override("run.every=1").with_override("run.steps=");
        source.with_override(format!("run.step={step}"));
        source.with_override(format!("run.duration={duration}"));
        run(
            &load(&source).unwrap_or_else(|problems| panic!("{problems:?}")),
            name,
        )
    }

    #[test]
    fn moments_are_few_and_even_and_their_energies_add_up() {
        let outcome = ran("molecules-on-a-sphere", 0.005, 0.5);
        let shown = outcome.series.warmth.shown();
        let times: Vec<f64> = shown.iter().map(|moment| moment.t).collect();
        assert_eq!((times.len(), times[0]), (6, 0.0));
        assert!(
            times[5] > 0.4 && times.windows(2).all(|pair| pair[1] > pair[0]),
            "{times:?}"
        );
        assert!(shown.iter().all(|moment| moment.places.len() == 642));
        // The start moves with all that there is in motion, but for the range of the potential energy.
        let whole: f64 = shown[0].kinetic.iter().sum();
        let in_motion = outcome.summary.energy.in_motion;
        assert!(
            whole <= in_motion && whole > 0.3 * in_motion,
            "{whole} {in_motion}"
        );
    }

    #[test]
    fn few_bodies_have_no_map() {
        let outcome = ran("magnetic-dipoles", 0.001, 0.01);
        assert!(outcome.series.warmth.shown().is_empty());
    }
}
