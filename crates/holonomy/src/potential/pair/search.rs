//! Neighbour lists, made for eight clusters of eight slots at a time.
//!
//! ```text
//! around a group       whose leaves are within reach of its box, sorted by number
//! around a cluster     those of them within reach of a ball around it: still sorted
//! on a list            those of them within reach of the slot
//! ```
use super::{
    group::{GROUP, Group},
    tree::{BoxTree, Place},
};
use crate::simd::{Kernel, LANES, Level, Vector};

/// Where lists are made.
pub(super) struct Ground<'a> {
    /// Around the anchors.
    pub(super) tree: &'a BoxTree,
    /// Of the slots.
    pub(super) numbers: &'a [u32],
    /// Of the slots, with the sentinel in lanes without a point.
    pub(super) anchors: &'a [Place],
    /// The slot of the sentinel.
    pub(super) sentinel: u32,
    pub(super) reach: f64,
}

/// Memory of a search.
#[derive(Clone, Default)]
pub(super) struct Search {
    /// Candidates: slots with numbers above them.
    pub(super) around: Vec<u64>,
    /// Their places, in whole vectors.
    places: [Vec<f64>; 3],
    /// Those of them around a cluster.
    chosen: Vec<u32>,
    rows: Vec<[u32; LANES]>,
}

impl Search {
    /// Makes the lists of the group that begins with a slot; returns how many entries they have.
    pub(super) fn make(&mut self, ground: &Ground, first: usize, group: &mut Group, level: Level) -> usize {
        let mut entries = 0;
        level.run(Making {
            search: self,
            ground,
            first,
            group,
            entries: &mut entries,
        });
        entries
    }
}

struct Making<'a> {
    search: &'a mut Search,
    ground: &'a Ground<'a>,
    first: usize,
    group: &'a mut Group,
    entries: &'a mut usize,
}

impl Kernel for Making<'_> {
    #[inline(always)]
    fn run<V: Vector>(self, token: V::Token) {
        let (search, ground) = (self.search, self.ground);
        search.gather::<V>(token, ground, self.first);
        self.group.clear();
        let end = ground.anchors.len().min(self.first + GROUP);
        for first in (self.first..end).step_by(LANES) {
            search.choose::<V>(token, ground, first);
            let counts = search.list::<V>(token, ground, first);
            let longest = counts.into_iter().max().unwrap_or(0);
            self.group.push(&search.rows[..longest]);
            *self.entries += counts.into_iter().sum::<usize>();
        }
    }
}

impl Search {
    /// Everybody around a group, by number.
    #[inline(always)]
    fn gather<V: Vector>(&mut self, token: V::Token, ground: &Ground, first: usize) {
        let Self { around, places, .. } = self;
        around.clear();
        let group = ground.tree.eight(first / GROUP);
        let mut near = ground.tree.near(group, ground.reach);
        while let Some(leaf) = near.next::<V>(token) {
            let first = leaf * LANES;
            let numbers = ground.numbers[first..].iter().take(LANES).zip(first as u64..);
            around.extend(numbers.map(|(number, slot)| u64::from(*number) << 32 | slot));
        }
        around.sort_unstable();
        for (axis, places) in places.iter_mut().enumerate() {
            places.clear();
            places.extend(
                around
                    .iter()
                    .map(|slot| ground.anchors[*slot as u32 as usize][axis]),
            );
            places.resize(around.len().next_multiple_of(LANES), f64::INFINITY);
        }
    }

    /// Those around the group that are around a cluster of it.
    #[inline(always)]
    fn choose<V: Vector>(&mut self, token: V::Token, ground: &Ground, first: usize) {
        let ([x, y, z, _], radius) = ground.tree.leaf(first / LANES).ball();
        let centre = [V::all(token, x), V::all(token, y), V::all(token, z)];
        let reach = (ground.reach + radius) * (1.0 + 1e-9);
        let [x, y, z] = &self.places;
        let (x, y, z) = (x.as_chunks().0, y.as_chunks().0, z.as_chunks().0);
        self.chosen.resize(self.around.len() + LANES, 0);
        let mut count = 0;
        for (k, ((x, y), z)) in x.iter().zip(y).zip(z).enumerate() {
            let place = [V::load(token, x), V::load(token, y), V::load(token, z)];
            let within = square_apart(centre, place).within(reach * reach);
            for lane in 0..LANES {
                self.chosen[count] = (k * LANES + lane) as u32;
                count += usize::from(within >> lane & 1);
            }
        }
        self.chosen.truncate(count);
    }

    /// Puts those around a cluster on its lists; returns how many are on each.
    #[inline(always)]
    fn list<V: Vector>(&mut self, token: V::Token, ground: &Ground, first: usize) -> [usize; LANES] {
        let own = V::gather(
            token,
            ground.anchors,
            &std::array::from_fn(|lane| (first + lane) as u32),
        );
        let [x, y, z] = &self.places;
        let rows = &mut self.rows;
        rows.resize(self.chosen.len() + 1, [0; LANES]);
        let mut counts = [0; LANES];
        for k in &self.chosen {
            let (k, slot) = (*k as usize, self.around[*k as usize] as u32);
            let place = [V::all(token, x[k]), V::all(token, y[k]), V::all(token, z[k])];
            let within = square_apart(own, place).within(ground.reach * ground.reach);
            // Nobody is on the list of its own.
            let itself = 1_u8.checked_shl(slot.wrapping_sub(first as u32)).unwrap_or(0);
            let within = within & !itself;
            for lane in 0..LANES {
                rows[counts[lane]][lane] = slot;
                counts[lane] += usize::from(within >> lane & 1);
            }
        }
        let longest = counts.into_iter().max().unwrap_or(0);
        for (lane, count) in counts.into_iter().enumerate() {
            for row in &mut rows[count..longest] {
                row[lane] = ground.sentinel;
            }
        }
        counts
    }
}

#[inline(always)]
pub(super) fn square_apart<V: Vector>(a: [V; 3], b: [V; 3]) -> V {
    let (x, y, z) = (a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    x * x + y * y + z * z
}
