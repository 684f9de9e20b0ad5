use super::Place;
use std::{fs, path::Path, process::Command};

/// Width, height and pixels of a picture, which is read by the library that did not write its trajectory.
fn picture(path: &Path) -> (u32, u32, Vec<u8>) {
    let bytes = fs::read(path).expect("a picture");
    let pixels = tiny_skia::Pixmap::decode_png(&bytes).expect("a PNG");
    (pixels.width(), pixels.height(), pixels.take())
}

/// The share of pixels that are not like the first one, which is the page.
fn inked(pixels: &[u8]) -> f64 {
    let four: Vec<&[u8]> = pixels.chunks_exact(4).collect();
    four.iter().filter(|pixel| **pixel != four[0]).count() as f64 / four.len() as f64
}

#[test]
fn a_frame_has_its_size_and_shows_something() {
    let place = Place::new();
    place.good("run double-spherical-pendulum --duration 2 --out run");
    for (flags, size) in [
        ("", (1280, 720)),
        ("--size 321x200 --dark", (321, 200)),
        ("--size 200X400", (200, 400)),
    ] {
        place.good(&format!("render run --out f.png --force {flags}"));
        let (width, height, pixels) = picture(&place.path("f.png"));
        assert_eq!((width, height), size);
        // Two thin rods, two masses, traces, axes and a time: more than nothing, and far from everything.
        let share = inked(&pixels);
        assert!((0.003..0.3).contains(&share), "{flags}: {share}");
        assert!(pixels.chunks_exact(4).all(|pixel| pixel[3] == 255), "opaque");
        assert_eq!(pixels[0] < 100, flags.contains("dark"));
    }
    assert_eq!(place.files("."), ["f.png", "run"]);
}

#[test]
fn the_formats_of_a_trajectory_give_the_same_frames() {
    let place = Place::new();
    // Bodies on spheres, a tree with frames, and a Lagrangian with points.
    for scenario in ["double-spherical-pendulum", "four-bar", "double-plane-pendulum"] {
        let mut frames = Vec::new();
        for format in ["parquet", "csv", "npz"] {
            let run = format!("{scenario}-{format}");
            place.good(&format!(
                "run {scenario} --duration 0.5 --format {format} --out {run}"
            ));
            place.good(&format!("render {run} --out {run}.png --size 320x240 --to 0.3"));
            frames.push(picture(&place.path(&format!("{run}.png"))));
        }
        assert!(inked(&frames[0].2) > 0.002, "{scenario}");
        assert!(frames[0] == frames[1] && frames[0] == frames[2], "{scenario}");
        // Another time is another picture.
        let run = format!("{scenario}-csv");
        place.good(&format!(
            "render {run} --out later.png --size 320x240 --to 0.4 --force"
        ));
        assert!(picture(&place.path("later.png")) != frames[0], "{scenario}");
    }
}

#[test]
fn a_film_of_pictures_has_as_many_as_it_should() {
    let place = Place::new();
    place.good("run spherical-pendulum --duration 2 --out run");
    let said =
        place.good("render run --out f-%03d.png --size 64x48 --fps 10 --duration 0.5 --from 0.5 --to 1.5");
    assert!(
        said.contains("6 frames of t = 0.5 s to 1.5 s, 2 times as fast"),
        "{said}"
    );
    let names: Vec<String> = (1..=6)
        .map(|k| format!("f-{k:03}.png"))
        .chain(["run".into()])
        .collect();
    assert_eq!(place.files("."), names);
    let frames: Vec<_> = names[..6].iter().map(|name| picture(&place.path(name))).collect();
    assert!(frames.windows(2).all(|pair| pair[0] != pair[1]), "it moves");
    // Nothing is replaced unasked, and the half that was made goes away.
    let done = place.run("render run --out f-%03d.png --size 64x48 --duration 1");
    assert_eq!(done.code, Some(2));
    assert!(done.err.contains("f-001.png exists already"), "{}", done.err);
    assert_eq!(place.files("."), names);
}

