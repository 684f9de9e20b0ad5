//! Derivatives of steps on (S²)ⁿ, for the variational methods and for great circles and kicks.
//!
//! ```text
//! δq = T x,   δp = T y + …,   p = π × q            T the tangent basis at q; H = TᵀVʺT, g = ∂V/∂q
//!
//! variational   Tᵀ(M Δ − h p + ½h² g) = 0,   p⁺ = T⁺T⁺ᵀ(M Δ/h − ½h g⁺),   Δ = q⁺ − q
//!               TᵀM w = y − (½h H − σ) x,   T⁺x⁺ = T x + h w,   y⁺ = T⁺ᵀM w − (½h H⁺ + τ) x⁺
//!               σᵢ = qᵢ·(M Δ/h + ½h g)ᵢ,    τᵢ = qᵢ⁺·(M Δ/h − ½h g⁺)ᵢ
//!               w = T⁺ξ − q⁺ (Δ/h·T x),     x⁺ = T⁺ᵀT x + h ξ          ξ the unknown, of B = TᵀM T⁺
//! kick b        y⁺ = y − b (H − qᵢ·gᵢ) x
//! great circle  by the angle θ along e, n = q × e:   xₑ⁺ = xₑ + (h/M) yₑ,  yₑ⁺ = yₑ
//!               xₙ⁺ = cos θ xₙ + (h/M)(sin θ/θ) yₙ,  yₙ⁺ = −(M/h) θ sin θ xₙ + cos θ yₙ
//! ```
//! The first is that of a generating function, with matrices that are symmetric whatever σ and τ are, which is what the
//! sphere curves by; nothing in it is divided by h. B is solved in O(n) for links. The unknowns of a step are the directions after each of its parts, and its
//! equations those that lead there, then (x⁺, y⁺) about the last of them.
use super::{Fault, separate::Stage};
use crate::{
    Vec3,
    derivative::Change,
    geometry::s2,
    math,
    solve::Lu,
    spheres::{Inertia, LinkFactors, Spheres, Workspace, view},
    system::{State, System, Undefined},
};
use nalgebra::{Matrix3x2, Matrix4, Vector2, Vector4};
use std::sync::Arc;

/// The parts of a step.
#[derive(Clone, Copy)]
pub(super) enum Parts<'a> {
    /// Steps of a variational method, as parts of the whole.
    Variational(&'a [f64]),
    /// Kicks and great circles.
    GreatCircles(&'a [Stage]),
}

/// The derivatives of a step.
pub(super) struct SphereTangent {
    system: Arc<Spheres>,
    uniform: bool,
    /// Before the step and after each of its parts.
    places: Vec<Place>,
    parts: Vec<Part>,
    buffers: Buffers,
}

#[derive(Default)]
struct Buffers {
    work: Workspace,
    moved: Vec<Vec3>,
    flow: Vec<Vec3>,
    bent: Vec<Vec3>,
}

#[derive(Default)]
struct Place {
    q: Vec<Vec3>,
    basis: Vec<Matrix3x2<f64>>,
    gradient: Vec<Vec3>,
}

enum Part {
    Variational {
        h: f64,
        /// Δ/h.
        velocity: Vec<Vec3>,
        /// σ and −τ.
        start: Vec<f64>,
        end: Vec<f64>,
        factors: Factors,
    },
    GreatCircles {
        before: f64,
        drift: Vec<Matrix4<f64>>,
        after: f64,
    },
}

/// Of B.
enum Factors {
    Links(LinkFactors),
    Dense(Lu),
}

type Pairs<'a> = &'a [Vector2<f64>];

fn pairs(list: &[f64]) -> Pairs<'_> {
    bytemuck::cast_slice(list)
}

fn pairs_mut(list: &mut [f64]) -> &mut [Vector2<f64>] {
    bytemuck::cast_slice_mut(list)
}

impl Place {
    fn find(&mut self, system: &Spheres, q: &[Vec3], work: &mut Workspace) {
        self.q.clear();
        self.q.extend_from_slice(q);
        self.basis.clear();
        self.basis.extend(q.iter().map(s2::tangent_basis));
        self.gradient.resize(q.len(), Vec3::zeros());
        system.gradient(q, &mut self.gradient, work);
    }

