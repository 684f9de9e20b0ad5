//! Constraints on velocities: what rolls without slipping, and blades that cut.
//!
//! ```text
//! P = C − r m                        the point of contact of a disk with axis a, centre C, on a plane with normal n:
//! m = (n − (n·a) a)/s,  s = √(1 − (n·a)²)          steepest in the disk; m = n, s = 1 for a sphere
//! 0 = r s − n·(C − O)                height: holonomic, O a point of the plane
//! 0 = −e·(u_A(P) − u_B(P))           no slip along two directions e of the plane: not holonomic
//! 0 = −b·u_A(C)                      blade: its site does not move along b, fixed on its body
//! ```
//! u_A and u_B are velocities of the points of the rolling body, and of the body of the plane, that are at P. The rate of
//! the height is the row with e = n, so that all three are alike. They are enforced by `−Aᵀλ`, and with these signs
//! λ is the force on the body that rolls: pressed by the plane, and held along e and b. P moves in both bodies:
//!
//! ```text
//! u̇ = a(P) + ω × (Ṗ − u)            a: of the point of the body
//! δu = α × u + δ'v + δ'ω × ρ + ω × (δP − δo − α × ρ)          (δo, α) moves the body, δ'V its twist, seen from it
//! ```
//! ρ is the arm from the origin o of the body to P.
mod curved;
#[cfg(test)]
mod tests;

use super::{Constraint, ConstraintFault, ConstraintRows, Kinematics, Moving, Tree, TreeError};
use crate::{
    Vec3,
    geometry::se3::{Twist, angular, linear},
    math,
};

/// A disk or a sphere that rolls on a plane without slipping: three equations, the height of its centre and the
/// velocity of the point of contact along two directions of the plane.
pub struct Rolling {
    /// The centre.
    pub(super) site: usize,
    /// The axis of a disk, on its body; `None` for a sphere.
    pub(super) axis: Option<Vec3>,
    pub(super) radius: f64,
    /// A site of the plane.
    pub(super) on: usize,
    /// Its normal, on the body of that site.
    pub(super) normal: Vec3,
    /// Equations that say anything: height, and the directions of the plane.
    pub(super) kept: [bool; 3],
}

impl Rolling {
    /// Circles that are drawn for it.
    pub(super) fn circles(&self) -> usize {
        if self.axis.is_some() { 1 } else { 3 }
    }

    /// A disk about an axis of its body, on the side of a plane to which the normal points. The plane goes through the
    /// site `on`, and turns with its body.
    pub fn disk(centre: usize, axis: Vec3, radius: f64, on: usize, normal: Vec3) -> Self {
        Self {
            site: centre,
            axis: Some(axis),
            radius,
            on,
            normal,
            kept: [true; 3],
        }
    }

    /// A sphere.
    pub fn sphere(centre: usize, radius: f64, on: usize, normal: Vec3) -> Self {
        Self {
            axis: None,
            ..Self::disk(centre, Vec3::z(), radius, on, normal)
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.kept.iter().filter(|kept| **kept).count()
    }

    pub(super) fn suffixes(&self) -> Vec<String> {
        let all = [".normal", ".friction.1", ".friction.2"];
        let kept = all.iter().zip(self.kept).filter(|(_, kept)| *kept);
        kept.map(|(suffix, _)| (*suffix).to_owned()).collect()
    }

    pub(super) fn check(&self, tree: &Tree) -> Result<(), ConstraintFault> {
        let direction = |v: &Vec3| v.norm() > 0.0 && v.iter().all(|x| x.is_finite());
        if !self.axis.iter().all(direction) {
            return Err(ConstraintFault::Axis);
        }
        if !direction(&self.normal) {
            return Err(ConstraintFault::Normal);
        }
        if !(self.radius > 0.0 && self.radius.is_finite()) {
            return Err(ConstraintFault::Radius);
        }
        let (Some(site), Some(on)) = (tree.sites.get(self.site), tree.sites.get(self.on)) else {
            return Err(ConstraintFault::NoSite);
        };
        match (site.node, on.node) {
            (None, _) => Err(ConstraintFault::World),
            (a, b) if a == b => Err(ConstraintFault::OneBody),
            _ => Ok(()),
        }
    }
}

/// A site that does not move along a direction of its body: a skate, a thin wheel that need not be seen to turn.
pub struct Blade {
    /// The site.
    pub site: usize,
    /// Across the blade, in the frame of its body.
    pub across: Vec3,
}

impl Blade {
    pub(super) fn check(&self, tree: &Tree) -> Result<(), ConstraintFault> {
        if !(self.across.norm() > 0.0 && self.across.iter().all(|x| x.is_finite())) {
            return Err(ConstraintFault::Across);
        }
        match tree.sites.get(self.site) {
            None => Err(ConstraintFault::NoSite),
            Some(site) if site.node.is_none() => Err(ConstraintFault::World),
            Some(_) => Ok(()),
        }
    }
}

/// An equation of velocities.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlipRow {
    /// Its number among the equations.
    pub(crate) row: usize,
    constraint: usize,
    /// 1 or 2 for a direction of the plane.
    direction: usize,
}

