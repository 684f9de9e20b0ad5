//! Least squares over stretches that join, within bounds: after Levenberg and Marquardt, and Bock's multiple shooting.
//!
//! ```text
//! minimise |r|² + w² |c + η|²        r: data;   c_k = (e_k − s_{k+1})/σ: how far stretches are from joining
//! ```
//! by the numbers θ and the starts s_k of all stretches but the first. In one stretch there is no c, and this is
//! ordinary least squares. With more, w grows until η, which gathers what is left of c, closes them to rounding (the
//! method of multipliers): at first each stretch may follow its data, which holds chaos back, and at the end all are one
//! run. A step solves the linearised problem; its matrix is tridiagonal in blocks but for θ, and the starts are
//! eliminated one after the other, which leaves a small problem within bounds for θ.
use super::shooting::{Halt, Run, Shot, Slopes};
use crate::{control::boxed, flow::Flow};
use holonomy::system::State;
use nalgebra::{DMatrix, DVector};

/// Accepted steps.
const MOST: usize = 200;
/// A step that promises less than this part of the squares has nothing left to find.
const NOTHING_LEFT: f64 = 1e-13;
/// The same before the weight grows.
const LITTLE_LEFT: f64 = 1e-3;
/// Squares of so little are rounding, in units of the columns.
const EXACT: f64 = 1e-26;
/// Stretches that are no further apart are joined, in parts of what the state moves in one.
pub(super) const JOINED: f64 = 1e-9;
/// From where continuity counts for little against data, to where it counts for most.
const WEIGHTS: [f64; 6] = [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0];

/// Where the search is.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) theta: DVector<f64>,
    /// Where stretches start, but for the first.
    pub(super) starts: Vec<State>,
}

/// What is seen there.
pub(super) struct Seen {
    pub(super) shots: Vec<Shot>,
    residuals: Vec<DVector<f64>>,
    gaps: Vec<DVector<f64>>,
}

/// What came of a search.
pub(super) struct Found {
    pub(super) place: Place,
    pub(super) seen: Seen,
    pub(super) slopes: Vec<Slopes>,
    pub(super) history: Vec<f64>,
    pub(super) stopped: bool,
    pub(super) over: bool,
}

impl Seen {
    pub(super) fn squares(&self) -> f64 {
        self.residuals.iter().map(DVector::norm_squared).sum()
    }

    /// The largest part by which stretches miss each other.
    pub(super) fn gap(&self) -> f64 {
        self.gaps.iter().map(DVector::amax).fold(0.0, f64::max)
    }

    fn value(&self, weight: f64, shifts: &[DVector<f64>]) -> f64 {
        let gaps = self.gaps.iter().zip(shifts);
        let apart: f64 = gaps.map(|(gap, shift)| (gap + shift).norm_squared()).sum();
        self.squares() + weight * weight * apart
    }
}

/// A search, and what numbers are measured in.
pub(super) struct Search<'a> {
    pub(super) run: Run<'a>,
    /// What each direction of the state moves by in a stretch.
    units: DVector<f64>,
}

impl<'a> Search<'a> {
    pub(super) fn new(run: Run<'a>) -> Self {
        Self {
            run,
            units: DVector::zeros(0),
        }
    }

    /// All stretches from their starts.
    fn look(&self, place: &Place) -> Result<Seen, Halt> {
        let model = self.run.with(place.theta.as_slice())?;
        let mut flow = Flow::new(&model);
        let starts = std::iter::once(&model.state).chain(&place.starts);
        let shots: Result<Vec<Shot>, Halt> = starts
            .enumerate()
            .map(|(k, start)| self.run.shot(&mut flow, k, start))
            .collect();
        let shots = shots?;
        let data = self.run.data;
        let residuals = shots.iter().enumerate();
        let gaps = place.starts.iter().zip(&shots);
        Ok(Seen {
            residuals: residuals
                .map(|(k, shot)| data.residuals(self.run.first_row(k), &shot.rows))
                .collect(),
            gaps: gaps
                .map(|(next, shot)| flow.apart(next, &shot.end).component_div(&self.units))
                .collect(),
            shots,
        })
    }

