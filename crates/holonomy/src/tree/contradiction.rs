//! Constraints that what is driven contradicts: `g(t, q) = 0` has no solution.
use super::{
    Constraint, ConstraintRows, JointKind, Tree,
    assemble::{close, evaluate},
};
use crate::system::{Measurement, State};

/// A constraint that cannot be met at some time, because of what is driven.
#[derive(Clone, Debug, PartialEq)]
pub struct Contradiction {
    /// The equation whose violation is largest.
    pub equation: usize,
    /// That violation, at the nearest place.
    pub violation: f64,
    /// When, s.
    pub t: f64,
    /// The driven bodies that carry what the constraint holds on to.
    pub driven: Vec<usize>,
}

/// Violations beyond this fraction of the lengths they are differences of are no rounding, and worth a look.
const SHOWS: f64 = 1e-6;
/// Rounding of a constraint that a drive keeps, as a fraction of the same lengths.
const ROUNDING: f64 = 1e-12;

impl Tree {
    /// The first of the times at which a constraint is violated that holds on to nothing free: only driven joints move
    /// its ends against each other, so that it is a function of time alone.
    pub fn contradiction(&self, q: &[f64], times: impl IntoIterator<Item = f64>) -> Option<Contradiction> {
        let mut functions_of_time = Vec::new();
        for (_, constraint) in &self.constraints {
            let fixed = self.holds_nothing_free(constraint);
            functions_of_time.extend((0..constraint.rows()).map(|_| fixed));
        }
        if !functions_of_time.contains(&true) {
            return None;
        }
        let mut rows = ConstraintRows {
            values_only: true,
            ..ConstraintRows::default()
        };
        times.into_iter().find_map(|t| {
            evaluate(self, t, q, &mut rows);
            let each = rows.value.iter().zip(&rows.scale).zip(&functions_of_time);
            let violated = each.enumerate().filter_map(|(k, ((g, scale), fixed))| {
                (*fixed && !(g.abs() <= ROUNDING * scale)).then_some((k, g.abs()))
            });
            let (equation, violation) = violated.max_by(|a, b| a.1.total_cmp(&b.1))?;
            Some(self.contradicted(equation, violation, t))
        })
    }

    /// The constraint that nothing near a configuration meets at a time, if there is one.
    pub fn contradiction_near(&self, q: &[f64], t: f64) -> Option<Contradiction> {
        let (equation, violation) = self.nearest_violation(q, t)?;
        Some(self.contradicted(equation, violation, t))
    }

    fn contradicted(&self, equation: usize, violation: f64, t: f64) -> Contradiction {
        let (_, constraint) = &self.constraints[self.constraint_of(equation)];
        let mut driven: Vec<usize> = Vec::new();
        for way in self.carriers(constraint) {
            let nodes = way.into_iter().map(|i| &self.nodes[i]);
            driven.extend(
                nodes
                    .filter(|node| matches!(node.kind, JointKind::Driven { .. }))
                    .map(|node| node.body),
            );
        }
        crate::order::sort_by_key(&mut driven, |body| *body);
        driven.dedup();
        Contradiction {
            equation,
            violation,
            t,
            driven,
        }
    }

    /// The largest violation at the nearest place, where that is not closed.
    pub(crate) fn nearest_violation(&self, q: &[f64], t: f64) -> Option<(usize, f64)> {
        let (mut q, mut rows) = (q.to_vec(), ConstraintRows::default());
        let free = vec![false; self.velocities];
        if self.constraint_rows == 0 || close(self, t, &mut q, &free, &mut rows) {
            return None;
        }
        let each = rows.value.iter().map(|g| g.abs()).enumerate();
        each.max_by(|a, b| a.1.total_cmp(&b.1))
            .filter(|(_, violation)| violation.is_finite())
    }

    /// See [`System::unmet`](crate::system::System::unmet).
    pub(super) fn unmet_constraint(&self, state: &State, measured: &Measurement) -> Option<(usize, f64)> {
        let violation = measured.constraint?;
        // What does not depend on time could be met at the start.
        if !self.depends_on_time() || violation <= SHOWS * self.length().min(1.0) {
            return None;
        }
        let mut rows = ConstraintRows {
            values_only: true,
            ..ConstraintRows::default()
        };
        evaluate(self, state.t, &state.q, &mut rows);
        let shows = rows
            .value
            .iter()
            .zip(&rows.scale)
            .any(|(g, scale)| g.abs() > SHOWS * scale);
        // What a method drifted into is gone at the nearest place.
        let left = self.nearest_violation(&state.q, state.t).filter(|_| shows)?;
        (left.1 > SHOWS * self.length().min(1.0)).then_some(left)
    }

    /// For each node that a constraint holds on to, it and all that carry it.
    fn carriers(&self, constraint: &Constraint) -> Vec<Vec<usize>> {
        let way = |node: usize| std::iter::successors(Some(node), |i| self.nodes[*i].parent).collect();
        self.held_by(constraint).into_iter().map(way).collect()
    }

    /// Whether nothing free moves its ends against each other.
    fn holds_nothing_free(&self, constraint: &Constraint) -> bool {
        let (ways, ends) = (self.carriers(constraint), constraint.ends());
        // What carries both ends changes nothing, but directions of the world do not turn with it.
        let shared = match constraint {
            Constraint::Coupling { .. } | Constraint::Blade(_) => return false,
            Constraint::Coincidence { directions, .. } => directions.len() == 3,
            _ => true,
        };
        let carries_all = |i: &usize| ways.len() == ends && ways.iter().all(|way| way.contains(i));
        let between = ways.iter().flatten().filter(|i| !(shared && carries_all(i)));
        let mut between = between.map(|i| &self.nodes[*i]);
        between.all(|node| node.dofs == 0)
    }
}

impl Constraint {
    /// The places it holds on to, in the world or on bodies.
    fn ends(&self) -> usize {
        match self {
            Self::Coincidence { .. }
            | Self::Distance { .. }
            | Self::Plane { .. }
            | Self::Orientation { .. } => 2,
            Self::Coupling { terms, .. } => terms.len(),
            Self::Cable { through, .. } | Self::Tether { through, .. } => through.len(),
            Self::Route(route) => route.stops.len(),
            Self::Closing(_) | Self::Rolling(_) => 2,
            Self::Blade(_) => 1,
        }
    }
}
