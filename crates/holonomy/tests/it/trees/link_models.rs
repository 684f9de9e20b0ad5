//! Forces between bodies in model files.
use super::links::{beam, body, damper, measure, moving, site};
use holonomy::{
    Vec3,
    diagnostics::distance,
    geometry::RigidInertia,
    integrator::catalog,
    system::{Mechanism, State, System},
    tree::{Beam, Joint, Link, Tree, TreeParts},
};
use holonomy_model as model;
use nalgebra::UnitQuaternion;

/// Two pendulums of rods with a force between their ends, by its text.
fn written(force: &str) -> model::Model {
    let text = format!(
        r#"
        space = "tree"
        gravity = [0, 0, -9.81]
        body = [
          {{ name = "left", joint = {{ kind = "spherical" }}, mass = 1.0, shape = "box", size = [0.1, 0.2, 1],
            centre = [0, 0, -0.5], angular_velocity = [0.3, 1, 2], sites = {{ a = [0, 0, -1] }} }},
          {{ name = "right", joint = {{ kind = "revolute", axis = [0, 1, 0.3], at = [1, 0, 0] }}, mass = 1.0,
            shape = "box", size = [0.1, 0.2, 1], centre = [0, 0, -0.5], velocity = 0.5,
            sites = {{ b = [0, 0, -1], "half-way" = [0, 0, -0.5] }} }},
        ]
        site = [{{ name = "nail", at = [0.4, 0.3, -2] }}]
        {force}
        method = {{ name = "tree-variational" }}
        run = {{ step = 0.01, duration = 2.0 }}
        "#
    );
    let source = model::Source::new("model", &text);
    model::load(&source).unwrap_or_else(|problems| panic!("{}", model::render(&source, &problems, false, 50)))
}

/// The end of a run, and the mean number of iterations.
fn ended(model: &model::Model) -> (State, f64) {
    let mut simulation = model.simulation();
    let (mut iterations, h) = (0, model.schedule.step);
    for _ in 0..model.schedule.steps {
        let info = simulation.step_by(h).unwrap();
        iterations += info.iterations;
    }
    (
        simulation.state,
        f64::from(iterations) / model.schedule.steps as f64,
    )
}

#[test]
fn a_formula_of_sites_is_the_spring_that_it_writes() {
    let kinds = [
        (
            r#"potential = [{ kind = "spring", between = ["a", "b"], stiffness = 300.0, rest_length = 0.8 }]"#,
            r#"potential = [{ kind = "formula", energy = "0.5*k*(norm(a - b) - l)^2",
               parameters = { k = "300 N/m", l = "0.8 m" } }]"#,
        ),
        (
            r#"potential = [{ kind = "spring", between = ["half-way", "nail"], stiffness = 5e4, rest_length = 0 }]"#,
            r#"potential = [{ kind = "formula", energy = "0.5*k*dot(d, d)", parameters = { k = 5e4 },
               points = { middle = "right/half-way" }, definitions = { d = "middle - nail" } }]"#,
        ),
    ];
    for (spring, formula) in kinds {
        let (spring, formula) = (written(spring), written(formula));
        let ((a, by_spring), (b, by_formula)) = (ended(&spring), ended(&formula));
        let apart = distance(&a, &b);
        println!("spring and formula: {apart:.1e}; {by_spring} and {by_formula} iterations");
        // The same forces but for rounding, 200 steps of a motion that is not chaotic.
        assert!(apart < 1e-9, "{apart:e}");
        assert!(
            by_spring < 6.0 && (by_spring - by_formula).abs() < 0.5,
            "{by_spring} {by_formula}"
        );
    }
}

