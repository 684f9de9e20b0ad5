//! One frame: what is where on the page, far things first, with the traces that the motion has left.
use super::{
    FilmOptions, RenderError,
    camera::{Camera, Placed},
    canvas::{BLACK, Canvas, Colour, WHITE},
    geometry::{finite, placed, rotated},
    letters,
    motion::{Moment, Motion},
    shapes::extents,
};
use holonomy::scene::{Axis, Scene, Shape};
use std::collections::VecDeque;

/// Draws moments of a motion.
pub(super) struct Picture {
    pub(super) scene: Scene,
    pub(super) camera: Camera,
    size: [u32; 2],
    pub(super) colours: Palette,
    /// Pixels of a line that is one wide at 720 lines.
    pub(super) unit: f32,
    pub(super) now: Moment,
    traces: Vec<Trace>,
    /// How long a trace lasts, s of the motion.
    memory: f64,
    /// The largest square of an angular velocity, where bodies are so many that their motion is shown by colour.
    pub(super) hottest: Option<f64>,
    /// Digits behind the point of the time.
    decimals: usize,
}

/// Where a body has been, and when.
struct Trace {
    of: Traced,
    body: usize,
    places: VecDeque<(f64, [f64; 3])>,
}

#[derive(Clone, Copy)]
enum Traced {
    Point(usize),
    /// A place in the axes of a frame.
    In(usize, [f64; 3]),
}

#[derive(Clone, Copy)]
pub(super) struct Palette {
    page: Colour,
    pub(super) ink: Colour,
    pub(super) rod: Colour,
    pub(super) faint: Colour,
}

const LIGHT: Palette = Palette {
    page: Colour::hex(0xf8_f9_fb),
    ink: Colour::hex(0x22_26_2c),
    rod: Colour::hex(0x9a_a2_ad),
    faint: Colour::hex(0xb4_bc_c8),
};
const DARK: Palette = Palette {
    page: Colour::hex(0x12_15_1a),
    ink: Colour::hex(0xe6_e9_ee),
    rod: Colour::hex(0x8d_96_a3),
    faint: Colour::hex(0x4a_54_62),
};

/// Okabe and Ito's palette, without yellow and black: both must show on light and on dark.
pub(super) const BODIES: [Colour; 6] = [
    Colour::hex(0x00_72_b2),
    Colour::hex(0xd5_5e_00),
    Colour::hex(0x00_9e_73),
    Colour::hex(0xcc_79_a7),
    Colour::hex(0xe6_9f_00),
    Colour::hex(0x56_b4_e9),
];
/// From slow to fast, even in lightness.
const HEAT: [Colour; 4] = [
    Colour::hex(0x44_3a_83),
    Colour::hex(0x31_68_8e),
    Colour::hex(0x35_b7_79),
    Colour::hex(0xfd_e7_25),
];
/// More bodies than that differ by nothing but their motion.
const FEW: usize = 24;
/// More than that leave no traces but one.
const MOST_TRACES: usize = 6;
/// How long a trace lasts, s of the film.
const MEMORY: f64 = 3.0;
/// Pieces of a trace, each as pale as it is old.
const PIECES: usize = 32;

/// Something to draw, and how near it is.
pub(super) struct Item {
    pub(super) depth: f64,
    pub(super) what: Mark,
}

pub(super) enum Mark {
    Line(Vec<[f32; 2]>, f32, Colour),
    /// A round bar: width of its shade, and its colour.
    Bar([[f32; 2]; 2], f32, Colour),
    Ball([f32; 2], f32, Colour),
    Ring([f32; 2], f32, Colour),
    /// Faces, those behind left out, each with its colour.
    Solid(Vec<([[f32; 2]; 4], Colour)>),
    /// A large sphere that one sees through.
    Globe([f32; 2], f32),
}

