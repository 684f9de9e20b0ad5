//! Discrete Lagrangians on mechanisms written by hand: the pendulum of the cable report, the pitch and
//! cone-roll coordinates of Beckman's notebook, constraints, forces.
use holonomy::{
    diagnostics::{Record, observed_order, reversal_error, symplecticity_defect},
    integrator::{BACKWARD, Composition, DiscreteLagrangian, Integrator, MIDPOINT, Quadrature, TRAPEZOID},
    lagrangian::{Derivatives, GeneralizedForce, HolonomicConstraint, Lagrangian, Mechanics},
    simulation::{Schedule, Simulation},
    system::{State, System, Undefined},
};
use std::sync::Arc;

const G: f64 = 9.81;

/// `L = ½ θ'² + g cos θ`, with damping and a periodic torque if wanted.
struct Plane {
    damping: f64,
    torque: f64,
}

impl Mechanics for Plane {
    fn coordinates(&self) -> usize {
        1
    }
    fn lagrangian(&self, _: f64, q: &[f64], v: &[f64], out: &mut Derivatives) -> Result<(), Undefined> {
        out.resize(1, 1);
        out.value = 0.5 * v[0] * v[0] + G * q[0].cos();
        (out.q[0], out.v[0]) = (-G * q[0].sin(), v[0]);
        (out.vv[0], out.qq[0]) = (1.0, -G * q[0].cos());
        Ok(())
    }
    fn force(&self, t: f64, q: &[f64], v: &[f64], out: &mut GeneralizedForce) -> Result<(), Undefined> {
        out.resize(1, 1);
        out.value[0] = -self.damping * v[0] * q[0].cos() + self.torque * (2.0 * t).sin();
        out.q[0] = self.damping * v[0] * q[0].sin();
        out.v[0] = -self.damping * q[0].cos();
        Ok(())
    }
}

/// Beckman's notebook: `L = ½ m c² (δ'² + cos²δ η'²) − m g c cos δ cos η`.
struct PitchConeRoll;

impl Mechanics for PitchConeRoll {
    fn coordinates(&self) -> usize {
        2
    }
    fn lagrangian(&self, _: f64, q: &[f64], v: &[f64], out: &mut Derivatives) -> Result<(), Undefined> {
        let (m, c) = (1.0, 1.2);
        let (a, b) = (m * c * c, m * G * c);
        let ((sd, cd), (se, ce)) = (q[0].sin_cos(), q[1].sin_cos());
        out.resize(2, 2);
        out.value = 0.5 * a * (v[0] * v[0] + cd * cd * v[1] * v[1]) - b * cd * ce;
        out.q
            .copy_from_slice(&[-a * sd * cd * v[1] * v[1] + b * sd * ce, b * cd * se]);
        out.v.copy_from_slice(&[a * v[0], a * cd * cd * v[1]]);
        out.vv.copy_from_slice(&[a, 0.0, 0.0, a * cd * cd]);
        out.vq
            .copy_from_slice(&[0.0, 0.0, -2.0 * a * sd * cd * v[1], 0.0]);
        let mixed = -b * sd * se;
        out.qq.copy_from_slice(&[
            -a * (cd * cd - sd * sd) * v[1] * v[1] + b * cd * ce,
            mixed,
            mixed,
            b * cd * ce,
        ]);
        Ok(())
    }
}

/// A bob in the plane, `L = ½ m |x'|² − m g y`, on a rod of length `1 + ε sin t`: `|x|² = r²`.
struct Rod {
    swell: f64,
}

impl Rod {
    /// Length and its first two derivatives.
    fn length(&self, t: f64) -> (f64, f64, f64) {
        let (s, c) = t.sin_cos();
        (1.0 + self.swell * s, self.swell * c, -self.swell * s)
    }
}

impl Mechanics for Rod {
    fn coordinates(&self) -> usize {
        2
    }
    fn lagrangian(&self, _: f64, q: &[f64], v: &[f64], out: &mut Derivatives) -> Result<(), Undefined> {
        out.resize(2, 2);
        out.value = 0.5 * (v[0] * v[0] + v[1] * v[1]) - G * q[1];
        out.q[1] = -G;
        out.v.copy_from_slice(v);
        out.vv.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        Ok(())
    }
    fn constraints(&self) -> usize {
        1
    }
    fn constraint(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        out: &mut HolonomicConstraint,
    ) -> Result<(), Undefined> {
        out.resize(1, 2);
        let (r, dr, ddr) = self.length(t);
        out.value[0] = q[0] * q[0] + q[1] * q[1] - r * r;
        out.jacobian.copy_from_slice(&[2.0 * q[0], 2.0 * q[1]]);
        out.rate[0] = -2.0 * r * dr;
        out.curvature[0] = 2.0 * (v[0] * v[0] + v[1] * v[1]) - 2.0 * (dr * dr + r * ddr);
        Ok(())
    }
}

