//! How the forces of ropes over pulleys change, in the terms of `wrap.rs`.
//!
//! ```text
//! span, by d seen from the pulley:   ∂²g/∂d² in the axes e_D, e_ψ, e
//!     DD  1/L − D²/L³ + κ² (1/D²t + 1/t³)     ψψ  1/L − κ²/D²t        Dψ  −κ/D²
//!     zz  1/L − z²/L³                         Dz  −D z/L³
//! swivel, by x and y:    f'' = R²/(t d²),  f'/d = t/d²;    n normal to both, p = (e_y − e_x cos γ)/sin γ, q alike for y
//!     ∂²γ/∂x²  = (e_x pᵀ + p e_xᵀ + cot γ n nᵀ)/|x|²          ∂²γ/∂x∂y = −n nᵀ/(|x| |y| sin γ)
//! ```
use super::super::{
    Kinematics, Moving, Route, Tree,
    factors::LowRank,
    forces::Load,
    links::{arm, at},
    wrap::Span,
};
use super::Apart;
use crate::Vec3;
use nalgebra::Matrix3;

impl Tree {
    /// The forces of a rope with the tensions of its equations.
    pub(super) fn curve_route(
        &self,
        at: &Moving<'_>,
        route: &Route,
        tensions: &[f64],
        loads: &mut [Load],
        terms: &mut LowRank<12>,
    ) {
        if route.laid.len() != route.stops.len() {
            return;
        }
        let (off, mut now) = (self.off(at, route), 0);
        for (k, stop) in route.stops.iter().enumerate() {
            if off.holds(k) {
                continue;
            }
            if stop.turns() && k > 0 && k + 1 < route.stops.len() {
                now += 1;
            }
            if stop.swivels() {
                self.curve_swivel(at.kinematics, route, k, tensions[now], loads, terms);
                continue;
            }
            let after = off.after(k);
            if after == route.stops.len() || route.stops[after].swivels() {
                continue;
            }
            self.curve_span(at, route, [k, after], tensions[now], loads, terms);
        }
    }

    fn curve_span(
        &self,
        at: &Moving<'_>,
        route: &Route,
        [k, next]: [usize; 2],
        nu: f64,
        loads: &mut [Load],
        terms: &mut LowRank<12>,
    ) {
        let stops = [&route.stops[k], &route.stops[next]];
        let sites = stops.map(|stop| stop.site);
        if stops.iter().all(|stop| stop.pulley.is_none()) {
            return self.curve_line(at.kinematics, &sites, nu, loads, terms);
        }
        let span = self.span(at, route, [k, next]);
        let ends = sites.map(|site| at.kinematics.site(&self.sites[site]));
        let d = ends[1] - ends[0];
        // Seen from the pulley whose axis is used, the other end moves.
        let from_pulley = stops[0].pulley.is_some();
        let (pulley, other, sign) = if from_pulley { (0, 1, 1.0) } else { (1, 0, -1.0) };
        let kappa = stops[0].signed_radius() - span.far;
        let what = Apart {
            nodes: [pulley, other].map(|end: usize| self.sites[sites[end]].node),
            force: span.force * (nu * sign),
            moment: if from_pulley {
                span.axis * (span.far * nu)
            } else {
                Vec3::zeros()
            },
            place: ends[other],
            seen: ends[other],
            stiffness: bent(&span, &d, kappa) * nu,
            rolled: [Matrix3::zeros(); 2],
        };
        self.push_apart(at.kinematics, &what, loads, terms);
    }

    fn curve_swivel(
        &self,
        kinematics: &Kinematics,
        route: &Route,
        k: usize,
        nu: f64,
        loads: &mut [Load],
        terms: &mut LowRank<12>,
    ) {
        let places = [k - 1, k + 1, k].map(|k| self.sites[route.stops[k].site]);
        let [x, y, centre] = places.each_ref().map(|place| kinematics.site(place));
        let r = route.stops[k].signed_radius().abs();
        let ways = [x - centre, y - centre];
        let lengths = ways.map(|d| d.norm());
        let units = [0, 1].map(|k| ways[k] / lengths[k]);
        let across = units[0].cross(&units[1]);
        let (sine, cosine) = (across.norm(), units[0].dot(&units[1]));
        let normal = across / sine;
        let square = normal * normal.transpose();
        let mut total = Vec3::zeros();
        // By the ends that move, and then by the ends that are pulled.
        let mut blocks = [[Matrix3::zeros(); 2]; 2];
        let between = square * (r / (lengths[0] * lengths[1] * sine));
        for side in [0, 1] {
            let (e, d) = (units[side], lengths[side]);
            let towards = (units[1 - side] - e * cosine) / sine;
            let straight = (d * d - r * r).sqrt();
            let force = (e * straight + towards * r) * (nu / d);
            total += force;
            self.push_place(kinematics, &places[side], &force, loads);
            let along = e * e.transpose();
            let turned = e * towards.transpose() + towards * e.transpose() + square * (cosine / sine);
            let stretched = along * (r * r / straight) + (Matrix3::identity() - along) * straight;
            blocks[side][side] = (stretched - turned * r) * (nu / (d * d));
            blocks[side][1 - side] = between * nu;
        }
        self.push_place(kinematics, &places[2], &-total, loads);
        terms.begin();
        for (number, place) in places.iter().enumerate() {
            let Some(node) = place.node else { continue };
            let arm = arm(place, kinematics);
            for by in [0, 1] {
                let moves = match number {
                    2 => -1.0,
                    _ => f64::from(u8::from(number == by)),
                };
                let pulled = match number {
                    2 => -(blocks[by][0] + blocks[by][1]),
                    _ => blocks[by][number],
                };
                for k in 0..3 {
                    let e = Vec3::ith(k, 1.0);
                    if moves != 0.0 {
                        terms.row(node, 3 * by + k, &(at(&arm, &e) * moves));
                    }
                    terms.column(node, 3 * by + k, &at(&arm, &(pulled * e)));
                }
            }
        }
        terms.end(6);
    }
}

/// `∂²g/∂d²` of a span.
fn bent(span: &Span, d: &Vec3, kappa: f64) -> Matrix3<f64> {
    let axis = span.axis;
    let z = d.dot(&axis);
    let flat = d - axis * z;
    let (l, distance) = (span.length.x, flat.norm());
    let square = distance * distance;
    let t = (square - kappa * kappa).sqrt();
    let cube = l * l * l;
    let radial = 1.0 / l - square / cube + kappa * kappa * (1.0 / (square * t) + 1.0 / (t * t * t));
    let around = 1.0 / l - kappa * kappa / (square * t);
    let axes = Matrix3::from_columns(&[flat / distance, axis.cross(&flat) / distance, axis]);
    let (turned, lifted) = (-kappa / square, -distance * z / cube);
    let inner = Matrix3::new(
        radial,
        turned,
        lifted,
        turned,
        around,
        0.0,
        lifted,
        0.0,
        1.0 / l - z * z / cube,
    );
    axes * inner * axes.transpose()
}
