//! The equations of ropes over points and pulleys.
//!
//! ```text
//! span from circle a to circle b, σ = ±R by the way the rope goes round (0 for a point), e the axis:
//! d = c_b − c_a = d_∥ + z e,   D = |d_∥|,   κ = σ_a − σ_b
//! t = √(D² − κ²),   L = √(t² + z²)               the straight part, t of it in the plane
//! u = (t d_∥ + κ e × d_∥) / D²                    its direction in the plane, at the angle θ
//!
//! slides:    g = Σ L + Σ σ (θ_out − θ_in) − ℓ(t)   one equation, one tension
//! no slip:   g = L + σ_a (θ_a − φ_a) − σ_b (θ_b − φ_b) − ℓ   for each part between pulleys that turn by φ
//!
//! ∂g/∂d = (t/L − κ²/D²) (D/t) e_D + (κ/D) e_ψ + (z/L) e      = u for z = 0
//! ∂²g/∂d² in the axes e_D, e_ψ, e
//!     DD  1/L − D²/L³ + κ² (1/D²t + 1/t³)     ψψ  1/L − κ²/D²t        Dψ  −κ/D²
//!     zz  1/L − z²/L³                         Dz  −D z/L³
//!
//! swivel, x and y from its centre to the points before and after, or to eyes (`eye.rs`) before another pulley:
//! g = f(|x|) + f(|y|) + R (2π − γ) − ℓ,   f(d) = t − R acos(R/d),   t = √(d² − R²),   γ the angle from x to y
//! ∂g/∂x = (t_x/|x|) e_x + R (e_y − e_x cos γ) / (|x| sin γ)
//! ```
//! Angles θ are measured on the body that holds the pulley, from where the rope was when it was laid, and are within
//! three radians of that: elsewhere there is no value, nor where the arc is negative on a pulley that turns with the
//! rope. Off one that it slides on, the rope goes straight from the stop before to that after, which is where both
//! agree to first order: its tension has a kink there, and comes back as it went. Off the plane of a pulley the rope
//! leaves the circle where its projection does, as through a fairlead; the force across it is then (z²/2L²) R/t of the
//! tension. What moves the pulley of a span is the opposite of what moves its other end, at the same place, because the
//! length does not change if both move as one.
use super::{
    ConstraintRows, Moving, Tree,
    eye::{Eye, Eyes, Tip},
    jet::{Jet, JetVec},
    route::{Laid, Route, Waypoint},
};
use crate::{
    Vec3,
    geometry::se3::{angular, join},
};
use nalgebra::Matrix3;
use std::f64::consts::TAU;

/// A rope turns by no more than this from how it was laid, rad.
const TURNED: f64 = 3.0;

/// A straight part of a rope.
pub(super) struct Span {
    /// L.
    pub(super) length: Jet,
    /// u.
    direction: JetVec,
    /// L n, from the tangent point of a to that of b.
    pub(super) along: Vec3,
    /// ∂g/∂d.
    pub(super) force: Vec3,
    /// σ_b about the axis that is used.
    pub(super) far: f64,
    pub(super) axis: Vec3,
}

impl Span {
    /// `∂²g/∂d²`, with d from centre to centre.
    pub(super) fn bent(&self, d: &Vec3, kappa: f64) -> Matrix3<f64> {
        let axis = self.axis;
        let z = d.dot(&axis);
        let flat = d - axis * z;
        let (l, distance) = (self.length.x, flat.norm());
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
}

impl Tree {
    /// The axes of a node, or of the world.
    pub(super) fn axes_of(&self, at: &Moving<'_>, node: Option<usize>) -> Matrix3<f64> {
        node.map_or_else(Matrix3::identity, |node| at.kinematics.frames[node].rotation)
    }

