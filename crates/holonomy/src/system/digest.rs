use super::State;

/// A hash of numbers, bit for bit, by which states that were computed in different places are compared: FNV-1a of their
/// bytes, the least significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    /// Takes one more number.
    pub fn add(&mut self, x: f64) {
        for byte in x.to_bits().to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// The hash.
    pub fn value(self) -> u64 {
        self.0
    }
}

impl State {
    /// The hash of t, q, p and λ. What a method carries is left out.
    pub fn digest(&self) -> u64 {
        let mut digest = Digest::default();
        digest.add(self.t);
        let numbers = self.q.iter().chain(&self.p).chain(&self.lambda);
        numbers.for_each(|x| digest.add(*x));
        digest.value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_fnv_1a_of_the_bytes() {
        // By Python: h = 0xcbf29ce484222325; for b in struct.pack('<3d', 0.5, 1, -2): h = (h ^ b) * 0x100000001b3 % 2**64
        let state = State::new(0.5, vec![1.0], vec![-2.0]);
        assert_eq!(state.digest(), DIGEST);
        let other = State::new(0.5, vec![1.0 + f64::EPSILON], vec![-2.0]);
        assert_ne!(other.digest(), DIGEST);
    }

    const DIGEST: u64 = 0x47d9_b3d2_dbeb_f895;
}
