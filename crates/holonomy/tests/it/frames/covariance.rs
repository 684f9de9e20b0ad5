use super::{Text, measured, method, order, reference, stepped};
use holonomy::{
    diagnostics::{distance, reversal_error, symplecticity_defect},
    integrator::{Adaptive, DiscreteHamel, DiscreteLagrangian, Integrator, MIDPOINT},
    lagrangian::{Brackets, Derivatives, FrameFields, Lagrangian, Mechanics},
    system::{System, Undefined},
};
use std::sync::Arc;

fn structure(system: &Lagrangian, q: &[f64]) -> (Vec<f64>, bool) {
    let (mut frame, mut brackets) = (FrameFields::default(), Brackets::default());
    system.mechanics().frame(q, &mut frame).unwrap();
    system.brackets(&frame, &mut brackets).unwrap();
    (brackets.c, brackets.constant)
}

#[test]
fn rotations_of_a_vector_have_the_structure_of_so3() {
    let system = Text {
        coordinates: &["Gamma"],
        quasi_velocities: &["Omega"],
        fields: &[
            &["cross(Gamma, [1, 0, 0])"],
            &["cross(Gamma, [0, 1, 0])"],
            &["cross(Gamma, [0, 0, 1])"],
        ],
        lagrangian: "0.5*dot(Omega, Omega)",
        ..Text::default()
    }
    .system();
    let (c, constant) = structure(&system, &[0.1, -2.0, 0.4]);
    assert!(constant);
    for i in 0..3 {
        for j in 0..3 {
            for m in 0..3 {
                let (a, b, d) = (i as i32, j as i32, m as i32);
                let epsilon = f64::from((a - b) * (b - d) * (d - a)) / 2.0;
                assert_eq!(c[(i * 3 + j) * 3 + m], epsilon, "{i} {j} {m}");
            }
        }
    }
}

/// A bob on a spring that also pulls sideways, in polar coordinates.
const POLAR: Text = Text {
    coordinates: &["r", "phi"],
    quasi_velocities: &["radial", "across"],
    parameters: &[("m", 1.3)],
    definitions: &[("V", "2*(r - 1)^2 + 0.3*r*cos(phi)")],
    fields: &[&["1", "0"], &["0", "1/r"]],
    lagrangian: "0.5*m*(r'^2 + r^2*phi'^2) - V",
    forces: &[],
    invariants: &[],
    constraints: &[],
    constrained: &[],
};

/// The same by hand, for Lagrange's equations.
struct Polar;

impl Mechanics for Polar {
    fn coordinates(&self) -> usize {
        2
    }
    fn lagrangian(&self, _: f64, q: &[f64], v: &[f64], out: &mut Derivatives) -> Result<(), Undefined> {
        let (m, r, (s, c)) = (1.3, q[0], q[1].sin_cos());
        out.resize(2, 2);
        out.value = 0.5 * m * (v[0] * v[0] + r * r * v[1] * v[1]) - 2.0 * (r - 1.0).powi(2) - 0.3 * r * c;
        out.q
            .copy_from_slice(&[m * r * v[1] * v[1] - 4.0 * (r - 1.0) - 0.3 * c, 0.3 * r * s]);
        out.v.copy_from_slice(&[m * v[0], m * r * r * v[1]]);
        out.vv.copy_from_slice(&[m, 0.0, 0.0, m * r * r]);
        out.vq.copy_from_slice(&[0.0, 0.0, 2.0 * m * r * v[1], 0.0]);
        out.qq
            .copy_from_slice(&[m * v[1] * v[1] - 4.0, 0.3 * s, 0.3 * s, 0.3 * r * c]);
        Ok(())
    }
}

fn polar_by_hand() -> Arc<Lagrangian> {
    Arc::new(Lagrangian::new(Box::new(Polar), &POLAR_NAMES.map(str::to_owned)).unwrap())
}

const POLAR_NAMES: [&str; 2] = ["r", "phi"];