    /// A direction fixed on a node.
    fn carried(&self, at: &Moving<'_>, node: Option<usize>, direction: &Vec3) -> JetVec {
        let x = self.axes_of(at, node) * direction;
        let (Some(node), Some((accelerations, _))) = (node, at.accelerations) else {
            return JetVec::constant(x);
        };
        let (turn, turning) = (
            angular(&at.kinematics.frames[node].twist),
            angular(&accelerations[node]),
        );
        let v = turn.cross(&x);
        let a = turning.cross(&x) + turn.cross(&v);
        JetVec { x, v, a }
    }

    pub(super) fn centre(&self, at: &Moving<'_>, site: usize) -> JetVec {
        let site = self.moving_site(at, site);
        JetVec {
            x: site.r,
            v: site.v,
            a: site.a,
        }
    }

    /// φ of a pulley that turns.
    fn turned(&self, at: &Moving<'_>, laid: &Laid) -> Jet {
        let Some(i) = laid.turning else {
            return Jet::default();
        };
        let node = &self.nodes[i];
        let mut out = Jet::constant(node.kind.turn() * at.q[node.q]);
        if let Some((accelerations, _)) = at.accelerations {
            let axis: Vec3 = at.kinematics.frames[i].rotation.column(2).into();
            let frames = &at.kinematics.frames;
            let carried = node
                .parent
                .map_or_else(Vec3::zeros, |p| angular(&frames[p].twist));
            let carrying = node
                .parent
                .map_or_else(Vec3::zeros, |p| angular(&accelerations[p]));
            out.v = axis.dot(&(angular(&frames[i].twist) - carried));
            out.a = axis.dot(&(angular(&accelerations[i]) - carrying));
        }
        out
    }

    /// The straight part from stop k to another, neither of which swivels.
    pub(super) fn span(&self, at: &Moving<'_>, route: &Route, ends: [usize; 2]) -> Span {
        let [a, b] = ends.map(|k| self.tip(at, route, k));
        self.between(at, [&a, &b])
    }

    /// A stop that does not swivel, as the end of a straight part.
    pub(super) fn tip<'r>(&self, at: &Moving<'_>, route: &'r Route, k: usize) -> Tip<'r> {
        let stop = &route.stops[k];
        Tip {
            place: self.centre(at, stop.site),
            radius: stop.signed_radius(),
            laid: stop.pulley.is_some().then(|| &route.laid[k]),
        }
    }

    /// The straight part between two ends.
    pub(super) fn between(&self, at: &Moving<'_>, [a, b]: [&Tip<'_>; 2]) -> Span {
        let d = b.place - a.place;
        let Some(laid) = a.laid.or(b.laid) else {
            let length = d.dot(&d).sqrt();
            let direction = d.times(length.inverse());
            return Span {
                length,
                direction,
                along: d.x,
                force: direction.x,
                far: 0.0,
                axis: Vec3::zeros(),
            };
        };
        let axis = self.carried(at, laid.frame, &laid.axis);
        let mut far = b.radius;
        if let (Some(_), Some(other)) = (a.laid, b.laid) {
            let other = self.axes_of(at, other.frame) * other.axis;
            far *= 1.0_f64.copysign(axis.x.dot(&other));
        }
        let kappa = a.radius - far;
        let off = d.dot(&axis);
        let flat = d - axis.times(off);
        let square = flat.dot(&flat);
        let straight = (square - Jet::constant(kappa * kappa)).sqrt();
        let length = (straight * straight + off * off).sqrt();
        let direction = flat.times(straight) + axis.cross(&flat).times(Jet::constant(kappa));
        let direction = direction.times(square.inverse());
        let (t, l, dd) = (straight.x, length.x, square.x);
        // e_D = d_∥/D and e_ψ = e × d_∥/D.
        let force = flat.x * ((t / l - kappa * kappa / dd) / t)
            + axis.x.cross(&flat.x) * (kappa / dd)
            + axis.x * (off.x / l);
        Span {
            length,
            direction,
            along: direction.x * t + axis.x * off.x,
            force,
            far,
            axis: axis.x,
        }
    }

