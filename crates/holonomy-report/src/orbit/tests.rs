use super::*;
use holonomy::{
    derivative::slope,
    integrator::catalog::{self, Options},
};
use holonomy_model::load;

fn scenario(name: &str) -> Model {
    let scenario = holonomy_model::scenario::find(name).expect("a scenario");
    load(&scenario.source()).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn request(period: f64) -> Request {
    Request {
        period,
        hold: false,
        segments: 0,
        along: None,
        most: 60,
    }
}

/// K(k) by the arithmetic–geometric mean: an independent period of the pendulum.
fn pendulum_period(energy: f64) -> f64 {
    let (g, k) = (9.81_f64, (energy / (2.0 * 9.81)).sqrt());
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    while (a - b).abs() > 1e-15 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    4.0 / g.sqrt() * (std::f64::consts::FRAC_PI_2 / a)
}

/// The period of the pendulum against elliptic integrals, with the error of a method of order 4, and along a branch.
#[test]
fn a_pendulum_has_the_period_of_elliptic_integrals() {
    let model = scenario("plane-pendulum")
        .with("method.name", "trapezoid-4")
        .expect("a model");
    let range = Range {
        from: 1.0,
        to: 15.0,
        count: 8,
    };
    let asked = Request {
        along: Some(Along::Energy(range)),
        ..request(2.05)
    };
    let found = Orbits::new(&model, "p", &asked, &mut |_, _| true).expect("a branch");
    assert!(
        found.orbits.len() >= 8 && found.ended.is_empty(),
        "{} {}",
        found.orbits.len(),
        found.ended
    );
    assert!(
        found
            .orbits
            .last()
            .is_some_and(|orbit| (orbit.energy - 15.0).abs() < 1e-10)
    );
    for orbit in &found.orbits {
        let exact = pendulum_period(orbit.energy);
        // Order 4 with 200 steps and more.
        assert!(
            (orbit.period / exact - 1.0).abs() < 1e-6,
            "{} {exact}",
            orbit.period
        );
        assert!(orbit.residual < 1e-12 && orbit.stable, "{orbit:?}");
        let defect = orbit.symplectic_defect.expect("nothing does work");
        assert!(defect < 1e-9, "{defect}");
    }
    // The model that it leaves comes back to its start.
    let last = found.orbits.last().expect("an orbit");
    let model = found.model(&model, asked.along.as_ref(), last).expect("a model");
    let mut simulation = model.simulation();
    simulation.advance(last.steps).expect("steps");
    assert!((simulation.state.q[0] - model.state.q[0]).abs() < 1e-11);
}

/// An orbit of Hénon and Heiles, its matrix against that of a conventional method by differences.
#[test]
fn the_matrix_of_a_period_is_that_of_the_equations() {
    let model = scenario("henon-heiles")
        .with_all([
            ("start.y", Value::from(0.2)),
            ("velocity.x", Value::from(0.4)),
            ("run.step", Value::from(0.05)),
        ])
        .expect("a model");
    let found = Orbits::new(&model, "h", &request(6.2), &mut |_, _| true).expect("an orbit");
    let orbit = &found.orbits[0];
    assert!(orbit.residual < 1e-12 && orbit.extent > 0.1, "{orbit:?}");
    let options = Options {
        rtol: Some(1e-13),
        atol: Some(1e-15),
        end: Some(orbit.period),
        ..Options::default()
    };
    let method = catalog::find("dop853").expect("a method");
    let minimal = Minimal::at(&model.mechanism, &orbit.state).expect("coordinates");
    let system = model.mechanism.system();
    for k in 0..4 {
        let column = slope(5e-3, |s| {
            let mut z = vec![0.0; 4];
            z[k] = s;
            let start = minimal.moved(&model.mechanism, &orbit.state, &z)?;
            let mut integrator = method.build_with(&model.mechanism, &options).expect("it fits");
            let mut end = start;
            integrator.attempt(&mut end, orbit.period).expect("steps");
            Ok::<_, holonomy::derivative::Unreduced>(minimal.apart(&*system, &orbit.state, &end))
        })
        .expect("a column");
        for i in 0..4 {
            // Order 4 with 120 steps.
            assert!(
                (column[i] - orbit.monodromy[i][k]).abs() < 1e-4,
                "{i} {k}: {} {}",
                column[i],
                orbit.monodromy[i][k]
            );
        }
    }
    // One, twice, as energy is conserved and the orbit is a family; and a pair on the circle.
    let product: f64 = orbit.multipliers.iter().map(|found| found.modulus).product();
    assert!((product - 1.0).abs() < 1e-9, "{product}");
}

/// A driven pendulum with friction: its orbit attracts, and its multipliers multiply to what friction takes of areas.
#[test]
fn friction_takes_the_area_that_multipliers_say() {
    let model = scenario("damped-pendulum");
    let period = std::f64::consts::PI;
    let found = Orbits::new(&model, "d", &request(period), &mut |_, _| true).expect("an orbit");
    let orbit = &found.orbits[0];
    assert_eq!(orbit.period, period);
    assert!(orbit.stable && orbit.symplectic_defect.is_none());
    // Liouville: exp(−∫ c/(m l²) dt); a step of the midpoint rule takes less by h²ω²/4, with h = 0.01 s.
    let product: f64 = orbit.multipliers.iter().map(|found| found.modulus).product();
    let exact = (-0.5 * period).exp();
    assert!(
        (product / exact - 1.0).abs() < 0.5 * period * 0.25e-4 * 9.81,
        "{product} {exact}"
    );
}

/// Duffing's oscillator: its response folds over, what lies between the folds is unstable, and areas shrink alike on all.
#[test]
fn a_branch_goes_on_behind_its_folds() {
    let text = "space = \"lagrangian\"\ncoordinates = [\"x\"]\nlagrangian = \"0.5*x'^2 - 0.5*x^2 - 0.25*x^4\"\n\
        [parameters]\nf = 0.1\n[force]\nx = \"-0.1*x' + f*cos(1.5*t)\"\n[start]\nx = 0\n\
        [method]\nname = \"midpoint\"\n[run]\nstep = 0.04\nsteps = 10\n";
    let model = load(&holonomy_model::Source::new(
        "duffing".to_owned(),
        text.to_owned(),
    ))
    .expect("a model");
    let period = std::f64::consts::TAU / 1.5;
    let asked = Request {
        along: Some(Along::Key {
            key: "parameters.f".to_owned(),
            range: Range {
                from: 0.1,
                to: 1.2,
                count: 23,
            },
        }),
        ..request(period)
    };
    let found = Orbits::new(&model, "d", &asked, &mut |_, _| true).expect("a branch");
    assert!(found.ended.is_empty(), "{}", found.ended);
    let folds: Vec<f64> = (found.events.iter())
        .filter(|event| event.what == "fold")
        .map(|event| event.parameter)
        .collect();
    assert!(matches!(folds[..], [high, low] if high > low), "{folds:?}");
    for orbit in &found.orbits {
        // Liouville, to the order of the method: h²/4 times the stiffness, at most ten here.
        let product: f64 = orbit.multipliers.iter().map(|found| found.modulus).product();
        let exact = (-0.1 * period).exp();
        assert!(
            (product / exact - 1.0).abs() < 0.1 * period * 0.25 * 0.0016 * 10.0,
            "{product} {exact}"
        );
    }
    let signs: Vec<bool> = found.orbits.iter().map(|orbit| orbit.stable).collect();
    let changes = signs.windows(2).filter(|two| two[0] != two[1]).count();
    assert!(changes == 2 && signs[0] && signs[signs.len() - 1], "{signs:?}");
}

/// Kepler's ellipses all close, with the period of their half-axis, T = 2π √(a³/GM), a = −GM/2E; a method turns each a
/// little, so that the ends of a period are as far apart as it is in error.
#[test]
fn keplers_ellipses_close_up_to_the_error_of_the_method() {
    let model = scenario("kepler");
    let found = [0.04, 0.02, 0.01].map(|step| {
        let model = model.with("run.step", Value::from(step)).expect("a model");
        let found = Orbits::new(&model, "k", &request(6.3), &mut |_, _| true).expect("an orbit");
        let orbit = &found.orbits[0];
        // Least squares weigh the energy as they do what is open.
        assert!((orbit.energy + 0.5).abs() < orbit.residual, "{}", orbit.energy);
        let exact = std::f64::consts::TAU * (-0.5 / orbit.energy).powf(1.5);
        let free = orbit.free.as_ref().expect("neighbours that close");
        // With the energy and the place on the orbit, angular momentum and the axis are free.
        assert_eq!(free.directions, 2);
        assert!(free.changes.iter().any(|name| name == "angular-momentum"));
        // The nearest to the start, whose eccentricity is 0.6.
        let far = (orbit.q[0] - 0.4).abs().max((orbit.v[1] - 2.0).abs());
        assert!(far <= 10.0 * orbit.residual, "{far}");
        [(orbit.period / exact - 1.0).abs(), orbit.residual, free.finer]
    });
    // Order 4: 16, with the next order of the larger steps.
    for two in found.windows(2) {
        for k in 0..3 {
            let ratio = two[0][k] / two[1][k];
            assert!((ratio - 16.0).abs() < 4.0, "{k}: {ratio}");
        }
    }
}

#[test]
fn what_does_not_close_is_said() {
    let model = scenario("plane-pendulum");
    let failed = Orbits::new(&model, "p", &request(-1.0), &mut |_, _| true).err();
    assert_eq!(failed, Some(OrbitError::Period(-1.0)));
    let stopped = Orbits::new(&model, "p", &request(2.1), &mut |_, _| false).err();
    assert_eq!(stopped, Some(OrbitError::Stopped));
    let asked = Request {
        along: Some(Along::Key {
            key: "parameters.nothing".to_owned(),
            range: Range {
                from: 1.0,
                to: 2.0,
                count: 3,
            },
        }),
        ..request(2.1)
    };
    let failed = Orbits::new(&model, "p", &asked, &mut |_, _| true).err();
    assert!(matches!(failed, Some(OrbitError::Key { .. })), "{failed:?}");
    let endless = Orbits::new(&model, "p", &request(1e300), &mut |_, _| true).err();
    assert!(matches!(endless, Some(OrbitError::Long { .. })), "{endless:?}");
    // What falls never comes back.
    let text = "space = \"lagrangian\"\ncoordinates = [\"z\"]\nlagrangian = \"0.5*z'^2 - 9.81*z\"\n[start]\nz = 0\n\
        [method]\nname = \"midpoint\"\n[run]\nstep = 0.01\nsteps = 10\n";
    let falls = load(&holonomy_model::Source::new("falls".to_owned(), text.to_owned())).expect("a model");
    let failed = Orbits::new(&falls, "f", &request(1.0), &mut |_, _| true).err();
    assert!(
        matches!(failed, Some(OrbitError::Open { .. } | OrbitError::Shrank)),
        "{failed:?}"
    );
}

/// A motor with the period π s: where it is another after the period that is asked for, nothing repeats, whatever closes.
#[test]
fn what_is_driven_repeats_with_its_drive_alone() {
    let model = scenario("damped-pendulum");
    let sought = |period: f64| Orbits::new(&model, "p", &request(period), &mut |_, _| true);
    assert_eq!(sought(3.0).err(), Some(OrbitError::Drive(3.0)));
    // As people write π, and twice of it: with digits left out.
    for period in ["3.14159", "6.28319"] {
        let period: f64 = period.parse().expect("a number");
        let found = sought(period).expect("an orbit");
        // As many steps as there are, each rounded once.
        assert!((found.orbits[0].period - period).abs() <= f64::EPSILON * period);
    }
}

/// Where the energy grows as the square of the amplitude, from almost nothing on, a branch has about as many orbits as were
/// asked for, and none is far from the next.
#[test]
fn a_branch_leaves_nothing_out() {
    let range = Range {
        from: 0.02,
        to: 15.0,
        count: 8,
    };
    let asked = Request {
        along: Some(Along::Energy(range)),
        ..request(2.006)
    };
    let found = Orbits::new(&scenario("plane-pendulum"), "p", &asked, &mut |_, _| true).expect("a branch");
    assert!(
        found.ended.is_empty() && found.orbits.len() >= 7,
        "{}",
        found.orbits.len()
    );
    for two in found.orbits.windows(2) {
        let apart = two[1].energy - two[0].energy;
        assert!(apart > 0.0 && apart <= 2.0 * 15.0 / 7.0 + 1e-9, "{apart}");
    }
}
