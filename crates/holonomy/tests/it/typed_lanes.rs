//! Typed Lagrangians from many states at once, eight side by side: the bits of single runs.
use crate::common::load;
use holonomy::{
    integrator::{Composition, DiscreteLagrangian, Integrator, MIDPOINT, Member},
    simulation::run_together,
    system::{Mechanism, State},
};
use holonomy_model::Model;

struct Case {
    name: &'static str,
    text: &'static str,
    methods: &'static [&'static str],
    h: f64,
    /// Whether some members fail on their way.
    fails: bool,
}

const CASES: &[Case] = &[
    Case {
        name: "pendulum",
        text: r#"coordinates = ["a"]
            start = { a = 0.6 }
            lagrangian = "0.5*a'^2 + 9.81*cos(a)""#,
        methods: &["midpoint", "trapezoid", "backward-difference", "trapezoid-6"],
        h: 0.02,
        fails: false,
    },
    Case {
        name: "double pendulum",
        text: r#"coordinates = ["a", "b"]
            start = { a = 0.6, b = 0.8 }
            lagrangian = "a'^2 + 0.5*b'^2 + a'*b'*cos(a - b) + 19.62*cos(a) + 9.81*cos(b)""#,
        methods: &["midpoint", "midpoint-4", "midpoint-8", "trapezoid-4"],
        h: 0.01,
        fails: false,
    },
    // Newton's method takes up to thirty iterations, and does not always end.
    Case {
        name: "double pendulum with a large step",
        text: r#"coordinates = ["a", "b"]
            start = { a = 0.6, b = 0.8 }
            lagrangian = "a'^2 + 0.5*b'^2 + a'*b'*cos(a - b) + 19.62*cos(a) + 9.81*cos(b)""#,
        methods: &["midpoint", "trapezoid"],
        h: 0.33,
        fails: true,
    },
    // Time is different in each lane, energy is brought in and taken out.
    Case {
        name: "driven and damped",
        text: r#"coordinates = ["x", "y"]
            start = { x = 0.6, y = 0.8 }
            lagrangian = "0.5*(x'^2 + y'^2) - 0.5*x^2 - y^4/4 + x*y*cos(3*t)"
            force = { x = "-0.3*x' + sin(t)*y", y = "-0.1*y'*abs(y')" }"#,
        methods: &["midpoint", "trapezoid", "midpoint-4"],
        h: 0.05,
        fails: false,
    },
    Case {
        name: "driven by a force alone",
        text: r#"coordinates = ["x"]
            start = { x = 0.6 }
            lagrangian = "0.5*x'^2 - 0.5*x^2"
            force = { x = "cos(2*t)" }"#,
        methods: &["midpoint"],
        h: 0.05,
        fails: false,
    },
    // The largest entry of a column is in another row in each lane, and factors vanish in some.
    Case {
        name: "pivots",
        text: r#"coordinates = ["x", "y", "z"]
            start = { x = 0.6, y = 0.8, z = 0.1 }
            lagrangian = "(0.9 + 0.4*sin(x))*x'^2/2 + x'*y' + 0.3*y'^2 + z'^2 + 0.3*max(z, 0)*x'*z' - 0.5*(x^2 + y^2 + z^2)""#,
        methods: &["midpoint", "trapezoid"],
        h: 0.01,
        fails: false,
    },
    // The velocity is found by Newton's method, which leaves the domain and turns back by halves.
    Case {
        name: "near the speed of light",
        text: r#"coordinates = ["x"]
            start = { x = 0.6 }
            lagrangian = "-sqrt(1 - x'^2) - 0.5*x^2""#,
        methods: &["midpoint", "trapezoid"],
        h: 0.05,
        fails: false,
    },
    // One falls into the centre.
    Case {
        name: "Kepler",
        text: r#"coordinates = ["x", "y"]
            start = { x = 0.6, y = 0.8 }
            lagrangian = "0.5*(x'^2 + y'^2) + 1/sqrt(x^2 + y^2)""#,
        methods: &["midpoint"],
        h: 0.02,
        fails: true,
    },
    // Some come to where the potential ends.
    Case {
        name: "with an edge",
        text: r#"coordinates = ["x", "y"]
            start = { x = 0.6, y = 0.8 }
            lagrangian = "0.5*(x'^2 + y'^2) + 0.2*(3.2 - x^2 - y^2)^1.5""#,
        methods: &["midpoint", "trapezoid-4"],
        h: 0.05,
        fails: true,
    },
    Case {
        name: "every function",
        text: r#"coordinates = ["x", "y"]
            start = { x = 0.6, y = 0.8 }
            lagrangian = "0.5*(2 + tanh(x) + 0.1*exp(-y^2))*x'^2 + 0.5*cosh(0.1*y)*y'^2 - V"
            definitions = { V = "x^4/4 + (1 + y^2)^1.3 + tan(0.2*sin(x)) + asin(0.5*sin(y)) + acos(0.3*cos(x)) + atan(x*y) + atan2(y, 2 + x^2) + sinh(0.1*x) + log(2 + x^2) + hypot(x, 1) + min(x, y)^2 + max(x, -y)^2 + abs(x)^3 + (2 + sin(y))^x" }"#,
        methods: &["midpoint", "trapezoid-4"],
        h: 0.02,
        fails: false,
    },
    // Multipliers are not taken side by side.
    Case {
        name: "constrained",
        text: r#"coordinates = ["x", "y"]
            start = { x = 0.6, y = 0.8 }
            lagrangian = "0.5*(x'^2 + y'^2) - 9.81*y"
            constraint = [{ name = "circle", formula = "x^2 + y^2 - 1" }]"#,
        methods: &["midpoint", "midpoint-4"],
        h: 0.01,
        fails: false,
    },
];

