//! Numbers of a state, (q, p), and the canonical coordinates in which a step is linearised.
//!
//! ```text
//! E = ∂(q, p)/∂(x, y)        at a state: what a change in canonical coordinates makes of its numbers
//! F = ∂(x, y)/∂(q, p)        of states and what is next to them: F E = 1
//! ```
//! Both are one where coordinates are numbers of their own. On spheres and with quaternions (q, p) has more numbers than
//! directions: what a gradient has across the states means nothing.
use holonomy::{
    derivative::{Change, OFFSET, slope},
    system::{State, System},
};
use std::{convert::Infallible, sync::Arc};

/// The two descriptions of the states of a system.
pub(super) struct Chart {
    system: Arc<dyn System>,
    origin: State,
    /// Whether they are the same.
    plain: bool,
}

/// A displacement that is large against rounding and small against a turn.
const TRIAL: f64 = 0.125;

impl Chart {
    pub(super) fn new(system: Arc<dyn System>, at: &State) -> Self {
        let (mut x, y) = system.canonical(&at.q, &at.q, &at.p);
        let mut plain = x.len() == at.q.len() && y == at.p;
        if plain {
            x.fill(TRIAL);
            let (q, p) = system.state_from_canonical(&at.q, &x, &y);
            plain = p == at.p && q.iter().zip(&at.q).all(|(moved, q)| *moved == q + TRIAL);
        }
        Self {
            system,
            origin: at.clone(),
            plain,
        }
    }

    /// Whether they are the same.
    pub(super) fn plain(&self) -> bool {
        self.plain
    }

    /// Whether a push of this momentum is one of its canonical momentum alone, wherever it is.
    pub(super) fn is_canonical(&self, place: usize) -> bool {
        let State { q, p, .. } = &self.origin;
        let (mut x, y) = self.system.canonical(q, q, p);
        if y.len() != p.len() {
            return false;
        }
        x.fill(TRIAL);
        let (moved, p) = self.system.state_from_canonical(q, &x, &y);
        let (_, before) = self.system.canonical(q, &moved, &p);
        let mut pushed = p;
        pushed[place] += 1.0;
        let (_, after) = self.system.canonical(q, &moved, &pushed);
        let each = after.iter().zip(&before).enumerate();
        // A push of one, but for rounding of momenta that it is added to.
        each.into_iter().all(|(i, (after, before))| {
            let wanted = if i == place { 1.0 } else { 0.0 };
            (after - before - wanted).abs() <= 1e-9 * (1.0 + before.abs())
        })
    }

    /// F of a change of the numbers of a state.
    pub(super) fn change(&self, at: &State, numbers: &[f64]) -> Change {
        let (dq, dp) = numbers.split_at(at.q.len());
        if self.plain {
            return Change {
                x: dq.to_vec(),
                y: dp.to_vec(),
                ..Change::default()
            };
        }
        let (x, y) = self.system.canonical(&at.q, &at.q, &at.p);
        let (half, momenta) = (x.len(), y.len());
        let size = [(dq, 1.0), (dp, largest(&at.p))].map(|(d, unit)| largest_of(d) / unit);
        let size = size[0].max(size[1]);
        if size == 0.0 {
            return zero([half, momenta]);
        }
        let along = |from: &[f64], by: &[f64], s: f64| -> Vec<f64> {
            from.iter()
                .zip(by)
                .map(|(from, by)| from + s * by / size)
                .collect()
        };
        let all = certain(slope(OFFSET, |s| {
            let (mut z, y) = (self.system).canonical(&at.q, &along(&at.q, dq, s), &along(&at.p, dp, s));
            z.extend(y);
            Ok(z)
        }));
        Change {
            x: all[..half].iter().map(|x| x * size).collect(),
            y: all[half..].iter().map(|y| y * size).collect(),
            ..Change::default()
        }
    }

