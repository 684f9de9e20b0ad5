//! What a gradient through a run is worth, measured on that run without differences of it.
//!
//! ```text
//! pairing     ω(a, b) = a.x·b.y − b.x·a.y of two tangents is the same at every step          symplectic
//! momenta     DΦᵀ∇J = ∇J: the adjoint of a conserved momentum is itself
//! duality     ⟨ḡ, DΦ a⟩ = ⟨DΦᵀḡ, a⟩
//! growth      |DΦᵀḡ| / |ḡ| against the time that the gradient went back
//! ```
//! All are of this run alone. A number is given for everything that was measured, and nothing is concluded.
use super::{
    Along, Change, Differentiable, OFFSET, Tape, TapeFault, slope,
    spectrum::{inner, start},
};
use crate::{
    diagnostics::Exponent,
    integrator::Fault,
    math,
    system::{Measurement, State, System},
};

/// What was measured of tangents and gradients along a run.
#[derive(Clone, Debug, PartialEq)]
pub struct GradientCertificate {
    /// How long the run is, s.
    pub time: f64,
    /// The largest change of the pairing of two tangents, as a part of the terms it is summed from.
    pub pairing: f64,
    /// `⟨ḡ, DΦ a⟩ − ⟨DΦᵀḡ, a⟩` as a part of `|ḡ| |DΦ a|`.
    pub duality: f64,
    /// Of each quantity that the layout calls conserved.
    pub momenta: Vec<PulledMomentum>,
    /// `(τ, ln |DΦᵀḡ|/|ḡ|)` at some times τ before the end.
    pub growth: Vec<(f64, f64)>,
    /// The rate at which gradients grow, if the run was long enough to tell.
    pub exponent: Option<Exponent>,
    /// The time after which a gradient was [`MEANINGLESS`] times what it was at the end: beyond it, the linear part of a
    /// change of one part in that number says nothing. `None` where that never happened in this run.
    pub horizon: Option<f64>,
}

/// What came back of the gradient of a conserved quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct PulledMomentum {
    /// Its name.
    pub name: String,
    /// How far the quantity itself changed from the start to the end.
    pub change: f64,
    /// The largest difference of the gradient that came back from that at the start, as a part of the largest of its
    /// terms: along two tangents that constraints allow, or where there are none in every component.
    pub error: f64,
}

/// Where a gradient has lost half of its digits.
pub const MEANINGLESS: f64 = 1e8;

/// Times at which growth is noted.
const SAMPLES: usize = 200;

/// Measures it on a run. Two tangents and some gradients go along it.
pub fn certify(
    system: &dyn System,
    method: &mut dyn Differentiable,
    tape: &mut Tape,
) -> Result<GradientCertificate, TapeFault> {
    let (first, end) = (tape.start().clone(), tape.end().clone());
    let (steps, h) = (tape.steps(), tape.step_size());
    let half = system.canonical(&first.q, &first.q, &first.p).0.len();
    let scales = scales(system, &first, &end);

    // From the second state on: what one step makes of a tangent is allowed by the constraints.
    let mut tangents = [start(0, half, scales), start(1, half, scales)];
    let mut pairing = Pairing::default();
    tape.push(method, &mut tangents, &mut pairing)?;

    let names = &system.layout().conserved.invariants;
    let mut gradients = vec![start(2, half, [1.0 / scales[0], 1.0 / scales[1]])];
    gradients.extend((0..names.len()).map(|i| gradient(system, &end, i)));
    let given = gradients.clone();
    let mut back = Back {
        steps,
        h,
        every: steps.div_ceil(SAMPLES).max(1),
        scales: [1.0 / scales[0], 1.0 / scales[1]],
        length: size(&given[0], [1.0 / scales[0], 1.0 / scales[1]]),
        growth: Vec::new(),
        second: Vec::new(),
    };
    tape.pull(method, &mut gradients, &mut back)?;

    let unit = |of: &Change| {
        let inverse = [1.0 / scales[0], 1.0 / scales[1]];
        size(of, inverse)
    };
    let [a, _] = &tangents;
    let (duality, momenta) = match (back.second.as_slice(), &pairing.second) {
        ([own, pulled @ ..], Some(second)) => {
            let apart = pair(&given[0], a) - pair(own, &second[0]);
            let at_second = tape.state(method, 1)?.clone();
            let values = [&first, &end].map(|state| measured(system, state));
            let momenta = names.iter().zip(pulled).enumerate().map(|(i, (name, pulled))| {
                let own = gradient(system, &at_second, i);
                let along = second.iter().map(|tangent| {
                    let terms = size(&own, [1.0 / scales[0], 1.0 / scales[1]]) * size(tangent, scales);
                    (pair(pulled, tangent) - pair(&own, tangent)).abs() / terms
                });
                let mut error = along.fold(0.0, math::larger);
                if system.layout().multipliers.is_empty() {
                    let apart = difference(pulled, &own);
                    error = math::larger(error, unit(&apart) / unit(&own));
                }
                PulledMomentum {
                    name: name.clone(),
                    change: values[1][i] - values[0][i],
                    error,
                }
            });
            (
                apart.abs() / (size(&given[0], back.scales) * size(a, scales)),
                momenta.collect(),
            )
        }
        _ => (f64::NAN, Vec::new()),
    };
    let mut growth = back.growth;
    growth.sort_by(|a, b| a.0.total_cmp(&b.0));
    let lost = |(_, growth): &&(f64, f64)| *growth >= math::ln(MEANINGLESS);
    Ok(GradientCertificate {
        time: (steps as f64 * h).abs(),
        pairing: pairing.largest,
        duality,
        momenta,
        exponent: Exponent::of(&growth),
        horizon: growth.iter().find(lost).map(|(time, _)| *time),
        growth,
    })
}

