//! An energy given as a formula of points.
//!
//! ```text
//! V(r₁, …, rₘ), ∂V/∂r₁, …, ∂V/∂rₘ        in one sweep, the derivatives by reverse accumulation as expressions
//! ∂²V/∂rₖ∂rₗ                              in another, for those who ask
//! ```
//! The energy is computed with the gradient because it may have no value where the gradient has one: 1/x is the
//! derivative of log x for negative x too.
use super::{
    Potential, Symmetry,
    symmetry::{Carriers, Configuration, scattered},
};
use crate::{
    Vec3,
    formula::{DomainError, Expressions, Formula, Program, Registers, SubExpression},
    system::Undefined,
};
use std::sync::Mutex;

/// A potential whose energy is a formula; its gradient is exact.
///
/// ```
/// # use holonomy::{Vec3, formula::{Formula, Kind, Scope}, potential::{FormulaPotential, Potential}};
/// let mut scope = Scope::new();
/// scope.variable("a", Kind::Vector, 0)?;
/// scope.variable("b", Kind::Vector, 3)?;
/// let energy = Formula::parse_as(Kind::Scalar, "0.5*norm(a - b)^2", &scope).map_err(|e| e[0].clone())?;
/// // `a` is point 4, `b` is point 1.
/// let potential = FormulaPotential::new(&energy, |vector| [4, 1][vector]);
///
/// let mut points = vec![Vec3::zeros(); 5];
/// points[4] = Vec3::new(3.0, 0.0, 4.0);
/// assert_eq!(potential.energy(&points), 12.5);
/// # Ok::<(), holonomy::formula::FormulaError>(())
/// ```
pub struct FormulaPotential {
    /// The points it depends on; the variables of the programs are their coordinates, one after the other.
    members: Vec<usize>,
    /// The energy and its gradient.
    program: Program,
    /// Second derivatives, if they were asked for.
    curvature: Option<Program>,
    /// Of a smooth function with the same symmetry, or less.
    probe: Program,
    uniform: bool,
    /// Memory, used again. A second thread that finds it taken makes its own.
    sweep: Mutex<Evaluated>,
}

#[derive(Default)]
struct Evaluated {
    x: Vec<f64>,
    out: Vec<f64>,
    registers: Registers,
}

/// Configurations taken at random at which symmetry is looked for, and how many must have a value.
const TRIED: u64 = 64;
const ENOUGH: usize = 8;

impl FormulaPotential {
    /// The energy is a number, read in a scope whose only variables are vectors: that in the slots 3k, 3k + 1 and
    /// 3k + 2 is the point `point(k)`. Only those that occur in the formula are asked for.
    pub fn new(energy: &Formula, point: impl FnMut(usize) -> usize) -> Self {
        Self::build(energy, point, false)
    }

    /// The same, with exact second derivatives: for implicit methods.
    pub fn with_hessian(energy: &Formula, point: impl FnMut(usize) -> usize) -> Self {
        Self::build(energy, point, true)
    }

    fn build(energy: &Formula, mut point: impl FnMut(usize) -> usize, twice: bool) -> Self {
        let mut expressions = Expressions::new();
        let written = expressions.scalar(energy);
        let mut vectors: Vec<usize> = expressions.slots().into_iter().map(|slot| slot / 3).collect();
        vectors.dedup();
        let mut replacements = Vec::with_capacity(3 * vectors.len());
        for (place, vector) in vectors.iter().enumerate() {
            for axis in 0..3 {
                replacements.push((3 * vector + axis, expressions.variable(3 * place + axis)));
            }
        }
        let value = expressions.substitute(written, &replacements);
        let slots: Vec<usize> = (0..3 * vectors.len()).collect();
        let gradient = expressions.gradient(value, &slots);
        let uniform = gradient
            .iter()
            .all(|slope| expressions.known_value(*slope).is_some());
        let program = expressions.compile(&[&[value], &*gradient].concat());
        let curvature = twice.then(|| {
            let curvature = expressions.hessian(value, &slots);
            expressions.compile(&curvature)
        });
        let smooth = expressions.smooth(value);
        let probe = expressions.gradient(smooth, &slots);
        let probe = expressions.compile(&probe);
        Self {
            members: vectors.iter().map(|vector| point(*vector)).collect(),
            program,
            curvature,
            probe,
            uniform,
            sweep: Mutex::default(),
        }
    }

    /// Whether the energy is the same everywhere.
    pub fn is_constant(&self) -> bool {
        self.members.is_empty()
    }

    fn with<R>(
        &self,
        program: &Program,
        points: &[Vec3],
        act: impl FnOnce(Result<&[f64], DomainError>) -> R,
    ) -> R {
        match self.sweep.try_lock() {
            Ok(mut sweep) => act(sweep.of(program, &self.members, points)),
            Err(_) => act(Evaluated::default().of(program, &self.members, points)),
        }
    }