    /// How far the rope has turned since it was laid, as it arrives at a pulley (0) or leaves it (1).
    pub(super) fn deviation(&self, at: &Moving<'_>, laid: &Laid, which: usize, direction: &JetVec) -> Jet {
        let first = self.carried(at, laid.frame, &laid.directions[which]);
        let axis = self.carried(at, laid.frame, &laid.axis);
        let angle = Jet::atan2(direction.dot(&axis.cross(&first)), direction.dot(&first));
        match angle.x.abs() <= TURNED {
            true => angle,
            false => Jet::constant(f64::NAN),
        }
    }

    /// `g` of a rope, from row `row` on.
    pub(super) fn route(&self, at: &Moving<'_>, route: &Route, row: usize, out: &mut ConstraintRows) {
        let last = row + route.rows() - 1;
        for k in row..=last {
            let (length, rate, second) = match k == last {
                true => route.last_length(at.t),
                false => (route.spans.get(k - row).copied().unwrap_or(f64::NAN), 0.0, 0.0),
            };
            (out.value[k], out.rate[k], out.second[k]) = (-length, -rate, -second);
            out.scale[k] = length.abs();
        }
        if route.laid.len() != route.stops.len() {
            return out.value[row..=last].fill(f64::NAN);
        }
        let (off, eyes) = (self.off(at, route), self.eyes(at, route));
        let (mut now, mut arrived) = (row, Jet::default());
        for (k, stop) in route.stops.iter().enumerate() {
            if off.holds(k) {
                continue;
            }
            let (place, radius, laid) = (self.centre(at, stop.site), stop.signed_radius(), &route.laid[k]);
            let inner = k > 0 && k + 1 < route.stops.len();
            if stop.turns() && inner {
                now += 1;
            }
            out.scale[now] += place.x.norm();
            if stop.swivels() {
                self.swivel(at, route, (k, &eyes), now, out);
            }
            let (after, eye) = (off.after(k), eyes.after(k));
            let span = match eye {
                Some(eye) => self.span_of(at, route, eye),
                None if stop.swivels() || route.stops.get(after).is_none_or(Waypoint::swivels) => None,
                None => Some(self.span(at, route, [k, after])),
            };
            let Some(span) = span else { continue };
            let mut g = span.length;
            if stop.pulley.is_some() && !stop.swivels() {
                let left = self.deviation(at, laid, 1, &span.direction);
                let turned = self.turned(at, laid);
                let arc = Jet::constant(laid.wrap) + (left - arrived) * 1.0_f64.copysign(radius);
                if inner && !(arc.x >= -1e-6) {
                    g = Jet::constant(f64::NAN);
                }
                g = g + Jet::constant(radius.abs() * laid.wrap) + (left - turned) * radius;
                out.scale[now] += radius.abs() * (laid.wrap + left.x.abs() + turned.x.abs());
            }
            let next = &route.stops[after];
            if next.pulley.is_some() && !next.swivels() {
                let laid = &route.laid[after];
                arrived = self.deviation(at, laid, 0, &span.direction);
                let turned = self.turned(at, laid);
                g = g - (arrived - turned) * next.signed_radius();
                out.scale[now] += next.signed_radius().abs() * (arrived.x.abs() + turned.x.abs());
            }
            out.value[now] += g.x;
            out.second[now] += g.a;
            match eye {
                Some(eye) => self.pull_eye(at, route, eye, &span, now, out),
                None => self.pull_span(at, route, [k, after], &span, now, out),
            }
        }
    }

