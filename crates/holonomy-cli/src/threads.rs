//! `--threads N`.

/// How many threads compute.
#[derive(clap::Args)]
pub(crate) struct ThreadArguments {
    /// Threads for the forces of large systems, all cores if left out; results are the same to the bit
    #[arg(long, value_name = "N", value_parser = number)]
    threads: Option<u16>,
}

impl ThreadArguments {
    /// Does something with so many threads at hand.
    pub(crate) fn within<R: Send>(&self, act: impl FnOnce() -> R + Send) -> R {
        // Zero means as many as there are cores.
        let count = self.threads.map_or(0, usize::from);
        match rayon::ThreadPoolBuilder::new().num_threads(count).build() {
            Ok(pool) => pool.install(act),
            // A system that gives out no threads: it takes longer.
            Err(_) => act(),
        }
    }
}

const MOST: u16 = 1024;

fn number(text: &str) -> Result<u16, NotANumber> {
    let number = text.parse().ok();
    number
        .filter(|number| (1..=MOST).contains(number))
        .ok_or(NotANumber)
}

#[derive(Debug, thiserror::Error)]
#[error("write a whole number from 1 to {MOST}, or leave the flag out to use all cores")]
struct NotANumber;
