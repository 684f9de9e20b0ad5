//! `[start]` with `[velocity]` or `[momentum]`, and whether a mechanism can start there.
//!
//! ```text
//! M = ∂²L/∂v²                     must not be singular
//! g(0, q) = 0                     or q moves by −M⁻¹Gᵀ(GM⁻¹Gᵀ)⁻¹g until it is
//! G v + ∂g/∂t = 0                 or v changes by −M⁻¹Gᵀ(GM⁻¹Gᵀ)⁻¹(Gv + ∂g/∂t)
//! ```
use super::{
    Draft, Name, named,
    values::{self, Value},
};
use crate::{
    formula::Scope,
    lagrangian::{Constraint, Derivatives, Force, Lagrangian, Undefined, Workspace},
    model::{Problems, Section},
    system::{State, System},
};
use nalgebra::{DMatrix, DVector};
use std::ops::Range;

/// Where a motion starts.
pub(super) struct Start {
    pub(super) q: Vec<f64>,
    pub(super) q_span: Range<usize>,
    pub(super) rates: Rates,
    pub(super) rates_span: Range<usize>,
}

pub(super) enum Rates {
    Velocity(Vec<f64>),
    Momentum(Vec<f64>),
}

/// Reads the start of the coordinates, and of what has velocities: they, or quasi-velocities.
pub(super) fn read(root: &Section<'_>, names: &[Name], moving: &[Name], constants: &Scope) -> Option<Start> {
    let section = root
        .required("start")
        .with("a value for every coordinate")
        .table();
    let given = section.and_then(|section| {
        let span = section.span();
        let absent: Vec<&str> = names
            .iter()
            .map(|name| name.text.as_str())
            .filter(|name| !section.holds(name))
            .collect();
        let values = read_values(&section, names, "coordinate", constants);
        if let [first, ..] = absent[..] {
            let list: Vec<String> = absent.iter().map(|name| format!("`{name}`")).collect();
            section
                .error(format!("the start has no value for {}", list.join(", ")))
                .help(format!("add `{first} = …`"));
            return None;
        }
        section.finish();
        Some((values?, span))
    });
    let mut rates = Vec::new();
    for key in ["velocity", "momentum"] {
        if let Some(section) = root.optional(key).table() {
            let what = if root.holds("frame") {
                "quasi-velocity that is free"
            } else {
                "coordinate"
            };
            let values = read_values(&section, moving, what, constants);
            rates.push((key, values, section.span()));
            section.finish();
        }
    }
    if let [_, (_, _, span)] = &rates[..] {
        root.problems()
            .error(span.clone(), "both `velocity` and `momentum` are given")
            .help("keep one of them");
        return None;
    }
    let (q, q_span) = given?;
    let (rates, rates_span) = match rates.pop() {
        None => (
            Rates::Velocity(vec![0.0; moving.iter().map(Name::size).sum()]),
            q_span.clone(),
        ),
        Some(("velocity", values, span)) => (Rates::Velocity(values?), span),
        Some((_, values, span)) => (Rates::Momentum(values?), span),
    };
    Some(Start {
        q,
        q_span,
        rates,
        rates_span,
    })
}

/// Values by name, zero where there is none.
fn read_values(section: &Section<'_>, names: &[Name], what: &str, constants: &Scope) -> Option<Vec<f64>> {
    let problems = section.problems();
    let mut values = vec![0.0; names.iter().map(Name::size).sum()];
    let mut ok = true;
    for key in section.keys() {
        let value = values::value(section, key.value, constants);
        let stem = key.value.strip_suffix('\'');
        if let Some(stem) = stem.filter(|stem| names.iter().any(|name| name.text == **stem)) {
            problems
                .error(key.span, format!("`{stem}'` is a velocity"))
                .help(format!("put it into `[velocity]`, as `{stem} = …`"));
            ok = false;
            continue;
        }
        let Some(index) = named(section, &key, names, what) else {
            ok = false;
            continue;
        };
        let place: usize = names[..index].iter().map(Name::size).sum();
        match (value, names[index].size()) {
            (Some(Value::Number(number)), 1) => values[place] = number,
            (Some(Value::Vector(vector)), 3) => values[place..place + 3].copy_from_slice(&vector),
            (Some(_), size) => {
                let (is, wanted) = match size {
                    3 => ("vector", "three numbers, `[x, y, z]`"),
                    _ => ("number", "one number"),
                };
                problems
                    .error(key.span, format!("`{}` is a {is}", key.value))
                    .help(format!("give it {wanted}"));
                ok = false;
            }
            (None, _) => ok = false,
        }
    }
    ok.then_some(values)
}

