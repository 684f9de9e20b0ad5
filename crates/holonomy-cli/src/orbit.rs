//! Periodic orbits of a model.
use crate::{
    ModelArguments, OutputArguments,
    failure::Failure,
    files::{command_line, shown},
    input::Input,
    interrupt,
    linearize::seconds,
    not_blank,
    output::{self, bold, dim},
    progress::Bar,
    table::{Align, Table},
};
use holonomy_model::{Unit, parse_quantity};
use holonomy_report::{
    linearize::{derivatives, symplectic},
    number::{decimal, rough},
    orbit::{Along, Orbits, Range, Request},
    run::Progress,
};
use std::{cell::RefCell, sync::atomic::Ordering};

/// Finds a periodic orbit near the start of a model, or a branch of them, with Floquet multipliers
#[derive(clap::Args)]
pub(crate) struct Orbit {
    #[command(flatten)]
    model: ModelArguments,
    /// About how long the period is, s
    #[arg(long, value_name = "T", value_parser = not_blank, allow_negative_numbers = true)]
    period: String,
    /// Keep the period as it is given, and let the energy follow
    #[arg(long)]
    hold: bool,
    /// Follow the orbit while a number of the model goes from A to B, in about N orbits
    #[arg(long, value_name = "KEY=A:B:N", value_parser = not_blank, conflicts_with = "energy")]
    vary: Option<String>,
    /// Follow the orbit while the energy goes from A to B, in about N orbits; one number alone finds that orbit, J
    #[arg(long, value_name = "E|A:B:N", value_parser = not_blank, allow_hyphen_values = true, conflicts_with = "hold")]
    energy: Option<String>,
    /// Parts of the orbit that are solved side by side; more of them where the orbit is very unstable
    #[arg(long, value_name = "M", default_value_t = 0, hide_default_value = true)]
    segments: usize,
    /// Orbits of a branch at most
    #[arg(long, value_name = "N", default_value_t = 200)]
    most: usize,
    /// Method, see `holonomy methods`
    #[arg(long, value_name = "M", value_parser = not_blank)]
    method: Option<String>,
    /// Step, s; the nearest that divides the period is taken
    #[arg(long, value_name = "H", value_parser = not_blank, allow_negative_numbers = true)]
    step: Option<String>,
    #[command(flatten)]
    output: OutputArguments,
}

const FILES: &[&str] = &["orbit.html", "orbit.json", "orbit.svg", "orbit.toml"];

impl Orbit {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mut input = Input::with_keys(&self.model)?;
        if let Some(method) = &self.method {
            input.set_method("--method", method);
        }
        if let Some(step) = &self.step {
            input.source.with_flag("--step", &["run", "step"], step);
        }
        input.set(&self.model.set);
        let model = input.load(self.output.quiet || self.output.json)?;
        let along = match (&self.vary, &self.energy) {
            (Some(text), _) => Some(varied(text)?),
            (None, Some(text)) => Some(Along::Energy(range("--energy", text, text)?)),
            (None, None) => None,
        };
        let request = Request {
            period: seconds("--period", &self.period)?,
            hold: self.hold,
            segments: self.segments,
            along: along.clone(),
            most: self.most.max(1),
        };
        let stop = interrupt::flag();
        let name = format!("{}-orbit", input.name);
        let folder = self.output.folder(&name, &input.source, FILES)?;

        let bar = RefCell::new(Bar::new(self.output.quiet));
        bar.borrow_mut().begin("orbit");
        let mut ahead = |step: u64, steps: u64| {
            bar.borrow_mut().update(&Progress {
                step,
                begun: 0,
                steps,
                t: f64::NAN,
                energy_error: f64::NAN,
            });
            !stop.load(Ordering::Relaxed)
        };
        let found = Orbits::new(&model, &input.name, &request, &mut ahead);
        bar.borrow_mut().clear();
        let found = found?;

