use super::*;
use holonomy_model::{Source, load};
use std::fmt::Write;

fn model(text: &str) -> Model {
    load(&Source::new("test".to_owned(), text.to_owned())).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn linear(text: &str, place: Place) -> Linearization {
    Linearization::new(&model(text), "test", place, &mut |_, _| true)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn scenario(name: &str) -> Model {
    let scenario = holonomy_model::scenario::find(name).expect("a scenario");
    load(&scenario.source()).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// A chain of n point masses in a plane, hanging.
fn chain(n: usize, step: f64) -> String {
    let mut text = String::from("space = \"tree\"\ngravity = [0, 0, -9.81]\n");
    for k in 0..n {
        let on = match k {
            0 => String::new(),
            _ => format!("parent = \"link-{}\"\n", k - 1),
        };
        let place = if k == 0 { "[0, 0, 0]" } else { "[0, 0, -1]" };
        let _ = write!(
            text,
            "[[body]]\nname = \"link-{k}\"\n{on}joint = {{ kind = \"revolute\", axis = [0, 1, 0], at = {place} }}\n\
             mass = 1\ncentre = [0, 0, -1]\ninertia = [0, 0, 0]\n"
        );
    }
    let _ = write!(
        text,
        "[method]\nname = \"tree-variational\"\n[run]\nstep = {step}\nsteps = 10\n"
    );
    text
}

/// The zeros of the Laguerre polynomial of degree n, by bisection of its recurrence from the Newton sums of signs.
fn laguerre(n: usize) -> Vec<f64> {
    let at = |x: f64| {
        let (mut before, mut now) = (1.0, 1.0 - x);
        for k in 1..n {
            let k = k as f64;
            let next = ((2.0 * k + 1.0 - x) * now - k * before) / (k + 1.0);
            (before, now) = (now, next);
        }
        now
    };
    let mut zeros = Vec::new();
    let width = 0.01;
    let mut x = 0.0;
    while zeros.len() < n {
        let (mut low, mut high) = (x, x + width);
        x = high;
        if at(low) * at(high) > 0.0 {
            continue;
        }
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            match at(low) * at(middle) <= 0.0 {
                true => high = middle,
                false => low = middle,
            }
        }
        zeros.push(0.5 * (low + high));
    }
    zeros
}

/// ω²ℓ/g of a hanging chain are the zeros of a Laguerre polynomial: golden numbers of `derivatives.md`.
#[test]
fn a_hanging_chain_swings_with_the_zeros_of_laguerre() {
    let zeros = laguerre(10);
    assert!((zeros[0] - 0.137793470540).abs() < 1e-12 && (zeros[1] - 0.729454549503).abs() < 1e-12);
    let found = linear(&chain(10, 0.05), Place::Start);
    assert!(found.equilibrium && found.cayley, "{found:?}");
    let mut squares: Vec<f64> = (found.poles.iter())
        .filter(|pole| pole.im > 0.0)
        .map(|pole| pole.im * pole.im / 9.81)
        .collect();
    squares.sort_by(f64::total_cmp);
    // Of the step, whose images they are: for the digits that rounding leaves, see the multipliers.
    let mut images: Vec<f64> = (found.multipliers.iter())
        .filter(|found| found.im > 0.0)
        .map(|found| found.cayley_im * found.cayley_im / 9.81)
        .collect();
    images.sort_by(f64::total_cmp);
    for ((zero, square), image) in zeros.iter().zip(&squares).zip(&images) {
        assert!((square / zero - 1.0).abs() < 1e-10, "{zero} {square}");
        let tolerance = if found.exact { 1e-11 } else { 1e-9 };
        assert!((image / zero - 1.0).abs() < tolerance, "{zero} {image}");
    }
    for multiplier in &found.multipliers {
        let tolerance = if found.exact { 1.4e-14 } else { 1e-11 };
        assert!((multiplier.modulus - 1.0).abs() < tolerance, "{multiplier:?}");
    }
}

/// The benchmark bicycle of Meijaard, Papadopoulos, Ruina & Schwab (2007) at 5 m/s.
pub(crate) const BICYCLE: &str = r#"
space = "lagrangian"
coordinates = ["lean", "steer"]
lagrangian = "0.5*80.81722*lean'^2 + 2.31941332208709*lean'*steer' + 0.5*0.29784188199686*steer'^2 - 9.81*(-0.5*80.95*lean^2 - 2.59951685249872*lean*steer - 0.5*0.80329488458618*steer^2)"
[parameters]
v = 5
[force]
lean = "-v*33.86641391492494*steer' - v^2*76.59734589573222*steer"
steer = "v*0.85035641456978*lean' - v*1.68540397397560*steer' - v^2*2.65431523794604*steer"
[start]
lean = 0
steer = 0
[[input]]
name = "torque"
on = "steer"
scale = 2
[output]
record = ["lean", "steer'"]
[method]
name = "midpoint"
[run]
step = 0.01
duration = 5
"#;

#[test]
fn the_benchmark_bicycle_has_its_published_eigenvalues() {
    let found = linear(BICYCLE, Place::Start);
    assert!(
        found.equilibrium && found.cayley && !found.is_unstable(),
        "{found:?}"
    );
    let near = |re: f64, im: f64| {
        found
            .poles
            .iter()
            .any(|pole| (pole.re - re).abs() < 1e-8 && (pole.im - im).abs() < 1e-8)
    };
    // Eight digits are printed.
    assert!(
        near(-0.77534188, 4.46486771) && near(-0.32286643, 0.0) && near(-14.07838969, 0.0),
        "{:?}",
        found.poles
    );
    // C reads what it says: lean is the first coordinate, and the rate of steering is M⁻¹ p.
    let c = &found.discrete.c;
    assert!((c[0][0] - 1.0).abs() < 1e-12 && c[0][1..].iter().all(|x| x.abs() < 1e-12));
    let (a, b, d) = (80.81722, 2.31941332208709, 0.29784188199686);
    let inverse = a / (a * d - b * b);
    assert!((c[1][3] / inverse - 1.0).abs() < 1e-11, "{c:?}");
}

/// A and B foresee where a step leads that is pushed by the input, to second order.
#[test]
fn matrices_foresee_a_step_that_is_pushed() {
    let text = "space = \"lagrangian\"\ncoordinates = [\"a\", \"b\"]\n\
        lagrangian = \"0.5*a'^2 + 0.5*b'^2 + cos(a - b)*a'*b'*0.3 + cos(a) + cos(b)\"\n[start]\na = 0.4\nb = -0.2\n\
        [velocity]\na = 0.3\n[[input]]\nname = \"push\"\non = \"b\"\nscale = 3\n[method]\nname = \"midpoint\"\n[run]\nstep = 0.1\nsteps = 5\n";
    let model = model(text);
    let found = Linearization::new(&model, "test", Place::Start, &mut |_, _| true).expect("matrices");
    assert!(!found.equilibrium);
    let mut flow = Flow::new(model.mechanism.clone(), model.integrator(), 0.1);
    let change = [1e-4, -2e-4, 3e-4, 1e-4];
    let input = 5e-4;
    let moved = found
        .minimal
        .moved(&model.mechanism, &found.state, &change)
        .expect("a state");
    let half = 0.5 * 0.1 * 3.0 * input;
    let mut pushed = moved;
    pushed.p[1] += half;
    let mut end = flow.step(&pushed).expect("a step");
    end.p[1] += half;
    let plain = flow.step(&found.state).expect("a step");
    let way = found.minimal.apart(&*flow.system, &plain, &end);
    for i in 0..4 {
        let row = &found.discrete.a[i];
        let foreseen: f64 =
            row.iter().zip(&change).map(|(a, z)| a * z).sum::<f64>() + found.discrete.b[i][0] * input;
        // The second order of changes of 5e-4.
        assert!(
            (way[i] - foreseen).abs() < 2e-6 && foreseen.abs() > 5e-5,
            "{i}: {} {foreseen}",
            way[i]
        );
        assert!(
            (way[i] - foreseen).abs() < 0.01 * foreseen.abs(),
            "{i}: {} {foreseen}",
            way[i]
        );
    }
}

/// Under constraints there are as many modes as degrees of freedom, with the frequencies that `settle` finds otherwise.
#[test]
fn loops_have_minimal_coordinates() {
    for name in [
        "four-bar",
        "stewart-platform",
        "slider-crank",
        "catenary",
        "puppet",
    ] {
        let model = scenario(name);
        let Mechanism::Tree(tree) = &model.mechanism else {
            panic!("{name} is a tree")
        };
        let settled = tree
            .settle(&model.state.q, &Settling::default())
            .expect("an equilibrium");
        let found = Linearization::new(&model, name, Place::Settled, &mut |_, _| true).expect(name);
        assert_eq!(found.states.len(), 2 * settled.squares.len(), "{name}");
        assert!(found.equilibrium, "{name}: {}", found.distance);
        // Π s = det M⁻¹K, whatever brakes; the stiffness of `settle` is taken by differences of second order.
        let poles: f64 = found
            .poles
            .iter()
            .map(|pole| math::hypot(pole.re, pole.im))
            .product();
        let squares: f64 = settled.squares.iter().product();
        assert!((poles / squares - 1.0).abs() < 1e-6, "{name}: {poles} {squares}");
    }
}

/// A pendulum in motion is no equilibrium, and its exponents are none; what is found from it hangs down.
#[test]
fn a_start_that_is_no_equilibrium_is_said_to_be_none() {
    let model = scenario("plane-pendulum");
    let at = |place| Linearization::new(&model, "p", place, &mut |_, _| true).expect("matrices");
    assert!(!at(Place::Start).equilibrium);
    let settled = at(Place::Settled);
    assert!(settled.equilibrium && settled.q[0].abs() < 1e-12);
    assert!((settled.poles[0].im.abs() - 9.81_f64.sqrt()).abs() < 1e-10);
    let early = Linearization::new(&model, "p", Place::At(-1.0), &mut |_, _| true);
    assert_eq!(early.err(), Some(LinearizeError::Before(-1.0)));
}

/// Volume is kept, and exponents come in pairs; a pendulum that swings has none.
#[test]
fn exponents_come_in_pairs() {
    let model = scenario("plane-pendulum")
        .with("run.duration", 100.0)
        .expect("a model");
    let found = Spectrum::new(&model, &mut |_, _| true).expect("exponents");
    assert!(found.sum.abs() < 1e-9, "{found:?}");
    // ln t / t of a regular motion, as in `diagnostics::growth`.
    assert!(
        found.exponents[0].abs() < 2.0 * 100.0_f64.ln() / 100.0,
        "{found:?}"
    );
}
