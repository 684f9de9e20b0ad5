//! Systems in generalized coordinates, given by a Lagrangian `L(t, q, q̇)`, forces and constraints.
//!
//! ```text
//! p = ∂L/∂q̇                       momentum, stored
//! d/dt ∂L/∂q̇ − ∂L/∂q = f(t, q, q̇) − G(t, q)ᵀλ,     g(t, q) = 0,  G = ∂g/∂q
//! E = q̇·p − L                      energy; its potential part is −L(t, q, 0)
//! ```
//! What is particular to a mechanism is one [`Mechanics`]; everything else is here.
mod formula;
mod mechanics;

pub use formula::{Formulas, Sweep};
pub use mechanics::{Constraint, Derivatives, Force, Mechanics, Undefined};

use crate::{
    Vec3,
    solve::{Lu, Newton},
    system::{Energy, Layout, ManifoldError, Measurement, Scratch, State, System, workspace},
};

/// A system in generalized coordinates.
pub struct Lagrangian {
    mechanics: Box<dyn Mechanics>,
    layout: Layout,
    /// Coordinates whose momentum is conserved: L does not depend on them, no force or constraint acts.
    cyclic: Vec<usize>,
}

/// Work space of a [`Lagrangian`].
#[derive(Clone, Default)]
pub struct Workspace {
    /// Of the Lagrangian.
    pub derivatives: Derivatives,
    /// Of the forces.
    pub force: Force,
    /// Of the constraints.
    pub constraint: Constraint,
    newton: Newton,
    lu: Lu,
    unknown: Vec<f64>,
}

impl Lagrangian {
    /// A system with the given names of its coordinates.
    pub fn new(mechanics: Box<dyn Mechanics>, coordinates: &[String]) -> Self {
        let n = mechanics.coordinates();
        let free = |i: &usize| !mechanics.depends_on(*i);
        let cyclic: Vec<usize> = (0..n).filter(free).collect();
        let layout = Layout {
            bodies: coordinates.to_vec().into(),
            coordinates: coordinates.to_vec().into(),
            velocities: coordinates.iter().map(|name| format!("{name}'")).collect(),
            invariants: mechanics
                .invariants()
                .iter()
                .cloned()
                .chain(cyclic.iter().map(|i| format!("momentum {}", coordinates[*i])))
                .collect(),
            expressions: mechanics.expressions(),
            driven: !mechanics.keeps_energy(),
            multipliers: (1..=mechanics.constraints())
                .map(|k| format!("constraint-{k}"))
                .collect(),
            ..Layout::default()
        };
        Self {
            mechanics,
            layout,
            cyclic,
        }
    }

    /// The same, with coordinates that are angles: they are reported within ±π.
    #[must_use]
    pub fn with_periodic(mut self, coordinates: &[usize]) -> Self {
        self.layout.set_periodic(coordinates);
        self
    }

    /// The same, with names for its constraints.
    #[must_use]
    pub fn with_multipliers(mut self, names: Vec<String>) -> Self {
        self.layout.multipliers = names;
        self
    }

    /// What is particular to it.
    pub fn mechanics(&self) -> &dyn Mechanics {
        &*self.mechanics
    }

    /// A state with the given coordinates and velocities.
    pub fn state(&self, t: f64, q: &[f64], v: &[f64]) -> State {
        let mut p = vec![0.0; q.len()];
        self.momentum(t, q, v, &mut p, &mut self.scratch());
        let mut state = State::new(t, q.to_vec(), p);
        let mut work = Workspace::default();
        if self
            .accelerate(t, q, v, &mut vec![0.0; q.len()], &mut work)
            .is_ok()
        {
            state.lambda.extend_from_slice(&work.unknown[q.len()..]);
        }
        state
    }

    /// Solves `∂L/∂q̇ (t, q, v) = p` for v, by Newton; one iteration where L is quadratic in v.
    pub fn solve_velocity(
        &self,
        t: f64,
        q: &[f64],
        p: &[f64],
        v: &mut [f64],
        work: &mut Workspace,
    ) -> Result<(), Undefined> {
        v.fill(0.0);
        let derivatives = &mut work.derivatives;
        work.newton.solve(v, Undefined::SingularMass, |v, mass, rest| {
            self.mechanics.lagrangian(t, q, v, derivatives)?;
            mass.copy_from_slice(&derivatives.vv);
            for (i, rest) in rest.iter_mut().enumerate() {
                *rest = p[i] - derivatives.v[i];
            }
            Ok(())
        })
    }

