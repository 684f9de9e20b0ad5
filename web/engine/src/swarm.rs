//! Copies of a run that start a little apart, to show how fast a motion forgets where it came from.
use crate::{loading::MOST_TRACED, run::Run};
use holonomy::{
    integrator::{Integrator, Member},
    scene::Poses,
    system::{Scratch, State, System},
};
use serde::Serialize;
use std::sync::Arc;

/// Many states that are advanced by one integrator.
pub(crate) struct Swarm {
    members: Vec<Member>,
    integrator: Box<dyn Integrator>,
    system: Arc<dyn System>,
    scratch: Scratch,
    poses: Poses,
    velocity: Vec<f64>,
    /// Points of the scene that are shown of every copy.
    shown: Vec<usize>,
    /// t₀, h and k of the copies' clock.
    origin: f64,
    step: f64,
    count: u64,
}

/// What a frame of a swarm holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SwarmSizes {
    /// Copies.
    pub count: usize,
    /// Points of the scene that are shown of each.
    pub shown: Vec<usize>,
    /// Coordinates of each.
    pub q: usize,
    /// Velocities of each.
    pub v: usize,
}

/// Sites that are all shown; of more only the last is.
const FEW_SITES: usize = 4;
/// Numbers of all copies together: of large systems there are fewer.
const MOST_ENTRIES: usize = 400_000;

impl Swarm {
    /// So many copies around where a run is, apart by `spread` in its coordinates; in its speed where there are
    /// constraints.
    pub(crate) fn new(run: &Run, count: usize, spread: f64) -> Self {
        let system = run.simulation.system().clone();
        let state = &run.simulation.state;
        let mut integrator = run.model.integrator();
        let (origin, step) = (run.simulation.origin(), run.step());
        let mut steps = run.simulation.steps();
        let free = system.is_canonical() && system.layout().multipliers.is_empty();
        let mut centre = state.clone();
        // What rests has no speed to change: one step later it has.
        if !free && state.p.iter().all(|p| *p == 0.0) && integrator.attempt(&mut centre, step).is_ok() {
            steps += 1;
        }
        centre.carry.clear();
        let count = count.min(MOST_ENTRIES / centre.q.len().max(1)).max(1);
        let mut noise = Noise(1);
        let members = (0..count).map(|_| match free {
            true => {
                let (mut x, y) = system.canonical(&centre.q, &centre.q, &centre.p);
                x.iter_mut().for_each(|x| *x += spread * noise.next());
                let (q, p) = system.state_from_canonical(&centre.q, &x, &y);
                Member::from(State::new(centre.t, q, p))
            }
            false => {
                let mut copy = centre.clone();
                let factor = 1.0 + spread * noise.next();
                copy.p.iter_mut().for_each(|p| *p *= factor);
                Member::from(copy)
            }
        });
        let sites = system
            .layout()
            .drawing
            .followed()
            .min(system.scene().points.len());
        let first = if sites > FEW_SITES { sites - 1 } else { 0 };
        Self {
            members: members.collect(),
            integrator,
            scratch: system.scratch(),
            poses: Poses::default(),
            velocity: vec![0.0; system.layout().velocities.len()],
            shown: (first..sites).collect(),
            origin,
            step,
            count: steps,
            system,
        }
    }

    /// Takes all steps that end by a time. Copies that fail stay where they are.
    pub(crate) fn advance_to(&mut self, t: f64) {
        let all = (t - self.origin) / self.step + 1e-6;
        let due = (all.max(0.0) as u64).saturating_sub(self.count);
        for Member { state, work, fault } in &mut self.members {
            let before = work.steps;
            while fault.is_none() && work.steps < before + due {
                let left = before + due - work.steps;
                *fault = self.integrator.advance(state, self.step, left, work).err();
                state.t = self.origin + (self.count + (work.steps - before)) as f64 * self.step;
            }
        }
        self.count += due;
    }

    /// Writes points, coordinates and velocities of all copies, and their spread.
    pub(crate) fn frame(&mut self, floats: &mut Vec<f32>) -> SwarmSizes {
        floats.clear();
        for Member { state, .. } in &self.members {
            self.system.poses(state, &mut self.poses, &mut self.scratch);
            let points = self.shown.iter().filter_map(|k| self.poses.points.get(*k));
            floats.extend(points.flatten().map(|x| *x as f32));
        }
        let [q, v] =
            [self.system.layout().coordinates.len(), self.velocity.len()].map(|n| n.min(MOST_TRACED));
        for Member { state, .. } in &self.members {
            floats.extend(state.q.iter().take(q).map(|x| *x as f32));
        }
        for Member { state, .. } in &self.members {
            let State { t, q, p, .. } = state;
            self.system
                .velocity(*t, q, p, &mut self.velocity, &mut self.scratch);
            floats.extend(self.velocity.iter().take(v).map(|x| *x as f32));
        }
        let spread = self.spread();
        floats.push(spread as f32);
        SwarmSizes {
            count: self.members.len(),
            shown: self.shown.clone(),
            q,
            v,
        }
    }

    /// Root mean square distance of the copies to their mean: of the last point, or else of the coordinates.
    fn spread(&mut self) -> f64 {
        let n = self.members.len() as f64;
        let (mut sum, mut squares) = (Vec::new(), 0.0);
        // Differences from the first, so that nothing is lost where they are close together.
        let mut first: Vec<f64> = Vec::new();
        for Member { state, .. } in &self.members {
            let place: Vec<f64> = match self.shown.last() {
                Some(last) => {
                    self.system.poses(state, &mut self.poses, &mut self.scratch);
                    self.poses
                        .points
                        .get(*last)
                        .map_or_else(Vec::new, |point| point.to_vec())
                }
                None => state.q.clone(),
            };
            if first.is_empty() {
                first.clone_from(&place);
                sum = vec![0.0; place.len()];
            }
            for ((sum, x), first) in sum.iter_mut().zip(&place).zip(&first) {
                *sum += x - first;
                squares += (x - first) * (x - first);
            }
        }
        let mean: f64 = sum.iter().map(|sum| (sum / n) * (sum / n)).sum();
        (squares / n - mean).max(0.0).sqrt()
    }
}

/// Numbers between −1 and 1 that look random and are always the same: SplitMix64.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}
