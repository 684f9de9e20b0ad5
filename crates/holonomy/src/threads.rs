//! Work on several threads, with the same bits for any number of them.
//!
//! ```text
//! task k      the k-th piece of every list, cut as the caller says: never as many pieces as there are threads
//! a result    depends on its task alone; sums over tasks are the caller's, in the order of the tasks
//! ```
//! Threads are those of the rayon pool the caller runs in, see `rayon::ThreadPool::install`. The engine makes none:
//! outside of a pool, in a pool of one, without the feature `threads`, and where the work is too little for a second
//! thread to wake up for, the tasks are done one after the other. Nothing is allocated.

/// Work, in nanoseconds of one core, that is worth waking a thread for.
const WORTHWHILE: usize = 15_000;

/// Lists that are cut into tasks: a [`Pieces`] or a [`Parts`], or up to six of them together.
pub(crate) trait Tasks: Send + Sized {
    /// What one task is given.
    type Task;
    /// How many tasks there are.
    fn count(&self) -> usize;
    /// The first tasks and the others.
    fn split(self, first: usize) -> (Self, Self);
    /// All that is left, as one task.
    fn task(self) -> Self::Task;
}

/// A list that tasks change, cut into pieces of one size; the last may be shorter.
pub(crate) struct Pieces<'a, T> {
    items: &'a mut [T],
    size: usize,
}

/// A list that tasks read, cut into pieces of one size; the last may be shorter.
pub(crate) struct Parts<'a, T> {
    items: &'a [T],
    size: usize,
}

/// Cuts a list that tasks change.
pub(crate) fn pieces<T>(size: usize, items: &mut [T]) -> Pieces<'_, T> {
    Pieces { items, size }
}

/// Cuts a list that tasks read.
pub(crate) fn parts<T>(size: usize, items: &[T]) -> Parts<'_, T> {
    Parts { items, size }
}

/// Does the tasks: `act(k, task k)`. All together they cost about `nanoseconds` on one core.
///
/// Lists cut together must give as many tasks each.
pub(crate) fn run<S: Tasks>(nanoseconds: usize, tasks: S, act: impl Fn(usize, S::Task) + Sync) {
    if nanoseconds >= WORTHWHILE && several() {
        fork(0, tasks, &act);
    } else {
        one_by_one(tasks, &act);
    }
}

fn one_by_one<S: Tasks>(mut rest: S, act: &impl Fn(usize, S::Task)) {
    let count = rest.count();
    for k in 0..count {
        let task;
        (task, rest) = rest.split(1);
        act(k, task.task());
    }
}

/// Whether there is a second thread to help.
#[cfg(feature = "threads")]
fn several() -> bool {
    // In this order: outside of a pool the second question would make one.
    rayon::current_thread_index().is_some() && rayon::current_num_threads() > 1
}

#[cfg(not(feature = "threads"))]
fn several() -> bool {
    false
}

#[cfg(feature = "threads")]
fn fork<S: Tasks>(first: usize, tasks: S, act: &(impl Fn(usize, S::Task) + Sync)) {
    let count = tasks.count();
    if count > 1 {
        let (these, others) = tasks.split(count / 2);
        rayon::join(
            || fork(first, these, act),
            || fork(first + count / 2, others, act),
        );
    } else if count == 1 {
        act(first, tasks.task());
    }
}

#[cfg(not(feature = "threads"))]
fn fork<S: Tasks>(_: usize, tasks: S, act: &(impl Fn(usize, S::Task) + Sync)) {
    one_by_one(tasks, act);
}

impl<'a, T: Send> Tasks for Pieces<'a, T> {
    type Task = &'a mut [T];
    fn count(&self) -> usize {
        self.items.len().div_ceil(self.size)
    }
    fn split(self, first: usize) -> (Self, Self) {
        let end = self.items.len().min(first * self.size);
        let (these, others) = self.items.split_at_mut(end);
        (pieces(self.size, these), pieces(self.size, others))
    }
    fn task(self) -> Self::Task {
        self.items
    }
}

impl<'a, T: Sync> Tasks for Parts<'a, T> {
    type Task = &'a [T];
    fn count(&self) -> usize {
        self.items.len().div_ceil(self.size)
    }
    fn split(self, first: usize) -> (Self, Self) {
        let end = self.items.len().min(first * self.size);
        let (these, others) = self.items.split_at(end);
        (parts(self.size, these), parts(self.size, others))
    }
    fn task(self) -> Self::Task {
        self.items
    }
}

macro_rules! together {
    ($($list:ident),+) => {
        impl<$($list: Tasks),+> Tasks for ($($list,)+) {
            type Task = ($($list::Task,)+);
            #[expect(non_snake_case, reason = "a list is called by its type")]
            fn count(&self) -> usize {
                let ($($list,)+) = self;
                let counts = [$($list.count()),+];
                debug_assert!(counts.iter().all(|count| *count == counts[0]), "tasks: {counts:?}");
                counts[0]
            }
            #[expect(non_snake_case, reason = "a list is called by its type")]
            fn split(self, first: usize) -> (Self, Self) {
                let ($($list,)+) = self;
                $(let $list = $list.split(first);)+
                (($($list.0,)+), ($($list.1,)+))
            }
            #[expect(non_snake_case, reason = "a list is called by its type")]
            fn task(self) -> Self::Task {
                let ($($list,)+) = self;
                ($($list.task(),)+)
            }
        }
    };
}

together!(A, B);
together!(A, B, C);
together!(A, B, C, D);
together!(A, B, C, D, E);
together!(A, B, C, D, E, F);

#[cfg(test)]
mod tests {
    use super::*;

    /// Squares of the numbers, and the sum of each piece of 7.
    fn squares(nanoseconds: usize) -> (Vec<f64>, Vec<f64>) {
        let x: Vec<f64> = (0..100).map(f64::from).collect();
        let (mut squares, mut sums) = (vec![0.0; 100], vec![0.0; 15]);
        let tasks = (parts(7, &x), pieces(7, &mut squares), pieces(1, &mut sums));
        run(nanoseconds, tasks, |k, (x, squares, sum)| {
            assert_eq!(x[0], 7.0 * k as f64);
            for (x, square) in x.iter().zip(squares) {
                *square = x * x;
                sum[0] += *square;
            }
        });
        (squares, sums)
    }

    #[test]
    fn every_task_is_done_once() {
        let (squares, sums) = squares(0);
        assert!(
            squares
                .iter()
                .enumerate()
                .all(|(k, square)| *square == (k * k) as f64)
        );
        assert_eq!(sums[0], 91.0);
        assert_eq!(sums.iter().sum::<f64>(), 328_350.0);
        run(0, pieces(3, &mut [] as &mut [f64]), |_, _| {
            unreachable!("no tasks")
        });
    }

    #[cfg(feature = "threads")]
    #[test]
    fn on_any_number_of_threads() {
        for threads in 1..4 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let Ok(pool) = pool else {
                unreachable!("threads can be started")
            };
            let (met, alone) = pool.install(|| (several(), squares(0)));
            assert_eq!(met, threads > 1);
            assert_eq!(pool.install(|| squares(WORTHWHILE)), alone);
        }
    }

    #[test]
    fn outside_of_a_pool_nobody_helps() {
        assert!(!several());
    }
}