/// Of each member: so many that there are full groups, one that is not, and one so small that it goes one by one.
const MEMBERS: usize = 18;
const STEPS: u64 = 200;

impl Case {
    fn model(&self, method: &str) -> Model {
        let text = format!(
            "space = \"lagrangian\"\n{}\nmethod = {{ name = \"{method}\" }}\nrun = {{ step = {}, steps = {STEPS} }}\n",
            self.text, self.h
        );
        load(self.name, &text, &[])
    }

    /// Places, momenta and times that differ, the first one at rest.
    fn states(&self, model: &Model) -> Vec<State> {
        let Mechanism::Lagrangian(system) = &model.mechanism else {
            unreachable!("in generalized coordinates")
        };
        (0..MEMBERS)
            .map(|k| {
                let share = k as f64 / MEMBERS as f64;
                let n = model.state.q.len();
                let mut q: Vec<f64> = (0..n)
                    .map(|i| (0.4 + share) * if i == 1 { 0.7 } else { 1.0 })
                    .collect();
                if n == 3 {
                    q[2] = share - 0.5;
                }
                let mut v: Vec<f64> = (0..n).map(|i| share * if i == 1 { -0.5 } else { 0.9 }).collect();
                if self.name == "constrained" {
                    let angle = 2.0 * share;
                    (q, v) = (vec![angle.sin(), -angle.cos()], vec![0.0; 2]);
                }
                system.state(0.3 * share, &q, &v).unwrap()
            })
            .collect()
    }
}

fn bits(state: &State) -> Vec<u64> {
    let State {
        t,
        q,
        p,
        lambda,
        work,
        ..
    } = state;
    let all = [t].into_iter().chain(q).chain(p).chain(lambda).chain(work);
    all.map(|x| x.to_bits()).collect()
}

