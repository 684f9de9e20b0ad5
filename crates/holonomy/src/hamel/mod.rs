//! Hamel's formalism: velocities measured against a frame of vector fields.
//!
//! ```text
//! q̇ = ξⁱ uᵢ(q)                                                n coordinates, k fields          (2)
//! p = ∂l/∂ξ                      momenta; those of free ξ are stored                            (3)
//! [uᵢ, uⱼ] = cᵢⱼᵐ uₘ                                                                            (4)
//! d/dt ∂l/∂ξʲ = cᵢⱼᵐ pₘ ξⁱ + uⱼ[l] + uⱼᵃ Qₐ,       uⱼ[l] = uⱼᵃ ∂l/∂qᵃ                           (5)
//! E = ξ·p − l                    energy; its potential part is −l(t, q, 0)
//! ```
//! Numbers are those of document 000. Coordinates may be more than fields: a vector that only turns keeps
//! its length without a constraint. Quasi-velocities may be constrained to zero, which is a nonholonomic
//! constraint where the free fields are not closed; a constrained one has a field and a momentum, which
//! enter the brackets of the others, but neither motion nor equation of its own.
mod description;
mod formulas;
mod mechanics;
mod structure;

pub use description::{FrameError, FrameFormulas, Slots};
pub use formulas::FormulaFrame;
pub use mechanics::{Frame, FrameDerivatives, FrameForce, FrameMechanics, Memory};
pub use structure::Brackets;

use crate::{
    Vec3,
    lagrangian::Undefined,
    solve::{Lu, Newton},
    system::{Energy, Layout, ManifoldError, Measurement, Scratch, State, System, workspace},
};
use structure::Structure;

/// A system in a frame.
pub struct Hamel {
    mechanics: Box<dyn FrameMechanics>,
    layout: Layout,
    /// Fields whose quasi-velocities are not constrained.
    free: Vec<usize>,
    structure: Structure,
    /// Places among the free ones whose momentum is conserved: nothing acts along the field, and it commutes.
    cyclic: Vec<usize>,
}

/// A system at one point `(t, q, ξ)`.
#[derive(Clone, Default)]
pub struct Point {
    /// The fields.
    pub frame: Frame,
    /// The Lagrangian.
    pub lagrangian: FrameDerivatives,
    /// The forces.
    pub force: FrameForce,
    /// `uⱼ[l] + uⱼᵃ Qₐ` of the free fields.
    pub drive: Vec<f64>,
}

/// Work space of a [`Hamel`].
#[derive(Clone, Default)]
pub struct Workspace {
    point: Point,
    brackets: Brackets,
    newton: Newton,
    lu: Lu,
    /// All of them, constrained ones too.
    xi: Vec<f64>,
    unknown: Vec<f64>,
}

impl Hamel {
    /// A system with the given names of coordinates and quasi-velocities; `constrained` are the numbers of
    /// those that are zero.
    ///
    /// # Panics
    /// If there are fewer names of quasi-velocities than fields.
    pub fn new(
        mechanics: Box<dyn FrameMechanics>,
        coordinates: &[String],
        quasi_velocities: &[String],
        constrained: &[usize],
    ) -> Self {
        let fields = 0..mechanics.fields();
        let free: Vec<usize> = fields.filter(|i| !constrained.contains(i)).collect();
        let structure = Structure::new(&*mechanics, free.clone());
        let conserved =
            |place: &usize| !mechanics.acts_along(free[*place]) && structure.commutes(free[*place]);
        let cyclic: Vec<usize> = (0..free.len()).filter(conserved).collect();
        let name = |i: usize| quasi_velocities[i].clone();
        let momenta = cyclic
            .iter()
            .map(|place| format!("momentum {}", name(free[*place])));
        let layout = Layout {
            bodies: coordinates.to_vec().into(),
            coordinates: coordinates.to_vec().into(),
            velocities: free.iter().map(|i| name(*i)).collect(),
            invariants: mechanics.invariants().iter().cloned().chain(momenta).collect(),
            expressions: mechanics.expressions(),
            fields: quasi_velocities.to_vec(),
            driven: !mechanics.keeps_energy(),
            ..Layout::default()
        };
        Self {
            mechanics,
            layout,
            free,
            structure,
            cyclic,
        }
    }

    /// The same, with coordinates that are angles: they are reported within ±π.
    #[must_use]
    pub fn with_periodic(mut self, coordinates: &[usize]) -> Self {
        self.layout.set_periodic(coordinates);
        self
    }

    /// What is particular to it.
    pub fn mechanics(&self) -> &dyn FrameMechanics {
        &*self.mechanics
    }

    /// The numbers of the quasi-velocities that are not constrained.
    pub fn free(&self) -> &[usize] {
        &self.free
    }

