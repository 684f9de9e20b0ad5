//! Rare calls: words in, JSON out.
use crate::{
    LagrangianParts, RunSpec, Session, Setting, from_lagrangian, scenarios,
    words::{Misunderstood, Request},
};
use holonomy_model::Table;
use serde::Serialize;

/// What can be asked for, in the order of the numbers that `worker.ts` uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "said in `web/src/engine/types.ts`")]
pub enum Operation {
    Scenarios,
    Load,
    FromLagrangian,
    Open,
    Seek,
    SetDirection,
    Swarm,
    SwarmPoints,
    Certificate,
    Describe,
    Hash,
    Pull,
}

impl Operation {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Scenarios,
        Self::Load,
        Self::FromLagrangian,
        Self::Open,
        Self::Seek,
        Self::SetDirection,
        Self::Swarm,
        Self::SwarmPoints,
        Self::Certificate,
        Self::Describe,
        Self::Hash,
        Self::Pull,
    ];
}

/// Answers a call. What cannot be understood is answered by `{ "error": … }`: a fault of the caller.
pub fn answer(session: &mut Session, operation: Operation, request: &[u8]) -> String {
    answered(session, operation, &mut Request::new(request))
        .unwrap_or_else(|error| format!("{{\"error\":{}}}", text(&error.message())))
}

/// The words of each operation, in their order:
///
/// ```text
/// load              text, then path and value of every setting
/// from lagrangian   formula, step, duration, then name and value: `NAME` of a parameter, `NAME=` of a start, `NAME'` of a velocity
/// open              1 to carry over or 0, then method and step of every run, empty for the model's
/// seek              time
/// set direction     body, x, y, z
/// pull              body, origin x, y, z, direction x, y, z
/// swarm             count, spread
/// certificate, describe, hash      run
/// ```
fn answered(
    session: &mut Session,
    operation: Operation,
    request: &mut Request,
) -> Result<String, Misunderstood> {
    Ok(match operation {
        Operation::Scenarios => text(&scenarios()),
        Operation::Load => {
            let (model, pairs) = (request.word()?, request.pairs()?);
            let settings: Vec<Setting> = pairs
                .iter()
                .map(|(path, value)| Setting::new(*path, *value))
                .collect();
            match session.load(model, &settings) {
                Ok(model) => object(true, "model", &model),
                Err(problems) => object(false, "problems", &problems),
            }
        }
        Operation::FromLagrangian => text(&from_lagrangian(&lagrangian(request)?)),
        Operation::Open => {
            let carry_over = request.word()? == "1";
            match session.open(&runs(request)?, carry_over) {
                Ok(opened) => object(true, "opened", &opened),
                Err(problems) => object(false, "problems", &problems),
            }
        }
        Operation::Seek => text(&session.seek(request.number()?)),
        Operation::SetDirection => dragged(session.set_direction(request.word()?, request.vector()?)),
        Operation::Pull => dragged(session.pull(request.word()?, request.vector()?, request.vector()?)),
        Operation::Swarm => text(&session.swarm(request.number()?, request.number()?)),
        Operation::SwarmPoints => text(&session.swarm_frame()),
        Operation::Certificate => text(&session.certificate(request.number()?)),
        Operation::Describe => text(&session.describe(request.number()?)),
        Operation::Hash => {
            let hash = session.hash(request.number()?);
            text(&hash.map(|hash| format!("{hash:016x}")))
        }
    })
}

fn runs(request: &mut Request) -> Result<Vec<RunSpec>, Misunderstood> {
    let run = |(method, step): (&str, &str)| {
        let given = |word: &str| (!word.is_empty()).then(|| word.to_owned());
        let step = given(step).map(|step| step.parse()).transpose();
        Ok(RunSpec {
            method: given(method),
            step: step.map_err(|_| Misunderstood::NoNumber)?,
        })
    };
    request.pairs()?.into_iter().map(run).collect()
}

fn lagrangian(request: &mut Request) -> Result<LagrangianParts, Misunderstood> {
    let mut parts = LagrangianParts {
        formula: request.word()?.to_owned(),
        step: request.word()?.to_owned(),
        duration: request.word()?.to_owned(),
        ..LagrangianParts::default()
    };
    for (name, value) in request.pairs()? {
        let (table, name): (&mut Table, &str) = if let Some(name) = name.strip_suffix('=') {
            (&mut parts.start, name)
        } else if let Some(name) = name.strip_suffix('\'') {
            (&mut parts.velocity, name)
        } else {
            (&mut parts.params, name)
        };
        table.insert(name, value);
    }
    Ok(parts)
}

fn dragged(answer: Result<Vec<Setting>, String>) -> String {
    match answer {
        Ok(settings) => object(true, "settings", &settings),
        Err(reason) => object(false, "reason", &reason),
    }
}

/// Everything that is answered has keys that are strings, and cannot be refused.
fn text(data: &impl Serialize) -> String {
    serde_json::to_string(data).unwrap_or_else(|_| "null".to_owned())
}

/// `{ "ok": …, "key": … }`.
fn object(ok: bool, key: &str, data: &impl Serialize) -> String {
    format!("{{\"ok\":{ok},\"{key}\":{}}}", text(data))
}
