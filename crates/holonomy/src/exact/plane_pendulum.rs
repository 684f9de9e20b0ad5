//! The plane pendulum: `θ̈ = −γ sin θ`, `γ = g/l`, with `θ` from the lowest point.
//!
//! ```text
//! ω²/4 + γ sin²(θ/2) = const,   v = |ω₀|/2,   s = √γ sin(θ₀/2),   c = √γ |cos(θ₀/2)|
//!
//! libration, v < c:    sin(θ/2) = ±k sn w,  cos(θ/2) = dn w,  θ̇ = ±2 k √γ cn w,  w = w₀ + √γ t
//!                      m = k² = (s² + v²)/γ,   1 − m = (c − v)(c + v)/γ,          T = 4K/√γ
//! rotation, v ≥ c:     θ/2 = ±am w,  θ̇ = ±2 Ω dn w,                              w = w₀ + Ω t
//!                      Ω² = s² + v²,  m = γ/Ω²,  1 − m = (v − c)(v + c)/Ω²,       T = 2K/Ω
//! separatrix, v = c:   rotation with m = 1:  sn = tanh, cn = dn = 1/cosh,         T = ∞
//! ```
//! with the sign of `ω₀`. Negative `γ` turns the picture upside down.
use super::elliptic::{Jacobi, Parameter, half_turns};
use crate::math;
use std::f64::consts::{FRAC_PI_2, PI};

/// A motion of the plane pendulum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanePendulum {
    kind: Regime,
    /// `√γ` or `Ω`, 1/s.
    frequency: f64,
    parameter: Parameter,
    /// `w₀`.
    phase: f64,
    /// The angle about which the formulas above are written, rad.
    centre: f64,
}

/// Where a plane pendulum is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneMotion {
    /// `θ`, continuous over turns, rad.
    pub angle: f64,
    /// `θ̇`, rad/s.
    pub rate: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Regime {
    Rest(PlaneMotion),
    /// With `±k`.
    Libration(f64),
    /// With the sign.
    Rotation(f64),
}

impl PlanePendulum {
    /// The motion with `γ = gravity` (acceleration over length, s⁻²) that starts with `angle` (rad,
    /// from the lowest point for positive `gravity`) and `rate` (rad/s).
    pub fn new(gravity: f64, angle: f64, rate: f64) -> Self {
        let (sine, cosine) = math::sin_cos(0.5 * angle);
        let (turns, sine, cosine, centre) = if gravity < 0.0 {
            // θ − π: the sine of half of it is −cos(θ/2), exactly.
            let (turns, sine, cosine) = half_turns(0.5 * angle - FRAC_PI_2, -cosine, sine);
            (turns, sine, cosine, PI)
        } else {
            let (turns, sine, cosine) = half_turns(0.5 * angle, sine, cosine);
            (turns, sine, cosine, 0.0)
        };
        let centre = 2.0 * PI * turns + centre;
        let gamma = gravity.abs();
        let root = gamma.sqrt();
        let (s, c, v) = (root * sine, root * cosine, 0.5 * rate.abs());
        let speed = math::hypot(s, v);
        if speed == 0.0 {
            let kind = Regime::Rest(PlaneMotion { angle, rate });
            return Self {
                kind,
                frequency: root,
                parameter: Parameter::new(0.0),
                phase: 0.0,
                centre,
            };
        }
        let direction = 1.0_f64.copysign(rate);
        if v < c {
            let k = speed / root;
            let start = Jacobi {
                sn: direction * s / speed,
                cn: v / speed,
                dn: cosine,
            };
            Self {
                kind: Regime::Libration(direction * k),
                frequency: root,
                parameter: Parameter::from_parts(k * k, (c - v) / root * ((c + v) / root)),
                phase: start.first(),
                centre,
            }
        } else {
            let m = root / speed;
            let start = Jacobi {
                sn: direction * sine,
                cn: cosine,
                dn: v / speed,
            };
            Self {
                kind: Regime::Rotation(direction),
                frequency: speed,
                parameter: Parameter::from_parts(m * m, (v - c) / speed * ((v + c) / speed)),
                phase: start.first(),
                centre,
            }
        }
    }

    /// Angle and rate at a time, s, after the start (or before it).
    pub fn at(&self, time: f64) -> PlaneMotion {
        let phase = self.phase + self.frequency * time;
        match self.kind {
            Regime::Rest(motion) => motion,
            Regime::Libration(k) => {
                let Jacobi { sn, cn, dn } = self.parameter.jacobi(phase);
                PlaneMotion {
                    angle: self.centre + 2.0 * math::atan2(k * sn, dn),
                    rate: 2.0 * k * self.frequency * cn,
                }
            }
            Regime::Rotation(direction) => {
                let (turns, Jacobi { sn, cn, dn }) = self.parameter.reduced(phase);
                let half = turns * PI + math::atan2(sn, cn);
                PlaneMotion {
                    angle: self.centre + 2.0 * direction * half,
                    rate: 2.0 * direction * self.frequency * dn,
                }
            }
        }
    }

    /// The period, s: of the oscillation, or of one turn. Infinite on the separatrix.
    pub fn period(&self) -> f64 {
        let quarters = match self.kind {
            Regime::Rotation(_) => 2.0,
            Regime::Rest(_) | Regime::Libration(_) => 4.0,
        };
        quarters * self.parameter.k() / self.frequency
    }

    /// Whether it goes round and round, or for ever towards the top.
    pub fn rotates(&self) -> bool {
        matches!(self.kind, Regime::Rotation(_))
    }
}
