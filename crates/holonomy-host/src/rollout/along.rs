//! What goes along a tape: changes of numbers, inputs and outputs forwards, their gradients backwards.
use super::{
    Family, Ins, Outs, bare,
    chart::{certain, dot, largest, largest_of},
    own,
};
use crate::flow::Flow;
use holonomy::{
    derivative::{Along, Change, OFFSET, Step, slope},
    integrator::Fault,
    output::Output,
    system::State,
};
use nalgebra::{DMatrix, DVector};

/// Outputs, and when they are read.
pub(super) struct Reading<'a> {
    flow: &'a mut Flow,
    outputs: &'a [Output],
    samples: &'a [usize],
    width: usize,
    /// Of each column the coordinate that it is, if it is one and states are their own canonical coordinates.
    coordinates: Vec<Option<usize>>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(flow: &'a mut Flow, outputs: &'a [Output], samples: &'a [usize], plain: bool) -> Self {
        let width = outputs.iter().map(Output::width).sum();
        let names = &flow.system().layout().coordinates;
        let of = |output: &Output| names.iter().position(|name| plain && *name == output.name);
        let each = outputs.iter();
        let coordinates = each.flat_map(|output| vec![of(output); output.width()]).collect();
        Self {
            flow,
            outputs,
            samples,
            width,
            coordinates,
        }
    }

    /// How outputs change with each direction of a state, a row for each: of a coordinate that is known.
    fn slopes(&mut self, state: &State) -> DMatrix<f64> {
        let mut out = DMatrix::zeros(self.width, self.flow.directions(state));
        let mut row = 0;
        for output in self.outputs {
            match self.coordinates[row] {
                Some(k) => out[(row, k)] = 1.0,
                None => {
                    let found = self.flow.slopes(std::slice::from_ref(output), state);
                    out.rows_mut(row, output.width()).copy_from(&found);
                }
            }
            row += output.width();
        }
        out
    }

    /// Which sample is taken after k steps.
    fn sample(&self, k: usize) -> Option<usize> {
        self.samples.binary_search(&k).ok().filter(|_| self.width > 0)
    }

    /// How outputs change with the state.
    fn along(&mut self, state: &State, change: &Change) -> Vec<f64> {
        let size = largest_of(&change.x).max(largest_of(&change.y) / largest(&state.p));
        if size == 0.0 {
            return vec![0.0; self.width];
        }
        let each = change.x.iter().chain(&change.y);
        let change = DVector::from_iterator(change.x.len() + change.y.len(), each.map(|z| z / size));
        let found = certain(slope(OFFSET, |s| {
            let moved = self.flow.moved(state, &(&change * s));
            Ok(self.flow.read(self.outputs, &moved))
        }));
        found.iter().map(|y| y * size).collect()
    }

    /// How they change with a number of the model where the state stays.
    fn by_number(&self, family: &mut Family, i: usize, state: &State) -> Vec<f64> {
        let mut each = family.neighbours[i].iter_mut();
        certain(slope(family.offsets[i], |_| {
            let read = each.next().map(|flow| flow.read(self.outputs, state));
            Ok(read.unwrap_or_default())
        }))
    }
}

/// Changes on their way to the end.
pub(super) struct Pushed<'a> {
    pub(super) reading: Reading<'a>,
    pub(super) family: &'a mut Family,
    pub(super) ins: &'a Ins,
    pub(super) count: usize,
    pub(super) steps: usize,
    pub(super) scales: &'a [f64],
    /// What was read, of each change one after the other.
    pub(super) found: Vec<Vec<f64>>,
}

impl Along for Pushed<'_> {
    fn at(&mut self, k: usize, state: &State, changes: &mut [Change]) -> Result<(), Fault> {
        if self.reading.sample(k).is_none() {
            return Ok(());
        }
        let state = bare(state);
        let mut rows: Vec<Vec<f64>> = changes
            .iter()
            .map(|change| self.reading.along(&state, change))
            .collect();
        for i in 0..self.family.offsets.len() {
            let by = self.reading.by_number(self.family, i, &state);
            for (c, row) in rows.iter_mut().enumerate() {
                let change = own(&self.ins.numbers, self.count, c)[i];
                row.iter_mut().zip(&by).for_each(|(y, by)| *y += change * by);
            }
        }
        for (found, row) in self.found.iter_mut().zip(rows) {
            found.extend(row);
        }
        Ok(())
    }

    fn equations(&mut self, step: &Step<'_>, changes: &mut [Change]) -> Result<(), Fault> {
        for change in &mut *changes {
            change.equations.clear();
        }
        for i in 0..self.family.offsets.len() {
            if (0..self.count).all(|c| own(&self.ins.numbers, self.count, c)[i] == 0.0) {
                continue;
            }
            let slope = self.family.parameters.slope(i, step)?;
            for (c, change) in changes.iter_mut().enumerate() {
                let by = own(&self.ins.numbers, self.count, c)[i];
                change.equations.resize(slope.len(), 0.0);
                let each = change.equations.iter_mut().zip(&slope);
                each.for_each(|(own, slope)| *own += by * slope);
            }
        }
        Ok(())
    }

    fn efforts(&mut self, k: usize, efforts: &mut [f64]) -> Result<(), Fault> {
        let wide = self.scales.len();
        for c in 0..self.count {
            let inputs = &own(&self.ins.inputs, self.count, c)[k * wide..(k + 1) * wide];
            let each = efforts[c * wide..(c + 1) * wide].iter_mut();
            for ((effort, input), scale) in each.zip(inputs).zip(self.scales) {
                *effort += scale * input;
            }
        }
        debug_assert_eq!(own(&self.ins.inputs, self.count, 0).len(), self.steps * wide);
        Ok(())
    }
}