    /// `T x`.
    fn lift(&self, x: Pairs<'_>, out: &mut Vec<Vec3>) {
        out.clear();
        out.extend(self.basis.iter().zip(x).map(|(basis, x)| basis * x));
    }
}

impl SphereTangent {
    /// `None` where there are no canonical coordinates, or a potential has no exact second derivatives.
    pub(super) fn new(system: Arc<Spheres>) -> Option<Self> {
        let mut buffers = Buffers::default();
        let n = system.len();
        // Whether they have any does not depend on where.
        let q: Vec<Vec3> = (0..n).map(|k| crate::potential::scattered(1, k).normalize()).collect();
        let direction: Vec<Vec3> = (0..n).map(|k| crate::potential::scattered(2, k)).collect();
        buffers.bent.resize(n, Vec3::zeros());
        let uniform = system.uniform_gradient().is_some();
        let known = uniform || system.hessian(&q, &direction, &mut buffers.bent, &mut buffers.work);
        (known && system.is_canonical()).then(|| Self {
            uniform,
            system,
            places: Vec::new(),
            parts: Vec::new(),
            buffers,
        })
    }

    /// Goes to a step whose unknowns are known.
    pub(super) fn linearise(
        &mut self,
        parts: Parts<'_>,
        before: &State,
        h: f64,
        solution: &[f64],
    ) -> Result<(), Fault> {
        let (n, count) = (self.system.len(), parts.len());
        self.places.resize_with(count + 1, Place::default);
        let all = [&before.q[..], solution].concat();
        for (place, q) in self.places.iter_mut().zip(all.chunks_exact(3 * n)) {
            place.find(&self.system, view(q), &mut self.buffers.work);
        }
        self.parts.clear();
        let mut p: Vec<Vec3> = view(&before.p).to_vec();
        for k in 0..count {
            let (from, to) = (&self.places[k], &self.places[k + 1]);
            let part = match parts {
                Parts::Variational(substeps) => {
                    variational(&self.system, &mut self.buffers, from, to, substeps[k] * h)?
                }
                Parts::GreatCircles(stages) => {
                    let stage = stages[k].over(h);
                    kick(&mut p, from, stage.before);
                    let inertia = self.system.inertia();
                    let drift = |i: usize| great_circle(from, to, i, &p[i], inertia.diagonal(i), stage.motion);
                    let drift = (0..n).map(drift).collect();
                    kick(&mut p, to, stage.after);
                    Part::GreatCircles {
                        before: stage.before,
                        drift,
                        after: stage.after,
                    }
                }
            };
            self.parts.push(part);
        }
        Ok(())
    }

    pub(super) fn push(&mut self, change: &mut Change) {
        let Change { x, y, equations, .. } = change;
        let size = x.len();
        let (of_f, of_e) = match equations.len() {
            0 => (&[] as &[f64], &[] as &[f64]),
            all => equations.split_at(all - 2 * size),
        };
        for (k, part) in self.parts.iter_mut().enumerate() {
            let (from, to) = (&self.places[k], &self.places[k + 1]);
            let own = of_f.get(k * size..(k + 1) * size);
            match part {
                Part::Variational {
                    h,
                    velocity,
                    start,
                    end,
                    factors,
                } => {
                    let h = *h;
                    let mut stiff = Stiffness::new(&self.system, self.uniform, h, &mut self.buffers);
                    let (old, mut next) = (pairs(x), stiff.bend(from, start, pairs(x)));
                    let lifted = |i: usize| from.basis[i] * old[i];
                    let aside: Vec<Vec3> = (0..old.len())
                        .map(|i| to.q[i] * -velocity[i].dot(&lifted(i)))
                        .collect();
                    let flow = stiff.flow(aside.iter().copied());
                    for (i, next) in next.iter_mut().enumerate() {
                        *next += pairs(y)[i] - from.basis[i].tr_mul(&flow[i]);
                        if let Some(own) = own {
                            *next -= pairs(own)[i] / h;
                        }
                    }
                    factors.solve(&mut next, false);
                    let moved: Vec<Vector2<f64>> = (0..old.len())
                        .map(|i| to.basis[i].tr_mul(&lifted(i)) + next[i] * h)
                        .collect();
                    let each = next.iter().zip(&to.basis).zip(&aside);
                    let flow = stiff.flow(each.map(|((next, basis), aside)| basis * next + aside));
                    let ending = stiff.bend(to, end, &moved);
                    for i in 0..moved.len() {
                        pairs_mut(x)[i] = moved[i];
                        pairs_mut(y)[i] = to.basis[i].tr_mul(&flow[i]) + ending[i];
                    }
                }
                Part::GreatCircles { before, drift, after } => {
                    let (system, buffers) = (&self.system, &mut self.buffers);
                    add_kick(system, self.uniform, buffers, from, *before, (x, y));
                    for (i, drift) in drift.iter().enumerate() {
                        turn(drift, i, x, y);
                        if let Some(own) = own {
                            pairs_mut(x)[i] += pairs(own)[i];
                        }
                    }
                    add_kick(system, self.uniform, buffers, to, *after, (x, y));
                }
            }
        }
        for (out, of_e) in x.iter_mut().chain(y).zip(of_e) {
            *out += of_e;
        }
        change.lambda.clear();
    }