    /// Starts of stretches, each from the end of the one before it, moved to where its own data lead.
    fn begin(&mut self, theta: &DVector<f64>) -> Result<Vec<State>, Halt> {
        let (model, count) = (self.run.with(theta.as_slice())?, self.run.stretches());
        let mut flow = Flow::new(&model);
        let (mut state, mut moved) = (model.state.clone(), DVector::zeros(flow.directions(&model.state)));
        for k in 0..count {
            let end = self.run.shot(&mut flow, k, &state)?.end;
            moved = moved.sup(&flow.apart(&state, &end).abs());
            state = end;
        }
        // What hardly moves is measured in what moves: coordinates and momenta each among themselves.
        let [half, _] = flow.sizes(&model.state);
        let of = |part: &[f64]| part.iter().fold(f64::MIN_POSITIVE, |size, x| size.max(*x));
        let (x, y) = (of(&moved.as_slice()[..half]), of(&moved.as_slice()[half..]));
        self.units = DVector::from_fn(moved.len(), |i, _| {
            moved[i].max(1e-3 * if i < half { x } else { y })
        });
        let mut starts: Vec<State> = Vec::new();
        let mut start = model.state.clone();
        for k in 0..count {
            if k > 0 {
                start = self.settled(theta, &mut flow, &starts, k, start)?;
                starts.push(start.clone());
            }
            start = self.run.shot(&mut flow, k, &start)?.end;
            start.carry.clear();
        }
        Ok(starts)
    }

    /// A start from which a stretch follows its data, not far from a guess.
    fn settled(
        &self,
        theta: &DVector<f64>,
        flow: &mut Flow,
        before: &[State],
        k: usize,
        guess: State,
    ) -> Result<State, Halt> {
        // What data say counts ten thousand times more: with a hundred times, some chaotic runs were not followed.
        const NEAR: f64 = 0.01;
        let residuals = |flow: &mut Flow, state: &State| -> Result<DVector<f64>, Halt> {
            let shot = self.run.shot(flow, k, state)?;
            Ok(self.run.data.residuals(self.run.first_row(k), &shot.rows))
        };
        let mut state = guess.clone();
        let mut now = residuals(flow, &state)?;
        let mut damping = 1e-3;
        let scale = DMatrix::from_diagonal(&self.units);
        for _ in 0..8 {
            let mut starts = before.to_vec();
            starts.push(state.clone());
            let slopes = self.run.slopes_of(theta.as_slice(), &starts, k)?.rows_by_start * &scale;
            let off = flow.apart(&guess, &state).component_div(&self.units);
            let mut square = slopes.tr_mul(&slopes);
            for i in 0..square.nrows() {
                square[(i, i)] += NEAR * NEAR + damping * square[(i, i)];
            }
            let gradient = slopes.tr_mul(&now) + &off * (NEAR * NEAR);
            let Some(factors) = square.cholesky() else { break };
            let step = -factors.solve(&gradient).component_mul(&self.units);
            let next = flow.moved(&state, &step);
            match residuals(flow, &next) {
                Ok(off) if off.norm_squared() < now.norm_squared() => {
                    (state, now, damping) = (next, off, damping * 0.1);
                }
                Err(Halt::Stopped) => return Err(Halt::Stopped),
                _ => damping = f64::max(damping, 1e-3) * 30.0,
            }
        }
        state.carry.clear();
        Ok(state)
    }

