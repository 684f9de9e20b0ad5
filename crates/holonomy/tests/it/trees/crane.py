"""Reference numbers of `crane.rs`: the load of the scenario `tower-crane`, SciPy's DOP853 at 1e-13.

    python crane.py           needs numpy and scipy

The load is a point B on two falls of one rope. Each fall comes from a point A of the jib over a circle with centre C and
radius R, in the plane of A, C and B; all A and C move as given. Its length is

    l = sqrt(a² - R²) + sqrt(b² - R²) + R (2 pi - angle(A C B) - acos(R/a) - acos(R/b)),    a = |A - C|, b = |B - C|,

and changes by n·dB + m·dA - (n + m)·dC, n and m the directions of its straight parts towards B and A: the rope does not
slip off its circle, and the tangent points do no work. So m B'' = m g + F - T (n₁ + n₂), and T is what keeps the second
derivative of l₁ + l₂ that of the length given. How n and m turn is differentiated by complex steps, exactly.
"""
import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

G, M, K, R = 9.81, 800.0, 8.6, 0.3
BREAKS = [1.0, 2.0, 4.0]


def ramp(t, start, end, a, b):
    """The cubic from a to b with no velocity at its ends, with two derivatives."""
    h = end - start
    s = min(max((t - start) / h, 0.0), 1.0)
    inside = start <= t <= end
    return (a + (b - a) * s * s * (3 - 2 * s), inside * (b - a) * 6 * s * (1 - s) / h,
            inside * (b - a) * (6 - 12 * s) / h**2)


def on_jib(t, x, z):
    """Place, velocity and acceleration of a point of the jib at the distance x, which is given with two derivatives."""
    angle, spin, turn = ramp(t, 2, 22, 0, 1.5)
    e = np.array([np.cos(angle), np.sin(angle), 0])
    f = np.array([-e[1], e[0], 0])
    return (x[0] * e + [0, 0, 40 + z], x[1] * e + x[0] * spin * f,
            (x[2] - x[0] * spin**2) * e + (2 * x[1] * spin + x[0] * turn) * f)


def norm(x):
    return np.sqrt(x @ x)


def towards(a, b):
    """The direction of the straight part towards b, over the far side of a circle about 0 from a."""
    size = norm(b)
    e = b / size
    away = (a @ e) * e - a
    f = away / norm(away)
    cosine = R / size
    sine = np.sqrt(1 - cosine**2)
    touch = R * (cosine * e + sine * f)
    return (b - touch) / np.sqrt(size**2 - R**2)


def rate(a, da, c, dc, b, db):
    n, m = towards(a - c, b - c), towards(b - c, a - c)
    return n @ (db - dc) + m @ (da - dc)


def length(a, c, b):
    x, y = a - c, b - c
    p, q = norm(x), norm(y)
    arc = 2 * np.pi - np.arccos(x @ y / (p * q)) - np.arccos(R / p) - np.arccos(R / q)
    return np.sqrt(p**2 - R**2) + np.sqrt(q**2 - R**2) + R * arc


def falls(t):
    trolley = ramp(t, 4, 24, 12, 28)
    for end, side in ((2, -0.5), (40, 0.5)):
        yield on_jib(t, (end, 0, 0), 0.3), on_jib(t, (trolley[0] + side, *trolley[1:]), 0)


def forces(t, b, db):
    """The acceleration, the tension, and the forces of the rope on its circles."""
    air = db - np.array([9 + 2 * np.sin(0.5 * t), 3, 0])
    free = np.array([0, 0, -G]) - K / M * norm(air) * air
    pull, change, ends = np.zeros(3), 0.0, []
    step = 1e-30
    for (a, da, dda), (c, dc, ddc) in falls(t):
        n, m = towards(a - c, b - c), towards(b - c, a - c)
        pull += n
        ends.append(n + m)
        moved = (a + 1j * step * da, da + 1j * step * dda, c + 1j * step * dc, dc + 1j * step * ddc,
                 b + 1j * step * db, db + 1j * step * free)
        change += rate(*moved).imag / step
    tension = M * (change - ramp(t, 1, 15, *HOIST)[2]) / (pull @ pull)
    return free - tension / M * pull, tension, [tension * end for end in ends]


def motion(t, y):
    return np.concatenate([y[3:], forces(t, y[:3], y[3:])[0]])


HOIST = (81.5, 65.5)

if __name__ == "__main__":
    def hangs(z):
        return sum(length(a, c, np.array([12.0, 0, z])) for (a, *_), (c, *_) in falls(0.0)) - HOIST[0]

    z = brentq(hangs, 1.0, 39.0, xtol=1e-15, rtol=1e-15)
    print("start", z)
    y, t = np.array([12.0, 0, z, 0, 0, 0]), 0.0
    for end in (*BREAKS, 12.0):
        found = solve_ivp(motion, (t, end), y, method="DOP853", rtol=1e-13, atol=1e-13)
        assert found.success
        y, t = found.y[:, -1], end
    error = sum(length(a, c, y[:3]) for (a, *_), (c, *_) in falls(t)) - ramp(t, 1, 15, *HOIST)[0]
    print("load at 12 s", [float(x) for x in y[:3]], "error of the length", error)
    _, tension, contact = forces(t, y[:3], y[3:])
    print("tension", float(tension), "contact", [[float(x) for x in force] for force in contact])
