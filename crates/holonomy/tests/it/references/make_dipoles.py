"""Reference motion of 16 magnetic dipoles on a square grid (document 001, example 5, M_ii = m l^2).

What: q_i, omega_i = q_i x q_i' and energy at t = 1 and 2 s. Writes dipoles.json. 4 x 4 grid in the
  x-y plane, spacing 0.024 m, dipole i at column (i-1) mod 4 and row (i-1) div 4, moment 0.1 A m^2,
  vacuum permeability 4 pi 1e-7 exactly, M_ii = 2e-5 kg m^2.
How: Cartesian directions with one Lagrange multiplier per dipole, torques by symbolic
  differentiation of the pair energy (make_three_bodies.on_spheres). Integration: see common.py.
Accuracy: stated in the file. Verified: energy and constraints hold to 1e-25; three tolerances and
  precisions agree; initial energy equals -1.2436758e-3; check_double.py.
"""

import heyoka as hy
import mpmath as mp

from common import dot, mcross, mdot, num, reference, write
from make_three_bodies import on_spheres

F = mp.mpf
SPACING, INERTIA, MOMENT = F("0.024"), F("2e-5"), F("0.1")
GRID = [[SPACING * (i % 4), SPACING * (i // 4), F(0)] for i in range(16)]


def pairs():
    for i in range(16):
        for j in range(i + 1, 16):
            r = [b - a for a, b in zip(GRID[i], GRID[j])]
            length = mp.sqrt(mdot(r, r))
            yield i, j, F("1e-7") * MOMENT**2 / length**3, [c / length for c in r]


def potential(q):
    terms = []
    for i, j, k, n in pairs():
        along = [dot([num(c) for c in n], q[s]) for s in (i, j)]
        terms.append(num(k) * (dot(q[i], q[j]) - num(3) * along[0] * along[1]))
    return hy.sum(terms)


def energy(q):
    return mp.fsum(k * (mdot(q[i], q[j]) - 3 * mdot(n, q[i]) * mdot(n, q[j])) for i, j, k, n in pairs())


def start():
    q0 = [[F(1), F(0), F(0)] for _ in range(15)]
    q0.append([mp.sqrt(F(1) / 8), mp.sqrt(F(1) / 8), -mp.sqrt(F(3) / 4)])
    w0 = [[F(0), F("0.5"), F(0)]] + [[F(0)] * 3] * 15
    return q0, w0


def main():
    print("dipoles")
    q0, w0 = start()
    problem, perturb = on_spheres([INERTIA] * 16, potential, energy, q0, w0, lambda *_: {})
    begin = problem.invariants(q0, [mcross(w, u) for w, u in zip(w0, q0)])["energy"]
    assert abs(begin - F("-1.2436758e-3")) < 1e-10
    rows, accuracy = reference(problem, [1, 2], perturb)
    write(
        "dipoles",
        "16 magnetic dipoles, 4 x 4 grid in the x-y plane, spacing 0.024 m, moment 0.1 A m^2, M_ii = 2e-5 kg m^2; "
        "q_i = [1, 0, 0], q_16 = [sqrt(1/8), sqrt(1/8), -sqrt(3/4)], omega_1 = [0, 0.5, 0] at t = 0",
        accuracy, rows,
    )


if __name__ == "__main__":
    main()
