//! Momenta of all vectors together: what is conserved where nothing changes when all are shifted, or turned, alike.
//!
//! ```text
//! r → r + s e            Σ e·∂L/∂r = 0                             P·e,   P = Σ ∂L/∂r'
//! r → r + s e × r        e·Σ (r × ∂L/∂r + r' × ∂L/∂r') = 0         J·e,   J = Σ r × ∂L/∂r'
//! ```
//! and the same of forces f and of each constraint g, with f and ∂g/∂r in place of ∂L/∂r, and nothing in place of ∂L/∂r'.
//! Both actions are affine in the coordinates, so that a discrete Lagrangian made of L at means and differences of
//! positions has them too, and keeps P·e and J·e.
//!
//! The sums are evaluated at points taken at random, which is enough for what is analytic. Where formulas have kinks they
//! must vanish for the formulas and for what is left without the kinks.
use super::{Formulas, Lagrangian};
use crate::{
    Vec3,
    formula::{Expression, Expressions, Program, Registers},
    potential::{Symmetry, scattered},
};

/// A momentum of all vectors together.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Total {
    Along(Vec3),
    /// About the origin.
    About(Vec3),
}

/// All of them that are conserved.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    /// The first component of each vector.
    vectors: Vec<usize>,
    found: Vec<Total>,
}

impl Totals {
    /// Puts their values at the end of `out`.
    pub(super) fn measure(&self, q: &[f64], p: &[f64], out: &mut Vec<f64>) {
        out.extend(self.found.iter().map(|total| -> f64 {
            let each = self.vectors.iter().map(|a| (vector(q, *a), vector(p, *a)));
            match total {
                Total::Along(axis) => each.map(|(_, p)| axis.dot(&p)).sum(),
                Total::About(axis) => each.map(|(r, p)| axis.dot(&r.cross(&p))).sum(),
            }
        }));
    }
}

impl Lagrangian {
    /// The same, with the momenta of all its vectors together among what is conserved, as far as they are. It is made of
    /// these formulas, without a frame; `vectors` are the numbers of the first components of its vectors.
    #[must_use]
    pub fn with_vectors(mut self, formulas: &Formulas, vectors: &[usize]) -> Self {
        if vectors.is_empty() || self.is_framed() {
            return self;
        }
        let mut found = Vec::new();
        if let Some(samples) = Samples::take(formulas, vectors) {
            for (axis, unit) in [Vec3::x(), Vec3::y(), Vec3::z()].into_iter().enumerate() {
                let alone = |a: &usize| self.cyclic.contains(&(a + axis));
                // Where each is conserved by itself there is nothing to add.
                if samples.allow_shift(axis) && !vectors.iter().all(alone) {
                    found.push(Total::Along(unit));
                }
            }
            match Symmetry::without_torque(&samples.torques) {
                Symmetry::All => found.extend([Vec3::x(), Vec3::y(), Vec3::z()].map(Total::About)),
                Symmetry::About(axis) => found.push(Total::About(axis)),
                Symmetry::None => {}
            }
        }
        let names = &mut self.layout.conserved.invariants;
        names.extend(found.iter().map(|total| match total {
            Total::Along(axis) => format!("total momentum {}", axis_name(axis)),
            Total::About(axis) => format!("total angular momentum {}", axis_name(axis)),
        }));
        let vectors = vectors.to_vec();
        self.totals = Totals { vectors, found };
        self
    }
}

/// Points tried, and how many must have a value while something moves.
const TRIED: u64 = 64;
const ENOUGH: usize = 8;

/// Speeds at these points: some at rest, where nothing kinetic hides what is small beside it, and some slow, where a
/// Lagrangian may have no value at higher ones.
const SPEEDS: [f64; 4] = [0.0, 1.0, 0.1, 0.01];

/// Rounding of a sum, relative to its terms, with some loss of digits in their computation.
const NOTHING: f64 = 1e-10;

/// What shifts and turns change, relative to the sizes of the terms.
#[derive(Default)]
struct Samples {
    shifts: Vec<Vec3>,
    torques: Vec<Vec3>,
}

