//! `[frame]`: quasi-velocities, their fields, and which of them are kept at zero.
use super::{
    LagrangianDraft,
    consistent::Consistent,
    names::{Name, Names, named},
    start::{self, Rates},
    texts::{self, Components, Written, depends},
};
use crate::{Located, Place, Problems, Section, nearest, problem::excerpt};
use holonomy::{
    formula::{Formula, Kind},
    lagrangian::{Derivatives, FrameFields, Lagrangian, LagrangianError, LagrangianWorkspace, Slots},
    system::{State, System, Undefined},
};
/// A frame whose text was understood.
pub(super) struct Framed {
    pub(super) names: Vec<Name>,
    pub(super) slots: Slots,
    place: Place,
    fields: Vec<FrameField>,
    pub(super) constrained: Vec<usize>,
}

/// The components of a field.
struct FrameField {
    parts: Vec<Written>,
    place: Place,
}

impl Framed {
    /// The formulas of the components, field by field.
    pub(super) fn field_formulas(&self) -> Vec<Vec<Formula>> {
        let parts = |field: &FrameField| field.parts.iter().map(|part| part.formula.clone()).collect();
        self.fields.iter().map(parts).collect()
    }

    /// What an error is about.
    pub(super) fn place_of(&self, error: &LagrangianError) -> &Place {
        match error {
            LagrangianError::FieldMoves { field } => &self.fields[*field].place,
            _ => &self.place,
        }
    }

    /// Fields that do not make a frame at the start.
    fn report_singular(&self, undefined: Undefined, problems: &Problems) {
        let name = |field: u32| self.names.get(field as usize).map_or("", |name| &name.text);
        let place = |field: u32| {
            let field = self.fields.get(field as usize);
            field.map_or_else(|| self.place.clone(), |field| field.place.clone())
        };
        match undefined {
            Undefined::DependentField { field } => {
                let message = format!(
                    "at the start the field of `{}` is a combination of those before it",
                    name(field)
                );
                problems
                    .error(place(field), message)
                    .help("choose fields that are independent there, or start elsewhere");
            }
            Undefined::OpenBracket { fields: [i, j] } => {
                let message = format!(
                    "the frame is not closed at the start: the bracket of the fields of `{}` and `{}` is not a \
                     combination of its fields",
                    name(i),
                    name(j)
                );
                problems
                    .error(place(j), message)
                    .help("add the field that is missing, in `constrained` if nothing moves along it");
            }
            _ => drop(problems.error(self.place.clone(), "the frame is singular at the start")),
        }
    }

    /// The quasi-velocities that move.
    pub(super) fn free_names(&self) -> Vec<Name> {
        let free = |(i, _): &(usize, &Name)| !self.constrained.contains(i);
        let all = self.names.iter().enumerate();
        all.filter(free).map(|(_, name)| name.clone()).collect()
    }
}

impl Framed {
    /// The fields as text, by quasi-velocity.
    pub(super) fn described(&self) -> Vec<(String, String)> {
        let text = |field: &FrameField| match &field.parts[..] {
            [one] => one.formula.to_string(),
            parts => {
                let parts: Vec<String> = parts.iter().map(|part| part.formula.to_string()).collect();
                format!("[{}]", parts.join(", "))
            }
        };
        let fields = self.fields.iter().map(text);
        self.names
            .iter()
            .map(|name| name.text.clone())
            .zip(fields)
            .collect()
    }

    /// The quasi-velocities that are kept at zero.
    pub(super) fn constrained_names(&self) -> Vec<String> {
        self.constrained
            .iter()
            .map(|i| self.names[*i].text.clone())
            .collect()
    }
}

/// The names of the quasi-velocities.
pub(super) fn names<'a>(root: &Section<'a>) -> Vec<Located<&'a str>> {
    root.keys_within(&["frame", "fields"])
}

