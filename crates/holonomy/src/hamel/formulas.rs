//! A mechanism in a frame from formulas.
//!
//! ```text
//! l(t, q, ξ) = L(t, q, ξⁱuᵢ(q), ξ)           q' is replaced before anything is differentiated
//! ```
use super::{
    description::{FrameError, FrameFormulas, Slots},
    mechanics::{Frame, FrameDerivatives, FrameForce, FrameMechanics, Memory},
};
use crate::{
    formula::{Expression, Expressions, Formula, Program},
    lagrangian::Undefined,
};

/// A mechanism in a frame made of formulas.
///
/// A sleigh whose blade goes along itself and not across:
///
/// ```
/// use holonomy::formula::{Formula, Kind};
/// use holonomy::hamel::{FormulaFrame, FrameFormulas, Hamel, Slots};
/// use holonomy::integrator::{DiscreteHamel, Integrator};
/// use std::sync::Arc;
///
/// let (coordinates, quasi_velocities) = (["x", "y", "theta"], ["forward", "turn", "lateral"]);
/// let numbers = |names: [&'static str; 3]| names.map(|name| (name, Kind::Scalar));
/// let (slots, mut scope) = Slots::scope(&numbers(coordinates), &numbers(quasi_velocities)).unwrap();
/// scope.parameter("a", 0.3).unwrap();
/// let parse = |text: &str| Formula::parse_as(Kind::Scalar, text, &scope).unwrap();
/// let fields = [
///     ["cos(theta)", "sin(theta)", "0"],
///     ["0", "0", "1"],
///     ["-sin(theta)", "cos(theta)", "0"],
/// ];
/// let frame = FormulaFrame::new(&FrameFormulas {
///     slots,
///     fields: &fields.map(|field| field.map(parse).to_vec()),
///     lagrangian: &parse("0.5*((x' - a*theta'*sin(theta))^2 + (y' + a*theta'*cos(theta))^2 + theta'^2)"),
///     forces: &[],
///     invariants: &[],
/// })
/// .unwrap();
/// let names = |names: [&str; 3]| names.map(str::to_owned);
/// let lateral = 2;
/// let system = Hamel::new(Box::new(frame), &names(coordinates), &names(quasi_velocities), &[lateral]);
///
/// let system = Arc::new(system);
/// let mut state = system.state(0.0, &[0.0, 0.0, 0.0], &[-1.0, 0.1]);
/// let mut method = DiscreteHamel::new(system, 30);
/// for _ in 0..1000 {
///     method.step(&mut state, 0.05).unwrap();
/// }
/// // It has turned round: the momentum of forward is positive, and it turns no more.
/// assert!(state.p[0] > 1.0 && state.p[1].abs() < 1e-3);
/// ```
pub struct FormulaFrame {
    slots: Slots,
    frame: Program,
    lagrangian: Program,
    force: Option<Program>,
    invariants: Program,
    names: Vec<String>,
    acts_along: Vec<bool>,
    keeps_energy: bool,
}

