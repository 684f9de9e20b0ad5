"""The first task with heyoka.py: a pendulum, its energy error, a saved run that goes on, 200 lengths."""

import pickle
import sys

import heyoka as hy
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

theta, omega = hy.make_vars("theta", "omega")
equations = [(theta, omega), (omega, -9.81 / hy.par[0] * hy.sin(theta))]
integrator = hy.taylor_adaptive(equations, [np.pi / 3, 0.0], pars=[1.0])
times = np.linspace(0, 100, 10001)
states = integrator.propagate_grid(times)[-1]
energy = states[:, 1] ** 2 / 2 - 9.81 * np.cos(states[:, 0])
error = energy - energy[0]
plt.plot(times, error)
plt.xlabel("t, s")
plt.ylabel("E − E₀, J")
plt.savefig(sys.argv[1] + "/energy.svg")
with open(sys.argv[1] + "/half", "wb") as file:
    pickle.dump(integrator, file)
with open(sys.argv[1] + "/half", "rb") as file:
    again = pickle.load(file)
again.propagate_grid(np.linspace(100, 200, 10001))
lengths = np.linspace(0.5, 2, 200).reshape(50, 4)
batch = hy.taylor_adaptive_batch(equations, np.tile([[np.pi / 3], [0.0]], (1, 4)), pars=np.ones((1, 4)))
final = []
for four in lengths:
    batch.set_time(0.0)
    batch.state[:] = [[np.pi / 3] * 4, [0.0] * 4]
    batch.pars[:] = four
    batch.propagate_until([100.0] * 4)
    final.extend(batch.state[0])
print(abs(error).max(), again.state[0], final[-1])
