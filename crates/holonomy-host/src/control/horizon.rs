//! Optimal control over a horizon: differential dynamic programming of Gauss and Newton.
//!
//! ```text
//! minimise    Σₖ rᵢₖ uᵢₖ² + Σₖ wⱼₖ cⱼ(zₖ)²      zₖ₊₁ = Φ(zₖ, uₖ),   low ≤ uₖ ≤ high
//! subject to  cⱼ(zₖ) = 0 or ≤ 0                  by multipliers λ and a growing weight μ: λ c + ½ μ c²
//!
//! backward    Qᵤ = ℓᵤ + Bᵀ V',   Qᵤᵤ = ℓᵤᵤ + Bᵀ V'' B + ρ,   Qᵤₓ = Bᵀ V'' A
//!             δu minimises ½ δuᵀ Qᵤᵤ δu + Qᵤᵀ δu within the bounds;   K = −Qᵤᵤ⁻¹ Qᵤₓ where they do not hold
//! forward     u = ū + α δu + K (z ⊖ z̄), cut off at the bounds; α = 1, ½, … until the cost falls
//! ```
//! Far from the best, second derivatives of Φ and c are left out (Gauss and Newton); near it they are taken in, where the
//! sweep then still has a minimum (Newton). Points may lie on a manifold: `z ⊖ z̄` is what [`Stages::apart`] says.
//! The bounds as in Tassa, Mansard & Todorov (2014), the multipliers as in Howell, Jackson & Manchester (2019).
mod curvature;
mod guess;
mod hold;

pub use hold::feedback;

use super::boxed;
use nalgebra::{DMatrix, DVector};
use std::{ops::ControlFlow, sync::atomic::AtomicBool};

/// A motion in stages that inputs change.
pub trait Stages {
    /// Where it is.
    type Point: Clone;
    /// Why a stage cannot be passed.
    type Fault;

    /// The point after stage k.
    fn next(&mut self, k: usize, from: &Self::Point, input: &[f64]) -> Result<Self::Point, Self::Fault>;
    /// How that changes with the point, and with the inputs.
    fn linearised(
        &mut self,
        k: usize,
        from: &Self::Point,
        input: &[f64],
        to: &Self::Point,
    ) -> Result<(DMatrix<f64>, DMatrix<f64>), Self::Fault>;
    /// The way from one point to another near it.
    fn apart(&mut self, from: &Self::Point, to: &Self::Point) -> DVector<f64>;
    /// The values of all terms after k stages.
    fn values(&mut self, k: usize, at: &Self::Point) -> Vec<f64>;
    /// Their derivatives, a row for each.
    fn slopes(&mut self, k: usize, at: &Self::Point) -> DMatrix<f64>;
    /// The point that lies in a direction of another.
    fn moved(&mut self, from: &Self::Point, by: &DVector<f64>) -> Self::Point;
    /// The change of each direction that is small enough for second differences, and not too small.
    fn unit(&mut self, at: &Self::Point) -> DVector<f64>;
}

/// What a value that depends on the point is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    /// Its square, times a weight, is a part of the cost.
    Small,
    /// It is to be zero.
    Zero,
    /// It is not to be above zero.
    AtMostZero,
}

/// A value that depends on the point, and where along the horizon it counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// What it is for.
    pub aim: Aim,
    /// Its weight after 1 … N stages: zero where it does not count; of a constraint, its size in units of its tolerance.
    pub weights: Vec<f64>,
}

/// What is to be minimised, and within what.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The weight of each squared input, in every stage.
    pub effort: Vec<f64>,
    /// The least that each may be, and the most.
    pub bounds: Vec<(f64, f64)>,
    /// What the values of [`Stages::values`] are for.
    pub terms: Vec<Term>,
    /// How far constraints may be from what they say.
    pub tolerance: f64,
    /// After how many sweeps to give up.
    pub most: usize,
}

/// Where a search begins.
#[derive(Clone, Debug)]
pub enum Guess<P> {
    /// The motion from a point under inputs.
    Inputs(P, Vec<Vec<f64>>),
    /// The motion that stays near these points, which need not be one, from the first of them: by feedback of the weights
    /// of the task.
    Near(Vec<P>),
}

