//! Every scenario by every method that applies: hashes by which native runs and those of a browser are compared.
use crate::{RunSpec, Session};
use holonomy::integrator::catalog::{self, Method};
use holonomy_model::{
    load,
    scenario::{SCENARIOS, Scenario},
};
use std::sync::OnceLock;

/// A scenario by a method.
#[derive(Clone, Copy)]
pub struct Case {
    /// The scenario.
    pub scenario: &'static Scenario,
    /// The method.
    pub method: &'static Method,
    /// Whether it is the model's own, with its options.
    own: bool,
    /// Numbers of q.
    size: usize,
}

/// All that can run.
pub fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(find)
}

fn find() -> Vec<Case> {
    let mut cases = Vec::new();
    for scenario in SCENARIOS {
        let Ok(model) = load(&scenario.source()) else {
            continue;
        };
        let family = model.mechanism.family();
        let serving = catalog::METHODS.iter().filter(|method| method.serves(family));
        let fitting = serving.filter(|method| method.build(&model.mechanism).is_ok());
        cases.extend(fitting.map(|method| Case {
            scenario,
            method,
            own: method.name == model.method.name,
            size: model.state.q.len(),
        }));
    }
    cases
}

impl Case {
    /// How many steps it takes: at most so many, fewer where numbers times steps exceed `work`.
    pub fn steps(&self, most: u64, work: f64) -> u64 {
        let cut = (work / self.size.max(1) as f64) as u64;
        most.min(cut).max(3)
    }

    /// The hash of where it comes to, through the session as a page drives it. A run that ends early has a last state,
    /// too.
    pub fn hash(&self, most: u64, work: f64) -> u64 {
        let mut session = Session::default();
        if session.load(self.scenario.model, &[]).is_err() {
            return 0;
        }
        let spec = RunSpec {
            method: (!self.own).then(|| self.method.name.to_owned()),
            step: None,
        };
        if session.open(&[spec], false).is_err() {
            return 0;
        }
        session.steps(self.steps(most, work));
        session.hash(0).unwrap_or(0)
    }
}
