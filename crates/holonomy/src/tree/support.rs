//! Which velocities a constraint can depend on.
use super::{Constraint, Tree};
use std::ops::Range;

impl Tree {
    /// For each equation of constraint the velocities of all that carries what it holds on to: runs of them, in order.
    pub(crate) fn supports(&self) -> Vec<Vec<Range<usize>>> {
        let mut out = Vec::new();
        for (_, constraint) in &self.constraints {
            let mut carries = vec![false; self.nodes.len()];
            for node in self.held_by(constraint) {
                let mut next = Some(node);
                while let Some(i) = next {
                    carries[i] = true;
                    next = self.nodes[i].parent;
                }
            }
            let mut runs: Vec<Range<usize>> = Vec::new();
            for (node, _) in self.nodes.iter().zip(&carries).filter(|(_, carries)| **carries) {
                let next = node.v..node.v + node.dofs;
                match runs.last_mut() {
                    Some(run) if run.end == next.start => run.end = next.end,
                    _ => runs.push(next),
                }
            }
            out.extend(std::iter::repeat_n(runs, constraint.rows()));
        }
        out
    }

    /// The nodes that a constraint holds on to.
    fn held_by(&self, constraint: &Constraint) -> Vec<usize> {
        let at = |sites: &[usize]| sites.iter().filter_map(|site| self.sites[*site].node).collect();
        match constraint {
            Constraint::Coincidence { between, .. } | Constraint::Distance { between, .. } => at(between),
            Constraint::Plane { site, on, .. } => at(&[*site, *on]),
            Constraint::Cable { through, .. } => at(through),
            Constraint::Orientation { from, to, .. } => {
                let bodies = from.iter().chain([to]);
                bodies.map(|body| self.body_nodes[*body]).collect()
            }
            Constraint::Coupling { terms, .. } => {
                terms.iter().map(|(body, ..)| self.body_nodes[*body]).collect()
            }
        }
    }
}
