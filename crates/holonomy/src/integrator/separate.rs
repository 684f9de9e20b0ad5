//! Methods for separate bodies: a step is a row of stages, and a stage moves every body with the gradient at its start,
//! then gives it its momentum with the gradient at its end. What a stage does to one body is the [`BodyRule`] of a method.
#[cfg(not(target_arch = "wasm32"))]
mod linearised;
// A page advances one state: its engine is to be small.
#[cfg(not(target_arch = "wasm32"))]
mod together;

use super::{Cause, Fault, Integrator, StepInfo, Work, check_finite, composition::substeps, force::Force};
use crate::{
    Vec3,
    simd::{Real, Triple},
    spheres::{Spheres, view, view_mut},
    system::State,
    threads::{self, parts, pieces},
};
use std::{marker::PhantomData, sync::Arc};

/// A method for separate bodies.
pub struct Separate<R> {
    rule: PhantomData<fn() -> R>,
    force: Force,
    masses: Vec<f64>,
    stages: Vec<Stage>,
    /// Where the bodies are between stages; two places, because a stage reads one and writes the other.
    places: [BodiesAt; 2],
    /// Whether something went wrong in a task.
    failed: Vec<bool>,
    /// For derivatives.
    #[cfg(not(target_arch = "wasm32"))]
    taken: linearised::Taken,
}

#[derive(Default)]
struct BodiesAt {
    q: Vec<f64>,
    p: Vec<f64>,
}

/// A stage: a kick, a motion and a kick, each as if it had this step for itself.
#[derive(Clone, Copy)]
pub struct Stage {
    pub(super) before: f64,
    pub(super) motion: f64,
    pub(super) after: f64,
}

/// One body at one end of a stage; or several of the same mass, side by side.
pub struct End<T> {
    pub(super) q: Triple<T>,
    /// At the start its momentum π; at the end what the motion left for the second kick.
    pub(super) p: Triple<T>,
    /// ∂V/∂q.
    pub(super) gradient: Triple<T>,
    /// Mᵢᵢ.
    pub(super) mass: f64,
}

/// A body after its motion.
pub struct Moved<T> {
    pub(super) q: Triple<T>,
    pub(super) p: Triple<T>,
    /// What was under the root: negative when the step is too large.
    pub(super) room: T,
}

/// What a method does to one body.
pub trait BodyRule: 'static {
    /// Whether it moves bodies along great circles for the whole of a stage, rather than by a variational step.
    const GREAT_CIRCLES: bool = false;
    /// The stages of a step of the given order; `None` for orders that it does not have. Unless it has its own, a stage
    /// is of order 2, and 4, 6 and 8 are its compositions.
    fn stages(order: u32) -> Option<Vec<Stage>> {
        match order {
            2 => Some(composed(&[1.0])),
            _ => substeps(order).map(composed),
        }
    }
    /// The first kick and the motion. Where there is no room for it, q is not a number.
    fn advance<T: Real>(start: &End<T>, stage: &Stage) -> Moved<T>;
    /// The second kick.
    fn finish<T: Real>(end: &End<T>, stage: &Stage) -> Triple<T>;
}

/// Bodies in one task.
const TASK: usize = 1024;
/// About what a stage of a body costs, ns.
const COST: usize = 12;

impl<R: BodyRule> Integrator for Separate<R> {
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        #[cfg(not(target_arch = "wasm32"))]
        if self.taken.is_wanted() {
            return self.attempt_noting(state, h);
        }
        Work::of_one(|work| self.advance(state, h, 1, work))
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn differentiable(&mut self) -> Option<&mut dyn crate::derivative::Differentiable> {
        self.has_derivatives().then_some(self)
    }