/// A motion that was found.
#[derive(Clone, Debug)]
pub struct Plan<P> {
    /// The points, one more than there are stages.
    pub points: Vec<P>,
    /// The inputs of each stage.
    pub inputs: Vec<Vec<f64>>,
    /// How the inputs are to answer to a point beside the planned one: a row for each input.
    pub gains: Vec<DMatrix<f64>>,
    /// What is minimised, without constraints.
    pub cost: f64,
    /// The largest violation of a constraint: its term and stage.
    pub violation: f64,
    /// The term of that violation.
    pub worst: Option<usize>,
    /// Every sweep.
    pub history: Vec<Sweep>,
    /// How it ended.
    pub ending: Ending,
}

/// What a sweep brought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweep {
    /// The cost after it.
    pub cost: f64,
    /// The largest violation after it.
    pub violation: f64,
    /// The part of the step that was taken; zero if none made it better.
    pub share: f64,
    /// The weight of violations.
    pub weight: f64,
    /// Whether second derivatives were taken in.
    pub newton: bool,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing near is better, and all constraints are met.
    Best,
    /// Nothing near is better, but some constraints are not met: they cannot be, or not from this guess.
    Unmet,
    /// It was stopped.
    Stopped,
    /// So many sweeps were not enough.
    Unfinished,
}

/// By how much the weight of violations grows.
const GROWTH: f64 = 10.0;
/// The most of it, relative to where it began.
const HEAVIEST: f64 = 1e10;
/// A sweep that promises to lower the cost by less than this part of it has nothing left to find: the error of the inputs
/// is the root of it.
const NOTHING_LEFT: f64 = 1e-14;
/// A sweep that gains less than this part of the cost is near the best.
const NEAR: f64 = 1e-2;
/// Halvings of the step.
const HALVINGS: usize = 24;

/// Multipliers of one term.
struct Held {
    lambda: Vec<f64>,
}

struct Search<'a, S: Stages> {
    stages: &'a mut S,
    task: &'a Task,
    held: Vec<Held>,
    weight: f64,
    regularised: f64,
}

/// What is known of a motion before it is accepted.
struct Tried<P> {
    points: Vec<P>,
    inputs: Vec<Vec<f64>>,
    values: Vec<Vec<f64>>,
    cost: f64,
    merit: f64,
}

/// What a backward sweep finds.
struct Direction {
    change: Vec<DVector<f64>>,
    gains: Vec<DMatrix<f64>>,
    /// First and second derivative of the merit by the share of the step.
    slope: f64,
    bend: f64,
}

impl Direction {
    /// What the whole step promises to gain.
    fn promised(&self) -> f64 {
        -(self.slope + 0.5 * self.bend)
    }
}

