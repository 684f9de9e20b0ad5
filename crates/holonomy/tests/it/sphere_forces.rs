//! Dampers and forces without potential on spheres, against closed forms and Lagrangians in angles.
use holonomy::{
    diagnostics::{observed_order, reversal_error},
    integrator::{Integrator, catalog},
    math,
    system::{Measurement, Mechanism, State},
};
use holonomy_model::{Model, Source, load};

fn model(text: &str) -> Model {
    let source = Source::new("model.toml", text);
    load(&source)
        .unwrap_or_else(|problems| panic!("{}", holonomy_model::render(&source, &problems, false, 9)))
}

fn method(name: &str, model: &Model) -> Box<dyn Integrator> {
    catalog::find(name).unwrap().build(&model.mechanism).unwrap()
}

fn after(name: &str, model: &Model, time: f64, steps: u32) -> State {
    let (mut state, mut method) = (model.state.clone(), method(name, model));
    for _ in 0..steps {
        method.step(&mut state, time / f64::from(steps)).unwrap();
    }
    state
}

/// `I ω' = −c ω`: it turns by `ω₀ I/c (1 − e^(−ct/I))`, and all of its energy goes into the damper.
#[test]
fn a_body_that_turns_in_oil_comes_to_rest_where_it_should() {
    let (inertia, c, omega, time) = (0.5, 0.4, 3.0, 2.0);
    let text = format!(
        "space = 'spheres'\n[[body]]\nname = 'bob'\nmass = 0.5\ndirection = [1, 0, 0]\nangular_velocity = [0, 0, {omega}]\n\
         [[damper]]\ndamping = {c}\n[method]\nname = 'sphere-explicit'\n[run]\nstep = 0.1\nduration = 2\n"
    );
    let model = model(&text);
    let left = math::exp(-c * time / inertia);
    let angle = omega * inertia / c * (1.0 - left);
    for name in ["sphere-explicit", "sphere-implicit", "sphere-split"] {
        let steps = [40, 80, 160];
        let errors = steps.map(|steps| {
            let state = after(name, &model, time, steps);
            let direction = (state.q[0] - math::cos(angle)).abs() + (state.q[1] - math::sin(angle)).abs();
            direction + (state.p[2] - inertia * omega * left).abs()
        });
        let order = observed_order(&steps.map(|n| 1.0 / f64::from(n)), &errors);
        assert!((order - 2.0).abs() < 0.1, "{name}: {order}, {errors:?}");
        // What impulses take from the kinetic energy is counted to rounding, and nothing else changes it here but for
        // steps that are no great circles.
        let state = after(name, &model, time, 160);
        let mut measured = Measurement::default();
        let system = model.mechanism.system();
        system.measure(&state, &mut measured, &mut system.scratch());
        let lost = 0.5 * inertia * omega * omega - measured.energy.total();
        assert!(
            (lost + state.work[0]).abs() < 1e-13,
            "{name}: {lost}, {:?}",
            state.work
        );
    }
}

/// Two links in a plane: dampers at the pivot and in the joint, drag at the lower tip, and a push that depends on time.
const LINKS: &str = "space = 'spheres'\n\
    [[body]]\nname = 'upper'\nmass = 1.2\nlength = 0.8\ndirection = [0.6, 0, -0.8]\nangular_velocity = [0, -1, 0]\n\
    [[body]]\nname = 'lower'\nparent = 'upper'\nmass = 0.7\nlength = 1.1\ndirection = [-0.28, 0, -0.96]\n\
    [[potential]]\nkind = 'gravity'\nacceleration = [0, 0, -9.81]\n\
    [[damper]]\nbody = 'upper'\ndamping = 0.3\n\
    [[damper]]\nbody = 'lower'\nrelative = true\ndamping = 0.2\n\
    [[force]]\nname = 'drag'\nbody = 'lower'\nparameters = { k = 0.15 }\nforce = [\"-k*norm(lower')*lower'\"]\n\
    [[force]]\nname = 'push'\nbody = 'upper'\nat = 0.4\ndirections = { u = 'upper' }\n\
    force = ['0.5*sin(3*t)*u.z', 0, '-0.2*u.x']\n\
    [[force]]\nname = 'motor'\nbody = 'lower'\ntorque = [0, '0.3*cos(t)', 0]\n\
    [method]\nname = 'sphere-implicit'\n[run]\nstep = 0.01\nduration = 1.5\n";

