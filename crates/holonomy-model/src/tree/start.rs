//! Where a tree starts: with its constraints closed, and in equilibrium if that is wanted; what is said of it.
use crate::{Place, Problems};
use holonomy::{
    decimal, math,
    simulation::Schedule,
    system::System,
    tree::{Dependence, Equilibrium, SettleError, Settling, Stability, Tree, assemble_at},
};

/// Moves the start to where the constraints hold, or says that there is no such place.
pub(super) fn close(
    tree: &Tree,
    (t, q, v): (f64, &[f64], &[f64]),
    fixed: &[bool],
    (places, units): (&[Place], &[&str]),
    problems: &Problems,
) -> Option<(Vec<f64>, Vec<f64>)> {
    if places.is_empty() {
        return Some((q.to_vec(), v.to_vec()));
    }
    let assembly = assemble_at(tree, t, q, v, fixed);
    let worst = |errors: &[f64]| {
        let each = errors.iter().enumerate().map(|(row, g)| (row, g.abs()));
        each.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
    };
    let name = |row: usize| tree.constraint_name(row).unwrap_or_default();
    if !assembly.closed {
        let (row, open) = worst(&assembly.after);
        let mut open_ones: Vec<&str> = Vec::new();
        for (row, g) in assembly.after.iter().enumerate() {
            if g.abs() > 1e-9 * assembly.length && !open_ones.contains(&name(row)) {
                open_ones.push(name(row));
            }
        }
        let others: Vec<String> = open_ones
            .iter()
            .filter(|other| **other != name(row))
            .map(|other| format!("`{other}`"))
            .collect();
        let together = match &others[..] {
            [] => String::new(),
            _ => format!("; violated with it: {}", others.join(", ")),
        };
        return problems
            .error(
                places[row].clone(),
                format!(
                    "constraint `{}` cannot be met from this start: at the nearest place it is violated by {open:.3e}{}{together}",
                    name(row),
                    units[row]
                ),
            )
            .help("change lengths or positions so that the loop closes, or free what has `keep = true`")
            .none();
    }
    let (row, open) = worst(&assembly.before);
    if open > 1e-6 * assembly.length {
        let moved = moved(tree, q, &assembly.q);
        problems.note(
            places[row].clone(),
            format!(
                "constraint `{}` is violated by {open:.3e}{} at the start; it is met by moving {moved}",
                name(row),
                units[row]
            ),
        );
    }
    if assembly.slowed > 1e-6 {
        let message = format!(
            "velocities at the start do not keep the constraints; they are changed by {:.1} % of the largest",
            100.0 * assembly.slowed
        );
        problems.note(places[row].clone(), message);
    }
    Some((assembly.q, assembly.v))
}

/// The coordinate that moved most, and by how much.
fn moved(tree: &Tree, from: &[f64], to: &[f64]) -> String {
    let changes = from.iter().zip(to).map(|(a, b)| b - a).enumerate();
    let (k, change) = changes
        .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
        .unwrap_or_default();
    let name = tree.layout().coordinates.get(k).map_or("", String::as_str);
    format!("`{name}` by {change:.3e}, and others by less")
}

/// The equilibrium that is found from the start.
pub(super) fn settle(
    tree: &Tree,
    (t, q): (f64, &[f64]),
    fixed: &[bool],
    place: Place,
    problems: &Problems,
) -> Option<Equilibrium> {
    let settling = Settling {
        t,
        fixed: fixed.to_vec(),
        ..Settling::default()
    };
    match tree.settle(q, &settling) {
        Ok(found) => {
            if found.stability == Stability::Unstable {
                problems.note(place, "the equilibrium that was found is unstable");
            }
            Some(found)
        }
        Err(error) => {
            let help = match error {
                SettleError::NotHeld { .. } => {
                    "hold it by a spring or a constraint, or give it `keep = true`; or start as given"
                }
                SettleError::Violated { .. } => "change lengths or positions so that the loop closes",
                SettleError::NotConverged { .. } => "start closer to the equilibrium, or as given",
                SettleError::Seen => "start as given, or let those forces see the state alone",
                SettleError::Undefined => "start elsewhere, or as given",
            };
            problems.error(place, error.to_string()).help(help).none()
        }
    }
}

/// Times at which constraints that are functions of time alone are looked at.
const MOST_TIMES: u64 = 1000;
/// The part of a step after which other constraints are looked at: so little that what is free follows.
const SOON: f64 = 0.01;

