use super::{Layout, Names, State, System};
use std::collections::HashMap;

/// A state that does not fit another system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransferError {
    /// Coordinates or velocities are called differently.
    #[error("the models do not have the same coordinates: {}", names(missing, added))]
    Names {
        /// Those that the new system lacks.
        missing: Vec<String>,
        /// Those that only the new system has.
        added: Vec<String>,
    },
    /// The new system has no momentum there.
    #[error("the changed model has no finite momentum at this state")]
    NotFinite,
}

fn names(missing: &[String], added: &[String]) -> String {
    let list = |names: &[String]| {
        let shown: Vec<String> = names
            .iter()
            .take(MOST_SHOWN)
            .map(|name| format!("`{name}`"))
            .collect();
        match names.len().checked_sub(MOST_SHOWN) {
            Some(more @ 1..) => format!("{} and {more} more", shown.join(", ")),
            _ => shown.join(", "),
        }
    };
    match (missing.is_empty(), added.is_empty()) {
        (false, false) => format!("{} are missing, {} are new", list(missing), list(added)),
        (false, true) => format!("{} are missing", list(missing)),
        (true, _) => format!("{} are new", list(added)),
    }
}

/// Names that a sentence can hold.
const MOST_SHOWN: usize = 5;

impl State {
    /// The same configuration and velocities in another system, whose masses, lengths or forces differ:
    /// `p = M'(q) M(q)⁻¹ p`, coordinates matched by their names. Multipliers, what a method carried and the work
    /// that was done are left behind.
    /// Constraints that the new system changed may be violated.
    pub fn transferred(&self, from: &dyn System, to: &dyn System) -> Result<State, TransferError> {
        let (old, new) = (from.layout(), to.layout());
        let mut before = vec![0.0; old.velocities.len()];
        from.velocity(self.t, &self.q, &self.p, &mut before, &mut from.scratch());
        let (q, v) = carried_over(old, new, &self.q, &before)?;
        let mut p = vec![0.0; v.len()];
        to.momentum(self.t, &q, &v, &mut p, &mut to.scratch());
        let mut state = Self::new(self.t, q, p);
        state.work.resize(new.conserved.sources.len(), 0.0);
        if state.is_finite() {
            Ok(state)
        } else {
            Err(TransferError::NotFinite)
        }
    }
}

/// Coordinates and velocities in the order of another system, matched by their names.
pub fn carried_over(
    from: &Layout,
    to: &Layout,
    q: &[f64],
    v: &[f64],
) -> Result<(Vec<f64>, Vec<f64>), TransferError> {
    let coordinates = matched(&from.coordinates, &to.coordinates);
    let velocities = matched(&from.velocities, &to.velocities);
    match (coordinates, velocities) {
        (Ok(coordinates), Ok(velocities)) => {
            let taken =
                |numbers: &[f64], places: Vec<usize>| places.into_iter().map(|k| numbers[k]).collect();
            Ok((taken(q, coordinates), taken(v, velocities)))
        }
        (q, v) => {
            let [q, v] = [q.err().unwrap_or_default(), v.err().unwrap_or_default()];
            Err(TransferError::Names {
                missing: [q.0, v.0].concat(),
                added: [q.1, v.1].concat(),
            })
        }
    }
}

/// For each new name, where it was; or those missing and those added.
fn matched(old: &Names, new: &Names) -> Result<Vec<usize>, (Vec<String>, Vec<String>)> {
    let of = |names: &Names| -> HashMap<String, usize> {
        names
            .iter()
            .enumerate()
            .map(|(k, name)| (name.clone(), k))
            .collect()
    };
    let (before, after) = (of(old), of(new));
    let places: Option<Vec<usize>> = new.iter().map(|name| before.get(name).copied()).collect();
    match places {
        Some(places) if old.len() == new.len() => Ok(places),
        _ => Err((
            old.iter()
                .filter(|name| !after.contains_key(*name))
                .cloned()
                .collect(),
            new.iter()
                .filter(|name| !before.contains_key(*name))
                .cloned()
                .collect(),
        )),
    }
}