/// Whether there is something that was meant to be a frame.
pub(super) fn is_misspelt(root: &Section<'_>) -> bool {
    let mut others = root.keys().filter(|key| key.value != "frame");
    others.any(|key| nearest(key.value, ["frame"]).is_some())
}

/// Reads `[frame]`; within, `None` if there is none.
pub(super) fn read(
    root: &Section<'_>,
    quasi_velocities: &[Located<&str>],
    names: &Names,
) -> Option<Option<Framed>> {
    let Some(section) = root.optional("frame").table() else {
        return (!root.has("frame")).then_some(None);
    };
    let problems = section.problems();
    let place = section.place();
    let all: Vec<Name> = quasi_velocities
        .iter()
        .map(|name| Name {
            text: name.value.to_owned(),
            kind: Kind::Scalar,
        })
        .collect();
    let constrained = read_constrained(&section, &all);
    let astray: Vec<&str> = section.keys().map(|key| key.value).collect();
    let astray: Vec<&str> = astray.into_iter().filter(|key| section.is_array(key)).collect();
    if !section.holds("fields") && astray.iter().any(|key| *key != "constrained") {
        let _ = section.has("fields");
        for key in astray {
            section.refuse(&[(key, "in `[frame.fields]`")]);
        }
        section.finish();
        return None;
    }
    let fields = section
        .required("fields")
        .with("a field for every quasi-velocity")
        .table();
    let read = fields.map(|fields| {
        let keys = fields.keys();
        let mut list: Vec<Option<FrameField>> =
            keys.map(|key| read_field(&fields, key.value, names)).collect();
        if list.is_empty() {
            fields.error("there are no quasi-velocities").help(
                "name at least one, with its field: `forward = [\"cos(theta)\", \"sin(theta)\", \"0\"]`",
            );
            list.push(None);
        }
        fields.finish();
        list
    });
    section.finish();
    let constrained = constrained?;
    let fields: Vec<FrameField> = read?.into_iter().collect::<Option<_>>()?;
    if constrained.len() >= all.len() {
        return problems
            .error(place, "every quasi-velocity is constrained: nothing moves")
            .help("leave at least one of them free")
            .none();
    }
    Some(Some(Framed {
        names: all,
        slots: names.slots,
        place,
        fields,
        constrained,
    }))
}

/// `constrained`: the numbers of the quasi-velocities that stay zero.
fn read_constrained(section: &Section<'_>, all: &[Name]) -> Option<Vec<usize>> {
    let Some(list) = section.optional("constrained").strings() else {
        return (!section.has("constrained")).then(Vec::new);
    };
    let mut found = Vec::new();
    for name in &list.value {
        // Without fields nothing is known, which is reported there.
        let index = (!all.is_empty()).then(|| named(section, name, all, "quasi-velocity"))??;
        if found.contains(&index) {
            return section
                .problems()
                .error(
                    name.place.clone(),
                    format!("`{}` is listed twice", excerpt(name.value)),
                )
                .help("remove one of them")
                .none();
        }
        found.push(index);
    }
    Some(found)
}

/// A field: a list of formulas, or one that is a vector; together one component for every coordinate.
fn read_field<'a>(section: &Section<'a>, key: &'a str, names: &Names) -> Option<FrameField> {
    let problems = section.problems();
    let Components { parts, place, given } = texts::components(section, key, |text| {
        texts::understood(text, key, None, names, problems)
    })?;
    let slots = names.slots;
    if given != slots.coordinates && names.sound {
        let message = format!(
            "the field of `{key}` has {given} component{}, but there are {} coordinates",
            if given == 1 { "" } else { "s" },
            slots.coordinates
        );
        return problems
            .error(place, message)
            .help("give one component for every coordinate, in their order")
            .none();
    }
    let moving = slots.moving();
    let mut still = true;
    for part in &parts {
        let what = match () {
            () if depends(&part.formula, &moving) => "a velocity",
            () if depends(&part.formula, &[slots.time()]) => "time",
            () => continue,
        };
        still = false;
        let message = format!("a field is a function of the coordinates, but this one has {what} in it");
        problems
            .error(part.place.clone(), message)
            .help("time and velocities can be in `lagrangian` and in `[force]`");
    }
    still.then_some(FrameField { parts, place })
}