impl FormulaFrame {
    /// Derives everything from the formulas.
    pub fn new(formulas: &FrameFormulas) -> Result<Self, FrameError> {
        let slots = formulas.slots;
        let (n, k) = (slots.coordinates, slots.quasi_velocities);
        let q: Vec<usize> = (0..n).map(|a| slots.coordinate(a)).collect();
        let xi: Vec<usize> = (0..k).map(|i| slots.quasi_velocity(i)).collect();
        let expressions = &mut Expressions::new();

        let fields = fields(formulas, expressions)?;
        let slopes: Vec<Expression> = fields
            .iter()
            .flat_map(|field| expressions.gradient(*field, &q))
            .collect();
        let frame = expressions.compile(&[fields.clone(), slopes].concat());

        let velocities: Vec<(usize, Expression)> = (0..n)
            .map(|a| {
                let terms: Vec<_> = (0..k)
                    .map(|i| (expressions.variable(xi[i]), fields[i * n + a]))
                    .collect();
                (slots.velocity(a), expressions.combination(terms))
            })
            .collect();
        let in_frame = |formula: &Formula, expressions: &mut Expressions| -> Vec<Expression> {
            let components = expressions.components(formula);
            let replace = |part| expressions.substitute(part, &velocities);
            components.into_iter().map(replace).collect()
        };

        let l = in_frame(formulas.lagrangian, expressions)[0];
        let both = [q.clone(), xi.clone()].concat();
        let gradient = expressions.gradient(l, &both);
        let hessian = expressions.hessian(l, &both);
        let entry = |row: usize, column: usize| hessian[row * (n + k) + column];
        let mut outputs = vec![l];
        outputs.extend(&gradient);
        outputs.extend((0..k * k).map(|place| entry(n + place / k, n + place % k)));
        outputs.extend((0..k * n).map(|place| entry(n + place / n, place % n)));
        outputs.extend((0..n * n).map(|place| entry(place / n, place % n)));
        for i in 0..k {
            outputs.extend(expressions.gradient(gradient[n + i], &[slots.time()]));
        }
        let lagrangian = expressions.compile(&outputs);

        let forces: Vec<Expression> = formulas
            .forces
            .iter()
            .flat_map(|force| in_frame(force, expressions))
            .collect();
        if !(forces.is_empty() || forces.len() == n) {
            return Err(FrameError::ForceComponents {
                given: forces.len(),
                wanted: n,
            });
        }
        let force = (!forces.is_empty()).then(|| {
            let mut outputs = forces.clone();
            for slots in [&q, &xi] {
                outputs.extend(
                    forces
                        .iter()
                        .flat_map(|force| expressions.gradient(*force, slots)),
                );
            }
            expressions.compile(&outputs)
        });

        let acts_along = (0..k)
            .map(|j| {
                let of = |list: &[Expression]| {
                    (0..n)
                        .zip(list.to_vec())
                        .map(|(a, x)| (fields[j * n + a], x))
                        .collect()
                };
                let mut terms: Vec<_> = of(&gradient);
                terms.extend::<Vec<_>>(of(&forces));
                let sum = expressions.combination(terms);
                expressions.known_value(sum) != Some(0.0)
            })
            .collect();

        let is_zero = |e: Expression, expressions: &Expressions| expressions.known_value(e) == Some(0.0);
        let slope = expressions.gradient(l, &[slots.time()])[0];
        let keeps_energy =
            is_zero(slope, expressions) && forces.iter().all(|force| is_zero(*force, expressions));
        let values: Vec<Expression> = formulas
            .invariants
            .iter()
            .map(|(_, formula)| in_frame(formula, expressions)[0])
            .collect();
        Ok(Self {
            slots,
            frame,
            lagrangian,
            force,
            invariants: expressions.compile(&values),
            names: formulas.invariants.iter().map(|(name, _)| name.clone()).collect(),
            acts_along,
            keeps_energy,
        })
    }

    /// Its programs, in the order in which their expressions are counted.
    fn programs(&self) -> impl Iterator<Item = &Program> {
        [&self.frame, &self.lagrangian, &self.invariants]
            .into_iter()
            .chain(&self.force)
    }

    fn evaluate(
        &self,
        program: &Program,
        (t, q, xi): (f64, &[f64], &[f64]),
        memory: &mut Memory,
    ) -> Result<(), Undefined> {
        let Memory {
            workspace,
            variables,
            values,
        } = memory;
        variables.clear();
        variables.extend_from_slice(q);
        // The velocities, which have been replaced.
        variables.resize(2 * q.len(), 0.0);
        variables.push(t);
        variables.extend_from_slice(xi);
        variables.resize(2 * q.len() + 1 + self.slots.quasi_velocities, 0.0);
        values.clear();
        values.resize(program.outputs(), 0.0);
        program
            .evaluate(variables, workspace, values)
            .map_err(|error| Undefined::Expression {
                number: error.number + self.expressions_before(program),
                argument: error.argument,
            })
    }

    fn expressions_before(&self, program: &Program) -> u32 {
        let before = self.programs().take_while(|other| !std::ptr::eq(*other, program));
        before.map(|other| other.expressions().len() as u32).sum()
    }
}

