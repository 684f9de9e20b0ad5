//! Clips as the text of a film.
use super::{Clip, Frame, MOST_TEXT, Stage};
use crate::{base64::base64, number::grouped};
use serde::Serialize;
use serde_json::Value;

/// The film of some runs as JSON; `None` where there is nothing to see.
pub fn film<'c>(clips: impl IntoIterator<Item = &'c Clip>) -> Option<String> {
    let seen = |clip: &'c Clip| {
        let stage = clip
            .stage
            .as_ref()?
            .as_ref()
            .filter(|_| !clip.frames.is_empty())?;
        let anything =
            !stage.chosen.points.is_empty() || !stage.chosen.frames.is_empty() || !stage.names.is_empty();
        anything.then_some((clip, stage))
    };
    let clips: Vec<(&Clip, &Stage)> = clips.into_iter().filter_map(seen).collect();
    let (_, first) = clips.first()?;
    // Scenes of one model are one scene; text is shared out evenly among the clips.
    let own = |k: usize| k == 0 || clips[k].1.scene != first.scene;
    let own: Vec<bool> = (0..clips.len()).map(own).collect();
    let scenes = clips.iter().zip(&own).filter(|(_, own)| **own);
    let scenes: usize = scenes.map(|((_, stage), _)| stage.text).sum();
    let each = MOST_TEXT.saturating_sub(scenes) / clips.len();
    let written = clips.iter().zip(&own).map(|((clip, stage), own)| {
        let stride = clip.stride(stage.most_frames(each));
        clip.written(stage, *own, stride)
    });
    let written: Vec<WrittenClip> = written.collect();
    let film = WrittenFilm {
        version: super::VERSION,
        note: note(&written),
        clips: written,
    };
    serde_json::to_string(&film).ok()
}

#[derive(Serialize)]
struct WrittenFilm<'a> {
    version: u64,
    #[serde(skip_serializing_if = "String::is_empty")]
    note: String,
    clips: Vec<WrittenClip<'a>>,
}

#[derive(Serialize)]
struct WrittenClip<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    note: &'a str,
    every: u64,
    ended: Option<&'a str>,
    scene: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bodies: Option<WrittenBodies>,
    times: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<WrittenPlaces>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frames: Option<WrittenFrames>,
    #[serde(skip_serializing_if = "Option::is_none")]
    heat: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coordinates: Option<WrittenCoordinates<'a>>,
}

#[derive(Serialize)]
struct WrittenBodies {
    shown: usize,
    of: usize,
}

#[derive(Serialize)]
struct WrittenPlaces {
    data: String,
    origin: [f64; 3],
    scale: f64,
}

#[derive(Serialize)]
struct WrittenFrames {
    positions: WrittenPlaces,
    rotations: String,
}

#[derive(Serialize)]
struct WrittenCoordinates<'a> {
    names: &'a [String],
    angles: &'a [bool],
    q: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    v: Option<String>,
}

impl Clip {
    /// The stride over the frames that are held with which at most so many are shown.
    fn stride(&self, most: usize) -> usize {
        // The last frame may be one more.
        self.frames.len().div_ceil(most.max(2) - 1).max(1)
    }

    fn written<'a>(&'a self, stage: &'a Stage, with_scene: bool, stride: usize) -> WrittenClip<'a> {
        let frames = &self.shown(stride)[..];
        let chosen = &stage.chosen;
        let each = |of: fn(&Frame) -> &[f64]| {
            let numbers = frames.iter().flat_map(|frame| of(frame));
            base64(
                &numbers
                    .flat_map(|x| (*x as f32).to_le_bytes())
                    .collect::<Vec<u8>>(),
            )
        };
        WrittenClip {
            name: &self.name,
            note: &self.note,
            every: self.every * stride as u64,
            ended: self.ended.as_deref(),
            scene: with_scene.then_some(&stage.scene),
            bodies: (chosen.bodies.len() < chosen.of).then_some(WrittenBodies {
                shown: chosen.bodies.len(),
                of: chosen.of,
            }),
            times: each(|frame| std::slice::from_ref(&frame.t)),
            points: (!chosen.points.is_empty()).then(|| places(frames, |frame| frame.points.iter().copied())),
            frames: (!chosen.frames.is_empty()).then(|| WrittenFrames {
                positions: places(frames, |frame| frame.poses.iter().map(|pose| pose.position)),
                rotations: rotations(frames),
            }),
            heat: stage.coloured.then(|| heat(frames)),
            coordinates: (!stage.names.is_empty()).then(|| WrittenCoordinates {
                names: &stage.names,
                angles: &stage.angles,
                q: each(|frame| &frame.q),
                v: stage.rates.then(|| each(|frame| &frame.v)),
            }),
        }
    }
}

