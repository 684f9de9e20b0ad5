//! The directions of the axes of space.

use super::style::{MUTED, SMALL};
use super::svg::{Face, Pen, Svg};
use super::text::width;
use super::view::View;
use holonomy::math;

/// The length of an axis in the plane of the page.
const AXIS: f64 = 40.0;
/// The side of the square about the tripod with its labels.
pub(super) const SIZE: f64 = 110.0;

/// Draws the axes from a point of the page.
pub(super) fn draw(svg: &mut Svg, view: &View, [x, y]: [f64; 2]) {
    let axes = [
        ("x", [1.0, 0.0, 0.0]),
        ("y", [0.0, 1.0, 0.0]),
        ("z", [0.0, 0.0, 1.0]),
    ];
    for (name, direction) in axes {
        let [right, up, _] = view.project(direction);
        let tip = [x + AXIS * right, y - AXIS * up];
        svg.line(
            [x, y],
            tip,
            &format!("stroke=\"{MUTED}\" stroke-width=\"1.6\" stroke-linecap=\"round\""),
        );
        let length = math::hypot(right, up).max(1e-9);
        let (along, across) = ([right / length, -up / length], [up / length, right / length]);
        let corner = |back: f64, side: f64| {
            (
                tip[0] - back * along[0] + side * across[0],
                tip[1] - back * along[1] + side * across[1],
            )
        };
        let mut head = Pen::default();
        head.polyline([corner(-3.0, 0.0), corner(6.0, 3.5), corner(6.0, -3.5)]);
        svg.path(head.data(), &format!("fill=\"{MUTED}\""));
        let label = [
            tip[0] + 13.0 * along[0] - 0.5 * width(name, SMALL),
            tip[1] + 13.0 * along[1] + 0.3 * SMALL,
        ];
        svg.text(label, name, Face::new(SMALL).coloured(MUTED));
    }
}
