//! Where ropes go: directions, arcs, lengths, contact forces, and points to draw.
use super::{
    Constraint, Kinematics, Moving, Pulley, Sheave, Tree,
    jet::JetVec,
    route::{FLEET, Route},
};
use crate::{Vec3, integrator::LostRope};
use std::f64::consts::TAU;

impl Tree {
    /// The stops that a rope is off: pulleys that it slides on, whose arc would be negative.
    pub(super) fn off(&self, at: &Moving<'_>, route: &Route) -> Off {
        let mut off = Off(0);
        let last = route.stops.len().min(Off::MOST) - 1;
        let mut sliding = (1..last).filter(|k| route.stops[*k].slides());
        if sliding.next().is_none() {
            return off;
        }
        loop {
            let on = (1..last).filter(|k| route.stops[*k].slides() && !off.holds(*k));
            let mut left = on.filter(|k| self.arc(at, route, *k, off) < 0.0);
            match left.next() {
                Some(k) => off.0 |= 1 << k,
                None => return off,
            }
        }
    }

    /// The angle of the arc on a pulley that does not swivel, from the stops before and after it.
    fn arc(&self, at: &Moving<'_>, route: &Route, k: usize, off: Off) -> f64 {
        let spans = [[off.before(k), k], [k, off.after(k)]];
        let [arrives, leaves] = spans.map(|ends| self.span(at, route, ends).along.normalize());
        self.wrap_between(at, route, k, [arrives, leaves])
    }

    /// The unit vector along the rope after stop k, and not a number where there is none.
    pub(super) fn rope_direction(&self, at: &Moving<'_>, route: &Route, k: usize) -> Vec3 {
        let swivel = [k, k + 1].into_iter().find(|k| route.stops[*k].swivels());
        let Some(s) = swivel else {
            let off = self.off(at, route);
            let ends = [off.before(k + 1), off.after(k)];
            return self.span(at, route, ends).along.normalize();
        };
        let (eyes, centre) = (self.eyes(at, route), self.centre(at, route.stops[s].site).x);
        let [before, after] = [false, true].map(|side| self.beside(at, route, &eyes, s, side).x);
        let r = route.stops[s].signed_radius().abs();
        let (d, other) = match s == k + 1 {
            true => (before - centre, after - centre),
            false => (after - centre, before - centre),
        };
        let (e, away) = (d.normalize(), other.normalize());
        let across = (away - e * away.dot(&e)).normalize();
        let t = (d.norm_squared() - r * r).sqrt();
        let outward = (e * t + across * r) / d.norm();
        if s == k + 1 { -outward } else { outward }
    }

    /// The wrap of a rope around the pulley of a stop, rad.
    pub(super) fn wrap_at(&self, at: &Moving<'_>, route: &Route, k: usize) -> f64 {
        if k == 0 || k + 1 == route.stops.len() {
            return f64::NAN;
        }
        let [arrives, leaves] = [k - 1, k].map(|k| self.rope_direction(at, route, k));
        if route.stops[k].swivels() {
            return crate::math::atan2(arrives.cross(&leaves).norm(), arrives.dot(&leaves));
        }
        if self.off(at, route).holds(k) {
            return 0.0;
        }
        self.wrap_between(at, route, k, [arrives, leaves])
    }

    fn wrap_between(&self, at: &Moving<'_>, route: &Route, k: usize, [arrives, leaves]: [Vec3; 2]) -> f64 {
        let laid = &route.laid[k];
        let turns = [(0, arrives), (1, leaves)]
            .map(|(which, direction)| self.deviation(at, laid, which, &JetVec::constant(direction)).x);
        laid.wrap + (turns[1] - turns[0]) * 1.0_f64.copysign(route.stops[k].signed_radius())
    }

    /// The length of a rope, arcs with it, between its ends.
    pub(super) fn route_length(&self, at: &Moving<'_>, route: &Route) -> f64 {
        let mut length = 0.0;
        let off = self.off(at, route);
        for (k, stop) in route.stops.iter().enumerate() {
            if k + 1 < route.stops.len() && !off.holds(k) {
                length += self.straight(at, route, k);
            }
            if stop.pulley.is_some() && k > 0 && k + 1 < route.stops.len() {
                length += stop.signed_radius().abs() * self.wrap_at(at, route, k);
            }
        }
        length
    }

    /// The length of the straight part after stop k.
    fn straight(&self, at: &Moving<'_>, route: &Route, k: usize) -> f64 {
        let swivel = [k, k + 1].into_iter().find(|k| route.stops[*k].swivels());
        if swivel.is_none() {
            let after = self.off(at, route).after(k);
            return self.span(at, route, [k, after]).length.x;
        }
        let eyes = self.eyes(at, route);
        let mut length = 0.0;
        for (s, after) in [(k, true), (k + 1, false)] {
            if route.stops[s].swivels() {
                let centre = self.centre(at, route.stops[s].site).x;
                let r = route.stops[s].signed_radius();
                let d = self.beside(at, route, &eyes, s, after).x - centre;
                length += (d.norm_squared() - r * r).sqrt();
            }
        }
        let span = eyes.after(k).and_then(|eye| self.span_of(at, route, eye));
        length + span.map_or(0.0, |span| span.length.x)
    }

