//! The same law between all pairs of bodies on one sphere, or between those that are near.
//!
//! ```text
//! kind = "lennard-jones"   4ε[(σ/r)¹² − (σ/r)⁶]
//! kind = "cotangent"       −γ cot θ
//! kind = "pairs"           energy = "k*exp(-r/l)", of r, theta, c = cos θ or s = (r/R)²
//! cutoff, switch, skin     the law fades out from `switch` to `cutoff`; lists of neighbours reach further by `skin`
//! ```
use super::{enough_but_not_too_many, sound};
use crate::{
    Located, Section,
    bodies::Bodies,
    lagrangian::{
        names::Names,
        texts::{define, scalar},
        values,
    },
};
use holonomy::{
    Vec3,
    formula::{Kind, Scope},
    potential::{Cotangent, Cutoff, KnownLaw, LennardJones, PairFormula, Potential},
    spheres::{Body, Point},
    system::Base,
};

pub(super) fn lennard_jones(
    section: &Section<'_>,
    bodies: Option<&Bodies>,
    _: &mut Vec<Point>,
) -> Option<Box<dyn Potential>> {
    let epsilon = section.required("epsilon").number();
    let sigma = section.required("sigma").number();
    let range = Reach::read(section);
    let bodies = sound(bodies)?;
    let radius = on_one_sphere(section, bodies)?;
    let range = range?;
    range.enough(section, bodies)?;
    apart(section, bodies, false)?;
    let law = LennardJones::new(epsilon?.value, sigma?.value, radius);
    range.between(KnownLaw::LennardJones(law), section, bodies, radius)
}

pub(super) fn cotangent(
    section: &Section<'_>,
    bodies: Option<&Bodies>,
    _: &mut Vec<Point>,
) -> Option<Box<dyn Potential>> {
    let strength = section.required("strength").number();
    let bodies = sound(bodies)?;
    on_one_sphere(section, bodies)?;
    enough_but_not_too_many(section, bodies, MOST_IN_PAIRS, "")?;
    apart(section, bodies, true)?;
    let law = Cotangent {
        strength: strength?.value,
    };
    Some(KnownLaw::Cotangent(law).summed(bodies.bodies.len(), None))
}

pub(super) fn formula(
    section: &Section<'_>,
    bodies: Option<&Bodies>,
    _: &mut Vec<Point>,
) -> Option<Box<dyn Potential>> {
    let text = section.required("energy").formula();
    let parameters = values::parameters_of(section, &[]);
    let range = Reach::read(section);
    let _ = section.has("definitions");
    let mut scope = Scope::new();
    scope.hint(
        "t",
        "a potential does not change with time; what does belongs in a model with `space = \"lagrangian\"`",
    );
    let mut ok = true;
    for (slot, name) in PairFormula::VARIABLES.into_iter().enumerate() {
        ok &= scope.variable(name, Kind::Scalar, slot).is_ok();
    }
    ok &= values::enter(&parameters, &mut scope, Some(section.problems()));
    let mut meanings = Names::of(scope);
    ok &= define(section, &mut meanings).is_some();
    let energy = scalar(&text?, "energy", &meanings, section.problems());
    let bodies = sound(bodies)?;
    let radius = on_one_sphere(section, bodies)?;
    let range = range?;
    range.enough(section, bodies)?;
    let energy = energy.filter(|_| ok)?;
    range.between(
        KnownLaw::Formula(PairFormula::new(&energy.formula, radius)),
        section,
        bodies,
        radius,
    )
}

/// How far a law reaches, if not everywhere.
struct Reach {
    cutoff: Option<Located<f64>>,
    switch: Option<Located<f64>>,
    skin: Option<Located<f64>>,
}

/// Where a law begins to fade out, and how much further lists reach, as parts of the cut-off, if it is not said: from
/// 2 σ to 2.5 σ, and 0.3 σ further.
const SWITCH: f64 = 0.8;
const SKIN: f64 = 0.12;

impl Reach {
    fn read(section: &Section<'_>) -> Option<Self> {
        let [cutoff, switch, skin] = ["cutoff", "switch", "skin"].map(|key| section.optional(key).number());
        let given = [("cutoff", &cutoff), ("switch", &switch), ("skin", &skin)];
        if given
            .into_iter()
            .any(|(key, value)| section.has(key) && value.is_none())
        {
            return None;
        }
        match (&cutoff, switch.as_ref().or(skin.as_ref())) {
            (None, Some(other)) => {
                let key = if switch.is_some() { "switch" } else { "skin" };
                let message = format!("`{key}` belongs to a `cutoff`, and there is none");
                section
                    .problems()
                    .error(other.place.clone(), message)
                    .help("add `cutoff`, the distance beyond which there is nothing")
                    .none()
            }
            _ => Some(Self { cutoff, switch, skin }),
        }
    }

