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
//! sphere curves by; nothing in it is divided by h. B is solved in O(n) for links, and body by body where none are joined:
//! `apart.rs`. The unknowns of a step are the directions after each of its parts, and its equations those that lead there,
//! then (x⁺, y⁺) about the last of them.
//!
//! Where a chain is held at both ends each part has six more of both, λ and μ:
//!
//! ```text
//! Tᵀ(M Δ − h p + ½h² g + h ℓ λ) = 0,   Σ ℓᵢ qᵢ⁺ = d,       σᵢ += ℓᵢ qᵢ·λ,   −τᵢ += ℓᵢ qᵢ⁺·μ
//! p⁺ = T⁺T⁺ᵀ(M Δ/h − ½h g⁺ − ℓ μ),     Σ ℓᵢ vᵢ⁺ = 0         p⁺ = T⁺T⁺ᵀ M v⁺
//! ```
mod apart;
mod factors;
mod great_circles;
mod legendre;
mod stopped;
mod tied;
mod variational;

pub(super) use factors::{Coupling, Factors};
pub(super) use legendre::Legendre;

use super::{Fault, separate::Stage};
use crate::{
    Vec3,
    derivative::Change,
    geometry::s2,
    spheres::{Spheres, Workspace, view},
    system::State,
};
use apart::Apart;
use great_circles::Arc as GreatArc;
use nalgebra::{Matrix3x2, Vector2};
use std::sync::Arc;
use stopped::Stopped;
use tied::Tied;
use variational::Variational;

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
    /// Of the links of a chain that is held at both ends, m; none elsewhere.
    lengths: Vec<f64>,
    /// Before the step and after each of its parts.
    places: Vec<Place>,
    parts: Vec<Part>,
    p: Vec<Vec3>,
    buffers: Buffers,
}

#[derive(Default)]
struct Buffers {
    work: Workspace,
    moved: Vec<Vec3>,
    bent: Vec<Vec3>,
}

#[derive(Default)]
struct Place {
    q: Vec<Vec3>,
    basis: Vec<Matrix3x2<f64>>,
    gradient: Vec<Vec3>,
}

enum Part {
    Variational(Box<Variational>),
    Apart(Apart),
    GreatCircles(GreatArc),
}

/// A part's two places, and what is needed to look at forces and inertia there.
struct Near<'a> {
    system: &'a Spheres,
    uniform: bool,
    lengths: &'a [f64],
    from: &'a Place,
    to: &'a Place,
    buffers: &'a mut Buffers,
}

/// Two coordinates or momenta of each body.
pub(super) type Pairs<'a> = &'a [Vector2<f64>];

pub(super) fn pairs(list: &[f64]) -> Pairs<'_> {
    bytemuck::cast_slice(list)
}

pub(super) fn pairs_mut(list: &mut [f64]) -> &mut [Vector2<f64>] {
    bytemuck::cast_slice_mut(list)
}

/// The vector of this number in a list; zero where there is none.
fn vector(list: &[f64], number: usize) -> Vec3 {
    list.get(3 * number..3 * number + 3)
        .map_or_else(Vec3::zeros, Vec3::from_column_slice)
}

fn write(list: &mut [f64], number: usize, vector: &Vec3) {
    list[3 * number..3 * number + 3].copy_from_slice(vector.as_slice());
}

impl Place {
    /// Forces and bases at a place; where it stands already nothing is to be done.
    fn find(&mut self, system: &Spheres, uniform: bool, q: &[Vec3], work: &mut Workspace) {
        if self.q == q {
            return;
        }
        self.q.clear();
        self.q.extend_from_slice(q);
        self.basis.clear();
        self.basis.extend(q.iter().map(s2::tangent_basis));
        if !uniform || self.gradient.len() != q.len() {
            self.gradient.resize(q.len(), Vec3::zeros());
            system.gradient(q, &mut self.gradient, work);
        }
    }

