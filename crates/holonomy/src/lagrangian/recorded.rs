//! What of a system in generalized coordinates can be recorded by name: velocities of points, definitions, forces.
//!
//! ```text
//! points        ẋₖ = ∂xₖ/∂q q̇ + ∂xₖ/∂t
//! definitions   d(t, q, q̇), ξ
//! forces        fₐ, as `force.NAME`
//! ```
use super::{FormulaMemory, Lagrangian, LagrangianWorkspace, Slots};
use crate::{
    Vec3,
    formula::{Expressions, Formula, Kind, Program},
    output::{Extra, SiteMotion, XYZ},
};

/// Definitions to be recorded.
#[derive(Default)]
pub(super) struct Recorded {
    definitions: Vec<Program>,
    slots: Option<Slots>,
}

impl Lagrangian {
    /// The same, of which formulas can be recorded by their names.
    #[must_use]
    pub fn with_definitions(mut self, slots: Slots, definitions: &[(String, Formula)]) -> Self {
        if !cfg!(feature = "outputs") || slots.coordinates != self.mechanics.coordinates() {
            return self;
        }
        let mut extras = Vec::new();
        let mut programs = Vec::new();
        for (name, formula) in definitions {
            let mut expressions = Expressions::new();
            let parts = expressions.components(formula);
            programs.push(expressions.compile(&parts));
            extras.push(Extra {
                name: name.clone(),
                unit: "",
                components: match formula.kind() {
                    Kind::Scalar => &[],
                    Kind::Vector => XYZ,
                },
            });
        }
        extras.extend(self.sources.forces.iter().map(|a| Extra {
            name: format!("force.{}", self.layout.coordinates[*a]),
            unit: "",
            components: &[],
        }));
        self.layout.recordable.extras = extras;
        self.recorded = Recorded {
            definitions: programs,
            slots: Some(slots),
        };
        self
    }

    /// Variables of formulas at a point: coordinates, their velocities, time, quasi-velocities.
    fn set_variables(&self, slots: Slots, t: f64, q: &[f64], v: &[f64], work: &mut LagrangianWorkspace) {
        self.spread(v, &mut work.all);
        work.unknown.clear();
        work.unknown.resize(q.len(), 0.0);
        if !self.is_framed() {
            work.unknown.copy_from_slice(v);
        } else if self.mechanics.frame(q, &mut work.at.frame).is_ok() {
            work.at.frame.velocity(&work.all, &mut work.unknown);
        } else {
            work.unknown.fill(f64::NAN);
        }
        let variables = &mut work.at.lagrangian.memory.variables;
        variables.clear();
        variables.extend_from_slice(q);
        variables.extend_from_slice(&work.unknown);
        variables.push(t);
        if slots.quasi_velocities > 0 {
            variables.extend_from_slice(&work.all);
        }
        variables.resize(slots.along() + 1, 0.0);
    }

    pub(super) fn record_motions(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        out: &mut Vec<SiteMotion>,
        work: &mut LagrangianWorkspace,
    ) {
        out.clear();
        let Some(slots) = self.painter.slots else {
            return;
        };
        self.set_variables(slots, t, q, v, work);
        let memory = &mut work.at.lagrangian.memory;
        for program in &self.painter.velocities {
            let mut velocity = [f64::NAN; 3];
            let found = evaluate(program, memory, &mut velocity);
            out.push(SiteMotion {
                velocity: if found {
                    Vec3::from(velocity)
                } else {
                    Vec3::repeat(f64::NAN)
                },
                ..SiteMotion::UNKNOWN
            });
        }
    }

    pub(super) fn record_extras(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        out: &mut Vec<f64>,
        work: &mut LagrangianWorkspace,
    ) {
        out.clear();
        let Some(slots) = self.recorded.slots else {
            return;
        };
        self.set_variables(slots, t, q, v, work);
        for program in &self.recorded.definitions {
            let start = out.len();
            out.resize(start + program.outputs(), 0.0);
            if !evaluate(program, &mut work.at.lagrangian.memory, &mut out[start..]) {
                out[start..].fill(f64::NAN);
            }
        }
        let found = self.mechanics.force(t, q, &work.all, &mut work.at.force).is_ok();
        let force = &work.at.force.value;
        let value = |a: &usize| if found { force[*a] } else { f64::NAN };
        out.extend(self.sources.forces.iter().map(value));
    }
}

/// Whether a program has a value where the variables of the memory are.
fn evaluate(program: &Program, memory: &mut FormulaMemory, out: &mut [f64]) -> bool {
    let FormulaMemory {
        variables, registers, ..
    } = memory;
    program.evaluate(variables, registers, out).is_ok()
}
