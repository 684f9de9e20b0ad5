//! What kinks cost: strings that tighten, stops, dry friction, `abs`, `min` and `max` in formulas.
//!
//! ```text
//! step over a kink, from x        e(n) = |Φ_{h/n}ⁿ(x) − Φ_{h/64}⁶⁴(x)|,   n = 1, 2, … 16
//! step beside all kinks           the same with n = 1
//! ```
//! in units of the largest coordinate and the largest momentum. A kink is resolved by the longest step h/n at which
//! e(n) is no more than the steps beside make of it at h. Crossings are looked for at every step that is taken again.
use super::{
    UNSEEN, reported,
    review::{Walk, stepped},
};
use crate::verdict::{Evidence, Judgement, Kinks, Quantity, Reason, Subject, Unmeasured, Verdict};
use holonomy::{
    integrator::Integrator,
    math,
    system::{Measurement, Mechanism, Scratch, State, System},
};
use holonomy_model::{Model, Table, Value};

/// States from which steps over kinks are tried, and as many beside them.
const MOST: usize = 16;
/// Parts of a step: those that are tried, and those of the step they are compared with.
const PARTS: [u64; 5] = [1, 2, 4, 8, 16];
const FINE: u64 = 64;
/// Steps that one state costs.
const COST: u64 = 31 + FINE;

/// Kinks of a run, crossed one by one.
pub(super) struct Crossings {
    names: Vec<String>,
    sides: Vec<f64>,
    next_sides: Vec<f64>,
    before: State,
    v: Vec<f64>,
    count: u64,
    crossed: Vec<bool>,
    over: Thinned,
    beside: Thinned,
}

/// Some states of many, evenly.
struct Thinned {
    kept: Vec<State>,
    seen: usize,
    stride: usize,
    most: usize,
}

impl Thinned {
    fn new(most: usize) -> Self {
        Self {
            kept: Vec::new(),
            seen: 0,
            stride: 1,
            most,
        }
    }

    fn offer(&mut self, state: &State) {
        if self.kept.len() == self.most && self.seen.is_multiple_of(self.stride) {
            let mut number = 0;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.stride *= 2;
        }
        if self.seen.is_multiple_of(self.stride) {
            self.kept.push(state.clone());
        }
        self.seen += 1;
    }
}

impl Crossings {
    /// `None` where nothing has kinks that can be followed; `budget` is the number of steps that may be tried.
    pub(super) fn new(
        model: &Model,
        system: &dyn System,
        scratch: &mut Scratch,
        budget: u64,
    ) -> Option<Self> {
        let names = system.kinks();
        if names.is_empty() || model.method.adaptive {
            return None;
        }
        let most = ((budget / (2 * COST)) as usize).clamp(2, MOST) / 2 * 2;
        let mut crossings = Self {
            crossed: vec![false; names.len()],
            names,
            sides: Vec::new(),
            next_sides: Vec::new(),
            before: model.state.clone(),
            v: vec![0.0; model.state.p.len()],
            count: 0,
            over: Thinned::new(most),
            beside: Thinned::new(most),
        };
        crossings.look(&model.state, system, scratch);
        std::mem::swap(&mut crossings.sides, &mut crossings.next_sides);
        Some(crossings)
    }

    fn look(&mut self, state: &State, system: &dyn System, scratch: &mut Scratch) {
        system.velocity(state.t, &state.q, &state.p, &mut self.v, scratch);
        system.sides(state, &self.v, &mut self.next_sides, scratch);
    }

    /// A step has led to this state.
    pub(super) fn see(&mut self, state: &State, system: &dyn System, scratch: &mut Scratch) {
        self.look(state, system, scratch);
        let mut over = 0;
        for (k, (now, before)) in self.next_sides.iter().zip(&self.sides).enumerate() {
            if (*now > 0.0) != (*before > 0.0) {
                over += 1;
                self.crossed[k] = true;
            }
        }
        self.count += over;
        match over {
            0 => self.beside.offer(&self.before),
            _ => self.over.offer(&self.before),
        }
        std::mem::swap(&mut self.sides, &mut self.next_sides);
        self.before.copy_from(state);
    }

