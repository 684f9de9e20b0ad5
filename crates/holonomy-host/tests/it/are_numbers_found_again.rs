use holonomy_host::fit::{Data, FitError, Free, Segments, fit_in};
use holonomy_model::{Model, Source, load};
use holonomy_report::fit::{Derivatives, Fitted};
use nalgebra::DMatrix;
use std::{num::NonZero, sync::atomic::AtomicBool};

fn model(text: &str) -> Model {
    load(&Source::new("model.toml", text)).unwrap()
}

/// Outputs of a run at every so many steps, as a table.
fn table(model: &Model, names: &[&str], every: usize, noise: &mut dyn FnMut() -> f64) -> String {
    use holonomy::{
        output::{Output, Readings},
        system::Measurement,
    };
    let system = model.mechanism.system();
    let outputs: Vec<Output> = (names.iter())
        .map(|name| Output::find(name, system.layout()).unwrap())
        .collect();
    let (mut integrator, mut state) = (model.integrator(), model.state.clone());
    let (mut measured, mut scratch) = (Measurement::default(), system.scratch());
    let mut readings = Readings::default();
    let mut text = format!("t,{}\n", names.join(","));
    for k in 0..=model.schedule.steps as usize {
        if k % every == 0 {
            system.measure(&state, &mut measured, &mut scratch);
            text += &format!("{:?}", state.t);
            for value in readings.take(&outputs, &*system, &state, &measured) {
                text += &format!(",{:?}", value + noise());
            }
            text.push('\n');
        }
        integrator.attempt(&mut state, model.schedule.step).unwrap();
        state.t = (k + 1) as f64 * model.schedule.step;
    }
    text
}

fn data(text: &str, model: &Model) -> Result<Data, FitError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.csv");
    std::fs::write(&path, text).unwrap();
    Data::read(&path, model)
}

/// Seeks numbers from others.
fn sought(model: &Model, data: &str, from: &[(&str, f64)], segments: Segments) -> Result<Fitted, FitError> {
    let values = from.iter().map(|(key, value)| (*key, (*value).into()));
    let away = model.with_all(values).unwrap();
    let data = self::data(data, &away)?;
    let free: Vec<Free> = (from.iter())
        .map(|(key, _)| Free::parse(key, &away).unwrap())
        .collect();
    let stop = AtomicBool::new(false);
    let found = fit_in(&away, "test", &data, &free, segments, (&stop, &mut |_, _| {}));
    found.map(|(found, _)| found)
}

fn count(segments: usize) -> Segments {
    Segments::Count(NonZero::new(segments).unwrap())
}

fn assert_values(found: &Fitted, truth: &[f64], within: f64) {
    for (number, truth) in found.numbers.iter().zip(truth) {
        let off = (number.value - truth).abs();
        assert!(
            off < within * truth.abs(),
            "{}: {} {truth}",
            number.key,
            number.value
        );
    }
}

/// Numbers that are about normal, of mean 0 and deviation 1: sums of twelve.
fn noise(size: f64) -> impl FnMut() -> f64 {
    let mut seed = 7_u64;
    move || {
        let mut one = || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        size * ((0..12).map(|_| one()).sum::<f64>() - 6.0)
    }
}

const DOUBLE: &str = r#"
coordinates = ["a", "b"]
lagrangian = "0.5*(m1 + m2)*l1^2*a'^2 + 0.5*m2*l2^2*b'^2 + m2*l1*l2*a'*b'*cos(a - b) + (m1 + m2)*g*l1*cos(a) + m2*g*l2*cos(b)"
[parameters]
m1 = "1 kg"
m2 = "0.7 kg"
l1 = "1 m"
l2 = "0.8 m"
g = "9.81 m/s^2"
[start]
a = 2
b = 2.5
[method]
name = "midpoint"
[run]
step = 0.01
duration = 20
"#;