    pub(super) fn pull(&mut self, gradient: &mut Change) {
        let Change { x, y, equations, .. } = gradient;
        let (size, count) = (x.len(), self.parts.len());
        equations.clear();
        equations.resize(count * size, 0.0);
        equations.extend_from_slice(x);
        equations.extend_from_slice(y);
        for (k, part) in self.parts.iter_mut().enumerate().rev() {
            let (from, to) = (&self.places[k], &self.places[k + 1]);
            let own = &mut equations[k * size..(k + 1) * size];
            match part {
                Part::Variational {
                    h,
                    velocity,
                    start,
                    end,
                    factors,
                } => {
                    let h = *h;
                    let mut stiff = Stiffness::new(&self.system, self.uniform, h, &mut self.buffers);
                    let mut moved = stiff.bend(to, end, pairs(y));
                    moved.iter_mut().zip(pairs(x)).for_each(|(moved, x)| *moved += x);
                    let each = to.basis.iter().zip(pairs(y));
                    let flow = stiff.flow(each.map(|(basis, y)| basis * y));
                    let each = to.basis.iter().zip(&flow).zip(&moved);
                    let mut weights: Vec<Vector2<f64>> = each
                        .map(|((basis, flow), moved)| basis.tr_mul(flow) + moved * h)
                        .collect();
                    factors.solve(&mut weights, true);
                    let each = from.basis.iter().zip(&weights);
                    let back = stiff.flow(each.map(|(basis, weight)| basis * weight));
                    let starting = stiff.bend(from, start, &weights);
                    for (i, weight) in weights.iter().enumerate() {
                        let aside = to.q[i].dot(&(flow[i] - back[i]));
                        let lifted = to.basis[i] * moved[i] - velocity[i] * aside;
                        pairs_mut(own)[i] = -weight / h;
                        pairs_mut(x)[i] = starting[i] + from.basis[i].tr_mul(&lifted);
                        pairs_mut(y)[i] = *weight;
                    }
                }
                Part::GreatCircles { before, drift, after } => {
                    let (system, buffers) = (&self.system, &mut self.buffers);
                    // A kick moves y with x: transposed, x with y, by the same symmetric matrix.
                    add_kick(system, self.uniform, buffers, to, *after, (y, x));
                    own.copy_from_slice(x);
                    for (i, drift) in drift.iter().enumerate() {
                        turn(&drift.transpose(), i, x, y);
                    }
                    add_kick(system, self.uniform, buffers, from, *before, (y, x));
                }
            }
        }
        gradient.lambda.clear();
    }

