//! Systems on (S²)ⁿ: `L = ½ Σᵢⱼ Mᵢⱼ q̇ᵢ·q̇ⱼ − V(q)` with constant inertia `M`.
//!
//! Stored: unit vectors `qᵢ` and momenta
//!
//! ```text
//! πᵢ = Mᵢᵢ ωᵢ − Σ_{j≠i} Mᵢⱼ qᵢ × (qⱼ × ωⱼ)      (= qᵢ × Σⱼ Mᵢⱼ q̇ⱼ on the manifold)
//! q̇ᵢ = ωᵢ × qᵢ                                                              (2.10)
//! Mᵢᵢ ω̇ᵢ − Σ_{j≠i} Mᵢⱼ qᵢ × (qⱼ × ω̇ⱼ) = Σ_{j≠i} Mᵢⱼ |ωⱼ|² qᵢ × qⱼ − qᵢ × ∂ᵢV   (2.9)
//! ```
//! Equation numbers are those of Lee, Leok & McClamroch (2009), document 001. The first line is
//! the matrix of (2.11) applied to ω. It is invertible for any `q`, also off the manifold, where
//! conventional methods wander.
mod held;
mod inertia;
mod links;
mod symmetry;

pub use held::Held;
pub use inertia::{Inertia, InertiaError, InertiaWork};
pub use links::{Block, Joint, Link, Links};

use crate::{
    Vec3,
    geometry::s2,
    lagrangian::Undefined,
    potential::{ListWork, Potential, Symmetry},
    solve::Lu,
    system::{Base, Layout, ManifoldError, Measurement, Names, Scratch, State, System, workspace},
};
use std::sync::Arc;

/// A body of [`Spheres`] as it is drawn and named: a link from its base along its direction.
#[derive(Clone, Debug)]
pub struct Body {
    /// Unique name.
    pub name: String,
    /// Where it begins.
    pub base: Base,
    /// How long it is, m.
    pub length: f64,
}

/// A point on a body, at a distance from its base along its direction; or a fixed point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Point {
    /// Fixed in space.
    Fixed(Vec3),
    /// Carried by a body.
    On {
        /// The body.
        body: usize,
        /// Distance from the body's base, m.
        distance: f64,
    },
}

/// A system on (S²)ⁿ.
pub struct Spheres {
    bodies: Arc<[Body]>,
    inertia: Inertia,
    points: Vec<Point>,
    potentials: Vec<Box<dyn Potential>>,
    held: Option<Held>,
    /// Where the expressions of each potential begin in the layout.
    expressions: Vec<u32>,
    /// Axes of the conserved angular momenta.
    axes: Vec<Vec3>,
    layout: Layout,
}

/// Work space for a [`Spheres`] system.
#[derive(Clone, Default)]
pub struct Workspace {
    /// Work space of the inertia.
    pub inertia: InertiaWork,
    first: Vec<Vec3>,
    second: Vec<Vec3>,
    positions: Vec<Vec3>,
    forces: Vec<Vec3>,
    /// What forces on a held tip do, and rates of change on the way to them.
    answers: [Vec<Vec3>; 3],
    rates: [Vec<f64>; 2],
}

/// Sees a flat list of coordinates as vectors.
pub fn view(x: &[f64]) -> &[Vec3] {
    bytemuck::cast_slice(x)
}

/// Sees a flat list of coordinates as vectors.
pub fn view_mut(x: &mut [f64]) -> &mut [Vec3] {
    bytemuck::cast_slice_mut(x)
}

impl Spheres {
    /// Puts a system together. Potentials see the directions of the bodies as points `0..n` and
    /// `points[k]` as point `n + k`. Bodies that begin at another body's site come after it.
    pub fn new(
        bodies: Vec<Body>,
        inertia: Inertia,
        points: Vec<Point>,
        potentials: Vec<Box<dyn Potential>>,
    ) -> Self {
        let mut spheres = Self {
            bodies: bodies.into(),
            inertia,
            points,
            potentials,
            held: None,
            expressions: Vec::new(),
            axes: Vec::new(),
            layout: Layout::default(),
        };
        spheres.describe();
        spheres
    }

