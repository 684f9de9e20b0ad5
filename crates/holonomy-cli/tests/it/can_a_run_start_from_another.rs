use super::{Place, do_formats_agree::read_csv, read_json};

#[test]
fn it_starts_where_the_other_ended_and_its_model_runs_again() {
    let place = Place::new();
    // Spheres, formulas, a frame, a driven tree with constraints.
    for name in [
        "double-spherical-pendulum",
        "double-plane-pendulum",
        "chaplygin-sleigh",
        "slider-crank",
    ] {
        place.good(&format!(
            "run {name} --steps 40 --every 4 --certify none --out {name}"
        ));
        let ended = read_json(&place.path(&format!("{name}/summary.json")));
        let done = place.run(&format!(
            "run {name} --from {name} --steps 30 --format csv --certify none --out {name}-on"
        ));
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert!(
            done.err.contains(&format!("starts where {name} ended")),
            "{}",
            done.err
        );
        let (_, rows) = read_csv(&place.path(&format!("{name}-on/trajectory.csv")));
        assert_eq!(rows[0][0], ended["t_end"].as_f64().expect("a time"), "{name}");
        let q = ended["final_state"]["q"].as_array().expect("coordinates");
        for (k, q) in q.iter().enumerate() {
            let turn = (rows[0][3 + k] - q.as_f64().expect("a number")) / std::f64::consts::TAU;
            assert!((turn - turn.round()).abs() < 1e-15, "{name}: coordinate {k}");
        }
        // Its own model, without the other run, gives the same bytes.
        std::fs::create_dir(place.path("apart")).expect("a folder");
        std::fs::rename(
            place.path(&format!("{name}-on/model.toml")),
            place.path("apart/model.toml"),
        )
        .expect("a model");
        place.good("run apart/model.toml --certify none --out again");
        let bytes = |folder: &str| {
            let files = ["trajectory.csv", "energy.svg"].map(|file| place.path(&format!("{folder}/{file}")));
            files.map(|path| std::fs::read(path).expect("a file"))
        };
        assert!(bytes("again") == bytes(&format!("{name}-on")), "{name}");
        for folder in ["apart", "again"] {
            std::fs::remove_dir_all(place.path(folder)).expect("it goes");
        }
    }
}

/// Half of a run, and from there the other half, is the whole: the second half has the same points to rounding.
#[test]
fn two_halves_are_a_whole() {
    let place = Place::new();
    let model = "double-plane-pendulum --step 0.005 --every 1 --certify none --format csv";
    place.good(&format!("run {model} --steps 100 --out whole"));
    let done = place.run(&format!("run {model} --from whole@0.2512 --steps 50 --out half"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(
        done.err
            .contains("starts at t = 0.25 s of whole, the recorded sample nearest to 0.2512 s"),
        "{}",
        done.err
    );
    let [whole, half] =
        ["whole", "half"].map(|name| read_csv(&place.path(&format!("{name}/trajectory.csv"))).1);
    for (expected, found) in whole[50..].iter().zip(&half) {
        for (a, b) in expected.iter().zip(found) {
            assert!((a - b).abs() < 1e-9, "{expected:?} {found:?}");
        }
    }
    assert_eq!(half.len(), 51);
}

/// Positions and velocities stay, whatever becomes of masses: the momenta follow.
#[test]
fn a_changed_model_starts_with_the_same_velocities() {
    let place = Place::new();
    place.good("run double-spherical-pendulum --steps 50 --certify none --format csv --out light");
    let changed = "--set body.lower.mass=7 --set output.format=csv --certify none";
    place.good(&format!(
        "run double-spherical-pendulum {changed} --from light --steps 5 --out heavy"
    ));
    let [light, heavy] =
        ["light", "heavy"].map(|name| read_csv(&place.path(&format!("{name}/trajectory.csv"))).1);
    let (last, first) = (&light[light.len() - 1], &heavy[0]);
    for k in 3..last.len() {
        assert!((last[k] - first[k]).abs() < 1e-12, "column {k}");
    }
    assert!((last[1] - first[1]).abs() > 1.0, "the kinetic energy is another");
}

#[test]
fn what_does_not_fit_is_refused_in_a_sentence() {
    let place = Place::new();
    place.good("run double-plane-pendulum --steps 20 --certify none --out run");
    std::fs::create_dir(place.path("empty")).expect("a folder");
    for (arguments, said) in [
        (
            "run double-plane-pendulum --from run@99",
            "t = 99 s is outside the run, which goes from 0 s to 0.1 s",
        ),
        (
            "run double-plane-pendulum --from run@soon",
            "`soon` is not a time",
        ),
        (
            "run double-plane-pendulum --from empty",
            "holds no run that has ended: there is no `summary.json` in it",
        ),
        (
            "run double-plane-pendulum --from nowhere",
            "nowhere holds no run that has ended",
        ),
        (
            "run plane-pendulum --from run",
            "the models do not have the same coordinates: `a`, `b`",
        ),
    ] {
        let done = place.run(arguments);
        assert_eq!(done.code, Some(2), "{arguments}\n{}", done.err);
        assert!(done.err.contains(said), "{arguments}\n{}", done.err);
        assert!(done.err.contains("help: "), "{arguments}\n{}", done.err);
    }
    // Without a trajectory its end is still known.
    std::fs::remove_file(place.path("run/trajectory.parquet")).expect("it goes");
    let done = place.run("run double-plane-pendulum --from run@0.05");
    assert!(
        done.code == Some(2) && done.err.contains("leave out `@T`"),
        "{}",
        done.err
    );
    place.good("run double-plane-pendulum --from run --steps 3 --no-files");
}
