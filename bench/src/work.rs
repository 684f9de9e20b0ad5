//! Pieces of work by name: `row` says what is simulated, `who` does it.
//!
//! ```text
//! row                       who
//! pendulum                  ours, kernel, kernel-bare
//! chain-N                   ours, kernel
//! molecules-642             ours, kernel
//! molecules-10242, -40962   ours (with a cut-off)
//! cable-N                   ours-tree, ours-spheres
//! revolute-N, cable-34, puppet, spherical-pendulum   ours
//! four-bar, double-plane-pendulum                    ours
//! linearise-, gradient-, derivatives-ROW             those of `derivatives.rs`
//! ```
use crate::{
    derivatives,
    kernel::{chain::Chain, molecules::Molecules, pendulum::Pendulum},
};
use holonomy::{
    Vec3,
    geometry::Icosphere,
    simulation::{Schedule, Simulation},
    spheres::view,
    system::State,
};
use holonomy_model::{self as model, Model, Source};
use std::fmt::Write as _;

/// Something that can be stepped again and again from the same start.
pub trait Work {
    /// Back to the start.
    fn reset(&mut self);
    /// Takes steps, or says why not.
    fn steps(&mut self, steps: u64) -> Result<(), String>;
    /// The numbers that make up the state.
    fn numbers(&self) -> Vec<f64>;
}

/// The work of the given name, or why there is none.
pub fn open(row: &str, who: &str) -> Result<Box<dyn Work>, String> {
    match who {
        "ours" => Ok(Box::new(Ours::new(&model(row, Family::Any)?))),
        "ours-tree" => Ok(Box::new(Ours::new(&model(row, Family::Tree)?))),
        "ours-spheres" => Ok(Box::new(Ours::new(&model(row, Family::Spheres)?))),
        "kernel" | "kernel-bare" => kernel(row, who == "kernel"),
        "pull" | "matrix" | "forward" | "gradient" | "matrices" => derivatives::open(row, who),
        _ => Err(format!("nobody is called `{who}`")),
    }
}

/// Which of our families does it, where several can.
#[derive(Clone, Copy, PartialEq)]
enum Family {
    Any,
    Tree,
    Spheres,
}

/// A model of the engine with the state it starts from.
struct Ours {
    simulation: Simulation,
    start: State,
    step: f64,
}

impl Ours {
    fn new(model: &Model) -> Self {
        Self {
            simulation: model.simulation(),
            start: model.state.clone(),
            step: model.schedule.step,
        }
    }
}

impl Work for Ours {
    fn reset(&mut self) {
        self.simulation.state.copy_from(&self.start);
    }

    fn steps(&mut self, steps: u64) -> Result<(), String> {
        let schedule = Schedule {
            step: self.step,
            steps,
            every: steps,
        };
        let done = self.simulation.run(&schedule, &mut []);
        done.map(|_| ()).map_err(|error| error.to_string())
    }

    fn numbers(&self) -> Vec<f64> {
        let state = &self.simulation.state;
        state.q.iter().chain(&state.p).copied().collect()
    }
}

/// The model behind a row.
pub fn row_model(row: &str) -> Result<Model, String> {
    model(row, Family::Any)
}

/// Where a row of molecules starts, for peers: positions and velocities.
pub fn start(row: &str) -> Result<[Vec<f64>; 2], String> {
    let count = row.rsplit('-').next().and_then(|count| count.parse().ok());
    let level = icosphere(count.unwrap_or(0))?;
    let overrides = [format!("icosphere.subdivisions={level}")];
    let State { q, p, .. } = load(include_str!("../models/molecules.toml"), &overrides)?.state;
    // Momenta are q × q̇: masses and the radius are 1.
    let velocity = view(&p).iter().zip(view(&q)).flat_map(|(p, q)| {
        let v = p.cross(q);
        [v.x, v.y, v.z]
    });
    let velocity = velocity.collect();
    Ok([q, velocity])
}

fn model(row: &str, family: Family) -> Result<Model, String> {
    let (kind, size) = match row.rsplit_once('-') {
        Some((kind, size)) if row != "cable-34" => (kind, size.parse().unwrap_or(0)),
        _ => (row, 0),
    };
    match (kind, size) {
        ("pendulum", _) => load(include_str!("../models/pendulum.toml"), &[]),
        ("double-pendulum", _) | ("double", _) => load(include_str!("../models/double-pendulum.toml"), &[]),
        ("chain", links) => load(
            include_str!("../models/chain.toml"),
            &[format!("chain.links={links}")],
        ),
        ("molecules", 642) => load(include_str!("../models/molecules.toml"), &[]),
        ("molecules", count) => molecules(count),
        ("cable", links) if family == Family::Spheres => load(&cable_on_spheres(links), &[]),
        ("cable", links) => load(&cable(links), &[]),
        ("revolute", joints) => load(&revolute(joints), &[]),
        ("cable-34", _) => load(include_str!("../../scenarios/cable-34/model.toml"), &[]),
        ("spherical", _) => load(include_str!("../../scenarios/spherical-pendulum/model.toml"), &[]),
        ("puppet", _) => load(include_str!("../../scenarios/puppet/model.toml"), &[]),
        ("four", _) => load(include_str!("../../scenarios/four-bar/model.toml"), &[]),
        ("double-plane", _) => load(
            include_str!("../../scenarios/double-plane-pendulum/model.toml"),
            &[],
        ),
        _ => Err(format!("there is no row `{row}`")),
    }
}

