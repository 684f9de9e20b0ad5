//! Mechanics made of formulas: every derivative is exact, and comes from one sweep per formula.
//!
//! ```text
//! L(t, q, v)         with ∂L/∂q, ∂L/∂v and the second derivatives vt, vv, vq, qq
//! uᵢ(q)              with ∂u/∂q; then v = ξ, and q' = ξⁱuᵢ(q) is replaced before anything is differentiated
//! f(t, q, v)         with ∂f/∂q, ∂f/∂v
//! gₖ(t, q)           with ∂g/∂q, ∂g/∂t and d²g/dt² along constant v, in a frame along constant ξ
//! ```
use super::{
    Derivatives, FrameFields, GeneralizedForce, HolonomicConstraint, LagrangianError, Mechanics,
    PowerSources,
    description::{Formulas, Slots},
};
use crate::{
    formula::{self, Expression, Expressions, Formula, Kind, Program, SubExpression},
    system::Undefined,
};

/// A mechanism whose Lagrangian, frame, forces and constraints are formulas.
///
/// A sleigh whose blade goes along itself and not across:
///
/// ```
/// use holonomy::formula::{Formula, Kind};
/// use holonomy::integrator::{DiscreteHamel, Integrator};
/// use holonomy::lagrangian::{FormulaMechanics, Formulas, Lagrangian, Slots};
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
/// let mechanics = FormulaMechanics::new(&Formulas {
///     slots,
///     lagrangian: &parse("0.5*((x' - a*theta'*sin(theta))^2 + (y' + a*theta'*cos(theta))^2 + theta'^2)"),
///     fields: &fields.map(|field| field.map(parse).to_vec()),
///     forces: &[],
///     constraints: &[],
///     invariants: &[],
/// })?;
/// let names = |names: [&str; 3]| names.map(str::to_owned);
/// let lateral = 2;
/// let (coordinates, quasi_velocities) = (names(coordinates), names(quasi_velocities));
/// let system = Lagrangian::in_frame(Box::new(mechanics), &coordinates, &quasi_velocities, &[lateral])?;
///
/// let system = Arc::new(system);
/// let mut state = system.state(0.0, &[0.0, 0.0, 0.0], &[-1.0, 0.1])?;
/// let mut method = DiscreteHamel::new(system, 30).unwrap();
/// for _ in 0..1000 {
///     method.step(&mut state, 0.05)?;
/// }
/// // It has turned round: the momentum of forward is positive, and it turns no more.
/// assert!(state.p[0] > 1.0 && state.p[1].abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FormulaMechanics {
    pub(super) slots: Slots,
    pub(super) frame: Option<Numbered>,
    /// Second derivatives of its fields.
    #[cfg(not(target_arch = "wasm32"))]
    frame_curvature: Option<Numbered>,
    /// Those of constraints, in a frame.
    #[cfg(not(target_arch = "wasm32"))]
    constraint_curvature: Option<Numbered>,
    pub(super) lagrangian: Numbered,
    /// ∂L/∂v and ∂²L/∂v².
    pub(super) momentum: Numbered,
    pub(super) force: Option<Numbered>,
    pub(super) constraint: Option<Numbered>,
    constraints: usize,
    invariant: Numbered,
    invariants: Vec<String>,
    acts_along: Vec<bool>,
    pub(super) sources: PowerSources,
    expressions: Vec<SubExpression>,
    #[cfg(not(target_arch = "wasm32"))]
    kink: Numbered,
}

/// A program whose expressions are numbered on from those of the programs before it.
pub(super) struct Numbered {
    pub(super) program: Program,
    first: u32,
}

/// Memory for the sweeps of formulas.
#[derive(Clone, Debug, Default)]
pub struct FormulaMemory {
    pub(super) variables: Vec<f64>,
    values: Vec<f64>,
    pub(super) registers: formula::Registers,
}

/// Expressions in which the frame is known. Each program is made in a copy.
#[derive(Clone)]
struct Framing {
    expressions: Expressions,
    /// One field after the other; none without a frame.
    fields: Vec<Expression>,
    /// What stands for the velocities of the coordinates.
    velocities: Vec<(usize, Expression)>,
}

