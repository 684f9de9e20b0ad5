//! Short chains of point masses in a uniform field, in eight states side by side: the equations of [`super::tension`]
//! and [`super::Steps`], a lane for each state.
//!
//! Lanes that need more corrections than others go on alone, and those that are done keep what they have. A step that
//! fails in one lane is left to [`super::Steps`], which knows how to begin it in another way.
#![expect(
    clippy::needless_range_loop,
    reason = "closures of iterators are not inlined into a kernel"
)]
use super::{
    FROM_A_GUESS, Steps,
    past::{MOST, PER_LINK, PastTensions},
    tension::{LAST_RESIDUAL, SMALL_RESIDUAL},
    tridiagonal::{factor, solve},
};
use crate::{
    geometry::s2,
    integrator::Member,
    simd::{Kernel, LANES, Level, Triple, Vector, in_all_lanes, load, store},
    spheres::view,
};

/// The longest chain that is taken side by side: the links of a longer one are.
const LONGEST: usize = 3;

/// A link, in all lanes.
#[derive(Clone, Copy)]
struct Link {
    length: f64,
    inverse_length: f64,
    inverse_mass: f64,
    carries_next: f64,
    inverse_parent: f64,
    gradient: Triple<f64>,
}

/// A link in eight states: q, π, a and μ of the steps before, the last one first.
#[derive(Clone, Copy)]
struct LinkStates {
    q: [[f64; LANES]; 3],
    p: [[f64; LANES]; 3],
    along: [f64; LANES],
    rates: [[f64; LANES]; MOST],
}

/// What steps of a group led to.
struct Chains<const N: usize> {
    links: [LinkStates; N],
    past: PastTensions,
    t: [f64; LANES],
    good: bool,
    /// Iterations of each lane, altogether and in one step at most.
    iterations: [u64; LANES],
    most: [u32; LANES],
}

impl<const W: usize> Steps<W> {
    /// Takes steps of a group of states; whether all could be taken.
    pub(super) fn together(
        &self,
        gradient: &[crate::Vec3],
        substeps: &[f64],
        group: &mut [&mut Member],
        h: f64,
        steps: u64,
    ) -> bool {
        match (self.n, &self.held) {
            (1, None) => self.row::<1>(gradient, substeps, group, h, steps),
            (2, None) => self.row::<2>(gradient, substeps, group, h, steps),
            (LONGEST, None) => self.row::<LONGEST>(gradient, substeps, group, h, steps),
            _ => false,
        }
    }

    fn row<const N: usize>(
        &self,
        gradient: &[crate::Vec3],
        substeps: &[f64],
        group: &mut [&mut Member],
        h: f64,
        steps: u64,
    ) -> bool {
        let Some(mut chains) = Chains::<N>::gather(group) else {
            return false;
        };
        let links = std::array::from_fn(|i| {
            let (of, l) = (&self.links[i / W + 1], i % W);
            Link {
                length: of.length.0[l],
                inverse_length: of.inverse_length.0[l],
                inverse_mass: of.inverse_mass.0[l],
                carries_next: of.carries_next.0[l],
                inverse_parent: of.inverse_parent.0[l],
                gradient: gradient[i].into(),
            }
        });
        Level::best().run(Row {
            links,
            substeps,
            h,
            steps,
            max_iterations: self.max_iterations,
            chains: &mut chains,
        });
        if chains.good {
            chains.scatter(group, steps, substeps.len());
        }
        chains.good
    }
}

impl<const N: usize> Chains<N> {
    /// The states of a group; `None` where their steps before were not alike.
    fn gather(group: &[&mut Member]) -> Option<Self> {
        let none = LinkStates {
            q: [[0.0; LANES]; 3],
            p: [[0.0; LANES]; 3],
            along: [0.0; LANES],
            rates: [[0.0; LANES]; MOST],
        };
        let mut links = [none; N];
        let mut common = None;
        let mut t = [0.0; LANES];
        for l in 0..LANES {
            let state = &group.get(l).unwrap_or(&group[0]).state;
            let (q, p) = (view(&state.q), view(&state.p));
            let recalled = PastTensions::recall(state);
            let past = recalled.map_or_else(PastTensions::default, |(past, _)| past);
            if *common.get_or_insert(past) != past {
                return None;
            }
            t[l] = state.t;
            for (i, link) in links.iter_mut().enumerate() {
                for k in 0..3 {
                    link.q[k][l] = q[i][k];
                    link.p[k][l] = p[i][k];
                }
                if let Some((_, kept)) = recalled {
                    let [along, rates @ ..] = kept[i];
                    link.along[l] = along;
                    (0..MOST).for_each(|j| link.rates[j][l] = rates[j]);
                }
            }
        }
        Some(Self {
            links,
            past: common?,
            t,
            good: false,
            iterations: [0; LANES],
            most: [0; LANES],
        })
    }

