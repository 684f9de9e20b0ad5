"""Check of the reference files by the (q, omega) equations of document 001 in double precision.

What: integrates M_ii omega_i' = sum_(j != i) [M_ij q_i x (q_j x omega_j') + M_ij |omega_j|^2 q_i x q_j]
  - q_i x dV/dq_i, q_i' = omega_i x q_i with SciPy's DOP853 (rtol 3e-14, atol 1e-15), compares with the
  JSON files, and recomputes energy and vertical angular momentum from the printed q and omega with
  the mass matrix M_ij and the printed potentials, which the make_* scripts do not use.
Accuracy: that of double precision, about 1e-14 times "growth". Asserts 1e-12 (1 + growth) for the
  motion, and 4e-15 relative to kinetic plus potential energy, and to 1 + |J|, for the invariants.
Run: pip install numpy scipy; python check_double.py
"""

import json
import pathlib

import numpy as np
from scipy.integrate import solve_ivp

HERE = pathlib.Path(__file__).parent
E3 = np.array([0.0, 0.0, 1.0])


def hat(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def rhs(n, mass, gradient):
    def f(_, y):
        q, w = y[: 3 * n].reshape(n, 3), y[3 * n :].reshape(n, 3)
        g = gradient(q)
        b = np.zeros((n, 3))
        a = np.zeros((3 * n, 3 * n))
        for i in range(n):
            a[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = mass[i, i] * np.eye(3)
            b[i] = -np.cross(q[i], g[i])
            for j in range(n):
                if j != i and mass[i, j] != 0:
                    a[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] = -mass[i, j] * hat(q[i]) @ hat(q[j])
                    b[i] += mass[i, j] * (w[j] @ w[j]) * np.cross(q[i], q[j])
        if np.count_nonzero(mass - np.diag(np.diag(mass))):
            wdot = np.linalg.solve(a, b.ravel())
        else:
            wdot = (b / np.diag(mass)[:, None]).ravel()
        return np.concatenate([np.cross(w, q).ravel(), wdot])

    return f


def check(name, mass, gradient, potential, q0, w0, momentum):
    mass, q0, w0 = np.array(mass, float), np.array(q0, float), np.array(w0, float)
    n = len(q0)
    data = json.loads((HERE / f"{name}.json").read_text())
    y0 = np.concatenate([q0.ravel(), w0.ravel()])
    y, t0 = y0, 0.0
    for s in data["samples"]:
        y = solve_ivp(rhs(n, mass, gradient), (t0, s["t"]), y, "DOP853", rtol=3e-14, atol=1e-15).y[:, -1]
        t0 = s["t"]
        q, w = np.array(s["q"]), np.array(s["omega"])
        gap = np.abs(np.concatenate([q.ravel(), w.ravel()]) - y).max()
        v = np.cross(w, q)
        kinetic = 0.5 * np.einsum("ij,ik,jk->", mass, v, v)
        energy = kinetic + potential(q)
        de = abs(energy - s["energy"]) / (kinetic + abs(potential(q)))
        dj = 0.0
        if momentum:
            j = np.einsum("ij,ijk->k", mass, np.cross(q[:, None, :], v[None, :, :]))
            dj = abs(j[2] - s["angular_momentum_z"]) / (1 + abs(j[2]))
        print(f"{name} t={s['t']}: motion {gap:.1e} (growth {s['growth']:.3g}), energy {de:.1e}, momentum {dj:.1e}")
        assert gap < 1e-12 * (1 + s["growth"]) and de < 4e-15 and dj < 4e-15


def gravity(coefficients):
    c = np.array(coefficients)
    return (lambda q: -c[:, None] * E3, lambda q: -(c * q[:, 2]).sum())


r3 = 3**0.5
m, l, g = np.array([1.0, 0.5, 2.0]), np.array([1.0, 0.7, 0.4]), 9.81
Q, W = [[0.6, 0, 0.8], [0, 0.8, 0.6], [0, -0.6, 0.8]], [[0, 0.5, 0], [1, 0, 0], [0.3, 0.4, 0.3]]
check(
    "double_pendulum", [[2, 1], [1, 1]], *gravity([2, 1]),
    [[r3 / 2, 0, 0.5], [0, 0, 1]], [[-r3 / 4, 0, 0.75], [0, 1, 0]], True,
)
below = [m[i:].sum() for i in range(3)]
check(
    "point_chain", [[below[max(i, j)] * l[i] * l[j] for j in range(3)] for i in range(3)],
    *gravity([below[i] * g * l[i] for i in range(3)]), Q, W, True,
)
after = [m[i + 1 :].sum() for i in range(3)]
check(
    "rod_chain",
    [[(m[max(i, j)] * (1 / 3 if i == j else 1 / 2) + after[max(i, j)]) * l[i] * l[j] for j in range(3)] for i in range(3)],
    *gravity([(m[i] / 2 + after[i]) * g * l[i] for i in range(3)]), Q, W, True,
)
check("spherical_pendulum", [[1]], *gravity([9.81]), [[r3 / 2, 0, 0.5]], [[-1, 0, r3]], True)


def three_gradient(q):
    c = q @ q.T
    np.fill_diagonal(c, 0)
    k = (1 - c * c) ** -1.5
    np.fill_diagonal(k, 0)
    return -k @ q


def three_potential(q):
    c = q @ q.T
    np.fill_diagonal(c, 0)
    return -0.5 * (c / np.sqrt(1 - c * c)).sum()


check(
    "three_bodies", np.eye(3), three_gradient, three_potential,
    [[0, -1, 0], [0, 0, 1], [-1, 0, 0]], [[0, 0, -1.1], [1, 0, 0], [0, 1, 0]], True,
)

LINK = 0.1
ROUND = [(0, 1, 10.0, [1, 0, 0]), (1, 2, 20.0, [0, -1, 0]), (2, 3, 30.0, [-1, 0, 0]), (3, 0, 40.0, [0, 1, 0])]


def springs(q):
    v, grad = -0.1 * 9.81 * LINK * q[:, 2].sum(), np.tile(-0.1 * 9.81 * LINK * E3, (4, 1))
    for i, j, k, r in ROUND:
        d = LINK * np.array(r) + 0.5 * LINK * (q[j] - q[i])
        length = np.linalg.norm(d)
        v += 0.5 * k * (length - LINK) ** 2
        force = k * (length - LINK) * d / length * 0.5 * LINK
        grad[j] += force
        grad[i] -= force
    return v, grad


a = np.radians(20)
check(
    "spring_pendula", 1e-3 * np.eye(4), lambda q: springs(q)[1], lambda q: springs(q)[0],
    [E3, E3, [0.5 * np.cos(a), 0.5 * np.sin(a), r3 / 2], E3], [[-10, 4, 0], [0] * 3, [0] * 3, [0] * 3], False,
)

P = np.array([[0.024 * (i % 4), 0.024 * (i // 4), 0] for i in range(16)])
K = np.zeros((48, 48))
for i in range(16):
    for j in range(16):
        if i != j:
            r = P[j] - P[i]
            s = np.linalg.norm(r)
            K[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] = 1e-9 / s**3 * (np.eye(3) - 3 * np.outer(r, r) / s**2)
check(
    "dipoles", 2e-5 * np.eye(16), lambda q: (K @ q.ravel()).reshape(16, 3), lambda q: 0.5 * q.ravel() @ K @ q.ravel(),
    [[1, 0, 0]] * 15 + [[8**-0.5, 8**-0.5, -(0.75**0.5)]], [[0, 0.5, 0]] + [[0] * 3] * 15, False,
)
