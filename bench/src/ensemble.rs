//! Many pendula from different starts: the k-th of N begins with (½ + k/2N) of the velocities of the model.
use crate::{
    kernel::{
        pendula::{LANES, Pendula},
        pendulum::Pendulum,
    },
    work::row_model,
};
use holonomy::{integrator::Member, system::State};
use holonomy_model::Model;
use rayon::prelude::*;
use std::time::Instant;

/// What is to be done: `pendulum` or `double`, by a method or by `kernel`.
pub struct Ensemble<'a> {
    /// The system.
    pub system: &'a str,
    /// The method.
    pub method: &'a str,
    /// The step, s.
    pub step: f64,
    /// Steps of each.
    pub steps: u64,
    /// How many.
    pub count: usize,
    /// Threads.
    pub threads: usize,
}

/// Members of one task.
const TASK: usize = 256;
/// The fastest of so many laps counts.
const LAPS: usize = 3;

impl Ensemble<'_> {
    /// Seconds of the fastest lap, and the directions at the end of a thousand members.
    pub fn run(&self) -> Result<(f64, Vec<f64>), String> {
        let model = row_model(self.system)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build();
        let pool = pool.map_err(|e| e.to_string())?;
        let mut best = (f64::INFINITY, Vec::new());
        for _ in 0..LAPS {
            let (seconds, ends) = pool.install(|| match self.method {
                "kernel" => self.by_kernel(&model),
                _ => self.by_engine(&model),
            })?;
            if seconds < best.0 {
                best = (seconds, ends);
            }
        }
        Ok(best)
    }

    fn start(&self, model: &Model, k: usize) -> State {
        let mut state = model.state.clone();
        let share = 0.5 + 0.5 * k as f64 / self.count as f64;
        state.p.iter_mut().for_each(|p| *p *= share);
        state
    }

    fn by_engine(&self, model: &Model) -> Result<(f64, Vec<f64>), String> {
        let model = model
            .with("method.name", self.method)
            .map_err(|e| e.to_string())?;
        let mut members: Vec<Member> = (0..self.count).map(|k| self.start(&model, k).into()).collect();
        let begun = Instant::now();
        members.par_chunks_mut(TASK).for_each(|some| {
            model.integrator().advance_many(some, self.step, self.steps);
        });
        let seconds = begun.elapsed().as_secs_f64();
        if let Some(fault) = members.iter().find_map(|member| member.fault.as_ref()) {
            return Err(format!("{fault:?}"));
        }
        Ok((seconds, self.some(|k| members[k].state.q.clone())))
    }

    fn by_kernel(&self, model: &Model) -> Result<(f64, Vec<f64>), String> {
        if self.system != "pendulum" {
            return Err("the kernel has pendula only".to_owned());
        }
        // As in `work.rs`: m = l = 1, ∂V = −g.
        let each = Pendulum {
            q: [0.0; 3],
            p: [0.0; 3],
            inertia: 1.0,
            gradient: [0.0, 0.0, -9.81],
        };
        let mut groups: Vec<Pendula> = (0..self.count.div_ceil(LANES))
            .map(|group| {
                let states: Vec<State> = (0..LANES).map(|l| self.start(model, group * LANES + l)).collect();
                let lanes =
                    |of: fn(&State) -> &[f64]| [0, 1, 2].map(|k| std::array::from_fn(|l| of(&states[l])[k]));
                Pendula {
                    q: lanes(|state| &state.q),
                    p: lanes(|state| &state.p),
                    each,
                }
            })
            .collect();
        let begun = Instant::now();
        let tasks = groups.par_chunks_mut(TASK / LANES);
        tasks.for_each(|some| some.iter_mut().for_each(|group| group.run(self.step, self.steps)));
        let seconds = begun.elapsed().as_secs_f64();
        let end = |k: usize| groups[k / LANES].q.map(|lane| lane[k % LANES]).to_vec();
        Ok((seconds, self.some(end)))
    }

    fn some(&self, end: impl Fn(usize) -> Vec<f64>) -> Vec<f64> {
        let stride = self.count.div_ceil(1000);
        (0..self.count).step_by(stride).flat_map(end).collect()
    }
}