/// The state at the start, if the mechanism can start there.
pub(super) fn state(system: &Lagrangian, draft: &Draft, problems: &Problems) -> Option<State> {
    let Start {
        q,
        q_span,
        rates,
        rates_span,
    } = &draft.start;
    let n = q.len();
    let rest = vec![0.0; n];
    let guess = match rates {
        Rates::Velocity(v) => v,
        Rates::Momentum(_) => &rest,
    };
    let mut derivatives = Derivatives::default();
    let mechanics = system.mechanics();
    let undefined = |span: &Range<usize>, undefined: Undefined| {
        let message = format!("at the start {}", undefined.describe(system.layout()));
        problems
            .error(span.clone(), message)
            .help("change `[start]`, `[velocity]` or `[parameters]`");
    };
    if let Err(error) = mechanics.lagrangian(0.0, q, guess, &mut derivatives) {
        undefined(&draft.lagrangian.span, error);
        return None;
    }
    if let Err(error) = mechanics.force(0.0, q, guess, &mut Force::default()) {
        undefined(draft.forces.first().map_or(q_span, |force| &force.span), error);
        return None;
    }
    check_mass(
        &derivatives.vv,
        &draft.component_names(),
        "'",
        &draft.lagrangian.span,
        problems,
    )?;
    let mut v = guess.clone();
    if let Rates::Momentum(p) = rates
        && system
            .solve_velocity(0.0, q, p, &mut v, &mut Workspace::default())
            .is_err()
    {
        return problems
            .error(rates_span.clone(), "no velocity has this momentum")
            .help("give `[velocity]` instead")
            .none();
    }
    let q = if draft.constraints.is_empty() {
        q.clone()
    } else {
        let mass = DMatrix::from_row_slice(n, n, &derivatives.vv);
        let mut consistent = Consistent {
            system,
            draft,
            problems,
            mass,
            found: Constraint::default(),
        };
        if let Err(error) = consistent.measure(q, &v) {
            undefined(&draft.constraints[0].span, error);
            return None;
        }
        consistent.check_rank()?;
        let q = consistent.place(q)?;
        v = consistent.tangent(&q, &v)?;
        q
    };
    let state = system.state(0.0, &q, &v);
    if !state.is_finite() {
        return problems
            .error(rates_span.clone(), "the momentum at the start is not finite")
            .help("its numbers are too large")
            .none();
    }
    Some(state)
}

/// Eigenvalues of the mass matrix, each coordinate in its own unit, below which it counts as singular.
const SMALLEST: f64 = 1e-12;

/// Every velocity must have inertia.
pub(super) fn check_mass(
    vv: &[f64],
    names: &[String],
    prime: &str,
    span: &Range<usize>,
    problems: &Problems,
) -> Option<()> {
    let (n, span) = (names.len(), span.clone());
    let scale: Vec<f64> = (0..n).map(|i| vv[i * n + i].abs().sqrt()).collect();
    let row_is_zero = |i: usize| (0..n).all(|j| vv[i * n + j] == 0.0);
    if let Some(i) = (0..n).find(|i| row_is_zero(*i)) {
        let name = &names[i];
        return problems
            .error(
                span,
                format!("the mass matrix is singular at the start: `{name}{prime}` has no inertia"),
            )
            .help(format!(
                "`lagrangian` must be quadratic, or the like, in `{name}{prime}`"
            ))
            .none();
    }
    let unit = |i: usize| if scale[i] > 0.0 { scale[i] } else { 1.0 };
    let scaled = DMatrix::from_fn(n, n, |i, j| vv[i * n + j] / (unit(i) * unit(j)));
    let eigen = scaled.symmetric_eigen();
    let smallest = (0..n).min_by(|i, j| {
        eigen.eigenvalues[*i]
            .abs()
            .total_cmp(&eigen.eigenvalues[*j].abs())
    })?;
    if eigen.eigenvalues[smallest].abs() <= SMALLEST {
        let vector = eigen.eigenvectors.column(smallest);
        let involved: Vec<String> = (0..n)
            .filter(|i| vector[*i].abs() > 1e-3)
            .map(|i| format!("`{}{prime}`", names[i]))
            .collect();
        let message = format!(
            "the mass matrix is singular at the start: a combination of {} has no inertia",
            involved.join(", ")
        );
        return problems
            .error(span, message)
            .help("give it a mass, or start where it has one")
            .none();
    }
    if eigen.eigenvalues.iter().any(|value| *value < 0.0) {
        let message = "the mass matrix is not positive at the start: some motion has negative kinetic energy";
        problems
            .note(span, message)
            .help("a Lagrangian is the kinetic minus the potential energy");
    }
    Some(())
}

