//! Constraints on a tree: `g(t, q) = 0`, enforced by `−Gᵀλ`, `G = ∂g/∂q`.
//!
//! ```text
//! coincidence   e·(r_a − r_b)                  for each direction e
//! distance      |r_a − r_b| − ℓ(t)
//! plane         n·(r − r_o)                    n fixed on the body of o
//! orientation   2 u of (c, u) = (R_a Q)⁻¹ R_b  three rows, Q(t) with ω in its own axes: ∂g/∂t = −(c ω + ω × u)
//! coupling      Σ cₖ qₖ − d
//! cable         Σ |rₖ₊₁ − rₖ| − ℓ(t)
//! tether        the same, g ≤ 0: see `tether.rs`
//! route         the same with arcs around pulleys: see `wrap.rs`
//! ```
//! Joints that close loops are in `closing.rs`; what rolls, and blades, whose G is no derivative, in `rolling.rs`.
//! All but the orientation and couplings of angles are lengths, so λ is a force in newtons: positive
//! when a distance or a cable pulls.
use super::{
    Blade, Closing, ConstraintFault, JointKind, Kinematics, Motion, Rolling, Route, SitePlace, Tree,
    TreeError, Turning,
};
use crate::{
    Vec3,
    geometry::se3::{Twist, Wrench, angular, join, linear, wrench_from},
    math,
};
use nalgebra::{Rotation3, UnitQuaternion};

/// A constraint. Sites and bodies are given by their number.
pub enum Constraint {
    /// Two sites have the same coordinates along the given directions of the world.
    Coincidence {
        /// The sites.
        between: [usize; 2],
        /// One to three independent directions.
        directions: Vec<Vec3>,
    },
    /// Two sites are at a distance.
    Distance {
        /// The sites.
        between: [usize; 2],
        /// The distance.
        length: Length,
    },
    /// A site is on a plane.
    Plane {
        /// The site.
        site: usize,
        /// A site on the plane, on the body that carries it.
        on: usize,
        /// The normal, in the frame of that body.
        normal: Vec3,
    },
    /// A body is turned against another, or the world, as given.
    Orientation {
        /// The other body; `None` for the world.
        from: Option<usize>,
        /// The body.
        to: usize,
        /// The rotation `from_from_to`.
        relative: Attitude,
    },
    /// Coordinates of scalar joints are coupled linearly: `Σ cₖ qₖ = d`.
    Coupling {
        /// Body, number of the coordinate in its joint, and factor c.
        terms: Vec<(usize, usize, f64)>,
        /// d.
        constant: f64,
    },
    /// A cable of given length runs through sites.
    Cable {
        /// Two sites or more.
        through: Vec<usize>,
        /// Its length.
        length: Length,
    },
    /// A string through sites is no longer than this, and goes slack.
    Tether {
        /// Two sites or more.
        through: Vec<usize>,
        /// Its length.
        length: Length,
    },
    /// A rope runs over points and pulleys.
    Route(Route),
    /// A joint that closes a loop.
    Closing(Closing),
    /// A disk or a sphere rolls on a plane without slipping.
    Rolling(Rolling),
    /// A site does not move across a blade.
    Blade(Blade),
}

/// A length that is given.
pub enum Length {
    /// Always the same, m.
    Fixed(f64),
    /// A function of time.
    Driven(Motion),
}

impl Length {
    pub(crate) fn at(&self, t: f64) -> (f64, f64, f64) {
        match self {
            Self::Fixed(length) => (*length, 0.0, 0.0),
            Self::Driven(motion) => motion(t),
        }
    }
}

/// A rotation that is given.
pub enum Attitude {
    /// Always the same.
    Fixed(UnitQuaternion<f64>),
    /// A function of time.
    Driven(Turning),
}

impl Constraint {
    /// Number of equations.
    pub fn rows(&self) -> usize {
        match self {
            Self::Coincidence { directions, .. } => directions.len(),
            Self::Orientation { .. } => 3,
            Self::Route(route) => route.rows(),
            Self::Closing(closing) => closing.rows(),
            Self::Rolling(rolling) => rolling.rows(),
            _ => 1,
        }
    }

