//! Equilibria of trees against closed forms, statics by hand, and motions that come to rest.
use holonomy::{
    system::Mechanism,
    tree::{Equilibrium, Seek, SettleError, Settling, Stability, Tree},
};
use holonomy_model::{self as model, Model, Source};
use std::{f64::consts::PI, fs, path::Path, sync::Arc};

const RUN: &str = "\n[method]\nname = \"tree-variational\"\n[run]\nstep = 0.01\nsteps = 10\n";

fn try_load(text: &str, overrides: &[&str]) -> Result<Model, String> {
    let mut source = Source::new("model", text);
    for given in overrides {
        source.with_override(*given);
    }
    model::load(&source).map_err(|problems| model::render(&source, &problems, false, 50))
}

fn load(text: &str, overrides: &[&str]) -> Model {
    try_load(text, overrides).unwrap_or_else(|said| panic!("{said}"))
}

fn scenario(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../scenarios")
        .join(name)
        .join("model.toml");
    fs::read_to_string(path).unwrap()
}

fn tree(model: &Model) -> Arc<Tree> {
    match &model.mechanism {
        Mechanism::Tree(tree) => tree.clone(),
        _ => panic!("not a tree"),
    }
}

fn settled(model: &Model) -> Equilibrium {
    let found = tree(model).settle(&model.state.q, &Settling::default());
    found.unwrap_or_else(|error| panic!("{error}"))
}

/// Where a falling function is zero.
fn root(mut left: f64, mut right: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (left + right);
        match f(middle) > 0.0 {
            true => left = middle,
            false => right = middle,
        }
    }
    0.5 * (left + right)
}

fn rope(segments: usize) -> String {
    // Two halves, held up by the middle: far from where they settle.
    let half = segments / 2;
    format!(
        "space = \"tree\"\ngravity = [0, 0, -9.81]\n\
         [[site]]\nname = \"left\"\nat = [0, 0, 0]\n[[site]]\nname = \"right\"\nat = [1.5, 0, 0.5]\n\
         [[cable]]\nname = \"a\"\nfrom = \"left\"\ndirection = [0.9486832980505138, 0, 0.31622776601683794]\n\
         plane = [0, -1, 0]\nsegments = {half}\nlength = 1.0\nmass = 0.1\n\
         [[cable]]\nname = \"b\"\nfrom = \"a-{half}/end\"\nto = \"right\"\nplane = [0, -1, 0]\nsegments = {half}\n\
         length = 1.0\nmass = 0.1\n{RUN}"
    )
}

