//! What a gradient is taken by, gathered on the way back.
use super::{GradientError, Kind, LeftOut, Push, Reader, Slope, names};
use holonomy::{
    derivative::{Change, Minimal, ParameterError, Parameters, Step, Unreduced, Variant, slope},
    integrator::Fault,
    output::Output,
    system::{Measurement, Mechanism, State, System},
};
use holonomy_model::{Input, Knob, Model, Value, nearest};
use std::{convert::Infallible, sync::Arc};

/// All that derivatives are taken by.
pub(super) struct Sought {
    output: Output,
    system: Arc<dyn System>,
    start: Vec<Starting>,
    numbers: Vec<Number>,
    inputs: Vec<Pushing>,
    left_out: Vec<LeftOut>,
    /// z̄₀.
    first: Change,
}

/// A direction of the start.
struct Starting {
    name: String,
    value: f64,
    change: Change,
}

/// A number of the model.
struct Number {
    knob: Knob,
    parameters: Parameters,
    offset: f64,
    /// The mechanisms of its neighbours, in the order of differences.
    systems: Vec<Arc<dyn System>>,
    /// Whether it is one of the start alone, so that the equations of steps are the same.
    only_starts: bool,
    found: f64,
}

/// An input, with what a push does at every state, the last first.
struct Pushing {
    input: Input,
    curve: Vec<f64>,
    /// The impulse at the end, as far as constraints allow it.
    last: Change,
}

/// Offset of differences as a part of a number: that of differences of order 6 in all of the engine.
const OFFSET: f64 = holonomy::derivative::OFFSET;
/// Curves have no more points.
const POINTS: usize = 2000;

/// A direction of an axis: only its ratios count, and they are rarely what is asked for.
const AXIS: &str = "axis";
/// Sections of a model that say how it is run, shown and asked, and not how it moves.
const ASIDE: &[&str] = &[
    "run", "method", "output", "input", "goal", "bound", "control", "points", "line", "state", "up",
];
/// Keys of the start: what they say is a direction of the state.
const STARTS: &[&str] = &[
    "start",
    "velocity",
    "momentum",
    "position",
    "orientation",
    "angular_velocity",
    "direction",
    "end_direction",
];

