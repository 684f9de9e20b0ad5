//! Rare calls, as JSON.
use crate::{LagrangianParts, RunSpec, Session, Setting, from_lagrangian, scenarios};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

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
}

impl Operation {
    /// All of them.
    pub const ALL: [Self; 11] = [
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
    ];
}

#[derive(Deserialize)]
struct Load {
    text: String,
    settings: Vec<Setting>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Open {
    runs: Vec<RunSpec>,
    carry_over: bool,
}

#[derive(Deserialize)]
struct Drag {
    body: String,
    direction: [f64; 3],
}

#[derive(Deserialize)]
struct Copies {
    count: usize,
    spread: f64,
}

/// Answers a call. What cannot be understood is answered by `{ "error": … }`: a fault of the caller.
pub fn answer(session: &mut Session, operation: Operation, request: &[u8]) -> String {
    let answered = match operation {
        Operation::Scenarios => Ok(text(&scenarios())),
        Operation::Load => {
            read(request).map(|Load { text, settings }| match session.load(&text, &settings) {
                Ok(model) => object(true, "model", &model),
                Err(problems) => object(false, "problems", &problems),
            })
        }
        Operation::FromLagrangian => {
            read(request).map(|parts: LagrangianParts| text(&from_lagrangian(&parts)))
        }
        Operation::Open => {
            read(request).map(
                |Open { runs, carry_over }| match session.open(&runs, carry_over) {
                    Ok(opened) => object(true, "opened", &opened),
                    Err(problems) => object(false, "problems", &problems),
                },
            )
        }
        Operation::Seek => read(request).map(|t: f64| text(&session.seek(t))),
        Operation::SetDirection => {
            read(request).map(
                |Drag { body, direction }| match session.set_direction(&body, direction) {
                    Ok(settings) => object(true, "settings", &settings),
                    Err(reason) => object(false, "reason", &reason),
                },
            )
        }
        Operation::Swarm => read(request).map(|Copies { count, spread }| text(&session.swarm(count, spread))),
        Operation::SwarmPoints => Ok(text(&session.swarm_frame())),
        Operation::Certificate => read(request).map(|run: usize| text(&session.certificate(run))),
        Operation::Describe => read(request).map(|run: usize| text(&session.describe(run))),
        Operation::Hash => {
            read(request).map(|run: usize| text(&session.hash(run).map(|hash| format!("{hash:016x}"))))
        }
    };
    answered.unwrap_or_else(|error| format!("{{\"error\":{}}}", text(&error)))
}

fn read<T: DeserializeOwned>(request: &[u8]) -> Result<T, String> {
    serde_json::from_slice(request).map_err(|error| error.to_string())
}

/// Everything that is answered has keys that are strings, and cannot be refused.
fn text(data: &impl Serialize) -> String {
    serde_json::to_string(data).unwrap_or_else(|_| "null".to_owned())
}

/// `{ "ok": …, "key": … }`.
fn object(ok: bool, key: &str, data: &impl Serialize) -> String {
    format!("{{\"ok\":{ok},\"{key}\":{}}}", text(data))
}
