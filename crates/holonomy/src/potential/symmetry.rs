//! Rotations that change nothing: they decide which angular momenta are conserved.
//!
//! Where they do not follow from the kind of a potential they are found from torques. Rotations about e leave V alone
//! if and only if
//!
//! ```text
//! e · τ = 0,    τ = Σₖ aₖ × ∂V/∂rₖ,      aₖ the part of rₖ that turns
//! ```
//! everywhere. If V is analytic, some configurations taken at random are enough: τ spans the axes that are no symmetry.
use crate::{Vec3, math};

/// Rotations that leave a potential unchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Symmetry {
    /// All rotations.
    All,
    /// Rotations about one axis (a unit vector).
    About(Vec3),
    /// None.
    None,
}

impl Symmetry {
    /// What is left when both must hold.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, s) | (s, Self::All) => s,
            (Self::About(a), Self::About(b)) if parallel(&a, &b) => self,
            _ => Self::None,
        }
    }

    /// Rotations that leave each of these vectors where it is.
    pub fn fixing<'a>(vectors: impl IntoIterator<Item = &'a Vec3>) -> Self {
        vectors
            .into_iter()
            .filter(|v| v.norm() > 0.0)
            .fold(Self::All, |s, v| s.and(Self::About(v.normalize())))
    }

    /// The axes that none of these torques has a part along. Each is relative to the sizes of its terms.
    pub fn without_torque(torques: &[Vec3]) -> Self {
        let largest = |list: &mut dyn Iterator<Item = Vec3>| {
            list.max_by(|a, b| a.norm().total_cmp(&b.norm()))
                .unwrap_or_default()
        };
        let first = largest(&mut torques.iter().copied());
        if first.norm() <= NO_TORQUE {
            return Self::All;
        }
        let normal = largest(&mut torques.iter().map(|torque| first.normalize().cross(torque)));
        // Torques along one line only would be against algebra: two symmetries make a third.
        if normal.norm() <= NO_TORQUE {
            return Self::None;
        }
        let found = normal.normalize();
        // The axes of coordinates without a rounding, if it is one.
        let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
        let axis = axes.into_iter().find(|axis| axis.cross(&found).norm() < 1e-8);
        let axis = axis.unwrap_or(found);
        match torques.iter().all(|torque| torque.dot(&axis).abs() <= NO_TORQUE) {
            true => Self::About(axis),
            false => Self::None,
        }
    }
}

/// Rounding of a torque, relative to its terms, with some loss of digits in their computation.
const NO_TORQUE: f64 = 1e-10;

/// What carries the points of a potential, as far as it matters to symmetry.
pub struct Carriers<'a> {
    /// Rotations that leave what is fixed in space where it is, up to a common shift: enough for potentials of
    /// differences and directions.
    pub anchors: Symmetry,
    /// Configurations taken at random, by number; the same at every call.
    pub configuration: &'a dyn Fn(u64) -> Configuration,
}

/// Points, and the part of each that turns when all that moves is turned.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// Places or directions.
    pub points: Vec<Vec3>,
    /// Of a direction, itself; of a place, what carries it on from where it is anchored; of a fixed point, zero.
    pub arms: Vec<Vec3>,
}

/// A vector within the cube from −1 to 1: the same for the same numbers, else as if at random.
pub(crate) fn scattered(number: u64, index: usize) -> Vec3 {
    // SplitMix64, Steele, Lea & Flood (2014).
    let mut state = number
        .wrapping_mul(0xd1b5_4a32_d192_ed03)
        .wrapping_add((index as u64).wrapping_mul(0x8cb9_2ba7_2f3d_8dd7));
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 * math::powi(2.0, -52) - 1.0
    };
    Vec3::new(next(), next(), next())
}

/// Up to the rounding of the vectors' own components.
fn parallel(a: &Vec3, b: &Vec3) -> bool {
    a.cross(b).norm() <= 1e-14
}
