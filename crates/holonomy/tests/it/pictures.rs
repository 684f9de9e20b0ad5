//! Points and lines of Lagrangian models against formulas written out by hand.
use crate::{allocation::allocations, common};
use holonomy::{
    Vec3,
    formula::{Formula, Kind},
    lagrangian::{FormulaMechanics, Formulas, Lagrangian, LagrangianError, Picture, PictureLine, Slots},
    scene::{Poses, Scene, Shape},
    system::{Family, State, System},
};
use holonomy_model::scenario::SCENARIOS;

/// Numbers of a fixed sequence, within ±3: more than half a turn.
struct Sequence(u64);

impl Sequence {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        6.0 * (self.0 >> 11) as f64 / (1u64 << 53) as f64 - 3.0
    }
}

/// The places of a scenario's points at random times and coordinates.
fn places(name: &str) -> (Scene, Vec<(f64, Vec<f64>, Poses)>) {
    let model = common::scenario(name, &[]);
    let system = model.mechanism.system();
    let mut sequence = Sequence(20_121_029);
    let each = (0..50).map(|_| {
        let t = 10.0 * sequence.next();
        let q: Vec<f64> = model.state.q.iter().map(|_| sequence.next()).collect();
        let state = State::new(t, q.clone(), vec![0.0; model.state.p.len()]);
        let mut poses = Poses::default();
        system.poses(&state, &mut poses, &mut system.scratch());
        (t, q, poses)
    });
    (system.scene(), each.collect())
}

/// Points have the places that a function gives by name. Rounding of a few operations on numbers below 100.
fn check(name: &str, expected: impl Fn(&str, f64, &[f64]) -> [f64; 3]) {
    let (scene, all) = places(name);
    for (t, q, poses) in all {
        let named = scene.points.iter().zip(&poses.points);
        for (point, place) in named.filter(|(point, _)| !point.starts_with("curve-")) {
            let off = (Vec3::from(*place) - Vec3::from(expected(point, t, &q))).norm();
            assert!(off < 1e-13, "{name}: {point} at {q:?} is off by {off:e}");
        }
    }
}

#[test]
fn points_are_where_the_formulas_say() {
    for name in ["plane-pendulum", "damped-pendulum"] {
        check(name, |point, _, q| match point {
            "pivot" => [0.0; 3],
            _ => [q[0].sin(), 0.0, -q[0].cos()],
        });
    }
    check("double-plane-pendulum", |point, _, q| match point {
        "pivot" => [0.0; 3],
        "upper" => [q[0].sin(), 0.0, -q[0].cos()],
        _ => [q[0].sin() + q[1].sin(), 0.0, -q[0].cos() - q[1].cos()],
    });
    check("chaplygin-sleigh", |point, _, q| match point {
        "blade" => [q[0], q[1], 0.0],
        _ => [q[0] + 0.3 * q[2].cos(), q[1] + 0.3 * q[2].sin(), 0.0],
    });
    check("kepler", |point, _, q| match point {
        "sun" => [0.0; 3],
        _ => [q[0], q[1], 0.0],
    });
    check("suslov", |point, _, q| match point {
        "body" => [0.0; 3],
        "fixed" => [q[0], q[1], q[2]],
        _ => [0.0, 0.0, 1.0],
    });
    check("pitch-cone-roll", |point, _, q| match point {
        "pivot" => [0.0; 3],
        _ => [
            1.2 * q[0].sin(),
            1.2 * q[0].cos() * q[1].sin(),
            1.2 * q[0].cos() * q[1].cos(),
        ],
    });
}

/// The spin of the hoop, integrated by Simpson's rule: its error is below 1e-9 with these intervals.
fn turned(t: f64) -> f64 {
    let spin = |t: f64| 5.0 * (1.0 + 0.2 * (0.7 * t).sin());
    let (n, h) = (2000, t / 2000.0);
    let weight = |k: usize| match k {
        0 => 1.0,
        k if k == n => 1.0,
        k if k % 2 == 1 => 4.0,
        _ => 2.0,
    };
    (0..=n).map(|k| weight(k) * spin(k as f64 * h)).sum::<f64>() * h / 3.0
}

