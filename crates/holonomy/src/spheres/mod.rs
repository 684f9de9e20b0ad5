//! Systems on (S²)ⁿ: `L = ½ Σᵢⱼ Mᵢⱼ q̇ᵢ·q̇ⱼ − V(q)` with constant inertia `M`.
//!
//! Stored: unit vectors `qᵢ` and momenta
//!
//! ```text
//! πᵢ = Mᵢᵢ ωᵢ − Σ_{j≠i} Mᵢⱼ qᵢ × (qⱼ × ωⱼ)      (= qᵢ × Σⱼ Mᵢⱼ q̇ⱼ on the manifold)
//! q̇ᵢ = ωᵢ × qᵢ                                                              (2.10)
//! Mᵢᵢ ω̇ᵢ − Σ_{j≠i} Mᵢⱼ qᵢ × (qⱼ × ω̇ⱼ) = Σ_{j≠i} Mᵢⱼ |ωⱼ|² qᵢ × qⱼ − qᵢ × ∂ᵢV   (2.9)
//! ```
//! Equation numbers are those of Lee, Leok & McClamroch (2009). The first line is
//! the matrix of (2.11) applied to ω. It is invertible for any `q`, also off the manifold, where
//! conventional methods wander.
mod body;
mod error;
mod forces;
mod held;
mod inertia;
#[cfg(not(target_arch = "wasm32"))]
mod factors;
mod links;
mod parts;
mod recorded;
mod scene;
mod start;
mod symmetry;
mod system;

pub use body::{Body, Point};
pub use error::SpheresError;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use factors::LinkFactors;
pub(crate) use forces::Torques;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use forces::Turned;
pub use forces::{Damping, Seen, SphereAct, SphereForce, SphereLaw};
pub use held::Held;
pub use inertia::{Inertia, InertiaError, InertiaWork};
pub use links::{Block, LinkWork, Links, Segment};
pub use parts::SpheresParts;

#[cfg(not(target_arch = "wasm32"))]
use crate::potential::scattered;
use crate::{
    Vec3,
    potential::{ListWork, Potential},
    solve::Lu,
    system::{Base, Layout, Undefined},
};
use std::sync::Arc;

/// A system on (S²)ⁿ.
pub struct Spheres {
    bodies: Arc<[Body]>,
    inertia: Inertia,
    points: Vec<Point>,
    potentials: Vec<Box<dyn Potential>>,
    held: Option<Held>,
    forces: Vec<SphereForce>,
    /// Where the expressions of each potential begin in the layout.
    expressions: Vec<u32>,
    /// Axes of the conserved angular momenta.
    axes: Vec<Vec3>,
    drawn: scene::Drawn,
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
    torques: Torques,
    /// What forces on a held tip do, and rates of change on the way to them.
    answers: [Vec<Vec3>; 3],
    rates: [Vec<f64>; 2],
    /// How points move with directions, and where they are without them.
    #[cfg(not(target_arch = "wasm32"))]
    moving: [Vec<Vec3>; 2],
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
    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// The bodies.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
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
        self.place(q, &mut work.positions, &mut work.first);
        work.forces.clear();
        work.forces.resize(work.positions.len(), Vec3::zeros());
        for potential in &self.potentials {
            potential.add_gradient(&work.positions, &mut work.forces);
        }
        self.pull_back(&work.forces, gradient, &mut work.first);
    }

    /// A force on a point acts on its own link at its distance, and on every link inboard at full length.
    fn pull_back(&self, forces: &[Vec3], gradient: &mut [Vec3], outboard: &mut [Vec3]) {
        let n = self.len();
        gradient.copy_from_slice(&forces[..n]);
        outboard.fill(Vec3::zeros());
        for (point, force) in self.points.iter().zip(&forces[n..]) {
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

    /// How `∂V/∂qᵢ` changes, to the first order, where the directions move by `direction`; `false` where a potential has
    /// no exact second derivatives.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn hessian(&self, q: &[Vec3], direction: &[Vec3], change: &mut [Vec3], work: &mut Workspace) -> bool {
        change.fill(Vec3::zeros());
        if self.points.is_empty() {
            let mut all = self.potentials.iter();
            return all.all(|v| v.add_hessian(q, direction, change));
        }
        // Places are linear in the directions, but for those that are fixed.
        let [mut moved, mut rest] = std::mem::take(&mut work.moving);
        let still = &mut work.second;
        still.clear();
        still.resize(self.len(), Vec3::zeros());
        self.place(direction, &mut moved, &mut work.first);
        self.place(still, &mut rest, &mut work.first);
        moved
            .iter_mut()
            .zip(&rest)
            .for_each(|(moved, rest)| *moved -= rest);
        self.place(q, &mut work.positions, &mut work.first);
        work.forces.clear();
        work.forces.resize(work.positions.len(), Vec3::zeros());
        let known =
            (self.potentials.iter()).all(|v| v.add_hessian(&work.positions, &moved, &mut work.forces));
        self.pull_back(&work.forces, change, &mut work.first);
        work.moving = [moved, rest];
        known
    }

    /// Why steps have no derivatives, if they have none: what they would need.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn without_derivatives(&self) -> Option<&'static str> {
        // Whether potentials have second derivatives does not depend on where.
        let each = |number: u64| (0..self.len()).map(move |k| scattered(number, k));
        let q: Vec<Vec3> = each(1).map(|q| q.normalize()).collect();
        let (direction, mut change) = (each(2).collect::<Vec<_>>(), vec![Vec3::zeros(); self.len()]);
        let known = self.hessian(&q, &direction, &mut change, &mut Workspace::default());
        (!known).then_some("potentials with second derivatives: built-in ones, formulas, or `Autodiff`")
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
    /// By dense elimination; `None` when the matrix is singular. Methods use [`crate::system::System::rate`].
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
        if self.layout.words.expressions.is_empty() || !q.iter().all(finite) {
            return None;
        }
        self.place(q, &mut work.positions, &mut work.first);
        let mut all = 0..self.potentials.len();
        all.find_map(|k| self.undefined_potential(k, &work.positions))
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
