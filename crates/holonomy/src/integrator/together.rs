//! Many states side by side: in groups of eight, a lane for each.
use super::{Integrator, Member};
use crate::simd::LANES;

/// Steps that a group takes before its members are looked at: those of a group in which a step failed are taken again,
/// member by member.
pub(super) const ROW: u64 = 64;

/// Fewer than these are taken one by one: lanes that are empty cost as much as others.
const LEAST: usize = 3;

/// Takes the steps of [`Integrator::advance_many`] in groups. `row` takes some steps of a group, all or none: whether it
/// did. Lanes without a member repeat the first.
pub(super) fn in_groups<I: Integrator>(
    integrator: &mut I,
    members: &mut [Member],
    h: f64,
    count: u64,
    mut row: impl FnMut(&mut I, &mut [&mut Member], u64) -> bool,
) {
    let mut going: Vec<&mut Member> = members
        .iter_mut()
        .filter(|member| member.fault.is_none())
        .collect();
    for group in going.chunks_mut(LANES) {
        let mut left = count;
        while left > 0 {
            let steps = left.min(ROW);
            if group.len() < LEAST || !row(integrator, group, steps) {
                for member in group.iter_mut() {
                    one_by_one(integrator, member, h, steps);
                }
            }
            left -= steps;
        }
    }
}

/// So many steps of one member, unless one fails.
fn one_by_one<I: Integrator>(integrator: &mut I, member: &mut Member, h: f64, steps: u64) {
    let end = member.work.steps + steps;
    while member.work.steps < end && member.fault.is_none() {
        let left = end - member.work.steps;
        member.fault = integrator
            .advance(&mut member.state, h, left, &mut member.work)
            .err();
    }
}

/// Numbers of the members of a group, one in each lane.
pub(super) fn lanes(group: &[&mut Member], number: impl Fn(&Member) -> f64) -> [f64; LANES] {
    std::array::from_fn(|l| number(group.get(l).unwrap_or(&group[0])))
}
