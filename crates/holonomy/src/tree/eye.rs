//! Eyes of a rope: points on its straight parts between a pulley that swivels and another pulley.
//!
//! ```text
//! to the rope a pulley that swivels is a smooth sphere; d = e − c from the centre of a pulley to an eye has a length ρ
//! G(q, e)     the length of the rope as if it ran through its eyes
//! at rest:    ∂G/∂e ∥ d        nothing moves an eye along the sphere |d| = ρ; frictionless, so all parts pull alike
//! Newton:     K s = −Tᵀ ∂G/∂e,   K = Tᵀ (∂²G/∂e² − (d·∂G/∂e) 1/ρ²) T,   T two tangents of the sphere at each eye
//! moving:     ė = ċ + T s,   K s = −Tᵀ (∂G/∂e)˙ with eyes carried along by c;   d̈ = −|ḋ|² d/ρ²
//! g(q) = G(q, e(q)):   ∂g/∂q = ∂G/∂q with eyes carried along,   ∂²g/∂q² = ∂²G/∂q² − B K⁻¹ Bᵀ,   B = ∂²G/∂q∂e T
//! ```
//! So an eye needs no more than the straight parts and arcs between points that are known already. K couples eyes on both
//! sides of a pulley, and no others. An eye lies on the common tangent; between two pulleys that swivel ∂G/∂e is zero, and it
//! is of no account where on the tangent: ρ may change with q. Off the plane of a pulley that does not swivel ∂G/∂e is not
//! quite zero, as little as the pull is not quite along the rope there, and ρ is fixed.
use super::{
    Moving, Tree,
    jet::JetVec,
    links::tangents,
    route::{Laid, Route},
    wrap::Span,
};
use crate::{Vec3, geometry::se3::angular, math};
use nalgebra::{Matrix2, Matrix3, Vector2};

/// Eyes of one rope.
pub(super) const MOST: usize = 8;
/// ρ in radii of a pulley that does not swivel: beside it, so that the other may be near.
const BESIDE: f64 = 1.25;
const MOST_STEPS: usize = 60;
/// A correction of an angle after which the next is below rounding.
const ENOUGH: f64 = 1e-9;
/// The largest correction, rad.
const LARGEST: f64 = 0.5;

/// A point on a straight part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Eye {
    /// The stop before it.
    pub(super) gap: usize,
    /// The stop that carries it along.
    pub(super) holder: usize,
    pub(super) place: JetVec,
}

/// All eyes of a rope, in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Eyes {
    list: [Eye; MOST],
    count: usize,
}

/// How the length changes with an eye, and how that does with the next one.
#[derive(Clone, Copy, Default)]
pub(super) struct Bend {
    slope: Vec3,
    curvature: Matrix3<f64>,
    next: Matrix3<f64>,
    /// The change of the slope with time, where eyes are carried along.
    rate: Vec3,
}

/// Two unit vectors along the sphere of each eye, and K factorised.
pub(super) struct Stiffness {
    pub(super) tangents: [[Vec3; 2]; MOST],
    /// Inverse blocks of the elimination, and the blocks beside them.
    inverse: [Matrix2<f64>; MOST],
    beside: [Matrix2<f64>; MOST],
    count: usize,
}

/// How the length over a pulley that swivels changes with the points before and after it, seen from its centre.
pub(super) struct Swivelled {
    pub(super) forces: [Vec3; 2],
    pub(super) blocks: [[Matrix3<f64>; 2]; 2],
}

impl Eye {
    /// The pulley beside it that does not swivel, and whether that is before it.
    pub(super) fn pulley(&self, route: &Route) -> Option<(usize, bool)> {
        (!route.stops[self.holder].swivels()).then_some((self.holder, self.holder == self.gap))
    }
}

impl Eyes {
    pub(super) fn all(&self) -> &[Eye] {
        &self.list[..self.count]
    }

    /// The eye between stop k and the next.
    pub(super) fn after(&self, k: usize) -> Option<&Eye> {
        self.all().iter().find(|eye| eye.gap == k)
    }
}

