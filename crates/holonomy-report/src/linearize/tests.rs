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
        // Π s = det M⁻¹K, whatever brakes; the poles are those of differences, whose rounding counts most in slow ones.
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
    // More steps than a month has time for: said at once.
    let late = Linearization::new(&model, "p", Place::At(1e300), &mut |_, _| true);
    assert_eq!(late.err(), Some(LinearizeError::Far(1e300)));
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

/// A wheel on six joints of its own: three places of its centre, then yaw, lean and turn.
fn carried(name: &str, height: f64, speed: f64, wheel: &str) -> String {
    let joint = |name: &str, parent: &str, kind: &str, axis: [i32; 3], rest: &str| {
        let parent = if parent.is_empty() {
            String::new()
        } else {
            format!("parent = \"{parent}\"\n")
        };
        format!(
            "[[body]]\nname = \"{name}\"\n{parent}joint = {{ kind = \"{kind}\", axis = {axis:?} }}\n{rest}\n"
        )
    };
    let none = "mass = 0";
    [
        "space = \"tree\"\ngravity = [0, 0, -9.81]\n[[site]]\nname = \"floor\"\nat = [0, 0, 0]\n".to_owned(),
        joint(
            "x",
            "",
            "prismatic",
            [1, 0, 0],
            &format!("{none}\nvelocity = {speed}"),
        ),
        joint("y", "x", "prismatic", [0, 1, 0], none),
        joint(
            "z",
            "y",
            "prismatic",
            [0, 0, 1],
            &format!("{none}\nposition = {height}"),
        ),
        joint("yaw", "z", "revolute", [0, 0, 1], none),
        joint("lean", "yaw", "revolute", [1, 0, 0], none),
        joint(name, "lean", "revolute", [0, 1, 0], wheel),
    ]
    .concat()
}

fn rolls(body: &str, radius: f64) -> String {
    format!(
        "[[constraint]]\nname = \"{body}-rolls\"\nkind = \"rolling\"\nsite = \"{body}/centre\"\naxis = [0, 1, 0]\n\
         radius = {radius}\non = \"floor\"\nnormal = [0, 0, 1]\n"
    )
}

const STEPS: &str = "[method]\nname = \"tree-variational\"\n[run]\nstep = 0.001\nsteps = 10\n";

/// A thin uniform disk rolls upright: `(m r²/4 + m r²) θ̈ = (m g r − (m r²/2 + m r²)(2 v/r)(v/r)) θ`, stable for v² > g r/3.
#[test]
fn a_disk_rolls_upright_where_it_is_fast_enough() {
    let r = 0.5;
    for speed in [0.9, 1.27, 1.29, 1.8] {
        let own = format!(
            "mass = 1.2\ninertia = [0.075, 0.15, 0.075]\nvelocity = {}\nsites = {{ centre = [0, 0, 0] }}",
            speed / r
        );
        let text = carried("disk", r, speed, &own) + &rolls("disk", r) + STEPS;
        let found = linear(&text, Place::Start);
        // Six coordinates less the height, and three velocities.
        assert_eq!((found.states.len(), found.exact), (8, true), "{:?}", found.states);
        assert!(found.symplectic_defect.is_none());
        let square: f64 = 0.8 * (9.81 / r - 3.0 * (speed / r).powi(2));
        assert_eq!(square < 0.0, speed * speed > 9.81 * r / 3.0);
        let size = square.abs().sqrt();
        let wanted = if square < 0.0 { [0.0, size] } else { [size, 0.0] };
        let near = |re: f64, im: f64| math::hypot(re - wanted[0], im - wanted[1]);
        let pole = found
            .poles
            .iter()
            .map(|pole| near(pole.re, pole.im))
            .fold(f64::INFINITY, f64::min);
        // Differences of order 6 of accelerations of some tens.
        assert!(pole < 1e-8, "{speed}: {pole:e} {:?}", found.poles);
        // Those of the step are its images but for the second order: (h s)²/12 of s, and as much for the motion.
        let images = found
            .multipliers
            .iter()
            .map(|found| near(found.cayley_re, found.cayley_im));
        let image = images.fold(f64::INFINITY, f64::min);
        assert!(image < 1e-4, "{speed}: {image:e}");
        let largest = found
            .multipliers
            .iter()
            .map(|found| found.modulus)
            .fold(0.0, f64::max);
        // A step back undoes a step, so that what does not grow stays: but for the square root of rounding, where
        // multipliers of one are not simple.
        assert_eq!(largest > 1.0 + 1e-6, square > 0.0, "{speed}: {largest}");
    }
}

