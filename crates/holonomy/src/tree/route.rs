//! Ropes over points and pulleys: what they are made of, and how they lie at the start. The equations are in `wrap.rs`.
use super::{
    ConstraintFault, ConstraintRows, JointKind, Kinematics, Length, Moving, Tree, TreeError,
    error::WaypointFault,
};
use crate::{Vec3, math};
use std::f64::consts::{FRAC_PI_2, TAU};

/// A taut rope without mass over points and pulleys.
///
/// [`Tree::fit_routes`] lays it; without that its length is not known.
pub struct Route {
    /// What it runs through, two or more. It ends at points, or on pulleys that turn with it.
    pub stops: Vec<Waypoint>,
    /// How long it is between its ends; as long as it is where it is laid, if nothing is given.
    pub length: Option<Length>,
    /// Whether it goes slack, and is only so long at most; it then turns no pulley on its way.
    pub slack: bool,
    pub(super) laid: Vec<Laid>,
    /// What makes up each equation where the rope is laid.
    pub(super) spans: Vec<f64>,
    /// The length of the whole there.
    pub(super) whole: f64,
}

/// What a rope runs through: a site, or a pulley about it.
#[derive(Clone, Debug)]
pub struct Waypoint {
    /// The point, or the centre of the pulley.
    pub site: usize,
    /// The pulley.
    pub pulley: Option<Pulley>,
}

/// A pulley that a rope runs over.
#[derive(Clone, Debug)]
pub struct Pulley {
    /// What its contact force is called after.
    pub name: String,
    /// Radius of the circle of the rope, m.
    pub radius: f64,
    /// How it is held.
    pub sheave: Sheave,
    /// On which side of it the rope runs; of no account where it swivels.
    pub side: Side,
}

/// On which side of a pulley a rope runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// It turns to the left there: counterclockwise, seen with the axis towards the eye.
    Left,
    /// It turns to the right.
    Right,
    /// Against gravity, where it is laid.
    Over,
    /// The way things fall.
    Under,
}

/// How a pulley is held, and whether the rope slides on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sheave {
    /// The body of the site is the pulley, on a revolute joint through the site: the rope does not slip, and turns it.
    Turning,
    /// Fixed on the body of the site, with an axis in its frame: the rope slides without friction.
    Sliding(Vec3),
    /// About the site, free to turn its plane into that of the points before and after it: the rope slides.
    Swivel,
}

/// How a rope lies at a pulley whose plane is fixed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Laid {
    /// The node whose axes the angles are measured in; none for the world.
    pub(super) frame: Option<usize>,
    /// The node that turns with the rope.
    pub(super) turning: Option<usize>,
    /// In the axes of `frame`: the axis, and how the rope arrived and left when it was laid.
    pub(super) axis: Vec3,
    pub(super) directions: [Vec3; 2],
    /// The angle of the arc then.
    pub(super) wrap: f64,
}

/// The tangent of the largest angle, 5°, between a rope and the plane of its pulley when it is laid.
pub(super) const FLEET: f64 = 0.087_488_663_525_924;
/// Pulleys that follow each other lie in one plane, to this fraction of their distance.
const IN_ONE_PLANE: f64 = 1e-6;

impl Route {
    /// A rope that is not laid yet, and always taut.
    pub fn new(stops: Vec<Waypoint>, length: Option<Length>) -> Self {
        let (laid, spans, whole) = (Vec::new(), Vec::new(), f64::NAN);
        Self {
            stops,
            length,
            slack: false,
            laid,
            spans,
            whole,
        }
    }

    /// Number of equations: one, and one more for each pulley on the way that turns with the rope.
    pub(super) fn rows(&self) -> usize {
        let inner = self.stops.get(1..self.stops.len().max(1) - 1);
        let turning = inner.into_iter().flatten().filter(|stop| stop.turns()).count();
        1 + turning
    }