/// The same in angles from the vertical, typed by hand; the method is another, too. `F_a = Σ f·∂r/∂θ_a`.
const ANGLES: &str = "coordinates = ['a', 'b']\n\
    lagrangian = \"0.5*m*l^2*a'^2 + 0.5*n*(l^2*a'^2 + k^2*b'^2 + 2*l*k*a'*b'*cos(a - b)) + g*(m + n)*l*cos(a) + g*n*k*cos(b)\"\n\
    [parameters]\nm = 1.2\nn = 0.7\nl = 0.8\nk = 1.1\ng = 9.81\n\
    [definitions]\nvx = \"l*a'*cos(a) + k*b'*cos(b)\"\nvz = \"l*a'*sin(a) + k*b'*sin(b)\"\n\
    s = '-0.15*sqrt(vx^2 + vz^2)'\n\
    px = '-0.5*sin(3*t)*cos(a)'\npz = '-0.2*sin(a)'\n\
    [force]\n\
    a = \"-0.3*a' - 0.2*(a' - b') + s*(vx*l*cos(a) + vz*l*sin(a)) + 0.4*(px*cos(a) + pz*sin(a))\"\n\
    b = \"-0.2*(b' - a') + s*(vx*k*cos(b) + vz*k*sin(b)) - 0.3*cos(t)\"\n\
    [start]\na = 'A'\nb = 'B'\n[velocity]\na = 1\n\
    [method]\nname = 'dop853'\nrtol = 1e-12\natol = 1e-12\n[run]\nstep = 0.1\nduration = 1.5\n";

/// The angles of the links, from downwards towards x.
fn angles(state: &State) -> [f64; 2] {
    [0, 1].map(|i| math::atan2(state.q[3 * i], -state.q[3 * i + 2]))
}

fn reference() -> [f64; 2] {
    let [a, b] = [math::atan2(0.6, 0.8), math::atan2(-0.28, 0.96)];
    let text = ANGLES
        .replace("'A'", &format!("{a:?}"))
        .replace("'B'", &format!("{b:?}"));
    let model = model(&text);
    let mut simulation = model.simulation();
    simulation.run(&model.schedule, &mut []).unwrap();
    [simulation.state.q[0], simulation.state.q[1]]
}

#[test]
fn linked_bodies_move_as_the_equations_in_angles_say() {
    let exact = reference();
    let model = model(LINKS);
    for (name, order, steps) in [
        ("sphere-implicit", 2.0, [75, 150, 300]),
        ("sphere-implicit-4", 4.0, [15, 30, 60]),
        ("rk4", 4.0, [75, 150, 300]),
    ] {
        let errors = steps.map(|steps| {
            let found = angles(&after(name, &model, 1.5, steps));
            (found[0] - exact[0]).abs() + (found[1] - exact[1]).abs()
        });
        let found = observed_order(&steps.map(|n| 1.0 / f64::from(n)), &errors);
        // The first term of the error over two halvings.
        assert!((found - order).abs() < 0.3, "{name}: {found}, {errors:?}");
        assert!(errors[2] < 1e-3, "{name}: {errors:?}");
    }
}

