//! Implicit variational integrator on (S²)ⁿ for any constant inertia.
//!
//! ```text
//! π̃ᵢ = πᵢ − ½h qᵢ × ∂ᵢV(q)
//! qᵢ × Σⱼ Mᵢⱼ Δⱼ = h π̃ᵢ,   qⱼ⁺ = qⱼ + Δⱼ ∈ S²                           (3.10)
//! πᵢ⁺ = π̃ᵢ + h⁻¹ Δᵢ × Σⱼ Mᵢⱼ Δⱼ − ½h qᵢ⁺ × ∂ᵢV(q⁺)
//! ```
//! Lee, Leok & McClamroch (2009), Corollary 2. The last line is (3.9) with (3.10) put in: it adds
//! small increments, and their sum over the bodies vanishes by the symmetry of M, so the total
//! momentum is conserved however well (3.10) is solved.
//!
//! Two ways to solve (3.10): [`cayley`] for any inertia, [`chain`] for chains of point masses, also with both ends held.
mod cayley;
mod chain;
#[cfg(not(target_arch = "wasm32"))]
mod linearised;

use super::{Cause, Composition, Fault, Integrator, StepInfo, Work, composition::substeps, force::Force};
use crate::{
    Vec3,
    geometry::s2,
    spheres::{Inertia, Spheres, view, view_mut},
    system::State,
};
use cayley::Cayley;
use chain::Chain;
use std::sync::Arc;

/// Implicit variational integrator on (S²)ⁿ.
pub struct SphereImplicit {
    force: Force,
    way: Way,
    /// For derivatives.
    #[cfg(not(target_arch = "wasm32"))]
    solver: Solver,
    #[cfg(not(target_arch = "wasm32"))]
    taken: linearised::Taken,
}

/// How a step is taken.
enum Way {
    General(Box<General>),
    /// With the substeps of a step.
    Chain(Box<Chain>, &'static [f64]),
}

/// Any inertia.
struct General {
    equations: Cayley,
    kicked: Vec<Vec3>,
    motion: Displacements,
    next_q: Vec<f64>,
    next_p: Vec<f64>,
}

/// How the nonlinear equations are solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solver {
    /// Newton's method, to round-off.
    Newton {
        /// Give up after this many.
        max_iterations: u32,
    },
    /// The iteration of the paper: freeze f in the matrix of (3.16) and solve for f.
    FixedPoint {
        /// Stop when no component of f changes by more than this.
        tolerance: f64,
        /// Give up after this many.
        max_iterations: u32,
    },
}

impl Default for Solver {
    fn default() -> Self {
        Self::Newton { max_iterations: 30 }
    }
}

/// The solution of (3.10).
struct Displacements {
    /// Δᵢ.
    displacement: Vec<Vec3>,
    /// `Σⱼ Mᵢⱼ Δⱼ`.
    flow: Vec<Vec3>,
}

impl SphereImplicit {
    /// Works for every inertia. Where a tip is held, `None` unless it is the end of a chain of point masses, and the
    /// solver Newton's.
    pub fn new(system: Arc<Spheres>, solver: Solver) -> Option<Self> {
        let n = system.len();
        let chain = match (solver, system.inertia()) {
            (Solver::Newton { max_iterations }, Inertia::Links(links)) => {
                Chain::new(&system, links, max_iterations)
            }
            _ => None,
        };
        let way = match chain {
            Some(chain) => Way::Chain(Box::new(chain), &[1.0]),
            None if system.held().is_some() => return None,
            None => Way::General(Box::new(General {
                equations: Cayley::new(system.clone(), solver),
                kicked: Vec::with_capacity(n),
                motion: Displacements {
                    displacement: vec![Vec3::zeros(); n],
                    flow: vec![Vec3::zeros(); n],
                },
                next_q: vec![0.0; 3 * n],
                next_p: vec![0.0; 3 * n],
            })),
        };
        Some(Self {
            force: Force::new(system),
            way,
            #[cfg(not(target_arch = "wasm32"))]
            solver,
            #[cfg(not(target_arch = "wasm32"))]
            taken: linearised::Taken::default(),
        })
    }

