//! Hashes of the states that all scenarios come to, by their own method and by `dop853`.
//!
//! The same runs natively and in WebAssembly must give the same hashes, and those that are stored. Plain exports of C
//! suffice for that: node calls [`count`] and [`run`], see `run.mjs`.
mod functions;

use holonomy::{
    integrator::catalog,
    simulation::Simulation,
    system::{Digest, State},
};
use holonomy_model::{Source, load};

/// Names and texts of the scenarios.
const SCENARIOS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));
/// The name in place of a scenario's own method.
const OTHER: &str = "dop853";
const STEPS: u64 = 1000;
/// Runs with more than this many numbers times steps are cut short.
const MOST_WORK: u64 = 200_000;

/// One run.
#[derive(Clone, Copy, Debug)]
pub struct Case(usize);

impl Case {
    /// All of them: the elementary functions, then two for each scenario.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..=2 * SCENARIOS.len()).map(Self)
    }

    /// What it is called.
    #[must_use]
    pub fn name(self) -> String {
        match self.scenario() {
            Some((name, _, other)) => format!("{name} {}", if other { OTHER } else { "own" }),
            None => "elementary functions".to_owned(),
        }
    }

    /// The hash of what it comes to; zero if there is no such run.
    #[must_use]
    pub fn hash(self) -> u64 {
        match self.scenario() {
            None => {
                let mut digest = Digest::default();
                functions::all(|x| digest.add(x));
                digest.value()
            }
            Some((name, text, other)) => final_state(name, text, other).map_or(0, |state| state.digest()),
        }
    }

    /// Name and text, and whether it is by [`OTHER`].
    fn scenario(self) -> Option<(&'static str, &'static str, bool)> {
        let k = self.0.checked_sub(1)?;
        let (name, text) = SCENARIOS.get(k / 2)?;
        Some((name, text, k % 2 == 1))
    }
}

/// Where a scenario comes to; `None` if it does not load, or the other method does not apply or is its own.
fn final_state(name: &str, text: &str, other: bool) -> Option<State> {
    let model = load(&Source::new(name, text)).ok()?;
    let method = match other {
        true => catalog::find(OTHER)
            .ok()
            .filter(|method| method.name != model.method.name)?,
        false => model.method,
    };
    let integrator = method.build_with(&model.mechanism, &model.options).ok()?;
    let mut simulation = Simulation::new(
        model.mechanism.system(),
        integrator,
        model.state.clone(),
        model.schedule.step,
    );
    let most = (MOST_WORK / simulation.state.q.len().max(1) as u64).max(3);
    // A run that ends early has a last state, too.
    let _ = simulation.advance(STEPS.min(most).min(model.schedule.steps));
    Some(simulation.state)
}

/// How many cases there are.
#[expect(unsafe_code, reason = "an export of C has a name that could be taken twice")]
#[unsafe(no_mangle)]
pub extern "C" fn count() -> u32 {
    Case::all().count() as u32
}

/// The hash of a case.
#[expect(unsafe_code, reason = "an export of C has a name that could be taken twice")]
#[unsafe(no_mangle)]
pub extern "C" fn run(case: u32) -> u64 {
    Case(case as usize).hash()
}
