"""Reference numbers of `feedback.rs`: equations of motion derived by hand, SciPy's DOP853 at 1e-13.

    python feedback.py        needs numpy and scipy
"""
import numpy as np
from scipy.integrate import solve_ivp

G = 9.81


def solve(rate, start, end):
    found = solve_ivp(rate, (0, end), start, method="DOP853", rtol=1e-13, atol=1e-13)
    assert found.success
    return found.y[:, -1]


def arm(t, y):
    """Angles a of the links against the ground: M_ij = K_ij cos(a_i - a_j)."""
    q, v = y[:3], y[3:]
    l, m = np.array([0.5, 0.4, 0.3]), np.array([2.0, 1.5, 1.0])
    a, u = np.cumsum(q), np.cumsum(v)
    k = np.zeros((3, 3))
    moments = np.zeros(3)
    for i in range(3):
        behind = m[i + 1:].sum()
        moments[i] = m[i] * l[i] / 2 + behind * l[i]
        k[i, i] = m[i] * l[i] ** 2 / 3 + behind * l[i] ** 2
        for j in range(i + 1, 3):
            k[i, j] = k[j, i] = l[i] * (m[j] * l[j] / 2 + m[j + 1:].sum() * l[j])
    difference = a[:, None] - a[None, :]
    weight = G * moments * np.cos(a)
    needed = np.cumsum(weight[::-1])[::-1]
    r = np.array([0.7 + 0.3 * np.sin(1.5 * t), -0.9 + 0.4 * np.cos(1.1 * t), 0.5 - 0.3 * np.sin(2 * t)])
    kp, kd, cross = 60 * np.array([1, 0.5, 0.2]), 9 * np.array([1, 0.4, 0.15]), 2.5 * np.array([1, 1, 0.2])
    effort = needed - kp * (q - r) - kd * v - cross * (v.sum() - v)
    push = effort - np.append(effort[1:], 0.0)
    rest = push - weight - (k * np.sin(difference)) @ u**2
    da = np.linalg.solve(k * np.cos(difference), rest)
    return np.concatenate([v, np.diff(da, prepend=0.0)])


def drone(t, y):
    """Place, velocity, quaternion and own angular velocity of the drone; place and velocity of the load."""
    x, v, o, w, p, u = np.split(y, [3, 6, 10, 13, 16])
    a, b, c, d = o / np.linalg.norm(o)
    r = np.array([
        [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
        [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
        [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d],
    ])
    ex, ey, ez = r.T
    inertia, md, ml = np.array([0.012, 0.015, 0.02]), 1.2, 0.3
    goal = np.array([0.5 * np.sin(0.8 * t), 0.5 * np.cos(0.8 * t), 1.0])
    want = np.array([0, 0, G]) - 1.2 * (x - goal) - 1.6 * v
    tilt = np.cross(ez, want) / G
    moment = np.array([
        0.6 * tilt @ ex - 0.12 * w[0],
        0.6 * tilt @ ey - 0.12 * w[1],
        0.05 * np.cross(ex, [1, 0, 0]) @ ez - 0.05 * w[2],
    ])
    air = u - np.array([3.0, 1.0, 0.0])
    fall = np.array([0, 0, -G])
    # Without the string, and what one newton of it changes.
    hook = np.array([0, 0, -0.05])
    n = x + r @ hook - p
    spread = v + r @ np.cross(w, hook) - u
    free = fall + 1.5 * (want @ ez) * ez / md
    turn = (moment - np.cross(w, inertia * w)) / inertia
    load = fall - 0.05 * np.linalg.norm(air) * air / ml
    pulled = np.cross(hook, r.T @ -n) / inertia
    apart = free + r @ (np.cross(turn, hook) + np.cross(w, np.cross(w, hook))) - load
    change = -n / md + r @ np.cross(pulled, hook) - n / ml
    tension = -(n @ apart + spread @ spread) / (n @ change)
    rate = 0.5 * np.array([
        -b * w[0] - c * w[1] - d * w[2],
        a * w[0] + c * w[2] - d * w[1],
        a * w[1] + d * w[0] - b * w[2],
        a * w[2] + b * w[1] - c * w[0],
    ])
    return np.concatenate([v, free - tension * n / md, rate, turn + tension * pulled, u, load + tension * n / ml])


if __name__ == "__main__":
    print("arm at 2 s", [float(x) for x in solve(arm, [0.2, -0.1, 0, 0, 0, 0], 2.0)])
    start = [0, 0.2, 0.5, 0, 0, 0, 1, 0, 0, 0, 0.5, -0.3, 1.0, 0, 0.2, -0.35, 0, 0, 0]
    print("drone at 2 s", [float(x) for x in solve(drone, start, 2.0)])
