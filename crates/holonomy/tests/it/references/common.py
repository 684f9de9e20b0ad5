"""Shared parts of the reference scripts: high-precision Taylor integration and JSON output.

What: `reference()` integrates x' = v, v' = a(x, v) and returns the state at the wanted times.
How: Taylor series of adaptive order and step (heyoka) in quadruple precision (113 bits, epsilon
  1.9e-34). All given data are mpmath numbers of 50 digits, so sqrt(3)/2 or 9.81 is not rounded to
  double first. Every script states its equations of motion in Cartesian positions and velocities,
  with accelerations from Lagrange multipliers; none uses the (q, omega) equations of the library.
Accuracy: the run is repeated with the tolerance 1e-20 in place of 1.9e-34 (other orders, other step
  sizes) and once in 80-bit arithmetic. The stated "accuracy" (absolute, per number) is the larger of
  the first difference and the rounding of the largest number to double, rounded up to a power of ten.
Verified: constraints and invariants are asserted to stay below 1e-25 in the main run;
  `check_double.py` integrates the (q, omega) equations in double precision and compares.

Each sample also holds "growth": by how much a small error of the initial data is multiplied until
that time (largest of six random perturbations, maximum norm over q and omega). A program in double
precision cannot do better than about 1e-16 times this number.

Run: pip install heyoka mpmath numpy; python make_<name>.py writes <name>.json next to the script.
"""

import pathlib
import random

import heyoka as hy
import mpmath as mp
import numpy as np

mp.mp.dps = 50
HERE = pathlib.Path(__file__).parent
QUAD = hy.real128


def num(x):
    """Number of full quadruple precision as a heyoka constant."""
    return hy.expression(QUAD(mp.nstr(mp.mpf(x), 45)))


def dot(a, b):
    return hy.sum([x * y for x, y in zip(a, b)])


def mdot(a, b):
    return mp.fsum(x * y for x, y in zip(a, b))


def mcross(a, b):
    return [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]


def variables(n, name):
    """n symbolic vectors of three components."""
    return [hy.make_vars(*[f"{name}{i}{c}" for c in "xyz"]) for i in range(n)]


def flat(vectors):
    return [x for v in vectors for x in v]


def split(numbers):
    return [list(numbers[i : i + 3]) for i in range(0, len(numbers), 3)]


def solve_spd(matrix, rhs):
    """Symbolic Gauss elimination without pivoting, for a positive definite matrix."""
    n = len(rhs)
    a = [list(row) for row in matrix]
    b = list(rhs)
    for k in range(n):
        for i in range(k + 1, n):
            f = a[i][k] / a[k][k]
            for j in range(k + 1, n):
                a[i][j] = a[i][j] - f * a[k][j]
            b[i] = b[i] - f * b[k]
    x = [None] * n
    for i in reversed(range(n)):
        s = b[i]
        for j in range(i + 1, n):
            s = s - a[i][j] * x[j]
        x[i] = s / a[i][i]
    return x


class Problem:
    """Accelerations in symbols, start values, and the functions that read (q, omega) and invariants.

    read(x, v) -> (q, qdot); invariants(x, v) -> dict of named numbers (must hold "energy").
    """

    def __init__(self, positions, velocities, accelerations, x0, v0, read, invariants):
        xs, vs = flat(positions), flat(velocities)
        self.system = list(zip(xs, vs)) + list(zip(vs, flat(accelerations)))
        self.start = flat(x0) + flat(v0)
        self.half = len(xs)
        self.read = read
        self.invariants = invariants

    def integrator(self, fp, tol):
        start = np.array([fp(mp.nstr(x, 45)) for x in self.start])
        return hy.taylor_adaptive(self.system, start, fp_type=fp, tol=tol, compact_mode=True)

    def run(self, integrator, start, times):
        fp = integrator.state.dtype.type
        integrator.time = fp(0)
        integrator.state[:] = np.array([fp(mp.nstr(x, 45)) for x in start])
        out = []
        for t in times:
            outcome = integrator.propagate_until(fp(str(t)))[0]
            assert outcome == hy.taylor_outcome.time_limit, outcome
            values = [mp.mpf(str(x)) for x in integrator.state]
            out.append((split(values[: self.half]), split(values[self.half :])))
        return out


def sample(problem, x, v):
    q, qdot = problem.read(x, v)
    return q, [mcross(a, b) for a, b in zip(q, qdot)]


def distance(a, b):
    """Largest difference of the components of two (q, omega) pairs."""
    return max(abs(x - y) for u, w in zip(a, b) for x, y in zip(flat(u), flat(w)))


def text(x):
    return mp.nstr(x, 17, min_fixed=-5, max_fixed=17)


