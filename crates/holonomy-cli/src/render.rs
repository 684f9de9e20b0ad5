use crate::{
    failure::Failure,
    interrupt,
    output::{self, number},
    progress::Bar,
};
use holonomy_host::render::{self, FilmOptions, LONGEST, Pace, Target};
use holonomy_report::{
    certificate::Effort,
    run::{Control, Progress},
};
use std::path::PathBuf;

/// Makes a film, or a picture, of a run
#[derive(clap::Args)]
pub(crate) struct Render {
    /// The folder of the run, such as `runs/NAME`
    #[arg(value_name = "RUN")]
    folder: PathBuf,
    /// film.mp4 or film.gif (these need ffmpeg), frames-%05d.png, or frame.png: the state at `--to`
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = size)]
    size: Size,
    /// Frames per second
    #[arg(long, value_name = "N", default_value = "30", value_parser = rate, allow_negative_numbers = true)]
    fps: f64,
    /// How long the film lasts, s; as long as the motion if left out, but at most 30
    #[arg(long, value_name = "S", value_parser = positive, allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Seconds of the motion in a second of the film, instead of a duration
    #[arg(long, value_name = "X", value_parser = positive, allow_negative_numbers = true, conflicts_with = "duration")]
    speed: Option<f64>,
    /// The first time that is shown, s
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    from: Option<f64>,
    /// The last time that is shown, s
    #[arg(long, value_name = "T", value_parser = finite, allow_negative_numbers = true)]
    to: Option<f64>,
    /// Light on dark
    #[arg(long)]
    dark: bool,
    /// Replace an earlier film
    #[arg(long)]
    force: bool,
    /// Show no progress and no notes
    #[arg(long)]
    quiet: bool,
}

impl Render {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let target = Target::new(&self.out, self.force).map_err(render::RenderError::from)?;
        let options = FilmOptions {
            size: [self.size.0, self.size.1],
            fps: self.fps,
            pace: match (self.duration, self.speed) {
                (Some(seconds), _) => Pace::Duration(seconds),
                (_, Some(speed)) => Pace::Speed(speed),
                _ => Pace::Usual,
            },
            from: self.from,
            to: self.to,
            dark: self.dark,
        };
        let mut bar = Bar::new(self.quiet);
        bar.counts("frames");
        let control = Control {
            stop: interrupt::flag(),
            progress: &mut |progress: &Progress| bar.update(progress),
            effort: Effort::None,
        };
        let made = render::render(&self.folder, &options, target, control);
        bar.clear();
        let made = made?;
        if made.coarse && !self.quiet {
            output::note(
                "note: frames are closer together than the samples of the run, and between them motion is straight; \
                 record more with `--every`, or let the film run faster\n",
            );
        }
        let [from, to] = made.times;
        let path = self.out.display();
        Ok(output::print(&match made.frames {
            1 => format!("{path}: the state at t = {} s\n", number(to)),
            frames => format!(
                "{path}: {} of t = {} s to {} s, {} times as fast as the motion\n",
                output::counted(frames, "frame", "frames"),
                number(from),
                number(to),
                number(made.speed)
            ),
        })?)
    }
}

#[derive(Clone, Copy)]
struct Size(u32, u32);

/// Pixels along an edge, at least and at most.
const EDGE: std::ops::RangeInclusive<u32> = 16..=16_384;

fn size(text: &str) -> Result<Size, Wrong> {
    let edge = |text: &str| text.trim().parse().ok().filter(|edge| EDGE.contains(edge));
    let parts = text.split_once(['x', 'X', '×']);
    let size = parts.and_then(|(width, height)| Some(Size(edge(width)?, edge(height)?)));
    size.ok_or(Wrong::Size)
}

fn rate(text: &str) -> Result<f64, Wrong> {
    let rate = text.parse().ok().filter(|rate| (0.01..=1000.0).contains(rate));
    rate.ok_or(Wrong::Rate)
}

fn positive(text: &str) -> Result<f64, Wrong> {
    let number = text
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or(Wrong::Positive)
}

fn finite(text: &str) -> Result<f64, Wrong> {
    text.parse()
        .ok()
        .filter(|number: &f64| number.is_finite())
        .ok_or(Wrong::Number)
}

/// What is wrong with the value of a flag.
#[derive(Debug, thiserror::Error)]
enum Wrong {
    #[error("write width x height in pixels, each from {} to {}: 1280x720", EDGE.start(), EDGE.end())]
    Size,
    #[error("write a number from 0.01 to 1000")]
    Rate,
    #[error("write a number above zero")]
    Positive,
    #[error("write a number, in s")]
    Number,
}

// The help says so in words.
const _: () = assert!(LONGEST == 30.0);
