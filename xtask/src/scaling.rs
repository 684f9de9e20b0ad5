//! How the cost of a step grows with the number of links.
use crate::Outcome;
use holonomy::{
    Vec3,
    diagnostics::observed_order,
    integrator::{Integrator, catalog},
    potential::Gravity,
    spheres::{Body, Inertia, Link, Links, Spheres},
    system::{Base, State},
};
use std::{sync::Arc, time::Instant};

const LINKS: [usize; 7] = [64, 128, 256, 512, 1024, 2048, 4096];
/// Times each chain is let go.
const LAPS: usize = 12;
/// Samples of a lap, and steps of a sample: short, so that some samples have the machine for themselves.
const SAMPLES: usize = 30;
const STEPS: usize = 10;
const STEP: f64 = 1e-3;

type Shape = fn(Option<usize>, f64, f64) -> Link;

/// Prints time per step and per link, and the exponents fitted through them.
pub(crate) fn print() -> Outcome {
    let sizes = LINKS.map(|links| links as f64);
    for (name, shape) in [
        ("point masses", Link::point as Shape),
        ("uniform rods", Link::rod),
    ] {
        println!(
            "chain of {name}, sphere-implicit, h = {STEP} s: ns per step, {} samples",
            LAPS * SAMPLES
        );
        println!(
            "{:>8} {:>12} {:>12} {:>16}",
            "links", "median", "fastest", "median per link"
        );
        let times = measure(shape, LAPS)?;
        for (links, Times { median, fastest }) in LINKS.iter().zip(&times) {
            println!(
                "{links:>8} {median:>12.0} {fastest:>12.0} {:>16.1}",
                median / *links as f64
            );
        }
        let (medians, fastest): (Vec<f64>, Vec<f64>) = times.iter().map(|t| (t.median, t.fastest)).unzip();
        println!("medians ~ links^{:.3}", observed_order(&sizes, &medians));
        println!("fastest ~ links^{:.3}\n", observed_order(&sizes, &fastest));
    }
    Ok(())
}

/// The exponents of chains of point masses, by the medians and by the fastest samples.
pub(crate) fn exponents(laps: usize) -> Result<(f64, f64), String> {
    let sizes = LINKS.map(|links| links as f64);
    let times = measure(Link::point, laps)?;
    let (medians, fastest): (Vec<f64>, Vec<f64>) = times.iter().map(|t| (t.median, t.fastest)).unzip();
    Ok((observed_order(&sizes, &medians), observed_order(&sizes, &fastest)))
}

/// Of the samples, ns per step.
struct Times {
    median: f64,
    fastest: f64,
}

/// Time of a step for each number of links. The sizes take turns, so that what else the machine does slows all of
/// them alike.
fn measure(shape: Shape, laps: usize) -> Result<Vec<Times>, String> {
    let mut chains = Vec::new();
    for links in LINKS {
        let (integrator, start) = chain(links, shape)?;
        chains.push((integrator, start, Vec::with_capacity(laps * SAMPLES)));
    }
    for _ in 0..laps {
        for (integrator, start, times) in &mut chains {
            let mut state = start.clone();
            for _ in 0..SAMPLES {
                let before = Instant::now();
                for _ in 0..STEPS {
                    integrator.step(&mut state, STEP).map_err(|e| e.to_string())?;
                }
                times.push(before.elapsed().as_nanos() as f64 / STEPS as f64);
            }
        }
    }
    let sorted = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        Times {
            median: times[times.len() / 2],
            fastest: times[0],
        }
    };
    Ok(chains.into_iter().map(|(_, _, times)| sorted(times)).collect())
}

/// Links of 0.1 kg and 0.1 m, 60° off the vertical, turning by 90° about it along the chain; at rest.
fn chain(links: usize, shape: Shape) -> Result<(Box<dyn Integrator>, State), String> {
    let link = |i: usize| shape(i.checked_sub(1), 0.1, 0.1);
    let inertia = Links::new((0..links).map(link).collect());
    let weights = (0..links).map(|i| inertia.first_moment(i)).collect();
    let gravity = Gravity {
        acceleration: Vec3::z() * 9.81,
        weights,
        offset: 0.0,
    };
    let body = |i: usize| Body {
        name: format!("link-{}", i + 1),
        base: i.checked_sub(1).map_or(Base::Fixed(Vec3::zeros()), Base::Site),
        length: 0.1,
    };
    let direction = |i: usize| {
        let turn = 0.5 * std::f64::consts::PI * i as f64 / links as f64;
        let (sine, cosine) = (0.75_f64.sqrt(), 0.5);
        Vec3::new(sine * turn.cos(), sine * turn.sin(), cosine)
    };
    let bodies = (0..links).map(body).collect();
    let spheres = Spheres::new(bodies, Inertia::Links(inertia), vec![], vec![Box::new(gravity)]);
    let directions: Vec<Vec3> = (0..links).map(direction).collect();
    let state = spheres.state(&directions, &vec![Vec3::zeros(); links]);
    let method = catalog::find("sphere-implicit").ok_or("the catalog has no `sphere-implicit`")?;
    let mechanism = catalog::Mechanism::Spheres(Arc::new(spheres));
    let integrator = (method.build)(&mechanism, &catalog::Options::default()).map_err(|e| e.to_string())?;
    Ok((integrator, state))
}
