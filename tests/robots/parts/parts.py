"""What MuJoCo makes of tendons.xml, acts.xml and loops.xml: accelerations at random states, for `is_it_mujocos.rs`.

    python parts.py --store parts.json
    python parts.py --check parts.json        computes them again, as the stage `robots` does

Tendons, armature, actuators and weight: `qacc_smooth`, which knows no constraints. Loops: MuJoCo's equalities give way,
so the acceleration that holds them exactly is computed from its M, bias and Jacobian J, at states that keep them,

    M a = -bias + J^T lambda,   J a = -(dJ/dt) v,

by least squares, since a loop of hinges in a plane has rows that say the same.
"""
import argparse
import json
import sys
from pathlib import Path

import mujoco
import numpy as np

HERE = Path(__file__).resolve().parent
# Other versions and processors sum in another order.
SAME = 1e-9


def full_mass(model, data):
    dense = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, data, dense)
    except TypeError:
        mujoco.mj_fullM(model, dense, data.qM)
    return dense


def moved(model, q, v, s=1.0):
    out = q.copy()
    mujoco.mj_integratePos(model, out, v, s)
    return out


def smooth(file):
    model = mujoco.MjModel.from_xml_path(str(HERE / file))
    data = mujoco.MjData(model)
    random = np.random.default_rng(2)
    states = []
    for _ in range(8):
        data.qpos[:] = moved(model, model.qpos0, random.uniform(-1, 1, model.nv))
        data.qvel[:] = random.uniform(-2, 2, model.nv)
        data.ctrl[:] = random.uniform(-1, 1, model.nu)
        mujoco.mj_forward(model, data)
        states.append({"q": data.qpos.tolist(), "v": data.qvel.tolist(), "ctrl": data.ctrl.tolist(),
                       "a": data.qacc_smooth.tolist()})
    return states


def loops():
    model = mujoco.MjModel.from_xml_path(str(HERE / "loops.xml"))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(model)

    def held(q):
        data.qpos[:], data.qvel[:] = q, 0
        mujoco.mj_forward(model, data)
        return data.efc_pos[:data.ne].copy(), data.efc_J.reshape(-1, model.nv)[:data.ne].copy()

    random = np.random.default_rng(3)
    states = []
    for _ in range(6):
        q = moved(model, model.qpos0, random.uniform(-0.3, 0.3, model.nv))
        for _ in range(50):
            gap, J = held(q)
            q = moved(model, q, -np.linalg.pinv(J, 1e-9) @ gap)
        gap, J = held(q)
        assert np.abs(gap).max() < 1e-13, gap
        v = random.uniform(-2, 2, model.nv)
        v -= np.linalg.pinv(J, 1e-9) @ (J @ v)
        e = 1e-3
        near = {s: held(moved(model, q, v, s * e))[1] @ v for s in (-2, -1, 1, 2)}
        turning = (8 * (near[1] - near[-1]) - (near[2] - near[-2])) / (12 * e)
        held(q)
        data.qvel[:] = v
        mujoco.mj_forward(model, data)
        mass, push = full_mass(model, data), data.qfrc_passive - data.qfrc_bias
        m = len(J)
        matrix = np.block([[mass, -J.T], [J, np.zeros((m, m))]])
        a = np.linalg.lstsq(matrix, np.concatenate([push, -turning]), rcond=1e-10)[0][:model.nv]
        states.append({"q": q.tolist(), "v": v.tolist(), "a": a.tolist()})
    return states


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--check", type=Path)
    arguments = parser.parse_args()
    found = {"tendons": smooth("tendons.xml"), "acts": smooth("acts.xml"), "loops": loops()}
    if arguments.store:
        lines = ",\n".join(f'"{name}": [\n' + ",\n".join(json.dumps(state) for state in states) + "\n]"
                           for name, states in found.items())
        arguments.store.write_text(f'{{"about": "made by parts.py with MuJoCo {mujoco.__version__}",\n{lines}\n}}\n')
    if not arguments.check:
        return 0
    stored, worst = json.loads(arguments.check.read_text()), 0.0
    for name, states in found.items():
        for ours, theirs in zip(states, stored[name], strict=True):
            for key, numbers in ours.items():
                size = 1 + np.abs(theirs[key]).max()
                worst = max(worst, np.abs(np.subtract(numbers, theirs[key])).max() / size)
    print(f"tendons, actuators and loops: {worst:.1e} from what is stored")
    return 1 if not worst <= SAME else 0


if __name__ == "__main__":
    sys.exit(main())