impl FormulaMechanics {
    /// Derives everything from the formulas.
    pub fn new(formulas: &Formulas) -> Result<Self, LagrangianError> {
        let slots = formulas.slots;
        let (n, t) = (slots.coordinates, slots.time());
        let numbers = formulas
            .constraints
            .iter()
            .chain(formulas.invariants.iter().map(|(_, formula)| formula))
            .chain([formulas.lagrangian]);
        if numbers.into_iter().any(|formula| formula.kind() != Kind::Scalar) {
            return Err(LagrangianError::NotANumber);
        }
        let q: Vec<usize> = (0..n).map(|a| slots.coordinate(a)).collect();
        let mut framing = Framing::default();
        let framed = slots.quasi_velocities > 0 || !formulas.fields.is_empty();
        let frame = framed.then(|| framing.enter(formulas, &q)).transpose()?;
        #[cfg(not(target_arch = "wasm32"))]
        let frame_curvature = framed.then(|| framing.clone().curvature(&q));
        let v: Vec<usize> = match framed {
            true => (0..slots.quasi_velocities)
                .map(|i| slots.quasi_velocity(i))
                .collect(),
            false => (0..n).map(|a| slots.velocity(a)).collect(),
        };
        let k = v.len();

        let mut within = framing.clone();
        let l = within.number(formulas.lagrangian);
        let all = [&q[..], &v, &[t]].concat();
        let gradient = within.expressions.gradient(l, &all);
        let hessian = within.expressions.hessian(l, &all);
        let entry = |i: usize, j: usize| hessian[i * all.len() + j];
        let mut outputs = vec![l];
        outputs.extend(&gradient[..n + k]);
        outputs.extend((0..k).map(|i| entry(n + i, n + k)));
        outputs.extend((0..k * k).map(|place| entry(n + place / k, n + place % k)));
        outputs.extend((0..k * n).map(|place| entry(n + place / n, place % n)));
        outputs.extend((0..n * n).map(|place| entry(place / n, place % n)));
        let by_time = gradient[n + k];
        let mut sources = PowerSources {
            time: !within.is_zero(by_time),
            ..PowerSources::default()
        };
        outputs.extend(sources.time.then_some(by_time));
        let lagrangian = within.expressions.compile(&outputs);
        let masses = (0..k * k).map(|place| entry(n + place / k, n + place % k));
        let momenta: Vec<Expression> = gradient[n..n + k].iter().copied().chain(masses).collect();
        let momentum = within.expressions.compile(&momenta);
        let forces = within.components(formulas.forces);
        if !(forces.is_empty() || forces.len() == n) {
            return Err(LagrangianError::ForceComponents {
                given: forces.len(),
                wanted: n,
            });
        }
        #[cfg(not(target_arch = "wasm32"))]
        let kink = {
            let kinks = within.expressions.kinks(&[&[l], &*forces].concat());
            within.expressions.compile(&kinks)
        };
        let acting = (0..forces.len()).filter(|a| !within.is_zero(forces[*a]));
        sources.forces = acting.collect();
        let mut acts_along: Vec<bool> = (0..k)
            .map(|j| within.acts_along(j, [&gradient[..n], &forces]))
            .collect();

        let force = (!forces.is_empty()).then(|| {
            let mut within = framing.clone();
            let values = within.components(formulas.forces);
            let mut outputs = values.clone();
            for slots in [&q, &v] {
                for value in &values {
                    outputs.extend(within.expressions.gradient(*value, slots));
                }
            }
            within.expressions.compile(&outputs)
        });

        let constraint = (!formulas.constraints.is_empty()).then(|| {
            let mut within = framing.clone();
            let values = within.components(formulas.constraints);
            let mut rates: Vec<(usize, Expression)> = Vec::new();
            for a in 0..n {
                let velocity = within.velocities.get(a).map(|(_, velocity)| *velocity);
                let velocity = velocity.unwrap_or_else(|| within.expressions.variable(slots.velocity(a)));
                rates.push((slots.coordinate(a), velocity));
            }
            rates.push((t, within.expressions.constant(1.0)));
            let (mut jacobian, mut slopes, mut curvatures) = (Vec::new(), Vec::new(), Vec::new());
            for (number, value) in values.iter().enumerate() {
                let gradient = within.expressions.gradient(*value, &q);
                for (j, acts) in acts_along.iter_mut().enumerate() {
                    *acts |= within.acts_along(j, [&gradient, &[]]);
                }
                jacobian.extend(gradient);
                let slope = within.expressions.gradient(*value, &[t])[0];
                if !within.is_zero(slope) {
                    sources.constraints.push(number);
                }
                slopes.push(slope);
                let along = within.expressions.derivative_along(*value, &rates);
                curvatures.push(within.expressions.derivative_along(along, &rates));
            }
            let outputs = [values, jacobian, slopes, curvatures].concat();
            within.expressions.compile(&outputs)
        });

        #[cfg(not(target_arch = "wasm32"))]
        let constraint_curvature = (framed && !formulas.constraints.is_empty()).then(|| {
            let mut within = framing.clone();
            let values = within.components(formulas.constraints);
            let all = [&q[..], &[t]].concat();
            let (mut outputs, mut by_time) = (Vec::new(), Vec::new());
            for value in values {
                let hessian = within.expressions.hessian(value, &all);
                let row = |a: usize| &hessian[a * (n + 1)..(a + 1) * (n + 1)];
                outputs.extend((0..n).flat_map(|a| row(a)[..n].to_vec()));
                by_time.extend((0..n).map(|a| row(a)[n]));
            }
            outputs.extend(by_time);
            within.expressions.compile(&outputs)
        });

        let mut within = framing;
        let measured = formulas.invariants.iter();
        let measured: Vec<Expression> = measured.map(|(_, formula)| within.number(formula)).collect();
        let invariant = within.expressions.compile(&measured);

        let mut expressions = Vec::new();
        let mut number = |program: Program| {
            let first = expressions.len() as u32;
            expressions.extend(program.expressions());
            Numbered { program, first }
        };
        Ok(Self {
            slots,
            frame: frame.map(&mut number),
            lagrangian: number(lagrangian),
            momentum: number(momentum),
            force: force.map(&mut number),
            constraint: constraint.map(&mut number),
            constraints: formulas.constraints.len(),
            invariant: number(invariant),
            invariants: formulas.invariants.iter().map(|(name, _)| name.clone()).collect(),
            acts_along,
            sources,
            #[cfg(not(target_arch = "wasm32"))]
            frame_curvature: frame_curvature.map(|program| Numbered { program, first: 0 }),
            #[cfg(not(target_arch = "wasm32"))]
            constraint_curvature: constraint_curvature.map(|program| Numbered { program, first: 0 }),
            expressions,
            // What has no value there has none in the formulas either, which are numbered.
            #[cfg(not(target_arch = "wasm32"))]
            kink: Numbered {
                program: kink,
                first: 0,
            },
        })
    }

