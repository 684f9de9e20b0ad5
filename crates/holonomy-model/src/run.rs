//! `[method]`, `[run]` and `[output]`.
use super::{Located, Place, Section, record::Wanted, spec::MOST_STEPS, tree::rotation};
use holonomy::{
    geometry::EulerOrder,
    integrator::catalog::{self, Method, Options},
    simulation::Schedule,
    system::Family,
};

/// How a trajectory is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Apache Parquet, one column per number.
    Parquet,
    /// Comma-separated text.
    Csv,
    /// NumPy arrays in one file.
    Npz,
}

pub(super) struct Run {
    pub(super) method: &'static Method,
    pub(super) method_place: Place,
    pub(super) options: Options,
    pub(super) schedule: Schedule,
    pub(super) start_time: f64,
    pub(super) format: Format,
    pub(super) attitude: Option<EulerOrder>,
    pub(super) record: Option<Wanted>,
}

/// What to write where `[[output]]` was, as beside `[[input]]`.
pub(super) const ONE_OUTPUT: &str =
    "write `[output]`, and name all outputs in its list: `record = [\"NAME\", …]`";

/// What `[output]` says.
struct Written {
    format: Format,
    attitude: Option<EulerOrder>,
    record: Option<Wanted>,
}

pub(super) fn read(root: &Section<'_>, family: Family) -> Option<Run> {
    let method = root
        .required("method")
        .with(match family {
            Family::Spheres => "`name = \"sphere-implicit\"`",
            Family::Lagrangian => "`name = \"midpoint\"`",
            Family::Framed => "`name = \"hamel\"`",
            Family::Tree => "`name = \"tree-variational\"`",
        })
        .table()
        .map(|section| read_method(section, family));
    let schedule = root
        .required("run")
        .with("`step = 0.01` and `duration = 10`")
        .table()
        .map(read_schedule);
    let output = root.optional("output").table();
    let nothing = Written {
        format: Format::Parquet,
        attitude: None,
        record: None,
    };
    let output = output.map_or(Some(nothing), |section| read_output(section, family));
    let ((method, method_place, mut options), (schedule, start_time)) = (method??, schedule??);
    if method.adaptive && options.max_step.is_none() {
        // As `ode45` does: never a step longer than a tenth of the run. One that is continued later has it still, from
        // its checkpoint.
        options.max_step = Some(0.1 * (schedule.step * schedule.steps as f64));
    }
    let Written {
        format,
        attitude,
        record,
    } = output?;
    Some(Run {
        method,
        method_place,
        options,
        schedule,
        start_time,
        format,
        attitude,
        record,
    })
}

fn read_method(section: Section<'_>, family: Family) -> Option<(&'static Method, Place, Options)> {
    // One of another family is known, but not suggested.
    let known = section.text("name").and_then(|name| catalog::find(name).ok());
    let suggested = catalog::METHODS.iter().filter(|m| m.serves(family));
    let names: Vec<&str> = suggested.chain(known).map(|m| m.name).collect();
    let name = section.required("name").choice_of("method", &names);
    let method = name.and_then(|name| Some((name.place, catalog::find(name.value).ok()?)));
    let mut options = Options::default();
    for key in all_options(family) {
        match &method {
            Some((_, method)) if !method.options.contains(&key) => {
                refuse_option(&section, key, method, family)
            }
            _ => read_option(&section, key, &mut options),
        }
    }
    section.refuse(IN_RUN);
    let Some((place, method)) = method else {
        section.finish();
        return None;
    };
    if let Some(tolerance) = section.key_place("tolerance")
        && method.options.contains(&"tolerance")
        && (!section.has("solver") || section.text("solver") == Some("newton"))
    {
        section
            .lacks(
                &["solver"],
                tolerance,
                "`tolerance` belongs to the fixed-point solver; Newton always solves to round-off",
            )
            .help("remove it, or add `solver = \"fixed-point\"`");
    }
    section.finish();
    Some((method, place, options))
}

/// The options of all methods that serve the family, each once.
fn all_options(family: Family) -> Vec<&'static str> {
    let mut all: Vec<&str> = Vec::new();
    let methods = catalog::METHODS.iter().filter(|m| m.serves(family));
    for key in methods.flat_map(|m| m.options) {
        if !all.contains(key) {
            all.push(key);
        }
    }
    all
}

fn read_option(section: &Section<'_>, key: &'static str, options: &mut Options) {
    let field = section.optional(key);
    match key {
        "solver" => {
            options.fixed_point = field.choice().is_some_and(|s| s.value == "fixed-point");
        }
        "forcing" => {
            options.one_sided = field.choice().is_some_and(|s| s.value == "one-sided");
        }
        "tolerance" => options.tolerance = field.number().map(|t| t.value),
        "max_iterations" => {
            options.max_iterations = field.count().and_then(|n| u32::try_from(n.value).ok());
        }
        "rtol" => {
            let rtol = field.number();
            if let Some(rtol) = rtol.as_ref().filter(|rtol| rtol.value < catalog::SMALLEST_RTOL) {
                let message = format!(
                    "`rtol` cannot be below {:.1e}, where rounding begins",
                    catalog::SMALLEST_RTOL
                );
                section.problems().error(rtol.place.clone(), message);
            }
            options.rtol = rtol.map(|t| t.value);
        }
        "atol" => options.atol = field.number().map(|t| t.value),
        "end" => options.end = field.number().map(|t| t.value),
        "max_step" => options.max_step = field.number().map(|t| t.value),
        _ => unreachable!("an option of the catalog that is not read"),
    }
}

