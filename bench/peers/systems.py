"""Spherical pendulum and double spherical pendulum as differential equations, for every solver that takes one.

    pendulum   state (q, v) in R^6,             q'' = g - (g.q + |v|^2) q
    double     state (q1, q2, v1, v2) in R^12,  q_i unit vectors along links of 9.81 m with point masses of 1 kg

The double pendulum in multipliers: m l q1'' + ... with accelerations a1 = l q1'', a2 = l (q1'' + q2''):

    q1'' = (g + T1 q1 - T2 q2)/l,    q2'' = (T2 q2 - (T1 q1 - T2 q2))/l        (m = 1, T_i over the mass)
    T1, T2 from q_i.q_i'' = -|v_i|^2 - 2 b q_i.v_i - b^2 (|q_i|^2 - 1)/2,   b = 1/s

The last two terms vanish on the solution. Without them (Baumgarte's) an error of |q_i| grows with the square of the
time, and no solver keeps the energy over 1e4 periods.
"""
from math import sqrt

import numpy as np
from numba import njit

G = 9.81


@njit(cache=True)
def pendulum_into(y, out):
    s = G * y[2] + y[3] * y[3] + y[4] * y[4] + y[5] * y[5]
    out[0] = y[3]
    out[1] = y[4]
    out[2] = y[5]
    out[3] = -s * y[0]
    out[4] = -s * y[1]
    out[5] = G - s * y[2]


@njit(cache=True)
def pendulum_rate(_t, y):
    out = np.empty(6)
    pendulum_into(y, out)
    return out


@njit(cache=True)
def pendulum_rk4(state, h, n):
    """Classic RK4 with everything in scalars, which numba keeps in registers."""
    x, y, z, u, v, w = state[0], state[1], state[2], state[3], state[4], state[5]
    a, b = 0.5 * h, h / 6.0
    for _ in range(n):
        s = G * z + u * u + v * v + w * w
        k1u, k1v, k1w = -s * x, -s * y, G - s * z
        x2, y2, z2 = x + a * u, y + a * v, z + a * w
        u2, v2, w2 = u + a * k1u, v + a * k1v, w + a * k1w
        s = G * z2 + u2 * u2 + v2 * v2 + w2 * w2
        k2u, k2v, k2w = -s * x2, -s * y2, G - s * z2
        x3, y3, z3 = x + a * u2, y + a * v2, z + a * w2
        u3, v3, w3 = u + a * k2u, v + a * k2v, w + a * k2w
        s = G * z3 + u3 * u3 + v3 * v3 + w3 * w3
        k3u, k3v, k3w = -s * x3, -s * y3, G - s * z3
        x4, y4, z4 = x + h * u3, y + h * v3, z + h * w3
        u4, v4, w4 = u + h * k3u, v + h * k3v, w + h * k3w
        s = G * z4 + u4 * u4 + v4 * v4 + w4 * w4
        k4u, k4v, k4w = -s * x4, -s * y4, G - s * z4
        x += b * (u + 2.0 * (u2 + u3) + u4)
        y += b * (v + 2.0 * (v2 + v3) + v4)
        z += b * (w + 2.0 * (w2 + w3) + w4)
        u += b * (k1u + 2.0 * (k2u + k3u) + k4u)
        v += b * (k1v + 2.0 * (k2v + k3v) + k4v)
        w += b * (k1w + 2.0 * (k2w + k3w) + k4w)
    state[0], state[1], state[2], state[3], state[4], state[5] = x, y, z, u, v, w


@njit(cache=True)
def pendulum_energy(y):
    kinetic = 0.5 * (y[3] * y[3] + y[4] * y[4] + y[5] * y[5])
    return kinetic, kinetic - G * y[2]


LENGTH = 9.81
BACK = 1.0


