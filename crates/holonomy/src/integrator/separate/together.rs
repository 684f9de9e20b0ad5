//! One body in a uniform field, in eight states side by side.
use super::{BodyRule, End, Separate, Stage};
use crate::{
    Vec3,
    integrator::{
        Member,
        together::{in_groups, lanes},
    },
    simd::{Kernel, LANES, Level, Triple, Vector, in_all_lanes, load, store},
};
use std::marker::PhantomData;

impl<R: BodyRule> Separate<R> {
    /// Takes the steps of [`crate::integrator::Integrator::advance_many`].
    pub(super) fn together(&mut self, gradient: Vec3, members: &mut [Member], h: f64, count: u64) {
        let stages: Vec<Stage> = self.stages.iter().map(|stage| stage.over(h)).collect();
        let level = Level::best();
        in_groups(self, members, h, count, |method, group, steps| {
            let component =
                |of: fn(&Member) -> &[f64]| [0, 1, 2].map(|k| lanes(group, |member| of(member)[k]));
            let mut bodies = Bodies {
                q: component(|member| &member.state.q),
                p: component(|member| &member.state.p),
                t: lanes(group, |member| member.state.t),
                good: false,
            };
            level.run(Row::<R> {
                rule: PhantomData,
                stages: &stages,
                gradient: gradient.into(),
                mass: method.masses[0],
                h,
                steps,
                bodies: &mut bodies,
            });
            if bodies.good {
                for (l, member) in group.iter_mut().enumerate() {
                    member.state.t = bodies.t[l];
                    for k in 0..3 {
                        member.state.q[k] = bodies.q[k][l];
                        member.state.p[k] = bodies.p[k][l];
                    }
                    member.work.count_explicit(steps, stages.len() as u32);
                }
            }
            bodies.good
        });
    }
}

/// Bodies side by side, and whether all their steps could be taken.
struct Bodies {
    q: [[f64; LANES]; 3],
    p: [[f64; LANES]; 3],
    t: [f64; LANES],
    good: bool,
}

struct Row<'a, R> {
    rule: PhantomData<fn() -> R>,
    stages: &'a [Stage],
    gradient: Triple<f64>,
    mass: f64,
    h: f64,
    steps: u64,
    bodies: &'a mut Bodies,
}

impl<R: BodyRule> Kernel for Row<'_, R> {
    #[inline(always)]
    fn run<V: Vector>(self, token: V::Token) {
        let gradient = in_all_lanes(token, self.gradient);
        let mass = self.mass;
        let at = |q: Triple<V>, p: Triple<V>| End { q, p, gradient, mass };
        let mut q = load(token, &self.bodies.q);
        let mut p = load(token, &self.bodies.p);
        let mut t = V::load(token, &self.bodies.t);
        for _ in 0..self.steps {
            for stage in self.stages {
                let moved = R::advance(&at(q, p), stage);
                p = R::finish(&at(moved.q, moved.p), stage);
                q = moved.q;
            }
            t = t + self.h;
        }
        // The root of what is negative is not a number, and what is not finite never becomes so again: it is enough to
        // look at the end. Large numbers may add up to what is not finite; then each member is looked at by itself.
        let sum = (q.x + q.y + q.z) + (p.x + p.y + p.z);
        self.bodies.good = (sum * 0.0).are_within(0.0);
        store(q, &mut self.bodies.q);
        store(p, &mut self.bodies.p);
        t.store(&mut self.bodies.t);
    }
}
