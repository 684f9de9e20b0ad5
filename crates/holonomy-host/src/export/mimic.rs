//! Couplings of two joints as `mimic`.
//!
//! ```text
//! a q + a' q' = b      so that      q = −(a'/a) q' + b/a
//! ```
use holonomy::tree::Joint;
use holonomy_model::TreeOutline;
use std::collections::HashSet;

/// A joint that follows another: `q = multiplier · q_leader + offset`.
pub(super) struct Mimic {
    pub(super) leader: usize,
    pub(super) multiplier: f64,
    pub(super) offset: f64,
}

/// What each body's joint follows, and the names of the couplings that say so.
pub(super) fn find(outline: &TreeOutline) -> (Vec<Option<Mimic>>, HashSet<String>) {
    let mut mimics: Vec<Option<Mimic>> = outline.bodies.iter().map(|_| None).collect();
    let mut said = HashSet::new();
    let scalar = |body: usize| {
        let joint = &outline.bodies[body].joint;
        matches!(joint, Joint::Revolute { .. } | Joint::Prismatic { .. })
    };
    for coupling in &outline.couplings {
        let [(one, _, a), (other, _, b)] = coupling.terms[..] else {
            continue;
        };
        if one == other || !scalar(one) || !scalar(other) {
            continue;
        }
        for (follower, leader, own, its) in [(one, other, a, b), (other, one, b, a)] {
            if own == 0.0 || mimics[follower].is_some() || leads_to(&mimics, leader, follower) {
                continue;
            }
            mimics[follower] = Some(Mimic {
                leader,
                multiplier: -its / own,
                offset: coupling.constant / own,
            });
            said.insert(coupling.name.clone());
            break;
        }
    }
    (mimics, said)
}

/// Whether a joint follows another, by way of any number.
fn leads_to(mimics: &[Option<Mimic>], from: usize, to: usize) -> bool {
    let mut now = from;
    // There are no circles.
    while let Some(mimic) = &mimics[now] {
        now = mimic.leader;
        if now == to {
            return true;
        }
    }
    false
}
