//! (3.10) through the Cayley form (3.16), for any inertia.
//!
//! ```text
//! Δⱼ = (Fⱼ − I) qⱼ = 2 (fⱼ × qⱼ − |fⱼ|² qⱼ) / (1 + |fⱼ|²)        (3.15), F = cay(f), f ⟂ q
//! ```
//! The unknowns are the two tangent components of every f. Newton's matrix has blocks `Mᵢⱼ Uᵢ Vⱼ`
//! with `Uᵢ v = Tᵢᵀ(qᵢ × v)` and `Vⱼ = (∂Δⱼ/∂fⱼ) Tⱼ`; the fixed-point iteration of the paper freezes
//! f in the matrix of (3.16), `Vⱼ fⱼ = Δⱼ`. Links solve either in O(n).
use super::{Displacements, Solver, not_converged};
use crate::{
    Vec3,
    geometry::s2,
    integrator::{Cause, Fault},
    solve::{Corrections, Lu, Stop},
    spheres::{Block, Inertia, InertiaWork, LinkWork, Spheres},
};
use nalgebra::{Matrix2x3, Matrix3x2, Vector2};
use std::sync::Arc;

pub(super) struct Cayley {
    system: Arc<Spheres>,
    solver: Solver,
    /// Tangent bases Tᵢ.
    basis: Vec<Matrix3x2<f64>>,
    /// Tangent components of fᵢ, and the unknowns of the linear system.
    f: Vec<Vector2<f64>>,
    unknown: Vec<Vector2<f64>>,
    joints: Vec<LinkWork>,
    lu: Lu,
    work: InertiaWork,
}

impl Cayley {
    pub(super) fn new(system: Arc<Spheres>, solver: Solver) -> Self {
        let n = system.len();
        Self {
            system,
            solver,
            basis: Vec::with_capacity(n),
            f: vec![Vector2::zeros(); n],
            unknown: vec![Vector2::zeros(); n],
            joints: Vec::new(),
            lu: Lu::default(),
            work: InertiaWork::default(),
        }
    }

    /// Leaves the solution in `motion`; returns the number of iterations.
    pub(super) fn solve(
        &mut self,
        q: &[Vec3],
        kicked: &[Vec3],
        h: f64,
        motion: &mut Displacements,
    ) -> Result<u32, Fault> {
        self.basis.clear();
        self.basis.extend(q.iter().map(s2::tangent_basis));
        self.f.fill(Vector2::zeros());
        // Components of f are tangents of half the angle, at most 1.
        let (newton, stop, max_iterations) = match self.solver {
            Solver::Newton { max_iterations } => (true, Stop::quadratic(1.0), max_iterations),
            Solver::FixedPoint {
                tolerance,
                max_iterations,
            } => {
                // Rounding may keep the iteration moving a little above the tolerance.
                let stop = Stop {
                    small: tolerance,
                    rounding: 1e-13,
                    contraction: 1.0,
                };
                (false, stop, max_iterations)
            }
        };
        let mut corrections = Corrections::new(max_iterations);
        loop {
            self.displace(q, motion);
            for i in 0..q.len() {
                let target = self.basis[i].tr_mul(&kicked[i]) * h;
                self.unknown[i] = if newton {
                    target - left(&self.basis[i]) * motion.flow[i]
                } else {
                    target
                };
            }
            if !self.solve_linear(q, &motion.displacement, newton) {
                return Err(self.runaway());
            }
            let (correction, body) = self.correct(newton);
            match corrections.is_last(correction, stop) {
                Ok(true) => {
                    self.displace(q, motion);
                    return self.check_turn().map(|()| corrections.iterations);
                }
                Ok(false) => {}
                Err(_) => return Err(not_converged(corrections.iterations, correction, body)),
            }
        }
    }

    /// Puts the solution of the linear system into f; the largest change and its body.
    fn correct(&mut self, newton: bool) -> (f64, usize) {
        let mut largest = (0.0, 0);
        for (i, (f, unknown)) in self.f.iter_mut().zip(&self.unknown).enumerate() {
            let change = if newton { *unknown } else { unknown - *f };
            *f += change;
            let size = change.amax();
            if size > largest.0 || size.is_nan() {
                largest = (size, i);
            }
            if size.is_nan() {
                break;
            }
        }
        largest
    }