fn system(mechanics: impl Mechanics + 'static) -> Arc<Lagrangian> {
    let names: Vec<String> = (0..mechanics.coordinates())
        .map(|i| format!("q{}", i + 1))
        .collect();
    Arc::new(Lagrangian::new(Box::new(mechanics), &names).unwrap())
}

fn integrator(system: &Arc<Lagrangian>, quadrature: Quadrature) -> Box<dyn Integrator> {
    Box::new(DiscreteLagrangian::new(system.clone(), quadrature, 30).unwrap())
}

fn simulate(system: &Arc<Lagrangian>, method: Box<dyn Integrator>, q: &[f64], v: &[f64]) -> Simulation {
    Simulation::new(system.clone(), method, system.state(0.0, q, v).unwrap(), 0.01)
}

/// The state at a time, to about 1e-12, by a composition of order 8.
fn reference(system: &Arc<Lagrangian>, q: &[f64], v: &[f64], time: f64) -> State {
    let method = Composition::new(integrator(system, MIDPOINT), 8).unwrap();
    let mut simulation = simulate(system, Box::new(method), q, v);
    let steps = (400.0 * time).round() as u64;
    let schedule = Schedule {
        step: time / steps as f64,
        steps,
        every: u64::MAX,
    };
    simulation.run(&schedule, &mut []).unwrap();
    simulation.state
}

fn error(a: &State, b: &State) -> f64 {
    a.q.iter()
        .chain(&a.p)
        .zip(b.q.iter().chain(&b.p))
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max)
}

#[test]
fn orders_with_and_without_forces_and_constraints() {
    let rod = || (system(Rod { swell: 0.0 }), vec![0.6, -0.8], vec![0.8, 0.6]);
    // A rod that swells from rest length: its rate at t = 0 must be in the velocity.
    let driven = (
        system(Rod { swell: 0.1 }),
        vec![0.6, -0.8],
        vec![0.8 + 0.06, 0.6 - 0.08],
    );
    type Start = (Arc<Lagrangian>, Vec<f64>, Vec<f64>);
    let cases: Vec<(&str, Start)> = vec![
        (
            "free",
            (
                system(Plane {
                    damping: 0.0,
                    torque: 0.0,
                }),
                vec![1.0],
                vec![0.5],
            ),
        ),
        (
            "forced and damped",
            (
                system(Plane {
                    damping: 0.4,
                    torque: 1.5,
                }),
                vec![1.0],
                vec![0.5],
            ),
        ),
        ("curved", (system(PitchConeRoll), vec![0.3, 0.5], vec![0.4, -0.2])),
        ("constrained", rod()),
        ("driven constraint", driven),
    ];
    for (name, (system, q, v)) in cases {
        let exact = reference(&system, &q, &v, 1.0);
        for (quadrature, order) in [(MIDPOINT, 2.0), (TRAPEZOID, 2.0), (BACKWARD, 1.0)] {
            let counts = [200_u64, 400, 800];
            let (steps, errors): (Vec<f64>, Vec<f64>) = counts
                .map(|steps| {
                    let mut simulation = simulate(&system, integrator(&system, quadrature), &q, &v);
                    let step = 1.0 / steps as f64;
                    simulation
                        .run(
                            &Schedule {
                                step,
                                steps,
                                every: u64::MAX,
                            },
                            &mut [],
                        )
                        .unwrap();
                    (step, error(&simulation.state, &exact))
                })
                .into_iter()
                .unzip();
            let measured = observed_order(&steps, &errors);
            // A separable L makes the backward difference symplectic Euler, still of order 1.
            assert!(
                (measured - order).abs() < 0.06,
                "{name}, {quadrature:?}: {measured} {errors:?}"
            );
        }
    }
}

