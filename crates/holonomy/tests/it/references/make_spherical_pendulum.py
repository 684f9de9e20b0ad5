"""Reference motion of one spherical pendulum, in closed form and by Taylor series.

What: q, omega = q x q', energy and vertical angular momentum at t = 1, 5, 10 and 100 s. Writes
  spherical_pendulum.json. m = l = 1, g = 9.81 along +z, q = [sin 60, 0, cos 60], q' = [0, 2, 0].
How, the written numbers: with u = e3.q and J = 2 sin 60 the vertical angular momentum,
  u'^2 = 2 (E + g u)(1 - u^2) - J^2 has the roots u0 < -1 < u1 <= u <= u2 < 1, hence
  u = u2 - (u2 - u1) sn^2(w), w = K + Omega t, Omega^2 = g (u2 - u0) / 2, k^2 = (u2 - u1) / (u2 - u0),
  where u(0) = u1 = 1/2 because the start is horizontal and slower than the conical motion. The azimuth
  is the integral of J / (1 - u^2): two incomplete elliptic integrals of the third kind. 50 digits.
How, the check: Cartesian position with a Lagrange multiplier, Taylor series (common.py).
Accuracy: stated in the file. Verified: both routes agree to 1e-25 (asserted; 1e-13 was wanted).
"""

import mpmath as mp

from common import distance, mcross, num, reference, write
from make_three_bodies import on_spheres

F = mp.mpf
G = F("9.81")
TIMES = [1, 5, 10, 100]


def closed_form():
    s, c = mp.sqrt(3) / 2, F(1) / 2
    energy = F(2) - G * c
    j = 2 * s
    # -2 g u^3 - 2 E u^2 + 2 g u + 2 E - J^2 = 0
    u0, u1, u2 = sorted(mp.re(r) for r in mp.polyroots([-2 * G, -2 * energy, 2 * G, 2 * energy - j * j], maxsteps=500, extraprec=400))
    assert u0 < -1 and abs(u1 - c) < 1e-40 and u1 < u2 < 1
    omega = mp.sqrt(G * (u2 - u0) / 2)
    m = (u2 - u1) / (u2 - u0)
    quarter = mp.ellipk(m)

    def third_kind(n, w):
        """Integral of 1 / (1 - n sn^2) from 0 to w."""
        periods = mp.nint(w / (2 * quarter))
        rest = w - 2 * quarter * periods
        return 2 * periods * mp.ellippi(n, m) + mp.ellippi(n, mp.asin(mp.ellipfun("sn", rest, m=m)), m)

    def azimuth(w):
        lower = third_kind(-(u2 - u1) / (1 - u2), w) / (1 - u2)
        upper = third_kind((u2 - u1) / (1 + u2), w) / (1 + u2)
        return j / (2 * omega) * (lower + upper)

    out = []
    for t in TIMES:
        w = quarter + omega * t
        sn, cn, dn = (mp.ellipfun(name, w, m=m) for name in ("sn", "cn", "dn"))
        u = u2 - (u2 - u1) * sn**2
        udot = -2 * (u2 - u1) * omega * sn * cn * dn
        phi = azimuth(w) - azimuth(quarter)
        r = mp.sqrt(1 - u * u)
        rdot = -u * udot / r
        phidot = j / (r * r)
        q = [r * mp.cos(phi), r * mp.sin(phi), u]
        qdot = [rdot * mp.cos(phi) - r * phidot * mp.sin(phi), rdot * mp.sin(phi) + r * phidot * mp.cos(phi), udot]
        out.append(([q], [mcross(q, qdot)]))
    return out


def main():
    print("spherical pendulum")
    s, c = mp.sqrt(3) / 2, F(1) / 2
    q0 = [[s, F(0), c]]
    w0 = [mcross(q0[0], [F(0), F(2), F(0)])]

    def momentum(masses, xs, vs):
        return {"angular_momentum_z": masses[0] * mcross(xs[0], vs[0])[2]}

    problem, perturb = on_spheres(
        [F(1)], lambda q: num(-G) * q[0][2], lambda q: -G * q[0][2], q0, w0, momentum
    )
    rows, accuracy = reference(problem, TIMES, perturb)
    for row, (q, w) in zip(rows, closed_form()):
        gap = distance((q, w), (row["q"], row["omega"]))
        print(f"  t={row['t']}: closed form and Taylor series differ by {mp.nstr(gap, 2)}")
        assert gap < mp.mpf("1e-25")
        row["q"], row["omega"] = q, w
    write(
        "spherical_pendulum",
        "Spherical pendulum, m = 1 kg, l = 1 m, g = 9.81 along +z; "
        "q = [sin(60 deg), 0, cos(60 deg)], dq/dt = [0, 2, 0] at t = 0; closed form by elliptic functions",
        accuracy, rows,
    )


if __name__ == "__main__":
    main()
