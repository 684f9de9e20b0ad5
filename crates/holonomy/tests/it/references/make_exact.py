"""Reference values of the elliptic integrals and functions, and motions of pendula.

What: Carlson's and Legendre's integrals and Jacobi's functions over grids that reach to the ends of their
  domains; the plane pendulum and the spherical pendulum from many starts, among them rest, planes through
  the poles and nearly so, cones and nearly so, no gravity and nearly none, and energies close to the top.
  Writes exact.json. All inputs are doubles, taken as exact; a direction is made unit, and the part of an
  angular velocity along it dropped, at full precision.
How, functions: mpmath, 60 digits and more.
How, motions: Cartesian position and velocity with a Lagrange multiplier, or the angle, by Taylor series in
  113-bit arithmetic (heyoka): nothing elliptic, no case is special.
How, the check: spherical motions that are not degenerate also by the textbook formulas (roots of the cubic,
  azimuth as two integrals of the third kind) in mpmath with 150 digits; these then go on to long times.
Accuracy: Taylor series and elliptic functions agree to 1e-20 times the growth (asserted).
"growth" is by how much small errors of the initial data are multiplied until that time (largest of six
  random perturbations, relative to the size of position and velocity).

Run: pip install heyoka mpmath numpy; python make_exact.py writes exact.json next to the script.
"""

import itertools
import json
import pathlib
import random

import heyoka as hy
import mpmath as mp
import numpy as np

mp.mp.dps = 60
F = mp.mpf
QUAD = hy.real128
HERE = pathlib.Path(__file__).parent


def quad(x):
    return QUAD(mp.nstr(F(x), 45))


def double(x):
    """Nearest double."""
    return float(mp.nstr(x, 25))


# Functions


def carlson():
    sizes = [0.0, 1e-60, 1e-20, 1e-8, 0.01, 0.3, 1.0, 1.0000001, 2.5, 1e5, 1e20, 1e60]
    out = {"r_f": [], "r_c": [], "r_d": [], "r_j": []}
    for x, y in itertools.product(sizes, sizes[1:]):
        out["r_c"].append([x, y, double(mp.elliprc(F(x), F(y)))])
    for x, y in itertools.combinations_with_replacement(sizes, 2):
        for z in sizes[1:]:
            if x + y == 0:
                continue
            if y <= z:
                out["r_f"].append([x, y, z, double(mp.elliprf(F(x), F(y), F(z)))])
            out["r_d"].append([x, y, z, double(mp.elliprd(F(x), F(y), F(z)))])
    few = [0.0, 1e-40, 1e-8, 0.3, 1.0, 7.0, 1e6, 1e40]
    for x, y, z in itertools.combinations_with_replacement(few, 3):
        for p in [1e-40, 1e-12, 1e-3, 0.99999, 1.0, 30.0, 1e7, 1e40]:
            if y > 0:
                value = mp.elliprj(F(x), F(y), F(z), F(p))
                if len(out["r_j"]) % 13 == 0:
                    assert abs(quadrature(F(x), F(y), F(z), F(p)) / value - 1) < 1e-20, (x, y, z, p)
                out["r_j"].append([x, y, z, p, double(value)])
    return out


def quadrature(x, y, z, p):
    """R_J as an integral over the logarithm of t: the trapezoidal rule converges geometrically."""
    marks = sorted(mp.log(v) for v in (x, y, z, p) if v > 0)
    low, high = marks[0] - 130, marks[-1] + 130
    step = F(1) / 4

    def integrand(t):
        return t / ((t + p) * mp.sqrt((t + x) * (t + y) * (t + z)))

    return F(3) / 2 * step * mp.fsum(integrand(mp.exp(low + k * step)) for k in range(int((high - low) / step) + 1))