    /// Δ and M Δ for the present f.
    fn displace(&mut self, q: &[Vec3], motion: &mut Displacements) {
        for i in 0..q.len() {
            motion.displacement[i] = s2::cayley_displacement(&q[i], &(self.basis[i] * self.f[i]));
        }
        self.system
            .inertia()
            .apply(&motion.displacement, &mut motion.flow, &mut self.work);
    }

    /// |f| is the tangent of half the angle: beyond 1 the solution is on the wrong branch.
    fn check_turn(&self) -> Result<(), Fault> {
        match self.f.iter().position(|f| f.norm_squared() > 1.0) {
            None => Ok(()),
            Some(i) => Err(Fault {
                cause: Cause::TooLarge,
                body: Some(i),
            }),
        }
    }

    /// The body that has gone farthest when the equations have become singular.
    fn runaway(&self) -> Fault {
        let farthest = self
            .f
            .iter()
            .map(|f| f.norm())
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let finite = farthest.is_some_and(|(_, f)| f.is_finite());
        let cause = if finite { Cause::TooLarge } else { Cause::NotFinite };
        Fault {
            cause,
            body: farthest.map(|(i, _)| i),
        }
    }

    /// Solves the linear system with the matrix of Newton or of the fixed-point iteration.
    fn solve_linear(&mut self, q: &[Vec3], displacement: &[Vec3], newton: bool) -> bool {
        let (basis, f) = (&self.basis, &self.f);
        let right = |j: usize| right(&q[j], &basis[j], &f[j], &displacement[j], newton);
        match self.system.inertia() {
            Inertia::Links(links) => {
                let block = |i: usize, right: &Matrix3x2<f64>| {
                    let left = left(&basis[i]);
                    let own = links.diagonal()[i] - links.links()[i].length * links.first_moment(i);
                    Block {
                        excess: left * right * own,
                        left,
                    }
                };
                links.solve(&mut self.joints, right, block, &mut self.unknown)
            }
            Inertia::Dense { size: n, matrix } => {
                let a = self.lu.reset(2 * n);
                for j in 0..*n {
                    let right = right(j);
                    for i in 0..*n {
                        let block = left(&basis[i]) * right * matrix[i * n + j];
                        for (k, value) in block.iter().enumerate() {
                            a[(2 * i + k % 2) * 2 * n + 2 * j + k / 2] = *value;
                        }
                    }
                }
                self.lu.solve(bytemuck::cast_slice_mut(&mut self.unknown))
            }
        }
    }
}

/// `Uᵢ v = Tᵢᵀ (qᵢ × v)`, which is `(−e₂·v, e₁·v)`.
fn left(basis: &Matrix3x2<f64>) -> Matrix2x3<f64> {
    let (e1, e2) = (basis.column(0), basis.column(1));
    Matrix2x3::new(-e2[0], -e2[1], -e2[2], e1[0], e1[1], e1[2])
}

/// `Vⱼ`: the derivative of Δ with respect to the components of f, or for the fixed point the
/// matrix with `Vⱼ f = Δ`.
fn right(
    q: &Vec3,
    basis: &Matrix3x2<f64>,
    f: &Vector2<f64>,
    displacement: &Vec3,
    newton: bool,
) -> Matrix3x2<f64> {
    let scale = 2.0 / (1.0 + f.norm_squared());
    let (e1, e2): (Vec3, Vec3) = (basis.column(0).into(), basis.column(1).into());
    // e₁ × q = −e₂ and e₂ × q = e₁; then (2 e × q − 4 (f·e) q − 2 (f·e) Δ) / (1+|f|²).
    let bend = if newton { q * 2.0 + displacement } else { *q };
    Matrix3x2::from_columns(&[(-e2 - bend * f[0]) * scale, (e1 - bend * f[1]) * scale])
}