#[test]
fn a_chain_settles_into_the_catenary_with_its_tensions() {
    // 2 a sinh(x/2a) = √(L² − z²); the pull has the level part w a and grows downwards from the ends.
    let (x, z, length, weight) = (1.5_f64, 0.5_f64, 2.0_f64, 0.2 * 9.81);
    let span = (length * length - z * z).sqrt();
    let a = root(0.05, 10.0, |a| 2.0 * a * (x / (2.0 * a)).sinh() - span);
    let level = weight / length * a;
    // Upward pull of the right end: w (L + z coth(x/2a)) / 2.
    let upward = weight / length * 0.5 * (length + z / (x / (2.0 * a)).tanh());
    let lowest = {
        // From the left end the arc to the lowest point is that pull less the weight, over w.
        let arc = (weight - upward) / (weight / length);
        a - (a * a + arc * arc).sqrt()
    };
    let mut errors = Vec::new();
    for n in [10, 20, 40, 80] {
        let model = load(&rope(n), &[]);
        let tree = tree(&model);
        let found = settled(&model);
        assert_eq!(found.stability, Stability::Stable, "{n}: {:?}", found.squares);
        assert!(found.residual < 1e-12, "{n}: {:e}", found.residual);
        // Two degrees of freedom fewer than links.
        assert_eq!(found.squares.len(), n - 2);
        let mut places =
            vec![holonomy::Vec3::zeros(); holonomy::system::System::layout(&*tree).drawing.bases.len()];
        holonomy::system::System::sites(&*tree, 0.0, &found.q, &mut places);
        let depth = places.iter().map(|place| place.z).fold(0.0, f64::min);
        // Rows are along and across the chord of the second half at the start, in the plane.
        let pull = found.lambda[0].hypot(found.lambda[1]);
        // Tangents of hanging links grow evenly.
        let origins = &places[places.len() - tree.len()..];
        let tangent = |pair: &[holonomy::Vec3]| (pair[1].z - pair[0].z) / (pair[1].x - pair[0].x);
        let tangents: Vec<f64> = origins.windows(2).map(tangent).collect();
        let steps: Vec<f64> = tangents.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mean = steps.iter().sum::<f64>() / steps.len() as f64;
        // Rounding of places over the length of a link, n/2, at slopes of order 10.
        for step in &steps {
            assert!((step - mean).abs() < 1e-11, "{n}: {step} {mean}");
        }
        println!(
            "{n} links: {} steps, pull {pull:.9}, depth {depth:.9}",
            found.steps
        );
        errors.push(((pull - level.hypot(upward)).abs(), (depth - lowest).abs()));
    }
    for pair in errors.windows(2) {
        let orders = ((pair[0].0 / pair[1].0).log2(), (pair[0].1 / pair[1].1).log2());
        println!("orders {orders:?}, errors {pair:?}");
        assert!((orders.0 - 2.0).abs() < 0.1, "{orders:?}");
    }
    // The lowest joint is within half a link of the lowest point, which is level: second order as well.
    assert!(errors[3].1 < 1e-3, "{errors:?}");
}

#[test]
fn the_catenary_comes_to_rest_where_it_settles() {
    let model = load(&scenario("catenary"), &["run.duration=60", "run.every=100"]);
    let found = settled(&model);
    let mut simulation = model.simulation();
    simulation.run(&model.schedule, &mut []).unwrap();
    // What is left of the motion after 60 s is 1e-11 rad; the method rests where the forces do.
    for (rests, settles) in simulation.state.q.iter().zip(&found.q) {
        assert!((rests - settles).abs() < 1e-9, "{rests} {settles}");
    }
    for (rests, settles) in simulation.state.lambda.iter().zip(&found.lambda) {
        assert!((rests - settles).abs() < 1e-9, "{rests} {settles}");
    }
    // And a run that starts there stays.
    let model = load(&scenario("catenary"), &["start=settled", "run.duration=5"]);
    let mut simulation = model.simulation();
    simulation.run(&model.schedule, &mut []).unwrap();
    for (after, before) in simulation.state.q.iter().zip(&model.state.q) {
        assert!((after - before).abs() < 1e-11, "{after} {before}");
    }
}

#[test]
fn two_strings_share_a_weight_as_by_hand() {
    // Strings at 30° and 45° to the level: T₁ cos 30° = T₂ cos 45°, T₁ sin 30° + T₂ sin 45° = m g.
    let (a, b) = (PI / 6.0, PI / 4.0);
    let text = format!(
        "space = \"tree\"\ngravity = [0, 0, -9.81]\n\
         [[body]]\nname = \"rail\"\njoint = {{ kind = \"prismatic\", axis = [1, 0, 0] }}\nmass = 0\n\
         [[body]]\nname = \"load\"\nparent = \"rail\"\njoint = {{ kind = \"prismatic\", axis = [0, 0, 1] }}\nmass = 3\n\
         position = -0.01\nsites = {{ ring = [0, 0, 0] }}\n\
         [[site]]\nname = \"left\"\nat = [{}, 0, {}]\n[[site]]\nname = \"right\"\nat = [{}, 0, {}]\n\
         [[constraint]]\nname = \"long\"\nkind = \"distance\"\nbetween = [\"left\", \"ring\"]\nlength = 2\n\
         [[constraint]]\nname = \"short\"\nkind = \"distance\"\nbetween = [\"right\", \"ring\"]\nlength = 1\n{RUN}",
        -2.0 * a.cos(),
        2.0 * a.sin(),
        b.cos(),
        b.sin()
    );
    let found = settled(&load(&text, &[]));
    let first = 3.0 * 9.81 / (a.sin() + a.cos() * b.tan());
    let second = first * a.cos() / b.cos();
    assert!(
        (found.lambda[0] - first).abs() < 1e-12 * first,
        "{:?}",
        found.lambda
    );
    assert!(
        (found.lambda[1] - second).abs() < 1e-12 * second,
        "{:?}",
        found.lambda
    );
    assert_eq!((found.stability, found.squares.len()), (Stability::Stable, 0));
}

