//! The machine around the engine: disk, clock, threads and files of other programs.
//!
//! [`run::run`] runs a model under watch, [`archive::Archive`] with everything that it leaves on the disk;
//! [`resume::Resumable`] goes on with one. [`folder::Folder`] is the directory that its files appear in, whole or not at all. [`serve::Server`] shows pages to the
//! browser of this machine, [`render`] makes films.

pub mod archive;
pub mod beside;
mod binary;
pub mod browser;
pub mod compare;
pub mod control;
pub mod export;
pub mod fit;
pub mod flow;
pub mod folder;
pub mod import;
pub mod inverse;
pub mod matrices;
pub mod play;
pub mod precision;
mod recorder;
pub mod render;
pub mod report;
pub mod resume;
pub mod rollout;
pub mod run;
pub mod saved;
pub mod serve;
pub mod start;
pub mod sweep;
pub mod trajectory;
pub mod unfinished;
pub mod view;