    fn scatter(&self, group: &mut [&mut Member], steps: u64, substeps: usize) {
        for (l, member) in group.iter_mut().enumerate() {
            let state = &mut member.state;
            for (i, link) in self.links.iter().enumerate() {
                for k in 0..3 {
                    state.q[3 * i + k] = link.q[k][l];
                    state.p[3 * i + k] = link.p[k][l];
                }
            }
            state.t = self.t[l];
            let each = self.links.iter().map(|link| {
                let mut kept = [link.along[l]; PER_LINK];
                (0..MOST).for_each(|j| kept[j + 1] = link.rates[j][l]);
                kept
            });
            self.past.store(state, each);
            let work = &mut member.work;
            work.count_explicit(steps, substeps as u32);
            work.iterations += self.iterations[l];
            work.max_iterations = work.max_iterations.max(self.most[l]);
        }
    }
}

struct Row<'a, const N: usize> {
    links: [Link; N],
    substeps: &'a [f64],
    h: f64,
    steps: u64,
    max_iterations: u32,
    chains: &'a mut Chains<N>,
}

/// A link on its way through a row of steps.
#[derive(Clone, Copy)]
struct Moving<V> {
    q: Triple<V>,
    p: Triple<V>,
    along: V,
    rates: [V; MOST],
    gradient: Triple<V>,
    kicked: Triple<V>,
    driven: Triple<V>,
    tension: V,
}

impl<const N: usize> Kernel for Row<'_, N> {
    #[inline(always)]
    fn run<V: Vector>(self, token: V::Token) {
        let zero = V::all(token, 0.0);
        let none = in_all_lanes(
            token,
            Triple {
                x: 0.0,
                y: 0.0,
                z: 0.0,
            },
        );
        let still = Moving {
            q: none,
            p: none,
            along: zero,
            rates: [zero; MOST],
            gradient: none,
            kicked: none,
            driven: none,
            tension: zero,
        };
        let mut links = [still; N];
        for i in 0..N {
            let states = &self.chains.links[i];
            links[i].q = load(token, &states.q);
            links[i].p = load(token, &states.p);
            links[i].along = V::load(token, &states.along);
            for j in 0..MOST {
                links[i].rates[j] = V::load(token, &states.rates[j]);
            }
            links[i].gradient = in_all_lanes(token, self.links[i].gradient);
        }
        let mut solver = Solver::<V, N>::new(&self.links, zero, none);
        let mut past = self.chains.past;
        let mut t = V::load(token, &self.chains.t);
        for _ in 0..self.steps {
            let mut iterations = [0; LANES];
            for gamma in self.substeps {
                let h = gamma * self.h;
                prepare(&mut links, &self.links, &past, h);
                if !solver.solve(&mut links, &past, self.max_iterations, &mut iterations) {
                    return;
                }
                solver.turn(&mut links, &past, h);
                past = past.next(h);
            }
            for l in 0..LANES {
                self.chains.iterations[l] += u64::from(iterations[l]);
                self.chains.most[l] = self.chains.most[l].max(iterations[l]);
            }
            t = t + self.h;
        }
        // What is not finite never becomes so again, so that it is enough to look at the end.
        let mut sum = solver.too_large;
        for i in 0..N {
            let link = &links[i];
            sum = sum + ((link.q.x + link.q.y + link.q.z) + (link.p.x + link.p.y + link.p.z));
        }
        self.chains.good = (sum * 0.0).are_within(0.0);
        for i in 0..N {
            let (link, states) = (&links[i], &mut self.chains.links[i]);
            store(link.q, &mut states.q);
            store(link.p, &mut states.p);
            link.along.store(&mut states.along);
            for j in 0..MOST {
                link.rates[j].store(&mut states.rates[j]);
            }
        }
        self.chains.past = past;
        t.store(&mut self.chains.t);
    }
}

