//! Points in clusters of eight that are near each other, and a tree of boxes around them.
//!
//! ```text
//! leaf k     a box around the k-th eight slots
//! octet k    the boxes of leaves 8k … 8k + 7; a level above, boxes around octets 8k … 8k + 7; and so on up to one octet
//! order      points are cut across the longest side of their box: half of the slots get the less, and are cut again
//! ```
//! The order is good for finding, but no more: boxes are around their points wherever these have gone.
use crate::simd::{LANES, Vector};

/// A place, and a number or nothing.
pub(super) type Place = [f64; 4];

/// A box, from its lowest corner to its highest.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    low: [f64; 3],
    high: [f64; 3],
}

/// Eight boxes side by side.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Octet {
    low: [[f64; LANES]; 3],
    high: [[f64; LANES]; 3],
}

/// Boxes around slots.
#[derive(Default)]
pub(super) struct BoxTree {
    /// Level by level, the leaves first.
    octets: Vec<Octet>,
    /// Where levels begin, and the end.
    levels: Vec<usize>,
    /// How large each leaf was when it was made.
    sizes: Vec<f64>,
}

/// Levels, at most: slots are numbered by 32 bits.
const DEPTH: usize = 12;

/// The lanes whose bits are set.
#[inline(always)]
pub(super) fn lanes(mut bits: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

impl BoxTree {
    /// Brings the places of a tree in order.
    pub(super) fn sort(places: &mut [Place]) {
        sort(places, places.len().next_power_of_two());
    }

    /// Makes the boxes around places that have just been sorted.
    pub(super) fn make(&mut self, places: &[Place]) {
        self.levels.clear();
        self.levels.push(0);
        let (mut end, mut boxes) = (0, places.len().div_ceil(LANES));
        while boxes != 1 || end == 0 {
            boxes = boxes.div_ceil(LANES).max(1);
            end += boxes;
            self.levels.push(end);
        }
        self.octets.clear();
        self.octets.resize(end, Octet::EMPTY);
        self.sizes.clear();
        for (leaf, places) in places.chunks(LANES).enumerate() {
            let bounds = Bounds::around(places);
            self.octets[leaf / LANES].set(leaf % LANES, &bounds);
            self.sizes.push(bounds.size());
        }
        for level in 1..self.levels.len() - 1 {
            for below in self.levels[level - 1]..self.levels[level] {
                let k = below - self.levels[level - 1];
                let whole = self.octets[below].whole();
                self.octets[self.levels[level] + k / LANES].set(k % LANES, &whole);
            }
        }
    }

    /// Makes a leaf around other places; returns how much larger it is than at first.
    pub(super) fn renew(&mut self, leaf: usize, places: &[Place]) -> f64 {
        let mut bounds = Bounds::around(places);
        let (size, at_first) = (bounds.size(), self.sizes[leaf]);
        let mut k = leaf;
        for start in &self.levels[..self.levels.len() - 1] {
            let octet = &mut self.octets[start + k / LANES];
            if octet.get(k % LANES) == bounds {
                break;
            }
            octet.set(k % LANES, &bounds);
            bounds = octet.whole();
            k /= LANES;
        }
        if size > at_first {
            size / at_first - 1.0
        } else {
            0.0
        }
    }

    /// The box of a leaf.
    pub(super) fn leaf(&self, leaf: usize) -> Bounds {
        self.octets[leaf / LANES].get(leaf % LANES)
    }

    /// The box around eight leaves, those of an octet.
    pub(super) fn eight(&self, octet: usize) -> Bounds {
        self.octets[octet].whole()
    }

    /// The leaves within a distance of a box.
    pub(super) fn near(&self, around: Bounds, distance: f64) -> Near<'_> {
        let top = self.levels.len().saturating_sub(2).min(DEPTH - 1);
        Near {
            tree: self,
            around,
            square: distance * distance,
            top,
            level: top,
            octet: 0,
            is_known: false,
            left: [0; DEPTH],
        }
    }
}

/// Goes from leaf to leaf.
pub(super) struct Near<'a> {
    tree: &'a BoxTree,
    around: Bounds,
    square: f64,
    top: usize,
    /// Which octet this is, and whether it was looked at.
    level: usize,
    octet: usize,
    is_known: bool,
    /// What is near and left, of it and of those above it.
    left: [u8; DEPTH],
}

