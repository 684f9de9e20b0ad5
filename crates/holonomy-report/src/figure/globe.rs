//! Values on the faces of a sphere, as globes beside each other: one globe per moment.
//!
//! A face is flat and has one of a few shades, which go from dark to light, so that the map reads without colour
//! vision. Faces of one shade are one path: they leave no seams, and the file stays small.

use super::panels::Heading;
use super::style::{BASE, INK, LEADING, MARGIN, PAGE, SMALL, ramp};
use super::svg::{Face, Svg};
use super::text::width;
use super::view::{cross, dot};
use std::fmt::Write;

/// A scalar field on a sphere at several moments.
#[derive(Clone, Debug, PartialEq)]
pub struct Globes {
    /// The heading; empty for none.
    pub title: String,
    /// A line below everything; empty for none.
    pub caption: String,
    /// The faces of the unit sphere, counterclockwise from outside.
    pub faces: Vec<[[f64; 3]; 3]>,
    /// One globe each: its name, and a value per face.
    pub moments: Vec<(String, Vec<f64>)>,
    /// The quantity with its unit.
    pub label: String,
    /// Where one shade ends and the next begins, ascending.
    pub levels: Vec<f64>,
    /// From the centre to the reader.
    pub toward: [f64; 3],
}

const COLUMNS: usize = 3;
const RADIUS: f64 = 130.0;

impl Globes {
    /// The globes as SVG text.
    pub fn render(&self) -> String {
        let heading = Heading {
            title: &self.title,
            subtitle: None,
            caption: Some(&self.caption),
        };
        let mut svg = Svg::default();
        let mut bottom = heading.draw(&mut svg) + 8.0;
        let room = (PAGE - 2.0 * MARGIN) / COLUMNS as f64;
        for line in self.moments.chunks(COLUMNS) {
            for (column, (name, values)) in line.iter().enumerate() {
                let x = MARGIN + room * (column as f64 + 0.5);
                let face = Face::new(BASE).anchored("middle");
                svg.text([x, bottom + BASE], name, face);
                self.draw(&mut svg, [x, bottom + BASE * LEADING + 6.0 + RADIUS], values);
            }
            bottom += BASE * LEADING + 2.0 * RADIUS + 22.0;
        }
        bottom = self.draw_scale(&mut svg, bottom + 4.0);
        let page = heading.draw_caption(&mut svg, bottom);
        let names: Vec<&str> = self.moments.iter().map(|(name, _)| name.as_str()).collect();
        let description = format!(
            "{} on one half of the sphere, from dark (low) to light (high), at {}.",
            self.label,
            names.join("; ")
        );
        svg.document([PAGE, page], heading.title, &description)
    }

    /// The shade of a value: the number of levels that it reaches.
    fn shade(&self, value: f64) -> usize {
        self.levels.iter().filter(|level| value >= **level).count()
    }

    fn colour(&self, shade: usize) -> String {
        ramp(shade as f64 / self.levels.len().max(1) as f64)
    }

    fn draw(&self, svg: &mut Svg, [x, y]: [f64; 2], values: &[f64]) {
        let page = page_of(self.toward);
        let mut shades = vec![(String::new(), [0, 0]); self.levels.len() + 1];
        for (corners, &value) in self.faces.iter().zip(values) {
            let seen = corners.map(|corner| page.map(|axis| dot(axis, corner)));
            if seen.iter().map(|corner| corner[2]).sum::<f64>() <= 0.0 {
                continue;
            }
            // Whole pixels, counted from the face before: short numbers.
            let place = |part: f64| (part * RADIUS).round() as i32;
            let [a, b, c] = seen.map(|[right, up, _]| [place(right), -place(up)]);
            let (data, last) = &mut shades[self.shade(value)];
            data.push('m');
            push(data, *last, a);
            data.push('l');
            push(data, a, b);
            push(data, b, c);
            data.push('z');
            *last = a;
        }
        // The lowest shade is the ground.
        svg.circle(
            [x, y],
            RADIUS,
            &format!("fill=\"{}\" stroke=\"{INK}\" stroke-width=\"1\"", self.colour(0)),
        );
        svg.group(x, y);
        for (shade, (data, _)) in shades.iter().enumerate().skip(1) {
            let colour = self.colour(shade);
            svg.path(
                data,
                &format!("fill=\"{colour}\" stroke=\"{colour}\" stroke-width=\"0.7\""),
            );
        }
        svg.end_group();
    }