    fn advance(&mut self, state: &mut State, h: f64, count: u64, work: &mut Work) -> Result<(), Fault> {
        match self.force.uniform() {
            Some([gradient]) => self.advance_alone(*gradient, state, (h, count), work, |_| {}),
            _ => {
                for k in 0..count {
                    let before = self.force.evaluations;
                    // The gradient at the end of a step is that at the start of the next.
                    self.step_all(state, h, k > 0, None)?;
                    work.count_explicit(1, self.force.evaluations.wrapping_sub(before));
                }
                self.force.remember(view(&state.q));
                Ok(())
            }
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn advance_many(&mut self, members: &mut [super::Member], h: f64, count: u64) {
        match self.force.uniform() {
            Some([gradient]) => self.together(*gradient, members, h, count),
            _ => super::advance_each(self, members, h, count),
        }
    }
}

impl<R: BodyRule> Separate<R> {
    /// Order 2; `None` when the inertia matrix couples the spheres.
    pub fn new(system: Arc<Spheres>) -> Option<Self> {
        Self::of_order(system, 2)
    }

    /// `None` when the inertia matrix couples the spheres, and for orders that the method does not have. Compositions are
    /// those of [`super::Composition`], for less.
    pub fn of_order(system: Arc<Spheres>, order: u32) -> Option<Self> {
        let stages = R::stages(order)?;
        let inertia = system.inertia();
        system.are_separate().then(|| Self {
            rule: PhantomData,
            masses: (0..system.len()).map(|i| inertia.diagonal(i)).collect(),
            force: Force::new(system.clone()),
            stages,
            places: Default::default(),
            failed: Vec::new(),
            #[cfg(not(target_arch = "wasm32"))]
            taken: linearised::Taken::default(),
        })
    }

    /// One body with one gradient: nothing is stored between steps. Notes the directions after each stage.
    fn advance_alone(
        &self,
        gradient: Vec3,
        state: &mut State,
        (h, count): (f64, u64),
        work: &mut Work,
        mut note: impl FnMut(Vec3),
    ) -> Result<(), Fault> {
        let (mut q, mut p): (Triple<f64>, Triple<f64>) = (view(&state.q)[0].into(), view(&state.p)[0].into());
        let (mass, gradient) = (self.masses[0], gradient.into());
        let at = |q, p| End { q, p, gradient, mass };
        let mut step = |mut q: Triple<f64>, mut p: Triple<f64>| {
            for stage in &self.stages {
                let stage = stage.over(h);
                let moved = R::advance(&at(q, p), &stage);
                if !(moved.room >= 0.0) {
                    return Err(no_room(moved.room));
                }
                (q, p) = (moved.q, R::finish(&at(moved.q, moved.p), &stage));
                note(q.into());
            }
            if is_finite(&q.into(), &p.into()) {
                Ok((q, p))
            } else {
                Err(Cause::NotFinite)
            }
        };
        let (mut done, mut result) = (0, Ok(()));
        while done < count {
            match step(q, p) {
                Ok(next) => (q, p) = next,
                Err(cause) => {
                    result = Err(Fault { cause, body: Some(0) });
                    break;
                }
            }
            done += 1;
            state.t += h;
        }
        (view_mut(&mut state.q)[0], view_mut(&mut state.p)[0]) = (q.into(), p.into());
        work.count_explicit(done, self.stages.len() as u32);
        result
    }

    /// One step of all bodies; `known` when the gradient found last is that at the start. Notes the directions after each
    /// stage, where that is wanted.
    fn step_all(
        &mut self,
        state: &mut State,
        h: f64,
        known: bool,
        mut notes: Option<&mut Vec<f64>>,
    ) -> Result<(), Fault> {
        if !known {
            self.force.at(view(&state.q))?;
        }
        for k in 0..self.stages.len() {
            let stage = self.stages[k].over(h);
            let [to, from] = &mut self.places;
            let (q, p) = match k {
                0 => (&state.q, &state.p),
                _ => (&from.q, &from.p),
            };
            to.q.resize(q.len(), 0.0);
            to.p.resize(p.len(), 0.0);
            let mut sweep = Sweep::<R> {
                rule: PhantomData,
                stage: &stage,
                masses: &self.masses,
                failed: &mut self.failed,
            };
            if let Some(gradient) = self.force.uniform() {
                sweep.run(view(q), view(p), gradient, to)?;
                self.force.renew(view(&to.q))?;
            } else {
                sweep.advance(view(q), view(p), self.force.last(), to)?;
                self.force.renew(view(&to.q))?;
                sweep.finish(view(q), view(p), self.force.last(), to)?;
            }
            if let Some(notes) = &mut notes {
                notes.extend_from_slice(&to.q);
            }
            self.places.swap(0, 1);
        }
        let [_, end] = &mut self.places;
        std::mem::swap(&mut state.q, &mut end.q);
        std::mem::swap(&mut state.p, &mut end.p);
        state.t += h;
        Ok(())
    }
}

/// One stage of all bodies.
struct Sweep<'a, R> {
    rule: PhantomData<fn() -> R>,
    stage: &'a Stage,
    masses: &'a [f64],
    failed: &'a mut Vec<bool>,
}

impl<R: BodyRule> Sweep<'_, R> {
    /// The whole stage, with a gradient that is the same at its end.
    fn run(mut self, q: &[Vec3], p: &[Vec3], gradient: &[Vec3], to: &mut BodiesAt) -> Result<(), Fault> {
        let stage = self.stage;
        let failed = self.each(q, p, gradient, to, |start, to_q, to_p| {
            let moved = R::advance(start, stage);
            *to_q = moved.q.into();
            *to_p = R::finish(&start.then(moved.q, moved.p), stage).into();
            moved.room >= 0.0 && is_finite(to_q, to_p)
        });
        if failed {
            self.check_room(q, p, gradient)?;
            check_finite(&to.q, &to.p, self.masses.len())?;
        }
        Ok(())
    }

