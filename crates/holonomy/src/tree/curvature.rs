//! How the forces of constraints change as the bodies move, the multipliers held: `∂(Gᵀν)/∂q`.
//!
//! ```text
//! coincidence   e ν at both ends, fixed in space
//! distance      n ν at both ends, n turns with the line: a link of constant tension −ν; a cable is many
//! plane         n ν at the site, n turns with the plane; against the plane −n ν where the site is
//! orientation   m = R_b (c ν − u × ν):   (δc, δu) = ½ (−u·ε, c ε + u × ε),   ε = R_bᵀ (θ_b − θ_a)
//!               driven: δ(∂g/∂t) = −(δc ω + ω × δu)
//! x·y           m = ν y × x:   seen from the body of y, δm = ν y × ((θ_a − θ_b) × x)
//! blade         −ν b at the site, fixed on the body
//! ```
//! Ropes over pulleys are in `curvature/ropes.rs`, what rolls in `rolling/curved.rs`; both push two bodies apart, which is
//! `curvature/apart.rs`.
//!
//! As the forces of links: what is fixed in space counts in [`Load`], the rest are terms of low rank.
mod apart;
mod ropes;

pub(super) use apart::Apart;

use super::{
    Attitude, Constraint, Kinematics, SitePlace, Tree,
    closing::Shape,
    factors::{LowRank, Vector12, stack},
    feedback::couple_line,
    forces::Load,
    links::{arm, at, tangents},
};
use crate::{
    Vec3,
    geometry::se3::{Wrench, join},
};
use nalgebra::{UnitQuaternion, Vector6};

