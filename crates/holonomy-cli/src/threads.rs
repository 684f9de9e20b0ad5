//! `--threads N`.

/// How many threads compute.
#[derive(clap::Args)]
pub(crate) struct ThreadArguments {
    /// Threads for the forces of large systems, all cores if left out; results are the same to the bit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
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