#[test]
fn a_hoop_turns_with_time_and_carries_its_bead() {
    let (scene, all) = places("bead-on-a-rotating-hoop");
    let curves: Vec<&Vec<usize>> = scene
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Line { through } if through.len() > 2 => Some(through),
            _ => None,
        })
        .collect();
    let [hoop] = curves[..] else { panic!("one curve") };
    let bead = scene.points.iter().position(|name| name == "bead").unwrap();
    for (t, q, poses) in all {
        let (sine, cosine) = turned(t).sin_cos();
        let [x, y, z] = poses.points[bead];
        // In the plane of the hoop, on the side that theta says; the tolerance is that of the integral.
        assert!((x * cosine + y * sine - q[0].sin()).abs() < 1e-8 && (y * cosine - x * sine).abs() < 1e-8);
        assert!((z + q[0].cos()).abs() < 1e-14);
        for at in hoop {
            let [x, y, z] = poses.points[*at];
            assert!((x * x + y * y + z * z - 1.0).abs() < 1e-14 && (y * cosine - x * sine).abs() < 1e-8);
        }
        assert_eq!(hoop.len(), 49);
        let ends = [hoop[0], hoop[48]].map(|at| Vec3::from(poses.points[at]));
        assert!((ends[0] - ends[1]).norm() < 1e-14);
        // All around: opposite points are opposite.
        let half = [hoop[6], hoop[30]].map(|at| Vec3::from(poses.points[at]));
        assert!((half[0] + half[1]).norm() < 1e-14);
    }
}

#[test]
fn every_lagrangian_scenario_is_seen_to_move() {
    let mut seen = 0;
    for scenario in SCENARIOS {
        let model = common::scenario(scenario.name, &[]);
        if !matches!(model.mechanism.family(), Family::Lagrangian | Family::Framed) {
            continue;
        }
        seen += 1;
        let system = model.mechanism.system();
        let scene = system.scene();
        assert!(
            !scene.points.is_empty() && !scene.shapes.is_empty(),
            "{}",
            scenario.name
        );
        assert!(
            (0.01..100.0).contains(&scene.size),
            "{}: {}",
            scenario.name,
            scene.size
        );
        let mut simulation = model.simulation();
        let mut poses = [Poses::default(), Poses::default()];
        for poses in &mut poses {
            system.poses(&simulation.state, poses, &mut system.scratch());
            simulation.advance(20).unwrap();
        }
        let all = poses.iter().flat_map(|poses| poses.points.iter().flatten());
        assert!(all.clone().all(|x| x.is_finite()), "{}", scenario.name);
        assert_ne!(poses[0], poses[1], "{} stands still", scenario.name);
        let mut scratch = system.scratch();
        let mut out = Poses::default();
        system.poses(&simulation.state, &mut out, &mut scratch);
        let again = allocations(|| system.poses(&simulation.state, &mut out, &mut scratch));
        assert_eq!(again, 0, "{}", scenario.name);
    }
    assert!(seen >= 9, "{seen}");
}

const PICTURED: &str = r#"
    coordinates = ["x"]
    lagrangian = "0.5*x'^2 - 0.5*x^2"
    up = [0, 3, 0]
    [points]
    root = ["sqrt(x)", 1, 0]
    mass = ["x", 0, 0]
    [[line]]
    through = ["root", "mass"]
    [start]
    x = 1
    [method]
    name = "midpoint"
    [run]
    step = 0.1
    duration = 20
"#;

#[test]
fn a_point_without_a_value_is_not_a_number_and_the_run_goes_on() {
    let model = common::load("root", PICTURED, &[]);
    let system = model.mechanism.system();
    let scene = system.scene();
    assert_eq!(scene.down, Some([0.0, -1.0, 0.0]));
    assert!((scene.size - 1.0).abs() < 1e-15);
    assert_eq!(
        scene.shapes,
        [
            Shape::Point { at: 0 },
            Shape::Point { at: 1 },
            Shape::Line { through: vec![0, 1] }
        ]
    );
    let mut simulation = model.simulation();
    let (mut without, mut with) = (0, 0);
    for _ in 0..200 {
        simulation.advance(1).unwrap();
        let x = simulation.state.q[0];
        let mut poses = Poses::default();
        system.poses(&simulation.state, &mut poses, &mut system.scratch());
        let mut sites = [Vec3::zeros(); 2];
        system.sites(simulation.state.t, &simulation.state.q, &mut sites);
        assert_eq!(poses.points[1], [x, 0.0, 0.0]);
        assert_eq!(sites[1], Vec3::new(x, 0.0, 0.0));
        if x < 0.0 {
            assert!(poses.points[0].iter().chain(sites[0].iter()).all(|x| x.is_nan()));
            without += 1;
        } else {
            assert_eq!(poses.points[0], [x.sqrt(), 1.0, 0.0]);
            with += 1;
        }
    }
    assert!(without > 50 && with > 50);
}

