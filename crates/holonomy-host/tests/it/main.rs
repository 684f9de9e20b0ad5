//! Runs, certificates and imports, one module per question.
#![allow(missing_docs, clippy::unwrap_used)]

/// Are numbers found again from what was measured, and are they as sure as it is said?
mod are_numbers_found_again;
/// Does a run that had breaks leave what one without does?
mod does_a_run_go_on;
/// Do certificates say what is true of a run?
mod can_it_be_trusted;
/// What was a certificate caught at, and is it mended?
mod is_it_caught_again;
/// Do imported machines have the mass matrices and forces that MuJoCo computes, and is what is wrong said?
mod is_it_mujocos;
/// Do imported robots and trees have the mass matrices and forces that Pinocchio computes?
mod is_it_pinocchios;
/// Is a control that was found the best one, as others found it?
mod is_it_the_best_control;
/// Are the inputs of a motion those that made it, and is a motion held?
mod is_it_the_inverse;
/// How far ahead can a motion be known?
mod is_it_chaos;
/// Does a run answer to deviations as the plan of `holonomy control` does?
mod is_it_held;
/// Is everything of a file in the model, or listed as ignored?
mod is_nothing_lost;
/// Is a path as close to the true one as its certificate says?
mod is_the_path_as_close_as_it_says;
/// Is a tree that is written as URDF and read again the same, and is what is not written listed?
mod is_it_the_same_in_urdf;
/// Is no structure called conserved that is not, or lost that is conserved?
mod is_the_structure_as_it_says;
/// Do methods show their order, and who wins?
mod what_does_precision_cost;
/// Is what is recorded by name what formulas say?
mod what_is_recorded;
/// What does a certificate say of kinks, and of a start at rest?
mod what_do_kinks_cost;
/// What is said of files that are wrong, and where?
mod what_is_wrong;

use holonomy::{system::Mechanism, tree::Tree};
use holonomy_host::import::{self, Import, Options};
use holonomy_model::{self as model, Model, Source};
use std::sync::Arc;

/// A robot with every kind of joint.
const EVERY: &str = include_str!("../../../../tests/robots/every-joint.urdf");

fn imported(text: &str, floating: bool) -> Import {
    let options = Options {
        floating,
        ..Options::default()
    };
    let source = Source::new("robot.urdf", text);
    let import = import::urdf(&source, options);
    import.unwrap_or_else(|problems| panic!("{}", model::render(&source, &problems, false, 10)))
}

fn loaded(text: &str) -> Model {
    let source = Source::new("model", text);
    model::load(&source).unwrap_or_else(|problems| panic!("{}", model::render(&source, &problems, false, 10)))
}

fn tree(model: &Model) -> Arc<Tree> {
    match &model.mechanism {
        Mechanism::Tree(tree) => tree.clone(),
        _ => panic!("no tree"),
    }
}

/// A robot with these elements in it.
fn robot(inside: &str) -> String {
    format!("<robot name=\"r\">\n{inside}\n</robot>\n")
}

/// A link with mass.
fn link(name: &str) -> String {
    format!(
        "<link name=\"{name}\"><inertial><origin xyz=\"0.1 0.2 0.3\"/><mass value=\"1\"/>\
         <inertia ixx=\"0.1\" ixy=\"0\" ixz=\"0\" iyy=\"0.1\" iyz=\"0\" izz=\"0.1\"/></inertial></link>\n"
    )
}

fn joint(name: &str, kind: &str, parent: &str, child: &str, more: &str) -> String {
    format!(
        "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>{more}</joint>\n"
    )
}
