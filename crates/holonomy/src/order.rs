//! Putting lists in order, where that is rare: one sort serves all types.
//!
//! The sort of the standard library is compiled anew for every type and comparison, to six kilobytes each; here it sorts
//! numbers of places only, and what stands there follows.
use std::cmp::Ordering;

/// Sorts a list; what is equal stays in its order.
pub fn sort_by<T>(list: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let order = order(list.len(), &|a, b| compare(&list[a], &list[b]));
    let mut place = vec![0; list.len()];
    for (new, old) in order.into_iter().enumerate() {
        place[old] = new;
    }
    // Every exchange brings one to its place.
    for at in 0..list.len() {
        while place[at] != at {
            let to = place[at];
            list.swap(at, to);
            place.swap(at, to);
        }
    }
}

/// The same by a key.
pub fn sort_by_key<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(list, |a, b| key(a).cmp(&key(b)));
}

/// The places of a list in the order of what stands there.
fn order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sorts_as_the_standard_library_does_and_is_stable() {
        let mut seed = 7_u32;
        for count in [0, 1, 2, 3, 10, 100, 1000] {
            let mut list: Vec<(u32, usize)> = (0..count)
                .map(|k| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (seed >> 27, k)
                })
                .collect();
            let mut known = list.clone();
            known.sort_by_key(|(key, _)| *key);
            sort_by_key(&mut list, |(key, _)| *key);
            assert_eq!(list, known);
        }
    }
}
