//! Newton's method for the equations of a periodic orbit.
use super::{OrbitError, Shot};
use crate::linearize::LinearizeError;
use holonomy::{
    derivative::{Flow, Minimal, OFFSET, least_within, slope},
    system::State,
};
use nalgebra::{DMatrix, DVector};

/// Where an orbit is sought: a state at the beginning of each segment, the period, and what is varied.
#[derive(Clone, Debug)]
pub(super) struct Guess {
    pub(super) states: Vec<State>,
    pub(super) period: f64,
    pub(super) parameter: f64,
}

/// The equations at a guess: what is left of them, and how it changes.
pub(super) struct Equations {
    pub(super) residual: DVector<f64>,
    pub(super) jacobian: DMatrix<f64>,
    /// Largest of what does not close.
    pub(super) open: f64,
    minimal: Vec<Minimal>,
    unit: f64,
}

/// What is held and what is free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kept {
    /// T is held.
    pub(super) period: bool,
    /// The energy at the start is this one.
    pub(super) energy: Option<f64>,
    /// The energy at the start is what is varied.
    pub(super) energy_varies: bool,
    /// What one is, of what is varied.
    pub(super) scale: f64,
    /// Singular values below this part of the largest are symmetries and conserved momenta.
    pub(super) symmetry: f64,
    /// Whether what is left open may be the error of the method.
    pub(super) loose: bool,
}

/// Makes the model with a value of what is varied.
pub(super) type Remake<'a> = dyn Fn(f64) -> Result<Shot, OrbitError> + 'a;

impl Guess {
    /// Steps of each segment.
    pub(super) fn shares(&self, steps: u64) -> Vec<u64> {
        let count = self.states.len() as u64;
        (0..count)
            .map(|k| (k + 1) * steps / count - k * steps / count)
            .collect()
    }

