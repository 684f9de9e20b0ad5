//! Identities between two independent computations, named by both sides.
use crate::common;
use holonomy::{
    Vec3,
    spheres::{Body, Inertia, InertiaWork, Links, Spheres, SpheresParts, view},
    system::{Mechanism, System},
};
use std::sync::Arc;

fn spheres(problem: &common::Problem) -> &Arc<Spheres> {
    let Mechanism::Spheres(spheres) = &problem.mechanism else {
        panic!("on spheres")
    };
    spheres
}

/// Numbers in −1 … 1, the same in every run.
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

fn vectors(count: usize, next: &mut impl FnMut() -> f64) -> Vec<Vec3> {
    (0..count).map(|_| Vec3::new(next(), next(), next())).collect()
}

/// Links with random masses and lengths; parents drawn among earlier links, some fixed.
fn random_links(count: usize, next: &mut impl FnMut() -> f64) -> Links {
    let links = (0..count).map(|i| {
        let parent = match ((next() + 1.0) * 0.5 * (i as f64 + 0.3)) as usize {
            k if k < i => Some(k),
            _ => i.checked_sub(1).filter(|_| next() > -0.5),
        };
        let (mass, length) = (1.5 + next(), 1.2 + next());
        let body = if next() > 0.0 {
            Body::point("", mass, length)
        } else {
            Body::rod("", mass, length)
        };
        match parent {
            Some(parent) => body.on(parent),
            None => body,
        }
    });
    Links::new(&links.collect::<Vec<_>>()).unwrap_or_else(|e| panic!("{e}"))
}

fn dense(links: &Links) -> Inertia {
    let n = links.len();
    let rows: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..n).map(|j| links.entry(i, j)).collect())
        .collect();
    let matrix = rows.concat();
    // `from_matrix` would recognise a diagonal one.
    Inertia::from_matrix(&rows).map_or_else(|e| panic!("{e}"), |_| Inertia::Dense { size: n, matrix })
}

#[test]
fn inertia_matrix_of_links_and_their_kinetic_energy() {
    let mut next = numbers(1);
    for round in 0..40 {
        let links = random_links(1 + round % 12, &mut next);
        let velocity = vectors(links.len(), &mut next);
        // Directly: every rod from the velocities of its two ends, every point from that of its end.
        let mut ends: Vec<Vec3> = Vec::new();
        let mut direct = 0.0;
        for (link, v) in links.links().iter().zip(&velocity) {
            let start = link.parent.map_or_else(Vec3::zeros, |parent| ends[parent]);
            let end = start + v * link.length;
            direct += if link.centre == 1.0 {
                0.5 * link.mass * end.norm_squared()
            } else {
                link.mass / 6.0 * (start.norm_squared() + start.dot(&end) + end.norm_squared())
            };
            ends.push(end);
        }
        let n = links.len();
        let quadratic: f64 = (0..n)
            .flat_map(|i| (0..n).map(move |j| (i, j)))
            .map(|(i, j)| links.entry(i, j) * velocity[i].dot(&velocity[j]))
            .sum();
        assert!(
            (0.5 * quadratic - direct).abs() < 1e-12 * direct,
            "{n}: {quadratic}, {direct}"
        );
    }
}

#[test]
fn products_and_solutions_of_links_and_of_their_dense_matrix() {
    let mut next = numbers(2);
    for round in 0..60 {
        let links = random_links(1 + round % 15, &mut next);
        let (n, matrix) = (links.len(), dense(&links));
        let structured = Inertia::Links(links);
        // Off the unit sphere, too: conventional methods go there.
        let q: Vec<Vec3> = vectors(n, &mut next)
            .iter()
            .map(|v| v.normalize() * (1.0 + 1e-3 * v.x))
            .collect();
        let x = vectors(n, &mut next);
        let (mut ours, mut theirs) = (vec![Vec3::zeros(); n], vec![Vec3::zeros(); n]);
        let mut work = InertiaWork::default();
        structured.apply(&x, &mut ours, &mut work);
        matrix.apply(&x, &mut theirs, &mut work);
        let scale = theirs.iter().map(|v| v.amax()).fold(0.0, f64::max);
        assert!(
            ours.iter()
                .zip(&theirs)
                .all(|(a, b)| (a - b).amax() < 1e-13 * scale)
        );

        let (mut ours, mut theirs) = (x.clone(), x);
        assert!(structured.solve_angular(&q, &mut ours, &mut work));
        assert!(matrix.solve_angular(&q, &mut theirs, &mut work));
        let scale = theirs.iter().map(|v| v.amax()).fold(0.0, f64::max);
        // The condition number of these matrices reaches 1e4.
        let error = ours
            .iter()
            .zip(&theirs)
            .map(|(a, b)| (a - b).amax())
            .fold(0.0, f64::max)
            / scale;
        assert!(error < 1e-10, "{n}: {error:e}");
    }
}

#[test]
fn a_chain_and_the_same_chain_with_a_dense_matrix_step_alike() {
    for p in [common::chain(), common::tree()] {
        let Inertia::Links(links) = spheres(&p).inertia() else {
            panic!("links")
        };
        let other = Spheres::new(SpheresParts {
            bodies: spheres(&p).bodies().to_vec(),
            inertia: Some(dense(links)),
            gravity: Vec3::z() * 4.0,
            ..SpheresParts::default()
        })
        .unwrap_or_else(|e| panic!("{e}"));
        let other = common::Problem {
            mechanism: Mechanism::Spheres(Arc::new(other)),
            state: p.state.clone(),
            ..p
        };
        for name in ["sphere-implicit", "sphere-implicit-4", "rk4", "dop853"] {
            let options = Default::default();
            let ours = p.final_state(common::method(name), &options, 0.01, 200).unwrap();
            let theirs = other
                .final_state(common::method(name), &options, 0.01, 200)
                .unwrap();
            let error = holonomy::diagnostics::distance(&ours, &theirs);
            assert!(error < 1e-11, "{name} on {}: {error:e}", p.name);
        }
    }
}

