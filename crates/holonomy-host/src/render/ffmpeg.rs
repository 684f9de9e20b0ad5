//! `ffmpeg`, which makes films of frames.
use super::target::{FilmFormat, TargetError};
use std::{
    ffi::OsString,
    io::{self, Read, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    thread::{self, JoinHandle},
};

/// The program that makes films of frames.
pub(super) struct Ffmpeg {
    child: Child,
    /// `None` once all frames are there.
    frames: Option<ChildStdin>,
    /// What it complains of.
    said: Option<JoinHandle<Vec<u8>>>,
}

/// Bytes of a message that are worth showing.
const MESSAGE: u64 = 2000;

impl Ffmpeg {
    pub(super) fn start(
        format: FilmFormat,
        path: &Path,
        part: &Path,
        [width, height]: [u32; 2],
        fps: f64,
    ) -> Result<Self, TargetError> {
        let mut command = Command::new("ffmpeg");
        command
            .args([
                "-hide_banner",
                "-loglevel",
                "error",
                "-nostdin",
                "-y",
                "-f",
                "rawvideo",
                "-pix_fmt",
                "rgba",
            ])
            .args([
                "-video_size",
                &format!("{width}x{height}"),
                "-framerate",
                &fps.to_string(),
                "-i",
                "pipe:0",
            ]);
        match format {
            // Players want one colour for two by two pixels, so an odd size gets one more line.
            FilmFormat::Mp4 => command
                .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"])
                .args(["-movflags", "+faststart", "-f", "mp4"]),
            FilmFormat::Gif => command
                .args([
                    "-filter_complex",
                    "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer",
                ])
                .args(["-f", "gif"]),
        };
        // A name that begins with a dash or holds a colon is a file all the same.
        let mut file = OsString::from("file:");
        file.push(part);
        command
            .arg(file)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => TargetError::NoFfmpeg {
                path: path.to_owned(),
            },
            _ => TargetError::Ffmpeg {
                message: source.to_string(),
            },
        })?;
        let said = child.stderr.take().map(|mut from| {
            thread::spawn(move || {
                let mut said = Vec::new();
                let _ = (&mut from).take(MESSAGE).read_to_end(&mut said);
                // The rest is read so that it can go on.
                let _ = io::copy(&mut from, &mut io::sink());
                said
            })
        });
        Ok(Self {
            frames: child.stdin.take(),
            child,
            said,
        })
    }

    pub(super) fn frame(&mut self, bytes: &[u8]) -> Result<(), TargetError> {
        let Some(frames) = &mut self.frames else {
            return Ok(());
        };
        match frames.write_all(bytes) {
            Ok(()) => Ok(()),
            // It has ended; it says why.
            Err(_) => Err(self.ended().err().unwrap_or_else(|| TargetError::Ffmpeg {
                message: "it took only a part of the film".to_owned(),
            })),
        }
    }

    pub(super) fn finish(mut self) -> Result<(), TargetError> {
        self.ended()
    }

    fn ended(&mut self) -> Result<(), TargetError> {
        self.frames = None;
        let status = self.child.wait();
        let said = self
            .said
            .take()
            .and_then(|said| said.join().ok())
            .unwrap_or_default();
        judge(
            status.as_ref().is_ok_and(std::process::ExitStatus::success),
            &said,
            || status.map_or_else(|error| error.to_string(), |status| status.to_string()),
        )
    }
}

/// Whether the film is whole. On a full disk it says so and ends as if all were well: only silence is success.
fn judge(succeeded: bool, said: &[u8], status: impl FnOnce() -> String) -> Result<(), TargetError> {
    let text = String::from_utf8_lossy(said).trim().to_owned();
    if succeeded && text.is_empty() {
        return Ok(());
    }
    let message = if text.is_empty() { status() } else { text };
    Err(TargetError::Ffmpeg { message })
}

impl Drop for Ffmpeg {
    fn drop(&mut self) {
        if self.said.is_some() {
            // Left before the end: nobody wants what it has made.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_film_is_whole_only_if_nothing_was_said() {
        // ffmpeg 5.1 ends with 0 on a full disk; its message counts.
        let status = || "exit status: 1".to_owned();
        assert!(judge(true, b"", status).is_ok());
        let full = judge(true, b"[mp4] No space left on device\n", status);
        assert!(
            matches!(full, Err(TargetError::Ffmpeg { message }) if message == "[mp4] No space left on device")
        );
        let silent = judge(false, b" \n", status);
        assert!(matches!(silent, Err(TargetError::Ffmpeg { message }) if message == "exit status: 1"));
    }
}