#[test]
fn compositions_reach_their_orders_with_constraints() {
    let system = system(Rod { swell: 0.0 });
    let (q, v) = ([0.6, -0.8], [0.8, 0.6]);
    let exact = reference(&system, &q, &v, 1.0);
    for (order, counts) in [(4, [32_u64, 48, 64]), (6, [24, 32, 40])] {
        let (steps, errors): (Vec<f64>, Vec<f64>) = counts
            .map(|steps| {
                let method = Composition::new(integrator(&system, MIDPOINT), order).unwrap();
                let mut simulation = simulate(&system, Box::new(method), &q, &v);
                let step = 1.0 / steps as f64;
                simulation
                    .run(
                        &Schedule {
                            step,
                            steps,
                            every: u64::MAX,
                        },
                        &mut [],
                    )
                    .unwrap();
                (step, error(&simulation.state, &exact))
            })
            .into_iter()
            .unzip();
        let measured = observed_order(&steps, &errors);
        assert!(
            (measured - f64::from(order)).abs() < 0.15,
            "{measured} {errors:?}"
        );
    }
}

#[test]
fn midpoint_and_trapezoid_are_symmetric_and_symplectic_and_so_is_no_projection_needed() {
    let system = system(PitchConeRoll);
    let state = system.state(0.0, &[0.3, 0.5], &[0.4, -0.2]).unwrap();
    for quadrature in [MIDPOINT, TRAPEZOID, BACKWARD] {
        let mut method = integrator(&system, quadrature);
        let reversal = reversal_error(&mut *method, &state, 0.05, 1.0).unwrap();
        assert_eq!(
            quadrature != BACKWARD,
            reversal < 1e-13,
            "{quadrature:?}: {reversal:e}"
        );
        let defect = symplecticity_defect(&*system, &mut *method, &state, 0.05).unwrap();
        assert!(defect < 1e-9, "{quadrature:?}: {defect:e}");
    }
}

#[test]
fn constraints_hold_to_rounding_at_every_step() {
    // A driven constraint is met at the time of the step, which later is rounded: |∂g/∂t| ulp(t).
    for (swell, steps) in [(0.0, 100_000), (0.1, 300)] {
        let system = system(Rod { swell });
        let mut simulation = simulate(
            &system,
            integrator(&system, MIDPOINT),
            &[0.6, -0.8],
            &[0.8 + 0.6 * swell, 0.6 - 0.8 * swell],
        );
        let mut record = Record::default();
        simulation
            .run(
                &Schedule {
                    step: 0.01,
                    steps,
                    every: 1,
                },
                &mut [&mut record],
            )
            .unwrap();
        assert!(record.constraint.unwrap() < 1e-15, "{:?}", record.constraint);
        if swell == 0.0 {
            let drift = record.energy.drift().unwrap();
            assert!(drift.slope.abs() < 5.0 * drift.standard_error, "{drift:?}");
        }
    }
}

#[test]
fn tension_of_a_hanging_bob_is_its_weight() {
    let system = system(Rod { swell: 0.0 });
    let mut simulation = simulate(&system, integrator(&system, MIDPOINT), &[0.0, -1.0], &[0.0, 0.0]);
    simulation
        .run(
            &Schedule {
                step: 0.01,
                steps: 10,
                every: 1,
            },
            &mut [],
        )
        .unwrap();
    // Gᵀλ = 2yλ balances the weight.
    assert!(
        (simulation.state.lambda[0].abs() - 0.5 * G).abs() < 1e-9,
        "{:?}",
        simulation.state.lambda
    );
}

/// Root mean square difference of the angle to the exact one over 10 s, starting at rest.
fn rms(method: impl FnMut(&mut State), start: f64, step: f64) -> f64 {
    let system = system(Plane {
        damping: 0.0,
        torque: 0.0,
    });
    let steps = (10.0 / step).round() as u64;
    let mut exact = simulate(
        &system,
        Box::new(Composition::new(integrator(&system, TRAPEZOID), 8).unwrap()),
        &[start],
        &[0.0],
    );
    let mut state = exact.state.clone();
    let (mut sum, mut method) = (0.0, method);
    for _ in 0..steps {
        exact
            .run(
                &Schedule {
                    step: 0.1 * step,
                    steps: 10,
                    every: u64::MAX,
                },
                &mut [],
            )
            .unwrap();
        method(&mut state);
        sum += (state.q[0] - exact.state.q[0]).powi(2);
    }
    (sum / steps as f64).sqrt()
}