/// The equations of a frame, where its fields are those of the coordinates, are Lagrange's to the bit: what they multiply
/// is 1 or 0.
#[test]
fn a_lagrangian_is_the_frame_of_its_coordinates() {
    let plain = polar_by_hand();
    let names = POLAR_NAMES.map(str::to_owned);
    let rates = ["u", "w"].map(str::to_owned);
    let framed = Arc::new(Lagrangian::in_frame(Box::new(Polar), &names, &rates, &[]).unwrap());
    assert!(framed.is_framed() && !plain.is_framed());
    let (q, v) = ([0.7, 0.3], [0.4, -1.1]);
    assert_eq!(
        plain.state(0.0, &q, &v).unwrap(),
        framed.state(0.0, &q, &v).unwrap()
    );
    let rate = |system: &Lagrangian| {
        let (mut dq, mut dv) = ([0.0; 2], [0.0; 2]);
        system.rate(0.0, &q, &v, &mut dq, &mut dv, &mut system.scratch());
        (dq, dv)
    };
    assert_eq!(rate(&plain), rate(&framed));
    let (dq, dv) = rate(&plain);
    assert!(dq == v && dv.iter().all(|a| a.abs() > 0.1));
    let (a, b) = (
        measured(&plain, &plain.state(0.0, &q, &v).unwrap()),
        measured(&framed, &framed.state(0.0, &q, &v).unwrap()),
    );
    assert_eq!(a, b);
    // Each has its method, and not that of the other.
    assert!(DiscreteLagrangian::new(framed.clone(), MIDPOINT, 30).is_none());
    assert!(DiscreteHamel::new(plain, 30).is_none() && DiscreteHamel::new(framed, 30).is_some());
}

#[test]
fn structure_functions_in_closed_form() {
    // [∂_r, ∂_φ/r] = −(1/r) ∂_φ/r.
    let system = POLAR.system();
    let (c, constant) = structure(&system, &[0.7, 0.3]);
    let expected = [0.0, 0.0, 0.0, -1.0 / 0.7, 0.0, 1.0 / 0.7, 0.0, 0.0];
    assert!(!constant);
    for (c, expected) in c.iter().zip(expected) {
        assert!((c - expected).abs() < 1e-15, "{c} {expected}");
    }
    // Coordinates commute.
    let plain = Text {
        fields: &[&["1", "0"], &["0", "1"]],
        ..POLAR
    };
    let (c, constant) = structure(&plain.system(), &[0.7, 0.3]);
    assert!(constant && c.iter().all(|c| *c == 0.0));
    // Redundant and not a Lie algebra: rotations of two vectors, all stretched by f = exp(A.x).
    // [f uᵢ, f uⱼ] = f² ε uₘ + f uᵢ[f] uⱼ − f uⱼ[f] uᵢ, and u₁[f] = 0, u₂[f] = −f A.z, u₃[f] = f A.y.
    let fields: [[&str; 2]; 3] = [
        ["exp(A.x)*cross(A, [1, 0, 0])", "exp(A.x)*cross(B, [1, 0, 0])"],
        ["exp(A.x)*cross(A, [0, 1, 0])", "exp(A.x)*cross(B, [0, 1, 0])"],
        ["exp(A.x)*cross(A, [0, 0, 1])", "exp(A.x)*cross(B, [0, 0, 1])"],
    ];
    let system = Text {
        coordinates: &["A", "B"],
        quasi_velocities: &["Omega"],
        fields: &[&fields[0], &fields[1], &fields[2]],
        lagrangian: "0.5*dot(Omega, Omega)",
        ..Text::default()
    }
    .system();
    let q: [f64; 6] = [0.3, 0.5, -0.7, 0.2, -0.9, 0.4];
    let (f, along) = (q[0].exp(), [0.0, -q[2], q[1]].map(|x| x * q[0].exp()));
    let (c, constant) = structure(&system, &q);
    assert!(!constant);
    for i in 0..3 {
        for j in 0..3 {
            for m in 0..3 {
                let (a, b, d) = (i as i32, j as i32, m as i32);
                let epsilon = f64::from((a - b) * (b - d) * (d - a)) / 2.0;
                let unit = |x: usize| f64::from(x == m);
                let expected = f * epsilon + along[i] * unit(j) - along[j] * unit(i);
                let found = c[(i * 3 + j) * 3 + m];
                assert!(
                    (found - expected).abs() < 1e-14,
                    "{i} {j} {m}: {found} {expected}"
                );
            }
        }
    }
}

