//! Explicit Runge–Kutta methods with a fixed step, on the continuous equations in `(q, v)`.
//!
//! ```text
//! kᵢ = f(t + cᵢh, y + h Σⱼ aᵢⱼ kⱼ),   y⁺ = y + h Σᵢ bᵢ kᵢ,   y = (q, v),  v = M(q)⁻¹p
//! ΔW = h Σᵢ bᵢ P(t + cᵢh, yᵢ)                                work of the sources, at the stages yᵢ
//! ```
//! Nothing keeps y on the manifold; the projected variants move it back after every step.
use super::{Fault, Integrator, StepInfo, tableaux::Tableau};
use crate::system::{Scratch, State, System};
use std::sync::Arc;

/// A Runge–Kutta method with a fixed step.
pub struct RungeKutta {
    system: Arc<dyn System>,
    tableau: &'static Tableau,
    project: bool,
    scratch: Scratch,
    velocity: Vec<f64>,
    stage: (Vec<f64>, Vec<f64>),
    slopes: Vec<(Vec<f64>, Vec<f64>)>,
    powers: Vec<f64>,
    done: Vec<f64>,
}

impl RungeKutta {
    pub(super) fn new(system: Arc<dyn System>, tableau: &'static Tableau, project: bool) -> Self {
        let scratch = system.scratch();
        let slopes = vec![Default::default(); tableau.b.len()];
        let powers = vec![0.0; system.layout().conserved.sources.len()];
        Self {
            done: powers.clone(),
            powers,
            system,
            tableau,
            project,
            scratch,
            velocity: Vec::new(),
            stage: Default::default(),
            slopes,
        }
    }
}

impl Integrator for RungeKutta {
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        let Self {
            system,
            tableau,
            scratch,
            velocity,
            stage,
            slopes,
            powers,
            done,
            ..
        } = self;
        done.fill(0.0);
        velocity.resize(state.p.len(), 0.0);
        system.velocity(state.t, &state.q, &state.p, velocity, scratch);
        for i in 0..tableau.b.len() {
            combine(stage, (&state.q, velocity), h, tableau.a[i], slopes);
            let (dq, dv) = &mut slopes[i];
            dq.resize(state.q.len(), 0.0);
            dv.resize(velocity.len(), 0.0);
            let time = state.t + tableau.c[i] * h;
            system.rate(time, &stage.0, &stage.1, dq, dv, scratch);
            if !powers.is_empty() {
                system.powers(time, &stage.0, &stage.1, dv, powers, scratch);
                add_scaled(done, h * tableau.b[i], powers);
            }
            // Zero times a rate is zero, or not a number.
            let stray = |sum: f64, rate: &f64| sum + 0.0 * rate;
            if dq.iter().fold(dv.iter().fold(0.0, stray), stray) != 0.0
                && let Some(undefined) = system.undefined(time, &stage.0, &stage.1, scratch)
            {
                return Err(undefined.into());
            }
        }
        combine(stage, (&state.q, velocity), h, tableau.b, slopes);
        let (next_q, next_v) = stage;
        if self.project {
            system.project(next_q, next_v);
        }
        system.momentum(state.t + h, next_q, next_v, velocity, scratch);
        super::check_finite(next_q, velocity, system.layout().words.bodies.len())?;

        state.add_work(done);
        std::mem::swap(&mut state.q, next_q);
        std::mem::swap(&mut state.p, velocity);
        state.t += h;
        Ok(StepInfo {
            evaluations: tableau.b.len() as u32,
            ..StepInfo::default()
        })
    }
}

/// `out = y + h Σⱼ aⱼ kⱼ`.
fn combine(
    out: &mut (Vec<f64>, Vec<f64>),
    y: (&[f64], &[f64]),
    h: f64,
    a: &[f64],
    slopes: &[(Vec<f64>, Vec<f64>)],
) {
    out.0.clear();
    out.0.extend_from_slice(y.0);
    out.1.clear();
    out.1.extend_from_slice(y.1);
    for (a, (dq, dv)) in a.iter().zip(slopes) {
        if *a != 0.0 {
            add_scaled(&mut out.0, a * h, dq);
            add_scaled(&mut out.1, a * h, dv);
        }
    }
}

/// `out += a x`.
pub(super) fn add_scaled(out: &mut [f64], a: f64, x: &[f64]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out += a * x;
    }
}
