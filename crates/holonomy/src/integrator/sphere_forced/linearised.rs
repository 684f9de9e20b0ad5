//! Derivatives of the steps: of an impulse, of the step without forces, and of another impulse.
//!
//! ```text
//! unknowns     u, ω⁺                              u of the step from (q, π*)
//! equations    F(q, π*; u),  F⁺ = Tᵀ(M v⁺) − ŷ − ½h Tᵀ(τ⁺ × q⁺),  E = (x̂, ŷ + ½h Tᵀ(τ⁺ × q⁺))
//! ```
//! (x̂, ŷ) is where the step without forces leads.
use super::{
    SphereForced,
    impulse::{End, Impulse},
};
use crate::{
    derivative::{Change, Differentiable},
    integrator::{
        Fault, Integrator,
        sphere_tangent::{pairs, pairs_mut},
    },
    spheres::view,
    system::State,
};

/// What is known of a step beside its scratch.
#[derive(Default)]
pub(super) struct Taken {
    /// Whether the step without forces has derivatives.
    known: bool,
    solution: Vec<f64>,
    start: Impulse,
    end: Impulse,
    /// Where equations are looked at.
    elsewhere: Impulse,
    kicked: Option<State>,
    /// A change of the equations of the step without forces, or a gradient by them.
    part: Vec<f64>,
}

impl Taken {
    pub(super) fn new(free: &mut dyn Integrator) -> Self {
        Self {
            known: free.differentiable().is_some(),
            ..Self::default()
        }
    }

    pub(super) fn is_known(&self) -> bool {
        self.known
    }
}

impl SphereForced {
    /// Notes the unknowns of the step that has just been taken.
    pub(super) fn note(&mut self) {
        let solution = &mut self.taken.solution;
        if let Some(free) = self.free.differentiable() {
            free.solution(solution);
            solution.extend_from_slice(&self.kick.omega);
        }
    }

    /// The state after the impulse at the start of a step.
    fn kicked(&mut self, before: &State, h: f64) -> Result<State, Fault> {
        let mut kicked = self.taken.kicked.take().unwrap_or_else(|| before.clone());
        kicked.copy_from(before);
        kicked.carry.clear();
        self.kick.explicit(&self.system, &mut kicked, 0.5 * h)?;
        Ok(kicked)
    }
}

impl Differentiable for SphereForced {
    fn another(&mut self) -> Box<dyn Differentiable> {
        let free: Box<dyn Integrator> = match self.free.differentiable() {
            Some(free) => free.another(),
            None => unreachable!("a step around one without derivatives has none"),
        };
        Box::new(Self::new(self.system.clone(), free))
    }

    fn solution(&self, out: &mut Vec<f64>) {
        out.clone_from(&self.taken.solution);
    }

    fn linearise(&mut self, before: &State, h: f64, solution: &[f64]) -> Result<(), Fault> {
        let (of_free, omega) = solution.split_at(solution.len() - before.q.len());
        let kicked = self.kicked(before, h)?;
        let start = (before.t, view(&before.q), view(&self.kick.first));
        self.taken.start.stand(&self.system, start, 0.5 * h, End::Start)?;
        let done = match self.free.differentiable() {
            Some(free) => free.linearise(&kicked, h, of_free),
            None => Ok(()),
        };
        self.taken.kicked = Some(kicked);
        done?;
        let q = &of_free[of_free.len() - before.q.len()..];
        let end = (before.t + h, view(q), view(omega));
        self.taken.end.stand(&self.system, end, 0.5 * h, End::Finish)
    }

    fn push(&mut self, change: &mut Change) {
        let Taken { start, end, part, .. } = &mut self.taken;
        let size = change.x.len();
        let equations = std::mem::take(&mut change.equations);
        // Those of the step without forces, whose end has none of its own, of the velocity, and of the end.
        part.clear();
        let (own, of_e) = match equations.len() {
            0 => (None, &[] as &[f64]),
            all => {
                let (of_f, of_e) = equations.split_at(all - 2 * size);
                let (of_free, own) = of_f.split_at(of_f.len() - size);
                part.extend_from_slice(of_free);
                part.resize(of_free.len() + 2 * size, 0.0);
                (Some(pairs(own)), of_e)
            }
        };
        change.equations = std::mem::take(part);
        start.push_start(&self.system, pairs(&change.x), pairs_mut(&mut change.y));
        if let Some(free) = self.free.differentiable() {
            free.push(change);
        }
        end.push_end(&self.system, own, pairs(&change.x), pairs_mut(&mut change.y));
        for (out, of_e) in change.x.iter_mut().chain(&mut change.y).zip(of_e) {
            *out += of_e;
        }
        *part = std::mem::replace(&mut change.equations, equations);
    }

    fn pull(&mut self, gradient: &mut Change) {
        let Taken { start, end, part, .. } = &mut self.taken;
        let size = gradient.x.len();
        // F⁺ and E, to be put behind the equations of the step without forces.
        part.clear();
        part.resize(size, 0.0);
        part.extend_from_slice(&gradient.x);
        part.extend_from_slice(&gradient.y);
        let (x, y) = (pairs_mut(&mut gradient.x), pairs_mut(&mut gradient.y));
        end.pull_end(&self.system, pairs_mut(&mut part[..size]), x, y);
        if let Some(free) = self.free.differentiable() {
            free.pull(gradient);
        }
        let (x, y) = (pairs_mut(&mut gradient.x), pairs_mut(&mut gradient.y));
        start.pull_start(&self.system, x, y);
        gradient.equations.truncate(gradient.equations.len() - 2 * size);
        gradient.equations.extend_from_slice(part);
    }

    fn equations(
        &mut self,
        before: &State,
        h: f64,
        solution: &[f64],
        out: &mut Vec<f64>,
    ) -> Result<(), Fault> {
        let (of_free, omega) = solution.split_at(solution.len() - before.q.len());
        let kicked = self.kicked(before, h)?;
        let done = match self.free.differentiable() {
            Some(free) => free.equations(&kicked, h, of_free, out),
            None => Ok(()),
        };
        self.taken.kicked = Some(kicked);
        done?;
        let size = 2 * self.system.len();
        let q = &of_free[of_free.len() - before.q.len()..];
        let place = (before.t + h, view(q), view(omega));
        let first = out.len() - 2 * size;
        out.resize(out.len() + size, 0.0);
        out.copy_within(first..first + 2 * size, first + size);
        let (own, end) = out[first..].split_at_mut(size);
        let y = pairs_mut(&mut end[size..]);
        let values = self.taken.elsewhere.values(&self.system, place, 0.5 * h);
        for ((own, y), (value, impulse)) in pairs_mut(own).iter_mut().zip(y).zip(values) {
            *own = value - *y;
            *y += impulse;
        }
        Ok(())
    }
}
