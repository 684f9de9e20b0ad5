//! The language of models, one module per question.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

/// Are model files read as they are written, and refused when they are wrong?
mod models;
/// Are repeated sections those that would be written out?
mod repeat;
/// Is a model the same from text, from data and from a program?
mod specs;

mod tables;
/// Are trees in files those of the documents, and of code?
mod tree_models;
/// Are bodies and cables found in whatever order they are written?
mod tree_order;