    /// The opposite forces at both ends of a span.
    fn pull_span(
        &self,
        at: &Moving<'_>,
        route: &Route,
        [k, next]: [usize; 2],
        span: &Span,
        row: usize,
        out: &mut ConstraintRows,
    ) {
        let [a, b] = [
            &self.sites[route.stops[k].site],
            &self.sites[route.stops[next].site],
        ];
        let from_pulley = route.stops[k].pulley.is_some();
        // The place that the plane of the pulley does not go with.
        let place = at.kinematics.site(if from_pulley { b } else { a });
        let moment = span.axis * if from_pulley { span.far } else { 0.0 };
        for (end, sign) in [(b, 1.0), (a, -1.0)] {
            let Some(node) = end.node else { continue };
            // Between points each force is at its own end, which is the same line.
            let place = match span.far == 0.0 && !from_pulley && route.stops[next].pulley.is_none() {
                true => at.kinematics.site(end),
                false => place,
            };
            let (force, arm) = (span.force * sign, place - at.kinematics.frames[node].origin);
            let wrench = join(&force, &(arm.cross(&force) + moment * sign));
            self.pull_wrench(at, node, &wrench, row, out);
        }
    }

    /// The same where one end is an eye, which is carried along without turning.
    fn pull_eye(
        &self,
        at: &Moving<'_>,
        route: &Route,
        eye: &Eye,
        span: &Span,
        row: usize,
        out: &mut ConstraintRows,
    ) {
        let Some((pulley, first)) = eye.pulley(route) else {
            return;
        };
        let pulley = &self.sites[route.stops[pulley].site];
        let force = if first { span.force } else { -span.force };
        self.pull(at, route.stops[eye.holder].site, &force, row, out);
        if let Some(node) = pulley.node {
            let arm = eye.place.x - at.kinematics.frames[node].origin;
            self.pull_wrench(at, node, &-join(&force, &arm.cross(&force)), row, out);
        }
    }

    /// A pulley that turns into the plane of its neighbours.
    fn swivel(
        &self,
        at: &Moving<'_>,
        route: &Route,
        (k, eyes): (usize, &Eyes),
        row: usize,
        out: &mut ConstraintRows,
    ) {
        let sites = [
            self.site_beside(route, eyes, k, false),
            route.stops[k].site,
            self.site_beside(route, eyes, k, true),
        ];
        let [before, after] = [false, true].map(|side| self.beside(at, route, eyes, k, side));
        let centre = self.centre(at, sites[1]);
        let r = route.stops[k].signed_radius().abs();
        let (x, y) = (before - centre, after - centre);
        let normal = x.cross(&y);
        let gamma = Jet::atan2(normal.dot(&normal).sqrt(), x.dot(&y));
        let mut g = Jet::constant(r * TAU) - gamma * r;
        let (sine, cosine) = crate::math::sin_cos(gamma.x);
        let units = [&x, &y].map(|d| d.x.normalize());
        let mut total = Vec3::zeros();
        for (d, e, other, site) in [
            (&x, &units[0], &units[1], sites[0]),
            (&y, &units[1], &units[0], sites[2]),
        ] {
            let square = d.dot(d);
            let straight = (square - Jet::constant(r * r)).sqrt();
            g = g + straight - Jet::atan2(straight, Jet::constant(r)) * r;
            let distance = d.x.norm();
            let force = e * (straight.x / distance) + (other - e * cosine) * (r / (distance * sine));
            self.pull(at, site, &force, row, out);
            total += force;
        }
        self.pull(at, sites[1], &-total, row, out);
        out.value[row] += g.x;
        out.second[row] += g.a;
        out.scale[row] += TAU * r;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        Constraint, Dynamics, Joint, Length, Pulley, RigidBody, Sheave, Side, Site, TreeParts, Waypoint,
    };
    use super::*;
    use crate::geometry::{Pose, RigidInertia};

