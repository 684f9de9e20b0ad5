//! What is measured, who takes part, and what is asked for.
//!
//! The problems are defined in `bench/src/work.rs` and `bench/peers`.

/// One piece of work and those who do it.
pub(super) struct Row {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// Parts of a step, where a time per part is asked for.
    pub(super) parts: f64,
    /// Wall time, where threads are compared; otherwise processor time.
    pub(super) wall: bool,
    /// Ours comes first: the others are shown relative to it.
    pub(super) entrants: &'static [Entrant],
    pub(super) asks: &'static [Ask],
}

pub(super) struct Entrant {
    pub(super) id: &'static str,
    pub(super) label: &'static str,
    pub(super) source: Source,
}

/// Who does the work, and how many steps a repetition has.
pub(super) enum Source {
    /// `holonomy-bench serve ROW WHO`.
    Here {
        row: &'static str,
        who: &'static str,
        threads: u32,
        steps: u64,
    },
    /// `peer.py ROW WHO`.
    Peer {
        row: &'static str,
        who: &'static str,
        steps: u64,
    },
    /// A number from elsewhere, ns per step.
    Quoted(f64),
}

/// A ratio of two times, or a time per part in µs, with its bound.
pub(super) struct Ask {
    pub(super) words: &'static str,
    pub(super) of: &'static str,
    pub(super) to: Option<&'static str>,
    pub(super) bound: Bound,
}

pub(super) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

const fn here(label: &'static str, row: &'static str, who: &'static str, steps: u64) -> Entrant {
    let source = Source::Here {
        row,
        who,
        threads: 0,
        steps,
    };
    Entrant {
        id: who,
        label,
        source,
    }
}

const fn peer(label: &'static str, row: &'static str, who: &'static str, steps: u64) -> Entrant {
    let source = Source::Peer { row, who, steps };
    Entrant {
        id: who,
        label,
        source,
    }
}

/// One of ours among several of the same kind.
const fn named(
    id: &'static str,
    label: &'static str,
    row: &'static str,
    who: &'static str,
    steps: u64,
) -> Entrant {
    Entrant {
        id,
        ..here(label, row, who, steps)
    }
}

const fn threads(
    id: &'static str,
    label: &'static str,
    row: &'static str,
    threads: u32,
    steps: u64,
) -> Entrant {
    let source = Source::Here {
        row,
        who: "ours",
        threads,
        steps,
    };
    Entrant { id, label, source }
}

const fn quoted(id: &'static str, label: &'static str, nanoseconds: f64) -> Entrant {
    Entrant {
        id,
        label,
        source: Source::Quoted(nanoseconds),
    }
}

const fn ratio(words: &'static str, of: &'static str, to: &'static str, bound: Bound) -> Ask {
    Ask {
        words,
        of,
        to: Some(to),
        bound,
    }
}

const fn contest(
    id: &'static str,
    title: &'static str,
    entrants: &'static [Entrant],
    asks: &'static [Ask],
) -> Row {
    Row {
        id,
        title,
        parts: 1.0,
        wall: false,
        entrants,
        asks,
    }
}

/// A time of at most so many µs.
const fn at_most(words: &'static str, of: &'static str, most: f64) -> Ask {
    Ask {
        words,
        of,
        to: None,
        bound: Bound::AtMost(most),
    }
}

const THREE_RUNS: Ask = ratio("at most 3× the run", "gradient", "forward", Bound::AtMost(3.0));

const KERNEL: Ask = ratio("at most 1.3× the kernel", "ours", "kernel", Bound::AtMost(1.3));