    /// All equations with their derivatives: unknown are segment after segment, T/T₀ and what is varied in its unit.
    pub(super) fn equations(
        &self,
        shot: &mut Shot,
        steps: u64,
        kept: &Kept,
        remake: Option<&Remake<'_>>,
        ahead: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Equations, OrbitError> {
        let h = self.period / steps as f64;
        shot.flow.h = h;
        let mechanism = shot.flow.mechanism.clone();
        let system = shot.flow.system.clone();
        let minimal: Result<Vec<Minimal>, _> = self
            .states
            .iter()
            .map(|state| Minimal::at(&mechanism, state))
            .collect();
        let minimal = minimal.map_err(LinearizeError::from)?;
        let half = minimal[0].freedom();
        let size = minimal[0].size();
        let count = self.states.len();
        let unit = shot.flow.momentum_unit(&self.states[0], &minimal[0]);
        let scale = |k: usize| if k < half { 1.0 } else { unit };
        let (of_period, of_parameter) = (count * size, count * size + 1);
        let columns = count * size + 2;
        let mut rows: Vec<DVector<f64>> = Vec::new();
        let mut left: Vec<f64> = Vec::new();
        let mut open = 0.0_f64;
        for (i, share) in self.shares(steps).into_iter().enumerate() {
            let next = (i + 1) % count;
            let found = shot
                .flow
                .transition(&self.states[i], &minimal[i], share, &mut |_| {
                    ahead(i as u64, count as u64)
                })
                .map_err(|error| shot.lost(error))?;
            let Some((end, there, matrix)) = found else {
                return Err(OrbitError::Stopped);
            };
            let apart = |end: &State| minimal[next].apart(&*system, &self.states[next], end);
            // From the coordinates that belong to the end of the segment to those of the next beginning: they are chosen
            // anew there, and near each other they differ by a linear map.
            let turn = changed(&there, &minimal[next]);
            let matrix = turn * matrix;
            let of_time = slope(OFFSET * 0.2, |s| {
                shot.flow.h = h * (1.0 + s);
                shot.flow.steps(&self.states[i], share).map(|end| apart(&end))
            });
            shot.flow.h = h;
            let of_time = of_time.map_err(|fault| shot.lost(fault.into()))?;
            let varied: Option<Vec<f64>> = match remake {
                None => None,
                Some(remake) => Some(slope(OFFSET * 0.2, |s| {
                    let mut other = remake(self.parameter + s * kept.scale)?;
                    other.flow.h = h;
                    let start = adapted(&other.flow, &self.states[i])?;
                    let end = other
                        .flow
                        .steps(&start, share)
                        .map_err(|fault| other.lost(fault.into()))?;
                    Ok::<_, OrbitError>(apart(&end))
                })?),
            };
            let rest = apart(&end);
            for r in 0..size {
                let mut row = DVector::zeros(columns);
                for k in 0..size {
                    row[i * size + k] += matrix[(r, k)] * scale(k) / scale(r);
                }
                row[next * size + r] -= 1.0;
                if !kept.period {
                    row[of_period] = of_time[r] / scale(r);
                }
                if let Some(varied) = &varied {
                    row[of_parameter] = varied[r] / scale(r);
                }
                open = open.max((rest[r] / scale(r)).abs());
                rows.push(row);
                left.push(rest[r] / scale(r));
            }
        }
        let (first, here) = (&self.states[0], &minimal[0]);
        let rate = shot.flow.rate(first, here, first);
        if !shot.timed {
            let mut row = DVector::zeros(columns);
            (0..size).for_each(|k| row[k] = rate[k] / scale(k));
            let length = row.norm();
            if length > 0.0 {
                rows.push(row / length);
                left.push(0.0);
            }
        }
        let wanted = match kept.energy_varies {
            true => Some(self.parameter),
            false => kept.energy,
        };
        if let Some(wanted) = wanted {
            let energy = |state: &State| system.energy(state).total();
            let mut row = DVector::zeros(columns);
            for k in 0..size {
                let each = slope(OFFSET, |s| {
                    let mut z = vec![0.0; size];
                    z[k] = s * scale(k);
                    here.moved(&mechanism, first, &z)
                        .map(|state| vec![energy(&state)])
                });
                row[k] = each.map_err(LinearizeError::from)?[0];
            }
            if kept.energy_varies {
                row[of_parameter] = -kept.scale;
            }
            let length = row.norm().max(f64::MIN_POSITIVE);
            rows.push(row / length);
            left.push((energy(first) - wanted) / length);
        }
        if kept.period {
            let mut row = DVector::zeros(columns);
            row[of_period] = 1.0;
            rows.push(row);
            left.push(0.0);
        }
        Ok(Equations {
            residual: DVector::from_vec(left),
            jacobian: DMatrix::from_fn(rows.len(), columns, |i, k| rows[i][k]),
            open,
            minimal,
            unit,
        })
    }

    /// The guess moved by a step of the unknowns, with the model that is right there.
    pub(super) fn moved(
        &self,
        at: &Equations,
        step: &DVector<f64>,
        kept: &Kept,
        shot: &mut Shot,
        remake: Option<&Remake<'_>>,
    ) -> Result<Self, OrbitError> {
        let count = self.states.len();
        let half = at.minimal[0].freedom();
        let size = at.minimal[0].size();
        let parameter = self.parameter + step[count * size + 1] * kept.scale;
        let mut states = Vec::with_capacity(count);
        for (i, (state, minimal)) in self.states.iter().zip(&at.minimal).enumerate() {
            let z: Vec<f64> = (0..size)
                .map(|k| step[i * size + k] * if k < half { 1.0 } else { at.unit })
                .collect();
            let mut moved = minimal
                .moved(&shot.flow.mechanism, state, &z)
                .map_err(LinearizeError::from)?;
            moved.t = state.t;
            states.push(moved);
        }
        if let Some(remake) = remake
            && parameter != self.parameter
        {
            *shot = remake(parameter)?;
            for state in &mut states {
                *state = adapted(&shot.flow, state)?;
            }
        }
        let period = self.period * (1.0 + step[count * size]);
        Ok(Self {
            states,
            period,
            parameter,
        })
    }
}

/// A state of a model that differs in a parameter, on the constraints of this one.
fn adapted(flow: &Flow, state: &State) -> Result<State, OrbitError> {
    let minimal = Minimal::at(&flow.mechanism, state).map_err(LinearizeError::from)?;
    let none = vec![0.0; minimal.size()];
    Ok(minimal
        .moved(&flow.mechanism, state, &none)
        .map_err(LinearizeError::from)?)
}

/// From minimal coordinates to others at the same state.
fn changed(from: &Minimal, to: &Minimal) -> DMatrix<f64> {
    let basis = from.basis();
    let size = basis.len();
    let mut out = DMatrix::zeros(size, size);
    for (k, change) in basis.iter().enumerate() {
        out.column_mut(k)
            .copy_from_slice(&to.coordinates(&change.x, &change.y));
    }
    out
}

/// Corrections at most, and where they end: closed to rounding, or no longer closer.
const MOST: usize = 40;
const CLOSED: f64 = 1e-13;
const NEARLY: f64 = 1e-8;
/// Singular values below this fraction are zero but for rounding.
pub(super) const SYMMETRY: f64 = 1e-9;
/// Where what is left open is that of the method, corrections end when they are this small.
const STILL: f64 = 1e-11;
/// The largest step, of coordinates, and of the period as a fraction.
const FAR: f64 = 0.3;

/// A guess that was corrected, with the equations there, how far it is from closing, and how many corrections it took.
pub(super) struct Corrected {
    pub(super) guess: Guess,
    pub(super) equations: Equations,
    pub(super) iterations: usize,
}

/// One equation more, on a branch.
#[derive(Clone, Copy, Debug)]
pub(super) enum Beside<'a> {
    /// Corrections are perpendicular to this direction.
    Across(&'a DVector<f64>),
    /// What is varied has this value.
    At(f64),
}

/// Corrects a guess.
pub(super) fn corrected(
    shot: &mut Shot,
    mut guess: Guess,
    steps: u64,
    kept: &Kept,
    remake: Option<&Remake<'_>>,
    beside: Option<Beside<'_>>,
    ahead: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Corrected, OrbitError> {
    let mut last = f64::INFINITY;
    let mut best = f64::INFINITY;
    let loose = kept.loose;
    for iterations in 0..MOST {
        let at = guess.equations(shot, steps, kept, remake, ahead)?;
        let size = at.residual.amax();
        if !size.is_finite() {
            break;
        }
        best = best.min(at.open);
        let settled = size <= CLOSED || (size <= NEARLY && size >= 0.5 * last);
        if settled && !loose {
            return Ok(Corrected {
                guess,
                equations: at,
                iterations,
            });
        }
        let (m, n) = at.jacobian.shape();
        let (mut rows, mut left) = (at.jacobian.clone(), at.residual.clone());
        if let Some(beside) = beside {
            rows = rows.insert_row(m, 0.0);
            left = left.insert_row(m, 0.0);
            match beside {
                Beside::Across(direction) => rows.row_mut(m).copy_from(&direction.transpose()),
                Beside::At(value) => {
                    rows[(m, n - 1)] = 1.0;
                    left[m] = (guess.parameter - value) / kept.scale;
                }
            }
        }
        let step = least_within(&rows, &left, kept.symmetry).ok_or(LinearizeError::NotFinite)?;
        let mut step = -step;
        let far = step.amax();
        if loose && (far <= STILL || (far <= NEARLY && far >= 0.5 * last)) {
            return Ok(Corrected {
                guess,
                equations: at,
                iterations,
            });
        }
        let most = step.rows(0, n - 1).amax();
        if most > FAR {
            step *= FAR / most;
        }
        last = if loose { far } else { size };
        guess = guess.moved(&at, &step, kept, shot, remake)?;
        if !(guess.period > 0.0 && guess.period.is_finite()) {
            break;
        }
    }
    Err(OrbitError::Open {
        iterations: MOST,
        residual: best,
    })
}