/// π̃ and c/ℓ, and what the tensions will be about.
#[inline(always)]
fn prepare<V: Vector, const N: usize>(
    links: &mut [Moving<V>; N],
    constants: &[Link; N],
    past: &PastTensions,
    h: f64,
) {
    let (weights, change) = (past.weights(h), past.change(h));
    for i in 0..N {
        let (link, of) = (&mut links[i], &constants[i]);
        link.kicked = link.p - link.q.cross(link.gradient).scaled(0.5 * h);
        link.driven = link.kicked.cross(link.q).scaled(h * of.inverse_length);
        let [a, b, c, d] = link.rates;
        let rate = (a * weights[0] + b * weights[1]) + (c * weights[2] + d * weights[3]);
        link.tension = (link.along + rate * change) * h;
    }
}

/// Newton's method in the tensions.
struct Solver<'a, V, const N: usize> {
    links: &'a [Link; N],
    zero: V,
    none: Triple<V>,
    below: [V; 5],
    own: [V; 5],
    above: [V; 5],
    pivot: [V; 5],
    x: [V; 5],
    /// Not a number in lanes where a link turned by more than 90° once.
    too_large: V,
}

impl<'a, V: Vector, const N: usize> Solver<'a, V, N> {
    #[inline(always)]
    fn new(links: &'a [Link; N], zero: V, none: Triple<V>) -> Self {
        Self {
            links,
            zero,
            none,
            below: [zero; 5],
            own: [zero; 5],
            above: [zero; 5],
            pivot: [zero; 5],
            x: [zero; 5],
            too_large: zero,
        }
    }

    /// Tᵢ.
    #[inline(always)]
    fn pulls(&self, links: &[Moving<V>; N]) -> [Triple<V>; N] {
        // Loops: what a closure of the standard library calls is not inlined here, and would not be vectors.
        let mut pulls = [self.none; N];
        for i in 0..N {
            pulls[i] = links[i].driven + links[i].q * links[i].tension;
        }
        pulls
    }

    /// Δᵢ.
    #[inline(always)]
    fn displacement(&self, pulls: &[Triple<V>; N], i: usize) -> Triple<V> {
        let of = &self.links[i];
        let before = if i > 0 { pulls[i - 1] } else { self.none };
        let beyond = if i + 1 < N { pulls[i + 1] } else { self.none };
        let end = (pulls[i] - beyond.scaled(of.carries_next)).scaled(of.inverse_mass);
        let base = (before - pulls[i]).scaled(of.inverse_parent);
        // No gap: where nothing is held, nothing is closed.
        (end - base).scaled(of.inverse_length) + self.none
    }

    /// Newton's right side and, if asked for, its matrix; the largest residual of each lane. If not `bent`, the
    /// equations are `qᵢ·Δᵢ = 0`.
    #[inline(always)]
    fn evaluate(&mut self, links: &[Moving<V>; N], bent: bool, matrix: bool) -> [f64; LANES] {
        let pulls = self.pulls(links);
        let mut largest = [0.0; LANES];
        let mut undefined = self.zero;
        for i in 0..N {
            let of = &self.links[i];
            let delta = self.displacement(&pulls, i);
            let q = links[i].q;
            let (next, residual) = match bent {
                true => (q + delta, (q + delta.scaled(0.5)).dot(delta)),
                false => (q, q.dot(delta)),
            };
            let mut sizes = [0.0; LANES];
            residual.store(&mut sizes);
            for l in 0..LANES {
                let size = sizes[l].abs();
                largest[l] = if size <= largest[l] { largest[l] } else { size };
            }
            undefined = undefined + residual * 0.0;
            if matrix {
                let (mass, parent) = (of.inverse_mass, of.inverse_parent);
                let inner = if i > 0 { links[i - 1].q } else { self.none };
                let outer = if i + 1 < N { links[i + 1].q } else { self.none };
                self.below[i + 1] = self.zero - next.dot(inner) * parent;
                self.own[i + 1] = next.dot(q) * (mass + parent);
                self.above[i + 1] = self.zero - next.dot(outer) * (mass * of.carries_next);
            }
            self.x[i + 1] = self.zero - residual * of.length;
        }
        let mut stray = [0.0; LANES];
        undefined.store(&mut stray);
        for l in 0..LANES {
            largest[l] += stray[l];
        }
        largest
    }

    #[inline(always)]
    fn factor(&mut self) {
        factor(N, [&self.below, &self.own, &self.above], &mut self.pivot);
    }

    /// Solves Newton's system and adds to the tensions of the lanes that are not done.
    #[inline(always)]
    fn correct(&mut self, links: &mut [Moving<V>; N], lanes: u8) {
        solve(N, [&self.below, &self.own, &self.above], &self.pivot, &mut self.x);
        for i in 0..N {
            let tension = links[i].tension;
            links[i].tension = chosen(lanes, tension + self.x[i + 1], tension);
        }
    }

