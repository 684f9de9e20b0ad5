//! How the forces of ropes over pulleys change, in the terms of `wrap.rs`.
//!
//! ```text
//! span, by d seen from the pulley:   ∂²g/∂d²
//! swivel, by x and y:    f'' = R²/(t d²),  f'/d = t/d²;    n normal to both, p = (e_y − e_x cos γ)/sin γ, q alike for y
//!     ∂²γ/∂x²  = (e_x pᵀ + p e_xᵀ + cot γ n nᵀ)/|x|²          ∂²γ/∂x∂y = −n nᵀ/(|x| |y| sin γ)
//! ```
use super::super::{
    Moving, Route, Tree,
    eye::{Eye, Eyes, MOST, Swivelled},
    factors::{LowRank, Vector12},
    forces::Load,
    links::{arm, at},
};
use super::{Apart, turn};
use crate::{Vec3, geometry::se3::join};
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
        let (off, eyes, mut now) = (self.off(at, route), self.eyes(at, route), 0);
        self.give_way(at, route, &eyes, tensions, terms);
        for (k, stop) in route.stops.iter().enumerate() {
            if off.holds(k) {
                continue;
            }
            if stop.turns() && k > 0 && k + 1 < route.stops.len() {
                now += 1;
            }
            if stop.swivels() {
                self.curve_swivel(at, route, (k, &eyes), tensions[now], loads, terms);
            }
            if let Some(eye) = eyes.after(k) {
                self.curve_eye(at, route, eye, tensions[now], loads, terms);
                continue;
            }
            let after = off.after(k);
            if stop.swivels() || after == route.stops.len() || route.stops[after].swivels() {
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
            stiffness: span.bent(&d, kappa) * nu,
            rolled: [Matrix3::zeros(); 2],
        };
        self.push_apart(at.kinematics, &what, loads, terms);
    }

    fn curve_swivel(
        &self,
        moving: &Moving<'_>,
        route: &Route,
        (k, eyes): (usize, &Eyes),
        nu: f64,
        loads: &mut [Load],
        terms: &mut LowRank<12>,
    ) {
        let kinematics = moving.kinematics;
        let sites = [
            self.site_beside(route, eyes, k, false),
            self.site_beside(route, eyes, k, true),
            route.stops[k].site,
        ];
        let places = sites.map(|site| self.sites[site]);
        let (_, Swivelled { forces, blocks }) = self.swivelled(moving, route, eyes, k);
        // By the ends that move, and then by the ends that are pulled.
        let (forces, blocks) = (
            forces.map(|f| f * nu),
            blocks.map(|row| row.map(|block| block * nu)),
        );
        self.push_place(kinematics, &places[0], &forces[0], loads);
        self.push_place(kinematics, &places[1], &forces[1], loads);
        self.push_place(kinematics, &places[2], &-(forces[0] + forces[1]), loads);
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

    /// The straight part between an eye, which is carried along without turning, and a pulley; of the force as in `apart.rs`.
    fn curve_eye(
        &self,
        moving: &Moving<'_>,
        route: &Route,
        eye: &Eye,
        nu: f64,
        loads: &mut [Load],
        terms: &mut LowRank<12>,
    ) {
        let (Some((pulley, force, stiffness)), kinematics) =
            (self.eye_pull(moving, route, eye), moving.kinematics)
        else {
            return;
        };
        let (force, stiffness) = (force * nu, stiffness * nu);
        let holder = self.sites[route.stops[eye.holder].site];
        self.push_place(kinematics, &holder, &force, loads);
        terms.begin();
        if let Some(node) = holder.node {
            let arm = arm(&holder, kinematics);
            for k in 0..3 {
                let e = Vec3::ith(k, 1.0);
                terms.row(node, k, &at(&arm, &e));
                terms.column(node, k, &at(&arm, &(stiffness * e)));
                terms.column(node, 3 + k, &-at(&arm, &e.cross(&force)));
            }
        }
        if let Some(node) = self.sites[route.stops[pulley].site].node {
            let arm = eye.place.x - kinematics.frames[node].origin;
            loads[node].wrench -= join(&force, &arm.cross(&force));
            for k in 0..3 {
                let e = Vec3::ith(k, 1.0);
                terms.row(node, k, &-at(&arm, &e));
                terms.row(node, 3 + k, &-turn(&e));
                terms.column(node, k, &-(at(&arm, &(stiffness * e)) + turn(&e.cross(&force))));
            }
        }
        terms.end(6);
    }

    /// What eyes give way by: `−B K⁻¹ Bᵀ` of `eye.rs`.
    fn give_way(
        &self,
        moving: &Moving<'_>,
        route: &Route,
        eyes: &Eyes,
        tensions: &[f64],
        terms: &mut LowRank<12>,
    ) {
        let count = eyes.all().len();
        if count == 0 {
            return;
        }
        let bends = self.bends(moving, route, eyes);
        let Some(stiffness) = self.stiffness(moving, route, eyes, &bends) else {
            return;
        };
        terms.begin();
        for j in 0..count {
            for (m, t) in stiffness.tangents[j].iter().enumerate() {
                let number = 2 * j + m;
                self.eye_seen(moving, route, eyes, (j, t), |node, row| {
                    terms.row(node, number, &row)
                });
                let mut ways = [Vec3::zeros(); MOST];
                ways[j] = *t;
                stiffness.solve(&mut ways);
                for (l, way) in ways[..count].iter().enumerate() {
                    let gap = eyes.all()[l].gap;
                    let turning = route.stops[1..=gap].iter().filter(|stop| stop.turns()).count();
                    let nu = tensions[turning];
                    self.eye_seen(moving, route, eyes, (l, way), |node, row| {
                        terms.column(node, number, &(row * -nu));
                    });
                }
            }
        }
        terms.end(2 * count);
    }

    /// How the slope of the length along a way of eye j, `way·∂G/∂e`, changes with the nodes.
    fn eye_seen(
        &self,
        moving: &Moving<'_>,
        route: &Route,
        eyes: &Eyes,
        (j, way): (usize, &Vec3),
        mut add: impl FnMut(usize, Vector12),
    ) {
        let kinematics = moving.kinematics;
        let mut shift = |site: usize, change: Vec3| {
            let place = &self.sites[site];
            if let Some(node) = place.node {
                add(node, at(&arm(place, kinematics), &change));
            }
        };
        let eye = &eyes.all()[j];
        for (k, after) in [(eye.gap, true), (eye.gap + 1, false)] {
            if !route.stops[k].swivels() {
                continue;
            }
            let own = usize::from(after);
            let (_, swivelled) = self.swivelled(moving, route, eyes, k);
            let changes = [0, 1].map(|side: usize| swivelled.blocks[own][side] * way);
            shift(self.site_beside(route, eyes, k, false), changes[0]);
            shift(self.site_beside(route, eyes, k, true), changes[1]);
            shift(route.stops[k].site, -(changes[0] + changes[1]));
        }
        let Some((pulley, force, stiffness)) = self.eye_pull(moving, route, eye) else {
            return;
        };
        let change = stiffness * way;
        shift(route.stops[eye.holder].site, change);
        if let Some(node) = self.sites[route.stops[pulley].site].node {
            let arm = eye.place.x - kinematics.frames[node].origin;
            add(node, turn(&force.cross(way)) - at(&arm, &change));
        }
    }
}
