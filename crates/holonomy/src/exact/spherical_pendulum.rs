//! The spherical pendulum: `q̈ = γ − (γ·q + |q̇|²) q` on S², `γ` the acceleration of gravity over the length.
//!
//! With `g = |γ|`, `u = q·γ/g` and `J` the angular velocity about `γ`,
//!
//! ```text
//! u̇² = 2 (E + gu)(1 − u²) − J² = 2g (u − u₀)(u − u₁)(u₂ − u),      u₀ ≤ −1 ≤ u₁ ≤ u ≤ u₂ ≤ 1.
//! ```
//! Roots are kept as distances from the poles, `a = 1 − u` from the lowest point and `b = 1 + u` from
//! the highest: `a₂ ≤ a₁` and `b₁ ≤ b₂`, and `C = −g(1+u₀)`. From the start (`a, b, u̇, ü` at `t = 0`),
//! each by sums of terms of one sign where digits would be lost otherwise:
//!
//! ```text
//! H = ½|q̇|² − gb                                                     energy above the highest point
//! y (y+α)(y+β) = ½g²J²,   H ≤ 0:  C = y,      α = 2g, β = −H
//!                         H > 0:  C = H + y,  α = H,  β = H + 2g
//! W = C + gb,  p = −u̇²/(2W),  σ = (ü + gp)/W,  Δ² = σ² − 4p         Δ = u₂ − u₁;  u₁, u₂ = u + (σ ∓ Δ)/2
//! a₂ = J²/(2a₁(2g+C)),   b₂ = 2 − a₂,   b₁ = a₂ + (C−H)/g = J²/(2Cb₂)
//! ```
//! Height and azimuth, with `s, c, d` for sn, cn, dn of `w = w₀ + Ωt`:
//!
//! ```text
//! L = C + gb₂,   Ω² = L/2,   m = gΔ/L,   1 − m = (C + gb₁)/L
//! a = a₂ + Δs²,  b = b₁ + Δc²,  u̇ = −2ΔΩ scd
//! φ = ∫ J dt/(ab) = ½J ∫ dt/a + ½J ∫ dt/b:   two integrals of the third kind.
//! ```
//! Both jump by π where the path nearly meets a pole. Changes of parameter (DLMF §19.7(iii)) take the jumps
//! out, and the horizontal part `√(ab) e^{iφ}` of `q` is the product of two factors that are smooth for every
//! `J`, zero included (the plane pendulum, which passes straight through the poles):
//!
//! ```text
//! √a e^{iφₐ} = (√a₂ cd + iμs)/√(1+es²) · exp(iμ√a₂ g/L ∫ s²/(1+es²) dw)      e = ga₂/L,  μ² = a₁(2g+C)/L
//! √b e^{iφ_b} = (√b₂ c + iνsd)/√(1+fs²) · exp(−iκ ∫ c²/(1+fs²) dw)           gb₁ ≤ C
//!               f = gb₁/C,  ν² = b₁L/C,  κ² = g²b₁b₂/(CL)
//! √b e^{iφ_b} = √b · exp(iκ ∫ b₂/b dw)      κ² = b₁C/(b₂L)                   gb₁ > C
//! ```
//! (for `J ≥ 0`; the mirror image otherwise). The last is for motions that turn back before the top, where
//! a small `J` would make `f` and `ν` large. The integrals by [`carlson`](super::carlson), as multiples
//! of their value over `2K` plus a rest; no case is special but rest.
use super::{
    elliptic::{Jacobi, Parameter},
    horizontal::{Above, Below, Factor, phase_factor},
};
use crate::{Vec3, geometry::s2, math};
use nalgebra::Complex;
use std::f64::consts::PI;

/// A motion of the spherical pendulum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphericalPendulum {
    /// Two horizontal axes and the direction of gravity, right-handed.
    axes: [Vec3; 3],
    start: Vec3,
    /// `None` when nothing moves.
    orbit: Option<Orbit>,
}

/// Where a spherical pendulum is, and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphericalMotion {
    /// `q`, from the pivot to the bob.
    pub direction: Vec3,
    /// `q̇`, 1/s.
    pub velocity: Vec3,
    /// `ω = q × q̇`, rad/s.
    pub angular_velocity: Vec3,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Orbit {
    /// `Ω`, 1/s, and `w₀`.
    frequency: f64,
    phase: f64,
    parameter: Parameter,
    /// `a₂`, `b₁` and `Δ`.
    lowest: f64,
    highest: f64,
    amplitude: f64,
    below: Below,
    above: Above,
    /// ±1: the sign of `J`.
    sense: f64,
    /// What the two exponents grow by over `2K`.
    drift: f64,
    /// From the azimuth of the formulas to that of the axes.
    orientation: Complex<f64>,
}