/// Gradients on their way back.
pub(super) struct Pulled<'a> {
    pub(super) reading: Reading<'a>,
    pub(super) family: &'a mut Family,
    pub(super) outs: &'a Outs,
    pub(super) count: usize,
    pub(super) scales: &'a [f64],
    /// What coordinates and momenta are measured in.
    pub(super) units: [f64; 2],
    /// How large what a gradient began with was, all of it.
    pub(super) seeds: Vec<f64>,
    /// Of each gradient what was gathered of numbers.
    pub(super) numbers: Vec<Vec<f64>>,
    /// And of inputs.
    pub(super) inputs: Vec<Vec<f64>>,
}

impl Pulled<'_> {
    fn size(&self, gradient: &Change) -> f64 {
        largest_of(&gradient.x).max(0.0) * self.units[0] + largest_of(&gradient.y) * self.units[1]
    }

    /// Notes what gradients begin with.
    pub(super) fn seed(&mut self, gradients: &[Change]) {
        for (c, gradient) in gradients.iter().enumerate() {
            self.seeds[c] += self.size(gradient);
        }
    }

    /// By how much the one that grew most grew.
    pub(super) fn growth(&self, gradients: &[Change]) -> f64 {
        let each = gradients.iter().zip(&self.seeds);
        each.filter(|(_, seed)| **seed > 0.0)
            .map(|(gradient, seed)| self.size(gradient) / seed)
            .fold(0.0, f64::max)
    }
}

impl Along for Pulled<'_> {
    fn at(&mut self, k: usize, state: &State, gradients: &mut [Change]) -> Result<(), Fault> {
        let width = self.reading.width;
        let row = |outs: &Outs, count: usize, c: usize, sample: usize| -> DVector<f64> {
            let all = own(&outs.outputs, count, c);
            DVector::from_column_slice(&all[sample * width..(sample + 1) * width])
        };
        let sample = self.reading.sample(k).filter(|sample| {
            // Nothing is asked of most samples where only the end counts.
            (0..self.count).any(|c| row(self.outs, self.count, c, *sample).amax() > 0.0)
        });
        if let Some(sample) = sample {
            let state = bare(state);
            let slopes = self.reading.slopes(&state);
            for (c, gradient) in gradients.iter_mut().enumerate() {
                let more = slopes.tr_mul(&row(self.outs, self.count, c, sample));
                let (half, momenta) = (gradient.x.len(), gradient.y.len());
                let more = Change {
                    x: more.rows(0, half).iter().copied().collect(),
                    y: more.rows(half, momenta).iter().copied().collect(),
                    ..Change::default()
                };
                self.seeds[c] += self.size(&more);
                super::add(gradient, 1.0, &more);
            }
            for i in 0..self.family.offsets.len() {
                let by = self.reading.by_number(self.family, i, &state);
                for c in 0..self.count {
                    self.numbers[c][i] += dot(row(self.outs, self.count, c, sample).as_slice(), &by);
                }
            }
        }
        if k == 0 {
            for (numbers, gradient) in self.numbers.iter_mut().zip(&*gradients) {
                for (i, number) in numbers.iter_mut().enumerate() {
                    let start = self.family.parameters.start(i);
                    *number += dot(&start.x, &gradient.x) + dot(&start.y, &gradient.y);
                }
            }
        }
        Ok(())
    }

    fn equations(&mut self, step: &Step<'_>, gradients: &mut [Change]) -> Result<(), Fault> {
        for i in 0..self.family.offsets.len() {
            let slope = self.family.parameters.slope(i, step)?;
            for (numbers, gradient) in self.numbers.iter_mut().zip(&*gradients) {
                numbers[i] += dot(&slope, &gradient.equations);
            }
        }
        Ok(())
    }

    fn efforts(&mut self, k: usize, efforts: &mut [f64]) -> Result<(), Fault> {
        let wide = self.scales.len();
        for (c, inputs) in self.inputs.iter_mut().enumerate() {
            let own = inputs[k * wide..(k + 1) * wide].iter_mut();
            for ((input, effort), scale) in own.zip(&efforts[c * wide..(c + 1) * wide]).zip(self.scales) {
                *input = scale * effort;
            }
        }
        Ok(())
    }
}
