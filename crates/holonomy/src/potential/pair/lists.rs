//! Who is near whom, for as long as nobody has moved far.
//!
//! ```text
//! list of a point    all others within outer + skin when it was made, by their numbers
//! it holds           until a point has moved by skin/2: then two may have come nearer by the skin
//! ```
//! The lists of eight points stand side by side, filled up with nobody. What is on a list and out of range adds zero to
//! a sum, so the age of a list does not show.
use super::{order::Order, strip};
use crate::{Vec3, simd::LANES, threads};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Lists of eight points that are made and summed together, at most.
pub(super) const CLUSTERS: usize = 32;

/// Entries of all lists together, at most: more would take half a gigabyte, and looking at all pairs less time.
const ENTRIES: usize = 1 << 27;

/// Candidates that are looked at together.
const LENGTH: usize = 128;
type Strip = strip::Strip<LENGTH>;

/// Cost of a list, ns.
const NANOSECONDS: usize = 200;

/// The distance of nobody: far from all, and its square is a number.
const NOWHERE: f64 = 1e150;

/// Points farther out have no list.
const FAR: f64 = 1e100;

/// The points as they are now, in slots, with the lists of the slots.
#[derive(Default)]
pub(super) struct Lists {
    order: Order,
    /// Where the points were when the lists were made; empty if there are none.
    made_for: Vec<Vec3>,
    /// The number of the point in each slot, and the slot of each point.
    pub(super) numbers: Vec<u32>,
    pub(super) slots: Vec<u32>,
    /// Of the slots; nobody at the end.
    pub(super) positions: Vec<[f64; 4]>,
    pub(super) groups: Vec<Group>,
    /// The groups have no lists, as everybody is on each of them; slots are numbers.
    pub(super) everybody: bool,
}

/// The lists of up to `CLUSTERS` clusters of eight slots.
#[derive(Clone, Default)]
pub(super) struct Group {
    /// Entry k of eight lists.
    pub(super) rows: Vec<[u32; LANES]>,
    /// The rows of each cluster end where those of the next begin.
    pub(super) ends: Vec<u32>,
    search: Search,
}

/// Memory of a search.
#[derive(Clone, Default)]
struct Search {
    /// Who may be near: slots, numbers above them, and places.
    candidates: Vec<u64>,
    places: [Vec<f64>; 3],
    found: Vec<u64>,
    lists: [Vec<u32>; LANES],
}

/// What [`Lists::update`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Update {
    /// The lists still hold.
    Kept,
    /// They were made anew.
    Made,
    /// A point is not at a place.
    NotFinite,
}

impl Lists {
    /// Moves the points; makes the lists anew if they no longer hold.
    pub(super) fn update(&mut self, points: &[Vec3], outer: f64, skin: f64) -> Update {
        let is_near = |point: &Vec3| point.iter().all(|x| x.abs() < FAR);
        if !points.iter().all(is_near) {
            return Update::NotFinite;
        }
        let limit = 0.25 * skin * skin * (1.0 - 1e-9);
        let moved = |(now, before): (&Vec3, &Vec3)| (now - before).norm_squared() > limit;
        let holds = self.made_for.len() == points.len() && !points.iter().zip(&self.made_for).any(moved);
        if !holds {
            self.make(points, (outer + skin) * (1.0 + 1e-9));
            return Update::Made;
        }
        self.place(points);
        Update::Kept
    }

    fn place(&mut self, points: &[Vec3]) {
        let nanoseconds = 2 * points.len();
        let (numbers, positions) = (&self.numbers, &mut self.positions[..points.len()]);
        let size = 1024;
        let tasks = (threads::parts(size, numbers), threads::pieces(size, positions));
        threads::run(nanoseconds, tasks, |_, (numbers, positions)| {
            for (number, position) in numbers.iter().zip(positions) {
                let point = &points[*number as usize];
                *position = [point.x, point.y, point.z, 0.0];
            }
        });
    }