    /// Accelerations and multipliers of the continuous equations:
    ///
    /// ```text
    /// ⎡ M  Gᵀ ⎤ ⎡ v̇ ⎤   ⎡ ∂L/∂q + f − (∂²L/∂v∂q) v − ∂²L/∂v∂t ⎤
    /// ⎣ G  0  ⎦ ⎣ λ ⎦ = ⎣ −(d²g/dt² without v̇)                ⎦
    /// ```
    fn accelerate(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        dv: &mut [f64],
        work: &mut Workspace,
    ) -> Result<(), Undefined> {
        let (n, m) = (q.len(), self.mechanics.constraints());
        self.mechanics.lagrangian(t, q, v, &mut work.derivatives)?;
        self.mechanics.force(t, q, v, &mut work.force)?;
        self.mechanics.constraint(t, q, v, &mut work.constraint)?;
        let Derivatives {
            q: lq, vv, vq, vt, ..
        } = &work.derivatives;
        work.unknown.clear();
        for i in 0..n {
            let drag: f64 = (0..n).map(|j| vq[i * n + j] * v[j]).sum();
            work.unknown.push(lq[i] + work.force.value[i] - drag - vt[i]);
        }
        work.unknown.extend(work.constraint.curvature.iter().map(|c| -c));
        let size = n + m;
        let a = work.lu.reset(size);
        for i in 0..n {
            a[i * size..i * size + n].copy_from_slice(&vv[i * n..(i + 1) * n]);
            for k in 0..m {
                a[i * size + n + k] = work.constraint.jacobian[k * n + i];
                a[(n + k) * size + i] = work.constraint.jacobian[k * n + i];
            }
        }
        if !work.lu.solve(&mut work.unknown) {
            return Err(Undefined::SingularMass);
        }
        dv.copy_from_slice(&work.unknown[..n]);
        Ok(())
    }
}

impl System for Lagrangian {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn measure(&self, state: &State, out: &mut Measurement, scratch: &mut Scratch) {
        let work = workspace::<Workspace>(scratch);
        let n = state.q.len();
        out.velocity.resize(n, 0.0);
        let mut total = f64::NAN;
        if self
            .solve_velocity(state.t, &state.q, &state.p, &mut out.velocity, work)
            .is_ok()
            && self
                .mechanics
                .lagrangian(state.t, &state.q, &out.velocity, &mut work.derivatives)
                .is_ok()
        {
            let action: f64 = out.velocity.iter().zip(&state.p).map(|(v, p)| v * p).sum();
            total = action - work.derivatives.value;
        } else {
            out.velocity.fill(f64::NAN);
        }
        work.unknown.clear();
        work.unknown.resize(n, 0.0);
        let rest = self
            .mechanics
            .lagrangian(state.t, &state.q, &work.unknown, &mut work.derivatives);
        let potential = if rest.is_ok() {
            -work.derivatives.value
        } else {
            f64::NAN
        };
        out.energy = Energy {
            kinetic: total - potential,
            potential,
        };
        out.invariants.clear();
        let found = self.mechanics.invariant(
            state.t,
            &state.q,
            &out.velocity,
            &mut out.invariants,
            &mut work.derivatives.sweep,
        );
        if found.is_err() {
            out.invariants.resize(self.mechanics.invariants().len(), f64::NAN);
        }
        out.invariants.extend(self.cyclic.iter().map(|i| state.p[*i]));
        out.manifold = ManifoldError::default();
        out.constraint = (self.mechanics.constraints() > 0).then(|| {
            let found = self
                .mechanics
                .constraint(state.t, &state.q, &out.velocity, &mut work.constraint);
            let largest = work.constraint.value.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
            if found.is_ok() { largest } else { f64::NAN }
        });
        out.multipliers.clear();
        if self.mechanics.constraints() > 0 {
            let found = self.accelerate(state.t, &state.q, &out.velocity, &mut vec![0.0; n], work);
            out.multipliers.extend_from_slice(&work.unknown[n..]);
            if found.is_err() {
                out.multipliers.fill(f64::NAN);
                out.multipliers.resize(self.mechanics.constraints(), f64::NAN);
            }
        }
    }

    fn velocity(&self, t: f64, q: &[f64], p: &[f64], v: &mut [f64], scratch: &mut Scratch) {
        if self
            .solve_velocity(t, q, p, v, workspace::<Workspace>(scratch))
            .is_err()
        {
            v.fill(f64::NAN);
        }
    }

    fn momentum(&self, t: f64, q: &[f64], v: &[f64], p: &mut [f64], scratch: &mut Scratch) {
        let work = workspace::<Workspace>(scratch);
        match self.mechanics.lagrangian(t, q, v, &mut work.derivatives) {
            Ok(()) => p.copy_from_slice(&work.derivatives.v),
            Err(_) => p.fill(f64::NAN),
        }
    }

    fn rate(&self, t: f64, q: &[f64], v: &[f64], dq: &mut [f64], dv: &mut [f64], scratch: &mut Scratch) {
        dq.copy_from_slice(v);
        if self
            .accelerate(t, q, v, dv, workspace::<Workspace>(scratch))
            .is_err()
        {
            dv.fill(f64::NAN);
        }
    }

    fn undefined(&self, t: f64, q: &[f64], v: &[f64], scratch: &mut Scratch) -> Option<Undefined> {
        self.accelerate(t, q, v, &mut vec![0.0; q.len()], workspace::<Workspace>(scratch))
            .err()
    }

    /// Generalized coordinates have no manifold to leave.
    fn project(&self, _: &mut [f64], _: &mut [f64]) {}

    fn sites(&self, _: &[f64], _: &mut [Vec3]) {}

    fn canonical(&self, origin: &[f64], q: &[f64], p: &[f64]) -> (Vec<f64>, Vec<f64>) {
        (q.iter().zip(origin).map(|(q, o)| q - o).collect(), p.to_vec())
    }

    fn state_from_canonical(&self, origin: &[f64], x: &[f64], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
        (x.iter().zip(origin).map(|(x, o)| x + o).collect(), y.to_vec())
    }

    fn scratch(&self) -> Scratch {
        Box::new(Workspace::default())
    }
}