    /// A state with the given coordinates and free quasi-velocities.
    pub fn state(&self, t: f64, q: &[f64], v: &[f64]) -> State {
        let mut p = vec![0.0; v.len()];
        self.momentum(t, q, v, &mut p, &mut self.scratch());
        State::new(t, q.to_vec(), p)
    }

    /// The structure functions where the frame was evaluated.
    pub fn brackets(&self, frame: &Frame, out: &mut Brackets) -> Result<(), Undefined> {
        self.structure.at(frame, out)
    }

    /// All quasi-velocities from the free ones.
    pub fn spread(&self, v: &[f64], xi: &mut Vec<f64>) {
        xi.clear();
        xi.resize(self.mechanics.fields(), 0.0);
        for (i, v) in self.free.iter().zip(v) {
            xi[*i] = *v;
        }
    }

    /// Everything at one point but the brackets; ξ are all quasi-velocities.
    pub fn point(&self, t: f64, q: &[f64], xi: &[f64], out: &mut Point) -> Result<(), Undefined> {
        let n = q.len();
        self.mechanics.frame(q, &mut out.frame)?;
        self.mechanics.lagrangian(t, q, xi, &mut out.lagrangian)?;
        self.mechanics.force(t, q, xi, &mut out.force)?;
        let (u, lq, force) = (&out.frame.fields, &out.lagrangian.q, &out.force.value);
        let along = |j: &usize| -> f64 { (0..n).map(|a| u[j * n + a] * (lq[a] + force[a])).sum() };
        out.drive.clear();
        out.drive.extend(self.free.iter().map(along));
        Ok(())
    }

    /// Solves `∂l/∂ξ (t, q, ξ) = p` for the free ξ, by Newton; one iteration where l is quadratic in ξ.
    pub fn solve_velocity(
        &self,
        t: f64,
        q: &[f64],
        p: &[f64],
        v: &mut [f64],
        work: &mut Workspace,
    ) -> Result<(), Undefined> {
        v.fill(0.0);
        let (xi, l) = (&mut work.xi, &mut work.point.lagrangian);
        work.newton.solve(v, Undefined::SingularMass, |v, mass, rest| {
            self.spread(v, xi);
            self.mechanics.lagrangian(t, q, xi, l)?;
            fill_mass(mass, &self.free, &l.xi_xi, self.mechanics.fields());
            for ((rest, i), p) in rest.iter_mut().zip(&self.free).zip(p) {
                *rest = p - l.xi[*i];
            }
            Ok(())
        })
    }

    /// (2), and (5) solved for the free ξ̇:
    ///
    /// ```text
    /// (∂²l/∂ξʲ∂ξⁱ) ξ̇ⁱ = cᵢⱼᵐ pₘ ξⁱ + uⱼ[l] + uⱼᵃ Qₐ − (∂²l/∂ξʲ∂q) q̇ − ∂²l/∂ξʲ∂t
    /// ```
    fn accelerate(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        (dq, dv): (&mut [f64], &mut [f64]),
        work: &mut Workspace,
    ) -> Result<(), Undefined> {
        let (n, k) = (q.len(), self.mechanics.fields());
        self.spread(v, &mut work.xi);
        let xi = &work.xi;
        self.point(t, q, xi, &mut work.point)?;
        let Point {
            frame,
            lagrangian: l,
            drive,
            ..
        } = &work.point;
        self.brackets(frame, &mut work.brackets)?;
        velocity(frame, xi, dq);
        work.unknown.clear();
        for (place, j) in self.free.iter().enumerate() {
            let turning = bracket_term(&work.brackets.c, &l.xi, xi, *j);
            let drag: f64 = (0..n).map(|a| l.xi_q[j * n + a] * dq[a]).sum();
            work.unknown.push(turning + drive[place] - drag - l.xi_t[*j]);
        }
        fill_mass(work.lu.reset(self.free.len()), &self.free, &l.xi_xi, k);
        if !work.lu.solve(&mut work.unknown) {
            return Err(Undefined::SingularMass);
        }
        dv.copy_from_slice(&work.unknown);
        Ok(())
    }

    /// `pₐ` with `uᵢᵃ pₐ = pᵢ`, or the other way round.
    fn frame_momentum(&self, q: &[f64], p: &[f64], to_frame: bool) -> Vec<f64> {
        let n = q.len();
        let mut frame = Frame::default();
        if !self.is_canonical() || self.mechanics.frame(q, &mut frame).is_err() {
            return vec![f64::NAN; n];
        }
        if to_frame {
            let row = |i: usize| &frame.fields[i * n..(i + 1) * n];
            return (0..n)
                .map(|i| row(i).iter().zip(p).map(|(u, p)| u * p).sum())
                .collect();
        }
        let (mut lu, mut momentum) = (Lu::default(), p.to_vec());
        lu.reset(n).copy_from_slice(&frame.fields);
        if !lu.solve(&mut momentum) {
            momentum.fill(f64::NAN);
        }
        momentum
    }
}

