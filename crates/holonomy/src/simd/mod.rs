//! Vector instructions, chosen when the program runs.
//!
//! One source is compiled for every [`Level`]: for eight numbers side by side, in one register or in more. The
//! operations are + − × ÷ √, the lesser and the greater of two, each lane rounded as IEEE 754 says, and none are joined:
//! a level changes the time a sum takes, never its bits. In WebAssembly the level is that the module is
//! built with: simd128, if it is. Elsewhere the compiler makes of the portable fallback, `Lanes`, what there is, as NEON.
#[cfg(not(target_arch = "wasm32"))]
mod eight;
mod lanes;
mod triple;

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use eight::Eight;
pub(crate) use lanes::{Lanes, with_width};
pub(crate) use triple::Triple;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use triple::side::{in_all_lanes, load, store};

#[cfg(target_arch = "x86_64")]
use pulp::{
    core_arch::x86::Sse2,
    x86::{V3, V4},
};
use std::ops::{Add, Div, Mul, Sub};

/// Which instructions of the processor are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level(Instructions);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instructions {
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// A number, or several side by side that are computed alike.
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
{
    /// The number given, as many times as there are here.
    fn constant(self, x: f64) -> Self;
    /// √x.
    fn sqrt(self) -> Self;
    /// x, or `most` if x is not less.
    fn at_most(self, most: f64) -> Self;
    /// x, or `least` if x is not greater.
    fn at_least(self, least: f64) -> Self;
    /// Whether no number is more than the one given, and all are numbers.
    fn are_within(self, most: f64) -> bool;
    /// The numbers of each lane by themselves.
    fn lane_by_lane<const N: usize, const M: usize>(
        all: [Self; N],
        act: impl FnMut([f64; N]) -> [f64; M],
    ) -> [Self; M];

    /// Each number by itself.
    #[inline(always)]
    fn each(self, mut act: impl FnMut(f64) -> f64) -> Self {
        let [x] = Self::lane_by_lane([self], |[x]| [act(x)]);
        x
    }
}

/// How many numbers a [`Vector`] has, at any level.
pub(crate) const LANES: usize = 8;

/// Eight numbers side by side.
pub(crate) trait Vector: Real {
    /// Shows that the processor has the instructions.
    type Token: Copy;
    /// The same number in all lanes.
    fn all(token: Self::Token, x: f64) -> Self;
    /// From memory.
    fn load(token: Self::Token, x: &[f64; LANES]) -> Self;
    /// To memory.
    fn store(self, x: &mut [f64; LANES]);
    /// The first, second and third numbers of eight places.
    fn gather(token: Self::Token, places: &[[f64; 4]], of: &[u32; LANES]) -> [Self; 3];
    /// Which numbers are not more than the one given: a bit for each lane.
    fn within(self, most: f64) -> u8;
}

/// Kernel that is compiled for every level. What [`Kernel::run`] calls must be inlined into it: `#[inline(always)]`.
pub(crate) trait Kernel {
    /// Does it.
    fn run<V: Vector>(self, token: V::Token);
}

impl Level {
    /// What every processor of the kind has.
    pub const BASELINE: Self = Self(Instructions::Baseline);

    /// The levels that this processor has, the best one last.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let more = [
            V3::try_new().map(|_| Self(Instructions::Avx2)),
            V4::try_new().map(|_| Self(Instructions::Avx512)),
        ];
        #[cfg(not(target_arch = "x86_64"))]
        let more: [Option<Self>; 0] = [];
        std::iter::once(Self::BASELINE).chain(more.into_iter().flatten())
    }

    /// The best level of this processor.
    pub fn best() -> Self {
        Self::available().next_back().unwrap_or(Self::BASELINE)
    }

    /// Does the work at this level.
    #[inline(always)]
    pub(crate) fn run(self, work: impl Kernel) {
        #[cfg(target_arch = "x86_64")]
        match self.0 {
            Instructions::Baseline => {
                if let Some(token) = Sse2::try_new() {
                    return work.run::<x86::Four>(token);
                }
            }
            Instructions::Avx2 => {
                if let Some(token) = V3::try_new() {
                    return token.vectorize(x86::Inlined::<_, x86::Two>(work, token));
                }
            }
            Instructions::Avx512 => {
                if let Some(token) = V4::try_new() {
                    return token.vectorize(x86::Inlined::<_, x86::One>(work, token));
                }
            }
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        work.run::<wasm::Four>(());
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        work.run::<Lanes<LANES>>(());
    }
}

