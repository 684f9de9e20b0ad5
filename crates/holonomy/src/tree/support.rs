//! Which velocities constraints can depend on.
use super::{Constraint, Tree};

impl Tree {
    /// The velocities of all that carries what constraints hold on to, in order.
    pub(crate) fn constrained_velocities(&self) -> Vec<usize> {
        let mut carries = vec![false; self.nodes.len()];
        for (_, constraint) in &self.constraints {
            for node in self.held_by(constraint) {
                let mut next = Some(node).filter(|i| !carries[*i]);
                while let Some(i) = next {
                    carries[i] = true;
                    next = self.nodes[i].parent.filter(|parent| !carries[*parent]);
                }
            }
        }
        let carriers = self.nodes.iter().zip(carries).filter(|(_, carries)| *carries);
        carriers
            .flat_map(|(node, _)| node.v..node.v + node.dofs)
            .collect()
    }

    /// The nodes that a constraint holds on to.
    pub(super) fn held_by(&self, constraint: &Constraint) -> Vec<usize> {
        let at = |sites: &[usize]| sites.iter().filter_map(|site| self.sites[*site].node).collect();
        match constraint {
            Constraint::Coincidence { between, .. } | Constraint::Distance { between, .. } => at(between),
            Constraint::Plane { site, on, .. } => at(&[*site, *on]),
            Constraint::Cable { through, .. } | Constraint::Tether { through, .. } => at(through),
            Constraint::Route(route) => {
                let sites = route.stops.iter().map(|stop| stop.site);
                sites.filter_map(|site| self.sites[site].node).collect()
            }
            Constraint::Closing(closing) => at(&closing.between),
            Constraint::Rolling(rolling) => at(&[rolling.site, rolling.on]),
            Constraint::Blade(blade) => at(&[blade.site]),
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