        let title = match model.title.as_str() {
            "" => &input.name,
            title => title,
        };
        let mut files = None;
        if let Some(mut folder) = folder {
            if found.orbits.len() > 1 {
                folder.add("orbit.svg", &found.figure(title))?;
            }
            folder.add(
                "orbit.html",
                &found.page(&model, along.as_ref(), title, &command_line()),
            )?;
            folder.add("orbit.json", &found.to_json())?;
            if let Some(last) = found.orbits.last() {
                let model = found.model(&model, along.as_ref(), last)?;
                folder.add("orbit.toml", &model.to_toml())?;
            }
            files = Some(shown(folder.path()));
            folder.commit()?;
        }
        let text = match self.output.json {
            true => found.to_json(),
            false => describe(title, &found, files.as_deref()),
        };
        Ok(output::print(&text)?)
    }
}

fn varied(text: &str) -> Result<Along, Failure> {
    let Some((key, values)) = text.split_once('=') else {
        return Err(bad("--vary", text, "there is no key".to_owned()));
    };
    Ok(Along::Key {
        key: key.trim().to_owned(),
        range: range("--vary", text, values)?,
    })
}

/// `A:B:N`, or one value.
fn range(flag: &'static str, whole: &str, text: &str) -> Result<Range, Failure> {
    let number = |text: &str| {
        parse_quantity(text.trim(), Unit::ANY).map_err(|error| bad(flag, whole, error.to_string()))
    };
    let parts: Vec<&str> = text.split(':').collect();
    match parts[..] {
        [one] if flag == "--energy" => {
            let value = number(one)?;
            Ok(Range {
                from: value,
                to: value,
                count: 1,
            })
        }
        [from, to, count] => {
            let count: usize = (count.trim().parse().ok())
                .filter(|count| *count > 1)
                .ok_or_else(|| {
                    bad(
                        flag,
                        whole,
                        format!("`{count}` is not a number of orbits above one"),
                    )
                })?;
            Ok(Range {
                from: number(from)?,
                to: number(to)?,
                count,
            })
        }
        _ => Err(bad(flag, whole, "it is not of the form A:B:N".to_owned())),
    }
}

fn bad(flag: &'static str, value: &str, reason: String) -> Failure {
    Failure::BadValue {
        flag,
        value: value.to_owned(),
        reason,
        help: Some(
            match flag {
                "--vary" => "write `--vary parameters.k=1:2:20`",
                _ => "write `--energy 0.5`, or `--energy 0.1:0.5:20`",
            }
            .to_owned(),
        ),
    }
}

/// Orbits that are printed.
const MOST: usize = 60;

fn describe(title: &str, found: &Orbits, files: Option<&str>) -> String {
    let (verdict, sentence) = found.conclusion();
    let mut text = format!(
        "{}\n{}\n\n{}\n",
        bold(title),
        found.method,
        output::conclusion(verdict, &sentence)
    );
    let mut table = Table::new(&[
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Left,
    ]);
    table.row(
        [
            found.varied.as_str(),
            "period (s)",
            "energy (J)",
            "largest |μ|",
            "closes to",
            "",
        ]
        .map(dim),
    );
    for orbit in found.orbits.iter().take(MOST) {
        table.row([
            orbit.parameter.map_or_else(String::new, rough),
            decimal(orbit.period),
            rough(orbit.energy),
            format!("{:.6}", orbit.largest),
            rough(orbit.residual),
            match (&orbit.free, orbit.stable) {
                (Some(_), _) => "one of many",
                (None, true) => "stable",
                (None, false) => "unstable",
            }
            .to_owned(),
        ]);
    }
    text += &table.render();
    for event in &found.events {
        text += &format!(
            "{} at {} = {}, after orbit {}\n",
            dim(event.what),
            found.varied,
            rough(event.parameter),
            event.after + 1
        );
    }
    if let Some(last) = found.orbits.last() {
        let each: Vec<String> = (last.multipliers.iter())
            .filter(|found| found.im >= 0.0)
            .take(MOST)
            .map(|found| match found.im > 0.0 {
                true => format!("{:.8} ± {:.8} i", found.re, found.im),
                false => format!("{:.8}", found.re),
            })
            .map(|number| number.replace('-', "−"))
            .collect();
        text += &format!("\n{} {}\n", dim("Floquet multipliers"), each.join(", "));
        text += &format!(
            "{}{}\n",
            derivatives(found.exact),
            symplectic(last.symplectic_defect)
        );
    }
    if let Some(files) = files {
        text += &format!(
            "{} {files}; `orbit.toml` starts on the last orbit\n",
            dim("files")
        );
    }
    text
}
