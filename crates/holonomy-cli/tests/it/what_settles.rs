use super::Place;

#[test]
fn an_equilibrium_is_printed_and_can_be_started_from() {
    let place = Place::new();
    let text = place.good("settle cable-robot");
    for part in [
        "stable equilibrium",
        "2 degrees of freedom",
        "north-east  35.8663  N",
        "98.1 J",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let json = place.json("settle catenary --json");
    assert_eq!(json["stability"], "stable");
    let settled = json["coordinates"]["theta.left-half-1"]
        .as_f64()
        .expect("a number");
    place.good("settle catenary --write settled.toml");
    let summary = place.json("run settled.toml --no-files --json --steps 200");
    let moved = &summary["coordinates"][0];
    let (start, end) = (
        moved["initial"].as_f64().expect("a number"),
        moved["final"].as_f64().expect("a number"),
    );
    assert!(
        (start - settled).abs() < 1e-12 && (end - settled).abs() < 1e-11,
        "{start} {end} {settled}"
    );
    assert_eq!(summary["multipliers"][0]["unit"], "N");
    // It is not replaced.
    assert_eq!(place.run("settle catenary --write settled.toml").code, Some(2));
}

#[test]
fn what_does_not_settle_is_said_with_the_reason() {
    let place = Place::new();
    let stone = "space = \"tree\"\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"stone\"\njoint = { kind = \"free\" }\n\
        mass = 1\ninertia = [1, 1, 1]\n[method]\nname = \"tree-variational\"\n[run]\nstep = 0.01\nsteps = 10\n";
    std::fs::write(place.path("stone.toml"), stone).expect("a file");
    let done = place.run("settle stone.toml");
    assert_eq!(done.code, Some(1), "{}", done.err);
    assert!(
        done.err.contains("nothing holds `position.stone.z`"),
        "{}",
        done.err
    );
    let done = place.run("settle kepler");
    assert_eq!(done.code, Some(2));
    assert!(done.err.contains("only trees settle"), "{}", done.err);
}