impl Route {
    /// The stop that carries an eye after stop k, if there is one: that which does not swivel, or the second.
    fn holder(&self, k: usize) -> Option<usize> {
        let [a, b] = [self.stops.get(k)?, self.stops.get(k + 1)?];
        match (a.swivels(), b.swivels()) {
            (true, true) => Some(k + 1),
            (false, true) => a.pulley.is_some().then_some(k),
            (true, false) => b.pulley.is_some().then_some(k + 1),
            (false, false) => None,
        }
    }

    /// Whether it has more eyes than there may be.
    pub(super) fn has_too_many_eyes(&self) -> bool {
        (0..self.stops.len()).filter_map(|k| self.holder(k)).count() > MOST
    }
}

impl Tree {
    /// The eyes of a rope where it is at rest; not numbers where it is nowhere.
    pub(super) fn eyes(&self, at: &Moving<'_>, route: &Route) -> Eyes {
        let nothing = JetVec::constant(Vec3::zeros());
        let none = Eye {
            gap: 0,
            holder: 0,
            place: nothing,
        };
        let mut eyes = Eyes {
            list: [none; MOST],
            count: 0,
        };
        for gap in 0..route.stops.len() - 1 {
            let Some(holder) = route.holder(gap).filter(|_| eyes.count < MOST) else {
                continue;
            };
            let place = self.guess(at, route, [gap, holder]);
            eyes.list[eyes.count] = Eye { gap, holder, place };
            eyes.count += 1;
        }
        if eyes.count == 0 {
            return eyes;
        }
        for _ in 0..MOST_STEPS {
            let bends = self.bends(at, route, &eyes);
            let Some(stiffness) = self.stiffness(at, route, &eyes, &bends) else {
                break;
            };
            let mut step = bends.map(|bend| -bend.slope);
            stiffness.solve(&mut step);
            let mut largest = 0.0;
            for (eye, s) in eyes.list[..eyes.count].iter_mut().zip(&step) {
                let centre = self.centre(at, route.stops[eye.holder].site).x;
                let (d, rho) = (eye.place.x - centre, self.reach(at, route, [eye.gap, eye.holder]));
                let size = s.norm() / rho;
                largest = math::larger(largest, size);
                let s = s * (LARGEST / math::larger(size, LARGEST));
                eye.place.x = centre + (d + s).normalize() * rho;
            }
            if largest <= ENOUGH {
                self.carry_eyes(at, route, &mut eyes);
                return eyes;
            }
        }
        eyes.list.iter_mut().for_each(|eye| eye.place.x.fill(f64::NAN));
        eyes
    }

    /// ρ of an eye: beside a pulley that does not swivel, and in the middle between two that do.
    fn reach(&self, at: &Moving<'_>, route: &Route, [gap, holder]: [usize; 2]) -> f64 {
        let stop = &route.stops[holder];
        if !stop.swivels() {
            return stop.signed_radius().abs() * BESIDE;
        }
        let [a, b] = [gap, gap + 1].map(|k| self.centre(at, route.stops[k].site).x);
        0.5 * (b - a).norm()
    }

    /// An eye on the line between the centres.
    fn guess(&self, at: &Moving<'_>, route: &Route, ends: [usize; 2]) -> JetVec {
        let [gap, holder] = ends;
        let centre = |k: usize| self.centre(at, route.stops[k].site).x;
        let (here, other) = (centre(holder), centre(2 * gap + 1 - holder));
        JetVec::constant(here + (other - here).normalize() * self.reach(at, route, ends))
    }

    /// Velocities and accelerations of eyes.
    fn carry_eyes(&self, at: &Moving<'_>, route: &Route, eyes: &mut Eyes) {
        if at.accelerations.is_none() {
            return;
        }
        for k in 0..eyes.count {
            let centre = self.centre(at, route.stops[eyes.list[k].holder].site);
            let place = &mut eyes.list[k].place;
            (place.v, place.a) = (centre.v, centre.a);
        }
        let bends = self.bends(at, route, eyes);
        let Some(stiffness) = self.stiffness(at, route, eyes, &bends) else {
            return;
        };
        let mut step = bends.map(|bend| -bend.rate);
        stiffness.solve(&mut step);
        for (eye, s) in eyes.list[..eyes.count].iter_mut().zip(&step) {
            let centre = self.centre(at, route.stops[eye.holder].site);
            let d = eye.place.x - centre.x;
            eye.place.v += s;
            eye.place.a -= d * (s.norm_squared() / d.norm_squared());
        }
    }

