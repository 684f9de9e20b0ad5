//! Pixels, and what can be drawn on them: strokes, polygons, balls.
use tiny_skia::{
    Color, FillRule, GradientStop, LineCap, LineJoin, Paint, PathBuilder, Pixmap, Point, RadialGradient,
    Shader, SpreadMode, Stroke, Transform,
};

/// A page of pixels.
pub(super) struct Canvas {
    pixels: Pixmap,
}

/// Red, green, blue and opacity, each from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Colour(pub(super) [f32; 4]);

impl Colour {
    /// An opaque colour, written 0xRRGGBB.
    pub(super) const fn hex(code: u32) -> Self {
        let [_, red, green, blue] = code.to_be_bytes();
        Self([red as f32 / 255.0, green as f32 / 255.0, blue as f32 / 255.0, 1.0])
    }

    pub(super) fn faded(self, opacity: f32) -> Self {
        let [r, g, b, a] = self.0;
        Self([r, g, b, a * opacity])
    }

    /// On the way to another colour.
    pub(super) fn towards(self, other: Self, share: f32) -> Self {
        let mix = |k: usize| self.0[k] + share.clamp(0.0, 1.0) * (other.0[k] - self.0[k]);
        Self([mix(0), mix(1), mix(2), mix(3)])
    }

    fn get(self) -> Color {
        let [r, g, b, a] = self.0.map(|part| part.clamp(0.0, 1.0));
        Color::from_rgba(r, g, b, a).unwrap_or(Color::BLACK)
    }
}

pub(super) const WHITE: Colour = Colour::hex(0xff_ff_ff);
pub(super) const BLACK: Colour = Colour::hex(0);

impl Canvas {
    /// `None` if there are no pixels, or too many.
    pub(super) fn new([width, height]: [u32; 2]) -> Option<Self> {
        Pixmap::new(width, height).map(|pixels| Self { pixels })
    }

    pub(super) fn clear(&mut self, colour: Colour) {
        self.pixels.fill(colour.get());
    }

    /// The pixels; after [`Canvas::clear`] with an opaque colour all are opaque.
    pub(super) fn pixels(&self) -> &Pixmap {
        &self.pixels
    }

    /// A line, with round ends if it is opaque; a single point is a dot.
    pub(super) fn stroke(&mut self, points: &[[f32; 2]], width: f32, colour: Colour) {
        if let [at] = points {
            return self.fill_circle(*at, 0.5 * width, colour);
        }
        let Some(path) = polyline(points, false) else {
            return;
        };
        let stroke = Stroke {
            width,
            // Round ends of pieces that one sees through would show as dots where they meet.
            line_cap: if colour.0[3] < 1.0 {
                LineCap::Butt
            } else {
                LineCap::Round
            },
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        self.pixels.stroke_path(
            &path,
            &paint(Shader::SolidColor(colour.get())),
            &stroke,
            Transform::identity(),
            None,
        );
    }

    pub(super) fn fill(&mut self, corners: &[[f32; 2]], colour: Colour) {
        if let Some(path) = polyline(corners, true) {
            let paint = paint(Shader::SolidColor(colour.get()));
            self.pixels
                .fill_path(&path, &paint, FillRule::Winding, Transform::identity(), None);
        }
    }

    pub(super) fn fill_circle(&mut self, [x, y]: [f32; 2], radius: f32, colour: Colour) {
        if let Some(path) = PathBuilder::from_circle(x, y, radius) {
            let paint = paint(Shader::SolidColor(colour.get()));
            self.pixels
                .fill_path(&path, &paint, FillRule::Winding, Transform::identity(), None);
        }
    }

    pub(super) fn circle(&mut self, [x, y]: [f32; 2], radius: f32, width: f32, colour: Colour) {
        if let Some(path) = PathBuilder::from_circle(x, y, radius) {
            let stroke = Stroke {
                width,
                ..Stroke::default()
            };
            let paint = paint(Shader::SolidColor(colour.get()));
            self.pixels
                .stroke_path(&path, &paint, &stroke, Transform::identity(), None);
        }
    }

    /// A ball in light from the upper left: colours of its brightest point, of its body and of its rim.
    pub(super) fn ball(&mut self, [x, y]: [f32; 2], radius: f32, colours: [Colour; 3]) {
        let Some(path) = PathBuilder::from_circle(x, y, radius) else {
            return;
        };
        let stops = [0.0, 0.45, 1.0].iter().zip(colours);
        let stops: Vec<GradientStop> = stops
            .map(|(at, colour)| GradientStop::new(*at, colour.get()))
            .collect();
        let light = Point::from_xy(x - 0.35 * radius, y - 0.35 * radius);
        let gradient = RadialGradient::new(
            light,
            0.0,
            light,
            1.5 * radius,
            stops,
            SpreadMode::Pad,
            Transform::identity(),
        );
        let Some(shader) = gradient else {
            return self.fill_circle([x, y], radius, colours[1]);
        };
        self.pixels.fill_path(
            &path,
            &paint(shader),
            FillRule::Winding,
            Transform::identity(),
            None,
        );
    }
}

fn paint(shader: Shader<'_>) -> Paint<'_> {
    Paint {
        shader,
        anti_alias: true,
        ..Paint::default()
    }
}

fn polyline(points: &[[f32; 2]], closed: bool) -> Option<tiny_skia::Path> {
    let mut path = PathBuilder::new();
    let [x, y] = *points.first()?;
    path.move_to(x, y);
    for [x, y] in &points[1..] {
        path.line_to(*x, *y);
    }
    if closed {
        path.close();
    }
    path.finish()
}