    /// The first rope that does not run over a pulley as it was laid: one of its equations, the pulley by its number
    /// among those of all ropes, and why.
    pub(crate) fn lost_rope(&self, t: f64, q: &[f64]) -> Option<(usize, usize, LostRope)> {
        if self.routes().next().is_none() || !q.iter().all(|x| x.is_finite()) {
            return None;
        }
        let mut kinematics = Kinematics::default();
        let mut placed = q.to_vec();
        self.drive(t, &mut placed);
        kinematics.pose(self, &placed);
        let at = Moving {
            t,
            q: &placed,
            kinematics: &kinematics,
            accelerations: None,
        };
        let (mut row, mut number) = (0, 0);
        for (_, constraint) in &self.constraints {
            if let Constraint::Route(route) = constraint {
                for (k, pulley) in route.pulleys() {
                    if let Some(lost) = self.lost_at(&at, route, k, pulley) {
                        return Some((row, number, lost));
                    }
                    number += 1;
                }
            }
            row += constraint.rows();
        }
        None
    }

    /// The first rope that has gone out of the plane of a pulley, by as much as is refused where it is laid, of those that
    /// are taut.
    pub(crate) fn strayed_rope(
        &self,
        t: f64,
        q: &[f64],
        kinematics: &Kinematics,
        is_taut: impl Fn(usize) -> bool,
    ) -> Option<(usize, usize, LostRope)> {
        let at = Moving {
            t,
            q,
            kinematics,
            accelerations: None,
        };
        let (mut row, mut number) = (0, 0);
        for (_, constraint) in &self.constraints {
            if let Constraint::Route(route) = constraint {
                for (k, _) in route.pulleys() {
                    if is_taut(row) && self.strays(&at, route, k) {
                        return Some((row, number, LostRope::Strays));
                    }
                    number += 1;
                }
            }
            row += constraint.rows();
        }
        None
    }

    /// Whether the stop before a pulley that it is on, or that after, is out of its plane.
    fn strays(&self, at: &Moving<'_>, route: &Route, k: usize) -> bool {
        let off = self.off(at, route);
        if route.stops[k].swivels() || off.holds(k) {
            return false;
        }
        let (axis, eyes) = (
            self.axes_of(at, route.laid[k].frame) * route.laid[k].axis,
            self.eyes(at, route),
        );
        let place = |k: usize| at.kinematics.site(&self.sites[route.stops[k].site]);
        let beside = [(k > 0).then(|| off.before(k)), Some(off.after(k))];
        let mut beside = beside.into_iter().flatten().filter(|k| *k < route.stops.len());
        beside.any(|other| {
            let eye = eyes.after(other.min(k));
            let d = eye.map_or_else(|| place(other), |eye| eye.place.x) - place(k);
            axis.dot(&d).abs() > FLEET * d.norm()
        })
    }

    fn lost_at(&self, at: &Moving<'_>, route: &Route, k: usize, pulley: &Pulley) -> Option<LostRope> {
        let last = route.stops.len() - 1;
        let parts = [(k > 0).then(|| k - 1), (k < last).then_some(k)];
        let mut directions = parts
            .into_iter()
            .flatten()
            .map(|k| self.rope_direction(at, route, k));
        if !directions.all(|direction| direction.iter().all(|x| x.is_finite())) {
            return Some(LostRope::Inside);
        }
        if k == 0 || k == last || pulley.sheave == Sheave::Swivel {
            return None;
        }
        match self.wrap_at(at, route, k) {
            wrap if wrap.is_nan() => Some(LostRope::Turns),
            wrap if wrap < 0.0 => Some(LostRope::Leaves),
            _ => None,
        }
    }

    /// The force of a rope on the pulley of a stop, `T_out n_out − T_in n_in`, for tensions of its equations.
    pub(super) fn contact_at(
        &self,
        at: &Moving<'_>,
        route: &Route,
        k: usize,
        tension: impl Fn(usize) -> f64,
    ) -> Vec3 {
        let turning = |k: usize| route.stops[1..k].iter().filter(|stop| stop.turns()).count();
        let mut force = Vec3::zeros();
        if k > 0 {
            force -= self.rope_direction(at, route, k - 1) * tension(turning(k));
        }
        if k + 1 < route.stops.len() {
            force += self.rope_direction(at, route, k) * tension(turning((k + 1).max(1)));
        }
        force
    }