    /// Finds what is kept, and names everything.
    fn describe(&mut self) {
        self.axes = match self.symmetry() {
            Symmetry::All => vec![Vec3::x(), Vec3::y(), Vec3::z()],
            Symmetry::About(axis) => vec![symmetry::towards_positive(axis)],
            Symmetry::None => Vec::new(),
        };
        let bodies = &self.bodies;
        let names = bodies.clone();
        let label = |symbol: &'static str| {
            let bodies = bodies.clone();
            let name = move |k: usize| format!("{symbol}.{}.{}", bodies[k / 3].name, ["x", "y", "z"][k % 3]);
            Names::made(3 * names.len(), name)
        };
        let mut expressions = Vec::new();
        self.expressions.clear();
        for potential in &self.potentials {
            self.expressions.push(expressions.len() as u32);
            expressions.extend(potential.expressions());
        }
        let axes = self.axes.iter();
        let held = (self.held.iter()).flat_map(|_| ["x", "y", "z"].map(|axis| format!("end.{axis}")));
        self.layout = Layout {
            coordinates: label("q"),
            velocities: label("omega"),
            bodies: Names::made(bodies.len(), move |k| names[k].name.clone()),
            bases: bodies.iter().map(|b| b.base).collect(),
            invariants: axes
                .map(|axis| format!("angular momentum {}", symmetry::axis_name(axis)))
                .collect(),
            expressions,
            down: self.potentials.iter().find_map(|v| v.down()),
            multipliers: held.collect(),
            multiplier_units: self.held.iter().flat_map(|_| ["N"; 3]).collect(),
            ..Layout::default()
        };
    }

    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Whether the bodies move each by itself but for potentials: the inertia matrix is diagonal, and no tip is held.
    pub fn are_separate(&self) -> bool {
        self.inertia.is_diagonal() && self.held.is_none()
    }

    /// The inertia matrix.
    pub fn inertia(&self) -> &Inertia {
        &self.inertia
    }

    /// `∂V/∂qᵢ`.
    pub fn gradient(&self, q: &[Vec3], gradient: &mut [Vec3], work: &mut Workspace) {
        gradient.fill(Vec3::zeros());
        if self.points.is_empty() {
            for potential in &self.potentials {
                potential.add_gradient(q, gradient);
            }
            return;
        }
        let n = self.len();
        self.place(q, &mut work.positions, &mut work.first);
        work.forces.clear();
        work.forces.resize(work.positions.len(), Vec3::zeros());
        for potential in &self.potentials {
            potential.add_gradient(&work.positions, &mut work.forces);
        }
        // Pulled back: a force on a point acts on its own link at its distance, and on every
        // link inboard at full length.
        gradient.copy_from_slice(&work.forces[..n]);
        let outboard = &mut work.first;
        outboard.fill(Vec3::zeros());
        for (point, force) in self.points.iter().zip(&work.forces[n..]) {
            if let Point::On { body, distance } = *point {
                gradient[body] += force * distance;
                if let Base::Site(parent) = self.bodies[body].base {
                    outboard[parent] += force;
                }
            }
        }
        for i in (0..n).rev() {
            gradient[i] += outboard[i] * self.bodies[i].length;
            if let Base::Site(parent) = self.bodies[i].base {
                let inboard = outboard[i];
                outboard[parent] += inboard;
            }
        }
    }

    /// Potential energy.
    pub fn potential(&self, q: &[Vec3], work: &mut Workspace) -> f64 {
        let points = if self.points.is_empty() {
            q
        } else {
            self.place(q, &mut work.positions, &mut work.first);
            &work.positions
        };
        self.potentials.iter().map(|v| v.energy(points)).sum()
    }

    /// `∂V/∂qᵢ` if it is the same for all configurations: uniform gravity alone, or nothing.
    pub fn uniform_gradient(&self) -> Option<Vec<Vec3>> {
        if !self.potentials.iter().all(|v| v.is_uniform()) {
            return None;
        }
        let mut gradient = vec![Vec3::zeros(); self.len()];
        // Any configuration will do.
        self.gradient(
            &vec![Vec3::z(); self.len()],
            &mut gradient,
            &mut Workspace::default(),
        );
        Some(gradient)
    }

    /// The energy of each potential, in their order.
    pub fn potential_energies(&self, q: &[Vec3]) -> Vec<f64> {
        let (mut positions, mut ends) = (Vec::new(), Vec::new());
        self.place(q, &mut positions, &mut ends);
        self.potentials.iter().map(|v| v.energy(&positions)).collect()
    }

    /// What all potentials with lists of neighbours did with them, if there are any.
    pub fn list_work(&self) -> Option<ListWork> {
        let each = self.potentials.iter().filter_map(|v| v.list_work());
        each.reduce(|a, b| ListWork {
            evaluations: a.evaluations + b.evaluations,
            rebuilds: a.rebuilds + b.rebuilds,
        })
    }

    /// What has no value in each potential, in their order.
    pub fn undefined_potentials(&self, q: &[Vec3]) -> Vec<Option<Undefined>> {
        let (mut positions, mut ends) = (Vec::new(), Vec::new());
        self.place(q, &mut positions, &mut ends);
        let all = 0..self.potentials.len();
        all.map(|k| self.undefined_potential(k, &positions)).collect()
    }

    fn undefined_potential(&self, k: usize, positions: &[Vec3]) -> Option<Undefined> {
        let first = self.expressions[k];
        match self.potentials[k].undefined(positions)? {
            Undefined::Expression { number, argument } => Some(Undefined::Expression {
                number: first + number,
                argument,
            }),
            other => Some(other),
        }
    }

    /// Accelerations `q̈` of the equations in `(q, q̇)`, the other continuous form:
    ///
    /// ```text
    /// Mᵢᵢ q̈ᵢ − qᵢ × (qᵢ × Σ_{j≠i} Mᵢⱼ q̈ⱼ) = −|q̇ᵢ|² Mᵢᵢ qᵢ + qᵢ × (qᵢ × ∂ᵢV)      (2.7), (2.8)
    /// ```
    /// By dense elimination; `None` when the matrix is singular. Methods use [`System::rate`].
    pub fn acceleration(&self, q: &[Vec3], velocity: &[Vec3]) -> Option<Vec<Vec3>> {
        let n = self.len();
        let mut gradient = vec![Vec3::zeros(); n];
        self.gradient(q, &mut gradient, &mut Workspace::default());
        let mut lu = Lu::default();
        let a = lu.reset(3 * n);
        let mut b = vec![Vec3::zeros(); n];
        for i in 0..n {
            let hat = q[i].cross_matrix();
            let m = self.inertia.diagonal(i);
            b[i] = hat * (hat * gradient[i]) - q[i] * (m * velocity[i].norm_squared());
            for j in 0..n {
                let block = if i == j {
                    nalgebra::Matrix3::from_diagonal_element(m)
                } else {
                    hat * hat * -self.inertia.entry(i, j)
                };
                for (k, value) in block.iter().enumerate() {
                    a[(3 * i + k % 3) * 3 * n + 3 * j + k / 3] = *value;
                }
            }
        }
        lu.solve(bytemuck::cast_slice_mut(&mut b)).then_some(b)
    }

    /// Conjugate momenta `pᵢ = Mᵢᵢ q̇ᵢ − qᵢ × (qᵢ × Σ_{j≠i} Mᵢⱼ q̇ⱼ)` of the Legendre transform (2.12).
    pub fn legendre(&self, q: &[Vec3], velocity: &[Vec3]) -> Vec<Vec3> {
        let mut coupled = vec![Vec3::zeros(); self.len()];
        self.inertia
            .apply_coupling(velocity, &mut coupled, &mut InertiaWork::default());
        (0..self.len())
            .map(|i| velocity[i] * self.inertia.diagonal(i) - q[i].cross(&q[i].cross(&coupled[i])))
            .collect()
    }

    /// A state with the given directions and angular velocities at time zero.
    pub fn state(&self, q: &[Vec3], omega: &[Vec3]) -> State {
        let mut p = vec![0.0; 3 * self.len()];
        let (q, omega): (&[f64], &[f64]) = (bytemuck::cast_slice(q), bytemuck::cast_slice(omega));
        self.momentum(0.0, q, omega, &mut p, &mut self.scratch());
        State::new(0.0, q.to_vec(), p)
    }

    /// Angular velocities of a state; not a number where the inertia cannot be inverted.
    pub fn angular_velocity(&self, q: &[Vec3], pi: &[Vec3], work: &mut Workspace) -> Vec<Vec3> {
        let mut omega = pi.to_vec();
        if !self.inertia.solve_angular(q, &mut omega, &mut work.inertia) {
            omega.fill(Vec3::repeat(f64::NAN));
        }
        omega
    }

    /// What has no value where the gradient is not finite; only formulas can tell.
    pub fn undefined_at(&self, q: &[Vec3], work: &mut Workspace) -> Option<Undefined> {
        let finite = |q: &Vec3| q.iter().all(|x| x.is_finite());
        if self.layout.expressions.is_empty() || !q.iter().all(finite) {
            return None;
        }
        self.place(q, &mut work.positions, &mut work.first);
        let mut all = 0..self.potentials.len();
        all.find_map(|k| self.undefined_potential(k, &work.positions))
    }

    /// [`System::rate`], and λ where a tip is held.
    fn accelerate(
        &self,
        q: &[f64],
        v: &[f64],
        dq: &mut [f64],
        dv: &mut [f64],
        scratch: &mut Scratch,
    ) -> Option<Vec3> {
        let (q, omega, dq, domega) = (view(q), view(v), view_mut(dq), view_mut(dv));
        let work = workspace::<Workspace>(scratch);
        self.gradient(q, dq, work);
        work.second.clear();
        work.second
            .extend(q.iter().zip(omega).map(|(q, w)| q * w.norm_squared()));
        self.inertia
            .apply_coupling(&work.second, domega, &mut work.inertia);
        for i in 0..self.len() {
            domega[i] = q[i].cross(&(domega[i] - dq[i]));
            dq[i] = omega[i].cross(&q[i]);
        }
        if !self.inertia.solve_angular(q, domega, &mut work.inertia) {
            domega.fill(Vec3::repeat(f64::NAN));
        }
        self.react(q, omega, domega, work)
    }

    /// Positions of the directions and points for the potentials; `ends` receives the tips.
    fn place(&self, q: &[Vec3], positions: &mut Vec<Vec3>, ends: &mut Vec<Vec3>) {
        ends.clear();
        ends.resize(self.len(), Vec3::zeros());
        self.tips(q, ends);
        positions.clear();
        positions.extend_from_slice(q);
        positions.extend(self.points.iter().map(|point| match *point {
            Point::Fixed(r) => r,
            Point::On { body, distance } => self.base_of(body, ends) + q[body] * distance,
        }));
    }

    fn tips(&self, q: &[Vec3], ends: &mut [Vec3]) {
        for i in 0..self.len() {
            ends[i] = self.base_of(i, ends) + q[i] * self.bodies[i].length;
        }
    }

    fn base_of(&self, body: usize, ends: &[Vec3]) -> Vec3 {
        match self.bodies[body].base {
            Base::Fixed(r) => r,
            Base::Site(parent) => ends[parent],
        }
    }
}