#[test]
fn a_scissor_lift_rests_on_its_spring() {
    // Virtual work: heights of the centres are (k + ½) 5 sin θ below the base, the slider is at 5 cos θ.
    let (stiffness, rest) = (400.0, 6.0);
    let model = load(
        &scenario("scissor-lift"),
        &["body.slider.spring={stiffness=400, rest=6}"],
    );
    let slope =
        |theta: f64| -80.0 * 9.8 * theta.cos() - 5.0 * stiffness * theta.sin() * (5.0 * theta.cos() - rest);
    let found = settled(&model);
    assert_eq!(found.stability, Stability::Stable, "{:?}", found.squares);
    let theta = root(0.2, 1.5, |theta| -slope(theta));
    println!("scissor lift at {theta} rad in {} steps", found.steps);
    assert!((found.q[1] - theta).abs() < 1e-12, "{} {theta}", found.q[1]);
    assert!((found.q[0] - 5.0 * theta.cos()).abs() < 1e-12);
}

#[test]
fn an_elastic_cable_sags_as_by_hand() {
    // Two segments, half of the mass in the middle: one equation for its depth.
    let text = |n: usize| {
        format!(
            "space = \"tree\"\ngravity = [0, 0, -9.81]\n[[site]]\nname = \"a\"\nat = [0, 0, 0]\n\
             [[site]]\nname = \"b\"\nat = [1, 0, 0]\n[[cable]]\nname = \"wire\"\nfrom = \"a\"\nto = \"b\"\n\
             plane = [0, 1, 0]\nkind = \"elastic\"\nEA = 50\nsegments = {n}\nlength = 0.9\nmass = 1.2\n{RUN}"
        )
    };
    let found = settled(&load(&text(2), &[]));
    let pull = |depth: f64| {
        let long = 0.5_f64.hypot(depth);
        2.0 * 50.0 / 0.45 * (long - 0.45) * depth / long
    };
    let depth = root(0.0, 1.0, |depth| 0.6 * 9.81 - pull(depth));
    let long = 0.5_f64.hypot(depth);
    assert!((found.q[1] - (long - 0.45)).abs() < 1e-13, "{:?} {long}", found.q);
    assert_eq!(found.stability, Stability::Stable);
    // Irvine's elastic catenary: masses at the joints are the trapezoid rule, of order 2.
    let (ea, length, weight) = (50.0, 0.9, 1.2 * 9.81);
    let width = |h: f64| h * length / ea + 2.0 * h * length / weight * (weight / (2.0 * h)).asinh();
    let level = root(0.1, 100.0, |h| 1.0 - width(h));
    let sag = weight * length / (8.0 * ea)
        + level * length / weight * ((1.0 + (weight / (2.0 * level)).powi(2)).sqrt() - 1.0);
    let error = |n: usize| {
        let model = load(&text(n), &[]);
        let (tree, found) = (tree(&model), settled(&model));
        let mut places =
            vec![holonomy::Vec3::zeros(); holonomy::system::System::layout(&*tree).drawing.bases.len()];
        holonomy::system::System::sites(&*tree, 0.0, &found.q, &mut places);
        let depth = places.iter().map(|place| place.z).fold(0.0, f64::min);
        (depth + sag).abs()
    };
    let errors = [error(20), error(40), error(80)];
    println!("sag {sag}, errors {errors:?}");
    assert!((errors[1] / errors[2] - 4.0).abs() < 0.05, "{errors:?}");
}

