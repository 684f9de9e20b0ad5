//! The free rigid body, `Ṁ = M × Ω`, `M = IΩ` in the axes of the body, by Jacobi's functions.
//!
//! ```text
//! axis 2 the middle one, axis 3 the largest or smallest, the one that M goes round, M₁ ≥ 0, M₃ ≥ 0:
//! M = (a₁ cn w, ±a₂ sn w, a₃ dn w),   w = w₀ + νt,   ± the sign of I₃ − I₂
//! a₁² = M₁² + r M₂²,  a₂² = a₁²/r,  r = I₁(I₃−I₂)/(I₂(I₃−I₁)),   a₃² = M₃² + M₂² I₃(I₂−I₁)/(I₂(I₃−I₁))
//! k² = I₃(I₂−I₁)a₁² / (I₁(I₃−I₂)a₃²),  1 − k² = (x² − y²)/((I₃−I₂)a₃²/I₃)
//! x² = M₃²(I₃−I₂)/I₃,  y² = M₁²(I₂−I₁)/I₁,   ν = a₃/I₃ √((I₃−I₂)(I₃−I₁)/(I₁I₂))
//! ```
//! All sums have terms of one sign. The attitude: with `m = M/|M|` and `S` the shortest turn that takes `m` to `e₃`,
//!
//! ```text
//! R = P e^{ψe₃} S,   ψ̇ = |M|/I₃ + δ/(1 + m₃)           I₃ the largest,     m₃ = μ dn w
//!                     ψ̇ = M·Ω/|M| + δ m₃/(1 + m₃)       I₃ the smallest,    δ = a₁²|I₃−I₁|/(I₁I₃|M|)
//! G = ∫ dw/(1 + μ dn w)      = (w + (1+k₁)(k₁−n) J)/(1+μ),      J = ∫ s²/(1+ns²) dv,   n = k₁(1−μ)/(1+μ)
//! H = ∫ μ dn w dw/(1 + μ dn w) = μ(1+k₁)/(1+μ) ((1−k₁)(v − nJ) + k₁C),   C = ∫ c²/(1+ns²) dv = v − (1+n)J
//! dn(w|k) = (1−k₁s²)/(1+k₁s²),  s = sn(v|k₁),  v = w/(1+k₁),  k₁ = (1−k')/(1+k')      Gauss's transformation
//! J(K₁) = ⅓ R_J(0, k₁'², 1, 1+n),   C(K₁) = ⅓ k₁'² R_J(0, k₁'², 1, k₁'²/(1+n))/(1+n)
//! ```
//! again of terms of one sign. `S` is smooth where `m₃ ≥ 0`: there is no angle that loses its meaning near an axis, and
//! the quaternion of `R` is continuous, sign and all. P is a constant that the start gives.
use super::elliptic::{Jacobi, Parameter};
use crate::{
    Vec3,
    geometry::{self, so3},
    math, order,
};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion};

/// A motion of a rigid body that no moment acts on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeBody {
    /// `R`, `M` and `Ω` at the start.
    start: FreeMotion,
    /// `None` if the axis of the rotation stays.
    tumbling: Option<Tumbling>,
}

/// Attitude and momentum of a free rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeMotion {
    /// From the body to space, a quaternion `[w, x, y, z]` that is continuous in time.
    pub orientation: [f64; 4],
    /// Angular momentum `M` in the axes of the body.
    pub momentum: Vec3,
    /// Angular velocity `Ω` in the axes of the body, rad/s.
    pub angular_velocity: Vec3,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Tumbling {
    /// The principal axes 1, 2, 3 as columns, in the body.
    axes: Matrix3<f64>,
    moments: [f64; 3],
    /// `P` and the inverse of the turn to the principal axes.
    before: [f64; 4],
    behind: [f64; 4],
    /// `a₁`, `±a₂`, `a₃` and `|M|`.
    amplitudes: Vec3,
    size: f64,
    parameter: Parameter,
    /// `w₀` and ν, 1/s.
    phase: f64,
    frequency: f64,
    /// The constant part of ψ̇, 1/s, and δ/ν.
    spin: f64,
    weight: f64,
    precession: Precession,
}

/// The integral G, or H where I₃ is the smallest.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Precession {
    smallest: bool,
    mu: f64,
    /// `k₁`, `1 − k₁` and n.
    modulus: f64,
    complement: f64,
    n: f64,
    parameter: Parameter,
    /// `K₁`, `J(K₁)` and `C(K₁)`.
    quarter: [f64; 3],
}

