"""The first task with a formula: a pendulum, its energy error, a saved run that goes on, 200 lengths."""

import sys

import matplotlib
import numpy as np

import holonomy as hl

matplotlib.use("Agg")

model = hl.lagrangian(
    "m*l^2*theta'^2/2 + m*g*l*cos(theta)", m=1, l=1, g="9.81 m/s^2", start={"theta": "60 deg"}, step=0.01, duration=100,
    method="midpoint-6"
)
run = model.run()
run.plot.energy().figure.savefig(sys.argv[1] + "/energy.svg")
run.simulation().save(sys.argv[1] + "/half")
more = hl.resume(sys.argv[1] + "/half").run(until=200)
cases = model.ensemble({"parameters.l": np.linspace(0.5, 2, 200)}).run()
print(abs(run.energy_error).max(), more.q["theta"][-1], cases["final.theta"][-1])
