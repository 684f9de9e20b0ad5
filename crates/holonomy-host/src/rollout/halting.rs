//! A method that ends at its next step once somebody wants it to: a tape has no other hold on a long run.
use holonomy::{
    derivative::{Change, Differentiable},
    integrator::{Cause, Fault, Integrator, StepInfo},
    system::State,
};
use std::sync::atomic::{AtomicBool, Ordering};

/// The method, and what stops it.
pub(super) struct Halting<'a> {
    method: &'a mut dyn Differentiable,
    stop: &'a AtomicBool,
}

impl<'a> Halting<'a> {
    pub(super) fn new(method: &'a mut dyn Differentiable, stop: &'a AtomicBool) -> Self {
        Self { method, stop }
    }

    fn go_on(&self) -> Result<(), Fault> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(Fault {
                cause: Cause::Halted,
                body: None,
            }),
            false => Ok(()),
        }
    }
}

impl Integrator for Halting<'_> {
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        self.go_on()?;
        self.method.attempt(state, h)
    }
}

impl Differentiable for Halting<'_> {
    fn another(&mut self) -> Box<dyn Differentiable> {
        self.method.another()
    }

    fn solution(&self, out: &mut Vec<f64>) {
        self.method.solution(out);
    }

    fn linearise(&mut self, before: &State, h: f64, solution: &[f64]) -> Result<(), Fault> {
        self.go_on()?;
        self.method.linearise(before, h, solution)
    }

    fn push(&mut self, change: &mut Change) {
        self.method.push(change);
    }

    fn pull(&mut self, gradient: &mut Change) {
        self.method.pull(gradient);
    }

    fn push_each(&mut self, changes: &mut [Change]) {
        self.method.push_each(changes);
    }

    fn pull_each(&mut self, gradients: &mut [Change]) {
        self.method.pull_each(gradients);
    }

    fn equations(
        &mut self,
        before: &State,
        h: f64,
        solution: &[f64],
        out: &mut Vec<f64>,
    ) -> Result<(), Fault> {
        self.method.equations(before, h, solution, out)
    }
}