    /// Its pulleys, with the numbers of their stops.
    pub(super) fn pulleys(&self) -> impl Iterator<Item = (usize, &Pulley)> {
        let stops = self.stops.iter().enumerate();
        stops.filter_map(|(k, stop)| stop.pulley.as_ref().map(|pulley| (k, pulley)))
    }

    /// The length of the rope of its last equation at a time, with rate and acceleration.
    pub(super) fn last_length(&self, t: f64) -> (f64, f64, f64) {
        let last = self.spans.last().copied().unwrap_or(f64::NAN);
        match &self.length {
            None => (last, 0.0, 0.0),
            Some(length) => {
                let (l, rate, second) = length.at(t);
                (l - (self.whole - last), rate, second)
            }
        }
    }
}

impl Waypoint {
    /// A point.
    pub fn point(site: usize) -> Self {
        Self { site, pulley: None }
    }

    pub(super) fn turns(&self) -> bool {
        let pulley = self.pulley.as_ref();
        pulley.is_some_and(|pulley| pulley.sheave == Sheave::Turning)
    }

    pub(super) fn slides(&self) -> bool {
        let pulley = self.pulley.as_ref();
        pulley.is_some_and(|pulley| matches!(pulley.sheave, Sheave::Sliding(_)))
    }

    pub(super) fn swivels(&self) -> bool {
        let pulley = self.pulley.as_ref();
        pulley.is_some_and(|pulley| pulley.sheave == Sheave::Swivel)
    }

    /// Radius, with the sign of the way the rope goes round it; zero for a point.
    pub(super) fn signed_radius(&self) -> f64 {
        self.pulley.as_ref().map_or(0.0, |pulley| match pulley.side {
            Side::Right => -pulley.radius,
            _ => pulley.radius,
        })
    }
}

impl Tree {
    /// What can be seen of a rope before it is laid.
    pub(super) fn check_route(&self, route: &Route) -> Result<(), ConstraintFault> {
        if route.stops.len() < 2 {
            return Err(ConstraintFault::Short);
        }
        if route.stops.iter().any(|stop| stop.site >= self.sites.len()) {
            return Err(ConstraintFault::NoSite);
        }
        for (number, stop) in route.stops.iter().enumerate() {
            let refuse = |fault| Err(ConstraintFault::Waypoint { number, fault });
            let Some(pulley) = &stop.pulley else { continue };
            if !(pulley.radius > 0.0 && pulley.radius.is_finite()) {
                return refuse(WaypointFault::Radius);
            }
            let is_end = number == 0 || number + 1 == route.stops.len();
            match pulley.sheave {
                Sheave::Turning if self.turning_node(stop.site).is_none() => {
                    return refuse(WaypointFault::NoAxle);
                }
                Sheave::Turning if route.slack && !is_end => return refuse(WaypointFault::Slack),
                Sheave::Turning => {}
                _ if is_end => return refuse(WaypointFault::End),
                Sheave::Sliding(axis) if !(axis.norm() > 0.0 && axis.norm().is_finite()) => {
                    return refuse(WaypointFault::Axis);
                }
                Sheave::Sliding(_) => {}
                Sheave::Swivel => {
                    let beside = [&route.stops[number - 1], &route.stops[number + 1]];
                    if beside.iter().any(|stop| stop.slides()) {
                        return refuse(WaypointFault::Beside);
                    }
                    if route.has_too_many_eyes() {
                        return refuse(WaypointFault::Eyes);
                    }
                }
            }
        }
        Ok(())
    }

    /// The node of the body of a site, if its joint is revolute and goes through the site.
    fn turning_node(&self, site: usize) -> Option<usize> {
        let place = &self.sites[site];
        let node = place.node?;
        let revolute = match self.nodes[node].kind {
            JointKind::Screw { turn, advance } | JointKind::Driven { turn, advance, .. } => {
                turn != 0.0 && advance == 0.0
            }
            _ => false,
        };
        let single = self.first_node(self.nodes[node].body) == node;
        let off = math::hypot(place.position.x, place.position.y);
        (revolute && single && off <= 1e-9 * self.length().max(place.position.norm())).then_some(node)
    }