def reference(problem, times, perturb):
    """Samples and the stated accuracy; prints the verification and asserts its bounds."""
    main = problem.integrator(QUAD, QUAD("1.9e-34"))
    loose = problem.integrator(QUAD, QUAD("1e-20"))
    extended = problem.integrator(np.longdouble, np.longdouble("1.1e-19"))
    states = problem.run(main, problem.start, times)
    samples = [sample(problem, x, v) for x, v in states]
    other = [sample(problem, x, v) for x, v in problem.run(loose, problem.start, times)]
    third = [sample(problem, x, v) for x, v in problem.run(extended, problem.start, times)]
    x0, v0 = split(problem.start[: problem.half]), split(problem.start[problem.half :])
    start_sample = sample(problem, x0, v0)
    begin = problem.invariants(x0, v0)
    rng = random.Random(1)
    growth = [mp.mpf(0)] * len(times)
    for _ in range(6):
        moved = perturb(rng, mp.mpf("1e-12"))
        first = distance(sample(problem, split(moved[: problem.half]), split(moved[problem.half :])), start_sample)
        for k, (x, v) in enumerate(problem.run(main, moved, times)):
            growth[k] = max(growth[k], distance(sample(problem, x, v), samples[k]) / first)
    worst = mp.mpf(0)
    for k, t in enumerate(times):
        q, w = samples[k]
        inv = problem.invariants(*states[k])
        drift = max(abs(inv[name] - begin[name]) / (1 + abs(begin[name])) for name in begin)
        length = max(abs(mdot(u, u) - 1) for u in q)
        tangent = max(abs(mdot(u, o)) for u, o in zip(q, w))
        d2, d3 = distance(samples[k], other[k]), distance(samples[k], third[k])
        print(
            f"  t={t}: tol 1e-20 differs {mp.nstr(d2, 2)}, 80 bit {mp.nstr(d3, 2)}, invariants "
            f"{mp.nstr(drift, 2)}, |q|^2-1 {mp.nstr(length, 2)}, growth {mp.nstr(growth[k], 3)}"
        )
        assert max(drift, length, tangent) < mp.mpf("1e-25"), (drift, length, tangent)
        assert d2 < mp.mpf("1e-16") and d3 < growth[k] * mp.mpf("1e-15"), (d2, d3)
        biggest = max(abs(x) for x in flat(q) + flat(w) + list(inv.values()))
        worst = max(worst, d2, biggest * mp.mpf(2) ** -53)
    accuracy = mp.mpf(10) ** mp.ceil(mp.log10(worst))
    rows = []
    for k, t in enumerate(times):
        q, w = samples[k]
        rows.append({"t": t, "q": q, "omega": w, **problem.invariants(*states[k]), "growth": growth[k]})
    return rows, accuracy


def perturb_on_spheres(q0, v0, build):
    """Perturbation of unit vectors and their velocities that keeps the constraints."""

    def move(rng, size):
        def noise():
            return [size * (2 * mp.mpf(rng.random()) - 1) for _ in range(3)]

        q = []
        for u in q0:
            u = [a + b for a, b in zip(u, noise())]
            length = mp.sqrt(mdot(u, u))
            q.append([a / length for a in u])
        v = []
        for u, w in zip(q, v0):
            w = [a + b for a, b in zip(w, noise())]
            along = mdot(u, w)
            v.append([a - along * b for a, b in zip(w, u)])
        x, xdot = build(q, v)
        return flat(x) + flat(xdot)

    return move


def write(name, about, accuracy, rows):
    """JSON with one vector per line and 17 significant digits."""

    def vectors(vs):
        return "[\n" + ",\n".join("        [" + ", ".join(text(x) for x in v) + "]" for v in vs) + "\n      ]"

    blocks = []
    for row in rows:
        parts = [f'"t": {float(row["t"])!r}', f'"q": {vectors(row["q"])}', f'"omega": {vectors(row["omega"])}']
        for key, value in row.items():
            if key == "growth":
                parts.append(f'"growth": {float(mp.nstr(value, 2))!r}')
            elif key not in ("t", "q", "omega"):
                parts.append(f'"{key}": {text(value)}')
        blocks.append("    {\n      " + ",\n      ".join(parts) + "\n    }")
    body = (
        "{\n"
        f'  "about": "{about}",\n'
        f'  "accuracy": {float(accuracy):.0e},\n'
        '  "samples": [\n' + ",\n".join(blocks) + "\n  ]\n}\n"
    )
    (HERE / f"{name}.json").write_text(body)
    print(f"  wrote {name}.json, accuracy {float(accuracy):.0e}")
