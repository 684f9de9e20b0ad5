//! Beckman's notebook: why its Runge–Kutta runs fail. The notebook holds torque and attitude still while the spin moves,
//! and the spin while the attitude moves; the same four stages on both together do what the method promises.
use holonomy::{Vec3, geometry::so3};

/// Attitude, as a quaternion (w, x, y, z), and spin seen from the body.
type State = ([f64; 4], Vec3);

struct Body {
    moments: Vec3,
    /// From the support to the centre of mass, in the body; the weight acts there.
    centre: Vec3,
}

/// How a step couples attitude and spin.
#[derive(Clone, Copy, PartialEq)]
enum Coupling {
    /// The notebook's: the torque of the step before, each half with the other frozen.
    Frozen,
    /// All stages on both.
    Together,
}

const WEIGHT: Vec3 = Vec3::new(0.0, 0.0, -9.81);

impl Body {
    fn torque(&self, q: &[f64; 4], centre: Vec3) -> Vec3 {
        so3::matrix(q).tr_mul(&centre.cross(&WEIGHT))
    }

    fn spin_rate(&self, spin: Vec3, torque: Vec3) -> Vec3 {
        (torque - spin.cross(&self.moments.component_mul(&spin))).component_div(&self.moments)
    }

    fn placed(&self, q: &[f64; 4]) -> Vec3 {
        so3::matrix(q) * self.centre
    }

    fn energy(&self, (q, spin): State) -> f64 {
        0.5 * spin.dot(&self.moments.component_mul(&spin)) - self.placed(&q).dot(&WEIGHT)
    }

    fn momentum(&self, (q, spin): State) -> Vec3 {
        so3::matrix(&q) * self.moments.component_mul(&spin)
    }

    /// One step; `centre` is where the centre of mass was a step ago.
    fn step(&self, (q, spin): State, centre: &mut Vec3, h: f64, coupling: Coupling) -> State {
        let (q, spin) = match coupling {
            Coupling::Together => {
                let rate = |y: [f64; 7]| {
                    let (q, spin) = ([y[0], y[1], y[2], y[3]], Vec3::new(y[4], y[5], y[6]));
                    let turn = attitude_rate(q, spin);
                    let spin = self.spin_rate(spin, self.torque(&q, self.placed(&q)));
                    [turn[0], turn[1], turn[2], turn[3], spin.x, spin.y, spin.z]
                };
                let y = runge_kutta([q[0], q[1], q[2], q[3], spin.x, spin.y, spin.z], h, rate);
                ([y[0], y[1], y[2], y[3]], Vec3::new(y[4], y[5], y[6]))
            }
            Coupling::Frozen => {
                let torque = self.torque(&q, *centre);
                *centre = self.placed(&q);
                let rate = |w: [f64; 3]| self.spin_rate(Vec3::from(w), torque).into();
                let next = runge_kutta(spin.into(), h, rate);
                (runge_kutta(q, h, |q| attitude_rate(q, spin)), Vec3::from(next))
            }
        };
        (so3::normalised(q), spin)
    }

    /// The energy gained at `time`, the largest change of it on the way, and when the body first went over the top.
    fn run(&self, start: State, h: f64, time: f64, coupling: Coupling) -> (f64, f64, Option<f64>) {
        let (mut state, mut centre) = (start, self.placed(&start.0));
        let (mut worst, mut over) = (0.0_f64, None);
        for k in 1..=(time / h).round() as u32 {
            let before = self.placed(&state.0);
            state = self.step(state, &mut centre, h, coupling);
            let after = self.placed(&state.0);
            worst = worst.max((self.energy(state) - self.energy(start)).abs());
            if before.x * after.x < 0.0 && after.z > 0.0 {
                over = over.or(Some(f64::from(k) * h));
            }
        }
        (self.energy(state) - self.energy(start), worst, over)
    }
}

fn attitude_rate(q: [f64; 4], spin: Vec3) -> [f64; 4] {
    so3::product(&q, &[0.0, spin.x, spin.y, spin.z]).map(|x| 0.5 * x)
}

fn runge_kutta<const N: usize>(y: [f64; N], h: f64, rate: impl Fn([f64; N]) -> [f64; N]) -> [f64; N] {
    let ahead = |k: &[f64; N], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    let a = rate(y);
    let b = rate(ahead(&a, 0.5 * h));
    let c = rate(ahead(&b, 0.5 * h));
    let d = rate(ahead(&c, h));
    std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]))
}

