//! Straight-line programs of the arithmetic that the engine does: fixed arrays, no system, no catalog, no errors.
//!
//! They are what a step must cost. Tests hold them to the engine's results, so they do the same work.
pub mod chain;
pub mod molecules;
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

/// `1 − q·q` to twice the digits, for q that is nearly unit.
#[inline(always)]
fn length_defect(q: V) -> f64 {
    let (mut sum, mut rest) = (1.0, 0.0);
    for x in q {
        let square = x * x;
        let spread = 134_217_729.0 * x;
        let high = spread - (spread - x);
        let low = x - high;
        let lost = ((high * high - square) + 2.0 * high * low) + low * low;
        let next = sum - square;
        let back = next - sum;
        rest += (sum - (next - back)) - (square + back) - lost;
        sum = next;
    }
    sum + rest
}

/// The unit vector next to q, which is unit up to rounding.
#[inline(always)]
fn unit(q: V) -> V {
    plus(q, 0.5 * length_defect(q), q)
}