    /// What its equations are called after its name: nothing, an axis or a number, or an axis of a turn.
    pub fn suffixes(&self) -> Vec<String> {
        let axes = ["x", "y", "z"];
        match self {
            Self::Coincidence { directions, .. } => {
                let axis = |e: &Vec3| (0..3).find(|k| (e - Vec3::ith(*k, 1.0)).norm() <= 1e-12);
                let named = directions.iter().enumerate().map(|(index, e)| match axis(e) {
                    Some(k) => format!(".{}", axes[k]),
                    None => format!(".{}", index + 1),
                });
                named.collect()
            }
            Self::Orientation { .. } => axes.map(|axis| format!(".turn.{axis}")).to_vec(),
            Self::Route(route) if route.rows() > 1 => {
                (1..=route.rows()).map(|part| format!(".{part}")).collect()
            }
            Self::Closing(closing) => closing.suffixes(),
            Self::Rolling(rolling) => rolling.suffixes(),
            _ => vec![String::new()],
        }
    }

    /// Whether it is a string that goes slack.
    pub fn goes_slack(&self) -> bool {
        match self {
            Self::Tether { .. } => true,
            Self::Route(route) => route.slack,
            _ => false,
        }
    }

    /// Whether time changes it.
    pub(super) fn is_driven(&self) -> bool {
        match self {
            Self::Distance { length, .. } | Self::Cable { length, .. } | Self::Tether { length, .. } => {
                matches!(length, Length::Driven(_))
            }
            Self::Route(route) => matches!(route.length, Some(Length::Driven(_))),
            Self::Orientation { relative, .. } => matches!(relative, Attitude::Driven(_)),
            _ => false,
        }
    }

    /// The power of what drives it, by the multipliers of its equations: `λ ∂g/∂t` where it is met.
    pub(crate) fn drive_power(&self, t: f64, lambda: &[f64]) -> f64 {
        match self {
            Self::Distance { length, .. } | Self::Cable { length, .. } | Self::Tether { length, .. } => {
                -lambda[0] * length.at(t).1
            }
            Self::Route(route) => {
                let rate = route.length.as_ref().map_or(0.0, |length| length.at(t).1);
                -lambda[lambda.len() - 1] * rate
            }
            Self::Orientation {
                relative: Attitude::Driven(turning),
                ..
            } => -turning(t).1.dot(&Vec3::new(lambda[0], lambda[1], lambda[2])),
            _ => 0.0,
        }
    }

    /// Whether moving everything as a whole leaves it alone.
    pub(super) fn is_internal(&self, tree: &Tree) -> bool {
        let moving = |sites: &[usize]| sites.iter().all(|s| tree.sites[*s].node.is_some());
        match self {
            Self::Coincidence { between, directions } => directions.len() == 3 && moving(between),
            Self::Distance { between, .. } => moving(between),
            Self::Plane { site, on, .. } => moving(&[*site, *on]),
            Self::Orientation { from, .. } => from.is_some(),
            Self::Coupling { .. } => false,
            Self::Cable { through, .. } | Self::Tether { through, .. } => moving(through),
            Self::Route(route) => route.stops.iter().all(|stop| moving(&[stop.site])),
            Self::Closing(closing) => moving(&closing.between),
            Self::Rolling(rolling) => moving(&[rolling.site, rolling.on]),
            Self::Blade(_) => false,
        }
    }
}

/// Values and Jacobian of all constraints at one placement.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConstraintRows {
    pub(crate) value: Vec<f64>,
    /// The size of the numbers the value is a difference of.
    pub(crate) scale: Vec<f64>,
    /// `∂g/∂t`, by driven lengths and driven joints.
    pub(crate) rate: Vec<f64>,
    /// `g̈` for the accelerations given.
    pub(crate) second: Vec<f64>,
    /// G, row by row.
    pub(crate) jacobian: Vec<f64>,
    /// `∂g/∂q` of the driven joints, row by row.
    pub(crate) driven: Vec<f64>,
    /// The largest of the terms that make up a row of G.
    pub(crate) terms: Vec<f64>,
    /// Leaves G out.
    pub(crate) values_only: bool,
    /// Multipliers, where the forces that they make are wanted in place of G.
    pub(super) weights: Vec<f64>,
    /// Those forces, on each node at its origin.
    pub(super) wrenches: Vec<Wrench>,
}

