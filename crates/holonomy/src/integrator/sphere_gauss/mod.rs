//! Gauss collocation on (S²)ⁿ, of order 2s with s stages.
//!
//! ```text
//! H(q, p) on R⁶ⁿ, a function of q and q × p alone, with H(q, p) = Ĥ(q, π) where |q| = 1, π = q × p
//! Lⱼ = h bⱼ (∂H/∂p, −∂H/∂q)(Yⱼ),    Yᵢ = (q, p) + Σⱼ (aᵢⱼ/bⱼ) Lⱼ,    (q, p)⁺ = (q, p) + Σⱼ Lⱼ
//! ```
//! begun with `p = π × q` and ended with `π = q × p`. Why it works: H commutes with |qᵢ|²/2, whose flow adds multiples of
//! qᵢ to pᵢ and changes nothing else. Methods of Gauss keep quadratic invariants, so |qᵢ| = 1 and Σ qᵢ × pᵢ stay; they
//! are symplectic on R⁶ⁿ and commute with linear symplectic maps as that flow, so they are on what |q| = 1 leaves of
//! R⁶ⁿ once such multiples do not count: the phase space of the mechanism. H off the sphere may be what is cheapest:
//! [`chain`] for chains of point masses and separate bodies, [`general`] for any inertia.
mod chain;
mod general;
#[cfg(not(target_arch = "wasm32"))]
mod linearised;
mod motion;
mod row;
mod rule;
#[cfg(not(target_arch = "wasm32"))]
mod slopes;
// A page advances one state: its engine is to be small.
#[cfg(not(target_arch = "wasm32"))]
mod together;

use super::{Fault, Integrator, StepInfo, Work, force::Force};
use crate::{
    Vec3,
    simd::{LANES, Level},
    spheres::{Inertia, Spheres},
    system::State,
};
use chain::{Chain, Joint};
use general::General;
use motion::Motion;
use row::{Row, Stop};
use rule::Rule;
use std::sync::Arc;

/// Gauss collocation on (S²)ⁿ.
pub struct SphereGauss {
    rule: Rule,
    way: Way,
    force: Force,
    stop: Stop,
    level: Level,
    motion: Motion,
    scratch: Scratch,
    #[cfg(not(target_arch = "wasm32"))]
    group: together::Group,
    #[cfg(not(target_arch = "wasm32"))]
    taken: linearised::Taken,
}

/// How rates are found.
enum Way {
    Chain(Chain),
    General(Box<General>),
}

/// What a step works with; a number in a lane for each stage.
struct Scratch {
    /// Yᵢ and Lᵢ.
    values: Vec<[f64; LANES]>,
    pulses: Vec<[f64; LANES]>,
    /// −∂V.
    forces: Vec<[f64; LANES]>,
    unit: Vec<Vec3>,
    joints: Vec<Joint>,
}

/// The correction after which one more would be below rounding.
const TO_ROUNDING: f64 = 4e-17;
const MAX_ITERATIONS: u32 = 100;

impl SphereGauss {
    /// Of order 8 or 16; `None` for others, and where a tip is held. Corrections end when the next would turn bodies by
    /// less than the tolerance; usually that is rounding.
    pub fn new(
        system: Arc<Spheres>,
        order: u32,
        tolerance: Option<f64>,
        max_iterations: Option<u32>,
    ) -> Option<Self> {
        if !(order == 8 || order == 16) || system.held().is_some() {
            return None;
        }
        let n = system.len();
        let chain = match system.inertia() {
            Inertia::Links(links) => Chain::new(links),
            Inertia::Dense { .. } => None,
        };
        let force = Force::new(system.clone());
        let mut forces = vec![[0.0; LANES]; 3 * n];
        if let Some(gradient) = force.uniform() {
            let each = gradient.iter().flat_map(|gradient| gradient.iter());
            forces
                .iter_mut()
                .zip(each)
                .for_each(|(force, x)| *force = [-x; LANES]);
        }
        let none = vec![[0.0; LANES]; chain::PER_LINK * n];
        Some(Self {
            rule: Rule::new(order as usize / 2),
            way: chain.map_or_else(|| Way::General(Box::new(General::new(system))), Way::Chain),
            force,
            stop: Stop::new(
                n,
                tolerance.unwrap_or(0.0).max(TO_ROUNDING),
                max_iterations.unwrap_or(MAX_ITERATIONS),
            ),
            level: Level::best(),
            motion: Motion::default(),
            scratch: Scratch {
                values: none.clone(),
                pulses: none,
                forces,
                unit: Vec::new(),
                joints: vec![Joint::default(); n],
            },
            #[cfg(not(target_arch = "wasm32"))]
            group: together::Group::default(),
            #[cfg(not(target_arch = "wasm32"))]
            taken: linearised::Taken::default(),
        })
    }