    /// All outputs of a program at (t, q, v).
    fn outputs<'m>(
        &self,
        Numbered { program, first }: &Numbered,
        t: f64,
        q: &[f64],
        v: &[f64],
        memory: &'m mut FormulaMemory,
    ) -> Result<Outputs<'m>, Undefined> {
        let FormulaMemory {
            variables,
            values,
            registers,
        } = memory;
        variables.clear();
        variables.extend_from_slice(q);
        if self.slots.quasi_velocities == 0 {
            variables.extend_from_slice(v);
            variables.push(t);
        } else {
            // Velocities have been replaced.
            variables.resize(2 * q.len(), 0.0);
            variables.push(t);
            variables.extend_from_slice(v);
            variables.resize(2 * q.len() + 1 + self.slots.quasi_velocities, 0.0);
        }
        values.resize(program.outputs(), 0.0);
        program
            .evaluate(variables, registers, values)
            .map_err(|error| Undefined::Expression {
                number: first + error.number,
                argument: error.argument,
            })?;
        Ok(Outputs(values))
    }
}

/// The outputs of a program that have not been handed out yet.
struct Outputs<'a>(&'a [f64]);

impl Outputs<'_> {
    /// Hands out the next.
    fn fill(&mut self, target: &mut Vec<f64>, length: usize) {
        let (now, rest) = self.0.split_at(length);
        target.clear();
        target.extend_from_slice(now);
        self.0 = rest;
    }
}

impl Default for Framing {
    fn default() -> Self {
        Self {
            expressions: Expressions::new(),
            fields: Vec::new(),
            velocities: Vec::new(),
        }
    }
}

