//! Momenta of all vectors of a Lagrangian together: found where they are conserved, and nowhere else.
use crate::common::{load, run};
use holonomy::Vec3;

const MASSES: [f64; 3] = [1.0, 0.4, 0.1];
const PLACES: [[f64; 3]; 3] = [[0.1, -0.2, 0.05], [1.1, 0.1, -0.1], [-1.2, 3.8, 0.6]];
const SPEEDS: [[f64; 3]; 3] = [[0.02, -0.15, 0.01], [-0.1, 1.05, 0.2], [-0.56, -0.18, 0.05]];

/// Three bodies that attract each other, with something more.
fn three_bodies(more: &str, rest: &str, method: &str) -> String {
    let mut text = format!(
        "space = \"lagrangian\"\ncoordinates = [\"r1\", \"r2\", \"r3\"]\nlagrangian = '''\n\
         0.5*m1*dot(r1', r1') + 0.5*m2*dot(r2', r2') + 0.5*m3*dot(r3', r3')\n\
         + m1*m2/norm(r1 - r2) + m1*m3/norm(r1 - r3) + m2*m3/norm(r2 - r3) {more}'''\n{rest}\n\
         [parameters]\nm1 = {}\nm2 = {}\nm3 = {}\n[start]\n",
        MASSES[0], MASSES[1], MASSES[2]
    );
    for (k, place) in PLACES.iter().enumerate() {
        text += &format!("r{} = {place:?}\n", k + 1);
    }
    text += "[velocity]\n";
    for (k, speed) in SPEEDS.iter().enumerate() {
        text += &format!("r{} = {speed:?}\n", k + 1);
    }
    text + &format!("[method]\nname = \"{method}\"\n[run]\nstep = 0.005\nduration = 20\nevery = 20\n")
}

/// `Σ m v` and `Σ r × m v` at the start, by themselves.
fn by_hand() -> [f64; 6] {
    let (mut linear, mut angular) = (Vec3::zeros(), Vec3::zeros());
    for ((m, r), v) in MASSES.iter().zip(PLACES).zip(SPEEDS) {
        let p = *m * Vec3::from(v);
        linear += p;
        angular += Vec3::from(r).cross(&p);
    }
    [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
}

const ALL: [&str; 6] = [
    "total momentum x",
    "total momentum y",
    "total momentum z",
    "total angular momentum x",
    "total angular momentum y",
    "total angular momentum z",
];

#[test]
fn three_bodies_keep_their_momenta_to_rounding_by_the_midpoint_rule() {
    for method in ["midpoint", "midpoint-4"] {
        let model = load("three", &three_bodies("", "", method), &[]);
        let (_, record, _) = run(&model);
        assert_eq!(model.mechanism.system().layout().conserved.invariants, ALL);
        for ((value, _), expected) in record.momenta.iter().zip(by_hand()) {
            assert!((value - expected).abs() <= 2e-15, "{value} {expected}");
        }
        // Equations of a step are solved to some roundings of momenta and arms of about one. `midpoint-4` takes five
        // steps of the rule in each.
        let most = 4000.0 * 5.0 * 8.0 * f64::EPSILON;
        for (name, (_, change)) in ALL.iter().zip(&record.momenta) {
            println!("{method}: {name} {change:.2e}");
            assert!(*change <= most, "{method}: {name} changes by {change:e}");
        }
    }
}

/// What nobody promises is seen to be lost: the measurement is of the motion, not of the start.
#[test]
fn a_method_of_runge_and_kutta_loses_angular_momentum_and_no_linear_one() {
    let model = load("three", &three_bodies("", "", "rk4"), &["run.step=0.05"]);
    let (_, record, _) = run(&model);
    assert!(record.momenta[..3].iter().all(|(_, change)| *change < 1e-12));
    assert!(record.momenta[5].1 > 1e-9, "{:?}", record.momenta);
}

#[test]
fn only_what_is_conserved_is_called_so() {
    let none: [&str; 0] = [];
    let at_rest = [
        "velocity.r1=[0, 0, 0]",
        "velocity.r2=[0, 0, 0]",
        "velocity.r3=[0, 0, 0]",
    ];
    let [px, py, pz, jx, jy, jz] = ALL;
    for (what, more, rest, expected) in [
        (
            "uniform gravity",
            "- 9.81*(m1*r1.z + m2*r2.z + m3*r3.z)",
            "",
            &[px, py, jz][..],
        ),
        ("a weak pull on one", "+ 1e-8*r1.x", "", &[py, pz, jx]),
        ("a centre", "+ 2/norm(r1)", "", &[jx, jy, jz]),
        ("a centre elsewhere", "+ 2/norm(r1 - [0, 0, 1])", "", &[jz]),
        (
            "a magnetic field",
            "+ dot([0, 0, 0.3], cross(r1, r1'))",
            "",
            &[pz, jz],
        ),
        (
            "masses that know directions",
            "+ 0.1*r2'.x^2",
            "",
            &[px, py, pz, jx],
        ),
        ("a stop far away", "- max(0, r1.x - 100)", "", &[py, pz, jx]),
        ("a spring that tears", "- min(norm(r1 - r2)^2, 25)", "", &ALL),
        ("time", "+ sin(t)/norm(r1 - r2)", "", &ALL),
        (
            "drag between two",
            "",
            "[force]\nr1 = \"r2' - r1'\"\nr2 = \"r1' - r2'\"",
            &[px, py, pz],
        ),
        (
            "a damper along the line",
            "",
            "[force]\nr1 = \"dot(r2' - r1', r2 - r1)*(r2 - r1)\"\nr2 = \"dot(r2' - r1', r2 - r1)*(r1 - r2)\"",
            &ALL,
        ),
        ("drag", "", "[force]\nr1 = \"-r1'\"", &none),
        (
            "a rod",
            "",
            "[[constraint]]\nformula = \"norm(r1 - r2) - norm([1, 0.3, -0.15])\"",
            &ALL,
        ),
        (
            "a rod to the origin",
            "",
            "[[constraint]]\nformula = \"norm(r1) - norm([0.1, -0.2, 0.05])\"",
            &[jx, jy, jz],
        ),
    ] {
        let model = load(what, &three_bodies(more, rest, "midpoint"), &at_rest);
        assert_eq!(
            model.mechanism.system().layout().conserved.invariants,
            expected,
            "{what}"
        );
    }
}

/// Forces that cancel, and rods, leave to the midpoint rule what it keeps.
#[test]
fn forces_that_cancel_and_rods_change_no_momentum() {
    let damper = "[force]\nr1 = \"dot(r2' - r1', r2 - r1)*(r2 - r1)\"\n\
                  r2 = \"dot(r2' - r1', r2 - r1)*(r1 - r2)\"\n\
                  [[constraint]]\nformula = \"norm(r1 - r3) - norm([1.3, -4, -0.55])\"";
    let model = load(
        "damped",
        &three_bodies("", damper, "midpoint"),
        &["run.duration=5", "velocity.r3=[0.02, -0.15, 0.01]"],
    );
    let (_, record, _) = run(&model);
    assert_eq!(model.mechanism.system().layout().conserved.invariants, ALL);
    for (name, (_, change)) in ALL.iter().zip(&record.momenta) {
        assert!(
            *change <= 1000.0 * 8.0 * f64::EPSILON,
            "{name} changes by {change:e}"
        );
    }
}