/// The components of the fields, one field after the other.
fn fields(formulas: &FrameFormulas, expressions: &mut Expressions) -> Result<Vec<Expression>, FrameError> {
    let slots = formulas.slots;
    let (n, k) = (slots.coordinates, slots.quasi_velocities);
    if formulas.fields.len() != k {
        return Err(FrameError::FieldCount {
            given: formulas.fields.len(),
            wanted: k,
        });
    }
    let moving: Vec<usize> = (n..2 * n + 1 + k).collect();
    let mut fields = Vec::with_capacity(k * n);
    for (field, list) in formulas.fields.iter().enumerate() {
        let parts: Vec<Expression> = list
            .iter()
            .flat_map(|part| expressions.components(part))
            .collect();
        if parts.len() != n {
            return Err(FrameError::FieldComponents {
                field,
                given: parts.len(),
                wanted: n,
            });
        }
        for part in parts {
            let slopes = expressions.gradient(part, &moving);
            if slopes
                .iter()
                .any(|slope| expressions.known_value(*slope) != Some(0.0))
            {
                return Err(FrameError::FieldMoves { field });
            }
            fields.push(part);
        }
    }
    Ok(fields)
}

impl FrameMechanics for FormulaFrame {
    fn coordinates(&self) -> usize {
        self.slots.coordinates
    }

    fn fields(&self) -> usize {
        self.slots.quasi_velocities
    }

    fn frame(&self, q: &[f64], out: &mut Frame) -> Result<(), Undefined> {
        self.evaluate(&self.frame, (0.0, q, &[]), &mut out.memory)?;
        take(
            &out.memory.values,
            [(&mut out.fields, q.len() * self.fields())],
            &mut out.slopes,
        );
        Ok(())
    }

    fn lagrangian(&self, t: f64, q: &[f64], xi: &[f64], out: &mut FrameDerivatives) -> Result<(), Undefined> {
        let (n, k) = (q.len(), xi.len());
        self.evaluate(&self.lagrangian, (t, q, xi), &mut out.memory)?;
        out.value = out.memory.values[0];
        let parts = [
            (&mut out.q, n),
            (&mut out.xi, k),
            (&mut out.xi_xi, k * k),
            (&mut out.xi_q, k * n),
            (&mut out.qq, n * n),
        ];
        take(&out.memory.values[1..], parts, &mut out.xi_t);
        Ok(())
    }

    fn force(&self, t: f64, q: &[f64], xi: &[f64], out: &mut FrameForce) -> Result<(), Undefined> {
        let n = q.len();
        let Some(program) = &self.force else {
            out.resize(n, xi.len());
            return Ok(());
        };
        self.evaluate(program, (t, q, xi), &mut out.memory)?;
        take(
            &out.memory.values,
            [(&mut out.value, n), (&mut out.q, n * n)],
            &mut out.xi,
        );
        Ok(())
    }

    fn keeps_energy(&self) -> bool {
        self.keeps_energy
    }

    fn acts_along(&self, field: usize) -> bool {
        self.acts_along[field]
    }

    fn invariants(&self) -> &[String] {
        &self.names
    }

    fn invariant(
        &self,
        t: f64,
        q: &[f64],
        xi: &[f64],
        out: &mut Vec<f64>,
        memory: &mut Memory,
    ) -> Result<(), Undefined> {
        let found = self.evaluate(&self.invariants, (t, q, xi), memory);
        out.clone_from(&memory.values);
        found
    }

    fn expressions(&self) -> Vec<String> {
        self.programs().flat_map(Program::expressions).collect()
    }
}

/// Deals values out: the given numbers of them, and what is left.
fn take<const N: usize>(mut values: &[f64], parts: [(&mut Vec<f64>, usize); N], rest: &mut Vec<f64>) {
    for (part, length) in parts {
        let head;
        (head, values) = values.split_at(length);
        part.clear();
        part.extend_from_slice(head);
    }
    rest.clear();
    rest.extend_from_slice(values);
}
