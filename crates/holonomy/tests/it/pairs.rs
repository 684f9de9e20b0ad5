//! Sums over pairs against plain double loops, and their bits against themselves.
use holonomy::{
    Vec3,
    formula::{Formula, Kind, Scope},
    potential::{
        Argument, Autodiff, Cotangent, Cutoff, LennardJones, NearPairs, PairFormula, PairLaw, Pairs,
        Potential, Scalar, SmoothPotential,
    },
    simd::Level,
};
use nalgebra::Vector3;

mod edges;
mod motion;

/// Numbers in 0 … 1 that look random.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn direction(&mut self) -> Vec3 {
        let z = 2.0 * self.next() - 1.0;
        let angle = std::f64::consts::TAU * self.next();
        let r = (1.0 - z * z).sqrt();
        Vec3::new(r * angle.cos(), r * angle.sin(), z)
    }

    fn directions(&mut self, count: usize) -> Vec<Vec3> {
        (0..count).map(|_| self.direction()).collect()
    }

    /// Directions within a cap about one of them.
    fn crowd(&mut self, count: usize, width: f64) -> Vec<Vec3> {
        let centre = self.direction();
        (0..count)
            .map(|_| (centre + self.direction() * (width * self.next())).normalize())
            .collect()
    }
}

/// A distance between neighbours at which a good part of them repel.
fn sigma(count: usize) -> f64 {
    3.0 / (count as f64).sqrt()
}

fn lennard_jones(count: usize) -> LennardJones {
    LennardJones::new(0.01, sigma(count), 1.0)
}

fn formula(text: &str, radius: f64) -> PairFormula {
    let mut scope = Scope::new();
    for (slot, name) in PairFormula::VARIABLES.into_iter().enumerate() {
        scope.variable(name, Kind::Scalar, slot).unwrap();
    }
    PairFormula::new(&Formula::parse_as(Kind::Scalar, text, &scope).unwrap(), radius)
}

fn cutoff(count: usize) -> Cutoff {
    let sigma = sigma(count);
    Cutoff::new(2.0 * sigma, 2.5 * sigma, 0.4 * sigma).unwrap()
}

fn gradient(potential: &dyn Potential, points: &[Vec3]) -> Vec<Vec3> {
    let mut gradient = vec![Vec3::zeros(); points.len()];
    potential.add_gradient(points, &mut gradient);
    gradient
}

fn bits(gradient: &[Vec3], energy: f64) -> Vec<u64> {
    let all = gradient.iter().flat_map(|g| [g.x, g.y, g.z]).chain([energy]);
    all.map(f64::to_bits).collect()
}

fn bits_of(potential: &dyn Potential, points: &[Vec3]) -> Vec<u64> {
    bits(&gradient(potential, points), potential.energy(points))
}

/// Σⱼ, j ascending, for each i: energy and gradient of the law with the cut-off, as the formulas have them.
fn double_loop(law: &impl PairLaw, cutoff: &Cutoff, points: &[Vec3]) -> Vec<u64> {
    let (inner, outer) = (cutoff.inner() * cutoff.inner(), cutoff.outer() * cutoff.outer());
    let mut scale = 1.0 / (outer - inner);
    while (outer - inner) * scale < 1.0 {
        scale = scale.next_up();
    }
    let (mut slopes, mut total) = (Vec::new(), 0.0);
    for (i, a) in points.iter().enumerate() {
        let (mut on_a, mut of_a) = (Vec3::zeros(), 0.0);
        for (j, b) in points.iter().enumerate() {
            let d = a - b;
            let s = d.x * d.x + d.y * d.y + d.z * d.z;
            if i == j || s >= outer {
                continue;
            }
            let v = ((s - inner) * scale).clamp(0.0, 1.0);
            let w = 1.0 - v * v * v;
            let (part, change) = (w * w * w, v * v * (w * w) * (-9.0 * scale));
            let (energy, slope) = match law.argument() {
                Argument::SquaredDistance => law.at(s),
                Argument::Cosine => {
                    let (energy, slope) = law.at(1.0 - s * 0.5);
                    (energy, slope * -0.5)
                }
            };
            of_a += energy * part;
            on_a += d * (slope * part + energy * change);
        }
        total += of_a;
        slopes.push(on_a * 2.0);
    }
    bits(&slopes, 0.5 * total)
}

#[test]
fn bits_are_the_same_at_all_levels() {
    let mut random = Random(1);
    assert!(Level::available().next() == Some(Level::BASELINE));
    for count in [0, 1, 2, 3, 7, 15, 16, 17, 24, 63, 100, 255, 256, 511, 513, 700] {
        let points = random.directions(count);
        let law = || lennard_jones(count.max(1));
        let typed = || formula("exp(-r)*cos(theta) + 0.1/s", 1.5);
        let all = |level| -> Vec<Vec<u64>> {
            let cotangent = Cotangent { strength: 0.3 };
            let potentials: [Box<dyn Potential>; 6] = [
                Box::new(Pairs::at_level(law(), count, level)),
                Box::new(Pairs::at_level(cotangent.clone(), count, level)),
                Box::new(Pairs::at_level(typed(), count, level)),
                Box::new(NearPairs::at_level(law(), count, cutoff(count.max(1)), level)),
                Box::new(NearPairs::at_level(cotangent, count, cutoff(count.max(1)), level)),
                Box::new(NearPairs::at_level(typed(), count, cutoff(count.max(1)), level)),
            ];
            potentials.iter().map(|v| bits_of(&**v, &points)).collect()
        };
        let baseline = all(Level::BASELINE);
        for level in Level::available() {
            assert_eq!(all(level), baseline, "{count} points at {level:?}");
        }
    }
}

