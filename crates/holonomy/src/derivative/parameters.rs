//! How a run depends on parameters of its mechanism, masses, lengths, stiffnesses, or any number of a model.
//!
//! ```text
//! δF/δθ, δE/δθ ≈ Σ wₖ (F, E)(z, u; θ + kε) / ε         at the solution that is known; z and u stay
//! δz₀/δθ                                              p₀ = M(θ) v₀ of velocities that stay
//! ```
//! Differences of the equations alone: what depends on θ as a polynomial of degree six or less is exact but for rounding,
//! whatever the solution does with it. Nothing is solved for them.
use super::{Along, Change, Step, slope, slope_aside};
use crate::{
    integrator::{Fault, Integrator},
    system::{State, System},
};

/// A mechanism of a family: a method for it, and where its run starts.
pub struct Variant {
    /// The method.
    pub integrator: Box<dyn Integrator>,
    /// The start.
    pub start: State,
}

/// Methods for the neighbours of a mechanism in a family.
pub struct Parameters {
    each: Vec<Parameter>,
    values: Vec<f64>,
}

struct Parameter {
    offset: f64,
    /// Whether its neighbours are to one side alone.
    aside: bool,
    /// In the order in which differences ask for them.
    neighbours: Vec<Box<dyn Integrator>>,
    start: Change,
}

/// A neighbour that has none of the derivatives of the mechanism itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterError<E> {
    /// It was not made.
    Refused(E),
    /// Its method has no derivatives.
    NotDifferentiable,
}

impl Parameters {
    /// Of the family around `theta`, whose member there has the system and the start given; `offsets` are those of the
    /// differences, a small part of what a parameter may change by: three of them to both sides must be allowed.
    pub fn new<E>(
        system: &dyn System,
        start: &State,
        theta: &[f64],
        offsets: &[f64],
        make: impl FnMut(&[f64]) -> Result<Variant, E>,
    ) -> Result<Self, ParameterError<E>> {
        let anything = vec![(f64::NEG_INFINITY, f64::INFINITY); theta.len()];
        Self::within(system, start, theta, offsets, &anything, make)
    }

    /// The same of parameters that exist between bounds, ends included: near one of these, six neighbours to the other side
    /// are taken.
    pub fn within<E>(
        system: &dyn System,
        start: &State,
        theta: &[f64],
        offsets: &[f64],
        bounds: &[(f64, f64)],
        mut make: impl FnMut(&[f64]) -> Result<Variant, E>,
    ) -> Result<Self, ParameterError<E>> {
        let half = system.canonical(&start.q, &start.q, &start.p).0.len();
        let mut each = Vec::with_capacity(theta.len());
        for (i, ((offset, own), (low, high))) in offsets.iter().zip(theta).zip(bounds).enumerate() {
            let mut neighbours = Vec::new();
            let aside = own - 3.0 * offset < *low || own + 3.0 * offset > *high;
            let offset = match aside && own + 6.0 * offset > *high {
                true => -offset,
                false => *offset,
            };
            let z = Self::differences(offset, aside, |shift| {
                let mut theta = theta.to_vec();
                theta[i] += shift;
                let mut variant = make(&theta).map_err(ParameterError::Refused)?;
                if variant.integrator.differentiable().is_none() {
                    return Err(ParameterError::NotDifferentiable);
                }
                neighbours.push(variant.integrator);
                let (mut z, y) = system.canonical(&start.q, &variant.start.q, &variant.start.p);
                z.extend(y);
                Ok(z)
            })?;
            each.push(Parameter {
                offset,
                aside,
                neighbours,
                start: Change {
                    x: z[..half].to_vec(),
                    y: z[half..].to_vec(),
                    ..Change::default()
                },
            });
        }
        Ok(Self {
            each,
            values: Vec::new(),
        })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.each.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.each.is_empty()
    }

    /// How the start changes with a parameter.
    pub fn start(&self, i: usize) -> &Change {
        &self.each[i].start
    }

