"""Scenarios as MuJoCo moves them, at a fine step: places after some seconds, for `is_it_mujocos_motion.rs`.

    python motion.py --store motion.json        needs mujoco, numpy and scipy
    python motion.py --check motion.json        computes them again, as the stage `robots` does

The mechanisms are written here as MJCF by hand. Two of them are trees, and are integrated by `mj_step`, with its
Runge-Kutta method of order 4 at two steps: their difference over 15 is the error of the finer one. The others have
loops or roll. MuJoCo's equality constraints give way, and its contacts slip: agreement to the order of a step would end
where that begins. There M, bias, passive forces and Jacobians are MuJoCo's, and the constraints hold exactly,

    M dv/dt = tau - bias + J^T lambda,   J dv/dt = -(dJ/dt) v,

integrated by SciPy's DOP853 at two tolerances. The error of each result is stored with it.
"""
import argparse
import json
import sys
from pathlib import Path

import mujoco
import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

G = 9.81
TINY = "1e-12 1e-12 1e-12"
# Other processors and versions round in another way; what is stored has errors about 1e-9 of its own.
SAME = 1e-8


def compiled(body, more=""):
    """A machine without contacts and without MuJoCo's own constraints."""
    return mujoco.MjModel.from_xml_string(f"""<mujoco>
      <compiler angle="radian"/>
      <option gravity="0 0 -{G}" integrator="RK4"><flag contact="disable" constraint="disable"/></option>
      <worldbody>{body}</worldbody>{more}</mujoco>""")


def inertial(mass, at, moments):
    text = lambda numbers: " ".join(repr(float(x)) for x in numbers)
    return f'<inertial mass="{mass}" pos="{text(at)}" diaginertia="{text(moments)}"/>'


def rod(mass, length):
    """Along x, with as little about itself as MuJoCo takes."""
    around = mass * length**2 / 12
    return inertial(mass, [length / 2, 0, 0], [1e-12, around, around])


def site(model, data, name):
    """Place of a site, its velocity, and the Jacobian of that."""
    number = model.site(name).id
    jacobian = np.zeros((3, model.nv))
    mujoco.mj_jacSite(model, data, jacobian, None, number)
    return data.site_xpos[number].copy(), jacobian @ data.qvel, jacobian


def stepped(model, control, q, end):
    """Places at the end by `mj_step`, and the error of the finer of two runs."""
    ends = []
    for step in (4e-4, 2e-4):
        model.opt.timestep = step
        data = mujoco.MjData(model)
        data.qpos[:] = q[0]
        data.qvel[:] = q[1]
        mujoco.set_mjcb_control(lambda m, d: control(m, d))
        for _ in range(round(end / step)):
            mujoco.mj_step(model, data)
        mujoco.set_mjcb_control(None)
        ends.append(data.qpos.copy())
    return ends[1], np.abs(ends[1] - ends[0]).max() / 15


