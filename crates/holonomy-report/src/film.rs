//! The film of a run: what a page needs to show it moving, thinned and quantised for display only.
//!
//! ```text
//! { "version": 1,
//!   "note": "Every 5th sample is shown.",  absent where all samples and bodies are
//!   "clips": [ {
//!      "name": "sphere-implicit",          the method: a report has one clip, a comparison one per method
//!      "note": "largest |E − E₀| 2.5×10⁻⁶ J",
//!      "every": 5,                         samples of the run from one frame to the next; the last may be nearer
//!      "ended": null,                      or why the run ended early
//!      "scene": { … },                     holonomy::scene::Scene; null where it is that of the first clip
//!      "bodies": { "shown": 1000, "of": 40962 },                    absent where all are shown
//!      "times": f32 [frames],
//!      "points": { "data": i16 [frames][points][3], "origin": [x, y, z], "scale": s },      metres = origin + s · i; no value: i = −32768
//!      "frames": { "positions": as points, "rotations": i16 [frames][n][4] },               w x y z · 32767
//!      "heat": u8 [frames][bodies],        kinetic energy of each of many separate bodies, 255 for the largest shown
//!      "coordinates": { "names": […], "angles": […], "q": f32 [frames][n], "v": f32 [frames][n] } } ] }
//! ```
//! Arrays of numbers are little-endian bytes in base64. What a system does not have is absent: frames are those of
//! trees, coordinates those of Lagrangians (at most eight, angles not wrapped; `v` only where velocities are theirs).
//!
//! The first and the last sample are always there. Between them frames are evenly spaced, as many as fit: a film is at
//! most 600 kB of text however long the run is and however many bodies it has.
mod chosen;
mod written;

pub use written::film;

