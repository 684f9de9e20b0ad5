//! Gradients against differences of the energy, and declared symmetries against rotated points.
use crate::typed_potentials::typed;
use holonomy::{
    Vec3,
    derivative::slope,
    potential::{
        Autodiff, Bending, BendingLaw, Cotangent, Cutoff, Dipoles, GivenPotential, Gravity, LennardJones,
        NearPairs, Pairs, PointEnergy, Potential, Scalar, SmoothPotential, Spring, Symmetry,
    },
};
use nalgebra::{Rotation3, Unit, Vector3};
use std::sync::Arc;

/// The spring again, from its energy alone.
struct SmoothSpring;

impl SmoothPotential for SmoothSpring {
    fn points(&self) -> &[usize] {
        &[3, 1]
    }
    fn energy<S: Scalar>(&self, points: &[Vector3<S>]) -> S {
        let d = points[0] - points[1];
        let stretch = d.dot(&d).sqrt() - 0.7;
        stretch * stretch * 1.5
    }
    fn symmetry(&self) -> Symmetry {
        Symmetry::All
    }
}

fn points() -> Vec<Vec3> {
    vec![
        Vec3::new(0.6, 0.0, 0.8),
        Vec3::new(0.0, 0.8, -0.6),
        Vec3::new(-0.48, 0.6, 0.64),
        Vec3::new(0.36, -0.48, 0.8),
    ]
}

fn potentials() -> Vec<(&'static str, Box<dyn Potential>)> {
    let tilted = Vec3::new(1.0, 2.0, -3.0);
    let bending = |law, clamps| Bending {
        joints: vec![[0, 1], [1, 2], [1, 3]],
        clamps,
        stiffness: 2.5,
        law,
    };
    let wall = vec![(Vec3::new(0.0, 0.6, 0.8), 0)];
    let line = [Vec3::zeros(), tilted, tilted * 2.0, tilted * -1.5];
    let plane = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::x() + Vec3::y()];
    let moments = [0.1, 0.2, -0.3, 0.15];
    vec![
        (
            "gravity",
            Box::new(Gravity {
                acceleration: tilted,
                weights: vec![1.0, 2.0, 0.5],
                offset: 3.0,
            }),
        ),
        (
            "spring",
            Box::new(Spring {
                between: [3, 1],
                stiffness: 3.0,
                length: 0.7,
            }),
        ),
        (
            "spring without rest length",
            Box::new(Spring {
                between: [0, 2],
                stiffness: 3.0,
                length: 0.0,
            }),
        ),
        ("bending", Box::new(bending(BendingLaw::Cosine, vec![]))),
        (
            "bending with a wall",
            Box::new(bending(BendingLaw::Cosine, wall.clone())),
        ),
        ("quartic bending", Box::new(bending(BendingLaw::Quartic, wall))),
        ("dipoles on a line", Box::new(Dipoles::new(&line, &moments, 1.0))),
        (
            "dipoles in a plane",
            Box::new(Dipoles::new(&plane, &moments, 1.0)),
        ),
        (
            "lennard-jones",
            Box::new(Pairs::new(LennardJones::new(0.4, 1.1, 1.3), 4)),
        ),
        ("cotangent", Box::new(Pairs::new(Cotangent { strength: 0.8 }, 3))),
        ("smooth spring", Box::new(Autodiff::new(SmoothSpring))),
        ("typed spring", Box::new(typed("1.5*(norm(a - b) - 0.7)^2"))),
        (
            "typed gravity",
            Box::new(typed("dot(a + 2*b, [1, 2, -3]) - cos(0.5*dot(c, [1, 2, -3]))")),
        ),
        (
            "typed without symmetry",
            Box::new(typed("exp(a.x)*b.y + norm(cross(b, c))/(1 + c.z^2)")),
        ),
        (
            "typed with a kink",
            Box::new(typed("max(0.1, dot(a, b))*abs(dot(b, c))")),
        ),
    ]
}

