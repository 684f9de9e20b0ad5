//! `[frame]`: quasi-velocities, their fields, and which of them are kept at zero.
use super::{
    Draft, Name, named, report,
    start::{self, Rates},
};
use crate::{
    formula::{Formula, Kind, Scope},
    hamel::{FormulaFrame, Frame, FrameDerivatives, FrameError, FrameFormulas, Hamel, Slots, Workspace},
    integrator::catalog::Mechanism,
    model::{FormulaText, Problems, Section, Spanned},
    system::{State, System},
};
use std::{ops::Range, sync::Arc};

/// A frame whose text was understood.
pub(super) struct Framed {
    names: Vec<Name>,
    slots: Slots,
    span: Range<usize>,
    fields: Vec<Vec<Formula>>,
    field_spans: Vec<Range<usize>>,
    constrained: Vec<usize>,
}

impl Framed {
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
        let text = |field: &Vec<Formula>| match &field[..] {
            [one] => one.to_string(),
            parts => {
                let parts: Vec<String> = parts.iter().map(Formula::to_string).collect();
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
pub(super) fn names<'a>(root: &Section<'a>) -> Vec<Spanned<&'a str>> {
    root.keys_within("frame", "fields")
}

/// Reads `[frame]`; within, `None` if there is none.
pub(super) fn read(
    root: &Section<'_>,
    names: &[Spanned<&str>],
    slots: Slots,
    scope: &Scope,
) -> Option<Option<Framed>> {
    let Some(section) = root.optional("frame").table() else {
        return (!root.has("frame")).then_some(None);
    };
    let problems = section.problems();
    let span = section.span();
    let all: Vec<Name> = names
        .iter()
        .map(|name| Name {
            text: name.value.to_owned(),
            kind: Kind::Scalar,
        })
        .collect();
    let constrained: Option<Vec<usize>> = match section.optional("constrained").strings() {
        Some(list) => {
            let each = list.value.iter();
            each.map(|name| named(&section, name, &all, "quasi-velocity"))
                .collect()
        }
        None => (!section.has("constrained")).then(Vec::new),
    };
    let fields = section
        .required("fields")
        .with("a field for every quasi-velocity")
        .table();
    let read = fields.map(|fields| {
        let mut list: Vec<Option<(Vec<Formula>, Range<usize>)>> = Vec::new();
        for key in fields.keys() {
            list.push(read_field(&fields, key.value, slots, scope));
        }
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
    if let Some(span) = root.key_span("constraint") {
        return problems
            .error(span, "a model with a `[frame]` has no `[[constraint]]`")
            .help("choose fields that satisfy it, or keep a quasi-velocity at zero with `constrained = [\"…\"]`")
            .none();
    }
    let constrained = constrained?;
    let (fields, field_spans): (Vec<_>, Vec<_>) =
        read?.into_iter().collect::<Option<Vec<_>>>()?.into_iter().unzip();
    if constrained.len() >= all.len() {
        return problems
            .error(span, "every quasi-velocity is constrained: nothing moves")
            .help("leave at least one of them free")
            .none();
    }
    Some(Some(Framed {
        names: all,
        slots,
        span,
        fields,
        field_spans,
        constrained,
    }))
}

/// A field: a list of formulas, or one that is a vector; together one component for every coordinate.
fn read_field<'a>(
    section: &Section<'a>,
    key: &'a str,
    slots: Slots,
    scope: &Scope,
) -> Option<(Vec<Formula>, Range<usize>)> {
    let (texts, span): (Vec<FormulaText<'_>>, Range<usize>) = if section.is_array(key) {
        let list = section.optional(key).formulas()?;
        (list.value, list.span)
    } else {
        let text = section.optional(key).formula()?;
        let span = text.span.clone();
        (vec![text], span)
    };
    let problems = section.problems();
    let parts: Vec<Option<Formula>> = texts
        .iter()
        .map(|text| match Formula::parse(text.value, scope) {
            Ok(formula) => Some(formula),
            Err(errors) => {
                for error in errors {
                    let span = text.locate(error.span.clone());
                    report(error, span, problems);
                }
                None
            }
        })
        .collect();
    let parts: Vec<Formula> = parts.into_iter().collect::<Option<_>>()?;
    let size = |formula: &Formula| if formula.kind() == Kind::Vector { 3 } else { 1 };
    let given: usize = parts.iter().map(size).sum();
    if given != slots.coordinates {
        let message = format!(
            "the field of `{key}` has {given} components, but there are {} coordinates",
            slots.coordinates
        );
        return problems
            .error(span, message)
            .help("give one component for every coordinate, in their order")
            .none();
    }
    Some((parts, span))
}

/// The mechanism and where it starts.
pub(super) fn build(framed: &Framed, draft: &Draft, problems: &Problems) -> Option<(Mechanism, State)> {
    let formulas = FrameFormulas {
        slots: framed.slots,
        fields: &framed.fields,
        lagrangian: &draft.lagrangian.formula,
        forces: &draft.force_formulas(),
        invariants: &draft.invariants,
    };
    let frame = match FormulaFrame::new(&formulas) {
        Ok(frame) => frame,
        Err(error) => {
            let span = match error {
                FrameError::FieldMoves { field } => &framed.field_spans[field],
                _ => &framed.span,
            };
            return problems.error(span.clone(), error.to_string()).none();
        }
    };
    let names: Vec<String> = framed.names.iter().map(|name| name.text.clone()).collect();
    let system = Hamel::new(
        Box::new(frame),
        &draft.component_names(),
        &names,
        &framed.constrained,
    )
    .with_periodic(&draft.periodic);
    let state = state(&system, framed, draft, problems)?;
    Some((Mechanism::Hamel(Arc::new(system)), state))
}

/// The state at the start, if the mechanism can start there.
fn state(system: &Hamel, framed: &Framed, draft: &Draft, problems: &Problems) -> Option<State> {
    let start = &draft.start;
    let (n, free) = (start.q.len(), system.free());
    let wrong = |span: &Range<usize>, undefined: crate::lagrangian::Undefined| {
        let message = format!("at the start {}", undefined.describe(system.layout()));
        problems.error(span.clone(), message);
    };
    let mut frame = Frame::default();
    if let Err(error) = system.mechanics().frame(&start.q, &mut frame) {
        wrong(&framed.span, error);
        return None;
    }
    if let Err(error) = system.brackets(&frame, &mut Default::default()) {
        wrong(&framed.span, error);
        return None;
    }
    let mut v = match &start.rates {
        Rates::Velocity(v) => v.clone(),
        Rates::Momentum(p) => vec![0.0; p.len()],
    };
    let mut xi = Vec::new();
    system.spread(&v, &mut xi);
    let mut derivatives = FrameDerivatives::default();
    if let Err(error) = system
        .mechanics()
        .lagrangian(0.0, &start.q, &xi, &mut derivatives)
    {
        wrong(&draft.lagrangian.span, error);
        return None;
    }
    let k = xi.len();
    let mass: Vec<f64> = free
        .iter()
        .flat_map(|i| free.iter().map(move |j| i * k + j))
        .map(|place| derivatives.xi_xi[place])
        .collect();
    let moving: Vec<String> = framed.free_names().iter().map(|name| name.text.clone()).collect();
    start::check_mass(&mass, &moving, "", &draft.lagrangian.span, problems)?;
    if let Rates::Momentum(p) = &start.rates
        && let Err(error) = system.solve_velocity(0.0, &start.q, p, &mut v, &mut Workspace::default())
    {
        wrong(&start.rates_span, error);
        return None;
    }
    let state = system.state(0.0, &start.q, &v);
    let (mut dq, mut dv) = (vec![0.0; n], vec![0.0; v.len()]);
    system.rate(0.0, &start.q, &v, &mut dq, &mut dv, &mut system.scratch());
    if !state.is_finite() || !dv.iter().all(|a| a.is_finite()) {
        match system.undefined(0.0, &start.q, &v, &mut system.scratch()) {
            Some(error) => wrong(&start.q_span, error),
            None => drop(problems.error(
                start.q_span.clone(),
                "the accelerations at the start are not finite",
            )),
        }
        return None;
    }
    Some(state)
}