    /// What a stop that swivels has before it or after it: an eye, or a point.
    pub(super) fn beside(
        &self,
        at: &Moving<'_>,
        route: &Route,
        eyes: &Eyes,
        k: usize,
        after: bool,
    ) -> JetVec {
        let (gap, other) = if after { (k, k + 1) } else { (k - 1, k - 1) };
        match eyes.after(gap) {
            Some(eye) => eye.place,
            None => self.centre(at, route.stops[other].site),
        }
    }

    /// The site that carries what a stop that swivels has beside it.
    pub(super) fn site_beside(&self, route: &Route, eyes: &Eyes, k: usize, after: bool) -> usize {
        let (gap, other) = if after { (k, k + 1) } else { (k - 1, k - 1) };
        let stop = eyes.after(gap).map_or(other, |eye| eye.holder);
        route.stops[stop].site
    }

    /// The straight part between an eye and a pulley that does not swivel, if there is one.
    pub(super) fn span_of(&self, at: &Moving<'_>, route: &Route, eye: &Eye) -> Option<Span> {
        let here = Tip::point(eye.place);
        let (pulley, first) = eye.pulley(route)?;
        let pulley = self.tip(at, route, pulley);
        let ends = if first { [&pulley, &here] } else { [&here, &pulley] };
        Some(self.between(at, ends))
    }

    /// The pulley beside an eye, how the length grows with the eye, and how that does.
    pub(super) fn eye_pull(
        &self,
        at: &Moving<'_>,
        route: &Route,
        eye: &Eye,
    ) -> Option<(usize, Vec3, Matrix3<f64>)> {
        let ((pulley, first), span) = (eye.pulley(route)?, self.span_of(at, route, eye)?);
        let d = eye.place.x - at.kinematics.site(&self.sites[route.stops[pulley].site]);
        let way = if first { 1.0 } else { -1.0 };
        let stiffness = span.bent(&(d * way), route.stops[pulley].signed_radius() * way);
        Some((pulley, span.force * way, stiffness))
    }

    /// How the length changes with each eye.
    pub(super) fn bends(&self, at: &Moving<'_>, route: &Route, eyes: &Eyes) -> [Bend; MOST] {
        let mut bends = [Bend::default(); MOST];
        for (number, eye) in eyes.all().iter().enumerate() {
            if let Some((pulley, force, curvature)) = self.eye_pull(at, route, eye) {
                let d = eye.place - self.centre(at, route.stops[pulley].site);
                let turns = match (route.laid[pulley].frame, at.accelerations) {
                    (Some(node), Some(_)) => angular(&at.kinematics.frames[node].twist),
                    _ => Vec3::zeros(),
                };
                let bend = &mut bends[number];
                bend.slope += force;
                bend.curvature += curvature;
                bend.rate += turns.cross(&force) + curvature * (d.v - turns.cross(&d.x));
            }
            for (k, after) in [(eye.gap, true), (eye.gap + 1, false)] {
                if !route.stops[k].swivels() {
                    continue;
                }
                let own = usize::from(after);
                let (ways, swivelled) = self.swivelled(at, route, eyes, k);
                let bend = &mut bends[number];
                bend.slope += swivelled.forces[own];
                bend.curvature += swivelled.blocks[own][own];
                bend.rate += swivelled.blocks[own][own] * ways[own].v
                    + swivelled.blocks[own][1 - own] * ways[1 - own].v;
                if !after && eyes.after(k).is_some() {
                    bend.next = swivelled.blocks[0][1];
                }
            }
        }
        bends
    }

