//! Points in clusters of eight that are near each other, and a tree of boxes around them.
//!
//! ```text
//! leaf k     a box around the k-th eight slots; the tree has 2ᵐ leaves, the last ones empty
//! node i     a box around nodes 2i and 2i + 1; the first is 1
//! order      the points of a node are cut across its longest side: node 2i gets all its slots can take, and the less
//! ```
//! The order is good for finding, but no more: boxes are around their points wherever these have gone.
use crate::simd::LANES;

/// A place, and a number or nothing.
pub(super) type Place = [f64; 4];

/// A box of the tree.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Node {
    low: [f64; 3],
    high: [f64; 3],
    /// Of a leaf: the sum of its sides when the points were sorted.
    settled: f64,
}

/// Boxes around slots.
#[derive(Default)]
pub(super) struct Tree {
    /// The first is none.
    nodes: Vec<Node>,
}

impl Tree {
    /// Brings the places of a tree in order.
    pub(super) fn sort(places: &mut [Place]) {
        sort(places, room(places.len()));
    }

    /// Makes the boxes around places that have just been sorted.
    pub(super) fn make(&mut self, places: &[Place]) {
        self.nodes.clear();
        self.nodes.resize(2 * room(places.len()) / LANES, Node::EMPTY);
        let first = self.first_leaf();
        for (leaf, places) in self.nodes[first..].iter_mut().zip(places.chunks(LANES)) {
            *leaf = Node::around(places);
            leaf.settled = leaf.sides();
        }
        for node in (1..first).rev() {
            self.nodes[node] = self.nodes[2 * node].with(&self.nodes[2 * node + 1]);
        }
    }

    /// Makes a leaf around other places; returns how much larger it is than when they were sorted.
    pub(super) fn renew(&mut self, leaf: usize, places: &[Place]) -> f64 {
        let mut node = self.first_leaf() + leaf;
        let mut renewed = Node {
            settled: self.nodes[node].settled,
            ..Node::around(places)
        };
        let sides = renewed.sides();
        let growth = if sides > renewed.settled {
            sides / renewed.settled - 1.0
        } else {
            0.0
        };
        while node > 0 && self.nodes[node] != renewed {
            self.nodes[node] = renewed;
            node /= 2;
            renewed = self.nodes[2 * node].with(&self.nodes[2 * node + 1]);
        }
        growth
    }

    fn first_leaf(&self) -> usize {
        self.nodes.len() / 2
    }

    /// The box of so many leaves, a power of two, that begin at a multiple of it.
    pub(super) fn above(&self, first: usize, leaves: usize) -> &Node {
        &self.nodes[(self.first_leaf() + first) / leaves]
    }

    /// The leaves within a distance of a box, given by its square.
    #[inline]
    pub(super) fn near(&self, around: &Node, square: f64) -> impl Iterator<Item = usize> {
        let mut node = 1;
        std::iter::from_fn(move || {
            while node != 0 {
                let this = node;
                let is_near = self.nodes[this].is_near(around, square);
                if is_near && this < self.first_leaf() {
                    node = 2 * this;
                    continue;
                }
                // On to what is beside it, or beside the nearest above it that has something beside.
                node = (this + 1) >> (this + 1).trailing_zeros();
                node = if node == 1 { 0 } else { node };
                if is_near {
                    return Some(this - self.first_leaf());
                }
            }
            None
        })
    }
}

/// Slots of a tree for so many points: a group of lists at least.
fn room(count: usize) -> usize {
    count.next_power_of_two().max(super::group::GROUP)
}

fn sort(places: &mut [Place], room: usize) {
    let half = room / 2;
    if places.len() <= LANES {
        return;
    }
    if places.len() > half {
        let axis = Node::around(places).longest();
        places.select_nth_unstable_by(half, |a, b| a[axis].total_cmp(&b[axis]));
    }
    let (less, more) = places.split_at_mut(half.min(places.len()));
    sort(less, half);
    sort(more, half);
}

impl Node {
    pub(super) const EMPTY: Self = Self {
        low: [f64::INFINITY; 3],
        high: [f64::NEG_INFINITY; 3],
        settled: 0.0,
    };

    /// The box around some places.
    #[inline]
    pub(super) fn around(places: &[Place]) -> Self {
        let mut all = Self::EMPTY;
        for place in places {
            for axis in 0..3 {
                all.low[axis] = all.low[axis].min(place[axis]);
                all.high[axis] = all.high[axis].max(place[axis]);
            }
        }
        all
    }

    fn sides(&self) -> f64 {
        (0..3).map(|axis| self.high[axis] - self.low[axis]).sum()
    }

    fn with(&self, other: &Self) -> Self {
        Self {
            low: std::array::from_fn(|axis| self.low[axis].min(other.low[axis])),
            high: std::array::from_fn(|axis| self.high[axis].max(other.high[axis])),
            settled: 0.0,
        }
    }

    fn longest(&self) -> usize {
        let length = |axis: usize| self.high[axis] - self.low[axis];
        (1..3).fold(0, |longest, axis| {
            if length(axis) > length(longest) {
                axis
            } else {
                longest
            }
        })
    }

    /// Its middle, and the distance from there to its corners.
    pub(super) fn ball(&self) -> (Place, f64) {
        let mut centre = [0.0; 4];
        let mut square = 0.0;
        for axis in 0..3 {
            centre[axis] = 0.5 * (self.low[axis] + self.high[axis]);
            let half = self.high[axis] - centre[axis];
            square += half * half;
        }
        (centre, square.sqrt())
    }

    /// Whether another box is within a distance, given by its square.
    #[inline]
    fn is_near(&self, other: &Self, square: f64) -> bool {
        let apart = |axis: usize| {
            let gap = (other.low[axis] - self.high[axis]).max(self.low[axis] - other.high[axis]);
            let gap = gap.max(0.0);
            gap * gap
        };
        apart(0) + apart(1) + apart(2) <= square
    }
}
