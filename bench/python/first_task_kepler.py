"""Kepler's ellipse with holonomy: its energy error, a saved run, 200 eccentricities."""

import sys

import matplotlib
import numpy as np

import holonomy as hl

matplotlib.use("Agg")

model = hl.lagrangian(
    "(x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)",
    start={"x": 0.5, "y": 0, "y'": np.sqrt(3)},
    step=2 * np.pi / 1000,
    steps=100_000,
    every=10,
)
run = model.run()
run.plot.energy().figure.savefig(sys.argv[1] + "/energy.svg")
run.simulation().save(sys.argv[1] + "/half")
more = hl.resume(sys.argv[1] + "/half").run(steps=100_000)
e = np.linspace(0, 0.9, 200)
cases = model.ensemble({"start.x": 1 - e, "velocity.y": np.sqrt((1 + e) / (1 - e))}, zip=True).run()
print(abs(run.energy_error).max(), more.q["x"][-1], cases["final.x"][-1])
