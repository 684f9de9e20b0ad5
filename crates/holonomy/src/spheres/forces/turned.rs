//! How torques change where bodies turn, their angular velocities held.
//!
//! ```text
//! δτᵢ = −c ((qᵢ·ω) I + qᵢ ωᵀ) δqᵢ                   a damper, with the sign of τ; ω the difference that it sees
//! δτᵢ = aᵢ (δqᵢ × F + qᵢ × δF)                      a force
//! δτᵢ = δT − ((qᵢ·T) I + qᵢ Tᵀ) δqᵢ − qᵢ (qᵢ·δT)    a torque
//! δF  = Σ aₖ (∂F/∂r + ∂F/∂ṙ ω̂ₖ) δqₖ                 r = b + Σ aₖ qₖ, ṙ = Σ aₖ ωₖ × qₖ
//! ```
use super::{Memory, SphereAct, SphereLaw, across};
use crate::{
    Vec3,
    formula::{Expression, Expressions, Program},
    spheres::Spheres,
    system::Base,
};
use nalgebra::Matrix3;

/// A block `∂τᵢ/∂qₖ`, to be added up: i, k, and what stands there.
pub(crate) type Turned = (usize, usize, Matrix3<f64>);

/// Three values, their derivatives by the places of all that is seen, and by its rates.
pub(super) fn slopes(expressions: &mut Expressions, values: &[Expression], seen: usize) -> Program {
    let mut outputs = values.to_vec();
    for kind in 0..2 {
        let slots: Vec<usize> = (0..seen)
            .flat_map(|k| (0..3).map(move |axis| SphereLaw::slots(k)[kind] + axis))
            .collect();
        for value in values {
            let slopes = expressions.gradient(*value, &slots);
            outputs.extend(slopes);
        }
    }
    expressions.compile(&outputs)
}

impl Spheres {
    /// `∂τᵢ/∂qₖ` of all forces, at angular velocities that are given.
    pub(crate) fn turned_torques(&self, t: f64, q: &[Vec3], omega: &[Vec3], out: &mut Vec<Turned>) {
        out.clear();
        for force in self.forces() {
            match &force.act {
                SphereAct::Damper(dampers) => {
                    for damper in dampers {
                        let other = damper.against;
                        let relative = omega[damper.body] - other.map_or_else(Vec3::zeros, |k| omega[k]);
                        for (on, sign) in [(Some(damper.body), -1.0), (other, 1.0)] {
                            let Some(on) = on else { continue };
                            out.push((
                                on,
                                on,
                                turned_part(&q[on], &relative) * (sign * damper.coefficient),
                            ));
                        }
                    }
                }
                SphereAct::Torque { body, law } => law.turned(t, q, omega, out, |torque, seen, out| {
                    let own = &q[*body];
                    out.push((*body, *body, turned_part(own, torque)));
                    seen.each(|k, slope| out.push((*body, k, across(own) * slope)));
                }),
                SphereAct::Force { body, distance, law } => {
                    law.turned(t, q, omega, out, |force, seen, out| {
                        let (mut body, mut arm) = (*body, *distance);
                        loop {
                            out.push((body, body, force.cross_matrix() * -arm));
                            let lever = q[body].cross_matrix() * arm;
                            seen.each(|k, slope| out.push((body, k, lever * slope)));
                            match self.bodies()[body].base {
                                Base::Site(parent) => (body, arm) = (parent, self.bodies()[parent].length),
                                Base::Fixed(_) => break,
                            }
                        }
                    })
                }
            }
        }
    }
}

/// How the part of a vector across q changes with q.
fn turned_part(q: &Vec3, vector: &Vec3) -> Matrix3<f64> {
    Matrix3::from_diagonal_element(-q.dot(vector)) - q * vector.transpose()
}

/// How the values of a law change with the directions of bodies.
struct Slopes<'a> {
    law: &'a SphereLaw,
    omega: &'a [Vec3],
    /// By places, then by rates.
    slopes: &'a [f64],
}

impl Slopes<'_> {
    /// `aₖ (∂F/∂r + ∂F/∂ṙ ω̂ₖ)` for every body that is seen, once for each way in which it is.
    fn each(&self, mut act: impl FnMut(usize, Matrix3<f64>)) {
        let columns = 3 * self.law.seen.len();
        let (by_places, by_rates) = self.slopes.split_at(3 * columns);
        for (number, seen) in self.law.seen.iter().enumerate() {
            let block = |of: &[f64]| Matrix3::from_fn(|row, axis| of[row * columns + 3 * number + axis]);
            let (place, rate) = (block(by_places), block(by_rates));
            for (k, weight) in &seen.parts {
                act(*k, (place + rate * self.omega[*k].cross_matrix()) * *weight);
            }
        }
    }
}

impl SphereLaw {
    /// Calls back with the values and with how they change; with what is not a number where they have no value.
    fn turned(
        &self,
        t: f64,
        q: &[Vec3],
        omega: &[Vec3],
        out: &mut Vec<Turned>,
        act: impl FnOnce(&Vec3, &Slopes<'_>, &mut Vec<Turned>),
    ) {
        let mut own = Memory::default();
        let mut shared = self.memory.try_lock();
        let memory = match &mut shared {
            Ok(memory) => &mut **memory,
            Err(_) => &mut own,
        };
        self.look(t, q, omega, &mut memory.x);
        memory.out.resize(self.slopes.outputs(), 0.0);
        let known = self
            .slopes
            .evaluate(&memory.x, &mut memory.registers, &mut memory.out);
        if known.is_err() {
            memory.out.fill(f64::NAN);
        }
        let (value, slopes) = memory.out.split_at(3);
        let slopes = Slopes {
            law: self,
            omega,
            slopes,
        };
        act(&Vec3::from_column_slice(value), &slopes, out);
    }
}