#[test]
fn accelerations_in_q_and_in_omega() {
    // (2.7) against (2.9): q̈ = ω̇ × q + ω × (ω × q).
    for p in common::on_spheres() {
        let system = spheres(&p);
        let mut scratch = system.scratch();
        let size = p.state.q.len();
        let (mut v, mut dq, mut dv) = (vec![0.0; size], vec![0.0; size], vec![0.0; size]);
        system.velocity(0.0, &p.state.q, &p.state.p, &mut v, &mut scratch);
        system.rate(0.0, &p.state.q, &v, &mut dq, &mut dv, &mut scratch);
        let direct = system.acceleration(view(&p.state.q), view(&dq)).unwrap();
        for i in 0..system.len() {
            let (q, omega, domega) = (view(&p.state.q)[i], view(&v)[i], view(&dv)[i]);
            let turned = domega.cross(&q) + omega.cross(&omega.cross(&q));
            assert!(
                (turned - direct[i]).amax() < 1e-12 * (1.0 + direct[i].amax()),
                "{}",
                p.name
            );
        }
    }
}

#[test]
fn momenta_of_the_legendre_transform_and_stored_momenta() {
    // π = q × p with p of (2.12).
    for p in common::on_spheres() {
        let system = spheres(&p);
        let (q, pi) = (view(&p.state.q), view(&p.state.p));
        let mut v = vec![0.0; p.state.q.len()];
        system.velocity(0.0, &p.state.q, &p.state.p, &mut v, &mut system.scratch());
        let velocity: Vec<Vec3> = view(&v).iter().zip(q).map(|(w, q)| w.cross(q)).collect();
        for (i, covector) in system.legendre(q, &velocity).into_iter().enumerate() {
            assert!((q[i].cross(&covector) - pi[i]).amax() < 1e-13 && q[i].dot(&covector).abs() < 1e-13);
        }
    }
}

#[test]
fn momentum_and_velocity_are_inverse_to_each_other() {
    let mut next = numbers(3);
    for p in common::on_spheres() {
        let system = p.mechanism.system();
        let size = p.state.q.len();
        let v: Vec<f64> = (0..size).map(|_| next()).collect();
        let (mut momentum, mut back) = (vec![0.0; size], vec![0.0; size]);
        let mut scratch = system.scratch();
        system.momentum(0.0, &p.state.q, &v, &mut momentum, &mut scratch);
        system.velocity(0.0, &p.state.q, &momentum, &mut back, &mut scratch);
        assert!(
            v.iter().zip(&back).all(|(a, b)| (a - b).abs() < 1e-12),
            "{}",
            p.name
        );
    }
}

#[test]
fn canonical_coordinates_there_and_back() {
    let mut next = numbers(4);
    for p in common::on_spheres() {
        let system = p.mechanism.system();
        let (x, y) = system.canonical(&p.state.q, &p.state.q, &p.state.p);
        assert!(x.iter().all(|x| x.abs() < 1e-15));
        let x: Vec<f64> = x.iter().map(|x| x + 0.3 * next()).collect();
        let (q, momentum) = system.state_from_canonical(&p.state.q, &x, &y);
        let (x2, y2) = system.canonical(&p.state.q, &q, &momentum);
        let close = |a: &[f64], b: &[f64]| {
            a.iter()
                .zip(b)
                .all(|(a, b)| (a - b).abs() < 1e-13 * (1.0 + a.abs()))
        };
        assert!(close(&x, &x2) && close(&y, &y2), "{}", p.name);
    }
}

#[test]
fn energy_is_constant_along_the_continuous_equations() {
    for p in common::on_spheres() {
        let before = p.mechanism.system().energy(&p.state).total();
        let after = p.mechanism.system().energy(&p.reference(2.0)).total();
        assert!(
            (after - before).abs() < 1e-11 * before.abs(),
            "{}: {before} {after}",
            p.name
        );
    }
}

#[test]
fn long_chains_stay_right() {
    // 512 links: the velocity from the momentum, put back, must give the momentum.
    let n = 512;
    let chain = SpheresParts::chain((0..n).map(|_| Body::point("", 0.1, 0.1)));
    let inertia = Inertia::Links(Links::new(&chain.bodies).unwrap_or_else(|e| panic!("{e}")));
    let mut next = numbers(5);
    let q: Vec<Vec3> = vectors(n, &mut next).iter().map(|v| v.normalize()).collect();
    let b = vectors(n, &mut next);
    let mut x = b.clone();
    let mut work = InertiaWork::default();
    assert!(inertia.solve_angular(&q, &mut x, &mut work));
    let crossed: Vec<Vec3> = q.iter().zip(&x).map(|(q, w)| q.cross(w)).collect();
    let mut back = vec![Vec3::zeros(); n];
    inertia.apply_coupling(&crossed, &mut back, &mut work);
    for i in 0..n {
        let value = x[i] * inertia.diagonal(i) - q[i].cross(&back[i]);
        // Backward error: relative to the sizes that were added up.
        let scale = x.iter().map(|x| x.amax()).fold(0.0, f64::max) * inertia.diagonal(0);
        assert!((value - b[i]).amax() < 1e-12 * scale, "{i}: {value:?} {:?}", b[i]);
    }
}