/// The Whipple bicycle as bodies that roll: eigenvalues at 5 m/s of the benchmark of Meijaard, Papadopoulos, Ruina and
/// Schwab (2007), whose parameters these are, with z upwards.
#[test]
fn a_bicycle_has_the_published_eigenvalues() {
    let speed = 5.0;
    let (s, c) = (std::f64::consts::PI / 10.0).sin_cos();
    let frame = "mass = 85\ncentre = [0.3, 0, 0.6]\ninertia = [[9.2, 0, -2.4], [0, 11, 0], [-2.4, 0, 2.8]]";
    let mut text = carried("frame", 0.3, speed, frame);
    let wheel = |name: &str, parent: &str, at: &str, mass: f64, inertia: [f64; 3], radius: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nparent = \"{parent}\"\n\
             joint = {{ kind = \"revolute\", axis = [0, 1, 0], at = {at} }}\nmass = {mass}\ninertia = {inertia:?}\n\
             velocity = {}\nsites = {{ centre = [0, 0, 0] }}\n",
            speed / radius
        )
    };
    text += &wheel("rear", "frame", "[0, 0, 0]", 2.0, [0.0603, 0.12, 0.0603], 0.3);
    // The steering axis meets the ground 8 cm ahead of the front wheel.
    let _ = write!(
        text,
        "[[body]]\nname = \"fork\"\nparent = \"frame\"\n\
         joint = {{ kind = \"revolute\", axis = [{}, 0, {c}], at = [1.1, 0, -0.3] }}\nmass = 4\ncentre = [-0.2, 0, 0.7]\n\
         inertia = [[0.05892, 0, 0.00756], [0, 0.06, 0], [0.00756, 0, 0.00708]]\n",
        -s
    );
    text += &wheel(
        "front",
        "fork",
        "[-0.08, 0, 0.35]",
        3.0,
        [0.1405, 0.28, 0.1405],
        0.35,
    );
    let text = text + &rolls("rear", 0.3) + &rolls("front", 0.35) + STEPS;
    let found = linear(&text, Place::Start);
    // Nine joints, two heights, and three ways to move.
    assert_eq!(found.states.len(), 7 + 3, "{:?}", found.states);
    // As printed, to eight decimals.
    for (re, im) in [
        (-0.775_341_88, 4.464_867_71),
        (-0.322_866_43, 0.0),
        (-14.078_389_69, 0.0),
    ] {
        let off = |pole: &Pole| math::hypot(pole.re - re, pole.im - im);
        let near = found.poles.iter().map(off).fold(f64::INFINITY, f64::min);
        // Differences, 1e-12 of accelerations of hundreds, over what tells the eigenvalues apart.
        assert!(near < 2e-8, "{re} {im}: {:?}", found.poles);
    }
}

/// A mass matrix that varies, a magnetic term and drag, moving: what is exact against differences of the right-hand side.
#[test]
fn the_matrix_of_the_equations_of_motion_is_exact() {
    let text = "space = \"lagrangian\"\ncoordinates = [\"x\", \"y\"]\n\
        lagrangian = \"0.5*(1 + 0.3*sin(y)^2)*x'^2 + 0.7*y'^2 + 0.1*x'*y' + 0.4*x*y' - 0.5*x^2 - cos(y) + 0.2*x*y^2\"\n\
        [force]\nx = \"-0.1*x'*y\"\ny = \"-0.3*y'^3\"\n[start]\nx = 0.4\ny = 0.7\n[velocity]\nx = 0.5\ny = -0.8\n\
        [method]\nname = \"midpoint\"\n[run]\nstep = 0.01\nsteps = 10\n";
    let model = holonomy_model::load(&holonomy_model::Source::new("m".to_owned(), text.to_owned()));
    let model = model.unwrap_or_else(|problems| panic!("{problems:?}"));
    let flow = Flow::new(model.mechanism.clone(), model.integrator(), 0.01);
    assert!(flow.continuous_is_exact());
    let minimal = Minimal::at(&model.mechanism, &model.state).expect("coordinates");
    let exact = flow.continuous(&model.state, &minimal).expect("a matrix");
    let differences = flow
        .continuous_by_differences(&model.state, &minimal)
        .expect("a matrix");
    let off = (&exact - &differences).amax();
    // Rounding of two differences of order 6, over offsets of 1e-3 and 5e-3.
    assert!(off < 1e-10 && exact.amax() > 0.5, "{off:e}");
}

