//! Mechanics made of formulas: every derivative is exact, and comes from one sweep per formula.
//!
//! ```text
//! x = (q, v, t)      the variables of all formulas, in this order
//! L(x)               with ∂L/∂q, ∂L/∂v and the second derivatives vv, vq, qq, vt
//! fᵢ(x)              with ∂f/∂q, ∂f/∂v
//! gₖ(q, t)           with ∂g/∂q, ∂g/∂t and d²g/dt² along constant v
//! ```
use super::{Constraint, Derivatives, Force, Mechanics, Undefined};
use crate::formula::{DomainError, Expression, Expressions, Formula, Program, Workspace};

/// A mechanism whose Lagrangian, forces and constraints are formulas.
pub struct Formulas {
    n: usize,
    lagrangian: Numbered,
    force: Option<Numbered>,
    constraint: Option<Numbered>,
    constraints: usize,
    invariant: Numbered,
    invariants: Vec<String>,
    /// Whether anything depends on a coordinate.
    depends: Vec<bool>,
    autonomous: bool,
    expressions: Vec<String>,
}

/// A program whose expressions are numbered on from those of the programs before it.
struct Numbered {
    program: Program,
    first: u32,
}

/// Memory for the sweeps of formulas.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    x: Vec<f64>,
    out: Vec<f64>,
    registers: Workspace,
}

impl Formulas {
    /// A mechanism of n coordinates, whose formulas were read in a scope made by [`Slots::scope`](crate::hamel::Slots::scope) without quasi-velocities.
    ///
    /// Forces have n components together, or there are none; constraints are numbers.
    ///
    /// # Panics
    /// If the forces have another number of components.
    pub fn new(
        n: usize,
        lagrangian: &Formula,
        forces: &[Formula],
        constraints: &[Formula],
        invariants: &[(String, Formula)],
    ) -> Self {
        let mut expressions = Expressions::new();
        let (q, v, t): (Vec<usize>, Vec<usize>, usize) = ((0..n).collect(), (n..2 * n).collect(), 2 * n);
        let all: Vec<usize> = (0..=t).collect();
        let l = expressions.scalar(lagrangian);
        let gradient = expressions.gradient(l, &all);
        let mut outputs = vec![l];
        outputs.extend(&gradient[..t]);
        let second = expressions.hessian(l, &all);
        let entry = |i: usize, j: usize| second[i * all.len() + j];
        outputs.extend(v.iter().map(|i| entry(*i, t)));
        for (rows, columns) in [(&v, &v), (&v, &q), (&q, &q)] {
            outputs.extend(rows.iter().flat_map(|i| columns.iter().map(|j| entry(*i, *j))));
        }
        let is_zero = |expressions: &Expressions, e: Expression| expressions.known_value(e) == Some(0.0);
        let mut depends: Vec<bool> = (0..n).map(|i| !is_zero(&expressions, gradient[i])).collect();
        let mut autonomous = is_zero(&expressions, gradient[t]);
        let lagrangian = expressions.compile(&outputs);

        let force = (!forces.is_empty()).then(|| {
            let mut expressions = Expressions::new();
            let values: Vec<Expression> = forces
                .iter()
                .flat_map(|force| expressions.components(force))
                .collect();
            assert_eq!(values.len(), n, "components of the forces");
            for (depends, value) in depends.iter_mut().zip(&values) {
                let acts = !is_zero(&expressions, *value);
                *depends |= acts;
                autonomous &= !acts;
            }
            let mut outputs = values.clone();
            for slots in [&q, &v] {
                for value in &values {
                    outputs.extend(expressions.gradient(*value, slots));
                }
            }
            expressions.compile(&outputs)
        });

        let constraint = (!constraints.is_empty()).then(|| {
            let mut expressions = Expressions::new();
            let values: Vec<Expression> = constraints.iter().map(|g| expressions.scalar(g)).collect();
            let mut rates: Vec<(usize, Expression)> = Vec::new();
            for i in 0..n {
                rates.push((i, expressions.variable(n + i)));
            }
            rates.push((t, expressions.constant(1.0)));
            let (mut jacobian, mut slopes, mut curvatures) = (Vec::new(), Vec::new(), Vec::new());
            for value in &values {
                let gradient = expressions.gradient(*value, &q);
                for (depends, slope) in depends.iter_mut().zip(&gradient) {
                    *depends |= !is_zero(&expressions, *slope);
                }
                jacobian.extend(gradient);
                let slope = expressions.gradient(*value, &[t])[0];
                autonomous &= is_zero(&expressions, slope);
                slopes.push(slope);
                let along = expressions.derivative_along(*value, &rates);
                curvatures.push(expressions.derivative_along(along, &rates));
            }
            let outputs = [values, jacobian, slopes, curvatures].concat();
            expressions.compile(&outputs)
        });

        let mut texts = Vec::new();
        let mut number = |program: Program| {
            let first = texts.len() as u32;
            texts.extend(program.expressions());
            Numbered { program, first }
        };
        let lagrangian = number(lagrangian);
        let force = force.map(&mut number);
        let constraint = constraint.map(&mut number);
        let measured: Vec<&Formula> = invariants.iter().map(|(_, formula)| formula).collect();
        let invariant = number(Program::values(&measured));
        Self {
            n,
            lagrangian,
            force,
            constraint,
            constraints: constraints.len(),
            invariant,
            invariants: invariants.iter().map(|(name, _)| name.clone()).collect(),
            depends,
            autonomous,
            expressions: texts,
        }
    }
}

