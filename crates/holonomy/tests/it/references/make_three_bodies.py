"""Reference motion of three bodies on the unit sphere that attract each other.

What: q_i, omega_i = q_i x q_i', energy and the total angular momentum at t = 1 and 5 s. Writes
  three_bodies.json. m = 1, gamma = 1, V = -gamma sum_(i<j) cot(angle between q_i and q_j), start as in
  the JSON. (The sum over i < j equals one half of the sum over i != j of document 001, example 2.)
How: Cartesian positions on the sphere, acceleration -grad V / m + lambda q with the multiplier lambda
  from the twice differentiated constraint |q|^2 = 1; grad V comes from symbolic differentiation of
  cot = (q_i . q_j) / |q_i x q_j|. Integration: see common.py.
Accuracy: stated in the file. Verified: energy, all three components of the angular momentum and the
  constraints hold to 1e-25; three tolerances and precisions agree; check_double.py.
"""

import heyoka as hy
import mpmath as mp

from common import Problem, dot, flat, mcross, mdot, num, perturb_on_spheres, reference, split, variables, write

F = mp.mpf


def on_spheres(masses, potential, energy, q0, w0, extra):
    """Bodies on unit spheres: one multiplier per body. `masses` are the moments M_ii."""
    n = len(masses)
    q, v = variables(n, "q"), variables(n, "v")
    gradient = split(hy.diff_tensors([potential(q)], flat(q)).gradient)
    acceleration = []
    for i in range(n):
        force = [num(-1 / masses[i]) * c for c in gradient[i]]
        # (q . q)'' = 0 with q'' = force + tension q.
        tension = -(dot(v[i], v[i]) + dot(q[i], force)) / dot(q[i], q[i])
        acceleration.append([f + tension * c for f, c in zip(force, q[i])])
    v0 = [mcross(w, u) for w, u in zip(w0, q0)]
    for w, u in zip(w0, q0):
        assert abs(mdot(u, u) - 1) < 1e-45 and abs(mdot(w, u)) < 1e-45

    def invariants(xs, vs):
        kinetic = mp.fsum(m * mdot(a, a) for m, a in zip(masses, vs)) / 2
        return {"energy": kinetic + energy(xs), **extra(masses, xs, vs)}

    problem = Problem(q, v, acceleration, q0, v0, lambda xs, vs: (xs, vs), invariants)
    return problem, perturb_on_spheres(q0, v0, lambda a, b: (a, b))


def cross(a, b):
    return [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]


PAIRS = [(0, 1), (0, 2), (1, 2)]


def potential(q):
    def cot(a, b):
        c = cross(a, b)
        return dot(a, b) / hy.sqrt(dot(c, c))

    return -hy.sum([cot(q[i], q[j]) for i, j in PAIRS])


def energy(q):
    def cot(a, b):
        c = mdot(a, b)
        return c / mp.sqrt(1 - c * c)

    return -mp.fsum(cot(q[i], q[j]) for i, j in PAIRS)


def momentum(masses, xs, vs):
    terms = [[m * c for c in mcross(a, b)] for m, a, b in zip(masses, xs, vs)]
    return {f"angular_momentum_{'xyz'[k]}": mp.fsum(t[k] for t in terms) for k in range(3)}


def main():
    print("three bodies")
    q0 = [[F(c) for c in row] for row in ((0, -1, 0), (0, 0, 1), (-1, 0, 0))]
    w0 = [[F(c) for c in row] for row in ((0, 0, "-1.1"), (1, 0, 0), (0, 1, 0))]
    problem, perturb = on_spheres([F(1)] * 3, potential, energy, q0, w0, momentum)
    assert abs(problem.invariants(q0, [mcross(w, u) for w, u in zip(w0, q0)])["energy"] - F("1.605")) < 1e-40
    rows, accuracy = reference(problem, [1, 5], perturb)
    write(
        "three_bodies",
        "Three bodies on the unit sphere, m = 1, V = -sum over pairs of cot(angle); "
        "q = [0, -1, 0], [0, 0, 1], [-1, 0, 0], omega = [0, 0, -1.1], [1, 0, 0], [0, 1, 0] at t = 0",
        accuracy, rows,
    )


if __name__ == "__main__":
    main()
