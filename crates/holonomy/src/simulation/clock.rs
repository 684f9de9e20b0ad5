/// Time as `t₀ + k h`, never a running sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Clock {
    /// t₀, s.
    pub(super) origin: f64,
    /// h, s.
    pub(super) step: f64,
    /// k.
    pub(super) count: u64,
}

impl Clock {
    pub(super) fn new(origin: f64, step: f64) -> Self {
        Self {
            origin,
            step,
            count: 0,
        }
    }

    pub(super) fn now(&self) -> f64 {
        // At k = 0 the product is not added: −0 and an infinite h would change t₀.
        match self.count {
            0 => self.origin,
            count => self.origin + count as f64 * self.step,
        }
    }

    /// The clock for steps of size `step` from time `t`: itself if it shows that time, else one that starts there.
    pub(super) fn at(self, t: f64, step: f64) -> Self {
        let same = self.now().to_bits() == t.to_bits() && self.step.to_bits() == step.to_bits();
        if same { self } else { Self::new(t, step) }
    }
}