class Held:
    """A machine of MuJoCo whose constraints hold: `force(model, data, t)` in the joints, `rows(model, data)` = J."""

    def __init__(self, model, force, rows):
        self.model, self.force, self.rows = model, force, rows
        self.data, self.other = mujoco.MjData(model), mujoco.MjData(model)

    def jacobian(self, q):
        self.other.qpos[:] = q
        self.other.qvel[:] = 0
        mujoco.mj_fwdPosition(self.model, self.other)
        return self.rows(self.model, self.other)

    def along(self, q, v, s):
        moved = q.copy()
        mujoco.mj_integratePos(self.model, moved, v, s)
        return moved

    def rate(self, t, y):
        model, data = self.model, self.data
        q, v = y[:model.nq].copy(), y[model.nq:]
        mujoco.mj_normalizeQuat(model, q)
        data.qpos[:], data.qvel[:], data.time = q, v, t
        data.qfrc_applied[:] = 0
        mujoco.mj_forward(model, data)
        dense = np.zeros((model.nv, model.nv))
        try:
            mujoco.mj_fullM(model, data, dense)
        except TypeError:
            mujoco.mj_fullM(model, dense, data.qM)
        push = data.qfrc_passive - data.qfrc_bias + self.force(model, data, t)
        J = self.rows(model, data)
        # (dJ/dt) v along the motion, by a difference of order 4.
        e = 1e-3
        near = {s: self.jacobian(self.along(q, v, s * e)) @ v for s in (-2, -1, 1, 2)}
        turning = (8 * (near[1] - near[-1]) - (near[2] - near[-2])) / (12 * e)
        m = len(J)
        matrix = np.block([[dense, -J.T], [J, np.zeros((m, m))]])
        dv = np.linalg.solve(matrix, np.concatenate([push, -turning]))[:model.nv]
        # Of a quaternion by the quaternion of the rate; of all else the velocity.
        dq = (self.along(q, v, 1e-4) - self.along(q, v, -1e-4)) / 2e-4
        for joint in range(model.njnt):
            if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE:
                at, speed = model.jnt_qposadr[joint] + 3, model.jnt_dofadr[joint] + 3
                mujoco.mju_mulQuat(dq[at:at + 4], q[at:at + 4], np.append(0.0, 0.5 * v[speed:speed + 3]))
        return np.concatenate([dq, dv])

    def run(self, q, v, end):
        ends = []
        for tolerance in (1e-9, 1e-11):
            found = solve_ivp(self.rate, (0, end), np.concatenate([q, v]), "DOP853", rtol=tolerance, atol=tolerance)
            assert found.success
            ends.append(found.y[:self.model.nq, -1])
        return ends[1], np.abs(ends[1] - ends[0]).max()


def feedback_arm():
    link = lambda name, at, length, mass, inside: (
        f'<body pos="{at} 0 0"><joint name="{name}" axis="0 -1 0"/>{rod(mass, length)}{inside}</body>')
    hand = link("wrist", 0.4, 0.3, 1.0, "")
    model = compiled(link("shoulder", 0, 0.5, 2.0, link("elbow", 0.5, 0.4, 1.5, hand)))

    def control(model, data):
        (a, b, c), (da, db, dc), t = data.qpos, data.qvel, data.time
        g3 = G * 1.0 * 0.15 * np.cos(a + b + c)
        g2 = g3 + G * (1.5 * 0.2 + 1.0 * 0.4) * np.cos(a + b)
        g1 = g2 + G * (2.0 * 0.25 + 2.5 * 0.5) * np.cos(a)
        data.qfrc_applied[:] = [
            g1 - 60 * (a - 0.7 - 0.3 * np.sin(1.5 * t)) - 9 * da - 2.5 * (db + dc),
            g2 - 30 * (b + 0.9 - 0.4 * np.cos(1.1 * t)) - 3.6 * db - 2.5 * (da + dc),
            g3 - 12 * (c - 0.5 + 0.3 * np.sin(2 * t)) - 1.35 * dc - 0.5 * (da + db),
        ]

    q, error = stepped(model, control, ([0.2, -0.1, 0], [0, 0, 0]), 2.0)
    return 2.0, dict(zip(["theta.shoulder", "theta.elbow", "theta.wrist"], q)), error


