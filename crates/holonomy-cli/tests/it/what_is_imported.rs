use super::Place;
use std::{
    fs,
    io::Write,
    process::{Output, Stdio},
};

const ROBOT: &str = include_str!("../../../../tests/robots/every-joint.urdf");

fn place() -> Place {
    let place = Place::new();
    fs::write(place.path("robot.urdf"), ROBOT).expect("a file");
    place
}

#[test]
fn an_imported_robot_can_be_checked_and_run_at_once() {
    let place = place();
    let done = place.run("import robot.urdf");
    assert_eq!(done.code, Some(0), "{}", done.err);
    fs::write(place.path("robot.toml"), &done.out).expect("a file");
    assert!(done.err.starts_with("carried  9 links, 8 joints"), "{}", done.err);
    for line in done.err.lines().skip(1) {
        let line = line.get(9..).unwrap_or_default();
        assert!(
            done.out.contains(&format!("#   {line}\n")),
            "{line}\n{}",
            done.out
        );
    }
    assert!(
        place
            .good("check robot.toml")
            .starts_with("ok: 10 bodies, 1 constraint, tree-variational")
    );
    place.good("run robot.toml --steps 100 --no-files --quiet");
    place.good("import robot.urdf --floating -o flying.toml");
    assert!(place.good("check flying.toml").starts_with("ok: 11 bodies"));
}

#[test]
fn the_model_goes_where_it_is_wanted() {
    let place = place();
    let text = place.good("import robot.urdf");
    assert_eq!(place.good("import robot.urdf -o robot.toml"), "");
    assert_eq!(
        fs::read_to_string(place.path("robot.toml")).expect("a file"),
        text
    );
    let done = place.run("import robot.urdf --output robot.toml");
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert!(done.err.contains("robot.toml exists already"), "{}", done.err);
    place.good("import robot.urdf -o robot.toml --force");
    let done = place.run("import robot.urdf --quiet");
    assert_eq!((done.out, done.err), (text.clone(), String::new()));
    let all = place.good("import robot.urdf --all");
    assert!(all.lines().count() > text.lines().count(), "{all}");
    let mut command = place.command("import -");
    let started = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = started.expect("the command starts");
    child
        .stdin
        .take()
        .expect("an input")
        .write_all(ROBOT.as_bytes())
        .expect("it listens");
    let output: Output = child.wait_with_output().expect("it ends");
    let from_input = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(
        from_input.replace("From the standard input", "From robot.urdf"),
        text
    );
}

#[test]
fn what_is_wrong_is_underlined_and_nothing_is_written() {
    let place = place();
    fs::write(
        place.path("bad.urdf"),
        ROBOT.replace("xyz=\"0.6 0 0.8\"", "xyz=\"0 0 0\""),
    )
    .expect("a file");
    let done = place.run("import bad.urdf -o bad.toml");
    assert_eq!((done.code, done.out.as_str()), (Some(2), ""));
    assert!(
        done.err.contains("bad.urdf:39:16") && done.err.contains("^^^^^"),
        "{}",
        done.err
    );
    assert!(!place.path("bad.toml").exists());
    let done = place.run("import none.urdf");
    assert_eq!(done.code, Some(2));
    assert!(done.err.contains("cannot read none.urdf"), "{}", done.err);
}

#[test]
fn mjcf_is_known_by_its_outermost_element() {
    let place = Place::new();
    let machine = include_str!("../../../../tests/robots/mjcf/every-joint.xml");
    fs::write(place.path("machine.xml"), machine).expect("a file");
    let done = place.run("import machine.xml -o machine.toml");
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(
        done.err.starts_with("carried  6 bodies, 7 joints"),
        "{}",
        done.err
    );
    place.good("run machine.toml --steps 100 --no-files --quiet");
    fs::write(place.path("bad.xml"), machine.replace("\"0 1 1\"", "\"0 0 0\"")).expect("a file");
    let done = place.run("import bad.xml");
    assert_eq!((done.code, done.out.as_str()), (Some(2), ""));
    assert!(done.err.contains("bad.xml:18:32"), "{}", done.err);
}

#[test]
fn a_robot_is_written_again_and_what_urdf_has_not_is_refused() {
    let place = place();
    place.good("import robot.urdf -o robot.toml");
    let done = place.run("export robot.toml --to urdf");
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(
        done.err.contains("written      11 links, 10 joints, 1 of which"),
        "{}",
        done.err
    );
    place.good("export robot.toml --to urdf --out again.urdf");
    let text = fs::read_to_string(place.path("again.urdf")).expect("a file");
    assert_eq!(text, done.out);
    assert_eq!(
        place.run("export robot.toml --to urdf --out again.urdf").code,
        Some(2)
    );
    place.good("import again.urdf -o again.toml");
    place.good("check again.toml");
    let done = place.run("export tumbling-racket --to urdf");
    assert_eq!((done.code, done.out.as_str()), (Some(2), ""));
    assert!(
        done.err.contains("`racket` is on a spherical joint"),
        "{}",
        done.err
    );
    assert_eq!(place.run("export kepler --to urdf").code, Some(2));
}
