//! Where everything is at any time of a run: between two samples, on the straight way from one to the other.
use super::RenderError;
use crate::trajectory::read::{SavedSample, Trajectory};
use holonomy::{
    scene::{FramePose, Poses, Scene},
    system::{Scratch, State, System},
};
use holonomy_model::Model;
use std::{path::Path, sync::Arc};

/// The motion of a run.
pub(super) struct Motion {
    system: Arc<dyn System>,
    scratch: Scratch,
    pub(super) scene: Scene,
    trajectory: Trajectory,
    sample: SavedSample,
    /// The two samples that were read last.
    read: [Moment; 2],
    now: Moment,
}

/// One moment of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Moment {
    /// The number of the sample; `None` between two.
    index: Option<usize>,
    pub(super) t: f64,
    pub(super) poses: Poses,
    /// Squares of the angular velocities of bodies on spheres.
    pub(super) heat: Vec<f64>,
}

impl Motion {
    pub(super) fn open(model: Model, folder: &Path) -> Result<Self, RenderError> {
        let system = model.mechanism.system().clone();
        let scene = system.scene();
        if scene.shapes.is_empty() {
            return Err(RenderError::Invisible);
        }
        let trajectory = Trajectory::open(folder, &model)?;
        Ok(Self {
            scratch: system.scratch(),
            system,
            scene,
            trajectory,
            sample: SavedSample::default(),
            read: Default::default(),
            now: Moment::default(),
        })
    }

    /// The first and the last time, s.
    pub(super) fn span(&self) -> [f64; 2] {
        let times = self.trajectory.times();
        [times[0], times[times.len() - 1]]
    }

    /// The mean time between two samples, s.
    pub(super) fn interval(&self) -> f64 {
        let [first, last] = self.span();
        (last - first) / (self.trajectory.times().len() - 1).max(1) as f64
    }

    /// Where everything is at a time; it is fastest if times grow.
    pub(super) fn at(&mut self, t: f64) -> Result<&Moment, RenderError> {
        let times = self.trajectory.times();
        let after = times.partition_point(|time| *time <= t).min(times.len() - 1);
        let before = after.saturating_sub(1);
        let share = match times[after] - times[before] {
            0.0 => 0.0,
            between => ((t - times[before]) / between).clamp(0.0, 1.0),
        };
        let [a, b] = [self.load(before)?, self.load(after)?];
        let [a, b] = [&self.read[a], &self.read[b]];
        let mix = |a: f64, b: f64| a + share * (b - a);
        let now = &mut self.now;
        now.t = t;
        now.poses.clear();
        let points = a.poses.points.iter().zip(&b.poses.points);
        now.poses
            .points
            .extend(points.map(|(a, b)| [0, 1, 2].map(|axis| mix(a[axis], b[axis]))));
        let frames = a.poses.frames.iter().zip(&b.poses.frames);
        now.poses.frames.extend(frames.map(|(a, b)| FramePose {
            position: [0, 1, 2].map(|axis| mix(a.position[axis], b.position[axis])),
            rotation: turned(a.rotation, b.rotation, share),
        }));
        now.heat.clear();
        now.heat
            .extend(a.heat.iter().zip(&b.heat).map(|(a, b)| mix(*a, *b)));
        Ok(now)
    }

    /// Reads a sample unless it is at hand; which of the two it is.
    fn load(&mut self, index: usize) -> Result<usize, RenderError> {
        if let Some(place) = self.read.iter().position(|moment| moment.index == Some(index)) {
            return Ok(place);
        }
        // The older one makes room.
        let place = usize::from(self.read[0].index > self.read[1].index);
        let layout = self.system.layout();
        self.trajectory.sample(index, layout, &mut self.sample)?;
        let SavedSample { t, q, velocity } = &mut self.sample;
        let moment = &mut self.read[place];
        moment.index = Some(index);
        moment.heat.clear();
        if layout.drawing.bases.len() == layout.words.bodies.len() {
            moment.heat.extend(
                velocity
                    .chunks_exact(3)
                    .map(|v| v.iter().map(|part| part * part).sum::<f64>()),
            );
        }
        // Looks do not depend on momenta.
        let state = State::new(*t, std::mem::take(q), vec![0.0; velocity.len()]);
        self.system.poses(&state, &mut moment.poses, &mut self.scratch);
        *q = state.q;
        Ok(place)
    }
}

/// The unit quaternion on the short way from one to another; samples are close together.
fn turned(a: [f64; 4], b: [f64; 4], share: f64) -> [f64; 4] {
    let dot: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
    let sign = 1.0_f64.copysign(dot);
    let mixed = [0, 1, 2, 3].map(|k| a[k] + share * (sign * b[k] - a[k]));
    let length = mixed.iter().map(|part| part * part).sum::<f64>().sqrt();
    match length > 0.0 {
        true => mixed.map(|part| part / length),
        false => a,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_turn_is_half_the_angle_on_the_short_way() {
        // A quarter turn about z, given with both signs.
        let (c, s) = (0.5_f64.sqrt(), 0.5_f64.sqrt());
        for sign in [1.0, -1.0] {
            let half = turned([1.0, 0.0, 0.0, 0.0], [sign * c, 0.0, 0.0, sign * s], 0.5);
            let angle = 2.0 * half[3].atan2(half[0]);
            assert!((angle - std::f64::consts::FRAC_PI_4).abs() < 1e-15, "{angle}");
        }
    }
}