/// The state at the start, if the mechanism can start there.
pub(super) fn state(
    system: &Lagrangian,
    framed: &Framed,
    draft: &LagrangianDraft,
    problems: &Problems,
) -> Option<State> {
    let start = &draft.start;
    let (n, free, t) = (start.q.len(), system.free(), start.t);
    let undefined = |suspects: &[Written], error: Undefined| {
        let place = suspects.first().map_or(&start.q_place, |written| &written.place);
        draft.undefined(error, suspects, place, system.layout(), problems);
    };
    let mut frame = FrameFields::default();
    if let Err(error) = system.mechanics().frame(&start.q, &mut frame) {
        let parts = framed.fields.iter().flat_map(|field| &field.parts);
        let suspects: Vec<Written> = parts.cloned().collect();
        undefined(&suspects, error);
        return None;
    }
    if let Err(error) = system.brackets(&frame, &mut Default::default()) {
        framed.report_singular(error, problems);
        return None;
    }
    let mut v = match &start.rates {
        Rates::Velocity(v) => v.clone(),
        Rates::Momentum(p) => vec![0.0; p.len()],
    };
    let mut xi = Vec::new();
    system.spread(&v, &mut xi);
    let mut derivatives = Derivatives::default();
    if let Err(error) = system.mechanics().lagrangian(t, &start.q, &xi, &mut derivatives) {
        undefined(std::slice::from_ref(&draft.lagrangian), error);
        return None;
    }
    if let Err(error) = system
        .mechanics()
        .force(t, &start.q, &xi, &mut Default::default())
    {
        undefined(&draft.forces, error);
        return None;
    }
    let k = xi.len();
    let mass: Vec<f64> = free
        .iter()
        .flat_map(|i| free.iter().map(move |j| i * k + j))
        .map(|place| derivatives.vv[place])
        .collect();
    let moving: Vec<String> = framed.free_names().iter().map(|name| name.text.clone()).collect();
    start::check_mass(&mass, &moving, "", &draft.lagrangian.place, problems)?;
    if let Rates::Momentum(p) = &start.rates
        && system
            .solve_velocity(t, &start.q, p, &mut v, &mut LagrangianWorkspace::default())
            .is_err()
    {
        return problems
            .error(start.rates_place.clone(), "no velocity has this momentum")
            .help("give `[velocity]` instead")
            .none();
    }
    let (q, v) = Consistent::new(system, draft, problems, &mass).start(&start.q, v)?;
    system.spread(&v, &mut xi);
    let invariant = system
        .mechanics()
        .invariant(t, &q, &xi, &mut Vec::new(), &mut Default::default());
    if let Err(error) = invariant {
        undefined(&draft.invariants, error);
        return None;
    }
    let state = match system.state(t, &q, &v) {
        Ok(state) => state,
        Err(error) => return problems.error(start.q_place.clone(), error.to_string()).none(),
    };
    let (mut dq, mut dv) = (vec![0.0; n], vec![0.0; v.len()]);
    system.rate(t, &q, &v, &mut dq, &mut dv, &mut system.scratch());
    if !state.is_finite() || !dv.iter().all(|a| a.is_finite()) {
        match system.undefined(t, &q, &v, &mut system.scratch()) {
            Some(error) => undefined(&[], error),
            None => drop(problems.error(
                start.q_place.clone(),
                "the accelerations at the start are not finite",
            )),
        }
        return None;
    }
    let mut again = v.clone();
    let found = system.solve_velocity(t, &q, &state.p, &mut again, &mut LagrangianWorkspace::default());
    start::check_inverse(
        &v,
        found.is_ok().then_some(&again),
        &draft.lagrangian.place,
        problems,
    )?;
    Some(state)
}