/// A double pendulum over 20 s, in which a small change grows by some twelve powers of ten: one run from numbers that are
/// off by 3 to 14 % never meets the data again; stretches that join do.
#[test]
#[ignore = "long: two searches along a chaotic run"]
fn stretches_find_in_chaos_what_one_run_does_not() {
    let model = model(DOUBLE);
    let from = [
        ("parameters.l2", 0.85),
        ("parameters.m2", 0.8),
        ("start.a", 2.05),
        ("start.b", 2.4),
    ];
    let truth = [0.8, 0.7, 2.0, 2.5];
    let exact = table(&model, &["a", "b"], 5, &mut || 0.0);
    let alone = sought(&model, &exact, &from, count(1)).unwrap();
    assert!((alone.numbers[0].value - 0.8).abs() > 0.01, "{:?}", alone.numbers);
    let found = sought(&model, &exact, &from, Segments::Auto).unwrap();
    assert!(
        found.segments > 10 && found.joined,
        "{} {}",
        found.segments,
        found.gap
    );
    assert_values(&found, &truth, 1e-8);
    // With errors of a milliradian: what is left of the data is these, and numbers are off by a few of their errors.
    let noisy = table(&model, &["a", "b"], 5, &mut noise(1e-3));
    let found = sought(&model, &noisy, &from, Segments::Auto).unwrap();
    assert!(found.joined, "{}", found.gap);
    for column in &found.columns {
        // The deviation of 401 errors is known to 3.5 %.
        assert!(
            (column.off - 1e-3).abs() < 1.5e-4,
            "{} {}",
            column.name,
            column.off
        );
    }
    for (number, truth) in found.numbers.iter().zip(truth) {
        let off = (number.value - truth).abs() / number.error;
        assert!(off < 4.5, "{}: {} ± {}", number.key, number.value, number.error);
    }
}

/// A stone that falls: linear in all that is sought, so that errors are those of the textbook, s² (XᵀX)⁻¹.
#[test]
fn errors_are_those_of_linear_regression() {
    let text = r#"
coordinates = ["y"]
lagrangian = "0.5*m*y'^2 - m*g*y"
[parameters]
m = "2 kg"
g = "9.81 m/s^2"
[start]
y = 3
[velocity]
y = 4
[method]
name = "midpoint"
[run]
step = 0.01
duration = 1
"#;
    let model = model(text);
    let table = table(&model, &["y"], 5, &mut noise(0.01));
    let from = [("start.y", 2.0), ("velocity.y", 5.0), ("parameters.g", 9.0)];
    for segments in [1, 3] {
        let found = sought(&model, &table, &from, count(segments)).unwrap();
        assert_eq!(
            (found.derivatives, found.segments),
            (Derivatives::Exact, segments)
        );
        let rows: Vec<(f64, f64)> = (table.lines().skip(1))
            .map(|line| {
                let (t, y) = line.split_once(',').unwrap();
                (t.parse().unwrap(), y.parse().unwrap())
            })
            .collect();
        // The midpoint rule gives the parabola itself.
        let x = DMatrix::from_fn(rows.len(), 3, |i, k| {
            [1.0, rows[i].0, -0.5 * rows[i].0 * rows[i].0][k]
        });
        let y = nalgebra::DVector::from_fn(rows.len(), |i, _| rows[i].1);
        let inverse = x.tr_mul(&x).try_inverse().unwrap();
        let best = &inverse * x.tr_mul(&y);
        let left = (&y - &x * &best).norm_squared() / (rows.len() - 3) as f64;
        for (k, number) in found.numbers.iter().enumerate() {
            // The search ends where a step promises 1e-13 of the squares, 3e-7 of their root: as little of an error, but for
            // the root of the number of data.
            let off = (number.value - best[k]).abs();
            assert!(off < 1e-5 * number.error, "{segments} {number:?} {best}");
            let error = (left * inverse[(k, k)]).sqrt();
            assert!(
                (number.error / error - 1.0).abs() < 1e-6,
                "{segments} {number:?} {error}"
            );
        }
    }
}

