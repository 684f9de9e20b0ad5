"""Peers, asked for one repetition at a time.

    python peer.py ROW WHO FOLDER      says `ready VERSION`, then for every line N does N steps from the start and
                                       says `CPU-NANOSECONDS WALL-NANOSECONDS -`; `unavailable REASON` if it cannot
    python peer.py precision SYSTEM WHO STEP-OR-TOLERANCE SECONDS
                                       says `SECONDS ERROR`, or `failed REASON`

A piece of work is a pair of functions: `reset()`, off the clock, and `steps(n)`, on it. FOLDER holds the starts that
`holonomy-bench export` wrote. Everything runs on one thread.
"""
import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"

import sys
import time


def serve(version, reset, steps):
    """Answers until the input ends."""
    reset()
    steps(1)
    print("ready", version, flush=True)
    for line in sys.stdin:
        n = int(line)
        reset()
        cpu, wall = time.process_time_ns(), time.perf_counter_ns()
        steps(n)
        cpu, wall = time.process_time_ns() - cpu, time.perf_counter_ns() - wall
        print(cpu, wall, "-", flush=True)


def main():
    if sys.argv[1] == "precision":
        import precision

        precision.main(*sys.argv[2:])
        return
    row, who, folder = sys.argv[1:4]
    kind, _, size = row.partition("-")
    size = int(size) if size.isdigit() else 0
    if kind == "pendulum":
        import pendulum as module
    elif kind == "chain":
        import chain as module
    elif kind == "molecules":
        import molecules as module
    elif kind == "cable":
        import cable as module
    elif kind == "arm":
        import derivatives as module
    else:
        raise SystemExit("unavailable no peer has this row")
    try:
        work = module.PEERS[who](size, os.path.join(folder, row + ".bin"))
    except (ImportError, OSError) as error:
        print("unavailable", str(error).replace("\n", " "), flush=True)
        return
    serve(*work)


if __name__ == "__main__":
    main()
