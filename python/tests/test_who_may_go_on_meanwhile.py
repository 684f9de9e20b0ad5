"""Ctrl-C, other threads, and memory."""

import sys
import threading
import time

import pytest
from conftest import digest

import holonomy as hl

# A run of each kind that would take minutes.
LONG = {
    "run": 'act = lambda: hl.run("spherical-pendulum", steps=10**9, every=10**5, certify="none")',
    "files": 'm = hl.load("spherical-pendulum").replace(steps=10**9, every=10**5)\n'
    'act = lambda: m.run(certify="none", out="run", force=True)',
    "step": 'sim = hl.load("double-spherical-pendulum").simulation(); act = lambda: sim.step(10**9)',
    "forced": 'sim = hl.load("plane-pendulum").simulation(force=lambda t, q, v: -v); act = lambda: sim.step(10**9)',
    "callable": 'm = hl.load("spherical-pendulum").with_potential(lambda r: (0.0, 0 * r), points=["bob"])\n'
    'act = lambda: m.run(steps=10**8, every=10**5, certify="none")',
    "ensemble": 'm = hl.load("spherical-pendulum").replace(steps=10**6)\n'
    'e = m.ensemble({"body.bob.mass": "1:2:2000"}); act = lambda: e.run()',
    "sweep": 'm = hl.load("spherical-pendulum").replace(steps=10**6)\n'
    'e = m.ensemble({"body.bob.mass": "1:2:2000"}); act = lambda: e.run(out="sweep", force=True)',
    "certificate": 'run = hl.run("pendulum-chain", steps=20000, every=100, certify="full")\n'
    "act = lambda: run.certificate",
    "converge": 'm = hl.load("double-plane-pendulum")\n'
    'act = lambda: m.converge([1e-2, 1e-3, 1e-4, 1e-5, 1e-6], duration=50)',
    "linearize": 'm = hl.load("double-plane-pendulum").replace(steps=10**7)\n'
    "act = lambda: m.linearize(lyapunov=True)",
    "orbit": 'm = hl.load("henon-heiles").replace(step=1e-3)\n'
    'act = lambda: m.orbit(6.5, energy=(0.02, 0.16, 2000), most=10**6)',
    "inverse": 'm = hl.loads(hl.load("kepler").to_toml() + "[[input]]\\nname = \'u\'\\non = \'x\'\\n")\n'
    'n = 10**6; t = m.step * __import__("numpy").arange(n); act = lambda: m.inverse({"t": t, "x": 1 + 0 * t, "y": 0 * t})',
    "rollout": 'm = hl.load("double-plane-pendulum").rollout(steps=10**8, every=10**8); act = lambda: m()',
    "gradient": 't = hl.load("pendulum-chain").rollout(steps=8000, every=8000)()\n'
    'act = lambda: [t.vjp(end=[[1.0] * len(t.end)] * 40) for _ in range(100)]',
    "slopes": 'm = hl.load("double-plane-pendulum").replace(steps=10**7)\n'
    'act = lambda: m.gradient("a")',
    "compare": 'm = hl.load("double-plane-pendulum")\n'
    'act = lambda: m.compare(["midpoint", "rk4"], steps=10**8, every=10**5)',
}


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
@pytest.mark.parametrize("kind", list(LONG))
def test_ctrl_c_ends_it_within_a_fifth_of_a_second(kind, program):
    text = f"""
import json, os, signal, threading, time
import holonomy as hl
# A job in the background of a shell begins with Ctrl-C switched off.
signal.signal(signal.SIGINT, signal.default_int_handler)
{LONG[kind]}
sent = []
def press():
    time.sleep(0.5)
    sent.extend((time.perf_counter(), time.process_time()))
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=press).start()
try:
    act()
    print(json.dumps("it came to its end"))
except KeyboardInterrupt:
    print(json.dumps((time.perf_counter() - sent[0], time.process_time() - sent[1])))
"""
    # Either clock will do: a busy machine is late by the one on the wall, two threads use twice the processor's. A slow
    # one may be late once, not three times.
    took = [program(text)]
    while len(took) < 3 and not isinstance(took[-1], str) and min(took[-1]) > 0.2:
        took.append(program(text))
    assert not isinstance(took[-1], str) and min(took[-1]) < 0.2, took


def test_other_threads_go_on_during_a_run():
    ticks = []
    over = threading.Event()

    def count():
        while not over.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.002)

    thread = threading.Thread(target=count, daemon=True)
    thread.start()
    sim = hl.load("double-spherical-pendulum").simulation()
    for act in (
        lambda: hl.run("double-spherical-pendulum", steps=1_500_000, every=1000, certify="none"),
        lambda: sim.step(1_500_000),
        lambda: hl.load("kepler").replace(steps=3000).ensemble({"start.x": "0.9:1.1:50"}).run(),
    ):
        start = time.perf_counter()
        act()
        took = time.perf_counter() - start
        during = [start, *(tick for tick in ticks if start < tick < start + took), start + took]
        gaps = [after - before for before, after in zip(during, during[1:])]
        # Were the lock held, the only gap would be the whole of it.
        assert took > 0.02 and max(gaps) < 0.5 * took, (took, max(gaps))
    over.set()
    thread.join()


def test_several_threads_run_several_simulations():
    names = ["kepler", "four-bar", "double-spherical-pendulum", "spherical-pendulum"]
    alone = {}
    for name in names:
        sim = hl.load(name).simulation()
        sim.step(5000)
        alone[name] = digest(sim.q.ravel(), sim.p.ravel())
    found = {}

    def work(place, name):
        sim = hl.load(name).simulation()
        for _ in range(50):
            sim.step(100)
        found[place] = digest(sim.q.ravel(), sim.p.ravel())

    threads = [threading.Thread(target=work, args=(k, names[k % 4])) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {k: alone[names[k % 4]] for k in range(8)}


def test_one_simulation_is_for_one_thread_at_a_time():
    sim = hl.load("double-spherical-pendulum").simulation()
    thread = threading.Thread(target=lambda: sim.step(3_000_000))
    thread.start()
    time.sleep(0.05)
    try:
        sim.step(1)
        steps = None
    except RuntimeError as error:
        steps = str(error)
    thread.join()
    assert steps is None or "borrowed" in steps
    assert sim.steps >= 3_000_000


def test_memory_is_flat_over_ten_thousand_runs(program):
    """The second half of ten thousand runs may not take 2 MB more: a leak of a run's 12 kB block would be 60 MB, and
    one of 500 bytes a run would be seen. The allocator itself wavers by some hundred kB."""
    pytest.importorskip("resource")
    grown = program("""
import json, resource, sys
import holonomy as hl
model = hl.load("spherical-pendulum").replace(steps=160, every=1)
size = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "darwin" else 1)
def runs(n):
    for _ in range(n):
        run = model.run(certify="none", threads=1)
        sim = run.simulation(); sim.step(3); sim.q
        run.q["bob"]
runs(5000)
before = size()
runs(5000)
print(json.dumps(size() - before))
""")
    assert grown < 2048, f"{grown} kB"
