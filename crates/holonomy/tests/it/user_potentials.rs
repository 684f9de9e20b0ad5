//! Potentials written by users that fail: the run ends with their words, and the state is that before the step.
use crate::common;
use holonomy::{
    Vec3,
    diagnostics::Record,
    integrator::catalog::{METHODS, Options},
    potential::{FaultSlot, Potential},
    simulation::{RunFault, Schedule, Simulation},
    spheres::{Body, Spheres, SpheresParts},
    system::Mechanism,
};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// Uniform gravity, which fails once at a given call and returns a number all the same.
struct Failing {
    faults: Arc<FaultSlot>,
    energies: AtomicU64,
    gradients: AtomicU64,
    fails_at: [u64; 2],
    /// What the call that fails returns.
    value: f64,
}

impl Failing {
    fn factor(&self, calls: &AtomicU64, fails_at: u64) -> f64 {
        if calls.fetch_add(1, Ordering::Relaxed) + 1 != fails_at {
            return 1.0;
        }
        self.faults.report("ZeroDivisionError in `morse`, line 7");
        self.faults.report("something else");
        self.value
    }
}

impl Potential for Failing {
    fn energy(&self, points: &[Vec3]) -> f64 {
        self.factor(&self.energies, self.fails_at[0]) * -9.81 * points[0].z
    }
    fn add_gradient(&self, points: &[Vec3], gradient: &mut [Vec3]) {
        let _ = points;
        gradient[0].z -= self.factor(&self.gradients, self.fails_at[1]) * 9.81;
    }
    fn faults(&self) -> Option<Arc<FaultSlot>> {
        Some(self.faults.clone())
    }
}

/// A pendulum whose potential fails at these calls of the energy and of the gradient.
fn pendulum(fails_at: [u64; 2], value: f64) -> (Arc<FaultSlot>, common::Problem) {
    let faults = Arc::new(FaultSlot::default());
    let potential = Failing {
        faults: faults.clone(),
        energies: AtomicU64::new(0),
        gradients: AtomicU64::new(0),
        fails_at,
        value,
    };
    let spheres = Spheres::new(SpheresParts {
        bodies: vec![Body::point("bob", 1.0, 1.0)],
        potentials: vec![Box::new(potential)],
        ..SpheresParts::default()
    })
    .unwrap();
    let state = spheres
        .state(&[Vec3::new(0.6, 0.0, 0.8)], &[Vec3::new(0.0, 0.5, 0.0)])
        .unwrap();
    let problem = common::Problem {
        name: "failing",
        mechanism: Mechanism::Spheres(Arc::new(spheres)),
        state,
    };
    (faults, problem)
}

#[test]
fn a_potential_that_fails_ends_the_run_with_its_words_and_the_last_good_state() {
    for m in METHODS {
        for value in [f64::NAN, 1.0] {
            let (_, never) = pendulum([0, 0], value);
            let Some(mut good) = never.simulation(m, &Options::default()) else {
                continue;
            };
            // Later than the calls of one step: stages that iterate ask often.
            let call = if m.name.starts_with("sphere-gauss") {
                400
            } else {
                40
            };
            let (faults, p) = pendulum([0, call], value);
            let mut simulation = p.simulation(m, &Options::default()).unwrap();
            good.step_by(0.05).unwrap();
            simulation.step_by(0.05).unwrap();
            let error = simulation.advance(200).unwrap_err();
            good.advance(error.work.steps).unwrap();
            assert_eq!(simulation.state, good.state, "{}", m.name);
            assert!(
                matches!(error.source, RunFault::Potential(_)),
                "{}: {error}",
                m.name
            );
            let said = error.to_string();
            assert!(
                said.ends_with("a potential failed: ZeroDivisionError in `morse`, line 7"),
                "{said}"
            );

            // It does not go on before it is told to, and then as if nothing had been.
            assert!(simulation.step().is_err() && simulation.state == good.state);
            faults.clear();
            simulation.advance(10).unwrap();
            good.advance(10).unwrap();
            assert_eq!(simulation.state, good.state, "{}", m.name);
        }
    }
}

#[test]
fn an_energy_that_fails_ends_the_run_before_it_is_recorded() {
    let (_, p) = pendulum([4, 0], 1.0);
    let method = common::method("sphere-explicit");
    let mut simulation = p.simulation(method, &Options::default()).unwrap();
    let mut record = Record::default();
    let schedule = Schedule {
        step: 0.01,
        steps: 100,
        every: 10,
    };
    let error = simulation.run(&schedule, &mut [&mut record]).unwrap_err();
    assert!(matches!(error.source, RunFault::Potential(_)), "{error}");
    assert_eq!((record.samples, error.work.steps), (3, 30));
}

#[test]
fn reports_from_many_threads_leave_one() {
    let slot = FaultSlot::default();
    std::thread::scope(|scope| {
        for k in 0..4 {
            let slot = &slot;
            scope.spawn(move || slot.report(format!("thread {k}")));
        }
    });
    let first = slot.fault().unwrap();
    assert!(first.message.starts_with("thread ") && slot.fault() == Some(first));
}

/// What can be stored is read back as it was.
#[test]
fn records_and_options_are_read_back_from_text() {
    fn same<T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
        let text = serde_json::to_string(value).unwrap();
        assert_eq!(serde_json::from_str::<T>(&text).unwrap(), *value, "{text}");
    }
    let p = common::chain();
    let method = common::method("sphere-implicit");
    let mut simulation: Simulation = p.simulation(method, &Options::default()).unwrap();
    let (mut record, schedule) = (
        Record::default(),
        Schedule {
            step: 0.01,
            steps: 200,
            every: 2,
        },
    );
    let report = simulation.run(&schedule, &mut [&mut record]).unwrap();
    let mut measured = holonomy::system::Measurement::default();
    let system = simulation.system().clone();
    system.measure(&simulation.state, &mut measured, &mut system.scratch());
    same(&record);
    same(&record.energy.drift().unwrap());
    same(&schedule);
    same(&report);
    same(&measured);
    same(&simulation.state);
    same(simulation.label());
    same(&simulation.step().unwrap());
    same(&Options {
        rtol: Some(1e-7),
        max_iterations: Some(3),
        ..Options::default()
    });
    let names = &system.layout().coordinates;
    let text = serde_json::to_string(names).unwrap();
    assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), **names);
    same(names);
    // A slip in the name of an option is not passed over.
    assert!(serde_json::from_str::<Options>(r#"{"rtoll": 1e-7}"#).is_err());
}
