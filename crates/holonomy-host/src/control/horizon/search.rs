//! The search: sweeps until nothing near is better, then multipliers, and that again until constraints are met.
use super::{Ending, Guess, Plan, Stages, Sweep, Task};
use nalgebra::DMatrix;
use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicBool, Ordering},
};

/// By how much the weight of violations grows.
const GROWTH: f64 = 10.0;
/// The most of it, relative to where it began.
const HEAVIEST: f64 = 1e10;
/// A sweep that promises to lower the cost by less than this part of it has nothing left to find: the error of the inputs
/// is the root of it.
const NOTHING_LEFT: f64 = 1e-14;
/// A sweep that gains less than this part of the cost is near the best.
const NEAR: f64 = 1e-2;
/// A sweep of which less than this can be taken is led astray by what it leaves out.
const ASTRAY: f64 = 0.2;
/// Changes of inputs are made costlier by this part of their curvature then, at first.
const CAREFUL: f64 = 1e-4;
/// So many sweeps without a violation that is smaller by a tenth, and the search is stuck.
const PATIENCE: usize = 60;
/// So often heavier by ten, and no violation smaller by a tenth, where inputs do not reach what is missed. Once or twice may
/// be a sweep that ended early.
const TIMES: usize = 4;
/// Violations of fewer tolerances may be rounding of the sweep: they are not called out of reach.
const FAR: f64 = 1e3;
/// Where this part of what is missed goes away with the steepest descent, or less, inputs do not reach it.
pub const UNREACHED: f64 = 1e-2;

/// Multipliers of one term.
pub(super) struct Held {
    pub(super) lambda: Vec<f64>,
}

pub(super) struct Search<'a, S: Stages> {
    pub(super) stages: &'a mut S,
    pub(super) task: &'a Task,
    pub(super) held: Vec<Held>,
    pub(super) weight: f64,
    pub(super) regularised: f64,
}

/// What is known of a motion before it is accepted.
pub(super) struct Tried<P> {
    pub(super) points: Vec<P>,
    pub(super) inputs: Vec<Vec<f64>>,
    pub(super) values: Vec<Vec<f64>>,
    pub(super) cost: f64,
    pub(super) merit: f64,
}

/// Φ and the slopes of all terms along a motion.
pub(super) struct Parts {
    pub(super) steps: Vec<(DMatrix<f64>, DMatrix<f64>)>,
    pub(super) slopes: Vec<DMatrix<f64>>,
}