    /// What lies before and after a stop that swivels, seen from it, and how its length changes with them.
    pub(super) fn swivelled(
        &self,
        at: &Moving<'_>,
        route: &Route,
        eyes: &Eyes,
        k: usize,
    ) -> ([JetVec; 2], Swivelled) {
        let centre = self.centre(at, route.stops[k].site);
        let ways = [false, true].map(|after| self.beside(at, route, eyes, k, after) - centre);
        let r = route.stops[k].signed_radius().abs();
        let lengths = [0, 1].map(|k: usize| ways[k].x.norm());
        let units = [0, 1].map(|k| ways[k].x / lengths[k]);
        let across = units[0].cross(&units[1]);
        let (sine, cosine) = (across.norm(), units[0].dot(&units[1]));
        let normal = across / sine;
        let square = normal * normal.transpose();
        let between = square * (r / (lengths[0] * lengths[1] * sine));
        let mut out = Swivelled {
            forces: [Vec3::zeros(); 2],
            blocks: [[between; 2]; 2],
        };
        for side in [0, 1] {
            let (e, d) = (units[side], lengths[side]);
            let towards = (units[1 - side] - e * cosine) / sine;
            let straight = (d * d - r * r).sqrt();
            out.forces[side] = (e * straight + towards * r) / d;
            let along = e * e.transpose();
            let turned = e * towards.transpose() + towards * e.transpose() + square * (cosine / sine);
            let stretched = along * (r * r / straight) + (Matrix3::identity() - along) * straight;
            out.blocks[side][side] = (stretched - turned * r) / (d * d);
        }
        (ways, out)
    }

    /// K, if it can be factorised.
    pub(super) fn stiffness(
        &self,
        at: &Moving<'_>,
        route: &Route,
        eyes: &Eyes,
        bends: &[Bend; MOST],
    ) -> Option<Stiffness> {
        let mut out = Stiffness {
            tangents: [[Vec3::zeros(); 2]; MOST],
            inverse: [Matrix2::zeros(); MOST],
            beside: [Matrix2::zeros(); MOST],
            count: eyes.count,
        };
        for (j, eye) in eyes.all().iter().enumerate() {
            let d = eye.place.x - self.centre(at, route.stops[eye.holder].site).x;
            let (first, second) = tangents(&d.normalize());
            out.tangents[j] = [first, second];
        }
        for j in 0..eyes.count {
            let (eye, bend) = (&eyes.list[j], &bends[j]);
            let d = eye.place.x - self.centre(at, route.stops[eye.holder].site).x;
            let curved = bend.curvature - Matrix3::identity() * (d.dot(&bend.slope) / d.norm_squared());
            let mut block = within(&out.tangents[j], &curved, &out.tangents[j]);
            if j > 0 {
                block -= out.beside[j - 1].transpose() * out.inverse[j - 1] * out.beside[j - 1];
            }
            out.inverse[j] = block.try_inverse().filter(|m| m.iter().all(|x| x.is_finite()))?;
            if j + 1 < eyes.count {
                out.beside[j] = within(&out.tangents[j], &bend.next, &out.tangents[j + 1]);
            }
        }
        Some(out)
    }
}

impl Stiffness {
    /// `T K⁻¹ Tᵀ x`, in place.
    pub(super) fn solve(&self, x: &mut [Vec3; MOST]) {
        let mut along = [Vector2::zeros(); MOST];
        for j in 0..self.count {
            let [a, b] = &self.tangents[j];
            along[j] = Vector2::new(a.dot(&x[j]), b.dot(&x[j]));
            if j > 0 {
                along[j] -= self.beside[j - 1].transpose() * (self.inverse[j - 1] * along[j - 1]);
            }
        }
        for j in (0..self.count).rev() {
            if j + 1 < self.count {
                let next = along[j + 1];
                along[j] -= self.beside[j] * next;
            }
            along[j] = self.inverse[j] * along[j];
            let [a, b] = &self.tangents[j];
            x[j] = a * along[j].x + b * along[j].y;
        }
    }
}

/// An end of a straight part: a point, or a pulley that does not swivel.
pub(super) struct Tip<'r> {
    pub(super) place: JetVec,
    /// With the sign of the way the rope goes round it.
    pub(super) radius: f64,
    pub(super) laid: Option<&'r Laid>,
}

impl Tip<'_> {
    fn point(place: JetVec) -> Self {
        Self {
            place,
            radius: 0.0,
            laid: None,
        }
    }
}

/// `aᵀ m b`.
fn within(a: &[Vec3; 2], m: &Matrix3<f64>, b: &[Vec3; 2]) -> Matrix2<f64> {
    Matrix2::from_fn(|j, k| a[j].dot(&(m * b[k])))
}