    /// E of a change in canonical coordinates.
    pub(super) fn ambient(&self, at: &State, change: &Change) -> Vec<f64> {
        if self.plain {
            return change.x.iter().chain(&change.y).copied().collect();
        }
        let (x0, y0) = self.system.canonical(&at.q, &at.q, &at.p);
        let size = (largest_of(&change.x)).max(largest_of(&change.y) / largest(&y0));
        if size == 0.0 {
            return vec![0.0; at.q.len() + at.p.len()];
        }
        let along = |from: &[f64], by: &[f64], s: f64| -> Vec<f64> {
            from.iter()
                .zip(by)
                .map(|(from, by)| from + s * by / size)
                .collect()
        };
        let all = certain(slope(OFFSET, |s| {
            let (x, y) = (along(&x0, &change.x, s), along(&y0, &change.y, s));
            let (mut q, p) = self.system.state_from_canonical(&at.q, &x, &y);
            q.extend(p);
            Ok(q)
        }));
        all.iter().map(|number| number * size).collect()
    }

    /// Eᵀ of gradients with respect to the numbers of the state at the end, one after the other.
    pub(super) fn gradients_at_end(&self, at: &State, numbers: &[f64], sizes: [usize; 2]) -> Vec<Change> {
        let rows = numbers.chunks_exact(at.q.len() + at.p.len());
        if self.plain {
            let each = rows.map(|row| row.split_at(at.q.len()));
            return each
                .map(|(x, y)| Change {
                    x: x.to_vec(),
                    y: y.to_vec(),
                    ..Change::default()
                })
                .collect();
        }
        let mut out = vec![zero(sizes); rows.len()];
        if largest_of(numbers) == 0.0 {
            return out;
        }
        let mut unit = zero(sizes);
        for k in 0..sizes[0] + sizes[1] {
            *entry(&mut unit, k) = 1.0;
            let column = self.ambient(at, &unit);
            for (out, row) in out.iter_mut().zip(rows.clone()) {
                *entry(out, k) = dot(&column, row);
            }
            *entry(&mut unit, k) = 0.0;
        }
        out
    }

    /// Fᵀ of gradients in canonical coordinates at the start, one after the other.
    pub(super) fn gradients_at_start(&self, at: &State, gradients: &[Change]) -> Vec<f64> {
        if self.plain {
            let each = gradients
                .iter()
                .flat_map(|gradient| gradient.x.iter().chain(&gradient.y));
            return each.copied().collect();
        }
        let wide = at.q.len() + at.p.len();
        let mut out = vec![0.0; wide * gradients.len()];
        let mut unit = vec![0.0; wide];
        for k in 0..wide {
            unit[k] = 1.0;
            let change = self.change(at, &unit);
            for (out, gradient) in out.chunks_exact_mut(wide).zip(gradients) {
                out[k] = dot(&change.x, &gradient.x) + dot(&change.y, &gradient.y);
            }
            unit[k] = 0.0;
        }
        out
    }
}

/// What coordinates and momenta are measured in: the largest at both ends, or one where there is nothing.
pub(super) fn units(start: &State, end: &State) -> [f64; 2] {
    let both = |a: &[f64], b: &[f64]| match largest_of(a).max(largest_of(b)) {
        0.0 => 1.0,
        size => size,
    };
    [both(&start.q, &end.q), both(&start.p, &end.p)]
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn largest_of(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |most, number| most.max(number.abs()))
}

/// The same as a unit: one where all is zero.
pub(super) fn largest(numbers: &[f64]) -> f64 {
    match largest_of(numbers) {
        0.0 => 1.0,
        size => size,
    }
}

pub(super) fn certain(found: Result<Vec<f64>, Infallible>) -> Vec<f64> {
    let Ok(found) = found;
    found
}

fn zero([half, momenta]: [usize; 2]) -> Change {
    Change {
        x: vec![0.0; half],
        y: vec![0.0; momenta],
        ..Change::default()
    }
}

fn entry(change: &mut Change, k: usize) -> &mut f64 {
    let half = change.x.len();
    if k < half {
        &mut change.x[k]
    } else {
        &mut change.y[k - half]
    }
}
