//! How the cost of a step grows with the number of links.
use holonomy::{
    Vec3,
    diagnostics::observed_order,
    integrator::{Integrator, catalog},
    spheres::{Body, Spheres, SpheresParts},
    system::{Mechanism, State},
};
use std::{sync::Arc, time::Instant};

const LINKS: [usize; 7] = [64, 128, 256, 512, 1024, 2048, 4096];
/// Times each chain is let go, unless told otherwise.
pub const LAPS: usize = 12;
/// Samples of a lap, and steps of a sample: short, so that some samples have the machine for themselves.
const SAMPLES: usize = 30;
const STEPS: usize = 10;
const STEP: f64 = 1e-3;

type Shape = fn(String, f64, f64) -> Body;

/// A shape of links with its times, one for each of `LINKS`.
pub struct Curve {
    shape: &'static str,
    times: Vec<Times>,
}

/// Chains of point masses and of uniform rods by `sphere-implicit`.
pub fn curves(laps: usize) -> Result<Vec<Curve>, String> {
    let shapes = [
        ("point masses", Body::point as Shape),
        ("uniform rods", Body::rod),
    ];
    let curve = |(shape, link)| {
        Ok(Curve {
            shape,
            times: measure(link, laps)?,
        })
    };
    shapes.into_iter().map(curve).collect()
}

impl Curve {
    /// The table, and below it the exponents fitted through medians and fastest samples: `medians ~ links^1.003`.
    pub fn table(&self, laps: usize) -> String {
        let mut text = format!(
            "chain of {}, sphere-implicit, h = {STEP} s: ns per step, {} samples\n{:>8} {:>12} {:>12} {:>16}\n",
            self.shape,
            laps * SAMPLES,
            "links",
            "median",
            "fastest",
            "median per link"
        );
        for (links, Times { median, fastest }) in LINKS.iter().zip(&self.times) {
            let each = median / *links as f64;
            text += &format!("{links:>8} {median:>12.0} {fastest:>12.0} {each:>16.1}\n");
        }
        let sizes = LINKS.map(|links| links as f64);
        let (medians, fastest): (Vec<f64>, Vec<f64>) =
            self.times.iter().map(|t| (t.median, t.fastest)).unzip();
        text += &format!("medians ~ links^{:.3}\n", observed_order(&sizes, &medians));
        text += &format!("fastest ~ links^{:.3}\n", observed_order(&sizes, &fastest));
        text
    }
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
    let direction = |i: usize| {
        let turn = 0.5 * std::f64::consts::PI * i as f64 / links as f64;
        let (sine, cosine) = (0.75_f64.sqrt(), 0.5);
        Vec3::new(sine * turn.cos(), sine * turn.sin(), cosine)
    };
    let spheres = Spheres::new(SpheresParts {
        gravity: Vec3::z() * 9.81,
        ..SpheresParts::chain((1..=links).map(|i| shape(format!("link-{i}"), 0.1, 0.1)))
    })
    .map_err(|e| e.to_string())?;
    let directions: Vec<Vec3> = (0..links).map(direction).collect();
    let state = spheres
        .state(&directions, &vec![Vec3::zeros(); links])
        .map_err(|e| e.to_string())?;
    let method = catalog::find("sphere-implicit").map_err(|e| e.to_string())?;
    let mechanism = Mechanism::Spheres(Arc::new(spheres));
    let integrator = method.build(&mechanism).map_err(|e| e.to_string())?;
    Ok((integrator, state))
}