/// The tension of a rod answers to a push at once: by the sine of its angle. So does the force in a joint: of a rod that
/// hangs from a cart, (m/4)/(M + m/4) of the push.
#[test]
fn what_forces_answer_to_an_input_at_once_is_in_d() {
    let bob = |motor: &str| {
        format!(
            "coordinates = [\"x\", \"y\"]\nlagrangian = \"0.5*(x'^2 + y'^2) - 9.81*y\"\n\
             [[constraint]]\nname = \"rod\"\nformula = \"sqrt(x^2 + y^2) - 1\"\n\
             [start]\nx = 0.6\ny = -0.8\n\
             [[input]]\nname = \"push\"\non = \"x\"\nscale = 2\n{motor}\n\
             [method]\nname = \"midpoint\"\n[run]\nstep = 0.01\nsteps = 10\n\
             [output]\nrecord = [\"lambda.rod\", \"x\", \"y'\"]\n"
        )
    };
    // What the input does by itself already changes nothing of that: the force is affine in it.
    for motor in ["", "value = \"3 + t\"\nfeedback = [{ of = \"x\", gain = -5 }]"] {
        for place in [Place::Start, Place::At(0.05)] {
            let found = linear(&bob(motor), place);
            let d = &found.discrete.d;
            // Tensions of some ten newtons, to rounding.
            assert!((d[0][0] - 2.0 * found.q[0]).abs() < 1e-13, "{d:?} {:?}", found.q);
            assert_eq!((d[1][0], d[2][0]), (0.0, 0.0));
            assert_eq!(found.discrete.d, found.continuous.d);
        }
    }
    let cart = linear(
        "space = \"tree\"\ngravity = [0, 0, -9.81]\nstart = \"settled\"\n\
         [[body]]\nname = \"cart\"\njoint = { kind = \"prismatic\", axis = [1, 0, 0] }\nmass = 2\nspring = { stiffness = 9 }\n\
         [[body]]\nname = \"pole\"\nparent = \"cart\"\njoint = { kind = \"revolute\", axis = [0, 1, 0] }\nmass = 1\n\
         shape = \"rod\"\nto = [0, 0, -0.7]\nposition = 0.4\nsites = { tip = [0, 0, -0.7] }\n\
         [[input]]\nname = \"push\"\non = \"cart\"\n\
         [method]\nname = \"tree-variational\"\n[run]\nstep = 0.01\nsteps = 10\n\
         [output]\nrecord = [\"pole.force\", \"cart.effort\", \"tip.velocity\"]\n",
        Place::Start,
    );
    let d: Vec<f64> = cart.discrete.d.iter().map(|row| row[0]).collect();
    let wanted = [1.0 / 9.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    for (d, wanted) in d.iter().zip(wanted) {
        assert!((d - wanted).abs() < 1e-13, "{d} {wanted}");
    }
}

/// An input on a ball joint does nothing by itself in a run: what its force does to that of the joint is not known, and
/// what cannot answer is zero nevertheless.
#[test]
fn what_is_not_known_of_d_is_no_number() {
    let found = linear(
        "space = \"tree\"\ngravity = [0, 0, -9.81]\n\
         [[body]]\nname = \"bob\"\njoint = { kind = \"spherical\" }\nmass = 1\ncentre = [0, 0, -1]\ninertia = [0.1, 0.1, 0.1]\n\
         sites = { tip = [0, 0, -1] }\n\
         [[input]]\nname = \"twist\"\non = \"omega.bob.x\"\n\
         [method]\nname = \"tree-variational\"\n[run]\nstep = 0.01\nsteps = 10\n\
         [output]\nrecord = [\"bob.force.x\", \"tip.x\"]\n",
        Place::Start,
    );
    assert!(found.discrete.d[0][0].is_nan() && found.discrete.d[1][0] == 0.0);
    assert_eq!(found.unknown(), ["twist"]);
    assert!(found.to_json().contains("null"));
}

/// Of an eigenvalue that is exact to the last bit the shifted matrix is singular: its mode is one of the matrix all the same.
#[test]
fn modes_of_exact_poles_are_those_of_the_matrix() {
    let found = linear(
        "coordinates = [\"a\", \"b\"]\nlagrangian = \"0.5*a'^2 + 0.5*b'^2 - 9.81*cos(b)\"\n[start]\na = 0\nb = 0\n\
         [method]\nname = \"midpoint\"\n[run]\nstep = 0.02\nsteps = 10\n",
        Place::Start,
    );
    for pole in found.poles.iter().filter(|pole| pole.re != 0.0) {
        assert!((pole.re.abs() - 9.81_f64.sqrt()).abs() < 1e-14);
        // a and b know nothing of each other: to rounding over the distance of the other poles.
        assert!(
            math::hypot(pole.shape[0][0], pole.shape[0][1]) < 1e-14,
            "{pole:?}"
        );
        assert_eq!(pole.shape[1], [1.0, 0.0]);
        assert_eq!(found.largest(pole), "b");
    }
}

#[test]
fn what_is_too_large_for_matrices_is_refused() {
    let error = Linearization::new(
        &scenario("ten-thousand-molecules"),
        "m",
        Place::Start,
        &mut |_, _| true,
    )
    .err();
    assert!(matches!(error, Some(LinearizeError::Large { .. })), "{error:?}");
}