#[test]
fn a_formula_without_value_stops_the_step_by_its_name() {
    // The ends part until the root has no value.
    let model = written(r#"potential = [{ kind = "formula", energy = "20*sqrt(2 - norm(a - b)^2)" }]"#);
    for name in ["tree-variational", "rk4", "dop853"] {
        let method = catalog::find(name).unwrap();
        let integrator = method.build_with(&model.mechanism, &model.options).unwrap();
        let mut simulation = crate::common::simulation_by(&model, integrator);
        let stopped = (0..1000).find_map(|_| simulation.step_by(0.01).err());
        let said = stopped.expect("it ends").message;
        println!("{name}: {said}");
        assert!(said.contains("sqrt"), "{name}: {said}");
    }
}

#[test]
fn links_of_a_model_are_those_of_code() {
    let model = written(
        r#"
        damper = [{ between = ["a", "b"], coefficient = "3 N s/m" }]
        beam = [
          { between = ["nail", "left/a"], axis = [0, 0, 2], length = "100 cm", EA = "60 N", EI = [3, 4], GJ = "2 N m^2" },
          { between = ["left/a", "half-way"], turned = { axis = [0, 1, 0], angle = "-90 deg" },
            end_turned = [1, 0, 0, 0], length = 0.5, EA = 10, EI = 1 },
        ]"#,
    );
    let Mechanism::Tree(read) = &model.mechanism else {
        panic!("a tree")
    };
    let mut parts = TreeParts {
        gravity: Vec3::z() * -9.81,
        sites: vec![
            site(Some(0), Vec3::z() * -1.0),
            site(Some(1), Vec3::z() * -1.0),
            site(Some(1), Vec3::z() * -0.5),
            site(None, Vec3::new(0.4, 0.3, -2.0)),
        ],
        ..TreeParts::default()
    };
    let inertia = RigidInertia::cuboid(1.0, Vec3::z() * -0.5, Vec3::new(0.1, 0.2, 1.0));
    let axis = Vec3::new(0.0, 1.0, 0.3);
    let right = Joint::Revolute { axis };
    parts.bodies = vec![
        body("left".to_owned(), None, Joint::Spherical, Vec3::zeros(), inertia),
        body("right".to_owned(), None, right, Vec3::x(), inertia),
    ];
    let quarter = UnitQuaternion::from_axis_angle(&Vec3::y_axis(), -0.5 * std::f64::consts::PI);
    parts.links = vec![
        damper([0, 1], 3.0),
        Link::Beam(Beam {
            turned: [quarter; 2],
            ..beam([3, 0], 1.0)
        }),
        Link::Beam(Beam {
            turned: [quarter, UnitQuaternion::identity()],
            tension: 10.0,
            bending: [1.0; 2],
            torsion: 0.0,
            ..beam([0, 2], 0.5)
        }),
    ];
    let made = Tree::new(parts).unwrap();
    let state = moving(&made, 0.4);
    let (mut dq, mut ours, mut theirs) = (vec![0.0; 5], vec![0.0; 4], vec![0.0; 4]);
    let v = measure(&made, &state).velocity;
    made.rate(0.0, &state.q, &v, &mut dq, &mut ours, &mut made.scratch());
    read.rate(0.0, &state.q, &v, &mut dq, &mut theirs, &mut read.scratch());
    // Accelerations of order 100, rounded.
    assert!(super::largest(&ours, &theirs) < 1e-11, "{ours:?} {theirs:?}");
    let energies = [made.energy(&state).total(), read.energy(&state).total()];
    assert!((energies[0] - energies[1]).abs() < 1e-12, "{energies:?}");
}

#[test]
fn steps_with_links_allocate_nothing() {
    let formula = "potential = [{ kind = \"formula\", energy = \"norm(a - b)^4 + norm(a - nail)^2\" }]";
    let links = r#"
        damper = [{ between = ["a", "b"], coefficient = 3.0 }, { between = ["a", "nail"], coefficient = 3.0 }]
        beam = [{ between = ["a", "b"], length = 1.0, EA = 50.0, EI = 2.0 }]"#;
    let mut simulation = written(&format!("{formula}\n{links}")).simulation();
    let mut step = || {
        simulation.step_by(0.01).unwrap();
    };
    (0..5).for_each(|_| step());
    let count = crate::allocation::allocations(|| (0..20).for_each(|_| step()));
    assert_eq!(count, 0);
}