    /// Draws the shades with their levels; gives where they end.
    fn draw_scale(&self, svg: &mut Svg, top: f64) -> f64 {
        const SWATCH: f64 = 62.0;
        let count = self.levels.len() + 1;
        let middle = Face::new(BASE).anchored("middle");
        svg.text([0.5 * PAGE, top + BASE], &self.label, middle);
        let left = 0.5 * (PAGE - SWATCH * count as f64);
        let bar = top + BASE * LEADING + 4.0;
        for shade in 0..count {
            let fill = self.colour(shade);
            svg.rectangle(
                [left + SWATCH * shade as f64, bar],
                [SWATCH, 16.0],
                &format!("fill=\"{fill}\""),
            );
        }
        for (index, level) in self.levels.iter().enumerate() {
            let x = left + SWATCH * (index + 1) as f64;
            let text = level.to_string();
            debug_assert!(width(&text, SMALL) < SWATCH, "levels are short numbers");
            svg.line(
                [x, bar],
                [x, bar + 21.0],
                &format!("stroke=\"{INK}\" stroke-width=\"1\""),
            );
            svg.text(
                [x, bar + 21.0 + SMALL],
                &text,
                Face::new(SMALL).anchored("middle"),
            );
        }
        bar + 21.0 + 1.4 * SMALL
    }
}

/// The way from one point to another, with a sign or a space before each number.
fn push(data: &mut String, from: [i32; 2], to: [i32; 2]) {
    for (from, to) in from.into_iter().zip(to) {
        let step = to - from;
        if step >= 0 && data.ends_with(|last: char| last.is_ascii_digit()) {
            data.push(' ');
        }
        let _ = write!(data, "{step}");
    }
}

/// Directions of the page: right, up, towards the reader. The third axis of space points up the page, or the second
/// if the reader looks along the third.
fn page_of(toward: [f64; 3]) -> [[f64; 3]; 3] {
    let toward = unit(toward);
    let upright = if toward[2].abs() > 0.999 {
        [0.0, 1.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    };
    let right = unit(cross(upright, toward));
    [right, cross(toward, right), toward]
}

fn unit(vector: [f64; 3]) -> [f64; 3] {
    let length = dot(vector, vector).sqrt();
    match length.is_normal() {
        true => vector.map(|part| part / length),
        false => [1.0, 0.0, 0.0],
    }
}

#[cfg(test)]
mod tests {
    use super::super::well_formed::assert_well_formed;
    use super::*;

    const OCTANT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    fn globes(value: f64, toward: [f64; 3]) -> Globes {
        Globes {
            title: "a < b".into(),
            caption: "& so on".into(),
            faces: vec![OCTANT, OCTANT.map(|corner| corner.map(|part| -part))],
            moments: vec![("t = 0 s".into(), vec![value, value])],
            label: "energy (J)".into(),
            levels: vec![1.0, 2.0],
            toward,
        }
    }

    #[test]
    fn only_the_near_half_is_drawn() {
        for toward in [[1.0, 1.0, 1.0], [0.0, 0.0, 1.0], [-1.0, 0.2, 0.3], [0.0; 3]] {
            let text = globes(1.5, toward).render();
            assert_well_formed(&text);
            assert_eq!(text.matches("z\" fill").count(), 1, "{text}");
        }
    }

    #[test]
    fn shades_follow_the_levels_and_the_lowest_is_the_ground() {
        let shade = |value: f64| globes(value, OCTANT[0]).shade(value);
        assert_eq!([0.0, 0.99, 1.0, 1.99, 2.0, 9.0].map(shade), [0, 0, 1, 1, 2, 2]);
        assert_eq!(shade(f64::NAN), 0);
        assert!(!globes(0.5, [1.0; 3]).render().contains("z\" fill"));
    }

    #[test]
    fn the_page_is_right_handed_and_the_third_axis_points_up() {
        let [right, up, toward] = page_of([0.3, -0.5, 0.8]);
        assert!((dot(cross(right, up), toward) - 1.0).abs() < 1e-14);
        assert!(up[2] > 0.0 && right[2].abs() < 1e-15);
    }
}