/// An option that only other methods have.
fn refuse_option(section: &Section<'_>, key: &'static str, method: &Method, family: Family) {
    let Some(place) = section.key_place(key) else {
        return;
    };
    let _ = section.has(key);
    let owners = catalog::METHODS
        .iter()
        .filter(|m| m.options.contains(&key) && m.serves(family));
    let owners: Vec<String> = owners.map(|m| format!("`{}`", m.name)).collect();
    section
        .problems()
        .error(place, format!("`{}` has no option `{key}`", method.name))
        .help(format!(
            "remove it, or use a method that has it: {}",
            owners.join(", ")
        ));
}

/// Keys that are sought elsewhere than they belong.
pub(super) const IN_RUN: &[(&str, &str)] = &[
    ("step", "in `[run]`"),
    ("steps", "in `[run]`"),
    ("duration", "in `[run]`"),
    ("every", "in `[run]`"),
    ("start_time", "in `[run]`"),
];

/// How far a model runs, and the time at its start.
fn read_schedule(section: Section<'_>) -> Option<(Schedule, f64)> {
    let step = section.required("step").number();
    let every = section.optional("every").count();
    let steps = section.optional("steps").count();
    let duration = section.optional("duration").number();
    let start = section.optional("start_time").number();
    let given = [section.key_place("steps"), section.key_place("duration")];
    let steps = match (given, &step) {
        // The later of the two is shown as the one too many, and an override is later than the model.
        ([Some(steps), Some(duration)], _) => section
            .problems()
            .error(duration, "both `steps` and `duration` say how long the run is")
            .or_at(steps)
            .help("keep one of them")
            .none(),
        ([None, None], _) => section
            .lacks(&["duration", "steps"], section.place(), "the run has no length")
            .help("add `duration = …` (in s) or `steps = …`")
            .none(),
        ([Some(_), None], _) => steps.map(|steps| steps.value),
        ([None, Some(_)], Some(step)) => duration.and_then(|d| whole_steps(&section, &d, step.value)),
        ([None, Some(_)], None) => None,
    };
    section.finish();
    let (step, steps) = (step?, steps?);
    let schedule = Schedule {
        step: step.value,
        steps: steps as u64,
        every: every.map_or(1, |every| every.value as u64),
    };
    Some((schedule, start.map_or(0.0, |start| start.value)))
}

/// How many steps make up the duration; a note if they do not fit.
fn whole_steps(section: &Section<'_>, duration: &Located<f64>, step: f64) -> Option<usize> {
    let exact = duration.value / step;
    if exact > MOST_STEPS as f64 {
        return section
            .problems()
            .error(
                duration.place.clone(),
                format!("that is {exact:.1e} steps, more than the {MOST_STEPS:.0e} allowed"),
            )
            .help("shorten `duration` or enlarge `step`")
            .none();
    }
    if exact < 0.5 {
        return section
            .problems()
            .error(
                duration.place.clone(),
                format!(
                    "`duration` is shorter than one step of {} s",
                    holonomy::decimal(step)
                ),
            )
            .help("enlarge `duration` or shorten `step`")
            .none();
    }
    let steps = exact.round();
    // A quotient of two decimals is off by a few units in the last place.
    if (exact - steps).abs() > 1e-9 * exact {
        let message = format!(
            "`duration` is not a whole number of steps; the run ends at {} s",
            holonomy::decimal(steps * step)
        );
        section.problems().note(duration.place.clone(), message);
    }
    Some(steps as usize)
}

fn read_output(section: Section<'_>, family: Family) -> Option<Written> {
    let asked = section.has("attitude");
    let names = section.has("record");
    let field = match asked || names {
        true => section.optional("format"),
        false => section.required("format"),
    };
    let format = field.choice();
    let sound = format.is_some() || !section.holds("format") && (asked || names);
    let record = match names {
        true => read_record(&section).map(Some),
        false => Some(None),
    };
    let attitude = match (asked, family) {
        (false, _) => Some(None),
        (true, Family::Tree) => rotation::order(&section, "attitude").map(Some),
        (true, _) => {
            let place = section.key_place("attitude").unwrap_or_else(|| section.place());
            section
                .problems()
                .error(place, "only bodies of trees have an attitude")
                .help("remove it; this model has no quaternions")
                .none()
        }
    };
    section.finish();
    let format = match format.map(|format| format.value) {
        Some("csv") => Format::Csv,
        Some("npz") => Format::Npz,
        _ => Format::Parquet,
    };
    sound.then_some(Written {
        format,
        attitude: attitude?,
        record: record?,
    })
}

/// Names of what is recorded: a list, or one.
fn read_record(section: &Section<'_>) -> Option<Wanted> {
    let own = |name: Located<&str>| name.map(str::to_owned);
    if section.text("record").is_some() {
        let name = own(section.optional("record").string()?);
        let place = name.place.clone();
        let names = vec![name];
        return Some(Wanted { names, place });
    }
    let Located { value, place } = section.optional("record").strings()?;
    let names = value.into_iter().map(own).collect();
    Some(Wanted { names, place })
}