    /// Tries shorter steps over the kinks, and beside them: what was found, and how many steps that took.
    pub(super) fn judged(
        self,
        walk: &mut Walk<'_>,
        method: &mut dyn Integrator,
        covered: Quantity,
    ) -> (Judgement, u64) {
        let model = walk.model;
        let mut names: Vec<String> = Vec::new();
        for (name, _) in self
            .names
            .into_iter()
            .zip(&self.crossed)
            .filter(|(_, crossed)| **crossed)
        {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let step = model.schedule.step;
        let mut kinks = Kinks {
            names,
            crossings: self.count,
            covered,
            step: Quantity::new(step, "s"),
            tried: self.over.kept.len() as u64,
            over: None,
            beside: None,
            energy: None,
            resolving: None,
            shortest: Quantity::new(step / PARTS[PARTS.len() - 1] as f64, "s"),
            unfollowed: unfollowed(model),
        };
        let mut trial = Trial {
            walk,
            method,
            taken: 0,
        };
        let mut over = [0.0_f64; PARTS.len()];
        let mut energy = 0.0_f64;
        let mut measured = 0;
        for state in &self.over.kept {
            let Some((errors, change)) = trial.errors(state, &PARTS) else {
                continue;
            };
            measured += 1;
            energy = math::larger(energy, change);
            over.iter_mut()
                .zip(errors)
                .for_each(|(most, e)| *most = math::larger(*most, e));
        }
        kinks.tried = measured;
        if measured > 0 {
            let mut beside = 0.0_f64;
            let found = self
                .beside
                .kept
                .iter()
                .filter_map(|state| trial.errors(state, &PARTS[..1]));
            for (errors, _) in found.collect::<Vec<_>>() {
                beside = math::larger(beside, errors[0]);
            }
            let bar = beside.max(UNSEEN);
            let resolved = over.iter().position(|e| *e <= bar);
            kinks.over = Some(over[0]);
            kinks.beside = Some(beside);
            kinks.energy = Some(Quantity::new(energy, "J"));
            kinks.resolving = resolved.map(|k| Quantity::new(step / PARTS[k] as f64, "s"));
        }
        let taken = trial.taken;
        let (verdict, reason) = match (&kinks.over, &kinks.resolving) {
            (None, _) if self.count == 0 => (Verdict::Neutral, Reason::NotCrossed),
            (None, _) => (Verdict::Neutral, Reason::Unknown),
            (Some(_), Some(resolving)) if resolving.value == step => (Verdict::Good, Reason::Resolved),
            _ => (Verdict::Doubtful, Reason::NotResolved),
        };
        let line = Judgement {
            verdict,
            reason,
            ..reported(Subject::Kinks, Evidence::Kinks(Box::new(kinks)))
        };
        (line, taken)
    }
}

/// What is said where there are kinks that were not followed; `None` where there are none.
pub(super) fn unmeasured(model: &Model, why: Unmeasured) -> Option<Judgement> {
    let hidden = unfollowed(model);
    let known = !model.mechanism.system().kinks().is_empty();
    if !known && hidden.is_empty() {
        return None;
    }
    let why = match (known, model.method.adaptive) {
        (false, _) => Unmeasured::InFormulas,
        (_, true) => Unmeasured::OwnSteps,
        _ => why,
    };
    Some(Judgement {
        reason: Reason::Unknown,
        ..reported(Subject::Kinks, Evidence::Missing { why })
    })
}

struct Trial<'a, 'w> {
    walk: &'a mut Walk<'w>,
    method: &'a mut dyn Integrator,
    taken: u64,
}

impl Trial<'_, '_> {
    /// `e(n)` of the given parts, and by how much the energy less the work changes otherwise over the whole step than in
    /// fine ones; `None` where a step fails, or no more are to be taken.
    fn errors(&mut self, state: &State, parts: &[u64]) -> Option<(Vec<f64>, f64)> {
        let (fine, exact) = self.end(state, FINE)?;
        let [unit, momentum] = self
            .walk
            .scales
            .map(|scale| if scale > 0.0 { scale } else { 1.0 });
        let largest = |a: &[f64], b: &[f64]| {
            let each = a.iter().zip(b).map(|(a, b)| (a - b).abs());
            each.fold(0.0, math::larger)
        };
        let mut change = 0.0;
        let mut errors = Vec::with_capacity(parts.len());
        for n in parts {
            let (end, energy) = self.end(state, *n)?;
            if *n == 1 {
                change = (energy - exact).abs();
            }
            let error = largest(&end.q, &fine.q) / unit;
            errors.push(math::larger(error, largest(&end.p, &fine.p) / momentum));
        }
        Some((errors, change))
    }

