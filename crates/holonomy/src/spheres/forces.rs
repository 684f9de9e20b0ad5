//! Forces without potential: dampers, and forces and torques that are formulas of time and of how bodies point and move.
//!
//! ```text
//! τᵢ = −c (ωᵢ − ωⱼ)                        a damper, seen across qᵢ
//! τᵢ = aᵢ qᵢ × F(t, r, ṙ)                  a force at a point b + Σ aᵢ qᵢ
//! τᵢ = T(t, r, ṙ)                          a torque, seen across qᵢ
//! ∂τᵢ/∂ωₖ                                  exact, for implicit steps; r = b + Σ aₖ qₖ, ṙ = Σ aₖ ωₖ × qₖ
//! ```
//! They have no place in a Lagrangian: discrete equations take them as impulses (Lagrange–d'Alembert), and their work is
//! measured beside the energy.
#[cfg(not(target_arch = "wasm32"))]
mod turned;

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use turned::Turned;

use super::{Spheres, SpheresError, parts::is_finite};
use crate::{
    Vec3,
    formula::{Expressions, Formula, Program, Registers},
    geometry::s2,
    system::Base,
};
use nalgebra::Matrix3;
use std::sync::Mutex;

/// A force without potential: one source of power.
pub struct SphereForce {
    /// What it is called.
    pub name: String,
    /// What it does.
    pub act: SphereAct,
}

/// What a force does to bodies.
pub enum SphereAct {
    /// Dampers, each on a body, against another or the world.
    Damper(Vec<Damping>),
    /// A torque on a body, N m: three formulas.
    Torque {
        /// Which.
        body: usize,
        /// The formulas.
        law: SphereLaw,
    },
    /// A force on a point of a body, N: three formulas.
    Force {
        /// Which.
        body: usize,
        /// How far from its base, m.
        distance: f64,
        /// The formulas.
        law: SphereLaw,
    },
}

/// A damper: `−c` times the angular velocity of a body, or its difference from that of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damping {
    /// The body.
    pub body: usize,
    /// The other; the world if there is none.
    pub against: Option<usize>,
    /// c, N m s.
    pub coefficient: f64,
}

/// What a formula sees: a direction, or a place `base + Σ weight q`.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Where the place is but for the bodies, m.
    pub base: Vec3,
    /// Bodies and their weights, m for a place, one for a direction.
    pub parts: Vec<(usize, f64)>,
}

/// Three formulas of time and of what they see.
pub struct SphereLaw {
    seen: Vec<Seen>,
    /// Three values, and their derivatives by the rates of what is seen.
    program: Program,
    memory: Mutex<Memory>,
    by_rates: bool,
    /// What changes its sign where `abs`, `min` and `max` have kinks.
    #[cfg(not(target_arch = "wasm32"))]
    sides: Program,
    /// The values, and their derivatives by what is seen and by its rates.
    #[cfg(not(target_arch = "wasm32"))]
    slopes: Program,
}

#[derive(Default)]
struct Memory {
    x: Vec<f64>,
    out: Vec<f64>,
    registers: Registers,
}

impl SphereLaw {
    /// The slot of time in the scope of the formulas.
    pub const TIME: usize = 0;

    /// The slots of what is seen as number k: of itself, and of its rate.
    pub fn slots(k: usize) -> [usize; 2] {
        [3 + 6 * k, 6 + 6 * k]
    }

    /// From formulas whose components are three together, with variables in these slots; `what` tells what is seen as
    /// number k, and is asked for those in use alone.
    pub fn new(formulas: &[&Formula], what: impl FnMut(usize) -> Seen) -> Option<Self> {
        let mut expressions = Expressions::new();
        let written: Vec<_> = formulas.iter().flat_map(|f| expressions.components(f)).collect();
        if written.len() != 3 {
            return None;
        }
        let mut used: Vec<usize> = expressions
            .slots()
            .into_iter()
            .filter(|slot| *slot >= 3)
            .map(|slot| (slot - 3) / 6)
            .collect();
        used.dedup();
        let mut replacements = Vec::new();
        for (place, number) in used.iter().enumerate() {
            for part in 0..6 {
                let [from, to] = [*number, place].map(|k| Self::slots(k)[0] + part);
                replacements.push((from, expressions.variable(to)));
            }
        }
        let mut outputs: Vec<_> = written
            .into_iter()
            .map(|e| expressions.substitute(e, &replacements))
            .collect();
        let rates: Vec<usize> = (0..used.len())
            .flat_map(|k| (0..3).map(move |axis| Self::slots(k)[1] + axis))
            .collect();
        for value in 0..3 {
            let slopes = expressions.gradient(outputs[value], &rates);
            outputs.extend(slopes);
        }
        let by_rates = outputs[3..]
            .iter()
            .any(|slope| expressions.known_value(*slope) != Some(0.0));
        let program = expressions.compile(&outputs);
        #[cfg(not(target_arch = "wasm32"))]
        let slopes = turned::slopes(&mut expressions, &outputs[..3], used.len());
        Some(Self {
            seen: used.into_iter().map(what).collect(),
            program,
            #[cfg(not(target_arch = "wasm32"))]
            sides: {
                let kinks = expressions.kinks(&outputs[..3]);
                expressions.compile(&kinks)
            },
            #[cfg(not(target_arch = "wasm32"))]
            slopes,
            memory: Mutex::default(),
            by_rates,
        })
    }