def drone():
    # A string that is always taut is a rod without mass, on two hinges.
    load = f'<body pos="0 0 -0.05"><joint axis="1 0 0"/><joint axis="0 1 0"/>' \
           f'<inertial mass="0.3" pos="0 0 -0.8" diaginertia="{TINY}"/><site name="load" pos="0 0 -0.8"/></body>'
    model = compiled(f'<body><freejoint/>{inertial(1.2, [0, 0, 0], [0.012, 0.015, 0.02])}{load}</body>')

    def control(model, data):
        turned, t = data.xmat[1].reshape(3, 3), data.time
        ex, ey, ez = turned.T
        goal = 0.5 * np.array([np.sin(0.8 * t), np.cos(0.8 * t), 2.0])
        w = data.qvel[3:6]
        want = -1.2 * (data.qpos[:3] - goal) - 1.6 * data.qvel[:3] + [0, 0, G]
        tilt = np.cross(ez, want) / G
        moment = turned @ [
            0.6 * tilt @ ex - 0.12 * w[0],
            0.6 * tilt @ ey - 0.12 * w[1],
            0.05 * np.cross(ex, [1, 0, 0]) @ ez - 0.05 * w[2],
        ]
        data.xfrc_applied[1] = np.concatenate([1.5 * (want @ ez) * ez, moment])
        _, speed, jacobian = site(model, data, "load")
        air = speed - [3.0, 1.0, 0.0]
        data.qfrc_applied[:] = jacobian.T @ (-0.05 * np.linalg.norm(air) * air)

    # The payload hangs straight down and rests, so that the string turns back as the drone turns.
    spin = np.array([0.5, -0.3, 1.0])
    v = np.concatenate([[0, 0, 0], spin, [-spin[0], -spin[1]]])
    data = mujoco.MjData(model)
    data.qpos[:3], data.qvel[:] = [0, 0.2, 0.5], v
    mujoco.mj_forward(model, data)
    _, speed, jacobian = site(model, data, "load")
    v[6:] -= np.linalg.lstsq(jacobian[:, 6:], speed, rcond=None)[0]
    q, error = stepped(model, control, (np.concatenate([[0, 0.2, 0.5, 1, 0, 0, 0], [0, 0]]), v), 2.0)
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    names = [f"position.drone.{a}" for a in "xyz"] + [f"quaternion.drone.{a}" for a in "wxyz"]
    places = dict(zip(names, q))
    places |= {f"position.payload.{a}": x for a, x in zip("xyz", site(model, data, "load")[0])}
    return 2.0, places, error


def stewart_platform():
    base, top, height, spread = 0.6, 0.35, 0.8, np.radians(20)
    k, c, reach, tilt, w = 4e4, 600.0, 0.12, np.radians(10), np.pi / 2
    length = np.linalg.norm([(base - top) * np.cos(spread), (base + top) * np.sin(spread), height])
    weight = G * (20 + 6 * 0.8)
    ring = lambda i, r, s: r * np.array([np.cos((2 * i - 1) * np.pi / 6 + s), np.sin((2 * i - 1) * np.pi / 6 + s), 0])
    feet = [ring(i, base, (-1)**i * spread) for i in range(1, 7)]
    tops = [ring(i, top, -(-1)**i * spread) for i in range(1, 7)]
    text, start = "", [0, 0, height, 1, 0, 0, 0]
    sites = "".join(f'<site name="joint-{i}" pos="{" ".join(map(repr, map(float, p)))}"/>' for i, p in enumerate(tops))
    text += f'<body name="platform"><freejoint/>{inertial(20, [0, 0, 0], [0.7, 0.7, 1.3])}{sites}</body>'
    for i, (foot, end) in enumerate(zip(feet, tops)):
        leg = f'<body><joint name="leg-{i}" type="slide" axis="0 0 1"/>' \
              f'{inertial(0.8, [0, 0, -0.25], [0.02, 0.02, 0.0005])}<site name="end-{i}"/></body>'
        text += f'<body pos="{" ".join(map(repr, map(float, foot)))}"><joint axis="1 0 0"/><joint axis="0 1 0"/>' \
                f'{inertial(1.5, [0, 0, 0.2], [0.02, 0.02, 0.001])}{leg}</body>'
        way = end - foot
        start += [np.arctan2(-way[1], height), np.arcsin(way[0] / length), length]
    model = compiled(text)

    def force(model, data, t):
        ease = 1 - np.exp(-t * t)
        p = np.array([reach * ease * np.cos(w * t), reach * ease * np.sin(w * t),
                      height + 0.4 * reach * ease * np.sin(2 * w * t)])
        pitch, roll = tilt * ease * np.sin(w * t), tilt * ease * np.cos(w * t)
        ex = np.array([np.cos(pitch), 0, -np.sin(pitch)])
        ey = np.array([np.sin(pitch) * np.sin(roll), np.cos(roll), np.cos(pitch) * np.sin(roll)])
        out = np.zeros(model.nv)
        for i, (foot, end) in enumerate(zip(feet, tops)):
            q, v = data.qpos[7 + 3 * i + 2], data.qvel[6 + 3 * i + 2]
            goal = np.linalg.norm(p + end[0] * ex + end[1] * ey - foot)
            out[6 + 3 * i + 2] = weight * length / (6 * height) - c * v - k * (q - goal)
        return out

    def rows(model, data):
        pairs = [(site(model, data, f"end-{i}")[2], site(model, data, f"joint-{i}")[2]) for i in range(6)]
        return np.concatenate([a - b for a, b in pairs])

    q, error = Held(model, force, rows).run(np.array(start), np.zeros(model.nv), 1.0)
    names = [f"position.platform.{a}" for a in "xyz"] + [f"quaternion.platform.{a}" for a in "wxyz"]
    return 1.0, dict(zip(names, q[:7])) | {f"slide.leg-{i + 1}": q[7 + 3 * i + 2] for i in range(6)}, error