def legendre():
    complements = [1.0, 1 - 1e-12, 0.9, 0.5, 0.1, 1e-3, 1e-8, 1e-16, 1e-30]
    angles = [1e-9, 0.3, 1.0, 1.5, 1.5707963, -2.0, 4.0, 100.0]
    ns = [-1e8, -30.0, -1.0, -0.2, -0.05, -1e-9, 0.0, 1e-6, 0.4, 0.95, 1 - 2.0**-30]
    out = {"complete": [], "incomplete": [], "complete_pi": [], "incomplete_pi": [], "jacobi": []}
    for m1 in complements:
        with mp.workdps(120):
            m = 1 - F(m1)
            quarter = mp.ellipk(m)
            out["complete"].append([m1, double(quarter), double(mp.ellipe(m))])
            for phi in angles:
                f, e = mp.ellipf(F(phi), m), mp.ellipe(F(phi), m)
                out["incomplete"].append([m1, phi, double(f), double(e)])
            for n in ns:
                out["complete_pi"].append([m1, n, double(mp.ellippi(F(n), m))])
                for phi in angles:
                    out["incomplete_pi"].append([m1, n, phi, double(mp.ellippi(F(n), F(phi), m))])
            for fraction in [1e-7, 0.1, 0.5, 0.9, 0.999, 1.0, 1.001, 1.7, 2.3, -3.1, 4.4, 1000.3, -123456.7]:
                u = double(F(fraction) * quarter)
                sn, cn, dn = (mp.ellipfun(name, F(u), m=m) for name in ("sn", "cn", "dn"))
                turns = mp.nint(F(u) / (2 * quarter))
                am = turns * mp.pi + mp.atan2(sn * (-1) ** int(turns), cn * (-1) ** int(turns))
                out["jacobi"].append([m1, u, double(sn), double(cn), double(dn), double(am)])
    return out


# Motions


def mcross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def mdot(a, b):
    return mp.fsum(x * y for x, y in zip(a, b))


class Taylor:
    """A system with parameters, integrated to given times; values are mpmath numbers."""

    def __init__(self, system, size):
        self.size = size
        zero = np.array([QUAD(0)] * size)
        self.integrator = hy.taylor_adaptive(system, zero, fp_type=QUAD, tol=QUAD("1e-34"), compact_mode=True)

    def run(self, start, parameters, times):
        integrator = self.integrator
        integrator.time = QUAD(0)
        integrator.state[:] = np.array([quad(x) for x in start])
        integrator.pars[:] = np.array([quad(x) for x in parameters])
        out = []
        for t in times:
            outcome = integrator.propagate_until(quad(t))[0]
            assert outcome == hy.taylor_outcome.time_limit, outcome
            out.append([F(str(x)) for x in integrator.state])
        return out


def spherical_system():
    x, v = hy.make_vars("x", "y", "z"), hy.make_vars("u", "v", "w")
    gravity = [hy.par[i] for i in range(3)]
    # Divided by |x|²: the second derivative of |x|² is then zero, and rounding errors of the length do not grow.
    tension = (hy.sum([g * a for g, a in zip(gravity, x)]) + hy.sum([b * b for b in v])) / hy.sum([a * a for a in x])
    return Taylor(list(zip(x, v)) + [(b, g - tension * a) for a, b, g in zip(x, v, gravity)], 6)


def plane_system():
    theta, rate = hy.make_vars("theta", "rate")
    return Taylor([(theta, rate), (rate, -hy.par[0] * hy.sin(theta))], 2)


@mp.workdps(150)
def textbook(gravity, q, v, times):
    """q and v at the times, or None where the formulas need special care."""
    g = mp.sqrt(mdot(gravity, gravity))
    if g < 1e-20:
        return None
    down = [x / g for x in gravity]
    u, rise = mdot(q, down), mdot(v, down)
    j = mdot(down, mcross(q, v))
    energy = mdot(v, v) / 2 - g * u
    if abs(j) < 1e-20 or 1 - abs(u) < 1e-20:
        return None
    roots = mp.polyroots([-2 * g, -2 * energy, 2 * g, 2 * energy - j * j], maxsteps=2000, extraprec=800)
    u0, u1, u2 = sorted(mp.re(r) for r in roots)
    if u2 - u1 < 1e-15:
        return None
    omega = mp.sqrt(g * (u2 - u0) / 2)
    m = (u2 - u1) / (u2 - u0)
    quarter = mp.ellipk(m)

    def third_kind(n, w):
        turns = mp.nint(w / (2 * quarter))
        rest = w - 2 * quarter * turns
        return 2 * turns * mp.ellippi(n, m) + mp.ellippi(n, mp.asin(mp.ellipfun("sn", rest, m=m)), m)

    def azimuth(w):
        lower = third_kind(-(u2 - u1) / (1 - u2), w) / (1 - u2)
        upper = third_kind((u2 - u1) / (1 + u2), w) / (1 + u2)
        return j / (2 * omega) * (lower + upper)

    sine = mp.sqrt(min(F(1), max(F(0), (u2 - u) / (u2 - u1))))
    w0 = mp.ellipf(mp.asin(sine), m) * (-1 if rise > 0 else 1)
    e1 = [a - u * b for a, b in zip(q, down)]
    size = mp.sqrt(mdot(e1, e1))
    e1 = [a / size for a in e1]
    e2 = mcross(down, e1)
    out = []
    for t in times:
        w = w0 + omega * t
        sn, cn, dn = (mp.ellipfun(name, w, m=m) for name in ("sn", "cn", "dn"))
        h = u2 - (u2 - u1) * sn**2
        hdot = -2 * (u2 - u1) * omega * sn * cn * dn
        phi = azimuth(w) - azimuth(w0)
        r = mp.sqrt(1 - h * h)
        rdot, turn = -h * hdot / r, j / (r * r)
        c, s = mp.cos(phi), mp.sin(phi)
        frame = lambda x, y, z: [x * a + y * b + z * d for a, b, d in zip(e1, e2, down)]
        out.append(frame(r * c, r * s, h) + frame(rdot * c - r * turn * s, rdot * s + r * turn * c, hdot))
    return out