#[test]
fn hamel_equations_are_those_of_lagrange() {
    let (hamel, lagrange) = (POLAR.system(), polar_by_hand());
    let (q, v) = ([1.4, 0.5], [0.3, 0.8]);
    let (start, other) = (
        hamel.state(0.0, &q, &[v[0], q[0] * v[1]]).unwrap(),
        lagrange.state(0.0, &q, &v).unwrap(),
    );
    let (here, mut there) = (reference(&hamel, &start, 10.0), other);
    let mut dop853 = Adaptive::dop853(lagrange.clone(), 3e-14, 1e-15);
    dop853.step(&mut there, 10.0).unwrap();
    // p_r, and p_φ = r p_across.
    let differences = [
        here.q[0] - there.q[0],
        here.q[1] - there.q[1],
        here.p[0] - there.p[0],
        here.q[0] * here.p[1] - there.p[1],
    ];
    assert!(differences.iter().all(|x| x.abs() < 1e-12), "{differences:?}");
    let energies = (measured(&hamel, &here).energy, lagrange.energy(&there));
    assert!((energies.0.total() - energies.1.total()).abs() < 1e-13);
    assert!((energies.0.potential - energies.1.potential).abs() < 1e-13);
}

/// A Lagrangian with a mass matrix that varies, a magnetic term and drag, all depending on time.
const CURVED: Text = Text {
    coordinates: &["x", "y", "z"],
    quasi_velocities: &["a", "b", "c"],
    parameters: &[],
    definitions: &[],
    fields: &[&["1", "0", "0"], &["0", "1", "0"], &["0", "0", "1"]],
    lagrangian: "0.5*(1 + 0.3*sin(y)^2)*x'^2 + 0.7*y'^2 + 0.5*exp(0.2*x)*z'^2 + 0.1*x'*z' + 0.4*(1 + 0.5*sin(t))*x*y' \
                 - 0.5*x^2 - y^2 - cos(z) - 0.2*x*y*z*cos(t)",
    forces: &["-0.1*x'", "-0.05*x*y'", "0.2*cos(2*t)"],
    invariants: &[],
    constraints: &[],
    constrained: &[],
};

/// The same in a frame without a pattern.
pub(super) const CROOKED: Text = Text {
    fields: &[
        &["1 + 0.3*sin(y)", "0.2*x*y", "0.1*exp(0.3*z)"],
        &["0.3*z", "1 + 0.1*x^2", "-0.2*cos(x)"],
        &["0.1*y*z", "0.2*sin(x + z)", "1.2 + 0.3*cos(y)"],
    ],
    ..CURVED
};

#[test]
fn motion_is_the_same_in_every_frame() {
    let (plain, crooked) = (CURVED.system(), CROOKED.system());
    let q = [0.3, -0.2, 0.6];
    let xi = [0.5, -0.4, 0.3];
    let mut frame = FrameFields::default();
    crooked.mechanics().frame(&q, &mut frame).unwrap();
    let v = [0, 1, 2].map(|a| (0..3).map(|i| xi[i] * frame.fields[i * 3 + a]).sum::<f64>());
    let (_, constant) = structure(&crooked, &q);
    assert!(!constant && crooked.is_canonical());
    let here = reference(&plain, &plain.state(0.0, &q, &v).unwrap(), 3.0);
    let start = crooked.state(0.0, &q, &xi).unwrap();
    let there = reference(&crooked, &start, 3.0);
    let (x, y) = crooked.canonical(&[0.0; 3], &there.q, &there.p);
    let differences = here.q.iter().zip(&x).chain(here.p.iter().zip(&y));
    let worst = differences.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-12, "{worst:e}");
    let (q, p) = crooked.state_from_canonical(&[0.0; 3], &x, &y);
    let back = q.iter().zip(&there.q).chain(p.iter().zip(&there.p));
    assert!(back.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-14);

    // The discrete method: order 2 with everything at once, symmetric.
    let measured = order(&crooked, &start, &there, 3.0, [150, 300, 600]);
    assert!((measured - 2.0).abs() < 0.02, "{measured}");
    let reversal = reversal_error(&mut method(&crooked), &start, 0.05, 1.0).unwrap();
    assert!(reversal < 3e-15, "{reversal:e}");
    let mut state = start;
    let iterations = method(&crooked).step(&mut state, 0.02).unwrap().iterations;
    println!("{iterations} iterations in a crooked frame at h = 0.02 s");
    assert!(iterations <= 8, "{iterations}");
}

