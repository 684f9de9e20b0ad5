//! What constraints ask of a start.
//!
//! ```text
//! g(0, q) = 0                     or q moves by −M⁻¹Gᵀ(GM⁻¹Gᵀ)⁻¹g until it is
//! G v + ∂g/∂t = 0                 or v changes by −M⁻¹Gᵀ(GM⁻¹Gᵀ)⁻¹(Gv + ∂g/∂t)
//! ```
use super::LagrangianDraft;
use crate::Problems;
use holonomy::{
    formula::Kind,
    lagrangian::{HolonomicConstraint, Lagrangian},
    solve,
    system::Undefined,
};
use nalgebra::{DMatrix, DVector};

/// A start that constraints are asked about.
pub(super) struct Consistent<'a> {
    system: &'a Lagrangian,
    draft: &'a LagrangianDraft,
    problems: &'a Problems,
    mass: DMatrix<f64>,
    found: HolonomicConstraint,
}

/// What is off by more than this share is a mistake rather than a matter of digits.
const MATTER_OF_DIGITS: f64 = 1e-3;

impl<'a> Consistent<'a> {
    pub(super) fn new(
        system: &'a Lagrangian,
        draft: &'a LagrangianDraft,
        problems: &'a Problems,
        mass: DMatrix<f64>,
    ) -> Self {
        Self {
            system,
            draft,
            problems,
            mass,
            found: HolonomicConstraint::default(),
        }
    }

    pub(super) fn measure(&mut self, q: &[f64], v: &[f64]) -> Result<(), Undefined> {
        let mechanics = self.system.mechanics();
        mechanics.constraint(self.draft.start.t, q, v, &mut self.found)
    }

    fn jacobian(&self) -> DMatrix<f64> {
        DMatrix::from_row_slice(
            self.draft.constraints.len(),
            self.mass.nrows(),
            &self.found.jacobian,
        )
    }

    /// Each constraint must say something that those before it do not.
    pub(super) fn check_rank(&self) -> Option<()> {
        let g = self.jacobian();
        let mut basis: Vec<DVector<f64>> = Vec::new();
        for (k, written) in self.draft.constraints.iter().enumerate() {
            let mut row = g.row(k).transpose();
            let norm = row.norm();
            let report = |message: String| self.problems.error(written.place.clone(), message);
            if norm == 0.0 {
                return report(format!("`{}` does not change with any coordinate at the start", written.name))
                    .help("it is singular there: start elsewhere, or write it differently (`r - l`, not `(r - l)^2`)")
                    .none();
            }
            for _ in 0..2 {
                for direction in &basis {
                    let along = direction.dot(&row);
                    row.axpy(-along, direction, 1.0);
                }
            }
            if row.norm() <= 1e-10 * norm {
                let message = match k >= self.mass.nrows() {
                    true => format!(
                        "`{}` is one constraint too many: nothing is left to move",
                        written.name
                    ),
                    false => format!(
                        "`{}` is redundant: the constraints before it imply it at the start",
                        written.name
                    ),
                };
                return report(message).help("remove it").none();
            }
            basis.push(row.normalize());
        }
        Some(())
    }

    /// The change of q or v, of the least kinetic energy, that undoes the given violations.
    fn correction(&self, violation: &[f64]) -> Option<DVector<f64>> {
        let g = self.jacobian();
        let inverse = self.mass.clone().lu();
        let spread = inverse.solve(&g.transpose())?;
        let multipliers = solve::product(&g, &spread)
            .lu()
            .solve(&DVector::from_column_slice(violation))?;
        Some(-spread * multipliers)
    }

    fn singular<T>(&self) -> Option<T> {
        self.problems
            .error(
                self.draft.start.q_place.clone(),
                "the constraints are singular where it starts",
            )
            .help("start elsewhere")
            .none()
    }