    /// Two arms in a plane, each with a pulley; a drum that follows time; points that move in space.
    fn tree() -> Tree {
        let z = || Joint::Revolute { axis: Vec3::z() };
        let along = |axis: Vec3| Joint::Prismatic { axis };
        let inertia = RigidInertia::cuboid(1.0, Vec3::zeros(), Vec3::new(0.3, 0.2, 0.4));
        let driven = Joint::Driven {
            axis: -Vec3::z(),
            along: super::super::Along::Turn,
            motion: Box::new(|t: f64| (0.3 * t + t * t, 0.3 + 2.0 * t, 2.0)),
        };
        let list: [(&str, Option<usize>, Joint, Vec3); 10] = [
            ("arm", None, z(), Vec3::new(0.0, 1.0, 0.0)),
            ("wheel", Some(0), z(), Vec3::new(0.5, 0.0, 0.0)),
            ("other", None, z(), Vec3::new(3.0, 1.0, 0.0)),
            ("drum", None, driven, Vec3::new(5.0, -0.5, 0.0)),
            ("x", None, along(Vec3::x()), Vec3::new(-0.7, -2.0, 0.05)),
            ("y", Some(4), along(Vec3::y()), Vec3::zeros()),
            ("z", Some(5), along(Vec3::z()), Vec3::zeros()),
            ("u", None, along(Vec3::x()), Vec3::new(0.0, 0.2, 2.0)),
            ("v", Some(7), along(Vec3::y()), Vec3::zeros()),
            ("w", Some(8), along(Vec3::z()), Vec3::zeros()),
        ];
        let bodies = list.into_iter().map(|(name, parent, joint, place)| RigidBody {
            name: name.to_owned(),
            parent,
            joint,
            parent_from_joint: Pose::translation(place),
            joint_from_body: Pose::identity(),
            inertia,
        });
        let sites = vec![
            Site::on(6, "p", Vec3::zeros()),
            Site::on(1, "c", Vec3::zeros()),
            Site::on(2, "c", Vec3::new(0.1, 0.2, 0.0)),
            Site::on(3, "c", Vec3::zeros()),
            Site::on(9, "s", Vec3::zeros()),
            Site::fixed("o", Vec3::new(1.0, 2.0, 3.0)),
        ];
        let pulley = |site, radius, sheave, left: bool| Waypoint {
            site,
            pulley: Some(Pulley {
                name: format!("pulley-{site}"),
                radius,
                sheave,
                side: if left { Side::Left } else { Side::Right },
            }),
        };
        let rope = Route::new(
            vec![
                Waypoint::point(0),
                pulley(1, 0.3, Sheave::Turning, false),
                pulley(2, 0.4, Sheave::Sliding(Vec3::z()), false),
                pulley(3, 0.2, Sheave::Turning, true),
            ],
            Some(Length::Driven(Box::new(|t| (9.0 + t * t, 2.0 * t, 2.0)))),
        );
        let hoist = Route::new(
            vec![
                pulley(3, 0.2, Sheave::Turning, true),
                pulley(2, 0.3, Sheave::Swivel, true),
                pulley(4, 0.25, Sheave::Swivel, true),
                Waypoint::point(5),
            ],
            None,
        );
        let mixed = Route::new(
            vec![
                pulley(3, 0.2, Sheave::Turning, true),
                pulley(2, 0.3, Sheave::Swivel, true),
                pulley(1, 0.35, Sheave::Turning, true),
                pulley(0, 0.2, Sheave::Swivel, true),
                Waypoint::point(5),
            ],
            None,
        );
        let block = Route::new(
            vec![
                Waypoint::point(0),
                pulley(4, 0.25, Sheave::Swivel, true),
                Waypoint::point(5),
            ],
            None,
        );
        let mut tree = Tree::new(TreeParts {
            bodies: bodies.collect(),
            sites,
            constraints: vec![
                ("rope".to_owned(), Constraint::Route(rope)),
                ("block".to_owned(), Constraint::Route(block)),
                ("hoist".to_owned(), Constraint::Route(hoist)),
                ("mixed".to_owned(), Constraint::Route(mixed)),
            ],
            ..TreeParts::default()
        })
        .expect("a tree");
        tree.fit_routes(0.0, &[0.0; 10]).expect("a rope");
        tree
    }