def spherical_cases():
    r = random.Random(7)
    down = [0.0, 0.0, 9.81]
    unit = [0.0, 0.0, 1.0]
    oblique = [1.0, 2.0, -2.0]
    s60 = 0.8660254037844386
    cases = [
        ("published", down, [s60, 0.0, 0.5], [-1.0, 0.0, 1.7320508075688772]),
        ("rest at the bottom", down, [0.0, 0.0, 1.0], [0.0] * 3),
        ("rest at the top", down, [0.0, 0.0, -1.0], [0.0] * 3),
        ("rest without gravity", [0.0] * 3, [0.6, 0.0, 0.8], [0.0] * 3),
        ("spin about itself", down, [0.0, 0.0, 1.0], [0.0, 0.0, 3.0]),
        ("great circle", [0.0] * 3, [0.6, 0.0, 0.8], [0.4, 1.1, -0.3]),
        ("hardly any gravity", [0.0, 1e-300, 0.0], [0.6, 0.0, 0.8], [0.4, 1.1, -0.3]),
        ("little gravity", [0.0, 0.0, 1e-12], [0.6, 0.0, 0.8], [0.4, 1.1, -0.3]),
        ("fast", down, [0.6, 0.0, 0.8], [40.0, 110.0, -30.0]),
        ("very fast", down, [0.6, 0.0, 0.8], [4e6, 1.1e7, -3e6]),
        # In a plane.
        ("plane, released at the equator", down, [0.6, 0.8, 0.0], [0.0] * 3),
        ("plane, small", down, [1e-6, 0.0, 1.0], [0.0, 1e-6, 0.0]),
        ("plane, tiny", down, [1e-100, 0.0, 1.0], [0.0, 1e-100, 0.0]),
        ("plane, through the bottom", down, [0.0, 0.0, 1.0], [0.3, 0.4, 0.0]),
        ("plane, over the top", down, [0.0, 0.0, 1.0], [3.0, 6.0, 0.0]),
        ("plane, pushed at the top", down, [0.0, 0.0, -1.0], [1.0, -0.5, 0.0]),
        ("plane, hardly pushed at the top", unit, [0.0, 0.0, -1.0], [1e-9, 0.0, 0.0]),
        ("plane, separatrix", unit, [0.0, 0.0, 1.0], [0.0, 2.0, 0.0]),
        ("plane, below the separatrix", unit, [0.0, 0.0, 1.0], [0.0, 2.0 - 1e-10, 0.0]),
        ("plane, above the separatrix", unit, [0.0, 0.0, 1.0], [0.0, 2.0 + 1e-10, 0.0]),
        ("plane, released at 170 degrees", down, [0.17364817766693036, 0.0, -0.984807753012208], [0.0] * 3),
        ("released 1e-3 from the top", unit, [1e-3, 0.0, -1.0], [0.0] * 3),
        ("released 1e-8 from the top", unit, [0.6e-8, 0.8e-8, -1.0], [0.0] * 3),
        ("turned 1e-3 from the top", unit, [1e-3, 0.0, -1.0], [0.0, 0.0, 1.0]),
        ("turned 1e-8 from the top", unit, [1e-8, 0.0, -1.0], [1e-9, 0.0, 1.0]),
        ("oblique gravity, plane", oblique, [0.6, 0.0, 0.8], mcross_float([0.6, 0.0, 0.8], oblique)),
    ]
    # Nearly in a plane: librations, and rotations over the top.
    for tilt in [1e-2, 1e-5, 1e-8, 1e-11, 1e-15, 1e-30, 1e-160]:
        cases.append((f"libration, J ~ {tilt}", unit, [0.6, 0.0, 0.8], [tilt, 0.5, 0.0]))
        cases.append((f"rotation, J ~ {tilt}", unit, [0.6, 0.0, 0.8], [tilt, 2.5, 0.0]))
    # Close to the separatrix and to a plane at once.
    for tilt, excess in [(1e-3, 1e-6), (1e-6, 1e-6), (1e-6, -1e-12), (1e-9, 1e-9), (1e-4, -1e-4), (1e-5, 1e-12)]:
        cases.append((f"J ~ {tilt}, {excess} above the top", unit, [1.0, 0.0, 0.0], [0.0, (2 + excess) ** 0.5, tilt]))
    # Cones and nearly so: cos = 0.8 and w² = g/cos about the vertical, hence a tangent w of 0.6 w.
    w = (9.81 / 0.8) ** 0.5
    for off in [0.0, 1e-13, 1e-9, 1e-5, 1e-2]:
        cases.append((f"cone, {off} off", down, [0.6, 0.0, 0.8], [-0.48 * w, off, 0.36 * w]))
    for size in [1e-2, 1e-4, 1e-8]:
        cases.append((f"cone of {size}", unit, [size, 0.0, 1.0], [-size, 0.0, 0.0]))
    cases.append(("ellipse of 1e-6", unit, [1e-6, 0.0, 1.0], [-3e-7, 0.0, 0.0]))
    cases.append(("wide cone", unit, [1.0, 0.0, 1e-4], [0.0, 0.0, 100.0]))
    for k in range(14):
        gravity = [round(r.uniform(-8, 8), 2) for _ in range(3)]
        q = [round(r.gauss(0, 1), 3) for _ in range(3)]
        omega = [round(r.gauss(0, 3), 3) for _ in range(3)]
        cases.append((f"random {k}", gravity, q, omega))
    return cases