def suspension_bridge():
    l, sag, low, m, k, lift, speed = 2.0, 6.0, 2.0, 400.0, 2e5, 5e3, 40.0
    whole, piece = 51.855, 51.855 / 25
    deck = cable = ""
    size = [m * (2**2 + 0.2**2) / 12, m * (l**2 + 0.2**2) / 12, m * (l**2 + 2**2) / 12]
    for i in range(25, 0, -1):
        spring = 'stiffness="4e5" damping="300"' if i > 1 else ""
        deck = f'<body pos="{l if i > 1 else 0} 0 0"><joint name="deck-{i}" axis="0 -1 0" {spring}/>' \
               f'{inertial(m, [l / 2, 0, 0], size)}<site name="box-{i}" pos="{l / 2} 0 0"/>' \
               f'<site name="deck-{i}" pos="{l} 0 0"/>{deck}</body>'
        at = f"{piece} 0 0" if i > 1 else f"0 0 {low + sag}"
        cable = f'<body pos="{at}"><joint name="main-{i}" axis="0 1 0" damping="20"/>' \
                f'{rod(1250 / 25, piece)}<site name="main-{i}" pos="{piece} 0 0"/>{cable}</body>'
    model = compiled(deck + cable)
    rest = [low + sag * (2 * i / 25 - 1)**2 - m * G / k for i in range(1, 25)]
    stiff, damping, soft = 2e5, 400.0, 0.005

    def hangers(model, data):
        out = np.zeros(model.nv)
        for i, slack in enumerate(rest, start=1):
            (a, u, ja), (b, v, jb) = site(model, data, f"main-{i}"), site(model, data, f"deck-{i}")
            way = a - b
            length = np.linalg.norm(way)
            x, rate = length - slack, way @ (u - v) / length
            if x <= 0:
                continue
            pull, share = (stiff * x * x / (2 * soft), x / soft) if x < soft else (stiff * (x - soft / 2), 1.0)
            pull += max(damping * share * rate, -pull)
            out -= (ja - jb).T @ (pull * way / length)
        return out

    def force(model, data, t):
        out = hangers(model, data)
        for i in range(1, 26):
            up = lift * np.exp(-(((t - 0.3 - i * l / speed) / 0.2)**2))
            out += site(model, data, f"box-{i}")[2][2] * up
        return out

    # In the plane: the end of the cable stays at its tower, the end of the deck at its height.
    def rows(model, data):
        end, roller = site(model, data, "main-25")[2], site(model, data, "deck-25")[2]
        return np.stack([end[0], end[2], roller[2]])

    # The equilibrium with what there is of the gust at the start, from a parabola on.
    data = mujoco.MjData(model)
    slope = lambda x: np.arctan(4 * sag / (25 * l) * (1 - 2 * x / (25 * l)))
    angles = np.array([slope((i + 0.5) * l) for i in range(25)])
    guess = np.concatenate([np.zeros(25), [angles[0]], np.diff(angles), [-1e5, 1e5, 0]])

    def unbalanced(x):
        data.qpos[:], data.qvel[:] = x[:50], 0
        mujoco.mj_forward(model, data)
        J = rows(model, data)
        gap = [site(model, data, "main-25")[0][0] - 25 * l, site(model, data, "main-25")[0][2] - low - sag,
               site(model, data, "deck-25")[0][2]]
        push = data.qfrc_passive - data.qfrc_bias + force(model, data, 0.0)
        return np.concatenate([(push + J.T @ x[50:]) / 1e4, gap])

    scale = np.concatenate([np.ones(50), 1e5 * np.ones(3)])
    found, _, fine, why = fsolve(lambda x: unbalanced(x * scale), guess / scale, xtol=1e-14, full_output=True)
    assert np.abs(unbalanced(found * scale)).max() < 1e-9, why
    q, error = Held(model, force, rows).run((found * scale)[:50], np.zeros(50), 0.6)
    names = [f"theta.deck-{i}" for i in range(1, 26)] + [f"theta.main-{i}" for i in range(1, 26)]
    # The joint of the first segment counts from another direction here and there.
    return 0.6, {name: x for name, x in zip(names, q) if name != "theta.main-1"}, error


