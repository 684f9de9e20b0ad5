//! Films of a run: frames drawn from its trajectory, written as pictures or handed to `ffmpeg`.
//!
//! ```text
//! trajectory ──► Motion: poses at any time ──► Picture: what is where on the page, far things first ──► pixels ──► Target
//! ```
//! The same run gives the same pixels on every machine.
mod camera;
mod canvas;
mod ffmpeg;
mod geometry;
mod letters;
mod motion;
mod picture;
mod shapes;
mod target;

pub use target::{Target, TargetError};

use crate::trajectory::read::TrajectoryError;
use canvas::Canvas;
use holonomy_model::{self as model, Problem, Source};
use holonomy_report::run::{Control, Progress};
use motion::Motion;
use picture::Picture;
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

/// What a film looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilmOptions {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Frames per second.
    pub fps: f64,
    /// How fast it runs.
    pub pace: Pace,
    /// The first and the last time that are shown, s; those of the run if left out.
    pub from: Option<f64>,
    /// See `from`.
    pub to: Option<f64>,
    /// Light on dark.
    pub dark: bool,
}

/// How fast a film runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// As fast as the motion, but in no more than [`LONGEST`].
    Usual,
    /// So many seconds of the motion in a second of the film.
    Speed(f64),
    /// The film lasts so many seconds.
    Duration(f64),
}

/// The length of a film if nobody says otherwise, s.
pub const LONGEST: f64 = 30.0;
/// Frames of a film: two hours of them.
const MOST_FRAMES: f64 = 432_000.0;

/// A film that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// Its frames.
    pub frames: usize,
    /// The first and the last time that are shown, s.
    pub times: [f64; 2],
    /// Seconds of the motion in a second of the film.
    pub speed: f64,
    /// Frames that show a sample between two, rather than one of the run.
    pub coarse: bool,
}

/// Why there is no film.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The model of the run cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    NoModel {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The model of the run is none for this program.
    #[error("{} cannot be loaded", path.display())]
    BadModel {
        /// The file.
        path: PathBuf,
        /// Its text.
        text: Box<Source>,
        /// What is wrong with it.
        problems: Vec<Problem>,
    },
    /// Nothing of the model can be drawn.
    #[error("the model names no points: there is nothing to draw")]
    Invisible,
    /// The trajectory cannot be read.
    #[error(transparent)]
    Trajectory(#[from] TrajectoryError),
    /// The times asked for are not in the run.
    #[error("the run lasts from {} s to {} s: from {from} s to {to} s there is no film", run[0], run[1])]
    Times {
        /// The first time asked for, s.
        from: f64,
        /// The last, s.
        to: f64,
        /// The first and the last of the run, s.
        run: [f64; 2],
    },
    /// The film would have too many frames.
    #[error("the film would have {frames:.0} frames, more than {MOST_FRAMES:.0}")]
    TooLong {
        /// Its frames.
        frames: f64,
    },
    /// The frames are too large to be drawn.
    #[error("no picture can be {}x{} pixels", size[0], size[1])]
    Size {
        /// Their size.
        size: [u32; 2],
    },
    /// It cannot be written.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// It was stopped; nothing was written.
    #[error("stopped before the film was made")]
    Stopped,
}

/// Makes a film of the run in a folder. It appears whole or not at all.
pub fn render(
    folder: &Path,
    options: &FilmOptions,
    target: Target,
    control: Control,
) -> Result<Rendered, RenderError> {
    let mut motion = Motion::open(load(folder)?, folder)?;
    let [first, last] = motion.span();
    let (from, to) = (options.from.unwrap_or(first), options.to.unwrap_or(last));
    // A run of k steps ends at k h: what a person types is not that to the last digit.
    let slack = 1e-9 * (last - first);
    if !(from <= to && from >= first - slack && to <= last + slack) {
        return Err(RenderError::Times {
            from,
            to,
            run: [first, last],
        });
    }
    let (from, to) = (from.max(first), to.min(last));
    let single = target.is_single();
    let length = match options.pace {
        Pace::Usual => (to - from).min(LONGEST),
        Pace::Speed(speed) => (to - from) / speed,
        Pace::Duration(seconds) => seconds,
    };
    let intervals = (length * options.fps)
        .round()
        .max(if to > from { 1.0 } else { 0.0 });
    if !(intervals < MOST_FRAMES) {
        return Err(RenderError::TooLong { frames: intervals });
    }
    let intervals = intervals as usize;
    let time = |index: f64| match intervals {
        0 => from,
        _ => from + (to - from) * (index / intervals as f64),
    };

    let looked = intervals.clamp(1, LOOKS);
    let looks = (0..=looked).map(|k| time(k as f64 * intervals as f64 / looked as f64));
    let looks: Vec<f64> = looks.collect();
    let mut picture = Picture::new(&mut motion, &looks, options)?;
    let mut canvas = Canvas::new(options.size).ok_or(RenderError::Size { size: options.size })?;
    let mut out = target.open(options.size, options.fps)?;
    for index in 0..=intervals {
        if control.stop.load(Ordering::Relaxed) {
            return Err(RenderError::Stopped);
        }
        // Places between the frames make the traces smooth.
        for part in 1..=BETWEEN {
            let t = time(index as f64 - 1.0 + part as f64 / BETWEEN as f64);
            if t >= from {
                picture.advance(&mut motion, t)?;
            }
        }
        if single && index < intervals {
            continue;
        }
        picture.draw(&mut canvas);
        out.frame(canvas.pixels())?;
        (control.progress)(&Progress {
            begun: 0,
            step: index as u64,
            steps: intervals as u64,
            t: time(index as f64),
            energy_error: f64::NAN,
        });
    }
    out.finish()?;
    let spacing = (to - from) / intervals.max(1) as f64;
    Ok(Rendered {
        frames: if single { 1 } else { intervals + 1 },
        times: [from, to],
        speed: spacing * options.fps,
        coarse: !single && motion.interval() > 1.5 * spacing && intervals > 0,
    })
}

/// Times at which it is looked how much room the motion takes.
const LOOKS: usize = 200;
/// Places of a trace per frame.
const BETWEEN: usize = 4;

fn load(folder: &Path) -> Result<holonomy_model::Model, RenderError> {
    let path = folder.join("model.toml");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(source) => return Err(RenderError::NoModel { path, source }),
    };
    let source = Source::new(path.display().to_string(), text);
    model::load(&source).map_err(|problems| RenderError::BadModel {
        path,
        text: Box::new(source),
        problems,
    })
}
