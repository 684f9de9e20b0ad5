//! Work that takes long: other threads of Python go on meanwhile, and Ctrl-C ends it.
use pyo3::prelude::*;
use rayon::ThreadPool;
use std::{
    collections::HashMap,
    panic,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, sync_channel},
    },
    thread,
    time::Duration,
};

/// How often signals are looked for.
const LOOK: Duration = Duration::from_millis(40);

/// Does something on another thread, with so many threads at hand (all cores if it is zero), while this one looks for
/// signals. After one `stop` is true, and the signal comes back beside what was done until then.
pub(crate) fn watched<R: Send>(
    py: Python<'_>,
    threads: usize,
    stop: &AtomicBool,
    act: impl FnOnce() -> R + Send,
) -> (R, Option<PyErr>) {
    let pool = pool(threads);
    py.detach(|| {
        thread::scope(|scope| {
            let (done, result) = sync_channel(1);
            let worker = scope.spawn(move || {
                let result = match pool {
                    Some(pool) => pool.install(act),
                    None => act(),
                };
                let _ = done.send(result);
            });
            let mut signal = None;
            loop {
                match result.recv_timeout(LOOK) {
                    Ok(result) => return (result, signal),
                    Err(RecvTimeoutError::Timeout) if signal.is_none() => {
                        if let Err(error) = Python::attach(|py| py.check_signals()) {
                            stop.store(true, Ordering::Relaxed);
                            signal = Some(error);
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => match worker.join() {
                        Err(panicked) => panic::resume_unwind(panicked),
                        Ok(()) => unreachable!("a worker that ends has sent its result"),
                    },
                }
            }
        })
    })
}

/// A pool of so many threads, made once; `None` where the system gives out none.
pub(crate) fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
    static POOLS: Mutex<Option<HashMap<usize, Arc<ThreadPool>>>> = Mutex::new(None);
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let pools = pools.get_or_insert_default();
    if let Some(pool) = pools.get(&threads) {
        return Some(pool.clone());
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .ok()?;
    let pool = Arc::new(pool);
    pools.insert(threads, pool.clone());
    Some(pool)
}