    /// The axis of the pulley of a stop, and from its centre to where the rope arrives, or leaves if it begins there.
    fn rim(&self, at: &Moving<'_>, route: &Route, k: usize) -> (Vec3, Vec3) {
        let (stop, radius) = (&route.stops[k], route.stops[k].signed_radius());
        let arrives = self.rope_direction(at, route, k.max(1) - 1);
        let axis = match stop.swivels() {
            true => {
                let axis = arrives.cross(&self.rope_direction(at, route, k)).normalize();
                axis * 1.0_f64.copysign(radius)
            }
            false => self.axes_of(at, route.laid[k].frame) * route.laid[k].axis,
        };
        // The radius is a quarter turn behind the rope.
        (axis, arrives.cross(&axis).normalize() * radius)
    }

    /// Where a straight part begins.
    fn tangent_point(&self, at: &Moving<'_>, route: &Route, [k, next]: [usize; 2]) -> Vec3 {
        let centre = self.centre(at, route.stops[k].site).x;
        let axis = self.axes_of(at, route.laid[k].frame) * route.laid[k].axis;
        let along = self.span(at, route, [k, next]).along.normalize();
        centre + along.cross(&axis) * route.stops[k].signed_radius()
    }

    /// The rims of its pulleys.
    pub(super) fn trace_rims(&self, at: &Moving<'_>, route: &Route, mut add: impl FnMut(Vec3)) {
        for (k, _) in route.pulleys() {
            let centre = self.centre(at, route.stops[k].site).x;
            let (axis, first) = match route.laid.is_empty() {
                true => (Vec3::zeros(), Vec3::zeros()),
                false => self.rim(at, route, k),
            };
            for j in 0..RIM {
                let (s, c) = crate::math::sin_cos(TAU * j as f64 / RIM as f64);
                add(centre + first * c + axis.cross(&first) * s);
            }
        }
    }

    /// Constraints that are ropes.
    pub(super) fn routes(&self) -> impl Iterator<Item = (&str, &Route)> {
        let each = self.constraints.iter();
        each.filter_map(|(name, constraint)| Some((name.as_str(), constraint.as_route()?)))
    }

    /// Where a rope goes: ends of its straight parts, and points on its arcs, always as many.
    pub(super) fn trace_route(&self, at: &Moving<'_>, route: &Route, mut add: impl FnMut(Vec3)) {
        let off = match route.laid.is_empty() {
            true => Off(0),
            false => self.off(at, route),
        };
        for (k, stop) in route.stops.iter().enumerate() {
            let centre = self.centre(at, stop.site).x;
            if stop.pulley.is_none() || route.laid.is_empty() {
                (0..stop.traced()).for_each(|_| add(centre));
                continue;
            }
            if off.holds(k) {
                // Beside the pulley, where the rope passes its centre.
                let along = self.rope_direction(at, route, k);
                let before = self.tangent_point(at, route, [off.before(k), off.after(k)]);
                let beside = before + along * along.dot(&(centre - before));
                (0..stop.traced()).for_each(|_| add(beside));
                continue;
            }
            let inner = k > 0 && k + 1 < route.stops.len();
            let wrap = if inner { self.wrap_at(at, route, k) } else { 0.0 };
            let (axis, first) = self.rim(at, route, k);
            let sign = 1.0_f64.copysign(stop.signed_radius());
            for j in 0..=ARC {
                let (s, c) = crate::math::sin_cos(sign * wrap * j as f64 / ARC as f64);
                add(centre + first * c + axis.cross(&first) * s);
            }
        }
    }
}

/// Stops that a rope is off, as bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Off(u64);

impl Off {
    /// Stops beyond this many are never off.
    const MOST: usize = 64;

    pub(super) fn holds(self, k: usize) -> bool {
        k < Self::MOST && self.0 >> k & 1 == 1
    }

    /// The next stop that the rope runs over.
    pub(super) fn after(self, k: usize) -> usize {
        let mut next = k + 1;
        while self.holds(next) {
            next += 1;
        }
        next
    }

    /// The last one before.
    pub(super) fn before(self, k: usize) -> usize {
        let mut last = k - 1;
        while self.holds(last) {
            last -= 1;
        }
        last
    }
}

/// Straight pieces of a drawn arc, and of a drawn rim.
pub(super) const ARC: usize = 8;
pub(super) const RIM: usize = 24;

impl Route {
    /// The number of points that `Tree::trace_route` adds.
    pub(super) fn traced(&self) -> usize {
        self.stops.iter().map(super::Waypoint::traced).sum()
    }
}

impl super::Waypoint {
    fn traced(&self) -> usize {
        if self.pulley.is_some() { ARC + 1 } else { 1 }
    }
}

impl Constraint {
    /// The rope it is.
    pub(super) fn as_route(&self) -> Option<&Route> {
        match self {
            Self::Route(route) => Some(route),
            _ => None,
        }
    }
}
