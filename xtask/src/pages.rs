//! The pages that commands write: are they HTML, and do they open without a complaint?
//!
//! A report, a comparison, a convergence study and a page of `reproduce` are made in `target/pages`, checked with
//! `html-validate` and opened in a Chromium without a window. Needs Node with npm and the network once, and Chromium;
//! for what is missing the stage says so and checks the rest.
use crate::{Outcome, gate, root, shell};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The validator, pinned.
const VALIDATOR: &str = "html-validate@9.5.5";
const RULES: &str = "{ \"root\": true, \"extends\": [\"html-validate:standard\"] }\n";
/// A page that neither of the two may pass.
const WRONG: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><title>x</title></head><body><p><table></p>\
                     <script>console.error('wrong')</script></body></html>\n";

/// Commands and the page that each writes.
const PAGES: &[(&[&str], &str)] = &[
    (
        &["run", "double-spherical-pendulum", "--out", "run"],
        "run/report.html",
    ),
    (&["run", "puppet", "--out", "puppet"], "puppet/report.html"),
    (
        &[
            "compare",
            "double-spherical-pendulum",
            "--methods",
            "sphere-implicit,rk4,dop853",
            "--duration",
            "20",
            "--out",
            "compare",
        ],
        "compare/compare.html",
    ),
    (
        &[
            "converge",
            "double-spherical-pendulum",
            "--steps",
            "0.04,0.02,0.01",
            "--duration",
            "2",
            "--out",
            "converge",
        ],
        "converge/converge.html",
    ),
    (
        &["reproduce", "--only", "000-fig-1", "--out", "reproduce"],
        "reproduce/000.html",
    ),
];

/// The gate's stage.
pub(crate) fn run() -> Outcome {
    gate::build()?;
    let folder = root().join("target/pages");
    let made = folder.join("made");
    if made.exists() {
        fs::remove_dir_all(&made).map_err(|e| format!("{}: {e}", made.display()))?;
    }
    fs::create_dir_all(&made).map_err(|e| format!("{}: {e}", made.display()))?;
    let mut pages = Vec::new();
    for (arguments, page) in PAGES {
        let output = Command::new(shell::binary()?)
            .args(*arguments)
            .arg("--quiet")
            .current_dir(&made)
            .output()
            .map_err(|e| format!("the command cannot be started: {e}"))?;
        if !output.status.success() {
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("`holonomy {}`: {told}", arguments.join(" ")));
        }
        pages.push(made.join(page));
    }
    let wrong = made.join("wrong.html");
    fs::write(&wrong, WRONG).map_err(|e| format!("{}: {e}", wrong.display()))?;

    match validator(&folder) {
        Ok(validator) => validate(&validator, &folder, &pages, &wrong)?,
        Err(why) => println!("   SKIPPED: pages were NOT checked with {VALIDATOR}: {why}"),
    }
    match chromium() {
        Some(chromium) => {
            for page in &pages {
                open(chromium, &folder, page)?;
            }
            if open(chromium, &folder, &wrong).is_ok() {
                return Err("Chromium says nothing of a page with an error".to_owned());
            }
            println!("   {} pages open without a complaint", pages.len());
        }
        None => {
            println!("   SKIPPED: pages were NOT opened: there is no Chromium (Debian package `chromium`)")
        }
    }
    Ok(())
}

/// The validator, installed below the folder; or why there is none.
fn validator(folder: &Path) -> Result<PathBuf, String> {
    let home = folder.join("validator");
    let program = home.join("node_modules/.bin/html-validate");
    let stamp = home.join("installed.txt");
    if program.exists() && fs::read_to_string(&stamp).is_ok_and(|text| text == VALIDATOR) {
        return Ok(program);
    }
    fs::create_dir_all(&home).map_err(|e| e.to_string())?;
    println!("   installing {VALIDATOR} (once)");
    let output = Command::new("npm")
        .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
        .arg(&home)
        .arg(VALIDATOR)
        .output()
        .map_err(|e| format!("npm cannot be started: {e}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!(
            "npm cannot install it: {}",
            text.lines().next_back().unwrap_or_default()
        ));
    }
    fs::write(&stamp, VALIDATOR).map_err(|e| e.to_string())?;
    Ok(program)
}

fn validate(program: &Path, folder: &Path, pages: &[PathBuf], wrong: &Path) -> Outcome {
    let rules = folder.join("rules.json");
    fs::write(&rules, RULES).map_err(|e| e.to_string())?;
    let check = |pages: &[PathBuf]| {
        let mut command = Command::new(program);
        command.arg("--config").arg(&rules).args(pages);
        command
            .output()
            .map_err(|e| format!("{VALIDATOR} cannot be started: {e}"))
    };
    let output = check(pages)?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        return Err(format!("{VALIDATOR} objects:\n{told}"));
    }
    if check(&[wrong.to_owned()])?.status.success() {
        return Err(format!("{VALIDATOR} says nothing of a wrong page"));
    }
    println!("   {} pages are valid HTML", pages.len());
    Ok(())
}

/// A Chromium, which is installed where Debian's packages are and root asks.
pub(crate) fn chromium() -> Option<&'static str> {
    let starts = |name: &str, argument: &str| {
        let output = Command::new(name).arg(argument).output();
        output.is_ok_and(|o| o.status.success())
    };
    let known = ["chromium", "chromium-browser", "google-chrome"];
    let find = || known.into_iter().find(|name| starts(name, "--version"));
    if let Some(found) = find() {
        return Some(found);
    }
    let root = gate::output(Command::new("id").arg("-u")).is_ok_and(|user| user.trim() == "0");
    if !root || !starts("apt-get", "--version") {
        return None;
    }
    println!("   installing the package `chromium` (once)");
    let install = [
        "install",
        "--yes",
        "--quiet",
        "--no-install-recommends",
        "chromium",
    ];
    let mut apt = Command::new("apt-get");
    let apt = apt.args(install).env("DEBIAN_FRONTEND", "noninteractive");
    if gate::output(apt).is_err() {
        return None;
    }
    find()
}

/// Opens a page; the error is what the console says.
fn open(chromium: &str, folder: &Path, page: &Path) -> Outcome {
    let output = Command::new(chromium)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            // WebGL without a graphics card, without a word about it.
            "--enable-unsafe-swiftshader",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--enable-logging=stderr",
            "--v=0",
            // Time in which scripts start.
            "--virtual-time-budget=4000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .map_err(|e| format!("{chromium} cannot be started: {e}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    // How fast the software that draws reads its pixels back is not said of the page.
    let of_the_page = |line: &&str| line.contains(":CONSOLE") && !line.contains("GL Driver Message");
    let complaints: Vec<&str> = said.lines().filter(of_the_page).collect();
    let shown = String::from_utf8_lossy(&output.stdout);
    let moving = shown.contains("<figure id=\"player\"");
    if moving && !shown.contains("player-live") {
        return Err(format!("{}: the player does not start", page.display()));
    }
    match (
        output.status.success(),
        complaints.is_empty(),
        shown.contains("</html>"),
    ) {
        (true, true, true) => Ok(()),
        (true, false, _) => Err(format!("{}: {}", page.display(), complaints.join("\n"))),
        _ => Err(format!("{}: {chromium} cannot show it\n{said}", page.display())),
    }
}
