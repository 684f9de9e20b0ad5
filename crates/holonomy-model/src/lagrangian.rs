//! `space = "lagrangian"`: coordinates, parameters, formulas, and how it starts.
mod consistent;
mod describe;
mod frame;
pub(super) mod names;
mod parts;
mod picture;
mod start;
pub(super) mod texts;
pub(super) mod values;

use super::{Input, Place, Problems, Section, input};
use frame::Framed;
use holonomy::{
    formula::Formula,
    lagrangian::{Fed, FormulaMechanics, Formulas, Lagrangian, LagrangianError, Mechanics, Slots},
    system::{Layout, Mechanism, State, Undefined},
};
use names::{Name, Names};
use picture::Pictured;
use start::Start;
use std::sync::Arc;
use texts::Written;

/// A mechanism in generalized coordinates whose text was understood.
pub(super) struct LagrangianDraft {
    coordinates: Vec<Name>,
    periodic: Vec<usize>,
    definitions: Vec<Written>,
    lagrangian: Written,
    forces: Vec<Written>,
    constraints: Vec<Written>,
    invariants: Vec<Written>,
    frame: Option<Framed>,
    picture: Pictured,
    start: Start,
    /// For people.
    parameters: Vec<(String, Vec<f64>)>,
    definition_texts: Vec<(String, String)>,
}

/// Keys that are sought in a model on spheres.
pub(super) const HOMES: &[(&str, &str)] = &[
    ("coordinates", HERE),
    ("parameters", HERE),
    ("definitions", HERE),
    ("lagrangian", HERE),
    ("force", HERE),
    ("constraint", HERE),
    ("velocity", HERE),
    ("momentum", HERE),
    ("periodic", HERE),
    ("invariants", HERE),
    ("frame", HERE),
    ("points", HERE),
    ("line", HERE),
    ("up", HERE),
];
const HERE: &str = "in a model with `space = \"lagrangian\"`";

/// Keys of a model on spheres.
const ELSEWHERE: &[(&str, &str)] = &[
    ("body", THERE),
    ("chain", THERE),
    ("grid", THERE),
    ("icosphere", THERE),
    ("spiral", THERE),
    ("inertia", THERE),
    ("potential", THERE),
    ("swirl", THERE),
];
const THERE: &str = "in a model with `space = \"spheres\"`";

pub(super) fn read(root: &Section<'_>) -> Option<LagrangianDraft> {
    // Everything is read even if something is wrong, for the sake of its own mistakes.
    let listed = names::coordinates(root);
    let quasi_velocities = frame::names(root);
    let known: Vec<&str> = listed.iter().flatten().map(|name| name.value).collect();
    let parameters = values::read_parameters(root, &known);
    root.problems().set_constants(values::scope_of(&parameters));
    let mut names = Names::declare(root, listed.as_deref(), &quasi_velocities);
    let mut sound = values::enter(
        &parameters,
        &mut names.scope,
        names.judged.then(|| root.problems()),
    );
    let definitions = texts::define(root, &mut names);
    sound &= names.sound && definitions.is_some();

    let lagrangian = root
        .required("lagrangian")
        .formula()
        .and_then(|text| texts::scalar(&text, "lagrangian", &names, root.problems()));
    let forces = parts::read_forces(root, &names);
    let constraints = parts::read_constraints(root, &names);
    let invariants = parts::read_invariants(root, &names);
    let periodic = parts::read_periodic(root, &names);
    let frame = frame::read(root, &quasi_velocities, &names);
    let picture = picture::read(root, &names);
    let moving: Option<Vec<Name>> = match &frame {
        Some(Some(frame)) => Some(frame.free_names()),
        Some(None) if frame::is_misspelt(root) => None,
        Some(None) => names.coordinates().map(<[Name]>::to_vec),
        None => None,
    };
    let constrained = frame
        .iter()
        .flatten()
        .flat_map(Framed::constrained_names)
        .collect();
    let constants = values::Constants::new(&parameters, &known);
    let reader = start::Reader {
        names: names.coordinates(),
        moving: moving.as_deref(),
        constrained,
        constants,
    };
    let start = reader.read(root);
    root.refuse(ELSEWHERE);
    if !sound {
        return None;
    }
    Some(LagrangianDraft {
        coordinates: names.list,
        periodic: periodic?,
        definitions: definitions?,
        lagrangian: lagrangian?,
        forces: forces?,
        constraints: constraints?,
        invariants: invariants?,
        frame: frame?,
        picture: picture?,
        start: start?,
        parameters: parameters
            .iter()
            .filter_map(values::Parameter::described)
            .collect(),
        definition_texts: names.scope.definitions().collect(),
    })
}

