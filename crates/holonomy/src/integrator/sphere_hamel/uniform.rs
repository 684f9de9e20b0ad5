//! Uniform gravity: the paper's own variables, body by body, and one cubic.
//!
//! Axes `a₁, a₂` and the vertical `a₃ = ∂V/|∂V|` are fixed in space; the body's frame R has its third
//! axis along q and does not spin about it. Stepped are the components in that frame of
//!
//! ```text
//! Ω = Rᵀω (Ω³ = 0),   Γ = Rᵀa₃,   Υ = Rᵀa₁,                  s = |∂V|/M
//! Ω̇¹ = sΓ²,   Ω̇² = −sΓ¹,   Γ̇ = Γ × Ω,   Υ̇ = Υ × Ω           (17)–(18) of the paper
//! ```
//! by the midpoint rule. With `S = ½(Γ³ + Γ³⁺)` the root of the cubic below and `u = 1 − βS`:
//!
//! ```text
//! Z = ((2Γ¹ − hSΩ²)/u, (2Γ² + hSΩ¹)/u)                        Γ + Γ⁺
//! ΔΩ = a (Z², −Z¹),   Y = 2Ω + ΔΩ,   f = ¼h (Y¹, Y², 0)        half the rotation
//! ΔΓ = ½h (−SY², SY¹, ½(Y²Z¹ − Y¹Z²)),   Υ⁺ = cay(−f) Υ
//! q = Σₖ aₖ (Υ, Γ×Υ, Γ)³,    π = M Σₖ aₖ (Υ·Ω, (Γ×Υ)·Ω, Γ·Ω)
//! ```
//! ΔΩ and ΔΓ keep `½|Ω|² + sΓ³` and `Γ·Ω` whatever the rounding of `Z`. They are added with
//! compensation, and `q` and `π` are made from the sums: a rounding of these does not come back.
use super::{rotation_increment, sum};
use crate::{
    Vec3,
    geometry::s2,
    integrator::{Cause, Fault, Integrator, StepInfo, check_finite},
    spheres::{Spheres, view, view_mut},
    system::{State, Tag},
};

pub(super) struct Uniform {
    bodies: Vec<UniformGravity>,
    next_q: Vec<f64>,
    next_p: Vec<f64>,
    carry: Vec<f64>,
}

/// How a body is pulled.
struct UniformGravity {
    mass: f64,
    /// `|∂V|/M`, s⁻².
    strength: f64,
    axes: [Vec3; 3],
}

/// A body in its own frame: Ω, Γ and Υ, and what rounding has taken from each.
#[derive(Clone, Copy)]
struct Turning {
    spin: [Vec3; 2],
    vertical: [Vec3; 2],
    mark: [Vec3; 2],
}

/// Names what [`Turning`] carries, and its vectors per body.
const TAG: Tag = Tag::new(*b"turn", 1);
const CARRIED: usize = 6;

impl Uniform {
    pub(super) fn new(system: &Spheres, gradient: &[Vec3]) -> Self {
        let body = |(i, gradient): (usize, &Vec3)| {
            let mass = system.inertia().diagonal(i);
            // Where nothing pulls, any direction is vertical.
            let up = gradient
                .try_normalize(0.0)
                .map_or_else(Vec3::z, |up| s2::normalised(&up));
            let basis = s2::tangent_basis(&up);
            UniformGravity {
                mass,
                strength: gradient.norm() / mass,
                axes: [basis.column(0).into(), basis.column(1).into(), up],
            }
        };
        let n = system.len();
        Self {
            bodies: gradient.iter().enumerate().map(body).collect(),
            next_q: vec![0.0; 3 * n],
            next_p: vec![0.0; 3 * n],
            carry: vec![0.0; 3 * CARRIED * n],
        }
    }
}

impl Integrator for Uniform {
    fn attempt(&mut self, state: &mut State, h: f64) -> Result<StepInfo, Fault> {
        let n = self.bodies.len();
        let (q, p) = (view(&state.q), view(&state.p));
        let carried = state.carried(TAG).filter(|carry| carry.len() == 3 * CARRIED * n);
        let known: Option<&[[Vec3; CARRIED]]> = carried.map(|carry| view(carry).as_chunks().0);
        self.carry.resize(3 * CARRIED * n, 0.0);
        self.next_q.resize(3 * n, 0.0);
        self.next_p.resize(3 * n, 0.0);
        let (next, _) = view_mut(&mut self.carry).as_chunks_mut::<CARRIED>();
        let mut most = 0;
        for (i, body) in self.bodies.iter().enumerate() {
            let turning = match known {
                Some(carry) => Turning::from_carry(&carry[i]),
                None => body.seen_from_within(&q[i], &p[i]),
            };
            let (turning, iterations) = turning
                .step(body.strength, h)
                .map_err(|cause| Fault { cause, body: Some(i) })?;
            most = most.max(iterations);
            let (point, momentum) = body.seen_from_outside(&turning);
            view_mut(&mut self.next_q)[i] = point;
            view_mut(&mut self.next_p)[i] = momentum;
            let Turning { spin, vertical, mark } = turning;
            next[i] = [spin[0], spin[1], vertical[0], vertical[1], mark[0], mark[1]];
        }
        check_finite(&self.next_q, &self.next_p, n)?;
        std::mem::swap(&mut state.q, &mut self.next_q);
        std::mem::swap(&mut state.p, &mut self.next_p);
        std::mem::swap(state.carry_for(TAG), &mut self.carry);
        state.t += h;
        Ok(StepInfo {
            iterations: most,
            ..StepInfo::default()
        })
    }
}

