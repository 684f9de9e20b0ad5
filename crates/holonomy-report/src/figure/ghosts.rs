//! A mechanism at several times in one picture, from pale to dark.
use super::frame::Frame;
use super::style::{MARGIN, PAGE, SMALL};
use super::svg::{Face, Pen, Svg};
use super::text::width;

/// A mechanism at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Ghost {
    /// What the legend calls it.
    pub name: String,
    /// Polylines, as [`super::Space::links`].
    pub links: Vec<Vec<[f64; 3]>>,
    /// Polylines, as [`super::Space::strings`].
    pub strings: Vec<Vec<[f64; 3]>>,
}

/// Joints of a polyline that can be told apart.
pub(super) const JOINTS: usize = 40;

pub(super) fn draw(svg: &mut Svg, frame: &Frame, ghosts: &[Ghost]) {
    for (index, ghost) in ghosts.iter().enumerate() {
        let shade = shade(index, ghosts.len());
        draw_strings(svg, frame, &ghost.strings, &shade);
        let joint = if ghost.links.iter().map(Vec::len).sum::<usize>() > 12 {
            3.5
        } else {
            5.0
        };
        for link in &ghost.links {
            let joints = frame.polyline(link);
            let mut pen = Pen::default();
            pen.polyline(joints.iter().copied());
            let round = "stroke-linecap=\"round\" stroke-linejoin=\"round\"";
            svg.path(
                pen.data(),
                &format!("stroke=\"{shade}\" stroke-width=\"3\" {round}"),
            );
            if joints.len() <= JOINTS {
                for &(x, y) in joints.iter().skip(usize::from(joints.len() > 1)) {
                    svg.circle(
                        [x, y],
                        joint,
                        &format!("fill=\"{shade}\" stroke=\"#fff\" stroke-width=\"1\""),
                    );
                }
            }
        }
    }
}

/// Draws strings: thin lines.
pub(super) fn draw_strings(svg: &mut Svg, frame: &Frame, strings: &[Vec<[f64; 3]>], colour: &str) {
    let mut pen = Pen::default();
    for string in strings {
        pen.polyline(frame.polyline(string));
    }
    svg.path(pen.data(), &format!("stroke=\"{colour}\" stroke-width=\"1.2\""));
}

/// Draws the names from `top` on; gives their height.
pub(super) fn draw_legend(svg: &mut Svg, indent: f64, top: f64, ghosts: &[Ghost]) -> f64 {
    const BAR: f64 = 26.0;
    const GAP: f64 = 22.0;
    const LINE: f64 = 24.0;
    let left = MARGIN + indent;
    let (mut x, mut y) = (left, top);
    for (index, ghost) in ghosts.iter().enumerate() {
        let length = BAR + 8.0 + width(&ghost.name, SMALL);
        if x > left && x + length > PAGE - MARGIN {
            (x, y) = (left, y + LINE);
        }
        let fill = shade(index, ghosts.len());
        svg.rectangle([x, y + 9.0], [BAR, 5.0], &format!("fill=\"{fill}\""));
        svg.text([x + BAR + 8.0, y + 16.5], &ghost.name, Face::new(SMALL));
        x += length + GAP;
    }
    match ghosts.is_empty() {
        true => 0.0,
        false => y + LINE - top,
    }
}

/// From a pale blue to nearly black: lightness alone tells them apart.
fn shade(index: usize, count: usize) -> String {
    let share = if count > 1 {
        index as f64 / (count - 1) as f64
    } else {
        1.0
    };
    let mix = |pale: f64, dark: f64| (pale + share * (dark - pale)).round() as u8;
    format!(
        "#{:02x}{:02x}{:02x}",
        mix(176.0, 12.0),
        mix(208.0, 35.0),
        mix(235.0, 64.0)
    )
}