/// Reads a model with overrides, or says what is wrong first.
pub fn load(text: &str, overrides: &[String]) -> Result<Model, String> {
    let mut source = Source::new("bench", text);
    for text in overrides {
        source.with_override(text.clone());
    }
    let first = |list: Vec<model::Problem>| {
        let mut errors = list
            .iter()
            .filter(|problem| problem.severity == model::Severity::Error);
        errors
            .next()
            .map_or_else(String::new, |problem| problem.message.clone())
    };
    model::load(&source).map_err(first)
}

/// The sphere of molecules with 2.5 σ as cut-off and a skin of 0.3 σ, LAMMPS's own in reduced units; rest distance
/// and step shrink with the mesh.
fn molecules(count: usize) -> Result<Model, String> {
    let level = icosphere(count)?;
    let sigma = Icosphere::new(level).mean_edge() / 2_f64.powf(1.0 / 6.0);
    let step = 0.005 * sigma / 0.134_284_901_143_791_7;
    let [cutoff, switch, skin] = [2.5, 2.25, 0.3].map(|reach| reach * sigma);
    let text = include_str!("../models/molecules.toml").replace(
        "sigma = 0.1342849011437917",
        &format!("sigma = {sigma:e}\ncutoff = {cutoff:e}\nswitch = {switch:e}\nskin = {skin:e}"),
    );
    let overrides = [
        format!("icosphere.subdivisions={level}"),
        format!("run.step={step:e}"),
    ];
    load(&text, &overrides)
}

/// How often an icosahedron must be divided for so many vertices.
fn icosphere(count: usize) -> Result<u32, String> {
    let level = (0..9).find(|k| 10 * 4_usize.pow(*k) + 2 == count);
    level.ok_or_else(|| format!("no icosphere has {count} vertices"))
}

/// Two metres of cable between pins 1.4 m apart; it starts as a V in a plane tilted by 45°.
const HALF_SPAN: f64 = 0.7;

fn depth() -> f64 {
    ((1.0 - HALF_SPAN * HALF_SPAN) / 2.0).sqrt()
}

fn cable(links: usize) -> String {
    let depth = depth();
    format!(
        r#"
title = "F: cable pinned at both ends"
space = "tree"
gravity = [0, 0, -9.81]

[[site]]
name = "left"
at = [0, 0, 0]

[[site]]
name = "right"
at = [{span}, 0, 0]

[[cable]]
name = "down"
from = "left"
direction = [{HALF_SPAN}, {depth}, {back}]
segments = {half}
length = 1.0
mass = 0.1

[[cable]]
name = "up"
from = "down-{half}/end"
to = "right"
segments = {half}
length = 1.0
mass = 0.1

[method]
name = "tree-variational"

[run]
step = 0.001
duration = 1.0
"#,
        span = 2.0 * HALF_SPAN,
        back = -depth,
        half = links / 2,
    )
}

/// The same as point masses on links.
fn cable_on_spheres(links: usize) -> String {
    let (length, depth) = (2.0 / links as f64, depth());
    let mut text = format!(
        "title = \"F: cable pinned at both ends\"\nspace = \"spheres\"\n\n[chain]\nlinks = {links}\nmass = {}\n\
         length = {length}\nend = [{}, 0, 0]\ndirection = [{HALF_SPAN}, {depth}, {}]\n",
        0.2 / links as f64,
        2.0 * HALF_SPAN,
        -depth,
    );
    for link in links / 2 + 1..=links {
        let _ = write!(
            text,
            "\n[[start]]\nbody = {link}\ndirection = [{HALF_SPAN}, {}, {depth}]\n",
            -depth
        );
    }
    text.push_str("\n[[potential]]\nkind = \"gravity\"\nacceleration = [0, 0, -9.81]\n");
    text.push_str("\n[method]\nname = \"sphere-implicit\"\n\n[run]\nstep = 0.001\nduration = 1.0\n");
    text
}

/// A straight chain of bars on hinges, 0.3 rad from the vertical.
fn revolute(joints: usize) -> String {
    let mut text = String::from("title = \"Chain of hinges\"\nspace = \"tree\"\ngravity = [0, 0, -9.81]\n");
    for joint in 1..=joints {
        let (parent, at, position) = match joint {
            1 => (String::new(), 0.0, 0.3),
            _ => (format!("parent = \"link-{}\"\n", joint - 1), -1.0, 0.0),
        };
        let _ = write!(
            text,
            "\n[[body]]\nname = \"link-{joint}\"\n{parent}joint = {{ kind = \"revolute\", axis = [0, 1, 0], at = \
             [0, 0, {at:?}] }}\nmass = 0.1\nshape = \"box\"\nsize = [0.3, 0.3, 1]\ncentre = [0, 0, -0.5]\n\
             position = {position:?}\n",
        );
    }
    text.push_str("\n[method]\nname = \"tree-variational\"\n\n[run]\nstep = 0.01\nduration = 1.0\n");
    text
}

