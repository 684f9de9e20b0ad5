//! Neighbour lists with a skin.
//!
//! ```text
//! anchor of a point   a place that it is never farther from than skin/2
//! list of a point     all others whose anchors are within outer + skin of its own, by their numbers
//! ```
//! Two points nearer than outer have anchors nearer than outer + skin. A point that strays farther than skin/2 from its
//! anchor gets a new one: its list is made anew, and those of others are corrected where it comes or goes.
//!
//! The lists of eight points stand side by side, padded with a sentinel. What is on a list and out of range adds zero to
//! a sum, so the age of a list does not show.
use super::{
    group::{GROUP, Group},
    mend::{Correction, Stray},
    search::{Ground, Search},
    tree::{BoxTree, Place},
};
use crate::{
    Vec3,
    simd::{LANES, Level},
    threads,
};
use std::{
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Slots of a task.
const BLOCK: usize = 4 * GROUP;

/// Clusters of eight slots in a task.
pub(super) const CLUSTERS: usize = BLOCK / LANES;

/// Entries of all lists together, at most: more would take half a gigabyte, and looking at all pairs less time.
const ENTRIES: usize = 1 << 27;

/// Cost of a list when all are made, and for a stray, with what is corrected for it, ns.
const MAKE: usize = 150;
const FOLLOW: usize = 800;
const CORRECT: usize = 200;

/// The place of the sentinel: far from all, and its square is a number.
const NOWHERE: Place = [1e150, 0.0, 0.0, 0.0];

/// Points farther out have no list.
const FAR: f64 = 1e100;

/// How far ahead of a point its new anchor is, as a part of the way from its old one.
const AHEAD: f64 = 0.75;

/// The points as they are now, in slots, with the lists of the slots.
#[derive(Default)]
pub(super) struct Lists {
    /// Around the anchors.
    tree: BoxTree,
    anchors: Vec<Place>,
    /// The number of the point in each slot, and the slot of each point.
    numbers: Vec<u32>,
    pub(super) slots: Vec<u32>,
    /// Of the slots; the sentinel at the end.
    pub(super) positions: Vec<Place>,
    pub(super) blocks: Vec<ListBlock>,
    /// There are no lists, as everybody is on each of them; slots are numbers.
    pub(super) everybody: bool,
    /// Strays so far, each counted by how much larger its cluster had become since the slots were given.
    scattered: f64,
}

/// What a task works on.
#[derive(Clone, Default)]
pub(super) struct ListBlock {
    groups: [Group; BLOCK / GROUP],
    search: Search,
    strays: Vec<Stray>,
    /// Whether a point is not at a place.
    lost: bool,
    /// What its strays ask for, here and elsewhere, and what all strays ask for here.
    asked_for: Vec<Correction>,
    to_do: Vec<Correction>,
}

/// What [`Lists::update`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Update {
    /// As many lists were made anew.
    Made(usize),
    /// A point is not at a place.
    NotFinite,
}

/// Whether it is a place that can have a list.
fn is_place(point: &Vec3) -> bool {
    point.iter().all(|x| x.abs() < FAR)
}

