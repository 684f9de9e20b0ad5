use super::*;
use holonomy::{
    Vec3,
    scene::{Scene, Shape},
    spheres::{Body, Spheres, SpheresParts},
};
use holonomy_model::{Model, Source, load, scenario};
use serde_json::Value;

fn model(name: &str, overrides: &[&str]) -> Model {
    let mut source = Source::new(name, scenario::find(name).expect("a scenario").model);
    for text in overrides {
        source.with_override(*text);
    }
    load(&source).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// A run with its film, and all of its states.
struct Filmed {
    clip: Clip,
    states: Vec<State>,
    simulation: Simulation,
}

fn filmed(name: &str, overrides: &[&str]) -> Filmed {
    struct Watch(Clip, Vec<State>);
    impl holonomy::simulation::Observer for Watch {
        fn observe(&mut self, sample: &Sample) -> std::ops::ControlFlow<()> {
            self.0.push(sample);
            self.1.push(sample.state.clone());
            std::ops::ControlFlow::Continue(())
        }
    }
    let model = model(name, overrides);
    let mut simulation = model.simulation();
    let mut watch = Watch(Clip::new("some-method"), Vec::new());
    simulation
        .run(&model.schedule, &mut [&mut watch])
        .expect("it runs");
    let Watch(mut clip, states) = watch;
    clip.close(&simulation, String::new(), None);
    Filmed {
        clip,
        states,
        simulation,
    }
}

fn parsed(clips: &[&Clip]) -> Value {
    let text = film(clips.iter().copied()).expect("a film");
    assert!(text.len() <= MOST_TEXT, "{}", text.len());
    serde_json::from_str(&text).expect("JSON")
}

/// Bytes of base64, by another route than the writer's.
fn bytes(value: &Value) -> Vec<u8> {
    let letters: Vec<char> = ('A'..='Z')
        .chain('a'..='z')
        .chain('0'..='9')
        .chain(['+', '/'])
        .collect();
    let (mut out, mut bits, mut held) = (Vec::new(), 0_u32, 0);
    for letter in value
        .as_str()
        .expect("text")
        .chars()
        .filter(|letter| *letter != '=')
    {
        let six = letters.iter().position(|other| *other == letter).expect("base64");
        (bits, held) = (bits << 6 | six as u32, held + 6);
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    out
}

fn floats(value: &Value) -> Vec<f32> {
    let bytes = bytes(value);
    bytes
        .chunks_exact(4)
        .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
        .collect()
}

fn whole(value: &Value) -> Vec<f64> {
    let bytes = bytes(value);
    bytes
        .chunks_exact(2)
        .map(|two| f64::from(i16::from_le_bytes([two[0], two[1]])))
        .collect()
}

/// Places of all frames, and the length that one unit of them is.
fn places(value: &Value) -> (Vec<[f64; 3]>, f64) {
    let number = |value: &Value| value.as_f64().expect("a number");
    let (origin, scale) = (&value["origin"], number(&value["scale"]));
    let numbers = whole(&value["data"]);
    let place = |three: &[f64]| [0, 1, 2].map(|k| number(&origin[k]) + scale * three[k]);
    (numbers.chunks_exact(3).map(place).collect(), scale)
}

#[test]
fn every_frame_is_the_pose_of_its_state_within_half_a_quantum() {
    // Links, a tree with frames, and one with many constraints.
    for (name, overrides) in [
        ("double-spherical-pendulum", &["run.duration=20"][..]),
        ("puppet", &["run.duration=2"]),
        ("scissor-lift", &["run.duration=1"]),
    ] {
        let run = filmed(name, overrides);
        let json = parsed(&[&run.clip]);
        let clip = &json["clips"][0];
        assert_eq!(clip["every"], 1, "{name}");
        let times = floats(&clip["times"]);
        assert_eq!(times.len(), run.states.len(), "{name}");
        let (points, quantum) = places(&clip["points"]);
        let system = run.simulation.system();
        let (mut poses, mut scratch) = (Poses::default(), system.scratch());
        let per_frame = points.len() / times.len();
        let turned = clip
            .get("frames")
            .map(|frames| (places(&frames["positions"]), whole(&frames["rotations"])));
        for (k, state) in run.states.iter().enumerate() {
            assert_eq!(times[k], state.t as f32);
            system.poses(state, &mut poses, &mut scratch);
            assert_eq!(poses.points.len(), per_frame);
            // Half a quantum, and the rounding of the sum.
            let near = |read: f64, exact: f64, quantum: f64| (read - exact).abs() <= 0.5000001 * quantum;
            let close = |read: &[f64; 3], exact: &[f64; 3], quantum: f64| {
                read.iter().zip(exact).all(|(a, b)| near(*a, *b, quantum))
            };
            for (read, exact) in points[k * per_frame..].iter().zip(&poses.points) {
                assert!(close(read, exact, quantum), "{name} {read:?} {exact:?}");
            }
            let Some(((positions, quantum), rotations)) = &turned else {
                continue;
            };
            let n = poses.frames.len();
            for (body, exact) in poses.frames.iter().enumerate() {
                assert!(
                    close(&positions[k * n + body], &exact.position, *quantum),
                    "{name}"
                );
                let read = &rotations[4 * (k * n + body)..];
                assert!(
                    (0..4).all(|c| near(read[c] / 32767.0, exact.rotation[c], 1.0 / 32767.0)),
                    "{name}"
                );
            }
        }
        assert_eq!(turned.is_some(), name != "double-spherical-pendulum", "{name}");
        assert!(clip.get("heat").is_none() && clip.get("coordinates").is_none());
    }
}

#[test]
fn frames_of_a_long_run_are_even_and_few_and_have_both_ends() {
    for samples in [2_u64, 3, 5_999, 6_000, 6_001, 12_001, 33_333, 54_321] {
        let steps = samples - 1;
        let steps = format!("run.steps={steps}");
        let run = filmed("spherical-pendulum", &["run.duration=", &steps, "run.every=1"]);
        let json = parsed(&[&run.clip]);
        let clip = &json["clips"][0];
        let times = floats(&clip["times"]);
        let every = clip["every"].as_u64().expect("a number");
        let least = (samples as usize).min(MOST_FRAMES / 2);
        assert!(
            (least..=MOST_FRAMES).contains(&times.len()),
            "{samples} {}",
            times.len()
        );
        // Steps of 0.01 s; the last frame is nearer where the number of samples asks for it.
        for (k, t) in times[..times.len() - 1].iter().enumerate() {
            assert_eq!(*t, run.states[k * every as usize].t as f32, "{samples}");
        }
        assert_eq!(
            times.last(),
            run.states.last().map(|state| state.t as f32).as_ref()
        );
        assert!(run.clip.frames.len() <= SPARE * MOST_FRAMES);
        let (points, quantum) = places(&clip["points"]);
        let tip = points[points.len() - points.len() / times.len()];
        let q = &run.simulation.state.q;
        // The pendulum is one metre long.
        assert!(
            (0..3).all(|k| (tip[k] - q[k]).abs() <= 0.5000001 * quantum),
            "{tip:?} {q:?}"
        );
    }
}

/// The molecules of the largest shipped sphere, ×4.
#[test]
fn very_many_bodies_keep_the_budget() {
    let count = 40_962;
    let names = (0..count).map(|k| Body::point(format!("molecule-{k}"), 1.0, 1.0));
    let system = Spheres::new(SpheresParts {
        gravity: Vec3::zeros(),
        bodies: names.collect(),
        ..SpheresParts::default()
    })
    .expect("a system");
    let places: Vec<Vec3> = (0..count)
        .map(|k| Vec3::new(f64::from(k), 1.0, 3.0).normalize())
        .collect();
    let turns: Vec<Vec3> = places.iter().map(|q| q.cross(&Vec3::z())).collect();
    let mut state = system.state(&places, &turns).expect("a state");
    let mut clip = Clip::default();
    let mut measured = Measurement::default();
    for step in 0..300 {
        state.t = f64::from(step);
        if step == 0 {
            system.measure(&state, &mut measured, &mut system.scratch());
        }
        clip.push(&Sample {
            step: step as u64,
            system: &system,
            state: &state,
            measured: &measured,
        });
    }
    let json = parsed(&[&clip]);
    let clip = &json["clips"][0];
    let shown = clip["bodies"]["shown"].as_u64().expect("a number") as usize;
    assert_eq!(clip["bodies"]["of"], count);
    let note = json["note"].as_str().expect("a note");
    assert!(
        note.ends_with("th sample is shown. 1000 of 40\u{2009}962 bodies are shown."),
        "{note}"
    );
    assert_eq!(shown, MOST_SHOWN);
    let times = floats(&clip["times"]);
    assert!(times.len() > 40 && times[0] == 0.0, "{}", times.len());
    let scene: Scene = serde_json::from_value(clip["scene"].clone()).expect("a scene");
    let heat = bytes(&clip["heat"]);
    assert_eq!(heat.len(), shown * times.len());
    let largest = heat.iter().copied().max();
    assert_eq!(largest, Some(255));
    let (points, quantum) = self::places(&clip["points"]);
    assert_eq!(points.len(), scene.points.len() * times.len());
    // Shapes, names and places agree after the choice; kinetic energies are those of ω = q × z.
    for shape in &scene.shapes {
        let Shape::Mass { body, at, .. } = shape else {
            assert!(matches!(shape, Shape::Sphere { .. }), "{shape:?}");
            continue;
        };
        let name = &scene.points[*at];
        let k: usize = name.trim_start_matches("molecule-").parse().expect("a number");
        assert!((0..3).all(|c| (points[*at][c] - places[k][c]).abs() <= 0.5000001 * quantum));
        let expected = 255.0 * turns[k].norm_squared();
        // One unit of 255 for rounding, and one for a largest that is not quite 1.
        assert!((f64::from(heat[*body]) - expected).abs() <= 1.5, "{name}");
    }
}

#[test]
fn coordinates_of_a_lagrangian_are_in_the_film() {
    let run = filmed("kepler", &["run.duration=5"]);
    let json = parsed(&[&run.clip]);
    let clip = &json["clips"][0];
    assert!(clip.get("frames").is_none() && clip.get("heat").is_none());
    let coordinates = &clip["coordinates"];
    let n = coordinates["names"].as_array().expect("names").len();
    assert_eq!(coordinates["names"][0], "x");
    assert_eq!(coordinates["angles"].as_array().map(Vec::len), Some(n));
    let (q, v) = (floats(&coordinates["q"]), floats(&coordinates["v"]));
    for (k, state) in run.states.iter().enumerate() {
        assert!((0..n).all(|i| q[n * k + i] == state.q[i] as f32));
    }
    assert_eq!(v.len(), q.len());
    // Quasi-velocities are not those of coordinates.
    let sleigh = filmed("chaplygin-sleigh", &["run.duration=1"]);
    let json = parsed(&[&sleigh.clip]);
    assert!(json["clips"][0]["coordinates"].get("v").is_none());
}

#[test]
fn clips_of_one_scene_share_it_and_the_budget() {
    let runs: Vec<Filmed> = (0..4).map(|_| filmed("puppet", &[])).collect();
    let clips: Vec<&Clip> = runs.iter().map(|run| &run.clip).collect();
    let json = parsed(&clips);
    let scenes = json["clips"]
        .as_array()
        .expect("clips")
        .iter()
        .map(|clip| clip["scene"].is_null());
    assert_eq!(scenes.collect::<Vec<_>>(), [false, true, true, true]);
    let alone = parsed(&clips[..1]);
    let frames = |json: &Value| floats(&json["clips"][0]["times"]).len();
    assert!(frames(&json) < frames(&alone) && frames(&json) > 20);
}

#[test]
fn a_run_that_ended_early_says_why() {
    let run = filmed("spherical-pendulum", &["run.duration=1"]);
    let mut clip = run.clip;
    assert!(parsed(&[&clip])["clips"][0]["ended"].is_null());
    clip.close(
        &run.simulation,
        "far off".to_owned(),
        Some("too steep".to_owned()),
    );
    let json = parsed(&[&clip]);
    let clip = &json["clips"][0];
    let said = ["name", "note", "ended"].map(|key| clip[key].as_str());
    assert_eq!(said, [Some("some-method"), Some("far off"), Some("too steep")]);
}

#[test]
fn what_leaves_all_bounds_is_left_out() {
    let run = filmed("spherical-pendulum", &["run.duration=1"]);
    let (system, mut state) = (run.simulation.system().clone(), run.simulation.state.clone());
    let mut clip = run.clip;
    let frames = clip.frames.len();
    state.q[0] = f64::NAN;
    clip.push(&Sample {
        step: 1000,
        system: &*system,
        state: &state,
        measured: &Measurement::default(),
    });
    assert_eq!(clip.frames.len(), frames);
}

#[test]
fn a_point_without_a_value_has_none_in_the_film_and_moves_no_other() {
    let mut run = filmed("double-spherical-pendulum", &["run.duration=1"]);
    let before = parsed(&[&run.clip]);
    run.clip.frames[3].points[0] = [f64::NAN; 3];
    let after = parsed(&[&run.clip]);
    let [before, after] = [before, after].map(|json| whole(&json["clips"][0]["points"]["data"]));
    let gone = 3 * 3 * run.clip.frames[0].points.len();
    for (k, (before, after)) in before.iter().zip(&after).enumerate() {
        let expected = if (gone..gone + 3).contains(&k) {
            -32768.0
        } else {
            *before
        };
        assert_eq!(*after, expected, "{k}");
    }
}

#[test]
fn a_film_says_what_it_leaves_out() {
    let run = filmed("spherical-pendulum", &["run.duration=1"]);
    assert!(parsed(&[&run.clip]).get("note").is_none());
    let steps = format!("run.steps={}", 3 * MOST_FRAMES);
    let run = filmed("spherical-pendulum", &["run.duration=", &steps, "run.every=1"]);
    let json = parsed(&[&run.clip]);
    assert_eq!(json["clips"][0]["every"], 4);
    assert_eq!(json["note"], "Every 4th sample is shown.");
}