impl SphericalPendulum {
    /// The motion that starts with `direction` (made unit) and `angular_velocity` (rad/s; its part along
    /// the direction does not move the bob). `gravity` is the acceleration over the length, s⁻².
    pub fn new(gravity: Vec3, direction: Vec3, angular_velocity: Vec3) -> Self {
        let start = unit_vector(direction);
        let omega = start.cross(&angular_velocity.cross(&start));
        // Units of time in which nothing overflows.
        let unit = gravity.amax().sqrt().max(omega.amax());
        let down = unit_vector(gravity);
        let g = down.dot(&(gravity / unit / unit));
        let basis = s2::tangent_basis(&down);
        let axes = [basis.column(0).into(), basis.column(1).into(), down];
        let components = |v: Vec3| Vec3::from(axes.map(|axis: Vec3| axis.dot(&v)));
        let q = components(start);
        // The product is taken here so that velocity and position are perpendicular to all digits, also
        // where both are nearly horizontal.
        let velocity = components(omega / unit).cross(&q);
        let orbit = if unit == 0.0 {
            None
        } else {
            Orbit::new(g, q, velocity, unit)
        };
        Self { axes, start, orbit }
    }

    /// Direction and velocity at a time, s, after the start (or before it).
    pub fn at(&self, time: f64) -> SphericalMotion {
        let Some(orbit) = &self.orbit else {
            return SphericalMotion {
                direction: self.start,
                velocity: Vec3::zeros(),
                angular_velocity: Vec3::zeros(),
            };
        };
        let (q, velocity) = orbit.at(time);
        let world = |v: Vec3| self.axes[0] * v.x + self.axes[1] * v.y + self.axes[2] * v.z;
        let direction = s2::normalised(&world(q));
        let velocity = s2::tangent(&direction, &world(velocity));
        SphericalMotion {
            direction,
            velocity,
            angular_velocity: direction.cross(&velocity),
        }
    }

    /// The time between two passages of the lowest height, s; half the period of a plane oscillation.
    /// Infinite at rest, and for the motion that ends on the highest point.
    pub fn nutation_period(&self) -> f64 {
        self.orbit
            .map_or(f64::INFINITY, |orbit| 2.0 * orbit.parameter.k() / orbit.frequency)
    }

    /// The azimuth gained in a nutation period, rad, positive about the direction of gravity. A motion in
    /// a plane gains ±π with every pole it passes.
    pub fn precession(&self) -> f64 {
        self.orbit.map_or(0.0, |orbit| {
            let poles = match orbit.above {
                Above::Near { .. } => 2.0,
                Above::Far { .. } => 1.0,
            };
            orbit.sense * (poles * PI + orbit.drift)
        })
    }

    /// The lowest and the highest position, as depth `q·γ/|γ|` below the pivot.
    pub fn depths(&self) -> [f64; 2] {
        match &self.orbit {
            None => [self.axes[2].dot(&self.start); 2],
            Some(orbit) => [1.0 - orbit.lowest, orbit.highest - 1.0],
        }
    }
}

impl Orbit {
    /// In axes with `z` along gravity of size `g` and in the given unit of frequency, 1/s. `None` when
    /// nothing moves, or by less than the square root of the smallest number.
    fn new(g: f64, q: Vec3, velocity: Vec3, unit: f64) -> Option<Self> {
        let u = q.z;
        let horizontal = q.xy().norm_squared();
        let (a, b) = if u > 0.0 {
            (horizontal / (1.0 + u), 1.0 + u)
        } else {
            (1.0 - u, horizontal / (1.0 - u))
        };
        let j = q.x * velocity.y - q.y * velocity.x;
        let above_top = 0.5 * velocity.norm_squared() - g * b;
        let rise = velocity.z;
        let acceleration = g * horizontal - velocity.norm_squared() * u;

        let right = 0.5 * (g * j) * (g * j);
        // C and C − H.
        let (far, rest) = if above_top > 0.0 {
            let y = positive_root(above_top, above_top + 2.0 * g, right);
            (above_top + y, y)
        } else {
            let y = positive_root(2.0 * g, above_top.abs(), right);
            (y, y - above_top)
        };
        let w = far + g * b;
        if w == 0.0 || velocity.norm_squared() + g * horizontal == 0.0 {
            return None;
        }
        // √−p: what is small would vanish if squared.
        let root = rise.abs() / (2.0 * w).sqrt();
        let sum = (acceleration - g * root * root) / w;
        let delta = math::hypot(sum, 2.0 * root);
        // u₂ − u and u − u₁, both ≥ 0; the smaller from their product.
        let larger = 0.5 * (sum.abs() + delta);
        let smaller = quotient(root, larger) * root;
        let (down, up) = if sum > 0.0 {
            (larger, smaller)
        } else {
            (smaller, larger)
        };
        let a1 = a + up;
        let a2 = quotient(j, a1) * j / (2.0 * (2.0 * g + far));
        let b2 = 2.0 - a2;
        let b1 = if above_top > 0.0 {
            j * (j / (2.0 * far * b2))
        } else {
            a2 + rest / g
        };

        let l = far + g * b2;
        let parameter = Parameter::from_parts(g * delta / l, (far + g * b1) / l);
        let start = Jacobi {
            // Falling towards the lowest point is the half period before it.
            sn: quotient(down, delta).sqrt().copysign(-rise),
            cn: if delta > 0.0 { (up / delta).sqrt() } else { 1.0 },
            dn: if delta > 0.0 { (w / l).sqrt() } else { 1.0 },
        };
        let mu = (a1 * (2.0 * g + far) / l).sqrt();
        let below = Below {
            root: a2.sqrt(),
            mu,
            e: g * a2 / l,
            rate: mu * a2.sqrt() * g / l,
        };
        let passes_top = right == 0.0 && above_top >= 0.0;
        let above = if passes_top || g * b1 <= far {
            let share = if far > 0.0 { b1 / far } else { 0.0 };
            Above::Near {
                root: b2.sqrt(),
                nu: (share * l).sqrt(),
                f: g * share,
                kappa: g * (share * b2 / l).sqrt(),
            }
        } else {
            let kappa = (b1 * far / (b2 * l)).sqrt();
            Above::Far { b1, b2, delta, kappa }
        };
        let mut orbit = Self {
            frequency: (0.5 * l).sqrt() * unit,
            phase: start.first(),
            parameter,
            lowest: a2,
            highest: b1,
            amplitude: delta,
            below,
            above,
            sense: 1.0_f64.copysign(j),
            drift: 0.0,
            orientation: Complex::new(1.0, 0.0),
        };
        let quarter = parameter.quarter();
        orbit.drift = 2.0 * (below.exponent(quarter) + above.exponent(quarter));
        orbit.orientation = orbit.orientation_from(start, q, velocity / (0.5 * l).sqrt());
        Some(orbit)
    }

