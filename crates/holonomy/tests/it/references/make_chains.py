"""Reference motion of three chains of links: double pendulum, three point masses, three rods.

What: directions q_i of the links, omega_i = q_i x q_i', energy and vertical angular momentum at
  t = 1, 5 and 10 s. Gravity acts along +z. Writes double_pendulum.json, point_chain.json,
  rod_chain.json.
How: the unknowns are the Cartesian positions x_a of the lower link ends. The mass matrix mu (one
  number per pair of ends, the same for x, y, z) is diagonal for point masses; a thin uniform rod of
  mass m adds m/3 at each end and m/6 between its two ends, since its kinetic energy is
  m/6 (|va|^2 + va.vb + |vb|^2), and half its weight at each end. The link lengths are constraints
  |x_a - x_(a-1)|^2 = l_a^2; their multipliers follow from the linear system of the twice
  differentiated constraints. Integration: see common.py.
Accuracy: stated in each file. Verified: energy, vertical angular momentum and all constraints hold
  to 1e-25; three tolerances and precisions agree; check_double.py.
"""

import mpmath as mp

from common import (
    Problem, dot, mcross, mdot, num, perturb_on_spheres, reference, solve_spd, split, variables, write,
)
import heyoka as hy

F = mp.mpf


def chain(lengths, mu, weight, q0, w0):
    n = len(lengths)
    x, v = variables(n, "x"), variables(n, "v")
    inverse = mp.inverse(mp.matrix(mu))
    # Differences of neighbours: d = S x.
    s = mp.matrix(n, n)
    for a in range(n):
        s[a, a] = 1
        if a > 0:
            s[a, a - 1] = -1
    sw = s * inverse
    p = sw * s.T
    free = [mp.fsum(sw[c, b] * weight[b] for b in range(n)) for c in range(n)]
    down = [mp.fsum(inverse[a, b] * weight[b] for b in range(n)) for a in range(n)]
    d = [x[0]] + [[x[a][k] - x[a - 1][k] for k in range(3)] for a in range(1, n)]
    e = [v[0]] + [[v[a][k] - v[a - 1][k] for k in range(3)] for a in range(1, n)]
    matrix = [[num(p[i, j]) * dot(d[i], d[j]) for j in range(n)] for i in range(n)]
    rhs = [-dot(e[c], e[c]) - num(free[c]) * d[c][2] for c in range(n)]
    tension = solve_spd(matrix, rhs)
    ws = inverse * s.T
    acceleration = []
    for a in range(n):
        vector = []
        for k in range(3):
            terms = [num(ws[a, c]) * tension[c] * d[c][k] for c in range(n) if ws[a, c] != 0]
            if k == 2:
                terms.append(num(down[a]))
            vector.append(hy.sum(terms))
        acceleration.append(vector)

    def build(q, qdot):
        xs, vs = [], []
        px, pv = [F(0)] * 3, [F(0)] * 3
        for length, a, b in zip(lengths, q, qdot):
            px = [s0 + length * c for s0, c in zip(px, a)]
            pv = [s0 + length * c for s0, c in zip(pv, b)]
            xs.append(px)
            vs.append(pv)
        return xs, vs

    def read(xs, vs):
        def links(ps):
            before = [[F(0)] * 3] + ps[:-1]
            return [[(c - b) / length for c, b in zip(p1, p0)] for length, p1, p0 in zip(lengths, ps, before)]

        return links(xs), links(vs)

    def invariants(xs, vs):
        pairs = [(a, b) for a in range(n) for b in range(n) if mu[a][b] != 0]
        kinetic = mp.fsum(mu[a][b] * mdot(vs[a], vs[b]) for a, b in pairs) / 2
        height = mp.fsum(weight[a] * xs[a][2] for a in range(n))
        momentum = mp.fsum(mu[a][b] * mcross(xs[a], vs[b])[2] for a, b in pairs)
        return {"energy": kinetic - height, "angular_momentum_z": momentum}

    v0 = [mcross(w, q) for w, q in zip(w0, q0)]
    for w, q in zip(w0, q0):
        assert abs(mdot(q, q) - 1) < 1e-45 and abs(mdot(w, q)) < 1e-45
    xs, vs = build(q0, v0)
    problem = Problem(x, v, acceleration, xs, vs, read, invariants)
    return problem, perturb_on_spheres(q0, v0, build)


def vectors(rows):
    return [[F(c) for c in row] for row in rows]


def point_masses(masses, g):
    n = len(masses)
    return [[masses[a] if a == b else F(0) for b in range(n)] for a in range(n)], [m * g for m in masses]


def rods(masses, g):
    n = len(masses)
    mu = [[F(0)] * n for _ in range(n)]
    weight = [F(0)] * n
    for r, m in enumerate(masses):
        mu[r][r] += m / 3
        weight[r] += m * g / 2
        if r > 0:
            mu[r - 1][r - 1] += m / 3
            mu[r - 1][r] += m / 6
            mu[r][r - 1] += m / 6
            weight[r - 1] += m * g / 2
    return mu, weight


def main():
    times = [1, 5, 10]
    root3 = mp.sqrt(3)
    print("double pendulum")
    mu, weight = point_masses([F(1), F(1)], F(1))
    problem, perturb = chain(
        [F(1), F(1)], mu, weight,
        [[root3 / 2, F(0), F(1) / 2], [F(0), F(0), F(1)]],
        [[-root3 / 4, F(0), F(3) / 4], [F(0), F(1), F(0)]],
    )
    assert abs(problem.invariants(split(problem.start[:6]), split(problem.start[6:]))["energy"] + F(3) / 4) < 1e-40
    rows, accuracy = reference(problem, times, perturb)
    write(
        "double_pendulum",
        "Double spherical pendulum, point masses, m = l = g = 1, gravity along +z; "
        "q1 = [sqrt(3)/2, 0, 1/2], q2 = [0, 0, 1], omega1 = [-sqrt(3)/4, 0, 3/4], omega2 = [0, 1, 0] at t = 0",
        accuracy, rows,
    )
    masses = [F("1.0"), F("0.5"), F("2.0")]
    lengths = [F("1.0"), F("0.7"), F("0.4")]
    g = F("9.81")
    q0 = vectors([["0.6", 0, "0.8"], [0, "0.8", "0.6"], [0, "-0.6", "0.8"]])
    w0 = vectors([[0, "0.5", 0], [1, 0, 0], ["0.3", "0.4", "0.3"]])
    data = (
        "masses 1.0, 0.5, 2.0 kg, lengths 1.0, 0.7, 0.4 m, g = 9.81 along +z; "
        "q = [0.6, 0, 0.8], [0, 0.8, 0.6], [0, -0.6, 0.8], "
        "omega = [0, 0.5, 0], [1, 0, 0], [0.3, 0.4, 0.3] at t = 0"
    )
    for name, title, kind in (
        ("point_chain", "Chain of three point masses on massless links", point_masses),
        ("rod_chain", "Chain of three thin uniform rods without spin about their axes", rods),
    ):
        print(title)
        problem, perturb = chain(lengths, *kind(masses, g), q0, w0)
        rows, accuracy = reference(problem, times, perturb)
        write(name, f"{title}; {data}", accuracy, rows)


if __name__ == "__main__":
    main()
