//! Legendre's elliptic integrals and Jacobi's functions of a real argument, `0 ≤ m ≤ 1`.
//!
//! ```text
//! F(φ|m)   = ∫₀^φ dθ / √(1 − m sin²θ)                       K = F(π/2|m)
//! E(φ|m)   = ∫₀^φ √(1 − m sin²θ) dθ                         E = E(π/2|m)
//! Π(n;φ|m) = ∫₀^φ dθ / ((1 − n sin²θ) √(1 − m sin²θ))       Π(n|m) = Π(n;π/2|m)
//! u = F(φ|m):   am u = φ,   sn u = sin φ,   cn u = cos φ,   dn u = √(1 − m sin²φ)
//! ```
//! `m` is the *parameter*, the square of the modulus `k`. Near `m = 1` everything depends on the
//! complement `m₁ = 1 − m`, which subtraction from 1 would spoil: a [`Parameter`] holds both.
//! The integrals with `s = sn`, `c = cn`, `d = dn`, all sums of terms of one sign:
//!
//! ```text
//! F = s R_F(c², d², 1)
//! E = m₁ F + ⅓ m m₁ s³ R_D(c², 1, d²) + m s c/d                                    DLMF §19.25(i)
//! Π = F + ⅓ n s³ R_J(c², d², 1, 1−ns²)                                              0 ≤ n
//! Π = ⅓ e s³ R_J(c², d², 1, 1+es²) + s R_C(c²d², (1−ns²)(1+es²)),   e = −m/n        n < 0, §19.7(iii)
//! ```
use super::carlson::{r_c, r_d, r_f, r_j};
use crate::math;
use std::f64::consts::{FRAC_PI_2, PI};

/// The parameter `m` of elliptic integrals and functions, with its complement `m₁ = 1 − m`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    m: f64,
    complement: f64,
}

/// `sn u`, `cn u` and `dn u`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jacobi {
    /// `sin am u`.
    pub sn: f64,
    /// `cos am u`.
    pub cn: f64,
    /// `√(1 − m sn²u)`.
    pub dn: f64,
}

impl Parameter {
    /// From `m`, which must lie in [0, 1]; otherwise every result is not a number.
    pub fn new(m: f64) -> Self {
        Self::from_parts(m, 1.0 - m)
    }

    /// From `m₁ = 1 − m`, which may be far below the spacing of doubles at 1.
    pub fn from_complement(complement: f64) -> Self {
        Self::from_parts(1.0 - complement, complement)
    }

    /// From `m` and `1 − m`, where both are known without cancellation.
    pub fn from_parts(m: f64, complement: f64) -> Self {
        if m >= 0.0 && complement >= 0.0 {
            Self { m, complement }
        } else {
            Self {
                m: f64::NAN,
                complement: f64::NAN,
            }
        }
    }

    /// `m`.
    pub fn m(self) -> f64 {
        self.m
    }

    /// `1 − m`.
    pub fn complement(self) -> f64 {
        self.complement
    }

    /// The complete integral `K`, a quarter of the real period of `sn`; infinite at `m = 1`.
    pub fn k(self) -> f64 {
        if self.complement == 0.0 {
            f64::INFINITY
        } else {
            FRAC_PI_2 / self.means().2
        }
    }

    /// The complete integral `E`.
    pub fn e(self) -> f64 {
        let m1 = self.complement;
        if m1 == 0.0 {
            1.0
        } else {
            m1 / 3.0 * (r_d(0.0, m1, 1.0) + r_d(0.0, 1.0, m1))
        }
    }

    /// The complete integral `Π(n|m)`, `n < 1`.
    pub fn pi(self, n: f64) -> f64 {
        self.quarter().third(self, n)
    }

    /// The incomplete integral `F(φ|m)` for any `φ`.
    pub fn incomplete_f(self, phi: f64) -> f64 {
        let (turns, at) = self.at_amplitude(phi);
        at.first() + times(2.0 * turns, || self.k())
    }

    /// The incomplete integral `E(φ|m)` for any `φ`.
    pub fn incomplete_e(self, phi: f64) -> f64 {
        let (turns, at) = self.at_amplitude(phi);
        at.second(self) + times(2.0 * turns, || self.e())
    }

    /// The incomplete integral `Π(n;φ|m)` for any `φ`, `n < 1` (or `n sin²φ < 1` when `|φ| ≤ π/2`).
    pub fn incomplete_pi(self, n: f64, phi: f64) -> f64 {
        let (turns, at) = self.at_amplitude(phi);
        at.third(self, n) + times(2.0 * turns, || self.pi(n))
    }

    /// `sn`, `cn`, `dn` of any real `u`.
    pub fn jacobi(self, u: f64) -> Jacobi {
        let (turns, at) = self.reduced(u);
        if turns % 2.0 == 0.0 {
            at
        } else {
            Jacobi {
                sn: -at.sn,
                cn: -at.cn,
                ..at
            }
        }
    }

    /// The amplitude `am u`: continuous, and larger by π after every `2K`.
    pub fn amplitude(self, u: f64) -> f64 {
        let (turns, at) = self.reduced(u);
        times(turns, || PI) + math::atan2(at.sn, at.cn)
    }

    /// `u = 2K·turns + r` with `|r| ≤ K`, and the functions at `r`, where `cn ≥ 0`.
    pub fn reduced(self, u: f64) -> (f64, Jacobi) {
        if self.complement == 0.0 {
            return (0.0, hyperbolic(u));
        }
        let half_period = 2.0 * self.k();
        let turns = (u / half_period).round();
        let rest = math::mul_add(-half_period, turns, u);
        (turns, self.landen(rest))
    }

