//! `[start]` with `[velocity]` or `[momentum]`, and whether a mechanism can start there.
//!
//! ```text
//! M = ∂²L/∂v²                     must not be singular
//! ```
use super::{
    LagrangianDraft,
    consistent::Consistent,
    names::{Name, named},
    texts::Written,
    values::{self, Amount, Constants},
};
use crate::{Located, Place, Problems, Section, nearest};
use holonomy::{
    lagrangian::{Derivatives, GeneralizedForce, Lagrangian, LagrangianWorkspace},
    system::{State, System, Undefined},
};
use nalgebra::DMatrix;

/// Where a motion starts.
pub(super) struct Start {
    /// When, s: as `[run]` says.
    pub(super) t: f64,
    pub(super) q: Vec<f64>,
    pub(super) q_place: Place,
    pub(super) rates: Rates,
    pub(super) rates_place: Place,
}

pub(super) enum Rates {
    Velocity(Vec<f64>),
    Momentum(Vec<f64>),
}

/// What is needed to read a start.
pub(super) struct Reader<'a> {
    /// The coordinates, if it is known which they are.
    pub(super) names: Option<&'a [Name]>,
    /// What has velocities: they, or quasi-velocities.
    pub(super) moving: Option<&'a [Name]>,
    /// Quasi-velocities that stay zero.
    pub(super) constrained: Vec<String>,
    pub(super) constants: Constants<'a>,
}

impl Reader<'_> {
    /// Reads `[start]`, and `[velocity]` or `[momentum]`.
    pub(super) fn read(&self, root: &Section<'_>) -> Option<Start> {
        let section = root
            .required("start")
            .with("a value for every coordinate")
            .table();
        let given = section.and_then(|section| {
            let place = section.place();
            let values = self.read_values(&section, self.names, "coordinate");
            let complete = self.check_complete(&section);
            section.finish();
            Some((values.filter(|_| complete)?, place))
        });
        let what = match root.holds("frame") {
            true => "quasi-velocity that is free",
            false => "coordinate",
        };
        let mut rates = Vec::new();
        for key in ["velocity", "momentum"] {
            if let Some(section) = root.optional(key).table() {
                let values = self.read_values(&section, self.moving, what);
                rates.push((key, values, section.place()));
                section.finish();
            }
        }
        if let [(.., first), (.., second)] = &rates[..] {
            return root
                .problems()
                .error(second, "both `velocity` and `momentum` are given")
                .or_at(first.clone())
                .help("keep one of them")
                .none();
        }
        let sound = ["velocity", "momentum"]
            .iter()
            .filter(|key| root.holds(key))
            .count()
            == rates.len();
        let (q, q_place) = given?;
        let (rates, rates_place) = match rates.pop() {
            None => (
                Rates::Velocity(vec![0.0; self.moving?.iter().map(Name::size).sum()]),
                q_place.clone(),
            ),
            Some(("velocity", values, place)) => (Rates::Velocity(values?), place),
            Some((_, values, place)) => (Rates::Momentum(values?), place),
        };
        sound.then_some(Start {
            t: 0.0,
            q,
            q_place,
            rates,
            rates_place,
        })
    }

    /// Whether every coordinate has a start; one whose name is misspelt has been reported.
    fn check_complete(&self, section: &Section<'_>) -> bool {
        let names = self.names.unwrap_or_default();
        let known = |key: &str| names.iter().any(|name| name.text == key);
        let mut absent: Vec<&str> = names
            .iter()
            .map(|name| name.text.as_str())
            .filter(|name| !section.holds(name))
            .collect();
        if absent.is_empty() {
            return true;
        }
        for key in section.keys().filter(|key| !known(key.value)) {
            if let Some(meant) = nearest(key.value, absent.iter().copied()) {
                absent.retain(|name| *name != meant);
            }
        }
        if let [first, ..] = absent[..] {
            let list: Vec<String> = absent.iter().map(|name| format!("`{name}`")).collect();
            section
                .error(format!("the start has no value for {}", list.join(", ")))
                .help(format!("add `{first} = …`"));
        }
        false
    }

    /// Values by name, zero where there is none; `None` if one is wrong or it is not known what the names are.
    fn read_values(&self, section: &Section<'_>, names: Option<&[Name]>, what: &str) -> Option<Vec<f64>> {
        let known = names.unwrap_or_default();
        let mut values = vec![0.0; known.iter().map(Name::size).sum()];
        let mut ok = names.is_some();
        for key in section.keys() {
            let value = values::value(section, key.value, &self.constants);
            if names.is_none() {
                continue;
            }
            let Some(index) = self.place(section, &key, known, what) else {
                ok = false;
                continue;
            };
            let place: usize = known[..index].iter().map(Name::size).sum();
            match (value, known[index].size()) {
                (Some(Amount::Number(number)), 1) => values[place] = number,
                (Some(Amount::Vector(vector)), 3) => values[place..place + 3].copy_from_slice(&vector),
                (Some(_), size) => {
                    let (is, wanted) = match size {
                        3 => ("vector", "three numbers, `[x, y, z]`"),
                        _ => ("number", "one number"),
                    };
                    section
                        .problems()
                        .error(key.place, format!("`{}` is a {is}", key.value))
                        .help(format!("give it {wanted}"));
                    ok = false;
                }
                (None, _) => ok = false,
            }
        }
        ok.then_some(values)
    }

    /// Which of the names a key is.
    fn place(&self, section: &Section<'_>, key: &Located<&str>, names: &[Name], what: &str) -> Option<usize> {
        let error = |message: String| section.problems().error(key.place.clone(), message);
        let stem = key.value.strip_suffix('\'');
        if let Some(stem) = stem.filter(|stem| names.iter().any(|name| name.text == **stem)) {
            let help = match section.label() {
                "`start`" => format!("put it into `[velocity]`, as `{stem} = …`"),
                label => format!("in {label} it goes without the prime: `{stem} = …`"),
            };
            return error(format!("`{stem}'` is a velocity")).help(help).none();
        }
        if self.constrained.iter().any(|name| name == key.value) && what != "coordinate" {
            return error(format!("`{}` is constrained: it stays zero", key.value))
                .help("remove it, or take it out of `constrained`")
                .none();
        }
        named(section, key, names, what)
    }
}