    pub(super) fn equations(
        &mut self,
        parts: Parts<'_>,
        before: &State,
        h: f64,
        solution: &[f64],
        out: &mut Vec<f64>,
    ) {
        let Buffers {
            work, moved, flow, ..
        } = &mut self.buffers;
        let (system, n) = (&self.system, self.system.len());
        let (mut from, mut to) = (Place::default(), Place::default());
        from.find(system, view(&before.q), work);
        // p = π × q.
        let turned = view(&before.p).iter().zip(&from.q);
        let mut p: Vec<Vec3> = turned.map(|(pi, q)| pi.cross(q)).collect();
        out.clear();
        for (k, q) in solution.chunks_exact(3 * n).enumerate().take(parts.len()) {
            to.find(system, view(q), work);
            match parts {
                Parts::Variational(substeps) => {
                    let h = substeps[k] * h;
                    moved.clear();
                    moved.extend(to.q.iter().zip(&from.q).map(|(to, from)| to - from));
                    flow.resize(n, Vec3::zeros());
                    system.inertia().apply(moved, flow, &mut work.inertia);
                    for i in 0..n {
                        let left = flow[i] - p[i] * h + from.gradient[i] * (0.5 * h * h);
                        out.extend(from.basis[i].tr_mul(&left).iter());
                        p[i] = s2::tangent(&to.q[i], &(flow[i] / h - to.gradient[i] * (0.5 * h)));
                    }
                }
                Parts::GreatCircles(stages) => {
                    let stage = stages[k].over(h);
                    for i in 0..n {
                        let q = from.q[i];
                        let pi = q.cross(&(p[i] - from.gradient[i] * stage.before));
                        let end = s2::great_circle(&q, &(pi * (stage.motion / system.inertia().diagonal(i))));
                        // In the chart about where it ends by the unknowns.
                        let length = to.q[i].dot(&end);
                        out.extend((to.basis[i].tr_mul(&end) / length).iter());
                        let along = to.basis[i] * (to.basis[i].tr_mul(&pi.cross(&end)) * length);
                        p[i] = along - s2::tangent(&to.q[i], &to.gradient[i]) * stage.after;
                    }
                }
            }
            std::mem::swap(&mut from, &mut to);
        }
        out.resize(out.len() + 2 * n, 0.0);
        for (basis, p) in from.basis.iter().zip(&p) {
            out.extend(basis.tr_mul(p).iter());
        }
    }
}

impl Parts<'_> {
    fn len(self) -> usize {
        match self {
            Self::Variational(substeps) => substeps.len(),
            Self::GreatCircles(stages) => stages.len(),
        }
    }
}

/// K and B of one variational step, as products.
struct Stiffness<'a> {
    system: &'a Spheres,
    uniform: bool,
    h: f64,
    buffers: &'a mut Buffers,
}

impl<'a> Stiffness<'a> {
    fn new(system: &'a Spheres, uniform: bool, h: f64, buffers: &'a mut Buffers) -> Self {
        Self {
            system,
            uniform,
            h,
            buffers,
        }
    }

    /// `(−½h H + curvature) x`.
    fn bend(&mut self, at: &Place, curvature: &[f64], x: Pairs<'_>) -> Vec<Vector2<f64>> {
        let Buffers { work, moved, bent, .. } = &mut *self.buffers;
        let mut out: Vec<Vector2<f64>> = curvature.iter().zip(x).map(|(own, x)| x * *own).collect();
        if !self.uniform {
            at.lift(x, moved);
            bent.resize(x.len(), Vec3::zeros());
            self.system.hessian(&at.q, moved, bent, work);
            for (out, (basis, bent)) in out.iter_mut().zip(at.basis.iter().zip(&*bent)) {
                *out -= basis.tr_mul(bent) * (0.5 * self.h);
            }
        }
        out
    }

    /// M times something.
    fn flow(&mut self, of: impl Iterator<Item = Vec3>) -> Vec<Vec3> {
        let Buffers { work, moved, .. } = &mut *self.buffers;
        moved.clear();
        moved.extend(of);
        let mut flow = vec![Vec3::zeros(); moved.len()];
        self.system.inertia().apply(moved, &mut flow, &mut work.inertia);
        flow
    }
}

/// A variational step of h between two places.
fn variational(
    system: &Spheres,
    buffers: &mut Buffers,
    from: &Place,
    to: &Place,
    h: f64,
) -> Result<Part, Fault> {
    let n = from.q.len();
    let Buffers { work, flow, .. } = buffers;
    let velocity: Vec<Vec3> = (to.q.iter().zip(&from.q))
        .map(|(to, from)| (to - from) / h)
        .collect();
    flow.resize(n, Vec3::zeros());
    system.inertia().apply(&velocity, flow, &mut work.inertia);
    let along = |place: &Place, sign: f64| -> Vec<f64> {
        let each = place.q.iter().zip(&*flow).zip(&place.gradient);
        each.map(|((q, flow), gradient)| q.dot(&(flow * sign + gradient * (0.5 * h))))
            .collect()
    };
    let (start, end) = (along(from, 1.0), along(to, -1.0));
    let regular;
    let factors = match system.inertia() {
        Inertia::Links(links) => {
            let mut factors = LinkFactors::default();
            regular = factors.factorise(links, |i| from.basis[i].transpose(), |i| to.basis[i]);
            Factors::Links(factors)
        }
        Inertia::Dense { size, matrix } => {
            let mut lu = Lu::default();
            let a = lu.reset(2 * n);
            for (place, mass) in matrix.iter().enumerate() {
                let (i, j) = (place / size, place % size);
                let block = from.basis[i].tr_mul(&to.basis[j]) * *mass;
                for (k, value) in block.iter().enumerate() {
                    a[(2 * i + k % 2) * 2 * n + 2 * j + k / 2] = *value;
                }
            }
            regular = lu.factorise();
            Factors::Dense(lu)
        }
    };
    if !regular {
        return Err(Undefined::SingularMass.into());
    }
    Ok(Part::Variational {
        h,
        velocity,
        start,
        end,
        factors,
    })
}