impl Picture {
    /// A picture that has room for the motion at all these times.
    pub(super) fn new(
        motion: &mut Motion,
        looks: &[f64],
        options: &FilmOptions,
    ) -> Result<Self, RenderError> {
        let scene = motion.scene.clone();
        let mut balls = Vec::new();
        let mut hottest = 0.0_f64;
        for t in looks {
            let moment = motion.at(*t)?;
            balls.extend(extents(&scene, &moment.poses));
            hottest = moment
                .heat
                .iter()
                .copied()
                .filter(|heat| heat.is_finite())
                .fold(hottest, f64::max);
        }
        let camera = Camera::around(&balls, scene.down, options.size);
        let [from, to] = [looks[0], looks[looks.len() - 1]];
        let speed = match options.pace {
            super::Pace::Usual => ((to - from) / super::LONGEST).max(1.0),
            super::Pace::Speed(speed) => speed,
            super::Pace::Duration(seconds) => (to - from) / seconds,
        };
        // A moment that does not move has a speed, too.
        let speed = if speed > 0.0 { speed } else { 1.0 };
        let step = speed / options.fps;
        let many = motion.at(from)?.heat.len() > FEW;
        Ok(Self {
            traces: traces(&scene),
            camera,
            size: options.size,
            colours: if options.dark { DARK } else { LIGHT },
            unit: options.size[0].min(options.size[1]) as f32 / 720.0,
            now: Moment::default(),
            memory: MEMORY * speed,
            hottest: (many && hottest > 0.0).then_some(hottest),
            decimals: (0..6)
                .find(|digits| 0.1_f64.powi(*digits) < 1.5 * step)
                .unwrap_or(6) as usize,
            scene,
        })
    }

    /// Goes on to a later time.
    pub(super) fn advance(&mut self, motion: &mut Motion, t: f64) -> Result<(), RenderError> {
        self.now.clone_from(motion.at(t)?);
        for trace in &mut self.traces {
            let place = match trace.of {
                Traced::Point(point) => self.now.poses.points.get(point).copied(),
                Traced::In(frame, centre) => self
                    .now
                    .poses
                    .frames
                    .get(frame)
                    .map(|frame| placed(frame, centre)),
            };
            if let Some(place) = place.filter(finite) {
                trace.places.push_back((t, place));
            }
            while trace
                .places
                .front()
                .is_some_and(|(then, _)| *then < t - self.memory)
            {
                trace.places.pop_front();
            }
        }
        Ok(())
    }

    /// Draws where everything is now.
    pub(super) fn draw(&self, canvas: &mut Canvas) {
        canvas.clear(self.colours.page);
        let mut items = Vec::new();
        self.trace(&mut items);
        for shape in &self.scene.shapes {
            self.shape(shape, &mut items);
        }
        items.retain(|item| item.depth.is_finite());
        // A stable order, so that what is equally near stays in the order of the scene.
        items.sort_by(|a, b| a.depth.total_cmp(&b.depth));
        for item in &items {
            self.mark(canvas, &item.what);
        }
        self.tripod(canvas);
        let height = 20.0 * self.unit;
        let text = format!("t = {:.*} s", self.decimals, self.now.t);
        let left = self.size[0] as f32 - letters::width(&text, height) - 28.0 * self.unit;
        let top = self.size[1] as f32 - height - 28.0 * self.unit;
        self.text(canvas, &text, height, [left, top]);
    }

    fn text(&self, canvas: &mut Canvas, text: &str, height: f32, at: [f32; 2]) {
        for stroke in letters::strokes(text, height, at) {
            canvas.stroke(&stroke, (0.11 * height).max(1.0), self.colours.ink);
        }
    }

    /// The axes of space, in the lower left corner.
    fn tripod(&self, canvas: &mut Canvas) {
        let length = 34.0 * self.unit;
        let origin = [62.0 * self.unit, self.size[1] as f32 - 62.0 * self.unit];
        for (axis, letter) in ["x", "y", "z"].into_iter().enumerate() {
            let mut unit = [0.0; 3];
            unit[axis] = 1.0;
            let [right, down, _] = self.camera.direction(unit).map(|part| part as f32);
            let at = |share: f32| {
                [
                    origin[0] + share * length * right,
                    origin[1] + share * length * down,
                ]
            };
            canvas.stroke(&[origin, at(1.0)], 2.0 * self.unit, self.colours.faint);
            let [x, y] = at(1.35);
            let height = 11.0 * self.unit;
            self.text(canvas, letter, height, [x - height / 3.0, y - 0.65 * height]);
        }
    }