impl Real for f64 {
    #[inline(always)]
    fn constant(self, x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn at_most(self, most: f64) -> Self {
        if self < most { self } else { most }
    }
    #[inline(always)]
    fn at_least(self, least: f64) -> Self {
        if self > least { self } else { least }
    }
    #[inline(always)]
    fn are_within(self, most: f64) -> bool {
        self <= most
    }
    #[inline(always)]
    fn lane_by_lane<const N: usize, const M: usize>(
        all: [Self; N],
        mut act: impl FnMut([f64; N]) -> [f64; M],
    ) -> [Self; M] {
        act(all)
    }
}

/// Eight numbers in registers of one kind: how two registers are combined, one by one.
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
macro_rules! vector {
    (
        $(#[$attribute:meta])* $name:ident: $count:literal of $register:ty, $token:ty;
        all($at:ident, $ax:ident) $all:expr;
        sqrt($st:ident, $sx:ident) $sqrt:expr;
        at_most($mt:ident, $mx:ident, $my:ident) $at_most:expr;
        at_least($lt:ident, $lx:ident, $ly:ident) $at_least:expr;
        gather($gt:ident, $places:ident, $of:ident) $gather:expr;
        within($wt:ident, $wx:ident, $wy:ident) $within:expr;
        $($method:ident $operator:ident ($t:ident, $a:ident, $b:ident) $result:expr;)*
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy)]
        pub(super) struct $name($token, [$register; $count]);

        $(
            impl $operator for $name {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    let ($t, mut registers) = (self.0, self.1);
                    for k in 0..$count {
                        let ($a, $b) = (self.1[k], other.1[k]);
                        registers[k] = $result;
                    }
                    Self($t, registers)
                }
            }
            impl $operator<f64> for $name {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: f64) -> Self {
                    $operator::$method(self, self.constant(other))
                }
            }
        )*

        impl Real for $name {
            #[inline(always)]
            fn constant(self, x: f64) -> Self {
                Self::all(self.0, x)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                let ($st, mut registers) = (self.0, self.1);
                for k in 0..$count {
                    let $sx = self.1[k];
                    registers[k] = $sqrt;
                }
                Self($st, registers)
            }
            #[inline(always)]
            fn at_most(self, most: f64) -> Self {
                let ($mt, mut registers) = (self.0, self.1);
                for k in 0..$count {
                    let ($mx, $my) = (self.1[k], self.constant(most).1[k]);
                    registers[k] = $at_most;
                }
                Self($mt, registers)
            }
            #[inline(always)]
            fn at_least(self, least: f64) -> Self {
                let ($lt, mut registers) = (self.0, self.1);
                for k in 0..$count {
                    let ($lx, $ly) = (self.1[k], self.constant(least).1[k]);
                    registers[k] = $at_least;
                }
                Self($lt, registers)
            }
            #[inline(always)]
            fn are_within(self, most: f64) -> bool {
                self.within(most) == u8::MAX
            }
            #[inline(always)]
            fn lane_by_lane<const N: usize, const M: usize>(
                all: [Self; N],
                mut act: impl FnMut([f64; N]) -> [f64; M],
            ) -> [Self; M] {
                let (mut x, mut y) = ([[0.0; LANES]; N], [[0.0; LANES]; M]);
                all.iter().zip(&mut x).for_each(|(all, x)| all.store(x));
                for l in 0..LANES {
                    let found = act(x.map(|x| x[l]));
                    found.iter().zip(&mut y).for_each(|(found, y)| y[l] = *found);
                }
                y.map(|y| Self::load(all[0].0, &y))
            }
        }

        impl Vector for $name {
            type Token = $token;
            #[inline(always)]
            fn all($at: $token, $ax: f64) -> Self {
                Self($at, [$all; $count])
            }
            #[inline(always)]
            fn load(token: $token, x: &[f64; LANES]) -> Self {
                Self(token, bytemuck::cast(*x))
            }
            #[inline(always)]
            fn store(self, x: &mut [f64; LANES]) {
                *x = bytemuck::cast(self.1);
            }
            #[inline(always)]
            fn gather($gt: $token, $places: &[[f64; 4]], $of: &[u32; LANES]) -> [Self; 3] {
                $gather
            }
            #[inline(always)]
            fn within(self, most: f64) -> u8 {
                let ($wt, mut bits) = (self.0, 0);
                for k in 0..$count {
                    let ($wx, $wy) = (self.1[k], self.constant(most).1[k]);
                    bits |= ($within as u8) << (k * LANES / $count);
                }
                bits
            }
        }
    };
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Add, Div, Kernel, LANES, Mul, Real, Sse2, Sub, V3, V4, Vector};
    use std::arch::x86_64::{__m128d, __m256d, __m512d, _CMP_LE_OQ};

    pub(super) struct Inlined<W, V: Vector>(pub(super) W, pub(super) V::Token);

    impl<W: Kernel, V: Vector> pulp::NullaryFnOnce for Inlined<W, V> {
        type Output = ();
        #[inline(always)]
        fn call(self) {
            self.0.run::<V>(self.1);
        }
    }

    vector! {
        /// Registers of SSE2, which every x86-64 has.
        Four: 4 of __m128d, Sse2;
        all(t, x) t._mm_set1_pd(x);
        sqrt(t, x) t._mm_sqrt_pd(x);
        at_most(t, x, y) t._mm_min_pd(x, y);
        at_least(t, x, y) t._mm_max_pd(x, y);
        gather(token, places, of) {
            let mut all = [Self(token, [token._mm_set1_pd(0.0); 4]); 3];
            for k in 0..4 {
                let [a, b] = [places[of[2 * k] as usize], places[of[2 * k + 1] as usize]];
                let [[a, c], [b, d]]: [[__m128d; 2]; 2] = [bytemuck::cast(a), bytemuck::cast(b)];
                all[0].1[k] = token._mm_unpacklo_pd(a, b);
                all[1].1[k] = token._mm_unpackhi_pd(a, b);
                all[2].1[k] = token._mm_unpacklo_pd(c, d);
            }
            all
        };
        within(t, x, y) t._mm_movemask_pd(t._mm_cmple_pd(x, y));
        add Add (t, a, b) t._mm_add_pd(a, b);
        sub Sub (t, a, b) t._mm_sub_pd(a, b);
        mul Mul (t, a, b) t._mm_mul_pd(a, b);
        div Div (t, a, b) t._mm_div_pd(a, b);
    }

    vector! {
        /// Registers of AVX.
        Two: 2 of __m256d, V3;
        all(t, x) t.avx._mm256_set1_pd(x);
        sqrt(t, x) t.avx._mm256_sqrt_pd(x);
        at_most(t, x, y) t.avx._mm256_min_pd(x, y);
        at_least(t, x, y) t.avx._mm256_max_pd(x, y);
        gather(token, places, of) {
            let [a, b, c, d, e, f, g, h] = *of;
            let [x, y, z] = transpose(token, places, [a, b, c, d]);
            let [u, v, w] = transpose(token, places, [e, f, g, h]);
            [Self(token, [x, u]), Self(token, [y, v]), Self(token, [z, w])]
        };
        within(t, x, y) t.avx._mm256_movemask_pd(t.avx._mm256_cmp_pd::<_CMP_LE_OQ>(x, y));
        add Add (t, a, b) t.avx._mm256_add_pd(a, b);
        sub Sub (t, a, b) t.avx._mm256_sub_pd(a, b);
        mul Mul (t, a, b) t.avx._mm256_mul_pd(a, b);
        div Div (t, a, b) t.avx._mm256_div_pd(a, b);
    }

    vector! {
        /// A register of AVX-512.
        One: 1 of __m512d, V4;
        all(t, x) t.avx512f._mm512_set1_pd(x);
        sqrt(t, x) t.avx512f._mm512_sqrt_pd(x);
        at_most(t, x, y) t.avx512f._mm512_min_pd(x, y);
        at_least(t, x, y) t.avx512f._mm512_max_pd(x, y);
        gather(token, places, of) {
            let [a, b, c, d, e, f, g, h] = *of;
            let [x, y, z] = transpose(*token, places, [a, b, c, d]);
            let [u, v, w] = transpose(*token, places, [e, f, g, h]);
            [
                Self(token, [bytemuck::cast([x, u])]),
                Self(token, [bytemuck::cast([y, v])]),
                Self(token, [bytemuck::cast([z, w])]),
            ]
        };
        within(t, x, y) t.avx512f._mm512_cmp_pd_mask::<_CMP_LE_OQ>(x, y);
        add Add (t, a, b) t.avx512f._mm512_add_pd(a, b);
        sub Sub (t, a, b) t.avx512f._mm512_sub_pd(a, b);
        mul Mul (t, a, b) t.avx512f._mm512_mul_pd(a, b);
        div Div (t, a, b) t.avx512f._mm512_div_pd(a, b);
    }

    /// The first, second and third numbers of four places.
    #[inline(always)]
    fn transpose(token: V3, places: &[[f64; 4]], of: [u32; 4]) -> [__m256d; 3] {
        let [a, b, c, d] = of;
        let a: __m256d = bytemuck::cast(places[a as usize]);
        let b: __m256d = bytemuck::cast(places[b as usize]);
        let c: __m256d = bytemuck::cast(places[c as usize]);
        let d: __m256d = bytemuck::cast(places[d as usize]);
        let (ab, cd) = (
            token.avx._mm256_unpacklo_pd(a, b),
            token.avx._mm256_unpacklo_pd(c, d),
        );
        let (e, f) = (
            token.avx._mm256_unpackhi_pd(a, b),
            token.avx._mm256_unpackhi_pd(c, d),
        );
        [
            token.avx._mm256_permute2f128_pd::<0x20>(ab, cd),
            token.avx._mm256_permute2f128_pd::<0x20>(e, f),
            token.avx._mm256_permute2f128_pd::<0x31>(ab, cd),
        ]
    }
}