/// The state at the start, if the mechanism can start there.
pub(super) fn state(system: &Lagrangian, draft: &LagrangianDraft, problems: &Problems) -> Option<State> {
    let Start {
        q,
        q_place,
        rates,
        rates_place,
        t,
    } = &draft.start;
    let (n, t) = (q.len(), *t);
    let rest = vec![0.0; n];
    let guess = match rates {
        Rates::Velocity(v) => v,
        Rates::Momentum(_) => &rest,
    };
    let mut derivatives = Derivatives::default();
    let mechanics = system.mechanics();
    let undefined = |suspects: &[Written], error: Undefined| {
        let place = suspects.first().map_or(q_place, |written| &written.place);
        draft.undefined(error, suspects, place, system.layout(), problems);
    };
    if let Err(error) = mechanics.lagrangian(t, q, guess, &mut derivatives) {
        undefined(std::slice::from_ref(&draft.lagrangian), error);
        return None;
    }
    if let Err(error) = mechanics.force(t, q, guess, &mut GeneralizedForce::default()) {
        undefined(&draft.forces, error);
        return None;
    }
    check_mass(
        &derivatives.vv,
        &draft.component_names(),
        "'",
        &draft.lagrangian.place,
        problems,
    )?;
    let mut v = guess.clone();
    if let Rates::Momentum(p) = rates
        && system
            .solve_velocity(t, q, p, &mut v, &mut LagrangianWorkspace::default())
            .is_err()
    {
        return problems
            .error(rates_place.clone(), "no velocity has this momentum")
            .help("give `[velocity]` instead")
            .none();
    }
    let (q, v) = Consistent::new(system, draft, problems, &derivatives.vv).start(q, v)?;
    if let Err(error) = mechanics.invariant(t, &q, &v, &mut Vec::new(), &mut Default::default()) {
        undefined(&draft.invariants, error);
        return None;
    }
    let state = match system.state(t, &q, &v) {
        Ok(state) => state,
        Err(error) => return problems.error(rates_place.clone(), error.to_string()).none(),
    };
    if !state.is_finite() {
        return problems
            .error(rates_place.clone(), "the momentum at the start is not finite")
            .help("its numbers are too large")
            .none();
    }
    // The state has momenta, and methods begin at rest to find velocities from them.
    let mut again = v.clone();
    let found = system.solve_velocity(t, &q, &state.p, &mut again, &mut LagrangianWorkspace::default());
    check_inverse(
        &v,
        found.is_ok().then_some(&again),
        &draft.lagrangian.place,
        problems,
    )?;
    Some(state)
}

