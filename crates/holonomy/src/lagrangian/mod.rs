//! Systems in generalized coordinates, given by a Lagrangian `L(t, q, v)`, forces and constraints.
//!
//! ```text
//! p = ∂L/∂v                        momentum, stored
//! E = v·p − L                      energy; its potential part is −L(t, q, 0)
//!
//! v = q̇:    d/dt ∂L/∂q̇ = ∂L/∂q + f(t, q, q̇) − G(t, q)ᵀλ,     g(t, q) = 0,  G = ∂g/∂q
//!
//! in a frame of vector fields, v = ξ:
//!            q̇ = ξⁱ uᵢ(q)                                      n coordinates, k fields          (2)
//!            p = ∂L/∂ξ             momenta; those of free ξ are stored                          (3)
//!            [uᵢ, uⱼ] = cᵢⱼᵐ uₘ                                                                 (4)
//!            d/dt ∂L/∂ξʲ = cᵢⱼᵐ pₘ ξⁱ + uⱼ[L] + uⱼᵃ fₐ − uⱼ[gₖ] λₖ,     uⱼ[L] = uⱼᵃ ∂L/∂qᵃ    (5)
//! ```
//! Numbers are those of Zenkov, Leok & Bloch (2012). The first equation is the last in the frame of the coordinates,
//! whose fields are constant and commute: with it, no field is evaluated and none multiplied.
//!
//! Coordinates may be more than fields: a vector that only turns keeps its length without a constraint. Quasi-velocities
//! may be constrained to zero, which is a nonholonomic constraint where the free fields are not closed; a constrained
//! one has a field and a momentum, which enter the brackets of the others, but neither motion nor equation of its own.
//!
//! What is particular to a mechanism is one [`Mechanics`]; everything else is here.
#[cfg(not(target_arch = "wasm32"))]
mod curved;
mod description;
mod error;
mod fed;
mod formulas;
mod mechanics;
mod picture;
mod projection;
mod recorded;
mod structure;
mod system;
#[cfg(not(target_arch = "wasm32"))]
mod together;
mod total;

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use curved::Curved;
pub use description::{Formulas, Slots};
pub use error::LagrangianError;
pub use fed::{Answer, AnswerTerm, Fed, OfTime};
pub use formulas::{FormulaMechanics, FormulaMemory};
pub use mechanics::{
    Derivatives, FrameFields, GeneralizedForce, HolonomicConstraint, Mechanics, PowerSources,
};
pub use picture::{Picture, PictureLine};
pub use structure::Brackets;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use together::TogetherMechanics;

use crate::{
    solve::{Lu, Newton},
    system::{Conserved, Layout, Named, State, StateError, System, Undefined, Words, check_names},
};
use picture::Painter;
use recorded::Recorded;
use structure::Structure;
use total::Totals;

/// A system in generalized coordinates, its velocities those of the coordinates or of a frame.
pub struct Lagrangian {
    mechanics: Box<dyn Mechanics>,
    layout: Layout,
    /// Number k of velocities, constrained ones too.
    velocities: usize,
    /// Those that are not constrained to zero.
    free: Vec<usize>,
    /// The structure functions of the frame, if there is one.
    structure: Option<Structure>,
    sources: PowerSources,
    /// Places among the free ones whose momentum is conserved.
    cyclic: Vec<usize>,
    /// Conserved momenta of all vectors together.
    totals: Totals,
    /// How it looks, if it does.
    painter: Painter,
    /// What can be recorded of it by name.
    recorded: Recorded,
}

/// A system at one point `(t, q, v)`.
#[derive(Clone, Default)]
pub struct Evaluation {
    /// The fields of the frame, if there is one.
    pub frame: FrameFields,
    /// The Lagrangian.
    pub lagrangian: Derivatives,
    /// The forces.
    pub force: GeneralizedForce,
    /// `uⱼ[L] + uⱼᵃ fₐ` of the free velocities.
    pub drive: Vec<f64>,
}

