"""Reference motion of four spherical pendula whose links are coupled by springs (document 001, ex. 3).

What: q_i, omega_i = q_i x q_i' and energy at t = 1 and 2 s. Writes spring_pendula.json. m = 0.1 kg,
  l = 0.1 m, g = 9.81 along +z; the pivots are the corners of a square of side l, and a spring of
  natural length l joins the midpoints of neighbouring links; stiffness 10, 20, 30, 40 N/m.
How: Cartesian directions with one Lagrange multiplier per pendulum, forces by symbolic
  differentiation of the potential (make_three_bodies.on_spheres). Integration: see common.py.
Accuracy: stated in the file. Verified: energy and constraints hold to 1e-25; three tolerances and
  precisions agree; initial energy equals -0.312353755135; check_double.py.
"""

import heyoka as hy
import mpmath as mp

from common import dot, mcross, mdot, num, reference, write
from make_three_bodies import on_spheres

F = mp.mpf
M, L, G = F("0.1"), F("0.1"), F("9.81")
PIVOTS = [[F(0), F(0), F(0)], [L, F(0), F(0)], [L, -L, F(0)], [F(0), -L, F(0)]]
SPRINGS = [(0, 1, F(10)), (1, 2, F(20)), (2, 3, F(30)), (3, 0, F(40))]


def potential(q):
    terms = [num(-M * G * L) * u[2] for u in q]
    for i, j, k in SPRINGS:
        mid = [num(PIVOTS[j][c] - PIVOTS[i][c]) + num(L / 2) * (q[j][c] - q[i][c]) for c in range(3)]
        terms.append(num(k / 2) * (hy.sqrt(dot(mid, mid)) - num(L)) ** 2)
    return hy.sum(terms)


def energy(q):
    total = -M * G * L * mp.fsum(u[2] for u in q)
    for i, j, k in SPRINGS:
        a = [p + L / 2 * c for p, c in zip(PIVOTS[i], q[i])]
        b = [p + L / 2 * c for p, c in zip(PIVOTS[j], q[j])]
        d = [x - y for x, y in zip(b, a)]
        total += k / 2 * (mp.sqrt(mdot(d, d)) - L) ** 2
    return total


def start():
    up = [F(0), F(0), F(1)]
    angle = mp.radians(20)
    q0 = [up, up, [mp.cos(angle) / 2, mp.sin(angle) / 2, mp.sqrt(3) / 2], up]
    w0 = [[F(-10), F(4), F(0)]] + [[F(0)] * 3] * 3
    return q0, w0


def main():
    print("spring pendula")
    q0, w0 = start()
    problem, perturb = on_spheres([M * L * L] * 4, potential, energy, q0, w0, lambda *_: {})
    begin = problem.invariants(q0, [mcross(w, u) for w, u in zip(w0, q0)])["energy"]
    assert abs(begin - F("-0.312353755135")) < 1e-12
    rows, accuracy = reference(problem, [1, 2], perturb)
    write(
        "spring_pendula",
        "Four spherical pendula, m = 0.1 kg, l = 0.1 m, g = 9.81 along +z, pivots 0, l e1, l e1 - l e2, -l e2, "
        "springs 10, 20, 30, 40 N/m of natural length l between the midpoints of neighbours; "
        "q1 = q2 = q4 = e3, q3 = [cos(20 deg)/2, sin(20 deg)/2, sqrt(3)/2], omega1 = [-10, 4, 0] at t = 0",
        accuracy, rows,
    )


if __name__ == "__main__":
    main()