impl System for Spheres {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn measure(&self, state: &State, out: &mut Measurement, scratch: &mut Scratch) {
        let q = view(&state.q);
        out.velocity.resize(state.p.len(), 0.0);
        self.velocity(state.t, &state.q, &state.p, &mut out.velocity, scratch);
        let Workspace {
            inertia,
            first,
            second,
            ..
        } = workspace::<Workspace>(scratch);
        // q̇ᵢ = ωᵢ × qᵢ and Σⱼ Mᵢⱼ q̇ⱼ: right also off the manifold.
        first.clear();
        first.extend(view(&out.velocity).iter().zip(q).map(|(w, q)| w.cross(q)));
        second.resize(q.len(), Vec3::zeros());
        self.inertia.apply(first, second, inertia);
        out.energy.kinetic = 0.5
            * first
                .iter()
                .zip(&*second)
                .map(|(v, flow)| v.dot(flow))
                .sum::<f64>();
        let momentum: Vec3 = q.iter().zip(&*second).map(|(q, flow)| q.cross(flow)).sum();
        out.invariants.clear();
        out.invariants
            .extend(self.axes.iter().map(|axis| momentum.dot(axis)));
        out.energy.potential = self.potential(q, workspace::<Workspace>(scratch));
        let errors = q.iter().map(|q| (1.0 - q.norm_squared()).abs());
        let (sum, max) = errors.fold((0.0, 0.0_f64), |(sum, max), e| (sum + e, max.max(e)));
        out.manifold = ManifoldError {
            mean: sum / self.len().max(1) as f64,
            max,
        };
        out.constraint = self.opening(q);
        out.multipliers.clear();
        if self.held.is_some() {
            let mut rates = std::mem::take(&mut workspace::<Workspace>(scratch).rates);
            rates.iter_mut().for_each(|rate| rate.resize(state.q.len(), 0.0));
            let [dq, dv] = &mut rates;
            let lambda = self.accelerate(&state.q, &out.velocity, dq, dv, scratch);
            workspace::<Workspace>(scratch).rates = rates;
            out.multipliers
                .extend(lambda.iter().flat_map(|lambda| lambda.iter()));
        }
    }