    fn evaluated(tree: &Tree, t: f64, q: &[f64]) -> ConstraintRows {
        let mut rows = ConstraintRows::default();
        super::super::assemble::evaluate(tree, t, q, &mut rows);
        rows
    }

    /// Fourth differences of smooth numbers of order one, with steps of 1e-3: rounding 1e-13, what is left out 1e-12.
    #[test]
    fn jacobian_and_second_derivative_are_those_of_differences() {
        let tree = tree();
        let (n, h) = (tree.velocities(), 1e-3);
        let place = |shift: &dyn Fn(usize) -> f64| -> Vec<f64> {
            let mut q: Vec<f64> = (0..tree.coordinates())
                .map(|k| 0.1 * (1.0 + 1.9 * k as f64).sin())
                .collect();
            for node in tree.nodes.iter().filter(|node| node.dofs == 1) {
                q[node.q] += shift(node.v);
            }
            q
        };
        let q = place(&|_| 0.0);
        let rows = evaluated(&tree, 0.4, &q);
        assert_eq!(rows.value.len(), 6);
        assert!(rows.value.iter().all(|g| g.is_finite()), "{:?}", rows.value);
        for v in 0..n {
            let g = |x: f64| evaluated(&tree, 0.4, &place(&|k| if k == v { x } else { 0.0 })).value;
            let [a, b, c, d] = [-2.0 * h, -h, h, 2.0 * h].map(g);
            for k in 0..6 {
                let slope = (a[k] - 8.0 * b[k] + 8.0 * c[k] - d[k]) / (12.0 * h);
                let exact = rows.jacobian[k * n + v];
                assert!(
                    (slope - exact).abs() < 1e-10,
                    "row {k}, velocity {v}: {slope} {exact}"
                );
            }
        }
        let rate = |k: usize| (0.7 + 1.3 * k as f64).sin();
        let growth = |k: usize| (0.2 + 2.1 * k as f64).cos();
        let g = |s: f64| evaluated(&tree, 0.4 + s, &place(&|k| rate(k) * s + 0.5 * growth(k) * s * s)).value;
        let all = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|k| g(k * h));
        let (v, dv): (Vec<f64>, Vec<f64>) = (0..n).map(|k| (rate(k), growth(k))).unzip();
        let mut placed = q.clone();
        tree.drive(0.4, &mut placed);
        let mut dynamics = Dynamics::default();
        dynamics.kinematics.place(&tree, &placed);
        tree.drive_rates(0.4, &mut dynamics.driven);
        dynamics.kinematics.set_moving(&tree, &v, &dynamics.driven);
        tree.load(0.4, &dynamics.kinematics, &mut dynamics.loads);
        dynamics.invert(&tree, 0.4, &dv);
        let accelerations: Vec<_> = dynamics.inverse.iter().map(|(a, _)| *a).collect();
        let at = Moving {
            t: 0.4,
            q: &placed,
            kinematics: &dynamics.kinematics,
            accelerations: Some((&accelerations, &dv)),
        };
        let mut moving = ConstraintRows::default();
        tree.constrain(&at, &mut moving);
        for k in 0..6 {
            let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|j: usize| all[j][k]);
            let first = (a - 8.0 * b + 8.0 * d - e) / (12.0 * h);
            let speed: f64 = (0..n).map(|j| moving.jacobian[k * n + j] * v[j]).sum();
            assert!(
                (first - speed - moving.rate[k]).abs() < 1e-10,
                "row {k}: {first} {speed}"
            );
            let second = (-a + 16.0 * b - 30.0 * c + 16.0 * d - e) / (12.0 * h * h);
            // Rounding of 1e-15 over h².
            assert!(
                (second - moving.second[k]).abs() < 1e-7,
                "row {k}: {second} {}",
                moving.second[k]
            );
        }
    }
}
