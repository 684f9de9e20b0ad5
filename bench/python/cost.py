"""What the Python package costs beside the engine: prints a table.

    python bench/python/cost.py [COMMAND]

Processor time of this process, all its threads; candidates in turn, the fastest of many. COMMAND is the command
`holonomy`; without it what needs it is left out.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

import holonomy as hl


def fastest(actions, times=15):
    """The least processor time of each action, taken in turn, s."""
    least = [float("inf")] * len(actions)
    for _ in range(times):
        for k, action in enumerate(actions):
            start = time.process_time_ns()
            action()
            least[k] = min(least[k], (time.process_time_ns() - start) * 1e-9)
    return least


def show(what, value, bound, how):
    print(f"| {what} | {value} | {bound} | {how} |", flush=True)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


def stepping(model, count=20_000):
    sim = model.simulation()
    sim.step(count)

    def alone():
        step = sim.step
        for _ in range(count):
            step(1)

    def together():
        sim.step(count)

    def reading():
        for _ in range(count):
            sim.q

    def nothing():
        for _ in range(count):
            pass

    one, row, read, empty = (1e9 * t / count for t in fastest([alone, together, reading, nothing], 40))
    show("`sim.step(1)`", f"{one:.0f} ns", "300 ns", f"{count} calls, the loop ({empty:.0f} ns a turn) included")
    show("the step itself", f"{row:.0f} ns", "", f"`sim.step({count})`")
    show("`sim.q`", f"{read:.0f} ns", "250 ns", f"{count} times, the loop included")


def whole_run(command):
    model = hl.load("spherical-pendulum").replace(steps=100_000, every=10)
    sim = model.simulation()
    run, steps = fastest([lambda: model.run(certify="none"), lambda: sim.step(100_000)], 15)
    show("10⁵ steps, 10⁴ samples", f"{1e3 * run:.2f} ms", "", "`model.run(certify=\"none\")`")
    show("… beside its bare steps", f"{run / steps:.2f}×", "1.3×", f"`sim.step(100_000)`, {1e3 * steps:.2f} ms")
    if command:
        def cost(steps):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            with tempfile.TemporaryDirectory() as folder:
                words = ["run", "spherical-pendulum", "--steps", str(steps), "--every", "10", "--certify", "none"]
                subprocess.run([command, *words, "--out", folder + "/a"], check=True, stdout=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        short, long = (min(cost(steps) for _ in range(8)) for steps in (100_000, 600_000))
        theirs = (long - short) / 5
        how = f"{1e3 * theirs:.2f} ms for 10⁵ more steps of `holonomy run`, files included"
        show("… beside the command", f"{run / theirs:.2f}×", "1.3×", how)


def ensembles(command):
    if not command:
        return
    count = 2_000
    model = hl.load("spherical-pendulum").replace(duration=10)
    ensemble = model.ensemble({"body.bob.mass": hl.linspace(1, 5, count)})
    ours, memory, theirs = [], [], []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            start = time.process_time()
            ensemble.run(out=folder + "/a", threads=1)
            ours.append(time.process_time() - start)
            start = time.process_time()
            ensemble.run(threads=1)
            memory.append(time.process_time() - start)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            words = ["sweep", "spherical-pendulum", "--duration", "10", "--vary", f"body.bob.mass=1:5:{count}"]
            subprocess.run(
                [command, *words, "--out", folder + "/b"],
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "RAYON_NUM_THREADS": "1"},
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            theirs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    how = f"{count} cases of 10 s, one thread, fastest of 3; the command {min(theirs):.2f} s"
    show("ensemble into a folder", f"{min(ours) / min(theirs):.2f}×", "1.1×", how)
    show("ensemble in memory", f"{min(memory) / min(theirs):.2f}×", "1.1×", "the same, `ens.run()`")


def memory():
    model = hl.load("spherical-pendulum").replace(duration=1)
    sizes = []
    for k in range(10_000):
        run = model.run(certify="none")
        run.energy, run.q["bob"]
        if k % 1000 == 999:
            sizes.append(resident())
    show("memory", f"{sizes[0]:.1f} → {sizes[-1]:.1f} MB", "flat", "resident, after 1000 and after 10 000 runs of 1 s")


def compiled():
    import numba

    @numba.cfunc(hl.energy_signature())
    def gravity(points, gradient):
        gradient[0], gradient[1], gradient[2] = 0.0, 0.0, -9.81
        return -9.81 * points[2]

    @numba.cfunc(hl.energy_signature())
    def valley(points, gradient):
        gradient[0], gradient[1], gradient[2] = 2.0 * points[0], 0.0, -9.81
        return points[0] * points[0] - 9.81 * points[2]

    def plain(r):
        return -9.81 * r[0, 2], np.array([[0.0, 0.0, -9.81]])

    built_in = hl.load("spherical-pendulum")
    bare = built_in.replace({"potential": None})
    formula = {"energy": "b*bob.x^2 - a*bob.z", "parameters": {"a": "9.81 N", "b": "1 N/m"}}
    typed = built_in.replace({"potential": [{"kind": "formula", **formula}]})
    own, also = (bare.with_potential(function, points=["bob"]) for function in (gravity, valley))
    sims = [model.simulation() for model in (built_in, own, typed, also)]
    a, b, c, d = (5e4 * t for t in fastest([lambda sim=sim: sim.step(20_000) for sim in sims], 25))
    show("gravity by a numba `cfunc`", f"{b / a:.2f}×", "4×", f"{b:.0f} and {a:.0f} ns a step; built in: a kernel")
    show("another energy by a `cfunc`", f"{d / c:.2f}×", "4×", f"{d:.0f} and {c:.0f} ns a step; built in: `formula`")
    slow = bare.with_potential(plain, points=["bob"]).simulation()
    (e,) = fastest([lambda: slow.step(2000)], 5)
    show("gravity by a plain callable", f"{1e6 * e / 2000:.1f} µs a step", "", "2000 steps")


def importing():
    def cost(line):
        least = float("inf")
        for _ in range(10):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", line], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return 1e3 * least

    nothing, numpy, ours = cost("pass"), cost("import numpy"), cost("import holonomy")
    how = f"besides Python ({nothing:.0f} ms) and NumPy ({numpy - nothing:.0f} ms)"
    show("`import holonomy`", f"{ours - numpy:.0f} ms", "", how)


def main():
    command = sys.argv[1] if len(sys.argv) > 1 else None
    print("| what | measured | bound | how |\n|---|---|---|---|")
    stepping(hl.load("spherical-pendulum"))
    whole_run(command)
    compiled()
    importing()
    memory()
    ensembles(command)


if __name__ == "__main__":
    main()