impl Framing {
    /// Makes the frame known; the program of its fields and their derivatives.
    fn enter(&mut self, formulas: &Formulas, q: &[usize]) -> Result<Program, LagrangianError> {
        let slots = formulas.slots;
        let (n, k) = (slots.coordinates, slots.quasi_velocities);
        if formulas.fields.len() != k {
            return Err(LagrangianError::FieldCount {
                given: formulas.fields.len(),
                wanted: k,
            });
        }
        let moving: Vec<usize> = (n..2 * n + 1 + k).collect();
        for (field, list) in formulas.fields.iter().enumerate() {
            let parts = self.components(list);
            if parts.len() != n {
                return Err(LagrangianError::FieldComponents {
                    field,
                    given: parts.len(),
                    wanted: n,
                });
            }
            for part in parts {
                let slopes = self.expressions.gradient(part, &moving);
                if !slopes.iter().all(|slope| self.is_zero(*slope)) {
                    return Err(LagrangianError::FieldMoves { field });
                }
                self.fields.push(part);
            }
        }
        let expressions = &mut self.expressions;
        let mut outputs = self.fields.clone();
        for field in &self.fields {
            outputs.extend(expressions.gradient(*field, q));
        }
        let program = expressions.compile(&outputs);
        for a in 0..n {
            let terms: Vec<_> = (0..k)
                .map(|i| {
                    (
                        expressions.variable(slots.quasi_velocity(i)),
                        self.fields[i * n + a],
                    )
                })
                .collect();
            let velocity = (slots.velocity(a), expressions.combination(terms));
            self.velocities.push(velocity);
        }
        Ok(program)
    }

    /// The program of the second derivatives of the fields.
    #[cfg(not(target_arch = "wasm32"))]
    fn curvature(&mut self, q: &[usize]) -> Program {
        let mut outputs = Vec::new();
        for field in self.fields.clone() {
            outputs.extend(self.expressions.hessian(field, q));
        }
        self.expressions.compile(&outputs)
    }

    /// The components of formulas, one after the other, in the velocities of the frame.
    fn components<'f>(&mut self, formulas: impl IntoIterator<Item = &'f Formula>) -> Vec<Expression> {
        let mut all = Vec::new();
        for formula in formulas {
            let components = self.expressions.components(formula);
            if self.velocities.is_empty() {
                all.extend(components);
            } else {
                let replaced = components.into_iter();
                all.extend(replaced.map(|part| self.expressions.substitute(part, &self.velocities)));
            }
        }
        all
    }

    fn number(&mut self, formula: &Formula) -> Expression {
        self.components([formula])[0]
    }

    fn is_zero(&self, expression: Expression) -> bool {
        self.expressions.known_value(expression) == Some(0.0)
    }

    /// Whether one of the covectors has a part along field j.
    fn acts_along(&mut self, j: usize, covectors: [&[Expression]; 2]) -> bool {
        if self.fields.is_empty() {
            return covectors
                .iter()
                .any(|list| list.get(j).is_some_and(|part| !self.is_zero(*part)));
        }
        let n = covectors[0].len();
        let field = &self.fields[j * n..(j + 1) * n];
        let terms: Vec<_> = covectors
            .iter()
            .flat_map(|list| field.iter().copied().zip(list.iter().copied()))
            .collect();
        let sum = self.expressions.combination(terms);
        !self.is_zero(sum)
    }
}

impl Mechanics for FormulaMechanics {
    fn coordinates(&self) -> usize {
        self.slots.coordinates
    }

    fn fields(&self) -> Option<usize> {
        self.frame.is_some().then_some(self.slots.quasi_velocities)
    }