/// How pose and twist of a node change: both at its origin, the twist as seen from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) pose: Twist,
    pub(crate) twist: Twist,
}

/// A body at the point of contact.
#[derive(Clone, Copy)]
struct Side {
    node: Option<usize>,
    arm: Vec3,
    /// The velocity of the body's point there.
    u: Vec3,
    turning: Vec3,
}

/// Where a body touches its plane.
struct Touch {
    /// Normal of the plane and two directions in it.
    directions: [Vec3; 3],
    axis: Option<Vec3>,
    radius: f64,
    /// s and m.
    sine: f64,
    steep: Vec3,
    centre: Vec3,
    origin: Vec3,
    /// The body that rolls, and that of the plane.
    sides: [Side; 2],
}

impl Touch {
    /// How the point of contact moves against the centre, if axis and normal turn at these rates.
    fn swept(&self, axis: &Vec3, normal: &Vec3) -> Vec3 {
        let n = &self.directions[0];
        let dn = normal.cross(n);
        let Some(a) = &self.axis else {
            return dn * -self.radius;
        };
        let da = axis.cross(a);
        let along = n.dot(a);
        let dy = dn - a * (dn.dot(a) + n.dot(&da)) - da * along;
        (dy - self.steep * self.steep.dot(&dy)) * (-self.radius / self.sine)
    }

    fn arm(&self) -> Vec3 {
        self.steep * -self.radius
    }
}

impl Tree {
    /// Whether velocities are constrained as such: by what rolls, or by blades.
    pub fn is_nonholonomic(&self) -> bool {
        self.constraints
            .iter()
            .any(|(_, constraint)| matches!(constraint, Constraint::Rolling(_) | Constraint::Blade(_)))
    }

