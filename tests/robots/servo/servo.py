"""Writes servo.json: what MuJoCo's actuators of servo.xml pull, `qfrc_actuator`, at random states and controls.

    python servo.py > servo.json
"""
import json
from pathlib import Path

import mujoco
import numpy as np

model = mujoco.MjModel.from_xml_path(str(Path(__file__).with_name("servo.xml")))
data = mujoco.MjData(model)
random = np.random.default_rng(1)
states = []
for _ in range(12):
    data.qpos[:] = random.uniform(-1, 1, model.nq)
    data.qvel[:] = random.uniform(-2, 2, model.nv)
    data.ctrl[:] = random.uniform(-1, 1, model.nu)
    mujoco.mj_forward(model, data)
    states.append({name: getattr(data, name).tolist() for name in ("qpos", "qvel", "ctrl", "qfrc_actuator")})
print(json.dumps({"mujoco": mujoco.__version__, "states": states}, indent=1))