    fn frame(&self, q: &[f64], out: &mut FrameFields) -> Result<(), Undefined> {
        let (n, k) = (q.len(), self.slots.quasi_velocities);
        let Some(frame) = &self.frame else {
            out.coordinate(n);
            return Ok(());
        };
        let mut given = self.outputs(frame, 0.0, q, &[], &mut out.memory)?;
        given.fill(&mut out.fields, k * n);
        given.fill(&mut out.slopes, k * n * n);
        Ok(())
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn frame_curvature(
        &self,
        q: &[f64],
        out: &mut Vec<f64>,
        memory: &mut FormulaMemory,
    ) -> Result<(), Undefined> {
        let n = q.len();
        let count = self.slots.quasi_velocities * n * n * n;
        let Some(program) = &self.frame_curvature else {
            out.clear();
            out.resize(count, 0.0);
            return Ok(());
        };
        self.outputs(program, 0.0, q, &[], memory)?.fill(out, count);
        Ok(())
    }

    fn lagrangian(&self, t: f64, q: &[f64], v: &[f64], out: &mut Derivatives) -> Result<(), Undefined> {
        let (n, k) = (q.len(), v.len());
        let mut given = self.outputs(&self.lagrangian, t, q, v, &mut out.memory)?;
        out.value = given.0[0];
        given.0 = &given.0[1..];
        given.fill(&mut out.q, n);
        given.fill(&mut out.v, k);
        given.fill(&mut out.vt, k);
        given.fill(&mut out.vv, k * k);
        given.fill(&mut out.vq, k * n);
        given.fill(&mut out.qq, n * n);
        out.t = given.0.first().copied().unwrap_or(0.0);
        Ok(())
    }

    fn momentum(&self, t: f64, q: &[f64], v: &[f64], out: &mut Derivatives) -> Result<(), Undefined> {
        let k = v.len();
        let mut given = self.outputs(&self.momentum, t, q, v, &mut out.memory)?;
        given.fill(&mut out.v, k);
        given.fill(&mut out.vv, k * k);
        Ok(())
    }

    fn force(&self, t: f64, q: &[f64], v: &[f64], out: &mut GeneralizedForce) -> Result<(), Undefined> {
        let (n, k) = (q.len(), v.len());
        let Some(force) = &self.force else {
            out.resize(n, k);
            return Ok(());
        };
        let mut given = self.outputs(force, t, q, v, &mut out.memory)?;
        given.fill(&mut out.value, n);
        given.fill(&mut out.q, n * n);
        given.fill(&mut out.v, n * k);
        Ok(())
    }

    fn constraints(&self) -> usize {
        self.constraints
    }

    fn constraint(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        out: &mut HolonomicConstraint,
    ) -> Result<(), Undefined> {
        let (m, n) = (self.constraints, q.len());
        let Some(constraint) = &self.constraint else {
            out.resize(m, n);
            return Ok(());
        };
        let mut given = self.outputs(constraint, t, q, v, &mut out.memory)?;
        given.fill(&mut out.value, m);
        given.fill(&mut out.jacobian, m * n);
        given.fill(&mut out.rate, m);
        given.fill(&mut out.curvature, m);
        Ok(())
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn constraint_curvature(
        &self,
        t: f64,
        q: &[f64],
        (second, by_time): (&mut Vec<f64>, &mut Vec<f64>),
        memory: &mut FormulaMemory,
    ) -> Result<(), Undefined> {
        if let Some(program) = &self.constraint_curvature {
            let (m, n) = (self.constraints, q.len());
            let mut given = self.outputs(program, t, q, &[], memory)?;
            given.fill(second, m * n * n);
            given.fill(by_time, m * n);
        }
        Ok(())
    }

    fn acts_along(&self, velocity: usize) -> bool {
        self.acts_along[velocity]
    }

    fn sources(&self) -> PowerSources {
        self.sources.clone()
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
        memory: &mut FormulaMemory,
    ) -> Result<(), Undefined> {
        let values = self.outputs(&self.invariant, t, q, v, memory)?;
        out.extend_from_slice(values.0);
        Ok(())
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn kinks(&self) -> usize {
        self.kink.program.outputs()
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn sides(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        out: &mut Vec<f64>,
        memory: &mut FormulaMemory,
    ) -> Result<(), Undefined> {
        let values = self.outputs(&self.kink, t, q, v, memory)?;
        out.extend_from_slice(values.0);
        Ok(())
    }

    fn knows_time(&self) -> bool {
        let programs = [
            Some(&self.lagrangian),
            self.force.as_ref(),
            self.constraint.as_ref(),
        ];
        let time = self.slots.time();
        programs
            .iter()
            .flatten()
            .any(|numbered| numbered.program.reads(time))
    }

    fn formulas(&self) -> Option<&FormulaMechanics> {
        Some(self)
    }

    fn expressions(&self) -> Vec<SubExpression> {
        self.expressions.clone()
    }
}