#[test]
fn lanes_are_single_runs_to_the_bit() {
    for case in CASES {
        for method in case.methods {
            let model = case.model(method);
            let new = || model.method.build_with(&model.mechanism, &model.options).unwrap();
            let mut members: Vec<Member> = case.states(&model).into_iter().map(Member::from).collect();
            let mut alone = members.clone();
            // Another past: one has gone a few steps before, one stands still.
            for list in [&mut members, &mut alone] {
                for _ in 0..3 {
                    let info = new().attempt(&mut list[5].state, 0.3 * case.h).unwrap();
                    list[5].work.count(info);
                }
                list[11].state.q[0] = f64::NAN;
                list[11].fault = new().attempt(&mut list[11].state.clone(), case.h).err();
                assert!(list[11].fault.is_some());
            }
            let mut together = new();
            let left = |members: &[Member]| {
                let others = members.iter().enumerate().filter(|(k, _)| *k != 5);
                let going = others
                    .map(|(_, member)| member)
                    .find(|member| member.fault.is_none());
                going.map_or(0, |member| STEPS - member.work.steps)
            };
            while left(&members) > 0 {
                let count = 1 + left(&members) / 2;
                together.advance_many(&mut members, case.h, count);
            }
            for member in &mut alone {
                let mut integrator = new();
                for _ in 0..STEPS {
                    if member.fault.is_none() {
                        match integrator.attempt(&mut member.state, case.h) {
                            Ok(info) => member.work.count(info),
                            Err(fault) => member.fault = Some(fault),
                        }
                    }
                }
            }
            let faults = alone.iter().filter(|member| member.fault.is_some()).count();
            assert_eq!(faults > 1, case.fails, "{method} on {}: {faults}", case.name);
            for (k, (a, b)) in members.iter().zip(&alone).enumerate() {
                let what = format!("member {k} by {method} on {}", case.name);
                assert_eq!(bits(&a.state), bits(&b.state), "{what}");
                assert_eq!((a.work, &a.fault), (b.work, &b.fault), "{what}");
            }
        }
    }
}

/// Whole runs, with the time of the clock: what depends on time is where it would be alone.
#[test]
fn runs_together_are_runs_alone() {
    for case in CASES.iter().filter(|case| !case.fails) {
        let model = case.model(case.methods[0]);
        let states = case.states(&model);
        let new = |state: &State| {
            let mut simulation = model.simulation();
            simulation.state = state.clone();
            simulation
        };
        let mut simulations: Vec<_> = states.iter().map(new).collect();
        let mut observers: Vec<Vec<&mut dyn holonomy::simulation::Observer>> =
            states.iter().map(|_| Vec::new()).collect();
        let reports = run_together(
            &mut simulations,
            &model.schedule,
            observers.iter_mut().map(Vec::as_mut_slice),
        );
        for ((k, state), (together, report)) in
            states.iter().enumerate().zip(simulations.iter().zip(&reports))
        {
            let mut alone = new(state);
            let expected = alone.run(&model.schedule, &mut []).unwrap();
            assert_eq!(bits(&together.state), bits(&alone.state), "{k} on {}", case.name);
            assert_eq!(
                report.as_ref().unwrap().work,
                expected.work,
                "{k} on {}",
                case.name
            );
        }
    }
}

#[test]
fn a_method_that_composes_itself_is_a_composition_to_the_bit() {
    let case = &CASES[1];
    let model = case.model("midpoint");
    let Mechanism::Lagrangian(system) = &model.mechanism else {
        unreachable!("in generalized coordinates")
    };
    let midpoint = || DiscreteLagrangian::new(system.clone(), MIDPOINT, 30).unwrap();
    assert!(midpoint().with_order(3).is_none());
    for order in [4, 6, 8] {
        let mut composed = Composition::new(Box::new(midpoint()), order).unwrap();
        let mut own = midpoint().with_order(order).unwrap();
        assert_eq!(own.goes_back(), composed.goes_back());
        let [mut a, mut b] = [(); 2].map(|()| case.states(&model)[7].clone());
        for _ in 0..50 {
            let infos = [
                own.attempt(&mut a, 0.02).unwrap(),
                composed.attempt(&mut b, 0.02).unwrap(),
            ];
            assert_eq!(infos[0], infos[1]);
        }
        assert_eq!(bits(&a), bits(&b), "order {order}");
        // What fails leaves the state as it was.
        let before = bits(&a);
        assert!(own.attempt(&mut a, f64::MAX).is_err());
        assert_eq!(bits(&a), before);
    }
}
