//! What was understood, in words.
use super::{Framed, LagrangianDraft, Name};
use crate::Description;
use holonomy::formula::Expressions;

impl LagrangianDraft {
    pub(crate) fn description(&self) -> Description {
        let forces = self.forces.iter();
        let constraints = self.constraints.iter();
        Description {
            parameters: self.parameters.clone(),
            definitions: self.definition_texts.clone(),
            lagrangian: Some(self.lagrangian.formula.to_string()),
            forces: forces
                .map(|force| (force.name.replace("force.", ""), force.formula.to_string()))
                .filter(|(_, text)| !matches!(text.as_str(), "0" | "[0, 0, 0]"))
                .collect(),
            constraints: constraints
                .map(|g| (g.name.clone(), g.formula.to_string()))
                .collect(),
            equations: self.equations().unwrap_or_default(),
            potentials: Vec::new(),
            cables: Vec::new(),
            fields: self.frame.iter().flat_map(Framed::described).collect(),
            constrained: self.frame.iter().flat_map(Framed::constrained_names).collect(),
            invariants: self
                .invariants
                .iter()
                .map(|written| (written.name.clone(), written.formula.to_string()))
                .collect(),
        }
    }

    /// `d/dt (∂L/∂q') = ∂L/∂q + f − Σ λ ∂g/∂q`, with the derivatives written out; `None` if that is too long.
    fn equations(&self) -> Option<Vec<String>> {
        const LONGEST: usize = 400;
        if self.frame.is_some() {
            return None;
        }
        let coordinates = self.component_names();
        let n = coordinates.len();
        let velocities = self.coordinates.iter().flat_map(|name| {
            let primed = Name {
                text: format!("{}'", name.text),
                kind: name.kind,
            };
            primed.components()
        });
        let names: Vec<String> = coordinates.iter().cloned().chain(velocities).collect();
        let names = [names, vec!["t".to_owned()]].concat();
        let mut expressions = Expressions::new();
        let lagrangian = expressions.scalar(&self.lagrangian.formula);
        let slopes = expressions.gradient(lagrangian, &(0..2 * n).collect::<Vec<_>>());
        let mut gradients = Vec::new();
        for constraint in &self.constraints {
            let value = expressions.scalar(&constraint.formula);
            gradients.push(expressions.gradient(value, &(0..n).collect::<Vec<_>>()));
        }
        let forces: Vec<_> = self
            .forces
            .iter()
            .flat_map(|force| expressions.components(&force.formula))
            .collect();
        let each = (0..n).map(|i| {
            let mut right = slopes[i];
            if let Some(force) = forces.get(i) {
                right = expressions.add(right, *force);
            }
            let mut text = expressions.text(right, &names, LONGEST)?;
            for (constraint, gradient) in self.constraints.iter().zip(&gradients) {
                match expressions.known_value(gradient[i]) {
                    Some(0.0) => {}
                    Some(1.0) => text += &format!(" - λ({})", constraint.name),
                    _ => {
                        let gradient = expressions.text(gradient[i], &names, LONGEST)?;
                        text += &format!(" - λ({})*({gradient})", constraint.name);
                    }
                }
            }
            let text = text.replacen("0 - λ", "-λ", usize::from(text.starts_with("0 - λ")));
            let momentum = expressions.text(slopes[n + i], &names, LONGEST)?;
            Some(format!("d/dt ({momentum}) = {text}"))
        });
        each.collect()
    }
}
