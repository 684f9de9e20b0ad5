//! Methods for trees of rigid bodies, and those of Beckman's notebook.
use super::{
    CONVENTIONAL, Family, GEOMETRIC, Integrator, Mechanism, Method, Options, Unsupported, composed,
    of_choice, raised,
};
use crate::{
    integrator::{Forcing, Notebook, Rule, TreeOptions, TreeVariational},
    tree::Tree,
};
use std::sync::Arc;

const OF_TREES: Method = Method {
    family: Some(Family::Tree),
    options: &["forcing", "max_iterations"],
    differentiable: true,
    ..GEOMETRIC
};

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "tree-variational",
        summary: "variational integrator of trees of rigid bodies, O(n), exact constraints",
        reference: "Marsden & West (2001)",
        build: |m, o| jointed(m, o, "tree-variational", 2),
        ..OF_TREES
    },
    raised!("tree-variational", 4, jointed, OF_TREES),
    raised!("tree-variational", 6, jointed, OF_TREES),
    raised!("tree-variational", 8, jointed, OF_TREES),
    Method {
        name: "tree-backward",
        summary: "first order: the backward difference of the cable report, which fails on long cables",
        reference: "the cable report",
        order: 1,
        symmetric: false,
        build: |m, o| backward(m, o, "tree-backward"),
        ..OF_TREES
    },
];

/// Nothing is conserved but the length of the quaternion.
const NOTEBOOK: Method = Method {
    family: Some(Family::Tree),
    reference: "Beckman's notebook (2025)",
    order: 1,
    on_manifold: true,
    for_comparison: true,
    ..CONVENTIONAL
};

/// There to reproduce Beckman's notebook, and to show what it suffers from.
pub(super) const OF_THE_NOTEBOOK: &[Method] = &[
    Method {
        name: "notebook-rk4",
        summary: "first order: the scheme of Beckman's notebook for one body, late torque, frozen arguments",
        build: |m, _| notebook(m, "notebook-rk4", Notebook::rk4),
        ..NOTEBOOK
    },
    Method {
        name: "notebook-rkf45",
        summary: "first order: the same with its RKF45, which loses time on short steps",
        build: |m, _| notebook(m, "notebook-rkf45", Notebook::rkf45),
        ..NOTEBOOK
    },
];

/// The tree of a mechanism.
fn tree(mechanism: &Mechanism, method: &'static str) -> Result<Arc<Tree>, Unsupported> {
    match mechanism {
        Mechanism::Tree(tree) => Ok(tree.clone()),
        _ => Err(Unsupported {
            method,
            needs: "a tree of rigid bodies (`space = \"tree\"`)",
            instead: of_choice(mechanism),
        }),
    }
}

/// A variational integrator for a tree.
fn jointed(
    mechanism: &Mechanism,
    options: &Options,
    method: &'static str,
    order: u32,
) -> Result<Box<dyn Integrator>, Unsupported> {
    let options = tree_options(options, Rule::Midpoint);
    composed(
        Box::new(TreeVariational::new(tree(mechanism, method)?, options)),
        order,
    )
}

/// The backward difference, which has no form for rotations in space.
fn backward(
    mechanism: &Mechanism,
    options: &Options,
    method: &'static str,
) -> Result<Box<dyn Integrator>, Unsupported> {
    let tree = tree(mechanism, method)?;
    if tree.has_ball_joints() {
        return Err(Unsupported {
            method,
            needs: "joints without rotations in space: no spherical and no free ones",
            instead: of_choice(mechanism),
        });
    }
    let options = tree_options(options, Rule::Backward);
    Ok(Box::new(TreeVariational::new(tree, options)))
}

fn tree_options(options: &Options, rule: Rule) -> TreeOptions {
    let usual = TreeOptions::default();
    TreeOptions {
        rule,
        forcing: if options.one_sided {
            Forcing::OneSided
        } else {
            usual.forcing
        },
        max_iterations: options.max_iterations.unwrap_or(usual.max_iterations),
    }
}

/// A scheme of the notebook, which refuses all but one body on a ball joint.
fn notebook(
    mechanism: &Mechanism,
    method: &'static str,
    new: fn(Arc<Tree>) -> Option<Notebook>,
) -> Result<Box<dyn Integrator>, Unsupported> {
    match new(tree(mechanism, method)?) {
        Some(notebook) => Ok(Box::new(notebook)),
        None => Err(Unsupported {
            method,
            needs: "one body on a spherical joint, and no constraints or forces in the joint",
            instead: "tree-variational",
        }),
    }
}
