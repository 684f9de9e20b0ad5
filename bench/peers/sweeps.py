"""Many pendula from different starts, by everybody, at the accuracy that ours has: `cargo xtask bench sweeps`.

    python sweeps.py BENCH SYSTEM COUNT METHOD STEP STEPS [THREADS]

The k-th of N begins with (1/2 + k/2N) of the velocities of the bench's model, and all move for STEP x STEPS seconds. The
error is the median over a thousand of them of the largest error of a direction, against heyoka at 1e-16. Everybody is
given the largest step, or tolerance, that is at least as exact as ours; the fastest of three laps counts.
"""
import os
import subprocess
import sys
import tempfile
import time
from math import sqrt

BENCH, SYSTEM, COUNT, METHOD, STEP, STEPS = sys.argv[1:7]
COUNT, STEP, STEPS = int(COUNT), float(STEP), int(STEPS)
THREADS = int(sys.argv[7]) if len(sys.argv) > 7 else 1
os.environ["NUMBA_NUM_THREADS"] = str(THREADS)
os.environ["XLA_FLAGS"] = f"--xla_cpu_multi_thread_eigen={'true' if THREADS > 1 else 'false'}"
if THREADS == 1:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import numpy as np
from concurrent.futures import ThreadPoolExecutor

import systems

END = STEP * STEPS
G = systems.G
HALF = {"pendulum": 3, "double": 6}[SYSTEM]
BASE = np.array([sqrt(0.75), 0.0, 0.5, 0.0, 2.0, 0.0]) if SYSTEM == "pendulum" else systems.double_start()


def starts(count, of=COUNT, stride=1):
    share = 0.5 + 0.5 * (np.arange(count) * stride) / of
    all = np.repeat(BASE[None, :], count, axis=0)
    all[:, HALF:] *= share[:, None]
    return all


