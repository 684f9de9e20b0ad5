"""The first task with MuJoCo: a pendulum, its energy error, a saved run that goes on, 200 lengths."""

import sys

import matplotlib
import mujoco
import numpy as np
from mujoco import rollout

matplotlib.use("Agg")
import matplotlib.pyplot as plt

TEXT = """<mujoco><option timestep="0.01" integrator="RK4" gravity="0 0 -9.81">
  <flag energy="enable" contact="disable" constraint="disable"/></option>
  <worldbody><body><joint type="hinge" axis="0 1 0"/>
    <inertial pos="0 0 -{}" mass="1" diaginertia="1e-6 1e-6 1e-6"/></body></worldbody></mujoco>"""
STATE = mujoco.mjtState.mjSTATE_FULLPHYSICS
model = mujoco.MjModel.from_xml_string(TEXT.format(1.0))
data = mujoco.MjData(model)
data.qpos[0] = np.pi / 3
energy = np.empty(10000)
for k in range(10000):
    mujoco.mj_step(model, data)
    energy[k] = data.energy.sum()
error = energy - energy[0]
plt.plot(0.01 * np.arange(10000), error)
plt.xlabel("t, s")
plt.ylabel("E − E₀, J")
plt.savefig(sys.argv[1] + "/energy.svg")
state = np.empty(mujoco.mj_stateSize(model, STATE))
mujoco.mj_getState(model, data, state, STATE)
np.save(sys.argv[1] + "/half.npy", state)
again = mujoco.MjData(model)
mujoco.mj_setState(model, again, np.load(sys.argv[1] + "/half.npy"), STATE)
for _ in range(10000):
    mujoco.mj_step(model, again)
models = [mujoco.MjModel.from_xml_string(TEXT.format(length)) for length in np.linspace(0.5, 2, 200)]
start = mujoco.MjData(model)
start.qpos[0] = np.pi / 3
mujoco.mj_getState(model, start, state, STATE)
threads = [mujoco.MjData(model) for _ in range(2)]
states, _ = rollout.rollout(models, threads, np.tile(state, (200, 1)), nstep=10000)
print(abs(error).max(), again.qpos[0], states[-1, -1, 1])
