//! A simulation that is stored, continued, changed: the same bits as without a break, or a refusal with its reason.
use crate::common::{self, load, method, scenario};
use holonomy::{
    integrator::catalog::{METHODS, Options},
    simulation::{
        Checkpoint, CheckpointError, Fingerprint, Label, Observer, ResumeError, Sample, Schedule, Simulation,
    },
    system::State,
};
use holonomy_model::Model;
use std::{ops::ControlFlow, path::Path};

/// All bits of a state.
fn bits(state: &State) -> Vec<u64> {
    let State {
        t,
        q,
        p,
        lambda,
        work,
        carry,
    } = state;
    let numbers = [std::slice::from_ref(t), q, p, lambda, work, carry.numbers()];
    let mut bits: Vec<u64> = numbers.concat().into_iter().map(f64::to_bits).collect();
    bits.extend(numbers.map(|part| part.len() as u64));
    bits
}

fn labelled(model: &Model, name: &str) -> Option<Simulation> {
    let integrator = method(name).build_with(&model.mechanism, &model.options).ok()?;
    let label = Label {
        method: name.to_owned(),
        options: model.options.clone(),
        model: Some(Fingerprint([7; 32])),
    };
    Some(common::simulation_by(model, integrator).labelled(label))
}

/// Takes steps until so many are taken since the origin, or one fails: the state, and why it failed.
fn until(simulation: &mut Simulation, steps: u64) -> (Vec<u64>, Option<String>) {
    let left = steps - simulation.steps();
    let failed = simulation.advance(left).err().map(|error| error.to_string());
    (bits(&simulation.state), failed)
}

/// The checkpoints, through bytes, and the further steps of every method that fits a scenario.
fn restarts(name: &str) -> usize {
    let [model, again] = [(); 2].map(|()| scenario(name, &[]));
    let large = model.state.q.len() > 1000;
    // Meshes, predictors and stale Jacobians are of different ages at these.
    let (steps, breaks): (u64, &[u64]) = if large {
        (4, &[2])
    } else {
        (20, &[0, 1, 2, 5, 11, 17])
    };
    let mut pairs = 0;
    for m in METHODS {
        if large && m.name != model.method.name {
            continue;
        }
        let Some(mut straight) = labelled(&model, m.name) else {
            continue;
        };
        let mut stored = Vec::new();
        for k in breaks {
            let (state, failed) = until(&mut straight, *k);
            if failed.is_none() {
                assert_eq!(straight.steps(), *k);
                stored.push((state, straight.checkpoint().to_bytes()));
            }
        }
        let expected = until(&mut straight, steps);
        for (state, bytes) in stored {
            // Another system too, with lists of neighbours of its own.
            let mut resumed = labelled(&again, m.name).unwrap();
            resumed.resume(&Checkpoint::from_bytes(&bytes).unwrap()).unwrap();
            assert_eq!(bits(&resumed.state), state, "{} on {name}", m.name);
            let k = resumed.steps();
            let reached = until(&mut resumed, steps);
            assert!(
                reached == expected,
                "{} on {name}, stored after {k} steps",
                m.name
            );
            assert_eq!(straight.work().steps, resumed.work().steps);
        }
        pairs += 1;
    }
    pairs
}

fn scenarios() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

#[test]
fn a_restart_at_any_step_is_exact_to_the_bit_for_every_method_and_scenario() {
    let (mut pairs, mut driven) = (0, 0);
    for name in scenarios() {
        pairs += restarts(&name);
        driven += usize::from(scenario(&name, &[]).mechanism.system().layout().conserved.driven);
    }
    println!("{pairs} pairs of scenario and method, {driven} scenarios driven");
    assert!(pairs > 500 && driven >= 3, "{pairs} {driven}");
}

/// Steps, times and bits of the samples.
#[derive(Default)]
struct Seen(Vec<(u64, Vec<u64>)>);

impl Observer for Seen {
    fn observe(&mut self, sample: &Sample) -> ControlFlow<()> {
        self.0.push((sample.step, bits(sample.state)));
        ControlFlow::Continue(())
    }
}

#[test]
fn runs_and_rows_in_pieces_are_one_run_to_the_bit() {
    for m in METHODS {
        let mut p = common::fitting(m);
        // Neither t₀ nor h is a binary fraction, so that sums of them round.
        p.state.t = 0.1;
        let new = || p.simulation(m, &Options::default()).unwrap();
        let schedule = |steps| Schedule {
            step: 0.003,
            steps,
            every: 7,
        };
        let mut whole = Seen::default();
        let mut straight = new();
        straight.run(&schedule(60), &mut [&mut whole]).unwrap();
        assert_eq!(straight.state.t, 0.1 + 60.0 * 0.003);

        let mut parts = Seen::default();
        let mut broken = new();
        for steps in [23, 0, 12, 25] {
            broken.run(&schedule(steps), &mut [&mut parts]).unwrap();
        }
        assert_eq!(bits(&broken.state), bits(&straight.state), "{}", m.name);
        assert_eq!((broken.steps(), broken.work().steps), (60, 60));
        // Between the runs the state is shown by both, and where there is no multiple of 7.
        parts.0.dedup();
        parts.0.retain(|(step, _)| step % 7 == 0 || *step == 60);
        assert_eq!(parts.0, whole.0, "{}", m.name);

        let mut rows = new();
        rows.step_by(0.003).unwrap();
        for steps in [9, 0, 40] {
            assert_eq!(rows.advance(steps).unwrap().steps, steps);
        }
        for _ in 50..60 {
            rows.step().unwrap();
        }
        assert_eq!(bits(&rows.state), bits(&straight.state), "{}", m.name);
    }
}

