//! The lists of eight clusters of eight slots.
use crate::simd::LANES;
use std::ops::Range;

/// Slots whose lists stand together.
pub(super) const GROUP: usize = 64;

/// Eight lists of a cluster side by side, those of eight clusters one after the other. Lists that are shorter than the
/// longest of their cluster are padded with the sentinel.
#[derive(Clone, Default)]
pub(super) struct Group {
    /// Entry k of eight lists.
    rows: Vec<[u32; LANES]>,
    /// The rows of each cluster end where those of the next begin.
    ends: [u32; GROUP / LANES],
    clusters: usize,
}

impl Group {
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.clusters = 0;
    }

    /// Adds a cluster.
    pub(super) fn push(&mut self, rows: &[[u32; LANES]]) {
        self.rows.extend_from_slice(rows);
        self.ends[self.clusters] = self.rows.len() as u32;
        self.clusters += 1;
    }

    /// Entries, padding included.
    pub(super) fn entries(&self) -> usize {
        self.rows.len() * LANES
    }

    #[inline(always)]
    fn range(&self, cluster: usize) -> Range<usize> {
        let start = if cluster == 0 { 0 } else { self.ends[cluster - 1] };
        start as usize..self.ends[cluster] as usize
    }

    /// Entry after entry of the lists of a cluster.
    #[inline(always)]
    pub(super) fn rows(&self, cluster: usize) -> &[[u32; LANES]] {
        &self.rows[self.range(cluster)]
    }

    /// Writes a list anew.
    pub(super) fn write(
        &mut self,
        cluster: usize,
        lane: usize,
        list: impl ExactSizeIterator<Item = u32>,
        sentinel: u32,
    ) {
        let length = list.len();
        while self.range(cluster).len() < length {
            self.lengthen(cluster, sentinel);
        }
        let range = self.range(cluster);
        let entries = list.chain(std::iter::repeat(sentinel));
        for (row, entry) in self.rows[range].iter_mut().zip(entries) {
            row[lane] = entry;
        }
        self.shorten(cluster, sentinel);
    }

    /// Puts a slot on a list if it is not there, before the first that `is_after` it.
    pub(super) fn insert(
        &mut self,
        cluster: usize,
        lane: usize,
        slot: u32,
        sentinel: u32,
        is_after: impl Fn(u32) -> bool,
    ) {
        let mut entry = slot;
        let range = self.range(cluster);
        for row in &mut self.rows[range] {
            if row[lane] == slot {
                return;
            }
            if entry != slot || row[lane] == sentinel || is_after(row[lane]) {
                entry = std::mem::replace(&mut row[lane], entry);
                if entry == sentinel {
                    return;
                }
            }
        }
        self.lengthen(cluster, sentinel);
        self.rows[self.ends[cluster] as usize - 1][lane] = entry;
    }

    /// Takes a slot off a list if it is there.
    pub(super) fn remove(&mut self, cluster: usize, lane: usize, slot: u32, sentinel: u32) {
        let range = self.range(cluster);
        let rows = &mut self.rows[range];
        if let Some(place) = rows.iter().position(|row| row[lane] == slot) {
            for k in place..rows.len() - 1 {
                rows[k][lane] = rows[k + 1][lane];
            }
            rows[rows.len() - 1][lane] = sentinel;
        }
        self.shorten(cluster, sentinel);
    }

    fn lengthen(&mut self, cluster: usize, sentinel: u32) {
        self.rows.insert(self.ends[cluster] as usize, [sentinel; LANES]);
        self.ends[cluster..self.clusters]
            .iter_mut()
            .for_each(|end| *end += 1);
    }

    /// Drops rows with sentinel at the end.
    fn shorten(&mut self, cluster: usize, sentinel: u32) {
        while self
            .rows(cluster)
            .last()
            .is_some_and(|row| *row == [sentinel; LANES])
        {
            self.rows.remove(self.ends[cluster] as usize - 1);
            self.ends[cluster..self.clusters]
                .iter_mut()
                .for_each(|end| *end -= 1);
        }
    }
}