    /// The given coordinates, or those nearest to them that satisfy the constraints.
    pub(super) fn place(&mut self, given: &[f64]) -> Option<Vec<f64>> {
        let rest = vec![0.0; given.len()];
        let mut q = given.to_vec();
        let size = largest(given).max(f64::MIN_POSITIVE);
        let mut moved = f64::INFINITY;
        for _ in 0..50 {
            moved = f64::INFINITY;
            if self.measure(&q, &rest).is_err() {
                break;
            }
            let Some(step) = self.correction(&self.found.value.clone()) else {
                break;
            };
            q.iter_mut().zip(&step).for_each(|(q, step)| *q += step);
            moved = step.amax();
            if moved <= 4.0 * f64::EPSILON * size {
                break;
            }
        }
        let distance = given
            .iter()
            .zip(&q)
            .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        let solved = moved <= 1e-12 * largest(&q).max(size);
        if self.measure(given, &rest).is_err() {
            return self.singular();
        }
        let worst = (0..self.found.value.len())
            .max_by(|i, j| self.found.value[*i].abs().total_cmp(&self.found.value[*j].abs()))?;
        let name = &self.draft.constraints[worst].name;
        let value = self.found.value[worst];
        let place = self.draft.start.q_place.clone();
        if !solved || distance > MATTER_OF_DIGITS * size {
            let report = self.problems.error(
                place,
                format!("the start does not satisfy `{name}`: its formula is {value:.6}, not 0"),
            );
            return match solved {
                true => report.help(format!("the nearest start that does is {}", self.listed(&q))),
                false => report.help("no start near it does"),
            }
            .none();
        }
        if distance > 1e-12 * size {
            let message = format!(
                "the start misses `{name}` by {value:.1e}; it is moved to {}",
                self.listed(&q)
            );
            self.problems.note(place, message);
        }
        Some(q)
    }

    /// The given velocities, or those nearest to them along which the constraints stay satisfied.
    pub(super) fn tangent(&mut self, q: &[f64], given: &[f64]) -> Option<Vec<f64>> {
        if self.measure(q, given).is_err() {
            return self.singular();
        }
        let slip: Vec<f64> = (&self.jacobian() * DVector::from_column_slice(given))
            .iter()
            .zip(&self.found.rate)
            .map(|(along, rate)| along + rate)
            .collect();
        let Some(step) = self.correction(&slip) else {
            return self.singular();
        };
        let v: Vec<f64> = given.iter().zip(&step).map(|(v, step)| v + step).collect();
        let (change, size) = (step.amax(), largest(given));
        let worst = (0..slip.len()).max_by(|i, j| slip[*i].abs().total_cmp(&slip[*j].abs()))?;
        let name = &self.draft.constraints[worst].name;
        let place = self.draft.start.rates_place.clone();
        if change > MATTER_OF_DIGITS * size {
            let message = format!(
                "the velocities at the start leave `{name}`: its formula would change by {:.6} per second",
                slip[worst]
            );
            let none = place == self.draft.start.q_place;
            let add = if none { "add `[velocity]`: " } else { "" };
            return self
                .problems
                .error(place, message)
                .help(format!(
                    "{add}the nearest velocities that do not are {}",
                    self.listed(&v)
                ))
                .none();
        }
        if change > 1e-12 * size {
            let message = format!(
                "the velocities at the start leave `{name}`; they are changed to {}",
                self.listed(&v)
            );
            self.problems.note(place, message);
        }
        Some(v)
    }

    /// As it could be written in a model.
    fn listed(&self, values: &[f64]) -> String {
        let mut rest = values.iter().map(|value| shortened(*value));
        let mut next = || rest.next().unwrap_or_default();
        let each = self.draft.coordinates.iter().map(|name| match name.kind {
            Kind::Scalar => format!("{} = {}", name.text, next()),
            Kind::Vector => format!("{} = [{}, {}, {}]", name.text, next(), next(), next()),
        });
        let list: Vec<String> = each.collect();
        format!("`{{ {} }}`", list.join(", "))
    }
}

/// A number without the digits that rounding has made.
fn shortened(value: f64) -> String {
    let digits: f64 = format!("{value:.14e}").parse().unwrap_or(value);
    digits.to_string()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, x| m.max(x.abs()))
}