impl Factors {
    fn solve(&mut self, x: &mut [Vector2<f64>], transposed: bool) {
        match (self, transposed) {
            (Self::Links(links), false) => links.substitute(x),
            (Self::Links(links), true) => links.substitute_transposed(x),
            (Self::Dense(lu), false) => lu.substitute(bytemuck::cast_slice_mut(x)),
            (Self::Dense(lu), true) => lu.substitute_transposed(bytemuck::cast_slice_mut(x)),
        }
    }
}

/// `π − b q × g`.
fn kick(p: &mut [Vec3], at: &Place, weight: f64) {
    for (p, (q, gradient)) in p.iter_mut().zip(at.q.iter().zip(&at.gradient)) {
        *p -= q.cross(gradient) * weight;
    }
}

/// Takes `b (H − q·g) x` from y.
fn add_kick(
    system: &Spheres,
    uniform: bool,
    buffers: &mut Buffers,
    at: &Place,
    weight: f64,
    (x, y): (&mut [f64], &mut [f64]),
) {
    if weight == 0.0 {
        return;
    }
    let (n, Buffers { work, moved, bent, .. }) = (at.q.len(), buffers);
    at.lift(pairs(x), moved);
    bent.clear();
    bent.resize(n, Vec3::zeros());
    if !uniform {
        system.hessian(&at.q, moved, bent, work);
    }
    for i in 0..n {
        let curved = at.q[i].dot(&at.gradient[i]);
        let own = at.basis[i].tr_mul(&bent[i]) - pairs(x)[i] * curved;
        pairs_mut(y)[i] -= own * weight;
    }
}

/// The derivative of the arc of one body with momentum π, of moment M, for a time.
fn great_circle(from: &Place, to: &Place, i: usize, pi: &Vec3, mass: f64, time: f64) -> Matrix4<f64> {
    let (q, end) = (from.q[i], to.q[i]);
    let angle = pi.norm() * time / mass;
    // The axis of the circle, and the way along it; any will do where nothing moves.
    let axis = match pi.try_normalize(0.0) {
        Some(axis) => axis,
        None => from.basis[i].column(1).into(),
    };
    let (sine, cosine) = math::sin_cos(angle);
    let answer = time / mass;
    let sinc = if angle == 0.0 { 1.0 } else { sine / angle };
    let along = Matrix4::new(
        1.0, 0.0, answer, 0.0, //
        0.0, cosine, 0.0, answer * sinc, //
        0.0, 0.0, 1.0, 0.0, //
        0.0, -angle * sine / answer, 0.0, cosine,
    );
    let frame = |place: &Place, q: &Vec3| {
        let (e, n) = (axis.cross(q), axis);
        let (first, second) = (place.basis[i].tr_mul(&e), place.basis[i].tr_mul(&n));
        let mut frame = Matrix4::zeros();
        for half in [0, 2] {
            for k in 0..2 {
                frame[(half, half + k)] = first[k];
                frame[(half + 1, half + k)] = second[k];
            }
        }
        frame
    };
    frame(to, &end).transpose() * along * frame(from, &q)
}

/// Puts a body's change through a matrix.
fn turn(matrix: &Matrix4<f64>, i: usize, x: &mut [f64], y: &mut [f64]) {
    let k = 2 * i;
    let z = matrix * Vector4::new(x[k], x[k + 1], y[k], y[k + 1]);
    (x[k], x[k + 1], y[k], y[k + 1]) = (z[0], z[1], z[2], z[3]);
}
