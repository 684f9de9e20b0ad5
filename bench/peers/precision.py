"""One long run of one solver: processor time of the steps, largest energy error on the way.

As in `bench/src/precision.rs`: a thousand pieces, energy looked at between them, off the clock.
"""
import time

import numpy as np
import systems

PIECES = 1000
HOPELESS = 0.1


def fixed(steps_of):
    def make(start, h, duration):
        state = np.array(start)
        total = max(1, round(duration / h))
        done = 0

        def until(fraction):
            nonlocal done
            target = round(total * fraction)
            steps_of(state, h, target - done)
            done = target

        steps_of(np.array(start), h, 1)
        return state, until

    return make


def taylor(integrator_of):
    def make(start, tolerance, duration):
        integrator = integrator_of(start, tolerance)

        def until(fraction):
            integrator.propagate_until(duration * fraction)

        return integrator.state, until

    return make


def dop853(rate):
    def make(start, tolerance, duration):
        from scipy.integrate import DOP853

        solver = DOP853(rate, 0.0, np.array(start), duration, rtol=tolerance, atol=tolerance)
        state = np.array(start)

        def until(fraction):
            while solver.status == "running" and solver.t < duration * fraction:
                solver.step()
            state[:] = solver.y

        return state, until

    return make


SYSTEMS = {
    "pendulum": (lambda: [3**0.5 / 2, 0, 0.5, 0, 2.0, 0], systems.pendulum_energy, {
        "numba-rk4": fixed(systems.pendulum_rk4),
        "heyoka": taylor(systems.heyoka_pendulum),
        "scipy-dop853": dop853(systems.pendulum_rate),
    }),
    "double": (systems.double_start, systems.double_energy, {
        "numba-rk4": fixed(systems.double_rk4),
        "heyoka": taylor(systems.heyoka_double),
        "scipy-dop853": dop853(systems.double_rate),
    }),
}


def main(system, who, setting, duration):
    start_of, energy_of, solvers = SYSTEMS[system]
    start = start_of()
    try:
        state, until = solvers[who](start, float(setting), float(duration))
    except ImportError as error:
        print("unavailable", error, flush=True)
        return
    kinetic, energy = energy_of(np.array(state))
    error, spent = 0.0, 0
    for piece in range(1, PIECES + 1):
        before = time.process_time_ns()
        until(piece / PIECES)
        spent += time.process_time_ns() - before
        now = energy_of(np.array(state))
        difference = abs(now[1] - energy)
        error, kinetic = max(error, difference), max(kinetic, now[0])
        # Also true for what is not a number, which `max` would pass over.
        if not difference <= HOPELESS * kinetic:
            print("failed the energy is lost", flush=True)
            return
    print(f"{spent * 1e-9:e} {error / kinetic:e}", flush=True)
