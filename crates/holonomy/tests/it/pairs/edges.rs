//! Laws typed as formulas, and what is at the edge of what can be summed.
use super::{Random, bits_of, cutoff, formula, gradient, largest, lennard_jones, sigma};
use holonomy::{
    Vec3,
    geometry::Icosphere,
    potential::{Cutoff, CutoffError, LennardJones, NearPairs, PairLaw, Pairs, Potential},
    system::Undefined,
};

#[test]
fn typed_laws_are_those_written_in_rust() {
    let mut random = Random(8);
    for count in [4, 90] {
        let points = random.directions(count);
        let (sigma, radius) = (2.0 * sigma(count), 2.0);
        let written = LennardJones::new(0.01, sigma, radius);
        let typed = formula(&format!("4*0.01*(({sigma:?}/r)^12 - ({sigma:?}/r)^6)"), radius);
        for s in [0.01, 0.3, 1.0, 3.9] {
            let ((e, d), (f, h)) = (written.at(s), typed.at(s));
            // Twelfth powers of a number with an error of 2ε; e and d are differences of larger terms.
            let t: f64 = (sigma / radius).powi(2) / s;
            let size = 1e-15 * 30.0 * 0.04 * (t.powi(6) + t.powi(3));
            assert!(
                (e - f).abs() < size && (d - h).abs() < 12.0 * size / s,
                "{s}: {e} {f} {d} {h}"
            );
        }
        let (g, h) = (
            gradient(&Pairs::new(written, count), &points),
            gradient(&Pairs::new(typed, count), &points),
        );
        let size = g.iter().map(|g| g.amax()).fold(0.0, f64::max);
        assert!(largest(&g, &h) < 1e-13 * size, "{:e}", largest(&g, &h));
    }
    // All four names at once: c, θ and r are the same distance.
    let law = formula("c - cos(theta) + r^2 - 4*s + s", 2.0);
    let (energy, slope) = law.at(0.7);
    assert!(
        (energy - 0.7).abs() < 1e-15 && (slope - 1.0).abs() < 1e-14,
        "{energy} {slope}"
    );
}

#[test]
fn typed_laws_say_what_has_no_value() {
    let law = || formula("log(0.5 - r)", 1.0);
    let (near, far) = (
        vec![Vec3::x(), Vec3::new(0.8, 0.6, 0.0).normalize()],
        vec![Vec3::x(), Vec3::y()],
    );
    let cutoff = Cutoff::new(0.1, 1.9, 0.1).unwrap();
    let potentials: [Box<dyn Potential>; 2] = [
        Box::new(Pairs::new(law(), 2)),
        Box::new(NearPairs::new(law(), 2, cutoff)),
    ];
    for potential in potentials {
        assert!(potential.energy(&far).is_nan() && gradient(&*potential, &far)[0].x.is_nan());
        let Some(Undefined::Expression { number, argument }) = potential.undefined(&far) else {
            panic!("{:?}", potential.undefined(&far));
        };
        assert_eq!(potential.expressions()[number as usize].text, "log(0.5 - r)");
        assert!(argument < 0.0);
        assert!(potential.energy(&near).is_nan());
        let closer = [Vec3::x(), Vec3::new(0.96, 0.28, 0.0)];
        assert!(potential.energy(&closer).is_finite() && potential.undefined(&closer).is_none());
    }
}

#[test]
fn what_is_not_finite_becomes_not_a_number_everywhere() {
    let mut random = Random(9);
    for count in [3, 40, 700] {
        for bad in [f64::NAN, f64::INFINITY, 1e200] {
            let mut points = random.directions(count);
            points[1].y = bad;
            let near = NearPairs::new(lennard_jones(count), count, cutoff(count));
            assert!(
                gradient(&near, &points)
                    .iter()
                    .all(|g| g.iter().all(|x| x.is_nan()))
            );
            assert!(near.energy(&points).is_nan());
            points[1] = points[0] * -1.0;
            // And afterwards all is well.
            let fresh = NearPairs::new(lennard_jones(count), count, cutoff(count));
            assert_eq!(bits_of(&near, &points), bits_of(&fresh, &points));
        }
        let mut points = random.directions(count);
        points[1].y = f64::NAN;
        let pairs = Pairs::new(lennard_jones(count), count);
        assert!(pairs.energy(&points).is_nan() && gradient(&pairs, &points)[0].x.is_nan());
    }
    // Two in one place: no force is right.
    let twice = [Vec3::x(), Vec3::x(), Vec3::y()];
    let near = NearPairs::new(lennard_jones(3), 3, cutoff(3));
    assert!(!near.energy(&twice).is_finite() && !gradient(&near, &twice)[0].x.is_finite());
    assert!(gradient(&near, &twice)[2].x.is_finite());
}

#[test]
fn plain_cutoffs_are_refused() {
    assert_eq!(Cutoff::new(0.3, 0.3, 0.1), Err(CutoffError::Plain));
    assert_eq!(Cutoff::new(0.4, 0.3, 0.1), Err(CutoffError::Plain));
    assert_eq!(Cutoff::new(0.2, f64::NAN, 0.1), Err(CutoffError::Distance));
    assert_eq!(Cutoff::new(-0.2, 0.3, 0.1), Err(CutoffError::Distance));
    assert_eq!(Cutoff::new(0.2, 0.3, f64::INFINITY), Err(CutoffError::Distance));
    assert!(Cutoff::new(0.0, 0.3, 0.0).is_ok());
}

#[test]
fn sums_over_pairs_allocate_nothing_after_the_first() {
    let points = Icosphere::new(3).vertices;
    let count = points.len();
    let potentials: [Box<dyn Potential>; 3] = [
        Box::new(Pairs::new(lennard_jones(count), count)),
        Box::new(NearPairs::new(lennard_jones(count), count, cutoff(count))),
        Box::new(NearPairs::new(formula("exp(-r)", 1.0), count, cutoff(count))),
    ];
    let mut gradient = points.clone();
    for potential in potentials {
        let mut sweep = || {
            potential.add_gradient(&points, &mut gradient);
            assert!(potential.energy(&points).is_finite());
        };
        sweep();
        assert_eq!(crate::allocation::allocations(sweep), 0);
    }
}
