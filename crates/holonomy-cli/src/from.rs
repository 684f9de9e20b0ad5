//! `--from DIR[@T]`: where a run starts that goes on from a recorded state of another.
use crate::{
    failure::Failure,
    input::Input,
    output::{note, number},
};
use holonomy_host::start::RecordedState;
use holonomy_model::{Unit, parse_quantity};
use std::path::Path;

/// Writes the state into the model, as its section `[state]`.
pub(crate) fn start(input: &mut Input, from: &str, quiet: bool) -> Result<(), Failure> {
    let (folder, at) = split(from)?;
    let state = RecordedState::open(Path::new(folder), at)?;
    // The model as it is without that state says which coordinates it has.
    let model = input.load(true)?;
    let section = state.section(&model)?;
    input.source.with_value(&["state"], section);
    if !quiet {
        let taken = number(state.t);
        note(&match at {
            Some(at) if at != state.t => {
                let at = number(at);
                format!("starts at t = {taken} s of {folder}, the recorded sample nearest to {at} s\n")
            }
            Some(_) => format!("starts at t = {taken} s of {folder}\n"),
            None => format!("starts where {folder} ended, at t = {taken} s\n"),
        });
    }
    Ok(())
}

/// The folder, and the time behind the last `@`, unless there is a folder of the whole name.
fn split(from: &str) -> Result<(&str, Option<f64>), Failure> {
    let Some((folder, time)) = from.rsplit_once('@').filter(|_| !Path::new(from).is_dir()) else {
        return Ok((from, None));
    };
    let found = time
        .trim()
        .parse()
        .ok()
        .or_else(|| parse_quantity(time, Unit::SECOND).ok());
    match found.filter(|t: &f64| t.is_finite()) {
        Some(t) => Ok((folder, Some(t))),
        None => Err(Failure::BadValue {
            flag: "--from",
            value: from.to_owned(),
            reason: format!("`{}` is not a time", time.trim()),
            help: Some("write the folder of a run and a time in s, such as `runs/first@12.5`".to_owned()),
        }),
    }
}
