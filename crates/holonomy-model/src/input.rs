//! `[[input]]`: generalized forces that a program sets while it takes steps, and what they do by themselves.
//!
//! ```text
//! f = scale · (value(t) + Σ gain(t) (of − about(t)))
//! ```
//! What has neither `value` nor `feedback` is zero in a run of the command. What a program sets comes on top.
use crate::{
    Located, Place, Problems, Section,
    of_time::{OfTime, of_time},
    problem::{excerpt, suggestion},
};
use holonomy::{
    formula::{Formula, Scope},
    lagrangian::{Answer, AnswerTerm},
    system::Layout,
    tree::{Act, Seen, StateForce, StateLaw, Tree},
};
use std::{fmt::Write, sync::Arc};

/// A generalized force with a name.
#[derive(Clone, Debug)]
pub struct Input {
    /// What it is called.
    pub name: String,
    /// The velocity that it acts along, by its place among them.
    pub velocity: usize,
    /// The force for an input of one.
    pub scale: f64,
    /// The least that a search may choose, and the most; infinite where nothing is said.
    pub limits: (f64, f64),
    /// What it does by itself.
    pub own: Option<Own>,
}

/// What an input does in every run.
#[derive(Clone, Debug)]
pub struct Own {
    /// Without feedback.
    pub value: Option<OfTime>,
    /// What it answers to.
    pub feedback: Vec<Feedback>,
}

/// A number of the state, what it is to be, and how much an input answers to each unit that it is more.
#[derive(Clone, Debug)]
pub struct Feedback {
    /// The number.
    pub of: Watched,
    /// How much is added.
    pub gain: OfTime,
    /// What it is to be.
    pub about: OfTime,
}

/// A number of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watched {
    /// A coordinate, by its place among them.
    Coordinate(usize),
    /// A velocity, by its place among them.
    Velocity(usize),
}

/// An input as it was read.
pub(crate) struct Named {
    name: Located<String>,
    on: Located<String>,
    scale: f64,
    limits: (f64, f64),
    value: Option<OfTime>,
    feedback: Vec<(Located<String>, OfTime, OfTime)>,
    /// Where it says what it does by itself.
    own: Option<Place>,
}

/// Reads all inputs.
pub(crate) fn read(root: &Section<'_>) -> Vec<Named> {
    let mut all: Vec<Named> = Vec::new();
    for section in root.optional("input").tables() {
        let name = section.required("name").name();
        let on = section.required("on").string();
        let scale = section.optional("scale").number();
        let (min, max) = (section.optional("min").number(), section.optional("max").number());
        let value = of_time(&section, "value", section.optional("value"));
        let feedback = read_feedback(&section);
        let own = ["value", "feedback"].into_iter();
        let own = own
            .filter(|key| section.holds(key))
            .find_map(|key| section.value_place(key));
        let problems = section.problems();
        section.finish();
        let limits = (
            min.map_or(f64::NEG_INFINITY, |min| min.value),
            max.as_ref().map_or(f64::INFINITY, |max| max.value),
        );
        if let Some(max) = max.filter(|_| limits.0 > limits.1) {
            problems
                .error(max.place, "`max` is less than `min`")
                .help("exchange them");
        }
        let (Some(name), Some(on)) = (name, on) else {
            continue;
        };
        if all.iter().any(|other| other.name.value == name.value) {
            let message = format!("there are two inputs named `{}`", excerpt(name.value));
            problems.error(name.place, message).help("give one another name");
            continue;
        }
        all.push(Named {
            name: Located::new(name.value.to_owned(), name.place),
            on: Located::new(on.value.to_owned(), on.place),
            scale: scale.map_or(1.0, |scale| scale.value),
            limits,
            value,
            feedback,
            own,
        });
    }
    all
}

fn read_feedback(section: &Section<'_>) -> Vec<(Located<String>, OfTime, OfTime)> {
    let mut all = Vec::new();
    for section in section.optional("feedback").tables() {
        let of = section.required("of").string();
        let gain = of_time(&section, "gain", section.required("gain"));
        let about = of_time(&section, "about", section.optional("about"));
        section.finish();
        if let (Some(of), Some(gain)) = (of, gain) {
            let about = about.unwrap_or_else(|| OfTime::number(0.0));
            all.push((of.map(str::to_owned), gain, about));
        }
    }
    all
}

/// Finds what they act on. What they do by themselves they do to numbers that `fits` knows as such, and `otherwise` is why
/// not to others.
pub(crate) fn find(
    named: Vec<Named>,
    layout: &Layout,
    fits: &dyn Fn(Watched) -> bool,
    otherwise: &str,
    problems: &Problems,
) -> Vec<Input> {
    let mut inputs = Vec::with_capacity(named.len());
    for named in named {
        let Some(velocity) = velocity_named(&named.on.value, layout) else {
            unknown(&named.on, layout, problems);
            continue;
        };
        let mut own = None;
        if let Some(place) = named.own {
            if !fits(Watched::Velocity(velocity)) {
                let message = format!("`{}` does nothing by itself", excerpt(&named.name.value));
                problems.error(place, message).help(otherwise);
                continue;
            }
            let mut feedback = Vec::new();
            for (of, gain, about) in named.feedback {
                match watched(&of.value, layout) {
                    None => unknown(&of, layout, problems),
                    Some(found) if !fits(found) => {
                        let message = format!("`{}` is not fed back", excerpt(&of.value));
                        problems.error(of.place, message).help(otherwise);
                    }
                    Some(of) => feedback.push(Feedback { of, gain, about }),
                }
            }
            own = Some(Own {
                value: named.value,
                feedback,
            });
        }
        inputs.push(Input {
            name: named.name.value,
            velocity,
            scale: named.scale,
            limits: named.limits,
            own,
        });
    }
    inputs
}