fn pendulum(position: &str) -> String {
    format!(
        "space = \"tree\"\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"rod\"\n\
         joint = {{ kind = \"revolute\", axis = [0, 1, 0] }}\nmass = 2\nshape = \"rod\"\nto = [0, 0, -0.6]\n\
         position = \"{position}\"\n{RUN}"
    )
}

#[test]
fn minima_and_saddles_are_told_apart_by_the_squares_of_frequencies() {
    // A rod about its end: ω² = 3 g / 2 l.
    let square = 1.5 * 9.81 / 0.6;
    for position in ["40 deg", "180 deg", "179 deg"] {
        let model = load(&pendulum(position), &[]);
        let found = settled(&model);
        assert!(
            found.q[0].rem_euclid(2.0 * PI).sin().abs() < 1e-13,
            "{position}: {found:?}"
        );
        assert_eq!(found.stability, Stability::Stable, "{position}");
        // Central differences of step 1e-5: 1e-10.
        assert!((found.squares[0] / square - 1.0).abs() < 1e-9, "{found:?}");
        assert!((found.energy + 2.0 * 9.81 * 0.3).abs() < 1e-12);
    }
    let nearest = Settling {
        seek: Seek::Nearest,
        ..Settling::default()
    };
    let model = load(&pendulum("170 deg"), &[]);
    let found = tree(&model).settle(&model.state.q, &nearest).unwrap();
    assert!((found.q[0] - PI).abs() < 1e-13, "{found:?}");
    assert_eq!(found.stability, Stability::Unstable);
    assert!((found.squares[0] / square + 1.0).abs() < 1e-9, "{found:?}");
}

#[test]
fn a_ball_joint_is_free_to_spin() {
    let text = format!(
        "space = \"tree\"\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"bell\"\njoint = {{ kind = \"spherical\" }}\n\
         mass = 1\ncentre = [0, 0, -0.4]\ninertia = [0.02, 0.02, 0.01]\n\
         orientation = {{ axis = [1, 0.3, 0.2], angle = 2.0 }}\n{RUN}"
    );
    let found = settled(&load(&text, &[]));
    assert_eq!(found.stability, Stability::Neutral, "{:?}", found.squares);
    assert!((found.energy + 0.4 * 9.81).abs() < 1e-12, "{found:?}");
    let square = 9.81 * 0.4 / (0.02 + 0.16);
    assert!((found.squares[2] / square - 1.0).abs() < 1e-8, "{found:?}");
}

#[test]
fn what_nothing_holds_is_named() {
    let free = format!(
        "space = \"tree\"\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"stone\"\njoint = {{ kind = \"free\" }}\nmass = 1\n\
         inertia = [1, 1, 1]\n{RUN}"
    );
    let wheel = format!(
        "space = \"tree\"\n[[body]]\nname = \"wheel\"\njoint = {{ kind = \"revolute\", axis = [0, 1, 0] }}\nmass = 1\n\
         inertia = [1, 1, 1]\neffort = \"2\"\n{RUN}"
    );
    for (text, expected) in [(free, "position.stone.z"), (wheel, "theta.wheel")] {
        let model = load(&text, &[]);
        let error = tree(&model)
            .settle(&model.state.q, &Settling::default())
            .unwrap_err();
        let coordinate = expected.to_owned();
        assert_eq!(error, SettleError::NotHeld { coordinate });
        let said = try_load(&text, &["start=settled"]).err().unwrap();
        assert!(
            said.contains("nothing holds") && said.contains(expected),
            "{said}"
        );
    }
}