    fn velocity(&self, _t: f64, q: &[f64], p: &[f64], v: &mut [f64], scratch: &mut Scratch) {
        v.copy_from_slice(p);
        let v = view_mut(v);
        if !self
            .inertia
            .solve_angular(view(q), v, &mut workspace::<Workspace>(scratch).inertia)
        {
            v.fill(Vec3::repeat(f64::NAN));
        }
    }

    fn momentum(&self, _t: f64, q: &[f64], v: &[f64], p: &mut [f64], scratch: &mut Scratch) {
        let (q, omega, pi) = (view(q), view(v), view_mut(p));
        let work = workspace::<Workspace>(scratch);
        // (2.11) applied to ω: the off-diagonal part is −qᵢ × Σ_{j≠i} Mᵢⱼ (qⱼ × ωⱼ).
        work.first.clear();
        work.first.extend(q.iter().zip(omega).map(|(q, w)| q.cross(w)));
        self.inertia.apply_coupling(&work.first, pi, &mut work.inertia);
        for i in 0..self.len() {
            pi[i] = omega[i] * self.inertia.diagonal(i) - q[i].cross(&pi[i]);
        }
    }

    fn rate(&self, _t: f64, q: &[f64], v: &[f64], dq: &mut [f64], dv: &mut [f64], scratch: &mut Scratch) {
        self.accelerate(q, v, dq, dv, scratch);
    }