#[test]
fn bits_are_the_same_for_any_number_of_threads() {
    // Enough to be worth a thread: see the nanoseconds that `Pairs` and `NearPairs` state.
    let mut random = Random(2);
    let points = random.directions(5000);
    let (few, many) = (700, points.len());
    let all = || {
        let pairs = Pairs::new(lennard_jones(few), few);
        let near = NearPairs::new(lennard_jones(many), many, cutoff(many));
        [bits_of(&pairs, &points[..few]), bits_of(&near, &points)]
    };
    let alone = all();
    for threads in 1..4 {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        assert_eq!(pool.install(all), alone, "{threads} threads");
    }
}

#[test]
fn near_pairs_are_the_double_loop_bit_for_bit() {
    let mut random = Random(3);
    let mut clouds: Vec<Vec<Vec3>> = [1, 2, 3, 8, 9, 50, 300, 1500]
        .map(|count| random.directions(count))
        .into();
    clouds.extend([(40, 0.02), (300, 0.3), (300, 1e-6)].map(|(count, width)| random.crowd(count, width)));
    // Some far off the sphere, as conventional methods leave them.
    let mut wild = random.directions(200);
    wild.iter_mut().for_each(|q| *q *= 0.2 + 3.0 * random.next());
    clouds.push(wild);
    for points in &clouds {
        let count = points.len();
        for (inner, outer, skin) in [
            (0.1, 0.25, 0.05),
            (0.01, 0.02, 0.0),
            (0.0, 0.7, 0.3),
            (1.0, 2.5, 0.1),
            (3.0, 9.0, 1.0),
        ] {
            let cutoff = Cutoff::new(inner, outer, skin).unwrap();
            let law = LennardJones::new(0.01, 0.1, 1.0);
            let near = NearPairs::new(law.clone(), count, cutoff);
            assert_eq!(
                bits_of(&near, points),
                double_loop(&law, &cutoff, points),
                "{count} points, {cutoff:?}"
            );
            let law = Cotangent { strength: 0.3 };
            let near = NearPairs::new(law.clone(), count, cutoff);
            // Beyond the opposite point, c < −1, the cotangent has no value.
            if outer <= 2.0 {
                assert_eq!(
                    bits_of(&near, points),
                    double_loop(&law, &cutoff, points),
                    "{count} points, {cutoff:?}"
                );
            }
        }
    }
}

#[test]
fn old_lists_give_the_bits_of_new_ones() {
    let mut random = Random(4);
    let count = 600;
    let cutoff = cutoff(count);
    let mut points = random.directions(count);
    let old = NearPairs::new(lennard_jones(count), count, cutoff);
    for _ in 0..60 {
        let new = NearPairs::new(lennard_jones(count), count, cutoff);
        assert_eq!(bits_of(&old, &points), bits_of(&new, &points));
        for q in &mut points {
            *q = (*q + random.direction() * (0.2 * cutoff.skin() * random.next())).normalize();
        }
    }
    let work = old.list_work().unwrap();
    assert_eq!(work.evaluations, 120);
    // A step goes 0.2 skins at most: lists hold for two or more after they were made.
    assert!((2..=20).contains(&work.rebuilds), "{work:?}");
}

#[test]
fn lists_are_made_anew_just_in_time() {
    let cutoff = Cutoff::new(0.3, 0.5, 0.2).unwrap();
    let near = NearPairs::new(LennardJones::new(1.0, 0.3, 1.0), 2, cutoff);
    // Two on the equator, as far apart as outer and skin together, come nearer by the skin.
    let at = |distance: f64| {
        let angle = (0.5 * distance).asin();
        vec![
            Vec3::new(angle.cos(), angle.sin(), 0.0),
            Vec3::new(angle.cos(), -angle.sin(), 0.0),
        ]
    };
    assert_eq!(near.energy(&at(0.7001)), 0.0);
    assert_eq!(near.list_work().unwrap().rebuilds, 1);
    assert!(near.energy(&at(0.4999)) != 0.0);
    assert_eq!(near.list_work().unwrap().rebuilds, 2);
    assert!(near.energy(&at(0.45)) != 0.0);
    assert_eq!(near.list_work().unwrap().rebuilds, 2);
}

