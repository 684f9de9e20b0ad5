//! Modes that move: the scene at the state, and a mode to both sides of it.
use super::{Linearization, Pole, shown};
use crate::{film::Clip, number::rough};
use holonomy::{
    math,
    scene::Poses,
    simulation::Sample,
    system::{Measurement, State, System},
};
use holonomy_model::Model;
use std::f64::consts::TAU;

/// Modes that are shown, frames of a period, seconds that it takes on a page, and periods.
const MOST: usize = 6;
const FRAMES: usize = 48;
const SECONDS: f64 = 3.0;
const PERIODS: usize = 2;
/// The largest displacement of a point, as a fraction of the scene, or of a coordinate where there is none.
const AMPLITUDE: f64 = 0.15;

impl Linearization {
    /// Those whose imaginary part is not negative: one for each pair, from the lowest.
    pub fn shown(&self) -> impl Iterator<Item = (usize, &Pole)> {
        self.poles.iter().filter(|pole| pole.im >= 0.0).enumerate()
    }

    /// A clip of each of the first modes that move.
    pub(super) fn clips(&self, model: &Model) -> Vec<Clip> {
        let system = model.mechanism.system();
        let clips = self.shown().take(MOST).filter_map(|(number, pole)| {
            let amplitude = self.amplitude(model, &*system, pole)?;
            let what = match pole.im > pole.error {
                true => format!("{} Hz", rough(pole.frequency)),
                false => format!("{} 1/s", shown(pole.re, pole.error)),
            };
            let mut clip = Clip::new(&format!("mode {}: {what}", number + 1));
            for frame in 0..=PERIODS * FRAMES {
                let part = frame as f64 / FRAMES as f64;
                let mut state = self.displaced(model, pole, amplitude, TAU * part)?;
                state.t = SECONDS * part;
                let mut measured = Measurement::default();
                system.measure(&state, &mut measured, &mut system.scratch());
                clip.push(&Sample {
                    step: frame as u64,
                    system: &*system,
                    state: &state,
                    measured: &measured,
                });
            }
            Some(clip)
        });
        clips.collect()
    }

    /// The state displaced by a mode at a phase.
    fn displaced(&self, model: &Model, pole: &Pole, amplitude: f64, phase: f64) -> Option<State> {
        let (c, s) = (math::cos(phase), math::sin(phase));
        let mut z: Vec<f64> = pole
            .shape
            .iter()
            .map(|[re, im]| amplitude * (re * c - im * s))
            .collect();
        z.resize(self.minimal.size(), 0.0);
        self.minimal.moved(&model.mechanism, &self.state, &z).ok()
    }

    /// The amplitude at which the mode is seen well.
    fn amplitude(&self, model: &Model, system: &dyn System, pole: &Pole) -> Option<f64> {
        const LITTLE: f64 = 1e-4;
        let places = |state: &State| {
            let mut poses = Poses::default();
            system.poses(state, &mut poses, &mut system.scratch());
            let frames = poses.frames.iter().map(|frame| frame.position);
            frames.chain(poses.points.iter().copied()).collect::<Vec<_>>()
        };
        let size = system.scene().size;
        let rest = places(&self.state);
        let mut farthest = 0.0_f64;
        for phase in [0.0, 0.25] {
            let moved = places(&self.displaced(model, pole, LITTLE, TAU * phase)?);
            for (a, b) in rest.iter().zip(&moved) {
                let apart = math::hypot(a[0] - b[0], math::hypot(a[1] - b[1], a[2] - b[2]));
                farthest = farthest.max(apart);
            }
        }
        let most = 2.0 * AMPLITUDE;
        match farthest > 0.0 && size > 0.0 {
            // Of turns that displace nothing, not more than can be seen as one.
            true => Some((AMPLITUDE * size / farthest * LITTLE).min(most.max(AMPLITUDE * size))),
            false => Some(most),
        }
    }
}