/// Seeks the best inputs from a guess. What `tell` is told of every sweep may end it.
pub fn plan<S: Stages>(
    stages: &mut S,
    task: &Task,
    guess: Guess<S::Point>,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(&Sweep) -> ControlFlow<()>,
) -> Result<Plan<S::Point>, S::Fault> {
    let count = match &guess {
        Guess::Inputs(_, inputs) => inputs.len(),
        Guess::Near(points) => points.len().saturating_sub(1),
    };
    let held = (task.terms.iter())
        .map(|_| Held {
            lambda: vec![0.0; count + 1],
        })
        .collect();
    let mut search = Search {
        stages,
        task,
        held,
        weight: 1.0,
        regularised: 0.0,
    };
    let mut now = match guess {
        Guess::Inputs(start, inputs) => {
            let inputs = inputs.iter().map(|u| search.cut(u)).collect();
            search.rolled(start, inputs)?
        }
        Guess::Near(points) => search.held_near(points)?,
    };
    let mut parts = search.linearised(&now)?;
    search.first_weight(&now, &parts);
    now.merit = search.merit(&now);
    let lightest = search.weight;
    let mut history = Vec::new();
    let mut last_violation = f64::INFINITY;
    let mut near = false;
    let ending = loop {
        if stop.load(std::sync::atomic::Ordering::Relaxed) {
            break Ending::Stopped;
        }
        if history.len() >= task.most {
            break Ending::Unfinished;
        }
        let mut direction = match near {
            true => search.curved(&now, &parts),
            false => None,
        };
        let mut found = None;
        let mut newton = true;
        let nothing =
            |promised: f64, now: &Tried<S::Point>| promised <= NOTHING_LEFT * (1.0 + now.merit.abs());
        if let Some(direction) = &direction
            && !nothing(direction.promised(), &now)
        {
            found = search.forward(&now, direction);
        }
        let lost = direction
            .as_ref()
            .is_none_or(|direction| !nothing(direction.promised(), &now));
        if found.is_none() && lost {
            newton = false;
            direction = search.backward(&now, &parts, false);
            if let Some(direction) = &direction
                && !nothing(direction.promised(), &now)
            {
                found = search.forward(&now, direction);
            }
        }
        let Some(direction) = direction else {
            if !search.more_careful() {
                break Ending::Unmet;
            }
            continue;
        };
        let promised = direction.promised();
        near = found.as_ref().is_some_and(|(tried, share)| {
            *share > 0.2 && now.merit - tried.merit < NEAR * (1.0 + now.merit.abs())
        });
        let violation = |search: &Search<'_, S>, tried: &Tried<S::Point>| search.violation(&tried.values).0;
        let share = found.as_ref().map_or(0.0, |(_, share)| *share);
        let mut better = false;
        if let Some((tried, share)) = found {
            match search.linearised(&tried) {
                Ok(found) => {
                    (now, parts, better) = (tried, found, true);
                    if share > 0.4 {
                        search.regularised *= 0.2;
                    }
                }
                // A step at the edge of what can be stepped: a shorter one may do.
                Err(fault) => {
                    if !search.more_careful() {
                        return Err(fault);
                    }
                    continue;
                }
            }
        }
        let off = violation(&search, &now);
        let sweep = Sweep {
            cost: now.cost,
            violation: off,
            share,
            weight: search.weight,
            newton,
        };
        history.push(sweep);
        if tell(&sweep).is_break() {
            break Ending::Stopped;
        }
        let settled = promised <= NOTHING_LEFT * (1.0 + now.merit.abs());
        if !better && !settled && search.more_careful() {
            continue;
        }
        // While constraints are far from met there is no need to find the best under these multipliers.
        let enough = off > task.tolerance && promised <= 1e-6 * (1.0 + now.merit.abs());
        if better && !settled && !enough {
            continue;
        }
        if off <= task.tolerance {
            if better && !settled {
                continue;
            }
            break Ending::Best;
        }
        if search.weight > HEAVIEST * lightest {
            break Ending::Unmet;
        }
        search.multiply(&now.values);
        if off > 0.25 * last_violation {
            search.weight *= GROWTH;
        }
        last_violation = off;
        search.regularised = 0.0;
        now.merit = search.merit(&now);
    };
    let (violation, worst) = search.violation(&now.values);
    let last = search.backward(&now, &parts, false);
    let gains = last.map_or_else(Vec::new, |direction| direction.gains);
    Ok(Plan {
        cost: now.cost,
        points: now.points,
        inputs: now.inputs,
        gains,
        violation,
        worst,
        history,
        ending,
    })
}

/// Φ and the slopes of all terms along a motion.
struct Parts {
    steps: Vec<(DMatrix<f64>, DMatrix<f64>)>,
    slopes: Vec<DMatrix<f64>>,
}