fn unknown(name: &Located<String>, layout: &Layout, problems: &Problems) {
    let message = format!("nothing moves that is called `{}`", excerpt(&name.value));
    let report = problems.error(name.place.clone(), message);
    let names = layout.coordinates.iter().chain(layout.velocities.iter());
    let names: Vec<&str> = names.map(String::as_str).collect();
    if let Some(help) = suggestion(&name.value, names.iter().copied()) {
        report.help(help);
    }
}

/// The place of a velocity among all: by its own name, by that of its coordinate where each has one, or by that of the
/// joint that has no other (`elbow` for `omega.elbow`).
pub fn velocity_named(name: &str, layout: &Layout) -> Option<usize> {
    let own = layout.velocities.iter().position(|velocity| velocity == name);
    let paired = layout.coordinates.len() == layout.velocities.len();
    let coordinate = || {
        layout
            .coordinates
            .iter()
            .position(|coordinate| coordinate == name)
    };
    own.or_else(|| coordinate().filter(|_| paired))
        .or_else(|| of_joint(name, &layout.velocities))
}

/// A coordinate or a velocity by its own name, or as `elbow` and `elbow'` of a joint that has one of each.
pub fn watched(name: &str, layout: &Layout) -> Option<Watched> {
    let named = |list: &[String], name: &str| {
        let own = list.iter().position(|known| known == name);
        own.or_else(|| of_joint(name, list))
    };
    let coordinate = layout.coordinates.iter().position(|known| known == name);
    let velocity = layout.velocities.iter().position(|known| known == name);
    let rate = || named(&layout.velocities, name.strip_suffix('\'')?);
    (coordinate.map(Watched::Coordinate))
        .or_else(|| velocity.map(Watched::Velocity))
        .or_else(|| named(&layout.coordinates, name).map(Watched::Coordinate))
        .or_else(|| rate().map(Watched::Velocity))
}

/// Where a joint is that has one number in a list, `theta.elbow` or `omega.elbow`.
fn of_joint(name: &str, list: &[String]) -> Option<usize> {
    let is_it = |known: &String| known.split_once('.').is_some_and(|(_, joint)| joint == name);
    let mut found = list.iter().enumerate().filter(|(_, known)| is_it(known));
    let (place, _) = found.next()?;
    found.next().is_none().then_some(place)
}

/// What inputs do by themselves, as forces of generalized coordinates.
pub(crate) fn answers(inputs: &[Input]) -> Vec<Answer> {
    let function = |of: &OfTime| -> holonomy::lagrangian::OfTime {
        let of = of.clone();
        Box::new(move |t| of.at(t))
    };
    let each = inputs
        .iter()
        .filter_map(|input| Some((input, input.own.as_ref()?)));
    each.map(|(input, own)| Answer {
        on: input.velocity,
        scale: input.scale,
        value: function(own.value.as_ref().unwrap_or(&OfTime::number(0.0))),
        terms: (own.feedback.iter())
            .map(|term| {
                let (rate, number) = match term.of {
                    Watched::Coordinate(number) => (false, number),
                    Watched::Velocity(number) => (true, number),
                };
                AnswerTerm {
                    rate,
                    number,
                    gain: function(&term.gain),
                    about: function(&term.about),
                }
            })
            .collect(),
    })
    .collect()
}

/// The same, as forces of a tree that see its state.
pub(crate) fn state_forces(inputs: &[Input], tree: &Tree) -> Vec<StateForce> {
    let each = inputs
        .iter()
        .filter_map(|input| Some((input, input.own.as_ref()?)));
    each.filter_map(|(input, own)| {
        let (body, number) = tree.scalar_velocity(input.velocity)?;
        let mut scope = Scope::new();
        let mut seen = Vec::new();
        let mut add = |of: Seen| -> String {
            seen.push(of);
            let name = format!("x{}", seen.len());
            scope
                .variable(&name, holonomy::formula::Kind::Scalar, seen.len())
                .ok();
            name
        };
        let given = |of: &OfTime| {
            let of = of.clone();
            Seen::Given(Arc::new(move |t| of.at(t)))
        };
        let mut text = match &own.value {
            Some(value) => add(given(value)),
            None => "0".to_owned(),
        };
        for term in &own.feedback {
            let z = match term.of {
                Watched::Coordinate(place) => {
                    let (body, number) = tree.scalar_coordinate(place)?;
                    Seen::Coordinate(body, number)
                }
                Watched::Velocity(place) => {
                    let (body, number) = tree.scalar_velocity(place)?;
                    Seen::Velocity(body, number)
                }
            };
            let (gain, z, about) = (add(given(&term.gain)), add(z), add(given(&term.about)));
            let _ = write!(text, " + {gain}*({z} - {about})");
        }
        let formula = Formula::parse(&format!("{:e}*({text})", input.scale), &scope).ok()?;
        Some(StateForce {
            name: input.name.clone(),
            law: StateLaw::new(&[&formula], seen),
            act: Act::Effort { body, number },
        })
    })
    .collect()
}