    /// The values, and the derivatives by the rates; not a number where they have none.
    fn at(&self, t: f64, q: &[Vec3], omega: &[Vec3], use_it: impl FnOnce(Vec3, &[f64])) {
        let mut own = Memory::default();
        let mut shared = self.memory.try_lock();
        let memory = match &mut shared {
            Ok(memory) => &mut **memory,
            Err(_) => &mut own,
        };
        self.look(t, q, omega, &mut memory.x);
        memory.out.resize(self.program.outputs(), 0.0);
        if self
            .program
            .evaluate(&memory.x, &mut memory.registers, &mut memory.out)
            .is_err()
        {
            memory.out.fill(f64::NAN);
        }
        let (value, slopes) = memory.out.split_at(3);
        use_it(Vec3::from_column_slice(value), slopes);
    }

    /// What the formulas see.
    fn look(&self, t: f64, q: &[Vec3], omega: &[Vec3], x: &mut Vec<f64>) {
        x.clear();
        x.extend([t, 0.0, 0.0]);
        for Seen { base, parts } in &self.seen {
            let (mut r, mut rate) = (*base, Vec3::zeros());
            for (i, weight) in parts {
                r += q[*i] * *weight;
                rate += omega[*i].cross(&q[*i]) * *weight;
            }
            x.extend(r.iter().chain(rate.iter()));
        }
    }
}

/// The torques of all forces at a moment, one by one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Torques {
    /// The source, the body and the torque.
    pub(crate) each: Vec<(usize, usize, Vec3)>,
    /// `∂τᵢ/∂ωₖ`, to be added up; only where it was asked for.
    pub(crate) slopes: Vec<(usize, usize, Matrix3<f64>)>,
}

impl Spheres {
    /// Forces without potential.
    pub fn forces(&self) -> &[SphereForce] {
        &self.forces
    }

    /// What a formula sees as the direction of a body.
    pub fn direction_seen(body: usize) -> Seen {
        Seen {
            base: Vec3::zeros(),
            parts: vec![(body, 1.0)],
        }
    }

    /// Whether a force has a value.
    pub fn force_is_finite(&self, force: usize, t: f64, q: &[Vec3], omega: &[Vec3]) -> bool {
        let mut torques = Torques::default();
        self.torques(t, q, omega, true, &mut torques);
        let mut own = torques.each.iter().filter(|(source, ..)| *source == force);
        own.all(|(.., torque)| is_finite(torque))
    }

    /// Forces whose formulas have kinks: their names, and for each its law.
    #[cfg(not(target_arch = "wasm32"))]
    fn kinked(&self) -> impl Iterator<Item = (&str, &SphereLaw)> {
        let laws = self.forces.iter().filter_map(|force| match &force.act {
            SphereAct::Damper(_) => None,
            SphereAct::Torque { law, .. } | SphereAct::Force { law, .. } => Some((force.name.as_str(), law)),
        });
        laws.filter(|(_, law)| law.sides.outputs() > 0)
    }

    /// A name for each number of [`Spheres::kink_sides`].
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn kink_names(&self) -> Vec<String> {
        let each = self.kinked();
        each.flat_map(|(name, law)| vec![format!("formula of {name}"); law.sides.outputs()])
            .collect()
    }

