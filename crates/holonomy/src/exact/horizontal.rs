//! The horizontal part of a spherical pendulum as a product of two smooth factors.
//!
//! ```text
//! √a e^{iφₐ}  = (√a₂ cd + iμs)/√(1+es²) · exp(iρ ∫ s²/(1+es²) dw)
//! √b e^{iφ_b} = (√b₂ c + iνsd)/√(1+fs²) · exp(−iκ ∫ c²/(1+fs²) dw)      or      √b · exp(iκ ∫ b₂/b dw)
//!
//! ∫ s²/(1−ns²) dw = ⅓ s³ R_J(c², d², 1, 1−ns²)
//! s' = cd,   c' = −sd,   d' = −msc
//! ```
//! with the symbols of [`SphericalPendulum`](super::SphericalPendulum); the integrals run from 0.
use super::elliptic::Jacobi;
use crate::math;
use nalgebra::Complex;

/// `√a e^{iφₐ}`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Below {
    /// `√a₂`, `μ`, `e` and `ρ = μ√a₂ g/L`.
    pub(super) root: f64,
    pub(super) mu: f64,
    pub(super) e: f64,
    pub(super) rate: f64,
}

/// `√b e^{iφ_b}`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Above {
    /// `gb₁ ≤ C`: `√b₂`, `ν`, `f`, `κ`.
    Near { root: f64, nu: f64, f: f64, kappa: f64 },
    /// `gb₁ > C`: `b₁`, `b₂`, `Δ`, `κ`.
    Far {
        b1: f64,
        b2: f64,
        delta: f64,
        kappa: f64,
    },
}

/// A complex function of `w` and its derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Factor {
    pub(super) value: Complex<f64>,
    pub(super) slope: Complex<f64>,
}

impl Below {
    pub(super) fn factor(&self, at: Jacobi, m: f64) -> Factor {
        let Jacobi { sn, cn, dn } = at;
        let numerator = Factor {
            value: Complex::new(self.root * cn * dn, self.mu * sn),
            slope: Complex::new(-self.root * sn * (dn * dn + m * cn * cn), self.mu * cn * dn),
        };
        let divisor = 1.0 + self.e * sn * sn;
        numerator
            .over_root(divisor, 2.0 * self.e * sn * cn * dn)
            .turned(self.exponent(at), self.rate * sn * sn / divisor)
    }

    pub(super) fn exponent(&self, at: Jacobi) -> f64 {
        if self.rate == 0.0 {
            return 0.0;
        }
        self.rate * at.remainder(1.0 + self.e * at.sn * at.sn)
    }
}

impl Above {
    pub(super) fn factor(&self, at: Jacobi, m: f64) -> Factor {
        let Jacobi { sn, cn, dn } = at;
        match *self {
            Self::Near { root, nu, f, kappa } => {
                let numerator = Factor {
                    value: Complex::new(root * cn, nu * sn * dn),
                    slope: Complex::new(-root * sn * dn, nu * cn * (dn * dn - m * sn * sn)),
                };
                let divisor = 1.0 + f * sn * sn;
                numerator
                    .over_root(divisor, 2.0 * f * sn * cn * dn)
                    .turned(self.exponent(at), -kappa * cn * cn / divisor)
            }
            Self::Far { b1, b2, delta, kappa } => {
                let b = b1 + delta * cn * cn;
                let value = b.sqrt();
                let root = Factor {
                    value: Complex::new(value, 0.0),
                    slope: Complex::new(-delta * sn * cn * dn / value, 0.0),
                };
                root.turned(self.exponent(at), kappa * b2 / b)
            }
        }
    }

    pub(super) fn exponent(&self, at: Jacobi) -> f64 {
        let Jacobi { sn, cn, .. } = at;
        match *self {
            Self::Near { kappa: 0.0, .. } | Self::Far { kappa: 0.0, .. } => 0.0,
            // c²/(1+fs²) = 1 − (1+f) s²/(1+fs²).
            Self::Near { f, kappa, .. } => {
                -kappa * (at.first() - (1.0 + f) * at.remainder(1.0 + f * sn * sn))
            }
            // b₂/b = 1 + n s²/(1−ns²) with n = Δ/b₂.
            Self::Far { b1, b2, delta, kappa } => {
                kappa * (at.first() + delta / b2 * at.remainder((b1 + delta * cn * cn) / b2))
            }
        }
    }
}

impl Factor {
    /// Divided by the square root of a positive function with the given slope.
    fn over_root(self, divisor: f64, slope: f64) -> Self {
        let root = divisor.sqrt();
        Self {
            value: self.value / root,
            slope: (self.slope - self.value * (0.5 * slope / divisor)) / root,
        }
    }

    /// Times `exp(i angle)`.
    fn turned(self, angle: f64, rate: f64) -> Self {
        let turn = phase_factor(angle);
        Self {
            value: self.value * turn,
            slope: (self.slope + self.value * Complex::new(0.0, rate)) * turn,
        }
    }
}

pub(super) fn phase_factor(angle: f64) -> Complex<f64> {
    let (sine, cosine) = math::sin_cos(angle);
    Complex::new(cosine, sine)
}