impl<S: Stages> Search<'_, S> {
    fn cut(&self, input: &[f64]) -> Vec<f64> {
        let each = input.iter().zip(&self.task.bounds);
        each.map(|(u, (low, high))| u.clamp(*low, *high)).collect()
    }

    /// The motion under given inputs.
    fn rolled(&mut self, start: S::Point, inputs: Vec<Vec<f64>>) -> Result<Tried<S::Point>, S::Fault> {
        let mut points = Vec::with_capacity(inputs.len() + 1);
        points.push(start);
        for (k, input) in inputs.iter().enumerate() {
            let next = self.stages.next(k, &points[k], input)?;
            points.push(next);
        }
        Ok(self.tried(points, inputs))
    }

    fn tried(&mut self, points: Vec<S::Point>, inputs: Vec<Vec<f64>>) -> Tried<S::Point> {
        let mut values = vec![Vec::new()];
        for (k, point) in points.iter().enumerate().skip(1) {
            values.push(self.stages.values(k, point));
        }
        let mut tried = Tried {
            points,
            inputs,
            values,
            cost: 0.0,
            merit: 0.0,
        };
        tried.cost = self.cost(&tried);
        tried.merit = self.merit(&tried);
        tried
    }

    fn cost(&self, tried: &Tried<S::Point>) -> f64 {
        let effort = |input: &Vec<f64>| -> f64 {
            let each = input.iter().zip(&self.task.effort);
            each.map(|(u, weight)| weight * u * u).sum()
        };
        let mut cost: f64 = tried.inputs.iter().map(effort).sum();
        for (k, values) in tried.values.iter().enumerate().skip(1) {
            for (value, term) in values.iter().zip(&self.task.terms) {
                if term.aim == Aim::Small {
                    cost += term.weights[k - 1] * value * value;
                }
            }
        }
        cost
    }

    /// The cost with what violations add.
    fn merit(&self, tried: &Tried<S::Point>) -> f64 {
        let mut merit = tried.cost;
        for (k, values) in tried.values.iter().enumerate().skip(1) {
            for (j, value) in values.iter().enumerate() {
                let term = &self.task.terms[j];
                let size = term.weights[k - 1];
                if term.aim == Aim::Small || size == 0.0 {
                    continue;
                }
                let (lambda, mu) = (self.held[j].lambda[k], self.weight);
                let value = size * value;
                merit += match term.aim {
                    Aim::AtMostZero => {
                        let pressed = (lambda + mu * value).max(0.0);
                        (pressed * pressed - lambda * lambda) / (2.0 * mu)
                    }
                    _ => lambda * value + 0.5 * mu * value * value,
                };
            }
        }
        merit
    }

    /// The largest violation of a constraint, and its term.
    fn violation(&self, values: &[Vec<f64>]) -> (f64, Option<usize>) {
        let mut worst = (0.0_f64, None);
        for (k, values) in values.iter().enumerate().skip(1) {
            for (j, (value, term)) in values.iter().zip(&self.task.terms).enumerate() {
                let off = term.weights[k - 1]
                    * match term.aim {
                        Aim::Small => 0.0,
                        Aim::Zero => value.abs(),
                        Aim::AtMostZero => value.max(0.0),
                    };
                if !(off <= worst.0) {
                    worst = (off, Some(j));
                }
            }
        }
        worst
    }

    fn linearised(&mut self, tried: &Tried<S::Point>) -> Result<Parts, S::Fault> {
        let mut parts = Parts {
            steps: Vec::with_capacity(tried.inputs.len()),
            slopes: Vec::with_capacity(tried.inputs.len()),
        };
        for (k, input) in tried.inputs.iter().enumerate() {
            let (from, to) = (&tried.points[k], &tried.points[k + 1]);
            parts.steps.push(self.stages.linearised(k, from, input, to)?);
            parts.slopes.push(self.stages.slopes(k + 1, to));
        }
        Ok(parts)
    }

    /// Gradient and curvature of what a point costs.
    fn expanded(&self, k: usize, values: &[f64], slopes: &DMatrix<f64>) -> (DVector<f64>, DMatrix<f64>) {
        let n = slopes.ncols();
        let (mut gradient, mut curvature) = (DVector::zeros(n), DMatrix::zeros(n, n));
        for (j, (value, term)) in values.iter().zip(&self.task.terms).enumerate() {
            let size = term.weights[k - 1];
            if size == 0.0 {
                continue;
            }
            let (first, second) = match term.aim {
                Aim::Small => (2.0 * size * value, 2.0 * size),
                aim => {
                    let pressed = self.held[j].lambda[k] + self.weight * size * value;
                    match aim == Aim::AtMostZero && pressed <= 0.0 {
                        true => continue,
                        false => (size * pressed, size * size * self.weight),
                    }
                }
            };
            let row = slopes.row(j).transpose();
            gradient.axpy(first, &row, 1.0);
            curvature.ger(second, &row, &row, 1.0);
        }
        (gradient, curvature)
    }

    /// The step that the quadratic model asks for; `None` where that has no minimum.
    fn backward(&mut self, tried: &Tried<S::Point>, parts: &Parts, newton: bool) -> Option<Direction> {
        let count = tried.inputs.len();
        let mut change = vec![DVector::zeros(0); count];
        let mut gains = vec![DMatrix::zeros(0, 0); count];
        let (mut slope, mut bend) = (0.0, 0.0);
        let (mut v, mut vv) = self.expanded(count, &tried.values[count], &parts.slopes[count - 1]);
        if newton {
            vv += self.bent_terms(count, tried);
        }
        for k in (0..count).rev() {
            let (a, b) = &parts.steps[k];
            let input = &tried.inputs[k];
            let m = input.len();
            let effort = DVector::from_iterator(m, self.task.effort.iter().map(|r| 2.0 * r));
            let qu = b.tr_mul(&v) + DVector::from_column_slice(input).component_mul(&effort);
            let vb = &vv * b;
            let mut quu = b.tr_mul(&vb) + DMatrix::from_diagonal(&effort);
            let mut qux = vb.tr_mul(a);
            let mut qxx = a.tr_mul(&(&vv * a));
            if newton {
                let bent = self.bent_step(k, tried, &v)?;
                let n = a.ncols();
                quu += bent.view((n, n), (m, m));
                qux += bent.view((n, 0), (m, n));
                qxx += bent.view((0, 0), (n, n));
            }
            let mut heavier = quu.clone();
            let scale = effort.amax().max(quu.diagonal().amax());
            for i in 0..m {
                heavier[(i, i)] += self.regularised * scale;
            }
            let limits: Vec<(f64, f64)> = (input.iter().zip(&self.task.bounds))
                .map(|(u, (low, high))| (low - u, high - u))
                .collect();
            let solved = boxed::minimum(&heavier, &qu, &limits)?;
            let mut gain = DMatrix::zeros(m, a.ncols());
            solved.answer(&qux, &mut gain);
            let step = solved.place;
            slope += step.dot(&qu);
            bend += step.dot(&(&quu * &step));
            let mut vx = a.tr_mul(&v);
            vx += gain.tr_mul(&(&quu * &step + &qu)) + qux.tr_mul(&step);
            let quu_gain = &quu * &gain;
            let cross = gain.tr_mul(&qux);
            let mut vxx = qxx + gain.tr_mul(&quu_gain) + &cross + cross.transpose();
            if k > 0 {
                let (gradient, curvature) = self.expanded(k, &tried.values[k], &parts.slopes[k - 1]);
                vx += gradient;
                vxx += curvature;
                if newton {
                    vxx += self.bent_terms(k, tried);
                }
            }
            vv = (&vxx + vxx.transpose()) * 0.5;
            v = vx;
            if !v.iter().chain(vv.iter()).all(|x| x.is_finite()) {
                return None;
            }
            change[k] = step;
            gains[k] = gain;
        }
        Some(Direction {
            change,
            gains,
            slope,
            bend,
        })
    }

    /// The largest share of the step that makes it better as it promises.
    fn forward(&mut self, now: &Tried<S::Point>, direction: &Direction) -> Option<(Tried<S::Point>, f64)> {
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            if let Some(tried) = self.stepped(now, direction, share) {
                let promised = -(share * direction.slope + 0.5 * share * share * direction.bend);
                let gained = now.merit - tried.merit;
                // What is left of a difference of large numbers is rounding.
                let rounding = 4.0 * f64::EPSILON * now.merit.abs();
                if gained >= 1e-4 * promised - rounding && tried.merit.is_finite() {
                    return Some((tried, share));
                }
            }
            share *= 0.5;
        }
        None
    }

    fn stepped(
        &mut self,
        now: &Tried<S::Point>,
        direction: &Direction,
        share: f64,
    ) -> Option<Tried<S::Point>> {
        let count = now.inputs.len();
        let mut points = Vec::with_capacity(count + 1);
        let mut inputs = Vec::with_capacity(count);
        points.push(now.points[0].clone());
        for k in 0..count {
            let away = self.stages.apart(&now.points[k], &points[k]);
            let answer = &direction.change[k] * share + &direction.gains[k] * away;
            let wanted: Vec<f64> = now.inputs[k].iter().zip(&answer).map(|(u, d)| u + d).collect();
            let input = self.cut(&wanted);
            if !input.iter().all(|u| u.is_finite()) {
                return None;
            }
            let next = self.stages.next(k, &points[k], &input).ok()?;
            points.push(next);
            inputs.push(input);
        }
        Some(self.tried(points, inputs))
    }

    /// Makes the next step shorter; `false` if it cannot be shorter.
    fn more_careful(&mut self) -> bool {
        self.regularised = (self.regularised * 10.0).max(1e-8);
        self.regularised < 1e8
    }

    /// The multipliers that the violations ask for.
    fn multiply(&mut self, values: &[Vec<f64>]) {
        for (k, values) in values.iter().enumerate().skip(1) {
            for (j, value) in values.iter().enumerate() {
                let term = &self.task.terms[j];
                let lambda = &mut self.held[j].lambda[k];
                let size = term.weights[k - 1];
                match term.aim {
                    Aim::Small => {}
                    Aim::Zero => *lambda += self.weight * size * value,
                    Aim::AtMostZero => *lambda = (*lambda + self.weight * size * value).max(0.0),
                }
            }
        }
    }
}
