//! Sobol's sequence: numbers that fill a cube more evenly than random ones do.
//!
//! ```text
//! mₖ = 2 a₁ mₖ₋₁ ⊕ 2² a₂ mₖ₋₂ ⊕ … ⊕ 2ˢ mₖ₋ₛ ⊕ mₖ₋ₛ       direction numbers of xˢ + a₁ xˢ⁻¹ + … + 1
//! xₙ = ⊕ₖ gₖ mₖ 2⁻ᵏ                                   g the Gray code of n
//! ```
//! The polynomials and the first direction numbers are those of Joe & Kuo, SIAM J. Sci. Comput. 30 (2008) 2635–2654,
//! `new-joe-kuo-6`. All points are shifted by the same random bits (a digital shift): each is then uniform, none is 0,
//! and they fill the cube as evenly as before.
use super::draw;

/// Axes that a sequence can have.
pub(super) const MOST_AXES: usize = 64;
/// Points that a sequence can have.
pub(super) const MOST_POINTS: u64 = 1 << BITS;
const BITS: usize = 32;

/// One axis of the sequence, shifted.
#[derive(Clone, Debug)]
pub(super) struct Sobol {
    directions: [u32; BITS],
    shift: u64,
}

impl Sobol {
    /// The axis with this number, below [`MOST_AXES`], shifted by bits of a seed.
    pub(super) fn new(axis: usize, seed: u64) -> Self {
        Self {
            directions: directions(axis),
            shift: draw::bits(seed ^ 0x5eed_50b0, axis as u64, 0),
        }
    }

    /// The coordinate of a point, in (0, 1).
    pub(super) fn at(&self, point: u64) -> f64 {
        let bits = (u64::from(self.plain(point)) << (64 - BITS)) ^ self.shift;
        draw::unit(bits)
    }

    /// The bits of a point that is not shifted, the first the highest.
    fn plain(&self, point: u64) -> u32 {
        let gray = point ^ (point >> 1);
        let set = (0..BITS).filter(|k| gray >> k & 1 == 1);
        set.fold(0, |bits, k| bits ^ self.directions[k])
    }
}

/// mₖ 2⁻ᵏ as the bits behind the point.
fn directions(axis: usize) -> [u32; BITS] {
    let mut m = [1_u64; BITS];
    if let Some((polynomial, first)) = axis.checked_sub(1).and_then(|k| JOE_KUO.get(k)) {
        let degree = first.len();
        for k in 0..BITS {
            m[k] = match first.get(k) {
                Some(number) => u64::from(*number),
                None => {
                    let taken = (1..=degree).filter(|i| polynomial >> (degree - i) & 1 == 1);
                    taken.fold(m[k - degree], |sum, i| sum ^ m[k - i] << i)
                }
            };
        }
    }
    std::array::from_fn(|k| (m[k] << (BITS - 1 - k)) as u32)
}