    /// The equations of velocities, in order.
    pub(crate) fn slip_rows(&self) -> impl Iterator<Item = SlipRow> + '_ {
        let mut next = 0;
        self.constraints
            .iter()
            .enumerate()
            .flat_map(move |(number, (_, constraint))| {
                let first = next;
                next += constraint.rows();
                let kept = match constraint {
                    Constraint::Rolling(rolling) => rolling.kept,
                    Constraint::Blade(_) => [false, true, false],
                    _ => [false; 3],
                };
                (1..3).filter(move |k| kept[*k]).map(move |direction| SlipRow {
                    row: first + kept[..direction].iter().filter(|kept| **kept).count(),
                    constraint: number,
                    direction,
                })
            })
    }

    /// Takes equations of velocities out of G: they do not hold back a displacement.
    pub(super) fn release_slip(&self, rows: &mut ConstraintRows) {
        let n = self.velocities;
        for SlipRow { row, .. } in self.slip_rows() {
            rows.jacobian[row * n..(row + 1) * n].fill(0.0);
        }
    }

    /// What slips, at a placement with its twists, and the size of the velocities it is a difference of.
    pub(crate) fn slip(&self, kinematics: &Kinematics, at: SlipRow) -> (f64, f64) {
        match &self.constraints[at.constraint].1 {
            Constraint::Rolling(rolling) => {
                let touch = self.touch(kinematics, rolling);
                let [a, b] = &touch.sides;
                let size = |side: &Side| side.u.norm() + side.turning.norm() * side.arm.norm();
                let slip = -touch.directions[at.direction].dot(&(a.u - b.u));
                (slip, size(a) + size(b))
            }
            Constraint::Blade(blade) => {
                let (side, across) = self.blade(kinematics, blade);
                let size = side.u.norm() + side.turning.norm() * side.arm.norm();
                (-across.dot(&side.u), size)
            }
            _ => (0.0, 0.0),
        }
    }

    /// The nodes that an equation of velocities depends on: that of the body, and that of the plane.
    pub(crate) fn slip_nodes(&self, at: SlipRow) -> [Option<usize>; 2] {
        match &self.constraints[at.constraint].1 {
            Constraint::Rolling(rolling) => [rolling.site, rolling.on].map(|site| self.sites[site].node),
            Constraint::Blade(blade) => [self.sites[blade.site].node, None],
            _ => [None; 2],
        }
    }

    /// How what slips changes with one of these nodes.
    pub(crate) fn slip_slope(
        &self,
        kinematics: &Kinematics,
        at: SlipRow,
        side: usize,
        change: &Change,
    ) -> f64 {
        let (moved, twist) = (&change.pose, &change.twist);
        let seen = |side: &Side| linear(twist) + angular(twist).cross(&side.arm);
        match &self.constraints[at.constraint].1 {
            Constraint::Rolling(rolling) => {
                let touch = self.touch(kinematics, rolling);
                let ([a, b], e) = (&touch.sides, &touch.directions[at.direction]);
                let (shift, turn) = (linear(moved), angular(moved));
                let still = Vec3::zeros();
                let slope = if side == 0 {
                    let swept = touch.swept(&turn, &still);
                    let centre = shift + turn.cross(&(a.arm - touch.arm()));
                    let of_a =
                        turn.cross(&a.u) + seen(a) + a.turning.cross(&(swept - turn.cross(&touch.arm())));
                    let of_b = b.turning.cross(&(centre + swept));
                    e.dot(&(of_a - of_b))
                } else {
                    let swept = touch.swept(&still, &turn);
                    let of_a = a.turning.cross(&swept);
                    let of_b =
                        turn.cross(&b.u) + seen(b) + b.turning.cross(&(swept - shift - turn.cross(&b.arm)));
                    e.dot(&(of_a - of_b)) + turn.cross(e).dot(&(a.u - b.u))
                };
                -slope
            }
            Constraint::Blade(blade) => {
                let (side, across) = self.blade(kinematics, blade);
                -across.dot(&seen(&side))
            }
            _ => 0.0,
        }
    }

    fn side(&self, kinematics: &Kinematics, node: Option<usize>, point: &Vec3) -> Side {
        let Some(i) = node else {
            return Side {
                node,
                arm: *point,
                u: Vec3::zeros(),
                turning: Vec3::zeros(),
            };
        };
        let frame = &kinematics.frames[i];
        let (arm, turning) = (point - frame.origin, angular(&frame.twist));
        Side {
            node,
            arm,
            u: linear(&frame.twist) + turning.cross(&arm),
            turning,
        }
    }

    pub(super) fn on_body(&self, kinematics: &Kinematics, node: Option<usize>, direction: &Vec3) -> Vec3 {
        let unit = direction.normalize();
        match node {
            None => unit,
            Some(i) => {
                let body = self.nodes[i].body;
                kinematics.frames[i].rotation * self.node_from_body[body].direction(&unit)
            }
        }
    }

    fn touch(&self, kinematics: &Kinematics, rolling: &Rolling) -> Touch {
        let [place, on] = [rolling.site, rolling.on].map(|site| &self.sites[site]);
        let (along, across) = tangents(&rolling.normal);
        let directions = [rolling.normal, along, across].map(|e| self.on_body(kinematics, on.node, &e));
        let axis = rolling
            .axis
            .map(|axis| self.on_body(kinematics, place.node, &axis));
        let n = &directions[0];
        let (sine, steep) = match &axis {
            None => (1.0, *n),
            Some(a) => {
                let y = n - a * n.dot(a);
                let sine = y.norm();
                (sine, y / sine)
            }
        };
        let centre = kinematics.site(place);
        let point = centre - steep * rolling.radius;
        Touch {
            directions,
            axis,
            radius: rolling.radius,
            sine,
            steep,
            centre,
            origin: kinematics.site(on),
            sides: [place.node, on.node].map(|node| self.side(kinematics, node, &point)),
        }
    }

    fn blade(&self, kinematics: &Kinematics, blade: &Blade) -> (Side, Vec3) {
        let place = &self.sites[blade.site];
        let side = self.side(kinematics, place.node, &kinematics.site(place));
        (side, self.on_body(kinematics, place.node, &blade.across))
    }

    /// The rate of a side's velocity at a point that moves at `point`.
    fn side_rate(side: &Side, at: &Moving<'_>, point: &Vec3) -> Vec3 {
        let (Some(node), Some((accelerations, _))) = (side.node, at.accelerations) else {
            return Vec3::zeros();
        };
        let a = &accelerations[node];
        // ω × u of the point of the body, and ω × (Ṗ − u).
        linear(a) + angular(a).cross(&side.arm) + side.turning.cross(point)
    }

    /// Equations of a rolling body from row `row` on.
    pub(super) fn rolling(&self, at: &Moving<'_>, rolling: &Rolling, row: usize, out: &mut ConstraintRows) {
        let touch = self.touch(at.kinematics, rolling);
        let [a, b] = &touch.sides;
        let moving = at.accelerations.is_some();
        let (of_a, of_b) = if moving {
            let centre = a.u - a.turning.cross(&touch.arm());
            let point = centre + touch.swept(&a.turning, &b.turning);
            (Self::side_rate(a, at, &point), Self::side_rate(b, at, &point))
        } else {
            (Vec3::zeros(), Vec3::zeros())
        };
        let kept = (0..3).filter(|k| rolling.kept[*k]);
        for (row, k) in (row..).zip(kept) {
            let e = &touch.directions[k];
            if k == 0 {
                let height = e.dot(&(touch.centre - touch.origin));
                out.value[row] = touch.radius * touch.sine - height;
                out.scale[row] = touch.radius + touch.centre.norm() + touch.origin.norm();
            }
            if moving {
                let turned = b.turning.cross(e);
                out.second[row] = -(e.dot(&(of_a - of_b)) + turned.dot(&(a.u - b.u)));
            }
            for (side, force) in [(a, -e), (b, *e)] {
                if let Some(node) = side.node {
                    self.pull_node(at, node, &side.arm, &force, row, out);
                }
            }
        }
    }

    /// The equation of a blade.
    pub(super) fn cut(&self, at: &Moving<'_>, blade: &Blade, row: usize, out: &mut ConstraintRows) {
        let (side, across) = self.blade(at.kinematics, blade);
        if at.accelerations.is_some() {
            let rate = Self::side_rate(&side, at, &side.u);
            out.second[row] = -(across.dot(&rate) + side.turning.cross(&across).dot(&side.u));
        }
        if let Some(node) = side.node {
            self.pull_node(at, node, &side.arm, &-across, row, out);
        }
    }

    /// Takes out equations of rolling bodies and closing joints that never say anything, wherever the joints are: those
    /// across a plane mechanism. Joints alone decide that, so that it holds for the whole motion.
    pub(super) fn drop_idle_rows(&mut self) {
        let candidate = |c: &Constraint| matches!(c, Constraint::Rolling(_) | Constraint::Closing(_));
        if !self.constraints.iter().any(|(_, c)| candidate(c)) {
            return;
        }
        let (n, drives, length) = (self.velocities, self.motions.len(), self.length());
        for (_, constraint) in &mut self.constraints {
            if let Constraint::Closing(closing) = constraint {
                closing.length = length;
            }
        }
        let mut idle = vec![true; self.constraint_rows];
        for sample in 0..SAMPLES {
            let mut q = self.zero(0.0);
            for (k, x) in q.iter_mut().enumerate() {
                *x += 0.4 * math::sin(1.0 + 1.7 * k as f64 + 2.3 * f64::from(sample));
            }
            crate::system::System::project(self, &mut q, &mut []);
            let mut rows = ConstraintRows::default();
            super::assemble::evaluate(self, 0.0, &q, &mut rows);
            for (row, idle) in idle.iter_mut().enumerate() {
                let most = |entries: &[f64]| entries.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                let free = most(&rows.jacobian[row * n..(row + 1) * n]);
                let driven = match drives {
                    0 => 0.0,
                    _ => most(&rows.driven[row * drives..(row + 1) * drives]),
                };
                // A value that is not met is said to be so.
                *idle &= free.max(driven) <= NOTHING * rows.terms[row]
                    && rows.value[row].abs() <= NOTHING * rows.scale[row];
            }
        }
        let mut row = 0;
        for (_, constraint) in &mut self.constraints {
            let rows = constraint.rows();
            let own = &idle[row..row + rows];
            row += rows;
            // One that says nothing at all is named as redundant.
            if own.iter().all(|idle| *idle) {
                continue;
            }
            match constraint {
                Constraint::Rolling(rolling) => drop_rows(&mut rolling.kept, own),
                Constraint::Closing(closing) => closing.drop_rows(own),
                _ => {}
            }
        }
        self.constraint_rows = self.constraints.iter().map(|(_, c)| c.rows()).sum();
    }

    pub(super) fn check_slip(&self) -> Result<(), TreeError> {
        for (name, constraint) in &self.constraints {
            let checked = match constraint {
                Constraint::Rolling(rolling) => rolling.check(self),
                Constraint::Blade(blade) => blade.check(self),
                Constraint::Closing(closing) => closing.check(self),
                _ => Ok(()),
            };
            checked.map_err(|fault| TreeError::Constraint {
                name: name.clone(),
                fault,
            })?;
        }
        Ok(())
    }
}

/// Configurations at which equations are looked at.
const SAMPLES: i32 = 4;
/// Entries below this fraction of their terms are rounding.
const NOTHING: f64 = 1e-11;

/// Of those kept, keeps those that are not idle.
pub(super) fn drop_rows(kept: &mut [bool], idle: &[bool]) {
    let kept = kept.iter_mut().filter(|kept| **kept);
    for (kept, idle) in kept.zip(idle) {
        *kept = !idle;
    }
}

/// Two directions at right angles to a vector and to each other: x and y for z.
pub(super) fn tangents(normal: &Vec3) -> (Vec3, Vec3) {
    let n = normal.normalize();
    let least = if n.x.abs() <= n.y.abs() && n.x.abs() <= n.z.abs() {
        Vec3::x()
    } else if n.y.abs() <= n.z.abs() {
        Vec3::y()
    } else {
        Vec3::z()
    };
    let along = (least - n * n.dot(&least)).normalize();
    (along, n.cross(&along))
}