/// Places in whole multiples of the smallest length that lets the whole motion fit.
fn places<'f, I: Iterator<Item = [f64; 3]>>(frames: &[&'f Frame], of: fn(&'f Frame) -> I) -> WrittenPlaces {
    let all = || frames.iter().flat_map(|frame| of(frame));
    let known = all().filter(|place| !place[0].is_nan());
    let [low, high] = known.fold([[f64::MAX; 3], [f64::MIN; 3]], |[low, high], place| {
        [
            [0, 1, 2].map(|k| place[k].min(low[k])),
            [0, 1, 2].map(|k| place[k].max(high[k])),
        ]
    });
    let origin = match low[0] <= high[0] {
        true => [0, 1, 2].map(|k| 0.5 * (low[k] + high[k])),
        false => [0.0; 3],
    };
    let half = (0..3).map(|k| 0.5 * (high[k] - low[k])).fold(0.0, f64::max);
    let scale = match half / f64::from(i16::MAX) {
        scale if scale >= f64::MIN_POSITIVE => scale,
        _ => 1.0,
    };
    let whole = |place: [f64; 3]| [0, 1, 2].map(|k| quantised((place[k] - origin[k]) / scale));
    WrittenPlaces {
        data: base64(
            &all()
                .flat_map(whole)
                .flat_map(i16::to_le_bytes)
                .collect::<Vec<u8>>(),
        ),
        origin,
        scale,
    }
}

fn rotations(frames: &[&Frame]) -> String {
    let poses = frames.iter().flat_map(|frame| &frame.poses);
    let whole = poses.flat_map(|pose| pose.rotation.map(|x| quantised(x * f64::from(i16::MAX))));
    base64(&whole.flat_map(i16::to_le_bytes).collect::<Vec<u8>>())
}

/// The nearest whole number, or the least of all for what is not a number.
fn quantised(x: f64) -> i16 {
    match x.is_nan() {
        true => i16::MIN,
        false => x.round().clamp(-f64::from(i16::MAX), f64::from(i16::MAX)) as i16,
    }
}

/// What is left out of a film.
fn note(clips: &[WrittenClip]) -> String {
    let mut notes = Vec::new();
    if let Some(every) = clips
        .iter()
        .map(|clip| clip.every)
        .max()
        .filter(|every| *every > 1)
    {
        let ending = match (every % 10, every % 100) {
            (_, 11..=13) => "th",
            (1, _) => "st",
            (2, _) => "nd",
            (3, _) => "rd",
            _ => "th",
        };
        notes.push(format!("Every {}{ending} sample is shown.", grouped(every)));
    }
    if let Some(bodies) = clips.iter().find_map(|clip| clip.bodies.as_ref()) {
        let [shown, of] = [bodies.shown, bodies.of].map(|count| grouped(count as u64));
        notes.push(format!("{shown} of {of} bodies are shown."));
    }
    notes.join(" ")
}

fn heat(frames: &[&Frame]) -> String {
    let all = || frames.iter().flat_map(|frame| &frame.kinetic).copied();
    let largest = all().filter(|x| x.is_finite()).fold(f64::MIN_POSITIVE, f64::max);
    base64(
        &all()
            .map(|x| (255.0 * (x / largest)).round() as u8)
            .collect::<Vec<u8>>(),
    )
}