impl FreeBody {
    /// The motion with the given moment of inertia (symmetric, about the point that stays or the centre of mass) that
    /// starts with a unit quaternion `[w, x, y, z]` and an angular velocity in the axes of the body.
    pub fn new(inertia: &Matrix3<f64>, orientation: [f64; 4], angular_velocity: Vec3) -> Self {
        let start = FreeMotion {
            orientation,
            momentum: inertia * angular_velocity,
            angular_velocity,
        };
        Self {
            start,
            tumbling: Tumbling::new(inertia, &start),
        }
    }

    /// Attitude and momentum at a time, s, after the start (or before it).
    pub fn at(&self, time: f64) -> FreeMotion {
        if let Some(tumbling) = &self.tumbling {
            return tumbling.at(time);
        }
        let omega = self.start.angular_velocity;
        let rate = omega.norm();
        let (sine, cosine) = math::sin_cos(0.5 * rate * time);
        let axis = if rate > 0.0 { omega / rate } else { omega };
        let turn = [cosine, sine * axis.x, sine * axis.y, sine * axis.z];
        FreeMotion {
            orientation: so3::normalised(so3::product(&self.start.orientation, &turn)),
            ..self.start
        }
    }

    /// The time after which the momentum is the same again in the body, s; infinite on the separatrix and where it
    /// does not move.
    pub fn period(&self) -> f64 {
        self.tumbling
            .map_or(f64::INFINITY, |t| 4.0 * t.parameter.k() / t.frequency)
    }
}

/// Principal moments and axes, from the smallest moment on. Axes of the frame are found to the last bit.
fn principal(inertia: &Matrix3<f64>) -> [(f64, Vec3); 3] {
    let diagonal = Matrix3::from_diagonal(&inertia.diagonal());
    let mut found = if *inertia == diagonal {
        [0, 1, 2].map(|k| (inertia[(k, k)], Vec3::ith(k, 1.0)))
    } else {
        let (moments, axes) = geometry::principal(inertia);
        [0, 1, 2].map(|k| (moments[k], axes.column(k).into()))
    };
    order::sort_by(&mut found, |a, b| a.0.total_cmp(&b.0));
    found
}

impl Tumbling {
    fn new(inertia: &Matrix3<f64>, start: &FreeMotion) -> Option<Self> {
        let sorted = principal(inertia);
        let along = |k: usize| sorted[k].1.dot(&start.momentum).abs();
        let [low, middle, high] = sorted.map(|(moment, _)| moment);
        let about_high = along(2) * ((high - middle) / high).sqrt();
        let about_low = along(0) * ((middle - low) / low).sqrt();
        let (order, x, y) = if about_high >= about_low {
            ([0, 1, 2], about_high, about_low)
        } else {
            ([2, 1, 0], about_low, about_high)
        };
        let [i1, i2, i3] = order.map(|k| sorted[k].0);
        // Half turns about an axis make M₁ and M₃ positive.
        let upright = |k: usize| {
            let axis = sorted[order[k]].1;
            axis * 1.0_f64.copysign(axis.dot(&start.momentum))
        };
        let (first, third) = (upright(0), upright(2));
        let axes = Matrix3::from_columns(&[first, third.cross(&first), third]);
        let m = axes.tr_mul(&start.momentum);
        let size = start.momentum.norm();
        // About the middle axis to within what can be squared: it would take 345 e-foldings to leave it.
        if math::hypot(m.x, m.z) <= 1e-150 * size {
            return None;
        }

        // Differences of moments, all of the sign of I₃ − I₂.
        let sense = 1.0_f64.copysign(i3 - i2);
        let (d32, d31, d21) = ((i3 - i2).abs(), (i3 - i1).abs(), (i2 - i1).abs());
        let root = (i1 * d32 / (i2 * d31)).sqrt();
        let a1 = math::hypot(m.x, root * m.y);
        let a3 = math::hypot(m.z, (i3 * d21 / (i2 * d31)).sqrt() * m.y);
        let frequency = a3 / i3 * (d32 * d31 / (i1 * i2)).sqrt();
        // At once also what is not a number.
        if !(a1 > 0.0 && frequency > 0.0 && root > 0.0) {
            return None;
        }
        let ratio = a1 / a3;
        let parameter = Parameter::from_parts(
            ratio * ratio * (i3 * d21 / (i1 * d32)),
            (x - y) / a3 * ((x + y) / a3) * (i3 / d32),
        );
        let phase = Jacobi {
            sn: sense * root * m.y / a1,
            cn: m.x / a1,
            dn: m.z / a3,
        };
        let behind = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
        let behind = [behind.w, behind.i, behind.j, behind.k];
        let upright = shortest(&(m / size));
        let before = so3::product(&so3::product(&start.orientation, &behind), &conjugate(upright));
        Some(Self {
            axes,
            moments: [i1, i2, i3],
            before,
            behind: conjugate(behind),
            amplitudes: Vec3::new(a1, sense * a1 / root, a3),
            size,
            parameter,
            phase: phase.first(),
            frequency,
            spin: match sense > 0.0 {
                true => size / i3,
                false => start.momentum.dot(&start.angular_velocity) / size,
            },
            weight: (a1 / i1) * (d31 / i3) * (a1 / size) / frequency,
            precession: Precession::new(parameter, a3 / size, sense < 0.0),
        })
    }