    /// Seeks from given numbers. `tell` is told of every step.
    pub(super) fn run(
        &mut self,
        theta: DVector<f64>,
        tell: &mut dyn FnMut(usize, f64),
    ) -> Result<Found, Halt> {
        let begun = match self.run.stretches() {
            1 => Ok(Vec::new()),
            _ => self.begin(&theta),
        };
        let begun = begun.and_then(|starts| {
            let place = Place {
                theta: theta.clone(),
                starts,
            };
            let seen = self.look(&place)?;
            let slopes = self.run.slopes(place.theta.as_slice(), &place.starts)?;
            Ok((place, seen, slopes))
        });
        let mut stopped = matches!(begun, Err(Halt::Stopped));
        let (mut place, mut seen, mut slopes) = match begun {
            // The best so far are the numbers that it began with, in one run.
            Err(Halt::Stopped) => {
                self.run.cut(1);
                self.run.go_on();
                let place = Place {
                    theta,
                    starts: Vec::new(),
                };
                let seen = self.look(&place)?;
                let slopes = self.run.slopes(place.theta.as_slice(), &[])?;
                (place, seen, slopes)
            }
            begun => begun?,
        };
        let mut shifts = vec![DVector::zeros(self.units.len()); place.starts.len()];
        let joined = place.starts.is_empty();
        let mut stage = if joined { WEIGHTS.len() - 1 } else { 0 };
        let (mut damping, mut history) = (1e-3, vec![seen.squares()]);
        let mut over = false;
        let mut closings = 0;
        while !over && !stopped && history.len() < MOST {
            if self.run.stop.load(std::sync::atomic::Ordering::Relaxed) {
                stopped = true;
                break;
            }
            let weight = WEIGHTS[stage];
            let before = seen.value(weight, &shifts);
            let problem = Problem::new(&seen, &slopes, &self.units, weight, &shifts);
            let step = self.step(&problem, &place, damping);
            let promised = step.as_ref().map_or(0.0, |step| problem.promise(step));
            let whole = stage + 1 == WEIGHTS.len();
            let enough = match whole {
                true => NOTHING_LEFT,
                false => LITTLE_LEFT,
            };
            if before <= EXACT * self.run.data.count() as f64 || promised <= enough * before || damping > 1e12
            {
                match (whole, joined || seen.gap() <= JOINED) {
                    (true, true) => over = true,
                    (false, _) => stage += 1,
                    (true, false) => {
                        closings += 1;
                        // Multipliers gain a factor of about w² each time: where these do not, nothing closes them.
                        if closings > 20 {
                            break;
                        }
                        for (shift, gap) in shifts.iter_mut().zip(&seen.gaps) {
                            *shift += gap;
                        }
                    }
                }
                damping = f64::min(damping, 1e-3);
                continue;
            }
            let better = match step {
                Some(step) => {
                    let next = self.moved(&place, &step)?;
                    match self.look(&next) {
                        Ok(seen) if seen.value(weight, &shifts) < before => Some((next, seen)),
                        Err(Halt::Stopped) => {
                            stopped = true;
                            break;
                        }
                        _ => None,
                    }
                }
                None => None,
            };
            match better {
                Some((next, there)) => {
                    match self.run.slopes(next.theta.as_slice(), &next.starts) {
                        Ok(found) => slopes = found,
                        Err(Halt::Stopped) => {
                            stopped = true;
                            (place, seen) = (next, there);
                            history.push(seen.squares());
                            break;
                        }
                        Err(halt) => return Err(halt),
                    }
                    (place, seen) = (next, there);
                    damping = f64::max(damping * 0.1, 1e-14);
                    history.push(seen.squares());
                    tell(history.len() - 1, seen.squares());
                }
                None => damping *= 10.0,
            }
        }
        Ok(Found {
            place,
            seen,
            slopes,
            history,
            stopped,
            over,
        })
    }

    fn step(&self, problem: &Problem, place: &Place, damping: f64) -> Option<Step> {
        let free = self.run.free.iter().zip(place.theta.iter());
        let limits: Vec<(f64, f64)> = free
            .map(|(free, theta)| (free.bounds.0 - theta, free.bounds.1 - theta))
            .collect();
        problem.solve(damping, &limits)
    }

    fn moved(&self, place: &Place, step: &Step) -> Result<Place, Halt> {
        let theta = &place.theta + &step.theta;
        let flow = Flow::new(self.run.model);
        let starts = place.starts.iter().zip(&step.starts);
        let starts = starts.map(|(start, by)| flow.moved(start, &by.component_mul(&self.units)));
        Ok(Place {
            theta,
            starts: starts.collect(),
        })
    }
}

/// A change of the numbers, and of the starts in their units.
struct Step {
    theta: DVector<f64>,
    starts: Vec<DVector<f64>>,
}

/// The linearised problem: `zᵀ H z + 2 gᵀ z` less for a step z.
struct Problem {
    /// Of the numbers.
    corner: DMatrix<f64>,
    gradient: DVector<f64>,
    /// Of each start: its own block, that with the next start, that with the numbers, and the gradient.
    blocks: Vec<Block>,
    /// What damps: the diagonals of data alone.
    damp: DVector<f64>,
}

struct Block {
    own: DMatrix<f64>,
    next: DMatrix<f64>,
    numbers: DMatrix<f64>,
    gradient: DVector<f64>,
    damp: DVector<f64>,
}