    /// `T x`.
    fn lift(&self, x: Pairs<'_>, out: &mut Vec<Vec3>) {
        out.clear();
        out.extend(self.basis.iter().zip(x).map(|(basis, x)| basis * x));
    }
}

impl SphereTangent {
    /// `None` where there are none: [`Spheres::without_derivatives`].
    pub(super) fn new(system: Arc<Spheres>) -> Option<Self> {
        system.without_derivatives().is_none().then(|| Self {
            uniform: system.uniform_gradient().is_some(),
            lengths: match system.held() {
                Some(_) => system.bodies().iter().map(|body| body.length).collect(),
                None => Vec::new(),
            },
            system,
            places: Vec::new(),
            parts: Vec::new(),
            p: Vec::new(),
            buffers: Buffers::default(),
        })
    }

    /// Unknowns and equations of a part for λ and μ.
    fn held(&self) -> usize {
        if self.lengths.is_empty() { 0 } else { 6 }
    }

    /// Unknowns of a part.
    fn unknowns(&self) -> usize {
        3 * self.system.len() + self.held()
    }

    /// Goes to a step whose unknowns are known.
    pub(super) fn linearise(
        &mut self,
        parts: Parts<'_>,
        before: &State,
        h: f64,
        solution: &[f64],
    ) -> Result<(), Fault> {
        let (size, own, count) = (before.q.len(), self.unknowns(), parts.len());
        self.places.resize_with(count + 1, Place::default);
        // Steps are gone along one after the other: one end of this may be the other end of the last.
        let (first, last) = (&*before.q, &solution[own * (count - 1)..][..size]);
        if view(last) == self.places[0].q || view(first) == self.places[count].q {
            self.places.swap(0, count);
        }
        let each = std::iter::once(first).chain(solution.chunks_exact(own).map(|own| &own[..size]));
        for (place, q) in self.places.iter_mut().zip(each) {
            place.find(&self.system, self.uniform, view(q), &mut self.buffers.work);
        }
        self.parts.resize_with(count, || match parts {
            Parts::Variational(_) if self.system.are_separate() => Part::Apart(Apart::default()),
            Parts::Variational(_) => Part::Variational(Box::default()),
            Parts::GreatCircles(_) => Part::GreatCircles(GreatArc::default()),
        });
        self.p.clear();
        if let Parts::GreatCircles(_) = parts {
            self.p.extend_from_slice(view(&before.p));
        }
        for (k, part) in self.parts.iter_mut().enumerate() {
            let mut near = Near {
                system: &self.system,
                uniform: self.uniform,
                lengths: &self.lengths,
                from: &self.places[k],
                to: &self.places[k + 1],
                buffers: &mut self.buffers,
            };
            match (part, parts) {
                (Part::Variational(step), Parts::Variational(substeps)) => {
                    let held = &solution[k * own + size..(k + 1) * own];
                    step.stand(&mut near, substeps[k] * h, held)?;
                }
                (Part::Apart(step), Parts::Variational(substeps)) => step.stand(&near, substeps[k] * h)?,
                (Part::GreatCircles(arc), Parts::GreatCircles(stages)) => {
                    arc.stand(&near, stages[k].over(h), &mut self.p);
                }
                _ => unreachable!("a method has steps of one kind"),
            }
        }
        Ok(())
    }

    pub(super) fn push(&mut self, change: &mut Change) {
        let held = self.held();
        let Change { x, y, equations, .. } = change;
        let (size, rows) = (x.len(), x.len() + held);
        let (of_f, of_e) = match equations.len() {
            0 => (&[] as &[f64], &[] as &[f64]),
            all => equations.split_at(all - 2 * size),
        };
        for (k, part) in self.parts.iter_mut().enumerate() {
            let mut near = Near {
                system: &self.system,
                uniform: self.uniform,
                lengths: &self.lengths,
                from: &self.places[k],
                to: &self.places[k + 1],
                buffers: &mut self.buffers,
            };
            let own = of_f.get(k * rows..(k + 1) * rows);
            match part {
                Part::Variational(step) => step.push(&mut near, own, x, y),
                Part::Apart(step) => step.push(&mut near, own, x, y),
                Part::GreatCircles(arc) => arc.push(&mut near, own, x, y),
            }
        }
        for (out, of_e) in x.iter_mut().chain(y).zip(of_e) {
            *out += of_e;
        }
        change.lambda.clear();
    }

