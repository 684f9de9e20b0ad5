//! What constraints ask of a start.
//!
//! ```text
//! g(0, q) = 0                     or q moves by −M⁻¹Gᵀ(GM⁻¹Gᵀ)⁻¹g until it is
//! G v + ∂g/∂t = 0                 or v changes by −M⁻¹Gᵀ(GM⁻¹Gᵀ)⁻¹(Gv + ∂g/∂t)
//! ```
//! In a frame G and M are those of the free quasi-velocities, and q moves along their fields.
use super::{LagrangianDraft, names::Name};
use crate::Problems;
use holonomy::{
    formula::Kind,
    lagrangian::{FrameFields, HolonomicConstraint, Lagrangian},
    solve,
    system::{System, Undefined},
};
use nalgebra::{DMatrix, DVector};

/// A start that constraints are asked about.
pub(super) struct Consistent<'a> {
    system: &'a Lagrangian,
    draft: &'a LagrangianDraft,
    problems: &'a Problems,
    mass: DMatrix<f64>,
    found: HolonomicConstraint,
    frame: FrameFields,
    /// G of the free velocities.
    across: Vec<f64>,
}

/// What is off by more than this share is a mistake rather than a matter of digits.
const MATTER_OF_DIGITS: f64 = 1e-3;

impl<'a> Consistent<'a> {
    pub(super) fn new(
        system: &'a Lagrangian,
        draft: &'a LagrangianDraft,
        problems: &'a Problems,
        mass: &[f64],
    ) -> Self {
        let free = system.free().len();
        Self {
            system,
            draft,
            problems,
            mass: DMatrix::from_row_slice(free, free, mass),
            found: HolonomicConstraint::default(),
            frame: FrameFields::default(),
            across: Vec::new(),
        }
    }

    /// The given start, or the nearest that keeps the constraints.
    pub(super) fn start(mut self, q: &[f64], v: Vec<f64>) -> Option<(Vec<f64>, Vec<f64>)> {
        let Some(first) = self.draft.constraints.first() else {
            return Some((q.to_vec(), v));
        };
        if let Err(error) = self.measure(q, &v) {
            let layout = self.system.layout();
            let suspects = &self.draft.constraints;
            self.draft
                .undefined(error, suspects, &first.place, layout, self.problems);
            return None;
        }
        self.check_rank()?;
        let q = self.place(q)?;
        let v = self.tangent(&q, &v)?;
        Some((q, v))
    }

    fn measure(&mut self, q: &[f64], v: &[f64]) -> Result<(), Undefined> {
        let mechanics = self.system.mechanics();
        let mut all = Vec::new();
        self.system.spread(v, &mut all);
        mechanics.constraint(self.draft.start.t, q, &all, &mut self.found)?;
        mechanics.frame(q, &mut self.frame)?;
        self.system
            .slopes_along(&self.frame, &self.found, &mut self.across);
        Ok(())
    }

    fn jacobian(&self) -> DMatrix<f64> {
        DMatrix::from_row_slice(self.draft.constraints.len(), self.mass.nrows(), &self.across)
    }

    /// Where the coordinates are after a unit of time with constant velocities, which are small.
    fn moved(&mut self, q: &[f64], v: &[f64]) -> Result<Vec<f64>, Undefined> {
        let ahead = |by: f64, rate: &[f64]| -> Vec<f64> {
            q.iter().zip(rate).map(|(q, rate)| q + by * rate).collect()
        };
        if !self.system.is_framed() {
            return Ok(ahead(1.0, v));
        }
        let mut all = Vec::new();
        self.system.spread(v, &mut all);
        let mut rate = |at: &[f64]| -> Result<Vec<f64>, Undefined> {
            self.system.mechanics().frame(at, &mut self.frame)?;
            let mut rate = vec![0.0; at.len()];
            self.frame.velocity(&all, &mut rate);
            Ok(rate)
        };
        // Runge and Kutta's: redundant coordinates leave their manifold by the fifth power of a small way.
        let first = rate(q)?;
        let second = rate(&ahead(0.5, &first))?;
        let third = rate(&ahead(0.5, &second))?;
        let fourth = rate(&ahead(1.0, &third))?;
        let mean = |i: usize| (first[i] + 2.0 * (second[i] + third[i]) + fourth[i]) / 6.0;
        let mean: Vec<f64> = (0..q.len()).map(mean).collect();
        Ok(ahead(1.0, &mean))
    }