    /// Where so many parts of a step lead, and the energy there less the work on the way.
    fn end(&mut self, state: &State, parts: u64) -> Option<(State, f64)> {
        if !(self.walk.go_on)() {
            return None;
        }
        let part = self.walk.model.schedule.step / parts as f64;
        let mut end = state.clone();
        end.carry.clear();
        end.work.fill(0.0);
        for k in 1..=parts {
            self.taken += 1;
            if !stepped(self.method, &mut end, state.t, k, part) {
                return None;
            }
        }
        let mut measured = Measurement::default();
        self.walk
            .system
            .measure(&end, &mut measured, &mut self.walk.scratch);
        let energy = measured.energy.total() - end.work.iter().sum::<f64>();
        Some((end, energy))
    }
}

/// Where formulas of trees and of bodies on spheres have kinks whose crossings nobody follows: those of potentials, springs
/// and drives, and those of forces that see multipliers.
fn unfollowed(model: &Model) -> Vec<String> {
    let mut found = Vec::new();
    if let Mechanism::Tree(tree) = &model.mechanism {
        found.extend(tree.unwatched_kinks().iter().cloned());
    }
    if !matches!(model.mechanism, Mechanism::Lagrangian(_)) {
        look_into(&model.table, "", &mut found);
    }
    found
}

/// Sections whose formulas are followed, or are those of numbers that stay.
const FOLLOWED: &[&str] = &[
    "wrench",
    "force",
    "parameters",
    "output",
    "goal",
    "bound",
    "control",
];

fn look_into(table: &Table, within: &str, found: &mut Vec<String>) {
    for (key, value) in table.iter() {
        let path = match within {
            "" => key.to_owned(),
            within => format!("{within}.{key}"),
        };
        let effort = table.get("effort");
        if key == "effort_limit" {
            // A table of efforts that is cut off.
            if effort.is_none_or(|effort| effort.as_text().is_none()) {
                found.push(path);
            }
            continue;
        }
        if key == "effort" || (within.is_empty() && FOLLOWED.contains(&key)) {
            continue;
        }
        look_at(value, &path, found);
    }
}

fn look_at(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Text(text)
            if ["abs(", "min(", "max(", "clamp("]
                .iter()
                .any(|kink| text.contains(kink))
                && !found.iter().any(|known| known == path) =>
        {
            found.push(path.to_owned());
        }
        Value::List(list) => {
            for (number, entry) in list.iter().enumerate() {
                match entry {
                    Value::Table(table) => {
                        let name = table.get("name").and_then(Value::as_text);
                        let name = name.map_or_else(|| (number + 1).to_string(), str::to_owned);
                        look_into(table, &format!("{path}.{name}"), found);
                    }
                    other => look_at(other, path, found),
                }
            }
        }
        Value::Table(table) => look_into(table, path, found),
        _ => {}
    }
}