/// Refuses constraints that what is driven contradicts: at any time of the run, if nothing free moves their ends, and
/// else soon after the start. Where that shows later in the motion, the run ends there.
pub(super) fn check_drives(
    tree: &Tree,
    (t, q): (f64, &[f64]),
    schedule: &Schedule,
    places: &[(String, Place)],
    problems: &Problems,
) -> Option<()> {
    if !tree.depends_on_time() || tree.constraints() == 0 {
        return Some(());
    }
    let times = schedule.steps.min(MOST_TIMES);
    let end = schedule.steps as f64 * schedule.step;
    let all = (1..=times).map(|k| t + end * k as f64 / times as f64);
    let found = tree.contradiction(q, all).or_else(|| {
        // A mechanism that is singular at the start just does not know which way to go.
        let singular = nearby(tree, t, q)
            .is_some_and(|nearby| tree.dependences(t, q).len() > tree.dependences(t, &nearby).len());
        tree.contradiction_near(q, t + SOON * schedule.step)
            .filter(|_| !singular)
    });
    let Some(found) = found else {
        return Some(());
    };
    let name = tree.constraint_name(found.equation).unwrap_or_default();
    let place = places.iter().find(|(other, _)| other == name);
    let place = place.map_or_else(Place::model, |(_, place)| place.clone());
    let layout = tree.layout();
    let bodies = found
        .driven
        .iter()
        .filter_map(|body| layout.words.bodies.one(*body));
    let bodies: Vec<String> = bodies.map(|name| format!("`{name}`")).collect();
    let by = match &bodies[..] {
        [] => "what is driven".to_owned(),
        _ => format!("what drives {}", bodies.join(", ")),
    };
    let message = format!(
        "constraint `{name}` is contradicted by {by}: at t = {} s it is violated by {}, and nothing free can make up for it",
        decimal(found.t),
        layout.violation(found.equation, found.violation)
    );
    problems
        .error(place, message)
        .help(
            "leave the constraint out, drive what it holds along it, or let a joint between its ends go free",
        )
        .none()
}

/// Notes on constraints that follow from others, always or just at the start.
pub(super) fn name_dependent(
    tree: &Tree,
    (t, q): (f64, &[f64]),
    places: &[(String, Place)],
    problems: &Problems,
) {
    let here = tree.dependences(t, q);
    if here.is_empty() {
        return;
    }
    let nearby = nearby(tree, t, q).map(|q| tree.dependences(t, &q));
    let name = |row: usize| tree.constraint_name(row).unwrap_or_default();
    let mut said: Vec<&str> = Vec::new();
    for Dependence { equation, on } in &here {
        let own = name(*equation);
        if said.contains(&own) {
            continue;
        }
        said.push(own);
        let place = places.iter().find(|(other, _)| other == own);
        let place = place.map_or_else(Place::model, |(_, place)| place.clone());
        let always = nearby
            .as_ref()
            .is_none_or(|list| list.iter().any(|d| d.equation == *equation));
        let mut others: Vec<&str> = Vec::new();
        for row in on {
            if name(*row) != own && !others.contains(&name(*row)) {
                others.push(name(*row));
            }
        }
        let listed: Vec<String> = others
            .iter()
            .take(MOST_NAMED)
            .map(|other| format!("`{other}`"))
            .collect();
        let more = match others.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (listed, says) = (
            listed.join(", ") + &more,
            if others.len() == 1 { "says" } else { "say" },
        );
        // What only rounding could move is where it is by force.
        if nearby.is_none() && others.is_empty() {
            let message = format!(
                "at the start, constraint `{own}` has an equation that holds back no motion: what it holds is stretched out, or folded"
            );
            problems
                .note(place, message)
                .help("make what is stretched out a little longer or shorter, or start a little aside");
            continue;
        }
        let message = match (always, others.is_empty()) {
            (true, true) => {
                format!("constraint `{own}` has an equation that says nothing, or what its others say")
            }
            (true, false) => format!("constraint `{own}` repeats, at least in part, what {listed} {says}"),
            (false, true) => {
                format!("at the start, constraint `{own}` has an equation that holds back no motion")
            }
            (false, false) => {
                format!("at the start, and not elsewhere, constraint `{own}` repeats what {listed} {says}")
            }
        };
        problems.note(place, message).help(match always {
            true => "the run goes well, but the multipliers are shared: only their sum is known; remove what is said twice",
            false => "the mechanism is singular here: it may go on in more than one way",
        });
    }
}

/// Constraints that a note names.
const MOST_NAMED: usize = 4;

/// A configuration nearby that is special in no way and keeps the constraints.
fn nearby(tree: &Tree, t: f64, q: &[f64]) -> Option<Vec<f64>> {
    let n = tree.velocities();
    // Small enough to stay on the branch, large enough to be told from rounding.
    let push: Vec<f64> = (0..n).map(|k| 0.01 * math::sin(1.0 + 1.7 * k as f64)).collect();
    tree.displaced_on_constraints(t, q, &push)
}