    fn row<const N: usize, const S: usize>(
        &mut self,
        h: f64,
        count: u64,
        t: &mut f64,
        work: &mut Work,
    ) -> Result<(), Fault> {
        let mut result = Ok(());
        self.level.run(Row::<N, S> {
            method: self,
            h,
            count,
            t,
            work,
            result: &mut result,
        });
        result
    }
}

impl Integrator for SphereGauss {
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        Work::of_one(|work| self.advance(state, h, 1, work))
    }

    fn advance(&mut self, state: &mut State, h: f64, count: u64, work: &mut Work) -> Result<(), Fault> {
        let before = work.steps;
        self.motion.enter(state, self.rule.stages);
        let mut t = state.t;
        // The same arithmetic: what is known of their number makes small ones faster.
        let result = match (self.rule.stages, self.scratch.joints.len()) {
            #[cfg(not(target_arch = "wasm32"))]
            (8, 1) => self.row::<1, 8>(h, count, &mut t, work),
            #[cfg(not(target_arch = "wasm32"))]
            (8, 2) => self.row::<2, 8>(h, count, &mut t, work),
            #[cfg(not(target_arch = "wasm32"))]
            (8, 3) => self.row::<3, 8>(h, count, &mut t, work),
            _ => self.row::<0, 0>(h, count, &mut t, work),
        };
        if work.steps > before {
            state.t = t;
            self.motion.leave(state, self.rule.stages);
        }
        result
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn differentiable(&mut self) -> Option<&mut dyn crate::derivative::Differentiable> {
        self.has_derivatives().then_some(self)
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn advance_many(&mut self, members: &mut [super::Member], h: f64, count: u64) {
        super::together::in_groups(self, members, h, count, |method, group, steps| {
            method.together(group, h, steps)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        integrator::Member,
        spheres::{Body, SpheresParts},
    };

    fn chain(n: usize) -> Arc<Spheres> {
        let bodies = (0..n).map(|i| Body::point(format!("{i}"), 1.0 + 0.1 * i as f64, 1.0));
        let parts = SpheresParts {
            gravity: Vec3::z() * 9.81,
            ..SpheresParts::chain(bodies)
        };
        Arc::new(Spheres::new(parts).unwrap_or_else(|e| panic!("{e}")))
    }

    fn starts(system: &Spheres, count: usize) -> Vec<Member> {
        let start = |k: usize| {
            let directions: Vec<Vec3> = (0..system.len())
                .map(|i| Vec3::new(0.3 + 0.1 * k as f64, 0.2 * i as f64, 0.8).normalize())
                .collect();
            let omega: Vec<Vec3> = directions.iter().map(|q| q.cross(&Vec3::y())).collect();
            let state = system
                .state(&directions, &omega)
                .unwrap_or_else(|e| panic!("{e}"));
            Member::from(state)
        };
        (0..count).map(start).collect()
    }

    /// One by one at the lowest level, and side by side at every other: all of the states, and what they cost.
    #[test]
    fn bits_do_not_depend_on_vector_instructions_or_company() {
        for (order, n) in [(8, 1), (8, 2), (8, 3), (8, 5), (16, 1), (16, 2), (16, 3), (16, 4)] {
            let system = chain(n);
            let run = |level: Level, many: bool| {
                let mut method = SphereGauss::new(system.clone(), order, None, None).expect("it fits");
                method.level = level;
                let mut members = starts(&system, 11);
                match many {
                    true => method.advance_many(&mut members, 0.05, 70),
                    false => super::super::advance_each(&mut method, &mut members, 0.05, 70),
                }
                assert!(
                    members
                        .iter()
                        .all(|member| member.fault.is_none() && member.work.steps == 70)
                );
                members
            };
            let plain = run(Level::BASELINE, false);
            for level in Level::available() {
                for many in [false, true] {
                    assert_eq!(
                        run(level, many),
                        plain,
                        "order {order}, {n} links, {level:?}, {many}"
                    );
                }
            }
        }
    }
}