#[test]
fn what_cannot_be_rendered_is_said() {
    let place = Place::new();
    place.good("run spherical-pendulum --steps 100 --out run");
    fs::create_dir(place.path("empty")).expect("a folder");
    fs::create_dir(place.path("broken")).expect("a folder");
    fs::copy(place.path("run/model.toml"), place.path("broken/model.toml")).expect("a file");
    let bytes = fs::read(place.path("run/trajectory.parquet")).expect("a file");
    for (arguments, words) in [
        ("run --out f.png --size 0x10", "width x height"),
        ("run --out f.png --size 12", "width x height"),
        ("run --out f.png --size 99999x10", "width x height"),
        ("run --out f.png --fps 0", "0.01 to 1000"),
        ("run --out f.png --fps nan", "0.01 to 1000"),
        ("run --out f.png --speed -1", "above zero"),
        ("run --out f.png --duration inf", "above zero"),
        ("run --out f.png --speed 1 --duration 1", "cannot be used with"),
        ("run --out f.png --from 0.3 --to 0.2", "there is no film"),
        ("run --out f.png --to 1e9", "there is no film"),
        ("run --out f.png --from -1", "there is no film"),
        ("run --out f-%05d.png --speed 1e-9", "frames, more than"),
        ("run --out film.avi", "none of the names"),
        ("run --out film", "none of the names"),
        ("empty --out f.png", "model.toml"),
        ("nowhere --out f.png", "model.toml"),
        ("broken --out f.png", "holds no trajectory"),
    ] {
        let done = place.run(&format!("render {arguments}"));
        assert_eq!(done.code, Some(2), "{arguments}: {}", done.err);
        assert!(done.err.contains(words), "{arguments}: {}", done.err);
    }
    // A trajectory that is cut, or not of this model.
    for (kept, words) in [
        (bytes.len() / 2, "it is damaged"),
        (3, "it is damaged"),
        (0, "it is damaged"),
    ] {
        fs::write(place.path("broken/trajectory.parquet"), &bytes[..kept]).expect("a file");
        let done = place.run("render broken --out f.png");
        assert!(done.code == Some(2) && done.err.contains(words), "{}", done.err);
    }
    place.good("run double-spherical-pendulum --steps 10 --out other");
    fs::copy(
        place.path("other/trajectory.parquet"),
        place.path("broken/trajectory.parquet"),
    )
    .expect("a file");
    let done = place.run("render broken --out f.png");
    assert!(
        done.code == Some(2) && done.err.contains("columns are not those of the model"),
        "{}",
        done.err
    );
    assert!(!place.path("f.png").exists());
}

#[test]
fn without_ffmpeg_it_is_said_what_to_install() {
    let place = Place::new();
    place.good("run spherical-pendulum --steps 100 --out run");
    let mut command = place.command("render run --out film.mp4");
    let done: super::Done = command
        .env("PATH", place.path("nothing"))
        .output()
        .expect("it starts")
        .into();
    assert_eq!(done.code, Some(1), "{}", done.err);
    assert!(
        done.err.contains("apt install ffmpeg") && done.err.contains("frames-%05d.png"),
        "{}",
        done.err
    );
    assert_eq!(place.files("."), ["run"]);
}

#[test]
fn ffmpeg_makes_films_where_it_is() {
    if Command::new("ffmpeg").arg("-version").output().is_err() {
        // Its absence has a test of its own.
        return;
    }
    let place = Place::new();
    place.good("run spherical-pendulum --duration 1 --out run");
    // An odd size, too, which the usual coding of films cannot have.
    for (name, size, magic) in [
        ("film.mp4", "161x91", &b"ftyp"[..]),
        ("film.gif", "160x90", &b"GIF8"[..]),
    ] {
        place.good(&format!("render run --out {name} --size {size} --fps 10"));
        let bytes = fs::read(place.path(name)).expect("a film");
        assert!(bytes[..16].windows(4).any(|four| four == magic), "{name}");
    }
    assert_eq!(place.files("."), ["film.gif", "film.mp4", "run"]);
    // A program that fails leaves no half film.
    let done = place.run("render run --out no-such-folder/film.mp4 --size 160x90");
    assert_eq!(done.code, Some(1), "{}", done.err);
    assert!(done.err.contains("`ffmpeg` failed"), "{}", done.err);
}
