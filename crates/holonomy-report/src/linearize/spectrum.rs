//! Rates at which neighbouring motions part: all Lyapunov exponents.
//!
//! ```text
//! A_k Q_{k−1} = Q_k R_k,     λ_i = Σ ln R_ii / T       (Benettin, Galgani, Giorgilli & Strelcyn)
//! ```
//! In minimal coordinates, momenta in a unit. Of a symplectic method they come in pairs ±λ, and their sum is zero.
use super::{LinearizeError, lost_as};
use holonomy::{
    derivative::{Flow, Minimal},
    math,
};
use holonomy_model::Model;
use nalgebra::DMatrix;
use serde::Serialize;

/// Lyapunov exponents.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spectrum {
    /// From the largest, 1/s.
    pub exponents: Vec<f64>,
    /// What each was over the first half of the time, or a little less of it where the user stopped it: how far they are
    /// from their limit.
    pub half: Vec<f64>,
    /// How long they were averaged, s.
    pub duration: f64,
    /// Their sum, 1/s: the rate at which volume shrinks.
    pub sum: f64,
}

/// Steps between two decompositions.
const CHUNK: u64 = 10;

impl Spectrum {
    /// Along the run of a model, as far as it goes before it is stopped.
    pub fn new(model: &Model, ahead: &mut dyn FnMut(u64, u64) -> bool) -> Result<Self, LinearizeError> {
        let mut flow = Flow::new(model.mechanism.clone(), model.integrator(), model.schedule.step);
        let mut state = model.state.clone();
        let mut minimal = Minimal::at(&model.mechanism, &state)?;
        let (half, unit) = (minimal.freedom(), flow.momentum_unit(&state, &minimal));
        let size = minimal.size();
        let scale = |k: usize| if k < half { 1.0 } else { unit };
        let mut frame = DMatrix::<f64>::identity(size, size);
        let (mut sums, mut middle) = (vec![0.0; size], vec![0.0; size]);
        // After each doubling of the time, for a half of it wherever it ends.
        let mut before: Vec<(u64, Vec<f64>)> = Vec::new();
        let steps = model.schedule.steps;
        let mut done = 0;
        while done < steps {
            if !ahead(done, steps) {
                let (first, _) = before.first().ok_or(LinearizeError::Stopped)?;
                let half = before.iter().rfind(|(then, _)| *then <= (done / 2).max(*first));
                middle = half.map(|(_, rates)| rates.clone()).unwrap_or(middle);
                break;
            }
            let count = CHUNK.min(steps - done);
            let found = flow
                .transition(&state, &minimal, count, &mut |_| true)
                .map_err(|error| lost_as(&flow, error))?;
            let Some((next, there, a)) = found else {
                return Err(LinearizeError::Stopped);
            };
            let scaled = DMatrix::from_fn(size, size, |i, k| a[(i, k)] * scale(k) / scale(i));
            let (q, r) = (scaled * &frame).qr().unpack();
            for (k, sum) in sums.iter_mut().enumerate() {
                *sum += math::ln(r[(k, k)].abs());
            }
            frame = q;
            (state, minimal) = (next, there);
            if done < steps / 2 {
                middle.clone_from(&sums);
                middle
                    .iter_mut()
                    .for_each(|sum| *sum /= (done + count) as f64 * flow.h);
            }
            done += count;
            if before.last().is_none_or(|(then, _)| done >= 2 * then) {
                let rates = sums.iter().map(|sum| sum / (done as f64 * flow.h));
                before.push((done, rates.collect()));
            }
        }
        let duration = done as f64 * flow.h;
        let mut each: Vec<(f64, f64)> = sums.iter().map(|sum| sum / duration).zip(middle).collect();
        each.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (exponents, half): (Vec<f64>, Vec<f64>) = each.into_iter().unzip();
        Ok(Self {
            sum: exponents.iter().sum(),
            exponents,
            half,
            duration,
        })
    }
}