impl Problem {
    fn new(
        seen: &Seen,
        slopes: &[Slopes],
        units: &DVector<f64>,
        weight: f64,
        shifts: &[DVector<f64>],
    ) -> Self {
        let (p, n, square) = (slopes[0].rows.ncols(), units.len(), weight * weight);
        let mut out = Self {
            corner: DMatrix::zeros(p, p),
            gradient: DVector::zeros(p),
            blocks: Vec::new(),
            damp: DVector::zeros(p),
        };
        let scaled =
            |matrix: &DMatrix<f64>| DMatrix::from_fn(n, matrix.ncols(), |i, j| matrix[(i, j)] / units[i]);
        for _ in shifts {
            out.blocks.push(Block {
                own: DMatrix::zeros(n, n),
                next: DMatrix::zeros(n, n),
                numbers: DMatrix::zeros(n, p),
                gradient: DVector::zeros(n),
                damp: DVector::zeros(n),
            });
        }
        for (k, own) in slopes.iter().enumerate() {
            let r = &seen.residuals[k];
            let squares = own.rows.tr_mul(&own.rows);
            out.damp += squares.diagonal();
            out.corner += squares;
            out.gradient += own.rows.tr_mul(r);
            let by_start = (k > 0).then(|| {
                let scale = DMatrix::from_diagonal(units);
                (&own.rows_by_start * &scale, scaled(&own.end_by_start) * &scale)
            });
            if let (Some((rows, _)), Some(block)) = (&by_start, k.checked_sub(1)) {
                let block = &mut out.blocks[block];
                let squares = rows.tr_mul(rows);
                block.damp += squares.diagonal();
                block.own += squares;
                block.numbers += rows.tr_mul(&own.rows);
                block.gradient += rows.tr_mul(r);
            }
            if k == shifts.len() {
                continue;
            }
            // c + η = E δs + F δθ − δs⁺ + c + η
            let (end, off) = (scaled(&own.end), &seen.gaps[k] + &shifts[k]);
            out.corner += end.tr_mul(&end) * square;
            out.gradient += end.tr_mul(&off) * square;
            if let (Some((_, by_start)), Some(block)) = (&by_start, k.checked_sub(1)) {
                let block = &mut out.blocks[block];
                block.own += by_start.tr_mul(by_start) * square;
                block.next -= by_start.transpose() * square;
                block.numbers += by_start.tr_mul(&end) * square;
                block.gradient += by_start.tr_mul(&off) * square;
            }
            let next = &mut out.blocks[k];
            next.own += DMatrix::identity(n, n) * square;
            next.numbers -= end * square;
            next.gradient -= off * square;
        }
        out
    }

    /// Starts are eliminated from the first to the last; `None` where the matrix is not positive definite.
    fn solve(&self, damping: f64, limits: &[(f64, f64)]) -> Option<Step> {
        let largest = self.damp.amax();
        let mut corner = self.corner.clone();
        for (k, own) in self.damp.iter().enumerate() {
            corner[(k, k)] += damping * own.max(1e-12 * largest).max(f64::MIN_POSITIVE);
        }
        let mut gradient = self.gradient.clone();
        let mut known: Vec<(DMatrix<f64>, DMatrix<f64>, DVector<f64>)> = Vec::new();
        let mut carried: Option<(DMatrix<f64>, DMatrix<f64>, DVector<f64>)> = None;
        for block in &self.blocks {
            let mut own = block.own.clone();
            let (mut numbers, mut right) = (block.numbers.clone(), block.gradient.clone());
            let largest = block.damp.amax();
            for (k, damp) in block.damp.iter().enumerate() {
                own[(k, k)] += damping * damp.max(1e-12 * largest);
            }
            if let Some((of_own, of_numbers, of_right)) = carried.take() {
                own -= of_own;
                numbers -= of_numbers;
                right -= of_right;
            }
            let factors = own.cholesky()?;
            let (by_next, by_numbers) = (factors.solve(&block.next), factors.solve(&numbers));
            let by_right = factors.solve(&right);
            carried = Some((
                block.next.tr_mul(&by_next),
                block.next.tr_mul(&by_numbers),
                block.next.tr_mul(&by_right),
            ));
            corner -= numbers.tr_mul(&by_numbers);
            gradient -= numbers.tr_mul(&by_right);
            known.push((by_next, by_numbers, by_right));
        }
        let theta = boxed::minimum(&corner, &gradient, limits)?.place;
        let mut starts: Vec<DVector<f64>> = Vec::with_capacity(known.len());
        for (by_next, by_numbers, by_right) in known.iter().rev() {
            let mut start = -(by_right + by_numbers * &theta);
            if let Some(next) = starts.last() {
                start -= by_next * next;
            }
            starts.push(start);
        }
        starts.reverse();
        Some(Step { theta, starts })
    }

    /// By how much the squares fall if the problem is what it is linearised.
    fn promise(&self, step: &Step) -> f64 {
        let mut sum = -2.0 * self.gradient.dot(&step.theta) - step.theta.dot(&(&self.corner * &step.theta));
        for (k, (block, start)) in self.blocks.iter().zip(&step.starts).enumerate() {
            let mut image = &block.own * start + (&block.numbers * &step.theta) * 2.0;
            if let Some(next) = step.starts.get(k + 1) {
                image += (&block.next * next) * 2.0;
            }
            sum -= 2.0 * block.gradient.dot(start) + start.dot(&image);
        }
        sum
    }
}