    /// The tensions, as [`super::tension::solve`] finds them; `false` if a lane has none.
    #[inline(always)]
    fn solve(
        &mut self,
        links: &mut [Moving<V>; N],
        past: &PastTensions,
        max_iterations: u32,
        iterations: &mut [u32; LANES],
    ) -> bool {
        let guess = past.is_enough();
        let most = match guess {
            true => max_iterations.min(FROM_A_GUESS),
            false => max_iterations,
        };
        let mut iteration = 0;
        if !guess {
            for i in 0..N {
                links[i].tension = self.zero;
            }
            self.evaluate(links, false, true);
            self.factor();
            self.correct(links, u8::MAX);
            iteration += 1;
        }
        // Lanes that are not done, those that take a new matrix, and the residual at which the others took theirs.
        let (mut active, mut fresh) = (u8::MAX, u8::MAX);
        let mut of_matrix = [0.0; LANES];
        loop {
            let residual = if active & fresh == 0 {
                self.evaluate(links, true, false)
            } else if active & !fresh == 0 {
                let residual = self.evaluate(links, true, true);
                self.factor();
                residual
            } else {
                let old = (self.below, self.own, self.above);
                let residual = self.evaluate(links, true, true);
                for i in 1..=N {
                    self.below[i] = chosen(fresh, self.below[i], old.0[i]);
                    self.own[i] = chosen(fresh, self.own[i], old.1[i]);
                    self.above[i] = chosen(fresh, self.above[i], old.2[i]);
                }
                self.factor();
                residual
            };
            let (mut done, mut renewed) = (0, 0);
            for l in 0..LANES {
                let is_active = active & (1 << l) != 0;
                let is_fresh = fresh & (1 << l) != 0;
                if is_active && !(residual[l].is_finite() && iteration < most) {
                    return false;
                }
                // A new matrix leaves the square of its residual, an old one the product of both.
                let left = residual[l] * if is_fresh { residual[l] } else { of_matrix[l] };
                if !is_fresh || residual[l] > SMALL_RESIDUAL {
                    renewed |= 1 << l;
                }
                of_matrix[l] = residual[l];
                if left <= LAST_RESIDUAL * LAST_RESIDUAL {
                    done |= 1 << l;
                }
                iterations[l] += u32::from(is_active);
            }
            self.correct(links, active);
            fresh = renewed;
            iteration += 1;
            active &= !done;
            if active == 0 {
                break;
            }
        }
        if !guess {
            iterations.iter_mut().for_each(|count| *count += 1);
        }
        true
    }

    /// q⁺ and π⁺, and what the motion tells about the tensions to come.
    #[inline(always)]
    fn turn(&mut self, links: &mut [Moving<V>; N], past: &PastTensions, h: f64) {
        let tells = past.tells(h);
        let inverse_change = if tells { 1.0 / past.change(h) } else { 0.0 };
        let inverse = 1.0 / h;
        let pulls = self.pulls(links);
        for i in 0..N {
            let delta = self.displacement(&pulls, i);
            let of = &self.links[i];
            let link = &mut links[i];
            // Beyond 90° the solution is on the wrong branch: 1 − |q·Δ| is negative, and its root is not a number.
            let cosine = link.q.dot(delta);
            self.too_large = self.too_large + (cosine.constant(1.0) - cosine * cosine).sqrt() * 0.0;
            let moved = link.q + delta;
            let q = moved + moved * (s2::lacking(moved) * 0.5);
            let momentum = pulls[i].scaled(inverse);
            let turned = link.kicked + delta.cross(momentum.scaled(of.length));
            let rate = (link.tension * inverse - link.along) * inverse_change;
            if tells {
                link.rates = [rate, link.rates[0], link.rates[1], link.rates[2]];
            }
            link.along = momentum.dot(q);
            let p = turned - q.cross(link.gradient).scaled(0.5 * h);
            link.p = p - q * q.dot(p);
            link.q = q;
        }
    }
}

/// One number or the other, lane by lane.
#[inline(always)]
fn chosen<V: Vector>(lanes: u8, one: V, other: V) -> V {
    if lanes == u8::MAX {
        return one;
    }
    let mut lane = 0;
    let [found] = V::lane_by_lane([one, other], |[one, other]| {
        let is_one = lanes & (1 << lane) != 0;
        lane += 1;
        [if is_one { one } else { other }]
    });
    found
}