    /// How anything else changes with a parameter: `at` is asked for it with the neighbours, by number, as they were made.
    pub fn by<E>(&self, i: usize, mut at: impl FnMut(usize) -> Result<Vec<f64>, E>) -> Result<Vec<f64>, E> {
        let Parameter { offset, aside, .. } = self.each[i];
        let mut numbers = 0..;
        Self::differences(offset, aside, |_| at(numbers.next().unwrap_or_default()))
    }

    fn differences<E>(
        offset: f64,
        aside: bool,
        at: impl FnMut(f64) -> Result<Vec<f64>, E>,
    ) -> Result<Vec<f64>, E> {
        match aside {
            true => slope_aside(offset, at),
            false => slope(offset, at),
        }
    }

    /// How the equations of a step change with a parameter.
    pub fn slope(&mut self, i: usize, step: &Step<'_>) -> Result<Vec<f64>, Fault> {
        let Parameter {
            offset,
            aside,
            neighbours,
            ..
        } = &mut self.each[i];
        let mut neighbours = neighbours.iter_mut();
        Self::differences(*offset, *aside, |_| {
            let neighbour = neighbours.next().and_then(|neighbour| neighbour.differentiable());
            if let Some(neighbour) = neighbour {
                neighbour.equations(step.before, step.h, step.solution, &mut self.values)?;
            }
            Ok(self.values.clone())
        })
    }
}

/// Changes with the parameters, one for each: what [`Parameters::start`] becomes along a run.
pub struct WithParameters<'a, A> {
    /// The family.
    pub parameters: &'a mut Parameters,
    /// What else goes along.
    pub also: A,
}

impl<A: Along> Along for WithParameters<'_, A> {
    fn at(&mut self, k: usize, state: &State, changes: &mut [Change]) -> Result<(), Fault> {
        self.also.at(k, state, changes)
    }

    fn equations(&mut self, step: &Step<'_>, changes: &mut [Change]) -> Result<(), Fault> {
        for (i, change) in changes.iter_mut().enumerate() {
            change.equations = self.parameters.slope(i, step)?;
        }
        self.also.equations(step, changes)
    }

    fn efforts(&mut self, k: usize, efforts: &mut [f64]) -> Result<(), Fault> {
        self.also.efforts(k, efforts)
    }
}

/// Gradients with respect to the parameters, gathered while gradients go back along a run.
pub struct OfParameters<'a, A> {
    /// The family.
    pub parameters: &'a mut Parameters,
    /// What was gathered: of each gradient one number for each parameter.
    pub found: Vec<Vec<f64>>,
    /// What else goes along.
    pub also: A,
}

impl<'a, A> OfParameters<'a, A> {
    /// Nothing gathered yet, of so many gradients.
    pub fn new(parameters: &'a mut Parameters, gradients: usize, also: A) -> Self {
        let found = vec![vec![0.0; parameters.len()]; gradients];
        Self {
            parameters,
            found,
            also,
        }
    }
}

impl<A: Along> Along for OfParameters<'_, A> {
    fn at(&mut self, k: usize, state: &State, gradients: &mut [Change]) -> Result<(), Fault> {
        self.also.at(k, state, gradients)?;
        if k == 0 {
            for (found, gradient) in self.found.iter_mut().zip(gradients) {
                for (i, found) in found.iter_mut().enumerate() {
                    let start = self.parameters.start(i);
                    *found += dot(&start.x, &gradient.x) + dot(&start.y, &gradient.y);
                }
            }
        }
        Ok(())
    }

    fn equations(&mut self, step: &Step<'_>, gradients: &mut [Change]) -> Result<(), Fault> {
        for i in 0..self.parameters.len() {
            let slope = self.parameters.slope(i, step)?;
            for (found, gradient) in self.found.iter_mut().zip(&*gradients) {
                found[i] += dot(&slope, &gradient.equations);
            }
        }
        self.also.equations(step, gradients)
    }

    fn efforts(&mut self, k: usize, efforts: &mut [f64]) -> Result<(), Fault> {
        self.also.efforts(k, efforts)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