    /// Its first kick and its motion.
    fn advance(&mut self, q: &[Vec3], p: &[Vec3], gradient: &[Vec3], to: &mut BodiesAt) -> Result<(), Fault> {
        let stage = self.stage;
        let failed = self.each(q, p, gradient, to, |start, to_q, to_p| {
            let moved = R::advance(start, stage);
            (*to_q, *to_p) = (moved.q.into(), moved.p.into());
            moved.room >= 0.0
        });
        if failed {
            self.check_room(q, p, gradient)
        } else {
            Ok(())
        }
    }

    /// Its second kick; `q` and `p` are any list as long.
    fn finish(mut self, q: &[Vec3], p: &[Vec3], gradient: &[Vec3], to: &mut BodiesAt) -> Result<(), Fault> {
        let stage = self.stage;
        let failed = self.each(q, p, gradient, to, |start, q, p| {
            *p = R::finish(&start.then((&*q).into(), (&*p).into()), stage).into();
            is_finite(q, p)
        });
        if failed {
            check_finite(&to.q, &to.p, self.masses.len())
        } else {
            Ok(())
        }
    }

    /// Does something to every body, which says whether it succeeded; whether it failed for one.
    fn each(
        &mut self,
        q: &[Vec3],
        p: &[Vec3],
        gradient: &[Vec3],
        to: &mut BodiesAt,
        act: impl Fn(&End<f64>, &mut Vec3, &mut Vec3) -> bool + Sync,
    ) -> bool {
        let n = self.masses.len();
        self.failed.resize(n.div_ceil(TASK), false);
        let from = (
            parts(TASK, q),
            parts(TASK, p),
            parts(TASK, gradient),
            parts(TASK, self.masses),
        );
        let to = (
            pieces(TASK, view_mut(&mut to.q)),
            pieces(TASK, view_mut(&mut to.p)),
        );
        let tasks = (from, to, pieces(1, self.failed));
        threads::run(
            COST * n,
            tasks,
            |_, ((q, p, gradient, masses), (to_q, to_p), failed)| {
                // All as long as each other, which the compiler knows from here on.
                let n = to_q.len();
                let (q, p, gradient, masses) = (&q[..n], &p[..n], &gradient[..n], &masses[..n]);
                let to_p = &mut to_p[..n];
                let mut good = true;
                for i in 0..n {
                    let start = end(i, &q[i], &p[i], gradient, masses);
                    good &= act(&start, &mut to_q[i], &mut to_p[i]);
                }
                failed[0] = !good;
            },
        );
        self.failed.contains(&true)
    }

    /// The first body that turns too far, as a fault.
    fn check_room(&self, q: &[Vec3], p: &[Vec3], gradient: &[Vec3]) -> Result<(), Fault> {
        for i in 0..q.len() {
            let start = end(i, &q[i], &p[i], gradient, self.masses);
            let room = R::advance(&start, self.stage).room;
            if !(room >= 0.0) {
                return Err(Fault {
                    cause: no_room(room),
                    body: Some(i),
                });
            }
        }
        Ok(())
    }
}

#[inline]
fn end(i: usize, q: &Vec3, p: &Vec3, gradient: &[Vec3], masses: &[f64]) -> End<f64> {
    End {
        q: q.into(),
        p: p.into(),
        gradient: gradient[i].into(),
        mass: masses[i],
    }
}

impl<T: Real> End<T> {
    /// The same body elsewhere.
    #[inline(always)]
    fn then(&self, q: Triple<T>, p: Triple<T>) -> Self {
        Self { q, p, ..*self }
    }

