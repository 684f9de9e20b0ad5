//! A step allocates nothing after the first few.
use crate::common;
use holonomy::{
    derivative::{Change, Efforts, Tape},
    integrator::catalog::{METHODS, Options},
    potential::{Autodiff, Potential, Scalar, SmoothPotential},
    spheres::{Body, Spheres, SpheresParts},
};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Counts the allocations of each thread.
struct Counting;

#[expect(unsafe_code, reason = "an allocator cannot be written without")]
// SAFETY: hands every call on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

pub(crate) fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1.0)))), 1);
}

/// `V = −(a·b)²`, from its energy alone.
struct Squared;

impl SmoothPotential for Squared {
    fn points(&self) -> &[usize] {
        &[0, 1]
    }
    fn energy<S: Scalar>(&self, points: &[nalgebra::Vector3<S>]) -> S {
        let c = points[0].dot(&points[1]);
        -(c * c)
    }
}

fn differentiated() -> common::Problem {
    let spheres = Spheres::new(SpheresParts {
        bodies: vec![Body::point("body-1", 1.0, 1.0), Body::point("body-2", 2.0, 1.0)],
        potentials: vec![Box::new(Autodiff::new(Squared))],
        ..SpheresParts::default()
    })
    .unwrap();
    let other = common::separate();

    let q = holonomy::spheres::view(&other.state.q).to_vec();
    let omega = vec![
        holonomy::Vec3::new(-0.4, 0.7, 0.3),
        holonomy::Vec3::new(0.3, 0.4, -0.3),
    ];
    common::Problem::new("differentiated", spheres, &q, &omega)
}

#[test]
fn no_method_allocates_after_its_first_steps() {
    let mut problems = common::problems();
    problems.push(differentiated());
    problems.push(common::typed_on_spheres());
    for p in &problems {
        for m in METHODS {
            let Some(mut simulation) = p.simulation(m, &Options::default()) else {
                continue;
            };
            let mut steps = |count: u32| {
                for _ in 0..count {
                    simulation.step_by(1e-3).unwrap();
                }
            };
            steps(3);
            assert_eq!(allocations(|| steps(100)), 0, "{} on {}", m.name, p.name);
            let row = || {
                simulation.advance(100).unwrap();
            };
            assert_eq!(allocations(row), 0, "{} on {}", m.name, p.name);
        }
    }
}

/// A tape that is recorded and gone along again, forwards and backwards.
#[test]
fn no_method_allocates_for_derivatives_after_its_first_steps() {
    let mut problems = common::problems();
    let text = include_str!("../../../holonomy-model/tests/it/models/good/sphere-forces.toml");
    let forced = common::load("sphere-forces.toml", text, &[]);
    problems.push(common::Problem {
        name: "forces on spheres",
        mechanism: forced.mechanism,
        state: forced.state,
    });
    let mut seen = 0;
    for p in &problems {
        for m in METHODS {
            let Some(mut integrator) = m.build_with(&p.mechanism, &Options::default()).ok() else {
                continue;
            };
            let Some(method) = integrator.differentiable() else {
                continue;
            };
            let system = p.mechanism.system();
            let (x, y) = system.canonical(&p.state.q, &p.state.q, &p.state.p);
            let unit = Change {
                x: vec![1.0; x.len()],
                y: vec![0.0; y.len()],
                ..Change::default()
            };
            let mut changes = vec![unit; 2];
            let mut tape = Tape::record(method, &p.state, 1e-3, 20, Efforts::default()).unwrap();
            let mut all = || {
                tape.again(method, &p.state, Efforts::default()).unwrap();
                tape.push(method, &mut changes, &mut ()).unwrap();
                tape.pull(method, &mut changes, &mut ()).unwrap();
            };
            all();
            assert_eq!(allocations(all), 0, "{} on {}", m.name, p.name);
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn a_formula_allocates_nothing_after_its_first_sweep() {
    let potential = crate::typed_potentials::typed("1.5*(norm(a - b) - 0.4)^2 + log(2 + dot(b, c))");
    let points = [
        holonomy::Vec3::x(),
        holonomy::Vec3::y(),
        holonomy::Vec3::new(0.6, 0.0, 0.8),
    ];
    let mut gradient = [holonomy::Vec3::zeros(); 3];
    let mut sweep = || {
        potential.add_gradient(&points, &mut gradient);
        assert!(potential.energy(&points).is_finite() && potential.undefined(&points).is_none());
    };
    sweep();
    assert_eq!(allocations(sweep), 0);
}

#[test]
fn poses_allocate_nothing_after_their_first_call() {
    for p in common::problems() {
        let system = p.mechanism.system();
        let (mut poses, mut scratch) = (holonomy::scene::Poses::default(), system.scratch());
        let mut look = || system.poses(&p.state, &mut poses, &mut scratch);
        look();
        assert_eq!(allocations(look), 0, "{}", p.name);
    }
}
