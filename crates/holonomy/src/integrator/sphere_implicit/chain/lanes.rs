//! A few neighbouring links at once.
pub(super) use crate::simd::Lanes;
use crate::simd::Triple;

/// W vectors.
pub(super) type Vectors<const W: usize> = Triple<Lanes<W>>;

impl<const W: usize> Lanes<W> {
    /// The values one link before these, given the group before.
    #[inline(always)]
    pub(super) fn after(self, before: Self) -> Self {
        Self(std::array::from_fn(|l| {
            if l == 0 { before.0[W - 1] } else { self.0[l - 1] }
        }))
    }

    /// The values one link beyond these, given the group beyond.
    #[inline(always)]
    pub(super) fn before(self, beyond: Self) -> Self {
        Self(std::array::from_fn(|l| {
            if l == W - 1 { beyond.0[0] } else { self.0[l + 1] }
        }))
    }

    /// Zero where it is finite, and what is not a number elsewhere.
    #[inline(always)]
    pub(super) fn stray(self) -> Self {
        self * Self::all(0.0)
    }

    /// The larger of both sizes, lane by lane; what is not a number counts as larger.
    #[inline(always)]
    pub(super) fn larger(self, other: Self) -> Self {
        self.with(other, |a, b| if b.abs() <= a { a } else { b.abs() })
    }

    /// The largest lane; what is not a number counts as larger.
    pub(super) fn largest(self) -> f64 {
        self.0.iter().fold(0.0, |a, b| if *b <= a { a } else { *b })
    }
}

impl<const W: usize> Triple<Lanes<W>> {
    pub(super) fn zero() -> Self {
        let zero = Lanes::all(0.0);
        Self {
            x: zero,
            y: zero,
            z: zero,
        }
    }

    /// The vectors one link before these, given the group before.
    #[inline(always)]
    pub(super) fn after(self, before: Self) -> Self {
        Self {
            x: self.x.after(before.x),
            y: self.y.after(before.y),
            z: self.z.after(before.z),
        }
    }

    /// The vectors one link beyond these, given the group beyond.
    #[inline(always)]
    pub(super) fn before(self, beyond: Self) -> Self {
        Self {
            x: self.x.before(beyond.x),
            y: self.y.before(beyond.y),
            z: self.z.before(beyond.z),
        }
    }

    /// From vectors one after the other.
    pub(super) fn gather(&mut self, vectors: &[[f64; 3]]) {
        for (l, vector) in vectors.iter().enumerate().take(W) {
            [self.x.0[l], self.y.0[l], self.z.0[l]] = *vector;
        }
    }

    /// Into vectors one after the other.
    pub(super) fn scatter(&self, vectors: &mut [[f64; 3]]) {
        for (l, vector) in vectors.iter_mut().enumerate().take(W) {
            *vector = [self.x.0[l], self.y.0[l], self.z.0[l]];
        }
    }
}