    fn enough(&self, section: &Section<'_>, bodies: &Bodies) -> Option<()> {
        match self.cutoff {
            Some(_) => enough_but_not_too_many(section, bodies, usize::MAX, ""),
            None => {
                enough_but_not_too_many(section, bodies, MOST_IN_PAIRS, ", or any number with a `cutoff`")
            }
        }
    }

    fn between(
        &self,
        law: KnownLaw,
        section: &Section<'_>,
        bodies: &Bodies,
        radius: f64,
    ) -> Option<Box<dyn Potential>> {
        let count = bodies.bodies.len();
        let Some(cutoff) = &self.cutoff else {
            return Some(law.summed(count, None));
        };
        let problems = section.problems();
        let value =
            |given: &Option<Located<f64>>, part: f64| given.as_ref().map_or(part * cutoff.value, |x| x.value);
        let (inner, skin) = (value(&self.switch, SWITCH), value(&self.skin, SKIN));
        if cutoff.value >= 2.0 * radius {
            let message = "the cut-off is as large as the sphere, so that it cuts nothing off";
            problems.note(cutoff.place.clone(), message);
        }
        match Cutoff::new(inner / radius, cutoff.value / radius, skin / radius) {
            Ok(cutoff) => Some(law.summed(count, Some(cutoff))),
            Err(_) => {
                let place = self
                    .switch
                    .as_ref()
                    .map_or(cutoff.place.clone(), |switch| switch.place.clone());
                let message =
                    "`switch` must be less than `cutoff`: at a plain cut-off the energy jumps, and drifts";
                problems
                    .error(place, message)
                    .help(format!(
                        "leave `switch` out, and the law fades out from {} m on",
                        SWITCH * cutoff.value
                    ))
                    .none()
            }
        }
    }
}

/// The radius of the sphere that all bodies move on.
fn on_one_sphere(section: &Section<'_>, bodies: &Bodies) -> Option<f64> {
    let first = &bodies.bodies[0];
    let differs = |b: &&Body| b.base != first.base || b.length != first.length;
    let Some(other) = bodies.bodies.iter().find(differs) else {
        return Some(first.length);
    };
    let difference = match (first.base, other.base) {
        (_, Base::Site(_)) => "hangs on another body".to_owned(),
        _ if first.base != other.base => format!("has another pivot than `{}`", first.name),
        _ => format!("has another length than `{}`", first.name),
    };
    let message = format!(
        "bodies must move on one sphere, but `{}` {difference}",
        other.name
    );
    section
        .error(message)
        .help("give all bodies the same `pivot` and `length`, and no `parent`")
        .none()
}

/// Checks that no two bodies are at the same place at the start, nor at opposite ones if that matters.
fn apart(section: &Section<'_>, bodies: &Bodies, opposite: bool) -> Option<()> {
    // Bodies at one place are neighbours in the order along any line; this one is along no symmetry of a mesh.
    let line = Vec3::new(0.324_717_957, 0.618_033_989, 0.715_920_631);
    let ways: &[f64] = if opposite { &[1.0, -1.0] } else { &[1.0] };
    let places = |way: f64| {
        let all = bodies.directions.iter().enumerate();
        all.map(move |(i, direction)| (way * line.dot(direction), i, way))
    };
    let mut order: Vec<(f64, usize, f64)> = ways.iter().flat_map(|way| places(*way)).collect();
    holonomy::order::sort_by(&mut order, |a, b| a.0.total_cmp(&b.0));
    let near = |k: usize, l: usize| {
        let ((_, i, one), (_, j, other)) = (order[k], order[l]);
        let apart = bodies.directions[i] * one - bodies.directions[j] * other;
        (i != j && apart.norm() <= NEAR).then_some((i.min(j), i.max(j), one * other))
    };
    let found = (0..order.len()).filter_map(|k| {
        let close = (k + 1..order.len()).take_while(|l| order[*l].0 - order[k].0 <= 2.0 * NEAR);
        close.filter_map(|l| near(k, l)).min_by_key(|(i, j, _)| (*j, *i))
    });
    let Some((i, j, way)) = found.min_by_key(|(i, j, _)| (*j, *i)) else {
        return Some(());
    };
    let names = bodies.names();
    let place = match way < 0.0 {
        true => "opposite places",
        false => "the same place",
    };
    let message = format!(
        "`{}` and `{}` are at {place} at the start, where this potential is infinite",
        names[i], names[j]
    );
    section
        .error(message)
        .help("change the `direction` of one of them")
        .none()
}

/// Angle below which two bodies count as being at the same place, rad: rounding moves them by 1e-16.
const NEAR: f64 = 1e-7;
/// All pairs are visited at every step: a second or so for this many bodies.
const MOST_IN_PAIRS: usize = 50_000;
