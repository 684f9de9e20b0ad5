use super::{Place, read_json};
use std::fs;

/// A pendulum with a motor, and what it is linearised to.
const MOTOR: &str = "space = \"lagrangian\"\ncoordinates = [\"a\"]\nlagrangian = \"0.5*2*a'^2 + 2*9.81*cos(a)\"\n\
    [start]\na = 0\n[[input]]\nname = \"motor\"\non = \"a\"\n[output]\nrecord = [\"a\", \"a'\"]\n\
    [method]\nname = \"midpoint\"\n[run]\nstep = 0.01\nsteps = 10\n";

#[test]
fn matrices_are_in_files_that_others_read() {
    let place = Place::new();
    fs::write(place.path("motor.toml"), MOTOR).expect("a file");
    let text = place.good("linearize motor.toml --out linear");
    for part in [
        "An equilibrium",
        "3.132091953",
        "Cayley",
        "inputs motor",
        "outputs a, a'",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let files = place.files("linear");
    for file in [
        "A.csv",
        "Ac.csv",
        "B.csv",
        "Bc.csv",
        "C.csv",
        "D.csv",
        "linearize.html",
        "linearize.json",
        "matrices.npz",
    ] {
        assert!(files.iter().any(|name| name == file), "{file}: {files:?}");
    }
    // ȧ = p/2, ṗ = −2·9.81·a + u.
    let rows = |name: &str| -> Vec<f64> {
        let text = fs::read_to_string(place.path("linear").join(name)).expect("a file");
        text.split([',', '\n'])
            .filter(|x| !x.is_empty())
            .map(|x| x.parse().expect("a number"))
            .collect()
    };
    let near = |found: &[f64], exact: &[f64]| {
        found.len() == exact.len() && found.iter().zip(exact).all(|(a, b)| (a - b).abs() < 1e-10)
    };
    assert!(
        near(&rows("Ac.csv"), &[0.0, 0.5, -2.0 * 9.81, 0.0]),
        "{:?}",
        rows("Ac.csv")
    );
    assert!(near(&rows("Bc.csv"), &[0.0, 1.0]) && near(&rows("C.csv"), &[1.0, 0.0, 0.0, 0.5]));
    assert!(near(&rows("D.csv"), &[0.0, 0.0]));
    // The midpoint rule in closed form: c = h²ω²/4.
    let c = 0.25e-4 * 9.81;
    let cosine = (1.0 - c) / (1.0 + c);
    let a = rows("A.csv");
    assert!(
        (a[0] - cosine).abs() < 1e-11 && (a[1] - 0.005 / (1.0 + c)).abs() < 1e-11,
        "{a:?}"
    );
    let json = read_json(&place.path("linear/linearize.json"));
    assert_eq!(json["states"], serde_json::json!(["a", "p.a"]));
    assert_eq!(json["cayley"], true);
    let archive = fs::read(place.path("linear/matrices.npz")).expect("a file");
    assert!(archive.starts_with(b"PK") && archive.windows(15).any(|bytes| bytes == b"'shape': (2, 2)"));
}

#[test]
fn modes_and_orbits_move_on_their_pages() {
    let place = Place::new();
    place.good("linearize four-bar --settled --out bar");
    let page = fs::read_to_string(place.path("bar/linearize.html")).expect("a page");
    assert!(page.contains("id=\"film\"") && page.contains("mode 1"), "no film");
    place.good("orbit plane-pendulum --period 2.1 --out swing");
    let page = fs::read_to_string(place.path("swing/orbit.html")).expect("a page");
    assert!(
        page.contains("id=\"film\"") && page.contains("Floquet multipliers"),
        "no film"
    );
    // The model that is left comes back to where it starts.
    let summary = place.json("run swing/orbit.toml --no-files --json");
    let moved = &summary["coordinates"][0];
    let (start, end) = (
        moved["initial"].as_f64().expect("a number"),
        moved["final"].as_f64().expect("a number"),
    );
    assert!(start.abs() > 0.1 && (start - end).abs() < 1e-11, "{start} {end}");
}

#[test]
fn what_cannot_be_linearised_and_does_not_close_is_said() {
    let place = Place::new();
    let falls = MOTOR.replace("0.5*2*a'^2 + 2*9.81*cos(a)", "0.5*a'^2 - 9.81*a");
    fs::write(place.path("falls.toml"), falls).expect("a file");
    for (command, code, said) in [
        (
            "linearize spherical-pendulum --method dop853 --no-files",
            2,
            "chooses its own steps",
        ),
        (
            "linearize plane-pendulum --at=-1 --no-files",
            2,
            "before the start",
        ),
        ("linearize plane-pendulum --at soon --no-files", 2, "--at soon"),
        (
            "linearize plane-pendulum --record nothing --no-files",
            2,
            "there is nothing to record named `nothing`",
        ),
        (
            "orbit plane-pendulum --period=-1 --no-files",
            2,
            "is not positive",
        ),
        ("orbit falls.toml --period 1 --no-files", 1, "orbit"),
        (
            "orbit plane-pendulum --period 2 --vary nothing=1:2:3 --no-files",
            2,
            "`nothing` cannot be varied",
        ),
        (
            "orbit plane-pendulum --period 2 --vary parameters.m --no-files",
            2,
            "there is no key",
        ),
        (
            "orbit plane-pendulum --period 2 --energy 1:2 --no-files",
            2,
            "A:B:N",
        ),
        (
            "orbit damped-pendulum --period 3.14 --energy 1 --no-files",
            2,
            "the energy cannot be chosen",
        ),
    ] {
        let done = place.run(command);
        assert_eq!(done.code, Some(code), "{command}\n{}{}", done.out, done.err);
        assert!(done.err.contains(said), "{command}\n{}", done.err);
    }
    let text = place.good("linearize plane-pendulum --no-files");
    assert!(text.contains("The state is no equilibrium"), "{text}");
}