#[test]
fn forces_without_potential_are_balanced_too() {
    // A motor of 3 N m on the rod: m g (l/2) sin θ = 3; a level force at its end: tan θ = 2 F / m g.
    let model = load(&pendulum("10 deg"), &["body.rod.effort=3"]);
    let found = settled(&model);
    let theta = (3.0_f64 / (2.0 * 9.81 * 0.3)).asin();
    assert!((found.q[0] - theta).abs() < 1e-13, "{found:?} {theta}");
    let pushed = format!(
        "{}\n[[wrench]]\nbody = \"rod\"\nat = [0, 0, -0.6]\nforce = [4, 0, 0]\n",
        pendulum("10 deg")
    );
    let found = settled(&load(&pushed, &[]));
    let theta = -(2.0 * 4.0 / (2.0 * 9.81_f64)).atan();
    assert!((found.q[0] - theta).abs() < 1e-13, "{found:?} {theta}");
    // A force that turns with the rod, always across it: F l = m g (l/2) sin θ.
    let follows = pushed.replace("force = [4, 0, 0]", "force = [4, 0, 0]\nframe = \"body\"");
    let found = settled(&load(&follows, &[]));
    let theta = -(2.0 * 4.0 / (2.0 * 9.81_f64)).asin();
    assert!((found.q[0] - theta).abs() < 1e-12, "{found:?} {theta}");
}

#[test]
fn where_everything_is_driven_there_is_nothing_to_balance() {
    let text = format!(
        "space = \"tree\"\nstart = \"settled\"\n[[body]]\nname = \"cam\"\nmass = 1\ndriven = \"1 + t\"\n\
         joint = {{ kind = \"prismatic\", axis = [0, 0, 1] }}\nsites = {{ pin = [0, 0, 0] }}\n\
         [[site]]\nname = \"peg\"\nat = [0, 0, 0]\n\
         [[constraint]]\nname = \"rod\"\nkind = \"distance\"\nbetween = [\"peg\", \"pin\"]\nlength = \"1 + t\"\n{RUN}"
    );
    let model = load(&text, &[]);
    assert_eq!(model.state.q, [1.0]);
    let wrong = try_load(&text, &["constraint.rod.length=1.5"]).err().unwrap();
    assert!(wrong.contains("`rod` cannot be met"), "{wrong}");
}

#[test]
fn what_is_kept_stays_and_the_rest_settles() {
    // The upper rod is held at 50°; the lower hangs straight down.
    let text = format!(
        "space = \"tree\"\nstart = \"settled\"\ngravity = [0, 0, -9.81]\n\
         [[body]]\nname = \"upper\"\njoint = {{ kind = \"revolute\", axis = [0, 1, 0] }}\nmass = 1\nshape = \"rod\"\n\
         to = [0, 0, -1]\nposition = \"50 deg\"\nkeep = true\n\
         [[body]]\nname = \"lower\"\nparent = \"upper\"\n\
         joint = {{ kind = \"revolute\", axis = [0, 1, 0], at = [0, 0, -1] }}\nmass = 1\nshape = \"rod\"\n\
         to = [0, 0, -1]\n{RUN}"
    );
    let q = load(&text, &[]).state.q;
    let held = 50.0_f64.to_radians();
    assert!(
        (q[0] - held).abs() < 1e-15 && (q[1] + held).abs() < 1e-13,
        "{q:?}"
    );
}

