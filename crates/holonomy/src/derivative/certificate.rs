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
    Along, Change, Differentiable, OFFSET, Step, Tape, TapeFault, slope,
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
    /// The largest change of the pairing of two tangents, as a part of the terms it is summed from. Not a number where there
    /// are fewer momenta than coordinates: then there is no form.
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
    /// Whether all that was measured is finite: an exponential that goes on for long leaves the range of numbers.
    pub finite: bool,
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

/// Measures it on a run, with a gradient as if at random. Two tangents and some gradients go along it.
pub fn certify(
    system: &dyn System,
    method: &mut dyn Differentiable,
    tape: &mut Tape,
) -> Result<GradientCertificate, TapeFault> {
    let end = tape.end();
    let scales = scales(system, tape.start(), end);
    let any = start(2, sizes(system, end), [1.0 / scales[0], 1.0 / scales[1]]);
    certify_gradient(system, method, tape, any, &mut ())
}

/// The same with the gradient of a number at the end of the run. What goes `also` along sees this gradient alone, on its
/// way back, and both passes: first forwards with no change at all, then backwards.
pub fn certify_gradient(
    system: &dyn System,
    method: &mut dyn Differentiable,
    tape: &mut Tape,
    of: Change,
    also: &mut dyn Along,
) -> Result<GradientCertificate, TapeFault> {
    let (first, end) = (tape.start().clone(), tape.end().clone());
    let (steps, h) = (tape.steps(), tape.step_size());
    let sizes = sizes(system, &first);
    let scales = scales(system, &first, &end);

    // From the second state on: what one step makes of a tangent is allowed by the constraints.
    let mut tangents = [start(0, sizes, scales), start(1, sizes, scales)];
    let mut pairing = Pairing {
        also: &mut *also,
        second: None,
        first: 0.0,
        largest: 0.0,
    };
    tape.push(method, &mut tangents, &mut pairing)?;
    let (largest, second) = (pairing.largest, pairing.second);

    let names = &system.layout().conserved.invariants;
    let mut gradients = vec![of];
    gradients.extend((0..names.len()).map(|i| momentum_gradient(system, &end, i)));
    let given = gradients.clone();
    let mut back = Back {
        also,
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
    let (duality, momenta) = match (back.second.as_slice(), &second) {
        ([own, pulled @ ..], Some(second)) => {
            let apart = pair(&given[0], a) - pair(own, &second[0]);
            let at_second = tape.state(method, 1)?.clone();
            let values = [&first, &end].map(|state| measured(system, state));
            let momenta = names.iter().zip(pulled).enumerate().map(|(i, (name, pulled))| {
                let own = momentum_gradient(system, &at_second, i);
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
    let all = tangents.iter().chain(&gradients);
    let numbers = all.flat_map(|change| change.x.iter().chain(&change.y));
    let finite = numbers.fold(duality.is_finite(), |finite, z| finite && z.is_finite());
    Ok(GradientCertificate {
        time: (steps as f64 * h).abs(),
        finite,
        pairing: largest,
        duality,
        momenta,
        exponent: Exponent::of(&growth),
        horizon: growth.iter().find(lost).map(|(time, _)| *time),
        growth,
    })
}

/// How many numbers a change has of coordinates and of momenta.
fn sizes(system: &dyn System, at: &State) -> [usize; 2] {
    let (x, y) = system.canonical(&at.q, &at.q, &at.p);
    [x.len(), y.len()]
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

/// The gradient of a quantity that is conserved.
///
/// It goes back through a whole run, and so does its rounding, which grows where what flies drifts: differences reach far,
/// unless those from near do not agree, because the quantity is not smooth that far.
pub fn momentum_gradient(system: &dyn System, state: &State, i: usize) -> Change {
    let of = &mut |moved: &State| measured(system, moved)[i];
    let near = gradient(system, state, of);
    let far = gradient_by(system, state, of, (FAR, &far_slope));
    let numbers = |change: &Change| [&change.x[..], &change.y].concat();
    let (a, b) = (numbers(&far), numbers(&near));
    let size = b.iter().fold(0.0, |m: f64, b| m.max(b.abs()));
    let agree = a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= AGREE * size);
    if agree { far } else { near }
}

/// Differences of order 16 so far apart: rounding is 1e-15 of what they are of, and the error for a sine 1e-18.
const FAR: f64 = 0.15;
const TERMS: usize = 8;
/// What near ones are good to.
const AGREE: f64 = 1e-11;

/// The derivative at zero: `Σ cₖ (f(kε) − f(−kε))/ε`, `cₖ = (−1)ᵏ⁺¹ m!²/(k (m − k)! (m + k)!)`.
fn far_slope(offset: f64, of: &mut dyn FnMut(f64) -> f64) -> f64 {
    let (mut sum, mut ratio) = (0.0, -1.0);
    for k in 1..=TERMS {
        // −(−1)ᵏ m!²/((m − k)! (m + k)!)
        ratio *= -((TERMS - k + 1) as f64) / (TERMS + k) as f64;
        let shift = k as f64 * offset;
        sum += ratio / k as f64 * (of(shift) - of(-shift));
    }
    sum / offset
}

/// The derivative of a function at zero by differences so far apart.
type SlopeOf = dyn Fn(f64, &mut dyn FnMut(f64) -> f64) -> f64;

/// The gradient of a number that a state has, in canonical coordinates about it: by differences, as what states have are
/// closed formulas.
pub fn gradient(system: &dyn System, state: &State, of: &mut dyn FnMut(&State) -> f64) -> Change {
    gradient_by(
        system,
        state,
        of,
        (OFFSET, &|offset, of| {
            let Ok(found) = slope(offset, |shift| Ok::<_, std::convert::Infallible>(vec![of(shift)]));
            found[0]
        }),
    )
}

fn gradient_by(
    system: &dyn System,
    state: &State,
    of: &mut dyn FnMut(&State) -> f64,
    (apart, slope): (f64, &SlopeOf),
) -> Change {
    let (x0, y0) = system.canonical(&state.q, &state.q, &state.p);
    let largest = y0.iter().fold(0.0, |m: f64, y| m.max(y.abs()));
    let unit = if largest > 0.0 { largest } else { 1.0 };
    let mut out = Change::default();
    for k in 0..x0.len() + y0.len() {
        let offset = if k < x0.len() { apart } else { apart * unit };
        let found = slope(offset, &mut |shift| {
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
            of(&moved)
        });
        let list = if k < x0.len() { &mut out.x } else { &mut out.y };
        list.push(found);
    }
    out
}

/// ω of two tangents along a run, from its second state on.
struct Pairing<'a> {
    also: &'a mut dyn Along,
    second: Option<Vec<Change>>,
    first: f64,
    largest: f64,
}

impl Along for Pairing<'_> {
    fn at(&mut self, k: usize, state: &State, tangents: &mut [Change]) -> Result<(), Fault> {
        self.also.at(k, state, &mut [])?;
        let [a, b] = tangents else { return Ok(()) };
        if a.x.len() != a.y.len() {
            self.largest = f64::NAN;
        }
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
struct Back<'a> {
    also: &'a mut dyn Along,
    steps: usize,
    h: f64,
    every: usize,
    scales: [f64; 2],
    length: f64,
    growth: Vec<(f64, f64)>,
    second: Vec<Change>,
}

impl Along for Back<'_> {
    fn equations(&mut self, step: &Step<'_>, gradients: &mut [Change]) -> Result<(), Fault> {
        self.also.equations(step, &mut gradients[..1])
    }

    fn at(&mut self, k: usize, state: &State, gradients: &mut [Change]) -> Result<(), Fault> {
        self.also.at(k, state, &mut gradients[..1])?;
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