#[test]
fn work_of_each_source_is_its_power_over_the_time() {
    let model = model(LINKS);
    let names = model.mechanism.system().layout().conserved.sources.clone();
    assert_eq!(
        names[..],
        [
            "damper upper",
            "joint damper lower",
            "force drag",
            "force push",
            "torque motor"
        ]
    );
    // A conventional method integrates the powers beside the motion.
    let exact = after("rk4", &model, 1.5, 3000).work;
    let [coarse, fine] = [150, 300].map(|steps| after("sphere-implicit", &model, 1.5, steps).work);
    // Of second order, and a figure does not show it.
    let most = exact.iter().fold(0.0_f64, |most, work| most.max(work.abs()));
    for (k, exact) in exact.iter().enumerate() {
        let [coarse, fine] = [&coarse, &fine].map(|work| (work[k] - exact).abs());
        assert!(
            fine < 1e-2 * most && fine < 0.35 * coarse,
            "{}: {coarse:e}, {fine:e}",
            names[k]
        );
    }
    assert!(exact[..3].iter().all(|work| *work < -1e-2), "{exact:?}");
}

#[test]
fn a_step_back_undoes_a_step_and_a_failed_one_changes_nothing() {
    let model = model(LINKS);
    let state = after("sphere-implicit", &model, 0.3, 30);
    for name in ["sphere-implicit", "sphere-implicit-4"] {
        let error = reversal_error(&mut *method(name, &model), &state, 0.01, 1.0).unwrap();
        // Equations are solved to rounding, of momenta of 1 kg m²/s.
        assert!(error < 1e-13, "{name}: {error}");
    }
    let mut tried = state.clone();
    assert!(
        method("sphere-implicit", &model)
            .attempt(&mut tried, 10.0)
            .is_err()
    );
    assert_eq!(
        (tried.t, &tried.q, &tried.p, &tried.work),
        (state.t, &state.q, &state.p, &state.work)
    );
}

/// A damper between links of strength zero sends the same equations through elimination.
#[test]
fn two_sweeps_solve_what_elimination_does() {
    let chain = "space = 'spheres'\n[chain]\nlinks = 6\nmass = 0.3\nlength = 0.5\ndirection = [1, 0, 0]\n\
        end_direction = [0, 0.6, 0.8]\nangular_velocity = [0, 1, 0.3]\n\
        [[potential]]\nkind = 'gravity'\nacceleration = [0, 0, -9.81]\n\
        [[damper]]\ndamping = 0.05\n[method]\nname = 'sphere-implicit'\n[run]\nstep = 0.01\nduration = 1\n";
    let dense = chain.replace("[method]", "[[damper]]\nrelative = true\ndamping = 0\n[method]");
    let [sweeps, elimination] =
        [chain.to_owned(), dense].map(|text| after("sphere-implicit", &model(&text), 1.0, 100));
    let off = sweeps
        .q
        .iter()
        .zip(&elimination.q)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    // A hundred steps of rounding, on a motion that is not yet chaotic.
    assert!(off < 1e-12, "{off}");
}

#[test]
fn methods_without_a_place_for_forces_say_what_has_one() {
    let separate = model(
        "space = 'spheres'\n[[body]]\nmass = 1\ndirection = [1, 0, 0]\n[[damper]]\ndamping = 0.1\n\
         [method]\nname = 'sphere-explicit'\n[run]\nstep = 0.1\nduration = 1\n",
    );
    for name in [
        "sphere-gauss-8",
        "sphere-gauss-16",
        "sphere-split-4",
        "sphere-split-6",
        "rattle",
        "stormer-verlet",
        "sphere-hamel",
    ] {
        let refused = catalog::find(name).unwrap().build(&separate.mechanism).err();
        let instead = refused.unwrap_or_else(|| panic!("{name} takes it")).instead;
        assert!(
            catalog::find(instead).unwrap().build(&separate.mechanism).is_ok(),
            "{name}: {instead}"
        );
    }
    for name in ["sphere-explicit-4", "sphere-implicit-6", "rk4", "dop853"] {
        assert!(
            catalog::find(name).unwrap().build(&separate.mechanism).is_ok(),
            "{name}"
        );
    }
    assert!(matches!(separate.mechanism, Mechanism::Spheres(_)));
}
