//! Eight spherical pendula side by side, explicit variational step: the arithmetic of [`super::pendulum`] in plain loops
//! over the lanes, which the compiler makes vectors of, for the instructions that the processor has.
use super::pendulum::Pendulum;
use pulp::{Arch, WithSimd};

/// Lanes of a group.
pub const LANES: usize = 8;
type Lane = [f64; LANES];
type Three = [Lane; 3];

/// Eight pendula of the same mass and length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pendula {
    /// Directions, by axis.
    pub q: Three,
    /// Momenta, by axis.
    pub p: Three,
    /// What they have in common; its direction and momentum are not used.
    pub each: Pendulum,
}

struct Steps<'a>(&'a mut Pendula, f64, u64);

impl WithSimd for Steps<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self(pendula, h, steps) = self;
        let (mut q, mut p) = (pendula.q, pendula.p);
        let [gx, gy, gz] = pendula.each.gradient;
        let (half, turn) = (-0.5 * h, h / pendula.each.inertia);
        const ROUND: f64 = 100_663_296.0;
        for _ in 0..steps {
            for l in 0..LANES {
                let (x, y, z) = (q[0][l], q[1][l], q[2][l]);
                let (a, b, c) = (p[0][l], p[1][l], p[2][l]);
                let u = a + half * (y * gz - z * gy);
                let v = b + half * (z * gx - x * gz);
                let w = c + half * (x * gy - y * gx);
                let along = x * a + y * b + z * c;
                let (d, e, f) = (u * turn, v * turn, w * turn);
                let root = (1.0 - (d * d + e * e + f * f)).sqrt() - 1.0;
                // 1 − q·q far below rounding.
                let (r, s, t) = ((x + ROUND) - ROUND, (y + ROUND) - ROUND, (z + ROUND) - ROUND);
                let rest = (x + r) * (x - r) + (y + s) * (y - s) + (z + t) * (z - t);
                let less = root + 0.5 * ((((1.0 - r * r) - s * s) - t * t) - rest);
                let nx = x + ((e * z - f * y) + x * less);
                let ny = y + ((f * x - d * z) + y * less);
                let nz = z + ((d * y - e * x) + z * less);
                (q[0][l], q[1][l], q[2][l]) = (nx, ny, nz);
                p[0][l] = (u - x * along) + half * (ny * gz - nz * gy);
                p[1][l] = (v - y * along) + half * (nz * gx - nx * gz);
                p[2][l] = (w - z * along) + half * (nx * gy - ny * gx);
            }
        }
        (pendula.q, pendula.p) = (q, p);
    }
}

impl Pendula {
    /// Takes steps of `h`.
    pub fn run(&mut self, h: f64, steps: u64) {
        Arch::new().dispatch(Steps(self, h, steps));
    }
}