#[inline]
fn square_apart(a: &Place, b: &Place) -> f64 {
    let (x, y, z) = (a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    x * x + y * y + z * z
}

impl ListBlock {
    /// Entry after entry of the lists of a cluster.
    #[inline(always)]
    pub(super) fn rows(&self, cluster: usize) -> &[[u32; LANES]] {
        self.groups[cluster * LANES / GROUP].rows(cluster % (GROUP / LANES))
    }

    fn entries(&self) -> usize {
        self.groups.iter().map(Group::entries).sum()
    }
}

impl Lists {
    /// Moves the points; makes lists anew where they no longer hold.
    pub(super) fn update(&mut self, points: &[Vec3], outer: f64, skin: f64, level: Level) -> Update {
        let count = points.len();
        let reach = (outer + skin) * (1.0 + 1e-9);
        let limit = 0.25 * skin * skin * (1.0 - 1e-9);
        let known = self.numbers.len() == count;
        let strays = match known {
            true => self.place(points, limit),
            false => points.iter().all(is_place).then_some(count),
        };
        match strays {
            None => Update::NotFinite,
            Some(0) => Update::Made(0),
            // Beyond that it costs less to make all of them.
            Some(strays)
                if known && !self.everybody && self.scattered + strays as f64 <= 0.5 * count as f64 =>
            {
                self.anchor(limit);
                self.mend(reach, skin, strays, level);
                Update::Made(strays)
            }
            Some(_) => {
                self.settle(points, true);
                self.make(reach, level);
                if self.everybody {
                    self.settle(points, false);
                }
                Update::Made(count)
            }
        }
    }

    /// Moves the points, and finds those far from their anchors; returns how many, if all are at a place.
    fn place(&mut self, points: &[Vec3], limit: f64) -> Option<usize> {
        let count = points.len();
        let tasks = (
            threads::parts(BLOCK, &self.numbers),
            threads::parts(BLOCK, &self.anchors),
            threads::pieces(BLOCK, &mut self.positions[..count]),
            threads::pieces(1, &mut self.blocks),
        );
        threads::run(3 * count, tasks, |k, (numbers, anchors, positions, block)| {
            let ListBlock { strays, lost, .. } = &mut block[0];
            strays.clear();
            *lost = false;
            for (slot, ((number, anchor), position)) in numbers.iter().zip(anchors).zip(positions).enumerate()
            {
                let point = &points[*number as usize];
                *position = [point.x, point.y, point.z, 0.0];
                // What is not a number is not within the limit either.
                if !(square_apart(position, anchor) <= limit) {
                    let slot = (k * BLOCK + slot) as u32;
                    strays.push(Stray {
                        slot,
                        before: *anchor,
                    });
                    *lost |= !is_place(point);
                }
            }
        });
        let strays = || self.blocks.iter().map(|block| block.strays.len()).sum();
        self.blocks.iter().all(|block| !block.lost).then(strays)
    }

    /// Gives all points anchors, and slots: near ones if the points are near, or those of their numbers.
    fn settle(&mut self, points: &[Vec3], by_place: bool) {
        let count = points.len();
        let numbered = |(number, point): (usize, &Vec3)| [point.x, point.y, point.z, number as f64];
        self.positions.clear();
        self.positions.extend(points.iter().enumerate().map(numbered));
        if by_place {
            BoxTree::sort(&mut self.positions);
        }
        self.numbers.clear();
        self.numbers
            .extend(self.positions.iter().map(|position| position[3] as u32));
        self.slots.resize(count, 0);
        for (slot, number) in self.numbers.iter().enumerate() {
            self.slots[*number as usize] = slot as u32;
        }
        // Lanes without a point hold the sentinel too.
        self.positions.resize(count.next_multiple_of(LANES) + 1, NOWHERE);
        self.anchors.clear();
        self.anchors
            .extend_from_slice(&self.positions[..count.next_multiple_of(LANES)]);
        self.tree.make(&self.anchors[..count]);
        self.scattered = 0.0;
        if !by_place {
            self.blocks.clear();
        }
        self.blocks.resize(count.div_ceil(BLOCK), ListBlock::default());
    }

    /// Gives new anchors to strays: ahead of them, as they will go on for a while.
    fn anchor(&mut self, limit: f64) {
        let count = self.numbers.len();
        for stray in self.blocks.iter().flat_map(|block| &block.strays) {
            let slot = stray.slot as usize;
            let (anchor, position) = (&mut self.anchors[slot], &self.positions[slot]);
            let ahead = std::array::from_fn(|k| position[k] + AHEAD * (position[k] - anchor[k]));
            *anchor = if square_apart(&ahead, position) <= limit {
                ahead
            } else {
                *position
            };
            let first = slot / LANES * LANES;
            let cluster = &self.anchors[first..count.min(first + LANES)];
            self.scattered += self.tree.renew(slot / LANES, cluster);
        }
    }

    /// Makes all lists.
    fn make(&mut self, reach: f64, level: Level) {
        let count = self.numbers.len();
        let (most, entries) = (ENTRIES.min(count * count / 2), AtomicUsize::new(0));
        self.each_block(reach, MAKE * count, |ground, slots, block| {
            for (group, first) in block.groups.iter_mut().zip(slots.step_by(GROUP)) {
                // Once there are too many, there is no use in more.
                if entries.load(Ordering::Relaxed) <= most {
                    let of_group = block.search.make(ground, first, group, level);
                    entries.fetch_add(of_group, Ordering::Relaxed);
                }
            }
        });
        self.everybody = entries.into_inner() > most;
    }

    /// Makes the lists of strays, and corrects those of others.
    fn mend(&mut self, reach: f64, skin: f64, strays: usize, level: Level) {
        self.each_block(reach, FOLLOW * strays, |ground, _, block| {
            block.asked_for.clear();
            for stray in &block.strays {
                let group = &mut block.groups[stray.slot as usize % BLOCK / GROUP];
                block
                    .search
                    .follow(ground, stray, skin, group, &mut block.asked_for, level);
            }
        });
        for k in 0..self.blocks.len() {
            for i in 0..self.blocks[k].asked_for.len() {
                let correction = self.blocks[k].asked_for[i];
                self.blocks[correction.cluster as usize / CLUSTERS]
                    .to_do
                    .push(correction);
            }
        }
        self.each_block(reach, CORRECT * strays, |ground, _, block| {
            for correction in block.to_do.drain(..) {
                let group = correction.cluster as usize % CLUSTERS * LANES / GROUP;
                correction.apply(ground, &mut block.groups[group]);
            }
        });
        // Too long to be kept: see whether all should be on all lists.
        if self.blocks.iter().map(ListBlock::entries).sum::<usize>() > ENTRIES {
            self.scattered = f64::INFINITY;
        }
    }

    /// Does something to each block and the slots it has.
    fn each_block(
        &mut self,
        reach: f64,
        nanoseconds: usize,
        act: impl Fn(&Ground, Range<usize>, &mut ListBlock) + Sync,
    ) {
        let count = self.numbers.len();
        let ground = Ground {
            tree: &self.tree,
            numbers: &self.numbers,
            anchors: &self.anchors,
            sentinel: self.positions.len() as u32 - 1,
            reach,
        };
        let tasks = threads::pieces(1, &mut self.blocks);
        threads::run(nanoseconds, tasks, |k, block| {
            act(&ground, k * BLOCK..count.min((k + 1) * BLOCK), &mut block[0]);
        });
    }
}