/// What coordinates and momenta are measured in: the largest at both ends.
fn scales(system: &dyn System, first: &State, end: &State) -> [f64; 2] {
    let largest = |list: &[f64]| list.iter().fold(0.0, |m, x| math::larger(m, x.abs()));
    let of = |state: &State| {
        let (_, y) = system.canonical(&state.q, &state.q, &state.p);
        [largest(&state.q), largest(&y)]
    };
    let (a, b) = (of(first), of(end));
    [0, 1].map(|k| match a[k].max(b[k]) {
        scale if scale > 0.0 => scale,
        _ => 1.0,
    })
}

fn pair(a: &Change, b: &Change) -> f64 {
    let sum = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    sum(&a.x, &b.x) + sum(&a.y, &b.y)
}

fn size(a: &Change, scales: [f64; 2]) -> f64 {
    inner(a, a, scales).sqrt()
}

fn difference(a: &Change, b: &Change) -> Change {
    let less = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect();
    Change {
        x: less(&a.x, &b.x),
        y: less(&a.y, &b.y),
        ..Change::default()
    }
}

fn measured(system: &dyn System, state: &State) -> Vec<f64> {
    let mut out = Measurement::default();
    system.measure(state, &mut out, &mut system.scratch());
    out.invariants
}

/// The gradient of a quantity that is measured, by differences: the quantity is a closed formula.
fn gradient(system: &dyn System, state: &State, i: usize) -> Change {
    let (x0, y0) = system.canonical(&state.q, &state.q, &state.p);
    let largest = y0.iter().fold(0.0, |m: f64, y| m.max(y.abs()));
    let unit = if largest > 0.0 { largest } else { 1.0 };
    let mut out = Change::default();
    for k in 0..2 * x0.len() {
        let offset = if k < x0.len() { OFFSET } else { OFFSET * unit };
        let found = slope(offset, |shift| {
            let (mut x, mut y) = (x0.clone(), y0.clone());
            match k < x0.len() {
                true => x[k] += shift,
                false => y[k - x0.len()] += shift,
            }
            let (q, p) = system.state_from_canonical(&state.q, &x, &y);
            let moved = State {
                q,
                p,
                ..state.clone()
            };
            Ok::<_, std::convert::Infallible>(vec![measured(system, &moved)[i]])
        });
        let Ok(found) = found;
        let list = if k < x0.len() { &mut out.x } else { &mut out.y };
        list.extend(found);
    }
    out
}

/// ω of two tangents along a run, from its second state on.
#[derive(Default)]
struct Pairing {
    second: Option<Vec<Change>>,
    first: f64,
    largest: f64,
}

impl Along for Pairing {
    fn at(&mut self, k: usize, _: &State, tangents: &mut [Change]) -> Result<(), Fault> {
        let [a, b] = tangents else { return Ok(()) };
        let terms = |a: &Change, b: &Change| a.x.iter().zip(&b.y).map(|(x, y)| x * y).collect::<Vec<_>>();
        let (one, other) = (terms(a, b), terms(b, a));
        let form = one.iter().sum::<f64>() - other.iter().sum::<f64>();
        if k == 1 {
            self.first = form;
            self.second = Some(vec![a.clone(), b.clone()]);
        } else if k > 1 {
            let terms: f64 = one.iter().chain(&other).map(|term| term.abs()).sum();
            self.largest = math::larger(self.largest, (form - self.first).abs() / terms);
        }
        Ok(())
    }
}

/// A gradient that goes back: how it grows, and what there is of all at the second state.
struct Back {
    steps: usize,
    h: f64,
    every: usize,
    scales: [f64; 2],
    length: f64,
    growth: Vec<(f64, f64)>,
    second: Vec<Change>,
}

impl Along for Back {
    fn at(&mut self, k: usize, _: &State, gradients: &mut [Change]) -> Result<(), Fault> {
        let back = self.steps - k;
        if back > 0 && back.is_multiple_of(self.every) {
            let growth = math::ln(size(&gradients[0], self.scales) / self.length);
            self.growth.push((back as f64 * self.h.abs(), growth));
        }
        if k == 1 {
            self.second = gradients.to_vec();
        }
        Ok(())
    }
}
