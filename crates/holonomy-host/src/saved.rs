//! A simulation as a file: its model and where it is, from which it goes on to the bit.
use crate::{
    trajectory::Mark,
    unfinished::{Standing, Unfinished, UnfinishedError},
};
use holonomy::simulation::Checkpoint;

/// A simulation that stands still.
#[derive(Clone, Debug)]
pub struct SavedSimulation {
    /// What its model is called.
    pub name: String,
    /// The model, as text.
    pub model: String,
    /// Where it is.
    pub checkpoint: Checkpoint,
}

impl SavedSimulation {
    /// As bytes, in which a changed or missing one shows.
    pub fn to_bytes(&self) -> Vec<u8> {
        let place = Standing {
            simulation: self.checkpoint.to_bytes(),
            recording: Vec::new(),
            seen: None,
            mark: Mark::default(),
            wall_seconds: 0.0,
        };
        let run = Unfinished {
            name: self.name.clone(),
            header: String::new(),
            model: self.model.clone(),
            place: Some(place),
        };
        run.to_bytes()
    }

    /// The simulation of these bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, UnfinishedError> {
        let run = Unfinished::from_bytes(bytes)?;
        let place = run.place.ok_or(UnfinishedError::Damaged)?;
        let checkpoint = Checkpoint::from_bytes(&place.simulation).map_err(|_| UnfinishedError::Damaged)?;
        Ok(Self {
            name: run.name,
            model: run.model,
            checkpoint,
        })
    }
}
