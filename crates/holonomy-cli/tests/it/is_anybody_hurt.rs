use super::{Done, Place, RUN};
use std::fs;

fn refused(place: &Place, arguments: &str, expected: &str) {
    let done = place.run(arguments);
    assert_eq!(done.code, Some(2), "{arguments}: {}", done.err);
    assert!(done.err.contains(expected), "{arguments}: {}", done.err);
}

const MODEL: &str = "coordinates = ['x']\nlagrangian = \"0.5*x'^2\"\nstart = { x = 0.1 }\n\
                     [method]\nname = 'midpoint'\n[run]\nstep = 0.01\nsteps = 10\n";

#[test]
fn a_run_does_not_replace_its_own_model() {
    let place = Place::new();
    fs::create_dir(place.path("mine")).expect("a directory");
    fs::write(place.path("mine/model.toml"), MODEL).expect("a file");
    for force in ["", "--force"] {
        refused(
            &place,
            &format!("run mine/model.toml --out mine {force}"),
            "is the model itself",
        );
        refused(
            &place,
            &format!("run mine --out mine/. {force}"),
            "is the model itself",
        );
    }
    assert_eq!(place.files("mine"), ["model.toml"]);
    assert_eq!(
        fs::read_to_string(place.path("mine/model.toml")).expect("a file"),
        MODEL
    );
    // Nor that of a run, in which somebody may have changed something.
    place.good("run mine --out run");
    refused(
        &place,
        "run run/model.toml --out run --force",
        "is the model itself",
    );
}

#[test]
fn files_of_others_are_neither_replaced_nor_removed() {
    let place = Place::new();
    place.good("run spherical-pendulum --steps 10 --out run");
    // A figure that this run does not have, under a name that another has.
    fs::write(place.path("run/path.svg"), "mine").expect("a file");
    refused(
        &place,
        "run spherical-pendulum --steps 20 --out run --force",
        "run holds path.svg, which holonomy did not put there",
    );
    assert_eq!(
        fs::read_to_string(place.path("run/path.svg")).expect("a file"),
        "mine"
    );
    fs::remove_file(place.path("run/path.svg")).expect("a file");
    place.good("run spherical-pendulum --steps 20 --out run --force");
    assert_eq!(place.files("run"), RUN);
    fs::create_dir(place.path("mine")).expect("a directory");
    fs::write(place.path("mine/model.toml"), MODEL).expect("a file");
    refused(
        &place,
        "run spherical-pendulum --steps 20 --out mine --force",
        "mine holds model.toml, which holonomy did not put there",
    );
}

#[test]
fn what_was_decided_when_a_run_was_killed_is_done_and_nothing_is_mixed() {
    let place = Place::new();
    place.good("run spherical-pendulum --steps 10 --out old");
    place.good("run spherical-pendulum --steps 20 --out new");
    // As if it had been killed between two names: the trajectory is the new one, all else waits.
    let files: Vec<&str> = RUN.into_iter().filter(|name| !name.starts_with('.')).collect();
    for (count, name) in files.iter().enumerate() {
        let hidden = match *name {
            "trajectory.parquet" => (*name).to_owned(),
            name => format!(".{name}.part"),
        };
        fs::copy(place.path("new").join(name), place.path("old").join(hidden)).expect("a file");
        assert!(count < 20);
    }
    let mut placing: Vec<&str> = files
        .iter()
        .copied()
        .filter(|name| *name != "summary.json")
        .collect();
    placing.push("summary.json");
    let list = serde_json::json!({ "files": files, "placing": placing });
    fs::write(place.path("old/.holonomy"), list.to_string()).expect("a file");
    let new = fs::read(place.path("new/summary.json")).expect("a file");
    place.good("report old");
    assert_eq!(fs::read(place.path("old/summary.json")).expect("a file"), new);
    assert_eq!(place.files("old"), RUN);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let place = Place::new();
    fs::create_dir(place.path("run")).expect("a directory");
    let target = place.path("precious");
    for name in [
        "summary.json",
        "trajectory.parquet",
        "unfinished",
        "film-wanted",
        "unfinished.new",
    ] {
        fs::write(&target, "precious").expect("a file");
        let link = place.path("run").join(format!(".{name}.part"));
        std::os::unix::fs::symlink(&target, &link).expect("a link");
        place.good("run spherical-pendulum --steps 10 --out run --force");
        assert_eq!(fs::read_to_string(&target).expect("a file"), "precious", "{name}");
        assert_eq!(place.files("run"), RUN);
    }
}

#[test]
fn a_title_moves_no_cursor() {
    let place = Place::new();
    let title = "title = \"a\\u001b]0;owned\\u0007b\\u001b[2J\\u009b1mc\"\n";
    fs::write(place.path("m.toml"), format!("{title}{MODEL}")).expect("a file");
    for command in [
        "run m.toml --no-files",
        "explain m.toml",
        "check m.toml",
        "compare m.toml --no-files",
    ] {
        let Done { out, err, .. } = place.run(command);
        let bad = |text: &str| {
            text.chars()
                .any(|letter| letter.is_control() && !"\n\t".contains(letter))
        };
        assert!(!bad(&out) && !bad(&err), "{command}: {out:?} {err:?}");
    }
}

#[test]
fn a_model_of_dots_has_a_folder_of_its_own() {
    let place = Place::new();
    fs::write(place.path("...toml"), MODEL).expect("a file");
    place.good("run ./...toml");
    assert_eq!(place.files("."), ["...toml", "runs"]);
    assert_eq!(place.files("runs").len(), 1);
}

