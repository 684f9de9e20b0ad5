"""C: n thin rods of 0.1 m, 0.1 kg and 5 mm radius, 60 degrees off the vertical, turning by 90 degrees about it along
the chain, at rest; h = 1 ms. Ours has point masses at the ends of the links instead: as many joints, as many bodies.
"""
from math import atan2, asin, cos, pi, sin, sqrt

import numpy as np

H, LENGTH, MASS, RADIUS = 1e-3, 0.1, 0.1, 0.005


def directions(n):
    turn = [0.5 * pi * i / max(1, n - 1) for i in range(n)]
    return [np.array([sqrt(0.75) * cos(a), sqrt(0.75) * sin(a), -0.5]) for a in turn]


def mujoco_rk4(n, _file):
    from rods import mujoco_rods

    return mujoco_rods(directions(n), LENGTH, MASS, RADIUS, H)


def pinocchio_chain(n):
    """Two hinges per link, x then y: Pinocchio's spherical joints lose all digits from 64 links on."""
    import pinocchio as pin

    model = pin.Model()
    rod = pin.Inertia(
        MASS,
        np.array([0, 0, -LENGTH / 2]),
        np.diag([MASS * LENGTH**2 / 12, MASS * LENGTH**2 / 12, 0.5 * MASS * RADIUS**2]),
    )
    parent, start, before = 0, [], np.eye(3)
    for i, direction in enumerate(directions(n)):
        place = pin.SE3(np.eye(3), np.array([0, 0, 0.0 if i == 0 else -LENGTH]))
        first = model.addJoint(parent, pin.JointModelRX(), place, f"x{i}")
        parent = model.addJoint(first, pin.JointModelRY(), pin.SE3.Identity(), f"y{i}")
        model.appendBodyToJoint(parent, rod, pin.SE3.Identity())
        x, y, z = before.T @ direction
        a, b = atan2(y, -z), -asin(x)
        start += [a, b]
        before = before @ pin.utils.rotate("x", a) @ pin.utils.rotate("y", b)
    return pin, model, model.createData(), np.array(start)


def pinocchio_aba(n, _file):
    pin, model, data, start = pinocchio_chain(n)
    v, tau = np.zeros(model.nv), np.zeros(model.nv)

    def steps(count):
        aba = pin.aba
        for _ in range(count):
            aba(model, data, start, v, tau)

    return f"Pinocchio {pin.__version__}", lambda: None, steps


def pinocchio_rk4(n, _file):
    pin, model, data, start = pinocchio_chain(n)
    tau, now = np.zeros(model.nv), {}

    def reset():
        now["q"], now["v"] = start.copy(), np.zeros(model.nv)

    def steps(count):
        q, v, aba = now["q"], now["v"], pin.aba
        for _ in range(count):
            a1 = aba(model, data, q, v, tau).copy()
            v2 = v + 0.5 * H * a1
            a2 = aba(model, data, q + 0.5 * H * v, v2, tau).copy()
            v3 = v + 0.5 * H * a2
            a3 = aba(model, data, q + 0.5 * H * v2, v3, tau).copy()
            v4 = v + H * a3
            a4 = aba(model, data, q + H * v3, v4, tau)
            q = q + H / 6 * (v + 2 * (v2 + v3) + v4)
            v = v + H / 6 * (a1 + 2 * (a2 + a3) + a4)
        now["q"], now["v"] = q, v

    return f"Pinocchio {pin.__version__}", reset, steps


PEERS = {"mujoco-rk4": mujoco_rk4, "pinocchio-aba": pinocchio_aba, "pinocchio-rk4": pinocchio_rk4}
