"""The first task with holonomy: a pendulum, its energy error, a saved run that goes on, 200 lengths."""

import sys

import matplotlib
import numpy as np

import holonomy as hl

matplotlib.use("Agg")

start = {"body.bob.direction": [np.sin(np.pi / 3), 0, 0.5], "body.bob.angular_velocity": [0, 0, 0]}
model = hl.load("spherical-pendulum").replace(start, method="sphere-split-6", step=0.05, duration=100, every=1)
run = model.run()
run.plot.energy().figure.savefig(sys.argv[1] + "/energy.svg")
run.simulation().save(sys.argv[1] + "/half")
more = hl.resume(sys.argv[1] + "/half").run(until=200)
cases = model.ensemble({"body.bob.length": np.linspace(0.5, 2, 200)}).run()
final = cases["final.q.bob.x"][-1], cases["final.q.bob.z"][-1]
print(abs(run.energy_error).max(), np.arctan2(*more.q["bob"][-1, [0, 2]]), np.arctan2(*final))