#[test]
fn plane_pendulum_of_document_003() {
    // docs/reading.md 5.1: root mean square errors at t_s = 0.01 s over 10 s, for four amplitudes.
    let pi = std::f64::consts::PI;
    let printed = [
        (pi / 6.0, 0.141, 2.7e-4),
        (pi / 4.0, 0.294, 3.7e-4),
        (pi / 2.0, 1.274, 4.8e-4),
    ];
    for (start, euler, variational) in printed {
        let h = 0.01;
        let explicit = |state: &mut State| {
            let acceleration = -G * state.q[0].sin();
            state.q[0] += h * state.p[0];
            state.p[0] += h * acceleration;
        };
        let error = rms(explicit, start, h);
        assert!((error / euler - 1.0).abs() < 0.02, "Euler from {start}: {error}");
        let system = system(Plane {
            damping: 0.0,
            torque: 0.0,
        });
        let mut method = integrator(&system, TRAPEZOID);
        let error = rms(|state| assert!(method.step(state, h).is_ok()), start, h);
        assert!(
            (error / variational - 1.0).abs() < 0.05,
            "variational from {start}: {error}"
        );
    }
}

#[test]
fn plane_pendulum_keeps_its_amplitude_and_loses_stability_where_it_should() {
    let system = system(Plane {
        damping: 0.0,
        torque: 0.0,
    });
    let largest = |step: f64, start: f64, steps: u32| {
        let mut method = integrator(&system, TRAPEZOID);
        let mut state = system.state(0.0, &[start], &[0.0]).unwrap();
        (0..steps).fold(0.0_f64, |largest, _| {
            let _ = method.attempt(&mut state, step);
            largest.max(state.q[0].abs())
        })
    };
    // docs/reading.md 5.1: t_s = 0.2 s keeps the amplitude; small oscillations are stable below 2/√g = 0.6386 s.
    assert!((largest(0.2, 0.5, 50) / 0.5 - 1.0).abs() < 1e-3);
    assert!(largest(0.63, 1e-6, 2000) < 1e-4);
    assert!(largest(0.64, 1e-6, 2000) > 1e-2);
}

#[test]
fn pitch_and_cone_roll_of_document_002() {
    // docs/reading.md 4.1: 1 ms, 25 s from rest at 10° and 5°; three readings of the energy.
    let system = system(PitchConeRoll);
    let start = [10_f64.to_radians(), 5_f64.to_radians()];
    let (a, b) = (1.44, G * 1.2);
    let energy = |q: &[f64], v: &[f64]| {
        0.5 * a * (v[0] * v[0] + q[0].cos().powi(2) * v[1] * v[1]) + b * q[0].cos() * q[1].cos()
    };
    let h = 1e-3;
    let mut method = integrator(&system, MIDPOINT);
    let mut state = system.state(0.0, &start, &[0.0, 0.0]).unwrap();
    let (mut notebook, mut midpoint, mut node) =
        (vec![energy(&start, &[0.0, 0.0]); 2], Vec::new(), Vec::new());
    for k in 1..25_000 {
        let before = state.q.clone();
        method.step(&mut state, h).unwrap();
        let v: Vec<f64> = state.q.iter().zip(&before).map(|(q, b)| (q - b) / h).collect();
        let middle: Vec<f64> = state.q.iter().zip(&before).map(|(q, b)| 0.5 * (q + b)).collect();
        if k > 1 {
            notebook.push(energy(&state.q, &v));
        }
        midpoint.push(energy(&middle, &v));
        node.push(system.energy(&state).total());
    }
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let spread = |x: &[f64]| (x.iter().map(|e| (e - mean(x)).powi(2)).sum::<f64>() / x.len() as f64).sqrt();
    // The notebook's ±0.014 is its first-order velocity, not the integrator.
    assert!((mean(&notebook) - 11.5487).abs() < 5e-5, "{}", mean(&notebook));
    assert!((spread(&notebook) - 0.0136).abs() < 5e-5, "{}", spread(&notebook));
    assert!((mean(&midpoint) - 11.549_006).abs() < 1e-5 && (spread(&midpoint) - 5.2e-5).abs() < 2e-6);
    assert!((mean(&node) - 11.549_059).abs() < 1e-5 && (spread(&node) - 2.6e-5).abs() < 2e-6);
}
