//! Steps of serial chains of point masses, a few links at a time: only the tridiagonal solve goes along the chain.
mod held;
mod lanes;
mod links;
mod past;
mod tension;
#[cfg(not(target_arch = "wasm32"))]
mod together;
mod tridiagonal;

use crate::{
    Vec3,
    geometry::s2,
    integrator::{Cause, Fault, StepInfo, Work, check_finite, force::Force},
    spheres::{Links, Spheres, view},
    system::State,
};
use held::HeldTip;
use lanes::{Lanes, Vectors};
use links::LinkGroup;
use past::{MOST, PER_LINK, PastTensions};
use tridiagonal::Tridiagonal;

/// The steps of a chain, in groups as wide as there are links for.
pub(super) enum Chain {
    Short(Steps<2>),
    Long(Steps<4>),
}

impl Chain {
    /// `None` unless every link carries a point mass at its end and at most the next link; and where a tip is held,
    /// unless it is the end of all of them.
    pub(super) fn new(system: &Spheres, links: &Links, max_iterations: u32) -> Option<Self> {
        if links.len() <= 2 {
            Some(Self::Short(Steps::new(system, links, max_iterations)?))
        } else {
            Some(Self::Long(Steps::new(system, links, max_iterations)?))
        }
    }

    /// Takes the steps of [`crate::integrator::Integrator::advance`], of h and so many, each as a row of substeps; notes
    /// the directions after each of them, where that is wanted.
    pub(super) fn advance(
        &mut self,
        force: &mut Force,
        substeps: &[f64],
        state: &mut State,
        steps: (f64, u64),
        work: &mut Work,
        notes: Option<&mut Vec<f64>>,
    ) -> Result<(), Fault> {
        match self {
            Self::Short(own) => own.advance(force, substeps, state, steps, work, notes),
            Self::Long(own) => own.advance(force, substeps, state, steps, work, notes),
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Chain {
    /// Takes steps of a group of states in a uniform field, all or none; whether it did.
    pub(super) fn together(
        &self,
        gradient: &[Vec3],
        substeps: &[f64],
        group: &mut [&mut crate::integrator::Member],
        h: f64,
        steps: u64,
    ) -> bool {
        match self {
            Self::Short(own) => own.together(gradient, substeps, group, h, steps),
            Self::Long(own) => own.together(gradient, substeps, group, h, steps),
        }
    }
}

/// Iterations after which a guess is given up: one that needs more was far off, and may lead to another solution.
const FROM_A_GUESS: u32 = 4;

pub(super) struct Steps<const W: usize> {
    n: usize,
    max_iterations: u32,
    /// The groups of all links, between two that are empty.
    links: Vec<LinkGroup<W>>,
    newton: Tridiagonal,
    /// The end of the chain, where it is held.
    held: Option<HeldTip<W>>,
    past: PastTensions,
    /// Which of the two motions of a group is the present one, and which of its rates the last.
    now: usize,
    last: usize,
    /// Directions, one after the other, for the potentials.
    flat: Vec<f64>,
}

impl<const W: usize> Steps<W> {
    fn new(system: &Spheres, links: &Links, max_iterations: u32) -> Option<Self> {
        let n = links.len();
        let held = match system.held() {
            Some(held) if held.links().len() < n => return None,
            Some(held) => Some(HeldTip::new(n, held.span())),
            None => None,
        };
        Some(Self {
            n,
            max_iterations,
            links: LinkGroup::all(links, held.is_some())?,
            held,
            newton: Tridiagonal::new(n),
            past: PastTensions::default(),
            now: 0,
            last: 0,
            flat: Vec::new(),
        })
    }

    fn advance(
        &mut self,
        force: &mut Force,
        substeps: &[f64],
        state: &mut State,
        (h, count): (f64, u64),
        work: &mut Work,
        mut notes: Option<&mut Vec<f64>>,
    ) -> Result<(), Fault> {
        let mut evaluations = force.evaluations;
        self.feel(force.at(view(&state.q))?);
        self.enter(state);
        let (mut done, mut result) = (0, Ok(()));
        while done < count && result.is_ok() {
            let mut info = StepInfo::default();
            for gamma in substeps {
                match self.step(force, gamma * h) {
                    Ok(iterations) => {
                        info.iterations += iterations;
                        if let Some(notes) = &mut notes {
                            self.note(notes);
                        }
                    }
                    Err(fault) => {
                        result = Err(fault);
                        break;
                    }
                }
            }
            if result.is_ok() {
                info.evaluations = force.evaluations.wrapping_sub(evaluations);
                evaluations = force.evaluations;
                work.count(info);
                done += 1;
                state.t += h;
                // A fault between substeps takes the whole step back.
                if substeps.len() > 1 {
                    self.leave(state);
                }
            }
        }
        if substeps.len() == 1 && done > 0 {
            self.leave(state);
        }
        if result.is_ok() {
            force.remember(view(&state.q));
        }
        result
    }

    /// Takes over a state and what it carries.
    fn enter(&mut self, state: &State) {
        let (q, p) = (vectors(&state.q).chunks(W), vectors(&state.p).chunks(W));
        for (group, (q, p)) in self.links[1..].iter_mut().zip(q.zip(p)) {
            group.motion[self.now].q.gather(q);
            group.motion[self.now].p.gather(p);
        }
        let Some((past, links)) = PastTensions::recall(state) else {
            self.past = PastTensions::default();
            return;
        };
        self.past = past;
        self.last = 0;
        for (group, kept) in self.links[1..].iter_mut().zip(links.chunks(W)) {
            for (l, [along, rates @ ..]) in kept.iter().enumerate() {
                group.motion[self.now].along.0[l] = *along;
                (0..MOST).for_each(|j| group.rates[j].0[l] = rates[j]);
            }
        }
    }

    /// Puts what steps led to into the state.
    fn leave(&self, state: &mut State) {
        let (q, p) = (
            state.q.as_chunks_mut().0.chunks_mut(W),
            state.p.as_chunks_mut().0.chunks_mut(W),
        );
        let motions = self.links[1..].iter().map(|group| &group.motion[self.now]);
        for (motion, (q, p)) in motions.zip(q.zip(p)) {
            motion.q.scatter(q);
            motion.p.scatter(p);
        }
        let each = (0..self.n).map(|i| {
            let (group, l) = (&self.links[i / W + 1], i % W);
            let mut kept = [group.motion[self.now].along.0[l]; PER_LINK];
            (0..MOST).for_each(|j| kept[j + 1] = group.rates[self.rate(j)].0[l]);
            kept
        });
        self.past.store(state, each);
    }

    /// Adds the present directions to a list, and what the held point gave on the way there.
    fn note(&self, notes: &mut Vec<f64>) {
        let first = notes.len();
        notes.resize(first + 3 * self.n, 0.0);
        let each = notes[first..].as_chunks_mut().0.chunks_mut(W);
        for (group, q) in self.links[1..].iter().zip(each) {
            group.motion[self.now].q.scatter(q);
        }
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(held) = &self.held {
            notes.extend(held.given);
        }
    }

    /// Where the rate before so many others is kept.
    fn rate(&self, back: usize) -> usize {
        (self.last + back) % (MOST + 1)
    }

    /// Takes over a gradient.
    fn feel(&mut self, gradient: &[Vec3]) {
        let gradient: &[[f64; 3]] = bytemuck::cast_slice(gradient);
        for (group, gradient) in self.links[1..].iter_mut().zip(gradient.chunks(W)) {
            group.gradient.gather(gradient);
        }
    }

    /// One substep; the number of iterations. After a fault all is as it was.
    fn step(&mut self, force: &mut Force, h: f64) -> Result<u32, Fault> {
        let guess = self.past.is_enough();
        self.prepare(h);
        let uniform = force.uniform().is_some();
        let mut moved = self.turn(h, guess, uniform);
        if guess && moved.is_err() {
            self.prepare(h);
            moved = self.turn(h, false, uniform);
        }
        let (iterations, mut finite) = moved?;
        if uniform {
            force.renew(&[])?;
        } else {
            self.flat.resize(3 * self.n, 0.0);
            let flat = self.flat.as_chunks_mut().0.chunks_mut(W);
            for (group, flat) in self.links[1..].iter().zip(flat) {
                group.motion[1 - self.now].q.scatter(flat);
            }
            force.renew(view(&self.flat))?;
            self.feel(force.last());
            finite = self.kick(h);
        }
        if let Some(held) = &mut self.held {
            #[cfg(not(target_arch = "wasm32"))]
            held.note(&self.links, self.now, h);
            finite &= held.stop(&mut self.links, 1 - self.now, &mut self.newton);
        }
        if !finite {
            self.check()?;
        }
        if self.past.tells(h) {
            self.last = self.rate(MOST);
        }
        self.past = self.past.next(h);
        self.now = 1 - self.now;
        Ok(iterations)
    }

    /// π̃ and c/ℓ, and what the tensions will be about.
    fn prepare(&mut self, h: f64) {
        let weights = self.past.weights(h).map(Lanes::all);
        let rates: [usize; MOST] = std::array::from_fn(|j| self.rate(j));
        let (half, whole, change) = (
            Lanes::all(0.5 * h),
            Lanes::all(h),
            Lanes::all(self.past.change(h)),
        );
        let count = self.links.len() - 2;
        for group in &mut self.links[1..=count] {
            let motion = &group.motion[self.now];
            let kicked = motion.p - motion.q.cross(group.gradient) * half;
            group.driven = kicked.cross(motion.q) * (whole * group.inverse_length);
            let part = |j: usize| group.rates[rates[j]] * weights[j];
            let rate = (part(0) + part(1)) + (part(2) + part(3));
            group.tension = (motion.along + rate * change) * whole;
            group.motion[1 - self.now].p = kicked;
        }
    }

    /// q⁺, what the motion leaves of π, and what it tells about the tensions to come; with a uniform gradient π⁺, too.
    /// The number of iterations, and whether π⁺ is finite.
    fn turn(&mut self, h: f64, guess: bool, uniform: bool) -> Result<(u32, bool), Fault> {
        let most = match guess {
            true => self.max_iterations.min(FROM_A_GUESS),
            false => self.max_iterations,
        };
        let gap = match &self.held {
            Some(held) => held.gap(&self.links, self.now),
            None => Vectors::zero(),
        };
        let iterations = tension::solve(&mut self.links, self.now, gap, &mut self.newton, guess, most)?;
        let inverse_change = if self.past.tells(h) {
            1.0 / self.past.change(h)
        } else {
            0.0
        };
        let (inverse, inverse_change) = (Lanes::all(1.0 / h), Lanes::all(inverse_change));
        let half = Lanes::all(0.5);
        let kick = Lanes::all(0.5 * h);
        let (now, next_rate) = (self.now, self.rate(MOST));
        let (mut largest, mut undefined) = (Lanes::all(0.0), Lanes::all(0.0));
        let (mut before, mut pull) = (self.links[0].pull(now), self.links[1].pull(now));
        let last = self.links.len() - 1;
        for k in 1..last {
            let next_pull = self.links[k + 1].pull(now);
            let group = &mut self.links[k];
            let mut delta = group.displacement(pull.after(before), pull, pull.before(next_pull));
            if k + 1 == last {
                delta = delta + gap;
            }
            let q = group.motion[now].q;
            largest = largest.larger(q.dot(delta));
            let moved = q + delta;
            let q = moved + moved * (s2::lacking(moved) * half);
            let momentum = pull * inverse;
            let turned = group.motion[1 - now].p + delta.cross(momentum * group.length);
            let impulse = group.tension * inverse - group.motion[now].along;
            group.rates[next_rate] = impulse * inverse_change;
            let next = &mut group.motion[1 - now];
            next.q = q;
            next.along = momentum.dot(q);
            next.p = if uniform {
                kicked(q, turned, group.gradient, kick)
            } else {
                turned
            };
            undefined = undefined + next.strays();
            (before, pull) = (pull, next_pull);
        }
        // Beyond 90° the solution is on the wrong branch.
        if largest.largest() > 1.0 {
            return Err(self.too_large());
        }
        Ok((iterations, undefined.largest() == 0.0))
    }

    /// The second kick; whether all is finite.
    fn kick(&mut self, h: f64) -> bool {
        let half = Lanes::all(0.5 * h);
        let mut undefined = Lanes::all(0.0);
        for group in &mut self.links {
            let next = &mut group.motion[1 - self.now];
            next.p = kicked(next.q, next.p, group.gradient, half);
            undefined = undefined + next.strays();
        }
        undefined.largest() == 0.0
    }

    /// The first link that turns by more than 90°.
    #[cold]
    fn too_large(&self) -> Fault {
        let motions = self.links[1..].iter().map(|group| group.motion);
        let cosines = motions.flat_map(|[one, other]| one.q.dot(other.q).0);
        Fault {
            cause: Cause::TooLarge,
            body: cosines.take(self.n).position(|cosine| cosine < 0.0),
        }
    }

    /// The first link that is no longer finite, as a fault.
    #[cold]
    fn check(&self) -> Result<(), Fault> {
        let (mut q, mut p) = (Vec::new(), Vec::new());
        for motion in self.links[1..].iter().map(|group| &group.motion[1 - self.now]) {
            for l in 0..W {
                q.extend([motion.q.x.0[l], motion.q.y.0[l], motion.q.z.0[l]]);
                p.extend([motion.p.x.0[l], motion.p.y.0[l], motion.p.z.0[l]]);
            }
        }
        check_finite(&q[..3 * self.n], &p[..3 * self.n], self.n)
    }
}

impl<const W: usize> links::LinkMotion<W> {
    /// Zero where all is finite, and what is not a number elsewhere.
    #[inline(always)]
    fn strays(&self) -> Lanes<W> {
        let sum = (self.q.x + self.q.y + self.q.z) + (self.p.x + self.p.y + self.p.z);
        sum.stray()
    }
}

/// `π − h q × ∂V`, made perpendicular to q.
#[inline(always)]
fn kicked<const W: usize>(q: Vectors<W>, p: Vectors<W>, gradient: Vectors<W>, h: Lanes<W>) -> Vectors<W> {
    let p = p - q.cross(gradient) * h;
    p - q * q.dot(p)
}

fn vectors(list: &[f64]) -> &[[f64; 3]] {
    list.as_chunks().0
}
