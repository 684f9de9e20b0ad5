//! Which bodies a film shows: all, or some of very many.
use super::{MOST_SCENE, MOST_SHOWN};
use crate::series::spread;
use holonomy::scene::{Scene, Shape};
use serde_json::Value;

/// Numbers of the bodies, points and frames that are shown, in the order of the scene.
#[derive(Debug, PartialEq)]
pub(super) struct Chosen {
    pub(super) bodies: Vec<usize>,
    pub(super) points: Vec<usize>,
    pub(super) frames: Vec<usize>,
    /// Bodies that there are.
    pub(super) of: usize,
}

/// The scene of a film, the length of its text, and what is in it. A scene of too many bodies keeps some of them, evenly spread, and
/// of their shapes those that stand alone: masses, boxes, rods, and the sphere they move on.
pub(super) fn of(scene: &Scene, bodies: usize) -> (Value, usize, Chosen) {
    if bodies <= MOST_SHOWN {
        let (value, text) = json(scene);
        if text <= MOST_SCENE {
            let all = Chosen {
                bodies: (0..bodies).collect(),
                points: (0..scene.points.len()).collect(),
                frames: (0..scene.frames.len()).collect(),
                of: bodies,
            };
            return (value, text, all);
        }
    }
    let mut most = MOST_SHOWN.min(bodies);
    loop {
        let (fewer, chosen) = thinned(scene, bodies, most);
        let (value, text) = json(&fewer);
        if text <= MOST_SCENE || most <= 2 {
            return (value, text, chosen);
        }
        most /= 2;
    }
}

/// A scene as JSON, with the digits that a picture needs, and the length of its text.
fn json(scene: &Scene) -> (Value, usize) {
    let mut value = serde_json::to_value(scene).unwrap_or_default();
    shorten(&mut value);
    let text = value.to_string().len();
    (value, text)
}

fn shorten(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(shorten),
        Value::Object(map) => map.values_mut().for_each(shorten),
        Value::Number(number) if number.is_f64() => {
            let digits = number
                .as_f64()
                .and_then(|x| format!("{x:.6e}").parse::<f64>().ok());
            *value = digits.map_or(Value::Null, Value::from);
        }
        _ => {}
    }
}

fn thinned(scene: &Scene, count: usize, most: usize) -> (Scene, Chosen) {
    let bodies = spread(count, most);
    let mut points = Numbers::new(scene.points.len());
    let number = |body: usize| bodies.binary_search(&body).ok();
    let mut shapes = Vec::new();
    for shape in &scene.shapes {
        let mut shape = shape.clone();
        let kept = match &mut shape {
            Shape::Rod { body, from, to, .. } => number(*body).map(|new| {
                (*body, *from, *to) = (new, points.of(*from), points.of(*to));
            }),
            Shape::Mass { body, at, .. } => number(*body).map(|new| {
                (*body, *at) = (new, points.of(*at));
            }),
            Shape::Inertia { body, .. } => number(*body).map(|new| *body = new),
            Shape::Sphere { centre, .. } => {
                *centre = points.of(*centre);
                Some(())
            }
            _ => None,
        };
        shapes.extend(kept.map(|()| shape));
    }
    // Bodies of a tree are its frames.
    let frames = match scene.frames.len() == count {
        true => bodies.clone(),
        false => Vec::new(),
    };
    let chosen = Chosen {
        points: points.taken,
        frames,
        bodies,
        of: count,
    };
    let scene = Scene {
        frames: chosen
            .frames
            .iter()
            .filter_map(|&k| scene.frames.one(k))
            .collect(),
        points: chosen
            .points
            .iter()
            .filter_map(|&k| scene.points.one(k))
            .collect(),
        shapes,
        ..*scene
    };
    (scene, chosen)
}

/// New numbers for those that are asked for.
struct Numbers {
    new: Vec<Option<usize>>,
    taken: Vec<usize>,
}

impl Numbers {
    fn new(count: usize) -> Self {
        Self {
            new: vec![None; count],
            taken: Vec::new(),
        }
    }

    fn of(&mut self, old: usize) -> usize {
        *self.new[old].get_or_insert_with(|| {
            self.taken.push(old);
            self.taken.len() - 1
        })
    }
}