    fn project(&self, q: &mut [f64], v: &mut [f64]) {
        for (q, omega) in view_mut(q).iter_mut().zip(view_mut(v)) {
            *q = s2::normalised(&q.normalize());
            *omega = s2::tangent(q, omega);
        }
        self.close(view_mut(q), view_mut(v));
    }

    fn sites(&self, q: &[f64], out: &mut [Vec3]) {
        self.tips(view(q), out);
    }

    fn is_canonical(&self) -> bool {
        self.held.is_none()
    }

    /// Central projection onto the tangent plane: `q = u/|u|`, `u = qₒ + x₁e₁ + x₂e₂`, with the
    /// covector `π × q` pulled back.
    fn canonical(&self, origin: &[f64], q: &[f64], p: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for ((origin, q), pi) in view(origin).iter().zip(view(q)).zip(view(p)) {
            let basis = s2::tangent_basis(origin);
            let length = 1.0 / q.dot(origin);
            x.extend((basis.tr_mul(q) * length).iter());
            // ∂q/∂x = (I − qqᵀ) T / |u|, and π × q is perpendicular to q.
            y.extend((basis.tr_mul(&pi.cross(q)) / length).iter());
        }
        (x, y)
    }

    fn state_from_canonical(&self, origin: &[f64], x: &[f64], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut all_q, mut all_p) = (Vec::new(), Vec::new());
        for ((origin, x), y) in view(origin).iter().zip(x.chunks_exact(2)).zip(y.chunks_exact(2)) {
            let basis = s2::tangent_basis(origin);
            let u = origin + basis * nalgebra::Vector2::new(x[0], x[1]);
            let (length, q) = (u.norm(), u.normalize());
            // The covector a ⟂ q with Tᵀa = |u| y: start from T|u|y and add what makes it so along qₒ.
            let flat = basis * nalgebra::Vector2::new(y[0], y[1]) * length;
            let covector = flat - origin * (flat.dot(&q) / origin.dot(&q));
            all_q.extend(q.iter());
            all_p.extend(q.cross(&covector).iter());
        }
        (all_q, all_p)
    }

    fn undefined(&self, _t: f64, q: &[f64], _v: &[f64], scratch: &mut Scratch) -> Option<Undefined> {
        self.undefined_at(view(q), workspace::<Workspace>(scratch))
    }

    fn scratch(&self) -> Scratch {
        Box::new(Workspace::default())
    }
}
