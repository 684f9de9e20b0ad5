//! The feedback of least cost about a motion.
use super::{Ending, Held, Plan, Search, Stages, Task};

/// The feedback that holds a motion: the answer to small deviations from it, at the least cost to the end.
pub fn feedback<S: Stages>(
    stages: &mut S,
    task: &Task,
    start: S::Point,
    inputs: Vec<Vec<f64>>,
) -> Result<Plan<S::Point>, S::Fault> {
    let mut search = Search {
        stages,
        task,
        held: (task.terms.iter())
            .map(|_| Held {
                lambda: vec![0.0; inputs.len() + 1],
            })
            .collect(),
        weight: 1.0,
        regularised: 0.0,
    };
    let mut now = search.rolled(start, inputs)?;
    let parts = search.linearised(&now)?;
    // Only deviations cost.
    for values in &mut now.values {
        values.fill(0.0);
    }
    let free: Vec<(f64, f64)> = vec![(f64::NEG_INFINITY, f64::INFINITY); task.bounds.len()];
    let unbounded = Task {
        bounds: free,
        ..task.clone()
    };
    search.task = &unbounded;
    let found = search.backward(&now, &parts, false);
    let ending = if found.is_some() {
        Ending::Best
    } else {
        Ending::Unmet
    };
    Ok(Plan {
        gains: found.map_or_else(Vec::new, |direction| direction.gains),
        cost: now.cost,
        points: now.points,
        inputs: now.inputs,
        violation: 0.0,
        worst: None,
        reached: 1.0,
        history: Vec::new(),
        ending,
    })
}
