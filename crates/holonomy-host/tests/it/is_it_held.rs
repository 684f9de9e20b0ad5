use holonomy::system::State;
use holonomy_host::{control, flow::Flow};
use holonomy_model::{Model, Value, build};
use nalgebra::DMatrix;

/// The motions from a disturbed start: under the gains of the plan, of the model that was written, and without feedback.
fn motions(model: &Model, path: &str, disturbed: f64) -> [Vec<State>; 4] {
    let (held, fed) = control::hold(model, "test").expect("gains");
    assert_eq!(held.not_fed, None);
    let table = control::with_inputs(model, &held.efforts, fed.as_ref()).expect("a model");
    let run = |model: &Model| -> Vec<State> {
        let mut simulation = model.simulation();
        let mut all = vec![simulation.state.clone()];
        for _ in 0..model.schedule.steps {
            simulation.advance(1).expect("a step");
            all.push(simulation.state.clone());
        }
        all
    };
    let aside = |table: &holonomy_model::Table| -> Model {
        let mut table = table.clone();
        table.set(path, Value::from(disturbed)).expect("a key");
        build(&table).expect("a model")
    };
    let plan = run(model);
    let written = run(&aside(&table));
    let open = run(&aside(&model.table));
    // u + K z, held over each step.
    let mut flow = Flow::new(model);
    let mut state = open[0].clone();
    let mut answered = vec![state.clone()];
    for k in 0..plan.len() - 1 {
        let z = flow.apart(&plan[k], &state);
        let gain = DMatrix::from_row_slice(model.inputs.len(), z.len(), &held.gains[k]);
        let answer = gain * z;
        let input: Vec<f64> = held.efforts[k].iter().zip(&answer).map(|(u, d)| u + d).collect();
        state = flow.next(&state, &input).unwrap_or_else(|_| panic!("step {k}"));
        state.t = plan[k + 1].t;
        answered.push(state.clone());
    }
    // Undisturbed it is the plan: what rounding does to the first step grows as deviations do.
    for (plan, again) in plan.iter().zip(run(&build(&table).expect("a model"))) {
        assert!(apart(plan, &again) < 1e-10, "{}", apart(plan, &again));
    }
    [plan, answered, written, open]
}

fn apart(a: &State, b: &State) -> f64 {
    let each = a.q.iter().zip(&b.q).map(|(a, b)| (a - b).abs());
    each.fold(0.0, f64::max)
}

fn largest(a: &[State], b: &[State]) -> f64 {
    a.iter().zip(b).map(|(a, b)| apart(a, b)).fold(0.0, f64::max)
}

const UPRIGHT: &str = r#"
    coordinates = ["x", "theta"]
    lagrangian = "0.5*(1 + 0.3)*x'^2 + 0.3*0.5*x'*theta'*cos(theta) + 0.5*0.3*0.25*theta'^2 + 0.3*9.81*0.5*cos(theta)"
    [start]
    x = 0
    theta = 3.141592653589793
    [[input]]
    name = "push"
    on = "x"
    scale = 2
    [[goal]]
    of = "x"
    value = 0
    when = "always"
    weight = 10
    [[goal]]
    of = "theta"
    value = "180 deg"
    when = "always"
    weight = 10
    [method]
    name = "midpoint"
    [run]
    step = 0.02
    duration = 4
"#;

/// Four links in a loop, whose motor keeps the crank turning as it would turn by itself.
fn four_bar() -> String {
    let text = include_str!("../../../../scenarios/four-bar/model.toml");
    let text = text.replace("duration = 100.0\nevery = 10", "duration = 2");
    format!(
        "{text}\n[[input]]\nname = \"motor\"\non = \"crank\"\n[control.effort]\nmotor = 0.1\n
        [[goal]]\nof = \"theta.rocker\"\nvalue = \"1.8\"\nwhen = \"always\"\nweight = 10\n"
    )
}

#[test]
fn a_run_answers_in_the_middle_of_its_steps_as_the_plan_does_at_their_beginning() {
    for (text, path, at, size) in [
        (UPRIGHT.to_owned(), "start.theta", std::f64::consts::PI, 1e-4),
        (four_bar(), "body.crank.velocity", 5.0, 1e-3),
    ] {
        let model = super::loaded(&text);
        let [plan, answered, written, open] = motions(&model, path, at + size);
        let deviation = largest(&plan, &answered);
        let off = largest(&answered, &written);
        // Both are the same to first order: twice the deviation is four times the difference, or eight times about what is
        // the same on both sides, as an upright pole.
        let [_, answered, written, _] = motions(&model, path, at + 2.0 * size);
        let twice = largest(&answered, &written);
        assert!((3.5..9.0).contains(&(twice / off)), "{path}: {off:e} {twice:e}");
        assert!(off < 1e-2 * deviation, "{path}: {off:e} {deviation:e}");
        // Without feedback the pole falls.
        let lost = largest(&plan, &open);
        assert!(path != "start.theta" || lost > 1.0, "{lost}");
        assert!(deviation < 10.0 * size, "{path}: {deviation:e}");
    }
}

#[test]
fn rotations_in_space_are_not_fed_back_and_that_is_said() {
    let model = super::loaded(
        r#"
        space = "tree"
        gravity = [0, 0, -9.81]
        [[body]]
        name = "top"
        joint = { kind = "spherical" }
        mass = 1
        centre = [0, 0, -0.5]
        inertia = [0.1, 0.1, 0.02]
        [[input]]
        name = "turn"
        on = "omega.top.x"
        [[goal]]
        of = "energy"
        value = 0
        when = "always"
        weight = 1
        [method]
        name = "tree-variational"
        [run]
        step = 0.01
        duration = 0.1
        "#,
    );
    let (held, fed) = control::hold(&model, "test").expect("gains");
    assert!(fed.is_none());
    assert!(
        held.not_fed
            .is_some_and(|why| why.contains("ball and free joints"))
    );
    assert!(control::with_inputs(&model, &held.efforts, None).is_none());
}