/// Bodies on spheres and on trees, in one run and in stretches, and with a method without derivatives.
#[test]
fn own_data_give_the_numbers_back() {
    let swing = r#"
coordinates = ["theta"]
lagrangian = "0.5*m*l^2*theta'^2 + m*g*l*cos(theta)"
[parameters]
m = "1 kg"
l = "0.8 m"
g = "9.81 m/s^2"
c = "0.1 N m s"
[force]
theta = "-c*theta'"
[start]
theta = 1
[method]
name = "METHOD"
[run]
step = 0.01
duration = 2
"#;
    let sphere = r#"
space = "spheres"
[[potential]]
kind = "gravity"
acceleration = [0, 0, 9.81]
[[body]]
name = "bob"
mass = 1.3
length = 0.7
direction = [0.8, 0, 0.6]
angular_velocity = [-0.6, 1, 0.8]
[method]
name = "METHOD"
[run]
step = 0.01
duration = 2
"#;
    let arm = r#"
space = "tree"
gravity = [0, 0, -9.81]
[[body]]
name = "upper"
joint = { kind = "revolute", axis = [0, 1, 0] }
mass = 1
shape = "box"
size = [0.1, 0.1, 1]
centre = [0, 0, -0.5]
position = 1
[[body]]
name = "lower"
parent = "upper"
joint = { kind = "revolute", axis = [0, 1, 0], at = [0, 0, -1] }
damping = 0.2
mass = 0.5
shape = "box"
size = [0.1, 0.1, 0.8]
centre = [0, 0, -0.4]
[method]
name = "METHOD"
[run]
step = 0.01
duration = 1
"#;
    type Case<'a> = (
        &'a str,
        &'a str,
        Vec<&'a str>,
        Vec<(&'a str, f64, f64)>,
        usize,
        Derivatives,
    );
    let cases: [Case<'_>; 6] = [
        (
            swing,
            "trapezoid",
            vec!["theta"],
            vec![("parameters.l", 0.7, 0.8), ("parameters.c", 0.0, 0.1)],
            1,
            Derivatives::Exact,
        ),
        (
            swing,
            "midpoint-4",
            vec!["theta", "energy"],
            vec![("parameters.l", 0.75, 0.8), ("parameters.m", 1.1, 1.0)],
            3,
            Derivatives::Exact,
        ),
        (
            swing,
            "rk4",
            vec!["theta"],
            vec![("parameters.l", 0.7, 0.8), ("start.theta", 0.9, 1.0)],
            1,
            Derivatives::Differences,
        ),
        (
            sphere,
            "sphere-explicit",
            vec!["bob.x", "bob.y"],
            vec![("body.bob.length", 0.75, 0.7)],
            4,
            Derivatives::Exact,
        ),
        (
            sphere,
            "sphere-implicit",
            vec!["bob.x", "bob.z"],
            vec![("body.bob.length", 0.65, 0.7)],
            1,
            Derivatives::Exact,
        ),
        (
            arm,
            "tree-variational",
            vec!["theta.lower"],
            vec![("body.lower.mass", 0.6, 0.5), ("body.lower.damping", 0.1, 0.2)],
            2,
            Derivatives::Exact,
        ),
    ];
    for (text, method, outputs, numbers, segments, derivatives) in cases {
        let model = model(&text.replace("METHOD", method));
        let table = table(&model, &outputs, 7, &mut || 0.0);
        let from: Vec<(&str, f64)> = numbers.iter().map(|(key, from, _)| (*key, *from)).collect();
        let truth: Vec<f64> = numbers.iter().map(|(_, _, truth)| *truth).collect();
        let found = sought(&model, &table, &from, count(segments))
            .unwrap_or_else(|error| panic!("{method}: {error}"));
        assert_eq!(
            (found.derivatives, found.segments),
            (derivatives, segments),
            "{method}"
        );
        assert!(found.joined, "{method} {}", found.gap);
        assert_values(&found, &truth, 1e-8);
    }
}

/// Bounds outside of what a number can be, a number or a column that is named twice.
#[test]
fn what_cannot_be_sought_is_refused() {
    let bob = model(
        "[[body]]\nname = \"bob\"\nmass = 1\ndirection = [0.6, 0, 0.8]\n[[potential]]\nkind = \"gravity\"\n\
         acceleration = [0, 0, 9.81]\n[method]\nname = \"sphere-explicit\"\n[run]\nstep = 0.1\nduration = 1\n",
    );
    let refused = |text: &str| Free::parse(text, &bob).map(|_| ()).expect_err("no such bounds");
    assert_eq!(
        refused("body.bob.mass=-2:-1").to_string(),
        "`body.bob.mass=-2:-1` leaves no value: `body.bob.mass` is above 0"
    );
    assert!(Free::parse("body.bob.mass=-2:1", &bob).is_ok());
    assert!(matches!(
        Free::parse("run.step", &bob),
        Err(FitError::Manner { .. })
    ));
    let twice = data("t,bob.z,bob.z\n0.1,1,1\n", &bob).expect_err("one of them");
    assert!(matches!(twice, FitError::Alike { .. }), "{twice}");
    let two = data("t,bob.z\n0.1,1\n0.2,1\n", &bob).expect("data");
    let free = ["body.bob.mass", "body.1.mass"].map(|key| Free::parse(key, &bob).expect("a number"));
    let stop = AtomicBool::new(false);
    let twice = fit_in(&bob, "test", &two, &free, Segments::Auto, (&stop, &mut |_, _| {}));
    assert!(matches!(twice, Err(FitError::Twice { .. })));
}