def mcross_float(a, b):
    return [float(x) for x in mcross(a, b)]


SHORT, LONG = [-1.9, 0.7, 3.1, 12.3, 47.0], [300.0, 2000.0]


def moved(rng, q, v, unit, eps):
    """A start nearby: errors relative to 1 for the position and to the unit of frequency for the velocity."""
    x = [a + eps * (2 * F(rng.random()) - 1) for a in q]
    length = mp.sqrt(mdot(x, x))
    x = [a / length for a in x]
    y = [a + unit * eps * (2 * F(rng.random()) - 1) for a in v]
    along = mdot(x, y)
    return x, [a - along * b for a, b in zip(y, x)]


def spherical():
    system = spherical_system()
    rng = random.Random(3)
    out = []
    eps = F("1e-20")
    for name, gravity, direction, omega in spherical_cases():
        size = mp.sqrt(mdot([F(x) for x in direction], [F(x) for x in direction]))
        q = [F(x) / size for x in direction]
        v = mcross([F(x) for x in omega], q)
        g = [F(x) for x in gravity]
        unit = max(mp.sqrt(mp.sqrt(mdot(g, g))), mp.sqrt(mdot(v, v)))
        unit = unit if unit > 0 else F(1)
        times, late = ([double(x / unit) for x in tau] for tau in (SHORT, LONG))

        def series(q, v):
            return system.run(q + v, g, times[:1]) + system.run(q + v, g, times[1:])

        def gap(a, b):
            return max(abs(x - y) / (1 if i < 3 else unit) for i, (x, y) in enumerate(zip(a, b)))

        states = series(q, v)
        growth = [F(1)] * len(states)
        for _ in range(6):
            growth = [max(c, gap(a, b) / eps) for a, b, c in zip(states, series(*moved(rng, q, v, unit, eps)), growth)]
        for t, state, c in zip(times, states, growth):
            x, y = state[:3], state[3:]
            drift = max(abs(mdot(x, x) - 1), abs(mdot(x, y)) / unit)
            assert drift < c * mp.mpf("1e-27"), (name, t, drift)
        expected = textbook(g, q, v, times + late)
        worst = F(0)
        if expected is not None:
            for t, state, other, c in zip(times, states, expected, growth):
                worst = max(worst, gap(state, other) / c)
                assert gap(state, other) < c * mp.mpf("1e-20"), (name, t, mp.nstr(gap(state, other), 3), mp.nstr(c, 3))
            states += expected[len(times) :]
            near = [textbook(g, *moved(rng, q, v, unit, eps), late) for _ in range(2)]
            growth += [max(gap(b, n[k]) / eps for n in near) for k, b in enumerate(expected[len(times) :])]
        samples = [
            [t] + [double(a) for a in state] + [float(mp.nstr(c, 2))]
            for t, state, c in zip(times + late, states, growth)
            if c < 1e8
        ]
        verdict = f"both routes differ by {mp.nstr(worst, 2)} of the growth" if expected else "Taylor series only"
        print(f"  {name}: {len(samples)} samples, {verdict}; growth {mp.nstr(growth[-1], 2)}", flush=True)
        out.append(
            {"name": name, "gravity": gravity, "direction": direction, "angular_velocity": omega, "samples": samples}
        )
    return out