/// `ξⁱ uᵢ`.
pub(crate) fn velocity(frame: &Frame, xi: &[f64], out: &mut [f64]) {
    let n = out.len();
    out.fill(0.0);
    for (field, xi) in frame.fields.chunks_exact(n).zip(xi) {
        for (out, u) in out.iter_mut().zip(field) {
            *out += xi * u;
        }
    }
}

/// `cᵢⱼᵐ pₘ ξⁱ`.
pub(crate) fn bracket_term(c: &[f64], p: &[f64], xi: &[f64], j: usize) -> f64 {
    let k = p.len();
    let of = |i: usize| -> f64 {
        let row = &c[(i * k + j) * k..(i * k + j + 1) * k];
        row.iter().zip(p).map(|(c, p)| c * p).sum()
    };
    (0..k).map(|i| xi[i] * of(i)).sum()
}

/// The rows and columns of the free quasi-velocities.
fn fill_mass(out: &mut [f64], free: &[usize], mass: &[f64], k: usize) {
    for (row, i) in out.chunks_exact_mut(free.len().max(1)).zip(free) {
        for (out, j) in row.iter_mut().zip(free) {
            *out = mass[i * k + j];
        }
    }
}

impl System for Hamel {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn measure(&self, state: &State, out: &mut Measurement, scratch: &mut Scratch) {
        let work = workspace::<Workspace>(scratch);
        let State { t, q, p, .. } = state;
        out.velocity.resize(p.len(), 0.0);
        if self.solve_velocity(*t, q, p, &mut out.velocity, work).is_err() {
            out.velocity.fill(f64::NAN);
        }
        self.spread(&out.velocity, &mut work.xi);
        let l = &mut work.point.lagrangian;
        let total = match self.mechanics.lagrangian(*t, q, &work.xi, l) {
            Ok(()) => out.velocity.iter().zip(p).map(|(v, p)| v * p).sum::<f64>() - l.value,
            Err(_) => f64::NAN,
        };
        out.invariants.clear();
        let memory = &mut l.memory;
        let found = self
            .mechanics
            .invariant(*t, q, &work.xi, &mut out.invariants, memory);
        if found.is_err() {
            out.invariants.fill(f64::NAN);
        }
        out.invariants.extend(self.cyclic.iter().map(|place| p[*place]));
        work.xi.fill(0.0);
        let potential = match self.mechanics.lagrangian(*t, q, &work.xi, l) {
            Ok(()) => -l.value,
            Err(_) => f64::NAN,
        };
        out.energy = Energy {
            kinetic: total - potential,
            potential,
        };
        out.manifold = ManifoldError::default();
        out.constraint = None;
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
        self.spread(v, &mut work.xi);
        let l = &mut work.point.lagrangian;
        match self.mechanics.lagrangian(t, q, &work.xi, l) {
            Ok(()) => p.iter_mut().zip(&self.free).for_each(|(p, i)| *p = l.xi[*i]),
            Err(_) => p.fill(f64::NAN),
        }
    }

    fn rate(&self, t: f64, q: &[f64], v: &[f64], dq: &mut [f64], dv: &mut [f64], scratch: &mut Scratch) {
        let found = self.accelerate(t, q, v, (&mut *dq, &mut *dv), workspace::<Workspace>(scratch));
        if found.is_err() {
            dq.fill(f64::NAN);
            dv.fill(f64::NAN);
        }
    }

    fn undefined(&self, t: f64, q: &[f64], v: &[f64], scratch: &mut Scratch) -> Option<Undefined> {
        let (mut dq, mut dv) = (vec![0.0; q.len()], vec![0.0; v.len()]);
        self.accelerate(t, q, v, (&mut dq, &mut dv), workspace::<Workspace>(scratch))
            .err()
    }

    /// What redundant coordinates keep is kept by their equations.
    fn project(&self, _: &mut [f64], _: &mut [f64]) {}

    fn sites(&self, _: &[f64], _: &mut [Vec3]) {}

    fn is_canonical(&self) -> bool {
        self.free.len() == self.mechanics.coordinates() && self.free.len() == self.mechanics.fields()
    }

    fn canonical(&self, origin: &[f64], q: &[f64], p: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let x = q.iter().zip(origin).map(|(q, o)| q - o).collect();
        (x, self.frame_momentum(q, p, false))
    }

    fn state_from_canonical(&self, origin: &[f64], x: &[f64], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let q: Vec<f64> = x.iter().zip(origin).map(|(x, o)| x + o).collect();
        let p = self.frame_momentum(&q, y, true);
        (q, p)
    }

    fn scratch(&self) -> Scratch {
        Box::new(Workspace::default())
    }
}