STRIDE = -(-COUNT // 1000)
SOME = starts(-(-COUNT // STRIDE), COUNT, STRIDE)


def heyoka(tolerance, batch):
    import heyoka as hy

    make = systems.heyoka_pendulum if SYSTEM == "pendulum" else systems.heyoka_double
    single = make(BASE, tolerance)
    if batch == 1:
        return single
    zero = np.repeat(BASE[:, None], batch, axis=1)
    return hy.taylor_adaptive_batch(single.sys, zero, tol=tolerance)


def by_heyoka(tolerance, all, pool=None):
    """Batches as wide as the processor's vectors, one integrator for each thread."""
    import heyoka as hy

    batch = hy.recommended_simd_size()
    ends = np.empty_like(all)

    def some(lo, hi):
        integrator = heyoka(tolerance, batch)
        for k in range(lo, hi, batch):
            n = min(batch, hi - k)
            integrator.set_time(0.0)
            integrator.state[:, :n] = all[k : k + n].T
            integrator.propagate_until([END] * batch)
            ends[k : k + n] = integrator.state[:, :n].T

    cuts = np.linspace(0, len(all), THREADS + 1).astype(int)
    if pool is None:
        some(0, len(all))
    else:
        list(pool.map(some, cuts[:-1], cuts[1:]))
    return ends


def by_numba(steps, all):
    import numba

    global NUMBA
    try:
        NUMBA
    except NameError:
        one = systems.pendulum_rk4 if SYSTEM == "pendulum" else systems.double_rk4

        @numba.njit(parallel=True)
        def every(all, h, n):
            for k in numba.prange(all.shape[0]):
                one(all[k], h, n)

        NUMBA = every
    ends = all.copy()
    NUMBA(ends, END / steps, steps)
    return ends


def by_jax(steps, all):
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp

    global JAX
    try:
        JAX
    except NameError:

        def pendulum(y):
            q, v = y[:3], y[3:]
            s = G * q[2] + v @ v
            return jnp.concatenate([v, jnp.array([0.0, 0.0, G]) - s * q])

        def double(y):
            l, b = systems.LENGTH, systems.BACK
            q1, q2, v1, v2 = y[0:3], y[3:6], y[6:9], y[9:12]
            c, n1, n2 = q1 @ q2, q1 @ q1, q2 @ q2
            r1 = -l * (v1 @ v1 + 2.0 * b * (q1 @ v1) + 0.5 * b * b * (n1 - 1.0)) - G * q1[2]
            r2 = -l * (v2 @ v2 + 2.0 * b * (q2 @ v2) + 0.5 * b * b * (n2 - 1.0))
            det = 2.0 * n1 * n2 - c * c
            t1, t2 = (2.0 * n2 * r1 + c * r2) / det, (n1 * r2 + c * r1) / det
            a1 = (jnp.array([0.0, 0.0, G]) + t1 * q1 - t2 * q2) / l
            a2 = (2.0 * t2 * q2 - t1 * q1) / l
            return jnp.concatenate([v1, v2, a1, a2])

        rate = pendulum if SYSTEM == "pendulum" else double

        def step(y, h):
            k1 = rate(y)
            k2 = rate(y + 0.5 * h * k1)
            k3 = rate(y + 0.5 * h * k2)
            k4 = rate(y + h * k3)
            return y + h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)

        def run(all, h, n):
            return jax.lax.fori_loop(0, n, lambda _, all: jax.vmap(step, (0, None))(all, h), all)

        JAX = jax.jit(run)
    return np.asarray(JAX(all, END / steps, steps).block_until_ready())


def mujoco_model(step):
    import mujoco

    link = """<body pos="0 0 -{at}"><joint type="ball"/>
        <inertial pos="0 0 -{l}" mass="1" diaginertia="1e-6 1e-6 1e-6"/>{more}</body>"""
    if SYSTEM == "pendulum":
        bodies = link.format(at=0, l=1, more="")
    else:
        l = systems.LENGTH
        bodies = link.format(at=0, l=l, more=link.format(at=l, l=l, more=""))
    return mujoco.MjModel.from_xml_string(f"""
      <mujoco><option timestep="{step}" integrator="RK4" gravity="0 0 -{G}">
        <flag contact="disable" constraint="disable"/></option><worldbody>{bodies}</worldbody></mujoco>""")


def by_mujoco(steps, all):
    """Its rollout; from a start of the same mechanism, for time only: the cost of a step does not depend on it."""
    import mujoco
    from mujoco import rollout

    model = mujoco_model(END / steps)
    data = [mujoco.MjData(model) for _ in range(THREADS)]
    state = np.zeros((len(all), mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    mujoco.mj_resetData(model, data[0])
    data[0].qvel[:] = 0.1
    one = np.zeros(state.shape[1])
    mujoco.mj_getState(model, data[0], one, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state[:] = one
    # One row of output would make a rollout of one step: steps are taken in slices that are thrown away.
    slices = min(steps, 250)
    out = np.zeros((len(all), slices, state.shape[1]))
    done = 0
    while done < steps:
        n = min(slices, steps - done)
        rollout.rollout(model, data, state, nstep=n, state=out[:, :n])
        state = np.ascontiguousarray(out[:, n - 1])
        done += n
    return None


REFERENCE = by_heyoka(1e-16, SOME)


def error(ends):
    return float(np.median(np.abs(ends[:, :HALF] - REFERENCE[:, :HALF]).max(axis=1)))


def laps(act):
    best = float("inf")
    for _ in range(3):
        begun = time.perf_counter()
        act()
        best = min(best, time.perf_counter() - begun)
    return best


def ours(method):
    with tempfile.NamedTemporaryFile() as file:
        words = ["ensemble", SYSTEM, method, STEP, STEPS, COUNT, THREADS, file.name]
        said = subprocess.run([BENCH, *map(str, words)], capture_output=True, text=True, check=True).stdout
        ends = np.fromfile(file.name).reshape(-1, HALF)
    return float(said.strip()), error(ends)


def main():
    print(f"{COUNT} x {SYSTEM}, {END:g} s, {THREADS} thread(s)")
    seconds, wanted = ours(METHOD)
    rows = [(f"ours, {METHOD}, {STEPS} steps of {STEP:g} s", seconds, wanted)]
    if SYSTEM == "pendulum" and METHOD == "sphere-explicit":
        rows.append(("straight-line kernel, the same", *ours("kernel")))
    all = starts(COUNT)
    with ThreadPoolExecutor(THREADS) as pool:
        for tolerance in [1e-3 * 0.1 ** (k / 2) for k in range(27)]:
            found = error(by_heyoka(tolerance, SOME))
            if found <= wanted:
                break
        import heyoka as hy

        name = f"heyoka {hy.__version__}, batches of {hy.recommended_simd_size()}, tolerance {tolerance:.0e}"
        rows.append((name, laps(lambda: by_heyoka(tolerance, all, pool)), found))
    steps = STEPS // 8
    while not error(by_numba(steps, SOME)) <= wanted:
        steps = int(steps * 1.2) + 1
    exact = error(by_numba(steps, SOME))
    import numba

    rows.append((f"numba {numba.__version__} prange, rk4, {steps} steps", laps(lambda: by_numba(steps, all)), exact))
    try:
        import jax

        by_jax(steps, all)
        exact = error(by_jax(steps, SOME))
        rows.append((f"JAX {jax.__version__} vmap, rk4, {steps} steps", laps(lambda: by_jax(steps, all)), exact))
    except ImportError as why:
        print("no JAX:", why)
    import mujoco

    few = starts(500)
    by_mujoco(10, few)
    seconds = laps(lambda: by_mujoco(steps, few)) * COUNT / len(few)
    rows.append((f"MuJoCo {mujoco.__version__} rollout, RK4, {steps} steps (500 of them, scaled)", seconds, float("nan")))
    for name, seconds, exact in rows:
        print(f"{name:<70} {seconds:9.3f} s  {seconds / rows[0][1]:8.2f}x   error {exact:.1e}")


main()
