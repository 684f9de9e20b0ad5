use super::{Done, Place};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// A command that serves a page.
struct Served {
    child: Child,
    host: String,
    path: String,
}

impl Served {
    fn start(place: &Place, arguments: &str) -> Self {
        let mut child = place
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut address = String::new();
        let out = child.stdout.as_mut().expect("a pipe");
        // One byte at a time: what follows belongs to the summary.
        let mut byte = [0];
        while out.read(&mut byte).is_ok_and(|count| count == 1) && byte != *b"\n" {
            address.push(char::from(byte[0]));
        }
        let rest = address
            .strip_prefix("http://")
            .unwrap_or_else(|| panic!("{address}"));
        let (host, path) = rest.split_once('/').expect("a path");
        assert!(host.starts_with("127.0.0.1:"), "{address}");
        Self {
            host: host.to_owned(),
            path: format!("/{path}"),
            child,
        }
    }

    /// Sends bytes and reads all that comes back.
    fn send(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.host).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .expect("a timeout");
        // It may close before it has read everything.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn ask(&self, method: &str, path: &str, headers: &str) -> String {
        self.send(format!("{method} {path} HTTP/1.1\r\n{headers}\r\n").as_bytes())
    }

    /// A request as the browser makes it.
    fn get(&self, page: &str) -> String {
        let path = self.path.split('#').next().expect("a path");
        self.ask(
            "GET",
            &format!("{path}{page}"),
            &format!("Host: {}\r\n", self.host),
        )
    }

    fn end(self, signal: &str) -> Done {
        let sent = Command::new("kill")
            .args([signal, &self.child.id().to_string()])
            .status();
        assert!(sent.expect("kill").success());
        self.child.wait_with_output().expect("the command ends").into()
    }
}

fn status(answer: &str) -> &str {
    answer.get(9..12).unwrap_or(answer)
}

#[test]
fn only_the_browser_of_this_machine_is_answered() {
    let place = Place::new();
    let page = Served::start(&place, "play spherical-pendulum");
    let (token, fragment) = page.path.split_once('#').expect("a fragment");
    assert_eq!(fragment, "scenario=spherical-pendulum");
    assert!(token.len() > 30, "{token}");
    let host = format!("Host: {}\r\n", page.host);
    let answer = page.get("");
    assert_eq!(status(&answer), "200");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a body");
    for field in [
        "Content-Type: text/html; charset=utf-8",
        "X-Content-Type-Options: nosniff",
        "Cache-Control: no-store",
        "Referrer-Policy: no-referrer",
        "Content-Security-Policy: default-src 'none'; ",
    ] {
        assert!(head.contains(field), "{head}");
    }
    assert!(body.starts_with("<!doctype html>") || body.starts_with("<!DOCTYPE html>"));
    let head = page.ask("HEAD", token, &host);
    assert!(status(&head) == "200" && head.ends_with("\r\n\r\n"));

    let port = page.host.split_once(':').expect("a port").1;
    let local = format!("Host: localhost:{port}\r\nOrigin: http://localhost:{port}\r\n");
    assert_eq!(status(&page.ask("GET", token, &local)), "200");
    let long = format!("{host}X: {}\r\n", "a".repeat(40_000));
    let wrong = token.replace(|c: char| c.is_ascii_digit(), "0");
    for (method, path, headers, expected) in [
        ("GET", "/", &host, "404"),
        ("GET", &wrong, &host, "404"),
        ("GET", &format!("{token}secret"), &host, "404"),
        ("GET", &format!("{token}../../etc/passwd"), &host, "404"),
        ("POST", token, &host, "405"),
        ("PUT", token, &host, "405"),
        ("OPTIONS", token, &host, "405"),
        ("GET", token, &String::new(), "403"),
        ("GET", token, &"Host: evil.example\r\n".to_owned(), "403"),
        ("GET", token, &format!("Host: evil.example:{port}\r\n"), "403"),
        (
            "GET",
            token,
            &format!("{host}Origin: http://evil.example\r\n"),
            "403",
        ),
        ("GET", token, &format!("{host}Origin: null\r\n"), "403"),
        ("GET", token, &format!("{host}Content-Length: 5\r\n"), "413"),
        ("GET", token, &long, "431"),
        ("GET", "nowhere", &host, "400"),
    ] {
        let answer = page.ask(method, path, headers);
        assert_eq!(status(&answer), expected, "{method} {path} {headers:.60}");
        assert!(!answer.contains("holonomy playground"), "a refusal shows nothing");
    }
    assert_eq!(page.end("-INT").code, Some(0));
}

#[test]
fn any_bytes_are_refused_and_it_goes_on() {
    let place = Place::new();
    let page = Served::start(&place, "play");
    let mut seed = 7_u64;
    let mut random = move || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    let good = format!("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n", page.path, page.host);
    for round in 0..300 {
        let bytes: Vec<u8> = match round % 3 {
            0 => (0..random() % 400).map(|_| random() as u8).collect(),
            // A good request with some bytes changed.
            1 => {
                let mut bytes = good.clone().into_bytes();
                for _ in 0..1 + random() % 4 {
                    let place = random() % bytes.len();
                    bytes[place] = random() as u8;
                }
                bytes
            }
            _ => good.bytes().take(random() % good.len()).collect(),
        };
        let answer = page.send(&bytes);
        let code = status(&answer);
        assert!(
            answer.is_empty() || ["200", "400", "403", "404", "405"].contains(&code),
            "{bytes:?}: {answer}"
        );
    }
    assert_eq!(status(&page.get("")), "200");
    let done = page.end("-INT");
    assert_eq!(done.code, Some(0));
    assert!(!done.err.contains("panicked"), "{}", done.err);
}