/// A ring that moves in a vertical plane, on strings from two points; each may go slack.
fn ring(lengths: [f64; 2], at: [f64; 2], pull: f64) -> Model {
    let string = |name: &str, from: &str, length: f64| {
        format!(
            "[[constraint]]\nname = \"{name}\"\nkind = \"cable\"\nthrough = [\"{from}\", \"ring\"]\n\
             length = {length}\nslack = true\n"
        )
    };
    let text = format!(
        "space = \"tree\"\ngravity = [{pull}, 0, -9.81]\n\
         [[site]]\nname = \"left\"\nat = [-1, 0, 0]\n[[site]]\nname = \"right\"\nat = [1, 0, 0]\n\
         [[body]]\nname = \"x\"\njoint = {{ kind = \"prismatic\", axis = [1, 0, 0] }}\nmass = 0\nposition = {}\n\
         [[body]]\nname = \"z\"\nparent = \"x\"\njoint = {{ kind = \"prismatic\", axis = [0, 0, 1] }}\nmass = 2\n\
         position = {}\nsites = {{ ring = [0, 0, 0] }}\n{}{}{RUN}",
        at[0],
        at[1],
        string("a", "left", lengths[0]),
        string("b", "right", lengths[1])
    );
    load(&text, &[])
}

#[test]
fn what_hangs_on_strings_settles_with_those_taut_that_carry_it() {
    let weight = 2.0 * 9.81;
    // Both carry it, from above where both are slack: a triangle with sides 2, 1.3 and 1.3.
    let both = settled(&ring([1.3, 1.3], [0.2, -0.1], 0.0));
    let depth = (1.69_f64 - 1.0).sqrt();
    let tension = 0.5 * weight * 1.3 / depth;
    // Newton's method ends at rounding of forces of this size.
    assert!(
        (both.q[0]).abs() < 1e-12 && (both.q[1] + depth).abs() < 1e-12,
        "{:?}",
        both.q
    );
    assert!(
        both.lambda.iter().all(|t| (t - tension).abs() < 1e-11),
        "{:?}",
        both.lambda
    );
    assert!(both.squares.is_empty() && both.stability == Stability::Stable);
    // The right one is too long to do anything: below the left end, and swinging as a pendulum.
    for start in [[0.0, -0.2], [-0.3, -1.9]] {
        let one = settled(&ring([1.3, 4.0], start, 0.0));
        assert!(
            (one.q[0] + 1.0).abs() < 1e-12 && (one.q[1] + 1.3).abs() < 1e-12,
            "{:?}",
            one.q
        );
        assert!(
            (one.lambda[0] - weight).abs() < 1e-11 && one.lambda[1] == 0.0,
            "{:?}",
            one.lambda
        );
        assert!((one.squares[0] - 9.81 / 1.3).abs() < 1e-12, "{:?}", one.squares);
    }
    // Both are as long as they can be at the start, and the wind slackens the left one.
    let blown = settled(&ring([1.3, 1.3], [0.0, -depth], 30.0));
    let force = (30.0_f64.powi(2) + 9.81 * 9.81).sqrt();
    let there = [1.0 + 1.3 * 30.0 / force, -1.3 * 9.81 / force];
    let off = (0..2).map(|k| (blown.q[k] - there[k]).abs()).fold(0.0, f64::max);
    // It would be too far for the left one: then that one holds it back.
    let far = (there[0] + 1.0).hypot(there[1]);
    assert!(far > 1.3 && off > 0.1, "{off}");
    assert!(
        blown.lambda[0] > 0.0 || blown.lambda[1] > 0.0,
        "{:?}",
        blown.lambda
    );
    for (k, end) in [-1.0, 1.0].into_iter().enumerate() {
        let long = (blown.q[0] - end).hypot(blown.q[1]);
        assert!(long < 1.3 + 1e-12, "{long}");
        // λ ≥ 0, g ≤ 0, λ g = 0.
        assert!(blown.lambda[k] >= 0.0 && blown.lambda[k] * (1.3 - long) < 1e-11);
    }
    // Blown to the right, on the left one alone: along the wind from its end.
    let way = [blown.q[0] + 1.0, blown.q[1]];
    assert!(
        (way[0] * 9.81 + way[1] * 30.0).abs() < 1e-10,
        "{:?} {:?}",
        blown.q,
        blown.lambda
    );
}