/// Seeks the best inputs from a guess. What `tell` is told of every sweep may end it.
pub fn plan<S: Stages>(
    stages: &mut S,
    task: &Task,
    guess: Guess<S::Point>,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(&Sweep) -> ControlFlow<()>,
) -> Result<Plan<S::Point>, S::Fault> {
    let count = match &guess {
        Guess::Inputs(_, inputs) => inputs.len(),
        Guess::Near(points) => points.len().saturating_sub(1),
    };
    let held = (task.terms.iter())
        .map(|_| Held {
            lambda: vec![0.0; count + 1],
        })
        .collect();
    let mut search = Search {
        stages,
        task,
        held,
        weight: 1.0,
        regularised: 0.0,
    };
    let mut now = match guess {
        Guess::Inputs(start, inputs) => {
            let inputs = inputs.iter().map(|u| search.cut(u)).collect();
            search.rolled(start, inputs)?
        }
        Guess::Near(points) => search.held_near(points)?,
    };
    let mut parts = search.linearised(&now)?;
    search.first_weight(&now, &parts);
    now.merit = search.merit(&now);
    let lightest = search.weight;
    let mut history = Vec::new();
    let mut last_violation = f64::INFINITY;
    let mut near = false;
    // The least violation so far, after which sweep that was; and how often more weight did not help.
    let (mut least, mut since, mut helpless) = (f64::INFINITY, 0, 0);
    let ending = loop {
        if stop.load(Ordering::Relaxed) {
            break Ending::Stopped;
        }
        if history.len() >= task.most {
            break Ending::Unfinished;
        }
        let mut direction = match near {
            true => search.curved(&now, &parts),
            false => None,
        };
        let mut found = None;
        let mut newton = true;
        let nothing =
            |promised: f64, now: &Tried<S::Point>| promised <= NOTHING_LEFT * (1.0 + now.merit.abs());
        if let Some(direction) = &direction
            && !nothing(direction.promised(), &now)
        {
            found = search.forward(&now, direction);
        }
        let lost = direction
            .as_ref()
            .is_none_or(|direction| !nothing(direction.promised(), &now));
        if found.is_none() && lost {
            newton = false;
            direction = search.backward(&now, &parts, false);
            if let Some(direction) = &direction
                && !nothing(direction.promised(), &now)
            {
                found = search.forward(&now, direction);
            }
        }
        let Some(direction) = direction else {
            if !search.more_careful() {
                break Ending::Unmet;
            }
            continue;
        };
        let promised = direction.promised();
        near = found.as_ref().is_some_and(|(tried, share)| {
            *share <= ASTRAY || now.merit - tried.merit < NEAR * (1.0 + now.merit.abs())
        });
        let violation = |search: &Search<'_, S>, tried: &Tried<S::Point>| search.violation(&tried.values).0;
        let share = found.as_ref().map_or(0.0, |(_, share)| *share);
        let mut better = false;
        if let Some((tried, share)) = found {
            match search.linearised(&tried) {
                Ok(found) => {
                    (now, parts, better) = (tried, found, true);
                    if share > 0.4 {
                        search.regularised *= 0.2;
                    } else if share <= ASTRAY {
                        search.regularised = (10.0 * search.regularised).clamp(CAREFUL, 1.0);
                    }
                }
                // A step at the edge of what can be stepped: a shorter one may do.
                Err(fault) => {
                    if !search.more_careful() {
                        return Err(fault);
                    }
                    continue;
                }
            }
        }
        let off = violation(&search, &now);
        let sweep = Sweep {
            cost: now.cost,
            violation: off,
            share,
            weight: search.weight,
            newton,
        };
        history.push(sweep);
        if tell(&sweep).is_break() {
            break Ending::Stopped;
        }
        if off < 0.9 * least {
            (least, since) = (off, history.len());
        }
        if off > task.tolerance && history.len() > since + PATIENCE {
            break Ending::Unmet;
        }
        let settled = promised <= NOTHING_LEFT * (1.0 + now.merit.abs());
        if !better && !settled && search.more_careful() {
            continue;
        }
        // While constraints are far from met there is no need to find the best under these multipliers.
        let enough = off > task.tolerance && promised <= 1e-6 * (1.0 + now.merit.abs());
        if better && !settled && !enough {
            continue;
        }
        if off <= task.tolerance {
            if better && !settled {
                continue;
            }
            break Ending::Best;
        }
        let same = off > 0.9 * last_violation && off > FAR * task.tolerance;
        helpless = match same && search.reached(&now, &parts) < UNREACHED {
            true => helpless + 1,
            false => 0,
        };
        if search.weight > HEAVIEST * lightest || helpless == TIMES {
            break Ending::Unmet;
        }
        search.multiply(&now.values);
        if off > 0.25 * last_violation {
            search.weight *= GROWTH;
        }
        last_violation = off;
        search.regularised = 0.0;
        now.merit = search.merit(&now);
    };
    let (violation, worst) = search.violation(&now.values);
    let reached = search.reached(&now, &parts);
    let last = search.backward(&now, &parts, false);
    let gains = last.map_or_else(Vec::new, |direction| direction.gains);
    Ok(Plan {
        cost: now.cost,
        points: now.points,
        inputs: now.inputs,
        gains,
        violation,
        worst,
        reached,
        history,
        ending,
    })
}
