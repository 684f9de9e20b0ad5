//! Neighbour lists, corrected after some points got new anchors.
//!
//! ```text
//! the point itself                                  gets a list, from those around it
//! those within reach of its new anchor              get it on their lists, unless it is there
//! those within reach of the old one, but no more    get it off
//! ```
use super::{
    group::{GROUP, Group},
    search::{Ground, Search, square_apart},
    tree::{Bounds, Place, lanes},
};
use crate::simd::{Kernel, LANES, Level, Vector};

/// A point with a new anchor.
#[derive(Clone, Copy)]
pub(super) struct Stray {
    pub(super) slot: u32,
    /// The anchor it had.
    pub(super) before: Place,
}

/// A slot comes on some lists of a cluster, a bit for each, and goes off others.
#[derive(Clone, Copy)]
pub(super) struct Correction {
    pub(super) cluster: u32,
    slot: u32,
    on: u8,
    off: u8,
}

impl Correction {
    /// Does it in the group of the cluster, as far as it is not done.
    pub(super) fn apply(&self, ground: &Ground, group: &mut Group) {
        let cluster = self.cluster as usize % (GROUP / LANES);
        for lane in lanes(self.on) {
            let number = |slot: u32| ground.numbers[slot as usize];
            let is_after = |other: u32| number(other) > number(self.slot);
            group.insert(cluster, lane, self.slot, ground.sentinel, is_after);
        }
        for lane in lanes(self.off) {
            group.remove(cluster, lane, self.slot, ground.sentinel);
        }
    }
}

impl Search {
    /// Makes the list of a stray in its group, and says what is to be corrected for it elsewhere. Where it came from
    /// farther away than the skin, it stays on lists in vain, which does no harm.
    pub(super) fn follow(
        &mut self,
        ground: &Ground,
        stray: &Stray,
        skin: f64,
        group: &mut Group,
        corrections: &mut Vec<Correction>,
        level: Level,
    ) {
        self.around.clear();
        level.run(Following {
            ground,
            stray,
            farthest: ground.reach + skin,
            near: &mut self.around,
            corrections,
        });
        self.around.sort_unstable();
        let list = self.around.iter().map(|entry| *entry as u32);
        let slot = stray.slot as usize;
        group.write(slot % GROUP / LANES, slot % LANES, list, ground.sentinel);
    }
}

struct Following<'a> {
    ground: &'a Ground<'a>,
    stray: &'a Stray,
    farthest: f64,
    near: &'a mut Vec<u64>,
    corrections: &'a mut Vec<Correction>,
}

impl Kernel for Following<'_> {
    #[inline(always)]
    fn run<V: Vector>(self, token: V::Token) {
        let Ground {
            tree,
            numbers,
            anchors,
            reach,
            ..
        } = *self.ground;
        let slot = self.stray.slot as usize;
        let [x, y, z, _] = anchors[slot];
        let now = [V::all(token, x), V::all(token, y), V::all(token, z)];
        let [x, y, z, _] = self.stray.before;
        let before = [V::all(token, x), V::all(token, y), V::all(token, z)];
        let mut near = tree.near(Bounds::around(&anchors[slot..=slot]), self.farthest);
        while let Some(leaf) = near.next::<V>(token) {
            let of_leaf = V::gather(
                token,
                anchors,
                &std::array::from_fn(|lane| (leaf * LANES + lane) as u32),
            );
            let now = square_apart(of_leaf, now).within(reach * reach);
            let before = square_apart(of_leaf, before).within(reach * reach);
            // Nobody is near itself.
            let others = if leaf == slot / LANES {
                !(1 << (slot % LANES))
            } else {
                u8::MAX
            };
            if (now ^ before) & others != 0 {
                self.corrections.push(Correction {
                    cluster: leaf as u32,
                    slot: self.stray.slot,
                    on: now & !before & others,
                    off: before & !now & others,
                });
            }
            for other in lanes(now & others).map(|lane| leaf * LANES + lane) {
                self.near.push(u64::from(numbers[other]) << 32 | other as u64);
            }
        }
    }
}