/// Second derivatives along a direction, against differences of the gradient; those that have none say so.
#[test]
fn hessians_and_differences_of_the_gradient() {
    let points = points();
    let direction: Vec<Vec3> = (0..points.len())
        .map(|k| {
            Vec3::new(
                (1.0 + k as f64).sin(),
                (2.0 * k as f64).cos(),
                0.3 - 0.2 * k as f64,
            )
        })
        .collect();
    // All pairs are between; beyond 2 the law is nothing that could be asked for.
    let fading = Cutoff::new(0.2, 1.9, 0.1).unwrap();
    let near = NearPairs::new(Cotangent { strength: 0.8 }, 3, fading);
    let all = potentials().into_iter();
    for (name, potential) in all.chain([("cotangent with a cut-off", Box::new(near) as Box<dyn Potential>)]) {
        let mut change = vec![Vec3::zeros(); points.len()];
        assert!(potential.add_hessian(&points, &direction, &mut change), "{name}");
        let gradient = |shift: f64| {
            let moved: Vec<Vec3> = points
                .iter()
                .zip(&direction)
                .map(|(p, d)| p + d * shift)
                .collect();
            let mut gradient = vec![Vec3::zeros(); points.len()];
            potential.add_gradient(&moved, &mut gradient);
            Ok::<_, ()>(gradient.iter().flat_map(|g| g.iter().copied()).collect())
        };
        let differences = slope(1e-3, gradient).unwrap();
        let size = differences.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
        for (found, differences) in change.iter().flat_map(|g| g.iter()).zip(&differences) {
            // ε over the offset, of terms up to ten times as large.
            assert!(
                (found - differences).abs() < 1e-11 * size,
                "{name}: {found} {differences}"
            );
        }
    }
    // A function that is handed over has a gradient and no more.
    struct Plane;
    impl PointEnergy for Plane {
        fn evaluate(&self, r: &[Vec3], gradient: &mut [Vec3]) -> f64 {
            gradient[0] = Vec3::z();
            r[0].z
        }
    }
    let given = GivenPotential::new(Arc::new(Plane), vec![0]);
    assert!(!given.add_hessian(&points, &direction, &mut [Vec3::zeros(); 4]));
}

#[test]
fn gradient_and_differences_of_the_energy() {
    let points = points();
    for (name, potential) in potentials() {
        let mut gradient = vec![Vec3::zeros(); points.len()];
        potential.add_gradient(&points, &mut gradient);
        for k in 0..points.len() {
            for axis in 0..3 {
                let shifted = |offset: f64| {
                    let mut moved = points.clone();
                    moved[k][axis] += offset;
                    potential.energy(&moved)
                };
                // Central differences of order 4 with an offset of 1e-3: errors of about 1e-11.
                let h = 1e-3;
                let slope =
                    (8.0 * (shifted(h) - shifted(-h)) - (shifted(2.0 * h) - shifted(-2.0 * h))) / (12.0 * h);
                let error = (slope - gradient[k][axis]).abs();
                assert!(error < 1e-8 * (1.0 + slope.abs()), "{name}, point {k}: {error:e}");
            }
        }
    }
}

#[test]
fn gradients_add_to_what_is_there() {
    for (name, potential) in potentials() {
        let mut once = vec![Vec3::zeros(); 4];
        potential.add_gradient(&points(), &mut once);
        let mut twice = once.clone();
        potential.add_gradient(&points(), &mut twice);
        assert!(
            once.iter()
                .zip(&twice)
                .all(|(a, b)| (b - 2.0 * a).amax() < 1e-14 * (1.0 + a.amax())),
            "{name}"
        );
    }
}

#[test]
fn declared_symmetry_and_energy_of_rotated_points() {
    let start = points();
    for (name, potential) in potentials() {
        let invariant = |axis: Vec3| {
            let rotation = Rotation3::from_axis_angle(&Unit::new_normalize(axis), 0.7);
            let turned: Vec<Vec3> = start.iter().map(|r| rotation * r).collect();
            let before = potential.energy(&start);
            (potential.energy(&turned) - before).abs() < 1e-12 * (1.0 + before.abs())
        };
        let anywhere = [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::new(0.3, -0.5, 0.8)];
        match potential.symmetry() {
            Symmetry::All => assert!(anywhere.into_iter().all(invariant), "{name}"),
            Symmetry::About(axis) => {
                assert!(invariant(axis), "{name}");
                assert!(
                    !anywhere.into_iter().any(invariant),
                    "{name} has more symmetry than it declares"
                );
            }
            Symmetry::None => assert!(!anywhere.into_iter().any(invariant), "{name}"),
        }
    }
}

#[test]
fn symmetries_combine() {
    let (x, y) = (Symmetry::About(Vec3::x()), Symmetry::About(Vec3::y()));
    assert_eq!(Symmetry::All.and(x), x);
    assert_eq!(x.and(Symmetry::About(-Vec3::x())), x);
    assert_eq!(x.and(y), Symmetry::None);
    assert_eq!(Symmetry::None.and(Symmetry::All), Symmetry::None);
}

#[test]
fn derived_gradient_and_written_gradient_of_the_spring() {
    let (mut derived, mut written) = (vec![Vec3::zeros(); 4], vec![Vec3::zeros(); 4]);
    Autodiff::new(SmoothSpring).add_gradient(&points(), &mut derived);
    Spring {
        between: [3, 1],
        stiffness: 3.0,
        length: 0.7,
    }
    .add_gradient(&points(), &mut written);
    assert!(derived.iter().zip(&written).all(|(a, b)| (a - b).amax() < 1e-15));
}