    fn trace(&self, items: &mut Vec<Item>) {
        for trace in &self.traces {
            let places: Vec<(f64, Placed)> = trace
                .places
                .iter()
                .map(|(t, place)| (*t, self.camera.place(*place)))
                .collect();
            let piece = places.len().div_ceil(PIECES).max(1);
            for start in (0..places.len().saturating_sub(1)).step_by(piece) {
                let these = &places[start..(start + piece + 1).min(places.len())];
                let age = ((self.now.t - these[these.len() / 2].0) / self.memory).clamp(0.0, 1.0) as f32;
                items.push(Item {
                    depth: mean(these.iter().map(|(_, place)| place.depth)),
                    what: Mark::Line(
                        these.iter().map(|(_, place)| pixel(place)).collect(),
                        2.5 * self.unit,
                        self.body(trace.body).faded(0.75 * (1.0 - age)),
                    ),
                });
            }
        }
    }

    fn mark(&self, canvas: &mut Canvas, mark: &Mark) {
        match mark {
            Mark::Line(points, width, colour) => canvas.stroke(points, *width, *colour),
            Mark::Bar(ends, width, colour) => {
                canvas.stroke(ends, *width, colour.towards(BLACK, 0.45));
                canvas.stroke(ends, 0.62 * width, *colour);
                canvas.stroke(ends, 0.25 * width, colour.towards(WHITE, 0.45));
            }
            Mark::Ball(at, radius, colour) => {
                canvas.ball(
                    *at,
                    *radius,
                    [colour.towards(WHITE, 0.65), *colour, colour.towards(BLACK, 0.5)],
                );
            }
            Mark::Ring(at, radius, colour) => {
                canvas.fill_circle(*at, *radius, self.colours.page);
                canvas.circle(*at, *radius, 2.0 * self.unit, *colour);
            }
            Mark::Solid(faces) => {
                for (corners, colour) in faces {
                    canvas.fill(corners, *colour);
                    let edge = colour.towards(BLACK, 0.35);
                    let [a, b, c, d] = *corners;
                    canvas.stroke(&[a, b, c, d, a], 1.2 * self.unit, edge);
                }
            }
            Mark::Globe(at, radius) => {
                let Palette { page, faint, .. } = self.colours;
                let shade = |share: f32| page.towards(faint, share).faded(0.8);
                canvas.ball(*at, *radius, [shade(0.0), shade(0.2), shade(0.6)]);
                canvas.circle(*at, *radius, 1.2 * self.unit, faint);
            }
        }
    }

    pub(super) fn point(&self, index: usize) -> Option<Placed> {
        let point = self.now.poses.points.get(index)?;
        finite(point).then(|| self.camera.place(*point))
    }

    pub(super) fn axis(&self, axis: &Axis) -> [f64; 3] {
        let frame = axis.frame.and_then(|frame| self.now.poses.frames.get(frame));
        frame.map_or(axis.direction, |frame| rotated(frame.rotation, axis.direction))
    }

    pub(super) fn body(&self, body: usize) -> Colour {
        match (self.hottest, self.now.heat.get(body)) {
            (Some(hottest), Some(heat)) => {
                let place = ((heat / hottest).sqrt().clamp(0.0, 1.0) * (HEAT.len() - 1) as f64) as f32;
                let low = (place as usize).min(HEAT.len() - 2);
                HEAT[low].towards(HEAT[low + 1], place - low as f32)
            }
            _ => BODIES[body % BODIES.len()],
        }
    }
}

/// What leaves a trace: masses, points and centres of mass if they are few, else the last of them; nothing on a sphere of many.
fn traces(scene: &Scene) -> Vec<Trace> {
    let mut all: Vec<Trace> = Vec::new();
    for shape in &scene.shapes {
        let (of, body) = match shape {
            Shape::Mass { at, body, .. } => (Traced::Point(*at), *body),
            Shape::Point { at } => (Traced::Point(*at), *at),
            Shape::Inertia { body, centre, .. } => (Traced::In(*body, *centre), *body),
            _ => continue,
        };
        all.push(Trace {
            of,
            body,
            places: VecDeque::new(),
        });
    }
    let globe = scene
        .shapes
        .iter()
        .any(|shape| matches!(shape, Shape::Sphere { .. }));
    match (all.len() > MOST_TRACES, globe) {
        (true, true) => all.clear(),
        (true, false) => drop(all.drain(..all.len() - 1)),
        _ => {}
    }
    all
}

pub(super) fn pixel(place: &Placed) -> [f32; 2] {
    [place.x as f32, place.y as f32]
}

pub(super) fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len() as f64;
    numbers.sum::<f64>() / count
}
