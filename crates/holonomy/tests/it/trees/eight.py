"""Reference numbers of `eight.rs`: the scenario `eight-cable-robot`, SciPy's DOP853 at 1e-12.

    python eight.py       needs numpy and scipy

The rope of cable i runs from its drum through a fixed eye and over a sheave of radius R at the post, free to swivel, to the
corner at y, seen from the sheave; x goes to the eye. With γ the angle from x to y and t = √(y² - R²), its length grows as

    s = f·y',    f = t/|y| e_y + R (e_x - e_y cos γ)/(|y| sin γ)

The platform has the velocity (v, ω), both in axes of the world; y' = v + ω × a, with a from its centre to the corner, so that
s = J (v, ω), J = (f, a × f). Drum i turns with its cable and adds the inertia I/R² along s. So

    (M + I/R² Σ J_i' J_i) (v', ω') = (m g, -ω × Θω) - Σ J_i' (p_i + I/R² (J_i)' (v, ω)),     T_i = p_i + I/R² s_i'

where p_i is what winch i is told to pull. (J_i)' is differentiated by a complex step, exactly.
"""
import numpy as np
from scipy.integrate import solve_ivp

WIDE, DEEP, HIGH, A, B, C, M, R = 4.0, 3.0, 3.0, 0.1, 0.4, 0.2, 20.0, 0.05
PRE, LEAST, MOST, K, D, W, I = 300.0, 20.0, 600.0, 4e4, 800.0, 2 * np.pi / 8, 0.008
REACH = np.array([0.8, 0.5, 0.4])
WAYS = np.array([[x, y, z] for z in (1, -1) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))], float)
CORNERS = WAYS * [A, B, C]
POSTS = WAYS * [WIDE / 2, DEEP / 2, HIGH / 2] + [0, 0, HIGH / 2]
EYES = np.array([s * np.array([0.3, 0, 0]) for s in WAYS])
EYES = EYES / np.linalg.norm(EYES, axis=1)[:, None]
THETA = M / 12 * np.diag([(2 * B) ** 2 + (2 * C) ** 2, (2 * A) ** 2 + (2 * C) ** 2, (2 * A) ** 2 + (2 * B) ** 2])


def rotation(q):
    w, x, y, z = q / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def jacobian(r, arms):
    """Rows J_i: how fast cable i pays out."""
    y = r + arms - POSTS
    size = np.sqrt((y * y).sum(axis=1))[:, None]
    e = y / size
    cosine = (e * EYES).sum(axis=1)[:, None]
    f = np.sqrt(size * size - R * R) / size * e + R * (EYES - e * cosine) / (size * np.sqrt(1 - cosine * cosine))
    return np.hstack([f, np.cross(arms, f)])


def path(t):
    n = np.array([1, 2, 3]) * W
    s, c = np.sin(n * t), np.cos(n * t)
    return REACH * s**3 + [0, 0, HIGH / 2], 3 * n * REACH * s * s * c


def told(t, r, v, arms, omega):
    aim, speed = path(t)
    far = aim + CORNERS - POSTS
    off, rate = r + arms - aim - CORNERS, v + np.cross(omega, arms) - speed
    size = np.linalg.norm(far, axis=1)
    shares = (1 + WAYS[:, 0] * aim[0] / (WIDE / 2 - A)) / 2 * (1 + WAYS[:, 1] * aim[1] / (DEEP / 2 - B)) / 2
    pulls = (PRE + (1 + WAYS[:, 2]) / 2 * M * 9.81) * shares * size / abs(far[:, 2])
    pulls += (far * (K * off + D * rate)).sum(axis=1) / size
    return np.clip(pulls, LEAST, MOST)


def motion(t, y):
    r, q, v, omega = y[:3], y[3:7], y[7:10], y[10:]
    Q = rotation(q)
    arms = CORNERS @ Q.T
    J = jacobian(r, arms)
    velocity = np.concatenate([v, omega])
    turning = np.imag(jacobian(r + 1e-30j * v, arms + 1e-30j * np.cross(omega, arms))) / 1e-30 @ velocity
    theta = Q @ THETA @ Q.T
    mass = np.zeros((6, 6))
    mass[:3, :3], mass[3:, 3:] = M * np.eye(3), theta
    p = told(t, r, v, arms, omega)
    free = np.concatenate([[0, 0, -M * 9.81], -np.cross(omega, theta @ omega)])
    rates = np.linalg.solve(mass + I / R**2 * J.T @ J, free - J.T @ (p + I / R**2 * turning))
    w, x = q[0], q[1:]
    dq = 0.5 * np.concatenate([[-omega @ x], w * omega + np.cross(omega, x)])
    return np.concatenate([v, dq, rates]), p + I / R**2 * (J @ rates + turning)


if __name__ == "__main__":
    start = np.array([0, 0, HIGH / 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], float)
    whole = solve_ivp(lambda t, y: motion(t, y)[0], [0, 16], start, method="DOP853", rtol=1e-12, atol=1e-12,
                      dense_output=True, max_step=0.01)
    y = whole.sol(3.0)
    print("at 3 s:", y[:7].tolist(), "tensions", motion(3.0, y)[1].tolist())
    times = np.linspace(0, 16, 3201)
    tensions = np.array([motion(t, whole.sol(t))[1] for t in times])
    off = np.array([whole.sol(t)[:3] - path(t)[0] for t in times])
    turns = [2 * np.arcsin(np.linalg.norm(whole.sol(t)[4:7])) for t in times]
    print("tensions from", tensions.min(axis=0), "to", tensions.max(axis=0), "N")
    print("off by", np.linalg.norm(off, axis=1).max(), "m, turned by", np.degrees(max(turns)), "deg")