    /// Lays the ropes at a configuration at time t: there they have the lengths that are not given, and angles around
    /// pulleys are counted from there. To be called once, before a state is made.
    ///
    /// A rope that does not touch a pulley, or leaves its plane, is refused.
    pub fn fit_routes(&mut self, t: f64, q: &[f64]) -> Result<(), TreeError> {
        let mut q = q.to_vec();
        self.drive(t, &mut q);
        let mut kinematics = Kinematics::default();
        kinematics.place(self, &q);
        let at = Moving {
            t,
            q: &q,
            kinematics: &kinematics,
            accelerations: None,
        };
        let mut all = std::mem::take(&mut self.constraints);
        let mut result = Ok(());
        for (name, constraint) in &mut all {
            let super::Constraint::Route(route) = constraint else {
                continue;
            };
            if let Err(fault) = self.lay(&at, route) {
                let name = name.clone();
                result = Err(TreeError::Constraint { name, fault });
                break;
            }
        }
        self.constraints = all;
        result
    }

    fn lay(&self, at: &Moving<'_>, route: &mut Route) -> Result<(), ConstraintFault> {
        route.laid = route.stops.iter().map(|stop| self.unlaid(stop)).collect();
        for k in 0..route.stops.len() {
            self.take_side(at, route, k)?;
        }
        for k in 0..route.stops.len() - 1 {
            self.check_span(at, route, k)?;
            // As if it touched every pulley: what leaves one is told from angles that are not known yet.
            let direction = match [k, k + 1].iter().any(|k| route.stops[*k].swivels()) {
                true => self.rope_direction(at, route, k),
                false => self.span(at, route, [k, k + 1]).along.normalize(),
            };
            for (stop, which) in [(k, 1), (k + 1, 0)] {
                let laid = &mut route.laid[stop];
                let turned = self.axes_of(at, laid.frame);
                let flat = turned.tr_mul(&direction);
                laid.directions[which] = (flat - laid.axis * laid.axis.dot(&flat)).normalize();
            }
        }
        for (number, stop) in route.stops.iter().enumerate() {
            let inner = number > 0 && number + 1 < route.stops.len();
            if stop.pulley.is_none() || !inner || stop.swivels() {
                continue;
            }
            let laid = &mut route.laid[number];
            let [arrives, leaves] = laid.directions;
            let turn = math::atan2(laid.axis.dot(&arrives.cross(&leaves)), arrives.dot(&leaves));
            laid.wrap = turn * 1.0_f64.copysign(stop.signed_radius());
            // Between −90° and 270°: a rope does not go round the far side of a pulley it only passes.
            if laid.wrap < -FRAC_PI_2 {
                laid.wrap += TAU;
            }
            if !(laid.wrap >= -1e-9) {
                let fault = WaypointFault::Untouched;
                return Err(ConstraintFault::Waypoint { number, fault });
            }
        }
        // What is left of the equations where nothing is taken away.
        route.spans = vec![0.0; route.rows()];
        route.whole = 0.0;
        let length = route.length.take();
        let mut rows = ConstraintRows {
            values_only: true,
            value: vec![0.0; route.rows()],
            scale: vec![0.0; route.rows()],
            rate: vec![0.0; route.rows()],
            second: vec![0.0; route.rows()],
            ..ConstraintRows::default()
        };
        self.route(at, route, 0, &mut rows);
        route.length = length;
        route.spans = rows.value;
        route.whole = self.route_length(at, route);
        match route.spans.iter().all(|x| x.is_finite()) {
            true => Ok(()),
            false => Err(ConstraintFault::Number),
        }
    }

