//! `[state]`: a start that is given by its numbers, as that of a run that goes on from another.
use crate::{Located, Place, Problems, Section, problem::excerpt};
use holonomy::system::{Layout, Measurement, Mechanism, State};

/// A start as it was read.
pub(crate) struct GivenState {
    t: Option<f64>,
    q: Located<Vec<f64>>,
    v: Located<Vec<f64>>,
    place: Place,
}

/// A constraint off by so much was not met by another run of the same mechanism.
const VIOLATED: f64 = 1e-3;
/// Unit vectors and quaternions as a run leaves them are closer to one than this.
const UNIT: f64 = 1e-6;

/// Reads `[state]`; `None` if there is none, or a wrong one.
pub(crate) fn read(root: &Section<'_>) -> Option<GivenState> {
    let section = root.optional("state").table()?;
    let t = section.optional("t").number();
    let numbers = |key: &'static str| {
        let given = section.required(key).numbers()?;
        let values = given.value.iter().map(|number| number.value).collect();
        Some(Located::new(values, given.place))
    };
    let (q, v) = (numbers("q"), numbers("v"));
    let place = section.place();
    section.finish();
    Some(GivenState {
        t: t.map(|t| t.value),
        q: q?,
        v: v?,
        place,
    })
}

impl GivenState {
    /// The state of a mechanism, in place of the one that its bodies give.
    pub(crate) fn state(self, mechanism: &Mechanism, start: State, problems: &Problems) -> Option<State> {
        let system = mechanism.system();
        let layout = system.layout();
        let mut sound = true;
        for (what, given, wanted) in [
            ("coordinates", &self.q, layout.coordinates.len()),
            ("velocities", &self.v, layout.velocities.len()),
        ] {
            if given.value.len() != wanted {
                sound = false;
                let message = format!(
                    "there are {} {what}, and the model has {wanted}",
                    given.value.len()
                );
                problems.error(given.place.clone(), message).help(format!(
                    "give one number for each, or leave out `[state]`: {}",
                    order(what, layout)
                ));
            }
        }
        if !sound || !self.has_unit_vectors(mechanism, layout, problems) {
            return None;
        }
        let mut p = vec![0.0; self.v.value.len()];
        let t = self.t.unwrap_or(start.t);
        system.momentum(t, &self.q.value, &self.v.value, &mut p, &mut system.scratch());
        let mut state = State::new(t, self.q.value, p);
        state.lambda = vec![0.0; start.lambda.len()];
        state.work = vec![0.0; start.work.len()];
        let mut measured = Measurement::default();
        system.measure(&state, &mut measured, &mut system.scratch());
        if let Some(off) = measured.constraint.filter(|off| *off > VIOLATED) {
            return problems
                .error(
                    self.place,
                    format!("this state does not meet the constraints of the model: one is off by {off:.1e}"),
                )
                .help("change the model back where they are made, or leave out `[state]`")
                .none();
        }
        Some(state)
    }

    fn has_unit_vectors(&self, mechanism: &Mechanism, layout: &Layout, problems: &Problems) -> bool {
        let places: Vec<(usize, usize)> = match mechanism {
            Mechanism::Spheres(spheres) => (0..spheres.len()).map(|k| (3 * k, 3)).collect(),
            _ => layout.rotations.iter().map(|(first, _)| (*first, 4)).collect(),
        };
        let length = |(first, count): (usize, usize)| {
            let numbers = &self.q.value[first..first + count];
            numbers.iter().map(|x| x * x).sum::<f64>().sqrt()
        };
        let wrong = places
            .into_iter()
            .find(|place| !((length(*place) - 1.0).abs() <= UNIT));
        if let Some(place) = wrong {
            let name = layout.coordinates.one(place.0).unwrap_or_default();
            let message = format!(
                "the numbers from `{}` on have length {}, not 1",
                excerpt(&name),
                length(place)
            );
            problems
                .error(self.q.place.clone(), message)
                .help("divide them by their length");
        }
        wrong.is_none()
    }
}

/// The order of the numbers.
fn order(what: &str, layout: &Layout) -> String {
    const SHOWN: usize = 6;
    let names = match what {
        "coordinates" => &layout.coordinates,
        _ => &layout.velocities,
    };
    let shown: Vec<String> = (0..SHOWN).filter_map(|k| names.one(k)).collect();
    let more = if names.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
