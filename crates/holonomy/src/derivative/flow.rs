//! Steps and their tangents in minimal coordinates.
//!
//! ```text
//! z_{k+1} = Φ_h(z_k),      A = ∂z_N/∂z_0     exact where the method has derivatives, by differences of order 6 elsewhere
//! p + a h F u,   a step,   p⁺ + (1 − a) h F u   an input that is held over a step; a = ½, or 1 with one-sided forcing
//! B = A a h b(z) + (1 − a) h b(z⁺),             b = (0, Tᵀ F)
//! ```
use super::{Minimal, OFFSET, Unreduced, slope};
use crate::{
    integrator::{Cause, Fault, Integrator},
    lagrangian::Evaluation,
    solve::Lu,
    system::{Mechanism, State, System},
};
use nalgebra::DMatrix;
use std::sync::Arc;

/// A mechanism with a method and a step.
pub struct Flow {
    /// What moves.
    pub mechanism: Mechanism,
    /// The same.
    pub system: Arc<dyn System>,
    integrator: Box<dyn Integrator>,
    /// The step, s.
    pub h: f64,
}

/// Why a tangent could not be taken.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Lost {
    /// A step failed.
    #[error("a step failed")]
    Step(Fault),
    /// There are no minimal coordinates.
    #[error(transparent)]
    Unreduced(#[from] Unreduced),
}

impl From<Fault> for Lost {
    fn from(fault: Fault) -> Self {
        Self::Step(fault)
    }
}

impl Flow {
    /// Of a mechanism.
    pub fn new(mechanism: Mechanism, integrator: Box<dyn Integrator>, h: f64) -> Self {
        Self {
            system: mechanism.system(),
            mechanism,
            integrator,
            h,
        }
    }

    /// Whether tangents are exact, and not by differences.
    pub fn is_exact(&mut self) -> bool {
        self.integrator.differentiable().is_some()
    }

    /// The state after a step.
    pub fn step(&mut self, from: &State) -> Result<State, Fault> {
        let mut state = from.clone();
        self.integrator.attempt(&mut state, self.h)?;
        match state.is_finite() {
            true => Ok(state),
            false => Err(Fault {
                cause: Cause::NotFinite,
                body: None,
            }),
        }
    }

    /// The state after so many steps.
    pub fn steps(&mut self, from: &State, count: u64) -> Result<State, Fault> {
        let mut state = from.clone();
        for k in 0..count {
            state = self.step(&state)?;
            state.t = from.t + (k + 1) as f64 * self.h;
        }
        Ok(state)
    }

    /// The state after so many steps, and what becomes of changes of the first: the matrix in minimal coordinates there
    /// and here. `visit` sees every state on the way and may end it.
    pub fn transition(
        &mut self,
        from: &State,
        minimal: &Minimal,
        count: u64,
        visit: &mut dyn FnMut(&State) -> bool,
    ) -> Result<Option<(State, Minimal, DMatrix<f64>)>, Lost> {
        let size = minimal.size();
        let mut state = from.clone();
        let mut changes = minimal.basis();
        let mut product = DMatrix::identity(size, size);
        let mut here = minimal.clone();
        let mut solution = Vec::new();
        for k in 0..count {
            if !visit(&state) {
                return Ok(None);
            }
            let mut next = self.step(&state)?;
            next.t = from.t + (k + 1) as f64 * self.h;
            match self.integrator.differentiable() {
                Some(method) => {
                    solution.clear();
                    method.solution(&mut solution);
                    method.linearise(&state, self.h, &solution)?;
                    method.push_each(&mut changes);
                }
                None => {
                    let there = here.again(&self.mechanism, &next)?;
                    product = self.differences(&state, &here, &next, &there)? * product;
                    here = there;
                }
            }
            state = next;
        }
        let there = minimal.again(&self.mechanism, &state)?;
        if self.is_exact() {
            for (k, change) in changes.iter().enumerate() {
                let column = there.coordinates(&change.x, &change.y);
                product.column_mut(k).copy_from_slice(&column);
            }
        }
        Ok(Some((state, there, product)))
    }