    /// The functions at `K`.
    pub(super) fn quarter(self) -> Jacobi {
        Jacobi {
            sn: 1.0,
            cn: 0.0,
            dn: self.complement.sqrt(),
        }
    }

    /// The functions at `φ − π·turns`, which is in `[−π/2, π/2]`.
    fn at_amplitude(self, phi: f64) -> (f64, Jacobi) {
        let (sine, cosine) = math::sin_cos(phi);
        let (turns, sn, cn) = half_turns(phi, sine, cosine);
        // d² = c² + m₁ s² rather than 1 − m s².
        let dn = (cn * cn + self.complement * sn * sn).sqrt();
        (turns, Jacobi { sn, cn, dn })
    }

    /// Arithmetic and geometric means from `(1, k')` on, how many, and their limit `π/(2K)`.
    fn means(self) -> ([(f64, f64); 20], usize, f64) {
        let mut levels = [(0.0, 0.0); 20];
        let (mut a, mut b) = (1.0, self.complement.sqrt());
        let mut count = 0;
        loop {
            levels[count] = (a, b);
            count += 1;
            let mean = 0.5 * (a + b);
            // The next pair would differ by the square of this difference.
            if (a - b).abs() <= 1e-8 * a || count == levels.len() || mean.is_nan() {
                return (levels, count, mean);
            }
            (a, b) = (mean, (a * b).sqrt());
        }
    }

    /// Descending Landen transformations in cotangents (Bulirsch 1965). Sums have positive terms, so
    /// that `cn` and `dn` keep their digits where they are small.
    fn landen(self, u: f64) -> Jacobi {
        if u.abs() < 1e-9 {
            return Jacobi {
                sn: u,
                cn: 1.0,
                dn: 1.0,
            };
        }
        let (levels, count, limit) = self.means();
        let (sine, cosine) = math::sin_cos(limit * u);
        let mut cotangent = cosine / sine;
        let mut x = limit * cotangent;
        let mut dn = 1.0;
        for (a, b) in levels[..count].iter().rev() {
            let product = cotangent * x;
            x *= dn;
            dn = (b + product) / (a + product);
            cotangent = x / a;
        }
        let sn = 1.0_f64.copysign(u) / math::hypot(x, 1.0);
        Jacobi { sn, cn: x * sn, dn }
    }
}

impl Jacobi {
    /// `F` of the amplitude, which is in `[−π/2, π/2]`: the inverse of the functions.
    pub fn first(self) -> f64 {
        let Self { sn, cn, dn } = self;
        times(sn, || r_f(cn * cn, dn * dn, 1.0))
    }

    /// `E` of the amplitude, which is in `[−π/2, π/2]`.
    pub fn second(self, parameter: Parameter) -> f64 {
        let Self { sn, cn, dn } = self;
        let Parameter { m, complement: m1 } = parameter;
        if m1 == 0.0 || sn == 0.0 {
            return sn;
        }
        let weight = m * m1 * sn * sn * sn / 3.0;
        m1 * self.first() + times(weight, || r_d(cn * cn, 1.0, dn * dn)) + m * sn * cn / dn
    }

    /// `Π(n)` of the amplitude, which is in `[−π/2, π/2]`.
    pub fn third(self, parameter: Parameter, n: f64) -> f64 {
        let Self { sn, cn, dn } = self;
        // For n barely negative the transformed parameter m/n would be out of bounds.
        if n > -0.1 {
            return self.first() + n * self.remainder(cn * cn + (1.0 - n) * sn * sn);
        }
        let e = -parameter.m / n;
        let (x, y) = (cn * dn, (1.0 - n * sn * sn) * (1.0 + e * sn * sn));
        times(e, || self.remainder(1.0 + e * sn * sn)) + sn * r_c(x * x, y)
    }

    /// `∫₀^u sn²/(1 − n sn²) du = ⅓ s³ R_J(c², d², 1, p)`, where `p = 1 − n s²`.
    pub(super) fn remainder(self, p: f64) -> f64 {
        let Self { sn, cn, dn } = self;
        times(sn * sn * sn / 3.0, || r_j(cn * cn, dn * dn, 1.0, p))
    }
}

/// `φ = π·turns + ρ` with `|ρ| ≤ π/2`, and sine and cosine of `ρ`, from those of `φ`.
pub(super) fn half_turns(phi: f64, sine: f64, cosine: f64) -> (f64, f64, f64) {
    let turns = (phi / PI).round();
    let sign = if turns % 2.0 == 0.0 { 1.0 } else { -1.0 };
    let (sine, cosine) = (sign * sine, sign * cosine);
    if cosine < 0.0 {
        // The division by π rounded to the wrong side of a right angle.
        (turns + 1.0_f64.copysign(sine), -sine, -cosine)
    } else {
        (turns, sine, cosine)
    }
}

/// The functions at `m = 1`.
fn hyperbolic(u: f64) -> Jacobi {
    let cn = 1.0 / math::cosh(u);
    Jacobi {
        sn: math::tanh(u),
        cn,
        dn: cn,
    }
}

/// `factor · value`, zero where the factor is, even if the value is infinite.
fn times(factor: f64, value: impl FnOnce() -> f64) -> f64 {
    if factor == 0.0 { 0.0 } else { factor * value() }
}