    pub(super) fn pull(&mut self, gradient: &mut Change) {
        let held = self.held();
        let Change { x, y, equations, .. } = gradient;
        let (rows, count) = (x.len() + held, self.parts.len());
        equations.clear();
        equations.resize(count * rows, 0.0);
        equations.extend_from_slice(x);
        equations.extend_from_slice(y);
        for (k, part) in self.parts.iter_mut().enumerate().rev() {
            let mut near = Near {
                system: &self.system,
                uniform: self.uniform,
                lengths: &self.lengths,
                from: &self.places[k],
                to: &self.places[k + 1],
                buffers: &mut self.buffers,
            };
            let own = &mut equations[k * rows..(k + 1) * rows];
            match part {
                Part::Variational(step) => step.pull(&mut near, own, x, y),
                Part::Apart(step) => step.pull(&mut near, own, x, y),
                Part::GreatCircles(arc) => arc.pull(&mut near, own, x, y),
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
        let (mut from, mut to) = (Place::default(), Place::default());
        from.find(
            &self.system,
            self.uniform,
            view(&before.q),
            &mut self.buffers.work,
        );
        // p = π × q.
        let turned = view(&before.p).iter().zip(&from.q);
        let mut p: Vec<Vec3> = turned.map(|(pi, q)| pi.cross(q)).collect();
        out.clear();
        let unknowns = solution.chunks_exact(self.unknowns());
        for (k, own) in unknowns.enumerate().take(parts.len()) {
            let (q, held) = own.split_at(before.q.len());
            to.find(&self.system, self.uniform, view(q), &mut self.buffers.work);
            let mut near = Near {
                system: &self.system,
                uniform: self.uniform,
                lengths: &self.lengths,
                from: &from,
                to: &to,
                buffers: &mut self.buffers,
            };
            match parts {
                Parts::Variational(substeps) => {
                    variational::residual(&mut near, substeps[k] * h, held, &mut p, out);
                }
                Parts::GreatCircles(stages) => {
                    great_circles::residual(&near, stages[k].over(h), &mut p, out);
                }
            }
            std::mem::swap(&mut from, &mut to);
        }
        out.resize(out.len() + 2 * p.len(), 0.0);
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

impl Near<'_> {
    /// `(−½h H + curvature) x`.
    fn bend(&mut self, at: &Place, h: f64, curvature: &[f64], x: Pairs<'_>, out: &mut Vec<Vector2<f64>>) {
        let Buffers {
            work, moved, bent, ..
        } = &mut *self.buffers;
        out.clear();
        out.extend(curvature.iter().zip(x).map(|(own, x)| x * *own));
        if !self.uniform {
            at.lift(x, moved);
            bent.resize(x.len(), Vec3::zeros());
            self.system.hessian(&at.q, moved, bent, work);
            for (out, (basis, bent)) in out.iter_mut().zip(at.basis.iter().zip(&*bent)) {
                *out -= basis.tr_mul(bent) * (0.5 * h);
            }
        }
    }

    /// M times something.
    fn flow(&mut self, of: impl Iterator<Item = Vec3>, out: &mut Vec<Vec3>) {
        let Buffers { work, moved, .. } = &mut *self.buffers;
        moved.clear();
        moved.extend(of);
        out.clear();
        out.resize(moved.len(), Vec3::zeros());
        self.system.inertia().apply(moved, out, &mut work.inertia);
    }
}