#[test]
fn clients_that_say_nothing_are_in_nobodys_way() {
    let place = Place::new();
    let page = Served::start(&place, "play");
    let silent: Vec<TcpStream> = (0..20)
        .map(|_| TcpStream::connect(&page.host).expect("it listens"))
        .collect();
    let begun = Instant::now();
    assert_eq!(status(&page.get("")), "200");
    assert!(begun.elapsed() < Duration::from_secs(3));
    // Nor do they hold up the end: that takes less than the five seconds that they have.
    let begun = Instant::now();
    assert_eq!(page.end("-INT").code, Some(0));
    assert!(begun.elapsed() < Duration::from_secs(4));
    drop(silent);
}

#[test]
fn a_request_that_is_not_ended_is_given_up() {
    let place = Place::new();
    let page = Served::start(&place, "play");
    let mut stream = TcpStream::connect(&page.host).expect("it listens");
    stream.write_all(b"GET / HT").expect("it listens");
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .expect("a timeout");
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).expect("an answer");
    assert_eq!(status(&line), "408");
    assert_eq!(page.end("-TERM").code, Some(0));
}

#[test]
fn a_model_goes_along_in_the_address() {
    let place = Place::new();
    let model = place.good("show spherical-pendulum");
    std::fs::write(place.path("mine.toml"), &model).expect("a file");
    let page = Served::start(&place, "play mine.toml");
    let packed = page.path.split_once("#model=").expect("a model").1.to_owned();
    assert!(
        !packed.is_empty()
            && packed
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
    );
    assert_eq!(page.end("-INT").code, Some(0));
    let done = place.run("play mine.toml --set body.mass=");
    assert_eq!(done.code, Some(2), "{}", done.err);
    let done = place.run("play nothing-like-it");
    assert_eq!(done.code, Some(2), "{}", done.err);
}

#[test]
fn a_run_that_is_done_is_shown() {
    let place = Place::new();
    place.good("run spherical-pendulum --steps 20 --out run");
    let page = Served::start(&place, "view run");
    let report = std::fs::read_to_string(place.path("run/report.html")).expect("a report");
    assert!(page.get("").ends_with(&report));
    assert!(page.get("film.json?since=0").ends_with("{\"over\": true}"));
    assert_eq!(page.end("-INT").code, Some(0));
    std::fs::create_dir(place.path("empty")).expect("a folder");
    assert_eq!(place.run("view empty").code, Some(2));
    assert_eq!(place.run("view nowhere/at-all").code, Some(2));
}

/// Asks until the film has come; what it says.
fn film(page: &Served, since: u64) -> serde_json::Value {
    let deadline = Instant::now() + Duration::from_secs(60);
    while Instant::now() < deadline {
        let answer = page.get(&format!("film.json?since={since}"));
        if status(&answer) == "200" {
            let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
            return serde_json::from_str(body).expect("JSON");
        }
        assert_eq!(status(&answer), "204");
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("no film");
}

#[test]
fn a_run_is_followed_while_it_is_made() {
    let place = Place::new();
    let page = Served::start(&place, "view double-spherical-pendulum --duration inf --out run");
    assert!(page.get("").contains("the run goes on"));
    let first = film(&page, 0);
    let number = first["number"].as_u64().expect("a number");
    assert_eq!(first["film"]["clips"].as_array().map(Vec::len), Some(1));
    let second = film(&page, number);
    assert!(second["number"].as_u64() > Some(number));
    assert_ne!(
        first["film"]["clips"][0]["times"],
        second["film"]["clips"][0]["times"]
    );
    assert!(
        page.get("").contains("id=\"film\""),
        "the player, with what there is"
    );
    // Another command sees it too, from outside.
    let other = Served::start(&place, "view run");
    assert!(other.get("").contains("made by another command"));
    assert_eq!(film(&other, 0)["film"]["clips"].as_array().map(Vec::len), Some(1));
    let done = page.end("-INT");
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(film(&other, 0)["over"] == true && other.get("").contains("What can be said of this run?"));
    assert_eq!(other.end("-INT").code, Some(0));
    assert!(!place.files("run").iter().any(|name| name.ends_with(".part")));
    assert!(place.files("run").contains(&"report.html".to_owned()));
}

#[test]
fn a_run_that_ends_becomes_its_report_and_leaves_no_files() {
    let place = Place::new();
    let page = Served::start(&place, "view spherical-pendulum --steps 50");
    let deadline = Instant::now() + Duration::from_secs(60);
    while !page.get("").contains("What can be said of this run?") {
        assert!(Instant::now() < deadline, "no report");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(film(&page, 0)["over"], true);
    let done = page.end("-INT");
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(
        done.out.contains("sphere-explicit-4, 50 steps"),
        "the summary is printed: {}",
        done.out
    );
    assert!(place.files(".").is_empty());
    // A run that fails shows its report as well, and says so in the end.
    let page = Served::start(&place, "view spherical-pendulum --step 2 --steps 3");
    while !page.get("").contains("What can be said of this run?") {
        assert!(Instant::now() < deadline, "no report");
        std::thread::sleep(Duration::from_millis(50));
    }
    let done = page.end("-INT");
    assert_eq!(done.code, Some(1));
    assert_eq!(done.err.matches("the run failed").count(), 1, "{}", done.err);
}
