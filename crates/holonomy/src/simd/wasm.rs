//! Registers of WebAssembly's simd128, two numbers each.
use super::{Add, Div, LANES, Mul, Real, Sub, Vector};
use std::arch::wasm32::{
    f64x2_add, f64x2_div, f64x2_le, f64x2_mul, f64x2_pmax, f64x2_pmin, f64x2_splat, f64x2_sqrt, f64x2_sub,
    i64x2_bitmask, i64x2_shuffle, v128,
};

vector! {
    /// Eight numbers in four registers. `pmin(a, b)` is b < a ? b : a, and `pmax(a, b)` is a < b ? b : a.
    Four: 4 of v128, ();
    all(token, x) f64x2_splat(x);
    sqrt(token, x) f64x2_sqrt(x);
    at_most(token, x, y) f64x2_pmin(y, x);
    at_least(token, x, y) f64x2_pmax(y, x);
    gather(token, places, of) {
        let mut all = [Self(token, [f64x2_splat(0.0); 4]); 3];
        for k in 0..4 {
            let [a, b] = [places[of[2 * k] as usize], places[of[2 * k + 1] as usize]];
            let [[a, c], [b, d]]: [[v128; 2]; 2] = [bytemuck::cast(a), bytemuck::cast(b)];
            all[0].1[k] = i64x2_shuffle::<0, 2>(a, b);
            all[1].1[k] = i64x2_shuffle::<1, 3>(a, b);
            all[2].1[k] = i64x2_shuffle::<0, 2>(c, d);
        }
        all
    };
    within(_token, x, y) i64x2_bitmask(f64x2_le(x, y));
    add Add (token, a, b) f64x2_add(a, b);
    sub Sub (token, a, b) f64x2_sub(a, b);
    mul Mul (token, a, b) f64x2_mul(a, b);
    div Div (token, a, b) f64x2_div(a, b);
}
