//! Files, figures and runs for holonomy: everything around the engine that touches the disk or the clock.
//!
//! A [`scenario::Scenario`] is a model that comes with the program; [`run::run`] runs a model and makes a
//! [`summary::Summary`]; [`folder::Folder`] is the directory that its files appear in, whole or not at all.

pub mod archive;
pub mod certificate;
pub mod compare;
pub mod converge;
pub mod figure;
pub mod figures;
pub mod folder;
pub mod import;
pub mod page;
pub mod precision;
mod recorder;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod scenario;
pub mod series;
pub mod summary;
pub mod trajectory;
pub mod warmth;