    /// What changes its sign at kinks of formulas.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn kink_sides(&self, t: f64, q: &[Vec3], omega: &[Vec3], out: &mut Vec<f64>) {
        out.clear();
        let mut memory = Memory::default();
        for (_, law) in self.kinked() {
            law.look(t, q, omega, &mut memory.x);
            let first = out.len();
            out.resize(first + law.sides.outputs(), 0.0);
            let _ = law
                .sides
                .evaluate(&memory.x, &mut memory.registers, &mut out[first..]);
        }
    }

    /// Whether a torque of any force changes with how bodies move.
    pub(crate) fn forces_see_rates(&self) -> bool {
        self.forces.iter().any(|force| match &force.act {
            SphereAct::Damper(_) => true,
            SphereAct::Torque { law, .. } | SphereAct::Force { law, .. } => law.by_rates,
        })
    }

    /// The torques of all forces.
    pub(crate) fn torques(&self, t: f64, q: &[Vec3], omega: &[Vec3], slopes: bool, out: &mut Torques) {
        out.each.clear();
        out.slopes.clear();
        for (source, force) in self.forces.iter().enumerate() {
            match &force.act {
                SphereAct::Damper(dampers) => {
                    for damper in dampers {
                        self.damp(source, damper, q, omega, slopes, out);
                    }
                }
                SphereAct::Torque { body, law } => law.at(t, q, omega, |torque, by_rates| {
                    out.each.push((source, *body, s2::tangent(&q[*body], &torque)));
                    if slopes && law.by_rates {
                        law.add_slopes(*body, &across(&q[*body]), q, by_rates, &mut out.slopes);
                    }
                }),
                SphereAct::Force { body, distance, law } => law.at(t, q, omega, |force, by_rates| {
                    let (mut body, mut arm) = (*body, *distance);
                    loop {
                        out.each.push((source, body, q[body].cross(&force) * arm));
                        if slopes && law.by_rates {
                            let lever = q[body].cross_matrix() * arm;
                            law.add_slopes(body, &lever, q, by_rates, &mut out.slopes);
                        }
                        match self.bodies[body].base {
                            Base::Site(parent) => (body, arm) = (parent, self.bodies[parent].length),
                            Base::Fixed(_) => break,
                        }
                    }
                }),
            }
        }
    }

    fn damp(
        &self,
        source: usize,
        damper: &Damping,
        q: &[Vec3],
        omega: &[Vec3],
        slopes: bool,
        out: &mut Torques,
    ) {
        let Damping {
            body,
            against,
            coefficient,
        } = *damper;
        let relative = omega[body] - against.map_or_else(Vec3::zeros, |other| omega[other]);
        for (on, sign) in [(Some(body), -1.0), (against, 1.0)] {
            let Some(on) = on else { continue };
            out.each
                .push((source, on, s2::tangent(&q[on], &relative) * (sign * coefficient)));
            if slopes {
                let seen = across(&q[on]) * (sign * coefficient);
                out.slopes.push((on, body, seen));
                out.slopes.extend(against.map(|other| (on, other, -seen)));
            }
        }
    }

    /// Whether forces can be: they name bodies that there are, and their numbers are finite.
    pub(super) fn check_forces(&self) -> Result<(), SpheresError> {
        for SphereForce { name, act } in &self.forces {
            let (bodies, finite) = match act {
                SphereAct::Damper(dampers) => (
                    dampers
                        .iter()
                        .flat_map(|d| [Some(d.body), d.against])
                        .flatten()
                        .collect(),
                    dampers.iter().all(|d| {
                        d.coefficient >= 0.0 && d.coefficient.is_finite() && d.against != Some(d.body)
                    }),
                ),
                SphereAct::Torque { body, law } => (law.bodies(*body), law.is_sound()),
                SphereAct::Force { body, distance, law } => {
                    (law.bodies(*body), distance.is_finite() && law.is_sound())
                }
            };
            if !finite || bodies.iter().any(|body| *body >= self.len()) {
                return Err(SpheresError::Force { name: name.clone() });
            }
        }
        Ok(())
    }
}

/// The part of a vector across a direction.
fn across(q: &Vec3) -> Matrix3<f64> {
    Matrix3::identity() - q * q.transpose()
}

impl SphereLaw {
    fn bodies(&self, body: usize) -> Vec<usize> {
        let seen = self
            .seen
            .iter()
            .flat_map(|seen| seen.parts.iter().map(|(body, _)| *body));
        [body].into_iter().chain(seen).collect()
    }

    fn is_sound(&self) -> bool {
        let each = self.seen.iter();
        each.clone()
            .all(|seen| is_finite(&seen.base) && seen.parts.iter().all(|(_, weight)| weight.is_finite()))
    }

    /// `L ∂F/∂ṙ ∂ṙ/∂ωₖ` for each body that is seen, `∂ṙ/∂ωₖ = −aₖ q̂ₖ`.
    fn add_slopes(
        &self,
        on: usize,
        lever: &Matrix3<f64>,
        q: &[Vec3],
        by_rates: &[f64],
        out: &mut Vec<(usize, usize, Matrix3<f64>)>,
    ) {
        let columns = 3 * self.seen.len();
        for (number, seen) in self.seen.iter().enumerate() {
            let slope = Matrix3::from_fn(|row, column| by_rates[row * columns + 3 * number + column]);
            for (k, weight) in &seen.parts {
                out.push((on, *k, lever * slope * q[*k].cross_matrix() * -*weight));
            }
        }
    }
}