pub(super) const ROWS: &[Row] = &[
    contest(
        "pendulum",
        "one spherical pendulum, 0.01 s",
        &[
            here("ours, sphere-explicit", "pendulum", "ours", 20_000),
            here("kernel", "pendulum", "kernel", 20_000),
            here(
                "kernel that does not keep the sphere",
                "pendulum",
                "kernel-bare",
                20_000,
            ),
            peer("numba, RK4", "pendulum", "numba-rk4", 20_000),
            peer("heyoka, Taylor at 1e-16", "pendulum", "heyoka", 20_000),
            peer("MuJoCo, RK4", "pendulum", "mujoco-rk4", 200),
            peer("SciPy, DOP853 at 1e-9", "pendulum", "scipy-dop853", 1000),
        ],
        &[KERNEL],
    ),
    contest(
        "chain-128",
        "chain of 128 spherical links, 1 ms",
        &[
            here("ours, sphere-implicit", "chain-128", "ours", 250),
            here("kernel", "chain-128", "kernel", 250),
            peer("Pinocchio, one call of ABA", "chain-128", "pinocchio-aba", 20),
            peer("Pinocchio, ABA in RK4", "chain-128", "pinocchio-rk4", 5),
            peer("MuJoCo, RK4", "chain-128", "mujoco-rk4", 2),
        ],
        &[
            KERNEL,
            ratio(
                "Pinocchio's ABA call alone at least 6× as long",
                "pinocchio-aba",
                "ours",
                Bound::AtLeast(6.0),
            ),
            ratio(
                "MuJoCo RK4 at least 700× as long",
                "mujoco-rk4",
                "ours",
                Bound::AtLeast(700.0),
            ),
        ],
    ),
    contest(
        "chain-512",
        "chain of 512 spherical links, 1 ms",
        &[
            here("ours, sphere-implicit", "chain-512", "ours", 100),
            here("kernel", "chain-512", "kernel", 100),
            peer("Pinocchio, one call of ABA", "chain-512", "pinocchio-aba", 5),
            peer("Pinocchio, ABA in RK4", "chain-512", "pinocchio-rk4", 2),
            peer("MuJoCo, RK4", "chain-512", "mujoco-rk4", 1),
        ],
        &[KERNEL],
    ),
    contest(
        "molecules-642",
        "642 molecules, all pairs",
        &[
            here("ours, sphere-explicit", "molecules-642", "ours", 40),
            here("kernel", "molecules-642", "kernel", 40),
            peer("numba, ordered pairs", "molecules-642", "numba", 40),
            peer("LAMMPS, not held to the sphere", "molecules-642", "lammps", 40),
        ],
        &[
            KERNEL,
            ratio(
                "LAMMPS at least 4× as long",
                "lammps",
                "ours",
                Bound::AtLeast(4.0),
            ),
        ],
    ),
    contest(
        "molecules-10242",
        "10 242 molecules, cut-off 2.5 σ, skin 0.3 σ",
        &[
            here("ours, sphere-explicit", "molecules-10242", "ours", 100),
            peer("LAMMPS, not held to the sphere", "molecules-10242", "lammps", 100),
        ],
        &[ratio(
            "LAMMPS at least 2× as long",
            "lammps",
            "ours",
            Bound::AtLeast(2.0),
        )],
    ),
    contest(
        "molecules-40962",
        "40 962 molecules, cut-off 2.5 σ, skin 0.3 σ",
        &[
            here("ours, sphere-explicit", "molecules-40962", "ours", 50),
            peer("LAMMPS, not held to the sphere", "molecules-40962", "lammps", 50),
        ],
        &[ratio(
            "LAMMPS at least 2× as long",
            "lammps",
            "ours",
            Bound::AtLeast(2.0),
        )],
    ),
    Row {
        wall: true,
        ..contest(
            "threads-10242",
            "10 242 molecules, one thread and two (wall time)",
            &[
                threads("two", "ours, two threads", "molecules-10242", 2, 100),
                threads("one", "ours, one thread", "molecules-10242", 1, 100),
            ],
            &[ratio(
                "both cores at least 1.8× one",
                "one",
                "two",
                Bound::AtLeast(1.8),
            )],
        )
    },
    Row {
        wall: true,
        ..contest(
            "threads-40962",
            "40 962 molecules, one thread and two (wall time)",
            &[
                threads("two", "ours, two threads", "molecules-40962", 2, 50),
                threads("one", "ours, one thread", "molecules-40962", 1, 50),
            ],
            &[ratio(
                "both cores at least 1.8× one",
                "one",
                "two",
                Bound::AtLeast(1.8),
            )],
        )
    },
    contest(
        "cable-50",
        "cable pinned at both ends, 50 links, 1 ms",
        &[
            here("ours, sphere-implicit", "cable-50", "ours-spheres", 200),
            here("ours, tree-variational", "cable-50", "ours-tree", 50),
            peer("MuJoCo, RK4, stiff", "cable-50", "mujoco-rk4", 5),
        ],
        &[],
    ),
    contest(
        "cable-200",
        "cable pinned at both ends, 200 links, 1 ms",
        &[
            here("ours, sphere-implicit", "cable-200", "ours-spheres", 50),
            here("ours, tree-variational", "cable-200", "ours-tree", 5),
            peer("MuJoCo, RK4, stiff", "cable-200", "mujoco-rk4", 1),
        ],
        &[],
    ),
    Row {
        parts: 128.0,
        ..contest(
            "revolute-128",
            "chain of 128 hinges, 0.01 s",
            &[
                here("ours, tree-variational", "revolute-128", "ours", 20),
                quoted("dart", "DART 7, published: 21.5 µs a joint", 128.0 * 21.5e3),
            ],
            &[at_most("at most 2 µs per joint", "ours", 2.0)],
        )
    },
    contest(
        "cable-34",
        "plane cable, 34 variables, 2 constraints, 0.02 s",
        &[
            here("ours, tree-variational", "cable-34", "ours", 1500),
            quoted("trep", "trep 1.0.3, on another machine", 24.5e6),
        ],
        &[ratio(
            "trep at least 300× as long",
            "trep",
            "ours",
            Bound::AtLeast(300.0),
        )],
    ),
    contest(
        "puppet",
        "puppet, 22 variables, 6 constraints, 0.01 s",
        &[
            here("ours, tree-variational", "puppet", "ours", 1000),
            quoted("trep", "trep 1.0.3, on another machine", 1.57e6),
        ],
        &[ratio(
            "trep at least 100× as long",
            "trep",
            "ours",
            Bound::AtLeast(100.0),
        )],
    ),
    contest(
        "linearise-7",
        "an arm of 7 hinges: derivatives of a step of 0.01 s",
        &[
            here(
                "ours, linearised, a gradient back",
                "linearise-arm-7",
                "pull",
                1000,
            ),
            here("ours, linearised, all columns", "linearise-arm-7", "matrix", 500),
            peer(
                "Pinocchio, of the accelerations alone",
                "arm-7",
                "pinocchio-aba",
                300,
            ),
            peer("Crocoddyl, Euler", "arm-7", "crocoddyl-euler", 200),
            peer("Crocoddyl, RK4", "arm-7", "crocoddyl-rk4", 50),
            peer("MuJoCo, differences", "arm-7", "mujoco-fd", 100),
            peer("MuJoCo, centred differences", "arm-7", "mujoco-fd-centred", 50),
        ],
        &[
            at_most("linearised, a gradient back: at most 4 µs", "pull", 4.0),
            at_most("all columns: at most 8 µs", "matrix", 8.0),
        ],
    ),
    contest(
        "linearise-32",
        "an arm of 32 hinges: derivatives of a step of 0.01 s",
        &[
            here(
                "ours, linearised, a gradient back",
                "linearise-arm-32",
                "pull",
                200,
            ),
            here("ours, linearised, all columns", "linearise-arm-32", "matrix", 60),
            peer(
                "Pinocchio, of the accelerations alone",
                "arm-32",
                "pinocchio-aba",
                60,
            ),
            peer("Crocoddyl, Euler", "arm-32", "crocoddyl-euler", 30),
            peer("Crocoddyl, RK4", "arm-32", "crocoddyl-rk4", 2),
            peer("MuJoCo, differences", "arm-32", "mujoco-fd", 6),
            peer("MuJoCo, centred differences", "arm-32", "mujoco-fd-centred", 3),
        ],
        &[
            at_most("linearised, a gradient back: at most 17 µs", "pull", 17.0),
            at_most("all columns: at most 100 µs", "matrix", 100.0),
        ],
    ),
    contest(
        "linearise-growth",
        "arms of 8, 32 and 512 hinges: a step linearised, a gradient back",
        &[
            named("links-8", "8 hinges", "linearise-arm-8", "pull", 1000),
            named("links-32", "32 hinges", "linearise-arm-32", "pull", 240),
            named("links-512", "512 hinges", "linearise-arm-512", "pull", 15),
        ],
        // 64 and 16 to the power of 1.05.
        &[
            ratio(
                "grows with at most the power 1.05 of the hinges: at most 78.8× from 8 to 512",
                "links-512",
                "links-8",
                Bound::AtMost(78.8),
            ),
            ratio(
                "the same where all are solved in sweeps: at most 18.4× from 32 to 512",
                "links-512",
                "links-32",
                Bound::AtMost(18.4),
            ),
        ],
    ),
    contest(
        "gradient-arm-7",
        "an arm of 7 hinges, 1000 steps: the gradient of a run against the run",
        &[
            here("ours, the run", "gradient-arm-7", "forward", 1000),
            here("ours, run and gradient", "gradient-arm-7", "gradient", 1000),
        ],
        &[THREE_RUNS],
    ),
    contest(
        "gradient-arm-32",
        "an arm of 32 hinges, 200 steps: the gradient of a run against the run",
        &[
            here("ours, the run", "gradient-arm-32", "forward", 200),
            here("ours, run and gradient", "gradient-arm-32", "gradient", 200),
        ],
        &[THREE_RUNS],
    ),
    contest(
        "gradient-chain-8",
        "chain of 8 spherical links, 1000 steps: the gradient of a run against the run",
        &[
            here("ours, the run", "gradient-chain-8", "forward", 1000),
            here("ours, run and gradient", "gradient-chain-8", "gradient", 1000),
        ],
        &[THREE_RUNS],
    ),
    contest(
        "gradient-double",
        "double spherical pendulum, 1000 steps: the gradient of a run against the run",
        &[
            here("ours, the run", "gradient-double", "forward", 1000),
            here("ours, run and gradient", "gradient-double", "gradient", 1000),
        ],
        &[THREE_RUNS],
    ),
    contest(
        "gradient-pendulum",
        "spherical pendulum, 1000 steps: the gradient of a run against the run",
        &[
            here("ours, the run", "gradient-pendulum", "forward", 1000),
            here("ours, run and gradient", "gradient-pendulum", "gradient", 1000),
        ],
        &[THREE_RUNS],
    ),
    contest(
        "gradient-lagrangian",
        "double plane pendulum as a Lagrangian, 1000 steps: the gradient of a run against the run",
        &[
            here("ours, the run", "gradient-double-plane-pendulum", "forward", 1000),
            here(
                "ours, run and gradient",
                "gradient-double-plane-pendulum",
                "gradient",
                1000,
            ),
        ],
        &[THREE_RUNS],
    ),
    contest(
        "gradient-loop",
        "four-bar linkage, 1000 steps: the gradient of a run against the run",
        &[
            here("ours, the run", "gradient-four-bar", "forward", 1000),
            here("ours, run and gradient", "gradient-four-bar", "gradient", 1000),
        ],
        &[THREE_RUNS],
    ),
    contest(
        "derivatives-puppet",
        "puppet, 22 variables, 6 constraints: steps with all columns of their matrices",
        &[
            here("ours", "derivatives-puppet", "matrices", 200),
            quoted("trep", "trep 1.0.3, on another machine", 4.5e6),
        ],
        &[at_most(
            "1000 steps in at most 0.3 s: 300 µs each",
            "matrices",
            300.0,
        )],
    ),
];