impl Tree {
    /// Why steps have no derivatives, if they have none.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn without_derivatives(&self) -> Option<&'static str> {
        let bare = || {
            let mut points = Vec::new();
            let mut kinematics = Kinematics::default();
            kinematics.place(self, &self.zero(0.0));
            self.points(&kinematics, &mut points);
            let mut all = self.potentials.iter().zip(&self.potential_sites);
            all.any(|(potential, sites)| {
                let mut hessian = vec![0.0; 9 * sites.members.len() * sites.members.len()];
                !potential.hessian(&points, &mut hessian)
            })
        };
        match () {
            () if self.sees_multipliers() => Some("forces that see no multipliers"),
            () if bare() => Some("potentials with second derivatives, as springs and formulas have them"),
            () => None,
        }
    }

    /// Adds the wrenches of all constraints with given multipliers, `Gᵀν`, and how they change.
    pub(crate) fn curve(
        &self,
        at: &super::Moving<'_>,
        multipliers: &[f64],
        loads: &mut [Load],
        terms: &mut LowRank<12>,
    ) {
        let kinematics = at.kinematics;
        let mut rest = multipliers;
        for (_, constraint) in &self.constraints {
            let (own, others) = rest.split_at(constraint.rows());
            rest = others;
            if own.iter().all(|nu| *nu == 0.0) {
                continue;
            }
            match constraint {
                Constraint::Coincidence { between, directions } => {
                    for (e, nu) in directions.iter().zip(own) {
                        self.push_site(kinematics, between[0], &(e * *nu), loads);
                        self.push_site(kinematics, between[1], &(e * -*nu), loads);
                    }
                }
                Constraint::Distance { between, .. } => {
                    self.curve_line(kinematics, between, own[0], loads, terms);
                }
                Constraint::Cable { through, .. } | Constraint::Tether { through, .. } => {
                    self.curve_line(kinematics, through, own[0], loads, terms);
                }
                Constraint::Plane { site, on, normal } => {
                    self.curve_plane(kinematics, [*site, *on], normal, own[0], loads, terms);
                }
                Constraint::Orientation { from, to, relative } => {
                    let nu = Vec3::from_column_slice(own);
                    let relative = match relative {
                        Attitude::Fixed(relative) => *relative,
                        Attitude::Driven(turning) => turning(at.t).0,
                    };
                    self.curve_orientation(kinematics, (*from, *to), &relative, &nu, loads, terms);
                }
                Constraint::Closing(closing) => {
                    let [a, b] = closing.between;
                    for (shape, nu) in closing.shapes().zip(own) {
                        match shape {
                            Shape::Plane(normal) => {
                                self.curve_plane(kinematics, [b, a], &normal, *nu, loads, terms);
                            }
                            Shape::Square(x, y) => {
                                self.curve_square(kinematics, [a, b], [&x, &y], *nu, loads, terms);
                            }
                        }
                    }
                }
                Constraint::Route(route) => self.curve_route(at, route, own, loads, terms),
                Constraint::Rolling(rolling) => {
                    self.curve_rolling(kinematics, rolling, own, loads, terms);
                }
                Constraint::Blade(blade) => self.curve_blade(kinematics, blade, own[0], loads),
                Constraint::Coupling { .. } => {}
            }
        }
    }

    /// `∂²g/∂q∂t`, into G: only of rotations that are driven, which are seen from where the body is. Nothing is written where
    /// there are none.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn curve_rates(&self, at: &super::Moving<'_>, out: &mut super::ConstraintRows) {
        let mut row = 0;
        out.jacobian.clear();
        for (_, constraint) in &self.constraints {
            let first = row;
            row += constraint.rows();
            let Constraint::Orientation {
                from,
                to,
                relative: Attitude::Driven(turning),
            } = constraint
            else {
                continue;
            };
            out.clear_jacobian(self);
            let (relative, omega, _) = turning(at.t);
            let (here, _, c, u) = self.relative_turn(at.kinematics, (*from, *to), &relative);
            for k in 0..3 {
                let across = Vec3::ith(k, 1.0).cross(&omega);
                let moment = here * (u * omega[k] - across * c - across.cross(&u)) * 0.5;
                let turned = join(&Vec3::zeros(), &moment);
                self.pull_wrench(at, self.body_nodes[*to], &turned, first + k, out);
                if let Some(from) = from {
                    self.pull_wrench(at, self.body_nodes[*from], &-turned, first + k, out);
                }
            }
        }
    }

    /// A force on a site, fixed in space.
    fn push_site(&self, kinematics: &Kinematics, site: usize, force: &Vec3, loads: &mut [Load]) {
        self.push_place(kinematics, &self.sites[site], force, loads);
    }

    fn push_place(&self, kinematics: &Kinematics, place: &SitePlace, force: &Vec3, loads: &mut [Load]) {
        if let Some(node) = place.node {
            loads[node].add(&arm(place, kinematics), force);
        }
    }

    fn curve_line(
        &self,
        kinematics: &Kinematics,
        sites: &[usize],
        nu: f64,
        loads: &mut [Load],
        terms: &mut LowRank<12>,
    ) {
        for pair in sites.windows(2) {
            let ends = [pair[0], pair[1]].map(|site| self.sites[site]);
            let d = kinematics.site(&ends[1]) - kinematics.site(&ends[0]);
            let pull = d * (nu / d.norm());
            self.push_site(kinematics, pair[1], &pull, loads);
            self.push_site(kinematics, pair[0], &-pull, loads);
            couple_line(&ends, -nu, kinematics, terms);
        }
    }

    fn curve_plane(
        &self,
        kinematics: &Kinematics,
        [site, on]: [usize; 2],
        normal: &Vec3,
        nu: f64,
        loads: &mut [Load],
        terms: &mut LowRank<12>,
    ) {
        let (place, plane) = (&self.sites[site], self.sites[on].node);
        let n = self.on_body(kinematics, plane, &normal.normalize());
        self.push_site(kinematics, site, &(n * nu), loads);
        let Some(plane) = plane else { return };
        let from = kinematics.site(place) - kinematics.frames[plane].origin;
        loads[plane].wrench += join(&n, &from.cross(&n)) * -nu;
        let (across, other) = tangents(&n);
        let own = arm(place, kinematics);
        terms.begin();
        for (k, e) in [across, other].iter().enumerate() {
            // The normal turns, and with it the force on the site.
            let turned = e.cross(&n) * nu;
            if let Some(node) = place.node {
                terms.row(plane, k, &turn(e));
                terms.column(node, k, &at(&own, &turned));
                terms.row(node, 2 + k, &at(&own, e));
            }
            // The site moves along the plane, and with it the place where that is pushed.
            terms.row(plane, 2 + k, &-at(&from, e));
            terms.column(plane, 2 + k, &-turn(&turned));
        }
        terms.end(4);
    }

    fn curve_orientation(
        &self,
        kinematics: &Kinematics,
        (from, to): (Option<usize>, usize),
        relative: &UnitQuaternion<f64>,
        nu: &Vec3,
        loads: &mut [Load],
        terms: &mut LowRank<12>,
    ) {
        let (here, _, c, u) = self.relative_turn(kinematics, (from, to), relative);
        let (b, a) = (self.body_nodes[to], from.map(|body| self.body_nodes[body]));
        let moment = here * (nu * c - u.cross(nu));
        twist_apart([a, Some(b)], &moment, loads, terms, |e| {
            let epsilon = here.inverse() * e;
            let (dc, du) = (-0.5 * u.dot(&epsilon), (epsilon * c + u.cross(&epsilon)) * 0.5);
            here * (nu * dc - du.cross(nu))
        });
    }

    fn curve_square(
        &self,
        kinematics: &Kinematics,
        sites: [usize; 2],
        directions: [&Vec3; 2],
        nu: f64,
        loads: &mut [Load],
        terms: &mut LowRank<12>,
    ) {
        let nodes = sites.map(|site| self.sites[site].node);
        let [x, y] = [0, 1].map(|k| self.on_body(kinematics, nodes[k], directions[k]));
        let moment = y.cross(&x) * nu;
        twist_apart(nodes, &moment, loads, terms, |e| y.cross(&x.cross(e)) * nu);
    }
}

/// Opposite moments on two nodes: `change` says how that on the second, seen from there, changes as it turns by e
/// against the first.
fn twist_apart(
    nodes: [Option<usize>; 2],
    moment: &Vec3,
    loads: &mut [Load],
    terms: &mut LowRank<12>,
    change: impl Fn(&Vec3) -> Vec3,
) {
    let zero = Vec3::zeros();
    terms.begin();
    for (node, sign) in nodes.into_iter().zip([-1.0, 1.0]) {
        let Some(node) = node else { continue };
        loads[node].wrench += join(&zero, moment) * sign;
        for k in 0..3 {
            let e = Vec3::ith(k, 1.0);
            let seen = change(&e) + if sign < 0.0 { e.cross(moment) } else { zero };
            terms.row(node, k, &(turn(&e) * sign));
            terms.column(node, k, &(turn(&seen) * sign));
        }
    }
    terms.end(3);
}

/// A moment, or a turn along it: `(0, e)` on pose or force.
fn turn(e: &Vec3) -> Vector12 {
    let wrench: Wrench = join(&Vec3::zeros(), e);
    stack(&wrench, &Vector6::zeros())
}
