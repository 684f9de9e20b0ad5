//! Values as bytes, and back: one writer and one reader, part by part.
use crate::{
    integrator::{Work, catalog::Options},
    simulation::{Fingerprint, Label, clock::Clock},
    system::{Carry, State, Tag},
};

#[derive(Default)]
pub(super) struct Writer {
    pub(super) bytes: Vec<u8>,
}

impl Writer {
    fn u32(&mut self, x: u32) {
        self.bytes.extend(x.to_le_bytes());
    }

    fn u64(&mut self, x: u64) {
        self.bytes.extend(x.to_le_bytes());
    }

    fn f64(&mut self, x: f64) {
        self.u64(x.to_bits());
    }

    fn option<T>(&mut self, x: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.bytes.push(u8::from(x.is_some()));
        if let Some(x) = x {
            write(self, x);
        }
    }

    fn list(&mut self, numbers: &[f64]) {
        self.u64(numbers.len() as u64);
        self.bytes.reserve(8 * numbers.len());
        numbers.iter().for_each(|x| self.f64(*x));
    }

    pub(super) fn text(&mut self, text: &str) {
        self.u64(text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }

    pub(super) fn label(&mut self, label: &Label) {
        let Label {
            method,
            options,
            model,
        } = label;
        let Options {
            fixed_point,
            one_sided,
            tolerance,
            max_iterations,
            rtol,
            atol,
            max_step,
            end,
        } = *options;
        self.text(method);
        self.bytes.extend([u8::from(fixed_point), u8::from(one_sided)]);
        self.option(max_iterations, Self::u32);
        for number in [tolerance, rtol, atol, max_step, end] {
            self.option(number, Self::f64);
        }
        self.option(*model, |writer, Fingerprint(bytes)| writer.bytes.extend(bytes));
    }

    pub(super) fn clock(&mut self, clock: &Clock) {
        self.f64(clock.origin);
        self.f64(clock.step);
        self.u64(clock.count);
    }

    /// Without its time.
    pub(super) fn state(&mut self, state: &State) {
        let State {
            t: _,
            q,
            p,
            lambda,
            work,
            carry: Carry { tag, mark, numbers },
        } = state;
        for list in [q, p, lambda, work] {
            self.list(list);
        }
        self.bytes.extend(tag.method);
        self.u32(tag.version);
        mark.iter().for_each(|half| self.u32(*half));
        self.list(numbers);
    }

    pub(super) fn work(&mut self, work: &Work) {
        let Work {
            steps,
            iterations,
            max_iterations,
            evaluations,
            substeps,
            rejected,
            dependent_steps,
            dependent,
        } = *work;
        for count in [
            steps,
            iterations,
            evaluations,
            substeps,
            rejected,
            dependent_steps,
        ] {
            self.u64(count);
        }
        self.u32(max_iterations);
        self.bytes.extend(dependent.to_le_bytes());
    }
}

/// Gives `None` where bytes are missing or have no meaning.
pub(super) struct Reader<'b> {
    left: &'b [u8],
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { left: bytes }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.left.split_first_chunk()?;
        self.left = rest;
        Some(*first)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn f64(&mut self) -> Option<f64> {
        self.u64().map(f64::from_bits)
    }

    fn flag(&mut self) -> Option<bool> {
        match self.array()? {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }

    fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.flag()? {
            true => read(self).map(Some),
            false => Some(None),
        }
    }

    /// So many items of a size, which must be there before anything is made for them.
    fn block(&mut self, size: usize) -> Option<&'b [u8]> {
        let count = usize::try_from(self.u64()?).ok()?;
        let (block, rest) = self.left.split_at_checked(count.checked_mul(size)?)?;
        self.left = rest;
        Some(block)
    }

    fn list(&mut self) -> Option<Vec<f64>> {
        let numbers = self.block(8)?.as_chunks().0;
        Some(numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
    }

    pub(super) fn text(&mut self) -> Option<String> {
        String::from_utf8(self.block(1)?.to_vec()).ok()
    }

    pub(super) fn label(&mut self) -> Option<Label> {
        let method = self.text()?;
        let (fixed_point, one_sided) = (self.flag()?, self.flag()?);
        let max_iterations = self.option(Self::u32)?;
        let mut number = || self.option(Self::f64);
        let options = Options {
            fixed_point,
            one_sided,
            max_iterations,
            tolerance: number()?,
            rtol: number()?,
            atol: number()?,
            max_step: number()?,
            end: number()?,
        };
        Some(Label {
            method,
            options,
            model: self.option(Self::array)?.map(Fingerprint),
        })
    }

    pub(super) fn clock(&mut self) -> Option<Clock> {
        Some(Clock {
            origin: self.f64()?,
            step: self.f64()?,
            count: self.u64()?,
        })
    }

    /// With time zero; the first version knew no work.
    pub(super) fn state(&mut self, version: u32) -> Option<State> {
        let mut state = State::new(0.0, self.list()?, self.list()?);
        state.lambda = self.list()?;
        if version > 1 {
            state.work = self.list()?;
        }
        state.carry = Carry {
            tag: Tag::new(self.array()?, self.u32()?),
            mark: [self.u32()?, self.u32()?],
            numbers: self.list()?,
        };
        Some(state)
    }

    pub(super) fn work(&mut self) -> Option<Work> {
        Some(Work {
            steps: self.u64()?,
            iterations: self.u64()?,
            evaluations: self.u64()?,
            substeps: self.u64()?,
            rejected: self.u64()?,
            dependent_steps: self.u64()?,
            max_iterations: self.u32()?,
            dependent: self.array().map(u128::from_le_bytes)?,
        })
    }
}