def rolling_disk():
    r = 0.5
    model = compiled(f'<body name="disk"><freejoint/>{inertial(1.2, [0, 0, 0], [0.075, 0.15, 0.075])}</body>')

    def rows(model, data):
        axis = data.xmat[1].reshape(3, 3)[:, 1]
        up = np.array([0, 0, 1.0])
        way = up - (up @ axis) * axis
        touch = data.xpos[1] - r * way / np.linalg.norm(way)
        jacobian = np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, jacobian, None, touch, 1)
        return jacobian

    turn = [np.cos(0.15), np.sin(0.15), 0, 0]
    q = np.array([0, 0, 0.477668244562803] + turn)
    v = np.array([1.5, -0.19106729782512122, -0.05910404133226791, 0.4, 3.0, -0.8])
    held = Held(model, lambda model, data, t: np.zeros(model.nv), rows)
    assert np.abs(held.jacobian(q) @ v).max() < 1e-14
    end, error = held.run(q, v, 2.0)
    names = [f"position.disk.{a}" for a in "xyz"] + [f"quaternion.disk.{a}" for a in "wxyz"]
    return 2.0, dict(zip(names, end)), error


# What agrees with the program, and the steps at which it is compared.
CASES = {
    "feedback-arm": (feedback_arm, [0.01, 0.005, 0.0025]),
    "drone": (drone, [0.01, 0.005, 0.0025]),
    "stewart-platform": (stewart_platform, [0.004, 0.002, 0.001]),
    "suspension-bridge": (suspension_bridge, [0.002, 0.001, 0.0005]),
    "rolling-disk": (rolling_disk, [0.01, 0.005, 0.0025]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--check", type=Path)
    parser.add_argument("--only")
    arguments = parser.parse_args()
    stored = {case["scenario"]: case for case in json.loads(arguments.check.read_text())["cases"]} if arguments.check else {}
    cases, failures = [], []
    for name, (solve, steps) in CASES.items():
        if arguments.only not in (None, name):
            continue
        duration, q, error = solve()
        print(f"{name:20} {duration} s, {len(q)} numbers, known to {error:.1e}", flush=True)
        if error > 1e-7:
            failures.append(f"{name}: known to {error:.1e} only")
        cases.append({"scenario": name, "duration": duration, "steps": steps, "error": float(f"{error:.1e}"),
                      "q": {key: float(f"{x:.12g}") for key, x in q.items()}})
        if name in stored:
            apart = max(abs(x - stored[name]["q"][key]) for key, x in q.items())
            if apart > SAME + error + stored[name]["error"]:
                failures.append(f"{name}: {apart:.1e} from what is stored")
    if arguments.store:
        lines = ",\n".join(json.dumps(case) for case in cases)
        about = f"made by motion.py --store with MuJoCo {mujoco.__version__}"
        arguments.store.write_text(f'{{"about": "{about}", "cases": [\n{lines}\n]}}\n')
    for failure in failures:
        print("FAILED", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
