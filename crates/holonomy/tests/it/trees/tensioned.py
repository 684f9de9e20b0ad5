"""Reference numbers of `tensioned.rs`: the scenario `tensioned-platform`, SciPy's DOP853 at 1e-12.

    python tensioned.py       needs numpy and scipy

The platform has x, z and the turn a (towards z); drum i turns with its cable, so it adds the inertia I/R² along s_i, the
speed of the cable, s_i = u_i·(speed of the corner) = J_i q', with u_i the direction of the straight part from the drum,
which it leaves over its top. So

    (M + I/R² Σ J_i' J_i) q'' = F_gravity - Σ J_i' (p_i + I/R² (J_i)' q'),     T_i = p_i + I/R² s_i'

where p_i is what winch i is told to pull. (J_i)' q' is differentiated by a complex step, exactly.
"""
import numpy as np
from scipy.integrate import solve_ivp

WIDE, HIGH, A, B, R, M, PRE, LEAST, K, D = 4.0, 3.0, 0.3, 0.1, 0.05, 20.0, 200.0, 20.0, 2e4, 400.0
REACH, LIFT, W, I = 0.8, 0.4, 2 * np.pi / 8, 0.008
INERTIA = M / 12 * ((2 * A) ** 2 + (2 * B) ** 2)
WINCHES = np.array([[-WIDE / 2, HIGH], [WIDE / 2, HIGH], [-WIDE / 2, 0], [WIDE / 2, 0]])
CORNERS = np.array([[-A, -B], [A, -B], [-A, B], [A, B]])
# Drums on the left are left forward over their tops, those on the right backward: the radius with the sign of that.
WAY = [1.0, -1.0, 1.0, -1.0]


def corners(q):
    c, s = np.cos(q[2]), np.sin(q[2])
    return [np.array([q[0] + c * x - s * z, q[1] + s * x + c * z]) for x, z in CORNERS]


def jacobian(q):
    """Rows J_i: how fast cable i pays out."""
    rows = []
    for corner, winch, way in zip(corners(q), WINCHES, WAY):
        d = corner - winch
        square = d @ d
        t = np.sqrt(square - R * R)
        # Over the top and to the right, the tangent turns down from the line to the centre less than that does.
        u = (t * d + way * R * np.array([d[1], -d[0]])) / square
        arm = corner - q[:2]
        rows.append([u[0], u[1], arm[0] * u[1] - arm[1] * u[0]])
    return np.array(rows)


def told(t, q, v):
    s, c = np.sin(W * t), np.cos(W * t)
    s2, c2 = np.sin(2 * W * t), np.cos(2 * W * t)
    aim = np.array([REACH * s**3, HIGH / 2 + LIFT * s2**3])
    speed = np.array([3 * W * REACH * s**2 * c, 6 * W * LIFT * s2**2 * c2])
    far = aim + CORNERS - WINCHES
    pulls = []
    for i, corner in enumerate(corners(q)):
        to = corner - WINCHES[i]
        arm = corner - q[:2]
        moves = v[:2] + v[2] * np.array([-arm[1], arm[0]])
        carried = (M * 9.81 + PRE if i < 2 else PRE) / (WIDE - 2 * A)
        other = abs(far[i ^ 1][0])
        size = np.linalg.norm(far[i])
        pull = carried * size * other / abs(far[i][1])
        pull += K * (np.linalg.norm(to) - size) + D * (to @ moves / np.linalg.norm(to) - far[i] @ speed / size)
        pulls.append(max(pull, LEAST))
    return np.array(pulls)


def motion(t, y):
    q, v = y[:3], y[3:]
    J = jacobian(q)
    turning = np.imag(jacobian(q + 1e-30j * v)) / 1e-30 @ v
    mass = np.diag([M, M, INERTIA]) + I / R**2 * J.T @ J
    p = told(t, q, v)
    dv = np.linalg.solve(mass, [0, -M * 9.81, 0] - J.T @ (p + I / R**2 * turning))
    return dv, p + I / R**2 * (J @ dv + turning)


if __name__ == "__main__":
    start = [0, HIGH / 2, 0, 0, 0, 0]
    whole = solve_ivp(lambda t, y: np.concatenate([y[3:], motion(t, y)[0]]), [0, 16], start, method="DOP853",
                      rtol=1e-12, atol=1e-12, dense_output=True, max_step=0.01)
    y = whole.sol(3.0)
    print("at 3 s:", y[:3].tolist(), "tensions", motion(3.0, y)[1].tolist())
    times = np.linspace(0, 16, 3201)
    tensions = np.array([motion(t, whole.sol(t))[1] for t in times])
    aim = np.array([[REACH * np.sin(W * t)**3, HIGH / 2 + LIFT * np.sin(2 * W * t)**3] for t in times])
    off = np.array([whole.sol(t)[:2] for t in times]) - aim
    print("tensions from", tensions.min(axis=0), "to", tensions.max(axis=0), "N")
    print("off by", np.abs(off).max(axis=0), "m, tilted by", np.degrees(max(abs(whole.sol(t)[2]) for t in times)), "deg")