#[test]
fn in_coordinates_it_is_the_variational_midpoint_method_between_its_nodes() {
    // Half an explicit and half an implicit Euler step make the trapezoidal rule; the other way round, the midpoint.
    // So the midpoint's values at the middle of each step, p = ∂L/∂v there, are steps of this method.
    let plain = Text {
        fields: &[&["1", "0"], &["0", "1"]],
        ..POLAR
    };
    let (hamel, lagrange) = (plain.system(), polar_by_hand());
    let (mut node, h) = (lagrange.state(0.0, &[1.4, 0.5], &[0.3, 0.8]).unwrap(), 0.1);
    let mut variational = DiscreteLagrangian::new(lagrange, MIDPOINT, 30).unwrap();
    let mut middles = Vec::new();
    for _ in 0..20 {
        let before = node.q.clone();
        variational.step(&mut node, h).unwrap();
        let pairs = || before.iter().zip(&node.q);
        let q: Vec<f64> = pairs().map(|(a, b)| 0.5 * (a + b)).collect();
        let v: Vec<f64> = pairs().map(|(a, b)| (b - a) / h).collect();
        middles.push(hamel.state(0.0, &q, &v).unwrap());
    }
    for (steps, expected) in middles.iter().enumerate().skip(1) {
        let found = stepped(&hamel, &middles[0], h, steps as u32);
        assert!(distance(&found, expected) < 1e-12, "{steps}");
    }
    // So it is conjugate to a symplectic method; by itself it is not one, in these variables.
    let defect = symplecticity_defect(&*hamel, &mut method(&hamel), &middles[0], h).unwrap();
    assert!(defect > 1e-6, "{defect:e}");
}

#[test]
fn momenta_along_fields_that_nothing_acts_along_are_kept() {
    let system = Text {
        definitions: &[("V", "2*(r - 1)^2")],
        fields: &[&["1", "0"], &["0", "1"]],
        ..POLAR
    }
    .system();
    assert_eq!(system.layout().conserved.invariants, ["momentum across"]);
    let start = system.state(0.0, &[1.4, 0.5], &[0.3, 0.8]).unwrap();
    assert_eq!(stepped(&system, &start, 0.1, 1000).p[1], start.p[1]);
    // In the frame that does not commute it is another quantity, and not kept.
    assert!(POLAR.system().layout().conserved.invariants.is_empty());
}

#[test]
fn energy_does_not_drift_in_a_frame_that_does_not_commute() {
    let system = POLAR.system();
    let mut state = system.state(0.0, &[1.4, 0.5], &[0.3, 1.1]).unwrap();
    let start = measured(&system, &state).energy.total();
    let mut method = method(&system);
    let worst = [(); 2].map(|()| {
        (0..20_000).fold(0.0_f64, |worst, _| {
            method.step(&mut state, 0.05).unwrap();
            worst.max((measured(&system, &state).energy.total() - start).abs())
        })
    });
    println!("energy of {start:.3} J off by {worst:?} J in each half of 40 000 steps");
    // Symmetric, and the motion reversible: the error of the second half is that of the first.
    assert!(worst[0] < 1e-2 && worst[1] < 1.1 * worst[0], "{worst:?}");
}