/// For each axis after the first a primitive polynomial, its bits from the highest power down, and its first direction
/// numbers.
const JOE_KUO: [(u32, &[u16]); MOST_AXES - 1] = [
    (3, &[1]),
    (7, &[1, 3]),
    (11, &[1, 3, 1]),
    (13, &[1, 1, 1]),
    (19, &[1, 1, 3, 3]),
    (25, &[1, 3, 5, 13]),
    (37, &[1, 1, 5, 5, 17]),
    (41, &[1, 1, 5, 5, 5]),
    (47, &[1, 1, 7, 11, 19]),
    (55, &[1, 1, 5, 1, 1]),
    (59, &[1, 1, 1, 3, 11]),
    (61, &[1, 3, 5, 5, 31]),
    (67, &[1, 3, 3, 9, 7, 49]),
    (91, &[1, 1, 1, 15, 21, 21]),
    (97, &[1, 3, 1, 13, 27, 49]),
    (103, &[1, 1, 1, 15, 7, 5]),
    (109, &[1, 3, 1, 15, 13, 25]),
    (115, &[1, 1, 5, 5, 19, 61]),
    (131, &[1, 3, 7, 11, 23, 15, 103]),
    (137, &[1, 3, 7, 13, 13, 15, 69]),
    (143, &[1, 1, 3, 13, 7, 35, 63]),
    (145, &[1, 3, 5, 9, 1, 25, 53]),
    (157, &[1, 3, 1, 13, 9, 35, 107]),
    (167, &[1, 3, 1, 5, 27, 61, 31]),
    (171, &[1, 1, 5, 11, 19, 41, 61]),
    (185, &[1, 3, 5, 3, 3, 13, 69]),
    (191, &[1, 1, 7, 13, 1, 19, 1]),
    (193, &[1, 3, 7, 5, 13, 19, 59]),
    (203, &[1, 1, 3, 9, 25, 29, 41]),
    (211, &[1, 3, 5, 13, 23, 1, 55]),
    (213, &[1, 3, 7, 3, 13, 59, 17]),
    (229, &[1, 3, 1, 3, 5, 53, 69]),
    (239, &[1, 1, 5, 5, 23, 33, 13]),
    (241, &[1, 1, 7, 7, 1, 61, 123]),
    (247, &[1, 1, 7, 9, 13, 61, 49]),
    (253, &[1, 3, 3, 5, 3, 55, 33]),
    (285, &[1, 3, 1, 15, 31, 13, 49, 245]),
    (299, &[1, 3, 5, 15, 31, 59, 63, 97]),
    (301, &[1, 3, 1, 11, 11, 11, 77, 249]),
    (333, &[1, 3, 1, 11, 27, 43, 71, 9]),
    (351, &[1, 1, 7, 15, 21, 11, 81, 45]),
    (355, &[1, 3, 7, 3, 25, 31, 65, 79]),
    (357, &[1, 3, 1, 1, 19, 11, 3, 205]),
    (361, &[1, 1, 5, 9, 19, 21, 29, 157]),
    (369, &[1, 3, 7, 11, 1, 33, 89, 185]),
    (391, &[1, 3, 3, 3, 15, 9, 79, 71]),
    (397, &[1, 3, 7, 11, 15, 39, 119, 27]),
    (425, &[1, 1, 3, 1, 11, 31, 97, 225]),
    (451, &[1, 1, 1, 3, 23, 43, 57, 177]),
    (463, &[1, 3, 7, 7, 17, 17, 37, 71]),
    (487, &[1, 3, 1, 5, 27, 63, 123, 213]),
    (501, &[1, 1, 3, 5, 11, 43, 53, 133]),
    (529, &[1, 3, 5, 5, 29, 17, 47, 173, 479]),
    (539, &[1, 3, 3, 11, 3, 1, 109, 9, 69]),
    (545, &[1, 1, 1, 5, 17, 39, 23, 5, 343]),
    (557, &[1, 3, 1, 5, 25, 15, 31, 103, 499]),
    (563, &[1, 1, 1, 11, 11, 17, 63, 105, 183]),
    (601, &[1, 1, 5, 11, 9, 29, 97, 231, 363]),
    (607, &[1, 1, 5, 15, 19, 45, 41, 7, 383]),
    (617, &[1, 3, 7, 7, 31, 19, 83, 137, 221]),
    (623, &[1, 1, 1, 3, 23, 15, 111, 223, 83]),
    (631, &[1, 1, 5, 13, 31, 15, 55, 25, 161]),
    (637, &[1, 1, 3, 13, 25, 47, 39, 87, 257]),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Against `scipy.stats.qmc.Sobol(64, scramble=False)`, SciPy 1.17.1.
    #[test]
    fn points_are_those_of_scipy() {
        let axes = [0, 1, 2, 9, 20, 40, 63];
        let known = [
            (5, [0.875, 0.875, 0.125, 0.125, 0.625, 0.375, 0.625]),
            (
                100,
                [
                    0.4140625, 0.2578125, 0.7734375, 0.6953125, 0.7578125, 0.7109375, 0.6484375,
                ],
            ),
            (
                1000,
                [
                    0.2197265625,
                    0.0966796875,
                    0.5185546875,
                    0.0693359375,
                    0.5224609375,
                    0.9130859375,
                    0.4462890625,
                ],
            ),
            (
                4095,
                [
                    0.000244140625,
                    0.941162109375,
                    0.334228515625,
                    0.246337890625,
                    0.225830078125,
                    0.200927734375,
                    0.553466796875,
                ],
            ),
        ];
        for (point, coordinates) in known {
            for (axis, expected) in axes.into_iter().zip(coordinates) {
                let found = f64::from(Sobol::new(axis, 0).plain(point)) / (1_u64 << BITS) as f64;
                assert_eq!(found, expected, "point {point}, axis {axis}");
            }
        }
    }

    /// The first 2ᵐ points have one in each of 2ᵐ equal intervals of every axis, and the first two axes one in each of 2ᵐ
    /// boxes of any shape: shifted too.
    #[test]
    fn intervals_and_boxes_have_one_point_each() {
        let once = |places: &mut Vec<usize>| {
            places.sort_unstable();
            places.iter().copied().eq(0..256)
        };
        let axes: Vec<Sobol> = (0..MOST_AXES).map(|axis| Sobol::new(axis, 7)).collect();
        for (number, axis) in axes.iter().enumerate() {
            let mut places: Vec<usize> = (0..256).map(|k| (axis.at(k) * 256.0) as usize).collect();
            assert!(once(&mut places), "axis {number}");
        }
        for across in 0..=8 {
            let (columns, rows) = (1 << across, 256 >> across);
            let place = |k: u64| {
                let (x, y) = (axes[0].at(k), axes[1].at(k));
                (x * columns as f64) as usize * rows + (y * rows as f64) as usize
            };
            let mut places: Vec<usize> = (0..256).map(place).collect();
            assert!(once(&mut places), "{columns} × {rows}");
        }
        assert_ne!(Sobol::new(3, 1).at(5), Sobol::new(3, 2).at(5));
    }

    /// An integral over six axes comes out far closer than with random numbers: the mean of a product whose exact mean
    /// is 1.
    #[test]
    fn integrals_converge_faster_than_with_random_numbers() {
        const AXES: usize = 6;
        const POINTS: u64 = 4096;
        let axes: Vec<Sobol> = (0..AXES).map(|axis| Sobol::new(axis, 3)).collect();
        let product = |number: &dyn Fn(usize) -> f64| -> f64 {
            (0..AXES)
                .map(|k| 1.0 + (number(k) - 0.5) / (k + 1) as f64)
                .product()
        };
        let mean = |number: &dyn Fn(usize, u64) -> f64| -> f64 {
            let all = (0..POINTS).map(|point| product(&|k| number(k, point)));
            all.sum::<f64>() / POINTS as f64
        };
        let even = (mean(&|k, point| axes[k].at(point)) - 1.0).abs();
        // The standard error of random numbers is 0.36/√4096 = 5.6e-3.
        assert!(even < 2e-4, "{even}");
    }
}