    /// Each constraint must say something that those before it do not.
    fn check_rank(&self) -> Option<()> {
        let g = self.jacobian();
        let mut basis: Vec<DVector<f64>> = Vec::new();
        for (k, written) in self.draft.constraints.iter().enumerate() {
            let mut row = g.row(k).transpose();
            let norm = row.norm();
            let report = |message: String| self.problems.error(written.place.clone(), message);
            let n = self.draft.start.q.len();
            let slopes = &self.found.jacobian[k * n..(k + 1) * n];
            if norm <= 1e-12 * largest(slopes) && self.system.is_framed() && largest(slopes) > 0.0 {
                return report(format!("no free quasi-velocity changes `{}` at the start", written.name))
                    .help(
                        "if the fields keep it as it is, remove it; if not, it contradicts what is `constrained`, or \
                         is singular there: start elsewhere, or free a quasi-velocity",
                    )
                    .none();
            }
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
                let message = match (k >= self.mass.nrows(), self.system.is_framed()) {
                    (true, _) => format!(
                        "`{}` is one constraint too many: nothing is left to move",
                        written.name
                    ),
                    (false, false) => format!(
                        "`{}` is redundant: the constraints before it imply it at the start",
                        written.name
                    ),
                    (false, true) => format!(
                        "`{}` is redundant: along the free fields the constraints before it imply it at the start",
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
        let rest = vec![0.0; self.mass.nrows()];
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
            let Ok(next) = self.moved(&q, step.as_slice()) else {
                break;
            };
            moved = (q.iter().zip(&next)).fold(0.0, |m, (q, next)| (next - q).abs().max(m));
            q = next;
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
                true => report.help(format!("the nearest start that does is {}", self.coordinates(&q))),
                false => report.help("no start near it does"),
            }
            .none();
        }
        if distance > 1e-12 * size {
            let message = format!(
                "the start misses `{name}` by {value:.1e}; it is moved to {}",
                self.coordinates(&q)
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
                    self.velocities(&v)
                ))
                .none();
        }
        if change > 1e-12 * size {
            let message = format!(
                "the velocities at the start leave `{name}`; they are changed to {}",
                self.velocities(&v)
            );
            self.problems.note(place, message);
        }
        Some(v)
    }

    fn coordinates(&self, q: &[f64]) -> String {
        listed(&self.draft.coordinates, q)
    }

    fn velocities(&self, v: &[f64]) -> String {
        match &self.draft.frame {
            Some(framed) => listed(&framed.free_names(), v),
            None => listed(&self.draft.coordinates, v),
        }
    }
}

/// As it could be written in a model.
fn listed(names: &[Name], values: &[f64]) -> String {
    let mut rest = values.iter().map(|value| shortened(*value));
    let mut next = || rest.next().unwrap_or_default();
    let each = names.iter().map(|name| match name.kind {
        Kind::Scalar => format!("{} = {}", name.text, next()),
        Kind::Vector => format!("{} = [{}, {}, {}]", name.text, next(), next(), next()),
    });
    let list: Vec<String> = each.collect();
    format!("`{{ {} }}`", list.join(", "))
}

/// A number without the digits that rounding has made.
fn shortened(value: f64) -> String {
    let digits: f64 = format!("{value:.14e}").parse().unwrap_or(value);
    digits.to_string()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, x| m.max(x.abs()))
}