    /// τ relative to the sizes of its terms; `None` where the potential has no value.
    fn torque(&self, configuration: &Configuration) -> Option<Vec3> {
        self.with(&self.probe, &configuration.points, |slopes| {
            let (mut torque, mut size) = (Vec3::zeros(), 0.0);
            for (slope, k) in slopes.ok()?.chunks_exact(3).zip(&self.members) {
                let (arm, slope) = (configuration.arms[*k], Vec3::from_column_slice(slope));
                torque += arm.cross(&slope);
                size += arm.norm() * slope.norm();
            }
            if size > 0.0 {
                torque /= size;
            }
            torque.iter().all(|part| part.is_finite()).then_some(torque)
        })
    }

    /// From torques at configurations taken at random; none if it has a value at hardly any of them.
    fn measured_symmetry(&self, configuration: impl Fn(u64) -> Configuration) -> Symmetry {
        let torques: Vec<Vec3> = (0..TRIED)
            .filter_map(|number| self.torque(&configuration(number)))
            .collect();
        if torques.len() < ENOUGH {
            return Symmetry::None;
        }
        Symmetry::without_torque(&torques)
    }
}

impl Evaluated {
    fn of(&mut self, program: &Program, members: &[usize], points: &[Vec3]) -> Result<&[f64], DomainError> {
        self.x.clear();
        for k in members {
            self.x.extend_from_slice(points[*k].as_slice());
        }
        self.out.resize(program.outputs(), 0.0);
        program.evaluate(&self.x, &mut self.registers, &mut self.out)?;
        Ok(&self.out)
    }
}

impl Potential for FormulaPotential {
    fn energy(&self, points: &[Vec3]) -> f64 {
        self.with(&self.program, points, |values| {
            values.map_or(f64::NAN, |values| values[0])
        })
    }

    fn add_gradient(&self, points: &[Vec3], gradient: &mut [Vec3]) {
        self.with(&self.program, points, |values| match values {
            Ok(values) => {
                for (k, slope) in self.members.iter().zip(values[1..].chunks_exact(3)) {
                    gradient[*k] += Vec3::new(slope[0], slope[1], slope[2]);
                }
            }
            Err(_) => {
                for k in &self.members {
                    gradient[*k].fill(f64::NAN);
                }
            }
        });
    }

    fn symmetry(&self) -> Symmetry {
        let most = self.members.iter().max().map_or(0, |k| k + 1);
        self.measured_symmetry(|number| {
            let points: Vec<Vec3> = (0..most).map(|k| scattered(number, k)).collect();
            let arms = points.clone();
            Configuration { points, arms }
        })
    }

    fn symmetry_on(&self, carriers: &Carriers<'_>) -> Symmetry {
        self.measured_symmetry(carriers.configuration)
    }

    fn members(&self) -> Option<&[usize]> {
        Some(&self.members)
    }

    fn hessian(&self, points: &[Vec3], out: &mut [f64]) -> bool {
        let Some(curvature) = &self.curvature else {
            return false;
        };
        self.with(curvature, points, |values| match values {
            Ok(values) => out.copy_from_slice(values),
            Err(_) => out.fill(f64::NAN),
        });
        true
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn add_hessian(&self, points: &[Vec3], direction: &[Vec3], change: &mut [Vec3]) -> bool {
        let flat = |list: &[Vec3]| -> Vec<f64> {
            let all = self.members.iter().flat_map(|k| list[*k].iter().copied());
            all.collect()
        };
        let mut moving = Vec::new();
        let found = self
            .program
            .evaluate_along(&flat(points), &flat(direction), &mut moving);
        for (place, k) in self.members.iter().enumerate() {
            for axis in 0..3 {
                change[*k][axis] += match found {
                    Ok(()) => moving[1 + 3 * place + axis][1],
                    Err(_) => f64::NAN,
                };
            }
        }
        true
    }

    /// From the sums of the gradient at configurations taken at random.
    fn is_translation_invariant(&self) -> bool {
        let most = self.members.iter().max().map_or(0, |k| k + 1);
        let sums: Vec<f64> = (0..TRIED)
            .filter_map(|number| {
                let points: Vec<Vec3> = (0..most).map(|k| scattered(number, k)).collect();
                self.with(&self.probe, &points, |slopes| {
                    let slopes = slopes.ok()?.chunks_exact(3).map(Vec3::from_column_slice);
                    let (sum, size) = slopes.fold((Vec3::zeros(), 0.0), |(sum, size), slope| {
                        (sum + slope, size + slope.norm())
                    });
                    let sum = if size > 0.0 { sum.norm() / size } else { 0.0 };
                    sum.is_finite().then_some(sum)
                })
            })
            .collect();
        sums.len() >= ENOUGH && sums.iter().all(|sum| *sum <= 1e-10)
    }

    fn is_uniform(&self) -> bool {
        self.uniform
    }

    fn undefined(&self, points: &[Vec3]) -> Option<Undefined> {
        self.with(&self.program, points, |values| {
            let error = values.err()?;
            Some(Undefined::Expression {
                number: error.number,
                argument: error.argument,
            })
        })
    }

    fn expressions(&self) -> Vec<SubExpression> {
        self.program.expressions()
    }
}