impl Sought {
    pub(super) fn new(
        model: &Model,
        output: &Output,
        by: &[String],
        ahead: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Self, GradientError> {
        let all = by.is_empty();
        let wanted = |word: &str| all || by.iter().any(|own| own == word);
        let system = model.mechanism.system();
        let mut out = Self {
            output: output.clone(),
            system: system.clone(),
            start: Vec::new(),
            numbers: Vec::new(),
            inputs: Vec::new(),
            left_out: Vec::new(),
            first: Change::default(),
        };
        if wanted("start") {
            match starting(model) {
                Ok(start) => out.start = start,
                Err(error) if by.iter().any(|own| own == "start") => return Err(error.into()),
                Err(error) => out.left_out.push(LeftOut {
                    key: "start".to_owned(),
                    why: error.to_string(),
                }),
            }
        }
        let knobs = model.knobs();
        let mut chosen: Vec<&Knob> = Vec::new();
        if wanted("parameters") {
            chosen.extend(knobs.iter().filter(|knob| moves(knob)));
        }
        for key in by {
            if matches!(key.as_str(), "start" | "parameters" | "inputs") {
                continue;
            }
            let path = model.table.find(key).ok();
            let own = |knob: &&Knob| {
                let named = Some(&knob.path) == path.as_ref() || knob.path.to_string() == *key;
                named && !knob.whole && !is_aside(knob)
            };
            match knobs.iter().find(own) {
                Some(knob) => {
                    if !chosen.iter().any(|other| other.path == knob.path) {
                        chosen.push(knob);
                    }
                }
                None => {
                    let known: Vec<String> = (knobs.iter())
                        .filter(|knob| !knob.whole && !is_aside(knob))
                        .map(|knob| knob.path.to_string())
                        .collect();
                    let words = ["start", "parameters", "inputs"].into_iter();
                    let near = nearest(key, known.iter().map(String::as_str).chain(words));
                    return Err(GradientError::By {
                        key: key.clone(),
                        near: near.map(str::to_owned),
                    });
                }
            }
        }
        for (k, knob) in chosen.iter().enumerate() {
            if !ahead(k as u64, chosen.len() as u64) {
                return Err(GradientError::Stopped);
            }
            match number(model, &*system, knob, scale(knob, &chosen)) {
                Ok(number) => out.numbers.push(number),
                Err(why) => out.left_out.push(LeftOut {
                    key: knob.path.to_string(),
                    why,
                }),
            }
        }
        if wanted("inputs") {
            out.inputs = (model.inputs.iter())
                .map(|input| Pushing {
                    input: input.clone(),
                    curve: Vec::new(),
                    last: Change::default(),
                })
                .collect();
        }
        if out.inputs.is_empty() && by.iter().any(|own| own == "inputs") && by.len() == 1 {
            return Err(GradientError::NoInputs);
        }
        Ok(out)
    }

    /// The run ended there.
    pub(super) fn ends(&mut self, model: &Model, end: &State) -> Result<(), GradientError> {
        for k in 0..self.inputs.len() {
            let mut push = impulse(&*self.system, end, &self.inputs[k].input);
            if !self.system.layout().multipliers.is_empty() {
                let minimal = Minimal::at(&model.mechanism, end)?;
                push = minimal.change(&minimal.coordinates(&push.x, &push.y));
            }
            self.inputs[k].last = push;
        }
        // What the numbers do to the output at a state that stays.
        let (x, y) = self.system.canonical(&end.q, &end.q, &end.p);
        let mut reader = Reader::new(&*self.system, &self.output);
        for number in self.numbers.iter_mut().filter(|number| !number.only_starts) {
            let mut systems = number.systems.iter();
            let found = slope(number.offset, |_| {
                let read = systems.next().map_or(f64::NAN, |system| {
                    let (q, p) = system.state_from_canonical(&end.q, &x, &y);
                    let state = State { q, p, ..end.clone() };
                    reader.scratch = system.scratch();
                    reader.readings = holonomy::output::Readings::default();
                    reader.read(&**system, &state)
                });
                Ok::<_, Infallible>(vec![read])
            });
            let Ok(found) = found;
            number.found = found[0];
        }
        Ok(())
    }

    pub(super) fn at(&mut self, k: usize, state: &State, gradient: &Change) -> Result<(), Fault> {
        for pushing in &mut self.inputs {
            let push = match pushing.curve.is_empty() {
                true => std::mem::take(&mut pushing.last),
                false => impulse(&*self.system, state, &pushing.input),
            };
            pushing.curve.push(pair(&push, gradient));
        }
        if k == 0 {
            self.first = gradient.clone();
            for number in &mut self.numbers {
                number.found += pair(number.parameters.start(0), gradient);
            }
        }
        Ok(())
    }

    pub(super) fn equations(&mut self, step: &Step<'_>, gradient: &Change) -> Result<(), Fault> {
        for number in self.numbers.iter_mut().filter(|number| !number.only_starts) {
            let slope = number.parameters.slope(0, step)?;
            number.found += dot(&slope, &gradient.equations);
        }
        Ok(())
    }

    pub(super) fn is_finite(&self) -> bool {
        let start = self.start.iter().map(|own| pair(&own.change, &self.first));
        let numbers = self.numbers.iter().map(|number| number.found);
        let inputs = self.inputs.iter().flat_map(|own| own.curve.iter().copied());
        start.chain(numbers).chain(inputs).all(f64::is_finite)
    }

    /// What was found, what does most first.
    pub(super) fn found(self, model: &Model, end: &State) -> (Vec<Slope>, Vec<Push>, Vec<LeftOut>) {
        let own = |kind, name: String, unit: &str, value: f64, slope: f64| Slope {
            kind,
            name,
            unit: if unit == "1" { "" } else { unit }.to_owned(),
            value,
            slope,
            percent: 0.01 * slope * if value == 0.0 { 1.0 } else { value.abs() },
        };
        let first = &self.first;
        let mut slopes: Vec<Slope> = (self.start.iter())
            .map(|starting| {
                let slope = pair(&starting.change, first);
                own(Kind::Start, starting.name.clone(), "", starting.value, slope)
            })
            .collect();
        slopes.extend(self.numbers.iter().map(|number| {
            let Knob {
                path, unit, value, ..
            } = &number.knob;
            own(Kind::Parameter, path.to_string(), unit, *value, number.found)
        }));
        let (h, one_sided) = (model.schedule.step, model.options.one_sided);
        let mut pushes = Vec::new();
        for mut pushing in self.inputs {
            pushing.curve.reverse();
            let curve = &pushing.curve;
            let last = curve.len() - 1;
            let weight = |k: usize| match (one_sided, k) {
                (true, k) => f64::from(u8::from(k < last)),
                (false, k) if k == 0 || k == last => 0.5,
                _ => 1.0,
            };
            let held: f64 = curve.iter().enumerate().map(|(k, g)| h * weight(k) * g).sum();
            let name = pushing.input.name.clone();
            slopes.push(own(Kind::Input, name.clone(), "", 0.0, held));
            let every = curve.len().div_ceil(POINTS);
            let times = |k: usize| end.t - (last - k) as f64 * h;
            let points = curve.iter().enumerate().step_by(every);
            pushes.push(Push {
                input: name,
                curve: points.map(|(k, g)| (times(k), *g)).collect(),
            });
        }
        slopes.sort_by(|a, b| b.percent.abs().total_cmp(&a.percent.abs()));
        (slopes, pushes, self.left_out)
    }
}

/// Coordinates at velocities that stay, then velocities; on spheres turns at momenta that stay, then momenta.
fn starting(model: &Model) -> Result<Vec<Starting>, Unreduced> {
    let (system, state) = (model.mechanism.system(), &model.state);
    let minimal = Minimal::at(&model.mechanism, state)?;
    let (layout, freedom) = (system.layout(), minimal.freedom());
    let called = names(layout, &minimal);
    let basis = minimal.basis();
    let mut scratch = system.scratch();
    let mut measured = Measurement::default();
    system.measure(state, &mut measured, &mut scratch);
    let velocity = measured.velocity.clone();
    let (x0, y0) = system.canonical(&state.q, &state.q, &state.p);
    let coordinate = |name: &str| {
        let place = layout.coordinates.iter().position(|own| own == name);
        place.map_or(0.0, |k| state.q[k])
    };
    if matches!(model.mechanism, Mechanism::Spheres(_)) {
        let each = called.into_iter().zip(basis).enumerate();
        return Ok(each
            .map(|(k, (name, change))| Starting {
                value: match k < freedom {
                    true => 0.0,
                    false => minimal.coordinates(&x0, &y0)[k],
                },
                name,
                change,
            })
            .collect());
    }
    let mut momentum = |q: &[f64], v: &[f64]| {
        let mut p = vec![0.0; state.p.len()];
        system.momentum(state.t, q, v, &mut p, &mut scratch);
        p
    };
    let mut out = Vec::new();
    for (k, change) in basis.iter().take(freedom).enumerate() {
        let found = slope(OFFSET, |shift| {
            let x: Vec<f64> = change.x.iter().map(|x| shift * x).collect();
            let (q, _) = system.state_from_canonical(&state.q, &x, &y0);
            let p = momentum(&q, &velocity);
            let (mut z, y) = system.canonical(&state.q, &q, &p);
            z.extend(y);
            Ok::<_, Infallible>(z)
        });
        let Ok(found) = found;
        out.push(Starting {
            name: called[k].clone(),
            value: coordinate(&called[k]),
            change: Change {
                x: found[..x0.len()].to_vec(),
                y: found[x0.len()..].to_vec(),
                ..Change::default()
            },
        });
    }
    for (place, along) in minimal.velocities() {
        let faster: Vec<f64> = velocity.iter().zip(&along).map(|(v, x)| v + x).collect();
        let (p, rest) = (momentum(&state.q, &faster), momentum(&state.q, &velocity));
        let (_, y) = system.canonical(&state.q, &state.q, &p);
        let (_, before) = system.canonical(&state.q, &state.q, &rest);
        out.push(Starting {
            name: layout.velocities.one(place).unwrap_or_default(),
            value: velocity[place],
            change: Change {
                x: vec![0.0; x0.len()],
                y: y.iter().zip(&before).map(|(y, before)| y - before).collect(),
                ..Change::default()
            },
        });
    }
    Ok(out)
}

/// What an input of one changes at once, per second.
fn impulse(system: &dyn System, at: &State, input: &Input) -> Change {
    let mut p = vec![0.0; at.p.len()];
    let (x, rest) = system.canonical(&at.q, &at.q, &p);
    p[input.velocity] = input.scale;
    let (_, y) = system.canonical(&at.q, &at.q, &p);
    Change {
        x: vec![0.0; x.len()],
        y: y.iter().zip(&rest).map(|(y, rest)| y - rest).collect(),
        ..Change::default()
    }
}

fn number(model: &Model, system: &dyn System, knob: &Knob, scale: f64) -> Result<Number, String> {
    let path = knob.path.to_string();
    let offset = OFFSET * scale;
    let mut systems = Vec::new();
    let parameters = Parameters::new(system, &model.state, &[knob.value], &[offset], |theta| {
        let changed = model
            .with(&path, Value::from(theta[0]))
            .map_err(|error| error.to_string())?;
        systems.push(changed.mechanism.system());
        Ok::<_, String>(Variant {
            integrator: changed.integrator(),
            start: changed.state,
        })
    });
    let parameters = parameters.map_err(|error| match error {
        ParameterError::Refused(why) => format!("right beside its value the model is another: {why}"),
        ParameterError::NotDifferentiable => {
            "right beside its value the method has no derivatives".to_owned()
        }
    })?;
    Ok(Number {
        only_starts: model.only_starts(&path),
        knob: knob.clone(),
        parameters,
        offset,
        systems,
        found: 0.0,
    })
}

/// What a number may change by: its size; of zero a tenth of the largest of its kind, or of its unit.
fn scale(knob: &Knob, all: &[&Knob]) -> f64 {
    if knob.value != 0.0 {
        return knob.value.abs();
    }
    let section = |knob: &Knob| {
        let path = knob.path.to_string();
        path.split('.').next().unwrap_or_default().to_owned()
    };
    let alike = all
        .iter()
        .filter(|other| section(other) == section(knob) && other.unit == knob.unit);
    let largest = alike.fold(0.0, |largest: f64, other| largest.max(other.value.abs()));
    0.1 * if largest > 0.0 { largest } else { 1.0 }
}

fn is_aside(knob: &Knob) -> bool {
    let path = knob.path.to_string();
    ASIDE.contains(&path.split('.').next().unwrap_or_default())
}

/// Whether a number is one of the equations, and not of the start or of what is shown.
fn moves(knob: &Knob) -> bool {
    let path = knob.path.to_string();
    let starts = path.split('.').any(|key| STARTS.contains(&key));
    let axis = path.split('.').any(|key| key == AXIS);
    !knob.whole && !starts && !axis && !is_aside(knob)
}

fn pair(a: &Change, b: &Change) -> f64 {
    dot(&a.x, &b.x) + dot(&a.y, &b.y)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