/// A baton of 2.4 m on its end, pitched by 10°, at rest.
fn baton() -> (Body, State) {
    let half = 5_f64.to_radians();
    let body = Body {
        moments: Vec3::new(0.4801, 0.4801, 2e-4),
        centre: Vec3::z() * 1.2,
    };
    (body, ([half.cos(), 0.0, half.sin(), 0.0], Vec3::zeros()))
}

#[test]
fn frozen_stages_fail_where_coupled_ones_do_not() {
    // docs/reading.md 4.2, ten seconds: gains of 29.3 and 2.27 J, over the top at 1.28 and 1.576 s, 0.189 J and never.
    let (body, start) = baton();
    for (h, gain, top) in [
        (0.01, 29.3, Some(1.28)),
        (0.001, 2.27, Some(1.576)),
        (1e-4, 0.189, None),
    ] {
        let (gained, _, over) = body.run(start, h, 10.0, Coupling::Frozen);
        println!("frozen, {h} s: {gained:+.3e} J, over the top at {over:?}");
        assert!((gained / gain - 1.0).abs() < 0.01, "{h}: {gained}");
        match (over, top) {
            (Some(over), Some(top)) => assert!((over - top).abs() < 0.02, "{h}: {over}"),
            (over, top) => assert_eq!(over, top),
        }
    }
    // Order 4 has errors of 1e-6 and 1e-10 J here; with 10 ms it is not over the top in 100 s.
    for (h, bound) in [(0.01, 6e-6), (0.001, 2e-10)] {
        let (gained, worst, over) = body.run(start, h, 10.0, Coupling::Together);
        println!("together, {h} s: {gained:+.1e} J, at most {worst:.1e} J");
        assert!(worst < bound && over.is_none(), "{h}: {worst:e} {over:?}");
    }
    let (lost, _, over) = body.run(start, 0.01, 100.0, Coupling::Together);
    println!("together, 0.01 s, 100 s: {lost:+.1e} J");
    assert!(lost.abs() < 1e-4 && over.is_none());
}

#[test]
fn frozen_stages_are_of_first_order() {
    // docs/reading.md 4.2: |ΔE| at 1.2 s is 0.320, 0.161, 0.0805, 0.0403 J for 1, ½, ¼, ⅛ ms.
    let (body, start) = baton();
    for (h, printed) in [(1e-3, 0.320), (5e-4, 0.161), (2.5e-4, 0.0805), (1.25e-4, 0.0403)] {
        let (gained, ..) = body.run(start, h, 1.2, Coupling::Frozen);
        assert!((gained / printed - 1.0).abs() < 0.01, "{h}: {gained}");
    }
}

#[test]
fn frozen_attitude_turns_the_momentum_of_the_racket() {
    // docs/reading.md 4.3: 300 s at 0.03 s; the momentum in space turns by 6.7e-2 of its size, coupled by 6.9e-5.
    let body = Body {
        moments: Vec3::new(0.080_158_7, 0.082_539_7, 0.003_968_25),
        centre: Vec3::zeros(),
    };
    let start = ([1.0, 0.0, 0.0, 0.0], Vec3::new(6.0, 0.0, 0.01));
    let run = |coupling: Coupling| {
        let (mut state, mut centre, mut worst) = (start, Vec3::zeros(), 0.0_f64);
        for _ in 0..10_000 {
            state = body.step(state, &mut centre, 0.03, coupling);
            let change = body.momentum(state) - body.momentum(start);
            worst = worst.max(change.norm() / body.momentum(start).norm());
        }
        (worst, body.energy(state) / body.energy(start) - 1.0)
    };
    let ((frozen, lost), (together, also)) = (run(Coupling::Frozen), run(Coupling::Together));
    println!(
        "racket: momentum {frozen:.2e} frozen, {together:.2e} together; energy {lost:+.2e}, {also:+.2e}"
    );
    // Two digits are printed; the flips are chaotic in their times, not in these numbers.
    assert!((frozen / 6.7e-2 - 1.0).abs() < 0.05, "{frozen:e}");
    assert!((together / 6.9e-5 - 1.0).abs() < 0.05, "{together:e}");
    assert!((lost / -1.3e-4 - 1.0).abs() < 0.05 && (also / -1.3e-4 - 1.0).abs() < 0.05);
}