#[test]
fn another_step_or_a_time_set_by_hand_makes_a_new_origin() {
    let p = common::pendulum();
    let mut simulation = p
        .simulation(method("sphere-explicit"), &Options::default())
        .unwrap();
    simulation.step_by(0.1).unwrap();
    simulation.advance(2).unwrap();
    assert_eq!((simulation.steps(), simulation.state.t), (3, 3.0 * 0.1));
    simulation.step_by(0.07).unwrap();
    assert_eq!((simulation.steps(), simulation.state.t), (1, 3.0 * 0.1 + 0.07));
    simulation.state.t = 5.0;
    assert_eq!(simulation.checkpoint().origin(), 5.0);
    simulation.advance(3).unwrap();
    assert_eq!((simulation.steps(), simulation.state.t), (3, 5.0 + 3.0 * 0.07));
    assert_eq!(simulation.work().steps, 7);
}

#[test]
fn an_adaptive_run_that_is_continued_is_one_that_was_long_from_the_start() {
    let of = |name: &str, duration: &str, more: &[&str]| {
        let sets = [format!("method.name={name}"), format!("run.duration={duration}")];
        let sets: Vec<&str> = sets
            .iter()
            .map(String::as_str)
            .chain(more.iter().copied())
            .collect();
        scenario("spherical-pendulum", &sets)
    };
    for m in METHODS.iter().filter(|m| m.adaptive) {
        let short = of(m.name, "1 s", &[]);
        let mut first = short.simulation();
        first.run(&short.schedule, &mut []).unwrap();
        let stored = Checkpoint::from_bytes(&first.checkpoint().to_bytes()).unwrap();

        // By the rule of ode45 the longer run may take longer steps, but not where it is a continued one.
        let long = of(m.name, "3 s", &[]);
        assert!(long.options.max_step > short.options.max_step);
        let mut continued = long.resume(&stored).unwrap();
        continued.advance(long.schedule.steps - stored.steps()).unwrap();

        let max_step = format!("method.max_step={}", short.options.max_step.unwrap());
        let straight = of(m.name, "3 s", &[&max_step]);
        let mut whole = straight.simulation();
        whole.run(&straight.schedule, &mut []).unwrap();
        assert_eq!(bits(&continued.state), bits(&whole.state), "{}", m.name);
    }
}

/// A small checkpoint with multipliers, carry and a number that is not one.
fn small() -> Simulation {
    let mut simulation = labelled(&scenario("hamel-pendulum", &[]), "sphere-hamel").unwrap();
    simulation.advance(3).unwrap();
    simulation
}

#[test]
fn a_checkpoint_is_read_back_as_it_was_and_no_flipped_byte_passes() {
    let mut simulation = small();
    simulation.state.p[1] = f64::NAN;
    simulation.state.q[0] = -0.0;
    let checkpoint = simulation.checkpoint();
    let bytes = checkpoint.to_bytes();
    let read = Checkpoint::from_bytes(&bytes).unwrap();
    assert_eq!(bits(read.state()), bits(checkpoint.state()));
    assert_eq!((read.to_bytes(), read.steps()), (bytes.clone(), 3));
    assert_eq!(
        (read.label(), read.work()),
        (checkpoint.label(), simulation.work())
    );
    assert!(!read.state().carry.is_empty());

    for place in 0..bytes.len() {
        for flip in [0x01, 0x10, 0x80, 0xff] {
            let mut flipped = bytes.clone();
            flipped[place] ^= flip;
            let refused = Checkpoint::from_bytes(&flipped).unwrap_err();
            let expected = match place {
                0..8 => matches!(refused, CheckpointError::NotACheckpoint),
                8..12 => matches!(refused, CheckpointError::Version { known: 2, .. }),
                12..20 => matches!(refused, CheckpointError::Length { .. }),
                _ => refused == CheckpointError::Damaged,
            };
            assert!(expected, "byte {place}: {refused:?}");
        }
    }
    for length in 0..bytes.len() {
        let refused = Checkpoint::from_bytes(&bytes[..length]).unwrap_err();
        assert!(matches!(refused, CheckpointError::Length { found, .. } if found == length as u64));
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(
        Checkpoint::from_bytes(&longer),
        Err(CheckpointError::Length { .. })
    ));
}