    fn at(&self, time: f64) -> FreeMotion {
        let w = self.phase + self.frequency * time;
        let Jacobi { sn, cn, dn } = self.parameter.jacobi(w);
        let m = self.amplitudes.component_mul(&Vec3::new(cn, sn, dn));
        let turned = self.precession.integral(w) - self.precession.integral(self.phase);
        let psi = self.spin * time + self.weight * turned;
        let (sine, cosine) = math::sin_cos(0.5 * psi);
        let outer = so3::product(&self.before, &[cosine, 0.0, 0.0, sine]);
        let inner = so3::product(&shortest(&(m / self.size)), &self.behind);
        let turn = so3::product(&outer, &inner);
        // Unit to a few roundings so far; one Newton step makes it unit to the last bit.
        let rates = Vec3::from([0, 1, 2].map(|k| m[k] / self.moments[k]));
        FreeMotion {
            orientation: so3::normalised(turn),
            momentum: self.axes * m,
            angular_velocity: self.axes * rates,
        }
    }
}

impl Precession {
    fn new(parameter: Parameter, mu: f64, smallest: bool) -> Self {
        // A momentum along the axis may be rounded up.
        let mu = mu.min(1.0);
        let k = parameter.complement().sqrt();
        let sum = 1.0 + k;
        let modulus = parameter.m() / (sum * sum);
        let n = modulus * (1.0 - mu) / (1.0 + mu);
        let rest = 4.0 * k / (sum * sum);
        let parameter = Parameter::from_parts(modulus * modulus, rest);
        let quarter = parameter.quarter();
        let c = rest / (1.0 + n) * quarter.remainder(rest / (1.0 + n));
        Self {
            smallest,
            mu,
            modulus,
            complement: 2.0 * k / sum,
            n,
            parameter,
            quarter: [parameter.k(), quarter.remainder(1.0 + n), c],
        }
    }

    /// From 0 to w.
    fn integral(&self, w: f64) -> f64 {
        let (modulus, n) = (self.modulus, self.n);
        let v = w / (1.0 + modulus);
        let (j, outside, c) = if self.parameter.complement() == 0.0 {
            // s = tanh v.
            let root = n.sqrt();
            let c = if root > 0.0 {
                math::atan(root * math::tanh(v)) / root
            } else {
                math::tanh(v)
            };
            ((v - c) / (1.0 + n), 0.0, c)
        } else {
            let (turns, at) = self.parameter.reduced(v);
            let inside = at.remainder(1.0 + n * at.sn * at.sn);
            let rest = at.first();
            let [k, quarter_j, quarter_c] = self.quarter.map(|x| 2.0 * turns * x);
            (
                inside + quarter_j,
                rest + k,
                rest - (1.0 + n) * inside + quarter_c,
            )
        };
        let integral = if self.smallest {
            self.mu * (1.0 + modulus) * (self.complement * (outside - n * j) + modulus * c)
        } else {
            w + (1.0 + modulus) * (modulus - n) * j
        };
        integral / (1.0 + self.mu)
    }
}

/// The shortest turn that takes a unit vector to `e₃`; smooth but for `−e₃`.
fn shortest(m: &Vec3) -> [f64; 4] {
    let q = [1.0 + m.z, m.y, -m.x, 0.0];
    let size = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| x / size)
}

fn conjugate([w, x, y, z]: [f64; 4]) -> [f64; 4] {
    [w, -x, -y, -z]
}