impl Near<'_> {
    /// The next leaf. Not an iterator, as it must be inlined.
    #[inline(always)]
    pub(super) fn next<V: Vector>(&mut self, token: V::Token) -> Option<usize> {
        loop {
            let left = &mut self.left[self.level];
            if !self.is_known {
                let octet = self.tree.levels[self.level] + self.octet;
                *left = self.tree.octets[octet].near::<V>(token, &self.around, self.square);
                self.is_known = true;
            }
            let lane = left.trailing_zeros() as usize;
            if lane < LANES {
                *left &= *left - 1;
                let below = self.octet * LANES + lane;
                if self.level == 0 {
                    return Some(below);
                }
                (self.level, self.octet, self.is_known) = (self.level - 1, below, false);
            } else if self.level < self.top {
                (self.level, self.octet) = (self.level + 1, self.octet / LANES);
            } else {
                return None;
            }
        }
    }
}

fn sort(places: &mut [Place], room: usize) {
    let half = room / 2;
    if places.len() <= LANES {
        return;
    }
    if places.len() > half {
        let axis = Bounds::around(places).longest();
        places.select_nth_unstable_by(half, |a, b| a[axis].total_cmp(&b[axis]));
    }
    let (less, more) = places.split_at_mut(half.min(places.len()));
    sort(less, half);
    sort(more, half);
}

impl Bounds {
    /// The box around some places.
    #[inline]
    pub(super) fn around(places: &[Place]) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for place in places {
            for axis in 0..3 {
                low[axis] = least(low[axis], place[axis]);
                high[axis] = -least(-high[axis], -place[axis]);
            }
        }
        Self { low, high }
    }

    fn side(&self, axis: usize) -> f64 {
        self.high[axis] - self.low[axis]
    }

    fn longest(&self) -> usize {
        let longer = |a: usize, b: usize| if self.side(b) > self.side(a) { b } else { a };
        longer(longer(0, 1), 2)
    }

    fn size(&self) -> f64 {
        self.side(0) + self.side(1) + self.side(2)
    }

    /// Its middle, and the distance from there to its corners.
    pub(super) fn ball(&self) -> (Place, f64) {
        let centre = |axis: usize| 0.5 * (self.low[axis] + self.high[axis]);
        let centre = [centre(0), centre(1), centre(2), 0.0];
        let half = |axis: usize| self.high[axis] - centre[axis];
        let square = half(0) * half(0) + half(1) * half(1) + half(2) * half(2);
        (centre, square.sqrt())
    }
}

#[inline]
fn least(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

impl Octet {
    const EMPTY: Self = Self {
        low: [[f64::INFINITY; LANES]; 3],
        high: [[f64::NEG_INFINITY; LANES]; 3],
    };

    fn get(&self, lane: usize) -> Bounds {
        let [a, b, c] = &self.low;
        let [d, e, f] = &self.high;
        Bounds {
            low: [a[lane], b[lane], c[lane]],
            high: [d[lane], e[lane], f[lane]],
        }
    }

    fn set(&mut self, lane: usize, bounds: &Bounds) {
        for axis in 0..3 {
            self.low[axis][lane] = bounds.low[axis];
            self.high[axis][lane] = bounds.high[axis];
        }
    }

    /// The box around all.
    fn whole(&self) -> Bounds {
        let low = |axis: usize| self.low[axis].into_iter().fold(f64::INFINITY, least);
        let high = |axis: usize| {
            -self.high[axis]
                .into_iter()
                .fold(f64::INFINITY, |a, b| least(a, -b))
        };
        Bounds {
            low: [low(0), low(1), low(2)],
            high: [high(0), high(1), high(2)],
        }
    }

    /// Which boxes are within a distance of another, given by its square.
    #[inline(always)]
    fn near<V: Vector>(&self, token: V::Token, other: &Bounds, square: f64) -> u8 {
        let mut apart = V::all(token, 0.0);
        for axis in 0..3 {
            let above = V::load(token, &self.low[axis]) - other.high[axis];
            let below = V::all(token, other.low[axis]) - V::load(token, &self.high[axis]);
            let gap = above.at_least(0.0) + below.at_least(0.0);
            apart = apart + gap * gap;
        }
        apart.within(square)
    }
}