#[test]
fn order_of_the_points_matters_to_rounding_only() {
    let mut random = Random(5);
    let count = 700;
    let points = random.directions(count);
    let backwards: Vec<Vec3> = points.iter().rev().copied().collect();
    let law = || lennard_jones(count);
    let potentials: [Box<dyn Potential>; 2] = [
        Box::new(Pairs::new(law(), count)),
        Box::new(NearPairs::new(law(), count, cutoff(count))),
    ];
    for potential in potentials {
        let (g, mut h) = (gradient(&*potential, &points), gradient(&*potential, &backwards));
        h.reverse();
        // Each of `count` additions errs by ε of the largest sum on the way, which a near pair dominates.
        let (error, size) = (largest(&g, &h), g.iter().map(|g| g.amax()).fold(0.0, f64::max));
        assert!(
            error <= count as f64 * f64::EPSILON * size,
            "{error:e} of {size:e}"
        );
    }
}

fn largest(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max)
}

/// Lennard-Jones again, from its energy alone.
struct SmoothPairs {
    members: Vec<usize>,
    sigma: f64,
}

impl SmoothPotential for SmoothPairs {
    fn points(&self) -> &[usize] {
        &self.members
    }
    fn energy<S: Scalar>(&self, points: &[Vector3<S>]) -> S {
        let mut sum = S::from(0.0);
        for (i, a) in points.iter().enumerate() {
            for b in &points[..i] {
                let d = a - b;
                let t = (d.dot(&d) / (self.sigma * self.sigma)).recip();
                let cube = t * t * t;
                sum += (cube * cube - cube) * 0.04;
            }
        }
        sum
    }
}

#[test]
fn all_pairs_and_automatic_differentiation() {
    let mut random = Random(6);
    for count in [5, 16, 40, 90] {
        let points = random.directions(count);
        let smooth = Autodiff::new(SmoothPairs {
            members: (0..count).collect(),
            sigma: sigma(count),
        });
        let pairs = Pairs::new(lennard_jones(count), count);
        let (g, h) = (gradient(&pairs, &points), gradient(&smooth, &points));
        // t¹² of both differs by some 20 roundings, the sums by `count` more; near pairs dominate them.
        let size = g.iter().map(|g| g.amax()).fold(0.0, f64::max);
        let bound = (20 + count) as f64 * f64::EPSILON * size;
        assert!(largest(&g, &h) <= bound, "{count}: {:e}", largest(&g, &h));
        let (e, f) = (pairs.energy(&points), smooth.energy(&points));
        assert!(
            (e - f).abs() <= (20 + count * count) as f64 * f64::EPSILON * size,
            "{e} {f}"
        );
    }
}

#[test]
fn slopes_through_the_switch_are_those_of_the_energy() {
    let cutoff = Cutoff::new(0.4, 0.9, 0.1).unwrap();
    let laws = |k: usize| -> Box<dyn Potential> {
        match k {
            0 => Box::new(NearPairs::new(LennardJones::new(0.3, 0.5, 1.0), 2, cutoff)),
            1 => Box::new(NearPairs::new(Cotangent { strength: 0.3 }, 2, cutoff)),
            _ => Box::new(NearPairs::new(formula("r*exp(-theta)", 2.0), 2, cutoff)),
        }
    };
    for potential in (0..3).map(laws) {
        for k in 0..60 {
            let distance = 0.3 + 0.7 * k as f64 / 60.0;
            let at = |distance: f64| [Vec3::new(0.2, 0.1, 0.3), Vec3::new(0.2 + distance, 0.1, 0.3)];
            let slope = gradient(&*potential, &at(distance))[1].x;
            // Central differences: S has two continuous derivatives, the third jumps by about 10³ at the ends; with
            // h = 1e-4 that is h²·10³/6 = 2e-6.
            let h = 1e-4;
            let energy = |distance| potential.energy(&at(distance));
            let difference = (energy(distance + h) - energy(distance - h)) / (2.0 * h);
            assert!(
                (slope - difference).abs() < 5e-6 * (1.0 + slope.abs()),
                "{distance}: {slope} {difference}"
            );
        }
        assert_eq!(potential.energy(&[Vec3::zeros(), Vec3::x() * 0.9]), 0.0);
    }
}

#[test]
fn forces_between_points_cancel() {
    let mut random = Random(7);
    for count in [2, 30, 700] {
        let points = random.directions(count);
        let law = || lennard_jones(count);
        let potentials: [Box<dyn Potential>; 3] = [
            Box::new(Pairs::new(law(), count)),
            Box::new(NearPairs::new(law(), count, cutoff(count))),
            Box::new(Pairs::new(Cotangent { strength: 1.0 }, count)),
        ];
        for (k, potential) in potentials.iter().enumerate() {
            let g = gradient(&**potential, &points);
            let torque: Vec3 = points.iter().zip(&g).map(|(q, g)| q.cross(g)).sum();
            let force: Vec3 = g.iter().sum();
            // A rounding for each of `count` terms, in sums of `count` of them.
            let bound = count as f64 * f64::EPSILON * g.iter().map(|g| g.norm()).sum::<f64>();
            assert!(torque.amax() <= bound, "{k}: {torque:?}");
            // The gradient of a function of c has a part along the points that only torques forget.
            assert!(k == 2 || force.amax() <= bound, "{k}: {force:?}");
        }
    }
}
