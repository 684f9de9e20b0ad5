"""Kepler's ellipse with REBOUND, which has no pendulum: its energy error, a saved run, 200 eccentricities."""

import sys

import matplotlib
import numpy as np
import rebound

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def planet(e):
    made = rebound.Simulation()
    made.integrator = "whfast"
    made.add(m=1)
    made.add(m=1e-3, a=1, e=e)
    made.move_to_com()
    made.dt = 2 * np.pi / 100
    return made


sim = planet(0.5)
times = 2 * np.pi * np.linspace(0, 100, 10001)
energy = np.empty(10001)
for k, t in enumerate(times):
    sim.integrate(t, exact_finish_time=0)
    energy[k] = sim.energy()
error = energy - energy[0]
plt.plot(times, error)
plt.xlabel("t")
plt.ylabel("E − E₀")
plt.savefig(sys.argv[1] + "/energy.svg")
sim.save_to_file(sys.argv[1] + "/half.bin", delete_file=True)
again = rebound.Simulation(sys.argv[1] + "/half.bin")
again.integrate(2 * times[-1], exact_finish_time=0)
final = []
for e in np.linspace(0, 0.9, 200):
    case = planet(e)
    case.integrate(times[-1], exact_finish_time=0)
    final.append(case.particles[1].x)
print(abs(error).max(), again.particles[1].x, final[-1])