#[test]
fn points_do_not_change_the_motion_or_the_fingerprint() {
    let start = PICTURED.find("[points]").unwrap();
    let end = PICTURED.find("[start]").unwrap();
    let plain = [&PICTURED[..start], &PICTURED[end..]]
        .concat()
        .replace("up = [0, 3, 0]", "");
    let models = [
        common::load("with", PICTURED, &[]),
        common::load("without", &plain, &[]),
    ];
    assert_eq!(models[0].fingerprint(), models[1].fingerprint());
    let states = models.map(|model| common::run(&model).0.state.clone());
    assert_eq!(states[0], states[1]);
}

#[test]
fn a_picture_that_cannot_be_drawn_is_refused() {
    let (slots, mut scope) = Slots::scope(&[("x", Kind::Scalar)], &[]).unwrap();
    scope.variable("u", Kind::Scalar, slots.along()).unwrap();
    let parse = |text: &str| Formula::parse(text, &scope).unwrap();
    let lagrangian = parse("0.5*x'^2");
    let draw = |points: &[(&str, &[&str])], lines: &[PictureLine], slots: Slots| {
        let mechanics = FormulaMechanics::new(&Formulas {
            slots: Slots {
                coordinates: 1,
                quasi_velocities: 0,
            },
            lagrangian: &lagrangian,
            fields: &[],
            forces: &[],
            constraints: &[],
            invariants: &[],
        });
        let system = Lagrangian::new(Box::new(mechanics.unwrap()), &["x".to_owned()]).unwrap();
        let points: Vec<(String, Vec<Formula>)> = points
            .iter()
            .map(|(name, parts)| ((*name).to_owned(), parts.iter().map(|part| parse(part)).collect()))
            .collect();
        let picture = Picture {
            slots,
            points: &points,
            lines,
            up: None,
        };
        system
            .with_picture(&picture, 0.0, &[0.5])
            .map(|system| system.scene())
    };
    let at: &[&str] = &["x", "0", "0"];
    let through = |points: &[usize]| PictureLine::Through {
        points: points.to_vec(),
        closed: false,
    };
    let error = |result: Result<Scene, LagrangianError>| result.err().unwrap();
    assert!(draw(&[("a", at), ("b", at)], &[through(&[0, 1])], slots).is_ok());
    assert!(matches!(
        error(draw(&[("a", at), ("a", at)], &[], slots)),
        LagrangianError::Name(_)
    ));
    assert!(matches!(
        error(draw(&[("", at)], &[], slots)),
        LagrangianError::Name(_)
    ));
    let point = "a".to_owned();
    let short = LagrangianError::PointComponents {
        point: point.clone(),
        given: 2,
    };
    assert_eq!(error(draw(&[("a", &["x", "0"])], &[], slots)), short);
    assert_eq!(
        error(draw(&[("a", &["x'", "0", "0"])], &[], slots)),
        LagrangianError::PointMoves { point }
    );
    let none = LagrangianError::NoSuchPoint {
        line: 1,
        point: 2,
        count: 2,
    };
    let lines = [through(&[0, 1]), through(&[0, 2])];
    assert_eq!(error(draw(&[("a", at), ("b", at)], &lines, slots)), none);
    let one = error(draw(&[("a", at)], &[through(&[0])], slots));
    assert_eq!(one, LagrangianError::ShortLine { line: 0 });
    let curve = [PictureLine::Curve(vec![parse("[cos(u), sin(u)*x', 0]")])];
    assert_eq!(
        error(draw(&[], &curve, slots)),
        LagrangianError::PointMoves {
            point: "curve-1".to_owned()
        }
    );
    let other = Slots {
        coordinates: 2,
        quasi_velocities: 0,
    };
    assert_eq!(
        error(draw(&[], &[], other)),
        LagrangianError::PictureCoordinates { given: 2, wanted: 1 }
    );
}
