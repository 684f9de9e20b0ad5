//! What is given for a run: numbers, outputs and a start, by name and as numbers.
use super::{RolloutError, check};
use holonomy::{
    derivative::OFFSET,
    output::Output,
    system::{Measurement, State},
};
use holonomy_model::{Knob, Model, nearest, output_suggestion};

/// How far a start may be from a state.
const OFF: f64 = 1e-6;
/// So far a state is from itself by rounding.
const ROUNDING: f64 = 1e-13;

/// A number of a model by its path; elements are called by their names, too.
pub(super) fn knob(model: &Model, key: &str) -> Result<Knob, RolloutError> {
    let knobs = model.knobs();
    let known = knobs.iter().find(|knob| knob.path.to_string() == key);
    let found = known.or_else(|| {
        let path = model.table.find(key).ok()?;
        knobs.iter().find(|knob| knob.path == path)
    });
    match found {
        Some(knob) if knob.whole => Err(RolloutError::Whole(key.to_owned())),
        Some(knob) => Ok(knob.clone()),
        None => {
            let names: Vec<String> = knobs.iter().map(|knob| knob.path.to_string()).collect();
            let near = nearest(key, names.iter().map(String::as_str)).map(str::to_owned);
            Err(RolloutError::Key {
                key: key.to_owned(),
                near,
            })
        }
    }
}

/// The outputs that are read.
pub(super) fn chosen(model: &Model, names: Option<&[String]>) -> Result<Vec<Output>, RolloutError> {
    let system = model.mechanism.system();
    let layout = system.layout();
    let all = match names {
        Some(names) => {
            let each = names.iter().map(|name| {
                Output::find(name, layout).ok_or_else(|| RolloutError::Output {
                    name: name.clone(),
                    help: output_suggestion(name, layout),
                })
            });
            each.collect::<Result<Vec<_>, _>>()?
        }
        None if model.outputs.asked => model.outputs.list.clone(),
        None => {
            let names = layout.coordinates.iter();
            names.filter_map(|name| Output::find(name, layout)).collect()
        }
    };
    match all
        .iter()
        .find(|output| output.is_of_a_step() || output.name.starts_with("work."))
    {
        Some(output) => Err(RolloutError::OfRun(output.name.clone())),
        None => Ok(all),
    }
}

/// A state of a model from its numbers: q, then p.
pub(super) fn started(model: &Model, numbers: &[f64]) -> Result<State, RolloutError> {
    let own = &model.state;
    check("start", numbers, own.q.len() + own.p.len())?;
    let (q, p) = numbers.split_at(own.q.len());
    let mut state = State::new(own.t, q.to_vec(), p.to_vec());
    state.work = vec![0.0; own.work.len()];
    let system = model.mechanism.system();
    let mut measured = Measurement::default();
    system.measure(&state, &mut measured, &mut system.scratch());
    let off = measured.manifold.max;
    if off > OFF || !measured.energy.total().is_finite() {
        let reason = match off > OFF {
            true => format!(
                "q leaves its manifold by {off:.1e}: directions are unit vectors, and so are quaternions"
            ),
            false => "the energy has no value there".to_owned(),
        };
        return Err(RolloutError::Start(reason));
    }
    if let Some(off) = measured.constraint.filter(|off| *off > OFF) {
        return Err(RolloutError::Start(format!(
            "q violates a constraint by {off:.1e}"
        )));
    }
    if off > ROUNDING {
        let mut nearest = state.q.clone();
        system.project(&mut nearest, &mut vec![0.0; state.p.len()]);
        let (x, y) = system.canonical(&nearest, &state.q, &state.p);
        (state.q, state.p) = system.state_from_canonical(&nearest, &x, &y);
    }
    Ok(state)
}

/// How far differences move a number: three times that to both sides must be allowed.
pub(super) fn offset(knob: &Knob, value: f64) -> Result<f64, RolloutError> {
    let size = if value == 0.0 { 1.0 } else { value.abs() };
    let room = [
        knob.least.map(|least| value - least),
        knob.most.map(|most| most - value),
    ];
    let room = room.into_iter().flatten().fold(f64::INFINITY, f64::min);
    match room > 0.0 {
        true => Ok((OFFSET * size).min(0.25 * room)),
        false => Err(RolloutError::Bound {
            key: knob.path.to_string(),
            value,
        }),
    }
}