    /// π − h q × ∂V.
    #[inline(always)]
    pub(super) fn kicked(&self, h: f64) -> Triple<T> {
        self.p - self.q.cross(self.gradient).scaled(h)
    }

    /// What a momentum has along q, which is no more than rounding left there, and must not grow.
    #[inline(always)]
    pub(super) fn stray(&self) -> Triple<T> {
        self.q * self.q.dot(self.p)
    }
}

impl Stage {
    #[inline]
    pub(super) fn over(&self, h: f64) -> Self {
        Self {
            before: self.before * h,
            motion: self.motion * h,
            after: self.after * h,
        }
    }
}

/// Half a kick, a motion and half a kick for each substep.
fn composed(substeps: &[f64]) -> Vec<Stage> {
    let stage = |gamma: &f64| Stage {
        before: 0.5 * gamma,
        motion: *gamma,
        after: 0.5 * gamma,
    };
    substeps.iter().map(stage).collect()
}

/// Why there is nothing to take a root of.
#[cold]
fn no_room(room: f64) -> Cause {
    if room.is_finite() {
        Cause::TooLarge
    } else {
        Cause::NotFinite
    }
}

#[inline]
fn is_finite(q: &Vec3, p: &Vec3) -> bool {
    // One question if the answer is yes. Large numbers may add up to what is not finite: then each is asked.
    let sum = (q.x + q.y + q.z) + (p.x + p.y + p.z);
    sum.is_finite() || q.iter().chain(p.iter()).all(|x| x.is_finite())
}

#[cfg(all(test, feature = "threads"))]
mod tests {
    use crate::{
        Vec3,
        integrator::{Integrator, SphereExplicit, SphereSplit, Work},
        potential::{Gravity, Potential, Spring},
        spheres::{Body, Point, Spheres, SpheresParts},
        system::State,
    };
    use std::sync::Arc;

    /// So many bodies that several threads are worth it, with a gradient that is uniform or not.
    fn bodies(uniform: bool) -> (Arc<Spheres>, State) {
        let n = 6000;
        let body = |i: usize| Body::point(format!("body-{i}"), 1.0 + 1e-4 * i as f64, 1.0);
        let mut potentials: Vec<Box<dyn Potential>> = vec![Box::new(Gravity {
            acceleration: Vec3::z(),
            weights: (0..n).map(|i| 1.0 + 1e-3 * i as f64).collect(),
            offset: 0.0,
        })];
        let mut points = Vec::new();
        if !uniform {
            points.push(Point::Fixed(Vec3::x()));
            potentials.push(Box::new(Spring {
                between: [5000, n],
                stiffness: 1.0,
                length: 0.0,
            }));
        }
        let spheres = Spheres::new(SpheresParts {
            bodies: (0..n).map(body).collect(),
            points,
            potentials,
            ..SpheresParts::default()
        })
        .unwrap_or_else(|e| panic!("{e}"));
        let direction = |i: usize| Vec3::new((i as f64).sin(), (i as f64).cos(), 0.5).normalize();
        let q: Vec<Vec3> = (0..n).map(direction).collect();
        let omega: Vec<Vec3> = q.iter().map(|q| q.cross(&Vec3::y())).collect();
        let state = spheres.state(&q, &omega).unwrap_or_else(|e| panic!("{e}"));
        (Arc::new(spheres), state)
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        for uniform in [true, false] {
            let (spheres, start) = bodies(uniform);
            let run = |threads: usize, split: bool| {
                let method: Option<Box<dyn Integrator>> = if split {
                    SphereSplit::of_order(spheres.clone(), 4).map(|method| Box::new(method) as _)
                } else {
                    SphereExplicit::new(spheres.clone()).map(|method| Box::new(method) as _)
                };
                let Some(mut method) = method else {
                    unreachable!("separate bodies")
                };
                let mut state = start.clone();
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                let Ok(pool) = pool else {
                    unreachable!("threads can be started")
                };
                let result = pool.install(|| method.advance(&mut state, 0.01, 5, &mut Work::default()));
                assert_eq!(result, Ok(()));
                state
            };
            for split in [false, true] {
                let alone = run(1, split);
                assert!(alone.q != start.q && (2..4).all(|threads| run(threads, split) == alone));
            }
        }
    }
}
