use super::State;
use serde::{Deserialize, Serialize};

/// What a method carries from one step to the next, beside the motion itself: the mesh of an adaptive method, digits
/// that rounding would lose, multipliers for an initial guess. Empty for most methods.
///
/// It names the method that wrote it and is marked with the `(q, p)` it belongs to. [`State::carried`] gives it back to
/// that method at that state and to nobody else: any other starts afresh from `(t, q, p)`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Carry {
    pub(crate) tag: Tag,
    /// Tells the `(q, p)` it belongs to from others. Two numbers, since a reader of JSON may keep 53 bits of one.
    pub(crate) mark: [u32; 2],
    pub(crate) numbers: Vec<f64>,
}

/// Whose numbers a [`Carry`] holds, and in which layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tag {
    pub(crate) method: [u8; 4],
    pub(crate) version: u32,
}

impl Tag {
    /// Four letters for a method, and the version of what it writes: a new one whenever the numbers mean something else.
    pub const fn new(method: [u8; 4], version: u32) -> Self {
        Self { method, version }
    }
}

impl Carry {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.tag = Tag::default();
        self.mark = [0; 2];
        self.numbers.clear();
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        (self.tag, self.mark) = (other.tag, other.mark);
        self.numbers.clone_from(&other.numbers);
    }

    /// How many numbers it holds.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The numbers, whoever wrote them.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }
}

impl State {
    /// What the method of this tag left at this very `(q, p)`; `None` if another method wrote it, or the state has
    /// moved since.
    pub fn carried(&self, tag: Tag) -> Option<&[f64]> {
        let Carry {
            tag: of,
            mark,
            numbers,
        } = &self.carry;
        (*of == tag && *mark == mark_of(&self.q, &self.p)).then_some(numbers)
    }

    /// Where the method of this tag leaves what belongs to the present `(q, p)`, to be changed or filled anew.
    pub fn carry_for(&mut self, tag: Tag) -> &mut Vec<f64> {
        self.carry.tag = tag;
        self.carry.mark = mark_of(&self.q, &self.p);
        &mut self.carry.numbers
    }
}

/// 64 bits mixed from all bits of q and p.
fn mark_of(q: &[f64], p: &[f64]) -> [u32; 2] {
    // An odd number without pattern, 2⁶⁴ over the golden ratio.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, bits: u64| (sum ^ bits).wrapping_mul(FACTOR).rotate_left(29);
    // Three that do not wait for each other.
    let mut sums = [1, 2, 3];
    for list in [q, p] {
        let (triples, rest) = list.as_chunks();
        for [x, y, z] in triples {
            let [a, b, c] = sums;
            sums = [mix(a, x.to_bits()), mix(b, y.to_bits()), mix(c, z.to_bits())];
        }
        for (sum, x) in sums.iter_mut().zip(rest) {
            *sum = mix(*sum, x.to_bits());
        }
    }
    let all = sums.into_iter().fold(0, mix);
    [(all >> 32) as u32, all as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: Tag = Tag::new(*b"ours", 1);

    fn state() -> State {
        let mut state = State::new(0.0, vec![1.0, 2.0, 3.0, 4.0], vec![5.0, 6.0]);
        state.carry_for(OURS).extend([7.0, 8.0]);
        state
    }

    #[test]
    fn it_is_given_to_its_method_at_its_state_only() {
        assert_eq!(state().carried(OURS), Some(&[7.0, 8.0][..]));
        for other in [Tag::new(*b"ours", 2), Tag::new(*b"mesh", 1), Tag::default()] {
            assert_eq!(state().carried(other), None);
        }
        let mut later = state();
        later.t += 1.0;
        assert!(later.carried(OURS).is_some(), "time is set by the caller");
        for k in 0..6 {
            let mut moved = state();
            let number = if k < 4 {
                &mut moved.q[k]
            } else {
                &mut moved.p[k - 4]
            };
            *number = number.next_up();
            assert_eq!(moved.carried(OURS), None, "number {k}");
        }
        // The same numbers, but one is a momentum.
        let mut shifted = state();
        shifted.p.insert(0, 4.0);
        shifted.q.pop();
        assert_eq!(shifted.carried(OURS), None);
    }

    #[test]
    fn what_is_cleared_belongs_to_nobody() {
        let mut state = state();
        state.carry.clear();
        assert_eq!((state.carried(OURS), state.carry.is_empty()), (None, true));
    }
}