fn kernel(row: &str, keep: bool) -> Result<Box<dyn Work>, String> {
    let model = row_model(row)?;
    let h = model.schedule.step;
    let (q, p) = (&model.state.q, &model.state.p);
    let array = |v: &Vec3| [v.x, v.y, v.z];
    match row.split('-').next() {
        Some("pendulum") => {
            let start = Pendulum {
                q: array(&view(q)[0]),
                p: array(&view(p)[0]),
                inertia: 1.0,
                gradient: [0.0, 0.0, -9.81],
            };
            Ok(Kernel::boxed(
                start,
                move |work, steps| work.run(h, steps, keep),
                |work| [work.q, work.p].concat(),
            ))
        }
        Some("chain") => {
            let directions: Vec<_> = view(q).iter().map(array).collect();
            let start = Chain::new(&directions, 0.1, 0.1, [0.0, 0.0, 9.81]);
            Ok(Kernel::boxed(
                start,
                move |work, steps| work.run(h, steps),
                |work| work.r.iter().flatten().map(|x| x / 0.1).collect(),
            ))
        }
        Some("molecules") => {
            let start = Molecules::new(q, p, 1.0, 0.01, 0.134_284_901_143_791_7);
            let count = q.len() / 3;
            Ok(Kernel::boxed(
                start,
                move |work, steps| work.run(h, steps),
                move |work| (0..count).flat_map(|i| work.direction(i)).collect(),
            ))
        }
        _ => Err(format!("there is no kernel for `{row}`")),
    }
}

/// A kernel with its start, and how it is stepped and read.
struct Kernel<T, S, N> {
    start: T,
    now: T,
    steps: S,
    numbers: N,
}

impl<T, S, N> Kernel<T, S, N>
where
    T: Clone + 'static,
    S: Fn(&mut T, u64) + 'static,
    N: Fn(&T) -> Vec<f64> + 'static,
{
    fn boxed(start: T, steps: S, numbers: N) -> Box<dyn Work> {
        Box::new(Self {
            now: start.clone(),
            start,
            steps,
            numbers,
        })
    }
}

impl<T, S, N> Work for Kernel<T, S, N>
where
    T: Clone,
    S: Fn(&mut T, u64),
    N: Fn(&T) -> Vec<f64>,
{
    fn reset(&mut self) {
        self.now.clone_from(&self.start);
    }

    fn steps(&mut self, steps: u64) -> Result<(), String> {
        (self.steps)(&mut self.now, steps);
        Ok(())
    }

    fn numbers(&self) -> Vec<f64> {
        (self.numbers)(&self.now)
    }
}

/// A hash of the bits of all numbers (FNV-1a).
pub fn hash(numbers: &[f64]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in numbers.iter().flat_map(|x| x.to_bits().to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest difference of directions after some steps.
    fn distance(row: &str, who: &str, steps: u64) -> f64 {
        let mut both = ["ours", who].map(|who| open(row, who).expect("it exists"));
        let [ours, kernel] = both.each_mut().map(|work| {
            work.steps(steps).expect("it runs");
            work.numbers()
        });
        let count = ours.len() / 2;
        let pairs = ours[..count].iter().zip(&kernel);
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    // Both round every step; over s steps the differences of the last digit add up and grow with the motion. A term
    // left out of a kernel would show up to 1e-3.
    #[test]
    fn the_kernel_of_the_pendulum_does_what_the_engine_does() {
        assert!(distance("pendulum", "kernel", 1000) < 1e-12);
        assert!(distance("pendulum", "kernel-bare", 1000) < 1e-10);
    }

    // Newton stops a little below rounding of |r|² in both; chains are chaotic, so it is few steps.
    #[test]
    fn the_kernel_of_the_chain_does_what_the_engine_does() {
        for row in ["chain-2", "chain-16", "chain-128"] {
            let far = distance(row, "kernel", 100);
            assert!(far < 1e-9, "{row}: {far:e}");
        }
    }

    #[test]
    fn the_kernel_of_the_molecules_does_what_the_engine_does() {
        let far = distance("molecules-642", "kernel", 20);
        assert!(far < 1e-11, "{far:e}");
    }

    #[test]
    fn works_start_again_where_they_started() {
        for (row, who) in [
            ("pendulum", "ours"),
            ("chain-16", "kernel"),
            ("revolute-4", "ours"),
        ] {
            let mut work = open(row, who).expect("it exists");
            work.steps(7).expect("it runs");
            let first = hash(&work.numbers());
            work.reset();
            work.steps(7).expect("it runs");
            assert_eq!(first, hash(&work.numbers()), "{row} {who}");
        }
    }

    #[test]
    fn what_does_not_exist_is_an_error() {
        assert!(open("pendulum", "nobody").is_err() && open("weather", "ours").is_err());
    }
}