impl ConstraintRows {
    /// Zeros in place of G, if it is not there.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn clear_jacobian(&mut self, tree: &Tree) {
        if self.jacobian.is_empty() {
            let (m, drives) = (tree.constraint_rows, tree.motions.len());
            for (list, size) in [
                (&mut self.jacobian, m * tree.velocities),
                (&mut self.driven, m * drives),
                (&mut self.rate, m),
                (&mut self.terms, m),
            ] {
                list.clear();
                list.resize(size, 0.0);
            }
        }
    }
}

/// Entries of G below this fraction of the terms they are the sum of are zero: what acts on both ends of a
/// constraint alike cancels.
const CANCELLED: f64 = 1e-14;

/// Places are sums of lengths of the tree, and have the rounding of those: near the origin of the world too, where they
/// are taken for this fraction of them.
const NEAR: f64 = 0.05;

/// One placement with what moves there.
pub(crate) struct Moving<'a> {
    pub(crate) t: f64,
    pub(crate) q: &'a [f64],
    pub(crate) kinematics: &'a Kinematics,
    /// Spatial accelerations of the nodes, where `g̈` is wanted, and v̇.
    pub(crate) accelerations: Option<(&'a [Twist], &'a [f64])>,
}

impl Tree {
    /// Number m of constraint equations.
    pub fn constraints(&self) -> usize {
        self.constraint_rows
    }

    /// Constraints with their names.
    pub fn constraint_list(&self) -> impl Iterator<Item = (&str, &Constraint)> {
        self.constraints
            .iter()
            .map(|(name, constraint)| (name.as_str(), constraint))
    }

    /// The number of the constraint that an equation belongs to.
    pub(crate) fn constraint_of(&self, row: usize) -> usize {
        let mut end = 0;
        let found = self.constraints.iter().position(|(_, constraint)| {
            end += constraint.rows();
            row < end
        });
        found.unwrap_or_default()
    }

    /// The name of the constraint that an equation, and its multiplier in `State::lambda`, belongs to.
    pub fn constraint_name(&self, row: usize) -> Option<&str> {
        (row < self.constraint_rows).then(|| self.constraints[self.constraint_of(row)].0.as_str())
    }

    /// Evaluates the constraints.
    pub(crate) fn constrain(&self, at: &Moving<'_>, out: &mut ConstraintRows) {
        let (m, n) = (self.constraint_rows, self.velocities);
        for list in [
            &mut out.value,
            &mut out.scale,
            &mut out.rate,
            &mut out.second,
            &mut out.terms,
        ] {
            list.clear();
            list.resize(m, 0.0);
        }
        if !out.values_only {
            out.jacobian.clear();
            out.jacobian.resize(m * n, 0.0);
            if !self.motions.is_empty() {
                out.driven.clear();
                out.driven.resize(m * self.motions.len(), 0.0);
            }
        }
        let near = NEAR * self.length();
        let mut row = 0;
        for (_, constraint) in &self.constraints {
            match constraint {
                Constraint::Coincidence { between, directions } => {
                    let [a, b] = between.map(|s| self.moving_site(at, s));
                    for e in directions {
                        out.value[row] = e.dot(&(a.r - b.r));
                        out.scale[row] = e.norm() * math::larger(a.r.norm() + b.r.norm(), near);
                        out.second[row] = e.dot(&(a.a - b.a));
                        self.pull(at, between[0], e, row, out);
                        self.pull(at, between[1], &-e, row, out);
                        row += 1;
                    }
                }
                Constraint::Distance { between, length } => {
                    self.polyline(at, between, length, row, out);
                    row += 1;
                }
                Constraint::Cable { through, length } | Constraint::Tether { through, length } => {
                    self.polyline(at, through, length, row, out);
                    row += 1;
                }
                Constraint::Route(route) => {
                    self.route(at, route, row, out);
                    row += route.rows();
                }
                Constraint::Plane { site, on, normal } => {
                    self.plane(at, *site, *on, normal, row, out);
                    row += 1;
                }
                Constraint::Orientation { from, to, relative } => {
                    self.orientation(at, *from, *to, relative, row, out);
                    row += 3;
                }
                Constraint::Coupling { terms, constant } => {
                    out.value[row] = -constant;
                    for (body, k, factor) in terms {
                        let (q, v) = self.coordinate(*body, *k);
                        out.value[row] += factor * at.q[q];
                        out.scale[row] += (factor * at.q[q]).abs();
                        if !out.values_only {
                            out.jacobian[row * n + v] += factor;
                        }
                        out.second[row] += at.accelerations.map_or(0.0, |(_, dv)| factor * dv[v]);
                    }
                    row += 1;
                }
                Constraint::Closing(closing) => {
                    self.closing(at, closing, row, out);
                    row += closing.rows();
                }
                Constraint::Rolling(rolling) => {
                    self.rolling(at, rolling, row, out);
                    row += rolling.rows();
                }
                Constraint::Blade(blade) => {
                    self.cut(at, blade, row, out);
                    row += 1;
                }
            }
        }
        if out.values_only {
            return;
        }
        for (row, terms) in out.jacobian.chunks_exact_mut(n.max(1)).zip(&out.terms) {
            for g in row {
                if g.abs() <= CANCELLED * terms {
                    *g = 0.0;
                }
            }
        }
    }

