//! The film in a report is that of the run.
use super::Place;
use holonomy::scene::Poses;
use holonomy_model::{Source, load, scenario};
use serde_json::Value;
use std::fs;

/// The film that stands in a page.
fn film(page: &str) -> Value {
    let (_, film) = page
        .split_once("<script type=\"application/json\" id=\"film\">")
        .expect("a film");
    let (film, _) = film.split_once("</script>").expect("its end");
    serde_json::from_str(film).expect("JSON")
}

fn bytes(value: &Value) -> Vec<u8> {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let text = value.as_str().expect("text").trim_end_matches('=');
    let six = text
        .chars()
        .map(|letter| letters.find(letter).expect("base64") as u32);
    let bits: Vec<u32> = six
        .flat_map(|six| (0..6).rev().map(move |k| six >> k & 1))
        .collect();
    let byte = |bits: &[u32]| bits.iter().fold(0, |byte, bit| byte << 1 | bit) as u8;
    bits.chunks_exact(8).map(byte).collect()
}

fn times(clip: &Value) -> Vec<f32> {
    let bytes = bytes(&clip["times"]);
    let four = bytes.chunks_exact(4);
    four.map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
        .collect()
}

#[test]
fn the_first_and_the_last_frame_are_the_ends_of_the_run() {
    let place = Place::new();
    for (name, steps) in [
        ("double-spherical-pendulum", 777),
        ("scissor-lift", 123),
        ("molecules-on-a-sphere", 11),
    ] {
        place.good(&format!("run {name} --steps {steps} --out {name}"));
        let page = fs::read_to_string(place.path(name).join("report.html")).expect("a page");
        // What it was made of makes it again.
        place.good(&format!("report {name}"));
        let again = fs::read_to_string(place.path(name).join("report.html")).expect("a page");
        assert!(page == again, "{name}");

        let json = film(&page);
        let clip = &json["clips"][0];
        let mut source = Source::new(name, scenario::find(name).expect("a scenario").model);
        source.with_override("run.duration=");
        source.with_override(format!("run.steps={steps}"));
        let model = load(&source).unwrap_or_else(|problems| panic!("{problems:?}"));
        assert_eq!(clip["name"], model.method.name);
        let mut simulation = model.simulation();
        let first = simulation.state.clone();
        simulation.run(&model.schedule, &mut []).expect("it runs");

        let frames = times(clip).len();
        let data = bytes(&clip["points"]["data"]);
        let scale = clip["points"]["scale"].as_f64().expect("a number");
        let system = simulation.system();
        for (frame, state) in [(0, &first), (frames - 1, &simulation.state)] {
            let mut poses = Poses::default();
            system.poses(state, &mut poses, &mut system.scratch());
            let row = data.len() / frames;
            assert_eq!(row, 6 * poses.points.len(), "{name}");
            assert_eq!(times(clip)[frame], state.t as f32, "{name}");
            let two = data[frame * row..].chunks_exact(2);
            for (k, (two, exact)) in two.zip(poses.points.as_flattened()).enumerate() {
                let origin = clip["points"]["origin"][k % 3].as_f64().expect("a number");
                let read = origin + scale * f64::from(i16::from_le_bytes([two[0], two[1]]));
                // Half a quantum, and the rounding of the sum.
                assert!(
                    (read - exact).abs() <= 0.5000001 * scale,
                    "{name}: {read} {exact}"
                );
            }
        }
    }
}

#[test]
fn a_comparison_has_a_clip_per_method_and_one_scene() {
    let place = Place::new();
    place.good("compare double-spherical-pendulum --methods sphere-implicit,euler,sphere-explicit --step 0.1 --steps 20000 --out c");
    let page = fs::read_to_string(place.path("c/compare.html")).expect("a page");
    let json = film(&page);
    let clips = json["clips"].as_array().expect("clips");
    let names: Vec<&str> = clips.iter().filter_map(|clip| clip["name"].as_str()).collect();
    // The third does not fit, and has no clip; the second fails on its way.
    assert_eq!(names, ["sphere-implicit", "euler"]);
    assert!(clips[0]["scene"].is_object() && clips[1]["scene"].is_null());
    assert!(clips[0]["ended"].is_null());
    let ended = clips[1]["ended"].as_str().expect("a reason");
    assert!(ended.starts_with("the run failed at step "), "{ended}");
    let ends = [0, 1].map(|k| times(&clips[k]).last().copied().expect("a time"));
    assert!(ends[0] == 2000.0 && ends[1] < 2000.0, "{ends:?}");
    assert!(page.contains("<figure id=\"player\" class=\"player\">"));
}

/// Attributes of the figures that a cursor moves over.
#[test]
fn figures_over_time_say_where_time_is() {
    let place = Place::new();
    place.good("run kepler --step 0.1 --steps 38 --out run");
    let figure = |name: &str| fs::read_to_string(place.path("run").join(name)).expect("a figure");
    for name in ["energy.svg", "momentum.svg", "coordinates.svg"] {
        let text = figure(name);
        let (_, root) = text.split_once("<svg").expect("a root");
        let root = root.split('>').next().unwrap_or_default();
        // The run ends at 3.8 s, the axis at the tick after it.
        assert!(root.contains("data-time=\"0 4\""), "{name}: {root}");
        assert!(
            root.contains("data-x=") && root.contains("data-y="),
            "{name}: {root}"
        );
    }
    for name in ["phase.svg", "path.svg"] {
        assert!(!figure(name).contains("data-time"), "{name}");
    }
}

#[test]
fn what_is_no_film_does_not_get_into_a_page() {
    // A report is made of films that its player can show, or not at all.
    let place = Place::new();
    place.good("run spherical-pendulum --steps 5 --out run");
    let (page, film) = ["report.html", "film.json"]
        .map(|name| place.path("run").join(name))
        .into();
    let before = fs::read(&page).expect("a page");
    for text in [
        "garbage<",
        "{\"version\": 9, \"clips\": []}",
        "{\"version\": 1}",
        "[]",
    ] {
        fs::write(&film, text).expect("a place");
        let done = place.run("report run");
        let said = done.err;
        assert_eq!(done.code, Some(2), "{text}");
        assert!(
            said.contains("film.json is not the film of a run") && said.contains("remove that file"),
            "{said}"
        );
        assert!(
            fs::read(&page).expect("a page") == before,
            "{text}: the page is as it was"
        );
    }
    // Without one the page has no player.
    fs::remove_file(&film).expect("a file");
    place.good("report run");
    assert!(!fs::read_to_string(&page).expect("a page").contains("id=\"film\""));
}