impl Numbered {
    /// All outputs at (q, v, t).
    fn at<'s>(&self, t: f64, q: &[f64], v: &[f64], sweep: &'s mut Sweep) -> Result<Outputs<'s>, Undefined> {
        sweep.x.clear();
        sweep.x.extend_from_slice(q);
        sweep.x.extend_from_slice(v);
        sweep.x.push(t);
        sweep.out.resize(self.program.outputs(), 0.0);
        self.program
            .evaluate(&sweep.x, &mut sweep.registers, &mut sweep.out)
            .map_err(|error| self.undefined(&error))?;
        Ok(Outputs(&sweep.out))
    }

    fn undefined(&self, error: &DomainError) -> Undefined {
        Undefined::Expression {
            number: self.first + error.number,
            argument: error.argument,
        }
    }
}

/// The outputs of a program that have not been handed out yet.
struct Outputs<'a>(&'a [f64]);

impl Outputs<'_> {
    fn fill(&mut self, target: &mut [f64]) {
        let (now, rest) = self.0.split_at(target.len());
        target.copy_from_slice(now);
        self.0 = rest;
    }
}

impl Mechanics for Formulas {
    fn coordinates(&self) -> usize {
        self.n
    }

    fn lagrangian(&self, t: f64, q: &[f64], v: &[f64], out: &mut Derivatives) -> Result<(), Undefined> {
        out.resize(self.n);
        let mut given = self.lagrangian.at(t, q, v, &mut out.sweep)?;
        given.fill(std::slice::from_mut(&mut out.value));
        for target in [
            &mut out.q,
            &mut out.v,
            &mut out.vt,
            &mut out.vv,
            &mut out.vq,
            &mut out.qq,
        ] {
            given.fill(target);
        }
        Ok(())
    }

    fn force(&self, t: f64, q: &[f64], v: &[f64], out: &mut Force) -> Result<(), Undefined> {
        out.resize(self.n);
        if let Some(force) = &self.force {
            let mut given = force.at(t, q, v, &mut out.sweep)?;
            for target in [&mut out.value, &mut out.q, &mut out.v] {
                given.fill(target);
            }
        }
        Ok(())
    }

    fn constraints(&self) -> usize {
        self.constraints
    }

    fn constraint(&self, t: f64, q: &[f64], v: &[f64], out: &mut Constraint) -> Result<(), Undefined> {
        out.resize(self.constraints, self.n);
        if let Some(constraint) = &self.constraint {
            let mut given = constraint.at(t, q, v, &mut out.sweep)?;
            for target in [
                &mut out.value,
                &mut out.jacobian,
                &mut out.rate,
                &mut out.curvature,
            ] {
                given.fill(target);
            }
        }
        Ok(())
    }

    fn invariants(&self) -> &[String] {
        &self.invariants
    }

    fn invariant(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        out: &mut Vec<f64>,
        sweep: &mut Sweep,
    ) -> Result<(), Undefined> {
        let values = self.invariant.at(t, q, v, sweep)?;
        out.extend_from_slice(values.0);
        Ok(())
    }

    fn depends_on(&self, coordinate: usize) -> bool {
        self.depends[coordinate]
    }

    fn keeps_energy(&self) -> bool {
        self.autonomous
    }

    fn expressions(&self) -> Vec<String> {
        self.expressions.clone()
    }
}