impl LagrangianDraft {
    /// The mechanism and where it starts.
    pub(super) fn build(
        mut self,
        known: Option<&Mechanism>,
        t: f64,
        inputs: Vec<input::Named>,
        problems: &Problems,
    ) -> Option<(Mechanism, State, Vec<Input>)> {
        self.start.t = t;
        let fits = |_| self.frame.is_none();
        let otherwise = "write `[force]` on the coordinates: in a frame inputs are set by programs";
        let coordinates = self.component_names();
        let velocities: Vec<String> = match &self.frame {
            Some(framed) => (framed.free_names().into_iter()).map(|name| name.text).collect(),
            None => coordinates.iter().map(|name| format!("{name}'")).collect(),
        };
        let named = Layout {
            coordinates: coordinates.into(),
            velocities: velocities.into(),
            ..Layout::default()
        };
        let inputs = input::find(inputs, &named, &fits, otherwise, problems);
        let seen = |system| self.picture.show(system, &self.start.q);
        let made = || match self.system(&inputs).and_then(seen) {
            Ok(system) => {
                let definitions: Vec<(String, Formula)> = (self.definitions.iter())
                    .map(|written| (written.name.clone(), written.formula.clone()))
                    .collect();
                let system = system.with_periodic(&self.periodic);
                Some(Arc::new(system.with_definitions(self.slots(), &definitions)))
            }
            Err(error) => {
                let frame = self.frame.as_ref().map(|frame| frame.place_of(&error));
                let place = frame.unwrap_or(&self.lagrangian.place);
                problems.error(place.clone(), error.to_string()).none()
            }
        };
        let system = match known {
            Some(Mechanism::Lagrangian(system)) => system.clone(),
            _ => made()?,
        };
        let state = match &self.frame {
            Some(framed) => frame::state(&system, framed, &self, problems)?,
            None => start::state(&system, &self, problems)?,
        };
        Some((Mechanism::Lagrangian(system), state, inputs))
    }

    fn system(&self, inputs: &[Input]) -> Result<Lagrangian, LagrangianError> {
        let names = self.component_names();
        let constraints: Vec<Formula> = self.constraints.iter().map(|g| g.formula.clone()).collect();
        let formulas = Formulas {
            slots: self.slots(),
            lagrangian: &self.lagrangian.formula,
            fields: &self.frame.as_ref().map_or_else(Vec::new, Framed::field_formulas),
            forces: &self.force_formulas(),
            constraints: &constraints,
            invariants: &self.invariant_formulas(),
        };
        let mut mechanics: Box<dyn Mechanics> = Box::new(FormulaMechanics::new(&formulas)?);
        let answers = input::answers(inputs);
        let fed = !answers.is_empty();
        if fed {
            mechanics = Box::new(Fed::new(mechanics, answers));
        }
        let multipliers: Vec<String> = self.constraints.iter().map(|g| g.name.clone()).collect();
        let Some(framed) = &self.frame else {
            let system = Lagrangian::new(mechanics, &names)?.with_multipliers(multipliers);
            // What inputs do may change the momenta of all vectors together.
            let vectors = if fed { Vec::new() } else { self.vectors() };
            return Ok(system.with_vectors(&formulas, &vectors));
        };
        let quasi_velocities: Vec<String> = framed.names.iter().map(|name| name.text.clone()).collect();
        let system = Lagrangian::in_frame(mechanics, &names, &quasi_velocities, &framed.constrained)?;
        Ok(system.with_multipliers(multipliers))
    }

    fn slots(&self) -> Slots {
        let without_frame = Slots {
            coordinates: self.coordinates.iter().map(Name::size).sum(),
            quasi_velocities: 0,
        };
        self.frame.as_ref().map_or(without_frame, |frame| frame.slots)
    }

    fn component_names(&self) -> Vec<String> {
        self.coordinates.iter().flat_map(Name::components).collect()
    }

    /// The numbers of the first components of its vectors.
    fn vectors(&self) -> Vec<usize> {
        let mut first = 0;
        let mut vectors = Vec::new();
        for name in &self.coordinates {
            vectors.extend((name.size() == 3).then_some(first));
            first += name.size();
        }
        vectors
    }

    /// Forces on all components, or none.
    fn force_formulas(&self) -> Vec<Formula> {
        self.forces.iter().map(|force| force.formula.clone()).collect()
    }

    fn invariant_formulas(&self) -> Vec<(String, Formula)> {
        let each = self.invariants.iter();
        each.map(|written| (written.name.clone(), written.formula.clone()))
            .collect()
    }

    /// Reports that something has no value at the start, where it is written.
    fn undefined(
        &self,
        undefined: Undefined,
        suspects: &[Written],
        otherwise: &Place,
        layout: &Layout,
        problems: &Problems,
    ) {
        let place = match undefined {
            Undefined::Expression { number, .. } => {
                let text = layout.words.expressions.get(number as usize);
                let text = text.map_or("", |part| part.text.as_str());
                let all = suspects.iter().chain(&self.definitions);
                all.filter_map(|written| written.find(text)).next()
            }
            _ => None,
        };
        let message = format!("at the start {}", undefined.describe(layout));
        problems
            .error(place.unwrap_or_else(|| otherwise.clone()), message)
            .help("start elsewhere, or change the parameters");
    }
}