#[test]
fn a_checkpoint_that_is_whole_but_makes_no_sense_is_refused_without_a_panic() {
    let bytes = small().checkpoint().to_bytes();
    // The checksum of the format, so that what it covers is looked at.
    let signed = |body: &[u8]| {
        let fnv = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        let sum = body.iter().fold(0xcbf2_9ce4_8422_2325, fnv);
        [body, &sum.to_le_bytes()].concat()
    };
    let covered = &bytes[..bytes.len() - 8];
    assert_eq!(signed(covered), bytes);
    let mut malformed = 0;
    for place in 20..covered.len() {
        for value in [0xff, 0x7f] {
            let mut changed = covered.to_vec();
            changed[place] = value;
            malformed +=
                usize::from(Checkpoint::from_bytes(&signed(&changed)) == Err(CheckpointError::Malformed));
        }
    }
    assert!(malformed > 50, "{malformed}");
    // A part is missing, and the length says so.
    let mut short = covered[..covered.len() - 1].to_vec();
    let length = short.len() as u64 - 20 + 8;
    short[12..20].copy_from_slice(&length.to_le_bytes());
    assert_eq!(
        Checkpoint::from_bytes(&signed(&short)),
        Err(CheckpointError::Malformed)
    );
}

#[test]
fn a_checkpoint_of_another_simulation_is_refused_with_its_reason() {
    let simulation = small();
    let checkpoint = simulation.checkpoint();
    let model = scenario("hamel-pendulum", &[]);
    let refused = |other: &mut Simulation| {
        let before = bits(&other.state);
        let error = other.resume(&checkpoint).unwrap_err();
        assert_eq!(bits(&other.state), before);
        error
    };

    let error = refused(&mut labelled(&model, "rattle").unwrap());
    assert_eq!(
        error.to_string(),
        "the checkpoint was made by `sphere-hamel`, and this simulation steps by `rattle`"
    );

    let new = || labelled(&model, "sphere-hamel").unwrap();
    let label = |model, options| Label {
        method: "sphere-hamel".to_owned(),
        model,
        options,
    };
    let own = simulation.label().clone();
    for print in [None, Some(Fingerprint([8; 32]))] {
        let error = refused(&mut new().labelled(label(print, own.options.clone())));
        assert!(matches!(error, ResumeError::Model { simulation, .. } if simulation == print));
        assert!(
            error
                .to_string()
                .starts_with("the checkpoint belongs to model 070707070707, and this is ")
        );
    }

    let options = Options {
        max_iterations: Some(9),
        ..own.options.clone()
    };
    let error = refused(&mut new().labelled(label(own.model, options)));
    assert_eq!(
        error.to_string(),
        "the checkpoint was made with other options of the method: `max_iterations` was not given and is 9"
    );

    let chain = common::separate();
    let mut other = chain
        .simulation(method("sphere-hamel"), &Options::default())
        .unwrap();
    other = other.labelled(own);
    let error = refused(&mut other);
    assert!(
        matches!(error, ResumeError::Size { checkpoint: 3, .. }),
        "{error}"
    );
}

#[test]
fn a_changed_model_takes_over_configuration_and_velocities() {
    let text = |mass: f64, names: [&str; 2]| {
        let [a, b] = names;
        let text = format!(
            r#"
            body = [{{ name = "{a}", mass = {mass}, direction = [0.6, 0, 0.8], angular_velocity = [0, 1, 0] }},
                    {{ name = "{b}", mass = 1, parent = "{a}", direction = [0, 0, 1] }}]
            potential = [{{ kind = "gravity", acceleration = [0, 0, 9.81] }}]
            method = {{ name = "sphere-implicit" }}
            run = {{ step = 0.01, steps = 1 }}
            "#
        );
        load("pendulum", &text, &[])
    };
    let mut old = text(1.0, ["upper", "lower"]).simulation();
    old.advance(50).unwrap();
    let heavier = text(3.0, ["upper", "lower"]);
    let mut new = heavier.simulation();
    new.take_over(&old).unwrap();
    assert_eq!(
        (&new.state.q, new.state.t, new.steps()),
        (&old.state.q, old.state.t, 0)
    );
    assert!(new.state.carry.is_empty() && new.state.lambda.is_empty());
    assert!(new.state.p != old.state.p);
    let velocity = |simulation: &Simulation| {
        let State { t, q, p, .. } = &simulation.state;
        let mut v = vec![0.0; p.len()];
        let system = simulation.system();
        system.velocity(*t, q, p, &mut v, &mut system.scratch());
        v
    };
    // Two products with M and its inverse, of condition below 100.
    for (a, b) in velocity(&old).into_iter().zip(velocity(&new)) {
        assert!((a - b).abs() < 100.0 * f64::EPSILON, "{a} {b}");
    }
    new.advance(10).unwrap();

    let mut renamed = text(1.0, ["upper", "bob"]).simulation();
    let before = bits(&renamed.state);
    let error = renamed.take_over(&old).unwrap_err();
    assert_eq!(bits(&renamed.state), before);
    let said = error.to_string();
    assert!(
        said.contains("`q.lower.x`") && said.contains("`q.bob.x`"),
        "{said}"
    );
}