impl UniformGravity {
    fn seen_from_within(&self, q: &Vec3, p: &Vec3) -> Turning {
        let basis = s2::tangent_basis(q);
        let (first, second): (Vec3, Vec3) = (basis.column(0).into(), basis.column(1).into());
        let components = |v: &Vec3| Vec3::new(first.dot(v), second.dot(v), q.dot(v));
        let omega = p / self.mass;
        let spin = Vec3::new(first.dot(&omega), second.dot(&omega), 0.0);
        let vertical = unit(components(&self.axes[2]), Vec3::zeros());
        let mark = components(&self.axes[0]);
        Turning {
            spin: [spin, Vec3::zeros()],
            vertical,
            mark: unit(s2::tangent(&vertical[0], &mark), Vec3::zeros()),
        }
    }

    fn seen_from_outside(&self, turning: &Turning) -> (Vec3, Vec3) {
        let (spin, vertical, mark) = (turning.spin[0], turning.vertical[0], turning.mark[0]);
        let other = vertical.cross(&mark);
        let world = |x: f64, y: f64, z: f64| self.axes[0] * x + self.axes[1] * y + self.axes[2] * z;
        let point = s2::normalised(&world(mark.z, other.z, vertical.z));
        let omega = world(mark.dot(&spin), other.dot(&spin), vertical.dot(&spin));
        (point, omega * self.mass)
    }
}

impl Turning {
    fn from_carry(carry: &[Vec3; CARRIED]) -> Self {
        let [spin, spin_lost, vertical, vertical_lost, mark, mark_lost] = *carry;
        Self {
            spin: [spin, spin_lost],
            vertical: [vertical, vertical_lost],
            mark: [mark, mark_lost],
        }
    }

    /// One step, and the iterations that the cubic took.
    fn step(self, strength: f64, h: f64) -> Result<(Self, u32), Cause> {
        let Self { spin, vertical, mark } = self;
        let (omega, gamma) = (spin[0], vertical[0]);
        let (height, iterations) = middle_height(&omega, &gamma, strength, h)?;
        let (a, u) = (0.5 * h * strength, 1.0 - 0.25 * h * h * strength * height);
        let z1 = (2.0 * gamma.x - h * height * omega.y) / u;
        let z2 = (2.0 * gamma.y + h * height * omega.x) / u;
        let change = Vec3::new(a * z2, -a * z1, 0.0);
        let (y1, y2) = (2.0 * omega.x + change.x, 2.0 * omega.y + change.y);
        let fall = Vec3::new(-height * y2, height * y1, 0.5 * (y2 * z1 - y1 * z2)) * (0.5 * h);
        let turn = Vec3::new(y1, y2, 0.0) * (0.25 * h);

        let spin = sum(&omega, &change, &spin[1]);
        let (next, lost) = sum(&gamma, &fall, &vertical[1]);
        let vertical = unit(next, lost);
        let (next, lost) = sum(&mark[0], &rotation_increment(&-turn, &mark[0]), &mark[1]);
        let across = -vertical[0] * vertical[0].dot(&next);
        let (next, lost) = sum(&next, &across, &lost);
        Ok((
            Self {
                spin: [spin.0, spin.1],
                vertical,
                mark: unit(next, lost),
            },
            iterations,
        ))
    }
}

/// A vector in two parts, with unit length of their sum.
fn unit(v: Vec3, lost: Vec3) -> [Vec3; 2] {
    let defect = s2::length_defect(&v) - 2.0 * v.dot(&lost);
    let (v, lost) = sum(&v, &(v * (0.5 * defect)), &lost);
    [v, lost]
}

const MAX_ITERATIONS: u32 = 50;

/// `S` by Newton's method, and the iterations it took:
///
/// ```text
/// 2(S−Γ³)(1−βS)² = (h/4) [ 2(2W−hSP)(1−βS) − a(4Q + h²S²P − 4hSW) ]
/// a = ½hs,  β = ¼h²s,  P = |Ω|²,  Q = Γ¹²+Γ²²,  W = Ω²Γ¹ − Ω¹Γ²
/// ```
fn middle_height(omega: &Vec3, gamma: &Vec3, s: f64, h: f64) -> Result<(f64, u32), Cause> {
    let ([o1, o2], [g1, g2, g3]) = ([omega.x, omega.y], [gamma.x, gamma.y, gamma.z]);
    let (a, beta) = (0.5 * h * s, 0.25 * h * h * s);
    let (p, q, w) = (o1 * o1 + o2 * o2, g1 * g1 + g2 * g2, o2 * g1 - o1 * g2);
    let mut height = g3 + 0.5 * h * w;
    let mut correction = f64::NAN;
    for iteration in 1..=MAX_ITERATIONS {
        let u = 1.0 - beta * height;
        let inner = 2.0 * w - h * height * p;
        let square = 4.0 * q + h * h * height * height * p - 4.0 * h * height * w;
        let value = 2.0 * (height - g3) * u * u - 0.25 * h * (2.0 * inner * u - a * square);
        let slope = 2.0 * u * u
            - 4.0 * beta * (height - g3) * u
            - 0.25
                * h
                * (-2.0 * h * p * u - 2.0 * beta * inner - a * (2.0 * h * h * height * p - 4.0 * h * w));
        correction = value / slope;
        height -= correction;
        if !height.is_finite() {
            return Err(Cause::NotFinite);
        }
        // Corrections square; the one after 1e-9 is below rounding.
        if correction.abs() <= 1e-9 {
            return Ok((height, iteration));
        }
    }
    Err(Cause::NotConverged {
        iterations: MAX_ITERATIONS,
        correction,
    })
}
