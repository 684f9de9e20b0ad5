//! Where a tree starts: with its constraints closed, and in equilibrium if that is wanted; what is said of it.
use crate::{Place, Problems};
use holonomy::{
    math,
    system::System,
    tree::{Dependence, Equilibrium, SettleError, Settling, Stability, Tree, assemble},
};

/// Moves the start to where the constraints hold, or says that there is no such place.
pub(super) fn close(
    tree: &Tree,
    q: &[f64],
    v: &[f64],
    fixed: &[bool],
    (places, units): (&[Place], &[&str]),
    problems: &Problems,
) -> Option<(Vec<f64>, Vec<f64>)> {
    if places.is_empty() {
        return Some((q.to_vec(), v.to_vec()));
    }
    let assembly = assemble(tree, q, v, fixed);
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
    q: &[f64],
    fixed: &[bool],
    place: Place,
    problems: &Problems,
) -> Option<Equilibrium> {
    let settling = Settling {
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
                SettleError::Undefined => "start elsewhere, or as given",
            };
            problems.error(place, error.to_string()).help(help).none()
        }
    }
}

/// Notes on constraints that follow from others, always or just at the start.
pub(super) fn name_dependent(tree: &Tree, q: &[f64], places: &[(String, Place)], problems: &Problems) {
    let here = tree.dependences(0.0, q);
    if here.is_empty() {
        return;
    }
    let nearby = nearby(tree, q).map(|q| tree.dependences(0.0, &q));
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
fn nearby(tree: &Tree, q: &[f64]) -> Option<Vec<f64>> {
    let n = tree.velocities();
    // Small enough to stay on the branch, large enough to be told from rounding.
    let push: Vec<f64> = (0..n).map(|k| 0.01 * math::sin(1.0 + 1.7 * k as f64)).collect();
    tree.displaced_on_constraints(q, &push)
}