impl Samples {
    /// `None` where hardly any of the points has a value.
    fn take(formulas: &Formulas, vectors: &[usize]) -> Option<Self> {
        let n = formulas.slots.coordinates;
        let mut samples = Self::default();
        for smooth in [false, true] {
            let program = covectors(formulas, smooth);
            let (mut registers, mut out) = (Registers::default(), vec![0.0; program.outputs()]);
            let mut moving = 0;
            for number in 0..TRIED {
                let speed = SPEEDS[number as usize % SPEEDS.len()];
                let mut x: Vec<f64> = (0..2 * n + 1)
                    .map(|slot| scattered(number, slot / 3)[slot % 3])
                    .collect();
                x[n..2 * n].iter_mut().for_each(|v| *v *= speed);
                let known = program.evaluate(&x, &mut registers, &mut out).is_ok();
                if known && out.iter().all(|part| part.is_finite()) {
                    samples.add(&x, &out, n, vectors);
                    moving += usize::from(speed > 0.0);
                }
            }
            if moving < ENOUGH {
                return None;
            }
        }
        Some(samples)
    }

    fn add(&mut self, x: &[f64], out: &[f64], n: usize, vectors: &[usize]) {
        let (by_q, rest) = out.split_at(n);
        let (by_v, others) = rest.split_at(n);
        let (q, v) = x.split_at(n);
        let none = [].as_slice();
        let each = others.chunks_exact(n).map(|covector| (covector, none));
        for (by_q, by_v) in [(by_q, by_v)].into_iter().chain(each) {
            let (mut shift, mut torque) = (Sum::default(), Sum::default());
            for a in vectors {
                let slope = vector(by_q, *a);
                shift.add(slope, slope.norm());
                let arm = vector(q, *a);
                torque.add(arm.cross(&slope), arm.norm() * slope.norm());
                if !by_v.is_empty() {
                    let (arm, slope) = (vector(v, *a), vector(by_v, *a));
                    torque.add(arm.cross(&slope), arm.norm() * slope.norm());
                }
            }
            self.shifts.push(shift.relative());
            self.torques.push(torque.relative());
        }
    }

    fn allow_shift(&self, axis: usize) -> bool {
        self.shifts.iter().all(|shift| shift[axis].abs() <= NOTHING)
    }
}

#[derive(Default)]
struct Sum {
    value: Vec3,
    size: f64,
}

impl Sum {
    fn add(&mut self, term: Vec3, size: f64) {
        self.value += term;
        self.size += size;
    }

    fn relative(&self) -> Vec3 {
        match self.size > 0.0 {
            true => self.value / self.size,
            false => Vec3::zeros(),
        }
    }
}

/// `∂L/∂q`, `∂L/∂q'`, the forces, and `∂g/∂q` of each constraint; without kinks, if wanted.
fn covectors(formulas: &Formulas, smooth: bool) -> Program {
    let slots = formulas.slots;
    let q: Vec<usize> = (0..slots.coordinates).map(|a| slots.coordinate(a)).collect();
    let v: Vec<usize> = (0..slots.coordinates).map(|a| slots.velocity(a)).collect();
    let mut expressions = Expressions::new();
    let without_kinks = |expressions: &mut Expressions, of: Expression| match smooth {
        true => expressions.smooth(of),
        false => of,
    };
    let l = expressions.scalar(formulas.lagrangian);
    let l = without_kinks(&mut expressions, l);
    let mut outputs = expressions.gradient(l, &q);
    outputs.extend(expressions.gradient(l, &v));
    for force in formulas.forces {
        for part in expressions.components(force) {
            outputs.push(without_kinks(&mut expressions, part));
        }
    }
    for constraint in formulas.constraints {
        let g = expressions.scalar(constraint);
        let g = without_kinks(&mut expressions, g);
        outputs.extend(expressions.gradient(g, &q));
    }
    expressions.compile(&outputs)
}

fn vector(list: &[f64], first: usize) -> Vec3 {
    Vec3::new(list[first], list[first + 1], list[first + 2])
}

fn axis_name(axis: &Vec3) -> String {
    for (name, unit) in [("x", Vec3::x()), ("y", Vec3::y()), ("z", Vec3::z())] {
        if *axis == unit {
            return name.to_owned();
        }
    }
    format!("about ({:.6}, {:.6}, {:.6})", axis.x, axis.y, axis.z)
}