/// Work space of a [`Lagrangian`].
#[derive(Clone, Default)]
pub struct LagrangianWorkspace {
    /// At the point of the last call.
    pub at: Evaluation,
    /// Of the constraints.
    pub constraint: HolonomicConstraint,
    brackets: Brackets,
    newton: Newton,
    lu: Lu,
    /// All velocities, where some are constrained.
    all: Vec<f64>,
    unknown: Vec<f64>,
    /// `uⱼ[gₖ]`.
    across: Vec<f64>,
    /// Rates of the coordinates.
    rates: Vec<f64>,
}

impl Lagrangian {
    /// A system whose velocities are the rates of its coordinates, which have the given names.
    ///
    /// ```
    /// use holonomy::formula::{Formula, Kind};
    /// use holonomy::lagrangian::{FormulaMechanics, Formulas, Lagrangian, Slots};
    /// use holonomy::{integrator::catalog, simulation::Simulation, system::{Mechanism, System}};
    ///
    /// let (slots, scope) = Slots::scope(&[("theta", Kind::Scalar)], &[]).map_err(|(_, error)| error)?;
    /// let lagrangian = Formula::parse("0.5*theta'^2 + 9.81*cos(theta)", &scope).map_err(|e| format!("{e:?}"))?;
    /// let (fields, forces, constraints, invariants) = (&[], &[], &[], &[]);
    /// let lagrangian = &lagrangian;
    /// let formulas = Formulas { slots, lagrangian, fields, forces, constraints, invariants };
    /// let mechanics = FormulaMechanics::new(&formulas)?;
    /// let pendulum = Lagrangian::new(Box::new(mechanics), &["theta".to_owned()])?;
    ///
    /// // At rest, level: as much energy as at the zero of V.
    /// let state = pendulum.state(0.0, &[std::f64::consts::FRAC_PI_2], &[0.0])?;
    /// assert!(pendulum.energy(&state).total().abs() < 1e-14);
    /// let mechanism = Mechanism::from(pendulum);
    /// let method = catalog::find("midpoint")?.build(&mechanism)?;
    /// let mut simulation = Simulation::new(mechanism.system(), method, state, 0.01);
    /// simulation.advance(10_000)?;
    /// assert!(mechanism.system().energy(&simulation.state).total().abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(mechanics: Box<dyn Mechanics>, coordinates: &[String]) -> Result<Self, LagrangianError> {
        if let Some(wanted) = mechanics.fields() {
            return Err(LagrangianError::QuasiVelocityNames { given: 0, wanted });
        }
        let velocities: Vec<String> = coordinates.iter().map(|name| format!("{name}'")).collect();
        let n = mechanics.coordinates();
        let momentum = |i: usize| coordinates[i].clone();
        Self::build(
            mechanics,
            coordinates,
            &velocities,
            (0..n).collect(),
            None,
            momentum,
        )
    }

    /// A system whose velocities are the quasi-velocities of a frame, with the given names; `constrained` are the
    /// numbers of those that are zero.
    pub fn in_frame(
        mechanics: Box<dyn Mechanics>,
        coordinates: &[String],
        quasi_velocities: &[String],
        constrained: &[usize],
    ) -> Result<Self, LagrangianError> {
        let wanted = mechanics.fields().unwrap_or(mechanics.coordinates());
        let given = quasi_velocities.len();
        if given != wanted {
            return Err(LagrangianError::QuasiVelocityNames { given, wanted });
        }
        if let Some(number) = constrained.iter().copied().find(|number| *number >= wanted) {
            return Err(LagrangianError::NoSuchQuasiVelocity {
                number,
                count: wanted,
            });
        }
        let free: Vec<usize> = (0..wanted).filter(|i| !constrained.contains(i)).collect();
        let structure = Some(Structure::new(&*mechanics, wanted, free.clone()));
        let name = |i: usize| quasi_velocities[i].clone();
        let mut system = Self::build(mechanics, coordinates, quasi_velocities, free, structure, name)?;
        system.layout.words.fields = quasi_velocities.to_vec();
        Ok(system)
    }

    fn build(
        mechanics: Box<dyn Mechanics>,
        coordinates: &[String],
        velocities: &[String],
        free: Vec<usize>,
        structure: Option<Structure>,
        momentum: impl Fn(usize) -> String,
    ) -> Result<Self, LagrangianError> {
        let (given, wanted) = (coordinates.len(), mechanics.coordinates());
        if given != wanted {
            return Err(LagrangianError::CoordinateNames { given, wanted });
        }
        check_names(Named::Coordinate, coordinates.iter().map(String::as_str))?;
        check_names(Named::QuasiVelocity, velocities.iter().map(String::as_str))?;
        let commutes = |i: usize| structure.as_ref().is_none_or(|structure| structure.commutes(i));
        let conserved = |place: &usize| !mechanics.acts_along(free[*place]) && commutes(free[*place]);
        let cyclic: Vec<usize> = (0..free.len()).filter(conserved).collect();
        let momenta = cyclic
            .iter()
            .map(|place| format!("momentum {}", momentum(free[*place])));
        let layout = Layout {
            coordinates: coordinates.to_vec().into(),
            velocities: free.iter().map(|i| velocities[*i].clone()).collect(),
            conserved: Conserved {
                invariants: mechanics.invariants().iter().cloned().chain(momenta).collect(),
                ..Conserved::default()
            },
            words: Words {
                pulleys: Vec::new(),
                bodies: coordinates.to_vec().into(),
                expressions: mechanics.expressions(),
                ..Words::default()
            },
            multipliers: (1..=mechanics.constraints())
                .map(|k| format!("constraint-{k}"))
                .collect(),
            generalized: true,
            ..Layout::default()
        };
        let system = Self {
            sources: mechanics.sources(),
            mechanics,
            layout,
            velocities: velocities.len(),
            free,
            structure,
            cyclic,
            totals: Totals::default(),
            painter: Painter::default(),
            recorded: Recorded::default(),
        };
        Ok(system.with_sources())
    }

    /// The same, with names for what changes its energy.
    fn with_sources(mut self) -> Self {
        let Layout {
            coordinates,
            multipliers,
            conserved,
            ..
        } = &mut self.layout;
        let forces = self
            .sources
            .forces
            .iter()
            .map(|a| format!("force {}", coordinates[*a]));
        let time = self.sources.time.then(|| "explicit time".to_owned());
        let moving = self.sources.constraints.iter();
        let moving = moving.map(|k| format!("constraint {}", multipliers[*k]));
        conserved.set_sources(forces.chain(time).chain(moving));
        self
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
        self.with_sources()
    }

    /// What changes its energy.
    pub(crate) fn sources(&self) -> &PowerSources {
        &self.sources
    }

    /// What is particular to it.
    pub fn mechanics(&self) -> &dyn Mechanics {
        &*self.mechanics
    }

    /// Whether its velocities are quasi-velocities.
    pub fn is_framed(&self) -> bool {
        self.structure.is_some()
    }

    /// Whether p in its frame are those of as many coordinates: each state near one has canonical coordinates.
    fn is_square(&self) -> bool {
        let n = self.mechanics.coordinates();
        let independent = |structure: &Structure| structure.is_independent();
        (self.free.len(), self.velocities, self.mechanics.constraints()) == (n, n, 0)
            && self.structure.as_ref().is_some_and(independent)
    }

    /// Why steps in its frame have no derivatives, if they have none: what they would need.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn without_derivatives(&self) -> Option<&'static str> {
        let known = !self.is_framed() || self.mechanics.formulas().is_some();
        (!known).then_some("fields that are formulas")
    }

    /// The numbers of the velocities that are not constrained to zero.
    pub fn free(&self) -> &[usize] {
        &self.free
    }

    /// Those of them whose momentum is conserved: with velocities of coordinates, the cyclic coordinates.
    pub fn cyclic(&self) -> impl Iterator<Item = usize> + '_ {
        self.cyclic.iter().map(|place| self.free[*place])
    }

    /// A state with the given coordinates and free velocities.
    pub fn state(&self, t: f64, q: &[f64], v: &[f64]) -> Result<State, StateError> {
        StateError::check(&self.layout, q, v)?;
        let mut p = vec![0.0; v.len()];
        self.momentum(t, q, v, &mut p, &mut self.scratch());
        let mut state = State::new(t, q.to_vec(), p);
        state.work.resize(self.sources.len(), 0.0);
        if self.mechanics.constraints() > 0 {
            let (mut dq, mut dv) = (vec![0.0; q.len()], vec![0.0; v.len()]);
            let mut work = LagrangianWorkspace::default();
            if self.accelerate(t, q, v, (&mut dq, &mut dv), &mut work).is_ok() {
                state.lambda.extend_from_slice(&work.unknown[v.len()..]);
            }
        }
        Ok(state)
    }

    /// The structure functions where the frame was evaluated; all zero without a frame.
    pub fn brackets(&self, frame: &FrameFields, out: &mut Brackets) -> Result<(), Undefined> {
        match &self.structure {
            Some(structure) => structure.at(frame, out),
            None => {
                out.vanish(self.velocities);
                Ok(())
            }
        }
    }

    /// All velocities from the free ones.
    pub fn spread(&self, v: &[f64], all: &mut Vec<f64>) {
        all.clear();
        all.resize(self.velocities, 0.0);
        for (i, v) in self.free.iter().zip(v) {
            all[*i] = *v;
        }
    }

    /// All velocities from the free ones, in `all` only if some are constrained.
    fn all<'v>(&self, v: &'v [f64], all: &'v mut Vec<f64>) -> &'v [f64] {
        if self.free.len() == self.velocities {
            return v;
        }
        self.spread(v, all);
        all
    }

    /// `uⱼ[gₖ]` of the free velocities j, row by row: how they change the constraints.
    pub fn slopes_along(&self, frame: &FrameFields, g: &HolonomicConstraint, out: &mut Vec<f64>) {
        out.clear();
        if !self.is_framed() {
            out.extend_from_slice(&g.jacobian);
            return;
        }
        let n = self.mechanics.coordinates();
        for row in g.jacobian.chunks_exact(n) {
            for j in &self.free {
                let field = &frame.fields[j * n..(j + 1) * n];
                out.push(field.iter().zip(row).map(|(u, slope)| u * slope).sum());
            }
        }
    }

    /// Everything at one point but brackets and constraints; v are all velocities.
    pub fn evaluate(&self, t: f64, q: &[f64], v: &[f64], out: &mut Evaluation) -> Result<(), Undefined> {
        let n = q.len();
        if self.is_framed() {
            self.mechanics.frame(q, &mut out.frame)?;
        }
        self.mechanics.lagrangian(t, q, v, &mut out.lagrangian)?;
        self.mechanics.force(t, q, v, &mut out.force)?;
        let (u, lq, force) = (&out.frame.fields, &out.lagrangian.q, &out.force.value);
        out.drive.clear();
        if self.is_framed() {
            let along = |j: &usize| -> f64 { (0..n).map(|a| u[j * n + a] * (lq[a] + force[a])).sum() };
            out.drive.extend(self.free.iter().map(along));
        } else {
            out.drive
                .extend(lq.iter().zip(force).map(|(lq, force)| lq + force));
        }
        Ok(())
    }

    /// Solves `∂L/∂v (t, q, v) = p` for the free v, by Newton; one iteration where L is quadratic in v.
    pub fn solve_velocity(
        &self,
        t: f64,
        q: &[f64],
        p: &[f64],
        v: &mut [f64],
        work: &mut LagrangianWorkspace,
    ) -> Result<(), Undefined> {
        self.solve_velocity_at(t, q, p, v, work, false)
    }

    /// The same; if it is `known` that L has a value at (t, q), this is not looked at again.
    pub(crate) fn solve_velocity_at(
        &self,
        t: f64,
        q: &[f64],
        p: &[f64],
        v: &mut [f64],
        work: &mut LagrangianWorkspace,
        mut known: bool,
    ) -> Result<(), Undefined> {
        v.fill(0.0);
        let (all, l) = (&mut work.all, &mut work.at.lagrangian);
        work.newton.solve(v, Undefined::SingularMass, |v, mass, rest| {
            match known {
                true => self.mechanics.momentum(t, q, self.all(v, all), l)?,
                false => self.mechanics.lagrangian(t, q, self.all(v, all), l)?,
            }
            known = true;
            self.fill_mass(mass, v.len(), &l.vv);
            for ((rest, i), p) in rest.iter_mut().zip(&self.free).zip(p) {
                *rest = p - l.v[*i];
            }
            Ok(())
        })
    }

    /// q̇, and the equations of motion solved for v̇ and the multipliers:
    ///
    /// ```text
    /// ⎡ M  Gᵀ ⎤ ⎡ v̇ ⎤   ⎡ cᵢⱼᵐ pₘ ξⁱ + uⱼ[L] + uⱼᵃ fₐ − (∂²L/∂v∂q) q̇ − ∂²L/∂v∂t ⎤
    /// ⎣ G  0  ⎦ ⎣ λ ⎦ = ⎣ −(d²g/dt² without v̇)                                    ⎦,    Gₖⱼ = uⱼ[gₖ]
    /// ```
    fn accelerate(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        (dq, dv): (&mut [f64], &mut [f64]),
        work: &mut LagrangianWorkspace,
    ) -> Result<(), Undefined> {
        let (n, f, m) = (q.len(), self.free.len(), self.mechanics.constraints());
        let LagrangianWorkspace {
            at,
            constraint,
            brackets,
            lu,
            all,
            unknown,
            across,
            ..
        } = work;
        let all = self.all(v, all);
        self.evaluate(t, q, all, at)?;
        let l = &at.lagrangian;
        unknown.clear();
        unknown.extend_from_slice(&at.drive);
        if let Some(structure) = &self.structure {
            structure.at(&at.frame, brackets)?;
            at.frame.velocity(all, dq);
            for (unknown, j) in unknown.iter_mut().zip(&self.free) {
                *unknown += brackets.term(&l.v, all, *j);
            }
        } else {
            dq.copy_from_slice(v);
        }
        for (unknown, j) in unknown.iter_mut().zip(&self.free) {
            let drag: f64 = (0..n).map(|a| l.vq[j * n + a] * dq[a]).sum();
            *unknown = *unknown - drag - l.vt[*j];
        }
        let size = f + m;
        let a = lu.reset(size);
        self.fill_mass(a, size, &l.vv);
        if m > 0 {
            self.mechanics.constraint(t, q, all, constraint)?;
            unknown.extend(constraint.curvature.iter().map(|c| -c));
            self.slopes_along(&at.frame, constraint, across);
            for (k, row) in across.chunks_exact(f).enumerate() {
                for (i, slope) in row.iter().enumerate() {
                    a[i * size + f + k] = *slope;
                    a[(f + k) * size + i] = *slope;
                }
            }
        }
        if !lu.solve(unknown) {
            return Err(Undefined::SingularMass);
        }
        dv.copy_from_slice(&unknown[..f]);
        Ok(())
    }

    /// The mass matrix of the free velocities, in the corner of a matrix with rows of the given length.
    fn fill_mass(&self, out: &mut [f64], length: usize, mass: &[f64]) {
        let k = self.velocities;
        if length == k && self.free.len() == k {
            out.copy_from_slice(mass);
            return;
        }
        for (row, i) in out.chunks_exact_mut(length.max(1)).zip(&self.free) {
            for (out, j) in row.iter_mut().zip(&self.free) {
                *out = mass[i * k + j];
            }
        }
    }
}