    fn make(&mut self, points: &[Vec3], reach: f64) {
        let count = points.len();
        self.made_for.clear();
        self.made_for.extend_from_slice(points);
        self.order.sort(points, reach);
        self.number(count, |order, numbers| numbers.extend(order.numbers()));
        self.place(points);

        let size = CLUSTERS * LANES;
        self.groups.resize(count.div_ceil(size), Group::default());
        let (most, entries) = (ENTRIES.min(count * count / 2), AtomicUsize::new(0));
        let (order, numbers, positions) = (&self.order, &self.numbers, &self.positions);
        let groups = threads::pieces(1, &mut self.groups);
        threads::run(NANOSECONDS * count, groups, |k, group| {
            let slots = k * size..count.min((k + 1) * size);
            // Once there are too many, there is no use in more.
            if entries.load(Ordering::Relaxed) <= most {
                let found = group[0].make(slots, order, numbers, positions, reach * reach);
                entries.fetch_add(found, Ordering::Relaxed);
            }
        });
        self.everybody = entries.into_inner() > most;
        if self.everybody {
            self.groups.fill(Group::default());
            self.number(count, |_, numbers| numbers.extend(0..count as u32));
            self.place(points);
        }
    }

    /// Gives the points their slots.
    fn number(&mut self, count: usize, fill: impl FnOnce(&Order, &mut Vec<u32>)) {
        self.numbers.clear();
        fill(&self.order, &mut self.numbers);
        self.slots.resize(count, 0);
        for (slot, number) in self.numbers.iter().enumerate() {
            self.slots[*number as usize] = slot as u32;
        }
        // Lanes without a point are nobody too.
        self.positions.resize(count.next_multiple_of(LANES) + 1, [0.0; 4]);
        self.positions[count..].fill([NOWHERE, 0.0, 0.0, 0.0]);
    }
}

impl Group {
    /// Makes the lists of some slots; returns how many entries they have.
    fn make(
        &mut self,
        slots: std::ops::Range<usize>,
        order: &Order,
        numbers: &[u32],
        positions: &[[f64; 4]],
        square: f64,
    ) -> usize {
        let nobody = positions.len() as u32 - 1;
        self.rows.clear();
        self.ends.clear();
        let mut walk = order.walk(slots.start as u32);
        let mut searched = 0..0;
        let mut entries = 0;
        for slot in slots.clone() {
            while walk.slots().end <= slot as u32 {
                walk.advance();
            }
            if !searched.contains(&(slot as u32)) {
                searched = walk.slots();
                self.search.gather(walk.around(), numbers, positions);
            }
            entries += self.search.list(slot, positions[slot], square);
            let last = slot + 1 == slots.end;
            if (slot + 1) % LANES == 0 || last {
                let lists = &mut self.search.lists;
                let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
                let entry = |list: &Vec<u32>, k: usize| list.get(k).copied().unwrap_or(nobody);
                let rows = (0..longest).map(|k| std::array::from_fn(|lane| entry(&lists[lane], k)));
                self.rows.extend(rows);
                self.ends.push(self.rows.len() as u32);
                lists.iter_mut().for_each(Vec::clear);
            }
        }
        entries
    }
}

impl Search {
    /// Everybody in these ranges of slots.
    fn gather(&mut self, ranges: [std::ops::Range<u32>; 9], numbers: &[u32], positions: &[[f64; 4]]) {
        self.candidates.clear();
        self.places.iter_mut().for_each(Vec::clear);
        for range in ranges {
            let slots = range.start as usize..range.end as usize;
            let with_number = |(slot, number): (u32, &u32)| u64::from(*number) << 32 | u64::from(slot);
            let numbers = range.zip(&numbers[slots.clone()]);
            self.candidates.extend(numbers.map(with_number));
            for (axis, places) in self.places.iter_mut().enumerate() {
                places.extend(positions[slots.clone()].iter().map(|position| position[axis]));
            }
        }
    }

    /// Those of them within reach of a slot, by their numbers, on the list of its lane; returns how many.
    fn list(&mut self, slot: usize, position: [f64; 4], square: f64) -> usize {
        self.found.resize(self.candidates.len(), 0);
        let mut count = 0;
        let mut distances = Strip::ZERO;
        let [x, y, z] = &self.places;
        let places = x.chunks(LENGTH).zip(y.chunks(LENGTH)).zip(z.chunks(LENGTH));
        for (((x, y), z), candidates) in places.zip(self.candidates.chunks(LENGTH)) {
            for (((x, y), z), distance) in x.iter().zip(y).zip(z).zip(&mut *distances) {
                let (x, y, z) = (position[0] - x, position[1] - y, position[2] - z);
                *distance = x * x + y * y + z * z;
            }
            for (candidate, distance) in candidates.iter().zip(&*distances) {
                self.found[count] = *candidate;
                count += usize::from(*distance <= square && *candidate as u32 != slot as u32);
            }
        }
        let found = &mut self.found[..count];
        found.sort_unstable();
        self.lists[slot % LANES].extend(found.iter().map(|candidate| *candidate as u32));
        count
    }
}