    /// The rotation that takes the formulas at the start to the given state; `slope` is `dq/dw`.
    fn orientation_from(&self, start: Jacobi, q: Vec3, slope: Vec3) -> Complex<f64> {
        let formula = self.horizontal(start);
        // Position and velocity fix it together: at a pole the position alone does not.
        let turn = Complex::new(q.x, q.y) * formula.value.conj()
            + Complex::new(slope.x, slope.y) * formula.slope.conj();
        let size = math::hypot(turn.re, turn.im);
        if size > 0.0 {
            turn / size
        } else {
            Complex::new(1.0, 0.0)
        }
    }

    /// `q` and `q̇` in axes with `z` along gravity.
    fn at(&self, time: f64) -> (Vec3, Vec3) {
        let (turns, at) = self.parameter.reduced(self.phase + self.frequency * time);
        let Jacobi { sn, cn, dn } = at;
        // In half a period of sn and cn the factor with cd + i…s changes sign, and so does c + i…sd.
        let odd = turns % 2.0 != 0.0 && matches!(self.above, Above::Far { .. });
        let turn =
            self.orientation * phase_factor(self.sense * turns * self.drift) * if odd { -1.0 } else { 1.0 };
        let Factor { value, slope } = self.horizontal(at);
        let (value, slope) = (value * turn, slope * turn * self.frequency);
        let a = self.lowest + self.amplitude * sn * sn;
        let b = self.highest + self.amplitude * cn * cn;
        let u = if a < b { 1.0 - a } else { b - 1.0 };
        let rise = -2.0 * self.amplitude * self.frequency * sn * cn * dn;
        (
            Vec3::new(value.re, value.im, u),
            Vec3::new(slope.re, slope.im, rise),
        )
    }

    /// `√(ab) e^{iφ}` for a phase between `−K` and `K`.
    fn horizontal(&self, at: Jacobi) -> Factor {
        let m = self.parameter.m();
        let (below, above) = (self.below.factor(at, m), self.above.factor(at, m));
        let mirror = |z: Complex<f64>| Complex::new(z.re, self.sense * z.im);
        Factor {
            value: mirror(below.value * above.value),
            slope: mirror(below.slope * above.value + below.value * above.slope),
        }
    }
}

/// The root `y ≥ 0` of `y (y+α)(y+β) = k` for `α, β, k ≥ 0`.
fn positive_root(alpha: f64, beta: f64, k: f64) -> f64 {
    if k == 0.0 {
        return 0.0;
    }
    // Each of the three is too large, the least by a factor 4 at most; the function is convex, so Newton
    // steps go down to the root and end where rounding stops them.
    let mut y = (k / alpha / beta)
        .min((k / alpha.max(beta)).sqrt())
        .min(math::cbrt(k));
    for _ in 0..60 {
        let (first, second) = (y + alpha, y + beta);
        let next = y - (y * first * second - k) / (first * second + y * (first + second));
        if !(next < y) {
            break;
        }
        y = next;
    }
    y
}

/// The direction of a vector; any, if it has none.
fn unit_vector(v: Vec3) -> Vec3 {
    let size = v.amax();
    if size == 0.0 {
        Vec3::z()
    } else {
        (v / size).normalize()
    }
}

/// `a/b`, or 0 where both vanish.
fn quotient(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a / b }
}