    /// ∂z⁺/∂z of one step by differences.
    fn differences(
        &mut self,
        from: &State,
        here: &Minimal,
        to: &State,
        there: &Minimal,
    ) -> Result<DMatrix<f64>, Lost> {
        let unit = self.momentum_unit(from, here);
        let (h, mechanism, system) = (self.h, self.mechanism.clone(), self.system.clone());
        along_each(here, unit, |z| {
            let mut state = here.moved(&mechanism, from, z)?;
            self.integrator.attempt(&mut state, h)?;
            Ok(there.apart(&*system, to, &state))
        })
    }

    /// A momentum that is neither small nor large here: that of a velocity of one, or what there is.
    pub fn momentum_unit(&self, at: &State, minimal: &Minimal) -> f64 {
        let count = at.p.len();
        let mut scratch = self.system.scratch();
        let (mut v, mut p, mut rest) = (vec![0.0; count], vec![0.0; count], vec![0.0; count]);
        self.system.momentum(at.t, &at.q, &v, &mut rest, &mut scratch);
        let mut largest = f64::MIN_POSITIVE;
        for k in 0..count {
            v[k] = 1.0;
            self.system.momentum(at.t, &at.q, &v, &mut p, &mut scratch);
            v[k] = 0.0;
            let each = p.iter().zip(&rest).map(|(p, rest)| (p - rest).abs());
            largest = each.fold(largest, f64::max);
        }
        let (x, y) = self.system.canonical(&at.q, &at.q, &at.p);
        let there = minimal.coordinates(&x, &y);
        there[minimal.freedom()..]
            .iter()
            .fold(largest, |m, y| m.max(y.abs()))
    }

    /// `Tᵀ F` of generalized forces of one, each along a velocity with a scale: a column for each.
    pub fn pushes(&self, at: &State, minimal: &Minimal, inputs: &[(usize, f64)]) -> DMatrix<f64> {
        let size = minimal.size();
        let mut out = DMatrix::zeros(size, inputs.len());
        let none = vec![0.0; at.p.len()];
        let (still, y0) = self.system.canonical(&at.q, &at.q, &none);
        for (column, (velocity, scale)) in inputs.iter().enumerate() {
            let mut p = none.clone();
            p[*velocity] = *scale;
            let (_, mut y) = self.system.canonical(&at.q, &at.q, &p);
            y.iter_mut().zip(&y0).for_each(|(y, y0)| *y -= y0);
            out.column_mut(column)
                .copy_from_slice(&minimal.coordinates(&still, &y));
        }
        out
    }

