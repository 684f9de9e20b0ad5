//! The translucent unit sphere with its meridians and parallels.

use super::svg::{Pen, Svg};
use super::view::{View, horizontal};
use holonomy::math;
use std::f64::consts::{FRAC_PI_4, FRAC_PI_6, TAU};

const SEGMENTS: i32 = 72;

/// Draws the half behind the centre; paths behind the centre come on top of it.
pub(super) fn draw_back(svg: &mut Svg, view: &View, centre: [f64; 2], scale: f64) {
    let stop =
        |(offset, colour): (&str, &str)| format!("<stop offset=\"{offset}\" stop-color=\"{colour}\"/>");
    let stops: String = [("0", "#fff"), ("0.55", "#f1f5f9"), ("1", "#ccd6e1")]
        .into_iter()
        .map(stop)
        .collect();
    let place = "id=\"ball\" cx=\"0.36\" cy=\"0.3\" r=\"0.75\"";
    svg.element(&format!(
        "<defs><radialGradient {place}>{stops}</radialGradient></defs>"
    ));
    svg.circle(centre, scale, "fill=\"url(#ball)\"");
    draw_lines(
        svg,
        view,
        centre,
        scale,
        -1.0,
        "stroke=\"#b4c0cc\" stroke-width=\"0.7\" stroke-opacity=\"0.55\"",
    );
}

/// Draws the half before the centre, which veils what is behind it.
pub(super) fn draw_front(svg: &mut Svg, view: &View, centre: [f64; 2], scale: f64) {
    svg.circle(
        centre,
        scale,
        "fill=\"url(#ball)\" fill-opacity=\"0.3\" stroke=\"#93a1af\" stroke-width=\"1.1\"",
    );
    draw_lines(
        svg,
        view,
        centre,
        scale,
        1.0,
        "stroke=\"#93a1af\" stroke-width=\"0.9\" stroke-opacity=\"0.8\"",
    );
}

/// Draws the parts of the lines whose depth has this sign.
fn draw_lines(svg: &mut Svg, view: &View, [x, y]: [f64; 2], scale: f64, sign: f64, attributes: &str) {
    let mut pen = Pen::default();
    for line in lines(view) {
        let projected: Vec<[f64; 3]> = line.into_iter().map(|point| view.project(point)).collect();
        let mut stretch: Vec<(f64, f64)> = Vec::new();
        for pair in projected.windows(2) {
            let page = |point: [f64; 3]| (x + scale * point[0], y - scale * point[1]);
            if sign * (pair[0][2] + pair[1][2]) >= 0.0 {
                if stretch.is_empty() {
                    stretch.push(page(pair[0]));
                }
                stretch.push(page(pair[1]));
            } else if !stretch.is_empty() {
                pen.polyline(std::mem::take(&mut stretch));
            }
        }
        if !stretch.is_empty() {
            pen.polyline(stretch);
        }
    }
    svg.path(pen.data(), attributes);
}

/// Four great circles through the poles, and parallels every 30 degrees.
fn lines(view: &View) -> Vec<Vec<[f64; 3]>> {
    let (first, second) = horizontal(view.vertical);
    let point = |latitude: f64, longitude: f64| {
        [0, 1, 2].map(|axis| {
            let level = math::cos(longitude) * first[axis] + math::sin(longitude) * second[axis];
            math::cos(latitude) * level + math::sin(latitude) * view.vertical[axis]
        })
    };
    let angle = |step: i32| TAU * f64::from(step) / f64::from(SEGMENTS);
    let parallel = |latitude: f64| (0..=SEGMENTS).map(|step| point(latitude, angle(step))).collect();
    let meridian = |longitude: f64| (0..=SEGMENTS).map(|step| point(angle(step), longitude)).collect();
    let parallels = (-2..=2).map(|index| parallel(f64::from(index) * FRAC_PI_6));
    parallels
        .chain((0..4).map(|index| meridian(f64::from(index) * FRAC_PI_4)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lie_on_the_unit_sphere() {
        for point in lines(&View::with_down([0.1, 0.2, -0.9])).concat() {
            assert!((point.iter().map(|part| part * part).sum::<f64>() - 1.0).abs() < 1e-14);
        }
    }
}