#[test]
fn scripts_do_not_enter_a_report() {
    let place = Place::new();
    place.good("run spherical-pendulum --steps 10 --out run");
    place.good("report run");
    let page = || fs::read_to_string(place.path("run/report.html")).expect("a page");
    let before = page();
    let svg = |inside: &str| format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{inside}</svg>");
    for (bad, named) in [
        (svg("<script>alert(1)</script>"), "`script`"),
        (svg("<g onload=\"alert(1)\"/>"), "`onload`"),
        (
            svg("<title><![CDATA[<img src=x onerror=alert(1)>]]></title>"),
            "`<!`",
        ),
        (svg("<foreignObject/>"), "`foreignObject`"),
        (svg("<path fill=\"url(http://example.org/x)\"/>"), "`fill`"),
        ("<html/>".to_owned(), "`html`"),
        ("<svg".to_owned(), "no XML"),
    ] {
        fs::write(place.path("run/energy.svg"), &bad).expect("a file");
        refused(&place, "report run", named);
        assert!(page() == before);
    }
}

#[test]
fn many_columns_need_few_files() {
    let place = Place::new();
    let body = |k: usize| {
        format!(
            "[[body]]\nname = 'b{k}'\nmass = 1\njoint = {{ kind = 'prismatic', axis = [0, 0, 1] }}\nvelocity = 1\n"
        )
    };
    let bodies: String = (0..200).map(body).collect();
    let model = format!(
        "space = 'tree'\n{bodies}[method]\nname = 'tree-variational'\n[run]\nstep = 0.01\nsteps = 3\n"
    );
    fs::write(place.path("wide.toml"), model).expect("a file");
    let program = env!("CARGO_BIN_EXE_holonomy");
    let script = format!("ulimit -n 64; exec '{program}' run wide.toml --format npz --certify none --quiet");
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.path("."))
        .output();
    let done: Done = output.expect("a shell").into();
    assert_eq!(done.code, Some(0), "{}", done.err);
    let file = fs::File::open(place.path("runs/wide/trajectory.npz")).expect("a file");
    let archive = zip::ZipArchive::new(file).expect("an archive");
    assert_eq!(archive.len(), 3 + 2 * 200);
}

/// Runs the command with so many megabytes of memory.
fn with_memory(place: &Place, megabytes: u64, arguments: &str) -> Done {
    let program = env!("CARGO_BIN_EXE_holonomy");
    let script = format!("ulimit -v {}; exec '{program}' {arguments}", megabytes * 1024);
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.path("."))
        .output();
    output.expect("a shell").into()
}

#[test]
fn what_is_too_large_is_refused_before_it_is_read() {
    let place = Place::new();
    let huge = format!("x = [{}]\n", "1.0, ".repeat(4_000_000));
    fs::write(place.path("huge.toml"), huge).expect("a file");
    fs::write(place.path("latin.toml"), b"title = \"\xe9\"\n").expect("a file");
    fs::write(place.path("latin.urdf"), b"<robot name=\"\xe9\"/>").expect("a file");
    let attributes: Vec<String> = (0..200_000).map(|k| format!("a{k}=\"1\"")).collect();
    let robot = format!(
        "<robot name=\"r\"><link name=\"l\" {}/></robot>",
        attributes.join(" ")
    );
    fs::write(place.path("crowded.urdf"), robot).expect("a file");
    for (arguments, expected) in [
        ("check huge.toml", "huge.toml is too large"),
        ("check /dev/zero", "/dev/zero is too large"),
        ("import /dev/zero", "/dev/zero is too large"),
        (
            "check latin.toml",
            "latin.toml is not a text: its byte 10 is not UTF-8",
        ),
        ("import latin.urdf", "latin.urdf is not a text"),
        ("import crowded.urdf", "more than 1000 attributes"),
    ] {
        if arguments.contains("/dev/zero") && !std::path::Path::new("/dev/zero").exists() {
            continue;
        }
        let done = with_memory(&place, 1500, arguments);
        assert_eq!(done.code, Some(2), "{arguments}: {}", done.err);
        assert!(done.err.contains(expected), "{arguments}: {}", done.err);
        assert!(!done.err.contains("check the path"), "{arguments}: {}", done.err);
    }
}

#[test]
fn reading_takes_memory_and_time_as_the_text_is_long() {
    let place = Place::new();
    // Every part of the formula is half of it, on average.
    let formula = format!("1.5*x'^2 - ({})", vec!["x"; 10_000].join("*"));
    let model = MODEL.replace("0.5*x'^2", &formula);
    fs::write(place.path("long.toml"), model).expect("a file");
    let bodies: String = (0..20_000)
        .map(|k| format!("[[body]]\nname = 'b{k}'\nmass = 1\nlength = 1\ndirection = [0, 0, 1]\n"))
        .collect();
    let model = format!("{bodies}[method]\nname = 'sphere-explicit'\n[run]\nstep = 0.01\nsteps = 1\n");
    fs::write(place.path("many.toml"), model).expect("a file");
    for arguments in ["check long.toml", "check many.toml"] {
        let done = with_memory(&place, 1500, arguments);
        assert_eq!(done.code, Some(0), "{arguments}: {}", done.err);
    }
}

#[test]
fn a_number_that_is_too_large_is_not_called_too_small() {
    let place = Place::new();
    let huge = "99999999999999999999";
    refused(
        &place,
        &format!("run spherical-pendulum --no-files --every {huge}"),
        "`every` must be at most",
    );
    refused(
        &place,
        "run spherical-pendulum --no-files --every 0",
        "`every` must be at least 1, got 0",
    );
}