@njit(cache=True)
def double_into(y, out):
    q1, q2 = (y[0], y[1], y[2]), (y[3], y[4], y[5])
    c = q1[0] * q2[0] + q1[1] * q2[1] + q1[2] * q2[2]
    s1 = y[6] * y[6] + y[7] * y[7] + y[8] * y[8]
    s2 = y[9] * y[9] + y[10] * y[10] + y[11] * y[11]
    n1 = q1[0] * q1[0] + q1[1] * q1[1] + q1[2] * q1[2]
    n2 = q2[0] * q2[0] + q2[1] * q2[1] + q2[2] * q2[2]
    # n1 T1 - c T2 = -l s1 - g.q1;   -c T1 + 2 n2 T2 = -l s2; both with what draws |q_i| back to 1
    d1 = q1[0] * y[6] + q1[1] * y[7] + q1[2] * y[8]
    d2 = q2[0] * y[9] + q2[1] * y[10] + q2[2] * y[11]
    r1 = -LENGTH * (s1 + 2.0 * BACK * d1 + 0.5 * BACK * BACK * (n1 - 1.0)) - G * q1[2]
    r2 = -LENGTH * (s2 + 2.0 * BACK * d2 + 0.5 * BACK * BACK * (n2 - 1.0))
    det = 2.0 * n1 * n2 - c * c
    t1 = (2.0 * n2 * r1 + c * r2) / det
    t2 = (n1 * r2 + c * r1) / det
    inverse = 1.0 / LENGTH
    for k in range(6):
        out[k] = y[6 + k]
    for k in range(3):
        pull1, pull2 = t1 * q1[k], t2 * q2[k]
        out[6 + k] = (pull1 - pull2) * inverse
        out[9 + k] = (2.0 * pull2 - pull1) * inverse
    out[8] += G * inverse


@njit(cache=True)
def double_rate(_t, y):
    out = np.empty(12)
    double_into(y, out)
    return out


@njit(cache=True)
def double_rk4(state, h, n):
    k1, k2, k3, k4, y = np.empty(12), np.empty(12), np.empty(12), np.empty(12), np.empty(12)
    for _ in range(n):
        double_into(state, k1)
        for k in range(12):
            y[k] = state[k] + 0.5 * h * k1[k]
        double_into(y, k2)
        for k in range(12):
            y[k] = state[k] + 0.5 * h * k2[k]
        double_into(y, k3)
        for k in range(12):
            y[k] = state[k] + h * k3[k]
        double_into(y, k4)
        for k in range(12):
            state[k] += h / 6.0 * (k1[k] + 2.0 * (k2[k] + k3[k]) + k4[k])


@njit(cache=True)
def double_energy(y):
    """Over the mass."""
    kinetic = 0.0
    for k in range(3):
        upper = LENGTH * y[6 + k]
        lower = LENGTH * (y[6 + k] + y[9 + k])
        kinetic += 0.5 * (upper * upper + lower * lower)
    return kinetic, kinetic - G * LENGTH * (2.0 * y[2] + y[5])


def double_start():
    """Document 001, Example 1."""
    q1, w1 = np.array([sqrt(0.75), 0, 0.5]), np.array([-sqrt(3) / 4, 0, 0.75])
    q2, w2 = np.array([0.0, 0, 1]), np.array([0.0, 1, 0])
    return np.concatenate([q1, q2, np.cross(w1, q1), np.cross(w2, q2)])


def heyoka_pendulum(start, tolerance):
    import heyoka as hy

    x, y, z, u, v, w = hy.make_vars("x", "y", "z", "u", "v", "w")
    s = G * z + u * u + v * v + w * w
    system = [(x, u), (y, v), (z, w), (u, -s * x), (v, -s * y), (w, G - s * z)]
    return hy.taylor_adaptive(system, list(start), tol=tolerance)


def heyoka_double(start, tolerance):
    import heyoka as hy

    names = ["a", "b", "c", "d", "e", "f", "p", "q", "r", "s", "t", "u"]
    y = hy.make_vars(*names)
    q1, q2, v1, v2 = y[0:3], y[3:6], y[6:9], y[9:12]

    def dot(a, b):
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

    c, n1, n2 = dot(q1, q2), dot(q1, q1), dot(q2, q2)
    r1 = -LENGTH * (dot(v1, v1) + 2.0 * BACK * dot(q1, v1) + 0.5 * BACK * BACK * (n1 - 1.0)) - G * q1[2]
    r2 = -LENGTH * (dot(v2, v2) + 2.0 * BACK * dot(q2, v2) + 0.5 * BACK * BACK * (n2 - 1.0))
    det = 2.0 * n1 * n2 - c * c
    t1, t2 = (2.0 * n2 * r1 + c * r2) / det, (n1 * r2 + c * r1) / det
    weight = [0.0, 0.0, G]
    system = [(y[k], y[6 + k]) for k in range(6)]
    system += [(v1[k], (weight[k] + t1 * q1[k] - t2 * q2[k]) / LENGTH) for k in range(3)]
    system += [(v2[k], (2.0 * t2 * q2[k] - t1 * q1[k]) / LENGTH) for k in range(3)]
    return hy.taylor_adaptive(system, list(start), tol=tolerance)