    /// The rate of change of minimal coordinates at a state near the one they belong to.
    pub fn rate(&self, origin: &State, minimal: &Minimal, at: &State) -> Vec<f64> {
        let (n, k) = (at.q.len(), at.p.len());
        let mut scratch = self.system.scratch();
        let (mut v, mut dq, mut dv) = (vec![0.0; k], vec![0.0; n], vec![0.0; k]);
        self.system.velocity(at.t, &at.q, &at.p, &mut v, &mut scratch);
        self.system.rate(at.t, &at.q, &v, &mut dq, &mut dv, &mut scratch);
        let fastest = dq.iter().chain(&dv).fold(0.0_f64, |m, x| m.max(x.abs()));
        let sum =
            |a: &[f64], b: &[f64], s: f64| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a + s * b).collect() };
        // At rest nothing is far; in motion a difference goes as far as the others do.
        let offset = OFFSET / fastest.max(1.0);
        let found: Result<Vec<f64>, Unreduced> = slope(offset, |s| {
            let (q, v) = (sum(&at.q, &dq, s), sum(&v, &dv, s));
            let mut p = vec![0.0; k];
            self.system.momentum(at.t, &q, &v, &mut p, &mut scratch);
            Ok(minimal.apart(&*self.system, origin, &State::new(at.t, q, p)))
        });
        found.unwrap_or_default()
    }

    /// Whether the equations of motion at a configuration change with time.
    pub fn depends_on_time(&self, at: &State) -> bool {
        let mut scratch = self.system.scratch();
        let mut v = vec![0.0; at.p.len()];
        self.system.velocity(at.t, &at.q, &at.p, &mut v, &mut scratch);
        let mut rate = |later: f64| {
            let (mut dq, mut dv) = (vec![0.0; at.q.len()], vec![0.0; v.len()]);
            self.system
                .rate(at.t + later, &at.q, &v, &mut dq, &mut dv, &mut scratch);
            dv
        };
        let first = rate(0.0);
        [0.123, 0.457, 1.71].into_iter().any(|later| rate(later) != first)
    }

    /// Whether [`Flow::continuous`] is exact: of a Lagrangian in the velocities of its coordinates, without constraints.
    pub fn continuous_is_exact(&self) -> bool {
        matches!(&self.mechanism, Mechanism::Lagrangian(of) if !of.is_framed() && of.mechanics().constraints() == 0)
    }

    /// The matrix of the continuous equations of motion, exact where that can be:
    ///
    /// ```text
    /// δv = M⁻¹ (δp − ∂²L/∂v∂q δq),    δṗ = (∂²L/∂q∂q + ∂f/∂q) δq + (∂²L/∂q∂v + ∂f/∂v) δv
    /// ```
    pub fn continuous(&self, at: &State, minimal: &Minimal) -> Result<DMatrix<f64>, Lost> {
        let lagrangian = match &self.mechanism {
            Mechanism::Lagrangian(lagrangian) if self.continuous_is_exact() => lagrangian,
            _ => return self.continuous_by_differences(at, minimal),
        };
        let n = at.q.len();
        let mut v = vec![0.0; n];
        let mut scratch = self.system.scratch();
        self.system.velocity(at.t, &at.q, &at.p, &mut v, &mut scratch);
        let mut here = Evaluation::default();
        lagrangian
            .evaluate(at.t, &at.q, &v, &mut here)
            .map_err(|_| Unreduced::Undefined)?;
        let (l, f) = (&here.lagrangian, &here.force);
        let mut mass = Lu::default();
        mass.reset(n).copy_from_slice(&l.vv);
        if !mass.factorise() {
            return Err(Unreduced::Singular.into());
        }
        let mut out = DMatrix::zeros(2 * n, 2 * n);
        for k in 0..2 * n {
            let of_q = |i: usize| {
                if k < n {
                    -l.vq[i * n + k]
                } else {
                    f64::from(u8::from(k == n + i))
                }
            };
            let mut faster: Vec<f64> = (0..n).map(of_q).collect();
            mass.substitute(&mut faster);
            for a in 0..n {
                let own = if k < n {
                    l.qq[a * n + k] + f.q[a * n + k]
                } else {
                    0.0
                };
                let through = (0..n).map(|i| (l.vq[i * n + a] + f.v[a * n + i]) * faster[i]);
                out[(n + a, k)] = own + through.sum::<f64>();
                out[(a, k)] = faster[a];
            }
        }
        Ok(out)
    }

    /// The same by differences of their right-hand side.
    pub fn continuous_by_differences(&self, at: &State, minimal: &Minimal) -> Result<DMatrix<f64>, Lost> {
        let unit = self.momentum_unit(at, minimal);
        along_each(minimal, unit, |z| {
            let state = minimal.moved(&self.mechanism, at, z)?;
            Ok(self.rate(at, minimal, &state))
        })
    }
}

/// Where differences are taken: nearer than those of single steps, as stops and strings may be near.
const NEAR: f64 = 0.2 * OFFSET;

/// A Jacobian by differences, column by column; momenta in their unit.
fn along_each(
    minimal: &Minimal,
    unit: f64,
    mut map: impl FnMut(&[f64]) -> Result<Vec<f64>, Lost>,
) -> Result<DMatrix<f64>, Lost> {
    let half = minimal.freedom();
    let size = minimal.size();
    let mut out = DMatrix::zeros(size, size);
    for k in 0..size {
        let unit = if k < half { 1.0 / minimal.reach(k) } else { unit };
        let column = slope(NEAR, |s| {
            let mut z = vec![0.0; size];
            z[k] = s * unit;
            map(&z)
        })?;
        for (i, value) in column.iter().enumerate() {
            out[(i, k)] = value / unit;
        }
    }
    Ok(out)
}