    /// `Σ |rₖ₊₁ − rₖ| − ℓ`.
    fn polyline(
        &self,
        at: &Moving<'_>,
        sites: &[usize],
        length: &Length,
        row: usize,
        out: &mut ConstraintRows,
    ) {
        let (l, rate, second) = length.at(at.t);
        (out.value[row], out.rate[row], out.second[row]) = (-l, -rate, -second);
        out.scale[row] = l.abs();
        if out.values_only {
            for pair in sites.windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|site| at.kinematics.site(&self.sites[site]));
                out.value[row] += (b - a).norm();
                out.scale[row] += a.norm() + b.norm();
            }
            return;
        }
        for pair in sites.windows(2) {
            let (a, b) = (self.moving_site(at, pair[0]), self.moving_site(at, pair[1]));
            let d = b.r - a.r;
            let distance = d.norm();
            // Where ends meet, nothing between them pulls in any direction.
            let n = d / distance.max(f64::MIN_POSITIVE);
            out.value[row] += distance;
            out.scale[row] += a.r.norm() + b.r.norm();
            if at.accelerations.is_some() {
                let (v, along) = (b.v - a.v, n.dot(&(b.v - a.v)));
                out.second[row] += n.dot(&(b.a - a.a))
                    + (v.norm_squared() - along * along) / distance.max(f64::MIN_POSITIVE);
            }
            self.pull(at, pair[1], &n, row, out);
            self.pull(at, pair[0], &-n, row, out);
        }
    }

    pub(super) fn plane(
        &self,
        at: &Moving<'_>,
        site: usize,
        on: usize,
        normal: &Vec3,
        row: usize,
        out: &mut ConstraintRows,
    ) {
        let (s, o) = (self.moving_site(at, site), self.moving_site(at, on));
        let (mut n, mut turn, mut turning) = (normal.normalize(), Vec3::zeros(), Vec3::zeros());
        let d = s.r - o.r;
        if let Some(node) = self.sites[on].node {
            let frame = &at.kinematics.frames[node];
            let body = self.nodes[node].body;
            n = frame.rotation * self.node_from_body[body].direction(&n);
            turn = angular(&frame.twist);
            turning = at
                .accelerations
                .map_or_else(Vec3::zeros, |(a, _)| angular(&a[node]));
            // The plane is pushed back where the site is.
            self.pull_node(at, node, &(s.r - frame.origin), &-n, row, out);
        }
        self.pull(at, site, &n, row, out);
        out.value[row] = n.dot(&d);
        out.scale[row] = math::larger(s.r.norm() + o.r.norm(), NEAR * self.length());
        let (dn, ddn) = (turn.cross(&n), turning.cross(&n) + turn.cross(&turn.cross(&n)));
        out.second[row] = n.dot(&(s.a - o.a)) + 2.0 * dn.dot(&(s.v - o.v)) + ddn.dot(&d);
    }

    fn orientation(
        &self,
        at: &Moving<'_>,
        from: Option<usize>,
        to: usize,
        relative: &Attitude,
        row: usize,
        out: &mut ConstraintRows,
    ) {
        let (relative, driven) = match relative {
            Attitude::Fixed(relative) => (*relative, None),
            Attitude::Driven(turning) => {
                let (relative, omega, change) = turning(at.t);
                (relative, Some((omega, change)))
            }
        };
        let (here, there, c, u) = self.relative_turn(at.kinematics, (from, to), &relative);
        let node = self.body_nodes[to];
        let acceleration = |node: usize| {
            at.accelerations
                .map_or_else(Vec3::zeros, |(a, _)| angular(&a[node]))
        };
        let mut relative_acceleration =
            acceleration(node) - from.map_or_else(Vec3::zeros, |b| acceleration(self.body_nodes[b]));
        if let Some((omega, change)) = driven {
            // It turns against the other with ω, in its own axes.
            let rate = omega * c + omega.cross(&u);
            (0..3).for_each(|k| out.rate[row + k] = -rate[k]);
            let carried = from.map_or_else(Vec3::zeros, |b| {
                angular(&at.kinematics.frames[self.body_nodes[b]].twist)
            });
            relative_acceleration -= carried.cross(&(there * omega)) + there * change;
        }
        for k in 0..3 {
            // Row k of (c + û) R_bᵀ.
            let e = Vec3::ith(k, 1.0);
            let moment = here * (e * c - u.cross(&e));
            out.value[row + k] = 2.0 * u[k];
            out.scale[row + k] = 1.0;
            // On the constraint both turn alike, and nothing else is left of ü.
            out.second[row + k] = moment.dot(&relative_acceleration);
            self.pull_wrench(at, node, &join(&Vec3::zeros(), &moment), row + k, out);
            if let Some(b) = from {
                self.pull_wrench(
                    at,
                    self.body_nodes[b],
                    &join(&Vec3::zeros(), &-moment),
                    row + k,
                    out,
                );
            }
        }
    }

    /// R_b, R_a Q, and `(c, u) = (R_a Q)⁻¹ R_b`.
    pub(super) fn relative_turn(
        &self,
        kinematics: &Kinematics,
        (from, to): (Option<usize>, usize),
        relative: &UnitQuaternion<f64>,
    ) -> (UnitQuaternion<f64>, UnitQuaternion<f64>, f64, Vec3) {
        let attitude = |body: Option<usize>| match body {
            None => UnitQuaternion::identity(),
            Some(b) => {
                let r = kinematics.frames[self.body_nodes[b]].rotation;
                UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(r))
                    * self.node_from_body[b].rotation
            }
        };
        let here = attitude(Some(to));
        let there = attitude(from) * relative;
        let turn = there.inverse() * here;
        let sign = 1.0_f64.copysign(turn.w);
        (here, there, sign * turn.w, turn.imag() * sign)
    }

    /// Where one coordinate of a body's joint is in q and in v.
    fn coordinate(&self, body: usize, k: usize) -> (usize, usize) {
        let (q, v) = self.offsets(body);
        (q + k, v + k)
    }

    /// Adds a force on a site to row `row` of G.
    pub(super) fn pull(
        &self,
        at: &Moving<'_>,
        site: usize,
        force: &Vec3,
        row: usize,
        out: &mut ConstraintRows,
    ) {
        let SitePlace { node, position } = self.sites[site];
        if let Some(node) = node {
            let arm = at.kinematics.frames[node].rotation * position;
            self.pull_node(at, node, &arm, force, row, out);
        }
    }

    pub(super) fn pull_node(
        &self,
        at: &Moving<'_>,
        node: usize,
        arm: &Vec3,
        force: &Vec3,
        row: usize,
        out: &mut ConstraintRows,
    ) {
        self.pull_wrench(at, node, &join(force, &arm.cross(force)), row, out);
    }

    /// `Sᵀ W` for the node and all that carry it.
    pub(super) fn pull_wrench(
        &self,
        at: &Moving<'_>,
        node: usize,
        wrench: &Wrench,
        row: usize,
        out: &mut ConstraintRows,
    ) {
        if out.values_only {
            return;
        }
        if let Some(lambda) = out.weights.get(row) {
            out.wrenches[node] -= wrench * *lambda;
            return;
        }
        let n = self.velocities;
        let (mut wrench, mut next) = (*wrench, Some(node));
        let (jacobian, mut terms) = (&mut out.jacobian[row * n..(row + 1) * n], out.terms[row]);
        while let Some(i) = next {
            let (node, frame) = (&self.nodes[i], &at.kinematics.frames[i]);
            let mut size = 1.0;
            match node.kind {
                JointKind::Screw { turn, advance } => {
                    jacobian[node.v] += frame.along(node.kind, 0, &wrench);
                    size = turn.abs() + advance.abs();
                }
                JointKind::Translation | JointKind::Ball => {
                    let part = if node.kind == JointKind::Ball {
                        angular(&wrench)
                    } else {
                        linear(&wrench)
                    };
                    let pulled = frame.rotation.tr_mul(&part);
                    for (g, x) in jacobian[node.v..node.v + 3].iter_mut().zip(pulled.iter()) {
                        *g += x;
                    }
                }
                JointKind::Driven { motion, .. } => {
                    let along = frame.along(node.kind, 0, &wrench);
                    out.driven[row * self.motions.len() + motion] += along;
                    out.rate[row] += along * self.motions[motion](at.t).1;
                    size = 0.0;
                }
                JointKind::Fixed => size = 0.0,
            }
            terms = terms.max(size * wrench.norm());
            wrench = wrench_from(&wrench, &frame.offset);
            next = node.parent;
        }
        out.terms[row] = terms;
    }

    #[inline]
    pub(super) fn moving_site(&self, at: &Moving<'_>, site: usize) -> MovingSite {
        let place = &self.sites[site];
        let mut out = MovingSite {
            r: at.kinematics.site(place),
            v: Vec3::zeros(),
            a: Vec3::zeros(),
        };
        if at.accelerations.is_some() {
            out.v = at.kinematics.site_velocity(place);
        }
        if let (Some(node), Some((accelerations, _))) = (place.node, at.accelerations) {
            let (frame, a) = (&at.kinematics.frames[node], &accelerations[node]);
            let arm = frame.rotation * place.position;
            // Of the point of the body, not of the field: ω × v more.
            out.a = linear(a) + angular(a).cross(&arm) + angular(&frame.twist).cross(&out.v);
        }
        out
    }

    pub(super) fn check_constraints(&self) -> Result<(), TreeError> {
        for (name, constraint) in &self.constraints {
            let refuse = |fault| {
                Err(TreeError::Constraint {
                    name: name.clone(),
                    fault,
                })
            };
            let (sites, bodies): (Vec<usize>, Vec<usize>) = match constraint {
                Constraint::Coincidence { between, directions } => {
                    if directions.is_empty() || directions.len() > 3 {
                        return refuse(ConstraintFault::Directions);
                    }
                    (between.to_vec(), Vec::new())
                }
                Constraint::Distance { between, .. } => (between.to_vec(), Vec::new()),
                Constraint::Plane { site, on, normal } => {
                    if !(normal.norm() > 0.0) {
                        return refuse(ConstraintFault::Normal);
                    }
                    (vec![*site, *on], Vec::new())
                }
                Constraint::Orientation { from, to, .. } => {
                    (Vec::new(), from.iter().copied().chain([*to]).collect())
                }
                Constraint::Coupling { terms, .. } => {
                    if terms.is_empty() {
                        return refuse(ConstraintFault::NoTerms);
                    }
                    (Vec::new(), terms.iter().map(|(body, ..)| *body).collect())
                }
                Constraint::Cable { through, .. } | Constraint::Tether { through, .. } => {
                    if through.len() < 2 {
                        return refuse(ConstraintFault::Short);
                    }
                    (through.clone(), Vec::new())
                }
                Constraint::Route(route) => match self.check_route(route) {
                    Ok(()) => continue,
                    Err(fault) => return refuse(fault),
                },
                Constraint::Closing(_) | Constraint::Rolling(_) | Constraint::Blade(_) => continue,
            };
            if sites.iter().any(|s| *s >= self.sites.len()) {
                return refuse(ConstraintFault::NoSite);
            }
            if bodies.iter().any(|b| *b >= self.len()) {
                return refuse(ConstraintFault::NoBody);
            }
            if let Constraint::Coupling { terms, .. } = constraint {
                for (body, k, _) in terms {
                    let (q, v) = self.coordinate(*body, *k);
                    let scalar = self.nodes.iter().any(|node| {
                        let reach = |at: usize, from: usize| at >= from && at < from + node.dofs;
                        node.body == *body
                            && matches!(node.kind, JointKind::Screw { .. } | JointKind::Translation)
                            && reach(q, node.q)
                            && reach(v, node.v)
                    });
                    if !scalar {
                        return refuse(ConstraintFault::Coordinate);
                    }
                }
            }
        }
        self.check_slip()
    }
}

pub(super) struct MovingSite {
    pub(super) r: Vec3,
    pub(super) v: Vec3,
    pub(super) a: Vec3,
}
