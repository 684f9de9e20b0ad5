//! How bodies on spheres look: links with masses, needles, or many bodies on one sphere.
use super::{Body, Point, Spheres};
use crate::{
    Vec3,
    scene::{Poses, Scene, Shape},
    system::{Base, Names},
};
use std::collections::HashMap;

/// Rods from one point that can be told apart.
const FEW: usize = 8;

/// Points that are drawn besides the tips: fixed ones, then the tails of needles, then those of potentials.
#[derive(Clone, Debug, Default)]
pub(super) struct Drawn {
    /// Pivots, each once, and where a tip is held.
    fixed: Vec<Vec3>,
    /// Bodies that turn about their centres.
    needles: Vec<usize>,
}

impl Drawn {
    pub(super) fn new(bodies: &[Body]) -> Self {
        let mut fixed = Vec::new();
        let mut known = HashMap::new();
        for body in bodies {
            if let Base::Fixed(r) = body.base {
                known.entry(bits(&r)).or_insert_with(|| fixed.push(r));
            }
        }
        let all = 0..bodies.len();
        Self {
            fixed,
            needles: all.filter(|i| bodies[*i].centre == 0.0).collect(),
        }
    }
}

fn bits(r: &Vec3) -> [u64; 3] {
    // Zero has two signs and is one place.
    [r.x, r.y, r.z].map(|x| (x + 0.0).to_bits())
}

impl Spheres {
    pub(super) fn shapes(&self) -> Scene {
        let (bodies, drawn, n) = (&self.bodies, &self.drawn, self.len());
        let tails = n + drawn.fixed.len();
        let points = tails + drawn.needles.len();
        let fixed = drawn.fixed.iter().enumerate();
        let pivots: HashMap<_, _> = fixed.map(|(k, r)| (bits(r), n + k)).collect();
        let size = bodies.iter().map(|body| body.length).fold(0.0, f64::max);
        let radius = size * (1.0 / (n.max(1) as f64).sqrt()).min(0.06);
        let mut shapes = Vec::new();
        let common = self.common_sphere();
        match common {
            Some(radius) => shapes.push(Shape::Sphere { centre: n, radius }),
            None => shapes.extend((n..tails).map(|at| Shape::Pivot { at })),
        }
        let mut tail = tails..points;
        for (body, Body { base, centre, .. }) in bodies.iter().enumerate() {
            let needle = if *centre == 0.0 { tail.next() } else { None };
            let from = needle.unwrap_or_else(|| match base {
                Base::Fixed(r) => pivots[&bits(r)],
                Base::Site(parent) => *parent,
            });
            if needle.is_some() || common.is_none() {
                shapes.push(Shape::Rod {
                    body,
                    from,
                    to: body,
                    radius: 0.3 * radius,
                });
            }
            if *centre == 1.0 {
                let at = body;
                shapes.push(Shape::Mass { body, at, radius });
            }
        }
        let of_potentials = |number: usize| Some(points + number.checked_sub(n)?);
        for potential in &self.potentials {
            // Directions of bodies are not places.
            let ends = potential.drawn_as_spring().map(|ends| ends.map(of_potentials));
            if let Some([Some(a), Some(b)]) = ends {
                shapes.push(Shape::Spring { between: [a, b] });
            }
        }
        Scene {
            frames: Names::default(),
            points: self.point_names(),
            shapes,
            down: self.layout.drawing.down.map(Into::into),
            size,
        }
    }

    fn point_names(&self) -> Names {
        let (bodies, drawn, points) = (self.bodies.clone(), self.drawn.clone(), self.points.len());
        let count = bodies.len() + drawn.fixed.len() + drawn.needles.len() + points;
        Names::made(count, move |k| {
            let (n, fixed, needles) = (bodies.len(), drawn.fixed.len(), drawn.needles.len());
            match k {
                k if k < n => bodies[k].name.clone(),
                k if k < n + fixed => format!("pivot-{}", k - n + 1),
                k if k < n + fixed + needles => format!("{}.tail", bodies[drawn.needles[k - n - fixed]].name),
                k => format!("point-{}", k - n - fixed - needles + 1),
            }
        })
    }

    /// The radius of the sphere that all bodies move on, where it, and not rods, holds them.
    fn common_sphere(&self) -> Option<f64> {
        let first = self.bodies.first()?;
        let alike =
            |body: &Body| body.base == first.base && body.length == first.length && body.centre == 1.0;
        let shared = self.are_separate() && self.bodies.iter().all(alike);
        (shared && self.len() > 1 && (self.layout.drawing.down.is_none() || self.len() > FEW))
            .then_some(first.length)
    }

    pub(super) fn pose(&self, q: &[Vec3], out: &mut Poses) {
        let (n, drawn) = (self.len(), &self.drawn);
        let count = n + drawn.fixed.len() + drawn.needles.len() + self.points.len();
        out.frames.clear();
        out.points.resize(count, [0.0; 3]);
        let (tips, rest) = out.points.split_at_mut(n);
        let tips: &mut [Vec3] = bytemuck::cast_slice_mut(tips);
        self.tips(q, tips);
        let tail = |i: &usize| self.base_of(*i, tips) - q[*i] * self.bodies[*i].length;
        let point = |point: &Point| match *point {
            Point::Fixed(r) => r,
            Point::On { body, distance } => self.base_of(body, tips) + q[body] * distance,
        };
        let fixed = drawn.fixed.iter().copied();
        let all = fixed
            .chain(drawn.needles.iter().map(tail))
            .chain(self.points.iter().map(point));
        for (out, r) in rest.iter_mut().zip(all) {
            *out = r.into();
        }
    }
}
