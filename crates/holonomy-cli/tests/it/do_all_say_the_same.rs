//! The terminal, the files and the comparison read the same verdicts, and numbers are written as people write them.
use super::{Place, read_json};

/// The words of a text without the lines it is broken into.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let parts: Vec<&str> = text.split('`').collect();
    parts.join("\u{0}")
}

#[test]
fn the_terminal_the_summary_and_the_page_come_to_one_conclusion() {
    // A good run, a bad one by a drift, one by its size, a failed one and a driven one.
    for (model, code) in [
        ("double-spherical-pendulum --steps 2000", 0),
        (
            "double-spherical-pendulum --method rk4 --step 0.2 --duration 100",
            0,
        ),
        ("spherical-pendulum --method euler --step 0.1 --duration 2", 0),
        ("pendulum-chain --step 0.02", 1),
        ("damped-pendulum --steps 500", 0),
    ] {
        let place = Place::new();
        let done = place.run(&format!("run {model} --out run"));
        assert_eq!(done.code, Some(code), "{model}: {}", done.err);
        let summary = read_json(&place.path("run/summary.json"));
        let certificate = &summary["certificate"];
        let page = std::fs::read_to_string(place.path("run/report.html")).expect("a page");
        let page = page.replace("<code>", "\u{0}").replace("</code>", "\u{0}");
        let answers = certificate["conclusion"]["answers"].as_array().expect("answers");
        assert_eq!(answers.len(), 3, "{model}");
        for answer in answers {
            let sentence = answer["text"].as_str().expect("a sentence");
            assert!(
                flat(&done.out).contains(sentence),
                "{model}: {}\n{sentence}",
                done.out
            );
            assert!(page.contains(&escaped(sentence)), "{model}: {sentence}");
        }
        for line in certificate["lines"].as_array().expect("lines") {
            let word = line["word"].as_str().expect("a word");
            assert!(page.contains(word), "{model}: {line}");
            // What the terminal has a row for, it gives the same word.
            let shown = ["unit-length", "momentum", "constraints"];
            if shown.iter().any(|kind| line["about"]["kind"] == *kind) {
                assert!(done.out.contains(word), "{model}: {line}\n{}", done.out);
            }
        }
    }
}

/// Three and a half standard errors: the terminal once called that a drift, and the certificate did not.
#[test]
fn a_slope_is_called_a_drift_by_all_or_by_none() {
    let place = Place::new();
    for method in ["sphere-implicit", "rk4", "euler"] {
        for steps in [250, 500, 1000, 1500] {
            let run = format!("run double-spherical-pendulum --method {method} --steps {steps} --no-files");
            let summary = place.json(&format!("{run} --json"));
            let lines = summary["certificate"]["lines"].as_array().expect("lines").clone();
            let energy = lines.iter().find(|line| line["about"]["kind"] == "energy");
            let drift = &energy.expect("a line")["evidence"]["drift"];
            let text = place.good(&run);
            let row = text
                .lines()
                .find(|line| line.contains("drift  ") && line.contains('±'));
            let row = row.unwrap_or_default();
            match drift["kind"].as_str() {
                Some("zero") => assert!(row.contains(" zero") && row.contains("within"), "{drift} {row}"),
                Some("real") => assert!(row.ends_with("J/s"), "{drift} {row}"),
                Some(_) => assert!(row.contains("J/s, "), "{drift} {row}"),
                None => assert!(row.is_empty(), "{row}"),
            }
        }
    }
}

/// 38 × 0.1 is 3.8000000000000003 in doubles, and three times 0.1 is 0.30000000000000004: nobody wants to read that.
#[test]
fn computed_times_are_written_as_people_write_them() {
    let place = Place::new();
    let long = |text: &str, what: &str| {
        let digits = |word: &str| {
            let number: String = word
                .chars()
                .skip_while(|letter| !letter.is_ascii_digit())
                .take_while(|letter| letter.is_ascii_digit() || *letter == '.')
                .collect();
            number
                .split_once('.')
                .is_some_and(|(_, fraction)| fraction.len() > 12)
        };
        if let Some(word) = text
            .split([' ', '\n', ',', '>', '<', '"', ';'])
            .find(|word| digits(word))
        {
            panic!("{what}: {word} in\n{text}");
        }
    };
    let out = place.good("run spherical-pendulum --step 0.1 --steps 38 --out run");
    assert!(out.contains("38 steps of 0.1 s to t = 3.8 s"), "{out}");
    long(&out, "the terminal");
    let page = std::fs::read_to_string(place.path("run/report.html")).expect("a page");
    // The model is shown as it is, to the last digit.
    let page = page.split("The model</h2>").next().unwrap_or_default();
    // So is the film, which nobody reads.
    let (before, film) = page.split_once("id=\"film\">").expect("a film");
    let (_, after) = film.split_once("</script>").expect("its end");
    let page = format!("{before}{after}");
    assert!(page.contains("38 steps of 0.1 s"));
    long(&page, "the page");
    let out = place
        .good("compare spherical-pendulum --methods rk4,sphere-explicit --step 0.1 --steps 38 --out compare");
    long(&out, "the comparison");
    let out = place
        .good("converge spherical-pendulum --method rk4 --steps 0.3,0.1,0.05 --duration 3.3 --out converge");
    assert!(out.contains("errors at t = 3.3 s"), "{out}");
    long(&out, "the convergence");
    long(
        &place.good("check spherical-pendulum --set run.step=0.1"),
        "the check",
    );
    let note = place.run("run spherical-pendulum --step 0.1 --duration 3.84 --no-files");
    assert!(note.err.contains("the run ends at 3.8 s"), "{}", note.err);
    let failed = place.run("run pendulum-chain --method rk4 --step 0.1 --steps 380 --no-files");
    assert!(failed.err.contains("t = "), "{}", failed.err);
    long(&failed.err, "a failure");
    let uneven = place.run("converge spherical-pendulum --method rk4 --steps 0.04 --set run.steps=38 --set run.step=0.1 --set run.duration=");
    long(&uneven.err, "an uneven step");
}