def plane():
    system = plane_system()
    out = []
    pi = float(mp.pi)
    cases = [
        (9.81, 1.0, 0.0), (9.81, -2.5, 1.0), (9.81, 0.0, 0.1), (9.81, 1e-7, 0.0), (9.81, 0.0, 0.0),
        (9.81, 3.0, 0.0), (9.81, pi, 0.0), (1.0, pi, 1e-6), (1.0, 0.0, 2.0), (1.0, 0.0, -2.0), (1.0, 0.0, 2.0 + 1e-9),
        (1.0, 0.0, -2.0 + 1e-9), (9.81, 0.5, 7.0), (9.81, -0.5, -7.0), (9.81, 20.0, 0.3), (9.81, -33.0, -50.0),
        (1e-9, 0.4, 1.0), (0.0, 0.4, -1.3), (0.0, 0.4, 0.0), (-9.81, 3.0, 0.2), (-9.81, 0.1, 0.0), (-1.0, 5.0, 3.0),
        (4.0, 1.0, -3.0), (4.0, -1.0, -3.5), (9.81, 2.0, -3.3841), (123456.0, 1.0, 100.0),
    ]  # fmt: skip
    for gravity, angle, rate in cases:
        unit = max(mp.sqrt(abs(F(gravity))), abs(F(rate)))
        unit = unit if unit > 0 else F(1)
        times = [double(x / unit) for x in SHORT + LONG]
        run = lambda x: system.run(x, [F(gravity)], times[:1]) + system.run(x, [F(gravity)], times[1:])
        states = run([F(angle), F(rate)])
        growth = [F(1)] * len(times)
        eps = F("1e-20")
        for noise in ([eps, 0], [0, eps * unit]):
            for k, state in enumerate(run([F(angle) + noise[0], F(rate) + noise[1]])):
                gap = max(abs(state[0] - states[k][0]), abs(state[1] - states[k][1]) / unit)
                growth[k] = max(growth[k], gap / eps)
        samples = [
            [t, double(a), double(b), float(mp.nstr(c, 2))]
            for t, (a, b), c in zip(times, states, growth)
            if c < 1e8
        ]
        out.append({"gravity": gravity, "angle": angle, "rate": rate, "samples": samples})
    return out


def main():
    data = {"carlson": carlson(), "legendre": legendre(), "plane": plane(), "spherical": spherical()}

    def rows(x, depth):
        """One list of numbers per line."""
        pad = " " * depth
        if isinstance(x, dict):
            inner = ",\n".join(f"{pad} {json.dumps(k)}: {rows(v, depth + 1)}" for k, v in x.items())
            return "{\n" + inner + "\n" + pad + "}"
        if isinstance(x, list) and x and isinstance(x[0], (list, dict)):
            return "[\n" + ",\n".join(pad + " " + rows(v, depth + 1) for v in x) + "\n" + pad + "]"
        return json.dumps(x)

    (HERE / "exact.json").write_text(rows(data, 0) + "\n")


if __name__ == "__main__":
    main()