    /// Raised to order 4, 6 or 8 by composition; `None` for other orders.
    pub fn with_order(mut self, order: u32) -> Option<Box<dyn Integrator>> {
        if let Way::Chain(_, own) = &mut self.way {
            *own = substeps(order)?;
            return Some(Box::new(self));
        }
        Some(Box::new(Composition::new(Box::new(self), order)?))
    }
}

impl Integrator for SphereImplicit {
    #[cfg(target_arch = "wasm32")]
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        Work::of_one(|work| self.advance(state, h, 1, work))
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        let mut solution = std::mem::take(&mut self.taken.solution);
        solution.clear();
        let taken = Work::of_one(|work| self.take(state, h, 1, work, Some(&mut solution)));
        self.taken.solution = solution;
        taken
    }

    fn advance(&mut self, state: &mut State, h: f64, count: u64, work: &mut Work) -> Result<(), Fault> {
        self.take(state, h, count, work, None)
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn differentiable(&mut self) -> Option<&mut dyn crate::derivative::Differentiable> {
        self.has_derivatives().then_some(self)
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn advance_many(&mut self, members: &mut [super::Member], h: f64, count: u64) {
        super::together::in_groups(self, members, h, count, |method, group, steps| {
            match (&method.way, method.force.uniform()) {
                (Way::Chain(chain, substeps), Some(gradient)) => {
                    chain.together(gradient, substeps, group, h, steps)
                }
                _ => false,
            }
        });
    }
}

impl SphereImplicit {
    /// Takes steps in a row, and notes the directions after each substep.
    fn take(
        &mut self,
        state: &mut State,
        h: f64,
        count: u64,
        work: &mut Work,
        mut notes: Option<&mut Vec<f64>>,
    ) -> Result<(), Fault> {
        match &mut self.way {
            Way::General(general) => {
                for _ in 0..count {
                    work.count(general.step(&mut self.force, state, h)?);
                    if let Some(notes) = &mut notes {
                        notes.extend_from_slice(&state.q);
                    }
                }
                Ok(())
            }
            Way::Chain(chain, substeps) => {
                chain.advance(&mut self.force, substeps, state, (h, count), work, notes)
            }
        }
    }
}

impl General {
    fn step(&mut self, force: &mut Force, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        let (q, pi) = (view(&state.q), view(&state.p));
        let before = force.evaluations;

        let gradient = force.at(q)?;
        self.kicked.clear();
        self.kicked
            .extend((0..q.len()).map(|i| pi[i] - q[i].cross(&gradient[i]) * (0.5 * h)));
        let iterations = self.equations.solve(q, &self.kicked, h, &mut self.motion)?;

        let Displacements { displacement, flow } = &self.motion;
        let (next_q, next_pi) = (view_mut(&mut self.next_q), view_mut(&mut self.next_p));
        for i in 0..q.len() {
            next_q[i] = s2::normalised(&(q[i] + displacement[i]));
        }
        force.renew(next_q)?;
        force.remember(next_q);
        let gradient = force.last();
        for i in 0..q.len() {
            let turned = self.kicked[i] + displacement[i].cross(&flow[i]) / h;
            next_pi[i] = s2::tangent(&next_q[i], &(turned - next_q[i].cross(&gradient[i]) * (0.5 * h)));
        }
        super::check_finite(&self.next_q, &self.next_p, self.kicked.len())?;

        std::mem::swap(&mut state.q, &mut self.next_q);
        std::mem::swap(&mut state.p, &mut self.next_p);
        state.t += h;
        Ok(StepInfo {
            iterations,
            evaluations: force.evaluations.wrapping_sub(before),
            ..StepInfo::default()
        })
    }
}

fn not_converged(iterations: u32, correction: f64, body: usize) -> Fault {
    let cause = if correction.is_finite() {
        Cause::NotConverged {
            iterations,
            correction,
        }
    } else {
        Cause::NotFinite
    };
    Fault {
        cause,
        body: Some(body),
    }
}
