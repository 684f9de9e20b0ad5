//! Straight-line programs of the arithmetic that the engine does: fixed arrays, no system, no catalog, no errors.
//!
//! They are what a step must cost. Tests hold them to the engine's results, so they do the same work.
pub mod chain;
pub mod molecules;
pub mod pendula;
pub mod pendulum;

type V = [f64; 3];

#[inline(always)]
fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross(a: V, b: V) -> V {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// `a + s b`.
#[inline(always)]
fn plus(a: V, s: f64, b: V) -> V {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

#[inline(always)]
fn scaled(a: V, s: f64) -> V {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// `1 − q·q` far below rounding, for q that is nearly unit: with a the multiple of 2⁻²⁶ next to x, x² = a² + (x+a)(x−a),
/// where squares of a and their sums are exact.
#[inline(always)]
fn length_defect(q: V) -> f64 {
    let round = 1.5 * f64::from(1 << 26);
    let near = q.map(|x| (x + round) - round);
    let rest = |k: usize| (q[k] + near[k]) * (q[k] - near[k]);
    let whole = ((1.0 - near[0] * near[0]) - near[1] * near[1]) - near[2] * near[2];
    whole - ((rest(0) + rest(1)) + rest(2))
}

/// The explicit step of one body, q⁺ = d × q + √(1−|d|²) q with d = turn·p, as `q + (…)`: only the last addition rounds,
/// and half of what q lacks of unit length is put back.
#[inline(always)]
fn advanced(q: V, d: V) -> V {
    let less = (1.0 - dot(d, d)).sqrt() - 1.0 + 0.5 * length_defect(q);
    let side = plus(cross(d, q), less, q);
    plus(q, 1.0, side)
}