/// What constraints ask of a start.
struct Consistent<'a> {
    system: &'a Lagrangian,
    draft: &'a Draft,
    problems: &'a Problems,
    mass: DMatrix<f64>,
    found: Constraint,
}

/// What is off by more than this share is a mistake rather than a matter of digits.
const MATTER_OF_DIGITS: f64 = 1e-3;

impl Consistent<'_> {
    fn measure(&mut self, q: &[f64], v: &[f64]) -> Result<(), Undefined> {
        let mechanics = self.system.mechanics();
        mechanics.constraint(0.0, q, v, &mut self.found)
    }

    fn jacobian(&self) -> DMatrix<f64> {
        DMatrix::from_row_slice(
            self.draft.constraints.len(),
            self.mass.nrows(),
            &self.found.jacobian,
        )
    }

    /// Each constraint must say something that those before it do not.
    fn check_rank(&self) -> Option<()> {
        let g = self.jacobian();
        let mut basis: Vec<DVector<f64>> = Vec::new();
        for (k, written) in self.draft.constraints.iter().enumerate() {
            let mut row = g.row(k).transpose();
            let norm = row.norm();
            let report = |message: String| self.problems.error(written.span.clone(), message);
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
        let multipliers = (&g * &spread)
            .lu()
            .solve(&DVector::from_column_slice(violation))?;
        Some(-spread * multipliers)
    }

    /// The given coordinates, or those nearest to them that satisfy the constraints.
    fn place(&mut self, given: &[f64]) -> Option<Vec<f64>> {
        let rest = vec![0.0; given.len()];
        let mut q = given.to_vec();
        let size = largest(given).max(f64::MIN_POSITIVE);
        let mut moved = f64::INFINITY;
        for _ in 0..50 {
            self.measure(&q, &rest).ok()?;
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
        self.measure(given, &rest).ok()?;
        let worst = (0..self.found.value.len())
            .max_by(|i, j| self.found.value[*i].abs().total_cmp(&self.found.value[*j].abs()))?;
        let name = &self.draft.constraints[worst].name;
        let value = self.found.value[worst];
        let span = self.draft.start.q_span.clone();
        if !solved || distance > MATTER_OF_DIGITS * size {
            let report = self.problems.error(
                span,
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
            self.problems.note(span, message);
        }
        Some(q)
    }

    /// The given velocities, or those nearest to them along which the constraints stay satisfied.
    fn tangent(&mut self, q: &[f64], given: &[f64]) -> Option<Vec<f64>> {
        self.measure(q, given).ok()?;
        let slip: Vec<f64> = (&self.jacobian() * DVector::from_column_slice(given))
            .iter()
            .zip(&self.found.rate)
            .map(|(along, rate)| along + rate)
            .collect();
        let step = self.correction(&slip)?;
        let v: Vec<f64> = given.iter().zip(&step).map(|(v, step)| v + step).collect();
        let (change, size) = (step.amax(), largest(given));
        let worst = (0..slip.len()).max_by(|i, j| slip[*i].abs().total_cmp(&slip[*j].abs()))?;
        let name = &self.draft.constraints[worst].name;
        let span = self.draft.start.rates_span.clone();
        if change > MATTER_OF_DIGITS * size {
            let message = format!(
                "the velocities at the start leave `{name}`: its formula would change by {:.6} per second",
                slip[worst]
            );
            return self
                .problems
                .error(span, message)
                .help(format!(
                    "the nearest velocities that do not are {}",
                    self.listed(&v)
                ))
                .none();
        }
        if change > 1e-12 * size {
            let message = format!(
                "the velocities at the start leave `{name}`; they are changed to {}",
                self.listed(&v)
            );
            self.problems.note(span, message);
        }
        Some(v)
    }

    fn listed(&self, values: &[f64]) -> String {
        let each = self.system.layout().coordinates.iter().zip(values);
        let list: Vec<String> = each.map(|(name, value)| format!("{name} = {value}")).collect();
        format!("`{{ {} }}`", list.join(", "))
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, x| m.max(x.abs()))
}