use chosen::Chosen;
use holonomy::{
    scene::{FramePose, Poses},
    simulation::{Sample, Simulation},
    system::{Base, Layout, Measurement, Scratch, State, System},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Of the form above.
const VERSION: u64 = 1;
/// Text of a film at most, and of its scene, bytes.
const MOST_TEXT: usize = 600_000;
const MOST_SCENE: usize = 150_000;
/// Frames of a clip at most: minutes of film, every tenth of a second another.
const MOST_FRAMES: usize = 6000;
/// Frames in memory for each that can be shown.
const SPARE: usize = 4;
/// Bodies of a run that has a film, and those that are shown.
const MOST_BODIES: usize = 200_000;
const MOST_SHOWN: usize = 1000;
/// Separate bodies from which on colours tell more than the motion of each.
const FEWEST_COLOURED: usize = 20;
/// Coordinates that are shown.
const MOST_COORDINATES: usize = 8;
/// Squares of larger numbers overflow.
const LARGEST: f64 = 1e150;

/// Whether a text is a film that the player of this version can show.
pub fn check(text: &str) -> Result<(), FilmError> {
    let film: Value = serde_json::from_str(text)?;
    match (film["version"].as_u64(), film["clips"].as_array()) {
        (Some(VERSION), Some(_)) => Ok(()),
        _ => Err(FilmError::Foreign),
    }
}

/// Why a text is no film.
#[derive(Debug, thiserror::Error)]
pub enum FilmError {
    /// It is not JSON.
    #[error("it is not JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    /// It has another form.
    #[error("it has no clips of version {VERSION}")]
    Foreign,
}

/// One run as frames, in bounded memory however long it is.
///
/// Frames are those of every n-th sample. When there are too many, every other one is dropped and n doubles.
#[derive(Default, Serialize, Deserialize)]
pub struct Clip {
    /// Set when the first sample comes, also the first after the clip was stored.
    #[serde(skip)]
    stage: Option<Option<Stage>>,
    frames: Vec<Frame>,
    last: Option<Frame>,
    /// Samples from one frame to the next, and samples seen.
    every: u64,
    seen: u64,
    name: String,
    note: String,
    ended: Option<String>,
}

/// What stays the same over a clip.
struct Stage {
    scene: Value,
    /// Bytes of the scene's text.
    text: usize,
    chosen: Chosen,
    coloured: bool,
    /// Names of the coordinates that are shown, whether they are angles, and whether their velocities are.
    names: Vec<String>,
    angles: Vec<bool>,
    rates: bool,
    /// Frames that are held in memory at most.
    room: usize,
    poses: Poses,
    scratch: Scratch,
}

/// What is seen at one time.
#[derive(Serialize, Deserialize)]
struct Frame {
    t: f64,
    points: Vec<[f64; 3]>,
    poses: Vec<FramePose>,
    kinetic: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Clip {
    /// A clip of a run by this method, without frames.
    pub fn new(method: &str) -> Self {
        Self {
            name: method.to_owned(),
            ..Self::default()
        }
    }

    /// Takes one more sample.
    pub fn push(&mut self, sample: &Sample) {
        self.every = self.every.max(1);
        let number = self.seen;
        self.seen += 1;
        let stage = self.stage.get_or_insert_with(|| Stage::new(sample.system));
        let Some(stage) = stage else { return };
        if !number.is_multiple_of(self.every) {
            return;
        }
        if self.frames.len() >= stage.room {
            let mut index = 0;
            self.frames.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.every *= 2;
        }
        if number.is_multiple_of(self.every) {
            let frame = stage.frame(sample.system, sample.state, sample.measured);
            self.frames.extend(frame);
        }
    }

    /// The run is over: its last state, what to know of it beside the picture, and why it ended early, if it did.
    pub fn close(&mut self, simulation: &Simulation, note: String, ended: Option<String>) {
        (self.note, self.ended) = (note, ended);
        let (system, state) = (simulation.system(), &simulation.state);
        if self.seen == 0 {
            return;
        }
        let stage = self.stage.get_or_insert_with(|| Stage::new(&**system));
        let Some(stage) = stage else { return };
        if self.frames.last().is_none_or(|frame| frame.t != state.t) {
            let mut measured = Measurement::default();
            system.measure(state, &mut measured, &mut system.scratch());
            self.last = stage.frame(&**system, state, &measured);
        }
    }

    /// Every so many of the frames that are held, and the last.
    fn shown(&self, stride: usize) -> Vec<&Frame> {
        let spaced = self.frames.iter().step_by(stride);
        let mut shown: Vec<&Frame> = spaced.collect();
        if let Some(last) = self.last.as_ref().or(self.frames.last())
            && shown.last().is_some_and(|frame| frame.t != last.t)
        {
            shown.push(last);
        }
        shown
    }
}

impl Stage {
    /// `None` where there are more bodies than a page can tell apart.
    fn new(system: &dyn System) -> Option<Self> {
        let layout = system.layout();
        if layout.words.bodies.len() > MOST_BODIES || layout.drawing.bases.len() > MOST_BODIES {
            return None;
        }
        let scene = system.scene();
        let framed = !scene.frames.is_empty();
        let (scene, text, chosen) = chosen::of(&scene, layout.words.bodies.len());
        // Of bodies that move in space coordinates tell nothing more.
        let count = match !framed && layout.words.bodies.len() == layout.coordinates.len() {
            true => layout.coordinates.len().min(MOST_COORDINATES),
            false => 0,
        };
        let is_angle = |i: usize| layout.periodic.get(i).copied().unwrap_or(false);
        let mut stage = Self {
            coloured: !framed && count == 0 && are_separate(layout),
            names: layout.coordinates.iter().take(count).cloned().collect(),
            angles: (0..count).map(is_angle).collect(),
            rates: layout.velocities.len() == layout.coordinates.len() && layout.words.fields.is_empty(),
            scene,
            text,
            chosen,
            room: 0,
            poses: Poses::default(),
            scratch: system.scratch(),
        };
        // More than a clip can show: a choice from them in the end wastes less than halves.
        stage.room = SPARE * stage.most_frames(MOST_TEXT - stage.text.min(MOST_TEXT));
        Some(stage)
    }

    /// Frames that fit into a text of so many bytes.
    fn most_frames(&self, text: usize) -> usize {
        let bytes = text.saturating_sub(1000) / 4 * 3;
        (bytes / self.bytes()).clamp(2, MOST_FRAMES)
    }

    /// Bytes of a frame.
    fn bytes(&self) -> usize {
        let coordinates = self.names.len() * if self.rates { 8 } else { 4 };
        let coloured = if self.coloured {
            self.chosen.bodies.len()
        } else {
            0
        };
        4 + 6 * self.chosen.points.len() + 14 * self.chosen.frames.len() + coloured + coordinates
    }

    /// What is seen of a state; `None` where it is none.
    fn frame(&mut self, system: &dyn System, state: &State, measured: &Measurement) -> Option<Frame> {
        system.poses(state, &mut self.poses, &mut self.scratch);
        let Poses { frames, points } = &self.poses;
        // A point need not have a value everywhere; a frame has one, or the whole state has none.
        let known = |place: &[f64; 3]| match place.iter().all(|x| x.abs() < LARGEST) {
            true => *place,
            false => [f64::NAN; 3],
        };
        let points = self.chosen.points.iter().filter_map(|&k| points.get(k));
        let points: Vec<[f64; 3]> = points.map(known).collect();
        let poses = self.chosen.frames.iter().filter_map(|&k| frames.get(k));
        let poses: Vec<FramePose> = poses.copied().collect();
        let numbers = poses
            .iter()
            .flat_map(|pose| pose.position.into_iter().chain(pose.rotation));
        let measures = state.is_finite() && numbers.into_iter().all(|x| x.abs() < LARGEST);
        let kinetic = |&body: &usize| {
            let three = |x: &[f64], k: usize| x.get(3 * body + k).copied().unwrap_or(0.0);
            // Momenta of separate bodies are I ω.
            let parts = (0..3).map(|k| three(&state.p, k) * three(&measured.velocity, k));
            0.5 * parts.sum::<f64>()
        };
        let count = self.names.len();
        let first = |list: &[f64]| list.iter().copied().take(count).collect();
        measures.then(|| Frame {
            t: state.t,
            kinetic: match self.coloured {
                true => self.chosen.bodies.iter().map(kinetic).collect(),
                false => Vec::new(),
            },
            q: first(&state.q),
            v: match self.rates {
                true => first(&measured.velocity),
                false => Vec::new(),
            },
            points,
            poses,
        })
    }
}

/// Whether there are many bodies, none of which holds another: each has a kinetic energy of its own.
fn are_separate(layout: &Layout) -> bool {
    let bases = &layout.drawing.bases;
    bases.len() >= FEWEST_COLOURED
        && layout.coordinates.len() == 3 * bases.len()
        && bases.iter().all(|base| matches!(base, Base::Fixed(_)))
}

#[cfg(test)]
mod tests;