/// Momenta must tell the velocity that they come from.
pub(super) fn check_inverse(
    v: &[f64],
    found: Option<&Vec<f64>>,
    place: &Place,
    problems: &Problems,
) -> Option<()> {
    let size = v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let far = |found: &Vec<f64>| {
        let mut each = found.iter().zip(v);
        each.any(|(a, b)| (a - b).abs() > 1e-6 * size)
    };
    let message = match found {
        None => "the velocities at the start cannot be found from their momenta",
        Some(found) if far(found) => "other velocities than those at the start have the same momenta",
        Some(_) => return Some(()),
    };
    problems
        .error(place.clone(), message)
        .help("`lagrangian` must be convex in the velocities, also at rest, as a kinetic energy is")
        .none()
}

/// Eigenvalues of the mass matrix, each coordinate in its own unit, below which it counts as singular.
const SMALLEST: f64 = 1e-12;

/// Every velocity must have inertia.
pub(super) fn check_mass(
    vv: &[f64],
    names: &[String],
    prime: &str,
    place: &Place,
    problems: &Problems,
) -> Option<()> {
    let (n, place) = (names.len(), place.clone());
    let scale: Vec<f64> = (0..n).map(|i| vv[i * n + i].abs().sqrt()).collect();
    let row_is_zero = |i: usize| (0..n).all(|j| vv[i * n + j] == 0.0);
    if let Some(i) = (0..n).find(|i| row_is_zero(*i)) {
        let name = &names[i];
        return problems
            .error(
                place,
                format!("the mass matrix is singular at the start: `{name}{prime}` has no inertia"),
            )
            .help(format!(
                "`{name}{prime}` must be in it squared, or the like, with a factor that is not zero there"
            ))
            .none();
    }
    let unit = |i: usize| if scale[i] > 0.0 { scale[i] } else { 1.0 };
    let scaled = DMatrix::from_fn(n, n, |i, j| vv[i * n + j] / (unit(i) * unit(j)));
    let eigen = scaled.symmetric_eigen();
    let smallest = (0..n).min_by(|i, j| {
        eigen.eigenvalues[*i]
            .abs()
            .total_cmp(&eigen.eigenvalues[*j].abs())
    })?;
    if eigen.eigenvalues[smallest].abs() <= SMALLEST {
        let vector = eigen.eigenvectors.column(smallest);
        let involved: Vec<String> = (0..n)
            .filter(|i| vector[*i].abs() > 1e-3)
            .map(|i| format!("`{}{prime}`", names[i]))
            .collect();
        let message = format!(
            "the mass matrix is singular at the start: a combination of {} has no inertia",
            involved.join(", ")
        );
        return problems
            .error(place, message)
            .help("give it a mass, or start where it has one")
            .none();
    }
    if eigen.eigenvalues.iter().any(|value| *value < 0.0) {
        let message = "the mass matrix is not positive at the start: some motion has negative kinetic energy";
        problems
            .note(place, message)
            .help("a Lagrangian is the kinetic minus the potential energy");
    }
    Some(())
}
