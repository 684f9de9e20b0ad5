//! The few SVG elements that the figures need.

use super::style::{FONT, INK};
use std::fmt::Write;

/// An SVG document under construction.
#[derive(Default)]
pub(super) struct Svg {
    body: String,
    clock: String,
}

/// Where time is in a figure: `data-time`, the first and the last second, at `data-x`, over the height of `data-y`.
pub(super) struct Clock {
    pub(super) time: [f64; 2],
    pub(super) x: [f64; 2],
    pub(super) y: [f64; 2],
}

impl Clock {
    fn attributes(&self) -> String {
        let pair = |[a, b]: [f64; 2]| format!("{} {}", number(a), number(b));
        // The last digits of a time are those of sums.
        let [from, to] = self.time.map(|t| format!("{t:.11e}").parse().unwrap_or(t));
        let (x, y) = (pair(self.x), pair(self.y));
        format!(" data-time=\"{from} {to}\" data-x=\"{x}\" data-y=\"{y}\"")
    }
}

/// How a text element is set.
#[derive(Clone, Copy)]
pub(super) struct Face {
    pub(super) size: f64,
    pub(super) anchor: &'static str,
    pub(super) colour: &'static str,
    pub(super) bold: bool,
    /// A white outline, for text that may lie on lines.
    pub(super) halo: bool,
}

impl Face {
    pub(super) fn new(size: f64) -> Self {
        Self {
            size,
            anchor: "start",
            colour: INK,
            bold: false,
            halo: false,
        }
    }

    pub(super) fn anchored(self, anchor: &'static str) -> Self {
        Self { anchor, ..self }
    }

    pub(super) fn coloured(self, colour: &'static str) -> Self {
        Self { colour, ..self }
    }

    pub(super) fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub(super) fn halo(self) -> Self {
        Self { halo: true, ..self }
    }

    fn attributes(&self) -> String {
        let mut attributes = format!("font-size=\"{}\" fill=\"{}\"", number(self.size), self.colour);
        if self.anchor != "start" {
            let _ = write!(attributes, " text-anchor=\"{}\"", self.anchor);
        }
        if self.bold {
            attributes.push_str(" font-weight=\"bold\"");
        }
        if self.halo {
            attributes.push_str(
                " stroke=\"#fff\" stroke-width=\"4\" stroke-linejoin=\"round\" paint-order=\"stroke\"",
            );
        }
        attributes
    }
}

impl Svg {
    /// Appends an element that is already valid SVG.
    pub(super) fn element(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    pub(super) fn group(&mut self, x: f64, y: f64) {
        self.element(&format!(
            "<g transform=\"translate({} {})\">",
            number(x),
            number(y)
        ));
    }

    /// A group that a player's cursor moves over.
    pub(super) fn clock_group(&mut self, x: f64, y: f64, clock: Option<&Clock>) {
        let (x, y) = (number(x), number(y));
        let clock = clock.map_or_else(String::new, Clock::attributes);
        self.element(&format!("<g transform=\"translate({x} {y})\"{clock}>"));
    }

    /// Lets a player's cursor move over the whole document.
    pub(super) fn set_clock(&mut self, clock: &Clock) {
        self.clock = clock.attributes();
    }

    pub(super) fn end_group(&mut self) {
        self.element("</g>");
    }

    pub(super) fn line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], attributes: &str) {
        let (x1, y1, x2, y2) = (number(x1), number(y1), number(x2), number(y2));
        self.element(&format!("<path d=\"M{x1} {y1} {x2} {y2}\" {attributes}/>"));
    }

    pub(super) fn path(&mut self, data: &str, attributes: &str) {
        if !data.is_empty() {
            self.element(&format!("<path d=\"{data}\" {attributes}/>"));
        }
    }

    pub(super) fn rectangle(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], attributes: &str) {
        let (x, y, width, height) = (number(x), number(y), number(width), number(height));
        self.element(&format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {attributes}/>"
        ));
    }

    pub(super) fn circle(&mut self, [x, y]: [f64; 2], radius: f64, attributes: &str) {
        let (x, y, radius) = (number(x), number(y), number(radius));
        self.element(&format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {attributes}/>"
        ));
    }

    pub(super) fn text(&mut self, [x, y]: [f64; 2], text: &str, face: Face) {
        if text.is_empty() {
            return;
        }
        let (x, y, text) = (number(x), number(y), escape(text));
        self.element(&format!(
            "<text x=\"{x}\" y=\"{y}\" {}>{text}</text>",
            face.attributes()
        ));
    }

    /// Text that reads upwards.
    pub(super) fn upward_text(&mut self, [x, y]: [f64; 2], text: &str, face: Face) {
        let (x, y, text) = (number(x), number(y), escape(text));
        let attributes = face.attributes();
        self.element(&format!(
            "<text transform=\"translate({x} {y})rotate(-90)\" {attributes}>{text}</text>"
        ));
    }

    /// The whole document on a white page.
    pub(super) fn document(self, [width, height]: [f64; 2], title: &str, description: &str) -> String {
        let (width, height) = (number(width), number(height));
        let (title, description) = (escape(title), escape(description));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" font-family=\"{FONT}\" fill=\"none\"{}>\n<title>{title}</title>\n\
             <desc>{description}</desc>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n{}</svg>\n",
            self.clock, self.body
        )
    }
}

/// The `d` attribute of a path made of polylines.
#[derive(Default)]
pub(super) struct Pen {
    data: String,
}

impl Pen {
    pub(super) fn polyline(&mut self, points: impl IntoIterator<Item = (f64, f64)>) {
        let mut count = 0;
        for (x, y) in points {
            self.data.push(if count == 0 { 'M' } else { ' ' });
            let _ = write!(self.data, "{} {}", number(x), number(y));
            count += 1;
        }
        // A round line cap turns the segment of length zero into a dot.
        if count == 1 {
            self.data.push_str("h0");
        }
    }

    pub(super) fn data(&self) -> &str {
        &self.data
    }
}

/// A coordinate with at most two decimals.
pub(super) fn number(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    if rounded == 0.0 {
        "0".into()
    } else {
        rounded.to_string()
    }
}

/// Text made safe for element content and attributes; characters that XML forbids become U+FFFD.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_have_two_decimals() {
        assert_eq!(number(1.23456), "1.23");
        assert_eq!(number(-0.0001), "0");
        assert_eq!(number(-12.5), "-12.5");
    }

    #[test]
    fn markup_is_escaped() {
        assert_eq!(
            escape("a<b & \"c\">d\u{1}"),
            "a&lt;b &amp; &quot;c&quot;&gt;d\u{fffd}"
        );
    }

    #[test]
    fn a_lone_point_is_a_dot() {
        let mut pen = Pen::default();
        pen.polyline([(1.0, 2.0)]);
        pen.polyline([(3.0, 4.0), (5.0, 6.5)]);
        assert_eq!(pen.data(), "M1 2h0M3 4 5 6.5");
    }
}