    /// Makes left or right of over and under: at the top of a circle about e, a point goes along `e × up`.
    fn take_side(&self, at: &Moving<'_>, route: &mut Route, k: usize) -> Result<(), ConstraintFault> {
        let place = |k: usize| at.kinematics.site(&self.sites[route.stops[k].site]);
        let way = place((k + 1).min(route.stops.len() - 1)) - place(k.max(1) - 1);
        let laid = &route.laid[k];
        let top = (self.axes_of(at, laid.frame) * laid.axis).cross(&-self.gravity);
        let stop = &mut route.stops[k];
        let swivels = stop.swivels();
        let Some(pulley) = &mut stop.pulley else {
            return Ok(());
        };
        let over = match pulley.side {
            Side::Over => 1.0,
            Side::Under => -1.0,
            Side::Left | Side::Right => return Ok(()),
        };
        let along = over * top.dot(&way);
        if !swivels && !(along.abs() > 1e-9 * top.norm() * way.norm()) {
            let fault = WaypointFault::Side;
            return Err(ConstraintFault::Waypoint { number: k, fault });
        }
        pulley.side = if along < 0.0 { Side::Right } else { Side::Left };
        Ok(())
    }

    /// A stop whose directions are not known.
    fn unlaid(&self, stop: &Waypoint) -> Laid {
        let mut laid = Laid {
            frame: self.sites[stop.site].node,
            turning: None,
            axis: Vec3::z(),
            directions: [Vec3::x(); 2],
            wrap: 0.0,
        };
        match stop.pulley.as_ref().map(|pulley| pulley.sheave) {
            Some(Sheave::Turning) => {
                laid.turning = self.turning_node(stop.site);
                if let Some(node) = laid.turning.map(|node| &self.nodes[node]) {
                    laid.frame = node.parent;
                    laid.axis = node.rotation.column(2).into();
                }
            }
            Some(Sheave::Sliding(axis)) => {
                let body = laid.frame.map(|node| self.nodes[node].body);
                let axis = body.map_or(axis, |body| self.node_from_body[body].direction(&axis));
                laid.axis = axis.normalize();
            }
            Some(Sheave::Swivel) | None => {}
        }
        laid
    }

    /// Whether a straight part is outside of both pulleys, and in their planes.
    fn check_span(&self, at: &Moving<'_>, route: &Route, k: usize) -> Result<(), ConstraintFault> {
        let [a, b] = [&route.stops[k], &route.stops[k + 1]];
        let refuse = |number, fault| Err(ConstraintFault::Waypoint { number, fault });
        let number = if a.pulley.is_some() { k } else { k + 1 };
        let length = self.rope_direction(at, route, k);
        if !length.iter().all(|x| x.is_finite()) {
            let fault = match (&a.pulley, &b.pulley) {
                (None, None) => WaypointFault::Meets,
                (Some(_), Some(_)) => WaypointFault::Overlap,
                _ => WaypointFault::Inside,
            };
            return refuse(number, fault);
        }
        let axis = |number: usize| {
            let laid = &route.laid[number];
            self.axes_of(at, laid.frame) * laid.axis
        };
        if let Some(eye) = self.eyes(at, route).after(k)
            && let Some((pulley, _)) = eye.pulley(route)
        {
            let d = eye.place.x - at.kinematics.site(&self.sites[route.stops[pulley].site]);
            return match axis(pulley).dot(&d).abs() > FLEET * d.norm() {
                true => refuse(pulley, WaypointFault::LeavesPlane),
                false => Ok(()),
            };
        }
        if a.swivels() || b.swivels() || (a.pulley.is_none() && b.pulley.is_none()) {
            return Ok(());
        }
        let d = at.kinematics.site(&self.sites[b.site]) - at.kinematics.site(&self.sites[a.site]);
        let off = axis(number).dot(&d).abs();
        if a.pulley.is_some() && b.pulley.is_some() {
            let tilted = axis(k).cross(&axis(k + 1)).norm() > IN_ONE_PLANE;
            return match tilted || off > IN_ONE_PLANE * d.norm() {
                true => refuse(k + 1, WaypointFault::OtherPlane),
                false => Ok(()),
            };
        }
        match off > FLEET * d.norm() {
            true => refuse(number, WaypointFault::LeavesPlane),
            false => Ok(()),
        }
    }
}
