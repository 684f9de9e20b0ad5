//! Points in the order of the cells they are in, and the cells around each.
//!
//! ```text
//! cell      ⌊(x + 1)/a⌋ along each axis, with an edge a of at least the reach; what is outside of the cube around
//!           the sphere is in the cells at its border, so that points within reach are in the same cell or touching ones
//! key       (x·m + y)·m + z, with an empty cell on all sides: cells that touch have keys at 27 fixed differences,
//!           three in a row at nine places
//! ```
//! Only cells with points in them are kept. As keys ascend, so do the nine places: walking the cells finds them all.
use crate::Vec3;
use std::ops::Range;

/// Cells along an axis, at most: the keys of all fit 32 bits.
const MOST: f64 = 1000.0;

/// Points by cells, and by number within a cell. A slot is a place in this order.
#[derive(Default)]
pub(super) struct Order {
    /// For each slot the cell's key, and below it the point's number.
    sorted: Vec<u64>,
    /// Key and first slot of each cell, then a last one beyond all.
    cells: Vec<(u32, u32)>,
    /// Cells along an axis with those at the border.
    across: u32,
}

impl Order {
    /// Sorts the points into cells with edges of at least `reach`.
    pub(super) fn sort(&mut self, points: &[Vec3], reach: f64) {
        let along = (2.0 / reach * (1.0 - 1e-9)).floor().clamp(1.0, MOST);
        self.across = along as u32 + 2;
        let place = |x: f64| 1 + ((x + 1.0) * (0.5 * along)).clamp(0.0, along - 1.0) as u32;
        self.sorted.clear();
        self.sorted
            .extend(points.iter().enumerate().map(|(number, point)| {
                let key = (place(point.x) * self.across + place(point.y)) * self.across + place(point.z);
                u64::from(key) << 32 | number as u64
            }));
        self.sorted.sort_unstable();
        self.cells.clear();
        for (slot, entry) in self.sorted.iter().enumerate() {
            let key = (entry >> 32) as u32;
            if self.cells.last().is_none_or(|(last, _)| *last != key) {
                self.cells.push((key, slot as u32));
            }
        }
        self.cells.push((u32::MAX, points.len() as u32));
    }

    /// The points, in the order of the slots.
    pub(super) fn numbers(&self) -> impl ExactSizeIterator<Item = u32> {
        self.sorted.iter().map(|entry| *entry as u32)
    }

    /// Starts a walk over the slots from one of them on.
    pub(super) fn walk(&self, slot: u32) -> Walk<'_> {
        let cell = self.cells.partition_point(|(_, first)| *first <= slot) - 1;
        let across = i64::from(self.across);
        let mut around = [0; 9];
        for (k, offset) in around.iter_mut().enumerate() {
            *offset = (k as i64 / 3 - 1) * across * across + (k as i64 % 3 - 1) * across;
        }
        let key = i64::from(self.cells[cell].0);
        let places = around.map(|offset| {
            self.cells
                .partition_point(|(other, _)| i64::from(*other) < key + offset - 1)
        });
        Walk {
            cells: &self.cells,
            cell,
            around,
            places,
        }
    }
}

/// Goes from cell to cell, with the places of those around.
pub(super) struct Walk<'a> {
    cells: &'a [(u32, u32)],
    cell: usize,
    around: [i64; 9],
    /// The first cell that is not before the row at each of the nine places.
    places: [usize; 9],
}

impl Walk<'_> {
    /// The slots of this cell.
    pub(super) fn slots(&self) -> Range<u32> {
        self.cells[self.cell].1..self.cells[self.cell + 1].1
    }

    /// Goes on to the next cell.
    pub(super) fn advance(&mut self) {
        self.cell += 1;
    }

    /// The slots of this cell and of those that touch it, in nine ranges.
    pub(super) fn around(&mut self) -> [Range<u32>; 9] {
        let key = i64::from(self.cells[self.cell].0);
        let cell = |place: usize| i64::from(self.cells[place].0);
        std::array::from_fn(|k| {
            let middle = key + self.around[k];
            while cell(self.places[k]) < middle - 1 {
                self.places[k] += 1;
            }
            let mut end = self.places[k];
            while cell(end) <= middle + 1 {
                end += 1;
            }
            self.cells[self.places[k]].1..self.cells[end].1
        })
    }
}
